//! The player's window: keys, mouse, time.

use super::super::scene::{Scene, Stage, tell_loss};
use super::keys::{self, Action};
use super::{Args, Shown};
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::play::Repeat;
use bindpose::render::{Error, RenderTarget, Window};
use bindpose::skin::MethodId;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::WindowId;

/// First size, logical pixels.
const SIZE: (u32, u32) = (1000, 760);
/// Where the screen does not set the pace.
const SHORTEST_FRAME: Duration = Duration::from_micros(1_000_000 / 144);
/// How often figures in the title change.
const TITLE_PERIOD: Duration = Duration::from_millis(200);
/// Speeds that `[` and `]` go through.
const SPEEDS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0];

/// Opens a window and plays until it is closed.
pub fn show(scene: &Scene, args: &Args) -> anyhow::Result<Shown> {
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(set) {
            return Ok(Shown::NoWindow("neither DISPLAY nor WAYLAND_DISPLAY is set".into()));
        }
    }
    let event_loop = match EventLoop::new() {
        Ok(event_loop) => event_loop,
        Err(error) => {
            // winit says first where in its own source it noticed.
            let text = error.to_string();
            let reason = text.rsplit(": ").next().unwrap_or(&text);
            return Ok(Shown::NoWindow(reason.to_owned()));
        }
    };
    let mut app = App { scene, args, running: None, ended: None };
    event_loop.run_app(&mut app).context("the window ended")?;
    match app.ended {
        Some(Ended::NoWindow(reason)) => Ok(Shown::NoWindow(reason)),
        Some(Ended::Failed(error)) => Err(error),
        None => Ok(Shown::Played),
    }
}

/// What winit drives.
struct App<'a> {
    scene: &'a Scene,
    args: &'a Args,
    running: Option<Running>,
    ended: Option<Ended>,
}

/// Why the player stopped, other than by wish.
enum Ended {
    NoWindow(String),
    Failed(anyhow::Error),
}

/// A window with what it shows.
struct Running {
    // The stage and the frame go before the context that they belong to.
    stage: Stage,
    frame: Option<RenderTarget>,
    window: Window,
    drawn_at: Instant,
    mouse: Mouse,
    rate: FrameRate,
    titled_at: Option<Instant>,
    title: String,
    /// Methods whose unavailability was told.
    told: Vec<MethodId>,
}

#[derive(Default)]
struct Mouse {
    at: Option<PhysicalPosition<f64>>,
    held: Option<MouseButton>,
}

/// Frames per second over the last second or so.
struct FrameRate {
    since: Instant,
    frames: u32,
    shown: f64,
}

impl FrameRate {
    fn new() -> Self {
        Self { since: Instant::now(), frames: 0, shown: 0.0 }
    }

    fn count(&mut self) {
        self.frames += 1;
        let passed = self.since.elapsed().as_secs_f64();
        if passed > 0.5 {
            self.shown = f64::from(self.frames) / passed;
            (self.since, self.frames) = (Instant::now(), 0);
        }
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.running.is_some() {
            return;
        }
        match self.start(event_loop) {
            Ok(running) => {
                running.window.request_redraw();
                self.running = Some(running);
            }
            Err(ended) => self.end(event_loop, ended),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(running) = &mut self.running else { return };
        if let Err(error) = running.event(event_loop, event) {
            self.end(event_loop, Ended::Failed(error.into()));
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(running) = &mut self.running else { return };
        if running.stage.playback.paused {
            event_loop.set_control_flow(ControlFlow::Wait);
            return;
        }
        let next = running.drawn_at + SHORTEST_FRAME;
        if Instant::now() >= next {
            running.window.request_redraw();
        }
        event_loop.set_control_flow(ControlFlow::WaitUntil(next));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // While the display is still connected.
        self.running = None;
    }
}

impl App<'_> {
    fn start(&self, event_loop: &ActiveEventLoop) -> Result<Running, Ended> {
        let window = Window::open(event_loop, "bindpose", SIZE.0, SIZE.1).map_err(|error| match error {
            Error::NoContext(reason) => Ended::NoWindow(reason),
            other => Ended::Failed(other.into()),
        })?;
        let stage = self.args.stage(window.gpu(), self.scene).map_err(Ended::Failed)?;
        Ok(Running {
            stage,
            frame: None,
            window,
            drawn_at: Instant::now(),
            mouse: Mouse::default(),
            rate: FrameRate::new(),
            titled_at: None,
            title: String::new(),
            told: Vec::new(),
        })
    }

    fn end(&mut self, event_loop: &ActiveEventLoop, ended: Ended) {
        self.ended = Some(ended);
        event_loop.exit();
    }
}

impl Running {
    fn event(&mut self, event_loop: &ActiveEventLoop, event: WindowEvent) -> Result<(), Error> {
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested => return self.draw(),
            WindowEvent::Resized(_) => {
                self.window.resized();
                self.frame = None;
                self.window.request_redraw();
            }
            WindowEvent::KeyboardInput {
                event: KeyEvent { logical_key, state: ElementState::Pressed, .. }, ..
            } => {
                let found = key_name(&logical_key).and_then(|name| keys::find(&name));
                if let Some((action, place)) = found {
                    self.act(action, place, event_loop);
                    self.titled_at = None;
                    self.window.request_redraw();
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.mouse.held = (state == ElementState::Pressed).then_some(button);
            }
            WindowEvent::CursorMoved { position, .. } => self.mouse_moved(position),
            WindowEvent::CursorLeft { .. } => self.mouse.at = None,
            WindowEvent::MouseWheel { delta, .. } => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => lines,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / 40.0,
                };
                self.stage.camera.magnify(1.15_f32.powf(notches.clamp(-20.0, 20.0)));
                self.window.request_redraw();
            }
            _ => {}
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<(), Error> {
        let now = Instant::now();
        // After a pause of the whole program the clip should not leap.
        let passed = now.duration_since(self.drawn_at).as_secs_f64().min(0.25);
        self.stage.playback.advance(passed);
        self.drawn_at = now;
        if self.frame.is_none() {
            self.frame = self.window.frame()?;
        }
        if let Some(frame) = &self.frame {
            self.stage.draw(frame)?;
            self.window.present(frame)?;
        }
        self.rate.count();
        if self.titled_at.is_none_or(|then| then.elapsed() > TITLE_PERIOD) {
            self.titled_at = Some(now);
            let title = self.describe();
            if title != self.title {
                self.window.set_title(&title);
                self.title = title;
            }
        }
        Ok(())
    }

