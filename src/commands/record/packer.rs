//! Numbers that LZW packs well.

use std::collections::HashMap;

/// Chooses, where a pixel stays as it was, between its colour and the clear one: whichever LZW has met before.
///
/// Follows what the encoder will do, which empties its table when the table is full.
pub struct Packer {
    clear: u8,
    /// Strings that were met, each as the one before its last number and that number.
    met: HashMap<(u16, u8), u16>,
    /// The string that ends here.
    open: Option<u16>,
}

impl Packer {
    /// For a picture whose clear number this is.
    pub fn new(clear: u8) -> Self {
        Self { clear, met: HashMap::new(), open: None }
    }

    /// The number for the next pixel, where `index` is its colour.
    pub fn choose(&mut self, index: u8, stays: bool) -> u8 {
        let longer = |number: u8| Some((number, *self.met.get(&(self.open?, number))?));
        let found = match stays {
            true => longer(self.clear).or_else(|| longer(index)),
            false => longer(index),
        };
        if let Some((number, string)) = found {
            self.open = Some(string);
            return number;
        }
        let number = if stays { self.clear } else { index };
        if let Some(open) = self.open {
            // 256 numbers, two codes of the encoder's own.
            let next = 258 + self.met.len() as u16;
            self.met.insert((open, number), next);
            if next == 4095 {
                self.met.clear();
            }
        }
        self.open = Some(u16::from(number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours without order, and the same again, of which some stay.
    #[test]
    fn what_stays_takes_part_in_strings_that_were_met() {
        let noise = |place: u32| (place.wrapping_mul(0x9e37_79b1) >> 24) as u8 % 16;
        let pixels: Vec<_> = (0..2000).map(|place| (noise(place % 1000), place >= 1000 && noise(place) < 8)).collect();
        let mut packer = Packer::new(255);
        let chosen: Vec<u8> = pixels.iter().map(|&(index, stays)| packer.choose(index, stays)).collect();
        for (&(index, stays), &number) in pixels.iter().zip(&chosen) {
            assert!(number == index || stays && number == 255);
        }
        let packed = |buffer: Vec<u8>| {
            let mut frame = gif::Frame { buffer: buffer.into(), ..gif::Frame::default() };
            frame.make_lzw_pre_encoded();
            frame.buffer.len()
        };
        let clear = pixels.iter().map(|&(index, stays)| if stays { 255 } else { index }).collect();
        assert!(packed(chosen) < packed(clear));
    }
}
