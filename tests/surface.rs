//! `tests/surface.txt` lists the public items of the library, so that no change of them goes unnoticed.
//! `BINDPOSE_WRITE_EXPECTED=1 cargo test --test all surface::` updates it.
//!
//! The lists are read from the source, whose form rustfmt guarantees: items begin in the first column, and their
//! members after four spaces. Hidden items and macros are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const CRATES: [&str; 11] = [
    "parsers/src/lib.rs",
    "src/lib.rs",
    "src/convert/lib.rs",
    "src/core/lib.rs",
    "src/export/lib.rs",
    "src/images/lib.rs",
    "src/render/lib.rs",
    "src/snapshot/lib.rs",
    "src/validate/lib.rs",
    "src/vfs/lib.rs",
    "data/lib.rs",
];

/// Public names of a crate.
#[derive(Default)]
struct Surface {
    /// Names in `pub use`.
    exported: BTreeSet<String>,
    /// Items of each file with their members, and true if the file's module is public.
    files: BTreeMap<PathBuf, (bool, BTreeMap<String, BTreeSet<String>>)>,
}

/// Returns the word that follows one of these beginnings, such as `pub fn `.
fn word_behind<'l>(line: &'l str, beginnings: &[&str]) -> Option<&'l str> {
    let rest = beginnings.iter().find_map(|beginning| line.strip_prefix(beginning))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|word| !word.is_empty())
}

const ITEMS: [&str; 9] = [
    "pub fn ",
    "pub const fn ",
    "pub unsafe fn ",
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "pub const ",
    "pub static ",
    "pub type ",
];

/// Returns the file of a module that `file` declares.
fn file_of(root: &Path, file: &Path, module: &str) -> PathBuf {
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "mod") | None => file.with_file_name(""),
        Some(_) => file.with_extension(""),
    };
    let flat = folder.join(format!("{module}.rs"));
    if root.join(&flat).is_file() { flat } else { folder.join(module).join("mod.rs") }
}

/// Returns a line within an item with this beginning, if it is a public member.
fn member<'l>(item: &str, line: &'l str) -> Option<&'l str> {
    let line = line.strip_prefix("    ")?;
    if item.starts_with("pub enum ") {
        return word_behind(line, &[""]).filter(|word| word.starts_with(char::is_uppercase));
    }
    if item.starts_with("pub trait ") {
        return word_behind(line, &["fn ", "type ", "const "]);
    }
    let members = ["pub fn ", "pub const fn ", "pub unsafe fn ", "pub const "];
    word_behind(line, &members).or_else(|| word_behind(line, &["pub "]).filter(|_| item.starts_with("pub struct ")))
}

impl Surface {
    fn read(&mut self, root: &Path, file: &Path, is_public: bool) {
        let source =
            std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let mut items: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let (mut is_hidden, mut lines) = (false, code.lines());
        while let Some(line) = lines.next() {
            let (is_attribute, was_hidden) = (line.starts_with("#[") || line.starts_with("///"), is_hidden);
            is_hidden = line == "#[doc(hidden)]" || (is_hidden && is_attribute);
            let is_test = line.starts_with("#[cfg(test)]");
            if is_attribute || was_hidden {
                if is_test {
                    lines.next();
                }
                continue;
            }
            let module = word_behind(line, &["pub mod ", "pub(crate) mod ", "mod "]).filter(|_| line.ends_with(';'));
            if let Some(module) = module {
                self.read(root, &file_of(root, file, module), is_public && line.starts_with("pub mod "));
            } else if line.starts_with("pub use ") {
                let mut whole = line.to_owned();
                while !whole.ends_with(';') {
                    whole.push_str(lines.next().unwrap_or(";"));
                }
                let names =
                    whole.rsplit_once("::{").or_else(|| whole.rsplit_once("::")).map_or(&*whole, |(_, names)| names);
                let words = names.split(|c: char| !c.is_alphanumeric() && c != '_');
                self.exported.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
            } else if let Some(name) = word_behind(line, &ITEMS).or_else(|| inherent(line)) {
                let members = items.entry(name.to_owned()).or_default();
                if line.ends_with('{') {
                    let body = lines.by_ref().take_while(|&inner| inner != "}");
                    members.extend(body.filter_map(|inner| member(line, inner)).map(str::to_owned));
                }
            }
        }
        self.files.insert(file.to_owned(), (is_public, items));
    }

