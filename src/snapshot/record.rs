//! Content of a snapshot, and its evaluation from a model.

use super::digest::{Digest, ListDigest};
use super::grid::Grid;
use super::sample::{Columns, Sample, SampleDigests};
use super::times::{FrameRef, SampleTime, sample_times};
use bindpose_core::budget::{Budget, Exceeded, grouped};
use bindpose_core::left_out::LeftOut;
use bindpose_core::model::{Clip, Joint, Material, Mesh, Model, Skeleton, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{self, Skinned};
use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

/// Largest number of joint poses in one clip's samples (about 1.3 GB). Longer clips are thinned.
const MOST_JOINT_POSES: usize = 1 << 22;

/// Memory for a joint's pose in a sample, until its snapshot is written: transform, digests, columns of integers.
const JOINT_POSE_MEMORY: u128 = 320;

/// Largest number of vertices skinned for one clip's samples (about a minute's work). Longer clips are thinned.
const MOST_VERTICES: usize = 1 << 30;

/// The frames of a model, small enough to keep under version control.
///
/// Lengths are in the model's units, times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Version of this crate that evaluated the frames.
    pub tool: String,
    /// The model's name.
    pub model: String,
    /// Files that the model was read from; empty if unknown.
    pub inputs: Vec<Input>,
    /// Diagonal of the bind-space bounds, positive. Position tolerances are shares of it.
    pub size: f64,
    /// The joints, parents first.
    pub joints: Vec<RecordedJoint>,
    /// The materials.
    pub materials: Vec<RecordedMaterial>,
    /// The meshes.
    pub meshes: Vec<RecordedMesh>,
    /// Rest pose as a single sample.
    pub rest: RecordedFrames,
    /// The clips.
    pub clips: Vec<RecordedClip>,
    /// Ticks per second of a .x file, if it has clips.
    pub ticks_per_second: Option<f64>,
    /// Parts that the files name or have, but the model lacks. A snapshot file does not store them.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
}

/// A file that a model was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Name without folders.
    pub file: String,
    /// Length in bytes.
    pub bytes: u64,
    /// XXH3 of its bytes, 128 bits in hexadecimal, as `xxhsum -H2` prints it.
    pub xxh128: String,
    /// Hexadecimal digest of a .x file's fourth matrix columns, if any is not (0, 0, 0, 1). They have no effect on
    /// poses.
    pub fourth_columns: Option<String>,
}

impl Input {
    /// Creates an input from the name and the bytes of a file.
    pub fn new(file: impl Into<String>, bytes: &[u8]) -> Self {
        let xxh128 = format!("{:032x}", xxh3_128(bytes));
        Self { file: file.into(), bytes: bytes.len() as u64, xxh128, fourth_columns: None }
    }
}

/// A joint's name and parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedJoint {
    /// Name.
    pub name: String,
    /// Index of the parent, less than the joint's own.
    pub parent: Option<u32>,
}

/// A material.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMaterial {
    /// Name.
    pub name: String,
    /// Texture name as written in the file.
    pub texture: Option<String>,
    /// Digest of the colours.
    pub colors: u64,
}

/// Counts and digests of a mesh. Vertices have the file's numbers, before import splits any for shading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMesh {
    /// Name.
    pub name: String,
    /// Index of the material.
    pub material: u32,
    /// Vertices in the file.
    pub vertices: u32,
    /// Influences of all vertices.
    pub influences: u32,
    /// Corners of each triangle.
    pub triangles: ListDigest,
    /// Texture coordinates and colour of each vertex.
    pub uvs: ListDigest,
    /// Joints that influence each vertex.
    pub joints: ListDigest,
    /// Weights and offsets of each vertex.
    pub weights: ListDigest,
    /// Inverse bind transforms.
    pub bind: u64,
    /// Bind-space positions, normals and tangents.
    pub surface: u64,
    /// The triangles as a set, each by the content of its corners. It does not depend on the order of vertices and
    /// triangles.
    pub shape: u64,
}

/// A clip and its frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedClip {
    /// Name.
    pub name: String,
    /// Frames per second, if the file has frames.
    pub frame_rate: Option<f64>,
    /// Length in seconds.
    pub duration: f64,
    /// True if the clip repeats.
    pub looping: bool,
    /// Flags of each joint in an MD5 clip: the components that its frames have. 0 for a joint that the file lacks.
    pub flags: Vec<i64>,
    /// Frames at which a camera jumps.
    pub cuts: Vec<i64>,
    /// One sample per distinct key time, and a few between keys.
    pub frames: RecordedFrames,
}

