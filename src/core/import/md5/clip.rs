//! `.md5anim` into a clip for a skeleton, or into a skeleton of its own.

use super::{ImportedMesh, Options, RootTranslation, rotation};
use crate::import::Warning;
use crate::model::{Clip, JointId, JointTracks, Model, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_parsers::md5::{AnimFile, Channel};
use glam::{DAffine3, DQuat, DVec3};
use std::collections::HashMap;

/// Frames per second where a file says 0 or less: what Doom 3's own exporter writes by default.
const DEFAULT_FRAME_RATE: f64 = 24.0;

/// A clip for one skeleton, and how well it fits.
#[derive(Debug)]
pub struct ImportedClip {
    /// The clip; `None` when no joint fits.
    pub clip: Option<Clip>,
    /// How channels found their joints.
    pub matched_by: MatchedBy,
    /// Every way in which the clip's hierarchy differs from the skeleton.
    pub differences: Vec<Difference>,
    /// Repairs and oddities, each difference among them.
    pub warnings: Vec<Warning>,
}

/// How the channels of a clip found their joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy {
    /// Same names.
    Name,
    /// Same count and parents, though names differ: by position, as Doom 3 would if it did not check names.
    Position,
}

/// One way in which a clip's hierarchy differs from the skeleton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A channel names no joint; it moves nothing.
    OnlyInClip {
        /// Index of the channel.
        channel: usize,
    },
    /// A joint has no channel; it keeps its rest pose relative to its parent.
    OnlyInMesh {
        /// The joint.
        joint: JointId,
    },
    /// A channel was given to a joint of another name, because of its position.
    Renamed {
        /// Index of the channel.
        channel: usize,
        /// The joint.
        joint: JointId,
    },
    /// A channel's parent is not its joint's parent; the joint is put where the clip has it in model space.
    OtherParent {
        /// Index of the channel.
        channel: usize,
        /// The joint.
        joint: JointId,
    },
    /// Names agree, but channel and joint stand at different places in their files.
    OtherOrder {
        /// Index of the first channel out of place.
        channel: usize,
    },
    /// Several channels or joints share a name; the first of each is taken.
    DuplicateName {
        /// Index of the second channel.
        channel: usize,
    },
}

/// Imports `file` as a clip called `name` for `skeleton`, whose joints stood in `joints` order in their mesh file.
///
/// Frame `f` is shown at `f / frameRate` seconds; the clip lasts `(numFrames - 1) / frameRate`
/// (docs/formats/md5.md "Time and looping").
pub fn import_clip(
    file: &AnimFile<'_>,
    name: &str,
    skeleton: &Skeleton,
    joints: &[JointId],
    options: &Options,
) -> ImportedClip {
    let matching = match_channels(file, skeleton, joints);
    let mut warnings: Vec<Warning> =
        matching.differences.iter().map(|difference| difference_warning(difference, file, skeleton)).collect();
    let (matched_by, differences) = (matching.by, matching.differences);
    if matching.joint_of_channel.iter().all(Option::is_none) {
        let message =
            format!("no joint of the animation is a joint of the mesh ({} to {})", file.hierarchy.len(), joints.len());
        warnings.push(Warning { code: "MD5I010", message, span: file.num_joints.span });
        return ImportedClip { clip: None, matched_by, differences, warnings };
    }
    let rate = frame_rate(file, &mut warnings);
    let frames = decode(file, options, &mut warnings);
    let own_parents = differences.iter().any(|difference| matches!(difference, Difference::OtherParent { .. }));
    let mut clip = new_clip(name, rate, frames.count);
    clip.joints = vec![JointTracks::default(); skeleton.len()];
    if own_parents {
        retarget(&frames, file, &matching.joint_of_channel, skeleton, &mut clip);
    } else {
        for (tracks, joint) in frames.tracks.into_iter().zip(&matching.joint_of_channel) {
            if let Some(joint) = joint {
                clip.joints[joint.index()] = tracks;
            }
        }
    }
    ImportedClip { clip: Some(clip), matched_by, differences, warnings }
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
            warnings.push(Warning { code: "MD5I002", message, span: channel.parent.span });
        }
        let rest_local = file.baseframe.get(index).map_or(Transform::IDENTITY, |pose| {
            Transform::from_rotation_translation(rotation(pose.rotation).0, DVec3::from_array(pose.position))
        });
        joints.push(skeleton.push(channel.name.to_name(), known, rest_local));
    }
    ImportedMesh { model: Model { skeleton, ..Model::default() }, joints, warnings }
}

struct Matching {
    by: MatchedBy,
    joint_of_channel: Vec<Option<JointId>>,
    differences: Vec<Difference>,
}

