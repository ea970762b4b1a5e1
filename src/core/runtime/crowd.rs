//! Many characters of one skeleton.

use super::clip::RuntimeClip;
use super::pose::Pose;
use super::skeleton::RuntimeSkeleton;
use crate::pose::ModelPose;
use rayon::prelude::*;

/// A character that plays a clip.
#[derive(Debug)]
pub struct Character<'a> {
    /// What it plays.
    pub clip: &'a RuntimeClip,
    /// Where in the clip it is, seconds.
    pub time: f64,
    /// Its joints in model space, to be worked out.
    pub pose: &'a mut ModelPose,
}

/// Joints from which on several threads work: fewer take no longer than waking one.
const PARALLEL_FROM: usize = 4_096;

/// Joints of the characters that one thread takes at a time.
const BLOCK: usize = 1_024;

/// Brings characters to their moments, each clip being one for `skeleton`.
pub fn pose_all(skeleton: &RuntimeSkeleton, characters: &mut [Character<'_>]) {
    let work = |pose: &mut Pose, characters: &mut [Character<'_>]| {
        for Character { clip, time, pose: out } in characters {
            pose.sample(clip, *time);
            pose.local_to_model(skeleton, clip);
            out.0.clear();
            out.0.extend(pose.model().iter().map(|joint| joint.to_affine().as_daffine3()));
        }
    };
    if skeleton.len() * characters.len() < PARALLEL_FROM {
        work(&mut Pose::default(), characters);
    } else {
        let block = BLOCK.div_ceil(skeleton.len().max(1));
        characters.par_chunks_mut(block).for_each_init(Pose::default, work);
    }
}
