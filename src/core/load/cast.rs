//! Models as their game describes them: anims under their names, materials, skins, heads.

use super::{LoadError, LoadOptions, Loaded, Loader};
use crate::budget::Budget;
use crate::diagnostic::{Diagnostic, Severity, SourceId};
use crate::game::entity::{Cast, CastError, ModelDef, cast_entity, cast_model};
use crate::game::{Decls, LooksFrom};
use crate::import::shading::of_largest_triangles;
use crate::model::{BindJoint, Clip, JointId, JointTracks, MaterialId, Mesh, Model, Transform};
use crate::pose::{LocalPose, ModelPose, local_to_model, rest};
use crate::read::{self, ReadError};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{AnimDecl, DeclKind, Loss, Replacement, Skin, Word};
use bindpose_vfs::{Vfs, member};
use glam::{DAffine3, DVec3, Vec4};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What of a game is loaded instead of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An entityDef: its model with skin and head.
    Entity(String),
    /// A model decl, or the game's name of an `.md5mesh`.
    Model(String),
}

/// Whether a file declares models rather than being one.
pub(super) fn is_def(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("def"))
}

/// The one model that a `.def` file declares, or the one entity with a model.
pub(super) fn subject_of(def: &Path, decls: &Decls) -> Result<Subject, LoadError> {
    let same =
        |path: &Path| path == def || matches!((path.canonicalize(), def.canonicalize()), (Ok(a), Ok(b)) if a == b);
    let in_file = |kind: DeclKind| -> Vec<&str> {
        let is_here = |name: &&str| decls.place(kind, name).is_some_and(|place| same(decls.sources.path(place.source)));
        decls.names(kind).filter(is_here).collect()
    };
    let entities: Vec<&str> = in_file(DeclKind::EntityDef)
        .into_iter()
        .filter(|name| cast_entity(decls, name).is_ok_and(|cast| cast.model.mesh.is_some()))
        .collect();
    let models = in_file(DeclKind::Model);
    let file = def.display();
    let usage = |text: String| Err(LoadError::Usage(text));
    match (&entities[..], &models[..]) {
        ([one], _) => Ok(Subject::Entity((*one).to_owned())),
        ([], [one]) => Ok(Subject::Model((*one).to_owned())),
        ([], []) => usage(format!("{file} declares no model of bones")),
        ([], models) => {
            usage(format!("{file} declares several models; choose one with --model: {}", models.join(", ")))
        }
        (entities, _) => {
            usage(format!("{file} declares several entities; choose one with --entity: {}", entities.join(", ")))
        }
    }
}

/// Loads what a game's decls say of an entity or a model.
pub(super) fn load(
    subject: &Subject,
    decls: &Decls,
    options: &LoadOptions,
    budget: Budget,
) -> Result<Loaded, LoadError> {
    let cast = match subject {
        Subject::Entity(name) => cast_entity(decls, name),
        Subject::Model(name) => cast_model(decls, name),
    };
    let Cast { model, skin, head } = cast.map_err(usage)?;
    let skin = options.skin.clone().or(skin);
    let mut loaded = load_model(&model, &model.anims, &options.added, decls, Loader::new(options, budget))?;
    loaded.model.name = match subject {
        Subject::Entity(name) | Subject::Model(name) => name.clone(),
    };
    dress(&mut loaded, decls, skin.as_deref())?;
    if let Some((head, joint)) = head {
        // It has no clips of its own.
        let mut loader = Loader::new(options, Budget::new(options.memory));
        loader.loaded.sources = std::mem::take(&mut loaded.sources);
        loader.loaded.diagnostics = std::mem::take(&mut loaded.diagnostics);
        loader.loaded.directories = std::mem::take(&mut loaded.directories);
        let mut of_head = load_model(&head, &[], &[], decls, loader)?;
        dress(&mut of_head, decls, head.skin.as_deref())?;
        loaded.sources = of_head.sources;
        loaded.diagnostics = of_head.diagnostics;
        loaded.directories = of_head.directories;
        let joint = loaded.model.skeleton.find(&joint).ok_or_else(|| {
            LoadError::Usage(format!("the head's joint '{joint}' is none of the model '{}'", model.name))
        })?;
        attach(&mut loaded.model, of_head.model, joint);
    }
    loaded.game = Some(Arc::clone(decls.game()));
    // Heads and offsets are not of these files.
    loaded.md5_files = None;
    Ok(loaded)
}

fn usage(error: CastError) -> LoadError {
    LoadError::Usage(error.to_string())
}

/// Where the game has a file.
fn locate(game: &Vfs, name: &str) -> Result<PathBuf, LoadError> {
    let found = game.find(name).ok().flatten();
    let missing = || {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "the game has no such file");
        LoadError::Read(ReadError::Io { path: name.into(), error })
    };
    found.map(|found| found.path).ok_or_else(missing)
}

