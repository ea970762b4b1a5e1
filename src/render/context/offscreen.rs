//! Backend of glium for contexts that only draw to textures.

use super::{Error, GlLimits, Gpu};
use glium::SwapBuffersError;
use glium::backend::{Backend, Context};
use glium::debug::DebugCallbackBehavior;
use std::ffi::{CStr, CString, c_void};

/// A context without a visible surface.
///
/// # Safety
///
/// All functions must be about one context, and it must exist until the value is dropped.
pub(super) unsafe trait Offscreen {
    /// Returns the address of an OpenGL function; null if there is none of this name.
    fn address(&self, name: &CStr) -> *const c_void;

    fn is_current(&self) -> bool;

    /// Makes the context current, on the thread on which it was before.
    ///
    /// # Errors
    ///
    /// [`Error::NoContext`] with the system's reason.
    fn make_current(&self) -> Result<(), Error>;
}

/// Wraps a context that is current.
///
/// # Errors
///
/// [`Error::NoContext`] if it is older than OpenGL 2.0, or glium does not support it.
pub(super) fn gpu(context: impl Offscreen + 'static) -> Result<Gpu, Error> {
    let limits = GlLimits::query(|name| context.address(name))?;
    // SAFETY: the context is new and the backend keeps it; glium checks that it is current.
    let context = unsafe { Context::new(OffscreenBackend(context), true, DebugCallbackBehavior::Ignore) }
        .map_err(|error| Error::NoContext(error.to_string()))?;
    Ok(Gpu::new(context, limits))
}

struct OffscreenBackend<C>(C);

// SAFETY: function addresses and currentness are those of one context, as `Offscreen` requires.
unsafe impl<C: Offscreen> Backend for OffscreenBackend<C> {
    fn swap_buffers(&self) -> Result<(), SwapBuffersError> {
        Ok(())
    }

    unsafe fn get_proc_address(&self, symbol: &str) -> *const c_void {
        CString::new(symbol).map_or(std::ptr::null(), |name| self.0.address(&name))
    }

    fn get_framebuffer_dimensions(&self) -> (u32, u32) {
        (1, 1)
    }

    fn resize(&self, _: (u32, u32)) {}

    fn is_current(&self) -> bool {
        self.0.is_current()
    }

    unsafe fn make_current(&self) {
        // glium's context cannot leave the thread on which it was current.
        self.0.make_current().expect("a context that was current can be made current again");
    }
}
