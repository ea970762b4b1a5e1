//! Checks of the files that belong to a file: old models with the same number of frames, scales, skins, images, caches.
//! [`CheckContext`] knows where engines look for them.

mod replacement;

use super::checked::CheckContext;
use super::codes::{pair, texture};
use super::decls;
use super::finding::{Added, Findings};
use super::profiles::{EngineId, FormatFamily, PROFILES, Profile};
use bindpose_core::budget::Budget;
use bindpose_core::image_search::{
    ANCESTORS, EXTENSIONS, FoundAs, FoundImage, ImageFinder, ImageSearch, has_shader, rows_of_model,
};
use bindpose_core::read;
use bindpose_parsers::decl::DeclKind;
use bindpose_parsers::md5::{AnimFile, MeshFile, Text};
use bindpose_parsers::{Span, counted, x};
use bindpose_vfs::{Vfs, disk, files_beside, files_called, folders_of, made_from};
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Header of Quake's .mdl or Quake II's .md2.
struct OldModel {
    path: PathBuf,
    frames: u32,
    skins: u32,
    /// Names of images in a .md2.
    skin_names: Vec<String>,
}

impl OldModel {
    fn is_mdl(&self) -> bool {
        self.path.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("mdl"))
    }
}

/// Returns the little-endian number in a file's header.
fn number_at(head: &[u8], offset: usize) -> Option<u32> {
    let bytes: [u8; 4] = head.get(offset..offset + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(bytes))
}

/// Largest number of bytes read of a neighbouring file. The skins of a .md2, at most 32, follow its header.
const HEAD: u64 = 4096;
/// Size of a .md2's header in bytes.
const MD2_HEAD: usize = 68;
/// Size of a .md2's skin name in bytes.
const SKIN_NAME: usize = 64;
const MOST_SKINS: usize = 32;

fn head_of(path: &Path) -> Option<Vec<u8>> {
    read::head(path, HEAD).ok()
}

/// Returns the .mdl or .md2 that a file replaces. Engines look for what belongs to the file in `folders`.
fn old_model(path: &Path, folders: &[PathBuf]) -> Option<OldModel> {
    let read = |(extension, magic, frames, skins): (&str, &[u8], usize, usize)| {
        let head = |path: PathBuf| Some((head_of(&path).filter(|head| head.starts_with(magic))?, path));
        let (head, path) = files_beside(folders, path, extension).find_map(head)?;
        let skin_names = if extension == "md2" { skin_names(&head).unwrap_or_default() } else { Vec::new() };
        Some(OldModel { path, frames: number_at(&head, frames)?, skins: number_at(&head, skins)?, skin_names })
    };
    read(("mdl", b"IDPO", 68, 48)).or_else(|| read(("md2", b"IDP2", 40, 20)))
}

/// Returns the names in a .md2's table of skins, as far as they were read.
fn skin_names(head: &[u8]) -> Option<Vec<String>> {
    let (count, start) = (number_at(head, 20)? as usize, number_at(head, 44)? as usize);
    let table = head.get(start..).filter(|_| start >= MD2_HEAD)?;
    let names = table.chunks_exact(SKIN_NAME).take(count.min(MOST_SKINS));
    let name = |bytes: &[u8]| {
        let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        name.iter().map(|&byte| char::from(byte)).collect::<String>()
    };
    Some(names.map(name).filter(|name| !name.is_empty()).collect())
}

/// Returns the path at which the Quake II engines look for a skin of the .md2 when they show the MD5 model.
fn md5_skin(name: &str) -> String {
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    if folder.is_empty() { format!("md5/{file}") } else { format!("{folder}/md5/{file}") }
}

/// Returns the profiles of the engines that use the old model next to a file.
pub(super) fn profiles_beside(path: &Path) -> &'static [&'static str] {
    match old_model(path, &folders_of(None, path)).map(|old| old.is_mdl()) {
        Some(true) => &["vkquake", "ironwail", "qss", "fteqw"],
        Some(false) => &["q2pro", "q2repro", "yquake2remaster"],
        None => &[],
    }
}

