//! Judgement of a file, and of each finding, by an engine.
//!
//! An engine's reaction to a finding has one of two sources ([`EffectSource`]):
//!
//! - **Followed**: its loader was run step by step, and it printed a message here, stopped here, or continued with
//!   undefined behaviour.
//! - **Table**: the effect is in `engines.tsv`. It counts unchanged for `.x` files and for engines without a followed
//!   loader. For a followed loader it counts unchanged only after the position where the loader stopped
//!   ([`Finding::unreached`]), as its next fault. Before that position the loader has passed, so the finding cannot
//!   have stopped it: worse effects become notes.
//!
//! The worse of both counts. A finding that only followed engines made ([`Finding::by_engine`]) has no effect on
//! others.

use super::checked::{Checked, Outcomes};
use super::codes::{Code, Group};
use super::finding::{EngineReport, Finding, Findings};
use super::profiles::{Effect, FormatFamily, LoaderFamily, PROFILES, Profile, fact, follows};
use super::unit::{EffectSource, Judgement};
use super::verdict::{Outcome, Verdict};
use super::{Options, loaders};
use bindpose_core::import::Contents;

/// Finishes a file's findings, and judges it by the chosen engines.
pub(super) fn judge(mut file: Checked, options: &Options) -> Outcomes {
    let mut findings = std::mem::replace(&mut file.findings, Findings::new(Group::File)).finish(file.file);
    let verdict_of = |profile: &Profile| match profile.loader {
        LoaderFamily::Doom3 => Some((&file.loaded(profile.id).verdict, None)),
        _ => {
            let followed = file.followed.iter().find(|known| known.profile == profile);
            followed.map(|followed| (&followed.verdict, followed.code))
        }
    };
    let judgements = PROFILES
        .iter()
        .filter(|profile| {
            options.contains(profile) && profile.reads(FormatFamily::Md5) && reads_kind(profile, file.kind)
        })
        .map(|profile| Judgement::new(profile, &file.name, verdict_of(profile), &findings))
        .collect();
    mark_unreached(&mut findings);
    Outcomes { file: file.file, findings, motion: file.motion, judgements }
}

/// Marks findings after the position where a followed loader stopped. According to the table, they are its next faults.
fn mark_unreached(findings: &mut [Finding]) {
    for profile in PROFILES.iter().filter(|profile| profile.loader != LoaderFamily::None) {
        // A fault of a pair has no position within one file.
        let stops = |finding: &&Finding| {
            finding.code.group != Group::Pair
                && finding.said.iter().any(|said| said.profile == profile && said.outcome.stops())
        };
        let Some(stopped) = findings.iter().find(stops).map(|finding| finding.first.span.start) else { continue };
        for finding in findings.iter_mut().filter(|finding| finding.first.span.start > stopped) {
            finding.unreached.push(profile);
        }
    }
}

/// True if the engine reads files of this kind: only Doom 3's family and assimp read cameras.
fn reads_kind(profile: &Profile, kind: Contents) -> bool {
    kind != Contents::Camera || profile.loader == LoaderFamily::Doom3 || loaders::loads_clips_alone(profile.id)
}

