//! `bindpose convert`

mod pictures;

use super::Outcome;
use super::output::{Output, tell};
use anyhow::{Context, bail};
use bindpose::diagnostic::Severity;
use bindpose::export::{self, Front, Loss, NamedFile, gltf, iqm, md5, obj, x};
use bindpose::load::{self, Format, LoadOptions, Loaded};
use bindpose::model::{Clip, JointTracks, Model};
use bindpose::validate::profiles::{self, FormatFamily, Profile};
use bindpose::validate::report::{Selection, Style, Writer, summarize};
use bindpose::validate::{self, Input, codes};
use bindpose::write;
use clap::ValueEnum;
use codespan_reporting::term::termcolor::Buffer;
use indicatif::ProgressBar;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Convert models and their clips to glTF, MD5, .x, IQM or OBJ
///
/// Reads one model and its clips (.md5mesh, .md5anim, .x, .glb, .gltf) and writes it in another format, as the extension
/// of the output says. What the format cannot hold is reported, with numbers. MD5 and .x files are checked by the
/// validator when they are written; the exit code is its verdict.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose convert walker.x -o walker.glb\n  \
    bindpose convert boss.glb -o boss.md5mesh --profile doom3 --scale 39.37\n  \
    bindpose convert ogre.glb -o progs/ogre.md5mesh --profile vkquake --frames-from ogre.mdl\n\n\
    Exit codes: 0 fine, 1 a file is at fault or the engine will not load the result, 2 usage or I/O")]
pub struct Args {
    /// A model and its clips; the .md5anim files beside a .md5mesh are found without being named
    #[arg(required = true, value_name = "INPUT")]
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
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
    /// Engine that MD5 or .x files are for: sets its limits, names and frame rate, and checks the result
    #[arg(long, value_name = "NAME", value_parser = profile)]
    profile: Option<&'static Profile>,
    /// What all lengths are multiplied by [default: 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    scale: Option<f64>,
    /// From inches, Doom 3's unit, to metres: --scale 0.0254
    #[arg(long, conflicts_with = "scale")]
    metres: bool,
    /// Which way the model faces: x, -x, y or -y, with +Z up; .x files face -y, others x
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    front: Option<Front>,
    /// Turn nothing
    #[arg(long, conflicts_with = "front")]
    keep_axes: bool,
    /// Weights that a vertex keeps: a number or all [default: 4 for glTF, else what the format and engine hold]
    #[arg(long, value_name = "N", value_parser = influences)]
    influences: Option<Influences>,
    /// Frames per second of clips [default: the clip's own, else 24; 10 for Quake engines]
    #[arg(long, value_name = "N", value_parser = positive)]
    fps: Option<f64>,
    /// Speed of a .x file's clips, instead of what the file says
    #[arg(long, value_name = "N", value_parser = positive)]
    ticks_per_second: Option<f64>,
    /// Leave out all clips
    #[arg(long, conflicts_with_all = ["clip", "frames_from"])]
    no_clips: bool,
    /// Only this clip, by name; for OBJ the clip to take the pose from
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Seconds into the clip, for OBJ
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "clip")]
    time: Option<f64>,
    /// Add the rest pose as a clip of one frame
    #[arg(long)]
    rest_clip: bool,
    /// Only meshes of this skin of a glTF file, by name or number
    #[arg(long, value_name = "SKIN")]
    skin: Option<String>,
    /// .x: how the file is written
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = EncodingArg::Text)]
    encoding: EncodingArg,
    /// MD5: another name for a joint; may be given often
    #[arg(long, value_name = "OLD=NEW", value_parser = renaming)]
    rename: Vec<(String, String)>,
    /// MD5: cut this off the beginnings of joint names, such as mixamorig:
    #[arg(long, value_name = "PREFIX")]
    strip_prefix: Option<String>,
    /// MD5: a joint of this name above all others
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
    /// MD5: a Quake .mdl or Quake II .md2 that is replaced; the clips become one with exactly its frames
    #[arg(long, value_name = "FILE")]
    frames_from: Option<PathBuf>,
    /// glTF: for Luanti, times are frame numbers and textures are slots
    #[arg(long)]
    luanti: bool,
    /// glTF: roots keep their horizontal place
    #[arg(long)]
    in_place: bool,
    /// glTF: clips that repeat get a last key like their first
    #[arg(long = "loop")]
    close_loops: bool,
    /// glTF: clips begin with their first key
    #[arg(long)]
    trim: bool,
    /// glTF: where images go
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = ImagesArg::Embedded)]
    images: ImagesArg,
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
    /// Nowhere
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Influences {
    All,
    Most(usize),
}

