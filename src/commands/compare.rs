//! `bindpose compare`

mod departures;
mod figures;
mod files;
mod turns;

use super::scene::{self, Opened};
use super::view::ViewArgs;
use super::{Outcome, complete, write_text};
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::compare::comparison::{Comparison, Settings};
use bindpose::compare::figure_report::FigureReport;
use bindpose::compare::page;
use bindpose::compare::pictures::contact_sheet;
use bindpose::compare::plan::{Plan, usual_times};
use bindpose::compare::turn::Turn;
use bindpose::engines::Engine;
use bindpose::image_habits::Wanted;
use bindpose::model::Clip;
use bindpose::player::{Scene, choose_clip};
use bindpose::pose::{LocalPose, rest, sample};
use bindpose::render::{ShaderFiles, TexelFormat, headless};
use bindpose::skin::{Limits, MethodId};
use clap_complete::ArgValueCandidates;
use files::{write_film, write_rgb, write_strip, write_sweep};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use turns::{PoseArg, SweepArg};

/// Compare skinning methods with their references, vertex by vertex and picture by picture
///
/// Every method computes every vertex on the GPU; the result is compared with the method's own reference in f64 and with
/// the weighted sum over all influences of the file. The exit code is 1 when a method deviates from its reference. With
/// --shaders, GLSL files of your own take the place of the built-in ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose compare body.md5mesh walk.md5anim -o out\n  \
    bindpose compare body.md5mesh --pose forearm_l=x,175 -o out\n  \
    bindpose compare body.md5mesh --sweep forearm_l=x,0..180 --methods matrix-blend,dqs,sjb -o out\n  \
    bindpose compare body.md5mesh walk.md5anim --as ironwail -o out\n  \
    bindpose compare --twist --bend --sigma -o out")]
pub struct Args {
    /// A model and its clips, as for `play`; the bundled sample without any
    files: Vec<PathBuf>,
    /// Methods to compare, separated by commas; all of them if left out
    #[arg(short, long, value_name = "A,B,…", value_delimiter = ',', add = ArgValueCandidates::new(complete::methods))]
    methods: Vec<MethodId>,
    /// Clip to compare in, by name or by number from 1
    #[arg(short, long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    clip: Option<String>,
    /// Moments of the clip in seconds, separated by commas; start, middle, between two frames and end if left out
    #[arg(short, long, value_name = "S,S,…", value_delimiter = ',')]
    times: Vec<f64>,
    /// Folder for the report: report.html, report.md, report.json, contact-sheet.png, and the plots, tables and film of what was turned
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Turn a joint about one of its own axes (x, -x, y, -y, z or -z) out of the rest pose, or out of the clip's where
    /// --clip names one; again for more joints
    #[arg(long = "pose", value_name = "JOINT=AXIS,DEGREES")]
    poses: Vec<PoseArg>,
    /// Turn a joint from one angle to another, and tell error, thickness and volume over the angle
    #[arg(long, value_name = "JOINT=AXIS,FROM..TO")]
    sweep: Option<SweepArg>,
    #[command(flatten)]
    view: ViewArgs,
    /// Width and height of each picture in pixels
    #[arg(long, value_name = "WxH", default_value = "240x240")]
    size: super::render::Size,
    /// Largest distance from a method's own reference that passes, as a share of the model's extent
    #[arg(long, value_name = "SHARE", default_value_t = 1e-5)]
    tolerance: f64,
    /// Largest angle between a normal and its reference that passes, in degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 0.1)]
    normal_tolerance: f64,
    /// Limits of uniform registers to keep to: vs11 (96), vs20 (256), gl2 (this machine's) or none
    #[arg(long, value_name = "LIMITS", default_value_t = Limits::default(), add = ArgValueCandidates::new(complete::limits))]
    limits: Limits,
    /// Halve the memory of bone-texture's palette: 16 bits per number, with a tolerance of its own
    #[arg(long)]
    half_float: bool,
    /// Folder with GLSL files that replace the built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    shaders: Option<PathBuf>,
    /// Compare this engine's own playback with what the MD5 files mean, at every frame and between them; given twice, two
    /// engines with each other. With -o, pictures of where they are farthest apart
    #[arg(long = "as", value_name = "ENGINE", value_parser = Engine::find, add = ArgValueCandidates::new(complete::engines),
        conflicts_with_all = ["methods", "times", "poses", "sweep", "twist", "bend", "sigma", "shaders"])]
    engines: Vec<&'static Engine>,
    /// Print the report as JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure how thin each method twists a cylinder, up to 180 degrees
    #[arg(long)]
    twist: bool,
    /// Measure how much volume each method leaves of a bent cylinder, up to 150 degrees
    #[arg(long)]
    bend: bool,
    /// Measure how far an example pose of sjbbe reaches: the volume of the bent cylinder for some values of sigma
    #[arg(long)]
    sigma: bool,
}

