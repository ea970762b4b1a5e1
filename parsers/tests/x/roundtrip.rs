//! Checks that written documents read back as the same documents by D3DX's rules, in every encoding.

use super::corpus::encodings;
use bindpose_parsers::Span;
use bindpose_parsers::x::{
    self, Allowed, Animation, AnimationKey, AnimationOptions, AnimationSet, BodyFormat, Child, Datum, DeclData,
    Dimension, Document, EffectInstance, EffectParameter, EffectValue, Encoding, Faces, FloatSize, Frame, FvfData,
    KeyKind, Material, Member, MemberKind, Mesh, MeshMaterialList, MeshNormals, MeshTextureCoords, MeshUse,
    MeshVertexColors, Object, Primitive, Reading, Reference, SkinWeights, Target, Template, Text, Texture, Tree, Value,
    VertexDuplicationIndices, VertexElement, XSkinMeshHeader,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns numbers that fit in 32 bits, so that one document suits every encoding.
fn number() -> impl Strategy<Value = f64> {
    (-1e6_f32..1e6).prop_map(f64::from)
}

fn vector<const N: usize>() -> impl Strategy<Value = [f64; N]> {
    vec(number(), N).prop_map(|values| values.try_into().unwrap())
}

/// Returns some polygons over some vertices.
fn faces(vertices: u32) -> impl Strategy<Value = Faces> {
    vec(vec(0..vertices, 3..6), 1..5).prop_map(|polygons| {
        let mut faces = Faces::default();
        polygons.iter().for_each(|polygon| faces.push(polygon));
        faces
    })
}

/// Parts of one mesh, before names and references are filled in.
#[derive(Debug, Clone)]
struct Parts {
    vertices: Vec<[f64; 3]>,
    faces: Faces,
    normal: Option<[f64; 3]>,
    coords: bool,
    colors: Vec<(u32, [f64; 4])>,
    materials: usize,
    copies: bool,
    words: Option<u32>,
    bones: Vec<Vec<(u32, f64)>>,
    offset: [f64; 16],
}

prop_compose! {
    fn parts()(vertices in vec(vector::<3>(), 3..8))(
        faces in faces(vertices.len() as u32),
        normal in proptest::option::of(vector::<3>()),
        coords in any::<bool>(),
        colors in vec((0..vertices.len() as u32, vector::<4>()), 0..3),
        materials in 0..3_usize,
        copies in any::<bool>(),
        words in proptest::option::of(any::<u32>()),
        bones in vec(vec((0..vertices.len() as u32, number()), 0..4), 0..3),
        offset in vector::<16>(),
        vertices in Just(vertices),
    ) -> Parts {
        Parts { vertices, faces, normal, coords, colors, materials, copies, words, bones, offset }
    }
}

/// Returns the mesh with its materials, which directly follow those of the document.
fn mesh<'a>(parts: Parts, materials: &mut Vec<Material<'a>>, shared: bool) -> Mesh<'a> {
    let count = parts.vertices.len();
    let first = materials.len();
    let mut own: Vec<usize> = (first..first + parts.materials).collect();
    materials.extend((0..parts.materials).map(|material| Material {
        power: material as f64,
        textures: vec![Texture { kind: "TextureFilename".into(), filename: "a\\b.bmp".into() }],
        effect: (material == 1).then(effect),
        ..Material::default()
    }));
    if shared && !own.is_empty() {
        own.push(0);
    }
    let list = |own: Vec<usize>| MeshMaterialList {
        declared: Some((own.len() as u32).into()),
        face_materials: vec![own.len() as u32 - 1; parts.faces.len()],
        materials: own,
        span: Span::default(),
    };
    let element = VertexElement { kind: 0, method: 0, usage: 5, usage_index: 1 };
    Mesh {
        normals: parts.normal.map(|normal| MeshNormals {
            normals: vec![normal; count].into(),
            faces: parts.faces.clone(),
            span: Span::default(),
        }),
        texture_coords: parts
            .coords
            .then(|| MeshTextureCoords { coords: vec![[0.25, -1.5]; count].into(), span: Span::default() }),
        vertex_colors: (!parts.colors.is_empty())
            .then_some(MeshVertexColors { colors: parts.colors, span: Span::default() }),
        material_list: (!own.is_empty()).then(|| list(own)),
        duplication: parts.copies.then(|| VertexDuplicationIndices { indices: vec![1; count], span: Span::default() }),
        decl_data: parts.words.map(|word| DeclData {
            elements: vec![element],
            data: vec![word; count],
            span: Span::default(),
        }),
        fvf_data: parts.words.map(|word| FvfData { fvf: 0x100, data: vec![word; 2 * count], span: Span::default() }),
        skin_header: (!parts.bones.is_empty()).then(|| XSkinMeshHeader {
            max_weights_per_vertex: 99.into(),
            max_weights_per_face: 99.into(),
            bones: (parts.bones.len() as u32).into(),
            span: Span::default(),
        }),
        skin_weights: parts
            .bones
            .into_iter()
            .map(|weights| SkinWeights {
                bone: "Root".into(),
                frame: Some(0),
                weights,
                matrix_offset: parts.offset,
                span: Span::default(),
            })
            .collect(),
        vertices: parts.vertices.into(),
        faces: parts.faces,
        ..Mesh::default()
    }
}

