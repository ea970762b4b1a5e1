//! ARCHITECTURE.md names files that exist, and under "Where to add" items that they contain.

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
