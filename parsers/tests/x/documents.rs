//! Cases C… about the content of a well-formed file: indices, counts, skins, animations.

use super::support::{lenient, parsed, strict, txt, unpacked};
use bindpose_parsers::x::{EffectValue, KeyKind, USAGE_TANGENT, USAGE_TEXCOORD};

/// Returns a square of two triangles with further objects of a mesh. Values begin in line 2, `more` in line 3.
fn square(more: &str) -> Vec<u8> {
    txt(&format!("Mesh {{ 4; 0;0;0;, 1;0;0;, 1;1;0;, 0;1;0;; 2; 3;0,1,2;, 3;0,2,3;;\n{more}\n}}\n"))
}

const MATERIAL: &str = "Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; }";
const IDENTITY: &str = "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;;";

/// Returns a bone and a square that follows it. `weights` begins in line 4.
fn skinned(weights: &str) -> Vec<u8> {
    let square = String::from_utf8(square(&format!("\n{weights}"))).unwrap();
    txt(&format!("Frame Bone {{}} {}", &square[17..]))
}

fn weights(bone: &str, list: &[(u32, &str)]) -> String {
    let indices: Vec<String> = list.iter().map(|(vertex, _)| vertex.to_string()).collect();
    let weights: Vec<&str> = list.iter().map(|&(_, weight)| weight).collect();
    format!("SkinWeights {{ \"{bone}\"; {}; {}; {}; {IDENTITY} }}", list.len(), indices.join(","), weights.join(","))
}

fn all_four() -> String {
    weights("Bone", &[(0, "1"), (1, "1"), (2, "1"), (3, "1")])
}

fn animated(keys: &str) -> Vec<u8> {
    txt(&format!("Frame A {{}}\nAnimationSet S {{ Animation {{ {{A}}\n{keys}\n}} }}"))
}

/// Name, file, verdict of D3DX, and verdict of a player.
type Case = (&'static str, Vec<u8>, &'static str, Result<Vec<&'static str>, &'static str>);

