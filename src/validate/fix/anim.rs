//! `.md5anim`.

use super::joints::{moved, new_places, parents_first};
use super::{Joints, count, header};
use crate::checks::geometry::weights_of;
use crate::poses::Frames;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{AnimFile, Bounds, MeshFile};
use glam::{DAffine3, DVec3};

/// Repairs a clip and says what was done; with a mesh the boxes are computed again.
pub fn repair(file: &mut AnimFile, mesh: Option<&MeshFile>, done: &mut Vec<String>) {
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
        let bounds = boxes(file, mesh);
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

/// One box per frame around the skinned vertices, rounded outwards to six decimals.
fn boxes(file: &AnimFile, mesh: &MeshFile) -> Vec<Bounds> {
    let frames = Frames::new(file);
    let (down, up) = (|value: f64| (value * 1e6).floor() / 1e6, |value: f64| (value * 1e6).ceil() / 1e6);
    (0..frames.count())
        .filter_map(|frame| {
            let (min, max) = bounds(mesh, &frames.model(frames.frame(frame)))?;
            Some(Bounds { min: min.to_array().map(down), max: max.to_array().map(up), span: Span::default() })
        })
        .collect()
}

/// The box of all vertices in a pose, in f64.
fn bounds(file: &MeshFile, maps: &[DAffine3]) -> Option<(DVec3, DVec3)> {
    let mut found: Option<(DVec3, DVec3)> = None;
    for mesh in &file.meshes {
        for vertex in 0..mesh.verts.len() {
            let placed = weights_of(mesh, vertex).iter().filter_map(|weight| {
                let map = maps.get(weight.joint as usize)?;
                Some(map.transform_point3(DVec3::from_array(weight.offset)) * weight.bias)
            });
            let point: DVec3 = placed.sum();
            found = Some(found.map_or((point, point), |(min, max)| (min.min(point), max.max(point))));
        }
    }
    found
}
