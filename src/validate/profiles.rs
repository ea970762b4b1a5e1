//! Effects of findings on engines, and limits of engines, from the tables `engines.tsv` and `limits.tsv`.

use super::codes::{self, Code, Group};
use bindpose_core::suggest;
use std::collections::HashMap;
use std::sync::OnceLock;

pub use bindpose_core::engines::{EngineId, FormatFamily, LoaderFamily, PROFILES, Profile};

/// Error for an unknown engine name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine is called '{0}'; {instead}", instead = instead(.0))]
pub struct UnknownProfile(pub String);

/// Returns the name most similar to an unknown one, else all names.
fn instead(name: &str) -> String {
    let known = PROFILES.each_ref().map(|profile| profile.name);
    match suggest::nearest(name, known) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("known are all, {}", known.join(", ")),
    }
}

/// Returns the engines with these names. `all` means every engine.
pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Vec<&'static Profile>, UnknownProfile> {
    let mut found = Vec::new();
    for name in names {
        match Profile::find(name) {
            Some(profile) => found.push(profile),
            None if name.eq_ignore_ascii_case("all") => found = PROFILES.iter().collect(),
            None => return Err(UnknownProfile(name.to_owned())),
        }
    }
    Ok(found)
}

/// True if an engine's followed loader determines the effect of a code.
pub fn follows(profile: &Profile, code: &Code) -> bool {
    profile.is_followed(family_of(code))
}

/// True if a code is about decls. Their effects in the table come from the engine's source.
pub(crate) fn is_about_decls(code: &Code) -> bool {
    family_of(code) == FormatFamily::Decl
}

/// True if an engine reads the files that a code is about. Models of all formats have textures.
fn concerns(profile: &Profile, code: &Code) -> bool {
    profile.reads(family_of(code)) || code.group == Group::Texture && profile.reads(FormatFamily::X)
}

/// Returns the format that a code is about.
fn family_of(code: &Code) -> FormatFamily {
    match code.group {
        Group::X | Group::XImport => FormatFamily::X,
        Group::Pak | Group::Decl | Group::Material | Group::ImageProgram | Group::Skin | Group::Def => {
            FormatFamily::Decl
        }
        Group::Mesh
        | Group::Anim
        | Group::Camera
        | Group::Pair
        | Group::Motion
        | Group::Md5Import
        | Group::GltfImport
        | Group::Texture
        | Group::File => FormatFamily::Md5,
    }
}

/// Effect of a finding on an engine, from harmless to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The finding has no effect.
    Fine,
    /// No harm, but worth knowing.
    Note,
    /// The file loads, but looks different than intended, or causes undefined behaviour.
    Wrong,
    /// The engine does not open the file, or shows another model in its place.
    Unused,
    /// The engine opens the file, but does not use it.
    Refuses,
    /// The game returns to the console or the menu.
    Drops,
    /// The program exits.
    Exits,
}

impl Effect {
    const NAMES: [(&'static str, Effect); 6] = [
        ("fine", Effect::Fine),
        ("note", Effect::Note),
        ("wrong", Effect::Wrong),
        ("refuses", Effect::Refuses),
        ("drops", Effect::Drops),
        ("exits", Effect::Exits),
    ];

    /// Returns the sign in the matrix.
    pub fn sign(self) -> char {
        match self {
            Effect::Fine => '.',
            Effect::Note => 'i',
            Effect::Wrong => 'w',
            Effect::Unused => 'o',
            Effect::Refuses => 'E',
            Effect::Drops | Effect::Exits => 'X',
        }
    }

    /// Returns the predicate of a sentence whose subject is an engine, or several.
    pub fn in_words(self, is_of_several: bool) -> &'static str {
        let [one, several] = match self {
            Effect::Fine => ["is fine with it", "are fine with it"],
            Effect::Note => ["loads it", "load it"],
            Effect::Wrong => ["loads it incorrectly", "load it incorrectly"],
            Effect::Unused => ["shows another model", "show another model"],
            Effect::Refuses => ["refuses the file", "refuse the file"],
            Effect::Drops => ["drops to the console", "drop to the console"],
            Effect::Exits => ["exits", "exit"],
        };
        if is_of_several { several } else { one }
    }
}

