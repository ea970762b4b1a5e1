//! Pictures of what was recorded and of what there is now.

use crate::commands::output::tell;
use crate::commands::record::{write_png, write_whole};
use anyhow::Context;
use bindpose::images::TextureFinder;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{Model, Skeleton, Transform};
use bindpose::pose::{LocalPose, ModelPose};
use bindpose::render::{
    Bounds, Camera, Gpu, GpuModel, Instance, Marks, PoseRef, RenderSettings, RenderTarget, Renderer, ShaderFiles,
    headless,
};
use bindpose::skin::{Limits, MethodId};
use bindpose::snapshot::{Comparison, Sample, Snapshot};
use glam::Vec3;
use image::{Rgba, RgbaImage};
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

/// Draws three pictures of each model into `folder`: `NAME.before.png`, `NAME.after.png`, and `NAME.difference.png`,
/// in which what differs is red. They show the worst moment of the first difference that has one.
///
/// A snapshot holds joints, not vertices: before, the present meshes are drawn as the recorded joints move them, and
/// where meshes or joints are not those that were recorded, the recorded skeleton alone.
pub fn draw(changed: &[Changed<'_>], folder: &Path) -> anyhow::Result<()> {
    let gpu = headless().context("no pictures")?;
    let mut artist = Artist {
        renderer: Renderer::new(&gpu, &ShaderFiles::default())?,
        frame: RenderTarget::new(&gpu, WIDTH, HEIGHT)?,
        gpu,
    };
    for changed in changed {
        match artist.draw(changed, folder)? {
            Ok(line) => tell!("pictures {}: {line}", changed.name),
            Err(reason) => tell!("pictures {}: none; {reason}", changed.name),
        }
    }
    Ok(())
}

struct Artist {
    renderer: Renderer,
    frame: RenderTarget,
    gpu: Gpu,
}

impl Artist {
    /// A line on what was drawn, or why nothing was.
    fn draw(&mut self, changed: &Changed<'_>, folder: &Path) -> anyhow::Result<Result<String, String>> {
        let Some((was, is)) = worst_moment(changed) else {
            return Ok(Err("what differs is in no frame".to_owned()));
        };
        let same_joints = changed.recorded.joints == changed.now.joints;
        let same_figure = same_joints && changed.recorded.meshes == changed.now.meshes;
        if same_figure && was.joints == is.joints {
            return Ok(Err("of vertices a snapshot holds digests, and the joints are the same".to_owned()));
        }
        let points = [was, is].into_iter().flat_map(|sample| {
            let joints = sample.joints.iter().map(|joint| joint.translation);
            joints.chain(sample.bounds.into_iter().flat_map(|(min, max)| [min, max]))
        });
        let Some(bounds) = Bounds::around(points) else {
            return Ok(Err("a position is no number".to_owned()));
        };
        let options = LoadOptions { find_clips: true, memory: super::super::memory(), ..LoadOptions::default() };
        let loaded = load(&[changed.path], &options)?;
        let (model, directories) = (Arc::new(loaded.model), loaded.directories);
        let recorded = if same_figure { Arc::clone(&model) } else { Arc::new(bare(changed.recorded)) };
        let camera = Camera::facing(model.front, bounds);
        let before = self.picture(&recorded, was, &camera, &directories)?;
        let after = self.picture(&model, is, &camera, &directories)?;
        let (difference, pixels) = difference(&before, &after);
        for (kind, picture) in [("before", &before), ("after", &after), ("difference", &difference)] {
            let path = folder.join(format!("{}.{kind}.png", changed.name));
            write_whole(&path, |file| write_png(file, picture))?;
        }
        let skeleton = if same_figure { "" } else { ", before only the skeleton, because meshes or joints changed" };
        Ok(Ok(format!("{} ({:.6} s), {pixels} pixels differ{skeleton}", is.place, is.time)))
    }

    fn picture(
        &mut self,
        model: &Arc<Model>,
        sample: &Sample,
        camera: &Camera,
        directories: &[PathBuf],
    ) -> anyhow::Result<RgbaImage> {
        let textures = TextureFinder::new(directories, &[]).with_memory(super::super::memory());
        let shaders = ShaderFiles::default();
        let mut subject = GpuModel::new(&self.gpu, Arc::clone(model), &textures, &shaders, Limits::default())?;
        let pose = ModelPose(sample.joints.iter().copied().map(Transform::to_affine).collect());
        let look = RenderSettings { skeleton: true, grid: false, ..RenderSettings::default() };
        // `cpu` reads the model-space pose alone.
        let posed = PoseRef { model: &pose, local: &LocalPose::default(), clip: None, time: sample.time };
        let figure = Instance { pose: posed, position: Vec3::ZERO };
        // The reference: every influence, on every machine.
        self.renderer.draw(&self.frame, &mut subject, MethodId::Cpu, camera, &look, &[figure], &Marks::default())?;
        Ok(self.frame.read())
    }
}

/// The recorded and the present sample at the worst moment of the first difference that has one.
fn worst_moment<'a>(changed: &Changed<'a>) -> Option<(&'a Sample, &'a Sample)> {
    let difference = changed.comparison.differences.iter().find(|difference| difference.worst.is_some())?;
    let place = difference.worst.as_ref()?.frame;
    let sample = |snapshot: &'a Snapshot| {
        let frames = match &difference.clip {
            Some(name) => &snapshot.clips.iter().find(|clip| clip.name == *name)?.frames,
            None => &snapshot.rest,
        };
        frames.samples.iter().find(|sample| sample.place == place)
    };
    Some((sample(changed.recorded)?, sample(changed.now)?))
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
