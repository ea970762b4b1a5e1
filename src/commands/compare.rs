//! `bindpose compare`

mod files;
mod turns;

use super::scene::{self, Opened};
use super::view::ViewArgs;
use super::{Outcome, complete};
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::compare::figures::{self, Figure};
use bindpose::compare::finding::{self, Group, Positions, SAME_WITHIN, TurnReport};
use bindpose::compare::measure::{measure, tolerance};
use bindpose::compare::page::{self, Shown};
use bindpose::compare::pictures::{Row, Scale, contact_sheet, difference};
use bindpose::compare::plot::Plot;
use bindpose::compare::report::{Agreement, ComparisonReport, MethodReport, MomentReport};
use bindpose::compare::turn::{Seam, Turn, clip_of};
use bindpose::image_habits::Wanted;
use bindpose::model::{Clip, JointId, Mesh, Model};
use bindpose::player::{Scene, View, choose_clip, paint};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose::render::{
    Background, Camera, Error, Followed, Gpu, GpuModel, Instance, Marks, PoseRef, RenderSettings, RenderTarget,
    Renderer, ShaderFiles, TexelFormat, headless,
};
use bindpose::skin::{Cost, Limits, MethodId};
use clap_complete::ArgValueCandidates;
use files::{curve_table, figure_title, write_figure, write_film, write_rgb, write_sweep, write_text};
use glam::{DVec3, Vec3, Vec4};
use image::{Rgb, RgbImage, Rgba, RgbaImage};
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
    bindpose compare --twist --bend -o out")]
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
    let (mut plots, mut drawn) = (Vec::new(), Vec::new());
    for &figure in &asked {
        let curves = figures::curves(figure, &methods)?;
        if !args.json {
            writeln!(out, "{}: {}\n{}", figure.name(), figure.measure(), curve_table(figure, &curves).text())?;
        }
        if let Some(folder) = &args.output {
            write_figure(folder, figure, &curves)?;
            plots.push((figure_title(figure), format!("{}.png", figure.name())));
            drawn.push(Plot::of_figure(figure, &curves));
        }
    }
    if !asked.is_empty() && args.files.is_empty() {
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
    let (report, mut shown) = Comparison::new(args, &gpu, &scene, plan)?.run(&methods)?;
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
    if let Some(folder) = &args.output {
        let tile = (args.size.width, args.size.height);
        let sheet = contact_sheet(&shown.headings, tile, &shown.rows, &shown.scale);
        write_rgb(folder, "contact-sheet.png", sheet.width(), sheet.height(), &sheet)?;
        write_text(folder, "report.json", &serde_json::to_string_pretty(&report)?)?;
        let mut pictures = vec![("Contact sheet", "contact-sheet.png".to_owned())];
        pictures.extend(write_sweep(folder, &report)?);
        // Where no method could be compared there is nothing to film.
        let is_filmed = report.is_sweep() && !report.groups.is_empty();
        pictures.extend(is_filmed.then(|| ("Film", "sweep.gif".to_owned())));
        pictures.extend(plots);
        shown.plots = drawn;
        write_text(folder, "report.md", &report.markdown(&pictures))?;
        write_text(folder, "report.html", &page::html(&report, &shown)?)?;
        tell!("wrote report.html, report.md, report.json and contact-sheet.png to {}", folder.display());
        // What takes longest comes last.
        if is_filmed {
            write_film(&folder.join("sweep.gif"), &report, &shown.drawn)?;
            tell!("wrote sweep.gif to {}", folder.display());
        }
    }
    Ok(if report.has_faults() { Outcome::AtFault } else { Outcome::Fine })
}

/// Moments to compare at.
struct Plan {
    clip: Option<usize>,
    times: Vec<f64>,
    /// What people call each.
    names: Vec<String>,
    /// Degrees, of a joint that is turned.
    angles: Vec<f64>,
    /// The one turn, if there is one, by its last angle, and the pose without it.
    turn: Option<(Turn, LocalPose)>,
}

