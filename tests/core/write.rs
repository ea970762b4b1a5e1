//! Files that are written whole or not at all.

use bindpose_core::write::{create, create_all, free_path, replace};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A temporary folder, removed at the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn put(text: &str) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
    move |file| file.write_all(text.as_bytes())
}

#[test]
fn unnamed_files_get_free_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body-walk.png");
    for expected in ["body-walk.png", "body-walk-2.png", "body-walk-3.png"] {
        let free = free_path(&path);
        assert_eq!(free.file_name().unwrap(), expected);
        fs::write(free, "mine").unwrap();
    }
}

#[test]
fn a_failed_or_empty_result_keeps_the_old_file() {
    let folder = Folder::new();
    let path = folder.path("a.txt");
    assert_eq!(replace(&path, put("old")).unwrap(), 3);
    let failed = replace(&path, |file| {
        file.write_all(&[b'x'; 100_000])?;
        Err(io::Error::other("enough"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "enough");
    assert_eq!(replace(&path, put("")).unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(create(&folder.path("b.txt"), put("")).unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["a.txt"]);
    replace(&path, put("new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn folders_are_made_and_what_is_no_file_is_refused() {
    let folder = Folder::new();
    let path = folder.path("x/y/a.txt");
    replace(&path, put("new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let message = replace(&folder.path("x"), put("new")).unwrap_err().to_string();
    assert_eq!(message, "it is a folder");
    assert_eq!(replace(Path::new(".."), put("new")).unwrap_err().to_string(), "it is a folder");
    assert!(replace(&folder.path("x/y/a.txt/b.txt"), put("new")).is_err());
}

#[test]
fn creating_replaces_nothing() {
    let folder = Folder::new();
    let path = folder.path("a.txt");
    create(&path, put("old")).unwrap();
    assert_eq!(create(&path, put("new")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    // The file is created while the other one is being written.
    let late = folder.path("b.txt");
    let result = create(&late, |file| {
        fs::write(&late, "other")?;
        file.write_all(b"new")
    });
    assert_eq!(result.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!((fs::read(&path).unwrap(), fs::read(&late).unwrap()), (b"old".to_vec(), b"other".to_vec()));
    assert_eq!(folder.names(), ["a.txt", "b.txt"]);
}

#[test]
fn of_several_new_files_all_are_written_or_none() {
    let folder = Folder::new();
    let [a, b, c] = ["a.txt", "b.txt", "c.txt"].map(|name| (folder.path(name), b"new".to_vec()));
    fs::write(&b.0, "old").unwrap();
    let error = create_all(&[a.clone(), b.clone(), c.clone()], folder.0.path()).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write {}: there is a file of that name already", b.0.display()));
    assert_eq!((folder.names(), fs::read(&b.0).unwrap()), (vec!["b.txt".to_owned()], b"old".to_vec()));
    create_all(&[a, c], folder.0.path()).unwrap();
    assert_eq!(folder.names(), ["a.txt", "b.txt", "c.txt"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let (path, link) = (folder.path("a.txt"), folder.path("link.txt"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.txt", &link).unwrap();
    replace(&link, put("new")).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    // A new file gets the permissions that the user's mask leaves.
    replace(&folder.path("b.txt"), put("new")).unwrap();
    fs::write(folder.path("c.txt"), "new").unwrap();
    let mode = |name| fs::metadata(folder.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("b.txt"), mode("c.txt"));
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_found() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let top = folder.path("top");
    fs::create_dir_all(top.join("in")).unwrap();
    fs::write(folder.path("key"), "mine").unwrap();
    symlink("top", folder.path("named")).unwrap();
    for (target, link) in [("in", "inner"), ("..", "outer"), ("../key", "a.txt"), ("../none", "b.txt"), ("in", "c")] {
        symlink(target, top.join(link)).unwrap();
    }
    for (path, fits) in [
        ("new.txt", true),
        ("x/y/new.txt", true),
        ("inner/new.txt", true),
        ("outer/new.txt", false),
        ("outer/x/new.txt", false),
        ("a.txt", false),
        ("b.txt", false),
        ("../key", false),
    ] {
        for top in [&top, &folder.path("named")] {
            assert_eq!(bindpose_core::write::check_below(&top.join(path), top).is_ok(), fits, "{path}");
        }
    }
    assert!(bindpose_core::write::check_below(&folder.path("later/new.txt"), &folder.path("later")).is_ok());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = Folder::new();
    let path = folder.path("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let message = replace(&path, put("new")).unwrap_err().to_string();
    assert_eq!(message, "it is a pipe or a device, not a file");
}
