//! `bindpose convert`

mod batch;
mod clips;
mod format_table;

use super::image_args::ImageArgs;
use super::load_args::LoadArgs;
use super::output::{Output, tell};
use super::{Outcome, complete};
use anyhow::{Context, bail};
use bindpose::diagnostic::Severity;
use bindpose::export::{
    self, ClipEdits, EachClip, FrameRate, Front, InPlace, Loss, NewName, Normals, Pattern, Renames, edit_clips,
    fix_normals, gltf, iqm, md5, obj, order_joints, own_frame_rate, rename, x,
};
use bindpose::images::{ExportImages, Palette};
use bindpose::import;
use bindpose::load::{self, LoadError, LoadOptions, Loaded};
use bindpose::model::{Clip, Model, bake_scale};
use bindpose::read;
use bindpose::validate::profiles::{self, FormatFamily, Profile};
use bindpose::validate::report::{Selection, Style, Writer, summarize};
use bindpose::validate::{self, Input, codes};
use bindpose::write;
use clap::ValueEnum;
use clap_complete::ArgValueCandidates;
use clips::{FrameRange, Joined};
use codespan_reporting::term::termcolor::Buffer;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "Examples:\n  \
    bindpose convert walker.x -o walker.glb\n  \
    bindpose convert models/ -o out/ --to glb --newer\n  \
    bindpose convert boss.glb -o boss.md5mesh --profile doom3 --scale 39.37\n  \
    bindpose convert ogre.glb -o progs/ogre.md5mesh --profile vkquake --frames-from ogre.mdl\n\n\
    Exit codes: 0 fine, 1 a file is at fault or the engine will not load the result, 2 usage or I/O";

