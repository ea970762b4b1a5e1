//! `bindpose compare`

mod cylinder;
mod engines;
mod files;
mod helpers;
mod turns;

use super::load_args::LoadArgs;
use super::scene;
use super::shaders_arg::ShadersArg;
use super::turns::PoseArg;
use super::view::ViewArgs;
use super::{Outcome, complete, print_json, report_json, write_text_in};
use crate::commands::format_arg::FormatArg;
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::convert::Helpers;
use bindpose::engines::Engine;
use bindpose::image_search::ImageChoices;
use bindpose::left_out::LeftOut;
use bindpose::model::Clip;
use bindpose::pose::{LocalPose, Turn, rest, sample};
use bindpose::render::{Gpu, ShaderFiles, headless};
use bindpose::skin::{Limits, MethodId};
use bindpose_compare::comparison::{ComparisonSettings, MethodComparison};
use bindpose_compare::contact_sheet::contact_sheet;
use bindpose_compare::cylinder_report::CylinderReport;
use bindpose_compare::page::{self, ReportImages};
use bindpose_compare::plan::{Plan, default_times};
use bindpose_compare::report::{COSTS, ComparisonReport};
use bindpose_compare::table::COLUMNS;
use bindpose_player::{Scene, choose_clip};
use clap_complete::ArgValueCandidates;
use cylinder::TestResult;
use files::{write_animation, write_image, write_strip, write_sweep};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use turns::SweepArg;

/// Compare skinning methods with their references, by vertices and images
///
/// Every method computes every vertex on the GPU. The result is compared with the method's own reference in f64 and
/// with the weighted sum over all influences of the file. The exit code is 1 if a method deviates from its reference.
/// With --shaders, your own GLSL files replace the built-in ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose compare body.md5mesh walk.md5anim -o out\n  \
    bindpose compare body.md5mesh --pose forearm_l=x,175 -o out\n  \
    bindpose compare body.md5mesh --sweep forearm_l=x,0..180 --methods matrix-blend,dqs,sjb -o out\n  \
    bindpose compare body.md5mesh --helpers forearm_l=2 -o out\n  \
    bindpose compare body.md5mesh walk.md5anim --as ironwail -o out\n  \
    bindpose compare --twist --bend --sigma -o out")]
pub struct Args {
    /// Model and clips, as for `play` [default: the bundled sample]
    files: Vec<PathBuf>,
    /// Methods to compare, separated by commas [default: all]
    #[arg(short, long, value_name = "A,B,…", value_delimiter = ',', add = ArgValueCandidates::new(complete::methods))]
    methods: Vec<String>,
    /// Clip to compare in, by name or by number from 1
    #[arg(short, long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    clip: Option<String>,
    /// Times to compare, in seconds, separated by commas [default: start, middle, between two frames, end]
    #[arg(short, long, value_name = "S,S,…", value_delimiter = ',')]
    times: Vec<f64>,
    /// Folder for the report: report.html, report.md, report.json, costs.csv, contact-sheet.png, and charts, tables and
    /// animation of turns
    #[arg(short, long, value_name = "DIR", value_parser = super::output_path())]
    output: Option<PathBuf>,
    /// Turn of a joint about one of its own axes (x, -x, y, -y, z or -z), from the rest pose or the pose of --clip;
    /// repeatable
    #[arg(long = "pose", value_name = "JOINT=AXIS,DEGREES")]
    poses: Vec<PoseArg>,
    /// Turn of a joint from one angle to another; reports distance, thickness and volume over the angle
    #[arg(long, value_name = "JOINT=AXIS,FROM..TO")]
    sweep: Option<SweepArg>,
    /// Add N helper joints to a joint, each with a share of its rotation, and report how much thickness they keep in
    /// each engine and method, by default twisted by up to 180 degrees; repeatable
    #[arg(long, value_name = "JOINT=N", conflicts_with_all = ["twist", "bend", "sigma"])]
    helpers: Vec<Helpers>,
    #[command(flatten)]
    view: ViewArgs,
    /// Width and height of each image in pixels
    #[arg(long, value_name = "WxH", default_value = "240x240")]
    size: super::render::Size,
    /// Largest accepted distance from a method's own reference, as a share of the model's extent
    #[arg(long, value_name = "SHARE", default_value_t = 1e-5)]
    tolerance: f64,
    /// Largest accepted angle between a normal and its reference, in degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 0.1)]
    normal_tolerance: f64,
    /// Limits of a machine: ffp2 (GeForce 256), vertex shaders vs11, vs20 or vs30, gl2 (this machine with the articles'
    /// array sizes) or none
    #[arg(long, value_name = "LIMITS", default_value_t = Limits::default(), add = ArgValueCandidates::new(complete::limits))]
    limits: Limits,
    /// Time a frame of each method, too; `bench` does so for many copies and with less noise
    #[arg(long)]
    speed: bool,
    #[command(flatten)]
    shaders: ShadersArg,
    /// Engine whose playback is compared with the meaning of the files, at and between all frames; given twice,
    /// compares two engines. -o also writes images of the largest differences
    #[arg(long = "as", value_name = "ENGINE", value_parser = Engine::find, add = ArgValueCandidates::new(complete::engines),
        conflicts_with_all = ["methods", "times", "poses", "sweep", "helpers", "twist", "bend", "sigma", "shaders"])]
    engines: Vec<&'static Engine>,
    #[command(flatten)]
    format: FormatArg,
    /// Measure the thickness of a cylinder twisted by up to 180 degrees
    #[arg(long)]
    twist: bool,
    /// Measure the volume of a cylinder bent by up to 150 degrees
    #[arg(long)]
    bend: bool,
    /// Measure the reach of an example pose of sjbbe: the volume of the bent cylinder for some values of sigma
    #[arg(long)]
    sigma: bool,
    #[command(flatten)]
    load: LoadArgs,
}

