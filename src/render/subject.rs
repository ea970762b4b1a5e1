//! A model on the GPU: textures, and for each method that was asked for its program and batches.

use super::layouts::{self, Attributes, Finished, Joints, UniformArray, Vertices};
use super::programs::{Recipe, ShaderFiles};
use super::textures::{self, Texture, TextureFinder};
use super::{Error, Gpu};
use crate::model::{JointTracks, Mesh, Model, Transform};
use crate::pose::ModelPose;
use crate::skin::{self, Limits, Method, MethodId, Reduced, Weights};
use glam::{Affine3A, Vec4};
use glium::backend::{Context, Facade};
use glium::index::{IndexBuffer, PrimitiveType};
use glium::program::Program;
use glium::texture::{RawImage2d, Texture2d};
use glium::vertex::VertexBufferAny;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A model ready to be drawn by any method.
pub struct Subject {
    context: Rc<Context>,
    model: Rc<Model>,
    registers: u32,
    shaders: ShaderFiles,
    limits: Limits,
    pub(super) materials: Vec<GpuMaterial>,
    /// Why quaternion palettes cannot hold this model's joints; `None` if they can.
    stretched: Option<String>,
    prepared: BTreeMap<MethodId, Prepared>,
    /// What is worth telling about textures.
    notes: Vec<String>,
}

/// A surface on the GPU.
pub(super) struct GpuMaterial {
    /// Linear RGBA, multiplied with the image.
    pub base: Vec4,
    /// Linear RGB.
    pub emissive: [f32; 3],
    /// sRGB image.
    pub image: Option<Texture2d>,
    /// Alpha below this is left out.
    pub cut_out: f32,
}

/// A method's form of the model.
pub(super) struct Prepared {
    pub program: Program,
    /// Built when first read back from: the same shaders with captured outputs.
    feedback: Option<Program>,
    recipe_joints: usize,
    joints: Joints,
    pub parts: Vec<Part>,
    /// What the influence limit cost.
    pub loss: Loss,
}

/// One draw call's worth of a mesh.
pub(super) struct Part {
    /// Index into the model's meshes.
    pub mesh_index: usize,
    /// The batch as a mesh: its vertices, its palette as bind joints, influences as the method sees them.
    pub mesh: Mesh,
    /// For each vertex its number in the model's mesh.
    pub source: Vec<u32>,
    parents: Vec<Option<usize>>,
    pub surface: VertexBufferAny,
    pub vertices: Vertices,
    pub indices: IndexBuffer<u32>,
    pub uniforms: Vec<UniformArray>,
}

/// What a method's limits took away from the file's influences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Loss {
    /// Draw calls.
    pub batches: usize,
    /// Influences over the method's limit per vertex, or too light for it.
    pub dropped_influences: usize,
    /// Vertices that lost some.
    pub reduced_vertices: usize,
    /// The largest share of a vertex' weight that was lost.
    pub most_dropped: f32,
    /// Triangles that lost influences because they use more joints than a batch may.
    pub trimmed_triangles: usize,
}

/// Influences up to this weight are skipped by `joint-offsets` (article 002, `EPS`).
const LIGHTEST_OFFSET: f32 = 0.001;

