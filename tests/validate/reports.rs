//! Reports: expected texts in tests/cases/validate/expected, and the two schema files.
//!
//! `BINDPOSE_WRITE_EXPECTED=1` updates the texts. Review them before committing.

use bindpose::diagnostic::Severity;
use bindpose::read::ReadError;
use bindpose::validate::profiles::Profile;
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{Input, Options, Validation, check};
use codespan_reporting::term::termcolor::NoColor;
use serde_json::Value;
use std::path::{Path, PathBuf};

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");
const X: &str = include_str!("../cases/validate/base.x");

fn edited(text: &str, edits: &[(&str, &str)]) -> Vec<u8> {
    let edit = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from:?} is not in the file");
        text.replacen(from, to, 1)
    };
    edits.iter().fold(text.to_owned(), edit).into_bytes()
}

/// Validates files with a fault of every kind of message: a syntax error, two files that disagree, repeats, a wrong
/// count.
fn reports() -> Vec<Validation> {
    let file = |path: &str, bytes: Vec<u8>| Input { path: PathBuf::from(path), bytes: Ok(bytes) };
    let together = Options { together: true, ..Options::default() };
    let pair = vec![
        file(
            "models/hero.md5mesh",
            edited(MESH, &[("weight 4 1 0.5", "weight 4 99 0.5"), ("vert 2 ( 1 1", "vert 2 ( l 1")]),
        ),
        file("models/walk.md5anim", ANIM.into()),
    ];
    let renamed = vec![
        file("models/rat.md5mesh", edited(MESH, &[("\"bone\"", "\"tip\""), ("weight 3 0 0.5", "weight 3 0 0.4")])),
        file("models/run.md5anim", ANIM.into()),
    ];
    let x = vec![
        file("models/tree.x", edited(X, &[("    4;\n    0,\n", "    7;\n    0,\n")])),
        file("models/odd, 100%.x", edited(X, &[("12;4;", "99;4;"), ("0.75,\n", "0.5,\n")])),
        Input {
            path: "models/gone.x".into(),
            bytes: Err(ReadError::Io { path: "models/gone.x".into(), error: std::io::ErrorKind::NotFound.into() }),
        },
    ];
    vec![check(pair, &together), check(renamed, &together), check(x, &Options::default())]
}

fn written(style: Style, selection: &Selection, least: Severity, reports: &[Validation]) -> String {
    let mut out = NoColor::new(Vec::new());
    let mut writer = Writer::new(style, selection, least, &mut out).expect("memory takes everything");
    for report in reports {
        writer.add(report).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything");
    String::from_utf8(out.into_inner()).expect("UTF-8")
}

fn hold(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/validate/expected").join(name);
    if std::env::var_os("BINDPOSE_WRITE_EXPECTED").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(&path, found).expect("writable");
        return;
    }
    let expected = std::fs::read_to_string(&path).expect("an expected text").replace("\r\n", "\n");
    assert_eq!(found, expected, "{name}; BINDPOSE_WRITE_EXPECTED=1 writes it again");
}

fn engines(names: &[&str]) -> Selection {
    let profiles = names.iter().map(|name| Profile::find(name).expect("a profile")).collect();
    Selection { profiles, ..Selection::default() }
}

#[test]
fn reports_describe_the_behaviour_of_engines() {
    let reports = reports();
    let shown = written(Style::Human, &Selection::default(), Severity::Warning, &reports);
    hold("human.txt", &shown);
    let selection = engines(&["vkquake", "ironwail", "doom3", "kex", "xna"]);
    hold("human-engines.txt", &written(Style::Human, &selection, Severity::Hint, &reports));
}

#[test]
fn short_reports_have_a_line_for_each_place() {
    hold("short.txt", &written(Style::Short, &Selection::default(), Severity::Warning, &reports()));
}

#[test]
fn annotations_for_github() {
    hold("github.txt", &written(Style::Github, &Selection::default(), Severity::Warning, &reports()));
}

/// Removes the version, because the expected text would change with every release.
fn without_version(mut value: Value, pointer: &str) -> Value {
    *value.pointer_mut(pointer).expect("a version") = Value::Null;
    value
}

#[test]
fn json_reports_are_as_documented() {
    let text = written(Style::Json, &Selection::default(), Severity::Warning, &reports());
    let value: Value = serde_json::from_str(&text).expect("JSON");
    check_schema("docs/validate.schema.json", &value);
    hold("report.json", &format!("{:#}\n", without_version(value, "/tool/version")));
    let empty: Value =
        serde_json::from_str(&written(Style::Json, &engines(&["doom3"]), Severity::Hint, &[])).expect("JSON");
    check_schema("docs/validate.schema.json", &empty);
}

