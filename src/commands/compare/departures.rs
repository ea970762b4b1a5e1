//! `compare --as ENGINE`: how far an engine's picture is from the file's meaning, or from another engine's.

use super::Args;
use super::files::write_rgb;
use crate::commands::engine::refuses;
use crate::commands::output::tell;
use crate::commands::{Outcome, write_text};
use anyhow::{Context, bail};
use bindpose::budget::Budget;
use bindpose::compare::finding::percent;
use bindpose::compare::page::{self, Shown as OnPage};
use bindpose::compare::pictures::contact_sheet;
use bindpose::compare::side_by_side::{self, Moment, Side};
use bindpose::compare::table::Table;
use bindpose::engines::{Departure, Due, Engine, MEANING, Shown, departures, due_to, size};
use bindpose::html::line;
use bindpose::image_habits::Wanted;
use bindpose::load::{self, LoadOptions};
use bindpose::model::{Clip, Model};
use bindpose::player::Scene;
use bindpose::render::{ShaderFiles, TexelFormat, headless};
use bindpose::skin::Limits;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// From this share of the model's size on the whole figure shows it.
const FAR: f64 = 0.1;
/// Clips that are shown at most, those first that are farthest apart.
const MOST_SHOWN: usize = 4;

/// Two pictures are the same to this share of the model's size.
const SAME: f64 = 1e-5;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    /// Who shows the first picture; `null` is what the files mean.
    one: Option<&'static str>,
    other: Option<&'static str>,
    /// Diagonal of the bind pose's box, model units.
    size: f64,
    clips: Vec<ClipReport>,
    /// Clips that one of the two leaves out, a sentence each.
    left_out: Vec<String>,
    /// What most of the greatest distance comes from, if one rule does that alone.
    due_to: Option<Cause>,
}

/// A rule that two have otherwise.
#[derive(Debug, Serialize)]
struct Cause {
    rule: &'static str,
    one: String,
    other: String,
    /// What would be left of the distance if both had the same, as a share of the size.
    left: f64,
}

#[derive(Debug, Serialize)]
struct ClipReport {
    clip: String,
    /// Index into the model's clips.
    #[serde(skip)]
    number: usize,
    /// Farthest apart at whole frames, and half way between two.
    at_frames: Option<Place>,
    between_frames: Option<Place>,
}

#[derive(Debug, Clone, Serialize)]
struct Place {
    frame: f64,
    mesh: String,
    /// As the file counts.
    vertex: u32,
    joint: Option<String>,
    distance: f64,
    share: f64,
}

impl Report {
    /// The clip in which the two are farthest apart, and where.
    fn worst(&self) -> Option<(&ClipReport, &Place)> {
        let places = self.clips.iter().filter_map(|clip| Some((clip, clip.worst()?)));
        places.reduce(|most, next| if next.1.distance > most.1.distance { next } else { most })
    }
}

impl ClipReport {
    /// Where the two are farthest apart of all.
    fn worst(&self) -> Option<&Place> {
        let places = [&self.at_frames, &self.between_frames].into_iter().flatten();
        places.reduce(|most, next| if next.distance > most.distance { next } else { most })
    }
}

/// Compares one engine with what the files mean, or two engines with each other, frame by frame.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let pair = match *args.engines {
        [engine] => [Some(engine), None],
        [one, other] => [Some(one), Some(other)],
        _ => bail!("--as takes one engine, or two to compare with each other"),
    };
    let files = crate::commands::locate(&args.files)?;
    if files.is_empty() {
        bail!("--as needs the files to compare: an .md5mesh and its clips");
    }
    let mut refused = false;
    for engine in pair.into_iter().flatten() {
        refused |= refuses(engine, &files)?;
    }
    if refused {
        return Ok(Outcome::AtFault);
    }
    let load = |engine| {
        let options = LoadOptions { engine, ..crate::commands::load_options()? };
        Scene::load(&files, options).map(|(scene, ..)| scene).map_err(anyhow::Error::from)
    };
    let [one, other] = [load(pair[0])?, load(pair[1])?];
    let mut report = compare(&one, &other, args.clip.as_deref())?;
    report.due_to = cause(&report, &one, &other, &files)?;
    let names = pair.map(|engine| engine.unwrap_or(&MEANING).title());
    let (finding, table) = in_words(&report, names);
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        write!(out, "{finding}\n\n{}", table.text())?;
    }
    if let Some(folder) = &args.output {
        write(args, folder, &report, [&one, &other], names, (&finding, &table))?;
    }
    Ok(Outcome::Fine)
}

