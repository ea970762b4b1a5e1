//! `joint-offsets`: rotations and positions of the pose (not the palette), with each joint's parent in w.

use super::{JointUpload, Upload, UploadContext};
use crate::joint_uniforms::{UniformArray, rotation, set_pairs};
use crate::vertex_layout::rigid_frame;
use bindpose_core::model::JointId;
use glam::DAffine3;
use std::collections::HashMap;

/// A bind joint with the data needed to pose it.
struct PosedJoint {
    joint: JointId,
    /// Frame of the bind pose without its scale; `None` if it has no scale.
    rigid_frame: Option<DAffine3>,
    /// Index of the parent among the bind joints; -1 for none.
    parent: f32,
}

pub(super) fn new(input: &UploadContext<'_>) -> Box<dyn Upload> {
    let bind = &input.batch.mesh.bind;
    let mut places: HashMap<JointId, usize> = HashMap::with_capacity(bind.len());
    for (place, bound) in bind.iter().enumerate() {
        places.entry(bound.joint).or_insert(place);
    }
    let parent = |joint: JointId| input.skeleton[joint].parent.and_then(|parent| places.get(&parent).copied());
    let joints = bind.iter().map(|bound| PosedJoint {
        joint: bound.joint,
        rigid_frame: rigid_frame(&bound.inverse_bind),
        parent: parent(bound.joint).map_or(-1.0, |place| place as f32),
    });
    let joints: Vec<PosedJoint> = joints.collect();
    let arrays = ["boneQuat", "bonePos"].map(|name| UniformArray::new(name, bind.len()));
    JointUpload::boxed(arrays, [], None, move |posing, arrays, []| {
        let model = posing.first.model;
        let posed = joints.iter().zip(posing.palette()).map(|(joint, entry)| {
            let model_from_joint = match joint.rigid_frame {
                None => model.0[joint.joint.index()],
                Some(frame) => *entry * frame,
            };
            let position = model_from_joint.translation.as_vec3();
            [rotation(&model_from_joint), position.extend(joint.parent).to_array()]
        });
        set_pairs(arrays.each_mut(), posed);
    })
}
