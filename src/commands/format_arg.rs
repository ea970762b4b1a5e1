//! Option `--format` of commands that print text or JSON.

use bindpose::dump::TextFormat;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Option `--format`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct FormatArg {
    /// Form of the output
    #[arg(long, value_parser = text_or_json(), default_value = "text")]
    format: TextFormat,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArg {
    /// Returns the form of the output.
    pub fn get(self) -> TextFormat {
        if self.json { TextFormat::Json } else { self.format }
    }

    /// True for JSON.
    pub fn is_json(self) -> bool {
        self.get() == TextFormat::Json
    }
}

fn text_or_json() -> impl TypedValueParser<Value = TextFormat> {
    PossibleValuesParser::new(["text", "json"]).map(|of| if of == "json" { TextFormat::Json } else { TextFormat::Text })
}
