//! OpenGL contexts and their limits.

use super::Error;
use glium::backend::{Context, Facade};
use std::ffi::{CStr, c_void};
use std::rc::Rc;

/// OpenGL context with its limits. Clones share the context.
#[derive(Clone)]
pub struct Gpu {
    context: Rc<Context>,
    limits: GlLimits,
}

impl Gpu {
    /// `limits` were read while the context was current.
    pub(super) fn new(context: Rc<Context>, limits: GlLimits) -> Self {
        Self { context, limits }
    }

    /// Limits of the context.
    pub fn limits(&self) -> &GlLimits {
        &self.limits
    }

    /// Vendor, renderer and version in the driver's words.
    pub fn strings(&self) -> [(&'static str, String); 3] {
        [
            ("vendor", self.context.get_opengl_vendor_string().to_owned()),
            ("renderer", self.context.get_opengl_renderer_string().to_owned()),
            ("version", self.context.get_opengl_version_string().to_owned()),
        ]
    }

    /// True if the driver draws on the CPU.
    pub fn is_software(&self) -> bool {
        const KNOWN: [&str; 6] =
            ["llvmpipe", "softpipe", "swrast", "software rasterizer", "swiftshader", "microsoft basic render"];
        let renderer = self.context.get_opengl_renderer_string().to_lowercase();
        KNOWN.iter().any(|name| renderer.contains(name)) || renderer == "gdi generic"
    }

    /// Waits until all draw calls are finished.
    pub fn finish(&self) {
        self.context.finish();
    }

    /// True if vertex shader results can be read back.
    pub fn has_transform_feedback(&self) -> bool {
        glium::vertex::is_transform_feedback_supported(&self.context)
    }

    /// GLSL versions among `versions` (110, 120, …) that the driver compiles.
    pub fn accepted_glsl_versions(&self, versions: &[u16]) -> Vec<u16> {
        let accepts = |&version: &u16| {
            let (vertex, fragment) = probe_shaders(version);
            glium::Program::from_source(&self.context, &vertex, &fragment, None).is_ok()
        };
        versions.iter().copied().filter(accepts).collect()
    }
}

#[cfg(target_family = "wasm")]
impl Gpu {
    /// The only context, whose functions `load` finds by name.
    ///
    /// # Safety
    ///
    /// The functions have OpenGL's signatures and behave as OpenGL 2.1 says.
    ///
    /// # Errors
    ///
    /// [`Error::NoContext`] if the context lacks something.
    pub unsafe fn from_functions(load: fn(&str) -> *const c_void) -> Result<Self, Error> {
        let limits = GlLimits::query(|name| load(name.to_str().unwrap_or_default()))?;
        // SAFETY: as the caller promises; the context is always current.
        let context = unsafe { Context::new(Functions(load), true, glium::debug::DebugCallbackBehavior::Ignore) }
            .map_err(|error| Error::NoContext(error.to_string()))?;
        Ok(Self::new(context, limits))
    }
}

/// Backend of glium on a context that is always current.
#[cfg(target_family = "wasm")]
struct Functions(fn(&str) -> *const c_void);

// SAFETY: there is one context, which is always current.
#[cfg(target_family = "wasm")]
unsafe impl glium::backend::Backend for Functions {
    fn swap_buffers(&self) -> Result<(), glium::SwapBuffersError> {
        Ok(())
    }

    unsafe fn get_proc_address(&self, symbol: &str) -> *const c_void {
        (self.0)(symbol)
    }

    fn get_framebuffer_dimensions(&self) -> (u32, u32) {
        (1, 1)
    }

    fn resize(&self, _: (u32, u32)) {}

    fn is_current(&self) -> bool {
        true
    }