/// By name; by position where some names are unknown but count and parents are the same.
fn match_channels(file: &AnimFile<'_>, skeleton: &Skeleton, joints: &[JointId]) -> Matching {
    let mut by_name: HashMap<&str, JointId> = HashMap::new();
    for &joint in joints {
        by_name.entry(&skeleton[joint].name).or_insert(joint);
    }
    let names: Vec<String> = file.hierarchy.iter().map(|channel| channel.name.to_name()).collect();
    let channel_parent = |channel: &Channel<'_>| usize::try_from(channel.parent.value).ok();
    let same_shape = joints.len() == names.len()
        && file.hierarchy.iter().zip(joints).all(|(channel, &joint)| {
            channel_parent(channel).map(|parent| joints.get(parent).copied()) == skeleton[joint].parent.map(Some)
        });
    let ambiguous = by_name.len() < joints.len();
    let all_known = names.iter().all(|name| by_name.contains_key(name.as_str()));
    let by_position = same_shape && (ambiguous || !all_known);

    let mut differences = Vec::new();
    let mut taken = vec![false; skeleton.len()];
    let mut joint_of_channel: Vec<Option<JointId>> = Vec::with_capacity(names.len());
    let mut first_out_of_order = None;
    for (channel, name) in names.iter().enumerate() {
        let named = by_name.get(name.as_str()).copied();
        let joint = if by_position { Some(joints[channel]) } else { named };
        if let Some(joint) = joint {
            if taken[joint.index()] {
                differences.push(Difference::DuplicateName { channel });
                joint_of_channel.push(None);
                continue;
            }
            taken[joint.index()] = true;
            if skeleton[joint].name != *name {
                differences.push(Difference::Renamed { channel, joint });
            }
            if joints.get(channel) != Some(&joint) {
                first_out_of_order.get_or_insert(channel);
            }
        } else {
            differences.push(Difference::OnlyInClip { channel });
        }
        joint_of_channel.push(joint);
    }
    for (channel, joint) in joint_of_channel.iter().enumerate() {
        let Some(joint) = *joint else { continue };
        let parent = channel_parent(&file.hierarchy[channel]).and_then(|parent| *joint_of_channel.get(parent)?);
        if parent != skeleton[joint].parent {
            differences.push(Difference::OtherParent { channel, joint });
        }
    }
    let missing = joints.iter().filter(|joint| !taken[joint.index()]);
    differences.extend(missing.map(|&joint| Difference::OnlyInMesh { joint }));
    // With joints missing on either side, everything behind stands elsewhere: that is no news.
    if let Some(channel) = first_out_of_order.filter(|_| joints.len() == names.len()) {
        differences.push(Difference::OtherOrder { channel });
    }
    let by = if by_position { MatchedBy::Position } else { MatchedBy::Name };
    Matching { by, joint_of_channel, differences }
}

fn difference_warning(difference: &Difference, file: &AnimFile<'_>, skeleton: &Skeleton) -> Warning {
    let name = |channel: usize| file.hierarchy[channel].name.to_name();
    let at = |channel: usize| file.hierarchy[channel].name.span;
    let (message, span) = match *difference {
        Difference::OnlyInClip { channel } => {
            (format!("'{}' is no joint of the mesh; its keys move nothing", name(channel)), at(channel))
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
            (format!("joint name '{}' occurs again; its keys move nothing", name(channel)), at(channel))
        }
    };
    Warning { code: "MD5I011", message, span }
}

fn frame_rate(file: &AnimFile<'_>, warnings: &mut Vec<Warning>) -> f64 {
    if file.frame_rate > 0.0 && file.frame_rate.is_finite() {
        return file.frame_rate;
    }
    let message = format!("frameRate is {}; played at {DEFAULT_FRAME_RATE} frames per second", file.frame_rate);
    warnings.push(Warning { code: "MD5I012", message, span: file.frame_rate_span });
    DEFAULT_FRAME_RATE
}

fn new_clip(name: &str, rate: f64, frames: usize) -> Clip {
    let times: Vec<f64> = (0..frames.max(1)).map(|frame| frame as f64 / rate).collect();
    let duration = times.last().copied().unwrap_or(0.0);
    Clip {
        name: name.to_owned(),
        duration,
        frame_rate: Some(rate),
        looping: true,
        // Rising by construction, so there is always a timeline.
        timelines: Timeline::new(times).into_iter().collect(),
        joints: Vec::new(),
    }
}

/// The channels of a file, decoded.
struct Frames {
    count: usize,
    /// One per channel.
    tracks: Vec<JointTracks>,
}

