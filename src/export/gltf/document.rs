//! The JSON structures of a glTF file that are written. Materials and images are [`Value`]s.

use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// Root of the JSON. Empty lists are left out, as the format requires.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) scene: usize,
    pub(super) scenes: [Scene; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) extensions_used: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<Node>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) skins: Vec<Skin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) animations: Vec<Animation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) materials: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) textures: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) samplers: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) images: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffer_views: Vec<View>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffers: Vec<BufferFile>,
}

#[derive(Debug, Serialize)]
pub(super) struct Asset {
    version: &'static str,
    generator: &'static str,
    /// Front of the model before its axes were turned, from which our importer turns them back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<Value>,
}

impl Default for Asset {
    fn default() -> Self {
        Self { version: "2.0", generator: concat!("bindpose ", env!("CARGO_PKG_VERSION")), extras: None }
    }
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Scene {
    pub(super) nodes: Vec<usize>,
}

/// A joint, the armature, or the node of a mesh. Parts of the transform that are the identity are `None`.
#[derive(Debug, Default, Serialize)]
pub(super) struct Node {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[f64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skin: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct Mesh {
    pub(super) name: String,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Serialize)]
pub(super) struct Primitive {
    /// Accessors by the names of their attributes, sorted.
    #[serde(serialize_with = "as_object")]
    pub(super) attributes: Vec<(Cow<'static, str>, usize)>,
    pub(super) indices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) material: Option<usize>,
}

fn as_object<S: Serializer>(pairs: &[(Cow<'static, str>, usize)], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) joints: Vec<usize>,
    pub(super) inverse_bind_matrices: usize,
    pub(super) skeleton: usize,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Animation {
    pub(super) name: String,
    pub(super) samplers: Vec<Sampler>,
    pub(super) channels: Vec<Channel>,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) extras: Value,
}

#[derive(Debug, Serialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: ChannelTarget,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ChannelTarget {
    pub(super) node: usize,
    pub(super) path: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: usize,
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(flatten)]
    pub(super) bounds: Option<Bounds>,
}

/// Minima and maxima; as `f64`, so that the decimals are exactly the stored values.
#[derive(Debug, Serialize)]
pub(super) struct Bounds {
    pub(super) min: Vec<f64>,
    pub(super) max: Vec<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferFile {
    pub(super) byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri: Option<String>,
}
