//! `.md5anim` (docs/formats/md5.md "The animation file").

use super::frames::{ALL_FLAGS, FrameList, stored};
use super::{Blocks, Sections, count, entries, frame_rate, full, only_once, open, parent_out_of_range, records};
use crate::Span;
use crate::md5::error::{Error, ErrorKind, FileKind};
use crate::md5::lex::Lexer;
use crate::md5::warning::{Parsed, Warning, WarningKind};
use crate::md5::{AnimFile, Bounds, Channel, Int, JointPose};

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
/// The document has at least one joint and one frame. Every parent is below `hierarchy.len()` or negative. `baseframe`
/// has one pose per joint, and every frame has `num_animated_components.value` components. All numbers are finite in
/// f32. The order of joints and cycles among them are not checked, as in [`parse_mesh`](super::parse_mesh). A joint's
/// components can reach outside the frame (with a warning). Missing components keep the base frame's value. `bounds`
/// can be shorter or longer than `frames`.
///
/// # Errors
/// The first defect that cannot be repaired without guessing.
pub fn parse_anim(bytes: &[u8]) -> Result<Parsed<AnimFile<'_>>, Error> {
    let (document, warnings) = read_anim(bytes);
    Ok(Parsed { document: document?, warnings })
}

/// Reads as [`parse_anim`] does. An error comes with the warnings before it.
pub fn read_anim(bytes: &[u8]) -> (Result<AnimFile<'_>, Error>, Vec<Warning>) {
    match open(bytes) {
        Ok(mut lexer) => (anim_file(&mut lexer), lexer.warnings.finish()),
        Err(error) => (Err(error), Vec::new()),
    }
}

/// Reads the hierarchy of a `.md5anim`, even if the file is damaged after it. `None` if it cannot be read.
pub fn parse_hierarchy(bytes: &[u8]) -> Option<Vec<Channel<'_>>> {
    let mut lexer = open(bytes).ok()?;
    let mut blocks = AnimBlocks::default();
    // What was read before a defect remains.
    let _ = Sections::new(FileKind::Anim, KEYWORDS).collect(&mut lexer, &mut blocks);
    blocks.hierarchy.map(|(hierarchy, _)| hierarchy)
}

#[derive(Default)]
struct AnimBlocks<'a> {
    num_frames: Option<Int>,
    num_joints: Option<Int>,
    rate: Option<(f64, Span)>,
    /// Hierarchy, with the span of its keyword.
    hierarchy: Option<(Vec<Channel<'a>>, Span)>,
    bounds: Option<Vec<Bounds>>,
    /// Base frame, with the span of its block.
    baseframe: Option<(Vec<JointPose>, Span)>,
    frames: FrameList,
}

impl<'a> Blocks<'a> for AnimBlocks<'a> {
    const SURPLUS: Option<&'static str> = Some("frame");

    fn complete(&self) -> bool {
        let found = self.frames.heads.len();
        let enough = full(self.num_frames, found) || self.num_frames.is_none() && found > 0;
        enough && self.hierarchy.is_some() && self.baseframe.is_some()
    }

    fn section(&mut self, lexer: &mut Lexer<'a>, keyword: &'static str, at: Span) -> Result<(), Error> {
        match keyword {
            "numFrames" => count(lexer, keyword, at, &mut self.num_frames)?,
            "numJoints" => count(lexer, keyword, at, &mut self.num_joints)?,
            "numAnimatedComponents" => count(lexer, keyword, at, &mut self.frames.declared)?,
            "frameRate" => frame_rate(lexer, at, &mut self.rate)?,
            "hierarchy" => {
                only_once(self.hierarchy.is_some(), keyword, at)?;
                let joints = entries(lexer, keyword, "joints", &["bounds", "baseframe"], self.num_joints, channel)?;
                self.hierarchy = Some((joints, at));
            }
            "bounds" => {
                only_once(self.bounds.is_some(), keyword, at)?;
                self.bounds = Some(bounds_block(lexer, self.num_frames)?);
            }
            "baseframe" => {
                only_once(self.baseframe.is_some(), keyword, at)?;
                let poses = baseframe_block(lexer, self.num_joints)?;
                self.baseframe = Some((poses, lexer.span_from(at.start as usize)));
            }
            _ => {
                self.frames.reserve(lexer, self.num_frames);
                let found = self.frames.heads.len();
                let read = self.frames.read(lexer, at.start as usize);
                read.map_err(|error| lexer.ends_in_list(error, "frames", self.num_frames, found))?;
            }
        }
        Ok(())
    }
}

