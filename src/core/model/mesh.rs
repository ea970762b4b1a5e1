//! Meshes and their binding to the skeleton.

use super::JointId;
use super::surface::Surface;
use glam::{DAffine3, DVec3, Vec2, Vec3, Vec4};

/// A triangle mesh in its bind pose, bound to joints.
///
/// `positions`, `normals`, `tangents`, `uvs`, `source_vertices` and (unless empty) `colors` have one entry per vertex.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// For people: the file's mesh name, else its number.
    pub name: String,
    /// What its surface looks like.
    pub material: MaterialId,
    /// Number of the mesh in its file; several meshes share it where a file's mesh was split by material.
    pub source_mesh: usize,
    /// For each vertex its number in the file's mesh; a vertex split for shading appears more than once.
    pub source_vertices: Vec<u32>,
    /// Bind-space positions: where the influences put the vertex in the bind pose. Model units.
    pub positions: Vec<Vec3>,
    /// Bind-space unit normals.
    pub normals: Vec<Vec3>,
    /// Bind-space unit tangents (xyz, towards +u, perpendicular to the normal) and the sign of the bitangent (w):
    /// `bitangent = w * cross(normal, tangent)` points towards +v, down the image.
    pub tangents: Vec<Vec4>,
    /// Texture coordinates; (0, 0) is the left end of the image's top row.
    pub uvs: Vec<Vec2>,
    /// Linear RGBA per vertex; empty where the file has none.
    pub colors: Vec<Vec4>,
    /// Vertex indices, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// The joints that this mesh is bound to: what [`Influence::slot`] indexes.
    pub bind: Vec<BindJoint>,
    /// Influences of all vertices, vertex by vertex, in the file's order.
    pub influences: Vec<Influence>,
    /// Where each vertex' influences start in `influences`; one more entry than vertices.
    pub influence_starts: Vec<u32>,
}

/// A joint as one mesh sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BindJoint {
    /// The joint.
    pub joint: JointId,
    /// Joint space from model space in the bind pose. For .x this is the file's matrixOffset.
    pub inverse_bind: DAffine3,
}

/// One joint's pull on one vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Index into [`Mesh::bind`].
    pub slot: u32,
    /// Share of the vertex, as the file says: sums to 1 in a good file, but nothing here relies on it.
    pub weight: f32,
    /// The vertex in the joint's space. MD5 stores it; for .x it is `inverse_bind * position`.
    ///
    /// Where a file's influences disagree about the bind-space position, this is the truth and
    /// [`Mesh::positions`] the weighted mean.
    pub offset: Vec3,
}

impl Mesh {
    /// The influences of one vertex, in the file's order.
    pub fn influences_of(&self, vertex: usize) -> &[Influence] {
        let [start, end] = [self.influence_starts[vertex], self.influence_starts[vertex + 1]];
        &self.influences[start as usize..end as usize]
    }

    /// The influence that moves a vertex most and its joint; of several as heavy the first in the file's order, as where a
    /// method leaves only one. `None` for a vertex that nothing moves and for one that is not there.
    pub fn heaviest(&self, vertex: usize) -> Option<(&Influence, JointId)> {
        let influences = if vertex < self.vertex_count() { self.influences_of(vertex) } else { &[] };
        let heaviest = influences.iter().reduce(|most, other| if other.weight > most.weight { other } else { most })?;
        Some((heaviest, self.bind.get(heaviest.slot as usize)?.joint))
    }

    /// How many vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Smallest and largest corner of the bind-space positions; `None` without vertices.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(min, max), &p| (min.min(p), max.max(p))))
    }

    /// How far apart the influences of a vertex place it in the bind pose: the largest distance of
    /// `inverse(inverse_bind) * offset` from their weighted mean, and the vertex; `None` without influences.
    ///
    /// Printed decimals make it about 4e-6 of a model's size; more means that an engine which skins one bind
    /// position shows another picture than one which sums the offsets (vkQuake #718).
    pub fn bind_residual(&self) -> Option<(usize, f64)> {
        let bind: Vec<DAffine3> = self.bind.iter().map(|bound| bound.inverse_bind.inverse()).collect();
        let mut worst: Option<(usize, f64)> = None;
        for vertex in 0..self.vertex_count() {
            let position: DVec3 = self.positions[vertex].as_dvec3();
            for influence in self.influences_of(vertex).iter().filter(|influence| influence.weight != 0.0) {
                let placed = bind[influence.slot as usize].transform_point3(influence.offset.as_dvec3());
                let distance = placed.distance(position);
                if worst.is_none_or(|(_, most)| distance > most) {
                    worst = Some((vertex, distance));
                }
            }
        }
        worst
    }
}

