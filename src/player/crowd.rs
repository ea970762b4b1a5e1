//! The poses of all figures: copies that do no more than play a clip are worked out at playing speed.

use super::State;
use crate::budget::{Budget, MemoryLimit};
use crate::model::Model;
use crate::pose::{LocalPose, ModelPose};
use crate::runtime::{Character, RuntimeClip, RuntimeSkeleton, pose_all};
use std::collections::HashMap;
use std::sync::Arc;

/// A model's clips as copies play them, each laid out when it is first played.
pub(super) struct Crowd {
    model: Arc<Model>,
    skeleton: RuntimeSkeleton,
    /// `None` for a clip that would take too much memory.
    clips: HashMap<usize, Option<RuntimeClip>>,
    memory: MemoryLimit,
}

/// What the copies play, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// The clip that is shown.
    pub clip: Option<usize>,
    /// Whether every copy's joints are asked for in their parents' spaces, too.
    pub with_local: bool,
}

impl Crowd {
    pub(super) fn new(model: &Arc<Model>, memory: MemoryLimit) -> Self {
        let skeleton = RuntimeSkeleton::new(&model.skeleton);
        Self { model: Arc::clone(model), skeleton, clips: HashMap::new(), memory }
    }

    /// Whether it is of this very model.
    pub(super) fn is_of(&self, model: &Arc<Model>) -> bool {
        Arc::ptr_eq(&self.model, model)
    }

    /// Poses all figures; returns which clip each plays and the clip's time, seconds.
    ///
    /// The first figure, which can be pointed at, measured and saved, is posed exactly; others have no local pose where none is
    /// asked for.
    pub(super) fn pose(
        &mut self,
        state: &State,
        asked: Asked,
        poses: &mut [(LocalPose, ModelPose)],
    ) -> Vec<(Option<usize>, f64)> {
        let model = Arc::clone(&self.model);
        let plays = |number: usize| match state.all_clips && number > 0 {
            true => Some(number % model.clips.len().max(1)),
            false => asked.clip,
        };
        // Golden section: neighbours are far apart, and more copies fill the gaps.
        let share = |number: usize| (number as f64 * 0.618_033_988_749_895).fract();
        let alone = |number: usize| {
            let time = state.time_alone(&model, plays(number), share(number));
            time.filter(|_| number > 0 && !asked.with_local)
        };
        for clip in (0..poses.len()).filter(|&number| alone(number).is_some()).filter_map(plays) {
            self.clips.entry(clip).or_insert_with(|| {
                RuntimeClip::new(&model.skeleton, &model.clips[clip], &Budget::new(self.memory)).ok()
            });
        }
        let (mut moments, mut characters) = (Vec::with_capacity(poses.len()), Vec::new());
        for (number, (local, pose)) in poses.iter_mut().enumerate() {
            let clip = plays(number);
            let laid_out = clip.and_then(|clip| self.clips.get(&clip)?.as_ref());
            let time = match (alone(number), laid_out) {
                (Some(time), Some(clip)) => {
                    local.0.clear();
                    characters.push(Character { clip, time, pose });
                    time
                }
                _ => state.pose(&model, clip, share(number), local, pose),
            };
            moments.push((clip, time));
        }
        pose_all(&self.skeleton, &mut characters);
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Action, BasePose, Blend, Scene};
    use crate::pose::RootMotion;
    use crate::render::{Bounds, Camera};
    use glam::{DQuat, Vec3};

    /// Copies, of which more than the first have a local pose, and the farthest that a joint is from where the exact form has
    /// it.
    fn posed(actions: &[Action], with_local: bool) -> (usize, f64) {
        let (scene, ..) = Scene::load(&[], crate::load::LoadOptions::default()).unwrap();
        let mut state =
            State::new(&scene.model, Some(0), Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE }));
        actions.iter().for_each(|action| state.apply(action, &scene.model));
        state.advance(0.1);
        let mut poses = vec![Default::default(); 40];
        let mut crowd = Crowd::new(&scene.model, MemoryLimit::NONE);
        let moments = crowd.pose(&state, Asked { clip: state.clip, with_local }, &mut poses);
        let mut farthest: f64 = 0.0;
        for (number, ((_, pose), (clip, time))) in poses.iter().zip(moments).enumerate() {
            let share = (number as f64 * 0.618_033_988_749_895).fract();
            let (mut local, mut exact) = Default::default();
            assert_eq!(state.pose(&scene.model, clip, share, &mut local, &mut exact), time);
            for (a, b) in pose.0.iter().zip(&exact.0) {
                farthest = farthest.max(a.translation.distance(b.translation));
            }
            assert_eq!(pose.0.len(), exact.0.len());
        }
        (poses.iter().filter(|(local, _)| !local.0.is_empty()).count(), farthest)
    }

    #[test]
    fn copies_stand_where_the_exact_form_has_them() {
        let model = Scene::load(&[], crate::load::LoadOptions::default()).unwrap().0.model;
        let turned = model.skeleton.id(3).unwrap();
        let blend = Blend { clip: 1, share: 0.5, mask: None };
        let exact: [&[Action]; 5] = [
            &[Action::Turn(turned, DQuat::from_rotation_x(0.5))],
            &[Action::Blend(Some(blend))],
            &[Action::BasePose(BasePose::Bind)],
            &[Action::RootMotion(RootMotion::Remove)],
            &[Action::FadeSeconds(1.0), Action::ShowClip(1)],
        ];
        let quick: [&[Action]; 3] = [&[], &[Action::AllClips(true)], &[Action::Seek(0.4), Action::Pause(true)]];
        for actions in quick {
            let (with_local, farthest) = posed(actions, false);
            assert_eq!(with_local, 1, "{actions:?}");
            assert!(farthest > 0.0 && farthest < 1e-3, "{actions:?}: {farthest}");
        }
        for actions in exact {
            assert_eq!(posed(actions, false), (40, 0.0), "{actions:?}");
        }
        assert_eq!(posed(&[], true), (40, 0.0));
    }
}
