//! The web page in one file, which shows the model of a report.

use super::page::worst_pose;
use super::report::ComparisonReport;
use crate::html::link;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bindpose_core::skin::METHODS;
use serde_json::json;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Largest number of files between `main.js` and a file that it imports. The page has three.
const MOST_IMPORTS: usize = 8;
/// Line of `index.html` that starts the page.
const START: &str = "<script type=\"module\" src=\"main.js\"></script>";
/// Content policy of the page: everything is in the file.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src data: 'wasm-unsafe-eval'; \
     style-src 'unsafe-inline'; img-src blob: data:; connect-src data:; worker-src data:; base-uri 'none'; form-action 'none'\">";

/// The page that `dist/web` builds, with its scripts, styles and module in one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Viewer {
    before: String,
    after: String,
    module: String,
    /// Address of the first script.
    main: String,
}

impl Viewer {
    /// Reads the built page in a folder.
    ///
    /// # Errors
    ///
    /// A file that is missing, or a page that is started in another way.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let read = |name| fs::read_to_string(folder.join(name));
        let style = format!("<style>\n{}</style>", read("style.css")?);
        let page = read("index.html")?;
        let (before, after) = page.split_once(START).ok_or_else(|| invalid("index.html does not start main.js"))?;
        let before = before.lines().filter_map(|line| match line {
            line if line.starts_with("<meta http-equiv") => Some(POLICY),
            line if line.starts_with("<link rel=\"stylesheet\"") => Some(&style),
            line if line.starts_with("<link") || line.starts_with("<script") => None,
            line => Some(line),
        });
        Ok(Self {
            before: before.collect::<Vec<_>>().join("\n"),
            after: after.to_owned(),
            module: address("application/octet-stream", &fs::read(folder.join("bindpose_web.wasm.lzma"))?),
            main: script(folder, "main.js", 0)?,
        })
    }

    /// Returns the page with a model in it, which it opens first.
    pub fn html(&self, name: &str, model: &[u8]) -> String {
        let embedded = json!({ "module": self.module, "files": [{ "path": name, "base64": STANDARD.encode(model) }] });
        let embedded = embedded.to_string().replace('<', "\\u003c");
        format!(
            "{}\n<script type=\"application/json\" id=\"embedded\">{embedded}</script>\n\
             <script type=\"module\" src=\"{}\"></script>{}",
            self.before, self.main, self.after
        )
    }
}

/// Returns the state, as the part of an address after `#`, in which the page shows the worst pose: the methods that keep
/// least and most thickness at a turned joint, otherwise the weighted sum and the method that is farthest from it.
pub fn state(report: &ComparisonReport) -> String {
    let thickness = |most: bool| {
        let groups = report.groups.iter().filter_map(|group| Some((group, group.thickness?)));
        let sign = if most { 1.0 } else { -1.0 };
        groups.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1))).map(|(group, _)| group)
    };
    let farthest = || report.groups.iter().max_by(|a, b| a.departs_by.total_cmp(&b.departs_by));
    // The page does not have the user's own methods.
    let built_in = |name: &&String| METHODS.iter().any(|method| method.name == **name);
    let [method, beside] = [thickness(false).or(report.groups.first()), thickness(true).or_else(farthest)]
        .map(|group| group.and_then(|group| group.methods.iter().find(built_in)));
    let time = report.times.get(worst_pose(report)).filter(|_| report.clip.is_some());
    let parts = [
        report.clip.as_ref().map(|clip| format!("clip={}", link(clip))),
        method.map(|name| format!("method={}", link(name))),
        beside.filter(|&name| Some(name) != method).map(|name| format!("beside={}", link(name))),
        time.map(|time| format!("time={time}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(",")
}

/// Returns bytes as the address of a file.
fn address(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

/// Returns a script as an address, with the scripts that it imports or starts as a worker in it; `depth` of them contain it.
fn script(folder: &Path, name: &str, depth: usize) -> io::Result<String> {
    if depth > MOST_IMPORTS {
        return Err(invalid(&format!("{name} imports itself")));
    }
    let other = |name: &str| script(folder, name, depth + 1);
    let code = fs::read_to_string(folder.join(name))?;
    let code = replace(&code, "from './", "'", |name| Ok(format!("from '{}'", other(name)?)))?;
    let code = replace(&code, "new URL('", "', import.meta.url)", |name| match name.ends_with(".js") {
        true => Ok(format!("'{}'", other(name)?)),
        // The page contains the module.
        false => Ok("new URL('data:,')".to_owned()),
    })?;
    Ok(address("text/javascript", code.as_bytes()))
}

/// Replaces each name between `before` and `after`, with both.
fn replace(code: &str, before: &str, after: &str, with: impl Fn(&str) -> io::Result<String>) -> io::Result<String> {
    let mut pieces = code.split(before);
    let mut replaced = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once(after).ok_or_else(|| invalid("a script is cut off"))?;
        replaced += &with(name)?;
        replaced += rest;
    }
    Ok(replaced)
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_files_inside() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "index.html",
            &format!("<meta http-equiv=\"x\">\n<link rel=\"stylesheet\" href=\"style.css\">\n{START}\n<p>"),
        );
        write("style.css", "p { margin: 0 }\n");
        write("main.js", "import { a } from './a.js';\nnew Worker(new URL('a.js', import.meta.url));\n");
        write("a.js", "export const a = new URL('module', import.meta.url);\n");
        assert_eq!(Viewer::read(folder.path()).unwrap_err().kind(), ErrorKind::NotFound, "without a module");
        write("bindpose_web.wasm.lzma", "module");
        let page = Viewer::read(folder.path()).unwrap().html("</script>.glb", b"model");
        let a = address("text/javascript", b"export const a = new URL('data:,');\n");
        let main = format!("import {{ a }} from '{a}';\nnew Worker('{a}');\n");
        let expected = format!(
            "{POLICY}\n<style>\np {{ margin: 0 }}\n</style>\n<script type=\"application/json\" id=\"embedded\">\
             {{\"files\":[{{\"base64\":\"bW9kZWw=\",\"path\":\"\\u003c/script>.glb\"}}],\
             \"module\":\"data:application/octet-stream;base64,bW9kdWxl\"}}</script>\n\
             <script type=\"module\" src=\"{}\"></script>\n<p>",
            address("text/javascript", main.as_bytes())
        );
        assert_eq!(page, expected);
        write("a.js", "import './b.js';\nimport { a } from './a.js';\n");
        assert_eq!(Viewer::read(folder.path()).unwrap_err().to_string(), "a.js imports itself");
    }
}
