//! Decodes `DeclData` and `FVFData`, which are bit patterns, never numbers (docs/formats/x.md "Vertex data in words").

use super::document::{DeclData, FvfData, VertexElement};

/// `D3DDECLUSAGE_NORMAL`
pub const USAGE_NORMAL: u32 = 3;
/// `D3DDECLUSAGE_TEXCOORD`
pub const USAGE_TEXCOORD: u32 = 5;
/// `D3DDECLUSAGE_TANGENT`
pub const USAGE_TANGENT: u32 = 6;
/// `D3DDECLUSAGE_BINORMAL`
pub const USAGE_BINORMAL: u32 = 7;
/// `D3DDECLUSAGE_COLOR`
pub const USAGE_COLOR: u32 = 10;

impl VertexElement {
    /// Returns the number of 32-bit words of one value. Returns `None` for an unknown type.
    pub fn words(self) -> Option<usize> {
        Some(match self.kind {
            0 | 4..=6 | 8 | 9 | 11 | 13 | 14 | 15 => 1,
            1 | 7 | 10 | 12 | 16 => 2,
            2 => 3,
            3 => 4,
            _ => return None,
        })
    }

    /// Decodes `words` as a shader receives them: missing components are 0, a missing fourth component is 1.
    fn decode(self, words: &[u32]) -> [f32; 4] {
        let word = |place: usize| words.get(place).copied().unwrap_or(0);
        let bytes = |place: usize| word(place).to_le_bytes().map(f32::from);
        let halves = |place: usize| [word(place) as u16, (word(place) >> 16) as u16];
        let [a, b] = halves(0);
        let [c, d] = halves(1);
        let signed = |half: u16| f32::from(half as i16);
        let normalised = |half: u16| f32::from(half as i16) / 32767.0;
        let unsigned = |half: u16| f32::from(half) / 65535.0;
        let tens = |place: u32| word(0) >> (10 * place) & 0x3FF;
        let signed_ten = |place: u32| (((tens(place) << 6) as i16) >> 6) as f32 / 511.0;
        match self.kind {
            0 => [f32::from_bits(word(0)), 0.0, 0.0, 1.0],
            1 => [f32::from_bits(word(0)), f32::from_bits(word(1)), 0.0, 1.0],
            2 => [f32::from_bits(word(0)), f32::from_bits(word(1)), f32::from_bits(word(2)), 1.0],
            3 => [0, 1, 2, 3].map(|place| f32::from_bits(word(place))),
            // D3DCOLOR stores blue first.
            4 => {
                let [blue, green, red, alpha] = bytes(0);
                [red, green, blue, alpha].map(|part| part / 255.0)
            }
            5 => bytes(0),
            8 => bytes(0).map(|part| part / 255.0),
            6 => [signed(a), signed(b), 0.0, 1.0],
            7 => [a, b, c, d].map(signed),
            9 => [normalised(a), normalised(b), 0.0, 1.0],
            10 => [a, b, c, d].map(normalised),
            11 => [unsigned(a), unsigned(b), 0.0, 1.0],
            12 => [a, b, c, d].map(unsigned),
            13 => [tens(0) as f32, tens(1) as f32, tens(2) as f32, 1.0],
            14 => [signed_ten(0), signed_ten(1), signed_ten(2), 1.0],
            15 => [half(a), half(b), 0.0, 1.0],
            16 => [a, b, c, d].map(half),
            _ => [0.0, 0.0, 0.0, 1.0],
        }
    }
}

impl DeclData {
    /// Returns the number of words of one vertex. Returns `None` if an element has an unknown type.
    pub(super) fn stride(&self) -> Option<usize> {
        self.elements.iter().map(|element| element.words()).sum()
    }

    /// Returns one value per vertex of the first element with this usage and index. Returns `None` if there is none.
    pub fn channel(&self, usage: u32, usage_index: u32) -> Option<Vec<[f32; 4]>> {
        let stride = self.stride().filter(|&stride| stride > 0)?;
        let mut at = 0;
        for element in &self.elements {
            let words = element.words()?;
            if element.usage == usage && element.usage_index == usage_index {
                let vertices = self.data.chunks_exact(stride);
                return Some(vertices.map(|vertex| element.decode(vertex.get(at..).unwrap_or_default())).collect());
            }
            at += words;
        }
        None
    }
}

/// Converts a 16-bit float.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1F);
    let fraction = f32::from(bits & 0x3FF);
    // Direct3D's half floats have no infinities or NaN. The largest exponent is an ordinary one.
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-24),
        _ => (1024.0 + fraction) * 2.0_f32.powi(exponent - 25),
    }
}

/// Flags of `dwFVF` before the texture coordinates, and the number of words that each adds to a vertex.
const FVF_PARTS: [(u32, usize); 4] = [(0x010, 3), (0x020, 1), (0x040, 1), (0x080, 1)];

impl FvfData {
    /// Bits of `dwFVF` that say how positions are stored: `D3DFVF_POSITION_MASK` without `D3DFVF_XYZW`.
    pub(super) const POSITION: u32 = 0xE;

