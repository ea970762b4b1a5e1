//! The shapes behind the lines of a figure, drawn.

use super::comparison::LOOK;
use super::figures::{Curve, Figure, Subject};
use super::pictures::{Shapes, opaque};
use super::plot::together;
use crate::images::TextureFinder;
use crate::player::{View, ViewAngles};
use crate::render::{Error, Gpu, GpuModel, Instance, Marks, PoseRef, RenderTarget, Renderer, ShaderFiles};
use bindpose_core::model::Model;
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::skin::Limits;
use glam::Vec3;
use std::sync::Arc;

/// Degrees between two pictures.
const STEP: f64 = 15.0;

/// Draws a figure's lines at some of its angles.
///
/// # Errors
///
/// [`Error`] of OpenGL.
pub fn draw(gpu: &Gpu, figure: Figure, curves: &[Curve], size: (u32, u32)) -> Result<Shapes, Error> {
    let subject = Subject::new(figure);
    let model = Arc::new(Model {
        skeleton: subject.cylinder.skeleton.clone(),
        meshes: vec![subject.cylinder.mesh.clone()],
        clips: vec![subject.clip.clone()],
        ..Model::default()
    });
    let angles: Vec<f64> = figure.angles().into_iter().filter(|degrees| degrees % STEP == 0.0).collect();
    let renderer = Renderer::new(gpu, &ShaderFiles::default())?;
    let frame = RenderTarget::new(gpu, size.0, size.1)?;
    let (camera, _) = view(figure).framing(&model, model.clips.first(), 1);
    let mut drawn = Vec::new();
    for (name, curve) in together(curves) {
        let textures = TextureFinder::new(&[], &[]);
        let shown = GpuModel::new(gpu, Arc::clone(&model), &textures, &ShaderFiles::default(), Limits::None)?;
        let mut shown = shown.with_examples(subject.examples(curve.sigma));
        let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
        let mut pictures = Vec::with_capacity(angles.len());
        for &time in &angles {
            sample(&model.skeleton, &subject.clip, time, &mut local);
            local_to_model(&model.skeleton, &local, &mut pose);
            let pose = PoseRef { model: &pose, local: &local, clip: Some(0), time };
            let figure = Instance { pose, position: Vec3::ZERO };
            renderer.draw(&frame, &mut shown, curve.method, &camera, &LOOK, &[figure], &Marks::default())?;
            pictures.push(opaque(&frame.read()));
        }
        shown.forget_programs();
        drawn.push((name, pictures));
    }
    Ok(Shapes { angles: angles.iter().map(|degrees| format!("{degrees}\u{b0}")).collect(), drawn })
}

/// A twist from the side, a bend from above: the cylinder lies along x and bends about z.
fn view(figure: Figure) -> View {
    let (yaw, pitch): (f32, f32) = match figure {
        Figure::Twist => (90.0, 10.0),
        Figure::Bend | Figure::Sigma => (90.0, 80.0),
    };
    View { angles: ViewAngles { yaw: yaw.to_radians(), pitch: pitch.to_radians(), zoom: 1.0 }, ..View::default() }
}
