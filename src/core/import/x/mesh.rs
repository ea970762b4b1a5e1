//! Meshes: corners to vertices, faces to triangles, one mesh per material (docs/formats/x.md "Meshes").

use super::frames::{Frames, head};
use super::material::default_material;
use super::space::{SWAP, file_affine};
use crate::budget::{Budget, grouped, product};
use crate::import::error::{ImportError, ImportFault, Warning};
use crate::import::indices::distinct;
use crate::import::shading;
use crate::left_out::Part;
use crate::model::{BindJoint, Influence, JointId, MaterialId, Mesh, Model, cofactors};
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Document, Frame, USAGE_COLOR, USAGE_NORMAL, USAGE_TEXCOORD};
use foldhash::HashMap;
use glam::{DAffine3, DMat3, DMat4, DVec3, Vec2, Vec3, Vec4};

/// A warning is given if more than one in this many triangles faces away from its normals.
const BACKWARD_SHARE: usize = 10;

/// Largest deviation of `world * offset` from the identity at rest that counts as rounding of decimals. For the
/// translation, a fraction of the mesh's extent.
const IDENTITY_TOLERANCE: f64 = 1e-4;

/// Bytes per vertex of a [`Mesh`] without its influences.
const VERTEX_BYTES: usize = 3 * size_of::<u32>() + 2 * size_of::<Vec3>() + 2 * size_of::<Vec4>() + size_of::<Vec2>();

/// Returns the number of a used mesh's triangles whose normals point to their back at rest, and of all its triangles.
/// Returns `None` if there are few of them: those are folds or slips.
pub fn inside_out(document: &Document, used: &x::MeshUse) -> Option<(usize, usize)> {
    let mesh = document.meshes.get(used.mesh)?;
    let normals = mesh.normals.as_ref()?;
    let side = side_at_rest(document, used);
    let (mut backward, mut triangles) = (0, 0);
    for (face, corners) in mesh.faces.iter().enumerate() {
        for third in 2..corners.len() {
            let fan = [0, third - 1, third];
            let [p, q, r] = fan.map(|corner| place_of(mesh, corners[corner]));
            let normal = |corner: usize| normals.normals.get(*normals.faces.get(face).get(corner)? as usize);
            let normal: DVec3 = fan.into_iter().filter_map(normal).map(DVec3::from_array).sum();
            let front = (q - p).cross(r - p);
            triangles += usize::from(front != DVec3::ZERO);
            backward += usize::from(side * front.dot(normal) < 0.0);
        }
    }
    (BACKWARD_SHARE * backward > triangles).then_some((backward, triangles))
}

/// True if a used mesh's triangles are seen from the other side at rest than in the mesh's own space.
pub fn is_mirrored(document: &Document, used: &x::MeshUse) -> bool {
    side_at_rest(document, used) < 0.0
}

/// Returns -1 if the frames above a used mesh, or those above its first bone and the bone's offset, mirror it, 0 if they
/// flatten it, and else 1.
fn side_at_rest(document: &Document, used: &x::MeshUse) -> f64 {
    let side = |matrix: &x::Matrix| match DMat4::from_cols_array(matrix).determinant() {
        0.0 => 0.0,
        volume => volume.signum(),
    };
    let skins = document.meshes.get(used.mesh).into_iter().flat_map(|mesh| &mesh.skin_weights);
    let bone = skins.filter(|skin| !skin.weights.is_empty()).find_map(|skin| Some((skin.frame?, &skin.matrix_offset)));
    let (frame, offset) = bone.map_or((used.frame, None), |(frame, offset)| (Some(frame), Some(offset)));
    let frames = std::iter::successors(frame.and_then(|frame| document.frames.get(frame)), |frame| {
        document.frames.get(frame.parent?)
    });
    frames.filter_map(Frame::matrix).chain(offset).map(side).product()
}

/// Warns of a mesh that is [`inside_out`]. One warning per file names all meshes.
fn report_inside_out(name: &str, (backward, triangles): (usize, usize), span: Span, warnings: &mut Vec<Warning>) {
    if let Some(first) = warnings.iter_mut().find(|warning| warning.code == "XFI021") {
        first.message += &format!(", those of '{name}' to that of {backward} of {triangles}");
        first.more.push(span);
        return;
    }
    let message = format!("the normals of '{name}' point to the back of {backward} of its {triangles} triangles");
    warnings.push(Warning::new("XFI021", message, span));
}

