//! Conversion of a whole `.x` document.

use super::clip::import_clips;
use super::frames::{Frames, head};
use super::material::material;
use super::mesh;
use super::options::XImportOptions;
use super::space::file_affine;
use crate::budget::Budget;
use crate::import::error::{ImportError, Warning};
use crate::model::{Front, Model};
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Document};
use glam::DAffine3;

/// Result of [`import`].
#[derive(Debug)]
pub struct Imported {
    /// Skeleton, meshes, materials, clips.
    pub model: Model,
    /// Frames, to which clips of other files can be attached.
    pub frames: Frames,
    /// Ticks per second used for the conversion to seconds.
    pub ticks_per_second: f64,
    /// Repairs and oddities.
    pub warnings: Vec<Warning>,
}

/// Returns the facing direction of a model (docs/formats/x.md "Which way is front").
fn front(document: &Document<'_>) -> Front {
    const SWAPPED: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let first = document.frames.first();
    let is_root = |frame: &&x::Frame<'_>| frame.name.as_ref().is_some_and(|name| &name.bytes[..] == b"Root");
    match first.filter(is_root).and_then(|frame| frame.matrix()) {
        Some(matrix) if *matrix == SWAPPED => Front::PositiveY,
        _ => Front::NegativeY,
    }
}

/// Imports a document. Frames become joints one to one, in file order.
///
/// A file without anything to show gives an empty model and a warning. Lists of the document are freed as the model's
/// replace them.
///
/// # Errors
///
/// [`ImportError`]: meshes used by several frames, or animation sets for all frames, need more memory than `budget`
/// has.
pub fn import(mut document: Document<'_>, options: &XImportOptions, budget: &Budget) -> Result<Imported, ImportError> {
    let mut warnings = Vec::new();
    let mut model = Model { name: options.name.clone(), front: front(&document), ..Model::default() };
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
                warnings.push(Warning::new("XFI001", message, head(frame.span, "Frame")));
            }
            file_affine(matrix)
        });
        let joint = frames.push(&mut model, name, frame.parent, local);
        if let Some(name) = &frame.name {
            frames.by_name.entry(name.bytes.to_vec()).or_insert(joint);
        }
    }
    if document.frames.is_empty() && document.mesh_uses.is_empty() {
        stand_ins(&document, &mut model, &mut frames, &mut warnings);
    }
    model.materials = document.materials.iter().enumerate().map(|(index, file)| material(file, index)).collect();
    mesh::import_meshes(&mut document, &mut model, &mut frames, &mut warnings, options.without_tangents, budget)?;
    let clips = import_clips(&document, &frames, options, budget)?;
    model.clips = clips.clips;
    warnings.extend(clips.warnings);
    if model.skeleton.is_empty() {
        let message = "no frame and no mesh, there is nothing to show".to_owned();
        warnings.push(Warning::new("XFI002", message, Span::default()));
    }
    Ok(Imported { model, frames, ticks_per_second: clips.ticks_per_second, warnings })
}

/// Adds joints for a file that contains only animations: one root for each frame that they name, so that there is
/// something to show. The hierarchy of the frames is in another file.
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
            warnings.push(Warning::new("XFI003", message, head(span, "Animation")));
        }
        let joint = frames.push(model, target.name.to_name(), None, DAffine3::IDENTITY);
        frames.by_name.insert(target.name.bytes.to_vec(), joint);
    }
}
