//! Converts a document to a tree of objects, in the order that D3DX requires.

use super::document::{
    Animation, Document, EffectInstance, EffectValue, Faces, Frame, Material, Matrix, Mesh, MeshMaterialList,
};
use super::template::Template;
use super::tree::{Child, Object, Reference, Tree};
use super::values::Datum;
use super::{Int, Text, catalogue};
use crate::Span;
use std::borrow::Cow;

impl<'a> Document<'a> {
    /// Returns the objects with the content of the document.
    ///
    /// Tick rate, shared materials, frames with their meshes, meshes at top level, animations: all references point
    /// upwards. Declares the templates that readers older than D3DX do not know. A frame's meshes come before its child
    /// frames. A repeated mesh or material is referred to by its name, or written again if it has none.
    pub fn to_tree(&self) -> Tree<'a> {
        let mut tree = Tree::default();
        if let Some(header) = self.header {
            tree.objects.push(Object::new("Header").with_ints([header.major, header.minor, header.flags]));
        }
        tree.objects.extend(self.ticks_per_second.iter().map(|&t| Object::new("AnimTicksPerSecond").with_ints([t])));
        let shared = self.shared_materials();
        let shared_materials = self.materials.iter().zip(&shared).filter(|(_, shared)| **shared);
        tree.objects.extend(shared_materials.map(|(material, _)| compose_material(material)));
        self.compose_frames(&shared, &mut tree.objects);
        for set in &self.animation_sets {
            let object = Object::new("AnimationSet").with_name(&set.name);
            tree.objects.push(object.with_objects(set.animations.iter().map(compose_animation)));
        }
        tree.objects.extend(self.loose_animations.iter().map(compose_animation));
        tree.templates = templates_of(&tree.objects);
        tree
    }

    /// Returns true for each material that goes to top level: named materials that are not used exactly once.
    fn shared_materials(&self) -> Vec<bool> {
        let mut uses = vec![0_usize; self.materials.len()];
        for &material in self.meshes.iter().flat_map(|mesh| &mesh.material_list).flat_map(|list| &list.materials) {
            if let Some(uses) = uses.get_mut(material) {
                *uses += 1;
            }
        }
        self.materials.iter().zip(uses).map(|(material, uses)| material.name.is_some() && uses != 1).collect()
    }

    /// Appends the frames with their content, then the meshes at top level.
    fn compose_frames(&self, shared: &[bool], objects: &mut Vec<Object<'a>>) {
        let mut written = vec![false; self.meshes.len()];
        let mut content: Vec<Vec<Child<'a>>> = self.frames.iter().map(compose_matrices).collect();
        let mut top_level = Vec::new();
        for used in &self.mesh_uses {
            let (Some(mesh), Some(written)) = (self.meshes.get(used.mesh), written.get_mut(used.mesh)) else {
                continue;
            };
            let child = match &mesh.name {
                Some(name) if *written => Child::Reference(reference(name.clone())),
                _ => Child::Object(self.compose_mesh(mesh, shared)),
            };
            *written = true;
            match (used.frame.and_then(|frame| content.get_mut(frame)), child) {
                (Some(content), child) => content.push(child),
                (None, Child::Object(object)) => top_level.push(object),
                (None, Child::Reference(_)) => {}
            }
        }
        // Parents come before their children, so that from the back every frame is complete when it is moved into its
        // parent. Children arrive in reverse order and are reversed.
        let mut children: Vec<Vec<Child<'a>>> = self.frames.iter().map(|_| Vec::new()).collect();
        let mut roots = Vec::new();
        for (index, frame) in self.frames.iter().enumerate().rev() {
            let mut object = Object::new("Frame").with_name(&frame.name);
            object.children = content.get_mut(index).map(std::mem::take).unwrap_or_default();
            let inside = children.get_mut(index).map(std::mem::take).unwrap_or_default();
            object.children.extend(inside.into_iter().rev());
            match frame.parent.filter(|&parent| parent < index).and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(Child::Object(object)),
                None => roots.push(object),
            }
        }
        objects.extend(roots.into_iter().rev());
        objects.extend(top_level);
    }

    fn compose_mesh(&self, mesh: &Mesh<'a>, shared: &[bool]) -> Object<'a> {
        let mut object = Object::new("Mesh").with_name(&mesh.name);
        object.push_count(mesh.vertices.len());
        object.push_floats(mesh.vertices.numbers().iter());
        object.push_faces(&mesh.faces);
        let mut children = Vec::new();
        if let Some(normals) = &mesh.normals {
            let mut child = Object::new("MeshNormals");
            child.push_count(normals.normals.len());
            child.push_floats(normals.normals.numbers().iter());
            child.push_faces(&normals.faces);
            children.push(child);
        }
        if let Some(coords) = &mesh.texture_coords {
            let mut child = Object::new("MeshTextureCoords");
            child.push_count(coords.coords.len());
            child.push_floats(coords.coords.numbers().iter());
            children.push(child);
        }
        if let Some(colors) = &mesh.vertex_colors {
            let mut child = Object::new("MeshVertexColors");
            child.push_count(colors.colors.len());
            for (vertex, color) in &colors.colors {
                child.push_int(i64::from(*vertex));
                child.push_floats(color.iter().copied());
            }
            children.push(child);
        }
        children.extend(mesh.material_list.as_ref().map(|list| self.compose_material_list(list, shared)));
        compose_words(mesh, &mut children);
        if let Some(header) = mesh.skin_header {
            let values = [header.max_weights_per_vertex, header.max_weights_per_face, header.bones];
            children.push(Object::new("XSkinMeshHeader").with_ints(values));
        }
        for bone in &mesh.skin_weights {
            let mut child = Object::new("SkinWeights");
            child.push_text(&bone.bone);
            child.push_count(bone.weights.len());
            bone.weights.iter().for_each(|(vertex, _)| child.push_int(i64::from(*vertex)));
            bone.weights.iter().for_each(|(_, weight)| child.push(Datum::Float(*weight)));
            child.push_floats(bone.matrix_offset);
            children.push(child);
        }
        object.with_objects(children)
    }

    fn compose_material_list(&self, list: &MeshMaterialList, shared: &[bool]) -> Object<'a> {
        let mut object = Object::new("MeshMaterialList");
        object.push_count(list.materials.len());
        object.push_count(list.face_materials.len());
        object.push_words(&list.face_materials);
        for &index in &list.materials {
            let Some(material) = self.materials.get(index) else { continue };
            let referred = shared.get(index).copied().unwrap_or(false);
            object.children.push(match &material.name {
                Some(name) if referred => Child::Reference(reference(name.clone())),
                _ => Child::Object(compose_material(material)),
            });
        }
        object
    }
}

