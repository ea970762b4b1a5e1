//! `bindpose info`

use super::Outcome;
use super::table::table;
use anyhow::Context;
use bindpose::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use bindpose::load::Format;
use bindpose_parsers::md5;
use serde::Serialize;
use std::path::PathBuf;

/// Show what is in each file: counts, joints, meshes, clips
///
/// Prints tables of what each file says. Files are looked at one by one, so a mesh and its clips need not fit;
/// `bindpose validate` checks that. Repairs that a lenient reading makes go to stderr.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files to look into (.md5mesh, .md5anim, .md5camera, .x)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Prints the tables; at fault if a file is.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut sources = Sources::default();
    let mut outcome = Outcome::Fine;
    let mut found = Vec::new();
    for path in &args.files {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let source = sources.add(path, bytes);
        match describe(source, &sources) {
            Ok((info, warnings)) => {
                super::print_diagnostics(&warnings, &sources)?;
                found.push(info);
            }
            Err(error) => {
                super::print_diagnostics(&[*error], &sources)?;
                outcome = Outcome::AtFault;
            }
        }
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        let texts: Vec<String> = found.iter().map(FileInfo::to_text).collect();
        print!("{}", texts.join("\n"));
    }
    Ok(outcome)
}

#[derive(Debug, Serialize)]
struct FileInfo {
    file: PathBuf,
    format: Format,
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
    Camera { frames: usize, frame_rate: f64, seconds: f64, cuts: Vec<i64> },
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
    /// Which components every frame stores: `Tx Qz`.
    moves: String,
}

