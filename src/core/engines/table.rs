//! Engines, one row each, with their rules and the sources of the rules.

use super::{
    Between, Division, Engine, EngineId, HiddenW, Joints, KeptWeights, Positions, Rate, Root, Sources, Vertex, Weights,
    XFrames, XKeys, XPlayback,
};

/// Base of all rows: Doom 3, which plays a clip at the file's rate.
const DOOM3: Engine = Engine {
    id: Some(EngineId::Doom3),
    vertex: Vertex::Offsets,
    kept: KeptWeights::All,
    division: Division::None,
    weights: Weights::Float,
    positions: Positions::Float,
    between: Between::LocalSpace,
    uses_base_frame: true,
    root: Root::RelativeToBaseFrame,
    w: HiddenW::Absolute,
    joints: Joints::ByPlace,
    rate: Rate::File,
    wraps: false,
    keeps_bind_pose: false,
    sources: Sources {
        vertices: "renderer/Model_md5.cpp: idMD5Mesh::ParseMesh, TransformVerts",
        between: "d3xp/anim/Anim.cpp: GetInterpolatedFrame; Simd_Generic.cpp: BlendJoints",
        frames: "d3xp/anim/Anim.cpp: LoadAnim; Anim_Blend.cpp: BlendAnim",
        time: "d3xp/anim/Anim.cpp: ConvertTimeToFrame",
    },
    left_out: "whole milliseconds; whole cycles add the clip's total move; a frame requested as number 0 is the base frame",
    x: None,
};

/// Playback as the files mean it, without an engine.
pub const MEANING: Engine =
    Engine { id: None, root: Root::File, w: HiddenW::Clamped, joints: Joints::ByName, left_out: "", ..DOOM3 };

/// Engines that replace Quake's models: ten frames per second, interpolating the vertices of both frames.
const VKQUAKE: Engine = Engine {
    id: Some(EngineId::VkQuake),
    kept: KeptWeights::Slots(8),
    division: Division::Reciprocal,
    weights: Weights::FloatWithByteTranslation,
    between: Between::Vertices,
    root: Root::File,
    w: HiddenW::Clamped,
    joints: Joints::ByName,
    rate: Rate::TenHertz,
    wraps: true,
    sources: Sources {
        vertices: "gl_model.c: MD5_BakeInfluences; Shaders/skinning.inc: MD5_SkinFrames",
        between: "Shaders/md5.vert: main",
        frames: "gl_model.c: MD5Anim_Load, Mod_LoadMD5MeshModelData",
        time: "r_alias.c: R_SetupAliasFrame",
    },
    left_out: "a frame is shown a tenth of a second after the game asks for it",
    ..DOOM3
};

/// Variant of [`VKQUAKE`] from before joints were matched by name: one bind position, and missing components are 0.
const IRONWAIL: Engine = Engine {
    id: Some(EngineId::Ironwail),
    vertex: Vertex::BindPosition,
    kept: KeptWeights::Slots(4),
    division: Division::ReciprocalOfBytes,
    weights: Weights::CutBytes,
    uses_base_frame: false,
    joints: Joints::ByPlace,
    sources: Sources {
        vertices: "gl_model.c: MD5_BakeInfluences; gl_shaders.h: alias_vertex_shader",
        between: "gl_shaders.h: alias_vertex_shader (GetPoseVertex, mix)",
        frames: "gl_model.c: MD5Anim_Load",
        time: "r_alias.c: R_SetupAliasFrame",
    },
    ..VKQUAKE
};

