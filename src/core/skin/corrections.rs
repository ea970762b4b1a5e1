//! Example shapes made by a modeller, transformed back to the bind pose by a base method, which then moves the corrected
//! vertices: `sjbbe`, `sjbbe-article`, `sbe`, `psd` and `eigenskin`.

use super::cost::Reduced;
use super::joined::Joined;
use super::linear::{self, moved_normal, push_frame};
use super::pivot::{self, Signs};
use super::polar::eigenvectors;
use super::rbf::Rbf;
use super::rotation::rotation;
use super::skinned::Skinned;
use crate::model::{Influence, JointId, Mesh, Skeleton};
use crate::pose::{ModelPose, bind_pose};
use glam::{DAffine3, DQuat, DVec3, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Largest number of offsets per vertex, and of examples per joint unless they are compressed.
pub const MOST_EXAMPLES: usize = 4;

/// Largest number of examples per joint for `eigenskin`, which compresses them, and `mwe`, which fits weights to them.
pub const MOST_COMPRESSED: usize = 16;

/// Largest number of examples of all joints.
const MOST_TOGETHER: usize = 256;

/// Error of `eigenskin`'s components, as a share of the joint's largest offset: as many are kept as it needs.
const KEPT_WITHIN: f64 = 0.01;

/// Default reach of an example in radians (article 000, appendix B).
pub const SIGMA: f64 = 1.0;

/// Smallest distance of two examples' poses in radians. Below it, the solution would be noise.
const CLOSEST: f64 = 1e-3;

/// Smallest part of the volume that the blended matrix may leave of a vertex' surroundings, for it to be inverted.
const FLATTEST: f64 = 1e-3;

/// Shape of a model with one joint rotated, or several, and all others in the bind pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// File name, for messages.
    pub name: String,
    /// The rotated joint.
    pub joint: JointId,
    /// Its rotation from the bind pose, in its parent's axes: `local = turn * bind_local` for the rotations.
    pub turn: DQuat,
    /// Other rotated joints, in the same way. Only methods that compare whole poses, `psd` and `mwe`, use such an example.
    pub others: Vec<(JointId, DQuat)>,
    /// Reach in radians, [`SIGMA`] by default. The first example of a joint determines it.
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

/// Reason why an example is ignored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum ExampleError {
    /// The joint has no parent, so that no vertex can follow it.
    #[error("example '{example}': joint '{joint}' has no parent whose vertices could change")]
    NoParent { example: String, joint: String },
    /// The method compares poses of one joint.
    #[error("example '{example}': joints turn with '{joint}'; only psd and mwe use such an example")]
    Several { example: String, joint: String },
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
    /// Two poses are the same for the method: for `sjbbe` and `sbe`, they differ only by a twist.
    #[error("example '{example}': joint '{joint}' is turned as in the bind pose or another example")]
    SamePose { example: String, joint: String },
    /// Too many examples of one joint, or together.
    #[error("example '{example}': joint '{joint}' has the largest number of examples already")]
    TooMany { example: String, joint: String },
}

/// Part of a pose that determines the shares of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Direction of the joint's bone relative to its parent: twists do not count.
    Direction,
    /// Rotation of the joint relative to its parent.
    Rotation,
    /// Rotations of all joints relative to their parents.
    AllRotations,
}

/// Method that maps every vertex from the bind pose to a pose. The map moves the corrected vertices, and its inverse
/// examples back to the bind pose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Base {
    #[default]
    Linear,
    Spherical,
    /// With signs that follow the parents'.
    SphericalWithSigns,
}

/// A method of corrections.
#[derive(Clone, Copy)]
pub(super) struct Scheme {
    pub base: Base,
    pub measure: Measure,
    /// Largest number of examples per joint. If it is more than [`MOST_EXAMPLES`], their offsets are replaced by their
    /// principal components.
    pub most: usize,
}

impl Scheme {
    /// Corrections of linear blending.
    pub fn linear(measure: Measure, most: usize) -> Self {
        Self { base: Base::Linear, measure, most }
    }
}