/// Samples in order of time, with digests over all of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecordedFrames {
    /// The samples. A snapshot file stores them as tracks.
    #[serde(skip)]
    pub samples: Vec<Sample>,
    /// Digest of each joint's local transforms.
    pub local: Vec<u64>,
    /// Digest of each joint's model-space transforms.
    pub model: Vec<u64>,
    /// Digest of each mesh' vertex positions.
    pub positions: Vec<u64>,
    /// Digest of each mesh' normals and tangents.
    pub shading: Vec<u64>,
    /// Names of the numbers that the file has for each frame: the corners of boxes, or the field of view.
    pub numbers: Vec<String>,
}

/// Numbers of an MD5 clip's frames: the corners of the box, in model space.
pub const BOUNDS: [&str; 6] =
    ["bounds min x", "bounds min y", "bounds min z", "bounds max x", "bounds max y", "bounds max z"];

/// Number of a camera's frames: its horizontal angle of view, in degrees.
pub const FIELD_OF_VIEW: [&str; 1] = ["field of view"];

impl Snapshot {
    /// Evaluates every frame of a model. `inputs` are the files that it was read from; empty if unknown.
    ///
    /// The result does not depend on the number of threads. A clip with more than 4 million joint poses is sampled at
    /// evenly chosen frames.
    pub fn take(model: &Model, inputs: Vec<Input>) -> Self {
        let surfaces: Vec<Surface> = model.meshes.iter().map(Surface::of).collect();
        let size = size(model);
        let clips = model.clips.iter().map(|clip| RecordedClip {
            name: clip.name.clone(),
            frame_rate: clip.frame_rate,
            duration: clip.duration,
            looping: clip.looping,
            flags: Vec::new(),
            cuts: Vec::new(),
            frames: frames(model, size, &surfaces, Some(clip)),
        });
        Self {
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            model: model.name.clone(),
            inputs,
            size,
            joints: model.skeleton.joints().iter().map(recorded_joint).collect(),
            materials: model.materials.iter().map(recorded_material).collect(),
            meshes: model.meshes.iter().zip(&surfaces).map(|(mesh, of)| of.record(mesh, &model.skeleton)).collect(),
            rest: frames(model, size, &surfaces, None),
            clips: clips.collect(),
            ticks_per_second: None,
            left_out: Vec::new(),
        }
    }

    /// Spends the memory of [`Self::take`] from a budget: that of all samples, and of the bytes that are written.
    ///
    /// # Errors
    ///
    /// [`Exceeded`], with the number of joint poses.
    pub(super) fn spend_samples(model: &Model, budget: &Budget) -> Result<(), Exceeded> {
        let samples: usize = model.clips.iter().map(|clip| sampled(model, clip).len()).sum();
        let poses = samples * model.skeleton.len();
        budget.spend(poses as u128 * JOINT_POSE_MEMORY, || format!("{} joint poses of samples", grouped(poses)))
    }

    /// Adds numbers that the file has for each frame of a clip. Missing ones are not-a-number.
    pub(super) fn add_numbers<const N: usize>(&mut self, clip: usize, names: [&str; N], frames: &[[f64; N]]) {
        let grid = Grid::for_size(self.size);
        let clip = &mut self.clips[clip].frames;
        clip.numbers = names.map(str::to_owned).to_vec();
        let mut digest = Digest::default();
        for sample in &mut clip.samples {
            let numbers = frames.get(sample.frame.number as usize).copied().unwrap_or([f64::NAN; N]);
            digest.numbers(numbers);
            sample.digests.numbers = digest.finish() as u32;
            sample.numbers = numbers.map(|number| grid.value(grid.round(number))).to_vec();
        }
    }

    /// Returns the joints, each at rest.
    pub fn skeleton(&self) -> Skeleton {
        let mut skeleton = Skeleton::new();
        let rest = self.rest.samples.first().map_or(&[][..], |sample| &sample.joints);
        for (index, joint) in self.joints.iter().enumerate() {
            let parent = joint.parent.and_then(|parent| skeleton.id(parent as usize));
            skeleton.push(joint.name.clone(), parent, rest.get(index).copied().unwrap_or(Transform::IDENTITY));
        }
        skeleton
    }
}

