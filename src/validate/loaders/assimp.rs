//! assimp (`MD5Parser`, `MD5Importer`, `fast_atoreal_move`): sections of lines in any order, unknown ones ignored. Any
//! text counts as a number where one is expected. Line comments are blanked first. The end of a line in a section
//! becomes the end of a string, and code that does not check for it reads on behind it.

mod arrays;
mod buffer;
mod pointer;

use super::{Fallible, File, Joint, Skeleton, Stop, refuse};
use crate::codes::{anim, camera, shared};
use crate::verdict::{Outcome, Verdict};
use arrays::{Surface, Vert, Weight};
use bindpose_parsers::Span;
use buffer::{Buffer, Section};
use std::collections::HashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// Releases up to 6.0.5: most indices are used unchecked.
    Release,
    /// Versions after 6.0.5.
    Later,
}

pub(super) fn read_mesh<'a>(version: Version, verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let buffer = Buffer::new(file, true)?;
    let mut joints = Vec::new();
    let mut surfaces = Vec::new();
    for section in &buffer.sections {
        match section.name(&buffer) {
            b"joints" => {
                for &line in section.lines(&buffer) {
                    joints.push(buffer.joint(line)?);
                }
            }
            b"mesh" => surfaces.push(buffer.surface(version, section, verdict)?),
            _ => {}
        }
    }
    if surfaces.is_empty()
        && let Some(at) = memchr::memmem::find(file.bytes, b"numverts")
    {
        let is_glued = memchr::memmem::find(file.bytes, b"mesh{").is_some();
        let rule = if is_glued { shared::GLUED } else { shared::LINE_BREAK };
        verdict.add_misread(rule, Span::new(at, at + b"numverts".len()), || {
            "no mesh is found: nothing is shown".to_owned()
        });
    }
    for surface in surfaces.iter().filter(|surface| !surface.is_empty()) {
        surface.check(version, verdict, joints.len())?;
    }
    Ok(Skeleton { used: joints.len(), joints })
}

/// Reads a clip. Without frames or joints it is ignored next to a mesh, and is an error by itself.
pub(super) fn read_anim(verdict: &mut Verdict, skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let buffer = Buffer::new(file, skeleton.is_none())?;
    let mut channels = Vec::new();
    let (mut rows, mut rows_span) = (0, Span::default());
    let mut frames = Vec::new();
    for section in &buffer.sections {
        match section.name(&buffer) {
            b"hierarchy" => {
                for &line in section.lines(&buffer) {
                    channels.push(buffer.channel(line));
                }
            }
            b"baseframe" => {
                rows_span = section.name;
                for &line in section.lines(&buffer) {
                    let mut at = buffer.pointer(line);
                    at.triple()?;
                    at.triple()?;
                    rows += 1;
                }
            }
            b"frame" if section.value.is_none() => {}
            b"frame" => frames.push(Frame { values: buffer.values(section)?, span: section.name }),
            b"frameRate" => {
                if let Some(value) = section.value {
                    buffer.value(value).float()?;
                }
            }
            _ => {}
        }
    }
    if channels.is_empty() || frames.is_empty() || rows != channels.len() {
        let (outcome, message) = match skeleton {
            Some(_) => (Outcome::LeavesOut, "MD5ANIM: No frames or animated bones loaded"),
            None => (Outcome::Refuses, "Failed to read valid contents out of this MD5* file"),
        };
        let rule = match () {
            () if channels.is_empty() => shared::COUNT,
            () if frames.is_empty() => anim::FRAME_MISSING,
            () if rows_span == Span::default() => anim::BLOCK_MISSING,
            () => anim::BASEFRAME_COUNT,
        };
        return refuse(outcome, rule, rows_span, message);
    }
    check_frames(verdict, &channels, &frames)
}

/// Checks that frames contain the values that channels read.
fn check_frames(verdict: &mut Verdict, channels: &[Channel], frames: &[Frame]) -> Fallible<()> {
    // Frames with the same number of values are equivalent.
    let mut seen = HashSet::new();
    let differ = |(number, frame): &(usize, &Frame)| (*number == 0 || frame.values > 0) && seen.insert(frame.values);
    for (number, frame) in frames.iter().enumerate().filter(differ) {
        for (joint, channel) in channels.iter().enumerate() {
            if channel.first >= frame.values {
                if channel.flags != 0 {
                    let span = if number == 0 { channel.span } else { frame.span };
                    return refuse(
                        Outcome::Refuses,
                        anim::COMPONENT_RANGE,
                        span,
                        "MD5: Keyframe index is out of range",
                    );
                }
            } else if channel.first + (channel.flags & 63).count_ones() as usize > frame.values {
                verdict.add_undefined(anim::COMPONENT_RANGE, channel.span, || {
                    format!("joint {joint} reads past the {} values of frame {number}", frame.values)
                });
            }
        }
    }
    Ok(())
}

