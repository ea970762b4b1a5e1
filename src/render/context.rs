//! OpenGL contexts and their limits.

#[cfg(target_os = "macos")]
mod cgl;
#[cfg(not(any(windows, target_os = "macos", target_family = "wasm")))]
mod egl;
#[cfg(not(target_family = "wasm"))]
mod offscreen;
#[cfg(windows)]
mod wgl;

use super::Error;
use super::dialect::Dialect;
use glium::backend::{Context, Facade};
use std::ffi::{CStr, c_char, c_void};
use std::rc::Rc;

/// An OpenGL context with its limits. Clones share the context.
#[derive(Clone)]
pub struct Gpu {
    context: Rc<Context>,
    limits: GlLimits,
    dialect: Dialect,
}

impl Gpu {
    /// Wraps a context. Its `limits` must have been read while it was current.
    pub(super) fn new(context: Rc<Context>, limits: GlLimits) -> Self {
        let dialect = Dialect::of(context.get_opengl_version(), |version| accepts(&context, version));
        Self { context, limits, dialect }
    }

    /// Returns the limits of the context.
    pub fn limits(&self) -> &GlLimits {
        &self.limits
    }

    /// Returns the dialect in which shader files are compiled.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns vendor, renderer and version as the driver reports them.
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

    /// Returns the samples per pixel of the next frame: one if OpenGL draws moving content on the CPU, otherwise four.
    pub fn samples(&self, is_moving: bool) -> u32 {
        if is_moving && self.is_software() { 1 } else { 4 }
    }

    /// Waits until all draw calls are finished.
    pub fn finish(&self) {
        self.context.finish();
    }

    /// True if vertex shader results can be read back.
    pub fn has_transform_feedback(&self) -> bool {
        glium::vertex::is_transform_feedback_supported(&self.context)
    }

    /// Returns the GLSL versions among `versions` (110, 120, …) that the driver compiles.
    pub fn accepted_glsl_versions(&self, versions: &[u16]) -> Vec<u16> {
        versions.iter().copied().filter(|&version| accepts(&self.context, version)).collect()
    }
}

#[cfg(target_family = "wasm")]
impl Gpu {
    /// Wraps the only context, whose functions `load` finds by name.
    ///
    /// # Safety
    ///
    /// The functions have OpenGL's signatures and behave as OpenGL 2.1 specifies.
    ///
    /// # Errors
    ///
    /// [`Error::NoContext`] if the context lacks a required feature.
    pub unsafe fn from_functions(load: fn(&str) -> *const c_void) -> Result<Self, Error> {
        let limits = GlLimits::query(|name| load(name.to_str().unwrap_or_default()))?;
        // SAFETY: the caller guarantees the functions, and the context is always current.
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

/// True if the driver compiles a GLSL version (110, 120, …).
fn accepts(context: &Rc<Context>, version: u16) -> bool {
    let (vertex, fragment) = probe_shaders(version);
    glium::Program::from_source(context, &vertex, &fragment, None).is_ok()
}

/// Returns minimal vertex and fragment shaders of a version.
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

/// Limits of a context that decide which methods can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlLimits {
    /// `GL_MAX_VERTEX_UNIFORM_COMPONENTS`: number of floats, four per register; at least 512 in OpenGL 2.0.
    pub vertex_uniform_components: u32,
    /// `GL_MAX_VERTEX_ATTRIBS`: at least 16.
    pub vertex_attributes: u32,
    /// `GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS`: may be 0.
    pub vertex_texture_units: u32,
    /// `GL_MAX_TEXTURE_SIZE`: largest side of a texture in texels.
    pub texture_size: u32,
    /// `GL_MAX_SAMPLES`: 0 or 1 without multisampling.
    pub samples: u32,
}

impl GlLimits {
    /// Returns the number of vertex shader registers of four floats.
    pub fn vertex_registers(&self) -> u32 {
        self.vertex_uniform_components / 4
    }

