//! `.md5anim` (docs/formats/md5.md "The animation file").

use super::frames::{FrameList, pieces_of, stored};
use super::{
    Sections, begins_block, capacity, count, frame_rate, full, missing_brace, open, parent_out_of_range, records,
    trailing_text,
};
use crate::Span;
use crate::md5::error::{Error, ErrorKind, FileKind};
use crate::md5::lex::Lexer;
use crate::md5::warning::{Parsed, WarningKind};
use crate::md5::{AnimFile, Bounds, Channel, Int, JointPose};

/// The six bits that `flags` can have.
pub(super) const ALL_FLAGS: i64 = 63;

const KEYWORDS: [&str; 10] = [
    "MD5Version",
    "commandline",
    "numFrames",
    "numJoints",
    "frameRate",
    "numAnimatedComponents",
    "hierarchy",
    "bounds",
    "baseframe",
    "frame",
];

/// Reads a `.md5anim`.
///
/// In the document that comes back there is at least one joint and one frame, every parent is below
/// `hierarchy.len()` (or negative), `baseframe` has one pose per joint, every frame has
/// `num_animated_components.value` components, and all numbers are finite in f32. Not checked: the order of joints
/// and cycles among them, as in [`parse_mesh`](super::parse_mesh). A joint's components may reach outside the frame
/// (with a warning): what is missing keeps the base frame's value. `bounds` may be shorter or longer than `frames`.
///
/// # Errors
/// The first defect that cannot be repaired without guessing, with its place.
pub fn parse_anim(bytes: &[u8]) -> Result<Parsed<AnimFile<'_>>, Error> {
    parse_anim_in(bytes, pieces_of)
}

/// As [`parse_anim`]; `pieces` says in how many so many bytes of frames are read, each on a thread.
pub(super) fn parse_anim_in(bytes: &[u8], pieces: impl Fn(usize) -> usize) -> Result<Parsed<AnimFile<'_>>, Error> {
    let mut lexer = open(bytes)?;
    let document = anim_file(&mut lexer, pieces)?;
    Ok(Parsed { document, warnings: lexer.warnings.finish() })
}

// file ::= 'MD5Version' int 'commandline' text 'numFrames' int 'numJoints' int 'frameRate' number
//          'numAnimatedComponents' int hierarchy bounds baseframe { frame }
fn anim_file<'a>(lexer: &mut Lexer<'a>, pieces: impl Fn(usize) -> usize) -> Result<AnimFile<'a>, Error> {
    let mut sections = Sections::new(FileKind::Anim, KEYWORDS);
    let (mut num_frames, mut num_joints, mut rate) = (None, None, None);
    let (mut hierarchy, mut bounds, mut baseframe) = (None, None, None);
    let mut frames = FrameList::default();
    while !lexer.at_end() {
        let start = lexer.offset();
        // Doom 3 reads no further, so what follows is no reason to refuse the file.
        let enough = full(num_frames, frames.heads.len()) || num_frames.is_none() && !frames.heads.is_empty();
        let complete = enough && hierarchy.is_some() && baseframe.is_some();
        let Some((keyword, at)) = sections.next(lexer)? else {
            if lexer.at_end() {
                break;
            }
            if complete {
                trailing_text(lexer, start);
                break;
            }
            return Err(sections.unknown(lexer));
        };
        let again = || Err(Error { kind: ErrorKind::RepeatedBlock { keyword }, span: at });
        match keyword {
            "numFrames" => count(lexer, keyword, at, &mut num_frames)?,
            "numJoints" => count(lexer, keyword, at, &mut num_joints)?,
            "numAnimatedComponents" => count(lexer, keyword, at, &mut frames.declared)?,
            "frameRate" => frame_rate(lexer, at, &mut rate)?,
            "hierarchy" if hierarchy.is_some() => return again(),
            "hierarchy" => hierarchy = Some((hierarchy_block(lexer, num_joints)?, at)),
            "bounds" if bounds.is_some() => return again(),
            "bounds" => bounds = Some(bounds_block(lexer, num_frames)?),
            "baseframe" if baseframe.is_some() => return again(),
            "baseframe" => baseframe = Some((baseframe_block(lexer, num_joints)?, lexer.span_from(at.start as usize))),
            _ => {
                let mark = (lexer.warnings.mark(), frames.components.len());
                frames.reserve(lexer, num_frames);
                match frames.read(lexer, at.start as usize) {
                    Ok(()) => frames.read_side_by_side(lexer, num_frames, &pieces),
                    Err(_) if complete => {
                        lexer.warnings.rewind(mark.0);
                        frames.components.truncate(mark.1);
                        trailing_text(lexer, start);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }
    if sections.none_met() {
        return Err(sections.unknown(lexer));
    }
    let Some((hierarchy, hierarchy_at)) = hierarchy else { return Err(sections.missing_block("hierarchy", lexer)) };
    if hierarchy.is_empty() {
        return Err(Error { kind: ErrorKind::NoJoints, span: hierarchy_at });
    }
    if frames.heads.is_empty() {
        let span = num_frames.map_or_else(|| lexer.end_point(), |count| count.span);
        return Err(Error { kind: ErrorKind::NoFrames, span });
    }
    let num_animated_components = frames.components_per_frame(lexer, &sections, &hierarchy)?;
    frames.sort(lexer);
    check_hierarchy(lexer, &hierarchy, num_animated_components.value)?;
    let baseframe = match baseframe {
        Some((poses, span)) => fit_baseframe(lexer, poses, span, &hierarchy)?,
        None => {
            let at = sections.missing("baseframe", lexer);
            fit_baseframe(lexer, Vec::new(), at, &hierarchy)?
        }
    };
    let num_joints = sections.count_or("numJoints", num_joints, hierarchy.len(), lexer);
    let num_frames = sections.count_or("numFrames", num_frames, frames.heads.len(), lexer);
    let bounds = match bounds {
        Some(bounds) => {
            if bounds.len() != frames.heads.len() {
                let kind = WarningKind::BoundsCount { found: bounds.len(), frames: frames.heads.len() };
                lexer.warnings.push(kind, sections.met("bounds"));
            }
            bounds
        }
        None => {
            sections.missing("bounds", lexer);
            Vec::new()
        }
    };
    let (frame_rate, frame_rate_span) = sections.rate_or_default(rate, lexer);
    let (version, command_line) = sections.finish(lexer);
    Ok(AnimFile {
        version,
        command_line,
        num_frames,
        num_joints,
        frame_rate,
        frame_rate_span,
        num_animated_components,
        hierarchy,
        bounds,
        baseframe,
        frames: frames.heads,
        components: frames.components,
    })
}

// hierarchy ::= 'hierarchy' '{' { channel } '}'
fn hierarchy_block<'a>(lexer: &mut Lexer<'a>, declared: Option<Int>) -> Result<Vec<Channel<'a>>, Error> {
    lexer.require(b'{', "'{'")?;
    let mut hierarchy = Vec::with_capacity(capacity(lexer, declared));
    while !lexer.eat(b'}') {
        if begins_block(lexer, &["bounds", "baseframe"]) {
            missing_brace(lexer, "hierarchy");
            break;
        }
        hierarchy.push(channel(lexer)?);
    }
    Ok(hierarchy)
}

// channel ::= text int int int
fn channel<'a>(lexer: &mut Lexer<'a>) -> Result<Channel<'a>, Error> {
    let name = lexer.text("a joint's name or '}'")?;
    let start = name.span.start as usize;
    let parent = lexer.int("the index of the joint's parent")?;
    let flags = lexer.int("the joint's flags")?;
    let first_component = lexer.int("the index of the joint's first component")?;
    Ok(Channel { name, parent, flags, first_component, span: lexer.span_from(start) })
}

