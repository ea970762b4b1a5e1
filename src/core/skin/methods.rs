//! Table of skinning methods: name, source, limits and functions.
//!
//! A new method needs a row here, a reference next to this file and a shader. Everything else reads the table. Rows
//! choose among the layouts of joints and vertices that the renderer can upload ([`JointData`], [`VertexLayout`],
//! [`super::Data`]).

use super::corrections::{self, Base, MOST_COMPRESSED, MOST_EXAMPLES, Measure, Preparation, Scheme};
use super::cost::Reduced;
use super::linear::{by_palette, joint_normals_by_palette};
use super::method::{
    Capacity, Data, JointData, Method, Normals, PrepareInput, Prepared, Requirements, SkinningStage, VertexLayout,
    nothing,
};
use super::pivot::Signs;
use super::pivot::heaviest_first;
use super::skinned::Skinned;
use super::timed_pose::TimedPose;
use super::unavailable::Unavailable;
use super::velocity::{self, Motion};
use super::{blend, bulge_free_dqs, cor, ddm, dqs, dqs_scale, log_matrix, morph, mwe, pivot, rigid, sbs, sjb};
use crate::suggest;
use glam::DAffine3;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// Creates a common method: four influences of a bind-space position, with the palette in registers.
const fn shader(name: &'static str, article: &'static str, about: &'static str) -> Method {
    Method {
        name,
        shader: name,
        title: name,
        article,
        stage: SkinningStage::VertexShader,
        glsl: Some(120),
        joint_data: JointData::Rows,
        capacity: Capacity::Budget(None),
        influences: Some(4),
        normalises_weights: false,
        lightest: 0.0,
        vertex: VertexLayout::Four,
        unrolled: false,
        normals: Normals::Blended,
        prepare: nothing,
        formula: |it, at, palette, out| by_palette(&it.mesh, at.pose, palette, out),
        is_linear: true,
        needs: Requirements::NONE,
        about,
    }
}

/// Creates a method that corrects linear blending by examples.
const fn linear_by_examples(name: &'static str, article: &'static str, about: &'static str) -> Method {
    Method {
        shader: "sbe",
        joint_data: JointData::RowsAndExamples,
        normalises_weights: true,
        vertex: VertexLayout::LastImplied,
        formula: corrected,
        is_linear: false,
        ..shader(name, article, about)
    }
}

/// Prepares examples.
fn by_examples(source: &PrepareInput<'_>, meshes: &mut [Reduced], scheme: Scheme) -> Result<Vec<Data>, Unavailable> {
    let prepared = corrections::prepare(source.skeleton, meshes, source.examples, scheme);
    for (Reduced { cost, .. }, corrections) in meshes.iter_mut().zip(&prepared) {
        cost.left_out_examples = corrections.left_out.len();
        let errors = corrections.joints.iter().map(|joint| joint.component_error as f32);
        cost.example_error = errors.fold(0.0, f32::max);
    }
    Ok(parts(prepared, Data::Corrections))
}

/// Fits weights to examples.
fn multi_weights(source: &PrepareInput<'_>, meshes: &mut [Reduced]) -> Vec<Data> {
    meshes.iter_mut().for_each(|it| heaviest_first(&mut it.mesh));
    let scheme = Scheme::linear(Measure::AllRotations, MOST_COMPRESSED);
    let input = Preparation::new(source.skeleton, meshes, scheme);
    let mut left_out = Vec::new();
    let used = input.usable(source.examples, &mut left_out);
    let fitted: Vec<_> = meshes.iter().map(|it| mwe::fit(&input, &it.mesh, &used)).collect();
    let data = meshes.iter_mut().zip(fitted).map(|(Reduced { cost, .. }, (weights, error))| {
        (cost.left_out_examples, cost.example_error) = (left_out.len(), error as f32);
        Data::MultiWeights(weights)
    });
    data.collect()
}

/// Prepares examples for spherical joint blending.
fn spherical_by_examples(
    source: &PrepareInput<'_>,
    meshes: &mut [Reduced],
    base: Base,
) -> Result<Vec<Data>, Unavailable> {
    meshes.iter_mut().for_each(|it| sjb::prepare(source.skeleton, it));
    by_examples(source, meshes, Scheme { base, measure: Measure::Direction, most: MOST_EXAMPLES })
}

