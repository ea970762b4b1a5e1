//! Many copies at once: drawn instanced from textures, they look as if drawn one after the other.

use crate::support;
use bindpose::images::TextureFinder;
use bindpose::model::{Front, Model};
use bindpose::pose::{LocalPose, ModelPose};
use bindpose::render::{
    Background, Camera, FrameInput, Gpu, GpuModel, Instance, RenderSettings, RenderTarget, Renderer, ShaderFiles,
    bounds_of_places, clip_bounds, places,
};
use bindpose::skin::{Limits, MethodId};
use image::RgbaImage;
use std::sync::Arc;

const LOOK: RenderSettings =
    RenderSettings { background: Background::Flat([0.0, 0.0, 0.0, 1.0]), grid: false, ..RenderSettings::DEFAULT };

/// Draws copies at different times; one image per method.
fn images(gpu: &Gpu, model: &Arc<Model>, copies: usize, methods: &[MethodId]) -> Vec<RgbaImage> {
    // The model is turned, so that positions in the world differ from those in model space.
    let figure = Camera::facing(Front::NegativeY, clip_bounds(model, model.clips.first()));
    let places = places(copies, &figure.framed);
    let camera = Camera { framed: bounds_of_places(&places, &figure.framed), ..figure };
    let time = |number: usize| 2.0 * (number as f64 * 0.618).fract();
    let poses: Vec<(LocalPose, ModelPose)> =
        (0..copies).map(|number| support::pose_at(model, 0, time(number))).collect();
    let figures: Vec<Instance<'_>> = poses
        .iter()
        .zip(&places)
        .enumerate()
        .map(|(number, ((local, pose), &position))| Instance {
            model: pose,
            local,
            clip: Some(0),
            time: time(number),
            position,
        })
        .collect();
    let shaders = ShaderFiles::default();
    let finder = TextureFinder::new(&[], &[]);
    let mut subject = GpuModel::new(gpu, Arc::clone(model), &finder, &shaders, Limits::Gl2).unwrap();
    let renderer = Renderer::new(gpu, &shaders).unwrap();
    let frame = RenderTarget::new(gpu, 240, 180).unwrap();
    let mut picture = |&id: &MethodId| {
        renderer.draw(&frame, &mut subject, &FrameInput::new(id, &camera, &LOOK, &figures)).unwrap();
        frame.read()
    };
    methods.iter().map(&mut picture).collect()
}

/// Counts the pixels that differ visibly.
fn differing(a: &RgbaImage, b: &RgbaImage) -> usize {
    let apart =
        |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| (0..3).any(|channel| a[channel].abs_diff(b[channel]) > 16);
    a.pixels().zip(b.pixels()).filter(apart).count()
}

#[test]
fn copies_look_the_same_however_they_are_drawn() {
    let Some(gpu) = support::gpu() else { return };
    let model = Arc::new(support::tube(5, 4));
    let methods = [MethodId::MatrixBlend, MethodId::BoneTexture, MethodId::GpuHierarchy, MethodId::JointOffsets];
    for copies in [1, 2, 7] {
        let all = images(&gpu, &model, copies, &methods);
        let shown = all[0].pixels().filter(|pixel| pixel.0[0] > 20).count();
        assert!(shown > 600, "{copies} copies: {shown} pixels");
        for (picture, id) in all[1..].iter().zip(&methods[1..]) {
            let apart = differing(&all[0], picture);
            // Edges may fall on the other side of a sample.
            assert!(apart <= shown / 200, "{id}, {copies} copies: {apart} of {shown} pixels differ");
        }
    }
    let [one, seven] = [1, 7].map(|copies| images(&gpu, &model, copies, &methods[..1]).remove(0));
    assert!(differing(&one, &seven) > 600, "one copy looks like seven");
}

/// One draw per copy. In the full run there are also more copies than textures have rows, which need several draws.
#[test]
fn a_crowd_is_drawn() {
    let Some(gpu) = support::gpu() else { return };
    let model = Arc::new(support::tube(2, 2));
    let methods = [MethodId::BoneTexture, MethodId::GpuHierarchy, MethodId::MatrixBlend, MethodId::Cpu, MethodId::Ffp];
    let all = images(&gpu, &model, if support::everything() { 10_000 } else { 300 }, &methods);
    for (picture, id) in all.iter().zip(methods) {
        let shown = picture.pixels().filter(|pixel| pixel.0[0] > 20).count();
        assert!(shown > 2000, "{id}: {shown} pixels");
        let apart = differing(&all[0], picture);
        assert!(apart < 400, "{id}: {apart} pixels differ");
    }
}