    /// Returns a line for each public item: its file, its name, its members.
    fn lines(self) -> impl Iterator<Item = String> {
        let Self { exported, files } = self;
        files.into_iter().flat_map(move |(file, (is_public, items))| {
            let public = items.into_iter().filter(|(name, _)| is_public || exported.contains(name));
            let file = file.display().to_string().replace('\\', "/");
            let line = |(name, members): (String, BTreeSet<String>)| {
                let members: String = members.iter().map(|member| format!(" {member}")).collect();
                format!("{file} {name}{}{members}\n", if members.is_empty() { "" } else { ":" })
            };
            public.map(line).collect::<Vec<_>>()
        })
    }
}

/// Returns the type of a block of inherent members, `impl<T> Type<T> {`.
fn inherent(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl").filter(|rest| rest.ends_with('{') && !rest.contains(" for "))?;
    let generics = rest.strip_prefix('<').map_or(0, |_| rest.find("> ").map_or(0, |end| end + 1));
    word_behind(rest[generics..].trim_start(), &[""])
}

#[test]
fn the_public_surface_is_as_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut listing = String::new();
    for file in CRATES {
        let mut surface = Surface::default();
        surface.read(root, Path::new(file), true);
        listing.extend(surface.lines());
    }
    let path = root.join("tests/surface.txt");
    if std::env::var_os("BINDPOSE_WRITE_EXPECTED").is_some() {
        std::fs::write(&path, &listing).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let (known, found): (BTreeSet<_>, BTreeSet<_>) = (known.lines().collect(), listing.lines().collect());
    let (gone, new): (Vec<_>, Vec<_>) = (known.difference(&found).collect(), found.difference(&known).collect());
    assert!(
        gone.is_empty() && new.is_empty(),
        "the public surface changed; if it is meant, write tests/surface.txt again: gone {gone:#?}, new {new:#?}"
    );
}

#[test]
fn public_items_of_source_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("lib.rs", "mod inner;\npub mod outer;\n#[doc(hidden)]\npub mod hidden;\npub use inner::{Kept,\n    kept};\n");
    write(
        "inner.rs",
        "/// A.\npub struct Kept {\n    pub field: u32,\n    own: u32,\n}\nimpl<T> Kept<T> {\n    pub fn run(&self) {\n    }\n}\n\
                       pub struct Private;\npub const fn kept() {}\n",
    );
    write(
        "outer.rs",
        "pub enum Both {\n    One(u32),\n    Two { a: u32 },\n}\n#[cfg(test)]\nmod tests {\n    pub fn no() {}\n}\n",
    );
    write("hidden.rs", "pub fn no() {}\n");
    let mut surface = Surface::default();
    surface.read(folder.path(), Path::new("lib.rs"), true);
    let lines: Vec<String> = surface.lines().collect();
    assert_eq!(lines, ["inner.rs Kept: field run\n", "inner.rs kept\n", "outer.rs Both: One Two\n"]);
}

#[test]
fn a_user_without_features_gets_few_crates() {
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--package", "bindpose", "--no-default-features", "--target", "all"]);
    let output = cargo.args(["--edges", "normal,build", "--prefix", "none"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let crates: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("glam") && crates.len() <= 28, "{} crates: {crates:?}", crates.len());
    let readme = include_str!("../README.md");
    assert!(
        readme.contains(&format!("depends on {} crates", crates.len())),
        "README.md names another number than {}",
        crates.len()
    );
}
