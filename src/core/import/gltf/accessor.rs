//! Numbers from buffers.

use super::buffers::Buffers;
use super::error::Error;
use crate::budget::{Budget, Bytes, grouped};
use gltf_json::Root;
use gltf_json::accessor::sparse::Sparse;
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::validation::Checked;

/// Number of elements that are read before they are converted.
const BLOCK: usize = 64;

/// Reader of accessors. Every read is charged to the budget, because any number of accessors may share bytes.
pub(super) struct Accessors<'a> {
    pub(super) root: &'a Root,
    pub(super) buffers: &'a Buffers<'a>,
    pub(super) budget: &'a Budget,
}

impl Accessors<'_> {
    /// Reads all elements of an accessor with `N` components. Normalised values become fractions of 1. All values are
    /// finite.
    pub(super) fn read<const N: usize>(&self, number: usize) -> Result<Vec<[f64; N]>, Error> {
        self.read_as(number, |element| element)
    }

    /// Reads as [`Self::read`] does, and converts each element.
    pub(super) fn read_as<const N: usize, T>(
        &self,
        number: usize,
        convert: impl Fn([f64; N]) -> T,
    ) -> Result<Vec<T>, Error> {
        let pointer = format!("/accessors/{number}");
        let fail = |message: String| Error::new(&pointer, message);
        let Some(accessor) = self.root.accessors.get(number) else { return Err(fail("there is none".into())) };
        let (Checked::Valid(component), Checked::Valid(kind)) = (accessor.component_type, accessor.type_) else {
            return Err(fail("its type is none that glTF has".into()));
        };
        if components(kind) != N {
            return Err(fail(format!("elements of {} components where {N} are needed", components(kind))));
        }
        let count = accessor.count.0;
        let element = Element::<N> { component: component.0, is_normalized: accessor.normalized };
        let stored = match &accessor.buffer_view {
            Some(view) => {
                let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
                Some(self.elements(view.value(), offset, count, element.size(), &pointer)?)
            }
            // A file can claim any number of zeros.
            None if count > self.buffers.length => {
                let (count, bytes) = (grouped(count), Bytes(self.buffers.length.into()));
                return Err(fail(format!("{count} elements without a buffer view, but all buffers have {bytes}")));
            }
            None => None,
        };
        let what = || format!("{} elements of accessor {number}", grouped(count));
        let unconverted = if accessor.sparse.is_some() { size_of::<[f64; N]>() } else { 0 };
        let reserved = u128::from(count).saturating_mul((size_of::<T>() + unconverted) as u128);
        self.budget.spend(reserved, what).map_err(|error| Error::memory(&pointer, &error))?;
        let (mut place, mut infinite) = (0_usize, None);
        let mut finite = |value: [f64; N]| {
            if component.0 == ComponentType::F32 && !value.iter().all(|part| part.is_finite()) {
                infinite.get_or_insert(place);
            }
            place += 1;
            convert(value)
        };
        let values = match (stored, &accessor.sparse) {
            (stored, Some(sparse)) => {
                let mut values = match stored {
                    Some(stored) => element.read_all(stored),
                    None => vec![[0.0; N]; count as usize],
                };
                self.replace(sparse, element, &mut values, format!("{pointer}/sparse"))?;
                values.into_iter().map(finite).collect()
            }
            (Some(stored), None) => {
                let (mut values, mut block) = (Vec::with_capacity(count as usize), [[0.0; N]; BLOCK]);
                for bytes in stored.bytes.chunks(stored.stride.saturating_mul(BLOCK)) {
                    let count = element.read(bytes, stored.stride, &mut block);
                    values.extend(block[..count].iter().map(|&value| finite(value)));
                }
                values
            }
            (None, None) => (0..count).map(|_| finite([0.0; N])).collect(),
        };
        match infinite {
            Some(place) => Err(fail(format!("element {place} is not a finite number"))),
            None => Ok(values),
        }
    }

    /// Replaces the elements that a sparse accessor at `pointer` lists.
    fn replace<const N: usize>(
        &self,
        sparse: &Sparse,
        element: Element<N>,
        values: &mut [[f64; N]],
        pointer: String,
    ) -> Result<(), Error> {
        let Checked::Valid(index) = sparse.indices.component_type else {
            return Err(Error::new(pointer, "its indices are of a type that glTF does not have"));
        };
        let place = Element::<1> { component: index.0, is_normalized: false };
        let (at, to) = (&sparse.indices, &sparse.values);
        let places = self.elements(at.buffer_view.value(), at.byte_offset.0, sparse.count.0, place.size(), &pointer)?;
        let news = self.elements(to.buffer_view.value(), to.byte_offset.0, sparse.count.0, element.size(), &pointer)?;
        let count = values.len();
        for ([at], new) in place.read_all(places).into_iter().zip(element.read_all(news)) {
            match values.get_mut(at as usize) {
                Some(value) => *value = new,
                None => return Err(Error::new(pointer, format!("it replaces element {at} of {count}"))),
            }
        }
        Ok(())
    }

    /// Returns the bytes of `count` elements of `size` bytes each, starting at `offset` in a view.
    fn elements<'b>(
        &'b self,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
        pointer: &str,
    ) -> Result<Stored<'b>, Error> {
        let bytes = self.buffers.view(self.root, view, pointer)?;
        let stride = self.root.buffer_views.get(view).and_then(|view| view.byte_stride).map_or(size, |stride| stride.0);
        if stride < size {
            let message = format!("the stride is {stride} bytes, an element has {size}");
            return Err(Error::new(format!("/bufferViews/{view}/byteStride"), message));
        }
        let end = match count.checked_sub(1) {
            Some(before) => before
                .checked_mul(stride as u64)
                .and_then(|before| before.checked_add(size as u64))
                .and_then(|length| length.checked_add(offset)),
            None => Some(0),
        };
        let Some(end) = end.filter(|&end| end <= bytes.len() as u64) else {
            let message = format!(
                "{} elements of {size} bytes from byte {offset} on do not fit into the {} of buffer view {view}",
                grouped(count),
                bytes.len()
            );
            return Err(Error::new(pointer, message));
        };
        Ok(Stored { bytes: bytes.get(offset as usize..end as usize).unwrap_or_default(), stride })
    }
}

