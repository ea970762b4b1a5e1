//! `.md5anim` (dhewm3 d3xp/anim/Anim.cpp: LoadAnim).

use super::super::verdict::{EngineFault, Fallible, Outcome, Verdict, with_rule};
use super::lexer::Lexer;
use super::{Joint, Loaded, check_memory, judge, read_count, read_frame_count, read_header, read_name_and_parent};
use crate::codes::{anim, shared};
use bindpose_parsers::Span;

/// Size of a frame's bounds in memory, in bytes.
const BOUNDS: i64 = 24;
/// Size of a base frame joint in memory, in bytes.
const JOINT: i64 = 28;
/// Size of a component in memory, in bytes.
const COMPONENT: i64 = 4;

/// Numbers of the header.
struct Header {
    frames: i32,
    frames_span: Span,
    joints: i32,
    joints_span: Span,
    rate: i32,
    rate_span: Span,
    components: i32,
}

/// Runs the loader's steps on a file.
pub(super) fn load<'a>(lexer: Lexer<'a>) -> Loaded<'a> {
    let mut rate = None;
    let mut loaded = judge(lexer, |lexer, verdict, joints| read_anim(lexer, verdict, joints, &mut rate));
    if let (Outcome::Loads, Some((0, span))) = (loaded.verdict.outcome, rate) {
        // After the last check, the length is divided by the rate, which crashes the process.
        loaded.verdict.outcome = Outcome::Exits;
        loaded.verdict.refusal = Some(EngineFault::new(shared::RATE_ZERO, span, "integer division by zero"));
    }
    loaded
}

fn read_anim<'a>(
    lexer: &mut Lexer<'a>,
    verdict: &mut Verdict,
    joints: &mut Vec<Joint<'a>>,
    rate: &mut Option<(i32, Span)>,
) -> Fallible<()> {
    let header = read_numbers(lexer)?;
    *rate = Some((header.rate, header.rate_span));
    check_memory(verdict, header.joints.into(), JOINT, header.joints_span);
    lexer.expect_keyword("hierarchy", shared::SYNTAX)?;
    lexer.require("{")?;
    for index in 0..header.joints {
        joints.push(read_channel(lexer, verdict, &header, index)?);
    }
    lexer.require_as("}", shared::BLOCK_COUNT)?;

    lexer.expect_keyword("bounds", anim::BLOCK_MISSING)?;
    check_memory(verdict, header.frames.into(), BOUNDS, header.frames_span);
    with_rule(read_rows(lexer, header.frames), anim::BOUNDS_COUNT)?;
    lexer.expect_keyword("baseframe", anim::BLOCK_MISSING)?;
    with_rule(read_rows(lexer, header.joints), anim::BASEFRAME_COUNT)?;
    check_memory(verdict, i64::from(header.frames) * i64::from(header.components), COMPONENT, header.frames_span);

    for index in 0..header.frames {
        lexer.require_as("frame", anim::FRAME_MISSING)?;
        let number = lexer.integer()?;
        if number != index {
            return lexer.fail(anim::FRAME_ORDER, lexer.last_span, format!("Expected frame number {index}"));
        }
        lexer.require("{")?;
        for _ in 0..header.components {
            with_rule(lexer.float(), anim::FRAME_VALUES)?;
        }
        lexer.require_as("}", anim::FRAME_VALUES)?;
    }
    Ok(())
}

/// `{ ( … ) ( … ) … }`
fn read_rows(lexer: &mut Lexer, count: i32) -> Fallible<()> {
    lexer.require("{")?;
    for _ in 0..count {
        lexer.vector(3)?;
        lexer.vector(3)?;
    }
    lexer.require("}")
}

fn read_numbers(lexer: &mut Lexer) -> Fallible<Header> {
    read_header(lexer)?;
    let (frames, frames_span) = read_frame_count(lexer)?;
    let (joints, joints_span) = read_count(lexer, "numJoints", shared::SYNTAX)?;
    if joints <= 0 {
        return lexer.fail(shared::COUNT, joints_span, format!("Invalid number of joints: {joints}"));
    }
    let (rate, rate_span) = read_count(lexer, "frameRate", shared::SYNTAX)?;
    if rate < 0 {
        return lexer.fail(shared::RATE_ZERO, rate_span, format!("Invalid frame rate: {rate}"));
    }
    let (components, span) = read_count(lexer, "numAnimatedComponents", shared::SYNTAX)?;
    if components < 0 || components > joints.wrapping_mul(6) {
        return lexer.fail(anim::COMPONENT_COUNT, span, format!("Invalid number of animated components: {components}"));
    }
    Ok(Header { frames, frames_span, joints, joints_span, rate, rate_span, components })
}

fn read_channel<'a>(lexer: &mut Lexer<'a>, verdict: &mut Verdict, header: &Header, index: i32) -> Fallible<Joint<'a>> {
    let (name, parent, start) = read_name_and_parent(lexer)?;
    if parent >= index {
        return lexer.fail(shared::LATE_PARENT, lexer.last_span, format!("Invalid parent num: {parent}"));
    }
    if index != 0 && parent < 0 {
        return lexer.fail(shared::SEVERAL_ROOTS, lexer.last_span, "Animations may have only one root joint");
    }
    let flags = lexer.integer()?;
    if flags & !63 != 0 {
        return lexer.fail(anim::FLAGS, lexer.last_span, format!("Invalid anim bits: {flags}"));
    }
    let first = lexer.integer()?;
    // Tested even if the flags say that nothing is animated.
    if header.components > 0 && !(0..header.components).contains(&first) {
        let rule = if flags == 0 { anim::FIRST_COMPONENT } else { anim::COMPONENT_RANGE };
        return lexer.fail(rule, lexer.last_span, format!("Invalid first component: {first}"));
    }
    let span = start.to(lexer.last_span);
    let needed = i64::from(first) + i64::from(flags.count_ones());
    if header.components > 0 && needed > i64::from(header.components) {
        verdict.add_undefined(anim::COMPONENT_RANGE, span, || {
            format!("joint {index} reads components {first} to {} of {}", needed - 1, header.components)
        });
    }
    if header.components == 0 && index == 0 && flags & 7 != 0 {
        verdict
            .add_undefined(anim::COMPONENT_RANGE, span, || "the root's origin is read from an empty array".to_owned());
    }
    Ok(Joint { name, parent, span })
}
