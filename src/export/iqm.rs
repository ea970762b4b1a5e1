//! Inter-Quake Model (`.iqm`), version 2.
//!
//! Axes, winding and texture coordinates are those of MD5. The file contains all clips, as poses of all joints in each
//! frame, with 16 bits for each number that changes. Weights have 8 bits.

use crate::frames::{Frames, points, sampled};
use crate::influences::{inverse_or_identity, simplified_meshes};
use crate::loss::{Loss, size_of};
use crate::measure::moved_by_clip;
use crate::prepare::{motion_loss, prepare};
use crate::unique::Unique;
use crate::{Error, Front, Output};
use bindpose_core::budget::grouped;
use bindpose_core::model::{Influence, JointId, Mesh, Model, Transform, bounds_of};
use bindpose_core::pose::{LocalPose, ModelPose, bind_pose, local_to_model};
use glam::{DAffine3, DQuat, DVec3, Vec4};

/// Settings of an .iqm file.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Direction that the model faces; it becomes +X in the file. `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// Factor of all lengths, positive.
    pub scale: f64,
    /// Frames per second of all clips; `None` keeps each clip's own.
    pub frame_rate: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { front: Some(Front::default()), scale: 1.0, frame_rate: None }
    }
}

/// Direction that models face in this format.
const FRONT: Front = Front::PositiveX;
/// Influences per vertex.
const INFLUENCES: usize = 4;
/// Largest number of joints that a byte can address.
const MOST_JOINTS: usize = 256;
/// Numbers in a joint's pose: translation, rotation, scale.
const CHANNELS: usize = 10;

/// Writes a model.
///
/// # Errors
///
/// [`Error`]: nothing to write, more than 256 joints, too many frames, or numbers that do not fit in 32 bits.
pub fn write(model: &Model, options: &Options) -> Result<Output, Error> {
    let mut losses = Vec::new();
    let mut model = prepare(model, options.front, FRONT, options.scale, &mut losses)?;
    if model.skeleton.len() > MOST_JOINTS && !model.meshes.is_empty() {
        let joints = grouped(model.skeleton.len());
        return Err(Error::Limit(format!("{joints} joints; a vertex of an .iqm file can name up to {MOST_JOINTS}")));
    }
    let size = size_of(&model);
    let simplified = simplified_meshes(&model, Some(INFLUENCES), size, &mut losses);
    let held = held(&model, simplified.into_iter().map(|simplified| simplified.mesh).collect());
    if model.clips.is_empty() {
        // Only clips need the meshes as they were.
        model.meshes = Vec::new();
    }
    let mut clips = Vec::new();
    for clip in &model.clips {
        let mut frames = sampled(&model, clip, options.frame_rate, &clips, &mut losses)?;
        keep_signs(&mut frames);
        clips.push(frames);
    }
    let ranges = Ranges::new(&clips, model.skeleton.len());
    for (clip, frames) in model.clips.iter().zip(&mut clips) {
        ranges.round(frames);
        let there = frames.to_clip(&held.skeleton);
        let moved = moved_by_clip(&model, clip, &held.skeleton, &held.meshes, &there, 1.0);
        losses.extend(motion_loss(&clip.name, moved, size));
    }
    let bytes = File::new(&held, &clips, &ranges, &mut losses)?.bytes()?;
    Ok(Output { bytes, beside: Vec::new(), losses })
}

