//! Checks which real files load, with which repairs, and with which verdict of D3DX.

use super::support::{lenient, strict};
use crate::corpus::{is_sampled, real_files};
use bindpose_parsers::x::{self, Encoding, FloatSize, Reading};

/// Files that load with warnings, and D3DX's verdict. All others load without warnings and are accepted.
///
/// In three files one material index applies to all faces, which D3DX refuses (case C39). Two of them are Microsoft's
/// own samples.
const REPAIRED: &[(&str, &str, &[&str])] = &[
    ("Testwuson.X", "ok", &["17252:4 the XSkinMeshHeader allows 0 weights per face, but there are up to 6"]),
    (
        "anim_test.x",
        "E_FAIL 26539:13",
        &[
            "26539:13 skin weights name 'joint3', which is not a frame; their vertices follow the mesh's own frame (2 times)",
        ],
    ),
    (
        "lobby_skybox.x",
        "ok",
        &[
            "48:10 the template 'Boolean' differs from the standard one, which is used",
            "85:10 the template 'MeshFaceWraps' differs from the standard one, which is used",
        ],
    ),
    ("mobs_cow.x", "ok", &["1280:7 one material index for 116 faces; it stands for all of them"]),
    ("seafloor.x", "ok", &["4344:5 one material index for 2830 faces; it stands for all of them"]),
    ("sphere0.x", "ok", &["@2488 one material index for 108 faces; it stands for all of them"]),
    ("wuson_bin32.x", "ok", &["@224750 the XSkinMeshHeader allows 0 weights per face, but there are up to 6"]),
    ("wuson_tzip.x", "ok", &["17252:4 the XSkinMeshHeader allows 0 weights per face, but there are up to 6"]),
    ("zmobs_lava_flan.x", "ok", &["1169:12 112 vertices with more than 4 weights; vertex 4 has 5"]),
];

#[test]
fn all_real_files_load() {
    let files = real_files(&["x"]);
    for path in &files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let expected = REPAIRED.iter().find(|(file, _, _)| *file == name);
        let (verdict, warnings) = expected.map_or(("ok", &[][..]), |&(_, verdict, warnings)| (verdict, warnings));
        assert_eq!(
            lenient(&bytes).as_deref(),
            Ok(warnings.iter().map(|w| w.to_string()).collect::<Vec<_>>().as_slice()),
            "{name}"
        );
        assert_eq!(strict(&bytes), verdict, "{name}");
    }
}

/// Returns all encodings of a file.
pub fn encodings() -> Vec<Encoding> {
    let doubles = |encoding| Encoding { float_size: FloatSize::F64, ..encoding };
    let plain = [Encoding::TEXT, doubles(Encoding::TEXT), Encoding::BINARY, doubles(Encoding::BINARY)];
    plain.into_iter().flat_map(|encoding| [encoding, encoding.compressed()]).collect()
}

/// Rewritten real files have the same content in every encoding, and D3DX accepts them if it accepted the originals. By
/// default, a file is written in some encodings.
#[test]
fn real_files_survive_being_written() {
    let files = real_files(&["x"]);
    for (number, path) in files.iter().enumerate() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let file = x::unpack(&bytes, Reading::Lenient).unwrap();
        let parsed = x::parse(&file, Reading::Lenient).unwrap();
        let accepted = strict(&bytes) == "ok";
        // Deflating is slow, so large files use one way each.
        let few = if bytes.len() > 100_000 { 3 } else { 1 };
        let all = encodings().into_iter().step_by(few).enumerate();
        for (_, encoding) in all.filter(|(encoding, _)| is_sampled(number, *encoding, 3)) {
            // Rounding to 32 bits changes values. Text and doubles are exact.
            let exact = encoding.format == x::BodyFormat::Text || encoding.float_size == FloatSize::F64;
            let written = x::write_tree(&parsed.tree, encoding);
            let again = x::unpack(&written, Reading::Strict).unwrap();
            assert_eq!(again.encoding, encoding, "{name}");
            let again = x::parse(&again, Reading::Lenient).unwrap();
            assert_eq!(again.warnings.len(), parsed.warnings.len(), "{name} {encoding}");
            if exact {
                let (found, expected) = (plain(&again.tree), plain(&parsed.tree));
                let differing = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
                assert_eq!(differing, None, "{name} {encoding}");
                assert_eq!(found.len(), expected.len(), "{name} {encoding}");
            }
            if accepted {
                assert_eq!(strict(&written), "ok", "{name} {encoding}");
            }
            let written = x::write(&parsed.document, encoding);
            let again = x::unpack(&written, Reading::Strict).unwrap();
            let again = x::parse(&again, Reading::Lenient).unwrap();
            assert_eq!(counts(&again.document), counts(&parsed.document), "{name} {encoding}");
            // A second writing keeps the order of the first.
            assert!(!exact || x::write(&again.document, encoding) == written, "{name} {encoding}");
        }
    }
    println!("wrote {} files in {} encodings", files.len(), encodings().len());
}

/// Returns a tree without positions and without parts that could not be read.
fn plain(tree: &x::Tree<'_>) -> String {
    let text = x::write_tree(tree, Encoding::TEXT);
    String::from_utf8_lossy(&text).into_owned()
}

fn counts(document: &x::Document<'_>) -> impl PartialEq + std::fmt::Debug {
    let meshes = document.meshes.iter();
    let sets = document.animation_sets.iter();
    (
        document.frames.len(),
        document.mesh_uses.len(),
        document.materials.len(),
        meshes.clone().map(|mesh| mesh.vertices.len()).sum::<usize>(),
        meshes.clone().map(|mesh| mesh.faces.corners.len()).sum::<usize>(),
        meshes.flat_map(|mesh| &mesh.skin_weights).map(|bone| bone.weights.len()).sum::<usize>(),
        sets.map(|set| (set.animations.len(), set.period())).collect::<Vec<_>>(),
    )
}
