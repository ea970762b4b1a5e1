//! Numbers from buffers.

use super::buffers::Buffers;
use super::error::Error;
use crate::budget::{Budget, grouped, product};
use gltf_json::Root;
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::validation::Checked;

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
            None => None,
        };
        let what = || format!("{} elements of accessor {number}", grouped(count));
        let reserved = u128::from(count).saturating_mul(product([N, size_of::<f64>()]));
        self.budget.spend(reserved, what).map_err(|error| Error::memory(&pointer, &error))?;
        let mut values = match stored {
            Some(stored) if component.0 == ComponentType::F32 => stored.map(floats).collect(),
            Some(stored) => stored.map(|bytes| element.read(bytes)).collect(),
            None => vec![[0.0; N]; count as usize],
        };
        if let Some(sparse) = &accessor.sparse {
            let pointer = format!("{pointer}/sparse");
            let Checked::Valid(index) = sparse.indices.component_type else {
                return Err(Error::new(pointer, "its indices are of a type that glTF does not have"));
            };
            let place = Element::<1> { component: index.0, is_normalized: false };
            let (at, to) = (&sparse.indices, &sparse.values);
            let places =
                self.elements(at.buffer_view.value(), at.byte_offset.0, sparse.count.0, place.size(), &pointer)?;
            let news =
                self.elements(to.buffer_view.value(), to.byte_offset.0, sparse.count.0, element.size(), &pointer)?;
            for (at, new) in places.zip(news) {
                let [at] = place.read(at);
                match values.get_mut(at as usize) {
                    Some(value) => *value = element.read(new),
                    None => return Err(Error::new(pointer, format!("it replaces element {at} of {count}"))),
                }
            }
        }
        match values.iter().position(|value| !value.iter().all(|part| part.is_finite())) {
            Some(place) => Err(fail(format!("element {place} is not a finite number"))),
            None => Ok(values),
        }
    }

    /// Returns the bytes of `count` elements of `size` bytes each, starting at `offset` in a view.
    fn elements<'b>(
        &'b self,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
        pointer: &str,
    ) -> Result<impl Iterator<Item = &'b [u8]> + use<'b>, Error> {
        let bytes = self.buffers.view(self.root, view, pointer)?;
        let stride = self.root.buffer_views.get(view).and_then(|view| view.byte_stride).map_or(size, |stride| stride.0);
        if stride < size {
            let message = format!("the stride is {stride} bytes, an element has {size}");
            return Err(Error::new(format!("/bufferViews/{view}/byteStride"), message));
        }
        let needed = match count.checked_sub(1) {
            Some(before) => before
                .checked_mul(stride as u64)
                .and_then(|before| before.checked_add(size as u64))
                .and_then(|length| length.checked_add(offset)),
            None => Some(0),
        };
        if needed.is_none_or(|needed| needed > bytes.len() as u64) {
            let message = format!(
                "{} elements of {size} bytes from byte {offset} on do not fit into the {} of buffer view {view}",
                grouped(count),
                bytes.len()
            );
            return Err(Error::new(pointer, message));
        }
        let offset = offset as usize;
        Ok((0..count as usize).map(move |element| &bytes[offset + element * stride..][..size]))
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

/// Reads an element of [`ComponentType::F32`], the most common type.
fn floats<const N: usize>(bytes: &[u8]) -> [f64; N] {
    let mut parts = bytes.as_chunks().0.iter();
    std::array::from_fn(|_| parts.next().map_or(0.0, |&part| f64::from(f32::from_le_bytes(part))))
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

    /// Reads an element from [`Self::size`] bytes.
    fn read(self, bytes: &[u8]) -> [f64; N] {
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
