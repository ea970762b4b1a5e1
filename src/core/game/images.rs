//! Images of material stages in a game.

use crate::engines::EngineId;
use bindpose_vfs::Vfs;
use std::path::PathBuf;

/// Extensions tried for a name without one or with `.tga`: the engine's two first, then those of its relatives.
const EXTENSIONS: [&str; 5] = ["tga", "jpg", "png", "dds", "bmp"];
/// Extensions that are first tried as written.
const EXPLICIT: [&str; 5] = ["jpg", "png", "dds", "bmp", "pcx"];
/// Folder of precompressed images.
const PRECOMPRESSED: &str = "dds";

/// Result of an image search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GameImage {
    /// A file provides the image.
    Found {
        /// Path of the file.
        path: PathBuf,
        /// Same as [`bindpose_vfs::Found::is_in_other_case`].
        is_in_other_case: bool,
    },
    /// None of the candidates exists.
    Missing {
        /// Names in the game, in the order tried.
        tried: Vec<String>,
    },
}

/// Finds the image of a plain name: `NAME.tga`, `.jpg`, `.png`, `.dds`, `.bmp`, then `dds/NAME.dds`.
pub fn find_image(game: &Vfs, name: &str) -> GameImage {
    let tried = candidates(name);
    let found = tried.iter().find_map(|name| game.find(name).ok().flatten());
    match found {
        Some(found) => GameImage::Found { path: found.path, is_in_other_case: found.is_in_other_case },
        None => GameImage::Missing { tried },
    }
}

/// Returns the names of files that may contain an image.
fn candidates(name: &str) -> Vec<String> {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    let mut names = Vec::new();
    let explicit = name.rsplit_once('.').is_some_and(|(_, extension)| EXPLICIT.contains(&extension));
    if explicit {
        names.push(name.clone());
    }
    // The engine removes `.tga` anywhere in the name.
    let stem =
        if explicit { name.rsplit_once('.').map_or("", |(stem, _)| stem).to_owned() } else { name.replace(".tga", "") };
    names.extend(EXTENSIONS.iter().map(|extension| format!("{stem}.{extension}")));
    names.push(precompressed_name(&stem));
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// True if an engine reads one of the files to which a plain name resolves. Doom 3 and Quake 4 read no PNG, The Dark Mod only one
/// named with its extension, and RBDOOM-3-BFG reads PNG, TGA or JPEG, whichever the name has. All read `dds/NAME.dds`.
pub fn reads_image(game: &Vfs, name: &str, engine: EngineId) -> bool {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if EXPLICIT.contains(&extension) => (stem.to_owned(), extension),
        _ => (name.replace(".tga", ""), "tga"),
    };
    let read: &[&str] = match (engine, extension) {
        (EngineId::Rbdoom3Bfg, "png" | "tga" | "jpg") => &["png", "tga", "jpg"],
        (EngineId::Rbdoom3Bfg, _) => &[],
        (_, "tga") => &["tga", "jpg"],
        (_, "jpg") => &["jpg"],
        (_, "bmp") => &["bmp"],
        (EngineId::Tdm, "png") => &["png"],
        (EngineId::Doom3 | EngineId::Quake4, "pcx") => &["pcx"],
        _ => &[],
    };
    let names = read.iter().map(|extension| format!("{stem}.{extension}"));
    names.chain([precompressed_name(&stem)]).any(|name| game.find(&name).is_ok_and(|found| found.is_some()))
}

/// Converts the name of an image, or the text of a program, to the path of its compressed image. Slashes and brackets
/// begin a folder, at most four, and characters that file names cannot contain are replaced.
pub fn precompressed_name(text: &str) -> String {
    const DEEPEST: usize = 4;
    let mut name = String::new();
    let mut depth = 0;
    for letter in text.replace(".tga", "").chars() {
        match letter {
            '/' | '\\' | '(' if depth < DEEPEST => {
                depth += 1;
                name.push('/');
            }
            '/' | '\\' | '(' => name.push(' '),
            ')' | ',' => {}
            ' ' if name.ends_with('/') => {}
            '<' | '>' | ':' | '|' | '"' | '.' => name.push('_'),
            letter => name.push(letter.to_ascii_lowercase()),
        }
    }
    format!("{PRECOMPRESSED}/{name}.dds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_files_in_one_order() {
        let names = [
            "textures/x.tga",
            "textures/x.jpg",
            "textures/x.png",
            "textures/x.dds",
            "textures/x.bmp",
            "dds/textures/x.dds",
        ];
        assert_eq!(candidates("Textures\\X"), names);
        assert_eq!(candidates("textures/x.tga"), names);
        assert_eq!(candidates("textures/x.jpg")[..2], ["textures/x.jpg", "textures/x.tga"]);
    }

    #[test]
    fn programs_have_a_compressed_picture_named_by_their_text() {
        let text = "addnormals( models/a_local.tga, heightmap( models/a_h.tga, 0.5))";
        assert_eq!(precompressed_name(text), "dds/addnormals/models/a_local heightmap/models/a_h 0_5.dds");
        assert_eq!(precompressed_name("a/b/c/d/e/f"), "dds/a/b/c/d/e f.dds");
    }
}
