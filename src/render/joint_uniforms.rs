//! Uniform arrays with one or more elements per joint.

use glam::{DAffine3, DVec3};
use glium::uniforms::UniformValue;

/// Receiver of the uniforms of a draw call, by name.
pub(super) type UniformSink<'s, 'v> = &'s mut dyn FnMut(&str, UniformValue<'v>);

/// Element of a uniform array.
pub(super) trait Element: Copy {
    /// Converts the element for glium.
    fn value<'v>(self) -> UniformValue<'v>;
}

impl Element for f32 {
    fn value<'v>(self) -> UniformValue<'v> {
        UniformValue::Float(self)
    }
}

impl Element for [f32; 4] {
    fn value<'v>(self) -> UniformValue<'v> {
        UniformValue::Vec4(self)
    }
}

impl Element for [[f32; 4]; 4] {
    fn value<'v>(self) -> UniformValue<'v> {
        UniformValue::Mat4(self)
    }
}

/// A uniform array.
///
/// glium sets arrays element by element under the names `palette[0]`, `palette[1]`, …, so the names are created only
/// once.
pub(super) struct UniformArray<T> {
    names: Vec<String>,
    values: Vec<T>,
}

impl<T: Element> UniformArray<T> {
    /// Creates an array of `length` elements without values.
    pub fn new(name: &str, length: usize) -> Self {
        Self { names: (0..length).map(|index| format!("{name}[{index}]")).collect(), values: Vec::new() }
    }

    /// Replaces all elements.
    pub fn set(&mut self, values: impl IntoIterator<Item = T>) {
        self.values.clear();
        self.values.extend(values);
    }

    /// Passes each element to glium.
    pub fn visit(&self, output: UniformSink<'_, '_>) {
        self.names.iter().zip(&self.values).for_each(|(name, value)| output(name, value.value()));
    }

    /// Returns the bytes of all elements.
    pub fn bytes(&self) -> u64 {
        size_of_val(self.values.as_slice()) as u64
    }
}

/// Two uniform arrays with four numbers per joint each.
pub(super) struct Pair {
    first: UniformArray<[f32; 4]>,
    second: UniformArray<[f32; 4]>,
}

impl Pair {
    /// Creates arrays with an element for each joint, without values.
    pub fn new([first, second]: [&str; 2], joints: usize) -> Self {
        Self { first: UniformArray::new(first, joints), second: UniformArray::new(second, joints) }
    }

    /// Replaces all elements.
    pub fn set(&mut self, values: impl IntoIterator<Item = [[f32; 4]; 2]>) {
        self.first.values.clear();
        self.second.values.clear();
        for [first, second] in values {
            self.first.values.push(first);
            self.second.values.push(second);
        }
    }

    /// Passes each element to glium.
    pub fn visit(&self, output: UniformSink<'_, '_>) {
        self.first.visit(output);
        self.second.visit(output);
    }

    /// Returns the bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.first.bytes() + self.second.bytes()
    }
}

/// Returns the three rows of a palette matrix.
pub(super) fn rows(entry: &DAffine3) -> [[f32; 4]; 3] {
    let rows = entry.matrix3.transpose();
    let row = |axis: DVec3, shift: f64| axis.extend(shift).as_vec4().to_array();
    [
        row(rows.x_axis, entry.translation.x),
        row(rows.y_axis, entry.translation.y),
        row(rows.z_axis, entry.translation.z),
    ]
}

/// Returns the rotation of a palette entry as x, y, z, w.
pub(super) fn rotation(entry: &DAffine3) -> [f32; 4] {
    bindpose_core::skin::rotation(entry).as_quat().to_array()
}

/// Returns a position or translation with w = 0.
pub(super) fn place(position: DVec3) -> [f32; 4] {
    position.extend(0.0).as_vec4().to_array()
}
