//! Hostile files, folders and arguments for every command. No command uses more time or memory than the input's size
//! justifies, ends by a signal or a panic, or writes a byte that controls a terminal. Each has the exit code of the
//! table.
//!
//! By default, each kind of file is given to a quarter of the commands, and each command gets a quarter of the kinds.
//! `BINDPOSE_TESTS=all` runs all commands on all kinds, and creates the large files. `cargo test --test all hostile`
//! runs only these tests.

mod files;
mod names;
mod run;
mod scaling;

use crate::support::is_sampled;
use run::{Limits, Room};
use std::io;
use std::path::Path;

/// In an ordinary run, one command of this many is run on a kind of files.
const STEP: usize = 4;

/// Defines a test for each kind of file: the worst exit code of each of [`COMMANDS`] (`-` if it depends on the
/// selection of files), and a function that fills a folder, with `true` for the full size.
macro_rules! files {
    ($($name:ident $codes:literal $make:expr;)*) => {
        const KINDS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $codes, $make);
            }
        )*
    };
}

// info, info --batches, dump, dump --stage document, validate, validate --profile all, render to .png and .gif,
// snapshot record, snapshot verify, snapshot show, compare, convert to glTF, to IQM, to OBJ, to MD5, to .x
#[rustfmt::skip]
files! {
    joints_x_frames       "01100111111111111" |to, full| files::joints_by_frames(to, size(full, 10_000, 100_000), size(full, 10_000, 50_000));
    vertices_x_weights    "01100111111111111" |to, full| files::vertices_by_weights(to, size(full, 10_000, 70_000));
    shared_weights        "10101111101111111" |to, full| files::shared_weights(to, size(full, 4_000, 100_000));
    counts                "11111111111111211" |to, full| files::counts(to, size(full, 1_000, 20_000), size(full, 1 << 20, 32 << 20));
    // glTF counts joints up to 65,536, which the full size exceeds.
    a_chain_of_joints     "000001000010-2002" |to, full| files::chain(to, size(full, 2_000, 100_000));
    meshes                "00000100001000000" |to, full| files::meshes(to, size(full, 300, 20_000));
    references_to_a_mesh  "01100111111111111" |to, full| files::references(to, 20_000, size(full, 300, 1_000));
    sets_x_frames         "00000100001000000" |to, full| files::sets_by_frames(to, size(full, 2_000, 60_000), size(full, 5_000, 260_000));
    a_late_key            "00000102001002021" |to, _| files::late_key(to);
    materials             "00000100001000000" |to, full| files::materials(to, size(full, 500, 40_000));
    bones                 "00000100001002000" |to, full| files::bones(to, size(full, 500, 20_000));
    sets_of_joints        "00000100001002000" |to, full| files::joint_sets(to, size(full, 300, 20_000), size(full, 500, 40_000));
    separators            "11111111111111211" |to, full| files::separators(to, size(full, 500, 200_000));
    frames_in_frames      "11111111111111111" |to, full| files::nested(to, size(full, 300, 1_000_000));
    frames_250_deep       "00000100001000210" |to, _| files::nested(to, 250);
    a_bomb_of_braces      "11111111111111111" |to, full| files::bomb(to, "{", size(full, 80 << 20, 900 << 20));
    a_bomb_of_objects     "11111111111111111" |to, full| files::bomb(to, "Frame A{}\n", size(full, 80 << 20, 900 << 20));
    a_bomb_of_numbers     "11111111111111111" |to, full| files::bomb(to, "A{1;2;3;4;}\n", size(full, 80 << 20, 900 << 20));
    // Its snapshot has a compression ratio of 700. As .x, the full size of the first has more objects than D3DX
    // supports.
    packed_objects        "0000010000100021-" |to, full| files::bomb(to, "Frame A{}\n", size(full, 1 << 17, 4 << 20));
    packed_numbers        "00000100001022222" |to, full| files::bomb(to, "A{1;2;3;4;}\n", size(full, 1 << 18, 4 << 20));
    a_long_name           "00000100001000000" |to, full| files::long_name(to, size(full, 1 << 18, 30 << 20));
    one_line              "11111111111111111" |to, full| files::long_line(to, size(full, 1 << 18, 60 << 20));
    faults                "11111111111111111" |to, full| files::faults(to, size(full, 2_000, 200_000));
    control_bytes         "11111111111111211" |to, _| files::control(to);
    names_of_files        "11111111111111111" |to, _| files::names(to);
    no_files              "22222222222222222" |to, _| files::no_files(to);
    empty_files           "12221111111122222" |to, _| files::empty(to);
    // Clips of some of these files have numbers that glTF and IQM do not support, or more frames than are drawn.
    numbers               "1111111-1111--211" |to, full| files::numbers(to, size(full, 29, 1));
    textures              "00000111001110000" |to, _| files::textures(to);
    a_snapshot            "11121111111111111" |to, full| files::snapshot_bomb(to, size(full, 32 << 20, 350 << 20));
}