/// The moments asked for. A pose that was asked for becomes a clip of the model.
fn plan(args: &Args, scene: &mut Scene) -> anyhow::Result<Plan> {
    let model = &*scene.model;
    let turns = args.poses.iter().map(|pose| pose.turn(model)).collect::<anyhow::Result<Vec<Turn>>>()?;
    let sweep = args.sweep.as_ref().map(|sweep| sweep.turns(model)).transpose()?;
    if turns.is_empty() && sweep.is_none() {
        let clip = choose_clip(model, &args.files, args.clip.as_deref())?;
        let times = times(args, clip.and_then(|clip| model.clips.get(clip)))?;
        let names = times.iter().map(|time| format!("{time:.3} s")).collect();
        return Ok(Plan { clip, times, names, angles: Vec::new(), turn: None });
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
    // A sweep starts from the poses; one turn alone is what the comparison is about.
    let (others, subjects) = match (sweep, turns.as_slice()) {
        (Some(sweep), _) => (turns, sweep),
        (None, [only]) => (Vec::new(), vec![*only]),
        (None, _) => (turns, Vec::new()),
    };
    others.iter().for_each(|turn| turn.apply(&mut base));
    let turned = |turn: &Turn| {
        let mut pose = base.clone();
        turn.apply(&mut pose);
        pose
    };
    let poses: Vec<LocalPose> =
        if subjects.is_empty() { vec![base.clone()] } else { subjects.iter().map(turned).collect() };
    let clip = clip_of(if args.sweep.is_some() { "sweep" } else { "pose" }, &poses, SWEEP_INTERVAL);
    let plan = Plan {
        clip: Some(model.clips.len()),
        times: (0..poses.len()).map(|number| number as f64 * SWEEP_INTERVAL).collect(),
        names: match subjects.as_slice() {
            [] => vec!["the pose".to_owned()],
            subjects => subjects.iter().map(|turn| format!("{}\u{b0}", turn.degrees)).collect(),
        },
        angles: subjects.iter().map(|turn| turn.degrees).collect(),
        turn: subjects.last().map(|&turn| (turn, base)),
    };
    Arc::make_mut(&mut scene.model).clips.push(clip);
    Ok(plan)
}

/// What stays the same for all methods.
struct Comparison<'a> {
    args: &'a Args,
    gpu: &'a Gpu,
    model: &'a Model,
    /// With the shaders that are to be tried.
    subject: GpuModel,
    /// With the built-in ones: pictures of the reference are made from vertices of the CPU.
    reference: GpuModel,
    renderer: Renderer,
    frame: RenderTarget,
    view: View,
    plan: Plan,
    moments: Vec<Moment>,
    seam: Option<Seam>,
    /// Of the meshes before the turn.
    volume: f64,
}

struct Moment {
    time: f64,
    local: LocalPose,
    pose: ModelPose,
    camera: Camera,
}

/// What one method made of the moments.
#[derive(Default)]
struct Tried {
    positions: Positions,
    /// How far each vertex is from the weighted sum, model units: by moment, by mesh.
    from_linear: Vec<Vec<Vec<f32>>>,
    /// Of each moment.
    extents: Vec<f64>,
}

const LOOK: RenderSettings =
    RenderSettings { background: Background::Flat([0.18, 0.19, 0.21, 1.0]), grid: false, ..RenderSettings::DEFAULT };

/// Seconds between the angles of a sweep, in its clip and in its film.
const SWEEP_INTERVAL: f64 = 0.1;
/// Moments that the contact sheet shows at most.
const MOST_SHOWN: usize = 4;
/// Meshes whose error is shown in colours at most: OpenGL's wrapper looks through all vertex buffers for each that goes.
const MOST_COLOURED: usize = 1_000;

