//! Example shapes made by a modeller, transformed back to the bind pose, for `sjbbe`.

use super::pivot::turns;
use super::rbf::DirectionRbf;
use super::rotation::{bind_origin, rotation};
use crate::model::{BindJoint, JointId, Mesh, Skeleton};
use glam::{DAffine3, DQuat, DVec3, Vec3};

/// Largest number of examples per joint: a vertex stores four offsets.
pub const MOST_EXAMPLES: usize = 4;

/// Default reach of an example in radians (article 000, appendix B).
pub const SIGMA: f64 = 1.0;

/// Shape of a model with one joint rotated and all others in the bind pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// File name, for messages.
    pub name: String,
    /// The rotated joint.
    pub joint: JointId,
    /// Its rotation from the bind pose, in its parent's axes: `local = turn * bind_local` for the rotations.
    pub turn: DQuat,
    /// Reach in radians of the bone's direction, [`SIGMA`] by default. The first example of a joint determines it.
    pub sigma: f64,
    /// Shapes of the meshes.
    pub meshes: Vec<ExampleMesh>,
}

/// Vertices of one mesh of an example, in the order of the file's vertices.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExampleMesh {
    /// Number of the mesh in its file.
    pub source_mesh: usize,
    /// Positions in model space.
    pub positions: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
}

/// Reason why an example is ignored for a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum ExampleError {
    /// The support is empty.
    #[error("example '{example}': no vertex of mesh '{mesh}' follows the parent of joint '{joint}'")]
    NoSupport { example: String, mesh: String, joint: String },
    /// The vertices do not match.
    #[error("example '{example}': mesh '{mesh}' has {found} vertices, but the model's has {expected}")]
    VertexCount {
        example: String,
        mesh: String,
        /// Vertices in the example.
        found: usize,
        /// Vertices in the model.
        expected: usize,
    },
    /// Two poses differ only by a twist.
    #[error(
        "example '{example}': joint '{joint}' points where the bind pose or another example has it; \
         a twist alone needs no example"
    )]
    SameDirection { example: String, joint: String },
    /// More than [`MOST_EXAMPLES`] of one joint.
    #[error("example '{example}': joint '{joint}' has {MOST_EXAMPLES} examples already")]
    TooMany { example: String, joint: String },
}

/// Examples of one mesh, ready for use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Corrections {
    /// The joints with examples.
    pub joints: Vec<CorrectedJoint>,
    /// For each vertex, the index into `joints` of the joint whose support contains it.
    pub support: Vec<Option<u32>>,
    /// For each vertex, the offset of each example from its bind position. Zero without an example.
    pub offsets: Vec<[Vec3; MOST_EXAMPLES]>,
    /// For each vertex, the offset of each example from its normal in the bind pose.
    pub normal_offsets: Vec<[Vec3; MOST_EXAMPLES]>,
    /// Number of vertices in the supports of several joints (children of one parent). The heaviest influence decides.
    pub contested: usize,
    /// Examples left out.
    pub left_out: Vec<ExampleError>,
}

/// A joint with its examples.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedJoint {
    /// Joint that the examples rotate.
    pub joint: JointId,
    slot: u32,
    /// Slot of the joint's parent in the mesh.
    parent_slot: u32,
    /// Direction of its bone in the bind pose, in model space.
    direction: DVec3,
    rbf: DirectionRbf,
    /// Number of examples.
    pub examples: usize,
}

impl CorrectedJoint {
    /// Returns the share of each example in a pose: all are 0 in the bind pose, and an example has 1 in its own pose.
    ///
    /// Only the direction of the bone relative to its parent counts: `sjb` handles twists.
    pub fn shares(&self, palette: &[DAffine3]) -> [f64; MOST_EXAMPLES] {
        let of = |slot: u32| rotation(&palette[slot as usize]);
        let direction = (of(self.parent_slot).inverse() * of(self.slot) * self.direction).normalize_or(self.direction);
        let mut shares = [0.0; MOST_EXAMPLES];
        shares.iter_mut().zip(self.rbf.at(direction)).for_each(|(share, value)| *share = value);
        shares
    }
}

