//! D3DXLoadMeshHierarchyFromX: conversion of d3dxof's objects to frames and meshes.

use super::objects::{Child, Content, Object, POINTER};
use super::{E_FAIL, INVALID_CALL, fail};
use crate::codes::{Rule, x as rules};
use crate::verdict::Fallible;
use bindpose_parsers::Span;
use bindpose_parsers::x::Guid;

const fn guid(a: u32, rest: [u8; 12]) -> Guid {
    let [b, c, d, e] = a.to_be_bytes();
    let [f, g, h, i, j, k, l, m, n, o, p, q] = rest;
    Guid([b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q])
}

const MESH_TAIL: [u8; 12] = [0x62, 0xda, 0x11, 0xcf, 0xab, 0x39, 0x00, 0x20, 0xaf, 0x71, 0xe4, 0x33];
const LIST_TAIL: [u8; 12] = [0x76, 0x86, 0x11, 0xcf, 0x8f, 0x52, 0x00, 0x40, 0x33, 0x35, 0x94, 0xa3];
const COLOR_TAIL: [u8; 12] = [0x78, 0x42, 0x11, 0xcf, 0x8f, 0x52, 0x00, 0x40, 0x33, 0x35, 0x94, 0xa3];
const MESH: Guid = guid(0x3d82_ab44, MESH_TAIL);
const FRAME: Guid = guid(0x3d82_ab46, MESH_TAIL);
const MATERIAL: Guid = guid(0x3d82_ab4d, MESH_TAIL);
pub(super) const ANIMATION_SET: Guid = guid(0x3d82_ab50, MESH_TAIL);
const TEXTURE_COORDS: Guid = guid(0xf6f2_3f40, LIST_TAIL);
const MATRIX: Guid = guid(0xf6f2_3f41, LIST_TAIL);
const MATERIAL_LIST: Guid = guid(0xf6f2_3f42, LIST_TAIL);
const NORMALS: Guid = guid(0xf6f2_3f43, LIST_TAIL);
const COLORS: Guid = guid(0x1630_b821, COLOR_TAIL);
const SKIN_HEADER: Guid = guid(0x3cf1_69ce, [0xff, 0x7c, 0x44, 0xab, 0x93, 0xc0, 0xf7, 0x8f, 0x62, 0xd1, 0x72, 0xe2]);
const SKIN_WEIGHTS: Guid = guid(0x6f0d_123b, [0xba, 0xd2, 0x41, 0x67, 0xa0, 0xd0, 0x80, 0x22, 0x4f, 0x25, 0xfa, 0xbb]);

/// Sizes in bytes.
const LONG: usize = 4;
const VECTOR: usize = 12;

/// Depth of nesting and references that only circular references exceed.
const MAX_DEPTH: usize = 600;

/// Result of a call that does not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The call returns a hierarchy.
    Hierarchy,
    /// The call returns nothing.
    Nothing,
    /// Circular references overflow the stack.
    Circle,
    /// There is too much to follow, or memory outside the data is read.
    Lost,
}

/// An object during enumeration.
#[derive(Clone, Copy)]
struct Node {
    object: usize,
    /// Number of levels below a reference to it. Only two are enumerated.
    below_reference: Option<usize>,
}

struct Builder<'c, 'a> {
    content: &'c Content<'a>,
    /// Number of nodes and bytes that may still be visited.
    visits_left: usize,
}

/// Builds the hierarchy from the objects.
pub(super) fn load(content: &Content) -> Fallible<Ending> {
    let visits_left =
        content.objects.len().saturating_add(content.data.len()).saturating_mul(64).saturating_add(1 << 16);
    let mut builder = Builder { content, visits_left };
    let node = |&object| Node { object, below_reference: None };
    for root in content.roots.iter().map(node) {
        if let Some(ending) = builder.enumerate(root, 0) {
            return Ok(ending);
        }
    }
    let mut ending = Ending::Nothing;
    for root in content.roots.iter().map(node) {
        match builder.kind(root) {
            Some(MESH) => builder.mesh(root)?,
            Some(FRAME) => builder.frame(root)?,
            _ => continue,
        }
        ending = Ending::Hierarchy;
    }
    Ok(if builder.visits_left == 0 { Ending::Lost } else { ending })
}