/// Compares a clip's number of frames with that of the old model of the same name.
pub(super) fn check_anim(path: &Path, file: &AnimFile, around: &CheckContext, findings: &mut Findings) {
    let old = old_model(path, &folders_of(around.files, path));
    let Some(old) = old.filter(|_| read::is_file(path)) else { return };
    let frames = file.frames.len();
    if old.frames as usize != frames {
        let name = old.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        findings.add(pair::SIBLING_FRAMES, file.num_frames.span, || {
            format!("the clip has {}, but {name} has {}", counted(frames, "frame", "frames"), old.frames)
        });
    }
}

/// Checks the files that belong to a mesh: clip, skins, scales, caches, images. `has_clip` is true if the clip of the same
/// name is checked too. Does nothing if the path is not a file.
pub(super) fn check_mesh(path: &Path, file: &MeshFile, has_clip: bool, around: &CheckContext, findings: &mut Findings) {
    let game = around.game;
    // In a game with materials, a shader is one of these.
    let game = game.filter(|game| game.names(DeclKind::Material).next().is_some());
    if let Some(game) = game {
        for (index, mesh) in file.meshes.iter().enumerate() {
            decls::check_shader(&mesh.shader.to_name(), mesh.shader.span, index, game, findings);
        }
    }
    if !read::is_file(path) {
        return;
    }
    let start = file.version.map_or(Span::new(0, 0), |version| version.span);
    let folders = folders_of(around.files, path);
    let old = old_model(path, &folders);
    if old.is_some() && !has_clip && around.beside(path, "md5anim").is_none() {
        findings.add(pair::NO_CLIP, start, || format!("there is no {}.md5anim beside the mesh", read::stem_of(path)));
    }
    if game.is_none() {
        let rows = rows_of_model(around.images, &folders, path, None);
        for (index, mesh) in file.meshes.iter().enumerate() {
            let has_row = rows.get(index).is_some_and(|row| !row.shader.is_empty());
            check_shader(path, &folders, &mesh.shader, index, has_row, around, findings);
        }
    }
    replacement::check(path, start, around, findings);
    if old.as_ref().is_some_and(OldModel::is_mdl)
        && let Some(finding) = findings.get_mut(texture::TEXTURE_MISSING)
    {
        replacement::show_old_model(path, around, finding);
    }
    if let (Some(old), Some(mesh)) = (old, file.meshes.first()) {
        check_skins(&folders, &old, mesh, findings);
        check_md2_skins(&folders, &old, mesh, around.images, findings);
    }
    if let Some(scale) = around.beside(path, "md5scale") {
        check_scale(&scale, file, start, findings);
    }
    check_cache(path, around.files, start, findings);
}

/// Checks the skins SHADER_00_00, SHADER_01_00, …
fn check_skins(folders: &[PathBuf], old: &OldModel, mesh: &bindpose_parsers::md5::Mesh, findings: &mut Findings) {
    if !old.is_mdl() {
        return;
    }
    let shader = mesh.shader.to_name();
    let exists = |skin: u32| {
        let mut names = EXTENSIONS.iter().map(|kind| format!("{shader}_{skin:02}_00.{kind}"));
        names.any(|name| files_called(folders, name).next().is_some())
    };
    // Skins in other locations are unknown. If there are none at all, that is no evidence.
    let skins = (0..old.skins).take_while(|&skin| exists(skin)).count() as u32;
    if skins > 0 && skins < old.skins {
        findings.add(pair::FEWER_SKINS, mesh.shader.span, || {
            format!("found {} of '{shader}', but the .mdl has {}", counted(skins as usize, "skin", "skins"), old.skins)
        });
    }
}

/// Checks the skins of a .md2. The Quake II engines ignore the shader and use the images listed there.
fn check_md2_skins(
    folders: &[PathBuf],
    old: &OldModel,
    mesh: &bindpose_parsers::md5::Mesh,
    images: &ImageFinder,
    findings: &mut Findings,
) {
    for (number, skin) in old.skin_names.iter().enumerate() {
        let name = md5_skin(skin);
        let ImageSearch::Missing { .. } = images.find(folders, &name) else { continue };
        let added = findings.add(texture::MD2_SKIN_MISSING, mesh.shader.span, || {
            format!("no image is found for '{name}', which stands for skin {number} of the .md2, '{skin}'")
        });
        added.only(QUAKE2.map(EngineId::profile).to_vec());
    }
}

