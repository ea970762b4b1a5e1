//! `bindpose dump`

use super::engine::{EngineArg, refuses};
use super::load_args::{LoadArgs, check_ticks, locate};
use super::output::tell;
use super::turns::SkinningArgs;
use super::{Outcome, complete};
use crate::commands::format_arg::FormatArg;
use anyhow::bail;
use bindpose::convert::parse::{positive, seconds};
use bindpose::diagnostic::{Diagnostic, Sources};
use bindpose::dump::{self, DocumentError, DumpStage, FrameSelection, TextFormat};
use bindpose::left_out::FoundBy;
use bindpose::load::{self, LoadOptions};
use bindpose::{import, read};
use clap_complete::ArgValueCandidates;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Print any stage from file to vertices as text
///
/// The text can be compared line by line: nine decimals, joints by name, no -0, quaternions with w >= 0, the same bytes
/// on every machine. `document` prints each file in its own terms; the other stages print the model imported from all
/// files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose dump boss.md5mesh --stage model\n  \
    bindpose dump boss.md5mesh walk.md5anim --stage local --frames 0,10..20\n  \
    bindpose dump boss.md5mesh --clip walk --time 0.25 --stage vertices\n  \
    bindpose dump boss.md5mesh --method dqs --pose forearm_l=x,90\n  \
    bindpose dump boss.md5mesh walk.md5anim --as vkquake --stage vertices\n\n\
    Exit codes: 0 fine, 1 a file is at fault, 2 usage, I/O, or no such clip or frame")]
pub struct Args {
    /// A model and its clips (.md5mesh, .md5anim, .x), or a clip alone
    #[arg(required_unless_present_any = ["entity", "model"])]
    files: Vec<PathBuf>,
    /// Stage to print [default: model, with --method or --pose vertices]
    #[arg(long, value_enum)]
    stage: Option<StageArg>,
    #[command(flatten)]
    skinning: SkinningArgs,
    /// Only this clip; searched next to the mesh if no clip is given
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    clip: Option<String>,
    /// Only these frames, counted from 0, both ends included: 0,10..20
    #[arg(long, value_name = "LIST", value_parser = frame_list, conflicts_with = "time")]
    frames: Option<FrameList>,
    /// Only this time, in seconds; poses between frames are interpolated
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Ticks per second of a .x file's clips, instead of the file's
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    ticks_per_second: Option<f64>,
    #[command(flatten)]
    engine: EngineArg,
    #[command(flatten)]
    format: FormatArg,
    #[command(flatten)]
    load: LoadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StageArg {
    /// The file as parsed, in its own words
    Document,
    /// The model as imported: skeleton, materials, meshes, clips with their keys
    Model,
    /// Each joint in its parent's space
    Local,
    /// Each joint in model space
    ModelPose,
    /// The matrices that skin each mesh
    Palette,
    /// Skinned positions and normals
    Vertices,
}

#[derive(Debug, Clone)]
struct FrameList(Vec<RangeInclusive<usize>>);

fn frame_list(text: &str) -> Result<FrameList, String> {
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| format!("'{text}' is not a frame number"));
    let part = |part: &str| match part.split_once("..") {
        None => number(part).map(|frame| frame..=frame),
        Some((first, last)) => match (number(first)?, number(last.trim_start_matches('='))?) {
            (first, last) if first <= last => Ok(first..=last),
            (first, last) => Err(format!("{first}..{last} runs backwards")),
        },
    };
    text.split(',').map(part).collect::<Result<_, _>>().map(FrameList)
}

/// True if the document of a file may have frames.
fn has_frames(file: &Path) -> bool {
    import::by_extension(file).is_none_or(|kind| kind == &import::md5::ANIM_FILE || kind == &import::md5::CAMERA_FILE)
}

/// Returns the stage to print.
///
/// # Errors
///
/// Options that this stage does not support.
fn stage_of(args: &Args) -> anyhow::Result<StageArg> {
    let SkinningArgs { method, poses } = &args.skinning;
    let is_posed = method.is_some() || !poses.is_empty();
    let stage = args.stage.unwrap_or(if is_posed { StageArg::Vertices } else { StageArg::Model });
    check_ticks(args.ticks_per_second, &args.files)?;
    match (args.engine.engine, stage) {
        (Some(engine), StageArg::Document) => {
            let engine = engine.title();
            bail!("a document shows the file, not its playback by {engine}; choose another --stage")
        }
        (None, StageArg::Document) if args.clip.is_some() || args.time.is_some() || args.ticks_per_second.is_some() => {
            bail!("a document shows whole files: --clip, --time and --ticks-per-second need another --stage")
        }
        (None, StageArg::Document) if args.frames.is_some() && !args.files.iter().any(|file| has_frames(file)) => {
            bail!("--frames selects frames of .md5anim and .md5camera files; for others choose another --stage")
        }
        (engine, stage) if method.is_some() && (stage != StageArg::Vertices || engine.is_some()) => {
            bail!(
                "--method computes vertices; it works with --stage vertices, and not with --as, whose engine has its own"
            )
        }
        (_, StageArg::Document | StageArg::Model) if !poses.is_empty() => {
            bail!("--pose turns joints of a pose, which this --stage does not have")
        }
        (_, stage) => Ok(stage),
    }
}

