//! The player without its window: what is shown, how, and at which moment.
//!
//! [`State`] is plain data with one door, [`Player::apply`]: keys, panel, command line and tests send [`Action`]s and
//! read the state. [`Player::draw`] makes every picture, whoever asks for it.

mod action;
mod clock;
pub mod edit;
mod gizmo;
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
mod view;
mod viewport;

pub use action::Action;
pub use clock::Clock;
pub use gizmo::Gizmo;
pub use method::MethodChoice;
pub use overlays::{Overlay, Overlays};
pub use posing::{BasePose, Blend};
pub use reel::{Reel, playback_of};
pub use scene::{NoSuchClip, Scene, choose_clip};
pub use state::{Colouring, MOST_COPIES, Page, SPEEDS, Split, State, VertexRef};
pub use view::{OneAxis, View, ViewAngles};
pub use viewport::Viewport;

use crate::image_habits::Wanted;
use crate::model::{Clip, Film, JointId, Model};
use crate::play::Repeat;
use crate::pose::{LocalPose, ModelPose};
use crate::render::{
    Bounds, Error, Gpu, GpuModel, Instance, Marks, PipelineStats, PoseRef, RenderSettings, RenderTarget, Renderer,
    ShaderFiles, Shot, TexelFormat,
};
use crate::skin::{self, Cost, Limits, MethodId, Skinned, TimedPose};
use bindpose_core::diagnostic::Escaped;
use glam::{DAffine3, DVec3, Quat, Vec2, Vec3};
use std::sync::Arc;

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
    /// See [`State::reel`].
    film: Option<Film>,
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

/// Whose vertices: those of the other file, of a method, and of a clip for methods that depend on it.
type Painted = (bool, MethodId, Option<usize>);

