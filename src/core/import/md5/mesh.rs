//! Conversion of `.md5mesh` to a skeleton and meshes.

use super::rows::rotation;
use crate::budget::{Budget, grouped, product};
use crate::import::error::{ImportError, ImportFault, Warning};
use crate::import::indices::distinct;
use crate::import::shading;
use crate::model::{BindJoint, Influence, JointId, Material, MaterialId, Mesh, Model, Skeleton};
use crate::pose::model_to_local;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{self, MeshFile};
use glam::{DAffine3, DVec3, Vec2, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;

/// Largest distance without a warning between the positions that two influences give to one vertex, as a fraction of
/// the model's extent.
///
/// Rounding to six decimals, rotated and summed, stays below half of this (Bob.md5mesh: 4.1e-6).
const INFLUENCE_AGREEMENT: f64 = 1e-5;

/// Number of weights from which meshes are imported on several threads.
const WEIGHTS_WORTH_A_THREAD: usize = 1 << 14;

/// A mesh file as a model without clips.
#[derive(Debug)]
pub struct ImportedMesh {
    /// Skeleton, meshes and materials.
    pub model: Model,
    /// Joint of the skeleton for each joint of the file, in file order.
    pub joints: Vec<JointId>,
    /// Repairs and oddities.
    pub warnings: Vec<Warning>,
}

/// Imports a mesh file.
///
/// Joints keep the file's order if parents come before their children. Otherwise they are sorted with as few moves as
/// possible, and a joint that is its own ancestor becomes a root. Both are reported. For `without_tangents` see
/// [`ImportOptions`](crate::import::ImportOptions).
///
/// # Errors
///
/// [`ImportError`]: vertices that share weights have more of them in total than `budget` or 32 bits allow.
pub fn import_mesh(file: &MeshFile<'_>, without_tangents: bool, budget: &Budget) -> Result<ImportedMesh, ImportError> {
    let mut warnings = Vec::new();
    let model_from_joint: Vec<DAffine3> = file.joints.iter().map(|joint| joint_pose(joint, &mut warnings)).collect();
    let parents: Vec<Option<usize>> =
        file.joints.iter().map(|joint| usize::try_from(joint.parent.value).ok()).collect();
    let mut skeleton = Skeleton::new();
    let mut joints: Vec<Option<JointId>> = vec![None; file.joints.len()];
    for index in parents_first(&parents) {
        let joint = &file.joints[index];
        // A parent that is not placed yet closes a cycle. One outside the file does not exist.
        let parent = parents[index].filter(|&parent| joints.get(parent).is_some_and(Option::is_some));
        if parents[index].is_some() && parent.is_none() {
            let message = format!(
                "parent {} of joint '{}' is out of range or forms a cycle; treated as a root",
                joint.parent.value,
                joint.name.to_name()
            );
            warnings.push(Warning::new("MD5I002", message, joint.parent.span));
        } else if parents[index].is_some_and(|parent| parent > index) {
            let message = format!("joint '{}' stands before its parent; joints are put in order", joint.name.to_name());
            warnings.push(Warning::new("MD5I003", message, joint.parent.span));
        }
        let parent_model = parent.map(|parent| model_from_joint[parent]);
        let rest_local = model_to_local(parent_model, model_from_joint[index]);
        let parent = parent.and_then(|parent| joints[parent]);
        joints[index] = Some(skeleton.push(joint.name.to_name(), parent, rest_local));
    }
    let joints: Vec<JointId> = joints.into_iter().flatten().collect();

    let mut model = Model { skeleton, ..Model::default() };
    let mut material_of_shader: HashMap<String, MaterialId> = HashMap::new();
    let material = |mesh: &md5::Mesh<'_>| {
        *material_of_shader.entry(mesh.shader.to_name()).or_insert_with_key(|shader| {
            let texture = Some(shader.clone()).filter(|name| !name.is_empty());
            model.push_material(Material { texture, ..Material::neutral(shader) })
        })
    };
    let materials: Vec<MaterialId> = file.meshes.iter().map(material).collect();
    // Position of each joint in the mesh imported last.
    let places = || vec![u32::MAX; joints.len()];
    let importer = Importer { joints: &joints, model_from_joint: &model_from_joint, without_tangents, budget };
    let import = |places: &mut Vec<u32>, (number, mesh): (usize, &md5::Mesh<'_>)| {
        importer.mesh(mesh, number, materials[number], places)
    };
    let weights: usize = file.meshes.iter().map(|mesh| mesh.weights.len()).sum();
    let meshes: Vec<Result<Mesh, ImportError>> = if weights < WEIGHTS_WORTH_A_THREAD {
        let mut places = places();
        file.meshes.iter().enumerate().map(|mesh| import(&mut places, mesh)).collect()
    } else {
        file.meshes.par_iter().enumerate().map_init(places, import).collect()
    };
    model.meshes = meshes.into_iter().collect::<Result<_, _>>()?;
    for mesh in &file.meshes {
        let of_verts = out_of_order(mesh.verts.iter().map(|vert| (vert.number, vert.span)));
        let of_weights = out_of_order(mesh.weights.iter().map(|weight| (weight.number, weight.span)));
        for (what, span) in [("vertices", of_verts), ("weights", of_weights)] {
            let message = || format!("{what} are not in the order of their numbers; the order counts, as in Doom 3");
            warnings.extend(span.map(|span| Warning::new("MD5M211", message(), span)));
        }
    }
    report_residuals(file, &model, &mut warnings);
    Ok(ImportedMesh { model, joints, warnings })
}

