//! Models that Quake's engines show when the game asks for a `.mdl`: the MD5, another replacement, or the `.mdl` itself.

use crate::checked::CheckContext;
use crate::codes::pair;
use crate::finding::{Added, EngineReport, Finding, Findings};
use crate::profiles::EngineId;
use crate::verdict::Outcome;
use bindpose_core::read;
use bindpose_parsers::Span;
use bindpose_vfs::{Order, Vfs, member, name};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// Choice of an engine between the replacements of a `.mdl`. One from a game below that of the `.mdl` is never taken.
struct Choice {
    engines: &'static [EngineId],
    /// Extensions in the order in which they are tried.
    tried: &'static [&'static str],
    /// True if the replacement from the highest game is taken, and the order decides between those of one game.
    highest_first: bool,
    /// True if a model named by game code with another extension is replaced, too.
    replaces_all: bool,
}

/// Rules with the default settings of the engines; for QSS-M with `r_replacemodels` as its menu sets it.
#[rustfmt::skip]
const CHOICES: [Choice; 4] = [
    Choice { engines: &[EngineId::VkQuake135, EngineId::VkQuake], tried: &["md3", "md5mesh"], highest_first: true, replaces_all: false },
    Choice { engines: &[EngineId::Ironwail081, EngineId::Ironwail], tried: &["md3", "md5mesh"], highest_first: false, replaces_all: false },
    Choice { engines: &[EngineId::Qss], tried: &["iqm", "md5mesh", "md3"], highest_first: false, replaces_all: true },
    Choice { engines: &[EngineId::Fteqw], tried: &["md3", "md2", "md5mesh"], highest_first: false, replaces_all: true },
];

/// Folder of Quake's models.
const MODELS: &str = "progs";
/// Folder of Quake itself, which mods extend.
const QUAKE: &str = "id1";
/// First bytes of a MD5 file as a version, which Ironwail prints.
const IDENT: u32 = u32::from_le_bytes(*b"MD5V");

/// A file, and the rank of its game.
type Ranked = (PathBuf, usize);

/// A mesh, and the files around it by which engines decide.
struct Replacement<'a> {
    path: &'a Path,
    /// The game, and the mesh's name in it.
    in_game: Option<(&'a Vfs, String)>,
}

impl<'a> Replacement<'a> {
    fn new(path: &'a Path, around: &CheckContext<'a>) -> Self {
        Self { path, in_game: around.files.and_then(|game| Some((game, game.name_of(path)?))) }
    }

    /// Returns the name that engines print.
    fn name(&self) -> String {
        self.in_game.as_ref().map_or_else(|| self.path.to_string_lossy().into_owned(), |(_, name)| name.clone())
    }

    /// Returns the file that an engine finds for the mesh's name with another extension.
    fn find(&self, extension: &str, order: Order) -> Option<Ranked> {
        match &self.in_game {
            Some((game, name)) => game.taken(Path::new(name).with_extension(extension).to_str()?, order),
            None => Some((self.path.with_extension(extension), 0)).filter(|(path, _)| read::is_file(path)),
        }
    }

    /// Returns the reason why an engine shows another model instead of the mesh when the game asks for `asked`, the `.mdl` or
    /// the mesh itself, and true if the mesh is below the `.mdl`. `None` also if it finds another mesh of the same name, which
    /// is reported by itself.
    fn passed_over(&self, engine: EngineId, choice: &Choice, (asked, rank): &Ranked) -> Option<(String, bool)> {
        let order = engine.order();
        if let Some((game, name)) = &self.in_game {
            if game.taken(name, order).is_none() {
                let pak = member::split(self.path).map_or(self.path, |(pak, _)| pak);
                return Some((format!("not loaded: {} comes after a missing pak", pak.display()), false));
            }
            if game.hidden_by(self.path, order).is_some() {
                return None;
            }
        }
        let tried = choice.tried.iter().filter_map(|extension| Some((extension, self.find(extension, order)?)));
        let mut taken: Vec<_> = tried.filter(|(_, (_, own))| own >= rank).collect();
        if choice.highest_first {
            taken.sort_by_key(|(_, (_, rank))| Reverse(*rank));
        }
        match taken.first() {
            Some((extension, _)) if **extension == "md5mesh" => None,
            Some((_, (other, _))) => Some((format!("not loaded: {} comes before the MD5", other.display()), false)),
            None => Some((format!("not loaded: {} MD5 is below {}", self.game_name(), asked.display()), true)),
        }
    }

