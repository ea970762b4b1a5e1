//! Comparison of methods at the poses of a plan: measurements and images.

use super::contact_sheet::{difference, opaque};
use super::finding::{self, SAME_WITHIN, SameShape, TurnReport, VertexPositions};
use super::measure::{Truth, measure};
use super::method_report::{Agreement, MethodReport, PoseReport};
use super::page::ReportImages;
use super::plan::Plan;
use super::report::ComparisonReport;
use super::tear::{Surface, Whole};
use super::timing::lower_quartile;
use super::turn::{self, Seam};
use super::visible_side::face;
use bindpose_core::model::{Clip, JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{Cost, Limits, MethodId};
use bindpose_player::{View, paint};
use bindpose_render::{
    Background, Camera, Error, Followed, FrameInput, Gpu, GpuModel, Instance, RenderSettings, RenderTarget, Renderer,
    ShaderFiles,
};
use glam::Vec3;
use image::{RgbImage, Rgba, RgbaImage};
use std::time::{Duration, Instant};

/// Time for which frames of a method are drawn.
const TIMED: Duration = Duration::from_millis(100);

/// Settings of a comparison.
#[derive(Debug, Clone)]
pub struct ComparisonSettings {
    /// View of the images.
    pub view: View,
    /// Width and height of each image in pixels.
    pub size: (u32, u32),
    /// Largest accepted distance from a method's own reference, as a share of the model's extent.
    pub tolerance: f64,
    /// Largest accepted angle between normals, in degrees.
    pub normal_tolerance: f64,
    /// Limits of a machine.
    pub limits: Limits,
    /// True to time a frame of each method.
    pub times_frames: bool,
}

/// Everything that is the same for all methods.
pub struct MethodComparison<'a> {
    pub(super) settings: ComparisonSettings,
    gpu: &'a Gpu,
    pub(super) model: &'a Model,
    /// The model with the shaders under test.
    subject: GpuModel,
    /// The model with the built-in shaders, if `subject` has others. It draws the reference from vertices computed on
    /// the CPU.
    reference: Option<GpuModel>,
    renderer: Renderer,
    target: RenderTarget,
    pub(super) plan: Plan,
    pub(super) poses: Vec<ComparedPose>,
    seam: Option<Seam>,
}

/// A pose that methods are compared in.
pub(super) struct ComparedPose {
    /// Seconds into the clip.
    time: f64,
    local: LocalPose,
    pub(super) pose: ModelPose,
    pub(super) camera: Camera,
    pub(super) truth: Truth,
}

impl Drop for MethodComparison<'_> {
    /// Frees both models' programs before either's buffers: see [`GpuModel::forget_programs`].
    fn drop(&mut self) {
        self.subject.forget_programs();
        self.reference.iter_mut().for_each(GpuModel::forget_programs);
    }
}

/// Look of the images in reports.
pub(super) const LOOK: RenderSettings =
    RenderSettings { background: Background::Flat([0.18, 0.19, 0.21, 1.0]), grid: false, ..RenderSettings::DEFAULT };

impl<'a> MethodComparison<'a> {
    /// Computes the poses of a plan.
    ///
    /// `subject` has the shaders under test. If they are not the built-in ones, `reference` has the built-in ones.
    pub fn new(
        gpu: &'a Gpu,
        model: &'a Model,
        subject: GpuModel,
        reference: Option<GpuModel>,
        plan: Plan,
        settings: ComparisonSettings,
    ) -> Result<Self, Error> {
        let clip = plan.clip.and_then(|clip| model.clips.get(clip));
        let view = &settings.view;
        let (camera, _) = view.framing(model, clip, 1);
        let turned = plan.turn.as_ref().map(|(turn, _)| view.target.unwrap_or(turn.joint));
        // All poses share one extent, so the model keeps its size during an animation.
        let extent = f64::from(camera.framed.extent());
        let poses = plan.times.iter().map(|&time| {
            let mut compared = ComparedPose::new(model, clip, time, view, camera);
            if let Some(joint) = turned {
                let around = (extent, AROUND_TURNED);
                compared.camera = close_up(model, view, joint, &compared.pose, around, compared.camera);
            }
            compared
        });
        let mut poses: Vec<ComparedPose> = poses.collect();
        let mut seam = None;
        if let Some((turn, local)) = &plan.turn {
            let before = local.to_model(&model.skeleton);
            seam = Seam::new(model, &before, turn);
            if let (Some(seam), Some(mut camera)) = (&seam, poses.last().map(|last| last.camera)) {
                face(&mut camera, view, model, &paint::linear_positions(model, &before), seam.vertices());
                poses.iter_mut().for_each(|compared| compared.camera.yaw = camera.yaw);
            }
        }
        Ok(Self {
            gpu,
            model,
            subject,
            reference,
            renderer: Renderer::new(gpu, &ShaderFiles::default())?,
            target: RenderTarget::new(gpu, settings.size.0, settings.size.1)?,
            settings,
            plan,
            poses,
            seam,
        })
    }

