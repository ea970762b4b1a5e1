//! Nodes, skins, meshes and animations.

use super::buffer::{Buffer, Target, Width};
use super::document::{
    Animation, Channel, ChannelTarget, Document, Mesh as FileMesh, Node, Primitive, Sampler, Skin as FileSkin,
};
use super::material::{self, Materials};
use super::{ImagePlacement, Options, clip};
use crate::axes::Axes;
use crate::influences::{Simplified, inverse_or_identity, simplified_meshes};
use crate::loss::{Loss, size_of};
use crate::prepare::{has_triangles, nothing_to_write};
use crate::unique::Unique;
use crate::{Error, NamedFile};
use bindpose_core::budget::{Budget, grouped};
use bindpose_core::model::{
    BindJoint, Clip, JointId, JointTracks, MaterialId, Mesh, Model, Skeleton, Track, Transform,
};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_parsers::decl::FrameCommand;
use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;

/// Parts of a file.
pub(super) struct Written {
    /// Everything except the buffer.
    pub(super) document: Document,
    pub(super) buffer: Vec<u8>,
    pub(super) beside: Vec<NamedFile>,
    pub(super) losses: Vec<Loss>,
}

/// Accessors by the names of their attributes.
type Attributes = Vec<(Cow<'static, str>, usize)>;

/// Memory for a node and its JSON.
const NODE_MEMORY: u128 = 1024;

pub(super) fn write(model: &Model, options: &Options, axes: &Axes) -> Result<Written, Error> {
    if model.skeleton.len() > MOST_JOINTS && model.meshes.iter().any(|mesh| !mesh.triangles.is_empty()) {
        return Err(too_many_joints(model.skeleton.len()));
    }
    let size = size_of(model);
    let budget = Budget::new(options.memory);
    // The model was read within the limit. Its file may use all of it.
    budget.add_input(usize::MAX);
    let mut losses = Vec::new();
    let skeleton = clip::unsheared(&model.skeleton, &mut losses);
    let mut scene = Scene { axes, options, buffer: Buffer::new(&budget), nodes: Vec::new(), roots: Vec::new() };
    let counts = [model.skeleton.len(), model.meshes.len()].map(|count| count as u128);
    scene.buffer.spend(NODE_MEMORY * (counts[0] + 2 * counts[1]), "the nodes of the glTF file")?;
    let simplified = simplified_meshes(model, options.influences, size, &mut losses);
    scene.add_joints(&model.name, &skeleton, &mut losses)?;
    let Skinned { meshes, skins, used_materials } = scene.add_meshes(model, &skeleton, simplified, &mut losses)?;
    if scene.nodes.is_empty() {
        return Err(nothing_to_write());
    }
    let materials = material::write(model, &used_materials, options, &mut scene.buffer, &mut losses)?;
    let animations = scene.animations(model, &skeleton, size, &mut losses)?;
    let Materials { materials, textures, samplers, images, beside, extensions } = materials;
    let Buffer { bytes, views, accessors, .. } = scene.buffer;
    let document = Document {
        scenes: [super::document::Scene { nodes: scene.roots }],
        extensions_used: extensions,
        nodes: scene.nodes,
        meshes,
        skins,
        animations,
        materials,
        textures,
        samplers,
        images,
        accessors,
        buffer_views: views,
        ..Document::default()
    };
    Ok(Written { document, buffer: bytes, beside, losses })
}

struct Scene<'a> {
    axes: &'a Axes,
    options: &'a Options,
    buffer: Buffer<'a>,
    nodes: Vec<Node>,
    /// Nodes at the top of the scene.
    roots: Vec<usize>,
}

/// Meshes and skins of the file, and the materials that they use.
#[derive(Default)]
struct Skinned {
    meshes: Vec<FileMesh>,
    skins: Vec<FileSkin>,
    /// Materials in the order of their first use; for Luanti, one entry per use.
    used_materials: Vec<MaterialId>,
}

/// Largest number of joints that 16-bit indices can address.
const MOST_JOINTS: usize = 65_536;

fn too_many_joints(count: usize) -> Error {
    Error::Limit(format!("{} joints; glTF counts up to {}", grouped(count), grouped(MOST_JOINTS)))
}

/// Returns the node of a joint; the armature is node 0.
fn node_of(joint: JointId) -> usize {
    1 + joint.index()
}

