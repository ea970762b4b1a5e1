//! The MD5 family of id Tech 4: `.md5mesh`, `.md5anim`, `.md5camera`.
//!
//! [`parse_mesh`], [`parse_anim`] and [`parse_camera`] read leniently: every quirk that some exporter writes or some
//! engine accepts loads, with a [`Warning`] for each. A strict reader's verdict follows from the warnings and from what
//! the document keeps (written counts, record numbers, positions).
//!
//! [`write_mesh`], [`write_anim`] and [`write_camera`] write what every reader accepts.
//!
//! # Example
//!
//! ```
//! use bindpose_parsers::{LineIndex, md5};
//!
//! let bytes = b"MD5Version 10 commandline x numJoints 1 numMeshes 0 joints { \"origin\" -1 (0 0 0) (0 0 0,5) }";
//! let parsed = md5::parse_mesh(bytes)?;
//! let lines = LineIndex::new(bytes);
//! for warning in &parsed.warnings {
//!     println!("{}: {}", lines.position(warning.span.start), warning.kind); // the comma in 0,5
//! }
//! let mut mesh = parsed.document;
//! assert_eq!((mesh.joints[0].name.to_name().as_str(), mesh.joints[0].rotation), ("origin", [0.0, 0.0, 0.5]));
//!
//! mesh.joints[0].position = [0.0, 0.0, 24.0];
//! let mut written = Vec::new();
//! md5::write_mesh(&mesh, &mut written)?;
//! assert!(String::from_utf8(written)?.contains("\"origin\"\t-1 ( 0 0 24 ) ( 0 0 0.5 )"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use error::{CODES, Error, ErrorKind, FileKind, MissingRecords};
pub use mesh::{Joint, Mesh, MeshFile, Tri, Vert, Weight};
pub use number::not_finite_length;
pub use read::{parse_anim, parse_camera, parse_hierarchy, parse_joints, parse_mesh, read_anim, read_mesh};
pub use warning::{Parsed, Warning, WarningKind};
pub use write::{write_anim, write_block, write_camera, write_mesh};

use crate::Span;
use std::borrow::Cow;

/// Text of the file as bytes, because names are not always UTF-8.
#[derive(Debug, Clone, PartialEq)]
pub struct Text<'a> {
    /// Text without quotes. Owned only if adjacent strings were joined.
    pub bytes: Cow<'a, [u8]>,
    /// Position from the first quote or letter to the last.
    pub span: Span,
}

impl Text<'_> {
    /// Decodes the bytes with [`decode_name`](crate::decode_name).
    pub fn to_name(&self) -> String {
        crate::decode_name(&self.bytes).into_owned()
    }
}

/// Text without a position, for writing.
impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self { bytes: Cow::Borrowed(text.as_bytes()), span: Span::default() }
    }
}

/// Integer (a count, an index, a rate) and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int {
    /// Value in the lenient reading.
    pub value: i64,
    /// Bytes of the number, or the point where it is missing if `value` is a default.
    pub span: Span,
}

/// A number without a position, for writing.
impl From<u32> for Int {
    fn from(value: u32) -> Self {
        Self { value: value.into(), span: Span::default() }
    }
}
