//! Models as their game describes them: named anims, materials, skins, heads.

use super::error::LoadError;
use super::import_files;
use super::options::{LoadOptions, Subject};
use crate::budget::Budget;
use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use crate::game::entity::{
    Appearance, AppearanceError, ModelDef, appearance_of_entity, appearance_of_model, has_appearance,
};
use crate::game::{Decls, LooksFrom};
use crate::import::Loaded;
use crate::import::error::Mismatch;
use crate::import::shading::of_largest_triangles;
use crate::left_out::{FoundBy, LeftOut, Part as Kind};
use crate::model::{BindJoint, Clip, JointId, JointTracks, MaterialId, Mesh, Model, Transform};
use crate::pose::LocalPose;
use crate::read::{self, ReadError};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{AnimDecl, DeclKind, Impact, Replacement, Skin, Word};
use bindpose_vfs::{Vfs, member};
use glam::{DAffine3, DVec3, Vec4};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// True if a file declares models rather than containing one.
pub(super) fn is_def(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("def"))
}

/// Returns the only entity with a model, else the only model, declared in a `.def` file.
pub(super) fn subject_of(def: &Path, decls: &Decls) -> Result<Subject, LoadError> {
    let source = decls.source_of(def);
    let in_file = |kind: DeclKind| -> Vec<&str> {
        let is_here = |name: &&str| decls.place(kind, name).is_some_and(|place| Some(place.source) == source);
        decls.names(kind).filter(is_here).collect()
    };
    let mut entities = in_file(DeclKind::EntityDef);
    entities.retain(|name| has_appearance(decls, name));
    let models = in_file(DeclKind::Model);
    let several = |kind, option, names: &[&str]| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Err(Mismatch::SeveralSubjects { def: def.to_owned(), kind, option, names }.into())
    };
    match (&entities[..], &models[..]) {
        ([one], _) => Ok(Subject::Entity((*one).to_owned())),
        ([], [one]) => Ok(Subject::Model((*one).to_owned())),
        ([], []) => Err(Mismatch::NoSubject(def.to_owned()).into()),
        ([], models) => several("models", "--model", models),
        (entities, _) => several("entities", "--entity", entities),
    }
}

/// Loads an entity or a model by the decls of its game: mesh, anims, skin and head.
pub(super) fn load_subject(
    subject: &Subject,
    decls: &Decls,
    options: &LoadOptions,
    budget: &Budget,
) -> Result<Loaded, LoadError> {
    let appearance = match subject {
        Subject::Entity(name) => appearance_of_entity(decls, name),
        Subject::Model(name) => appearance_of_model(decls, name),
    };
    let Appearance { model, skin, head, faults } = appearance.map_err(Mismatch::Appearance)?;
    let body = Part { def: &model, anims: &model.anims(), added: &options.clips.added };
    let mut loaded = load_part(body, decls, options, budget)?;
    let (Subject::Entity(name) | Subject::Model(name)) = subject;
    Arc::make_mut(&mut loaded.model).name.clone_from(name);
    loaded.diagnostics.extend(faults.iter().map(|fault| Diagnostic::general("DEF015", fault.to_string())));
    match &options.game.skin {
        Some(chosen) => apply_materials(&mut loaded, decls, Some(chosen))?,
        None => apply_own_skin(&mut loaded, decls, skin.as_deref())?,
    }
    if let Some((head, joint)) = head
        && let Err(error) = add_head(&mut loaded, &head, &joint, decls, options, budget)
    {
        let reason = Diagnostic::general("DEF015", error.to_string());
        loaded.left_out.push(LeftOut::new(Kind::Mesh, &*head.name, reason, FoundBy::Game, &loaded.sources));
    }
    loaded.game = Some(Arc::clone(decls.game()));
    loaded.md5 = None;
    Ok(loaded)
}

