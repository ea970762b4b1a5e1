//! Options of the command.

use super::super::image_args::ImageArgs;
use super::super::load_args::LoadArgs;
use super::super::turns::{Axis, HelpersArg, SkinningArgs};
use super::super::{complete, positive, seconds};
use super::clip_args::{self, FrameRange, Joined};
use super::target::Target;
use crate::commands::format_arg::FormatArg;
use anyhow::{Context, bail};
use bindpose::export::Pattern;
use bindpose::validate::profiles::{self, EngineId, Profile};
use clap::ValueEnum;
use clap_complete::ArgValueCandidates;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:\n  \
    bindpose convert walker.x -o walker.glb\n  \
    bindpose convert models/ -o out/ --to glb --newer\n  \
    bindpose convert pig.x cow.x 'birds/*.x' -o out/ --to glb\n  \
    bindpose convert boss.glb -o boss.md5mesh --profile doom3 --scale 39.37\n  \
    bindpose convert ogre.glb -o progs/ogre.md5mesh --profile vkquake --frames-from ogre.mdl\n\n\
    What each format holds: docs/convert.md\n\n\
    Exit codes: 0 fine, 1 a file is at fault or the engine will not load the result, 2 usage or I/O";

/// Convert models and their clips to glTF, MD5, .x, IQM or OBJ
///
/// Reads one model and its clips (.md5mesh, .md5anim, .x, .glb, .gltf) and writes it in another format, chosen
/// by the extension of the output. Several models, patterns, and folders with everything below them are converted one by
/// one; a model that fails does not stop the others. Losses are reported in numbers. Written MD5 and .x files are validated, and the verdict is the exit code.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model and its clips, or several models, folders and patterns; the .md5anim files next to a .md5mesh are found automatically
    #[arg(required_unless_present_any = ["entity", "model"], value_name = "INPUT")]
    pub files: Vec<PathBuf>,
    /// File to write, or a folder with --to; files that belong to it are written next to it
    #[arg(short, long, value_name = "OUT", value_parser = crate::commands::output_path())]
    pub output: PathBuf,
    /// Format of the output [default: by its extension]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Target>,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
    /// Convert only models that are newer than their output, and replace the output
    #[arg(long)]
    pub newer: bool,
    /// Models of a folder to convert at once [default: the number of processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub format: FormatArg,
    /// Engine that will load the MD5 or .x files; sets limits, names and frame rate, and the result is validated for it
    #[arg(long, value_name = "NAME", value_parser = profile, add = ArgValueCandidates::new(complete::profiles))]
    pub profile: Option<&'static Profile>,
    /// Factor of all lengths [default: 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub scale: Option<f64>,
    /// Convert inches, the unit of Doom 3, to metres: --scale 0.0254
    #[arg(long, conflicts_with = "scale")]
    pub metres: bool,
    /// Axis that the model faces: x, -x, y, -y, z or -z [default: -y for .x, y for .x from Blender, else x]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub front: Option<Axis>,
    /// Axis of the model that points up [default: z]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub up: Option<Axis>,
    /// Keep the axes as they are in the file
    #[arg(long, conflicts_with_all = ["front", "up"])]
    pub keep_axes: bool,
    /// Most weights of a vertex, or all [default: 4 for glTF, else what format and engine allow]
    #[arg(long, value_name = "N", value_parser = influences)]
    pub influences: Option<Influences>,
    /// Frames per second of clips [default: the clip's own, else the lowest that hits all keys; 10 for Quake engines]
    ///
    /// Clips are resampled and last as long as before, unless --frames keep is given.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub fps: Option<f64>,
    /// Frames at another rate: resample them, or keep them, so that the clip plays faster or slower
    #[arg(long, value_enum, value_name = "HOW", default_value_t = FramesArg::Resample)]
    pub frames: FramesArg,
    /// Rate at which to play the frames of one clip; repeatable
    #[arg(long, value_name = "CLIP=N", value_parser = clip_args::rate)]
    pub clip_fps: Vec<(String, f64)>,
    /// Shift clips so that they begin with their first key
    #[arg(long)]
    pub trim: bool,
    /// Keep a walking model above its starting point
    ///
    /// The roots keep their horizontal position. If the model still walks away, so does the joint that carries it: the
    /// first joint below a root that has at least half of all joints below it and moves farther than a tenth of the
    /// model's size. A note names this joint. --in-place=JOINT holds only the named joint.
    #[arg(long, value_name = "JOINT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub in_place: Option<String>,
    /// Close loops: repeat the first key at the end of clips that do not end as they begin
    #[arg(long = "loop", conflicts_with = "frames_from")]
    pub close_loops: bool,
    /// Ticks per second of a .x file's clips [default: the file's own]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub ticks_per_second: Option<f64>,
    /// Leave out all clips
    #[arg(long, conflicts_with_all = ["clip", "frames_from"])]
    pub no_clips: bool,
    /// Write only this clip; repeatable. For OBJ, the clip of the pose
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    pub clip: Vec<String>,
    /// Replace the clips by ranges of frames, counted from 0: walk=168..187, or walk=all:168..187 if there are several
    /// clips; repeatable
    #[arg(long, value_name = "NAME=A..B")]
    pub clips: Vec<FrameRange>,
    /// Replace clips by one that joins them in this order, and list the frames of each
    #[arg(long, value_name = "NAME=A,B")]
    pub join_clips: Vec<Joined>,
    /// Pattern for the names of clips; {clip} is replaced by the clip's name, {model} by the model's
    #[arg(long, value_name = "TEXT", value_parser = clip_args::clip_names)]
    pub clip_names: Option<String>,
    /// OBJ: time of the pose in the clip, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "clip")]
    pub time: Option<f64>,
    #[command(flatten)]
    pub skinning: SkinningArgs,
    /// Add the rest pose as a clip of one frame
    #[arg(long)]
    pub rest_clip: bool,
    /// .x: encoding of the file [default: text]
    ///
    /// Without other changes, a .x file is only encoded again: all objects, names and references stay as they are, also
    /// unknown objects.
    #[arg(long, value_enum, value_name = "ENCODING")]
    pub encoding: Option<EncodingArg>,
    /// Rename joints and clips, or change names back that a conversion to the input had to change; repeatable
    ///
    /// A * on both sides matches any text, so that mixamorig:*=* removes a prefix. REPORT is what that conversion printed
    /// with --json: its joints, clips, materials and meshes get their old names.
    #[arg(long, value_name = "FROM=TO|REPORT", value_parser = renaming)]
    pub rename: Vec<Renaming>,
    /// Older .md5mesh whose order of joints is kept, so that its clips still fit
    #[arg(long, value_name = "FILE")]
    pub order_from: Option<PathBuf>,
    /// Add N helper joints to a joint, each with a share of its rotation in all clips and of its weights, as `compare
    /// --helpers` shows; repeatable
    #[arg(long, value_name = "JOINT=N")]
    pub helpers: Vec<HelpersArg>,
    /// Move constant scale of joints into vertices and translations, for programs whose rest pose has no scale
    #[arg(long)]
    pub bake_scale: bool,
    /// Normals: flip those that point inwards and compute missing ones, keep all, or compute all [default: fix]
    #[arg(long, value_enum, value_name = "HOW")]
    pub normals: Option<NormalsArg>,
    /// glTF, OBJ: treatment of materials that their alpha would hide
    #[arg(long, value_enum, value_name = "HOW", default_value_t = AlphaArg::Auto)]
    pub alpha: AlphaArg,
    /// MD5: joint to add above all others; auto adds `origin` above several roots [default: auto for engines that need
    /// one root]
    #[arg(long, value_name = "NAME")]
    pub root: Option<String>,
    /// MD5: keep vertices apart that differ only in their normals
    #[arg(long)]
    pub no_weld: bool,
    /// MD5: write only the clips, for an existing mesh
    #[arg(long, conflicts_with = "no_clips")]
    pub only_clips: bool,
    /// MD5: Quake .mdl or Quake II .md2 to replace; all clips become one with exactly its frames
    #[arg(long, value_name = "FILE")]
    pub frames_from: Option<PathBuf>,
    /// MD5: clip for a group of the old model's frames, if their names differ; repeatable
    #[arg(long, value_name = "GROUP=CLIP", value_parser = clip_args::group, requires = "frames_from")]
    pub map: Vec<(String, String)>,
    /// MD5 for KEX or FTEQW: Quake's gfx/palette.lmp, for skins [default: the one in a folder above]
    #[arg(long, value_name = "FILE")]
    pub palette: Option<PathBuf>,
    /// glTF, .x: write for Luanti: times become frame numbers, textures become slots
    #[arg(long, conflicts_with = "fps")]
    pub luanti: bool,
    /// glTF: write highlights with the extension KHR_materials_specular
    #[arg(long, conflicts_with = "luanti")]
    pub specular: bool,
    /// glTF: where to write images
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = ImagesArg::Embedded)]
    pub images: ImagesArg,
    #[command(flatten)]
    pub wanted_images: ImageArgs,
    #[command(flatten)]
    pub load: LoadArgs,
}

