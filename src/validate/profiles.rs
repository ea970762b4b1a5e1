//! The engines, and what each of them does with each finding: two tables, `engines.tsv` and `limits.tsv`.

use super::codes::{self, Code, Group};
use super::{loaders, quake};
use std::collections::HashMap;
use std::ptr;
use std::sync::OnceLock;

/// Which files an engine reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatFamily {
    /// .md5mesh, .md5anim, .md5camera.
    Md5,
    /// .x.
    X,
    /// Declarations of id Tech 4: `.mtr`, `.skin`, `.def`.
    Decl,
}

/// How an engine's verdict is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loader {
    /// By following Doom 3's loaders step by step.
    Doom3(Doom3),
    /// By following the Quake engines' loader step by step.
    Quake(quake::Engine),
    /// By following a loader that reads the mesh first and then the clip, step by step.
    Sequential(loaders::Engine),
    /// By the answers of D3DX to each fault of a .x file.
    D3dx,
    /// By what the tables say about each finding.
    Table,
}

/// Engines that load as Doom 3 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doom3 {
    /// Doom 3 itself.
    Original,
    /// The Dark Mod: it does not swallow the character behind a block comment.
    Tdm,
    /// RBDOOM-3-BFG: a different number of joints only makes it warn, and roots are not compared.
    Rbdoom,
    /// Quake 4: it prints the numbers of joints, and bytes from 0x80 are no white space to it.
    Quake4,
}

/// One engine: a row of [`PROFILES`].
#[derive(Debug)]
pub struct Profile {
    /// What `--profile` takes.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Which files it reads.
    pub formats: &'static [FormatFamily],
    /// How its verdict is found.
    pub loader: Loader,
    /// Whether its behaviour is a guess, because its source is closed.
    pub inferred: bool,
}

const MD5: &[FormatFamily] = &[FormatFamily::Md5];
const X: &[FormatFamily] = &[FormatFamily::X];
const MD5_AND_DECLS: &[FormatFamily] = &[FormatFamily::Md5, FormatFamily::Decl];
const BOTH: &[FormatFamily] = &[FormatFamily::Md5, FormatFamily::X];

const fn md5(name: &'static str, title: &'static str, loader: Loader) -> Profile {
    Profile { name, title, formats: MD5, loader, inferred: false }
}

const fn id_tech4(name: &'static str, title: &'static str, engine: Doom3) -> Profile {
    Profile { name, title, formats: MD5_AND_DECLS, loader: Loader::Doom3(engine), inferred: false }
}

/// All engines, in the order of every report.
pub static PROFILES: [Profile; 21] = [
    md5("vkquake-1.35", "vkQuake up to 1.35.0", Loader::Quake(quake::Engine::VkQuake135)),
    md5("vkquake", "vkQuake after 1.35.0", Loader::Quake(quake::Engine::VkQuake)),
    md5("ironwail-0.8.1", "Ironwail up to 0.8.1", Loader::Quake(quake::Engine::Ironwail081)),
    md5("ironwail", "Ironwail from 0.8.2", Loader::Quake(quake::Engine::Ironwail)),
    md5("qss", "Quakespasm-Spiked and QSS-M", Loader::Quake(quake::Engine::Qss)),
    md5("fteqw", "FTEQW", Loader::Sequential(loaders::Engine::Fteqw)),
    md5("q2pro", "Q2PRO", Loader::Sequential(loaders::Engine::Q2pro)),
    md5("q2repro", "q2repro", Loader::Sequential(loaders::Engine::Q2pro)),
    md5("yquake2remaster", "yquake2remaster", Loader::Sequential(loaders::Engine::Yquake2)),
    md5("daemon", "Daemon (Unvanquished)", Loader::Sequential(loaders::Engine::Daemon)),
    md5("etlegacy", "ET:Legacy's second renderer", Loader::Sequential(loaders::Engine::EtLegacy)),
    id_tech4("doom3", "Doom 3 (dhewm3)", Doom3::Original),
    id_tech4("tdm", "The Dark Mod", Doom3::Tdm),
    id_tech4("rbdoom3bfg", "RBDOOM-3-BFG", Doom3::Rbdoom),
    id_tech4("quake4", "Quake 4", Doom3::Quake4),
    md5("cube2", "Cube 2 (Red Eclipse, libprimis)", Loader::Sequential(loaders::Engine::Cube2)),
    Profile {
        name: "assimp",
        title: "assimp after 6.0.5",
        formats: BOTH,
        loader: Loader::Sequential(loaders::Engine::Assimp),
        inferred: false,
    },
    Profile {
        name: "assimp-6.0.5",
        title: "assimp up to 6.0.5",
        formats: BOTH,
        loader: Loader::Sequential(loaders::Engine::Assimp605),
        inferred: false,
    },
    Profile { name: "kex", title: "KEX (the re-releases)", formats: MD5, loader: Loader::Table, inferred: true },
    Profile { name: "d3dx9", title: "Direct3D 9 (D3DX)", formats: X, loader: Loader::D3dx, inferred: false },
    Profile { name: "xna", title: "XNA 4.0's importer", formats: X, loader: Loader::D3dx, inferred: false },
];