/// Applies the skin that a game declares for a model. A missing skin is only a warning, because the game shows the
/// model without it.
fn apply_own_skin(loaded: &mut Loaded, decls: &Decls, skin: Option<&str>) -> Result<(), LoadError> {
    let missing = skin.and_then(|name| skin_called(decls, name).err());
    apply_materials(loaded, decls, skin.filter(|_| missing.is_none()))?;
    loaded.diagnostics.extend(missing.map(|error| Diagnostic::general("DEF011", error.to_string())));
    Ok(())
}

/// Loads a head, which has no clips of its own, and attaches it to a body.
fn add_head(
    body: &mut Loaded,
    head: &ModelDef,
    joint: &str,
    decls: &Decls,
    options: &LoadOptions,
    budget: &Budget,
) -> Result<(), LoadError> {
    let joint = body
        .model
        .skeleton
        .find(joint)
        .ok_or_else(|| Mismatch::NoJoint { joint: joint.to_owned(), model: body.model.name.clone() })?;
    let mut loaded = load_part(Part { def: head, anims: &[], added: &[] }, decls, options, budget)?;
    apply_own_skin(&mut loaded, decls, head.skin())?;
    let mut copied: HashMap<SourceId, SourceId> = HashMap::new();
    for id in loaded.sources.ids() {
        copied.insert(id, copy(&loaded.sources, id, &mut body.sources));
    }
    let moved = |diagnostic: &mut Diagnostic| {
        for label in diagnostic.primary.iter_mut().chain(&mut diagnostic.secondary) {
            label.source = copied.get(&label.source).copied().unwrap_or(label.source);
        }
    };
    loaded.left_out.iter_mut().for_each(|left| moved(&mut left.reason));
    body.left_out.append(&mut loaded.left_out);
    for mut diagnostic in loaded.diagnostics {
        moved(&mut diagnostic);
        if !body.diagnostics.contains(&diagnostic) {
            body.diagnostics.push(diagnostic);
        }
    }
    body.directories = without_repeats(std::mem::take(&mut body.directories).into_iter().chain(loaded.directories));
    attach(Arc::make_mut(&mut body.model), Arc::unwrap_or_clone(loaded.model), joint);
    Ok(())
}

/// Returns the path of a file in the game.
fn locate(game: &Vfs, name: &str) -> Result<PathBuf, LoadError> {
    let found = game.find(name).ok().flatten();
    let missing = || {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "the game has no such file");
        LoadError::Read(ReadError::Io { path: name.into(), error })
    };
    found.map(|found| found.path).ok_or_else(missing)
}

/// A model decl to load, with its anims and additional files.
struct Part<'a> {
    def: &'a ModelDef,
    anims: &'a [&'a AnimDecl],
    added: &'a [PathBuf],
}

/// Loads the mesh and anims of a model decl, names the clips after the anims, and applies its offset.
fn load_part(part: Part<'_>, decls: &Decls, options: &LoadOptions, budget: &Budget) -> Result<Loaded, LoadError> {
    let Part { def, anims, added } = part;
    let mesh = def.mesh().ok_or_else(|| Mismatch::Appearance(AppearanceError::NoMesh(def.name.clone())))?;
    let game = decls.game();
    let read = |path: PathBuf, name: Option<String>| match read::file(&path, budget) {
        Ok(bytes) => Ok((path, bytes, name)),
        Err(error) => Err(LoadError::Read(error)),
    };
    let mut files: Vec<(PathBuf, Vec<u8>, Option<String>)> = vec![read(locate(game, mesh)?, None)?];
    let mut missing = Vec::new();
    for (anim, number, file) in
        anims.iter().flat_map(|anim| (1..).zip(&anim.files).map(move |(n, file)| (anim, n, file)))
    {
        // The game can mix files that play at once. By default it plays the first.
        let name = if number == 1 { anim.name.text.clone() } else { format!("{} ({number})", anim.name.text) };
        match locate(game, &file.text).and_then(|path| read(path, Some(name.clone()))) {
            Ok(file) => files.push(file),
            Err(error) => missing.push((name, error)),
        }
    }
    for path in added {
        files.push(read(path.clone(), None)?);
    }
    let mut loaded = import_files(files, options.with_camera, Some(game), &options.job(budget))?;
    let missing = missing.into_iter().map(|(name, error)| {
        let reason = Diagnostic::general("DEF003", error.to_string());
        LeftOut::new(Kind::Clip, name, reason, FoundBy::Game, &loaded.sources)
    });
    loaded.left_out.extend(missing.collect::<Vec<_>>());
    let offset = DVec3::from_array(def.offset());
    shift_roots(Arc::make_mut(&mut loaded.model), offset);
    // The engine moves the boxes together with the joints.
    loaded.frame_boxes.iter_mut().flatten().flatten().for_each(|corner| *corner += offset);
    let commands = def.anims().into_iter().filter(|anim| !anim.commands.is_empty());
    loaded.frame_commands = commands.map(|anim| (anim.name.text.clone(), anim.commands.clone())).collect();
    loaded.channels = def.channel_joints(&loaded.model.skeleton);
    Ok(loaded)
}

