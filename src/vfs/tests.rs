//! Tests of the file system on generated trees.

use crate::name::BadName;
use crate::{Archive, Vfs, member};
use std::fs;
use std::path::Path;

/// Entry of a zip file, with the values that its records declare.
#[derive(Clone)]
struct Zipped {
    name: String,
    method: u16,
    bytes: Vec<u8>,
    size: u32,
    checksum: u32,
    flags: u16,
}

fn stored(name: &str, bytes: &[u8]) -> Zipped {
    let (size, checksum) = (bytes.len() as u32, rawzip::crc32(bytes));
    Zipped { name: name.to_owned(), method: 0, bytes: bytes.to_vec(), size, checksum, flags: 0 }
}

fn deflated(name: &str, bytes: &[u8]) -> Zipped {
    let packed = miniz_oxide::deflate::compress_to_vec(bytes, 6);
    Zipped { method: 8, bytes: packed, ..stored(name, bytes) }
}

/// Returns a zip file, record by record (APPNOTE.TXT 4.3).
fn zip(entries: &[Zipped]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = file.len() as u32;
        let mut common = Vec::new();
        for field in [20, entry.flags, entry.method, 0, 0] {
            common.extend(u16::to_le_bytes(field));
        }
        for field in [entry.checksum, entry.bytes.len() as u32, entry.size] {
            common.extend(field.to_le_bytes());
        }
        common.extend((entry.name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(entry.name.as_bytes());
        file.extend(&entry.bytes);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let (start, count) = (file.len() as u32, entries.len() as u16);
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count, count].map(u16::to_le_bytes).as_flattened());
    file.extend([directory.len() as u32, start].map(u32::to_le_bytes).as_flattened());
    file.extend([0, 0]);
    file
}

/// Returns an archive of Quake: header, files, index.
fn pak(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut body, mut index) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let mut record = name.as_bytes().to_vec();
        record.resize(56, 0);
        record.extend([12 + body.len() as u32, text.len() as u32].map(u32::to_le_bytes).as_flattened());
        index.extend(record);
        body.extend(text.as_bytes());
    }
    let mut file = b"PACK".to_vec();
    file.extend([12 + body.len() as u32, index.len() as u32].map(u32::to_le_bytes).as_flattened());
    [file, body, index].concat()
}