/// Returns the first record whose number is not its place in the list.
fn out_of_order(records: impl Iterator<Item = (i64, Span)>) -> Option<Span> {
    (0..).zip(records).find(|&(place, (number, _))| number != place).map(|(_, (_, span))| span)
}

/// Returns the model-space transform of a joint in the bind pose.
fn joint_pose(joint: &md5::Joint<'_>, warnings: &mut Vec<Warning>) -> DAffine3 {
    let (rotation, excess) = rotation(joint.rotation);
    if excess > 1e-5 {
        let message = format!(
            "quaternion of joint '{}' is longer than 1 by x² + y² + z² = {:.6}; w is taken as 0",
            joint.name.to_name(),
            1.0 + excess
        );
        warnings.push(Warning::new("MD5I001", message, joint.span));
    }
    DAffine3::from_rotation_translation(rotation, DVec3::from_array(joint.position))
}

/// Orders joints so that parents come before their children as far as possible: file order, except that ancestors come
/// first.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    let mut chain = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start);
        // Climb to the first placed ancestor. A cycle ends the climb where it closes.
        while let Some(joint) = at.filter(|&joint| joint < parents.len() && !placed[joint]) {
            placed[joint] = true;
            chain.push(joint);
            at = parents[joint];
        }
        order.extend(chain.drain(..).rev());
    }
    order
}

/// Input shared by all meshes of a file.
struct Importer<'a> {
    /// Joint of the skeleton for each joint of the file.
    joints: &'a [JointId],
    /// Bind pose, by joints of the file.
    model_from_joint: &'a [DAffine3],
    without_tangents: bool,
    budget: &'a Budget,
}

impl Importer<'_> {
    /// Imports one mesh. `places` is a table of all joints for [`distinct`].
    fn mesh(
        &self,
        file: &md5::Mesh<'_>,
        number: usize,
        material: MaterialId,
        places: &mut [u32],
    ) -> Result<Mesh, ImportError> {
        let &Self { joints, model_from_joint, without_tangents, budget } = self;
        let named = file.name.as_ref().or(file.comment_name.as_ref());
        let mut mesh = Mesh {
            name: named.map_or_else(|| format!("mesh {number}"), md5::Text::to_name),
            material,
            source_mesh: number,
            influence_starts: vec![0],
            ..Mesh::default()
        };
        let mut triangles: Vec<[u32; 3]> = file.tris.iter().map(|tri| tri.corners).map(|[a, b, c]| [a, c, b]).collect();
        let uvs: Vec<Vec2> = file.verts.iter().map(|vert| Vec2::new(vert.uv[0] as f32, vert.uv[1] as f32)).collect();
        let copies = shading::split_mirrored(&uvs, &mut triangles);
        mesh.source_vertices = (0..file.verts.len() as u32).chain(copies).collect();
        let weights = spend(file, number, &mesh.source_vertices, budget)?;
        mesh.influences.reserve_exact(weights);
        mesh.influence_starts.reserve_exact(mesh.source_vertices.len());
        mesh.positions.reserve_exact(mesh.source_vertices.len());
        mesh.uvs.reserve_exact(mesh.source_vertices.len());

        let used = distinct(Vec::new(), file.weights.iter().map(|weight| weight.joint), places);
        let bound = used.into_iter().map(|joint| (joints[joint as usize], model_from_joint[joint as usize].inverse()));
        mesh.bind = bound.map(|(joint, inverse_bind)| BindJoint { joint, inverse_bind }).collect();
        for &vertex in &mesh.source_vertices {
            let vert = &file.verts[vertex as usize];
            let weights = &file.weights[vert.first_weight as usize..][..vert.weight_count as usize];
            mesh.uvs.push(uvs[vertex as usize]);
            mesh.positions.push(bind_position(weights, model_from_joint));
            mesh.influences.extend(weights.iter().map(|weight| Influence {
                slot: places[weight.joint as usize],
                weight: weight.bias as f32,
                offset: DVec3::from_array(weight.offset).as_vec3(),
            }));
            mesh.influence_starts.push(mesh.influences.len() as u32);
        }
        mesh.normals = shading::normals(&mesh.positions, &triangles);
        if !without_tangents {
            mesh.tangents = shading::tangents(&mesh.positions, &mesh.normals, &mesh.uvs, &triangles);
        }
        mesh.triangles = triangles;
        Ok(mesh)
    }
}

