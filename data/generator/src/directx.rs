//! The samples as DirectX .x documents, created from the MD5 documents so that both agree.
//!
//! MD5 faces +X, and .x files face -Z. So the roots turn by a quarter about +Z, which maps +X to -Y, and `P` swaps y
//! and z, which also changes the handedness. A column-vector map `A` becomes `P * A * P`, written column by column. A
//! rotation about `a` becomes one about `P * a` in the opposite direction.

use crate::md5::read_rotation;
use bindpose_parsers::md5::{AnimFile, MeshFile};
use bindpose_parsers::x::{
    Animation, AnimationKey, AnimationSet, Document, Faces, Frame, Int, KeyKind, Material, Matrix, Mesh,
    MeshMaterialList, MeshNormals, MeshTextureCoords, MeshUse, SkinWeights, Target, Text, Texture, XSkinMeshHeader,
};
use glam::{DAffine3, DQuat, DVec3, dvec3};
use std::collections::{BTreeMap, BTreeSet};

/// Ticks per second, D3DX's default. It is a whole number of ticks per frame at 24 and at 30 frames per second.
const TICKS_PER_SECOND: u32 = 4800;

/// Creates the .x document with a mesh and its clips, one named animation set each.
pub fn document<'a>(file: &'a MeshFile<'a>, texture: &'a str, clips: &'a [(&'a str, AnimFile<'a>)]) -> Document<'a> {
    let bind: Vec<DAffine3> = file
        .joints
        .iter()
        .map(|joint| {
            let (position, rotation) = (DVec3::from(joint.position), read_rotation(DVec3::from(joint.rotation)));
            rigid(turned(position), QUARTER * rotation)
        })
        .collect();
    let frames = file.joints.iter().enumerate().map(|(index, joint)| {
        let parent = usize::try_from(joint.parent.value).ok();
        let local = parent.map_or(bind[index], |parent| bind[parent].inverse() * bind[index]);
        Frame { name: Some(joint.name.clone()), parent, matrices: vec![matrix(local)], span: Default::default() }
    });
    Document {
        frames: frames.collect(),
        meshes: vec![mesh(file, &bind)],
        // The frame that contains the mesh does not move skinned vertices.
        mesh_uses: vec![MeshUse { mesh: 0, frame: Some(0), span: Default::default() }],
        materials: vec![Material {
            face_color: [1.0; 4],
            power: 12.0,
            specular: [0.2; 3],
            textures: vec![Texture { kind: text("TextureFilename"), filename: text(texture) }],
            ..Material::default()
        }],
        ticks_per_second: vec![int(TICKS_PER_SECOND)],
        animation_sets: clips.iter().map(|(name, clip)| animation_set(name, clip)).collect(),
        ..Document::default()
    }
}

#[expect(clippy::too_many_lines, reason = "one object after the other")]
fn mesh<'a>(file: &'a MeshFile<'a>, bind: &[DAffine3]) -> Mesh<'a> {
    let source = &file.meshes[0];
    let influences = |vertex: usize| {
        let vert = &source.verts[vertex];
        &source.weights[vert.first_weight as usize..][..vert.weight_count as usize]
    };
    let positions: Vec<DVec3> = (0..source.verts.len())
        .map(|vertex| {
            let placed = influences(vertex)
                .iter()
                .map(|weight| bind[weight.joint as usize].transform_point3(DVec3::from(weight.offset)) * weight.bias);
            swapped(placed.sum())
        })
        .collect();
    // Front faces are clockwise in both formats, because swapping the axes changes the handedness.
    let mut faces = Faces::default();
    source.tris.iter().for_each(|tri| faces.push(&tri.corners));
    let mut bones: Vec<Vec<(u32, f64)>> = vec![Vec::new(); bind.len()];
    for vertex in 0..source.verts.len() {
        for weight in influences(vertex) {
            bones[weight.joint as usize].push((vertex as u32, weight.bias));
        }
    }
    let skin_weights =
        bones.into_iter().enumerate().filter(|(_, weights)| !weights.is_empty()).map(|(bone, weights)| SkinWeights {
            bone: file.joints[bone].name.clone(),
            frame: Some(bone),
            weights,
            matrix_offset: matrix(bind[bone].inverse()),
            span: Default::default(),
        });
    let skin_weights: Vec<SkinWeights> = skin_weights.collect();
    let on_face = |corners: [u32; 3]| -> u32 {
        let joints: BTreeSet<u32> =
            corners.iter().flat_map(|&vertex| influences(vertex as usize)).map(|weight| weight.joint).collect();
        joints.len() as u32
    };
    Mesh {
        name: Some(source.shader.clone()),
        vertices: positions.iter().map(|position| position.to_array().map(|value| rounded(value, 1e6))).collect(),
        normals: Some(MeshNormals {
            normals: normals(&positions, &faces).into(),
            faces: faces.clone(),
            span: Default::default(),
        }),
        texture_coords: Some(MeshTextureCoords {
            coords: source.verts.iter().map(|vert| vert.uv).collect(),
            span: Default::default(),
        }),
        material_list: Some(MeshMaterialList {
            declared: Some(int(1)),
            materials: vec![0],
            face_materials: vec![0; faces.len()],
            span: Default::default(),
        }),
        skin_header: Some(XSkinMeshHeader {
            max_weights_per_vertex: int(source.verts.iter().map(|vert| vert.weight_count).max().unwrap_or(0)),
            max_weights_per_face: int(source.tris.iter().map(|tri| on_face(tri.corners)).max().unwrap_or(0)),
            bones: int(skin_weights.len() as u32),
            span: Default::default(),
        }),
        skin_weights,
        faces,
        ..Mesh::default()
    }
}

