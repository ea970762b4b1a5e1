//! Rules of the suite, each with its file and its meaning, from the tables in `rules/`.

use crate::encode::{self, Encoding};
use crate::reading::{Camera, Pose, Reading};
use crate::subject::Subject;
use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Edition of the suite. It increases when a file or its meaning changes.
pub const EDITION: u32 = 1;

const BASES: [(&str, &str); 8] = [
    ("flag.md5mesh", include_str!("bases/flag.md5mesh")),
    ("wave.md5anim", include_str!("bases/wave.md5anim")),
    ("pose.md5anim", include_str!("bases/pose.md5anim")),
    ("shot.md5camera", include_str!("bases/shot.md5camera")),
    ("triangle.x", include_str!("bases/triangle.x")),
    ("quad.x", include_str!("bases/quad.x")),
    ("arm.x", include_str!("bases/arm.x")),
    ("swing.x", include_str!("bases/swing.x")),
];

const MEANINGS: &str = include_str!("rules/bases.toml");

const AREAS: [&str; 21] = [
    include_str!("rules/md5-header.toml"),
    include_str!("rules/md5-words.toml"),
    include_str!("rules/md5-numbers.toml"),
    include_str!("rules/md5-joints.toml"),
    include_str!("rules/md5-vertices.toml"),
    include_str!("rules/md5-meshes.toml"),
    include_str!("rules/md5-clips.toml"),
    include_str!("rules/md5-components.toml"),
    include_str!("rules/md5-pairs.toml"),
    include_str!("rules/md5-cameras.toml"),
    include_str!("rules/x-header.toml"),
    include_str!("rules/x-words.toml"),
    include_str!("rules/x-separators.toml"),
    include_str!("rules/x-objects.toml"),
    include_str!("rules/x-binary.toml"),
    include_str!("rules/x-compressed.toml"),
    include_str!("rules/x-frames.toml"),
    include_str!("rules/x-meshes.toml"),
    include_str!("rules/x-materials.toml"),
    include_str!("rules/x-skins.toml"),
    include_str!("rules/x-clips.toml"),
];

/// A table of rules.
#[derive(Deserialize)]
struct Area {
    title: String,
    /// Base of the rules that do not name one.
    base: String,
    /// File of the suite that is loaded together with the files of this area.
    with: Option<String>,
    #[serde(default)]
    encodings: Vec<Encoding>,
    #[serde(flatten)]
    rules: BTreeMap<String, Rule>,
}

/// Duty of a loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// The loader loads the file, with the suite's meaning.
    Must,
    /// The loader may refuse the file. If it loads it, then with the suite's meaning.
    May,
    /// The loader refuses the file.
    No,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineEnds {
    Cr,
    CrLf,
    /// Spaces in place of line ends.
    One,
}

/// Text that is replaced by many copies, in which `{}` is the number from 0 on.
#[derive(Clone, Deserialize)]
struct Repeat {
    from: String,
    piece: String,
    times: usize,
}

/// Entry of a table: how its file differs from the base, and its meaning. Missing fields are those of the base.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    load: Option<Load>,
    #[serde(default)]
    rule: String,
    base: Option<String>,
    /// The whole file as text, instead of a base.
    text: Option<String>,
    /// Tokens of a binary .x file, instead of a base.
    tokens: Option<String>,
    /// The whole file in hexadecimal digits, instead of a base.
    hex: Option<String>,
    /// Texts that occur once in the base, and their replacements.
    #[serde(default)]
    edit: Vec<(String, String)>,
    repeat: Option<Repeat>,
    /// Text before which the file ends.
    cut: Option<String>,
    lines: Option<LineEnds>,
    encodings: Option<Vec<Encoding>>,
    /// Bytes to write into the finished file at an offset, in hexadecimal digits. Negative offsets count from the end.
    patch: Option<(i64, String)>,
    /// Number of bytes removed from the end.
    #[serde(default)]
    drop: usize,
    /// True if a loader may interpret the file in any way.
    #[serde(default)]
    free: bool,
    about: Option<Subject>,
    tolerance: Option<f64>,
    /// Parents of joints by name; the parent of a root is empty.
    joints: Option<BTreeMap<String, String>>,
    clips: Option<BTreeMap<String, f64>>,
    /// Corners of the triangles, as indices of vertices.
    faces: Option<Vec<[usize; 3]>>,
    /// One per vertex.
    uvs: Option<Vec<[f64; 2]>>,
    /// Three per triangle.
    normals: Option<Vec<[[f64; 3]; 3]>>,
    /// One per triangle.
    colours: Option<Vec<[f64; 4]>>,
    textures: Option<Vec<String>>,
    poses: Option<Vec<PoseRow>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseRow {
    clip: Option<String>,
    time: Option<f64>,
    vertices: Option<Vec<[f64; 3]>>,
    joints: Option<BTreeMap<String, Vec<f64>>>,
    camera: Option<Camera>,
}

