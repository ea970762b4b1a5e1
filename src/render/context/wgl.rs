//! Contexts through WGL. Windows requires a window for a context, so a hidden one is created.

use super::offscreen::{self, Offscreen};
use super::{Error, Gpu, context_requests};
use glutin::api::wgl::config::Config;
use glutin::api::wgl::context::PossiblyCurrentContext;
use glutin::api::wgl::display::Display;
use glutin::api::wgl::surface::Surface;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::display::GlDisplay;
use glutin::prelude::{NotCurrentGlContext, PossiblyCurrentGlContext};
use glutin::surface::{SurfaceAttributesBuilder, WindowSurface};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle, Win32WindowHandle, WindowsDisplayHandle};
use std::ffi::{CStr, c_void};
use std::num::{NonZeroIsize, NonZeroU32};
use windows_sys::Win32::Foundation::{HMODULE, HWND};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{CreateWindowExW, DestroyWindow, WS_POPUP};
use windows_sys::w;

/// Creates a context on a hidden window.
///
/// # Errors
///
/// [`Error::NoContext`] with the system's reason, or if the driver is older than OpenGL 2.0.
pub fn headless() -> Result<Gpu, Error> {
    let window = HiddenWindow::new()?;
    let handle = window.handle()?;
    let display = RawDisplayHandle::Windows(WindowsDisplayHandle::new());
    // SAFETY: the window outlives everything made from it; see the order of `InWindow`'s fields.
    let display = unsafe { Display::new(display, Some(handle)) }.map_err(failed)?;
    let template = ConfigTemplateBuilder::new()
        .with_surface_type(ConfigSurfaceTypes::WINDOW)
        .compatible_with_native_window(handle)
        .build();
    // SAFETY: as above.
    let config = unsafe { display.find_configs(template) }
        .map_err(failed)?
        .next()
        .ok_or_else(|| Error::NoContext("Windows has no pixel format for OpenGL".into()))?;
    let (context, surface) = current_context(&display, &config, handle)?;
    offscreen::gpu(InWindow { context, surface, display, _window: window })
}

fn failed(error: glutin::error::Error) -> Error {
    Error::NoContext(error.to_string())
}

/// Makes the first of the [`context_requests`] that the driver accepts current on a window.
fn current_context(
    display: &Display,
    config: &Config,
    window: RawWindowHandle,
) -> Result<(PossiblyCurrentContext, Surface<WindowSurface>), Error> {
    let side = NonZeroU32::MIN;
    let attributes = SurfaceAttributesBuilder::<WindowSurface>::new().build(window, side, side);
    // SAFETY: the window exists during this call.
    let surface = unsafe { display.create_window_surface(config, &attributes) }.map_err(failed)?;
    let mut reason = String::new();
    for request in context_requests() {
        // SAFETY: as above.
        let context = unsafe { display.create_context(config, &request.build(Some(window))) };
        match context.and_then(|context| context.make_current(&surface)) {
            Ok(context) => return Ok((context, surface)),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(Error::NoContext(reason))
}

/// A window that is never shown. It is destroyed when dropped.
struct HiddenWindow {
    window: HWND,
    module: HMODULE,
}

impl HiddenWindow {
    fn new() -> Result<Self, Error> {
        use std::ptr::{null, null_mut};
        // SAFETY: `STATIC` is a class of the system, and all pointers are null or point to constants.
        let (module, window) = unsafe {
            let (module, none) = (GetModuleHandleW(null()), null_mut());
            let window = CreateWindowExW(
                0,
                w!("STATIC"),
                w!("bindpose"),
                WS_POPUP,
                0,
                0,
                1,
                1,
                none,
                null_mut(),
                module,
                null(),
            );
            (module, window)
        };
        if window.is_null() {
            let error = std::io::Error::last_os_error();
            return Err(Error::NoContext(format!("Windows creates no window to draw in: {error}")));
        }
        Ok(Self { window, module })
    }

    fn handle(&self) -> Result<RawWindowHandle, Error> {
        let window = NonZeroIsize::new(self.window as isize);
        let window = window.ok_or_else(|| Error::NoContext("Windows creates no window to draw in".into()))?;
        let mut handle = Win32WindowHandle::new(window);
        handle.hinstance = NonZeroIsize::new(self.module as isize);
        Ok(RawWindowHandle::Win32(handle))
    }
}

impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: `new` made it on this thread, which glium's context cannot leave.
        unsafe { DestroyWindow(self.window) };
    }
}

/// A context on a hidden window. Fields are dropped in this order.
struct InWindow {
    context: PossiblyCurrentContext,
    surface: Surface<WindowSurface>,
    display: Display,
    _window: HiddenWindow,
}

// SAFETY: the context is of the display and on the window, and none of them leaves this value.
unsafe impl Offscreen for InWindow {
    fn address(&self, name: &CStr) -> *const c_void {
        self.display.get_proc_address(name)
    }

    fn is_current(&self) -> bool {
        self.context.is_current()
    }

    fn make_current(&self) -> Result<(), Error> {
        self.context.make_current(&self.surface).map_err(failed)
    }
}