impl<'a> Comparison<'a> {
    fn new(args: &'a Args, gpu: &'a Gpu, scene: &'a Scene, plan: Plan) -> anyhow::Result<Self> {
        let model = &*scene.model;
        let shown = plan.clip.and_then(|clip| model.clips.get(clip));
        let shaders = ShaderFiles { directory: args.shaders.clone(), memory: super::memory() };
        let subject =
            scene.gpu_model(gpu, &shaders, args.limits, scene::texels(args.half_float), &Wanted::default())?;
        for note in subject.notes() {
            tell!("note: {note}");
        }
        let reference =
            scene.gpu_model(gpu, &ShaderFiles::default(), Limits::None, TexelFormat::Float, &Wanted::default())?;
        let view = args.view.view(model)?;
        let (camera, _) = view.framing(model, shown, 1);
        let turned = plan.turn.as_ref().map(|(turn, _)| view.target.unwrap_or(turn.joint));
        let moments = plan.times.iter().map(|&time| {
            let mut moment = moment(model, shown, time, &view, camera);
            if let Some(joint) = turned {
                moment.camera = near(model, &view, joint, &moment.pose, moment.camera);
            }
            moment
        });
        let moments = moments.collect();
        let mut before = ModelPose::default();
        let mut seam = None;
        let mut volume = 0.0;
        if let Some((turn, local)) = &plan.turn {
            local_to_model(&model.skeleton, local, &mut before);
            seam = Seam::new(model, &before, turn);
            volume = enclosed(model, &paint::linear_positions(model, &before));
        }
        Ok(Self {
            args,
            gpu,
            model,
            subject,
            reference,
            renderer: Renderer::new(gpu, &ShaderFiles::default())?,
            frame: RenderTarget::new(gpu, args.size.width, args.size.height)?,
            view,
            plan,
            moments,
            seam,
            volume,
        })
    }

    fn run(mut self, methods: &[MethodId]) -> anyhow::Result<(ComparisonReport, Shown)> {
        let mut reports = Vec::new();
        let mut tried = Vec::new();
        for &id in methods {
            let mut report = empty_report(id, self.args.tolerance);
            let mut vertices = Tried::default();
            match self.measure(id, &mut report, &mut vertices) {
                Ok(()) => {}
                Err(error) => {
                    leave_out(&mut report, error)?;
                    vertices = Tried::default();
                }
            }
            reports.push(report);
            tried.push(vertices);
        }
        let extents =
            tried.iter().find(|tried| !tried.extents.is_empty()).map_or(Vec::new(), |tried| tried.extents.clone());
        let bounds: Vec<f64> = extents.iter().map(|extent| SAME_WITHIN * extent).collect();
        let positions: Vec<Positions> = tried.iter_mut().map(|tried| std::mem::take(&mut tried.positions)).collect();
        let together = finding::together(&positions, &bounds);
        drop(positions);

        let blank = self.blank()?;
        let expected: Vec<RgbaImage> =
            (0..self.moments.len()).map(|number| self.expected(number)).collect::<Result<_, _>>()?;
        let mut drawn = vec![Vec::new(); methods.len()];
        for (number, &id) in methods.iter().enumerate() {
            if reports[number].moments.is_empty() {
                continue;
            }
            let is_shown = together.iter().any(|group| group[0] == number);
            for (moment, expected) in expected.iter().enumerate() {
                match self.picture(id, moment, self.moments[moment].camera, None) {
                    Ok(picture) => {
                        let apart = difference(&picture, expected, blank);
                        reports[number].moments[moment].picture = Some(apart);
                        if is_shown {
                            drawn[number].push(opaque(&picture));
                        }
                    }
                    Err(error) => {
                        leave_out(&mut reports[number], error)?;
                        break;
                    }
                }
            }
        }
        let together: Vec<Vec<usize>> = together
            .into_iter()
            .map(|group| group.into_iter().filter(|&number| !reports[number].moments.is_empty()).collect::<Vec<_>>())
            .filter(|group: &Vec<usize>| group.first().is_some_and(|&first| !drawn[first].is_empty()))
            .collect();
        let groups = finding::groups(&reports, &together);
        let turn = self.plan.turn.as_ref().map(|(turn, _)| TurnReport {
            joint: self.model.skeleton[turn.joint].name.clone(),
            verb: turn.verb(&self.model.skeleton),
            from: self.plan.angles.first().copied().filter(|_| self.plan.angles.len() > 1),
            degrees: turn.degrees,
        });
        let report = ComparisonReport {
            finding: finding::sentence(&reports, &groups, turn.as_ref(), &self.plan.names),
            same_within: SAME_WITHIN,
            turn,
            angles: self.plan.angles.clone(),
            moments: self.plan.names.clone(),
            model: self.model.name.clone(),
            joints: self.model.skeleton.len(),
            vertices: self.model.meshes.iter().map(|mesh| mesh.vertex_count()).sum(),
            triangles: self.model.meshes.iter().map(|mesh| mesh.triangles.len()).sum(),
            clip: self.plan.clip.and_then(|clip| self.model.clips.get(clip)).map(|clip| clip.name.clone()),
            times: self.moments.iter().map(|moment| moment.time).collect(),
            opengl: self.gpu.strings().into_iter().map(|(_, text)| text).collect(),
            limits: self.args.limits.to_string(),
            tolerance: self.args.tolerance,
            normal_tolerance: self.args.normal_tolerance,
            groups,
            methods: reports,
        };
        self.show(report, methods, &tried, &extents, drawn, &expected)
    }