/// A file of the suite with its rule.
#[derive(Clone, Serialize)]
pub struct Case {
    /// Path in the suite's folder, with `/`.
    pub file: String,
    /// Title of the table.
    pub area: String,
    /// Duty of a loader.
    pub load: Load,
    /// The rule in a sentence or two.
    pub rule: String,
    /// File to load with it: the mesh of a clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Field that has to be reported.
    pub about: Subject,
    /// Largest difference of two numbers; as a share of the expected one if that is above 1.
    pub tolerance: f64,
    /// Meaning of the file; `None` for files that should be refused, and if readers are free.
    #[serde(rename = "expect")]
    pub meaning: Option<Reading>,
    /// Path of the file that this one changes, which is in the suite only if it has a rule of its own.
    #[serde(skip)]
    pub base: String,
    /// Content.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl Case {
    /// Finds the file to load together with this one among all files.
    pub fn companion<'c>(&self, cases: &'c [Case]) -> Option<&'c Case> {
        cases.iter().find(|other| Some(&other.file) == self.with.as_ref())
    }
}

/// Returns all files in the order of the tables. The encodings of a rule follow each other.
pub fn cases() -> anyhow::Result<Vec<Case>> {
    let meanings: BTreeMap<String, Rule> = toml::from_str(MEANINGS).context("bases.toml")?;
    let mut cases = Vec::new();
    for text in AREAS {
        let area: Area = toml::from_str(text).with_context(|| text.lines().next().unwrap_or_default().to_owned())?;
        for (name, rule) in &area.rules {
            let base = rule.base.as_ref().unwrap_or(&area.base);
            let default = meanings.get(base).cloned().unwrap_or_default();
            let made = add_cases(&area, name, base, rule, &default, &mut cases);
            made.with_context(|| format!("{}: {name}", area.title))?;
        }
    }
    Ok(cases)
}

fn add_cases(
    area: &Area,
    name: &str,
    base: &str,
    rule: &Rule,
    default: &Rule,
    cases: &mut Vec<Case>,
) -> anyhow::Result<()> {
    let extension = base.split('.').next_back().unwrap_or_default();
    let text = rule.text(base)?;
    let meaning = rule.meaning(default)?;
    let load = rule.load.context("load is missing")?;
    ensure!(!rule.rule.is_empty(), "rule is missing");
    ensure!(load != Load::Must || meaning.is_some(), "a file that must be loaded needs a meaning");
    let mut add = |folder: &str, bytes: Vec<u8>| -> anyhow::Result<()> {
        cases.push(Case {
            file: format!("{folder}/{name}.{extension}"),
            base: format!("{folder}/{base}"),
            area: area.title.clone(),
            load,
            rule: rule.rule.clone(),
            with: area.with.clone(),
            about: rule.about.or(default.about).unwrap_or_default(),
            tolerance: rule.tolerance.unwrap_or(1e-4),
            meaning: meaning.clone(),
            bytes: rule.patched(bytes)?,
        });
        Ok(())
    };
    if extension != "x" {
        return add("md5", latin(&text));
    }
    for encoding in rule.encodings.as_ref().unwrap_or(&area.encodings) {
        let bytes = match (&rule.hex, &rule.tokens) {
            (Some(digits), _) => encode::bytes(&digits.replace(char::is_whitespace, ""))?,
            (None, Some(tokens)) => encode::assemble(tokens)?,
            (None, None) => encode::encode(&latin(&text), *encoding)?,
        };
        add(&format!("x/{}", encoding.folder()), bytes)?;
    }
    Ok(())
}

