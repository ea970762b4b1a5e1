//! Images of two engines, or of an engine and the files' meaning, at the frames where they differ most.

use super::comparison::{AROUND_WORST, LOOK, close_up};
use super::contact_sheet::{Scale, SheetRow, opaque};
use super::gallery;
use bindpose_core::engines::{Engine, Shown};
use bindpose_core::model::{JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::MethodId;
use bindpose_player::{View, paint};
use bindpose_render::{
    Bounds, Camera, Error, FrameInput, Gpu, GpuModel, Instance, RenderTarget, Renderer, ShaderFiles,
};
use glam::{DVec3, Vec3};
use image::RgbImage;

/// An engine and the model as the engine plays it.
pub struct EngineModel<'a> {
    /// Heading of its images.
    pub name: String,
    /// The model; clips and joints have the same order for both engines.
    pub model: &'a Model,
    /// The model on the GPU.
    pub gpu: GpuModel,
    /// `None` for the meaning of the files.
    pub engine: Option<&'static Engine>,
}

/// A frame to draw.
#[derive(Debug, Clone)]
pub struct ComparedFrame {
    /// Text next to the images.
    pub lines: Vec<String>,
    /// Index into the model's clips.
    pub clip: usize,
    /// Frame counted from 0; fractions are between two frames.
    pub frame: f64,
    /// Joint to show in an additional close-up.
    pub close_up: Option<JointId>,
}

/// Images in rows.
#[derive(Debug, Clone)]
pub struct SideBySide {
    /// Headings of the columns.
    pub headings: Vec<String>,
    /// One row per frame.
    pub rows: Vec<SheetRow>,
    /// Colour scale of the distances.
    pub scale: Scale,
}

/// Draws the second engine, the first, and their distance as colours on the first: the whole model, then a close-up.
///
/// `most` is the distance of the last colour in model units, and `label` its name. `view` belongs to the second model.
/// `size` is in pixels.
///
/// # Errors
///
/// [`Error`] of OpenGL, or if the engine's method does not support the model.
pub fn draw(
    gpu: &Gpu,
    engines: [EngineModel<'_>; 2],
    frames: &[ComparedFrame],
    view: &View,
    size: (u32, u32),
    (most, label): (f64, String),
) -> Result<SideBySide, Error> {
    let mut painter = Painter {
        renderer: Renderer::new(gpu, &ShaderFiles::default())?,
        target: RenderTarget::new(gpu, size.0, size.1)?,
    };
    let [mut one, mut other] = engines;
    let whole = [other.name.clone(), one.name.clone(), "distance".to_owned()];
    let has_close_up = frames.iter().any(|frame| frame.close_up.is_some());
    let close_ups = whole.iter().filter(|_| has_close_up).map(|name| format!("{name}, close-up"));
    let headings = whole.iter().cloned().chain(close_ups).collect();
    let mut rows = Vec::new();
    for frame in frames {
        let (ours, theirs) = (FramePose::new(&one, frame), FramePose::new(&other, frame));
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let [before, after] = [&other, &one].map(|engine| positions(engine, frame));
        let colours = paint::distances(&distances(one.model, &before, &after), most as f32);
        let (mut camera, _) = view.framing(other.model, other.model.clips.get(frame.clip), 1);
        if let Some(both) = Bounds::around(before.iter().chain(&after).copied()) {
            camera.framed = both.turned(view.world_from_model);
        }
        view.follow(&mut camera, &theirs.pose);
        let extent = (f64::from(camera.framed.extent()), AROUND_WORST);
        let close_up = frame.close_up.map(|joint| close_up(other.model, view, joint, &theirs.pose, extent, camera));
        let mut tiles = Vec::new();
        for camera in std::iter::once(camera).chain(close_up) {
            tiles.push(Some(painter.image(&mut other, &theirs, frame.clip, camera, None)?));
            tiles.push(Some(painter.image(&mut one, &ours, frame.clip, camera, None)?));
            tiles.push(Some(painter.image(&mut one, &ours, frame.clip, camera, Some(&colours))?));
        }
        rows.push(SheetRow { lines: frame.lines.clone(), tiles });
    }
    one.gpu.forget_programs();
    other.gpu.forget_programs();
    Ok(SideBySide { headings, rows, scale: gallery::scale(label) })
}

/// Computes the positions of all vertices, mesh by mesh; empty if the engine's method does not support the model.
fn positions(engine: &EngineModel<'_>, frame: &ComparedFrame) -> Vec<DVec3> {
    let mut positions = Vec::new();
    let clip = engine.model.clips.get(frame.clip);
    if let Some(Ok(mut shown)) = clip.map(|clip| Shown::new(engine.model, clip, engine.engine)) {
        shown.positions(frame.frame, &mut positions);
    }
    positions
}

/// Returns the distances between the two positions of each vertex, by mesh.
fn distances(model: &Model, before: &[DVec3], after: &[DVec3]) -> Vec<Vec<f32>> {
    let mut distances = before.iter().zip(after).map(|(a, b)| a.distance(*b) as f32);
    model.meshes.iter().map(|mesh| distances.by_ref().take(mesh.vertex_count()).collect()).collect()
}

/// Pose of an engine's model in a frame.
struct FramePose {
    local: LocalPose,
    pose: ModelPose,
    time: f64,
}

impl FramePose {
    /// Returns `None` if there is no such clip.
    fn new(engine: &EngineModel<'_>, frame: &ComparedFrame) -> Option<Self> {
        let clip = engine.model.clips.get(frame.clip)?;
        let time = clip.frame_rate.map_or(0.0, |rate| frame.frame / rate);
        let local = LocalPose::of_clip(&engine.model.skeleton, Some(clip), time);
        let pose = local.to_model(&engine.model.skeleton);
        Some(Self { local, pose, time })
    }
}

struct Painter {
    renderer: Renderer,
    target: RenderTarget,
}

impl Painter {
    fn image(
        &mut self,
        engine: &mut EngineModel<'_>,
        posed: &FramePose,
        clip: usize,
        camera: Camera,
        colours: Option<&paint::Colours>,
    ) -> Result<RgbImage, Error> {
        let method = engine.engine.map_or(MethodId::Cpu, Engine::method);
        let FramePose { pose, local, time, .. } = posed;
        let instances = [Instance { model: pose, local, clip: Some(clip), time: *time, position: Vec3::ZERO }];
        if let Some(colours) = colours {
            engine.gpu.paint(method, Some(clip), Some(colours))?;
        }
        self.renderer.draw(&self.target, &mut engine.gpu, &FrameInput::new(method, &camera, &LOOK, &instances))?;
        if colours.is_some() {
            engine.gpu.paint(method, Some(clip), None)?;
        }
        Ok(opaque(&self.target.read()))
    }
}
