//! glTF files, and files that they name.

use super::counts::from;
use bindpose_core::load::{LoadOptions, Loaded, load};
use bindpose_core::model::Material;
use bindpose_vfs::{member, zip_of};

/// Returns a mesh with these primitives. Accessor 0 has the corners of a triangle. `more` is added to the file.
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

/// Searching all materials for each primitive without one would take 6e9 comparisons.
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

/// glTF's 9728 is NEAREST. 9729 is LINEAR.
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

/// roughness² = 2 / (exponent + 2): 0.5 gives 6. 1 would give 0.
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

/// Two embedded and two external images, which must not be confused: names are compared in any case.
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

/// Files named in a glTF file are in its folder, or in the root of its archive.
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pk4");
    std::fs::write(&path, zip_of([("a.gltf", &text[..]), ("a.bin", &buffer)]).unwrap()).unwrap();
    let loaded = load(&[member::join(&path, "a.gltf")], &LoadOptions::default());
    assert_eq!(loaded.unwrap().model.meshes[0].triangles.len(), 1);
}