impl Judgement {
    /// Combines the worst of the findings and a followed loader's verdict. The verdict comes with the code of the
    /// finding for which it refuses, which may be in another file.
    pub(super) fn new(
        profile: &'static Profile,
        file: &str,
        verdict: Option<(&Verdict, Option<&'static Code>)>,
        findings: &[Finding],
    ) -> Self {
        let (verdict, elsewhere) = verdict.unzip();
        let mut judgement = Judgement {
            profile,
            effect: Effect::Fine,
            source: match verdict {
                Some(_) if profile.loader != LoaderFamily::D3dx => EffectSource::Followed,
                _ => EffectSource::Table,
            },
            undefined: verdict.is_some_and(|verdict| !verdict.undefined.is_empty()),
            message: None,
            line: None,
            code: None,
        };
        let refuses = |said: &&EngineReport| said.profile == profile && said.outcome.stops();
        for finding in findings {
            let Some(effect) = finding.effect(profile).filter(|&effect| effect > judgement.effect) else { continue };
            judgement.effect = effect;
            judgement.code = Some(finding.code.id);
            if effect == Effect::Unused {
                judgement.message = Some(finding.message.clone());
            } else if effect > Effect::Wrong {
                let said = finding.said.iter().find(refuses);
                judgement.message = said.map(|said| said.message.clone());
                judgement.line = said.and_then(|said| said.line);
                if verdict.is_none() {
                    judgement.message = finding.words_of(profile, file);
                }
            }
        }
        // The loader stops here, so it does not reach equally bad findings of another file.
        if let Some((verdict, refusal)) = verdict.and_then(|verdict| Some((verdict, verdict.refusal.as_ref()?))) {
            let effect = verdict.outcome.effect();
            if effect >= judgement.effect {
                let own = findings.iter().find(|finding| finding.said.iter().any(|said| refuses(&said)));
                let code = elsewhere.flatten().or(own.map(|finding| finding.code));
                judgement.effect = effect;
                judgement.code = code.map(|code| code.id);
                judgement.message = Some(refusal.message.clone());
                judgement.line = refusal.line;
            }
        }
        judgement.message = judgement.message.filter(|message| !message.is_empty());
        judgement
    }
}

impl Finding {
    /// Returns the effect on an engine. Returns `None` if the finding does not concern it.
    pub fn effect(&self, profile: &Profile) -> Option<Effect> {
        self.verdict(profile).map(|(effect, _)| effect)
    }

    /// Returns the effect on an engine, and its source.
    pub fn verdict(&self, profile: &Profile) -> Option<(Effect, EffectSource)> {
        let said = self.said.iter().filter(|said| said.profile == profile);
        let by_loader = said.map(|said| match said.outcome {
            Outcome::Loads if said.undefined => Effect::Wrong,
            outcome => outcome.effect(),
        });
        let by_loader = by_loader.max();
        let by_table = if self.by_engine { None } else { self.table_effect(profile) };
        match by_table > by_loader {
            true => by_table.map(|effect| (effect, EffectSource::Table)),
            false => by_loader.map(|effect| (effect, EffectSource::Followed)),
        }
    }

    fn table_effect(&self, profile: &Profile) -> Option<Effect> {
        let is_concerned = self.only.as_ref().is_none_or(|only| only.contains(&profile));
        let effect = fact(self.code, profile).filter(|_| is_concerned)?.effect;
        let has_passed = follows(profile, self.code) && !self.unreached.contains(&profile);
        Some(if has_passed && effect > Effect::Wrong { Effect::Note } else { effect })
    }

    /// Returns an engine's own message for this finding in the file `file`, with the known values filled in.
    pub fn words_of(&self, profile: &Profile, file: &str) -> Option<String> {
        let said = self.said.iter().filter(|said| said.profile == profile).max_by_key(|said| said.outcome);
        if let Some(said) = said {
            return Some(said.message.clone()).filter(|message| !message.is_empty());
        }
        // A followed loader's messages are known exactly, so the table's are not used.
        if follows(profile, self.code) {
            return None;
        }
        let fact = fact(self.code, profile).filter(|fact| !fact.says.is_empty())?;
        let mut words = String::new();
        let mut rest = fact.says;
        while let Some((before, tail)) = rest.split_once('{') {
            words.push_str(before);
            let (name, tail) = tail.split_once('}')?;
            let value = self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
            let value = match name {
                "file" => Some(file),
                // All that is known.
                "words" => value.or(Some("")),
                _ => value,
            };
            words.push_str(value.unwrap_or("…"));
            rest = tail;
        }
        words.push_str(rest);
        Some(words).filter(|words| !words.is_empty())
    }
}
