//! Matrices blended by their logarithms (Alexa 2002; for skinning Magnenat-Thalmann et al. 2004).

use super::linear::push_turned;
use super::rotation::rotation;
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, DQuat, DVec3};

/// Logarithm of a rigid map, the twist of a screw motion: `exp` of the 4x4 matrix `[[turn]x, travel; 0, 0]` is the map.
///
/// The closed forms of logarithm and exponential are from Murray, Li and Sastry 1994, "A Mathematical Introduction to
/// Robotic Manipulation", chapter 2 and appendix A.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Twist {
    /// Axis times angle in radians. At most half a turn.
    pub turn: DVec3,
    /// Initial velocity of the origin, model units.
    pub travel: DVec3,
}

impl Twist {
    /// Returns the principal logarithm of a palette entry, without scale and shear.
    pub fn from_affine(map: &DAffine3) -> Self {
        let rotation = rotation(map);
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        let (vector, t) = (rotation.xyz(), map.translation);
        let half = vector.length().atan2(rotation.w);
        let turn = if half > 0.0 { vector * (2.0 * half / vector.length()) } else { DVec3::ZERO };
        // (1 - half cot(half)) / angle^2; as a series where the difference would cancel.
        let share = if half < 1e-3 {
            1.0 / 12.0 + half * half / 180.0
        } else {
            (1.0 - half / half.tan()) / (4.0 * half * half)
        };
        Self { turn, travel: t - turn.cross(t) / 2.0 + turn.cross(turn.cross(t)) * share }
    }

    /// Returns the rotation and translation of the screw.
    fn exp(self) -> (DQuat, DVec3) {
        let Self { turn, travel } = self;
        let square = turn.length_squared();
        let angle = square.sqrt();
        // (1 - cos) / angle^2 and (angle - sin) / angle^3; as series where the differences would cancel.
        let (across, along) = if angle < 1e-2 {
            (0.5 - square / 24.0 + square * square / 720.0, 1.0 / 6.0 - square / 120.0 + square * square / 5040.0)
        } else {
            ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
        };
        let moved = travel + turn.cross(travel) * across + turn.cross(turn.cross(travel)) * along;
        (DQuat::from_scaled_axis(turn), moved)
    }
}

/// Computes `exp(sum w_i log(palette[i]))`, with the principal logarithms.
///
/// As published, the result depends on the model's orientation: rotated together, all joints may pass half a turn,
/// where logarithms jump.
pub(super) fn skin(mesh: &Mesh, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let twists: Vec<Twist> = palette.iter().map(Twist::from_affine).collect();
    for vertex in 0..mesh.vertex_count() {
        let mut sum = Twist::default();
        for influence in mesh.influences_of(vertex) {
            let (twist, weight) = (twists[influence.slot as usize], f64::from(influence.weight));
            sum = Twist { turn: sum.turn + twist.turn * weight, travel: sum.travel + twist.travel * weight };
        }
        let (rotation, moved) = sum.exp();
        let position = rotation * mesh.positions[vertex].as_dvec3() + moved;
        push_turned(out, mesh, vertex, position, rotation);
    }
}
