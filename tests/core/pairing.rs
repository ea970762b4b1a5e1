//! Pairs of the clips and meshes of a folder.

use bindpose_core::pairing::{Candidate, Pairing};

/// Pairs of mesh and clip, in the order of the clips.
fn find(meshes: &[Candidate], clips: &[Candidate]) -> Vec<(usize, usize)> {
    let pairing = Pairing::new(meshes.iter().collect(), clips.iter().map(|clip| &*clip.stem));
    let of = |(at, clip): (usize, &Candidate)| {
        pairing.meshes_of(clip, 16).into_iter().map(move |mesh| (mesh, at)).collect::<Vec<_>>()
    };
    clips.iter().enumerate().flat_map(of).collect()
}

fn candidate(stem: &str, names: &[&'static str], parents: &[i64]) -> Candidate<'static> {
    let names = names.iter().map(|name| name.as_bytes().into()).collect();
    Candidate { stem: stem.to_owned(), names, parents: parents.to_vec() }
}

#[test]
fn clips_belong_to_the_meshes_that_they_fit() {
    let rig = |stem: &str| candidate(stem, &["root", "arm", "hand"], &[-1, 0, 1]);
    let other = |stem: &str| candidate(stem, &["base", "lid", "hinge"], &[-1, 0, 1]);
    let chain = |stem: &str| candidate(stem, &["root", "arm", "hand", "tip"], &[-1, 0, 1, 2]);
    /// Meshes, clips, and expected pairs.
    type Case<'a> = (&'a [Candidate<'a>], &'a [Candidate<'a>], &'a [(&'a str, &'a str)]);
    let cases: [Case; 8] = [
        (&[rig("body"), rig("light")], &[rig("walk")], &[("body", "walk"), ("light", "walk")]),
        // Every mesh has a clip of the same name, as the Quake engines load them.
        (&[rig("rock"), rig("nail")], &[rig("rock"), rig("NAIL")], &[("rock", "rock"), ("nail", "NAIL")]),
        // The mesh without one gets those that fit.
        (&[rig("rock"), rig("nail")], &[rig("rock")], &[("rock", "rock"), ("nail", "rock")]),
        // A name takes precedence over joints, but other meshes still get the clip.
        (&[chain("walk"), rig("body")], &[rig("walk")], &[("walk", "walk"), ("body", "walk")]),
        // Parents alone are a guess, used only if nothing better matches.
        (&[other("box"), rig("body")], &[rig("run")], &[("body", "run")]),
        // All meshes of the skeleton lack the clip.
        (&[other("box"), other("chest")], &[rig("run")], &[("box", "run"), ("chest", "run")]),
        // Most of the names match.
        (&[other("box"), chain("body")], &[candidate("run", &["root", "arm"], &[-1, 0])], &[("body", "run")]),
        (&[other("box")], &[candidate("run", &["root", "arm"], &[-1, 0])], &[]),
    ];
    for (meshes, anims, expected) in cases {
        let found = find(meshes, anims);
        let names: Vec<_> = found.iter().map(|&(m, a)| (meshes[m].stem.as_str(), anims[a].stem.as_str())).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn one_clip_is_compared_with_so_many_meshes_of_one_skeleton() {
    let rig = |stem: String| candidate(&stem, &["root", "arm"], &[-1, 0]);
    let meshes: Vec<Candidate> = (0..100).map(|at| rig(format!("m{at}"))).collect();
    let anims = [rig("walk".into()), rig("m99".into()), rig("m7".into())];
    let found = find(&meshes, &anims);
    let of = |clip| found.iter().filter(|&&(_, anim)| anim == clip).map(|&(mesh, _)| mesh).collect::<Vec<_>>();
    assert_eq!(of(0), (0..16).collect::<Vec<_>>());
    // The mesh of the same name, and those without a clip of their own.
    let without: Vec<usize> = (0..17).filter(|&at| at != 7).collect();
    assert_eq!(of(1), [&[99], &without[..]].concat());
    assert_eq!(of(2), [&[7], &without[..]].concat());
}

/// Comparing each clip with each mesh would take 16 million times 20 steps.
#[test]
fn many_meshes_and_clips_are_no_product() {
    const RIGS: usize = 4000;
    let names: &'static [String] = (0..20 * RIGS).map(|at| format!("j{at}")).collect::<Vec<_>>().leak();
    let joints = |rig: usize, count| names[20 * rig..][..count].iter().map(String::as_str).collect::<Vec<_>>();
    let meshes: Vec<Candidate> = (0..RIGS).map(|at| candidate(&format!("m{at}"), &joints(at, 20), &[-1; 20])).collect();
    // One joint fewer than the mesh: found by the common names.
    let anims: Vec<Candidate> =
        (0..RIGS).map(|at| candidate(&format!("a{at}"), &joints(RIGS - 1 - at, 19), &[-1; 19])).collect();
    let expected: Vec<(usize, usize)> = (0..RIGS).map(|at| (RIGS - 1 - at, at)).collect();
    assert_eq!(find(&meshes, &anims), expected);
}
