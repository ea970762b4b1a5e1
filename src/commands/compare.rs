//! `bindpose compare`

use super::record::write_whole;
use super::scene::{self, Opened};
use super::{Outcome, complete};
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::compare::figures::{self, Curve, Figure};
use bindpose::compare::measure::{measure, tolerance};
use bindpose::compare::pictures::{Row, contact_sheet, difference, heat_map};
use bindpose::compare::plot;
use bindpose::compare::report::{Agreement, ComparisonReport, MethodReport, MomentReport};
use bindpose::compare::table::Table;
use bindpose::image_habits::Wanted;
use bindpose::model::{Clip, Model};
use bindpose::player::{Scene, choose_clip};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose::render::{
    Background, Camera, Error, Gpu, GpuModel, Instance, Marks, PoseRef, RenderSettings, RenderTarget, Renderer,
    ShaderFiles, TexelFormat, clip_bounds, headless,
};
use bindpose::skin::{Cost, Limits, MethodId};
use clap_complete::ArgValueCandidates;
use glam::Vec3;
use image::{ImageEncoder, RgbaImage};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compare skinning methods with their references, vertex by vertex and picture by picture
///
/// Every method computes every vertex on the GPU; the result is compared with the method's own reference in f64 and with
/// the weighted sum over all influences of the file. The exit code is 1 when a method deviates from its reference. With
/// --shaders, GLSL files of your own take the place of the built-in ones.
#[derive(Debug, clap::Args)]
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
    /// Folder for the report: report.md, report.json, contact-sheet.png and the figures
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
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
    /// Print the report as JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure how thin each method twists a cylinder, up to 180 degrees
    #[arg(long)]
    twist: bool,
    /// Measure how much volume each method leaves of a bent cylinder, up to 150 degrees
    #[arg(long)]
    bend: bool,
}

/// Compares.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if !(args.tolerance > 0.0 && args.normal_tolerance > 0.0) {
        bail!("tolerances are numbers over 0");
    }
    if let Some(folder) = args.shaders.as_ref().filter(|folder| !folder.is_dir()) {
        bail!("{} is no folder with shaders", folder.display());
    }
    let methods: Vec<MethodId> = if args.methods.is_empty() { MethodId::all().collect() } else { args.methods.clone() };
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let asked = [(args.twist, Figure::Twist), (args.bend, Figure::Bend)];
    let asked: Vec<Figure> = asked.into_iter().filter_map(|(asked, figure)| asked.then_some(figure)).collect();
    let mut plots = Vec::new();
    for &figure in &asked {
        let curves = figures::curves(figure, &methods)?;
        if !args.json {
            writeln!(out, "{}: {}\n{}", figure.name(), figure.measure(), curve_table(figure, &curves).text())?;
        }
        if let Some(folder) = &args.output {
            write_figure(folder, figure, &curves)?;
            plots.push((figure_title(figure), format!("{}.png", figure.name())));
        }
    }
    if !asked.is_empty() && args.files.is_empty() {
        return Ok(Outcome::Fine);
    }

    let scene = match scene::open(&args.files, None, true)? {
        Opened::Scene(scene) => scene,
        Opened::Failed(outcome) => return Ok(outcome),
    };
    let gpu = headless().context("comparing needs OpenGL; `bindpose doctor` tells more")?;
    if !gpu.has_transform_feedback() {
        bail!("comparing needs transform feedback (OpenGL 3.0 or GL_EXT_transform_feedback)");
    }
    let (report, rows) = Comparison::new(args, &gpu, &scene)?.run(&methods)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        write!(out, "{}", report.table().text())?;
    }
    for remark in report.remarks() {
        tell!("{remark}");
    }
    if let Some(folder) = &args.output {
        let headings: Vec<String> = report.times.iter().map(|time| format!("{time:.3} s")).collect();
        let tile = (args.size.width, args.size.height);
        let sheet = contact_sheet(&headings, tile, &rows);
        write_rgb(folder, "contact-sheet.png", sheet.width(), sheet.height(), &sheet)?;
        write_text(folder, "report.json", &serde_json::to_string_pretty(&report)?)?;
        let mut pictures = vec![("Contact sheet", "contact-sheet.png")];
        pictures.extend(plots.iter().map(|(title, file)| (*title, file.as_str())));
        write_text(folder, "report.md", &report.markdown(&pictures))?;
        tell!("wrote report.md, report.json and contact-sheet.png to {}", folder.display());
    }
    Ok(if report.has_faults() { Outcome::AtFault } else { Outcome::Fine })
}