/// Adds all meshes to the model, once for each frame that uses them, split by material.
pub(super) fn import_meshes(
    document: &mut Document<'_>,
    model: &mut Model,
    frames: &mut Frames,
    warnings: &mut Vec<Warning>,
    without_tangents: bool,
    budget: &Budget,
) -> Result<(), ImportError> {
    let drawings_left = check_drawings(document, budget)?;
    let default_material = None;
    let mut importer =
        Importer { document, drawings_left, model, frames, warnings, budget, default_material, without_tangents };
    (0..importer.document.mesh_uses.len()).try_for_each(|source_mesh| importer.import_mesh(source_mesh))
}

/// Charges meshes that several frames use: the file stores them once, the model once per frame. Returns the number of
/// uses of each mesh.
fn check_drawings(document: &Document<'_>, budget: &Budget) -> Result<Vec<usize>, ImportError> {
    let mut drawings: Vec<(usize, Span)> = vec![(0, Span::default()); document.meshes.len()];
    for used in &document.mesh_uses {
        if let Some((times, span)) = drawings.get_mut(used.mesh) {
            *times += 1;
            *span = head(used.span, "Mesh");
        }
    }
    for (file, &(times, span)) in document.meshes.iter().zip(&drawings) {
        let what = || format!("{} drawings of a mesh of {} vertices", grouped(times), grouped(file.vertices.len()));
        let bytes = product([times, file.vertices.len(), VERTEX_BYTES + size_of::<Influence>()]);
        budget.check(bytes, what).map_err(|error| ImportError::new(error, span))?;
    }
    Ok(drawings.into_iter().map(|(times, _)| times).collect())
}

/// Model, frames and warnings that meshes are added to.
struct Importer<'a, 'd> {
    document: &'a mut Document<'d>,
    /// Number of uses of each mesh that are not imported yet.
    drawings_left: Vec<usize>,
    model: &'a mut Model,
    frames: &'a mut Frames,
    warnings: &'a mut Vec<Warning>,
    budget: &'a Budget,
    /// D3DX's grey, added when a mesh has no material of its own.
    default_material: Option<MaterialId>,
    without_tangents: bool,
}

impl Importer<'_, '_> {
    /// Adds a mesh at one of the frames that use it.
    fn import_mesh(&mut self, source_mesh: usize) -> Result<(), ImportError> {
        let Self { document, drawings_left, model, frames, warnings, budget, default_material, without_tangents } =
            self;
        let used = document.mesh_uses[source_mesh];
        let inside_out = inside_out(document, &used);
        let Document { frames: file_frames, meshes, .. } = &mut **document;
        let Some(file) = meshes.get_mut(used.mesh) else { return Ok(()) };
        let frame_name = used.frame.and_then(|frame| file_frames[frame].name.as_ref());
        let name = file.name.as_ref().or(frame_name);
        let name = name.map_or_else(|| format!("mesh {source_mesh}"), x::Text::to_name);
        if file.vertices.is_empty() || file.faces.is_empty() {
            let empty = Warning::new("XFI020", "it has no faces", head(used.span, "Mesh"));
            warnings.push(empty.leaving_out(Part::Mesh, &name));
            return Ok(());
        }
        let own_frame = used.frame.unwrap_or_else(|| {
            frames.push(model, name.clone(), None, DAffine3::IDENTITY);
            frames.frames.len() - 1
        });
        let skin = Skin::new(file, frames, own_frame);
        let model_from_file = skin.bind_space(file, frames);
        let maps = skin.joint_maps(frames);
        let mut corners = Corners::new(file);
        if let Some(counts) = inside_out {
            report_inside_out(&name, counts, head(used.span, "Mesh"), warnings);
        }
        drawings_left[used.mesh] -= 1;
        if drawings_left[used.mesh] == 0 {
            // The lists are as large as those of the model.
            (file.faces, file.normals) = (x::Faces::default(), None);
            file.skin_weights.clear();
        }
        let mut shaded = Shaded::new(file, &corners, &model_from_file, *without_tangents);
        let mut parts = split_by_material(file, &mut corners, model, default_material).into_iter();
        let is_split = parts.len() > 1;
        // Vertices without triangles go to the first part, so that the file's counts and bounds are preserved.
        let mut unused = if is_split { corners.unused() } else { (0..corners.vertices.len() as u32).collect() };
        // Position of each corner, and of each bone, in the mesh that used it last.
        let mut places = vec![u32::MAX; if is_split { corners.vertices.len() } else { 0 }];
        let mut bone_places: Vec<u32> = (0..skin.slots.len() as u32).collect();
        while let Some((material, mut triangles)) = parts.next() {
            let mut vertices = std::mem::take(&mut unused);
            if is_split {
                // The file's own vertices first, then the copies.
                vertices = distinct(vertices, triangles.iter().flatten().copied(), &mut places);
                triangles.iter_mut().flatten().for_each(|corner| *corner = places[*corner as usize]);
            }
            skin.spend(&name, &vertices, &corners, budget)
                .map_err(|fault| ImportError::new(fault, head(used.span, "Mesh")))?;
            let mut mesh = Mesh { name: name.clone(), material, source_mesh, ..Mesh::default() };
            shaded.fill(&vertices, &corners, parts.len() == 0, &mut mesh);
            let bones = match is_split {
                true => distinct(Vec::new(), skin.slots_of(&mesh.source_vertices), &mut bone_places),
                false => bone_places.clone(),
            };
            skin.fill(file, &maps, &model_from_file, (&bones, &bone_places), &mut mesh);
            mesh.triangles = triangles;
            model.meshes.push(mesh);
        }
        Ok(())
    }
}

