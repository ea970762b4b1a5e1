//! Converts the tree to the document: resolves names, and checks counts and indices.

mod animation;
mod mesh;

use super::document::{
    Document, EffectInstance, EffectParameter, EffectValue, Frame, Header, Material, MeshUse, Texture,
};
use super::fault::Fault;
use super::layout::Templates;
use super::report::{Error, FaultLog, quote};
use super::syntax::recount;
use super::token::Guid;
use super::tree::{Child, Object, Reference, Tree};
use super::values::Cursor;
use super::{Int, Matrix, Text, Vectors};
use crate::Span;
use std::collections::HashMap;

/// Converts a tree. `templates` are those of the file.
pub(super) fn document<'a>(tree: &Tree<'a>, templates: &Templates, log: &mut FaultLog) -> Result<Document<'a>, Error> {
    let names = Names::collect(tree);
    let mut lower = Lower {
        names: &names,
        templates,
        log,
        document: Document::default(),
        frames: HashMap::new(),
        meshes: HashMap::new(),
        materials: HashMap::new(),
    };
    lower.file(tree)?;
    Ok(lower.document)
}

/// Iterates over the values of one object, with an error for a missing one.
struct Members<'o, 'a> {
    object: &'o Object<'a>,
    cursor: Cursor<'o, 'a>,
}

impl<'o, 'a> Members<'o, 'a> {
    fn of(object: &'o Object<'a>) -> Self {
        Self { object, cursor: Cursor::of(&object.values) }
    }

    #[cold]
    fn missing(&self, what: &'static str) -> Error {
        let end = Span::new(self.object.span.end as usize, self.object.span.end as usize);
        Error { kind: Fault::Expected { expected: what, found: "'}'".to_owned() }, span: end }
    }

    /// Returns the span of the value that was read last.
    fn span(&mut self) -> Span {
        self.cursor.span(self.cursor.at().saturating_sub(1))
    }

    /// Returns the next integer with its span.
    fn int(&mut self) -> Result<Int, Error> {
        let value = self.whole()?;
        Ok(Int { value, span: self.span() })
    }

    #[inline]
    fn whole(&mut self) -> Result<i64, Error> {
        self.cursor.int().ok_or_else(|| self.missing("an integer"))
    }

    /// Returns the next value of an integer member, with a fraction if it has one.
    #[inline]
    fn whole_or_fraction(&mut self) -> Result<f64, Error> {
        self.cursor.int_or_fraction().ok_or_else(|| self.missing("a number"))
    }

    #[inline]
    fn number(&mut self) -> Result<f64, Error> {
        self.cursor.float().ok_or_else(|| self.missing("a number"))
    }

    fn numbers<const N: usize>(&mut self) -> Result<[f64; N], Error> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    /// Returns the next `count` vectors.
    fn vectors<const N: usize>(&mut self, count: usize) -> Result<Vectors<N>, Error> {
        let vectors = self.cursor.vectors(count);
        if vectors.len() < count { Err(self.missing("a number")) } else { Ok(vectors) }
    }

    fn text(&mut self) -> Result<Text<'a>, Error> {
        let bytes = self.cursor.text().ok_or_else(|| self.missing("a string"))?.clone();
        Ok(Text { bytes, span: self.span() })
    }

    /// Returns the next count, limited to the values left.
    fn count(&mut self) -> Result<usize, Error> {
        let count = self.whole()?;
        let left = self.object.values.len().saturating_sub(self.cursor.at());
        Ok(usize::try_from(count).unwrap_or(0).min(left))
    }
}

/// Named objects of a file.
#[derive(Default)]
struct Names<'t, 'a> {
    /// First object of each name in file order.
    any: HashMap<&'t [u8], &'t Object<'a>>,
    frames: HashMap<&'t [u8], &'t Object<'a>>,
    meshes: HashMap<&'t [u8], &'t Object<'a>>,
    materials: HashMap<&'t [u8], &'t Object<'a>>,
    guids: HashMap<Guid, &'t Object<'a>>,
}

/// Type of object that a reference can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    Frame,
    Mesh,
    Material,
}

impl<'t, 'a> Names<'t, 'a> {
    fn collect(tree: &'t Tree<'a>) -> Self {
        let mut names = Self::default();
        tree.objects.iter().for_each(|object| names.add(object));
        names
    }

