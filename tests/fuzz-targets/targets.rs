//! Fuzz targets: functions that accept any bytes and panic if a guarantee is broken.
//!
//! Two programs use this file. `tests/fuzzing.rs` runs each on a bounded number of changed seeds in every test run, and
//! the binaries in this folder connect them to libFuzzer (`tests/fuzz MINUTES`).

use bindpose::diagnostic::Severity;
use bindpose::dump;
use bindpose::export;
use bindpose::game;
use bindpose::game::program::{self, Notes, Pixels};
use bindpose::image_search;
use bindpose::load::{LoadOptions, load_bytes};
use bindpose::model::Model;
use bindpose::model::surface::Inputs;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose::skin::{Skinned, linear};
use bindpose::snapshot::{Check, Snapshot};
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{self, Input, Validation, fix};
use bindpose_parsers::decl::{self, DeclKind};
use bindpose_parsers::md5::{parse_anim, parse_camera, parse_mesh, write_anim, write_camera, write_mesh};
use bindpose_parsers::quake;
use bindpose_parsers::x::{self, Encoding, Fault, Reading};
use codespan_reporting::term::termcolor::NoColor;
use std::path::PathBuf;
use std::sync::Arc;

/// Parses a `.md5mesh`. If it loads, it is written, and if the result loads, it must be the same document.
pub fn md5mesh(bytes: &[u8]) {
    let Ok(parsed) = parse_mesh(bytes) else { return };
    let mut text = Vec::new();
    if write_mesh(&parsed.document, &mut text).is_err() {
        return;
    }
    // A count that fits a long file may be too large for the shorter one, which is then refused, or ends before a mesh
    // that numMeshes does not count.
    let meshes = parsed.document.meshes.len();
    let Ok(parsed) = parse_mesh(&text) else { return };
    if parsed.document.meshes.len() < meshes {
        return;
    }
    let mut again = Vec::new();
    write_mesh(&parsed.document, &mut again).expect("the file that was read can be written");
    assert_eq!(text, again);
}

/// Parses a `.md5anim`, like [`md5mesh`].
pub fn md5anim(bytes: &[u8]) {
    let Ok(parsed) = parse_anim(bytes) else { return };
    let mut text = Vec::new();
    if write_anim(&parsed.document, &mut text).is_err() {
        return;
    }
    // A count that fits a long file may be too large for the shorter one.
    let Ok(parsed) = parse_anim(&text) else { return };
    let mut again = Vec::new();
    write_anim(&parsed.document, &mut again).expect("the file that was read can be written");
    assert_eq!(text, again);
}

/// Parses a `.md5camera`, like [`md5mesh`].
pub fn md5camera(bytes: &[u8]) {
    let Ok(parsed) = parse_camera(bytes) else { return };
    let mut text = Vec::new();
    if write_camera(&parsed.document, &mut text).is_err() {
        return;
    }
    // A count that fits a long file may be too large for the shorter one.
    let Ok(parsed) = parse_camera(&text) else { return };
    let mut again = Vec::new();
    write_camera(&parsed.document, &mut again).expect("the file that was read can be written");
    assert_eq!(text, again);
}

/// Parses the body of a text `.x`.
pub fn x_text(body: &[u8]) {
    x_file(&[b"xof 0303txt 0032\n".as_slice(), body].concat());
}

/// Parses the body of a binary `.x`.
pub fn x_binary(body: &[u8]) {
    x_file(&[b"xof 0303bin 0032".as_slice(), body].concat());
}

/// Parses the body of a compressed `.x`.
pub fn x_compressed(body: &[u8]) {
    x_file(&[b"xof 0303bzip0032".as_slice(), body].concat());
}

/// Parses a `.x` file both ways. They agree about files that D3DX refuses, and loaded files can be written and read.
fn x_file(bytes: &[u8]) {
    let strict = x::unpack(bytes, Reading::Strict).is_ok_and(|file| x::parse(&file, Reading::Strict).is_ok());
    let lenient = x::unpack(bytes, Reading::Lenient);
    let Ok(file) = lenient else { return assert!(!strict) };
    let Ok(parsed) = x::parse(&file, Reading::Lenient) else { return assert!(!strict) };
    let refused = parsed.warnings.iter().chain(&file.warnings).any(|warning| warning.kind.d3dx().is_some());
    assert_eq!(strict, !refused, "the readings agree about what D3DX refuses");
    let written = x::write(&parsed.document, Encoding::BINARY.compressed());
    let again = x::unpack(&written, Reading::Strict).expect("the written file can be unpacked");
    x::parse(&again, Reading::Lenient).expect("the written file can be read");
}

