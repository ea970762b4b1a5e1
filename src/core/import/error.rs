//! Repairs and failures of the importers.

use crate::budget::{Exceeded, grouped};
use crate::diagnostic::{Diagnostic, Severity, SourceId};
use crate::game::entity::AppearanceError;
use crate::left_out::Part;
use bindpose_parsers::Span;
use std::path::PathBuf;

/// A repair or a contradiction that an importer found.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Stable code, as in [`Diagnostic::code`].
    pub code: &'static str,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Bytes of the imported file.
    pub span: Span,
    /// Further positions that the message is about.
    pub more: Vec<Span>,
    /// Part that the model lacks because of it, with its name.
    pub left_out: Option<(Part, String)>,
}

impl Warning {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self { code, message: message.into(), span, more: Vec::new(), left_out: None }
    }

    /// Names the part that the model lacks.
    pub(crate) fn leaving_out(self, part: Part, name: &str) -> Self {
        Self { left_out: Some((part, name.to_owned())), ..self }
    }

    pub(crate) fn into_diagnostic(self, source: SourceId) -> Diagnostic {
        let found = Diagnostic::new(self.code, Severity::Warning, self.message, source, self.span);
        self.more.into_iter().fold(found, |found, span| found.with_label(source, span, ""))
    }
}

/// Reason why a document became no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct ImportError {
    /// The exceeded limit.
    pub fault: ImportFault,
    /// Bytes of the imported file.
    pub span: Span,
}

/// Reason why sound files, or a request about them, make no single model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum Mismatch {
    /// A second file with a model.
    #[error("{} is a second model; give one model and any number of clips", .0.display())]
    SecondModel(PathBuf),
    /// A clip of another format than the model.
    #[error("{} is {title}, the model is {family}; give one model and its clips", path.display())]
    OtherFormat { path: PathBuf, title: &'static str, family: &'static str },
    /// A camera where only models and clips are read.
    #[error("{} is a camera, not a model: `bindpose info` shows what is in it", .0.display())]
    Camera(PathBuf),
    /// A camera without a model.
    #[error("a camera alone shows nothing; give a model with it")]
    CameraAlone,
    /// A glTF file in a build without glTF support.
    #[error("{} is glTF, which this program was built without (feature `gltf`)", .0.display())]
    NeedsGltf(PathBuf),
    /// An engine that plays models of another format.
    #[error("{engine} plays {format} files, and '{model}' is none")]
    OtherEngine { engine: &'static str, format: &'static str, model: String },
    /// Clips without the mesh on which an engine plays them.
    #[error("{0} shows clips on a mesh; give the .md5mesh, too")]
    NeedsMesh(&'static str),
    /// An entity or a model of a game, requested without the game.
    #[error("an entity or model needs its game: give --base")]
    NeedsGame,
    /// A `.def` file without a model.
    #[error("{} declares no model of bones", .0.display())]
    NoSubject(PathBuf),
    /// A `.def` file with several entities or models.
    #[error("{} declares several {kind}; choose one with {option}: {}", def.display(), names.join(", "))]
    SeveralSubjects {
        /// Noun for the choices: "entities" or "models".
        def: PathBuf,
        /// "entities" or "models".
        kind: &'static str,
        option: &'static str,
        /// Names of the entities or models.
        names: Vec<String>,
    },
    /// An entity, model or skin that the game lacks or cannot show.
    #[error(transparent)]
    Appearance(#[from] AppearanceError),
    /// A head whose joint the body lacks.
    #[error("its joint '{joint}' is none of the model '{model}'")]
    NoJoint { joint: String, model: String },
    /// A skin that a model outside of games lacks.
    #[error("no skin is called '{skin}'{}", skins_of(model, known))]
    NoSkin {
        skin: String,
        /// File name of the model. Empty without a model.
        model: String,
        /// Names of the skins next to the model.
        known: Vec<String>,
    },
}

fn skins_of(model: &str, known: &[String]) -> String {
    match (model, known) {
        ("", _) => String::new(),
        (_, []) => format!(": {model} has none, neither of a game nor in a .skin file beside it"),
        _ => format!("; beside {model} there are {}", known.join(", ")),
    }
}

/// A limit that a document exceeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    /// Not enough memory is left in the budget.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// More items than 32-bit indices can address.
    #[error("{what}; at most {} can be read", grouped(u64::from(u32::MAX)))]
    Count {
        /// Items with their number: "4,900,000,000 weights of mesh 3".
        what: String,
    },
}

impl ImportError {
    pub(crate) fn new(fault: impl Into<ImportFault>, span: Span) -> Self {
        Self { fault: fault.into(), span }
    }

    pub(crate) fn into_diagnostic(self, source: SourceId) -> Diagnostic {
        Diagnostic::new("IO005", Severity::Error, self.to_string(), source, self.span)
    }
}