/// Vertices of a file, copied for every further normal, and its faces as triangles of these.
struct Corners {
    /// Index in the file and normal of each vertex. The file's own vertices come first, in order.
    vertices: Vec<(u32, Option<Vec3>)>,
    /// Triangles in the model's winding: a face (a, b, c) becomes (a, c, b), because `P` mirrors.
    triangles: Vec<[u32; 3]>,
    /// Face of each triangle.
    faces: Vec<u32>,
}

impl Corners {
    fn new(file: &x::Mesh<'_>) -> Self {
        let decl_normals = file.decl_data.as_ref().and_then(|decl| decl.channel(USAGE_NORMAL, 0));
        let plain = |vertex: usize| {
            let normal = decl_normals.as_ref().and_then(|normals| normals.get(vertex));
            normal.and_then(|&[x, y, z, _]| Vec3::new(x, y, z).try_normalize())
        };
        let mut corners = Self {
            vertices: (0..file.vertices.len()).map(|vertex| (vertex as u32, None)).collect(),
            triangles: Vec::with_capacity(file.faces.len()),
            faces: Vec::with_capacity(file.faces.len()),
        };
        let mut expanded = Expanded::new(file);
        let same_place = SamePlace::new(file);
        let mut normal_faces = file.normals.iter().flat_map(|normals| normals.faces.iter());
        for (face, file_corners) in (0_u32..).zip(file.faces.iter()) {
            let normals = normal_faces.next().unwrap_or_default();
            let [first, second, others @ ..] = file_corners else { continue };
            let mut normals = normals.iter();
            let mut vertex = |corner: &u32, vertices: &mut Vec<(u32, Option<Vec3>)>| match normals.next() {
                Some(&normal) => expanded.vertex(*corner, normal, vertices),
                None => *corner,
            };
            let first = vertex(first, &mut corners.vertices);
            let mut last = vertex(second, &mut corners.vertices);
            // A fan (0, i, i + 1), without triangles that use a vertex twice.
            for corner in others {
                let before = std::mem::replace(&mut last, vertex(corner, &mut corners.vertices));
                let triangle = [first, last, before];
                if same_place.are_three(triangle, &corners.vertices) {
                    corners.triangles.push(triangle);
                    corners.faces.push(face);
                }
            }
        }
        if file.normals.is_none() {
            corners.vertices.iter_mut().for_each(|(vertex, normal)| *normal = plain(*vertex as usize));
        }
        corners
    }

    /// Returns the vertices that no triangle uses.
    fn unused(&self) -> Vec<u32> {
        let mut used = vec![false; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|&corner| used[corner as usize] = true);
        (0..self.vertices.len() as u32).filter(|&vertex| !used[vertex as usize]).collect()
    }
}

/// Returns the bit pattern of a normal, so that equal values count as one normal regardless of index.
fn bits(normal: Option<Vec3>) -> Option<[u32; 3]> {
    normal.map(|normal| (normal + Vec3::ZERO).to_array().map(f32::to_bits))
}

