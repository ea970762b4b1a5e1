//! Checks of id Tech 4's decl files and archives: content that an engine ignores, and missing things that they name.

mod archives;
mod entities;
mod faults;
mod images;
mod models;
pub(super) mod spawn;
mod words;

pub(super) use archives::{check_archive, hidden, is_checked, is_model_or_clip};
use faults::is_cut_name;
use images::KnownImage;
use models::KnownClip;

use super::checks::text::{UTF_16, is_utf16, other_content};
use super::codes::{Group, Rule, decl as of_decl, def, file, image, material, skin};
use super::finding::{EngineReport, Finding, Findings};
use super::profiles::{FormatFamily, PROFILES};
use super::taint::Part;
use super::verdict::Outcome;
use bindpose_core::budget::Budget;
use bindpose_core::game::decls::{LISTED, listed_memory};
use bindpose_core::game::entity::nearest_name;
use bindpose_core::game::images::precompressed_name;
use bindpose_core::game::{Decls, LooksFrom};
use bindpose_core::image_search::{ImageFinder, has_shader, skin_rows};
use bindpose_core::{read, suggest};
use bindpose_parsers::decl::{
    Decl, DeclKind, Fault, FaultKind, ImageProgram, Map, Word, parse_file, parse_material, parse_skin, parse_table,
};
use bindpose_parsers::md5::{self, MeshFile};
use bindpose_parsers::{Span, counted, decl};
use bindpose_vfs::{member, name};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Largest number of tried paths that a message names.
const TRIED_NAMED: usize = 6;

/// Returns the kind of the decls without a type word in a file: by its folder, else by its extension.
pub(super) fn folder_kind(path: &Path) -> Option<DeclKind> {
    let by_extension = match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "mtr" => DeclKind::Material,
        "skin" => DeclKind::Skin,
        "def" => DeclKind::EntityDef,
        "af" => DeclKind::Ragdoll,
        _ => return None,
    };
    Some(in_folder(path).unwrap_or(by_extension))
}

/// Returns the kind of a decl file in a folder where an engine looks for such files.
pub(super) fn in_folder(path: &Path) -> Option<DeclKind> {
    let folder = read::folder_of(path);
    let folder = match member::split(&folder) {
        Some((_, inside)) => inside.to_owned(),
        None => folder.file_name()?.to_string_lossy().into_owned(),
    };
    kind_in(&folder, path.extension()?.to_str()?)
}

/// Returns the kind of a decl file with this extension in a folder of the game.
fn kind_in(folder: &str, extension: &str) -> Option<DeclKind> {
    let kind = DeclKind::of_folder(&name::fold(folder))?;
    let is_due = matches!(
        (kind, extension.to_ascii_lowercase().as_str()),
        (DeclKind::Material, "mtr")
            | (DeclKind::Skin, "skin")
            | (DeclKind::EntityDef, "def")
            | (DeclKind::Ragdoll, "af")
    );
    is_due.then_some(kind)
}

/// Checks a decl file. With `game`, also the names in it.
pub(super) fn check(path: &Path, bytes: &[u8], kind: DeclKind, around: &DeclContext, budget: &Budget) -> Vec<Finding> {
    let mut findings = Findings::new(Group::Decl);
    if is_quake3_skin(kind, bytes) {
        findings.add(skin::QUAKE3_SKIN, Span::new(0, 0), || {
            "lines of surfaces and shaders: a skin of Quake III's heirs, which id Tech 4 does not read".to_owned()
        });
        check_quake3_skin(path, bytes, around, budget, &mut findings);
        return findings.finish(0);
    }
    if let Some((what, advice)) = is_utf16(bytes).then_some(UTF_16).or_else(|| other_content(bytes)) {
        findings.add(of_decl::DECL_HEAD, Span::new(0, 0), || format!("the file is {what}")).remedy(advice);
        return findings.finish(0);
    }
    if let Err(error) = budget.spend(listed_memory(bytes), || LISTED.to_owned()) {
        findings.add(file::TOO_MUCH_MEMORY, Span::new(0, 0), || error.to_string());
        return findings.finish(0);
    }
    let file = parse_file(bytes, kind);
    let mut checker = Checker {
        game: around.game,
        around,
        budget,
        findings: &mut findings,
        bytes,
        meshes: HashMap::new(),
        clips: HashMap::new(),
        images: HashMap::new(),
    };
    for fault in &file.faults {
        checker.file_fault(fault);
    }
    for decl in &file.decls {
        let end = if file.decls.last() == Some(decl) { u32::MAX } else { decl.body.end.saturating_sub(1) };
        if !checker.findings.broken.within(&[Part::Text], Span { start: decl.name_span.start, end }) {
            checker.decl(decl);
        }
    }
    if let Some(game) = around.game {
        let shadowed = around.shadowed.get(path).into_iter().flatten();
        add_shadowed(game, shadowed.copied(), &mut findings);
    }
    findings.finish(0)
}