impl<'c, 'a> Builder<'c, 'a> {
    fn object(&self, node: Node) -> Option<&'c Object<'a>> {
        self.content.objects.get(node.object)
    }

    fn kind(&self, node: Node) -> Option<Guid> {
        self.object(node)?.kind
    }

    fn data(&self, node: Node) -> Data<'c> {
        let bytes = self.object(node).and_then(|object| self.content.data.get(object.data.clone()));
        Data { bytes: bytes.unwrap_or_default() }
    }

    fn children(&self, node: Node) -> impl Iterator<Item = Node> + use<'c, 'a> {
        let is_enumerated = node.below_reference.is_none_or(|level| level == 0);
        let children = self.object(node).map(|object| &object.children[..]).filter(|_| is_enumerated);
        let child = move |&Child { object, is_reference }: &Child| {
            let below_reference = if is_reference { Some(0) } else { node.below_reference.map(|level| level + 1) };
            Node { object, below_reference }
        };
        children.unwrap_or_default().iter().map(child)
    }

    fn visit(&mut self, cost: usize) {
        self.visits_left = self.visits_left.saturating_sub(cost);
    }

    /// Enumerates everything below an object, which happens before anything is built.
    fn enumerate(&mut self, node: Node, depth: usize) -> Option<Ending> {
        self.visit(1);
        if depth > MAX_DEPTH {
            return Some(Ending::Circle);
        }
        if self.visits_left == 0 {
            return Some(Ending::Lost);
        }
        self.children(node).find_map(|child| self.enumerate(child, depth + 1))
    }

    fn fail<T>(&self, node: Node, rule: Rule, message: impl Into<String>) -> Fallible<T> {
        let span = self.object(node).map_or_else(Span::default, |object| object.span);
        fail(E_FAIL, rule, span, &message.into())
    }

    fn truncated<T>(&self, node: Node) -> Fallible<T> {
        let message = format!("Truncated data ({} bytes).", self.data(node).bytes.len());
        self.fail(node, rules::VALUES_MISSING, message)
    }

    fn frame(&mut self, node: Node) -> Fallible<()> {
        for child in self.children(node) {
            match self.kind(child) {
                Some(MESH) => self.mesh(child)?,
                Some(FRAME) => self.frame(child)?,
                Some(MATRIX) if self.data(child).bytes.len() != 16 * LONG => {
                    let message = format!("Incorrect data size ({} bytes).", self.data(child).bytes.len());
                    self.fail(child, rules::VALUES_MISSING, message)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn mesh(&mut self, node: Node) -> Fallible<()> {
        let data = self.data(node);
        self.visit(data.bytes.len());
        if self.visits_left == 0 {
            return Ok(());
        }
        let faces = self.faces(node)?;
        let mut skin = Skin::default();
        for child in self.children(node) {
            self.visit(self.data(child).bytes.len());
            match self.kind(child) {
                Some(NORMALS) => self.normals(child, &faces)?,
                Some(COLORS) => self.colors(child, &faces)?,
                Some(TEXTURE_COORDS) => self.texture_coords(child, &faces)?,
                Some(MATERIAL_LIST) => self.material_list(child, &faces)?,
                Some(SKIN_HEADER) => self.skin_header(child, &mut skin)?,
                Some(SKIN_WEIGHTS) => self.skin_weights(node, child, &mut skin)?,
                _ => {}
            }
        }
        if let Some(bones) = skin.bones.filter(|&bones| bones != skin.weights) {
            let weights = skin.weights;
            let message = format!(
                "Mismatch between skin weights info count {weights} and bones count {bones} from skin mesh header."
            );
            return self.fail(skin.header.unwrap_or(node), rules::SKIN_HEADER_BONES, message);
        }
        if faces.vertices == 0 || faces.corners.is_empty() {
            let span = self.object(node).map_or_else(Span::default, |object| object.span);
            return fail(INVALID_CALL, rules::EMPTY_MESH, span, "");
        }
        Ok(())
    }

    fn faces(&self, node: Node) -> Fallible<Faces> {
        let data = self.data(node);
        let (Some(vertices), true) = (data.long(0), data.bytes.len() >= 2 * LONG) else { return self.truncated(node) };
        let mut at = LONG.saturating_add((vertices as usize).saturating_mul(VECTOR));
        let Some(count) = data.long(at) else { return self.truncated(node) };
        at += LONG;
        let mut corners = Vec::new();
        for face in 0..count {
            let Some(number) = data.long(at) else { return self.truncated(node) };
            at += LONG;
            let Some(indices) = data.longs(at, number as usize) else { return self.truncated(node) };
            if number < 3 {
                return self.fail(node, rules::FACE_CORNERS, format!("Face {face} has only {number} vertices."));
            }
            if let Some((place, index)) = indices.enumerate().find(|&(_, index)| index >= vertices) {
                let message =
                    format!("Face {face}, index {place}: undefined vertex {index} (only {vertices} vertices).");
                return self.fail(node, rules::FACE_INDEX, message);
            }
            at += number as usize * LONG;
            corners.push(number);
        }
        Ok(Faces { vertices, corners })
    }

    fn texture_coords(&self, node: Node, faces: &Faces) -> Fallible<()> {
        let data = self.data(node);
        match data.long(0) {
            None => self.truncated(node),
            Some(count) if count != faces.vertices => {
                let vertices = faces.vertices;
                let message =
                    format!("Number of texture coordinates ({count}) doesn't match number of vertices ({vertices}).");
                self.fail(node, rules::TEXTURE_COORDS, message)
            }
            Some(count) if data.bytes.len() < LONG + count as usize * 2 * LONG => self.truncated(node),
            Some(_) => Ok(()),
        }
    }

    fn colors(&self, node: Node, faces: &Faces) -> Fallible<()> {
        /// An index and four numbers.
        const COLOR: usize = 5 * LONG;
        let data = self.data(node);
        let Some(count) = data.long(0).filter(|&count| data.bytes.len() >= LONG + count as usize * COLOR) else {
            return self.truncated(node);
        };
        for number in 0..count {
            let index = data.long(LONG + number as usize * COLOR).unwrap_or_default();
            let vertices = faces.vertices;
            if index >= vertices {
                let message =
                    format!("Vertex color {number} references undefined vertex {index} (only {vertices} vertices).");
                return self.fail(node, rules::COLOR_INDEX, message);
            }
        }
        Ok(())
    }

    fn normals(&self, node: Node, faces: &Faces) -> Fallible<()> {
        let data = self.data(node);
        let all_corners: usize = faces.corners.iter().map(|&corners| corners as usize).sum();
        let needed = |normals: u32| 2 * LONG + normals as usize * VECTOR + all_corners * LONG;
        let Some(normals) = data.long(0).filter(|&normals| data.bytes.len() >= needed(normals)) else {
            return self.truncated(node);
        };
        let mut at = LONG + normals as usize * VECTOR;
        let count = data.long(at).unwrap_or_default();
        if count as usize != faces.corners.len() {
            let number = faces.corners.len();
            let message = format!("Number of face normals ({count}) doesn't match number of faces ({number}).");
            return self.fail(node, rules::NORMAL_FACES, message);
        }
        at += LONG;
        for (face, &corners) in faces.corners.iter().enumerate() {
            let count = data.long(at).unwrap_or_default();
            if count != corners {
                let message =
                    format!("Face {face}: number of normals ({count}) doesn't match number of vertices ({corners}).");
                return self.fail(node, rules::NORMAL_CORNERS, message);
            }
            at += LONG;
            let mut indices = data.longs(at, corners as usize).into_iter().flatten().enumerate();
            if let Some((place, index)) = indices.find(|&(_, index)| index >= normals) {
                let message = format!(
                    "Face {face}, normal index {place}: reference to undefined normal {index} (only {normals} normals)."
                );
                return self.fail(node, rules::NORMAL_INDEX, message);
            }
            at += corners as usize * LONG;
        }
        Ok(())
    }

    fn material_list(&self, node: Node, faces: &Faces) -> Fallible<()> {
        let data = self.data(node);
        let Some(materials) = data.long(0) else { return self.truncated(node) };
        if materials == 0 {
            return Ok(());
        }
        let number = faces.corners.len();
        let Some(count) = data.long(LONG) else { return self.truncated(node) };
        if count as usize != number {
            let rule = if count == 1 { rules::SINGLE_MATERIAL_INDEX } else { rules::MATERIAL_INDICES };
            let message =
                format!("Number of material face indices ({count}) doesn't match number of faces ({number}).");
            return self.fail(node, rule, message);
        }
        let Some(indices) = data.longs(2 * LONG, number) else { return self.truncated(node) };
        if let Some((face, index)) = indices.enumerate().find(|&(_, index)| index >= materials) {
            let message = format!("Face {face}: reference to undefined material {index} (only {materials} materials).");
            return self.fail(node, rules::MATERIAL_INDEX, message);
        }
        let mut defined = 0;
        for child in self.children(node).filter(|&child| self.kind(child) == Some(MATERIAL)) {
            if defined == materials {
                let message = format!("{defined} materials defined, only {materials} declared.");
                return self.fail(child, rules::MATERIAL_COUNT, message);
            }
            defined += 1;
            let size = self.data(child).bytes.len();
            if size != 11 * LONG {
                return self.fail(child, rules::VALUES_MISSING, format!("Incorrect data size ({size} bytes)."));
            }
        }
        if defined != materials {
            // The two numbers are printed in the wrong order.
            let message = format!("Only {materials} of {defined} materials defined.");
            return self.fail(node, rules::MATERIAL_COUNT, message);
        }
        Ok(())
    }

    fn skin_header(&self, node: Node, skin: &mut Skin) -> Fallible<()> {
        if skin.bones.is_some() {
            return self.fail(node, rules::SKIN_HEADER_TWICE, "Skin mesh header already encountered");
        }
        let Some(&[low, high]) = self.data(node).bytes.get(4..6) else { return self.truncated(node) };
        skin.bones = Some(u16::from_le_bytes([low, high]).into());
        skin.header = Some(node);
        Ok(())
    }

    fn skin_weights(&self, mesh: Node, node: Node, skin: &mut Skin) -> Fallible<()> {
        let Some(bones) = skin.bones else {
            let is_late = self.children(mesh).any(|child| self.kind(child) == Some(SKIN_HEADER));
            let rule = if is_late { rules::SKIN_HEADER_LATE } else { rules::SKIN_HEADER_MISSING };
            return self.fail(node, rule, "Skin weights found but skin mesh header not encountered yet");
        };
        let data = self.data(node);
        let needed = |weights: u32| POINTER + LONG + weights as usize * 2 * LONG + 16 * LONG;
        if data.long(POINTER).is_none_or(|weights| data.bytes.len() < needed(weights)) {
            return self.truncated(node);
        }
        if skin.weights >= bones {
            let span = self.object(node).map_or_else(Span::default, |object| object.span);
            return fail(INVALID_CALL, rules::SKIN_HEADER_BONES, span, "");
        }
        skin.weights += 1;
        Ok(())
    }
}

/// Data of a mesh with which its children are compared.
struct Faces {
    vertices: u32,
    /// Number of corners of each face.
    corners: Vec<u32>,
}

#[derive(Default)]
struct Skin {
    /// Number of bones in the header.
    bones: Option<u32>,
    header: Option<Node>,
    /// Number of SkinWeights found.
    weights: u32,
}

/// Data of an object.
#[derive(Clone, Copy)]
struct Data<'d> {
    bytes: &'d [u8],
}

impl<'d> Data<'d> {
    fn long(self, at: usize) -> Option<u32> {
        self.bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
    }

    fn longs(self, at: usize, count: usize) -> Option<impl Iterator<Item = u32> + use<'d>> {
        let end = at.checked_add(count.checked_mul(LONG)?)?;
        let (longs, _) = self.bytes.get(at..end)?.as_chunks();
        Some(longs.iter().map(|&long| u32::from_le_bytes(long)))
    }
}
