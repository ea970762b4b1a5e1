//! The player without its window: model, playback, view.
//!
//! [`State`] is plain data. Keys, panel, command line and tests send [`Change`]s to [`Player::apply`], or derive one
//! from the state with a [`Step`]. [`Player::draw`] draws every frame of `play` and `render`.

#![forbid(unsafe_code)]

mod camera_path;
mod carry_over;
mod change;
mod choices;
mod colours;
pub mod curves;
mod describe;
mod draw;
pub mod edit;
mod events;
mod focus;
mod frame_times;
mod game_models;
mod gizmo;
mod history;
mod marks;
mod method;
pub mod paint;
pub mod pick;
mod posing;
pub mod ranges;
mod scene;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod view;
mod viewport;

pub use camera_path::{CameraPlayback, playback_of};
pub use change::Change;
pub use choices::{
    BACKGROUNDS, BLEND_SHARES, BasePose, Blend, COPIES, Colouring, FADE_SECONDS, MOST_COPIES, Mask, Overlay, Page,
    SPEEDS, Split, UNITS, VertexRef, lights, unit_name,
};
pub use describe::axis_name;
pub use events::ClipEvent;
pub use frame_times::{FrameTime, FrameTimes, TooManyFrames};
pub use game_models::GameModels;
pub use gizmo::Gizmo;
pub use method::MethodChoice;
pub use scene::attached::{AttachedScene, Attachment};
pub use scene::{NoSuchClip, Scene, choose_clip};
pub use state::State;
pub use steps::{Step, next_of};
pub use view::{View, ViewAngles};
pub use viewport::Viewport;

use bindpose_core::engines::{Engine, playing};
use bindpose_core::image_search::{ChosenImage, ImageChoices};
use bindpose_core::left_out::LeftOut;
use bindpose_core::model::{Clip, JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose, RootMotion};
use bindpose_core::skin::MethodId;
use bindpose_render::{Error, Gpu, GpuModel, PipelineStats, RenderSettings, RenderTarget, Renderer, ShaderFiles};
use change::Part;
use describe::cost_notes;
use glam::{DAffine3, Vec3};
use paint::{PaintKey, PaintTarget};
use posing::Crowd;
use scene::attached::{self, Attached};
use std::sync::Arc;

/// Initial settings of a [`Player`].
#[derive(Debug, Clone)]
pub struct PlayerOptions {
    /// Clip of the model; `None` for the rest pose.
    pub clip: Option<usize>,
    /// Drawing of surfaces, bones, grid and background.
    pub settings: RenderSettings,
    /// Number of copies side by side, each at another time of its clip.
    pub copies: usize,
    /// Source of the shaders.
    pub shaders: ShaderFiles,
    /// Methods to choose from, in display order.
    pub methods: Vec<MethodId>,
    /// Initial view.
    pub view: View,
    /// Images that replace those named by the files.
    pub images: ImageChoices,
}

/// Half of a split view. A single view is the left side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The current model, clip and method.
    Left,
    /// The content of [`State::split`].
    Right,
}

/// Model address, clip and joint of a trail.
type TrailKey = (usize, usize, JointId);

/// A scene on the GPU, and the state that determines each frame.
pub struct Player {
    gpu: Gpu,
    scene: Scene,
    /// The scene's model on the GPU.
    pub gpu_model: GpuModel,
    /// Scene of another file, shown in the right half.
    other: Option<(Scene, GpuModel)>,
    /// Models on joints of the scene's model, then of the other one.
    attached: [Vec<Attached>; 2],
    renderer: Renderer,
    shaders: ShaderFiles,
    methods: Vec<MethodId>,
    /// State. Changes that affect the GPU go through [`Player::apply`].
    pub state: State,
    positions: Vec<Vec3>,
    /// Posing of copies: of the model, then of the other file's model.
    crowds: [Option<Crowd>; 2],
    /// Poses of all copies on the left, as last drawn.
    poses: Vec<(LocalPose, ModelPose)>,
    /// Pose of the right half's first copy.
    right_pose: (LocalPose, ModelPose),
    halves: Option<[RenderTarget; 2]>,
    painted: Vec<(PaintTarget, PaintKey)>,
    /// Positions of the selected joint at a clip's frames, in model space.
    trail: Option<(TrailKey, Vec<Vec3>)>,
    /// Largest distance on the colour scale of a difference, in model units.
    shown_difference: f32,
    view: View,
    images: ImageChoices,
    /// Methods whose error was already reported.
    refused: Vec<MethodId>,
    notes: Vec<String>,
}

