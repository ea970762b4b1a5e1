//! Findings and verdicts like those of the command `validate`, repairs, and lines of files.

use super::convert::packed;
use super::{Answer, Request, sentence};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::diagnostic::Severity;
use bindpose::load::GameCache;
use bindpose::read;
use bindpose::validate::report::{self, Selection, Style};
use bindpose::validate::{EqualFiles, Options, Validation, check_in, codes, docs, fix, inputs, profiles};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Largest number of characters of a line in an answer.
const LONGEST_LINE: usize = 400;

/// Checks `paths` as the command does with these file names.
fn check(request: &Request<'_>, selection: &Selection) -> Result<Vec<(Validation, Options)>, String> {
    let paths: Vec<PathBuf> = request.texts("paths").into_iter().map(PathBuf::from).collect();
    let found = inputs::find(&paths, None, Default::default()).map_err(sentence)?;
    let games = GameCache::default();
    let mut equal = EqualFiles::default();
    let check = |group: &inputs::Group| {
        let options = Options { together: group.together, profiles: selection.profiles.clone(), ..Options::default() };
        let decls = group.decls(&games, options.memory);
        let mut report = check_in(inputs::read(group, options.memory), &options, decls.as_deref());
        fix::mark_fixable(&mut report);
        equal.mark(&mut report);
        (report, options)
    };
    Ok(found.groups.iter().map(check).collect())
}

fn selection(request: &Request<'_>) -> Result<Selection, String> {
    let profiles = profiles::named(request.texts("profiles")).map_err(sentence)?;
    Ok(Selection { profiles, ..Selection::default() })
}

/// Returns the report on `paths` for `profiles` (all engines if empty) in a `style`: json, sarif, human or short.
pub fn validate(request: &Request<'_>) -> Answer {
    let selection = selection(request)?;
    let style = match request.text("style")? {
        "json" => Style::Json,
        "sarif" => Style::Sarif,
        "human" => Style::Human,
        "short" => Style::Short,
        other => return Err(format!("there is no style '{other}'")),
    };
    let checked = check(request, &selection)?;
    let groups = checked.iter().map(|(report, _)| report);
    let (summary, text) = report::write(style, &selection, Severity::Warning, groups).map_err(sentence)?;
    Ok((json!({ "files": summary.files, "at_fault": summary.at_fault }), text))
}

/// Repairs `paths`. The answer is a single repaired file, or a zip of several, and the list of repairs.
pub fn fix(request: &Request<'_>) -> Answer {
    let selection = selection(request)?;
    let (mut fixed, mut told) = (Vec::new(), Vec::new());
    for (report, options) in check(request, &selection)? {
        let repairs = fix::fix(&report, &options);
        let after = fix::recheck(&report, &repairs.fixed, &options);
        for (index, (known, now)) in report.files.iter().zip(&after.files).enumerate() {
            let file = repairs.fixed.iter().find(|file| file.file == index);
            let is_shown = |severity| severity >= Some(Severity::Warning);
            let left = now.findings.iter().filter(|finding| is_shown(selection.severity(finding)));
            let left = left.map(|finding| {
                json!({ "code": finding.code.id, "message": finding.message, "why": repairs.why_left(index, now, finding) })
            });
            let left: Vec<_> = left.collect();
            if file.is_some() || !left.is_empty() {
                let done = file.map(|file| &file.done);
                told.push(json!({ "path": known.path.display().to_string(), "done": done, "left": left }));
            }
            if let Some(file) = file {
                fixed.push((known.path.clone(), file.bytes.clone()));
            }
        }
    }
    let (name, bytes) = packed(fixed, "repaired.zip")?;
    Ok((json!({ "name": name, "files": told }), bytes))
}

/// Returns line `line` of the file `path`, and the explanation of `code`.
pub fn line(request: &Request<'_>) -> Answer {
    let text = line_of(Path::new(request.text("path")?), request.number("line")? as usize);
    let code = request.optional_text("code").and_then(codes::find);
    Ok((json!({ "text": text, "explanation": code.map(docs::explain) }), Vec::new()))
}

/// Returns a line, cut if it is long; `None` for files that are not text.
fn line_of(path: &Path, line: usize) -> Option<String> {
    let bytes = read::file(path, &Budget::new(MemoryLimit::default())).ok()?;
    let line = bytes.split(|&byte| byte == b'\n').nth(line.checked_sub(1)?)?;
    if line.contains(&0) {
        return None;
    }
    Some(String::from_utf8_lossy(line).trim_end_matches('\r').chars().take(LONGEST_LINE).collect())
}
