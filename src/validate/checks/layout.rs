//! Layout of a clip's components. Exporters store each joint's components after those of the joint before it, so a
//! joint with wrong flags or a wrong start index can be identified.

use crate::codes::{Rule, anim};
use crate::finding::Findings;
use crate::taint::Part;
use bindpose_parsers::md5::{AnimFile, Channel};
use bindpose_parsers::{Span, counted};
use std::fmt::Write;

fn width_of(channel: &Channel) -> i64 {
    i64::from((channel.flags.value & 63).count_ones())
}

/// Reports the only joint that violates the layout.
pub(super) fn check(file: &AnimFile, findings: &mut Findings) {
    if let Some((rule, index, span, message)) = odd_joint(file) {
        findings.add_at(rule, span, format_args!("joint[{index}]"), || message);
        findings.broken.mark_all(&[Part::Value, Part::Layout, Part::Motion], span);
    }
}

/// Finds the only joint that violates the layout: rule, index, span and message. `None` if none does, or if several do.
fn odd_joint(file: &AnimFile) -> Option<(Rule, usize, Span, String)> {
    let animated: Vec<(usize, &Channel)> =
        file.hierarchy.iter().enumerate().filter(|(_, channel)| width_of(channel) > 0).collect();
    let start =
        |at: usize| animated.get(at).map_or(file.num_animated_components.value, |joint| joint.1.first_component.value);
    let end = |at: usize| {
        animated.get(at).map_or(0, |(_, joint)| joint.first_component.value.saturating_add(width_of(joint)))
    };
    // Gaps before the first joint, between joints, and after the last one.
    let gap = |at: usize| start(at).saturating_sub(at.checked_sub(1).map_or(0, end));
    let gaps: Vec<(usize, i64)> = (0..=animated.len()).map(|at| (at, gap(at))).filter(|&(_, gap)| gap != 0).collect();
    let odd = |at: usize| animated.get(at).copied();
    match gaps[..] {
        [(at, gap)] => {
            let before = odd(at.checked_sub(1)?)?;
            // A joint between both that starts at the gap has lost its flags.
            let until = odd(at).map_or(file.hierarchy.len(), |(index, _)| index);
            let mut between = file.hierarchy.iter().enumerate().take(until).skip(before.0 + 1);
            let lost = between.find(|(_, channel)| gap > 0 && channel.first_component.value == end(at - 1));
            let (index, channel) = lost.unwrap_or(before);
            let (name, flags, width) = (channel.name.to_name(), channel.flags.value, width_of(channel));
            let room = counted(usize::try_from(width + gap).ok()?, "component", "components");
            let message =
                format!("joint {index} '{name}' has flags {flags} for {width}, but the frames have {room} for it");
            let rule = match () {
                () if gap > 0 => anim::UNUSED_COMPONENTS,
                () if at == animated.len() => return None,
                () => anim::SHARED_COMPONENTS,
            };
            Some((rule, index, channel.flags.span, message))
        }
        [(before, gap), (behind, other)] if behind == before + 1 && (gap > 0) != (other > 0) => {
            let (index, channel) = odd(before)?;
            let (name, first) = (channel.name.to_name(), channel.first_component.value);
            let (flags, room) = (channel.flags.value, width_of(channel) + gap + other);
            let mut message = format!("joint {index} '{name}' starts at component {first}");
            let _ = match gap + other {
                0 => write!(message, ", but its neighbours leave room at {}", first - gap),
                _ => {
                    write!(message, " with flags {flags}, but its neighbours leave room for {room} at {}", first - gap)
                }
            };
            Some((anim::SHARED_COMPONENTS, index, channel.first_component.span, message))
        }
        _ => None,
    }
}
