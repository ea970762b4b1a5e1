//! Contents of MD5 files.

use super::{joint_tree, plural, short_table, shown};
use bindpose::diagnostic::{Diagnostic, SourceId};
use bindpose::import::Contents;
use bindpose::import::md5::rows::{Rows, transform_of};
use bindpose::import::md5::{RootTranslation, parse_error, played_rate, repair_warning};
use bindpose_parsers::counted;
use bindpose_parsers::md5;
use serde::Serialize;

/// An MD5 file of any kind.
#[derive(Debug, Serialize)]
pub struct Md5Info {
    version: Option<i64>,
    command_line: Option<String>,
    #[serde(flatten)]
    content: Content,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content {
    Mesh { joints: Vec<JointInfo>, meshes: Vec<MeshInfo> },
    Anim(AnimInfo),
    Camera(CameraInfo),
}

#[derive(Debug, Serialize)]
struct JointInfo {
    name: String,
    parent: i64,
}

#[derive(Debug, Serialize)]
struct MeshInfo {
    name: Option<String>,
    shader: String,
    vertices: usize,
    triangles: usize,
    weights: usize,
    most_weights_per_vertex: u32,
    joints_used: usize,
}

#[derive(Debug, Serialize)]
struct AnimInfo {
    /// Distance of the root from the first to the last frame, in units.
    root_travel: f64,
    frames: usize,
    frame_rate: f64,
    seconds: f64,
    animated_components: i64,
    joints: Vec<ChannelInfo>,
    bounds: Option<[[f64; 3]; 2]>,
}

#[derive(Debug, Serialize)]
struct ChannelInfo {
    name: String,
    parent: i64,
    /// Components that every frame stores, such as `Tx Qz`.
    moves: String,
}

#[derive(Debug, Serialize)]
struct CameraInfo {
    frames: usize,
    frame_rate: f64,
    seconds: f64,
    cuts: Vec<i64>,
}

/// Contents of a file and its repairs, or the reason why it cannot be read.
pub type Described = Result<(Md5Info, Vec<Diagnostic>), Box<Diagnostic>>;

/// Reads a `.md5mesh`.
pub fn mesh(source: SourceId, bytes: &[u8]) -> Described {
    let parsed = md5::parse_mesh(bytes).map_err(|error| failed(&error, Contents::Model, source))?;
    let document = &parsed.document;
    let joint = |joint: &md5::Joint<'_>| JointInfo { name: joint.name.to_name(), parent: joint.parent.value };
    let content = Content::Mesh {
        joints: document.joints.iter().map(joint).collect(),
        meshes: document.meshes.iter().map(mesh_info).collect(),
    };
    let info = Md5Info::new(document.version, &document.command_line, content);
    Ok((info, repaired(&parsed.warnings, Contents::Model, source)))
}

/// Reads a `.md5anim`.
pub fn anim(source: SourceId, bytes: &[u8]) -> Described {
    let parsed = md5::parse_anim(bytes).map_err(|error| failed(&error, Contents::Clip, source))?;
    let document = &parsed.document;
    let info = Md5Info::new(document.version, &document.command_line, Content::Anim(anim_info(document)));
    Ok((info, repaired(&parsed.warnings, Contents::Clip, source)))
}

/// Reads a `.md5camera`.
pub fn camera(source: SourceId, bytes: &[u8]) -> Described {
    let parsed = md5::parse_camera(bytes).map_err(|error| failed(&error, Contents::Camera, source))?;
    let document = &parsed.document;
    // At every cut, one frame is written twice (docs/formats/md5.md "The camera file").
    let shown = document.frames.len().saturating_sub(document.cuts.len());
    let camera = CameraInfo {
        frames: document.frames.len(),
        frame_rate: document.frame_rate,
        seconds: seconds(shown, document.frame_rate),
        cuts: document.cuts.iter().map(|cut| cut.value).collect(),
    };
    let info = Md5Info::new(document.version, &document.command_line, Content::Camera(camera));
    Ok((info, repaired(&parsed.warnings, Contents::Camera, source)))
}

fn failed(error: &md5::Error, file: Contents, source: SourceId) -> Box<Diagnostic> {
    Box::new(parse_error(error, file, source))
}

fn repaired(warnings: &[md5::Warning], file: Contents, source: SourceId) -> Vec<Diagnostic> {
    warnings.iter().map(|warning| repair_warning(warning, file, source)).collect()
}

fn mesh_info(mesh: &md5::Mesh<'_>) -> MeshInfo {
    let mut joints: Vec<u32> = mesh.weights.iter().map(|weight| weight.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    MeshInfo {
        name: mesh.name.as_ref().map(md5::Text::to_name),
        shader: mesh.shader.to_name(),
        vertices: mesh.verts.len(),
        triangles: mesh.tris.len(),
        weights: mesh.weights.len(),
        most_weights_per_vertex: mesh.verts.iter().map(|vert| vert.weight_count).max().unwrap_or(0),
        joints_used: joints.len(),
    }
}

fn anim_info(document: &md5::AnimFile<'_>) -> AnimInfo {
    const NAMES: [&str; 6] = ["Tx", "Ty", "Tz", "Qx", "Qy", "Qz"];
    let channel = |channel: &md5::Channel<'_>| {
        let moving = NAMES.iter().enumerate().filter(|(bit, _)| channel.flags.value & (1 << bit) != 0);
        ChannelInfo {
            name: channel.name.to_name(),
            parent: channel.parent.value,
            moves: moving.map(|(_, name)| *name).collect::<Vec<_>>().join(" "),
        }
    };
    let bounds = document.bounds.iter().map(|bounds| [bounds.min, bounds.max]);
    let rows = Rows::new(document, RootTranslation::File);
    let root = document.hierarchy.iter().position(|channel| channel.parent.value < 0);
    let root_at = |frame: usize| Some(transform_of(rows.frame(frame).nth(root?)?).translation);
    let ends = root_at(0).zip(rows.frame_count().checked_sub(1).and_then(root_at));
    AnimInfo {
        root_travel: ends.map_or(0.0, |(first, last)| (last - first).length()),
        frames: document.frames.len(),
        frame_rate: document.frame_rate,
        seconds: seconds(document.frames.len(), document.frame_rate),
        animated_components: document.num_animated_components.value,
        joints: document.hierarchy.iter().map(channel).collect(),
        bounds: bounds.reduce(|[min, max], [other_min, other_max]| {
            let each = |a: [f64; 3], b: [f64; 3], f: fn(f64, f64) -> f64| [0, 1, 2].map(|axis| f(a[axis], b[axis]));
            [each(min, other_min, f64::min), each(max, other_max, f64::max)]
        }),
    }
}

/// Returns the playback length of a clip. The last frame is shown at its end (docs/formats/md5.md "Time and looping").
pub fn seconds(frames: usize, rate: f64) -> f64 {
    frames.saturating_sub(1) as f64 / played_rate(rate)
}

/// Returns `24 per second`, or the rate that is played if the file's rate is invalid.
fn rate_text(rate: f64) -> String {
    match played_rate(rate) {
        played if played == rate => format!("{rate} per second"),
        played => format!("{played} per second (frameRate is {rate})"),
    }
}

impl Md5Info {
    fn new(version: Option<md5::Int>, command_line: &Option<md5::Text<'_>>, content: Content) -> Self {
        let command_line = command_line.as_ref().map(md5::Text::to_name);
        Self { version: version.map(|version| version.value), command_line, content }
    }

