//! Frames of an animation as rows of six numbers, decoded from the channels' flags, the base frame and the frames'
//! components (docs/formats/md5.md "Frames and components").

use crate::model::Transform;
use bindpose_parsers::md5::{AnimFile, Channel};
use glam::{DQuat, DVec3};

/// Tx Ty Tz Qx Qy Qz of one joint in its parent's space, in file units, without the quaternion's w.
pub type Row = [f64; 6];

/// Meaning of the root joint's translation in a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootTranslation {
    /// Root translation as in the file.
    File,
    /// As in Doom 3: animated axes of joint 0 are relative to the base frame, others are 0
    /// (docs/formats/md5.md "The root joint").
    Engine,
}

/// Decoder of single rows of an animation. Keeps no frame data of its own.
#[derive(Debug, Clone)]
pub struct Rows<'f> {
    components: &'f [f64],
    /// Components per frame.
    width: usize,
    frame_count: usize,
    channels: Vec<ChannelRows>,
}

#[derive(Debug, Clone)]
struct ChannelRows {
    base: Row,
    /// Offset subtracted from each component.
    origin: Row,
    /// Offset in a frame of each number. `None` for numbers from the base frame.
    components: [Option<usize>; 6],
}

impl<'f> Rows<'f> {
    /// Prepares the channels of a file.
    ///
    /// Flags assign components one after the other, in the order of a [`Row`], starting at the channel's first
    /// component. Those outside the frame keep the base frame's value.
    pub fn new(file: &'f AnimFile<'_>, root: RootTranslation) -> Self {
        let width = usize::try_from(file.num_animated_components.value).unwrap_or(0);
        let frame_count = file.components.len().checked_div(width).unwrap_or(file.frames.len());
        let channel = |(index, channel): (usize, &Channel<'_>)| {
            let mut base = file.baseframe.get(index).map_or([0.0; 6], |pose| {
                let ([tx, ty, tz], [qx, qy, qz]) = (pose.position, pose.rotation);
                [tx, ty, tz, qx, qy, qz]
            });
            let mut origin = [0.0; 6];
            if index == 0 && root == RootTranslation::Engine {
                origin[..3].copy_from_slice(&base[..3]);
                base[..3].fill(0.0);
            }
            ChannelRows { base, origin, components: animated_components(channel, width) }
        };
        let channels = file.hierarchy.iter().enumerate().map(channel).collect();
        Self { components: &file.components, width, frame_count, channels }
    }

    /// Replaces the base frame by 0, as in engines that ignore it.
    pub(crate) fn without_base(mut self) -> Self {
        self.channels.iter_mut().for_each(|channel| channel.base = [0.0; 6]);
        self
    }

    /// Returns the number of frames in the file.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// Returns the number of channels in the file, one per joint.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Returns the row of a channel in a frame, both counted from 0.
    pub fn row(&self, channel: usize, frame: usize) -> Row {
        let ChannelRows { base, origin, components } = &self.channels[channel];
        std::array::from_fn(|part| {
            let component = components[part].and_then(|offset| self.components.get(frame * self.width + offset));
            component.map_or(base[part], |component| component - origin[part])
        })
    }

    /// Returns the row of a channel in the base frame.
    pub fn base(&self, channel: usize) -> Row {
        self.channels[channel].base
    }

    /// Returns the rows of all channels of a frame.
    pub fn frame(&self, frame: usize) -> impl ExactSizeIterator<Item = Row> + '_ {
        (0..self.channel_count()).map(move |channel| self.row(channel, frame))
    }

    /// Returns the number of translation keys of a channel: one per frame, or one if frames do not animate it.
    pub(crate) fn translation_keys(&self, channel: usize) -> usize {
        self.keys(channel, 0..3)
    }

    /// Returns the number of rotation keys of a channel: one per frame, or one if frames do not animate it.
    pub(crate) fn rotation_keys(&self, channel: usize) -> usize {
        self.keys(channel, 3..6)
    }

    fn keys(&self, channel: usize, parts: std::ops::Range<usize>) -> usize {
        let moves = self.channels[channel].components[parts].iter().any(Option::is_some);
        if moves { self.frame_count.max(1) } else { 1 }
    }
}

/// Returns the offset in a frame of each number of a row. Returns `None` for numbers from the base frame and for
/// offsets outside the frame.
fn animated_components(channel: &Channel<'_>, width: usize) -> [Option<usize>; 6] {
    let mut next = usize::try_from(channel.first_component.value).ok();
    std::array::from_fn(|bit| {
        if channel.flags.value & (1 << bit) == 0 {
            return None;
        }
        let offset = next?;
        next = offset.checked_add(1);
        (offset < width).then_some(offset)
    })
}

