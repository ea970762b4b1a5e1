//! DirectX .x: text and binary, plain and compressed.
//!
//! Reading has four steps. [`unpack`] reads the header and decompresses. A lexer turns text and binary files into the
//! same stream of tokens. Templates, both the standard ones and the file's own, arrange the tokens as a [`Tree`] of all
//! objects. The [`Document`] contains the parts that describe models, in the file's words and units.
//!
//! There are two readings with the same code. *Strict* accepts what D3DX accepts and stops at the first fault that D3DX
//! refuses. *Lenient* reads everything that a player should still show. Each repair is a [`Warning`] with D3DX's answer
//! ([`Fault::d3dx`]). docs/formats/x.md describes the format.
//!
//! Spans count bytes of [`Unpacked::bytes`]: of the file itself if it is not compressed, else of the file as it would
//! be uncompressed, header included.
//!
//! Limits: [`MAX_DEPTH`], [`MAX_OBJECTS`], and the argument of [`unpack_within`].
//!
//! # Example
//!
//! ```
//! use bindpose_parsers::{LineIndex, x};
//!
//! let bytes = b"xof 0303txt 0032 Frame Root { Frame Hip { } Lamp { 5; } }";
//! let file = x::unpack(bytes, x::Reading::Lenient)?; // decompresses, if it is compressed
//! let parsed = x::parse(&file, x::Reading::Lenient)?;
//! assert_eq!(parsed.document.frames[1].parent, Some(0));
//! let lines = LineIndex::new(&file.bytes);
//! for warning in &parsed.warnings {
//!     println!("{}: {}", lines.position(warning.span.start), warning.kind); // no template 'Lamp'
//! }
//! let binary = x::write(&parsed.document, x::Encoding::BINARY.compressed());
//! assert!(binary.starts_with(b"xof 0303bzip0032"));
//! # Ok::<(), x::Error>(())
//! ```

mod binary;
mod catalogue;
mod compose;
mod document;
mod envelope;
mod fault;
mod inflate;
mod layout;
mod lexeme;
mod lower;
mod numbers;
mod report;
mod stream;
mod syntax;
mod template;
mod text;
mod token;
mod tree;
mod values;
mod vertex_data;
mod write;

pub use crate::md5::{Int, Text};
pub use catalogue::standard_templates;
pub use document::{
    Animation, AnimationKey, AnimationOptions, AnimationSet, DeclData, Document, EffectInstance, EffectParameter,
    EffectValue, Faces, Frame, FvfData, Header, KeyKind, Material, Matrix, Mesh, MeshMaterialList, MeshNormals,
    MeshTextureCoords, MeshUse, MeshVertexColors, SkinWeights, Target, Texture, VertexDuplicationIndices,
    VertexElement, XSkinMeshHeader,
};
pub use envelope::{BodyFormat, Encoding, FloatSize, Unpacked, unpack, unpack_within};
pub use fault::{D3dxError, Fault};
pub use lexeme::{Lexeme, Lexemes};
pub use numbers::{Numbers, Vectors};
pub use report::{Error, MORE_PLACES, Warning};
pub use template::{Allowed, Dimension, Member, MemberKind, Primitive, Template, is_keyword};
pub use token::Guid;
pub use tree::{Child, Object, Reference, Tree};
pub use values::{Datum, Value, Values};
pub use vertex_data::{USAGE_BINORMAL, USAGE_COLOR, USAGE_NORMAL, USAGE_TANGENT, USAGE_TEXCOORD};
pub use write::{write, write_tree};

use report::FaultLog;
use stream::Tokens;

/// Maximum nesting depth of objects. Real skeletons need much less.
pub const MAX_DEPTH: usize = 256;
/// Maximum number of objects, references and templates in one file.
pub const MAX_OBJECTS: usize = 500_000;
/// Limit of [`unpack`] in unpacked bytes: 64 MiB, several times the size of a large model. A parsed file of this size
/// never needs more than 2 GiB of memory.
pub const MAX_UNPACKED: usize = 64 << 20;
/// Maximum number of bytes of memory that an unpacked file and [`parse`] need for each of its bytes. A value and its
/// separator take at least two bytes of text. They take eight bytes in the tree and at most as many in the document,
/// which shares most numbers with the tree. The rest is for growing lists. [`MAX_OBJECTS`] limits objects.
pub const MEMORY_PER_BYTE: usize = 24;

/// Strictness of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reading {
    /// Accepts all files that a player should still show.
    #[default]
    Lenient,
    /// Accepts the files that D3DX accepts.
    Strict,
}

/// File and the repairs needed to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<'a> {
    /// Content that describes models.
    pub document: Document<'a>,
    /// All objects, known or not.
    pub tree: Tree<'a>,
    /// Repairs. They do not include [`Unpacked::warnings`].
    pub warnings: Vec<Warning>,
}

/// Reads an unpacked file.
///
/// # Errors
/// In the strict reading the first fault that D3DX refuses, in the lenient one the first that cannot be repaired.
/// Spans refer to [`Unpacked::bytes`].
pub fn parse<'a>(file: &'a Unpacked<'_>, reading: Reading) -> Result<Parsed<'a>, Error> {
    let (read, warnings) = read(file, reading);
    read.map(|(document, tree)| Parsed { document, tree, warnings })
}

/// Reads as [`parse`] does. An error comes with the warnings before it.
pub fn read<'a>(file: &'a Unpacked<'_>, reading: Reading) -> (Result<(Document<'a>, Tree<'a>), Error>, Vec<Warning>) {
    let mut log = FaultLog::new(reading);
    let tokens = Tokens::new(&file.bytes, file.body, file.encoding);
    let read = syntax::tree(tokens, &mut log)
        .and_then(|(tree, templates)| Ok((lower::document(&tree, &templates, &mut log)?, tree)));
    (read, log.into_warnings())
}
