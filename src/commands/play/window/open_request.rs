//! Files or a game's model to open.

use bindpose::import::{by_extension, md5};
use bindpose::load::Subject;
use bindpose_player::Attachment;
use std::path::{Path, PathBuf};

/// Files or a model of a game; without either, the bundled sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenRequest {
    /// Model and clips.
    pub files: Vec<PathBuf>,
    /// Entity or model of the game, instead of files.
    pub subject: Option<Subject>,
    pub skin: Option<String>,
    /// Clips and cameras added to the sample or to a model of a game.
    pub added: Vec<PathBuf>,
    /// Models on its joints.
    pub attachments: Vec<Attachment>,
}

impl From<Vec<PathBuf>> for OpenRequest {
    fn from(files: Vec<PathBuf>) -> Self {
        Self { files, ..Self::default() }
    }
}

impl OpenRequest {
    pub fn is_sample(&self) -> bool {
        self.files.is_empty() && self.subject.is_none()
    }

    /// Returns this request with more files. Clips that were found next to the model, which are among those `read`,
    /// become part of it.
    pub fn with(&self, read: &[PathBuf], added: &[PathBuf]) -> Self {
        if self.files.is_empty() {
            let new = added.iter().filter(|path| !is_among(path, &self.added)).cloned();
            return Self { added: self.added.iter().cloned().chain(new).collect(), ..self.clone() };
        }
        let is_clip = |path: &&PathBuf| by_extension(path) == Some(&md5::ANIM_FILE);
        let mut files = self.files.clone();
        for path in read.iter().filter(is_clip).chain(added) {
            if !is_among(path, &files) {
                files.push(path.clone());
            }
        }
        Self { files, ..self.clone() }
    }

    /// Returns the last of the added files, or of the files if none were added.
    pub fn last_file(&self) -> Option<&PathBuf> {
        self.added.last().or(self.files.last())
    }

    pub fn name(&self) -> String {
        match (&self.subject, &self.files[..]) {
            (Some(Subject::Entity(name) | Subject::Model(name)), _) => name.clone(),
            (None, []) => "the bundled sample".into(),
            (None, [first, ..]) => first.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

/// True if a path, relative or absolute, is among files.
pub fn is_among(path: &Path, files: &[PathBuf]) -> bool {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    files.iter().any(|known| whole(known) == whole(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_is_added_to_sample_and_game_model() {
        let clip = |name: &str| vec![PathBuf::from(name)];
        let model = OpenRequest { subject: Some(Subject::Entity("imp".into())), ..OpenRequest::default() };
        for request in [OpenRequest::default(), model] {
            let with = request.with(&clip("walk.md5anim"), &clip("run.md5anim"));
            assert_eq!(with, OpenRequest { added: clip("run.md5anim"), ..request.clone() });
            assert_eq!(with.with(&[], &clip("run.md5anim")), with, "it is already there");
        }
    }

    #[test]
    fn a_clip_is_added_to_those_found_next_to_the_model() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let request = OpenRequest::from(paths(&["imp.md5mesh"]));
        let read = paths(&["imp.md5mesh", "walk.md5anim", "imp.ranges.toml"]);
        let with = request.with(&read, &paths(&["/other/run.md5anim"]));
        assert_eq!(with.files, paths(&["imp.md5mesh", "walk.md5anim", "/other/run.md5anim"]));
        let here = std::env::current_dir().unwrap().join("walk.md5anim");
        assert_eq!(request.with(&read, &[here]).files, paths(&["imp.md5mesh", "walk.md5anim"]), "it is already there");
    }
}
