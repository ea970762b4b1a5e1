//! Conversion of primitives to meshes.

use super::context::Context;
use super::error::{Error, Warn, oddity, unread};
use super::material::default_material;
use super::nodes::{Joints, Shown, ShownMesh, has_triangles, mesh_name};
use crate::budget::{grouped, product};
use crate::import::indices::distinct;
use crate::import::shading;
use crate::left_out::Part;
use crate::model::{BindJoint, Influence, JointId, MaterialId, Mesh, Model, cofactors};
use bindpose_parsers::counted;
use glam::{DAffine3, DMat3, DMat4, DVec2, DVec3, Vec2, Vec3, Vec4};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// Largest deviation from the identity at which a bind pose counts as the identity. For the translation, a fraction of
/// the mesh's extent.
const IDENTITY_TOLERANCE: f64 = 1e-4;
/// Bytes per vertex of a [`Mesh`] without its influences.
const VERTEX_BYTES: usize = 3 * size_of::<u32>() + 16 * size_of::<f32>();
/// Bytes of a [`Mesh`] itself, with its name and the overhead of its lists.
const MESH_BYTES: usize = 1024;

/// Largest deviation of a sum of weights from 1 that is left to the rounding of the file's numbers.
const SUM_TOLERANCE: f64 = 1e-5;

/// Number in place of one that nothing has.
const NONE: u32 = u32::MAX;

/// Adds all meshes of the scene.
pub(super) fn import(
    context: &Context<'_>,
    shown: &Shown,
    joints: &Joints,
    model: &mut Model,
    warn: &mut Warn<'_>,
) -> Result<(), Error> {
    let mut default = None;
    // Bind joints by skin, and primitives by mesh.
    let mut bound: HashMap<usize, Bound> = HashMap::new();
    let mut primitives: HashMap<usize, Vec<(usize, &Primitive)>> = HashMap::new();
    let mut divided: BTreeMap<usize, Divided> = BTreeMap::new();
    for (source_mesh, shown) in shown.meshes.iter().enumerate() {
        let Some(file) = context.root.meshes.get(shown.mesh) else { continue };
        let mut held;
        let Bound { slots, places: slot_places } = match shown.skin.map(|skin| bound.entry(skin)) {
            Some(Entry::Occupied(known)) => known.into_mut(),
            Some(Entry::Vacant(new)) => new.insert(Bound::new(slots(context, shown, joints)?)),
            None => {
                held = Bound::new(slots(context, shown, joints)?);
                &mut held
            }
        };
        let name = mesh_name(shown.mesh, file);
        let shown_primitives =
            primitives.entry(shown.mesh).or_insert_with(|| of_triangles(shown.mesh, file, &name, warn));
        for &(number, primitive) in &*shown_primitives {
            let reader = Reader {
                context,
                primitive,
                pointer: format!("/meshes/{}/primitives/{number}", shown.mesh),
                is_skinned: shown.skin.is_some(),
                slots,
            };
            let places = reader.places()?;
            let triangles = reader.triangles(places.len())?;
            let material = match primitive.material {
                Some(material) => MaterialId(material.value() as u32),
                None => *default.get_or_insert_with(|| default_material(model)),
            };
            let mesh = Mesh { name: name.clone(), material, source_mesh, ..Mesh::default() };
            let divided = divided.entry(shown.mesh).or_default();
            let mesh = reader.mesh(mesh, &places, triangles, slot_places, joints, divided)?;
            model.meshes.push(mesh);
        }
    }
    for (number, Divided { vertices, least, most, farthest }) in divided {
        if let (1.., Some(mesh)) = (vertices, context.root.meshes.get(number)) {
            let name = mesh.name.as_ref().map_or(number.to_string(), |name| format!("'{name}'"));
            let sums = match vertices {
                1 => format!("the sum {least:.3} and are divided by it"),
                _ => format!("sums from {least:.3} to {most:.3} and are divided by them"),
            };
            let message = format!(
                "the weights of {} of mesh {name} have {sums}, which moves a vertex by up to {farthest:.6} units",
                counted(vertices, "vertex", "vertices")
            );
            warn(&format!("/meshes/{number}"), oddity("GLI007", message));
        }
    }
    Ok(())
}