/// Compares.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if !args.engines.is_empty() {
        return departures::run(args, out);
    }
    if !(args.tolerance > 0.0 && args.normal_tolerance > 0.0) {
        bail!("tolerances are numbers over 0");
    }
    if let Some(folder) = args.shaders.as_ref().filter(|folder| !folder.is_dir()) {
        bail!("{} is no folder with shaders", folder.display());
    }
    let mut methods: Vec<MethodId> = args.methods.clone();
    if methods.is_empty() {
        methods.extend(MethodId::all());
    }
    // Named twice is compared once.
    let mut known = HashSet::new();
    methods.retain(|&method| known.insert(method));
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let measured = figures::measure(args, &methods)?;
    if !args.json {
        for report in measured.iter().map(|measured| &measured.report) {
            writeln!(out, "{}\n\n{}: {}\n{}", report.finding, report.name, report.measure, report.table().text())?;
        }
    }
    let size = (args.size.width, args.size.height);
    if !measured.is_empty() && args.files.is_empty() {
        if args.json {
            let reports: Vec<FigureReport> = measured.iter().map(|measured| measured.report.clone()).collect();
            writeln!(out, "{}", figures::json(&reports)?)?;
        }
        if let Some(folder) = &args.output {
            figures::write_report(folder, &figures::write(folder, measured, size)?)?;
        }
        return Ok(Outcome::Fine);
    }

    let mut scene = match scene::open(&args.files, None, true)? {
        Opened::Scene(scene) => scene,
        Opened::Failed(outcome) => return Ok(outcome),
    };
    let plan = plan(args, &mut scene)?;
    let gpu = headless().context("comparing needs OpenGL; `bindpose doctor` tells more")?;
    if !gpu.has_transform_feedback() {
        bail!("comparing needs transform feedback (OpenGL 3.0 or GL_EXT_transform_feedback)");
    }
    let texels = scene::texels(args.half_float);
    let shaders = ShaderFiles { directory: args.shaders.clone(), memory: super::memory() };
    let subject = scene.gpu_model(&gpu, &shaders, args.limits, texels, &Wanted::default())?;
    for note in subject.notes() {
        tell!("note: {note}");
    }
    let built_in = || {
        let shaders = ShaderFiles::default();
        scene.gpu_model(&gpu, &shaders, Limits::None, TexelFormat::Float, &Wanted::default())
    };
    let reference = args.shaders.is_some().then(built_in).transpose()?;
    let settings = Settings {
        view: args.view.view(&scene.model)?,
        size,
        tolerance: args.tolerance,
        normal_tolerance: args.normal_tolerance,
        limits: args.limits,
        texels,
    };
    let comparison = Comparison::new(&gpu, &scene.model, subject, reference, plan, settings)?;
    let (mut report, shown) = comparison.run(&methods, args.output.is_some())?;
    report.figures = measured.iter().map(|measured| measured.report.clone()).collect();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        writeln!(out, "{}\n\n{}", report.finding, report.summary().text())?;
        for measure in report.sweeps() {
            writeln!(out, "{}\n{}", measure.title, report.sweep_table(&measure, 7).text())?;
        }
    }
    for remark in report.remarks() {
        tell!("{remark}");
    }
    if let (Some(folder), Some(mut shown)) = (&args.output, shown) {
        shown.figures = figures::write(folder, measured, size)?;
        report.figures = shown.figures.iter().map(|shown| shown.report.clone()).collect();
        let sheet = contact_sheet(&shown.headings, size, &shown.rows, &shown.scale);
        write_rgb(folder, "contact-sheet.png", sheet.width(), sheet.height(), &sheet)?;
        write_text(&folder.join("report.json"), &serde_json::to_string_pretty(&report)?)?;
        let mut pictures = vec![("Contact sheet".to_owned(), "contact-sheet.png".to_owned())];
        pictures.extend(write_sweep(folder, &report)?);
        // Where no method could be compared there is nothing to film.
        let is_filmed = report.is_sweep() && !report.groups.is_empty();
        if is_filmed {
            write_strip(folder, &report, &shown.drawn)?;
            pictures.push(("Angle beside angle".to_owned(), "sweep.png".to_owned()));
            pictures.push(("Film".to_owned(), "sweep.gif".to_owned()));
        }
        write_text(&folder.join("report.md"), &report.markdown(&pictures))?;
        write_text(&folder.join("report.html"), &page::html(&report, &shown)?)?;
        tell!("wrote report.html, report.md, report.json and contact-sheet.png to {}", folder.display());
        // What takes longest comes last.
        if is_filmed {
            write_film(&folder.join("sweep.gif"), &report, &shown.drawn)?;
            tell!("wrote sweep.png and sweep.gif to {}", folder.display());
        }
    }
    Ok(if report.has_faults() { Outcome::AtFault } else { Outcome::Fine })
}

