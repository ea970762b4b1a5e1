//! Uniform arrays with one or more elements per joint.

use glam::{DAffine3, DVec3};
use glium::uniforms::UniformValue;

/// Receiver of the uniforms of a draw call, by name.
pub(super) type UniformSink<'s, 'v> = &'s mut dyn FnMut(&str, UniformValue<'v>);

/// Value of a uniform, or of an element of an array.
pub(super) trait Element: Copy {
    /// Converts the element for glium.
    fn value(self) -> UniformValue<'static>;
}

impl Element for f32 {
    fn value(self) -> UniformValue<'static> {
        UniformValue::Float(self)
    }
}

impl Element for [f32; 3] {
    fn value(self) -> UniformValue<'static> {
        UniformValue::Vec3(self)
    }
}

impl Element for [f32; 4] {
    fn value(self) -> UniformValue<'static> {
        UniformValue::Vec4(self)
    }
}

impl Element for [[f32; 4]; 4] {
    fn value(self) -> UniformValue<'static> {
        UniformValue::Mat4(self)
    }
}

/// A uniform array, or a single uniform.
///
/// glium sets arrays element by element under the names `palette[0]`, `palette[1]`, …, so the names are created only
/// once.
pub(super) struct UniformArray {
    names: Vec<String>,
    values: Vec<UniformValue<'static>>,
    bytes: u64,
}

impl UniformArray {
    /// Creates an array of `length` elements without values.
    pub fn new(name: &str, length: usize) -> Self {
        let names = (0..length).map(|index| format!("{name}[{index}]")).collect();
        Self { names, values: Vec::new(), bytes: 0 }
    }

    /// Creates a uniform that is not an array.
    pub fn single(name: &str) -> Self {
        Self { names: vec![name.to_owned()], values: Vec::new(), bytes: 0 }
    }

    /// Replaces all elements.
    pub fn set<T: Element>(&mut self, values: impl IntoIterator<Item = T>) {
        self.values.clear();
        self.values.extend(values.into_iter().map(T::value));
        self.bytes = (self.values.len() * size_of::<T>()) as u64;
    }

    /// Passes each element to glium.
    pub fn visit(&self, output: UniformSink<'_, '_>) {
        self.names.iter().zip(&self.values).for_each(|(name, value)| output(name, *value));
    }

    /// Returns the bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Replaces the elements of two arrays.
pub(super) fn set_pairs([first, second]: [&mut UniformArray; 2], values: impl Iterator<Item = [[f32; 4]; 2]>) {
    let (of_first, of_second): (Vec<_>, Vec<_>) = values.map(Into::into).unzip();
    first.set(of_first);
    second.set(of_second);
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
