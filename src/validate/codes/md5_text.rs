//! MD5 files of all kinds: how they are written.

use super::Rule;
use bindpose_core::diagnostic::Severity::{Error, Hint, Info, Warning};

const ALL: &[&str] = &["MD5A", "MD5C", "MD5M"];
const MESH: &[&str] = &["MD5M"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefixes: ALL,
        number: 1,
        name: "version",
        severity: Error,
        title: "MD5Version is not 10",
        why: "Every engine reads version 10 and no other. Version 6 is the Doom 3 alpha (`numbones`), 11 is Enemy \
              Territory: Quake Wars, 12 a Blender fork, 4843 a 3ds Max exporter. Doom 3 compares the value, so \
              `10.0` or `0xA` pass there; the Quake engines compare the text.",
        fix: "export again as version 10; changing the number alone does not change the layout",
    },
    Rule {
        prefixes: ALL,
        number: 2,
        name: "commandline-missing",
        severity: Hint,
        title: "there is no `commandline` line",
        why: "Doom 3 and its relatives, Q2PRO, Daemon and (in clips) FTE demand it; the Quake engines and assimp do \
              not.",
        fix: "add `commandline \"\"` after the MD5Version line; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 3,
        name: "commandline-value",
        severity: Hint,
        title: "the value of `commandline` is not one quoted string",
        why: "Engines read one token after the keyword. Without quotes the second word is taken for the next \
              keyword; FTE skips to the next quote in the file, which is inside the first joint's name.",
        fix: "write `commandline \"…\"`; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 4,
        name: "long-string",
        severity: Hint,
        title: "a string is longer than an engine's token buffer",
        why: "Ironwail and QSS hold 1023 characters, vkQuake 4095. What follows a longer string is lost: the next \
              keyword is found to be empty.",
        fix: "shorten the command line; `--fix` empties it",
    },
    Rule {
        prefixes: ALL,
        number: 5,
        name: "keyword-order",
        severity: Hint,
        title: "sections do not stand in the canonical order",
        why: "Most engines read the keywords in one fixed order: MD5Version, commandline, numJoints, numMeshes, \
              joints, mesh… for meshes; MD5Version, commandline, numFrames, numJoints, frameRate, \
              numAnimatedComponents, hierarchy, bounds, baseframe, frame… for clips.",
        fix: "put the sections in that order; `--fix` does",
    },
    Rule {
        prefixes: MESH,
        number: 6,
        name: "mesh-name",
        severity: Hint,
        title: "a `name` line inside a mesh block",
        why: "Only Doom 3 and its relatives know it. For the Quake engines, FTE, Q2PRO and Daemon the word stands \
              where `shader` must be.",
        fix: "make it a comment",
    },
    Rule {
        prefixes: ALL,
        number: 7,
        name: "count",
        severity: Error,
        title: "a count is below 1 or impossible",
        why: "A clip needs a joint and a frame. A mesh without joints or meshes loads in Doom 3, but no model can \
              use it; elsewhere it is refused. Negative counts are tested almost everywhere, but not all.",
        fix: "",
    },
    Rule {
        prefixes: ALL,
        number: 8,
        name: "syntax",
        severity: Error,
        title: "the text does not follow the grammar",
        why: "Something else stands where the format demands a certain word, number or brace. Doom 3's message \
              names the line where its scanner stands, which can be the one after the culprit.",
        fix: "",
    },
    Rule {
        prefixes: ALL,
        number: 9,
        name: "glued",
        severity: Hint,
        title: "a parenthesis or brace touches its neighbour",
        why: "FTE ends the program, Q2PRO, q2repro and yquake2remaster refuse the file: they split words at blanks \
              only.",
        fix: "put a blank on both sides; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 10,
        name: "line-break",
        severity: Hint,
        title: "a record goes over several lines, or its brace stands on the next one",
        why: "Daemon and ET:Legacy refuse it, the line-based readers of Cube 2 and assimp lose it. Line breaks mean \
              nothing to the others.",
        fix: "keep each joint, vert, tri and weight on one line, and `{` on the keyword's; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 11,
        name: "leading-zero",
        severity: Warning,
        title: "a number begins with 0",
        why: "Doom 3 and the Quake engines read `010` as 8. To Doom 3 `08` is two numbers, 0 and 8, and `00.5` is \
              0 and .5.",
        fix: "strip the zeros; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 12,
        name: "not-finite",
        severity: Error,
        title: "a number is not finite",
        why: "`nan`, `inf`, `1.#IND` and the like come from a division by zero at export; Doom 3 stops at them. \
              Numbers beyond 32-bit floats become infinite in silence. Elsewhere the mesh vanishes.",
        fix: "find the degenerate joint or weight in the modelling program and export again",
    },
    Rule {
        prefixes: ALL,
        number: 13,
        name: "comment",
        severity: Hint,
        title: "a block comment",
        why: "assimp, Cube 2 and yquake2remaster know only `//`. Doom 3 swallows the character right after `*/`, \
              takes `/*/` for a whole comment and warns of `/*` inside one; a comment without end is the end of the \
              file.",
        fix: "write `//` comments; `--fix` leaves comments out",
    },
    Rule {
        prefixes: ALL,
        number: 14,
        name: "unquoted-name",
        severity: Hint,
        title: "a name or shader is not in double quotes, or holds a blank",
        why: "assimp and Cube 2 read names line by line; Cube 2 ends a name at a blank. In single quotes Doom 3 \
              warns: \"literal is not one character long\".",
        fix: "write names in double quotes, without blanks; `--fix` adds the quotes",
    },
    Rule {
        prefixes: ALL,
        number: 15,
        name: "number-spelling",
        severity: Info,
        title: "a number is written so that not every engine reads it",
        why: "`+1`, `1E5`, `0,5` or `12x` are errors in Doom 3 and Q2PRO and are cut off in silence elsewhere; \
              `0.5f` and `10u` pass in Doom 3 only.",
        fix: "write plain decimal numbers; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 16,
        name: "long-line",
        severity: Hint,
        title: "a line has more than 511 characters, or a closing brace is indented",
        why: "Cube 2 reads lines of at most 511 characters and looks for `}` at the beginning of a line.",
        fix: "break frame data after six numbers; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 17,
        name: "unclosed-string",
        severity: Error,
        title: "a string is not closed on its line",
        why: "Doom 3: \"newline inside string\" or \"missing trailing quote\". A backslash is an ordinary character, \
              so `\"a\\\"` is complete at its second quote.",
        fix: "",
    },
    Rule {
        prefixes: ALL,
        number: 18,
        name: "character",
        severity: Warning,
        title: "a character that begins no word",
        why: "Doom 3 knows no token that begins with `@` or a back tick: \"unknown punctuation\". A comma or a \
              semicolon is a token, but none that the format has.",
        fix: "",
    },
    Rule {
        prefixes: ALL,
        number: 19,
        name: "not-ascii",
        severity: Info,
        title: "bytes outside ASCII between words",
        why: "Engines compare signed characters, so that bytes from 0x80 (a byte order mark, an accent) are white \
              space on x86 and an error on ARM. Inside strings they are fine.",
        fix: "save the file without a byte order mark; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 20,
        name: "nul",
        severity: Warning,
        title: "a NUL byte ends the file",
        why: "To every engine the file ends there, whatever follows.",
        fix: "remove it",
    },
    Rule {
        prefixes: ALL,
        number: 21,
        name: "cr-only",
        severity: Warning,
        title: "lines end in CR alone",
        why: "A `//` comment ends at LF: the first one swallows the rest of the file. Without comments the file \
              loads, with every fault in line 1.",
        fix: "write LF or CR LF; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 22,
        name: "keyword-spelling",
        severity: Info,
        title: "a keyword in other case or in quotes",
        why: "Keywords are compared letter by letter except in Daemon. Quotes do not matter to Doom 3 and the Quake \
              engines, but to the line-based readers.",
        fix: "write it as in the format; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 23,
        name: "joined-strings",
        severity: Info,
        title: "adjacent strings",
        why: "In .md5mesh Doom 3 joins them to one, in .md5anim and .md5camera they are two: \"expected integer \
              value, found '…'\". No other engine joins them.",
        fix: "write one string; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 24,
        name: "other-base",
        severity: Info,
        title: "a hexadecimal or binary number",
        why: "Doom 3 reads `0x1F` and `0b101`, the Quake engines the former; the others stop at the letter.",
        fix: "write decimal numbers; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 25,
        name: "fraction-dropped",
        severity: Info,
        title: "a fraction where an integer belongs",
        why: "Doom 3 cuts it off (a negative one it refuses), others read up to the point.",
        fix: "write the integer; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 26,
        name: "integer-wraps",
        severity: Warning,
        title: "an integer does not fit 32 bits",
        why: "Doom 3 lets it wrap around: 4294967297 is 1. Other readers stop or take the largest number.",
        fix: "",
    },
    Rule {
        prefixes: ALL,
        number: 27,
        name: "repeated-line",
        severity: Warning,
        title: "a line that may be there only once is there twice",
        why: "Engines with a fixed order refuse it, others take the first or the last.",
        fix: "remove one; `--fix` keeps the last",
    },
    Rule {
        prefixes: ALL,
        number: 28,
        name: "block-count",
        severity: Error,
        title: "numJoints, numMeshes or numFrames disagrees with what follows",
        why: "Engines read exactly as many as are announced: too few, and the next word is not what they expect; \
              too many, and the surplus is not read or taken for the next block.",
        fix: "correct the count; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 29,
        name: "trailing-text",
        severity: Hint,
        title: "text after the last block",
        why: "Doom 3 and the Quake engines never read it; engines that look for keywords refuse unknown ones.",
        fix: "remove it; `--fix` does",
    },
    Rule {
        prefixes: ALL,
        number: 30,
        name: "other-layout",
        severity: Error,
        title: "data of another version of the format",
        why: "`flags` blocks (ETQW) and normals or colours per vertex (Blender forks) are unknown to every version \
              10 reader.",
        fix: "export again as version 10; `--fix` leaves the additions out",
    },
    // Joints.
];