/// Convert models and their clips to glTF, MD5, .x, IQM or OBJ
///
/// Reads one model and its clips (.md5mesh, .md5anim, .x, .glb, .gltf) and writes it in another format, as the
/// extension of the output says. Of a folder, all models below it are converted, and one that fails stops no other. What
/// the format cannot hold is reported, with numbers. MD5 and .x files are checked by the validator when they are written;
/// the exit code is its verdict.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{}\n\n{EXAMPLES}", format_table::table()))]
pub struct Args {
    /// A model and its clips, or folders of models; the .md5anim files beside a .md5mesh are found without being named
    #[arg(required_unless_present_any = ["entity", "model"], value_name = "INPUT")]
    files: Vec<PathBuf>,
    /// The file to write, or with --to a folder; other files that belong to it are put beside it
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Format of the output, instead of what its extension says
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Target>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Convert only models that are newer than their output, and replace that
    #[arg(long)]
    newer: bool,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
    /// Engine that the MD5 or .x files are for: its limits, names and frame rate are kept to, and the result is checked
    #[arg(long, value_name = "NAME", value_parser = profile, add = ArgValueCandidates::new(complete::profiles))]
    profile: Option<&'static Profile>,
    /// Factor of all lengths [default: 1]
    #[arg(long, value_name = "N", value_parser = super::positive)]
    scale: Option<f64>,
    /// Convert inches, the unit of Doom 3, to metres: --scale 0.0254
    #[arg(long, conflicts_with = "scale")]
    metres: bool,
    /// Direction that the model faces: x, -x, y or -y, with +Z up [default: -y for .x, y for .x from Blender, else x]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    front: Option<Front>,
    /// Keep the axes as they are in the file
    #[arg(long, conflicts_with = "front")]
    keep_axes: bool,
    /// Most weights of a vertex, or all [default: 4 for glTF, else what format and engine allow]
    #[arg(long, value_name = "N", value_parser = influences)]
    influences: Option<Influences>,
    /// Frames per second of clips [default: the clip's own, else the lowest that hits all keys; 10 for Quake engines]
    ///
    /// Clips are resampled and last as long as before, unless --frames keep is given.
    #[arg(long, value_name = "N", value_parser = super::positive)]
    fps: Option<f64>,
    /// Frames at another rate: resample them, or keep them, so that the clip plays faster or slower
    #[arg(long, value_enum, value_name = "HOW", default_value_t = FramesArg::Resample)]
    frames: FramesArg,
    /// Play the frames of one clip at this rate; may be given several times
    #[arg(long, value_name = "CLIP=N", value_parser = clips::rate)]
    clip_fps: Vec<(String, f64)>,
    /// Shift clips so that they begin with their first key
    #[arg(long)]
    trim: bool,
    /// Keep a walking model above its starting point
    ///
    /// The roots keep their horizontal position. If the model still walks away, the joint that carries it does too: the
    /// first below a root with at least half of all joints below it that moves farther than a tenth of the model's
    /// size. A note names it. --in-place=JOINT holds that joint only.
    #[arg(long, value_name = "JOINT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    in_place: Option<String>,
    /// Add a last key like the first to clips that do not end as they begin
    #[arg(long = "loop", conflicts_with = "frames_from")]
    close_loops: bool,
    /// Ticks per second of a .x file's clips [default: the file's own]
    #[arg(long, value_name = "N", value_parser = super::positive)]
    ticks_per_second: Option<f64>,
    /// Leave out all clips
    #[arg(long, conflicts_with_all = ["clip", "frames_from"])]
    no_clips: bool,
    /// Write only this clip; may be given several times. For OBJ, take the pose from it
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    clip: Vec<String>,
    /// Cut a clip out by its frames, counted from 0: walk=168..187, or walk=all:168..187 where there are several clips; may be
    /// given several times, and replaces the clips
    #[arg(long, value_name = "NAME=A..B")]
    clips: Vec<FrameRange>,
    /// Join clips in this order to one, and list the frames of each; replaces them
    #[arg(long, value_name = "NAME=A,B")]
    join_clips: Vec<Joined>,
    /// Names of the clips, with {clip} and {model} for their own and the model's, such as {model}_{clip}
    #[arg(long, value_name = "TEXT")]
    clip_names: Option<String>,
    /// OBJ: take the pose at this time of the clip, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, requires = "clip")]
    time: Option<f64>,
    /// Add the rest pose as a clip of one frame
    #[arg(long)]
    rest_clip: bool,
    /// .x: encoding of the file
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = EncodingArg::Text)]
    encoding: EncodingArg,
    /// Rename joints and clips; a * on both sides stands for any text; may be given several times
    #[arg(long, value_name = "FROM=TO")]
    rename: Vec<Pattern>,
    /// Prefix to remove from names of joints and clips, such as mixamorig:
    #[arg(long, value_name = "PREFIX")]
    strip_prefix: Option<String>,
    /// Put the joints into the order of an older .md5mesh of the model, so that its clips still fit
    #[arg(long, value_name = "FILE")]
    order_from: Option<PathBuf>,
    /// Put scale of joints that never changes into vertices and translations, for programs that have none at rest
    #[arg(long)]
    bake_scale: bool,
    /// Normals: turn those round that point inwards and compute missing ones, keep all, or compute all
    #[arg(long, value_enum, value_name = "HOW", default_value_t = NormalsArg::Fix)]
    normals: NormalsArg,
    /// glTF, OBJ: make materials opaque that their alpha would hide, or keep it
    #[arg(long, value_enum, value_name = "HOW", default_value_t = AlphaArg::Auto)]
    alpha: AlphaArg,
    /// MD5: name of a joint to add above all others [default: origin above several roots, for engines that want one]
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
    /// MD5: write the clips only, for a mesh that exists
    #[arg(long, conflicts_with = "no_clips")]
    only_clips: bool,
    /// MD5: Quake .mdl or Quake II .md2 to replace; the clips become one with exactly its frames
    #[arg(long, value_name = "FILE")]
    frames_from: Option<PathBuf>,
    /// MD5: clip for a group of the old model's frames, where their names differ; may be given several times
    #[arg(long, value_name = "GROUP=CLIP", value_parser = clips::group, requires = "frames_from")]
    map: Vec<(String, String)>,
    /// MD5 for KEX or FTEQW: Quake's gfx/palette.lmp, for skins [default: the one in a folder above]
    #[arg(long, value_name = "FILE")]
    palette: Option<PathBuf>,
    /// glTF, .x: write for Luanti: times become frame numbers, textures become slots
    #[arg(long, conflicts_with = "fps")]
    luanti: bool,
    /// glTF: write highlights with the extension KHR_materials_specular
    #[arg(long, conflicts_with = "luanti")]
    specular: bool,
    /// glTF: where to write images
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = ImagesArg::Embedded)]
    images: ImagesArg,
    #[command(flatten)]
    wanted_images: ImageArgs,
    #[command(flatten)]
    load: LoadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    /// glTF 2.0 in one file
    Glb,
    /// glTF 2.0 with its data beside it
    Gltf,
    /// .md5mesh, with a .md5anim for each clip
    Md5,
    /// DirectX .x
    X,
    /// Inter-Quake Model
    Iqm,
    /// Wavefront OBJ of one pose
    Obj,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EncodingArg {
    Text,
    Binary,
    TextCompressed,
    BinaryCompressed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImagesArg {
    /// In the file
    Embedded,
    /// Beside the file
    Beside,
    /// Leave them out
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FramesArg {
    /// Interpolate at the new rate
    Resample,
    /// Play the same frames at the new rate
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NormalsArg {
    /// Leave them as they are
    Keep,
    /// Turn round meshes whose normals point inwards
    Fix,
    /// Compute them from the triangles
    Recompute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AlphaArg {
    /// Ignore alpha 0, and alpha under an opaque image
    Auto,
    /// Write it as it is
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Influences {
    All,
    Most(usize),
}

fn influences(text: &str) -> Result<Influences, &'static str> {
    match text.parse() {
        _ if text == "all" => Ok(Influences::All),
        Ok(most) if most > 0 => Ok(Influences::Most(most)),
        _ => Err("expected a positive number, or all"),
    }
}

fn profile(name: &str) -> Result<&'static Profile, String> {
    Profile::find(name).ok_or_else(|| {
        let known: Vec<&str> = profiles::PROFILES.iter().map(|profile| profile.name).collect();
        format!("no engine is called '{name}'; known are {}", known.join(", "))
    })
}

impl Target {
    fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        match extension.as_str() {
            "glb" => Some(Self::Glb),
            "gltf" => Some(Self::Gltf),
            "md5mesh" => Some(Self::Md5),
            "x" => Some(Self::X),
            "iqm" => Some(Self::Iqm),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Md5 => "md5mesh",
            Self::X => "x",
            Self::Iqm => "iqm",
            Self::Obj => "obj",
        }
    }

    fn family(self) -> Option<FormatFamily> {
        match self {
            Self::Md5 => Some(FormatFamily::Md5),
            Self::X => Some(FormatFamily::X),
            Self::Glb | Self::Gltf | Self::Iqm | Self::Obj => None,
        }
    }
}

/// Result of one conversion, as `--json` prints it.
#[derive(Serialize)]
struct ConvertReport {
    format: Target,
    files: Vec<WrittenFile>,
    losses: Vec<Loss>,
    /// Numbers of the validator's findings, if it knows the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<validate::report::Counts>,
    /// The validator's report, as `validate --format json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<serde_json::Value>,
    notes: Vec<String>,
    /// Warnings about the files that were read.
    warnings: Vec<ReadWarning>,
    /// New names of joints and clips, in the order of the changes.
    names: Vec<NewName>,
    /// Names of the joints as they were written to the format's rules, parents first.
    joints: Vec<String>,
    clips: Vec<ClipReport>,
    /// The validator's findings for people.
    #[serde(skip)]
    drawn: String,
}

#[derive(Serialize)]
struct WrittenFile {
    path: PathBuf,
    bytes: u64,
}

/// A warning about a file that was read.
#[derive(Serialize)]
struct ReadWarning {
    code: &'static str,
    message: String,
}

/// A clip as it was written.
#[derive(Serialize)]
struct ClipReport {
    name: String,
    /// Frames per second.
    fps: f64,
    /// Frames at that rate, the last one included.
    frames: u64,
    /// Frames per second in the source; missing for clips that were cut, joined or added.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_fps: Option<f64>,
}

/// Report of a conversion that failed.
#[derive(Serialize)]
struct Failure {
    errors: Vec<String>,
}

impl ConvertReport {
    fn outcome(&self) -> Outcome {
        if self.findings.is_some_and(|counts| counts.errors > 0) { Outcome::AtFault } else { Outcome::Fine }
    }

    fn print(&self, out: &mut Output) -> std::io::Result<()> {
        for file in &self.files {
            writeln!(out, "{} ({} bytes)", file.path.display(), bindpose::budget::grouped(file.bytes))?;
        }
        for loss in &self.losses {
            writeln!(out, "  {loss}")?;
        }
        for note in &self.notes {
            writeln!(out, "  {note}")?;
        }
        if self.losses.is_empty() {
            writeln!(out, "  nothing was lost")?;
        }
        Ok(())
    }
}

/// Runs the command; at fault if a file is, or if the validator finds an error in the result.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    let target = target(args)?;
    if args.files.iter().any(|file| file.is_dir()) {
        return batch::run(args, target, out);
    }
    let bar = progress();
    let converted = convert(args, target, &args.files, None, &bar);
    bar.finish_and_clear();
    let report = match converted {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => {
            if args.json {
                write_json(out, &Failure { errors: messages(&error) })?;
            }
            return super::load_failed(error);
        }
        Err(error) => {
            if args.json {
                write_json(out, &Failure { errors: vec![format!("{error:#}")] })?;
            }
            return Err(error);
        }
    };
    if args.json {
        write_json(out, &report)?;
    } else {
        report.print(out)?;
        tell!("{}", report.drawn.trim_end());
    }
    Ok(report.outcome())
}

fn write_json(out: &mut Output, value: &impl Serialize) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", serde_json::to_string_pretty(value)?)?)
}

