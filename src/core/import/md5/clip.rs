//! Conversion of `.md5anim` to a clip for a skeleton, or to a skeleton of its own.

use super::mesh::ImportedMesh;
use super::rows::{RootTranslation, Rows, quaternion_of, rotation, transform_of, translation_of};
use crate::budget::{Budget, grouped, product};
use crate::import::error::{ImportError, Warning};
use crate::model::{Clip, JointId, JointTracks, Model, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_parsers::md5::{AnimFile, Channel};
use glam::{DAffine3, DQuat, DVec3};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Frames per second if a file's rate is not positive: the default of Doom 3's own exporter.
const DEFAULT_FRAME_RATE: f64 = 24.0;

/// A clip for one skeleton, and its differences from it.
#[derive(Debug)]
pub struct ImportedClip {
    /// The clip. `None` if no joint matches.
    pub clip: Option<Clip>,
    /// Every difference between the clip's hierarchy and the skeleton.
    pub differences: Vec<Difference>,
    /// Repairs and oddities, including one for each difference.
    pub warnings: Vec<Warning>,
    /// Smallest and largest corner of the box of each frame; model space.
    pub frame_boxes: Vec<[DVec3; 2]>,
    /// Flags of the channel of each joint: the components that frames have. 0 without a channel.
    pub flags: Vec<i64>,
}

/// A difference between a clip's hierarchy and the skeleton.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named after their types")]
pub enum Difference {
    /// A channel names no joint of the skeleton. Its keys are ignored.
    OnlyInClip { channel: usize },
    /// A joint has no channel. It keeps its rest pose relative to its parent.
    OnlyInMesh { joint: JointId },
    /// A channel moves a joint of another name, because it has the same position: count and parents are the same. Doom 3
    /// would do this if it did not check names.
    Renamed { channel: usize, joint: JointId },
    /// A channel's parent is not its joint's parent. The joint gets the clip's model-space transform.
    OtherParent { channel: usize, joint: JointId },
    /// Names match, but channel and joint have different indices in their files.
    OtherOrder {
        /// Index of the first channel out of place.
        channel: usize,
    },
    /// Several channels or joints share a name. The first of each counts.
    DuplicateName {
        /// Index of the second channel.
        channel: usize,
    },
}

/// Imports `file` as a clip called `name` for `skeleton`. `joints` are the skeleton's joints in the order of their mesh
/// file.
///
/// Frame `f` is shown at `f / frameRate` seconds, and the clip lasts `(numFrames - 1) / frameRate`
/// (docs/formats/md5.md "Time and looping").
///
/// # Errors
///
/// [`ImportError`]: the joints in all frames need more memory than `budget` has.
pub fn import_clip(
    file: &AnimFile<'_>,
    name: &str,
    skeleton: &Skeleton,
    joints: &[JointId],
    budget: &Budget,
) -> Result<ImportedClip, ImportError> {
    let (joint_of_channel, differences) = match_channels(file, skeleton, joints);
    let frame_boxes = file.bounds.iter().map(|known| [known.min, known.max].map(DVec3::from_array)).collect();
    let mut flags = vec![0; skeleton.len()];
    for (joint, channel) in joint_of_channel.iter().zip(&file.hierarchy) {
        joint.iter().for_each(|joint| flags[joint.index()] = channel.flags.value);
    }
    let mut warnings: Vec<Warning> =
        differences.iter().map(|difference| difference_warning(difference, file, skeleton)).collect();
    if joint_of_channel.iter().all(Option::is_none) {
        let message =
            format!("no joint of the animation is a joint of the mesh ({} to {})", file.hierarchy.len(), joints.len());
        warnings.push(Warning::new("MD5I010", message, file.num_joints.span));
        return Ok(ImportedClip { clip: None, differences, warnings, frame_boxes, flags });
    }
    let rate = frame_rate(file, &mut warnings);
    let rows = Rows::new(file, RootTranslation::File);
    let own_parents = differences.iter().any(|difference| matches!(difference, Difference::OtherParent { .. }));
    spend(&rows, file, skeleton, own_parents, budget)?;
    let decoded = decode(&rows, |channel| !own_parents && joint_of_channel[channel].is_some());
    warnings.extend(long_quaternions(&decoded, file));
    let joints = if own_parents {
        retarget(&rows, file, &joint_of_channel, skeleton)
    } else {
        let mut joints = vec![JointTracks::default(); skeleton.len()];
        for (joint, Decoded { translations, rotations, .. }) in joint_of_channel.iter().zip(decoded) {
            if let Some(joint) = joint {
                joints[joint.index()] = tracks(translations, rotations);
            }
        }
        joints
    };
    let clip = Clip { joints, ..new_clip(name, rate, rows.frame_count()) };
    Ok(ImportedClip { clip: Some(clip), differences, warnings, frame_boxes, flags })
}

/// Charges the keys of all tracks. Any number of channels may use one component of a frame.
fn spend(
    rows: &Rows<'_>,
    file: &AnimFile<'_>,
    skeleton: &Skeleton,
    retargeted: bool,
    budget: &Budget,
) -> Result<(), ImportError> {
    let bytes = if retargeted {
        product([skeleton.len(), rows.frame_count(), size_of::<DVec3>() + size_of::<DQuat>()])
    } else {
        let keys = |channel| {
            let translations = product([rows.translation_keys(channel), size_of::<DVec3>()]);
            translations + product([rows.rotation_keys(channel), size_of::<DQuat>()])
        };
        (0..rows.channel_count()).map(keys).sum()
    };
    let what = || {
        let joints = if retargeted { skeleton.len() } else { rows.channel_count() };
        format!("{} joints in {} frames", grouped(joints), grouped(rows.frame_count()))
    };
    let bytes = bytes + product([skeleton.len(), size_of::<JointTracks>()]);
    budget.spend(bytes, what).map_err(|error| ImportError::new(error, file.num_frames.span))
}

/// Imports an animation without a mesh: its hierarchy becomes the skeleton, its base frame the rest pose.
pub fn import_skeleton(file: &AnimFile<'_>) -> ImportedMesh {
    let mut warnings = Vec::new();
    let mut skeleton = Skeleton::new();
    let mut joints: Vec<JointId> = Vec::with_capacity(file.hierarchy.len());
    for (index, channel) in file.hierarchy.iter().enumerate() {
        let parent = usize::try_from(channel.parent.value).ok();
        let known = parent.and_then(|parent| joints.get(parent).copied());
        if let (Some(parent), None) = (parent, known) {
            let message = format!(
                "joint '{}' ({index}) has parent {parent}, which does not stand before it; it is taken as a root",
                channel.name.to_name()
            );
            warnings.push(Warning::new("MD5I002", message, channel.parent.span));
        }
        let rest_local = file.baseframe.get(index).map_or(Transform::IDENTITY, |pose| {
            Transform::from_rotation_translation(rotation(pose.rotation).0, DVec3::from_array(pose.position))
        });
        joints.push(skeleton.push(channel.name.to_name(), known, rest_local));
    }
    ImportedMesh { model: Model { skeleton, ..Model::default() }, joints, warnings }
}

/// Returns the joint of each channel, and the differences. Matches by name; by position if some names are unknown or
/// shared, but count and parents are the same.
fn match_channels(
    file: &AnimFile<'_>,
    skeleton: &Skeleton,
    joints: &[JointId],
) -> (Vec<Option<JointId>>, Vec<Difference>) {
    let mut by_name: HashMap<&str, JointId> = HashMap::new();
    for &joint in joints {
        by_name.entry(&skeleton[joint].name).or_insert(joint);
    }
    let names: Vec<String> = file.hierarchy.iter().map(|channel| channel.name.to_name()).collect();
    let names_decide = by_name.len() == joints.len() && names.iter().all(|name| by_name.contains_key(name.as_str()));
    let by_position = !names_decide && has_parents_of(file, skeleton, joints);

    let mut differences = Vec::new();
    let mut taken = vec![false; skeleton.len()];
    let mut joint_of_channel: Vec<Option<JointId>> = Vec::with_capacity(names.len());
    for (channel, name) in names.iter().enumerate() {
        let named = by_name.get(name.as_str()).copied();
        let joint = if by_position { Some(joints[channel]) } else { named };
        let free = joint.filter(|joint| !std::mem::replace(&mut taken[joint.index()], true));
        joint_of_channel.push(free);
        match (joint, free) {
            (None, _) => differences.push(Difference::OnlyInClip { channel }),
            (Some(_), None) => differences.push(Difference::DuplicateName { channel }),
            (_, Some(joint)) if skeleton[joint].name != *name => {
                differences.push(Difference::Renamed { channel, joint });
            }
            (_, Some(_)) => {}
        }
    }
    differences.extend(other_parents(file, skeleton, &joint_of_channel));
    let missing = joints.iter().filter(|joint| !taken[joint.index()]);
    differences.extend(missing.map(|&joint| Difference::OnlyInMesh { joint }));
    // If joints are missing on either side, later positions differ anyway, which is not worth a report.
    if joints.len() == names.len() {
        let mut places = joint_of_channel.iter().zip(joints);
        let moved = places.position(|(joint, at_its_place)| joint.is_some_and(|joint| joint != *at_its_place));
        differences.extend(moved.map(|channel| Difference::OtherOrder { channel }));
    }
    (joint_of_channel, differences)
}

fn parent_of(channel: &Channel<'_>) -> Option<usize> {
    usize::try_from(channel.parent.value).ok()
}

/// True if there are as many channels as joints, and each has the parent of the joint with its index.
fn has_parents_of(file: &AnimFile<'_>, skeleton: &Skeleton, joints: &[JointId]) -> bool {
    let same_parent = |(channel, &joint): (&Channel<'_>, &JointId)| {
        parent_of(channel).map(|parent| joints.get(parent).copied()) == skeleton[joint].parent.map(Some)
    };
    joints.len() == file.hierarchy.len() && file.hierarchy.iter().zip(joints).all(same_parent)
}

/// Channels whose parent does not match the parent of their joint.
fn other_parents<'a>(
    file: &'a AnimFile<'_>,
    skeleton: &'a Skeleton,
    joint_of_channel: &'a [Option<JointId>],
) -> impl Iterator<Item = Difference> + 'a {
    joint_of_channel.iter().enumerate().filter_map(|(channel, joint)| {
        let joint = (*joint)?;
        let parent = parent_of(&file.hierarchy[channel]).and_then(|parent| *joint_of_channel.get(parent)?);
        (parent != skeleton[joint].parent).then_some(Difference::OtherParent { channel, joint })
    })
}

