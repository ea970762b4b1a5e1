//! Programs from GLSL files, built in or from `--shaders DIR`. Errors name the file and line in the driver's messages.

use super::dialect::{Dialect, Stage};
use super::{Error, Gpu};
use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::read::{self, ReadError};
use bindpose_shaders as shaders;
use glium::ProgramCreationError;
use glium::backend::Facade;
use glium::program::{Program, ProgramCreationInput};
use glium::vertex::VertexFormat;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Source of GLSL files.
#[derive(Debug, Clone, Default)]
pub struct ShaderFiles {
    /// Folder whose files replace the built-in files of the same name.
    pub directory: Option<PathBuf>,
    /// Limit of the files' size.
    pub memory: MemoryLimit,
}

impl ShaderFiles {
    pub(super) fn read(&self, name: &str) -> Result<Cow<'static, str>, Error> {
        if let Some(directory) = &self.directory {
            match read::text(&directory.join(name), &Budget::new(self.memory)) {
                Ok(text) => return Ok(Cow::Owned(text)),
                Err(error) if error.is_missing() && directory.is_dir() => {}
                Err(error) => return Err(Error::ShaderFile(error)),
            }
        }
        let missing = || ReadError::Io { path: name.into(), error: std::io::ErrorKind::NotFound.into() };
        shaders::built_in(name).map(Cow::Borrowed).ok_or_else(|| Error::ShaderFile(missing()))
    }
}

/// Parts of a program.
pub(super) struct Recipe<'a> {
    /// Vertex shader files in order. The first `#version` applies to all.
    pub vertex: &'a [&'a str],
    /// Fragment shader files in order.
    pub fragment: &'a [&'a str],
    /// Constants defined in both shaders.
    pub defines: &'a [(&'a str, usize)],
    /// Varyings captured by transform feedback.
    pub feedback: &'a [&'a str],
}

impl Recipe<'_> {
    /// Compiles and links the program, and checks that every attribute is among `provided`.
    pub fn build(&self, gpu: &Gpu, shaders: &ShaderFiles, provided: &[VertexFormat]) -> Result<Program, Error> {
        let [vertex, fragment] = self.assemble(gpu.dialect(), shaders)?;
        let program = self.compile(gpu, &vertex, &fragment)?;
        self.check(&program, provided)?;
        Ok(program)
    }

    /// Returns the text of the vertex and the fragment shader.
    pub(super) fn assemble(&self, dialect: Dialect, shaders: &ShaderFiles) -> Result<[String; 2], Error> {
        let texts = |names: &[&str]| names.iter().map(|name| shaders.text(name)).collect::<Result<Vec<_>, _>>();
        let (vertex, fragment) = (texts(self.vertex)?, texts(self.fragment)?);
        let version = vertex.iter().find_map(|file| file.version.as_deref()).unwrap_or("110");
        let stages = [(Stage::Vertex, &vertex), (Stage::Fragment, &fragment)];
        Ok(stages.map(|(stage, files)| assemble(&dialect.head(version, stage), self.defines, files)))
    }

    fn compile(&self, facade: &impl Facade, vertex: &str, fragment: &str) -> Result<Program, Error> {
        let feedback = self.feedback.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let input = ProgramCreationInput::SourceCode {
            vertex_shader: vertex,
            fragment_shader: fragment,
            geometry_shader: None,
            tessellation_control_shader: None,
            tessellation_evaluation_shader: None,
            transform_feedback_varyings: (!feedback.is_empty())
                .then_some((feedback, glium::program::TransformFeedbackMode::Interleaved)),
            // The fragment shaders already write sRGB, so OpenGL must not convert.
            outputs_srgb: true,
            uses_point_size: false,
        };
        // glium panics on uniform arrays of one element and on unknown types. Files of `--shaders` may contain them,
        // and only a GLSL front end could detect them.
        let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Program::new(facade, input)));
        let Ok(built) = built else {
            let message = "glium cannot list its uniforms (is one an array of a single element?)".to_owned();
            return Err(Error::Interface { files: self.files(), message });
        };
        built.map_err(|error| {
            let log = match error {
                ProgramCreationError::CompilationError(log, glium::program::ShaderType::Fragment) => {
                    name_files(&log, self.fragment)
                }
                ProgramCreationError::CompilationError(log, _) => name_files(&log, self.vertex),
                ProgramCreationError::LinkingError(log) => log,
                other => other.to_string(),
            };
            Error::Program { files: self.files(), log: log.trim_end_matches(['\0', '\n']).to_owned() }
        })
    }

    /// Checks that every attribute has data. Without data, glium panics at the first draw, and `--shaders` may contain
    /// anything.
    fn check(&self, program: &Program, provided: &[VertexFormat]) -> Result<(), Error> {
        for (name, attribute) in program.attributes() {
            let matches = |format: &VertexFormat| {
                format.iter().any(|(provided, _, _, ty, _)| {
                    provided == name
                        && ty.get_num_components() == attribute.ty.get_num_components()
                        && attribute.size == 1
                })
            };
            if !provided.iter().any(matches) {
                let names: Vec<&str> =
                    provided.iter().flat_map(|format| format.iter().map(|(name, ..)| name.as_ref())).collect();
                let message = format!(
                    "attribute '{name}' ({:?}) has no data of that name and width; available are {}",
                    attribute.ty,
                    names.join(", ")
                );
                return Err(Error::Interface { files: self.files(), message });
            }
        }
        Ok(())
    }

    /// Returns the names of the files, for errors.
    fn files(&self) -> String {
        let all: Vec<&str> = self.vertex.iter().chain(self.fragment).copied().collect();
        all.join(" + ")
    }
}