impl Corrections {
    /// Prepares the examples. `mesh` must be sorted for `sjb`.
    pub(super) fn new(skeleton: &Skeleton, mesh: &Mesh, examples: &[Example]) -> Self {
        let mut result = Self {
            support: vec![None; mesh.vertex_count()],
            offsets: vec![[Vec3::ZERO; MOST_EXAMPLES]; mesh.vertex_count()],
            normal_offsets: vec![[Vec3::ZERO; MOST_EXAMPLES]; mesh.vertex_count()],
            ..Self::default()
        };
        let mut joints: Vec<JointId> = examples.iter().map(|example| example.joint).collect();
        joints.sort_unstable();
        joints.dedup();
        let mut chosen: Vec<Vec<&Example>> = Vec::new();
        for joint in joints {
            let of_joint: Vec<&Example> = examples.iter().filter(|example| example.joint == joint).collect();
            if let Some((corrected, used)) = result.joint(skeleton, mesh, joint, &of_joint) {
                result.joints.push(corrected);
                chosen.push(used);
            }
        }
        result.share_out(skeleton, mesh);
        for (place, used) in chosen.iter().enumerate() {
            for (number, example) in used.iter().enumerate() {
                result.measure(skeleton, mesh, place, number, example);
            }
        }
        result
    }

    /// Adds a joint with its usable examples.
    fn joint<'a>(
        &mut self,
        skeleton: &Skeleton,
        mesh: &Mesh,
        joint: JointId,
        examples: &[&'a Example],
    ) -> Option<(CorrectedJoint, Vec<&'a Example>)> {
        let name = || skeleton[joint].name.clone();
        let slot_of = |joint: JointId| mesh.bind.iter().position(|bound| bound.joint == joint);
        let slots = slot_of(joint).zip(skeleton[joint].parent.and_then(slot_of));
        let Some((slot, parent_slot)) = slots else {
            let missing = |example: &&Example| ExampleError::NoSupport {
                example: example.name.clone(),
                mesh: mesh.name.clone(),
                joint: name(),
            };
            self.left_out.extend(examples.iter().map(missing));
            return None;
        };
        let direction = bone_direction(skeleton, mesh, slot, parent_slot);
        let mut used: Vec<&Example> = Vec::new();
        let mut directions: Vec<DVec3> = Vec::new();
        let sigma = examples.first().map_or(SIGMA, |example| example.sigma);
        let mut rbf = DirectionRbf::new(direction, &[], sigma).ok()?;
        for &example in examples {
            let shape = example.meshes.iter().find(|shape| shape.source_mesh == mesh.source_mesh);
            let needed = mesh.source_vertices.iter().map(|&vertex| vertex as usize + 1).max().unwrap_or(0);
            let found = shape.map_or(0, |shape| shape.positions.len().min(shape.normals.len()));
            if found < needed {
                self.left_out.push(ExampleError::VertexCount {
                    example: example.name.clone(),
                    mesh: mesh.name.clone(),
                    found,
                    expected: needed,
                });
                continue;
            }
            if used.len() == MOST_EXAMPLES {
                self.left_out.push(ExampleError::TooMany { example: example.name.clone(), joint: name() });
                continue;
            }
            let turned = turned(&mesh.bind[slot], &mesh.bind[parent_slot], example.turn);
            directions.push((rotation(&turned) * direction).normalize_or(direction));
            match DirectionRbf::new(direction, &directions, sigma) {
                Ok(with) => {
                    rbf = with;
                    used.push(example);
                }
                Err(_) => {
                    directions.pop();
                    self.left_out.push(ExampleError::SameDirection { example: example.name.clone(), joint: name() });
                }
            }
        }
        let examples = used.len();
        let (slot, parent_slot) = (slot as u32, parent_slot as u32);
        (examples > 0).then_some((CorrectedJoint { joint, slot, parent_slot, direction, rbf, examples }, used))
    }

