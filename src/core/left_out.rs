//! Parts that files contain or name, but a loaded model lacks.

use crate::diagnostic::{Diagnostic, Severity, Sources};
use bindpose_parsers::Position;
use std::fmt;
use std::path::{Path, PathBuf};

/// Something that files contain or name, but a loaded model lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Kind of the missing part.
    pub kind: Part,
    /// Name of the part: that of the clip, image or joint. May be empty if parts of this kind have none.
    pub name: String,
    /// Reason, with its position in [`Loaded::sources`](crate::load::Loaded::sources). An error means that a file is at
    /// fault.
    pub reason: Diagnostic,
    /// File of the reason, and the position in it.
    pub place: Option<(PathBuf, Position)>,
    /// Step of loading that found it.
    pub found_by: FoundBy,
}

/// Part of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Part {
    /// A clip.
    Clip,
    /// A mesh, or a model that another carries.
    Mesh,
    /// An image of a material.
    Image,
    /// Another parameter of a material.
    MaterialParameter,
    /// A camera.
    Camera,
    /// A light.
    Light,
    /// Morph targets, or an animation of them.
    Morph,
    /// Keys of a joint in a clip.
    Track,
    /// Content that an extension of the format adds.
    Extension,
    /// Example poses beside the model.
    Example,
    /// Named ranges beside the model.
    Ranges,
    /// Values or objects that the parser could not read. The file is at fault.
    Unread,
}

/// Step of loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum FoundBy {
    /// The importer of the file's format.
    Importer,
    /// The pairing of a mesh with clips, named or next to it.
    ClipSearch,
    /// The search for images of materials.
    ImageSearch,
    /// The decls of the model's game.
    Game,
}

impl Part {
    /// Returns the noun: "material parameter".
    pub fn noun(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::Mesh => "mesh",
            Self::Image => "image",
            Self::MaterialParameter => "material parameter",
            Self::Camera => "camera",
            Self::Light => "light",
            Self::Morph => "morph",
            Self::Track => "track",
            Self::Extension => "extension",
            Self::Example => "file of examples",
            Self::Ranges => "file of ranges",
            Self::Unread => "part of the file",
        }
    }
}

impl LeftOut {
    /// Creates the entry for a reason that points into `sources`. For a part that the parser could not read, the reason
    /// is an error.
    pub fn new(kind: Part, name: impl Into<String>, reason: Diagnostic, found_by: FoundBy, sources: &Sources) -> Self {
        let place = reason.primary.as_ref().map(|label| {
            let file = sources.get(label.source);
            (file.path.clone(), file.position(label.span.start))
        });
        let severity = if kind == Part::Unread { Severity::Error } else { reason.severity };
        Self { kind, name: name.into(), reason: Diagnostic { severity, ..reason }, place, found_by }
    }

    /// Returns the place as text: `walk.md5anim:12:3`.
    fn shown_place(&self) -> Option<String> {
        self.place.as_ref().map(|(path, at)| format!("{}:{}:{}", path.display(), at.line, at.column))
    }

    /// Returns the file, if it is a clip of a mesh.
    pub fn clip_file(&self) -> Option<&Path> {
        self.place.as_ref().filter(|_| self.found_by == FoundBy::ClipSearch).map(|(path, _)| &**path)
    }

    /// True if a file is at fault. Commands then end with exit code 1.
    pub fn is_fault(&self) -> bool {
        self.reason.severity == Severity::Error
    }
}

/// Writes what the sentence says, as fields: `kind`, `name`, `code`, `message`, `place`, `found_by`, `fault`, and `text`,
/// the sentence itself.
#[cfg(feature = "serde")]
impl serde::Serialize for LeftOut {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("LeftOut", 8)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("name", &self.name)?;
        fields.serialize_field("code", self.reason.code)?;
        fields.serialize_field("message", &self.reason.message)?;
        fields.serialize_field("place", &self.shown_place())?;
        fields.serialize_field("found_by", &self.found_by)?;
        fields.serialize_field("fault", &self.is_fault())?;
        fields.serialize_field("text", &self.to_string())?;
        fields.end()
    }
}

/// Formats a sentence without a full stop: `clip 'walk' is left out: unexpected end of the file (MD5A008 at
/// walk.md5anim:12:3)`.
impl fmt::Display for LeftOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, reason, .. } = self;
        out.write_str(kind.noun())?;
        if !name.is_empty() {
            write!(out, " '{name}'")?;
        }
        write!(out, " is left out: {} ({}", reason.message, reason.code)?;
        if let Some(place) = self.shown_place() {
            write!(out, " at {place}")?;
        }
        out.write_str(")")
    }
}
