//! Poses as numbers, and a comparison of the skinning methods in one pose.

use super::{Answer, Request, sentence};
use bindpose::glam::DQuat;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{Mesh, Model, axis_named, bounds_of};
use bindpose::pose::LocalPose;
use bindpose::skin::{MethodId, Prepared, Skinned, TimedPose};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Files of a model, and options to load them.
type Source = (Vec<PathBuf>, LoadOptions);

/// Loads a model, and samples clip number `clip` at `time` seconds, or the rest pose.
fn posed(request: &Request<'_>, (files, options): Source) -> Result<(Arc<Model>, LocalPose), String> {
    let model = load(&files, &options).map_err(sentence)?.model;
    let clip = request.optional_number("clip").and_then(|clip| model.clips.get(clip as usize));
    let local = LocalPose::of_clip(&model.skeleton, clip, request.optional_number("time").unwrap_or(0.0));
    Ok((model, local))
}

/// Returns the joints of a pose as matrices in model space: 12 `f64` each, column by column.
pub fn pose(request: &Request<'_>, source: Source) -> Answer {
    let (model, local) = posed(request, source)?;
    let joints = local.to_model(&model.skeleton);
    let numbers = joints.0.iter().flat_map(|joint| joint.to_cols_array());
    Ok((json!({ "joints": joints.0.len() }), numbers.flat_map(f64::to_le_bytes).collect()))
}

/// Compares the methods in a pose. Joint number `joint` is turned by `degrees` about its own `axis` (such as x or -x). For
/// each method, the answer has the largest distance of a vertex from the weighted sum, as a share of the model's size,
/// and the volume as a share of the rest pose's.
pub fn compare(request: &Request<'_>, source: Source) -> Answer {
    let (model, mut local) = posed(request, source)?;
    let axis = axis_named(request.text("axis")?)?.as_dvec3();
    let before = local.to_model(&model.skeleton);
    let turned = local.0.get_mut(request.number("joint")? as usize).ok_or("the model has no such joint")?;
    turned.rotation *= DQuat::from_axis_angle(axis, request.number("degrees")?.to_radians());
    let pose = local.to_model(&model.skeleton);
    let still: Vec<Skinned> = model.meshes.iter().map(|mesh| Skinned::linear(mesh, &before)).collect();
    let sums: Vec<Skinned> = model.meshes.iter().map(|mesh| Skinned::linear(mesh, &pose)).collect();
    let corners = bounds_of(still.iter().flat_map(|mesh| &mesh.positions).copied());
    let size = corners.map_or(0.0, |(min, max)| min.distance(max)).max(f64::MIN_POSITIVE);
    let whole = volume(&model, &still);
    let row = |id: MethodId| {
        let name = id.method().name;
        let prepared = match Prepared::all(id, &model.skeleton, &model.meshes, &[], None) {
            Ok(prepared) => prepared,
            Err(error) => return json!({ "method": name, "error": error.to_string() }),
        };
        let of_mesh = |prepared: &Prepared| Skinned::reference(prepared, TimedPose { pose: &pose, time: 0.0 });
        let shown: Vec<Skinned> = prepared.iter().map(of_mesh).collect();
        let apart = |(a, b): (&Skinned, &Skinned)| {
            a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
        };
        let most = shown.iter().zip(&sums).map(apart).fold(0.0, f64::max);
        json!({ "method": name, "distance": most, "of_size": most / size, "volume": volume(&model, &shown) / whole })
    };
    Ok((json!({ "size": size, "rows": MethodId::all().map(row).collect::<Vec<_>>() }), Vec::new()))
}

/// Returns the volume inside all meshes. For open meshes it is a comparable measure.
fn volume(model: &Model, meshes: &[Skinned]) -> f64 {
    let of_mesh = |(mesh, skinned): (&Mesh, &Skinned)| {
        let triangle = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| skinned.positions.get(corner as usize).copied().unwrap_or_default());
            a.dot(b.cross(c)) / 6.0
        };
        mesh.triangles.iter().map(triangle).sum::<f64>()
    };
    model.meshes.iter().zip(meshes).map(of_mesh).sum()
}