/// Creates a folder of files. `PATH:NAMES` creates an archive with these files, each of which contains the whole text.
/// Other files contain their own name.
fn tree(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let (path, inside) = file.split_once(':').unwrap_or((file, ""));
        let bytes = match inside {
            "" => file.as_bytes().to_vec(),
            names if path.ends_with(".pak") => pak(&names.split(' ').map(|name| (name, *file)).collect::<Vec<_>>()),
            names => zip(&names.split(' ').map(|name| deflated(name, file.as_bytes())).collect::<Vec<_>>()),
        };
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

fn games(root: &Path, mods: &[&str]) -> Vfs {
    let mods: Vec<String> = mods.iter().map(|name| (*name).to_owned()).collect();
    Vfs::open(&root.join("base"), &mods).unwrap()
}

fn bytes(path: &Path) -> Vec<u8> {
    match member::split(path) {
        Some((archive, name)) => Archive::open(archive).unwrap().read(name, u64::MAX).unwrap(),
        None => fs::read(path).unwrap(),
    }
}

/// Finds a file of [`tree`] by a name.
fn found(vfs: &Vfs, name: &str) -> Option<String> {
    let found = vfs.find(name).unwrap()?;
    Some(String::from_utf8(bytes(&found.path)).unwrap())
}

#[test]
fn f01_the_last_pk4_by_name_wins() {
    let root = tree(&["base/pak000.pk4:a.txt", "base/pak001.pk4:a.txt", "base/PAK0005.pk4:a.txt"]);
    let vfs = games(root.path(), &[]);
    assert_eq!(found(&vfs, "a.txt").as_deref(), Some("base/pak001.pk4:a.txt"));
    let shadowed = vfs.find("a.txt").unwrap().unwrap().shadowed;
    let shadowed: Vec<_> = shadowed.iter().map(|path| path.strip_prefix(root.path()).unwrap()).collect();
    assert_eq!(shadowed, [Path::new("base/PAK0005.pk4:a.txt"), Path::new("base/pak000.pk4:a.txt")]);
}

#[test]
fn f02_loose_files_beat_pk4s_of_their_folder() {
    let root = tree(&["base/a.txt", "base/pak999.pk4:a.txt"]);
    assert_eq!(found(&games(root.path(), &[]), "a.txt").as_deref(), Some("base/a.txt"));
}

#[test]
fn f03_f04_a_mod_beats_the_base() {
    let root = tree(&["base/zz.pk4:a.txt", "base/b.txt", "mod/aa.pk4:a.txt b.txt"]);
    let vfs = games(root.path(), &["mod"]);
    assert_eq!(found(&vfs, "a.txt").as_deref(), Some("mod/aa.pk4:a.txt b.txt"));
    assert_eq!(found(&vfs, "b.txt").as_deref(), Some("mod/aa.pk4:a.txt b.txt"));
}

#[test]
fn f05_f06_case_and_backslashes_do_not_matter() {
    let root = tree(&["base/a.pk4:Models/MD5/A.md5mesh models\\b.md5anim", "base/Def/Imp.DEF"]);
    let vfs = games(root.path(), &[]);
    assert!(found(&vfs, "models/md5/a.MD5MESH").is_some());
    assert!(found(&vfs, "models/b.md5anim").is_some());
    assert!(found(&vfs, "MODELS\\B.md5anim").is_some());
    // On disk an engine does not find the file: the case of the folder is neither as requested nor all lower.
    assert!(vfs.find("def/imp.def").unwrap().unwrap().is_in_other_case);
    assert!(!vfs.find("Def/imp.def").unwrap().unwrap().is_in_other_case);
}

#[test]
fn f07_names_that_climb_are_never_found() {
    let root = tree(&["base/a.txt", "secret"]);
    let vfs = games(root.path(), &[]);
    assert_eq!(vfs.find("../secret"), Err(BadName::DotDot));
    assert_eq!(vfs.find("x::y"), Err(BadName::Colons));
    // A zip file can contain such a name. No lookup reaches it, and nothing is written.
    let pak = root.path().join("slip.pk4");
    fs::write(&pak, zip(&[stored("../../evil", b"x")])).unwrap();
    let archive = Archive::open(&pak).unwrap();
    assert!(archive.read("../../evil", 10).unwrap_err().is_missing());
}

#[test]
fn f08_f09_addons_and_programs_are_left_out() {
    let root = tree(&["base/a.pk4:a.txt addon.conf", "base/b.pk4:a.txt binary.conf", "base/c.pk4:x/addon.conf c.txt"]);
    let vfs = games(root.path(), &[]);
    assert_eq!((found(&vfs, "a.txt"), found(&vfs, "c.txt").is_some()), (None, true));
    let mut why: Vec<String> = vfs.left_out().map(|left| left.why.to_string()).collect();
    why.sort();
    assert!(why[0].contains("binary.conf") && why[1].contains("addon.conf"), "{why:?}");
}

#[test]
fn f10_of_two_entries_of_one_name_the_last_one_counts() {
    let root = tempfile::tempdir().unwrap();
    let pak = root.path().join("a.pk4");
    fs::write(&pak, zip(&[stored("A.txt", b"first"), stored("b.txt", b"b"), deflated("a.TXT", b"last")])).unwrap();
    let archive = Archive::open(&pak).unwrap();
    assert_eq!(archive.read("a.txt", 100).unwrap(), b"last");
    assert_eq!((archive.duplicates(), archive.files().len()), (&["a.txt".to_owned()][..], 2));
}

#[test]
fn f11_damage_is_reported_with_the_entrys_name() {
    let root = tempfile::tempdir().unwrap();
    let pak = root.path().join("a.pk4");
    let whole = zip(&[deflated("a.txt", &[b'a'; 5000]), stored("b.txt", b"bb")]);
    // Cut at any length, the file has no index, or its index points outside.
    for end in 0..whole.len() {
        fs::write(&pak, &whole[..end]).unwrap();
        let _ = Archive::open(&pak).map(|archive| archive.read("a.txt", u64::MAX));
    }
    fs::write(&pak, &whole[..whole.len() - 1]).unwrap();
    let error = Archive::open(&pak).unwrap_err().to_string();
    assert!(error.ends_with("it has no index at its end: it is cut off, or no zip file"), "{error}");

    let lies = [
        (Zipped { checksum: 1, ..stored("b.txt", b"bb") }, "its checksum is"),
        (Zipped { size: 3, ..deflated("b.txt", b"bb") }, "it unpacks to 2 bytes and claims 3"),
        (Zipped { size: 1, ..deflated("b.txt", b"bb") }, "it unpacks to more than the 1 bytes that it claims"),
        (Zipped { size: 400 << 20, ..stored("b.txt", b"bb") }, "more than deflate can make of them"),
        (Zipped { method: 14, ..stored("b.txt", b"bb") }, "only stored and deflated files are read"),
        (Zipped { flags: 1, ..stored("b.txt", b"bb") }, "it is encrypted"),
        (Zipped { bytes: vec![7; 9], ..deflated("b.txt", b"bb") }, "its compressed bytes are damaged"),
        // 64 MiB and 64 bytes for each of 97.8 KiB are 70.1 MiB.
        (
            Zipped { size: 71 << 20, bytes: vec![7; 100_000], ..deflated("b.txt", b"bb") },
            "highly compressed files unpack to 74448896 bytes, too many for an archive of 100108; unpack the archive",
        ),
        (
            Zipped { size: 70 << 20, bytes: vec![7; 100_000], ..deflated("b.txt", b"bb") },
            "its compressed bytes are damaged",
        ),
    ];
    for (entry, why) in lies {
        fs::write(&pak, zip(&[entry])).unwrap();
        let error = Archive::open(&pak).unwrap().read("b.txt", u64::MAX).unwrap_err().to_string();
        assert!(error.contains("a.pk4:b.txt: ") && error.contains(why), "{error}");
    }
    // 10 MB of zeros packed into 10 KB: valid, but more than the caller allows.
    fs::write(&pak, zip(&[deflated("b.txt", &vec![0; 10 << 20])])).unwrap();
    let archive = Archive::open(&pak).unwrap();
    assert_eq!(archive.read("b.txt", u64::MAX).unwrap().len(), 10 << 20);
    let error = archive.read("b.txt", 1 << 20).unwrap_err().to_string();
    assert!(error.ends_with("it has 10485760 bytes, more than the 1048576 that are read"), "{error}");
}

/// Two records use the same bytes. Many such records would let a small archive fill the memory.
#[test]
fn files_that_share_bytes_are_refused_with_the_names_of_both() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.pk4");
    let mut file = zip(&[stored("a.txt", b"aaaa"), stored("b.txt", b"bbbb"), stored("c.txt", b"cccc")]);
    let records: Vec<usize> = (0..file.len()).filter(|&at| file[at..].starts_with(b"PK\x01\x02")).collect();
    // The offset of b.txt becomes that of a.txt.
    file[records[1] + 42..records[1] + 46].fill(0);
    fs::write(&path, &file).unwrap();
    let refused = |archive: &Archive, name: &str| archive.read(name, 100).unwrap_err().to_string();
    let archive = Archive::open(&path).unwrap();
    assert!(refused(&archive, "a.txt").contains("a.txt: its bytes overlap those of 'b.txt'"));
    assert!(refused(&archive, "b.txt").contains("b.txt: its bytes overlap those of 'a.txt'"));
    assert!(archive.read_head("b.txt", 2).unwrap_err().to_string().contains("overlap"));
    assert_eq!(archive.read("c.txt", 100).unwrap(), b"cccc");

    let path = root.path().join("a.pak");
    let mut file = pak(&[("a.txt", "aaaa"), ("b.txt", "bbbb"), ("c.txt", "cccc"), ("empty", "")]);
    // The size of a.txt changes to 5.
    let record = 12 + 12;
    file[record + 60] = 5;
    fs::write(&path, &file).unwrap();
    let archive = Archive::open(&path).unwrap();
    assert!(refused(&archive, "a.txt").contains("a.txt: its bytes overlap those of 'b.txt'"));
    assert!(refused(&archive, "b.txt").contains("b.txt: its bytes overlap those of 'a.txt'"));
    assert_eq!(archive.read("c.txt", 100).unwrap(), b"cccc");
    assert_eq!(archive.read("empty", 100).unwrap(), b"");
}

