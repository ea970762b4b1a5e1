//! `.md5camera` (docs/formats/md5.md "The camera file").

use super::{Sections, capacity, count, frame_rate, full, in_list, missing_brace, open, records, trailing_text};
use crate::md5::error::{Error, ErrorKind, FileKind};
use crate::md5::lex::Lexer;
use crate::md5::warning::{Parsed, WarningKind};
use crate::md5::{CameraFile, CameraFrame, Int};

const KEYWORDS: [&str; 7] = ["MD5Version", "commandline", "numFrames", "frameRate", "numCuts", "cuts", "camera"];

/// Reads a `.md5camera`.
///
/// In the document that comes back there is at least one frame, and all numbers are finite in f32. Cuts may lie
/// outside the frames (with a warning), and their order is not checked.
///
/// # Errors
/// The first defect that cannot be repaired without guessing, with its place.
pub fn parse_camera(bytes: &[u8]) -> Result<Parsed<CameraFile<'_>>, Error> {
    let mut lexer = open(bytes)?;
    let document = camera_file(&mut lexer)?;
    Ok(Parsed { document, warnings: lexer.warnings.finish() })
}

// file ::= 'MD5Version' int 'commandline' text 'numFrames' int 'frameRate' number 'numCuts' int cuts camera
fn camera_file<'a>(lexer: &mut Lexer<'a>) -> Result<CameraFile<'a>, Error> {
    let mut sections = Sections::new(FileKind::Camera, KEYWORDS);
    let (mut num_frames, mut num_cuts, mut rate) = (None, None, None);
    let (mut cuts, mut frames): (Option<Vec<Int>>, Option<Vec<CameraFrame>>) = (None, None);
    while !lexer.at_end() {
        let start = lexer.offset();
        let Some((keyword, at)) = sections.next(lexer)? else {
            if lexer.at_end() {
                break;
            }
            // Doom 3 reads no further, so what follows is no reason to refuse the file.
            if frames.as_ref().is_some_and(|frames| full(num_frames, frames.len()) || num_frames.is_none()) {
                trailing_text(lexer, start);
                break;
            }
            return Err(sections.unknown(lexer));
        };
        let again = || Err(Error { kind: ErrorKind::RepeatedBlock { keyword }, span: at });
        match keyword {
            "numFrames" => count(lexer, keyword, at, &mut num_frames)?,
            "numCuts" => count(lexer, keyword, at, &mut num_cuts)?,
            "frameRate" => frame_rate(lexer, at, &mut rate)?,
            "cuts" if cuts.is_some() => return again(),
            "cuts" => cuts = Some(cut_block(lexer, num_cuts)?),
            _ if frames.is_some() => return again(),
            _ => frames = Some(records(lexer, "camera", &KEYWORDS, num_frames, camera_frame)?),
        }
    }
    if sections.none_met() {
        return Err(sections.unknown(lexer));
    }
    let Some(frames) = frames else { return Err(sections.missing_block("camera", lexer)) };
    if frames.is_empty() {
        let span = num_frames.map_or_else(|| sections.met("camera"), |count| count.span);
        return Err(Error { kind: ErrorKind::NoFrames, span });
    }
    let cuts = cuts.unwrap_or_else(|| {
        sections.missing("cuts", lexer);
        Vec::new()
    });
    let last = frames.len() - 1;
    for cut in &cuts {
        if !usize::try_from(cut.value).is_ok_and(|cut| (1..=last).contains(&cut)) {
            lexer.warnings.push(WarningKind::CutOutOfRange { cut: cut.value, last }, cut.span);
        }
    }
    let num_frames = sections.count_or("numFrames", num_frames, frames.len(), lexer);
    let num_cuts = sections.count_or("numCuts", num_cuts, cuts.len(), lexer);
    let (frame_rate, frame_rate_span) = sections.rate_or_default(rate, lexer);
    let (version, command_line) = sections.finish(lexer);
    Ok(CameraFile { version, command_line, num_frames, frame_rate, frame_rate_span, num_cuts, cuts, frames })
}

// cuts ::= 'cuts' '{' { int } '}'
fn cut_block(lexer: &mut Lexer<'_>, declared: Option<Int>) -> Result<Vec<Int>, Error> {
    lexer.require(b'{', "'{'")?;
    let mut cuts = Vec::with_capacity(capacity(lexer, declared));
    while !lexer.eat(b'}') {
        if super::begins_block(lexer, &["camera"]) {
            missing_brace(lexer, "cuts");
            break;
        }
        let start = lexer.offset();
        cuts.push(lexer.int("a frame number").map_err(|error| in_list(lexer, start, error, "a frame number or '}'"))?);
    }
    Ok(cuts)
}

// frame ::= vector3 vector3 number
fn camera_frame(lexer: &mut Lexer<'_>) -> Result<CameraFrame, Error> {
    let start = lexer.offset();
    let position = lexer.vector()?;
    let rotation = lexer.vector()?;
    let fov = lexer.single_float()?;
    Ok(CameraFrame { position, rotation, fov, span: lexer.span_from(start) })
}
