//! Limits the memory and work for all images of a model together.

use super::TextureError;
use bindpose_core::budget::{Budget, MemoryLimit};
use image::RgbaImage;
use image::imageops::thumbnail;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Images with more texels are refused before decoding. Their RGBA texels would need more than 512 MiB.
pub(super) const MOST_TEXELS: u64 = 128 << 20;
/// Images with more texels are decoded one at a time.
const LARGE: u64 = 16 << 20;
/// Unpacked bytes allowed for each byte of a file. JPEG, the densest common format, packs photographs about 30 to 1.
pub(super) const PER_FILE_BYTE: u64 = 32;
/// Largest width and height of a drawn image in texels.
const MOST_DRAWN: u32 = 4096;
/// Smallest width and height to which an image is reduced when memory is short, in texels.
const LEAST_DRAWN: u32 = 128;

/// Memory of the images that one finder reads.
#[derive(Debug, Default)]
pub(super) struct ImageMemory {
    limit: MemoryLimit,
    /// True if images are reduced to the size for drawing.
    pub is_for_drawing: bool,
    /// Bytes of all files.
    packed: AtomicU64,
    /// Bytes of all decoded images and all results of image programs, including freed ones.
    unpacked: AtomicU64,
    /// Bytes of images that are drawn.
    drawn: AtomicU64,
    large: Mutex<()>,
}

impl ImageMemory {
    pub fn new(limit: MemoryLimit) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Returns the budget for reading one file.
    pub fn file_budget(&self) -> Budget {
        Budget::new(self.limit)
    }

    /// Returns the bytes that all images together may unpack to: half of the limit, plus 32 for each byte of their
    /// files.
    fn allowed(&self) -> u64 {
        let packed = self.packed.load(Ordering::Relaxed);
        packed.saturating_mul(PER_FILE_BYTE).saturating_add(self.limit.most() / 2)
    }

    /// Records that something was left out for lack of memory.
    pub fn refuse(&self) {
        self.limit.refuse();
    }

    /// Returns the number of texels that image programs may still create.
    pub fn texels_left(&self) -> u64 {
        self.allowed().saturating_sub(self.unpacked.load(Ordering::Relaxed)) / 4
    }

    /// Counts texels that image programs created.
    pub fn spend_texels(&self, texels: u64) {
        self.unpacked.fetch_add(texels.saturating_mul(4), Ordering::Relaxed);
    }

    /// Counts an image from a file of `packed` bytes before it is decoded.
    ///
    /// # Errors
    ///
    /// Returns an error if the image is empty, too large, or exceeds the memory that is left.
    pub fn spend(&self, (width, height): (u32, u32), packed: usize) -> Result<(), TextureError> {
        if width == 0 || height == 0 {
            return Err(TextureError::Empty);
        }
        let texels = u64::from(width) * u64::from(height);
        if texels > MOST_TEXELS {
            return Err(TextureError::TooLarge { width, height });
        }
        self.packed.fetch_add(packed as u64, Ordering::Relaxed);
        if texels > self.texels_left() {
            self.limit.refuse();
            return Err(TextureError::TooMany { width, height, allowed: self.allowed() });
        }
        self.spend_texels(texels);
        Ok(())
    }

    /// Waits until no other large image is being decoded, if this image is large.
    pub fn wait(&self, (width, height): (u32, u32)) -> Option<MutexGuard<'_, ()>> {
        let is_large = u64::from(width) * u64::from(height) > LARGE;
        is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Halves an image until each side has at most 4096 texels and the image uses at most a quarter of the memory left
    /// for drawing.
    pub fn reduced(&self, image: RgbaImage) -> RgbaImage {
        if !self.is_for_drawing {
            return image;
        }
        let left = (self.limit.most() / 2).saturating_sub(self.drawn.load(Ordering::Relaxed)) / 4;
        let (mut width, mut height) = image.dimensions();
        while width.max(height) > MOST_DRAWN
            || u64::from(width) * u64::from(height) * 4 > left && width.max(height) > LEAST_DRAWN
        {
            (width, height) = ((width / 2).max(1), (height / 2).max(1));
        }
        self.drawn.fetch_add(u64::from(width) * u64::from(height) * 4, Ordering::Relaxed);
        if (width, height) == image.dimensions() { image } else { thumbnail(&image, width, height) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_unpack_to_half_of_the_limit_in_sum() {
        let memory = ImageMemory::new(MemoryLimit::Bytes(8 << 20));
        let spend = |packed| memory.spend((512, 1024), packed).is_ok();
        assert_eq!([0; 3].map(spend), [true, true, false], "two images of 2 MiB");
        assert!(spend(64 << 10), "64 KiB allow 2 MiB more");
        assert!(!spend(0));
    }

    #[test]
    fn drawn_images_are_halved_where_memory_is_short() {
        let mut memory = ImageMemory::new(MemoryLimit::Bytes(8 << 20));
        let image = || RgbaImage::new(512, 1024);
        assert_eq!(memory.reduced(image()).dimensions(), (512, 1024), "convert keeps all texels");
        memory.is_for_drawing = true;
        // A quarter of 4 MiB is 1 MiB. 256 x 512 texels fit into it.
        assert_eq!(memory.reduced(image()).dimensions(), (256, 512));
        assert_eq!(memory.reduced(RgbaImage::new(6000, 1)).dimensions(), (3000, 1));
        for _ in 0..100 {
            memory.reduced(image());
        }
        assert_eq!(memory.reduced(image()).dimensions(), (64, 128));
    }
}