/// Returns the model as the file stores it: joints with translation, rotation and scale at the bind pose, one bind pose
/// for all meshes, weights in steps of 1/255.
fn held(model: &Model, meshes: Vec<Mesh>) -> Model {
    let bind = bind_pose(&model.skeleton, model.meshes.iter().flat_map(|mesh| &mesh.bind)).0;
    let Model { name, skeleton, materials, front, .. } = model;
    let (name, skeleton, materials) = (name.clone(), skeleton.clone(), materials.clone());
    let mut held = Model { name, skeleton, meshes, materials, clips: Vec::new(), front: *front };
    let mut places: Vec<DAffine3> = Vec::with_capacity(bind.len());
    for (joint, whole) in held.skeleton.ids().zip(bind) {
        let parent = held.skeleton[joint].parent.map_or(DAffine3::IDENTITY, |parent| places[parent.index()]);
        let local = Transform::from_affine(inverse_or_identity(&parent) * whole);
        let local = Transform { shear: DVec3::ZERO, ..local };
        places.push(parent * local.to_affine());
        held.skeleton.set_rest_local(joint, local);
    }
    for mesh in &mut held.meshes {
        let (mut influences, mut starts) = (Vec::new(), vec![0]);
        for vertex in 0..mesh.vertex_count() {
            let own = mesh.influences_of(vertex);
            let bytes = weight_bytes(own);
            let place = |influence: &Influence| places[mesh.bind[influence.slot as usize].joint.index()];
            let pulled = own.iter().zip(&bytes).map(|(influence, &byte)| {
                place(influence).transform_point3(influence.offset.as_dvec3()) * f64::from(byte) / 255.0
            });
            let position: DVec3 = if own.is_empty() { mesh.positions[vertex].as_dvec3() } else { pulled.sum() };
            influences.extend(own.iter().zip(bytes).filter(|(_, byte)| *byte > 0).map(|(influence, byte)| Influence {
                slot: influence.slot,
                weight: f32::from(byte) / 255.0,
                offset: inverse_or_identity(&place(influence)).transform_point3(position).as_vec3(),
            }));
            starts.push(influences.len() as u32);
            mesh.positions[vertex] = position.as_vec3();
        }
        (mesh.influences, mesh.influence_starts) = (influences, starts);
        mesh.bind.iter_mut().for_each(|bound| bound.inverse_bind = inverse_or_identity(&places[bound.joint.index()]));
    }
    held
}

/// Converts weights to bytes that sum to 255. Each is rounded down, and the rest goes to those that lost most.
fn weight_bytes(influences: &[Influence]) -> Vec<u8> {
    let exact: Vec<f32> = influences.iter().map(|influence| influence.weight.clamp(0.0, 1.0) * 255.0).collect();
    let mut bytes: Vec<u8> = exact.iter().map(|exact| *exact as u8).collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let left = 255_u32.saturating_sub(bytes.iter().map(|&byte| u32::from(byte)).sum());
    for &place in order.iter().cycle().take(if order.is_empty() { 0 } else { left as usize }) {
        bytes[place] = bytes[place].saturating_add(1);
    }
    bytes
}

/// Gives each rotation the sign that is nearest to the previous frame's, so that readers with linear interpolation take
/// the shorter path.
fn keep_signs(frames: &mut Frames) {
    let mut before: Vec<DQuat> = Vec::new();
    for pose in &mut frames.poses {
        for (joint, local) in pose.0.iter_mut().enumerate() {
            local.shear = DVec3::ZERO;
            let turn = match before.get(joint) {
                Some(before) => local.rotation.dot(*before) < 0.0,
                None => local.rotation.w > 0.0,
            };
            if turn {
                local.rotation = -local.rotation;
            }
        }
        before.clear();
        before.extend(pose.0.iter().map(|local| local.rotation));
    }
}

fn channels(local: &Transform) -> [f64; CHANNELS] {
    let ([tx, ty, tz], [sx, sy, sz]) = (local.translation.to_array(), local.scale.to_array());
    let [qx, qy, qz, qw] = local.rotation.to_array();
    [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz]
}

/// Offset and scale of each number of a joint: `offset + bits * scale` with 16 bits.
struct Ranges(Vec<[(f32, f32); CHANNELS]>);

