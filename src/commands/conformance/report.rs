//! The score as a web page.

use bindpose_compare::html::Page;
use bindpose_compare::table::Table;
use bindpose_conformance::engines::answers;
use bindpose_conformance::score::Scores;
use bindpose_conformance::suite::{Case, EDITION};
use bindpose_core::escape::markup;

/// Creates the page of a score: the areas, and each broken rule with the engines that also break it.
pub fn page(scores: &Scores) -> String {
    let mut page = Page::new(&format!("Conformance of {}", scores.loader));
    page.conclude(&scores.sentence());
    page.paragraph(&format!(
        "Edition {EDITION} of the suite. Rules about what the loader does not report, files that were not run, and files refused where that is allowed do not count."
    ));
    page.table(&Table { headings: Scores::HEADINGS.map(str::to_owned).to_vec(), rows: scores.rows() });
    let mut area = "";
    for (case, verdict) in scores.broken() {
        if case.area != area {
            page.heading(&case.area);
            area = &case.area;
        }
        page.html(format_args!(
            "<dl><dt><code>{}</code></dt>\n<dd>{}</dd>\n<dd>{}</dd>\n<dd>{}</dd></dl>\n",
            markup(&case.file),
            prose(&case.rule),
            markup(&format!("{}: {}", scores.loader, verdict.sentence())),
            markup(&others(case, scores))
        ));
    }
    page.finish()
}

/// Formats a sentence as HTML. Text between backticks becomes code.
fn prose(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    parts
        .map(|(part, words)| if part % 2 == 1 { format!("<code>{}</code>", markup(words)) } else { markup(words) })
        .collect()
}

/// Returns a sentence about the known engines that break a rule.
fn others(case: &Case, scores: &Scores) -> String {
    let companion = scores.cases.iter().map(|(case, _)| case).find(|other| Some(&other.file) == case.with.as_ref());
    let answers = answers(case, companion);
    let broken = answers.iter().filter(|(_, answer)| answer.keeps(case) == Some(false));
    let broken: Vec<String> = broken.map(|(engine, answer)| format!("{engine} ({answer})")).collect();
    match broken.is_empty() {
        true => format!("All {} engines that were followed keep this rule.", answers.len()),
        false => format!("Broken by {} of {} engines, too: {}.", broken.len(), answers.len(), broken.join("; ")),
    }
}
