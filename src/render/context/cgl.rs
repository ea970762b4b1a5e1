//! Contexts without a window through CGL, on macOS.
//!
//! As in windows, the core profile is tried first, for which shader files are compiled as GLSL 1.50. The legacy profile is
//! OpenGL 2.1.

use super::offscreen::{self, Offscreen};
use super::{Error, Gpu};
use cgl::{
    CGLChoosePixelFormat, CGLContextObj, CGLCreateContext, CGLDestroyContext, CGLDestroyPixelFormat, CGLError,
    CGLErrorString, CGLGetCurrentContext, CGLSetCurrentContext, kCGLNoError, kCGLPFAAllowOfflineRenderers,
    kCGLPFAOpenGLProfile,
};
use glutin::api::cgl::display::Display;
use glutin::display::GlDisplay;
use raw_window_handle::{AppKitDisplayHandle, RawDisplayHandle};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

/// Creates a context without window or surface.
///
/// # Errors
///
/// [`Error::NoContext`] with the system's reason.
pub fn headless() -> Result<Gpu, Error> {
    // SAFETY: the handle contains no pointer.
    let display = unsafe { Display::new(RawDisplayHandle::AppKit(AppKitDisplayHandle::new())) };
    let display = display.map_err(|error| Error::NoContext(error.to_string()))?;
    let context = CglContext::new(CORE).or_else(|_| CglContext::new(LEGACY))?;
    context.make_current()?;
    offscreen::gpu(Surfaceless { display, context })
}

/// `kCGLOGLPVersion_GL4_Core` of `CGLTypes.h`.
const CORE: i32 = 0x4100;
/// `kCGLOGLPVersion_Legacy` of `CGLTypes.h`.
const LEGACY: i32 = 0x1000;

/// Returns the error of a call, if it is one.
fn check(error: CGLError) -> Result<(), Error> {
    if error == kCGLNoError {
        return Ok(());
    }
    // SAFETY: CGL returns constant strings that end with 0.
    let reason = unsafe { CGLErrorString(error).as_ref().map(|text| CStr::from_ptr(text)) };
    Err(Error::NoContext(format!("CGL: {}", reason.unwrap_or_default().to_string_lossy())))
}

/// A context. It is destroyed when dropped.
struct CglContext(CGLContextObj);

impl CglContext {
    fn new(profile: i32) -> Result<Self, Error> {
        let attributes = [kCGLPFAOpenGLProfile, profile, kCGLPFAAllowOfflineRenderers, 0];
        let (mut format, mut count, mut context) = (null_mut(), 0, null_mut());
        // SAFETY: the attributes end with 0, and the results are written to the variables.
        check(unsafe { CGLChoosePixelFormat(attributes.as_ptr(), &raw mut format, &raw mut count) })?;
        if format.is_null() {
            return Err(Error::NoContext("CGL has no pixel format for OpenGL".into()));
        }
        // SAFETY: the format exists until it is destroyed, and no context is shared.
        let created = unsafe { CGLCreateContext(format, null_mut(), &raw mut context) };
        // SAFETY: the context has its own reference.
        unsafe { CGLDestroyPixelFormat(format) };
        check(created)?;
        Ok(Self(context))
    }

    fn make_current(&self) -> Result<(), Error> {
        // SAFETY: the context exists until this is dropped.
        check(unsafe { CGLSetCurrentContext(self.0) })
    }
}

impl Drop for CglContext {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and glium's context cannot leave this thread. CGL releases a current one first.
        unsafe { CGLDestroyContext(self.0) };
    }
}

struct Surfaceless {
    display: Display,
    context: CglContext,
}

// SAFETY: the display has the addresses of all contexts, and the context does not leave this value.
unsafe impl Offscreen for Surfaceless {
    fn address(&self, name: &CStr) -> *const c_void {
        self.display.get_proc_address(name)
    }

    fn is_current(&self) -> bool {
        // SAFETY: the function has no conditions.
        unsafe { CGLGetCurrentContext() == self.context.0 }
    }

    fn make_current(&self) -> Result<(), Error> {
        self.context.make_current()
    }
}