impl Ranges {
    fn new(clips: &[Frames], joints: usize) -> Self {
        let mut spans = vec![[(f64::INFINITY, f64::NEG_INFINITY); CHANNELS]; joints];
        for pose in clips.iter().flat_map(|clip| &clip.poses) {
            for (spans, local) in spans.iter_mut().zip(&pose.0) {
                for ((low, high), value) in spans.iter_mut().zip(channels(local)) {
                    (*low, *high) = (low.min(value), high.max(value));
                }
            }
        }
        let range = |(low, high): (f64, f64)| {
            let step = (high - low) / 65_535.0;
            // A range smaller than rounded decimals is constant.
            let changes = high - low > 1e-9 * low.abs().max(high.abs()).max(1e-3);
            (low as f32, if changes { step as f32 } else { 0.0 })
        };
        Self(spans.into_iter().map(|spans| spans.map(range)).collect())
    }

    /// Returns a mask with a bit for each number of a joint that changes.
    fn mask(&self, joint: usize) -> u32 {
        let changing = self.0[joint].iter().zip(0..).filter(|((_, scale), _)| *scale > 0.0);
        changing.map(|(_, channel)| 1 << channel).sum()
    }

    fn bits(value: f64, (offset, scale): (f32, f32)) -> u16 {
        // The cast saturates.
        ((value - f64::from(offset)) / f64::from(scale)).round() as u16
    }

    /// Rounds the poses to the values that a reader will see.
    fn round(&self, frames: &mut Frames) {
        for pose in &mut frames.poses {
            for (local, ranges) in pose.0.iter_mut().zip(&self.0) {
                let mut values = channels(local);
                for (value, &(offset, scale)) in values.iter_mut().zip(ranges) {
                    *value = match scale > 0.0 {
                        true => f64::from(offset) + f64::from(scale) * f64::from(Self::bits(*value, (offset, scale))),
                        false => f64::from(offset),
                    };
                }
                let [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] = values;
                *local = Transform {
                    translation: DVec3::new(tx, ty, tz),
                    rotation: DQuat::from_xyzw(qx, qy, qz, qw).normalize(),
                    scale: DVec3::new(sx, sy, sz),
                    shear: DVec3::ZERO,
                };
            }
        }
    }
}

/// The parts of a file, each with its bytes and number of entries.
#[derive(Default)]
struct File {
    text: Vec<u8>,
    meshes: Part,
    arrays: Vec<Array>,
    vertices: usize,
    triangles: Part,
    joints: Part,
    poses: Part,
    anims: Part,
    frames: Part,
    frame_channels: usize,
    bounds: Part,
}

#[derive(Default)]
struct Part {
    count: usize,
    bytes: Vec<u8>,
}

/// A vertex array.
struct Array {
    kind: u32,
    format: u32,
    size: u32,
    bytes: Vec<u8>,
}

/// Formats of vertex arrays.
const UNSIGNED_BYTE: u32 = 1;
const FLOAT: u32 = 7;

impl Part {
    fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        words.into_iter().for_each(|word| self.bytes.extend(word.to_le_bytes()));
    }

    fn floats(&mut self, floats: impl IntoIterator<Item = f64>) {
        floats.into_iter().for_each(|float| self.bytes.extend((float as f32 + 0.0).to_le_bytes()));
    }
}

impl File {
    fn new(model: &Model, clips: &[Frames], ranges: &Ranges, losses: &mut Vec<Loss>) -> Result<Self, Error> {
        // Offset 0 is the empty string.
        let mut file = Self { text: vec![0], ..Self::default() };
        file.add_joints(model, losses);
        file.add_meshes(model)?;
        if !clips.is_empty() {
            file.add_clips(model, clips, ranges, losses);
        }
        let all = [&file.joints, &file.poses, &file.bounds];
        let numbers = all.iter().flat_map(|part| part.bytes.chunks_exact(4));
        let is_infinite =
            |bytes: &[u8]| <[u8; 4]>::try_from(bytes).is_ok_and(|bytes| f32::from_le_bytes(bytes).is_infinite());
        if numbers.into_iter().any(is_infinite) {
            return Err(Error::Numbers("the model has numbers that 32 bits cannot hold".into()));
        }
        Ok(file)
    }

    fn name(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let offset = self.text.len() as u32;
        // A zero byte ends the string.
        self.text.extend(name.bytes().map(|byte| if byte == 0 { b'_' } else { byte }));
        self.text.push(0);
        offset
    }