/// Adds the objects of `mesh` that are lists of words: copies of vertices, and data of vertex declarations and FVF
/// codes.
fn compose_words<'a>(mesh: &Mesh<'a>, children: &mut Vec<Object<'a>>) {
    if let Some(copies) = &mesh.duplication {
        let mut child = Object::new("VertexDuplicationIndices");
        child.push_count(copies.indices.len());
        let originals = copies.indices.iter().zip(0..).filter(|(original, vertex)| *original == vertex).count();
        child.push_count(originals);
        child.push_words(&copies.indices);
        children.push(child);
    }
    if let Some(decl) = &mesh.decl_data {
        let mut child = Object::new("DeclData");
        child.push_count(decl.elements.len());
        for element in &decl.elements {
            child.push_words(&[element.kind, element.method, element.usage, element.usage_index]);
        }
        child.push_count(decl.data.len());
        child.push_words(&decl.data);
        children.push(child);
    }
    if let Some(fvf) = &mesh.fvf_data {
        let mut child = Object::new("FVFData");
        child.push_int(i64::from(fvf.fvf));
        child.push_count(fvf.data.len());
        child.push_words(&fvf.data);
        children.push(child);
    }
}

fn compose_matrices<'a>(frame: &Frame<'a>) -> Vec<Child<'a>> {
    let matrix = |matrix: &Matrix| {
        let mut object = Object::new("FrameTransformMatrix");
        object.push_floats(*matrix);
        Child::Object(object)
    };
    frame.matrices.iter().map(matrix).collect()
}

fn compose_material<'a>(material: &Material<'a>) -> Object<'a> {
    let mut object = Object::new("Material").with_name(&material.name);
    object.push_floats(material.face_color);
    object.push(Datum::Float(material.power));
    object.push_floats(material.specular);
    object.push_floats(material.emissive);
    for texture in &material.textures {
        let mut child = Object::new("TextureFilename");
        child.type_name = texture.kind.clone();
        child.push_text(&texture.filename);
        object.children.push(Child::Object(child));
    }
    object.children.extend(material.effect.as_ref().map(|effect| Child::Object(compose_effect(effect))));
    object
}