    /// Adds an object and its children, up to a depth of [`super::MAX_DEPTH`].
    fn add(&mut self, object: &'t Object<'a>) {
        if let Some(guid) = object.guid {
            self.guids.entry(guid).or_insert(object);
        }
        if let Some(name) = &object.name {
            self.any.entry(&name.bytes).or_insert(object);
            let of_type = [("Frame", &mut self.frames), ("Mesh", &mut self.meshes), ("Material", &mut self.materials)];
            for (type_name, map) in of_type {
                if object.is(type_name) {
                    map.entry(&name.bytes).or_insert(object);
                }
            }
        }
        object.objects().for_each(|child| self.add(child));
    }

    /// Returns the object of the wanted type that a reference names. The name takes precedence over the identifier.
    fn resolve(&self, reference: &Reference<'a>, wanted: TargetKind) -> Option<&'t Object<'a>> {
        let (map, type_name) = match wanted {
            TargetKind::Frame => (&self.frames, "Frame"),
            TargetKind::Mesh => (&self.meshes, "Mesh"),
            TargetKind::Material => (&self.materials, "Material"),
        };
        let named = reference.name.as_ref().and_then(|name| map.get(&*name.bytes).copied());
        let identified = || reference.guid.and_then(|guid| self.guids.get(&guid).copied());
        named.or_else(identified).filter(|object| object.is(type_name))
    }

    /// Returns the object that a reference names, of any type.
    fn any(&self, reference: &Reference<'a>) -> Option<&'t Object<'a>> {
        let named = reference.name.as_ref().and_then(|name| self.any.get(&*name.bytes).copied());
        named.or_else(|| reference.guid.and_then(|guid| self.guids.get(&guid).copied()))
    }
}

struct Lower<'r, 't, 'a> {
    names: &'r Names<'t, 'a>,
    templates: &'r Templates,
    log: &'r mut FaultLog,
    document: Document<'a>,
    /// First frame of each name.
    frames: HashMap<Vec<u8>, usize>,
    /// Indices of meshes and materials by the start of their objects' spans.
    meshes: HashMap<u32, usize>,
    materials: HashMap<u32, usize>,
}

/// Types that only Direct3D itself can read.
const UNSUPPORTED: [&str; 5] = ["CompressedAnimationSet", "PatchMesh", "PatchMesh9", "ProgressiveMesh", "PMInfo"];

