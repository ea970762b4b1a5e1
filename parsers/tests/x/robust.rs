//! Checks that any input gives an error, or a document that keeps its promises, without panic, hang or excessive
//! memory.

use super::support::{T, bin, lenient, strict, tokens, txt};
use crate::corpus::real_files;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Child, Encoding, Faces, Object, Reading, Tree};
use proptest::collection::vec;
use proptest::prelude::*;

/// Reads bytes in both readings and checks the promises about the results.
fn read(bytes: &[u8]) {
    assert_eq!(strict(bytes) == "ok", nothing_refused(bytes), "the readings disagree about what D3DX refuses");
    for reading in [Reading::Lenient, Reading::Strict] {
        let file = match x::unpack(bytes, reading) {
            Ok(file) => file,
            Err(error) => {
                check_span(error.span, bytes);
                continue;
            }
        };
        match x::parse(&file, reading) {
            Err(error) => check_span(error.span, &file.bytes),
            Ok(parsed) => {
                parsed.warnings.iter().for_each(|warning| check_span(warning.span, &file.bytes));
                let refused = parsed.warnings.iter().any(|warning| warning.kind.d3dx().is_some());
                assert!(reading == Reading::Lenient || !refused, "{:?}", parsed.warnings);
                check_document(&parsed.document);
                check_objects(&parsed.tree, &file.bytes);
                // Everything that was read can be written and read again.
                let written = x::write(&parsed.document, Encoding::BINARY);
                x::parse(&x::unpack(&written, Reading::Lenient).unwrap(), Reading::Lenient).unwrap();
            }
        }
    }
}

/// True if the lenient reading repaired nothing that D3DX refuses.
fn nothing_refused(bytes: &[u8]) -> bool {
    let Ok(file) = x::unpack(bytes, Reading::Lenient) else { return false };
    let Ok(parsed) = x::parse(&file, Reading::Lenient) else { return false };
    parsed.warnings.iter().chain(&file.warnings).all(|warning| warning.kind.d3dx().is_none())
}

fn check_span(span: Span, bytes: &[u8]) {
    assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{span:?} in {} bytes", bytes.len());
}

/// Checks the documented ranges of indices.
fn check_document(document: &x::Document<'_>) {
    for (index, frame) in document.frames.iter().enumerate() {
        assert!(frame.parent.is_none_or(|parent| parent < index));
    }
    for used in &document.mesh_uses {
        assert!(used.mesh < document.meshes.len() && used.frame.is_none_or(|frame| frame < document.frames.len()));
    }
    for mesh in &document.meshes {
        let vertices = mesh.vertices.len();
        check_faces(&mesh.faces, vertices);
        assert!(mesh.faces.iter().all(|face| face.len() >= 3));
        if let Some(normals) = &mesh.normals {
            check_faces(&normals.faces, normals.normals.len());
            assert_eq!(normals.faces.ends, mesh.faces.ends);
        }
        if let Some(list) = &mesh.material_list {
            assert!(list.materials.iter().all(|&material| material < document.materials.len()));
            assert!(list.face_materials.iter().all(|&material| (material as usize) < list.materials.len()));
            assert!(list.face_materials.is_empty() || list.face_materials.len() == mesh.faces.len());
        }
        let colors = mesh.vertex_colors.iter().flat_map(|list| &list.colors).map(|(vertex, _)| *vertex);
        let weights = mesh.skin_weights.iter().flat_map(|bone| &bone.weights).map(|(vertex, _)| *vertex);
        assert!(colors.chain(weights).all(|vertex| (vertex as usize) < vertices));
        assert!(mesh.duplication.as_ref().is_none_or(|copies| copies.indices.len() == vertices));
        assert!(mesh.skin_weights.iter().all(|bone| bone.frame.is_none_or(|frame| frame < document.frames.len())));
        assert!(mesh.vertices.numbers().iter().all(f64::is_finite));
    }
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations);
    for animation in sets.chain(&document.loose_animations) {
        for keys in &animation.keys {
            assert_eq!(keys.values.len(), keys.times.len() * keys.kind.width());
            assert!(keys.times.iter().copied().chain(keys.values.iter()).all(f64::is_finite));
        }
        let frame = animation.target.as_ref().and_then(|target| target.frame);
        assert!(frame.is_none_or(|frame| frame < document.frames.len()));
    }
}

fn check_faces(faces: &Faces, limit: usize) {
    assert!(faces.corners.iter().all(|&corner| (corner as usize) < limit));
    assert_eq!(faces.iter().map(<[u32]>::len).sum::<usize>(), faces.corners.len());
}

