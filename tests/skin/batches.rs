//! The batch splitter on real meshes, compared with independent first-fit counts.

use crate::support;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{Mesh, Model};
use bindpose::skin::{Split, reduce_influences, split};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn model(path: &Path) -> Model {
    Arc::unwrap_or_clone(load(&[path], &LoadOptions::default()).unwrap().model)
}

/// Checks that every triangle occurs once, every palette is within its limit, and every joint of a palette is used.
fn check(mesh: &Mesh, limit: usize) -> Split {
    let found = split(mesh, Some(limit));
    let mut drawn: Vec<[u32; 3]> = Vec::new();
    for batch in &found.batches {
        assert!(batch.slots.len() <= limit, "{}: {} joints of {limit}", mesh.name, batch.slots.len());
        let used: BTreeSet<u32> = batch.influences.iter().map(|influence| influence.slot).collect();
        assert!(used.into_iter().eq(0..batch.slots.len() as u32), "{}: an unused joint", mesh.name);
        drawn.extend(batch.triangles.iter().map(|corners| corners.map(|corner| batch.vertices[corner as usize])));
    }
    let mut expected = mesh.triangles.clone();
    expected.sort_unstable();
    drawn.sort_unstable();
    assert_eq!(drawn, expected, "{}", mesh.name);
    found
}

#[test]
fn the_mannequins_are_split_within_every_limit() {
    for name in ["mannequin", "mannequin_light"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5").join(format!("{name}.md5mesh"));
        for mesh in model(&path).meshes {
            let four = reduce_influences(&mesh, 4).mesh;
            for limit in [4, 12, 18, 26, 32, 57] {
                let found = check(&four, limit);
                assert!(limit == 4 || found.trimmed.is_empty(), "{name} within {limit}");
                // Article 000's model needed twenty batches of four; as many joints need no more here.
                let most = [(4, 24), (12, 4), (18, 2), (26, 1), (32, 1), (57, 1)];
                let most = most.into_iter().find(|&(of, _)| of == limit).map_or(0, |(_, most)| most);
                assert!(found.batches.len() <= most, "{name} within {limit}: {} batches", found.batches.len());
            }
        }
    }
}

/// With first-fit in file order, Wuson has 65 batches of four joints with 175 triangles trimmed, 10 of twelve, and 2 of
/// twenty-six.
#[test]
fn wuson_needs_fewer_batches_than_first_fit() {
    let Some(shared) = support::shared_only() else { return };
    let path = shared.join("corpus/assimp/test/models/X/Testwuson.X");
    if !path.is_file() {
        eprintln!("no Testwuson.X in the corpus: 0 files read");
        return;
    }
    let model = model(&path);
    let mesh = &reduce_influences(&model.meshes[0], 4).mesh;
    for (limit, first_fit, trimmed) in [(4, 65, 175), (12, 10, 0), (26, 2, 0)] {
        let found = check(mesh, limit);
        assert!(found.batches.len() <= first_fit, "within {limit}: {} batches", found.batches.len());
        assert_eq!(found.trimmed.len(), trimmed, "within {limit}");
    }
    assert!(check(mesh, 12).batches.len() < 10, "no better than first-fit");
    eprintln!("1 file read");
}