const Q2PRO: Engine = Engine {
    id: Some(EngineId::Q2pro),
    kept: KeptWeights::All,
    division: Division::None,
    weights: Weights::Float,
    between: Between::ModelSpace,
    joints: Joints::ByPlaceClipsParents,
    sources: Sources {
        vertices: "src/refresh/mesh.c",
        between: "src/refresh/mesh.c: lerp_alias_skeleton; src/common/math.c: Quat_SLerp",
        frames: "src/refresh/models.c: MD5_ParseAnim, MD5_BuildFrameSkeleton",
        time: "src/refresh/mesh.c: GL_DrawAliasModel; src/client/entities.c",
    },
    left_out: ".md5scale; within a cosine of 0.9995 rotations are mixed linearly and not brought to unit length, \
               which is up to 0.03 %",
    ..VKQUAKE
};

const DAEMON: Engine = Engine {
    id: Some(EngineId::Daemon),
    vertex: Vertex::BindPosition,
    weights: Weights::RoundedBytes,
    positions: Positions::Fraction16,
    root: Root::File,
    w: HiddenW::Clamped,
    sources: Sources {
        vertices: "src/engine/renderer/tr_model_md5.cpp: R_LoadMD5",
        between: "src/engine/renderer/tr_animation.cpp: RE_BuildSkeleton; q_math.cpp: QuatSlerp",
        frames: "src/engine/renderer/tr_animation.cpp: R_LoadMD5Anim, RE_BuildSkeleton",
        time: "src/engine/renderer/tr_animation.cpp: RE_AnimFrameRate",
    },
    left_out: "the game's code chooses the frames; a flag of the game sets the root's translation to 0",
    ..DOOM3
};

