//! The score as a web page.

use super::engines::answers;
use super::score::{Score, Scores};
use super::suite::{Case, EDITION};
use bindpose_compare::html::{END, start, text};

const STYLE: &str = "\
.finding { font-size: 1.3rem; border-left: .3rem solid #d55e00; padding-left: .8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
meter { width: 8rem; }
dt { font-weight: 600; margin-top: .8rem; }
dd { margin: 0 0 0 1rem; }
.engines { font-size: .85rem; opacity: .8; }
";

/// Creates the page of a score: the areas, and each broken rule with the engines that also break it.
pub fn page(scores: &Scores) -> String {
    let mut page = start(&format!("Conformance of {}", scores.loader), STYLE, "");
    page += &format!("<p class=\"finding\">{}</p>\n", text(&scores.sentence()));
    page += &format!(
        "<p>Edition {EDITION} of the suite. Rules about what the loader does not report, files that were not run, and files refused where that is allowed do not count.</p>\n"
    );
    page += "<div class=\"wide\"><table>\n<thead><tr><th>area</th><th>share</th>";
    for heading in Score::HEADINGS {
        page += &format!("<th>{heading}</th>");
    }
    page += "</tr></thead>\n<tbody>\n";
    for (area, score) in scores.areas() {
        let share = score.kept as f64 / score.judged().max(1) as f64;
        let meter = match score.judged() {
            0 => String::new(),
            _ => format!("<meter value=\"{share:.3}\" aria-label=\"{:.0} % kept\"></meter>", 100.0 * share),
        };
        page += &format!("<tr><td><a href=\"#{}\">{}</a></td><td>{meter}</td>", anchor(&area), text(&area));
        for number in score.numbers() {
            page += &format!("<td class=\"number\">{number}</td>");
        }
        page += "</tr>\n";
    }
    page += "</tbody>\n</table></div>\n";
    let mut area = "";
    for (case, verdict) in scores.broken() {
        if case.area != area {
            page += &format!(
                "{}<h2 id=\"{}\">{}</h2>\n<dl>\n",
                if area.is_empty() { "" } else { "</dl>\n" },
                anchor(&case.area),
                text(&case.area)
            );
            area = &case.area;
        }
        page += &format!("<dt><code>{}</code></dt>\n<dd>{}</dd>\n", text(&case.file), prose(&case.rule));
        page += &format!("<dd>{}: {}</dd>\n", text(&scores.loader), text(&verdict.sentence()));
        page += &format!("<dd class=\"engines\">{}</dd>\n", text(&others(case, scores)));
    }
    page + if area.is_empty() { "" } else { "</dl>\n" } + END
}

/// Returns the name of an area in links.
fn anchor(area: &str) -> String {
    area.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Formats a sentence as HTML. Text between backticks becomes code.
fn prose(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    parts
        .map(|(part, words)| if part % 2 == 1 { format!("<code>{}</code>", text(words)) } else { text(words) })
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
