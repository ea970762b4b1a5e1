//! Curves over a clip: position and movement of a joint at each frame, and the distance between the halves of a split
//! view.

use super::edit::degrees_of;
use super::{Player, Side, VertexRef, paint};
use bindpose_core::model::{Clip, JointId, Model};
use bindpose_core::play::Playback;
use bindpose_core::pose::{self, LocalPose, ModelPose};
use glam::{DQuat, DVec3};

/// Largest number of frames that are measured, minus one.
const MOST_FRAMES: u64 = 5000;

/// Quantity of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Curve {
    /// Position in model space, in units.
    #[default]
    Position,
    /// Position in the parent's space, in units.
    LocalPosition,
    /// Rotation in model space about x, then y, then z, in degrees without jumps.
    Rotation,
    /// Rotation in the parent's space about x, then y, then z, in degrees without jumps.
    LocalRotation,
    /// Angle from the rotation in the first frame, in the parent's space, in degrees.
    Angle,
    /// Scale in the parent's space.
    Scale,
    /// Speed in model space, in units per second.
    Speed,
    /// Largest distance between the vertices of the halves of a split view, in units. In a single view, it is the
    /// distance from linear blending without limits.
    Difference,
}

impl Curve {
    /// All quantities, in order.
    pub const ALL: [Self; 8] = [
        Self::Position,
        Self::LocalPosition,
        Self::Rotation,
        Self::LocalRotation,
        Self::Angle,
        Self::Scale,
        Self::Speed,
        Self::Difference,
    ];

    /// Returns the label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position, model space",
            Self::LocalPosition => "position, parent's space",
            Self::Rotation => "rotation, model space",
            Self::LocalRotation => "rotation, parent's space",
            Self::Angle => "angle from the first frame",
            Self::Scale => "scale",
            Self::Speed => "speed",
            Self::Difference => "difference of the halves",
        }
    }

    /// Returns the unit of the values.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Position | Self::LocalPosition | Self::Difference => "units",
            Self::Rotation | Self::LocalRotation | Self::Angle => "°",
            Self::Speed => "units/s",
            Self::Scale => "",
        }
    }

    /// Returns the names of its components.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Angle => &["angle"],
            Self::Speed => &["speed"],
            Self::Difference => &["distance"],
            _ => &["x", "y", "z"],
        }
    }
}

/// Returns the number of a clip's frames on curves, at most 5001.
pub fn frames_of(clip: &Clip) -> u64 {
    Playback::new(Some(clip)).last_frame().min(MOST_FRAMES) + 1
}

/// Returns the values of a joint at each frame of a clip, one list for each of [`Curve::parts`]. The result is empty
/// for [`Curve::Difference`].
pub fn of_joint(model: &Model, clip: &Clip, joint: JointId, curve: Curve) -> Vec<Vec<f64>> {
    let rate = Playback::new(Some(clip)).frame_rate();
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    let mut at_frame = |frame: u64| {
        pose::sample(&model.skeleton, clip, frame as f64 / rate, &mut local);
        pose::local_to_model(&model.skeleton, &local, &mut posed);
        (local.0[joint.index()], posed.0[joint.index()])
    };
    let frames: Vec<_> = (0..frames_of(clip)).map(&mut at_frame).collect();
    let three = |value: &dyn Fn(usize) -> DVec3| {
        let values: Vec<DVec3> = (0..frames.len()).map(value).collect();
        (0..3).map(|axis| values.iter().map(|value| value[axis]).collect()).collect()
    };
    let euler = |rotation: &dyn Fn(usize) -> DQuat| {
        let mut last = degrees_of(rotation(0));
        let mut follow = |frame: usize| {
            last = nearest(degrees_of(rotation(frame)), last);
            DVec3::from_array(last)
        };
        let angles: Vec<DVec3> = (0..frames.len()).map(&mut follow).collect();
        three(&|frame| angles[frame])
    };
    match curve {
        Curve::Position => three(&|frame| frames[frame].1.translation),
        Curve::LocalPosition => three(&|frame| frames[frame].0.translation),
        Curve::Rotation => euler(&|frame| frames[frame].1.to_scale_rotation_translation().1),
        Curve::LocalRotation => euler(&|frame| frames[frame].0.rotation),
        Curve::Angle => {
            let first = frames[0].0.rotation;
            vec![frames.iter().map(|(local, _)| local.rotation.angle_between(first).to_degrees()).collect()]
        }
        Curve::Scale => three(&|frame| frames[frame].0.scale),
        Curve::Speed => {
            let moved = |frame: usize| frames[frame].1.translation.distance(frames[frame - 1].1.translation) * rate;
            // The first frame has the speed of the second one.
            vec![(0..frames.len()).map(|frame| if frames.len() < 2 { 0.0 } else { moved(frame.max(1)) }).collect()]
        }
        Curve::Difference => Vec::new(),
    }
}