impl Player {
    /// Uploads a scene. [`Player::show_method`] selects the skinning method.
    pub fn new(gpu: &Gpu, mut scene: Scene, options: PlayerOptions) -> Result<Self, Error> {
        let PlayerOptions { clip, mut settings, copies, shaders, methods, view, images } = options;
        let (gpu_model, attached) = scene.upload(gpu, &shaders, &images)?;
        let model = &scene.loaded.model;
        let shown = clip.and_then(|clip| model.clips.get(clip));
        let bounds: Vec<_> = attached.iter().map(|attached| attached.on_joint).collect();
        let (camera, positions) = view.framing_with(model, shown, None, &bounds, copies.clamp(1, MOST_COPIES));
        // Without surfaces, only the bones are visible.
        settings.skeleton |= model.meshes.is_empty();
        let mut state = State::new(model, clip, camera);
        state.apply(&Change::Copies(copies), model);
        state.settings = settings;
        state.take_from(&scene);
        state.camera_path = scene.loaded.camera.as_ref().map(CameraPlayback::new);
        Ok(Self {
            gpu: gpu.clone(),
            scene,
            notes: Vec::new(),
            gpu_model,
            other: None,
            attached: [attached, Vec::new()],
            renderer: Renderer::new(gpu, &shaders)?,
            shaders,
            methods,
            positions,
            state,
            crowds: [None, None],
            poses: Vec::new(),
            right_pose: Default::default(),
            halves: None,
            painted: Vec::new(),
            trail: None,
            shown_difference: 0.0,
            view,
            images,
            refused: Vec::new(),
        })
    }

    /// Returns a sentence if the engine whose playback is shown ignores the current clip.
    pub fn leaves_clip_out(&self) -> Option<&str> {
        let unplayed = self.scene.loaded.unplayed.iter().find(|left| self.state.clip == Some(left.clip));
        unplayed.map(|left| left.sentence.as_str())
    }

