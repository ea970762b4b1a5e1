//! Drawing of one or both sides.

use super::posing::Crowd;
use super::scene::attached;
use super::{Colouring, Player, Side, State, joint_of_name, paint};
use bindpose_core::engines::Engine;
use bindpose_core::model::{CameraPath, JointId, Model};
use bindpose_core::skin::{MethodId, SkinningStage};
use bindpose_render::{Error, FrameInput, Instance, Marks, RenderSettings, RenderTarget, Shot};
use glam::Quat;
use std::sync::Arc;

impl Player {
    /// Looks through the animated camera at a time in seconds, if there is one.
    pub fn look_through(&mut self, time: f64) {
        if let Some(path) = &self.scene.loaded.camera {
            self.state.camera.shot = Some(shot(path, time, self.state.camera.world_from_model));
        }
    }

    /// Draws the current frame.
    pub fn draw(&mut self, frame: &RenderTarget) -> Result<(), Error> {
        if let Some(played) = self.state.shown_camera_path() {
            self.look_through(played.time());
        }
        let (width, height) = frame.size();
        if self.state.split.is_none() || width < 2 {
            return self.draw_side(frame, Side::Left);
        }
        let sizes = [(width / 2, height), (width - width / 2, height)];
        let samples = frame.samples();
        let fits = |halves: &[RenderTarget; 2]| {
            halves.each_ref().map(RenderTarget::size) == sizes && halves[0].samples() == samples
        };
        let halves = match self.halves.take().filter(fits) {
            Some(halves) => halves,
            None => {
                let half = |(width, height)| RenderTarget::with_samples(&self.gpu, width, height, samples);
                [half(sizes[0])?, half(sizes[1])?]
            }
        };
        self.draw_side(&halves[0], Side::Left)?;
        self.draw_side(&halves[1], Side::Right)?;
        frame.paste(&halves[0], 0)?;
        frame.paste(&halves[1], width / 2)?;
        self.halves = Some(halves);
        Ok(())
    }

    /// Returns method and clip of both sides. The clip is an index into the side's own model.
    pub(super) fn shown(&self) -> [(MethodId, Option<usize>); 2] {
        let [left, (method, clip)] = [Side::Left, Side::Right].map(|side| self.state.shown_on(side));
        let same = |other: &Model| {
            let name = &self.current_clip()?.name;
            other.clips.iter().position(|clip| clip.name == *name)
        };
        let clip = if self.state.shows_other(Side::Right) { self.other().and_then(same).or(clip) } else { clip };
        [left, (method, clip)]
    }

    /// Returns method and clip of one side.
    pub(super) fn shown_on(&self, side: Side) -> (MethodId, Option<usize>) {
        let [left, right] = self.shown();
        if side == Side::Left { left } else { right }
    }

    /// Returns the selected joint in the model of a side.
    pub(super) fn joint_on(&self, side: Side) -> Option<JointId> {
        let joint = self.state.joint?;
        match self.other().filter(|_| self.state.shows_other(side)) {
            Some(other) => joint_of_name(joint, self.model(), other),
            None => Some(joint),
        }
    }

    /// Returns the state for the other model, with its joints of the same names rotated. If both sides show the same files as
    /// different engines play them, it is at the same frame of its clip. Games have their own frame rates.
    pub(super) fn state_of_other(&self, state: &State, other: &Model, clip: Option<usize>) -> State {
        let named = |(&joint, &turn)| Some((joint_of_name(joint, self.model(), other)?, turn));
        let mut moved = State { turns: state.turns.iter().filter_map(named).collect(), ..state.clone() };
        let [engine, other_engine] = self.engines_shown().map(|engine| engine.map(Engine::name));
        if let Some(clip) = clip.and_then(|clip| other.clips.get(clip)).filter(|_| engine != other_engine) {
            moved.playback.change_clip(Some(clip));
            let frame = state.playback.time() * state.playback.frame_rate();
            moved.playback.seek(frame / moved.playback.frame_rate());
        }
        moved
    }

    /// Returns the engines whose playback the two models show.
    pub(super) fn engines_shown(&self) -> [Option<&'static Engine>; 2] {
        [self.engine(), self.other.as_ref().and_then(|(scene, _)| scene.loaded.engine)]
    }

    fn draw_side(&mut self, frame: &RenderTarget, side: Side) -> Result<(), Error> {
        let (method, shown) = self.shown_on(side);
        let is_other = self.state.shows_other(side);
        let model = match self.other.as_ref().filter(|_| is_other) {
            Some((_, other)) => Arc::clone(other.model()),
            None => Arc::clone(self.gpu_model.model()),
        };
        let mut poses = match side {
            Side::Left => std::mem::take(&mut self.poses),
            Side::Right => Vec::new(),
        };
        poses.resize_with(self.positions.len(), Default::default);
        let of_other = is_other.then(|| self.state_of_other(&self.state, &model, shown));
        let crowd = &mut self.crowds[usize::from(is_other)];
        let memory = self.shaders.memory;
        let crowd = match crowd.take().filter(|crowd| crowd.is_of(&model)) {
            Some(known) => crowd.insert(known),
            None => crowd.insert(Crowd::new(&model, memory)),
        };
        // gpu-hierarchy multiplies transforms along the hierarchy itself.
        let with_local = method.method().stage == SkinningStage::FragmentPasses;
        let state = of_other.as_ref().unwrap_or(&self.state);
        let times = crowd.pose(state, (shown, with_local), &mut poses);
        if let Some((_, posed)) = poses.first().filter(|_| side == Side::Left) {
            self.view.follow(&mut self.state.camera, posed);
        }
        let colours = self.colours(side, (method, shown), &model, &poses, &times);
        let marks = self.marks(side, &model, &poses, frame.size());
        let copies: Vec<Instance<'_>> = poses
            .iter()
            .zip(&times)
            .zip(&self.positions)
            .map(|(((local, model), &(clip, time)), &position)| Instance { model, local, clip, time, position })
            .collect();
        let [attached, of_other] = &mut self.attached;
        let (gpu_model, attached) = match self.other.as_mut().filter(|_| is_other) {
            Some((_, other)) => (other, of_other),
            None => (&mut self.gpu_model, attached),
        };
        let attached_poses = attached::poses(attached, self.state.material_time());
        let attached = attached::at_joints(attached, &attached_poses, method, &copies, &self.state.camera);
        let marks = Marks {
            hidden: Some(&self.state.hidden).filter(|_| !is_other),
            batch_colour: (self.state.colouring == Colouring::Batches).then_some(paint::of_batch),
            lines: marks,
        };
        if let Some(colours) = colours {
            gpu_model.paint(method, shown, colours.as_deref())?;
        }
        let settings = RenderSettings { time: self.state.material_time(), ..self.state.settings };
        let (camera, settings) = (&self.state.camera, &settings);
        let input = FrameInput { method, camera, settings, instances: &copies, marks: &marks };
        let drawn = self.renderer.draw_with(frame, gpu_model, &input, attached);
        drop(copies);
        match side {
            Side::Left => self.poses = poses,
            Side::Right => self.right_pose = poses.into_iter().next().unwrap_or_default(),
        }
        drawn
    }
}

/// Returns the camera of `path` at a time in seconds, in world space.
pub(super) fn shot(path: &CameraPath, time: f64, world_from_model: Quat) -> Shot {
    let frame = path.at(time);
    Shot {
        eye: world_from_model * frame.position.as_vec3(),
        world_from_camera: world_from_model * frame.rotation.as_quat(),
        vertical_angle: frame.vertical_angle() as f32,
    }
}
