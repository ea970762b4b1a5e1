//! Findings, verdicts, matrix and exit code agree, whatever is wrong with a file, and one cause is one error.

use crate::support;
use bindpose::diagnostic::Severity;
use bindpose::import::{Contents, Format};
use bindpose::validate::profiles::{Effect, PROFILES, Profile, follows};
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{Input, Options, Validation, check};
use codespan_reporting::term::termcolor::NoColor;
use serde_json::Value;
use std::path::PathBuf;

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");
const X: &str = include_str!("../cases/validate/base.x");

/// Largest size of real files to damage, in bytes. Larger ones would take too long.
const LARGEST: usize = 60_000;

/// A file with a name, and the files next to it.
struct Subject {
    name: &'static str,
    text: Vec<u8>,
    beside: Option<(&'static str, Vec<u8>)>,
}

fn subjects() -> Vec<Subject> {
    let pair = |name, text: &str, other, beside: &str| Subject {
        name,
        text: text.into(),
        beside: Some((other, beside.as_bytes().to_vec())),
    };
    let mut subjects = vec![
        pair("m.md5mesh", MESH, "m.md5anim", ANIM),
        pair("m.md5anim", ANIM, "m.md5mesh", MESH),
        Subject { name: "m.x", text: X.into(), beside: None },
    ];
    for (extension, name) in [("md5mesh", "m.md5mesh"), ("md5anim", "m.md5anim"), ("x", "m.x")] {
        let folders = support::real_folders();
        let paths = folders.iter().flat_map(|folder| support::smallest_of_each(folder, &[extension]));
        let texts = paths.map(|path| std::fs::read(path).expect("a real file"));
        let small = texts.filter(|text| text.len() < LARGEST);
        subjects.extend(small.map(|text| Subject { name, text, beside: None }));
    }
    println!("{} files are damaged", subjects.len());
    subjects
}

/// Applies one damage; `number` selects the line and the change.
pub fn damaged(text: &[u8], number: usize) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    // A step that is coprime to the number of lines reaches all of them.
    let at = (number * 7919 + 13) % lines.len();
    let line = lines[at].clone();
    let words: Vec<&[u8]> = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).collect();
    let word = words.get(number % words.len().max(1)).map(|word| word.to_vec()).unwrap_or_default();
    let instead = |new: &[u8]| -> Vec<u8> {
        let start = line.windows(word.len().max(1)).position(|part| part == word).unwrap_or(0);
        [&line[..start], new, &line[start + word.len()..]].concat()
    };
    match number % 9 {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, line),
        2 => lines[at] = instead(b""),
        3 => lines[at] = instead(&[&word[..], b" ", &word].concat()),
        4 => lines[at] = instead(b"nan"),
        5 => lines[at] = instead(b"9999"),
        6 => lines[at] = instead(b"-7"),
        7 => lines[at] = instead(b"}"),
        _ => lines.truncate(at + 1),
    }
    lines.join(&b'\n')
}

fn report(subject: &Subject, number: usize) -> Validation {
    let mut inputs = vec![Input { path: PathBuf::from(subject.name), bytes: Ok(damaged(&subject.text, number)) }];
    let beside = subject.beside.iter();
    inputs.extend(beside.map(|(name, bytes)| Input { path: PathBuf::from(name), bytes: Ok(bytes.clone()) }));
    check(inputs, &Options::default())
}

