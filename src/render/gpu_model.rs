//! A model on the GPU: textures, and for each method that was asked for its pipeline.

use super::float_texture::TexelFormat;
use super::method_pipeline::{BuildContext, MethodPipeline, PipelineStats};
use super::pipeline_key;
use super::programs::ShaderFiles;
use super::{Error, GlLimits, Gpu};
use crate::images::{self, Located, Place, Texture, TextureFinder};
use bindpose_core::image_habits::{Role, Surface as Named};
use bindpose_core::image_search::SphereBlend;
use bindpose_core::model::surface::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Lighting, Map, Stage, Surface, TexGen,
};
use bindpose_core::model::{JointTracks, Material, MaterialId, Model, NamedImage, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{self, Example, Limits, Method, MethodId, Prepared, SkinningStage};
use bindpose_parsers::Span;
use glam::Vec4;
use glium::backend::{Context, Facade};
use glium::texture::{MipmapsOption, RawImage2d, Texture2d};
use image::RgbaImage;
use std::collections::{BTreeMap, HashMap, HashSet};
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
    /// For each material.
    about_images: Vec<Vec<AboutImage>>,
}

/// What is to be said about an image of a material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AboutImage {
    /// A line: which file it is, its size and why it was chosen, or why there is none.
    pub line: String,
    /// Whether it is named and was not found; the line tells the names tried.
    pub is_missing: bool,
}

impl AboutImage {
    fn new(line: impl Into<String>) -> Self {
        Self { line: line.into(), is_missing: false }
    }
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
    /// How it is drawn; without the stages that cannot be.
    pub surface: Surface,
    /// For each of its stages the image; `None` where nothing is to be looked up.
    pub images: Vec<Option<Rc<Texture2d>>>,
    /// Linear RGBA that diffuse stages are multiplied with.
    pub factor: Vec4,
    /// Whether the alpha of images counts where a lit surface mixes with what is behind it.
    pub has_image_alpha: bool,
}

impl GpuMaterial {
    /// Whether what is behind it shines through.
    pub(super) fn is_translucent(&self) -> bool {
        self.surface.coverage == Coverage::Translucent
    }

    fn has_bump_map(&self) -> bool {
        let mut images = self.surface.stages.iter().zip(&self.images);
        images.any(|(stage, image)| stage.lighting == Lighting::Bump && image.is_some())
    }
}

