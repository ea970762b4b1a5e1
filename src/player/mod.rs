//! The player without its window: what is shown, how, and at which moment.
//!
//! [`State`] is plain data with one door, [`Player::apply`]: keys, panel, command line and tests send [`Action`]s and
//! read the state. [`Player::draw`] makes every picture, whoever asks for it.

mod action;
mod apply;
mod choices;
mod clock;
mod colours;
mod crowd;
mod draw;
pub mod edit;
mod events;
mod gizmo;
mod keep;
mod marks;
mod method;
mod overlays;
pub mod paint;
mod pick;
mod posing;
pub mod ranges;
mod reel;
mod scene;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod view;
mod viewport;
mod words;

pub use action::Action;
pub use choices::{
    BACKGROUNDS, BLEND_SHARES, COPIES, Colouring, FADE_SECONDS, LIGHTS, MOST_COPIES, Page, SPEEDS, Split, VertexRef,
    towards_light,
};
pub use clock::Clock;
pub use events::ClipEvent;
pub use gizmo::Gizmo;
pub use method::MethodChoice;
pub use overlays::{Overlay, Overlays};
pub use posing::{BasePose, Blend, Mask};
pub use reel::{Reel, playback_of};
pub use scene::{NoSuchClip, Scene, choose_clip};
pub use state::State;
pub use view::{OneAxis, View, ViewAngles};
pub use viewport::Viewport;

use crate::engines::{Engine, LeftOut};
use crate::image_habits::Wanted;
use crate::model::{CameraPath, Clip, JointId, Model};
use crate::pose::{LocalPose, ModelPose, RootMotion};
use crate::render::{
    Bounds, Error, Gpu, GpuModel, PipelineStats, RenderSettings, RenderTarget, Renderer, ShaderFiles, TexelFormat,
};
use crate::skin::{Limits, MethodId};
use colours::{PaintKey, Painted};
use crowd::Crowd;
use glam::{DAffine3, DVec3, Vec2, Vec3};
use std::sync::Arc;
use words::cost_notes;

/// What a [`Player`] begins with.
#[derive(Debug, Clone)]
pub struct PlayerOptions {
    /// Which of the model's clips; none: the rest pose.
    pub clip: Option<usize>,
    /// What is shown besides the figures.
    pub settings: RenderSettings,
    /// Figures side by side, each at another moment of its clip.
    pub copies: usize,
    /// Whether copies play all clips in turn instead of the one that is shown.
    pub all_clips: bool,
    /// Limits of uniform registers to keep to.
    pub limits: Limits,
    /// Numbers of palettes in textures.
    pub texels: TexelFormat,
    /// Where shaders come from.
    pub shaders: ShaderFiles,
    /// How it is looked at.
    pub view: View,
    /// Images instead of those that the files name.
    pub images: Wanted,
}

/// Half of a split view, or all of one that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What the state says.
    Left,
    /// What [`State::split`] says.
    Right,
}

/// A scene on the GPU, with everything that decides what a frame shows.
pub struct Player {
    gpu: Gpu,
    /// The model on the GPU.
    pub gpu_model: GpuModel,
    /// The model of another file, for the right half.
    other: Option<GpuModel>,
    renderer: Renderer,
    shaders: ShaderFiles,
    /// What is shown.
    pub state: State,
    places: Vec<Vec3>,
    /// See [`Scene::engine`].
    engine: Option<&'static Engine>,
    /// See [`Scene::is_md5`].
    is_md5: bool,
    /// See [`Scene::left_out`].
    left_out: Vec<LeftOut>,
    /// See [`State::reel`].
    film: Option<CameraPath>,
    /// What copies of the model, and of the other file's, are posed with.
    crowds: [Option<Crowd>; 2],
    /// Of every copy, as drawn last on the left.
    poses: Vec<(LocalPose, ModelPose)>,
    /// Of the right half's first copy.
    right_pose: (LocalPose, ModelPose),
    halves: Option<[RenderTarget; 2]>,
    painted: Vec<(Painted, PaintKey)>,
    /// See [`Scene::file_bounds`].
    file_bounds: Vec<Vec<Bounds>>,
    /// Ends of joints without children, of the model and of the other file's; found when they are first shown.
    tips: [Option<Vec<Option<DVec3>>>; 2],
    /// How it is looked at to begin with.
    view: View,
    images: Wanted,
    /// Methods whose refusal was noted.
    refused: Vec<MethodId>,
    notes: Vec<String>,
}