fn without_repeats(folders: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    folders.filter(|folder| known.insert(folder.clone())).collect()
}

/// Translates the root joints in the rest pose and in every clip.
fn shift_roots(model: &mut Model, offset: DVec3) {
    if offset == DVec3::ZERO {
        return;
    }
    let roots: Vec<JointId> = model.skeleton.ids().filter(|&joint| model.skeleton[joint].parent.is_none()).collect();
    for root in roots {
        let local = model.skeleton[root].rest_local;
        let shifted = Transform { translation: local.translation + offset, ..local };
        model.skeleton.set_rest_local(root, shifted);
        for clip in &mut model.clips {
            match clip.joints.get_mut(root.index()) {
                Some(JointTracks::Parts { translation: Some(track), .. }) => {
                    track.values.iter_mut().for_each(|value| *value += offset);
                }
                Some(JointTracks::Whole { keys, .. }) => {
                    keys.values.iter_mut().for_each(|key| key.translation += offset);
                }
                Some(JointTracks::Parts { translation: None, .. }) | None => {}
            }
        }
    }
}

/// Gives the model's materials the surfaces of their decls, or of the decls that replace them in a skin.
pub(super) fn apply_materials(loaded: &mut Loaded, decls: &Decls, skin: Option<&str>) -> Result<(), LoadError> {
    let skin = skin.map(|name| skin_called(decls, name)).transpose()?;
    // Faulty decl files already copied to the model's sources.
    let mut copied: HashMap<SourceId, SourceId> = HashMap::new();
    let mut has_surfaces = false;
    let Model { meshes, materials, .. } = Arc::make_mut(&mut loaded.model);
    for material in &mut *materials {
        let own = decls.looks(&material.name);
        // An undrawn surface stays undrawn.
        let other = skin.as_ref().and_then(|skin| skin.replace(&material.name)).filter(|_| own.surface.is_drawn);
        let (name, looks) = match other {
            Some(other) => (other.to_owned(), decls.looks(other)),
            None => (material.name.clone(), own),
        };
        if let LooksFrom::Decl { place, faults } = &looks.source
            && let Some(fault) = faults.iter().find(|fault| fault.kind.impact() == Impact::Decl)
        {
            let source =
                *copied.entry(place.source).or_insert_with(|| copy(&decls.sources, place.source, &mut loaded.sources));
            let message = format!("the game ignores the material '{name}' and draws its default: {}", fault.kind);
            loaded.diagnostics.push(Diagnostic::new("MTR001", Severity::Warning, message, source, fault.span));
        }
        // Without decl and image, keep the name in the model's file, which may still resolve to an image.
        if matches!(looks.source, LooksFrom::Nothing(_)) && other.is_none() {
            continue;
        }
        material.texture = looks.surface.main_image().map(ToString::to_string);
        material.name = name;
        // The stages have their own colours.
        material.diffuse = Vec4::ONE;
        material.surface = Some(looks.surface);
        has_surfaces = true;
    }
    for mesh in meshes {
        let surface = materials.get(mesh.material.0 as usize).and_then(|material| material.surface.as_ref());
        if surface.is_some_and(|surface| surface.is_unsmoothed) {
            (mesh.normals, mesh.tangents) = of_largest_triangles(&mesh.positions, &mesh.uvs, &mesh.triangles);
        }
    }
    report_unreadable(loaded, decls);
    if has_surfaces {
        let roots = decls.game().mounts().map(|place| match member::is_archive(place) {
            true => member::join(place, ""),
            false => place.to_owned(),
        });
        loaded.directories = without_repeats(roots.chain(std::mem::take(&mut loaded.directories)));
    }
    Ok(())
}