impl Args {
    /// Returns the output format: that of `--to`, or of the output's extension.
    pub fn target(&self) -> anyhow::Result<Target> {
        let target = self.to.or_else(|| Target::of_extension(&self.output)).with_context(|| {
            let out = self.output.display();
            format!(
                "cannot tell the format of {out}: give a name that ends in .glb, .gltf, .md5mesh, .x, .iqm or .obj, or --to"
            )
        })?;
        if let Some(profile) = self.profile
            && !target.family().is_some_and(|family| profile.reads(family))
        {
            bail!("{} does not read .{} files", profile.title, target.extension());
        }
        let is_gltf = matches!(target, Target::Glb | Target::Gltf);
        let (is_md5, is_x, is_obj) = (target == Target::Md5, target == Target::X, target == Target::Obj);
        let options = [
            ("--only-clips", self.only_clips, is_md5),
            ("--alpha", self.alpha != AlphaArg::Auto, is_gltf || is_obj),
            ("--clip-fps", !self.clip_fps.is_empty(), !is_obj),
            ("--no-weld", self.no_weld, is_md5),
            ("--root", self.root.is_some(), is_md5),
            ("--frames-from", self.frames_from.is_some(), is_md5),
            ("--palette", self.palette.is_some(), is_md5),
            ("--luanti", self.luanti, is_gltf || is_x),
            ("--specular", self.specular, is_gltf),
            ("--images", self.images != ImagesArg::Embedded, is_gltf),
            ("--encoding", self.encoding.is_some(), is_x),
            ("--time", self.time.is_some(), is_obj),
            ("--method", self.skinning.method.is_some(), is_obj),
            ("--pose", !self.skinning.poses.is_empty(), is_obj),
            ("--fps", self.fps.is_some(), !is_obj),
            ("--loop", self.close_loops, !is_obj),
        ];
        if let Some((name, ..)) = options.iter().find(|(_, is_given, fits)| *is_given && !fits) {
            bail!("{name} has no meaning for .{} files", target.extension());
        }
        Ok(target)
    }