/// Base frame, overridden component by component in the order Tx Ty Tz Qx Qy Qz from the channel's first component;
/// w restored from the mixed x, y, z and the quaternion brought to unit length
/// (docs/formats/md5.md "Frames and components").
///
/// Channels without moving components get one key.
fn decode(file: &AnimFile<'_>, options: &Options, warnings: &mut Vec<Warning>) -> Frames {
    let components = usize::try_from(file.num_animated_components.value).unwrap_or(0);
    let count = file.components.len().checked_div(components).unwrap_or(file.frames.len());
    let mut most_excess: Option<(f64, usize)> = None;
    let mut tracks = Vec::with_capacity(file.hierarchy.len());
    for (index, channel) in file.hierarchy.iter().enumerate() {
        let base = file.baseframe.get(index);
        let mut base = base.map_or([0.0; 6], |pose| {
            let ([tx, ty, tz], [qx, qy, qz]) = (pose.position, pose.rotation);
            [tx, ty, tz, qx, qy, qz]
        });
        let raw_base = base;
        let source = animated_components(channel, components);
        let engine_root = index == 0 && options.root == RootTranslation::Engine;
        if engine_root {
            base[..3].fill(0.0);
        }
        let mixed = |frame: usize| {
            let mut values = base;
            for (part, value) in values.iter_mut().enumerate() {
                let read = source[part].and_then(|offset| file.components.get(frame * components + offset));
                if let Some(&read) = read {
                    *value = if engine_root && part < 3 { read - raw_base[part] } else { read };
                }
            }
            values
        };
        let mut translations = Vec::new();
        let mut rotations = Vec::new();
        let moves = |parts: std::ops::Range<usize>| source[parts].iter().any(Option::is_some);
        let keys = |moving: bool| if moving { count.max(1) } else { 1 };
        for frame in 0..keys(moves(0..3)) {
            let [tx, ty, tz, ..] = mixed(frame);
            translations.push(DVec3::new(tx, ty, tz));
        }
        for frame in 0..keys(moves(3..6)) {
            let [.., qx, qy, qz] = mixed(frame);
            let (rotation, excess) = rotation([qx, qy, qz]);
            if excess > 1e-5 && most_excess.is_none_or(|(most, _)| excess > most) {
                most_excess = Some((excess, index));
            }
            rotations.push(rotation);
        }
        let timeline = TimelineId(0);
        tracks.push(JointTracks::Parts {
            translation: Some(Track { timeline, values: translations }),
            rotation: Some(Track { timeline, values: rotations }),
            scale: None,
        });
    }
    if let Some((excess, channel)) = most_excess {
        let message = format!(
            "quaternions of joint '{}' are longer than 1 by up to x² + y² + z² = {:.6}; w is taken as 0",
            file.hierarchy[channel].name.to_name(),
            1.0 + excess
        );
        warnings.push(Warning { code: "MD5I001", message, span: file.hierarchy[channel].span });
    }
    Frames { count, tracks }
}

/// For each of Tx Ty Tz Qx Qy Qz where in a frame it stands; `None` for what the base frame gives, and for what
/// would stand outside the frame.
fn animated_components(channel: &Channel<'_>, components: usize) -> [Option<usize>; 6] {
    let mut next = usize::try_from(channel.first_component.value).ok();
    std::array::from_fn(|bit| {
        if channel.flags.value & (1 << bit) == 0 {
            return None;
        }
        let offset = next?;
        next = offset.checked_add(1);
        (offset < components).then_some(offset)
    })
}

/// Tracks for a skeleton whose parents are not the clip's: each matched joint is put where the clip has it in model
/// space, frame by frame; joints without a channel ride on their parents at rest (as vkQuake has done since 2026).
fn retarget(
    frames: &Frames,
    file: &AnimFile<'_>,
    joint_of_channel: &[Option<JointId>],
    skeleton: &Skeleton,
    clip: &mut Clip,
) {
    let channel_of_joint: HashMap<JointId, usize> =
        joint_of_channel.iter().enumerate().filter_map(|(channel, joint)| Some(((*joint)?, channel))).collect();
    let mut keys: Vec<(Vec<DVec3>, Vec<DQuat>)> = vec![Default::default(); skeleton.len()];
    let mut clip_model: Vec<DAffine3> = Vec::new();
    let mut model: Vec<DAffine3> = Vec::new();
    for frame in 0..frames.count.max(1) {
        clip_model.clear();
        for (channel, tracks) in file.hierarchy.iter().zip(&frames.tracks) {
            let local = key_at(tracks, frame).to_affine();
            let parent = usize::try_from(channel.parent.value).ok().and_then(|parent| clip_model.get(parent));
            clip_model.push(parent.map_or(local, |parent| *parent * local));
        }
        model.clear();
        for (joint, id) in skeleton.joints().iter().zip(skeleton.ids()) {
            let parent = joint.parent.map(|parent| model[parent.index()]);
            let joint_model = match channel_of_joint.get(&id) {
                Some(&channel) => clip_model[channel],
                None => parent.unwrap_or(DAffine3::IDENTITY) * joint.rest_local.to_affine(),
            };
            model.push(joint_model);
            let local = crate::pose::model_to_local(parent, joint_model);
            keys[id.index()].0.push(local.translation);
            keys[id.index()].1.push(local.rotation);
        }
    }
    let timeline = TimelineId(0);
    for (tracks, (translations, rotations)) in clip.joints.iter_mut().zip(keys) {
        *tracks = JointTracks::Parts {
            translation: Some(Track { timeline, values: translations }),
            rotation: Some(Track { timeline, values: rotations }),
            scale: None,
        };
    }
}

/// The transform of a frame in tracks that [`decode`] made.
fn key_at(tracks: &JointTracks, frame: usize) -> Transform {
    let JointTracks::Parts { translation: Some(translation), rotation: Some(rotation), .. } = tracks else {
        return Transform::IDENTITY;
    };
    let last = |length: usize| frame.min(length.saturating_sub(1));
    Transform::from_rotation_translation(
        rotation.values[last(rotation.values.len())],
        translation.values[last(translation.values.len())],
    )
}
