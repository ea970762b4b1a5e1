//! Decls of a game: read from its files in the engine's order, found by kind and name.

use super::images::{GameImage, find_image};
use super::inherit::{AppearanceError, EntityKeys, ModelDef, Resolved};
use super::material::{default_surface, implicit, surface, tables_named};
use crate::budget::{Budget, Exceeded, MemoryLimit, grouped, product};
use crate::diagnostic::{SourceId, Sources};
use crate::model::surface::{COSINE, SINE, Surface, Table};
use crate::read::{self, ReadError};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{
    self, Decl, DeclKind, EntityDef, Fault, FaultKind, ModelDecl, ModelItem, Parsed, Ragdoll, Skin, canonical_name,
    parse_entity, parse_file, parse_material, parse_model, parse_ragdoll, parse_skin, parse_table,
};
use bindpose_vfs::member::Stamp;
use bindpose_vfs::name::fold;
use bindpose_vfs::{Vfs, disk};
use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Folders of decl files in the engine's reading order, with the extension of their files.
const FOLDERS: [(&str, &str); 4] = [("materials", "mtr"), ("skins", "skin"), ("def", "def"), ("af", "af")];

/// Part of the memory limit that the decls of a game may use, as a divisor: 128 MiB unless the user sets a limit.
const DECLS_SHARE: u64 = 16;
/// Largest decl file as a divisor of the largest file: 32 MiB unless the user sets a limit.
const FILE_SHARE: u64 = 16;
/// Bytes of a decl in the tables, excluding its name.
const DECL_SIZE: usize = size_of::<Shadowed>() + size_of::<Place>();

/// Use of [`listed_memory`], for messages.
pub const LISTED: &str = "the list of the decls of a file";

/// Returns the largest memory that the list of a file's decls may need, in bytes.
pub fn listed_memory(bytes: &[u8]) -> u128 {
    /// Bytes of a decl in a list that grows, and of a short name.
    const LISTED_DECL: usize = 2 * size_of::<Decl>() + 32;
    product([bytes.iter().filter(|&&byte| byte == b'{').count(), LISTED_DECL])
}

/// All decls of a game for models and their appearance.
#[derive(Debug)]
pub struct Decls {
    game: Arc<Vfs>,
    files: Arc<DeclFiles>,
}

impl Deref for Decls {
    type Target = DeclFiles;

    fn deref(&self) -> &DeclFiles {
        &self.files
    }
}

/// A decl file: default kind of its decls, path, and stamp to detect changes.
type Listed = (DeclKind, PathBuf, Option<Stamp>);

/// Contents of a game's decl files.
#[derive(Debug, Default)]
pub struct DeclFiles {
    /// Files in reading order.
    listed: Vec<Listed>,
    /// Files that could be read.
    pub sources: Sources,
    /// First decl of each kind and canonical name, which is the one that counts.
    known: HashMap<(DeclKind, String), Place>,
    /// Names of all decls by kind, in reading order.
    order: HashMap<DeclKind, Vec<String>>,
    /// Decls whose name is already taken, which an engine ignores.
    pub shadowed: Vec<Shadowed>,
    /// Faults outside any decl.
    pub faults: Vec<(SourceId, Fault)>,
    /// Files that cannot be read. If memory runs out, the last entry is the first file that did not fit.
    pub unreadable: Vec<ReadError>,
    anims: OnceLock<BTreeSet<String>>,
    parents: OnceLock<BTreeSet<String>>,
    tables: OnceLock<HashMap<String, Arc<Table>>>,
    models: Resolved<ModelDef>,
    entities: Resolved<EntityKeys>,
    /// Memory of the files, and of what is kept of their decls.
    budget: Budget,
}

/// Position of a decl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// File that contains the decl.
    pub source: SourceId,
    /// Position of the decl's name in the file.
    pub name: Span,
    /// Position of the decl's block in the file.
    pub body: Span,
}

/// A decl that an earlier one hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadowed {
    /// Kind of both decls.
    pub kind: DeclKind,
    /// Name of both decls.
    pub name: String,
    /// The ignored decl.
    pub place: Place,
    /// The decl that counts.
    pub by: Place,
}