    /// Draws what the report shows: for each group pictures of some moments, the error on the mesh, and the worst joint.
    fn show(
        mut self,
        report: ComparisonReport,
        methods: &[MethodId],
        tried: &[Tried],
        extents: &[f64],
        mut drawn: Vec<Vec<RgbImage>>,
        expected: &[RgbaImage],
    ) -> anyhow::Result<(ComparisonReport, Shown)> {
        let firsts: Vec<usize> = report
            .groups
            .iter()
            .filter_map(|group| report.methods.iter().position(|method| Some(&method.method) == group.methods.first()))
            .collect();
        // One scale for all, of the largest error, at least of what counts as none.
        let share = report.groups.last().map_or(0.0, |group| group.departs_by);
        let share = if share.is_finite() { share.max(SAME_WITHIN) } else { 1.0 };
        let scale = Scale {
            colours: (0..64).map(|step| srgb(paint::heat(step as f32 / 63.0))).collect(),
            most: format!("{} of the size", finding::percent(share)),
        };
        let colours = |number: usize, moment: usize| {
            let most = share * extents.get(moment).copied().unwrap_or(1.0);
            paint::distances(&tried[number].from_linear[moment], most as f32)
        };
        let shown = spread(self.moments.len(), MOST_SHOWN);
        let zoom = self.zoom(&report);
        let mut headings: Vec<String> = Vec::new();
        for &moment in &shown {
            let error = if self.shows_errors() { "error" } else { "not coloured: too many meshes" };
            headings.extend([self.plan.names[moment].clone(), error.to_owned()]);
        }
        let mut reference =
            Row { lines: vec!["reference".into(), "weighted sum of all influences".into()], ..Row::default() };
        reference.tiles.extend(shown.iter().flat_map(|&moment| [Some(opaque(&expected[moment])), None]));
        if let Some((moment, camera, joint)) = &zoom {
            headings.extend([format!("{joint}, {}", self.plan.names[*moment]), "error".to_owned()]);
            reference.tiles.extend([Some(opaque(&self.draw_expected(*moment, *camera)?)), None]);
        }
        let mut rows = vec![reference];
        for (group, &number) in report.groups.iter().zip(&firsts) {
            let id = methods[number];
            let mut tiles = Vec::new();
            for &moment in &shown {
                let camera = self.moments[moment].camera;
                let error = self.error_picture(id, moment, camera, || colours(number, moment))?;
                tiles.extend([drawn[number].get(moment).cloned(), error]);
            }
            if let Some((moment, camera, _)) = zoom {
                let near = self.picture(id, moment, camera, None)?;
                let error = self.error_picture(id, moment, camera, || colours(number, moment))?;
                tiles.extend([Some(opaque(&near)), error]);
            }
            rows.push(Row { lines: about(group), tiles });
        }
        let left_out = report.methods.iter().filter(|method| method.moments.is_empty());
        rows.extend(left_out.map(|method| {
            let reason = method.reason.as_ref().and_then(|reason| reason.lines().next()).unwrap_or_default();
            Row { lines: vec![method.method.clone(), reason.to_owned()], tiles: Vec::new() }
        }));
        let drawn = firsts.iter().map(|&number| std::mem::take(&mut drawn[number])).collect();
        let expected = expected.iter().map(opaque).collect();
        self.subject.forget_programs();
        self.reference.forget_programs();
        Ok((report, Shown { expected, drawn, headings, rows, scale, plots: Vec::new() }))
    }

    /// Where the methods differ most, seen from nearby: the moment, the camera, the joint's name. A joint that was asked for
    /// comes before the one with the largest error.
    fn zoom(&self, report: &ComparisonReport) -> Option<(usize, Camera, String)> {
        // Pictures of a turn are of its joint anyway.
        let worst = report.groups.last().filter(|group| group.departs_by > SAME_WITHIN && self.plan.turn.is_none())?;
        let named = || worst.joint.as_deref().and_then(|name| self.model.skeleton.find(name));
        let joint = self.view.target.or_else(named)?;
        let moment = &self.moments[worst.moment];
        let camera = near(self.model, &self.view, joint, &moment.pose, moment.camera);
        Some((worst.moment, Camera { zoom: 1.0, ..camera }, self.model.skeleton[joint].name.clone()))
    }

