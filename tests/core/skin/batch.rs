//! Batches of triangles whose joints fit into a palette.

use super::meshes as testing;
use bindpose_core::model::{Influence, Mesh};
use bindpose_core::skin::{Skinned, Split, draws_in_file_order, split};
use glam::Vec3;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn used(mesh: &Mesh, vertex: u32) -> impl Iterator<Item = Influence> + '_ {
    mesh.influences_of(vertex as usize).iter().copied().filter(|influence| influence.weight != 0.0)
}

/// A triangle of three joints with a limit of two keeps the heaviest; its neighbour shares two vertices and keeps all.
#[test]
fn a_trimmed_vertex_has_a_form_for_each_set_of_joints() {
    let (skeleton, bind) = testing::chain(3, 1.0);
    let vertices: [(Vec3, &[(u32, f32)]); 5] = [
        (Vec3::X, &[(0, 1.0)]),
        (Vec3::Y, &[(0, 0.5), (1, 0.5)]),
        (Vec3::Z, &[(0, 0.2), (1, 0.4), (2, 0.4)]),
        (Vec3::ONE, &[(0, 1.0)]),
        (Vec3::ZERO, &[(2, 1.0)]),
    ];
    let mesh = testing::mesh(&skeleton, &bind, &vertices, vec![[0, 1, 2], [1, 0, 3]]);
    let whole = split(&mesh, Some(2)).to_mesh(&mesh);
    assert_eq!(whole.source_vertices, [0, 1, 2, 3, 4]);
    let weights: Vec<_> = whole.influences_of(2).iter().map(|it| (it.slot, it.weight)).collect();
    assert_eq!(weights, [(0, 0.2 / (0.2_f32 + 0.4)), (1, 0.4 / (0.2_f32 + 0.4))]);
    assert_eq!((whole.influences_of(1), whole.influences_of(4)), (mesh.influences_of(1), mesh.influences_of(4)));
    let mut triangles = whole.triangles;
    triangles.sort_unstable();
    assert_eq!(triangles, [[0, 1, 2], [1, 0, 3]]);
    // Of four joints in a pair of triangles, the shared vertex loses another one in each.
    let vertices: [(Vec3, &[(u32, f32)]); 3] =
        [(Vec3::X, &[(0, 0.4), (1, 0.3), (2, 0.3)]), (Vec3::Y, &[(1, 1.0)]), (Vec3::Z, &[(2, 1.0)])];
    let mesh = testing::mesh(&skeleton, &bind, &vertices, vec![[0, 1, 1], [0, 2, 2]]);
    let whole = split(&mesh, Some(2)).to_mesh(&mesh);
    assert_eq!(whole.source_vertices, [0, 0, 1, 2]);
    let slots = |vertex| whole.influences_of(vertex).iter().map(|it| it.slot).collect::<Vec<_>>();
    assert_eq!([slots(0), slots(1)], [[0, 1], [0, 2]]);
    assert_eq!(whole.triangles.iter().copied().collect::<BTreeSet<_>>(), [[0, 2, 2], [1, 3, 3]].into());
}

/// Checks all guarantees of a split against the mesh.
fn check(mesh: &Mesh, limit: Option<usize>) -> Split {
    let result = split(mesh, limit);
    let mut drawn: Vec<[u32; 3]> = Vec::new();
    for batch in &result.batches {
        assert!(limit.is_none_or(|limit| batch.slots.len() <= limit), "{} slots of {limit:?}", batch.slots.len());
        assert!(batch.slots.is_sorted_by(|a, b| a < b));
        assert_eq!(batch.influence_starts.len(), batch.vertices.len() + 1);
        let used: BTreeSet<u32> = batch.influences.iter().map(|influence| influence.slot).collect();
        assert!(used.into_iter().eq(0..batch.slots.len() as u32), "a joint of the palette is unused");
        let corners: BTreeSet<u32> = batch.triangles.iter().flatten().copied().collect();
        assert!(corners.into_iter().eq(0..batch.vertices.len() as u32), "a vertex of the batch is unused");
        drawn.extend(batch.triangles.iter().map(|corners| corners.map(|corner| batch.vertices[corner as usize])));
        if result.trimmed.is_empty() {
            for (local, &vertex) in batch.vertices.iter().enumerate() {
                let expected: Vec<Influence> = used_influences(mesh, vertex);
                let back = batch.influences_of(local).iter();
                let actual: Vec<_> = back.map(|i| Influence { slot: batch.slots[i.slot as usize], ..*i }).collect();
                assert_eq!(actual, expected);
            }
            let distinct: BTreeSet<u32> = batch.vertices.iter().copied().collect();
            assert_eq!(distinct.len(), batch.vertices.len());
        }
    }
    let mut expected = mesh.triangles.clone();
    expected.sort_unstable();
    drawn.sort_unstable();
    assert_eq!(drawn, expected, "every triangle once");
    result
}

