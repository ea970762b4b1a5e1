//! Many characters of one skeleton.

use super::clip::RuntimeClip;
use super::pose::RuntimePose;
use super::skeleton::RuntimeSkeleton;
use crate::pose::ModelPose;
use rayon::prelude::*;

/// A character playing a clip.
#[derive(Debug)]
pub struct Character<'a> {
    /// Its clip.
    pub clip: &'a RuntimeClip,
    /// Time in the clip, seconds.
    pub time: f64,
    /// Receives its joints in model space.
    pub pose: &'a mut ModelPose,
}

/// Least number of joints for several threads; fewer take no longer than waking one.
const PARALLEL_FROM: usize = 4_096;

/// Joints that one thread takes at a time.
const BLOCK: usize = 1_024;

/// Poses all characters; their clips must be made for `skeleton`.
pub fn pose_all(skeleton: &RuntimeSkeleton, characters: &mut [Character<'_>]) {
    let work = |pose: &mut RuntimePose, characters: &mut [Character<'_>]| {
        for Character { clip, time, pose: out } in characters {
            pose.sample(clip, *time);
            pose.local_to_model(skeleton, clip);
            out.0.clear();
            out.0.extend(pose.model().iter().map(|joint| joint.to_affine().as_daffine3()));
        }
    };
    if skeleton.len() * characters.len() < PARALLEL_FROM {
        work(&mut RuntimePose::default(), characters);
    } else {
        let block = BLOCK.div_ceil(skeleton.len().max(1));
        characters.par_chunks_mut(block).for_each_init(RuntimePose::default, work);
    }
}
