//! Cases C… about the imported model, most with numbers from the genuine XNA importer.
//!
//! Expected values are in the file's left-handed row-vector form, as in the specification. The helpers convert results
//! back to it.

use bindpose::budget::Budget;
use bindpose::import::x::{Imported, XImportOptions, import, import_clips};
use bindpose::model::{Clip, JointId, Mesh, Model};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose::skin::{Skinned, linear, palette};
use bindpose_parsers::x::{self, Reading};
use glam::{DAffine3, DMat3, DVec3, Vec3};

/// Swaps y and z, from the model's axes to the file's and back.
const SWAP: DMat3 = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::Y);

/// Half the root of two as files print it, with six decimals.
const HALF: f64 = 707_107.0 / 1e6;

fn options() -> XImportOptions {
    XImportOptions { name: "stem".to_owned(), ..XImportOptions::default() }
}

fn import_text_with(body: &str, options: &XImportOptions) -> Imported {
    let bytes = format!("xof 0303txt 0032\n{body}\n").into_bytes();
    let file = x::unpack(&bytes, Reading::Lenient).unwrap();
    import(x::parse(&file, Reading::Lenient).unwrap().document, options, &Budget::default()).unwrap()
}

fn import_text(body: &str) -> Imported {
    import_text_with(body, &options())
}

fn codes(imported: &Imported) -> Vec<&'static str> {
    imported.warnings.iter().map(|warning| warning.code).collect()
}

fn pose(model: &Model, clip: Option<(&Clip, f64)>) -> ModelPose {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    match clip {
        Some((clip, time)) => sample(&model.skeleton, clip, time, &mut local),
        None => rest(&model.skeleton, &mut local),
    }
    local_to_model(&model.skeleton, &local, &mut pose);
    pose
}

/// Returns the rows of a joint's world matrix in the file's form, translation last. Only for frames that do not mirror.
fn world(pose: &ModelPose, joint: usize) -> [[f64; 3]; 4] {
    let file = DAffine3::from_mat3(SWAP) * pose.0[joint] * DAffine3::from_mat3(SWAP);
    let [x, y, z] = [file.matrix3.x_axis, file.matrix3.y_axis, file.matrix3.z_axis];
    [x.to_array(), y.to_array(), z.to_array(), file.translation.to_array()]
}

#[track_caller]
fn assert_world(pose: &ModelPose, joint: usize, expected: [[f64; 3]; 4], tolerance: f64) {
    let found = world(pose, joint);
    let off = found.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs());
    assert!(off.fold(0.0, f64::max) <= tolerance, "found {found:?}\nexpected {expected:?}");
}

fn skinned(mesh: &Mesh, pose: &ModelPose) -> Skinned {
    let mut skinned = Skinned::default();
    linear(mesh, pose, &mut skinned);
    skinned
}

fn close(found: DVec3, expected: [f64; 3]) -> bool {
    found.abs_diff_eq(DVec3::from_array(expected), 1e-6)
}

const AXES: [[f64; 3]; 3] = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];

fn matrix(numbers: &str) -> String {
    format!("FrameTransformMatrix {{ {numbers};; }}")
}

fn translation(x: f64, y: f64, z: f64) -> String {
    matrix(&format!("1,0,0,0, 0,1,0,0, 0,0,1,0, {x:.1},{y:.1},{z:.1},1"))
}

/// Returns a mesh of positions and faces.
fn mesh(positions: &[[f64; 3]], faces: &[&[u32]], more: &str) -> String {
    let positions: Vec<String> = positions.iter().map(|[x, y, z]| format!("{x:.3};{y:.3};{z:.3};")).collect();
    format!("Mesh M {{ {}; {}; {} {more} }}", positions.len(), positions.join(","), polygons(faces))
}

fn polygons(faces: &[&[u32]]) -> String {
    let faces: Vec<String> = faces
        .iter()
        .map(|face| format!("{};{};", face.len(), face.iter().map(u32::to_string).collect::<Vec<_>>().join(",")))
        .collect();
    format!("{}; {};", faces.len(), faces.join(","))
}

const FIVE: [[f64; 3]; 6] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.], [0., 0., 1.], [1., 1., 1.]];

/// C42: triangles that use a vertex twice are dropped one by one, also in fans.
#[test]
fn degenerate_triangles_are_dropped() {
    let faces: [&[u32]; 5] = [&[0, 1, 2], &[3, 4, 3], &[1, 2, 4], &[5, 5, 5], &[0, 3, 1]];
    let model = import_text(&mesh(&FIVE, &faces, "")).model;
    assert_eq!(model.meshes[0].triangles, [[0, 2, 1], [1, 4, 2], [0, 1, 3]]);
    let fans: [&[u32]; 3] = [&[0, 1, 2, 0], &[0, 1, 1, 2], &[1, 2, 4]];
    let model = import_text(&mesh(&FIVE[..5], &fans, "")).model;
    assert_eq!(model.meshes[0].triangles, [[0, 2, 1], [0, 2, 1], [1, 4, 2]]);
}