/// Map from pairs of file vertex and normal to vertices.
struct Expanded {
    /// Normals of the file, normalised.
    units: Vec<Option<Vec3>>,
    /// Vertices for all but the first normal of each file vertex.
    copies: HashMap<(u32, Option<[u32; 3]>), u32>,
    /// Index of the first normal of each file vertex. `None` without normals.
    first: Vec<Option<u32>>,
}

impl Expanded {
    fn new(file: &x::Mesh<'_>) -> Self {
        let unit = |normal: [f64; 3]| DVec3::from_array(normal).try_normalize().map(|unit| unit.as_vec3());
        let units = file.normals.iter().flat_map(|normals| normals.normals.iter()).map(unit).collect();
        Self { units, copies: HashMap::default(), first: vec![None; file.vertices.len()] }
    }

    #[inline(always)]
    fn vertex(&mut self, vertex: u32, normal: u32, vertices: &mut Vec<(u32, Option<Vec3>)>) -> u32 {
        match self.first[vertex as usize] == Some(normal) {
            true => vertex,
            false => self.other_vertex(vertex, normal, vertices),
        }
    }

    /// Vertex for another normal than the one that the vertex had first, or for its first.
    fn other_vertex(&mut self, vertex: u32, normal: u32, vertices: &mut Vec<(u32, Option<Vec3>)>) -> u32 {
        let first = &mut self.first[vertex as usize];
        let unit = self.units.get(normal as usize).copied().flatten();
        if first.is_none() {
            *first = Some(normal);
            vertices[vertex as usize].1 = unit;
        }
        if bits(vertices[vertex as usize].1) == bits(unit) {
            return vertex;
        }
        *self.copies.entry((vertex, bits(unit))).or_insert_with(|| {
            vertices.push((vertex, unit));
            vertices.len() as u32 - 1
        })
    }
}

/// Test for vertices that count as one when degenerate triangles are dropped.
struct SamePlace<'f> {
    /// `VertexDuplicationIndices`, which count only with normals and without texture coordinates
    /// (docs/formats/x.md "Meshes").
    originals: Option<&'f [u32]>,
}

impl<'f> SamePlace<'f> {
    fn new(file: &'f x::Mesh<'_>) -> Self {
        let counts = file.normals.is_some() && file.texture_coords.is_none();
        Self { originals: file.duplication.as_ref().filter(|_| counts).map(|copies| copies.indices.as_slice()) }
    }

    /// True if the corners of a triangle are three different vertices.
    fn are_three(&self, triangle: [u32; 3], vertices: &[(u32, Option<Vec3>)]) -> bool {
        let [a, b, c] = triangle;
        if a == b || b == c || c == a {
            return false;
        }
        // Without originals, every pair of vertex and normal is different.
        let Some(originals) = self.originals else { return true };
        let [a, b, c] = triangle.map(|corner| {
            let (vertex, normal) = vertices[corner as usize];
            (originals.get(vertex as usize).copied().unwrap_or(vertex), bits(normal))
        });
        a != b && b != c && c != a
    }
}

/// Attributes of all vertices of a mesh.
struct Shaded {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// Empty if nobody needs them.
    tangents: Vec<Vec4>,
    uvs: Vec<Vec2>,
    /// Colours per vertex of the file. Empty if it has none.
    colors: Vec<Vec4>,
}

impl Shaded {
    fn new(file: &x::Mesh<'_>, corners: &Corners, model_from_file: &DAffine3, without_tangents: bool) -> Self {
        let place = |&(vertex, _): &(u32, Option<Vec3>)| place_of(file, vertex);
        let positions: Vec<Vec3> =
            corners.vertices.iter().map(|vertex| model_from_file.transform_point3(place(vertex)).as_vec3()).collect();
        let turn = normal_matrix(&model_from_file.matrix3);
        let file_normals = corners.vertices.iter().map(|(_, normal)| *normal);
        let missing = corners.vertices.iter().any(|(_, normal)| normal.is_none());
        // Computed in the file's own proportions, as in D3DX, and in mirrored space, which matches the triangles.
        let computed = missing.then(|| {
            let swapped: Vec<Vec3> = corners.vertices.iter().map(|vertex| (SWAP * place(vertex)).as_vec3()).collect();
            shading::normals(&swapped, &corners.triangles)
        });
        let normals: Vec<Vec3> = file_normals
            .enumerate()
            .map(|(vertex, normal)| {
                let swapped = || computed.as_ref().map_or(Vec3::Z, |computed| computed[vertex]);
                let normal = normal.map_or_else(|| SWAP * swapped().as_dvec3(), |normal| normal.as_dvec3());
                (turn * normal).try_normalize().unwrap_or(DVec3::Z).as_vec3()
            })
            .collect();
        let file_uvs = texture_coords(file);
        let uv = |&(vertex, _): &(u32, Option<Vec3>)| file_uvs.get(vertex as usize).copied().unwrap_or(Vec2::ZERO);
        let uvs: Vec<Vec2> = corners.vertices.iter().map(uv).collect();
        let tangents = match without_tangents {
            true => Vec::new(),
            false => shading::tangents(&positions, &normals, &uvs, &corners.triangles),
        };
        Self { positions, normals, tangents, uvs, colors: colors(file) }
    }