/// One row of `engines.tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    /// Effect on the engine.
    pub effect: Effect,
    /// The engine's own message, with braces around variable parts. Empty if it is unknown, or stands in the loader.
    pub says: &'static str,
    /// Source of the row: revision and files.
    pub source: &'static str,
}

impl Fact {
    /// Effect on an engine without a row.
    const FINE: Self = Self { effect: Effect::Fine, says: "", source: "" };
}

/// Rows by code and engine.
type Facts = Vec<[Option<Fact>; PROFILES.len()]>;

static ENGINES: &str = include_str!("engines.tsv");
static LIMITS: &str = include_str!("limits.tsv");

/// Returns the rows of a table, without comments and heading.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split('\t').collect())
}

/// Expands `MD5[AM]101` to `MD5A101` and `MD5M101`.
fn expand(pattern: &str) -> impl Iterator<Item = &'static Code> {
    let split = pattern.split_once('[').and_then(|(head, rest)| Some((head, rest.split_once(']')?)));
    let ids: Vec<String> = match split {
        Some((head, (letters, tail))) => letters.chars().map(|letter| format!("{head}{letter}{tail}")).collect(),
        None => vec![pattern.to_owned()],
    };
    ids.into_iter().filter_map(|id| codes::find(&id))
}

/// Returns the rows as written in the table.
fn written() -> Facts {
    let mut facts = vec![[None; PROFILES.len()]; codes::all().len()];
    for row in rows(ENGINES) {
        let [pattern, profile, effect, says, source] = row[..] else { continue };
        let effect = Effect::NAMES.iter().find(|(name, _)| *name == effect).map(|&(_, effect)| effect);
        let (Some(profile), Some(effect)) = (Profile::find(profile), effect) else { continue };
        for code in expand(pattern) {
            if let Some(slot) = facts.get_mut(code.number).and_then(|row| row.get_mut(profile.id as usize)) {
                *slot = Some(Fact { effect, says, source });
            }
        }
    }
    facts
}

/// Returns the row of an engine, else of its base. The messages of an engine with closed source are unknown.
fn inherited(row: &[Option<Fact>], profile: &Profile) -> Option<Fact> {
    let own = row.get(profile.id as usize).copied().flatten();
    let from_base = || inherited(row, profile.base?.profile());
    own.or_else(from_base).map(|fact| if profile.inferred { Fact { says: "", ..fact } } else { fact })
}

/// Returns the table with the rows inherited from each engine's base. If any engine has a row for a code, other engines
/// have the effect `Fine`.
fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let mut facts = written();
        for (row, code) in facts.iter_mut().zip(codes::all()).filter(|(row, _)| row.iter().any(Option::is_some)) {
            let fine = |profile: &Profile| concerns(profile, code).then_some(Fact::FINE);
            let whole = PROFILES.each_ref().map(|profile| inherited(row, profile).or_else(|| fine(profile)));
            *row = whole;
        }
        facts
    })
}

/// Returns the effect of a finding on an engine. Returns `None` if no engine has a row for the code, or if this one
/// does not read such files.
pub fn fact(code: &Code, profile: &Profile) -> Option<Fact> {
    facts().get(code.number).and_then(|row| row.get(profile.id as usize).copied().flatten())
}

/// One row of `limits.tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Limited quantity, for messages.
    pub quantity: &'static str,
    /// Engine with this limit.
    pub profile: &'static Profile,
    /// Largest permitted number.
    pub most: u64,
    /// True if the limit applies to all meshes of a file together.
    pub per_file: bool,
}

