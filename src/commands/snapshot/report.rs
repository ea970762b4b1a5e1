//! Reports of `verify`: Markdown, a page with images, JUnit XML, annotations for GitHub.

use super::selection::normal;
use super::verdict::{Finding, Verdict, counted, describe, state, summary};
use bindpose::snapshot::Store;
use bindpose_compare::html::Page;
use bindpose_compare::table::Table;
use bindpose_core::escape::{Escaped, annotation, annotation_property, markdown_line, markup};
use bindpose_core::uri;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Images of a frame.
pub struct DrawnFrame {
    /// Title, such as `walk, frame 7 (0.291667 s)`.
    pub title: String,
    /// Expected, actual and difference, as paths below the folder.
    pub files: [PathBuf; 3],
    /// Number of differing pixels.
    pub pixels: usize,
    /// Joints that changed in this frame and those around it, with their deviations.
    pub parts: Vec<String>,
}

/// Images of a model.
pub struct Drawn {
    /// Frames in the order of time.
    pub frames: Vec<DrawnFrame>,
    /// Number of frames that differ, including those that are not drawn.
    pub failing: usize,
    /// Reason why only the recorded skeleton is drawn as expected; `None` if the model is drawn.
    pub bare: Option<String>,
}

/// Images of models by name, or the reason why there are none.
pub type Images = HashMap<String, Result<Drawn, String>>;

/// Returns the models that differ from their snapshot.
fn reported(verdicts: &[Verdict]) -> impl Iterator<Item = &Verdict> {
    verdicts.iter().filter(|verdict| !matches!(verdict.finding, Finding::Same { .. }))
}

/// Formats the verdicts as Markdown for a pull request or a build's summary.
pub fn markdown(verdicts: &[Verdict]) -> String {
    let mut page = format!("## Frames of models\n\n{}\n", markdown_line(&summary(verdicts)));
    for verdict in reported(verdicts) {
        let name = markup(&Escaped(&verdict.model).to_string());
        let description = markup(describe(verdict).trim_end());
        // Markdown is read again behind an empty line, except in `pre` that begins its own block.
        let _ = write!(page, "\n<details open><summary>{name}</summary>\n\n<pre>{description}</pre>\n\n</details>\n");
    }
    page
}

/// Returns a sentence with the number of models that differ, and the first of them.
fn conclusion(verdicts: &[Verdict]) -> String {
    let count = reported(verdicts).count();
    let Some(first) = reported(verdicts).find(|verdict| verdict.fails(false)).or_else(|| reported(verdicts).next())
    else {
        return "All models are as recorded.".to_owned();
    };
    let verb = if count == 1 { "is" } else { "are" };
    let (all, rest) = (verdicts.len(), headline(first));
    format!(
        "{count} of {all} models {verb} not as recorded. {}, {}: {}.",
        first.model,
        state(&first.finding),
        rest.trim()
    )
}

/// Returns a row for each model that differs from its snapshot.
fn table(verdicts: &[Verdict]) -> Table {
    let mut table = Table::new(["model", "state", "first difference"]);
    for verdict in reported(verdicts) {
        table.push([verdict.model.as_str(), state(&verdict.finding), headline(verdict).trim()]);
    }
    table
}

/// Returns the page, which belongs into the folder of the images.
pub fn html(verdicts: &[Verdict], images: &Images) -> String {
    let mut page = Page::new("Frames of models");
    page.conclude(&conclusion(verdicts));
    page.paragraph(&summary(verdicts));
    if reported(verdicts).next().is_some() {
        page.table(&table(verdicts));
    }
    for verdict in reported(verdicts) {
        page.heading(&verdict.model);
        page.html(format_args!("<pre>{}</pre>\n", markup(describe(verdict).trim_end())));
        match images.get(&verdict.model) {
            Some(Ok(drawn)) => add_images(drawn, &mut page),
            Some(Err(reason)) => page.paragraph(&format!("No images: {reason}.")),
            None => {}
        }
    }
    page.finish()
}

fn add_images(drawn: &Drawn, page: &mut Page) {
    if drawn.frames.len() < drawn.failing {
        page.paragraph(&format!("The worst of {} frames that differ.", drawn.failing));
    }
    if let Some(reason) = &drawn.bare {
        page.paragraph(&format!("Meshes or joints changed, so the skeleton is drawn as expected: {reason}."));
    }
    for frame in &drawn.frames {
        let title = markup(&frame.title);
        page.html(format_args!("<h3>{title}: {} pixels differ</h3>\n<div class=\"triple\">\n", frame.pixels));
        for (file, kind) in frame.files.iter().zip(["expected", "actual", "difference"]) {
            let link = link(&file.to_string_lossy());
            page.html(format_args!(
                "<figure><a href=\"{link}\"><img src=\"{link}\" alt=\"{title}, {kind}\" loading=\"lazy\"></a>\
                 <figcaption>{kind}</figcaption></figure>\n"
            ));
        }
        page.html(format_args!("</div>\n"));
        let parts: Vec<String> = frame.parts.iter().map(|part| format!("<li>{}</li>", markup(part))).collect();
        if !parts.is_empty() {
            page.html(format_args!("<ul>{}</ul>\n", parts.join("")));
        }
    }
}

/// Encodes a path as a relative link.
fn link(path: &str) -> String {
    uri::encoded(path.replace(std::path::MAIN_SEPARATOR, "/").as_bytes())
}

