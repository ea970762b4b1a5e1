//! Nodes: the choice of joints, and the transforms of the other nodes.

use super::error::{Error, Warn, oddity, unread};
use crate::left_out::Part;
use crate::model::{JointId, Skeleton, Transform};
use crate::pose::{LocalPose, ModelPose};
use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};
use gltf_json::Root;
use gltf_json::animation::Property;
use gltf_json::mesh::{Mode, Primitive};
use gltf_json::validation::Checked;
use std::collections::HashSet;

/// Largest relative difference between the components of a uniform scale.
const UNIFORM: f64 = 1e-6;

/// Nodes of a file.
pub(super) struct Nodes<'a> {
    pub(super) root: &'a Root,
    /// Transforms from node to parent space.
    pub(super) locals: Vec<Transform>,
    parents: Vec<Option<usize>>,
    /// Nodes, parents before children.
    order: Vec<usize>,
    in_scene: Vec<bool>,
    is_animated: Vec<bool>,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(root: &'a Root, warn: &mut Warn<'_>) -> Result<Self, Error> {
        let count = root.nodes.len();
        let mut parents: Vec<Option<usize>> = vec![None; count];
        for (number, node) in root.nodes.iter().enumerate() {
            for (place, child) in node.children.iter().flatten().enumerate() {
                let pointer = || format!("/nodes/{number}/children/{place}");
                match parents.get_mut(child.value()) {
                    Some(parent @ None) => *parent = Some(number),
                    Some(Some(other)) => {
                        let message = format!("node {} is a child of node {other} already", child.value());
                        return Err(Error::new(pointer(), message));
                    }
                    None => return Err(Error::new(pointer(), format!("there is no node {}", child.value()))),
                }
            }
        }
        let mut order: Vec<usize> = (0..count).filter(|&node| parents[node].is_none()).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            order.extend(root.nodes[node].children.iter().flatten().map(|child| child.value()));
            next += 1;
        }
        if order.len() < count {
            let mut reached = vec![false; count];
            order.iter().for_each(|&node| reached[node] = true);
            let first = reached.iter().position(|reached| !reached).unwrap_or(0);
            return Err(Error::new(format!("/nodes/{first}"), "the node is its own ancestor"));
        }
        let locals = (0..count).map(|node| local(root, node, warn)).collect::<Result<_, _>>()?;
        let scene = root.scene.map(|scene| scene.value()).or(Some(0)).and_then(|scene| root.scenes.get(scene));
        let mut in_scene = vec![scene.is_none(); count];
        for node in scene.iter().flat_map(|scene| &scene.nodes) {
            if let Some(shown) = in_scene.get_mut(node.value()) {
                *shown = true;
            }
        }
        let mut is_animated = vec![false; count];
        for channel in root.animations.iter().flat_map(|animation| &animation.channels) {
            let moves = channel.target.path != Checked::Valid(Property::MorphTargetWeights);
            if let Some(animated) = is_animated.get_mut(channel.target.node.value()).filter(|_| moves) {
                *animated = true;
            }
        }
        for &node in &order {
            in_scene[node] |= parents[node].is_some_and(|parent| in_scene[parent]);
        }
        Ok(Self { root, locals, parents, order, in_scene, is_animated })
    }

    fn name(&self, node: usize) -> String {
        let name = self.root.nodes[node].name.clone().filter(|name| !name.is_empty());
        name.unwrap_or_else(|| format!("node {node}"))
    }
}

