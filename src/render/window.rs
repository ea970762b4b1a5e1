//! A window with its own OpenGL context.

use super::context::{GlLimits, context_requests};
#[cfg(all(unix, not(target_os = "macos")))]
use super::in_sight::InSight;
use super::{Error, Gpu};
use glium::Display;
use glium::backend::Facade;
use glutin::config::{Config, ConfigTemplateBuilder, GlConfig};
use glutin::context::ContextAttributes;
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::prelude::{GlSurface, NotCurrentGlContext};
use glutin::surface::{SurfaceAttributesBuilder, SwapInterval, WindowSurface};
use glutin_winit::{ApiPreference, DisplayBuilder, GlWindow};
use raw_window_handle::HasWindowHandle;
use std::cell::Cell;
use std::num::NonZeroU32;
use std::rc::Rc;
#[cfg(all(unix, not(target_os = "macos")))]
use std::sync::OnceLock;
use winit::dpi::LogicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Fullscreen, Window as WinitWindow, WindowAttributes};

/// Smallest width and height of a window, in logical pixels.
const SMALLEST: (u32, u32) = (480, 360);

/// A window on the screen.
pub struct Window {
    pub(super) display: Display<WindowSurface>,
    gpu: Gpu,
    pub(super) window: WinitWindow,
    #[cfg(all(unix, not(target_os = "macos")))]
    in_sight: Option<InSight>,
    /// Size in physical pixels according to the last event. Querying a closed window would terminate the program.
    size: Cell<(u32, u32)>,
}

impl Window {
    /// Opens a window of `width` times `height` logical pixels.
    pub fn open(event_loop: &ActiveEventLoop, title: &str, width: u32, height: u32) -> Result<Self, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::NoContext(reason(event_loop, error));
        let attributes = WindowAttributes::default()
            .with_title(title)
            .with_inner_size(LogicalSize::new(width, height))
            .with_min_inner_size(LogicalSize::new(SMALLEST.0, SMALLEST.1));
        // Desktops find the icon by the name of the desktop entry.
        #[cfg(all(unix, not(target_os = "macos")))]
        let attributes =
            winit::platform::wayland::WindowAttributesExtWayland::with_name(attributes, "bindpose", "bindpose");
        let (window, config) = DisplayBuilder::new()
            .with_preference(ApiPreference::FallbackEgl)
            .with_window_attributes(Some(attributes))
            .build(event_loop, ConfigTemplateBuilder::new(), best)
            .map_err(|error| failed(&error))?;
        let window = window.ok_or_else(|| Error::NoContext("the window was not made".into()))?;
        let handle = window.window_handle().map_err(|error| failed(&error))?.as_raw();
        let gl = config.display();
        // SAFETY: the handle belongs to the window, which outlives the context: both are fields of one struct.
        let request = |with: &ContextAttributes| unsafe { gl.create_context(&config, with) };
        let [best, others @ ..] = context_requests().map(|with| with.build(Some(handle)));
        let context = others.iter().fold(request(&best), |made, with| made.or_else(|_| request(with)));
        let context = context.map_err(|error| failed(&error))?;
        if window.inner_size().width == 0 || window.inner_size().height == 0 {
            return Err(Error::NoContext("the window has no size".into()));
        }
        let attributes =
            window.build_surface_attributes(SurfaceAttributesBuilder::default()).map_err(|error| failed(&error))?;
        // SAFETY: the attributes contain the window's handle; see above.
        let surface = unsafe { gl.create_window_surface(&config, &attributes) }.map_err(|error| failed(&error))?;
        let context = context.make_current(&surface).map_err(|error| failed(&error))?;
        // Without vertical synchronisation the driver draws faster, and the player limits the rate itself.
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
        let limits = GlLimits::query(|name| gl.get_proc_address(name))?;
        let display = Display::with_debug(context, surface, glium::debug::DebugCallbackBehavior::Ignore)
            .map_err(|error| failed(&error))?;
        let gpu = Gpu::new(Rc::clone(display.get_context()), limits);
        let size = Cell::new(window.inner_size().into());
        // Another program may destroy the window at any time. Until the event arrives, drawing and setting properties
        // fail, for which winit would terminate the program.
        #[cfg(all(unix, not(target_os = "macos")))]
        winit::platform::x11::register_xlib_error_hook(Box::new(|_, _| true));
        Ok(Self {
            #[cfg(all(unix, not(target_os = "macos")))]
            in_sight: InSight::of(&window),
            display,
            gpu,
            window,
            size,
        })
    }

    /// Returns the window's context.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// True if the window is minimised, on another desktop, or unmapped.
    pub fn is_out_of_sight(&self) -> bool {
        #[cfg(all(unix, not(target_os = "macos")))]
        if self.in_sight.as_ref().is_some_and(|in_sight| !in_sight.is_shown()) {
            return true;
        }
        self.size.get().0 == 0 || self.size.get().1 == 0 || self.window.is_minimized() == Some(true)
    }

    /// True if the window fills the screen.
    pub fn is_fullscreen(&self) -> bool {
        self.window.fullscreen().is_some()
    }

    /// Applies a change of the window's size, in physical pixels.
    pub fn resized(&self, (width, height): (u32, u32)) {
        self.size.set((width, height));
        if width > 0 && height > 0 {
            self.display.resize((width, height));
        }
    }

    /// Returns width and height in physical pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size.get()
    }

    /// Sets the window's title.
    pub fn set_title(&self, title: &str) {
        self.window.set_title(title);
    }

    /// Requests a redraw event.
    pub fn request_redraw(&self) {
        self.window.request_redraw();
    }

    /// Toggles full screen.
    pub fn toggle_fullscreen(&self) {
        let fullscreen = match self.window.fullscreen() {
            Some(_) => None,
            None => Some(Fullscreen::Borderless(None)),
        };
        self.window.set_fullscreen(fullscreen);
    }
}

