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
const PACKAGES: [&str; 14] = [
    "parsers/src",
    "src/compare",
    "src/conformance",
    "src/convert",
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

/// Modules of a package that have files, each with its `use` lines, as the names that they define and their paths, and
/// with the paths in its other code.
#[derive(Default)]
struct Package(BTreeMap<Names, Module>);

#[derive(Default)]
struct Module {
    used: Vec<(String, Names)>,
    named: BTreeSet<Names>,
}

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

/// Returns the code of a source outside of tests, without comments and texts.
fn code_of(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let (mut kept, mut rest) = (String::new(), code);
    while let Some(c) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|rest| &rest[..rest.len() - rest.trim_start_matches('#').len()]);
        let raw = raw.filter(|hashes| rest[1 + hashes.len()..].starts_with('"') && !kept.ends_with(is_of_name));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(hashes) = raw {
            let start = 2 + hashes.len();
            rest[start..].find(&format!("\"{hashes}")).map_or(rest.len(), |end| start + end + 1 + hashes.len())
        } else if c == '"' || (c == '\'' && (rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\''))) {
            let mut is_escaped = false;
            let end = rest[1..].find(|next| {
                let is_end = next == c && !is_escaped;
                is_escaped = next == '\\' && !is_escaped;
                is_end
            });
            end.map_or(rest.len(), |end| end + 2)
        } else {
            kept.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        rest = &rest[length..];
    }
    kept
}

/// True for a character of a name.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Module {
    /// Adds the paths of a source outside of tests.
    fn add(&mut self, source: &str) {
        let code = code_of(source);
        let mut other = String::new();
        let mut rest = &*code;
        while let Some((line, after)) = rest.split_once('\n') {
            let start = line.trim_start();
            match start.split_once("use ").filter(|(before, _)| before.is_empty() || before.starts_with("pub")) {
                Some((before, _)) => {
                    let tree = &rest[line.len() - start.len() + before.len() + "use ".len()..];
                    let (tree, after) = tree.split_once(';').unwrap_or((tree, ""));
                    add_paths(&[], tree, &mut self.used);
                    rest = after;
                }
                None => {
                    other.extend([line, "\n"]);
                    rest = after;
                }
            }
        }
        let paths = other.split(|c: char| !is_of_name(c) && c != ':').filter(|path| path.contains("::"));
        self.named.extend(paths.map(|path| path.split("::").map(str::to_owned).collect::<Names>()));
    }
}

impl Package {
    /// Returns the module with a file in which a path from `module` ends. `None` for paths to other packages.
    fn module_of(&self, module: &[String], path: &[String], most_exports: usize) -> Option<Names> {
        let first = path.first()?.as_str();
        let above = path.iter().take_while(|name| *name == "super").count();
        let (mut found, mut rest) = match first {
            "crate" => (Names::new(), &path[1..]),
            "super" => (module[..module.len() - above].to_vec(), &path[above..]),
            "self" => (module.to_vec(), &path[1..]),
            _ => (module.to_vec(), path),
        };
        let mut is_own = ["crate", "super", "self"].contains(&first);
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
            let (_, path) = self.0.get(&found)?.used.iter().find(|(name, _)| name == item)?;
            self.module_of(&found, path, most_exports - 1)
        });
        is_own.then(|| exported.unwrap_or(found))
    }

    /// Returns the modules that each module uses, except those that `is_left_out` names for it.
    fn uses(&self, is_left_out: fn(&Names, &Names) -> bool) -> BTreeMap<&Names, BTreeSet<Names>> {
        let used_by = |(name, module): (_, &Module)| {
            let name: &Names = name;
            let named = module.named.iter().map(|path| {
                let imported = module.used.iter().find(|(name, _)| *name == path[0]);
                imported.map_or_else(|| path.clone(), |(_, import)| [import, &path[1..]].concat())
            });
            let paths = module.used.iter().map(|(_, path)| path.clone()).chain(named);
            let used = paths.filter_map(|path| self.module_of(name, &path, 8));
            (name, used.filter(|used| used != name && !is_left_out(name, used)).collect())
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

/// Returns the circles of modules, without those of a module and modules in its own folder alone.
fn circles(package: &Package) -> Vec<String> {
    let mut found = BTreeMap::new();
    // Uses of a module above, and then of a module in the own folder, are left out.
    for is_left_out in [(|module, used| module.starts_with(used)) as fn(&Names, &Names) -> bool, |module, used| {
        used.starts_with(module)
    }] {
        let uses = package.uses(is_left_out);
        for circle in uses.keys().filter_map(|module| circle(module, &uses)) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            found.entry(names.iter().cloned().collect::<BTreeSet<_>>()).or_insert_with(|| names.join(" -> "));
        }
    }
    found.into_values().collect()
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
        packages.entry(folder).or_default().0.entry(module).or_default().add(&source);
    }
    assert!(packages.len() == PACKAGES.len() && packages.values().map(|package| package.0.len()).sum::<usize>() > 500);
    let of_package = |(folder, package)| circles(package).into_iter().map(move |circle| format!("{folder}: {circle}"));
    let circles: Vec<String> = packages.iter().flat_map(of_package).collect();
    assert!(circles.is_empty(), "files in circles: {circles:#?}");
}

#[test]
fn circles_of_files_are_found() {
    let found = |sources: &[(&str, &str)]| {
        let mut package = Package::default();
        for (module, source) in sources {
            let module = module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            package.0.entry(module).or_default().add(source);
        }
        circles(&package)
    };
    let lib = ("", "mod a;\nmod b;\n");
    assert_eq!(found(&[lib, ("a", "use crate::b::f;\n"), ("b", "use super::a::{self, g};\n")]), ["a -> b"]);
    // A path in an expression, once through what another file exports.
    let exporting = ("b", "mod inner;\npub(super) use inner::f;\n");
    let user = ("a", "use super::b;\nfn g() {\n    b::f();\n}\n");
    assert_eq!(found(&[lib, user, exporting, ("b::inner", "fn f() {\n    crate::a::g();\n}\n")]).len(), 2);
    // The module of a folder, whose files use another file that uses it.
    let parent = ("b", "mod inner;\nfn f() {\n    inner::h();\n}\n");
    assert_eq!(found(&[lib, user, parent, ("b::inner", "use crate::a;\n")]), ["a -> b -> b::inner"]);
    // Comments and texts name nothing, and a module and its own files may use each other.
    let text = ("b", "// crate::a::g\nconst T: &str = \"crate::a::g\";\nconst R: &str = r#\"\" crate::a::g\"#;\n");
    assert!(found(&[lib, user, text]).is_empty());
    assert!(found(&[lib, ("b", "fn f() {\n    inner::h();\n}\n"), ("b::inner", "use super::f;\n")]).is_empty());
}