/// Writes the report with its pictures.
fn write(
    args: &Args,
    folder: &Path,
    report: &Report,
    [one, other]: [&Scene; 2],
    names: [&str; 2],
    (finding, table): (&str, &Table),
) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let gpu = headless().context("pictures need OpenGL; `bindpose doctor` tells more")?;
    let side = |scene: &'_ Scene, name: &str| -> anyhow::Result<_> {
        let shaders = ShaderFiles { directory: None, memory: crate::commands::memory() };
        let gpu = scene.gpu_model(&gpu, &shaders, Limits::None, TexelFormat::Float, &Wanted::default())?;
        Ok((gpu, name.to_owned()))
    };
    let [(first, first_name), (second, second_name)] = [side(one, names[0])?, side(other, names[1])?];
    let sides = [
        Side { name: first_name, model: &one.model, gpu: first, engine: one.engine },
        Side { name: second_name, model: &other.model, gpu: second, engine: other.engine },
    ];
    let moments = moments(report, &one.model);
    let most = moments.iter().map(|(place, _)| place.distance).fold(SAME * report.size, f64::max);
    let said = format!("{most:.3} units, {} of the size", percent(most / report.size.max(f64::MIN_POSITIVE)));
    let moments: Vec<Moment> = moments.into_iter().map(|(_, moment)| moment).collect();
    let size = (args.size.width, args.size.height);
    let drawn = side_by_side::draw(&gpu, sides, &moments, &args.view.view(&other.model)?, size, (most, said))?;
    let sheet = contact_sheet(&drawn.headings, size, &drawn.rows, &drawn.scale);
    write_rgb(folder, "contact-sheet.png", sheet.width(), sheet.height(), &sheet)?;
    write_text(&folder.join("report.json"), &serde_json::to_string_pretty(report)?)?;
    let title = format!("{} beside {}: {}", names[0], names[1], one.model.name);
    let (title_line, finding_line) = (line(&title), line(finding));
    let markdown =
        format!("# {title_line}\n\n{finding_line}\n\n{}\n![Contact sheet](contact-sheet.png)\n", table.markdown());
    write_text(&folder.join("report.md"), &markdown)?;
    let shown = OnPage { headings: drawn.headings, rows: drawn.rows, scale: drawn.scale, ..OnPage::default() };
    write_text(&folder.join("report.html"), &page::side_by_side(&title, finding, table, &shown)?)?;
    tell!("wrote report.html, report.md, report.json and contact-sheet.png to {}", folder.display());
    Ok(())
}

/// Of the clips that are farthest apart the worst moment.
fn moments<'r>(report: &'r Report, model: &Model) -> Vec<(&'r Place, Moment)> {
    let mut found: Vec<_> = report.clips.iter().filter_map(|clip| Some((clip.worst()?, clip))).collect();
    found.sort_by(|a, b| b.0.distance.total_cmp(&a.0.distance));
    found.truncate(MOST_SHOWN);
    let moment = |(place, clip): (&'r Place, &ClipReport)| {
        let mut lines = vec![format!("{}, frame {}", clip.clip, place.frame)];
        lines.push(format!("{:.3} units apart, {}", place.distance, percent(place.share)));
        lines.push(format!("at vertex {} of {}", place.vertex, place.mesh));
        lines.extend(place.joint.as_ref().map(|joint| format!("which {joint} moves most")));
        // What is far away is not nearby.
        let nearby = place.joint.as_deref().filter(|_| place.share < FAR);
        let moment = Moment {
            lines,
            clip: clip.number,
            frame: place.frame,
            nearby: nearby.and_then(|name| model.skeleton.find(name)),
        };
        (place, moment)
    };
    found.into_iter().map(moment).collect()
}

fn compare(one: &Scene, other: &Scene, clip: Option<&str>) -> anyhow::Result<Report> {
    let clips = one.model.clips.iter().zip(&other.model.clips).enumerate();
    let clips: Vec<_> = clips.filter(|(_, (known, _))| clip.is_none_or(|name| known.name == name)).collect();
    if clips.is_empty() {
        let names: Vec<&str> = one.model.clips.iter().map(|clip| clip.name.as_str()).collect();
        match clip {
            Some(name) => bail!("there is no clip '{name}'; there are {}", names.join(", ")),
            None => bail!("there is no clip to compare in: give an .md5anim, too"),
        }
    }
    let size = size(&other.model.meshes).max(size(&one.model.meshes));
    let mut reports = Vec::with_capacity(clips.len());
    for (number, (ours, theirs)) in clips {
        // A clip that goes over to its first frame has that as one more key.
        let frames =
            |loaded: &Scene, keys: usize| keys - usize::from(keys > 1 && loaded.engine.is_some_and(|it| it.wraps));
        let keys = |clip: &Clip| clip.timelines.first().map_or(1, |keys| keys.times().len());
        let last = frames(one, keys(ours)).min(frames(other, keys(theirs))).saturating_sub(1);
        let mut first = Shown::new(&one.model, ours, one.engine)?;
        let mut second = Shown::new(&other.model, theirs, other.engine)?;
        let found = departures(&mut first, &mut second, (0..=2 * last).map(|half| half as f64 / 2.0));
        let worst = |whole: bool| {
            let of_kind = found.iter().filter(|departure| (departure.frame.fract() == 0.0) == whole);
            let worst = of_kind.reduce(|most, next| if next.distance > most.distance { next } else { most })?;
            Some(place(&one.model, worst, size))
        };
        reports.push(ClipReport {
            clip: ours.name.clone(),
            number,
            at_frames: worst(true),
            between_frames: worst(false),
        });
    }
    let name = |loaded: &Scene| loaded.engine.map(|engine| engine.name());
    let left_out = one.left_out.iter().chain(&other.left_out);
    let left_out = left_out.filter(|left| reports.iter().any(|clip| clip.number == left.clip));
    let left_out = left_out.map(|left| format!("{}.", left.sentence)).collect();
    Ok(Report { one: name(one), other: name(other), size, clips: reports, left_out, due_to: None })
}

