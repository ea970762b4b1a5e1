//! Readers and writers of MD5 and DirectX `.x`, and readers of id Tech 4's declarations: bytes in, faithful documents
//! out.
//!
//! - [`md5`]: Doom 3's `.md5mesh`, `.md5anim` and `.md5camera`, [with an example](md5#example).
//! - [`decl`]: id Tech 4's declarations: materials, image programs, tables, skins, model decls, entityDefs.
//! - [`quake`]: `.mdl`, `.md2` and `.md3`, the vertices of every frame.
//! - [`x`]: DirectX `.x`, text and binary, plain and compressed, [with an example](x#example).
//!
//! A document uses the file's own words and keeps what the file says: order of appearance, written record numbers, raw
//! quaternions, and the position of every item ([`Span`]). Nothing here uses a maths library, opens a file or prints.
//! Input is bytes, never assumed to be UTF-8.
//!
//! Scanners of numbers, names and block headers are made with nom. The grammars around them are written by hand,
//! because a file with an error must still be read as far as it makes sense.
//!
//! Promises on bad input: no panic, no hang, no allocation that the remaining bytes do not justify, and no recursion
//! except over the objects of a `.x` file (at most [`x::MAX_DEPTH`] deep) and its templates (at most 32 deep). Each
//! defect is one variant of an error with its [`Span`], each repair of the lenient reading one
//! [`Warning`](md5::Warning). Every index in a document that was read is in range unless its field says otherwise, and
//! every number is finite.

#![forbid(unsafe_code)]

pub mod decl;
pub mod md5;
mod name;
mod number;
pub mod position;
pub mod quake;
pub mod x;

pub use name::{counted, decode_name, decode_shift_jis_by};
pub use position::{LineIndex, Position, Span};

/// True if two texts are equal; for checks at compile time, where `==` cannot be used.
pub const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
