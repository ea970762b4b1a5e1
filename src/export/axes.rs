//! Conversion from the model's axes to a format's.

use bindpose_core::model::Front;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Rotation onto other axes, and a scale. The rotation only swaps and negates coordinates, so it is exact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes {
    turn: DMat3,
    size: f64,
}

impl Axes {
    /// Converts to glTF's axes: +Y up, +Z front, +X left. With `None` nothing is rotated.
    pub(crate) fn to_gltf(front: Option<Front>, size: f64) -> Self {
        let turn = front.map_or(DMat3::IDENTITY, |front| {
            let (up, front) = (DVec3::Z, front.direction());
            DMat3::from_cols(up.cross(front), up, front).transpose()
        });
        Self { turn, size }
    }

    /// Converts a direction.
    pub(crate) fn direction(&self, direction: DVec3) -> DVec3 {
        // Adding zero turns -0 into 0.
        self.turn * direction + DVec3::ZERO
    }

    /// Converts a position or a distance.
    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        self.direction(point) * self.size
    }

    /// Converts a rotation between two converted spaces.
    pub(crate) fn rotation(&self, rotation: DQuat) -> DQuat {
        let axis = self.direction(rotation.xyz());
        DQuat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }

    /// Converts a scale along the axes.
    pub(crate) fn scale(&self, scale: DVec3) -> DVec3 {
        self.turn.abs() * scale
    }

    /// Converts a map between two converted spaces.
    pub(crate) fn affine(&self, map: &DAffine3) -> DAffine3 {
        let matrix3 = self.turn * map.matrix3 * self.turn.transpose();
        DAffine3 { matrix3, translation: self.point(map.translation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the formats' axes: MD5 (x, y, z) is glTF (y, z, x). The importer swaps y and z of .x files, and
    /// their file space (x, y, z) is glTF (x, y, -z).
    #[test]
    fn the_front_of_each_format_is_gltf_z() {
        let p = DVec3::new(1.0, 2.0, 3.0);
        assert_eq!(Axes::to_gltf(Some(Front::PositiveX), 1.0).point(p), DVec3::new(2.0, 3.0, 1.0));
        assert_eq!(Axes::to_gltf(Some(Front::NegativeY), 2.0).point(p), DVec3::new(2.0, 6.0, -4.0));
        assert_eq!(Axes::to_gltf(None, 1.0).point(p), p);
        for front in [Front::PositiveX, Front::NegativeX, Front::PositiveY, Front::NegativeY] {
            let axes = Axes::to_gltf(Some(front), 1.0);
            assert_eq!(axes.direction(front.direction()), DVec3::Z, "{front:?}");
            assert_eq!(axes.direction(DVec3::Z), DVec3::Y, "{front:?}");
        }
    }

    #[test]
    fn rotations_and_maps_turn_consistently() {
        let rotation = DQuat::from_axis_angle(DVec3::new(1.0, -2.0, 0.5).normalize(), 0.7);
        let scale = DVec3::new(0.5, 2.0, -3.0);
        let map = DAffine3::from_scale_rotation_translation(scale, rotation, DVec3::new(4.0, 5.0, 6.0));
        for front in [None, Some(Front::PositiveX), Some(Front::NegativeY)] {
            let axes = Axes::to_gltf(front, 2.0);
            let parts = DAffine3::from_scale_rotation_translation(
                axes.scale(scale),
                axes.rotation(rotation),
                axes.point(map.translation),
            );
            assert!(parts.abs_diff_eq(axes.affine(&map), 1e-12), "{front:?}");
        }
    }
}