impl Scene<'_> {
    /// Adds the armature, and a node for each joint.
    fn add_joints(&mut self, name: &str, skeleton: &Skeleton, losses: &mut Vec<Loss>) -> Result<(), Error> {
        if skeleton.is_empty() {
            return Ok(());
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); 1 + skeleton.len()];
        for joint in skeleton.ids() {
            children[skeleton[joint].parent.map_or(0, node_of)].push(node_of(joint));
        }
        let mut children = children.into_iter();
        self.nodes.push(Node {
            name: name.to_owned(),
            children: children.next().unwrap_or_default(),
            ..Node::default()
        });
        let mut names = Unique::default();
        for (joint, children) in skeleton.joints().iter().zip(children) {
            let rest = Rounded::new(&joint.rest_local, self.axes).ok_or_else(|| {
                Error::Numbers(format!("the rest pose of joint '{}' has numbers that 32 bits cannot hold", joint.name))
            })?;
            self.nodes.push(rest.node(names.add(&joint.name), children));
        }
        losses.extend(names.into_loss("joint"));
        self.roots.push(0);
        Ok(())
    }

    fn add_meshes(
        &mut self,
        model: &Model,
        skeleton: &Skeleton,
        simplified: Vec<Simplified>,
        losses: &mut Vec<Loss>,
    ) -> Result<Skinned, Error> {
        let mut out = Skinned::default();
        let mut skins: Vec<Skin> = Vec::new();
        // Primitives by skin.
        let mut primitives: Vec<Vec<Primitive>> = Vec::new();
        for Simplified { mesh, .. } in simplified {
            let kept = Kept::new(&mesh, losses);
            if !has_triangles(&kept.triangles, &mesh.name, losses) {
                continue;
            }
            let slots: Vec<Slot> = mesh.bind.iter().map(|bound| self.slot(bound)).collect::<Result<_, _>>()?;
            let skin = skins.iter().position(|skin| skin.fits(&slots)).unwrap_or_else(|| {
                skins.push(Skin::new(skeleton.len()));
                primitives.push(Vec::new());
                skins.len() - 1
            });
            let joints = skins[skin].add(&slots);
            let material = model.materials.get(mesh.material.index()).map(|_| {
                // Luanti has one texture slot per mesh.
                let known = out.used_materials.iter().position(|&used| used == mesh.material && !self.options.luanti);
                known.unwrap_or_else(|| {
                    out.used_materials.push(mesh.material);
                    out.used_materials.len() - 1
                })
            });
            let primitive = self.primitive(&mesh, &kept, &joints, skins[skin].len(), material)?;
            primitives[skin].push(primitive);
        }
        let rest = LocalPose::rest(skeleton).to_model(skeleton);
        for (number, (skin, primitives)) in skins.iter().zip(primitives).enumerate() {
            // Blender adds numbers to objects with the same name, and the armature has the model's name.
            let end = if skeleton.is_empty() { "" } else { "_mesh" };
            let name = match number {
                0 => format!("{}{end}", model.name),
                _ => format!("{}{end}_{}", model.name, number + 1),
            };
            let mut node = Node { name: name.clone(), mesh: Some(out.meshes.len()), ..Node::default() };
            if !skeleton.is_empty() {
                node.skin = Some(out.skins.len());
                out.skins.push(self.skin(skin, skeleton, &rest)?);
            }
            out.meshes.push(FileMesh { name, primitives });
            self.roots.push(self.nodes.len());
            self.nodes.push(node);
        }
        Ok(out)
    }

    fn slot(&self, bound: &BindJoint) -> Result<Slot, Error> {
        let matrix = matrix(&self.axes.affine(&bound.inverse_bind));
        if matrix.iter().all(|part| part.is_finite()) {
            return Ok(Slot { joint: bound.joint, matrix });
        }
        Err(Error::Numbers(format!(
            "the bind pose of joint {} has numbers that 32 bits cannot hold",
            bound.joint.index()
        )))
    }

    /// Makes a tangent orthogonal to its normal. In glTF the bitangent points up the image.
    fn tangent(&self, tangent: Vec4, normal: &[f32; 3]) -> [f32; 4] {
        let normal = Vec3::from_array(*normal).as_dvec3();
        let turned = self.axes.direction(tangent.truncate().as_dvec3());
        let flat = turned.reject_from(normal).try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
        let [x, y, z] = rounded(flat);
        [x, y, z, if tangent.w < 0.0 { 1.0 } else { -1.0 }]
    }

    /// Creates a primitive of the kept vertices. `joints` has the skin's joint for each slot of the mesh; the skin has
    /// `joint_count` joints.
    fn primitive(
        &mut self,
        mesh: &Mesh,
        kept: &Kept,
        joints: &[u32],
        joint_count: usize,
        material: Option<usize>,
    ) -> Result<Primitive, Error> {
        if self.options.luanti && kept.vertices.len() >= 65_535 {
            let count = grouped(kept.vertices.len());
            return Err(Error::Limit(format!("mesh '{}' has {count} vertices; Luanti draws up to 65,534", mesh.name)));
        }
        let mut attributes = self.shape(mesh, &kept.vertices)?;
        if joint_count > 0 {
            self.add_weights(mesh, &kept.vertices, joints, joint_count, &mut attributes)?;
        }
        attributes.sort_unstable();
        // The largest value of an index type restarts a strip, so it cannot be a vertex.
        let width = if kept.vertices.len() < 65_535 { Width::Two } else { Width::Four };
        let corners: Vec<[u32; 1]> = kept.triangles.iter().flatten().map(|&corner| [corner]).collect();
        let indices = self.buffer.add_integers("SCALAR", &corners, width, Target::Indices)?;
        Ok(Primitive { attributes, indices, material })
    }

    /// Writes positions, normals, texture coordinates and, if needed, tangents and colours.
    fn shape(&mut self, mesh: &Mesh, vertices: &[usize]) -> Result<Attributes, Error> {
        let finite = |numbers: &[f32], what: &str| match numbers.iter().all(|part| part.is_finite()) {
            true => Ok(()),
            false => {
                Err(Error::Numbers(format!("the {what} of mesh '{}' have numbers that 32 bits cannot hold", mesh.name)))
            }
        };
        let position = |&vertex: &usize| rounded(self.axes.point(mesh.positions[vertex].as_dvec3()));
        let positions: Vec<[f32; 3]> = vertices.iter().map(position).collect();
        finite(positions.as_flattened(), "positions")?;
        let normal = |&vertex: &usize| {
            let normal = self.axes.direction(mesh.normals[vertex].as_dvec3());
            rounded(normal.try_normalize().unwrap_or(DVec3::Y))
        };
        let normals: Vec<[f32; 3]> = vertices.iter().map(normal).collect();
        let uvs: Vec<[f32; 2]> = vertices.iter().map(|&vertex| Vec2::to_array(&mesh.uvs[vertex])).collect();
        finite(uvs.as_flattened(), "texture coordinates")?;
        let images = self.options.images.get(mesh.material.index());
        let has_normal_map = images.is_some_and(|images| images.normal.is_some())
            && self.options.placement != ImagePlacement::Without
            && !self.options.luanti;
        let tangents: Option<Vec<[f32; 4]>> = has_normal_map.then(|| {
            let tangent = |(&vertex, normal): (&usize, _)| self.tangent(mesh.tangent(vertex), normal);
            vertices.iter().zip(&normals).map(tangent).collect()
        });
        let buffer = &mut self.buffer;
        let mut attributes = vec![
            ("POSITION".into(), buffer.add_floats("VEC3", &positions, Target::Vertices)?),
            ("NORMAL".into(), buffer.add_floats("VEC3", &normals, Target::Vertices)?),
        ];
        if let Some(tangents) = tangents {
            attributes.push(("TANGENT".into(), buffer.add_floats("VEC4", &tangents, Target::Vertices)?));
        }
        attributes.push(("TEXCOORD_0".into(), buffer.add_floats("VEC2", &uvs, Target::Vertices)?));
        if !mesh.colors.is_empty() {
            // Alpha 0 on all vertices is an exporter's mistake: it would hide the mesh.
            let is_hidden = !self.options.keep_alpha && mesh.colors.iter().all(|color| color.w <= 0.0);
            let color = |&vertex: &usize| {
                let color = mesh.colors[vertex].clamp(Vec4::ZERO, Vec4::ONE);
                if is_hidden { color.with_w(1.0) } else { color }.to_array()
            };
            let colors: Vec<[f32; 4]> = vertices.iter().map(color).collect();
            attributes.push(("COLOR_0".into(), buffer.add_floats("VEC4", &colors, Target::Vertices)?));
        }
        Ok(attributes)
    }

    /// Writes joints and weights in sets of four.
    fn add_weights(
        &mut self,
        mesh: &Mesh,
        vertices: &[usize],
        joints: &[u32],
        joint_count: usize,
        attributes: &mut Attributes,
    ) -> Result<(), Error> {
        let width = match joint_count {
            0..=256 => Width::One,
            257..=MOST_JOINTS => Width::Two,
            _ => return Err(too_many_joints(joint_count)),
        };
        let most = vertices.iter().map(|&vertex| mesh.influences_of(vertex).len()).max().unwrap_or(0);
        for set in 0..most.div_ceil(4).max(1) {
            let mut slots = Vec::with_capacity(vertices.len());
            let mut weights = Vec::with_capacity(vertices.len());
            for &vertex in vertices {
                let mut of_vertex = ([0_u32; 4], [0.0_f32; 4]);
                let influences = mesh.influences_of(vertex).iter().skip(4 * set).take(4);
                for (slot, influence) in influences.enumerate() {
                    of_vertex.0[slot] = joints[influence.slot as usize];
                    of_vertex.1[slot] = influence.weight;
                }
                slots.push(of_vertex.0);
                weights.push(of_vertex.1);
            }
            let slots = self.buffer.add_integers("VEC4", &slots, width, Target::Vertices)?;
            attributes.push((format!("JOINTS_{set}").into(), slots));
            let weights = self.buffer.add_floats("VEC4", &weights, Target::Vertices)?;
            attributes.push((format!("WEIGHTS_{set}").into(), weights));
        }
        Ok(())
    }

    /// Creates a skin with all joints of the skeleton. Joints that no mesh is bound to use the rest pose.
    fn skin(&mut self, skin: &Skin, skeleton: &Skeleton, rest: &ModelPose) -> Result<FileSkin, Error> {
        let mut joints: Vec<usize> = skeleton.ids().map(node_of).collect();
        let mut matrices: Vec<[f32; 16]> = Vec::with_capacity(skin.len());
        for joint in skeleton.ids() {
            let at_rest = || matrix(&self.axes.affine(&inverse_or_identity(&rest.0[joint.index()])));
            matrices.push(skin.base[joint.index()].unwrap_or_else(at_rest));
        }
        if !matrices.iter().flatten().all(|part| part.is_finite()) {
            return Err(Error::Numbers("the bind pose has numbers that 32 bits cannot hold".into()));
        }
        // A joint with a second bind pose in a mesh gets a child node for it.
        for (number, slot) in skin.extra.iter().enumerate() {
            let node = self.nodes.len();
            let name = format!("{} bound again {}", skeleton[slot.joint].name, number + 1);
            self.buffer.spend(NODE_MEMORY, "the nodes of the glTF file")?;
            self.nodes.push(Node { name, ..Node::default() });
            self.nodes[node_of(slot.joint)].children.push(node);
            joints.push(node);
            matrices.push(slot.matrix);
        }
        let matrices = self.buffer.add_floats("MAT4", &matrices, Target::None)?;
        Ok(FileSkin { joints, inverse_bind_matrices: matrices, skeleton: 0 })
    }

    fn animations(
        &mut self,
        model: &Model,
        skeleton: &Skeleton,
        size: f64,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<Animation>, Error> {
        let mut animations = Vec::with_capacity(model.clips.len());
        let mut names = Unique::default();
        let mut data = ClipData::default();
        let mut all = Vec::with_capacity(model.clips.len());
        for clip in &model.clips {
            all.push(clip::simplify(model, skeleton, clip, self.pace(clip), size, losses));
        }
        let moved = Moved::of(&all, skeleton, self.axes);
        for (number, (clip, simple)) in model.clips.iter().zip(all).enumerate() {
            let name = match clip.name.is_empty() {
                true => format!("clip {}", number + 1),
                false => clip.name.clone(),
            };
            let rest = skeleton.joints().first().map_or(DVec3::ZERO, |root| root.rest_local.translation);
            let simple = clip::held_to_the_end(simple, rest);
            let mut animation = data
                .animation(&simple, skeleton, &moved, self.axes, &mut self.buffer)
                .ok_or_else(|| Error::Numbers(format!("clip '{name}' has numbers that 32 bits cannot hold")))?;
            let samplers = CHANNEL_MEMORY * animation.samplers.len() as u128;
            self.buffer.spend(samplers, "the channels of the glTF file")?;
            animation.name = names.add(&name);
            if let (Some(rate), false) = (clip.frame_rate, self.options.luanti) {
                let frames = (simple.duration * rate).round() + 1.0;
                animation.extras = json!({"bindpose": {"fps": rate, "frames": frames}});
                let commands = self.options.frame_commands.iter().find(|(name, _)| *name == clip.name);
                if let Some((_, commands)) = commands.filter(|(_, commands)| !commands.is_empty()) {
                    let commands: Vec<Value> = commands.iter().map(|command| frame_command(command, rate)).collect();
                    animation.extras["bindpose"]["frameCommands"] = commands.into();
                }
            }
            animations.push(animation);
        }
        losses.extend(names.into_loss("clip"));
        if !data.bytes.is_empty() {
            let view = self.buffer.add_view(&data.bytes, Target::None)?;
            data.accessors.iter().for_each(|&accessor| self.buffer.accessors[accessor].buffer_view = view);
        }
        Ok(animations)
    }

    /// Returns the factor of a clip's times: for Luanti, frames per second.
    fn pace(&self, clip: &Clip) -> f64 {
        let frames = self.options.ticks_per_second.or(clip.frame_rate);
        frames.filter(|_| self.options.luanti).unwrap_or(1.0)
    }
}