/// A mesh with its influences as a method sees them: no more per vertex than it takes, none that it skips, and
/// divided by their sum where the last weight is implied.
///
/// The method must agree with its reference on this mesh.
pub fn as_seen_by(method: &Method, mesh: &Mesh) -> Reduced {
    let mut seen = match method.influences {
        Some(limit) => skin::reduce_influences(mesh, limit),
        None => return Reduced { mesh: mesh.clone(), reduced_vertices: 0, most_dropped: None, dropped_influences: 0 },
    };
    let lightest = if method.id == MethodId::JointOffsets { LIGHTEST_OFFSET } else { 0.0 };
    let implied = method.weights == Weights::LastImplied;
    let reduced = std::mem::take(&mut seen.mesh.influences);
    let starts = std::mem::replace(&mut seen.mesh.influence_starts, vec![0]);
    for (vertex, range) in starts.windows(2).enumerate() {
        let all = &reduced[range[0] as usize..range[1] as usize];
        let first = seen.mesh.influences.len();
        seen.mesh.influences.extend(all.iter().filter(|influence| influence.weight > lightest || lightest == 0.0));
        let kept = &mut seen.mesh.influences[first..];
        let dropped = all.len() - kept.len();
        let sum: f32 = kept.iter().map(|influence| influence.weight).sum();
        if (implied || dropped > 0) && sum != 0.0 {
            kept.iter_mut().for_each(|influence| influence.weight /= sum);
        }
        if dropped > 0 {
            let share = 1.0 - sum / all.iter().map(|influence| influence.weight).sum::<f32>();
            seen.dropped_influences += dropped;
            seen.reduced_vertices += 1;
            if seen.most_dropped.is_none_or(|(_, most)| share > most) {
                seen.most_dropped = Some((vertex, share));
            }
        }
        seen.mesh.influence_starts.push(seen.mesh.influences.len() as u32);
    }
    seen
}

