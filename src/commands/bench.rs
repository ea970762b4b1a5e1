//! `bindpose bench`

use super::format_arg::FormatArg;
use super::load_args::LoadArgs;
use super::render::Size;
use super::shaders_arg::ShadersArg;
use super::turns::PoseArg;
use super::{Outcome, complete, report_json, write_text};
use super::{compare, scene};
use crate::commands::output::{self, tell};
use anyhow::{Context, bail};
use bindpose::budget::Budget;
use bindpose::image_search::ImageChoices;
use bindpose::play::Playback;
use bindpose::pose::{LocalPose, ModelPose};
use bindpose::render::{
    Camera, Error, FrameCost, Gpu, GpuModel, GpuTimer, Instance, PipelineStats, RenderTarget, Renderer, ShaderFiles,
    bounds_of_places, clip_bounds, headless, places,
};
use bindpose::runtime::{Character, RuntimeClip, RuntimeSkeleton, pose_all};
use bindpose::skin::{Limits, MethodId, SkinningStage};
use bindpose_compare::comparison::{ComparisonSettings, MethodComparison};
use bindpose_compare::timing::{MethodTiming, Timing, interquartile_range, lower_quartile, median, series_chart};
use bindpose_parsers::counted;
use bindpose_player::{Scene, View, choose_clip};
use clap_complete::ArgValueCandidates;
use glam::{DAffine3, Vec3};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time the skinning methods
///
/// Draws many copies of a model on a tiny image, without textures and light, so that vertices are the bottleneck, as in
/// article 000. The methods take turns. The result of a turn is the lower quartile of its frame times, that of a method
/// the median of its turns. A frame ends when the GPU is done.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose bench\n  \
    bindpose bench body.md5mesh walk.md5anim --methods matrix-blend,dqs,cpu\n  \
    bindpose bench body.md5mesh walk.md5anim --copies 1,10,36,100 -o series.svg")]
pub struct Args {
    /// Model and clips, as for `play` [default: the bundled sample]
    files: Vec<PathBuf>,
    /// Methods to time, separated by commas [default: all]
    #[arg(short, long, value_name = "A,B,…", value_delimiter = ',', add = ArgValueCandidates::new(complete::methods))]
    methods: Vec<String>,
    /// Clip to play, by name or by number from 1
    #[arg(short, long, value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    clip: Option<String>,
    /// Turn of a joint about one of its own axes, from the rest pose or the pose of --clip, in which the distance from the
    /// weighted sum and the thickness left are measured; repeatable
    #[arg(long = "pose", value_name = "JOINT=AXIS,DEGREES")]
    poses: Vec<PoseArg>,
    /// Copies of the model, each at another time of the clip; several numbers, separated by commas, are timed one after the
    /// other
    #[arg(long, value_name = "N,N,…", default_value = "36", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=10_000))]
    copies: Vec<u32>,
    /// Chart of the time of a frame over several numbers of --copies (.svg)
    #[arg(short, long, value_name = "FILE", value_parser = super::output_path())]
    output: Option<PathBuf>,
    /// Width and height of the image in pixels
    #[arg(long, help_heading = "Measurement", value_name = "WxH", default_value = "64x64")]
    size: Size,
    /// Turns of each method
    #[arg(long, help_heading = "Measurement", value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Length of a turn in milliseconds; at least one frame
    #[arg(long, help_heading = "Measurement", value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    turn: u64,
    /// Limits of a machine: ffp2 (GeForce 256), vertex shaders vs11, vs20 or vs30, gl2 (this machine with the articles'
    /// array sizes) or none
    #[arg(long, value_name = "LIMITS", default_value_t = Limits::default(), add = ArgValueCandidates::new(complete::limits))]
    limits: Limits,
    #[command(flatten)]
    shaders: ShadersArg,
    #[command(flatten)]
    format: FormatArg,
    #[command(flatten)]
    load: LoadArgs,
}

