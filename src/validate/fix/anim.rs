//! `.md5anim`.

use super::joints::{OTHER_PARENT, count_joints, has_other_parents, moved, new_places, parents_first};
use super::{Log, count_up, header, unknown};
use crate::checks::geometry::{influence_count, positions};
use crate::checks::outliers::has_spikes;
use crate::codes::{Rule, anim as rules, shared};
use bindpose_core::budget::{Budget, product};
use bindpose_core::import::md5::rows::{Rows, transform_of};
use bindpose_core::import::md5::{RootTranslation, import_skeleton};
use bindpose_core::model::bounds_of;
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_parsers::md5::{AnimFile, Bounds, MeshFile};
use bindpose_parsers::{Span, counted};
use glam::{DAffine3, DVec3};

/// Input for the repair of a clip.
pub struct Needs<'m, 'a> {
    /// Repaired meshes with which the clip was compared.
    pub meshes: &'m mut [MeshFile<'a>],
    /// Rules violated by the boxes.
    pub boxes: Vec<Rule>,
    /// True if the file has one row of the base frame for each joint.
    pub has_baseframe: bool,
}

/// Repairs a clip.
pub fn repair(file: &mut AnimFile, needs: Needs, budget: &Budget, log: &mut Log) {
    header(&mut file.version, &mut file.command_line, log);
    let joints = file.hierarchy.len();
    if needs.has_baseframe && file.num_joints.value != joints as i64 {
        let done = format!("numJoints is {joints} now, as many as hierarchy and baseframe have");
        log.done(shared::BLOCK_COUNT, done);
        file.num_joints.value = joints as i64;
    }
    let names = file.hierarchy.iter().map(|channel| &channel.name);
    let is_complete = count_joints(&mut file.num_joints, names, log);
    if is_complete && needs.has_baseframe {
        sort_joints(file, needs.meshes, log);
    }
    zero_unused(file, log);
    let has_all_frames = settle_frames(file, log);
    if needs.boxes.is_empty() {
        return;
    }
    match fix_boxes(file, needs.meshes, has_all_frames && needs.has_baseframe, budget) {
        Ok(()) => {
            let done =
                format!("the boxes of {} are computed from the mesh", counted(file.frames.len(), "frame", "frames"));
            needs.boxes.iter().for_each(|&rule| log.done(rule, done.clone()));
        }
        Err(why) => needs.boxes.iter().for_each(|&rule| log.left(rule, why)),
    }
}

fn zero_unused(file: &mut AnimFile, log: &mut Log) {
    let width = file.num_animated_components.value;
    let mut zeroed = 0;
    for channel in &mut file.hierarchy {
        if channel.flags.value & 63 == 0 && width > 0 && !(0..width).contains(&channel.first_component.value) {
            channel.first_component.value = 0;
            zeroed += 1;
        }
    }
    if zeroed > 0 {
        let joints = if zeroed == 1 { "1 joint that stores".to_owned() } else { format!("{zeroed} joints that store") };
        log.done(rules::FIRST_COMPONENT, format!("the first component of {joints} nothing is 0 now"));
    }
}

/// Corrects frame numbers and their count, as far as one confirms the other. Returns true if all frames are present.
fn settle_frames(file: &mut AnimFile, log: &mut Log) -> bool {
    let (found, said) = (file.frames.len() as i64, file.num_frames.value);
    let wrong = file.frames.iter().zip(0i64..).filter(|(frame, due)| frame.number.value != *due).count();
    // The reader sorts frames whose numbers are all different. If a single number is wrong, its frame is in its place.
    let in_order = wrong == 1 || file.frames.is_sorted_by_key(|frame| frame.number.value);
    if wrong > 0 && in_order && said == found {
        for (frame, due) in file.frames.iter_mut().zip(0..) {
            frame.number.value = due;
        }
        log.done(rules::FRAME_ORDER, format!("the frames, {found} in all, are numbered 0, 1, 2, … now"));
    } else if wrong > 0 {
        let why = format!(
            "numFrames says {said}, {found} frames follow, and their numbers have a gap or repeat: nobody knows which are \
             meant"
        );
        log.left(rules::FRAME_ORDER, why.clone());
        log.left(rules::FRAME_MISSING, why.clone());
        log.left(shared::SURPLUS_BLOCK, why);
        return false;
    }
    if said > found {
        log.left(rules::FRAME_MISSING, "the frames that are missing are not in the file");
        return false;
    }
    count_up(&mut file.num_frames, "numFrames", file.frames.len(), shared::SURPLUS_BLOCK, log)
}

fn sort_joints(file: &mut AnimFile, meshes: &[MeshFile], log: &mut Log) {
    let Some(order) = parents_first(&file.hierarchy.iter().map(|channel| channel.parent.value).collect::<Vec<_>>())
    else {
        return;
    };
    if meshes.iter().any(|mesh| has_other_parents(mesh, file)) {
        log.left(shared::LATE_PARENT, OTHER_PARENT);
        return;
    }
    let places = new_places(&order);
    file.hierarchy = order.iter().filter_map(|&old| file.hierarchy.get(old).cloned()).collect();
    file.baseframe = order.iter().filter_map(|&old| file.baseframe.get(old).copied()).collect();
    for channel in &mut file.hierarchy {
        channel.parent.value = moved(channel.parent.value, &places);
    }
    log.done(shared::LATE_PARENT, "joints stand behind their parents now; sort the mesh in the same way");
}

/// Computes the boxes from all meshes of the clip, or logs why not.
fn fix_boxes(
    file: &mut AnimFile,
    meshes: &mut [MeshFile],
    is_complete: bool,
    budget: &Budget,
) -> Result<(), &'static str> {
    if !is_complete {
        return Err("boxes cannot be computed while frames or rows of the base frame are missing");
    }
    if meshes.is_empty() {
        return Err("boxes are computed from the mesh: name it together with the clip");
    }
    if meshes.iter().any(|mesh| mesh.joints.len() != file.hierarchy.len()) {
        return Err("boxes cannot be computed while mesh and clip have different joints");
    }
    if !unknown::all_known(file) || !meshes.iter_mut().all(unknown::all_known) {
        return Err("boxes cannot be computed while mesh or clip hold numbers that are not known");
    }
    if meshes.iter().any(|mesh| has_spikes(mesh)) {
        return Err("boxes cannot be computed while a vertex is far from the rest of its mesh");
    }
    let boxes = boxes(file, meshes, budget);
    if boxes.len() != file.frames.len() {
        return Err("computing the boxes would take more memory or time than is allowed (--max-memory raises it)");
    }
    file.bounds = boxes;
    Ok(())
}

/// Computes one box per frame around the skinned vertices, rounded outwards to six decimals. Empty if the budget does
/// not suffice or there are no vertices.
fn boxes(file: &AnimFile, meshes: &[MeshFile], budget: &Budget) -> Vec<Bounds> {
    let rows = Rows::new(file, RootTranslation::File);
    let influences: u64 = meshes.iter().flat_map(|file| &file.meshes).map(influence_count).sum();
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
        let Some((min, max)) = bounds(meshes, &maps) else { continue };
        boxes.push(Bounds { min: min.to_array().map(down), max: max.to_array().map(up), span: Span::default() });
    }
    boxes
}

/// Returns the bounding box of all vertices in a pose, in f64, which is precise enough for six decimals.
fn bounds(meshes: &[MeshFile], maps: &[DAffine3]) -> Option<(DVec3, DVec3)> {
    bounds_of(meshes.iter().flat_map(|file| &file.meshes).flat_map(|mesh| positions(mesh, maps)))
}
