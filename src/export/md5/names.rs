//! Names that the engines accept.

use super::{Game, Options};
use crate::Loss;
use crate::unique::Unique;
use bindpose_core::model::{Clip, Joint, JointId, JointTracks, Material, Model, Skeleton, Transform};

/// Makes joint names legal. Adds a root if the options name one, if there is no joint, or if there are several roots
/// and the engine needs a single one.
pub(super) fn rename(model: &mut Model, options: &Options, losses: &mut Vec<Loss>) {
    let roots: Vec<JointId> = model.skeleton.ids().filter(|&joint| model.skeleton[joint].parent.is_none()).collect();
    let name = |joint: JointId| model.skeleton[joint].name.clone();
    let mut first = None;
    let above = match &options.root {
        Some(root) => (roots.len() != 1 || name(roots[0]) != *root).then(|| root.clone()),
        None if roots.is_empty() => Some(ORIGIN.to_owned()),
        None if roots.len() > 1 && options.one_root => {
            // A root that stays at the origin can become the parent of the others.
            first = roots.iter().copied().find(|&joint| name(joint) == ORIGIN && stands_still(model, joint));
            let roots = roots.iter().map(|&joint| name(joint)).collect();
            losses.push(Loss::AddedRoot { root: ORIGIN.to_owned(), roots });
            first.is_none().then(|| ORIGIN.to_owned())
        }
        None => None,
    };
    let bytes = options.name_bytes.unwrap_or(usize::MAX);
    let mut unique = Unique::default();
    let mut named = |name: &str| unique.add_legal(name, &allowed(name, bytes), bytes);
    if let Some(first) = first {
        let others = model.skeleton.ids().filter(|&joint| joint != first);
        let order: Vec<JointId> = std::iter::once(first).chain(others).collect();
        model.reorder_joints(&order);
    }
    let mut skeleton = Skeleton::new();
    let mut ids: Vec<JointId> = Vec::with_capacity(model.skeleton.len());
    let above = above.map(|name| skeleton.push(named(&name), None, Transform::IDENTITY));
    for Joint { name, parent, rest_local } in model.skeleton.joints() {
        let top = above.or(first.and_then(|_| ids.first().copied()));
        let parent = parent.map(|parent| ids[parent.index()]).or(top);
        ids.push(skeleton.push(named(name), parent, *rest_local));
    }
    losses.extend(unique.into_loss("joint"));
    if above.is_some() {
        model.clips.iter_mut().for_each(|clip| clip.joints.insert(0, JointTracks::default()));
    }
    for bound in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.bind) {
        bound.joint = ids[bound.joint.index()];
    }
    model.skeleton = skeleton;
}

/// Name of a root that is added above all others.
const ORIGIN: &str = "origin";

/// True if a joint has no transform at rest and no keys.
fn stands_still(model: &Model, joint: JointId) -> bool {
    let tracks = |clip: &Clip| clip.joints.get(joint.index()).is_none_or(|tracks| *tracks == JointTracks::default());
    model.skeleton[joint].rest_local == Transform::IDENTITY && model.clips.iter().all(tracks)
}

/// Makes a name legal: printable ASCII without quotes, not empty, and no longer than `bytes`.
fn allowed(name: &str, bytes: usize) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') && c != '"' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let name = if name.is_empty() { "joint".to_owned() } else { name };
    name[..name.len().min(bytes)].to_owned()
}

/// Returns the shader name for each material. The Quake engines use the model's name if there is only one material.
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

/// Returns a material's name if it is a path, as in games, otherwise its image, otherwise its name.
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    #[test]
    fn reported_names_are_those_in_the_file() {
        let mut model = Model::default();
        let root = model.skeleton.push("arm", None, Transform::IDENTITY);
        for name in ["shoulder_left", "shoulder_right", "shoulder_top"] {
            model.skeleton.push(name, Some(root), Transform::IDENTITY);
        }
        let mut losses = Vec::new();
        rename(&mut model, &Options { name_bytes: Some(8), ..Options::default() }, &mut losses);
        let names: Vec<&str> = model.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["arm", "shoulder", "should_2", "should_3"]);
        let texts: Vec<String> = losses.iter().map(ToString::to_string).collect();
        let text = "3 names were renamed: joint 'shoulder_left' to 'shoulder', 'shoulder_right' to 'should_2', \
                    'shoulder_top' to 'should_3'";
        assert_eq!(texts, [text]);
    }

    #[test]
    fn several_roots_get_a_common_root() {
        let place = Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::X);
        let parents = |names: &[&str], options: &Options| {
            let mut model = Model::default();
            for name in names {
                let rest = if *name == "origin" { Transform::IDENTITY } else { place };
                model.skeleton.push(*name, None, rest);
            }
            let tracks = |_: &&str| JointTracks::default();
            model.clips.push(Clip { joints: names.iter().map(tracks).collect(), ..Clip::default() });
            let mut losses = Vec::new();
            rename(&mut model, options, &mut losses);
            assert_eq!(model.clips[0].joints.len(), model.skeleton.len());
            let joints = model.skeleton.joints().iter();
            let joints: Vec<_> = joints.map(|joint| (joint.name.clone(), joint.parent.map(JointId::index))).collect();
            (joints, losses.len())
        };
        let expected = |joints: &[(&str, Option<usize>)]| -> Vec<(String, Option<usize>)> {
            joints.iter().map(|&(name, parent)| (name.to_owned(), parent)).collect()
        };
        let one = Options::default();
        let new = expected(&[("origin", None), ("hips", Some(0)), ("cape", Some(0))]);
        assert_eq!(parents(&["hips", "cape"], &one), (new, 1));
        // The root that unskinned meshes have moves up.
        let old = expected(&[("origin", None), ("hips", Some(0))]);
        assert_eq!(parents(&["hips", "origin"], &one), (old, 1));
        let several = Options { one_root: false, ..Options::default() };
        assert_eq!(parents(&["hips", "cape"], &several), (expected(&[("hips", None), ("cape", None)]), 0));
    }
}