/// The reasons why files made no model, one sentence each.
fn messages(error: &LoadError) -> Vec<String> {
    match error {
        LoadError::File { diagnostics, .. } => {
            let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            errors.map(|found| format!("{}: {}", found.code, found.message)).collect()
        }
        error => vec![error.to_string()],
    }
}

/// Converts one model to `path`, or without one to the path that the options and the model's name give. Diagnostics of
/// the files are printed if it is the only model.
fn convert(
    args: &Args,
    target: Target,
    files: &[PathBuf],
    path: Option<&Path>,
    bar: &ProgressBar,
) -> anyhow::Result<Result<ConvertReport, LoadError>> {
    bar.set_message("reading");
    let mut options = args.load.options()?;
    options.clips.find = !args.no_clips;
    options.import.ticks_per_second = args.ticks_per_second;
    let mut loaded = match load::load(&args.load.locate(files)?, &options) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(Err(error)),
    };
    if path.is_none() {
        bar.suspend(|| super::print_diagnostics(&loaded.diagnostics, &loaded.sources));
    }
    let rates: Vec<(String, f64)> =
        loaded.model.clips.iter().map(|clip| (clip.name.clone(), rate_of(clip, None))).collect();
    let (mut notes, mut losses, mut names) = (Vec::new(), Vec::new(), Vec::new());
    clips::choose(&mut loaded.model, args, &mut notes, &mut names)?;
    edit(&mut loaded.model, target, args, &mut notes, &mut losses, &mut names)?;
    let path = path.map_or_else(|| output_path(args, target, &loaded.model), Path::to_owned);
    // Reading, each clip, writing, checking.
    bar.set_length(loaded.model.clips.len() as u64 + 3);
    bar.inc(1);
    bar.set_message("converting");
    let conversion = Conversion::new(&loaded, target, &path, args, files);
    let mut output = conversion.run(target, &mut || bar.inc(1), &mut notes)?;
    losses.append(&mut output.losses);
    let mut written = output.at(&path);
    if args.only_clips {
        written.remove(0);
    }
    bar.set_message("writing");
    write_all(&written, args.force || args.newer)?;
    let files = written.iter().map(|(path, bytes)| WrittenFile { path: path.clone(), bytes: bytes.len() as u64 });
    let files = files.collect();
    bar.inc(1);
    bar.set_message("checking");
    let checked = target.family().map(|family| check(written, family, args)).transpose()?;
    let (counts, validation, drawn) = match checked {
        Some(Checked { counts, json, drawn }) => (Some(counts), json, drawn),
        None => (None, None, String::new()),
    };
    let clip = |clip: &Clip| {
        let fps = args.fps.or(loaded_rate(args, target)).unwrap_or_else(|| rate_of(clip, Some(target)));
        let source = names.iter().find(|name| name.to == clip.name).map_or(&clip.name, |name| &name.from);
        let source_fps = rates.iter().find(|(name, _)| name == source).map(|(_, rate)| *rate);
        ClipReport { name: clip.name.clone(), fps, frames: (clip.duration * fps).round() as u64 + 1, source_fps }
    };
    let clips = loaded.model.clips.iter().map(clip).collect();
    let joints = loaded.model.skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
    for loss in &losses {
        if let Loss::Renamed { names: changed, .. } = loss {
            names.extend(changed.iter().cloned());
        }
    }
    let warnings =
        loaded.diagnostics.iter().map(|found| ReadWarning { code: found.code, message: found.message.clone() });
    Ok(Ok(ConvertReport {
        format: target,
        files,
        losses,
        findings: counts,
        validation,
        notes,
        warnings: warnings.collect(),
        names,
        joints,
        clips,
        drawn,
    }))
}