/// Examples of one mesh, ready for use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Corrections {
    /// The joints with examples, the same for all meshes.
    pub joints: Arc<Vec<CorrectedJoint>>,
    /// For each vertex, the index into `joints` of the joint whose support contains it.
    pub support: Vec<Option<u32>>,
    /// For each vertex, offsets from its bind position: of each example, or components of them. Zero if unused.
    pub offsets: Vec<[Vec3; MOST_EXAMPLES]>,
    /// For each vertex, offsets from its normal in the bind pose.
    pub normal_offsets: Vec<[Vec3; MOST_EXAMPLES]>,
    /// Examples left out, for all meshes.
    pub left_out: Arc<Vec<ExampleError>>,
    /// Signs of quaternions, for `sjbbe-article`.
    pub signs: Option<Signs>,
    base: Base,
}

/// A joint with its examples.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedJoint {
    /// Joint that the examples rotate.
    pub joint: JointId,
    /// Number of examples.
    pub examples: usize,
    /// Number of offsets per vertex: that of the examples, or of their components.
    pub components: usize,
    /// Largest distance of the components from an example's offset, in model units. 0 if they are not compressed.
    pub component_error: f64,
    /// Joints whose rotations count.
    measured: Vec<MeasuredJoint>,
    /// Direction of the bone in the bind pose, in model space, if only it counts.
    direction: Option<DVec3>,
    /// Rotations of `measured` in the bind pose and in the poses of examples.
    poses: Vec<Vec<DQuat>>,
    rbf: Rbf,
    /// Sample of each example in `rbf`.
    samples: Vec<usize>,
    /// Share of each component in each example.
    mix: Vec<[f64; MOST_EXAMPLES]>,
}

/// A joint and its parent, with the inverse of their rotations in the bind pose.
#[derive(Debug, Clone, PartialEq)]
struct MeasuredJoint([(JointId, DQuat); 2]);

impl MeasuredJoint {
    fn joint(&self) -> JointId {
        self.0[0].0
    }

    fn new(bind: &[DAffine3], joint: JointId, parent: JointId) -> Self {
        Self([joint, parent].map(|joint| (joint, rotation(&bind[joint.index()]).inverse())))
    }

    /// Returns the joint's rotation from the bind pose, relative to its parent.
    fn turn(&self, pose: &ModelPose) -> DQuat {
        let [joint, parent] = self.0.map(|(joint, unbound)| rotation(&pose.0[joint.index()]) * unbound);
        parent.inverse() * joint
    }
}

impl CorrectedJoint {
    /// Returns the share of each offset in a pose: all are 0 in the bind pose. In the pose of an example they add up to
    /// its offsets.
    pub fn shares(&self, pose: &ModelPose) -> [f64; MOST_EXAMPLES] {
        let here: Vec<DQuat> = self.measured.iter().map(|joint| joint.turn(pose)).collect();
        let distances: Vec<f64> = self.poses.iter().map(|there| distance(self.direction, there, &here)).collect();
        let mut shares = [0.0; MOST_EXAMPLES];
        let values: Vec<f64> = self.rbf.at(&distances).collect();
        for (&sample, mix) in self.samples.iter().zip(&self.mix) {
            (0..MOST_EXAMPLES).for_each(|place| shares[place] += values[sample] * mix[place]);
        }
        shares
    }
}

/// Returns the distance of two poses in radians: the angle between directions of the bone, or the root of the sum of the
/// squares of all joints' angles.
fn distance(direction: Option<DVec3>, a: &[DQuat], b: &[DQuat]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| match direction {
        Some(direction) => {
            let [a, b] = [a, b].map(|turn| *turn * direction);
            a.cross(b).length().atan2(a.dot(b)).powi(2)
        }
        None => {
            let turn = a.inverse() * *b;
            (2.0 * turn.xyz().length().atan2(turn.w.abs())).powi(2)
        }
    });
    squares.sum::<f64>().sqrt()
}

/// Offsets of one vertex in all examples of the joint whose support contains it.
struct VertexOffsets {
    mesh: usize,
    vertex: usize,
    /// Offsets of the position and of the normal.
    of_examples: Vec<[DVec3; 2]>,
}

impl VertexOffsets {
    /// Returns sums of the examples' offsets.
    fn mixed(&self, share: impl Fn(usize) -> f64) -> [DVec3; 2] {
        let add = |[p, n]: [DVec3; 2], (example, [dp, dn]): (usize, &[DVec3; 2])| {
            [p + *dp * share(example), n + *dn * share(example)]
        };
        self.of_examples.iter().enumerate().fold([DVec3::ZERO; 2], add)
    }
}

