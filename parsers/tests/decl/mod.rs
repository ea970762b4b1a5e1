//! Decls in real files and in noise.

mod corpus;
mod robust;