/// What stays the same for all methods.
struct Comparison<'a> {
    args: &'a Args,
    gpu: &'a Gpu,
    model: &'a Model,
    /// With the shaders that are to be tried.
    subject: GpuModel,
    renderer: Renderer,
    frame: RenderTarget,
    camera: Camera,
    clip: Option<usize>,
    moments: Vec<Moment>,
    /// The linear reference's picture of each moment.
    expected: Vec<RgbaImage>,
}

struct Moment {
    time: f64,
    local: LocalPose,
    pose: ModelPose,
}

const LOOK: RenderSettings =
    RenderSettings { background: Background::Flat([0.18, 0.19, 0.21, 1.0]), grid: false, ..RenderSettings::DEFAULT };

impl<'a> Comparison<'a> {
    fn new(args: &'a Args, gpu: &'a Gpu, scene: &'a Scene) -> anyhow::Result<Self> {
        let model = &*scene.model;
        let clip = choose_clip(model, &args.files, args.clip.as_deref())?;
        let shown = clip.and_then(|clip| model.clips.get(clip));
        let times = times(args, shown)?;
        let moments: Vec<Moment> = times.iter().map(|&time| moment(model, shown, time)).collect();
        let shaders = ShaderFiles { directory: args.shaders.clone(), memory: super::memory() };
        let subject =
            scene.gpu_model(gpu, &shaders, args.limits, scene::texels(args.half_float), &Wanted::default())?;
        for note in subject.notes() {
            tell!("note: {note}");
        }
        // The reference's pictures are made by the built-in shaders from vertices of the CPU.
        let mut reference =
            scene.gpu_model(gpu, &ShaderFiles::default(), Limits::None, TexelFormat::Float, &Wanted::default())?;
        let renderer = Renderer::new(gpu, &ShaderFiles::default())?;
        let frame = RenderTarget::new(gpu, args.size.width, args.size.height)?;
        let camera = Camera::facing(model.front, clip_bounds(model, shown));
        let mut expected = Vec::new();
        for moment in &moments {
            let figure = Instance { pose: moment.posed(clip), position: Vec3::ZERO };
            renderer.draw(&frame, &mut reference, MethodId::Cpu, &camera, &LOOK, &[figure], &Marks::default())?;
            expected.push(frame.read());
        }
        Ok(Self { args, gpu, model, subject, renderer, frame, camera, clip, moments, expected })
    }

    fn run(mut self, methods: &[MethodId]) -> anyhow::Result<(ComparisonReport, Vec<Row>)> {
        let opaque = |picture: &RgbaImage| image::DynamicImage::from(picture.clone()).to_rgb8();
        let reference = Row {
            lines: vec!["reference".into(), "linear, all influences".into()],
            tiles: self.expected.iter().map(|picture| (opaque(picture), None)).collect(),
        };
        let mut rows = vec![reference];
        let mut reports = Vec::new();
        for &id in methods {
            let mut report = empty_report(id, self.args.tolerance);
            let mut pictures = Vec::new();
            match self.method(id, &mut report, &mut pictures) {
                Ok(()) => {}
                Err(Error::Unavailable { reason, .. }) => {
                    (report.verdict, report.reason) = (Agreement::Skipped, Some(reason))
                }
                Err(error @ (Error::Program { .. } | Error::Interface { .. } | Error::ShaderFile(_))) => {
                    (report.verdict, report.reason) = (Agreement::Refused, Some(error.to_string()));
                }
                Err(error) => return Err(error.into()),
            }
            rows.push(row(&report, &pictures, &self.expected));
            reports.push(report);
        }
        let report = ComparisonReport {
            model: self.model.name.clone(),
            joints: self.model.skeleton.len(),
            vertices: self.model.meshes.iter().map(|mesh| mesh.vertex_count()).sum(),
            triangles: self.model.meshes.iter().map(|mesh| mesh.triangles.len()).sum(),
            clip: self.clip.and_then(|clip| self.model.clips.get(clip)).map(|clip| clip.name.clone()),
            times: self.moments.iter().map(|moment| moment.time).collect(),
            opengl: self.gpu.strings().into_iter().map(|(_, text)| text).collect(),
            limits: self.args.limits.to_string(),
            tolerance: self.args.tolerance,
            normal_tolerance: self.args.normal_tolerance,
            methods: reports,
        };
        Ok((report, rows))
    }