fn effect<'a>() -> EffectInstance<'a> {
    let parameter = |name: &'a str, value| EffectParameter { name: name.into(), value };
    EffectInstance {
        filename: "metal.fx".into(),
        parameters: vec![
            parameter("weights", EffectValue::Floats(vec![1.0, 0.5])),
            parameter("map", EffectValue::Text("a;b, {c}.dds".into())),
            parameter("mode", EffectValue::Dword(7.into())),
        ],
    }
}

fn keys() -> impl Strategy<Value = AnimationKey> {
    let kinds = [KeyKind::Rotation, KeyKind::Scale, KeyKind::Position, KeyKind::Matrix];
    (proptest::sample::select(kinds.to_vec()), vec(0..100_u32, 0..5)).prop_flat_map(|(kind, steps)| {
        let times: Vec<f64> = steps
            .iter()
            .scan(0, |time, step| {
                *time += step + 1;
                Some(f64::from(*time))
            })
            .collect();
        vec(number(), times.len() * kind.width()).prop_map(move |values| AnimationKey {
            kind,
            times: times.clone(),
            values: values.into(),
            span: Span::default(),
        })
    })
}

const NAMES: [&str; 4] = ["Root", "Hip-L", "Arm_2", "Head"];

prop_compose! {
    fn document()(
        parents in vec(proptest::option::of(any::<prop::sample::Index>()), 1..5),
        matrices in vec(vec(vector::<16>(), 0..2), 4),
        parts in vec(parts(), 0..3),
        key_lists in vec(keys(), 0..4),
        ticks in vec(1..10_000_u32, 0..2),
        options in any::<bool>(),
    ) -> Document<'static> {
        let mut document = Document::default();
        for (index, (parent, matrices)) in parents.iter().zip(matrices).enumerate() {
            // Choose the last frame or one of its ancestors as parent, so that frames stay in depth-first order.
            let mut above = index.checked_sub(1);
            if let Some(steps) = parent {
                for _ in 0..steps.index(3) {
                    above = above.and_then(|above| document.frames[above].parent);
                }
            }
            let (name, span) = (Some(NAMES[index % 4].into()), Span::default());
            document.frames.push(Frame { name, parent: above, matrices, span });
        }
        document.materials.push(Material { name: Some("Shared".into()), ..Material::default() });
        let shared = parts.iter().filter(|parts| parts.materials > 0).count() != 1;
        for (index, parts) in parts.into_iter().enumerate() {
            let mesh = mesh(parts, &mut document.materials, shared);
            document.meshes.push(mesh);
            let frame = (index < 2).then_some(0);
            document.mesh_uses.push(MeshUse { mesh: index, frame, span: Span::default() });
        }
        document.ticks_per_second = ticks.into_iter().map(|ticks| ticks.into()).collect();
        let options = options.then(|| AnimationOptions { open_closed: 1.into(), position_quality: 0.into() });
        let target = Some(Target { name: "Root".into(), frame: Some(0) });
        let animation = Animation { name: None, target, keys: key_lists, options, span: Span::default() };
        document.loose_animations.push(animation.clone());
        let set = AnimationSet { name: Some("Walk".into()), animations: vec![animation], span: Span::default() };
        document.animation_sets.push(set);
        document
    }
}