fn difference_warning(difference: &Difference, file: &AnimFile<'_>, skeleton: &Skeleton) -> Warning {
    let name = |channel: usize| file.hierarchy[channel].name.to_name();
    let at = |channel: usize| file.hierarchy[channel].name.span;
    let (message, span) = match *difference {
        Difference::OnlyInClip { channel } => {
            (format!("the mesh has no joint '{}'; its keys are ignored", name(channel)), at(channel))
        }
        Difference::OnlyInMesh { joint } => (
            format!("the animation has no joint '{}' of the mesh; it keeps its rest pose", skeleton[joint].name),
            file.num_joints.span,
        ),
        Difference::Renamed { channel, joint } => (
            format!(
                "joint {channel} is '{}' here and '{}' in the mesh; it is matched by its position",
                name(channel),
                skeleton[joint].name
            ),
            at(channel),
        ),
        Difference::OtherParent { channel, joint } => {
            let parent = skeleton[joint].parent.map_or("none", |parent| &skeleton[parent].name);
            (
                format!(
                    "joint '{}' has parent {} here and '{parent}' in the mesh",
                    name(channel),
                    file.hierarchy[channel].parent.value
                ),
                file.hierarchy[channel].parent.span,
            )
        }
        Difference::OtherOrder { channel } => (
            format!(
                "joint {channel} ('{}') stands at another place in the mesh; joints are matched by name",
                name(channel)
            ),
            at(channel),
        ),
        Difference::DuplicateName { channel } => {
            (format!("joint name '{}' occurs again; its keys are ignored", name(channel)), at(channel))
        }
    };
    Warning::new("MD5I011", message, span)
}

