//! The reference of methods and the table hold together.

use bindpose::skin::{METHODS, MethodId};

#[test]
fn the_reference_has_every_method_and_none_that_is_not_there() {
    let page = include_str!("../../docs/methods.md");
    let named: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(name, _)| name).collect();
    for method in METHODS {
        assert!(named.contains(&method.name), "docs/methods.md lacks {}", method.name);
    }
    let said = format!("the {} methods, their limits", METHODS.len());
    assert!(include_str!("../../README.md").contains(&said), "README.md says another number of methods");
    for name in named {
        assert!(name.parse::<MethodId>().is_ok(), "docs/methods.md has {name}, which no row has");
    }
}