impl PartialEq for Profile {
    /// Whether it is the same row.
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Profile {}

impl Profile {
    /// The engine of that name, in upper or lower case.
    pub fn find(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(name))
    }

    /// Whether its own loader of MD5 is followed step by step.
    pub fn is_followed(&self) -> bool {
        matches!(self.loader, Loader::Doom3(_) | Loader::Quake(_) | Loader::Sequential(_))
    }

    /// Whether what it makes of a code is what its followed loader says: for .x there is the table alone.
    pub fn follows(&self, code: &Code) -> bool {
        self.is_followed() && !matches!(code.group, Group::X | Group::XImport)
    }

    /// Whether it reads such files.
    pub fn reads(&self, format: FormatFamily) -> bool {
        self.formats.contains(&format)
    }

    fn index(&self) -> usize {
        PROFILES.iter().position(|profile| profile == self).unwrap_or(0)
    }
}

/// What an engine does with a finding, from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    Fine,
    /// Nothing bad, but worth knowing.
    Note,
    /// The file loads and shows something else than meant, or behaves without definition.
    Wrong,
    /// The file is not used.
    Refuses,
    /// The game is left for the console or the menu.
    Drops,
    /// The program ends.
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

    /// One sign for the matrix.
    pub fn sign(self) -> char {
        match self {
            Effect::Fine => '.',
            Effect::Note => 'i',
            Effect::Wrong => 'w',
            Effect::Refuses => 'E',
            Effect::Drops | Effect::Exits => 'X',
        }
    }

    /// What it means for a file, after an engine's name.
    pub fn in_words(self) -> &'static str {
        match self {
            Effect::Fine => "is fine with it",
            Effect::Note => "loads it",
            Effect::Wrong => "loads it incorrectly",
            Effect::Refuses => "refuses the file",
            Effect::Drops => "drops to the console",
            Effect::Exits => "exits",
        }
    }
}

/// One row of `engines.tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    /// What the engine does.
    pub effect: Effect,
    /// Its own words, braces around what varies; may be empty.
    pub says: &'static str,
    /// Where that was read.
    pub source: &'static str,
}

/// By code and engine.
type Facts = Vec<[Option<Fact>; PROFILES.len()]>;

static ENGINES: &str = include_str!("engines.tsv");
static LIMITS: &str = include_str!("limits.tsv");

/// The rows of a table: comments and the heading left out.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split('\t').collect())
}

/// `MD5[AM]101` stands for `MD5A101` and `MD5M101`.
fn expand(pattern: &str) -> impl Iterator<Item = &'static Code> {
    let split = pattern.split_once('[').and_then(|(head, rest)| Some((head, rest.split_once(']')?)));
    let ids: Vec<String> = match split {
        Some((head, (letters, tail))) => letters.chars().map(|letter| format!("{head}{letter}{tail}")).collect(),
        None => vec![pattern.to_owned()],
    };
    ids.into_iter().filter_map(|id| codes::find(&id))
}

fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let mut facts = vec![[None; PROFILES.len()]; codes::all().len()];
        for row in rows(ENGINES) {
            let [pattern, profile, effect, says, source] = row[..] else { continue };
            let effect = Effect::NAMES.iter().find(|(name, _)| *name == effect).map(|&(_, effect)| effect);
            let (Some(profile), Some(effect)) = (Profile::find(profile), effect) else { continue };
            for code in expand(pattern) {
                if let Some(slot) = facts.get_mut(code.number).and_then(|row| row.get_mut(profile.index())) {
                    *slot = Some(Fact { effect, says, source });
                }
            }
        }
        facts
    })
}

/// What an engine does with a finding; `None` where nothing is known.
pub fn fact(code: &Code, profile: &Profile) -> Option<Fact> {
    facts().get(code.number).and_then(|row| row.get(profile.index()).copied().flatten())
}

/// One row of `limits.tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited, for messages.
    pub quantity: &'static str,
    /// The engine.
    pub profile: &'static Profile,
    /// The largest number that fits.
    pub most: u64,
    /// Whether meshes are counted one by one or together.
    pub per_file: bool,
}

/// The engines' limits that belong to a code.
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
            assert!(effect != "fine" || says.is_empty(), "{row:?}: what is fine needs no words");
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
}
