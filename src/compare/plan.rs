//! The moments that methods are compared at.

use super::turn::{Turn, clip_of};
use bindpose_core::model::{Clip, Model};
use bindpose_core::pose::LocalPose;

/// Seconds between the angles of a sweep, in its clip and in its film.
pub const SWEEP_INTERVAL: f64 = 0.1;
/// Degrees between the angles of a sweep; the last one may be nearer.
const SWEEP_STEP: f64 = 5.0;

/// Moments to compare at.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The clip that is shown, by its number; the rest pose without one.
    pub clip: Option<usize>,
    /// Seconds.
    pub times: Vec<f64>,
    /// What people call each.
    pub names: Vec<String>,
    /// Degrees, of a joint that is turned.
    pub angles: Vec<f64>,
    /// The one turn, if there is one, by its last angle, and the pose without it.
    pub turn: Option<(Turn, LocalPose)>,
}

impl Plan {
    /// Moments of a clip, seconds.
    pub fn of_clip(clip: Option<usize>, times: Vec<f64>) -> Self {
        let names = times.iter().map(|time| format!("{time:.3} s")).collect();
        Self { clip, times, names, angles: Vec::new(), turn: None }
    }

    /// The pose `base` with joints turned, or with all of a sweep's turns, one after the other. It becomes a clip of the model.
    pub fn of_turns(model: &mut Model, mut base: LocalPose, turns: Vec<Turn>, sweep: Option<Vec<Turn>>) -> Self {
        let name = if sweep.is_some() { "sweep" } else { "pose" };
        // A sweep starts from the poses; one turn alone is what the comparison is about.
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

/// The first moment of a clip, a middle frame, one between two frames, and the last; seconds.
pub fn usual_times(clip: Option<&Clip>) -> Vec<f64> {
    let Some(clip) = clip.filter(|clip| clip.duration > 0.0) else { return vec![0.0] };
    let frame = clip.frame_rate.map_or(clip.duration / 24.0, f64::recip);
    let middle = ((0.5 * clip.duration / frame).round() * frame).min(clip.duration);
    vec![0.0, middle, (middle + 0.4 * frame).min(clip.duration), clip.duration]
}

/// The angles of a sweep, degrees: every five from the first, and the last.
pub fn sweep_angles(from: f64, to: f64) -> Vec<f64> {
    // What is next to nothing is a rounding of the two.
    let steps = ((to - from) / SWEEP_STEP - 1e-9).ceil().max(1.0) as usize;
    (0..steps).map(|step| from + SWEEP_STEP * step as f64).chain([to]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_goes_in_fives_and_ends_where_it_should() {
        assert_eq!(sweep_angles(0.0, 20.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(sweep_angles(-7.0, 4.5), [-7.0, -2.0, 3.0, 4.5]);
        assert_eq!(sweep_angles(1.5, 2.0), [1.5, 2.0]);
        assert_eq!(sweep_angles(0.1, 15.1).len(), 4);
        assert_eq!(sweep_angles(0.0, 91.0).last_chunk(), Some(&[85.0, 90.0, 91.0]));
    }
}
