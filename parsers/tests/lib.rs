//! Tests the readers and writers of all formats with numbered cases, real files, random input and round trips.

#![cfg(test)]
#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod corpus;
mod decl;
mod md5;
mod x;
