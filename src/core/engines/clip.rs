//! Converts clips to the form in which an engine stores them.

use super::{Between, Engine, HiddenW, Joints, Rate, Root};
use crate::budget::{Budget, Exceeded, grouped, product};
use crate::import::md5::rows::{Row, Rows, quaternion_of, transform_of, translation_of};
use crate::import::md5::{RootTranslation, played_rate};
use crate::model::{Clip, Interpolation, JointId, JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_parsers::md5::AnimFile;
use glam::{DQuat, DVec3};
use std::collections::HashMap;

/// Frames per second at which games step through frames.
const TEN_HERTZ: f64 = 10.0;

impl Engine {
    /// Returns the skeleton that the engine's clips move. If [`Engine::flattens`], every joint is a root in model
    /// space.
    pub fn hold_skeleton(&self, skeleton: &Skeleton) -> Skeleton {
        if !self.flattens() {
            return skeleton.clone();
        }
        let mut model: Vec<Transform> = Vec::with_capacity(skeleton.len());
        let mut flat = Skeleton::new();
        for joint in skeleton.joints() {
            let joint_model = under(joint.parent.map(|parent| model[parent.index()]), joint.rest_local);
            flat.push(joint.name.clone(), None, joint_model);
            model.push(joint_model);
        }
        flat
    }

    /// Converts `file` to the clip that the engine plays on its own skeleton, under the given name.
    ///
    /// `skeleton` is the mesh file's skeleton, and `joints` are its joints in file order. `script_rate` is the frame
    /// rate set by the script that loads the model. The first key is repeated at the end if the engine interpolates
    /// from the last frame to the first.
    ///
    /// # Errors
    ///
    /// [`Exceeded`]: the joints in all frames need more memory than `budget` has.
    pub fn hold_clip(
        &self,
        file: &AnimFile<'_>,
        name: &str,
        script_rate: Option<f64>,
        skeleton: &Skeleton,
        joints: &[JointId],
        budget: &Budget,
    ) -> Result<Clip, Exceeded> {
        let root = match self.root {
            Root::File => RootTranslation::File,
            Root::RelativeToBaseFrame => RootTranslation::Engine,
        };
        let rows = Rows::new(file, root);
        let rows = if self.uses_base_frame { rows } else { rows.without_base() };
        let frames = rows.frame_count().max(1);
        let wraps = self.wraps && frames > 1;
        let keys = frames + usize::from(wraps);
        budget.spend(product([skeleton.len(), keys, size_of::<Transform>()]), || {
            format!("{} joints in {} frames", grouped(skeleton.len()), grouped(frames))
        })?;
        let channels = self.channels(file, skeleton, joints);
        let parents: Vec<Option<usize>> =
            file.hierarchy.iter().map(|channel| usize::try_from(channel.parent.value).ok()).collect();
        let mut tracks: Vec<Vec<Transform>> = vec![Vec::with_capacity(keys); skeleton.len()];
        let (mut of_channels, mut model) = (Vec::new(), Vec::new());
        for frame in 0..frames {
            of_channels.clear();
            of_channels.extend(rows.frame(frame).map(|row| self.transform(row)));
            if self.flattens() {
                to_model(&parents, &mut of_channels);
                model.clear();
                for (joint, channel) in skeleton.joints().iter().zip(&channels) {
                    let parent = || joint.parent.and_then(|parent| model.get(parent.index()).copied());
                    let placed = channel.and_then(|channel| of_channels.get(channel).copied());
                    model.push(placed.unwrap_or_else(|| under(parent(), joint.rest_local)));
                }
                tracks.iter_mut().zip(&model).for_each(|(keys, joint)| keys.push(*joint));
            } else {
                for ((keys, channel), joint) in tracks.iter_mut().zip(&channels).zip(skeleton.joints()) {
                    let local = channel.and_then(|channel| of_channels.get(channel).copied());
                    keys.push(local.unwrap_or(joint.rest_local));
                }
            }
        }
        if wraps {
            tracks.iter_mut().for_each(|keys| keys.extend(keys.first().copied()));
        }
        let joints = tracks.into_iter().map(|keys| self.tracks(keys)).collect();
        Ok(Clip { joints, ..self.still(file, name, script_rate, skeleton) })
    }

    /// Replaces a clip that the engine ignores by the bind pose for the same duration.
    pub fn hold_bind_pose(&self, file: &AnimFile<'_>, name: &str, skeleton: &Skeleton) -> Clip {
        self.still(file, name, None, skeleton)
    }

    /// Returns a clip with name, times and rate, but without keys.
    fn still(&self, file: &AnimFile<'_>, name: &str, script_rate: Option<f64>, skeleton: &Skeleton) -> Clip {
        let frames = file.frames.len().max(1);
        let keys = frames + usize::from(self.wraps && frames > 1);
        let rate = match self.rate {
            Rate::File => played_rate(file.frame_rate),
            Rate::TenHertz => TEN_HERTZ,
            Rate::ScriptOrTenHertz => script_rate.unwrap_or(TEN_HERTZ),
        };
        let times: Vec<f64> = (0..keys).map(|key| key as f64 / rate).collect();
        Clip {
            name: name.to_owned(),
            duration: times.last().copied().unwrap_or(0.0),
            frame_rate: Some(rate),
            looping: true,
            timelines: Timeline::new(times).into_iter().collect(),
            joints: vec![JointTracks::default(); skeleton.len()],
        }
    }

    /// Returns the index of the channel that moves each joint of the skeleton.
    fn channels(&self, file: &AnimFile<'_>, skeleton: &Skeleton, joints: &[JointId]) -> Vec<Option<usize>> {
        let mut channels = vec![None; skeleton.len()];
        match self.joints {
            Joints::ByPlace | Joints::ByPlaceClipsParents => {
                for (place, joint) in joints.iter().enumerate().take(file.hierarchy.len()) {
                    channels[joint.index()] = Some(place);
                }
            }
            Joints::ByName => {
                let mut named: HashMap<String, usize> = HashMap::new();
                for (channel, known) in file.hierarchy.iter().enumerate() {
                    named.entry(known.name.to_name()).or_insert(channel);
                }
                for (joint, channel) in skeleton.joints().iter().zip(&mut channels) {
                    *channel = named.get(&joint.name).copied();
                }
            }
        }
        channels
    }

    /// Converts a row to the engine's rigid transform.
    fn transform(&self, row: Row) -> Transform {
        let [x, y, z] = quaternion_of(row);
        let left = 1.0 - (x * x + y * y + z * z);
        if self.w == HiddenW::Clamped || left >= 0.0 {
            return transform_of(row);
        }
        let rotation = DQuat::from_xyzw(x, y, z, -left.abs().sqrt());
        // A finite quaternion has a positive length here. Any other becomes the identity.
        let rotation = if rotation.is_finite() { rotation.normalize() } else { DQuat::IDENTITY };
        Transform::from_rotation_translation(rotation, translation_of(row))
    }

    /// Converts the keys of one joint to tracks with the engine's interpolation.
    fn tracks(&self, keys: Vec<Transform>) -> JointTracks {
        let timeline = TimelineId(0);
        let between = match self.between {
            Between::ModelSpace | Between::LocalSpace => {
                let part = |values| Some(Track { timeline, values });
                return JointTracks::Parts {
                    translation: part(keys.iter().map(|key| key.translation).collect::<Vec<DVec3>>()),
                    rotation: Some(Track { timeline, values: keys.iter().map(|key| key.rotation).collect() }),
                    scale: None,
                };
            }
            Between::Vertices | Between::LocalMatrices => Interpolation::Elements,
            Between::LocalDualQuaternions => Interpolation::DualQuaternions,
        };
        JointTracks::Whole { keys: Track { timeline, values: keys }, between }
    }
}

/// Converts parent-relative transforms to model space, in place. A parent listed after its channel is ignored.
fn to_model(parents: &[Option<usize>], channels: &mut [Transform]) {
    for (channel, parent) in parents.iter().enumerate() {
        let parent = parent.filter(|&parent| parent < channel).and_then(|parent| channels.get(parent).copied());
        if let Some(local) = channels.get_mut(channel) {
            *local = under(parent, *local);
        }
    }
}

/// Returns the model-space transform of a rigid joint.
fn under(parent_model: Option<Transform>, local: Transform) -> Transform {
    parent_model.map_or(local, |parent| {
        Transform::from_rotation_translation(
            parent.rotation * local.rotation,
            parent.translation + parent.rotation * local.translation,
        )
    })
}
