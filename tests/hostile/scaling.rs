//! Work and memory grow linearly in every dimension of a file.
//!
//! Work is the number of jumps that valgrind counts, which does not depend on other programs that run at the same time.
//! An ordinary run measures one command of every eighth row, at an eighth of the sizes.

use super::run::{Limits, Room, draws};
use crate::support::{everything, skip};
use bindpose::vfs::zip_of;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Largest growth from one doubling of the size to the next. It is 2 for n, 2.2 for n log n, 2.46 for n^1.3 and 4 for
/// n²; what does not depend on the size is not in it.
const WORK: f64 = 2.3;
/// Largest factor between the peaks of memory at sizes 1 and 4.
const MEMORY: f64 = 5.0;

/// A dimension: its name, a size, the function that writes its files, and commands that read them.
type Row = (&'static str, usize, fn(&Path, usize) -> io::Result<()>, &'static [&'static [&'static str]]);

const ROWS: [Row; 33] = [
    ("joints of every engine", 2_500, joints, &[&["validate", "--profile", "all", "a.md5mesh", "a.md5anim"]]),
    (
        "joints",
        8_000,
        joints,
        &[
            &["info", "a.md5mesh", "a.md5anim"],
            &["validate", "--profile", "doom3", "a.md5mesh", "a.md5anim"],
            &["dump", "a.md5mesh"],
            &["convert", "--force", "-o", "OUT.glb", "a.md5mesh"],
            &["snapshot", "record", "-o", "OUT", "a.md5mesh"],
            &["convert", "--force", "-o", "OUT.md5mesh", "--order-from", "a.md5mesh", "a.md5mesh"],
        ],
    ),
    (
        "meshes",
        2_000,
        meshes,
        &[
            &["info", "a.md5mesh"],
            &["validate", "--profile", "all", "a.md5mesh"],
            &["convert", "--force", "-o", "OUT.glb", "a.md5mesh"],
        ],
    ),
    (
        "frames",
        20_000,
        frames,
        &[
            &["info", "a.md5mesh", "a.md5anim"],
            &["validate", "--profile", "doom3", "--motion", "a.md5mesh", "a.md5anim"],
            &["convert", "--force", "-o", "OUT.glb", "a.md5mesh", "a.md5anim"],
            &["snapshot", "record", "-o", "OUT", "a.md5mesh"],
        ],
    ),
    ("frames of every engine", 4_000, frames, &[&["validate", "--profile", "all", "a.md5mesh", "a.md5anim"]]),
    ("nodes of glTF", 40_000, nodes, &[&["info", "a.gltf"], &["convert", "--force", "-o", "OUT.x", "a.gltf"]]),
    (
        "nodes over one mesh",
        4_000,
        instances,
        &[&["info", "a.gltf"], &["convert", "--force", "-o", "OUT.glb", "a.gltf"]],
    ),
    (
        "nodes in a chain",
        10_000,
        chain_of_nodes,
        &[&["info", "a.gltf"], &["convert", "--force", "-o", "OUT.glb", "a.gltf"]],
    ),
    ("warnings of glTF", 4_000, still_nodes, &[&["info", "a.gltf"]]),
    ("frames of .x", 10_000, x_frames, &[&["info", "a.x"], &["validate", "--profile", "d3dx9", "a.x"]]),
    ("frames of .x of every engine", 2_500, x_frames, &[&["validate", "--profile", "all", "a.x"]]),
    (
        "frames of one name",
        5_000,
        x_namesakes,
        &[
            &["info", "a.x"],
            &["validate", "--profile", "all", "a.x"],
            &["convert", "--force", "-o", "OUT.glb", "a.x"],
            &["convert", "--force", "-o", "OUT.x", "a.x"],
            &["snapshot", "record", "-o", "OUT", "a.x"],
        ],
    ),
    ("objects of own templates", 6_000, x_objects, &[&["validate", "--profile", "luanti,irrlicht", "a.x"]]),
    // A palette for each mesh would take 64 bytes for each joint.
    (
        "frames with meshes",
        2_000,
        x_meshes,
        &[
            &["render", "--size", "16x16", "-m", "cpu", "-o", "OUT.png", "a.x"],
            &["render", "--size", "16x16", "-m", "velocity", "-o", "OUT.png", "a.x"],
        ],
    ),
    ("keys", 50_000, keys, &[&["info", "a.x"], &["validate", "a.x"], &["convert", "--force", "-o", "OUT.glb", "a.x"]]),
    ("animation sets", 4_000, animation_sets, &[&["convert", "--force", "-o", "OUT.glb", "a.x"]]),
    ("images", 600, images, &[&["info", "a.x"], &["validate", "a.x"], &["convert", "--force", "-o", "OUT.glb", "a.x"]]),
    ("entries", 20_000, entries, &[&["ls", "a.pk4"], &["validate", "a.pk4"]]),
    ("archives", 400, archives, &[&["ls", "game"], &["ls", "--decls", "game"], &["validate", "game"]]),
    ("decls", 10_000, decls, &[&["ls", "--decls", "game"], &["validate", "game"]]),
    ("decl files", 1_000, decl_files, &[&["validate", "game"]]),
    ("keys of an entity", 10_000, entity_keys, &[&["validate", "game"], &["ls", "--decls", "game"]]),
    ("anims", 5_000, anims, &[&["validate", "game"]]),
    (
        "entities in a chain",
        5_000,
        chain_of_entities,
        &[&["validate", "game"], &["ls", "--decls", "game"], &["info", "game/def/a.def"]],
    ),
    (
        "models in chains over anims",
        2_000,
        chains_of_models,
        &[&["validate", "game"], &["ls", "--decls", "game"], &["info", "game/def/last.def"]],
    ),
    ("heirs of a model", 2_000, heirs_of_a_model, &[&["validate", "game"], &["ls", "--decls", "game"]]),
    ("heirs in files of their own", 2_000, heirs_in_files, &[&["validate", "game"]]),
    ("entities without their models", 4_000, lost_models, &[&["validate", "game"], &["ls", "--decls", "game"]]),
    (
        "folders side by side",
        600,
        folders,
        &[
            &["validate", "--profile", "doom3", "many"],
            &["snapshot", "record", "-o", "OUT", "many"],
            &["snapshot", "verify", "-s", "OUT", "many"],
        ],
    ),
    (
        "models of a folder",
        600,
        files,
        &[
            &["snapshot", "record", "-o", "OUT", "many"],
            &["snapshot", "verify", "-s", "OUT", "many"],
            &["convert", "--force", "--to", "glb", "-o", "OUT.d", "many"],
        ],
    ),
    (
        "skeletons of a folder",
        300,
        skeletons,
        &[&["validate", "--profile", "doom3", "many"], &["snapshot", "record", "-o", "OUT", "many"]],
    ),
    ("files", 300, files, &[&["validate", "--profile", "all", "many"], &["snapshot", "record", "-o", "OUT", "many"]]),
    ("skins", 20_000, skins, &[&["validate", "game"]]),
];