/// Parses one file leniently; its repairs as warnings, or why it cannot be read.
fn describe(source: SourceId, sources: &Sources) -> Result<(FileInfo, Vec<Diagnostic>), Box<Diagnostic>> {
    let file = sources.get(source);
    let fail = |code, error: &md5::Error| {
        Box::new(Diagnostic::new(code, Severity::Error, error.to_string(), source, error.span))
    };
    let warn = |code, warnings: &[md5::Warning]| {
        let warning = |w: &md5::Warning| Diagnostic::new(code, Severity::Warning, w.kind.to_string(), source, w.span);
        warnings.iter().map(warning).collect::<Vec<_>>()
    };
    let unknown = "neither the name nor the first bytes are those of md5mesh, md5anim, md5camera or x";
    let format = Format::of(&file.path, &file.bytes)
        .ok_or_else(|| Box::new(Diagnostic::new("IO001", Severity::Error, unknown, source, Default::default())))?;
    let info = |version: Option<md5::Int>, command_line: &Option<md5::Text<'_>>, content| FileInfo {
        file: file.path.clone(),
        format,
        version: version.map(|version| version.value),
        command_line: command_line.as_ref().map(md5::Text::to_name),
        content,
    };
    match format {
        Format::Md5Mesh => {
            let parsed = md5::parse_mesh(&file.bytes).map_err(|error| fail("MD5M000", &error))?;
            let document = &parsed.document;
            let joint = |joint: &md5::Joint<'_>| JointInfo { name: joint.name.to_name(), parent: joint.parent.value };
            let content = Content::Mesh {
                joints: document.joints.iter().map(joint).collect(),
                meshes: document.meshes.iter().map(mesh_info).collect(),
            };
            Ok((info(document.version, &document.command_line, content), warn("MD5M000", &parsed.warnings)))
        }
        Format::Md5Anim => {
            let parsed = md5::parse_anim(&file.bytes).map_err(|error| fail("MD5A000", &error))?;
            let document = &parsed.document;
            let content = Content::Anim(anim_info(document));
            Ok((info(document.version, &document.command_line, content), warn("MD5A000", &parsed.warnings)))
        }
        Format::Md5Camera => {
            let parsed = md5::parse_camera(&file.bytes).map_err(|error| fail("MD5C000", &error))?;
            let document = &parsed.document;
            // One frame is written twice at every cut (md5.md section 8).
            let shown = document.frames.len().saturating_sub(document.cuts.len());
            let content = Content::Camera {
                frames: document.frames.len(),
                frame_rate: document.frame_rate,
                seconds: seconds(shown, document.frame_rate),
                cuts: document.cuts.iter().map(|cut| cut.value).collect(),
            };
            Ok((info(document.version, &document.command_line, content), warn("MD5C000", &parsed.warnings)))
        }
    }
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
    AnimInfo {
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

/// Length of a clip: the last frame is shown at its end (md5.md section 7).
fn seconds(frames: usize, rate: f64) -> f64 {
    if rate > 0.0 { frames.saturating_sub(1) as f64 / rate } else { 0.0 }
}

impl FileInfo {
    fn to_text(&self) -> String {
        let version = self.version.map_or("no version line".to_owned(), |version| format!("version {version}"));
        let head = |kind: &str| format!("{}: {kind}, {version}\n", self.file.display());
        match &self.content {
            Content::Mesh { joints, meshes } => {
                let roots = joints.iter().filter(|joint| joint.parent < 0).count();
                let total = |count: fn(&MeshInfo) -> usize| meshes.iter().map(count).sum::<usize>();
                head("MD5 mesh")
                    + &format!(
                        "  {} joints ({}), {} meshes, {} vertices, {} triangles, {} weights\n",
                        joints.len(),
                        plural(roots, "root"),
                        meshes.len(),
                        total(|mesh| mesh.vertices),
                        total(|mesh| mesh.triangles),
                        total(|mesh| mesh.weights),
                    )
                    + &table(
                        &["mesh", "vertices", "triangles", "weights", "most/vertex", "joints", "shader"],
                        &meshes.iter().enumerate().map(|(number, mesh)| mesh.row(number)).collect::<Vec<_>>(),
                    )
                    + &joint_tree(joints.iter().map(|joint| (joint.parent, joint.name.clone())))
            }
            Content::Anim(anim) => {
                let channels = anim.joints.iter().map(|joint| {
                    let moves = if joint.moves.is_empty() { String::new() } else { format!("  [{}]", joint.moves) };
                    (joint.parent, joint.name.clone() + &moves)
                });
                head("MD5 animation")
                    + &format!(
                        "  {} at {} per second: {:.3} s, {} joints, {} animated components\n",
                        plural(anim.frames, "frame"),
                        anim.frame_rate,
                        anim.seconds,
                        anim.joints.len(),
                        anim.animated_components
                    )
                    + &anim.bounds.map_or(String::new(), |[min, max]| format!("  bounds {min:?} to {max:?}\n"))
                    + &joint_tree(channels)
            }
            Content::Camera { frames, frame_rate, seconds, cuts } => {
                head("MD5 camera")
                    + &format!(
                        "  {} at {frame_rate} per second: {seconds:.3} s, cuts at {cuts:?}\n",
                        plural(*frames, "frame")
                    )
            }
        }
    }
}

impl MeshInfo {
    fn row(&self, number: usize) -> Vec<String> {
        let numbers =
            [self.vertices, self.triangles, self.weights, self.most_weights_per_vertex as usize, self.joints_used];
        let label = self.name.clone().unwrap_or_else(|| number.to_string());
        std::iter::once(label).chain(numbers.map(|n| n.to_string())).chain([self.shader.clone()]).collect()
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The joints, each indented under its parent, in file order; those whose parent does not stand before them as roots.
fn joint_tree(joints: impl Iterator<Item = (i64, String)>) -> String {
    let mut depths: Vec<usize> = Vec::new();
    let mut text = String::new();
    for (number, (parent, label)) in joints.enumerate() {
        let depth = usize::try_from(parent).ok().and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1);
        depths.push(depth);
        // Deep chains stay readable, and a crafted one stays small.
        text += &format!("  {number:3} {}{label}\n", "  ".repeat(depth.min(40)));
    }
    text
}