    /// Returns the name of the mesh's game, as an owner.
    fn game_name(&self) -> String {
        let folder = self.in_game.as_ref().and_then(|(game, _)| game.games().get(game.rank(self.path)?)?.file_name());
        folder.map_or_else(|| "the".to_owned(), |folder| format!("{}'s", folder.to_string_lossy()))
    }

    /// True if Quake's own files are known, so that a `.mdl` without a file is missing.
    fn is_in_quake(&self) -> bool {
        let first = self.in_game.as_ref().and_then(|(game, _)| game.games().first()?.file_name());
        first.is_some_and(|folder| folder.eq_ignore_ascii_case(QUAKE))
    }
}

/// Reports engines that show another model than a mesh when the game asks for the `.mdl` of its name, or show it only on
/// some condition.
pub(super) fn check(path: &Path, start: Span, around: &CheckContext, findings: &mut Findings) {
    let mesh = Replacement::new(path, around);
    let name = mesh.name();
    let mut passed: Vec<(String, Vec<EngineReport>)> = Vec::new();
    let (mut has_old, mut is_off) = (false, false);
    for choice in &CHOICES {
        for &engine in choice.engines {
            let old = mesh.find("mdl", engine.order());
            let replaces = old.is_some();
            has_old |= replaces;
            let itself = || mesh.find("md5mesh", engine.order()).filter(|_| choice.replaces_all);
            let Some(asked) = old.or_else(itself) else { continue };
            let Some((message, is_below)) = mesh.passed_over(engine, choice, &asked) else {
                is_off |= replaces && engine == EngineId::Qss;
                continue;
            };
            let words = match is_below && engine == EngineId::Qss {
                true => format!("Ignoring {name} from lower priority path"),
                false => String::new(),
            };
            let report = EngineReport::new(engine.profile(), Outcome::Unused, words);
            match passed.iter_mut().find(|(known, _)| *known == message) {
                Some((_, reports)) => reports.push(report),
                None => passed.push((message, vec![report])),
            }
        }
    }
    for (message, reports) in passed {
        findings.add(pair::REPLACED, start, || message).said(reports);
    }
    if is_off {
        let message =
            || "replaces the .mdl only if r_replacemodels lists md5mesh, as the menu of QSS-M sets it".to_owned();
        let report = EngineReport::new(EngineId::Qss.profile(), Outcome::Loads, "");
        findings.add(pair::OFF_BY_DEFAULT, start, message).said(vec![report]);
    }
    if !has_old && name::folder_of(&name).rsplit('/').next() == Some(MODELS) {
        check_alone(&mesh, &name, start, findings);
    }
}

/// Reports a mesh without a `.mdl`, which only game code can name.
fn check_alone(mesh: &Replacement, name: &str, start: Span, findings: &mut Findings) {
    let message =
        || "there is no .mdl that the MD5 replaces, so the game's code must name the .md5mesh itself".to_owned();
    let Added(Some(finding)) = findings.add(pair::NO_MDL, start, message) else { return };
    let is_missing = mesh.is_in_quake();
    let outcome = if is_missing { Outcome::Exits } else { Outcome::Loads };
    let words = format!("Mod_LoadBrushModel: {name} has unsupported version number ({IDENT})");
    let report = |engine: EngineId| EngineReport::new(engine.profile(), outcome, &*words);
    finding.said = vec![report(EngineId::Ironwail081), report(EngineId::Ironwail)];
    if let Some((other, _)) = mesh.find("md3", Order::default()) {
        finding.note(format!(
            "{other} is beside it: of the .mdl, FTEQW shows the .md3; of the .md3, vkQuake and FTEQW show that, QSS-M the \
             MD5 if r_replacemodels lists md5mesh, and Ironwail exits: \"Can't load '{name}' directly\"",
            other = other.display(),
            name = Path::new(name).with_extension("md3").display(),
        ));
    }
    if !is_missing {
        finding.note("if the .mdl is in another game, name that with --base");
    }
}

/// Adds vkQuake's message to the finding that a mesh beside a `.mdl` has no image: it then shows the `.mdl`.
pub(super) fn show_old_model(path: &Path, around: &CheckContext, finding: &mut Finding) {
    let value = |name: &str| finding.values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
    let mesh = Replacement::new(path, around).name();
    let words = format!("MD5: {mesh}, no skins found for surf '{}' ({})", value("name"), value("mesh"));
    let report = |engine: EngineId| EngineReport::new(engine.profile(), Outcome::Unused, &*words);
    finding.said = vec![report(EngineId::VkQuake135), report(EngineId::VkQuake)];
}
