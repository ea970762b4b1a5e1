//! `.md5anim`.

use super::joints::{self, JointLine};
use super::mesh::check_count;
use super::parsed::line_break;
use crate::codes::{Group, anim, shared};
use crate::finding::Findings;
use crate::taint::Part;
use bindpose_parsers::md5::{AnimFile, Channel, JointPose};
use bindpose_parsers::{Span, counted};

/// Components stored for the six bits of `flags`.
pub const COMPONENTS: [&str; 6] = ["Tx", "Ty", "Tz", "Qx", "Qy", "Qz"];

/// Checks a clip by itself.
pub fn check(file: &AnimFile, bytes: &[u8], findings: &mut Findings) {
    let lines: Vec<JointLine> = file
        .hierarchy
        .iter()
        .map(|channel| JointLine { name: &channel.name, parent: channel.parent, span: channel.span })
        .collect();
    joints::check(Group::Anim, &lines, file.num_joints.span, findings);
    for channel in &file.hierarchy {
        line_break(bytes, channel.span, "joint", findings);
    }
    check_rate(file, findings);
    check_components(file, findings);
    check_baseframe(file, bytes, findings);
    check_bounds(file, findings);
    check_sizes(file, findings);
}

fn check_rate(file: &AnimFile, findings: &mut Findings) {
    let (rate, span) = (file.frame_rate, file.frame_rate_span);
    if findings.broken.within(&[Part::Value], span) {
        return;
    }
    // Below 1, the engine's integer is 0.
    if rate < 1.0 {
        findings.add(shared::RATE_ZERO, span, || format!("frameRate is {rate}, expected at least 1"));
    } else if rate.fract() != 0.0 {
        findings.add(anim::RATE_FRACTION, span, || {
            format!("frameRate is {rate}, expected an integer; Doom 3 plays {}", rate.trunc())
        });
    }
}

/// Checks flags and component ranges of all joints.
#[expect(clippy::too_many_lines, reason = "one check after the other")]
fn check_components(file: &AnimFile, findings: &mut Findings) {
    let width = file.num_animated_components.value;
    if findings.broken.any(&[Part::Joints]) {
        return;
    }
    let is_width_known = !findings.broken.any(&[Part::Width])
        && !findings.broken.within(&[Part::Value], file.num_animated_components.span);
    if width == 0 && !file.frames.is_empty() {
        findings.add(anim::NO_COMPONENTS, file.num_animated_components.span, || {
            "numAnimatedComponents is 0, so nothing moves".to_owned()
        });
    }
    if is_width_known && width > 6 * file.hierarchy.len() as i64 {
        findings.add(anim::COMPONENT_COUNT, file.num_animated_components.span, || {
            format!(
                "numAnimatedComponents is {width}, but {} can have at most {}",
                counted(file.hierarchy.len(), "joint", "joints"),
                6 * file.hierarchy.len()
            )
        });
    }
    let is_outside = |channel: &Channel| {
        let (first, count) = (channel.first_component.value, i64::from((channel.flags.value & 63).count_ones()));
        channel.flags.value & !63 == 0 && count > 0 && (first < 0 || first.saturating_add(count) > width)
    };
    let is_outside = |channel: &Channel| is_width_known && is_outside(channel);
    let has_odd_flags = |channel: &Channel| channel.flags.value & !63 != 0;
    match file.hierarchy.iter().find(|channel| is_outside(channel) || has_odd_flags(channel)) {
        Some(channel) => findings.broken.mark_all(&[Part::Layout, Part::Motion], channel.span),
        None => super::layout::check(file, findings),
    }
    let mut is_shared = false;
    let mut reader: Vec<Option<usize>> = vec![None; usize::try_from(width).unwrap_or(0)];
    for (index, channel) in file.hierarchy.iter().enumerate() {
        let path = format_args!("joint[{index}]");
        let name = || channel.name.to_name();
        let (flags, first) = (channel.flags.value, channel.first_component.value);
        if flags & !63 != 0 {
            findings.add_at(anim::FLAGS, channel.flags.span, path, || {
                format!("joint {index} '{}' has flags {flags}, expected 0 to 63", name())
            });
            findings.broken.mark_all(&[Part::Value, Part::Motion], channel.span);
        }
        let count = i64::from((flags & 63).count_ones());
        // If the flags are invalid, it is unknown which components the joint reads.
        if is_outside(channel) {
            findings.add_at(anim::COMPONENT_RANGE, channel.span, path, || {
                format!(
                    "joint {index} '{}' reads components {first} to {} of {width}",
                    name(),
                    first.saturating_add(count - 1)
                )
            });
        } else if count == 0 && width > 0 && !(0..width).contains(&first) {
            findings.add_at(anim::FIRST_COMPONENT, channel.first_component.span, path, || {
                format!("joint {index} '{}' stores nothing, but its first component is {first} of {width}", name())
            });
        }
        for component in (first.max(0)..).take(count as usize) {
            let Some(slot) = usize::try_from(component).ok().and_then(|at| reader.get_mut(at)) else { continue };
            if let Some(other) = slot.replace(index).filter(|_| !findings.broken.any(&[Part::Layout])) {
                findings.add_at(anim::SHARED_COMPONENTS, channel.span, path, || {
                    format!("joint {index} '{}' reads component {component}, which joint {other} reads as well", name())
                });
                is_shared = true;
            }
        }
    }
    if is_shared {
        findings.broken.mark_all(&[Part::Layout, Part::Motion], file.num_animated_components.span);
    }
    let unused: Vec<String> =
        reader.iter().enumerate().filter(|(_, reader)| reader.is_none()).map(|(at, _)| at.to_string()).collect();
    if let Some(first) = unused.first().filter(|_| !findings.broken.any(&[Part::Layout])) {
        findings.add(anim::UNUSED_COMPONENTS, file.num_animated_components.span, || {
            format!(
                "{} of {} belong{} to no joint; the first is component {first}",
                unused.len(),
                counted(usize::try_from(width).unwrap_or(0), "component", "components"),
                if unused.len() == 1 { "s" } else { "" }
            )
        });
    }
}

