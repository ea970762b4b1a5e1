//! `.md5mesh`.

use super::joints::{OTHER_PARENT, count_joints, has_other_parents, moved, new_places, parents_first};
use super::{Log, count_up, header};
use crate::checks::geometry::{influence_count, used_weights, weights_of};
use crate::codes::{mesh as rules, shared};
use bindpose_core::budget::{Budget, product};
use bindpose_parsers::md5::{AnimFile, Int, Mesh, MeshFile, Vert, Weight};
use bindpose_parsers::{Span, counted};

/// Same tolerance as in the checks: the rounding error of exporters.
const SUM_TOLERANCE: f64 = 1e-3;
/// Smallest sum by which weights can be divided.
const SMALLEST_SUM: f64 = 1e-6;

/// Repairs a mesh. `clips` are those compared with it.
pub fn repair(file: &mut MeshFile, clips: &[AnimFile], budget: &Budget, log: &mut Log) {
    header(&mut file.version, &mut file.command_line, log);
    let found = file.joints.len();
    let has_joints_of = |clip: &AnimFile| {
        let names = clip.hierarchy.iter().map(|channel| &channel.name.bytes);
        names.eq(file.joints.iter().map(|joint| &joint.name.bytes))
    };
    // Two files confirm the number of joints.
    let is_complete = clips.iter().any(has_joints_of);
    if is_complete && file.num_joints.value != found as i64 {
        log.done(shared::BLOCK_COUNT, format!("numJoints is {found} now, as many as there are here and in the clip"));
        file.num_joints.value = found as i64;
    }
    let names = file.joints.iter().map(|joint| &joint.name);
    if count_joints(&mut file.num_joints, names, log) {
        sort_joints(file, clips, log);
    }
    for (index, mesh) in file.meshes.iter_mut().enumerate() {
        settle(&mut mesh.verts, (|it| it.number, |it, to| it.number = to), &mut mesh.num_verts, "vert", index, log);
        if settle(
            &mut mesh.weights,
            (|it| it.number, |it, to| it.number = to),
            &mut mesh.num_weights,
            "weight",
            index,
            log,
        ) {
            repair_weights(mesh, index, budget, log);
        }
        if settle(&mut mesh.tris, (|it| it.number, |it, to| it.number = to), &mut mesh.num_tris, "tri", index, log) {
            remove_degenerate(mesh, index, log);
        }
    }
    let meshes = file.meshes.len();
    // Another code reports missing meshes, but only surplus meshes can be counted.
    let rule = if file.num_meshes.value > meshes as i64 { shared::BLOCK_COUNT } else { shared::SURPLUS_BLOCK };
    count_up(&mut file.num_meshes, "numMeshes", meshes, rule, log);
}

fn sort_joints(file: &mut MeshFile, clips: &[AnimFile], log: &mut Log) {
    let Some(order) = parents_first(&file.joints.iter().map(|joint| joint.parent.value).collect::<Vec<_>>()) else {
        return;
    };
    if clips.iter().any(|clip| has_other_parents(file, clip)) {
        log.left(shared::LATE_PARENT, OTHER_PARENT);
        return;
    }
    let places = new_places(&order);
    file.joints = order.iter().filter_map(|&old| file.joints.get(old).cloned()).collect();
    for joint in &mut file.joints {
        joint.parent.value = moved(joint.parent.value, &places);
    }
    for weight in file.meshes.iter_mut().flat_map(|mesh| &mut mesh.weights) {
        weight.joint = places.get(weight.joint as usize).map_or(weight.joint, |&place| place as u32);
    }
    log.done(shared::LATE_PARENT, "joints stand behind their parents now; sort the clips in the same way");
}