fn components(kind: Type) -> usize {
    match kind {
        Type::Scalar => 1,
        Type::Vec2 => 2,
        Type::Vec3 => 3,
        Type::Vec4 | Type::Mat2 => 4,
        Type::Mat3 => 9,
        Type::Mat4 => 16,
    }
}

/// Elements in a buffer.
struct Stored<'b> {
    /// From the first element to the last.
    bytes: &'b [u8],
    /// Distance between the beginnings of two elements in bytes.
    stride: usize,
}

/// Reads components of `SIZE` bytes each that follow each other.
fn packed<const SIZE: usize>(bytes: &[u8], values: &mut [f64], part: impl Fn([u8; SIZE]) -> f64) {
    for (value, &bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
        *value = part(bytes);
    }
}

/// Layout of an element with `N` components.
#[derive(Clone, Copy)]
struct Element<const N: usize> {
    component: ComponentType,
    is_normalized: bool,
}

impl<const N: usize> Element<N> {
    fn component_size(self) -> usize {
        match self.component {
            ComponentType::I8 | ComponentType::U8 => 1,
            ComponentType::I16 | ComponentType::U16 => 2,
            ComponentType::U32 | ComponentType::F32 => 4,
        }
    }

    fn size(self) -> usize {
        N * self.component_size()
    }

    /// Reads all elements.
    fn read_all(self, stored: Stored<'_>) -> Vec<[f64; N]> {
        let mut values = vec![[0.0; N]; stored.bytes.len().div_ceil(stored.stride)];
        self.read(stored.bytes, stored.stride, &mut values);
        values
    }

    /// Reads elements, of which each begins `stride` bytes after the one before. Returns their number. Common ones have
    /// loops of their own.
    fn read(self, bytes: &[u8], stride: usize, values: &mut [[f64; N]]) -> usize {
        let parts = values.as_flattened_mut();
        match self.component {
            ComponentType::F32 if stride == self.size() => packed(bytes, parts, |part| f32::from_le_bytes(part).into()),
            ComponentType::U32 if stride == self.size() => packed(bytes, parts, |part| u32::from_le_bytes(part).into()),
            ComponentType::U16 if stride == self.size() && !self.is_normalized => {
                packed(bytes, parts, |part| u16::from_le_bytes(part).into());
            }
            ComponentType::U8 if stride == self.size() && !self.is_normalized => {
                packed(bytes, parts, |part| u8::from_le_bytes(part).into());
            }
            _ => {
                for (value, bytes) in values.iter_mut().zip(bytes.chunks(stride)) {
                    *value = self.value(bytes);
                }
            }
        }
        bytes.len().div_ceil(stride)
    }