/// Returns the frames per second at which a clip is played: the file's rate, or 24 if that is 0, negative or not
/// finite.
pub fn played_rate(rate: f64) -> f64 {
    if rate > 0.0 && rate.is_finite() { rate } else { DEFAULT_FRAME_RATE }
}

fn frame_rate(file: &AnimFile<'_>, warnings: &mut Vec<Warning>) -> f64 {
    let rate = played_rate(file.frame_rate);
    if rate != file.frame_rate {
        let message = format!("frameRate is {}; played at {rate} frames per second", file.frame_rate);
        warnings.push(Warning::new("MD5I012", message, file.frame_rate_span));
    }
    rate
}

fn new_clip(name: &str, rate: f64, frames: usize) -> Clip {
    let times: Vec<f64> = (0..frames.max(1)).map(|frame| frame as f64 / rate).collect();
    let duration = times.last().copied().unwrap_or(0.0);
    Clip {
        name: name.to_owned(),
        duration,
        frame_rate: Some(rate),
        looping: true,
        // The times rise by construction, so the timeline always exists.
        timelines: Timeline::new(times).into_iter().collect(),
        joints: Vec::new(),
    }
}

/// Keys of a channel in all frames.
#[derive(Default)]
struct Decoded {
    /// Translations per frame; one if frames do not animate them.
    translations: Vec<DVec3>,
    /// Rotations per frame; one if frames do not animate them.
    rotations: Vec<DQuat>,
    /// Largest excess of x² + y² + z² over 1.
    excess: f64,
}

