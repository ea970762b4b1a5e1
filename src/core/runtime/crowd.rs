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
