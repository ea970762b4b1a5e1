//! Real .x files: properties of every imported model, whatever program wrote the file.

use crate::support;
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::import::x::{Imported, XImportOptions, import};
use bindpose::model::{Mesh, Model};
use bindpose::pose::{LocalPose, ModelPose};
use bindpose::skin::{Skinned, linear, palette};
use bindpose_parsers::x::{self, Reading};
use std::path::Path;

/// Files with normals that point to the back of triangles, and their number. All other files have none.
///
/// The normals of these files are wrong: the volumes enclosed by their windings are positive. Only `lobby_skybox.x` is
/// meant to be seen from inside.
const BACKWARD_NORMALS: [(&str, usize); 13] = [
    ("character_2014.x", 84),
    ("cube_bin32.x", 4),
    ("cube_bin64.x", 4),
    ("cube_bzip.x", 4),
    ("cube_tzip.x", 4),
    ("lobby_skybox.x", 12),
    ("mobs_sheep.x", 166),
    ("mt_character_bzip.x", 84),
    ("test_cube_binary.x", 4),
    ("test_cube_compressed.x", 4),
    ("test_cube_text.x", 4),
    ("tiny.x", 75),
    ("zmobs_mese_monster.x", 40),
];

fn rest_pose(model: &Model) -> ModelPose {
    LocalPose::rest(&model.skeleton).to_model(&model.skeleton)
}

fn load(path: &Path) -> Imported {
    let bytes = std::fs::read(path).unwrap();
    let file = x::unpack(&bytes, Reading::Lenient).unwrap();
    let document = x::parse(&file, Reading::Lenient).unwrap().document;
    import(
        document,
        &XImportOptions { name: "model".to_owned(), ..XImportOptions::default() },
        &Budget::new(MemoryLimit::NONE),
    )
    .unwrap()
}

/// Lengths and ranges that every consumer relies on.
fn check_shape(what: &str, model: &Model, mesh: &Mesh) {
    let vertices = mesh.vertex_count();
    assert!(mesh.material.index() < model.materials.len(), "{what}");
    for length in [mesh.normals.len(), mesh.tangents.len(), mesh.uvs.len(), mesh.source_vertices.len()] {
        assert_eq!(length, vertices, "{what}");
    }
    assert!(mesh.colors.is_empty() || mesh.colors.len() == vertices, "{what}");
    assert_eq!(mesh.influence_starts.len(), vertices + 1, "{what}");
    assert_eq!(*mesh.influence_starts.last().unwrap() as usize, mesh.influences.len(), "{what}");
    assert!((0..vertices).all(|vertex| !mesh.influences_of(vertex).is_empty()), "{what}");
    assert!(mesh.influences.iter().all(|influence| (influence.slot as usize) < mesh.bind.len()), "{what}");
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < vertices), "{what}");
    for (normal, tangent) in mesh.normals.iter().zip(&mesh.tangents) {
        assert!((normal.length() - 1.0).abs() < 1e-5, "{what}: normal {normal}");
        assert!((tangent.truncate().length() - 1.0).abs() < 1e-5, "{what}: tangent {tangent}");
        assert!(normal.dot(tangent.truncate()).abs() < 1e-4 && tangent.w.abs() == 1.0, "{what}: tangent {tangent}");
    }
}

#[test]
fn windings_normals_and_bind_spaces_are_consistent() {
    for path in &support::real_files(&["x"]) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let imported = load(path);
        let model = &imported.model;
        let pose = rest_pose(model);
        let (mut skinned, mut matrices) = (Skinned::default(), Vec::new());
        let mut backward = 0;
        for mesh in &model.meshes {
            check_shape(name, model, mesh);
            palette(mesh, &pose, &mut matrices);
            linear(mesh, &pose, &mut skinned);
            // Bind space is model space at rest, so no palette of a real file mirrors or scales there.
            for matrix in &matrices {
                assert!((matrix.matrix3.determinant() - 1.0).abs() < 1e-4, "{name}: {matrix:?}");
            }
            let (min, max) = mesh.bounds().unwrap();
            let (_, residual) = mesh.bind_residual().unwrap();
            assert!(residual < 1e-5 * f64::from((max - min).max_element()), "{name}: {residual}");
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|corner| skinned.positions[corner as usize]);
                let normal: glam::DVec3 = triangle.iter().map(|&corner| skinned.normals[corner as usize]).sum();
                backward += usize::from((b - a).cross(c - a).dot(normal) < 0.0);
            }
        }
        let expected = BACKWARD_NORMALS.iter().find(|(file, _)| *file == name).map(|&(_, count)| count);
        assert_eq!(backward, expected.unwrap_or(0), "{name}");
    }
}