/// Moves vertices that examples correct.
fn corrected(it: &Prepared, at: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    if let Data::Corrections(corrections) = &it.data {
        corrections::skin(&it.mesh, corrections, at.pose, palette, out);
    }
}

/// Rotates vertices about their joints.
fn spherical(it: &Prepared, _: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    sjb::skin(&it.mesh, pivot::turns(&it.mesh, it.data.signs(), palette), out);
}

/// Defines the table and the ids of its rows.
macro_rules! methods {
    ($($id:ident = $row:expr),* $(,)?) => {
        /// Order of the rows.
        enum Row {
            $($id),*
        }

        #[expect(missing_docs, non_upper_case_globals, reason = "each is described by its row in the table")]
        impl MethodId {
            $(pub const $id: Self = Self(&METHODS[Row::$id as usize]);)*
        }

        /// All methods, in display order.
        ///
        /// For the numbers, see docs/methods.md "Limits and batches". The matrices of `ffp-indexed`, which were not
        /// registers, count as three registers.
        pub static METHODS: &[Method] = &[$($row),*];
    };
}

/// A row of [`METHODS`], or a user-defined method. Names are unique, so ids with the same name are equal.
#[derive(Clone, Copy)]
pub struct MethodId(&'static Method);

/// Prepares meshes one by one.
fn each(
    meshes: &mut [Reduced],
    prepare: impl FnMut(&mut Reduced) -> Result<Data, Unavailable>,
) -> Result<Vec<Data>, Unavailable> {
    meshes.iter_mut().map(prepare).collect()
}

/// Wraps the data of each mesh.
fn parts<T>(parts: Vec<T>, data: fn(T) -> Data) -> Vec<Data> {
    parts.into_iter().map(data).collect()
}

/// Computes the weighted sum with normals rotated joint by joint.
fn linear_by_joint(it: &Prepared, at: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    joint_normals_by_palette(&it.mesh, at.pose, palette, out);
}

methods!(
    Cpu = Method {
        title: "linear, CPU",
        stage: SkinningStage::Cpu,
        glsl: None,
        joint_data: JointData::None,
        capacity: Capacity::Any,
        influences: None,
        vertex: VertexLayout::Finished,
        ..shader(
            "cpu",
            "000 SW, 001, 002",
            "the weighted sum over all influences on the CPU, vertices streamed every frame",
        )
    },
    Ffp = Method {
        title: "linear, fixed function",
        glsl: Some(110),
        capacity: Capacity::Always(4),
        normalises_weights: true,
        vertex: VertexLayout::InOrder,
        ..shader("ffp", "000 FFP", "four matrices per draw, no indices: the fixed-function pipeline's vertex blending")
    },
    FfpIndexed = Method {
        title: "linear, fixed palette",
        glsl: Some(110),
        capacity: Capacity::Budget(Some(57)),
        normalises_weights: true,
        vertex: VertexLayout::LastImplied,
        ..shader(
            "ffp-indexed",
            "000 FFP2",
            "a matrix palette with byte indices: the fixed-function pipeline of a Radeon 8500",
        )
    },
    MatrixLoop = Method {
        title: "linear, loop",
        normalises_weights: true,
        vertex: VertexLayout::LastImplied,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Requirements { loops: true, ..Requirements::NONE },
        ..shader("matrix-loop", "000 VSP", "position and normal turned by every matrix, in a loop with a uniform bound")
    },
    MatrixUnrolled = Method {
        title: "linear, unrolled",
        normalises_weights: true,
        vertex: VertexLayout::LastImplied,
        unrolled: true,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        ..shader(
            "matrix-unrolled",
            "000 VSP2",
            "as matrix-loop, compiled once per influence count, without flow control",
        )
    },
    MatrixBlend = Method {
        title: "linear, one matrix",
        normalises_weights: true,
        vertex: VertexLayout::LastImplied,
        ..shader(
            "matrix-blend",
            "000 VSP3",
            "the matrices are summed first and transform once: the fastest of article 000",
        )
    },
    Gradient = Method {
        title: "linear, gradients",
        joint_data: JointData::Matrices,
        vertex: VertexLayout::FourRaised,
        capacity: Capacity::Budget(Some(32)),
        ..shader("gradient", "001", "mat4 palette of gradient matrices, indices as floats with 0.2 added")
    },
    JointOffsets = Method {
        title: "linear, file's offsets",
        joint_data: JointData::PoseQuaternions,
        capacity: Capacity::Budget(Some(100)),
        lightest: 0.001,
        vertex: VertexLayout::Offsets,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Requirements::RIGID,
        ..shader(
            "joint-offsets",
            "002",
            "the pose itself as quaternions; each influence brings its own joint-space offset, as in the file",
        )
    },
    JointOffsetsArticle = Method {
        title: "the same as in 002",
        joint_data: JointData::PoseQuaternions,
        capacity: Capacity::Budget(Some(100)),
        lightest: 0.001,
        vertex: VertexLayout::Offsets,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Requirements::RIGID,
        ..shader(
            "joint-offsets-article",
            "002",
            "joint-offsets, rotated by two products of quaternions as in the article"
        )
    },
    QuatArray = Method {
        title: "linear, quaternions",
        glsl: Some(130),
        joint_data: JointData::SevenFloats,
        capacity: Capacity::Budget(Some(18)),
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Requirements::RIGID,
        ..shader("quat-array", "004", "seven floats per joint in one float array, rotation by Doom 3's nine products")
    },
    BoneTexture = Method {
        title: "linear, textures",
        joint_data: JointData::QuaternionTexels,
        capacity: Capacity::Budget(Some(256)),
        needs: Requirements { vertex_textures: 2, float_textures: true, rigid_joints: true, ..Requirements::NONE },
        ..shader(
            "bone-texture",
            "003",
            "the palette in two float textures that the vertex shader reads, written in turn",
        )
    },
    Sjb = Method {
        title: "spherical joint blending",
        joint_data: JointData::Pivots,
        normalises_weights: true,
        vertex: VertexLayout::FromPivot,
        normals: Normals::Turned,
        prepare: |source, meshes| {
            each(meshes, |it| {
                sjb::prepare(source.skeleton, it);
                Ok(Data::None)
            })
        },
        formula: spherical,
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "sjb",
            "000 section 5.2",
            "spherical joint blending: a blended quaternion about the joint, no candy wrapper",
        )
    },
    SjbArticle = Method {
        title: "the same as in 2005",
        joint_data: JointData::Pivots,
        normalises_weights: true,
        vertex: VertexLayout::FromPivot,
        normals: Normals::Turned,
        prepare: |source, meshes| {
            each(meshes, |it| {
                sjb::prepare(source.skeleton, it);
                Ok(Data::Signs(Signs::new(source.skeleton, &it.mesh)))
            })
        },
        formula: spherical,
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "sjb-article",
            "000 section 5.2.1",
            "sjb as article 000's program: signs follow the parents', an implied last weight, a matrix of the quaternion",
        )
    },
    Sjbbe = Method {
        title: "spherical joints, examples",
        joint_data: JointData::PivotsAndExamples,
        normalises_weights: true,
        vertex: VertexLayout::FromPivot,
        normals: Normals::Turned,
        prepare: |source, meshes| spherical_by_examples(source, meshes, Base::Spherical),
        formula: corrected,
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "sjbbe",
            "000 section 5.3",
            "sjb with up to four example poses per joint, blended by radial basis functions",
        )
    },
    SjbbeArticle = Method {
        title: "the same as in 2005",
        joint_data: JointData::PivotsAndExamples,
        normalises_weights: true,
        vertex: VertexLayout::FromPivot,
        normals: Normals::Turned,
        prepare: |source, meshes| spherical_by_examples(source, meshes, Base::SphericalWithSigns),
        formula: corrected,
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "sjbbe-article",
            "000 section 5.3.3",
            "sjbbe as article 000's program: signs, last weight and matrix as in sjb-article",
        )
    },
    Sbe = Method {
        title: "linear by examples",
        prepare: |source, meshes| by_examples(source, meshes, Scheme::linear(Measure::Direction, MOST_EXAMPLES)),
        ..linear_by_examples(
            "sbe",
            "000 section 4.2.3, Sloan et al. 2001",
            "shape by example: linear blending of vertices that example poses correct",
        )
    },
    Psd = Method {
        title: "linear, pose space",
        prepare: |source, meshes| by_examples(source, meshes, Scheme::linear(Measure::AllRotations, MOST_EXAMPLES)),
        ..linear_by_examples(
            "psd",
            "000 section 4.2.3, Lewis et al. 2000",
            "pose space deformation: as sbe, with the distance of poses over the rotations of all joints",
        )
    },
    Eigenskin = Method {
        title: "linear, principal components",
        prepare: |source, meshes| by_examples(source, meshes, Scheme::linear(Measure::Rotation, MOST_COMPRESSED)),
        ..linear_by_examples(
            "eigenskin",
            "000 section 4.2.3, Kry et al. 2002",
            "as sbe, with up to 16 example poses per joint, compressed to principal components",
        )
    },
    Mwe = Method {
        title: "multi-weight enveloping",
        joint_data: JointData::RowsAndMultiWeights,
        normalises_weights: true,
        prepare: |source, meshes| Ok(multi_weights(source, meshes)),
        formula: |it, _, palette, out| {
            if let Data::MultiWeights(weights) = &it.data {
                mwe::skin(&it.mesh, weights, palette, out);
            }
        },
        is_linear: false,
        needs: Requirements { vertex_textures: 1, float_textures: true, rigid_joints: true, ..Requirements::NONE },
        ..shader(
            "mwe",
            "000 section 4.2.1, Wang and Phillips 2002",
            "multi-weight enveloping: twelve weights per influence, fitted to example poses by least squares",
        )
    },
    Sbs = Method {
        title: "spherical blend",
        joint_data: JointData::Quaternions,
        normalises_weights: true,
        normals: Normals::Turned,
        prepare: |source, meshes| each(meshes, |it| Ok(Data::Sets(sbs::prepare(source.skeleton, &mut it.mesh)))),
        formula: |it, _, palette, out| {
            if let Data::Sets(sets) = &it.data {
                sbs::skin(&it.mesh, sets, palette, out);
            }
        },
        is_linear: false,
        needs: Requirements { vertex_textures: 1, float_textures: true, rigid_joints: true, ..Requirements::NONE },
        ..shader(
            "sbs",
            "Kavan and Zara 2005",
            "spherical blend skinning: a blended quaternion about a centre fitted to each set of joints",
        )
    },
    Dqs = Method {
        title: "dual quaternions",
        joint_data: JointData::DualQuaternions,
        normalises_weights: true,
        normals: Normals::Turned,
        formula: |it, _, palette, out| dqs::skin(&it.mesh, palette, out),
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader("dqs", "Kavan et al. 2007", "blended dual quaternions")
    },
    DqsScale = Method {
        title: "dual quaternions, scale",
        joint_data: JointData::RowsAndDualQuaternions,
        normalises_weights: true,
        normals: Normals::Turned,
        formula: |it, _, palette, out| dqs_scale::skin(&it.mesh, palette, out),
        is_linear: false,
        ..shader(
            "dqs-scale",
            "Kavan et al. 2008",
            "dqs in two phases: scales are blended as matrices first, so that scaled joints can be shown",
        )
    },
    Blend = Method {
        title: "linear and dual quaternions",
        joint_data: JointData::DualQuaternions,
        normalises_weights: true,
        normals: Normals::Turned,
        formula: |it, _, palette, out| blend::skin(&it.mesh, palette, out),
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader("blend", "as Maya's blend weights", "linear blending and dqs, half of each",)
    },
    BulgeFreeDqs = Method {
        title: "dual quaternions, no bulge",
        joint_data: JointData::DualQuaternionsAndBones,
        normalises_weights: true,
        normals: Normals::Turned,
        prepare: |source, meshes| Ok(parts(bulge_free_dqs::prepare(source.skeleton, meshes)?, Data::Bones)),
        formula: |it, _, palette, out| {
            if let Data::Bones(bones) = &it.data {
                bulge_free_dqs::skin(&it.mesh, bones, palette, out);
            }
        },
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "bulge-free-dqs",
            "Kim and Han 2014",
            "dqs, but no vertex goes farther from its bone than it is in the bind pose",
        )
    },
    LogMatrix = Method {
        title: "matrix logarithms",
        joint_data: JointData::Twists,
        normalises_weights: true,
        normals: Normals::Turned,
        formula: |it, _, palette, out| log_matrix::skin(&it.mesh, palette, out),
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "log-matrix",
            "Alexa 2002, Magnenat-Thalmann et al. 2004",
            "the exponential of the blended logarithms of the matrices",
        )
    },
    Cor = Method {
        title: "centres of rotation",
        joint_data: JointData::RowsAndQuaternions,
        normalises_weights: true,
        normals: Normals::Turned,
        prepare: |_, meshes| Ok(parts(cor::prepare(meshes), Data::Centres)),
        formula: |it, _, palette, out| {
            if let Data::Centres(centres) = &it.data {
                cor::skin(&it.mesh, centres, palette, out);
            }
        },
        is_linear: false,
        needs: Requirements::RIGID,
        ..shader(
            "cor",
            "Le and Hodgins 2016",
            "a blended quaternion about a centre of rotation computed per vertex from the weights",
        )
    },
    Ddm = Method {
        title: "direct delta mush",
        joint_data: JointData::MatrixTexels,
        capacity: Capacity::Any,
        influences: None,
        normalises_weights: true,
        vertex: VertexLayout::Bind,
        normals: Normals::Turned,
        prepare: |_, meshes| Ok(parts(ddm::prepare(meshes)?, Data::DeltaMush)),
        formula: |it, _, palette, out| {
            if let Data::DeltaMush(mush) = &it.data {
                ddm::skin(&it.mesh, mush, palette, out);
            }
        },
        is_linear: false,
        needs: Requirements {
            vertex_textures: 2,
            float_textures: true,
            rigid_joints: true,
            vertex_loops: true,
            ..Requirements::NONE
        },
        ..shader(
            "ddm",
            "Le and Lewis 2019",
            "direct delta mush: every vertex moves with the smoothed surface around it",
        )
    },
    Velocity = Method {
        title: "velocity skinning",
        joint_data: JointData::RowsAndMotions,
        normalises_weights: true,
        prepare: |source, meshes| {
            let motion = source.clip.map(|clip| Motion::new(source.skeleton, clip)).transpose()?;
            let data = motion.map_or(Data::None, |motion| Data::Motion(Box::new(motion)));
            Ok(vec![data; meshes.len()])
        },
        formula: |it, at, palette, out| {
            let motion = if let Data::Motion(motion) = &it.data { Some(&**motion) } else { None };
            velocity::skin(&it.mesh, motion, at, palette, out);
        },
        is_linear: false,
        needs: Requirements {
            vertex_textures: 1,
            float_textures: true,
            rigid_joints: true,
            clip: true,
            vertex_loops: true,
            ..Requirements::NONE
        },
        ..shader(
            "velocity",
            "Rohmer et al. 2021",
            "velocity skinning: the weighted sum, squashed and dragged by the motion of the joints in the clip",
        )
    },
    Rigid = Method {
        title: "one joint per vertex",
        capacity: Capacity::Budget(None),
        influences: Some(1),
        normalises_weights: true,
        vertex: VertexLayout::One,
        formula: |it, at, palette, out| rigid::skin(&it.mesh, at.pose, palette, out),
        is_linear: false,
        ..shader("rigid", "000 section 2.4.2", "every vertex follows its heaviest joint alone")
    },
    Morph = Method {
        title: "key frame vertices",
        glsl: Some(110),
        joint_data: JointData::None,
        capacity: Capacity::Any,
        influences: None,
        vertex: VertexLayout::TwoFrames,
        prepare: |source, meshes| {
            let clip = source.clip.ok_or(Unavailable::NoClip)?;
            each(meshes, |it| morph::MorphFrames::bake(source.skeleton, &it.mesh, clip).map(Data::Frames))
        },
        formula: |it, at, _, out| {
            if let Data::Frames(frames) = &it.data {
                morph::skin(frames, at.time, out);
            }
        },
        is_linear: false,
        needs: Requirements { clip: true, ..Requirements::NONE },
        ..shader("morph", "000 section 2.3, 002", "vertices stored per key frame, moved on straight lines between them")
    },
    GpuHierarchy = Method {
        title: "linear, GPU hierarchy",
        stage: SkinningStage::FragmentPasses,
        joint_data: JointData::LocalTexels,
        capacity: Capacity::Any,
        influences: None,
        vertex: VertexLayout::Texel,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Requirements {
            vertex_textures: 1,
            float_textures: true,
            float_targets: true,
            rigid_joints: true,
            ..Requirements::NONE
        },
        ..shader(
            "gpu-hierarchy",
            "002, closing section",
            "local poses in textures; the hierarchy and the vertices are computed by fragment passes",
        )
    },
);