/// Returns a size for an ordinary or the full run.
const fn size(full: bool, ordinary: usize, everything: usize) -> usize {
    if full { everything } else { ordinary }
}

/// Commands: the index of the exit code in a row, and arguments. `FILE` is replaced by each file in turn, `FILES` by
/// all of them, `OUT` by an output path.
const COMMANDS: [(usize, &[&str]); 26] = [
    (0, &["info", "FILES"]),
    (0, &["info", "--json", "FILES"]),
    (1, &["info", "--batches", "FILE"]),
    (2, &["dump", "FILE"]),
    (2, &["dump", "--stage", "vertices", "--format", "json", "FILE"]),
    (3, &["dump", "--stage", "document", "FILE"]),
    (4, &["validate", "FILES"]),
    (4, &["validate", "--format", "short", "FILES"]),
    (4, &["validate", "--format", "json", "FILES"]),
    (4, &["validate", "--format", "sarif", "FILES"]),
    (4, &["validate", "--format", "github", "FILES"]),
    (4, &["validate", "--fix", "-o", "OUT.fixed", "FILES"]),
    (5, &["validate", "--profile", "all", "FILES"]),
    (6, &["render", "--size", "64x64", "-o", "OUT.png", "FILE"]),
    (7, &["render", "--size", "64x64", "-o", "OUT.gif", "FILE"]),
    (8, &["snapshot", "record", "-o", "OUT", "FILES"]),
    (9, &["snapshot", "verify", "-s", "OUT", "FILES"]),
    (10, &["snapshot", "show", "FILES"]),
    (10, &["snapshot", "show", "--summary", "--format", "json", "FILES"]),
    (11, &["compare", "--size", "32x32", "-m", "cpu,dqs", "-o", "OUT.compare", "FILE"]),
    (12, &["convert", "--force", "-o", "OUT.glb", "FILE"]),
    (12, &["convert", "--force", "-o", "OUT.gltf", "FILE"]),
    (13, &["convert", "--force", "-o", "OUT.iqm", "FILE"]),
    (14, &["convert", "--force", "-o", "OUT.obj", "FILE"]),
    (15, &["convert", "--force", "-o", "OUT.md5mesh", "FILE"]),
    (16, &["convert", "--force", "-o", "OUT.x", "FILE"]),
];

/// Arguments that request too much by themselves, and the exit code.
const ARGUMENTS: [(&[&str], u8); 17] = [
    (&["methods"], 0),
    (&["methods", "--json"], 0),
    (&["explain", "\u{1b}[31mMD5M001\u{9b}"], 2),
    (&["explain", "MD5M999999999999999999999"], 2),
    (&["render", "X", "-o", "a.gif", "--ticks-per-second", "1e-300"], 2),
    (&["render", "MESH", "-o", "a.png", "--size", "4000000000x4000000000"], 2),
    (&["render", "MESH", "-o", "a.png", "--copies", "4000000000"], 2),
    (&["render", "MESH", "ANIM", "-o", "a.gif", "--fps", "1e300"], 2),
    (&["render", "MESH", "ANIM", "-o", "a.png", "--time", "nan"], 2),
    (&["render", "MESH", "ANIM", "-o", "a.png", "--time", "1e300"], 2),
    (&["render", "MESH", "-o", "a.png", "--shaders", "/dev/zero"], 2),
    (&["dump", "MESH", "ANIM", "--stage", "local", "--time", "nan"], 2),
    (&["dump", "MESH", "ANIM", "--stage", "local", "--frames", "0-4000000000"], 2),
    (&["validate", "MESH", "--config", "/dev/zero"], 2),
    (&["validate", "MESH", "--config", "/dev/null"], 0),
    (&["validate", "MESH", "--config", "\u{1b}[31mnot there"], 2),
    (&["snapshot", "verify", "MESH", "-s", "/dev/zero"], 2),
];

