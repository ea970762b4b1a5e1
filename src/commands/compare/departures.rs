//! `compare --as ENGINE`: how far an engine's picture is from the file's meaning, or from another engine's.

use crate::commands::Outcome;
use crate::commands::engine::refuses;
use anyhow::bail;
use bindpose::compare::table::Table;
use bindpose::engines::{Departure, Engine, Shown, departures, size};
use bindpose::load::{self, LoadOptions, Loaded};
use bindpose::model::{Clip, Model};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

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
}

#[derive(Debug, Serialize)]
struct ClipReport {
    clip: String,
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

/// Compares one engine with what the files mean, or two engines with each other, frame by frame.
pub fn run(
    files: &[PathBuf],
    clip: Option<&str>,
    engines: &[&'static Engine],
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let pair = match *engines {
        [engine] => [Some(engine), None],
        [one, other] => [Some(one), Some(other)],
        _ => bail!("--as takes one engine, or two to compare with each other"),
    };
    let files = crate::commands::locate(files)?;
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
        let options = LoadOptions { find_clips: true, engine, ..crate::commands::load_options()? };
        load::load(&files, &options).map_err(anyhow::Error::from)
    };
    let [one, other] = [load(pair[0])?, load(pair[1])?];
    let report = compare(&one, &other, clip)?;
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        write!(out, "{}", in_words(&report, pair))?;
    }
    Ok(Outcome::Fine)
}

fn compare(one: &Loaded, other: &Loaded, clip: Option<&str>) -> anyhow::Result<Report> {
    let clips = one.model.clips.iter().zip(&other.model.clips);
    let clips: Vec<_> = clips.filter(|(known, _)| clip.is_none_or(|name| known.name == name)).collect();
    if clips.is_empty() {
        let names: Vec<&str> = one.model.clips.iter().map(|clip| clip.name.as_str()).collect();
        match clip {
            Some(name) => bail!("there is no clip '{name}'; there are {}", names.join(", ")),
            None => bail!("there is no clip to compare in: give an .md5anim, too"),
        }
    }
    let size = size(&other.model.meshes).max(size(&one.model.meshes));
    let mut reports = Vec::with_capacity(clips.len());
    for (ours, theirs) in clips {
        // A clip that goes over to its first frame has that as one more key.
        let frames =
            |loaded: &Loaded, keys: usize| keys - usize::from(keys > 1 && loaded.engine.is_some_and(|it| it.wraps));
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
        reports.push(ClipReport { clip: ours.name.clone(), at_frames: worst(true), between_frames: worst(false) });
    }
    let name = |loaded: &Loaded| loaded.engine.map(|engine| engine.name);
    Ok(Report { one: name(one), other: name(other), size, clips: reports })
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

/// One sentence on the worst, and a table of all clips.
fn in_words(report: &Report, [one, other]: [Option<&'static Engine>; 2]) -> String {
    let name = |engine: Option<&Engine>| engine.map_or("what the files mean", |engine| engine.title).to_owned();
    let (one, other) = (name(one), name(other));
    let places = report.clips.iter().flat_map(|clip| {
        [&clip.at_frames, &clip.between_frames].into_iter().flatten().map(|place| (clip.clip.as_str(), place))
    });
    let worst = places.reduce(|most, next| if next.1.distance > most.1.distance { next } else { most });
    let mut text = match worst {
        Some((clip, place)) if place.share > SAME => format!(
            "{one} is up to {:.3} units from {other}, {:.1} % of the size: in frame {} of '{clip}', at vertex {} of {}{}\n",
            place.distance,
            100.0 * place.share,
            place.frame,
            place.vertex,
            place.mesh,
            place.joint.as_ref().map_or(String::new(), |joint| format!(", which {joint} moves most")),
        ),
        _ => format!("{one} shows the same as {other}, to a hundred thousandth of the size\n"),
    };
    text.push('\n');
    let mut table = Table::new(["clip", "apart at frames", "frame", "joint", "apart between", "frame", "joint"]);
    for clip in &report.clips {
        let cells = |place: &Option<Place>| match place {
            Some(place) if place.share > SAME => [
                format!("{:.3} ({:.1} %)", place.distance, 100.0 * place.share),
                place.frame.to_string(),
                place.joint.clone().unwrap_or_default(),
            ],
            _ => ["-".to_owned(), String::new(), String::new()],
        };
        let row = [clip.clip.clone()].into_iter().chain(cells(&clip.at_frames)).chain(cells(&clip.between_frames));
        table.push(row);
    }
    text + &table.text()
}