/// Articles that the rows name by number.
pub const ARTICLES: [(&str, &str); 5] = [
    ("000", "Vít Houska: Animace na GPU (diploma thesis, Charles University, 2005; Czech)"),
    ("001", "Alessandro Ribeiro: Programação de Personagem 3D, Parte 1: Skinning de Mesh (Portuguese)"),
    ("002", "Основы скелетной анимации (skeletal animation of Doom 3's models, on the GPU; Russian)"),
    ("003", "ひにけにXNA: 頂点テクスチャでスキンアニメーション (skinning by vertex textures, 2009; Japanese)"),
    ("004", "iOrange: Расчет скелетной анимации в шейдере (skeletal animation in a shader, 2011; Russian)"),
];

impl MethodId {
    /// Creates a method with the input, the limits and the reference of this one, for a shader of the user. It is never
    /// freed.
    pub fn variant(self, name: String) -> Self {
        let about = format!("a shader of your own with the input of {self}");
        let [name, about] = [name, about].map(|text| &*Box::leak(text.into_boxed_str()));
        Self(Box::leak(Box::new(Method {
            name,
            shader: name,
            title: name,
            article: "--shaders",
            about,
            ..self.0.clone()
        })))
    }

    /// Returns the row of the table.
    pub fn method(self) -> &'static Method {
        self.0
    }

    /// True for a user-defined method, whose reference is that of a built-in one.
    pub fn is_own(self) -> bool {
        self.index() == METHODS.len()
    }

    /// Returns the ids of all built-in methods in table order.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        METHODS.iter().map(Self)
    }

    /// Finds a method by name.
    ///
    /// # Errors
    ///
    /// [`UnknownMethod`], which suggests the nearest name of `methods`.
    pub fn find(name: &str, methods: &[Self]) -> Result<Self, UnknownMethod> {
        let known = || methods.iter().map(|id| id.0.name).collect();
        let found = methods.iter().find(|id| id.0.name == name);
        found.copied().ok_or_else(|| UnknownMethod { name: name.to_owned(), known: known() })
    }

    /// Returns the index of the row; the number of rows for a user-defined method.
    fn index(self) -> usize {
        METHODS.iter().position(|row| row.name == self.0.name).unwrap_or(METHODS.len())
    }
}

impl PartialEq for MethodId {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for MethodId {}

impl Hash for MethodId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl Ord for MethodId {
    /// Compares in table order. User-defined methods come last, by name.
    fn cmp(&self, other: &Self) -> Ordering {
        self.index().cmp(&other.index()).then_with(|| self.0.name.cmp(other.0.name))
    }
}

impl PartialOrd for MethodId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}

/// Error of finding a [`MethodId`] by name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no skinning method is called '{name}'; {}", suggest::hint(name, known))]
pub struct UnknownMethod {
    /// The unknown name.
    pub name: String,
    /// Names of all methods.
    pub known: Vec<&'static str>,
}

impl FromStr for MethodId {
    type Err = UnknownMethod;

    /// Finds a built-in method.
    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::find(name, &Self::all().collect::<Vec<_>>())
    }
}
