//! Readers and writers for the two formats: bytes in, faithful documents out.
//!
//! - [`md5`]: Doom 3's `.md5mesh`, `.md5anim` and `.md5camera`.
//! - [`x`]: DirectX `.x`, text and binary, plain and compressed.
//!
//! A document uses the file's own words and keeps what the file says: order of appearance, written record
//! numbers, raw quaternions, and where every item stands ([`Span`]). Nothing here knows a maths type, opens a
//! file or prints. Input is bytes, never assumed to be UTF-8.
//!
//! Promises on bad input: no panic, no hang, no reservation that the bytes left cannot justify; each defect is
//! one variant of an error with its [`Span`], each repair of the lenient reading one [`Warning`](md5::Warning).

pub mod md5;
pub mod position;
pub mod x;

pub use position::{LineIndex, Position, Span};
