//! Images of the cylinder tests.

use super::comparison::LOOK;
use super::contact_sheet::{CylinderImages, opaque};
use super::cylinder_test::{Curve, CylinderTest, TestCylinder, distinct};
use bindpose_core::model::Model;
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::skin::Limits;
use bindpose_images::TextureFinder;
use bindpose_player::{View, ViewAngles};
use bindpose_render::{Error, FrameInput, Gpu, GpuModel, Instance, RenderTarget, Renderer, ShaderFiles};
use glam::Vec3;
use std::sync::Arc;

/// Angle between two images, in degrees.
const STEP: f64 = 15.0;

/// Draws the cylinder every 15 degrees for each distinct curve; `size` in pixels.
pub fn draw(gpu: &Gpu, test: CylinderTest, curves: &[Curve], size: (u32, u32)) -> Result<CylinderImages, Error> {
    let subject = TestCylinder::new(test);
    let model = Arc::new(Model {
        skeleton: subject.cylinder.skeleton.clone(),
        meshes: vec![subject.cylinder.mesh.clone()],
        clips: vec![subject.clip.clone()],
        ..Model::default()
    });
    let angles: Vec<f64> = test.angles().into_iter().filter(|degrees| degrees % STEP == 0.0).collect();
    let renderer = Renderer::new(gpu, &ShaderFiles::default())?;
    let target = RenderTarget::new(gpu, size.0, size.1)?;
    let (camera, _) = view(test).framing(&model, model.clips.first(), 1);
    let mut drawn = Vec::new();
    for (name, curve) in distinct(curves) {
        let textures = TextureFinder::new(&[], &[]);
        let gpu_model = GpuModel::new(gpu, Arc::clone(&model), &textures, &ShaderFiles::default(), Limits::None)?;
        let mut gpu_model = gpu_model.with_examples(subject.examples(curve.sigma));
        let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
        let mut images = Vec::with_capacity(angles.len());
        for &time in &angles {
            sample(&model.skeleton, &subject.clip, time, &mut local);
            local_to_model(&model.skeleton, &local, &mut pose);
            let instances = [Instance { model: &pose, local: &local, clip: Some(0), time, position: Vec3::ZERO }];
            renderer.draw(&target, &mut gpu_model, &FrameInput::new(curve.method, &camera, &LOOK, &instances))?;
            images.push(opaque(&target.read()));
        }
        gpu_model.forget_programs();
        drawn.push((name, images));
    }
    Ok(CylinderImages { angles: angles.iter().map(|degrees| format!("{degrees}\u{b0}")).collect(), curves: drawn })
}

/// Views a twist from the side and a bend from above: the cylinder lies along x and bends about z.
fn view(test: CylinderTest) -> View {
    let (yaw, pitch): (f32, f32) = match test {
        CylinderTest::Twist => (90.0, 10.0),
        CylinderTest::Bend | CylinderTest::Sigma => (90.0, 80.0),
    };
    View { angles: ViewAngles { yaw: yaw.to_radians(), pitch: pitch.to_radians(), zoom: 1.0 }, ..View::default() }
}
