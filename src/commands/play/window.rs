//! The player's window: keys, mouse, time.

use super::super::scene::tell_notes;
use super::keys::{self, Action};
use super::{Args, Shown};
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::player::{Player, Scene};
use bindpose::render::{Error, RenderTarget, Window};
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
    // The player and the frame go before the context that they belong to.
    player: Player,
    frame: Option<RenderTarget>,
    window: Window,
    drawn_at: Instant,
    mouse: Mouse,
    rate: FrameRate,
    titled_at: Option<Instant>,
    title: String,
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
        if running.player.playback.paused {
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
        let player = self.args.player(window.gpu(), self.scene).map_err(Ended::Failed)?;
        Ok(Running {
            player,
            frame: None,
            window,
            drawn_at: Instant::now(),
            mouse: Mouse::default(),
            rate: FrameRate::new(),
            titled_at: None,
            title: String::new(),
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
            WindowEvent::Destroyed => {
                tell!("the window was destroyed by another program");
                event_loop.exit();
            }
            WindowEvent::Resized(size) => {
                self.window.resized(size.into());
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
                self.player.camera.magnify(1.15_f32.powf(notches.clamp(-20.0, 20.0)));
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
        self.player.playback.advance(passed);
        self.drawn_at = now;
        if self.frame.is_none() {
            self.frame = self.window.frame()?;
        }
        if let Some(frame) = &self.frame {
            self.player.draw(frame)?;
            self.window.present(frame)?;
        }
        self.rate.count();
        if self.titled_at.is_none_or(|then| then.elapsed() > TITLE_PERIOD) {
            self.titled_at = Some(now);
            let title = self.player.title(self.rate.shown);
            if title != self.title {
                self.window.set_title(&title);
                self.title = title;
            }
        }
        Ok(())
    }

    fn act(&mut self, action: Action, place: usize, event_loop: &ActiveEventLoop) {
        let player = &mut self.player;
        match action {
            Action::Pause => {
                player.playback.toggle();
                self.drawn_at = Instant::now();
                self.rate = FrameRate::new();
            }
            Action::Step(frames) => player.playback.step(frames),
            Action::Speed(direction) => player.change_speed(direction),
            Action::Repeat => player.change_repeat(),
            Action::NextClip => player.show_next_clip(),
            Action::NumberedClip => player.show_clip(place),
            Action::NextMethod => player.show_next_method(),
            Action::Skeleton => player.settings.skeleton = !player.settings.skeleton,
            Action::Wireframe => player.settings.wireframe = !player.settings.wireframe,
            Action::Grid => player.settings.grid = !player.settings.grid,
            Action::ResetCamera => player.reset_camera(),
            Action::Fullscreen => self.window.toggle_fullscreen(),
            Action::Help => tell!("{}", keys::help()),
            Action::Quit => event_loop.exit(),
        }
        tell_notes(&mut self.player);
    }

    fn mouse_moved(&mut self, to: PhysicalPosition<f64>) {
        let Some(from) = self.mouse.at.replace(to) else { return };
        let Some(button) = self.mouse.held else { return };
        let (width, height) = self.window.size();
        let height_pixels = f64::from(height.max(1));
        let right = ((to.x - from.x) / height_pixels) as f32;
        let down = ((to.y - from.y) / height_pixels) as f32;
        let camera = &mut self.player.camera;
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
