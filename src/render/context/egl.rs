//! Contexts without a window through EGL.

use super::offscreen::{self, Offscreen};
use super::{Error, Gpu, context_requests};
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::display::GlDisplay;
use glutin::prelude::PossiblyCurrentGlContext;
use std::ffi::{CStr, c_void};

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

fn failed(error: glutin::error::Error) -> Error {
    Error::NoContext(error.to_string())
}

fn on_device(device: &Device) -> Result<Gpu, Error> {
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
            Ok(context) => return offscreen::gpu(Surfaceless { display, context }),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(Error::NoContext(reason))
}

struct Surfaceless {
    display: Display,
    context: PossiblyCurrentContext,
}

// SAFETY: the context is of the display, and neither leaves this value.
unsafe impl Offscreen for Surfaceless {
    fn address(&self, name: &CStr) -> *const c_void {
        self.display.get_proc_address(name)
    }

    fn is_current(&self) -> bool {
        self.context.is_current()
    }

    fn make_current(&self) -> Result<(), Error> {
        self.context.make_current_surfaceless().map_err(failed)
    }
}
