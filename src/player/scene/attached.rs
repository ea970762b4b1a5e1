//! Models on joints of the shown model, such as an object in a hand.

use super::super::edit::turn_of;
use super::{Scene, choose_clip};
use bindpose_core::image_search::ImageChoices;
use bindpose_core::import::is_model_file;
use bindpose_core::load::{ClipRequest, GameRequest, LoadError, LoadOptions};
use bindpose_core::model::Model;
use bindpose_core::play::Playback;
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_core::skin::{Limits, MethodId};
use bindpose_render::{
    AttachedBounds, Camera, Error, Gpu, GpuModel, Instance, PipelineStats, ShaderFiles, clip_bounds,
};
use glam::{DAffine3, DMat4, DVec3, Mat4, Vec3};
use std::path::PathBuf;
use std::str::FromStr;

/// Value of `--attach`: a model, the joint that it follows, its clip and its offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// Name of the joint.
    pub joint: String,
    /// The model. Clips next to it are loaded too.
    pub file: PathBuf,
    /// Name or number of the clip, as of [`choose_clip`].
    pub clip: Option<String>,
    /// Transform from the model's space to the joint's.
    pub joint_from_attached: DAffine3,
}

impl FromStr for Attachment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (joint, rest) = text.split_once('=').ok_or("expected JOINT=FILE, such as hand_r=gun.md5mesh")?;
        // Names of files may contain an @.
        let (model, offset) = match rest.rsplit_once('@') {
            Some((model, offset)) if !is_model_file(offset.as_ref()) => (model, offset),
            _ => (rest, "0,0,0"),
        };
        let numbers: Option<Vec<f64>> =
            offset.split(',').map(|part| part.trim().parse().ok().filter(|number: &f64| number.is_finite())).collect();
        let (translation, degrees) = match numbers.as_deref() {
            Some(&[x, y, z]) => (DVec3::new(x, y, z), [0.0; 3]),
            Some(&[x, y, z, about_x, about_y, about_z]) => (DVec3::new(x, y, z), [about_x, about_y, about_z]),
            _ => {
                return Err("expected @X,Y,Z or @X,Y,Z,RX,RY,RZ after the model: units, then degrees about x, y and z");
            }
        };
        // Names of files may contain commas.
        let named = model.rsplit_once(',').filter(|(file, _)| is_model_file(file.as_ref()));
        let (file, clip) = named.map_or((model, None), |(file, clip)| (file, Some(clip.to_owned())));
        let joint_from_attached = DAffine3::from_rotation_translation(turn_of(degrees), translation);
        Ok(Self { joint: joint.to_owned(), file: file.into(), clip, joint_from_attached })
    }
}

/// A model on a joint of a [`Scene`], before it is uploaded.
pub struct AttachedScene {
    /// The model.
    pub scene: Scene,
    clip: Option<usize>,
    on_joint: AttachedBounds,
}

impl AttachedScene {
    /// True if a clip moves the model.
    pub(crate) fn is_moving(&self) -> bool {
        let clip = self.clip.and_then(|clip| self.scene.loaded.model.clips.get(clip));
        clip.is_some_and(|clip| clip.duration > 0.0)
    }
}

impl Scene {
    /// Loads models onto joints, each with the clips next to it, and with the options of this scene.
    ///
    /// # Errors
    ///
    /// [`LoadError`] of a model, an unknown joint, or an unknown clip.
    pub fn attach(&mut self, attachments: &[Attachment], options: &LoadOptions) -> Result<(), LoadError> {
        for Attachment { joint, file, clip, joint_from_attached } in attachments {
            let other = |error: Box<dyn std::error::Error + Send + Sync>| LoadError::Other(error);
            let joint = self.loaded.model.skeleton.named(joint).map_err(|error| other(error.into()))?;
            let game = GameRequest { subject: None, skin: None, ..options.game.clone() };
            let files = [file.clone()];
            let scene = Self::load(&files, LoadOptions { game, clips: ClipRequest::default(), ..options.clone() })?;
            let clip = choose_clip(&scene, &files, clip.as_deref()).map_err(|error| other(error.into()))?;
            let model = &scene.loaded.model;
            let bounds = clip_bounds(model, clip.and_then(|clip| model.clips.get(clip)));
            let on_joint = AttachedBounds { joint, joint_from_attached: *joint_from_attached, bounds };
            self.attached.push(AttachedScene { scene, clip, on_joint });
        }
        Ok(())
    }

    /// Uploads the scene with its attached models, and frees what is no longer needed. The images of attached models are
    /// looked for in the same additional folders. Lists those that are missing or broken with the scene's.
    pub(crate) fn upload(
        &mut self,
        gpu: &Gpu,
        shaders: &ShaderFiles,
        images: &ImageChoices,
    ) -> Result<(GpuModel, Vec<Attached>), Error> {
        let gpu_model = self.gpu_model(gpu, shaders, Limits::default(), images)?;
        let mut attached = Vec::new();
        for AttachedScene { scene, clip, on_joint } in &mut self.attached {
            let gpu_model = scene.gpu_model(gpu, shaders, Limits::default(), &of_attached(images))?;
            self.loaded.left_out.extend(scene.lost_images().cloned());
            scene.free_bytes();
            attached.push(Attached { gpu_model, clip: *clip, on_joint: *on_joint });
        }
        self.free_bytes();
        Ok((gpu_model, attached))
    }
}