/// C42: `VertexDuplicationIndices` merge vertices, even with normals and without texture coordinates.
#[test]
fn duplication_indices_drop_triangles_too() {
    let faces: [&[u32]; 4] = [&[0, 1, 2], &[0, 4, 5], &[1, 3, 4], &[1, 2, 3]];
    let normals = format!("MeshNormals {{ 1; 0;0;-1;; {} }}", polygons(&[&[0, 0, 0][..]; 4]));
    let count = |more: &str| import_text(&mesh(&FIVE, &faces, more)).model.meshes[0].triangles.len();
    let copies = |indices: &str| format!("VertexDuplicationIndices {{ 6; 4; {indices}; }}");
    assert_eq!(count(&format!("{normals} {}", copies("0,1,2,3,3,3"))), 2);
    assert_eq!(count(&format!("{normals} {}", copies("0,1,2,3,4,5"))), 4);
    assert_eq!(count(&copies("0,1,2,3,3,3")), 4);
    let coords = "MeshTextureCoords { 6; 0;0;,0;0;,0;0;,0;0;,0;0;,0;0;; }";
    assert_eq!(count(&format!("{normals} {coords} {}", copies("0,1,2,3,3,3"))), 4);
}

/// C43: one index with two normals is two vertices, so the triangle stays.
#[test]
fn vertices_are_split_by_normal_value() {
    let positions = [[0., 0., 0.], [1., 0., 0.]];
    let normals = format!("MeshNormals {{ 3; 0;0;-1;, 0;1;0;, 0;0;-5;; {} }}", polygons(&[&[0, 0, 1]]));
    let model = import_text(&mesh(&positions, &[&[0, 1, 1]], &normals)).model;
    assert_eq!(model.meshes[0].triangles, [[0, 2, 1]]);
    assert_eq!(model.meshes[0].source_vertices, [0, 1, 1]);
    // Normals with equal values under different indices are one normal.
    let normals = format!("MeshNormals {{ 3; 0;0;-1;, 0;1;0;, 0;0;-5;; {} }}", polygons(&[&[0, 0, 0], &[2, 2, 2]]));
    let model = import_text(&mesh(&FIVE, &[&[0, 1, 2], &[2, 1, 3]], &normals)).model;
    assert_eq!(model.meshes[0].vertex_count(), 6);
}