/// True if a `.skin` is in Quake III's format: `surface,shader` on each line.
fn is_quake3_skin(folder: DeclKind, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).peekable();
    folder == DeclKind::Skin && lines.peek().is_some() && !bytes.contains(&b'{') && lines.all(|line| line.contains(','))
}

/// Data shared by the checks of all decl files.
pub(super) struct DeclContext<'a> {
    game: Option<&'a Decls>,
    images: &'a ImageFinder,
    /// Number of surfaces of each mesh by path. `None` for other files.
    surfaces: Mutex<HashMap<PathBuf, Option<usize>>>,
    /// Folders of the game with files in them.
    folders: OnceLock<BTreeSet<String>>,
    /// Indices of the hidden decls in [`Decls::shadowed`], by file.
    shadowed: HashMap<&'a Path, Vec<usize>>,
    /// Canonical words that an unclosed block, a comment or a misspelt type hides.
    swallowed: OnceLock<HashSet<String>>,
    /// True for the model decls that the engine ignores, by canonical name. Each is checked once for all that inherit it.
    ignored: Mutex<HashMap<String, Arc<OnceLock<bool>>>>,
}

impl<'a> DeclContext<'a> {
    pub(super) fn new(game: Option<&'a Decls>, images: &'a ImageFinder) -> Self {
        let mut shadowed: HashMap<&Path, Vec<usize>> = HashMap::new();
        if let Some(game) = game {
            for (index, shadow) in game.shadowed.iter().enumerate() {
                shadowed.entry(game.sources.path(shadow.place.source)).or_default().push(index);
            }
        }
        let (surfaces, folders, swallowed, ignored) = Default::default();
        Self { game, images, surfaces, folders, shadowed, swallowed, ignored }
    }

    /// True if a name occurs after the start of an unclosed block or comment, or a misspelt type, which is reported by
    /// itself.
    fn is_swallowed(&self, name: &str) -> bool {
        let find = || {
            let hides = |fault: &Fault| matches!(fault.kind, FaultKind::OpenBlock { .. } | FaultKind::OpenComment);
            let faults = self.game.into_iter().flat_map(|game| game.faults.iter().map(move |known| (game, known)));
            let hidden = faults.filter_map(|(game, (source, fault))| match &fault.kind {
                // The name after a misspelt type.
                FaultKind::MissingBlock { found, .. } => Some(found.clone()),
                _ if !hides(fault) => None,
                _ => {
                    let rest = game.sources.get(*source).bytes.get(fault.span.start as usize..);
                    Some(String::from_utf8_lossy(rest.unwrap_or_default()).into_owned())
                }
            });
            let words = |text: String| {
                let words = text.split(|letter: char| letter.is_whitespace() || "\"{}".contains(letter));
                words.map(decl::canonical_name).collect::<Vec<_>>()
            };
            hidden.flat_map(words).collect()
        };
        self.swallowed.get_or_init(find).contains(&decl::canonical_name(name))
    }

    /// Returns the number of surfaces of a mesh. Returns `None` for other files.
    fn surfaces_of(&self, mesh: PathBuf, budget: &Budget) -> Option<usize> {
        let known = || self.surfaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&mesh) {
            return *known;
        }
        let bytes = read::file(&mesh, &Budget::new(budget.limit())).ok();
        let count = bytes.and_then(|bytes| Some(md5::parse_mesh(&bytes).ok()?.document.meshes.len()));
        known().insert(mesh, count);
        count
    }
}

