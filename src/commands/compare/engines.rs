//! `compare --as ENGINE`: differences between an engine's playback and the files' meaning, or between two engines.

use super::Args;
use super::files::write_image;
use crate::commands::engine::refuses;
use crate::commands::load_args::locate;
use crate::commands::output::tell;
use crate::commands::{Outcome, load_failed, print_diagnostics, report_json, warnings, write_text_in};
use anyhow::{Context, bail};
use bindpose::budget::Budget;
use bindpose::engines::{Departure, Due, Engine, FormatFamily, MEANING, Shown, departures, due_to, size};
use bindpose::image_search::ImageChoices;
use bindpose::load::{self, LoadError, LoadOptions, Loaded, PlaybackRequest};
use bindpose::model::{Clip, Model};
use bindpose::render::{ShaderFiles, headless};
use bindpose::skin::Limits;
use bindpose_compare::contact_sheet::contact_sheet;
use bindpose_compare::finding::percent;
use bindpose_compare::page::{self, ReportImages};
use bindpose_compare::side_by_side::{self, ComparedFrame, EngineModel};
use bindpose_compare::table::Table;
use bindpose_core::escape::markdown_line;
use bindpose_player::Scene;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Share of the model's size from which on a difference gets no close-up.
const LARGE: f64 = 0.1;
/// Largest number of clips in images. They are the clips with the largest differences.
const MOST_SHOWN: usize = 4;

/// Largest number of frames of a clip with which every frame is compared.
const MOST_FRAMES: usize = 1000;
/// Largest difference that counts as none, as a share of the model's size.
const SAME: f64 = 1e-5;

/// Output of `--json`.
#[derive(Debug, Serialize)]
struct EngineComparison {
    /// First engine; `null` for the meaning of the files.
    one: Option<&'static str>,
    other: Option<&'static str>,
    /// Diagonal of the bind pose's box, in model units.
    size: f64,
    clips: Vec<ClipReport>,
    /// Sentences about clips that one of the two skips.
    unplayed: Vec<String>,
    /// The single rule that explains most of the largest difference, if there is one.
    due_to: Option<Cause>,
}

/// A rule in which two engines differ.
#[derive(Debug, Serialize)]
struct Cause {
    rule: &'static str,
    one: String,
    other: String,
    /// Difference that remains if both follow the same rule, as a share of the size.
    left: f64,
}

#[derive(Debug, Serialize)]
struct ClipReport {
    clip: String,
    /// Index into the model's clips.
    #[serde(skip)]
    number: usize,
    /// Largest difference at whole frames; `between_frames` is the one half-way between frames.
    at_frames: Option<WorstVertex>,
    between_frames: Option<WorstVertex>,
}

#[derive(Debug, Clone, Serialize)]
struct WorstVertex {
    frame: f64,
    mesh: String,
    /// Index of the vertex in the file.
    vertex: u32,
    joint: Option<String>,
    distance: f64,
    share: f64,
}

impl EngineComparison {
    /// Returns the clip and vertex of the largest difference.
    fn worst(&self) -> Option<(&ClipReport, &WorstVertex)> {
        let vertices = self.clips.iter().filter_map(|clip| Some((clip, clip.worst()?)));
        vertices.reduce(|most, next| if next.1.distance > most.1.distance { next } else { most })
    }
}

impl ClipReport {
    /// Returns the vertex of the largest difference.
    fn worst(&self) -> Option<&WorstVertex> {
        let vertices = [&self.at_frames, &self.between_frames].into_iter().flatten();
        vertices.reduce(|most, next| if next.distance > most.distance { next } else { most })
    }
}

