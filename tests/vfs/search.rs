//! Where a game starts, and which files an engine takes.

use super::command::pak;
use bindpose::budget::Budget;
use bindpose::read;
use bindpose::validate::profiles::Profile;
use bindpose::vfs::{Entry, Listings, Order, Vfs, folders_of, home_of, member, root_of, zip_of};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Creates a folder of files. `PATH:NAMES` creates an archive with these files, each of which contains the whole text.
/// Other files contain their own name.
fn tree(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let (path, inside) = file.split_once(':').unwrap_or((file, ""));
        let entries = inside.split(' ').map(|name| (name, file.as_bytes()));
        let bytes = match path.rsplit_once('.') {
            Some((_, "pak")) => pak(&entries.collect::<Vec<_>>()),
            Some((_, "pk3" | "pk4")) => zip_of(entries).unwrap(),
            _ => file.as_bytes().to_vec(),
        };
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

/// Finds a file of [`tree`] by a name.
fn found(vfs: &Vfs, name: &str) -> Option<String> {
    let found = vfs.find(name).unwrap()?;
    Some(String::from_utf8(read::file(&found.path, &Budget::default()).unwrap()).unwrap())
}

#[test]
fn an_engine_may_take_loose_files_before_paks() {
    let files = ["base/pak0.pak:a.txt b.txt c.txt", "base/z.pk3:b.txt c.txt", "base/c.txt", "mod/pak0.pak:c.txt"];
    let root = tree(&files);
    let opened = Arc::new(Vfs::open(&root.path().join("base"), &["mod".to_owned()]).unwrap());
    let [paks, loose] = [Order::PaksFirst, Order::LooseFirst].map(|order| opened.in_order(order));
    let taken = |vfs: &Vfs| ["a.txt", "b.txt", "c.txt"].map(|name| found(vfs, name).unwrap());
    assert_eq!(taken(&paks), [files[0], files[0], files[3]]);
    // The order within a game does not matter for that between games.
    assert_eq!(taken(&loose), [files[0], files[1], files[3]]);
    let [paks, loose] = [paks, loose].map(|vfs| {
        ["base/pak0.pak:b.txt", "base/z.pk3:b.txt", "base/c.txt"].map(|path| {
            let hidden = |order| vfs.hidden_by(&root.path().join(path), order);
            [Order::PaksFirst, Order::LooseFirst]
                .map(|order| hidden(order).map(|by| by.strip_prefix(root.path()).unwrap().to_owned()))
        })
    });
    // The answer depends on the engine that is asked about, not on the order in which the game was opened.
    assert_eq!(paks, loose);
    let by = |path: &str| Some(Path::new(path).to_owned());
    let expected = [
        [None, by("base/z.pk3:b.txt")],
        [by("base/pak0.pak:b.txt"), None],
        [by("mod/pak0.pak:c.txt"), by("mod/pak0.pak:c.txt")],
    ];
    assert_eq!(paks, expected);
}

/// vkQuake's and Ironwail's `COM_AddGameDirectory` stops at the first number without a pak and knows no other names. The
/// engines of Quake II add the folder and then all archives, each of which is searched before those added earlier.
#[test]
fn engines_search_the_paks_that_they_know() {
    let files = [
        "base/pak0.pak:a.txt b.txt c.txt",
        "base/pak2.pak:a.txt",
        "base/extra.pak:b.txt",
        "base/z.pk3:c.txt d.txt",
        "base/d.txt",
    ];
    let root = tree(&files);
    let [first, second, extra, other, loose] = files;
    let opened = Arc::new(Vfs::open(&root.path().join("base"), &[]).unwrap());
    let taken = |vfs: &Vfs| ["a.txt", "b.txt", "c.txt", "d.txt"].map(|name| found(vfs, name).unwrap());
    let in_sequence = opened.in_order(Order::PaksInSequence);
    assert_eq!(taken(&in_sequence), [first, first, first, loose]);
    let mut left_out: Vec<_> = in_sequence.left_out().map(|left| left.archive.file_name().unwrap()).collect();
    left_out.sort();
    assert_eq!(left_out, ["extra.pak", "pak2.pak"]);
    // No order forgets what another does not search.
    for from in [&opened, &in_sequence] {
        assert_eq!(taken(&from.in_order(Order::PaksFirst)), [second, extra, first, loose]);
        assert_eq!(taken(&from.in_order(Order::ArchivesFirst)), [second, extra, other, other]);
        assert_eq!(taken(&from.in_order(Order::LooseFirst)), [second, extra, other, loose]);
    }
    for (engine, order) in [("ironwail", Order::PaksInSequence), ("q2pro", Order::ArchivesFirst)] {
        assert_eq!(Profile::find(engine).unwrap().id.order(), order, "{engine}");
    }
}

/// The same rules answer for the file system's folders, for archives, and for the folder from which images may come.
#[test]
fn a_game_starts_in_one_folder() {
    let root = tree(&[
        "q/id1/pak0.pak:progs/a.mdl",
        "q/id1/progs/b.mdl",
        "d3/base/def/x.def",
        "d3/base/pak0.pk4:models/a.md5mesh",
        "d3/base/models/deep/er/models.md5mesh",
        "mods/pigs/models/pig.x",
        "art/textures/wall.png",
        "art/meshes/one/wall.x",
        "alone/one/a.x",
    ]);
    let inside = |path: &str| root.path().join(path);
    let starts = [
        ("q/id1/pak0.pak:progs/a.mdl", Some("q/id1")),
        ("q/id1/progs/b.mdl", Some("q/id1")),
        ("d3/base/pak0.pk4:models/a.md5mesh", Some("d3/base/pak0.pk4")),
        ("d3/base/models/deep/er/models.md5mesh", Some("d3/base")),
        ("mods/pigs/models/pig.x", Some("mods/pigs")),
        ("art/meshes/one/wall.x", Some("art")),
        ("alone/one/a.x", None),
    ];
    for (file, start) in starts {
        assert_eq!(root_of(&inside(file)), start.map(inside), "{file}");
        let folder = member::folder_of(&inside(file));
        let home = match start {
            Some(archive) if archive.ends_with(".pk4") => inside("d3/base"),
            Some(start) => inside(start),
            None => folder.clone(),
        };
        assert_eq!(home_of(&folder), home, "{file}");
    }
}

#[test]
fn a_quake_ii_model_has_files_beside_the_one_that_it_replaces() {
    let root =
        tree(&["base/pak0.pak:p/tris.md2", "base/pak1.pak:p/md5/tris.md5mesh", "base/p/md5/skin.png", "base/p/x"]);
    let vfs = Vfs::open(&root.path().join("base"), &[]).unwrap();
    let inside = |path: &str| root.path().join(path);
    let mesh = inside("base/pak1.pak:p/md5/tris.md5mesh");
    let expected = ["base/pak1.pak:p/md5", "base/p/md5", "base/pak0.pak:p", "base/p"].map(inside);
    assert_eq!(folders_of(Some(&vfs), &mesh), expected);
    // Another file in the folder replaces nothing.
    assert_eq!(folders_of(Some(&vfs), &inside("base/p/md5/skin.md5mesh")), expected[..2]);
    // Without a game, its own folders count.
    fs::write(inside("base/p/TRIS.MD2"), "").unwrap();
    assert_eq!(folders_of(None, &inside("base/p/md5/tris.md5mesh")), [inside("base/p/md5"), inside("base/p")]);
}

#[test]
fn listings_find_names_by_stem_and_extension() {
    let root =
        tree(&["a/b.tga", "a/B.png", "a/b", "a/b-c.tga", "a/b.c.tga", "a/sub.x/y", "a/p.pk3:In/er/z.tga In/er.tga"]);
    let names = |entries: Vec<&Entry>| entries.into_iter().map(|entry| entry.text.clone()).collect::<Vec<_>>();
    let listings = Listings::default();
    let folder = listings.of(&root.path().join("a"));
    assert_eq!(names(folder.named("b")), ["b", "B.png", "b.tga"]);
    assert_eq!(names(folder.named("b.c")), ["b.c.tga"]);
    assert_eq!(names(folder.called("b.PNG")), ["B.png"]);
    assert_eq!(names(folder.of_extension("tga").collect()), ["b-c.tga", "b.c.tga", "b.tga"]);
    assert_eq!(names(folder.of_extension("").collect()), ["b"]);
    assert_eq!(names(folder.beginning_with("b-").collect()), ["b-c.tga"]);
    let archive = listings.of(&root.path().join("a/p.pk3:in"));
    let entries: Vec<_> = archive.entries().iter().map(|entry| (entry.text.as_str(), entry.is_folder)).collect();
    assert_eq!(entries, [("er", true), ("er.tga", false)]);
    // Files are no folders.
    let at = |parts: &[&str]| listings.folder(&root.path().join("a"), parts.iter().copied());
    assert_eq!(at(&["SUB.X"]), Some((root.path().join("a/sub.x"), false)));
    assert_eq!(at(&["sub.x", "..", "b"]), None);
}