/// Surface for a material's name, and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Looks {
    /// Surface for the name.
    pub surface: Surface,
    /// Origin of the surface.
    pub source: LooksFrom,
}

/// Origin of a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum LooksFrom {
    /// The surface comes from a decl.
    Decl {
        /// Position of the decl.
        place: Place,
        /// Faults of the decl, in text order.
        faults: Vec<Fault>,
    },
    /// No decl has the name, but an image has it. It is drawn unlit.
    Image(PathBuf),
    /// There is neither a decl nor an image. Contains the image names that were tried. The default is drawn.
    Nothing(Vec<String>),
}

impl Decls {
    /// Reads the decl files of a game, or reuses the result of the last reading if no file has changed since.
    pub fn read(game: Arc<Vfs>, budget: &Budget) -> Self {
        /// Decls of the last games read.
        static KNOWN: Mutex<Vec<Arc<DeclFiles>>> = Mutex::new(Vec::new());
        /// One for the current game, one for another.
        const MOST: usize = 2;
        let listed: Vec<Listed> = FOLDERS
            .into_iter()
            .flat_map(|(folder, extension)| {
                let kind = DeclKind::of_folder(folder).unwrap_or(DeclKind::Other);
                game.list(folder, extension).into_iter().map(move |(_, path)| {
                    let stamp = Stamp::of(&path);
                    (kind, path, stamp)
                })
            })
            .collect();
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let same = known().iter().find(|files| files.listed == listed && files.may_stay()).cloned();
        let files = same.unwrap_or_else(|| {
            let files = Arc::new(DeclFiles::read(listed, budget));
            let mut known = known();
            known.insert(0, Arc::clone(&files));
            known.truncate(MOST);
            files
        });
        Self { game, files }
    }

    /// Returns the game to which these decls belong.
    pub fn game(&self) -> &Arc<Vfs> {
        &self.game
    }

    /// Resolves a material's name to its decl, even if the engine ignores the decl for its faults; else to the image of
    /// that name; else to the default.
    pub fn looks(&self, name: &str) -> Looks {
        if let Some((place, parsed)) = self.material(name) {
            let faults = parsed.faults;
            return Looks {
                surface: surface(parsed.decl, |table| self.table(table)),
                source: LooksFrom::Decl { place, faults },
            };
        }
        let surface = implicit(name);
        // A name that no image can have is not found.
        let image = surface.main_image().map(ToString::to_string).unwrap_or_default();
        match find_image(&self.game, &image) {
            GameImage::Found { path, .. } => Looks { surface, source: LooksFrom::Image(path) },
            GameImage::Missing { tried } => Looks { surface: default_surface(), source: LooksFrom::Nothing(tried) },
        }
    }
}

impl DeclFiles {
    fn read(listed: Vec<Listed>, budget: &Budget) -> Self {
        let limit = budget.limit();
        let budget = Budget::new(MemoryLimit::Bytes(limit.most() / DECLS_SHARE));
        let mut decls = Self { budget, ..Self::default() };
        for (kind, path, _) in &listed {
            let added = read::check_link(path, &read::folder_of(path))
                .and_then(|()| read::kept(path, limit.largest_file() / FILE_SHARE, &decls.budget))
                .and_then(|bytes| decls.add(path.clone(), bytes, *kind));
            let Err(error) = added else { continue };
            let is_full = matches!(error, ReadError::Memory { .. });
            if is_full || matches!(error, ReadError::TooLarge { .. }) {
                limit.refuse();
            }
            decls.unreadable.push(error);
            if is_full {
                break;
            }
        }
        decls.listed = listed;
        decls
    }

    /// True if a later change would be noticed. A file that could not be read might be readable later.
    fn may_stay(&self) -> bool {
        self.unreadable.is_empty() && self.listed.iter().all(|(_, _, stamp)| stamp.is_some())
    }

