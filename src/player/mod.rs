//! The player without its window: what is shown, how, and at which moment. Plain data and what keys and buttons do to it.

mod scene;
mod view;

pub use scene::{NoSuchClip, Scene, choose_clip};
pub use view::{OneAxis, View, ViewAngles};

use crate::model::Clip;
use crate::play::{Playback, Repeat};
use crate::pose::{LocalPose, ModelPose};
use crate::render::{
    Camera, Error, Gpu, GpuModel, Instance, PoseRef, RenderSettings, RenderTarget, Renderer, ShaderFiles, TexelFormat,
};
use crate::skin::{Cost, Limits, MethodId};
use bindpose_core::diagnostic::Escaped;
use glam::Vec3;
use std::rc::Rc;

/// Speeds that a player goes through, in clip seconds per second.
const SPEEDS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0];

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
}

/// A scene on the GPU, with everything that decides what a frame shows.
pub struct Player {
    /// The model on the GPU.
    pub gpu_model: GpuModel,
    renderer: Renderer,
    /// The view.
    pub camera: Camera,
    /// What is shown besides the figures.
    pub settings: RenderSettings,
    /// The skinning method.
    pub method: MethodId,
    places: Vec<Vec3>,
    /// Which of the model's clips.
    pub clip: Option<usize>,
    /// Where the clip stands.
    pub playback: Playback,
    poses: Vec<(LocalPose, ModelPose)>,
    all_clips: bool,
    /// How it is looked at to begin with.
    pub view: View,
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
        let PlayerOptions { clip, mut settings, copies, all_clips, limits, texels, shaders, view } = options;
        let gpu_model = scene.gpu_model(gpu, &shaders, limits, texels)?;
        let shown = clip.and_then(|clip| scene.model.clips.get(clip));
        let (camera, places) = view.framing(&scene.model, shown, copies);
        // Without surfaces the bones are all there is to see.
        settings.skeleton |= scene.model.meshes.is_empty();
        Ok(Self {
            notes: gpu_model.notes().iter().map(ToString::to_string).collect(),
            gpu_model,
            renderer: Renderer::new(gpu, &shaders)?,
            camera,
            settings,
            method: MethodId::Cpu,
            places,
            clip,
            playback: Playback::new(shown),
            poses: Vec::new(),
            all_clips,
            view,
            refused: Vec::new(),
        })
    }

    /// What is worth telling and was not told yet.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Skins by another method; notes what its limits take away.
    ///
    /// # Errors
    ///
    /// [`Error`] where the method cannot show this model here; the one before stays.
    pub fn show_method(&mut self, method: MethodId) -> Result<(), Error> {
        let prepared = self.gpu_model.prepare(method, self.clip)?;
        self.method = method;
        self.notes.extend(cost_notes(method, &prepared.cost));
        Ok(())
    }

    /// Goes to the next method that can be shown; notes once of each other one why it cannot.
    pub fn show_next_method(&mut self) {
        let present = self.method;
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

    /// Goes to the next clip, after the last to the first.
    pub fn show_next_clip(&mut self) {
        let clips = self.gpu_model.model().clips.len();
        if clips > 0 {
            self.show_clip(self.clip.map_or(0, |clip| (clip + 1) % clips));
        }
    }

    /// The next faster (1) or slower (-1) of the speeds.
    pub fn change_speed(&mut self, direction: i32) {
        self.playback.speed = next_speed(self.playback.speed, direction);
    }

    /// The next way of what happens at the clip's end.
    pub fn change_repeat(&mut self) {
        self.playback.repeat = match self.playback.repeat {
            Repeat::Loop => Repeat::Clamp,
            Repeat::Clamp => Repeat::PingPong,
            Repeat::PingPong => Repeat::Loop,
        };
    }

    /// Model, clip, frame, how it is played, frames per second, method: a window's title.
    pub fn title(&self, frames_per_second: f64) -> String {
        let playback = &self.playback;
        let mut parts = vec![Escaped(&self.gpu_model.model().name).to_string()];
        match self.current_clip() {
            Some(clip) => {
                parts.push(Escaped(&clip.name).to_string());
                parts.push(format!("frame {}/{}", playback.frame(), playback.last_frame()));
            }
            None => parts.push("no clip".into()),
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
            parts.push(format!("{frames_per_second:.0} fps"));
        }
        parts.push(self.method.method().name.into());
        parts.join(" | ")
    }

    /// The clip that is shown.
    pub fn current_clip(&self) -> Option<&Clip> {
        self.clip.and_then(|clip| self.gpu_model.model().clips.get(clip))
    }

    /// Shows another clip from its start; the view stays. A number that no clip has changes nothing.
    pub fn show_clip(&mut self, clip: usize) {
        if clip < self.gpu_model.model().clips.len() {
            self.clip = Some(clip);
            let model = Rc::clone(self.gpu_model.model());
            self.playback.change_clip(model.clips.get(clip));
        }
    }

    /// The view that was asked for, around the present clip.
    pub fn reset_camera(&mut self) {
        (self.camera, self.places) = self.view.framing(self.gpu_model.model(), self.current_clip(), self.places.len());
    }

    /// Draws the present moment.
    ///
    /// # Errors
    ///
    /// [`Error`] of the method's programs and buffers.
    pub fn draw(&mut self, frame: &RenderTarget) -> Result<(), Error> {
        let model = Rc::clone(self.gpu_model.model());
        self.poses.resize_with(self.places.len(), Default::default);
        let mut moments = Vec::with_capacity(self.poses.len());
        for (number, (local, pose)) in self.poses.iter_mut().enumerate() {
            let clip = if self.all_clips && number > 0 { Some(number % model.clips.len().max(1)) } else { self.clip };
            let of_model = clip.and_then(|clip| model.clips.get(clip));
            // Golden section: neighbours are far apart, and more copies fill the gaps.
            let share = (number as f64 * 0.618_033_988_749_895).fract();
            let time = if clip == self.clip {
                let phase = share * self.playback.duration();
                self.playback.pose(&model.skeleton, of_model, phase, local, pose)
            } else {
                let mut other = Playback::new(of_model);
                other.root_motion = self.playback.root_motion;
                let elapsed = self.playback.time() + self.playback.loops() as f64 * self.playback.duration();
                other.advance(elapsed + share * other.duration());
                other.pose(&model.skeleton, of_model, 0.0, local, pose)
            };
            moments.push((clip, time));
        }
        if let Some((_, pose)) = self.poses.first() {
            self.view.follow(&mut self.camera, pose);
        }
        let figures: Vec<Instance<'_>> = self
            .poses
            .iter()
            .zip(&moments)
            .zip(&self.places)
            .map(|(((local, model), &(clip, time)), &position)| Instance {
                pose: PoseRef { model, local, clip, time },
                position,
            })
            .collect();
        self.renderer.draw(frame, &mut self.gpu_model, self.method, &self.camera, &self.settings, &figures)
    }
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

fn next_speed(speed: f64, direction: i32) -> f64 {
    let next = match direction {
        1.. => SPEEDS.iter().find(|&&known| known > speed),
        _ => SPEEDS.iter().rev().find(|&&known| known < speed),
    };
    next.copied().unwrap_or(speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_end_at_the_slowest_and_the_fastest() {
        assert_eq!(next_speed(1.0, 1), 1.5);
        assert_eq!(next_speed(1.0, -1), 0.5);
        assert_eq!(next_speed(8.0, 1), 8.0);
        assert_eq!(next_speed(0.05, -1), 0.05);
    }
}