/// Frames per second of a clip, whole if it is written as frames.
fn rate_of(clip: &Clip, target: Option<Target>) -> f64 {
    let has_frames = matches!(target, Some(Target::Md5 | Target::Iqm));
    clip.frame_rate.filter(|_| !has_frames).unwrap_or_else(|| own_frame_rate(clip))
}

/// Rate at which the frames of all clips are written, where the engine gives it.
fn loaded_rate(args: &Args, target: Target) -> Option<f64> {
    // These engines go from the last frame to the first by themselves, at ten frames a second.
    let plays_frames = args.profile.is_some_and(|profile| game_of(profile) != md5::Game::Doom3);
    (target == Target::Md5 && plays_frames).then_some(10.0)
}

/// Applies the options that change the model, whatever the format.
fn edit(
    model: &mut Model,
    target: Target,
    args: &Args,
    notes: &mut Vec<String>,
    losses: &mut Vec<Loss>,
    names: &mut Vec<NewName>,
) -> anyhow::Result<()> {
    if args.bake_scale {
        bake_scale(model);
    }
    let edits = edits(args, target, model)?;
    losses.extend(edit_clips(model, &edits, notes)?);
    let treatment = match args.normals {
        NormalsArg::Keep => Normals::Keep,
        NormalsArg::Fix => Normals::Fix,
        NormalsArg::Recompute => Normals::Recompute,
    };
    // MD5 has no normals: engines compute them.
    if target != Target::Md5 {
        notes.extend(fix_normals(model, treatment));
    }
    let renames = Renames { patterns: args.rename.clone(), strip_prefix: args.strip_prefix.clone() };
    names.extend(rename(model, &renames, notes));
    if let Some(path) = &args.order_from {
        let old =
            load::load(&[path], &LoadOptions::default()).with_context(|| format!("cannot use {}", path.display()))?;
        order_joints(model, &old.model.skeleton, notes);
    }
    Ok(())
}