fn positive(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0).ok_or("expected a number over 0")
}

fn seconds(text: &str) -> Result<f64, &'static str> {
    let time = text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    time.ok_or("expected a number of seconds, 0 or more")
}

fn influences(text: &str) -> Result<Influences, &'static str> {
    match text.parse() {
        _ if text == "all" => Ok(Influences::All),
        Ok(most) if most > 0 => Ok(Influences::Most(most)),
        _ => Err("expected a number over 0, or all"),
    }
}

fn renaming(text: &str) -> Result<(String, String), &'static str> {
    let (old, new) = text.split_once('=').ok_or("expected OLD=NEW")?;
    if new.is_empty() { Err("the new name is empty") } else { Ok((old.to_owned(), new.to_owned())) }
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

    /// Which way a model faces whose axes the format takes as they are.
    fn front(self) -> Front {
        match self {
            Self::X => Front::NegativeY,
            _ => Front::PositiveX,
        }
    }
}

/// What was done, for `--json`.
#[derive(Serialize)]
struct Report<'a> {
    format: Target,
    files: Vec<WrittenFile>,
    losses: &'a [Loss],
    /// What the validator found, where it knows the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<validate::report::Counts>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct WrittenFile {
    path: PathBuf,
    bytes: u64,
}

/// Converts; at fault if a file is, or if the validator says so of the result.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    let bar = progress();
    let target = target(args)?;
    bar.set_message("reading");
    let options = LoadOptions {
        memory: super::memory(),
        find_clips: !args.no_clips,
        ticks_per_second: args.ticks_per_second,
        skin: args.skin.clone(),
        ..LoadOptions::default()
    };
    let mut loaded = match load::load(&super::locate(&args.files)?, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            bar.finish_and_clear();
            return super::load_failed(error);
        }
    };
    bar.suspend(|| super::print_diagnostics(&loaded.diagnostics, &loaded.sources));
    choose_clips(&mut loaded.model, args)?;
    let path = output_path(args, target, &loaded.model);
    bar.set_message("converting");
    let mut notes = Vec::new();
    let made = convert(&loaded, target, &path, args, &mut notes)?;
    let files = files(&path, made.output, made.skins);
    bar.set_message("writing");
    let written = write_all(&files, args.force)?;
    bar.set_message("checking");
    let checked = target.family().map(|family| check(files, family, args));
    bar.finish_and_clear();
    let (counts, drawn) = checked.transpose()?.unzip();
    if args.json {
        let report = Report { format: target, files: written, losses: &made.losses, findings: counts, notes: &notes };
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        for file in &written {
            writeln!(out, "{} ({} bytes)", file.path.display(), bindpose::budget::grouped(file.bytes))?;
        }
        for loss in &made.losses {
            writeln!(out, "  {loss}")?;
        }
        for note in &notes {
            writeln!(out, "  {note}")?;
        }
        if made.losses.is_empty() {
            writeln!(out, "  nothing was lost")?;
        }
        tell!("{}", drawn.unwrap_or_default().trim_end());
    }
    Ok(if counts.is_some_and(|counts| counts.errors > 0) { Outcome::AtFault } else { Outcome::Fine })
}

fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
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
    let md5_only = [
        ("--rename", !args.rename.is_empty()),
        ("--strip-prefix", args.strip_prefix.is_some()),
        ("--root", args.root.is_some()),
        ("--frames-from", args.frames_from.is_some()),
    ];
    let gltf_only = [
        ("--luanti", args.luanti),
        ("--in-place", args.in_place),
        ("--loop", args.close_loops),
        ("--trim", args.trim),
        ("--images", args.images != ImagesArg::Embedded),
    ];
    let is_gltf = matches!(target, Target::Glb | Target::Gltf);
    let wrong = |options: &[(&'static str, bool)], fits: bool| {
        options.iter().find(|(_, is_given)| *is_given && !fits).map(|(name, _)| *name)
    };
    let time = wrong(&[("--time", args.time.is_some())], target == Target::Obj);
    let encoding = wrong(&[("--encoding", args.encoding != EncodingArg::Text)], target == Target::X);
    if let Some(name) = wrong(&md5_only, target == Target::Md5).or(wrong(&gltf_only, is_gltf)).or(time).or(encoding) {
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
    let name = args.files.first().map_or_else(|| model.name.clone(), |file| load::name_of(file));
    args.output.join(format!("{name}.{}", target.extension()))
}

fn choose_clips(model: &mut Model, args: &Args) -> anyhow::Result<()> {
    if args.no_clips {
        model.clips.clear();
    }
    if let Some(name) = &args.clip {
        if !model.clips.iter().any(|clip| clip.name == *name) {
            let known: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
            bail!("no clip is called '{name}'; there are: {}", known.join(", "));
        }
        model.clips.retain(|clip| clip.name == *name);
        model.clips.truncate(1);
    }
    if args.rest_clip {
        let joints = vec![JointTracks::default(); model.skeleton.len()];
        model.clips.push(Clip { name: "rest".into(), joints, ..Clip::default() });
    }
    Ok(())
}

/// What a model became.
struct Made {
    output: export::Output,
    losses: Vec<Loss>,
    /// Images for engines that look for them by the names of shaders.
    skins: Vec<NamedFile>,
}

fn convert(loaded: &Loaded, target: Target, path: &Path, args: &Args, notes: &mut Vec<String>) -> anyhow::Result<Made> {
    let model = &loaded.model;
    let is_x = loaded.sources.ids().any(|id| {
        let path = loaded.sources.path(id);
        Format::of(path, &loaded.sources.get(id).bytes) == Some(Format::X)
    });
    let own = if is_x { Front::NegativeY } else { Front::PositiveX };
    let front = args.front.unwrap_or(if args.keep_axes { target.front() } else { own });
    let scale = args.scale.unwrap_or(if args.metres { 0.0254 } else { 1.0 });
    let stem = load::name_of(path);
    let mut skins = Vec::new();
    let output = match target {
        Target::Glb | Target::Gltf => {
            let with_images = args.images != ImagesArg::None && !args.luanti;
            let pictures = if with_images { pictures::of_materials(loaded, notes) } else { Vec::new() };
            let options = gltf::Options {
                container: if target == Target::Glb { gltf::Container::Glb } else { gltf::Container::Gltf },
                stem,
                influences: match args.influences {
                    None => Some(4),
                    Some(Influences::All) => None,
                    Some(Influences::Most(most)) => Some(most),
                },
                front: (!args.keep_axes).then_some(front),
                scale,
                luanti: args.luanti,
                in_place: args.in_place,
                close_loops: args.close_loops,
                trim: args.trim,
                frame_rate: args.fps,
                images: match args.images {
                    ImagesArg::Embedded => gltf::Images::Embedded,
                    ImagesArg::Beside => gltf::Images::Beside,
                    ImagesArg::None => gltf::Images::Without,
                },
                pictures,
            };
            gltf::write(model, &options)
        }
        Target::Md5 => {
            let options = md5_options(args, front, scale, stem)?;
            if options.shaders == md5::Shaders::Model {
                skins = pictures::skins(loaded, &md5::shaders(model, &options), notes);
            }
            md5::write(model, &options)
        }
        Target::X => {
            let encoding = match args.encoding {
                EncodingArg::Text => x::Encoding::TEXT,
                EncodingArg::Binary => x::Encoding::BINARY,
                EncodingArg::TextCompressed => x::Encoding::TEXT.compressed(),
                EncodingArg::BinaryCompressed => x::Encoding::BINARY.compressed(),
            };
            x::write(model, &x::Options { encoding, front, scale })
        }
        Target::Iqm => iqm::write(model, &iqm::Options { front, scale, frame_rate: args.fps }),
        Target::Obj => {
            let moment = args.clip.as_ref().map(|_| (0, args.time.unwrap_or(0.0)));
            obj::write(model, &obj::Options { front, scale, moment, stem })
        }
    };
    let mut output = output.with_context(|| format!("cannot convert to .{}", target.extension()))?;
    let losses = std::mem::take(&mut output.losses);
    Ok(Made { output, losses, skins })
}

fn md5_options(args: &Args, front: Front, scale: f64, stem: String) -> anyhow::Result<md5::Options> {
    let replaces = match &args.frames_from {
        None => None,
        Some(path) => {
            let bytes = super::read(path)?;
            Some(md5::FrameNames::read(&bytes).with_context(|| format!("cannot use {}", path.display()))?)
        }
    };
    let quake = args.profile.is_some_and(|profile| plays_frames(profile.name));
    let one_skin = args.profile.is_some_and(|profile| names_skins(profile.name));
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
        rename: args.rename.clone(),
        strip_prefix: args.strip_prefix.clone(),
        root: args.root.clone(),
        frame_rate: args.fps.or((quake || replaces.is_some()).then_some(10.0)),
        open_loops: quake || replaces.is_some(),
        shaders: if one_skin { md5::Shaders::Model } else { md5::Shaders::Path },
        replaces,
        stem,
    })
}