/// Returns the first half of a row.
pub fn translation_of(row: Row) -> DVec3 {
    let [tx, ty, tz, ..] = row;
    DVec3::new(tx, ty, tz)
}

/// Returns the second half of a row.
pub(crate) fn quaternion_of(row: Row) -> [f64; 3] {
    let [.., qx, qy, qz] = row;
    [qx, qy, qz]
}

/// Converts a row to a rigid transform into the parent's space, with w restored and the quaternion normalised.
pub fn transform_of(row: Row) -> Transform {
    Transform::from_rotation_translation(rotation(quaternion_of(row)).0, translation_of(row))
}

/// Returns the unit column-vector rotation of a file quaternion, and the excess of x² + y² + z² over 1, at least 0.
pub fn rotation(xyz: [f64; 3]) -> (DQuat, f64) {
    let [x, y, z] = xyz;
    let left = 1.0 - (x * x + y * y + z * z);
    let quaternion = DQuat::from_xyzw(x, y, z, -left.max(0.0).sqrt());
    // Only a quaternion whose components overflow has no length. It becomes the identity.
    let unit = if quaternion.is_finite() { quaternion.normalize() } else { DQuat::IDENTITY };
    (if unit.is_finite() { unit } else { DQuat::IDENTITY }, (-left).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_parsers::md5::parse_anim;

    /// Two frames of three components. Joint 0 uses Tx and Qz. Joint 1 uses Ty from component 2 and Tz from outside the
    /// frame.
    const CLIP: &str = "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 2\nframeRate 24\n\
        numAnimatedComponents 3\nhierarchy {\n\"a\" -1 33 0\n\"b\" 0 6 2\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n\
        ( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 1 2 3 ) ( 0.1 0.2 0.3 )\n( 4 5 6 ) ( 0 0 0 )\n}\n\
        frame 0 {\n10 0.5 20\n}\nframe 1 {\n11 0.6 21\n}\n";

    #[test]
    fn flags_take_components_in_order_and_the_base_frame_gives_the_rest() {
        let file = parse_anim(CLIP.as_bytes()).unwrap().document;
        let rows = Rows::new(&file, RootTranslation::File);
        assert_eq!((rows.frame_count(), rows.channel_count()), (2, 2));
        let decoded: Vec<Row> = rows.frame(1).collect();
        assert_eq!(decoded, [[11.0, 2.0, 3.0, 0.1, 0.2, 0.6], [4.0, 21.0, 6.0, 0.0, 0.0, 0.0]]);
        assert_eq!(rows.base(0), [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]);
        assert_eq!([rows.translation_keys(0), rows.rotation_keys(0)], [2, 2]);
        assert_eq!([rows.translation_keys(1), rows.rotation_keys(1)], [2, 1]);
    }

    /// docs/formats/md5.md "The root joint": animated axes of the root are relative to the base frame, others are 0.
    #[test]
    fn the_engine_plays_the_root_relative_to_the_base_frame() {
        let file = parse_anim(CLIP.as_bytes()).unwrap().document;
        let rows = Rows::new(&file, RootTranslation::Engine);
        assert_eq!(rows.row(0, 1), [10.0, 0.0, 0.0, 0.1, 0.2, 0.6]);
        assert_eq!(rows.row(1, 1), [4.0, 21.0, 6.0, 0.0, 0.0, 0.0]);
    }

    /// The table in docs/formats/md5.md "Quaternions", with w = 0 instead of the engine's sqrt(abs) in the third row.
    #[test]
    fn file_quaternions_turn_the_axes_as_the_engine_does() {
        let turned = |xyz, axis: DVec3| rotation(xyz).0 * axis;
        let half = [0.0, 0.0, 0.7071067691];
        assert!(turned(half, DVec3::X).distance(DVec3::NEG_Y) < 1e-7);
        assert!(turned(half, DVec3::Y).distance(DVec3::X) < 1e-7);
        let thirds = [0.5, 0.5, 0.5];
        assert!(turned(thirds, DVec3::X).distance(DVec3::Z) < 1e-12);
        assert!(turned(thirds, DVec3::Y).distance(DVec3::X) < 1e-12);
        assert!(turned(thirds, DVec3::Z).distance(DVec3::Y) < 1e-12);
        let (over, excess) = rotation([1.1, 0.0, 0.0]);
        assert_eq!(over, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        assert!((excess - 0.21).abs() < 1e-12);
    }
}