    /// Model, clip, frame, frames per second, method.
    fn describe(&self) -> String {
        let playback = &self.stage.playback;
        let mut parts = vec![self.stage.subject.model().name.clone()];
        match self.stage.current_clip() {
            Some(clip) => {
                parts.push(clip.name.clone());
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
            parts.push(format!("{:.0} fps", self.rate.shown));
        }
        parts.push(self.stage.method.method().name.into());
        parts.join(" | ")
    }

    fn act(&mut self, action: Action, place: usize, event_loop: &ActiveEventLoop) {
        let stage = &mut self.stage;
        match action {
            Action::Pause => {
                stage.playback.toggle();
                self.drawn_at = Instant::now();
                self.rate = FrameRate::new();
            }
            Action::Step(frames) => stage.playback.step(frames),
            Action::Speed(direction) => stage.playback.speed = next_speed(stage.playback.speed, direction),
            Action::Repeat => stage.playback.repeat = next_repeat(stage.playback.repeat),
            Action::NextClip => {
                let clips = stage.subject.model().clips.len();
                if clips > 0 {
                    stage.show_clip(stage.clip.map_or(0, |clip| (clip + 1) % clips));
                }
            }
            Action::NumberedClip => stage.show_clip(place),
            Action::NextMethod => next_method(stage, &mut self.told),
            Action::Skeleton => stage.look.skeleton = !stage.look.skeleton,
            Action::Wireframe => stage.look.wireframe = !stage.look.wireframe,
            Action::Grid => stage.look.grid = !stage.look.grid,
            Action::ResetCamera => stage.reset_camera(),
            Action::Fullscreen => self.window.toggle_fullscreen(),
            Action::Help => tell!("{}", keys::help()),
            Action::Quit => event_loop.exit(),
        }
    }

    fn mouse_moved(&mut self, to: PhysicalPosition<f64>) {
        let Some(from) = self.mouse.at.replace(to) else { return };
        let Some(button) = self.mouse.held else { return };
        let (width, height) = self.window.size();
        let height_pixels = f64::from(height.max(1));
        let right = ((to.x - from.x) / height_pixels) as f32;
        let down = ((to.y - from.y) / height_pixels) as f32;
        let camera = &mut self.stage.camera;
        match button {
            MouseButton::Left => camera.rotate(right, down),
            MouseButton::Right => camera.drag(right, down, width.max(1) as f32 / height.max(1) as f32),
            MouseButton::Middle => camera.magnify((-3.0 * down).exp()),
            _ => return,
        }
        self.window.request_redraw();
    }
}

/// The key as the table of keys calls it.
fn key_name(key: &Key) -> Option<String> {
    let name = match key {
        Key::Named(NamedKey::Space) => "space",
        Key::Named(NamedKey::ArrowRight) => "right",
        Key::Named(NamedKey::ArrowLeft) => "left",
        Key::Named(NamedKey::Tab) => "tab",
        Key::Named(NamedKey::Escape) => "escape",
        Key::Named(NamedKey::F11) => "f11",
        Key::Character(text) => return Some(text.to_lowercase()),
        _ => return None,
    };
    Some(name.to_owned())
}

fn next_speed(speed: f64, direction: i32) -> f64 {
    let next = match direction {
        1.. => SPEEDS.iter().find(|&&known| known > speed),
        _ => SPEEDS.iter().rev().find(|&&known| known < speed),
    };
    next.copied().unwrap_or(speed)
}

fn next_repeat(repeat: Repeat) -> Repeat {
    match repeat {
        Repeat::Loop => Repeat::Clamp,
        Repeat::Clamp => Repeat::PingPong,
        Repeat::PingPong => Repeat::Loop,
    }
}

/// Goes to the next row of the table that can be shown; tells once of each other one why it cannot.
fn next_method(stage: &mut Stage, told: &mut Vec<MethodId>) {
    let after = MethodId::all().skip_while(|&id| id != stage.method).skip(1);
    for id in after.chain(MethodId::all()) {
        match stage.subject.prepare(id, stage.clip) {
            Ok(loss) => {
                stage.method = id;
                tell_loss(id, &loss.cost);
                return;
            }
            Err(error) => {
                if !told.contains(&id) {
                    tell!("note: {error}");
                    told.push(id);
                }
            }
        }
    }
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
