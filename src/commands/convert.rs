//! `bindpose convert`

mod format_table;
mod images;

use super::image_args::ImageArgs;
use super::load_args::LoadArgs;
use super::output::{Output, tell};
use super::{Outcome, complete};
use anyhow::{Context, bail};
use bindpose::diagnostic::Severity;
use bindpose::export::{self, ClipEdits, EachClip, Front, InPlace, Loss, edit_clips, gltf, iqm, md5, obj, x};
use bindpose::images::Palette;
use bindpose::import;
use bindpose::load::{self, Loaded};
use bindpose::model::{Clip, JointTracks, Model};
use bindpose::read;
use bindpose::validate::profiles::{self, FormatFamily, Profile};
use bindpose::validate::report::{Selection, Style, Writer, summarize};
use bindpose::validate::{self, Input, codes};
use bindpose::write;
use clap::ValueEnum;
use clap_complete::ArgValueCandidates;
use codespan_reporting::term::termcolor::Buffer;
use images::ImageSearch;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "Examples:\n  \
    bindpose convert walker.x -o walker.glb\n  \
    bindpose convert boss.glb -o boss.md5mesh --profile doom3 --scale 39.37\n  \
    bindpose convert ogre.glb -o progs/ogre.md5mesh --profile vkquake --frames-from ogre.mdl\n\n\
    Exit codes: 0 fine, 1 a file is at fault or the engine will not load the result, 2 usage or I/O";

/// Convert models and their clips to glTF, MD5, .x, IQM or OBJ
///
/// Reads one model and its clips (.md5mesh, .md5anim, .x, .glb, .gltf) and writes it in another format, as the
/// extension of the output says. What the format cannot hold is reported, with numbers. MD5 and .x files are checked by
/// the validator when they are written; the exit code is its verdict.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{}\n\n{EXAMPLES}", format_table::table()))]
pub struct Args {
    /// A model and its clips; the .md5anim files beside a .md5mesh are found without being named
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
    /// Frames per second of clips [default: the clip's own, else 24; 10 for Quake engines]
    ///
    /// MD5 and IQM are sampled at this rate. glTF and .x keep their keys, one per frame at this rate.
    #[arg(long, value_name = "N", value_parser = super::positive)]
    fps: Option<f64>,
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
    /// Write only this clip; for OBJ, take the pose from it
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    clip: Option<String>,
    /// OBJ: take the pose at this time of the clip, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, requires = "clip")]
    time: Option<f64>,
    /// Add the rest pose as a clip of one frame
    #[arg(long)]
    rest_clip: bool,
    /// .x: encoding of the file
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = EncodingArg::Text)]
    encoding: EncodingArg,
    /// MD5: rename a joint; may be given several times
    #[arg(long, value_name = "OLD=NEW", value_parser = renaming)]
    rename: Vec<(String, String)>,
    /// MD5: prefix to remove from names of joints, such as mixamorig:
    #[arg(long, value_name = "PREFIX")]
    strip_prefix: Option<String>,
    /// MD5: name of a joint to add above all others
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
    /// MD5: Quake .mdl or Quake II .md2 to replace; the clips become one with exactly its frames
    #[arg(long, value_name = "FILE")]
    frames_from: Option<PathBuf>,
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
}

/// Result for `--json`.
#[derive(Serialize)]
struct ConvertReport<'a> {
    format: Target,
    files: Vec<WrittenFile>,
    losses: &'a [Loss],
    /// Findings of the validator, if it knows the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<validate::report::Counts>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct WrittenFile {
    path: PathBuf,
    bytes: u64,
}

