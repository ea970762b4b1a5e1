//! Names that engines accept.

use super::{Game, Options};
use crate::Loss;
use crate::unique::Unique;
use bindpose_core::model::{JointTracks, Material, Model, Skeleton, Transform};

/// Renames joints by the options and as far as the format needs it, and adds a root if the options name one or there is
/// no joint.
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
    let (mut unique, bytes) = (Unique::default(), options.name_bytes.unwrap_or(usize::MAX));
    let mut changed: Option<(String, String, usize)> = None;
    let mut named = |asked: String| {
        let name = unique.add_within(&allowed(&asked, bytes), bytes);
        if name != asked {
            changed.get_or_insert_with(|| (asked, name.clone(), 0)).2 += 1;
        }
        name
    };
    let above = above.map(|name| skeleton.push(named(name), None, Transform::IDENTITY));
    let mut ids = Vec::with_capacity(model.skeleton.len());
    for joint in model.skeleton.joints() {
        let parent = joint.parent.map(|parent| ids[parent.index()]).or(above);
        ids.push(skeleton.push(named(wanted(&joint.name)), parent, joint.rest_local));
    }
    losses.extend(changed.map(|(from, to, names)| Loss::Renamed { what: "joint", from, to, names }));
    if above.is_some() {
        model.clips.iter_mut().for_each(|clip| clip.joints.insert(0, JointTracks::default()));
    }
    for bound in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.bind) {
        bound.joint = ids[bound.joint.index()];
    }
    model.skeleton = skeleton;
}

/// A name of printable ASCII without quotes, not empty, and no longer than allowed.
fn allowed(name: &str, bytes: usize) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') && c != '"' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let name = if name.is_empty() { "joint".to_owned() } else { name };
    name[..name.len().min(bytes)].to_owned()
}

/// Name of the shader for each material: for the Quake engines the model's name if there is one material.
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

/// A material's name if it is a path, as in games, else its image, else its name.
fn path_without_extension(material: &Material) -> String {
    let image = material.image_file().filter(|_| !material.name.contains(['/', '\\']));
    let name = image.unwrap_or(&material.name);
    let name = allowed(&name.replace('\\', "/"), usize::MAX);
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    match name[file..].rfind('.') {
        Some(dot) if dot > 0 => name[..file + dot].to_owned(),
        _ => name,
    }
}

/// Names of files in one folder.
#[derive(Default)]
pub(super) struct FileNames(Unique);

impl FileNames {
    /// A name that is safe for file systems, each once.
    pub(super) fn add(&mut self, name: &str) -> String {
        self.0.add(&crate::file_name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_names_are_those_in_the_file() {
        let mut model = Model::default();
        for name in ["arm", "shoulder_left", "shoulder_right", "shoulder_top"] {
            model.skeleton.push(name, None, Transform::IDENTITY);
        }
        let mut losses = Vec::new();
        rename(&mut model, &Options { name_bytes: Some(8), ..Options::default() }, &mut losses);
        let names: Vec<&str> = model.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["arm", "shoulder", "should_2", "should_3"]);
        let texts: Vec<String> = losses.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["3 names were renamed, such as joint 'shoulder_left' to 'shoulder'"]);
    }
}
