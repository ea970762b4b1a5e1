//! The pages in `docs/formats` are correct: their examples load and move as described, their tables equal the code's,
//! and cited headings exist.

use bindpose::budget::Budget;
use bindpose::engines::Engine;
use bindpose::import::md5::{import_clip, import_mesh};
use bindpose::import::x::{XImportOptions, import, import_clips};
use bindpose::pose::{LocalPose, sample};
use bindpose::skin::{Skinned, linear};
use bindpose_parsers::md5::{parse_anim, parse_camera, parse_mesh};
use bindpose_parsers::x;
use glam::{DQuat, DVec3};
use std::fs;
use std::path::{Path, PathBuf};

const MD5: &str = include_str!("../docs/formats/md5.md");
const X: &str = include_str!("../docs/formats/x.md");

/// Returns the fenced blocks of a page in one language.
fn examples<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("\n```").next().unwrap_or(rest)).collect()
}

/// Returns the only complete example of its kind.
fn example(language: &str) -> &'static [u8] {
    let all: Vec<&str> = [MD5, X].iter().flat_map(|page| examples(page, language)).collect();
    assert_eq!(all.len(), 1, "examples in {language}");
    all[0].as_bytes()
}

#[test]
fn examples_are_read_without_a_warning() {
    assert_eq!(parse_mesh(example("md5mesh")).unwrap().warnings, []);
    assert_eq!(parse_anim(example("md5anim")).unwrap().warnings, []);
    assert_eq!(parse_camera(example("md5camera")).unwrap().warnings, []);
    let unpacked = x::unpack(example("x"), x::Reading::Strict).unwrap();
    assert_eq!(unpacked.warnings, []);
    assert_eq!(x::parse(&unpacked, x::Reading::Strict).unwrap().warnings, []);
}

/// The corners have the positions that the page computes by hand.
#[test]
fn the_mesh_example_has_the_positions_of_the_page() {
    let imported = import_mesh(&parse_mesh(example("md5mesh")).unwrap().document, false, &Budget::default()).unwrap();
    assert_eq!(imported.warnings, []);
    let local = LocalPose::rest(&imported.model.skeleton);
    let pose = local.to_model(&imported.model.skeleton);
    let mesh = &imported.model.meshes[0];
    let mut skinned = Skinned::default();
    linear(mesh, &pose, &mut skinned);
    let corners = [[0., 0., 0.], [0., 8., 0.], [0., 8., 10.], [0., 0., 10.]].map(DVec3::from_array);
    assert_eq!(skinned.positions.len(), corners.len());
    for (position, corner) in skinned.positions.iter().zip(corners) {
        assert!(position.distance(corner) < 1e-6, "{position} instead of {corner}");
    }
    assert!(skinned.normals.iter().all(|normal| normal.distance(DVec3::X) < 1e-6));
    // +90° about +Z.
    assert!((local.0[1].rotation * DVec3::X).distance(DVec3::Y) < 1e-7);
}

/// "So 84 ms for the clip above", and its root and `tip` in frame 1.
#[test]
fn the_clip_example_moves_as_the_page_says() {
    let onto = import_mesh(&parse_mesh(example("md5mesh")).unwrap().document, false, &Budget::default()).unwrap();
    let document = parse_anim(example("md5anim")).unwrap().document;
    let (skeleton, budget) = (&onto.model.skeleton, Budget::default());
    let imported = import_clip(&document, "example", skeleton, &onto.joints, &budget).unwrap();
    assert_eq!((imported.differences, imported.warnings), (vec![], vec![]));
    let meant = imported.clip.unwrap();
    assert!((meant.duration - 2.0 / 24.0).abs() < 1e-15);
    let doom3 = Engine::find("doom3").unwrap();
    let played = doom3.hold_clip(&document, "example", None, skeleton, &onto.joints, &budget).unwrap();
    let posed = |clip, time| {
        let mut local = LocalPose::default();
        sample(skeleton, clip, time, &mut local);
        local
    };
    let second = 1.0 / 24.0;
    assert_eq!(posed(&meant, second).0[0].translation, DVec3::new(15.0, 0.0, 7.0));
    assert_eq!(posed(&played, 0.0).0[0].translation, DVec3::ZERO);
    assert_eq!(posed(&played, 2.0 * second).0[0].translation, DVec3::new(20.0, 0.0, 0.0));
    // File (0.5, 0, -0.7071) with w = 0.5, conjugated for column vectors.
    let turn = DQuat::from_xyzw(0.5, 0.0, -std::f64::consts::FRAC_1_SQRT_2, -0.5);
    assert!(posed(&meant, second).0[1].rotation.dot(turn).abs() > 1.0 - 1e-9);
}