    fn add(&mut self, path: PathBuf, bytes: Vec<u8>, folder: DeclKind) -> Result<(), ReadError> {
        let refused = |exceeded: Exceeded| ReadError::Memory { path: path.clone(), exceeded: exceeded.into() };
        self.budget.check(listed_memory(&bytes), || LISTED.to_owned()).map_err(refused)?;
        let file = parse_file(&bytes, folder);
        let names: usize = file.decls.iter().map(|decl| 2 * decl.name.len() + DECL_SIZE).sum();
        let what = || format!("{} decls of a game", grouped(file.decls.len()));
        self.budget.spend(names as u128, what).map_err(refused)?;
        let source = self.sources.add(path, bytes);
        self.faults.extend(file.faults.into_iter().map(|fault| (source, fault)));
        for Decl { kind, name, name_span, body } in file.decls {
            let place = Place { source, name: name_span, body };
            match self.known.get(&(kind, name.clone())) {
                Some(&by) => self.shadowed.push(Shadowed { kind, name, place, by }),
                None => {
                    self.order.entry(kind).or_default().push(name.clone());
                    self.known.insert((kind, name), place);
                }
            }
        }
        Ok(())
    }

    /// Returns the decl file at a path.
    pub fn source_of(&self, path: &Path) -> Option<SourceId> {
        let whole = disk::canonicalize(path).ok();
        let is_it = |known: &Path| known == path || whole.is_some() && disk::canonicalize(known).ok() == whole;
        self.sources.ids().find(|&id| is_it(self.sources.path(id)))
    }

    /// True if the game has no decls.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the names of all decls of a kind, in the order of reading.
    pub fn names(&self, kind: DeclKind) -> impl Iterator<Item = &str> {
        self.order.get(&kind).into_iter().flatten().map(String::as_str)
    }

    /// Returns the position of a decl. Names are compared as the engine does.
    pub fn place(&self, kind: DeclKind, name: &str) -> Option<Place> {
        self.known.get(&(kind, canonical_name(name))).copied()
    }

    fn parse<T>(&self, kind: DeclKind, name: &str, parse: fn(&[u8], Span) -> Parsed<T>) -> Option<(Place, Parsed<T>)> {
        let place = self.place(kind, name)?;
        Some((place, parse(&self.sources.get(place.source).bytes, place.body)))
    }

    /// Returns the decl of a material as written. Gets a fault if it uses a table, or a rotation, that the game lacks.
    pub fn material(&self, name: &str) -> Option<(Place, Parsed<decl::Material>)> {
        let (place, mut parsed) = self.parse(DeclKind::Material, name, parse_material)?;
        // A missing table is not a valid term.
        let missing = tables_named(&parsed.decl).into_iter().find(|table| self.place(DeclKind::Table, table).is_none());
        if let Some(found) = missing {
            let is_implied = [SINE, COSINE].contains(&found.as_str());
            let word = if is_implied { "rotate".to_owned() } else { found.clone() };
            let kind = if is_implied { FaultKind::NoRotationTable } else { FaultKind::BadTerm { found } };
            let bytes = &self.sources.get(place.source).bytes;
            let word = word_in(bytes, place.body, &word);
            parsed.faults.push(Fault { kind, span: word.unwrap_or(place.name) });
        }
        Some((place, parsed))
    }

    /// Returns a table. All tables are read at the first request, and shared by all materials.
    pub fn table(&self, name: &str) -> Option<Arc<Table>> {
        let read = |((kind, name), place): (&(DeclKind, String), &Place)| {
            let read = || parse_table(&self.sources.get(place.source).bytes, place.body).decl.into();
            (*kind == DeclKind::Table).then(|| (name.clone(), read()))
        };
        let tables = self.tables.get_or_init(|| self.known.iter().filter_map(read).collect());
        tables.get(&canonical_name(name)).cloned()
    }

    /// Returns a skin as it is written.
    pub fn skin(&self, name: &str) -> Option<(Place, Parsed<Skin>)> {
        self.parse(DeclKind::Skin, name, parse_skin)
    }

    /// Returns a ragdoll. The engine ignores the extension of its name.
    pub fn ragdoll(&self, name: &str) -> Option<(Place, Parsed<Ragdoll>)> {
        self.parse(DeclKind::Ragdoll, name, parse_ragdoll)
    }

    /// Returns a model decl as it is written.
    pub fn model(&self, name: &str) -> Option<(Place, Parsed<ModelDecl>)> {
        self.parse(DeclKind::Model, name, parse_model)
    }

