//! Damages of real models, as exporters, hand editors and broken copies make them: each is one error or warning, at the line
//! that the damage knows, with a help, and its repair gives the undamaged model back or leaves the damage alone.
//!
//! `BINDPOSE_TESTS=all` damages every model of the tables, otherwise the first of each kind.

use crate::support;
use bindpose::diagnostic::Severity;
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, Validation, check, fix};
use rayon::prelude::*;
use std::path::Path;

/// Meshes, each with a clip of its own.
const MD5: [[&str; 2]; 3] = [
    [
        "unvanquished-players/models/players/level0/body.md5mesh",
        "unvanquished-players/models/players/level0/run.md5anim",
    ],
    ["redeclipse-weapons/rocket/rocket_launcher.md5mesh", "redeclipse-weapons/rocket/shoot.md5anim"],
    [
        "unvanquished-players/models/players/builder/body.md5mesh",
        "unvanquished-players/models/players/builder/walk_left.md5anim",
    ],
];
/// `.x` files as Blender writes them.
const X: [&str; 3] = [
    "minetest_game/mods/default/models/character_2014.x",
    "VoxelLegends/mods/mp_mobs/mobs_animal/models/mobs_bee.x",
    "VoxelLegends/mods/mp_mobs/mobs_monster/models/mobs_spider.x",
];

/// Result of `--fix`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Repair {
    /// The undamaged model.
    Exact,
    /// Nothing: the text no longer says what it was.
    Silent,
    /// Values that follow from others: boxes, an order of joints.
    Computed,
}
use Repair::{Computed, Exact, Silent};

