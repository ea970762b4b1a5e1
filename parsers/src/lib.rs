//! Readers and writers for the two formats, and readers for what id Tech 4 keeps beside them: bytes in, faithful
//! documents out.
//!
//! - [`md5`]: Doom 3's `.md5mesh`, `.md5anim` and `.md5camera`.
//! - [`decl`]: id Tech 4's declarations: materials, image programs, tables, skins, model decls, entityDefs.
//! - [`x`]: DirectX `.x`, text and binary, plain and compressed.
//!
//! A document uses the file's own words and keeps what the file says: order of appearance, written record
//! numbers, raw quaternions, and where every item stands ([`Span`]). Nothing here knows a maths type, opens a
//! file or prints. Input is bytes, never assumed to be UTF-8.
//!
//! The scanners, which take a number, a name or a block's header off the input, are made with nom. What goes around
//! them is written by hand, because a file with an error must still be read as far as it makes sense: the order of
//! sections, the repairs, and the way back to solid ground.
//!
//! Promises on bad input: no panic, no hang, no reservation that the bytes left cannot justify, and no recursion but
//! over the objects of a `.x` file, which may be nested [`x::MAX_DEPTH`] deep, and over its templates, which may be
//! nested 32 deep; each defect is one variant of an error with its [`Span`], each repair of the lenient reading one
//! [`Warning`](md5::Warning). Every index in a document that was read is in range unless its field says otherwise,
//! and every number is finite.
//!
//! ```
//! use bindpose_parsers::{LineIndex, md5};
//!
//! let bytes = b"MD5Version 10 commandline x numJoints 1 numMeshes 0 joints { \"origin\" -1 (0 0 0) (0 0 0,5) }";
//! let lines = LineIndex::new(bytes);
//! let parsed = md5::parse_mesh(bytes)?;
//! assert_eq!(parsed.document.joints[0].rotation, [0.0, 0.0, 0.5]);
//! for warning in &parsed.warnings {
//!     println!("{}: {}", lines.position(warning.span.start), warning.kind);
//! }
//! # Ok::<(), md5::Error>(())
//! ```

pub mod decl;
pub mod md5;
mod name;
mod number;
pub mod position;
pub mod x;

pub use name::{counted, decode_name};
pub use position::{LineIndex, Position, Span};
