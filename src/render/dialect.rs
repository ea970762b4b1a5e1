//! Dialects of GLSL in which shader files are compiled.
//!
//! The files are GLSL 1.10 to 1.30, as in the articles. A context that refuses these versions gets the same text behind
//! defines.

use glium::{Api, Version};

/// Dialect of GLSL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The version that a file names.
    AsWritten,
    /// GLSL 1.50, for core contexts, which refuse everything before 1.40. Windows of macOS have no others.
    Core,
    /// GLSL ES 3.00, for OpenGL ES 3 and WebGL 2.
    Es,
}

/// Stage of a shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Vertex,
    Fragment,
}

impl Dialect {
    /// Returns the dialect for a context of this version of OpenGL, which accepts some versions of GLSL: the files' own
    /// versions if it compiles them.
    ///
    /// Tests force another one by the environment variable `BINDPOSE_GLSL`: `150` or `300 es`.
    pub(super) fn of(opengl: &Version, accepts: impl Fn(u16) -> bool) -> Self {
        match opengl {
            _ if cfg!(target_family = "wasm") => Self::Es,
            _ if std::env::var_os("BINDPOSE_GLSL").is_some_and(|forced| forced == "150") => Self::Core,
            _ if std::env::var_os("BINDPOSE_GLSL").is_some_and(|forced| forced == "300 es") => Self::Es,
            Version(Api::GlEs, ..) => Self::Es,
            Version(Api::Gl, major, minor) if (*major, *minor) < (3, 1) => Self::AsWritten,
            _ if !accepts(120) && accepts(150) => Self::Core,
            _ => Self::AsWritten,
        }
    }

    /// Returns the versions that are compiled, and why.
    pub fn reason(self) -> &'static str {
        match self {
            Self::AsWritten => "1.10 to 1.30, as written",
            Self::Core => "1.50, because this context refuses 1.20",
            Self::Es => "ES 3.00, because this context is OpenGL ES",
        }
    }

    /// Returns the first lines of a shader whose files name `version`: that with which they are compiled, and names that it
    /// lacks. Files of later versions do not use these names.
    pub(super) fn head(self, version: &str, stage: Stage) -> String {
        let number = version.split(' ').next().and_then(|number| number.parse().ok());
        let (version, precision) = match self {
            _ if number > Some(130) => return format!("#version {version}\n"),
            Self::AsWritten => return format!("#version {version}\n"),
            Self::Core => ("150", ""),
            Self::Es => ("300 es", "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"),
        };
        let names = match stage {
            Stage::Vertex => "#define attribute in\n#define varying out\n",
            Stage::Fragment => "#define varying in\nout vec4 fragment_colour;\n#define gl_FragColor fragment_colour\n",
        };
        format!("#version {version}\n{precision}{names}#define texture2D texture\n#define texture2DLod textureLod\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialect_follows_the_compiler() {
        let of = |major, accepts: fn(u16) -> bool| Dialect::of(&Version(Api::Gl, major, 1), accepts);
        // As Apple's compiler in core contexts, and in old ones.
        assert_eq!(of(4, |version| version >= 140), Dialect::Core);
        assert_eq!(of(2, |version| version <= 120), Dialect::AsWritten);
        assert_eq!(of(4, |_| true), Dialect::AsWritten);
        assert_eq!(Dialect::of(&Version(Api::GlEs, 3, 0), |_| false), Dialect::Es);
    }
}
