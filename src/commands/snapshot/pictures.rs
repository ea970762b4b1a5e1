//! Pictures of what was recorded and of what there is now, frame by frame.

use super::report::{Drawn, DrawnFrame};
use crate::commands::record::{write_png, write_whole};
use anyhow::Context;
use bindpose::images::TextureFinder;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{Model, Skeleton, Transform};
use bindpose::pose::{LocalPose, ModelPose};
use bindpose::render::{
    Bounds, Camera, FrameInput, Gpu, GpuModel, Instance, PoseRef, RenderSettings, RenderTarget, Renderer, ShaderFiles,
    headless,
};
use bindpose::skin::{Limits, MethodId};
use bindpose::snapshot::{Comparison, Difference, Occurrence, Place, PoseDeviation, Sample, Snapshot};
use glam::Vec3;
use image::{Rgba, RgbaImage};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 640;

/// A model that changed.
pub struct Changed<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its file.
    pub path: &'a Path,
    /// What was recorded.
    pub recorded: &'a Snapshot,
    /// What there is now.
    pub now: &'a Snapshot,
    /// How they differ.
    pub comparison: &'a Comparison,
}

/// Frames of a model that are drawn at most, the worst of those that differ.
const MOST_FRAMES: usize = 12;

/// Draws three pictures of each frame that differs into `folder`: `NAME/1.expected.png`, `NAME/1.actual.png`, and
/// `NAME/1.difference.png`, in which what differs is red. For each model what was drawn, or why nothing was.
///
/// A snapshot holds joints, not vertices: as expected, the present meshes are drawn as the recorded joints move them, and
/// where meshes or joints are not those that were recorded, the recorded skeleton alone.
///
/// # Errors
///
/// OpenGL is missing; what fails with one model alone is that model's reason.
pub fn draw(changed: &[Changed<'_>], folder: &Path) -> anyhow::Result<Vec<Result<Drawn, String>>> {
    let gpu = headless().context("no pictures")?;
    let mut artist = Artist {
        renderer: Renderer::new(&gpu, &ShaderFiles::default())?,
        frame: RenderTarget::new(&gpu, WIDTH, HEIGHT)?,
        gpu,
    };
    let draw = |changed| artist.draw(changed, folder).unwrap_or_else(|error| Err(format!("{error:#}")));
    Ok(changed.iter().map(draw).collect())
}

struct Artist {
    renderer: Renderer,
    frame: RenderTarget,
    gpu: Gpu,
}

impl Artist {
    /// What was drawn, or why nothing was.
    fn draw(&mut self, changed: &Changed<'_>, folder: &Path) -> anyhow::Result<Result<Drawn, String>> {
        let failing = failing_moments(changed);
        let same_joints = changed.recorded.joints == changed.now.joints;
        let same_figure = same_joints && changed.recorded.meshes == changed.now.meshes;
        let seen = |moment: &&Moment<'_>| !same_figure || moment.was.joints != moment.is.joints;
        let mut moments: Vec<&Moment<'_>> = failing.iter().filter(seen).collect();
        if moments.is_empty() {
            return Ok(Err(match failing.is_empty() {
                true => "what differs is in no frame".to_owned(),
                false => "of vertices a snapshot holds digests, and the joints are the same".to_owned(),
            }));
        }
        let badness = |moment: &Moment<'_>| (moment.deviation.share, moment.deviation.angle);
        moments.sort_by(|a, b| badness(b).partial_cmp(&badness(a)).unwrap_or(Ordering::Equal));
        moments.truncate(MOST_FRAMES);
        moments.sort_by(|a, b| a.clip.cmp(&b.clip).then(a.is.time.total_cmp(&b.is.time)));
        let points = moments.iter().flat_map(|moment| [moment.was, moment.is]).flat_map(|sample| {
            let joints = sample.joints.iter().map(|joint| joint.translation);
            joints.chain(sample.bounds.into_iter().flat_map(|(min, max)| [min, max]))
        });
        let Some(bounds) = Bounds::around(points) else {
            return Ok(Err("a position is no number".to_owned()));
        };
        let options = LoadOptions { find_clips: true, memory: super::super::memory(), ..LoadOptions::default() };
        let loaded = load(&[changed.path], &options)?;
        let (model, directories) = (Arc::new(loaded.model), loaded.directories);
        let camera = Camera::facing(model.front, bounds);
        let recorded = if same_figure { Arc::clone(&model) } else { Arc::new(bare(changed.recorded)) };
        let mut recorded = self.figure(&recorded, &directories)?;
        let mut now = self.figure(&model, &directories)?;
        let mut frames = Vec::new();
        for (number, moment) in moments.iter().enumerate() {
            let expected = self.picture(&mut recorded, moment.was, &camera)?;
            let actual = self.picture(&mut now, moment.is, &camera)?;
            let (difference, pixels) = difference(&expected, &actual);
            let mut files: [PathBuf; 3] = Default::default();
            let pictures = [("expected", &expected), ("actual", &actual), ("difference", &difference)];
            for (file, (kind, picture)) in files.iter_mut().zip(pictures) {
                *file = Path::new(changed.name).join(format!("{}.{kind}.png", number + 1));
                write_whole(&folder.join(&file), |file| write_png(file, picture))?;
            }
            let clip = moment.clip.map_or("rest pose", |clip| clip);
            frames.push(DrawnFrame {
                title: format!("{clip}, {} ({:.6} s)", moment.is.place, moment.is.time),
                files,
                pixels,
            });
        }
        Ok(Ok(Drawn { frames, failing: failing.len(), bare: !same_figure }))
    }

    fn figure(&self, model: &Arc<Model>, directories: &[PathBuf]) -> anyhow::Result<GpuModel> {
        let textures = TextureFinder::new(directories, &[]).with_memory(super::super::memory());
        Ok(GpuModel::new(&self.gpu, Arc::clone(model), &textures, &ShaderFiles::default(), Limits::default())?)
    }

    fn picture(&mut self, figure: &mut GpuModel, sample: &Sample, camera: &Camera) -> anyhow::Result<RgbaImage> {
        let pose = ModelPose(sample.joints.iter().copied().map(Transform::to_affine).collect());
        let look = RenderSettings { skeleton: true, grid: false, ..RenderSettings::default() };
        // `cpu` reads the model-space pose alone.
        let posed = PoseRef { model: &pose, local: &LocalPose::default(), clip: None, time: sample.time };
        let instance = Instance { pose: posed, position: Vec3::ZERO };
        // The reference: every influence, on every machine.
        self.renderer.draw(&self.frame, figure, &FrameInput::new(MethodId::Cpu, camera, &look, &[instance]))?;
        Ok(self.frame.read())
    }
}

/// A frame that differs.
struct Moment<'a> {
    /// `None` for the rest pose.
    clip: Option<&'a str>,
    was: &'a Sample,
    is: &'a Sample,
    deviation: PoseDeviation,
}

