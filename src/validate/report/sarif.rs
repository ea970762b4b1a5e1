//! SARIF 2.1.0, in the subset described by docs/validate-sarif.schema.json.

use super::{Writer, engine_notes, is_binary, position, wanted};
use crate::codes;
use crate::finding::Finding;
use crate::unit::{FileReport, Validation};
use bindpose_core::diagnostic::Severity;
use bindpose_core::{json as text, uri};
use bindpose_parsers::Span;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}

pub(super) fn begin(writer: &mut Writer) -> io::Result<()> {
    write!(
        writer.out,
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\n\"version\":\"2.1.0\",\n\"runs\":[{{\
         \"columnKind\":\"utf16CodeUnits\",\n\"results\":["
    )
}

pub(super) fn add(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    for file in &report.files {
        for (severity, finding) in wanted(writer.selection, file) {
            writer.out.write_all(if writer.is_first { b"\n" } else { b",\n" })?;
            writer.is_first = false;
            let rule = writer.rules.iter().position(|&code| code == finding.code).unwrap_or_else(|| {
                writer.rules.push(finding.code);
                writer.rules.len() - 1
            });
            let result = result(writer, report, file, finding, severity, rule);
            write!(writer.out, "{}", text::line(&result)?)?;
        }
    }
    Ok(())
}

/// Writes the rules last, because only those used by results are listed.
pub(super) fn end(writer: &mut Writer) -> io::Result<()> {
    let rule = |code: &&codes::Code| {
        let mut rule = json!({
            "id": code.id,
            "name": code.name,
            "shortDescription": { "text": code.title },
            "fullDescription": { "text": code.why },
            "help": { "text": format!("{} `bindpose explain {}` tells more.", sentence(code.help), code.id) },
            "defaultConfiguration": { "level": level(code.severity) },
        });
        // The URI must be absolute.
        if let (Some(page), Some(rule)) = (writer.docs, rule.as_object_mut()) {
            rule.insert("helpUri".to_owned(), format!("{page}#{}-{}", code.id.to_lowercase(), code.name).into());
        }
        rule
    };
    let rules: Vec<Value> = writer.rules.iter().map(rule).collect();
    let tool = json!({ "driver": { "name": "bindpose", "version": env!("CARGO_PKG_VERSION"), "rules": rules } });
    writeln!(writer.out, "\n],\n\"tool\":{}}}]}}", text::line(&tool)?)
}

fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// Returns the URI of a file: relative to the current folder, which is the repository during a scan; else `file:`.
fn uri(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let path = here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    uri_of(path.as_os_str().as_encoded_bytes(), cfg!(windows))
}

/// Returns the URI of a path according to RFC 8089. Other characters are percent-encoded byte by byte.
fn uri_of(path: &[u8], is_windows: bool) -> String {
    let slashes: Vec<u8> = path.iter().map(|&byte| if is_windows && byte == b'\\' { b'/' } else { byte }).collect();
    let path = slashes.strip_prefix(b"//?/").filter(|_| is_windows).unwrap_or(&slashes);
    let drive = path.get(..2).filter(|drive| is_windows && drive[0].is_ascii_alphabetic() && drive[1] == b':');
    let (start, rest) = match (drive, path) {
        (Some(drive), _) => (format!("file:///{}", String::from_utf8_lossy(drive)), &path[2..]),
        // The server of a share is the host.
        (None, [b'/', b'/', share @ ..]) if is_windows => ("file://".to_owned(), share),
        (None, [b'/', ..]) => ("file://".to_owned(), path),
        _ => (String::new(), path),
    };
    start + &uri::encoded(rest)
}

fn location(report: &Validation, file: &FileReport, span: Span, path: Option<&str>) -> Value {
    let bytes = json!({ "byteOffset": span.start, "byteLength": span.end - span.start });
    let region = if is_binary(file, report.sources.get(file.source)) {
        bytes
    } else {
        let at = position(&report.sources, file, span);
        let end = position(&report.sources, file, Span { start: span.end, end: span.end });
        json!({ "startLine": at.line, "startColumn": at.column, "endLine": end.line, "endColumn": end.column })
    };
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&file.path) }, "region": region },
    });
    if let (Some(path), Some(location)) = (path, location.as_object_mut()) {
        location.insert("logicalLocations".to_owned(), json!([{ "fullyQualifiedName": path }]));
    }
    location
}

fn result(
    writer: &Writer,
    report: &Validation,
    file: &FileReport,
    finding: &Finding,
    severity: Severity,
    rule: usize,
) -> Value {
    let mut text = finding.message.clone();
    for note in engine_notes(writer.selection, file, finding) {
        text.push('\n');
        text += &note.sentence();
    }
    let related: Vec<Value> = finding
        .related
        .iter()
        .filter_map(|related| {
            let mut location = location(report, report.files.get(related.file)?, related.span, None);
            if let Some(location) = location.as_object_mut() {
                location.insert("message".to_owned(), json!({ "text": related.message }));
            }
            Some(location)
        })
        .collect();
    json!({
        "ruleId": finding.code.id,
        "ruleIndex": rule,
        "level": level(severity),
        "message": { "text": text },
        "locations": [location(report, file, finding.first.span, finding.first.path.as_deref())],
        "relatedLocations": related,
        "occurrenceCount": finding.count,
    })
}

#[cfg(test)]
mod tests {
    use super::uri_of;

    #[test]
    fn paths_become_the_uris_of_rfc_8089() {
        let cases = [
            ("models/a b.x", false, "models/a%20b.x"),
            ("a:b\\c.x", false, "a%3Ab%5Cc.x"),
            ("/home/me/ü.x", false, "file:///home/me/%C3%BC.x"),
            ("models\\imp.md5mesh", true, "models/imp.md5mesh"),
            ("C:\\x\\a b.x", true, "file:///C:/x/a%20b.x"),
            ("\\\\?\\C:\\x.x", true, "file:///C:/x.x"),
            ("\\\\server\\share\\a.x", true, "file://server/share/a.x"),
        ];
        for (path, is_windows, uri) in cases {
            assert_eq!(uri_of(path.as_bytes(), is_windows), uri, "{path}");
        }
    }
}