/// Compares one engine with the meaning of the files, or two engines with each other, frame by frame.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let pair = match *args.engines {
        [engine] => [Some(engine), None],
        [one, other] => [Some(one), Some(other)],
        _ => bail!("--as takes one engine, or two to compare with each other"),
    };
    let base = args.load.options()?;
    let as_played = |engine| LoadOptions { playback: PlaybackRequest { engine, ..base.playback }, ..base.clone() };
    // The first engine's order decides which files of a game are compared.
    let files = locate(&args.files, as_played(pair[0]).game_files().as_deref());
    if files.is_empty() {
        bail!("--as needs a model and its clips");
    }
    let load = |engine| -> Result<Scene, LoadError> {
        let mut scene = Scene::load(&files, as_played(engine))?;
        if plays_x(pair) {
            // Frames of both engines are ticks.
            let rate = scene.loaded.ticks_per_second;
            Arc::make_mut(&mut scene.loaded.model).clips.iter_mut().for_each(|clip| clip.frame_rate = rate);
        }
        Ok(scene)
    };
    let [mut one, mut other] = match (load(pair[0]), load(pair[1])) {
        (Ok(one), Ok(other)) => [one, other],
        (Err(error), _) | (_, Err(error)) => return load_failed(error),
    };
    let refused = [&one, &other].map(|scene| refuses(&scene.loaded, &files, args.load.limit()));
    if refused.contains(&true) {
        return Ok(Outcome::AtFault);
    }
    one.loaded.left_out.iter().for_each(|left| tell!("note: {left}"));
    print_diagnostics(&warnings(&one.loaded.diagnostics), &one.loaded.sources);
    let mut report = compare(&one.loaded, &other.loaded, args.clip.as_deref())?;
    report.due_to = cause(&report, &one.loaded, &other.loaded, &files, base)?;
    let names = pair.map(|engine| engine.unwrap_or(&MEANING).title());
    let (finding, table) = in_words(&report, names);
    if args.format.is_json() {
        writeln!(out, "{}", report_json(&report, &one.loaded.left_out)?)?;
    } else {
        write!(out, "{finding}\n\n{}", table.text())?;
    }
    if let Some(folder) = &args.output {
        write(args, folder, &report, [&mut one, &mut other], names, (&finding, &table))?;
    }
    Ok(Outcome::of(&one.loaded.left_out))
}

/// True if an engine plays `.x` files.
fn plays_x(engines: [Option<&Engine>; 2]) -> bool {
    engines.into_iter().flatten().any(|engine| engine.format() == FormatFamily::X)
}

/// Writes the report with its images.
fn write(
    args: &Args,
    folder: &Path,
    report: &EngineComparison,
    scenes: [&mut Scene; 2],
    names: [&str; 2],
    (finding, table): (&str, &Table),
) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let gpu = headless().context("images need OpenGL; `bindpose doctor` explains what is missing")?;
    let shaders = ShaderFiles { directory: None, memory: args.load.limit() };
    let [one, other] = scenes;
    let upload = |scene: &mut Scene| scene.gpu_model(&gpu, &shaders, Limits::None, &ImageChoices::default());
    let [first, second] = [upload(one)?, upload(other)?];
    one.lost_images().for_each(|left| tell!("note: {left}"));
    let (one, other) = (&*one, &*other);
    let engines = [(one, names[0], first), (other, names[1], second)].map(|(scene, name, gpu)| {
        let (model, engine) = (&*scene.loaded.model, scene.loaded.engine);
        EngineModel { name: name.to_owned(), model, gpu, engine }
    });
    let frames = frames(report, &one.loaded.model);
    let most = frames.iter().map(|(worst, _)| worst.distance).fold(SAME * report.size, f64::max);
    let label = format!("{most:.3} units, {} of the size", percent(most / report.size.max(f64::MIN_POSITIVE)));
    let frames: Vec<ComparedFrame> = frames.into_iter().map(|(_, frame)| frame).collect();
    let size = args.size.pixels();
    let drawn = side_by_side::draw(&gpu, engines, &frames, &args.view.view(&other.loaded.model)?, size, (most, label))?;
    write_image(folder, "contact-sheet.png", &contact_sheet(&drawn.headings, size, &drawn.rows, &drawn.scale))?;
    write_text_in(folder, "report.json", &report_json(report, &one.loaded.left_out)?)?;
    let title = format!("{} beside {}: {}", names[0], names[1], one.loaded.model.name);
    let (title_line, finding_line) = (markdown_line(&title), markdown_line(finding));
    let markdown =
        format!("# {title_line}\n\n{finding_line}\n\n{}\n![Contact sheet](contact-sheet.png)\n", table.markdown());
    write_text_in(folder, "report.md", &markdown)?;
    let images = ReportImages { headings: drawn.headings, rows: drawn.rows, scale: drawn.scale, ..Default::default() };
    write_text_in(folder, "report.html", &page::side_by_side(&title, finding, table, &images)?)?;
    tell!("wrote report.html, report.md, report.json and contact-sheet.png to {}", folder.display());
    Ok(())
}

