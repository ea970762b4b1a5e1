//! Names that engines take.

use super::{Game, Options};
use crate::Loss;
use crate::unique::Unique;
use bindpose_core::model::{JointTracks, Material, Model, Skeleton, Transform};

/// Gives joints the names that the options ask for and the format allows, and puts a root above them where one is
/// wanted, or where there is no joint at all.
pub(super) fn rename(model: &mut Model, options: &Options, losses: &mut Vec<Loss>) {
    let wanted = |name: &str| {
        if let Some((_, to)) = options.rename.iter().find(|(from, _)| from == name) {
            return to.clone();
        }
        let stripped = options.strip_prefix.as_ref().and_then(|prefix| name.strip_prefix(prefix.as_str()));
        stripped.filter(|rest| !rest.is_empty()).unwrap_or(name).to_owned()
    };
    let above = match &options.root {
        Some(root) => {
            let mut roots = model.skeleton.joints().iter().filter(|joint| joint.parent.is_none());
            let only = roots.next().filter(|_| roots.next().is_none());
            only.is_none_or(|only| wanted(&only.name) != *root).then(|| root.clone())
        }
        None => model.skeleton.is_empty().then(|| "origin".to_owned()),
    };
    let mut skeleton = Skeleton::new();
    let mut unique = Unique::default();
    let mut changed: Option<(String, String, usize)> = None;
    let above = above.map(|name| {
        let name = unique.add(&allowed(&name, options.name_bytes));
        skeleton.push(name, None, Transform::IDENTITY)
    });
    let mut ids = Vec::with_capacity(model.skeleton.len());
    for joint in model.skeleton.joints() {
        let asked = wanted(&joint.name);
        let name = allowed(&asked, options.name_bytes);
        if name != asked {
            let (.., names) = changed.get_or_insert_with(|| (asked.clone(), name.clone(), 0));
            *names += 1;
        }
        let parent = joint.parent.map(|parent| ids[parent.index()]).or(above);
        ids.push(skeleton.push(shortened(&mut unique, &name, options.name_bytes), parent, joint.rest_local));
    }
    losses.extend(changed.map(|(from, to, names)| Loss::Renamed { what: "joint", from, to, names }));
    losses.extend(unique.into_loss("joint"));
    if above.is_some() {
        model.clips.iter_mut().for_each(|clip| clip.joints.insert(0, JointTracks::default()));
    }
    for bound in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.bind) {
        bound.joint = ids[bound.joint.index()];
    }
    model.skeleton = skeleton;
}

/// A unique name that still fits when a number was put behind it.
fn shortened(unique: &mut Unique, name: &str, bytes: Option<usize>) -> String {
    let mut length = name.len();
    loop {
        let made = unique.add(&name[..length]);
        if bytes.is_none_or(|bytes| made.len() <= bytes) || length <= 1 {
            return made;
        }
        length -= 1;
    }
}

/// A name of printable ASCII without quotes, not empty, and no longer than allowed.
fn allowed(name: &str, bytes: Option<usize>) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') && c != '"' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let name = if name.is_empty() { "joint".to_owned() } else { name };
    name[..bytes.map_or(name.len(), |bytes| name.len().min(bytes))].to_owned()
}

/// For each material what the shader of its meshes is called: for the Quake engines the model's name where there is one
/// material.
pub(super) fn shaders(model: &Model, options: &Options) -> Vec<String> {
    let mut used: Vec<usize> = model.meshes.iter().map(|mesh| mesh.material.index()).collect();
    used.sort_unstable();
    used.dedup();
    let name = |material: &Material| {
        let path = path_without_extension(material);
        match options.game {
            Game::Doom3 | Game::Quake2 => path,
            Game::Quake if used.len() <= 1 => crate::file_name(&options.stem),
            Game::Quake => crate::file_name(path.rsplit('/').next().unwrap_or(&path)),
        }
    };
    model.materials.iter().map(name).collect()
}

/// A material's texture, else its name.
fn path_without_extension(material: &Material) -> String {
    let name = material.texture.as_ref().filter(|name| !name.is_empty()).unwrap_or(&material.name);
    let name = allowed(&name.replace('\\', "/"), None);
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    match name[file..].rfind('.') {
        Some(dot) if dot > 0 => name[..file + dot].to_owned(),
        _ => name,
    }
}

/// Names of files that stand in one folder.
#[derive(Default)]
pub(super) struct FileNames(Unique);

impl FileNames {
    /// The name with nothing in it that a file system minds, once.
    pub(super) fn add(&mut self, name: &str) -> String {
        self.0.add(&crate::file_name(name))
    }
}