    /// Copies the attributes of some vertices, given in ascending order, to a mesh. Moves them instead if the last mesh
    /// uses all vertices.
    fn fill(&mut self, vertices: &[u32], corners: &Corners, is_last: bool, mesh: &mut Mesh) {
        fn chosen<T: Copy>(of: &mut Vec<T>, vertices: &[u32], is_last: bool) -> Vec<T> {
            if is_last && vertices.len() == of.len() {
                return std::mem::take(of);
            }
            vertices.iter().filter_map(|&vertex| of.get(vertex as usize).copied()).collect()
        }
        mesh.source_vertices = vertices.iter().map(|&vertex| corners.vertices[vertex as usize].0).collect();
        mesh.positions = chosen(&mut self.positions, vertices, is_last);
        mesh.normals = chosen(&mut self.normals, vertices, is_last);
        mesh.tangents = chosen(&mut self.tangents, vertices, is_last);
        mesh.uvs = chosen(&mut self.uvs, vertices, is_last);
        mesh.colors =
            mesh.source_vertices.iter().filter_map(|&source| self.colors.get(source as usize)).copied().collect();
    }
}

/// Returns the position of a vertex of the file, in mesh space.
fn place_of(file: &x::Mesh<'_>, vertex: u32) -> DVec3 {
    file.vertices.get(vertex as usize).map_or(DVec3::ZERO, DVec3::from_array)
}

/// Returns the matrix for normals if `matrix` transforms points: the inverse transpose up to a positive factor.
fn normal_matrix(matrix: &DMat3) -> DMat3 {
    let sign = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
    cofactors(matrix) * sign
}

/// Returns the texture coordinates per vertex of the file: its own list, else the first set of `DeclData` or `FVFData`.
fn texture_coords(file: &x::Mesh<'_>) -> Vec<Vec2> {
    if let Some(list) = &file.texture_coords {
        return list.coords.iter().map(|[u, v]| Vec2::new(u as f32, v as f32)).collect();
    }
    // Bit patterns may mean anything, including infinities.
    let finite = |u: f32, v: f32| Some(Vec2::new(u, v)).filter(|uv| uv.is_finite()).unwrap_or_default();
    let decl = file.decl_data.as_ref().and_then(|decl| decl.channel(USAGE_TEXCOORD, 0));
    if let Some(decl) = decl {
        return decl.into_iter().map(|[u, v, _, _]| finite(u, v)).collect();
    }
    let fvf = file.fvf_data.as_ref().and_then(|fvf| fvf.texture_coords(0));
    fvf.into_iter().flatten().map(|[u, v]| finite(u, v)).collect()
}

/// Colours per vertex of the file, in steps of 1/255 as in Direct3D. Unlisted vertices are white.
fn colors(file: &x::Mesh<'_>) -> Vec<Vec4> {
    let quantise = |part: f64| ((part.clamp(0.0, 1.0) * 255.0).round() / 255.0) as f32;
    if let Some(list) = &file.vertex_colors {
        let mut colors = vec![Vec4::ONE; file.vertices.len()];
        for &(vertex, color) in &list.colors {
            colors[vertex as usize] = Vec4::from_array(color.map(quantise));
        }
        return colors;
    }
    let decl = file.decl_data.as_ref().and_then(|decl| decl.channel(USAGE_COLOR, 0));
    decl.into_iter().flatten().map(|color| Vec4::from_array(color.map(|part| quantise(part.into())))).collect()
}

