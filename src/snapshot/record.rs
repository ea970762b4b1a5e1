//! What a snapshot holds, and how it is made from a model.

use super::digest::{Digest, of_file};
use super::times::{Place, SampleTime, sample_times};
use bindpose_core::model::{Clip, Joint, Material, Mesh, Model, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{self, Skinned};
use glam::{DAffine3, DVec3};
use rayon::prelude::*;

/// Joint poses that one clip's samples may take together (about 440 MB): longer clips are thinned.
pub(super) const MOST_JOINT_POSES: usize = 1 << 22;

/// Vertices that one clip's samples may skin together (about a minute's work): longer clips are thinned.
const MOST_VERTICES: usize = 1 << 30;

/// What a model's frames were, small enough to keep under version control.
///
/// All transforms are in model space and in the model's units, times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The version of this crate that evaluated the frames.
    pub tool: String,
    /// The model's name.
    pub model: String,
    /// The files that it was read from.
    pub inputs: Vec<Input>,
    /// Diagonal of the bind-space bounds: what position tolerances are shares of.
    pub size: f64,
    /// The joints, parents first.
    pub joints: Vec<RecordedJoint>,
    /// The materials.
    pub materials: Vec<RecordedMaterial>,
    /// The meshes.
    pub meshes: Vec<RecordedMesh>,
    /// The rest pose: one sample.
    pub rest: RecordedFrames,
    /// The clips.
    pub clips: Vec<RecordedClip>,
}

/// A file that a model was read from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Input {
    /// Its name without folders.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// XXH3 of its bytes, 128 bits in hexadecimal, as `xxhsum -H2` prints it.
    pub xxh128: String,
    /// Of a .x file with matrices whose fourth column is not (0, 0, 0, 1) a digest of these columns, hexadecimal: no
    /// pose shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fourth_columns: Option<String>,
}

impl Input {
    /// Names and digests a file.
    pub fn new(file: impl Into<String>, bytes: &[u8]) -> Self {
        let xxh128 = format!("{:032x}", of_file(bytes));
        Self { file: file.into(), bytes: bytes.len() as u64, xxh128, fourth_columns: None }
    }
}

/// A joint's place in the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RecordedJoint {
    /// Its name.
    pub name: String,
    /// Index of its parent, which stands before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
}

/// A material.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RecordedMaterial {
    /// Its name.
    pub name: String,
    /// The texture as the file names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<String>,
    /// Digest of its colours.
    #[serde(with = "super::file::hexadecimal")]
    pub colors: u64,
}

/// A mesh: what can be counted, and digests of the rest.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RecordedMesh {
    /// Its name.
    pub name: String,
    /// Index of its material.
    pub material: u32,
    /// How many vertices, those split for shading included.
    pub vertices: u32,
    /// How many triangles.
    pub triangles: u32,
    /// How many influences.
    pub influences: u32,
    /// Digest of triangles, texture coordinates, vertex colours, and of which joints pull which vertices.
    #[serde(with = "super::file::hexadecimal")]
    pub structure: u64,
    /// Digest of weights, offsets and inverse bind transforms.
    #[serde(with = "super::file::hexadecimal")]
    pub weights: u64,
    /// Digest of bind-space positions, normals and tangents.
    #[serde(with = "super::file::hexadecimal")]
    pub surface: u64,
}

/// A clip and its frames.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedClip {
    /// Its name.
    pub name: String,
    /// Frames per second, where the file has frames.
    pub frame_rate: Option<f64>,
    /// Length in seconds.
    pub duration: f64,
    /// Whether it repeats.
    pub looping: bool,
    /// Its frames: one per distinct key time, and a few in between.
    pub frames: RecordedFrames,
}

/// Samples in order of time, with digests through all of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedFrames {
    /// The samples.
    pub samples: Vec<Sample>,
    /// For every joint a digest of its local transforms.
    pub local: Vec<u64>,
    /// For every joint a digest of its model-space transforms.
    pub model: Vec<u64>,
    /// For every mesh a digest of its vertices' positions.
    pub positions: Vec<u64>,
    /// For every mesh a digest of its vertices' normals and tangents.
    pub shading: Vec<u64>,
}

/// One moment of a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Seconds from the clip's start.
    pub time: f64,
    /// The same in the clip's own count.
    pub place: Place,
    /// Digests of the whole sample.
    pub digests: SampleDigests,
    /// The joints in model space.
    pub joints: Vec<Transform>,
    /// Bounds of all vertices; `None` without vertices.
    pub bounds: Option<(DVec3, DVec3)>,
    /// Two sums over all vertices' positions, each with its own fixed pattern of signs.
    ///
    /// A vertex that moves by d moves both by d; many that move on their own add up as the root of the sum of their
    /// squares. So they tell how far vertices have moved without holding them.
    pub position_sums: [DVec3; 2],
    /// The same over normals and tangents, with one pattern each.
    pub shading_sum: DVec3,
}