/// Name, the change, which returns the line to report, and the repair.
type Damage = (&'static str, fn(&mut Lines) -> Option<usize>, Repair);

/// The lines of a file, of which each byte is a letter.
#[derive(Clone)]
struct Lines(Vec<String>);

impl Lines {
    fn read(bytes: &[u8]) -> Self {
        Self(bytes.split(|&byte| byte == b'\n').map(|line| line.iter().copied().map(char::from).collect()).collect())
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.join("\n").chars().map(|letter| letter as u8).collect()
    }

    /// The line that begins with this word for the time `nth`, counted from 0, not before line `from`.
    fn find(&self, word: &str, nth: usize, from: usize) -> Option<usize> {
        let begins = |line: &str| {
            let rest = line.trim_start().strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
        };
        (from..self.0.len()).filter(|&at| begins(&self.0[at])).nth(nth)
    }

    /// The next line that is neither blank nor a comment.
    fn next(&self, line: usize) -> Option<usize> {
        let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
        (line + 1..self.0.len()).find(|&at| says(&self.0[at]))
    }

    fn skip(&self, line: usize, count: usize) -> Option<usize> {
        (0..count).try_fold(line, |line, _| self.next(line))
    }

    /// Writes `to` in the place of the first `from` of a line.
    fn set(&mut self, line: usize, from: &str, to: &str) -> Option<usize> {
        let at = self.0[line].find(from)?;
        self.0[line].replace_range(at..at + from.len(), to);
        Some(line + 1)
    }

    /// Writes `to` in the place of a word, counted from 0.
    fn word(&mut self, line: usize, number: usize, to: &str) -> Option<usize> {
        let text = &self.0[line];
        let is_start = |&at: &usize| {
            !text[at..].starts_with(char::is_whitespace) && (at == 0 || text[..at].ends_with(char::is_whitespace))
        };
        let at = text.char_indices().map(|(at, _)| at).filter(is_start).nth(number)?;
        let end = text[at..].find(char::is_whitespace).map_or(text.len(), |length| at + length);
        self.0[line].replace_range(at..end, to);
        Some(line + 1)
    }

    /// Writes `to` in the place of the first number of a line.
    fn number(&mut self, line: usize, to: &str) -> Option<usize> {
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '-' || letter == '.';
        let at = self.0[line].find(is_part)?;
        let end = self.0[line][at..].find(|letter| !is_part(letter)).map_or(self.0[line].len(), |length| at + length);
        self.0[line].replace_range(at..end, to);
        Some(line + 1)
    }

    /// Adds to the whole number that stands first in a line.
    fn add(&mut self, line: usize, by: i64) -> Option<usize> {
        let digits: String =
            self.0[line].chars().skip_while(|l| !l.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        let count: i64 = digits.parse().ok()?;
        self.set(line, &digits, &(count + by).to_string())
    }

    fn remove(&mut self, line: usize) -> String {
        self.0.remove(line)
    }

    /// Ends the file in a line, behind so many of its bytes.
    fn cut(&mut self, line: usize, length: usize) -> Option<usize> {
        self.0.truncate(line + 1);
        self.0[line].truncate(length);
        Some(line + 1)
    }

    /// The name in quotes in a line.
    fn name(&self, line: usize) -> Option<String> {
        self.0[line].split('"').nth(1).map(str::to_owned)
    }

    // Places of MD5 files.

    fn joint(&self, number: usize) -> Option<usize> {
        Some(self.find("joints", 0, 0)? + 1 + number)
    }

    fn channel(&self, number: usize) -> Option<usize> {
        Some(self.find("hierarchy", 0, 0)? + 1 + number)
    }

    fn record(&self, keyword: &str, number: usize) -> Option<usize> {
        self.find(keyword, number, 0)
    }

    /// The first row of a frame.
    fn frame(&self, number: usize) -> Option<usize> {
        self.find("frame", number, 0)
    }

    fn end_of_block(&self, from: usize) -> Option<usize> {
        self.find("}", 0, from)
    }

    /// The written count behind a keyword.
    fn count(&self, keyword: &str) -> Option<String> {
        self.0[self.find(keyword, 0, 0)?].split_whitespace().nth(1).map(str::to_owned)
    }

    // Places of .x files.

    /// Line of a data object of this type, and those below it.
    fn object(&self, kind: &str, nth: usize, below: usize) -> Option<usize> {
        self.skip(self.find(kind, nth, 0)?, below)
    }

    /// Line of the number of faces.
    fn faces(&self) -> Option<usize> {
        let vertices = self.object("Mesh", 0, 1)?;
        let count: usize = self.0[vertices].trim().trim_end_matches(';').parse().ok()?;
        self.skip(vertices, count + 1)
    }
}

const MESH: &[Damage] = &[
    ("numJoints is too high", |f| f.add(f.find("numJoints", 0, 0)?, 1), Silent),
    ("numJoints is too low", |f| f.add(f.find("numJoints", 0, 0)?, -1), Exact),
    ("numMeshes is too high", |f| f.add(f.find("numMeshes", 0, 0)?, 1), Silent),
    ("numMeshes is too low", |f| f.add(f.find("numMeshes", 0, 0)?, -1), Exact),
    ("numverts is too high", |f| f.add(f.find("numverts", 0, 0)?, 1), Exact),
    ("numverts is too low", |f| f.add(f.find("numverts", 0, 0)?, -1), Exact),
    ("numtris is too high", |f| f.add(f.find("numtris", 0, 0)?, 1), Exact),
    ("numtris is too low", |f| f.add(f.find("numtris", 0, 0)?, -1), Exact),
    ("numweights is too high", |f| f.add(f.find("numweights", 0, 0)?, 1), Exact),
    ("numweights is too low", |f| f.add(f.find("numweights", 0, 0)?, -1), Exact),
    (
        "the file ends in a number",
        |f| {
            let row = f.record("weight", 40)?;
            f.cut(row, f.0[row].trim_end().len() - 5)
        },
        Silent,
    ),
    (
        "the file ends behind a row",
        |f| {
            let row = f.record("vert", 20)?;
            f.0.truncate(row);
            Some(row)
        },
        Silent,
    ),
    ("the file ends in a name", |f| f.cut(f.joint(3)?, 4), Silent),
    ("a bias is nan", |f| f.word(f.record("weight", 10)?, 3, "nan"), Silent),
    ("an offset is -nan(ind)", |f| f.word(f.record("weight", 10)?, 5, "-nan(ind)"), Silent),
    ("a joint is infinitely far", |f| f.word(f.joint(2)?, 3, "inf"), Silent),
    ("a texture coordinate is 1.#QNAN", |f| f.word(f.record("vert", 10)?, 3, "1.#QNAN"), Silent),
    (
        "a corner is one past the vertices",
        |f| {
            let count = f.count("numverts")?;
            f.word(f.record("tri", 5)?, 4, &count)
        },
        Silent,
    ),
    ("a corner is -1", |f| f.word(f.record("tri", 5)?, 4, "-1"), Silent),
    (
        "a weight's joint is one past the joints",
        |f| {
            let count = f.count("numJoints")?;
            f.word(f.record("weight", 9)?, 2, &count)
        },
        Silent,
    ),
    (
        "a vertex's weights are past the weights",
        |f| {
            let count = f.count("numweights")?;
            f.word(f.record("vert", 9)?, 6, &count)
        },
        Silent,
    ),
    (
        "the joints' brace is missing",
        |f| {
            let brace = f.end_of_block(f.joint(0)?)?;
            f.remove(brace);
            Some(f.find("mesh", 0, brace)? + 1)
        },
        Exact,
    ),
    (
        "one brace too many",
        |f| {
            let mesh = f.find("mesh", 0, f.joint(0)?)?;
            f.0.insert(mesh, "}".to_owned());
            Some(mesh + 1)
        },
        Silent,
    ),
    ("a parent comes later", |f| f.word(f.joint(2)?, 1, "4"), Computed),
    ("a joint is its own parent", |f| f.word(f.joint(2)?, 1, "2"), Silent),
    ("a parent does not exist", |f| f.word(f.joint(2)?, 1, "9999"), Silent),
    (
        "two joints of one name",
        |f| {
            let (name, other) = (f.name(f.joint(2)?)?, f.name(f.joint(5)?)?);
            f.set(f.joint(5)?, &other, &name)
        },
        Silent,
    ),
    (
        "a joint without a name",
        |f| {
            let name = f.name(f.joint(5)?)?;
            f.set(f.joint(5)?, &name, "")
        },
        Silent,
    ),
    (
        "a quote is open",
        |f| {
            let name = f.name(f.joint(5)?)?;
            f.set(f.joint(5)?, &format!("\"{name}\""), &format!("\"{name}"))
        },
        Silent,
    ),
    (
        "a joint's row is missing",
        |f| {
            let row = f.joint(5)?;
            f.remove(row);
            Some(f.find("numJoints", 0, 0)? + 1)
        },
        Silent,
    ),
    (
        "a vertex's row is missing",
        |f| {
            let row = f.record("vert", 7)?;
            f.remove(row);
            Some(row + 1)
        },
        Silent,
    ),
    (
        "a triangle's row is missing",
        |f| {
            let row = f.record("tri", 7)?;
            f.remove(row);
            Some(row + 1)
        },
        Silent,
    ),
    (
        "a weight's row is missing",
        |f| {
            let row = f.record("weight", 7)?;
            f.remove(row);
            Some(row + 1)
        },
        Silent,
    ),
    (
        "a vertex's row is there twice",
        |f| {
            let row = f.record("vert", 7)?;
            let line = f.0[row].clone();
            f.0.insert(row, line);
            Some(row + 2)
        },
        Silent,
    ),
    ("two rows of one number", |f| f.word(f.record("vert", 7)?, 1, "6"), Exact),
    ("a vertex without weights", |f| f.word(f.record("vert", 9)?, 7, "0"), Silent),
    (
        "a decimal comma",
        |f| {
            let row = (9..40).filter_map(|number| f.record("weight", number)).find(|&row| f.0[row].contains('.'))?;
            f.set(row, ".", ",")
        },
        Exact,
    ),
    ("a letter in a number", |f| f.word(f.record("weight", 9)?, 5, "1O.5"), Silent),
    ("a bracket is missing", |f| f.set(f.record("weight", 9)?, ")", ""), Silent),
    ("four numbers in a rotation", |f| f.word(f.joint(2)?, 11, "0.5 )"), Silent),
    ("a number is missing", |f| f.word(f.record("weight", 9)?, 5, ""), Silent),
    (
        "numverts is missing",
        |f| {
            let row = f.find("numverts", 0, 0)?;
            f.remove(row);
            // The block that lacks it.
            Some(f.find("mesh", 0, f.joint(0)?)? + 1)
        },
        Exact,
    ),
    ("numverts is misspelt", |f| f.set(f.find("numverts", 0, 0)?, "numverts", "numvert"), Silent),
    ("mesh is misspelt", |f| f.set(f.find("mesh", 0, f.joint(0)?)?, "mesh", "mehs"), Silent),
    ("weight is misspelt", |f| f.set(f.record("weight", 9)?, "weight", "wieght"), Silent),
    ("version 11", |f| f.word(f.find("MD5Version", 0, 0)?, 1, "11"), Exact),
    ("a rotation longer than 1", |f| f.word(f.joint(2)?, 8, "2"), Silent),
    ("a vertex is thrown away", |f| f.word(f.record("weight", 10)?, 5, "86000000"), Silent),
    ("a zero byte", |f| f.set(f.record("vert", 30)?, " ", "\0"), Silent),
];

const ANIM: &[Damage] = &[
    ("numFrames is too high", |f| f.add(f.find("numFrames", 0, 0)?, 1), Silent),
    ("numFrames is too low", |f| f.add(f.find("numFrames", 0, 0)?, -1), Exact),
    ("numJoints is too high", |f| f.add(f.find("numJoints", 0, 0)?, 1), Exact),
    ("numJoints is too low", |f| f.add(f.find("numJoints", 0, 0)?, -1), Exact),
    ("numAnimatedComponents is too high", |f| f.add(f.find("numAnimatedComponents", 0, 0)?, 1), Exact),
    ("numAnimatedComponents is too low", |f| f.add(f.find("numAnimatedComponents", 0, 0)?, -1), Exact),
    (
        "the file ends in a frame",
        |f| {
            let row = f.frame(2)? + 2;
            f.cut(row, f.0[row].trim_end().len() - 2)
        },
        Silent,
    ),
    ("the file ends in a box", |f| f.cut(f.find("bounds", 0, 0)? + 2, 6), Silent),
    ("the file ends in a name", |f| f.cut(f.channel(3)?, 4), Silent),
    ("frameRate 0", |f| f.word(f.find("frameRate", 0, 0)?, 1, "0"), Silent),
    ("frameRate -24", |f| f.word(f.find("frameRate", 0, 0)?, 1, "-24"), Silent),
    ("a first component is past the frame", |f| f.word(f.channel(3)?, 3, "99999"), Silent),
    ("a parent comes later", |f| f.word(f.channel(2)?, 1, "4"), Silent),
    (
        "a joint is renamed",
        |f| {
            let name = f.name(f.channel(3)?)?;
            f.set(f.channel(3)?, &name, &format!("{name}_x"))
        },
        Silent,
    ),
    (
        "a row of the hierarchy is missing",
        |f| {
            let row = f.channel(3)?;
            f.remove(row);
            Some(f.find("numJoints", 0, 0)? + 1)
        },
        Silent,
    ),
    (
        "a box is missing",
        |f| {
            let row = f.find("bounds", 0, 0)? + 2;
            f.remove(row);
            Some(f.find("bounds", 0, 0)? + 1)
        },
        Computed,
    ),
    (
        "a box inside out",
        |f| {
            let row = f.find("bounds", 0, 0)? + 2;
            let words: Vec<String> = f.0[row].split_whitespace().map(str::to_owned).collect();
            f.0[row] = format!("\t{} {}", words.get(5..10)?.join(" "), words.get(..5)?.join(" "));
            Some(row + 1)
        },
        Computed,
    ),
    ("a box is nan", |f| f.word(f.find("bounds", 0, 0)? + 2, 1, "nan"), Silent),
    (
        "a pose of the base frame is missing",
        |f| {
            let row = f.find("baseframe", 0, 0)? + 3;
            f.remove(row);
            Some(f.end_of_block(row)? + 1)
        },
        Silent,
    ),
    ("a bracket of the base frame is missing", |f| f.set(f.find("baseframe", 0, 0)? + 3, ")", ""), Silent),
    (
        "a value of a frame is missing",
        |f| {
            let row = f.frame(1)? + 2;
            f.word(row, 1, "")
        },
        Silent,
    ),
    (
        "a value too many in a frame",
        |f| {
            let row = f.frame(1)? + 2;
            f.word(row, 0, "0.5 0.5")
        },
        Silent,
    ),
    ("a value of a frame is nan", |f| f.word(f.frame(1)? + 2, 0, "nan"), Silent),
    ("a value of a frame is -1.#IND00", |f| f.word(f.frame(1)? + 2, 0, "-1.#IND00"), Silent),
    (
        "a decimal comma",
        |f| {
            let from = f.frame(1)?;
            let row = (from..f.0.len()).find(|&row| f.0[row].contains('.'))?;
            f.set(row, ".", ",")
        },
        Exact,
    ),
    ("two frames of one number", |f| f.word(f.frame(1)?, 1, "0"), Exact),
    (
        "a frame is missing",
        |f| {
            let (from, to) = (f.frame(1)?, f.end_of_block(f.frame(1)?)?);
            f.0.drain(from..=to);
            Some(f.frame(1)? + 1)
        },
        Silent,
    ),
    (
        "a frame is there twice",
        |f| {
            let (from, to) = (f.frame(1)?, f.end_of_block(f.frame(1)?)?);
            let again = f.0[from..=to].to_vec();
            f.0.splice(to + 1..to + 1, again);
            Some(to + 2)
        },
        Silent,
    ),
    ("frame is misspelt", |f| f.set(f.frame(1)?, "frame", "fraem"), Silent),
    ("bounds is misspelt", |f| f.set(f.find("bounds", 0, 0)?, "bounds", "boudns"), Silent),
    (
        "baseframe is missing",
        |f| {
            let (from, to) = (f.find("baseframe", 0, 0)?, f.end_of_block(f.find("baseframe", 0, 0)?)?);
            f.0.drain(from..=to);
            Some(f.next(from - 1)? + 1)
        },
        Silent,
    ),
    ("version 9", |f| f.word(f.find("MD5Version", 0, 0)?, 1, "9"), Exact),
    ("a letter in a number", |f| f.word(f.frame(1)? + 2, 0, "1O.5"), Silent),
];

const FILES: &[Damage] = &[
    ("too many vertices are announced", |f| f.add(f.object("Mesh", 0, 1)?, 1), Exact),
    ("too few vertices are announced", |f| f.add(f.object("Mesh", 0, 1)?, -1), Exact),
    ("too many faces are announced", |f| f.add(f.faces()?, 1), Exact),
    ("too few faces are announced", |f| f.add(f.faces()?, -1), Exact),
    ("too many normals are announced", |f| f.add(f.object("MeshNormals", 0, 1)?, 1), Exact),
    ("too few texture coordinates are announced", |f| f.add(f.object("MeshTextureCoords", 0, 1)?, -1), Exact),
    ("too many weights are announced", |f| f.add(f.object("SkinWeights", 0, 2)?, 1), Exact),
    ("too few keys are announced", |f| f.add(f.object("AnimationKey", 0, 2)?, -1), Exact),
    ("too many materials are announced", |f| f.add(f.object("MeshMaterialList", 0, 1)?, 1), Silent),
    (
        "a material past the list",
        |f| {
            let count: String = f.0[f.object("MeshMaterialList", 0, 1)?].trim().trim_end_matches(';').to_owned();
            f.number(f.object("MeshMaterialList", 0, 3)?, &count)
        },
        Silent,
    ),
    (
        "a weight for a vertex past the mesh",
        |f| {
            let count: String = f.0[f.object("Mesh", 0, 1)?].trim().trim_end_matches(';').to_owned();
            f.number(f.object("SkinWeights", 0, 3)?, &count)
        },
        Silent,
    ),
    (
        "a bone is misspelt",
        |f| {
            let line = f.object("SkinWeights", 0, 1)?;
            let name = f.name(line)?;
            f.set(line, &name, &format!("{name}q"))
        },
        Silent,
    ),
    ("a coordinate is nan", |f| f.number(f.object("Mesh", 0, 2)?, "nan"), Silent),
    ("a coordinate is -1.#IND00", |f| f.number(f.object("Mesh", 0, 2)?, "-1.#IND00"), Silent),
    (
        "a decimal comma",
        |f| {
            let line = f.object("Mesh", 0, 2)?;
            f.set(line, ".", ",")
        },
        Silent,
    ),
    ("a letter in a number", |f| f.number(f.object("Mesh", 0, 2)?, "1O.5"), Silent),
    ("a texture coordinate is nan", |f| f.number(f.object("MeshTextureCoords", 0, 2)?, "nan"), Silent),
    (
        "a matrix has 15 numbers",
        |f| {
            let line = f.object("FrameTransformMatrix", 0, 1)?;
            f.set(line, "0.000000,", "")
        },
        Silent,
    ),
    ("a matrix is nan", |f| f.number(f.object("FrameTransformMatrix", 0, 1)?, "nan"), Silent),
    (
        "a matrix with a row of zeros",
        |f| {
            let line = f.object("FrameTransformMatrix", 0, 1)?;
            f.0[line] = "     0.000000, 0.000000, 0.000000, 0.000000,".to_owned();
            // The matrix as a whole is at fault.
            Some(line)
        },
        Silent,
    ),
    ("Frame is misspelt", |f| f.set(f.find("Frame", 1, 0)?, "Frame", "Frmae"), Silent),
    ("Mesh is misspelt", |f| f.set(f.find("Mesh", 0, 0)?, "Mesh", "Mehs"), Silent),
    ("AnimationKey is misspelt", |f| f.set(f.find("AnimationKey", 0, 0)?, "AnimationKey", "AnimationKye"), Silent),
    (
        "a matrix has no brace",
        |f| {
            let matrix = f.find("FrameTransformMatrix", 0, 0)?;
            let brace = f.end_of_block(matrix)?;
            f.set(brace, "}", "")?;
            Some(matrix + 1)
        },
        Silent,
    ),
    (
        "a mesh has no brace",
        |f| {
            let mesh = f.find("Mesh", 0, 0)?;
            f.set(mesh, "{", "")?;
            // The word that is there instead.
            Some(f.next(mesh)? + 1)
        },
        Silent,
    ),
    ("version 0909", |f| f.set(0, "0303", "0909"), Silent),
    ("text is said to be binary", |f| f.set(0, "txt", "bin"), Silent),
    (
        "the file ends in a number",
        |f| {
            let line = f.object("Mesh", 0, 7)?;
            f.cut(line, 16)
        },
        Silent,
    ),
    ("a key of kind 7", |f| f.number(f.object("AnimationKey", 0, 1)?, "7"), Silent),
    ("key times fall", |f| f.number(f.object("AnimationKey", 0, 5)?, "0"), Silent),
    ("a key time is far too late", |f| f.number(f.object("AnimationKey", 0, 5)?, "900000000"), Silent),
    (
        "a key has too few values",
        |f| {
            let line = f.object("AnimationKey", 0, 3)?;
            f.set(line, ";4;", ";3;").or_else(|| f.set(line, ";3;", ";2;"))
        },
        Silent,
    ),
    (
        "a rotation key of zeros",
        |f| {
            let line = f.object("AnimationKey", 0, 3)?;
            let key = f.0[line].find(";4;")?;
            f.0[line].truncate(key);
            f.0[line].push_str(";4;0.0,0.0,0.0,0.0;;,");
            Some(line + 1)
        },
        Silent,
    ),
    (
        "an animation of a frame that is not there",
        |f| {
            let animation = f.find("Animation", 0, 0)?;
            let reference = f.next(animation)?;
            f.set(reference, "}", "q}")
        },
        Silent,
    ),
    (
        "two frames of one name",
        |f| {
            let (first, second) = (f.find("Frame", 1, 0)?, f.find("Frame", 3, 0)?);
            let name = f.0[first].split_whitespace().nth(1)?.to_owned();
            f.word(second, 1, &name)
        },
        Silent,
    ),
    (
        "a byte in a name that is no letter",
        |f| {
            let frame = f.find("Frame", 2, 0)?;
            let name = f.0[frame].split_whitespace().nth(1)?.to_owned();
            f.word(frame, 1, &format!("{name}\u{ff}"))
        },
        Silent,
    ),
];

/// True if two files have the same words, numbers by their values; comments and blanks aside.
fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    let words = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes).replace(['(', ')', '{', '}'], " ");
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let is_same = |(one, other): (&String, &String)| {
        one == other || one.parse::<f64>().is_ok_and(|one| other.parse::<f64>() == Ok(one))
    };
    one.len() == other.len() && one.iter().zip(&other).all(is_same)
}

