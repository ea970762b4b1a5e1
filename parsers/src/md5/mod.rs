//! The MD5 family of id Tech 4: `.md5mesh`, `.md5anim`, `.md5camera`.
//!
//! [`parse_mesh`], [`parse_anim`] and [`parse_camera`] read leniently: every quirk that some exporter produces or
//! some engine takes loads, with a [`Warning`] for each. What a strict reader would say can be told from the
//! warnings and from what the document keeps (written counts, record numbers, places).
//!
//! [`write_mesh`], [`write_anim`] and [`write_camera`] write what every reader takes.

mod anim;
mod camera;
mod error;
mod lex;
mod mesh;
mod number;
mod read;
mod text;
mod warning;
mod write;

pub use anim::{AnimFile, Bounds, Channel, Frame, JointPose};
pub use camera::{CameraFile, CameraFrame};
pub use error::{Error, ErrorKind, FileKind};
pub use mesh::{Joint, Mesh, MeshFile, Tri, Vert, Weight};
pub use read::{parse_anim, parse_camera, parse_mesh};
pub use warning::{Parsed, Warning, WarningKind};
pub use write::{write_anim, write_camera, write_mesh};

use crate::Span;
use std::borrow::Cow;

/// A piece of text as the file holds it: bytes, because names are not always UTF-8.
#[derive(Debug, Clone, PartialEq)]
pub struct Text<'a> {
    /// The bytes without quotes; owned only where adjacent strings were joined.
    pub bytes: Cow<'a, [u8]>,
    /// From the first quote or letter to the last.
    pub span: Span,
}

impl Text<'_> {
    /// For people and for the model: as [`decode_name`](crate::decode_name) reads it.
    pub fn to_name(&self) -> String {
        crate::decode_name(&self.bytes).into_owned()
    }
}

/// Text without a place in any file, for writing.
impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self { bytes: Cow::Borrowed(text.as_bytes()), span: Span::default() }
    }
}

/// An integer as written (a count, an index, a rate), and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int {
    /// The value as a lenient reader takes it.
    pub value: i64,
    /// The number's own bytes, or where it would have stood when `value` is a default.
    pub span: Span,
}

/// A number without a place in any file, for writing.
impl From<u32> for Int {
    fn from(value: u32) -> Self {
        Self { value: value.into(), span: Span::default() }
    }
}