/// Returns the primitives of a mesh that are triangles, with their numbers.
fn of_triangles<'a>(
    number: usize,
    mesh: &'a gltf_json::Mesh,
    name: &str,
    warn: &mut Warn<'_>,
) -> Vec<(usize, &'a Primitive)> {
    let pointer = |place: usize, part: &str| format!("/meshes/{number}/primitives/{place}/{part}");
    let has_targets = |primitive: &Primitive| primitive.targets.as_ref().is_some_and(|targets| !targets.is_empty());
    if let Some(place) = mesh.primitives.iter().position(has_targets) {
        warn(&pointer(place, "targets"), unread(Part::Morph, name, "morph targets are not read"));
    }
    let (read, others): (Vec<_>, Vec<_>) =
        mesh.primitives.iter().enumerate().partition(|(_, primitive)| has_triangles(primitive));
    if let Some(&(place, _)) = others.first() {
        let all = counted(mesh.primitives.len(), "primitive is", "primitives are");
        let message = format!("{} of {all} points or lines, which are not read", others.len());
        warn(&pointer(place, "mode"), unread(Part::Mesh, name, message));
    }
    read
}

/// Vertices of a mesh whose weights were divided by their sum.
struct Divided {
    vertices: usize,
    /// Smallest and largest sum.
    least: f64,
    most: f64,
    /// Largest distance that a vertex moves in the rest pose, in model units.
    farthest: f64,
}

impl Default for Divided {
    fn default() -> Self {
        Self { vertices: 0, least: f64::INFINITY, most: 0.0, farthest: 0.0 }
    }
}

/// A joint that a mesh is bound to, and the transform from the mesh's space in glTF's axes to the joint's space in the
/// model's axes.
struct Slot {
    joint: JointId,
    joint_from_mesh: DAffine3,
}

/// Bind joints of the meshes of one skin, or of one node.
struct Bound {
    slots: Vec<Slot>,
    /// Position of each slot in the mesh imported last.
    places: Vec<u32>,
}

impl Bound {
    fn new(slots: Vec<Slot>) -> Self {
        Self { places: vec![u32::MAX; slots.len()], slots }
    }
}

fn slots(context: &Context<'_>, shown: &ShownMesh, joints: &Joints) -> Result<Vec<Slot>, Error> {
    let turn = DAffine3::from_mat3(context.turn);
    let Some(number) = shown.skin else {
        let holder = joints.holder(shown.node);
        let slot = holder.map(|(joint, map)| Slot { joint, joint_from_mesh: turn * map });
        return Ok(slot.into_iter().collect());
    };
    let Some(skin) = context.root.skins.get(number) else { return Ok(Vec::new()) };
    let matrices: Vec<[f64; 16]> = match skin.inverse_bind_matrices {
        Some(accessor) => context.accessors.read(accessor.value())?,
        None => vec![DMat4::IDENTITY.to_cols_array(); skin.joints.len()],
    };
    if matrices.len() < skin.joints.len() {
        let message = format!("{} inverse bind matrices for {} joints", matrices.len(), skin.joints.len());
        return Err(Error::new(format!("/skins/{number}/inverseBindMatrices"), message));
    }
    let origin = joints.origin();
    let slot = |(joint, matrix): (Option<JointId>, [f64; 16])| {
        let map = DAffine3::from_mat4(DMat4::from_cols_array(&matrix));
        Some(Slot { joint: joint.or(origin)?, joint_from_mesh: turn * map })
    };
    let ids = skin.joints.iter().map(|joint| joints.id(joint.value()));
    Ok(ids.zip(matrices).filter_map(slot).collect())
}

/// One primitive.
struct Reader<'a> {
    context: &'a Context<'a>,
    primitive: &'a Primitive,
    pointer: String,
    is_skinned: bool,
    slots: &'a [Slot],
}