    fn add_joints(&mut self, model: &Model, losses: &mut Vec<Loss>) {
        let mut names = Unique::default();
        for joint in model.skeleton.joints() {
            let name = self.name(&names.add(&joint.name));
            self.joints.words([name, parent_word(joint.parent)]);
            self.joints.floats(channels(&joint.rest_local));
            self.joints.count += 1;
        }
        losses.extend(names.into_loss("joint"));
    }

    fn add_meshes(&mut self, model: &Model) -> Result<(), Error> {
        let has_colors = model.meshes.iter().any(|mesh| !mesh.colors.is_empty());
        let (mut positions, mut uvs, mut normals, mut tangents) =
            (Part::default(), Part::default(), Part::default(), Part::default());
        let (mut indices, mut weights, mut colors) = (Vec::new(), Vec::new(), Vec::new());
        for mesh in &model.meshes {
            if !mesh.positions.iter().all(|position| position.is_finite()) {
                return Err(Error::Numbers(format!(
                    "the positions of mesh '{}' have numbers that are not finite",
                    mesh.name
                )));
            }
            let material = model.materials.get(mesh.material.index());
            let material = material.map_or("", |material| material.image_file().unwrap_or(&material.name));
            let (name, material) = (self.name(&mesh.name), self.name(material));
            let (vertices, triangles) = (mesh.vertex_count(), mesh.triangles.len());
            let head = [self.vertices, vertices, self.triangles.count, triangles].map(|count| count as u32);
            self.meshes.words([name, material].into_iter().chain(head));
            self.meshes.count += 1;
            let first = self.vertices as u32;
            // Clockwise, as in MD5.
            self.triangles.words(mesh.triangles.iter().flat_map(|&[a, b, c]| [a, c, b]).map(|corner| corner + first));
            self.triangles.count += triangles;
            self.vertices += vertices;
            positions.floats(mesh.positions.iter().flat_map(|position| position.to_array()).map(f64::from));
            uvs.floats(mesh.uvs.iter().flat_map(|uv| uv.to_array()).map(f64::from));
            normals.floats(mesh.normals.iter().flat_map(|normal| normal.to_array()).map(f64::from));
            tangents.floats((0..vertices).flat_map(|vertex| mesh.tangent(vertex).to_array()).map(f64::from));
            for vertex in 0..vertices {
                let (mut of_vertex, mut pulls) = ([0_u8; 4], [0_u8; 4]);
                for (place, influence) in mesh.influences_of(vertex).iter().take(INFLUENCES).enumerate() {
                    of_vertex[place] = mesh.bind[influence.slot as usize].joint.index() as u8;
                    pulls[place] = (influence.weight * 255.0).round() as u8;
                }
                indices.extend(of_vertex);
                weights.extend(pulls);
                let color = mesh.colors.get(vertex).copied().unwrap_or(Vec4::ONE);
                colors.extend(color.to_array().map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8));
            }
        }
        if self.vertices == 0 {
            return Ok(());
        }
        let float = |kind, size, part: Part| Array { kind, format: FLOAT, size, bytes: part.bytes };
        let bytes = |kind, bytes| Array { kind, format: UNSIGNED_BYTE, size: 4, bytes };
        self.arrays = vec![float(0, 3, positions), float(1, 2, uvs), float(2, 3, normals), float(3, 4, tangents)];
        if !model.skeleton.is_empty() {
            self.arrays.extend([bytes(4, indices), bytes(5, weights)]);
        }
        if has_colors {
            self.arrays.push(bytes(6, colors));
        }
        Ok(())
    }

    fn add_clips(&mut self, model: &Model, clips: &[Frames], ranges: &Ranges, losses: &mut Vec<Loss>) {
        for (index, joint) in model.skeleton.joints().iter().enumerate() {
            let mask = ranges.mask(index);
            self.frame_channels += mask.count_ones() as usize;
            self.poses.words([parent_word(joint.parent), mask]);
            self.poses.floats(ranges.0[index].iter().map(|(offset, _)| f64::from(*offset)));
            self.poses.floats(ranges.0[index].iter().map(|(_, scale)| f64::from(*scale)));
            self.poses.count += 1;
        }
        let mut names = Unique::default();
        let mut pose = ModelPose::default();
        for clip in clips {
            let name = self.name(&names.add(&clip.name));
            self.anims.words([name, self.frames.count as u32, clip.poses.len() as u32]);
            self.anims.floats([clip.rate]);
            self.anims.words([u32::from(clip.looping)]);
            self.anims.count += 1;
            for local in &clip.poses {
                self.add_frame(local, ranges);
                local_to_model(&model.skeleton, local, &mut pose);
                self.add_bounds(&points(&model.meshes, &pose));
            }
        }
        losses.extend(names.into_loss("clip"));
    }

    fn add_frame(&mut self, local: &LocalPose, ranges: &Ranges) {
        for (local, ranges) in local.0.iter().zip(&ranges.0) {
            for (value, &range) in channels(local).into_iter().zip(ranges).filter(|(_, (_, scale))| *scale > 0.0) {
                self.frames.bytes.extend(Ranges::bits(value, range).to_le_bytes());
            }
        }
        self.frames.count += 1;
    }

    fn add_bounds(&mut self, points: &[DVec3]) {
        let (min, max) = bounds_of(points.iter().copied()).unwrap_or_default();
        let flat = points.iter().map(|point| point.truncate().length()).fold(0.0, f64::max);
        let round = points.iter().map(|point| point.length()).fold(0.0, f64::max);
        self.bounds.floats(min.to_array().into_iter().chain(max.to_array()).chain([flat, round]));
        self.bounds.count += 1;
    }

    /// Returns the file: the header, then every part at a multiple of four bytes. Empty parts have the offset 0.
    fn bytes(self) -> Result<Vec<u8>, Error> {
        const HEADER: usize = 16 + 27 * 4;
        let mut body: Vec<u8> = vec![0; HEADER];
        let mut place = |bytes: &[u8]| {
            if bytes.is_empty() {
                return 0;
            }
            body.resize(body.len().next_multiple_of(4), 0);
            body.extend_from_slice(bytes);
            (body.len() - bytes.len()) as u32
        };
        let text = place(&self.text);
        let meshes = place(&self.meshes.bytes);
        let mut heads = Part::default();
        for array in &self.arrays {
            let offset = place(&array.bytes);
            heads.words([array.kind, 0, array.format, array.size, offset]);
        }
        let arrays = place(&heads.bytes);
        let triangles = place(&self.triangles.bytes);
        let joints = place(&self.joints.bytes);
        let poses = place(&self.poses.bytes);
        let anims = place(&self.anims.bytes);
        let frames = place(&self.frames.bytes);
        let bounds = place(&self.bounds.bytes);
        let size = u32::try_from(body.len())
            .map_err(|_| Error::Limit(format!("{} bytes; an .iqm file holds up to 4 GiB", grouped(body.len()))))?;
        let count = |count: usize| count as u32;
        let mut header = Part { count: 0, bytes: b"INTERQUAKEMODEL\0".to_vec() };
        header.words([2, size, 0]);
        header.words([count(self.text.len()), text]);
        header.words([count(self.meshes.count), meshes]);
        header.words([count(self.arrays.len()), count(self.vertices), arrays]);
        // There is no adjacency, comment or extension.
        header.words([count(self.triangles.count), triangles, 0]);
        header.words([count(self.joints.count), joints]);
        header.words([count(self.poses.count), poses]);
        header.words([count(self.anims.count), anims]);
        header.words([count(self.frames.count), count(self.frame_channels), frames, bounds]);
        header.words([0, 0, 0, 0]);
        body[..HEADER].copy_from_slice(&header.bytes);
        Ok(body)
    }
}

/// Returns the index of the parent, or -1 for a root.
fn parent_word(parent: Option<JointId>) -> u32 {
    parent.map_or(u32::MAX, |parent| parent.index() as u32)
}
