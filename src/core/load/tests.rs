//! Files whose sizes multiply: refused with their numbers, or read in time that grows with the file.

use super::*;
use crate::model::{Material, Mesh};
use std::fmt::Write as _;

fn from(name: &str, text: String) -> Result<Loaded, LoadError> {
    load_bytes(vec![(name.into(), text.into_bytes())], &LoadOptions::default())
}

/// The sentence of a file that is refused, and the words that its place points at.
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

/// All joints take the same six numbers of each frame.
fn md5anim(joints: usize, frames: usize) -> String {
    format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames {frames}\nnumJoints {joints}\nframeRate 24\n\
         numAnimatedComponents 6\nhierarchy {{\n{}}}\nbounds {{\n{}}}\nbaseframe {{\n{}}}\n{}",
        lines(joints, |joint| format!("\"{joint}\" {} 63 0\n", joint as i64 - 1)),
        lines(frames, |_| "( 0 0 0 ) ( 0 0 0 )\n".into()),
        lines(joints, |_| "( 0 0 0 ) ( 0 0 0 )\n".into()),
        lines(frames, |frame| format!("frame {frame} {{\n0 0 0 0 0 0\n}}\n")),
    )
}

/// Meshes without triangles on one joint, each with a material of its own; every vertex names all weights.
fn md5mesh(meshes: usize, vertices: usize, weights: usize) -> String {
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
    // 4,900,000,000 weights do not fit 32 bits, whatever the memory.
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

/// Each of 2,000 normals makes a vertex of its own, with all 20,000 weights of the file's vertex 0; 1 and 2 have none
/// and follow the frame: 2,000 x 20,000 + 2 x 2,000 weights.
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

/// Comparing each with all before it would take minutes.
#[test]
fn a_hundred_thousand_sets_and_materials_are_read_at_once() {
    let loaded = from("a.x", format!("xof 0303txt 0032\n{}{}", frames(1), sets(100_000))).unwrap();
    assert_eq!(loaded.model.clips.len(), 100_000);
    let loaded = from("a.md5mesh", md5mesh(150_000, 1, 1)).unwrap();
    assert_eq!(loaded.model.materials.len(), 150_000);
}

/// A triangle for each material and three vertices for each triangle: a mask of all vertices for each material would
/// touch 3e11 bytes.
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

/// Files in two folders may have one name.
#[test]
fn each_clip_keeps_the_boxes_of_its_own_file() {
    let boxes = |corner: &str| {
        md5anim(1, 1)
            .replace("bounds {\n( 0 0 0 ) ( 0 0 0 )", &format!("bounds {{\n( 0 0 0 ) ( {corner} )"))
            .into_bytes()
    };
    let files = vec![("a/w.md5anim".into(), boxes("1 2 3")), ("b/w.md5anim".into(), boxes("4 5 6"))];
    let Loaded { model, frame_boxes, .. } = load_bytes(files, &LoadOptions::default()).unwrap();
    assert_eq!(model.clips.iter().map(|clip| &clip.name[..]).collect::<Vec<_>>(), ["w", "w"]);
    let [first, second] =
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].map(|corner| vec![[DVec3::ZERO, DVec3::from_array(corner)]]);
    assert_eq!(frame_boxes, [first, second]);
}