impl GpuModel {
    /// Uploads textures; methods follow when they are asked for.
    pub fn new(
        gpu: &Gpu,
        model: Arc<Model>,
        textures: &TextureFinder<'_>,
        shaders: &ShaderFiles,
        limits: Limits,
    ) -> Result<Self, Error> {
        let mut images = Images { gpu, textures, known: HashMap::new(), notes: Vec::new() };
        let mut about_images = Vec::with_capacity(model.materials.len());
        let mut materials = Vec::with_capacity(model.materials.len());
        for (number, (material, known_as)) in model.materials.iter().zip(model.names_of_surfaces()).enumerate() {
            let (material, about) = images.material(number, material, &known_as)?;
            about_images.push(about);
            materials.push(material);
        }
        let notes = images.notes;
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

    /// Which images a material has and where they were found, or why it has none.
    pub fn images_of(&self, material: usize) -> &[AboutImage] {
        self.about_images.get(material).map_or(&[], Vec::as_slice)
    }

    /// A line on each image that was not found, with the names tried; once, however many materials name it.
    pub fn missing_images(&self) -> Vec<&str> {
        let mut told = HashSet::new();
        let missing = self.about_images.iter().flatten().filter(|about| about.is_missing);
        missing.map(|about| about.line.as_str()).filter(|line| told.insert(*line)).collect()
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

    /// Forgets compiled programs; what is drawn next compiles its own anew. Before several models go, all should: glium
    /// goes through all that was drawn by the programs of the others for every buffer of the one that is freed.
    pub fn forget_programs(&mut self) {
        self.pipelines.values_mut().for_each(MethodPipeline::forget_programs);
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
        let bumped = self.materials.iter().enumerate().filter(|(_, material)| material.has_bump_map());
        let bumped: Vec<MaterialId> = bumped.map(|(number, _)| MaterialId(number as u32)).collect();
        let context = BuildContext {
            bumped: &bumped,
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
        self.forget_programs();
    }
}

/// Whether a method's program compiles here, with as many joints as its limits allow, and how many these are.
pub fn probe(gpu: &Gpu, shaders: &ShaderFiles, limits: Limits, method: &Method) -> Result<Option<u32>, Error> {
    let capacity = pipeline_key::capacity(gpu.get_context(), method, limits, gpu.limits())?;
    pipeline_key::try_program(gpu.get_context(), shaders, method, capacity)?;
    Ok(capacity)
}

/// Images on their way to the GPU, each of them once.
struct Images<'a> {
    gpu: &'a Gpu,
    textures: &'a TextureFinder<'a>,
    /// With what is to be said about them.
    known: HashMap<Place, (Option<Image>, String)>,
    /// What is worth telling.
    notes: Vec<String>,
}

#[derive(Clone)]
struct Image {
    texture: Rc<Texture2d>,
    is_cut_out: bool,
}

impl Images<'_> {
    /// A material with its images, and what is to be said about them.
    fn material(
        &mut self,
        number: usize,
        material: &Material,
        known_as: &[&str],
    ) -> Result<(GpuMaterial, Vec<AboutImage>), Error> {
        let name = material.texture.as_deref();
        let called = name.map_or_else(|| "the image".to_owned(), |name| format!("'{name}'"));
        let wanted = Named { name, known_as, is_plain: material.has_no_colour() };
        let (main, about) = self.image(self.textures.locate_for(&wanted), &called, name)?;
        let mut said = match (&main, name) {
            (None, None) => Vec::new(),
            _ => vec![about],
        };
        let shader = if material.surface.is_none() { self.textures.shader(&wanted) } else { None };
        let plain = |image| material.plain_surface(number, image);
        let mut surface = match (&material.surface, &main) {
            (Some(surface), _) => Surface { emissive: material.emissive, ..surface.clone() },
            (None, Some(_)) if shader.as_ref().is_some_and(|shader| shader.alpha_above.is_some()) => {
                plain(NamedImage::CutOut)
            }
            (None, Some(_)) if shader.as_ref().is_some_and(|shader| !shader.is_mixed) => plain(NamedImage::Solid),
            (None, Some(image)) if image.is_cut_out => plain(NamedImage::CutOut),
            (None, Some(_)) => plain(NamedImage::Solid),
            (None, None) => plain(NamedImage::Missing),
        };
        if let Some(shader) = shader {
            surface.sides = shader.sides;
            surface.left_out = shader.left_out;
            let tested = surface.stages.iter_mut().filter_map(|stage| stage.alpha_test.as_mut());
            if let (Some(test), Some(above)) = (tested.into_iter().next(), shader.alpha_above) {
                *test = Expression::Number(f64::from(above) / 255.0);
            }
        }
        said.extend(surface.left_out.iter().map(|word| AboutImage::new(format!("'{word}' is left out"))));
        let mut images = Vec::with_capacity(surface.stages.len());
        let mut kept = Vec::with_capacity(surface.stages.len());
        for stage in 0..surface.stages.len() {
            let lighting = surface.stages[stage].lighting;
            let present = &surface.stages[stage];
            if let Some(word) = Surface::undrawn_word(present) {
                said.push(AboutImage::new(format!("the stage with '{word}' is not drawn")));
                continue;
            }
            let program = match &present.map {
                Some(Map::Image(program)) => program.to_string(),
                Some(Map::Cube(program, sides)) => {
                    let name = program.to_string();
                    let located = self.textures.locate_cube(&name, *sides);
                    let (image, about) = self.image(located, &format!("the cube map '{name}'"), Some(&name))?;
                    said.push(about);
                    if image.is_some() {
                        kept.push(present.clone());
                        images.push(image.map(|image| image.texture));
                    }
                    continue;
                }
                None => continue,
            };
            let image = match &program {
                // The file may name no image and yet there is one.
                _ if material.surface.is_none() && lighting == Lighting::Diffuse => main.clone(),
                // Nothing is to be looked up in a level or a white image.
                program if program == if lighting == Lighting::Bump { "_flat" } else { "_white" } => None,
                program if Some(program.as_str()) == name => main.clone(),
                program => {
                    let located = self.textures.locate(program);
                    let (image, about) = self.image(located, &format!("'{program}'"), Some(program))?;
                    if !said.contains(&about) {
                        said.push(about);
                    }
                    if image.is_none() && lighting != Lighting::Diffuse {
                        continue;
                    }
                    image
                }
            };
            let is_missing = image.is_none() && !program.starts_with('_');
            if is_missing && lighting == Lighting::Diffuse && material.surface.is_some() {
                surface.forget_image(stage, number);
            } else if is_missing && material.surface.is_some() {
                continue;
            }
            kept.push(surface.stages[stage].clone());
            images.push(image.map(|image| image.texture));
        }
        if kept.is_empty() && surface.is_drawn {
            surface = plain(NamedImage::Missing);
            images = vec![None; surface.stages.len()];
        } else {
            surface.stages = kept;
        }
        for role in Role::LAYERS {
            let Some(layer) = self.textures.layer(&wanted, role, material.surface.is_some()) else { continue };
            let located = Located::At(Place::from(&layer), Some(layer.rule));
            let (image, about) = self.image(located, &format!("the {} map", role.name()), None)?;
            said.push(about);
            let Some(Image { texture, .. }) = image else { continue };
            match role {
                Role::Normal => {
                    surface.bump_green_is_up = layer.green_is_up;
                    put(&mut surface, &mut images, Lighting::Bump, &texture);
                }
                Role::Picture | Role::Specular => put(&mut surface, &mut images, Lighting::Specular, &texture),
                Role::Glow => {
                    surface.stages.push(glow());
                    images.push(Some(texture));
                }
            }
        }
        if let Some((located, blend)) = name.and_then(|name| self.textures.locate_sphere(name)) {
            let (image, about) = self.image(located, "the sphere map", name)?;
            said.push(about);
            if let Some(Image { texture, .. }) = image {
                surface.stages.push(sphere(blend));
                images.push(Some(texture));
            }
        }
        if said.is_empty() {
            said.push(AboutImage::new("the file names no image"));
        }
        let has_image_alpha = material.surface.is_some();
        // What is made of the words has the colour in its stages.
        let factor = if has_image_alpha { material.diffuse } else { Vec4::ONE };
        Ok((GpuMaterial { surface, images, factor, has_image_alpha }, said))
    }

    /// An image on the GPU, read when it is first asked for; with what is to be said about it.
    fn image(
        &mut self,
        located: Located,
        called: &str,
        name: Option<&str>,
    ) -> Result<(Option<Image>, AboutImage), Error> {
        let (place, rule) = match located {
            Located::At(place, rule) => (place, rule),
            Located::Missing { tried } => {
                let line = missing(name.unwrap_or_default(), &tried);
                return Ok((None, AboutImage { line, is_missing: true }));
            }
            Located::NoImage => return Ok((None, AboutImage::new(format!("{called} is no image of the surface")))),
        };
        let (image, about) = match self.known.get(&place) {
            Some(known) => known.clone(),
            None => {
                let mipmaps = match place {
                    // Neighbours in a cube may lie far from each other in its picture.
                    Place::Cube(..) => MipmapsOption::NoMipmap,
                    _ => MipmapsOption::AutoGeneratedMipmaps,
                };
                let read = self.upload(self.textures.read(&place), mipmaps)?;
                self.known.insert(place, read.clone());
                read
            }
        };
        let why = rule.map_or_else(String::new, |rule| format!(" ({rule})"));
        let about = if image.is_some() { format!("{called} is {about}{why}") } else { about };
        Ok((image, AboutImage::new(about)))
    }

    /// An image that was read, on the GPU, with its path and size; or why there is none.
    fn upload(&mut self, read: Texture, mipmaps: MipmapsOption) -> Result<(Option<Image>, String), Error> {
        Ok(match read {
            Texture::Found { path, image, .. } => {
                let (width, height) = image.dimensions();
                let about = format!("{}, {width}x{height}", images::shown(&path).display());
                let is_cut_out = images::is_cut_out(&image);
                let texture = Rc::new(upload(self.gpu, image, mipmaps)?);
                (Some(Image { texture, is_cut_out }), about)
            }
            Texture::Broken { path, error } => {
                let about = format!("texture {}: {error}", images::shown(&path).display());
                self.notes.push(about.clone());
                (None, about)
            }
            Texture::Missing { tried } => (None, missing("", &tried)),
            Texture::NoImage => (None, "it is no image".to_owned()),
        })
    }
}

/// Lets all bump or all specular stages of a surface show an image as it is, or gives it such a stage.
fn put(surface: &mut Surface, images: &mut Vec<Option<Rc<Texture2d>>>, lighting: Lighting, texture: &Rc<Texture2d>) {
    let own = Stage { lighting, ..Stage::new(Span::default()) };
    let mut is_there = false;
    for (stage, image) in surface.stages.iter_mut().zip(&mut *images) {
        if stage.lighting == lighting {
            is_there = true;
            (*stage, *image) = (own.clone(), Some(Rc::clone(texture)));
        }
    }
    if !is_there {
        // A bump map begins a group, to which all that follow belong.
        let place = if lighting == Lighting::Bump { 0 } else { surface.stages.len() };
        surface.stages.insert(place, own);
        images.insert(place, Some(Rc::clone(texture)));
    }
}

/// The stage of what shines by itself, which joins the light.
fn glow() -> Stage {
    let map = Some(Map::Image(ImageProgram::Image("_white".to_owned())));
    let blend = Blend { source: BlendFactor::One, destination: BlendFactor::One };
    Stage { map, blend, ..Stage::new(Span::default()) }
}

/// The stage of a sphere map.
fn sphere(blend: SphereBlend) -> Stage {
    let (source, destination) = match blend {
        SphereBlend::Multiplied => (BlendFactor::DstColor, BlendFactor::Zero),
        SphereBlend::Added => (BlendFactor::One, BlendFactor::One),
    };
    Stage { blend: Blend { source, destination }, texture_coordinates: TexGen::Sphere, ..Stage::new(Span::default()) }
}

fn upload(gpu: &Gpu, image: RgbaImage, mipmaps: MipmapsOption) -> Result<Texture2d, Error> {
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
    let image = RawImage2d::from_raw_rgba(image.into_raw(), size);
    Texture2d::with_mipmaps(gpu, image, mipmaps).map_err(Error::resource("texture"))
}

fn missing(name: &str, tried: &[String]) -> String {
    let shown: Vec<&str> = tried.iter().take(4).map(String::as_str).collect();
    let more = tried.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no image for '{name}': tried {}{rest}", shown.join(", "))
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
    use crate::images::ReadAhead;
    use bindpose_core::image_habits::{Searched, Wanted};

    #[test]
    fn an_image_is_uploaded_once_and_told_of_with_each_material() {
        let Ok(gpu) = crate::render::headless() else { return };
        let mut png = std::io::Cursor::new(Vec::new());
        RgbaImage::from_pixel(2, 2, image::Rgba([9, 8, 7, 255])).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let images = [("atlas.png", png.get_ref().as_slice()), ("broken.png", &b"no image"[..])];
        let named = |name: &str| Material { texture: Some(name.to_owned()), ..Material::neutral(name) };
        // Two names of one file, and what is not there.
        let names = ["atlas.png", "atlas.tga", "lost.png", "lost.png", "broken.png", "broken.png"];
        let model = Arc::new(Model { materials: names.map(named).to_vec(), ..Model::default() });
        let finder = TextureFinder::new(&[], &images);
        let subject = GpuModel::new(&gpu, model, &finder, &ShaderFiles::default(), Limits::Gl2).unwrap();
        let [first, second] = [0, 1].map(|material: usize| subject.materials[material].images[0].clone().unwrap());
        assert!(Rc::ptr_eq(&first, &second));
        let about = |material| {
            let [about] = subject.images_of(material) else { panic!("{:?}", subject.images_of(material)) };
            (about.line.as_str(), about.is_missing)
        };
        assert_eq!(about(0), ("'atlas.png' is atlas.png, 2x2", false));
        assert_eq!(about(1), ("'atlas.tga' is atlas.png, 2x2", false));
        assert!(about(3).0.starts_with("no image for 'lost.png': tried") && about(3).1, "{:?}", about(3));
        assert_eq!((subject.missing_images(), subject.notes().len()), (vec![about(2).0], 1));
        assert!(about(5).0.starts_with("texture broken.png: ") && !about(5).1, "{:?}", about(5));
    }

    #[test]
    fn images_that_no_file_names_are_shown_as_they_were_read_ahead() {
        let Ok(gpu) = crate::render::headless() else { return };
        let folder = std::env::temp_dir().join(format!("bindpose-unnamed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["diffuse.png", "normal.png", "mask.png"] {
            RgbaImage::from_pixel(2, 2, image::Rgba([9, 8, 7, 255])).save(folder.join(name)).unwrap();
        }
        let model = Arc::new(Model { materials: vec![Material::neutral("")], ..Model::default() });
        let (folders, wanted) = ([folder.clone()], Wanted::default());
        let searched = Searched { stem: "mesh", folders: &folders, wanted: &wanted };
        let finder = TextureFinder::new(&folders, &[]).of_model(searched);
        let ahead = ReadAhead::of(&model, &finder);
        // Where they lie is seen still, but nothing can be read any more.
        for name in ["diffuse.png", "normal.png", "mask.png"] {
            std::fs::write(folder.join(name), b"").unwrap();
        }
        let subject = GpuModel::new(&gpu, model, &finder.with_read(&ahead), &ShaderFiles::default(), Limits::Gl2);
        std::fs::remove_dir_all(&folder).unwrap();
        let subject = subject.unwrap();
        let material = &subject.materials[0];
        let stages = material.surface.stages.iter().zip(&material.images);
        let row: Vec<_> = stages.map(|(stage, image)| (stage.lighting, image.is_some())).collect();
        assert_eq!(row, [(Lighting::Bump, true), (Lighting::Diffuse, true), (Lighting::Specular, true)]);
        let lines: Vec<&str> = subject.images_of(0).iter().map(|about| about.line.as_str()).collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        let of_mask = "mask.png, 2x2 (the usual name of an image beside a model)";
        assert!(lines.iter().any(|line| line.ends_with(of_mask)), "{lines:?}");
    }
}
