//! Real files: findings that they must have and must not have, and known facts from other sources.

use crate::support;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::Severity;
use bindpose::import::{Contents, Format};
use bindpose::validate::inputs;
use bindpose::validate::profiles::Effect;
use bindpose::validate::report::Selection;
use bindpose::validate::{FileReport, Kind, Options, Validation, check};
use std::path::Path;

/// Errors for the formats' own engines. No other file has any.
const ERRORS: [(&str, &str, u32); 10] = [
    ("assimp/test/models/MD5/invalid/InvalidBoneIndex.md5mesh", "MD5M210", 23),
    ("assimp/test/models/MD5/invalid/InvalidCameraCut.md5camera", "MD5C230", 9),
    ("assimp/test/models/X/anim_test.x", "XF096", 26539),
    ("redeclipse-luckystrike/banner01/banner.md5anim", "MD5A106", 16),
    // Doom 3 would report it once there is only one root.
    ("redeclipse-luckystrike/banner01/banner.md5anim", "MD5A208", 19),
    ("redeclipse-luckystrike/banner01/banner.md5mesh", "MD5M106", 14),
    ("redeclipse-luckystrike/door2/close.md5anim", "MD5A106", 11),
    ("redeclipse-luckystrike/door2/idle.md5anim", "MD5A106", 11),
    ("redeclipse-luckystrike/door2/mesh.md5mesh", "MD5M106", 9),
    ("redeclipse-luckystrike/door2/open.md5anim", "MD5A106", 11),
];

/// Clips whose boxes are those of the skinned vertices.
const EXACT_BOXES: [&str; 6] = [
    "redeclipse-weapons/rocket/idle.md5anim",
    "redeclipse-weapons/rocket/shoot.md5anim",
    "unvanquished-players/models/players/builder/walk_left.md5anim",
    "unvanquished-players/models/players/level0/die2.md5anim",
    "unvanquished-players/models/players/level0/run.md5anim",
    "unvanquished-players/models/players/level0/turn.md5anim",
];

/// Other oddities in the index, and their codes.
const ODDITIES: [(&str, &str); 6] = [
    ("assimp/test/models/MD5/invalid/OverflowingTriangleIndex.md5mesh", "MD5M211"),
    ("assimp/test/models/MD5/invalid/OverflowingTriangleIndex.md5mesh", "MD5M213"),
    ("assimp/test/models/X/Testwuson.X", "XF129"),
    ("assimp/test/models/X/anim_test.x", "XF129"),
    ("redeclipse-luckystrike/banner01/banner.md5anim", "MD5A208"),
    ("derived/md5/lgun_9weights.md5mesh", "MD5M202"),
];

fn reports() -> Vec<Validation> {
    let groups = inputs::find(&support::real_folders(), None, Default::default()).expect("folders").groups;
    let reports: Vec<Validation> = groups
        .iter()
        .map(|group| {
            check(
                inputs::read(group, MemoryLimit::default()),
                &Options { together: group.together, ..Options::default() },
            )
        })
        .collect();
    let is_decl = |file: &&FileReport| file.kind == Kind::Decl;
    let decls = reports.iter().flat_map(|report| &report.files).filter(is_decl).count();
    println!("{decls} files of decls are checked");
    let files = reports.iter().map(|report| report.files.len()).sum::<usize>() - decls;
    println!("{files} files are checked");
    // Archives are checked, too.
    let (extensions, archives) = (&["md5mesh", "md5anim", "md5camera", "x"], support::real_files(&["pk4"]).len());
    assert!(files >= support::real_files(extensions).len() + archives, "{archives} archives");
    reports
}

/// Returns the path below the corpus's folder, or the whole path of a sample, with slashes.
fn name(path: &Path) -> String {
    let path = path.display().to_string().replace('\\', "/");
    path.split_once("/corpus/").map_or(path.clone(), |(_, name)| name.to_owned())
}

/// Real files are checked once. Facts about files of the corpus need the corpus; the samples have no errors.
#[test]
fn findings_of_real_files_are_the_known_ones() {
    let reports = reports();
    let errors = if support::shared().is_some() { &ERRORS[..] } else { &[] };
    errors_equal_the_known_ones(&reports, errors);
    clips_find_their_meshes(&reports);
    if support::shared().is_some() {
        oddities_of_the_index_are_found(&reports);
        files_load_in_their_own_games(&reports);
    }
}

fn errors_equal_the_known_ones(reports: &[Validation], errors: &[(&str, &str, u32)]) {
    let selection = Selection::default();
    let mut found = Vec::new();
    for report in reports {
        for file in &report.files {
            let source = report.sources.get(file.source);
            for finding in &file.findings {
                if selection.severity(finding) == Some(Severity::Error) {
                    let line = source.position(finding.first.span.start).line;
                    found.push((name(&file.path), finding.code.id.to_owned(), line));
                }
            }
        }
    }
    found.sort();
    let expected: Vec<_> = errors.iter().map(|&(path, code, line)| (path.to_owned(), code.to_owned(), line)).collect();
    assert_eq!(found, expected);
}

fn oddities_of_the_index_are_found(reports: &[Validation]) {
    let codes = |wanted: &str| -> Vec<String> {
        let files = reports.iter().flat_map(|report| &report.files);
        let file = files.into_iter().find(|file| name(&file.path) == wanted).unwrap_or_else(|| panic!("no {wanted}"));
        file.findings.iter().map(|finding| finding.code.id.to_owned()).collect()
    };
    for (path, code) in ODDITIES {
        assert!(codes(path).iter().any(|found| found == code), "{path}: no {code} in {:?}", codes(path));
    }
    for path in EXACT_BOXES {
        let boxes: Vec<_> =
            codes(path).into_iter().filter(|code| ["MD5P009", "MD5P011"].contains(&&code[..])).collect();
        assert!(boxes.is_empty(), "{path}: {boxes:?}");
    }
}

/// Files load in the games that ship them.
fn files_load_in_their_own_games(reports: &[Validation]) {
    let games = [("unvanquished", "daemon"), ("redeclipse", "cube2")];
    let mut judged = 0;
    for report in reports {
        for file in report.files.iter().filter(|file| file.kind.format() != Some(Format::X)) {
            let path = name(&file.path);
            let Some((_, engine)) = games.iter().find(|(folder, _)| path.starts_with(folder)) else { continue };
            let judgement = file.judgements.iter().find(|judgement| judgement.profile.name == *engine);
            let judgement = judgement.expect("a judgement");
            assert!(judgement.effect <= Effect::Wrong, "{path}: {judgement:?}");
            judged += 1;
        }
    }
    println!("{judged} files of games");
}

/// Every clip has its mesh next to it, and is compared with it.
fn clips_find_their_meshes(reports: &[Validation]) {
    for report in reports {
        let of = |kind| {
            let is_its = move |(_, file): &(usize, &FileReport)| file.kind.format() == Some(Format::Md5(kind));
            report.files.iter().enumerate().filter(is_its)
        };
        let meshes = of(Contents::Model).count();
        for (index, file) in of(Contents::Clip) {
            let compared = report.pairs.iter().any(|pair| pair.anim == index);
            // Derived clips have no mesh.
            assert!(compared || meshes == 0 || name(&file.path).starts_with("derived"), "{}", name(&file.path));
        }
    }
}