// file ::= 'MD5Version' int 'commandline' text 'numFrames' int 'numJoints' int 'frameRate' number
//          'numAnimatedComponents' int hierarchy bounds baseframe { frame }
fn anim_file<'a>(lexer: &mut Lexer<'a>) -> Result<AnimFile<'a>, Error> {
    let mut sections = Sections::new(FileKind::Anim, KEYWORDS);
    let mut blocks = AnimBlocks::default();
    sections.collect(lexer, &mut blocks)?;
    let AnimBlocks { num_frames, num_joints, rate, hierarchy, bounds, baseframe, mut frames } = blocks;
    let Some((hierarchy, hierarchy_at)) = hierarchy else { return Err(sections.missing_block("hierarchy", lexer)) };
    if hierarchy.is_empty() {
        return Err(Error { kind: ErrorKind::NoJoints, span: hierarchy_at });
    }
    if frames.heads.is_empty() {
        if num_frames.is_some_and(|count| count.value > 0) {
            let error = lexer.unexpected_end("'frame'".into());
            return Err(lexer.ends_in_list(error, "frames", num_frames, 0));
        }
        let span = num_frames.map_or_else(|| lexer.end_point(), |count| count.span);
        return Err(Error { kind: ErrorKind::NoFrames, span });
    }
    let num_animated_components = frames.components_per_frame(lexer, &sections, &hierarchy)?;
    frames.sort(lexer);
    let num_joints = sections.count_or("numJoints", num_joints, hierarchy.len(), lexer);
    check_hierarchy(lexer, &hierarchy, num_animated_components.value)?;
    let (poses, span) = baseframe.unwrap_or_else(|| (Vec::new(), sections.missing("baseframe", lexer)));
    let baseframe = fit_baseframe(lexer, poses, span, &hierarchy)?;
    let is_cut = bounds.as_ref().is_some_and(|bounds| frames.warn_if_cut(lexer, num_frames, bounds.len()));
    let num_frames = match num_frames {
        Some(count) if is_cut => count,
        count => sections.count_or("numFrames", count, frames.heads.len(), lexer),
    };
    let bounds = match bounds {
        Some(bounds) => {
            if bounds.len() != frames.heads.len() && !is_cut {
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
    pairs_of_vectors(lexer, "bounds", declared, |[min, max], span| Bounds { min, max, span })
}

// baseframe ::= 'baseframe' '{' { vector3 vector3 } '}'
fn baseframe_block(lexer: &mut Lexer<'_>, declared: Option<Int>) -> Result<Vec<JointPose>, Error> {
    pairs_of_vectors(lexer, "baseframe", declared, |[position, rotation], span| JointPose { position, rotation, span })
}

/// Reads a block with two vectors in each row. If it breaks off after a row that has one vector while the first row has
/// two, that row is at fault: from there on, the second vectors were those of the next rows.
fn pairs_of_vectors<T>(
    lexer: &mut Lexer<'_>,
    block: &'static str,
    declared: Option<Int>,
    record: impl Fn([[f64; 3]; 2], Span) -> T,
) -> Result<Vec<T>, Error> {
    let mut rows = 0;
    let mut short_row = None;
    let read = records(lexer, block, &KEYWORDS, declared, |lexer| {
        let start = lexer.offset();
        let first = lexer.vector()?;
        let end = lexer.offset();
        let second = lexer.vector()?;
        let between = lexer.whole().get(end..).unwrap_or_default().split(|&byte| byte == b'(').next();
        if rows > 0 && between.is_some_and(|between| between.contains(&b'\n')) {
            short_row.get_or_insert(Span::new(end, end));
        }
        rows += 1;
        Ok(record([first, second], lexer.span_from(start)))
    });
    read.map_err(|error| match short_row.filter(|_| !matches!(error.kind, ErrorKind::UnexpectedEnd { .. })) {
        Some(span) => {
            Error { kind: ErrorKind::UnexpectedLineEnd { expected: "'('".into(), next: "(".to_owned() }, span }
        }
        None => error,
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

/// Cuts or fills `poses` to one per joint. Fills only where every frame replaces the whole pose.
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