/// All frames that differ, with what was recorded and what there is now.
fn failing_moments<'a>(changed: &Changed<'a>) -> Vec<Moment<'a>> {
    let in_difference = |difference: &'a Difference| {
        let clip = difference.clip.as_deref();
        let by_place = |snapshot: &'a Snapshot| {
            let frames = match clip {
                Some(name) => snapshot.clips.iter().find(|clip| clip.name == name).map(|clip| &clip.frames),
                None => Some(&snapshot.rest),
            };
            let samples = frames.map_or(&[][..], |frames| &frames.samples);
            samples.iter().map(|sample| (sample.place, sample)).collect::<HashMap<Place, &Sample>>()
        };
        let (was, is) = (by_place(changed.recorded), by_place(changed.now));
        let moment = move |found: &Occurrence| {
            let (was, is) = (was.get(&found.frame)?, is.get(&found.frame)?);
            Some(Moment { clip, was, is, deviation: found.deviation })
        };
        difference.frames.iter().filter_map(moment)
    };
    changed.comparison.differences.iter().flat_map(in_difference).collect()
}

/// A model of recorded joints alone.
fn bare(recorded: &Snapshot) -> Model {
    let mut skeleton = Skeleton::new();
    for joint in &recorded.joints {
        let parent = joint.parent.and_then(|parent| skeleton.id(parent as usize));
        skeleton.push(joint.name.clone(), parent, Transform::IDENTITY);
    }
    Model { skeleton, ..Model::default() }
}

/// The second picture in faint grey, in red where it differs from the first; and how many pixels do.
fn difference(before: &RgbaImage, after: &RgbaImage) -> (RgbaImage, usize) {
    let mut pixels = 0;
    let picture = RgbaImage::from_fn(after.width(), after.height(), |x, y| {
        let (was, is) = (before.get_pixel(x, y).0, after.get_pixel(x, y).0);
        let most = was.iter().zip(is).map(|(was, is)| was.abs_diff(is)).max().unwrap_or(0);
        let grey = (is[..3].iter().map(|&part| u32::from(part)).sum::<u32>() / 9) as u8;
        if most == 0 {
            return Rgba([grey, grey, grey, 255]);
        }
        pixels += 1;
        Rgba([most.saturating_mul(4).max(96), grey / 2, grey / 2, 255])
    });
    (picture, pixels)
}