#[test]
fn verdicts() {
    let header = "XSkinMeshHeader { 1; 1; 1; }";
    let cases: Vec<Case> = vec![
        ("a sound mesh", square(""), "ok", Ok(vec![])),
        (
            "C37",
            txt(&format!(
                "{}\nMesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; MeshMaterialList {{ 1; 1; 0; {{mat}} }} }}",
                MATERIAL.replace("Material", "Material mat")
            )),
            "ok",
            Ok(vec![]),
        ),
        (
            "C38",
            square(&format!("MeshMaterialList {{ 2; 2; 0, 1; {MATERIAL} }}")),
            "E_FAIL 3:20",
            Ok(vec!["3:20 the number of materials is given as 2, but there is 1 material"]),
        ),
        (
            "C39",
            square(&format!("MeshMaterialList {{ 1; 1; 0;; {MATERIAL} }}")),
            "ok",
            Ok(vec!["3:1 one material index for 2 faces; it stands for all of them"]),
        ),
        (
            "an empty material list, as Metasequoia writes it",
            square("MeshMaterialList { 0;; }"),
            "D3DXFERR_PARSEERROR 3:24",
            Ok(vec!["3:24 'MeshMaterialList' has too few values; the missing ones are left out"]),
        ),
        (
            "a list of material indices that its materials cut short",
            square(&format!("MeshMaterialList {{ 1; 2; 0;\n{MATERIAL} }}")),
            "D3DXFERR_PARSEERROR 4:1",
            Ok(vec!["3:23 'MeshMaterialList' announces 2 faceIndexes, found 1"]),
        ),
        (
            "keys that are fewer than announced",
            animated("AnimationKey { 2; 3; 0;3; 1,2,3;;, 1;3; 4,5,6;;; }"),
            "D3DXFERR_PARSEERROR 4:50",
            Ok(vec!["4:19 'AnimationKey' announces 3 keys, found 2"]),
        ),
        (
            "texture coordinates that are fewer than announced",
            square("MeshTextureCoords { 4; 0;0;, 1;0;, 1;1;; }"),
            "D3DXFERR_PARSEERROR 3:42",
            Ok(vec!["3:21 'MeshTextureCoords' announces 4 textureCoords, found 3"]),
        ),
        (
            "weights without a matrix",
            skinned(&format!("{header} SkinWeights {{ \"Bone\"; 1; 0; 1; }}")),
            "D3DXFERR_PARSEERROR 4:61",
            Ok(vec![
                "4:61 'SkinWeights' has too few values; the missing ones are left out",
                "4:25 the XSkinMeshHeader gives the number of bones as 1, but there are 0 SkinWeights objects",
            ]),
        ),
        ("no materials need no indices", square("MeshMaterialList { 0; 0; }"), "ok", Ok(vec![])),
        (
            "C40 two corners",
            txt("Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1;\n2;0,1;; }"),
            "E_FAIL 3:1",
            Err("3:1 a face with 2 corners, expected 3 or more"),
        ),
        (
            "C40 index",
            txt("Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1;\n3;0,1,9;; }"),
            "E_FAIL 3:7",
            Err("3:7 a face names vertex 9, but the mesh has 3 vertices"),
        ),
        (
            "C48 index",
            square("MeshVertexColors { 1; 4; 1;1;1;1;; }"),
            "E_FAIL 3:23",
            Err("3:23 a colour for vertex 4, but the mesh has 4 vertices"),
        ),
        (
            "normals for other faces",
            square("MeshNormals { 1; 0;0;1;; 1; 3;0,0,0;; }"),
            "E_FAIL 3:1",
            Ok(vec!["3:1 the normals have 1 face, the mesh has 2; the normals are ignored"]),
        ),
        (
            "normals for other corners",
            square("MeshNormals { 1; 0;0;1;; 2; 3;0,0,0;, 4;0,0,0,0;; }"),
            "E_FAIL 3:39",
            Ok(vec!["3:39 face 1 of the normals has 4 corners, the mesh's has 3; the normals are ignored"]),
        ),
        (
            "a normal that does not exist",
            square("MeshNormals { 1; 0;0;1;; 2; 3;0,0,0;, 3;0,0,1;; }"),
            "E_FAIL 3:45",
            Ok(vec!["3:45 a face names normal 1, but there is 1 normal; the normals are ignored"]),
        ),
        (
            "too few texture coordinates",
            square("MeshTextureCoords { 1; 0;0;; }"),
            "E_FAIL 3:1",
            Ok(vec!["3:1 1 pair of texture coordinates for 4 vertices, expected one for each"]),
        ),
        (
            "C50",
            txt(&format!("Frame A {{ FrameTransformMatrix {{ {IDENTITY} }}\nFrameTransformMatrix {{ {IDENTITY} }} }}")),
            "ok",
            Ok(vec!["3:1 a second matrix in one frame; the last one counts"]),
        ),
        ("C57", txt("AnimTicksPerSecond { 0; }"), "ok", Ok(vec!["2:22 0 ticks per second; 4800 is used"])),
        ("C64 type 4", animated(&format!("AnimationKey {{ 4; 1; 0;16; {IDENTITY};; }}")), "ok", Ok(vec![])),
        (
            "C64 type 3",
            animated(&format!("AnimationKey {{ 3; 1; 0;16; {IDENTITY};; }}")),
            "ok",
            Ok(vec!["4:16 matrix keys of type 3, which most readers refuse; write 4"]),
        ),
        (
            "another key type",
            animated("AnimationKey { 7; 1; 0;3; 0,0,0;;; }"),
            "E_FAIL 4:16",
            Ok(vec![
                "4:16 key type 7, expected 0 (rotation), 1 (scale), 2 (position) or 4 (matrix); the keys are ignored",
            ]),
        ),
        (
            "a key with too few values",
            animated("AnimationKey { 0; 2; 0;3; 1,0,0;;, 1;4; 1,0,0,0;;; }"),
            "E_FAIL 4:22",
            Ok(vec!["4:22 rotation key 0 of 'A' has 3 values, expected 4; it is ignored"]),
        ),
        (
            "C66",
            animated("AnimationKey { 0; 1; 0;4; 1,0,0,0;;; }\nAnimationKey { 0; 1; 1;4; 1,0,0,0;;; }"),
            "E_FAIL 5:1",
            Ok(vec!["5:1 a second list of rotation keys in one animation; they are merged"]),
        ),
        (
            "C67",
            animated("AnimationKey { 2; 2; 5;3; 0,0,0;;,\n4;3; 0,0,0;;; }"),
            "E_FAIL 5:1",
            Ok(vec!["5:1 position key 1 of 'A' has time 4, but the key before it has 5; the keys are sorted"]),
        ),
        (
            "equal key times",
            animated("AnimationKey { 2; 2; 5;3; 0,0,0;;,\n5;3; 0,0,0;;; }"),
            "ok",
            Ok(vec!["5:1 position key 1 of 'A' has the same time as the key before it, 5; the last one counts"]),
        ),
        (
            "a key time with a fraction",
            animated("AnimationKey { 2; 1; 0.5;3; 0,0,0;;; }"),
            "D3DXFERR_PARSEERROR 4:22",
            Ok(vec!["4:22 '0.5', expected an integer"]),
        ),
        (
            "matrix keys beside others",
            animated(&format!("AnimationKey {{ 4; 1; 0;16; {IDENTITY};; }} AnimationKey {{ 2; 1; 0;3; 0,0,0;;; }}")),
            "ok",
            Ok(vec!["3:18 matrix keys beside rotation, scale or position keys; the matrices count"]),
        ),
        ("C72", skinned(&all_four()), "ok", Ok(vec!["4:1 skin weights without an XSkinMeshHeader; D3DX ignores them"])),
        ("a sound skin", skinned(&format!("{header} {}", all_four())), "ok", Ok(vec![])),
        (
            "C73 bones",
            skinned(&format!("XSkinMeshHeader {{ 1; 1; 2; }} {}", all_four())),
            "E_FAIL 4:25",
            Ok(vec!["4:25 the XSkinMeshHeader gives the number of bones as 2, but there is 1 SkinWeights object"]),
        ),
        (
            "C73 twice",
            skinned(&format!("{header}\n{header} {}", all_four())),
            "E_FAIL 5:1",
            Ok(vec!["5:1 a second XSkinMeshHeader"]),
        ),
        (
            "C73 late",
            skinned(&format!("{}\n{header}", all_four())),
            "E_FAIL 5:1",
            Ok(vec!["5:1 the XSkinMeshHeader comes after skin weights; D3DX wants it before them"]),
        ),
        (
            "C74",
            skinned(&format!("XSkinMeshHeader {{ 1; 0; 1; }} {}", all_four())),
            "ok",
            Ok(vec!["4:22 the XSkinMeshHeader allows 0 weights per face, but there are up to 1"]),
        ),
        (
            "C75 placeholders",
            skinned(&format!("XSkinMeshHeader {{ 0; 0; 1; }} SkinWeights {{ \"Bone\"; 0; ; ; {IDENTITY} }}")),
            "ok",
            Ok(vec![]),
        ),
        (
            "C75 none",
            skinned(&format!("XSkinMeshHeader {{ 0; 0; 1; }} SkinWeights {{ \"Bone\"; 0; {IDENTITY} }}")),
            "ok",
            Ok(vec![]),
        ),
        (
            "C76",
            skinned(&format!("{header}\n{}", weights("Bone", &[(0, "1"), (1, "1"), (2, "1"), (3, "1"), (9, "1")]))),
            "E_FAIL 5:34",
            Ok(vec!["5:34 a weight for vertex 9, but the mesh has 4 vertices; it is ignored"]),
        ),
        (
            "C78 within rounding",
            skinned(&format!(
                "XSkinMeshHeader {{ 2; 2; 2; }} {} {}",
                weights("Bone", &[(0, "0.999976"), (1, "1"), (2, "1"), (3, "0.5")]),
                weights("Bone", &[(3, "0.5")])
            )),
            "ok",
            Ok(vec![]),
        ),
        (
            "C78 half",
            skinned(&format!("{header} {}", weights("Bone", &[(0, "1"), (1, "0.5"), (2, "1"), (3, "1")]))),
            "ok",
            Ok(vec!["4:66 the weights of vertex 1 sum to 0.5, expected 1: 0.5 for 'Bone'"]),
        ),
        (
            "C79",
            skinned(&format!("{header} {}", weights("Bone", &[(0, "1"), (1, "1"), (2, "0"), (3, "1")]))),
            "ok",
            Ok(vec!["4:1 1 vertex of a skinned mesh without any weight; the first is vertex 2"]),
        ),
        (
            "C80",
            skinned(&format!(
                "XSkinMeshHeader {{ 5; 5; 5; }} {} {}",
                weights("Bone", &[(0, "0.2"), (1, "1"), (2, "1"), (3, "1")]),
                weights("Bone", &[(0, "0.2")]).repeat(4)
            )),
            "ok",
            Ok(vec!["4:64 1 vertex with more than 4 weights; vertex 0 has 5"]),
        ),
        (
            "C81",
            skinned(&format!("{header}\n{}", all_four().replace("Bone", "Lost"))),
            "E_FAIL 5:15",
            Ok(vec!["5:15 skin weights name 'Lost', which is not a frame; their vertices follow the mesh's own frame"]),
        ),
        ("C92", txt("Frame A {}\nAnimation { {A} }"), "ok", Ok(vec!["3:1 an animation outside of any set"])),
        (
            "an animation with a frame inside",
            txt("AnimationSet { Animation { Frame A {} } }"),
            "ok",
            Ok(vec!["2:28 the animation holds a frame instead of a reference; its name counts"]),
        ),
        (
            "an animation of nothing",
            txt("AnimationSet { Animation {} }"),
            "ok",
            Ok(vec!["2:16 the animation names no frame and is ignored"]),
        ),
        (
            "two animations of one frame",
            txt("Frame A {}\nAnimationSet { Animation { {A} } Animation { {A} } }"),
            "ok",
            Ok(vec!["3:34 a second animation of 'A' in one set; this one counts"]),
        ),
        (
            "two frames of one name",
            txt("Frame A {}\nFrame A {}"),
            "ok",
            Ok(vec!["3:7 a second frame named 'A'; skins and animations use the first"]),
        ),
        (
            "duplication indices of another mesh",
            square("VertexDuplicationIndices { 2; 2; 0, 1; }"),
            "ok",
            Ok(vec!["3:1 2 duplication indices for 4 vertices; they are ignored"]),
        ),
        (
            "DeclData that does not fill the vertices",
            square("DeclData { 1; 1;0;5;0;; 2; 0,0; }"),
            "ok",
            Ok(vec!["3:1 'DeclData' holds 2 words, its layout needs 8; it is ignored"]),
        ),
    ];
    let mut failures = Vec::new();
    for (id, file, expected_strict, expected_lenient) in cases {
        let found = lenient(&file);
        let expected =
            expected_lenient.map(|list| list.into_iter().map(str::to_owned).collect()).map_err(str::to_owned);
        if found != expected {
            failures.push(format!("{id} lenient\n   found    {found:?}\n   expected {expected:?}"));
        }
        let found = strict(&file);
        if found != expected_strict {
            failures.push(format!("{id} strict\n   found    {found}\n   expected {expected_strict}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns a mesh of two vertices whose faces all have the same corners. `bones` bones have weights for vertex 0, and
/// the rest of `all` bones for vertex 1.
fn faces_of_many_bones(bones: usize, all: usize, faces: usize, corners: &str) -> Vec<u8> {
    let of = |vertex| weights("Bone", &[(vertex, "1")]);
    let bones = of(0).repeat(bones) + &of(1).repeat(all - bones);
    let faces = format!("{faces}; {};", vec![corners; faces].join(","));
    txt(&format!(
        "Frame Bone {{}} Mesh {{ 2; 0;0;0;, 1;0;0;; {faces}\nXSkinMeshHeader {{ 40000; 0; {all}; }}\n{bones}\n}}\n"
    ))
}

/// Corners times bones, divided by 64, are 1e8 and 4e8 in the last two cases.
#[test]
fn faces_of_many_bones_are_counted_while_that_is_quick() {
    let warned = |file: &[u8]| lenient(file).unwrap().into_iter().find(|warning| warning.contains("per face"));
    let polygon = format!("20000;{};", vec!["0"; 20_000].join(","));
    let most =
        |most: usize| Some(format!("3:26 the XSkinMeshHeader allows 0 weights per face, but there are up to {most}"));
    assert_eq!(warned(&faces_of_many_bones(1, 2, 3, "3;0,0,0;")), most(1));
    assert_eq!(warned(&faces_of_many_bones(1, 2, 3, "3;0,1,0;")), most(2));
    assert_eq!(warned(&faces_of_many_bones(20_000, 20_001, 1, &polygon)), most(20_000));
    assert_eq!(warned(&faces_of_many_bones(30_000, 30_000, 75_000, "3;0,0,0;")), most(30_000));
    assert_eq!(warned(&faces_of_many_bones(30_000, 30_001, 300_000, "3;0,0,0;")), None);
}

/// Calls `check` with the document of a file.
fn with_document(bytes: &[u8], check: impl FnOnce(&bindpose_parsers::x::Document<'_>)) {
    let file = unpacked(bytes);
    check(&parsed(&file).document);
}

#[test]
fn faulty_material_lists_are_filled_up() {
    with_document(&square(&format!("MeshMaterialList {{ 1; 1; 0;; {MATERIAL} }}")), |document| {
        assert_eq!(document.meshes[0].material_list.as_ref().unwrap().face_materials, [0, 0]);
    });
    with_document(&square(&format!("MeshMaterialList {{ 3; 2; 0, 2;; {MATERIAL} {MATERIAL} }}")), |document| {
        assert_eq!(document.meshes[0].material_list.as_ref().unwrap().face_materials, [0, 1]);
    });
}

#[test]
fn matrices_and_frames_keep_their_order() {
    let scaled = IDENTITY.replacen('1', "2", 1);
    let text = format!(
        "Frame A {{ FrameTransformMatrix {{ {IDENTITY} }} Frame B {{}} FrameTransformMatrix {{ {scaled} }} }} Frame C {{}}"
    );
    with_document(&txt(&text), |document| {
        let names: Vec<_> =
            document.frames.iter().map(|frame| (frame.name.as_ref().unwrap().to_name(), frame.parent)).collect();
        assert_eq!(names, [("A".into(), None), ("B".into(), Some(0)), ("C".into(), None)]);
        assert_eq!(document.frames[0].matrices.len(), 2);
        assert_eq!(document.frames[0].matrix().unwrap()[0], 2.0);
        assert_eq!(document.frames[1].matrix(), None);
    });
}

/// C53: a mesh at top level is drawn once, in the frame that refers to it.
#[test]
fn meshes_by_reference_are_drawn_where_they_are_referred_to() {
    let mesh = "Mesh M { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }";
    let uses = |text: &str| {
        let bytes = txt(text);
        let file = unpacked(&bytes);
        let document = parsed(&file).document;
        document.mesh_uses.iter().map(|used| (used.mesh, used.frame)).collect::<Vec<_>>()
    };
    assert_eq!(uses(&format!("{mesh} Frame A {{ {{M}} }}")), [(0, Some(0))]);
    assert_eq!(uses(&format!("Frame A {{ {{M}} }} {mesh}")), [(0, Some(0))]);
    assert_eq!(uses(&format!("{mesh} Frame A {{}}")), [(0, None)]);
    assert_eq!(uses(&format!("{mesh} Frame A {{ {{M}} Frame B {{ {{M}} }} }}")), [(0, Some(0)), (0, Some(1))]);
    assert_eq!(
        uses(&format!("Frame A {{ {mesh} {} }}", mesh.replace('M', "m").replace("mesh", "Mesh"))),
        [(0, Some(0)), (1, Some(0))]
    );
}

/// C82 and C83: words are bit patterns, never numbers.
#[test]
fn vertex_data_is_decoded_by_bits() {
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits().to_string()).collect::<Vec<_>>().join(",");
    let vertex = |n: f32| [n, 0.25, 1.0, 0.0, n];
    let data: Vec<f32> = (0..4).flat_map(|n| vertex(n as f32)).collect();
    let decl = format!("DeclData {{ 2; 1;0;5;0;, 2;0;6;0;; 20; {}; }}", bits(&data));
    with_document(&square(&decl), |document| {
        let decl = document.meshes[0].decl_data.as_ref().unwrap();
        assert_eq!(decl.channel(USAGE_TEXCOORD, 0).unwrap()[3], [3.0, 0.25, 0.0, 1.0]);
        assert_eq!(decl.channel(USAGE_TANGENT, 0).unwrap()[2], [1.0, 0.0, 2.0, 1.0]);
    });
    let data: Vec<f32> = (0..4).flat_map(|n| [n as f32, 0.5, n as f32 + 10.0, 0.75]).collect();
    with_document(&square(&format!("FVFData {{ 512; 16; {}; }}", bits(&data))), |document| {
        let fvf = document.meshes[0].fvf_data.as_ref().unwrap();
        assert_eq!(fvf.texture_coords(0).unwrap()[3], [3.0, 0.5]);
        assert_eq!(fvf.texture_coords(1).unwrap()[1], [11.0, 0.75]);
    });
    // 514 announces positions, which are not there.
    let file = square(&format!("FVFData {{ 514; 16; {}; }}", bits(&data)));
    let file = unpacked(&file);
    let read = parsed(&file);
    let fvf = read.document.meshes[0].fvf_data.as_ref().unwrap();
    assert_eq!(fvf.texture_coords(0).unwrap()[3], [3.0, 0.5]);
    let said: Vec<String> = read.warnings.iter().map(|warning| warning.kind.to_string()).collect();
    assert_eq!(
        said,
        ["'FVFData' holds 16 words, its layout needs 28; the positions are missing, and the rest is read"]
    );
}

/// C85: the type follows from the number of floats.
#[test]
fn effect_parameters_keep_their_types() {
    let floats =
        |count: usize| format!("EffectParamFloats {{ \"f{count}\"; {count}; {}; }}", vec!["0.5"; count].join(","));
    let material = format!(
        "Material m {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; EffectInstance {{ \"a.fx\"; {} {} EffectParamString {{ \"t\"; \"a.dds\"; }} \
         EffectParamDWord {{ \"d\"; 7; }} }} }}",
        floats(1),
        floats(16)
    );
    with_document(&txt(&material), |document| {
        let effect = document.materials[0].effect.as_ref().unwrap();
        assert_eq!(effect.filename.to_name(), "a.fx");
        let values: Vec<String> = effect
            .parameters
            .iter()
            .map(|parameter| match &parameter.value {
                EffectValue::Floats(floats) => format!("{} {}", parameter.name.to_name(), floats.len()),
                EffectValue::Text(text) => format!("{} {}", parameter.name.to_name(), text.to_name()),
                EffectValue::Dword(value) => format!("{} {}", parameter.name.to_name(), value.value),
            })
            .collect();
        assert_eq!(values, ["f1 1", "f16 16", "t a.dds", "d 7"]);
    });
}

#[test]
fn key_lists_keep_what_the_file_says() {
    let keys = "AnimationKey { 2; 3; 5;3; 1,2,3;;, 4;2; 0,0;;, 9;3; 4,5,6;;; } AnimationOptions { 1; 0; }";
    with_document(&animated(keys), |document| {
        let set = &document.animation_sets[0];
        assert_eq!(set.name.as_ref().unwrap().to_name(), "S");
        assert_eq!(set.period(), 9.0);
        let animation = &set.animations[0];
        assert_eq!(animation.target.as_ref().unwrap().frame, Some(0));
        assert_eq!(animation.keys[0].kind, KeyKind::Position);
        assert_eq!(animation.keys[0].times, [5.0, 9.0]);
        assert_eq!(animation.keys[0].values, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into());
        assert_eq!(animation.options.unwrap().open_closed.value, 1);
    });
}
