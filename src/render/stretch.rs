//! Joints that are not rigid, which some methods do not support.

use bindpose_core::model::{JointTracks, Model, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{self, Method, SkinningStage};

/// Reasons why methods that store a joint as a rotation and a translation cannot show a model; `None` if they can.
pub(super) struct Stretch {
    /// Description of a joint that is stretched in its parent's space.
    local: Option<String>,
    /// Description of a joint of some mesh that is stretched relative to its bind pose.
    palette: Option<String>,
}

impl Stretch {
    pub fn of(model: &Model) -> Self {
        let local = stretched_joint(model);
        let bind = model.meshes.iter().find_map(|mesh| {
            let bound = mesh.bind.iter().find(|bound| skin::rigidity_error(&bound.inverse_bind) > skin::RIGID)?;
            let joint = &model.skeleton[bound.joint].name;
            Some(format!("mesh '{}' is bound to a joint '{joint}' that is scaled", mesh.name))
        });
        // The product of two stretched transforms may be rigid.
        let palette = local.clone().or(bind).filter(|_| some_palette_is_stretched(model));
        Self { local, palette }
    }

    /// Returns the reason why a method cannot show the model.
    pub fn against(&self, method: &Method) -> Option<&String> {
        let local = self.local.as_ref().filter(|_| method.stage == SkinningStage::FragmentPasses);
        local.or(self.palette.as_ref()).filter(|_| method.needs.rigid_joints)
    }
}

/// True if a joint is stretched relative to its bind pose, at rest or in any checked pose of the clips.
fn some_palette_is_stretched(model: &Model) -> bool {
    /// Number of intervals between the poses checked per clip. A scale between two of them is only found when it is
    /// shown.
    const INTERVALS: u32 = 16;
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut is_stretched = |local: &LocalPose| {
        local_to_model(&model.skeleton, local, &mut pose);
        model.meshes.iter().any(|mesh| skin::joints_that_are_not_rigid(mesh, &pose) > 0)
    };
    rest(&model.skeleton, &mut local);
    if model.clips.is_empty() {
        return is_stretched(&local);
    }
    model.clips.iter().any(|clip| {
        (0..=INTERVALS).any(|number| {
            sample(&model.skeleton, clip, clip.duration * f64::from(number) / f64::from(INTERVALS), &mut local);
            is_stretched(&local)
        })
    })
}

/// Describes the first joint that some pose stretches in its parent's space.
fn stretched_joint(model: &Model) -> Option<String> {
    let stretched = |local: &Transform| skin::rigidity_error(&local.to_affine()) > skin::RIGID;
    let joints = model.skeleton.joints();
    for joint in joints {
        if stretched(&joint.rest_local) {
            return Some(format!("joint '{}' is {} at rest", joint.name, stretch(&joint.rest_local)));
        }
    }
    for clip in &model.clips {
        for (joint, tracks) in joints.iter().zip(&clip.joints) {
            let key = match tracks {
                JointTracks::Parts { scale, .. } => {
                    let scales = scale.iter().flat_map(|track| &track.values);
                    scales.map(|&scale| Transform { scale, ..Transform::IDENTITY }).find(stretched)
                }
                JointTracks::Whole { keys, .. } => keys.values.iter().copied().find(stretched),
            };
            if let Some(key) = key {
                return Some(format!("joint '{}' is {} in clip '{}'", joint.name, stretch(&key), clip.name));
            }
        }
    }
    None
}

/// Describes a transform that is not rigid.
fn stretch(local: &Transform) -> String {
    let scale = local.scale;
    let mut text = format!("scaled by {:.4} {:.4} {:.4}", scale.x, scale.y, scale.z);
    if local.shear.length() > skin::RIGID {
        text.push_str(" and sheared");
    }
    text
}