/// Converts a text whose characters represent one byte each.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect()
}

/// Replaces a text that must occur exactly once.
fn replace_once(text: &str, from: &str, to: &str) -> anyhow::Result<String> {
    ensure!(text.matches(from).count() == 1, "'{from}' stands {} times in the base", text.matches(from).count());
    Ok(text.replacen(from, to, 1))
}

impl Rule {
    fn text(&self, base: &str) -> anyhow::Result<String> {
        let mut text = match &self.text {
            Some(text) => text.clone(),
            None => BASES.iter().find(|(name, _)| *name == base).context("no such base")?.1.to_owned(),
        };
        for (from, to) in &self.edit {
            text = replace_once(&text, from, to)?;
        }
        if let Some(Repeat { from, piece, times }) = &self.repeat {
            let pieces: String = (0..*times).map(|number| piece.replace("{}", &number.to_string())).collect();
            text = replace_once(&text, from, &pieces)?;
        }
        if let Some(end) = &self.cut {
            let (kept, _) = text.split_once(end.as_str()).context("the text to cut at is missing")?;
            text = kept.to_owned();
        }
        Ok(match self.lines {
            None => text,
            Some(LineEnds::Cr) => text.replace('\n', "\r"),
            Some(LineEnds::CrLf) => text.replace('\n', "\r\n"),
            Some(LineEnds::One) => text.replace('\n', " "),
        })
    }

    fn patched(&self, mut bytes: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        bytes.truncate(bytes.len().saturating_sub(self.drop));
        if let Some((offset, digits)) = &self.patch {
            let start = if *offset < 0 { bytes.len() as i64 + offset } else { *offset };
            let patch = encode::bytes(digits)?;
            let (start, end) = (usize::try_from(start)?, usize::try_from(start)? + patch.len());
            bytes.get_mut(start..end).context("a patch beyond the end")?.copy_from_slice(&patch);
        }
        Ok(bytes)
    }

    fn meaning(&self, default: &Rule) -> anyhow::Result<Option<Reading>> {
        if self.free || self.load == Some(Load::No) {
            return Ok(None);
        }
        let faces = self.faces.as_ref().or(default.faces.as_ref());
        let of_corners = |vertex: &usize, uvs: &[[f64; 2]]| uvs.get(*vertex).copied().unwrap_or_default();
        let uvs = self.uvs.as_ref().zip(faces);
        let parents = self.joints.as_ref().or(default.joints.as_ref());
        let poses = self.poses.as_ref().or(default.poses.as_ref()).context("poses are missing")?;
        Ok(Some(Reading {
            joints: parents.map(|parents| {
                let root = |parent: &String| (!parent.is_empty()).then(|| parent.clone());
                parents.iter().map(|(name, parent)| (name.clone(), root(parent))).collect()
            }),
            clips: self.clips.clone(),
            uvs: uvs.map(|(uvs, faces)| faces.iter().map(|face| face.map(|vertex| of_corners(&vertex, uvs))).collect()),
            normals: self.normals.clone(),
            colours: self.colours.clone(),
            textures: self.textures.clone(),
            poses: poses.iter().map(|row| row.pose(faces)).collect::<anyhow::Result<_>>()?,
        }))
    }
}

impl PoseRow {
    fn pose(&self, faces: Option<&Vec<[usize; 3]>>) -> anyhow::Result<Pose> {
        let triangles = match (&self.vertices, faces) {
            (None, _) => None,
            (Some(_), None) => bail!("faces are missing"),
            (Some(vertices), Some(faces)) => {
                let corner = |vertex: usize| vertices.get(vertex).copied().context("a face beyond the vertices");
                let triangle = |&[a, b, c]: &[usize; 3]| Ok([corner(a)?, corner(b)?, corner(c)?]);
                Some(faces.iter().map(triangle).collect::<anyhow::Result<_>>()?)
            }
        };
        let (clip, joints, camera) = (self.clip.clone(), self.joints.clone(), self.camera.clone());
        Ok(Pose { clip, time: self.time, joints, triangles, camera })
    }
}
