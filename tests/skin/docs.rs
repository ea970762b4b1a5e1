//! `docs/methods.md` agrees with the table of methods.

use bindpose::skin::{Capacity, Limits, METHODS, MethodId};

const PAGE: &str = include_str!("../../docs/methods.md");

#[test]
fn the_page_describes_every_method_and_no_other() {
    let named: Vec<&str> =
        PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(name, _)| name).collect();
    for method in METHODS {
        assert!(named.contains(&method.name), "docs/methods.md lacks {}", method.name);
    }
    for name in named {
        assert!(name.parse::<MethodId>().is_ok(), "docs/methods.md has {name}, which no row has");
    }
}

/// Headers such as "JOINTS joints in a batch (82 at 256 registers)".
#[test]
fn headers_of_shaders_have_the_joints_of_a_batch() {
    let mut named = 0;
    for method in METHODS {
        let text = bindpose_shaders::built_in(&format!("{}.vert", method.shader)).expect("a shader");
        let before = text.split_once(" at 256 registers").map(|(before, _)| before);
        let Some((_, joints)) = before.and_then(|before| before.rsplit_once('(')) else { continue };
        assert_eq!(
            Limits::Vs20.capacity(method, 256).map(|most| most.to_string()).as_deref(),
            Some(joints),
            "{}",
            method.name
        );
        named += 1;
    }
    assert!(named >= 9, "{named}");
}

/// "Limits and batches" has the numbers of the articles: registers per joint, joints per batch, influences, GLSL,
/// methods.
#[test]
fn the_table_of_limits_agrees_with_the_articles() {
    let (_, section) = PAGE.split_once("## Limits and batches").expect("the section");
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let mut seen = Vec::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [registers, joints, influences, glsl, methods] = cells[..] else { panic!("{row}") };
        for name in methods.split(", ").map(|name| name.trim_matches('`')) {
            let method = name.parse::<MethodId>().expect("a method").method();
            assert_eq!(method.joint_data.registers().to_string(), registers, "{name}: registers");
            let capacity = match method.capacity {
                Capacity::Any => "any".to_owned(),
                Capacity::Always(joints) => format!("always {joints}"),
                Capacity::Budget(None) => "by registers".to_owned(),
                Capacity::Budget(Some(joints)) => format!("by registers, at most {joints}"),
            };
            assert_eq!(capacity, joints, "{name}: joints");
            assert_eq!(method.influences.map_or("any".to_owned(), |count| count.to_string()), influences, "{name}");
            let version = method.glsl.map_or("none".to_owned(), |glsl| format!("{}.{}", glsl / 100, glsl % 100));
            assert_eq!(version, glsl, "{name}: GLSL");
            seen.push(name);
        }
    }
    seen.sort_unstable();
    let mut all: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    all.sort_unstable();
    assert_eq!(seen, all);
}
