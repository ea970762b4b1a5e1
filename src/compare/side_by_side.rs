//! Two playbacks of one pair of files at the moments where they are farthest apart: an engine's and the file's meaning, or two
//! engines'.

use super::comparison::{AROUND_WORST, LOOK, near};
use super::gallery;
use super::pictures::{Row, Scale, opaque};
use crate::player::{View, paint};
use crate::render::{
    Bounds, Camera, Error, Gpu, GpuModel, Instance, Marks, PoseRef, RenderTarget, Renderer, ShaderFiles,
};
use bindpose_core::engines::{Engine, Shown};
use bindpose_core::model::{JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::skin::MethodId;
use glam::{DVec3, Vec3};
use image::RgbImage;

/// Who shows the files, and what they hold then.
pub struct Side<'a> {
    /// Above the pictures.
    pub name: String,
    /// As this side holds it; clips and joints stand in the same order on both sides.
    pub model: &'a Model,
    /// The same, for drawing.
    pub gpu: GpuModel,
    /// `None` is what the files mean.
    pub engine: Option<&'static Engine>,
}

/// A moment to be shown.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Beside the pictures.
    pub lines: Vec<String>,
    /// Index into the model's clips.
    pub clip: usize,
    /// Counted from 0; may lie between two.
    pub frame: f64,
    /// A joint that is shown from nearby, too.
    pub nearby: Option<JointId>,
}

/// Pictures in rows.
#[derive(Debug, Clone)]
pub struct SideBySide {
    /// Above the columns.
    pub headings: Vec<String>,
    /// One for each moment.
    pub rows: Vec<Row>,
    /// Of the colours.
    pub scale: Scale,
}

/// Draws the second side, the first, and the distance between them as colours on the first: both whole, then a joint from nearby. `most` is the distance of the last colour, model units, and `said` what it is called; `view` is of the second side's
/// model.
///
/// # Errors
///
/// [`Error`] of OpenGL, or where the engine's method cannot show the model.
pub fn draw(
    gpu: &Gpu,
    sides: [Side<'_>; 2],
    moments: &[Moment],
    view: &View,
    size: (u32, u32),
    (most, said): (f64, String),
) -> Result<SideBySide, Error> {
    let mut artist = Artist {
        renderer: Renderer::new(gpu, &ShaderFiles::default())?,
        frame: RenderTarget::new(gpu, size.0, size.1)?,
    };
    let [mut one, mut other] = sides;
    let whole = [other.name.clone(), one.name.clone(), "how far apart".to_owned()];
    let has_nearby = moments.iter().any(|moment| moment.nearby.is_some());
    let nearby = whole.iter().filter(|_| has_nearby).map(|name| format!("{name}, nearby"));
    let headings = whole.iter().cloned().chain(nearby).collect();
    let mut rows = Vec::new();
    for moment in moments {
        let (ours, theirs) = (Posed::new(&one, moment), Posed::new(&other, moment));
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let [before, after] = [&other, &one].map(|side| positions(side, moment));
        let colours = paint::distances(&apart(one.model, &before, &after), most as f32);
        let (mut camera, _) = view.framing(other.model, other.model.clips.get(moment.clip), 1);
        let places = before.iter().chain(&after).map(|place| place.as_vec3());
        let both = places.fold(None, |bounds: Option<Bounds>, place| {
            let Bounds { min, max } = bounds.unwrap_or(Bounds { min: place, max: place });
            Some(Bounds { min: min.min(place), max: max.max(place) })
        });
        if let Some(both) = both {
            camera.framed = both.turned(view.world_from_model);
        }
        view.follow(&mut camera, &theirs.pose);
        let extent = (f64::from(camera.framed.extent()), AROUND_WORST);
        let nearby = moment.nearby.map(|joint| near(other.model, view, joint, &theirs.pose, extent, camera));
        let mut tiles = Vec::new();
        for camera in std::iter::once(camera).chain(nearby) {
            tiles.push(Some(artist.picture(&mut other, &theirs, moment.clip, camera, None)?));
            tiles.push(Some(artist.picture(&mut one, &ours, moment.clip, camera, None)?));
            tiles.push(Some(artist.picture(&mut one, &ours, moment.clip, camera, Some(&colours))?));
        }
        rows.push(Row { lines: moment.lines.clone(), tiles });
    }
    one.gpu.forget_programs();
    other.gpu.forget_programs();
    Ok(SideBySide { headings, rows, scale: gallery::scale(said) })
}

/// Where all vertices are, one mesh after the other; none where the engine's method cannot show the model.
fn positions(side: &Side<'_>, moment: &Moment) -> Vec<DVec3> {
    let mut positions = Vec::new();
    let clip = side.model.clips.get(moment.clip);
    if let Some(Ok(mut shown)) = clip.map(|clip| Shown::new(side.model, clip, side.engine)) {
        shown.positions(moment.frame, &mut positions);
    }
    positions
}

/// The distance between two places of each vertex, mesh by mesh.
fn apart(model: &Model, before: &[DVec3], after: &[DVec3]) -> Vec<Vec<f32>> {
    let mut apart = before.iter().zip(after).map(|(a, b)| a.distance(*b) as f32);
    model.meshes.iter().map(|mesh| apart.by_ref().take(mesh.vertex_count()).collect()).collect()
}

/// A side at a moment.
struct Posed {
    local: LocalPose,
    pose: ModelPose,
    time: f64,
}

impl Posed {
    /// `None` if there is no such clip.
    fn new(side: &Side<'_>, moment: &Moment) -> Option<Self> {
        let clip = side.model.clips.get(moment.clip)?;
        let time = clip.frame_rate.map_or(0.0, |rate| moment.frame / rate);
        let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
        sample(&side.model.skeleton, clip, time, &mut local);
        local_to_model(&side.model.skeleton, &local, &mut pose);
        Some(Self { local, pose, time })
    }
}

struct Artist {
    renderer: Renderer,
    frame: RenderTarget,
}

impl Artist {
    fn picture(
        &mut self,
        side: &mut Side<'_>,
        posed: &Posed,
        clip: usize,
        camera: Camera,
        colours: Option<&paint::Colours>,
    ) -> Result<RgbImage, Error> {
        let method = side.engine.map_or(MethodId::Cpu, Engine::method);
        let pose = PoseRef { model: &posed.pose, local: &posed.local, clip: Some(clip), time: posed.time };
        let figure = Instance { pose, position: Vec3::ZERO };
        if let Some(colours) = colours {
            side.gpu.paint(method, Some(clip), Some(colours))?;
        }
        self.renderer.draw(&self.frame, &mut side.gpu, method, &camera, &LOOK, &[figure], &Marks::default())?;
        if colours.is_some() {
            side.gpu.paint(method, Some(clip), None)?;
        }
        Ok(opaque(&self.frame.read()))
    }
}
