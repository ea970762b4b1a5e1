//! Packs the sample to a quarter of its size.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Files of `md5` that belong to the sample, grouped by similarity. The files of a group have the same number of lines.
const SAMPLE: [&[&str]; 9] = [
    &["mannequin_light.md5mesh"],
    &["walk.md5anim"],
    &["run.md5anim"],
    &["idle.md5anim"],
    &["wave.md5anim"],
    &["jump.md5anim"],
    &["mannequin.png"],
    &["mannequin_light.examples.toml"],
    &[
        "examples/mannequin_light_upperarm_l_raised.md5mesh",
        "examples/mannequin_light_forearm_l_tense.md5mesh",
        "examples/mannequin_light_upperarm_r_raised.md5mesh",
        "examples/mannequin_light_forearm_r_tense.md5mesh",
    ],
];

/// Writes the table of names and deflated bytes.
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=md5");
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("md5");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut table = String::from("&[\n");
    // The web page plays the sample from separate files, without example poses.
    let is_page = std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let is_packed = |names: &&&[&str]| !is_page || !names.iter().any(|name| name.contains("examples"));
    for (number, names) in SAMPLE.iter().filter(is_packed).enumerate() {
        let files: Vec<Vec<u8>> =
            names.iter().map(|name| std::fs::read(folder.join(name))).collect::<Result<_, _>>()?;
        let packed = out.join(format!("sample{number}"));
        std::fs::write(&packed, miniz_oxide::deflate::compress_to_vec(&in_turns(&files)?, 9))?;
        writeln!(table, "(&{names:?}, include_bytes!({packed:?})),")?;
    }
    table.push_str("]\n");
    Ok(std::fs::write(out.join("sample.rs"), table)?)
}

/// Interleaves the lines of all files: all first lines, then all second lines, and so on. Similar lines are then
/// adjacent, and the result has a third of the size of separately packed files.
fn in_turns(files: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let lines: Vec<Vec<&[u8]>> =
        files.iter().map(|file| file.split_inclusive(|&byte| byte == b'\n').collect()).collect();
    let count = lines.first().map_or(0, Vec::len);
    if files.len() > 1
        && !(lines.iter().all(|lines| lines.len() == count) && files.iter().all(|file| file.ends_with(b"\n")))
    {
        return Err(
            "files of the sample that are packed together have as many lines each, all of them ended".to_owned()
        );
    }
    Ok((0..count).flat_map(|line| lines.iter().flat_map(move |lines| lines[line])).copied().collect())
}
