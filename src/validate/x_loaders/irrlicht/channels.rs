//! Keys of joints.

use bindpose_parsers::Span;

/// Kinds of keys, as in the file.
pub(super) const ROTATION: usize = 0;
pub(super) const SCALE: usize = 1;
pub(super) const POSITION: usize = 2;

/// Largest deviation that still counts as the identity.
pub(super) const EXACT: f32 = 1e-3;

/// A list of keys of one kind.
#[derive(Default, Clone, Copy)]
pub(super) struct Channel {
    /// Time of the last accepted key.
    pub last: Option<f32>,
    /// Animation set of the first key.
    pub set: usize,
}

/// Rotation, scale and position keys of a joint.
#[derive(Default)]
pub(super) struct Channels {
    pub channels: [Channel; 3],
    pub has_matrices: bool,
    /// Span of the first list.
    pub span: Span,
}

impl Channels {
    /// Describes the part of a frame's matrix that its keys replace but do not contain.
    pub fn lost_part(&self, matrix: &[f32; 16]) -> Option<&'static str> {
        let has = |kind: usize| self.channels.get(kind).is_some_and(|channel| channel.last.is_some());
        if ![ROTATION, SCALE, POSITION].into_iter().any(has) {
            return None;
        }
        let [a0, a1, a2, _, b0, b1, b2, _, c0, c1, c2, _, x, y, z, _] = *matrix;
        let rows = [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]];
        let lengths = rows.map(length);
        let differs = |value: f32, wanted: f32| (value - wanted).abs() > EXACT;
        let is_scaled = lengths.iter().any(|&length| differs(length, 1.0));
        let mirrored = [a0, b1, c2].into_iter().filter(|&part| part < 0.0).count();
        let is_skew = [a1, a2, b0, b2, c0, c1].iter().any(|&part| differs(part, 0.0));
        // Two negative axes are half a turn. An odd number mirrors.
        let is_turned = is_skew || mirrored == 2 && !has(SCALE);
        let is_scaled = is_scaled || !is_skew && mirrored % 2 == 1;
        match () {
            () if !has(POSITION) && [x, y, z].iter().any(|&part| differs(part, 0.0)) => Some("translation"),
            () if !has(ROTATION) && is_turned => Some("rotation"),
            () if !has(SCALE) && !self.has_matrices && is_scaled => Some("scale"),
            () => None,
        }
    }
}

pub(super) fn length([x, y, z]: [f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
