//! Contents of .x files.

use super::{Content, Description, joint_tree, plural, short_table, shown, shown_list};
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use bindpose::import::x::{frame_rate, ticks_of_file};
use bindpose::validate::profiles::{FormatFamily, PROFILES};
use bindpose::validate::x_loaders::{self, XFile};
use bindpose_parsers::counted;
use bindpose_parsers::x::{self, Document, Parsed, Reading, Unpacked};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

/// A .x file.
#[derive(Debug, Serialize)]
pub struct XInfo {
    /// `txt`, `bin`, `tzip` or `bzip`, and the size of floats.
    encoding: String,
    /// Ticks per second in the file.
    ticks_per_second: Option<i64>,
    /// Ticks per second by which the clips are played.
    played_ticks_per_second: f64,
    /// Reason, if they are guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    guess: Option<String>,
    frames: Vec<FrameInfo>,
    meshes: Vec<MeshInfo>,
    animation_sets: Vec<SetInfo>,
    /// Profiles of the programs that do not load the file; `None` for a large file.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_by: Option<Vec<&'static str>>,
}

#[derive(Debug, Serialize)]
struct FrameInfo {
    name: Option<String>,
    parent: Option<usize>,
}

#[derive(Debug, Serialize)]
struct MeshInfo {
    name: Option<String>,
    /// Index of the frame that contains the mesh.
    frame: Option<usize>,
    vertices: usize,
    faces: usize,
    materials: usize,
    bones: usize,
    most_weights_per_vertex: usize,
    textures: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SetInfo {
    name: Option<String>,
    animated_frames: usize,
    keys: usize,
    /// Largest key time.
    ticks: f64,
    /// The same in seconds.
    seconds: f64,
    /// Frames per second, if all keys fall on frames of a usual rate.
    frame_rate: Option<f64>,
    /// True if its AnimationOptions request playing once.
    open: bool,
}

/// Reads a .x file. Adds the unpacked bytes, which diagnostics refer to, to `sources`.
pub fn describe(path: &Path, bytes: Vec<u8>, memory: MemoryLimit, sources: &mut Sources) -> Description {
    let failed = |error: &x::Error, source| {
        Box::new(Diagnostic::new(error.kind.code(), Severity::Error, error.to_string(), source, error.span))
    };
    let unpacked = match memory.unpack(&bytes) {
        Ok(unpacked) => unpacked,
        Err(error) => return Err(failed(&error, sources.add(path, bytes))),
    };
    let refused_by = refused_by(XFile { name: &path.to_string_lossy(), disk: &bytes, bytes: &unpacked.bytes });
    let Unpacked { encoding, version, body, warnings: of_packed, bytes: content } = unpacked;
    let content = if let Cow::Owned(content) = content { content } else { bytes };
    let source = sources.add(path, content);
    let bytes = Cow::Borrowed(&sources.get(source).bytes[..]);
    let unpacked = Unpacked { encoding, version, bytes, body, warnings: Vec::new() };
    let Parsed { document, warnings, .. } =
        x::parse(&unpacked, Reading::Lenient).map_err(|error| failed(&error, source))?;
    let warning = |warning: &x::Warning| x_warning(warning, source);
    let warnings = of_packed.iter().chain(&warnings).map(warning).collect();
    Ok((Content::X(XInfo::new(&document, encoding, refused_by)), warnings))
}

/// Largest file, in unpacked bytes, whose loaders are followed: `info` has its answer at once. `validate` follows them
/// for every file.
const LARGEST_FOLLOWED: usize = 4 << 20;

/// Returns the profiles of programs whose loaders, as followed by `validate`, stop before the end of a file.
fn refused_by(file: XFile<'_>) -> Option<Vec<&'static str>> {
    if file.bytes.len() > LARGEST_FOLLOWED {
        return None;
    }
    let programs = PROFILES.iter().filter(|profile| profile.is_followed(FormatFamily::X));
    let stops = |id| x_loaders::load(id, file).is_some_and(|verdict| verdict.outcome.stops());
    Some(programs.filter(|profile| stops(profile.id)).map(|profile| profile.name).collect())
}

fn x_warning(warning: &x::Warning, source: SourceId) -> Diagnostic {
    Diagnostic::new(warning.kind.code(), Severity::Warning, warning.kind.to_string(), source, warning.span)
}

impl XInfo {
    fn new(document: &Document<'_>, encoding: x::Encoding, refused_by: Option<Vec<&'static str>>) -> Self {
        let mesh = |used: &x::MeshUse| document.meshes.get(used.mesh).map(|mesh| mesh_info(mesh, used.frame, document));
        let (ticks, guess) = ticks_of_file(document);
        let set = |set: &x::AnimationSet<'_>| SetInfo {
            name: set.name.as_ref().map(x::Text::to_name),
            animated_frames: set.animations.len(),
            keys: set.animations.iter().flat_map(|animation| &animation.keys).map(|keys| keys.times.len()).sum(),
            ticks: set.period(),
            seconds: set.period() / ticks,
            frame_rate: frame_rate(&set.animations, ticks),
            open: !set.animations.is_empty() && set.animations.iter().all(x::Animation::is_open),
        };
        let frame =
            |frame: &x::Frame<'_>| FrameInfo { name: frame.name.as_ref().map(x::Text::to_name), parent: frame.parent };
        Self {
            encoding: encoding.to_string(),
            ticks_per_second: document.ticks_per_second.last().map(|ticks| ticks.value),
            played_ticks_per_second: ticks,
            guess,
            frames: document.frames.iter().map(frame).collect(),
            meshes: document.mesh_uses.iter().filter_map(mesh).collect(),
            animation_sets: document.animation_sets.iter().map(set).collect(),
            refused_by,
        }
    }

    /// Number of materials of all meshes.
    pub fn materials(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.materials).sum()
    }