/// An example that is used.
pub(super) struct Used<'a> {
    example: &'a Example,
    /// Rotations from the bind pose relative to the parent, in the bind pose's model space.
    turns: Vec<(JointId, DQuat)>,
}

impl Used<'_> {
    /// Returns the rotation of a joint.
    fn turn(&self, joint: JointId) -> DQuat {
        self.turns.iter().find(|(turned, _)| *turned == joint).map_or(DQuat::IDENTITY, |(_, turn)| *turn)
    }

    /// Returns the position and the normal of a vertex in the example.
    pub fn shape(&self, mesh: &Mesh, vertex: usize) -> Option<[DVec3; 2]> {
        let shape = self.example.meshes.iter().find(|shape| shape.source_mesh == mesh.source_mesh)?;
        let source = mesh.source_vertices[vertex] as usize;
        Some([shape.positions[source].as_dvec3(), shape.normals[source].as_dvec3()])
    }
}

/// Input of all steps.
pub(super) struct Preparation<'a> {
    skeleton: &'a Skeleton,
    meshes: &'a [Reduced],
    /// Bind pose of all joints, in model space.
    bind: Vec<DAffine3>,
    /// Joints with vertices, ascending.
    bound: Vec<JointId>,
    scheme: Scheme,
}

/// Prepares the examples for all meshes of a model.
pub(super) fn prepare(
    skeleton: &Skeleton,
    meshes: &[Reduced],
    examples: &[Example],
    scheme: Scheme,
) -> Vec<Corrections> {
    let input = Preparation::new(skeleton, meshes, scheme);
    let mut left_out = Vec::new();
    let used = input.usable(examples, &mut left_out);
    let mut joints: Vec<CorrectedJoint> = Vec::new();
    let mut of_joints: Vec<&[Used<'_>]> = Vec::new();
    for of_joint in used.chunk_by(|a, b| a.example.joint == b.example.joint) {
        match input.joint(of_joint, &used) {
            Some(corrected) => {
                joints.push(corrected);
                of_joints.push(of_joint);
            }
            None => left_out.extend(of_joint.iter().map(|it| input.same_pose(it.example))),
        }
    }
    let mut all: Vec<Corrections> =
        meshes.iter().map(|it| Corrections::new(skeleton, &it.mesh, &joints, scheme.base)).collect();
    for (place, (joint, used)) in joints.iter_mut().zip(of_joints).enumerate() {
        let offsets = input.offsets(&all, place, used);
        if scheme.most > MOST_EXAMPLES {
            joint.compress(&offsets);
        }
        for it in &offsets {
            let Corrections { offsets, normal_offsets, .. } = &mut all[it.mesh];
            for component in 0..joint.components {
                let [position, normal] = it.mixed(|example| joint.mix[example][component]);
                offsets[it.vertex][component] = position.as_vec3();
                normal_offsets[it.vertex][component] = normal.as_vec3();
            }
        }
    }
    let (joints, left_out) = (Arc::new(joints), Arc::new(left_out));
    for corrections in &mut all {
        (corrections.joints, corrections.left_out) = (Arc::clone(&joints), Arc::clone(&left_out));
    }
    all
}

impl<'a> Preparation<'a> {
    pub fn new(skeleton: &'a Skeleton, meshes: &'a [Reduced], scheme: Scheme) -> Self {
        let joined = Joined::new(meshes).mesh.bind;
        let bound: BTreeSet<JointId> = joined.iter().map(|bound| bound.joint).collect();
        let bind = bind_pose(skeleton, &joined).0;
        Self { skeleton, meshes, bind, bound: bound.into_iter().collect(), scheme }
    }

    /// Returns the examples that can be used, by joint.
    pub fn usable<'e>(&self, examples: &'e [Example], left_out: &mut Vec<ExampleError>) -> Vec<Used<'e>> {
        let mut by_joint: Vec<&Example> = examples.iter().collect();
        by_joint.sort_by_key(|example| example.joint);
        let mut used: Vec<Used<'_>> = Vec::new();
        for example in by_joint {
            let names = || (example.name.clone(), self.skeleton[example.joint].name.clone());
            if !example.others.is_empty() && self.scheme.measure != Measure::AllRotations {
                let (example, joint) = names();
                left_out.push(ExampleError::Several { example, joint });
                continue;
            }
            let turn = |&(joint, turn): &(JointId, DQuat)| {
                let parent = rotation(&self.bind[self.skeleton[joint].parent?.index()]);
                Some((joint, parent * turn * parent.inverse()))
            };
            let own = [(example.joint, example.turn)];
            let turns = own.iter().chain(&example.others).map(turn);
            let Some(turns) = turns.collect::<Option<Vec<_>>>() else {
                let (example, joint) = names();
                left_out.push(ExampleError::NoParent { example, joint });
                continue;
            };
            let next = Used { example, turns };
            if let Some(error) = self.meshes.iter().find_map(|it| missing_vertices(example, &it.mesh)) {
                left_out.push(error);
                continue;
            }
            let of_joint = || used.iter().filter(|used| used.example.joint == example.joint);
            if of_joint().count() == self.scheme.most || used.len() == MOST_TOGETHER {
                let (example, joint) = names();
                left_out.push(ExampleError::TooMany { example, joint });
                continue;
            }
            let direction = self.counted_direction(example.joint);
            let pose = |of: &dyn Fn(JointId) -> DQuat| self.skeleton.ids().map(of).collect::<Vec<_>>();
            let (here, bind) = (pose(&|joint| next.turn(joint)), pose(&|_| DQuat::IDENTITY));
            let mut known = of_joint().map(|used| pose(&|joint| used.turn(joint))).chain([bind]);
            if known.any(|other| distance(direction, &here, &other) < CLOSEST) {
                left_out.push(self.same_pose(example));
                continue;
            }
            used.push(next);
        }
        used
    }

    fn same_pose(&self, example: &Example) -> ExampleError {
        ExampleError::SamePose { example: example.name.clone(), joint: self.skeleton[example.joint].name.clone() }
    }

    /// Returns the direction of a bone in the bind pose, in model space, if only it counts: to the mean of its child
    /// joints, else the parent's direction.
    fn counted_direction(&self, joint: JointId) -> Option<DVec3> {
        let skeleton = self.skeleton;
        let origin = |joint: JointId| self.bind[joint.index()].translation;
        let children = skeleton.ids().filter(|&child| skeleton[child].parent == Some(joint));
        let towards: DVec3 = children.map(|child| origin(child) - origin(joint)).sum();
        let from_parent = skeleton[joint].parent.and_then(|parent| (origin(joint) - origin(parent)).try_normalize());
        let direction = towards.try_normalize().or(from_parent);
        let direction = direction.unwrap_or_else(|| rotation(&self.bind[joint.index()]) * DVec3::X);
        (self.scheme.measure == Measure::Direction).then_some(direction)
    }

    /// Creates a joint with its examples, a part of `used`. `None` if poses are too alike to tell them apart.
    fn joint(&self, of_joint: &[Used<'_>], used: &[Used<'_>]) -> Option<CorrectedJoint> {
        let first = of_joint.first()?.example;
        let joint = first.joint;
        let (counted, samples) = match self.scheme.measure {
            Measure::AllRotations => (&self.bound[..], used),
            Measure::Direction | Measure::Rotation => (&[joint][..], of_joint),
        };
        let measured =
            counted.iter().filter_map(|&id| Some(MeasuredJoint::new(&self.bind, id, self.skeleton[id].parent?)));
        let measured: Vec<MeasuredJoint> = measured.collect();
        let direction = self.counted_direction(joint);
        let mut poses = vec![vec![DQuat::IDENTITY; measured.len()]];
        let mut of_examples = Vec::new();
        for it in samples {
            let pose: Vec<DQuat> = measured.iter().map(|of| it.turn(of.joint())).collect();
            // Other joints may have an example of the same pose.
            let sample = poses[1..].iter().position(|known| distance(direction, known, &pose) < CLOSEST);
            let sample = sample.unwrap_or_else(|| {
                poses.push(pose);
                poses.len() - 2
            });
            of_examples.extend((it.example.joint == joint).then_some(sample));
        }
        let to_all = |a: &Vec<DQuat>| poses.iter().map(|b| distance(direction, a, b)).collect();
        let rbf = Rbf::new(&poses.iter().map(to_all).collect::<Vec<_>>(), first.sigma)?;
        let alone = |example: usize| std::array::from_fn(|place| f64::from(u8::from(place == example)));
        Some(CorrectedJoint {
            joint,
            examples: of_joint.len(),
            components: of_joint.len().min(MOST_EXAMPLES),
            component_error: 0.0,
            measured,
            direction,
            poses,
            rbf,
            samples: of_examples,
            mix: (0..of_joint.len()).map(alone).collect(),
        })
    }

    /// Computes the offsets of a joint's examples for its support: their shapes, transformed back to the bind pose.
    fn offsets(&self, all: &[Corrections], place: usize, used: &[Used<'_>]) -> Vec<VertexOffsets> {
        let support = all.iter().enumerate().flat_map(|(mesh, corrections)| {
            let vertices = corrections.support.iter().enumerate();
            let vertices = vertices.filter(|(_, joint)| **joint == Some(place as u32));
            vertices.map(move |(vertex, _)| VertexOffsets { mesh, vertex, of_examples: Vec::new() })
        });
        let mut offsets: Vec<VertexOffsets> = support.collect();
        for it in used {
            let maps = |(Reduced { mesh, .. }, corrections): (&Reduced, &Corrections)| {
                corrections.maps(mesh, &self.example_palette(mesh, it))
            };
            let maps: Vec<_> = self.meshes.iter().zip(all).map(maps).collect();
            for to in &mut offsets {
                let mesh = &self.meshes[to.mesh].mesh;
                to.of_examples.push(offset(mesh, to.vertex, it, &maps[to.mesh][to.vertex]));
            }
        }
        offsets
    }

    /// Returns the palette in an example's pose.
    pub fn example_palette(&self, mesh: &Mesh, used: &Used<'_>) -> Vec<DAffine3> {
        let mut moved: Vec<DAffine3> = Vec::with_capacity(self.bind.len());
        for joint in self.skeleton.ids() {
            let above = self.skeleton[joint].parent.map_or(DAffine3::IDENTITY, |parent| moved[parent.index()]);
            let (turn, origin) = (used.turn(joint), self.bind[joint.index()].translation);
            moved.push(above * DAffine3::from_rotation_translation(turn, origin - turn * origin));
        }
        mesh.bind.iter().map(|bound| moved[bound.joint.index()]).collect()
    }
}

