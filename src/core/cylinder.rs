//! The articles' test model: a cylinder on two joints, and its ideal elbow.

use crate::model::{BindJoint, Influence, Mesh, Skeleton, Transform};
use crate::pose::{LocalPose, ModelPose};
use crate::skin::{Example, ExampleMesh, SIGMA};
use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3};
use std::f64::consts::TAU;

/// A closed cylinder of radius 1 along x on a chain of two joints.
#[derive(Debug, Clone)]
pub struct Cylinder {
    /// Joint 0 at the near end, joint 1 in the middle. Both with x along the cylinder.
    pub skeleton: Skeleton,
    /// The only mesh; bound to the skeleton's rest pose.
    pub mesh: Mesh,
    shape: Shape,
}

/// Measures of a cylinder, in radii.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Length of each half.
    pub half: f64,
    /// Distance from the middle, in both directions, over which the weights change between the joints.
    pub blend: f64,
    /// Segments along the cylinder. Even, so that one ring is in the middle.
    pub segments: usize,
    /// Corners of a ring.
    pub sides: usize,
}

impl Shape {
    /// Shape used by `--twist` and `--bend`. Its blend is wide enough for an elbow of 90 degrees.
    pub const USUAL: Self = Self { half: 2.0, blend: 1.25, segments: 32, sides: 32 };
}

impl Cylinder {
    /// Builds the cylinder.
    pub fn new(shape: Shape) -> Self {
        let Shape { half, segments, sides, .. } = shape;
        let mut skeleton = Skeleton::new();
        let near = skeleton.push("near", None, Transform::IDENTITY);
        let middle = Transform { translation: DVec3::X * half, ..Transform::IDENTITY };
        let far = skeleton.push("far", Some(near), middle);
        let bind = vec![
            BindJoint { joint: near, inverse_bind: DAffine3::IDENTITY },
            BindJoint { joint: far, inverse_bind: DAffine3::from_translation(-middle.translation) },
        ];
        let mut mesh = Mesh { name: "cylinder".into(), bind, influence_starts: vec![0], ..Mesh::default() };
        for ring in 0..=segments {
            let x = 2.0 * half * ring as f64 / segments as f64;
            for side in 0..sides {
                let angle = TAU * side as f64 / sides as f64;
                let out = DVec3::new(0.0, angle.cos(), angle.sin());
                let uv = Vec2::new(side as f32 / sides as f32, ring as f32 / segments as f32);
                push_vertex(&mut mesh, out + DVec3::X * x, out, uv, shape.far_weight(x));
            }
        }
        push_vertex(&mut mesh, DVec3::ZERO, DVec3::NEG_X, Vec2::ZERO, 0.0);
        push_vertex(&mut mesh, DVec3::X * 2.0 * half, DVec3::X, Vec2::ONE, 1.0);
        let index = |ring: usize, side: usize| (ring * sides + side % sides) as u32;
        let caps = ((segments + 1) * sides) as u32;
        for side in 0..sides {
            for ring in 0..segments {
                let [a, b] = [index(ring, side), index(ring, side + 1)];
                let [c, d] = [index(ring + 1, side), index(ring + 1, side + 1)];
                mesh.triangles.extend([[a, b, c], [b, d, c]]);
            }
            mesh.triangles.push([caps, index(0, side + 1), index(0, side)]);
            mesh.triangles.push([caps + 1, index(segments, side), index(segments, side + 1)]);
        }
        Self { skeleton, mesh, shape }
    }

    /// Returns the pose with the second joint rotated by `turn` in its own space.
    pub fn turned(&self, turn: DQuat) -> ModelPose {
        let mut local = LocalPose::rest(&self.skeleton);
        if let Some(far) = local.0.get_mut(1) {
            far.rotation *= turn;
        }
        local.to_model(&self.skeleton)
    }

    /// Returns the cylinder bent by `angle` (radians, less than pi) about z like a mitred pipe: two straight halves cut
    /// at the plane between them, so that the volume stays the same. `None` unless `tan(angle / 2) < blend`: the cut
    /// must be inside the blend.
    pub fn mitred_elbow(&self, angle: f64) -> Option<Example> {
        let cut = (angle / 2.0).tan();
        let joint = self.skeleton.find("far").filter(|_| cut < self.shape.blend)?;
        let turn = DQuat::from_rotation_z(angle);
        let Shape { half, blend, .. } = self.shape;
        let bent = |position: DVec3| -> DVec3 {
            // Bending towards +z moves the cut towards the middle on the +y side.
            let from_middle = position.x - half;
            let reach = -cut * position.y;
            let near = DVec3::new(half, 0.0, 0.0);
            let stretched = |distance: f64| {
                if distance >= blend { distance } else { distance * (blend + reach) / blend - reach }
            };
            if from_middle <= 0.0 {
                near + DVec3::new(-stretched(-from_middle), position.y, position.z)
            } else {
                near + turn * DVec3::new(stretched(from_middle), position.y, position.z)
            }
        };
        let normal = |vertex: usize| {
            let bind = self.mesh.normals[vertex].as_dvec3();
            let share = f64::from(self.shape.far_weight(f64::from(self.mesh.positions[vertex].x)) >= 0.5);
            (DQuat::from_rotation_z(angle * share) * bind).as_vec3()
        };
        let count = self.mesh.vertex_count();
        let positions = self.mesh.positions.iter().map(|position| bent(position.as_dvec3()).as_vec3()).collect();
        let shape = ExampleMesh { source_mesh: 0, positions, normals: (0..count).map(normal).collect() };
        Some(Example {
            name: "mitred elbow".into(),
            joint,
            turn,
            others: Vec::new(),
            sigma: SIGMA,
            meshes: vec![shape],
        })
    }
}

impl Shape {
    /// Returns the weight of the second joint at `x`: a smooth step around the middle.
    fn far_weight(&self, x: f64) -> f32 {
        let share = ((x - self.half) / (2.0 * self.blend) + 0.5).clamp(0.0, 1.0);
        (share * share * (3.0 - 2.0 * share)) as f32
    }
}

fn push_vertex(mesh: &mut Mesh, position: DVec3, normal: DVec3, uv: Vec2, far: f32) {
    mesh.source_vertices.push(mesh.positions.len() as u32);
    mesh.positions.push(position.as_vec3());
    mesh.normals.push(normal.as_vec3());
    let tangent = if normal.x == 0.0 { normal.cross(DVec3::X) } else { DVec3::Y };
    mesh.tangents.push(tangent.as_vec3().extend(1.0));
    mesh.uvs.push(uv);
    for (slot, weight) in [(0, 1.0 - far), (1, far)] {
        if weight > 0.0 {
            let offset: Vec3 = mesh.bind[slot as usize].inverse_bind.transform_point3(position).as_vec3();
            mesh.influences.push(Influence { slot, weight, offset });
        }
    }
    mesh.influence_starts.push(mesh.influences.len() as u32);
}
