//! DirectX .x: the numbered cases of x.md, real files, round trips, hostile bytes.

mod cases;
mod compressed;
mod documents;
mod support;
