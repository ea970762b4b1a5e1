//! egui's panels over a window's frame.

use super::{Error, RenderTarget, Window};
use arboard::Clipboard;
use egui_glium::Painter;
use egui_glium::egui_winit::{self, EventResponse};
use glium::Surface;
use std::time::{Duration, Instant};
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;

/// egui in a window.
pub struct Gui {
    events: egui_winit::State,
    painter: Painter,
    /// Opened when text is first copied.
    clipboard: Option<Clipboard>,
    started: Instant,
    /// True while text is edited.
    is_typing: bool,
}

/// Layout of a pass that is to be painted.
pub struct GuiPass {
    shapes: Vec<egui::epaint::ClippedShape>,
    textures: egui::TexturesDelta,
    pixels_per_point: f32,
    /// Time after which the next pass looks different; zero means immediately.
    pub repaint_after: Duration,
}

impl Gui {
    /// Creates the panels of a window.
    pub fn new(window: &Window, event_loop: &ActiveEventLoop) -> Self {
        let painter = Painter::new(&window.display);
        let scale = window.window.scale_factor() as f32;
        let (viewport, texture_side) = (egui::ViewportId::ROOT, painter.max_texture_side());
        let theme = window.window.theme();
        let context = egui::Context::default();
        let events = egui_winit::State::new(context, viewport, event_loop, Some(scale), theme, Some(texture_side));
        Self { events, painter, clipboard: None, started: Instant::now(), is_typing: false }
    }

    /// Returns the state of egui.
    pub fn context(&self) -> &egui::Context {
        self.events.egui_ctx()
    }

    /// True if keys are input for a text field.
    pub fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Forwards an event to egui.
    pub fn on_event(&mut self, window: &Window, event: &WindowEvent) -> EventResponse {
        if let WindowEvent::ScaleFactorChanged { scale_factor, .. } = event {
            let viewport = self.events.egui_input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
            viewport.native_pixels_per_point = Some(*scale_factor as f32);
        }
        self.events.on_window_event(&window.window, event)
    }

    /// Lays out a window in physical pixels as the last event reported them. [`egui_winit::State::take_egui_input`]
    /// would query the window, which may no longer exist.
    pub fn run(&mut self, window: &Window, build: impl FnMut(&egui::Context)) -> GuiPass {
        let (width, height) = window.size();
        let scale = self.context().pixels_per_point();
        let size = egui::vec2(width as f32, height as f32) / scale;
        let input = self.events.egui_input_mut();
        input.time = Some(self.started.elapsed().as_secs_f64());
        input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size));
        let input = input.take();
        let output = self.context().clone().run(input, build);
        for command in &output.platform_output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                self.copy(text);
            }
        }
        self.is_typing = output.platform_output.ime.is_some();
        self.events.handle_platform_output(&window.window, output.platform_output);
        let repaint_after = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        GuiPass {
            shapes: output.shapes,
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
            repaint_after: repaint_after.unwrap_or(Duration::MAX),
        }
    }

    /// Copies text to the clipboard. Without a clipboard nothing happens.
    fn copy(&mut self, text: &str) {
        if self.clipboard.is_none() {
            self.clipboard = Clipboard::new().ok();
        }
        if let Some(clipboard) = &mut self.clipboard {
            // Another program may be using the clipboard. The text can be copied again.
            let _ = clipboard.set_text(text);
        }
    }

    /// Shows a frame at a position in pixels from the window's lower left corner, and the panels over it.
    ///
    /// # Errors
    ///
    /// [`Error`] if the frame cannot be copied or shown.
    pub fn present(
        &mut self,
        window: &Window,
        frame: Option<(&RenderTarget, (u32, u32))>,
        pass: GuiPass,
    ) -> Result<(), Error> {
        let mut target = window.display.draw();
        // This also keeps OpenGL from converting the sRGB frame when it is copied.
        target.clear_color_srgb(0.0, 0.0, 0.0, 1.0);
        let copied = frame.map_or(Ok(()), |(frame, place)| frame.blit_to(&mut target, place));
        let primitives = self.context().tessellate(pass.shapes, pass.pixels_per_point);
        let scale = pass.pixels_per_point;
        self.painter.paint_and_update_textures(&window.display, &mut target, scale, &primitives, &pass.textures);
        target.finish().map_err(Error::resource("window"))?;
        copied
    }
}
