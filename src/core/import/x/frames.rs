//! Frames of `.x` files.

use super::space::{Crossing, Side};
use crate::model::{JointId, Model, Transform};
use bindpose_parsers::Span;
use glam::DAffine3;
use std::collections::HashMap;

/// Frames of a `.x` file, in file space.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// One frame per joint, in the skeleton's order.
    pub(super) frames: Vec<FrameSpace>,
    /// First joint of each name. Names are the file's bytes.
    pub(super) by_name: HashMap<Vec<u8>, JointId>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FrameSpace {
    pub joint: JointId,
    pub parent: Option<usize>,
    /// Transform from the frame's to its parent's space, in file conventions.
    pub local: DAffine3,
    /// Transform from the frame's to file space, at rest.
    pub world: DAffine3,
    /// `G` in the equations.
    pub side: Side,
}

impl Frames {
    /// Adds a frame to the skeleton. A parent index out of range makes a root.
    pub(super) fn push(&mut self, model: &mut Model, name: String, parent: Option<usize>, local: DAffine3) -> JointId {
        let parent = parent.filter(|&parent| parent < self.frames.len());
        let above = parent.map(|parent| self.frames[parent]);
        let world = above.map_or(local, |above| above.world * local);
        let side = Side::of_world(&world).unwrap_or_else(|| above.map_or(Side::Mirrored, |above| above.side));
        let crossing = Crossing { from: above.map_or(Side::Mirrored, |above| above.side), to: side };
        let rest_local = Transform::from_affine(crossing.affine(&local));
        let joint = model.skeleton.push(name, above.map(|above| above.joint), rest_local);
        self.frames.push(FrameSpace { joint, parent, local, world, side });
        joint
    }

    /// Returns the conversion of a joint's local transforms from file to model space.
    pub(super) fn crossing(&self, frame: &FrameSpace) -> Crossing {
        let above = frame.parent.map(|parent| self.frames[parent]);
        Crossing { from: above.map_or(Side::Mirrored, |above| above.side), to: frame.side }
    }
}

/// Returns the span of the type name at the start of an object: enough to show its position.
pub(super) fn head(span: Span, type_name: &str) -> Span {
    let start = span.start as usize;
    Span::new(start, (start + type_name.len()).min(span.end as usize))
}
