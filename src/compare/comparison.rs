//! Methods measured and drawn at the moments of a plan.

use super::figures;
use super::finding::{self, Alike, Positions, SAME_WITHIN, TurnReport};
use super::measure::{Truth, measure, tolerance};
use super::page::Shown;
use super::pictures::{difference, opaque};
use super::plan::Plan;
use super::report::{Agreement, ComparisonReport, MethodReport, MomentReport};
use super::turn::Seam;
use crate::player::{View, paint};
use crate::render::{
    Background, Camera, Error, Followed, Gpu, GpuModel, Instance, Marks, PoseRef, RenderSettings, RenderTarget,
    Renderer, ShaderFiles, TexelFormat,
};
use bindpose_core::model::{Clip, JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{Cost, Limits, MethodId};
use glam::Vec3;
use image::{Rgba, RgbaImage};

/// How methods are compared.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where pictures are looked at from.
    pub view: View,
    /// Width and height of each picture in pixels.
    pub size: (u32, u32),
    /// Largest distance from the own reference that passes, as a share of the model's extent.
    pub tolerance: f64,
    /// Largest angle between normals that passes, degrees.
    pub normal_tolerance: f64,
    /// Limits of uniform registers.
    pub limits: Limits,
    /// Of `bone-texture`'s palette.
    pub texels: TexelFormat,
}

/// What stays the same for all methods.
pub struct Comparison<'a> {
    pub(super) settings: Settings,
    pub(super) gpu: &'a Gpu,
    pub(super) model: &'a Model,
    /// With the shaders that are to be tried.
    pub(super) subject: GpuModel,
    /// With the built-in ones, if those of `subject` are others: pictures of the reference are made from vertices of the CPU.
    reference: Option<GpuModel>,
    pub(super) renderer: Renderer,
    pub(super) frame: RenderTarget,
    pub(super) plan: Plan,
    pub(super) moments: Vec<Moment>,
    seam: Option<Seam>,
    /// Of the meshes before the turn, if they enclose any.
    volume: Option<f64>,
}

pub(super) struct Moment {
    time: f64,
    local: LocalPose,
    pub(super) pose: ModelPose,
    pub(super) camera: Camera,
    pub(super) truth: Truth,
}

impl Drop for Comparison<'_> {
    /// Both models' programs before either's buffers: see [`GpuModel::forget_programs`].
    fn drop(&mut self) {
        self.subject.forget_programs();
        self.reference.iter_mut().for_each(GpuModel::forget_programs);
    }
}

/// How figures are drawn for a report.
pub(super) const LOOK: RenderSettings =
    RenderSettings { background: Background::Flat([0.18, 0.19, 0.21, 1.0]), grid: false, ..RenderSettings::DEFAULT };

/// Meshes that enclose no more than this share of their extent's cube are flat or open, and have no volume to keep.
const LEAST_VOLUME: f64 = 1e-6;

impl<'a> Comparison<'a> {
    /// Poses the model at the plan's moments.
    ///
    /// `subject` has the shaders that are to be tried; where those are not the built-in ones, `reference` has them.
    ///
    /// # Errors
    ///
    /// [`Error`] of OpenGL.
    pub fn new(
        gpu: &'a Gpu,
        model: &'a Model,
        subject: GpuModel,
        reference: Option<GpuModel>,
        plan: Plan,
        settings: Settings,
    ) -> Result<Self, Error> {
        let shown = plan.clip.and_then(|clip| model.clips.get(clip));
        let view = &settings.view;
        let (camera, _) = view.framing(model, shown, 1);
        let turned = plan.turn.as_ref().map(|(turn, _)| view.target.unwrap_or(turn.joint));
        // One for all moments: the figure of a film stays as large as it is.
        let extent = f64::from(camera.framed.extent());
        let moments = plan.times.iter().map(|&time| {
            let mut moment = moment(model, shown, time, view, camera);
            if let Some(joint) = turned {
                moment.camera = near(model, view, joint, &moment.pose, (extent, AROUND_TURNED), moment.camera);
            }
            moment
        });
        let moments = moments.collect();
        let mut before = ModelPose::default();
        let mut seam = None;
        let mut volume = None;
        if let Some((turn, local)) = &plan.turn {
            local_to_model(&model.skeleton, local, &mut before);
            seam = Seam::new(model, &before, turn);
            let truth = Truth::new(model, &before);
            let enclosed = figures::enclosed(model, &paint::linear_positions(model, &before));
            volume = Some(enclosed).filter(|volume| volume.abs() > LEAST_VOLUME * truth.extent.powi(3));
        }
        Ok(Self {
            gpu,
            model,
            subject,
            reference,
            renderer: Renderer::new(gpu, &ShaderFiles::default())?,
            frame: RenderTarget::new(gpu, settings.size.0, settings.size.1)?,
            settings,
            plan,
            moments,
            seam,
            volume,
        })
    }