fn used_influences(mesh: &Mesh, vertex: u32) -> Vec<Influence> {
    used(mesh, vertex).collect()
}

/// Returns the number of batches by first-fit in file order.
fn first_fit(mesh: &Mesh, limit: usize) -> usize {
    let mut batches: Vec<BTreeSet<u32>> = Vec::new();
    for corners in &mesh.triangles {
        let joints: BTreeSet<u32> = corners.iter().flat_map(|&corner| used(mesh, corner)).map(|i| i.slot).collect();
        match batches.iter_mut().find(|batch| batch.union(&joints).count() <= limit) {
            Some(batch) => batch.extend(joints),
            None => batches.push(joints),
        }
    }
    batches.len()
}

fn fan(joints: usize, weights: &[&[(u32, f32)]], triangles: &[[u32; 3]]) -> Mesh {
    let (skeleton, bind) = testing::chain(joints, 1.0);
    let position = |number: usize| Vec3::new(number as f32, 1.0, 0.0);
    let vertices: Vec<_> = weights.iter().enumerate().map(|(number, weights)| (position(number), *weights)).collect();
    testing::mesh(&skeleton, &bind, &vertices, triangles.to_vec())
}

#[test]
fn without_a_limit_there_is_one_batch() {
    let mesh = fan(9, &[&[(7, 1.0)], &[(2, 0.5), (3, 0.5)], &[(2, 1.0)], &[(0, 1.0)]], &[[0, 1, 2]]);
    let result = check(&mesh, None);
    assert_eq!(result.batches.len(), 1);
    assert_eq!(result.batches[0].slots, [2, 3, 7]);
    assert_eq!(result.batches[0].vertices, [0, 1, 2], "a vertex without a triangle is not drawn");
}

#[test]
fn the_files_order_goes_to_and_fro() {
    let weights: [&[(u32, f32)]; 4] = [&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)], &[(3, 1.0)]];
    let mesh = fan(4, &weights, &[[0, 1, 1], [1, 0, 0], [2, 3, 3], [0, 1, 0], [0, 0, 0], [1, 2, 2]]);
    assert_eq!(draws_in_file_order(&mesh, 2), 4);
    assert_eq!(draws_in_file_order(&mesh, 3), 3);
    assert_eq!(draws_in_file_order(&mesh, 4), 1);
    assert_eq!(draws_in_file_order(&fan(4, &weights, &[]), 2), 0);
}

#[test]
fn a_joint_without_weight_takes_no_slot() {
    let mesh = fan(5, &[&[(0, 1.0), (4, 0.0)], &[(1, 1.0)], &[(2, 0.5), (3, 0.5)]], &[[0, 1, 2]]);
    assert_eq!(check(&mesh, Some(4)).trimmed, [0_u32; 0]);
}

/// docs/methods.md "Limits and batches": the joints with the largest weights summed over the corners are kept.
#[test]
fn a_triangle_over_the_limit_keeps_its_heaviest_joints() {
    let mesh = fan(
        6,
        &[&[(0, 0.6), (1, 0.4)], &[(2, 0.7), (3, 0.3)], &[(4, 0.2), (5, 0.8)], &[(4, 1.0)]],
        &[[0, 1, 2], [3, 2, 2]],
    );
    // Sums: 5 0.8, 2 0.7, 0 0.6, 1 0.4, 3 0.3, 4 0.2. The three kept are 5, 2 and 0.
    let result = check(&mesh, Some(3));
    assert_eq!((result.trimmed.as_slice(), result.dropped_influences), (&[0][..], 3));
    let trimmed = result.batches.iter().find(|batch| batch.slots == [0, 2, 5]).expect("the trimmed triangle's");
    for local in 0..3 {
        assert_eq!(trimmed.influences_of(local).iter().map(|i| i.weight).collect::<Vec<_>>(), [1.0]);
    }
    let whole = result.batches.iter().find(|batch| batch.slots == [4, 5]).expect("the other triangle's");
    assert_eq!(whole.influences_of(1).iter().map(|i| i.weight).collect::<Vec<_>>(), [0.2, 0.8]);
    assert_eq!(result.duplicated_vertices(), 1);
}

