//! Watching of open files for changes.

use bindpose::image_search;
use bindpose::import::by_extension;
use bindpose::vfs::{Vfs, member};
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time without changes before files are reloaded. Programs write in several steps, and one file after the other.
const REST: Duration = Duration::from_millis(150);

/// Extension of a `.gltf` file's buffer.
const GLTF_BUFFER: &str = "bin";

/// Folders of a game with decls about models.
const DECLS: [&str; 3] = ["def", "materials", "skins"];

/// Extensions of files with decls.
const DECL_KINDS: [&str; 3] = ["def", "mtr", "skin"];

/// Returns the folder of a file.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Files and folders whose changes affect the current model.
#[derive(Debug, Default)]
pub struct Watched {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    shaders: Option<PathBuf>,
}

impl Watched {
    /// Watches the current files or their archives with the files next to them, the decls of their game, and a folder
    /// of shaders.
    pub fn new(shown: &[PathBuf], game: Option<&Vfs>, shaders: Option<&Path>) -> Self {
        let on_disk = |file: &PathBuf| absolute(member::split(file).map_or(file, |(archive, _)| archive));
        let mut files: BTreeSet<PathBuf> = shown.iter().map(on_disk).collect();
        let mut folders: BTreeSet<PathBuf> = files.iter().map(|file| folder_of(file)).collect();
        for mount in game.iter().flat_map(|game| game.mounts()).map(absolute) {
            if member::is_archive(&mount) {
                folders.insert(folder_of(&mount));
                files.insert(mount);
            } else {
                folders.extend(DECLS.map(|name| mount.join(name)).into_iter().filter(|folder| folder.is_dir()));
            }
        }
        Self { files, folders, shaders: shaders.map(absolute) }
    }

    /// Adds images of the current model.
    pub fn with_images<'i>(mut self, images: impl Iterator<Item = &'i Path>) -> Self {
        self.files.extend(images.map(absolute));
        self
    }

    /// Returns the folders to watch: those of the files, and what contains them, because a folder may be replaced.
    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let outer = self.folders.iter().filter_map(|folder| folder.parent());
        self.folders.iter().map(PathBuf::as_path).chain(outer).chain(self.shaders.as_deref()).map(Path::to_owned)
    }

    /// True if a changed file is one of the current ones or their folder, or is next to them and of a kind that they may
    /// use.
    pub fn concerns(&self, changed: &Path) -> bool {
        let changed = absolute(changed);
        let name = changed.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_used = name.ends_with(".examples.toml")
            || by_extension(&changed).is_some()
            || is_of_kind(&changed, &image_search::EXTENSIONS)
            || is_of_kind(&changed, &DECL_KINDS)
            || is_of_kind(&changed, &[GLTF_BUFFER]);
        let is_own = self.files.contains(&changed) || self.folders.contains(&changed);
        is_own || is_used && self.folders.contains(&folder_of(&changed))
    }

    /// True if a changed file is a model, a clip or an image that the current model does not use.
    fn is_unused(&self, changed: &Path) -> bool {
        let is_part = by_extension(changed).is_some() || is_of_kind(changed, &image_search::EXTENSIONS);
        is_part && !self.files.contains(&absolute(changed))
    }

    /// True if a watched file contains decls, or is an archive.
    pub fn is_decl(&self, changed: &Path) -> bool {
        self.concerns(changed) && (member::is_archive(changed) || is_of_kind(changed, &DECL_KINDS))
    }

    /// True if a changed file is a shader.
    pub fn is_shader(&self, changed: &Path) -> bool {
        self.shaders.as_ref().is_some_and(|folder| *folder == folder_of(&absolute(changed)))
    }
}