    /// True if the encoding is all that shall change.
    pub fn only_encodes(&self) -> bool {
        let is_changed = self.engine().is_some()
            || self.scale.is_some()
            || self.metres
            || self.front.is_some()
            || self.up.is_some()
            || self.influences.is_some()
            || self.fps.is_some()
            || !self.clip_fps.is_empty()
            || self.trim
            || self.in_place.is_some()
            || self.close_loops
            || self.ticks_per_second.is_some()
            || self.no_clips
            || !self.clip.is_empty()
            || !self.clips.is_empty()
            || !self.join_clips.is_empty()
            || self.clip_names.is_some()
            || self.rest_clip
            || !self.rename.is_empty()
            || self.order_from.is_some()
            || !self.helpers.is_empty()
            || self.bake_scale
            || self.normals.is_some();
        self.encoding.is_some() && !is_changed
    }

    /// Returns the engine for which the files are written.
    pub fn engine(&self) -> Option<EngineId> {
        self.profile.map(|profile| profile.id).or(self.luanti.then_some(EngineId::Luanti))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncodingArg {
    Text,
    Binary,
    /// Text, compressed
    Tzip,
    /// Binary, compressed
    Bzip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImagesArg {
    /// In the file
    Embedded,
    /// Next to the file
    Beside,
    /// Leave them out
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FramesArg {
    /// Interpolate at the new rate
    Resample,
    /// Play the same frames at the new rate
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NormalsArg {
    /// Leave them unchanged
    Keep,
    /// Flip the normals of meshes where they point inwards
    Fix,
    /// Compute them from the triangles
    Recompute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlphaArg {
    /// Make materials opaque that have alpha 0, or alpha below 1 and an opaque image
    Auto,
    /// Write alpha unchanged
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Influences {
    All,
    Most(usize),
}

/// Value of `--rename`.
#[derive(Debug, Clone)]
pub enum Renaming {
    Pattern(Pattern),
    /// Report of an earlier conversion.
    Report(PathBuf),
}

fn renaming(text: &str) -> Result<Renaming, &'static str> {
    if text.contains('=') { text.parse().map(Renaming::Pattern) } else { Ok(Renaming::Report(text.into())) }
}

pub fn influences(text: &str) -> Result<Influences, &'static str> {
    match text.parse() {
        _ if text == "all" => Ok(Influences::All),
        Ok(most) if most > 0 => Ok(Influences::Most(most)),
        _ => Err("expected a positive number, or all"),
    }
}

pub fn profile(name: &str) -> Result<&'static Profile, String> {
    Profile::find(name).ok_or_else(|| {
        let known: Vec<&str> = profiles::PROFILES.iter().map(|profile| profile.name).collect();
        format!("no engine is called '{name}'; known are {}", known.join(", "))
    })
}
