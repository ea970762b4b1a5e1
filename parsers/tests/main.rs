//! The readers and writers of all formats: numbered cases, real files, arbitrary bytes, write then read.

mod corpus;
mod decl;
mod md5;
mod x;