#[test]
fn a_corner_that_loses_all_follows_the_heaviest_joint() {
    let mesh = fan(3, &[&[(0, 1.0)], &[(1, 1.0)], &[(1, 0.5), (2, 0.5)]], &[[0, 1, 2]]);
    let result = check(&mesh, Some(1));
    assert_eq!(result.batches[0].slots, [1]);
    assert_eq!(result.batches[0].influences_of(0)[0].offset, Vec3::new(-1.0, 1.0, 0.0));
    assert_eq!(result.dropped_influences, 2);
}

#[test]
fn a_batch_as_a_mesh_is_skinned_alike() {
    let (skeleton, _, tube) = testing::tube(2.0, 1.0, 8, 6);
    let pose = testing::turned(&skeleton, &[(1, glam::DQuat::from_rotation_z(1.0))]);
    let whole = Skinned::linear(&tube, &pose);
    for batch in &check(&tube, Some(2)).batches {
        let part = batch.to_mesh(&tube);
        let skinned = Skinned::linear(&part, &pose);
        for (local, &vertex) in batch.vertices.iter().enumerate() {
            assert_eq!(skinned.positions[local], whole.positions[vertex as usize]);
            assert_eq!(skinned.normals[local], whole.normals[vertex as usize]);
        }
    }
}

/// Returns a strip over a chain of joints, four influences per vertex.
fn strip(joints: usize, per_joint: usize) -> Mesh {
    let count = joints * per_joint;
    let weights: Vec<Vec<(u32, f32)>> = (0..count)
        .map(|vertex| {
            let first = (vertex / per_joint).min(joints - 4) as u32;
            (0..4).map(|k| (first + k, 0.25)).collect()
        })
        .collect();
    let weights: Vec<&[(u32, f32)]> = weights.iter().map(|weights| &weights[..]).collect();
    let triangles: Vec<[u32; 3]> = (2..count as u32).map(|vertex| [vertex - 2, vertex - 1, vertex]).collect();
    fan(joints, &weights, &triangles)
}

#[test]
fn three_hundred_joints_fit_into_palettes_of_every_size() {
    let mesh = strip(300, 3);
    for limit in [12, 18, 26, 29, 32, 57, 82, 100, 256, 300] {
        let result = check(&mesh, Some(limit));
        assert_eq!(result.trimmed, [0_u32; 0], "{limit}");
        assert!(result.batches.len() <= first_fit(&mesh, limit), "{limit}");
        // A triangle spans five neighbours at most, so a batch of n joints may share four with the next.
        assert!(result.batches.len() <= 300_usize.div_ceil(limit - 4), "{limit}: {}", result.batches.len());
    }
    assert!(!check(&mesh, Some(4)).trimmed.is_empty());
}

fn random_mesh() -> impl Strategy<Value = Mesh> {
    let influence = (0_u32..24, prop_oneof![Just(0.0_f32), 0.01_f32..1.0]);
    let vertices = prop::collection::vec(prop::collection::vec(influence, 0..5), 3..40);
    vertices.prop_flat_map(|weights| {
        let corner = 0..weights.len() as u32;
        let triangles = prop::collection::vec([corner.clone(), corner.clone(), corner], 0..80);
        triangles.prop_map(move |triangles| {
            let weights: Vec<&[(u32, f32)]> = weights.iter().map(|weights| &weights[..]).collect();
            fan(24, &weights, &triangles)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::random_cases()))]
    #[test]
    fn random_meshes_keep_every_promise(mesh in random_mesh(), limit in 1_usize..26) {
        let result = check(&mesh, Some(limit));
        if result.trimmed.is_empty() {
            prop_assert!(result.batches.len() <= first_fit(&mesh, limit));
        }
        prop_assert_eq!(&result, &split(&mesh, Some(limit)), "twice the same");
    }
}