    /// Returns the number of words before the texture coordinates.
    fn before_coords(&self) -> usize {
        let position = match self.fvf & Self::POSITION {
            0x2 => 3,
            0x4 => 4,
            blended @ 0x6.. => 3 + (blended as usize - 4) / 2,
            _ => 0,
        };
        position + FVF_PARTS.iter().filter(|(flag, _)| self.fvf & flag != 0).map(|(_, words)| words).sum::<usize>()
    }

    /// Returns the number of floats in each set of texture coordinates.
    fn set_widths(&self) -> impl Iterator<Item = usize> + use<> {
        let fvf = self.fvf;
        let sets = (fvf >> 8 & 0xF).min(8);
        (0..sets).map(move |set| match fvf >> (16 + 2 * set) & 3 {
            0 => 2,
            1 => 3,
            2 => 4,
            _ => 1,
        })
    }

    /// Returns the number of words of one vertex.
    pub(super) fn stride(&self) -> usize {
        self.before_coords() + self.set_widths().sum::<usize>()
    }

    /// Returns the first two numbers of each vertex in a set of texture coordinates. Returns `None` if there is no such
    /// set.
    pub fn texture_coords(&self, set: usize) -> Option<Vec<[f32; 2]>> {
        let width = self.set_widths().nth(set)?;
        let at = self.before_coords() + self.set_widths().take(set).sum::<usize>();
        let read = |vertex: &[u32], part: usize| {
            if part < width { vertex.get(at + part).copied().map_or(0.0, f32::from_bits) } else { 0.0 }
        };
        let vertices = self.data.chunks_exact(self.stride());
        Some(vertices.map(|vertex| [read(vertex, 0), read(vertex, 1)]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(kind: u32, usage: u32) -> VertexElement {
        VertexElement { kind, method: 0, usage, usage_index: 0 }
    }

    #[test]
    fn elements_are_bit_patterns() {
        // 1065353216 is 1.0f. The other values were derived by hand from Direct3D's definitions.
        let cases: [(u32, &[u32], [f32; 4]); 12] = [
            (0, &[1065353216], [1.0, 0.0, 0.0, 1.0]),
            (1, &[1065353216, 0xBF00_0000], [1.0, -0.5, 0.0, 1.0]),
            (4, &[0xFF80_4000], [128.0 / 255.0, 64.0 / 255.0, 0.0, 1.0]),
            (5, &[0x0403_0201], [1.0, 2.0, 3.0, 4.0]),
            (6, &[0xFFFF_0002], [2.0, -1.0, 0.0, 1.0]),
            (8, &[0x0000_00FF], [1.0, 0.0, 0.0, 0.0]),
            (9, &[0x8001_7FFF], [1.0, -1.0, 0.0, 1.0]),
            (11, &[0x0000_FFFF], [1.0, 0.0, 0.0, 1.0]),
            (13, &[1 | 2 << 10 | 1023 << 20], [1.0, 2.0, 1023.0, 1.0]),
            (14, &[511 | 0x201 << 10], [1.0, -1.0, 0.0, 1.0]),
            (15, &[0xC000_3C00], [1.0, -2.0, 0.0, 1.0]),
            (16, &[0x0001_0000, 0x3800], [0.0, 2.0_f32.powi(-24), 0.5, 0.0]),
        ];
        for (kind, words, expected) in cases {
            assert_eq!(element(kind, 0).decode(words), expected, "type {kind}");
        }
    }

    #[test]
    fn channels_are_found_behind_other_elements() {
        let elements = vec![element(2, USAGE_TANGENT), element(1, USAGE_TEXCOORD)];
        let bits = |values: [f32; 10]| values.map(f32::to_bits).to_vec();
        let data = bits([1., 0., 0., 0.25, 0.5, 0., 1., 0., 0.75, 1.0]);
        let decl = DeclData { elements, data, ..DeclData::default() };
        assert_eq!(decl.channel(USAGE_TEXCOORD, 0), Some(vec![[0.25, 0.5, 0., 1.], [0.75, 1., 0., 1.]]));
        assert_eq!(decl.channel(USAGE_TANGENT, 0), Some(vec![[1., 0., 0., 1.], [0., 1., 0., 1.]]));
        assert_eq!(decl.channel(USAGE_TEXCOORD, 1), None);
    }

    #[test]
    fn fvf_sets_have_the_widths_that_their_bits_say() {
        // Two sets: three floats, then two.
        let fvf = FvfData {
            fvf: 0x200 | 1 << 16,
            data: [1., 2., 3., 4., 5.].map(f32::to_bits).to_vec(),
            ..FvfData::default()
        };
        assert_eq!(fvf.stride(), 5);
        assert_eq!(fvf.texture_coords(0), Some(vec![[1.0, 2.0]]));
        assert_eq!(fvf.texture_coords(1), Some(vec![[4.0, 5.0]]));
        assert_eq!(fvf.texture_coords(2), None);
    }
}