impl<'t, 'a> Lower<'_, 't, 'a> {
    fn file(&mut self, tree: &Tree<'a>) -> Result<(), Error>
    where
        'a: 't,
    {
        for object in &tree.objects {
            self.log.enter();
            self.check_references(object)?;
        }
        for object in laid_out(&tree.objects, "Frame") {
            self.frame(object, None)?;
        }
        for object in laid_out(&tree.objects, "Material") {
            self.material(object)?;
        }
        self.top_level_meshes(tree)?;
        self.find_bones()?;
        for object in tree.objects.iter().filter(|object| object.unread.is_none()) {
            self.log.enter();
            self.top_level(object)?;
        }
        Ok(())
    }

    /// Reads from objects. If one of them has a slip, what is found wrong follows from it, and only the slip counts.
    fn unless_slipped<T>(
        &mut self,
        objects: &[&Object<'a>],
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mark = self.log.mark();
        let result = read(self);
        let Some(slip) = objects.iter().find_map(|object| object.slip.as_deref()) else { return result };
        self.log.rewind(mark);
        result.map_err(|_| slip.clone())
    }

    /// Returns the slip in an object's values that led to an error about them, or the error itself.
    fn slip_before(&self, object: &Object<'a>, error: Error) -> Error {
        if !self.log.lenient() {
            return error;
        }
        recount(self.templates, object).into_iter().next().unwrap_or(error)
    }

    fn top_level(&mut self, object: &Object<'a>) -> Result<(), Error> {
        let mut values = Members::of(object);
        if object.is("Header") && self.document.header.is_none() {
            let (major, minor, flags) = (values.int()?, values.int()?, values.int()?);
            self.document.header = Some(Header { major, minor, flags });
        } else if object.is("AnimTicksPerSecond") {
            let Ok(ticks) = values.int() else { return Ok(()) };
            if ticks.value == 0 {
                self.log.fault(Fault::ZeroTicks, ticks.span)?;
            }
            self.document.ticks_per_second.push(ticks);
        } else if object.is("RightHanded") {
            let right_handed = values.int()?;
            if right_handed.value != 0 {
                self.log.fault(Fault::RightHanded, right_handed.span)?;
            }
        } else if object.is("AnimationSet") {
            let set = self.animation_set(object)?;
            self.document.animation_sets.push(set);
        } else if object.is("Animation") {
            self.log.fault(Fault::LooseAnimation, object.type_name.span)?;
            let animation = self.animation(object)?;
            self.document.loose_animations.push(animation);
        }
        Ok(())
    }

    /// Reports unresolved and forward references inside an object.
    fn check_references(&mut self, object: &Object<'a>) -> Result<(), Error> {
        if UNSUPPORTED.iter().any(|unsupported| object.is(unsupported)) {
            let fault = Fault::Unsupported { object: quote(&object.type_name.bytes) };
            self.log.fault(fault, object.type_name.span)?;
        }
        for child in &object.children {
            match child {
                Child::Object(child) => self.check_references(child)?,
                Child::Reference(reference) => {
                    let name = display(reference);
                    match self.names.any(reference) {
                        None => self.log.fault(Fault::UnresolvedReference { name }, reference.span)?,
                        Some(target) if target.span.start > reference.span.start => {
                            self.log.fault(Fault::ForwardReference { name }, reference.span)?;
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn frame(&mut self, object: &Object<'a>, parent: Option<usize>) -> Result<(), Error> {
        self.log.enter();
        let index = self.document.frames.len();
        let mut matrices: Vec<Matrix> = Vec::new();
        for matrix in known_children(object, "FrameTransformMatrix") {
            if !matrices.is_empty() {
                self.log.fault(Fault::SecondMatrix, matrix.type_name.span)?;
            }
            matrices.push(Members::of(matrix).numbers()?);
        }
        if let Some(name) = &object.name {
            if self.frames.contains_key(&*name.bytes) {
                self.log.fault(Fault::DuplicateFrame { name: quote(&name.bytes) }, name.span)?;
            } else {
                self.frames.insert(name.bytes.to_vec(), index);
            }
        }
        self.document.frames.push(Frame { name: object.name.clone(), parent, matrices, span: object.span });
        for child in &object.children {
            match child {
                Child::Object(child) if child.unread.is_some() => {}
                Child::Object(child) if child.is("Frame") => self.frame(child, Some(index))?,
                Child::Object(child) if child.is("Mesh") => self.use_mesh(child, Some(index), child.span)?,
                Child::Object(_) => {}
                Child::Reference(reference) => match self.names.resolve(reference, TargetKind::Mesh) {
                    Some(mesh) => self.use_mesh(mesh, Some(index), reference.span)?,
                    None => self.useless(reference)?,
                },
            }
        }
        Ok(())
    }

    /// Reports a reference to an object of the wrong type.
    fn useless(&mut self, reference: &Reference<'a>) -> Result<(), Error> {
        match self.names.any(reference) {
            Some(_) => self.log.fault(Fault::UselessReference { name: display(reference) }, reference.span),
            // A missing object was already reported.
            None => Ok(()),
        }
    }

    fn use_mesh(&mut self, object: &Object<'a>, frame: Option<usize>, span: Span) -> Result<(), Error> {
        let mesh = match self.meshes.get(&object.span.start) {
            Some(&mesh) => mesh,
            None => {
                let mesh = self.mesh(object)?;
                self.document.meshes.push(mesh);
                self.meshes.insert(object.span.start, self.document.meshes.len() - 1);
                self.document.meshes.len() - 1
            }
        };
        self.document.mesh_uses.push(MeshUse { mesh, frame, span });
        Ok(())
    }

    /// Meshes at top level are drawn once, unless a frame refers to them (docs/formats/x.md "Frames").
    fn top_level_meshes(&mut self, tree: &Tree<'a>) -> Result<(), Error> {
        for object in laid_out(&tree.objects, "Mesh") {
            if !self.meshes.contains_key(&object.span.start) {
                self.use_mesh(object, None, object.span)?;
            }
        }
        Ok(())
    }

    /// Connects skin weights with frames.
    fn find_bones(&mut self) -> Result<(), Error> {
        for mesh in &mut self.document.meshes {
            self.log.enter();
            for weights in &mut mesh.skin_weights {
                weights.frame = self.frames.get(&*weights.bone.bytes).copied();
                if weights.frame.is_none() {
                    let fault = Fault::BoneMissing { bone: quote(&weights.bone.bytes) };
                    self.log.fault(fault, weights.bone.span)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the index of a material in the document. Adds the material if it is new.
    fn material(&mut self, object: &Object<'a>) -> Result<usize, Error> {
        if let Some(&material) = self.materials.get(&object.span.start) {
            return Ok(material);
        }
        let mut values = Members::of(object);
        let mut material = Material {
            name: object.name.clone(),
            // Values that were cut off count as missing.
            face_color: values.numbers().unwrap_or([1.0; 4]),
            power: values.number().unwrap_or_default(),
            specular: values.numbers().unwrap_or_default(),
            emissive: values.numbers().unwrap_or_default(),
            textures: Vec::new(),
            effect: None,
            span: object.span,
        };
        for child in object.objects().filter(|child| child.unread.is_none()) {
            if is_texture(child) {
                let filename = Members::of(child).text()?;
                material.textures.push(Texture { kind: child.type_name.clone(), filename });
            } else if child.is("EffectInstance") {
                material.effect = Some(effect(child)?);
            }
        }
        self.document.materials.push(material);
        self.materials.insert(object.span.start, self.document.materials.len() - 1);
        Ok(self.document.materials.len() - 1)
    }
}

fn is_texture(object: &Object<'_>) -> bool {
    ["TextureFilename", "NormalmapFilename", "BumpMapFilename", "EmissiveMapFilename", "LightMapFilename"]
        .iter()
        .any(|kind| object.is(kind))
}

fn effect<'a>(object: &Object<'a>) -> Result<EffectInstance<'a>, Error> {
    let mut effect = EffectInstance { filename: Members::of(object).text()?, parameters: Vec::new() };
    for child in object.objects().filter(|child| child.unread.is_none()) {
        let mut values = Members::of(child);
        let parameter = if child.is("EffectParamFloats") {
            let name = values.text()?;
            let count = values.count()?;
            let floats: Result<_, _> = (0..count).map(|_| values.number()).collect();
            EffectParameter { name, value: EffectValue::Floats(floats?) }
        } else if child.is("EffectParamString") {
            EffectParameter { name: values.text()?, value: EffectValue::Text(values.text()?) }
        } else if child.is("EffectParamDWord") {
            EffectParameter { name: values.text()?, value: EffectValue::Dword(values.int()?) }
        } else {
            continue;
        };
        effect.parameters.push(parameter);
    }
    Ok(effect)
}

/// Returns `None` for an object whose values were cut off, which was reported when it was laid out.
fn known<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error { kind: Fault::Expected { .. }, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the objects of a type that could be laid out.
fn laid_out<'o, 'a>(objects: &'o [Object<'a>], type_name: &'static str) -> impl Iterator<Item = &'o Object<'a>> {
    objects.iter().filter(move |object| object.unread.is_none() && object.is(type_name))
}

fn known_children<'o, 'a>(object: &'o Object<'a>, type_name: &'static str) -> impl Iterator<Item = &'o Object<'a>> {
    object.objects().filter(move |child| child.unread.is_none() && child.is(type_name))
}

/// Returns the span of the type's word at the beginning of an object.
fn head(span: Span, type_name: &str) -> Span {
    let end = span.start.saturating_add(type_name.len() as u32);
    Span { start: span.start, end: end.min(span.end) }
}

/// Returns the last child of a type, with a fault if there are several.
fn last_child<'o, 'a>(
    object: &'o Object<'a>,
    type_name: &'static str,
    log: &mut FaultLog,
) -> Result<Option<&'o Object<'a>>, Error> {
    let mut last = None;
    for child in known_children(object, type_name) {
        if last.is_some() {
            log.fault(Fault::RepeatedChild { object: type_name.to_owned() }, child.type_name.span)?;
        }
        last = Some(child);
    }
    Ok(last)
}

/// Formats a reference for a message.
fn display(reference: &Reference<'_>) -> String {
    match (&reference.name, reference.guid) {
        (Some(name), _) => quote(&name.bytes),
        (None, Some(guid)) => format!("<{guid}>"),
        (None, None) => String::new(),
    }
}