/// All engines whose playback is known, in the order of `validate`'s reports.
pub static ENGINES: [Engine; 17] = [
    Engine { id: Some(EngineId::VkQuake135), division: Division::Reciprocal, sources: VKQUAKE_135, ..IRONWAIL },
    VKQUAKE,
    Engine { id: Some(EngineId::Ironwail081), ..IRONWAIL },
    IRONWAIL,
    Engine {
        id: Some(EngineId::Qss),
        division: Division::Reciprocal,
        weights: Weights::Float,
        between: Between::LocalMatrices,
        sources: Sources {
            vertices: "gl_mesh.c: MD5_BakeInfluences",
            between: "r_alias.c: R_SetupAliasFrame",
            frames: "gl_mesh.c: MD5Anim_Load",
            time: "r_alias.c: R_SetupAliasFrame",
        },
        left_out: "a frame is shown a tenth of a second after the game asks for it; with more than 64 joints, and on cards without \
                   GLSL, the last of the four weights is left out",
        ..IRONWAIL
    },
    Engine {
        id: Some(EngineId::Fteqw),
        vertex: Vertex::BindPosition,
        kept: KeptWeights::HeaviestFour,
        division: Division::Quotient,
        weights: Weights::Float,
        between: Between::LocalMatrices,
        joints: Joints::ByPlace,
        keeps_bind_pose: true,
        sources: Sources {
            vertices: "engine/common/com_mesh.c: Alias_BuildGPUWeights",
            between: "engine/common/com_mesh.c: Alias_GetBoneInformation, Alias_ConvertBoneData",
            frames: "engine/common/com_mesh.c: Mod_ParseMD5Anim",
            time: "engine/client/cl_ents.c: CL_LerpNetFrameState",
        },
        left_out: "a clip that is loaded by its own name has the file's rate; of equally heavy weights the C library's order decides",
        ..VKQUAKE
    },
    Q2PRO,
    Engine { id: Some(EngineId::Q2repro), ..Q2PRO },
    Engine {
        id: Some(EngineId::Yquake2),
        keeps_bind_pose: true,
        sources: Sources {
            vertices: "src/client/refresh/files/mesh.c: R_SkeletalVerts",
            between: "src/client/refresh/files/mesh.c: R_SkeletalVerts, BoneSlerp",
            frames: "src/common/models/models_md5.c: ReadMD5Anim, BuildFrameSkeleton",
            time: "as Quake II: the game's 10 frames a second",
        },
        left_out: "before August 2026 and with `r_skeletalanimation 0`: the vertices of both frames, rounded to 16 bits of \
                   each frame's box",
        ..Q2PRO
    },
    DAEMON,
    Engine {
        id: Some(EngineId::EtLegacy),
        weights: Weights::Float,
        positions: Positions::Float,
        sources: Sources {
            vertices: "src/renderer2/tr_model_md5.c: R_LoadMD5",
            between: "as Daemon, which has the same ancestor",
            frames: "as Daemon",
            time: "as Daemon",
        },
        ..DAEMON
    },
    DOOM3,
    Engine {
        id: Some(EngineId::Tdm),
        sources: Sources {
            vertices: "renderer/resources/Model_md5.cpp",
            between: "as Doom 3",
            frames: "game/anim/Anim.cpp",
            time: "as Doom 3",
        },
        ..DOOM3
    },
    Engine {
        id: Some(EngineId::Rbdoom3Bfg),
        vertex: Vertex::BindPosition,
        kept: KeptWeights::HeaviestFour,
        division: Division::Quotient,
        weights: Weights::CutBytesRestToHeaviest,
        sources: Sources {
            vertices: "neo/renderer/Model_md5.cpp: idMD5Mesh::ParseMesh, TransformVertsAndTangents",
            ..DOOM3.sources
        },
        ..DOOM3
    },
    Engine {
        id: Some(EngineId::Quake4),
        sources: Sources {
            vertices: "Model_md5.cpp (Quake4Doom, openQ4)",
            between: "as Doom 3",
            frames: "as Doom 3",
            time: "as Doom 3",
        },
        ..DOOM3
    },
    Engine {
        id: Some(EngineId::Cube2),
        vertex: Vertex::DualQuaternions,
        kept: KeptWeights::HeaviestFourOverThousandth,
        division: Division::Quotient,
        weights: Weights::RoundedBytesToFull,
        positions: Positions::CutHalf,
        between: Between::LocalDualQuaternions,
        joints: Joints::ByPlace,
        rate: Rate::ScriptOrTenHertz,
        sources: Sources {
            vertices: "src/engine/md5.h: buildverts; skelmodel.h: blendcombo",
            between: "src/engine/skelmodel.h: INTERPBONE, interpbones",
            frames: "src/engine/md5.h: loadanim",
            time: "src/engine/animmodel.h: animpos::setframes, calcanim",
        },
        left_out: "a .cfg may adjust bones; Red Eclipse matches joints by name where names are unquoted; mixed dual \
                   quaternions are left askew, which moves vertices of several joints where one turns about an axis along \
                   which it moves",
        ..VKQUAKE
    },
    Engine {
        id: Some(EngineId::Hexenwail),
        vertex: Vertex::BindPosition,
        kept: KeptWeights::HeaviestFour,
        division: Division::Quotient,
        weights: Weights::RoundedBytesRestToHeaviest,
        joints: Joints::ByPlace,
        sources: Sources {
            vertices: "engine/h2shared/md5mesh.c: MD5_LoadMesh, MD5_PackTopFourWeights",
            between: "engine/hexen2/gl_rmain.c: R_AliasResolveLerp",
            frames: "engine/h2shared/md5mesh.c: MD5_ParseAnim",
            time: "engine/hexen2/gl_rmain.c: R_AliasResolveLerp",
        },
        left_out: "the game chooses the frames, and the time between two of them is that between its last two changes; of a \
                   weight that several vertices name, only the last vertex gets it",
        ..VKQUAKE
    },
];

const VKQUAKE_135: Sources = Sources {
    vertices: "gl_model.c: MD5_BakeInfluences; Shaders/md5.vert: main",
    between: "Shaders/md5.vert: main",
    ..IRONWAIL.sources
};

