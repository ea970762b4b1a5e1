//! Options of the command.

use super::super::complete;
use super::super::image_args::ImageArgs;
use super::super::load_args::LoadArgs;
use super::super::turns::SkinningArgs;
use crate::commands::format_arg::FormatArg;
use anyhow::{Context, bail};
use bindpose::convert::parse::{formats, positive};
use bindpose::convert::{Format, Options};
use bindpose::image_search::ImageFinder;
use bindpose::import::by_extension;
use bindpose::import::md5::ANIM_FILE;
use clap_complete::ArgValueCandidates;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "Examples:\n  \
    bindpose convert walker.x -o walker.glb\n  \
    bindpose convert models/ -o out/ --to glb --newer\n  \
    bindpose convert pig.x cow.x 'birds/*.x' -o out/ --to glb\n  \
    bindpose convert boss.glb -o boss.md5mesh --profile doom3 --scale 39.37\n  \
    bindpose convert ogre.glb -o progs/ogre.md5mesh --profile vkquake --frames-from ogre.mdl\n  \
    bindpose convert ogre.md5mesh -o progs/ogre.mdl --palette gfx/palette.lmp\n\n\
    What each format holds: docs/convert.md\n\n\
    Exit codes: 0 fine, 1 a file is at fault or the engine will not load the result, 2 usage or I/O";

/// Convert models and their clips to glTF, MD5, .x, IQM, OBJ, .mdl or .md3
///
/// Reads one model and its clips (.md5mesh, .md5anim, .x, .glb, .gltf) and writes it in another format, chosen
/// by the extension of the output. Several models, patterns, and folders with everything below them are converted one by
/// one; a model that fails does not stop the others. Losses are reported in numbers. Written MD5 and .x files are validated, and the verdict is the exit code.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("profile", |arg| arg.add(ArgValueCandidates::new(complete::profiles))))]
#[command(mut_arg("clip", |arg| arg.add(ArgValueCandidates::new(complete::clips))))]
pub struct Args {
    /// A model and its clips, or several models, folders and patterns; the .md5anim files next to a .md5mesh are found automatically
    #[arg(required_unless_present_any = ["entity", "model"], value_name = "INPUT")]
    pub files: Vec<PathBuf>,
    /// File to write, or a folder with --to; files that belong to it are written next to it
    #[arg(short, long, value_name = "OUT", value_parser = crate::commands::output_path())]
    pub output: PathBuf,
    /// Format of the output [default: by its extension]
    #[arg(long, value_parser = formats(), value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
    /// Convert only models that are newer than their output, and replace the output
    #[arg(long)]
    pub newer: bool,
    /// Models of a folder to convert at once [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub format: FormatArg,
    #[command(flatten)]
    pub options: Options,
    /// Ticks per second of a .x file's clips [default: the file's own]
    #[arg(long, help_heading = "Clips", value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub ticks_per_second: Option<f64>,
    #[command(flatten)]
    pub skinning: SkinningArgs,
    #[command(flatten)]
    pub wanted_images: ImageArgs,
    #[command(flatten)]
    pub load: LoadArgs,
}

fn jobs(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a whole number, 1 or more")
}

impl Args {
    /// Returns the output format: that of `--to`, or of the output's extension.
    pub fn target(&self) -> anyhow::Result<Format> {
        let target = self.to.or_else(|| Format::of_extension(&self.output)).with_context(|| {
            let out = self.output.display();
            if by_extension(&self.output) == Some(&ANIM_FILE) {
                return format!("{out} is the name of a clip: name a .md5mesh file, and give --only-clips to write no mesh");
            }
            format!(
                "cannot tell the format of {out}: give a name that ends in .glb, .gltf, .md5mesh, .x, .iqm, .obj, .mdl or .md3, or --to"
            )
        })?;
        if let Some(named) = Format::of_extension(&self.output)
            && named != target
            && !self.output.is_dir()
        {
            let (out, named, target) = (self.output.display(), named.extension(), target.extension());
            bail!(
                "{out} is the name of a .{named} file, but the format is .{target}: name a .{target} file or a folder"
            );
        }
        let own = [("--method", self.skinning.method.is_some()), ("--pose", !self.skinning.poses.is_empty())];
        self.options
            .check(target, &own.map(|(name, is_given)| (name, is_given, target == Format::Obj || target.is_baked())))?;
        Ok(target)
    }

    /// Returns the options of a conversion. Models that share `listed` share the listings of folders.
    pub fn options(&self, listed: &Arc<ImageFinder>) -> anyhow::Result<Options> {
        let mut load = self.load.options()?;
        load.clips.find = !self.options.edits.no_clips;
        load.clips.folders = Some(Arc::clone(listed));
        load.import.ticks_per_second = self.ticks_per_second;
        let chosen_images = self.wanted_images.wanted(self.load.skin.clone())?;
        Ok(Options { load, chosen_images, ..self.options.clone() })
    }
}