/// Returns the choices of images for attached models: images chosen for a surface belong to the scene's model.
pub(crate) fn of_attached(images: &ImageChoices) -> ImageChoices {
    ImageChoices { folders: images.folders.clone(), ..ImageChoices::default() }
}

/// A model on a joint, on the GPU.
pub(crate) struct Attached {
    pub(crate) gpu_model: GpuModel,
    pub(crate) clip: Option<usize>,
    pub(crate) on_joint: AttachedBounds,
}

impl Attached {
    /// Returns the method for the model while the other one is shown by `method`: without a clip, there are no frames for
    /// `morph`, and the reference shows the rest pose as well.
    fn method(&self, method: MethodId) -> MethodId {
        if method.method().needs.clip && self.clip.is_none() { MethodId::Cpu } else { method }
    }
}

/// Pose of an attached model, and the time in its clip in seconds.
type AttachedPose = (LocalPose, ModelPose, f64);

/// Compiles a method for a clip of a model, and for the models attached to it. Returns the cost for the model.
pub(crate) fn compile(
    gpu_model: &mut GpuModel,
    attached: &mut [Attached],
    (method, clip): (MethodId, Option<usize>),
) -> Result<PipelineStats, Error> {
    for attached in attached {
        attached.gpu_model.compile(attached.method(method), attached.clip)?;
    }
    gpu_model.compile(method, clip)
}

/// Poses attached models at a time of their clips in seconds. Clips are repeated.
pub(crate) fn poses(attached: &[Attached], seconds: f64) -> Vec<AttachedPose> {
    let pose = |attached: &Attached| {
        let Model { skeleton, clips, .. } = &**attached.gpu_model.model();
        let clip = attached.clip.and_then(|clip| clips.get(clip));
        let mut playback = Playback::new(clip);
        playback.advance(seconds);
        let (mut local, mut posed) = Default::default();
        let time = playback.local_pose(skeleton, clip, 0.0, &mut local);
        pose::local_to_model(skeleton, &local, &mut posed);
        (local, posed, time)
    };
    attached.iter().map(pose).collect()
}

/// Places attached models in these poses at their joints, in each copy of the scene's model.
pub(crate) fn at_joints<'a>(
    attached: &'a mut [Attached],
    poses: &'a [AttachedPose],
    method: MethodId,
    copies: &[Instance<'_>],
    camera: &Camera,
) -> Vec<bindpose_render::Attached<'a>> {
    let model_from_world = camera.world_from_model.inverse();
    let at_joint = |(attached, (local, model, time)): (&'a mut Attached, &'a AttachedPose)| {
        let AttachedBounds { joint, joint_from_attached, .. } = attached.on_joint;
        let placement = |copy: &Instance<'_>| {
            let model_from_attached = copy.model.0[joint.index()] * joint_from_attached;
            Mat4::from_translation(model_from_world * copy.position) * DMat4::from(model_from_attached).as_mat4()
        };
        let placements = copies.iter().map(placement).collect();
        let instance = Instance { model, local, clip: attached.clip, time: *time, position: Vec3::ZERO };
        let method = attached.method(method);
        bindpose_render::Attached { gpu_model: &mut attached.gpu_model, method, instance, placements }
    };
    attached.iter_mut().zip(poses).map(at_joint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_names_joint_model_clip_and_offset() {
        let read = |text: &str| {
            let Attachment { joint, file, clip, joint_from_attached } = text.parse().unwrap();
            (joint, file.display().to_string(), clip.unwrap_or_default(), joint_from_attached)
        };
        let row = |text: &str| {
            let (joint, file, clip, at) = read(text);
            (joint, file, clip, at.translation.to_array())
        };
        let expected = |file: &str, clip: &str, at| ("hand_r".to_owned(), file.to_owned(), clip.to_owned(), at);
        assert_eq!(row("hand_r=gun.md5mesh"), expected("gun.md5mesh", "", [0.0; 3]));
        assert_eq!(row("hand_r=gun.md5mesh,fire@1,-2,.5"), expected("gun.md5mesh", "fire", [1.0, -2.0, 0.5]));
        assert_eq!(row("hand_r=a,b@2x.glb@0, 0, 3"), expected("a,b@2x.glb", "", [0.0, 0.0, 3.0]));
        assert_eq!(row("hand_r=new@home/gun.x"), expected("new@home/gun.x", "", [0.0; 3]));
        // About x, then y, then z, by hand: x stays, goes to -z, stays; y goes to z, x, y.
        let turned = read("hand_r=gun.x@0,0,0,90,90,90").3.matrix3;
        let [x, y] = [DVec3::X, DVec3::Y].map(|axis| (turned * axis).round());
        assert_eq!((x, y), (DVec3::NEG_Z, DVec3::Y));
        for text in ["gun.x", "hand=gun.x@1,2", "hand=gun.x@", "hand=gun.x@1,2,inf", "hand=gun.x@1,2,3,4"] {
            assert!(text.parse::<Attachment>().is_err(), "{text}");
        }
    }
}