/// C45: eight positions and six normals of a cube are 24 vertices, the file's own first.
#[test]
fn a_cube_of_eight_positions_has_24_vertices() {
    let positions: Vec<[f64; 3]> =
        (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2 & 1].map(|bit| if bit == 1 { 1.0 } else { -1.0 })).collect();
    // Clockwise seen from outside in a left-handed space, each with its normal.
    let faces: [&[u32]; 6] = [&[0, 2, 3, 1], &[4, 5, 7, 6], &[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 4, 6, 2], &[1, 3, 7, 5]];
    let normals = "0;0;-1;, 0;0;1;, 0;-1;0;, 0;1;0;, -1;0;0;, 1;0;0;;";
    let of_faces: Vec<[u32; 4]> = (0..6).map(|normal| [normal; 4]).collect();
    let of_faces: Vec<&[u32]> = of_faces.iter().map(|corners| corners.as_slice()).collect();
    let more = format!("MeshNormals {{ 6; {normals} {} }}", polygons(&of_faces));
    let imported = import_text(&mesh(&positions, &faces, &more));
    let cube = &imported.model.meshes[0];
    assert_eq!(codes(&imported), Vec::<&str>::new(), "{:?}", imported.warnings);
    assert_eq!((cube.vertex_count(), cube.triangles.len()), (24, 12));
    assert_eq!(cube.source_vertices[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
    // Counter-clockwise seen from outside: the volume is that of the cube.
    let volume: f32 = cube
        .triangles
        .iter()
        .map(|triangle| triangle.map(|corner| cube.positions[corner as usize]))
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum();
    assert!((volume - 8.0).abs() < 1e-5, "{volume}");
}

/// C46: unit face normals summed over each position and normalised.
#[test]
fn missing_normals_are_computed() {
    let positions = [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [0., 0., 1.]];
    let model = import_text(&mesh(&positions, &[&[0, 1, 2], &[0, 1, 3]], "")).model;
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let expected = [[0., -half, half], [0., -half, half], [0., 0., 1.], [0., -1., 0.]];
    for (normal, expected) in model.meshes[0].normals.iter().zip(expected) {
        assert!(close(SWAP * normal.as_dvec3(), expected), "{normal} {expected:?}");
    }
}

/// C48: half alpha is 128/255, and vertices without colour are white.
#[test]
fn colours_are_quantised() {
    let model = import_text(&mesh(&FIVE[..4], &[&[0, 1, 2, 3]], "MeshVertexColors { 1; 3; 1;1;1;0.5;, }")).model;
    let colors = &model.meshes[0].colors;
    assert_eq!(colors.len(), 4);
    assert_eq!(colors[0].to_array(), [1.0; 4]);
    assert!((colors[3].w - 0.501961).abs() < 1e-6);
}

/// C50 and C51: a frame without a matrix is the identity, the last of two matrices counts, and children multiply.
#[test]
fn transforms_of_frames_are_multiplied() {
    let text = format!(
        "Frame World {{ {} {} Frame Child {{ {} Frame Leaf {{}} }} }}",
        translation(9., 9., 9.),
        translation(5., 0., 0.),
        matrix("2,0,0,0, 0,2,0,0, 0,0,2,0, 0,3,0,1"),
    );
    let model = import_text(&text).model;
    let pose = pose(&model, None);
    assert_world(&pose, 0, [AXES[0], AXES[1], AXES[2], [5., 0., 0.]], 0.0);
    let doubled = [[2., 0., 0.], [0., 2., 0.], [0., 0., 2.], [5., 3., 0.]];
    assert_world(&pose, 1, doubled, 1e-12);
    assert_world(&pose, 2, doubled, 1e-12);
}

/// C53: meshes are placed by their frames; at top level, they are at the origin.
#[test]
fn unskinned_meshes_follow_their_frames() {
    let triangle = mesh(&FIVE[..3], &[&[0, 1, 2]], "");
    let place = |text: &str| {
        let model = import_text(text).model;
        let pose = pose(&model, None);
        let places: Vec<DVec3> = model.meshes.iter().map(|mesh| SWAP * skinned(mesh, &pose).positions[1]).collect();
        // Bind space is model space at rest.
        for (mesh, &place) in model.meshes.iter().zip(&places) {
            assert!((SWAP * mesh.positions[1].as_dvec3()).distance(place) < 1e-6);
        }
        places
    };
    let frame = translation(5., 6., 7.);
    assert_eq!(place(&format!("{triangle} Frame A {{ {frame} {{M}} }}")), [DVec3::new(6., 6., 7.)]);
    assert_eq!(place(&format!("Frame A {{ {frame} {triangle} }}")), [DVec3::new(6., 6., 7.)]);
    assert_eq!(place(&format!("Frame A {{ {frame} }} {triangle}")), [DVec3::X]);
    assert_eq!(place(&format!("Frame A {{ {frame} {triangle} Frame B {{ {frame} {{M}} }} }}")).len(), 2);
}

fn keys(kind: u32, list: &[(u32, &[f64])]) -> String {
    let list: Vec<String> = list
        .iter()
        .map(|(time, values)| {
            let numbers: Vec<String> = values.iter().map(|value| format!("{value:.6}")).collect();
            format!("{time};{};{};;", values.len(), numbers.join(","))
        })
        .collect();
    format!("AnimationKey {{ {kind}; {}; {}; }}", list.len(), list.join(","))
}

fn animation_set(name: &str, frame: &str, keys: &str) -> String {
    format!("AnimationSet {name} {{ Animation {{ {{{frame}}} {keys} }} }}")
}

/// C55 and C56: ticks are converted to seconds by the file's rate, D3DX's default, or the user's rate.
#[test]
fn ticks_per_second() {
    let positions = keys(2, &[(0, &[0., 0., 0.]), (20, &[4., 0., 0.])]);
    let body = format!("Frame A {{}} {}", animation_set("S", "A", &positions));
    let durations = |body: &str, chosen| {
        let imported = import_text_with(body, &XImportOptions { ticks_per_second: chosen, ..options() });
        let durations: Vec<f64> = imported.model.clips.iter().map(|clip| clip.duration).collect();
        (durations, codes(&imported))
    };
    // XNA: the second key is at 41666 * 100 ns, truncated.
    let (at_default, warnings) = durations(&body, Some(4800.0));
    assert_eq!((at_default[0] * 1e7) as u64, 41666);
    assert_eq!(warnings, Vec::<&str>::new());
    // Without a rate in the file, times of four milliseconds are taken as frames.
    assert_eq!(durations(&body, None), (vec![20.0 / 24.0], vec!["XFI011"]));
    let long = body.replace("20;3;", "4800;3;");
    assert_eq!(durations(&long, None), (vec![1.0], vec![]));
    // C57: 0 means the default.
    assert_eq!(durations(&format!("AnimTicksPerSecond {{ 0; }} {body}"), None), (vec![20.0 / 4800.0], vec![]));
    // The last rate counts.
    let twice = format!("AnimTicksPerSecond {{ 10; }} {body} AnimTicksPerSecond {{ 5; }}");
    assert_eq!(durations(&twice, None), (vec![4.0], vec![]));

    let text = format!(
        "AnimTicksPerSecond {{ 60; }} Frame A {{}} {} {}",
        animation_set("First", "A", &keys(2, &[(0, &[0., 0., 0.]), (60, &[1., 0., 0.])])),
        animation_set("Second", "A", &keys(1, &[(0, &[1., 1., 1.]), (30, &[2., 2., 2.])])),
    );
    let model = import_text(&text).model;
    let named: Vec<(&str, f64)> = model.clips.iter().map(|clip| (clip.name.as_str(), clip.duration)).collect();
    assert_eq!(named, [("First", 1.0), ("Second", 0.5)]);
    let grown = pose(&model, Some((&model.clips[1], 0.5)));
    assert_world(&grown, 0, [[2., 0., 0.], [0., 2., 0.], [0., 0., 2.], [0., 0., 0.]], 1e-12);
}

/// The bone of C58, C59 and C62. Its keys replace its matrix, and lists have their own times.
const BONE: f64 = 2.0;

/// C58, C59, C62: XNA's result for position keys at 0, 10, 20 and rotation keys at 0 and 20.
#[test]
fn keys_replace_the_frame_matrix() {
    let list = format!(
        "{} {}",
        keys(2, &[(0, &[0., 0., 0.]), (10, &[0., 1., 0.]), (20, &[0., 2., 0.])]),
        keys(0, &[(0, &[1., 0., 0., 0.]), (20, &[HALF, HALF, 0., 0.])]),
    );
    let body = format!("Frame A {{ {} }} {}", translation(0., BONE, 0.), animation_set("S", "A", &list));
    let imported = import_text_with(&body, &XImportOptions { ticks_per_second: Some(1.0), ..options() });
    let (model, clip) = (&imported.model, &imported.model.clips[0]);
    assert_world(&pose(model, None), 0, [AXES[0], AXES[1], AXES[2], [0., BONE, 0.]], 0.0);
    assert_world(&pose(model, Some((clip, 0.0))), 0, [AXES[0], AXES[1], AXES[2], [0., 0., 0.]], 0.0);
    let eighth = [[1., 0., 0.], [0., HALF, -HALF], [0., HALF, HALF]];
    assert_world(&pose(model, Some((clip, 10.0))), 0, [eighth[0], eighth[1], eighth[2], [0., 1., 0.]], 1e-6);
    // Keys are normalised here. XNA does not do this: its rows have 1.000001.
    let quarter = [[1., 0., 0.], [0., 0., -1.], [0., 1., 0.], [0., 2., 0.]];
    assert_world(&pose(model, Some((clip, 20.0))), 0, quarter, 2e-6);
}

/// C60: rows of the file's matrix for a quarter turn about z.
#[test]
fn rotation_keys_turn_as_in_d3dx() {
    let list = keys(0, &[(0, &[HALF, 0., 0., HALF])]);
    let imported = import_text(&format!("Frame A {{}} {}", animation_set("S", "A", &list)));
    let turned = pose(&imported.model, Some((&imported.model.clips[0], 0.0)));
    assert_world(&turned, 0, [[0., -1., 0.], [1., 0., 0.], [0., 0., 1.], [0., 0., 0.]], 1e-6);
}

/// C61: a key and its negative are the same rotation, and nothing spins between them.
#[test]
fn opposite_quaternions_do_not_spin() {
    let list = keys(0, &[(0, &[1., 0., 0., 0.]), (2, &[-0.98, 0.2, 0., 0.])]);
    let body = format!("Frame A {{}} {}", animation_set("S", "A", &list));
    let imported = import_text_with(&body, &XImportOptions { ticks_per_second: Some(1.0), ..options() });
    let halfway = pose(&imported.model, Some((&imported.model.clips[0], 1.0)));
    assert!(halfway.0[0].matrix3.x_axis.dot(DVec3::X) > 0.97);
}

/// C63: parts without keys keep the part of the frame's matrix, even if that matrix mirrors.
#[test]
fn parts_without_keys_come_from_the_matrix() {
    let turn = keys(0, &[(0, &[HALF, 0., 0., HALF])]);
    let turned = |frame: &str| {
        let imported = import_text(&format!("Frame A {{ {frame} }} {}", animation_set("S", "A", &turn)));
        assert_eq!(codes(&imported), Vec::<&str>::new());
        (imported.model.clone(), pose(&imported.model, Some((&imported.model.clips[0], 0.0))))
    };
    let (_, plain) = turned(&translation(0., 2., 0.));
    assert_world(&plain, 0, [[0., -1., 0.], [1., 0., 0.], [0., 0., 1.], [0., 2., 0.]], 1e-6);
    // y and z are swapped and doubled: all scales are -2 and the rotation is replaced. The joint's space is the file's
    // here, so P alone converts back.
    let (_, mirrored) = turned(&matrix("2,0,0,0, 0,0,2,0, 0,2,0,0, 1,2,3,1"));
    let file = DAffine3::from_mat3(SWAP) * mirrored.0[0];
    let expected = [[0., 2., 0.], [-2., 0., 0.], [0., 0., -2.], [1., 2., 3.]];
    let found = [file.matrix3.x_axis, file.matrix3.y_axis, file.matrix3.z_axis, file.translation];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(found.abs_diff_eq(DVec3::from_array(expected), 4e-6), "{found} {expected:?}");
    }
}