    /// Queries the current context, because glium stores none of these limits.
    ///
    /// `load` returns OpenGL functions by name. Limits unknown to the driver are OpenGL 2.0's minimum.
    ///
    /// # Errors
    ///
    /// [`Error::NoContext`] if the context is older than OpenGL 2.0.
    pub(super) fn query(load: impl Fn(&CStr) -> *const c_void) -> Result<Self, Error> {
        const MAX_TEXTURE_SIZE: u32 = 0x0D33;
        const MAX_VERTEX_ATTRIBS: u32 = 0x8869;
        const MAX_VERTEX_UNIFORM_COMPONENTS: u32 = 0x8B4A;
        const MAX_VERTEX_TEXTURE_IMAGE_UNITS: u32 = 0x8B4C;
        const MAX_SAMPLES: u32 = 0x8D57;
        require_opengl_2(&load)?;
        let pointer = load(c"glGetIntegerv");
        if pointer.is_null() {
            return Err(Error::NoContext("the driver has no glGetIntegerv".into()));
        }
        // SAFETY: name and signature are OpenGL's; the context is current, as documented above.
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

#[cfg(target_os = "macos")]
pub use cgl::headless;
#[cfg(not(any(windows, target_os = "macos", target_family = "wasm")))]
pub use egl::headless;
#[cfg(windows)]
pub use wgl::headless;

/// Fails: the only context in a web page is the page's own.
#[cfg(target_family = "wasm")]
pub fn headless() -> Result<Gpu, Error> {
    Err(Error::NoContext("a web page has no OpenGL outside its canvas".into()))
}

/// Creates a context without a window. If this fails, the running test does less.
#[cfg(test)]
pub(crate) fn gpu_of_tests() -> Option<Gpu> {
    headless().inspect_err(|error| skips::skip(&format!("drew nothing: {error}"))).ok()
}

#[path = "../../tests/support/skips.rs"]
#[cfg(test)]
pub(super) mod skips;

/// Rejects a current context older than OpenGL 2.0, such as that of Windows without a driver.
fn require_opengl_2(load: impl Fn(&CStr) -> *const c_void) -> Result<(), Error> {
    const RENDERER: u32 = 0x1F01;
    const VERSION: u32 = 0x1F02;
    let pointer = load(c"glGetString");
    if pointer.is_null() {
        return Err(Error::NoContext("the driver has no glGetString".into()));
    }
    // SAFETY: name and signature are OpenGL's; the context is current, as documented above.
    let get_string: unsafe extern "system" fn(u32) -> *const c_char = unsafe { std::mem::transmute(pointer) };
    let text = |name| {
        // SAFETY: both are names of strings; the driver ends its strings with 0 and keeps them in memory.
        let text = unsafe { get_string(name).as_ref().map(|text| CStr::from_ptr(text)) };
        text.map_or_else(String::new, |text| text.to_string_lossy().into_owned())
    };
    too_old(&text(VERSION), &text(RENDERER)).map_or(Ok(()), |reason| Err(Error::NoContext(reason)))
}

/// Returns the reason why a context with this version and renderer is too old; `None` if it is not, or if the version
/// is not a number.
fn too_old(version: &str, renderer: &str) -> Option<String> {
    let major: u32 = version.split('.').next()?.parse().ok()?;
    (major < 2).then(|| {
        format!(
            "the driver '{renderer}' has OpenGL {version}, and 2.0 is needed: install the graphics card's driver; without \
             one, as over remote desktop, put Mesa's opengl32.dll next to bindpose.exe (docs/windows.md)"
        )
    })
}

/// Returns context attributes to try, best first. Only compatibility contexts must accept GLSL 1.10 and 1.20 as written.
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

#[cfg(test)]
mod tests {
    use super::too_old;

    #[test]
    fn only_versions_below_2_are_too_old() {
        // The driver that Windows uses without one for the graphics card.
        let reason = too_old("1.1.0", "GDI Generic").expect("a reason");
        assert!(reason.contains("'GDI Generic' has OpenGL 1.1.0") && reason.contains("opengl32.dll"), "{reason}");
        for version in ["2.1 Mesa 22.3.6", "4.5 (Compatibility Profile) Mesa 22.3.6", "10.0", "OpenGL ES 3.0", ""] {
            assert_eq!(too_old(version, "any"), None, "{version}");
        }
    }
}
