//! What is wrong with a decl, and what the engine loses by it.

use crate::Span;

/// A fault at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The culprit's bytes; for something missing, the point where it was expected.
    pub span: Span,
}

/// What the engine loses by a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Nothing, or nothing that shows.
    Nothing,
    /// A part: the word, the pair, the joint, the rest of the file.
    Part,
    /// The whole decl: the engine uses its default, as if nothing were written.
    Decl,
}

/// One variant per defect.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    // Words.
    /// A `/*` inside a comment.
    #[error("a comment inside a comment; the first '*/' ends both")]
    NestedComment,
    /// A `/*` without `*/`.
    #[error("this comment has no end and hides the rest of the file")]
    OpenComment,
    /// A string whose line ends first.
    #[error("the string has no closing quote on its line")]
    OpenString,
    /// A byte that begins no word.
    #[error("'{}' begins no word", char::from(*byte).escape_default())]
    Character {
        /// The byte.
        byte: u8,
    },
    /// `1.2.3`
    #[error("a number has one dot")]
    TwoDots,
    /// `1.#IND`
    #[error("this is no number but what a failed calculation prints")]
    NotFinite,

    // Files.
    /// `{` where a name should be.
    #[error("a decl has no name; its block is skipped")]
    MissingName,
    /// A name without a block.
    #[error("expected '{{' after the name '{name}', found '{found}'")]
    MissingBlock {
        /// The name.
        name: String,
        /// What stands there.
        found: String,
    },
    /// A type or name at the end of the file.
    #[error("'{word}' stands at the end of the file without a block")]
    NoDefinition {
        /// The last word.
        word: String,
    },
    /// A block that is not closed.
    #[error("the block of '{name}' is not closed")]
    OpenBlock {
        /// The decl.
        name: String,
    },

    // Any decl.
    /// A word of the wrong sort.
    #[error("expected {expected}, found '{found}'")]
    Expected {
        /// What would have been right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The decl ends too early.
    #[error("expected {expected}, found the end of the decl")]
    UnexpectedEnd {
        /// What would have been right.
        expected: &'static str,
    },
    /// A line that ends in the middle of something.
    #[error("expected {expected}, found the end of the line")]
    UnexpectedLineEnd {
        /// What would have been right.
        expected: &'static str,
    },

    // Materials.
    /// Neither a word of materials nor of any surface.
    #[error("'{word}' is no word of a material")]
    UnknownMaterialWord {
        /// As written.
        word: String,
    },
    /// Not a word of a stage.
    #[error("'{word}' is no word of a material's stage")]
    UnknownStageWord {
        /// As written.
        word: String,
    },
    /// A blend of no known name.
    #[error("'{word}' is no blend mode")]
    UnknownBlend {
        /// As written.
        word: String,
    },
    /// A deform of no known name.
    #[error("'{word}' is no kind of deform")]
    UnknownDeform {
        /// As written.
        word: String,
    },
    /// A way to make texture coordinates that is not known.
    #[error("'{word}' is no kind of texGen")]
    UnknownTexGen {
        /// As written.
        word: String,
    },
    /// A sort order of no known name.
    #[error("'{word}' is no order to draw in; it counts as 0, subview")]
    UnknownSort {
        /// As written.
        word: String,
    },
    /// A stage that has nothing to draw.
    #[error("a stage has no image; the default is drawn")]
    StageWithoutImage,
    /// More stages than the engine holds.
    #[error("there are more than 256 stages")]
    TooManyStages,
    /// A minus before something that is no number.
    #[error("a minus stands before '{found}'; in an expression it goes with a number only")]
    BadMinus {
        /// What stands there.
        found: String,
    },
    /// A term that is neither a number nor anything that has a value.
    #[error("'{found}' is no term of an expression")]
    BadTerm {
        /// What stands there.
        found: String,
    },
    /// `rotate` without the tables that hold sines and cosines.
    #[error("rotate needs the tables sinTable and cosTable, which the game does not declare")]
    NoRotationTable,
    /// Brackets in brackets without end.
    #[error("it is nested more than {limit} deep")]
    TooDeep {
        /// How deep it may be.
        limit: usize,
    },

    // Image programs.
    /// A comma or bracket is missing; the engine swallows what stands there instead.
    #[error("expected '{expected}' in the image program, found {}", if found.is_empty() { "its end".to_owned() } else { format!("'{found}', which is skipped") })]
    ImageProgramWord {
        /// What would have been right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The name for it has no room.
    #[error("the image program has {length} characters; 256 are the most")]
    LongImageProgram {
        /// Characters.
        length: usize,
    },

    // Tables.
    /// A table that cannot be read.
    #[error("the table is broken ({why}); every look-up in it gives 1")]
    BrokenTable {
        /// How.
        why: String,
    },

    // Skins.
    /// A pair that an earlier one hides.
    #[error("'{from}' is replaced by an earlier pair already")]
    HiddenPair {
        /// What should be replaced.
        from: String,
    },
    /// The closing brace stands where the second name of a pair should.
    #[error("'{from}' has no second name; the closing brace is taken for it")]
    HalfPair {
        /// The name without a partner.
        from: String,
    },

    // Model decls.
    /// Not a word of a model decl, in which case matters.
    #[error("'{word}' is no word of a model decl{}", if *wrong_case { "; its words are written in small letters" } else { "" })]
    UnknownModelWord {
        /// As written.
        word: String,
        /// Whether it would be one in small letters.
        wrong_case: bool,
    },
    /// Not a word of an anim's block.
    #[error("'{word}' is no word of an anim's block")]
    UnknownAnimWord {
        /// As written.
        word: String,
    },
    /// A frame command that no engine knows.
    #[error("'{word}' is no frame command")]
    UnknownCommand {
        /// As written.
        word: String,
    },
    /// A name without letters before its digits, or of one letter.
    #[error("'{name}' is no name for an anim: it needs two characters that are no digits at its end")]
    AnimName {
        /// As written.
        name: String,
    },
    /// A name that was there before.
    #[error("the anim '{name}' is there twice")]
    DuplicateAnim {
        /// As written.
        name: String,
    },
    /// More files than play at once.
    #[error("an anim has at most 3 files")]
    TooManySynced,
    /// Anims before the mesh.
    #[error("the mesh has to stand before the anims")]
    AnimBeforeMesh,
    /// Channels before the mesh.
    #[error("the mesh has to stand before the channels")]
    ChannelBeforeMesh,
    /// A channel of no known name.
    #[error("'{name}' is no channel; there are torso, legs, head and eyelids")]
    UnknownChannel {
        /// As written.
        name: String,
    },
    /// Not an `.md5mesh`.
    #[error("'{file}' is no .md5mesh file")]
    MeshExtension {
        /// As written.
        file: String,
    },
    /// An anim of this decl is removed again.
    #[error("'{name}' is an anim of this decl; only inherited ones can be removed")]
    RemovesOwn {
        /// As written.
        name: String,
    },
    /// A frame's number with a fraction.
    #[error("frame {found} is cut to a whole number")]
    FractionalFrame {
        /// As written.
        found: String,
    },

    // entityDefs.
    /// A key without quotes.
    #[error("expected a key in quotes, found '{found}'")]
    UnquotedKey {
        /// As written.
        found: String,
    },
    /// A key that was there before; the last one counts.
    #[error("the key '{key}' is there twice; the last one counts")]
    DuplicateKey {
        /// As written.
        key: String,
    },
}

impl FaultKind {
    /// What the engine loses by it.
    pub fn loss(&self) -> Loss {
        match self {
            Self::NestedComment
            | Self::UnknownSort { .. }
            | Self::HiddenPair { .. }
            | Self::HalfPair { .. }
            | Self::FractionalFrame { .. }
            | Self::DuplicateKey { .. } => Loss::Nothing,
            Self::OpenComment
            | Self::OpenString
            | Self::Character { .. }
            | Self::TwoDots
            | Self::NotFinite
            | Self::MissingName
            | Self::MissingBlock { .. }
            | Self::NoDefinition { .. }
            | Self::OpenBlock { .. }
            | Self::ImageProgramWord { .. }
            | Self::LongImageProgram { .. }
            | Self::StageWithoutImage
            | Self::BrokenTable { .. } => Loss::Part,
            _ => Loss::Decl,
        }
    }
}
