//! Contexts without a window through EGL.

use super::{Error, GlLimits, Gpu, context_requests};
use glium::SwapBuffersError;
use glium::backend::{Backend, Context};
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::display::GlDisplay;
use glutin::prelude::PossiblyCurrentGlContext;
use std::ffi::{CString, c_void};

/// Creates a context without window, display server or surface on the first EGL device that supports it.
///
/// # Errors
///
/// [`Error::NoContext`] with the reason of each device.
pub fn headless() -> Result<Gpu, Error> {
    let devices = Device::query_devices()
        .map_err(|error| Error::NoContext(format!("EGL lists no devices: {error} (is libEGL installed?)")))?;
    let mut reasons = Vec::new();
    for device in devices {
        match on_device(&device) {
            Ok(gpu) => return Ok(gpu),
            Err(Error::NoContext(reason)) => {
                reasons.push(format!("{}: {reason}", device.name().unwrap_or("unnamed device")));
            }
            Err(error) => return Err(error),
        }
    }
    let reasons = if reasons.is_empty() { "EGL has no devices".into() } else { reasons.join("; ") };
    Err(Error::NoContext(reasons))
}

fn on_device(device: &Device) -> Result<Gpu, Error> {
    let failed = |error: glutin::error::Error| Error::NoContext(error.to_string());
    // SAFETY: no raw display handle is passed.
    let display = unsafe { Display::with_device(device, None) }.map_err(failed)?;
    let template =
        ConfigTemplateBuilder::new().with_surface_type(ConfigSurfaceTypes::empty()).with_api(Api::OPENGL).build();
    // SAFETY: the template holds no window handle.
    let config = unsafe { display.find_configs(template) }
        .map_err(failed)?
        .next()
        .ok_or_else(|| Error::NoContext("EGL has no configuration for OpenGL".into()))?;
    let mut reason = String::new();
    for request in context_requests() {
        // SAFETY: the attributes hold no window handle.
        let context = unsafe { display.create_context(&config, &request.build(None)) };
        match context.and_then(|context| context.make_current_surfaceless()) {
            Ok(context) => return finish(display, context),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(Error::NoContext(reason))
}

fn finish(display: Display, context: PossiblyCurrentContext) -> Result<Gpu, Error> {
    let limits = GlLimits::query(|name| display.get_proc_address(name))?;
    let backend = Surfaceless { display, context };
    // SAFETY: the context is new and the backend keeps it; glium checks that it is current.
    let context = unsafe { Context::new(backend, true, glium::debug::DebugCallbackBehavior::Ignore) }
        .map_err(|error| Error::NoContext(error.to_string()))?;
    Ok(Gpu::new(context, limits))
}

/// Backend of glium without a surface: it can only draw to textures.
struct Surfaceless {
    display: Display,
    context: PossiblyCurrentContext,
}

// SAFETY: function addresses and currentness come from the one EGL display and context stored here.
unsafe impl Backend for Surfaceless {
    fn swap_buffers(&self) -> Result<(), SwapBuffersError> {
        Ok(())
    }

    unsafe fn get_proc_address(&self, symbol: &str) -> *const c_void {
        match CString::new(symbol) {
            Ok(name) => self.display.get_proc_address(&name),
            Err(_) => std::ptr::null(),
        }
    }

    fn get_framebuffer_dimensions(&self) -> (u32, u32) {
        (1, 1)
    }

    fn resize(&self, _: (u32, u32)) {}

    fn is_current(&self) -> bool {
        self.context.is_current()
    }

    unsafe fn make_current(&self) {
        // The context was current before, on the thread that glium's context cannot leave.
        self.context.make_current_surfaceless().expect("a context that was current can be made current again");
    }
}