/// A bar of the steps; their number is known once the files are read.
fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(3);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:30} {pos} of {len}, {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn edits(args: &Args, target: Target, model: &Model) -> anyhow::Result<ClipEdits> {
    let in_place = match args.in_place.as_deref() {
        None => InPlace::Off,
        Some("") => InPlace::Carrier,
        Some(name) => InPlace::Joint(super::joint(model, name).context("--in-place")?),
    };
    let frame_rate = match (args.fps, args.frames) {
        (None, FramesArg::Resample) => FrameRate::Own,
        (None, FramesArg::Keep) => loaded_rate(args, target).map_or(FrameRate::Own, FrameRate::Played),
        (Some(rate), FramesArg::Keep) => FrameRate::Played(rate),
        // For formats with whole frames, the writer samples and measures.
        (Some(rate), FramesArg::Resample) if matches!(target, Target::Glb | Target::Gltf | Target::X) => {
            FrameRate::Resampled(rate)
        }
        (Some(_), FramesArg::Resample) => FrameRate::Own,
    };
    let clip_rates = args.clip_fps.clone();
    Ok(ClipEdits { trim: args.trim, in_place, close_loops: args.close_loops, frame_rate, clip_rates })
}

fn target(args: &Args) -> anyhow::Result<Target> {
    let target = args.to.or_else(|| Target::of_extension(&args.output)).with_context(|| {
        let out = args.output.display();
        format!(
            "cannot tell the format of {out}: give a name that ends in .glb, .gltf, .md5mesh, .x, .iqm or .obj, or --to"
        )
    })?;
    if let Some(profile) = args.profile
        && !target.family().is_some_and(|family| profile.reads(family))
    {
        bail!("{} does not read .{} files", profile.title, target.extension());
    }
    let is_gltf = matches!(target, Target::Glb | Target::Gltf);
    let (is_md5, is_x, is_obj) = (target == Target::Md5, target == Target::X, target == Target::Obj);
    let options = [
        ("--only-clips", args.only_clips, is_md5),
        ("--alpha", args.alpha != AlphaArg::Auto, is_gltf || is_obj),
        ("--clip-fps", !args.clip_fps.is_empty(), !is_obj),
        ("--root", args.root.is_some(), is_md5),
        ("--frames-from", args.frames_from.is_some(), is_md5),
        ("--palette", args.palette.is_some(), is_md5),
        ("--luanti", args.luanti, is_gltf || is_x),
        ("--specular", args.specular, is_gltf),
        ("--images", args.images != ImagesArg::Embedded, is_gltf),
        ("--encoding", args.encoding != EncodingArg::Text, is_x),
        ("--time", args.time.is_some(), is_obj),
        ("--fps", args.fps.is_some(), !is_obj),
        ("--loop", args.close_loops, !is_obj),
    ];
    if let Some((name, ..)) = options.iter().find(|(_, is_given, fits)| *is_given && !fits) {
        bail!("{name} has no meaning for .{} files", target.extension());
    }
    Ok(target)
}

/// The file to write: the output itself, or one of the model's name in it.
fn output_path(args: &Args, target: Target, model: &Model) -> PathBuf {
    let names_file = Target::of_extension(&args.output) == Some(target) && !args.output.is_dir();
    if names_file {
        return args.output.clone();
    }
    let name = args.files.first().map_or_else(|| model.name.clone(), |file| read::stem_of(file));
    args.output.join(format!("{name}.{}", target.extension()))
}

/// Settings that all formats share.
struct Conversion<'a> {
    loaded: &'a Loaded,
    args: &'a Args,
    /// The files of the model.
    files: &'a [PathBuf],
    /// The file to write.
    path: &'a Path,
    front: Option<Front>,
    scale: f64,
    /// Name of the file without extension.
    stem: String,
}

