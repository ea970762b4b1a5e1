//! Scripts of Quake III's family: images of shaders, and shaders of a `.skin`'s surfaces.

use super::choices::ImageRole;
use crate::model::surface::Sides;
use crate::read;
use bindpose_parsers::Span;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Largest number of bytes read of a script or a `.skin`.
pub(super) const LARGEST_SCRIPT: u64 = 1 << 20;
/// Largest number of bytes read of all scripts of a game.
const LARGEST_SCRIPTS: usize = 32 << 20;

/// A shader. Image names are relative to the game's folder, mostly without extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shader {
    /// Colour: Daemon's `diffuseMap`, or Quake III's first stage that is not a lightmap.
    pub base: Option<String>,
    /// Normals.
    pub normal: Option<String>,
    /// Brightness of highlights.
    pub specular: Option<String>,
    /// Emitted light: Daemon's `glowMap`.
    pub glow: Option<String>,
    /// True if green of the normals grows towards the top of the image: `normalFormat X Y Z`. Daemon's default is the
    /// bottom.
    pub green_is_up: bool,
    /// Sides that are drawn: `cull`.
    pub sides: Sides,
    /// Alpha in 255ths above which texels of the base image are drawn: `alphaFunc GT0` or `GE128`.
    pub alpha_above: Option<u8>,
    /// True if the base image's stage sets a blend with the background.
    pub is_blended: bool,
    /// Words with a visible effect that are not supported.
    pub unsupported: Vec<String>,
}

impl Shader {
    /// Returns the image in a role.
    pub fn image(&self, role: ImageRole) -> Option<&str> {
        match role {
            ImageRole::Base => self.base.as_deref(),
            ImageRole::Normal => self.normal.as_deref(),
            ImageRole::Specular => self.specular.as_deref(),
            ImageRole::Glow => self.glow.as_deref(),
        }
    }

    /// Sets the image of a role. Only the first one counts. `$lightmap`, `$whiteimage` and `*white` are not files.
    fn set(&mut self, role: ImageRole, image: &str) {
        let slot = match role {
            ImageRole::Base => &mut self.base,
            ImageRole::Normal => &mut self.normal,
            ImageRole::Specular => &mut self.specular,
            ImageRole::Glow => &mut self.glow,
        };
        if slot.is_none() && !image.starts_with(['$', '*']) {
            *slot = Some(image.to_owned());
        }
    }
}

/// The shaders of a game.
#[derive(Debug, Default)]
pub(super) struct ShaderScripts {
    /// Shader and its script, by canonical name.
    shaders: HashMap<String, (PathBuf, Shader)>,
}

impl ShaderScripts {
    /// Reads `.shader` files. Of several shaders with one name, the first counts.
    pub fn read(scripts: impl Iterator<Item = PathBuf>) -> Self {
        let mut known = HashMap::new();
        let mut left = LARGEST_SCRIPTS;
        for path in scripts {
            let Ok(bytes) = read::up_to(&path, LARGEST_SCRIPT.min(left as u64)) else { continue };
            left -= bytes.len();
            for (name, shader) in shaders(&String::from_utf8_lossy(&bytes)) {
                known.entry(name).or_insert_with(|| (path.clone(), shader));
            }
        }
        Self { shaders: known }
    }

    pub fn is_empty(&self) -> bool {
        self.shaders.is_empty()
    }

    /// Returns the shader with a name, and its script.
    pub fn get(&self, name: &str) -> Option<(&Path, &Shader)> {
        let (path, shader) = self.shaders.get(&canonical(name))?;
        Some((path, shader))
    }
}

/// Returns the name in lower case without extension, with `/` for `\`.
fn canonical(name: &str) -> String {
    let name = name.replace('\\', "/").to_lowercase();
    match name.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => name,
    }
}

/// Reads the shaders of a script with their names, in order: `NAME { WORD ARGUMENTS… { WORD ARGUMENTS… } }`, a word and
/// its arguments on one line. An unclosed shader is omitted.
pub fn shaders(text: &str) -> Vec<(String, Shader)> {
    let (mut reader, mut is_comment) = (ScriptReader::default(), false);
    for line in text.lines() {
        let words = words(line, &mut is_comment);
        let mut rest = &words[..];
        while let [word, behind @ ..] = rest {
            rest = match (*word, reader.depth) {
                ("{", _) => reader.open(behind),
                ("}", _) => reader.close(behind),
                (name, 0) => {
                    name.clone_into(&mut reader.name);
                    behind
                }
                (word, _) => {
                    let end = behind.iter().position(|word| matches!(*word, "{" | "}")).unwrap_or(behind.len());
                    let (arguments, behind) = behind.split_at(end);
                    reader.statement(&word.to_ascii_lowercase(), arguments);
                    behind
                }
            };
        }
    }
    reader.read
}

/// State between the words of a script.
#[derive(Default)]
struct ScriptReader {
    read: Vec<(String, Shader)>,
    depth: usize,
    name: String,
    shader: Shader,
    stage: Stage,
}

/// State of the innermost block.
struct Stage {
    image: Option<String>,
    role: ImageRole,
    /// True if the shader had a base image before this stage.
    has_base: bool,
    alpha_test: Option<String>,
    is_blended: bool,
}

impl Default for Stage {
    fn default() -> Self {
        Self { image: None, role: ImageRole::Base, has_base: false, alpha_test: None, is_blended: false }
    }
}