/// Returns a document as text without positions.
fn without_places(document: &Document<'_>) -> String {
    let text = format!("{document:?}");
    let mut pieces = text.split("Span {");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('}').map_or("", |(_, rest)| rest))
}

/// Returns the materials in reading order: those inside meshes first.
fn in_reading_order<'a>(mut document: Document<'a>) -> Document<'a> {
    let used = |material: &usize| {
        document.meshes.iter().flat_map(|mesh| &mesh.material_list).any(|list| list.materials.contains(material))
    };
    let mut order: Vec<usize> = Vec::new();
    for &material in document.meshes.iter().flat_map(|mesh| &mesh.material_list).flat_map(|list| &list.materials) {
        if !order.contains(&material) {
            order.push(material);
        }
    }
    order.extend((0..document.materials.len()).filter(|material| !used(material)));
    for material in
        document.meshes.iter_mut().flat_map(|mesh| &mut mesh.material_list).flat_map(|list| &mut list.materials)
    {
        *material = order.iter().position(|place| place == material).unwrap();
    }
    document.materials = order.iter().map(|&material| document.materials[material].clone()).collect();
    document
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_documents_read_back_as_they_were(document in document()) {
        let document = in_reading_order(document);
        for encoding in encodings() {
            let bytes = x::write(&document, encoding);
            let file = x::unpack(&bytes, Reading::Strict).unwrap();
            prop_assert_eq!(file.encoding, encoding);
            let strict = x::parse(&file, Reading::Strict).map_err(|error| error.to_string());
            // Random weights and key lists break rules that are unrelated to writing.
            prop_assert!(!matches!(&strict, Err(error) if !error.starts_with("a second list")), "{:?}", strict);
            let parsed = x::parse(&file, Reading::Lenient).unwrap();
            prop_assert_eq!(without_places(&parsed.document), without_places(&document), "{}", encoding);
        }
    }
}

/// Readers that are stricter than D3DX need the separators of Microsoft's own files.
#[test]
fn text_looks_like_microsofts_own() {
    let mut mesh = Mesh { name: Some("M".into()), ..Mesh::default() };
    mesh.vertices = vec![[0.0, 0.5, -1.0], [1e-7, 2.0, 3.0], [1.0, 1.0, 1.0]].into();
    mesh.faces.push(&[0, 1, 2]);
    mesh.faces.push(&[2, 1, 0]);
    mesh.texture_coords = Some(MeshTextureCoords { coords: vec![[0.0, 1.0]; 2].into(), span: Span::default() });
    let mut identity = [0.0; 16];
    for place in [0, 5, 10, 15] {
        identity[place] = 1.0;
    }
    let frame = Frame { name: Some("F".into()), parent: None, matrices: vec![identity], span: Span::default() };
    let key = AnimationKey {
        kind: KeyKind::Position,
        times: vec![0.0, 2.0],
        values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into(),
        span: Span::default(),
    };
    let target = Some(Target { name: "F".into(), frame: Some(0) });
    let animation = Animation { target, keys: vec![key], ..Animation::default() };
    let document = Document {
        frames: vec![frame],
        meshes: vec![mesh],
        mesh_uses: vec![MeshUse { mesh: 0, frame: Some(0), span: Span::default() }],
        ticks_per_second: vec![24.into()],
        animation_sets: vec![AnimationSet { animations: vec![animation], ..AnimationSet::default() }],
        ..Document::default()
    };
    let expected = "xof 0303txt 0032
template AnimTicksPerSecond { <9E415A43-7BA6-4A73-8743-B73D47E88476> DWORD AnimTicksPerSecond; }
AnimTicksPerSecond {
  24;
}
Frame F {
  FrameTransformMatrix {
    1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;
  }
  Mesh M {
    3;
    0.0;0.5;-1.0;,
    0.0000001;2.0;3.0;,
    1.0;1.0;1.0;;
    2;
    3;0,1,2;,
    3;2,1,0;;
    MeshTextureCoords {
      2;
      0.0;1.0;,
      0.0;1.0;;
    }
  }
}
AnimationSet {
  Animation {
    {F}
    AnimationKey {
      2;
      2;
      0;3;1.0,2.0,3.0;;,
      2;3;4.0,5.0,6.0;;;
    }
  }
}
";
    assert_eq!(String::from_utf8(x::write(&document, Encoding::TEXT)).unwrap(), expected);
}