/// Reports decl files that were not read, once per model.
fn report_unreadable(loaded: &mut Loaded, decls: &Decls) {
    let Some(first) = decls.unreadable.first() else { return };
    let others = match decls.unreadable.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more decl files)"),
    };
    let warning = Diagnostic::general("IO001", format!("{first}{others}"));
    if !loaded.diagnostics.contains(&warning) {
        loaded.diagnostics.push(warning);
    }
}

/// Returns a skin of the game. As in the engine, the name of a material also works: it replaces the default material
/// only.
fn skin_called(decls: &Decls, name: &str) -> Result<Skin, LoadError> {
    match decls.skin(name) {
        Some((_, parsed)) => Ok(parsed.decl),
        None if decls.place(DeclKind::Material, name).is_some() => {
            let word = |text: &str| Word { text: text.to_owned(), span: Span::default() };
            let pairs = vec![Replacement { from: word("_default"), to: word(name) }];
            Ok(Skin { models: Vec::new(), pairs })
        }
        None => Err(Mismatch::Appearance(AppearanceError::missing(decls, DeclKind::Skin, name)).into()),
    }
}

/// Copies a file to other sources, unless they contain its path already.
fn copy(from: &Sources, source: SourceId, sources: &mut Sources) -> SourceId {
    let file = from.get(source);
    let known = sources.ids().find(|&known| sources.path(known) == file.path);
    known.unwrap_or_else(|| sources.add(file.path.clone(), file.bytes.clone()))
}

/// Attaches a head to a body's joint, with its origin at the joint and its axes parallel to the body's at rest.
fn attach(body: &mut Model, head: Model, joint: JointId) {
    let pose = LocalPose::rest(&body.skeleton).to_model(&body.skeleton);
    let model_from_joint = pose.0.get(joint.index()).copied().unwrap_or(DAffine3::IDENTITY);
    let joint_from_head = model_from_joint.inverse() * DAffine3::from_translation(model_from_joint.translation);
    let mut joints = Vec::with_capacity(head.skeleton.len());
    for id in head.skeleton.ids() {
        let own = &head.skeleton[id];
        let placed = match own.parent {
            Some(parent) => body.skeleton.push(own.name.clone(), Some(joints[JointId::index(parent)]), own.rest_local),
            None => {
                let local = joint_from_head * own.rest_local.to_affine();
                body.skeleton.push(own.name.clone(), Some(joint), Transform::from_affine(local))
            }
        };
        joints.push(placed);
    }
    for clip in &mut body.clips {
        let Clip { joints: tracks, .. } = clip;
        tracks.resize(body.skeleton.len(), JointTracks::default());
    }
    let first_material = body.materials.len() as u32;
    body.materials.extend(head.materials);
    body.meshes.extend(head.meshes.into_iter().map(|mesh| {
        let bind = mesh.bind.iter().map(|bound| BindJoint { joint: joints[bound.joint.index()], ..*bound }).collect();
        Mesh { material: MaterialId(mesh.material.0 + first_material), bind, ..mesh }
    }));
}