/// "A bone that moves up by 2 in a second": file +Y is the model's +Z.
#[test]
fn the_x_example_moves_as_the_page_says() {
    let unpacked = x::unpack(example("x"), x::Reading::Strict).unwrap();
    let parsed = x::parse(&unpacked, x::Reading::Strict).unwrap();
    let imported = import(parsed.document.clone(), &XImportOptions::default(), &Budget::default()).unwrap();
    assert_eq!(imported.warnings, []);
    let clips =
        import_clips(&parsed.document, &imported.frames, &XImportOptions::default(), &Budget::default()).unwrap();
    assert_eq!(clips.warnings, []);
    let clip = &clips.clips[0];
    assert_eq!(clip.duration, 1.0);
    let skeleton = &imported.model.skeleton;
    let bone = skeleton.joints().iter().position(|joint| joint.name == "Bone").unwrap();
    for (time, height) in [(0.0, 3.0), (0.5, 4.0), (1.0, 5.0)] {
        let mut local = LocalPose::default();
        sample(skeleton, clip, time, &mut local);
        assert!(local.0[bone].translation.distance(DVec3::new(0.0, 0.0, height)) < 1e-12, "at {time}");
    }
}

/// Compares names and GUIDs in the page's tables with the catalogue that determines the layout of objects.
#[test]
fn the_template_tables_are_the_catalogue() {
    let rows: Vec<(String, String)> = X
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter_map(|(name, rest)| Some((name.to_owned(), rest.split_once(" | ")?.0.to_owned())))
        .filter(|(_, guid)| guid.len() == 36)
        .collect();
    let standard: Vec<(String, String)> = x::standard_templates()
        .iter()
        .filter_map(|template| Some((template.name.to_name(), template.guid?.to_string())))
        .collect();
    for (row, known) in rows.iter().zip(&standard) {
        assert_eq!(row, known);
    }
    assert_eq!(rows.len(), standard.len());
}

/// Returns all files below `folder` with one of these extensions.
fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let known = path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known));
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            files(&path, extensions, found);
        } else if known {
            found.push(path);
        }
    }
}

/// Returns the headings of a page.
fn headings(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .collect()
}

/// Comments cite a page as `docs/formats/NAME.md "Heading"`, on one line.
#[test]
fn comments_cite_headings_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["src", "parsers", "tests", "benches"] {
        files(&root.join(folder), &["rs", "tsv", "md"], &mut sources);
    }
    let mut cited = 0;
    for source in sources.iter().filter(|source| !source.ends_with(file!())) {
        let text = fs::read_to_string(source).unwrap();
        for line in text.lines() {
            for citation in line.split("docs/").skip(1) {
                let Some((page, rest)) = citation.split_once(".md \"") else { continue };
                let Some((heading, _)) = rest.split_once('"') else {
                    panic!("{}: the citation goes on in the next line: {line}", source.display())
                };
                let page = root.join("docs").join(format!("{page}.md"));
                let known = headings(&page).iter().any(|known| known == heading);
                assert!(known, "{}: no heading '{heading}' in {}", source.display(), page.display());
                cited += 1;
            }
        }
    }
    assert!(cited > 0, "no comment cites docs/formats");
}

/// Links between the pages, and to their headings, resolve.
#[test]
fn links_resolve() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats");
    let mut pages = Vec::new();
    files(&folder, &["md"], &mut pages);
    assert!(pages.len() >= 4);
    let anchor = |heading: &String| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { folder.join(file) };
            assert!(target.is_file(), "{}: {link}", page.display());
            let known = heading.is_empty() || headings(&target).iter().map(anchor).any(|known| known == heading);
            assert!(known, "{}: {link}", page.display());
        }
    }
}