/// What one moment looked like to the bit; 32 bits of each digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleDigests {
    /// All local transforms.
    pub local: u32,
    /// All model-space transforms.
    pub model: u32,
    /// All vertices' positions.
    pub positions: u32,
    /// All normals and tangents.
    pub shading: u32,
}

impl From<[u32; 4]> for SampleDigests {
    fn from([local, model, positions, shading]: [u32; 4]) -> Self {
        Self { local, model, positions, shading }
    }
}

impl From<SampleDigests> for [u32; 4] {
    fn from(SampleDigests { local, model, positions, shading }: SampleDigests) -> Self {
        [local, model, positions, shading]
    }
}

impl Snapshot {
    /// Evaluates every frame of a model; `inputs` are the files that it came from.
    ///
    /// In parallel; the result does not depend on the number of threads. A clip of so many frames that
    /// frames × joints exceed 4 million is sampled at evenly chosen frames.
    pub fn take(model: &Model, inputs: Vec<Input>) -> Self {
        let clips = model.clips.iter().map(|clip| RecordedClip {
            name: clip.name.clone(),
            frame_rate: clip.frame_rate,
            duration: clip.duration,
            looping: clip.looping,
            frames: frames(model, Some(clip)),
        });
        Self {
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            model: model.name.clone(),
            inputs,
            size: size(model),
            joints: model.skeleton.joints().iter().map(recorded_joint).collect(),
            materials: model.materials.iter().map(recorded_material).collect(),
            meshes: model.meshes.iter().map(recorded_mesh).collect(),
            rest: frames(model, None),
            clips: clips.collect(),
        }
    }
}

/// Diagonal of the box around all meshes, else around the joints at rest; 1 where that is nothing or no number.
fn size(model: &Model) -> f64 {
    let mut pose = (LocalPose::default(), ModelPose::default());
    rest(&model.skeleton, &mut pose.0);
    local_to_model(&model.skeleton, &pose.0, &mut pose.1);
    let vertices = model.meshes.iter().filter_map(Mesh::bounds).map(|(min, max)| (min.as_dvec3(), max.as_dvec3()));
    let joints = pose.1.0.iter().map(|joint| (joint.translation, joint.translation));
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
    colors.numbers(material.diffuse.to_array().map(f64::from));
    colors.numbers(material.specular.to_array().map(f64::from));
    colors.number(f64::from(material.specular_power));
    colors.numbers(material.emissive.to_array().map(f64::from));
    RecordedMaterial { name: material.name.clone(), texture: material.texture.clone(), colors: colors.finish() }
}

fn recorded_mesh(mesh: &Mesh) -> RecordedMesh {
    let [mut structure, mut weights, mut surface] = [(); 3].map(|()| Digest::default());
    mesh.triangles.iter().flatten().for_each(|&corner| structure.integer(corner.into()));
    mesh.source_vertices.iter().for_each(|&vertex| structure.integer(vertex.into()));
    mesh.influence_starts.iter().for_each(|&start| structure.integer(start.into()));
    mesh.influences.iter().for_each(|influence| structure.integer(influence.slot.into()));
    mesh.bind.iter().for_each(|bound| structure.integer(bound.joint.index() as u64));
    mesh.uvs.iter().for_each(|uv| structure.numbers(uv.to_array().map(f64::from)));
    mesh.colors.iter().for_each(|color| structure.numbers(color.to_array().map(f64::from)));
    for influence in &mesh.influences {
        weights.number(influence.weight.into());
        weights.vector(influence.offset.as_dvec3());
    }
    mesh.bind.iter().for_each(|bound| weights.map(&bound.inverse_bind));
    mesh.positions.iter().for_each(|position| surface.vector(position.as_dvec3()));
    mesh.normals.iter().for_each(|normal| surface.vector(normal.as_dvec3()));
    mesh.tangents.iter().for_each(|tangent| surface.numbers(tangent.to_array().map(f64::from)));
    RecordedMesh {
        name: mesh.name.clone(),
        material: mesh.material.0,
        vertices: mesh.vertex_count() as u32,
        triangles: mesh.triangles.len() as u32,
        influences: mesh.influences.len() as u32,
        structure: structure.finish(),
        weights: weights.finish(),
        surface: surface.finish(),
    }
}