/// Engines that play ten frames a second, by the numbers of the model that is replaced.
fn plays_frames(profile: &str) -> bool {
    names_skins(profile) || ["q2pro", "q2repro", "yquake2remaster"].contains(&profile)
}

/// Engines that look for images by the names of shaders, beside the model.
fn names_skins(profile: &str) -> bool {
    ["vkquake-1.35", "vkquake", "ironwail-0.8.1", "ironwail", "qss", "fteqw", "kex"].contains(&profile)
}

/// All files with their paths, the one that was asked for first.
fn files(path: &Path, output: export::Output, skins: Vec<NamedFile>) -> Vec<(PathBuf, Vec<u8>)> {
    let beside = output.beside.into_iter().chain(skins);
    let beside = beside.map(|file| (path.with_file_name(file.name), file.bytes));
    std::iter::once((path.to_owned(), output.bytes)).chain(beside).collect()
}

/// Writes all files or none.
fn write_all(files: &[(PathBuf, Vec<u8>)], force: bool) -> anyhow::Result<Vec<WrittenFile>> {
    if !force {
        let known: Vec<String> =
            files.iter().filter(|(path, _)| path.exists()).map(|(path, _)| path.display().to_string()).collect();
        if !known.is_empty() {
            bail!("there is already {}; --force replaces it", known.join(", "));
        }
    }
    let mut written: Vec<WrittenFile> = Vec::new();
    for (path, content) in files {
        let content = |out: &mut dyn Write| out.write_all(content);
        let result = if force { write::replace(path, content) } else { write::create(path, content) };
        match result {
            Ok(bytes) => written.push(WrittenFile { path: path.clone(), bytes }),
            Err(error) => {
                if !force {
                    // What was new is not left in part.
                    written.iter().for_each(|file| drop(std::fs::remove_file(&file.path)));
                }
                return Err(error).with_context(|| format!("cannot write {}", path.display()));
            }
        }
    }
    Ok(written)
}

/// What the validator says of the files: counts, and in words what an engine minds.
fn check(
    files: Vec<(PathBuf, Vec<u8>)>,
    family: FormatFamily,
    args: &Args,
) -> anyhow::Result<(validate::report::Counts, String)> {
    let inputs = files.into_iter().map(|(path, bytes)| Input { path, bytes: Ok(bytes) });
    let inputs = inputs.filter(|input| match input.bytes.as_deref() {
        Ok(bytes) => validate::Kind::of(&input.path, bytes).format() == Some(family),
        Err(_) => true,
    });
    let report = validate::check(inputs.collect(), &validate::Options { together: true, memory: super::memory() });
    let selection = Selection { profiles: args.profile.into_iter().collect(), ..Selection::default() };
    let counts = summarize(&report, &selection).findings;
    let least = if args.profile.is_some() { Severity::Warning } else { Severity::Error };
    let mut text = Buffer::no_color();
    if counts.at_least(least) > 0 {
        let mut writer = Writer::new(Style::Human, &selection, least, &mut text)?;
        writer.add(&report)?;
        writer.finish()?;
    }
    Ok((counts, String::from_utf8_lossy(text.as_slice()).into_owned()))
}