fn written(style: Style, profiles: &[&'static Profile], report: &Validation) -> String {
    let selection = Selection { profiles: profiles.to_vec(), ..Selection::default() };
    let mut out = NoColor::new(Vec::new());
    let mut writer = Writer::new(style, &selection, Severity::Hint, &mut out).expect("memory");
    writer.add(report).expect("memory");
    writer.finish().expect("memory");
    String::from_utf8(out.into_inner()).expect("UTF-8")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn stops(effect: &Value) -> bool {
    ["refuses", "drops", "exits"].iter().any(|name| effect == name)
}

/// Returns the contradictions within a report.
fn contradictions(report: &Value) -> Vec<String> {
    let files = list(report, "files");
    let mut wrong = Vec::new();
    let mut any_invalid = false;
    for file in files {
        let findings = list(file, "findings");
        let asked = list(report, "profiles");
        let has_errors = findings.iter().any(|finding| finding["severity"] == "error");
        let verdicts = list(file, "verdicts").iter().filter(|verdict| asked.contains(&verdict["profile"]));
        let refusals: Vec<&Value> = verdicts.filter(|verdict| verdict["loads"] == false).collect();
        any_invalid |= file["valid"] == false;
        if (file["valid"] == true) == (has_errors || !refusals.is_empty()) {
            wrong.push(format!("valid is {}, errors: {has_errors}, refusals: {}", file["valid"], refusals.len()));
        }
        // Every refusal has a finding, here or in the model's other file.
        for verdict in &refusals {
            let is_reason = |finding: &&Value| {
                let mut engines = list(finding, "engines").iter();
                finding["code"] == verdict["code"]
                    && engines.any(|engine| engine["profile"] == verdict["profile"] && stops(&engine["effect"]))
            };
            if !files.iter().flat_map(|file| list(file, "findings")).any(|finding| is_reason(&finding)) {
                wrong.push(format!("{} refuses for {}, which no finding says", verdict["profile"], verdict["code"]));
            }
        }
        for finding in findings {
            for engine in list(finding, "engines") {
                let refuses = refusals.iter().any(|verdict| verdict["profile"] == engine["profile"]);
                if stops(&engine["effect"]) && !refuses {
                    wrong.push(format!(
                        "{} stops at {}, and its verdict is another",
                        engine["profile"], finding["code"]
                    ));
                }
                if stops(&engine["effect"]) && finding["severity"] != "error" {
                    wrong.push(format!("{} stops at {}, which is no error", engine["profile"], finding["code"]));
                }
            }
        }
        // One cause, one error: damage is on one line. Missing content of a .x file is counted in several objects.
        let is_x = file["path"].as_str().is_some_and(|path| path.ends_with(".x"));
        // A missing clip has no line.
        let is_error = |finding: &&Value| finding["severity"] == "error" && finding["code"] != "MD5P006";
        let errors: Vec<&Value> = findings.iter().filter(is_error).collect();
        for (number, error) in errors.iter().enumerate() {
            let is_syntax = |finding: &Value| finding["code"].as_str().is_some_and(|code| code.ends_with("008"));
            for other in errors.iter().skip(number + 1).filter(|other| other["line"] == error["line"]) {
                if is_x && !is_syntax(error) && !is_syntax(other) {
                    continue;
                }
                let (a, b) = (&error["message"], &other["message"]);
                wrong.push(format!("line {}: {} {a} beside {} {b}", error["line"], error["code"], other["code"]));
            }
        }
    }
    let has_errors = report["summary"]["errors"].as_u64() > Some(0);
    if has_errors != any_invalid {
        wrong.push(format!("the exit code is 1: {has_errors}, a file is invalid: {any_invalid}"));
    }
    wrong
}

/// Returns the numbers of a file's damages: ninety in the full run, otherwise a third of them, with each kind.
fn numbers(subject: usize) -> impl Iterator<Item = usize> {
    (0..90).filter(move |number| support::is_sampled(number / 9, subject, 3))
}

#[test]
fn nothing_in_a_report_contradicts_the_rest() {
    let all: Vec<&'static Profile> = PROFILES.iter().collect();
    let mut wrong = Vec::new();
    for (index, subject) in subjects().into_iter().enumerate() {
        for number in numbers(index) {
            let report = report(&subject, number);
            for profiles in [&[][..], &all] {
                let value = serde_json::from_str(&written(Style::Json, profiles, &report)).expect("JSON");
                let found = contradictions(&value);
                wrong.extend(found.into_iter().map(|what| format!("{} damage {number}: {what}", subject.name)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} in all\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn findings_of_followed_engines_affect_no_engine_of_the_table() {
    for (index, subject) in subjects().into_iter().enumerate() {
        for number in numbers(index) {
            let report = report(&subject, number);
            for finding in report.files.iter().flat_map(|file| &file.findings).filter(|finding| finding.by_engine) {
                for profile in PROFILES.iter().filter(|profile| !follows(profile, finding.code)) {
                    let effect = finding.effect(profile);
                    assert_eq!(effect, None, "{} damage {number}: {} {}", subject.name, finding.code.id, profile.name);
                }
            }
        }
    }
}

#[test]
fn engines_do_not_load_files_that_they_refuse() {
    for (index, subject) in subjects().into_iter().enumerate() {
        for number in numbers(index) {
            let report = report(&subject, number);
            for profile in ["doom3", "vkquake", "ironwail", "daemon", "q2pro", "d3dx9"] {
                let profile = Profile::find(profile).expect("a profile");
                let refuses = report.files.iter().all(|file| {
                    let judgement = file.judgements.iter().find(|judgement| judgement.profile == profile);
                    judgement.is_some_and(|judgement| judgement.effect > Effect::Wrong)
                });
                let text = written(Style::Human, &[profile], &report);
                let loads = format!("{} loads it", profile.name);
                assert!(!refuses || !text.contains(&loads), "{} damage {number}:\n{text}", subject.name);
            }
        }
    }
}

/// `--as ENGINE` asks the engine's loader alone, and checks only what that does not load.
#[test]
fn an_engines_loader_alone_says_the_same() {
    let (mut loaded, mut refused) = (0, 0);
    for (index, subject) in subjects().into_iter().enumerate() {
        for number in numbers(index) {
            let report = report(&subject, number);
            let sources: Vec<_> = report.sources.ids().map(|id| report.sources.get(id)).collect();
            let kinds: Vec<_> = report.files.iter().map(|file| file.kind.format()).collect();
            let is_model = |format: &Option<Format>| matches!(format, Some(Format::X | Format::Md5(Contents::Model)));
            let Some(model) = kinds.iter().position(is_model) else { continue };
            // Reports keep only the unpacked bytes, and loaders judge the packed ones.
            if report.files[model].is_unpacked {
                continue;
            }
            let clips = sources.iter().zip(&kinds).filter(|(_, kind)| **kind == Some(Format::Md5(Contents::Clip)));
            let clips: Vec<_> = clips.map(|(source, _)| *source).collect();
            let format = kinds[model].expect("a model's format");
            for profile in PROFILES.iter().filter(|profile| format.family().is_some_and(|it| profile.is_followed(it))) {
                let judgements = report.files.iter().flat_map(|file| &file.judgements);
                let effects = judgements.filter(|judgement| judgement.profile == profile).map(|it| it.effect);
                let refuses = effects.max() > Some(Effect::Wrong);
                let loads = bindpose::validate::loads(profile.id, format, sources[model], &clips);
                assert_eq!(loads, !refuses, "{} damage {number}: {}", subject.name, profile.name);
                if loads { loaded += 1 } else { refused += 1 }
            }
        }
    }
    assert!(loaded > 1000 && refused > 1000, "{loaded} loaded, {refused} refused");
}

/// A weight, an offset, and a joint's position and rotation that are not numbers. The errors of the vertices that they
/// move are consequences.
#[test]
fn an_invalid_number_is_one_finding() {
    let codes = |text: &str| {
        let input = Input { path: PathBuf::from("m.md5mesh"), bytes: Ok(text.as_bytes().to_vec()) };
        let report = written(Style::Json, &[], &check(vec![input], &Options::default()));
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let findings = list(&report, "files").iter().flat_map(|file| list(file, "findings"));
        findings.map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect::<Vec<_>>()
    };
    let known = codes(MESH);
    for (from, to) in [
        ("weight 2 0 1 ", "weight 2 0 nan "),
        ("weight 4 1 0.5", "weight 4 1 nan"),
        ("( 8 8 0 )", "( 8 -nan 0 )"),
        ("( 8 8 0 )", "( 8 -nan(ind) 0 )"),
        ("( -8 0 -10 )", "( -8 0 1.#IND )"),
        ("( 0 0 10 )", "( 0 0 inf )"),
        ("( 0 0 0.7071067691 )", "( 0 0 nan )"),
    ] {
        assert!(MESH.contains(from), "{from}");
        let mut found = codes(&MESH.replace(from, to));
        found.retain(|code| !known.contains(code));
        assert_eq!(found, ["MD5M012"], "{to}");
    }
}