/// Samples a clip, or the rest pose.
fn frames(model: &Model, clip: Option<&Clip>) -> RecordedFrames {
    let times = match clip {
        Some(clip) => {
            let vertices: usize = model.meshes.iter().map(Mesh::vertex_count).sum();
            let most = (MOST_JOINT_POSES / model.skeleton.len().max(1)).min(MOST_VERTICES / vertices.max(1));
            sample_times(clip, most)
        }
        None => vec![SampleTime { time: 0.0, place: Place::Key(0) }],
    };
    let evaluated: Vec<Evaluated> =
        times.into_par_iter().map_init(Buffers::default, |buffers, at| evaluate(model, clip, at, buffers)).collect();
    let mut digest = Digest::default();
    let mut columns = |of: fn(&Evaluated) -> &[u64], count: usize| -> Vec<u64> {
        let column = |index: usize| {
            evaluated.iter().for_each(|moment| digest.integer(of(moment)[index]));
            digest.finish()
        };
        (0..count).map(column).collect()
    };
    let (joints, meshes) = (model.skeleton.len(), model.meshes.len());
    RecordedFrames {
        local: columns(|moment| &moment.local, joints),
        model: columns(|moment| &moment.model, joints),
        positions: columns(|moment| &moment.positions, meshes),
        shading: columns(|moment| &moment.shading, meshes),
        samples: evaluated.into_iter().map(|moment| moment.sample).collect(),
    }
}

#[derive(Default)]
struct Buffers {
    local: LocalPose,
    model: ModelPose,
    palette: Vec<DAffine3>,
    skinned: Skinned,
    digest: Digest,
}

/// A sample and the digests of its joints and meshes one by one.
struct Evaluated {
    sample: Sample,
    local: Vec<u64>,
    model: Vec<u64>,
    positions: Vec<u64>,
    shading: Vec<u64>,
}

fn evaluate(model: &Model, clip: Option<&Clip>, at: SampleTime, buffers: &mut Buffers) -> Evaluated {
    let Buffers { local, model: pose, palette, skinned, digest } = buffers;
    match clip {
        Some(clip) => sample(&model.skeleton, clip, at.time, local),
        None => rest(&model.skeleton, local),
    }
    local_to_model(&model.skeleton, local, pose);
    let local_digests = local.0.iter().map(|transform| {
        digest.vector(transform.translation);
        digest.rotation(transform.rotation);
        digest.vector(transform.scale);
        digest.vector(transform.shear);
        digest.finish()
    });
    let local: Vec<u64> = local_digests.collect();
    let model_digests = pose.0.iter().map(|joint| {
        digest.map(joint);
        digest.finish()
    });
    let joints: Vec<u64> = model_digests.collect();

    let mut positions = Vec::with_capacity(model.meshes.len());
    let mut shading = Vec::with_capacity(model.meshes.len());
    let mut bounds: Option<(DVec3, DVec3)> = None;
    let mut position_sums = [DVec3::ZERO; 2];
    let mut shading_sum = DVec3::ZERO;
    let mut number = 0;
    for mesh in &model.meshes {
        skin::palette(mesh, pose, palette);
        skin::linear(mesh, pose, palette, skinned);
        for ((&position, &normal), &tangent) in skinned.positions.iter().zip(&skinned.normals).zip(&skinned.tangents) {
            digest.vector(position);
            let (min, max) = bounds.unwrap_or((position, position));
            bounds = Some((min.min(position), max.max(position)));
            let [first, second, third, fourth] = signs(number);
            position_sums[0] += position * first;
            position_sums[1] += position * second;
            shading_sum += normal * third + tangent * fourth;
            number += 1;
        }
        positions.push(digest.finish());
        skinned.normals.iter().chain(&skinned.tangents).for_each(|&direction| digest.vector(direction));
        shading.push(digest.finish());
    }
    let mut of_all = |parts: &[u64]| {
        parts.iter().for_each(|&part| digest.integer(part));
        digest.finish() as u32
    };
    let digests = [&local, &joints, &positions, &shading].map(|parts| of_all(parts)).into();
    let sample = Sample {
        time: at.time,
        place: at.place,
        digests,
        joints: pose.0.iter().map(|&joint| Transform::from_affine(joint)).collect(),
        bounds,
        position_sums,
        shading_sum,
    };
    Evaluated { sample, local, model: joints, positions, shading }
}

/// Four signs for a vertex by its number in the model: bits of splitmix64.
fn signs(number: u64) -> [f64; 4] {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    [0, 1, 2, 3].map(|bit| if mixed >> bit & 1 == 1 { 1.0 } else { -1.0 })
}
