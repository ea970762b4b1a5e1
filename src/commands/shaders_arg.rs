//! Option `--shaders`, and skinning methods by name.

use super::own_methods::own_methods;
use anyhow::bail;
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::read;
#[cfg(feature = "render")]
use bindpose::render::ShaderFiles;
use bindpose::skin::MethodId;
use bindpose_shaders::built_in;
use std::borrow::Cow;
use std::path::PathBuf;

/// Option `--shaders`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ShadersArg {
    /// Folder with GLSL files that replace the built-in ones of the same name; a NAME.vert of another name, with a line
    /// such as `// like: dqs`, is a method of your own
    #[arg(long = "shaders", id = "shaders", value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

impl ShadersArg {
    /// Returns the built-in methods and those of the folder. The latter are never freed.
    ///
    /// # Errors
    ///
    /// No such folder, or a file in it that is no method.
    pub fn methods(&self) -> anyhow::Result<Vec<MethodId>> {
        let own = match &self.folder {
            None => Vec::new(),
            Some(folder) if !folder.is_dir() => bail!("{} is not a folder of shaders", folder.display()),
            Some(folder) => own_methods(folder, MemoryLimit::default())?,
        };
        Ok(MethodId::all().chain(own).collect())
    }

    /// Returns the methods of `--methods`, or all methods without names.
    ///
    /// # Errors
    ///
    /// As [`Self::methods`], or an unknown name.
    #[cfg(feature = "render")]
    pub fn methods_called(&self, names: &[String]) -> anyhow::Result<Vec<MethodId>> {
        use anyhow::Context;
        let methods = self.methods()?;
        if names.is_empty() {
            return Ok(methods);
        }
        names.iter().map(|name| MethodId::find(name, &methods)).collect::<Result<_, _>>().context("--methods")
    }

    /// Returns the text of a shader file: that of the folder, else the built-in one.
    pub fn text(&self, name: &str) -> Option<Cow<'static, str>> {
        let path = self.folder.as_ref().map(|folder| folder.join(name));
        let own = path.and_then(|path| read::text(&path, &Budget::new(MemoryLimit::default())).ok());
        own.map(Cow::Owned).or_else(|| built_in(name).map(Cow::Borrowed))
    }

    /// Returns the source of the shaders.
    #[cfg(feature = "render")]
    pub fn files(&self, memory: MemoryLimit) -> ShaderFiles {
        ShaderFiles { directory: self.folder.clone(), memory }
    }
}
