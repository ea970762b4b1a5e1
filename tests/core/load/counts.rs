//! Files whose counts multiply: refused with their numbers, or read in time proportional to the file.

use bindpose_core::budget::MemoryLimit;
use bindpose_core::load::{LoadError, LoadOptions, Loaded, load_bytes};
use bindpose_core::model::Mesh;
use std::fmt::Write as _;

pub fn from(name: &str, text: String) -> Result<Loaded, LoadError> {
    load_bytes(vec![(name.into(), text.into_bytes())], &LoadOptions::default())
}

/// Returns the message for a refused file, and the text at its position.
fn refusal(name: &str, text: String) -> (String, String) {
    let LoadError::File { sources, diagnostics } = from(name, text).unwrap_err() else {
        panic!("the file is at fault")
    };
    let last = diagnostics.last().unwrap();
    assert_eq!(last.code, "IO005");
    let place = last.primary.as_ref().unwrap();
    let words = &sources.get(place.source).bytes[place.span.start as usize..place.span.end as usize];
    (last.message.clone(), String::from_utf8(words.to_vec()).unwrap())
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Returns a clip whose joints all use the same six components of each frame.
pub fn md5anim(joints: usize, frames: usize) -> String {
    format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames {frames}\nnumJoints {joints}\nframeRate 24\n\
         numAnimatedComponents 6\nhierarchy {{\n{}}}\nbounds {{\n{}}}\nbaseframe {{\n{}}}\n{}",
        lines(joints, |joint| format!("\"{joint}\" {} 63 0\n", joint as i64 - 1)),
        lines(frames, |_| "( 0 0 0 ) ( 0 0 0 )\n".into()),
        lines(joints, |_| "( 0 0 0 ) ( 0 0 0 )\n".into()),
        lines(frames, |frame| format!("frame {frame} {{\n0 0 0 0 0 0\n}}\n")),
    )
}