/// Returns the reason why an example lacks vertices of a mesh, if it does.
fn missing_vertices(example: &Example, mesh: &Mesh) -> Option<ExampleError> {
    let shape = example.meshes.iter().find(|shape| shape.source_mesh == mesh.source_mesh);
    let expected = mesh.source_vertices.iter().map(|&vertex| vertex as usize + 1).max().unwrap_or(0);
    let found = shape.map_or(0, |shape| shape.positions.len().min(shape.normals.len()));
    let (example, mesh) = (example.name.clone(), mesh.name.clone());
    (found < expected).then_some(ExampleError::VertexCount { example, mesh, found, expected })
}

/// Returns the offsets of a vertex' position and normal in an example. Zero where the map leaves too little to invert.
fn offset(mesh: &Mesh, vertex: usize, used: &Used<'_>, map: &DAffine3) -> [DVec3; 2] {
    let shape = used.shape(mesh, vertex).filter(|_| map.matrix3.determinant().abs() > FLATTEST);
    let Some([position, normal]) = shape else { return [DVec3::ZERO; 2] };
    let position = map.inverse().transform_point3(position);
    // The inverse transpose of the map moves normals.
    let normal = (map.matrix3.transpose() * normal).normalize_or_zero();
    [position - mesh.positions[vertex].as_dvec3(), normal - mesh.normals[vertex].as_dvec3()]
}