/// Times the methods.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if args.output.is_some() && args.copies.len() < 2 {
        bail!("a chart needs several numbers of --copies, such as 1,10,36,100");
    }
    let methods = args.shaders.methods_called(&args.methods)?;
    let Some(mut scene) = scene::open(&args.files, args.load.options()?, true)? else {
        return Ok(Outcome::AtFault);
    };
    let gpu = headless().context("timing needs OpenGL; `bindpose doctor` explains what is missing")?;
    let shaders = args.shaders.files(args.load.limit());
    let mut series = Vec::new();
    for &copies in &args.copies {
        let subject = scene.gpu_model(&gpu, &shaders, args.limits, &ImageChoices::default())?;
        series.push(Bench::new(args, &gpu, &scene, subject, copies as usize)?.run(&methods)?);
    }
    if gpu.has_transform_feedback() {
        let plan = compare::plan(&mut scene, (&args.files, args.clip.as_deref()), &[], &args.poses, None)?;
        let subject = scene.gpu_model(&gpu, &shaders, args.limits, &ImageChoices::default())?;
        let settings = ComparisonSettings {
            view: View::default(),
            size: args.size.pixels(),
            tolerance: f64::INFINITY,
            normal_tolerance: f64::INFINITY,
            limits: args.limits,
            times_frames: false,
        };
        let comparison = MethodComparison::new(&gpu, &scene.loaded.model, subject, None, plan, settings)?;
        let (shapes, _) = comparison.run(&methods, false)?;
        series.iter_mut().for_each(|timing| timing.add_shapes(&shapes));
    }
    scene.lost_images().for_each(|left| tell!("note: {left}"));
    match series.as_slice() {
        [timing] if args.format.is_json() => writeln!(out, "{}", report_json(timing, &scene.loaded.left_out)?)?,
        series if args.format.is_json() => {
            writeln!(out, "{}", report_json(&Series { series }, &scene.loaded.left_out)?)?;
        }
        series => print(series, out)?,
    }
    series.iter().filter_map(Timing::warning).for_each(|warning| tell!("warning: {warning}"));
    if let Some(path) = &args.output {
        write_text(path, &series_chart(&series).svg())?;
        tell!("wrote {}", path.display());
    }
    Ok(Outcome::of(&scene.loaded.left_out))
}

/// Measurements with several numbers of copies, as JSON.
#[derive(Serialize)]
struct Series<'a> {
    series: &'a [Timing],
}

/// Prints measurements as text.
fn print(series: &[Timing], out: &mut dyn Write) -> anyhow::Result<()> {
    for timing in series {
        writeln!(out, "{}", timing.opengl.join(", "))?;
        writeln!(
            out,
            "{}: {} joints, {} vertices, {} triangles; {} on {}x{} pixels, median of {} turns\n",
            timing.model,
            timing.joints,
            timing.vertices,
            timing.triangles,
            counted(timing.copies, "copy", "copies"),
            timing.size.0,
            timing.size.1,
            timing.rounds
        )?;
        writeln!(out, "{}", timing.table().text())?;
    }
    Ok(series.first().map_or(Ok(()), |timing| writeln!(out, "{}", timing.legend()))?)
}

/// State that all methods share.
struct Bench<'a> {
    args: &'a Args,
    gpu: &'a Gpu,
    scene: &'a Scene,
    subject: GpuModel,
    renderer: Renderer,
    /// GPU timer; `None` without timer queries.
    timer: Option<GpuTimer>,
    target: RenderTarget,
    camera: Camera,
    clip: Option<usize>,
    playback: Playback,
    skeleton: RuntimeSkeleton,
    /// The clip prepared for playback; `None` without a clip.
    laid_out: Option<RuntimeClip>,
    places: Vec<Vec3>,
    poses: Vec<(LocalPose, ModelPose)>,
}

/// Measurements of one turn of a method.
#[derive(Default)]
struct Turn {
    /// Seconds of each frame, from posing until the GPU is done.
    frames: Vec<f64>,
    pose: Duration,
    cost: FrameCost,
    /// Time spent waiting for the GPU after the last draw call.
    waited: Duration,
    /// Time measured by the GPU's clock.
    on_gpu: Duration,
}

impl Turn {
    /// Returns the share of the time that frames took beyond the fastest quarter.
    fn disturbed(&self) -> f64 {
        let took: f64 = self.frames.iter().sum();
        (1.0 - lower_quartile(&self.frames) * self.frames.len() as f64 / took).max(0.0)
    }

    /// Returns the frames per second of the lower quartile, which other programs hardly affect.
    fn speed(&self) -> f64 {
        lower_quartile(&self.frames).recip()
    }
}

/// Method under test.
struct Candidate {
    id: MethodId,
    stats: PipelineStats,
    turns: Vec<Turn>,
}