impl<'a> Conversion<'a> {
    fn new(loaded: &'a Loaded, target: Target, path: &'a Path, args: &'a Args, files: &'a [PathBuf]) -> Self {
        let is_x = loaded.sources.ids().any(|id| {
            let path = loaded.sources.path(id);
            import::identify(path, &loaded.sources.get(id).bytes) == Some(&import::x::X_FILE)
        });
        // Luanti expects the axes of .x files in glTF, so that its scripts stay true; from .x to .x nothing turns
        // either.
        let keeps_x = is_x && (args.luanti || target == Target::X);
        let own = if keeps_x { Front::NegativeY } else { loaded.model.front };
        Self {
            loaded,
            args,
            files,
            path,
            front: (!args.keep_axes).then_some(args.front.unwrap_or(own)),
            scale: args.scale.unwrap_or(if args.metres { 0.0254 } else { 1.0 }),
            stem: read::stem_of(path),
        }
    }

    fn run(
        self,
        target: Target,
        each_clip: &mut EachClip<'_>,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<export::Output> {
        let Self { loaded, args, front, scale, .. } = self;
        let model = &loaded.model;
        let wanted = args.wanted_images.wanted(args.load.skin.clone())?;
        let images = ExportImages::new(loaded, &wanted, args.load.limit());
        // Images for engines that look for them by the names of shaders.
        let mut skins = Vec::new();
        let output = match target {
            Target::Glb | Target::Gltf => {
                let with_images = args.images != ImagesArg::None && !args.luanti;
                let images = if with_images { images.of_materials(args.specular, notes) } else { Vec::new() };
                gltf::write_with_progress(model, &self.gltf_options(target, images), each_clip)
            }
            Target::Md5 => {
                let options = md5_options(args, front, scale, self.stem)?;
                let palette = palette(args, self.path, self.files, notes)?;
                let shaders = md5::shaders(model, &options);
                skins = match (options.game, &options.replaces) {
                    (md5::Game::Doom3, _) => Vec::new(),
                    (md5::Game::Quake, old) => images.quake_skins(&shaders, old.as_ref(), palette.as_ref(), notes),
                    (md5::Game::Quake2, old) => images.quake2_skins(old.as_ref(), notes),
                };
                md5::write_with_progress(model, &options, each_clip)
            }
            Target::X => x::write_with_progress(model, &self.x_options(), each_clip),
            Target::Iqm => {
                iqm::write_with_progress(model, &iqm::Options { front, scale, frame_rate: args.fps }, each_clip)
            }
            Target::Obj => {
                let time = args.clip.first().map(|_| (0, args.time.unwrap_or(0.0)));
                let keep_alpha = args.alpha == AlphaArg::Keep;
                obj::write(model, &obj::Options { front, scale, time, keep_alpha, stem: self.stem })
            }
        };
        let mut output = output.with_context(|| format!("cannot convert to .{}", target.extension()))?;
        output.beside.extend(skins);
        Ok(output)
    }

