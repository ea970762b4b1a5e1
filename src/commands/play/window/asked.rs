//! What is shown, or to be shown: files, or a figure of a game.

use bindpose::load::{Format, Subject};
use std::path::{Path, PathBuf};

/// Files or a figure of a game; neither is the bundled sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// A model with its clips.
    pub files: Vec<PathBuf>,
    /// What of the game is shown instead of files.
    pub subject: Option<Subject>,
    /// The skin that it wears.
    pub skin: Option<String>,
    /// Clips and cameras that were added to what is no file: to the sample or to a figure.
    pub added: Vec<PathBuf>,
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

    /// The same with more files. Of what was read for it, clips stay that were found rather than named.
    pub fn with(&self, read: &[PathBuf], added: &[PathBuf]) -> Self {
        if self.files.is_empty() {
            let new = added.iter().filter(|path| !is_among(path, &self.added)).cloned();
            return Self { added: self.added.iter().cloned().chain(new).collect(), ..self.clone() };
        }
        let is_clip = |path: &&PathBuf| Format::of_path(path) == Some(Format::Md5Anim);
        let mut files = self.files.clone();
        for path in read.iter().filter(is_clip).chain(added) {
            if !is_among(path, &files) {
                files.push(path.clone());
            }
        }
        Self { files, ..self.clone() }
    }

    /// The file that was named last.
    pub fn last_file(&self) -> Option<&PathBuf> {
        self.added.last().or(self.files.last())
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

/// Whether a path leads to one of several files, however it is written.
pub fn is_among(path: &Path, files: &[PathBuf]) -> bool {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    files.iter().any(|known| whole(known) == whole(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_comes_to_what_is_no_file() {
        let clip = |name: &str| vec![PathBuf::from(name)];
        let figure = Asked { subject: Some(Subject::Entity("imp".into())), ..Asked::default() };
        for asked in [Asked::default(), figure] {
            let with = asked.with(&clip("walk.md5anim"), &clip("run.md5anim"));
            assert_eq!(with, Asked { added: clip("run.md5anim"), ..asked.clone() });
            assert_eq!(with.with(&[], &clip("run.md5anim")), with, "it is there already");
        }
    }

    #[test]
    fn a_clip_comes_to_those_that_were_found() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let asked = Asked::from(paths(&["imp.md5mesh"]));
        let read = paths(&["imp.md5mesh", "walk.md5anim", "imp.ranges.toml"]);
        let with = asked.with(&read, &paths(&["/other/run.md5anim"]));
        assert_eq!(with.files, paths(&["imp.md5mesh", "walk.md5anim", "/other/run.md5anim"]));
        let here = std::env::current_dir().unwrap().join("walk.md5anim");
        assert_eq!(asked.with(&read, &[here]).files, paths(&["imp.md5mesh", "walk.md5anim"]), "it is there already");
    }
}
