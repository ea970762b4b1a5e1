//! Tests of decls in real files and in random input.

mod corpus;
mod robust;
