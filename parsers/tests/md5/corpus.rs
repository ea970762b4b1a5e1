//! Checks that all real files are read, and that counts, names and parents agree with expectations from other programs.

use super::{MD5, verdict};
use crate::corpus::{files_with, goldens, shared};
use bindpose_parsers::md5::{parse_anim, parse_camera, parse_mesh};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that must be refused, with the error.
const REFUSED: &[(&str, &str)] = &[(
    "assimp/test/models/MD5/invalid/InvalidBoneIndex.md5mesh",
    "23:10 weight 0 names joint 999, but the file has 1 joint",
)];

/// Files that load with warnings; all others load without.
const REPAIRED: &[(&str, &[&str])] = &[
    (
        "assimp/test/models/MD5/invalid/InvalidCameraCut.md5camera",
        &["9:1 no cut can be at frame 8; the last frame is 0"],
    ),
    ("redeclipse-luckystrike/banner01/banner.md5anim", &["19:1 bounds holds 4 boxes for 3 frames"]),
];

/// Contents of one file.
struct Read {
    warnings: Vec<String>,
    /// Content in the form of the expectation files.
    document: Value,
    /// Counts in the form of the corpus index.
    counts: String,
}

fn read(path: &Path, bytes: &[u8]) -> Result<Read, String> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("md5mesh") => read_mesh(bytes),
        Some("md5anim") => read_anim(bytes),
        _ => read_camera(bytes),
    }
}

fn read_mesh(bytes: &[u8]) -> Result<Read, String> {
    let result = parse_mesh(bytes);
    let warnings = verdict(bytes, &result)?;
    let file = result.unwrap().document;
    let most = |verts: &[bindpose_parsers::md5::Vert]| verts.iter().map(|vert| vert.weight_count).max().unwrap_or(0);
    let meshes = file.meshes.iter().map(|mesh| {
        json!({
            "shader": mesh.shader.to_name(),
            "verts": mesh.verts.len(),
            "tris": mesh.tris.len(),
            "weights": mesh.weights.len(),
            "max_weights": most(&mesh.verts),
        })
    });
    let document = json!({
        "md5version": file.version.map(|version| version.value),
        "joint_count": file.joints.len(),
        "joint_names": file.joints.iter().map(|joint| joint.name.to_name()).collect::<Vec<_>>(),
        "joint_parents": file.joints.iter().map(|joint| joint.parent.value).collect::<Vec<_>>(),
        "meshes": meshes.collect::<Vec<_>>(),
    });
    let (verts, tris, weights, most) = file.meshes.iter().fold((0, 0, 0, 0), |(verts, tris, weights, max), mesh| {
        let max = max.max(most(&mesh.verts));
        (verts + mesh.verts.len(), tris + mesh.tris.len(), weights + mesh.weights.len(), max)
    });
    let (joints, meshes) = (file.joints.len(), file.meshes.len());
    let counts =
        format!("joints {joints}, meshes {meshes}, verts {verts}, tris {tris}, weights {weights}, maxw {most}");
    Ok(Read { warnings, document, counts })
}

fn read_anim(bytes: &[u8]) -> Result<Read, String> {
    let result = parse_anim(bytes);
    let warnings = verdict(bytes, &result)?;
    let file = result.unwrap().document;
    let (joints, frames) = (file.hierarchy.len(), file.frames.len());
    let components = file.num_animated_components.value;
    assert_eq!(file.components.len() as i64, frames as i64 * components);
    let document = json!({
        "md5version": file.version.map(|version| version.value),
        "joint_count": joints,
        "frame_count": frames,
        "frame_rate": file.frame_rate as i64,
        "components": components,
        "joint_names": file.hierarchy.iter().map(|joint| joint.name.to_name()).collect::<Vec<_>>(),
        "joint_parents": file.hierarchy.iter().map(|joint| joint.parent.value).collect::<Vec<_>>(),
    });
    let counts = format!("joints {joints}, frames {frames}, {} fps, comps {components},", file.frame_rate);
    Ok(Read { warnings, document, counts })
}

fn read_camera(bytes: &[u8]) -> Result<Read, String> {
    let result = parse_camera(bytes);
    let warnings = verdict(bytes, &result)?;
    let file = result.unwrap().document;
    let counts = format!("frames {}, {} fps, cuts {}", file.frames.len(), file.frame_rate, file.cuts.len());
    Ok(Read { warnings, document: json!({}), counts })
}

/// Keeps only every `step`-th element of the lists that an expectation contains in part.
fn thin(document: &mut Value, step: usize) {
    for list in ["joint_names", "joint_parents"] {
        if let Some(Value::Array(list)) = document.get_mut(list) {
            *list = list.iter().step_by(step).cloned().collect();
        }
    }
}

#[test]
fn real_files_agree_with_the_expectations() {
    let index = shared().map(|shared| fs::read_to_string(shared.join("corpus/INDEX.md")).unwrap()).unwrap_or_default();
    let (mut files, mut indexed, mut compared) = (0, 0, 0);
    let of = |[folder, results]: [PathBuf; 2]| {
        files_with(&folder, MD5).into_iter().map(move |path| (folder.clone(), results.clone(), path))
    };
    for (folder, results, path) in goldens().into_iter().flat_map(of) {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&path).unwrap();
        let result = read(&path, &bytes);
        files += 1;
        if let Some((_, expected)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            assert_eq!(result.err().as_deref(), Some(*expected), "{name}");
            continue;
        }
        let mut read = result.unwrap_or_else(|error| panic!("{name}:{error}"));
        let repaired = REPAIRED.iter().find(|(repaired, _)| *repaired == name);
        assert_eq!(read.warnings, repaired.map_or(&[] as &[&str], |(_, warnings)| warnings), "{name}");
        if let Some(line) = index.lines().find(|line| line.starts_with(&format!("| {name} |"))) {
            assert!(line.contains(&format!("| {} ", read.counts)), "{name}: {} in\n{line}", read.counts);
            indexed += 1;
        }
        // Results for the samples are in one folder.
        let of_sample = results.join(format!("{}.json", path.file_name().unwrap().display()));
        let expectation = results.join(format!("{name}.json"));
        if let Ok(expected) = fs::read(expectation).or_else(|_| fs::read(of_sample)) {
            let expected: Value = serde_json::from_slice(&expected).unwrap();
            thin(&mut read.document, expected["joint_step"].as_u64().unwrap() as usize);
            for (key, value) in read.document.as_object().unwrap() {
                assert_eq!(value, &expected[key], "{name}: {key}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 11, "files with an expectation: {compared}");
    println!("{files} files read, {indexed} found in the index, {compared} compared with expectations");
}
