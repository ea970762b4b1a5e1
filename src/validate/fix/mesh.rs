//! `.md5mesh`.

use super::joints::{moved, new_places, parents_first};
use super::{Joints, count, header};
use crate::checks::geometry::{influence_count, used_weights, weights_of};
use bindpose_core::budget::{Budget, product};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{Mesh, MeshFile, Tri, Vert, Weight};

/// As in the checks: exporters print so many decimals.
const SUM_TOLERANCE: f64 = 1e-3;
/// Below this the weights of a vertex have no direction to be stretched in.
const SMALLEST_SUM: f64 = 1e-6;

/// Repairs a mesh and says what was done.
pub fn repair(file: &mut MeshFile, budget: &Budget, done: &mut Vec<String>) {
    header(&mut file.version, &mut file.command_line, done);
    sort_joints(file, done);
    for (index, mesh) in file.meshes.iter_mut().enumerate() {
        number_records(mesh, index, done);
        repair_weights(mesh, index, budget, done);
        remove_degenerate(mesh, index, done);
        count(&mut mesh.num_verts, mesh.verts.len());
        count(&mut mesh.num_tris, mesh.tris.len());
        count(&mut mesh.num_weights, mesh.weights.len());
    }
    count(&mut file.num_joints, file.joints.len());
    count(&mut file.num_meshes, file.meshes.len());
}

fn sort_joints(file: &mut MeshFile, done: &mut Vec<String>) {
    let Some(order) = parents_first(&file.parents()) else { return };
    let places = new_places(&order);
    file.joints = order.iter().filter_map(|&old| file.joints.get(old).cloned()).collect();
    for joint in &mut file.joints {
        joint.parent.value = moved(joint.parent.value, &places);
    }
    for weight in file.meshes.iter_mut().flat_map(|mesh| &mut mesh.weights) {
        weight.joint = places.get(weight.joint as usize).map_or(weight.joint, |&place| place as u32);
    }
    done.push("joints stand behind their parents now; sort the clips, too".to_owned());
}

/// Sums of 1, and no weights that belong to no vertex; ranges that vertices share are copied where they change.
fn repair_weights(mesh: &mut Mesh, index: usize, budget: &Budget, done: &mut Vec<String>) {
    // Vertices may share weights; each gets its own.
    if budget.check(product([influence_count(mesh) as usize, size_of::<Weight>()]), String::new).is_err() {
        return;
    }
    let sum = |weights: &[Weight]| weights.iter().map(|weight| weight.bias).sum::<f64>();
    let is_off = |weights: &[Weight]| (sum(weights) - 1.0).abs() > SUM_TOLERANCE && sum(weights) > SMALLEST_SUM;
    let off = (0..mesh.verts.len()).filter(|&vertex| is_off(weights_of(mesh, vertex))).count();
    let used = used_weights(mesh);
    let unused = used.iter().filter(|&&used| !used).count();
    if off == 0 && unused == 0 {
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
    // All of them are new, so that their numbers mean nothing any more.
    for (number, weight) in mesh.weights.iter_mut().enumerate() {
        weight.number = number as i64;
        weight.span = Span::default();
    }
    if off > 0 {
        done.push(format!("the weights of {off} vertices of mesh {index} sum to 1 now"));
    }
    if unused > 0 {
        done.push(format!("{unused} weights of mesh {index} that no vertex used are gone"));
    }
}

fn remove_degenerate(mesh: &mut Mesh, index: usize, done: &mut Vec<String>) {
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
        done.push(format!("{removed} triangles of mesh {index} that used a vertex twice are gone"));
    }
}

/// A record that carries its own number.
trait Numbered {
    fn number(&self) -> i64;
    fn set_number(&mut self, number: i64);
}

impl Numbered for Vert {
    fn number(&self) -> i64 {
        self.number
    }

    fn set_number(&mut self, number: i64) {
        self.number = number;
    }
}

impl Numbered for Tri {
    fn number(&self) -> i64 {
        self.number
    }

    fn set_number(&mut self, number: i64) {
        self.number = number;
    }
}

impl Numbered for Weight {
    fn number(&self) -> i64 {
        self.number
    }

    fn set_number(&mut self, number: i64) {
        self.number = number;
    }
}

/// Records by their numbers where each number is there once: so they were meant. Else by order, as Doom 3 reads them.
fn number_records(mesh: &mut Mesh, index: usize, done: &mut Vec<String>) {
    let sorts = [
        (number_by_order(&mut mesh.verts), "verts"),
        (number_by_order(&mut mesh.tris), "tris"),
        (number_by_order(&mut mesh.weights), "weights"),
    ];
    for (sort, what) in sorts {
        match sort {
            Order::Right => {}
            Order::Sorted => done.push(format!("the {what} of mesh {index} stand in the order of their numbers now")),
            Order::Renumbered => {
                done.push(format!("the {what} of mesh {index} are numbered by their order now, as Doom 3 reads them"));
            }
        }
    }
}

enum Order {
    Right,
    Sorted,
    Renumbered,
}

fn number_by_order<T: Numbered>(records: &mut [T]) -> Order {
    let mut numbers: Vec<i64> = records.iter().map(Numbered::number).collect();
    if numbers.iter().zip(0i64..).all(|(&number, due)| number == due) {
        return Order::Right;
    }
    numbers.sort_unstable();
    if numbers.iter().zip(0i64..).all(|(&number, due)| number == due) {
        records.sort_by_key(Numbered::number);
        return Order::Sorted;
    }
    for (record, due) in records.iter_mut().zip(0..) {
        record.set_number(due);
    }
    Order::Renumbered
}