/// Engines that replace a .md2.
const QUAKE2: [EngineId; 4] = [EngineId::Q2pro, EngineId::Q2repro, EngineId::Yquake2, EngineId::Kex];

/// Checks a `.md5scale`: `{"joint": {"frame": scale, …}}`.
fn check_scale(scale: &Path, file: &MeshFile, start: Span, findings: &mut Findings) {
    let Ok(text) = read::text(scale, &Budget::default()) else { return };
    let Ok(serde_json::Value::Object(joints)) = serde_json::from_str(&text) else {
        findings.add(pair::MD5SCALE, start, || "the .md5scale beside the mesh is no JSON object".to_owned());
        return;
    };
    let known: HashSet<String> = file.joints.iter().map(|joint| joint.name.to_name().to_string()).collect();
    for name in joints.keys() {
        if !known.contains(name) {
            findings.add(pair::MD5SCALE, start, || {
                format!("the .md5scale beside the mesh names joint '{name}', which the mesh does not have")
            });
        }
    }
}

/// Checks RBDOOM-3-BFG's compiled files.
fn check_cache(path: &Path, game: Option<&Vfs>, start: Span, findings: &mut Findings) {
    let time = |path: &Path| disk::metadata(path).and_then(|data| data.modified()).ok();
    let Some(cache) = made_from(game, path, "generated/rendermodels", "bmd5mesh") else { return };
    if time(&cache).zip(time(path)).is_some_and(|(cache, source)| cache > source) {
        findings.add(pair::BINARY_CACHE, start, || format!("{} is newer than the mesh", cache.display()));
    }
}

/// Returns the engines that read a format, for codes that are not specific to one.
fn readers(format: FormatFamily) -> Vec<&'static Profile> {
    PROFILES.iter().filter(|profile| profile.reads(format)).collect()
}

/// Engines that read scripts of shaders, and use the row of a `.skin` with the mesh's number in place of its shader.
const QUAKE3: [EngineId; 2] = [EngineId::Daemon, EngineId::EtLegacy];

/// Checks that a shader's image exists, and not only in a game below the mesh's, where vkQuake does not look.
fn check_shader(
    path: &Path,
    folders: &[PathBuf],
    shader: &Text,
    index: usize,
    has_row: bool,
    around: &CheckContext,
    findings: &mut Findings,
) {
    let (name, images) = (shader.to_name(), around.images);
    if decls::is_built_in(&name) {
        return;
    }
    // Engines choose the extension, and the Quake engines also the skin.
    let is_fine = |found: &FoundImage| found.found_as != FoundAs::Loosely;
    let place = format_args!("mesh[{index}].shader");
    let before = findings.get(texture::TEXTURE_MISSING).map_or(0, |finding| finding.count);
    let added = check_image(folders, &name, shader.span, images, is_fine, place, findings);
    added.only(readers(FormatFamily::Md5)).value("mesh", index);
    if let Some(finding) = findings.get_mut(texture::TEXTURE_MISSING).filter(|finding| finding.count > before) {
        let is_known = has_row || folders.iter().any(|folder| has_shader(images, folder, &name) == Some(true));
        // Engines that lack the image of an earlier mesh.
        let earlier = finding.only.take().filter(|_| before > 0).unwrap_or_default();
        let mut readers = readers(FormatFamily::Md5);
        let is_found = |engine: EngineId| match engine {
            // It reads the first mesh only.
            EngineId::Hexenwail => index > 0 || around.files.is_some_and(|game| hexenwail_finds(game, &name)),
            _ => is_known && QUAKE3.contains(&engine),
        };
        readers.retain(|profile| earlier.contains(profile) || !is_found(profile.id));
        finding.only = Some(readers);
    } else if let Some(game) = around.files {
        let rank = |path: &Path| game.rank(path);
        let is_below = |found: &FoundImage| rank(&found.path).zip(rank(path)).is_some_and(|(image, mesh)| image < mesh);
        let (engine, message) = match images.find(folders, &name) {
            ImageSearch::Found(found) if is_below(&found) => {
                let found = found.path.display();
                (EngineId::VkQuake, format!("'{name}' is found only below the mesh's own game: {found}"))
            }
            _ if index == 0 && is_of_hexen2(game) && !hexenwail_finds(game, &name) => {
                (EngineId::Hexenwail, format!("no image is found for '{name}' where Hexenwail looks"))
            }
            _ => return,
        };
        let added = findings.add_at(texture::TEXTURE_MISSING, shader.span, place, || message);
        added.only(vec![engine.profile()]).value("name", &name).value("mesh", index);
    }
}