#[test]
fn commands_scale_with_every_dimension() {
    let (first, step, divisor) = if everything() { (0, 1, 4) } else { (1, 8, 32) };
    let mut faults = Vec::new();
    for (row, (name, size, make, commands)) in ROWS.into_iter().enumerate().skip(first).step_by(step) {
        let rooms = [1, 2, 4].map(|times| {
            let size = times * (size / divisor);
            let room = Room::new(&format!("scaling {name} {size}"));
            make(room.files(), size).unwrap();
            room
        });
        let is_measured = |number| everything() || number == row % commands.len();
        let commands = commands.iter().enumerate().filter(|(number, _)| is_measured(*number));
        for (_, arguments) in commands.filter(|(_, arguments)| arguments[0] != "render" || draws()) {
            let found = growth(&rooms, arguments).err();
            faults.extend(found.map(|fault| format!("{name}: {}: {fault}", arguments.join(" "))));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// The model of another file costs a clip no second reading. Direct3D's loader is not followed.
#[test]
fn a_clip_beside_its_model_is_read_once() {
    let Some(program) = COUNTED.as_ref() else { return skip("counted no work: valgrind or strip is not installed") };
    const KEYS: usize = 5_000;
    let room = Room::new("read once");
    keys(room.files(), KEYS).unwrap();
    let text = std::fs::read_to_string(room.files().join("a.x")).unwrap();
    let at = text.find("AnimationSet").unwrap();
    std::fs::write(room.files().join("clip.x"), format!("xof 0303txt 0032\n{}", &text[at..])).unwrap();
    std::fs::write(room.files().join("mesh.x"), &text[..at]).unwrap();
    let validate = |files: &[&str]| work(program, &room, &[&["validate", "--profile", "d3dx9"], files].concat());
    let [mesh, clip, both] = [&["mesh.x"][..], &["clip.x"], &["mesh.x", "clip.x"]].map(validate);
    // Each run starts the program, and the mesh is small.
    let factor = (both - mesh) / (clip - mesh);
    println!("{mesh} {clip} {both}, factor {factor:.3}");
    assert!(factor < 1.2, "the clip with its model is {factor:.2} times the work of the clip alone");
}

/// The engine's loader alone says if it loads a clip. All checks would read it twice more.
#[test]
fn an_engine_reads_a_clip_once() {
    let Some(program) = COUNTED.as_ref() else { return skip("counted no work: valgrind or strip is not installed") };
    let room = Room::new("read by an engine");
    frames(room.files(), 5_000).unwrap();
    let dump = |more: &[&str]| {
        work(
            program,
            &room,
            &[&["dump", "--stage", "local", "--time", "0"], more, &["a.md5mesh", "a.md5anim"]].concat(),
        )
    };
    let plain = dump(&[]);
    for engine in ["doom3", "ironwail"] {
        let factor = dump(&["--as", engine]) / plain;
        println!("{engine}: factor {factor:.3}");
        assert!(factor < 4.5, "dump --as {engine} is {factor:.2} times the work of dump");
    }
}

/// Returns an error if memory or work grow beyond the limits.
fn growth(rooms: &[Room; 3], arguments: &[&str]) -> Result<(), String> {
    let outcomes = [&rooms[0], &rooms[2]].map(|room| room.run(arguments, &[], Limits::default()));
    if let Some(outcome) = outcomes.iter().find(|outcome| outcome.code.is_none() || !outcome.faults.is_empty()) {
        return Err(outcome.faults.join("; "));
    }
    let [memory, more_memory] = outcomes.map(|outcome| outcome.memory);
    if more_memory as f64 > MEMORY * memory as f64 {
        return Err(format!("{} MiB became {} MiB", memory >> 20, more_memory >> 20));
    }
    let Some(program) = COUNTED.as_ref() else {
        skip("counted no work: valgrind or strip is not installed");
        return Ok(());
    };
    let [one, two, four] = rooms.each_ref().map(|room| work(program, room, arguments));
    let growth = (four - two) / (two - one);
    println!("{}: {one} {two} {four}, growth {growth:.3}", arguments.join(" "));
    if growth > WORK { Err(format!("jumps: {one}, {two}, {four}, growth {growth:.2}")) } else { Ok(()) }
}

/// Path of the program without symbols, which valgrind would read for seconds; `None` if it cannot be made or measured.
static COUNTED: LazyLock<Option<String>> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/hostile-stripped");
    let ran = |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    let strip = ran(Command::new("strip").args(["-o", path, env!("CARGO_BIN_EXE_bindpose")]));
    (strip && ran(Command::new("valgrind").arg("--version"))).then(|| path.to_owned())
});

/// Returns the number of jumps of a command with one thread.
fn work(program: &str, room: &Room, arguments: &[&str]) -> f64 {
    let [out, log] = ["out", "work"].map(|name| room.files().with_file_name(name).display().to_string());
    let mut command = Command::new("valgrind");
    command.args(["--tool=none", "--stats=yes", &format!("--log-file={log}"), program]);
    for argument in arguments {
        match argument.strip_prefix("OUT") {
            Some(end) => command.arg(format!("{out}{end}")),
            None => command.arg(argument),
        };
    }
    command.current_dir(room.files()).env("RAYON_NUM_THREADS", "1");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let text = std::fs::read_to_string(log).unwrap();
    let line = text.lines().find(|line| line.ends_with(" event checks.")).unwrap();
    let count = line.rsplit(' ').nth(2).unwrap().replace(',', "");
    count.parse().unwrap()
}

fn mesh(joints: usize, meshes: usize) -> String {
    let mut text = format!("MD5Version 10\ncommandline \"\"\nnumJoints {joints}\nnumMeshes {meshes}\njoints {{\n");
    for joint in 0..joints {
        let parent = if joint == 0 { -1 } else { joint as i64 / 2 };
        let _ = writeln!(text, "\"j{joint}\" {parent} ( {joint} 0 0 ) ( 0 0 0 )");
    }
    text += "}\n";
    for mesh in 0..meshes {
        let _ = writeln!(
            text,
            "mesh {{\nshader \"s{mesh}\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\n\
             numtris 1\ntri 0 0 1 2\nnumweights 3\nweight 0 {} 1 ( 0 0 0 )\nweight 1 0 1 ( 1 0 0 )\n\
             weight 2 0 1 ( 0 1 0 )\n}}",
            joints - 1
        );
    }
    text
}

fn clip(joints: usize, frames: usize) -> String {
    let mut text = format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames {frames}\nnumJoints {joints}\nframeRate 24\n\
         numAnimatedComponents {}\nhierarchy {{\n",
        6 * joints
    );
    for joint in 0..joints {
        let parent = if joint == 0 { -1 } else { joint as i64 / 2 };
        let _ = writeln!(text, "\"j{joint}\" {parent} 63 {}", 6 * joint);
    }
    text += "}\nbounds {\n";
    text += &"( 0 0 0 ) ( 1 1 1 )\n".repeat(frames);
    text += "}\nbaseframe {\n";
    text += &"( 0 0 0 ) ( 0 0 0 )\n".repeat(joints);
    text += "}\n";
    for frame in 0..frames {
        let row = format!("{} 0 0 0 0 0.{}\n", frame % 7, frame % 10);
        let _ = writeln!(text, "frame {frame} {{\n{}}}", row.repeat(joints));
    }
    text
}

fn joints(folder: &Path, count: usize) -> io::Result<()> {
    std::fs::write(folder.join("a.md5mesh"), mesh(count, 1))?;
    std::fs::write(folder.join("a.md5anim"), clip(count, 2))
}

fn meshes(folder: &Path, count: usize) -> io::Result<()> {
    std::fs::write(folder.join("a.md5mesh"), mesh(1, count))
}

fn frames(folder: &Path, count: usize) -> io::Result<()> {
    std::fs::write(folder.join("a.md5mesh"), mesh(4, 1))?;
    std::fs::write(folder.join("a.md5anim"), clip(4, count))
}

fn nodes(folder: &Path, count: usize) -> io::Result<()> {
    let node = |node: usize| {
        let children = (2 * node + 1..(2 * node + 3).min(count)).map(|child| child.to_string());
        match children.collect::<Vec<_>>().join(",") {
            none if none.is_empty() => format!("{{\"name\":\"n{node}\"}}"),
            some => format!("{{\"name\":\"n{node}\",\"children\":[{some}]}}"),
        }
    };
    let nodes = (0..count).map(node).collect::<Vec<_>>().join(",");
    let text =
        format!("{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{nodes}]}}");
    std::fs::write(folder.join("a.gltf"), text)
}

/// Writes nodes that all show one mesh.
fn instances(folder: &Path, count: usize) -> io::Result<()> {
    shown_nodes(folder, (0..count).collect(), &vec!["{\"mesh\":0}".to_owned(); count], "")
}

/// Writes nodes below each other that show a mesh, and a skin's joints below the last.
fn chain_of_nodes(folder: &Path, count: usize) -> io::Result<()> {
    let joints = (count..2 * count).map(|joint| joint.to_string()).collect::<Vec<_>>().join(",");
    let mut nodes: Vec<String> = (1..count).map(|next| format!("{{\"mesh\":0,\"children\":[{next}]}}")).collect();
    nodes.push(format!("{{\"children\":[{joints}]}}"));
    nodes.resize(2 * count, "{}".to_owned());
    nodes.push("{\"mesh\":0,\"skin\":0}".to_owned());
    shown_nodes(folder, vec![0, 2 * count], &nodes, &format!(",\"skins\":[{{\"joints\":[{joints}]}}]"))
}

/// Writes nodes with a rotation of zero length.
fn still_nodes(folder: &Path, count: usize) -> io::Result<()> {
    shown_nodes(folder, (0..count).collect(), &vec!["{\"rotation\":[0,0,0,0]}".to_owned(); count], "")
}

/// Writes a scene with a mesh of one triangle.
fn shown_nodes(folder: &Path, roots: Vec<usize>, nodes: &[String], more: &str) -> io::Result<()> {
    let nodes = nodes.join(",");
    // Three corners: (0, 0, 0), (1, 0, 0) and (0, 1, 0).
    let corners = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    let text = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":{roots:?}}}],\"nodes\":[{nodes}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\
         \"buffers\":[{{\"byteLength\":36,\"uri\":\"{corners}\"}}],\"bufferViews\":[{{\"buffer\":0,\"byteLength\":36}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}}]{more}}}"
    );
    std::fs::write(folder.join("a.gltf"), text)
}

fn x(folder: &Path, body: &str) -> io::Result<()> {
    std::fs::write(folder.join("a.x"), format!("xof 0303txt 0032\n{body}"))
}

fn x_frames(folder: &Path, count: usize) -> io::Result<()> {
    let frame = |frame| format!("Frame F{frame} {{ FrameTransformMatrix {{ 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; }} }}\n");
    x(folder, &(0..count).map(frame).collect::<String>())
}

fn x_namesakes(folder: &Path, count: usize) -> io::Result<()> {
    x(folder, &"Frame F { }\n".repeat(count))
}

/// Writes objects of the file's own templates.
fn x_objects(folder: &Path, count: usize) -> io::Result<()> {
    let template = |number| format!("template T{number} {{ <{number:08X}-5E2E-11CF-8F52-0040333594A3> DWORD a; }}\n");
    let objects = (0..count).map(|number| format!("T{number} {{ 5; }}\n"));
    x(folder, &(0..count).map(template).chain(objects).collect::<String>())
}

/// Writes frames with a mesh each.
fn x_meshes(folder: &Path, count: usize) -> io::Result<()> {
    let frame = |frame| format!("Frame F{frame} {{ Mesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }} }}\n");
    x(folder, &(0..count).map(frame).collect::<String>())
}

/// Sets without names, which the importer numbers.
fn animation_sets(folder: &Path, count: usize) -> io::Result<()> {
    let set = "AnimationSet { Animation { {a} AnimationKey { 2; 2; 0;3;0,0,0;;, 9;3;1,0,0;;; } } }\n";
    let frame = "xof 0303txt 0032\nFrame a { Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; } }\n";
    std::fs::write(folder.join("a.x"), frame.to_owned() + &set.repeat(count))
}

fn keys(folder: &Path, count: usize) -> io::Result<()> {
    let keys = (0..count).map(|key| format!("{key};3;{},0,0;;", key % 9)).collect::<Vec<_>>().join(",\n");
    let mesh = "Frame F { Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; } }";
    x(
        folder,
        &format!("{mesh}\nAnimationSet A {{ Animation {{ {{ F }} AnimationKey {{ 2; {count};\n{keys}; }} }} }}\n"),
    )
}

fn images(folder: &Path, count: usize) -> io::Result<()> {
    let of = |text: fn(usize) -> String, between: &str| (0..count).map(text).collect::<Vec<_>>().join(between);
    let material =
        |number: usize| format!("Material {{ 1;1;1;1;; 1; 0;0;0;; 0;0;0;; TextureFilename {{ \"t{number}.tga\"; }} }}");
    let (faces, numbers) = (of(|_| "3;0,1,2;".to_owned(), ", "), of(|number| number.to_string(), ", "));
    for number in 0..count {
        let (low, high) = ((number % 256) as u8, (number / 256) as u8);
        let image = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, low, high, 0];
        std::fs::write(folder.join(format!("t{number}.tga")), image)?;
    }
    x(
        folder,
        &format!(
            "Mesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; {count}; {faces};\n\
             MeshMaterialList {{ {count}; {count}; {numbers};\n{} }} }}\n",
            of(material, "\n")
        ),
    )
}