impl CorrectedJoint {
    /// Replaces the offsets of examples by as few of their principal components as [`KEPT_WITHIN`] needs.
    fn compress(&mut self, offsets: &[VertexOffsets]) {
        let mut products = [[0.0; MOST_COMPRESSED]; MOST_COMPRESSED];
        for it in offsets {
            for (row, [a, _]) in products.iter_mut().zip(&it.of_examples) {
                row.iter_mut().zip(&it.of_examples).for_each(|(sum, [b, _])| *sum += a.dot(*b));
            }
        }
        let (values, vectors) = eigenvectors(products);
        let mut order: Vec<usize> = (0..MOST_COMPRESSED).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let lengths = offsets.iter().flat_map(|it| it.of_examples.iter().map(|[offset, _]| offset.length()));
        let largest = lengths.fold(0.0, f64::max);
        for components in 1..=self.examples.min(MOST_EXAMPLES) {
            self.components = components;
            for (example, mix) in self.mix.iter_mut().enumerate() {
                let share = |place| if place < components { vectors[example][order[place]] } else { 0.0 };
                *mix = std::array::from_fn(share);
            }
            let left = |it: &VertexOffsets| {
                let parts: Vec<DVec3> = (0..components).map(|place| it.mixed(|of| self.mix[of][place])[0]).collect();
                let again =
                    |mix: &[f64; MOST_EXAMPLES]| parts.iter().zip(mix).map(|(part, share)| *part * *share).sum();
                let errors = it.of_examples.iter().zip(&self.mix).map(|([offset, _], mix)| offset.distance(again(mix)));
                errors.fold(0.0, f64::max)
            };
            let is_exact = components == self.examples;
            self.component_error = if is_exact { 0.0 } else { offsets.iter().map(left).fold(0.0, f64::max) };
            if self.component_error <= KEPT_WITHIN * largest {
                break;
            }
        }
    }
}