/// Returns the worst vertex and frame of each clip with the largest differences.
fn frames<'r>(report: &'r EngineComparison, model: &Model) -> Vec<(&'r WorstVertex, ComparedFrame)> {
    let mut found: Vec<_> = report.clips.iter().filter_map(|clip| Some((clip.worst()?, clip))).collect();
    found.sort_by(|a, b| b.0.distance.total_cmp(&a.0.distance));
    found.truncate(MOST_SHOWN);
    let frame = |(worst, clip): (&'r WorstVertex, &ClipReport)| {
        let mut lines = vec![format!("{}, frame {}", clip.clip, worst.frame)];
        lines.push(format!("distance {:.3} units, {}", worst.distance, percent(worst.share)));
        lines.push(format!("at vertex {} of {}", worst.vertex, worst.mesh));
        lines.extend(worst.joint.as_ref().map(|joint| format!("of joint {joint}")));
        let close_up = worst.joint.as_deref().filter(|_| worst.share < LARGE);
        let close_up = close_up.and_then(|name| model.skeleton.find(name));
        (worst, ComparedFrame { lines, clip: clip.number, frame: worst.frame, close_up })
    };
    found.into_iter().map(frame).collect()
}

fn compare(one: &Loaded, other: &Loaded, clip: Option<&str>) -> anyhow::Result<EngineComparison> {
    let clips = one.model.clips.iter().zip(&other.model.clips).enumerate();
    let clips: Vec<_> = clips.filter(|(_, (known, _))| clip.is_none_or(|name| known.name == name)).collect();
    if clips.is_empty() {
        let names: Vec<&str> = one.model.clips.iter().map(|clip| clip.name.as_str()).collect();
        match clip {
            Some(name) => bail!("no clip '{name}'; the clips are {}", names.join(", ")),
            None => bail!("no clip to compare in; name an .md5anim, too"),
        }
    }
    let size = size(&other.model.meshes).max(size(&one.model.meshes));
    let mut reports = Vec::with_capacity(clips.len());
    for (number, (ours, theirs)) in clips {
        // A clip that blends into its first frame has this frame as an additional last key.
        let frames =
            |loaded: &Loaded, keys: usize| keys - usize::from(keys > 1 && loaded.engine.is_some_and(|it| it.wraps));
        let keys = |clip: &Clip| match (clip.frame_rate, plays_x([one.engine, other.engine])) {
            (Some(rate), true) => (clip.duration * rate).round() as usize + 1,
            _ => clip.timelines.first().map_or(1, |keys| keys.times().len()),
        };
        let last = frames(one, keys(ours)).min(frames(other, keys(theirs))).saturating_sub(1);
        // The step is an odd number of half frames, so that both frames and positions between frames are included.
        let step = 2 * (last / MOST_FRAMES) + 1;
        let mut first = Shown::new(&one.model, ours, one.engine)?;
        let mut second = Shown::new(&other.model, theirs, other.engine)?;
        let found = departures(&mut first, &mut second, (0..=2 * last).step_by(step).map(|half| half as f64 / 2.0));
        let worst = |whole: bool| {
            let of_kind = found.iter().filter(|departure| (departure.frame.fract() == 0.0) == whole);
            let worst = of_kind.reduce(|most, next| if next.distance > most.distance { next } else { most })?;
            Some(worst_vertex(&one.model, worst, size))
        };
        reports.push(ClipReport {
            clip: ours.name.clone(),
            number,
            at_frames: worst(true),
            between_frames: worst(false),
        });
    }
    let name = |loaded: &Loaded| loaded.engine.map(|engine| engine.name());
    let unplayed = one.unplayed.iter().chain(&other.unplayed);
    let unplayed = unplayed.filter(|skipped| reports.iter().any(|clip| clip.number == skipped.clip));
    let mut unplayed: Vec<String> = unplayed.map(|skipped| format!("{}.", skipped.sentence)).collect();
    let unpaired = |many: &Loaded, few: &Loaded| many.model.clips.get(few.model.clips.len()..).map(<[Clip]>::to_vec);
    for clip in [unpaired(one, other), unpaired(other, one)].into_iter().flatten().flatten() {
        unplayed.push(format!("'{}' is played by only one of the two.", clip.name));
    }
    Ok(EngineComparison { one: name(one), other: name(other), size, clips: reports, unplayed, due_to: None })
}