fn is_of_kind(path: &Path, kinds: &[&str]) -> bool {
    path.extension().is_some_and(|kind| kinds.iter().any(|known| kind.eq_ignore_ascii_case(known)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changed {
    pub files: bool,
    /// True if one of the files is in use, not only next to those.
    pub used: bool,
    /// True if decls of the game changed; `files` is set as well.
    pub decls: bool,
    pub shaders: bool,
}

/// Watches files, and collects changes until none occur for a while.
#[derive(Default)]
pub struct Changes {
    /// Watcher; `None` if the system cannot watch files.
    watcher: Option<RecommendedWatcher>,
    /// Watched folders. Saving may replace a file by another one, which watching the file itself would miss.
    folders: BTreeSet<PathBuf>,
    watched: Watched,
    changed: Changed,
    due: Option<Instant>,
    /// Files that the player has just written. They are not reloaded.
    written: Vec<(PathBuf, Instant)>,
}

impl Changes {
    /// Calls `changed` from another thread with each file that is created, changed or removed. If the system cannot
    /// watch files, they are reloaded on demand.
    pub fn new(changed: impl Fn(PathBuf) + Send + 'static) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            let is_listed = |path: &PathBuf| match event.kind {
                EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => true,
                // Of a folder, this tells that a file in it changed, which is reported, too.
                EventKind::Modify(_) => !path.is_dir(),
                EventKind::Any | EventKind::Access(_) | EventKind::Other => false,
            };
            event.paths.iter().filter(|path| is_listed(path)).cloned().for_each(&changed);
        });
        Self { watcher: watcher.ok(), ..Self::default() }
    }

    /// Watches only these files.
    pub fn watch(&mut self, watched: Watched) {
        self.watched = watched;
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: BTreeSet<PathBuf> = self.watched.folders().map(|folder| absolute(&folder)).collect();
        // Errors are ignored: removed folders need no watching, and files can be reloaded manually.
        for gone in self.folders.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        for new in wanted.difference(&self.folders) {
            let _ = watcher.watch(new, RecursiveMode::NonRecursive);
        }
        self.folders = wanted;
    }

    /// Records that the player wrote a file that is not to be reloaded.
    pub fn wrote(&mut self, path: &Path, now: Instant) {
        self.written.push((absolute(path), now));
    }

    /// Records that the player wrote a file that has to be reloaded.
    pub fn wrote_part(&mut self, now: Instant) {
        self.changed.files = true;
        self.due = Some(now + REST);
    }

    /// Records that a file was created, changed or removed.
    pub fn add(&mut self, path: &Path, now: Instant) {
        self.written.retain(|&(_, at)| now < at + REST);
        if self.written.iter().any(|(written, _)| *written == absolute(path)) {
            return;
        }
        let path = &absolute(path);
        if let Some(watcher) = self.watcher.as_mut().filter(|_| self.folders.contains(path)) {
            // A folder of this name may be another one now.
            let _ = watcher.unwatch(path);
            let _ = watcher.watch(path, RecursiveMode::NonRecursive);
        }
        let (is_shader, is_file) = (self.watched.is_shader(path), self.watched.concerns(path));
        if is_shader || is_file {
            self.changed.shaders |= is_shader;
            self.changed.files |= is_file;
            self.changed.used |= is_file && !self.watched.is_unused(path);
            self.changed.decls |= self.watched.is_decl(path);
            self.due = Some(now + REST);
        }
    }

    /// Returns the time at which changes are due if no more occur until then.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the changes that are due now.
    pub fn take(&mut self, now: Instant) -> Changed {
        if self.due.is_none_or(|due| now < due) {
            return Changed::default();
        }
        self.due = None;
        std::mem::take(&mut self.changed)
    }
}