/// Frames decoded before the next channel: few enough for their components to stay in the cache.
const FRAMES_AT_ONCE: usize = 16;

/// Number of rows from which channels are decoded on several threads.
const ROWS_WORTH_A_THREAD: usize = 1 << 16;

/// Decodes all channels, some frames at a time, because components are stored frame by frame. Only `wanted` channels
/// get keys.
fn decode(rows: &Rows<'_>, wanted: impl Fn(usize) -> bool + Sync) -> Vec<Decoded> {
    let new = |channel| {
        let mut decoded = Decoded::default();
        if wanted(channel) {
            decoded.translations.reserve_exact(rows.translation_keys(channel));
            decoded.rotations.reserve_exact(rows.rotation_keys(channel));
        }
        decoded
    };
    let mut channels: Vec<Decoded> = (0..rows.channel_count()).map(new).collect();
    let decode = |(number, some): (usize, &mut [Decoded]), at_once: usize| {
        for start in (0..rows.frame_count().max(1)).step_by(FRAMES_AT_ONCE) {
            for (channel, decoded) in (number * at_once..).zip(&mut *some) {
                decoded.extend(rows, channel, start..start + FRAMES_AT_ONCE, wanted(channel));
            }
        }
    };
    let all = channels.len().max(1);
    if all * rows.frame_count() < ROWS_WORTH_A_THREAD {
        decode((0, &mut channels), all);
    } else {
        let at_once = all.div_ceil(rayon::current_num_threads());
        channels.par_chunks_mut(at_once).enumerate().for_each(|some| decode(some, at_once));
    }
    channels
}