/// Takes a snapshot without inputs, like [`Snapshot::take`].
impl From<&Model> for Snapshot {
    fn from(model: &Model) -> Self {
        Self::take(model, Vec::new())
    }
}

/// Returns the diagonal of the box around all meshes, otherwise around the joints at rest; 1 if that is zero or not
/// finite.
fn size(model: &Model) -> f64 {
    let pose = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
    let vertices = model.meshes.iter().filter_map(Mesh::bounds).map(|(min, max)| (min.as_dvec3(), max.as_dvec3()));
    let joints = pose.0.iter().map(|joint| (joint.translation, joint.translation));
    let diagonal = |boxes: &mut dyn Iterator<Item = (DVec3, DVec3)>| {
        let joined = boxes.reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
        joined.map(|(min, max)| min.distance(max)).filter(|size| size.is_finite() && *size > 0.0)
    };
    diagonal(&mut vertices.into_iter()).or_else(|| diagonal(&mut joints.into_iter())).unwrap_or(1.0)
}

fn recorded_joint(joint: &Joint) -> RecordedJoint {
    RecordedJoint { name: joint.name.clone(), parent: joint.parent.map(|parent| parent.index() as u32) }
}

fn recorded_material(material: &Material) -> RecordedMaterial {
    let mut colors = Digest::default();
    colors.floats(material.diffuse.to_array());
    colors.floats(material.specular.to_array());
    colors.floats([material.specular_power]);
    colors.floats(material.emissive.to_array());
    RecordedMaterial { name: material.name.clone(), texture: material.texture.clone(), colors: colors.finish() }
}

/// Facts about a mesh that all its samples need.
struct Surface {
    /// Number of each file vertex that the mesh has, and the first of the vertices it was split into.
    file_vertices: Vec<(u32, usize)>,
    /// Weight of each vertex' normal: the area of its triangles in bind space as a share of the average, at most 1.
    shares: Vec<f64>,
}

impl Surface {
    fn of(mesh: &Mesh) -> Self {
        let sources = &mesh.source_vertices;
        let mut is_known = vec![false; sources.iter().max().map_or(0, |&most| most as usize + 1)];
        let first = |&(source, _): &(u32, usize)| !std::mem::replace(&mut is_known[source as usize], true);
        let file_vertices = sources.iter().copied().zip(0..).filter(first).collect();
        let mut areas = vec![0.0; mesh.vertex_count()];
        for &corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
            let area = (b - a).cross(c - a).length();
            corners.iter().for_each(|&corner| areas[corner as usize] += area);
        }
        let average = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
        // If the average is 0 or not finite, all weigh the same.
        let share = |area: f64| if average > 0.0 && area.is_finite() { (area / average).min(1.0) } else { 1.0 };
        Self { file_vertices, shares: areas.into_iter().map(share).collect() }
    }

    fn record(&self, mesh: &Mesh, skeleton: &Skeleton) -> RecordedMesh {
        let mut digest = Digest::default();
        let [mut triangles, mut uvs, mut joints, mut weights] = [ListDigest::default(); 4];
        for &(source, vertex) in &self.file_vertices {
            digest.floats(mesh.uvs[vertex].to_array());
            mesh.colors.get(vertex).iter().for_each(|color| digest.floats(color.to_array()));
            uvs.add(source, digest.finish());
            let influences = mesh.influences_of(vertex);
            influences.iter().for_each(|pull| digest.integer(mesh.bind[pull.slot as usize].joint.index() as u64));
            joints.add(source, digest.finish());
            for influence in influences {
                digest.floats([influence.weight]);
                digest.floats(influence.offset.to_array());
            }
            weights.add(source, digest.finish());
        }
        for (corners, number) in mesh.triangles.iter().zip(0..) {
            corners.iter().for_each(|&corner| digest.integer(mesh.source_vertices[corner as usize].into()));
            triangles.add(number, digest.finish());
        }
        let shape = shape(mesh, skeleton);
        mesh.bind.iter().for_each(|bound| digest.map(&bound.inverse_bind));
        let bind = digest.finish();
        mesh.positions.iter().for_each(|position| digest.floats(position.to_array()));
        mesh.normals.iter().for_each(|normal| digest.floats(normal.to_array()));
        mesh.tangents.iter().for_each(|tangent| digest.floats(tangent.to_array()));
        RecordedMesh {
            name: mesh.name.clone(),
            material: mesh.material.0,
            vertices: uvs.count,
            influences: self.file_vertices.iter().map(|&(_, vertex)| mesh.influences_of(vertex).len() as u32).sum(),
            triangles,
            uvs,
            joints,
            weights,
            bind,
            surface: digest.finish(),
            shape,
        }
    }
}

