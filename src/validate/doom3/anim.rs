//! `.md5anim` (dhewm3 d3xp/anim/Anim.cpp: LoadAnim).

use super::super::number::{self, anim};
use super::super::verdict::{Outcome, Refusal, Verdict};
use super::lexer::{Fallible, Lexer, renumber};
use super::{Joint, judge, read_count, read_first_count, read_header};
use bindpose_parsers::Span;

/// What the loader made of a clip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anim<'a> {
    /// How loading ends.
    pub verdict: Verdict,
    /// The hierarchy that was read.
    pub joints: Vec<Joint<'a>>,
}

/// The numbers of the header.
struct Header {
    frames: i32,
    joints: i32,
    rate: i32,
    rate_span: Span,
    components: i32,
}

/// Follows the loader through a file.
pub fn load_anim(bytes: &[u8]) -> Anim<'_> {
    let mut joints = Vec::new();
    let mut rate = None;
    let mut lexer = Lexer::new(bytes, false);
    let mut verdict = judge(&mut lexer, |lexer, verdict| read_anim(lexer, verdict, &mut joints, &mut rate));
    if let (Outcome::Loads, Some((0, span))) = (verdict.outcome, rate) {
        // After the last check the length is divided by the rate, and the process dies.
        verdict.outcome = Outcome::Exits;
        let message = "integer division by zero".to_owned();
        verdict.refusal = Some(Refusal { number: anim::RATE_ZERO, message, line: None, span });
    }
    Anim { verdict, joints }
}

fn read_anim<'a>(
    lexer: &mut Lexer<'a>,
    verdict: &mut Verdict,
    joints: &mut Vec<Joint<'a>>,
    rate: &mut Option<(i32, Span)>,
) -> Fallible<()> {
    let header = read_numbers(lexer)?;
    *rate = Some((header.rate, header.rate_span));
    lexer.expect_keyword("hierarchy", number::SYNTAX)?;
    lexer.expect("{")?;
    for index in 0..header.joints {
        joints.push(read_channel(lexer, verdict, &header, index)?);
    }
    lexer.expect_as("}", number::BLOCK_COUNT)?;

    lexer.expect_keyword("bounds", anim::BLOCK_MISSING)?;
    renumber(read_rows(lexer, header.frames), anim::BOUNDS_COUNT)?;
    lexer.expect_keyword("baseframe", anim::BLOCK_MISSING)?;
    renumber(read_rows(lexer, header.joints), anim::BASEFRAME_COUNT)?;

    for index in 0..header.frames {
        lexer.expect_as("frame", anim::FRAME_MISSING)?;
        let number = lexer.integer()?;
        if number != index {
            return lexer.fail(anim::FRAME_ORDER, lexer.last_span, format!("Expected frame number {index}"));
        }
        lexer.expect("{")?;
        for _ in 0..header.components {
            renumber(lexer.float(), anim::FRAME_VALUES)?;
        }
        lexer.expect_as("}", anim::FRAME_VALUES)?;
    }
    Ok(())
}

/// `{ ( … ) ( … ) … }`
fn read_rows(lexer: &mut Lexer, count: i32) -> Fallible<()> {
    lexer.expect("{")?;
    for _ in 0..count {
        lexer.vector(3)?;
        lexer.vector(3)?;
    }
    lexer.expect("}")
}

fn read_numbers(lexer: &mut Lexer) -> Fallible<Header> {
    read_header(lexer)?;
    let (frames, span) = read_first_count(lexer, "numFrames")?;
    if frames <= 0 {
        return lexer.fail(number::COUNT, span, format!("Invalid number of frames: {frames}"));
    }
    let (joints, span) = read_count(lexer, "numJoints")?;
    if joints <= 0 {
        return lexer.fail(number::COUNT, span, format!("Invalid number of joints: {joints}"));
    }
    let (rate, rate_span) = read_count(lexer, "frameRate")?;
    if rate < 0 {
        return lexer.fail(anim::RATE_ZERO, rate_span, format!("Invalid frame rate: {rate}"));
    }
    let (components, span) = read_count(lexer, "numAnimatedComponents")?;
    if components < 0 || components > joints.wrapping_mul(6) {
        return lexer.fail(anim::COMPONENT_COUNT, span, format!("Invalid number of animated components: {components}"));
    }
    Ok(Header { frames, joints, rate, rate_span, components })
}

fn read_channel<'a>(lexer: &mut Lexer<'a>, verdict: &mut Verdict, header: &Header, index: i32) -> Fallible<Joint<'a>> {
    let name = lexer.any()?;
    let start = lexer.last_span;
    // A brace in the place of a name is the end of a block that is too short.
    let number = if name.as_ref() == b"}" { number::BLOCK_COUNT } else { number::SYNTAX };
    let parent = renumber(lexer.integer(), number)?;
    if parent >= index {
        return lexer.fail(number::LATE_PARENT, lexer.last_span, format!("Invalid parent num: {parent}"));
    }
    if index != 0 && parent < 0 {
        return lexer.fail(number::ROOTS, lexer.last_span, "Animations may have only one root joint");
    }
    let flags = lexer.integer()?;
    if flags & !63 != 0 {
        return lexer.fail(anim::FLAGS, lexer.last_span, format!("Invalid anim bits: {flags}"));
    }
    let first = lexer.integer()?;
    // Tested even where the flags say that nothing is animated.
    if header.components > 0 && !(0..header.components).contains(&first) {
        return lexer.fail(anim::FIRST_COMPONENT, lexer.last_span, format!("Invalid first component: {first}"));
    }
    let span = start.to(lexer.last_span);
    let needed = i64::from(first) + i64::from(flags.count_ones());
    if header.components > 0 && needed > i64::from(header.components) {
        verdict.add_undefined(anim::COMPONENTS, span, || {
            format!("joint {index} reads components {first} to {} of {}", needed - 1, header.components)
        });
    }
    if header.components == 0 && index == 0 && flags & 7 != 0 {
        verdict.add_undefined(anim::COMPONENTS, span, || "the root's origin is read from an empty array".to_owned());
    }
    Ok(Joint { name, parent, span })
}