    /// Measures the methods; with `with_images`, also draws the images of the page.
    ///
    /// # Errors
    ///
    /// [`Error`] of OpenGL. Errors of a single method are part of the report.
    pub fn run(
        mut self,
        methods: &[MethodId],
        with_images: bool,
    ) -> Result<(ComparisonReport, Option<ReportImages>), Error> {
        let bounds: Vec<f64> = self.poses.iter().map(|pose| SAME_WITHIN * pose.truth.extent).collect();
        let mut reports = Vec::new();
        let mut same: Vec<SameShape> = Vec::new();
        for (number, &id) in methods.iter().enumerate() {
            let mut report = empty_report(id, self.settings.tolerance);
            match self.measure(id, &mut report) {
                Ok(positions) => finding::join(&mut same, number, positions, &bounds),
                Err(error) => leave_out(&mut report, error)?,
            }
            reports.push(report);
        }
        let expected = self.reference_images()?;
        let drawn = self.compare_images(methods, &mut reports, &same, &expected)?;
        // A group is left out if its first method could not be drawn.
        same.retain(|group| !reports[group.methods[0]].poses.is_empty());
        same.iter_mut().for_each(|group| group.methods.retain(|&number| !reports[number].poses.is_empty()));
        let report = self.report(reports, &same);
        let images = with_images.then(|| self.images(&report, methods, &same, drawn, &expected)).transpose()?;
        Ok((report, images))
    }

    /// Compares each method's images with the reference's. Returns the images of the first method of each group.
    fn compare_images(
        &mut self,
        methods: &[MethodId],
        reports: &mut [MethodReport],
        same: &[SameShape],
        expected: &[RgbaImage],
    ) -> Result<Vec<Vec<RgbImage>>, Error> {
        let blank = self.blank()?;
        let mut drawn = vec![Vec::new(); methods.len()];
        for (number, &id) in methods.iter().enumerate() {
            if reports[number].poses.is_empty() {
                continue;
            }
            let is_first = same.iter().any(|group| group.methods[0] == number);
            // The reference's images show `cpu` with the built-in shaders.
            let is_reference = id == MethodId::Cpu && self.reference.is_none();
            for (pose, expected) in expected.iter().enumerate() {
                let image = match is_reference {
                    true => Ok(expected.clone()),
                    false => self.image(id, pose, self.poses[pose].camera, None),
                };
                match image {
                    Ok(image) => {
                        reports[number].poses[pose].image = Some(difference(&image, expected, blank));
                        if is_first {
                            drawn[number].push(opaque(&image));
                        }
                    }
                    Err(error) => {
                        leave_out(&mut reports[number], error)?;
                        break;
                    }
                }
            }
        }
        Ok(drawn)
    }

    fn report(&self, methods: Vec<MethodReport>, same: &[SameShape]) -> ComparisonReport {
        let Self { model, plan, settings, .. } = self;
        let groups = finding::groups(&methods, same);
        let turn = plan.turn.as_ref().map(|(turn, _)| TurnReport {
            joint: model.skeleton[turn.joint].name.clone(),
            verb: turn::verb(turn, &model.skeleton),
            from: plan.angles.first().copied().filter(|_| plan.angles.len() > 1),
            degrees: turn.degrees,
        });
        let mut finding = finding::sentence(&methods, &groups, turn.as_ref(), &plan.names);
        if plan.clip.is_none() && !groups.is_empty() {
            finding += " This is the rest pose, which shows little of a method: compare in a clip, or turn a joint with --pose \
                        or --sweep.";
        }
        ComparisonReport {
            finding,
            same_within: SAME_WITHIN,
            turn,
            angles: plan.angles.clone(),
            pose_names: plan.names.clone(),
            model: model.name.clone(),
            joints: model.skeleton.len(),
            vertices: model.meshes.iter().map(|mesh| mesh.vertex_count()).sum(),
            triangles: model.meshes.iter().map(|mesh| mesh.triangles.len()).sum(),
            clip: plan.clip.and_then(|clip| model.clips.get(clip)).map(|clip| clip.name.clone()),
            times: self.poses.iter().map(|pose| pose.time).collect(),
            opengl: self.gpu.strings().into_iter().map(|(_, text)| text).collect(),
            limits: settings.limits.to_string(),
            tolerance: settings.tolerance,
            normal_tolerance: settings.normal_tolerance,
            groups,
            methods,
            cylinder: Vec::new(),
        }
    }