    fn gltf_options(&self, target: Target, images: Vec<gltf::MaterialImages>) -> gltf::Options {
        let Self { loaded, args, front, scale, stem, .. } = self;
        gltf::Options {
            container: if target == Target::Glb { gltf::Container::Glb } else { gltf::Container::Gltf },
            stem: stem.clone(),
            influences: match args.influences {
                None => Some(4),
                Some(Influences::All) => None,
                Some(Influences::Most(most)) => Some(most),
            },
            front: *front,
            scale: *scale,
            luanti: args.luanti,
            ticks_per_second: loaded.ticks_per_second,
            frame_commands: loaded.frame_commands.clone(),
            keep_alpha: args.alpha == AlphaArg::Keep,
            specular: args.specular,
            placement: match args.images {
                ImagesArg::Embedded => gltf::ImagePlacement::Embedded,
                ImagesArg::Beside => gltf::ImagePlacement::Beside,
                ImagesArg::None => gltf::ImagePlacement::Without,
            },
            images,
            memory: args.load.limit(),
        }
    }

    fn x_options(&self) -> x::Options {
        let Self { loaded, args, front, scale, .. } = self;
        let encoding = match args.encoding {
            EncodingArg::Text => x::Encoding::TEXT,
            EncodingArg::Binary => x::Encoding::BINARY,
            EncodingArg::TextCompressed => x::Encoding::TEXT.compressed(),
            EncodingArg::BinaryCompressed => x::Encoding::BINARY.compressed(),
        };
        let frames = loaded.ticks_per_second.or(loaded.model.clips.first().and_then(|clip| clip.frame_rate));
        let ticks_per_second = frames.filter(|_| args.luanti).map(|rate| (rate.round() as u32).max(1));
        x::Options { encoding, front: *front, scale: *scale, ticks_per_second, luanti: args.luanti }
    }
}

fn md5_options(args: &Args, front: Option<Front>, scale: f64, stem: String) -> anyhow::Result<md5::Options> {
    let replaces = match &args.frames_from {
        None => None,
        Some(path) => {
            let bytes = args.load.memory.read(path)?;
            Some(md5::OldModel::read(&bytes).with_context(|| format!("cannot use {}", path.display()))?)
        }
    };
    let game = match (args.profile, replaces.as_ref().map(|old| &old.skins)) {
        (Some(profile), _) => game_of(profile),
        (None, Some(md5::Skins::Numbered(_))) => md5::Game::Quake,
        (None, Some(md5::Skins::Named(_))) => md5::Game::Quake2,
        (None, None) => md5::Game::Doom3,
    };
    // These engines go from the last frame to the first by themselves, at ten frames a second.
    let plays_frames = game != md5::Game::Doom3;
    let one_root = !plays_frames || args.profile.is_some_and(|profile| profile.name == "fteqw");
    let limit = |ids: [&str; 2]| {
        let profile = args.profile?;
        let known = ids.iter().filter_map(|id| codes::find(id)).flat_map(profiles::limits);
        known.filter(|limit| limit.profile == profile).map(|limit| limit.most as usize).max()
    };
    Ok(md5::Options {
        front,
        scale,
        influences: match args.influences {
            None => limit(["MD5M201", "MD5M202"]),
            Some(Influences::All) => None,
            Some(Influences::Most(most)) => Some(most),
        },
        name_bytes: limit(["MD5A101", "MD5M101"]),
        root: args.root.clone(),
        one_root,
        frame_rate: args.fps.or(plays_frames.then_some(10.0)),
        open_loops: plays_frames && !args.close_loops,
        game,
        scales: args.profile.map_or(game == md5::Game::Quake2, reads_scales),
        replaces,
        groups: args.map.clone(),
        stem,
    })
}

