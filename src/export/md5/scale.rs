//! Scales of joints next to a clip: the `.md5scale` of the Quake II re-release, which Q2PRO and q2repro read.
//!
//! The file is JSON: for each joint name an object with a factor for each frame number, 1 if missing. A joint's factor
//! multiplies the offsets of its vertices and does not affect the joints below.

use crate::Error;
use crate::frames::Frames;
use bindpose_core::budget::grouped;
use bindpose_core::model::Skeleton;
use bindpose_core::pose::LocalPose;
use serde_json::{Map, Value};

/// Largest distance of a scale from 1 at which it is left out, to allow for rounded decimals.
const UNIT: f64 = 1e-6;
/// Largest number of names, numbers and objects that the engines read.
const MOST_TOKENS: usize = 4096;

/// Returns the scale of each joint in model space, for a pose with uniform scales.
pub(super) fn in_model_space(skeleton: &Skeleton, local: &LocalPose) -> Vec<f64> {
    let mut scales: Vec<f64> = Vec::with_capacity(local.0.len());
    for (joint, local) in skeleton.joints().iter().zip(&local.0) {
        let above = joint.parent.map_or(1.0, |parent| scales[parent.index()]);
        scales.push(above * local.scale.x);
    }
    scales
}

/// Writes the file for a clip. Returns `None` if no joint is scaled.
pub(super) fn file(skeleton: &Skeleton, clip: &Frames) -> Result<Option<Vec<u8>>, Error> {
    let mut joints: Vec<Map<String, Value>> = vec![Map::new(); skeleton.len()];
    for (number, pose) in clip.poses.iter().enumerate() {
        for (joint, scale) in joints.iter_mut().zip(in_model_space(skeleton, pose)) {
            if (scale - 1.0).abs() > UNIT {
                joint.insert(number.to_string(), ((scale * 1e6).round() / 1e6).into());
            }
        }
    }
    let scaled = skeleton.joints().iter().zip(joints).filter(|(_, frames)| !frames.is_empty());
    let scaled: Vec<(String, Value)> = scaled.map(|(joint, frames)| (joint.name.clone(), frames.into())).collect();
    if scaled.is_empty() {
        return Ok(None);
    }
    let frames: usize = scaled.iter().filter_map(|(_, frames)| frames.as_object()).map(Map::len).sum();
    // The root object, a name and an object per joint, a name and a number per frame.
    let tokens = 1 + 2 * scaled.len() + 2 * frames;
    if tokens > MOST_TOKENS {
        return Err(Error::Limit(format!(
            "clip '{}' scales joints in {} places; Q2PRO reads about {} of a .md5scale file",
            clip.name,
            grouped(frames),
            grouped(MOST_TOKENS / 2)
        )));
    }
    let mut text = serde_json::to_vec_pretty(&scaled.into_iter().collect::<Map<String, Value>>())
        .map_err(|error| Error::Writer(error.to_string()))?;
    text.push(b'\n');
    Ok(Some(text))
}
