//! A model on the GPU: its textures, and a pipeline for each method that is used.

use super::material_images::{AboutImage, GpuImage, GpuMaterial, UploadedMaterials, upload_materials};
use super::method_pipeline::{BuildContext, MethodPipeline, PipelineStats};
use super::programs::ShaderFiles;
use super::stretch::Stretch;
use super::{Error, Gpu, pipeline_key};
use bindpose_core::left_out::LeftOut;
use bindpose_core::model::{MaterialId, Model};
use bindpose_core::skin::{Example, Limits, Method, MethodId, Prepared};
use bindpose_images::TextureFinder;
use glam::Vec4;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most memory of the pipelines that are kept, as estimated by [`MESH_BYTES`].
const PIPELINES_BYTES: usize = 1 << 30;
/// Memory of a small mesh in a pipeline: its buffers, measured with Mesa.
const MESH_BYTES: usize = 16 << 10;

/// A model on the GPU that any method can draw.
pub struct GpuModel {
    gpu: Gpu,
    model: Arc<Model>,
    shaders: ShaderFiles,
    limits: Limits,
    examples: Vec<Example>,
    pub(super) materials: Vec<GpuMaterial>,
    stretch: Stretch,
    /// Pipelines by method and clip. The clip is `None` for methods that do not depend on it.
    pipelines: BTreeMap<(MethodId, Option<usize>), MethodPipeline>,
    left_out: Vec<LeftOut>,
    /// Notes on images by material.
    about_images: Vec<Vec<AboutImage>>,
}

/// Pipelines with newly read shaders.
pub struct Recompiled(BTreeMap<(MethodId, Option<usize>), MethodPipeline>);

impl GpuModel {
    /// Uploads textures. Pipelines are created when a method is first used.
    ///
    /// # Errors
    ///
    /// [`Error`] of OpenGL. Images that cannot be read are left out.
    pub fn new(
        gpu: &Gpu,
        model: Arc<Model>,
        textures: &TextureFinder<'_>,
        shaders: &ShaderFiles,
        limits: Limits,
    ) -> Result<Self, Error> {
        let UploadedMaterials { materials, about_images, left_out } = upload_materials(gpu, &model, textures)?;
        Ok(Self {
            gpu: gpu.clone(),
            stretch: Stretch::of(&model),
            model,
            shaders: shaders.clone(),
            limits,
            examples: Vec::new(),
            materials,
            pipelines: BTreeMap::new(),
            left_out,
            about_images,
        })
    }

    /// Returns the model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the images that were not found or cannot be read.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Returns notes on the images of a material; empty for an index out of range.
    pub fn images_of(&self, material: usize) -> &[AboutImage] {
        self.about_images.get(material).map_or(&[], Vec::as_slice)
    }

    /// Returns notes on the images of all materials.
    pub fn about_images(&self) -> impl Iterator<Item = &AboutImage> {
        self.about_images.iter().flatten()
    }

    /// Returns the image with most effect on a material's colour; `None` for a material without images, or an index out
    /// of range.
    pub fn main_image(&self, material: usize) -> Option<GpuImage> {
        self.materials.get(material)?.main_image()
    }

    /// Returns the example poses.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Sets the example poses, for methods that [use them](bindpose_core::skin::JointData::has_examples).
    pub fn with_examples(mut self, examples: Vec<Example>) -> Self {
        self.examples = examples;
        self
    }

    /// Replaces the vertex colours of a method (linear RGBA, by mesh and vertex); `None` restores them.
    ///
    /// # Errors
    ///
    /// [`Error`] if the method cannot show this model, or of buffers.
    pub fn paint(&mut self, id: MethodId, clip: Option<usize>, colours: Option<&[Vec<Vec4>]>) -> Result<(), Error> {
        self.pipeline(id, clip)?.0.paint(colours)
    }

    /// Frees compiled programs; the next draw compiles them again. If there are several models, call it on all of them
    /// before dropping one: for every freed buffer, glium searches the records of all programs.
    pub fn forget_programs(&mut self) {
        self.pipelines.values_mut().for_each(MethodPipeline::forget_programs);
    }

    /// Prepares a method for a clip. Its programs are compiled by the first draw. Only `morph` depends on the clip.
    ///
    /// # Errors
    ///
    /// [`Error`] if the method cannot show the model here, or of OpenGL.
    pub fn prepare(&mut self, id: MethodId, clip: Option<usize>) -> Result<PipelineStats, Error> {
        Ok(self.pipeline(id, clip)?.0.stats)
    }

    /// Prepares a method like [`GpuModel::prepare`], and compiles the programs of [`super::Renderer::draw`].
    ///
    /// # Errors
    ///
    /// As [`GpuModel::prepare`], and of the programs.
    pub fn compile(&mut self, id: MethodId, clip: Option<usize>) -> Result<PipelineStats, Error> {
        let (pipeline, materials) = self.pipeline(id, clip)?;
        pipeline.compile_shown(materials)?;
        Ok(pipeline.stats)
    }

    /// Reads the shaders of some methods with their clips again, and compiles them. Nothing changes until
    /// [`GpuModel::take`].
    pub fn recompiled(&self, shown: &[(MethodId, Option<usize>)]) -> Result<Recompiled, Error> {
        let compiled = |&(id, clip): &(MethodId, Option<usize>)| {
            let key = (id, Self::clip_of(id, clip));
            let pipeline = self.build(id, key.1)?;
            pipeline.compile_shown(&self.materials)?;
            Ok((key, pipeline))
        };
        shown.iter().map(compiled).collect::<Result<_, Error>>().map(Recompiled)
    }