/// Returns the local transform of a node, from its matrix or its translation, rotation and scale.
fn local(root: &Root, number: usize, warn: &mut Warn<'_>) -> Result<Transform, Error> {
    let node = &root.nodes[number];
    let vector = |part: &Option<[f32; 3]>, default: DVec3| {
        part.map_or(default, |[x, y, z]| DVec3::new(x.into(), y.into(), z.into()))
    };
    let transform = match &node.matrix {
        Some(matrix) => {
            let matrix = DMat4::from_cols_array(&matrix.map(f64::from));
            Transform::from_affine(DAffine3::from_mat4(matrix))
        }
        None => {
            let [x, y, z, w] = node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |rotation| rotation.0).map(f64::from);
            let rotation = DQuat::from_xyzw(x, y, z, w);
            if rotation.length_squared() == 0.0 {
                let pointer = format!("/nodes/{number}/rotation");
                let message = format!("the rotation of node {number} has zero length; treated as identity");
                warn(&pointer, oddity("GLI002", message));
            }
            Transform {
                translation: vector(&node.translation, DVec3::ZERO),
                rotation: unit(rotation),
                scale: vector(&node.scale, DVec3::ONE),
                shear: DVec3::ZERO,
            }
        }
    };
    let is_finite = transform.to_affine().is_finite() && transform.rotation.is_finite();
    let fault = || Error::new(format!("/nodes/{number}"), "its transform has numbers that are not finite");
    is_finite.then_some(transform).ok_or_else(fault)
}

/// Normalises a rotation; the identity if it has no direction.
pub(super) fn unit(rotation: DQuat) -> DQuat {
    let unit = rotation.normalize();
    if unit.is_finite() { unit } else { DQuat::IDENTITY }
}

/// A mesh at a node of the scene.
#[derive(Clone, Copy)]
pub(super) struct ShownMesh {
    pub(super) node: usize,
    pub(super) mesh: usize,
    pub(super) skin: Option<usize>,
}

/// Meshes and skins of a file that are imported.
pub(super) struct Shown {
    /// Meshes in the order of their nodes.
    pub(super) meshes: Vec<ShownMesh>,
    /// Skins in the order of their first meshes.
    skins: Vec<usize>,
}

impl Shown {
    /// Chooses all meshes of the scene, or those of one skin.
    pub(super) fn new(nodes: &Nodes<'_>, skin: Option<&str>, warn: &mut Warn<'_>) -> Result<Self, Error> {
        let wanted = match skin {
            None => None,
            Some(text) => {
                let named = nodes.root.skins.iter().position(|skin| skin.name.as_deref() == Some(text));
                let number = text.parse().ok().filter(|&number: &usize| number < nodes.root.skins.len());
                let unknown = || {
                    let name = |(number, skin): (usize, &gltf_json::Skin)| {
                        format!("{number} ({})", skin.name.as_deref().unwrap_or("without a name"))
                    };
                    let known: Vec<String> = nodes.root.skins.iter().enumerate().map(name).collect();
                    Error::new("/skins", format!("there is no skin '{text}'; the file has {}", known.join(", ")))
                };
                Some(named.or(number).ok_or_else(unknown)?)
            }
        };
        let of_node = |(number, node): (usize, &gltf_json::Node)| {
            let shown = ShownMesh { node: number, mesh: node.mesh?.value(), skin: node.skin.map(|skin| skin.value()) };
            nodes.in_scene[number].then_some(shown)
        };
        let all: Vec<ShownMesh> = nodes.root.nodes.iter().enumerate().filter_map(of_node).collect();
        let is_wanted = |shown: &&ShownMesh| wanted.is_none() || shown.skin == wanted;
        let meshes: Vec<ShownMesh> = all.iter().filter(is_wanted).copied().collect();
        if meshes.len() < all.len() {
            let left_out = all.len() - meshes.len();
            let message = format!("{left_out} meshes of other skins, or without one, are left out");
            warn("/skins", oddity("GLI001", message));
        }
        let drawn: HashSet<usize> = all.iter().map(|shown| shown.mesh).collect();
        for (number, mesh) in nodes.root.meshes.iter().enumerate().filter(|(number, _)| !drawn.contains(number)) {
            let lost = unread(Part::Mesh, &mesh_name(number, mesh), "no node of the shown scene has it");
            warn(&format!("/meshes/{number}"), lost);
        }
        let mut skins: Vec<usize> = Vec::new();
        for skin in meshes.iter().filter_map(|shown| shown.skin) {
            if !skins.contains(&skin) {
                skins.push(skin);
            }
        }
        Ok(Self { meshes, skins })
    }
}

/// Returns the name of a mesh, which may have none in the file.
pub(super) fn mesh_name(number: usize, mesh: &gltf_json::Mesh) -> String {
    mesh.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("mesh {number}"))
}