/// A mesh of these primitives, for which accessor 0 has the corners of a triangle; `more` for the file.
#[cfg(feature = "gltf")]
fn gltf(primitives: &str, more: &str) -> String {
    let zeros = "A".repeat(16);
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
        "meshes": [{{"primitives": [{primitives}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0]}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
        "buffers": [{{"byteLength": 36, "uri": "data:;base64,{zeros}AACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}}]{more}}}"#
    )
}

/// Looking at all materials for each primitive that has none would compare 6e9.
#[cfg(feature = "gltf")]
#[test]
fn primitives_without_material_share_one_at_once() {
    let text = gltf(
        &vec![r#"{"attributes": {"POSITION": 0}}"#; 30_000].join(","),
        &format!(r#", "materials": [{}]"#, vec!["{}"; 200_000].join(",")),
    );
    let model = from("a.gltf", text).unwrap().model;
    assert_eq!((model.meshes.len(), model.materials.len()), (30_000, 200_001));
    assert!(model.meshes.iter().all(|mesh| mesh.material.index() == 200_000));
}

/// glTF's 9728 is NEAREST, 9729 LINEAR.
#[cfg(feature = "gltf")]
#[test]
fn a_sampler_that_says_how_to_enlarge_is_heard() {
    let materials =
        (0..3).map(|index| format!(r#"{{"pbrMetallicRoughness": {{"baseColorTexture": {{"index": {index}}}}}}}"#));
    let more = format!(
        r#", "materials": [{}], "images": [{{"uri": "a.png"}}], "samplers": [{{"magFilter": 9728}}, {{"magFilter": 9729}}],
        "textures": [{{"source": 0, "sampler": 0}}, {{"source": 0, "sampler": 1}}, {{"source": 0}}]"#,
        materials.collect::<Vec<_>>().join(",")
    );
    let model = from("a.gltf", gltf(r#"{"attributes": {"POSITION": 0}}"#, &more)).unwrap().model;
    let nearest = |material: &Material| material.surface.as_ref().unwrap().stages[0].nearest;
    let nearest: Vec<Option<bool>> = model.materials[..3].iter().map(nearest).collect();
    assert_eq!(nearest, [Some(true), Some(false), None]);
}

/// roughness² = 2 / (exponent + 2): 0.5 is 6; 1 would be 0.
#[cfg(feature = "gltf")]
#[test]
fn highlights_are_as_narrow_as_the_surface_is_smooth() {
    let material = |roughness: f32| {
        format!(
            r#"{{"pbrMetallicRoughness": {{"roughnessFactor": {roughness}}},
            "extensions": {{"KHR_materials_specular": {{"specularColorTexture": {{"index": 0}}}}}}}}"#
        )
    };
    let more = format!(
        r#", "materials": [{}, {}], "images": [{{"uri": "a.png"}}], "textures": [{{"source": 0}}],
        "extensionsUsed": ["KHR_materials_specular"]"#,
        material(0.5),
        material(1.0)
    );
    let model = from("a.gltf", gltf(r#"{"attributes": {"POSITION": 0}}"#, &more)).unwrap().model;
    let shininess = |material: &Material| material.surface.as_ref().unwrap().shininess;
    assert_eq!(model.materials[..2].iter().map(shininess).collect::<Vec<_>>(), [6.0, 1.0]);
}

/// Two inside the file and two beside it, which may not be taken for one another: names are looked for in any case.
#[cfg(feature = "gltf")]
#[test]
fn images_in_the_file_and_beside_it_have_names_of_their_own() {
    let materials =
        (0..4).map(|index| format!(r#"{{"pbrMetallicRoughness": {{"baseColorTexture": {{"index": {index}}}}}}}"#));
    let more = format!(
        r#", "materials": [{}], "images": [{{"uri": "data:image/png;base64,AAAA", "name": "skin.png"}},
        {{"uri": "data:image/png;base64,BBBB", "name": "skin"}}, {{"uri": "Skin.png"}}, {{"uri": "1 skin.png"}}],
        "textures": [{{"source": 0}}, {{"source": 1}}, {{"source": 2}}, {{"source": 3}}]"#,
        materials.collect::<Vec<_>>().join(",")
    );
    let Loaded { model, images, .. } = from("a.gltf", gltf(r#"{"attributes": {"POSITION": 0}}"#, &more)).unwrap();
    let names: Vec<&str> = model.materials[..4].iter().filter_map(|material| material.texture.as_deref()).collect();
    assert_eq!(names, ["0 skin.png", "1 1 skin.png", "Skin.png", "1 skin.png"]);
    assert_eq!(images, [(names[0].into(), vec![0; 3]), (names[1].into(), vec![4, 16, 65])]);
}

/// What a glTF file names lies beside it, also where that is the root of an archive.
#[cfg(feature = "gltf")]
#[test]
fn a_gltf_at_the_root_of_an_archive_has_its_buffers() {
    let text = br#"{
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }], "buffers": [{ "uri": "a.bin", "byteLength": 36 }]
    }"#;
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let buffer: Vec<u8> = corners.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
    let path = std::env::temp_dir().join(format!("bindpose-gltf-{}.pak", std::process::id()));
    std::fs::write(&path, crate::read::tests::pak(&[("a.gltf", text), ("a.bin", &buffer)])).unwrap();
    let loaded = load(&[bindpose_vfs::member::join(&path, "a.gltf")], &LoadOptions::default());
    std::fs::remove_file(&path).unwrap();
    assert_eq!(loaded.unwrap().model.meshes[0].triangles.len(), 1);
}
