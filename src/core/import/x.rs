//! DirectX .x documents into the model: the only place that knows .x's maths.
//!
//! # Equations
//!
//! A file moves row vectors, `v' = v * M`, with `M` written row after row. Read column after column
//! (`from_cols_array`) the same sixteen numbers are the map `A` with `A * v = (v * M)` for column vectors, so that
//! nothing is ever transposed and only products change their order: `world[j] = world[parent] * A[j]`.
//!
//! File space is left-handed with +Y up, the model's right-handed with +Z up. `P` swaps y and z; it is its own inverse
//! and a mirror: `p_model = P * p_file`, exactly. Mirroring turns clockwise into clockwise seen from behind, so that a
//! face (a, b, c) becomes the triangle (a, c, b).
//!
//! Each joint's own space may be mirrored too: `G[j]` is `P` or the identity, whichever makes the joint's rest pose in
//! the model a map without mirroring:
//!
//! ```text
//! model[j]       = P * world[j] * G[j]            determinant > 0 at rest
//! local[j]       = G[parent]^-1 * A[j] * G[j]     with P instead of G[parent]^-1 at a root
//! inverse_bind   = G[b]^-1 * offset * Q^-1        offset: the bone's matrixOffset
//! position       = Q * v                          bind space
//! model[b] * inverse_bind * position = P * (world[b] * offset * v)
//! ```
//!
//! `G[j] = P` for most files. Blender's exporters write a root that swaps y and z; below it the world is mirrored,
//! `G[j]` is the identity, and the file's numbers are the model's.
//! `Q = P * world[b] * offset` at rest, for the bone `b` with the most weight, so that bind space is model space as
//! that bone sees it, and the palette is the identity at rest where all bones agree. For a mesh without skin `b` is its
//! frame and `offset` the identity.
//!
//! A rotation key `w x y z` is the conjugate of D3DX's quaternion and of the column-vector one: `q = (-x, -y, -z, w)`.
//! It is brought to unit length here (XNA did not, see docs/formats/x.md "Animation keys"; Irrlicht, for which many
//! such files were made, does). `A = T * R * S`; the keys replace the frame's matrix. How keys cross from file to model
//! space is in the module `space`.

mod clip;
mod mesh;
mod space;

pub use clip::{ImportedClips, import_clips};

use super::{ImportError, Warning};
use crate::budget::Budget;
use crate::model::{Front, JointId, Material, Model, Transform};
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Document, EffectValue};
use glam::{DAffine3, Vec3, Vec4};
use space::{Crossing, Side, file_affine};
use std::collections::HashMap;

/// Choices that .x files leave open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// What the model is called, and animation sets without a name: the file's stem.
    pub name: String,
    /// Overrides the file's tick rate.
    pub ticks_per_second: Option<f64>,
}

/// A document as a model.
#[derive(Debug)]
pub struct Imported {
    /// Skeleton, meshes, materials, clips.
    pub model: Model,
    /// What clips of other files need to be attached.
    pub frames: Frames,
    /// The file's unit of time, as it was taken.
    pub ticks_per_second: f64,
    /// Repairs and oddities.
    pub warnings: Vec<Warning>,
}

/// The frames of a model as its file had them.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// One per joint, in the skeleton's order.
    frames: Vec<FrameSpace>,
    /// The first joint of each name, by the file's bytes.
    by_name: HashMap<Vec<u8>, JointId>,
}

/// One frame.
#[derive(Debug, Clone, Copy)]
struct FrameSpace {
    joint: JointId,
    parent: Option<usize>,
    /// Parent space from the frame's space, both as the file has them.
    local: DAffine3,
    /// File space from the frame's space, at rest.
    world: DAffine3,
    /// `G`
    side: Side,
}

/// Which way a model faces, docs/formats/x.md "Which way is front".
fn front(document: &Document<'_>) -> Front {
    const SWAPPED: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let first = document.frames.first();
    let is_root = |frame: &&x::Frame<'_>| frame.name.as_ref().is_some_and(|name| &name.bytes[..] == b"Root");
    match first.filter(is_root).and_then(|frame| frame.matrix()) {
        Some(matrix) if *matrix == SWAPPED => Front::PositiveY,
        _ => Front::NegativeY,
    }
}

/// Imports a document. Frames become joints one to one, in the file's order.
///
/// A file with nothing to show gives an empty model and a warning.
///
/// # Errors
///
/// [`ImportError`]: meshes that several frames show, or animation sets for all frames, take more memory than `budget`
/// has.
pub fn import(document: &Document<'_>, options: &Options, budget: &Budget) -> Result<Imported, ImportError> {
    let mut warnings = Vec::new();
    let mut model = Model { name: options.name.clone(), front: front(document), ..Model::default() };
    let mut frames = Frames::default();
    for (index, frame) in document.frames.iter().enumerate() {
        let name = match &frame.name {
            Some(name) => name.to_name(),
            None => format!("(unnamed {index})"),
        };
        let local = frame.matrix().map_or(DAffine3::IDENTITY, |matrix| {
            let [.., x, y, z, w] = [matrix[3], matrix[7], matrix[11], matrix[15]];
            if [x, y, z, w] != [0.0, 0.0, 0.0, 1.0] {
                let message = format!("the matrix of '{name}' has the last column {x} {y} {z} {w}, taken for 0 0 0 1");
                warnings.push(Warning { code: "XFI001", message, span: head(frame.span, "Frame") });
            }
            file_affine(matrix)
        });
        let joint = frames.push(&mut model, name, frame.parent, local);
        if let Some(name) = &frame.name {
            frames.by_name.entry(name.bytes.to_vec()).or_insert(joint);
        }
    }
    if document.frames.is_empty() && document.mesh_uses.is_empty() {
        stand_ins(document, &mut model, &mut frames, &mut warnings);
    }
    model.materials = document.materials.iter().enumerate().map(|(index, file)| material(file, index)).collect();
    mesh::import_meshes(document, &mut model, &mut frames, &mut warnings, budget)?;
    let clips = import_clips(document, &frames, options, budget)?;
    model.clips = clips.clips;
    warnings.extend(clips.warnings);
    if model.skeleton.is_empty() {
        let message = "no frame and no mesh, there is nothing to show".to_owned();
        warnings.push(Warning { code: "XFI002", message, span: Span::default() });
    }
    Ok(Imported { model, frames, ticks_per_second: clips.ticks_per_second, warnings })
}