    /// Measures the methods; where `is_shown`, also draws what a page shows of them.
    ///
    /// # Errors
    ///
    /// [`Error`] of OpenGL; what is wrong with one method alone stands in the report.
    pub fn run(mut self, methods: &[MethodId], is_shown: bool) -> Result<(ComparisonReport, Option<Shown>), Error> {
        let bounds: Vec<f64> = self.moments.iter().map(|moment| SAME_WITHIN * moment.truth.extent).collect();
        let mut reports = Vec::new();
        let mut alike: Vec<Alike> = Vec::new();
        for (number, &id) in methods.iter().enumerate() {
            let mut report = empty_report(id, self.settings.tolerance);
            match self.measure(id, &mut report) {
                Ok(positions) => finding::join(&mut alike, number, positions, &bounds),
                Err(error) => leave_out(&mut report, error)?,
            }
            reports.push(report);
        }

        let blank = self.blank()?;
        let expected: Vec<RgbaImage> =
            (0..self.moments.len()).map(|number| self.expected(number)).collect::<Result<_, _>>()?;
        let mut drawn = vec![Vec::new(); methods.len()];
        for (number, &id) in methods.iter().enumerate() {
            if reports[number].moments.is_empty() {
                continue;
            }
            let is_first = alike.iter().any(|group| group.methods[0] == number);
            for (moment, expected) in expected.iter().enumerate() {
                // What the reference's picture was made with need not make it again.
                let is_reference = id == MethodId::Cpu && self.reference.is_none();
                let picture = if is_reference {
                    Ok(expected.clone())
                } else {
                    self.picture(id, moment, self.moments[moment].camera, None)
                };
                match picture {
                    Ok(picture) => {
                        let apart = difference(&picture, expected, blank);
                        reports[number].moments[moment].picture = Some(apart);
                        if is_first && is_shown {
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
        // Whose first cannot be drawn is not shown.
        alike.retain(|group| !reports[group.methods[0]].moments.is_empty());
        alike.iter_mut().for_each(|group| group.methods.retain(|&number| !reports[number].moments.is_empty()));
        let groups = finding::groups(&reports, &alike);
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
            limits: self.settings.limits.to_string(),
            tolerance: self.settings.tolerance,
            normal_tolerance: self.settings.normal_tolerance,
            groups,
            methods: reports,
            figures: Vec::new(),
        };
        let shown = is_shown.then(|| self.show(&report, methods, &alike, drawn, &expected)).transpose()?;
        Ok((report, shown))
    }

    /// The colour of pixels in which there is nothing.
    fn blank(&mut self) -> Result<Rgba<u8>, Error> {
        let camera = self.moments[0].camera;
        let marks = Marks::default();
        let reference = self.reference.as_mut().unwrap_or(&mut self.subject);
        self.renderer.draw(&self.frame, reference, MethodId::Cpu, &camera, &LOOK, &[], &marks)?;
        Ok(*self.frame.read().get_pixel(0, 0))
    }

    fn expected(&mut self, moment: usize) -> Result<RgbaImage, Error> {
        self.draw_expected(moment, self.moments[moment].camera)
    }

    pub(super) fn draw_expected(&mut self, moment: usize, camera: Camera) -> Result<RgbaImage, Error> {
        let figure = Instance { pose: self.moments[moment].posed(self.plan.clip), position: Vec3::ZERO };
        let marks = Marks::default();
        let reference = self.reference.as_mut().unwrap_or(&mut self.subject);
        self.renderer.draw(&self.frame, reference, MethodId::Cpu, &camera, &LOOK, &[figure], &marks)?;
        Ok(self.frame.read())
    }

    /// A method's picture of a moment, in its own colours or in others.
    pub(super) fn picture(
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

    /// Measures one method at every moment; where its vertices are.
    fn measure(&mut self, id: MethodId, report: &mut MethodReport) -> Result<Positions, Error> {
        let mut positions = Positions::new();
        let loss = self.subject.prepare(id, self.plan.clip)?;
        report.batches = loss.batches;
        report.cost = loss.cost;
        report.bytes_fixed = loss.fixed_bytes;
        for (moment, name) in self.moments.iter().zip(&self.plan.names) {
            let posed = moment.posed(self.plan.clip);
            let measured = measure(self.gpu, self.model, &mut self.subject, id, posed, &moment.truth)?;
            if measured.stretched_joints > 0 {
                let joints = measured.stretched_joints;
                let reason = format!("{joints} joints are scaled at {name}, and its joints may only turn and move");
                return Err(Error::Unavailable { method: id.to_string(), reason });
            }
            report.bytes_per_frame = report.bytes_per_frame.max(measured.uploaded);
            report.trimmed_movement = report.trimmed_movement.max(measured.trimmed_movement);
            let texels = self.settings.texels;
            let tolerance = tolerance(id, texels, self.settings.tolerance, self.model, &moment.pose, &moment.truth);
            report.tolerance = report.tolerance.max(tolerance);
            // Half-float texels turn joints by up to 0.06 degrees (2^-12 per component, doubled), and shear them a little;
            // where joints bend against each other the normal of their blend turns more than they do.
            let coarse = if tolerance > self.settings.tolerance { 0.25 } else { 0.0 };
            let normal_tolerance = self.settings.normal_tolerance.max(coarse);
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
                volume: self.volume.map(|before| figures::enclosed(self.model, &measured.positions) / before),
            });
            positions.push(measured.positions);
        }
        Ok(positions)
    }
}

/// The most of a figure's extent that reaches from a joint to the edge of a picture from nearby.
const FARTHEST: f32 = 0.3;
/// The least of it around a joint that nobody asked for: of less nobody sees what part of the figure it is.
pub(super) const AROUND_WORST: f32 = 0.12;
/// The least of it around a joint that is turned: what becomes of that is all that the picture is about.
const AROUND_TURNED: f32 = 0.06;

/// A camera that sees a joint of a figure of that extent from so near that the joints next to it are at the picture's edges, with at
/// least a share of the extent around it.
pub(super) fn near(
    model: &Model,
    view: &View,
    joint: JointId,
    pose: &ModelPose,
    (extent, least): (f64, f32),
    camera: Camera,
) -> Camera {
    let at = pose.0[joint.index()].translation;
    let parent = model.skeleton[joint].parent;
    let joints = model.skeleton.ids().zip(model.skeleton.joints());
    let next = joints.filter(|(id, known)| known.parent == Some(joint) || parent == Some(*id));
    let reach = next.map(|(id, _)| pose.0[id.index()].translation.distance(at)).fold(0.0, f64::max) as f32;
    let [least, most] = [least, FARTHEST].map(|share| share * extent as f32);
    let reach = Vec3::splat((0.6 * reach).clamp(least, most));
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
    let truth = Truth::new(model, &pose);
    Moment { time, local, pose, camera, truth }
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

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::Transform;
    use glam::DVec3;

    /// A figure of size 10: bones of 3 give the picture its size, those of toes would show nothing but toes.
    #[test]
    fn nearby_is_as_far_as_the_next_joints_but_not_too_near() {
        for (bone, reach) in [(0.01, 1.2), (3.0, 1.8), (50.0, 3.0)] {
            let mut model = Model::default();
            let moved = Transform { translation: DVec3::X * bone, ..Transform::IDENTITY };
            let foot = model.skeleton.push("foot", None, Transform::IDENTITY);
            let toes = model.skeleton.push("toes", Some(foot), moved);
            let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
            rest(&model.skeleton, &mut local);
            local_to_model(&model.skeleton, &local, &mut pose);
            let view = View::default();
            let (camera, _) = view.framing(&model, None, 1);
            let followed = near(&model, &view, toes, &pose, (10.0, AROUND_WORST), camera).followed.unwrap();
            assert!((followed.reach - Vec3::splat(reach)).length() < 1e-6, "{bone}: {}", followed.reach);
        }
    }
}
