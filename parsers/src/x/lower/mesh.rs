//! Reads meshes: faces, attributes, materials, skins (docs/formats/x.md "Meshes").

use super::{Lower, Members, TargetKind, head, known, known_children, last_child, quote};
use crate::Span;
use crate::x::document::{
    DeclData, Faces, FvfData, Mesh, MeshMaterialList, MeshNormals, MeshTextureCoords, MeshVertexColors, SkinWeights,
    VertexDuplicationIndices, VertexElement, XSkinMeshHeader,
};
use crate::x::fault::Fault;
use crate::x::numbers::Vectors;
use crate::x::report::Error;
use crate::x::tree::{Child, Object};
use std::cell::OnceCell;
use std::collections::HashSet;

/// Index of the first vertex in `SkinWeights`, after the bone and a count.
const FIRST_WEIGHTED_VERTEX: usize = 2;
/// Largest deviation of a vertex's weight sum from 1. Real files reach 2.4e-5.
const WEIGHT_SUM_TOLERANCE: f64 = 1e-3;
/// Maximum number of weights per vertex that Direct3D blends.
const MOST_INFLUENCES: u32 = 4;

/// Bones of a mesh beside the number in its header.
enum Bones {
    Complete,
    Twice,
    Missing,
}

impl<'a> Lower<'_, '_, 'a> {
    pub(super) fn mesh(&mut self, object: &Object<'a>) -> Result<Mesh<'a>, Error> {
        self.log.enter();
        let mut mesh = self.unless_slipped(&[object], |lower| {
            vertices_and_faces(object).map_err(|error| lower.slip_before(object, error))
        })?;
        if let Some(child) = last_child(object, "MeshNormals", self.log)? {
            mesh.normals = self.unless_slipped(&[object, child], |lower| lower.normals(child, &mesh.faces))?;
        }
        if let Some(child) = last_child(object, "MeshTextureCoords", self.log)? {
            let vertices = mesh.vertices.len();
            let coords = self.unless_slipped(&[object, child], |lower| lower.texture_coords(child, vertices))?;
            mesh.texture_coords = Some(coords);
        }
        if let Some(child) = last_child(object, "MeshVertexColors", self.log)? {
            let vertices = mesh.vertices.len();
            mesh.vertex_colors = Some(self.unless_slipped(&[object, child], |_| vertex_colors(child, vertices))?);
        }
        if let Some(child) = last_child(object, "MeshMaterialList", self.log)? {
            let faces = mesh.faces.len();
            mesh.material_list =
                Some(self.unless_slipped(&[object, child], |lower| lower.material_list(child, faces))?);
        }
        if let Some(child) = last_child(object, "VertexDuplicationIndices", self.log)? {
            let vertices = mesh.vertices.len();
            mesh.duplication = self.unless_slipped(&[object, child], |lower| lower.duplication(child, vertices))?;
        }
        if let Some(child) = last_child(object, "DeclData", self.log)? {
            let vertices = mesh.vertices.len();
            mesh.decl_data = self.unless_slipped(&[object, child], |lower| lower.decl_data(child, vertices))?;
        }
        if let Some(child) = last_child(object, "FVFData", self.log)? {
            let vertices = mesh.vertices.len();
            mesh.fvf_data = self.unless_slipped(&[object, child], |lower| lower.fvf_data(child, vertices))?;
        }
        self.skin(object, &mut mesh)?;
        Ok(mesh)
    }

    /// Reads the normals of a mesh. Returns `None` if they do not match the mesh.
    fn normals(&mut self, object: &Object<'a>, mesh_faces: &Faces) -> Result<Option<MeshNormals>, Error> {
        let mut values = Members::of(object);
        let Some(normals) = known(vectors(&mut values))? else { return Ok(None) };
        let fault = |index, normals| Fault::NormalIndex { index, normals };
        let faces = match faces(&mut values, normals.len(), fault) {
            Ok(faces) => faces,
            Err(Error { kind: Fault::Expected { .. }, .. }) => return Ok(None),
            Err(error) => {
                let error = self.slip_before(object, error);
                self.log.fault(error.kind, error.span)?;
                return Ok(None);
            }
        };
        if faces.len() != mesh_faces.len() {
            let fault = Fault::NormalFaces { found: faces.len(), expected: mesh_faces.len() };
            self.log.fault(fault, object.type_name.span)?;
            return Ok(None);
        }
        let differing = mesh_faces.iter().zip(faces.iter()).position(|(mesh, normal)| mesh.len() != normal.len());
        if let Some(face) = differing {
            let (found, expected) = (faces.get(face).len(), mesh_faces.get(face).len());
            let span = object.face_spans().nth(face).unwrap_or_default();
            self.log.fault(Fault::NormalCorners { face, found, expected }, span)?;
            return Ok(None);
        }
        Ok(Some(MeshNormals { normals, faces, span: object.span }))
    }

    fn texture_coords(&mut self, object: &Object<'a>, vertices: usize) -> Result<MeshTextureCoords, Error> {
        let mut values = Members::of(object);
        let count = values.count().unwrap_or(0);
        let coords: Vectors<2> = values.cursor.vectors(count);
        if coords.len() != vertices {
            let fault = Fault::TextureCoordCount { found: coords.len(), vertices };
            self.log.fault(fault, object.type_name.span)?;
        }
        Ok(MeshTextureCoords { coords, span: object.span })
    }

    fn material_list(&mut self, object: &Object<'a>, faces: usize) -> Result<MeshMaterialList, Error> {
        let mut list = MeshMaterialList { span: object.span, ..MeshMaterialList::default() };
        for child in &object.children {
            let material = match child {
                Child::Object(child) if child.unread.is_none() && child.is("Material") => Some(self.material(child)?),
                Child::Object(_) => None,
                Child::Reference(reference) => match self.names.resolve(reference, TargetKind::Material) {
                    Some(material) => Some(self.material(material)?),
                    None => {
                        self.useless(reference)?;
                        None
                    }
                },
            };
            list.materials.extend(material);
        }
        let mut values = Members::of(object);
        // A list that was cut off contains no further values.
        let Ok(declared) = values.int() else { return Ok(list) };
        list.declared = Some(declared);
        let found = list.materials.len();
        if usize::try_from(declared.value) != Ok(found) {
            self.log.fault(Fault::MaterialCount { declared: declared.value, found }, declared.span)?;
        }
        let Ok(count) = values.count() else { return Ok(list) };
        if count != faces && declared.value != 0 {
            let fault = match count {
                1 => Fault::SingleMaterialIndex { faces },
                found => Fault::MaterialIndexCount { found, faces },
            };
            self.log.fault(fault, object.type_name.span)?;
        }
        let Some(last_material) = found.checked_sub(1).map(|last| last as u32) else { return Ok(list) };
        if let Some(materials) = values.cursor.plain_integers(count.min(faces), found) {
            list.face_materials = Vec::with_capacity(faces);
            list.face_materials.extend_from_slice(materials);
        }
        for _ in list.face_materials.len()..count.min(faces) {
            let Ok(index) = values.whole() else { break };
            let material = u32::try_from(index).ok().filter(|&material| material <= last_material);
            // An index of an announced material that is missing is right.
            let is_announced = (0..declared.value).contains(&index);
            if material.is_none() && !is_announced {
                self.log.fault(Fault::MaterialIndex { index, materials: found }, values.span())?;
            }
            list.face_materials.push(material.unwrap_or(last_material));
        }
        let repeated = list.face_materials.last().copied().unwrap_or(0);
        list.face_materials.resize(faces, repeated);
        Ok(list)
    }

    fn duplication(&mut self, object: &Object<'a>, vertices: usize) -> Result<Option<VertexDuplicationIndices>, Error> {
        let mut values = Members::of(object);
        let count = values.whole()?;
        // The number of originals has no effect.
        values.whole()?;
        let count = usize::try_from(count).unwrap_or(0);
        let indices: Result<Vec<u32>, Error> =
            (0..count).map(|_| Ok(u32::try_from(values.whole()?).unwrap_or(u32::MAX))).collect();
        let indices = indices?;
        if indices.len() != vertices {
            let fault = Fault::DuplicationCount { found: indices.len(), vertices };
            self.log.fault(fault, object.type_name.span)?;
            return Ok(None);
        }
        Ok(Some(VertexDuplicationIndices { indices, span: object.span }))
    }

    fn decl_data(&mut self, object: &Object<'a>, vertices: usize) -> Result<Option<DeclData>, Error> {
        let mut values = Members::of(object);
        let mut decl = DeclData { span: object.span, ..DeclData::default() };
        let count = values.count()?;
        for _ in 0..count {
            let [kind, method, usage, usage_index] = words(&mut values)?;
            decl.elements.push(VertexElement { kind, method, usage, usage_index });
        }
        decl.data = data(&mut values)?;
        let expected = decl.stride().map_or(0, |stride| stride as u64 * vertices as u64);
        self.sized("DeclData", decl.data.len(), expected, object).map(|fits| fits.then_some(decl))
    }

    fn fvf_data(&mut self, object: &Object<'a>, vertices: usize) -> Result<Option<FvfData>, Error> {
        let mut values = Members::of(object);
        let [fvf] = words(&mut values)?;
        let fvf = FvfData { fvf, data: data(&mut values)?, span: object.span };
        let needed = |fvf: &FvfData| fvf.stride() as u64 * vertices as u64;
        let (found, expected) = (fvf.data.len(), needed(&fvf));
        let rest = FvfData { fvf: fvf.fvf & !FvfData::POSITION, data: Vec::new(), span: fvf.span };
        if found as u64 != expected && rest.stride() > 0 && found as u64 == needed(&rest) {
            self.log.fault(Fault::FvfPositions { found, expected }, object.type_name.span)?;
            return Ok(Some(FvfData { data: fvf.data, ..rest }));
        }
        self.sized("FVFData", found, expected, object).map(|fits| fits.then_some(fvf))
    }

    fn sized(&mut self, name: &'static str, found: usize, expected: u64, at: &Object<'a>) -> Result<bool, Error> {
        let fits = found as u64 == expected;
        if !fits {
            self.log.fault(Fault::VertexDataSize { object: name, found, expected }, at.type_name.span)?;
        }
        Ok(fits)
    }

    fn skin(&mut self, object: &Object<'a>, mesh: &mut Mesh<'a>) -> Result<(), Error> {
        let first_weights = known_children(object, "SkinWeights").next().map(|weights| weights.span.start);
        for child in known_children(object, "XSkinMeshHeader") {
            let span = child.type_name.span;
            if mesh.skin_header.is_some() {
                self.log.fault(Fault::SkinHeaderTwice, span)?;
            }
            if first_weights.is_some_and(|first| first < child.span.start) {
                self.log.fault(Fault::SkinHeaderLate, span)?;
            }
            let mut values = Members::of(child);
            let [Ok(max_weights_per_vertex), Ok(max_weights_per_face), Ok(bones)] = [(); 3].map(|()| values.int())
            else {
                continue;
            };
            mesh.skin_header =
                Some(XSkinMeshHeader { max_weights_per_vertex, max_weights_per_face, bones, span: child.span });
        }
        for child in known_children(object, "SkinWeights") {
            let vertices = mesh.vertices.len();
            let weights = self.unless_slipped(&[object, child], |lower| known(lower.skin_weights(child, vertices)))?;
            mesh.skin_weights.extend(weights);
        }
        let objects: Vec<&Object<'a>> = std::iter::once(object).chain(known_children(object, "SkinWeights")).collect();
        let bones = self.unless_slipped(&objects, |lower| lower.check_bones(mesh, first_weights.is_some()))?;
        let mark = self.log.mark();
        self.unless_slipped(&objects, |lower| lower.check_weights(mesh, object))?;
        self.log.forget(mark, |fault| match fault {
            Fault::WeightSum { .. } => matches!(bones, Bones::Twice),
            Fault::UnweightedVertices { .. } => matches!(bones, Bones::Missing),
            _ => false,
        });
        Ok(())
    }

    /// Compares the header's number of bones with the bones.
    fn check_bones(&mut self, mesh: &Mesh<'a>, has_weights: bool) -> Result<Bones, Error> {
        let Some(header) = &mesh.skin_header else {
            if has_weights {
                self.log.fault(Fault::SkinHeaderMissing, mesh.skin_weights_span())?;
            }
            return Ok(Bones::Complete);
        };
        let (declared, found) = (header.bones.value, mesh.skin_weights.len());
        if usize::try_from(declared) == Ok(found) {
            return Ok(Bones::Complete);
        }
        let mut seen = HashSet::new();
        let twice = mesh.skin_weights.iter().map(|skin| &skin.bone).find(|bone| !seen.insert(&bone.bytes));
        let (fault, span, bones) = match twice {
            Some(bone) => (Fault::BoneTwice { bone: quote(&bone.bytes), declared, found }, bone.span, Bones::Twice),
            None => (Fault::SkinHeaderBones { declared, found }, header.bones.span, Bones::Missing),
        };
        self.log.fault(fault, span)?;
        Ok(bones)
    }

    fn skin_weights(&mut self, object: &Object<'a>, vertices: usize) -> Result<SkinWeights<'a>, Error> {
        let mut values = Members::of(object);
        let bone = values.text()?;
        let count = values.count()?;
        let mut weights = Vec::with_capacity(count);
        if let Some(vertices) = values.cursor.plain_integers(count, vertices) {
            let first = values.cursor.pass_floats(count).ok_or_else(|| values.missing("a number"))?;
            weights.extend(vertices.iter().copied().zip(values.cursor.shared(first, count).iter()));
        } else {
            let indices: Vec<i64> = (0..count).map(|_| values.whole()).collect::<Result<_, _>>()?;
            for (place, index) in indices.into_iter().enumerate() {
                let weight = values.number()?;
                match u32::try_from(index).ok().filter(|&vertex| (vertex as usize) < vertices) {
                    Some(vertex) => weights.push((vertex, weight)),
                    None => {
                        let place = values.cursor.span(FIRST_WEIGHTED_VERTEX + place);
                        self.log.fault(Fault::WeightIndex { index, vertices }, place)?;
                    }
                }
            }
        }
        Ok(SkinWeights { bone, frame: None, weights, matrix_offset: values.numbers()?, span: object.span })
    }

    /// Checks the weights of all bones together.
    fn check_weights(&mut self, mesh: &Mesh<'a>, object: &Object<'a>) -> Result<(), Error> {
        let mut sums = vec![0.0; mesh.vertices.len()];
        let mut counts = vec![0_u32; mesh.vertices.len()];
        for &(vertex, weight) in mesh.skin_weights.iter().flat_map(|bone| &bone.weights) {
            if let (true, Some(sum), Some(count)) =
                (weight != 0.0, sums.get_mut(vertex as usize), counts.get_mut(vertex as usize))
            {
                *sum += weight;
                *count += 1;
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        let span = mesh.skin_weights_span();
        let first_weights = OnceCell::new();
        let place = |vertex: usize| {
            let first_weights = first_weights.get_or_init(|| first_weights_of(object, mesh.vertices.len()));
            first_weights.get(vertex).copied().flatten().unwrap_or(span)
        };
        let weighted = |vertex: usize| counts.get(vertex).is_some_and(|&count| count > 0);
        let off = |vertex: usize| sums.get(vertex).map_or(0.0, |sum: &f64| (sum - 1.0).abs());
        let wrong: Vec<usize> =
            (0..sums.len()).filter(|&vertex| weighted(vertex) && off(vertex) > WEIGHT_SUM_TOLERANCE).collect();
        // The vertex with the largest deviation comes first, because reports show the first.
        let worst = wrong.iter().copied().reduce(|worst, vertex| if off(vertex) > off(worst) { vertex } else { worst });
        for vertex in worst.into_iter().chain(wrong.iter().copied().filter(|&vertex| Some(vertex) != worst)) {
            let sum = sums.get(vertex).copied().unwrap_or_default();
            let weights = if Some(vertex) == worst { weights_with_bones(mesh, vertex) } else { String::new() };
            self.log.fault(Fault::WeightSum { vertex, sum: rounded(sum), weights }, place(vertex))?;
        }
        let unweighted: Vec<usize> = (0..sums.len()).filter(|&vertex| !weighted(vertex)).collect();
        if let Some(&first) = unweighted.first() {
            self.log.fault(Fault::UnweightedVertices { vertices: unweighted.len(), first }, span)?;
        }
        if most > MOST_INFLUENCES {
            let vertices = counts.iter().filter(|&&count| count > MOST_INFLUENCES).count();
            let worst = counts.iter().position(|&count| count == most).unwrap_or(0);
            self.log.fault(Fault::ManyInfluences { vertices, worst, most: most as usize }, place(worst))?;
        }
        self.check_maxima(mesh, most as usize)
    }

    /// Checks the maxima in the header, which exporters get wrong.
    fn check_maxima(&mut self, mesh: &Mesh<'a>, per_vertex: usize) -> Result<(), Error> {
        let Some(header) = mesh.skin_header else { return Ok(()) };
        let declared = header.max_weights_per_vertex;
        // A larger value than needed is harmless, and Blender's exporters always write one.
        if usize::try_from(declared.value).is_ok_and(|declared| declared < per_vertex) {
            let fault = Fault::SkinHeaderMaximum { of: "vertex", declared: declared.value, found: per_vertex };
            self.log.fault(fault, declared.span)?;
        }
        let declared = header.max_weights_per_face;
        let largest = mesh.faces.iter().map(<[u32]>::len).max().unwrap_or(0);
        let is_below = |bones: usize| usize::try_from(declared.value).is_ok_and(|declared| declared < bones);
        // No face can have more bones than its corners together.
        if is_below(largest.saturating_mul(per_vertex))
            && let Some(per_face) = most_bones_of_a_face(mesh)
            && is_below(per_face)
        {
            let fault = Fault::SkinHeaderMaximum { of: "face", declared: declared.value, found: per_face };
            self.log.fault(fault, declared.span)?;
        }
        Ok(())
    }
}

impl Mesh<'_> {
    /// Returns the span for a fault of the whole skin.
    fn skin_weights_span(&self) -> Span {
        match (self.skin_header, self.skin_weights.first()) {
            (Some(header), _) => head(header.span, "XSkinMeshHeader"),
            (None, Some(bone)) => head(bone.span, "SkinWeights"),
            (None, None) => head(self.span, "Mesh"),
        }
    }
}

/// Maximum number of bones that a message names.
const BONES_NAMED: usize = 8;

/// Lists weights for a message: "0.25 for 'Hip' and 0.5 for 'Knee'".
fn weights_with_bones(mesh: &Mesh<'_>, vertex: usize) -> String {
    let bones = mesh.skin_weights.iter().flat_map(|bone| bone.weights.iter().map(move |weight| (bone, weight)));
    let own = bones.filter(|&(_, &(of, weight))| of as usize == vertex && weight != 0.0);
    let words: Vec<String> =
        own.map(|(bone, (_, weight))| format!("{weight} for '{}'", quote(&bone.bone.bytes))).collect();
    match &words[..] {
        [first, .., last] if words.len() <= BONES_NAMED => match &words[1..words.len() - 1] {
            [] => format!("{first} and {last}"),
            middle => format!("{first}, {} and {last}", middle.join(", ")),
        },
        _ if words.len() > BONES_NAMED => {
            format!("{} and {} more", words[..BONES_NAMED].join(", "), words.len() - BONES_NAMED)
        }
        _ => words.concat(),
    }
}

/// Rounds to six decimals.
fn rounded(sum: f64) -> f64 {
    (sum * 1e6).round() / 1e6
}

/// Returns the span of each vertex's first weight in a mesh.
fn first_weights_of(mesh: &Object<'_>, vertices: usize) -> Vec<Option<Span>> {
    let mut places: Vec<Option<Span>> = vec![None; vertices];
    for object in known_children(mesh, "SkinWeights") {
        let mut values = Members::of(object);
        let (Ok(_), Ok(count)) = (values.text(), values.count()) else { continue };
        let vertices: Vec<Option<usize>> =
            (0..count).map_while(|_| values.whole().ok()).map(|vertex| usize::try_from(vertex).ok()).collect();
        for (place, vertex) in (FIRST_WEIGHTED_VERTEX + count..object.values.len()).zip(vertices) {
            if let Some(first @ None) = vertex.and_then(|vertex| places.get_mut(vertex)) {
                *first = Some(values.cursor.span(place));
            }
        }
    }
    places
}

/// Maximum number of corners and vertices that are visited to find the face with the most bones, for 64 bones at a
/// time.
const MOST_LOOKED_AT: usize = 1 << 28;

/// Returns the largest number of bones on the corners of one face. Returns `None` if that takes more than
/// [`MOST_LOOKED_AT`].
fn most_bones_of_a_face(mesh: &Mesh<'_>) -> Option<usize> {
    let blocks = mesh.skin_weights.chunks(u64::BITS as usize);
    if blocks.len().saturating_mul(mesh.faces.corners.len() + mesh.vertices.len()) > MOST_LOOKED_AT {
        return None;
    }
    let mut counts = vec![0_u32; mesh.faces.len()];
    // Bones of a block with a weight on each vertex, one bit per bone.
    let mut pulling = vec![0_u64; mesh.vertices.len()];
    for block in blocks {
        pulling.fill(0);
        for (bit, bone) in block.iter().enumerate() {
            for &(vertex, _) in bone.weights.iter().filter(|(_, weight)| *weight != 0.0) {
                if let Some(bits) = pulling.get_mut(vertex as usize) {
                    *bits |= 1 << bit;
                }
            }
        }
        for (count, corners) in counts.iter_mut().zip(mesh.faces.iter()) {
            let bones = corners.iter().filter_map(|&corner| pulling.get(corner as usize));
            *count += bones.fold(0, |together, bits| together | bits).count_ones();
        }
    }
    counts.into_iter().max().map(|most| most as usize)
}

fn vertices_and_faces<'a>(object: &Object<'a>) -> Result<Mesh<'a>, Error> {
    let mut values = Members::of(object);
    let mut mesh = Mesh { name: object.name.clone(), span: object.span, ..Mesh::default() };
    mesh.vertices = vectors(&mut values)?;
    mesh.faces = faces(&mut values, mesh.vertices.len(), |index, vertices| Fault::FaceIndex { index, vertices })?;
    for face in 0..mesh.faces.len() {
        let corners = mesh.faces.get(face).len();
        if corners < 3 {
            let span = object.face_spans().nth(face).unwrap_or_else(|| head(object.span, "Mesh"));
            return Err(Error { kind: Fault::FaceCorners { corners }, span });
        }
    }
    Ok(mesh)
}

/// Reads a count and that number of vectors.
fn vectors(values: &mut Members<'_, '_>) -> Result<Vectors<3>, Error> {
    let count = values.count()?;
    values.vectors(count)
}

/// Reads a count and that number of faces, with corners below `limit`.
fn faces(values: &mut Members<'_, '_>, limit: usize, fault: impl Fn(i64, usize) -> Fault) -> Result<Faces, Error> {
    let count = values.count()?;
    let mut faces = Faces::default();
    faces.ends.reserve(count);
    faces.corners.reserve(values.cursor.plain_integers_left().len().saturating_sub(count));
    let fit = |corners: &[u32]| corners.iter().all(|&corner| (corner as usize) < limit);
    while faces.ends.len() < count {
        let mut integers = values.cursor.plain_integers_left();
        let left = integers.len();
        // Most faces are triangles.
        let is_triangle = |&&[corners, a, b, c]: &&[u32; 4]| corners == 3 && fit(&[a, b, c]);
        let four = integers.as_chunks().0.iter();
        let triangles = four.clone().take(count - faces.ends.len()).take_while(is_triangle).count();
        let end = faces.corners.len() as u32;
        faces.corners.extend(four.take(triangles).flat_map(|&[_, a, b, c]| [a, b, c]));
        faces.ends.extend((1..=triangles as u32).map(|triangle| end + 3 * triangle));
        integers = integers.get(4 * triangles..).unwrap_or_default();
        while faces.ends.len() < count
            && let Some((&corners, rest)) = integers.split_first()
            && let Some((corners, rest)) = rest.split_at_checked(corners as usize)
            && fit(corners)
        {
            faces.push(corners);
            integers = rest;
        }
        values.cursor.pass_integers(left - integers.len());
        if faces.ends.len() == count {
            break;
        }
        for _ in 0..values.whole()? {
            let corner = values.whole()?;
            let index = u32::try_from(corner).ok().filter(|&index| (index as usize) < limit);
            let Some(index) = index else { return Err(Error { kind: fault(corner, limit), span: values.span() }) };
            faces.corners.push(index);
        }
        faces.ends.push(faces.corners.len() as u32);
    }
    Ok(faces)
}

fn vertex_colors(object: &Object<'_>, vertices: usize) -> Result<MeshVertexColors, Error> {
    let mut values = Members::of(object);
    let count = values.count().unwrap_or(0);
    let mut colors = Vec::with_capacity(count.min(vertices));
    for _ in 0..count {
        let Ok(index) = values.whole() else { break };
        let vertex = u32::try_from(index).ok().filter(|&vertex| (vertex as usize) < vertices);
        let Some(vertex) = vertex else {
            return Err(Error { kind: Fault::ColorIndex { index, vertices }, span: values.span() });
        };
        let Ok(color) = values.numbers() else { break };
        colors.push((vertex, color));
    }
    Ok(MeshVertexColors { colors, span: object.span })
}

fn words<const N: usize>(values: &mut Members<'_, '_>) -> Result<[u32; N], Error> {
    let mut words = [0; N];
    for word in &mut words {
        // Bit patterns can be written as signed numbers.
        *word = values.whole()? as u32;
    }
    Ok(words)
}

/// Reads a count and that number of bit patterns.
fn data(values: &mut Members<'_, '_>) -> Result<Vec<u32>, Error> {
    let count = values.count()?;
    let mut data = Vec::with_capacity(count);
    for _ in 0..count {
        let [word] = words(values)?;
        data.push(word);
    }
    Ok(data)
}
