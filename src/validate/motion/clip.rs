//! Joints of a clip frame by frame, from any file format.

use super::{MotionCurve, MotionFindings, MotionReport};
use crate::checks::can_follow;
use crate::codes::Rule;
use crate::finding::Added;
use bindpose_core::budget::{Budget, Held};
use bindpose_core::import::md5::rows::{Rows, transform_of};
use bindpose_core::import::md5::{RootTranslation, played_rate};
use bindpose_core::model::{Clip, JointId, Model, Transform, bounds_of};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{AnimFile, Channel};
use glam::DVec3;

/// Smallest number of frames per second at which clips with keys are checked: between keys a second apart, nothing
/// flips.
const SLOWEST: f64 = 15.0;
/// Frames per second of a clip whose keys have no common interval.
const USUAL_RATE: f64 = 30.0;

/// Location of a clip in its file.
#[derive(Clone, Copy)]
pub enum ClipLocation<'a> {
    /// A file with one clip, with a position for each frame.
    Frames(&'a AnimFile<'a>),
    /// One of several clips of a file.
    Whole(Span),
}

/// A clip's joints in local and model space.
pub struct Motion<'a> {
    /// Name of the clip.
    pub clip: &'a str,
    location: ClipLocation<'a>,
    names: Vec<String>,
    /// Parent of each joint, if it comes before the joint.
    parents: Vec<Option<usize>>,
    /// Local transforms of all joints, frame by frame.
    locals: Vec<Transform>,
    /// Positions of all joints in model space, frame by frame.
    positions: Vec<DVec3>,
    /// Joint that moves the model.
    pub root: usize,
    /// Diagonal of the joints' bounding box in frame 0.
    pub size: f64,
    /// Frames per second.
    pub rate: f64,
    /// Memory of the transforms and positions.
    held: Option<Held<'a>>,
}

impl<'a> Motion<'a> {
    /// Reads the frames of an MD5 clip. `None` if they are too many, which is reported, or if all joints are at one
    /// position.
    pub fn of_anim(
        file: &'a AnimFile<'a>,
        clip: &'a str,
        budget: &'a Budget,
        out: &mut MotionFindings,
    ) -> Option<Self> {
        let rows = Rows::new(file, RootTranslation::File);
        let names = file.hierarchy.iter().map(|channel| channel.name.to_name()).collect();
        let mut motion = Self::new(clip, ClipLocation::Frames(file), names, played_rate(file.frame_rate));
        let parent = |(joint, channel): (usize, &Channel)| {
            usize::try_from(channel.parent.value).ok().filter(|&parent| parent < joint)
        };
        motion.parents = file.hierarchy.iter().enumerate().map(parent).collect();
        if !motion.fits(rows.frame_count(), file.num_frames.span, budget, out) {
            return None;
        }
        for frame in 0..rows.frame_count() {
            let mut placed: Vec<Transform> = Vec::with_capacity(motion.names.len());
            for (parent, local) in motion.parents.iter().zip(rows.frame(frame).map(transform_of)) {
                motion.locals.push(local);
                placed.push(parent.and_then(|parent| placed.get(parent)).map_or(local, |parent| {
                    let position = parent.translation + parent.rotation * local.translation;
                    Transform::from_rotation_translation(parent.rotation * local.rotation, position)
                }));
            }
            motion.positions.extend(placed.iter().map(|joint| joint.translation));
        }
        motion.measured()
    }

    /// Samples the frames of a clip with keys. Returns `None` as in [`Self::of_anim`].
    pub fn of_clip(
        model: &Model,
        clip: &'a Clip,
        span: Span,
        budget: &'a Budget,
        out: &mut MotionFindings,
    ) -> Option<Self> {
        let names = model.skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
        let keys = clip.frame_rate.unwrap_or(USUAL_RATE);
        let rate = keys * (SLOWEST / keys).ceil().max(1.0);
        let frames = (clip.duration * rate).round() as usize + 1;
        let mut motion = Self::new(&clip.name, ClipLocation::Whole(span), names, rate);
        motion.parents = model.skeleton.joints().iter().map(|joint| joint.parent.map(JointId::index)).collect();
        if !motion.fits(frames, span, budget, out) {
            return None;
        }
        let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
        for frame in 0..frames {
            sample(&model.skeleton, clip, frame as f64 / rate, &mut local);
            local_to_model(&model.skeleton, &local, &mut posed);
            motion.positions.extend(posed.0.iter().map(|joint| joint.translation));
            motion.locals.extend_from_slice(&local.0);
        }
        // Nodes above the first moving joint only contain axes and units.
        let moves = |&joint: &usize| {
            let at = |frame: usize| motion.local(frame, joint).translation;
            motion.parents.contains(&Some(joint))
                && (1..frames).any(|frame| at(frame).distance(at(0)) > 1e-6 * at(0).length())
        };
        motion.root = motion.joints().find(moves).unwrap_or(0);
        motion.measured()
    }