impl Reader<'_> {
    fn attribute(&self, semantic: Semantic) -> Option<usize> {
        Some(self.primitive.attributes.get(&Checked::Valid(semantic))?.value())
    }

    /// Reads an attribute of `count` vertices, and converts each value.
    fn read<const N: usize, T>(
        &self,
        semantic: Semantic,
        count: usize,
        convert: impl Fn([f64; N]) -> T,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some(accessor) = self.attribute(semantic.clone()) else { return Ok(None) };
        let values = self.context.accessors.read_as(accessor, convert)?;
        if values.len() == count {
            return Ok(Some(values));
        }
        let message = format!("{} of {} for {count} vertices", values.len(), name_of(&semantic));
        Err(Error::new(format!("{}/attributes/{}", self.pointer, name_of(&semantic)), message))
    }

    /// Returns the positions of all vertices, in mesh space.
    fn places(&self) -> Result<Vec<[f64; 3]>, Error> {
        self.attribute(Semantic::Positions).map_or(Ok(Vec::new()), |accessor| self.context.accessors.read(accessor))
    }

    /// Converts lists, strips and fans to triangles.
    fn triangles(&self, vertices: usize) -> Result<Vec<[u32; 3]>, Error> {
        let corners: Vec<u32> = match self.primitive.indices {
            Some(accessor) => {
                let accessors = &self.context.accessors;
                let corner = |[index]: [f64; 1]| match index >= 0.0 && index < vertices as f64 {
                    true => index as u32,
                    false => NONE,
                };
                let corners = accessors.read_as(accessor.value(), corner)?;
                if let Some(place) = corners.iter().position(|&corner| corner == NONE) {
                    let [index] = accessors.read(accessor.value())?[place];
                    let message = format!("index {place} is {index}, there are {vertices} vertices");
                    return Err(Error::new(format!("{}/indices", self.pointer), message));
                }
                corners
            }
            None => (0..vertices as u32).collect(),
        };
        let what = || format!("{} triangles", grouped(corners.len()));
        let spent = self.context.budget.spend(product([corners.len(), size_of::<[u32; 3]>()]), what);
        spent.map_err(|error| Error::memory(&self.pointer, &error))?;
        Ok(match self.primitive.mode {
            Checked::Valid(Mode::TriangleStrip) => {
                let turned = |(number, corners): (usize, &[u32])| match number % 2 {
                    0 => [corners[0], corners[1], corners[2]],
                    _ => [corners[1], corners[0], corners[2]],
                };
                corners.windows(3).enumerate().map(turned).collect()
            }
            Checked::Valid(Mode::TriangleFan) => {
                corners.get(1..).unwrap_or_default().windows(2).map(|pair| [corners[0], pair[0], pair[1]]).collect()
            }
            _ => corners.as_chunks().0.to_vec(),
        })
    }

    /// Converts the primitive to a mesh whose name and material are already set. `slot_places` is a table of all slots
    /// for [`distinct`].
    fn mesh(
        &self,
        mut mesh: Mesh,
        places: &[[f64; 3]],
        mut triangles: Vec<[u32; 3]>,
        slot_places: &mut [u32],
        joints: &Joints,
        divided: &mut Divided,
    ) -> Result<Mesh, Error> {
        let count = places.len();
        let what = || format!("a mesh of {} vertices", grouped(count));
        let spent = self.context.budget.spend(product([count, VERTEX_BYTES]) + MESH_BYTES as u128, what);
        spent.map_err(|error| Error::memory(&self.pointer, &error))?;
        (mesh.influences, mesh.influence_starts) = self.influences(count)?;
        self.divide(places, joints, &mut mesh, divided);
        let used = distinct(Vec::new(), mesh.influences.iter().map(|influence| influence.slot), slot_places);
        let used = (&used[..], &*slot_places);
        let model_from_mesh = self.bind_space(places, &mesh.influences, used, joints);
        mesh.positions =
            places.iter().map(|&place| model_from_mesh.transform_point3(DVec3::from_array(place)).as_vec3()).collect();
        if model_from_mesh.matrix3.determinant() < 0.0 {
            triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        let turn = cofactors(&model_from_mesh.matrix3) * model_from_mesh.matrix3.determinant().signum();
        let turned =
            |normal: [f64; 3]| (turn * DVec3::from_array(normal)).try_normalize().unwrap_or(DVec3::Z).as_vec3();
        mesh.normals = match self.read(Semantic::Normals, count, turned)? {
            Some(normals) => normals,
            None => shading::normals(&mesh.positions, &triangles),
        };
        mesh.uvs = self.uvs(count)?;
        mesh.colors = self.colors(count)?;
        if !self.context.without_tangents {
            mesh.tangents = shading::tangents(&mesh.positions, &mesh.normals, &mesh.uvs, &triangles);
        }
        mesh.source_vertices = (0..count as u32).collect();
        mesh.triangles = triangles;
        self.bind(places, used, &model_from_mesh, &mut mesh);
        Ok(mesh)
    }

    /// Returns the influences, whose slots are those of the skin and whose offsets are missing, and the start of each
    /// vertex' influences.
    fn influences(&self, count: usize) -> Result<(Vec<Influence>, Vec<u32>), Error> {
        let influence = |slot, weight| Influence { slot, weight, offset: Vec3::ZERO };
        if !self.is_skinned || !self.slots.is_empty() && self.attribute(Semantic::Joints(0)).is_none() {
            let each = self.slots.len().min(1);
            let starts = (0..=count).map(|vertex| (vertex * each) as u32).collect();
            return Ok((vec![influence(0, 1.0); count * each], starts));
        }
        let slot = |slot: f64| if slot < self.slots.len() as f64 { slot as u32 } else { NONE };
        let slots = |slots: [f64; 4]| slots.map(slot);
        let weights = |weights: [f64; 4]| weights.map(|weight| weight as f32);
        let mut sets = Vec::new();
        while let Some(slots) = self.read(Semantic::Joints(sets.len() as u32), count, slots)? {
            let set = sets.len();
            let Some(weights) = self.read(Semantic::Weights(set as u32), count, weights)? else {
                let message = format!("JOINTS_{set} without WEIGHTS_{set}");
                return Err(Error::new(format!("{}/attributes", self.pointer), message));
            };
            let what = || format!("{} vertices with set {set} of weights", grouped(count));
            let spent = self.context.budget.spend(product([count, 4, size_of::<Influence>()]), what);
            spent.map_err(|error| Error::memory(&self.pointer, &error))?;
            sets.push((slots, weights));
        }
        let pulls =
            |set: &(Vec<[u32; 4]>, Vec<[f32; 4]>)| set.1.as_flattened().iter().filter(|&&pull| pull != 0.0).count();
        let mut influences = Vec::with_capacity(sets.iter().map(pulls).sum());
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        for vertex in 0..count {
            for (set, (slots, weights)) in sets.iter().enumerate() {
                for (place, (&slot, &weight)) in slots[vertex].iter().zip(&weights[vertex]).enumerate() {
                    if weight == 0.0 {
                        continue;
                    }
                    if slot == NONE {
                        return Err(self.unknown_joint(set, count, vertex, place));
                    }
                    influences.push(influence(slot, weight));
                }
            }
            starts.push(influences.len() as u32);
        }
        Ok((influences, starts))
    }

    /// Divides the weights of each vertex by their sum, as glTF's readers do.
    fn divide(&self, places: &[[f64; 3]], joints: &Joints, mesh: &mut Mesh, divided: &mut Divided) {
        for (place, bounds) in places.iter().zip(mesh.influence_starts.windows(2)) {
            let own = &mut mesh.influences[bounds[0] as usize..bounds[1] as usize];
            let sum: f64 = own.iter().map(|influence| f64::from(influence.weight)).sum();
            if own.is_empty() || !(sum.is_finite() && sum > 0.0) || (sum - 1.0).abs() <= SUM_TOLERANCE {
                continue;
            }
            let mut at_rest = DVec3::ZERO;
            for influence in own {
                let weight = f64::from(influence.weight) / sum;
                influence.weight = weight as f32;
                let Slot { joint, joint_from_mesh } = &self.slots[influence.slot as usize];
                let in_joint = joint_from_mesh.transform_point3(DVec3::from_array(*place));
                at_rest += joints.rest.0[joint.index()].transform_point3(in_joint) * weight;
            }
            divided.vertices += 1;
            (divided.least, divided.most) = (divided.least.min(sum), divided.most.max(sum));
            divided.farthest = divided.farthest.max((sum - 1.0).abs() * at_rest.length());
        }
    }

    /// Returns the error for a joint that the skin lacks, or the one of reading it again.
    #[cold]
    fn unknown_joint(&self, set: usize, count: usize, vertex: usize, place: usize) -> Error {
        let slots = self.read(Semantic::Joints(set as u32), count, |slots: [f64; 4]| slots[place]);
        let slot = match slots {
            Ok(slots) => slots.map_or(f64::NAN, |slots| slots[vertex]),
            Err(error) => return error,
        };
        let message = format!("vertex {vertex} is bound to joint {slot} of a skin of {}", self.slots.len());
        Error::new(format!("{}/attributes/JOINTS_{set}", self.pointer), message)
    }

    /// Returns the transform from mesh to model space, as seen in the rest pose by the joint with the largest total
    /// weight. `used` are the slots with weights, and `slot_places` gives their positions in it.
    fn bind_space(
        &self,
        places: &[[f64; 3]],
        influences: &[Influence],
        (used, slot_places): (&[u32], &[u32]),
        joints: &Joints,
    ) -> DAffine3 {
        let turn = self.context.turn;
        let mut pull = vec![0.0_f64; used.len()];
        for influence in influences {
            pull[slot_places[influence.slot as usize] as usize] += f64::from(influence.weight);
        }
        let heaviest = (0..pull.len()).max_by(|&a, &b| pull[a].total_cmp(&pull[b]).then(b.cmp(&a)));
        let heaviest = heaviest.map_or(0, |place| used[place] as usize);
        let upright = DAffine3::from_mat3(turn);
        let Some(slot) = self.slots.get(heaviest) else { return upright };
        let at_rest = joints.rest.0[slot.joint.index()] * slot.joint_from_mesh;
        let extent = places.iter().flatten().fold(0.0, |extent: f64, part| extent.max(part.abs()));
        let off = at_rest.matrix3 - turn;
        let off = [off.x_axis, off.y_axis, off.z_axis].map(|axis| axis.abs().max_element());
        let is_upright = off.iter().all(|&part| part < IDENTITY_TOLERANCE)
            && at_rest.translation.abs().max_element() <= IDENTITY_TOLERANCE * extent;
        // Inverse bind matrices need an invertible transform.
        if is_upright || !is_invertible(&at_rest.matrix3) || !at_rest.is_finite() { upright } else { at_rest }
    }

    /// Binds the vertices to the joints that they use.
    fn bind(
        &self,
        places: &[[f64; 3]],
        (used, slot_places): (&[u32], &[u32]),
        model_from_mesh: &DAffine3,
        mesh: &mut Mesh,
    ) {
        let mesh_from_model = model_from_mesh.inverse();
        let bound = used.iter().map(|&slot| &self.slots[slot as usize]);
        let bound = bound.map(|slot| (slot.joint, slot.joint_from_mesh * mesh_from_model));
        mesh.bind = bound.map(|(joint, inverse_bind)| BindJoint { joint, inverse_bind }).collect();
        for (position, bounds) in places.iter().zip(mesh.influence_starts.windows(2)) {
            for influence in &mut mesh.influences[bounds[0] as usize..bounds[1] as usize] {
                let joint_from_mesh = &self.slots[influence.slot as usize].joint_from_mesh;
                influence.offset = joint_from_mesh.transform_point3(DVec3::from_array(*position)).as_vec3();
                influence.slot = slot_places[influence.slot as usize];
            }
        }
    }

    /// Returns the texture coordinates of the base colour, transformed by KHR_texture_transform.
    fn uvs(&self, count: usize) -> Result<Vec<Vec2>, Error> {
        let material = self.primitive.material.and_then(|material| self.context.root.materials.get(material.value()));
        let texture = material.and_then(|material| material.pbr_metallic_roughness.base_color_texture.as_ref());
        let moved = texture.and_then(|texture| texture.extensions.as_ref()?.texture_transform.as_ref());
        let set = texture.map_or(0, |texture| texture.tex_coord);
        let set = moved.and_then(|moved| moved.tex_coord).unwrap_or(set);
        let place = |uv: [f64; 2]| {
            let Some(moved) = moved else { return DVec2::from_array(uv).as_vec2() };
            let pair = |pair: [f32; 2]| DVec2::new(pair[0].into(), pair[1].into());
            let uv = DVec2::from_array(uv) * pair(moved.scale.0);
            // Counter-clockwise rotation, with v down.
            let (sine, cosine) = f64::from(moved.rotation.0).sin_cos();
            let turned = DVec2::new(cosine * uv.x + sine * uv.y, cosine * uv.y - sine * uv.x);
            (turned + pair(moved.offset.0)).as_vec2()
        };
        let uvs = self.read(Semantic::TexCoords(set), count, place)?;
        Ok(uvs.unwrap_or_else(|| vec![Vec2::ZERO; count]))
    }

    fn colors(&self, count: usize) -> Result<Vec<Vec4>, Error> {
        let Some(accessor) = self.attribute(Semantic::Colors(0)) else { return Ok(Vec::new()) };
        let kind = self.context.root.accessors.get(accessor).map(|accessor| accessor.type_);
        let colors = if kind == Some(Checked::Valid(gltf_json::accessor::Type::Vec3)) {
            self.read(Semantic::Colors(0), count, |color: [f64; 3]| DVec3::from_array(color).as_vec3().extend(1.0))?
        } else {
            self.read(Semantic::Colors(0), count, |color: [f64; 4]| Vec4::from_array(color.map(|part| part as f32)))?
        };
        Ok(colors.unwrap_or_default())
    }
}

fn name_of(semantic: &Semantic) -> String {
    match semantic {
        Semantic::Positions => "POSITION".into(),
        Semantic::Normals => "NORMAL".into(),
        Semantic::TexCoords(set) => format!("TEXCOORD_{set}"),
        Semantic::Colors(set) => format!("COLOR_{set}"),
        Semantic::Joints(set) => format!("JOINTS_{set}"),
        Semantic::Weights(set) => format!("WEIGHTS_{set}"),
        other => format!("{other:?}"),
    }
}

/// True if a matrix can be inverted without losing all precision to rounding.
fn is_invertible(matrix: &DMat3) -> bool {
    let volume = matrix.x_axis.length() * matrix.y_axis.length() * matrix.z_axis.length();
    volume.is_finite() && volume > 1e-30 && matrix.determinant().abs() > 1e-9 * volume
}
