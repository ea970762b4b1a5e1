//! Images of recorded and present frames.

use super::before::Before;
use super::report::{Drawn, DrawnFrame};
use super::verdict::{Finding, Verdict};
use crate::commands::image_difference::difference;
use crate::commands::output;
use crate::commands::record::write_png;
use crate::commands::write_in;
use anyhow::{Context, ensure};
use bindpose::budget::MemoryLimit;
use bindpose::images::TextureFinder;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{Model, Skeleton};
use bindpose::pose::LocalPose;
use bindpose::render::{
    Bounds, Camera, FrameInput, Gpu, GpuModel, Instance, RenderSettings, RenderTarget, Renderer, ShaderFiles, headless,
};
use bindpose::skin::{Limits, MethodId};
use bindpose::snapshot::{Comparison, Difference, FrameRange, FrameRef, Occurrence, PoseDeviation, Sample, Snapshot};
use glam::Vec3;
use image::RgbaImage;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 640;

/// A model whose frames changed.
pub struct Changed<'a> {
    /// Name of the model.
    pub name: &'a str,
    path: &'a Path,
    recorded: &'a Snapshot,
    now: &'a Snapshot,
    comparison: &'a Comparison,
}

impl<'a> Changed<'a> {
    /// Returns the model of a verdict; `None` if it did not change or was removed.
    pub fn of(verdict: &'a Verdict) -> Option<Self> {
        let Verdict { model: name, finding: Finding::Changed { comparison }, path, recorded, now, .. } = verdict else {
            return None;
        };
        Some(Self { name, path: path.as_ref()?, recorded: recorded.as_ref()?, now: now.as_ref()?, comparison })
    }
}

/// Largest number of frames drawn per model. They are the worst of those that differ.
const MOST_FRAMES: usize = 12;

/// Draws three images of each differing frame into `folder`: `NAME/1.expected.png`, `NAME/1.actual.png`, and
/// `NAME/1.difference.png` with differences in red. Returns the images of each model, or the reason why it has none.
///
/// A snapshot contains joints, not vertices: the present meshes are drawn with the recorded joints. If meshes or joints
/// changed, the files of `before` are drawn as expected, or without `before` only the recorded skeleton.
///
/// # Errors
///
/// OpenGL is missing. An error of a single model becomes the reason why it has no images.
pub fn draw(
    changed: &[Changed<'_>],
    before: Option<&Before>,
    folder: &Path,
    memory: MemoryLimit,
) -> anyhow::Result<Vec<Result<Drawn, String>>> {
    let gpu = headless().context("no OpenGL")?;
    let mut artist = Artist {
        renderer: Renderer::new(&gpu, &ShaderFiles::default())?,
        target: RenderTarget::new(&gpu, WIDTH, HEIGHT)?,
        gpu,
        before,
        memory,
    };
    let bar = output::progress(changed.len(), "models drawn");
    let draw = |changed| {
        let drawn = artist.draw(changed, folder).unwrap_or_else(|error| Err(format!("{error:#}")));
        bar.inc(1);
        drawn
    };
    let drawn = changed.iter().map(draw).collect();
    bar.finish_and_clear();
    Ok(drawn)
}

struct Artist<'a> {
    renderer: Renderer,
    target: RenderTarget,
    gpu: Gpu,
    before: Option<&'a Before>,
    memory: MemoryLimit,
}