fn game_of(profile: &Profile) -> md5::Game {
    match profile.name {
        "vkquake-1.35" | "vkquake" | "ironwail-0.8.1" | "ironwail" | "qss" | "fteqw" | "kex" => md5::Game::Quake,
        "q2pro" | "q2repro" | "yquake2remaster" => md5::Game::Quake2,
        _ => md5::Game::Doom3,
    }
}

/// True for engines that read scales of joints beside a clip.
fn reads_scales(profile: &Profile) -> bool {
    ["q2pro", "q2repro"].contains(&profile.name)
}

/// Quake's palette for engines whose skins are `.lmp` files.
fn palette(args: &Args, path: &Path, files: &[PathBuf], notes: &mut Vec<String>) -> anyhow::Result<Option<Palette>> {
    if let Some(file) = &args.palette {
        let palette =
            Palette::new(&args.load.memory.read(file)?).with_context(|| format!("cannot use {}", file.display()))?;
        return Ok(Some(palette));
    }
    let Some(profile) = args.profile.filter(|profile| ["fteqw", "kex"].contains(&profile.name)) else {
        return Ok(None);
    };
    let places = [path].into_iter().chain(args.frames_from.as_deref()).chain(files.iter().map(PathBuf::as_path));
    let found = places.into_iter().find_map(|place| Palette::above(place, args.load.limit()).ok());
    if found.is_none() {
        notes.push(format!(
            "skins are PNG files, but {} reads .lmp files, for which gfx/palette.lmp is needed; --palette names it",
            profile.title
        ));
    }
    Ok(found)
}

/// Writes all files; without `force` only if none of them exists, and then all or none.
fn write_all(files: &[(PathBuf, Vec<u8>)], force: bool) -> anyhow::Result<()> {
    if force {
        for (path, bytes) in files {
            let written: std::io::Result<u64> = write::replace(path, |file| file.write_all(bytes));
            written.with_context(|| format!("cannot write {}", path.display()))?;
        }
        return Ok(());
    }
    let known: Vec<String> =
        files.iter().filter(|(path, _)| path.exists()).map(|(path, _)| path.display().to_string()).collect();
    if !known.is_empty() {
        bail!("there is already {}; --force replaces it", known.join(", "));
    }
    Ok(write::create_all(files)?)
}

/// Findings of the validator.
struct Checked {
    counts: validate::report::Counts,
    /// The report as JSON, if wanted.
    json: Option<serde_json::Value>,
    /// A report of the findings that matter to the engine, for people.
    drawn: String,
}

/// Checks the written files.
fn check(files: Vec<(PathBuf, Vec<u8>)>, family: FormatFamily, args: &Args) -> anyhow::Result<Checked> {
    let inputs = files.into_iter().map(|(path, bytes)| Input { path, bytes: Ok(bytes) });
    let inputs = inputs.filter(|input| match input.bytes.as_deref() {
        Ok(bytes) => validate::Kind::of(&input.path, bytes).format() == Some(family),
        Err(_) => true,
    });
    let report = validate::check(
        inputs.collect(),
        &validate::Options { together: true, memory: args.load.limit(), ..validate::Options::default() },
    );
    let selection = Selection { profiles: args.profile.into_iter().collect(), ..Selection::default() };
    let counts = summarize(&report, &selection).findings;
    let written = |style: Style, least: Severity| -> anyhow::Result<Vec<u8>> {
        let mut text = Buffer::no_color();
        let mut writer = Writer::new(style, &selection, least, &mut text)?;
        writer.add(&report)?;
        writer.finish()?;
        Ok(text.into_inner())
    };
    let least = if args.profile.is_some() { Severity::Warning } else { Severity::Error };
    let drawn = if counts.at_least(least) > 0 { written(Style::Human, least)? } else { Vec::new() };
    let json = if args.json { Some(serde_json::from_slice(&written(Style::Json, Severity::Hint)?)?) } else { None };
    Ok(Checked { counts, json, drawn: String::from_utf8_lossy(&drawn).into_owned() })
}