/// Checks the rows of a Quake III skin: the mesh after which it is named, and the shaders.
fn check_quake3_skin(path: &Path, bytes: &[u8], around: &DeclContext<'_>, budget: &Budget, findings: &mut Findings) {
    let rows = skin_rows(bytes);
    let folder = read::folder_of(path);
    // `body_default.skin` belongs to `body.md5mesh`.
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stems = std::iter::successors(Some(&*stem), |stem| Some(stem.rsplit_once('_')?.0));
    let mut meshes = stems.filter_map(|stem| around.surfaces_of(folder.join(format!("{stem}.md5mesh")), budget));
    if let Some(count) = meshes.next().filter(|&count| rows.len() < count) {
        let end = rows.last().map_or(Span::new(0, 0), |row| row.span);
        findings.add(skin::QUAKE3_LINES, end, || {
            format!(
                "the skin has {} for the mesh's {}",
                counted(rows.len(), "line", "lines"),
                counted(count, "surface", "surfaces")
            )
        });
    }
    for row in &rows {
        // Without a shader, the surface keeps its own.
        if !row.shader.is_empty()
            && !is_built_in(&row.shader)
            && has_shader(around.images, &folder, &row.shader) == Some(false)
        {
            findings
                .add(skin::QUAKE3_SHADER, row.span, || format!("no shader and no image is called '{}'", row.shader));
        }
    }
}

/// True for shaders without a file, such as Daemon's `<default>`.
pub(super) fn is_built_in(shader: &str) -> bool {
    shader.starts_with('<') && shader.ends_with('>')
}

/// Reports decls of a file that are hidden by earlier ones.
fn add_shadowed<'a>(game: &'a Decls, shadowed: impl Iterator<Item = usize> + 'a, findings: &mut Findings) {
    for shadow in shadowed.filter_map(|index| game.shadowed.get(index)) {
        let by = game.sources.get(shadow.by.source);
        let at = by.position(shadow.by.name.start);
        let message = || {
            let (kind, name) = (shadow.kind.noun(), &shadow.name);
            format!("{kind} '{name}' is declared in {}:{at} already, which counts", by.path.display())
        };
        findings.add(of_decl::DECL_SHADOWED, shadow.place.name, message).value("name", &shadow.name);
    }
}

struct Checker<'c, 'f> {
    game: Option<&'c Decls>,
    around: &'c DeclContext<'c>,
    budget: &'c Budget,
    findings: &'f mut Findings,
    bytes: &'c [u8],
    /// Joints and shaders of the meshes read so far, by name.
    meshes: HashMap<String, Option<Rc<KnownMesh>>>,
    /// Clips read so far, by name. `None` if unreadable.
    clips: HashMap<String, Option<Rc<KnownClip>>>,
    /// Images found so far, by path.
    images: HashMap<PathBuf, KnownImage>,
}

/// Joints and shaders of a mesh.
struct KnownMesh {
    /// Path as the first decl writes it.
    name: String,
    joints: Vec<(String, i64)>,
    /// The first joint of each name, in lower case.
    by_name: HashMap<String, usize>,
    /// For each joint, the end of those that the engine takes for its descendants: up to the first whose parent is above
    /// it.
    ends: Vec<usize>,
    /// True if the descendants of each joint follow it directly, as the engine assumes.
    is_depth_first: bool,
    shaders: Vec<String>,
}

impl Checker<'_, '_> {
    fn decl(&mut self, decl: &Decl) {
        match decl.kind {
            DeclKind::Table => self.faults(decl, &parse_table(self.bytes, decl.body)),
            DeclKind::Material => self.material(decl),
            DeclKind::Skin => self.skin(decl),
            DeclKind::Model => self.model(decl),
            DeclKind::EntityDef => self.entity(decl),
            DeclKind::Ragdoll | DeclKind::Other => {}
        }
    }

    fn material(&mut self, decl: &Decl) {
        let mut parsed = parse_material(self.bytes, decl.body);
        // Faults that depend on the game come from the game's decl.
        if let Some((place, known)) = self.game.and_then(|game| game.material(&decl.name))
            && place.name == decl.name_span
        {
            let missing: Vec<Fault> =
                known.faults.iter().filter(|fault| !parsed.faults.contains(fault)).cloned().collect();
            parsed.faults.extend(missing);
        }
        self.faults(decl, &parsed);
        let Some(game) = self.game else { return };
        for stage in &parsed.decl.stages {
            let Some(Map::Image(program)) = &stage.map else { continue };
            if self.findings.broken.within(&[Part::Bytes], stage.span) {
                continue;
            }
            // A game may contain only the precompressed result of a program.
            let is_made = !matches!(program, ImageProgram::Image(_));
            if is_made && !self.is_missing(&precompressed_name(&program.to_string())) {
                continue;
            }
            for name in program.images() {
                match cut_name(name) {
                    Some(cut) => self.cut_again(decl, name, &cut, stage.span),
                    None => self.image(game.game(), name, stage.span),
                }
            }
            if scales_up(program) {
                self.findings.add(image::SCALE_WRAPS, stage.span, || {
                    format!("'{program}' makes texels brighter than 255 start again at 0")
                });
            }
        }
    }