/// A damaged file beside others, and what is found in it.
struct Case<'a> {
    /// Path of the damaged file, below the corpus.
    path: &'a str,
    lines: &'a Lines,
    others: &'a [Input],
    /// Findings of the undamaged file.
    known: &'a [(&'static str, String)],
    /// The undamaged file, as it is after `--fix`.
    fixed: &'a [u8],
}

fn checked(path: &str, bytes: &[u8], others: &[Input]) -> Validation {
    let other =
        |input: &Input| Input { path: input.path.clone(), bytes: Ok(input.bytes.as_ref().expect("bytes").clone()) };
    let files = [Input { path: path.into(), bytes: Ok(bytes.to_vec()) }].into_iter().chain(others.iter().map(other));
    check(files.collect(), &Options { together: true, ..Options::default() })
}

/// Codes and messages of the first file that are errors or warnings, with line and help.
fn found(report: &Validation) -> Vec<(&'static str, String, usize, String)> {
    let selection = Selection::default();
    let source = report.sources.get(report.files[0].source);
    let is_grave =
        |finding: &&bindpose::validate::finding::Finding| selection.severity(finding) >= Some(Severity::Warning);
    let of = |finding: &bindpose::validate::finding::Finding| {
        let line = source.position(finding.first.span.start).line as usize;
        (finding.code.id, finding.message.clone(), line, finding.help().into_owned())
    };
    report.files[0].findings.iter().filter(is_grave).map(of).collect()
}

