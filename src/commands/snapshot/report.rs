//! `--report`: a summary in Markdown, and a page with pictures of every model that changed.

use super::{Finding, Verdict, describe, summary};
use bindpose::html::{self, text};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A frame in pictures.
pub struct DrawnFrame {
    /// Such as `walk, frame 7 (0.291667 s)`.
    pub title: String,
    /// As it was recorded, as it is, and what differs in red: files below the folder.
    pub files: [PathBuf; 3],
    /// Pixels that differ.
    pub pixels: usize,
}

/// What was drawn of a model.
pub struct Drawn {
    /// In the order of time.
    pub frames: Vec<DrawnFrame>,
    /// Frames that differ, drawn or not.
    pub failing: usize,
    /// Whether only the skeleton could be drawn as recorded, because meshes or joints changed.
    pub bare: bool,
}

/// What was drawn of models, by their names, or why nothing was.
pub type Pictures = HashMap<String, Result<Drawn, String>>;

const STYLE: &str = "\
figure { display: inline-block; width: 31%; margin: 0 1% 1rem 0; }
img { width: 100%; }
";

/// Models that are not as recorded.
fn to_tell(verdicts: &[Verdict]) -> impl Iterator<Item = &Verdict> {
    verdicts.iter().filter(|verdict| !matches!(verdict.finding, Finding::Same { .. }))
}

/// For a pull request or a build's summary: what changed, model by model.
pub fn markdown(verdicts: &[Verdict]) -> String {
    let mut page = format!("## Frames of models\n\n{}\n", text(&summary(verdicts)));
    for verdict in to_tell(verdicts) {
        let told = text(describe(verdict).trim_end());
        let _ = write!(
            page,
            "\n<details open><summary>{}</summary>\n<pre>{told}</pre>\n</details>\n",
            text(&verdict.model)
        );
    }
    page
}

/// The page, which lies in the folder of the pictures.
pub fn html(verdicts: &[Verdict], pictures: &Pictures) -> String {
    let mut page = html::start("Frames of models", STYLE, "") + &format!("<p>{}</p>\n", text(&summary(verdicts)));
    for verdict in to_tell(verdicts) {
        let told = text(describe(verdict).trim_end());
        let _ = write!(page, "<h2>{}</h2>\n<pre>{told}</pre>\n", text(&verdict.model));
        match pictures.get(&verdict.model) {
            Some(Ok(drawn)) => add_pictures(drawn, &mut page),
            Some(Err(reason)) => {
                let _ = writeln!(page, "<p>No pictures: {}.</p>", text(reason));
            }
            None => {}
        }
    }
    page
}

fn add_pictures(drawn: &Drawn, page: &mut String) {
    if drawn.frames.len() < drawn.failing {
        let _ = writeln!(page, "<p>Of {} frames that differ these are the worst.</p>", drawn.failing);
    }
    if drawn.bare {
        page.push_str("<p>Meshes or joints changed: of what was recorded only the skeleton can be drawn.</p>\n");
    }
    for frame in &drawn.frames {
        let title = text(&frame.title);
        let _ = writeln!(page, "<h3>{title}: {} pixels differ</h3>", frame.pixels);
        for (file, kind) in frame.files.iter().zip(["expected", "actual", "difference"]) {
            let link = link(&file.to_string_lossy());
            let _ = writeln!(
                page,
                "<figure><a href=\"{link}\"><img src=\"{link}\" alt=\"{title}, {kind}\" loading=\"lazy\"></a>\
                 <figcaption>{kind}</figcaption></figure>"
            );
        }
    }
}

/// A path as a relative link.
fn link(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let path = path.replace(std::path::MAIN_SEPARATOR, "/");
    path.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_are_text() {
        let verdict = Verdict::new("<b>\u{1b}[31m&\"", Finding::Added);
        for page in [markdown(std::slice::from_ref(&verdict)), html(&[verdict], &Pictures::new())] {
            assert!(page.contains("&lt;b&gt;\\u001b[31m&amp;&quot;"), "{page}");
            assert!(!page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
        }
    }

    #[test]
    fn links_lead_to_any_name() {
        assert_eq!(link("boss/a b#1.md5mesh/1.actual.png"), "boss/a%20b%231.md5mesh/1.actual.png");
    }
}
