//! Checks that the free trees of two games are read as their engine reads them.

use crate::corpus::{files_with, shared};
use bindpose_parsers::LineIndex;
use bindpose_parsers::decl::{
    DeclKind, Fault, Impact, parse_entity, parse_file, parse_material, parse_model, parse_ragdoll, parse_skin,
    parse_table,
};
use std::collections::BTreeMap;

#[test]
fn free_trees_are_read() {
    let Some(shared) = shared() else { return };
    let files = files_with(&shared.join("corpus/id4"), &["mtr", "skin", "def"]);
    eprintln!("{} files of decls", files.len());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut reported = Vec::new();
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let lines = LineIndex::new(&bytes);
        let folder = path.parent().and_then(|folder| folder.file_name()).unwrap().to_string_lossy();
        let file = parse_file(&bytes, DeclKind::of_folder(&folder).unwrap());
        let mut tell = |name: &str, faults: &[Fault]| {
            for fault in faults.iter().filter(|fault| fault.kind.impact() > Impact::Nothing) {
                let file = path.file_name().unwrap().to_string_lossy();
                reported.push(format!("{file}:{} {name}: {}", lines.position(fault.span.start), fault.kind));
            }
        };
        tell("file", &file.faults);
        for decl in &file.decls {
            let extension = path.extension().unwrap().to_string_lossy().into_owned();
            *counts.entry(extension).or_default() += 1;
            let faults = match decl.kind {
                DeclKind::Table => parse_table(&bytes, decl.body).faults,
                DeclKind::Material => parse_material(&bytes, decl.body).faults,
                DeclKind::Skin => parse_skin(&bytes, decl.body).faults,
                DeclKind::Model => parse_model(&bytes, decl.body).faults,
                DeclKind::EntityDef => parse_entity(&bytes, decl.body).faults,
                DeclKind::Ragdoll => parse_ragdoll(&bytes, decl.body).faults,
                DeclKind::Other => Vec::new(),
            };
            tell(&decl.name, &faults);
        }
    }
    // A script counted these blocks on the top level, outside of comments and strings.
    let counted = [("def", DEFS), ("mtr", MATERIALS), ("skin", SKINS)];
    assert_eq!(counts, counted.map(|(extension, count)| (extension.to_owned(), count)).into());
    assert_eq!(reported, REPORTED, "what the engine loses");
}

const DEFS: usize = 280;
const MATERIALS: usize = 170;
const SKINS: usize = 3;

/// Faults in the free trees. In both trees the line with the image of the mirror is a comment.
const REPORTED: [&str; 2] = ["common.mtr:124:2 textures/common/mirror: a stage has no image; the default is drawn"; 2];