    /// Returns the colour of pixels without a model.
    fn blank(&mut self) -> Result<Rgba<u8>, Error> {
        let reference = self.reference.as_mut().unwrap_or(&mut self.subject);
        let input = FrameInput::new(MethodId::Cpu, &self.poses[0].camera, &LOOK, &[]);
        self.renderer.draw(&self.target, reference, &input)?;
        Ok(*self.target.read().get_pixel(0, 0))
    }

    /// Draws the reference in each pose.
    pub fn reference_images(&mut self) -> Result<Vec<RgbaImage>, Error> {
        (0..self.poses.len()).map(|number| self.reference_image(number, self.poses[number].camera)).collect()
    }

    /// Draws the reference in a pose.
    pub(super) fn reference_image(&mut self, pose: usize, camera: Camera) -> Result<RgbaImage, Error> {
        let instances = [self.poses[pose].instance(self.plan.clip)];
        let reference = self.reference.as_mut().unwrap_or(&mut self.subject);
        self.renderer.draw(&self.target, reference, &FrameInput::new(MethodId::Cpu, &camera, &LOOK, &instances))?;
        Ok(self.target.read())
    }

    /// Draws a method in a pose, with the model's vertex colours or with the given ones.
    pub(super) fn image(
        &mut self,
        id: MethodId,
        pose: usize,
        camera: Camera,
        colours: Option<&paint::Colours>,
    ) -> Result<RgbaImage, Error> {
        let instances = [self.poses[pose].instance(self.plan.clip)];
        if let Some(colours) = colours {
            self.subject.paint(id, self.plan.clip, Some(colours))?;
        }
        self.renderer.draw(&self.target, &mut self.subject, &FrameInput::new(id, &camera, &LOOK, &instances))?;
        if colours.is_some() {
            self.subject.paint(id, self.plan.clip, None)?;
        }
        Ok(self.target.read())
    }

    /// Times frames of the first pose without light and textures, from the upload until the GPU is done. Returns the lower
    /// quartile in milliseconds.
    fn frame_ms(&mut self, id: MethodId) -> Result<f64, Error> {
        let Some(compared) = self.poses.first() else { return Ok(0.0) };
        let instances = [compared.instance(self.plan.clip)];
        let mut frames = Vec::new();
        let start = Instant::now();
        while frames.len() < 3 || start.elapsed() < TIMED {
            let frame = Instant::now();
            self.renderer.draw_bare(&self.target, &mut self.subject, id, &compared.camera, &instances, None)?;
            self.gpu.finish();
            frames.push(frame.elapsed().as_secs_f64() * 1e3);
        }
        // The first frame compiles programs.
        Ok(lower_quartile(&frames[1..]))
    }

