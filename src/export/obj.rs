//! Wavefront `.obj` of one pose, with its `.mtl`.

use crate::axes::Axes;
use crate::prepare::{check_scale, has_triangles, not_carried};
use crate::unique::Unique;
use crate::{Error, Front, Loss, NamedFile, Output, file_name};
use bindpose_core::model::{Clip, Material, Mesh, Model, NamedImage};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{self, Prepared, Skinned, Skinning, TimedPose};
use std::fmt::Write;

/// Settings of an .obj file.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Direction that the model faces; it becomes +Z in the file, whose +Y is up. `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// Factor of all lengths, positive.
    pub scale: f64,
    /// Index of the clip and time in seconds; `None` for the rest pose.
    pub time: Option<(usize, f64)>,
    /// Method that computes the vertices, and turned joints.
    pub skinning: Skinning,
    /// Writes the alpha of materials unchanged, even if it hides them; see [`Material::shown_alpha`].
    pub keep_alpha: bool,
    /// Name of the `.mtl` without extension.
    pub stem: String,
}

impl Default for Options {
    fn default() -> Self {
        let (front, skinning, stem) = (Some(Front::default()), Skinning::default(), "model".into());
        Self { front, scale: 1.0, time: None, skinning, keep_alpha: false, stem }
    }
}

/// Writes a model.
///
/// # Errors
///
/// [`Error`]: no triangles, no such clip, a method that cannot show the pose, or numbers that are not finite.
pub fn write(model: &Model, options: &Options) -> Result<Output, Error> {
    check_scale(options.scale)?;
    let mut losses = Vec::new();
    let clip = options.time.map(|(clip, _)| model.clips.get(clip).ok_or_else(|| no_clip(clip))).transpose()?;
    let unavailable = |error| Error::Unsupported(format!("{} cannot show the model: {error}", options.skinning.method));
    let meshes = options.skinning.prepare(model, clip).map_err(unavailable)?;
    let is_written = |mesh: &Mesh, losses: &mut Vec<Loss>| has_triangles(&mesh.triangles, &mesh.name, losses);
    let meshes: Vec<&Prepared> = meshes.iter().filter(|prepared| is_written(&prepared.mesh, &mut losses)).collect();
    if meshes.is_empty() {
        return Err(Error::Empty("no triangles"));
    }
    let time = options.time.map_or(0.0, |(_, time)| time);
    let pose = pose(model, clip, time, &options.skinning);
    let axes = Axes::to_gltf(options.front, options.scale);
    let mut names = Unique::default();
    let materials: Vec<String> = model.materials.iter().map(|material| names.add(&word(&material.name))).collect();
    losses.extend(names.into_loss("material"));
    let stem = file_name(&options.stem);
    let mut text = String::new();
    if !materials.is_empty() {
        line(&mut text, format_args!("mtllib {stem}.mtl"));
    }
    let mut names = Unique::default();
    // Vertices are counted from 1 across all objects.
    let mut first = 1;
    let mut skinned = Skinned::default();
    for prepared in meshes {
        let mesh = &prepared.mesh;
        skin::checked_reference(prepared, TimedPose { pose: &pose, time }, &mut skinned).map_err(unavailable)?;
        line(&mut text, format_args!("o {}", names.add(&word(&mesh.name))));
        write_object(mesh, &skinned, &axes, materials.get(mesh.material.index()), first, &mut text)?;
        first += mesh.vertex_count();
    }
    losses.extend(names.into_loss("mesh"));
    losses.extend(not_carried(model, model.clips.len()));
    let mut beside = Vec::new();
    if !materials.is_empty() {
        let bytes = material_file(&model.materials, &materials, options.keep_alpha);
        beside.push(NamedFile { name: format!("{stem}.mtl"), bytes });
    }
    Ok(Output { bytes: text.into_bytes(), beside, losses })
}

/// Writes the vertices and faces of a posed mesh. Its first vertex has the number `first`.
fn write_object(
    mesh: &Mesh,
    skinned: &Skinned,
    axes: &Axes,
    material: Option<&String>,
    first: usize,
    text: &mut String,
) -> Result<(), Error> {
    if !skinned.positions.iter().all(|position| position.is_finite()) {
        return Err(Error::Numbers(format!("the positions of mesh '{}' have numbers that are not finite", mesh.name)));
    }
    for &position in &skinned.positions {
        // The shortest text that reproduces the 32-bit number, at most nine digits.
        let [x, y, z] = axes.point(position).to_array().map(|part| part as f32);
        line(text, format_args!("v {x} {y} {z}"));
    }
    for uv in &mesh.uvs {
        // The origin is the image's lower left corner.
        line(text, format_args!("vt {} {}", uv.x, 1.0 - uv.y));
    }
    for &normal in &skinned.normals {
        let [x, y, z] = axes.direction(normal).to_array().map(|part| part as f32);
        line(text, format_args!("vn {x} {y} {z}"));
    }
    if let Some(material) = material {
        line(text, format_args!("usemtl {material}"));
    }
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| corner as usize + first);
        line(text, format_args!("f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}"));
    }
    Ok(())
}

fn no_clip(clip: usize) -> Error {
    Error::Options(format!("the model has no clip {}", clip + 1))
}

fn pose(model: &Model, clip: Option<&Clip>, time: f64, skinning: &Skinning) -> ModelPose {
    let mut local = LocalPose::of_clip(&model.skeleton, clip, time);
    skinning.turns.iter().for_each(|turn| turn.apply(&mut local));
    local.to_model(&model.skeleton)
}

fn material_file(materials: &[Material], names: &[String], keep_alpha: bool) -> Vec<u8> {
    let mut text = String::new();
    for (material, name) in materials.iter().zip(names) {
        line(&mut text, format_args!("newmtl {name}"));
        let [red, green, blue, _] = material.diffuse.to_array();
        let alpha = if keep_alpha || material.surface.is_some() {
            material.diffuse.w
        } else {
            material.shown_alpha(NamedImage::Missing)
        };
        line(&mut text, format_args!("Kd {red} {green} {blue}\nd {alpha}"));
        let ([r, g, b], [er, eg, eb]) = (material.specular.to_array(), material.emissive.to_array());
        line(&mut text, format_args!("Ks {r} {g} {b}\nNs {}\nKe {er} {eg} {eb}", material.specular_power));
        if let Some(texture) = material.image_file() {
            let texture: String = texture.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
            line(&mut text, format_args!("map_Kd {texture}"));
        }
    }
    text.into_bytes()
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Turns a name into a single word.
fn word(name: &str) -> String {
    let word: String = name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if word.is_empty() { "unnamed".into() } else { word }
}
