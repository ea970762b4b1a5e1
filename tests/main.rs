//! Tests that need more than one package or the program itself, in one binary with a folder per subject.
//!
//! Parts that need pixels or a window are left out without their features.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod support;

#[cfg(unix)]
mod action;
mod architecture;
#[cfg(target_os = "linux")]
mod bundle;
mod cli;
mod conformance;
mod dump;
mod engines;
mod examples;
#[cfg(target_os = "linux")]
mod extension;
mod faults;
mod formats;
mod fuzzing;
mod game;
mod generate;
#[cfg(unix)]
mod hostile;
mod left_out;
mod load;
mod prose;
mod runtime;
mod surface;
mod upstream;
#[cfg(feature = "window")]
mod window;

mod export {
    mod baked;
    mod convert;
    mod encodings;
    mod gltf;
    mod gltf_cases;
    mod gltf_import;
    mod reader;
    mod x_programs;
}
mod md5 {
    mod golden;
    mod matching;
    mod playback;
}
#[cfg(feature = "render")]
mod render {
    mod command;
    mod dialects;
    mod headless;
    mod player;
    mod surfaces;
}
mod samples {
    mod agree;
    mod engines;
    mod regenerate;
}
mod skin {
    #[cfg(feature = "render")]
    mod agrees;
    mod batches;
    #[cfg(feature = "render")]
    mod cli;
    #[cfg(feature = "render")]
    mod crowd;
    mod docs;
    #[cfg(feature = "render")]
    mod examples;
}
mod snapshot {
    mod bytes;
    mod command;
    mod compare;
    mod corpus;
    mod edits;
    mod figure;
    #[cfg(unix)]
    mod keyboard;
    mod other_formats;
    mod parts;
    mod take;
}
mod validate {
    mod cases;
    mod causes;
    mod cli;
    mod consistent;
    mod corpus;
    mod damaged;
    mod damaged_motion;
    mod decls;
    mod docs;
    mod doom3;
    mod drawn;
    mod engines;
    mod fix;
    mod hexenwail;
    mod lines;
    mod lints;
    mod loaders;
    mod motion;
    mod quake;
    mod real;
    mod reports;
    mod robust;
    mod score;
    mod spawn;
    mod x;
    mod x_causes;
    mod x_engines;
}
mod vfs {
    mod command;
    mod quake;
    mod replacements;
    mod search;
}
mod x {
    mod corpus;
    mod golden;
    mod import;
    mod robust;
}