/// Index into [`super::Model::materials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct MaterialId(pub u32);

impl MaterialId {
    /// For indexing slices that run over the model's materials.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a surface looks, as far as the two formats say.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// MD5's shader name, the .x material's name, or a made-up one.
    pub name: String,
    /// Diffuse RGBA, linear as written. With a surface the colours of its stages are multiplied with it.
    pub diffuse: Vec4,
    /// Specular RGB.
    pub specular: Vec3,
    /// Specular exponent; 0 means no highlight.
    pub specular_power: f32,
    /// Emissive RGB.
    pub emissive: Vec3,
    /// Texture file as the file names it; for MD5 the shader name, which may lead to an image, or the image program of its
    /// material.
    pub texture: Option<String>,
    /// How a game's material, or one of glTF, says that it is drawn; `None` where the words above are all there is, of which
    /// [`Surface::of_words`] makes one.
    pub surface: Option<Surface>,
}

impl Material {
    /// A neutral light grey.
    pub fn neutral(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            diffuse: Vec4::new(0.8, 0.8, 0.8, 1.0),
            specular: Vec3::ZERO,
            specular_power: 0.0,
            emissive: Vec3::ZERO,
            texture: None,
            surface: None,
        }
    }

    /// The one file that tells most of how it looks, where a format holds no more: of an image program the first image.
    pub fn image_file(&self) -> Option<&str> {
        let program = self.surface.as_ref().and_then(Surface::main_image);
        // What begins so is made by the engine.
        let of_program = program.map(|program| program.images().first().copied().filter(|name| !name.starts_with('_')));
        of_program.unwrap_or(self.texture.as_deref()).filter(|name| !name.is_empty())
    }

    /// Whether its file gives it no colour of its own.
    pub fn has_no_colour(&self) -> bool {
        self.diffuse == Self::neutral("").diffuse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::material;
    use bindpose_parsers::Span;
    use bindpose_parsers::decl::parse_material;

    #[test]
    fn of_an_image_program_the_first_image_stands_for_it() {
        let of = |text: &str| {
            let decl = parse_material(text.as_bytes(), Span::new(0, text.len())).decl;
            let surface = Some(material::surface(decl, |_| None));
            let material = Material { texture: Some("program".into()), surface, ..Material::neutral("a") };
            material.image_file().map(str::to_owned)
        };
        assert_eq!(of("{ diffusemap add( a/b.tga, c ) }").as_deref(), Some("a/b.tga"));
        assert_eq!(of("{ bumpmap n }"), None, "its diffuse map is plain white");
        let plain = Material { texture: Some("skin.png".into()), ..Material::neutral("a") };
        assert_eq!(plain.image_file(), Some("skin.png"));
    }
    use crate::model::{Skeleton, Transform};

    #[test]
    fn the_first_of_the_heaviest_influences_leads_to_its_joint() {
        let mut skeleton = Skeleton::new();
        let joints = ["low", "high"].map(|name| skeleton.push(name, None, Transform::IDENTITY));
        let pull = |slot, weight| Influence { slot, weight, offset: Vec3::ZERO };
        let mesh = Mesh {
            positions: vec![Vec3::ZERO; 4],
            bind: joints.map(|joint| BindJoint { joint, inverse_bind: DAffine3::IDENTITY }).into(),
            influences: vec![pull(0, 0.3), pull(1, 0.7), pull(1, 0.5), pull(0, 0.5), pull(7, 1.0)],
            influence_starts: vec![0, 2, 4, 4, 5],
            ..Mesh::default()
        };
        let found: Vec<_> =
            (0..5).map(|vertex| mesh.heaviest(vertex).map(|(pull, joint)| (pull.weight, joint))).collect();
        // Without influences, with a slot that is none, and beyond the last vertex there is nothing.
        assert_eq!(found, [Some((0.7, joints[1])), Some((0.5, joints[1])), None, None, None]);
    }
}