/// The mesh of a model decl with some of its anims under their names and files that were added, its offset applied.
fn load_model(
    def: &ModelDef,
    anims: &[AnimDecl],
    added: &[PathBuf],
    decls: &Decls,
    mut loader: Loader<'_>,
) -> Result<Loaded, LoadError> {
    let mesh = def.mesh.as_deref().ok_or_else(|| usage(CastError::NoMesh(def.name.clone())))?;
    let game = decls.game();
    let path = locate(game, mesh)?;
    let bytes = read::file(&path, &loader.budget)?;
    loader.add(path, bytes)?;
    let mut missing = Vec::new();
    for (anim, number, file) in
        anims.iter().flat_map(|anim| (1..).zip(&anim.files).map(move |(n, file)| (anim, n, file)))
    {
        // Of files that play at once the game mixes as much as it likes; without a wish it plays the first.
        let name = if number == 1 { anim.name.text.clone() } else { format!("{} ({number})", anim.name.text) };
        let read = locate(game, &file.text).and_then(|path| Ok((read::file(&path, &loader.budget)?, path)));
        match read {
            Ok((bytes, path)) => loader.add_named_clip(path, bytes, name),
            Err(error) => missing.push(format!("the anim '{name}' is left out: {error}")),
        }
    }
    loader.add_files(added)?;
    let mut loaded = loader.finish()?;
    for message in missing {
        loaded.diagnostics.push(general("DEF003", message));
    }
    let offset = DVec3::from_array(def.offset);
    shift_roots(&mut loaded.model, offset);
    // The engine moves the boxes along with the joints.
    loaded.frame_boxes.iter_mut().flatten().flatten().for_each(|corner| *corner += offset);
    let commands = def.anims.iter().filter(|anim| !anim.commands.is_empty());
    loaded.frame_commands = commands.map(|anim| (anim.name.text.clone(), anim.commands.clone())).collect();
    loaded.channels = def.channel_joints(&loaded.model.skeleton);
    Ok(loaded)
}

fn general(code: &'static str, message: String) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Warning,
        message,
        primary: None,
        secondary: Vec::new(),
        path: None,
        notes: Vec::new(),
    }
}

/// Moves the root joints, at rest and in every clip.
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

/// Gives the model's materials their looks: those of their decls, or of the decls that a skin puts in their place.
pub(super) fn dress(loaded: &mut Loaded, decls: &Decls, skin: Option<&str>) -> Result<(), LoadError> {
    let skin: Option<Skin> = match skin {
        Some(name) => match decls.skin(name) {
            Some((_, parsed)) => Some(parsed.decl),
            // The engine makes a skin of a material: it takes the default's place, and no other's.
            None if decls.place(DeclKind::Material, name).is_some() => {
                let word = |text: &str| Word { text: text.to_owned(), span: Span::default() };
                let pairs = vec![Replacement { from: word("_default"), to: word(name) }];
                Some(Skin { models: Vec::new(), pairs })
            }
            None => {
                return Err(usage(CastError::missing(decls, DeclKind::Skin, name)));
            }
        },
        None => None,
    };
    let mut is_dressed = false;
    // Files of decls that are among the model's, where some decl is at fault.
    let mut copied: HashMap<SourceId, SourceId> = HashMap::new();
    for material in &mut loaded.model.materials {
        let own = decls.looks(&material.name);
        // What is not drawn stays so.
        let other = skin.as_ref().and_then(|skin| skin.replace(&material.name)).filter(|_| own.surface.is_drawn);
        let (name, looks) = match other {
            Some(other) => (other.to_owned(), decls.looks(other)),
            None => (material.name.clone(), own),
        };
        if let LooksFrom::Decl { place, faults } = &looks.source
            && let Some(fault) = faults.iter().find(|fault| fault.kind.loss() == Loss::Decl)
        {
            let source = *copied.entry(place.source).or_insert_with(|| {
                let (file, sources) = (decls.sources.get(place.source), &mut loaded.sources);
                // A head's may be the body's.
                let known = sources.ids().find(|&known| sources.path(known) == file.path);
                known.unwrap_or_else(|| sources.add(file.path.clone(), file.bytes.clone()))
            });
            let message = format!("the game loses the material '{name}' and draws its default: {}", fault.kind);
            loaded.diagnostics.push(Diagnostic::new("MTR001", Severity::Warning, message, source, fault.span));
        }
        // Without a decl and an image the file's own words may still lead somewhere.
        if matches!(looks.source, LooksFrom::Nothing(_)) && other.is_none() {
            continue;
        }
        material.texture = looks.surface.main_image().map(ToString::to_string);
        material.name = name;
        // Its stages have their own colours.
        material.diffuse = Vec4::ONE;
        material.surface = Some(looks.surface);
        is_dressed = true;
    }
    let Model { meshes, materials, .. } = &mut loaded.model;
    for mesh in meshes {
        let surface = materials.get(mesh.material.0 as usize).and_then(|material| material.surface.as_ref());
        if surface.is_some_and(|surface| surface.is_unsmoothed) {
            (mesh.normals, mesh.tangents) = of_largest_triangles(&mesh.positions, &mesh.uvs, &mesh.triangles);
        }
    }
    if is_dressed {
        let roots = decls.game().mounts().map(|place| match member::is_archive(place) {
            true => member::join(place, ""),
            false => place.to_owned(),
        });
        let beside = std::mem::take(&mut loaded.directories);
        let mut known = HashSet::new();
        loaded.directories = roots.chain(beside).filter(|folder| known.insert(folder.clone())).collect();
    }
    Ok(())
}

/// Puts a head on a body's joint: its origin there, its axes the body's as they are at rest. It moves with the joint.
fn attach(body: &mut Model, head: Model, joint: JointId) {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    rest(&body.skeleton, &mut local);
    local_to_model(&body.skeleton, &local, &mut pose);
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