fn check_objects(tree: &Tree<'_>, bytes: &[u8]) {
    let mut open: Vec<&Object<'_>> = tree.objects.iter().collect();
    while let Some(object) = open.pop() {
        check_span(object.span, bytes);
        object.values.iter().for_each(|value| check_span(value.span, bytes));
        for child in &object.children {
            match child {
                Child::Object(child) => open.push(child),
                Child::Reference(reference) => check_span(reference.span, bytes),
            }
        }
    }
}

/// Words of the format, and similar words.
const WORDS: &[&str] = &[
    "template",
    "Mesh",
    "Frame",
    "FrameTransformMatrix",
    "MeshNormals",
    "MeshMaterialList",
    "Material",
    "SkinWeights",
    "XSkinMeshHeader",
    "AnimationSet",
    "Animation",
    "AnimationKey",
    "AnimationOptions",
    "DeclData",
    "FVFData",
    "MeshVertexColors",
    "MeshTextureCoords",
    "VertexDuplicationIndices",
    "EffectInstance",
    "TextureFilename",
    "Vector",
    "AnimTicksPerSecond",
    "Header",
    "InlineData",
    "T",
    "array",
    "DWORD",
    "FLOAT",
    "STRING",
    "n",
    "{",
    "}",
    "{",
    "}",
    "[",
    "]",
    "[...]",
    "<3D82AB44-62DA-11CF-AB39-0020AF71E433>",
    "<",
    ">",
    "(",
    ")",
    ";",
    ";",
    ";",
    ",",
    ";;",
    ";,",
    "0;",
    "1;",
    "2;",
    "3;",
    "4;",
    "-1;",
    "9999999999;",
    "0.5;",
    "1e9;",
    "nan;",
    "1.#INF;",
    "\"A\";",
    "\"",
    "//",
    "#",
    "\n",
    "/",
    "A",
    "\0",
];

/// Pieces that random words would hardly ever form: sixteen numbers, a triangle, a skin.
const PIECES: &[&str] = &[
    "Frame A { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }",
    "Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;",
    "MeshNormals { 1; 0;0;1;; 1; 3;0,0,0;; }",
    "MeshMaterialList { 1; 1; 0; Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; } }",
    "SkinWeights { \"A\"; 1; 0; 1; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }",
    "AnimationSet { Animation { {A} AnimationKey { 0; 1; 0; 4; 1,0,0,0;;; } } }",
    "template T { DWORD n; array Vector v[n]; [...] }",
    "T { 1; 1;2;3;; }",
];

fn token() -> impl Strategy<Value = Vec<u8>> {
    let name = proptest::sample::select(WORDS).prop_map(|word| tokens(&[T::Name(word.trim_end_matches(';'))]));
    let ints = vec(prop_oneof![0..5_u32, any::<u32>()], 0..20).prop_map(|list| tokens(&[T::Ints(&list)]));
    let floats = vec(any::<f32>(), 0..20).prop_map(|list| tokens(&[T::Floats(&list)]));
    let text = Just(tokens(&[T::Text("A"), T::Semi]));
    let other = prop_oneof![0..60_u16, any::<u16>()].prop_map(|id| tokens(&[T::Other(id)]));
    let brace = proptest::sample::select(vec![10_u16, 11]).prop_map(|id| tokens(&[T::Other(id)]));
    prop_oneof![name, ints, floats, text, other, brace]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(head in proptest::sample::select(vec!["txt ", "bin ", "tzip", "bzip"]), body in vec(any::<u8>(), 0..300)) {
        read(&[format!("xof 0303{head}0032").as_bytes(), &body].concat());
        read(&body);
    }

    #[test]
    fn any_words(words in vec(prop_oneof![3 => proptest::sample::select(WORDS), 1 => proptest::sample::select(PIECES)], 0..60)) {
        read(&txt(&words.join(" ")));
    }

    #[test]
    fn any_tokens(list in vec(token(), 0..40)) {
        read(&[b"xof 0303bin 0032".to_vec(), list.concat()].concat());
    }
}

/// Random changes by a small generator. They are the same on every machine.
struct Damage(u64);

