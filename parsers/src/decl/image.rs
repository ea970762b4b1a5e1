//! Reads image programs: images, and functions of images.

use super::fault::{Fault, FaultKind};
use super::lex::Lexer;
use super::{Fallible, MAX_DEPTH, Parsed, word};
use crate::Span;
use std::fmt;

/// Longest text that an engine supports, in characters.
const LONGEST: usize = 256;

/// Functions of image programs, in any case.
pub const IMAGE_FUNCTIONS: [&str; 9] = [
    "heightmap",
    "addnormals",
    "smoothnormals",
    "add",
    "scale",
    "invertAlpha",
    "invertColor",
    "makeIntensity",
    "makeAlpha",
];

/// Image, or function of images.
#[derive(Debug, Clone, PartialEq)]
pub enum ImageProgram {
    /// Image by name.
    Image(String),
    /// Bump map from heights, scaled by a number.
    HeightMap(Box<ImageProgram>, f64),
    /// Sum of the slopes of two bump maps.
    AddNormals(Box<ImageProgram>, Box<ImageProgram>),
    /// Blurred bump map.
    SmoothNormals(Box<ImageProgram>),
    /// Sum of two images.
    Add(Box<ImageProgram>, Box<ImageProgram>),
    /// Each channel multiplied by a number.
    Scale(Box<ImageProgram>, [f64; 4]),
    /// 255 minus alpha.
    InvertAlpha(Box<ImageProgram>),
    /// 255 minus red, green and blue.
    InvertColor(Box<ImageProgram>),
    /// Red in all four channels.
    MakeIntensity(Box<ImageProgram>),
    /// Mean of red, green and blue as alpha, on white.
    MakeAlpha(Box<ImageProgram>),
}

impl ImageProgram {
    /// Returns the names of its images in the order of the text.
    pub fn images(&self) -> Vec<&str> {
        match self {
            Self::Image(name) => vec![name],
            Self::AddNormals(a, b) | Self::Add(a, b) => [a.images(), b.images()].concat(),
            Self::HeightMap(of, _)
            | Self::SmoothNormals(of)
            | Self::Scale(of, _)
            | Self::InvertAlpha(of)
            | Self::InvertColor(of)
            | Self::MakeIntensity(of)
            | Self::MakeAlpha(of) => of.images(),
        }
    }
}

/// Writes the name of the image in the engine. It has a blank before each name and number except the first, and none
/// before brackets and commas.
impl fmt::Display for ImageProgram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(name) => out.write_str(name),
            Self::HeightMap(of, scale) => write!(out, "heightmap( {of}, {})", *scale as f32),
            Self::AddNormals(a, b) => write!(out, "addnormals( {a}, {b})"),
            Self::SmoothNormals(of) => write!(out, "smoothnormals( {of})"),
            Self::Add(a, b) => write!(out, "add( {a}, {b})"),
            Self::Scale(of, factors) => {
                let [r, g, b, a] = factors.map(|factor| factor as f32);
                write!(out, "scale( {of}, {r}, {g}, {b}, {a})")
            }
            Self::InvertAlpha(of) => write!(out, "invertAlpha( {of})"),
            Self::InvertColor(of) => write!(out, "invertColor( {of})"),
            Self::MakeIntensity(of) => write!(out, "makeIntensity( {of})"),
            Self::MakeAlpha(of) => write!(out, "makeAlpha( {of})"),
        }
    }
}

/// Reads an image program, such as a shader name without a material. A word in place of a bracket or comma is skipped,
/// as in the engine.
///
/// # Errors
///
/// The text ends before an image or a number, or is nested too deep.
pub fn parse_image_program(text: &[u8]) -> Result<Parsed<ImageProgram>, Fault> {
    let mut lexer = Lexer::new(text, Span::new(0, text.len()));
    let program = program(&mut lexer)?;
    Ok(Parsed { decl: program, faults: lexer.faults })
}

// program ::= name | function '(' program { ',' (program | number) } ')'
pub(super) fn program(lexer: &mut Lexer<'_>) -> Fallible<ImageProgram> {
    let start = lexer.peek().map_or(lexer.end_point(), |token| token.span);
    let found = inner(lexer, 0)?;
    let length = found.to_string().len();
    if length > LONGEST {
        lexer.add(FaultKind::LongImageProgram { length }, start.to(lexer.end_point()));
    }
    Ok(found)
}

