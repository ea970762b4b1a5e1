//! Readers and writers for the two formats: bytes in, faithful documents out.
//!
//! - [`md5`]: Doom 3's `.md5mesh`, `.md5anim` and `.md5camera`.
//! - [`x`]: DirectX `.x`, text and binary, plain and compressed.
//!
//! A document uses the file's own words and keeps what the file says: order of appearance, written record
//! numbers, raw quaternions, and where every item stands ([`Span`]). Nothing here knows a maths type, opens a
//! file or prints. Input is bytes, never assumed to be UTF-8.
//!
//! Promises on bad input: no panic, no hang, no recursion, no reservation that the bytes left cannot justify; each
//! defect is one variant of an error with its [`Span`], each repair of the lenient reading one
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

pub mod md5;
pub mod position;
pub mod x;

pub use position::{LineIndex, Position, Span};