impl<'a> Bench<'a> {
    fn new(args: &'a Args, gpu: &'a Gpu, scene: &'a Scene, subject: GpuModel, copies: usize) -> anyhow::Result<Self> {
        let model = &*scene.loaded.model;
        let clip = choose_clip(scene, &args.files, args.clip.as_deref())?;
        let shown = clip.and_then(|clip| model.clips.get(clip));
        let budget = Budget::new(args.load.limit());
        let camera = Camera::facing(model.front, clip_bounds(model, shown));
        let bounds = camera.framed;
        let places = places(copies, &bounds);
        Ok(Self {
            args,
            gpu,
            scene,
            subject,
            renderer: Renderer::new(gpu, &ShaderFiles::default())?,
            timer: GpuTimer::new(gpu),
            target: RenderTarget::with_samples(gpu, args.size.width, args.size.height, 1)?,
            camera: Camera { framed: bounds_of_places(&places, &bounds), ..camera },
            clip,
            playback: Playback::new(shown),
            skeleton: RuntimeSkeleton::new(&model.skeleton),
            laid_out: shown.map(|clip| RuntimeClip::new(&model.skeleton, clip, &budget)).transpose()?,
            poses: vec![Default::default(); places.len()],
            places,
        })
    }

    fn run(mut self, methods: &[MethodId]) -> anyhow::Result<Timing> {
        let mut left_out: Vec<(MethodId, String)> = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        // Methods are compared with matrix-blend, so it is always timed.
        let mut expected = Duration::ZERO;
        let with_base = methods.iter().copied().chain([MethodId::MatrixBlend]);
        for id in with_base {
            if candidates.iter().any(|candidate| candidate.id == id) || left_out.iter().any(|(other, _)| *other == id) {
                continue;
            }
            match self.warm_up(id) {
                Ok((stats, frame)) => {
                    candidates.push(Candidate { id, stats, turns: Vec::new() });
                    // A turn ends with a complete frame.
                    expected += Duration::from_millis(self.args.turn).max(frame) + frame / 2;
                }
                Err(Error::Unavailable { reason, .. }) => left_out.push((id, reason)),
                Err(error) => return Err(error.into()),
            }
        }
        tell!(
            "{} methods, {} each: about {:.0} s",
            candidates.len(),
            if self.args.rounds == 1 { "1 turn".to_owned() } else { format!("{} turns", self.args.rounds) },
            f64::from(self.args.rounds) * expected.as_secs_f64()
        );
        let progress = output::progress(self.args.rounds as usize * candidates.len(), "turns");
        for round in 0..self.args.rounds as usize {
            // Every second round runs in reverse order, so that a machine that slows down affects all equally.
            let count = candidates.len();
            for number in 0..count {
                let number = if round % 2 == 0 { number } else { count - 1 - number };
                let turn = self.turn(candidates[number].id)?;
                candidates[number].turns.push(turn);
                progress.inc(1);
            }
        }
        progress.finish_and_clear();
        let model = &*self.scene.loaded.model;
        Ok(Timing {
            model: model.name.clone(),
            joints: model.skeleton.len(),
            vertices: model.meshes.iter().map(|mesh| mesh.vertex_count()).sum(),
            triangles: model.meshes.iter().map(|mesh| mesh.triangles.len()).sum(),
            clip: self.clip.and_then(|clip| model.clips.get(clip)).map(|clip| clip.name.clone()),
            copies: self.places.len(),
            size: self.target.size(),
            rounds: self.args.rounds as usize,
            opengl: self.gpu.strings().into_iter().map(|(_, text)| text).collect(),
            disturbed: {
                let turns = candidates.iter().flat_map(|candidate| &candidate.turns);
                median(&turns.map(Turn::disturbed).collect::<Vec<_>>())
            },
            methods: methods.iter().map(|&id| timing(id, &candidates, &left_out, self.timer.is_some())).collect(),
        })
    }

    /// Draws two frames; the first one compiles programs and creates buffers. Returns the batches and memory, and the
    /// duration of the second frame.
    fn warm_up(&mut self, id: MethodId) -> Result<(PipelineStats, Duration), Error> {
        let stats = self.subject.prepare(id, self.clip)?;
        self.frame(id)?;
        self.gpu.finish();
        let start = Instant::now();
        self.frame(id)?;
        self.gpu.finish();
        Ok((stats, start.elapsed()))
    }

    fn turn(&mut self, id: MethodId) -> Result<Turn, Error> {
        let mut turn = Turn::default();
        self.gpu.finish();
        // Discards the times of earlier frames.
        self.timer.as_mut().map(GpuTimer::take);
        let start = Instant::now();
        while turn.frames.is_empty() || start.elapsed().as_millis() < u128::from(self.args.turn) {
            let frame = Instant::now();
            let (pose, cost) = self.frame(id)?;
            // Waits after each frame, so that the CPU's work on the next frame does not overlap the GPU's work on this
            // one.
            let submitted = Instant::now();
            self.gpu.finish();
            turn.waited += submitted.elapsed();
            turn.frames.push(frame.elapsed().as_secs_f64());
            turn.on_gpu += self.timer.as_mut().map_or(Duration::ZERO, GpuTimer::take);
            turn.pose += pose;
            turn.cost.palette += cost.palette;
            turn.cost.upload += cost.upload;
            turn.cost.driver += cost.driver;
            turn.cost.bytes += cost.bytes;
            turn.cost.vertices += cost.vertices;
        }
        Ok(turn)
    }