/// Sums the digests of all triangles: positions, texture coordinates, colours and weights of the corners.
fn shape(mesh: &Mesh, skeleton: &Skeleton) -> u64 {
    let mut digest = Digest::default();
    let content = |vertex: usize| {
        let influence = |pull: &bindpose_core::model::Influence| {
            digest.bytes(skeleton[mesh.bind[pull.slot as usize].joint].name.as_bytes());
            digest.floats([pull.weight]);
            digest.floats(pull.offset.to_array());
            digest.finish()
        };
        let pulls = mesh.influences_of(vertex).iter().map(influence).fold(0_u64, u64::wrapping_add);
        digest.integer(pulls);
        digest.floats(mesh.positions[vertex].to_array());
        digest.floats(mesh.uvs[vertex].to_array());
        mesh.colors.get(vertex).iter().for_each(|color| digest.floats(color.to_array()));
        digest.finish()
    };
    let contents: Vec<u64> = (0..mesh.vertex_count()).map(content).collect();
    let triangle = |corners: &[u32; 3]| {
        let mut corners = corners.map(|corner| contents[corner as usize]);
        // The digest does not depend on which corner comes first.
        let least = (0..3).min_by_key(|&corner| corners[corner]).unwrap_or(0);
        corners.rotate_left(least);
        corners.iter().for_each(|&content| digest.integer(content));
        digest.finish()
    };
    mesh.triangles.iter().map(triangle).fold(0, u64::wrapping_add)
}

/// Returns the times at which a clip is sampled.
fn sampled(model: &Model, clip: &Clip) -> Vec<SampleTime> {
    let vertices: usize = model.meshes.iter().map(Mesh::vertex_count).sum();
    let most = (MOST_JOINT_POSES / model.skeleton.len().max(1)).min(MOST_VERTICES / vertices.max(1));
    sample_times(clip, most)
}

/// Samples a clip, or the rest pose.
fn frames(model: &Model, size: f64, surfaces: &[Surface], clip: Option<&Clip>) -> RecordedFrames {
    let times = match clip {
        Some(clip) => sampled(model, clip),
        None => vec![SampleTime { time: 0.0, frame: FrameRef::at(0) }],
    };
    let columns = Columns {
        joints: model.skeleton.len(),
        has_vertices: model.meshes.iter().any(|mesh| mesh.vertex_count() > 0),
        numbers: 0,
        grid: Grid::for_size(size),
    };
    let evaluate = |buffers: &mut Buffers, at| {
        let evaluated = buffers.evaluate(model, surfaces, clip, at);
        Evaluated { sample: columns.rounded(&evaluated.sample), ..evaluated }
    };
    let evaluated: Vec<Evaluated> = times.into_par_iter().map_init(Buffers::default, evaluate).collect();
    let mut digest = Digest::default();
    let mut columns = |of: fn(&Evaluated) -> &[u64], count: usize| -> Vec<u64> {
        let column = |index: usize| {
            evaluated.iter().for_each(|sample| digest.integer(of(sample)[index]));
            digest.finish()
        };
        (0..count).map(column).collect()
    };
    let (joints, meshes) = (model.skeleton.len(), model.meshes.len());
    RecordedFrames {
        local: columns(|sample| &sample.local, joints),
        model: columns(|sample| &sample.model, joints),
        positions: columns(|sample| &sample.vertices.positions, meshes),
        shading: columns(|sample| &sample.vertices.shading, meshes),
        samples: evaluated.into_iter().map(|evaluated| evaluated.sample).collect(),
        numbers: Vec::new(),
    }
}