impl Player {
    /// Uploads a scene; [`Player::show_method`] chooses how it is skinned.
    ///
    /// # Errors
    ///
    /// [`Error`] of programs, textures and buffers.
    pub fn new(gpu: &Gpu, scene: &Scene, options: PlayerOptions) -> Result<Self, Error> {
        let PlayerOptions { clip, mut settings, copies, all_clips, limits, texels, shaders, view, images } = options;
        let gpu_model = scene.gpu_model(gpu, &shaders, limits, texels, &images)?;
        let shown = clip.and_then(|clip| scene.model.clips.get(clip));
        let (camera, places) = view.framing(&scene.model, shown, copies.clamp(1, MOST_COPIES));
        // Without surfaces the bones are all there is to see.
        settings.skeleton |= scene.model.meshes.is_empty();
        let mut state = State::new(&scene.model, clip, camera);
        state.apply(&Action::Copies(copies), &scene.model);
        (state.settings, state.all_clips, state.limits) = (settings, all_clips, limits);
        state.take_from(scene);
        state.reel = scene.film.as_ref().map(Reel::new);
        Ok(Self {
            gpu: gpu.clone(),
            notes: gpu_model.notes().iter().map(ToString::to_string).collect(),
            gpu_model,
            other: None,
            renderer: Renderer::new(gpu, &shaders)?,
            shaders,
            engine: scene.engine,
            is_md5: scene.is_md5,
            left_out: scene.left_out.clone(),
            film: scene.film.clone(),
            places,
            state,
            crowds: [None, None],
            poses: Vec::new(),
            right_pose: Default::default(),
            halves: None,
            painted: Vec::new(),
            file_bounds: scene.file_bounds.clone(),
            tips: [None, None],
            view,
            images,
            refused: Vec::new(),
        })
    }

    /// That the engine whose playback is shown leaves the clip out, if it does, in a sentence.
    pub fn leaves_clip_out(&self) -> Option<&str> {
        let left_out = self.left_out.iter().find(|left| self.state.clip == Some(left.clip));
        left_out.map(|left| left.sentence.as_str())
    }