    fn new(clip: &'a str, location: ClipLocation<'a>, names: Vec<String>, rate: f64) -> Self {
        Self {
            clip,
            location,
            names,
            parents: Vec::new(),
            locals: Vec::new(),
            positions: Vec::new(),
            root: 0,
            size: 0.0,
            rate,
            held: None,
        }
    }

    fn fits(&mut self, frames: usize, span: Span, budget: &'a Budget, out: &mut MotionFindings) -> bool {
        let (joints, times) = ((self.names.len() as u64, "joints"), (frames as u64, "frames"));
        let bytes = size_of::<Transform>() + size_of::<DVec3>();
        let fits = can_follow(budget, joints, times, bytes, span, "their movement is", &mut out.findings);
        if fits {
            self.held = Some(budget.hold(joints.0 * times.0 * bytes as u64));
            // Each in one allocation, which the system gets back at once.
            self.locals.reserve_exact(frames * self.names.len());
            self.positions.reserve_exact(frames * self.names.len());
        }
        fits
    }

    fn measured(mut self) -> Option<Self> {
        let first = self.positions.get(self.joints())?;
        let (min, max) = bounds_of(first.iter().copied())?;
        self.size = min.distance(max);
        (self.frames() > 1 && self.size > 0.0 && self.size.is_finite()).then_some(self)
    }

    pub fn frames(&self) -> usize {
        self.positions.len() / self.names.len().max(1)
    }

    pub fn joints(&self) -> std::ops::Range<usize> {
        0..self.names.len()
    }

    pub fn name(&self, joint: usize) -> &str {
        self.names.get(joint).map_or("", String::as_str)
    }

    /// Ancestors of a joint, nearest first.
    pub fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parents[joint], |&parent| self.parents[parent])
    }

    pub fn position(&self, frame: usize, joint: usize) -> DVec3 {
        self.positions[frame * self.names.len() + joint]
    }

    pub fn local(&self, frame: usize, joint: usize) -> Transform {
        self.locals[frame * self.names.len() + joint]
    }

    /// Returns the position of a joint relative to the root, so that the root's travel does not count as a seam.
    pub fn relative_to_root(&self, frame: usize, joint: usize) -> DVec3 {
        self.position(frame, joint) - self.position(frame, self.root)
    }

    /// Returns the movement of the root from the first to the last frame.
    pub fn travel(&self) -> DVec3 {
        self.position(self.frames() - 1, self.root) - self.position(0, self.root)
    }

    /// Adds a finding about a joint in a frame, or about the whole clip. The first one of its rule gets a curve.
    /// `message` gets the joint's name.
    pub fn report(
        &self,
        rule: Rule,
        at: Option<(usize, usize)>,
        message: impl FnOnce(&str) -> String,
        curve: impl FnOnce() -> Option<MotionCurve>,
        out: &mut MotionFindings,
    ) {
        let name = at.map_or("", |(_, joint)| self.name(joint));
        let (span, clip) = match (self.location, at) {
            (ClipLocation::Whole(span), _) => (span, format!("clip '{}': ", self.clip)),
            (ClipLocation::Frames(file), None) => (file.num_frames.span, String::new()),
            (ClipLocation::Frames(file), Some((frame, _))) => {
                (file.frames.get(frame).map_or(file.num_frames.span, |frame| frame.number.span), String::new())
            }
        };
        let path = at.map_or_else(String::new, |(frame, joint)| format!("frame[{frame}].joint[{joint}]"));
        let Added(Some(finding)) = out.findings.add_at(rule, span, path, || clip + &message(name)) else { return };
        let (code, message) = (finding.code, finding.message.clone());
        out.reports.push(MotionReport { code, clip: self.clip.to_owned(), message, curve: curve() });
    }
}