/// Splits the triangles by material, in the order of the file's list. Materials without triangles are omitted.
fn split_by_material(
    file: &x::Mesh<'_>,
    corners: &mut Corners,
    model: &mut Model,
    default_id: &mut Option<MaterialId>,
) -> Vec<(MaterialId, Vec<[u32; 3]>)> {
    let list = file.material_list.as_ref().filter(|list| !list.materials.is_empty());
    let Some(list) = list else {
        let material = *default_id.get_or_insert_with(|| {
            let known = model.materials.iter().position(|material| *material == default_material());
            known.map_or_else(|| model.push_material(default_material()), |index| MaterialId(index as u32))
        });
        return vec![(material, std::mem::take(&mut corners.triangles))];
    };
    if let [material] = list.materials[..] {
        return vec![(MaterialId(material as u32), std::mem::take(&mut corners.triangles))];
    }
    let part = |&material: &usize| (MaterialId(material as u32), Vec::new());
    let mut parts: Vec<(MaterialId, Vec<[u32; 3]>)> = list.materials.iter().map(part).collect();
    for (triangle, &face) in corners.triangles.iter().zip(&corners.faces) {
        let material = list.face_materials.get(face as usize).map_or(0, |&material| material as usize);
        if let Some((_, triangles)) = parts.get_mut(material) {
            triangles.push(*triangle);
        }
    }
    // If every triangle is degenerate, the vertices still go to the first material.
    let fallback = part(&list.materials[0]);
    parts.retain(|(_, triangles)| !triangles.is_empty());
    if parts.is_empty() { vec![fallback] } else { parts }
}

/// A bone of one mesh.
struct Slot {
    /// Index into [`Frames`].
    frame: usize,
    /// Transform from the mesh's to the bone's space, in file conventions.
    offset: DAffine3,
}

/// Bones and weights of each vertex of the file.
struct Skin {
    slots: Vec<Slot>,
    /// Slot and weight, vertex by vertex, in file order.
    influences: Vec<(u32, f32)>,
    /// Start of each vertex' influences in `influences`. One more entry than vertices.
    starts: Vec<usize>,
}

