//! Checks that the sample's decls and the free trees of two games are read as their engine reads them.

use crate::corpus::{real_files, shared};
use bindpose_parsers::LineIndex;
use bindpose_parsers::decl::{
    DeclKind, Fault, Impact, parse_entity, parse_file, parse_material, parse_model, parse_skin, parse_table,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[test]
fn free_trees_are_read() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut reported = Vec::new();
    // Skins of Daemon's models have another form.
    let is_other = |path: &PathBuf| {
        shared().is_some_and(|shared| path.starts_with(&shared) && !path.starts_with(shared.join("corpus/id4")))
    };
    for path in real_files(&["mtr", "skin", "def"]).iter().filter(|path| !is_other(path)) {
        let bytes = std::fs::read(path).unwrap();
        let lines = LineIndex::new(&bytes);
        let extension = path.extension().unwrap().to_str().unwrap();
        let folder = [("mtr", "materials"), ("skin", "skins"), ("def", "def")].into_iter();
        let folder = folder.filter(|(of, _)| *of == extension).map(|(_, folder)| folder).next().unwrap();
        let file = parse_file(&bytes, DeclKind::of_folder(folder).unwrap());
        let mut tell = |name: &str, faults: &[Fault]| {
            for fault in faults.iter().filter(|fault| fault.kind.impact() > Impact::Nothing) {
                let file = path.file_name().unwrap().to_string_lossy();
                reported.push(format!("{file}:{} {name}: {}", lines.position(fault.span.start), fault.kind));
            }
        };
        tell("file", &file.faults);
        for decl in &file.decls {
            *counts.entry(extension.to_owned()).or_default() += 1;
            let faults = match decl.kind {
                DeclKind::Table => parse_table(&bytes, decl.body).faults,
                DeclKind::Material => parse_material(&bytes, decl.body).faults,
                DeclKind::Skin => parse_skin(&bytes, decl.body).faults,
                DeclKind::Model => parse_model(&bytes, decl.body).faults,
                DeclKind::EntityDef => parse_entity(&bytes, decl.body).faults,
                DeclKind::Ragdoll | DeclKind::Other => Vec::new(),
            };
            tell(&decl.name, &faults);
        }
    }
    let with_corpus = shared().is_some();
    let expected =
        BLOCKS.map(|(extension, sample, corpus)| (extension.to_owned(), sample + if with_corpus { corpus } else { 0 }));
    assert_eq!(counts, expected.into());
    assert_eq!(reported, &REPORTED[..if with_corpus { 2 } else { 0 }], "what the engine loses");
}

/// Blocks on the top level, outside of comments and strings: of the sample, and of the free trees, where a script counted
/// them.
const BLOCKS: [(&str, usize, usize); 3] = [("def", 3, 280), ("mtr", 6, 170), ("skin", 2, 3)];

/// Faults in the free trees. In both trees the line with the image of the mirror is a comment.
const REPORTED: [&str; 2] = ["common.mtr:124:2 textures/common/mirror: a stage has no image; the default is drawn"; 2];