/// Converts a frame command, with its time in seconds.
fn frame_command(command: &FrameCommand, frame_rate: f64) -> Value {
    let arguments: Vec<&str> = command.arguments.iter().map(|word| word.text.as_str()).collect();
    // Frames are counted from 1.
    let time = command.frame.saturating_sub(1) as f64 / frame_rate;
    json!({"frame": command.frame, "time": time, "command": command.command.text, "arguments": arguments})
}

/// A transform in the file's axes, in 32 bits.
#[derive(PartialEq)]
struct Rounded {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

impl Rounded {
    /// Returns `None` if a component is too large.
    fn new(local: &Transform, axes: &Axes) -> Option<Self> {
        let rounded = Self {
            translation: rounded(axes.point(local.translation)),
            rotation: axes.rotation(local.rotation).to_array().map(|part| part as f32 + 0.0),
            scale: rounded(axes.scale(local.scale)),
        };
        let Self { translation, rotation, scale } = &rounded;
        let is_finite = translation.iter().chain(rotation).chain(scale).all(|part| part.is_finite());
        is_finite.then_some(rounded)
    }
}

fn rounded(vector: DVec3) -> [f32; 3] {
    Vec3::to_array(&vector.as_vec3())
}

/// Returns the matrix column by column. The last row is exactly 0 0 0 1.
fn matrix(map: &DAffine3) -> [f32; 16] {
    let columns = [map.matrix3.x_axis, map.matrix3.y_axis, map.matrix3.z_axis, map.translation].map(rounded);
    let mut matrix = [0.0; 16];
    for (column, parts) in columns.iter().enumerate() {
        matrix[4 * column..4 * column + 3].copy_from_slice(parts);
    }
    matrix[15] = 1.0;
    matrix
}

impl Rounded {
    /// Creates a node with the parts that are not the identity.
    fn node(&self, name: String, children: Vec<usize>) -> Node {
        Node {
            name,
            children,
            translation: (self.translation != [0.0; 3]).then(|| self.translation.map(f64::from)),
            rotation: (self.rotation != [0.0, 0.0, 0.0, 1.0]).then(|| self.rotation.map(f64::from)),
            scale: (self.scale != [1.0; 3]).then(|| self.scale.map(f64::from)),
            ..Node::default()
        }
    }
}

/// Vertices and triangles of a mesh to be written.
struct Kept {
    /// Vertices that triangles use, in increasing order.
    vertices: Vec<usize>,
    /// Indices into `vertices`.
    triangles: Vec<[u32; 3]>,
}

impl Kept {
    fn new(mesh: &Mesh, losses: &mut Vec<Loss>) -> Self {
        let whole = |&&[a, b, c]: &&[u32; 3]| a != b && b != c && c != a;
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().filter(whole).copied().collect();
        let mut numbers: Vec<Option<u32>> = vec![None; mesh.vertex_count()];
        triangles.iter().flatten().for_each(|&corner| numbers[corner as usize] = Some(0));
        let vertices: Vec<usize> = (0..numbers.len()).filter(|&vertex| numbers[vertex].is_some()).collect();
        vertices.iter().zip(0..).for_each(|(&vertex, number)| numbers[vertex] = Some(number));
        let renumbered = triangles.iter().map(|corners| corners.map(|corner| numbers[corner as usize].unwrap_or(0)));
        let kept = Self { triangles: renumbered.collect(), vertices };
        let (unused, flat) = (mesh.vertex_count() - kept.vertices.len(), mesh.triangles.len() - triangles.len());
        if unused > 0 {
            losses.push(Loss::UnusedVertices { mesh: mesh.name.clone(), vertices: unused });
        }
        if flat > 0 {
            losses.push(Loss::DegenerateTriangles { mesh: mesh.name.clone(), triangles: flat });
        }
        kept
    }
}

/// A bind joint as the file stores it.
#[derive(Clone, Copy, PartialEq)]
struct Slot {
    joint: JointId,
    matrix: [f32; 16],
}

/// Bind pose that meshes share.
struct Skin {
    /// Inverse bind matrix of each joint; `None` until a mesh is bound to it.
    base: Vec<Option<[f32; 16]>>,
    /// Joints that a mesh binds a second time, with another bind pose.
    extra: Vec<Slot>,
}

impl Skin {
    fn new(joints: usize) -> Self {
        Self { base: vec![None; joints], extra: Vec::new() }
    }

