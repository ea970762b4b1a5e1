//! three.js' XLoader: a mirrored space, triangles, meshes without the matrix of their own frame, and bones without keys
//! at their parents.

use super::{IDENTITY, bound_vertices, place, times};
use bindpose_parsers::Span;
use bindpose_parsers::x::{
    Animation, AnimationKey, AnimationSet, Document, Faces, Frame, KeyKind, Matrix, Mesh, SkinWeights, Target, Text,
};

/// Changes a document as the loader and its `assignAnimation` do.
pub(super) fn hold(document: &mut Document<'_>) {
    document.loose_animations.clear();
    match root_of_bones(document) {
        Some(root) => {
            for number in 0..document.animation_sets.len() {
                let bones = rest_of_bones(document, root, number);
                if let Some(set) = document.animation_sets.get_mut(number) {
                    set.animations.extend(bones);
                }
            }
        }
        // The bones are in the file of the model.
        None if document.mesh_uses.is_empty() => {}
        // Clips move only bones.
        None => document.animation_sets.clear(),
    }
    bind_loose_vertices(document);
    move_meshes(document);
    mirror(document);
}

/// Signs of a matrix' elements in a space whose z points the other way.
const MATRIX_SIGNS: Matrix = [1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0];

/// Reverses the z axis: three.js reads the left-handed numbers in its right-handed space.
fn mirror(document: &mut Document<'_>) {
    document.meshes.iter_mut().for_each(mirror_mesh);
    let skins = document.meshes.iter_mut().flat_map(|mesh| &mut mesh.skin_weights).map(|skin| &mut skin.matrix_offset);
    for matrix in document.frames.iter_mut().flat_map(|frame| &mut frame.matrices).chain(skins) {
        matrix.iter_mut().zip(MATRIX_SIGNS).for_each(|(element, sign)| *element *= sign);
    }
    let animations = document.animation_sets.iter_mut().flat_map(|set| &mut set.animations);
    for keys in animations.flat_map(|animation| &mut animation.keys) {
        let signs: &[f64] = match keys.kind {
            KeyKind::Rotation => &[1.0, -1.0, -1.0, 1.0],
            KeyKind::Scale => continue,
            KeyKind::Position => &[1.0, 1.0, -1.0],
            KeyKind::Matrix => &MATRIX_SIGNS,
        };
        let values: Vec<f64> = keys.values.iter().zip(signs.iter().cycle()).map(|(value, sign)| value * sign).collect();
        keys.values = values.into();
    }
}

/// Reverses the z axis of a mesh. Its faces keep their first three corners, which now have the other winding.
fn mirror_mesh(mesh: &mut Mesh<'_>) {
    let reversed = |[x, y, z]: [f64; 3]| [x, y, -z];
    mesh.vertices = mesh.vertices.iter().map(reversed).collect();
    mesh.faces = triangles(&mesh.faces);
    if let Some(normals) = &mut mesh.normals {
        normals.normals = normals.normals.iter().map(reversed).collect();
        normals.faces = triangles(&normals.faces);
    }
    // Neither is read.
    (mesh.decl_data, mesh.fvf_data) = (None, None);
}

fn triangles(polygons: &Faces) -> Faces {
    let mut triangles = Faces::default();
    for polygon in polygons.iter() {
        match polygon {
            [a, b, c, ..] => triangles.push(&[*a, *c, *b]),
            fewer => triangles.push(fewer),
        }
    }
    triangles
}

/// Binds vertices without weights of skinned meshes to the first bone.
fn bind_loose_vertices(document: &mut Document<'_>) {
    let Some(root) = root_of_bones(document) else { return };
    let Some(name) = document.frames.get(root).and_then(|frame| frame.name.clone()) else { return };
    for mesh in document.meshes.iter_mut().filter(|mesh| !mesh.skin_weights.is_empty()) {
        let bound = bound_vertices(mesh);
        let loose = (0..mesh.vertices.len() as u32).filter(|vertex| !bound.contains(vertex));
        let weights: Vec<(u32, f64)> = loose.map(|vertex| (vertex, 1.0)).collect();
        match mesh.skin_weights.iter_mut().find(|skin| skin.frame == Some(root)) {
            Some(skin) => skin.weights.extend(weights),
            None if weights.is_empty() => {}
            None => mesh.skin_weights.push(SkinWeights {
                bone: name.clone(),
                frame: Some(root),
                weights,
                matrix_offset: IDENTITY,
                span: Span::default(),
            }),
        }
    }
}