impl Args {
    fn plan(&self, scene: &mut Scene) -> anyhow::Result<Plan> {
        plan(scene, (&self.files, self.clip.as_deref()), &self.times, &self.poses, self.sweep.as_ref())
    }
}

/// Compares methods or engines and prints the report.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if !args.engines.is_empty() {
        return engines::run(args, out);
    }
    if !(args.tolerance > 0.0 && args.normal_tolerance > 0.0) {
        bail!("--tolerance and --normal-tolerance must be positive");
    }
    let mut methods = args.shaders.methods_called(&args.methods)?;
    let mut known = HashSet::new();
    methods.retain(|&method| known.insert(method));
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    // Own shaders do not affect results that are computed by references.
    let built_in: Vec<MethodId> = methods.iter().copied().filter(|method| !method.is_own()).collect();
    if !args.helpers.is_empty() {
        return helpers::run(args, &built_in, out);
    }
    let results = cylinder::measure(args, &built_in)?;
    if !args.format.is_json() {
        for report in results.iter().map(|result| &result.report) {
            writeln!(out, "{}\n\n{}: {}\n{}", report.finding, report.name, report.measure, report.table().text())?;
        }
    }
    if !results.is_empty() && args.files.is_empty() {
        return finish_cylinder(args, results, out);
    }

    let Some(mut scene) = scene::open(&args.files, args.load.options()?, true)? else {
        return Ok(Outcome::AtFault);
    };
    let plan = args.plan(&mut scene)?;
    let gpu = headless().context("comparing needs OpenGL; `bindpose doctor` explains what is missing")?;
    if !gpu.has_transform_feedback() {
        bail!("comparing needs transform feedback (OpenGL 3.0 or GL_EXT_transform_feedback)");
    }
    let (mut report, images) = comparison(args, &mut scene, &gpu, plan)?.run(&methods, args.output.is_some())?;
    scene.lost_images().for_each(|left| tell!("note: {left}"));
    report.cylinder = results.iter().map(|result| result.report.clone()).collect();
    print(&report, args.format.is_json().then_some(&*scene.loaded.left_out), out)?;
    if let (Some(folder), Some(mut images)) = (&args.output, images) {
        images.cylinder = cylinder::write(folder, results, args.size.pixels())?;
        report.cylinder = images.cylinder.iter().map(|section| section.report.clone()).collect();
        write_text_in(folder, "report.json", &report_json(&report, &scene.loaded.left_out)?)?;
        write_report(folder, args.size.pixels(), &report, &images)?;
    }
    let differs = if report.has_faults() { Outcome::AtFault } else { Outcome::Fine };
    Ok(differs.max(Outcome::of(&scene.loaded.left_out)))
}

/// Prints a report as text, or as JSON with these parts that the model lacks. Prints remarks on it.
fn print(report: &ComparisonReport, json: Option<&[LeftOut]>, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(left_out) = json {
        writeln!(out, "{}", report_json(report, left_out)?)?;
    } else {
        writeln!(out, "{}\n\n{}\n{}", report.finding, report.summary().text(), report.methods().wrapped(COLUMNS))?;
        writeln!(out, "{}\n{COSTS}\n", report.costs().text())?;
        for measure in report.sweeps() {
            writeln!(out, "{}\n{}", measure.title, report.sweep_table(&measure, 7).text())?;
        }
    }
    for remark in report.remarks() {
        tell!("{remark}");
    }
    Ok(())
}

/// Prints and writes the cylinder tests if there is no model.
fn finish_cylinder(args: &Args, results: Vec<TestResult>, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if args.format.is_json() {
        let reports: Vec<CylinderReport> = results.iter().map(|result| result.report.clone()).collect();
        print_json(out, &cylinder::AsFigures { figures: &reports })?;
    }
    if let Some(folder) = &args.output {
        cylinder::write_report(folder, &cylinder::write(folder, results, args.size.pixels())?)?;
    }
    Ok(Outcome::Fine)
}