    /// Returns the files that model decls name as anims, in lower case.
    pub fn anim_files(&self) -> &BTreeSet<String> {
        self.anims.get_or_init(|| {
            let items =
                self.names(DeclKind::Model).filter_map(|name| self.model(name)).flat_map(|(_, model)| model.decl.items);
            let anims = items.filter_map(|item| if let ModelItem::Anim(anim) = item { Some(anim.files) } else { None });
            anims.flatten().map(|file| fold(&file.text)).collect()
        })
    }

    /// Returns a model decl with everything that it inherits. Each decl is read once.
    ///
    /// # Errors
    ///
    /// [`AppearanceError`]: a missing decl, one that inherits from itself or through too many, or one that does not fit the
    /// memory.
    pub fn model_def(&self, name: &str) -> Result<Arc<ModelDef>, AppearanceError> {
        let exists = |parent: &str| self.place(DeclKind::Model, parent).is_some();
        let read = |name: &str| self.model(name).map(|(place, parsed)| ModelDef::own(place.source, parsed, exists));
        self.models.get(name, read, &self.budget)
    }

    /// Returns an entityDef as it is written.
    pub fn entity(&self, name: &str) -> Option<(Place, Parsed<EntityDef>)> {
        self.parse(DeclKind::EntityDef, name, parse_entity)
    }

    /// True if another entityDef gets keys of this one.
    pub fn is_inherited(&self, name: &str) -> bool {
        let parents = self.parents.get_or_init(|| {
            let entities = self.names(DeclKind::EntityDef).filter_map(|name| self.entity(name));
            let parents = |(_, entity): (_, Parsed<EntityDef>)| {
                entity.decl.parents().map(|parent| canonical_name(&parent.text)).collect::<Vec<_>>()
            };
            entities.flat_map(parents).collect()
        });
        parents.contains(&canonical_name(name))
    }

    /// Returns the keys of an entity that select its models, own or inherited. Each decl is read once. A missing parent
    /// provides nothing.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::model_def`] does, but entities may inherit through any number of others.
    pub fn entity_keys(&self, name: &str) -> Result<Arc<EntityKeys>, AppearanceError> {
        let exists = |parent: &String| self.place(DeclKind::EntityDef, parent).is_some();
        let read = |name: &str| {
            let (own, mut parents) = EntityKeys::own(&self.entity(name)?.1.decl);
            parents.retain(exists);
            Some((own, parents))
        };
        self.entities.get(name, read, &self.budget)
    }
}

/// Returns the first occurrence of a word in a decl's block, in any case.
fn word_in(bytes: &[u8], block: Span, word: &str) -> Option<Span> {
    let text = bytes.get(block.range())?;
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let is_word = |&at: &usize| {
        text.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
            && !is_part(at.checked_sub(1).and_then(|before| text.get(before)))
            && !is_part(text.get(at + word.len()))
    };
    let at = block.start as usize + (0..text.len()).find(is_word)?;
    Some(Span::new(at, at + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_read_again_when_one_has_changed() {
        let root = std::env::temp_dir().join(format!("bindpose-decls-{}", std::process::id()));
        fs::create_dir_all(root.join("materials")).unwrap();
        let write = |name: &str, text: &str| fs::write(root.join("materials").join(name), text).unwrap();
        let read = || Decls::read(Arc::new(Vfs::open(&root, &[]).unwrap()), &Budget::default());
        let names = |decls: &Decls| decls.names(DeclKind::Material).map(str::to_owned).collect::<Vec<_>>();
        write("a.mtr", "a { }");
        let (first, second) = (read(), read());
        write("a.mtr", "a { } b { }");
        let changed = read();
        write("0.mtr", "c { }");
        let more = read();
        fs::remove_file(root.join("materials/a.mtr")).unwrap();
        let fewer = read();
        fs::remove_dir_all(&root).unwrap();
        assert!(Arc::ptr_eq(&first.files, &second.files));
        assert!(!Arc::ptr_eq(first.game(), second.game()), "the rest of the game is read again");
        let all = [&first, &changed, &more, &fewer].map(names);
        assert_eq!(all, [vec!["a"], vec!["a", "b"], vec!["c", "a", "b"], vec!["c"]]);
    }
}