/// The first file after `--fix`; as it is if there is nothing to repair.
fn repaired(report: &Validation) -> Option<Vec<u8>> {
    let options = Options { together: true, ..Options::default() };
    fix::fix(report, &options).fixed.into_iter().find(|fixed| fixed.file == 0).map(|fixed| fixed.bytes)
}

impl Case<'_> {
    fn fault(&self, (name, damage, repair): &Damage) -> Option<String> {
        let mut lines = self.lines.clone();
        let Some(line) = damage(&mut lines) else { return Some(format!("{}: {name}: no such place", self.path)) };
        let bytes = lines.bytes();
        let report = checked(self.path, &bytes, self.others);
        let told: Vec<_> = found(&report)
            .into_iter()
            .filter(|(code, message, ..)| !self.known.iter().any(|known| (known.0, &known.1) == (*code, message)))
            .collect();
        let wrong = |why: String| Some(format!("{}: {name}: {why}", self.path));
        let [(code, _, at, help)] = &told[..] else {
            return wrong(format!("found {told:#?}, expected one at line {line}"));
        };
        if (*at, help.is_empty()) != (line, false) {
            return wrong(format!("found {told:?}, expected it at line {line}"));
        }
        let after = repaired(&report);
        let stays = |after: &[u8]| found(&checked(self.path, after, self.others)).iter().any(|found| found.0 == *code);
        let outcome = match after {
            Some(after) if says_the_same(&after, self.fixed) => Exact,
            Some(after) if !stays(&after) => Computed,
            Some(_) | None => Silent,
        };
        if outcome != *repair { wrong(format!("{code}: the repair is {outcome:?}, expected {repair:?}")) } else { None }
    }
}

