//! Steps that all formats share, and the loss of clips.

use crate::loss::{Displacement, Loss};
use crate::turn::turned;
use crate::{Error, Front};
use bindpose_core::budget::grouped;
use bindpose_core::model::Model;

/// Largest displacement by a clip that is not reported, as a share of the model's size.
const MOTION_TOLERANCE: f64 = 1e-6;

/// Rejects a scale that is not a positive number.
pub(crate) fn check_scale(scale: f64) -> Result<(), Error> {
    match scale > 0.0 && scale.is_finite() {
        true => Ok(()),
        false => Err(Error::Options(format!("the scale is {scale}; it must be a positive number"))),
    }
}

/// True if a mesh has any triangles. If it has none, the loss is reported.
pub(crate) fn has_triangles(triangles: &[[u32; 3]], mesh: &str, losses: &mut Vec<Loss>) -> bool {
    if triangles.is_empty() {
        losses.push(Loss::NotCarried { what: format!("mesh '{mesh}', which has no triangles") });
    }
    !triangles.is_empty()
}

/// Scales the model, turns it from `front` to face `to` (not with `None`), and removes meshes without triangles.
///
/// # Errors
///
/// The scale is not a positive number, or the model has neither joints nor triangles.
pub(crate) fn prepare(
    model: &Model,
    front: Option<Front>,
    to: Front,
    scale: f64,
    losses: &mut Vec<Loss>,
) -> Result<Model, Error> {
    check_scale(scale)?;
    let mut model = turned(model, front.unwrap_or(to), to, scale);
    model.meshes.retain(|mesh| has_triangles(&mesh.triangles, &mesh.name, losses));
    if model.skeleton.is_empty() && model.meshes.is_empty() {
        return Err(nothing_to_write());
    }
    Ok(model)
}

pub(crate) fn nothing_to_write() -> Error {
    Error::Empty("neither joints nor triangles")
}

/// Returns what a format without joints cannot represent of a model, and its clips if they are not written.
pub(crate) fn not_carried(model: &Model, clips: usize) -> impl Iterator<Item = Loss> {
    let coloured = model.meshes.iter().filter(|mesh| !mesh.colors.is_empty()).count();
    let counts = [
        (model.skeleton.len(), "joint and its weights", "joints and their weights"),
        (clips, "clip", "clips"),
        (coloured, "mesh's vertex colours", "meshes' vertex colours"),
    ];
    counts.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| Loss::NotCarried {
        what: format!("{} {}", grouped(count), if count == 1 { one } else { many }),
    })
}

/// Returns the loss of a clip whose vertices are displaced by `moved` units in a model of this size; `None` if that is
/// negligible.
pub(crate) fn motion_loss(clip: &str, moved: f64, size: f64) -> Option<Loss> {
    let moved = Displacement::new(moved, size);
    (moved.of_size > MOTION_TOLERANCE).then(|| Loss::Motion { clip: clip.to_owned(), moved })
}
