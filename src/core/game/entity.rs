//! Appearance of entities and models: mesh, anims, skin and head.

use super::decls::Decls;
pub use super::inherit::{AppearanceError, EntityKeys, ModelDef};
use crate::suggest;
use bindpose_parsers::decl::{DeclKind, canonical_name};
use std::sync::Arc;

/// Appearance of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Appearance {
    /// Model of the body.
    pub model: Arc<ModelDef>,
    /// The entity's own skin, else the model's.
    pub skin: Option<String>,
    /// A head, and the joint of the body to which it is attached.
    pub head: Option<(Arc<ModelDef>, String)>,
    /// Missing parts. The game shows the entity without them.
    pub faults: Vec<AppearanceError>,
}

/// Returns the decl's name most similar to one that the game lacks.
pub fn nearest_name<'d>(decls: &'d Decls, kind: DeclKind, name: &str) -> Option<&'d str> {
    let wanted = canonical_name(name);
    let mut alike = decls.names(kind).filter(|known| known.contains(&wanted) || wanted.contains(known));
    suggest::nearest(&wanted, decls.names(kind)).or_else(|| alike.next())
}

impl AppearanceError {
    /// Returns the error for a missing name, with the most similar name of the game.
    pub fn missing(decls: &Decls, kind: DeclKind, name: &str) -> Self {
        let nearest = nearest_name(decls, kind, name).map(str::to_owned);
        Self::Missing { kind, name: name.to_owned(), nearest }
    }

    /// Adds the most similar name of the game to the error for a missing one.
    fn with_nearest(self, decls: &Decls) -> Self {
        match self {
            Self::Missing { kind, name, .. } => Self::missing(decls, kind, &name),
            error => error,
        }
    }
}

/// Resolves the appearance of an entity: its model with anims, skin and head.
///
/// # Errors
///
/// [`AppearanceError`].
pub fn appearance_of_entity(decls: &Decls, name: &str) -> Result<Appearance, AppearanceError> {
    let (keys, model) = body(decls, name).map_err(|error| error.with_nearest(decls))?;
    let (head, fault) = match keys.head().map(|(head, joint)| (model_named(decls, head), joint)) {
        Some((Ok(head), joint)) => (Some((head, joint.to_owned())), None),
        Some((Err(error), _)) => (None, Some(error.with_nearest(decls))),
        None => (None, None),
    };
    let skin = keys.skin().or(model.skin()).map(str::to_owned);
    Ok(Appearance { skin, model, head, faults: Vec::from_iter(fault) })
}

/// True if an entity has a model with joints.
pub fn has_appearance(decls: &Decls, entity: &str) -> bool {
    body(decls, entity).is_ok()
}

/// Returns the keys of an entity, and its model.
fn body(decls: &Decls, entity: &str) -> Result<(Arc<EntityKeys>, Arc<ModelDef>), AppearanceError> {
    let keys = decls.entity_keys(entity)?;
    let model = with_mesh(decls, keys.model().ok_or_else(|| AppearanceError::NoModel(entity.to_owned()))?)?;
    Ok((keys, model))
}

/// Resolves a model decl, or an `.md5mesh` file by its name in the game.
///
/// # Errors
///
/// [`AppearanceError`].
pub fn appearance_of_model(decls: &Decls, name: &str) -> Result<Appearance, AppearanceError> {
    let model = with_mesh(decls, name).map_err(|error| error.with_nearest(decls))?;
    Ok(Appearance { skin: model.skin().map(str::to_owned), model, head: None, faults: Vec::new() })
}

fn with_mesh(decls: &Decls, name: &str) -> Result<Arc<ModelDef>, AppearanceError> {
    let model = model_named(decls, name)?;
    if model.mesh().is_none() {
        return Err(AppearanceError::NoMesh(model.name.clone()));
    }
    Ok(model)
}

fn model_named(decls: &Decls, name: &str) -> Result<Arc<ModelDef>, AppearanceError> {
    match name.to_ascii_lowercase().rsplit_once('.') {
        // Decl names end before their last dot, so `models/x.md5mesh` might be a decl.
        _ if decls.place(DeclKind::Model, name).is_some() => decls.model_def(name),
        Some((_, "md5mesh")) => Ok(Arc::new(ModelDef::of_mesh(name))),
        Some(_) => Err(AppearanceError::OtherModel(name.to_owned())),
        None => Err(AppearanceError::Missing { kind: DeclKind::Model, name: name.to_owned(), nearest: None }),
    }
}