/// Faults of the damages of one file.
fn faults(corpus: &Path, path: &str, others: &[&str], damages: &[Damage]) -> Vec<String> {
    let read = |path: &str| std::fs::read(corpus.join(path)).expect("a file of the corpus");
    let (bytes, others) = (read(path), others.iter().map(|path| Input { path: path.into(), bytes: Ok(read(path)) }));
    let (lines, others): (_, Vec<Input>) = (Lines::read(&bytes), others.collect());
    assert_eq!(lines.bytes(), bytes, "{path} as lines");
    let report = checked(path, &bytes, &others);
    let known: Vec<_> = found(&report).into_iter().map(|(code, message, ..)| (code, message)).collect();
    let fixed = repaired(&report).unwrap_or(bytes);
    let case = Case { path, lines: &lines, others: &others, known: &known, fixed: &fixed };
    damages.par_iter().filter_map(|damage| case.fault(damage)).collect()
}

#[test]
fn each_damage_of_a_real_model_is_one_finding() {
    let Some(shared) = support::shared() else { return };
    let corpus = shared.join("corpus");
    let models = if support::everything() { MD5.len() } else { 1 };
    let mut wrong = Vec::new();
    for [mesh, anim] in &MD5[..models] {
        wrong.extend(faults(&corpus, mesh, &[], MESH));
        wrong.extend(faults(&corpus, anim, &[mesh], ANIM));
    }
    for file in &X[..models] {
        wrong.extend(faults(&corpus, file, &[], FILES));
    }
    let count = models * (MESH.len() + ANIM.len() + FILES.len());
    eprintln!("{count} damages of {} files", 3 * models);
    assert!(wrong.is_empty(), "{} of {count} are wrong\n{}", wrong.len(), wrong.join("\n"));
}