/// Creates the comparison in the poses of a plan.
fn comparison<'a>(args: &Args, scene: &'a mut Scene, gpu: &'a Gpu, plan: Plan) -> anyhow::Result<MethodComparison<'a>> {
    let shaders = args.shaders.files(args.load.limit());
    let subject = scene.gpu_model(gpu, &shaders, args.limits, &ImageChoices::default())?;
    let built_in = || {
        let shaders = ShaderFiles::default();
        scene.gpu_model(gpu, &shaders, Limits::None, &ImageChoices::default())
    };
    let reference = args.shaders.folder.is_some().then(built_in).transpose()?;
    let settings = ComparisonSettings {
        view: args.view.view(&scene.loaded.model)?,
        size: args.size.pixels(),
        tolerance: args.tolerance,
        normal_tolerance: args.normal_tolerance,
        limits: args.limits,
        times_frames: args.speed,
    };
    Ok(MethodComparison::new(gpu, &scene.loaded.model, subject, reference, plan, settings)?)
}

/// Writes the report, its images, and the charts and animation of a sweep; `size` of an image in pixels.
fn write_report(
    folder: &Path,
    size: (u32, u32),
    report: &ComparisonReport,
    images: &ReportImages,
) -> anyhow::Result<()> {
    write_image(folder, "contact-sheet.png", &contact_sheet(&images.headings, size, &images.rows, &images.scale))?;
    let mut files = vec![("Contact sheet".to_owned(), "contact-sheet.png".to_owned())];
    files.extend(write_sweep(folder, report)?);
    let is_animated = report.is_sweep() && !report.groups.is_empty();
    if is_animated {
        write_strip(folder, report, &images.drawn)?;
        files.push(("Angles side by side".to_owned(), "sweep.png".to_owned()));
        files.push(("Animation".to_owned(), "sweep.gif".to_owned()));
    }
    write_text_in(folder, "costs.csv", &report.costs().csv())?;
    write_text_in(folder, "report.md", &report.markdown(&files))?;
    write_text_in(folder, "report.html", &page::html(report, images)?)?;
    tell!("wrote report.html, report.md, report.json, costs.csv and contact-sheet.png to {}", folder.display());
    // The slowest step comes last.
    if is_animated {
        write_animation(folder, report, &images.drawn)?;
        tell!("wrote sweep.png and sweep.gif to {}", folder.display());
    }
    Ok(())
}

/// Returns the poses selected by the options, which are those of the files and the name of a clip, and others. Turned
/// joints become a new clip of the model.
pub(super) fn plan(
    scene: &mut Scene,
    (files, clip): (&[PathBuf], Option<&str>),
    at: &[f64],
    poses: &[PoseArg],
    sweep: Option<&SweepArg>,
) -> anyhow::Result<Plan> {
    let model = &*scene.loaded.model;
    let turns = poses.iter().map(|pose| pose.turn(model)).collect::<anyhow::Result<Vec<Turn>>>()?;
    let sweep = sweep.map(|sweep| sweep.turns(model)).transpose()?;
    if turns.is_empty() && sweep.is_none() {
        let clip = choose_clip(scene, files, clip)?;
        let times = times(at, clip.and_then(|clip| model.clips.get(clip)))?;
        return Ok(Plan::of_clip(clip, times));
    }
    let mut base = LocalPose::default();
    let only = (!at.is_empty() && model.clips.len() == 1).then(|| model.clips[0].name.clone());
    match clip.or(only.as_deref()) {
        None if !at.is_empty() => {
            bail!("--times with --pose or --sweep needs a clip; name it with --clip")
        }
        None => rest(&model.skeleton, &mut base),
        Some(_) if at.len() > 1 => {
            bail!("--pose and --sweep start from one pose; --times has {} times", at.len())
        }
        Some(name) => {
            let clip = choose_clip(scene, files, Some(name))?.and_then(|clip| model.clips.get(clip));
            let time = times(at, clip)?.first().copied().unwrap_or(0.0);
            clip.into_iter().for_each(|clip| sample(&model.skeleton, clip, time, &mut base));
        }
    }
    Ok(Plan::of_turns(Arc::make_mut(&mut scene.loaded.model), base, turns, sweep))
}

/// Returns the times of `--times`, or the default ones.
fn times(at: &[f64], clip: Option<&Clip>) -> anyhow::Result<Vec<f64>> {
    let duration = clip.map_or(0.0, |clip| clip.duration);
    for &time in at {
        if !(0.0..=duration).contains(&time) {
            bail!("--times {time} is outside of the clip, which lasts {duration:.3} s");
        }
    }
    Ok(if at.is_empty() { default_times(clip) } else { at.to_vec() })
}