    /// Assigns every vertex to the joint whose support contains it: influenced by the joint's parent but not by the
    /// parent's parent. Among several joints, the one with the largest weight counts, else the first.
    fn share_out(&mut self, skeleton: &Skeleton, mesh: &Mesh) {
        for vertex in 0..mesh.vertex_count() {
            let pull = |joint: Option<JointId>| {
                let by_joint = mesh.influences_of(vertex).iter().filter(|influence| {
                    influence.weight != 0.0 && Some(mesh.bind[influence.slot as usize].joint) == joint
                });
                by_joint.map(|influence| f64::from(influence.weight)).sum::<f64>()
            };
            let supports: Vec<usize> = (0..self.joints.len())
                .filter(|&place| {
                    let parent = skeleton[self.joints[place].joint].parent;
                    let grandparent = parent.and_then(|parent| skeleton[parent].parent);
                    pull(parent) > 0.0 && (grandparent.is_none() || pull(grandparent) == 0.0)
                })
                .collect();
            self.contested += usize::from(supports.len() > 1);
            let best = supports.into_iter().reduce(|best, next| {
                let pulls = [best, next].map(|place| pull(Some(self.joints[place].joint)));
                if pulls[1] > pulls[0] { next } else { best }
            });
            self.support[vertex] = best.map(|place| place as u32);
        }
    }

    /// Computes an example's offsets for its joint's support: its shape, transformed back to the bind pose by the
    /// inverse of `sjb`'s rotation.
    fn measure(&mut self, skeleton: &Skeleton, mesh: &Mesh, place: usize, number: usize, example: &Example) {
        let Some(shape) = example.meshes.iter().find(|shape| shape.source_mesh == mesh.source_mesh) else { return };
        let palette = self.example_palette(skeleton, mesh, place, example.turn);
        for (vertex, turn) in turns(mesh, &palette).enumerate() {
            if self.support[vertex] != Some(place as u32) {
                continue;
            }
            let source = mesh.source_vertices[vertex] as usize;
            let shown = shape.positions[source].as_dvec3();
            let back = turn.rotation.inverse() * (shown - turn.posed_pivot) + turn.bind_pivot;
            self.offsets[vertex][number] = (back - mesh.positions[vertex].as_dvec3()).as_vec3();
            let normal = turn.rotation.inverse() * shape.normals[source].as_dvec3();
            self.normal_offsets[vertex][number] = (normal - mesh.normals[vertex].as_dvec3()).as_vec3();
        }
    }

    /// Returns the palette in an example's pose: only the joint and its descendants are rotated.
    fn example_palette(&self, skeleton: &Skeleton, mesh: &Mesh, place: usize, turn: DQuat) -> Vec<DAffine3> {
        let corrected = &self.joints[place];
        let [bound, parent] = [corrected.slot, corrected.parent_slot].map(|slot| &mesh.bind[slot as usize]);
        let moved = turned(bound, parent, turn);
        let below = |joint: JointId| {
            std::iter::successors(Some(joint), |&joint| skeleton[joint].parent).any(|joint| joint == corrected.joint)
        };
        mesh.bind.iter().map(|bound| if below(bound.joint) { moved } else { DAffine3::IDENTITY }).collect()
    }
}

/// Returns the palette entry of a joint rotated from the bind pose, in its parent's axes.
fn turned(bound: &BindJoint, parent: &BindJoint, turn: DQuat) -> DAffine3 {
    let origin = bind_origin(bound);
    let parent = rotation(&parent.inverse_bind.inverse());
    let turn = DAffine3::from_quat(parent * turn * parent.inverse());
    DAffine3::from_translation(origin) * turn * DAffine3::from_translation(-origin)
}

/// Returns the direction of a bone in the bind pose, in model space: to the mean of its child joints, else the parent's
/// direction.
fn bone_direction(skeleton: &Skeleton, mesh: &Mesh, slot: usize, parent_slot: usize) -> DVec3 {
    let bound = &mesh.bind[slot];
    let bind = bound.inverse_bind.inverse();
    let children = skeleton.ids().filter(|&child| skeleton[child].parent == Some(bound.joint));
    let towards: DVec3 = children
        .map(|child| match mesh.bind.iter().find(|other| other.joint == child) {
            Some(child) => bind_origin(child) - bind.translation,
            None => bind.transform_vector3(skeleton[child].rest_local.translation),
        })
        .sum();
    let from_parent = bind.translation - bind_origin(&mesh.bind[parent_slot]);
    towards.try_normalize().or(from_parent.try_normalize()).unwrap_or(rotation(&bind) * DVec3::X)
}
