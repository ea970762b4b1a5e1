//! What is shown, or to be shown: files, or a figure of a game.

use bindpose::load::Subject;
use std::path::PathBuf;

/// Files or a figure of a game; neither is the bundled sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// A model with its clips.
    pub files: Vec<PathBuf>,
    /// What of the game is shown instead of files.
    pub subject: Option<Subject>,
    /// The skin that it wears.
    pub skin: Option<String>,
}

impl From<Vec<PathBuf>> for Asked {
    fn from(files: Vec<PathBuf>) -> Self {
        Self { files, ..Self::default() }
    }
}

impl Asked {
    /// Whether nothing was named.
    pub fn is_sample(&self) -> bool {
        self.files.is_empty() && self.subject.is_none()
    }

    /// For people, in a few words.
    pub fn name(&self) -> String {
        match (&self.subject, &self.files[..]) {
            (Some(Subject::Entity(name) | Subject::Model(name)), _) => name.clone(),
            (None, []) => "the bundled sample".into(),
            (None, [first, ..]) => first.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}
