//! Results of a comparison, and their text.

use super::times::FrameRef;
use bindpose_core::diagnostic::Escaped;
use glob::Pattern;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

/// Largest deviations that are accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Positions of joints and vertices, as a share of [`crate::Snapshot::size`].
    pub position: f64,
    /// Rotations of joints, and normals and tangents, in degrees.
    pub angle: f64,
    /// Scale and shear, absolute.
    pub stretch: f64,
}

impl Tolerance {
    /// Smallest tolerance that a snapshot's grid resolves: four steps.
    pub const LEAST: Self = Self { position: 2e-9, angle: 4e-7, stretch: 2e-9 };
    const NONE: Self = Self { position: 0.0, angle: 0.0, stretch: 0.0 };
}

impl Default for Tolerance {
    /// Returns values far above the rounding of f64 (1e-13) and far below the sixth decimal of a file.
    fn default() -> Self {
        Self { position: 1e-8, angle: 1e-6, stretch: 1e-8 }
    }
}

/// Cases in which a difference within the tolerance counts as a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exact {
    /// Never: the tolerance always holds.
    Never,
    /// If the input files differ. The tolerance is then for our own arithmetic, not for edits.
    #[default]
    Edits,
    /// Always.
    Always,
}

/// Settings of a comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Check {
    /// Largest deviations that are accepted.
    pub tolerance: Tolerance,
    /// Cases in which the tolerance does not apply.
    pub exact: Exact,
    /// Tolerances of single joints and clips. Edits within them pass. Later rules override earlier ones.
    pub rules: Vec<ToleranceRule>,
}

/// A tolerance for some joints and clips.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToleranceRule {
    /// Names of clips, with `*` and `?`; `None` for all clips and the rest pose.
    pub clip: Option<Pattern>,
    /// Names of joints, with `*` and `?`; `None` for all joints and the vertices.
    pub joint: Option<Pattern>,
    /// Overrides [`Tolerance::position`].
    pub position: Option<f64>,
    /// Overrides [`Tolerance::angle`].
    pub angle: Option<f64>,
    /// Overrides [`Tolerance::stretch`].
    pub stretch: Option<f64>,
}

impl ToleranceRule {
    pub(crate) fn applies_to(&self, clip: Option<&str>, joint: Option<&str>) -> bool {
        let fits = |pattern: &Option<Pattern>, name: Option<&str>| {
            pattern.as_ref().is_none_or(|pattern| name.is_some_and(|name| pattern.matches(name)))
        };
        fits(&self.clip, clip) && fits(&self.joint, joint)
    }

    pub(crate) fn apply(&self, to: &mut Tolerance) {
        let Self { position, angle, stretch, .. } = self;
        to.position = position.unwrap_or(to.position);
        to.angle = angle.unwrap_or(to.angle);
        to.stretch = stretch.unwrap_or(to.stretch);
    }
}

/// Stages from a file to vertices, in order. The first one that differs is the cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedStage {
    /// Materials, meshes, clips, frames, and their names.
    Document,
    /// Joints, their order, names and parents, and the rest pose.
    Skeleton,
    /// Triangles, texture coordinates, weights and offsets, bind-space normals.
    Mesh,
    /// Each joint in its parent's space: results of decoding and sampling.
    Local,
    /// Each joint in model space: results of the product along the hierarchy.
    ModelPose,
    /// Skinned positions, normals and tangents.
    Vertices,
    /// Numbers that the file has for each frame and that move nothing: boxes, and a camera's field of view.
    Numbers,
}

impl fmt::Display for ComparedStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ComparedStage::Document => "document",
            ComparedStage::Skeleton => "skeleton",
            ComparedStage::Mesh => "mesh",
            ComparedStage::Local => "local",
            ComparedStage::ModelPose => "model-pose",
            ComparedStage::Vertices => "vertices",
            ComparedStage::Numbers => "numbers",
        })
    }
}

/// Deviation of a joint relative to its parent, of the vertices of two samples, or of a number of the file.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PoseDeviation {
    /// Distance in model units, in model space.
    pub position: f64,
    /// Distance as a share of the model's size.
    pub share: f64,
    /// Angle in degrees.
    pub angle: f64,
    /// Largest difference of a component of scale or shear.
    pub stretch: f64,
}

impl PoseDeviation {
    pub(crate) fn exceeds(&self, tolerance: &Tolerance) -> bool {
        self.share > tolerance.position || self.angle > tolerance.angle || self.stretch > tolerance.stretch
    }

    /// Orders by distance if it exceeds the tolerance, then by the component that exceeds its tolerance by the largest
    /// factor.
    pub(crate) fn compare_badness(&self, other: &Self, tolerance: &Tolerance) -> Ordering {
        let distance = |of: &Self| if of.share > tolerance.position { of.share } else { 0.0 };
        let times = |of: &Self| {
            (of.share / tolerance.position).max(of.angle / tolerance.angle).max(of.stretch / tolerance.stretch)
        };
        distance(self).total_cmp(&distance(other)).then(times(self).total_cmp(&times(other)))
    }
}

