//! `.md5camera` (dhewm3 d3xp/Camera.cpp: idCameraAnim::LoadAnim).

use super::super::number;
use super::super::verdict::Verdict;
use super::lexer::{Fallible, Lexer};
use super::{judge, read_count, read_header};

const RATE: u16 = 202;
const CUTS: u16 = 230;

/// Follows the loader through a file.
pub fn load_camera(bytes: &[u8]) -> Verdict {
    judge(&mut Lexer::new(bytes, false), |lexer, _| read_camera(lexer))
}

fn read_camera(lexer: &mut Lexer) -> Fallible<()> {
    read_header(lexer)?;
    let (frames, span) = read_count(lexer, "numFrames")?;
    if frames <= 0 {
        return lexer.fail(number::COUNT, span, format!("Invalid number of frames: {frames}"));
    }
    let (rate, span) = read_count(lexer, "frameRate")?;
    if rate <= 0 {
        return lexer.fail(RATE, span, format!("Invalid framerate: {rate}"));
    }
    let (cuts, span) = read_count(lexer, "numCuts")?;
    if cuts < 0 || cuts > frames {
        return lexer.fail(CUTS, span, format!("Invalid number of camera cuts: {cuts}"));
    }
    lexer.expect("cuts")?;
    lexer.expect("{")?;
    for _ in 0..cuts {
        let cut = lexer.integer()?;
        if cut < 1 || cut >= frames {
            return lexer.fail(CUTS, lexer.last_span, "Invalid camera cut");
        }
    }
    lexer.expect("}")?;
    lexer.expect("camera")?;
    lexer.expect("{")?;
    for _ in 0..frames {
        lexer.vector(3)?;
        lexer.vector(3)?;
        lexer.float()?;
    }
    lexer.expect("}")
}