fn compose_effect<'a>(effect: &EffectInstance<'a>) -> Object<'a> {
    let mut object = Object::new("EffectInstance");
    object.push_text(&effect.filename);
    let parameters = effect.parameters.iter().map(|parameter| {
        let mut child = Object::new(match &parameter.value {
            EffectValue::Floats(_) => "EffectParamFloats",
            EffectValue::Text(_) => "EffectParamString",
            EffectValue::Dword(_) => "EffectParamDWord",
        });
        child.push_text(&parameter.name);
        match &parameter.value {
            EffectValue::Floats(floats) => {
                child.push_count(floats.len());
                child.push_floats(floats.iter().copied());
            }
            EffectValue::Text(text) => child.push_text(text),
            EffectValue::Dword(value) => child.push_int(value.value),
        }
        child
    });
    object.with_objects(parameters)
}

fn compose_animation<'a>(animation: &Animation<'a>) -> Object<'a> {
    let mut object = Object::new("Animation").with_name(&animation.name);
    object.children.extend(animation.target.as_ref().map(|target| Child::Reference(reference(target.name.clone()))));
    for keys in &animation.keys {
        let mut child = Object::new("AnimationKey");
        let (width, values): (_, Vec<f64>) = (keys.kind.width(), keys.values.iter().collect());
        child.push_int(keys.kind.key_type());
        child.push_count(keys.times.len());
        for (time, values) in keys.times.iter().zip(values.chunks(width)) {
            // Only the lenient reading accepts times with fractions.
            let whole = time.fract() == 0.0 && time.abs() < 9e15;
            child.push(if whole { Datum::Integer(*time as i64) } else { Datum::Float(*time) });
            child.push_count(values.len());
            child.push_floats(values.iter().copied());
        }
        object.children.push(Child::Object(child));
    }
    if let Some(options) = animation.options {
        let values = [options.open_closed, options.position_quality];
        object.children.push(Child::Object(Object::new("AnimationOptions").with_ints(values)));
    }
    object
}

fn reference(name: Text<'_>) -> Reference<'_> {
    Reference { name: Some(name), guid: None, span: Span::default() }
}

/// Helpers for building objects.
impl<'a> Object<'a> {
    fn with_name(mut self, name: &Option<Text<'a>>) -> Self {
        self.name.clone_from(name);
        self
    }

    fn with_ints<const N: usize>(mut self, values: [Int; N]) -> Self {
        values.iter().for_each(|value| self.push_int(value.value));
        self
    }

    fn with_objects(mut self, objects: impl IntoIterator<Item = Object<'a>>) -> Self {
        self.children.extend(objects.into_iter().map(Child::Object));
        self
    }

    fn push(&mut self, datum: Datum<'a>) {
        self.values.extend([datum]);
    }

    fn push_int(&mut self, value: i64) {
        self.push(Datum::Integer(value));
    }

    fn push_count(&mut self, count: usize) {
        self.push_int(i64::try_from(count).unwrap_or(i64::MAX));
    }

    fn push_words(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.push_int(word.into()));
    }

    fn push_floats(&mut self, floats: impl IntoIterator<Item = f64>) {
        floats.into_iter().for_each(|float| self.push(Datum::Float(float)));
    }

    fn push_text(&mut self, text: &Text<'a>) {
        self.push(Datum::Text(Box::new(Cow::clone(&text.bytes))));
    }

    fn push_faces(&mut self, faces: &Faces) {
        self.push_count(faces.len());
        for face in faces.iter() {
            self.push_count(face.len());
            self.push_words(face);
        }
    }
}

/// Returns the templates beyond the retained-mode set that `objects` need, member types first.
fn templates_of<'a>(objects: &[Object<'a>]) -> Vec<Template<'a>> {
    let mut used: Vec<&[u8]> = Vec::new();
    let mut open: Vec<&Object<'a>> = objects.iter().collect();
    while let Some(object) = open.pop() {
        if !used.iter().any(|known| known.eq_ignore_ascii_case(&object.type_name.bytes)) {
            used.push(&object.type_name.bytes);
        }
        open.extend(object.objects());
    }
    if used.iter().any(|name| name.eq_ignore_ascii_case(b"DeclData")) {
        used.push(b"VertexElement");
    }
    let wanted = |name: &[u8]| catalogue::is_extension(name) && used.iter().any(|used| used.eq_ignore_ascii_case(name));
    catalogue::standard_templates().iter().filter(|template| wanted(&template.name.bytes)).cloned().collect()
}