/// False for points and lines.
pub(super) fn has_triangles(primitive: &Primitive) -> bool {
    matches!(primitive.mode, Checked::Valid(Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan))
}

/// Joints made from nodes.
pub(super) struct Joints {
    ids: Vec<Option<JointId>>,
    /// Combined transform of the nodes between each node and the next joint above. For a joint's node it is a similarity.
    above: Vec<Transform>,
    /// Joint that each node follows, and the transform from the node's to the joint's space, or to that of the scene.
    holders: Vec<(Option<JointId>, DAffine3)>,
    /// Joint for meshes without any joint.
    origin: Option<JointId>,
    /// Rest pose in the model's axes.
    pub(super) rest: ModelPose,
    turn: DMat3,
}

/// Chooses the nodes that become joints. Returns the nodes that skins name, in their order, and the choice for each
/// node.
fn choose(nodes: &Nodes<'_>, shown: &Shown) -> (Vec<usize>, Vec<bool>) {
    let mut wanted: Vec<usize> = Vec::new();
    let skins: Vec<usize> =
        if shown.meshes.is_empty() { (0..nodes.root.skins.len()).collect() } else { shown.skins.clone() };
    for skin in skins {
        wanted.extend(nodes.root.skins[skin].joints.iter().map(|joint| joint.value()));
    }
    let mut is_joint = vec![false; nodes.locals.len()];
    wanted.iter().for_each(|&node| is_joint[node] = true);
    // True if the node or a descendant is shown.
    let mut carries = is_joint.clone();
    for mesh in shown.meshes.iter().filter(|mesh| mesh.skin.is_none()) {
        carries[mesh.node] = true;
    }
    if shown.meshes.is_empty() {
        // Without a mesh, the motion itself is shown.
        for &node in &nodes.order {
            let moves = |node: usize| nodes.is_animated[node] && nodes.in_scene[node];
            carries[node] |= moves(node) || nodes.parents[node].is_some_and(|parent| carries[parent]);
            is_joint[node] |= carries[node];
        }
    }
    for &node in nodes.order.iter().rev() {
        if let Some(parent) = nodes.parents[node].filter(|_| carries[node]) {
            carries[parent] = true;
        }
    }
    let mut holds_joint = is_joint.clone();
    for &node in nodes.order.iter().rev() {
        is_joint[node] |= carries[node] && nodes.is_animated[node];
        // Only a similarity can be merged into the components of the transforms below it.
        is_joint[node] |= holds_joint[node] && !is_similarity(&nodes.locals[node]);
        holds_joint[node] |= is_joint[node];
        if let Some(parent) = nodes.parents[node] {
            holds_joint[parent] |= holds_joint[node];
        }
    }
    (wanted, is_joint)
}

impl Joints {
    /// Chooses the joints and adds them to the skeleton, in the order of the first skin wherever parents come before
    /// children there.
    pub(super) fn new(nodes: &Nodes<'_>, shown: &Shown, turn: DMat3, skeleton: &mut Skeleton) -> Self {
        let count = nodes.locals.len();
        let (mut wanted, is_joint) = choose(nodes, shown);
        wanted.extend(nodes.order.iter().filter(|&&node| is_joint[node]));
        let mut joints = Self {
            ids: vec![None; count],
            above: vec![Transform::IDENTITY; count],
            holders: vec![(None, DAffine3::IDENTITY); count],
            origin: None,
            rest: ModelPose::default(),
            turn,
        };
        // The node of the nearest joint above each node.
        let mut joint_above: Vec<Option<usize>> = vec![None; count];
        for &node in &nodes.order {
            match nodes.parents[node] {
                None => {}
                Some(parent) if is_joint[parent] => joint_above[node] = Some(parent),
                Some(parent) => {
                    joint_above[node] = joint_above[parent];
                    joints.above[node] = times(&joints.above[parent], &nodes.locals[parent]);
                }
            }
        }
        for node in wanted {
            // Ancestors come first. Each is added once.
            let upwards = std::iter::successors(Some(node), |&node| joint_above[node]);
            let missing: Vec<usize> = upwards.take_while(|&node| joints.ids[node].is_none()).collect();
            for &node in missing.iter().rev() {
                let rest_local = joints.turned(&times(&joints.above[node], &nodes.locals[node]));
                let parent = joint_above[node].and_then(|parent| joints.ids[parent]);
                joints.ids[node] = Some(skeleton.push(nodes.name(node), parent, rest_local));
            }
        }
        joints.set_holders(nodes);
        let has_triangles = |mesh: &gltf_json::Mesh| mesh.primitives.iter().any(has_triangles);
        let has_triangles: Vec<bool> = nodes.root.meshes.iter().map(has_triangles).collect();
        let is_static = |shown: &ShownMesh| {
            let is_free = match shown.skin {
                Some(skin) => nodes.root.skins[skin].joints.is_empty(),
                None => joints.holders[shown.node].0.is_none(),
            };
            is_free && has_triangles.get(shown.mesh) == Some(&true)
        };
        if shown.meshes.iter().any(is_static) {
            joints.origin = Some(skeleton.push("origin", None, Transform::IDENTITY));
        }
        joints.rest = LocalPose::rest(skeleton).to_model(skeleton);
        joints
    }