/// Files of an archive are kept together, so each takes no more memory than its bytes.
#[test]
fn an_unpacked_file_has_no_spare_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pk4");
    fs::write(&path, zip(&[deflated("a.txt", &[b' '; 100_000])])).unwrap();
    let bytes = crate::open(&path).unwrap().read("a.txt", u64::MAX).unwrap();
    assert_eq!((bytes.len(), bytes.capacity()), (100_000, 100_000));
}

#[test]
fn the_head_of_a_file_is_read_without_the_rest() {
    let root = tempfile::tempdir().unwrap();
    let pak = root.path().join("a.pk4");
    let text: Vec<u8> = (0..100_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
    // The checksum of the whole content and the end of the packed bytes are wrong.
    let mut broken = deflated("b.txt", &text);
    broken.bytes.truncate(20_000);
    let wrong = Zipped { checksum: 1, ..stored("c.txt", &text) };
    fs::write(&pak, zip(&[deflated("a.txt", &text), broken, wrong, deflated("e", b"four")])).unwrap();
    let archive = Archive::open(&pak).unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        assert_eq!(archive.read_head(name, 5000).unwrap(), text[..5000], "{name}");
    }
    assert_eq!(archive.read_head("A.TXT", usize::MAX).unwrap(), text);
    assert_eq!(archive.read_head("e", 5000).unwrap(), b"four");
    assert_eq!((archive.size_of("E"), archive.size_of("f")), (Some(4), None));
    let error = archive.read_head("b.txt", 400_000).unwrap_err().to_string();
    assert!(error.ends_with("a.pk4:b.txt: its compressed bytes are damaged"), "{error}");
    assert!(archive.read_head("f", 1).unwrap_err().is_missing());
}