fn check(name: &str, codes: &str, make: fn(&Path, bool) -> io::Result<()>) {
    let room = Room::new(name);
    make(room.files(), full()).unwrap();
    let files = room.list();
    let kind = KINDS.iter().position(|kind| *kind == name).expect("a kind");
    let mut faults = Vec::new();
    for (number, (column, arguments)) in COMMANDS.into_iter().enumerate() {
        // Neighbours go together, because `snapshot verify` needs what `snapshot record` wrote.
        if !is_sampled(kind, number.div_ceil(2), STEP) {
            continue;
        }
        if ["render", "compare"].contains(&arguments[0]) && !run::draws() {
            continue;
        }
        // Of hundreds of files that differ in one number, only some are dumped and drawn.
        let step = if arguments.contains(&"FILE") { files.len().div_ceil(if full() { 400 } else { 12 }) } else { 1 };
        let each: Vec<Vec<&Path>> = match arguments.contains(&"FILE") {
            true => files.iter().step_by(step).map(|file| vec![file.as_path()]).collect(),
            false => vec![files.iter().map(|file| file.as_path()).collect()],
        };
        let mut worst = Some(0);
        for files in each {
            let outcome = room.run(arguments, &files, Limits::default());
            worst = worst.max(outcome.code).filter(|_| outcome.code.is_some());
            faults.extend(outcome.faults);
        }
        let expected = char::from(codes.as_bytes()[column]);
        if let Some(worst) = worst.filter(|worst| expected != '-' && char::from(b'0' + worst) != expected) {
            faults.push(format!("{}: exit code {worst}, expected {expected}", arguments.join(" ")));
        }
    }
    // Recorded snapshots can be read.
    let taken = room.taken();
    if !taken.is_empty() {
        let taken: Vec<&Path> = taken.iter().map(|path| path.as_path()).collect();
        let outcome =
            room.run(&["snapshot", "show", "--summary", "--format", "json", "FILES"], &taken, Limits::default());
        if let Some(code) = outcome.code.filter(|code| *code != 0) {
            faults.push(format!("{}: exit code {code}, expected 0", outcome.command));
        }
        faults.extend(outcome.faults);
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn hostile_arguments_are_refused() {
    let room = Room::new("arguments");
    let mut faults = Vec::new();
    for (arguments, code) in ARGUMENTS {
        if arguments[0] == "render" && !run::draws() {
            continue;
        }
        let outcome = room.run(arguments, &[], Limits::default());
        if let Some(found) = outcome.code.filter(|found| *found != code) {
            faults.push(format!("{}: exit code {found}, expected {code}", outcome.command));
        }
        faults.extend(outcome.faults);
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn hostile_folders_and_options_are_handled() {
    let room = Room::new("folders");
    let count = size(full(), 600, 20_000);
    files::many(room.files(), count).unwrap();
    files::config(room.files(), size(full(), 20_000, 1_000_000)).unwrap();
    files::archives(room.files(), size(full(), 32 << 20, 80 << 20)).unwrap();
    let limits = Limits { output: (2 << 20) + count * (20 << 10), ..Limits::default() };
    std::fs::create_dir(room.files().join("base")).unwrap();
    for name in ["lie.pk4", "bomb.pk4", "cut.pk4", "many.pk4"] {
        std::fs::copy(room.files().join(name), room.files().join("base").join(name)).unwrap();
    }
    let runs: [(&[&str], u8); 15] = [
        (&["info", "lie.pk4:a.md5mesh"], 2),
        (&["validate", "lie.pk4"], 1),
        (&["info", "bomb.pk4:zeros.md5mesh"], 1),
        (&["validate", "--format", "short", "bomb.pk4"], 1),
        (&["info", "--max-memory", "4M", "bomb.pk4:zeros.md5mesh"], 2),
        (&["ls", "many.pk4"], 2),
        (&["ls", "cut.pk4"], 2),
        (&["validate", "cut.pk4"], 1),
        (&["validate", "--format", "short", "base"], 1),
        (&["validate", "--format", "short", "many"], 0),
        (&["validate", "--profile", "all", "many"], 1),
        (&["snapshot", "record", "-o", "OUT", "many"], 0),
        (&["validate", "base.md5mesh", "--config", "deep.toml"], 2),
        (&["validate", "base.md5mesh", "--config", "tables.toml"], 2),
        (&["validate", "base.md5mesh", "--config", "word.toml"], 2),
    ];
    let mut faults = Vec::new();
    for (arguments, code) in runs {
        let outcome = room.run(arguments, &[], limits);
        if let Some(found) = outcome.code.filter(|found| *found != code) {
            faults.push(format!("{}: exit code {found}, expected {code}", outcome.command));
        }
        faults.extend(outcome.faults);
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// 20,000 decl files with 1 MB each in 22 MB of archive, or two with 500 MB. The model next to them is read without
/// them.
#[test]
fn hostile_games_are_handled() {
    let large = size(full(), 40 << 20, 500 << 20);
    let mut faults = Vec::new();
    for (name, count, blanks) in [("many-decls", size(full(), 600, 20_000), 1 << 20), ("large-decls", 2, large)] {
        let room = Room::new(name);
        files::decls(room.files(), count, blanks).unwrap();
        let limits = Limits { memory: 800 << 20, ..Limits::default() };
        let runs: [&[&str]; 4] = [
            &["dump", "game/models/base.md5mesh"],
            &["info", "game/models/base.md5mesh"],
            &["ls", "--decls", "--base", "game"],
            &["render", "--size", "64x64", "-v", "-o", "OUT.png", "game/models/base.md5mesh"],
        ];
        for arguments in runs.into_iter().filter(|arguments| arguments[0] != "render" || run::draws()) {
            let outcome = room.run(arguments, &[], limits);
            if outcome.code != Some(0) {
                faults.push(format!("{name}: {}: exit code {:?}", outcome.command, outcome.code));
            }
            faults.extend(outcome.faults);
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Half a megabyte that a PNG's decoder would unpack to 500 MB before it knows the size of the image. The peak that the
/// system tells is at least that of the tests' own process.
#[test]
fn colour_profiles_are_not_unpacked() {
    let room = Room::new("profile");
    files::profile_bomb(room.files(), 500 << 20).unwrap();
    let limits = Limits { memory: 480 << 20, ..Limits::default() };
    let outcome = room.run(&["convert", "texel.x", "-o", "OUT.glb", "--max-memory", "128M"], &[], limits);
    assert_eq!((outcome.code, outcome.faults), (Some(0), Vec::new()));
}

/// Two clips of 1,300,000 joint poses each: the samples of one take about 400 MB.
#[test]
fn models_side_by_side_share_the_memory_limit() {
    let room = Room::new("shared-limit");
    files::long_clips(room.files(), 2, 65_000).unwrap();
    let record = |limit| {
        let limits = Limits { memory: 600 << 20, cpu: std::time::Duration::from_secs(40), ..Limits::default() };
        room.run(&["snapshot", "record", ".", "-o", "OUT", "--max-memory", limit], &[], limits)
    };
    let outcome = record("520M");
    assert_eq!((outcome.code, outcome.faults, room.taken().len()), (Some(0), Vec::new(), 2));
    let outcome = record("200M");
    assert_eq!((outcome.code, outcome.faults), (Some(2), Vec::new()), "each alone is too large");
    let differ = ["snapshot", "diff", "c0.md5anim", "c1.md5anim", "--max-memory", "200M"];
    assert_eq!(room.run(&differ, &[], Limits::default()).code, Some(2), "each alone is too large");
}

/// Joints times channels.
#[test]
fn channels_of_many_joints_are_checked_quickly() {
    let room = Room::new("channels");
    files::channels(room.files(), size(full(), 5_000, 20_000), size(full(), 50_000, 100_000)).unwrap();
    let outcome = room.run(&["validate", "--format", "short", "game"], &[], Limits::default());
    assert_eq!((outcome.code, outcome.faults), (Some(0), Vec::new()));
}

/// Exceeding a file-size limit is a normal error. A closed terminal, Ctrl-\ and a limit of CPU time end the command.
#[test]
fn interrupted_commands_leave_no_unfinished_files() {
    use std::process::{Command, Stdio};
    let room = Room::new("interrupted");
    files::meshes(room.files(), 300).unwrap();
    let names =
        || -> Vec<_> { std::fs::read_dir(room.files()).unwrap().map(|entry| entry.unwrap().file_name()).collect() };
    let start = |script: &str, arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_bindpose")]).args(arguments);
        command.current_dir(room.files()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let limited = start("ulimit -f 4; exec \"$@\"", &["convert", "mesh.md5mesh", "-o", "a.glb"]).wait().unwrap();
    assert_eq!((limited.code(), names()), (Some(2), vec!["mesh.md5mesh".into()]));
    if !run::draws() {
        return;
    }
    const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/md5/");
    let model = format!("{DATA}mannequin_light.md5mesh");
    for (signal, code) in [("HUP", 129), ("QUIT", 131), ("XCPU", 152)] {
        let mut drawing = start(
            "exec env --default-signal=HUP,QUIT,XCPU \"$@\"",
            &["render", &model, "--clip", "walk", "--copies", "9", "-o", "a.gif"],
        );
        while names().len() < 2 && drawing.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert!(Command::new("kill").args(["-s", signal, &drawing.id().to_string()]).status().unwrap().success());
        let ended = drawing.wait().unwrap().code();
        assert_eq!((ended, names()), (Some(code), vec!["mesh.md5mesh".into()]), "{signal}");
    }
}

fn full() -> bool {
    crate::support::everything()
}