    unsafe fn make_current(&self) {}
}

impl Facade for Gpu {
    fn get_context(&self) -> &Rc<Context> {
        &self.context
    }
}

/// Minimal vertex and fragment shader of a version.
fn probe_shaders(version: u16) -> (String, String) {
    if version < 130 {
        (
            format!("#version {version}\nattribute vec4 p;\nvoid main() {{ gl_Position = p; }}\n"),
            format!("#version {version}\nvoid main() {{ gl_FragColor = vec4(1.0); }}\n"),
        )
    } else {
        (
            format!("#version {version}\nin vec4 p;\nvoid main() {{ gl_Position = p; }}\n"),
            format!("#version {version}\nout vec4 colour;\nvoid main() {{ colour = vec4(1.0); }}\n"),
        )
    }
}

/// Limits of a context that decide which methods run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlLimits {
    /// `GL_MAX_VERTEX_UNIFORM_COMPONENTS`: floats, four to a register; at least 512 in OpenGL 2.0.
    pub vertex_uniform_components: u32,
    /// `GL_MAX_VERTEX_ATTRIBS`: at least 16.
    pub vertex_attributes: u32,
    /// `GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS`: may be 0.
    pub vertex_texture_units: u32,
    /// `GL_MAX_TEXTURE_SIZE`: texels along one side.
    pub texture_size: u32,
    /// `GL_MAX_SAMPLES`: 0 or 1 where there is no multisampling.
    pub samples: u32,
}

impl GlLimits {
    /// Vertex shader registers of four floats.
    pub fn vertex_registers(&self) -> u32 {
        self.vertex_uniform_components / 4
    }

    /// Queries the current context; glium stores none of these limits.
    ///
    /// `load` returns OpenGL functions by name. Limits unknown to the driver are OpenGL 2.0's minimum.
    pub(super) fn query(load: impl Fn(&CStr) -> *const c_void) -> Result<Self, Error> {
        const MAX_TEXTURE_SIZE: u32 = 0x0D33;
        const MAX_VERTEX_ATTRIBS: u32 = 0x8869;
        const MAX_VERTEX_UNIFORM_COMPONENTS: u32 = 0x8B4A;
        const MAX_VERTEX_TEXTURE_IMAGE_UNITS: u32 = 0x8B4C;
        const MAX_SAMPLES: u32 = 0x8D57;
        let pointer = load(c"glGetIntegerv");
        if pointer.is_null() {
            return Err(Error::NoContext("the driver has no glGetIntegerv".into()));
        }
        // SAFETY: the name is OpenGL's and so is the signature; the context is current, as documented above.
        let get_integer: unsafe extern "system" fn(u32, *mut i32) = unsafe { std::mem::transmute(pointer) };
        let get = |name: u32, least: u32| {
            let mut value = 0;
            // SAFETY: each of these names writes one integer; an unknown name writes nothing.
            unsafe { get_integer(name, &mut value) };
            u32::try_from(value).unwrap_or(0).max(least)
        };
        Ok(Self {
            vertex_uniform_components: get(MAX_VERTEX_UNIFORM_COMPONENTS, 512),
            vertex_attributes: get(MAX_VERTEX_ATTRIBS, 16),
            vertex_texture_units: get(MAX_VERTEX_TEXTURE_IMAGE_UNITS, 0),
            texture_size: get(MAX_TEXTURE_SIZE, 64),
            samples: get(MAX_SAMPLES, 0),
        })
    }
}

#[cfg(not(any(target_os = "macos", target_family = "wasm")))]
pub use egl::headless;

/// Fails: there is no EGL on macOS and in a page.
#[cfg(any(target_os = "macos", target_family = "wasm"))]
pub fn headless() -> Result<Gpu, Error> {
    Err(Error::NoContext("rendering without a window needs EGL, which this system does not have".into()))
}

/// Context attributes to try, best first. The shaders are GLSL 1.10 and 1.20, which only a compatibility context must accept.
#[cfg(not(target_family = "wasm"))]
pub(super) fn context_requests() -> [glutin::context::ContextAttributesBuilder; 3] {
    use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};
    let opengl = |version| ContextAttributesBuilder::new().with_context_api(ContextApi::OpenGl(version));
    [
        opengl(Some(Version::new(2, 1))).with_profile(GlProfile::Compatibility),
        opengl(None).with_profile(GlProfile::Compatibility),
        opengl(None),
    ]
}

#[cfg(not(any(target_os = "macos", target_family = "wasm")))]
mod egl {
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

    /// Backend of glium without a surface: only textures are drawn to.
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
            // It was current before, on the thread that glium's context cannot leave.
            self.context.make_current_surfaceless().expect("a context that was current can be made current again");
        }
    }
}