#[test]
fn f12_folders_of_all_games_are_listed_together() {
    let root = tree(&[
        "base/materials/b.mtr",
        "base/p.pk4:materials/c.MTR materials/x/d.mtr",
        "mod/materials/a.mtr",
        "mod/materials/B.mtr",
    ]);
    let listed = games(root.path(), &["mod"]).list("materials", "mtr");
    let listed: Vec<_> = listed.iter().map(|(name, path)| (name.as_str(), bytes(path))).collect();
    assert_eq!(
        listed.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["materials/a.mtr", "materials/b.mtr", "materials/c.mtr"]
    );
    assert_eq!(listed[1].1, b"mod/materials/B.mtr");
}

#[test]
fn f13_f14_only_pk4s_of_the_game_itself_and_each_game_once() {
    let root = tree(&["base/sub/x.pk4:a.txt", "base/b.txt"]);
    let vfs = games(root.path(), &["BASE", "base"]);
    assert_eq!((found(&vfs, "a.txt"), vfs.mounts().count()), (None, 1));
}

#[test]
fn paks_beat_loose_files_the_highest_number_first() {
    let root =
        tree(&["base/pak9.pak:a.txt c.txt", "base/pak10.pak:a.txt d.txt", "base/a.txt", "base/c.txt", "base/d.txt"]);
    fs::write(root.path().join("base/mod.pak"), pak(&[("d.txt", "base/mod.pak:d.txt")])).unwrap();
    let vfs = games(root.path(), &[]);
    assert_eq!(found(&vfs, "a.txt").as_deref(), Some("base/pak10.pak:a.txt d.txt"));
    assert_eq!(found(&vfs, "c.txt").as_deref(), Some("base/pak9.pak:a.txt c.txt"));
    // A pak without number is added after those with one (Quake II's FS_AddDirToSearchPath, FTEQW's FS_AddDataFiles).
    assert_eq!(found(&vfs, "d.txt").as_deref(), Some("base/mod.pak:d.txt"));
    let damaged = [b"PACK\x0c\0\0\0\x40\0\0\0".as_slice(), b"PACK\x0c\0\0\0\x3f\0\0\0", b"PACK"];
    for bytes in damaged {
        fs::write(root.path().join("base/pak9.pak"), bytes).unwrap();
        assert!(Archive::open(&root.path().join("base/pak9.pak")).is_err());
    }
}

