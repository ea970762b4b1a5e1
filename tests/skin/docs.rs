//! The reference of methods and the table hold together.

use bindpose::skin::MethodId;

/// The methods of the articles.
const METHODS_OF_THE_ARTICLES: [&str; 18] = [
    "cpu",
    "ffp",
    "ffp-indexed",
    "matrix-loop",
    "matrix-unrolled",
    "matrix-blend",
    "gradient",
    "joint-offsets",
    "quat-array",
    "bone-texture",
    "sjb",
    "sjbbe",
    "sbs",
    "dqs",
    "cor",
    "rigid",
    "morph",
    "gpu-hierarchy",
];

#[test]
fn the_reference_has_the_methods_of_the_articles_and_none_that_is_not_there() {
    let page = include_str!("../../docs/methods.md");
    let named: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(name, _)| name).collect();
    for name in METHODS_OF_THE_ARTICLES {
        assert!(named.contains(&name), "docs/methods.md lacks {name}");
    }
    for name in named {
        assert!(name.parse::<MethodId>().is_ok(), "docs/methods.md has {name}, which no row has");
    }
}