/// A frame that differs, and the joint, mesh or number that shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occurrence {
    /// The frame. As JSON, a number: 7, or 7.375 for a time between the frames 7 and 8.
    pub frame: FrameRef,
    /// Seconds from the clip's start.
    pub time: f64,
    /// The joint, mesh or number.
    #[serde(flatten)]
    pub part: Affected,
    /// Its deviation.
    #[serde(flatten)]
    pub deviation: PoseDeviation,
}

/// A joint, a mesh, or a number of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Affected {
    /// A joint, by name.
    Joint(String),
    /// A mesh, by name.
    Mesh(String),
    /// A number that the file has for each frame, by name, such as `bounds min x`.
    Number(String),
}

/// Consecutive frames that differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrameRange {
    /// The first frame.
    pub first: FrameRef,
    /// The last frame.
    pub last: FrameRef,
    /// Every joint, mesh or number whose own data changed, in the frame with its largest deviation.
    pub parts: Vec<Occurrence>,
    /// Number of joints that moved only because joints above them did.
    pub followers: usize,
}

/// One difference between two snapshots.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The first stage that shows it.
    pub stage: ComparedStage,
    /// The clip's present name; `None` for structure and the rest pose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// The clip's recorded name, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Description: lower case, no full stop.
    pub message: String,
    /// The first frame, and its first joint or mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Occurrence>,
    /// The worst frame, and its worst joint or mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Occurrence>,
    /// Every frame with this difference, and the worst part of each.
    #[serde(skip)]
    pub frames: Vec<Occurrence>,
    /// The same frames as ranges, with all their parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<FrameRange>,
}

/// Largest number of lines about one difference, unless all are asked for.
const MOST_LINES: usize = 10;

impl Difference {
    /// Creates a difference that is not in a frame.
    pub(crate) fn of_structure(stage: ComparedStage, clip: Option<&str>, message: String) -> Self {
        let clip = clip.map(str::to_owned);
        Self { stage, clip, was: None, message, first: None, worst: None, frames: Vec::new(), ranges: Vec::new() }
    }

    /// Returns the mesh whose own numbers changed its vertices.
    fn changed_mesh(&self) -> Option<&str> {
        match &self.first.as_ref()?.part {
            Affected::Mesh(name) if self.stage == ComparedStage::Mesh => Some(name),
            _ => None,
        }
    }
}

/// Changes of the files that a model is read from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InputChange {
    /// True if both snapshots list their files.
    pub known: bool,
    /// Files with other bytes.
    pub changed: Vec<String>,
    /// Files with the same bytes under another name: the present name and the recorded one.
    pub renamed: Vec<(String, String)>,
    /// Files that only the present model was read from.
    pub added: Vec<String>,
    /// Files that only the recorded model was read from.
    pub removed: Vec<String>,
}

impl InputChange {
    /// True if no file is known to have other bytes.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// Result of comparing two snapshots.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Comparison {
    /// Changes of the input files.
    pub inputs: InputChange,
    /// Differences, ordered by stage.
    pub differences: Vec<Difference>,
    /// Differences within the tolerance.
    pub within_tolerance: Vec<Difference>,
    /// Changes without effect on frames, such as a different order of vertices.
    pub notes: Vec<String>,
}