    /// Measures a method in every pose. Returns its vertices.
    fn measure(&mut self, id: MethodId, report: &mut MethodReport) -> Result<VertexPositions, Error> {
        let mut positions = VertexPositions::new();
        let loss = self.subject.prepare(id, self.plan.clip)?;
        report.batches = loss.batches;
        report.cost = loss.cost;
        report.bytes_fixed = loss.fixed_bytes;
        report.instructions = loss.program.map(|program| program.slots);
        if self.settings.times_frames {
            report.frame_ms = Some(self.frame_ms(id)?);
        }
        let at_rest = LocalPose::rest(&self.model.skeleton).to_model(&self.model.skeleton);
        let whole = Whole::new(paint::linear_positions(self.model, &at_rest));
        for (compared, name) in self.poses.iter().zip(&self.plan.names) {
            let posed = compared.instance(self.plan.clip);
            let measured = measure(self.gpu, self.model, &mut self.subject, id, posed, &compared.truth)?;
            if measured.stretched_joints > 0 {
                let joints = measured.stretched_joints;
                let reason =
                    format!("{joints} joints are scaled at {name}; this method supports rotation and translation only");
                return Err(Error::Unavailable { method: id.to_string(), reason });
            }
            report.bytes_per_frame = report.bytes_per_frame.max(measured.uploaded);
            report.trimmed_movement = report.trimmed_movement.max(measured.trimmed_movement);
            let (tolerance, normal_tolerance) = (self.settings.tolerance, self.settings.normal_tolerance);
            if let Some(reason) = measured.own.excess(tolerance, normal_tolerance, name) {
                report.verdict = Agreement::Off;
                report.reason.get_or_insert(reason);
            }
            let left = self.seam.as_ref().map(|seam| seam.left(&measured.positions));
            report.poses.push(PoseReport {
                time: compared.time,
                own: measured.own,
                linear: measured.linear,
                image: None,
                tears: {
                    let surface = Surface { positions: &measured.positions, normals: &measured.normals };
                    whole.tears(self.model, surface, &compared.truth.positions(), compared.truth.extent)
                },
                thickness: left.map(|(width, _)| width),
                area: left.and_then(|(_, area)| area),
                volume: self.seam.as_ref().and_then(|seam| seam.volume_left(&measured.positions)),
            });
            positions.push(measured.positions);
        }
        Ok(positions)
    }
}

/// Largest share of the model's extent from a joint to the edge of a close-up.
const FARTHEST: f32 = 0.3;
/// Smallest such share around the joint with the largest error. A smaller part of the model would be hard to recognise.
pub(super) const AROUND_WORST: f32 = 0.12;
/// Smallest such share around a turned joint.
const AROUND_TURNED: f32 = 0.06;

/// Returns a camera near a joint. Its neighbours are at the image's edges, and at least `least * extent` around it is
/// visible.
pub(super) fn close_up(
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

/// Records why a method is left out. Returns errors that concern all methods.
fn leave_out(report: &mut MethodReport, error: Error) -> Result<(), Error> {
    (report.verdict, report.reason) = match error {
        Error::Unavailable { reason, .. } => (Agreement::Skipped, Some(reason)),
        Error::Program { .. } | Error::Interface { .. } | Error::ShaderFile(_) => {
            (Agreement::Refused, Some(error.to_string()))
        }
        error => return Err(error),
    };
    report.poses.clear();
    Ok(())
}

impl ComparedPose {
    fn new(model: &Model, clip: Option<&Clip>, time: f64, view: &View, mut camera: Camera) -> Self {
        let local = LocalPose::of_clip(&model.skeleton, clip, time);
        let pose = local.to_model(&model.skeleton);
        view.follow(&mut camera, &pose);
        let truth = Truth::new(model, &pose);
        Self { time, local, pose, camera, truth }
    }

    fn instance(&self, clip: Option<usize>) -> Instance<'_> {
        Instance { model: &self.pose, local: &self.local, clip, time: self.time, position: Vec3::ZERO }
    }
}

fn empty_report(id: MethodId, tolerance: f64) -> MethodReport {
    MethodReport {
        method: id.to_string(),
        about: id.method().about,
        verdict: Agreement::Agrees,
        reason: None,
        registers: id.method().joint_data.registers(),
        instructions: None,
        frame_ms: None,
        batches: 0,
        cost: Cost::default(),
        trimmed_movement: 0.0,
        bytes_per_frame: 0,
        bytes_fixed: 0,
        tolerance,
        poses: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::Transform;
    use glam::DVec3;

    /// The model's size is 10. A bone of length 3 sets the size of the close-up; with the bone of a toe, only toes
    /// would be visible.
    #[test]
    fn a_close_up_reaches_the_next_joints_within_limits() {
        for (bone, reach) in [(0.01, 1.2), (3.0, 1.8), (50.0, 3.0)] {
            let mut model = Model::default();
            let moved = Transform { translation: DVec3::X * bone, ..Transform::IDENTITY };
            let foot = model.skeleton.push("foot", None, Transform::IDENTITY);
            let toes = model.skeleton.push("toes", Some(foot), moved);
            let pose = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
            let view = View::default();
            let (camera, _) = view.framing(&model, None, 1);
            let followed = close_up(&model, &view, toes, &pose, (10.0, AROUND_WORST), camera).followed.unwrap();
            assert!((followed.reach - Vec3::splat(reach)).length() < 1e-6, "{bone}: {}", followed.reach);
        }
    }
}
