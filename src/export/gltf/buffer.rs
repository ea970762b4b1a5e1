//! The buffer of a file, with views and accessors into it, and the memory that a file may take.

use super::document::{Accessor, Bounds, View};
use crate::Error;
use bindpose_core::budget::Budget;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Use of a view; inverse bind matrices, animations and images have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Vertices,
    Indices,
    None,
}

impl Target {
    /// Returns the number that a view stores.
    fn code(self) -> Option<u32> {
        match self {
            Self::Vertices => Some(34962),
            Self::Indices => Some(34963),
            Self::None => None,
        }
    }
}

const FLOAT: u32 = 5126;

/// Memory for an accessor, its view, and their JSON.
const ACCESSOR_MEMORY: u128 = 512;

/// Buffer that grows as data is added. Offsets are multiples of four.
#[derive(Debug)]
pub(super) struct Buffer<'a> {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<View>,
    pub(super) accessors: Vec<Accessor>,
    /// Accessors with a view of their own, by a digest of their content.
    known: HashMap<u64, usize>,
    budget: &'a Budget,
}

impl<'a> Buffer<'a> {
    pub(super) fn new(budget: &'a Budget) -> Self {
        Self { bytes: Vec::new(), views: Vec::new(), accessors: Vec::new(), known: HashMap::new(), budget }
    }

    /// Charges memory for a part of the file.
    pub(super) fn spend(&self, bytes: u128, what: &str) -> Result<(), Error> {
        self.budget.spend(bytes, || what.to_owned()).map_err(Error::Memory)
    }

    /// Adds bytes as a view and returns its number.
    pub(super) fn add_view(&mut self, bytes: &[u8], target: Target) -> Result<usize, Error> {
        // A growing list may have twice the length, and the file is a copy.
        self.spend(3 * bytes.len() as u128 + ACCESSOR_MEMORY, "the numbers of the glTF file")?;
        self.views.push(View {
            buffer: 0,
            byte_offset: self.bytes.len(),
            byte_length: bytes.len(),
            target: target.code(),
        });
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        Ok(self.views.len() - 1)
    }

    /// Adds a view with an accessor of all its bytes, and returns the accessor's number. Equal data, as of instances of
    /// a mesh, is written once.
    fn add_whole(
        &mut self,
        component_type: u32,
        kind: &'static str,
        bytes: &[u8],
        target: Target,
        accessor: impl FnOnce(&mut Self, usize) -> usize,
    ) -> Result<usize, Error> {
        let digest = FixedState::default().hash_one((component_type, kind, target, bytes));
        if let Some(&known) = self.known.get(&digest)
            && self.has(known, component_type, kind, bytes, target)
        {
            return Ok(known);
        }
        let view = self.add_view(bytes, target)?;
        let added = accessor(self, view);
        self.known.insert(digest, added);
        Ok(added)
    }

    /// True if an accessor with a view of its own has this content.
    fn has(&self, accessor: usize, component_type: u32, kind: &str, bytes: &[u8], target: Target) -> bool {
        let accessor = &self.accessors[accessor];
        let view = &self.views[accessor.buffer_view];
        (accessor.component_type, accessor.kind, view.target) == (component_type, kind, target.code())
            && self.bytes[view.byte_offset..][..view.byte_length] == *bytes
    }

    /// Adds tuples of floats as a view and returns the accessor's number.
    pub(super) fn add_floats<const N: usize>(
        &mut self,
        kind: &'static str,
        values: &[[f32; N]],
        target: Target,
    ) -> Result<usize, Error> {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        self.add_whole(FLOAT, kind, &bytes, target, |buffer, view| buffer.add_float_accessor(kind, values, view, 0))
    }

    /// Adds an accessor for tuples of floats at an offset of a view. Vectors of up to three components (positions,
    /// times) get bounds.
    pub(super) fn add_float_accessor<const N: usize>(
        &mut self,
        kind: &'static str,
        values: &[[f32; N]],
        view: usize,
        offset: usize,
    ) -> usize {
        let bound = |better: fn(f32, f32) -> f32, start: f32| {
            let parts = values.iter().fold([start; N], |mut bound, value| {
                bound.iter_mut().zip(value).for_each(|(bound, part)| *bound = better(*bound, *part));
                bound
            });
            // The machine decides which zero is the smaller one: write the positive zero.
            parts.map(|part| f64::from(part) + 0.0).to_vec()
        };
        let bounds =
            (N <= 3).then(|| Bounds { min: bound(f32::min, f32::INFINITY), max: bound(f32::max, f32::NEG_INFINITY) });
        self.add_accessor(FLOAT, values.len(), kind, (view, offset), bounds)
    }

    /// Adds tuples of integers of the given width as a view and returns the accessor's number.
    pub(super) fn add_integers<const N: usize>(
        &mut self,
        kind: &'static str,
        values: &[[u32; N]],
        width: Width,
        target: Target,
    ) -> Result<usize, Error> {
        let flat = values.iter().flatten();
        let (component, bytes): (u32, Vec<u8>) = match width {
            Width::One => (5121, flat.map(|&value| value as u8).collect()),
            Width::Two => (5123, flat.flat_map(|&value| (value as u16).to_le_bytes()).collect()),
            Width::Four => (5125, flat.flat_map(|value| value.to_le_bytes()).collect()),
        };
        self.add_whole(component, kind, &bytes, target, |buffer, view| {
            buffer.add_accessor(component, values.len(), kind, (view, 0), None)
        })
    }

    fn add_accessor(
        &mut self,
        component_type: u32,
        count: usize,
        kind: &'static str,
        (buffer_view, byte_offset): (usize, usize),
        bounds: Option<Bounds>,
    ) -> usize {
        self.accessors.push(Accessor { buffer_view, byte_offset, component_type, count, kind, bounds });
        self.accessors.len() - 1
    }
}

/// Bytes of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Two,
    Four,
}
