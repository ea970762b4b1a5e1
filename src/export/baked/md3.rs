//! Quake III's `.md3`: vertices in steps of 1/64 unit, a surface for each mesh, and tags.

use super::shell::Shell;
use super::{Baked, Counts, FRAME_NAME, Rounding, Written, floats, text, words};
use crate::Error;
use crate::loss::{Loss, NewName};
use crate::unique::{Unique, cut};
use bindpose_core::model::{JointId, bounds_of};
use bindpose_core::pose::ModelPose;
use glam::{DVec3, IVec2, Vec2};
use std::f64::consts::TAU;

/// Steps per unit.
const STEPS: f64 = 64.0;
/// Bytes of a name, with the zero byte at its end.
const NAME: usize = 64;
/// Bytes of the header, and of a surface's.
const HEAD: usize = 108;
/// Bytes of a shader: name and number.
const SHADER: usize = 68;

/// Writes the file.
pub(super) fn write(
    baked: &Baked,
    tags: &[(JointId, String)],
    stem: &str,
    losses: &mut Vec<Loss>,
) -> Result<Written, Error> {
    let meshes = baked.meshes.iter().map(|prepared| &prepared.mesh);
    let shells: Vec<Shell> = meshes.map(|mesh| Shell::new(mesh, |_: [Vec2; 3]| IVec2::ZERO)).collect();
    let mut packed: Vec<Vec<u8>> = shells.iter().map(|_| Vec::new()).collect();
    let (mut frames, mut placed_tags) = (Vec::new(), Vec::new());
    let mut names = Unique::default();
    let names_of_tags: Vec<String> = tags.iter().map(|(_, name)| named(&mut names, name)).collect();
    losses.extend(names.into_loss("tag"));
    let mut rounding = Rounding { bits: 16, moved: 0.0, size: baked.size };
    for (frame, (name, _)) in baked.frames.iter().enumerate() {
        let pose = baked.pose(frame);
        let mut stored = Vec::new();
        for (mesh, shell) in shells.iter().enumerate() {
            for (position, normal) in baked.vertices(mesh, shell, &pose)? {
                let steps = steps(position)?;
                let at = DVec3::from_array(steps.map(f64::from)) / STEPS;
                rounding.add(position, at);
                stored.push(at);
                packed[mesh].extend(steps.into_iter().flat_map(i16::to_le_bytes).chain(angles(normal)));
            }
        }
        let (min, max) = bounds_of(stored.iter().copied()).unwrap_or_default();
        let radius = stored.iter().map(|at| at.length()).fold(0.0, f64::max);
        floats(&mut frames, [min, max, DVec3::ZERO].map(|point| point.as_vec3()));
        frames.extend((radius as f32).to_le_bytes());
        text(&mut frames, name, FRAME_NAME);
        tags.iter().zip(&names_of_tags).for_each(|((joint, _), name)| add_tag(&mut placed_tags, &pose, *joint, name));
    }
    let mut bytes = b"IDP3".to_vec();
    words(&mut bytes, [15]);
    text(&mut bytes, &format!("{stem}.md3"), NAME);
    let first_surface = HEAD + frames.len() + placed_tags.len();
    words(&mut bytes, [0, baked.frames.len(), tags.len(), shells.len(), 0, HEAD, HEAD + frames.len(), first_surface]);
    let surfaces = surfaces(baked, &shells, packed, losses);
    words(&mut bytes, [first_surface + surfaces.len()]);
    bytes.extend(frames);
    bytes.extend(placed_tags);
    bytes.extend(surfaces);
    let most = |count: fn(&Shell) -> usize| shells.iter().map(count).max().unwrap_or(0);
    let (vertices, triangles) = (most(|shell| shell.vertices.len()), most(|shell| shell.triangles.len()));
    let counts = Counts { vertices, triangles, frames: baked.frames.len(), surfaces: shells.len() };
    Ok(Written { bytes, rounding, counts })
}

/// Returns the surfaces of all meshes, whose vertices in all frames are `packed`.
fn surfaces(baked: &Baked, shells: &[Shell], packed: Vec<Vec<u8>>, losses: &mut Vec<Loss>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut names = Unique::default();
    for ((mesh, shell), packed) in baked.meshes.iter().zip(shells).zip(packed) {
        let mesh = &mesh.mesh;
        let unused = shell.unused(mesh);
        losses.extend((unused > 0).then(|| Loss::UnusedVertices { mesh: mesh.name.clone(), vertices: unused }));
        let material = baked.model.materials.get(mesh.material.index());
        let shader = material.map_or("", |material| material.image_file().unwrap_or(&material.name));
        if shader.len() >= NAME {
            let to = cut(shader, NAME - 1).to_owned();
            losses.push(Loss::Renamed { what: "image", names: vec![NewName { from: shader.to_owned(), to }] });
        }
        let name = named(&mut names, &mesh.name);
        let (vertices, triangles) = (shell.vertices.len(), shell.triangles.len());
        bytes.extend(b"IDP3");
        text(&mut bytes, &name, NAME);
        words(&mut bytes, [0, baked.frames.len(), 1, vertices, triangles]);
        let coordinates = HEAD + SHADER + 12 * triangles;
        let positions = coordinates + 8 * vertices;
        words(&mut bytes, [HEAD + SHADER, HEAD, coordinates, positions, positions + packed.len()]);
        text(&mut bytes, shader, NAME);
        words(&mut bytes, [0]);
        shell.triangles.iter().for_each(|corners| words(&mut bytes, corners.map(|corner| corner as usize)));
        shell.uvs.iter().flat_map(|uv| uv.to_array()).for_each(|part| bytes.extend(part.to_le_bytes()));
        bytes.extend(packed);
    }
    losses.extend(names.into_loss("mesh"));
    bytes
}

/// Returns the name of a surface or tag: as long as the format allows, and unique.
pub(super) fn named(names: &mut Unique, name: &str) -> String {
    names.add_legal(name, cut(name, NAME - 1), NAME - 1)
}

/// Returns a position in steps.
fn steps(position: DVec3) -> Result<[i16; 3], Error> {
    let steps = (position * STEPS).round().to_array();
    if steps.iter().any(|step| !(f64::from(i16::MIN)..=f64::from(i16::MAX)).contains(step)) {
        let far = position.abs().max_element();
        let fits = 511.0 / far;
        return Err(Error::Limit(format!(
            "a vertex is {far:.1} units from the origin; .md3 files reach from -512 to 511.98: --scale {fits:.3} makes it fit"
        )));
    }
    Ok(steps.map(|step| step as i16))
}

/// Returns a normal as angles of 1/255 turn: from +z, then about it from +x.
fn angles(normal: DVec3) -> [u8; 2] {
    let from_z = normal.z.clamp(-1.0, 1.0).acos();
    let about_z = if normal.x == 0.0 && normal.y == 0.0 { 0.0 } else { normal.y.atan2(normal.x).rem_euclid(TAU) };
    [from_z, about_z].map(|angle| (angle * 255.0 / TAU).round() as u8)
}

/// Appends a tag: name, origin, and the joint's x, y and z axes in model space.
fn add_tag(bytes: &mut Vec<u8>, pose: &ModelPose, joint: JointId, name: &str) {
    let place = &pose.0[joint.index()];
    let axes = [place.matrix3.x_axis, place.matrix3.y_axis, place.matrix3.z_axis].map(DVec3::normalize_or_zero);
    text(bytes, name, NAME);
    floats(bytes, [place.translation].into_iter().chain(axes).map(|point| point.as_vec3()));
}