/// Bytes by hand from docs/formats/x.md "Compressed files" and
/// docs/formats/x.md "Tokens of binary files".
#[test]
fn tokens_are_laid_out_as_specified() {
    let document = Document {
        ticks_per_second: vec![24.into()],
        frames: vec![Frame { name: Some("F".into()), parent: None, matrices: vec![[0.5; 16]], span: Span::default() }],
        ..Document::default()
    };
    let encoding = Encoding { format: BodyFormat::Binary, compressed: false, float_size: FloatSize::F32 };
    let mut expected = b"xof 0303bin 0032".to_vec();
    expected.extend(b"\x1F\0\x01\0\x12\0\0\0AnimTicksPerSecond\x0A\0");
    expected.extend(b"\x05\0\x43\x5A\x41\x9E\xA6\x7B\x73\x4A\x87\x43\xB7\x3D\x47\xE8\x84\x76");
    expected.extend(b"\x29\0\x01\0\x12\0\0\0AnimTicksPerSecond\x14\0\x0B\0");
    expected.extend(b"\x01\0\x12\0\0\0AnimTicksPerSecond\x0A\0\x06\0\x01\0\0\0\x18\0\0\0\x0B\0");
    expected.extend(b"\x01\0\x05\0\0\0Frame\x01\0\x01\0\0\0F\x0A\0");
    expected.extend(b"\x01\0\x14\0\0\0FrameTransformMatrix\x0A\0\x07\0\x10\0\0\0");
    expected.extend([0, 0, 0, 0x3F].repeat(16));
    expected.extend(b"\x0B\0\x0B\0");
    assert_eq!(x::write(&document, encoding), expected);
    let compressed = x::write(&document, encoding.compressed());
    assert_eq!(compressed[..16], *b"xof 0303bzip0032");
    assert_eq!(compressed[16..20], (expected.len() as u32).to_le_bytes());
    assert_eq!(compressed[20..22], (expected.len() as u16 - 16).to_le_bytes());
    assert_eq!(usize::from(u16::from_le_bytes([compressed[22], compressed[23]])), compressed.len() - 24);
    assert_eq!(compressed[24..26], *b"CK");
}

/// A mesh in two frames is written once and referred to. A mesh without a name is written twice.
#[test]
fn meshes_drawn_twice_are_referred_to() {
    let mut document = Document::default();
    for name in ["A", "B"] {
        document.frames.push(Frame { name: Some(name.into()), parent: None, matrices: vec![], span: Span::default() });
    }
    let mut mesh = Mesh { name: Some("M".into()), vertices: vec![[0.0; 3]; 3].into(), ..Mesh::default() };
    mesh.faces.push(&[0, 1, 2]);
    document.meshes.push(mesh);
    document.mesh_uses = [0, 1].map(|frame| MeshUse { mesh: 0, frame: Some(frame), span: Span::default() }).to_vec();
    let uses = |document: &Document<'_>| {
        let bytes = x::write(document, Encoding::TEXT);
        let file = x::unpack(&bytes, Reading::Strict).unwrap();
        let document = x::parse(&file, Reading::Strict).unwrap().document;
        document.mesh_uses.iter().map(|used| (used.mesh, used.frame)).collect::<Vec<_>>()
    };
    assert_eq!(uses(&document), [(0, Some(0)), (0, Some(1))]);
    document.meshes[0].name = None;
    assert_eq!(uses(&document), [(0, Some(0)), (1, Some(1))]);
}

