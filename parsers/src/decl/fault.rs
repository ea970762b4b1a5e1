//! Faults of decls and their effects in the engine.

use crate::Span;

/// Fault and its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Bytes at fault. For something missing, the point where it was expected.
    pub span: Span,
}

/// Effect of a fault in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Impact {
    /// No effect, or no visible effect.
    Nothing,
    /// The engine ignores a part: the word, the pair, the joint, or the rest of the file.
    Part,
    /// The engine ignores the whole decl and uses its default.
    Decl,
}

/// Kinds of faults in decls. Words are as written.
#[expect(missing_docs, reason = "the messages describe variants and fields")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    // Words.
    #[error("a comment inside a comment; the first '*/' ends both")]
    NestedComment,
    #[error("this comment has no end and hides the rest of the file")]
    OpenComment,
    #[error("the string has no closing quote on its line")]
    OpenString,
    #[error("'{}' cannot begin a word", char::from(*byte).escape_default())]
    Character { byte: u8 },
    /// `1.2.3`
    #[error("a number has one dot")]
    TwoDots,
    /// `1.#IND`
    #[error("not a number but the result of a failed calculation")]
    NotFinite,

    // Files.
    #[error("a decl has no name; its block is skipped")]
    MissingName,
    #[error("expected '{{' after the name '{name}', found '{found}'")]
    MissingBlock { name: String, found: String },
    /// A closing brace has no opening brace.
    #[error("one '}}' too many; it is read as a name, and '{swallowed}' behind it is lost")]
    StrayBrace { swallowed: String },
    /// The file ends after a type or name.
    #[error("'{word}' at the end of the file has no block")]
    NoDefinition { word: String },
    #[error("the block of '{name}' is not closed{}", hidden.as_ref().map_or_else(String::new, |hidden| format!("; '{hidden}' and what follows seem to be inside it")))]
    OpenBlock { name: String, hidden: Option<String> },

    // Any decl.
    #[error("expected {expected}, found '{found}'")]
    Expected { expected: &'static str, found: String },
    #[error("expected {expected}, found the end of the decl")]
    UnexpectedEnd { expected: &'static str },
    #[error("expected {expected}, found the end of the line")]
    UnexpectedLineEnd { expected: &'static str },

    // Materials.
    /// The word is neither a keyword of materials nor of any surface.
    #[error("'{word}' is not a keyword of a material")]
    UnknownMaterialWord { word: String },
    #[error("'{word}' is not a keyword of a stage")]
    UnknownStageWord { word: String },
    #[error("'{word}' is not a blend mode")]
    UnknownBlend { word: String },
    #[error("'{word}' is not a kind of deform")]
    UnknownDeform { word: String },
    #[error("'{word}' is not a kind of texGen")]
    UnknownTexGen { word: String },
    #[error("'{word}' is not a sort order; 0 (opaque) is used")]
    UnknownSort { word: String },
    #[error("a stage has no image; the default is drawn")]
    StageWithoutImage,
    #[error("there are more than 256 stages")]
    TooManyStages,
    #[error("a minus before '{found}'; in an expression it may only precede a number")]
    BadMinus { found: String },
    #[error("'{found}' is not a term of an expression")]
    BadTerm { found: String },
    /// `rotate` is used without the tables for sines and cosines.
    #[error("rotate needs the tables sinTable and cosTable, which the game does not declare")]
    NoRotationTable,
    #[error("it is nested more than {limit} deep")]
    TooDeep { limit: usize },

    // Image programs.
    #[error("expected '{expected}' in the image program, found {}", if found.is_empty() { "its end".to_owned() } else { format!("'{found}', which is skipped") })]
    ImageProgramWord { expected: &'static str, found: String },
    /// The engine's buffer for the name is too short.
    #[error("the image program has {length} characters; at most 256 are allowed")]
    LongImageProgram { length: usize },

    // Tables.
    #[error("the table is broken ({why}); every look-up in it gives 1")]
    BrokenTable { why: Box<FaultKind> },

    // Skins.
    #[error("'{from}' is already replaced by an earlier pair")]
    HiddenPair { from: String },
    /// The closing brace is in place of the second name of a pair.
    #[error("'{from}' has no second name; the closing brace is read as one")]
    HalfPair { from: String },

    // Model decls.
    /// Keywords of model decls are case-sensitive.
    #[error("'{word}' is not a keyword of a model decl{}", if *wrong_case { "; its keywords are in lower case" } else { "" })]
    UnknownModelWord { word: String, wrong_case: bool },
    #[error("'{word}' is not a keyword of an anim's block")]
    UnknownAnimWord { word: String },
    #[error("'{word}' is not a frame command")]
    UnknownCommand { word: String },
    #[error("'{name}' is not an anim name: without the digits at its end it needs two characters")]
    AnimName { name: String },
    #[error("the anim '{name}' is declared twice")]
    DuplicateAnim { name: String },
    #[error("an anim has at most 3 files")]
    TooManySynced,
    #[error("the mesh must come before the anims")]
    AnimBeforeMesh,
    #[error("the mesh must come before the channels")]
    ChannelBeforeMesh,
    #[error("'{name}' is not a channel; channels are torso, legs, head and eyelids")]
    UnknownChannel { name: String },
    #[error("'{file}' is not an .md5mesh file")]
    MeshExtension { file: String },
    #[error("'{name}' is an anim of this decl; only inherited ones can be removed")]
    RemovesOwn { name: String },
    #[error("frame {found} is cut to a whole number")]
    FractionalFrame { found: String },

    // entityDefs.
    #[error("expected a key in quotes, found '{found}'")]
    UnquotedKey { found: String },
    #[error("the key '{key}' is repeated; the last one counts")]
    DuplicateKey { key: String },
}

impl FaultKind {
    /// Returns the effect in the engine.
    pub fn impact(&self) -> Impact {
        match self {
            Self::NestedComment
            | Self::UnknownSort { .. }
            | Self::HiddenPair { .. }
            | Self::HalfPair { .. }
            | Self::FractionalFrame { .. }
            | Self::DuplicateKey { .. } => Impact::Nothing,
            Self::OpenComment
            | Self::OpenString
            | Self::Character { .. }
            | Self::TwoDots
            | Self::NotFinite
            | Self::MissingName
            | Self::MissingBlock { .. }
            | Self::StrayBrace { .. }
            | Self::NoDefinition { .. }
            | Self::OpenBlock { .. }
            | Self::ImageProgramWord { .. }
            | Self::LongImageProgram { .. }
            | Self::StageWithoutImage
            | Self::BrokenTable { .. } => Impact::Part,
            _ => Impact::Decl,
        }
    }
}
