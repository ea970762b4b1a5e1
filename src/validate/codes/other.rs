//! Textures and files.

use super::Rule;
use bindpose_core::diagnostic::Severity::{Error, Hint, Warning};

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefixes: &["TEX"],
        number: 1,
        name: "texture-missing",
        severity: Hint,
        title: "no image is found for a shader or texture name",
        why: "Each engine looks elsewhere: Ironwail and QSS for progs/SHADER_00_00, vkQuake also for the path as \
              written, FTE for .lmp files beside the model, the Quake II engines in the .md2's skin list, Doom 3 for \
              a material of that name and, without one, for an image. The notes list what was tried.",
        fix: "put the image where the engine looks, or use its material files",
    },
    Rule {
        prefixes: &["TEX"],
        number: 2,
        name: "texture-found-loosely",
        severity: Hint,
        title: "the image is found only under another name or in another place",
        why: "The name differs in case, extension or folder: the player shows it, an engine may not.",
        fix: "write the name as the file is called",
    },
    Rule {
        prefixes: &["IO"],
        number: 1,
        name: "unreadable",
        severity: Error,
        title: "a file cannot be read",
        why: "The system's own words follow.",
        fix: "",
    },
    Rule {
        prefixes: &["IO"],
        number: 2,
        name: "unknown-kind",
        severity: Error,
        title: "a file is neither MD5 nor .x",
        why: "The kind is told by the extension, and without a known one by words that only one format has.",
        fix: "",
    },
    Rule {
        prefixes: &["IO"],
        number: 3,
        name: "too-long",
        severity: Error,
        title: "a file is longer than 4 GiB",
        why: "Places in files are kept in 32 bits.",
        fix: "",
    },
    Rule {
        prefixes: &["IO"],
        number: 4,
        name: "wrong-extension",
        severity: Warning,
        title: "a file's extension is not that of its kind",
        why: "Engines choose the loader by the extension; Doom 3's clips must end in `md5anim`.",
        fix: "rename it",
    },
];