/// Writes a game of archives, each with a material.
fn archives(folder: &Path, count: usize) -> io::Result<()> {
    std::fs::create_dir(folder.join("game"))?;
    (0..count).try_for_each(|number| {
        let material = format!("m/{number} {{ diffusemap textures/{number} }}\n");
        let bytes = zip_of([(format!("materials/a{number}.mtr"), material)])?;
        std::fs::write(folder.join(format!("game/pak{number:05}.pk4")), bytes)
    })
}

/// Writes an archive of files of one byte.
fn entries(folder: &Path, count: usize) -> io::Result<()> {
    let files = (0..count).map(|entry| (format!("models/m{}/a{entry}.txt", entry % 50), "x"));
    std::fs::write(folder.join("a.pk4"), zip_of(files)?)
}

fn decls(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/materials");
    std::fs::create_dir_all(&folder)?;
    let decl = |decl| format!("m/{decl} {{ diffusemap textures/{decl} }}\n");
    std::fs::write(folder.join("a.mtr"), (0..count).map(decl).collect::<String>())
}

/// Writes skins of a game without materials.
fn skins(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/skins");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(
        folder.join("a.skin"),
        (0..count).map(|skin| format!("s/{skin} {{ a m/{skin} }}\n")).collect::<String>(),
    )
}