/// Makes a path absolute, so that all paths of a file are equal.
fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_model_affect_it() {
        let watched = Watched::new(&["a/imp.md5mesh".into()], None, None);
        let cases = [
            ("a/imp.md5mesh", true),
            ("a/new.md5anim", true),
            ("a/skin.tga", true),
            ("a/skin.JPEG", true),
            ("a/skin.lmp", true),
            ("a/imp.bin", true),
            ("a/imp.examples.toml", true),
            ("a/imp.ranges.toml", false),
            ("a/notes.txt", false),
            ("b/skin.tga", false),
            ("a/.imp.md5mesh.swp", false),
        ];
        for (path, expected) in cases {
            assert_eq!(watched.concerns(Path::new(path)), expected, "{path}");
        }
        assert!(watched.concerns(Path::new("a")) && !watched.concerns(Path::new("b")), "its folder may be replaced");
        assert!(!watched.is_shader(Path::new("a/dqs.vert")));
    }

    #[test]
    fn several_steps_of_saving_cause_one_reload() {
        let now = Instant::now();
        let mut changes = Changes::default();
        changes.watch(Watched::new(&["a/imp.md5mesh".into()], None, None));
        changes.add(Path::new("a/notes.txt"), now);
        assert_eq!((changes.due(), changes.take(now + 9 * REST)), (None, Changed::default()));
        // An example writes its mesh and the file of examples, and the system reports both.
        let files = Changed { files: true, used: true, ..Changed::default() };
        changes.wrote_part(now);
        changes.add(Path::new("a/imp-hand.md5mesh"), now + REST / 2);
        changes.add(Path::new("a/imp.examples.toml"), now + REST / 2);
        assert_eq!(changes.take(now + REST), Changed::default(), "too early");
        assert_eq!(changes.take(changes.due().unwrap()), files);
        assert_eq!((changes.due(), changes.take(now + 9 * REST)), (None, Changed::default()));
    }

    #[test]
    fn only_files_in_use_are_announced() {
        let image = Path::new("a/skin.tga");
        let cases = [
            ("a/imp.md5mesh", true),
            ("a/skin.tga", true),
            ("a/imp.examples.toml", true),
            ("a/imp.bin", true),
            ("a/other.md5mesh", false),
            ("a/shot.png", false),
        ];
        for (path, used) in cases {
            let mut changes = Changes::default();
            changes.watch(Watched::new(&["a/imp.md5mesh".into()], None, None).with_images([image].into_iter()));
            changes.add(Path::new(path), Instant::now());
            let changed = changes.take(changes.due().unwrap());
            assert_eq!((changed.files, changed.used), (true, used), "{path}");
        }
    }

    #[test]
    fn a_file_of_the_player_is_reloaded_when_others_write_it() {
        let (now, still) = (Instant::now(), Path::new("a/imp-pose.md5anim"));
        let mut changes = Changes::default();
        changes.watch(Watched::new(&["a/imp.md5mesh".into()], None, None));
        changes.wrote(still, now);
        changes.add(still, now + REST / 2);
        assert_eq!(changes.due(), None);
        changes.add(still, now + 2 * REST);
        assert_eq!(changes.due(), Some(now + 3 * REST));
    }

    #[test]
    fn a_folder_of_shaders_is_known_by_all_its_paths() {
        for folder in ["shaders", "./shaders", "shaders/"] {
            let watched = Watched::new(&[], None, Some(Path::new(folder)));
            assert!(watched.is_shader(&absolute(Path::new("shaders/dqs.vert"))), "{folder}");
            assert!(!watched.is_shader(Path::new("other/shaders/dqs.vert")), "{folder}");
            assert!(!watched.concerns(Path::new("shaders/dqs.vert")), "{folder}");
        }
    }

    #[test]
    fn the_decls_of_a_game_affect_its_models() {
        let game = tempfile::tempdir().unwrap();
        std::fs::create_dir(game.path().join("def")).unwrap();
        std::fs::write(game.path().join("p.pk4"), b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").unwrap();
        let watched = Watched::new(&[], Some(&Vfs::open(game.path(), &[]).unwrap()), None);
        for (name, expected) in
            [("def/imp.def", true), ("def/notes.txt", false), ("p.pk4", true), ("skins/a.skin", false)]
        {
            assert_eq!(watched.concerns(&game.path().join(name)), expected, "{name}");
            assert_eq!(watched.is_decl(&game.path().join(name)), expected, "{name}");
        }
        let in_archive = member::join(&game.path().join("p.pk4"), "models/imp.md5mesh");
        assert!(Watched::new(&[in_archive], None, None).concerns(&game.path().join("p.pk4")));
    }
}