/// Makes weights sum to 1 and removes unused ones. Ranges that vertices share are copied if they change.
fn repair_weights(mesh: &mut Mesh, index: usize, budget: &Budget, log: &mut Log) {
    // Vertices may share weights. Each gets a copy.
    if budget.check(product([influence_count(mesh) as usize, size_of::<Weight>()]), String::new).is_err() {
        return;
    }
    let sum = |weights: &[Weight]| weights.iter().map(|weight| weight.bias).sum::<f64>();
    let is_off = |weights: &[Weight]| (sum(weights) - 1.0).abs() > SUM_TOLERANCE && sum(weights) > SMALLEST_SUM;
    let used = used_weights(mesh);
    let is_unused = |at: Option<usize>| at.and_then(|at| used.get(at)) == Some(&false);
    // A range next to unused weights may be too short, and one with a sum above 2 too long: the sum may not be the fault.
    let is_doubtful = |vertex: usize, vert: &Vert| {
        let (first, own) = (vert.first_weight as usize, weights_of(mesh, vertex));
        let is_short = is_unused(first.checked_sub(1)) || is_unused(Some(first + vert.weight_count as usize));
        is_short || own.len() > 1 && sum(own) > 2.0
    };
    let off: Vec<usize> = (0..mesh.verts.len()).filter(|&vertex| is_off(weights_of(mesh, vertex))).collect();
    let unused = used.iter().filter(|&&used| !used).count();
    if (0..mesh.verts.len()).any(|vertex| sum(weights_of(mesh, vertex)).is_nan()) {
        log.left(rules::WEIGHT_SUM, "not all of its weights are known");
    }
    if off.iter().any(|&vertex| mesh.verts.get(vertex).is_some_and(|vert| is_doubtful(vertex, vert))) {
        let why =
            "a sum is not 1, but above 2 or beside weights that no vertex uses: a range may be too long or too short";
        log.left(rules::WEIGHT_SUM, why);
        log.left(rules::UNUSED_WEIGHT, why);
        return;
    }
    // The unused weights may belong to a vertex whose range is wrong.
    let has_bare = mesh.verts.iter().any(|vert| vert.weight_count == 0);
    if unused > 0 && has_bare {
        log.left(rules::UNUSED_WEIGHT, "a vertex has no weights, and these may be meant for it");
        return;
    }
    if off.is_empty() && unused == 0 {
        return;
    }
    let mut weights: Vec<Weight> = Vec::with_capacity(mesh.weights.len());
    let mut verts = mesh.verts.clone();
    for (vertex, vert) in verts.iter_mut().enumerate() {
        let mut own = weights_of(mesh, vertex).to_vec();
        if is_off(&own) {
            let sum = sum(&own);
            own.iter_mut().for_each(|weight| weight.bias /= sum);
        }
        vert.first_weight = weights.len() as u32;
        weights.extend(own);
    }
    mesh.verts = verts;
    mesh.weights = weights;
    mesh.num_weights.value = mesh.weights.len() as i64;
    // All weights are renumbered.
    for (number, weight) in mesh.weights.iter_mut().enumerate() {
        weight.number = number as i64;
        weight.span = Span::default();
    }
    if !off.is_empty() {
        let vertices = counted(off.len(), "vertex", "vertices");
        log.done(rules::WEIGHT_SUM, format!("the weights of {vertices} of mesh {index} sum to 1 now"));
    }
    if unused > 0 {
        let (weights, are) = (counted(unused, "weight", "weights"), if unused == 1 { "is" } else { "are" });
        log.done(rules::UNUSED_WEIGHT, format!("{weights} of mesh {index} that no vertex used {are} gone"));
    }
}

fn remove_degenerate(mesh: &mut Mesh, index: usize, log: &mut Log) {
    let before = mesh.tris.len();
    mesh.tris.retain(|tri| {
        let [a, b, c] = tri.corners;
        a != b && b != c && a != c
    });
    let removed = before - mesh.tris.len();
    if removed > 0 {
        for (number, tri) in mesh.tris.iter_mut().enumerate() {
            tri.number = number as i64;
        }
        mesh.num_tris.value = mesh.tris.len() as i64;
        let (triangles, are) = (counted(removed, "triangle", "triangles"), if removed == 1 { "is" } else { "are" });
        log.done(
            rules::DEGENERATE_TRIANGLE,
            format!("{triangles} of mesh {index} that used a vertex twice {are} gone"),
        );
    }
}

/// Functions that get and set the number of a record.
type Number<T> = (fn(&T) -> i64, fn(&mut T, i64));

/// Corrects numbers and count of one list, as far as one confirms the other. Returns true if the list is now certain.
///
/// If the records have all numbers from 0 on, they are sorted by number and the count is corrected. If their count
/// matches, their order counts, as in Doom 3. Otherwise a record seems to be missing or surplus, so indices of later
/// records are uncertain.
fn settle<T>(
    records: &mut [T],
    (number, set_number): Number<T>,
    count: &mut Int,
    keyword: &str,
    index: usize,
    log: &mut Log,
) -> bool {
    let found = records.len();
    let is_counted = |numbers: &[i64]| numbers.iter().zip(0i64..).all(|(&number, due)| number == due);
    let mut numbers: Vec<i64> = records.iter().map(number).collect();
    let is_in_order = is_counted(&numbers);
    numbers.sort_unstable();
    if is_counted(&numbers) {
        if !is_in_order {
            records.sort_by_key(number);
            let done = format!("the {keyword}s of mesh {index} are in the order of their numbers now");
            log.done(rules::RECORD_NUMBER, done);
        }
        if count.value != found as i64 {
            let said = count.value;
            log.done(
                rules::RECORD_COUNT,
                format!("num{keyword}s of mesh {index} is {found} now, as the records are numbered; it said {said}"),
            );
            count.value = found as i64;
        }
        return true;
    }
    // Numbers that are off by one from some record on show one that is lost or repeated before it.
    let shifts: Vec<i64> = records.iter().zip(0i64..).map(|(record, due)| number(record) - due).collect();
    let parts: Vec<&[i64]> = shifts.chunk_by(|a, b| a == b).collect();
    let has_gap = matches!(parts[..], [[0, ..], [-1 | 1, _, ..]]);
    if count.value == found as i64 && !has_gap {
        for (record, due) in records.iter_mut().zip(0..) {
            set_number(record, due);
        }
        let done = format!("the {keyword}s of mesh {index} are numbered by their order now, as Doom 3 reads them");
        log.done(rules::RECORD_NUMBER, done);
        return true;
    }
    let why = format!(
        "num{keyword}s of mesh {index} says {}, {found} follow, and their numbers have a gap or repeat: one seems to be \
         lost or too much",
        count.value
    );
    log.left(rules::RECORD_NUMBER, why.clone());
    log.left(rules::RECORD_COUNT, why);
    false
}
