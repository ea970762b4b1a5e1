//! The conformance suite: small files, one for each rule of MD5 and `.x`, and the score of a loader that reads them.

#![forbid(unsafe_code)]

mod encode;
pub mod engines;
pub mod library;
pub mod reading;
pub mod score;
pub mod subject;
pub mod suite;
pub mod write;