    /// Returns the shader names. They are used as image names unless a material file defines them.
    pub fn texture_names(&self) -> Vec<&str> {
        match &self.content {
            Content::Mesh { meshes, .. } => meshes.iter().map(|mesh| mesh.shader.as_str()).collect(),
            Content::Anim(_) | Content::Camera(_) => Vec::new(),
        }
    }

    /// Formats the content as text that begins with the file's name.
    pub fn to_text(&self, file: &str) -> String {
        let version = self.version.map_or("no version line".to_owned(), |version| format!("version {version}"));
        let head = |kind: &str| format!("{file}: {kind}, {version}\n");
        match &self.content {
            Content::Mesh { joints, meshes } => head("MD5 mesh") + &mesh_text(joints, meshes),
            Content::Anim(anim) => head("MD5 animation") + &anim.to_text(),
            Content::Camera(camera) => {
                let CameraInfo { frames, frame_rate, seconds, cuts } = camera;
                let frames = plural(*frames, "frame");
                head("MD5 camera")
                    + &format!("  {frames} at {}: {seconds:.3} s, {}\n", rate_text(*frame_rate), cuts_text(cuts))
            }
        }
    }
}

fn cuts_text(cuts: &[i64]) -> String {
    const MOST: usize = 100;
    match cuts.len().checked_sub(MOST).filter(|&left| left > 0) {
        None => format!("cuts at {cuts:?}"),
        Some(left) => format!("cuts at {:?} and {left} more; --json lists them all", &cuts[..MOST]),
    }
}

fn mesh_text(joints: &[JointInfo], meshes: &[MeshInfo]) -> String {
    let roots = joints.iter().filter(|joint| joint.parent < 0).count();
    let total = |count: fn(&MeshInfo) -> usize| meshes.iter().map(count).sum::<usize>();
    let counts = [
        format!("{} ({})", plural(joints.len(), "joint"), plural(roots, "root")),
        counted(meshes.len(), "mesh", "meshes"),
        counted(total(|mesh| mesh.vertices), "vertex", "vertices"),
        plural(total(|mesh| mesh.triangles), "triangle"),
        plural(total(|mesh| mesh.weights), "weight"),
    ];
    let heading = ["mesh", "vertices", "triangles", "weights", "most/vertex", "joints", "shader"];
    let rows = meshes.iter().enumerate().map(|(number, mesh)| mesh.row(number));
    let tree = joint_tree(joints.iter().map(|joint| (joint.parent, shown(&joint.name))));
    format!("  {}\n{}{tree}", counts.join(", "), short_table(&heading, rows))
}

impl AnimInfo {
    fn to_text(&self) -> String {
        let channels = self.joints.iter().map(|joint| {
            let moves = if joint.moves.is_empty() { String::new() } else { format!("  [{}]", joint.moves) };
            (joint.parent, shown(&joint.name) + &moves)
        });
        let counts = format!(
            "  {} at {}: {:.3} s, {}, {} animated components\n",
            plural(self.frames, "frame"),
            rate_text(self.frame_rate),
            self.seconds,
            plural(self.joints.len(), "joint"),
            self.animated_components
        );
        let bounds = self.bounds.map_or(String::new(), |[min, max]| format!("  bounds {min:?} to {max:?}\n"));
        // Less is the rounding of an exporter.
        let travel = match self.root_travel > 0.01 {
            true => format!(
                "  the root travels {:.2} units: Doom 3 and its family carry the model on, in other engines it jumps back \
                 (convert --in-place)\n",
                self.root_travel
            ),
            false => String::new(),
        };
        counts + &bounds + &travel + &joint_tree(channels)
    }
}

impl MeshInfo {
    fn row(&self, number: usize) -> Vec<String> {
        let numbers =
            [self.vertices, self.triangles, self.weights, self.most_weights_per_vertex as usize, self.joints_used];
        let label = self.name.as_deref().map_or_else(|| number.to_string(), shown);
        std::iter::once(label).chain(numbers.map(|n| n.to_string())).chain([shown(&self.shader)]).collect()
    }
}
