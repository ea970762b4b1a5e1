//! glTF files created in tests, as text with the numbers in a data URI.

use serde_json::{Value, json};

/// Collects numbers and accessors.
#[derive(Default)]
pub struct GltfFile {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl GltfFile {
    /// Adds an accessor of floats and returns its number.
    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.add(kind, 5126, values.len(), bytes)
    }

    /// Adds an accessor of bytes and returns its number.
    pub fn bytes(&mut self, kind: &str, values: &[u8]) -> usize {
        self.add(kind, 5121, values.len(), values.to_vec())
    }

    fn add(&mut self, kind: &str, component: u32, values: usize, bytes: Vec<u8>) -> usize {
        let parts = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        let mut accessor = json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": values / parts, "type": kind
        });
        if kind == "VEC3" {
            // Positions must have bounds, but nothing checks their values.
            accessor["min"] = json!([0, 0, 0]);
            accessor["max"] = json!([0, 0, 0]);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Returns the file, with the other members of the JSON.
    pub fn text(&self, mut json: Value) -> Vec<u8> {
        json["asset"] = json!({"version": "2.0"});
        json["buffers"] = json!([{
            "byteLength": self.bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", base64(&self.bytes))
        }]);
        json["bufferViews"] = self.views.clone().into();
        json["accessors"] = self.accessors.clone().into();
        serde_json::to_vec(&json).unwrap()
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            text.push(if digit <= chunk.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

/// Creates a skinned triangle as Blender exports it: an armature with a scale of 0.01 and a quarter turn, two joints
/// below a node that is no joint, and an animation with a step, a spline and a line.
pub fn armature() -> Vec<u8> {
    let mut file = GltfFile::default();
    let position = file.floats("VEC3", &[0., 0., 0., 100., 0., 0., 0., 100., 0.]);
    let joints = file.bytes("VEC4", &[0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
    let weights = file.floats("VEC4", &[1., 0., 0., 0., 0.5, 0.5, 0., 0., 1., 0., 0., 0.]);
    let mut inverse = vec![1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    inverse.extend([1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., -50., 0., 1.]);
    let inverse = file.floats("MAT4", &inverse);
    let times = file.floats("SCALAR", &[0., 1.]);
    let step = file.floats("VEC3", &[0., 50., 0., 0., 70., 0.]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let line = file.floats("VEC4", &[0., 0., 0., 1., 0., 0., half, half]);
    // In-tangent, value and out-tangent of each key.
    let spline = file.floats("VEC3", &[0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 10., 0., 0., 0., 0., 0.]);
    file.text(json!({
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Armature", "scale": [0.01, 0.01, 0.01], "rotation": [half, 0, 0, half], "children": [1, 4]},
            {"name": "group", "translation": [0, 0, 0], "children": [2]},
            {"name": "mixamorig:Hips", "children": [3]},
            {"name": "mixamorig:Spine", "translation": [0, 50, 0]},
            {"name": "Body", "mesh": 0, "skin": 0},
        ],
        "skins": [{"name": "body", "joints": [2, 3], "inverseBindMatrices": inverse}],
        "meshes": [{"name": "Body", "primitives": [{
            "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}
        }]}],
        "animations": [{
            "name": "Wave",
            "samplers": [
                {"input": times, "output": step, "interpolation": "STEP"},
                {"input": times, "output": line},
                {"input": times, "output": spline, "interpolation": "CUBICSPLINE"},
            ],
            "channels": [
                {"sampler": 0, "target": {"node": 3, "path": "translation"}},
                {"sampler": 1, "target": {"node": 3, "path": "rotation"}},
                {"sampler": 2, "target": {"node": 2, "path": "translation"}},
            ],
        }],
    }))
}
