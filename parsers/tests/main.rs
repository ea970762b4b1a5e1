//! The readers and writers of all formats: numbered cases, real files, arbitrary bytes, write then read.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod corpus;
mod decl;
mod md5;
mod x;