/// Reads a camera. In this family, only assimp does.
pub(super) fn read_camera(version: Version, verdict: &mut Verdict, file: File) -> Fallible<()> {
    let buffer = Buffer::new(file, true)?;
    let mut cuts = vec![(0, Span::default())];
    let mut frames = 0;
    for section in &buffer.sections {
        match section.name(&buffer) {
            b"cuts" => {
                for &line in section.lines(&buffer) {
                    cuts.push((buffer.pointer(line).integer().wrapping_add(1), line));
                }
            }
            b"camera" => {
                for &line in section.lines(&buffer) {
                    let mut at = buffer.pointer(line);
                    at.triple()?;
                    at.triple()?;
                    at.skip_spaces();
                    at.float()?;
                    frames += 1;
                }
            }
            b"frameRate" => {
                if let Some(value) = section.value {
                    buffer.value(value).float()?;
                }
            }
            _ => {}
        }
    }
    if frames == 0 {
        return refuse(Outcome::Refuses, shared::COUNT, Span::default(), "MD5CAMERA: No frames parsed");
    }
    let stray = cuts.windows(2).find(|pair| matches!(pair, [(a, _), (b, _)] if b < a || *b > frames));
    match (version, stray) {
        (_, None) => Ok(()),
        (Version::Later, Some(pair)) => {
            let span = pair.last().map_or_else(Span::default, |cut| cut.1);
            let message = "MD5CAMERA: Cut references a frame out of range";
            refuse(Outcome::Refuses, camera::CAMERA_CUT, span, message)
        }
        (Version::Release, Some(pair)) => {
            let span = pair.last().map_or_else(Span::default, |cut| cut.1);
            verdict.add_undefined(camera::CAMERA_CUT, span, || {
                "frames are read from outside the camera's array".to_owned()
            });
            Err(Stop::Lost)
        }
    }
}

struct Channel {
    flags: u32,
    first: usize,
    span: Span,
}

struct Frame {
    values: usize,
    span: Span,
}

/// Readers of lines.
impl<'a> Buffer<'a> {
    /// Reads a name in quotes and a parent. Ignores the rest.
    fn joint(&self, line: Span) -> Fallible<Joint<'a>> {
        let mut at = self.pointer(line);
        let name = at.quoted();
        at.skip_spaces();
        let parent = at.signed();
        at.triple()?;
        at.triple()?;
        Ok(Joint { name, parent })
    }

    fn channel(&self, line: Span) -> Channel {
        let mut at = self.pointer(line);
        at.quoted();
        at.skip_spaces();
        at.signed();
        at.skip_spaces();
        let flags = at.integer();
        at.skip_spaces();
        Channel { flags, first: at.integer() as usize, span: line }
    }

    /// Counts the numbers of a frame.
    fn values(&self, section: &Section) -> Fallible<usize> {
        let mut values = 0;
        for &line in section.lines(self) {
            let mut at = self.pointer(line);
            loop {
                while matches!(at.byte(), b' ' | b'\t' | b'\r' | b'\n') {
                    at.at += 1;
                }
                if at.byte() == 0 {
                    break;
                }
                at.float()?;
                values += 1;
            }
        }
        Ok(values)
    }

    fn surface(&self, version: Version, section: &Section, verdict: &mut Verdict) -> Fallible<Surface> {
        let mut mesh = Surface::default();
        for &line in section.lines(self) {
            let mut at = self.pointer(line);
            if at.keyword(b"shader") {
                continue;
            } else if at.keyword(b"numverts") {
                mesh.verts_span = Span::new(line.range().start, line.range().start + "numverts".len());
                mesh.verts.resize(at.count()?);
            } else if at.keyword(b"numtris") {
                mesh.tris_span = Span::new(at.at, line.range().end);
                mesh.tris.resize(at.count()?);
            } else if at.keyword(b"numweights") {
                mesh.weights.resize(at.count()?);
            } else if at.keyword(b"vert") {
                let slot = at.slot(version, verdict)?;
                at.skip_spaces();
                at.step(verdict)?;
                at.skip_spaces();
                at.float()?;
                at.skip_spaces();
                at.float()?;
                at.skip_spaces();
                at.step(verdict)?;
                at.skip_spaces();
                let first = at.integer();
                at.skip_spaces();
                let count = at.integer();
                mesh.verts.put(slot, Vert { first, count, span: line });
            } else if at.keyword(b"tri") {
                let slot = at.slot(version, verdict)?;
                let mut corners = [0; 3];
                for corner in &mut corners {
                    at.skip_spaces();
                    *corner = at.integer();
                }
                mesh.tris.put(slot, (corners, line));
            } else if at.keyword(b"weight") {
                let slot = at.slot(version, verdict)?;
                at.skip_spaces();
                let joint = at.integer();
                at.skip_spaces();
                let weight = at.float()?;
                at.triple()?;
                mesh.weights.put(slot, Weight { joint, weight, span: line });
            }
        }
        Ok(mesh)
    }
}
