//! The reference of methods names every method.

#[test]
fn every_method_has_its_row_in_the_reference() {
    let page = include_str!("../docs/methods.md");
    for method in bindpose::skin::METHODS {
        assert!(page.contains(&format!("| `{}` |", method.name)), "docs/methods.md lacks {}", method.name);
    }
}