    fn len(&self) -> usize {
        self.base.len() + self.extra.len()
    }

    /// True if a mesh has the same inverse bind matrix for every joint known to this skin.
    fn fits(&self, slots: &[Slot]) -> bool {
        slots.iter().all(|slot| {
            self.base[slot.joint.index()].is_none_or(|known| known == slot.matrix) || self.extra.contains(slot)
        })
    }

    /// Adds the bind joints of a mesh. Returns the skin's joint for each of its slots.
    fn add(&mut self, slots: &[Slot]) -> Vec<u32> {
        let joint_of = |slot: &Slot| {
            let known = self.base[slot.joint.index()].get_or_insert(slot.matrix);
            if *known == slot.matrix {
                return slot.joint.index() as u32;
            }
            let extra = self.extra.iter().position(|extra| extra == slot).unwrap_or_else(|| {
                self.extra.push(*slot);
                self.extra.len() - 1
            });
            (self.base.len() + extra) as u32
        };
        slots.iter().map(joint_of).collect()
    }
}

/// Memory for a channel, its sampler, two accessors, and their JSON.
const CHANNEL_MEMORY: u128 = 1024;

/// Data of all animations; they share one view.
#[derive(Default)]
struct ClipData {
    bytes: Vec<u8>,
    /// Accessors whose view is not set yet.
    accessors: Vec<usize>,
}

impl ClipData {
    fn add<const N: usize>(&mut self, kind: &'static str, values: &[[f32; N]], buffer: &mut Buffer<'_>) -> usize {
        let accessor = buffer.add_float_accessor(kind, values, 0, self.bytes.len());
        self.bytes.extend(values.iter().flatten().flat_map(|value| value.to_le_bytes()));
        self.accessors.push(accessor);
        accessor
    }