#[derive(Default)]
struct Buffers {
    local: LocalPose,
    model: ModelPose,
    skinned: Skinned,
    digest: Digest,
}

/// A sample and the digests of its single joints and meshes.
struct Evaluated {
    sample: Sample,
    local: Vec<u64>,
    model: Vec<u64>,
    vertices: Vertices,
}

/// Digests of each mesh' vertices, and sums over all of them.
#[derive(Default)]
struct Vertices {
    positions: Vec<u64>,
    shading: Vec<u64>,
    bounds: Option<(DVec3, DVec3)>,
    position_sums: [DVec3; 2],
    shading_sum: DVec3,
}

impl Buffers {
    fn evaluate(&mut self, model: &Model, surfaces: &[Surface], clip: Option<&Clip>, at: SampleTime) -> Evaluated {
        let Self { local, model: pose, digest, .. } = self;
        match clip {
            Some(clip) => sample(&model.skeleton, clip, at.time, local),
            None => rest(&model.skeleton, local),
        }
        local_to_model(&model.skeleton, local, pose);
        let local_digests = local.0.iter().map(|transform| {
            digest.transform(transform);
            digest.finish()
        });
        let local: Vec<u64> = local_digests.collect();
        let model_digests = pose.0.iter().map(|joint| {
            digest.map(joint);
            digest.finish()
        });
        let joints: Vec<u64> = model_digests.collect();
        let vertices = self.skin(model, surfaces);
        let mut of_all = |parts: &[u64]| {
            parts.iter().for_each(|&part| self.digest.integer(part));
            self.digest.finish() as u32
        };
        let sample = Sample {
            time: at.time,
            frame: at.frame,
            digests: SampleDigests {
                local: of_all(&local),
                model: of_all(&joints),
                positions: of_all(&vertices.positions),
                shading: of_all(&vertices.shading),
                numbers: 0,
            },
            joints: self.local.0.clone(),
            joint_sums: joint_sums(&self.model),
            bounds: vertices.bounds,
            position_sums: vertices.position_sums,
            shading_sum: vertices.shading_sum,
            numbers: Vec::new(),
        };
        Evaluated { sample, local, model: joints, vertices }
    }

    /// Skins all meshes in the present pose.
    fn skin(&mut self, model: &Model, surfaces: &[Surface]) -> Vertices {
        let Self { model: pose, skinned, digest, .. } = self;
        let mut out = Vertices::default();
        let (mut first, mut number) = (0, 0);
        for (mesh, surface) in model.meshes.iter().zip(surfaces) {
            skin::linear(mesh, pose, skinned);
            for &(source, vertex) in &surface.file_vertices {
                let position = skinned.positions[vertex];
                digest.vector(position);
                let (min, max) = out.bounds.unwrap_or((position, position));
                out.bounds = Some((min.min(position), max.max(position)));
                let [plus, minus, ..] = signs(first + u64::from(source));
                out.position_sums[0] += position * plus;
                out.position_sums[1] += position * minus;
            }
            first += surface.file_vertices.iter().map(|&(source, _)| u64::from(source) + 1).max().unwrap_or(0);
            out.positions.push(digest.finish());
            for ((&normal, &tangent), &share) in skinned.normals.iter().zip(&skinned.tangents).zip(&surface.shares) {
                let [.., of_normal, of_tangent] = signs(number);
                out.shading_sum += (normal * of_normal + tangent * of_tangent) * share;
                number += 1;
            }
            skinned.normals.iter().chain(&skinned.tangents).for_each(|&direction| digest.vector(direction));
            out.shading.push(digest.finish());
        }
        out
    }
}

/// Returns [`Sample::joint_sums`].
fn joint_sums(pose: &ModelPose) -> [DVec3; 2] {
    let mut sums = [DVec3::ZERO; 2];
    for (joint, number) in pose.0.iter().zip(0..) {
        let [position, x, y, z] = signs(number);
        sums[0] += joint.translation * position;
        sums[1] += joint.matrix3 * DVec3::new(x, y, z);
    }
    sums
}

/// Returns four signs for a vertex or joint from its number in the model: bits of splitmix64.
fn signs(number: u64) -> [f64; 4] {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    [0, 1, 2, 3].map(|bit| if mixed >> bit & 1 == 1 { 1.0 } else { -1.0 })
}