/// Returns the angles about x, y and z of the same rotation that are the nearest to those before, in degrees: one of two
/// triples, and whole turns.
fn nearest([x, y, z]: [f64; 3], before: [f64; 3]) -> [f64; 3] {
    let wound = |angles: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|axis| angles[axis] - 360.0 * ((angles[axis] - before[axis]) / 360.0).round())
    };
    let distance = |angles: &[f64; 3]| (0..3).map(|axis| (angles[axis] - before[axis]).abs()).sum::<f64>();
    let (first, second) = (wound([x, y, z]), wound([x + 180.0, 180.0 - y, z + 180.0]));
    if distance(&second) < distance(&first) - 1e-6 { second } else { first }
}

/// Returns index and value of the smallest and the largest finite value; `None` if there is no finite value.
pub fn extremes(values: &[f64]) -> Option<[(usize, f64); 2]> {
    let finite = || values.iter().copied().enumerate().filter(|(_, value)| value.is_finite());
    let least = finite().min_by(|a, b| a.1.total_cmp(&b.1))?;
    // The first of equal values wins.
    let most = finite().fold(least, |most, one| if one.1 > most.1 { one } else { most });
    Some([least, most])
}

impl Player {
    /// Returns the largest distance between the halves of a split view at a time of the clip in seconds, in model
    /// units, with its vertex and the joint that moves it most. Models with different numbers of vertices are compared
    /// by joints of the same name. Without a split view, returns the distance from linear blending without limits.
    /// Returns `None` if the clip or a method has no such pose.
    pub fn difference_at(&mut self, time: f64) -> Option<(f32, Option<VertexRef>, Option<JointId>)> {
        let mut state = self.state.for_recording();
        state.playback.seek(time);
        let posed_on = |side: Side| {
            let (_, clip) = self.shown_on(side);
            let model = match self.other().filter(|_| state.shows_other(side)) {
                Some(other) => other,
                None => &**self.model(),
            };
            let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
            let of_other = state.shows_other(side).then(|| self.state_of_other(&state, model, clip));
            let state = of_other.as_ref().unwrap_or(&state);
            let time = state.pose(model, clip, 0.0, &mut local, &mut posed);
            (posed, time)
        };
        let (left, left_time) = posed_on(Side::Left);
        let (right, right_time) = posed_on(Side::Right);
        let left_vertices = self.skinned(Side::Left, &left, left_time)?;
        let right_vertices = match self.state.split {
            Some(_) => self.skinned(Side::Right, &right, right_time)?,
            None => paint::linear_positions(self.model(), &left),
        };
        match paint::apart(&left_vertices, &right_vertices) {
            Some(apart) => paint::worst(self.model(), &apart).map(|(far, vertex, joint)| (far, Some(vertex), joint)),
            None => self.joints_apart(&left, &right).map(|(far, joint)| (far, None, Some(joint))),
        }
    }

