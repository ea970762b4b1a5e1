//! Images that a Luanti mod's scripts give to its models: `mesh = "crab.x"` and `textures = {"crab.png"}` in one table.
//! The scripts are Lua programs, read as text and never run.

use super::listing::Folder;
use crate::read;
use bindpose_vfs::{Listings, member};
use std::path::{Path, PathBuf};

/// Largest number of bytes read of all scripts around a folder.
const LARGEST_SCRIPTS: u64 = 4 << 20;

/// Largest number of tables in each other. A script with more is not read further.
const MOST_TABLES: usize = 200;

/// Images of a node. The last one that is given is repeated.
const SIDES: usize = 6;

/// A script, with the meshes that its tables name and the images of each, one for each slot: a material's number.
#[derive(Debug)]
pub(super) struct LuaScript {
    pub path: PathBuf,
    meshes: Vec<(String, Vec<String>)>,
    /// Images that are shown in the inventory.
    icons: Vec<String>,
}

/// Reads the scripts in a folder, in the one above it, and in that one's other folders.
pub(super) fn around(listings: &Listings, folder: &Path) -> Vec<LuaScript> {
    let root = member::above(folder);
    let beside = root
        .iter()
        .flat_map(|root| listings.of(root).of_extension("").map(|entry| root.join(&entry.name)).collect::<Vec<_>>());
    let others = root.clone().into_iter().chain(beside).filter(|other| other != folder);
    let folders: Vec<PathBuf> = std::iter::once(folder.to_owned()).chain(others).collect();
    let mut left = LARGEST_SCRIPTS;
    let mut scripts = Vec::new();
    for path in folders {
        let folder = Folder::of(listings, &path);
        let is_safe = |script: &PathBuf| read::check_link(script, root.as_deref().unwrap_or(&path)).is_ok();
        for path in folder.listing.of_extension("lua").filter_map(|entry| folder.file(entry)).filter(is_safe) {
            let Ok(bytes) = read::up_to(&path, left) else { continue };
            left -= bytes.len() as u64;
            scripts.push(LuaScript::parse(path, &String::from_utf8_lossy(&bytes)));
        }
    }
    scripts
}

/// A table that is open: the name before it, its mesh, and its images. An unknown image is empty.
#[derive(Default)]
struct Table {
    name: String,
    mesh: Option<String>,
    images: Vec<String>,
    /// True for `{ name = "crab.png" }`, an image in a list.
    is_image: bool,
}

impl LuaScript {
    fn parse(path: PathBuf, text: &str) -> Self {
        let mut script = Self { path, meshes: Vec::new(), icons: Vec::new() };
        let mut open = vec![Table::default()];
        // Name that a value is assigned to, and the last name.
        let (mut key, mut name) = (String::new(), String::new());
        // A joined value is not known.
        let mut is_joined = false;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(comment) = rest.strip_prefix("--") {
                let end = if comment.starts_with("[[") { comment.find("]]") } else { comment.find('\n') };
                rest = end.and_then(|end| comment.get(end..)).unwrap_or_default();
            } else if first == '"' || first == '\'' {
                let inside = rest.get(1..).unwrap_or_default();
                let (value, after) = inside.split_once(first).unwrap_or((inside, ""));
                rest = after;
                if !is_joined && !after.trim_start().starts_with("..") {
                    script.assign(&key, value, &mut open);
                    key.clear();
                }
            } else if first.is_alphanumeric() || first == '_' {
                let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                (name, rest) = (word.to_owned(), after);
            } else {
                match first {
                    '.' if rest.starts_with("..") && !is_joined => {
                        is_joined = true;
                        script.assign(&key, "", &mut open);
                    }
                    '=' => key = std::mem::take(&mut name),
                    '{' if open.len() > MOST_TABLES => return script,
                    '{' => open.push(Table { name: std::mem::take(&mut key), ..Table::default() }),
                    '}' => script.close(&mut open),
                    ',' | ';' => key.clear(),
                    _ => {}
                }
                is_joined &= !matches!(first, ',' | ';' | '=' | '{' | '}');
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
        script
    }

    fn assign(&mut self, key: &str, value: &str, open: &mut [Table]) {
        let is_list = open.iter().any(|table| ["textures", "tiles"].contains(&&*table.name));
        let Some(table) = open.last_mut() else { return };
        match key {
            "mesh" => table.mesh = Some(value.to_owned()),
            "inventory_image" | "wield_image" => self.icons.push(value.to_lowercase()),
            "" | "name" if is_list => {
                // Modifiers follow the image.
                table.images.extend(value.split('^').next().map(str::to_owned));
                table.is_image = key == "name";
            }
            _ => {}
        }
    }

    fn close(&mut self, open: &mut Vec<Table>) {
        let Some(Table { name, mesh, mut images, is_image }) = open.pop() else { return };
        if let Some(last) = images.last().filter(|_| name == "tiles").cloned() {
            images.resize(images.len().max(SIDES), last);
        }
        match (mesh, open.last_mut()) {
            (Some(mesh), _) if !images.is_empty() => self.meshes.push((mesh, images)),
            // Of several lists, one is chosen in the game.
            (None, Some(outer)) if is_image || outer.images.is_empty() => outer.images.extend(images),
            _ => {}
        }
    }

    /// Returns the images of a model's slots.
    pub fn images(&self, stem: &str) -> Option<&[String]> {
        let is_its = |mesh: &str| {
            Path::new(mesh).file_stem().is_some_and(|name| name.to_string_lossy().eq_ignore_ascii_case(stem))
        };
        self.meshes.iter().find(|(mesh, _)| is_its(mesh)).map(|(_, images)| &**images)
    }

    /// True for an image that is shown in the inventory.
    pub fn is_icon(&self, image: &Path) -> bool {
        let name = image.file_name().map(|name| name.to_string_lossy().to_lowercase());
        self.icons.iter().any(|icon| Some(icon) == name.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRAB: &str = "mesh = \"crab.x\", textures = {\"crab1.png^[brighten\"}";

    fn image_in(text: &str) -> Option<String> {
        LuaScript::parse(PathBuf::new(), text).images("crab").map(|images| images.join(" "))
    }

    #[test]
    fn a_script_of_braces_needs_no_memory_for_each() {
        assert_eq!(image_in(&format!("mobs.register({{{CRAB}}})")), Some("crab1.png".to_owned()));
        assert_eq!(image_in(&format!("{}{CRAB}}}", "{".repeat(MOST_TABLES - 1))), Some("crab1.png".to_owned()));
        assert_eq!(image_in(&format!("{}{CRAB}}}", "{".repeat(1_000_000))), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_script_is_not_read_through_a_link_to_another_file() {
        let folder = std::env::temp_dir().join(format!("bindpose-luanti-{}", std::process::id()));
        let models = folder.join("mod/models");
        std::fs::create_dir_all(&models).unwrap();
        std::fs::write(folder.join("secret.txt"), format!("{{{CRAB}}}")).unwrap();
        std::os::unix::fs::symlink(folder.join("secret.txt"), models.join("crab.lua")).unwrap();
        let scripts = || around(&Listings::default(), &models).len();
        let linked = scripts();
        std::fs::write(models.join("init.lua"), "").unwrap();
        let both = scripts();
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!([linked, both], [0, 1]);
    }
}
