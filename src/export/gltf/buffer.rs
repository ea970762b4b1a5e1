//! The one buffer of a file, with views and accessors into it.

use serde_json::{Map, Value, json};

/// What a view is bound to, or neither: inverse bind matrices, animations, images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Vertices,
    Indices,
    None,
}

const FLOAT: u32 = 5126;

/// Grows as data is added; offsets are multiples of four.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// Adds bytes as a view; its number.
    pub(super) fn add_view(&mut self, bytes: &[u8], target: Target) -> usize {
        let mut view = Map::new();
        view.insert("buffer".into(), 0.into());
        view.insert("byteOffset".into(), self.bytes.len().into());
        view.insert("byteLength".into(), bytes.len().into());
        match target {
            Target::Vertices => drop(view.insert("target".into(), 34962.into())),
            Target::Indices => drop(view.insert("target".into(), 34963.into())),
            Target::None => {}
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view.into());
        self.views.len() - 1
    }

    /// Adds tuples of floats with their least and greatest values, as a view of its own; the accessor's number.
    pub(super) fn add_floats<const N: usize>(&mut self, kind: &str, values: &[[f32; N]], target: Target) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.add_view(&bytes, target);
        self.add_float_accessor(kind, values, view, 0)
    }

    /// Adds an accessor of tuples of floats that stand in a view at an offset. Vectors of up to three parts (positions,
    /// times) get their bounds.
    pub(super) fn add_float_accessor<const N: usize>(
        &mut self,
        kind: &str,
        values: &[[f32; N]],
        view: usize,
        offset: usize,
    ) -> usize {
        let mut accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": FLOAT, "count": values.len(), "type": kind
        });
        if N <= 3 {
            let bound = |better: fn(f32, f32) -> f32, start: f32| {
                let parts = values.iter().fold([start; N], |mut bound, value| {
                    bound.iter_mut().zip(value).for_each(|(bound, part)| *bound = better(*bound, *part));
                    bound
                });
                // As f64, so that the decimals stand for exactly what is stored.
                Value::from(parts.map(f64::from).to_vec())
            };
            accessor["min"] = bound(f32::min, f32::INFINITY);
            accessor["max"] = bound(f32::max, f32::NEG_INFINITY);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds tuples of whole numbers in the smaller of two types that holds all; the accessor's number.
    pub(super) fn add_integers<const N: usize>(
        &mut self,
        kind: &str,
        values: &[[u32; N]],
        width: Width,
        target: Target,
    ) -> usize {
        let flat = values.iter().flatten();
        let (component, bytes): (u32, Vec<u8>) = match width {
            Width::One => (5121, flat.map(|&value| value as u8).collect()),
            Width::Two => (5123, flat.flat_map(|&value| (value as u16).to_le_bytes()).collect()),
            Width::Four => (5125, flat.flat_map(|value| value.to_le_bytes()).collect()),
        };
        let view = self.add_view(&bytes, target);
        let accessor = json!({"bufferView": view, "componentType": component, "count": values.len(), "type": kind});
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// Bytes of a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Two,
    Four,
}
