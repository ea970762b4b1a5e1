//! Tests DirectX .x with numbered cases, real files, round trips and hostile input.

mod cases;
mod compressed;
mod corpus;
mod documents;
mod robust;
mod roundtrip;
mod support;