/// Writes a whole `.x` file. Document and tree can be read again in every encoding. If nothing was repaired, writing
/// again gives the same bytes.
pub fn x_writers(bytes: &[u8]) {
    let Ok(file) = x::unpack(bytes, Reading::Lenient) else { return };
    let Ok(parsed) = x::parse(&file, Reading::Lenient) else { return };
    for encoding in [Encoding::TEXT, Encoding::BINARY, Encoding::TEXT.compressed(), Encoding::BINARY.compressed()] {
        let written = x::write(&parsed.document, encoding);
        let file = x::unpack(&written, Reading::Lenient).expect("the written file can be unpacked");
        let again = x::parse(&file, Reading::Lenient).expect("the written file can be read");
        if again.warnings.is_empty() {
            assert_eq!(x::write(&again.document, encoding), written, "the document in {encoding:?}");
        }
        let written = x::write_tree(&parsed.tree, encoding);
        let file = x::unpack(&written, Reading::Lenient).expect("the written file can be unpacked");
        let again = match x::parse(&file, Reading::Lenient) {
            Ok(again) => again,
            // A count that fits a long file may be too large for a shorter one.
            Err(error) if matches!(error.kind, Fault::CountTooLarge { .. }) => continue,
            Err(error) => panic!("the written file can be read: {error}"),
        };
        if again.warnings.is_empty() {
            assert_eq!(x::write_tree(&again.tree, encoding), written, "the tree in {encoding:?}");
        }
    }
}

/// Returns an extension for bytes: that of the format whose header they have, otherwise one chosen by the first byte.
fn name_for(bytes: &[u8]) -> &'static str {
    let has = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    match bytes {
        _ if bytes.starts_with(b"xof") => "m.x",
        _ if bytes.starts_with(b"glTF") || has("\"asset\"") => "m.gltf",
        _ if has("numCuts") => "m.md5camera",
        _ if has("hierarchy") || has("baseframe") => "m.md5anim",
        _ => "m.md5mesh",
    }
}

/// Returns the model of one file, if there is one.
fn model_of(bytes: &[u8]) -> Option<Arc<Model>> {
    load_bytes(vec![(PathBuf::from(name_for(bytes)), bytes.to_vec())], &LoadOptions::default()).ok().map(|it| it.model)
}

/// Imports, poses and skins a file, and checks the model's guarantees.
pub fn show(bytes: &[u8]) {
    let Some(model) = model_of(bytes) else { return };
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut skinned = Skinned::default();
    let mut draw = |local: &LocalPose| {
        local_to_model(&model.skeleton, local, &mut pose);
        for mesh in &model.meshes {
            linear(mesh, &pose, &mut skinned);
            assert_eq!(skinned.positions.len(), mesh.vertex_count());
            assert_eq!(skinned.normals.len(), mesh.vertex_count());
            assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertex_count()));
        }
    };
    rest(&model.skeleton, &mut local);
    draw(&local);
    for clip in &model.clips {
        assert_eq!(clip.joints.len(), model.skeleton.len());
        for time in [0.0, clip.duration / 3.0, clip.duration, -1.0] {
            sample(&model.skeleton, clip, time, &mut local);
            draw(&local);
        }
    }
}

/// Imports, poses and skins a glTF file. If it loads, it is written, and the result can be read.
pub fn gltf(bytes: &[u8]) {
    show(bytes);
    let Some(model) = model_of(bytes) else { return };
    let options = export::gltf::Options { influences: None, ..export::gltf::Options::default() };
    let Ok(output) = export::gltf::write(&model, &options) else { return };
    let files = vec![(PathBuf::from("m.glb"), output.bytes)];
    let back = load_bytes(files, &LoadOptions::default()).expect("the written file can be read").model;
    // Without a vertex there is no skin, and without a skin no node is a joint.
    let bare = model.meshes.iter().all(|mesh| mesh.vertex_count() == 0);
    assert!(back.skeleton.len() >= model.skeleton.len() || bare);
}

