//! Poses of all copies. Copies that only play a clip use the fast runtime.

use super::State;
use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::model::Model;
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::runtime::{Character, RuntimeClip, RuntimeSkeleton, pose_all};
use glam::DAffine3;
use std::collections::HashMap;
use std::sync::Arc;

/// A model's clips in the runtime's layout. Each is built when it is first played.
pub(super) struct Crowd {
    model: Arc<Model>,
    skeleton: RuntimeSkeleton,
    /// `None` for a clip that exceeds the memory limit.
    clips: HashMap<usize, Option<RuntimeClip>>,
    memory: MemoryLimit,
}

impl Crowd {
    pub(super) fn new(model: &Arc<Model>, memory: MemoryLimit) -> Self {
        let skeleton = RuntimeSkeleton::new(&model.skeleton);
        Self { model: Arc::clone(model), skeleton, clips: HashMap::new(), memory }
    }

    /// True if it was built for this instance of the model.
    pub(super) fn is_of(&self, model: &Arc<Model>) -> bool {
        Arc::ptr_eq(&self.model, model)
    }

    /// Poses all copies. Returns the clip and its time in seconds for each.
    ///
    /// The first copy, which can be picked, measured and saved, is posed exactly. The others play `shown`.
    /// They get a local pose only `with_local`, or if the runtime cannot pose them.
    pub(super) fn pose(
        &mut self,
        state: &State,
        (shown, with_local): (Option<usize>, bool),
        poses: &mut [(LocalPose, ModelPose)],
    ) -> Vec<(Option<usize>, f64)> {
        let model = Arc::clone(&self.model);
        // With the golden ratio, neighbours differ much, and further copies fill the gaps.
        let share = |number: usize| (number as f64 * 0.618_033_988_749_895).fract();
        let alone = |number: usize| {
            let time = state.time_alone(&model, shown, share(number));
            time.filter(|_| number > 0 && !with_local)
        };
        if let Some(clip) = shown.filter(|_| (0..poses.len()).any(|number| alone(number).is_some())) {
            self.clips.entry(clip).or_insert_with(|| {
                RuntimeClip::new(&model.skeleton, &model.clips[clip], &Budget::new(self.memory)).ok()
            });
        }
        let (mut times, mut characters) = (Vec::with_capacity(poses.len()), Vec::new());
        for (number, (local, pose)) in poses.iter_mut().enumerate() {
            let laid_out = shown.and_then(|clip| self.clips.get(&clip)?.as_ref());
            let time = match (alone(number), laid_out) {
                (Some(time), Some(clip)) => {
                    local.0.clear();
                    pose.0.resize(self.skeleton.len(), DAffine3::IDENTITY);
                    characters.push(Character { clip, time, joints: &mut pose.0 });
                    time
                }
                _ => state.pose(&model, shown, share(number), local, pose),
            };
            times.push((shown, time));
        }
        pose_all(&self.skeleton, &mut characters);
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BasePose, Blend, Change, Scene};
    use bindpose_core::pose::RootMotion;
    use bindpose_render::{Bounds, Camera};
    use glam::{DQuat, Vec3};

    /// Returns the number of copies with a local pose, and the largest distance of a joint from its exact position.
    fn posed(actions: &[Change], with_local: bool) -> (usize, f64) {
        let scene = Scene::load(&[], bindpose_core::load::LoadOptions::default()).unwrap();
        let mut state =
            State::new(&scene.loaded.model, Some(0), Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE }));
        actions.iter().for_each(|action| state.apply(action, &scene.loaded.model));
        state.advance(0.1);
        let mut poses = vec![Default::default(); 40];
        let mut crowd = Crowd::new(&scene.loaded.model, MemoryLimit::NONE);
        let times = crowd.pose(&state, (state.clip, with_local), &mut poses);
        let mut farthest: f64 = 0.0;
        for (number, ((_, pose), (clip, time))) in poses.iter().zip(times).enumerate() {
            let share = (number as f64 * 0.618_033_988_749_895).fract();
            let (mut local, mut exact) = Default::default();
            assert_eq!(state.pose(&scene.loaded.model, clip, share, &mut local, &mut exact), time);
            for (a, b) in pose.0.iter().zip(&exact.0) {
                farthest = farthest.max(a.translation.distance(b.translation));
            }
            assert_eq!(pose.0.len(), exact.0.len());
        }
        (poses.iter().filter(|(local, _)| !local.0.is_empty()).count(), farthest)
    }

    /// Largest distance of a joint from the exact one, as a share of the model's height: joints of the quick form are 32-bit
    /// numbers, whose last digit is 6e-8, and multiplied along a chain. 4e-7 was measured.
    const SHARE: f64 = 1e-6;

    #[test]
    fn copies_are_posed_like_the_exact_form() {
        let model = Scene::load(&[], bindpose_core::load::LoadOptions::default()).unwrap().loaded.model;
        let turned = model.skeleton.id(3).unwrap();
        let rest = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
        let height = rest.0.iter().map(|joint| joint.translation.z).fold(0.0, f64::max);
        let blend = Blend { clip: 1, share: 0.5, mask: None };
        let exact: [&[Change]; 5] = [
            &[Change::Turn(turned, DQuat::from_rotation_x(0.5))],
            &[Change::Blend(Some(blend))],
            &[Change::BasePose(BasePose::Bind)],
            &[Change::RootMotion(RootMotion::Remove)],
            &[Change::FadeSeconds(1.0), Change::ShowClip(1)],
        ];
        let quick: [&[Change]; 2] = [&[], &[Change::Seek(0.4), Change::Pause(true)]];
        for actions in quick {
            let (with_local, farthest) = posed(actions, false);
            assert_eq!(with_local, 1, "{actions:?}");
            println!("{actions:?}: {farthest:e} of {height}");
            assert!(farthest > 0.0 && farthest < SHARE * height, "{actions:?}: {farthest} of {height}");
        }
        for actions in exact {
            assert_eq!(posed(actions, false), (40, 0.0), "{actions:?}");
        }
        assert_eq!(posed(&[], true), (40, 0.0));
    }
}
