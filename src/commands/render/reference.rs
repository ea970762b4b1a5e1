//! Comparison of the rendered image with a reference.

use crate::commands::image_difference::difference;
use crate::commands::output::tell;
use crate::commands::record::write_png;
use crate::commands::{Outcome, write_whole};
use anyhow::{Context, ensure};
use bindpose::budget::{MemoryLimit, grouped};
use image::RgbaImage;
use std::path::{Path, PathBuf};

/// Deviation of a colour channel that no eye sees and that drivers differ by, of 255.
const SAME: u8 = 3;

/// Reference of a single image.
#[derive(Debug, clap::Args)]
pub struct ReferenceArgs {
    /// Image to compare the result with. If they differ, the exit code is 1
    #[arg(long = "ref", value_name = "IMAGE")]
    reference: Option<PathBuf>,
    /// Largest share of pixels that may differ from the reference, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0", requires = "reference")]
    threshold: f64,
    /// PNG image to write: the result in grey, and differences from the reference in red
    #[arg(long, value_name = "FILE", requires = "reference")]
    difference: Option<PathBuf>,
}

fn share(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("expected a share from 0 to 1")
}

/// A reference that was read.
pub struct Reference<'a> {
    image: RgbaImage,
    path: &'a Path,
    args: &'a ReferenceArgs,
}

impl ReferenceArgs {
    /// Reads the reference, which must have the size of the output. Returns `None` if none is given.
    pub fn read(&self, size: (u32, u32), is_still: bool, memory: MemoryLimit) -> anyhow::Result<Option<Reference<'_>>> {
        let Some(path) = &self.reference else { return Ok(None) };
        ensure!(is_still, "--ref compares a single image: write a .png");
        let image = bindpose::images::open(path, memory).with_context(|| format!("cannot read {}", path.display()))?;
        let (width, height) = size;
        ensure!(
            image.dimensions() == size,
            "{} has {}x{} pixels, and the output {width}x{height}; --size changes it",
            path.display(),
            image.width(),
            image.height()
        );
        Ok(Some(Reference { image, path, args: self }))
    }
}

impl Reference<'_> {
    /// Compares the rendered image, and writes the difference if the user names a file for it.
    pub fn compare(&self, image: &RgbaImage) -> anyhow::Result<Outcome> {
        let (difference, pixels) = difference(&self.image, image, SAME);
        let share = pixels as f64 / f64::from(image.width() * image.height());
        let reference = self.path.display();
        tell!("{} pixels ({:.3} %) differ from {reference}", grouped(pixels), 100.0 * share);
        if let Some(path) = &self.args.difference {
            write_whole(path, |file| write_png(file, &difference))?;
            tell!("wrote {}", path.display());
        }
        Ok(if share <= self.args.threshold { Outcome::Fine } else { Outcome::AtFault })
    }
}