#[test]
fn sarif_reports_are_as_documented() {
    let text = written(Style::Sarif, &Selection::default(), Severity::Warning, &reports());
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    check_schema("docs/validate-sarif.schema.json", &value);
    // Every result names its rule by number and by id.
    let rules = value["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
    let results = value["runs"][0]["results"].as_array().expect("results");
    assert!(rules.iter().all(|rule| results.iter().any(|result| result["ruleId"] == rule["id"])), "{rules:?}");
    for result in value["runs"][0]["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(result["ruleId"], rules[index]["id"]);
    }
    value["runs"][0]["tool"]["driver"]["rules"] = Value::Null;
    hold("report.sarif", &format!("{:#}\n", without_version(value, "/runs/0/tool/driver/version")));
}

#[test]
fn selected_codes_are_reported_as_configured() {
    let reports = reports();
    let codes = |selection: &Selection| -> Vec<(String, String)> {
        let text = written(Style::Json, selection, Severity::Hint, &reports);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let files = value["files"].as_array().expect("files").iter();
        let findings = files.flat_map(|file| file["findings"].as_array().expect("findings"));
        let word = |value: &Value| value.as_str().expect("a word").to_owned();
        findings.map(|finding| (word(&finding["code"]), word(&finding["severity"]))).collect()
    };
    let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let only = codes(&Selection { only: list(&["XF048", "xf1"]), ..Selection::default() });
    assert!(only.len() >= 2 && only.iter().all(|(code, _)| code == "XF048" || code.starts_with("XF1")), "{only:?}");
    let left = codes(&Selection { ignore: list(&["XF", "MD5", "TEX"]), ..Selection::default() });
    assert_eq!(left, [("IO001".to_owned(), "error".to_owned())]);
    let turned = codes(&Selection {
        only: list(&["XF048", "XF097"]),
        error: list(&["weight-sum"]),
        warn: list(&["XF048"]),
        ..Selection::default()
    });
    let expected = [("XF048", "warning"), ("XF097", "error")].map(|(code, level)| (code.to_owned(), level.to_owned()));
    assert_eq!(turned, expected);
}

/// Checks a document against a schema, using only the keywords of the two files.
fn check_schema(file: &str, document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON");
    let mut faults = Vec::new();
    hold_to(&schema, &schema, document, "", &mut faults);
    assert!(faults.is_empty(), "{file}:\n{}", faults.join("\n"));
}

fn hold_to(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "$defs" => {}
            "$ref" => {
                let target = rule.as_str().and_then(|rule| root.pointer(rule.trim_start_matches('#')));
                hold_to(root, target.expect("a definition"), value, at, faults);
            }
            "const" if rule != value => faults.push(format!("{at}: {value}, expected {rule}")),
            "enum" if !rule.as_array().expect("a list").contains(value) => {
                faults.push(format!("{at}: {value} is none of {rule}"));
            }
            "minimum" if value.as_i64() < rule.as_i64() => faults.push(format!("{at}: {value} is less than {rule}")),
            "const" | "enum" | "minimum" => {}
            "type" => {
                let fits = match rule.as_str().expect("a word") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    other => panic!("unknown type {other}"),
                };
                if !fits {
                    faults.push(format!("{at}: {value} is no {rule}"));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    hold_to(root, rule, item, &format!("{at}/{index}"), faults);
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("an object") {
                    if let Some(value) = value.get(name) {
                        hold_to(root, rule, value, &format!("{at}/{name}"), faults);
                    }
                }
            }
            "required" => {
                let names = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                let missing = names.filter(|name| value.get(name).is_none());
                faults.extend(missing.map(|name| format!("{at}: {name} is missing")));
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().expect("properties");
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                let unknown = names.filter(|name| !known.contains_key(*name));
                faults.extend(unknown.map(|name| format!("{at}: {name} is not in the schema")));
            }
            other => panic!("the checker does not know {other}"),
        }
    }
}

#[test]
fn the_schema_checker_finds_faults() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "list": { "type": "array", "items": { "$ref": "#/$defs/line" } } },
        "required": ["list"],
        "additionalProperties": false,
        "$defs": { "line": { "type": "integer", "minimum": 1 } },
    });
    let faults = |value: Value| {
        let mut faults = Vec::new();
        hold_to(&schema, &schema, &value, "", &mut faults);
        faults.len()
    };
    assert_eq!(faults(serde_json::json!({ "list": [1, 2] })), 0);
    assert_eq!(faults(serde_json::json!({ "list": [0, "1"] })), 3);
    assert_eq!(faults(serde_json::json!({ "other": 1 })), 2);
}
