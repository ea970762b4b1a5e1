//! Checks of a clip's rotations between frames.

use super::geometry::angle;
use super::joints::check_rotation;
use crate::codes::anim;
use crate::contract::is_played_once;
use crate::finding::Findings;
use bindpose_core::budget::Budget;
use bindpose_core::import::md5::RootTranslation;
use bindpose_core::import::md5::rows::{Rows, transform_of};
use bindpose_core::model::Transform;
use bindpose_parsers::md5::{AnimFile, Channel};
use bindpose_parsers::{Span, counted};
use glam::DQuat;

/// Rotation per frame, in degrees, beyond which engines that interpolate vertices visibly shrink limbs.
const FAST: f64 = 60.0;
/// Rotation in degrees that counts as a jump if a joint makes it and reverses it within two frames.
const POP: f64 = 30.0;
/// Largest rotation between first and last frame of a loop, in degrees.
const SEAM: f64 = 1.0;
/// Largest distance between first and last frame of a loop, as a fraction of the skeleton's size.
const SEAM_DISTANCE: f64 = 0.005;
/// Largest rotation between base frame and frame 0 without a hint, in degrees.
const BASE: f64 = 1.0;

/// Bytes charged to the budget per joint and frame: the size of its transform.
const STEP: usize = size_of::<Transform>();

/// Checks the frames of a clip, one joint at a time. Keeps no frames.
pub fn check(file: &AnimFile, name: &str, bytes: &[u8], budget: &Budget, findings: &mut Findings) {
    let rows = Rows::new(file, RootTranslation::File);
    if rows.frame_count() == 0 {
        return;
    }
    check_base(file, &rows, findings);
    if !is_played_once(name) {
        check_seam(file, &rows, findings);
    }
    // A joint without stored rotation does not turn.
    let turns = |channel: &&Channel| channel.flags.value & 56 != 0;
    let turning = (file.hierarchy.iter().filter(turns).count() as u64, "joints");
    let frames = (rows.frame_count() as u64, "frames");
    if super::can_follow(budget, turning, frames, STEP, file.num_frames.span, "how far they turn is", findings) {
        for (joint, _) in file.hierarchy.iter().enumerate().filter(|(_, channel)| turns(channel)) {
            check_turns(file, &rows, joint, findings);
            check_lengths(file, bytes, &rows, joint, findings);
        }
    }
}

/// Returns the transform of a joint in a frame, in its parent's space.
fn local(rows: &Rows, joint: usize, frame: usize) -> Transform {
    transform_of(rows.row(joint, frame))
}

fn span_of(file: &AnimFile, frame: usize) -> Span {
    file.frames.get(frame).map_or(file.num_frames.span, |frame| frame.number.span)
}

fn joint_name(file: &AnimFile, joint: usize) -> String {
    file.hierarchy.get(joint).map_or_else(String::new, |channel| channel.name.to_name())
}

fn check_base(file: &AnimFile, rows: &Rows, findings: &mut Findings) {
    let mut differing = 0;
    let mut most = (BASE, 0);
    for (joint, pose) in file.baseframe.iter().enumerate().take(rows.channel_count()) {
        let base = transform_of(rows.base(joint)).rotation;
        let first = local(rows, joint, 0).rotation;
        if is_flipped(base, first) {
            findings.add_at(anim::FLIPPED_QUATERNION, pose.span, format_args!("baseframe[{joint}]"), || {
                let name = joint_name(file, joint);
                format!(
                    "the base frame's quaternion of joint {joint} '{name}' is the negative of that in frame 0, which makes it the inverse rotation"
                )
            });
            continue;
        }
        let turned = angle(base, first);
        if turned > BASE {
            differing += 1;
            if turned > most.0 {
                most = (turned, joint);
            }
        }
    }
    if differing > 0 {
        let (turned, joint) = most;
        let span = file.baseframe.get(joint).map_or(file.num_frames.span, |pose| pose.span);
        findings.add_at(anim::BASEFRAME_DIFFERS, span, format_args!("baseframe[{joint}]"), || {
            let name = joint_name(file, joint);
            let joints = counted(differing, "joint", "joints");
            format!("frame 0 turns {joints} against the base frame, '{name}' by {turned:.1} degrees")
        });
    }
}

/// True if x, y and z of two visibly different rotations are negatives of each other.
fn is_flipped(base: DQuat, first: DQuat) -> bool {
    // Both w have the same sign, so negating x, y and z gives the conjugate.
    angle(base, first) > 2.0 && angle(base.conjugate(), first) < 0.1
}