impl Comparison {
    /// True if there is no difference beyond the tolerance.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// Returns the names of clips that differ, in the order of their differences.
    pub fn clips(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.differences.iter().filter_map(|difference| difference.clip.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the earliest stage that differs.
    pub fn first_bad_stage(&self) -> Option<ComparedStage> {
        self.differences.first().map(|difference| difference.stage)
    }

    pub(crate) fn push(&mut self, stage: ComparedStage, clip: Option<&str>, message: String) {
        self.differences.push(Difference::of_structure(stage, clip, message));
    }

    /// Adds a different order of the same content: a note, or a difference if `exact`.
    pub(crate) fn push_order(&mut self, message: String, exact: bool) {
        if exact { self.push(ComparedStage::Mesh, None, message) } else { self.notes.push(message) }
    }

    /// Writes the differences. A changed mesh is described once, with its worst clip.
    fn write_differences(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_rest = self.differences.iter().find(|found| found.clip.is_none() && found.changed_mesh().is_some());
        let is_repeated = |found: &&Difference| {
            found.clip.is_some() && at_rest.is_some_and(|at_rest| at_rest.changed_mesh() == found.changed_mesh())
        };
        for difference in self.differences.iter().filter(|found| !is_repeated(found)) {
            fmt::Display::fmt(difference, f)?;
            if at_rest.is_none_or(|at_rest| !std::ptr::eq(at_rest, difference)) {
                continue;
            }
            let (mut worst, mut count): (Option<(&str, &Occurrence)>, usize) = (None, 0);
            for found in self.differences.iter().filter(is_repeated) {
                count += 1;
                let clip = found.clip.as_deref().zip(found.worst.as_ref());
                if clip.is_some_and(|(_, of_clip)| {
                    worst.is_none_or(|(_, worst)| of_clip.deviation.share > worst.deviation.share)
                }) {
                    worst = clip;
                }
            }
            let noun = if count == 1 { "clip" } else { "clips" };
            if let Some((clip, worst)) = worst {
                writeln!(f, "  also in {count} {noun}; worst in '{clip}': {worst}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    /// Writes lines ordered by stage, each with a line feed, at most ten for each clip; with `{:#}`, all of them. Writes
    /// nothing if there is nothing to report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_exact = self.is_same() && self.within_tolerance.is_empty();
        match () {
            () if !self.inputs.is_empty() || !self.inputs.renamed.is_empty() && self.is_same() => {
                let frames = if is_exact { ": every frame is the same" } else { "" };
                let fate = if self.inputs.is_empty() { "the files are the same" } else { "the file changed" };
                writeln!(f, "{fate} ({}){frames}", self.inputs)?;
            }
            () if self.is_same() => {}
            () if self.inputs.known => writeln!(f, "the files are the same: our reading changed")?,
            () => writeln!(f, "no input files are recorded: either a file or our reading changed")?,
        }
        if let Some(stage) = self.first_bad_stage() {
            writeln!(f, "first bad stage: {stage}")?;
        }
        self.write_differences(f)?;
        if let Some(first) = self.within_tolerance.first() {
            let more = match self.within_tolerance.len() - 1 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            writeln!(f, "differs within the tolerance{more}:")?;
            fmt::Display::fmt(first, f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

impl fmt::Display for InputChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("other bytes", &self.changed), ("new", &self.added), ("gone", &self.removed)];
        let named = parts.iter().filter(|(_, names)| !names.is_empty());
        let mut texts: Vec<String> = named.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect();
        texts.extend(self.renamed.iter().map(|(is, was)| format!("{is} was {was}")));
        write!(f, "{}", Escaped(texts.join("; ")))
    }
}

impl fmt::Display for Difference {
    /// Writes a line, and below it one for each part of each range of frames: at most ten, with `{:#}` all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clip = self.clip.as_ref().map(|clip| format!("clip '{clip}': ")).unwrap_or_default();
        writeln!(f, "{clip}{} [{}]", self.message, self.stage)?;
        let lines = self.ranges.iter().flat_map(|range| range.parts.iter().map(move |part| (range, part)));
        let most = if f.alternate() { usize::MAX } else { MOST_LINES };
        for (range, part) in lines.clone().take(most) {
            let several = format!("frames {} to {}, most in ", range.first.number, range.last.number);
            write!(f, "  {}{part}", if range.first == range.last { "" } else { &several })?;
            let is_last = range.parts.last().is_some_and(|last| std::ptr::eq(last, part));
            match range.followers {
                1 if is_last => writeln!(f, "; 1 joint below moved with it")?,
                followers @ 2.. if is_last => writeln!(f, "; {followers} joints below moved with it")?,
                _ => writeln!(f)?,
            }
        }
        let left = lines.clone().skip(most).count();
        let Some(worst) = self.worst.as_ref().filter(|_| left > 0) else { return Ok(()) };
        let is_shown = lines.take(most).any(|(_, part)| part == worst);
        let worst = if is_shown { String::new() } else { format!("; the worst is {worst}") };
        writeln!(f, "  and {left} more lines{worst}")
    }
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, about, turned) = match &self.part {
            Affected::Joint(name) => (format!("joint '{name}'"), "", "turned"),
            Affected::Mesh(name) => (format!("mesh '{name}'"), "about ", "normals turned"),
            Affected::Number(name) => (name.clone(), "", ""),
        };
        write!(f, "{} ({:.6} s), {part}: ", self.frame, self.time)?;
        let PoseDeviation { position, share, angle, stretch } = self.deviation;
        if position == 0.0 && angle == 0.0 && stretch == 0.0 {
            return write!(f, "off by less than {} of the model's size", short(Tolerance::LEAST.position));
        }
        if turned.is_empty() {
            return write!(f, "off by {}", short(position));
        }
        let moved = format!("{about}{} units off ({} of the model's size)", short(position), short(share));
        let turned = format!("{turned} by {about}{} degrees", short(angle));
        let stretched = format!("stretched by {}", short(stretch));
        // Noise is only shown if there is nothing else.
        let least = if self.deviation.exceeds(&Tolerance::LEAST) { Tolerance::LEAST } else { Tolerance::NONE };
        let parts =
            [(moved, share > least.position), (turned, angle > least.angle), (stretched, stretch > least.stretch)];
        let shown: Vec<String> = parts.into_iter().filter(|(_, is_shown)| *is_shown).map(|(text, _)| text).collect();
        f.write_str(&shown.join(", "))
    }
}

/// Formats a number with four significant digits.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let decimals = (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [(0.0, "0"), (1.25, "1.25"), (123.456, "123.5"), (98765.4, "98765"), (0.0012345678, "0.001235")];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(1.234e-7), "1.23e-7");
        assert_eq!(short(f64::INFINITY), "inf");
    }
}