    /// Returns the images that materials name, in the order of the meshes.
    pub fn texture_names(&self) -> Vec<&str> {
        self.meshes.iter().flat_map(|mesh| &mesh.textures).map(String::as_str).collect()
    }

    /// Formats the content as text that begins with the file's name.
    pub fn to_text(&self, file: &str) -> String {
        let total = |count: fn(&MeshInfo) -> usize| self.meshes.iter().map(count).sum::<usize>();
        let counts = [
            plural(self.frames.len(), "frame"),
            counted(self.meshes.len(), "mesh", "meshes"),
            counted(total(|mesh| mesh.vertices), "vertex", "vertices"),
            plural(total(|mesh| mesh.faces), "face"),
            plural(self.animation_sets.len(), "animation set"),
        ];
        let played = self.played_ticks_per_second;
        let ticks = match (self.ticks_per_second, &self.guess) {
            (Some(ticks), _) if ticks as f64 == played => ticks.to_string(),
            (Some(ticks), _) => format!("{ticks}, played with {played}"),
            (None, _) if self.animation_sets.is_empty() => "not given".to_owned(),
            (None, Some(guess)) => format!("{played} ({guess})"),
            (None, None) => format!("not given, {played} as in D3DX"),
        };
        let mut text =
            format!("{file}: DirectX .x, {}, ticks per second {ticks}\n  {}\n", self.encoding, counts.join(", "));
        if let Some(names) = self.refused_by.as_deref().filter(|names| !names.is_empty()) {
            text += &format!("  refused by {} (see bindpose validate --profile NAME)\n", names.join(", "));
        }
        if !self.meshes.is_empty() {
            let heading = ["mesh", "vertices", "faces", "materials", "bones", "most/vertex", "textures"];
            text += &short_table(&heading, self.meshes.iter().enumerate().map(|(number, mesh)| mesh.row(number)));
        }
        if !self.animation_sets.is_empty() {
            let heading = ["set", "animated", "keys", "ticks", "seconds", "frames", "frames/s", "at its end"];
            text += &short_table(&heading, self.animation_sets.iter().enumerate().map(|(number, set)| set.row(number)));
        }
        let label = |frame: &FrameInfo| {
            let parent = frame.parent.and_then(|parent| i64::try_from(parent).ok()).unwrap_or(-1);
            (parent, frame.name.as_deref().map_or_else(|| "(unnamed)".to_owned(), shown))
        };
        text + &joint_tree(self.frames.iter().map(label))
    }
}

fn mesh_info(mesh: &x::Mesh<'_>, frame: Option<usize>, document: &Document<'_>) -> MeshInfo {
    let mut influences = vec![0_usize; mesh.vertices.len()];
    for &(vertex, weight) in mesh.skin_weights.iter().flat_map(|bone| &bone.weights) {
        if let Some(count) = influences.get_mut(vertex as usize).filter(|_| weight != 0.0) {
            *count += 1;
        }
    }
    let materials = mesh.material_list.as_ref().map_or(&[][..], |list| &list.materials);
    let textures = materials.iter().filter_map(|&material| document.materials.get(material));
    MeshInfo {
        name: mesh.name.as_ref().map(x::Text::to_name),
        frame,
        vertices: mesh.vertices.len(),
        faces: mesh.faces.len(),
        materials: materials.len(),
        bones: mesh.skin_weights.len(),
        most_weights_per_vertex: influences.into_iter().max().unwrap_or(0),
        textures: textures.flat_map(|material| &material.textures).map(|texture| texture.filename.to_name()).collect(),
    }
}

/// Returns the name, or the number if there is no name.
fn label(name: &Option<String>, number: usize) -> String {
    name.as_deref().filter(|name| !name.is_empty()).map_or_else(|| number.to_string(), shown)
}

impl MeshInfo {
    fn row(&self, number: usize) -> Vec<String> {
        let numbers = [self.vertices, self.faces, self.materials, self.bones, self.most_weights_per_vertex];
        let label = label(&self.name, number);
        let numbers = numbers.map(|n| n.to_string());
        std::iter::once(label).chain(numbers).chain([shown_list(&self.textures)]).collect()
    }
}

impl SetInfo {
    fn row(&self, number: usize) -> Vec<String> {
        let label = label(&self.name, number);
        let end = if self.open { "stops" } else { "loops" };
        let frames = self.frame_rate.map_or("-".to_owned(), |rate| (1.0 + self.seconds * rate).round().to_string());
        // The reason of the rate: the ticks of a frame.
        let rate = |rate: f64| match (self.ticks / (self.seconds * rate)).round() {
            1.0 => rate.to_string(),
            step => format!("{rate} of {step} ticks"),
        };
        let rate = self.frame_rate.map_or("-".to_owned(), rate);
        let [animated, keys] = [self.animated_frames, self.keys].map(|count| count.to_string());
        vec![label, animated, keys, self.ticks.to_string(), format!("{:.3}", self.seconds), frames, rate, end.into()]
    }
}