fn check_seam(file: &AnimFile, rows: &Rows, findings: &mut Findings) {
    let count = rows.frame_count();
    if count < 3 {
        return;
    }
    let joints = 0..rows.channel_count();
    let size = joints.clone().skip(1).map(|joint| local(rows, joint, 0).translation.length()).fold(0.0, f64::max);
    let mut worst: Option<(f64, usize, String)> = None;
    for joint in joints {
        let (a, b) = (local(rows, joint, 0), local(rows, joint, count - 1));
        let turned = angle(a.rotation, b.rotation);
        let moved = if joint == 0 { 0.0 } else { a.translation.distance(b.translation) };
        let by_turn = turned / SEAM;
        let by_move = if size > 0.0 { moved / (SEAM_DISTANCE * size) } else { 0.0 };
        let score = by_turn.max(by_move);
        if score > 1.0 && worst.as_ref().is_none_or(|(most, ..)| score > *most) {
            let words = if by_turn >= by_move { format!("{turned:.1} degrees") } else { format!("{moved:.3} units") };
            worst = Some((score, joint, words));
        }
    }
    if let Some((_, joint, words)) = worst {
        findings.add_at(anim::LOOP_SEAM, span_of(file, count - 1), format_args!("frame[{}]", count - 1), || {
            let name = joint_name(file, joint);
            format!("frame {} does not repeat frame 0: joint {joint} '{name}' is off by {words}", count - 1)
        });
    }
}

/// Reports stored quaternions without a real w.
fn check_lengths(file: &AnimFile, bytes: &[u8], rows: &Rows, joint: usize, findings: &mut Findings) {
    let Some(channel) = file.hierarchy.get(joint) else { return };
    // Index of the quaternion's first component in a frame.
    let before = i64::from((channel.flags.value & 7).count_ones());
    let place = usize::try_from(channel.first_component.value.saturating_add(before)).unwrap_or(0);
    for frame in 0..rows.frame_count() {
        let [.., x, y, z] = rows.row(joint, frame);
        let span = || {
            let block = file.frames.get(frame).map(|frame| frame.span);
            block.and_then(|block| nth_word(bytes, block, place)).unwrap_or_else(|| span_of(file, frame))
        };
        check_rotation([x, y, z], span, format_args!("frame[{frame}].joint[{joint}]"), findings);
    }
}

/// Returns the span of the number at an index of a frame's block. Returns `None` if the block contains comments.
fn nth_word(bytes: &[u8], block: Span, place: usize) -> Option<Span> {
    let text = bytes.get(block.range())?;
    let open = text.iter().position(|&byte| byte == b'{')? + 1;
    let body = text.get(open..)?;
    if body.windows(2).any(|pair| matches!(pair, b"//" | b"/*")) {
        return None;
    }
    let word = body.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(place)?;
    let start = block.start as usize + open + (word.as_ptr().addr() - body.as_ptr().addr());
    Some(Span::new(start, start + word.len()))
}

fn check_turns(file: &AnimFile, rows: &Rows, joint: usize, findings: &mut Findings) {
    let mut before = local(rows, joint, 0).rotation;
    let mut last_turn = 0.0;
    let mut before_that: Option<DQuat> = None;
    let mut fastest = (FAST, 0);
    for frame in 1..rows.frame_count() {
        let rotation = local(rows, joint, frame).rotation;
        let turn = angle(before, rotation);
        if turn > fastest.0 {
            fastest = (turn, frame);
        }
        let is_back = before_that.is_some_and(|start| angle(start, rotation) < POP / 6.0);
        if turn > POP && last_turn > POP && is_back {
            let at = frame - 1;
            findings.add_at(anim::POP, span_of(file, at), format_args!("frame[{at}].joint[{joint}]"), || {
                let name = joint_name(file, joint);
                format!("joint {joint} '{name}' turns by {last_turn:.0} degrees in frame {at} and back in the next")
            });
        }
        (before_that, before, last_turn) = (Some(before), rotation, turn);
    }
    let (turn, frame) = fastest;
    if frame > 0 {
        let path = format_args!("frame[{frame}].joint[{joint}]");
        findings.add_at(anim::FAST_JOINT, span_of(file, frame), path, || {
            let name = joint_name(file, joint);
            format!("joint {joint} '{name}' turns by {turn:.0} degrees from frame {} to {frame}", frame - 1)
        });
    }
}