fn inner(lexer: &mut Lexer<'_>, depth: usize) -> Fallible<ImageProgram> {
    let name = word(lexer, "an image")?;
    if depth > MAX_DEPTH {
        return Err(Fault { kind: FaultKind::TooDeep { limit: MAX_DEPTH }, span: name.span });
    }
    let Some(function) = IMAGE_FUNCTIONS.into_iter().find(|function| name.is(function)) else {
        return Ok(ImageProgram::Image(name.to_text()));
    };
    mark(lexer, "(");
    let first = Box::new(inner(lexer, depth + 1)?);
    let found = match function {
        "heightmap" => ImageProgram::HeightMap(first, number(lexer)?),
        "addnormals" => ImageProgram::AddNormals(first, second(lexer, depth)?),
        "add" => ImageProgram::Add(first, second(lexer, depth)?),
        "scale" => {
            let mut factors = [0.0; 4];
            for factor in &mut factors {
                *factor = number(lexer)?;
            }
            ImageProgram::Scale(first, factors)
        }
        "smoothnormals" => ImageProgram::SmoothNormals(first),
        "invertAlpha" => ImageProgram::InvertAlpha(first),
        "invertColor" => ImageProgram::InvertColor(first),
        "makeIntensity" => ImageProgram::MakeIntensity(first),
        _ => ImageProgram::MakeAlpha(first),
    };
    mark(lexer, ")");
    Ok(found)
}

fn second(lexer: &mut Lexer<'_>, depth: usize) -> Fallible<Box<ImageProgram>> {
    mark(lexer, ",");
    inner(lexer, depth + 1).map(Box::new)
}

fn number(lexer: &mut Lexer<'_>) -> Fallible<f64> {
    mark(lexer, ",");
    Ok(word(lexer, "a number")?.number())
}

/// Takes a bracket or comma. Skips any other word in its place.
fn mark(lexer: &mut Lexer<'_>, expected: &'static str) {
    let (found, span) = match lexer.next() {
        Some(token) if token.is_exactly(expected) => return,
        Some(token) => (token.to_text(), token.span),
        None => (String::new(), lexer.end_point()),
    };
    lexer.add(FaultKind::ImageProgramWord { expected, found }, span);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed<ImageProgram> {
        parse_image_program(text.as_bytes()).unwrap()
    }

    #[test]
    fn m14_programs_are_trees_with_one_text() {
        let parsed = read("AddNormals(models/a_local.tga,heightmap( models/a_h.tga , 4 ))");
        assert_eq!(parsed.decl.to_string(), "addnormals( models/a_local.tga, heightmap( models/a_h.tga, 4))");
        assert_eq!(parsed.decl.images(), ["models/a_local.tga", "models/a_h.tga"]);
        assert!(parsed.faults.is_empty());
        assert_eq!(
            read("scale(a, 1, .5, 2, 1)").decl,
            ImageProgram::Scale(Box::new(ImageProgram::Image("a".into())), [1.0, 0.5, 2.0, 1.0])
        );
        // The engine's numbers are 32-bit floats.
        let uneven = read("heightmap(scale(a, 0.3, 0.42, 1, 1), 0.1)").decl;
        assert_eq!(uneven.to_string(), "heightmap( scale( a, 0.3, 0.42, 1, 1), 0.1)");
    }

    #[test]
    fn m21_a_missing_comma_swallows_the_next_word() {
        let parsed = read("heightmap(a.tga 4)");
        let faults: Vec<_> = parsed.faults.iter().map(|fault| (fault.kind.to_string(), fault.span.start)).collect();
        assert_eq!(faults[0], ("expected ',' in the image program, found '4', which is skipped".to_owned(), 16));
        // The bracket is read as the number, so the number's bracket is missing.
        assert_eq!((faults.len(), faults[1].1), (2, 18));
        assert_eq!(parsed.decl, ImageProgram::HeightMap(Box::new(ImageProgram::Image("a.tga".into())), 0.0));
        assert!(parse_image_program(b"add(a,").is_err());
    }

    #[test]
    fn m22_nesting_is_bounded() {
        let text = "invertColor(".repeat(10_000);
        let fault = parse_image_program(text.as_bytes()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::TooDeep { limit: MAX_DEPTH });
        let text = format!("{}a{}", "invertColor(".repeat(20), ")".repeat(20));
        assert!(read(&text).faults.iter().any(|fault| matches!(fault.kind, FaultKind::LongImageProgram { .. })));
    }
}
