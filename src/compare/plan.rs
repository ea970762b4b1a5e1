//! Poses that methods are compared in.

use super::turn::clip_of;
use bindpose_core::model::{Clip, Model};
use bindpose_core::pose::{LocalPose, Turn};

/// Time between the angles of a sweep in its clip and its animation, in seconds.
pub const SWEEP_INTERVAL: f64 = 0.1;
/// Angle between the poses of a sweep, in degrees. The last step may be smaller.
const SWEEP_STEP: f64 = 5.0;

/// Poses to compare in.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Index of the clip; `None` for the rest pose.
    pub clip: Option<usize>,
    /// Seconds into the clip, one for each pose.
    pub times: Vec<f64>,
    /// Name of each pose: its time or angle.
    pub names: Vec<String>,
    /// Angle of the turned joint in each pose, in degrees; empty without one.
    pub angles: Vec<f64>,
    /// The turn under test with its last angle, and the pose before it.
    pub turn: Option<(Turn, LocalPose)>,
}

impl Plan {
    /// Uses the poses of a clip, or the rest pose, at some times in seconds.
    pub fn of_clip(clip: Option<usize>, times: Vec<f64>) -> Self {
        let names = times.iter().map(|time| format!("{time:.3} s")).collect();
        Self { clip, times, names, angles: Vec::new(), turn: None }
    }

    /// Uses the pose `base` with joints turned, or with each turn of a sweep. The poses become a new clip of the model.
    pub fn of_turns(model: &mut Model, mut base: LocalPose, turns: Vec<Turn>, sweep: Option<Vec<Turn>>) -> Self {
        let name = if sweep.is_some() { "sweep" } else { "pose" };
        // A sweep starts from the turned pose. Without a sweep, the single turn is under test.
        let (others, subjects) = match (sweep, turns.as_slice()) {
            (Some(sweep), _) => (turns, sweep),
            (None, [only]) => (Vec::new(), vec![*only]),
            (None, _) => (turns, Vec::new()),
        };
        others.iter().for_each(|turn| turn.apply(&mut base));
        let turned = |turn: &Turn| {
            let mut pose = base.clone();
            turn.apply(&mut pose);
            pose
        };
        let poses: Vec<LocalPose> =
            if subjects.is_empty() { vec![base.clone()] } else { subjects.iter().map(turned).collect() };
        model.clips.push(clip_of(name, &poses, SWEEP_INTERVAL));
        Self {
            clip: Some(model.clips.len() - 1),
            times: (0..poses.len()).map(|number| number as f64 * SWEEP_INTERVAL).collect(),
            names: match subjects.as_slice() {
                [] => vec!["the pose".to_owned()],
                subjects => subjects.iter().map(|turn| format!("{}\u{b0}", turn.degrees)).collect(),
            },
            angles: subjects.iter().map(|turn| turn.degrees).collect(),
            turn: subjects.last().map(|&turn| (turn, base)),
        }
    }
}

/// Returns the default times of a clip in seconds: start, a middle frame, a time between two frames, and end. 0 without
/// a clip.
pub fn default_times(clip: Option<&Clip>) -> Vec<f64> {
    let Some(clip) = clip.filter(|clip| clip.duration > 0.0) else { return vec![0.0] };
    let frame = clip.frame_rate.map_or(clip.duration / 24.0, f64::recip);
    let middle = ((0.5 * clip.duration / frame).round() * frame).min(clip.duration);
    vec![0.0, middle, (middle + 0.4 * frame).min(clip.duration), clip.duration]
}

/// Returns the angles of a sweep in degrees: every five from the first, and the last.
pub fn sweep_angles(from: f64, to: f64) -> Vec<f64> {
    // A remainder caused by rounding is not a step.
    let steps = ((to - from) / SWEEP_STEP - 1e-9).ceil().max(1.0) as usize;
    (0..steps).map(|step| from + SWEEP_STEP * step as f64).chain([to]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_has_steps_of_five_degrees_and_both_ends() {
        assert_eq!(sweep_angles(0.0, 20.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(sweep_angles(-7.0, 4.5), [-7.0, -2.0, 3.0, 4.5]);
        assert_eq!(sweep_angles(1.5, 2.0), [1.5, 2.0]);
        assert_eq!(sweep_angles(0.1, 15.1).len(), 4);
        assert_eq!(sweep_angles(0.0, 91.0).last_chunk(), Some(&[85.0, 90.0, 91.0]));
    }
}
