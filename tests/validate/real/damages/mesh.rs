//! Damages of a `.md5mesh`.

use super::Damage;
use super::Repair::{Computed, Exact, Silent};

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