/// Reads a model of Quake, Quake II or Quake III, and imports it.
pub fn vertex_model(bytes: &[u8]) {
    let Ok(file) = quake::parse(bytes) else { return };
    assert!(!file.frames.is_empty());
    let skins = match &file.skins {
        quake::Skins::Numbered(skins) => skins.len(),
        quake::Skins::Named(paths) => paths.len(),
    };
    let vertices: usize = file.frames.iter().map(|frame| 4 * frame.vertices.len()).sum();
    let triangles: usize = file.surfaces.iter().map(|surface| 12 * surface.triangles.len()).sum();
    assert!(vertices.max(triangles).max(file.frames.len() + skins) <= bytes.len(), "more than the bytes contain");
    drop(load_bytes(vec![(PathBuf::from("m"), bytes.to_vec())], &LoadOptions::default()));
}

fn check(name: &str, bytes: &[u8]) -> Validation {
    let input = Input { path: PathBuf::from(name), bytes: Ok(bytes.to_vec()) };
    validate::check(vec![input], &validate::Options::default())
}

/// Validates a file and writes every report of it.
pub fn validate(bytes: &[u8]) {
    let report = check(name_for(bytes), bytes);
    let selection = Selection::default();
    for style in [Style::Human, Style::Short, Style::Json, Style::Sarif, Style::Github] {
        let mut out = NoColor::new(Vec::new());
        let mut writer = Writer::new(style, &selection, Severity::Hint, &mut out).expect("memory");
        writer.add(&report).expect("memory");
        writer.finish().expect("memory");
        let text = String::from_utf8(out.into_inner()).expect("reports are text");
        let raw = text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t');
        assert!(raw.is_none(), "{style:?}: {raw:?}");
        if matches!(style, Style::Json | Style::Sarif) {
            serde_json::from_str::<serde_json::Value>(&text).expect("a report in JSON");
        }
    }
}

/// Repairs a file. The result can be read, no engine that accepted the file refuses it, and nothing is left to repair.
pub fn repair(bytes: &[u8]) {
    let name = name_for(bytes);
    let before = check(name, bytes);
    let Some(fixed) = fix::fix(&before, &validate::Options::default()).fixed.into_iter().next() else { return };
    let after = check(name, &fixed.bytes);
    let is_read = |bytes: &[u8]| match name {
        "m.md5mesh" => parse_mesh(bytes).is_ok(),
        "m.md5anim" => parse_anim(bytes).is_ok(),
        "m.x" => x::unpack(bytes, Reading::Lenient).is_ok_and(|file| x::parse(&file, Reading::Lenient).is_ok()),
        _ => parse_camera(bytes).is_ok(),
    };
    // A .x file is repaired as far as possible, even if a fault whose repair would be a guess still stops its reader.
    let was_read = name != "m.x" || is_read(bytes);
    assert!(is_read(&fixed.bytes) || !was_read, "the repaired file cannot be read");
    let errors = |report: &Validation| {
        let findings = report.files.iter().flat_map(|file| &file.findings);
        findings.filter(|finding| Selection::default().severity(finding) == Some(Severity::Error)).count()
    };
    assert!(errors(&after) <= errors(&before), "{} errors after {}", errors(&after), errors(&before));
}

/// Reads a snapshot. It equals itself, and can be written and read again.
pub fn snapshot(bytes: &[u8]) {
    // The matching digest is appended, so that more than the check of the digest is tested.
    let sealed = [bytes, &xxhash_rust::xxh3::xxh3_64(bytes).to_le_bytes()].concat();
    for bytes in [bytes, &sealed] {
        let Ok(read) = Snapshot::from_bytes(bytes) else { continue };
        let again = Snapshot::from_bytes(&read.to_bytes()).expect("the written file can be read");
        let comparison = read.compare(&again, &Check::default());
        assert!(comparison.is_same(), "a snapshot differs from itself: {comparison}");
    }
}

/// Takes the snapshot and the dump of a file's model.
pub fn record(bytes: &[u8]) {
    let Some(model) = model_of(bytes) else { return };
    let taken = Snapshot::take(&model, Vec::new());
    let read = Snapshot::from_bytes(&taken.to_bytes()).expect("the written file can be read");
    assert!(read.compare(&taken, &Check::default()).is_same(), "a snapshot differs from its model");
    let frames = dump::FrameSelection::All;
    for stage in [dump::DumpStage::Model, dump::DumpStage::ModelPose, dump::DumpStage::Vertices] {
        for format in [dump::TextFormat::Text, dump::TextFormat::Json] {
            let (frames, skinning) = (frames.clone(), bindpose::skin::Skinning::default());
            let options = dump::DumpOptions { stage, format, clip: None, engine: None, frames, skinning };
            let mut out = Vec::new();
            if dump::model(&model, "m", &options, &mut out).is_ok() {
                String::from_utf8(out).expect("dumps are text");
            }
        }
    }
}

