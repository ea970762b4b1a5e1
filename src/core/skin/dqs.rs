//! Dual quaternion skinning (Kavan et al. 2007).

use super::linear::push_frame;
use super::method::{Prepared, TimedPose};
use super::rotation::rotation;
use super::skinned::Skinned;
use glam::{DAffine3, DQuat, DVec3};

/// A rotation and a translation as `real + epsilon * dual`, with `dual = 1/2 * translation * real`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualQuat {
    /// The rotation, of unit length.
    pub real: DQuat,
    /// Half the translation times the rotation.
    pub dual: DQuat,
}

impl DualQuat {
    /// Of a palette entry; scale and shear are left out.
    pub fn from_affine(map: &DAffine3) -> Self {
        let real = rotation(map);
        let t = map.translation;
        Self { real, dual: DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * real * 0.5 }
    }

    /// The translation of a unit dual quaternion: twice the vector part of `dual * conjugate(real)`.
    fn translation(self) -> DVec3 {
        (self.dual * self.real.conjugate()).xyz() * 2.0
    }
}

/// Dual quaternions blended by weight, each with the sign that suits the vertex' first influence, divided by the
/// length of the real part.
pub(super) fn formula(it: &Prepared, _: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let mesh = &it.mesh;
    let duals: Vec<DualQuat> = palette.iter().map(DualQuat::from_affine).collect();
    let none = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for vertex in 0..mesh.vertex_count() {
        let influences = mesh.influences_of(vertex);
        let mut sum = DualQuat { real: none, dual: none };
        for influence in influences {
            let dual = duals[influence.slot as usize];
            let lead = duals[influences[0].slot as usize].real;
            let sign = if lead.dot(dual.real) < -1e-6 { -1.0 } else { 1.0 };
            let weight = sign * f64::from(influence.weight);
            sum = DualQuat { real: sum.real + dual.real * weight, dual: sum.dual + dual.dual * weight };
        }
        let length = sum.real.length();
        let unit = if length > 1e-12 {
            DualQuat { real: sum.real * length.recip(), dual: sum.dual * length.recip() }
        } else {
            DualQuat { real: DQuat::IDENTITY, dual: none }
        };
        push_frame(
            out,
            unit.real * mesh.positions[vertex].as_dvec3() + unit.translation(),
            (unit.real * mesh.normals[vertex].as_dvec3()).normalize_or_zero(),
            unit.real * mesh.tangents[vertex].truncate().as_dvec3(),
        );
    }
}
