//! `validate --report`: a page with a curve for each finding of motion.

use crate::commands::output::tell;
use crate::commands::write_text_in;
use anyhow::Context;
use bindpose::validate::report::Selection;
use bindpose::validate::{FileReport, MotionCurve, MotionReport};
use bindpose_compare::chart::{Across, Chart};
use bindpose_compare::page::{self, ClipSection};
use bindpose_compare::table::Table;
use bindpose_parsers::counted;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Findings of motion in one run.
#[derive(Debug, Default)]
pub struct ClipFindings {
    findings: Vec<(PathBuf, MotionReport)>,
}

impl ClipFindings {
    /// Adds the selected findings of a file.
    pub fn add(&mut self, file: &FileReport, selection: &Selection) {
        let wanted = file.motion.iter().filter(|report| selection.wants(report.code));
        self.findings.extend(wanted.map(|report| (file.path.clone(), report.clone())));
    }

    /// Writes `report.html` to a folder.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let page = page::clips("Motion of clips", &self.conclusion(), &self.table(), &self.sections());
        write_text_in(folder, "report.html", &page)?;
        tell!("wrote report.html to {}", folder.display());
        Ok(())
    }

    /// Returns the number of clips with findings, and the findings by kind, the most frequent first.
    fn conclusion(&self) -> String {
        if self.findings.is_empty() {
            return "No clip has a finding of motion.".to_owned();
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        self.findings.iter().for_each(|(_, report)| *kinds.entry(report.code.title).or_default() += 1);
        let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let kinds: Vec<String> = kinds.into_iter().map(|(title, count)| format!("{title} ({count})")).collect();
        let clips = self.sections().len();
        let verb = if clips == 1 { "has" } else { "have" };
        format!("{} {verb} findings of motion: {}.", counted(clips, "clip", "clips"), kinds.join("; "))
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["clip", "file", "code", "finding"]);
        for (path, MotionReport { code, clip, message, .. }) in &self.findings {
            let code = format!("{} {}", code.id, code.name);
            table.push([clip.clone(), path.display().to_string(), code, message.clone()]);
        }
        table
    }

    /// Returns a section for each clip of each file.
    fn sections(&self) -> Vec<ClipSection> {
        let mut sections: Vec<ClipSection> = Vec::new();
        for (path, report) in &self.findings {
            let heading = format!("{}: {}", report.clip, path.display());
            let finding = (report.message.clone(), report.curve.as_ref().map(chart));
            match sections.last_mut().filter(|section| section.heading == heading) {
                Some(section) => section.findings.push(finding),
                None => sections.push(ClipSection { heading, findings: vec![finding] }),
            }
        }
        sections
    }
}

fn chart(curve: &MotionCurve) -> Chart {
    Chart {
        title: curve.title.clone(),
        measure: curve.up.to_owned(),
        across: Across::Named(curve.across),
        lines: curve.lines.clone(),
        range: [0.0, 0.0],
        marked: curve.marked,
    }
}