    /// Creates the samplers and channels of a clip. Returns `None` if a number is too large.
    fn animation(
        &mut self,
        clip: &Clip,
        skeleton: &Skeleton,
        moved: &Moved,
        axes: &Axes,
        buffer: &mut Buffer<'_>,
    ) -> Option<Animation> {
        let mut out = AnimationBuilder {
            clip,
            data: self,
            buffer,
            animation: Animation::default(),
            inputs: HashMap::new(),
            end: 0.0,
        };
        for (joint, tracks) in skeleton.ids().zip(&clip.joints) {
            let JointTracks::Parts { translation, rotation, scale } = tracks else { continue };
            let rest = Rounded::new(&skeleton[joint].rest_local, axes)?;
            let [moves, turns, scales] = moved.0[joint.index()];
            if moves {
                let values = point_values(translation.as_ref(), rest.translation, |value| axes.point(value));
                out.channel(joint, "translation", translation.as_ref(), values)?;
            }
            if turns {
                out.channel(joint, "rotation", rotation.as_ref(), rotation_values(rotation.as_ref(), &rest, axes))?;
            }
            if scales {
                let values = point_values(scale.as_ref(), rest.scale, |value| axes.scale(value));
                out.channel(joint, "scale", scale.as_ref(), values)?;
            }
        }
        // One channel has to last as long as the clip.
        let root = skeleton.ids().next()?;
        let [moves, ..] = moved.0[root.index()];
        if (out.animation.channels.is_empty() || out.end < clip.duration as f32) && !moves {
            let track = match clip.joints.first() {
                Some(JointTracks::Parts { translation, .. }) => translation.as_ref(),
                _ => None,
            };
            let rest = rounded(axes.point(skeleton[root].rest_local.translation));
            out.channel(root, "translation", track, point_values(track, rest, |value| axes.point(value)))?;
        }
        Some(out.animation)
    }
}

/// Returns the keys of a translation or scale in the file's axes; without a track, the joint's rest value.
fn point_values(track: Option<&Track<DVec3>>, rest: [f32; 3], to: impl Fn(DVec3) -> DVec3) -> Vec<[f32; 3]> {
    track.map_or_else(|| vec![rest], |track| track.values.iter().map(|&value| rounded(to(value))).collect())
}

/// Returns the keys of a rotation in the file's axes; without a track, the joint's rest value.
fn rotation_values(track: Option<&Track<DQuat>>, rest: &Rounded, axes: &Axes) -> Vec<[f32; 4]> {
    let value = |value: &DQuat| axes.rotation(*value).to_array().map(|part| part as f32 + 0.0);
    track.map_or_else(|| vec![rest.rotation], |track| track.values.iter().map(value).collect())
}

/// True for each part (translation, rotation, scale) of a joint that any clip changes from its rest value. All clips
/// then have a key for it, because many programs leave joints without a key as the previous clip left them.
struct Moved(Vec<[bool; 3]>);

impl Moved {
    fn of(clips: &[Clip], skeleton: &Skeleton, axes: &Axes) -> Self {
        let mut moved = vec![[false; 3]; skeleton.len()];
        for (joint, moved) in skeleton.ids().zip(&mut moved) {
            // Numbers that are too large are reported with the clip.
            let Some(rest) = Rounded::new(&skeleton[joint].rest_local, axes) else { continue };
            for clip in clips {
                let Some(JointTracks::Parts { translation, rotation, scale }) = clip.joints.get(joint.index()) else {
                    continue;
                };
                moved[0] |= point_values(translation.as_ref(), rest.translation, |value| axes.point(value))
                    != [rest.translation];
                moved[1] |= rotation_values(rotation.as_ref(), &rest, axes) != [rest.rotation];
                moved[2] |= point_values(scale.as_ref(), rest.scale, |value| axes.scale(value)) != [rest.scale];
            }
        }
        Self(moved)
    }
}

struct AnimationBuilder<'a, 'b> {
    clip: &'a Clip,
    data: &'a mut ClipData,
    buffer: &'a mut Buffer<'b>,
    animation: Animation,
    /// Accessors of times, keyed by the bits of the times.
    inputs: HashMap<Vec<u32>, usize>,
    /// Latest time of any channel.
    end: f32,
}

impl AnimationBuilder<'_, '_> {
    /// Adds a channel; without a track, it has one key at 0. Returns `None` if a number is too large.
    fn channel<T, const N: usize>(
        &mut self,
        joint: JointId,
        path: &'static str,
        track: Option<&Track<T>>,
        values: Vec<[f32; N]>,
    ) -> Option<()> {
        let times = match track {
            Some(track) => self.clip.timelines.get(track.timeline.0 as usize)?.times(),
            None => &[0.0],
        };
        let times: Vec<f32> = times.iter().take(values.len()).map(|&time| time as f32).collect();
        if !values.iter().flatten().chain(&times).all(|part| part.is_finite()) {
            return None;
        }
        self.sampler(joint, path, &times, &values);
        Some(())
    }

    fn sampler<const N: usize>(&mut self, joint: JointId, path: &'static str, times: &[f32], values: &[[f32; N]]) {
        let bits = times.iter().map(|time| time.to_bits()).collect();
        let input = *self.inputs.entry(bits).or_insert_with(|| {
            let times: Vec<[f32; 1]> = times.iter().map(|&time| [time]).collect();
            self.data.add("SCALAR", &times, self.buffer)
        });
        let output = self.data.add(if N == 4 { "VEC4" } else { "VEC3" }, values, self.buffer);
        self.end = times.last().copied().unwrap_or(0.0).max(self.end);
        let target = ChannelTarget { node: node_of(joint), path };
        self.animation.channels.push(Channel { sampler: self.animation.samplers.len(), target });
        self.animation.samplers.push(Sampler { input, output, interpolation: "LINEAR" });
    }
}