/// Returns why a window was not opened. Errors of EGL do not say what to do about them.
fn reason(event_loop: &ActiveEventLoop, error: &dyn std::fmt::Display) -> String {
    #[cfg(all(unix, not(target_os = "macos")))]
    if winit::platform::wayland::ActiveEventLoopExtWayland::is_wayland(event_loop) {
        return format!(
            "the Wayland compositor and EGL have no OpenGL for it ({error}): install libegl1 and libgl1-mesa-dri, or \
             start bindpose with an empty WAYLAND_DISPLAY for a window of X11"
        );
    }
    let _ = event_loop;
    error.to_string()
}

/// Argument of [`when_display_is_lost`].
#[cfg(all(unix, not(target_os = "macos")))]
static WHEN_LOST: OnceLock<fn() -> !> = OnceLock::new();

/// Calls `end` when the connection to an X server breaks. Otherwise Xlib would terminate the program with its own
/// message, and winit would panic. Call this after creating the event loop.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn when_display_is_lost(end: fn() -> !) {
    unsafe extern "C" fn lost(_: *mut x11_dl::xlib::Display) -> std::ffi::c_int {
        WHEN_LOST.get().map_or(0, |end| end())
    }
    if WHEN_LOST.set(end).is_err() {
        return;
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // winit panics if a request cannot be sent.
        if panic.location().is_some_and(|place| place.file().contains("winit")) {
            end();
        }
        before(panic);
    }));
    // Without Xlib there is no such connection.
    let Ok(xlib) = x11_dl::xlib::Xlib::open() else { return };
    // SAFETY: Xlib is loaded, and the handler has the type that it calls.
    unsafe { (xlib.XSetIOErrorHandler)(Some(lost)) };
}

/// Returns the configuration that the graphics card draws, if there is one. Of these, the one with the fewest samples,
/// because frames are antialiased before they are copied to the window.
fn best(configs: Box<dyn Iterator<Item = Config> + '_>) -> Config {
    let rank = |config: &Config| (!config.hardware_accelerated(), config.num_samples());
    configs.min_by_key(rank).expect("drivers list at least one configuration")
}