impl ScriptReader {
    fn open<'w>(&mut self, rest: &'w [&'w str]) -> &'w [&'w str] {
        self.depth += 1;
        self.stage = Stage { has_base: self.shader.base.is_some(), ..Stage::default() };
        rest
    }

    fn close<'w>(&mut self, rest: &'w [&'w str]) -> &'w [&'w str] {
        let Some(depth) = self.depth.checked_sub(1) else { return rest };
        self.depth = depth;
        let Self { shader, stage, .. } = self;
        if let Some(image) = stage.image.take() {
            shader.set(stage.role, &image);
        }
        if !stage.has_base && shader.base.is_some() {
            stage.has_base = true;
            shader.is_blended = stage.is_blended;
            match stage.alpha_test.take().as_deref() {
                Some("gt0") => shader.alpha_above = Some(0),
                Some("ge128") => shader.alpha_above = Some(127),
                Some(other) => shader.unsupported.push(format!("alphaFunc {other}")),
                None => {}
            }
        }
        if depth == 0 {
            self.read.push((canonical(&self.name), std::mem::take(&mut self.shader)));
        }
        rest
    }

    fn statement(&mut self, word: &str, arguments: &[&str]) {
        let Self { shader, stage, .. } = self;
        match (word, arguments) {
            ("diffusemap", [image, ..]) => shader.set(ImageRole::Base, image),
            ("normalmap" | "bumpmap", [image, ..]) => shader.set(ImageRole::Normal, image),
            ("specularmap", [image, ..]) => shader.set(ImageRole::Specular, image),
            ("glowmap", [image, ..]) => shader.set(ImageRole::Glow, image),
            ("cull", [sides, ..]) => shader.sides = culled(sides),
            ("twosided", _) => shader.sides = Sides::Both,
            ("backsided", _) => shader.sides = Sides::Back,
            ("alphafunc", [test, ..]) => stage.alpha_test = Some(alpha_test(test)),
            ("normalformat", [_, green, ..]) => shader.green_is_up = !green.starts_with('-'),
            ("map" | "clampmap", [image, ..]) | ("animmap", [_, image, ..]) => stage.image = Some((*image).to_owned()),
            ("stage" | "blend" | "blendfunc", [kind, ..]) => {
                stage.is_blended |= word.starts_with("blend");
                stage.role = match kind.to_ascii_lowercase().as_str() {
                    "bumpmap" | "normalmap" => ImageRole::Normal,
                    "specularmap" => ImageRole::Specular,
                    "glowmap" => ImageRole::Glow,
                    _ => stage.role,
                }
            }
            _ => {}
        }
    }
}

/// Sides drawn for an argument of `cull`.
fn culled(sides: &str) -> Sides {
    match sides.to_ascii_lowercase().as_str() {
        "none" | "twosided" | "disable" => Sides::Both,
        "back" | "backside" | "backsided" => Sides::Back,
        _ => Sides::Front,
    }
}

/// Returns the argument of `alphaFunc`, in lower case if it is known.
fn alpha_test(test: &str) -> String {
    let known = ["gt0", "ge128", "lt128"].into_iter().find(|known| test.eq_ignore_ascii_case(known));
    known.unwrap_or(test).to_owned()
}

/// Splits a line into words, without comments. A brace is a word. Quotes join words.
fn words<'a>(line: &'a str, is_comment: &mut bool) -> Vec<&'a str> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        if *is_comment {
            let Some((_, behind)) = rest.split_once("*/") else { return words };
            (rest, *is_comment) = (behind, false);
        }
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with("//") {
            return words;
        }
        if let Some(behind) = rest.strip_prefix("/*") {
            (rest, *is_comment) = (behind, true);
            continue;
        }
        let (word, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None if rest.starts_with(['{', '}']) => rest.split_at(1),
            None => rest.split_at(rest.find(|c: char| c.is_whitespace() || "{}\"".contains(c)).unwrap_or(rest.len())),
        };
        words.push(word);
        rest = behind;
    }
}

/// A row of a `.skin`: `SURFACE, SHADER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkinRow {
    /// Name of the surface. Daemon ignores it and uses the rows in order, because its MD5 surfaces have no names.
    pub surface: String,
    /// Shader of the surface.
    pub shader: String,
    /// Bytes of the row, without blanks and comment.
    pub span: Span,
}

/// Reads the rows of a `.skin` of Quake III's family, except those of tags, which are joints. Doom 3's skins are
/// declarations and have no rows.
pub fn skin_rows(bytes: &[u8]) -> Vec<SkinRow> {
    let mut start = 0;
    let mut rows = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let at = start + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        start += line.len();
        let code = line.windows(2).position(|pair| pair == b"//").map_or(line, |end| &line[..end]).trim_ascii();
        let text = String::from_utf8_lossy(code);
        let Some((surface, shader)) = text.split_once(',') else { continue };
        // Games ignore a second comma and what follows.
        let shader = shader.split(',').next().unwrap_or(shader);
        let [surface, shader] = [surface, shader].map(|name| name.trim().trim_matches('"').to_owned());
        if !surface.starts_with("tag_") {
            rows.push(SkinRow { surface, shader, span: Span::new(at, at + code.len()) });
        }
    }
    rows
}

/// Returns the shader that a `.skin` gives to a surface: from the row with its mesh's number (the name `mesh 3` has one),
/// else from the row with one of its names.
pub(super) fn shader_of_skin(skin: &Path, surfaces: &[&str]) -> Option<String> {
    let rows = skin_rows(&read::up_to(skin, LARGEST_SCRIPT).ok()?);
    let named = |name: &&str| rows.iter().find(|row| row.surface.eq_ignore_ascii_case(name));
    let numbered = |name: &&str| rows.get(name.strip_prefix("mesh ")?.parse::<usize>().ok()?);
    let row = surfaces.iter().find_map(numbered).or_else(|| surfaces.iter().find_map(named))?;
    Some(row.shader.clone()).filter(|shader| !shader.is_empty())
}