    /// Reports an image's name in quotes that the engine reads a second time without them.
    fn cut_again(&mut self, decl: &Decl, name: &str, cut: &str, span: Span) {
        // Of `diffusemap "a-b"` the engine makes the stage `map a-b`.
        let is_stage = self.bytes.get(span.start as usize) == Some(&b'{');
        let (lost, words) = match name.get(cut.len()..).and_then(|rest| rest.chars().next()) {
            Some(mark) if !is_stage => (
                format!("; the engine ignores the material '{}'", decl.name),
                format!("unknown token '{mark}' in material '{}'", decl.name),
            ),
            _ => Default::default(),
        };
        let message = || format!("the image's name '{name}' is read again without quotes and ends as '{cut}'{lost}");
        self.findings.add(material::NAME_CUT, span, message).value("words", words);
    }

    fn skin(&mut self, decl: &Decl) {
        let parsed = parse_skin(self.bytes, decl.body);
        let names = parsed.decl.pairs.iter().flat_map(|pair| [&pair.from, &pair.to]);
        // Everything after the minus is in the place of another name.
        if let Some(minus) = names.filter(|name| is_cut_name(&name.text)).min_by_key(|name| name.span.start) {
            self.findings.add(of_decl::DECL_NEEDS_QUOTES, minus.span, || {
                format!(
                    "a name ends before '{}', which is read as a name of its own, so that all pairs after it shift",
                    minus.text
                )
            });
            return;
        }
        self.faults(decl, &parsed);
        let skin = parsed.decl;
        // A game without any material is only a part of one.
        if let Some(game) = self.game.filter(|game| game.names(DeclKind::Material).next().is_some()) {
            for to in skin.pairs.iter().map(|pair| &pair.to).filter(|to| to.text != "}") {
                if let LooksFrom::Nothing(tried) = game.looks(&to.text).source
                    && !self.around.is_swallowed(&to.text)
                {
                    let message = || format!("neither a material nor an image is called '{}'", to.text);
                    let added = self.findings.add(material::MATERIAL_MISSING, to.span, message);
                    added.value("name", &to.text).note(tried_note(&tried));
                }
            }
        }
        let meshes: Vec<Option<Rc<KnownMesh>>> = skin.models.iter().map(|model| self.mesh(&model.text)).collect();
        // An unknown model may have any surface.
        let Some(known) = meshes.into_iter().collect::<Option<Vec<_>>>().filter(|known| !known.is_empty()) else {
            return;
        };
        let shaders: HashSet<String> =
            known.iter().flat_map(|mesh| &mesh.shaders).map(|shader| decl::canonical_name(shader)).collect();
        for pair in &skin.pairs {
            let from = &pair.from;
            if from.text != "*" && !shaders.contains(&decl::canonical_name(&from.text)) {
                self.findings.add(skin::PAIR_UNUSED, from.span, || {
                    format!("no surface of the skin's models has the material '{}'", from.text)
                });
            }
        }
    }

