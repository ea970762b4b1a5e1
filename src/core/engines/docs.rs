//! The rules as a table: what docs/engines-playback.md holds, made from the rows.

use super::{ENGINES, HiddenW, Kept, Rate, Rule, X_ENGINES};
use std::fmt::Write;

/// The tables of docs/engines-playback.md: a row for each engine, and where each rule was read.
pub fn tables() -> String {
    let mut text =
        String::from("| engine | a vertex is | weights kept | stored as | between frames |\n|---|---|---|---|---|\n");
    for engine in &ENGINES {
        let rules = [Rule::Vertex, Rule::Kept, Rule::Stored, Rule::Between].map(|rule| engine.rule(rule));
        let _ = writeln!(text, "| `{}`: {} | {} |", engine.name(), engine.title(), rules.join(" | "));
    }
    text += "\n| engine | what frames leave out | root's translation | joints of a clip | frames a second | the last frame | \
             a clip that it does not take |\n|---|---|---|---|---|---|---|\n";
    for engine in &ENGINES {
        let left_out = engine.rule(Rule::LeftOut);
        let rules = [Rule::Root, Rule::Joints].map(|rule| engine.rule(rule));
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            engine.name(),
            if engine.uses_base_frame { left_out } else { format!("**{left_out}**") },
            rules.join(" | "),
            match engine.rate {
                Rate::File => "the file's",
                Rate::TenHertz => "10",
                Rate::ScriptOrTenHertz => "the script's, else 10",
            },
            if engine.wraps { "is interpolated to the first" } else { "is the end" },
            if engine.keeps_bind_pose { "leaves the bind pose" } else { "nothing is shown" }
        );
    }
    text += "\n| engine | vertices | between frames | frames and joints | time | not followed |\n|---|---|---|---|---|---|\n";
    for engine in &ENGINES {
        let sources = &engine.sources;
        let w = match engine.w {
            HiddenW::Absolute => format!("; w is {}", engine.rule(Rule::HiddenW)),
            HiddenW::Clamped => String::new(),
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {}{w} | {} | {} |",
            engine.name(),
            sources.vertices,
            sources.between,
            sources.frames,
            sources.time,
            engine.left_out
        );
    }
    text + "\n### `.x` files\n\n" + &x_table()
}

/// The rules of `.x` files.
fn x_table() -> String {
    let mut text = String::from(
        "| engine | frames a second | weights kept | weights | keys and time | not followed |\n|---|---|---|---|---|---|\n",
    );
    for engine in &X_ENGINES {
        let Some(rules) = engine.x else { continue };
        let _ = writeln!(
            text,
            "| `{}`: {} | {} | {} | {} | {}; {}; {} | {} |",
            engine.name(),
            engine.title(),
            if rules.uses_file_rate { format!("the file's, else {}", rules.rate) } else { rules.rate.to_string() },
            if rules.kept == Kept::All {
                "all; divided by their sum"
            } else {
                "4, the strongest; divided by their sum"
            },
            engine.sources.vertices,
            engine.sources.frames,
            engine.sources.between,
            engine.sources.time,
            engine.left_out
        );
    }
    text
}