/// GLSL file without its `#version` line.
struct ShaderText {
    version: Option<String>,
    /// Text with the same number of lines as the file.
    text: String,
}

impl ShaderFiles {
    fn text(&self, name: &str) -> Result<ShaderText, Error> {
        let text = self.read(name)?;
        let mut version = None;
        let mut without = String::with_capacity(text.len());
        for line in text.lines() {
            match line.trim_start().strip_prefix("#version") {
                Some(rest) if version.is_none() => version = Some(rest.trim().to_owned()),
                _ => without.push_str(line),
            }
            without.push('\n');
        }
        Ok(ShaderText { version, text: without })
    }
}

/// Range of line numbers of each file in a shader.
///
/// `#line` could also number files, but Mesa 22 drops this number in errors about types.
const LINES_PER_FILE: usize = 100_000;

/// Joins files to one shader. `#line` starts each at a multiple of [`LINES_PER_FILE`].
fn assemble(head: &str, defines: &[(&str, usize)], files: &[ShaderText]) -> String {
    let mut shader = head.to_owned();
    for (name, value) in defines {
        // Writing to a string cannot fail.
        let _ = writeln!(shader, "#define {name} {value}");
    }
    // Up to GLSL 1.50 the line after `#line n` is n + 1; from ES 3.00 and 3.30 on it is n.
    let version = head.strip_prefix("#version ").and_then(|head| head.get(..3)?.parse().ok()).unwrap_or(110);
    let before_first = if version < 300 { 0 } else { 1 };
    for (number, file) in files.iter().enumerate() {
        let _ = write!(shader, "#line {}\n{}", number * LINES_PER_FILE + before_first, file.text);
    }
    shader
}

/// Replaces [`assemble`]'s line numbers in a driver's log with files and lines. Supports `0:12(5): …` (Mesa), `ERROR:
/// 0:12: …` (Intel, AMD, Apple), and `0(12) : …` (NVIDIA).
fn name_files(log: &str, files: &[&str]) -> String {
    let mut named = String::new();
    for line in log.lines() {
        let _ = match place_in_log(line) {
            Some((head, number, tail)) => match files.get(number / LINES_PER_FILE) {
                Some(file) => writeln!(named, "{head}{file}:{}{tail}", number % LINES_PER_FILE),
                None => writeln!(named, "{line}"),
            },
            None => writeln!(named, "{line}"),
        };
    }
    named
}

/// Splits a line of a log into the text before the source number, the line number, and the text after it.
fn place_in_log(line: &str) -> Option<(&str, usize, &str)> {
    let source = line.strip_prefix("ERROR: ").or_else(|| line.strip_prefix("WARNING: ")).unwrap_or(line);
    let head = &line[..line.len() - source.len()];
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (source, rest) = source.split_at(digits(source));
    let bracket = rest.starts_with('(');
    let rest = rest.strip_prefix(['(', ':'])?;
    let (number, tail) = rest.split_at(digits(rest));
    let tail = if bracket { tail.strip_prefix(')')? } else { tail };
    (!source.is_empty()).then_some((head, number.parse().ok()?, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_line_numbers_become_files_and_lines() {
        let files = ["dqs.vert", "figure.vert"];
        let cases = [
            ("0:12(5): error: x", "dqs.vert:12(5): error: x\n"),
            ("0:100003(1): error: x", "figure.vert:3(1): error: x\n"),
            ("ERROR: 0:100007: 'q' : undeclared", "ERROR: figure.vert:7: 'q' : undeclared\n"),
            ("0(12) : error C1008", "dqs.vert:12 : error C1008\n"),
            ("0:200001(1): error: x", "0:200001(1): error: x\n"),
            ("12 errors", "12 errors\n"),
            ("error: 0:12", "error: 0:12\n"),
        ];
        for (log, named) in cases {
            assert_eq!(name_files(log, &files), named);
        }
    }

    #[test]
    fn lines_keep_their_numbers_in_an_assembled_shader() {
        let read = |contents: &'static str| {
            let directory = std::env::temp_dir().join(format!("bindpose-shader-{}", std::process::id()));
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join("a.vert"), contents).unwrap();
            let text =
                ShaderFiles { directory: Some(directory.clone()), ..ShaderFiles::default() }.text("a.vert").unwrap();
            std::fs::remove_dir_all(directory).unwrap();
            text
        };
        let file = read("// head\n#version 120\nfloat a;\n");
        assert_eq!(file.version.as_deref(), Some("120"));
        assert_eq!(
            assemble("#version 120\n", &[("JOINTS", 7)], &[file]),
            "#version 120\n#define JOINTS 7\n#line 0\n// head\n\nfloat a;\n"
        );
    }
}