    /// Replaces all pipelines by newly compiled ones. Others are built when first used.
    pub fn take(&mut self, recompiled: Recompiled) {
        self.pipelines.values_mut().for_each(MethodPipeline::forget_programs);
        self.pipelines = recompiled.0;
    }

    /// Returns the data of the method's reference by mesh; see [`bindpose_core::skin::reference`].
    pub fn references(&mut self, id: MethodId, clip: Option<usize>) -> Result<&[Prepared], Error> {
        Ok(&self.pipeline(id, clip)?.0.prepared)
    }

    /// Returns the number of bytes that a method sent to the GPU for its last draw.
    pub fn uploaded(&self, id: MethodId, clip: Option<usize>) -> u64 {
        self.pipelines.get(&(id, Self::clip_of(id, clip))).map_or(0, |pipeline| pipeline.uploaded)
    }

    /// Returns the clip if the method depends on it, otherwise `None`.
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
            None => {
                self.make_room();
                self.build(id, key.1)?
            }
        };
        Ok((self.pipelines.entry(key).or_insert(pipeline), &self.materials))
    }

    /// Frees all pipelines if the next one would exceed their memory. Two are always kept, for views beside each other.
    fn make_room(&mut self) {
        let most = PIPELINES_BYTES / MESH_BYTES / self.model.meshes.len().max(1);
        if self.pipelines.len() >= most.max(2) {
            self.forget_programs();
            self.pipelines.clear();
        }
    }

    fn build(&self, id: MethodId, clip: Option<usize>) -> Result<MethodPipeline, Error> {
        let method = id.method();
        if let Some(joint) = self.stretch.against(method) {
            return Err(Error::unavailable(
                method,
                format!("{joint}; this method supports rotation and translation only"),
            ));
        }
        let bumped = self.materials.iter().enumerate().filter(|(_, material)| material.has_bump_map());
        let bumped: Vec<MaterialId> = bumped.map(|(number, _)| MaterialId(number as u32)).collect();
        let context = BuildContext {
            bumped: &bumped,
            gpu: &self.gpu,
            shaders: &self.shaders,
            limits: self.limits,
            model: &self.model,
            examples: &self.examples,
            clip: clip.and_then(|clip| self.model.clips.get(clip)),
        };
        MethodPipeline::new(id, &context)
    }
}

impl Drop for GpuModel {
    /// Frees programs before buffers, because for every freed buffer glium searches the records of all programs.
    fn drop(&mut self) {
        self.forget_programs();
    }
}

/// Compiles a method's program. Returns the number of joints per batch; `None` without a limit.
///
/// # Errors
///
/// [`Error`] if the machine lacks a feature, or of the program.
pub fn probe(gpu: &Gpu, shaders: &ShaderFiles, limits: Limits, method: &Method) -> Result<Option<u32>, Error> {
    let capacity = pipeline_key::capacity(gpu, method, limits, pipeline_key::program_size(shaders, method))?;
    pipeline_key::try_program(gpu, shaders, method, capacity)?;
    Ok(capacity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::image_search::{ImageChoices, ModelImages};
    use bindpose_core::model::Material;
    use bindpose_core::model::surface::Lighting;
    use bindpose_images::ReadAhead;
    use image::RgbaImage;
    use std::rc::Rc;

    #[test]
    fn an_image_is_uploaded_once_and_described_with_each_material() {
        let Some(gpu) = crate::context::gpu_of_tests() else { return };
        let mut png = std::io::Cursor::new(Vec::new());
        RgbaImage::from_pixel(2, 2, image::Rgba([9, 8, 7, 255])).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let images = [("atlas.png", png.get_ref().as_slice()), ("broken.png", &b"no image"[..])];
        let named = |name: &str| Material { texture: Some(name.to_owned()), ..Material::neutral(name) };
        // Two names of one file, missing files, and a broken one.
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
        let left_out: Vec<_> = subject.left_out().iter().map(|left| (&*left.name, left.reason.code)).collect();
        assert_eq!(left_out, [("lost.png", "TEX001"), ("broken.png", "IO001")]);
        assert!(about(5).0.starts_with("texture broken.png: ") && !about(5).1, "{:?}", about(5));
    }

    #[test]
    fn images_found_by_convention_are_drawn_from_read_ahead_ones() {
        let Some(gpu) = crate::context::gpu_of_tests() else { return };
        let folder = std::env::temp_dir().join(format!("bindpose-unnamed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["diffuse.png", "normal.png", "mask.png"] {
            RgbaImage::from_pixel(2, 2, image::Rgba([9, 8, 7, 255])).save(folder.join(name)).unwrap();
        }
        let model = Arc::new(Model { materials: vec![Material::neutral("")], ..Model::default() });
        let (folders, wanted) = ([folder.clone()], ImageChoices::default());
        let searched = ModelImages { stem: "mesh", folders: &folders, choices: &wanted };
        let finder = TextureFinder::new(&folders, &[]).of_model(searched);
        let ahead = ReadAhead::of(&model, &finder);
        // The files still exist, but are no longer readable.
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
        let of_mask = "mask.png, 2x2 (the usual name of an image next to a model)";
        assert!(lines.iter().any(|line| line.ends_with(of_mask)), "{lines:?}");
    }
}