/// Finds the single rule that explains most of the largest difference, if there is one.
fn cause(
    report: &EngineComparison,
    one: &Loaded,
    other: &Loaded,
    files: &[PathBuf],
    options: LoadOptions,
) -> anyhow::Result<Option<Cause>> {
    let Some((clip, worst)) = report.worst().filter(|(_, worst)| worst.share > SAME) else { return Ok(None) };
    // No rule explains that an engine skips a clip.
    if [one, other].iter().any(|loaded| loaded.unplayed.iter().any(|left| left.clip == clip.number)) {
        return Ok(None);
    }
    let (engine, like) = (one.engine.unwrap_or(&MEANING), other.engine.unwrap_or(&MEANING));
    let mut options = options.with_all_parts();
    options.playback.engine = None;
    let (meant, budget) = (load::load(files, &options)?, Budget::new(options.memory));
    let left = |changed: &Engine| -> anyhow::Result<f64> {
        let held = meant.as_played_by(changed, clip.number, &budget)?;
        let Some(model) = held else { return Ok(worst.distance) };
        let mut first = Shown::new(&model, &model.clips[0], Some(changed))?;
        let mut second = Shown::new(&other.model, &other.model.clips[clip.number], other.engine)?;
        let left = departures(&mut first, &mut second, std::iter::once(worst.frame));
        Ok(left.first().map_or(worst.distance, |departure| departure.distance))
    };
    let due = due_to(engine, like, worst.distance, left)?;
    Ok(due.map(|Due { rule, left }| Cause {
        rule: rule.subject(),
        one: engine.rule(rule),
        other: like.rule(rule),
        left: if report.size > 0.0 { left / report.size } else { 0.0 },
    }))
}

fn worst_vertex(model: &Model, departure: &Departure, size: f64) -> WorstVertex {
    let mesh = &model.meshes[departure.mesh];
    WorstVertex {
        frame: departure.frame,
        mesh: mesh.name.clone(),
        vertex: mesh.source_vertices[departure.vertex],
        joint: departure.joint.map(|joint| model.skeleton[joint].name.clone()),
        distance: departure.distance,
        share: if size > 0.0 { departure.distance / size } else { 0.0 },
    }
}

/// Formats a frame; a half is the middle between two frames.
fn frame_name(frame: f64) -> String {
    if frame.fract() == 0.0 {
        return format!("in frame {frame}");
    }
    format!("half way between frames {} and {}", frame.floor(), frame.ceil())
}

/// Returns a sentence about the largest difference, one about its cause, and a table of all clips.
fn in_words(report: &EngineComparison, [one, other]: [&str; 2]) -> (String, Table) {
    let due_to = report.due_to.as_ref().map_or(String::new(), |Cause { rule, one: ours, other: theirs, left }| {
        let other = if other == MEANING.title() { "What the files mean" } else { other };
        let left = percent(*left);
        let rules = format!("{one}: {ours}. {other}: {theirs}.");
        format!(" Most of it comes from {rule}. {rules} If both did the same, {left} would remain.")
    });
    let unplayed: String = report.unplayed.iter().map(|sentence| format!("{sentence} ")).collect();
    let finding = match report.worst() {
        Some((clip, worst)) if worst.share > SAME => format!(
            "{one} is up to {:.3} units from {other}, {} of the model's size: {} of '{}', at vertex {} of {}{}.{due_to}",
            worst.distance,
            percent(worst.share),
            frame_name(worst.frame),
            clip.clip,
            worst.vertex,
            worst.mesh,
            worst.joint.as_ref().map_or(String::new(), |joint| format!(", mostly moved by the joint {joint}")),
        ),
        _ => format!("{one} shows the same as {other}, to a hundred thousandth of the size."),
    };
    let mut table =
        Table::new(["clip", "difference at frames", "frame", "joint", "difference between", "frame", "joint"]);
    for clip in &report.clips {
        let cells = |worst: &Option<WorstVertex>| match worst {
            Some(worst) if worst.share > SAME => [
                format!("{:.3} ({})", worst.distance, percent(worst.share)),
                worst.frame.to_string(),
                worst.joint.clone().unwrap_or_default(),
            ],
            _ => ["-".to_owned(), String::new(), String::new()],
        };
        let row = [clip.clip.clone()].into_iter().chain(cells(&clip.at_frames)).chain(cells(&clip.between_frames));
        table.push(row);
    }
    (unplayed + &finding, table)
}
