//! `.md5camera` (docs/formats/md5.md "The camera file").

use super::{Blocks, Sections, count, entries, frame_rate, full, in_list, only_once, open, records};
use crate::Span;
use crate::md5::error::{Error, ErrorKind, FileKind};
use crate::md5::lex::Lexer;
use crate::md5::warning::{Parsed, WarningKind};
use crate::md5::{CameraFile, CameraFrame, Int};

const KEYWORDS: [&str; 7] = ["MD5Version", "commandline", "numFrames", "frameRate", "numCuts", "cuts", "camera"];

/// Reads a `.md5camera`.
///
/// The document has at least one frame, and all numbers are finite in f32. Not checked: cuts may be outside the frames
/// (with a warning) and in any order.
///
/// # Errors
/// The first defect that cannot be repaired without guessing.
pub fn parse_camera(bytes: &[u8]) -> Result<Parsed<CameraFile<'_>>, Error> {
    let mut lexer = open(bytes)?;
    let document = camera_file(&mut lexer)?;
    Ok(Parsed { document, warnings: lexer.warnings.finish() })
}

#[derive(Default)]
struct CameraBlocks {
    num_frames: Option<Int>,
    num_cuts: Option<Int>,
    rate: Option<(f64, Span)>,
    cuts: Option<Vec<Int>>,
    frames: Option<Vec<CameraFrame>>,
}

impl<'a> Blocks<'a> for CameraBlocks {
    const SURPLUS: Option<&'static str> = None;

    fn complete(&self) -> bool {
        self.frames.as_ref().is_some_and(|frames| full(self.num_frames, frames.len()) || self.num_frames.is_none())
    }

    fn section(&mut self, lexer: &mut Lexer<'a>, keyword: &'static str, at: Span) -> Result<(), Error> {
        match keyword {
            "numFrames" => count(lexer, keyword, at, &mut self.num_frames)?,
            "numCuts" => count(lexer, keyword, at, &mut self.num_cuts)?,
            "frameRate" => frame_rate(lexer, at, &mut self.rate)?,
            "cuts" => {
                only_once(self.cuts.is_some(), keyword, at)?;
                self.cuts = Some(entries(lexer, keyword, keyword, &["camera"], self.num_cuts, cut)?);
            }
            _ => {
                only_once(self.frames.is_some(), keyword, at)?;
                self.frames = Some(records(lexer, "camera", &KEYWORDS, self.num_frames, camera_frame)?);
            }
        }
        Ok(())
    }
}

// file ::= 'MD5Version' int 'commandline' text 'numFrames' int 'frameRate' number 'numCuts' int cuts camera
fn camera_file<'a>(lexer: &mut Lexer<'a>) -> Result<CameraFile<'a>, Error> {
    let mut sections = Sections::new(FileKind::Camera, KEYWORDS);
    let mut blocks = CameraBlocks::default();
    sections.collect(lexer, &mut blocks)?;
    let CameraBlocks { num_frames, num_cuts, rate, cuts, frames } = blocks;
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
fn cut(lexer: &mut Lexer<'_>) -> Result<Int, Error> {
    let start = lexer.offset();
    lexer.int("a frame number").map_err(|error| in_list(lexer, start, error, "a frame number or '}'"))
}

// frame ::= vector3 vector3 number
fn camera_frame(lexer: &mut Lexer<'_>) -> Result<CameraFrame, Error> {
    let start = lexer.offset();
    let position = lexer.vector()?;
    let rotation = lexer.vector()?;
    let fov = lexer.single_float()?;
    Ok(CameraFrame { position, rotation, fov, span: lexer.span_from(start) })
}
