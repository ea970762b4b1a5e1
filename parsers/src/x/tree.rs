//! Objects of a file as they are written, before the document gives them a meaning.

use super::Text;
use super::report::Error;
use super::template::{Template, text as text_at};
use super::token::Guid;
use super::values::{Datum, Value, Values};
use crate::Span;

/// All objects of a file, in order, including objects that the document does not know.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree<'a> {
    /// Templates that the file declares anywhere.
    pub templates: Vec<Template<'a>>,
    /// Objects at top level.
    pub objects: Vec<Object<'a>>,
}

/// `Type name { <guid> values… children… }`
#[derive(Debug, Clone, PartialEq)]
pub struct Object<'a> {
    /// Type as written. Case does not matter.
    pub type_name: Text<'a>,
    /// Name. Case matters.
    pub name: Option<Text<'a>>,
    /// Identifier of this object.
    pub guid: Option<Guid>,
    /// All values in the order of the template, without structure. Empty if no template is known.
    pub values: Values<'a>,
    /// Objects and references after the values.
    pub children: Vec<Child<'a>>,
    /// Bytes between the braces of an object that could not be laid out. Writing keeps its tokens.
    pub unread: Option<Span>,
    /// Wrong count or entry among the values, so that not all of them are what was meant. Only in the lenient reading.
    pub slip: Option<Box<Error>>,
    /// Position from the type to the closing brace.
    pub span: Span,
}

/// Child of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Child<'a> {
    /// An object.
    Object(Object<'a>),
    /// `{name}`, `{<guid>}` or `{name <guid>}`.
    Reference(Reference<'a>),
}

/// Reference to another object.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference<'a> {
    /// Name of the object.
    pub name: Option<Text<'a>>,
    /// Identifier of the object.
    pub guid: Option<Guid>,
    /// Position from brace to brace.
    pub span: Span,
}

impl<'a> Tree<'a> {
    /// Returns the objects of all levels, the last one first, each before the objects inside it.
    pub fn all_objects(&self) -> impl Iterator<Item = &Object<'a>> {
        let mut open: Vec<&Object<'a>> = self.objects.iter().collect();
        std::iter::from_fn(move || {
            let object = open.pop()?;
            open.extend(object.objects());
            Some(object)
        })
    }
}

impl<'a> Object<'a> {
    /// Creates an object without a position, for writing.
    pub fn new(type_name: &'static str) -> Self {
        Self {
            type_name: text_at(type_name.as_bytes(), Span::default()),
            name: None,
            guid: None,
            values: Values::default(),
            children: Vec::new(),
            unread: None,
            slip: None,
            span: Span::default(),
        }
    }

    /// True if the object has this type. Case does not matter.
    pub fn is(&self, type_name: &str) -> bool {
        self.type_name.bytes.eq_ignore_ascii_case(type_name.as_bytes())
    }

    /// Returns the child objects without references.
    pub fn objects(&self) -> impl Iterator<Item = &Object<'a>> {
        self.children.iter().filter_map(|child| match child {
            Child::Object(object) => Some(object),
            Child::Reference(_) => None,
        })
    }

    /// Returns the spans of the faces of a `Mesh` or `MeshNormals`, each from its number of corners to the last one.
    /// Reads the file's words again.
    pub fn face_spans(&self) -> impl Iterator<Item = Span> {
        let mut values = self.values.iter();
        let count = |value: Value<'a>| match value.datum {
            Datum::Integer(count) => usize::try_from(count).unwrap_or(0),
            _ => 0,
        };
        let vectors = values.next().map_or(0, count);
        let mut values = values.skip(vectors.saturating_mul(3));
        let faces = values.next().map_or(0, count);
        (0..faces).map_while(move |_| {
            let corners = values.next()?;
            let span = corners.span;
            (0..count(corners)).try_fold(span, |span, _| Some(span.to(values.next()?.span)))
        })
    }
}
