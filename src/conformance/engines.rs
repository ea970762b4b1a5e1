//! Results of known engines for a file, by following their loaders.

use crate::library;
use crate::reading::{Comparison, compare};
use crate::suite::{Case, Load};
use bindpose_core::engines::{Engine, EngineId, FormatFamily, LoaderFamily, Profile};
use bindpose_parsers::md5::{parse_anim, parse_mesh};
use bindpose_validate::profiles::Effect;
use bindpose_validate::{EffectSource, Input, Judgement, Options, check};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Results by the engine's name.
pub type Answers = BTreeMap<&'static str, Answer>;

/// An engine's result for a file: its behaviour and its message.
pub struct Answer {
    outcome: Outcome,
    words: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Loads,
    Misreads,
    Refuses,
    Exits,
}

impl fmt::Display for Answer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.outcome {
            Outcome::Loads => "loads",
            Outcome::Misreads => "misreads",
            Outcome::Refuses => "refuses",
            Outcome::Exits => "exits",
        })?;
        self.words.as_ref().map_or(Ok(()), |words| write!(out, ": {words}"))
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Follows the loaders of all engines that read this kind of file. `companion` is the file that the case names.
pub fn answers(case: &Case, companion: Option<&Case>) -> Answers {
    let mut files = vec![(PathBuf::from(&case.file), case.bytes.clone())];
    files.extend(companion.map(|with| (PathBuf::from(&with.file), with.bytes.clone())));
    // Quake's engines only read a mesh together with the clip of its name.
    if case.file.ends_with(".md5mesh") {
        files.push((PathBuf::from(&case.file).with_extension("md5anim"), still(&case.bytes).into_bytes()));
    }
    let inputs = files.into_iter().map(|(path, bytes)| Input { path, bytes: Ok(bytes) }).collect();
    let report = check(inputs, &Options { together: true, ..Options::default() });
    let judgements = report.files.first().map_or(&[][..], |file| &file.judgements);
    let format = if case.file.ends_with(".x") { FormatFamily::X } else { FormatFamily::Md5 };
    let is_known = |profile: &Profile| profile.is_followed(format) || profile.loader == LoaderFamily::D3dx;
    let known = judgements.iter().filter(|judgement| is_known(judgement.profile));
    let answer = |judgement: &Judgement| {
        let outcome = match judgement.effect {
            Effect::Refuses | Effect::Drops => Outcome::Refuses,
            Effect::Exits => Outcome::Exits,
            // Direct3D's loader is not followed: its refusals are listed.
            _ if judgement.source == EffectSource::Table => Outcome::Loads,
            Effect::Wrong if judgement.undefined || !judgement.code.is_some_and(is_about_the_author) => {
                Outcome::Misreads
            }
            _ if plays_otherwise(case, companion, judgement.profile) => Outcome::Misreads,
            Effect::Fine | Effect::Note | Effect::Wrong | Effect::Unused => Outcome::Loads,
        };
        (judgement.profile.name, Answer { outcome, words: judgement.message.as_ref().map(ToString::to_string) })
    };
    known.map(answer).collect()
}

impl Answer {
    /// Returns true if the engine keeps the case's rule, false if it breaks it; `None` if it refuses a file that it may
    /// refuse.
    pub fn keeps(&self, case: &Case) -> Option<bool> {
        let loads = self.outcome == Outcome::Loads;
        let shows = loads || self.outcome == Outcome::Misreads;
        match case.load {
            Load::Must => Some(loads),
            Load::May => shows.then_some(loads || case.meaning.is_none()),
            Load::No => Some(!shows),
        }
    }
}

/// True for codes of `validate` about files that look like mistakes although engines read them as written.
fn is_about_the_author(code: &str) -> bool {
    ["MD5M011", "MD5M204", "MD5M211", "MD5M214", "MD5A033", "MD5A220"].contains(&code)
}

/// Programs that read `.x` files without clips.
const WITHOUT_CLIPS: [EngineId; 2] = [EngineId::OpenBve, EngineId::OpenBveAssimp];

/// All versions of assimp.
const ASSIMP: [EngineId; 2] = [EngineId::Assimp, EngineId::Assimp605];

/// Tolerance for vertices of engines, many of which store weights as bytes.
const PRECISION_OF_ENGINES: f64 = 0.05;

/// True if an engine that loads a file shows other vertices than the suite expects, as far as its playback is known.
fn plays_otherwise(case: &Case, companion: Option<&Case>, profile: &Profile) -> bool {
    let Some(meaning) = &case.meaning else { return false };
    if meaning.poses.iter().any(|pose| pose.time.is_some()) && WITHOUT_CLIPS.contains(&profile.id) {
        return true;
    }
    let played = match ASSIMP.contains(&profile.id) {
        true => without_rate(case).map(|clip| library::read(&clip, companion, None)),
        false => Engine::of(profile.id).map(|engine| library::read(case, companion, Some(engine))),
    };
    let Some(mut shown) = played else { return false };
    // Some engines play without joints, or with the clip's joints.
    shown.reading.joints = None;
    shown.reading.poses.iter_mut().for_each(|pose| pose.joints = None);
    let tolerance = case.tolerance.max(PRECISION_OF_ENGINES);
    shown.loads && matches!(compare(meaning, &shown.reading, case.about, tolerance), Comparison::Differs(_))
}

/// Returns a clip as assimp plays it if it does not find the rate: 24 frames per second
/// (docs/formats/engines.md "Words and order").
fn without_rate(clip: &Case) -> Option<Case> {
    let rate = parse_anim(&clip.bytes).ok()?.document.frame_rate_span.range();
    let before = &clip.bytes[..rate.start];
    let is_found = [&b"\n\nframeRate "[..], b"\r\nframeRate "].iter().any(|line| before.ends_with(line));
    if rate.is_empty() || is_found {
        return None;
    }
    let mut played = clip.clone();
    played.bytes.splice(rate, *b"24");
    Some(played)
}

/// Returns a clip of one frame for the joints of a mesh, all of them animated.
fn still(mesh: &[u8]) -> String {
    let joints: Vec<(String, i64)> = match parse_mesh(mesh) {
        Ok(parsed) => parsed.document.joints.iter().map(|joint| (joint.name.to_name(), joint.parent.value)).collect(),
        Err(_) => vec![("origin".to_owned(), -1), ("tip".to_owned(), 0)],
    };
    let row = |(number, (name, parent)): (usize, &(String, i64))| format!("\t\"{name}\" {parent} 63 {}\n", 6 * number);
    let hierarchy: String = joints.iter().enumerate().map(row).collect();
    let count = joints.len();
    format!(
        "MD5Version 10\ncommandline \"\"\n\nnumFrames 1\nnumJoints {count}\nframeRate 24\nnumAnimatedComponents {}\n\n\
         hierarchy {{\n{hierarchy}}}\n\nbounds {{\n\t( -500 -500 -500 ) ( 500 500 500 )\n}}\n\n\
         baseframe {{\n{}}}\n\nframe 0 {{\n{}}}\n",
        6 * count,
        "\t( 0 0 0 ) ( 0 0 0 )\n".repeat(count),
        "\t0 0 0 0 0 0\n".repeat(count)
    )
}