#[test]
fn folders_inside_archives_are_listed() {
    let root = tree(&["base/a.pk4:models/md5/imp/a.tga models/md5/imp/b.tga models/x.lwo readme.txt"]);
    let archive = Archive::open(&root.path().join("base/a.pk4")).unwrap();
    assert_eq!(archive.inside(""), ["models/", "readme.txt"]);
    assert_eq!(archive.inside("Models/"), ["md5/", "x.lwo"]);
    assert_eq!(archive.inside("models/md5/imp"), ["a.tga", "b.tga"]);
    assert!(archive.inside("models/md").is_empty());
}

#[test]
fn all_files_are_walked_once_each() {
    let root = tree(&["base/p.pk4:a.txt def/x.def", "base/Def/X.def", "base/deep/er/y.txt"]);
    let files = games(root.path(), &[]).files();
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.txt", "deep/er/y.txt", "def/x.def", "p.pk4"]);
    assert!(files["def/x.def"][0].ends_with("Def/X.def"));
    assert!(files["def/x.def"][1].ends_with("p.pk4:def/x.def"));
    // Each path leads back to its name.
    let game = games(root.path(), &[]);
    for (name, places) in &files {
        assert!(places.iter().all(|place| game.name_of(place).as_ref() == Some(name)), "{name}");
    }
    assert_eq!(game.name_of(Path::new("/elsewhere")), None);
}

/// A dozen links to parent folders in each of two folders would make 24^32 paths.
#[cfg(unix)]
#[test]
fn folders_behind_links_are_walked_once() {
    use std::os::unix::fs::symlink;
    let root = tree(&["base/models/x.lwo", "base/def/x.def", "outside/deep/y.txt", "outside/z.txt"]);
    let base = root.path().join("base");
    for (folder, number) in ["models", "def"].iter().flat_map(|folder| (0..12).map(move |number| (folder, number))) {
        symlink("..", base.join(folder).join(format!("above{number}"))).unwrap();
    }
    // The folder's own name takes precedence over names of links, even those that come first in the alphabet.
    symlink("models", base.join("also models")).unwrap();
    symlink("../outside", base.join("a")).unwrap();
    symlink("../outside/deep", base.join("b")).unwrap();
    symlink("../outside/z.txt", base.join("link.txt")).unwrap();
    let vfs = games(root.path(), &[]);
    let names: Vec<String> = vfs.files().into_keys().collect();
    assert_eq!(names, ["a/deep/y.txt", "a/z.txt", "def/x.def", "link.txt", "models/x.lwo"]);
    // Engines follow the links nevertheless.
    assert!(vfs.find("also models/above3/b/y.txt").unwrap().is_some());
}

/// Comparing each name with all others would take 400 million comparisons.
#[test]
fn a_folder_of_many_files_is_listed_at_once() {
    const COUNT: usize = 20_000;
    let root = tree(&["base/def/x.def"]);
    let materials = root.path().join("base/materials");
    fs::create_dir(&materials).unwrap();
    for file in 0..COUNT {
        fs::File::create(materials.join(format!("{file}.mtr"))).unwrap();
    }
    let vfs = games(root.path(), &[]);
    assert_eq!(vfs.list("materials", "mtr").len(), COUNT);
    for file in 0..COUNT {
        assert!(vfs.find(&format!("materials/{file}.mtr")).unwrap().is_some());
    }
}