/// Runs the command; at fault if a file is, or if the validator finds an error in the result.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    let target = target(args)?;
    let bar = progress();
    bar.set_message("reading");
    let mut options = args.load.options()?;
    options.clips.find = !args.no_clips;
    options.import.ticks_per_second = args.ticks_per_second;
    let mut loaded = match load::load(&args.load.locate(&args.files)?, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            bar.finish_and_clear();
            return super::load_failed(error);
        }
    };
    bar.suspend(|| super::print_diagnostics(&loaded.diagnostics, &loaded.sources));
    choose_clips(&mut loaded.model, args)?;
    let mut notes = Vec::new();
    let edits = edits(args, target, &loaded.model)?;
    let mut losses = edit_clips(&mut loaded.model, &edits, &mut notes)?;
    let path = output_path(args, target, &loaded.model);
    // Reading, each clip, writing, checking.
    bar.set_length(loaded.model.clips.len() as u64 + 3);
    bar.inc(1);
    bar.set_message("converting");
    let mut output = Conversion::new(&loaded, target, &path, args).run(target, &mut || bar.inc(1), &mut notes)?;
    losses.append(&mut output.losses);
    let files = output.at(&path);
    bar.set_message("writing");
    write_all(&files, args.force)?;
    let written: Vec<WrittenFile> =
        files.iter().map(|(path, bytes)| WrittenFile { path: path.clone(), bytes: bytes.len() as u64 }).collect();
    bar.inc(1);
    bar.set_message("checking");
    let checked = target.family().map(|family| check(files, family, args));
    bar.finish_and_clear();
    let (counts, drawn) = checked.transpose()?.unzip();
    if args.json {
        let report = ConvertReport { format: target, files: written, losses: &losses, findings: counts, notes: &notes };
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        for file in &written {
            writeln!(out, "{} ({} bytes)", file.path.display(), bindpose::budget::grouped(file.bytes))?;
        }
        for loss in &losses {
            writeln!(out, "  {loss}")?;
        }
        for note in &notes {
            writeln!(out, "  {note}")?;
        }
        if losses.is_empty() {
            writeln!(out, "  nothing was lost")?;
        }
        tell!("{}", drawn.unwrap_or_default().trim_end());
    }
    Ok(if counts.is_some_and(|counts| counts.errors > 0) { Outcome::AtFault } else { Outcome::Fine })
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
    Ok(ClipEdits {
        trim: args.trim,
        in_place,
        close_loops: args.close_loops,
        // For formats with whole frames, clips are sampled at the rate instead.
        frame_rate: args.fps.filter(|_| matches!(target, Target::Glb | Target::Gltf | Target::X)),
    })
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
        ("--rename", !args.rename.is_empty(), is_md5),
        ("--strip-prefix", args.strip_prefix.is_some(), is_md5),
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

/// Settings that all formats share.
struct Conversion<'a> {
    loaded: &'a Loaded,
    args: &'a Args,
    /// The file to write.
    path: &'a Path,
    front: Option<Front>,
    scale: f64,
    /// Name of the file without extension.
    stem: String,
}

impl<'a> Conversion<'a> {
    fn new(loaded: &'a Loaded, target: Target, path: &'a Path, args: &'a Args) -> Self {
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
        let images = ImageSearch::new(loaded, &wanted, args.load.limit());
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
                let palette = palette(args, self.path, notes)?;
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
                let time = args.clip.as_ref().map(|_| (0, args.time.unwrap_or(0.0)));
                obj::write(model, &obj::Options { front, scale, time, stem: self.stem })
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
        frame_rate: args.fps.or(plays_frames.then_some(10.0)),
        open_loops: plays_frames && !args.close_loops,
        game,
        scales: args.profile.map_or(game == md5::Game::Quake2, reads_scales),
        replaces,
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
fn palette(args: &Args, path: &Path, notes: &mut Vec<String>) -> anyhow::Result<Option<Palette>> {
    if let Some(file) = &args.palette {
        let palette =
            Palette::new(&args.load.memory.read(file)?).with_context(|| format!("cannot use {}", file.display()))?;
        return Ok(Some(palette));
    }
    let Some(profile) = args.profile.filter(|profile| ["fteqw", "kex"].contains(&profile.name)) else {
        return Ok(None);
    };
    let places = [path].into_iter().chain(args.frames_from.as_deref()).chain(args.files.iter().map(PathBuf::as_path));
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

/// Findings of the validator: their counts, and a report of those that matter to the engine.
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
    let report = validate::check(
        inputs.collect(),
        &validate::Options { together: true, memory: args.load.limit(), ..validate::Options::default() },
    );
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
