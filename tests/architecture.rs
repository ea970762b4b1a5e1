//! ARCHITECTURE.md names files that exist, and under "Where to add" items that they contain. No files use each other in
//! a circle.

use crate::prose::files;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

const PAGE: &str = include_str!("../ARCHITECTURE.md");

/// Returns the parts of a table cell between backticks.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the cells of the rows of the table under a heading.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = PAGE.split_once(heading).expect("the section");
    let table = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let row = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect();
    table.take_while(|line| line.starts_with('|')).map(row).collect()
}

#[test]
fn the_map_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = rows("## Code map");
    for path in rows.iter().flat_map(|row| code(row[0])) {
        assert!(root.join(path).exists(), "ARCHITECTURE.md names {path}, which does not exist");
    }
    assert!(rows.len() > 20);
}

#[test]
fn items_to_add_to_are_in_the_files_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = rows("## Where to add");
    for row in &rows {
        let [_, file, item, _] = row[..] else { panic!("four cells: {row:?}") };
        let path = code(file).next().expect("a file");
        let text = std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let item = code(item).next().expect("an item");
        assert!(text.contains(item), "ARCHITECTURE.md lists {item} in {path}, which does not have it");
    }
    for kind in ["check", "engine", "method", "format", "page", "command"] {
        assert!(rows.iter().any(|row| row[0].contains(kind)), "no row describes adding a {kind}");
    }
}

/// Folders of the packages' sources. Those below `src` come before it.
const PACKAGES: [&str; 12] = [
    "parsers/src",
    "src/compare",
    "src/core",
    "src/export",
    "src/images",
    "src/player",
    "src/render",
    "src/snapshot",
    "src/validate",
    "src/vfs",
    "src/web",
    "src",
];

/// Path of a module or an item, such as `compare::report`.
type Names = Vec<String>;

/// Modules of a package that have files, each with its `use` lines: the names that they define, and their paths.
#[derive(Default)]
struct Package(BTreeMap<Names, Vec<(String, Names)>>);

/// Adds the paths of a tree such as `a::{b, c as d}`.
fn add_paths(before: &[String], tree: &str, paths: &mut Vec<(String, Names)>) {
    let (path, braces) = tree.split_once('{').map_or((tree, None), |(path, braces)| (path, braces.rsplit_once('}')));
    let (path, name) = path.split_once(" as ").map_or((path, None), |(path, name)| (path, Some(name)));
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty() && *name != "self");
    let path: Names = before.iter().cloned().chain(names.map(str::to_owned)).collect();
    let Some((inner, _)) = braces else {
        let name = name.map_or_else(|| path.last().cloned().unwrap_or_default(), |name| name.trim().to_owned());
        paths.push((name, path));
        return;
    };
    let mut depth = 0;
    let is_end = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    inner.split(is_end).filter(|tree| !tree.trim().is_empty()).for_each(|tree| add_paths(&path, tree, paths));
}

/// Returns the paths of the `use` lines outside of tests.
fn paths_of(source: &str) -> Vec<(String, Names)> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut paths = Vec::new();
    for start in code.lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
        let is_public = |line: &str| line.starts_with("pub");
        let Some((visibility, _)) = start.split_once("use ").filter(|(pre, _)| pre.is_empty() || is_public(pre)) else {
            continue;
        };
        let rest = &code[start.as_ptr() as usize - code.as_ptr() as usize + visibility.len() + "use ".len()..];
        add_paths(&[], rest.split(';').next().unwrap_or_default(), &mut paths);
    }
    paths
}

impl Package {
    /// Returns the module with a file in which a path from `module` ends. `None` for paths to other packages.
    fn module_of(&self, module: &[String], path: &[String], most_exports: usize) -> Option<Names> {
        let first = path.first()?.as_str();
        let above = path.iter().take_while(|name| *name == "super").count();
        let (mut found, mut rest) = match first {
            "crate" => (Names::new(), &path[1..]),
            "super" => (module[..module.len() - above].to_vec(), &path[above..]),
            _ => (module.to_vec(), path),
        };
        let mut is_own = ["crate", "super"].contains(&first);
        while let Some((name, after)) = rest.split_first() {
            found.push(name.clone());
            if !self.0.contains_key(&found) {
                found.pop();
                break;
            }
            (is_own, rest) = (true, after);
        }
        // An item may come from a file that the module exports.
        let exported = rest.first().filter(|_| is_own && most_exports > 0).and_then(|item| {
            let (_, path) = self.0.get(&found)?.iter().find(|(name, _)| name == item)?;
            self.module_of(&found, path, most_exports - 1)
        });
        is_own.then(|| exported.unwrap_or(found))
    }

    /// Returns the modules that each module uses, except its parents and children.
    fn uses(&self) -> BTreeMap<&Names, BTreeSet<Names>> {
        let used_by = |(module, paths): (_, &Vec<(String, Names)>)| {
            let module: &Names = module;
            let used = paths.iter().filter_map(|(_, path)| self.module_of(module, path, 8));
            (module, used.filter(|used| !module.starts_with(used) && !used.starts_with(module)).collect())
        };
        self.0.iter().map(used_by).collect()
    }
}

/// Returns the shortest circle through a module.
fn circle<'n>(module: &'n Names, uses: &'n BTreeMap<&Names, BTreeSet<Names>>) -> Option<Vec<&'n Names>> {
    let (mut open, mut seen) = (VecDeque::from([vec![module]]), BTreeSet::new());
    while let Some(path) = open.pop_front() {
        for next in &uses[path[path.len() - 1]] {
            if next == module {
                return Some(path);
            }
            if seen.insert(next) {
                open.push_back(path.iter().copied().chain([next]).collect());
            }
        }
    }
    None
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    ["src", "parsers/src"].iter().for_each(|folder| files(&root.join(folder), &[".rs"], &mut paths));
    let mut packages: BTreeMap<&str, Package> = BTreeMap::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).with_extension("");
        let Some((folder, module)) =
            PACKAGES.iter().find_map(|&folder| Some((folder, name.strip_prefix(folder).ok()?)))
        else {
            continue;
        };
        let mut module: Names = module.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        module.pop_if(|name| ["lib", "main", "mod"].contains(&&**name));
        let source = std::fs::read_to_string(&path).expect("a source");
        packages.entry(folder).or_default().0.entry(module).or_default().extend(paths_of(&source));
    }
    assert!(packages.len() == PACKAGES.len() && packages.values().map(|package| package.0.len()).sum::<usize>() > 500);
    let mut circles = BTreeMap::new();
    for (folder, package) in &packages {
        let uses = package.uses();
        for circle in uses.keys().filter_map(|module| circle(module, &uses)) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            circles.insert(names.iter().cloned().collect::<BTreeSet<_>>(), format!("{folder}: {}", names.join(" -> ")));
        }
    }
    assert!(circles.is_empty(), "files in circles: {:#?}", circles.values().collect::<Vec<_>>());
}