/// Sums unit face normals, also across vertices at the same position, as an MD5 reader does.
fn normals(positions: &[DVec3], faces: &Faces) -> Vec<[f64; 3]> {
    let key = |vertex: u32| positions[vertex as usize].to_array().map(f64::to_bits);
    let mut sums: BTreeMap<[u64; 3], DVec3> = BTreeMap::new();
    for corners in faces.iter() {
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        let [p, q, r] = [a, b, c].map(|vertex| positions[vertex as usize]);
        // The winding is clockwise in a left-handed space, so the cross product still points out of the front.
        let normal = (q - p).cross(r - p).normalize_or_zero();
        [a, b, c].into_iter().for_each(|vertex| *sums.entry(key(vertex)).or_default() += normal);
    }
    (0..positions.len() as u32)
        .map(|vertex| sums[&key(vertex)].normalize_or_zero().to_array().map(|value| rounded(value, 1e6)))
        .collect()
}

fn animation_set<'a>(name: &'a str, clip: &'a AnimFile<'a>) -> AnimationSet<'a> {
    let count = clip.num_animated_components.value as usize;
    let step = f64::from(TICKS_PER_SECOND) / clip.frame_rate;
    let animations = clip.hierarchy.iter().zip(&clip.baseframe).enumerate().map(|(joint, (channel, base))| {
        let frames = (0..clip.frames.len()).map(|frame| {
            let mut stored = clip.components[frame * count + channel.first_component.value as usize..].iter();
            let [x, y, z] = base.position;
            let [qx, qy, qz] = base.rotation;
            let mut values = [x, y, z, qx, qy, qz];
            for (bit, value) in values.iter_mut().enumerate().filter(|(bit, _)| channel.flags.value >> bit & 1 == 1) {
                *value = *stored.next().unwrap_or_else(|| panic!("component {bit} of joint {joint} is missing"));
            }
            values
        });
        let is_root = channel.parent.value < 0;
        let frames: Vec<[f64; 6]> = frames.collect();
        let rotations = frames.iter().map(|&[.., x, y, z]| {
            let rotation = read_rotation(dvec3(x, y, z));
            let DQuat { x, y, z, w } = if is_root { QUARTER * rotation } else { rotation };
            // P mirrors the axis and reverses the direction. The file has the conjugate of the result, w first.
            [w, x, z, y].map(|value| rounded(value, 1e8)).to_vec()
        });
        let positions = frames.iter().map(|&[x, y, z, ..]| {
            let position = dvec3(x, y, z);
            swapped(if is_root { turned(position) } else { position }).to_array().to_vec()
        });
        Animation {
            target: Some(Target { name: channel.name.clone(), frame: Some(joint) }),
            keys: vec![
                keys(KeyKind::Rotation, step, rotations),
                keys(KeyKind::Scale, step, std::iter::once(vec![1.0; 3])),
                keys(KeyKind::Position, step, positions),
            ],
            ..Animation::default()
        }
    });
    AnimationSet { name: Some(text(name)), animations: animations.collect(), span: Default::default() }
}

/// Returns a key per value, or a single key if all are equal.
fn keys(kind: KeyKind, step: f64, values: impl Iterator<Item = Vec<f64>>) -> AnimationKey {
    let mut values: Vec<Vec<f64>> = values.collect();
    if values.iter().all(|value| *value == values[0]) {
        values.truncate(1);
    }
    let times = (0..values.len()).map(|frame| frame as f64 * step).collect();
    AnimationKey { kind, times, values: values.concat().into(), span: Default::default() }
}

fn rigid(position: DVec3, rotation: DQuat) -> DAffine3 {
    DAffine3::from_rotation_translation(rotation, position)
}

/// A quarter turn about +Z, from +X to -Y.
const QUARTER: DQuat = DQuat::from_xyzw(0.0, 0.0, -std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2);

/// [`QUARTER`] applied to a position, without rounding.
fn turned(value: DVec3) -> DVec3 {
    // Adding zero turns -0 into 0.
    dvec3(value.y, -value.x, value.z) + DVec3::ZERO
}

fn swapped(value: DVec3) -> DVec3 {
    dvec3(value.x, value.z, value.y)
}

/// Returns `P * map * P`, column by column.
fn matrix(map: DAffine3) -> Matrix {
    let [x, y, z] = [map.matrix3.x_axis, map.matrix3.z_axis, map.matrix3.y_axis]
        .map(|axis| swapped(axis).to_array().map(|value| rounded(value, 1e8)));
    let t = swapped(map.translation).to_array().map(|value| rounded(value, 1e6));
    [x[0], x[1], x[2], 0.0, y[0], y[1], y[2], 0.0, z[0], z[1], z[2], 0.0, t[0], t[1], t[2], 1.0]
}

fn rounded(value: f64, per_unit: f64) -> f64 {
    libm::round(value * per_unit) / per_unit + 0.0
}

fn text(text: &str) -> Text<'_> {
    Text { bytes: text.as_bytes().into(), span: Default::default() }
}

fn int(value: u32) -> Int {
    Int { value: value.into(), span: Default::default() }
}
