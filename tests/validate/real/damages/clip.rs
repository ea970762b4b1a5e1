//! Damages of a `.md5anim`.

use super::Damage;
use super::Repair::{Computed, Exact, Silent};

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