    /// The colour of pixels in which there is nothing.
    fn blank(&mut self) -> Result<Rgba<u8>, Error> {
        let camera = self.moments[0].camera;
        let marks = Marks::default();
        self.renderer.draw(&self.frame, &mut self.reference, MethodId::Cpu, &camera, &LOOK, &[], &marks)?;
        Ok(*self.frame.read().get_pixel(0, 0))
    }

    fn expected(&mut self, moment: usize) -> Result<RgbaImage, Error> {
        self.draw_expected(moment, self.moments[moment].camera)
    }

    fn draw_expected(&mut self, moment: usize, camera: Camera) -> Result<RgbaImage, Error> {
        let figure = Instance { pose: self.moments[moment].posed(self.plan.clip), position: Vec3::ZERO };
        let marks = Marks::default();
        self.renderer.draw(&self.frame, &mut self.reference, MethodId::Cpu, &camera, &LOOK, &[figure], &marks)?;
        Ok(self.frame.read())
    }

    /// A method's error in colours on the meshes, if there are not too many.
    fn error_picture(
        &mut self,
        id: MethodId,
        moment: usize,
        camera: Camera,
        colours: impl FnOnce() -> paint::Colours,
    ) -> Result<Option<RgbImage>, Error> {
        if !self.shows_errors() {
            return Ok(None);
        }
        Ok(Some(opaque(&self.picture(id, moment, camera, Some(&colours()))?)))
    }

    /// Whether the error is shown in colours on the meshes.
    fn shows_errors(&self) -> bool {
        self.model.meshes.len() <= MOST_COLOURED
    }

    /// A method's picture of a moment, in its own colours or in others.
    fn picture(
        &mut self,
        id: MethodId,
        moment: usize,
        camera: Camera,
        colours: Option<&paint::Colours>,
    ) -> Result<RgbaImage, Error> {
        let figure = Instance { pose: self.moments[moment].posed(self.plan.clip), position: Vec3::ZERO };
        if let Some(colours) = colours {
            self.subject.paint(id, self.plan.clip, Some(colours))?;
        }
        let marks = Marks::default();
        self.renderer.draw(&self.frame, &mut self.subject, id, &camera, &LOOK, &[figure], &marks)?;
        if colours.is_some() {
            self.subject.paint(id, self.plan.clip, None)?;
        }
        Ok(self.frame.read())
    }