impl Skin {
    /// Collects the influences. Vertices without weights, and those of bones without a frame, follow the mesh's own
    /// frame (docs/formats/x.md "Skins").
    fn new(file: &x::Mesh<'_>, frames: &Frames, own_frame: usize) -> Self {
        let mut slots: Vec<Slot> = Vec::new();
        let mut own_slot: Option<u32> = None;
        let mut own = |slots: &mut Vec<Slot>| {
            *own_slot.get_or_insert_with(|| {
                slots.push(Slot { frame: own_frame, offset: DAffine3::IDENTITY });
                slots.len() as u32 - 1
            })
        };
        let pulls = |(_, weight): &&(u32, f64)| *weight != 0.0;
        let mut counts = vec![0_usize; file.vertices.len()];
        let weights = file.skin_weights.iter().flat_map(|bone| &bone.weights);
        weights.filter(pulls).for_each(|&(vertex, _)| counts[vertex as usize] += 1);
        // A vertex without weights also gets one influence.
        let ends = counts.iter().scan(0, |end, count| {
            *end += count.max(&1);
            Some(*end)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let mut influences = vec![(0, 0.0); starts.last().copied().unwrap_or(0)];
        let mut free = starts.clone();
        for bone in file.skin_weights.iter().filter(|bone| bone.weights.iter().any(|weight| pulls(&weight))) {
            let slot = match bone.frame.filter(|&frame| frame < frames.frames.len()) {
                Some(frame) => {
                    slots.push(Slot { frame, offset: file_affine(&bone.matrix_offset) });
                    slots.len() as u32 - 1
                }
                None => own(&mut slots),
            };
            for &(vertex, weight) in bone.weights.iter().filter(pulls) {
                let place = &mut free[vertex as usize];
                influences[*place] = (slot, weight as f32);
                *place += 1;
            }
        }
        for (&start, _) in starts.iter().zip(&counts).filter(|&(_, &count)| count == 0) {
            influences[start] = (own(&mut slots), 1.0);
        }
        Self { slots, influences, starts }
    }

    /// Slots and weights of one vertex of the file.
    fn influences_of(&self, vertex: u32) -> &[(u32, f32)] {
        &self.influences[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// Computes `Q`, the transform from mesh to bind space, for the bone with the most weight.
    fn bind_space(&self, file: &x::Mesh<'_>, frames: &Frames) -> DAffine3 {
        let mut pull = vec![0.0_f64; self.slots.len()];
        for &(slot, weight) in &self.influences {
            pull[slot as usize] += f64::from(weight);
        }
        let swap = DAffine3::from_mat3(SWAP);
        let heaviest = (0..pull.len()).max_by(|&a, &b| pull[a].total_cmp(&pull[b]).then(b.cmp(&a)));
        let Some(slot) = heaviest.map(|slot| &self.slots[slot]) else { return swap };
        let at_rest = frames.frames[slot.frame].world * slot.offset;
        let extent = file.vertices.iter().map(|place| DVec3::from_array(place).abs()).fold(DVec3::ZERO, DVec3::max);
        let linear = at_rest.matrix3 - DMat3::IDENTITY;
        let linear = [linear.x_axis, linear.y_axis, linear.z_axis].map(|axis| axis.abs().max_element());
        let close = linear.iter().all(|&part| part < IDENTITY_TOLERANCE)
            && at_rest.translation.abs().max_element() < IDENTITY_TOLERANCE * extent.max_element();
        // Inverse bind matrices need an invertible transform.
        if close || !is_invertible(&at_rest) { swap } else { swap * at_rest }
    }

    /// Charges vertices of the mesh called `name`.
    fn spend(&self, name: &str, vertices: &[u32], corners: &Corners, budget: &Budget) -> Result<(), ImportFault> {
        let weight_count = |&vertex: &u32| {
            let (source, _) = corners.vertices[vertex as usize];
            self.influences_of(source).len() as u64
        };
        let weights: u64 = vertices.iter().map(weight_count).sum();
        let what = || format!("{} vertices of '{name}' with {} weights", grouped(vertices.len()), grouped(weights));
        if u32::try_from(weights).is_err() {
            return Err(ImportFault::Count { what: what() });
        }
        let bytes = product([vertices.len(), VERTEX_BYTES]) + product([weights as usize, size_of::<Influence>()]);
        Ok(budget.spend(bytes, what)?)
    }

    /// Returns the joint of each slot, and the transform from the file's mesh space to the joint's space in the model.
    fn joint_maps(&self, frames: &Frames) -> Vec<(JointId, DAffine3)> {
        let map = |slot: &Slot| {
            let frame = &frames.frames[slot.frame];
            (frame.joint, DAffine3::from_mat3(frame.side.matrix()) * slot.offset)
        };
        self.slots.iter().map(map).collect()
    }

    /// Slots of some vertices' influences.
    fn slots_of(&self, vertices: &[u32]) -> impl Iterator<Item = u32> {
        vertices.iter().flat_map(|&vertex| self.influences_of(vertex)).map(|&(slot, _)| slot)
    }

    /// Binds the existing vertices of a mesh to the bones that they use: their slots in order, and the position of each
    /// slot among them.
    fn fill(
        &self,
        file: &x::Mesh<'_>,
        maps: &[(JointId, DAffine3)],
        model_from_file: &DAffine3,
        (bones, places): (&[u32], &[u32]),
        mesh: &mut Mesh,
    ) {
        let file_from_model = model_from_file.inverse();
        let bound = bones.iter().map(|&slot| maps[slot as usize]);
        let bound = bound.map(|(joint, joint_from_file)| (joint, joint_from_file * file_from_model));
        mesh.bind = bound.map(|(joint, inverse_bind)| BindJoint { joint, inverse_bind }).collect();
        mesh.influence_starts.reserve_exact(mesh.source_vertices.len() + 1);
        mesh.influence_starts.push(0);
        let count = mesh.source_vertices.iter().map(|&vertex| self.influences_of(vertex).len()).sum();
        mesh.influences.reserve_exact(count);
        for &vertex in &mesh.source_vertices {
            let position = place_of(file, vertex);
            mesh.influences.extend(self.influences_of(vertex).iter().map(|&(slot, weight)| {
                let (_, joint_from_file) = &maps[slot as usize];
                let offset = joint_from_file.transform_point3(position).as_vec3();
                Influence { slot: places[slot as usize], weight, offset }
            }));
            mesh.influence_starts.push(mesh.influences.len() as u32);
        }
    }
}

/// True if a transform can be inverted without losing all precision to rounding.
fn is_invertible(map: &DAffine3) -> bool {
    let [x, y, z] = [map.matrix3.x_axis, map.matrix3.y_axis, map.matrix3.z_axis];
    let volume = x.length() * y.length() * z.length();
    map.is_finite() && volume.is_finite() && volume > 1e-30 && map.matrix3.determinant().abs() > 1e-9 * volume
}