impl Limit {
    /// Returns the message about a count above the limit.
    pub(crate) fn message(&self, count: u64) -> String {
        format!("{count} {}, but {} has room for {}", self.quantity, self.profile.name, self.most)
    }
}

/// Returns the limits of engines for a code.
pub fn limits(code: &Code) -> &'static [Limit] {
    static ALL: OnceLock<HashMap<&'static str, Vec<Limit>>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let mut limits: HashMap<&'static str, Vec<Limit>> = HashMap::new();
        for row in rows(LIMITS) {
            let [quantity, pattern, profile, most, per] = row[..] else { continue };
            let (Some(profile), Ok(most)) = (Profile::find(profile), most.parse()) else { continue };
            for code in expand(pattern) {
                let limit = Limit { quantity, profile, most, per_file: per == "file" };
                limits.entry(code.id).or_default().push(limit);
            }
        }
        limits
    });
    all.get(code.id).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_is_understood() {
        for row in rows(ENGINES) {
            let [pattern, profile, effect, says, source] = row[..] else { panic!("{row:?} has not five columns") };
            assert!(expand(pattern).next().is_some(), "no code {pattern}");
            assert!(Profile::find(profile).is_some(), "no profile {profile}");
            assert!(Effect::NAMES.iter().any(|(name, _)| *name == effect), "no effect {effect}");
            assert!(!source.is_empty(), "{row:?} has no source");
            assert!(effect != "fine" || says.is_empty(), "{row:?}: fine, but with words");
            let is_followed = |code| Profile::find(profile).is_some_and(|profile| follows(profile, code));
            assert!(says.is_empty() || !expand(pattern).any(is_followed), "{row:?} repeats words of a loader");
        }
        for row in rows(LIMITS) {
            let [_, pattern, profile, most, per] = row[..] else { panic!("{row:?} has not five columns") };
            assert!(expand(pattern).next().is_some() && Profile::find(profile).is_some(), "{row:?}");
            assert!(most.parse::<u64>().is_ok() && ["file", "mesh", "vertex", "name"].contains(&per), "{row:?}");
        }
    }

    #[test]
    fn no_pair_of_code_and_profile_has_two_rows() {
        let mut seen = std::collections::HashSet::new();
        for row in rows(ENGINES) {
            for code in expand(row[0]) {
                assert!(seen.insert((code.id, row[1])), "{} {}", code.id, row[1]);
            }
        }
    }

    #[test]
    fn no_row_repeats_what_holds_without_it() {
        let written = written();
        for (row, code) in written.iter().zip(codes::all()) {
            let is_known_by_it = row.iter().flatten().count() == 1;
            for profile in PROFILES.iter().filter(|_| !is_known_by_it) {
                let Some(own) = row.get(profile.id as usize).copied().flatten() else { continue };
                let base = profile.base.and_then(|base| inherited(row, base.profile())).unwrap_or(Fact::FINE);
                let same_words = own.says == base.says || profile.inferred;
                assert!(own.effect != base.effect || !same_words, "{} {}", code.id, profile.name);
            }
        }
    }

    #[test]
    fn an_engine_without_a_row_does_as_its_base() {
        let effect = |code: &str, id: EngineId| fact(codes::find(code).unwrap(), id.profile()).map(|fact| fact.effect);
        // Quakespasm-Spiked and vkQuake 1.35 exit as Ironwail 0.8.1 does. Current Ironwail continues.
        assert_eq!(effect("MD5M001", EngineId::Qss), Some(Effect::Exits));
        assert_eq!(effect("MD5M001", EngineId::VkQuake135), Some(Effect::Exits));
        assert_eq!(effect("MD5M001", EngineId::Kex), Some(Effect::Refuses), "that of its base");
        assert_eq!(effect("MD5M002", EngineId::Cube2), Some(Effect::Fine), "no row and no base");
        assert_eq!(effect("MD5M002", EngineId::Xna), None, "does not read meshes");
    }
}
