//! Help for misspelt commands and missing files.

use bindpose::import::{IMPORTERS, Importer, by_extension, extensions};
use bindpose::load::LoadError;
use bindpose::read::ReadError;
use bindpose::vfs::Listing;
use bindpose_core::suggest;
use std::ffi::OsStr;
use std::path::Path;

/// Finds a command with a similar name to the first argument, if that is not a file.
pub fn misspelt_command<'a>(first: &OsStr, commands: impl IntoIterator<Item = &'a str>) -> Option<(String, &'a str)> {
    let word = first.to_str().filter(|word| !word.starts_with('-') && !word.contains(['/', '\\', '.']))?;
    if Path::new(word).exists() {
        return None;
    }
    let near = suggest::nearest(word, commands).filter(|&near| near != word)?;
    Some((word.to_owned(), near))
}

/// Suggests a model in the folder, or a file with a similar name, for a file that could not be read.
pub fn help_for(error: &anyhow::Error) -> Option<String> {
    let of_cause = |cause: &'_ (dyn std::error::Error + 'static)| -> Option<String> {
        match (cause.downcast_ref::<ReadError>(), cause.downcast_ref::<LoadError>()) {
            (Some(error), _) | (None, Some(LoadError::Read(error))) => help_for_file(error),
            _ => None,
        }
    };
    error.chain().find_map(of_cause)
}

fn help_for_file(error: &ReadError) -> Option<String> {
    let path = error.path();
    if matches!(error, ReadError::NotAFile { .. }) && path.is_dir() {
        let listing = Listing::read(path).unwrap_or_default();
        let names = || listing.entries().iter().map(|entry| &entry.name);
        let models = || {
            IMPORTERS
                .iter()
                .filter(|file| file.is_model())
                .flat_map(|file| names().filter(|name| by_extension(Path::new(name)) == Some(file)))
        };
        return Some(match (models().next(), models().count()) {
            (Some(model), 1) => format!("give the model in it: {}", path.join(model).display()),
            (Some(model), many) => {
                format!("give one of the {many} models in it, such as {}", path.join(model).display())
            }
            (None, _) => format!("there is no model in it ({})", extensions(Importer::is_model)),
        });
    }
    if !error.is_missing() {
        return None;
    }
    if path.as_os_str() == "-" {
        return Some("only `validate` reads standard input: give the name of a file".to_owned());
    }
    let listing = Listing::read(path.parent()?).unwrap_or_default();
    let names = listing.entries().iter().filter_map(|entry| entry.name.to_str());
    let near = suggest::nearest(path.file_name()?.to_str()?, names)?;
    Some(format!("did you mean {}?", path.with_file_name(near).display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::budget::Budget;
    use std::path::PathBuf;

    #[test]
    fn commands_are_recognised() {
        let near = |word: &str| misspelt_command(OsStr::new(word), ["render", "info"]).map(|(_, near)| near);
        assert_eq!([near("rendr"), near("inof"), near("walk")], [Some("render"), Some("info"), None]);
        assert_eq!([near("render"), near("--rendr"), near("rendr.x")], [None; 3]);
        assert_eq!(near("tests"), None, "there is a folder of that name");
    }

    #[test]
    fn standard_input_is_for_validate() {
        let error = ReadError::Io { path: "-".into(), error: std::io::ErrorKind::NotFound.into() };
        assert!(help_for_file(&error).is_some_and(|help| help.contains("validate")));
    }

    #[test]
    fn unreadable_files_suggest_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let help = |path: PathBuf| {
            let error = bindpose::read::file(&path, &Budget::default()).unwrap_err();
            help_for(&anyhow::Error::from(LoadError::from(error)))
                .map(|help| help.replace(folder.path().to_str().unwrap(), "D"))
        };
        let asked = || help(folder.path().to_owned());
        assert_eq!(asked().as_deref(), Some("there is no model in it (.md5mesh, .x, .glb or .gltf)"));
        std::fs::write(path("body.md5mesh"), "").unwrap();
        assert_eq!(asked().as_deref(), Some("give the model in it: D/body.md5mesh"));
        std::fs::write(path("axe.X"), "").unwrap();
        assert_eq!(asked().as_deref(), Some("give one of the 2 models in it, such as D/body.md5mesh"));
        assert_eq!(help(path("bodi.md5mesh")).as_deref(), Some("did you mean D/body.md5mesh?"));
        assert_eq!(help(path("quite-another.glb")), None);
    }
}