/// Returns JUnit XML with a test case for each model.
pub fn junit(verdicts: &[Verdict], strict: bool) -> String {
    let failures = verdicts.iter().filter(|verdict| verdict.fails(strict)).count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\
         <testsuite name=\"bindpose snapshot verify\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">\n",
        verdicts.len()
    );
    for verdict in verdicts {
        let description = describe(verdict);
        let _ = write!(xml, "<testcase classname=\"bindpose.frames\" name=\"{}\"", markup(&verdict.model));
        let body = markup(description.trim_end());
        let _ = match (verdict.fails(strict), description.is_empty()) {
            (true, _) => {
                writeln!(xml, "><failure message=\"{}\">{body}</failure></testcase>", markup(headline(verdict).trim()))
            }
            (false, false) => writeln!(xml, "><system-out>{body}</system-out></testcase>"),
            (false, true) => writeln!(xml, "/>"),
        };
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

/// Returns the most important line about a model.
fn headline(verdict: &Verdict) -> String {
    match &verdict.finding {
        Finding::Changed { comparison } => comparison.differences.first().map_or_else(String::new, |difference| {
            let line = difference.to_string().lines().next().unwrap_or_default().to_owned();
            let first = difference.first.as_ref().map(|first| format!(": {first}")).unwrap_or_default();
            let more = comparison.differences.len() - 1;
            let more = if more > 0 { format!(" (and {})", counted(more, "more difference")) } else { String::new() };
            format!("{line}{first}{more}")
        }),
        Finding::Broken { message, .. } => format!("does not load: {message}"),
        _ => {
            let (description, name) = (describe(verdict), format!("{}: ", Escaped(&verdict.model)));
            let line = description.lines().next().unwrap_or_default();
            line.split_once(&name).map_or(line, |(_, rest)| rest).to_owned()
        }
    }
}

/// Returns workflow commands for GitHub Actions. Failures come first, because only the first ten of a step are shown.
pub fn github(verdicts: &[Verdict], strict: bool, store: &Store) -> String {
    let mut lines = String::new();
    for fails in [true, false] {
        for verdict in reported(verdicts).filter(|verdict| verdict.fails(strict) == fails) {
            let level = if fails { "error" } else { "warning" };
            let path = verdict.path.clone().unwrap_or_else(|| store.path_of(&verdict.model));
            let path = annotation_property(&from_here(&path).to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
            let title = annotation_property(&verdict.model);
            let message = annotation(&format!("{}\n{}", headline(verdict), describe(verdict).trim_end()));
            let _ = writeln!(lines, "::{level} file={path},title={title}::{message}");
        }
    }
    let _ = writeln!(lines, "{}", summary(verdicts));
    lines
}

/// Returns the path relative to the current folder, where GitHub looks for files, if it is below.
fn from_here(path: &Path) -> PathBuf {
    let below = std::env::current_dir().ok().and_then(|here| Some(normal(path).strip_prefix(here).ok()?.to_owned()));
    below.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_are_escaped() {
        let verdict = Verdict::new("<b>\u{1b}[31m&\"\n\n# [a](b)", Finding::Added);
        let page = html(std::slice::from_ref(&verdict), &Images::new());
        for page in [markdown(std::slice::from_ref(&verdict)), page] {
            assert!(page.contains("&lt;b&gt;\\u001b[31m&amp;&quot;"), "{page}");
            assert!(!page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
        }
        let page = markdown(&[verdict]);
        assert!(!page.contains("\n# ") || page.contains("<pre>"), "{page}");
        assert!(page.contains("\\u000a\\u000a# [a](b)</summary>\n\n<pre>"), "{page}");
    }

    #[test]
    fn names_cannot_forge_xml_or_workflow_commands() {
        let verdicts = [Verdict::new("a\n::error::\"<b>", Finding::Added)];
        let store = Store::new("shots", bindpose::budget::MemoryLimit::default());
        let xml = junit(&verdicts, true);
        assert!(xml.contains("name=\"a\n::error::&quot;&lt;b&gt;\"") && xml.contains("failures=\"1\""), "{xml}");
        let lines = github(&verdicts, true, &store);
        assert_eq!(lines.lines().filter(|line| line.starts_with("::")).count(), 1, "{lines}");
        assert!(lines.starts_with("::error file=shots/a%0A%3A%3Aerror%3A%3A\"<b>.snapshot,title=a%0A"), "{lines}");
        assert!(github(&verdicts, false, &store).starts_with("::warning file="));
    }

    #[test]
    fn the_page_begins_with_a_sentence() {
        let broken = Finding::Broken { message: "no joints".into(), recorded: false };
        let verdicts = [Verdict::new("imp.md5mesh", Finding::Added), Verdict::new("boss.md5mesh", broken)];
        let page = html(&verdicts, &Images::new());
        let first = "<p class=\"finding\">2 of 2 models are not as recorded. boss.md5mesh, broken: does not load: no joints.</p>";
        assert!(page.contains(first) && page.contains("<td class=\"short\">imp.md5mesh</td>"), "{page}");
        assert!(html(&[], &Images::new()).contains("All models are as recorded."));
    }

    #[test]
    fn links_are_escaped() {
        assert_eq!(link("boss/a b#1.md5mesh/1.actual.png"), "boss/a%20b%231.md5mesh/1.actual.png");
    }
}
