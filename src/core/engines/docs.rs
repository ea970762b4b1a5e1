//! The rules as a table: what docs/engines-playback.md holds, made from the rows.

use super::{Between, ENGINES, Engine, HiddenW, Joints, Kept, Positions, Rate, Root, Vertex, Weights};
use std::fmt::Write;

/// The tables of docs/engines-playback.md: a row for each engine, and where each rule was read.
pub fn tables() -> String {
    let mut text =
        String::from("| engine | a vertex is | weights kept | stored as | between frames |\n|---|---|---|---|---|\n");
    for engine in &ENGINES {
        let _ = writeln!(
            text,
            "| `{}`: {} | {} | {} | {} | {} |",
            engine.name,
            engine.title,
            engine.vertex.words(),
            engine.kept_words(),
            engine.stored_words(),
            engine.between.words()
        );
    }
    text += "\n| engine | what frames leave out | root's translation | joints of a clip | frames a second | the last frame |\n\
             |---|---|---|---|---|---|\n";
    for engine in &ENGINES {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            engine.name,
            if engine.uses_base_frame { "the base frame's" } else { "**0**" },
            match engine.root {
                Root::File => "as in the file",
                Root::RelativeToBaseFrame => "animated axes less the base frame's, others 0",
            },
            match engine.joints {
                Joints::ByName => "by name, under the clip's parents",
                Joints::ByPlace => "by place",
                Joints::ByPlaceClipsParents => "by place, under the clip's parents",
            },
            match engine.rate {
                Rate::File => "the file's",
                Rate::TenHertz => "10",
                Rate::ScriptOrTenHertz => "the script's, else 10",
            },
            if engine.wraps { "goes over to the first" } else { "is the end" }
        );
    }
    text += "\n| engine | vertices | between frames | frames and joints | time | not followed |\n|---|---|---|---|---|---|\n";
    for engine in &ENGINES {
        let sources = &engine.sources;
        let w = if engine.w == HiddenW::Absolute { "; w is `sqrt(abs(1 - xyz²))`" } else { "" };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {}{w} | {} | {} |",
            engine.name, sources.vertices, sources.between, sources.frames, sources.time, engine.left_out
        );
    }
    text
}

impl Vertex {
    fn words(self) -> &'static str {
        match self {
            Self::Offsets => "its own offset for each weight",
            Self::BindPosition => "one bind position",
            Self::DualQuaternions => "one bind position, moved by blended dual quaternions",
        }
    }
}

impl Between {
    fn words(self) -> &'static str {
        match self {
            Self::Vertices => "the vertices of both frames",
            Self::ModelSpace => "joints in model space, spherically",
            Self::LocalMatrices => "the elements of the joints' local matrices",
            Self::LocalSpace => "joints in their parent's space, spherically",
            Self::LocalDualQuaternions => "the joints' local dual quaternions, linearly, normalised",
        }
    }
}

impl Engine {
    fn kept_words(&self) -> String {
        let kept = match self.kept {
            Kept::All => "all".to_owned(),
            Kept::Slots(count) => format!("{count}: a heavier one takes the lightest's place"),
            Kept::HeaviestFour => "4, the heaviest".to_owned(),
            Kept::HeaviestFourOverThousandth => "4, the heaviest over 0.001".to_owned(),
        };
        kept + if self.divided { "; divided by their sum" } else { "" }
    }

    fn stored_words(&self) -> String {
        let weights = match self.weights {
            Weights::Float => "floats",
            Weights::FloatWithByteTranslation => {
                "floats; for the joints' translations bytes, cut off, divided by their sum"
            }
            Weights::CutBytes => "bytes, cut off, not made to add up",
            Weights::RoundedBytes => "bytes, rounded, not made to add up",
            Weights::CutBytesRestToHeaviest => "bytes, cut off, the rest to the heaviest",
            Weights::RoundedBytesToFull => "bytes that add up",
        };
        let positions = match self.positions {
            Positions::Float => "",
            Positions::CutHalf => "; the position as half floats, cut off",
            Positions::Fraction16 => "; the position in 16 bits",
        };
        format!("{weights}{positions}")
    }
}
