//! Dual quaternion skinning (Kavan et al. 2007).

use super::linear::push_turned;
use super::rotation::rotation;
use super::skinned::Skinned;
use crate::model::{Influence, Mesh};
use glam::{DAffine3, DQuat, DVec3};

/// A rotation and a translation as `real + epsilon * dual`, with `dual = 1/2 * translation * real`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualQuat {
    /// Rotation, of unit length.
    pub real: DQuat,
    /// Half the translation times the rotation.
    pub dual: DQuat,
}

impl DualQuat {
    /// Creates the map that applies first `rotation`, then `translation`.
    pub(super) fn new(rotation: DQuat, translation: DVec3) -> Self {
        let DVec3 { x, y, z } = translation;
        Self { real: rotation, dual: DQuat::from_xyzw(x, y, z, 0.0) * rotation * 0.5 }
    }

    /// Converts a palette entry without its scale and shear.
    pub fn from_affine(map: &DAffine3) -> Self {
        Self::new(rotation(map), map.translation)
    }

    /// Returns the translation of a unit dual quaternion: twice the vector part of `dual * conjugate(real)`.
    fn translation(self) -> DVec3 {
        (self.dual * self.real.conjugate()).xyz() * 2.0
    }

    /// Rotates and translates a point. `self` must be a unit dual quaternion.
    pub(super) fn transform_point3(self, point: DVec3) -> DVec3 {
        self.real * point + self.translation()
    }
}

/// Blends dual quaternions by weight, each with the sign nearer to the first influence, and divides by the length of
/// the real part.
pub(super) fn blended(influences: &[Influence], duals: &[DualQuat]) -> DualQuat {
    let none = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let mut sum = DualQuat { real: none, dual: none };
    for influence in influences {
        let dual = duals[influence.slot as usize];
        let lead = duals[influences[0].slot as usize].real;
        let sign = if lead.dot(dual.real) < -1e-6 { -1.0 } else { 1.0 };
        let weight = sign * f64::from(influence.weight);
        sum = DualQuat { real: sum.real + dual.real * weight, dual: sum.dual + dual.dual * weight };
    }
    let length = sum.real.length();
    if length > 1e-12 {
        DualQuat { real: sum.real * length.recip(), dual: sum.dual * length.recip() }
    } else {
        DualQuat { real: DQuat::IDENTITY, dual: none }
    }
}

/// Moves every vertex by its blended dual quaternion.
pub(super) fn skin(mesh: &Mesh, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let duals: Vec<DualQuat> = palette.iter().map(DualQuat::from_affine).collect();
    for vertex in 0..mesh.vertex_count() {
        let unit = blended(mesh.influences_of(vertex), &duals);
        let position = unit.transform_point3(mesh.positions[vertex].as_dvec3());
        push_turned(out, mesh, vertex, position, unit.real);
    }
}
