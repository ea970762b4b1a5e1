//! DirectX .x: the numbered cases, real files, round trips, hostile bytes.

mod cases;
mod compressed;
mod corpus;
mod documents;
mod robust;
mod roundtrip;
mod support;
