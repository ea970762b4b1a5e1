//! `.md5anim`.

use super::joints::{moved, new_places, parents_first};
use super::{Joints, count, header};
use crate::checks::geometry::{influence_count, positions};
use bindpose_core::budget::{Budget, product};
use bindpose_core::import::md5::rows::{Rows, transform_of};
use bindpose_core::import::md5::{RootTranslation, import_skeleton};
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{AnimFile, Bounds, MeshFile};
use glam::{DAffine3, DVec3};

/// Repairs a clip and says what was done; with a mesh the boxes are computed again.
pub fn repair(file: &mut AnimFile, mesh: Option<&MeshFile>, budget: &Budget, done: &mut Vec<String>) {
    header(&mut file.version, &mut file.command_line, done);
    sort_joints(file, done);
    let mut zeroed = 0;
    for channel in &mut file.hierarchy {
        if channel.flags.value & 63 == 0 && channel.first_component.value != 0 {
            channel.first_component.value = 0;
            zeroed += 1;
        }
    }
    if zeroed > 0 {
        done.push(format!("the first component of {zeroed} joints that store nothing is 0 now"));
    }
    // The reader sorts frames whose numbers are all different; only then is their order certain.
    let renumbered = file.frames.iter().zip(0i64..).filter(|(frame, due)| frame.number.value != *due).count();
    let rising = file.frames.is_sorted_by(|a, b| a.number.value < b.number.value);
    if renumbered > 0 && rising {
        for (number, frame) in file.frames.iter_mut().enumerate() {
            frame.number.value = number as i64;
        }
        done.push(format!("{renumbered} frames are numbered 0, 1, 2, … now"));
    }
    count(&mut file.num_frames, file.frames.len());
    count(&mut file.num_joints, file.hierarchy.len());
    if let Some(mesh) = mesh.filter(|mesh| mesh.joints.len() == file.hierarchy.len()) {
        let bounds = boxes(file, mesh, budget);
        if !bounds.is_empty() {
            file.bounds = bounds;
            done.push(format!("the boxes of {} frames are computed from the mesh", file.frames.len()));
        }
    }
}

fn sort_joints(file: &mut AnimFile, done: &mut Vec<String>) {
    let Some(order) = parents_first(&file.parents()) else { return };
    let places = new_places(&order);
    file.hierarchy = order.iter().filter_map(|&old| file.hierarchy.get(old).cloned()).collect();
    file.baseframe = order.iter().filter_map(|&old| file.baseframe.get(old).copied()).collect();
    for channel in &mut file.hierarchy {
        channel.parent.value = moved(channel.parent.value, &places);
    }
    done.push("joints stand behind their parents now; sort the mesh, too".to_owned());
}

/// One box per frame around the skinned vertices, rounded outwards to six decimals; none where the budget does not
/// reach, or where joints do not fit.
fn boxes(file: &AnimFile, mesh: &MeshFile, budget: &Budget) -> Vec<Bounds> {
    let rows = Rows::new(file, RootTranslation::File);
    let influences: u64 = mesh.meshes.iter().map(influence_count).sum();
    let steps = product([influences as usize + rows.channel_count(), rows.frame_count(), size_of::<f64>()]);
    if budget.check(steps, String::new).is_err() {
        return Vec::new();
    }
    let imported = import_skeleton(file);
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    pose::rest(&imported.model.skeleton, &mut local);
    let (down, up) = (|value: f64| (value * 1e6).floor() / 1e6, |value: f64| (value * 1e6).ceil() / 1e6);
    let mut boxes = Vec::new();
    for frame in 0..rows.frame_count() {
        for (&joint, row) in imported.joints.iter().zip(rows.frame(frame)) {
            local.0[joint.index()] = transform_of(row);
        }
        pose::local_to_model(&imported.model.skeleton, &local, &mut model);
        let maps: Vec<DAffine3> = imported.joints.iter().map(|joint| model.0[joint.index()]).collect();
        let Some((min, max)) = bounds(mesh, &maps) else { continue };
        boxes.push(Bounds { min: min.to_array().map(down), max: max.to_array().map(up), span: Span::default() });
    }
    boxes
}

/// The box of all vertices in a pose, in f64: as sharp as six decimals are.
fn bounds(file: &MeshFile, maps: &[DAffine3]) -> Option<(DVec3, DVec3)> {
    let points = file.meshes.iter().flat_map(|mesh| positions(mesh, maps));
    points.map(|point| (point, point)).reduce(|(min, max), (point, _)| (min.min(point), max.max(point)))
}