    /// Returns the largest distance between joints of the same name.
    fn joints_apart(&self, left: &ModelPose, right: &ModelPose) -> Option<(f32, JointId)> {
        let (model, other) = (self.model(), self.other()?);
        let far = |joint: JointId| {
            let same = other.skeleton.find(&model.skeleton[joint].name)?;
            let (a, b) = (left.0.get(joint.index())?, right.0.get(same.index())?);
            Some((a.translation.distance(b.translation) as f32, joint))
        };
        model.skeleton.ids().filter_map(far).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::{JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
    use std::f64::consts::FRAC_PI_2;

    /// Creates a root that turns by a quarter per frame about z, and a hand 3 along its x; four frames at ten per
    /// second.
    fn wheel() -> (Model, Clip) {
        let mut skeleton = Skeleton::new();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        let arm = Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::X * 3.0);
        skeleton.push("hand", Some(root), arm);
        let rotation = (0..4).map(|frame| DQuat::from_rotation_z(FRAC_PI_2 * f64::from(frame))).collect();
        let rotation = Some(Track { timeline: TimelineId(0), values: rotation });
        let clip = Clip {
            duration: 0.3,
            frame_rate: Some(10.0),
            timelines: vec![Timeline::new(vec![0.0, 0.1, 0.2, 0.3]).unwrap()],
            joints: vec![JointTracks::Parts { translation: None, rotation, scale: None }, JointTracks::default()],
            ..Clip::default()
        };
        (Model { skeleton, ..Model::default() }, clip)
    }

    #[test]
    fn curves_follow_a_wheel() {
        let (model, clip) = wheel();
        let [root, hand] = ["root", "hand"].map(|name| model.skeleton.find(name).unwrap());
        let rounded = |joint, curve| {
            let round = |value: &f64| (value * 1e6).round() / 1e6 + 0.0;
            let parts = of_joint(&model, &clip, joint, curve);
            parts.iter().map(|part| part.iter().map(round).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let zero = vec![0.0; 4];
        assert_eq!(
            rounded(hand, Curve::Position),
            [vec![3.0, 0.0, -3.0, 0.0], vec![0.0, 3.0, 0.0, -3.0], zero.clone()]
        );
        assert_eq!(rounded(hand, Curve::LocalPosition), [vec![3.0; 4], zero.clone(), zero.clone()]);
        // The angle continues past a half turn without jumping back.
        let turns = vec![0.0, 90.0, 180.0, 270.0];
        assert_eq!(rounded(hand, Curve::Rotation), [zero.clone(), zero.clone(), turns.clone()]);
        assert_eq!(rounded(root, Curve::LocalRotation)[2], turns);
        assert_eq!(rounded(root, Curve::Angle), [vec![0.0, 90.0, 180.0, 90.0]]);
        assert_eq!(rounded(root, Curve::Scale), [vec![1.0; 4], vec![1.0; 4], vec![1.0; 4]]);
        // The chord of a quarter turn is 3 times the root of 2, covered in a tenth of a second.
        let speed = (30.0 * 2.0_f64.sqrt() * 1e6).round() / 1e6;
        assert_eq!(rounded(hand, Curve::Speed), [vec![speed; 4]]);
    }

    #[test]
    fn angles_continue_past_a_quarter_turn_about_y() {
        let (model, mut clip) = wheel();
        let root = model.skeleton.find("root").unwrap();
        let rotation = [0.0, 50.0, 100.0, 150.0].map(|angle: f64| DQuat::from_rotation_y(angle.to_radians()));
        let JointTracks::Parts { rotation: Some(track), .. } = &mut clip.joints[0] else { panic!("no rotation") };
        track.values = rotation.to_vec();
        let [x, y, z] = of_joint(&model, &clip, root, Curve::LocalRotation).try_into().unwrap();
        assert_eq!(y.iter().map(|angle| angle.round()).collect::<Vec<_>>(), [0.0, 50.0, 100.0, 150.0]);
        assert!(x.iter().chain(&z).all(|angle| angle.abs() < 1e-6), "{x:?} {z:?}");
    }

    #[test]
    fn the_first_of_equal_extremes_counts() {
        assert_eq!(extremes(&[2.0, 5.0, f64::NAN, 1.0, 5.0, 1.0]), Some([(3, 1.0), (1, 5.0)]));
        assert_eq!(extremes(&[f64::NAN]), None);
        assert_eq!(extremes(&[]), None);
    }

    #[test]
    fn every_part_has_a_name() {
        let (model, clip) = wheel();
        let root = model.skeleton.find("root").unwrap();
        for curve in Curve::ALL.into_iter().filter(|&curve| curve != Curve::Difference) {
            assert_eq!(of_joint(&model, &clip, root, curve).len(), curve.parts().len(), "{curve:?}");
        }
    }
}