/// True if a joint's flags store a component.
fn stored(channel: &Channel, component: usize) -> bool {
    channel.flags.value & (1 << component) != 0
}

fn values(pose: &JointPose) -> [f64; 6] {
    let ([tx, ty, tz], [qx, qy, qz]) = (pose.position, pose.rotation);
    [tx, ty, tz, qx, qy, qz]
}

fn check_baseframe(file: &AnimFile, bytes: &[u8], findings: &mut Findings) {
    for (index, (channel, pose)) in file.hierarchy.iter().zip(&file.baseframe).enumerate() {
        let path = format_args!("baseframe[{index}]");
        joints::check_rotation(pose.rotation, || pose.span, path, findings);
        line_break(bytes, pose.span, "row", findings);
        let needed = |component: &usize| !stored(channel, *component) && values(pose).get(*component) != Some(&0.0);
        let names: Vec<&str> = (0..6).filter(needed).filter_map(|at| COMPONENTS.get(at).copied()).collect();
        if !names.is_empty() && !findings.broken.within(&[Part::Value], channel.span) {
            findings.add_at(anim::BASEFRAME_NEEDED, pose.span, path, || {
                let come = if names.len() == 1 { "comes" } else { "come" };
                let (names, joint) = (names.join(" "), channel.name.to_name());
                format!("{names} of joint {index} '{joint}' {come} from the base frame only")
            });
        }
    }
    if let (Some(root), Some(pose)) = (file.hierarchy.first(), file.baseframe.first()) {
        let lost: Vec<&str> = (0..3)
            .filter(|&axis| !stored(root, axis) && pose.position.get(axis) != Some(&0.0))
            .filter_map(|axis| COMPONENTS.get(axis).copied())
            .collect();
        if !lost.is_empty() {
            findings.add_at(anim::ROOT_OFFSET_DROPPED, pose.span, "baseframe[0]", || {
                format!("{} of the root's offset {:?} are not stored by the frames", lost.join(" "), pose.position)
            });
        }
    }
}

fn check_bounds(file: &AnimFile, findings: &mut Findings) {
    for (index, bounds) in file.bounds.iter().enumerate() {
        if bounds.min.iter().zip(&bounds.max).any(|(min, max)| min > max) {
            findings.broken.mark(Part::Value, bounds.span);
            findings.add_at(anim::BOUNDS_INVERTED, bounds.span, format_args!("bounds[{index}]"), || {
                format!("the box of frame {index} has its smallest and largest corner swapped")
            });
        }
    }
}

/// Compares sizes with the array sizes of engines.
fn check_sizes(file: &AnimFile, findings: &mut Findings) {
    let sizes: [(&str, i64, Span); 2] = [
        ("frames", file.frames.len() as i64, file.num_frames.span),
        ("components", file.num_animated_components.value, file.num_animated_components.span),
    ];
    for (quantity, count, span) in sizes {
        let count = u64::try_from(count).unwrap_or(0);
        let limit = super::exceeded(Group::Anim, anim::TOO_MANY_FRAMES, count).find(|limit| limit.quantity == quantity);
        if let Some(limit) = limit {
            findings.add(anim::TOO_MANY_FRAMES, span, || {
                format!("{count} {quantity}, but {} has room for {}", limit.profile.name, limit.most)
            });
        }
    }
    for (index, frame) in file.frames.iter().enumerate() {
        let number = frame.number.value;
        if findings.broken.any(&[Part::FrameOrder]) {
            break;
        }
        if number < 0 || number >= file.num_frames.value.max(file.frames.len() as i64) {
            let added = findings.add_at(anim::FRAME_VALUES, frame.number.span, format_args!("frame[{index}]"), || {
                format!("frame {number} of {}", file.num_frames.value)
            });
            if let Some(finding) = added.0 {
                finding.subject = Some("frame");
            }
        }
    }
    check_count("numFrames", file.num_frames, findings);
    check_count("numJoints", file.num_joints, findings);
}
