//! Files with equal bytes in the folders of one run.

use crate::codes::{Group, file};
use crate::finding::Findings;
use crate::unit::{Kind, Validation};
use bindpose_parsers::Span;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Paths of the models and clips seen so far, by length and hash of their bytes.
#[derive(Debug, Default)]
pub struct EqualFiles(HashMap<(usize, u64), PathBuf>);

impl EqualFiles {
    /// Adds a finding to each model or clip of a report whose bytes an earlier file has. Of compressed files only the
    /// unpacked bytes are known, so they are passed over.
    pub fn mark(&mut self, report: &mut Validation) {
        let Validation { files, sources, .. } = report;
        for known in files.iter_mut().filter(|file| matches!(file.kind, Kind::Format(_)) && !file.is_unpacked) {
            let bytes = &sources.get(known.source).bytes;
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let first = self.0.entry((bytes.len(), hasher.finish())).or_insert_with(|| known.path.clone());
            if *first != known.path {
                let mut findings = Findings::new(Group::File);
                let message = || format!("the file is equal to {}", first.display());
                findings.add(file::EQUAL_FILE, Span::new(0, 0), message);
                known.findings.extend(findings.finish(0));
            }
        }
    }
}