/// Writes a file for each material, whose image is missing.
fn decl_files(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/materials");
    std::fs::create_dir_all(&folder)?;
    (0..count).try_for_each(|decl| {
        std::fs::write(folder.join(format!("a{decl}.mtr")), format!("m/{decl} {{ diffusemap textures/{decl} }}\n"))
    })
}

fn entity_keys(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let keys = (0..count).map(|key| format!("\"key\" \"{key}\"\n")).collect::<String>();
    std::fs::write(folder.join("a.def"), format!("entityDef e {{\n{keys}}}\n"))
}

/// Writes a model decl with anims, and one that inherits it, and removes each and declares each twice.
fn anims(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let list = |line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    let (own, removed) =
        (list(|anim| format!("anim walk{anim}_ a.md5anim\n")), list(|anim| format!("remove walk{anim}_\n")));
    let text = format!("model a {{ mesh a.md5mesh\n{own} }}\nmodel b {{ inherit a\n{removed}{own}{own} }}\n");
    std::fs::write(folder.join("a.def"), text)
}

/// Writes entities, each before the one that it inherits from.
fn chain_of_entities(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let entity = |number| format!("entityDef e{number} {{ \"inherit\" \"e{}\" }}\n", number + 1);
    std::fs::write(folder.join("a.def"), (0..count).map(entity).collect::<String>())
}

