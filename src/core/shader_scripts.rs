//! Scripts of Quake III's family: which images a shader shows, and which shader a `.skin` gives to a surface.

use crate::image_habits::Role;
use crate::model::surface::Sides;
use crate::read;
use bindpose_parsers::Span;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Bytes of a script, and of a `.skin`, that are read.
pub(crate) const LARGEST_SCRIPT: u64 = 1 << 20;
/// Bytes of all scripts of a game that are read.
const LARGEST_SCRIPTS: usize = 32 << 20;

/// What a shader shows; names of images as the script gives them, from the game's folder on, mostly without an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shader {
    /// What the surface looks like: Daemon's `diffuseMap`, or Quake III's first stage that is no lightmap.
    pub picture: Option<String>,
    /// Its normals.
    pub normal: Option<String>,
    /// How bright its highlights are.
    pub specular: Option<String>,
    /// What shines by itself: Daemon's `glowMap`.
    pub glow: Option<String>,
    /// Whether green of its normals grows up the image: `normalFormat X Y Z`. Daemon takes the other direction for granted.
    pub green_is_up: bool,
    /// Which sides are drawn: `cull`.
    pub sides: Sides,
    /// The alpha, in 255ths, above which texels of the picture are drawn: `alphaFunc GT0` or `GE128`.
    pub alpha_above: Option<u8>,
    /// Whether the picture's stage says how it is mixed with what is behind it.
    pub is_mixed: bool,
    /// Words that change what is seen and that nothing is done for here.
    pub left_out: Vec<String>,
}

impl Shader {
    /// The image for one role.
    pub fn image(&self, role: Role) -> Option<&str> {
        self.place(role).as_deref()
    }

    fn place(&self, role: Role) -> &Option<String> {
        match role {
            Role::Picture => &self.picture,
            Role::Normal => &self.normal,
            Role::Specular => &self.specular,
            Role::Glow => &self.glow,
        }
    }

    /// The first image for a role counts.
    fn set(&mut self, role: Role, image: &str) {
        // `$lightmap`, `$whiteimage` and `*white` are no files.
        if self.place(role).is_some() || image.starts_with(['$', '*']) {
            return;
        }
        let place = match role {
            Role::Picture => &mut self.picture,
            Role::Normal => &mut self.normal,
            Role::Specular => &mut self.specular,
            Role::Glow => &mut self.glow,
        };
        *place = Some(image.to_owned());
    }
}

/// The shaders of a game.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    /// By name in lower case, with the script that has it.
    shaders: HashMap<String, (PathBuf, Shader)>,
}

impl Scripts {
    /// Reads `.shader` files, by name; of several shaders of one name the first stays.
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

    /// Whether there are no shaders.
    pub fn is_empty(&self) -> bool {
        self.shaders.is_empty()
    }

    /// A shader by its name, and the script that has it.
    pub fn get(&self, name: &str) -> Option<(&Path, &Shader)> {
        let (path, shader) = self.shaders.get(&canonical(name))?;
        Some((path, shader))
    }
}

/// Names are compared without case, and `\` is `/`; an extension does not count.
fn canonical(name: &str) -> String {
    let name = name.replace('\\', "/").to_lowercase();
    match name.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => name,
    }
}

