//! The readers and writers of both formats: numbered cases, real files, arbitrary bytes, write then read.

mod corpus;
mod md5;
mod x;