/// Returns the index of the parent of the first skinned mesh's frame. This frame and all later ones are bones.
fn root_of_bones(document: &Document<'_>) -> Option<usize> {
    let is_skinned = |mesh: usize| document.meshes.get(mesh).is_some_and(|mesh| !mesh.skin_weights.is_empty());
    let used = document.mesh_uses.iter().find(|used| is_skinned(used.mesh))?;
    document.frames.get(used.frame?)?.parent
}

/// Returns keys for the bones that a set does not move. Each list has one key, at the first time of the matching list
/// of the first animation, with zero translation and no rotation or scale.
fn rest_of_bones<'a>(document: &Document<'a>, root: usize, set: usize) -> Vec<Animation<'a>> {
    let Some(AnimationSet { animations, .. }) = document.animation_sets.get(set) else { return Vec::new() };
    let Some(first) = animations.first() else { return Vec::new() };
    let keys: Vec<AnimationKey> = first.keys.iter().flat_map(constants).collect();
    let moves = |name: &Text<'_>| {
        animations.iter().filter_map(|animation| animation.target.as_ref()).any(|known| known.name.bytes == name.bytes)
    };
    let bones = document.frames.iter().enumerate().skip(root);
    let still = bones.filter_map(|(frame, bone)| Some((frame, bone.name.as_ref().filter(|name| !moves(name))?)));
    let animation = |(frame, name): (usize, &Text<'a>)| Animation {
        name: None,
        target: Some(Target { name: name.clone(), frame: Some(frame) }),
        keys: keys.clone(),
        options: None,
        span: Span::default(),
    };
    still.map(animation).collect()
}

/// Returns lists of the same kinds, or of the parts of a matrix, with one key that moves nothing.
fn constants(keys: &AnimationKey) -> Vec<AnimationKey> {
    let list = |kind, values: &[f64]| {
        let times = keys.times.iter().take(1).copied().collect();
        AnimationKey { kind, times, values: values.to_vec().into(), span: Span::default() }
    };
    let rotation = || list(KeyKind::Rotation, &[1.0, 0.0, 0.0, 0.0]);
    let scale = || list(KeyKind::Scale, &[1.0; 3]);
    let position = || list(KeyKind::Position, &[0.0; 3]);
    match keys.kind {
        KeyKind::Rotation => vec![rotation()],
        KeyKind::Scale => vec![scale()],
        KeyKind::Position => vec![position()],
        KeyKind::Matrix => vec![rotation(), scale(), position()],
    }
}

/// Moves each mesh to the position given by the matrices of the frames above its own. Skinned meshes get these in
/// addition to their bones.
fn move_meshes(document: &mut Document<'_>) {
    let mut root = root_of_bones(document);
    for number in 0..document.mesh_uses.len() {
        let Some(used) = document.mesh_uses.get(number) else { continue };
        let Some(frame) = used.frame else { continue };
        let matrix = around(document, frame);
        let is_skinned = document.meshes.get(used.mesh).is_some_and(|mesh| !mesh.skin_weights.is_empty());
        if !is_skinned {
            place(document, number, matrix);
        } else if let Some(bones) = root.take() {
            insert_above(document, bones, matrix);
        }
    }
}

/// Returns the product of the matrices above a frame, outermost first; the identity if the frame has no matrix of its
/// own.
fn around(document: &Document<'_>, frame: usize) -> Matrix {
    let Some(own) = document.frames.get(frame).filter(|own| own.matrix().is_some()) else { return IDENTITY };
    let mut product = IDENTITY;
    let mut next = own.parent;
    while let Some(frame) = next.and_then(|frame| document.frames.get(frame)) {
        product = times(frame.matrix().unwrap_or(&IDENTITY), &product);
        next = frame.parent;
    }
    product
}

/// Inserts a root frame with a matrix as the new parent of a frame.
fn insert_above(document: &mut Document<'_>, frame: usize, matrix: Matrix) {
    let moved = |index: &mut Option<usize>| {
        if let Some(index) = index.as_mut().filter(|index| **index >= frame) {
            *index += 1;
        }
    };
    document.frames.iter_mut().for_each(|frame| moved(&mut frame.parent));
    document.mesh_uses.iter_mut().for_each(|used| moved(&mut used.frame));
    document.meshes.iter_mut().flat_map(|mesh| &mut mesh.skin_weights).for_each(|skin| moved(&mut skin.frame));
    let animations = document.animation_sets.iter_mut().flat_map(|set| &mut set.animations);
    animations.filter_map(|animation| animation.target.as_mut()).for_each(|target| moved(&mut target.frame));
    if let Some(below) = document.frames.get_mut(frame) {
        below.parent = Some(frame);
    }
    document.frames.insert(frame, Frame { name: None, parent: None, matrices: vec![matrix], span: Span::default() });
}
