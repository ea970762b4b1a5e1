//! Tables of docs/engines-playback.md, generated from the engines' rules.

use bindpose::engines::{ENGINES, Engine, HiddenW, KeptWeights, Rate, Rule, X_ENGINES, XKeys, XPlayback};
use std::fmt::Write;

/// Writes the tables of docs/engines-playback.md: the rules of each engine, and their sources.
pub fn tables() -> String {
    let mut text =
        String::from("| engine | a vertex is | weights kept | stored as | between frames |\n|---|---|---|---|---|\n");
    for engine in &ENGINES {
        let rules = [Rule::Vertex, Rule::Kept, Rule::Stored, Rule::Between].map(|rule| engine.rule(rule));
        let _ = writeln!(text, "| `{}`: {} | {} |", engine.name(), engine.title(), rules.join(" | "));
    }
    text += "\n| engine | components not in the frames | root's translation | joints of a clip | frames a second | \
             the last frame | a refused clip |\n|---|---|---|---|---|---|---|\n";
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

/// Writes the table of rules for `.x` files.
fn x_table() -> String {
    let mut text = String::from(
        "| engine | frames a second | weights kept | weights | keys and time | not followed |\n|---|---|---|---|---|---|\n",
    );
    for engine in &X_ENGINES {
        let Some(rules) = engine.x else { continue };
        let _ = writeln!(
            text,
            "| `{}`: {} | {} | {} | {} | {} | {} |",
            engine.name(),
            engine.title(),
            rate_words(rules),
            match rules.kept {
                KeptWeights::None => "none",
                KeptWeights::Slots(_) => "4, the strongest; divided by their sum",
                _ => "all; divided by their sum",
            },
            engine.sources.vertices,
            keys_words(engine),
            engine.left_out
        );
    }
    text
}

fn rate_words(rules: XPlayback) -> String {
    let rate = rules.rate;
    match rules.keys {
        XKeys::None => "no clips".to_owned(),
        XKeys::Samples => format!("the file's ticks, else {rate}, by the mean distance of keys"),
        XKeys::OneTimeline if rules.uses_file_rate => format!("the file's, else {rate}"),
        XKeys::OneTimeline => rate.to_string(),
    }
}

/// Joins the sources of rules for keys and time.
fn keys_words(engine: &Engine) -> String {
    let sources = [engine.sources.frames, engine.sources.between, engine.sources.time];
    sources.into_iter().filter(|source| !source.is_empty()).collect::<Vec<_>>().join("; ")
}