/// Splits decls of id Tech 4, reads them as every kind, and checks them. Every position is in the file, and materials
/// can be evaluated.
pub fn decls(bytes: &[u8]) {
    for folder in [DeclKind::Material, DeclKind::Skin, DeclKind::EntityDef] {
        let file = decl::parse_file(bytes, folder);
        let mut faults = file.faults;
        for found in &file.decls {
            let material = decl::parse_material(bytes, found.body);
            faults.extend(material.faults);
            let surface = game::material::surface(material.decl, |_| None);
            for stage in &surface.stages {
                let inputs = Inputs { time: 1e9, ..Inputs::default() };
                surface.color(stage, &inputs);
                surface.image_from_mesh(stage, &inputs);
                surface.alpha_threshold(stage, &inputs);
                surface.is_on(stage, &inputs);
            }
            faults.extend(decl::parse_model(bytes, found.body).faults);
            faults.extend(decl::parse_entity(bytes, found.body).faults);
            faults.extend(decl::parse_skin(bytes, found.body).faults);
            let table = decl::parse_table(bytes, found.body);
            table.decl.look_up(-1e300);
            faults.extend(table.faults);
        }
        assert!(
            faults.iter().all(|fault| fault.span.start <= fault.span.end && fault.span.end as usize <= bytes.len())
        );
    }
    for name in ["materials/m.mtr", "skins/m.skin", "def/m.def", "af/m.af"] {
        check(name, bytes);
    }
}

/// Parses an image program, evaluates it on images of awkward sizes, and parses its text again.
pub fn image_program(bytes: &[u8]) {
    let Ok(parsed) = decl::parse_image_program(bytes) else { return };
    let mut sizes = [(1, 1), (3, 2), (4, 4), (1, 5)].into_iter().cycle();
    let mut image = |name: &str| {
        let (width, height) = sizes.next().unwrap_or((1, 1));
        let texels: Vec<u8> = name.bytes().chain(0..).take(4 * width * height).collect();
        Pixels::new(width, height, &texels).ok_or("no picture")
    };
    let (mut left, mut notes) = (program::MOST_TEXELS, Notes::default());
    let made = program::evaluate(&parsed.decl, &mut image, &mut left, &mut notes).expect("a picture for every name");
    assert_eq!(made.texels().len(), made.width() * made.height());
    // The text has no quotes, like the engine's. A quoted name may contain text that is read as more than a name.
    if parsed.faults.is_empty() && !bytes.iter().any(|byte| matches!(byte, b'"' | b'\'')) {
        let again = decl::parse_image_program(parsed.decl.to_string().as_bytes()).expect("its own text");
        assert_eq!(again.decl.images().len(), parsed.decl.images().len());
    }
}

/// Reads a script of Quake III's family. Names are in lower case, and special names that are not files are no images.
pub fn shaders(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (name, shader) in image_search::shaders(&text) {
        assert_eq!(name, name.to_lowercase());
        for image in [shader.base, shader.normal, shader.specular].into_iter().flatten() {
            assert!(!image.starts_with(['$', '*']) && text.contains(&image), "{image}");
        }
    }
}

/// Reads a skin of Quake III's family. The lines are in the file, one after the other.
pub fn skin_rows(bytes: &[u8]) {
    let mut end = 0;
    for row in image_search::skin_rows(bytes) {
        assert!(end <= row.span.start && row.span.start < row.span.end && row.span.end as usize <= bytes.len());
        let line = String::from_utf8_lossy(&bytes[row.span.start as usize..row.span.end as usize]);
        assert!(line.contains(',') && line.contains(&row.surface) && line.contains(&row.shader), "{line}");
        end = row.span.end;
    }
    check("m_default.skin", bytes);
}

/// Opens an archive, and reads its index and each file in it.
pub fn archive(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("bindpose-fuzz-{}.pk4", std::process::id()));
    std::fs::write(&path, bytes).expect("a place for the archive");
    if let Ok(archive) = bindpose::vfs::Archive::open(&path) {
        for (name, size) in archive.files().take(100) {
            if let Ok(read) = archive.read(name, 1 << 20) {
                assert_eq!(read.len() as u64, size);
            }
        }
        archive.inside("models");
    }
    std::fs::remove_file(&path).expect("the archive can be removed");
}