    /// Draws one frame of all copies. Returns the duration of posing them.
    fn frame(&mut self, id: MethodId) -> Result<(Duration, FrameCost), Error> {
        let start = Instant::now();
        // The step is fixed, so that every method gets the same poses.
        self.playback.advance(1.0 / 30.0);
        let model = &*self.scene.loaded.model;
        let clip = self.clip.and_then(|clip| model.clips.get(clip));
        let mut times = Vec::with_capacity(self.poses.len());
        let mut characters = Vec::new();
        for (number, (local, pose)) in self.poses.iter_mut().enumerate() {
            let phase = (number as f64 * 0.618_033_988_749_895).fract() * self.playback.duration();
            times.push(match (&self.laid_out, id.method().stage) {
                // gpu-hierarchy computes model space on the GPU.
                (_, SkinningStage::FragmentPasses) => self.playback.local_pose(&model.skeleton, clip, phase, local),
                (Some(clip), _) => {
                    let time = self.playback.time_later(phase);
                    pose.0.resize(self.skeleton.len(), DAffine3::IDENTITY);
                    characters.push(Character { clip, time, joints: &mut pose.0 });
                    time
                }
                (None, _) => self.playback.pose(&model.skeleton, clip, phase, local, pose),
            });
        }
        pose_all(&self.skeleton, &mut characters);
        let posed = start.elapsed();
        let instances: Vec<Instance<'_>> = self
            .poses
            .iter()
            .zip(&times)
            .zip(&self.places)
            .map(|(((local, model), &time), &position)| Instance { model, local, clip: self.clip, time, position })
            .collect();
        let (subject, timer) = (&mut self.subject, self.timer.as_mut());
        let cost = self.renderer.draw_bare(&self.target, subject, id, &self.camera, &instances, timer)?;
        Ok((posed, cost))
    }
}

/// Returns the medians over the turns of a method.
fn timing(id: MethodId, candidates: &[Candidate], left_out: &[(MethodId, String)], has_clock: bool) -> MethodTiming {
    let find = |id| candidates.iter().find(|candidate| candidate.id == id);
    let Some(candidate) = find(id) else {
        let reason = left_out.iter().find(|(other, _)| *other == id).map(|(_, reason)| reason.clone());
        return MethodTiming { method: id.to_string(), reason, ..MethodTiming::default() };
    };
    let of_turns = |of: &dyn Fn(&Turn) -> f64| median(&candidate.turns.iter().map(of).collect::<Vec<_>>());
    let count = |turn: &Turn| turn.frames.len() as f64;
    let per_frame = |duration: Duration, turn: &Turn| duration.as_secs_f64() * 1e3 / count(turn);
    let ratios: Option<Vec<f64>> = find(MethodId::MatrixBlend)
        .map(|base| candidate.turns.iter().zip(&base.turns).map(|(turn, base)| turn.speed() / base.speed()).collect());
    let speeds: Vec<f64> = candidate.turns.iter().map(Turn::speed).collect();
    MethodTiming {
        method: id.to_string(),
        reason: None,
        frames_per_second: median(&speeds),
        spread: interquartile_range(&speeds) / median(&speeds),
        ratio: ratios.as_deref().map(median),
        ratio_spread: ratios.as_deref().map(interquartile_range),
        vertices_per_second: of_turns(&|turn| turn.cost.vertices as f64 / count(turn) * turn.speed()),
        pose_ms: of_turns(&|turn| per_frame(turn.pose, turn)),
        palette_ms: of_turns(&|turn| per_frame(turn.cost.palette, turn)),
        upload_ms: of_turns(&|turn| per_frame(turn.cost.upload, turn)),
        driver_ms: of_turns(&|turn| per_frame(turn.cost.driver, turn)),
        wait_ms: of_turns(&|turn| per_frame(turn.waited, turn)),
        gpu_ms: has_clock.then(|| of_turns(&|turn| per_frame(turn.on_gpu, turn))),
        bytes_per_frame: of_turns(&|turn| turn.cost.bytes as f64 / count(turn)) as u64,
        batches: candidate.stats.batches,
        registers: id.method().joint_data.registers(),
        instructions: candidate.stats.program.map(|program| program.slots),
        bytes_fixed: candidate.stats.fixed_bytes,
        ..MethodTiming::default()
    }
}