impl Artist<'_> {
    fn draw(&mut self, changed: &Changed<'_>, folder: &Path) -> anyhow::Result<Result<Drawn, String>> {
        let same_model = changed.recorded.joints == changed.now.joints && changed.recorded.meshes == changed.now.meshes;
        let (frames, failing) = frames_to_draw(changed, same_model);
        if frames.is_empty() {
            return Ok(Err(match failing {
                0 => "no frame shows the difference".to_owned(),
                _ => "a snapshot holds digests of vertices, and the joints are the same".to_owned(),
            }));
        }
        let skeletons = [changed.recorded.skeleton(), changed.now.skeleton()];
        let points = frames.iter().flat_map(|frame| [(frame.was, 0), (frame.is, 1)]).flat_map(|(sample, side)| {
            let joints = sample.model_pose(&skeletons[side]).0.into_iter().map(|joint| joint.translation);
            joints.chain(sample.bounds.into_iter().flat_map(|(min, max)| [min, max]))
        });
        let Some(bounds) = Bounds::around(points) else {
            return Ok(Err("a position is not finite".to_owned()));
        };
        let options = LoadOptions { memory: self.memory, ..LoadOptions::with_clips() };
        let loaded = load(&[changed.path], &options)?;
        let (model, directories) = (loaded.model, loaded.directories);
        let camera = Camera::facing(model.front, bounds);
        let older = if same_model { Ok(Arc::clone(&model)) } else { self.older(changed) };
        let (older, bare) = match older {
            Ok(older) => (older, None),
            Err(error) => {
                let skeleton = changed.recorded.skeleton();
                (Arc::new(Model { skeleton, ..Model::default() }), Some(format!("{error:#}")))
            }
        };
        let mut expected_model = self.upload(&older, &directories)?;
        let mut actual_model = self.upload(&model, &directories)?;
        let mut drawn = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            let expected = self.image(&mut expected_model, frame.was, &skeletons[0], &camera)?;
            let actual = self.image(&mut actual_model, frame.is, &skeletons[1], &camera)?;
            let (difference, pixels) = difference(&expected, &actual, 0);
            let mut files: [PathBuf; 3] = Default::default();
            let images = [("expected", &expected), ("actual", &actual), ("difference", &difference)];
            for (file, (kind, image)) in files.iter_mut().zip(images) {
                *file = Path::new(changed.name).join(format!("{}.{kind}.png", number + 1));
                write_in(folder, &file, |file| write_png(file, image))?;
            }
            let clip = frame.clip.unwrap_or("rest pose");
            drawn.push(DrawnFrame {
                title: format!("{clip}, {} ({:.6} s)", frame.is.frame, frame.is.time),
                files,
                pixels,
                parts: frame.range.iter().flat_map(|range| &range.parts).map(ToString::to_string).collect(),
            });
        }
        Ok(Ok(Drawn { frames: drawn, failing, bare }))
    }

    /// Loads the recorded model from the files of `--before`.
    fn older(&self, changed: &Changed<'_>) -> anyhow::Result<Arc<Model>> {
        let before = self.before.context("--before REV or DIR names older files")?;
        let loaded = before.load(changed.name, changed.path, &changed.recorded.inputs, self.memory)?;
        let found = Snapshot::of_files_within(&loaded, self.memory)?;
        ensure!(
            found.joints == changed.recorded.joints && found.meshes == changed.recorded.meshes,
            "the files of --before are not those that were recorded"
        );
        Ok(loaded.model)
    }

    fn upload(&self, model: &Arc<Model>, directories: &[PathBuf]) -> anyhow::Result<GpuModel> {
        let textures = TextureFinder::new(directories, &[]).with_memory(self.memory).for_drawing();
        Ok(GpuModel::new(&self.gpu, Arc::clone(model), &textures, &ShaderFiles::default(), Limits::default())?)
    }

    fn image(
        &mut self,
        model: &mut GpuModel,
        sample: &Sample,
        skeleton: &Skeleton,
        camera: &Camera,
    ) -> anyhow::Result<RgbaImage> {
        let pose = sample.model_pose(skeleton);
        let look = RenderSettings { skeleton: true, grid: false, ..RenderSettings::default() };
        // `cpu` only reads the model-space pose.
        let (local, time) = (&LocalPose::default(), sample.time);
        let instance = Instance { model: &pose, local, clip: None, time, position: Vec3::ZERO };
        // The reference method has every influence, on every machine.
        self.renderer.draw(&self.target, model, &FrameInput::new(MethodId::Cpu, camera, &look, &[instance]))?;
        Ok(self.target.read())
    }
}

/// A frame that differs.
struct ChangedFrame<'a> {
    /// Name of the clip; `None` for the rest pose.
    clip: Option<&'a str>,
    was: &'a Sample,
    is: &'a Sample,
    deviation: PoseDeviation,
    /// Frames around this one that differ too, and the joints.
    range: Option<&'a FrameRange>,
}

/// Returns the worst frames in order of time, and the number of all frames that differ. If no frame shows that a mesh
/// changed, it is drawn at rest.
fn frames_to_draw<'a>(changed: &Changed<'a>, same_model: bool) -> (Vec<ChangedFrame<'a>>, usize) {
    let mut frames = changed_frames(changed);
    let failing = frames.len();
    if let ([was], [is], true, false) =
        (&changed.recorded.rest.samples[..], &changed.now.rest.samples[..], frames.is_empty(), same_model)
    {
        frames.push(ChangedFrame { clip: None, was, is, deviation: PoseDeviation::default(), range: None });
    }
    frames.retain(|frame| !same_model || frame.was.joints != frame.is.joints);
    let badness = |frame: &ChangedFrame<'_>| (frame.deviation.share, frame.deviation.angle);
    frames.sort_by(|a, b| badness(b).partial_cmp(&badness(a)).unwrap_or(Ordering::Equal));
    frames.truncate(MOST_FRAMES);
    frames.sort_by(|a, b| a.clip.cmp(&b.clip).then(a.is.time.total_cmp(&b.is.time)));
    (frames, failing)
}

/// Returns all frames that differ, recorded and present.
fn changed_frames<'a>(changed: &Changed<'a>) -> Vec<ChangedFrame<'a>> {
    let in_difference = |difference: &'a Difference| {
        let clip = difference.clip.as_deref();
        let by_frame = |snapshot: &'a Snapshot, clip: Option<&str>| {
            let frames = match clip {
                Some(name) => snapshot.clips.iter().find(|clip| clip.name == name).map(|clip| &clip.frames),
                None => Some(&snapshot.rest),
            };
            let samples = frames.map_or(&[][..], |frames| &frames.samples);
            samples.iter().map(|sample| (sample.frame, sample)).collect::<HashMap<FrameRef, &Sample>>()
        };
        let recorded_clip = difference.was.as_deref().or(clip);
        let (was, is) = (by_frame(changed.recorded, recorded_clip), by_frame(changed.now, clip));
        let frame = move |found: &Occurrence| {
            let (was, is) = (was.get(&found.frame)?, is.get(&found.frame)?);
            let contains = |range: &&FrameRange| (range.first..=range.last).contains(&found.frame);
            let range = difference.ranges.iter().find(contains);
            Some(ChangedFrame { clip, was, is, deviation: found.deviation, range })
        };
        difference.frames.iter().filter_map(frame)
    };
    changed.comparison.differences.iter().flat_map(in_difference).collect()
}
