//! A reader of `.glb` files by the crate `gltf`, which shares no code with ours, and a small implementation of
//! skinning.

use glam::{DMat4, DQuat, DVec3};
use gltf::animation::util::ReadOutputs;
use gltf::{Document, Gltf, Semantic};

/// A file and its binary chunk.
pub struct File {
    pub document: Document,
    pub binary: Vec<u8>,
}

/// Translation, rotation and scale of a node.
type Parts = (DVec3, DQuat, DVec3);

impl File {
    pub fn new(glb: &[u8]) -> Self {
        let Gltf { document, blob } = Gltf::from_slice(glb).unwrap();
        Self { document, binary: blob.unwrap_or_default() }
    }

    fn bytes<'a>(&'a self) -> impl Clone + Fn(gltf::Buffer<'_>) -> Option<&'a [u8]> {
        move |_| Some(self.binary.as_slice())
    }

    /// Returns the positions of all vertices in an animation at a time, or in the pose of the nodes, in glTF's axes,
    /// primitive by primitive.
    pub fn placed(&self, animation: Option<(usize, f64)>) -> Vec<Vec<DVec3>> {
        let worlds = self.worlds(animation);
        let mut all = Vec::new();
        for node in self.document.nodes() {
            let Some(mesh) = node.mesh() else { continue };
            let matrices: Vec<DMat4> = node.skin().map_or_else(Vec::new, |skin| {
                let inverse = skin.reader(self.bytes()).read_inverse_bind_matrices().unwrap();
                let inverse =
                    inverse.map(|matrix| DMat4::from_cols_array_2d(&matrix.map(|column| column.map(f64::from))));
                skin.joints().zip(inverse).map(|(joint, inverse)| worlds[joint.index()] * inverse).collect()
            });
            for primitive in mesh.primitives() {
                let reader = primitive.reader(self.bytes());
                let positions = reader.read_positions().unwrap().map(|place| DVec3::from_array(place.map(f64::from)));
                let mut blended: Vec<DVec3> = Vec::new();
                let sets =
                    primitive.attributes().filter(|(semantic, _)| matches!(semantic, Semantic::Joints(_))).count();
                let positions: Vec<DVec3> = positions.collect();
                blended.resize(positions.len(), DVec3::ZERO);
                for set in 0..sets as u32 {
                    let joints = reader.read_joints(set).unwrap().into_u16();
                    let weights = reader.read_weights(set).unwrap().into_f32();
                    for ((joints, weights), (place, sum)) in joints.zip(weights).zip(positions.iter().zip(&mut blended))
                    {
                        for (joint, weight) in joints.into_iter().zip(weights) {
                            *sum += matrices[joint as usize].transform_point3(*place) * f64::from(weight);
                        }
                    }
                }
                all.push(if sets == 0 {
                    positions.iter().map(|&place| worlds[node.index()].transform_point3(place)).collect()
                } else {
                    blended
                });
            }
        }
        all
    }

    /// Returns the transforms from nodes to the scene.
    fn worlds(&self, animation: Option<(usize, f64)>) -> Vec<DMat4> {
        let mut parts: Vec<Parts> = self
            .document
            .nodes()
            .map(|node| {
                let (translation, rotation, scale) = node.transform().decomposed();
                let rotation = DQuat::from_array(rotation.map(f64::from));
                (DVec3::from_array(translation.map(f64::from)), rotation, DVec3::from_array(scale.map(f64::from)))
            })
            .collect();
        if let Some((number, time)) = animation {
            for channel in self.document.animations().nth(number).unwrap().channels() {
                let reader = channel.reader(self.bytes());
                let times: Vec<f64> = reader.read_inputs().unwrap().map(f64::from).collect();
                let after = times.partition_point(|&key| key <= time);
                let (from, to) = (after.saturating_sub(1), after.min(times.len() - 1));
                let share = if from == to { 0.0 } else { ((time - times[from]) / (times[to] - times[from])).max(0.0) };
                let vector = |values: Vec<[f32; 3]>| {
                    let at = |key: usize| DVec3::from_array(values[key].map(f64::from));
                    at(from).lerp(at(to), share)
                };
                let part = &mut parts[channel.target().node().index()];
                match reader.read_outputs().unwrap() {
                    ReadOutputs::Translations(values) => part.0 = vector(values.collect()),
                    ReadOutputs::Scales(values) => part.2 = vector(values.collect()),
                    ReadOutputs::Rotations(values) => {
                        let values: Vec<[f32; 4]> = values.into_f32().collect();
                        let at = |key: usize| DQuat::from_array(values[key].map(f64::from)).normalize();
                        // The signs match, so the shorter path is the direct one.
                        part.1 = at(from).slerp(at(to), share);
                    }
                    ReadOutputs::MorphTargetWeights(_) => panic!("nobody writes morph targets"),
                }
            }
        }
        let mut worlds = vec![DMat4::IDENTITY; parts.len()];
        let mut open: Vec<(gltf::Node<'_>, DMat4)> =
            self.document.default_scene().unwrap().nodes().map(|node| (node, DMat4::IDENTITY)).collect();
        while let Some((node, above)) = open.pop() {
            let (translation, rotation, scale) = parts[node.index()];
            let world = above * DMat4::from_scale_rotation_translation(scale, rotation, translation);
            worlds[node.index()] = world;
            open.extend(node.children().map(|child| (child, world)));
        }
        worlds
    }
}