    /// Measures one method; `pictures` receives one picture per moment.
    fn method(&mut self, id: MethodId, report: &mut MethodReport, pictures: &mut Vec<RgbaImage>) -> Result<(), Error> {
        let loss = self.subject.prepare(id, self.clip)?;
        report.batches = loss.batches;
        report.cost = loss.cost;
        report.bytes_fixed = loss.fixed_bytes;
        for (moment, expected) in self.moments.iter().zip(&self.expected) {
            let posed = moment.posed(self.clip);
            let measured = measure(self.gpu, self.model, &mut self.subject, id, posed)?;
            if measured.stretched_joints > 0 {
                let joints = measured.stretched_joints;
                let reason = format!(
                    "{joints} joints are scaled at {:.3} s, and its joints may only turn and move",
                    moment.time
                );
                return Err(Error::Unavailable { method: id.to_string(), reason });
            }
            report.bytes_per_frame = report.bytes_per_frame.max(measured.uploaded);
            report.trimmed_movement = report.trimmed_movement.max(measured.trimmed_movement);
            let texels = scene::texels(self.args.half_float);
            let tolerance = tolerance(id, texels, self.args.tolerance, self.model, posed);
            report.tolerance = report.tolerance.max(tolerance);
            // Half-float texels turn joints by up to 0.06 degrees (2^-12 per component, doubled), and shear them a little;
            // where joints bend against each other the normal of their blend turns more than they do.
            let coarse = if tolerance > self.args.tolerance { 0.25 } else { 0.0 };
            let normal_tolerance = self.args.normal_tolerance.max(coarse);
            let own = measured.own;
            let position_off = own.max_of_extent > tolerance || own.max_of_extent.is_nan();
            if position_off || own.normal_degrees > normal_tolerance {
                report.verdict = Agreement::Off;
                report.reason.get_or_insert_with(|| {
                    if position_off {
                        let (mesh, vertex, share) = (own.mesh, own.vertex, own.max_of_extent);
                        format!(
                            "vertex {vertex} of mesh {mesh} is {share:.1e} of the model's extent from its reference at \
                             {:.3} s, {tolerance:.0e} passes",
                            moment.time
                        )
                    } else {
                        format!(
                            "the normal of vertex {} is {:.2} degrees from its reference at {:.3} s, {normal_tolerance} pass",
                            own.normal_vertex, own.normal_degrees, moment.time
                        )
                    }
                });
            }
            let figure = Instance { pose: posed, position: Vec3::ZERO };
            self.renderer.draw(
                &self.frame,
                &mut self.subject,
                id,
                &self.camera,
                &LOOK,
                &[figure],
                &Marks::default(),
            )?;
            let picture = self.frame.read();
            report.moments.push(MomentReport {
                time: moment.time,
                own,
                linear: measured.linear,
                picture: Some(difference(&picture, expected)),
            });
            pictures.push(picture);
        }
        Ok(())
    }
}

impl Moment {
    fn posed(&self, clip: Option<usize>) -> PoseRef<'_> {
        PoseRef { model: &self.pose, local: &self.local, clip, time: self.time }
    }
}

fn moment(model: &Model, clip: Option<&Clip>, time: f64) -> Moment {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    match clip {
        Some(clip) => sample(&model.skeleton, clip, time, &mut local),
        None => rest(&model.skeleton, &mut local),
    }
    local_to_model(&model.skeleton, &local, &mut pose);
    Moment { time, local, pose }
}

/// The moments asked for; else the first, a middle frame, one between two frames, and the last.
fn times(args: &Args, clip: Option<&Clip>) -> anyhow::Result<Vec<f64>> {
    let duration = clip.map_or(0.0, |clip| clip.duration);
    for &time in &args.times {
        if !(0.0..=duration).contains(&time) {
            bail!("--times {time} is outside of the clip, which lasts {duration:.3} s");
        }
    }
    if !args.times.is_empty() {
        return Ok(args.times.clone());
    }
    let Some(clip) = clip.filter(|clip| clip.duration > 0.0) else { return Ok(vec![0.0]) };
    let frame = clip.frame_rate.map_or(duration / 24.0, f64::recip);
    let middle = ((0.5 * duration / frame).round() * frame).min(duration);
    Ok(vec![0.0, middle, (middle + 0.4 * frame).min(duration), duration])
}

