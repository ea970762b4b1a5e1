//! What the player and `info` say while they read and import a file; `validate` has codes of its own for most of it.

use super::Rule;
use bindpose_core::diagnostic::Severity::{Info, Warning};

const MD5: &[&str] = &["MD5I"];
const X: &[&str] = &["XFI"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefixes: &["MD5M", "MD5A", "MD5C", "XF"],
        number: 0,
        name: "as-read",
        severity: Info,
        title: "what a lenient reading repaired, or why it gave up",
        why: "The message says it; `bindpose validate` reports the same under a code of its own, with what each engine \
              does.",
        fix: "run `bindpose validate` on the file",
    },
    rule(
        MD5,
        1,
        "quaternion-over-unit",
        "x² + y² + z² of a quaternion exceeds 1, so that w is taken as 0",
        "export again",
    ),
    rule(
        MD5,
        2,
        "parent-cut",
        "a joint's parent leads back to it or is no joint, so that it is taken as a root",
        "mend the parents",
    ),
    rule(
        MD5,
        3,
        "joints-sorted",
        "a joint stands before its parent, so that joints are put in order",
        "write parents before their children",
    ),
    rule(
        MD5,
        4,
        "weights-disagree",
        "the weights of a vertex disagree about its place in the bind pose",
        "export again from the bind pose",
    ),
    rule(
        MD5,
        10,
        "nothing-in-common",
        "no joint of the animation is a joint of the mesh",
        "give the clips of this mesh",
    ),
    rule(
        MD5,
        11,
        "hierarchies-differ",
        "mesh and animation disagree about a joint",
        "export both from the same skeleton",
    ),
    rule(
        MD5,
        12,
        "no-frame-rate",
        "the frame rate is 0 or less, so that another is taken",
        "write the rate that is meant",
    ),
    rule(X, 1, "last-column", "the last column of a frame's matrix is not 0 0 0 1", "export again without projection"),
    rule(X, 2, "nothing-to-show", "a file has neither frame nor mesh", ""),
    rule(X, 3, "clips-alone", "a file has animations but no frames", "give the model's file, too"),
    rule(X, 10, "second-set-of-name", "two animation sets share a name", "rename one"),
    rule(
        X,
        11,
        "ticks-guessed",
        "the tick rate is not in the file and is guessed",
        "write AnimTicksPerSecond, or use --ticks-per-second",
    ),
    rule(X, 12, "strange-frames", "animations move frames that are not there", "give the model that they belong to"),
    rule(
        X,
        13,
        "rotation-without-length",
        "a rotation key has no length, so that it is taken for no turn",
        "export again",
    ),
    rule(
        X,
        14,
        "set-moves-nothing",
        "an animation set moves nothing of this model",
        "give the model that it belongs to",
    ),
    rule(X, 20, "mesh-without-faces", "a mesh has no faces", ""),
    rule(X, 21, "normals-inside-out", "normals point to the back of triangles", "turn the faces or the normals around"),
];

const fn rule(
    prefixes: &'static [&'static str],
    number: u16,
    name: &'static str,
    title: &'static str,
    fix: &'static str,
) -> Rule {
    let why = "The player shows the file all the same; the message says how.";
    Rule { prefixes, number, name, severity: Warning, title, why, fix }
}