/// Returns the weight of a joint on a vertex.
fn pull(mesh: &Mesh, vertex: usize, joint: Option<JointId>) -> f64 {
    let is_joint = |influence: &&Influence| Some(mesh.bind[influence.slot as usize].joint) == joint;
    mesh.influences_of(vertex).iter().filter(is_joint).map(|influence| f64::from(influence.weight)).sum()
}

/// True if a vertex is in the support of a joint: influenced by the joint's parent but not by the parent's parent
/// (article 000, section 5.3).
///
/// # Panics
///
/// If the mesh lacks the vertex, or the skeleton the joint.
pub fn is_in_support(skeleton: &Skeleton, mesh: &Mesh, vertex: usize, joint: JointId) -> bool {
    let parent = skeleton[joint].parent;
    let grandparent = parent.and_then(|parent| skeleton[parent].parent);
    pull(mesh, vertex, parent) > 0.0 && (grandparent.is_none() || pull(mesh, vertex, grandparent) == 0.0)
}

impl Corrections {
    /// Assigns every vertex to the joint whose support contains it. Among several joints, the one with the largest weight
    /// counts, else the first.
    fn new(skeleton: &Skeleton, mesh: &Mesh, joints: &[CorrectedJoint], base: Base) -> Self {
        let support = |vertex: usize| {
            let supports =
                (0..joints.len()).filter(|&place| is_in_support(skeleton, mesh, vertex, joints[place].joint));
            let best = supports.reduce(|best, next| {
                let pulls = [best, next].map(|place| pull(mesh, vertex, Some(joints[place].joint)));
                if pulls[1] > pulls[0] { next } else { best }
            });
            best.map(|place| place as u32)
        };
        let support: Vec<Option<u32>> = (0..mesh.vertex_count()).map(support).collect();
        let zeros = vec![[Vec3::ZERO; MOST_EXAMPLES]; support.len()];
        let signs = (base == Base::SphericalWithSigns).then(|| Signs::new(skeleton, mesh));
        Self { support, offsets: zeros.clone(), normal_offsets: zeros, signs, base, ..Self::default() }
    }

    /// Returns the maps of the base method.
    fn maps(&self, mesh: &Mesh, palette: &[DAffine3]) -> Vec<DAffine3> {
        match self.base {
            Base::Linear => linear::maps(mesh, palette),
            Base::Spherical | Base::SphericalWithSigns => pivot::maps(mesh, self.signs.as_ref(), palette),
        }
    }
}

/// Moves the corrected vertices: `p = M_v (v + sum alpha_m d_m)`, and likewise normals.
pub(super) fn skin(mesh: &Mesh, corrections: &Corrections, pose: &ModelPose, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let maps = corrections.maps(mesh, palette);
    let shares: Vec<_> = corrections.joints.iter().map(|joint| joint.shares(pose)).collect();
    for (vertex, map) in maps.iter().enumerate() {
        let mut position = mesh.positions[vertex].as_dvec3();
        let mut normal = mesh.normals[vertex].as_dvec3();
        if let Some(joint) = corrections.support[vertex] {
            for (number, share) in shares[joint as usize].into_iter().enumerate() {
                position += corrections.offsets[vertex][number].as_dvec3() * share;
                normal += corrections.normal_offsets[vertex][number].as_dvec3() * share;
            }
        }
        let tangent = map.matrix3 * mesh.tangent(vertex).truncate().as_dvec3();
        push_frame(out, map.transform_point3(position), moved_normal(&map.matrix3, normal), tangent);
    }
}