// bounds ::= 'bounds' '{' { vector3 vector3 } '}'
fn bounds_block(lexer: &mut Lexer<'_>, declared: Option<Int>) -> Result<Vec<Bounds>, Error> {
    records(lexer, "bounds", &KEYWORDS, declared, |lexer| {
        let start = lexer.offset();
        Ok(Bounds { min: lexer.vector()?, max: lexer.vector()?, span: lexer.span_from(start) })
    })
}

// baseframe ::= 'baseframe' '{' { vector3 vector3 } '}'
fn baseframe_block(lexer: &mut Lexer<'_>, declared: Option<Int>) -> Result<Vec<JointPose>, Error> {
    records(lexer, "baseframe", &KEYWORDS, declared, |lexer| {
        let start = lexer.offset();
        Ok(JointPose { position: lexer.vector()?, rotation: lexer.vector()?, span: lexer.span_from(start) })
    })
}

fn check_hierarchy(lexer: &mut Lexer<'_>, hierarchy: &[Channel<'_>], width: i64) -> Result<(), Error> {
    for channel in hierarchy {
        if let Some(error) = parent_out_of_range(&channel.name, channel.parent, hierarchy.len()) {
            return Err(error);
        }
        if channel.flags.value & !ALL_FLAGS != 0 {
            lexer.warnings.push(WarningKind::UnknownFlags { flags: channel.flags.value }, channel.flags.span);
        }
        let first = channel.first_component.value;
        let span = channel.first_component.span;
        match stored(channel) {
            0 if width > 0 && !(0..width).contains(&first) => {
                lexer.warnings.push(WarningKind::UnusedFirstComponent { first, components: width }, span);
            }
            count if count > 0 && (first < 0 || first + i64::from(count) > width) => {
                lexer.warnings.push(WarningKind::ComponentsOutOfRange { first, count, components: width }, span);
            }
            _ => {}
        }
    }
    Ok(())
}

/// One pose per joint: a surplus is dropped, and what is missing added where every frame replaces it entirely.
fn fit_baseframe(
    lexer: &mut Lexer<'_>,
    mut poses: Vec<JointPose>,
    span: Span,
    hierarchy: &[Channel<'_>],
) -> Result<Vec<JointPose>, Error> {
    let (found, joints) = (poses.len(), hierarchy.len());
    if found > joints {
        lexer.warnings.push(WarningKind::LongBaseframe { found, joints }, span);
        poses.truncate(joints);
    } else if found < joints {
        let end = Span { start: span.end.saturating_sub(1).max(span.start), end: span.end };
        if hierarchy.iter().skip(found).any(|channel| channel.flags.value & ALL_FLAGS != ALL_FLAGS) {
            return Err(Error { kind: ErrorKind::ShortBaseframe { found, joints }, span: end });
        }
        lexer.warnings.push(WarningKind::ShortBaseframe { found, joints }, end);
        poses.resize(joints, JointPose { position: [0.0; 3], rotation: [0.0; 3], span: end });
    }
    Ok(poses)
}