/// Returns frames with these names. Each refers to the next one.
fn ring<'a>(names: &[Vec<u8>]) -> Tree<'a> {
    let text = |name: &Vec<u8>| Some(Text { bytes: name.clone().into(), span: Span::default() });
    let object = |(name, next): (&Vec<u8>, &Vec<u8>)| Object {
        type_name: "Frame".into(),
        name: text(name),
        guid: None,
        values: x::Values::default(),
        children: vec![Child::Reference(Reference { name: text(next), guid: None, span: Span::default() })],
        unread: None,
        slip: None,
        span: Span::default(),
    };
    let objects = names.iter().zip(names.iter().cycle().skip(1)).map(object).collect();
    Tree { templates: Vec::new(), objects }
}

/// Binary files can use names for types and members that text files cannot contain. Types are compared without regard
/// to case.
#[test]
fn names_in_templates_that_text_cannot_hold_still_lay_out_objects() {
    let text = |bytes: &'static [u8]| Text { bytes: bytes.into(), span: Span::default() };
    let member = |kind: Primitive, name, dimensions| Member { kind: MemberKind::Primitive(kind), name, dimensions };
    let template =
        |name, members| Template { name, guid: None, members, children: Allowed::Any, span: Span::default() };
    let value = |datum| Value { datum, span: Span::default() };
    let values = [value(Datum::Integer(2)), value(Datum::Float(0.5)), value(Datum::Float(1.5))];
    let (counter, array) = (text(b"n{"), text(b"N{"));
    let members = vec![
        member(Primitive::Dword, Some(counter.clone()), Vec::new()),
        member(Primitive::Float, Some(array), vec![Dimension::Member(counter)]),
    ];
    let tree = Tree {
        templates: vec![template(text(b"My Type{"), members), template(text(b"My_Type_"), Vec::new())],
        objects: vec![Object {
            values: values.iter().cloned().collect(),
            type_name: text(b"MY TYPE{"),
            ..Object::new("Frame")
        }],
    };
    for encoding in encodings() {
        let bytes = x::write_tree(&tree, encoding);
        let unpacked = x::unpack(&bytes, Reading::Lenient).unwrap();
        let read = x::parse(&unpacked, Reading::Lenient).unwrap().tree;
        let found: Vec<Datum> = read.objects[0].values.iter().map(|value| value.datum).collect();
        let expected: Vec<Datum> = values.iter().map(|value| value.datum.clone()).collect();
        assert_eq!(found, expected, "{encoding}: {}", String::from_utf8_lossy(&bytes));
    }
}

proptest! {
    /// Names in binary files can contain any byte except NUL, which ends them. The tree reads back, each reference has
    /// the same target, and all names stay different.
    #[test]
    fn names_of_any_bytes_stay_apart_and_lead_where_they_led(
        names in proptest::collection::hash_set(
            prop_oneof![vec(1..=u8::MAX, 1..6), "[a-c,;_ /#<(\"{}]{1,4}".prop_map(String::into_bytes)], 1..8,
        ),
    ) {
        let names: Vec<Vec<u8>> = names.into_iter().collect();
        for encoding in encodings() {
            let bytes = x::write_tree(&ring(&names), encoding);
            let unpacked = x::unpack(&bytes, Reading::Lenient).unwrap();
            let parsed = x::parse(&unpacked, Reading::Lenient);
            let tree = parsed.map_err(|error| TestCaseError::fail(format!("{error}: {bytes:?}")))?.tree;
            let found: Vec<Vec<u8>> =
                tree.objects.iter().map(|object| object.name.as_ref().unwrap().bytes.to_vec()).collect();
            prop_assert_eq!(found.len(), names.len());
            for (index, object) in tree.objects.iter().enumerate() {
                let [Child::Reference(reference)] = &object.children[..] else { panic!("{object:?}") };
                let next = &found[(index + 1) % found.len()];
                prop_assert_eq!(&reference.name.as_ref().unwrap().bytes[..], &next[..]);
                let plain = |name: &[u8]| name.iter().all(u8::is_ascii_alphanumeric);
                prop_assert!(found[index] == names[index] || (encoding.format == BodyFormat::Text && !plain(&names[index])));
            }
            let distinct: std::collections::HashSet<_> = found.iter().collect();
            prop_assert_eq!(distinct.len(), found.len());
        }
    }
}
