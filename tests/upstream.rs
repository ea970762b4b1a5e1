//! Files for bug reports, checked with the followed loaders of their programs.

use bindpose::validate::profiles::Effect;
use bindpose::validate::{Input, Options, check};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file, its program, and the effect of the file on it.
const CASES: [(&str, &str, Effect); 20] = [
    ("luanti-binary.x", "luanti", Effect::Refuses),
    ("luanti-binary.x", "luanti-5.16", Effect::Fine),
    ("luanti-loose-weight.x", "luanti", Effect::Exits),
    ("luanti-nested-name.x", "luanti", Effect::Exits),
    ("luanti-two-sets.x", "luanti", Effect::Wrong),
    ("irrlicht-texture-coords.x", "irrlicht", Effect::Exits),
    ("irrlicht-material-index.x", "irrlicht", Effect::Exits),
    ("openbve-exponent.x", "openbve", Effect::Refuses),
    ("openbve-declared-type.x", "openbve", Effect::Refuses),
    ("openbve-second-child.x", "openbve", Effect::Wrong),
    ("openbve-state-1-refused.x", "openbve", Effect::Refuses),
    ("openbve-state-2-good.x", "openbve", Effect::Fine),
    ("wine-material-list.x", "wine-d3dx9", Effect::Refuses),
    ("wine-whole-number.x", "wine-d3dx9", Effect::Refuses),
    ("wine-templates.x", "wine-d3dx9", Effect::Refuses),
    ("wine-dropped.x", "wine-d3dx9", Effect::Wrong),
    ("panda3d-reference.x", "panda3d", Effect::Exits),
    ("assimp-first-line.x", "assimp", Effect::Wrong),
    ("vkquake-first-weight.md5mesh", "vkquake", Effect::Wrong),
    ("vkquake-components.md5anim", "vkquake", Effect::Wrong),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/upstream")
}

#[test]
fn each_file_shows_its_fault() {
    let judge = |file: &str, engine: &str| {
        let stem = file.split('.').next().unwrap();
        let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
        let together = names.filter(|path| path.file_stem().is_some_and(|name| name == stem));
        let inputs = together.map(|path| Input { bytes: Ok(fs::read(&path).unwrap()), path });
        let report = check(inputs.collect(), &Options { together: true, ..Options::default() });
        let of_file = report.files.iter().find(|known| known.path.ends_with(file)).expect("a report");
        of_file.judgements.iter().find(|judgement| judgement.profile.name == engine).expect("a judgement").effect
    };
    for (file, engine, effect) in CASES {
        let found = judge(file, engine);
        // A note counts as fine.
        let is_same = found == effect || effect == Effect::Fine && found == Effect::Note;
        assert!(is_same, "{file} {engine}: {found:?}, expected {effect:?}");
    }
}

#[test]
fn each_file_is_described() {
    let page = fs::read_to_string(folder().with_extension("md")).unwrap();
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let described: BTreeSet<String> = headings.flat_map(|line| line.split(", ")).map(str::to_owned).collect();
    let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(described, names.collect());
}