/// The moments asked for. A pose that was asked for becomes a clip of the model.
fn plan(args: &Args, scene: &mut Scene) -> anyhow::Result<Plan> {
    let model = &*scene.model;
    let turns = args.poses.iter().map(|pose| pose.turn(model)).collect::<anyhow::Result<Vec<Turn>>>()?;
    let sweep = args.sweep.as_ref().map(|sweep| sweep.turns(model)).transpose()?;
    if turns.is_empty() && sweep.is_none() {
        let clip = choose_clip(model, &args.files, args.clip.as_deref())?;
        let times = times(args, clip.and_then(|clip| model.clips.get(clip)))?;
        return Ok(Plan::of_clip(clip, times));
    }
    let mut base = LocalPose::default();
    match args.clip.as_deref() {
        None if !args.times.is_empty() => {
            bail!("--times with --pose or --sweep is a moment of a clip; name it with --clip")
        }
        None => rest(&model.skeleton, &mut base),
        Some(_) if args.times.len() > 1 => {
            bail!("--pose and --sweep start from one moment; --times has {}", args.times.len())
        }
        Some(name) => {
            let clip = choose_clip(model, &args.files, Some(name))?.and_then(|clip| model.clips.get(clip));
            let time = times(args, clip)?.first().copied().unwrap_or(0.0);
            clip.into_iter().for_each(|clip| sample(&model.skeleton, clip, time, &mut base));
        }
    }
    Ok(Plan::of_turns(Arc::make_mut(&mut scene.model), base, turns, sweep))
}

/// The moments asked for, else the usual ones.
fn times(args: &Args, clip: Option<&Clip>) -> anyhow::Result<Vec<f64>> {
    let duration = clip.map_or(0.0, |clip| clip.duration);
    for &time in &args.times {
        if !(0.0..=duration).contains(&time) {
            bail!("--times {time} is outside of the clip, which lasts {duration:.3} s");
        }
    }
    Ok(if args.times.is_empty() { usual_times(clip) } else { args.times.clone() })
}