impl Damage {
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's MMIX constants.
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Makes one to four changes of the kinds that break files in practice.
    fn to(&mut self, original: &[u8]) -> Vec<u8> {
        let mut bytes = original.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let length = self.below(12).min(bytes.len() - at);
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => bytes[at] = self.below(256) as u8,
                2 => bytes[at] ^= 1 << self.below(8),
                3 => drop(bytes.drain(at..at + length)),
                4 => {
                    let piece = bytes[at..at + length].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => {
                    let word = WORDS[self.below(WORDS.len())].as_bytes().to_vec();
                    bytes.splice(at..at, word);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    }
}

#[test]
fn damaged_files() {
    let mut originals: Vec<Vec<u8>> =
        vec![txt(&PIECES.join("\n")), include_bytes!("../cases/x/window.tzip.x").to_vec()];
    originals.extend(real_files(&["x"]).iter().map(|path| std::fs::read(path).unwrap()));
    let mut damage = Damage(20);
    for original in &originals {
        // Each file gives about the same number of bytes, so that small files are changed more often.
        for _ in 0..(100_000 / original.len()).clamp(2, 100) {
            read(&damage.to(original));
        }
    }
}

/// Files made to need much time. The test fails if it does not end: each file takes seconds at most, or forever.
#[test]
fn hostile_files_end() {
    let body = |text: String| txt(&text);
    let doubling: String = (1..40).map(|n| format!("template E{n} {{ E{} a; E{} b; }}\n", n - 1, n - 1)).collect();
    let cases = [
        ("one byte", vec![b'x']),
        ("braces", body("{".repeat(300_000))),
        ("closing braces", body("}".repeat(300_000))),
        ("frames in frames", body("Frame A {".repeat(30_000))),
        ("a name without end", body(format!("Frame {}", "a ".repeat(200_000)))),
        ("empty objects", body("A{}".repeat(100_000))),
        ("empty frames of one name", body("Frame A{}".repeat(30_000))),
        ("empty templates", body("template A{}".repeat(30_000))),
        ("references", body(format!("Frame A {{ {} }}", "{A}".repeat(40_000)))),
        ("quotes", body("\"".repeat(300_001))),
        ("comments", body("//\n".repeat(100_000))),
        ("a string without end", body(format!("TextureFilename {{ \"{}", "a".repeat(300_000)))),
        ("a long number", body(format!("Vector {{ {}; 0; 0; }}", "9".repeat(300_000)))),
        ("separators", body(format!("Vector {{ 1{} 0; 0; }}", ";".repeat(300_000)))),
        ("extra values", body(format!("AnimTicksPerSecond {{ {} }}", "1;".repeat(100_000)))),
        ("values of an unknown type", body(format!("Strange {{ {} }}", "1;".repeat(100_000)))),
        ("two thousand million vertices", body("Mesh { 2000000000; 0;0;0; }".into())),
        ("faces of nothing", body(format!("Mesh {{ 0; 100000; {} }}", "0;".repeat(100_000)))),
        ("templates that double", body(format!("template E0 {{}}\n{doubling}E39 {{}}"))),
        ("templates that double values", body(format!("template E0 {{ DWORD x; }}\n{doubling}E39 {{ 1; 2; }}"))),
        (
            "fixed arrays without end",
            body("template A { array DWORD x[4294967295][4294967295]; }\ntemplate B { array A a[4294967295]; }\nB { 1; }".into()),
        ),
        ("arrays of nothing", body("template N {}\ntemplate A { DWORD n; array N x[n]; }\nA { 4294967295; }".into())),
        ("a count twice", body("template A { DWORD n; array DWORD x[n][n][n][n]; }\nA { 4294967295; 1; }".into())),
        ("empty lists", [bin(&[T::Name("Vector"), T::Open]), tokens(&[T::Ints(&[])]).repeat(30_000)].concat()),
        ("a list of 4 GB", bin(&[T::Name("Vector"), T::Open, T::Other(7), T::Other(0xFFFF), T::Other(0xFFFF)])),
        ("binary braces", bin(&[]).into_iter().chain([10, 0].repeat(100_000)).collect()),
    ];
    for (what, file) in cases {
        println!("{what}");
        read(&file);
    }
}

/// Exceeded limits are errors with a position, as documented.
#[test]
fn limits() {
    let deep = |depth: usize| txt(&format!("{}{}", "Frame A {\n".repeat(depth), "}".repeat(depth)));
    assert!(lenient(&deep(x::MAX_DEPTH)).is_ok());
    assert_eq!(lenient(&deep(x::MAX_DEPTH + 1)).unwrap_err(), "258:1 objects are nested more than 256 deep");
    let many = txt(&"A{}\n".repeat(x::MAX_OBJECTS + 1));
    assert_eq!(lenient(&many).unwrap_err(), "500002:1 more than 500000 objects, references and templates");
    let members = format!("template A {{ {} }}\n", "DWORD x;".repeat(300));
    assert_eq!(
        lenient(&txt(&members)).unwrap(),
        ["2:2062 the template 'A' is broken and ignored: the template 'A' is too large to be read"]
    );
}