/// Joints for a file that holds nothing but animations: one root for each frame that they name, so that there is
/// something to look at. How the frames hang together is in another file.
fn stand_ins(document: &Document<'_>, model: &mut Model, frames: &mut Frames, warnings: &mut Vec<Warning>) {
    let in_sets = document.animation_sets.iter().flat_map(|set| &set.animations);
    let animations = in_sets.chain(&document.loose_animations);
    let targets = animations.filter_map(|animation| Some((animation.target.as_ref()?, animation.span)));
    for (target, span) in targets {
        if frames.by_name.contains_key(&*target.name.bytes) {
            continue;
        }
        if frames.by_name.is_empty() {
            let message =
                "animations without frames: each frame that they name stands alone; give the model's file too";
            warnings.push(Warning { code: "XFI003", message: message.to_owned(), span: head(span, "Animation") });
        }
        let joint = frames.push(model, target.name.to_name(), None, DAffine3::IDENTITY);
        frames.by_name.insert(target.name.bytes.to_vec(), joint);
    }
}

/// The word that an object of a type begins with: enough to show where it stands.
fn head(span: Span, type_name: &str) -> Span {
    let start = span.start as usize;
    Span::new(start, (start + type_name.len()).min(span.end as usize))
}

impl Frames {
    /// Adds a frame to the skeleton; its parent is one that was added before.
    fn push(&mut self, model: &mut Model, name: String, parent: Option<usize>, local: DAffine3) -> JointId {
        let parent = parent.filter(|&parent| parent < self.frames.len());
        let above = parent.map(|parent| self.frames[parent]);
        let world = above.map_or(local, |above| above.world * local);
        let side = Side::of_world(&world).unwrap_or_else(|| above.map_or(Side::Mirrored, |above| above.side));
        let crossing = Crossing { from: above.map_or(Side::Mirrored, |above| above.side), to: side };
        let rest_local = Transform::from_affine(crossing.affine(&local));
        let joint = model.skeleton.push(name, above.map(|above| above.joint), rest_local);
        self.frames.push(FrameSpace { joint, parent, local, world, side });
        joint
    }

    /// How local transforms of a joint cross into the model.
    fn crossing(&self, frame: &FrameSpace) -> Crossing {
        let above = frame.parent.map(|parent| self.frames[parent]);
        Crossing { from: above.map_or(Side::Mirrored, |above| above.side), to: frame.side }
    }
}

fn material(file: &x::Material<'_>, index: usize) -> Material {
    let name = file.name.as_ref().map_or_else(|| format!("material {index}"), x::Text::to_name);
    Material {
        name,
        diffuse: Vec4::from_array(file.face_color.map(|part| part as f32)),
        specular: Vec3::from_array(file.specular.map(|part| part as f32)),
        specular_power: file.power as f32,
        emissive: Vec3::from_array(file.emissive.map(|part| part as f32)),
        texture: texture(file).map(|name| path(&name)),
        surface: None,
    }
}

/// The first texture, else the first image that the effect names.
fn texture(file: &x::Material<'_>) -> Option<String> {
    let plain = file.textures.iter().find(|texture| texture.kind.bytes.eq_ignore_ascii_case(b"TextureFilename"));
    if let Some(texture) = plain.filter(|texture| !texture.filename.bytes.is_empty()) {
        return Some(texture.filename.to_name());
    }
    file.effect.iter().flat_map(|effect| &effect.parameters).find_map(|parameter| match &parameter.value {
        EffectValue::Text(value) => Some(value.to_name()).filter(|name| is_image(name)),
        EffectValue::Floats(_) | EffectValue::Dword(_) => None,
    })
}

fn is_image(name: &str) -> bool {
    const EXTENSIONS: [&str; 8] = ["dds", "tga", "png", "jpg", "jpeg", "bmp", "gif", "tif"];
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Backslashes as slashes, doubled ones once (docs/formats/x.md "Materials").
fn path(name: &str) -> String {
    name.replace("\\\\", "\\").replace('\\', "/")
}

/// D3DX's grey for meshes without material (docs/formats/x.md "Materials").
fn default_material() -> Material {
    Material { diffuse: Vec4::new(0.5, 0.5, 0.5, 1.0), ..Material::neutral("default") }
}