const LUANTI: Engine = Engine {
    id: Some(EngineId::Luanti),
    x: Some(XPlayback {
        rate: 15,
        uses_file_rate: false,
        kept: KeptWeights::Slots(4),
        keys: XKeys::OneTimeline,
        ..STILL
    }),
    sources: Sources {
        vertices: "irr/src/WeightBuffer.cpp: addWeight, finalize, skinVertex",
        between: "irr/include/SkinnedMesh.h: Channel::get",
        frames: "irr/src/CXMeshFileLoader.cpp: parseDataObjectAnimationKey; SkinnedMesh.cpp: animateMesh",
        time: "irr/include/SkinnedMesh.h: Channel::cleanup; the mod's set_animation",
    },
    left_out: "the mod chooses the frames and the speed; frames with one name are one joint; weights of vertices that no face \
               uses move another vertex",
    ..MEANING
};

/// Engines that play `.x` files by rules of their own, in the order of `validate`'s reports.
pub static X_ENGINES: [Engine; 7] = [
    LUANTI,
    Engine { id: Some(EngineId::Luanti516), ..LUANTI },
    Engine {
        id: Some(EngineId::Irrlicht),
        x: Some(XPlayback { rate: 25, keys: XKeys::OneTimeline, computes_offsets: true, ..STILL }),
        sources: Sources {
            vertices: "source/Irrlicht/CSkinnedMesh.cpp: normalizeWeights, skinJoint",
            between: "source/Irrlicht/CSkinnedMesh.cpp: getFrameData",
            frames: "source/Irrlicht/CXMeshFileLoader.cpp: parseDataObjectAnimationKey",
            time: "source/Irrlicht/CSkinnedMesh.cpp: finalize, dropBadKeys",
        },
        left_out: "frames with one name are one joint; weights of vertices that no face uses move another vertex",
        ..LUANTI
    },
    OPENBVE,
    Engine {
        id: Some(EngineId::OpenBveAssimp),
        sources: Sources {
            vertices: "Object.DirectX/Parsers/AssimpXParser.cs: MeshBuilder, ChildrenNode",
            ..OPENBVE.sources
        },
        x: Some(XPlayback { kept: KeptWeights::None, frames: XFrames::Ends, ..STILL }),
        ..OPENBVE
    },
    Engine {
        id: Some(EngineId::WineD3dx9),
        x: Some(XPlayback { needs_skin_header: true, ..STILL }),
        sources: Sources {
            vertices: "dlls/d3dx9_36/mesh.c: parse_skin_weights_info",
            between: "",
            frames: "dlls/d3dx9_36/mesh.c: D3DXLoadMeshHierarchyFromXInMemory",
            time: "",
        },
        left_out: "a game may move frames itself; objects after the first fault are missing",
        ..MEANING
    },
    Engine {
        id: Some(EngineId::Panda3d),
        x: Some(XPlayback { keys: XKeys::Samples, ..STILL }),
        sources: Sources {
            vertices: "pandatool/src/xfileegg/xFileMesh.cxx: create_polygons",
            between: "no interpolation unless interpolate-frames is set",
            frames: "pandatool/src/xfileegg/xFileToEggConverter.cxx: convert_animation_key, set_animation_frame",
            time: "convert_animation_set",
        },
        left_out: "by default a frame is shown until the next, and skins and clips need the option -a; faces without an area are dropped",
        ..MEANING
    },
];

/// All of a file's meshes, and nothing that moves.
const STILL: XPlayback = XPlayback {
    rate: 4800,
    uses_file_rate: true,
    kept: KeptWeights::All,
    keys: XKeys::None,
    frames: XFrames::All,
    needs_skin_header: false,
    computes_offsets: false,
};

const OPENBVE: Engine = Engine {
    id: Some(EngineId::OpenBve),
    x: Some(XPlayback { kept: KeptWeights::None, frames: XFrames::FirstChild, ..STILL }),
    sources: Sources {
        vertices: "OpenBveApi/Objects/Helpers/MeshBuilder.cs: Apply",
        between: "",
        frames: "Object.DirectX/Parsers/NewXParser.cs: ParseSubBlock",
        time: "",
    },
    ..MEANING
};