/// What vertices' colours were made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PaintKey {
    colouring: Colouring,
    joint: Option<JointId>,
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
        state.ranges.clone_from(&scene.ranges);
        state.reel = scene.film.as_ref().map(Reel::new);
        Ok(Self {
            gpu: gpu.clone(),
            notes: gpu_model.notes().iter().map(ToString::to_string).collect(),
            gpu_model,
            other: None,
            renderer: Renderer::new(gpu, &shaders)?,
            shaders,
            film: scene.film.clone(),
            places,
            state,
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

    /// Shows another scene, keeping everything of the state that still has a meaning: a file that was saved anew keeps
    /// clip, moment, camera and selection.
    ///
    /// # Errors
    ///
    /// [`Error`] of textures, methods and programs; nothing has changed then.
    pub fn replace_scene(&mut self, scene: &Scene, texels: TexelFormat) -> Result<(), Error> {
        let mut gpu_model = scene.gpu_model(&self.gpu, &self.shaders, self.state.limits, texels, &self.images)?;
        let before = Arc::clone(self.gpu_model.model());
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
        self.state.ranges.clone_from(&scene.ranges);
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

    /// Model, clip, frame, how it is played, frames per second, method: a window's title.
    pub fn title(&self, frames_per_second: f64) -> String {
        let (state, playback) = (&self.state, &self.state.playback);
        let mut parts = vec![Escaped(&self.model().name).to_string()];
        match self.current_clip() {
            Some(clip) => {
                parts.push(Escaped(&clip.name).to_string());
                parts.push(format!("frame {}/{}", playback.frame(), playback.last_frame()));
            }
            None => parts.push("no clip".into()),
        }
        if let Some(film) = state.shown_film() {
            parts.push(format!("camera at {:.2} of {:.2} s", film.time(), film.duration()));
        }
        match state.base_pose {
            BasePose::Clip => {}
            other => parts.push(other.name().into()),
        }
        match playback.repeat {
            Repeat::Loop => {}
            Repeat::Clamp => parts.push("once".into()),
            Repeat::PingPong => parts.push("ping-pong".into()),
        }
        if playback.paused {
            parts.push("paused".into());
        } else {
            if playback.speed != 1.0 {
                parts.push(format!("speed {}", playback.speed));
            }
            if state.is_moving() {
                parts.push(format!("{frames_per_second:.0} fps"));
            }
        }
        parts.push(state.method.method().name.into());
        parts.join(" | ")
    }

    /// The clip that is shown.
    pub fn current_clip(&self) -> Option<&Clip> {
        self.state.current_clip(self.model())
    }

    /// The view that was asked for, around the present clip.
    pub fn reset_camera(&mut self) {
        let framed = self.view.framing(self.model(), self.current_clip(), self.state.copies);
        (self.state.camera, self.places) = framed;
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
        /// How near to a joint the pointer has to be, pixels.
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
        pick::vertex_at(&viewport, &model.meshes, &positions, &self.state.hidden, pixel).map(Action::SelectVertex)
    }

    /// Looks through the camera of a film at a moment of it.
    pub fn look_through(&mut self, film: &Film, time: f64) {
        self.state.camera.shot = Some(shot(film, time, self.state.camera.world_from_model));
    }

    /// Draws the present moment.
    ///
    /// # Errors
    ///
    /// [`Error`] of the method's programs and buffers.
    pub fn draw(&mut self, frame: &RenderTarget) -> Result<(), Error> {
        if let (Some(film), Some(played)) = (&self.film, self.state.shown_film()) {
            let shot = shot(film, played.time(), self.state.camera.world_from_model);
            self.state.camera.shot = Some(shot);
        }
        let (width, height) = frame.size();
        if self.state.split.is_none() || width < 2 {
            return self.draw_side(frame, Side::Left);
        }
        let sizes = [(width / 2, height), (width - width / 2, height)];
        let halves = match self.halves.take().filter(|halves| halves.each_ref().map(RenderTarget::size) == sizes) {
            Some(halves) => halves,
            None => {
                let [left, right] = sizes.map(|(width, height)| RenderTarget::new(&self.gpu, width, height));
                [left?, right?]
            }
        };
        self.draw_side(&halves[0], Side::Left)?;
        self.draw_side(&halves[1], Side::Right)?;
        frame.paste(&halves[0], 0)?;
        frame.paste(&halves[1], width / 2)?;
        self.halves = Some(halves);
        Ok(())
    }

    /// Method and clip of both sides, the clip in the side's own model.
    fn shown(&self) -> [(MethodId, Option<usize>); 2] {
        let [left, (method, clip)] = [Side::Left, Side::Right].map(|side| self.state.shown_on(side));
        let same = |other: &Model| {
            let name = &self.current_clip()?.name;
            other.clips.iter().position(|clip| clip.name == *name)
        };
        let clip = if self.state.shows_other(Side::Right) { self.other().and_then(same).or(clip) } else { clip };
        [left, (method, clip)]
    }

    /// Method and clip of one side.
    fn shown_on(&self, side: Side) -> (MethodId, Option<usize>) {
        let [left, right] = self.shown();
        if side == Side::Left { left } else { right }
    }

    /// The selected joint in the model of a side.
    fn joint_on(&self, side: Side) -> Option<JointId> {
        let joint = self.state.joint?;
        match self.other().filter(|_| self.state.shows_other(side)) {
            Some(other) => joint_of_name(joint, self.model(), other),
            None => Some(joint),
        }
    }

    fn draw_side(&mut self, frame: &RenderTarget, side: Side) -> Result<(), Error> {
        let (method, shown) = self.shown_on(side);
        let is_other = self.state.shows_other(side);
        let model = match self.other.as_ref().filter(|_| is_other) {
            Some(other) => Arc::clone(other.model()),
            None => Arc::clone(self.gpu_model.model()),
        };
        let mut poses = match side {
            Side::Left => std::mem::take(&mut self.poses),
            Side::Right => Vec::new(),
        };
        poses.resize_with(self.places.len(), Default::default);
        let mut moments = Vec::with_capacity(poses.len());
        for (number, (local, posed)) in poses.iter_mut().enumerate() {
            let clip = match self.state.all_clips && number > 0 {
                true => Some(number % model.clips.len().max(1)),
                false => shown,
            };
            // Golden section: neighbours are far apart, and more copies fill the gaps.
            let share = (number as f64 * 0.618_033_988_749_895).fract();
            moments.push((clip, self.state.pose(&model, clip, share, local, posed)));
        }
        if let Some((_, posed)) = poses.first().filter(|_| side == Side::Left) {
            self.view.follow(&mut self.state.camera, posed);
        }
        let colours = self.colours(side, (method, shown), &model, &poses, &moments);
        let marks = self.marks(side, &model, &poses, frame.size());
        let figures: Vec<Instance<'_>> = poses
            .iter()
            .zip(&moments)
            .zip(&self.places)
            .map(|(((local, model), &(clip, time)), &position)| Instance {
                pose: PoseRef { model, local, clip, time },
                position,
            })
            .collect();
        let gpu_model = match self.other.as_mut().filter(|_| is_other) {
            Some(other) => other,
            None => &mut self.gpu_model,
        };
        let marks = Marks {
            hidden: Some(&self.state.hidden).filter(|_| !is_other),
            batch_colour: (self.state.colouring == Colouring::Batches).then_some(paint::of_batch),
            lines: marks,
        };
        if let Some(colours) = colours {
            gpu_model.paint(method, shown, colours.as_deref())?;
        }
        let settings = RenderSettings { time: self.state.material_time(), ..self.state.settings };
        let drawn = self.renderer.draw(frame, gpu_model, method, &self.state.camera, &settings, &figures, &marks);
        drop(figures);
        match side {
            Side::Left => self.poses = poses,
            Side::Right => self.right_pose = poses.into_iter().next().unwrap_or_default(),
        }
        drawn
    }

    /// Colours for a side's vertices where they have to change: `Some(None)` gives them their own again.
    fn colours(
        &mut self,
        side: Side,
        (method, shown): (MethodId, Option<usize>),
        model: &Model,
        poses: &[(LocalPose, ModelPose)],
        moments: &[(Option<usize>, f64)],
    ) -> Option<Option<paint::Colours>> {
        let (colouring, joint) = (self.state.colouring, self.joint_on(side));
        let key = PaintKey { colouring, joint: joint.filter(|_| colouring == Colouring::Support) };
        let plain = PaintKey { colouring: Colouring::Material, joint: None };
        // Both sides may be drawn by one method's buffers.
        let is_other = self.state.shows_other(side);
        let buffers = (is_other, method, shown.filter(|_| method.method().needs.clip));
        let place = self.painted.iter().position(|(known, _)| *known == buffers);
        let known = place.map_or(plain, |place| self.painted[place].1);
        let is_difference = colouring == Colouring::Difference && self.state.split.is_some();
        let wanted = match colouring {
            Colouring::Difference if !is_difference || side == Side::Left => plain,
            Colouring::Support if joint.is_none() => plain,
            _ => key,
        };
        if wanted == known && !(is_difference && side == Side::Right) {
            return None;
        }
        match place {
            Some(place) => self.painted[place].1 = wanted,
            None => self.painted.push((buffers, wanted)),
        }
        Some(match wanted.colouring {
            Colouring::Material | Colouring::Batches => None,
            Colouring::Support => joint.map(|joint| paint::support(model, joint)),
            Colouring::Dropped => Some(paint::dropped(model, method.method())),
            Colouring::Difference => {
                let time = moments.first().map_or(0.0, |&(_, time)| time);
                let right = poses.first().and_then(|(_, posed)| self.skinned(side, posed, time));
                let left = self.poses.first().cloned().and_then(|(_, posed)| self.skinned(Side::Left, &posed, time));
                let apart = left.zip(right).and_then(|(left, right)| paint::apart(&left, &right));
                apart.map(|apart| paint::distances(&apart, paint::largest(&apart)))
            }
        })
    }

    /// The vertices that a side's method makes of a pose, model space; `None` where there are none to speak of.
    fn skinned(&mut self, side: Side, posed: &ModelPose, time: f64) -> Option<Vec<Vec<Vec3>>> {
        let (method, clip) = self.shown_on(side);
        let gpu_model = self.gpu_model_on(side);
        // The right half has no pose before it was drawn.
        if posed.0.len() != gpu_model.model().skeleton.len() {
            return None;
        }
        let prepared = gpu_model.references(method, clip).ok()?;
        let mut out = Skinned::default();
        let of_mesh = |prepared: &skin::Prepared| {
            out.clear();
            skin::reference(prepared, TimedPose { pose: posed, time }, &mut out);
            out.positions.iter().map(|position| position.as_vec3()).collect()
        };
        Some(prepared.iter().map(of_mesh).collect())
    }

    /// How far the halves of a split view are apart as drawn last: the largest distance, its vertex, and the joint that
    /// moves it most. Without a split, how far the method is from blending everything that the file says.
    pub fn worst_difference(&mut self) -> Option<(f32, VertexRef, Option<JointId>)> {
        let posed = self.poses.first()?.1.clone();
        let time = self.state.playback.time();
        let left = self.skinned(Side::Left, &posed, time)?;
        let right = match self.state.split {
            Some(_) => {
                let posed = self.right_pose.1.clone();
                self.skinned(Side::Right, &posed, time)?
            }
            None => paint::linear_positions(self.model(), &posed),
        };
        paint::worst(self.model(), &paint::apart(&left, &right)?)
    }
}

/// What the camera of a film sees at a moment of it; `turn` leads from model space to the world.
fn shot(film: &Film, time: f64, turn: Quat) -> Shot {
    let frame = film.at(time);
    Shot {
        eye: turn * frame.position.as_vec3(),
        world_from_camera: turn * frame.rotation.as_quat(),
        vertical_angle: frame.vertical_angle() as f32,
    }
}

/// The joint of the same name in another model.
fn joint_of_name(joint: JointId, model: &Model, other: &Model) -> Option<JointId> {
    other.skeleton.find(&model.skeleton.joints().get(joint.index())?.name)
}

/// A line on each thing that a method's limits took away, or that it cannot do exactly.
fn cost_notes(method: MethodId, cost: &Cost) -> Vec<String> {
    let mut notes = Vec::new();
    if cost.reduced_vertices > 0 {
        let most = 100.0 * cost.most_dropped;
        let limit = method.method().influences.unwrap_or(0);
        notes.push(format!(
            "{method} takes {limit} influences per vertex: {} vertices lost some, at most {most:.1} % of their weight",
            cost.reduced_vertices
        ));
    }
    if cost.divided_vertices > 0 {
        let vertices = cost.divided_vertices;
        notes.push(format!("the weights of {vertices} vertices do not sum to 1; {method} divides them by their sum"));
    }
    if cost.broken_conditions > 0 {
        let vertices = cost.broken_conditions;
        notes.push(format!(
            "{method} is exact where a joint meets the joints that start at its end; {vertices} vertices follow others"
        ));
    }
    if cost.trimmed_triangles > 0 {
        notes.push(format!(
            "{} triangles use more joints than a batch of {method} may, and lost some",
            cost.trimmed_triangles
        ));
    }
    notes
}