/// Writes a model decl with anims, and chains of 63 others that inherit from it and declare one more.
fn chains_of_models(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let own = (0..count).map(|anim| format!("anim walk{anim}_ a.md5anim\n")).collect::<String>();
    let heir = |number: usize| {
        let parent = if number.is_multiple_of(63) { "base".to_owned() } else { format!("m{}", number - 1) };
        format!("model m{number} {{ inherit {parent} remove walk{number}_ anim run{number}_ a.md5anim }}\n")
    };
    let heirs = (0..count).map(heir).collect::<String>();
    std::fs::write(folder.join("a.def"), format!("model base {{ mesh a.md5mesh\n{own} }}\n{heirs}"))?;
    std::fs::write(folder.join("last.def"), "entityDef last { \"model\" \"m62\" }\n")
}

/// Writes a model decl with anims, and models and entities that inherit from it, and name one of its anims.
fn heirs_of_a_model(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let own = (0..count).map(|anim| format!("anim walk{anim}_ a.md5anim\n")).collect::<String>();
    let heir = |number| {
        format!(
            "model m{number} {{ inherit base remove walk{number}_ }}\n\
             entityDef e{number} {{ \"inherit\" \"base\" \"anim\" \"none{number}_\" \"ragdoll\" \"r\" }}\n"
        )
    };
    let heirs = (0..count).map(heir).collect::<String>();
    let base = format!("model base {{ mesh a.md5mesh\n{own} }}\nentityDef base {{ \"model\" \"base\" }}\n");
    std::fs::write(folder.join("a.def"), base + &heirs)
}