    /// Measures one method at every moment.
    fn measure(&mut self, id: MethodId, report: &mut MethodReport, tried: &mut Tried) -> Result<(), Error> {
        let loss = self.subject.prepare(id, self.plan.clip)?;
        report.batches = loss.batches;
        report.cost = loss.cost;
        report.bytes_fixed = loss.fixed_bytes;
        for (moment, name) in self.moments.iter().zip(&self.plan.names) {
            let posed = moment.posed(self.plan.clip);
            let measured = measure(self.gpu, self.model, &mut self.subject, id, posed)?;
            if measured.stretched_joints > 0 {
                let joints = measured.stretched_joints;
                let reason = format!("{joints} joints are scaled at {name}, and its joints may only turn and move");
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
            let own = &measured.own;
            let position_off = own.max_of_extent > tolerance || own.max_of_extent.is_nan();
            if position_off || own.normal_degrees > normal_tolerance {
                report.verdict = Agreement::Off;
                report.reason.get_or_insert_with(|| {
                    if position_off {
                        let (mesh, vertex, share) = (own.mesh, own.vertex, own.max_of_extent);
                        let joint = own.joint.as_ref().map_or(String::new(), |joint| format!(", which {joint} moves most,"));
                        format!(
                            "vertex {vertex} of mesh {mesh}{joint} is {share:.1e} of the model's extent from its reference \
                             at {name}, {tolerance:.0e} passes"
                        )
                    } else {
                        format!(
                            "the normal of vertex {} is {:.2} degrees from its reference at {name}, {normal_tolerance} pass",
                            own.normal_vertex, own.normal_degrees
                        )
                    }
                });
            }
            report.moments.push(MomentReport {
                time: moment.time,
                own: measured.own,
                linear: measured.linear,
                picture: None,
                thickness: self.seam.as_ref().map(|seam| seam.thickness(&measured.positions)),
                volume: self.seam.is_some().then(|| enclosed(self.model, &measured.positions) / self.volume),
            });
            tried.positions.push(measured.positions);
            tried.from_linear.push(measured.from_linear);
            tried.extents.push(measured.extent);
        }
        Ok(())
    }
}

/// A camera that sees a joint from so near that the joints next to it are at the picture's edges.
fn near(model: &Model, view: &View, joint: JointId, pose: &ModelPose, camera: Camera) -> Camera {
    let at = pose.0[joint.index()].translation;
    let parent = model.skeleton[joint].parent;
    let joints = model.skeleton.ids().zip(model.skeleton.joints());
    let next = joints.filter(|(id, known)| known.parent == Some(joint) || parent == Some(*id));
    let reach = next.map(|(id, _)| pose.0[id.index()].translation.distance(at)).fold(0.0, f64::max) as f32;
    let extent = camera.framed.extent();
    let reach = Vec3::splat(0.6 * reach.clamp(0.1 * extent, 0.5 * extent));
    let at = view.world_from_model * at.as_vec3();
    Camera { followed: Some(Followed { at, reach }), ..camera }
}

/// Notes why a method takes no part, where that is no reason to give up altogether.
fn leave_out(report: &mut MethodReport, error: Error) -> Result<(), Error> {
    (report.verdict, report.reason) = match error {
        Error::Unavailable { reason, .. } => (Agreement::Skipped, Some(reason)),
        Error::Program { .. } | Error::Interface { .. } | Error::ShaderFile(_) => {
            (Agreement::Refused, Some(error.to_string()))
        }
        error => return Err(error),
    };
    report.moments.clear();
    Ok(())
}

/// Volume inside all meshes.
fn enclosed(model: &Model, positions: &[Vec<Vec3>]) -> f64 {
    let of_mesh = |(mesh, positions): (&Mesh, &Vec<Vec3>)| {
        let positions: Vec<DVec3> = positions.iter().map(|position| position.as_dvec3()).collect();
        figures::volume(mesh, &positions)
    };
    model.meshes.iter().zip(positions).map(of_mesh).sum()
}

fn opaque(picture: &RgbaImage) -> RgbImage {
    image::DynamicImage::from(picture.clone()).to_rgb8()
}

/// A colour of linear light for a picture.
fn srgb(linear: Vec4) -> Rgb<u8> {
    let channel = |value: f32| {
        let encoded = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    };
    Rgb([channel(linear.x), channel(linear.y), channel(linear.z)])
}

/// At most so many numbers below `count`, the first and the last among them.
fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|place| place * (count - 1) / (most - 1)).collect()
}

impl Moment {
    fn posed(&self, clip: Option<usize>) -> PoseRef<'_> {
        PoseRef { model: &self.pose, local: &self.local, clip, time: self.time }
    }
}

fn moment(model: &Model, clip: Option<&Clip>, time: f64, view: &View, mut camera: Camera) -> Moment {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    match clip {
        Some(clip) => sample(&model.skeleton, clip, time, &mut local),
        None => rest(&model.skeleton, &mut local),
    }
    local_to_model(&model.skeleton, &local, &mut pose);
    view.follow(&mut camera, &pose);
    Moment { time, local, pose, camera }
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

/// Beside a group's pictures.
fn about(group: &Group) -> Vec<String> {
    let mut lines = vec![finding::label(&group.methods)];
    lines.push(format!("{} from the weighted sum", finding::percent(group.departs_by)));
    if let Some(joint) = group.joint.as_ref().filter(|_| group.departs_by > SAME_WITHIN) {
        lines.push(format!("at {joint}"));
    }
    lines.extend(group.similarity.map(|similarity| format!("similarity {similarity:.4}")));
    lines.extend(group.thickness.map(|left| format!("thickness left {}", finding::percent(left))));
    // The others of the group, as many as a line holds.
    if group.methods.len() > 1 {
        let mut line = String::new();
        for name in &group.methods {
            if line.len() + name.len() > 26 {
                lines.push(std::mem::take(&mut line));
            }
            line += &format!("{name} ");
        }
        lines.push(line);
    }
    lines
}