/// Prints the dump. The outcome is at fault if a file is.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let frames = match (&args.frames, args.time) {
        (Some(FrameList(ranges)), _) => FrameSelection::Frames(ranges.clone()),
        (None, Some(time)) => FrameSelection::Time(time),
        (None, None) => FrameSelection::All,
    };
    let format = args.format.get();
    let engine = args.engine.engine;
    let stage = match stage_of(args)? {
        StageArg::Document => return documents(args, &frames, format, out),
        StageArg::Model => DumpStage::Model,
        StageArg::Local => DumpStage::Local,
        StageArg::ModelPose => DumpStage::ModelPose,
        StageArg::Palette => DumpStage::Palette,
        StageArg::Vertices => DumpStage::Vertices,
    };
    let mut options = args.load.options()?;
    options.playback.engine = engine;
    // Broken clips next to a mesh are named, and an engine is asked about them.
    options.clips.find = true;
    options.import.ticks_per_second = args.ticks_per_second;
    let files = locate(&args.files, options.game_files().as_deref());
    let mut loaded = match load::load(&files, &options) {
        Ok(loaded) => loaded,
        Err(error) => return super::load_failed(error),
    };
    if refuses(&loaded, &files, args.load.limit()) {
        return Ok(Outcome::AtFault);
    }
    if let (None, [_]) = (&args.clip, &files[..]) {
        Arc::make_mut(&mut loaded.model).clips.truncate(loaded.own_clips);
        loaded.unplayed.clear();
    }
    // If clips were found next to a mesh, only the chosen one matters.
    let is_chosen = |name: &String| args.clip.as_ref().is_none_or(|clip| clip == name);
    loaded.left_out.retain(|left| left.found_by != FoundBy::ClipSearch || is_chosen(&left.name));
    // If clips were found next to a mesh, or in its game, only the chosen one matters.
    let paths = loaded.sources.ids().map(|id| loaded.sources.path(id));
    let is_named = |path: &Path| match files.is_empty() {
        true => import::by_extension(path).is_some_and(|file| file.is_model() || args.clip.is_none()),
        false => files.iter().any(|file| file == path),
    };
    let is_dumped = |path: &Path| is_named(path) || Some(read::stem_of(path)) == args.clip;
    let paths = paths.filter(|path| is_dumped(path));
    let names: Vec<String> = paths.map(file_name).collect();
    let mut warnings = super::warnings(&loaded.diagnostics);
    let path_of = |found: &Diagnostic| Some(loaded.sources.path(found.primary.as_ref()?.source));
    warnings.retain(|found| files.is_empty() || path_of(found).is_none_or(is_dumped));
    super::print_diagnostics(&warnings, &loaded.sources);
    loaded.unplayed.iter().for_each(|clip| tell!("note: {}", clip.sentence));
    loaded.left_out.iter().for_each(|left| tell!("note: {left}"));
    let mut skinning = args.skinning.skinning(&loaded.model, &files, &args.load)?;
    if let Some(engine) = engine {
        skinning.method = engine.method();
    }
    let options = dump::DumpOptions { stage, clip: args.clip.clone(), frames, engine, skinning, format };
    dump::model(&loaded.model, &names.join(" "), &options, out)?;
    Ok(Outcome::of(&loaded.left_out))
}

fn documents(args: &Args, frames: &FrameSelection, format: TextFormat, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    for path in &args.files {
        let bytes = args.load.memory.read(path)?;
        let Some(file) = import::identify(path, &bytes) else {
            bail!("{} is none of {}", path.display(), import::extensions(|_| true));
        };
        match dump::document(&bytes, file, &file_name(path), frames, format, args.load.limit(), out) {
            Ok(()) => {}
            Err(DocumentError::Io(error)) => return Err(error.into()),
            Err(error @ (DocumentError::Gltf | DocumentError::Vertices)) => bail!("{}: {error}", path.display()),
            Err(DocumentError::Md5(kind, error)) => {
                let mut sources = Sources::default();
                let source = sources.add(path, bytes);
                let error = import::md5::parse_error(&error, kind, source);
                super::print_diagnostics(&[error], &sources);
                outcome = Outcome::AtFault;
            }
            // The loader reads the file in the same way and has the unpacked bytes that the position refers to.
            Err(DocumentError::X(error)) => {
                outcome =
                    match load::load(&[path], &LoadOptions { memory: args.load.limit(), ..LoadOptions::default() }) {
                        Err(error) => super::load_failed(error)?,
                        Ok(_) => return Err(error.into()),
                    }
            }
        }
    }
    Ok(outcome)
}

/// Returns the name without folders, because a dump must not depend on the location of the files.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