    /// Reads an element from [`Self::size`] bytes or more.
    fn value(self, bytes: &[u8]) -> [f64; N] {
        let share = |value: f64, most: f64| if self.is_normalized { (value / most).max(-1.0) } else { value };
        let mut value = [0.0; N];
        for (value, bytes) in value.iter_mut().zip(bytes.chunks_exact(self.component_size())) {
            *value = match (self.component, bytes) {
                (ComponentType::I8, &[a]) => share(f64::from(a as i8), 127.0),
                (ComponentType::U8, &[a]) => share(f64::from(a), 255.0),
                (ComponentType::I16, &[a, b]) => share(f64::from(i16::from_le_bytes([a, b])), 32_767.0),
                (ComponentType::U16, &[a, b]) => share(f64::from(u16::from_le_bytes([a, b])), 65_535.0),
                (ComponentType::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
                (ComponentType::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
                _ => 0.0,
            };
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers::Container;
    use super::*;
    use base64::Engine;
    use serde_json::{Value, json};

    /// Reads an accessor with these fields, and a view of `bytes`.
    fn read<const N: usize>(bytes: &[u8], stride: Option<u32>, fields: &str) -> Result<Vec<[f64; N]>, String> {
        let content = base64::engine::general_purpose::STANDARD.encode(bytes);
        let mut accessor: Value = serde_json::from_str(fields).unwrap();
        accessor["bufferView"] = 0.into();
        let mut view = json!({ "buffer": 0, "byteLength": bytes.len() });
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        let uri = format!("data:application/octet-stream;base64,{content}");
        let file = json!({
            "asset": { "version": "2.0" },
            "buffers": [{ "byteLength": bytes.len(), "uri": uri }],
            "bufferViews": [view],
            "accessors": [accessor],
        });
        let file = file.to_string();
        // Of the crate, which has it compiled.
        let root = Root::from_slice(file.as_bytes()).unwrap();
        let (container, budget) = (Container::new(file.as_bytes()).unwrap(), Budget::default());
        let buffers = Buffers::read(&root, &container, &mut |_| Err(String::new()), &budget).unwrap();
        let accessors = Accessors { root: &root, buffers: &buffers, budget: &budget };
        accessors.read(0).map_err(|error| error.message)
    }

    #[test]
    fn elements_are_read_by_type_and_stride() {
        let bytes = [255, 0, 9, 9, 51, 255, 9, 9];
        let shares = r#"{ "componentType": 5121, "normalized": true, "count": 2, "type": "VEC2" }"#;
        assert_eq!(read(&bytes, Some(4), shares), Ok(vec![[1.0, 0.0], [0.2, 1.0]]));
        assert_eq!(read(&bytes, None, shares), Ok(vec![[1.0, 0.0], [9.0 / 255.0; 2]]));
        let shorts = r#"{ "componentType": 5122, "normalized": true, "count": 2, "type": "SCALAR", "byteOffset": 2 }"#;
        assert_eq!(read(&[7, 7, 0, 128, 255, 127], None, shorts), Ok(vec![[-1.0], [1.0]]));
        let words = r#"{ "componentType": 5125, "count": 1, "type": "SCALAR" }"#;
        assert_eq!(read(&u32::MAX.to_le_bytes(), None, words), Ok(vec![[4_294_967_295.0]]));
    }

    #[test]
    fn sparse_elements_replace_others_before_numbers_are_checked() {
        let bytes = [f32::NAN, 0.5, 2.0].map(f32::to_le_bytes).concat();
        let plain = r#"{ "componentType": 5126, "count": 2, "type": "SCALAR" }"#;
        assert_eq!(read::<1>(&bytes, None, plain), Err("element 0 is not a finite number".into()));
        let sparse = r#"{ "componentType": 5126, "count": 2, "type": "SCALAR", "sparse": { "count": 1,
            "indices": { "bufferView": 0, "byteOffset": 6, "componentType": 5121 },
            "values": { "bufferView": 0, "byteOffset": 8 } } }"#;
        assert_eq!(read(&bytes, None, sparse), Ok(vec![[2.0], [0.5]]));
    }
}
