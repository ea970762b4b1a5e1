//! Many characters of one skeleton.

use super::clip::RuntimeClip;
use super::matrix::RuntimeMatrix;
use super::pose::RuntimePose;
use super::skeleton::RuntimeSkeleton;
use rayon::prelude::*;

/// A character playing a clip.
#[derive(Debug)]
pub struct Character<'a, M> {
    /// Clip of the character.
    pub clip: &'a RuntimeClip,
    /// Time in the clip, seconds.
    pub time: f64,
    /// Receives the joints in model space. Further entries stay unchanged.
    pub joints: &'a mut [M],
}

/// Number of joints from which several threads are used. Fewer take no longer than waking a thread.
const PARALLEL_FROM: usize = 4_096;

/// Number of joints whose matrices are written past the caches: more would fill the cache of a core.
const PAST_CACHES_FROM: usize = 1 << 16;

/// Number of joints that a thread processes at a time.
const BLOCK: usize = 1_024;

/// Poses all characters. Their clips must have been made for `skeleton`.
///
/// Each [`RuntimeMatrix`] of a large crowd is written past the caches.
pub fn pose_all<M: From<RuntimeMatrix> + Send + 'static>(
    skeleton: &RuntimeSkeleton,
    characters: &mut [Character<'_, M>],
) {
    let past_caches = skeleton.len() * characters.len() >= PAST_CACHES_FROM;
    let work = |pose: &mut RuntimePose, characters: &mut [Character<'_, M>]| {
        for Character { clip, time, joints } in characters {
            pose.sample(clip, *time);
            pose.local_to_model_of(skeleton, joints, past_caches);
        }
    };
    if skeleton.len() * characters.len() < PARALLEL_FROM || rayon::current_num_threads() == 1 {
        work(&mut RuntimePose::default(), characters);
    } else {
        let block = BLOCK.div_ceil(skeleton.len().max(1));
        characters.par_chunks_mut(block).for_each_init(RuntimePose::default, work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::model::{Clip, JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
    use glam::{DAffine3, DQuat, DVec3};

    #[test]
    fn large_crowds_are_posed_like_their_characters() {
        let mut skeleton = Skeleton::new();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        skeleton.push("child", Some(root), Transform { translation: DVec3::X, ..Transform::IDENTITY });
        let values = vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.0)];
        let rotation = Some(Track { timeline: TimelineId(0), values });
        let clip = Clip {
            timelines: Timeline::new(vec![0.0, 1.0]).into_iter().collect(),
            joints: vec![JointTracks::Parts { translation: None, rotation, scale: None }],
            ..Clip::default()
        };
        let clip = RuntimeClip::new(&skeleton, &clip, &Budget::default()).unwrap();
        let skeleton = RuntimeSkeleton::new(&skeleton);
        let count = PAST_CACHES_FROM / 2;
        let time = |number: usize| number as f64 / count as f64;
        let mut matrices = vec![[RuntimeMatrix::IDENTITY; 2]; count];
        let crowd = matrices.iter_mut().enumerate();
        let mut crowd: Vec<_> = crowd
            .map(|(number, joints)| Character { clip: &clip, time: time(number), joints: &mut joints[..] })
            .collect();
        pose_all(&skeleton, &mut crowd);
        let mut pose = RuntimePose::default();
        for (number, matrices) in matrices.iter().enumerate() {
            pose.sample(&clip, time(number));
            pose.local_to_model(&skeleton);
            assert_eq!(matrices, pose.model(), "character {number}");
        }
        // Another type, and fewer entries than joints.
        let mut root = [DAffine3::IDENTITY];
        pose_all(&skeleton, &mut [Character { clip: &clip, time: time(count - 1), joints: &mut root }]);
        assert_eq!(root[0], pose.model()[0].into());
    }
}
