//! A model on the GPU: textures, and for each method that was asked for its pipeline.

use super::float_texture::TexelFormat;
use super::method_pipeline::{BuildContext, MethodPipeline, PipelineStats};
use super::pipeline_key;
use super::programs::ShaderFiles;
use super::{Error, GlLimits, Gpu};
use crate::images::{self, Texture, TextureFinder};
use bindpose_core::image_habits::Surface;
use bindpose_core::model::{JointTracks, Material, Model, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{self, Example, Limits, Method, MethodId, Prepared, SkinningStage};
use glam::Vec4;
use glium::backend::{Context, Facade};
use glium::texture::{RawImage2d, Texture2d};
use image::RgbaImage;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A model ready to be drawn by any method.
pub struct GpuModel {
    context: Rc<Context>,
    model: Arc<Model>,
    gl: GlLimits,
    shaders: ShaderFiles,
    limits: Limits,
    texels: TexelFormat,
    examples: Vec<Example>,
    pub(super) materials: Vec<GpuMaterial>,
    stretch: Stretch,
    /// By method and, where the method depends on it, clip.
    pipelines: BTreeMap<(MethodId, Option<usize>), MethodPipeline>,
    /// What is worth telling about textures.
    notes: Vec<String>,
    /// For each material which image it has, or why it has none.
    about_images: Vec<String>,
    /// A sentence on each image that was not found.
    missing_images: Vec<String>,
}

/// Programs of shaders that were read anew, with all that belongs to them.
pub struct Recompiled(BTreeMap<(MethodId, Option<usize>), MethodPipeline>);

/// Why methods that hold a joint as a rotation and a place cannot show a model; `None` if they can.
struct Stretch {
    /// A joint is stretched in its parent's space.
    local: Option<String>,
    /// A joint of some mesh is stretched against its bind pose.
    palette: Option<String>,
}

/// A surface on the GPU.
pub(super) struct GpuMaterial {
    /// Linear RGBA, multiplied with the image; alpha below 1 lets through what is behind.
    pub base: Vec4,
    /// Linear RGB, added to the light.
    pub emissive: [f32; 3],
    /// sRGB image.
    pub image: Option<Texture2d>,
    /// Alpha below this is left out.
    pub cut_out: f32,
}

impl GpuMaterial {
    /// Whether what is behind it shines through.
    pub(super) fn is_translucent(&self) -> bool {
        self.base.w < OPAQUE
    }
}

/// Alpha from here on is no wish to see through: the last step of 8 bits.
const OPAQUE: f32 = 254.5 / 255.0;

impl GpuModel {
    /// Uploads textures; methods follow when they are asked for.
    pub fn new(
        gpu: &Gpu,
        model: Arc<Model>,
        textures: &TextureFinder<'_>,
        shaders: &ShaderFiles,
        limits: Limits,
    ) -> Result<Self, Error> {
        let (mut notes, mut about_images, mut missing_images) = (Vec::new(), Vec::new(), Vec::new());
        let mut materials = Vec::with_capacity(model.materials.len());
        for (number, material) in model.materials.iter().enumerate() {
            let name = material.texture.as_deref();
            let is_plain = material.diffuse == Material::neutral("").diffuse;
            let called = name.map_or_else(|| "the image".to_owned(), |name| format!("'{name}'"));
            let found = textures.find_for(&Surface { name, known_as: &model.surfaces_of(number), is_plain });
            let (image, about) = match found {
                Texture::Found { path, image, .. } => {
                    let (width, height) = image.dimensions();
                    let about = format!("{called} is {}, {width}x{height}", images::shown(&path).display());
                    (Some(image), about)
                }
                Texture::Broken { path, error } => {
                    notes.push(format!("texture {}: {error}", images::shown(&path).display()));
                    (None, notes.last().cloned().unwrap_or_default())
                }
                Texture::Missing { tried } => {
                    missing_images.push(missing(name.unwrap_or_default(), &tried));
                    (None, missing_images.last().cloned().unwrap_or_default())
                }
                Texture::NoImage if name.is_none() => (None, "the file names no image".to_owned()),
                Texture::NoImage => (None, format!("{called} is no image of the surface")),
            };
            about_images.push(about);
            let ResolvedMaterial { base, cut_out } = resolve_material(number, material, image.as_ref());
            let image = image.map(|image| upload(gpu, image)).transpose()?;
            materials.push(GpuMaterial { base, emissive: material.emissive.to_array(), image, cut_out });
        }
        Ok(Self {
            context: Rc::clone(gpu.get_context()),
            gl: *gpu.limits(),
            stretch: Stretch::of(&model),
            model,
            shaders: shaders.clone(),
            limits,
            texels: TexelFormat::default(),
            examples: Vec::new(),
            materials,
            pipelines: BTreeMap::new(),
            notes,
            about_images,
            missing_images,
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What is worth telling: images that cannot be read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Which image a material has and where it was found, or why it has none.
    pub fn image_of(&self, material: usize) -> &str {
        self.about_images.get(material).map_or("", String::as_str)
    }

    /// A sentence on each image that was not found, with the names tried.
    pub fn missing_images(&self) -> &[String] {
        &self.missing_images
    }

    /// Example poses for `sjbbe`.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Gives `sjbbe` its example poses.
    pub fn with_examples(mut self, examples: Vec<Example>) -> Self {
        self.examples = examples;
        self
    }

    /// Chooses the texels of `bone-texture`.
    pub fn with_texels(mut self, texels: TexelFormat) -> Self {
        self.texels = texels;
        self
    }

    /// Gives the vertices of the meshes other colours (linear RGBA) in a method's pictures, or their own again.
    ///
    /// # Errors
    ///
    /// [`Error`] where the method cannot show this model, or of buffers.
    pub fn paint(&mut self, id: MethodId, clip: Option<usize>, colours: Option<&[Vec<Vec4>]>) -> Result<(), Error> {
        self.pipeline(id, clip)?.0.paint(colours)
    }

    /// Chooses which machine's registers to keep to, from the next picture on.
    pub fn set_limits(&mut self, limits: Limits) {
        if limits != self.limits {
            self.limits = limits;
            self.pipelines.clear();
        }
    }

    /// Makes a method ready for a clip, if it is not yet; tells what it takes. Its programs are compiled when they are
    /// drawn with.
    ///
    /// Only `morph` depends on the clip.
    pub fn prepare(&mut self, id: MethodId, clip: Option<usize>) -> Result<PipelineStats, Error> {
        Ok(self.pipeline(id, clip)?.0.stats)
    }

    /// As [`GpuModel::prepare`], with the programs that [`super::Renderer::draw`] needs.
    pub fn compile(&mut self, id: MethodId, clip: Option<usize>) -> Result<PipelineStats, Error> {
        let (pipeline, _) = self.pipeline(id, clip)?;
        pipeline.compile_all()?;
        Ok(pipeline.stats)
    }

    /// Reads shaders anew and compiles those that are shown: methods with their clips. Nothing changes before
    /// [`GpuModel::take`].
    ///
    /// # Errors
    ///
    /// [`Error`] with the driver's words.
    pub fn recompiled(&self, shown: &[(MethodId, Option<usize>)]) -> Result<Recompiled, Error> {
        let compiled = |&(id, clip): &(MethodId, Option<usize>)| {
            let key = (id, Self::clip_of(id, clip));
            let mut pipeline = self.build(id, key.1)?;
            pipeline.compile_all()?;
            Ok((key, pipeline))
        };
        shown.iter().map(compiled).collect::<Result<_, Error>>().map(Recompiled)
    }

    /// Draws with newly compiled programs; those that are not among them follow when they are asked for.
    pub fn take(&mut self, recompiled: Recompiled) {
        self.pipelines.values_mut().for_each(MethodPipeline::forget_programs);
        self.pipelines = recompiled.0;
    }

    /// What the method's reference needs, one for each of the model's meshes; see [`skin::reference`].
    pub fn references(&mut self, id: MethodId, clip: Option<usize>) -> Result<&[Prepared], Error> {
        Ok(&self.pipeline(id, clip)?.0.prepared)
    }

    /// Bytes that went to the GPU for what a method drew or computed last.
    pub fn uploaded(&self, id: MethodId, clip: Option<usize>) -> u64 {
        self.pipelines.get(&(id, Self::clip_of(id, clip))).map_or(0, |pipeline| pipeline.uploaded)
    }

    /// The clip that a method's pipeline depends on.
    pub(super) fn clip_of(id: MethodId, clip: Option<usize>) -> Option<usize> {
        clip.filter(|_| id.method().needs.clip)
    }

    pub(super) fn pipeline(
        &mut self,
        id: MethodId,
        clip: Option<usize>,
    ) -> Result<(&mut MethodPipeline, &[GpuMaterial]), Error> {
        let key = (id, Self::clip_of(id, clip));
        let pipeline = match self.pipelines.remove(&key) {
            Some(pipeline) => pipeline,
            None => self.build(id, key.1)?,
        };
        Ok((self.pipelines.entry(key).or_insert(pipeline), &self.materials))
    }

    fn build(&self, id: MethodId, clip: Option<usize>) -> Result<MethodPipeline, Error> {
        let method = id.method();
        if let Some(joint) = self.stretch.against(method) {
            return Err(Error::unavailable(method, format!("{joint}, and its joints may only turn and move")));
        }
        let context = BuildContext {
            context: &self.context,
            shaders: &self.shaders,
            gl: &self.gl,
            limits: self.limits,
            texels: self.texels,
            model: &self.model,
            examples: &self.examples,
            clip: clip.and_then(|clip| self.model.clips.get(clip)),
        };
        MethodPipeline::new(id, &context)
    }
}

impl Drop for GpuModel {
    /// Programs go before any buffer: with its program glium forgets what was drawn by it, and goes through all that it
    /// remembers for every buffer that is freed, of which each batch has several.
    fn drop(&mut self) {
        self.pipelines.values_mut().for_each(MethodPipeline::forget_programs);
    }
}

/// Whether a method's program compiles here, with as many joints as its limits allow, and how many these are.
pub fn probe(gpu: &Gpu, shaders: &ShaderFiles, limits: Limits, method: &Method) -> Result<Option<u32>, Error> {
    let capacity = pipeline_key::capacity(gpu.get_context(), method, limits, gpu.limits())?;
    pipeline_key::try_program(gpu.get_context(), shaders, method, capacity)?;
    Ok(capacity)
}

/// What a surface looks like beside its image.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ResolvedMaterial {
    /// Linear RGBA, multiplied with the image.
    base: Vec4,
    /// Alpha below this is left out.
    cut_out: f32,
}

/// What to show of a material, given the image that its texture's name led to; `number` is its place in the model.
fn resolve_material(number: usize, material: &Material, image: Option<&RgbaImage>) -> ResolvedMaterial {
    let is_plain = material.diffuse == Material::neutral("").diffuse;
    // What shines by itself may well be black otherwise.
    let is_black = material.diffuse.truncate().max_element() < 0.05 && material.emissive.max_element() < 0.05;
    let base = match image {
        // A black or grey material under an image is an exporter's default, not a wish.
        Some(_) if is_plain || is_black => Vec4::ONE,
        // A grey under an image that is not there says nothing about the surface.
        None if is_plain || (material.texture.is_some() && is_grey(material.diffuse)) => neutral(number),
        _ => material.diffuse,
    };
    // Nobody makes a surface to be not seen at all: alpha 0 is an exporter's slip.
    let alpha = if material.diffuse.w > 0.0 { material.diffuse.w.min(1.0) } else { 1.0 };
    let base = base.with_w(alpha);
    let cut_out = if image.is_some_and(images::is_cut_out) { 0.5 } else { 0.0 };
    ResolvedMaterial { base, cut_out }
}

fn upload(gpu: &Gpu, image: RgbaImage) -> Result<Texture2d, Error> {
    let most = gpu.limits().texture_size;
    let (width, height) = image.dimensions();
    let image = if width.max(height) > most {
        let (width, height) = (width.min(most), height.min(most));
        image::imageops::resize(&image, width, height, image::imageops::FilterType::Triangle)
    } else {
        image
    };
    let size = image.dimensions();
    // Row 0 is the image's top row and lies at v = 0, as in the files.
    Texture2d::new(gpu, RawImage2d::from_raw_rgba(image.into_raw(), size)).map_err(Error::resource("texture"))
}

fn missing(name: &str, tried: &[String]) -> String {
    let shown: Vec<&str> = tried.iter().take(4).map(String::as_str).collect();
    let more = tried.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no image for '{name}': tried {}{rest}", shown.join(", "))
}

fn is_grey(colour: Vec4) -> bool {
    colour.truncate().max_element() - colour.truncate().min_element() < 0.02
}

/// Quiet colours for surfaces without an image, one after the other; linear.
fn neutral(number: usize) -> Vec4 {
    const SRGB: [[u8; 3]; 6] =
        [[184, 178, 168], [150, 163, 176], [176, 158, 140], [152, 170, 150], [178, 156, 160], [160, 154, 178]];
    let [r, g, b] = SRGB[number % SRGB.len()].map(|channel| (f32::from(channel) / 255.0).powf(2.2));
    Vec4::new(r, g, b, 1.0)
}

impl Stretch {
    fn of(model: &Model) -> Self {
        let local = stretched_joint(model);
        let bind = model.meshes.iter().find_map(|mesh| {
            let bound = mesh.bind.iter().find(|bound| skin::rigidity_error(&bound.inverse_bind) > skin::RIGID)?;
            let joint = &model.skeleton[bound.joint].name;
            Some(format!("mesh '{}' is bound to a joint '{joint}' that is scaled", mesh.name))
        });
        // Where neither is stretched their products are not; where both are they may cancel.
        let palette = local.clone().or(bind).filter(|_| some_palette_is_stretched(model));
        Self { local, palette }
    }

    /// The reason why a method cannot show the model.
    fn against(&self, method: &Method) -> Option<&String> {
        let local = self.local.as_ref().filter(|_| method.stage == SkinningStage::FragmentPasses);
        local.or(self.palette.as_ref()).filter(|_| method.needs.rigid_joints)
    }
}

/// Whether a joint is stretched against its bind pose at rest or at one of some moments of the clips.
fn some_palette_is_stretched(model: &Model) -> bool {
    /// Moments looked at per clip: a scale that comes and goes between them is found when it is shown.
    const MOMENTS: u32 = 16;
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut is_stretched = |local: &LocalPose| {
        local_to_model(&model.skeleton, local, &mut pose);
        model.meshes.iter().any(|mesh| skin::joints_that_are_not_rigid(mesh, &pose) > 0)
    };
    rest(&model.skeleton, &mut local);
    if model.clips.is_empty() {
        return is_stretched(&local);
    }
    model.clips.iter().any(|clip| {
        (0..=MOMENTS).any(|moment| {
            sample(&model.skeleton, clip, clip.duration * f64::from(moment) / f64::from(MOMENTS), &mut local);
            is_stretched(&local)
        })
    })
}

/// The first joint that some pose stretches in its parent's space, in words; `None` if all only ever turn and move.
fn stretched_joint(model: &Model) -> Option<String> {
    let stretched = |local: &Transform| skin::rigidity_error(&local.to_affine()) > skin::RIGID;
    let joints = model.skeleton.joints();
    for joint in joints {
        if stretched(&joint.rest_local) {
            return Some(format!("joint '{}' is {} at rest", joint.name, stretch(&joint.rest_local)));
        }
    }
    for clip in &model.clips {
        for (joint, tracks) in joints.iter().zip(&clip.joints) {
            let key = match tracks {
                JointTracks::Parts { scale, .. } => {
                    let scales = scale.iter().flat_map(|track| &track.values);
                    scales.map(|&scale| Transform { scale, ..Transform::IDENTITY }).find(stretched)
                }
                JointTracks::Whole { keys, .. } => keys.values.iter().copied().find(stretched),
            };
            if let Some(key) = key {
                return Some(format!("joint '{}' is {} in clip '{}'", joint.name, stretch(&key), clip.name));
            }
        }
    }
    None
}

/// What keeps a joint's local transform from being rigid, for people.
fn stretch(local: &Transform) -> String {
    let scale = local.scale;
    let mut text = format!("scaled by {:.4} {:.4} {:.4}", scale.x, scale.y, scale.z);
    if local.shear.length() > skin::RIGID {
        text.push_str(" and sheared");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exporters_defaults_do_not_darken_images() {
        let image = RgbaImage::from_pixel(1, 1, image::Rgba([10, 20, 30, 255]));
        let (plain, red) = (Material::neutral("").diffuse, Vec4::new(0.8, 0.1, 0.1, 1.0));
        let (black, grey) = (Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(0.3, 0.3, 0.3, 1.0));
        // With an image, without one that is named, without a name.
        let cases = [
            (plain, [Vec4::ONE, neutral(2), neutral(2)]),
            (black, [Vec4::ONE, neutral(2), black]),
            (grey, [grey, neutral(2), grey]),
            (red, [red, red, red]),
        ];
        for (diffuse, bases) in cases {
            let named = Material { diffuse, texture: Some("skin".into()), ..Material::neutral("") };
            let unnamed = Material { texture: None, ..named.clone() };
            let base = |material, image| resolve_material(2, material, image).base;
            assert_eq!([base(&named, Some(&image)), base(&named, None), base(&unnamed, None)], bases, "{diffuse}");
        }
    }
}