    /// Returns what the model lacks although its files or its folder have it.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.scene.loaded.left_out
    }

    /// Returns the engine whose playback is shown.
    pub fn engine(&self) -> Option<&'static Engine> {
        self.scene.loaded.engine
    }

    /// Returns the reason why no engine's playback of the model can be shown.
    pub fn why_no_engine(&self) -> Option<&'static str> {
        let model = self.model();
        if self.scene.loaded.format.is_none() {
            return Some("Engines play MD5 and .x files only.");
        }
        let is_there = !model.meshes.is_empty() && !model.clips.is_empty();
        (!is_there).then_some("Engines play clips on a mesh: open an .md5mesh together with its .md5anim files.")
    }

    /// Returns the engines that play files of the model's format.
    pub fn engines(&self) -> &'static [Engine] {
        self.scene.loaded.format.map_or(&[], playing)
    }

    /// Shows another scene. Clip, time, camera and selection are kept if the new model has them.
    ///
    /// # Errors
    ///
    /// [`Error`] of textures, methods and programs; nothing changes then.
    pub fn replace_scene(&mut self, mut scene: Scene) -> Result<(), Error> {
        let (mut gpu_model, mut attached) = scene.upload(&self.gpu, &self.shaders, &self.images)?;
        let before = Arc::clone(self.gpu_model.model());
        let frames = self.state.playback.clone();
        let state = self.state.moved_to(&before, &scene.loaded.model);
        for side in [Side::Left, Side::Right] {
            if !state.shows_other(side) {
                attached::compile(&mut gpu_model, &mut attached, state.shown_on(side))?;
            }
        }
        // Missing images are marked at their meshes.
        self.notes.extend(scene.lost_images().filter(|left| left.reason.code == "IO001").map(ToString::to_string));
        (self.gpu_model, self.attached[0], self.state) = (gpu_model, attached, state);
        self.state.take_from(&scene);
        let engine_before = std::mem::replace(&mut self.scene, scene).loaded.engine;
        if self.engine() != engine_before {
            // Games have their own frame rates.
            self.state.keep_frames_of(&frames);
        }
        let before_path = self.state.camera_path.take();
        self.state.camera_path = self.scene.loaded.camera.as_ref().map(|path| match &before_path {
            Some(playback) => playback.moved_to(path),
            None => CameraPlayback::new(path),
        });
        if self.state.camera_path.is_none() {
            self.state.camera.shot = None;
        }
        self.view.target = self.view.target.and_then(|joint| joint_of_name(joint, &before, self.gpu_model.model()));
        if self.view.target.is_none() {
            self.state.camera.followed = None;
        }
        self.poses = Vec::new();
        self.painted.clear();
        self.refused.clear();
        Ok(())
    }

    /// Moves a model that is attached to a joint of the scene's model. Ignores an index out of range.
    pub fn move_attached(&mut self, number: usize, joint_from_attached: DAffine3) {
        if let Some(attached) = self.attached[0].get_mut(number) {
            attached.on_joint.joint_from_attached = joint_from_attached;
        }
    }

    /// Shows the model of another file in the right half.
    ///
    /// # Errors
    ///
    /// [`Error`] of textures, or if the method cannot show that model; nothing changes then.
    pub fn set_other(&mut self, mut scene: Scene) -> Result<(), Error> {
        let (other, attached) = scene.upload(&self.gpu, &self.shaders, &self.images)?;
        let before = self.other.replace((scene, other));
        let attached = std::mem::replace(&mut self.attached[1], attached);
        let split = self.state.split.replace(Split::File);
        if let Err(error) = self.compile() {
            (self.other, self.attached[1], self.state.split) = (before, attached, split);
            return Err(error);
        }
        self.painted.clear();
        Ok(())
    }

    /// Returns the model of the right half's file.
    pub fn other(&self) -> Option<&Model> {
        self.other.as_ref().map(|(_, other)| &**other.model())
    }

    /// Uses an image instead of the one that the files name, from the next loading on. Replaces an earlier choice for
    /// the same surface.
    pub fn choose_image(&mut self, chosen: ChosenImage) {
        self.images.choose(chosen);
    }

    /// Returns the scene. Its files have no bytes any more.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the current model.
    pub fn model(&self) -> &Arc<Model> {
        self.gpu_model.model()
    }

    /// Returns the methods to choose from, in display order.
    pub fn methods(&self) -> &[MethodId] {
        &self.methods
    }

    /// Returns the notes since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Applies the change that a step derives from the current state. Notes a description of the change, or the reason
    /// why there is none.
    pub fn step(&mut self, step: Step) {
        let model = Arc::clone(self.model());
        let change = match step(&self.state, &model) {
            Ok(change) => change,
            Err(reason) => return self.notes.push(reason.into()),
        };
        // In full screen, only the note shows it.
        let description = self.state.describe(&change, &model).filter(|_| !describe::is_evident(&change));
        let known = self.notes.len();
        self.apply(&change);
        let is_refused = self.notes.len() > known;
        self.notes.extend(description.filter(|_| !is_refused));
    }

    /// Applies a change, or notes the reason if it cannot.
    pub fn apply(&mut self, change: &Change) {
        match (change, self.engine().filter(|engine| engine.flattens())) {
            (Change::Split(Some(Split::File)), _) if self.other.is_none() => return,
            (Change::RootMotion(motion), Some(engine)) if *motion != RootMotion::Keep => {
                let title = engine.title();
                return self.notes.push(format!("{title} interpolates in model space, so there is no root to move"));
            }
            _ => {}
        }
        let (shown, before) = (self.shown(), (self.state.method, self.state.split));
        self.state.apply(change, &Arc::clone(self.model()));
        match change.part() {
            Part::Look if self.shown() == shown => {}
            // A method may depend on the clip.
            Part::Look => {
                let compiled = self.compile().map(drop);
                self.or_by_cpu(compiled);
            }
            Part::Method => {
                let method = std::mem::replace(&mut self.state.method, before.0);
                let shown = self.show_method(method);
                self.notes.extend(shown.err().map(|error| error.to_string()));
            }
            Part::Split => {
                if let Err(error) = self.compile() {
                    self.state.split = before.1;
                    self.notes.push(error.to_string());
                }
            }
            Part::Light => self.view.light = self.state.camera.light,
            Part::Camera => self.reset_camera(),
            Part::Axes(front, up) => match self.view.orient(self.gpu_model.model(), Some(front), Some(up)) {
                Ok(()) => self.reset_camera(),
                Err(error) => self.notes.push(error.to_string()),
            },
        }
    }

    /// Falls back to the CPU method if the current one cannot show a change.
    fn or_by_cpu(&mut self, shown: Result<(), Error>) {
        if let Err(error) = shown {
            self.notes.push(format!("{error}; showing cpu instead"));
            self.state.method = MethodId::Cpu;
            if let Some(Split::Method(_)) = self.state.split {
                self.state.split = None;
            }
        }
    }

    /// Changes the skinning method and notes the costs of its limits.
    ///
    /// # Errors
    ///
    /// [`Error`] if the method cannot show this model here; the method does not change then.
    pub fn show_method(&mut self, method: MethodId) -> Result<(), Error> {
        let before = std::mem::replace(&mut self.state.method, method);
        match self.compile() {
            Ok(stats) => {
                self.notes.extend(cost_notes(method, &stats.cost));
                Ok(())
            }
            Err(error) => {
                self.state.method = before;
                Err(error)
            }
        }
    }

    /// Compiles the methods of both sides. Returns the left one's cost.
    fn compile(&mut self) -> Result<PipelineStats, Error> {
        let [left, right] = self.shown();
        let stats = attached::compile(&mut self.gpu_model, &mut self.attached[0], left)?;
        if self.state.split.is_some() {
            let (gpu_model, attached) = self.models_on(Side::Right);
            attached::compile(gpu_model, attached, right)?;
        }
        Ok(stats)
    }

    /// Returns the model of a side and those attached to it.
    fn models_on(&mut self, side: Side) -> (&mut GpuModel, &mut Vec<Attached>) {
        let [attached, of_other] = &mut self.attached;
        match &mut self.other {
            Some((_, other)) if self.state.shows_other(side) => (other, of_other),
            _ => (&mut self.gpu_model, attached),
        }
    }

    /// Changes to the next method that can show the model. Notes once for each skipped method why it cannot.
    pub fn show_next_method(&mut self) {
        let present = self.state.method;
        let mut methods = self.methods.clone();
        let present = methods.iter().position(|&id| id == present);
        methods.rotate_left(present.map_or(0, |present| present + 1));
        for id in methods {
            match self.show_method(id) {
                Ok(()) => return,
                Err(error) if !self.refused.contains(&id) => {
                    self.notes.push(error.to_string());
                    self.refused.push(id);
                }
                Err(_) => {}
            }
        }
    }

    /// Reads the shaders again and compiles those of the current methods.
    ///
    /// # Errors
    ///
    /// [`Error`] with the driver's message; the old programs are kept then.
    pub fn reload_shaders(&mut self) -> Result<(), Error> {
        let renderer = Renderer::new(&self.gpu, &self.shaders)?;
        let shown = self.shown();
        let (own, others) = shown.split_at(if self.state.shows_other(Side::Right) { 1 } else { 2 });
        let own = self.gpu_model.recompiled(own)?;
        if let Some((_, other)) = &mut self.other {
            let others = other.recompiled(others)?;
            other.take(others);
        }
        self.gpu_model.take(own);
        self.attached.iter_mut().flatten().for_each(|attached| attached.gpu_model.forget_programs());
        self.renderer = renderer;
        self.painted.clear();
        Ok(())
    }

    /// Returns the cost of the current method.
    pub fn stats(&mut self) -> Option<PipelineStats> {
        self.gpu_model.prepare(self.state.method, self.state.clip).ok()
    }

    /// Returns the number of bytes uploaded for the last frame.
    pub fn uploaded(&self) -> u64 {
        self.gpu_model.uploaded(self.state.method, self.state.clip)
    }

    /// Returns the current clip.
    pub fn current_clip(&self) -> Option<&Clip> {
        self.state.current_clip(self.model())
    }

    /// Restores the initial view around the current clip, at the model's present position.
    pub fn reset_camera(&mut self) {
        let playback = &self.state.playback;
        let roots_at = (playback.root_motion == RootMotion::Remove).then_some(playback.range().0);
        let bounds: Vec<_> = self.attached[0].iter().map(|attached| attached.on_joint).collect();
        let framed = self.view.framing_with(self.model(), self.current_clip(), roots_at, &bounds, self.state.copies);
        (self.state.camera, self.positions) = framed;
    }

    /// Returns the largest distance on the colour scale of a difference, in model units.
    pub fn shown_difference(&self) -> f32 {
        self.shown_difference
    }

    /// Returns the transform of the first copy to world space.
    fn world_from_first(&self) -> DAffine3 {
        let position = self.positions.first().copied().unwrap_or_default();
        DAffine3::from_rotation_translation(self.state.camera.world_from_model.as_dquat(), position.as_dvec3())
    }

    /// Returns the pose of the first copy as last drawn, in local and model space.
    pub fn pose(&self) -> Option<(&LocalPose, &ModelPose)> {
        self.poses.first().map(|(local, model)| (local, model))
    }
}

/// Finds the joint of the same name in another model.
fn joint_of_name(joint: JointId, model: &Model, other: &Model) -> Option<JointId> {
    other.skeleton.find(&model.skeleton.joints().get(joint.index())?.name)
}