/// What most of the greatest distance comes from.
fn cause(report: &Report, one: &Scene, other: &Scene, files: &[PathBuf]) -> anyhow::Result<Option<Cause>> {
    let Some((clip, place)) = report.worst().filter(|(_, place)| place.share > SAME) else { return Ok(None) };
    // What is left out has no rule.
    if [one, other].iter().any(|scene| scene.left_out.iter().any(|left| left.clip == clip.number)) {
        return Ok(None);
    }
    let (engine, like) = (one.engine.unwrap_or(&MEANING), other.engine.unwrap_or(&MEANING));
    let options = LoadOptions { engine: None, find_clips: true, ..crate::commands::load_options()? };
    let (meant, budget) = (load::load(files, &options)?, Budget::new(options.memory));
    let left = |changed: &Engine| -> anyhow::Result<f64> {
        let held = meant.held_by(changed, clip.number, &budget)?;
        let Some(model) = held else { return Ok(place.distance) };
        let mut first = Shown::new(&model, &model.clips[0], Some(changed))?;
        let mut second = Shown::new(&other.model, &other.model.clips[clip.number], other.engine)?;
        let left = departures(&mut first, &mut second, std::iter::once(place.frame));
        Ok(left.first().map_or(place.distance, |departure| departure.distance))
    };
    let due = due_to(engine, like, place.distance, left)?;
    Ok(due.map(|Due { rule, left }| Cause {
        rule: rule.subject(),
        one: engine.rule(rule),
        other: like.rule(rule),
        left: if report.size > 0.0 { left / report.size } else { 0.0 },
    }))
}

fn place(model: &Model, departure: &Departure, size: f64) -> Place {
    let mesh = &model.meshes[departure.mesh];
    Place {
        frame: departure.frame,
        mesh: mesh.name.clone(),
        vertex: mesh.source_vertices[departure.vertex],
        joint: departure.joint.map(|joint| model.skeleton[joint].name.clone()),
        distance: departure.distance,
        share: if size > 0.0 { departure.distance / size } else { 0.0 },
    }
}

/// A frame of a clip; a half is the middle between two.
fn moment(frame: f64) -> String {
    if frame.fract() == 0.0 {
        return format!("in frame {frame}");
    }
    format!("half way between frames {} and {}", frame.floor(), frame.ceil())
}

/// One sentence on the worst and one on its cause, and a table of all clips.
fn in_words(report: &Report, [one, other]: [&str; 2]) -> (String, Table) {
    let due_to = report.due_to.as_ref().map_or(String::new(), |Cause { rule, one: ours, other: theirs, left }| {
        let other = if other == MEANING.title() { "What the files mean" } else { other };
        let left = percent(*left);
        let rules = format!("{one}: {ours}. {other}: {theirs}.");
        format!(" Most of it comes from {rule}. {rules} If both did the same, {left} would be left.")
    });
    let left_out: String = report.left_out.iter().map(|sentence| format!("{sentence} ")).collect();
    let finding = match report.worst() {
        Some((clip, place)) if place.share > SAME => format!(
            "{one} is up to {:.3} units from {other}, {} of the model's size: {} of '{}', at vertex {} of {}{}.\
             {due_to}",
            place.distance,
            percent(place.share),
            moment(place.frame),
            clip.clip,
            place.vertex,
            place.mesh,
            place.joint.as_ref().map_or(String::new(), |joint| format!(", which the joint {joint} moves most")),
        ),
        _ => format!("{one} shows the same as {other}, to a hundred thousandth of the size."),
    };
    let mut table = Table::new(["clip", "apart at frames", "frame", "joint", "apart between", "frame", "joint"]);
    for clip in &report.clips {
        let cells = |place: &Option<Place>| match place {
            Some(place) if place.share > SAME => [
                format!("{:.3} ({})", place.distance, percent(place.share)),
                place.frame.to_string(),
                place.joint.clone().unwrap_or_default(),
            ],
            _ => ["-".to_owned(), String::new(), String::new()],
        };
        let row = [clip.clip.clone()].into_iter().chain(cells(&clip.at_frames)).chain(cells(&clip.between_frames));
        table.push(row);
    }
    (left_out + &finding, table)
}