/// Writes a model decl with anims, and a file for every twenty models that inherit from it.
fn heirs_in_files(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let own = (0..count).map(|anim| format!("anim walk{anim}_ a.md5anim\n")).collect::<String>();
    std::fs::write(folder.join("a.def"), format!("model base {{ mesh a.md5mesh\n{own} }}\n"))?;
    (0..count).step_by(20).try_for_each(|first| {
        let heir = |number| format!("model m{number} {{ inherit base remove walk{number}_ }}\n");
        std::fs::write(folder.join(format!("{first}.def")), (first..first + 20).map(heir).collect::<String>())
    })
}

/// Writes entities with misspelt names of models.
fn lost_models(folder: &Path, count: usize) -> io::Result<()> {
    let folder = folder.join("game/def");
    std::fs::create_dir_all(&folder)?;
    let pair = |number| {
        format!("model model{number} {{ mesh a.md5mesh }}\nentityDef e{number} {{ \"model\" \"models{number}\" }}\n")
    };
    std::fs::write(folder.join("a.def"), (0..count).map(pair).collect::<String>())
}

/// Writes folders with a mesh and its clip, whose joints occur nowhere else.
fn folders(folder: &Path, count: usize) -> io::Result<()> {
    (0..count).try_for_each(|number| skeleton(&folder.join(format!("many/m{number}")), "a", number))
}

fn skeletons(folder: &Path, count: usize) -> io::Result<()> {
    (0..count).try_for_each(|number| skeleton(&folder.join("many"), &format!("a{number}"), number))
}

/// Writes a mesh and a clip with joint names that no other pair has.
fn skeleton(folder: &Path, name: &str, number: usize) -> io::Result<()> {
    let named = |text: String| text.replace("\"j", &format!("\"j{number}_"));
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{name}.md5mesh")), named(mesh(2, 1)))?;
    std::fs::write(folder.join(format!("{name}.md5anim")), named(clip(2, 2)))
}

fn files(folder: &Path, count: usize) -> io::Result<()> {
    std::fs::create_dir(folder.join("many"))?;
    (0..count).try_for_each(|file| std::fs::write(folder.join(format!("many/m{file}.md5mesh")), mesh(2, 1)))
}
