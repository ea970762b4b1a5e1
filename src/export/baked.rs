//! Quake's `.mdl` and Quake III's `.md3`: the vertices of every frame, without joints.
//!
//! Axes, winding and texture coordinates are those of MD5. The frames of all clips follow each other; engines blend
//! two frames linearly, vertex by vertex.

mod md3;
mod mdl;
mod shell;

use crate::frames::{Frames, sampled};
use crate::loss::{Displacement, Loss, NewName, size_of};
use crate::md5::arranged;
use crate::measure::moved_between_frames;
use crate::prepare::{motion_loss, not_carried, prepare};
use crate::unique::{Unique, cut};
use crate::{Error, Front, Output};
use bindpose_core::budget::grouped;
use bindpose_core::model::{JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{self, Prepared, Skinned, Skinning, TimedPose};
use bindpose_parsers::quake::VertexModel;
use glam::{DVec3, Vec3};
use shell::Shell;

/// Settings of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Direction that the model faces; it becomes +X in the file. `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// Factor of all lengths, positive.
    pub scale: f64,
    /// Frames per second of all clips. The file does not store it; Quake plays ten.
    pub frame_rate: f64,
    /// Keeps the last frame of a repeating clip if it equals the first. Engines go from the last frame to the first.
    pub closed_loops: bool,
    /// Model to replace: the file has exactly its frames, with their names.
    pub replaces: Option<VertexModel>,
    /// Frame groups of the old model, such as `attackb`, with the clip for each, where their names differ.
    pub groups: Vec<(String, String)>,
    /// Method that computes the vertices, and turned joints.
    pub skinning: Skinning,
    /// Name of the file without extension.
    pub stem: String,
    /// The format, and what only this format has.
    pub kind: Kind,
}

/// Format of a file with baked vertices.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Quake's `.mdl`, version 6.
    Mdl {
        /// Image of the model.
        skin: Skin,
        /// Makes each clip a group of frames that plays by itself.
        grouped: bool,
    },
    /// Quake III's `.md3`, version 15.
    Md3 {
        /// Joints that become tags, each with the tag's name.
        tags: Vec<(JointId, String)>,
    },
}

/// Image of a `.mdl`, in which the images of all materials lie side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skin {
    /// Width in texels, a multiple of 4.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Indices into Quake's palette, top row first.
    pub texels: Vec<u8>,
    /// Image of each of the model's materials: first column, width and height. They begin in the top row.
    pub places: Vec<[u32; 3]>,
}

/// Rate at which Quake plays frames.
pub const FRAME_RATE: f64 = 10.0;
/// Bytes of a frame's name, with the zero byte at its end.
const FRAME_NAME: usize = 16;
/// Largest number of vertices in all frames: 160 MB of a `.md3`.
const MOST_BAKED: usize = 20_000_000;

/// Writes a model.
///
/// # Errors
///
/// [`Error`]: no triangles, a method that cannot show a frame, too many frames, positions that are not finite or beyond
/// the format's range.
pub fn write(model: &Model, options: &Options) -> Result<(Output, Counts), Error> {
    let mut losses = Vec::new();
    let model = prepare(model, options.front, Front::PositiveX, options.scale, &mut losses)?;
    if model.meshes.is_empty() {
        return Err(Error::Empty("no triangles"));
    }
    let baked = Baked::new(model, options, &mut losses)?;
    let written = match &options.kind {
        Kind::Mdl { skin, grouped } => mdl::write(&baked, skin, *grouped, options.replaces.as_ref(), &mut losses)?,
        Kind::Md3 { tags } => md3::write(&baked, tags, &options.stem, &mut losses)?,
    };
    losses.extend(written.rounding.loss());
    losses.extend(not_carried(&baked.model, 0));
    Ok((Output { bytes: written.bytes, beside: Vec::new(), losses }, written.counts))
}

/// Returns the names of a model's surfaces in a `.md3`, one for each mesh with triangles.
pub fn surfaces(model: &Model) -> Vec<String> {
    let meshes = model.meshes.iter().filter(|mesh| !mesh.triangles.is_empty());
    let mut names = Unique::default();
    meshes.map(|mesh| md3::named(&mut names, &mesh.name)).collect()
}

/// Sizes of a file that engines limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Vertices, of a `.md3` those of the largest surface.
    pub vertices: usize,
    /// Triangles, of a `.md3` those of the largest surface.
    pub triangles: usize,
    /// Frames.
    pub frames: usize,
    /// Surfaces of a `.md3`, 1 in a `.mdl`.
    pub surfaces: usize,
}

/// A written file.
struct Written {
    bytes: Vec<u8>,
    rounding: Rounding,
    counts: Counts,
}

/// A model and the frames of its file.
struct Baked {
    model: Model,
    /// Largest side of the model's box.
    size: f64,
    /// The meshes as the method needs them.
    meshes: Vec<Prepared>,
    skinning: Skinning,
    /// Name and pose of each frame.
    frames: Vec<(String, LocalPose)>,
    /// Number of frames of each clip.
    groups: Vec<usize>,
}

