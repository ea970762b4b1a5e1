//! Comparison of the rendered image with a reference.

use crate::commands::image_difference::difference;
use crate::commands::output::tell;
use crate::commands::record::{MediaOutput, write_png};
use crate::commands::{Outcome, write_whole};
use anyhow::{anyhow, bail, ensure};
use bindpose::budget::{MemoryLimit, grouped};
use image::RgbaImage;
use std::path::{Path, PathBuf};

/// Deviation of a colour channel that no eye sees and that drivers differ by, of 255.
const SAME: u8 = 3;

/// Reference of a single image.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Comparison with an image")]
pub struct ReferenceArgs {
    /// Image to compare the result with. If they differ, the exit code is 1
    #[arg(long = "ref", value_name = "IMAGE")]
    reference: Option<PathBuf>,
    /// Largest share of pixels that may differ from the reference, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0", requires = "reference")]
    threshold: f64,
    /// PNG image to write: the result in grey, and differences from the reference in red [default: if there are any, beside
    /// the output as NAME.difference.png]
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
    difference: Option<PathBuf>,
    args: &'a ReferenceArgs,
}

impl ReferenceArgs {
    /// Reads the reference, which must have the size of the output and is not overwritten. Returns `None` if none is given.
    pub fn read(
        &self,
        size: (u32, u32),
        output: &MediaOutput,
        memory: MemoryLimit,
    ) -> anyhow::Result<Option<Reference<'_>>> {
        let Some(path) = &self.reference else { return Ok(None) };
        ensure!(output.is_still(), "--ref compares a single image: write a .png");
        let output = if let MediaOutput::File(path, _) = output { Some(path) } else { None };
        let beside = || output.map(|path| path.with_extension("difference.png"));
        let difference = self.difference.clone().or_else(beside);
        let real = path.canonicalize().ok();
        let is_reference = |written: &&PathBuf| real.is_some() && written.canonicalize().ok() == real;
        if let Some(written) = output.into_iter().chain(&difference).find(is_reference) {
            bail!("{} is the reference, and would be overwritten", written.display());
        }
        let image =
            bindpose::images::open(path, memory).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
        let (width, height) = size;
        ensure!(
            image.dimensions() == size,
            "{} has {}x{} pixels, and the output {width}x{height}; --size changes it",
            path.display(),
            image.width(),
            image.height()
        );
        Ok(Some(Reference { image, path, difference, args: self }))
    }
}

impl Reference<'_> {
    /// Compares the rendered image. Writes the difference if there is one, or if the user names a file for it.
    pub fn compare(&self, image: &RgbaImage) -> anyhow::Result<Outcome> {
        let (difference, pixels) = difference(&self.image, image, SAME);
        let share = pixels as f64 / f64::from(image.width() * image.height());
        let reference = self.path.display();
        tell!("{} pixels ({:.3} %) differ from {reference}", grouped(pixels), 100.0 * share);
        if let Some(path) = self.difference.as_ref().filter(|_| pixels > 0 || self.args.difference.is_some()) {
            write_whole(path, |file| write_png(file, &difference))?;
            tell!("wrote {}", path.display());
        }
        Ok(if share <= self.args.threshold { Outcome::Fine } else { Outcome::AtFault })
    }
}