/// The shaders of a script by name, in order: `NAME { WORD ARGUMENTS… { WORD ARGUMENTS… } }`, a word and its arguments on a line.
pub fn shaders(text: &str) -> Vec<(String, Shader)> {
    let mut read = Vec::new();
    let (mut name, mut shader, mut depth) = (String::new(), Shader::default(), 0_usize);
    // Of the stage: its image, and as what it is meant.
    let mut stage = (None, Role::Picture);
    // Of the stage, too: whether the shader had a picture before it, its `alphaFunc`, and whether it is mixed.
    let (mut had_picture, mut alpha, mut is_mixed) = (false, None, false);
    let mut is_comment = false;
    for line in text.lines() {
        let words = words(line, &mut is_comment);
        let mut rest = &words[..];
        while let [word, behind @ ..] = rest {
            rest = behind;
            match (*word, depth) {
                ("{", _) => {
                    depth += 1;
                    stage = (None, Role::Picture);
                    (had_picture, alpha, is_mixed) = (shader.picture.is_some(), None, false);
                }
                ("}", 0) => {}
                ("}", _) => {
                    depth -= 1;
                    if let (Some(image), role) = (stage.0.take(), stage.1) {
                        shader.set(role, image);
                    }
                    if !had_picture && shader.picture.is_some() {
                        shader.is_mixed = is_mixed;
                        match alpha.take() {
                            Some("gt0") => shader.alpha_above = Some(0),
                            Some("ge128") => shader.alpha_above = Some(127),
                            Some(other) => shader.left_out.push(format!("alphaFunc {other}")),
                            None => {}
                        }
                        had_picture = true;
                    }
                    if depth == 0 {
                        read.push((canonical(&name), std::mem::take(&mut shader)));
                    }
                }
                (word, 0) => name = word.to_owned(),
                (word, _) => {
                    let end = rest.iter().position(|word| matches!(*word, "{" | "}")).unwrap_or(rest.len());
                    let (arguments, behind) = rest.split_at(end);
                    rest = behind;
                    match (word.to_ascii_lowercase().as_str(), arguments) {
                        ("diffusemap", [image, ..]) => shader.set(Role::Picture, image),
                        ("normalmap" | "bumpmap", [image, ..]) => shader.set(Role::Normal, image),
                        ("specularmap", [image, ..]) => shader.set(Role::Specular, image),
                        ("glowmap", [image, ..]) => shader.set(Role::Glow, image),
                        ("cull", [sides, ..]) => {
                            shader.sides = match sides.to_ascii_lowercase().as_str() {
                                "none" | "twosided" | "disable" => Sides::Both,
                                "back" | "backside" | "backsided" => Sides::Back,
                                _ => Sides::Front,
                            }
                        }
                        ("twosided", _) => shader.sides = Sides::Both,
                        ("backsided", _) => shader.sides = Sides::Back,
                        ("alphafunc", [test, ..]) => alpha = Some(lower(test)),
                        ("normalformat", [_, green, ..]) => shader.green_is_up = !green.starts_with('-'),
                        ("map" | "clampmap", [image, ..]) | ("animmap", [_, image, ..]) => stage.0 = Some(*image),
                        ("stage" | "blend" | "blendfunc", [kind, ..]) => {
                            is_mixed |= word.to_ascii_lowercase().starts_with("blend");
                            stage.1 = match kind.to_ascii_lowercase().as_str() {
                                "bumpmap" | "normalmap" => Role::Normal,
                                "specularmap" => Role::Specular,
                                "glowmap" => Role::Glow,
                                _ => stage.1,
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    read
}

/// A test of alpha in the words that are known, whatever their letters.
fn lower(test: &str) -> &str {
    ["gt0", "ge128", "lt128"].into_iter().find(|known| test.eq_ignore_ascii_case(known)).unwrap_or(test)
}

/// The words of a line, braces by themselves, quoted ones whole, without comments.
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

/// A line of a `.skin`: `SURFACE, SHADER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkinRow {
    /// A surface's name; Daemon, whose MD5 surfaces have none, takes the lines in their order, whatever is written here.
    pub surface: String,
    /// The shader that it shows.
    pub shader: String,
    /// Where the line is in the file, without blanks and comment.
    pub span: Span,
}

/// The lines of a `.skin` of Quake III's family, without those of tags, which are joints. Doom 3's skins, which are declarations,
/// have no such lines.
pub fn skin_rows(bytes: &[u8]) -> Vec<SkinRow> {
    let mut start = 0;
    let mut rows = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let at = start + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        start += line.len();
        let code = line.windows(2).position(|pair| pair == b"//").map_or(line, |end| &line[..end]).trim_ascii();
        let text = String::from_utf8_lossy(code);
        let Some((surface, shader)) = text.split_once(',') else { continue };
        // What follows a second comma is for nobody.
        let shader = shader.split(',').next().unwrap_or(shader);
        let [surface, shader] = [surface, shader].map(|name| name.trim().trim_matches('"').to_owned());
        if !surface.starts_with("tag_") {
            rows.push(SkinRow { surface, shader, span: Span::new(at, at + code.len()) });
        }
    }
    rows
}

/// The shader that a `.skin` gives to a surface: that of the line with one of its names, else the one of the line that stands where
/// its mesh does (`mesh 3` is known by its number).
pub(crate) fn shader_of_skin(skin: &Path, surfaces: &[&str]) -> Option<String> {
    let rows = skin_rows(&read::up_to(skin, LARGEST_SCRIPT).ok()?);
    let named = |name: &&str| rows.iter().find(|row| row.surface.eq_ignore_ascii_case(name));
    let numbered = |name: &&str| rows.get(name.strip_prefix("mesh ")?.parse::<usize>().ok()?);
    let row = surfaces.iter().find_map(named).or_else(|| surfaces.iter().find_map(numbered))?;
    Some(row.shader.clone()).filter(|shader| !shader.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shader(picture: Option<&str>, normal: Option<&str>, specular: Option<&str>) -> Shader {
        let [picture, normal, specular] = [picture, normal, specular].map(|image| image.map(str::to_owned));
        Shader { picture, normal, specular, ..Shader::default() }
    }

    #[test]
    fn sides_alpha_and_glow_are_read() {
        let one = |text: &str| shaders(&format!("a {{ {text} }}")).remove(0).1;
        let daemon = one("cull none\n { diffuseMap a\n glowMap a_g\n alphaFunc ge128 } { map b\n alphaFunc GT0 }");
        assert_eq!((daemon.sides, daemon.alpha_above, daemon.glow.as_deref()), (Sides::Both, Some(127), Some("a_g")));
        assert_eq!(one("{ map a\n alphaFunc GT0 }").alpha_above, Some(0));
        let below = one("{ map a\n alphaFunc LT128 }");
        assert_eq!((below.alpha_above, below.left_out), (None, vec!["alphaFunc lt128".to_owned()]));
        // Of a lightmap's stage and of the second picture's nothing is taken.
        let later = one("{ map $lightmap\n alphaFunc GT0 }\n { map a\n blendFunc blend } { map b\n alphaFunc GT0 }");
        assert_eq!((later.alpha_above, later.is_mixed), (None, true));
        let sides = ["cull front", "cull disable", "cull backSided", "twoSided"].map(|text| one(text).sides);
        assert_eq!(sides, [Sides::Front, Sides::Both, Sides::Back, Sides::Both]);
        assert_eq!(one("{ map a_g\n blend glowMap }").glow.as_deref(), Some("a_g"));
    }

    #[test]
    fn scripts_are_read() {
        let text = "// one comment\nModels\\A /* and\nanother */\n{\n cull none\n { map $lightmap }\n { MAP a/one.tga\n blendFunc add }\n}\n\
            b{ {diffuseMap b/b\nnormalMap b/b_n specularMap b/none\n specularMap \"b/b s\"\n} }\n\
            c { { stage bumpMap\n map c_n } { stage diffuseMap\n map c }\n normalFormat X Y Z }\n} d { { animMap 5 d1 d2";
        let read = shaders(text);
        let up = Shader { green_is_up: true, ..shader(Some("c"), Some("c_n"), None) };
        let expected = [
            (
                "models/a".to_owned(),
                Shader { sides: Sides::Both, is_mixed: true, ..shader(Some("a/one.tga"), None, None) },
            ),
            ("b".to_owned(), shader(Some("b/b"), Some("b/b_n"), Some("b/b s"))),
            ("c".to_owned(), up),
        ];
        // What is not closed is no shader.
        assert_eq!(read, expected);
    }

    #[test]
    fn skins_are_read() {
        let text = b"head, models/head // the face\r\n\n\"body\" ,\"models/body\",x\ntag_head,\nlegs,\nno comma";
        let rows = skin_rows(text);
        let row = |row: &SkinRow| {
            let written = &text[row.span.start as usize..row.span.end as usize];
            (row.surface.clone(), row.shader.clone(), String::from_utf8(written.to_vec()).unwrap())
        };
        let expected = [
            ("head", "models/head", "head, models/head"),
            ("body", "models/body", "\"body\" ,\"models/body\",x"),
            ("legs", "", "legs,"),
        ];
        let expected = expected.map(|(surface, shader, text)| (surface.to_owned(), shader.to_owned(), text.to_owned()));
        assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
    }
}