    /// Adds a finding about a name that leads nowhere, with the name that is meant.
    fn missing_part<'n>(
        &mut self,
        rule: Rule,
        name: &Word,
        message: impl FnOnce() -> String,
        meant: impl FnOnce() -> Option<&'n str>,
    ) -> Option<&mut Finding> {
        let finding = self.findings.add(rule, name.span, message).value("name", &name.text).0?;
        if let Some(meant) = meant() {
            finding.note(format!("did you mean '{meant}'?"));
        }
        Some(finding)
    }

    /// Reports a parent of a decl that is missing or ignored. `is_lost` is true if the engine ignores the decl without a
    /// parent that is missing.
    fn parent(&mut self, kind: DeclKind, parent: &Word, child: &str, is_lost: bool) {
        let Some(game) = self.game else { return };
        let name = &parent.text;
        let is_missing = game.place(kind, name).is_none();
        let (finding, words, is_lost) = if is_missing {
            let words = match kind {
                DeclKind::Model => format!("Unknown model definition '{name}'"),
                _ => format!("Unknown entityDef '{name}' inherited by '{child}'"),
            };
            (self.missing_decl(def::PARENT_MISSING, kind, parent), words, is_lost)
        } else if kind == DeclKind::Model && self.is_ignored(name) {
            let message = || format!("the engine ignores the model '{name}' for its faults, and this one with it");
            let words = format!("inherited model definition '{name}' defaulted");
            (self.findings.add(def::PARENT_MISSING, parent.span, message).0, words, true)
        } else {
            return;
        };
        let Some(finding) = finding else { return };
        if is_lost {
            if is_missing {
                finding.message += &format!("; the engine ignores the model '{child}' without its mesh");
            }
            finding.said = readers(Outcome::Refuses, &words);
        }
        finding.value("words", words);
    }

    fn missing_decl(&mut self, rule: Rule, kind: DeclKind, name: &Word) -> Option<&mut Finding> {
        let game = self.game.filter(|_| !self.around.is_swallowed(&name.text))?;
        let message = || format!("the game has no {} '{}'", kind.noun(), name.text);
        self.missing_part(rule, name, message, || nearest_name(game, kind, &name.text))
    }

    fn skin_of_model(&mut self, skin: &Word) {
        let is_missing = |game: &&Decls| game.place(DeclKind::Skin, &skin.text).is_none();
        let Some(game) = self.game.filter(is_missing).filter(|_| !self.around.is_swallowed(&skin.text)) else { return };
        let is_material = game.place(DeclKind::Material, &skin.text).is_some();
        let message = || match is_material {
            true => format!("no skin is called '{}', only a material, which takes the place of the default", skin.text),
            false => format!("no skin is called '{}'", skin.text),
        };
        self.missing_part(def::SKIN_MISSING, skin, message, || {
            suggest::nearest(&skin.text, game.names(DeclKind::Skin))
        });
    }

    fn is_missing(&self, file: &str) -> bool {
        self.game.is_some_and(|game| game.game().find(file).ok().flatten().is_none())
    }

    fn missing_file(&mut self, rule: Rule, file: &Word, what: &str) -> Option<&mut Finding> {
        let extension = file.text.rsplit_once('.').map_or("", |(_, extension)| extension);
        let meant = self.similar_file(&file.text, &[extension]).map(|stem| format!("{stem}.{extension}"));
        self.missing_part(rule, file, || format!("the game has no {what} '{}'", file.text), || meant.as_deref())
    }

    /// Returns the name, without its extension, that is most similar to that of a missing file: of a file with one of
    /// the extensions in its folder, else in the folder with the most similar name.
    fn similar_file(&self, name: &str, extensions: &[&str]) -> Option<String> {
        let game = self.game?.game();
        let name = name::fold(name);
        let (folder, wanted) = name.rsplit_once('/')?;
        let stem = |file: &str| file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
        let similar = |folder: &str| {
            let files = extensions.iter().flat_map(|extension| game.list(folder, extension));
            let stems: Vec<String> =
                files.filter_map(|(file, _)| Some(stem(file.strip_prefix(folder)?.strip_prefix('/')?))).collect();
            let meant = suggest::nearest(&stem(wanted), stems.iter().map(String::as_str))?;
            Some(format!("{folder}/{meant}"))
        };
        let folder_names = || game.files().keys().map(|file| name::folder_of(file).to_owned()).collect();
        similar(folder).or_else(|| {
            let others = self
                .around
                .folders
                .get_or_init(folder_names)
                .iter()
                .map(String::as_str)
                .filter(|other| *other != folder);
            similar(suggest::nearest(folder, others)?)
        })
    }

    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let found = self.game?.game().find(file).ok().flatten()?;
        read::file(&found.path, &Budget::new(self.budget.limit())).ok()
    }

    fn mesh(&mut self, file: &str) -> Option<Rc<KnownMesh>> {
        let key = name::fold(file);
        if !self.meshes.contains_key(&key) {
            let bytes = self.read(file);
            let parsed = bytes.as_deref().and_then(|bytes| md5::parse_mesh(bytes).ok());
            let known = parsed.map(|parsed| Rc::new(KnownMesh::of(file, &parsed.document)));
            self.meshes.insert(key.clone(), known);
        }
        self.meshes.get(&key).cloned().flatten()
    }
}