    /// Whose playback is shown, if it is an engine's.
    pub fn engine(&self) -> Option<&'static Engine> {
        self.engine
    }

    /// Why an engine's playback of the model cannot be shown, if it cannot.
    pub fn why_no_engine(&self) -> Option<&'static str> {
        let model = self.model();
        if !self.is_md5 {
            return Some("Only MD5 files can be shown as an engine plays them.");
        }
        let is_there = !model.meshes.is_empty() && !model.clips.is_empty();
        (!is_there).then_some("An engine plays clips on a mesh: open an .md5mesh together with its .md5anim files.")
    }

    /// Shows another scene, keeping everything of the state that still has a meaning: a file that was saved anew keeps
    /// clip, moment, camera and selection.
    ///
    /// # Errors
    ///
    /// [`Error`] of textures, methods and programs; nothing has changed then.
    pub fn replace_scene(&mut self, scene: &Scene, texels: TexelFormat) -> Result<(), Error> {
        let mut gpu_model = scene.gpu_model(&self.gpu, &self.shaders, self.state.limits, texels, &self.images)?;
        let before = Arc::clone(self.gpu_model.model());
        let frames = self.state.playback.clone();
        let state = self.state.moved_to(&before, &scene.model);
        for side in [Side::Left, Side::Right] {
            if !state.shows_other(side) {
                let (method, clip) = state.shown_on(side);
                gpu_model.compile(method, clip)?;
            }
        }
        self.notes.extend(gpu_model.notes().iter().map(ToString::to_string));
        self.gpu_model = gpu_model;
        self.state = state;
        self.state.take_from(scene);
        if self.engine != scene.engine {
            // Games play clips at a rate of their own.
            self.state.keep_frames_of(&frames);
        }
        (self.engine, self.is_md5) = (scene.engine, scene.is_md5);
        self.left_out.clone_from(&scene.left_out);
        self.film.clone_from(&scene.film);
        let reel = self.state.reel.take();
        self.state.reel = self.film.as_ref().map(|film| reel.map_or_else(|| Reel::new(film), |reel| reel.of(film)));
        if self.state.reel.is_none() {
            self.state.camera.shot = None;
        }
        self.view.target = self.view.target.and_then(|joint| joint_of_name(joint, &before, &scene.model));
        if self.view.target.is_none() {
            self.state.camera.followed = None;
        }
        (self.tips[0], self.poses, self.file_bounds) = (None, Vec::new(), scene.file_bounds.clone());
        self.painted.clear();
        self.refused.clear();
        Ok(())
    }

    /// Takes another file's model for the right half.
    ///
    /// # Errors
    ///
    /// [`Error`] of textures, and where the method cannot show that model; nothing has changed then.
    pub fn set_other(&mut self, scene: &Scene, texels: TexelFormat) -> Result<(), Error> {
        let other = scene.gpu_model(&self.gpu, &self.shaders, self.state.limits, texels, &self.images)?;
        let before = self.other.replace(other);
        let split = self.state.split.replace(Split::File);
        if let Err(error) = self.compile() {
            (self.other, self.state.split) = (before, split);
            return Err(error);
        }
        self.tips[1] = None;
        self.painted.clear();
        Ok(())
    }

    /// The right half's file, if there is one.
    pub fn other(&self) -> Option<&Model> {
        self.other.as_ref().map(|other| &**other.model())
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        self.gpu_model.model()
    }

    /// What is worth telling and was not told yet.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Does what an action says; what it cannot do is noted.
    pub fn apply(&mut self, action: &Action) {
        let model = Arc::clone(self.gpu_model.model());
        match self.state.meant(action, &model) {
            None => {}
            Some(Ok(meant)) => {
                let is_told = self.notes.len();
                // Not all of it can be seen, and in full screen nothing else tells. What is selected is told anyway.
                let words = self.state.in_words(&meant, &model).filter(|_| !matches!(meant, Action::SelectJoint(_)));
                self.apply(&meant);
                // Unless something was refused.
                self.notes.extend(words.filter(|_| self.notes.len() == is_told));
                return;
            }
            Some(Err(reason)) => return self.notes.push(reason.into()),
        }
        match *action {
            Action::Method(method) => {
                if let Err(error) = self.show_method(method) {
                    self.notes.push(error.to_string());
                }
            }
            Action::NextMethod => self.show_next_method(),
            Action::Limits(limits) => {
                self.state.apply(action, &model);
                for gpu_model in std::iter::once(&mut self.gpu_model).chain(&mut self.other) {
                    gpu_model.set_limits(limits);
                }
                self.painted.clear();
                let shown = self.show_method(self.state.method);
                self.or_by_cpu(shown);
            }
            Action::Copies(_) => {
                self.state.apply(action, &model);
                self.reset_camera();
            }
            Action::Split(Some(Split::File)) if self.other.is_none() => {}
            Action::Split(_) => {
                let before = self.state.split;
                self.state.apply(action, &model);
                if let Err(error) = self.compile() {
                    self.state.split = before;
                    self.notes.push(error.to_string());
                }
            }
            Action::ToggleSplit => {
                // The reference beside the others, and beside itself what is usual.
                let other = if self.state.method == MethodId::Cpu { MethodId::MatrixBlend } else { MethodId::Cpu };
                let split = if self.state.split.is_some() { None } else { Some(Split::Method(other)) };
                self.apply(&Action::Split(split));
            }
            Action::RootMotion(motion) if motion != RootMotion::Keep && self.engine.is_some_and(Engine::flattens) => {
                let title = self.engine.map_or("the engine", |engine| engine.title());
                self.notes.push(format!("{title} has no joints under others between frames, so there is no root"));
            }
            Action::Light(light) => {
                let light = light.and_then(Vec3::try_normalize);
                (self.view.light, self.state.camera.light) = (light, light);
            }
            Action::ResetCamera => {
                self.state.apply(action, &model);
                self.reset_camera();
            }
            Action::CentreOnJoint => {
                if let Some(place) = self.state.joint.and_then(|joint| self.joint_in_world(joint)) {
                    self.state.apply(&Action::Centre(place.translation.as_vec3()), &model);
                }
            }
            _ => {
                let before = self.shown();
                self.state.apply(action, &model);
                if self.shown() != before {
                    // A method may depend on the clip.
                    let compiled = self.compile().map(drop);
                    self.or_by_cpu(compiled);
                }
            }
        }
    }

    /// Where a method cannot show what has changed, another one does.
    fn or_by_cpu(&mut self, shown: Result<(), Error>) {
        if let Err(error) = shown {
            self.notes.push(format!("{error}; cpu is shown instead"));
            self.state.method = MethodId::Cpu;
            if let Some(Split::Method(_)) = self.state.split {
                self.state.split = None;
            }
        }
    }

    /// Skins by another method; notes what its limits take away.
    ///
    /// # Errors
    ///
    /// [`Error`] where the method cannot show this model here; the one before stays.
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

    /// Makes ready what both sides show; tells what it takes on the left.
    fn compile(&mut self) -> Result<PipelineStats, Error> {
        let [(method, clip), right] = self.shown();
        let stats = self.gpu_model.compile(method, clip)?;
        if self.state.split.is_some() {
            self.gpu_model_on(Side::Right).compile(right.0, right.1)?;
        }
        Ok(stats)
    }

    /// The model of a side.
    fn gpu_model_on(&mut self, side: Side) -> &mut GpuModel {
        let shows_other = self.state.shows_other(side);
        self.other.as_mut().filter(|_| shows_other).unwrap_or(&mut self.gpu_model)
    }

    /// Goes to the next method that can be shown; notes once of each other one why it cannot.
    fn show_next_method(&mut self) {
        let present = self.state.method;
        let after = MethodId::all().skip_while(|&id| id != present).skip(1);
        for id in after.chain(MethodId::all()) {
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

    /// Reads shaders anew and compiles the present method's.
    ///
    /// # Errors
    ///
    /// [`Error`] with the driver's words; the programs before stay.
    pub fn reload_shaders(&mut self) -> Result<(), Error> {
        let renderer = Renderer::new(&self.gpu, &self.shaders)?;
        let shown = self.shown();
        let (own, others) = shown.split_at(if self.state.shows_other(Side::Right) { 1 } else { 2 });
        let own = self.gpu_model.recompiled(own)?;
        if let Some(other) = &mut self.other {
            let others = other.recompiled(others)?;
            other.take(others);
        }
        self.gpu_model.take(own);
        self.renderer = renderer;
        self.painted.clear();
        Ok(())
    }

    /// What the present method takes to draw the model.
    pub fn stats(&mut self) -> Option<PipelineStats> {
        self.gpu_model.prepare(self.state.method, self.state.clip).ok()
    }

    /// Bytes that went to the GPU for the picture drawn last.
    pub fn uploaded(&self) -> u64 {
        self.gpu_model.uploaded(self.state.method, self.state.clip)
    }

    /// The clip that is shown.
    pub fn current_clip(&self) -> Option<&Clip> {
        self.state.current_clip(self.model())
    }

    /// The view that was asked for, around the present clip, where the figure is.
    pub fn reset_camera(&mut self) {
        let playback = &self.state.playback;
        let roots_at = (playback.root_motion == RootMotion::Remove).then_some(playback.range().0);
        let framed = self.view.framing_with_roots(self.model(), self.current_clip(), roots_at, self.state.copies);
        (self.state.camera, self.places) = framed;
        // A joint that stays in the middle takes the camera along.
        if self.view.target.is_none() {
            let travelled = self.state.travelled(self.model()).as_vec3();
            self.state.camera.pan = self.state.camera.world_from_model * travelled;
        }
    }

    /// World space from the first figure's model space.
    fn world_from_figure(&self) -> DAffine3 {
        let place = self.places.first().copied().unwrap_or_default();
        DAffine3::from_rotation_translation(self.state.camera.world_from_model.as_dquat(), place.as_dvec3())
    }

    /// The pose of the first figure as it was drawn last: local and model space.
    pub fn pose(&self) -> Option<(&LocalPose, &ModelPose)> {
        self.poses.first().map(|(local, model)| (local, model))
    }

    /// The joint that is selected or any other, in world space, as drawn last.
    pub fn joint_in_world(&self, joint: JointId) -> Option<DAffine3> {
        Some(self.world_from_figure() * *self.pose()?.1.0.get(joint.index())?)
    }

    /// What lies at a pixel of a picture of `size` pixels: a joint where bones are shown, else a vertex.
    pub fn pick(&self, size: Vec2, pixel: Vec2) -> Option<Action> {
        /// How near to a joint, or to the edge of a mesh, the pointer has to be, pixels.
        const REACH: f32 = 10.0;
        let viewport = Viewport::new(&self.state.camera, size);
        let (_, posed) = self.pose()?;
        let world_from_model = self.world_from_figure();
        let in_world = ModelPose(posed.0.iter().map(|joint| world_from_model * *joint).collect());
        if self.state.settings.skeleton
            && let Some(joint) = pick::joint_at(&viewport, &in_world, pixel, REACH)
        {
            return Some(Action::SelectJoint(self.model().skeleton.id(joint)));
        }
        let model = self.model();
        let mut positions = paint::linear_positions(model, posed);
        let turn = world_from_model.as_affine3a();
        positions.iter_mut().flatten().for_each(|position| *position = turn.transform_point3(*position));
        let vertex = pick::vertex_at(&viewport, &model.meshes, &positions, &self.state.hidden, pixel, REACH);
        vertex.map(Action::SelectVertex)
    }
}

/// The joint of the same name in another model.
fn joint_of_name(joint: JointId, model: &Model, other: &Model) -> Option<JointId> {
    other.skeleton.find(&model.skeleton.joints().get(joint.index())?.name)
}