fn empty_report(id: MethodId, tolerance: f64) -> MethodReport {
    MethodReport {
        method: id.to_string(),
        verdict: Agreement::Agrees,
        reason: None,
        batches: 0,
        cost: Cost::default(),
        trimmed_movement: 0.0,
        bytes_per_frame: 0,
        bytes_fixed: 0,
        tolerance,
        moments: Vec::new(),
    }
}

/// A row of the contact sheet.
fn row(report: &MethodReport, pictures: &[RgbaImage], expected: &[RgbaImage]) -> Row {
    let mut lines = vec![report.method.clone()];
    if let Some(reason) = report.reason.as_ref().filter(|_| pictures.is_empty()) {
        lines.push(reason.lines().next().unwrap_or_default().to_owned());
        return Row { lines, tiles: Vec::new() };
    }
    let worst = |of: fn(&MomentReport) -> f64| report.moments.iter().map(of).fold(0.0, f64::max);
    lines.push(report.verdict.text().to_owned());
    lines.push(format!("own reference {:.1e}", worst(|moment| moment.own.max_of_extent)));
    lines.push(format!("linear {:.1e}", worst(|moment| moment.linear.max_of_extent)));
    lines.push(format!("normals, own {:.3}\u{b0}", worst(|moment| moment.own.normal_degrees)));
    lines.push(match report.batches {
        1 => "1 batch".to_owned(),
        batches => format!("{batches} batches"),
    });
    let tile = |(picture, expected): (&RgbaImage, &RgbaImage)| {
        (image::DynamicImage::from(picture.clone()).to_rgb8(), Some(heat_map(picture, expected)))
    };
    Row { lines, tiles: pictures.iter().zip(expected).map(tile).collect() }
}

/// Every thirty degrees, a row per method.
fn curve_table(figure: Figure, curves: &[Curve]) -> Table {
    let angles = figure.angles();
    let shown: Vec<usize> = (0..angles.len()).filter(|&place| angles[place] % 30.0 == 0.0).collect();
    let headings = shown.iter().map(|&place| format!("{}\u{b0}", angles[place]));
    let mut table = Table::new(std::iter::once("method".to_owned()).chain(headings));
    for curve in curves {
        let ratios = shown.iter().map(|&place| format!("{:.4}", curve.ratios[place]));
        table.push(std::iter::once(curve.method.to_string()).chain(ratios));
    }
    table
}

fn figure_title(figure: Figure) -> &'static str {
    match figure {
        Figure::Twist => "Twist",
        Figure::Bend => "Bend",
    }
}

/// The plot as PNG and SVG and all values as CSV.
fn write_figure(folder: &Path, figure: Figure, curves: &[Curve]) -> anyhow::Result<()> {
    let name = figure.name();
    let picture = plot::picture(figure, curves)?;
    write_rgb(folder, &format!("{name}.png"), picture.width, picture.height, &picture.rgb)?;
    write_text(folder, &format!("{name}.svg"), &plot::svg(figure, curves)?)?;
    let mut table =
        Table::new(std::iter::once("degrees".to_owned()).chain(curves.iter().map(|curve| curve.method.to_string())));
    for (place, angle) in figure.angles().iter().enumerate() {
        let ratios = curves.iter().map(|curve| curve.ratios[place].to_string());
        table.push(std::iter::once(angle.to_string()).chain(ratios));
    }
    write_text(folder, &format!("{name}.csv"), &table.csv())?;
    tell!("wrote {name}.png, {name}.svg and {name}.csv to {}", folder.display());
    Ok(())
}

fn write_text(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    write_whole(&folder.join(name), |file| Ok(file.write_all(text.as_bytes())?))
}

/// A PNG of three bytes per pixel.
fn write_rgb(folder: &Path, name: &str, width: u32, height: u32, rgb: &[u8]) -> anyhow::Result<()> {
    let colour = image::ExtendedColorType::Rgb8;
    write_whole(&folder.join(name), |file| {
        Ok(image::codecs::png::PngEncoder::new(file).write_image(rgb, width, height, colour)?)
    })
}
