//! Damages of meshes, clips and `.x` files, with the line that each must be reported at, and its repair.

use super::lines::Lines;

/// Result of `--fix`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repair {
    /// The undamaged model.
    Exact,
    /// Nothing: the text no longer says what it was.
    Silent,
    /// Values that follow from others: boxes, an order of joints.
    Computed,
}
use Repair::{Computed, Exact, Silent};

/// Name, the change, which returns the line to report, and the repair.
pub type Damage = (&'static str, fn(&mut Lines) -> Option<usize>, Repair);

pub const MESH: &[Damage] = &[
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
    ("a parent comes later", |f| f.word(f.joint(2)?, 1, "3"), Computed),
    ("a joint is its own parent", |f| f.word(f.joint(2)?, 1, "2"), Silent),
    ("a parent does not exist", |f| f.word(f.joint(2)?, 1, "9999"), Silent),
    (
        "two joints of one name",
        |f| {
            let (name, other) = (f.name(f.joint(2)?)?, f.name(f.joint(3)?)?);
            f.set(f.joint(3)?, &other, &name)
        },
        Silent,
    ),
    (
        "a joint without a name",
        |f| {
            let name = f.name(f.joint(3)?)?;
            f.set(f.joint(3)?, &name, "")
        },
        Silent,
    ),
    (
        "a quote is open",
        |f| {
            let name = f.name(f.joint(3)?)?;
            f.set(f.joint(3)?, &format!("\"{name}\""), &format!("\"{name}"))
        },
        Silent,
    ),
    (
        "a joint's row is missing",
        |f| {
            let row = f.joint(3)?;
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
    (
        "a weight's row is there twice",
        |f| {
            let row = f.record("weight", 8)?;
            let line = f.0[row].clone();
            f.0.insert(row, line);
            Some(row + 2)
        },
        Silent,
    ),
    (
        "a joint's row is there twice",
        |f| {
            let row = f.joint(3)?;
            let line = f.0[row].clone();
            f.0.insert(row, line);
            Some(f.find("numJoints", 0, 0)? + 1)
        },
        Silent,
    ),
    ("numJoints has no number", |f| f.word(f.find("numJoints", 0, 0)?, 1, ""), Silent),
    ("numweights has no number", |f| f.word(f.find("numweights", 0, 0)?, 1, ""), Silent),
    ("numJoints does not fit", |f| f.word(f.find("numJoints", 0, 0)?, 1, "4294967295"), Silent),
    ("numverts does not fit", |f| f.word(f.find("numverts", 0, 0)?, 1, "4294967295"), Silent),
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
    ("a parent is -2", |f| f.word(f.joint(2)?, 1, "-2"), Silent),
    ("a weight is negative", |f| f.word(f.record("weight", 10)?, 3, "-0.5"), Silent),
    (
        "the only weight of a vertex is 2",
        |f| {
            let vert =
                (0..).map_while(|number| f.record("vert", number)).find(|&row| f.0[row].trim_end().ends_with(" 1"))?;
            let weight = f.0[vert].split_whitespace().nth(6)?.parse().ok()?;
            f.word(f.record("weight", weight)?, 3, "2")
        },
        Exact,
    ),
    ("numJoints and numMeshes are swapped", |f| f.swap("numJoints", "numMeshes"), Silent),
    ("numverts and numtris are swapped", |f| f.swap("numverts", "numtris"), Exact),
    (
        "five vertices are missing",
        |f| {
            let row = f.record("vert", 9)?;
            f.0.drain(row..row + 5);
            Some(row + 1)
        },
        Silent,
    ),
    (
        "five weights are missing",
        |f| {
            let row = f.record("weight", 9)?;
            f.0.drain(row..row + 5);
            Some(row + 1)
        },
        Silent,
    ),
    (
        "a vertex is moved to the end",
        |f| {
            let row = f.record("vert", 9)?;
            let line = f.remove(row);
            let end = f.find("numtris", 0, row)?;
            let last = (row..end).rfind(|&line| f.0[line].contains("vert"))?;
            f.0.insert(last + 1, line);
            Some(row + 1)
        },
        Exact,
    ),
    (
        "a comment has no end",
        |f| {
            let row = f.record("vert", 9)?;
            f.0.insert(row, "/* old".to_owned());
            Some(row + 1)
        },
        Silent,
    ),
    (
        "the file ends behind the joints",
        |f| {
            let end = f.end_of_block(f.joint(0)?)?;
            f.0.truncate(end + 1);
            f.0.push(String::new());
            Some(end + 2)
        },
        Silent,
    ),
    (
        "the last brace is missing",
        |f| {
            let brace = (0..f.0.len()).rfind(|&line| f.0[line].trim() == "}")?;
            f.0.truncate(brace);
            f.0.push(String::new());
            Some(brace + 1)
        },
        Exact,
    ),
    (
        "a part of a merge",
        |f| {
            let row = f.record("vert", 9)?;
            f.0.insert(row, "<<<<<<< HEAD".to_owned());
            Some(row + 1)
        },
        Silent,
    ),
    ("a semicolon behind a joint", |f| f.word(f.joint(2)?, 11, ");"), Exact),
    ("a weight of a joint has the wrong sign", |f| f.word(f.record("weight", 9)?, 2, "-1"), Silent),
    ("two minus signs", |f| f.word(f.record("weight", 9)?, 5, "--0.5"), Silent),
    ("two decimal points", |f| f.word(f.record("weight", 9)?, 5, "0.1.5"), Silent),
    ("a triangle has four corners", |f| f.word(f.record("tri", 5)?, 4, "1 2"), Silent),
    ("Joints has a capital", |f| f.set(f.find("joints", 0, 0)?, "joints", "Joints"), Exact),
    ("a joint's rotation lacks a number", |f| f.word(f.joint(2)?, 9, ""), Silent),
    ("a joint is thrown away", |f| f.word(f.joint(2)?, 3, "86000"), Silent),
    ("a minus sign of Unicode", |f| f.word(f.record("weight", 9)?, 5, "\u{e2}\u{88}\u{92}0.5"), Silent),
];

pub const ANIM: &[Damage] = &[
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
    (
        "a row of the hierarchy is there twice",
        |f| {
            let row = f.channel(3)?;
            let line = f.0[row].clone();
            f.0.insert(row, line);
            Some(f.find("numJoints", 0, 0)? + 1)
        },
        Silent,
    ),
    (
        "flags and first component are swapped",
        |f| {
            let row = f.channel(3)?;
            let words: Vec<String> = f.0[row].split_whitespace().map(str::to_owned).collect();
            f.word(row, 2, words.get(3)?)?;
            f.word(row, 3, words.get(2)?)
        },
        Silent,
    ),
    ("a second root", |f| f.word(f.channel(3)?, 1, "-1"), Silent),
    ("numFrames does not fit", |f| f.word(f.find("numFrames", 0, 0)?, 1, "4294967295"), Silent),
    ("frameRate is nan", |f| f.word(f.find("frameRate", 0, 0)?, 1, "nan"), Silent),
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
    ("a parent is -2", |f| f.word(f.channel(2)?, 1, "-2"), Silent),
    (
        "frames are numbered from 1",
        |f| {
            let first = f.frame(0)?;
            for (number, row) in (0..).map_while(|number| f.frame(number)).enumerate().collect::<Vec<_>>() {
                f.word(row, 1, &(number + 1).to_string())?;
            }
            Some(first + 1)
        },
        Exact,
    ),
    ("a frame's number is negative", |f| f.word(f.frame(2)?, 1, "-2"), Exact),
    ("a frame's number is too high", |f| f.word(f.frame(2)?, 1, "2000"), Exact),
    ("numJoints is 3.0", |f| f.word(f.find("numJoints", 0, 0)?, 1, "3.0"), Exact),
    ("flags are 64", |f| f.word(f.channel(3)?, 2, "64"), Silent),
    (
        "the file ends behind a frame",
        |f| {
            let end = f.end_of_block(f.frame(2)?)?;
            f.0.truncate(end + 1);
            f.0.push(String::new());
            Some(end + 2)
        },
        Silent,
    ),
    (
        "the file ends behind the hierarchy",
        |f| {
            let end = f.end_of_block(f.channel(0)?)?;
            f.0.truncate(end + 1);
            f.0.push(String::new());
            Some(end + 2)
        },
        Silent,
    ),
    (
        "the file ends behind the base frame",
        |f| {
            let end = f.end_of_block(f.find("baseframe", 0, 0)?)?;
            f.0.truncate(end + 1);
            f.0.push(String::new());
            Some(end + 2)
        },
        Silent,
    ),
    (
        "a comment has no end",
        |f| {
            let row = f.frame(3)?;
            f.0.insert(row, "/* old".to_owned());
            Some(row + 1)
        },
        Silent,
    ),
    ("a rotation in a frame is longer than 1", |f| f.word(f.frame(1)? + 2, 3, "3"), Silent),
    ("a value does not fit", |f| f.word(f.frame(1)? + 2, 0, "1e40"), Silent),
    (
        "a frame is thrown away",
        |f| {
            let frame = f.frame(1)?;
            f.word(frame + 1, 0, "500000")?;
            Some(frame + 1)
        },
        Silent,
    ),
    (
        "two rows of the hierarchy are swapped",
        |f| {
            let row = f.channel(2)?;
            f.0.swap(row, row + 1);
            Some(row + 1)
        },
        Silent,
    ),
    (
        "two frames are swapped",
        |f| {
            let (first, second) = (f.frame(1)?, f.frame(2)?);
            let end = f.end_of_block(second)?;
            f.0[first..=end].rotate_left(second - first);
            Some(first + 1)
        },
        Exact,
    ),
];

pub const FILES: &[Damage] = &[
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
    (
        "a bone in single quotes",
        |f| {
            let line = f.object("SkinWeights", 0, 1)?;
            let name = f.name(line)?;
            f.set(line, &format!("\"{name}\""), &format!("'{name}'"))
        },
        Silent,
    ),
    ("no vertices are announced", |f| f.number(f.object("Mesh", 0, 1)?, "0"), Exact),
    ("no weights are announced", |f| f.number(f.object("SkinWeights", 0, 2)?, "0"), Exact),
    (
        "the header is there twice",
        |f| {
            let line = f.0[0].clone();
            f.0.insert(1, line);
            Some(2)
        },
        Silent,
    ),
    ("a key time is negative", |f| f.number(f.object("AnimationKey", 0, 4)?, "-4"), Silent),
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
            let from = f.find("AnimationSet", 0, 0)?;
            let line = (from..f.0.len()).find(|&line| f.0[line].contains(";4;"))?;
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
    (
        "a frame has no brace",
        |f| {
            let frame = f.find("Frame", 1, 0)?;
            f.set(frame, "{", "")?;
            Some(f.next(frame)? + 1)
        },
        Silent,
    ),
    (
        "an animation set has no brace",
        |f| {
            let set = f.find("AnimationSet", 0, 0)?;
            f.set(set, "{", "")?;
            Some(f.next(set)? + 1)
        },
        Silent,
    ),
    (
        "the reference of an animation has no braces",
        |f| {
            let reference = f.next(f.find("Animation", 0, 0)?)?;
            f.set(reference, "{", "")?;
            f.set(reference, "}", "")
        },
        Silent,
    ),
    (
        "key type and count are swapped",
        |f| {
            let kind = f.object("AnimationKey", 0, 1)?;
            f.0.swap(kind, kind + 1);
            Some(kind + 1)
        },
        Silent,
    ),
    ("a key type is missing", |f| f.lose("AnimationKey", 1), Silent),
    ("the number of keys is missing", |f| f.lose("AnimationKey", 2), Silent),
    ("the number of vertices is missing", |f| f.lose("Mesh", 1), Silent),
    ("the number of normals is missing", |f| f.lose("MeshNormals", 1), Silent),
    ("the number of texture coordinates is missing", |f| f.lose("MeshTextureCoords", 1), Silent),
    ("the number of materials is missing", |f| f.lose("MeshMaterialList", 1), Silent),
    ("the number of material indices is missing", |f| f.lose("MeshMaterialList", 2), Silent),
    ("a bone is missing", |f| f.lose("SkinWeights", 1), Silent),
    ("the number of weights is missing", |f| f.lose("SkinWeights", 2), Silent),
    (
        "the number of faces is missing",
        |f| {
            let faces = f.faces()?;
            f.remove(faces);
            Some(faces + 1)
        },
        Silent,
    ),
    (
        "a key type of other keys",
        |f| {
            let kind = f.object("AnimationKey", 0, 1)?;
            let other = if f.0[f.next(f.next(kind)?)?].contains(";4;") { "2" } else { "0" };
            f.number(kind, other)
        },
        Silent,
    ),
    ("a key type is -1", |f| f.number(f.object("AnimationKey", 0, 1)?, "-1"), Silent),
    ("a material index is -1", |f| f.number(f.object("MeshMaterialList", 0, 5)?, "-1"), Silent),
    (
        "a weight is nan",
        |f| {
            let count = f.object("SkinWeights", 0, 2)?;
            let weights: usize = f.0[count].trim().trim_end_matches(';').parse().ok()?;
            f.number(f.skip(count, weights + 2)?, "nan")
        },
        Silent,
    ),
    (
        "a SkinWeights is there twice",
        |f| {
            let (from, to) = (f.find("SkinWeights", 1, 0)?, f.end_of_block(f.find("SkinWeights", 1, 0)?)?);
            let again = f.0[from..=to].to_vec();
            f.0.splice(to + 1..to + 1, again);
            Some(to + 3)
        },
        Silent,
    ),
    (
        "a SkinWeights is missing",
        |f| {
            let (from, to) = (f.find("SkinWeights", 1, 0)?, f.end_of_block(f.find("SkinWeights", 1, 0)?)?);
            f.0.drain(from..=to);
            f.object("XSkinMeshHeader", 0, 3).map(|line| line + 1)
        },
        Silent,
    ),
    (
        "a frame has a dot in its name",
        |f| {
            let frame = f.find("Frame", 2, 0)?;
            f.set(frame, "_", ".")
        },
        Silent,
    ),
    (
        "a vertex has four numbers",
        |f| {
            let line = f.object("Mesh", 0, 7)?;
            let at = f.0[line].find(|letter: char| !letter.is_whitespace())?;
            f.0[line].insert_str(at, "1.0;");
            Some(line + 1)
        },
        Silent,
    ),
    (
        "no time in a key",
        |f| {
            let line = f.object("AnimationKey", 0, 5)?;
            let (time, rest) = f.0[line].split_once(';')?;
            time.trim().parse::<u32>().ok()?;
            f.0[line] = rest.to_owned();
            Some(line + 1)
        },
        Silent,
    ),
];
