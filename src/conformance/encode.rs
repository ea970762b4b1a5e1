//! Encodings of `.x` files.

use anyhow::{Context, ensure};
use bindpose_parsers::x::{self, Reading};
use serde::Deserialize;

/// Encoding of a `.x` file. Its folder has the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    Text,
    Binary,
    TextCompressed,
    BinaryCompressed,
}

impl Encoding {
    /// Returns the folder of its files.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Binary => "binary",
            Self::TextCompressed => "text-compressed",
            Self::BinaryCompressed => "binary-compressed",
        }
    }
}

/// Writes a text file in another encoding.
pub fn encode(text: &[u8], encoding: Encoding) -> anyhow::Result<Vec<u8>> {
    let encoding = match encoding {
        Encoding::Text => return Ok(text.to_vec()),
        Encoding::Binary => x::Encoding::BINARY,
        Encoding::TextCompressed => x::Encoding::TEXT.compressed(),
        Encoding::BinaryCompressed => x::Encoding::BINARY.compressed(),
    };
    let file = x::unpack(text, Reading::Lenient)?;
    let parsed = x::parse(&file, Reading::Lenient)?;
    ensure!(parsed.warnings.is_empty(), "only valid files have other encodings: {:?}", parsed.warnings);
    Ok(x::write_tree(&parsed.tree, encoding))
}

/// Converts pairs of hexadecimal digits to bytes.
pub fn bytes(digits: &str) -> anyhow::Result<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect()
}

/// Creates a binary file from tokens: `name:Mesh`, `text:a.png`, `int:3`, `ints:3,0,1`, `floats:0.5`, `doubles:0.5`,
/// punctuation, and other tokens by number, `token:99`. The first word is the header, with `_` for spaces.
pub fn assemble(tokens: &str) -> anyhow::Result<Vec<u8>> {
    let mut words = tokens.split_whitespace();
    let mut bytes = words.next().context("a header")?.replace('_', " ").into_bytes();
    ensure!(bytes.len() == 16, "a header of 16 bytes");
    for word in words {
        let (kind, value) = word.split_once(':').unwrap_or((word, ""));
        let (count, list) = (value.split(',').count() as u32, value.split(','));
        let mut token = |id: u16, rest: &[u8]| {
            bytes.extend(id.to_le_bytes());
            bytes.extend(rest);
        };
        let counted = |count: u32, rest: &[u8]| [&count.to_le_bytes()[..], rest].concat();
        match kind {
            "name" => token(1, &counted(value.len() as u32, value.as_bytes())),
            "text" => token(2, &counted(value.len() as u32, value.as_bytes())),
            "int" => token(3, &value.parse::<u32>()?.to_le_bytes()),
            "ints" => {
                let numbers: Vec<u32> = list.map(str::parse).collect::<Result<_, _>>()?;
                token(6, &counted(count, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>()));
            }
            "floats" => {
                let numbers: Vec<f32> = list.map(str::parse).collect::<Result<_, _>>()?;
                token(7, &counted(count, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>()));
            }
            "doubles" => {
                let numbers: Vec<f64> = list.map(str::parse).collect::<Result<_, _>>()?;
                token(7, &counted(count, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>()));
            }
            "token" => token(value.parse()?, &[]),
            mark => {
                let at =
                    ["{", "}", "(", ")", "[", "]", "<", ">", ".", ",", ";"].iter().position(|known| *known == mark);
                token(10 + at.with_context(|| format!("no token is called '{mark}'"))? as u16, &[]);
            }
        }
    }
    Ok(bytes)
}