impl Subject {
    /// Uploads textures; methods follow when they are asked for.
    pub fn new(
        gpu: &Gpu,
        model: Rc<Model>,
        textures: &mut TextureFinder<'_>,
        shaders: &ShaderFiles,
        limits: Limits,
    ) -> Result<Self, Error> {
        let mut notes = Vec::new();
        let materials = model
            .materials
            .iter()
            .enumerate()
            .map(|(number, material)| {
                let mut gpu_material = GpuMaterial {
                    base: material.diffuse,
                    emissive: material.emissive.to_array(),
                    image: None,
                    cut_out: 0.0,
                };
                let image = material.texture.as_deref().and_then(|name| match textures.find(name) {
                    Texture::Found { image, .. } => Some(image),
                    Texture::Broken { path, reason } => {
                        notes.push(format!("texture {}: {reason}", textures::shown(&path).display()));
                        None
                    }
                    Texture::Missing { tried } => {
                        notes.push(missing(name, &tried));
                        None
                    }
                });
                let plain = crate::model::Material::neutral("").diffuse;
                match image {
                    Some(image) => {
                        // A black or grey material under an image is an exporter's default, not a wish.
                        if material.diffuse == plain || material.diffuse.truncate().max_element() < 0.05 {
                            gpu_material.base = Vec4::ONE;
                        }
                        gpu_material.cut_out = if textures::is_cut_out(&image) { 0.5 } else { 0.0 };
                        gpu_material.image = Some(upload(gpu, image)?);
                    }
                    None if material.diffuse == plain => gpu_material.base = neutral(number),
                    None => {}
                }
                Ok(gpu_material)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(Self {
            context: Rc::clone(gpu.get_context()),
            registers: gpu.limits().vertex_registers(),
            stretched: stretched_joint(&model),
            model,
            shaders: shaders.clone(),
            limits,
            materials,
            prepared: BTreeMap::new(),
            notes,
        })
    }

    /// The model.
    pub fn model(&self) -> &Rc<Model> {
        &self.model
    }

    /// What is worth telling: textures that were not found, with the names tried.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Makes a method ready, if it is not yet; tells what its limits cost.
    pub fn prepare(&mut self, id: MethodId) -> Result<Loss, Error> {
        if !self.prepared.contains_key(&id) {
            let prepared = self.build(id)?;
            self.prepared.insert(id, prepared);
        }
        Ok(self.prepared.get(&id).map_or_else(Loss::default, |prepared| prepared.loss))
    }

    pub(super) fn prepared(&mut self, id: MethodId) -> Result<(&mut Prepared, &[GpuMaterial]), Error> {
        self.prepare(id)?;
        match self.prepared.get_mut(&id) {
            Some(prepared) => Ok((prepared, &self.materials)),
            None => Err(unavailable(id.method(), "it was not prepared")),
        }
    }

    fn build(&self, id: MethodId) -> Result<Prepared, Error> {
        let method = id.method();
        let (attributes, joints) = forms(method)?;
        if let (true, Some(joint)) = (method.needs.rigid_joints, &self.stretched) {
            let reason = format!("{joint}, and its joints may only turn and move");
            return Err(unavailable(method, reason));
        }
        let limit = self.limits.capacity(method, self.registers).map(|limit| limit as usize);
        if limit == Some(0) {
            return Err(unavailable(method, "no joint fits into the uniform registers"));
        }
        let mut loss = Loss::default();
        let mut split = Vec::new();
        for (mesh_index, mesh) in self.model.meshes.iter().enumerate() {
            let seen = as_seen_by(method, mesh);
            loss.dropped_influences += seen.dropped_influences;
            loss.reduced_vertices += seen.reduced_vertices;
            loss.most_dropped = loss.most_dropped.max(seen.most_dropped.map_or(0.0, |(_, share)| share));
            let batches = skin::split(&seen.mesh, limit);
            loss.trimmed_triangles += batches.trimmed.len();
            loss.dropped_influences += batches.dropped_influences;
            for batch in batches.batches {
                split.push((mesh_index, batch.to_mesh(&seen.mesh), batch.vertices));
            }
        }
        loss.batches = split.len();
        // As many as the fullest batch needs; glium cannot take uniform arrays of one element.
        let capacity = split.iter().map(|(_, mesh, _)| mesh.bind.len()).max().unwrap_or(0).max(2);
        let program = program(&self.context, &self.shaders, method, attributes, capacity, false)?;
        let parts = split
            .into_iter()
            .map(|(mesh_index, mesh, source)| self.part(mesh_index, mesh, source, attributes, joints))
            .collect::<Result<_, _>>()?;
        Ok(Prepared { program, feedback: None, recipe_joints: capacity, joints, parts, loss })
    }

    fn part(
        &self,
        mesh_index: usize,
        mesh: Mesh,
        source: Vec<u32>,
        attributes: Attributes,
        joints: Joints,
    ) -> Result<Part, Error> {
        let skeleton = &self.model.skeleton;
        let place = |joint| mesh.bind.iter().position(|bound| bound.joint == joint);
        let indices: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        Ok(Part {
            mesh_index,
            source,
            parents: mesh.bind.iter().map(|bound| skeleton[bound.joint].parent.and_then(place)).collect(),
            surface: layouts::surface_buffer(&self.context, &mesh)?,
            vertices: attributes.buffer(&self.context, &mesh)?,
            indices: IndexBuffer::new(&self.context, PrimitiveType::TrianglesList, &indices)
                .map_err(Error::resource("index buffer"))?,
            uniforms: joints.arrays(mesh.bind.len()),
            mesh,
        })
    }

    /// Makes the program that reads back, if it is not there yet.
    pub(super) fn feedback(&mut self, id: MethodId) -> Result<(&Program, &mut [Part], Joints), Error> {
        self.prepare(id)?;
        let method = id.method();
        let (attributes, joints) = forms(method)?;
        let Some(prepared) = self.prepared.get_mut(&id) else { return Err(unavailable(method, "it was not prepared")) };
        let program = match prepared.feedback.take() {
            Some(program) => program,
            None => program(&self.context, &self.shaders, method, attributes, prepared.recipe_joints, true)?,
        };
        Ok((prepared.feedback.insert(program), &mut prepared.parts, joints))
    }
}

impl Prepared {
    /// Brings the parts to a pose: uniforms filled, streamed vertices written.
    pub fn pose(&mut self, pose: &ModelPose, scratch: &mut Vec<Finished>) {
        pose_parts(&mut self.parts, self.joints, pose, scratch);
    }
}

/// See [`Prepared::pose`].
pub(super) fn pose_parts(parts: &mut [Part], joints: Joints, pose: &ModelPose, scratch: &mut Vec<Finished>) {
    let model: Vec<Affine3A> = pose.0.iter().map(|joint| joint.as_affine3a()).collect();
    for part in parts {
        joints.fill(&part.mesh, &part.parents, pose, &mut part.uniforms);
        if let Vertices::Streamed(buffer) = &part.vertices {
            layouts::finish_on_cpu(&part.mesh, pose, &model, scratch);
            // A fresh store, so that writing does not wait for a draw that still reads the old one.
            buffer.invalidate();
            buffer.write(scratch);
        }
    }
}

fn forms(method: &Method) -> Result<(Attributes, Joints), Error> {
    match (Attributes::of(method), Joints::of(method), ShaderFiles::exists(&shader_file(method))) {
        (Some(attributes), Some(joints), true) => Ok((attributes, joints)),
        _ => Err(unavailable(method, "it has no GPU form yet")),
    }
}

fn shader_file(method: &Method) -> String {
    format!("{}.vert", method.name)
}

fn unavailable(method: &Method, reason: impl Into<String>) -> Error {
    Error::Unavailable { method: method.name.to_owned(), reason: reason.into() }
}

fn program(
    context: &Rc<Context>,
    shaders: &ShaderFiles,
    method: &Method,
    attributes: Attributes,
    joints: usize,
    feedback: bool,
) -> Result<Program, Error> {
    let recipe = Recipe {
        vertex: &[&shader_file(method), "figure.vert"],
        fragment: "figure.frag",
        defines: &[("JOINTS", joints)],
        feedback: if feedback { &["world_position", "world_normal"] } else { &[] },
    };
    recipe.build(context, shaders, &[attributes.format(), layouts::surface_format()])
}

/// Whether a method's program compiles here, with as many joints as its limits allow, and how many these are.
pub fn probe(gpu: &Gpu, shaders: &ShaderFiles, limits: Limits, method: &Method) -> Result<Option<u32>, Error> {
    let (attributes, _) = forms(method)?;
    let capacity = limits.capacity(method, gpu.limits().vertex_registers());
    if capacity == Some(0) {
        return Err(unavailable(method, "no joint fits into the uniform registers"));
    }
    if method.needs.vertex_textures > gpu.limits().vertex_texture_units {
        let units = gpu.limits().vertex_texture_units;
        let reason = format!("it needs {}, the driver has {units}", method.needs.text());
        return Err(unavailable(method, reason));
    }
    program(gpu.get_context(), shaders, method, attributes, capacity.unwrap_or(2).max(2) as usize, false)?;
    Ok(capacity)
}

fn upload(gpu: &Gpu, image: image::RgbaImage) -> Result<Texture2d, Error> {
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

/// Quiet colours for surfaces without an image, one after the other; linear.
fn neutral(number: usize) -> Vec4 {
    const SRGB: [[u8; 3]; 6] =
        [[184, 178, 168], [150, 163, 176], [176, 158, 140], [152, 170, 150], [178, 156, 160], [160, 154, 178]];
    let [r, g, b] = SRGB[number % SRGB.len()].map(|channel| (f32::from(channel) / 255.0).powf(2.2));
    Vec4::new(r, g, b, 1.0)
}

/// The first joint that some pose stretches, in words; `None` if all joints only ever turn and move.
fn stretched_joint(model: &Model) -> Option<String> {
    let stretched = |local: &Transform| !layouts::is_rigid(&local.to_affine().matrix3);
    let joints = model.skeleton.joints();
    for joint in joints {
        if stretched(&joint.rest_local) {
            return Some(format!("joint '{}' is {} at rest", joint.name, layouts::stretch(&joint.rest_local)));
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
                return Some(format!("joint '{}' is {} in clip '{}'", joint.name, layouts::stretch(&key), clip.name));
            }
        }
    }
    None
}