impl KnownMesh {
    fn of(name: &str, file: &MeshFile<'_>) -> Self {
        let joints: Vec<_> = file.joints.iter().map(|joint| (joint.name.to_name(), joint.parent.value)).collect();
        let names = joints.iter().enumerate().map(|(joint, (name, _))| (name.to_ascii_lowercase(), joint));
        Self {
            name: name.to_owned(),
            // Of equal names, the last one inserted is the first joint.
            by_name: names.rev().collect(),
            ends: models::ends_of_descendants(&joints),
            is_depth_first: models::is_depth_first(&joints),
            shaders: file.meshes.iter().map(|mesh| mesh.shader.to_name()).collect(),
            joints,
        }
    }

    fn has_joint(&self, name: &str) -> bool {
        self.by_name.contains_key(&name.to_ascii_lowercase())
    }

    fn nearest_joint(&self, name: &str) -> Option<&str> {
        suggest::nearest(name, self.joints.iter().map(|(name, _)| name.as_str()))
    }
}

/// Returns the message of all engines that read decls.
fn readers(outcome: Outcome, words: &str) -> Vec<EngineReport> {
    let readers = PROFILES.iter().filter(|profile| profile.reads(FormatFamily::Decl));
    readers.map(|profile| EngineReport::new(profile, outcome, words)).collect()
}

/// Returns the part of an image's name that remains if an engine reads it again without quotes. Returns `None` if
/// nothing is lost.
fn cut_name(name: &str) -> Option<String> {
    match decl::parse_image_program(name.as_bytes()).ok()?.decl {
        ImageProgram::Image(cut) if cut != name => Some(cut),
        _ => None,
    }
}

/// True if a program contains a `scale` by more than 1.
fn scales_up(program: &ImageProgram) -> bool {
    match program {
        ImageProgram::Scale(of, factors) => factors.iter().any(|&factor| factor > 1.0) || scales_up(of),
        ImageProgram::AddNormals(a, b) | ImageProgram::Add(a, b) => scales_up(a) || scales_up(b),
        ImageProgram::HeightMap(of, _)
        | ImageProgram::SmoothNormals(of)
        | ImageProgram::InvertAlpha(of)
        | ImageProgram::InvertColor(of)
        | ImageProgram::MakeIntensity(of)
        | ImageProgram::MakeAlpha(of) => scales_up(of),
        ImageProgram::Image(_) => false,
    }
}

fn tried_note(tried: &[String]) -> String {
    format!("looked for {} in the game", tried_names(tried, TRIED_NAMED))
}

/// Joins the first `most` names, and the number of further ones.
pub(super) fn tried_names(tried: &[String], most: usize) -> String {
    let named = tried.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    match tried.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more names"),
    }
}

/// Reports a surface of a mesh without a material, and what the game draws instead.
pub(super) fn check_shader(shader: &str, span: Span, index: usize, game: &Decls, findings: &mut Findings) {
    let place = format_args!("mesh[{index}].shader");
    match game.looks(shader).source {
        LooksFrom::Decl { .. } => {}
        LooksFrom::Image(path) => {
            findings.add_at(material::MATERIAL_IMPLICIT, span, place, || {
                format!("no material is called '{shader}'; the engine draws {} unlit", path.display())
            });
        }
        LooksFrom::Nothing(tried) => {
            let message = || format!("neither a material nor an image is called '{shader}'");
            let added = findings.add_at(material::MATERIAL_MISSING, span, place, message);
            added.value("name", shader).note(tried_note(&tried)).suggest(material_at(shader, game));
        }
    }
}

/// Returns the material that a path on disk means: the one with the longest end of the path, without its extension, as its
/// name.
fn material_at(path: &str, game: &Decls) -> Option<String> {
    let path = decl::canonical_name(path);
    let ends = path.match_indices('/').filter_map(|(slash, _)| path.get(slash + 1..));
    let mut materials = ends.filter(|end| game.place(DeclKind::Material, end).is_some());
    materials.next().map(str::to_owned)
}

/// Reports a clip named in no model decl, if clips next to it are named.
pub(super) fn check_anim(path: &Path, game: &Decls) -> Vec<Finding> {
    let mut findings = Findings::new(Group::Def);
    let used = game.anim_files();
    let Some(own) = game.game().name_of(path).filter(|own| !used.contains(own)) else { return Vec::new() };
    let folder = name::folder_of(&own);
    if used.iter().any(|other| name::folder_of(other) == folder) {
        findings.add(def::ANIM_UNUSED, Span::new(0, 0), || format!("no model decl names {own}"));
    }
    findings.finish(0)
}