/// Folder of Hexen II.
const HEXEN2: &str = "data1";

fn is_of_hexen2(game: &Vfs) -> bool {
    game.games().first().and_then(|folder| folder.file_name()).is_some_and(|name| name.eq_ignore_ascii_case(HEXEN2))
}

/// True if Hexenwail finds the image of a shader (`MD5_LoadSkin`, `IMG_BuildCandidates`).
fn hexenwail_finds(game: &Vfs, shader: &str) -> bool {
    let folder_end = shader.rfind('/').map_or(0, |end| end + 1);
    let stem = shader[folder_end..].rfind('.').map_or(shader, |end| &shader[..folder_end + end]);
    let is_whole = ["models/", "gfx/", "particles/"].iter().any(|folder| stem.starts_with(folder));
    let folder = if is_whole { "" } else { "textures/" };
    ["png", "tga", "pcx"].iter().any(|kind| matches!(game.find(&format!("{folder}{stem}.{kind}")), Ok(Some(_))))
}

/// Checks that the images of a .x file's materials exist, if the file exists: Direct3D's samples open the name as
/// written, in the file's own folder.
pub(super) fn check_x(path: &Path, document: &x::Document, images: &ImageFinder, findings: &mut Findings) {
    if !read::is_file(path) {
        return;
    }
    let folders = [read::folder_of(path)];
    let materials = document.materials.iter().enumerate();
    let textures =
        materials.flat_map(|(index, material)| material.textures.iter().map(move |texture| (index, texture)));
    for (index, texture) in textures {
        let name = texture.filename.to_name();
        let is_fine = |found: &FoundImage| found.found_as == FoundAs::Written && found.above == 0;
        let place = format_args!("material[{index}] {name}");
        let added = check_image(&folders, &name, texture.filename.span, images, is_fine, place, findings);
        added.only(readers(FormatFamily::X));
    }
}

/// Number of tried paths named in a message.
const TRIED_NAMED: usize = 3;

/// Searches for one image. Adds a finding if it is missing or `is_fine` is false.
fn check_image<'f>(
    folders: &[PathBuf],
    name: &str,
    span: Span,
    images: &ImageFinder,
    is_fine: impl FnOnce(&FoundImage) -> bool,
    place: impl Display,
    findings: &'f mut Findings,
) -> Added<'f> {
    match images.find(folders, name) {
        ImageSearch::NoImage => Added(None),
        ImageSearch::Found(found) if is_fine(&found) => Added(None),
        ImageSearch::Found(found) => {
            let message = || format!("'{name}' is found only as {}", found.path.display());
            findings.add_at(texture::TEXTURE_FOUND_LOOSELY, span, place, message)
        }
        ImageSearch::Missing { tried } => {
            let message = || format!("no image is found for '{name}'");
            let named = decls::tried_names(&tried, TRIED_NAMED);
            let folders: Vec<String> =
                folders.iter().map(|folder| read::or_here(folder).display().to_string()).collect();
            findings.add_at(texture::TEXTURE_MISSING, span, place, message).value("name", name).note(format_args!(
                "looked for {named}, in {}, up to {ANCESTORS} folders above it, and in a folder 'textures' in or \
                 beside it",
                folders.join(", ")
            ))
        }
    }
}