/// C64: matrix keys of types 3 and 4, unchanged at their times, and interpolated in parts.
#[test]
fn matrix_keys() {
    let first: [f64; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let quarter: [f64; 16] = [0., 2., 0., 0., -2., 0., 0., 0., 0., 0., 2., 0., 4., 0., 0., 1.];
    for kind in [3, 4] {
        let list = keys(kind, &[(0, &first), (2, &quarter)]);
        let body = format!("Frame A {{ {} }} {}", translation(9., 9., 9.), animation_set("S", "A", &list));
        let imported = import_text_with(&body, &XImportOptions { ticks_per_second: Some(1.0), ..options() });
        let clip = &imported.model.clips[0];
        let at = |time| pose(&imported.model, Some((clip, time)));
        assert_world(&at(0.0), 0, [AXES[0], AXES[1], AXES[2], [0., 0., 0.]], 1e-12);
        assert_world(&at(2.0), 0, [[0., 2., 0.], [-2., 0., 0.], [0., 0., 2.], [4., 0., 0.]], 1e-12);
        let part = 1.5 * std::f64::consts::FRAC_1_SQRT_2;
        assert_world(&at(1.0), 0, [[part, part, 0.], [-part, part, 0.], [0., 0., 1.5], [2., 0., 0.]], 1e-12);
    }
}

/// Sections 7.5 and 15: sheared matrices cannot be decomposed, so their elements are interpolated linearly.
#[test]
fn sheared_matrix_keys_are_interpolated_linearly() {
    let first: [f64; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let sheared: [f64; 16] = [0., 1., 0., 0., -1., 0.5, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let list = keys(4, &[(0, &first), (2, &sheared)]);
    let body = format!("Frame A {{}} {}", animation_set("S", "A", &list));
    let imported = import_text_with(&body, &XImportOptions { ticks_per_second: Some(1.0), ..options() });
    let halfway = pose(&imported.model, Some((&imported.model.clips[0], 1.0)));
    assert_world(&halfway, 0, [[0.5, 0.5, 0.], [-0.5, 0.75, 0.], [0., 0., 1.], [0., 0., 0.]], 1e-12);
}

/// Keys replace the whole matrix, so its shear is dropped.
#[test]
fn keys_drop_the_shear_of_a_frame() {
    let list = format!(
        "{} {} {}",
        keys(0, &[(0, &[1., 0., 0., 0.])]),
        keys(1, &[(0, &[1., 1., 1.])]),
        keys(2, &[(0, &[0., 0., 0.])])
    );
    let frame = matrix("1,0,0,0, 0.5,1,0,0, 0,0,1,0, 0,0,0,1");
    let imported = import_text(&format!("Frame A {{ {frame} }} {}", animation_set("S", "A", &list)));
    assert_world(&pose(&imported.model, None), 0, [AXES[0], [0.5, 1., 0.], AXES[2], [0.; 3]], 1e-12);
    let posed = pose(&imported.model, Some((&imported.model.clips[0], 0.0)));
    assert_world(&posed, 0, [AXES[0], AXES[1], AXES[2], [0.; 3]], 1e-12);
}

/// C66, C67 and equal times: lists are merged and sorted, and the last key counts.
#[test]
fn faulty_key_lists_are_put_in_order() {
    let list = format!(
        "{} {}",
        keys(2, &[(4, &[4., 0., 0.]), (0, &[0., 0., 0.])]),
        keys(2, &[(2, &[9., 0., 0.]), (4, &[8., 0., 0.])])
    );
    let body = format!("Frame A {{}} {}", animation_set("S", "A", &list));
    let imported = import_text_with(&body, &XImportOptions { ticks_per_second: Some(1.0), ..options() });
    let at = |time| world(&pose(&imported.model, Some((&imported.model.clips[0], time))), 0)[3][0];
    assert_eq!([0.0, 1.0, 2.0, 4.0].map(at), [0.0, 4.5, 9.0, 8.0]);
}

/// C71: the period is that of the set, and a short list holds its last key.
#[test]
fn short_lists_hold_their_last_key() {
    let list = format!(
        "{} {}",
        keys(2, &[(0, &[0., 0., 0.]), (10, &[1., 0., 0.])]),
        keys(1, &[(0, &[1., 1., 1.]), (40, &[2., 2., 2.])])
    );
    let body = format!("Frame A {{}} {}", animation_set("S", "A", &list));
    let imported = import_text_with(&body, &XImportOptions { ticks_per_second: Some(10.0), ..options() });
    let clip = &imported.model.clips[0];
    assert_eq!((clip.duration, clip.looping, clip.timelines.len()), (4.0, true, 2));
    let late = pose(&imported.model, Some((clip, 2.0)));
    assert_world(&late, 0, [[1.5, 0., 0.], [0., 1.5, 0.], [0., 0., 1.5], [1., 0., 0.]], 1e-12);
}

/// Section 7.5: a set loops without options, or if one animation is closed. The last options of an animation count.
#[test]
fn open_sets_are_played_once() {
    let list = keys(2, &[(0, &[0., 0., 0.]), (10, &[1., 0., 0.])]);
    let open = "AnimationOptions { 1; 0; }";
    let closed = "AnimationOptions { 0; 0; }";
    let cases = [
        (vec![""], true),
        (vec![closed], true),
        (vec![open], false),
        (vec![open, open], false),
        (vec![open, ""], true),
        (vec![open, closed], true),
        (vec!["AnimationOptions { 1; 0; } AnimationOptions { 0; 0; }"], true),
    ];
    for (options, looping) in cases {
        let animations: String = options
            .iter()
            .zip(["A", "B"])
            .map(|(options, frame)| format!("Animation {{ {{{frame}}} {list} {options} }}"))
            .collect();
        let imported = import_text(&format!("Frame A {{}} Frame B {{}} AnimationSet S {{ {animations} }}"));
        assert_eq!(imported.model.clips[0].looping, looping, "{options:?}");
    }
}

/// C92: sets without a name, and animations outside of sets, are named after the file.
#[test]
fn nameless_clips_are_named_after_the_file() {
    let list = keys(2, &[(0, &[0., 0., 0.])]);
    let text = format!(
        "Frame A {{}} {} {} {} Animation {{ {{A}} {list} }}",
        animation_set("", "A", &list),
        animation_set("Walk", "A", &list),
        animation_set("", "A", &list),
    );
    let model = import_text(&text).model;
    let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["stem", "Walk", "stem 2", "stem 3"]);
}

/// Creates four vertices on two bones, with the weights of C58 and C59. A listed zero is dropped.
fn two_bones(header: &str, second: &str) -> String {
    let weights = |bone: &str, list: &str, offset_y: f64| {
        let count = list.split(',').count();
        let indices: Vec<String> = (0..count).map(|vertex| vertex.to_string()).collect();
        format!(
            "SkinWeights {{ \"{bone}\"; {count}; {}; {list}; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,{offset_y:.1},0,1;; }}",
            indices.join(",")
        )
    };
    let positions = [[0., 0., 0.], [1., 0., 0.], [0., 2., 0.], [1., 2., 0.]];
    let skin = format!("{header} {} {}", weights("Bone0", "1,1,0.25,0.25", 0.), weights(second, "0,0,0.75,0.75", -2.));
    format!(
        "Frame Bone0 {{ Frame Bone1 {{ {} }} }} Frame Body {{ {} {} }}",
        translation(0., 2., 0.),
        translation(100., 0., 0.),
        mesh(&positions, &[&[0, 2, 3, 1]], &skin)
    )
}

/// C58 and C59: the mesh's own frame does not move skinned vertices. C77: zero weights are no influences.
#[test]
fn skins_only_follow_their_bones() {
    let body = two_bones("XSkinMeshHeader { 2; 2; 2; }", "Bone1");
    let turn = animation_set(
        "S",
        "Bone1",
        &format!("{} {}", keys(0, &[(0, &[HALF, HALF, 0., 0.])]), keys(2, &[(0, &[0., 2., 0.])])),
    );
    let imported = import_text(&format!("{body} {turn}"));
    let model = &imported.model;
    let skin = &model.meshes[0];
    let influences: Vec<usize> = (0..4).map(|vertex| skin.influences_of(vertex).len()).collect();
    assert_eq!(influences, [1, 1, 2, 2]);
    let at_rest = skinned(skin, &pose(model, None));
    assert!(close(SWAP * at_rest.positions[3], [1., 2., 0.]));
    assert!((SWAP * skin.positions[3].as_dvec3()).distance(SWAP * at_rest.positions[3]) < 1e-6);
    // Vertex 3 is on the line through the second bone's origin: it is (1, 0, 0) there, which the turn about x
    // preserves.
    let turned = skinned(skin, &pose(model, Some((&model.clips[0], 0.0))));
    assert!(close(SWAP * turned.positions[3], [1., 2., 0.]));
    assert!(close(SWAP * turned.positions[0], [0., 0., 0.]));
}

/// C72: weights without a header. XNA ignores them. A player shows them, as most readers do, and reports it.
#[test]
fn a_player_uses_weights_without_a_header() {
    let model = import_text(&two_bones("", "Bone1")).model;
    assert_eq!(model.meshes[0].bind.len(), 2);
}

/// C79 and C81: vertices without weights, or on bones without frames, follow the mesh's own frame.
#[test]
fn vertices_without_bones_follow_the_mesh() {
    let model = import_text(&two_bones("XSkinMeshHeader { 2; 2; 2; }", "Lost")).model;
    let skin = &model.meshes[0];
    let at_rest = skinned(skin, &pose(&model, None));
    assert!(close(SWAP * at_rest.positions[1], [1., 0., 0.]));
    // A quarter follows the first bone, three quarters the mesh's frame at x = 100.
    assert!(close(SWAP * at_rest.positions[2], [75., 2., 0.]), "{}", at_rest.positions[2]);

    let body = two_bones("XSkinMeshHeader { 2; 2; 2; }", "Bone1")
        .replace("\"Bone0\"; 4; 0,1,2,3; 1,1,", "\"Bone0\"; 4; 0,1,2,3; 0,1,");
    let model = import_text(&body).model;
    let at_rest = skinned(&model.meshes[0], &pose(&model, None));
    assert!(close(SWAP * at_rest.positions[0], [100., 0., 0.]));
}

/// Section 7.2: rows (1 2 3)(4 5 6)(7 8 9) and T (10 11 12) are imported with y and z swapped on both sides.
#[test]
fn axes_are_swapped_on_both_sides() {
    let model = import_text(&format!("Frame A {{ {} }}", matrix("1,2,3,0, 4,5,6,0, 7,8,10,0, 10,11,12,1"))).model;
    let joint = pose(&model, None).0[0];
    // The determinant of the rows is -3, so only the model's side is swapped.
    let columns = [[1., 3., 2.], [4., 6., 5.], [7., 10., 8.], [10., 12., 11.]];
    let found = [joint.matrix3.x_axis, joint.matrix3.y_axis, joint.matrix3.z_axis, joint.translation];
    for (found, expected) in found.into_iter().zip(columns) {
        assert!(found.abs_diff_eq(DVec3::from_array(expected), 1e-12), "{found} {expected:?}");
    }
    assert!(joint.matrix3.determinant() > 0.0);
}

/// Blender's root swaps y and z. Below it, the file's numbers are the model's, and nothing is mirrored.
#[test]
fn a_mirroring_root_leaves_rigid_joints_and_palettes() {
    let root = matrix("1,0,0,0, 0,0,1,0, 0,1,0,0, 0,0,0,1");
    let turn = matrix("0,1,0,0, -1,0,0,0, 0,0,1,0, 1,2,3,1");
    let weights =
        "XSkinMeshHeader { 1;1;1; } SkinWeights { \"Bone\"; 3; 0,1,2; 1,1,1; 0,-1,0,0, 1,0,0,0, 0,0,1,0, -2,1,-3,1;; }";
    let body = format!("Frame Root {{ {root} Frame Bone {{ {turn} {} }} }}", mesh(&FIVE[..3], &[&[0, 2, 1]], weights));
    let imported = import_text(&body);
    let model = &imported.model;
    let at_rest = pose(model, None);
    for joint in &at_rest.0 {
        assert!((joint.matrix3.determinant() - 1.0).abs() < 1e-12);
    }
    for joint in model.skeleton.joints() {
        assert!(joint.rest_local.scale.min_element() > 0.0);
    }
    let skin = &model.meshes[0];
    let mut matrices = Vec::new();
    palette(skin, &at_rest, &mut matrices);
    assert!(matrices[0].abs_diff_eq(DAffine3::IDENTITY, 1e-6), "{:?}", matrices[0]);
    // The exporter's space is right-handed with z up, like the model's.
    assert_eq!(skin.positions[1], Vec3::X);
    assert_eq!(skin.positions[2], Vec3::Y);
}

/// Clips of a file without frames are attached to a model by the frames' names.
#[test]
fn animation_files_attach_by_name() {
    let model_text = format!("Frame A {{ {} Frame B {{ {} }} }}", translation(1., 2., 3.), translation(0., 5., 0.));
    let imported = import_text(&model_text);
    let clip_text = format!(
        "xof 0303txt 0032 AnimTicksPerSecond {{ 10; }} AnimationSet Run {{ Animation {{ {} {{B}} }} Animation {{ {} {{C}} }} }}",
        keys(2, &[(0, &[0., 0., 7.])]),
        keys(2, &[(5, &[0., 0., 7.])])
    );
    let file = x::unpack(clip_text.as_bytes(), Reading::Lenient).unwrap();
    let document = x::parse(&file, Reading::Lenient).unwrap().document;
    let attached = import_clips(&document, &imported.frames, &options(), &Budget::default()).unwrap();
    let warnings: Vec<&str> = attached.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(warnings, ["XFI012"]);
    let clip = &attached.clips[0];
    assert_eq!((clip.name.as_str(), clip.duration, clip.joints.len()), ("Run", 0.5, 2));
    let posed = pose(&imported.model, Some((clip, 0.0)));
    assert_world(&posed, 1, [AXES[0], AXES[1], AXES[2], [1., 2., 10.]], 1e-12);
}

/// A file with only animations shows its frames side by side.
#[test]
fn animations_without_a_model_show_their_frames() {
    let list = keys(2, &[(0, &[0., 0., 7.])]);
    let imported = import_text(&animation_set("S", "Arm", &list));
    assert_eq!(codes(&imported), ["XFI003"]);
    assert_eq!(imported.model.skeleton.joints()[0].name, "Arm");
    let posed = pose(&imported.model, Some((&imported.model.clips[0], 0.0)));
    assert_world(&posed, 0, [AXES[0], AXES[1], AXES[2], [0., 0., 7.]], 0.0);
}

/// Sections 7.7 and 7.8: names, materials and files without content.
#[test]
fn names_materials_and_empty_files() {
    let material = |name: &str, texture: &str| {
        format!("Material {name} {{ 1;0.5;0.25;1;; 5; 0;0;0;; 0;0;0;; TextureFilename {{ \"{texture}\"; }} }}")
    };
    let list = format!(
        "MeshMaterialList {{ 2; 3; 1,0,1;; {} {} }}",
        material("Red", "..\\\\art\\\\red.bmp"),
        material("", "blue.tga")
    );
    let faces: [&[u32]; 3] = [&[0, 1, 2], &[1, 3, 2], &[0, 2, 4]];
    let body = format!("Frame {{ {} }} Frame A {{}} Frame A {{}}", mesh(&FIVE, &faces, &list));
    let model = import_text(&body).model;
    let names: Vec<&str> = model.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["(unnamed 0)", "A", "A"]);
    let materials: Vec<(&str, Option<&str>)> =
        model.materials.iter().map(|material| (material.name.as_str(), material.texture.as_deref())).collect();
    assert_eq!(materials, [("Red", Some("../art/red.bmp")), ("material 1", Some("blue.tga"))]);
    // One part per material, in the list's order. The unused vertex stays with the first.
    let parts: Vec<(usize, usize, &[u32])> = model
        .meshes
        .iter()
        .map(|mesh| (mesh.material.index(), mesh.triangles.len(), mesh.source_vertices.as_slice()))
        .collect();
    assert_eq!(parts, [(0, 1, &[1, 2, 3, 5][..]), (1, 2, &[0, 1, 2, 4][..])]);

    assert_eq!(codes(&import_text("")), ["XFI002"]);
    assert_eq!(codes(&import_text("Frame A { Mesh { 0; 0; } }")), ["XFI020"]);
}

/// Both triangles are seen from the side to which their normals do not point.
#[test]
fn meshes_with_backward_normals_are_named_in_one_warning() {
    let inside_out = |name| {
        format!("Mesh {name} {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; MeshNormals {{ 1; 0;0;-1;; 1; 3;0,0,0;; }} }}")
    };
    let imported = import_text(&[inside_out("hat"), inside_out("coat")].join(" "));
    let [found] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    let message = "the normals of 'hat' point to the back of 1 of its 1 triangles, those of 'coat' to that of 1 of 1";
    assert_eq!((found.code, &*found.message, found.more.len()), ("XFI021", message, 1));
    // A frame that mirrors shows the other side, and one that flattens shows none.
    for rows in ["1,0,0,0, 0,0,1,0, 0,1,0,0", "1,0,0,0, 0,0,0,0, 0,0,1,0"] {
        let frame = format!("Frame root {{ FrameTransformMatrix {{ {rows}, 0,0,0,1;; }} {} }}", inside_out("hat"));
        assert!(!codes(&import_text(&frame)).contains(&"XFI021"), "{rows}");
    }
}

/// Joints are in the file's order, depth first, parents before children.
#[test]
fn several_roots_and_their_children() {
    let model = import_text("Frame A { Frame B {} Frame C { Frame D {} } } Frame E {}").model;
    let parents: Vec<Option<usize>> =
        model.skeleton.joints().iter().map(|joint| joint.parent.map(JointId::index)).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(2), None]);
}