impl Baked {
    fn new(model: Model, options: &Options, losses: &mut Vec<Loss>) -> Result<Self, Error> {
        let size = size_of(&model);
        let mut clips: Vec<Frames> = Vec::new();
        for clip in &model.clips {
            let mut frames = sampled(&model, clip, Some(options.frame_rate), &clips, losses)?;
            if !options.closed_loops {
                frames.open_loop();
            }
            losses.extend(motion_loss(&clip.name, moved_between_frames(&model, clip, &frames), size));
            clips.push(frames);
        }
        let rest = || LocalPose::rest(&model.skeleton);
        let (frames, groups): (Vec<(String, LocalPose)>, Vec<usize>) = match &options.replaces {
            Some(old) => {
                let whole = arranged(old, clips, &rest(), &options.stem, &options.groups, losses)?;
                let names = old.frames.iter().map(|frame| kept_name(&frame.name, losses)).collect::<Vec<_>>();
                (names.into_iter().zip(whole.poses).collect(), vec![old.frames.len()])
            }
            None if clips.is_empty() => (vec![("frame1".to_owned(), rest())], vec![1]),
            None => {
                let groups = clips.iter().map(|clip| clip.poses.len()).collect();
                (named(clips, losses), groups)
            }
        };
        let vertices: usize = model.meshes.iter().map(|mesh| mesh.vertex_count()).sum();
        if vertices.saturating_mul(frames.len()) > MOST_BAKED {
            return Err(Error::Limit(format!(
                "{} vertices in {} frames; up to {} in all frames are written: lower --fps, or choose with --clip",
                grouped(vertices),
                grouped(frames.len()),
                grouped(MOST_BAKED)
            )));
        }
        let skinning = options.skinning.clone();
        let meshes = skinning.prepare(&model, None).map_err(|error| cannot_show(&skinning, &error))?;
        Ok(Self { model, size, meshes, skinning, frames, groups })
    }

    /// Returns the pose of a frame.
    fn pose(&self, frame: usize) -> ModelPose {
        let mut local = self.frames[frame].1.clone();
        self.skinning.turns.iter().for_each(|turn| turn.apply(&mut local));
        local.to_model(&self.model.skeleton)
    }

    /// Returns the positions and normals of a mesh in a frame's pose, in the order of the file.
    fn vertices(&self, mesh: usize, shell: &Shell, pose: &ModelPose) -> Result<Vec<(DVec3, DVec3)>, Error> {
        let mut skinned = Skinned::default();
        // Methods for which the time counts need a clip, and are prepared with none.
        let shown = skin::checked_reference(&self.meshes[mesh], TimedPose { pose, time: 0.0 }, &mut skinned);
        shown.map_err(|error| cannot_show(&self.skinning, &error))?;
        let mesh = &self.meshes[mesh].mesh;
        let placed = |vertex: &u32| (skinned.positions[*vertex as usize], skinned.normals[*vertex as usize]);
        let placed: Vec<_> = shell.vertices.iter().map(placed).collect();
        match placed.iter().all(|(position, _)| position.is_finite()) {
            true => Ok(placed),
            false => Err(Error::Numbers(format!("the positions of mesh '{}' are not finite numbers", mesh.name))),
        }
    }
}

fn cannot_show(skinning: &Skinning, error: &skin::Unavailable) -> Error {
    Error::Unsupported(format!("{} cannot show the model: {error}", skinning.method))
}

/// Returns the name of an old model's frame as the format can hold it.
fn kept_name(name: &str, losses: &mut Vec<Loss>) -> String {
    let to = cut(name, FRAME_NAME - 1).to_owned();
    if to != name {
        losses.push(Loss::Renamed { what: "frame", names: vec![NewName { from: name.to_owned(), to: to.clone() }] });
    }
    to
}

/// Returns the frames of clips, named after them: `walk1`, `walk2`.
fn named(clips: Vec<Frames>, losses: &mut Vec<Loss>) -> Vec<(String, LocalPose)> {
    let mut names = Unique::default();
    let mut frames = Vec::new();
    for Frames { name, poses, .. } in clips {
        let most = FRAME_NAME - 1 - poses.len().to_string().len();
        let stem = names.add_legal(&name, cut(&name, most), most);
        frames.extend(poses.into_iter().zip(1..).map(|(pose, number)| (format!("{stem}{number}"), pose)));
    }
    losses.extend(names.into_loss("clip"));
    frames
}

/// Displacement of vertices by the steps in which a format stores positions.
struct Rounding {
    /// Bits of a coordinate.
    bits: u32,
    /// Largest distance of a vertex from its exact position.
    moved: f64,
    /// Largest side of the model's box.
    size: f64,
}

impl Rounding {
    fn add(&mut self, exact: DVec3, stored: DVec3) {
        self.moved = self.moved.max(exact.distance(stored));
    }

    fn loss(&self) -> Option<Loss> {
        let moved = Displacement::new(self.moved, self.size);
        (self.moved > 0.0).then_some(Loss::Rounded { bits: self.bits, moved })
    }
}

fn words(bytes: &mut Vec<u8>, words: impl IntoIterator<Item = usize>) {
    words.into_iter().for_each(|word| bytes.extend((word as u32).to_le_bytes()));
}

fn floats(bytes: &mut Vec<u8>, floats: impl IntoIterator<Item = Vec3>) {
    floats.into_iter().flat_map(|point| point.to_array()).for_each(|float| bytes.extend((float + 0.0).to_le_bytes()));
}

/// Appends a text that fills `length` bytes and ends with a zero byte.
fn text(bytes: &mut Vec<u8>, text: &str, length: usize) {
    let end = bytes.len() + length;
    bytes.extend_from_slice(cut(text, length - 1).as_bytes());
    bytes.resize(end, 0);
}