    fn set_holders(&mut self, nodes: &Nodes<'_>) {
        for &node in &nodes.order {
            self.holders[node] = match (self.ids[node], nodes.parents[node]) {
                (Some(joint), _) => (Some(joint), DAffine3::IDENTITY),
                (None, None) => (None, nodes.locals[node].to_affine()),
                (None, Some(parent)) => {
                    let (joint, joint_from_parent) = self.holders[parent];
                    (joint, joint_from_parent * nodes.locals[node].to_affine())
                }
            };
        }
    }

    pub(super) fn id(&self, node: usize) -> Option<JointId> {
        self.ids.get(node).copied().flatten()
    }

    /// Returns the transform between a joint's node and its parent joint, in glTF's axes.
    pub(super) fn above(&self, node: usize) -> Transform {
        self.above.get(node).copied().unwrap_or(Transform::IDENTITY)
    }

    /// Returns the joint that a node without skin follows, and the transform from the node's to the joint's space, in
    /// glTF's axes.
    pub(super) fn holder(&self, node: usize) -> Option<(JointId, DAffine3)> {
        let (joint, joint_from_node) = self.holders[node];
        Some((joint.or(self.origin)?, joint_from_node))
    }

    /// Returns the joint for the meshes of a skin without joints.
    pub(super) fn origin(&self) -> Option<JointId> {
        self.origin
    }

    /// Converts a transform from glTF's axes to the model's.
    pub(super) fn turned(&self, local: &Transform) -> Transform {
        if local.shear != DVec3::ZERO {
            let map = local.to_affine();
            let matrix3 = self.turn * map.matrix3 * self.turn.transpose();
            return Transform::from_affine(DAffine3 { matrix3, translation: self.turn * map.translation });
        }
        Transform {
            translation: self.turn * local.translation,
            rotation: self.rotation(local.rotation),
            scale: self.turn.abs() * local.scale,
            shear: DVec3::ZERO,
        }
    }

    fn rotation(&self, rotation: DQuat) -> DQuat {
        let axis = self.turn * rotation.xyz();
        DQuat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }
}

/// True if a transform only rotates, translates and scales uniformly, without mirroring.
fn is_similarity(local: &Transform) -> bool {
    let size = local.scale.x;
    size > 0.0 && local.shear == DVec3::ZERO && local.scale.abs_diff_eq(DVec3::splat(size), UNIFORM * size)
}

/// Components of `above * local`, where `above` is a similarity.
pub(super) fn times(above: &Transform, local: &Transform) -> Transform {
    if *above == Transform::IDENTITY {
        return *local;
    }
    let size = above.scale.x;
    Transform {
        translation: above.translation + above.rotation * (local.translation * size),
        rotation: (above.rotation * local.rotation).normalize(),
        scale: local.scale * size,
        shear: local.shear * size,
    }
}