/// Returns the meshes without triangles on one joint, each with its own material. Every vertex uses all weights.
pub fn md5mesh(meshes: usize, vertices: usize, weights: usize) -> String {
    let mesh = |mesh| {
        format!(
            "mesh {{\nshader \"s{mesh}\"\nnumverts {vertices}\n{}numtris 0\nnumweights {weights}\n{}}}\n",
            lines(vertices, |vertex| format!("vert {vertex} ( 0 0 ) 0 {weights}\n")),
            lines(weights, |weight| format!("weight {weight} 0 1 ( 0 0 0 )\n")),
        )
    };
    format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes {meshes}\n\
         joints {{\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\n{}",
        lines(meshes, mesh)
    )
}

fn frames(count: usize) -> String {
    lines(count, |frame| format!("Frame f{frame} {{}}\n"))
}

fn sets(count: usize) -> String {
    lines(count, |set| {
        format!("AnimationSet s{set} {{ Animation {{ {{f0}} AnimationKey {{ 2; 1; 0;3;0,0,0;;; }} }} }}\n")
    })
}

/// A translation and a rotation of each joint in each frame: 2,000 x 2,000 x (24 + 32) bytes are 213.6 MiB.
#[test]
fn joints_in_frames_are_paid_for() {
    let (message, place) = refusal("a.md5anim", md5anim(2000, 2000));
    assert!(message.starts_with("2,000 joints in 2,000 frames would need 213."), "{message}");
    assert!(message.ends_with(" of input (--max-memory raises it)"), "{message}");
    assert_eq!(place, "2000");
    let text = md5anim(2000, 2000);
    let options = LoadOptions { memory: MemoryLimit::Bytes(250 << 20), ..LoadOptions::default() };
    let loaded = load_bytes(vec![("a.md5anim".into(), text.into_bytes())], &options);
    let Ok(allowed) = loaded else { panic!("allowed is allowed") };
    assert_eq!(allowed.model.clips[0].joints.len(), 2000);
}

/// 3,000 x 3,000 weights of 20 bytes (slot, weight, offset) are 171.66 MiB.
#[test]
fn weights_that_vertices_share_are_paid_for() {
    let (message, place) = refusal("a.md5mesh", md5mesh(1, 3000, 3000));
    let expected = "3,000 vertices of mesh 0 with 9,000,000 weights in all would need 171.6 MiB; the limit is ";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(place, "3000");
    // 4,900,000,000 weights do not fit 32 bits, regardless of memory.
    let options = LoadOptions { memory: MemoryLimit::NONE, ..LoadOptions::default() };
    let text = md5mesh(1, 70_000, 70_000);
    let loaded = load_bytes(vec![("a.md5mesh".into(), text.into_bytes())], &options);
    let Err(error) = loaded else { panic!("too many weights") };
    assert_eq!(
        error.to_string(),
        "70,000 vertices of mesh 0 with 4,900,000,000 weights in all; at most 4,294,967,295 can be read"
    );
}

#[test]
fn a_mesh_is_paid_for_once_for_each_frame_that_shows_it() {
    let mesh = format!(
        "Mesh m {{ 3000;\n{};\n1; 3;0,1,2;; }}\n",
        lines(3000, |vertex| format!("{vertex};0;0;{}\n", if vertex < 2999 { "," } else { "" }))
    );
    let drawings = lines(5000, |_| "Frame { {m} }\n".into());
    let (message, place) = refusal("a.x", format!("xof 0303txt 0032\n{mesh}{drawings}"));
    // 15,000,000 vertices of at least 60 bytes are over 800 MiB.
    assert!(message.starts_with("5,000 drawings of a mesh of 3,000 vertices would need 1."), "{message}");
    assert!(message.contains(" GiB; the limit is "), "{message}");
    assert_eq!(place, "{m}");
}

/// Each of 2,000 normals makes a separate vertex with all 20,000 weights of the file's vertex 0. Vertices 1 and 2 have
/// none and follow the frame: 2,000 x 20,000 + 2 x 2,000 weights.
#[test]
fn weights_of_vertices_that_normals_split_are_paid_for() {
    let list = |count, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let text = format!(
        "xof 0303txt 0032\nFrame f {{ Mesh {{ 3; 0;0;0;,1;0;0;,0;1;0;; 2000; {};\n\
         MeshNormals {{ 2000; {}; 2000; {}; }}\n\
         SkinWeights {{ \"f\"; 20000; {}; {}; 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; }} }} }}\n",
        list(2000, &|_| "3;0,1,2;".into()),
        list(2000, &|normal| format!("{normal};1;0;")),
        list(2000, &|normal| format!("3;{normal},{normal},{normal};")),
        list(20_000, &|_| "0".into()),
        list(20_000, &|_| "1".into()),
    );
    let (message, _) = refusal("a.x", text);
    assert!(message.starts_with("6,000 vertices of 'f' with 40,004,000 weights would need "), "{message}");
}

#[test]
fn tracks_of_all_frames_in_all_sets_are_paid_for() {
    let (message, place) = refusal("a.x", format!("xof 0303txt 0032\n{}{}", frames(3000), sets(3000)));
    assert!(message.starts_with("3,000 animation sets for 3,000 frames would need "), "{message}");
    assert_eq!(place, "AnimationSet");
}

/// Comparing each item with all before it would take minutes.
#[test]
fn a_hundred_thousand_sets_and_materials_are_read_at_once() {
    let loaded = from("a.x", format!("xof 0303txt 0032\n{}{}", frames(1), sets(100_000))).unwrap();
    assert_eq!(loaded.model.clips.len(), 100_000);
    let loaded = from("a.md5mesh", md5mesh(150_000, 1, 1)).unwrap();
    assert_eq!(loaded.model.materials.len(), 150_000);
}

/// One triangle per material and three vertices per triangle: a mask of all vertices for each material would touch 3e11
/// bytes.
#[test]
fn a_mesh_of_many_materials_is_split_at_once() {
    const COUNT: usize = 100_000;
    let mut text = String::from("xof 0303txt 0032\nMesh {\n");
    let list = |text: &mut String, count: usize, item: &dyn Fn(usize) -> String| {
        for index in 0..count {
            let _ = write!(text, "{}{}", item(index), if index + 1 < count { "," } else { ";\n" });
        }
    };
    let _ = writeln!(text, "{};", 3 * COUNT);
    list(&mut text, 3 * COUNT, &|vertex| format!("{};{};0;", vertex % 3, vertex % 2));
    let _ = writeln!(text, "{COUNT};");
    list(&mut text, COUNT, &|face| format!("3;{},{},{};", 3 * face, 3 * face + 1, 3 * face + 2));
    let _ = writeln!(text, "MeshMaterialList {{ {COUNT}; {COUNT};");
    list(&mut text, COUNT, &|face| face.to_string());
    text += &lines(COUNT, |_| "Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; }\n".into());
    text += "} }\n";
    let loaded = from("a.x", text).unwrap();
    assert_eq!(loaded.model.meshes.len(), COUNT);
    assert_eq!(loaded.model.meshes[COUNT - 1].source_vertices, [299_997, 299_998, 299_999]);
}

/// A table of all joints for each mesh would touch 3e10 bytes.
#[test]
fn meshes_of_one_joint_each_cost_one_joint_each() {
    const COUNT: usize = 60_000;
    let mesh = |mesh| {
        format!(
            "mesh {{\nshader \"s\"\nnumverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 0\nnumweights 1\n\
             weight 0 {mesh} 1 ( 0 0 0 )\n}}\n"
        )
    };
    let text = format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints {COUNT}\nnumMeshes {COUNT}\njoints {{\n{}}}\n{}",
        lines(COUNT, |joint| format!("\"{joint}\" -1 ( 0 0 0 ) ( 0 0 0 )\n")),
        lines(COUNT, mesh)
    );
    let model = from("a.md5mesh", text).unwrap().model;
    let joints = |mesh: &Mesh| mesh.bind.iter().map(|bound| bound.joint.index()).collect::<Vec<_>>();
    assert!(model.meshes.iter().enumerate().all(|(place, mesh)| joints(mesh) == [place]));
}

/// A table of all bones for each material would touch 2e10 bytes.
#[test]
fn materials_of_one_bone_each_cost_one_bone_each() {
    const COUNT: usize = 50_000;
    let list = |item: &dyn Fn(usize) -> String| (0..COUNT).map(item).collect::<Vec<_>>().join(",");
    let text = format!(
        "xof 0303txt 0032\n{}Mesh {{ {COUNT}; {}; {COUNT}; {};\nMeshMaterialList {{ {COUNT}; {COUNT}; {};\n{}}}\n{}}}\n",
        frames(COUNT),
        list(&|vertex| format!("{};{};0;", vertex % 3, vertex % 2)),
        list(&|face| format!("3;{face},{},{};", (face + 1) % COUNT, (face + 2) % COUNT)),
        list(&|face| face.to_string()),
        lines(COUNT, |_| "Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; }\n".into()),
        lines(COUNT, |bone| format!(
            "SkinWeights {{ \"f{bone}\"; 1; {bone}; 1; 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; }}\n"
        )),
    );
    let model = from("a.x", text).unwrap().model;
    assert_eq!(model.meshes.len(), COUNT);
    let mut joints: Vec<usize> = model.meshes[7].bind.iter().map(|bound| bound.joint.index()).collect();
    joints.sort_unstable();
    assert_eq!(joints, [7, 8, 9]);
}