/// Charges the weights of all vertices, each of which may name all weights of the mesh, and returns their number.
fn spend(file: &md5::Mesh<'_>, number: usize, source_vertices: &[u32], budget: &Budget) -> Result<usize, ImportError> {
    let weight_count = |&vertex: &u32| u64::from(file.verts[vertex as usize].weight_count);
    let weights: u64 = source_vertices.iter().map(weight_count).sum();
    let what = || {
        let vertices = grouped(source_vertices.len());
        format!("{vertices} vertices of mesh {number} with {} weights in all", grouped(weights))
    };
    if u32::try_from(weights).is_err() {
        return Err(ImportError::new(ImportFault::Count { what: what() }, file.num_weights.span));
    }
    let bytes = product([weights as usize, size_of::<Influence>()]);
    budget.spend(bytes, what).map_err(|error| ImportError::new(error, file.num_weights.span))?;
    Ok(weights as usize)
}

/// Returns the position that one weight alone gives its vertex in model space; the plain offset if the joint does not
/// exist.
pub fn placed(weight: &md5::Weight, model_from_joint: &[DAffine3]) -> DVec3 {
    let offset = DVec3::from_array(weight.offset);
    model_from_joint.get(weight.joint as usize).map_or(offset, |map| map.transform_point3(offset))
}

/// Returns the model-space position of a vertex, summed over its weights by bias, as engines do; not divided by the sum
/// of the biases.
pub fn summed(weights: &[md5::Weight], model_from_joint: &[DAffine3]) -> DVec3 {
    weights.iter().map(|weight| placed(weight, model_from_joint) * weight.bias).sum()
}

/// Returns the mean bind position of a vertex over its weights, by bias; the plain sum if the biases sum to nearly 0.
fn bind_position(weights: &[md5::Weight], model_from_joint: &[DAffine3]) -> Vec3 {
    let sum = summed(weights, model_from_joint);
    let total: f64 = weights.iter().map(|weight| weight.bias).sum();
    (if total.abs() > 1e-6 { sum / total } else { sum }).as_vec3()
}

/// Reports meshes whose influences disagree about the bind pose by more than rounding of decimals explains.
fn report_residuals(file: &MeshFile<'_>, model: &Model, warnings: &mut Vec<Warning>) {
    let extent = model.meshes.iter().filter_map(Mesh::bounds).map(|(min, max)| (max - min).max_element());
    let extent = f64::from(extent.fold(0.0, f32::max));
    for (mesh, source) in model.meshes.iter().zip(&file.meshes) {
        if let Some((vertex, residual)) = mesh.bind_residual().filter(|&(_, far)| far > INFLUENCE_AGREEMENT * extent) {
            let vertex = mesh.source_vertices[vertex] as usize;
            let message = format!(
                "weights of vertex {vertex} place it up to {residual:.4} units from their mean in the bind pose \
                 ({:.3} % of the model); engines that skin one bind position show it elsewhere",
                100.0 * residual / extent
            );
            warnings.push(Warning::new("MD5I004", message, source.verts[vertex].span));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parents_first;

    #[test]
    fn order_stays_where_it_can_and_circles_end() {
        assert_eq!(parents_first(&[None, Some(0), Some(0), Some(2)]), [0, 1, 2, 3]);
        assert_eq!(parents_first(&[Some(2), None, Some(1)]), [1, 2, 0]);
        assert_eq!(parents_first(&[Some(0), Some(2), Some(1)]), [0, 2, 1]);
        assert_eq!(parents_first(&[Some(9)]), [0]);
    }
}
