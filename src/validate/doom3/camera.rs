//! `.md5camera` (dhewm3 d3xp/Camera.cpp: idCameraAnim::LoadAnim).

use super::super::verdict::{Fallible, Verdict, with_rule};
use super::lexer::Lexer;
use super::{Loaded, check_memory, judge, read_count, read_frame_count, read_header};
use crate::codes::{camera, shared};

/// Size of a frame in memory, in bytes.
const FRAME: i64 = 28;

/// Runs the loader's steps on a file.
pub(super) fn load<'a>(lexer: Lexer<'a>) -> Loaded<'a> {
    judge(lexer, |lexer, verdict, _| read_camera(lexer, verdict))
}

fn read_camera(lexer: &mut Lexer, verdict: &mut Verdict) -> Fallible<()> {
    read_header(lexer)?;
    let (frames, frames_span) = read_frame_count(lexer)?;
    let (rate, span) = read_count(lexer, "frameRate", shared::SYNTAX)?;
    if rate <= 0 {
        return lexer.fail(shared::RATE_ZERO, span, format!("Invalid framerate: {rate}"));
    }
    let (cuts, span) = read_count(lexer, "numCuts", shared::SYNTAX)?;
    if cuts < 0 || cuts > frames {
        return lexer.fail(camera::CAMERA_CUT, span, format!("Invalid number of camera cuts: {cuts}"));
    }
    lexer.expect_keyword("cuts", shared::SYNTAX)?;
    lexer.require("{")?;
    for _ in 0..cuts {
        let cut = with_rule(lexer.integer(), camera::CAMERA_CUT)?;
        if cut < 1 || cut >= frames {
            return lexer.fail(camera::CAMERA_CUT, lexer.last_span, "Invalid camera cut");
        }
    }
    lexer.require_as("}", camera::CAMERA_CUT)?;
    lexer.expect_keyword("camera", shared::SYNTAX)?;
    lexer.require("{")?;
    check_memory(verdict, frames.into(), FRAME, frames_span);
    for _ in 0..frames {
        lexer.require_as("(", shared::BLOCK_COUNT)?;
        lexer.rest_of_vector(3)?;
        lexer.vector(3)?;
        lexer.float()?;
    }
    lexer.require_as("}", shared::BLOCK_COUNT)
}