impl Decoded {
    /// Adds those of the given frames that the clip has.
    fn extend(&mut self, rows: &Rows<'_>, channel: usize, frames: Range<usize>, wanted: bool) {
        let up_to = |keys: usize| frames.start.min(keys)..frames.end.min(keys);
        if wanted {
            let translation = |frame| translation_of(rows.row(channel, frame));
            self.translations.extend(up_to(rows.translation_keys(channel)).map(translation));
        }
        for frame in up_to(rows.rotation_keys(channel)) {
            let (rotation, excess) = rotation(quaternion_of(rows.row(channel, frame)));
            self.excess = self.excess.max(excess);
            if wanted {
                self.rotations.push(rotation);
            }
        }
    }
}

/// Returns the tracks on a clip's only timeline.
fn tracks(translations: Vec<DVec3>, rotations: Vec<DQuat>) -> JointTracks {
    let timeline = TimelineId(0);
    JointTracks::Parts {
        translation: Some(Track { timeline, values: translations }),
        rotation: Some(Track { timeline, values: rotations }),
        scale: None,
    }
}

/// Reports the channel whose quaternion is longest, if rounding of decimals does not explain the excess.
fn long_quaternions(decoded: &[Decoded], file: &AnimFile<'_>) -> Option<Warning> {
    let mut most: Option<(f64, &Channel<'_>)> = None;
    for (decoded, channel) in decoded.iter().zip(&file.hierarchy) {
        if decoded.excess > 1e-5 && most.is_none_or(|(most, _)| decoded.excess > most) {
            most = Some((decoded.excess, channel));
        }
    }
    let (excess, channel) = most?;
    let message = format!(
        "quaternions of joint '{}' are longer than 1 by up to x² + y² + z² = {:.6}; w is taken as 0",
        channel.name.to_name(),
        1.0 + excess
    );
    Some(Warning::new("MD5I001", message, channel.span))
}

/// Makes tracks for a skeleton whose parents differ from the clip's. Each matched joint gets the clip's model-space
/// transform in every frame. Joints without a channel follow their parents at rest (as in vkQuake since 2026).
fn retarget(
    rows: &Rows<'_>,
    file: &AnimFile<'_>,
    joint_of_channel: &[Option<JointId>],
    skeleton: &Skeleton,
) -> Vec<JointTracks> {
    let mut channel_of_joint: Vec<Option<usize>> = vec![None; skeleton.len()];
    for (channel, joint) in joint_of_channel.iter().enumerate() {
        if let Some(joint) = joint {
            channel_of_joint[joint.index()] = Some(channel);
        }
    }
    let mut keys: Vec<(Vec<DVec3>, Vec<DQuat>)> = vec![Default::default(); skeleton.len()];
    let mut clip_model: Vec<DAffine3> = Vec::new();
    let mut model: Vec<DAffine3> = Vec::new();
    for frame in 0..rows.frame_count().max(1) {
        clip_model.clear();
        for (channel, row) in file.hierarchy.iter().zip(rows.frame(frame)) {
            let local = transform_of(row).to_affine();
            let parent = parent_of(channel).and_then(|parent| clip_model.get(parent));
            clip_model.push(parent.map_or(local, |parent| *parent * local));
        }
        model.clear();
        for ((joint, channel), keys) in skeleton.joints().iter().zip(&channel_of_joint).zip(&mut keys) {
            let parent = joint.parent.map(|parent| model[parent.index()]);
            let joint_model = match *channel {
                Some(channel) => clip_model[channel],
                None => parent.unwrap_or(DAffine3::IDENTITY) * joint.rest_local.to_affine(),
            };
            model.push(joint_model);
            let local = crate::pose::model_to_local(parent, joint_model);
            keys.0.push(local.translation);
            keys.1.push(local.rotation);
        }
    }
    keys.into_iter().map(|(translations, rotations)| tracks(translations, rotations)).collect()
}
