//! Files that the player writes: screenshots, poses, ranges, example poses. Only the files of ranges, examples and
//! factors are overwritten.

use super::screenshot;
use super::settings::RecordSettings;
use super::watch::Changes;
use crate::commands::play::file_name;
use crate::commands::record::write_png;
use anyhow::{Context, bail};
use bindpose::budget::MemoryLimit;
use bindpose::examples;
use bindpose::export::{md5, obj};
use bindpose::model::{JointId, Model};
use bindpose::pose::LocalPose;
use bindpose::read::stem_of;
use bindpose::render::{Gpu, RenderTarget};
use bindpose::skin::{self, Skinned};
use bindpose_core::write;
use bindpose_player::ranges::{self, NamedRange};
use bindpose_player::{Player, edit};
use glam::DQuat;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Save {
    /// Screenshot, to a file in the current folder.
    Screenshot,
    /// MD5 frame values of the selected joint, or of all joints, to the clipboard.
    FrameValues,
    /// Pose as an `.md5anim` of one frame.
    Still,
    Obj,
    Ranges,
    /// Rotation of the selected joint as an example pose for `sjbbe`.
    Example,
    /// Sigma of an example pose, in radians.
    ExampleSigma(usize, f64),
    /// Examples without the one at this index.
    RemoveExample(usize),
}

pub struct SaveContext<'a> {
    pub player: &'a mut Player,
    /// Last drawn frame; `None` if the window has no size.
    pub frame: Option<&'a RenderTarget>,
    pub gpu: &'a Gpu,
    pub record: &'a RecordSettings,
    /// The model's file; `None` for the sample and for models of a game.
    pub file: Option<&'a Path>,
    pub clipboard: &'a egui::Context,
    pub changes: &'a mut Changes,
}

impl Save {
    /// Saves it and returns a note.
    pub fn carry_out(self, context: SaveContext<'_>) -> anyhow::Result<String> {
        let SaveContext { player, frame, gpu, record, file, clipboard, changes } = context;
        let here = Path::new("");
        let file = file.context("the model was not loaded from a file, so there is no folder to save to");
        let (path, note) = match self {
            Self::Screenshot => (screenshot(player, frame.context("the window has no size")?, gpu, record)?, "wrote"),
            Self::FrameValues => {
                let skeleton = &player.model().skeleton;
                let (text, what) = match player.state.joint {
                    Some(joint) => (edit::frame_values(pose(player)?, [joint]), &*skeleton[joint].name),
                    None => (edit::frame_values(pose(player)?, skeleton.ids()), "all joints"),
                };
                clipboard.copy_text(text);
                return Ok(format!("copied the frame values of {what}"));
            }
            Self::Still => (still(here, player.model(), pose(player)?)?, "wrote"),
            Self::Obj => (posed_obj(here, player.model(), pose(player)?)?, "wrote"),
            Self::Ranges => (ranges(file?, &player.state.ranges)?, "wrote"),
            Self::Example => {
                let joint = player.state.joint.context("select a joint first")?;
                let turn = player.state.turns.get(&joint).copied().context("rotate the joint first")?;
                (add_example(file?, player.model(), joint, turn)?, "added an example to")
            }
            Self::ExampleSigma(number, sigma) => {
                (edit_examples(file?, |text| with_sigma(text, number, sigma))?, "wrote")
            }
            Self::RemoveExample(number) => {
                (edit_examples(file?, |text| without_example(text, number))?, "removed an example from")
            }
        };
        match self {
            Self::Example | Self::ExampleSigma(..) | Self::RemoveExample(_) => changes.wrote_part(Instant::now()),
            _ => changes.wrote(&path, Instant::now()),
        }
        Ok(describe(note, &path))
    }
}

fn pose(player: &Player) -> anyhow::Result<&LocalPose> {
    player.pose().map(|(local, _)| local).context("nothing is drawn yet")
}

/// Draws the view at a multiple of its size.
fn screenshot(
    player: &mut Player,
    frame: &RenderTarget,
    gpu: &Gpu,
    record: &RecordSettings,
) -> anyhow::Result<PathBuf> {
    let (scale, (width, height)) = (record.screenshot_scale, frame.size());
    let target = RenderTarget::new(gpu, scale * width, scale * height)?;
    let image = screenshot::take(player, &mut player.state.for_image(), &target)?;
    let clip = player.current_clip().map_or(String::new(), |clip| format!("-{}", clip.name));
    let stem = format!("{}{clip}-{}", player.model().name, player.state.playback.frame());
    let folder = record.folder.as_deref().unwrap_or(Path::new(""));
    write_new(folder, &stem, "png", |file| write_png(file, &image))
}

/// Returns a note about a file and its folder.
pub fn describe(note: &str, path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().map_or(String::new(), |folder| format!(" in {}", folder.display()));
    format!("{note} {name}{folder}")
}

/// Writes a new file `STEM.KIND` in a folder, or `STEM-2.KIND` and so on if it exists.
fn write_new(
    folder: &Path,
    stem: &str,
    kind: &str,
    content: impl Fn(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<PathBuf> {
    let path = free_path(folder, stem, kind);
    let written: anyhow::Result<u64> = write::create(&path, &content);
    written.map(|_| path.clone()).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the first path of `STEM.KIND`, `STEM-2.KIND` and so on that does not exist.
pub fn free_path(folder: &Path, stem: &str, kind: &str) -> PathBuf {
    write::free_path(&folder.join(file_name(&format!("{stem}.{kind}"))))
}

/// Writes a pose as an `.md5anim` of one frame.
fn still(folder: &Path, model: &Model, local: &LocalPose) -> anyhow::Result<PathBuf> {
    let stem = format!("{}-pose", model.name);
    let clips = vec![edit::still(&stem, local)];
    let posed = Model { clips, ..model.clone() };
    let output = md5::write(&posed, &md5::Options { stem: stem.clone(), ..md5::Options::default() })?;
    let Some(clip) = output.beside.into_iter().find(|file| file.name.ends_with(".md5anim")) else {
        bail!("the pose has no frame");
    };
    write_new(folder, &stem, "md5anim", |file| Ok(file.write_all(&clip.bytes)?))
}

/// Writes a posed model as an `.obj` with its `.mtl`, in the axes of `convert`.
fn posed_obj(folder: &Path, model: &Model, local: &LocalPose) -> anyhow::Result<PathBuf> {
    let path = free_path(folder, &format!("{}-pose", model.name), "obj");
    let stem = stem_of(&path);
    let posed = Model { clips: vec![edit::still(&stem, local)], ..model.clone() };
    let front = Some(model.front);
    let output = obj::write(&posed, &obj::Options { front, time: Some((0, 0.0)), stem, ..obj::Options::default() })?;
    bindpose_core::write::create_all(&output.at(&path), folder)?;
    Ok(path)
}

/// Writes the ranges to a file next to a model.
fn ranges(model: &Path, named: &[NamedRange]) -> anyhow::Result<PathBuf> {
    let path = ranges::path_beside(model);
    // What a person wrote is not replaced by less.
    if path.is_file() {
        ranges::read(&path, MemoryLimit::default()).context("fix or remove it first")?;
    }
    let text = match named {
        // An existing file is not left empty.
        [] => "# no ranges\n".to_owned(),
        _ => ranges::write(named),
    };
    replace(&path, &text)?;
    Ok(path)
}

fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let written: anyhow::Result<u64> = bindpose_core::write::replace(path, |file| Ok(file.write_all(text.as_bytes())?));
    written.map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// Turns a rotated joint into an example pose. Writes the mesh in the bind pose with only that rotation, by linear
/// blending, and adds it to the file of examples.
fn add_example(model_file: &Path, model: &Model, joint: JointId, turn: DQuat) -> anyhow::Result<PathBuf> {
    let mut local = LocalPose::default();
    edit::bind_pose(model, &mut local);
    let Some(bent_joint) = local.0.get_mut(joint.index()) else { bail!("the model has no such joint") };
    let in_parent = edit::in_parents_axes(turn, bent_joint.rotation);
    bent_joint.rotation = (bent_joint.rotation * turn).normalize();
    let bent = bound_in(model, &local);
    let name = &model.skeleton[joint].name;
    let stem = format!("{}-{name}", model.name);
    let output = md5::write(&bent, &md5::Options { stem: stem.clone(), ..md5::Options::default() })?;
    let folder = model_file.parent().unwrap_or(Path::new(""));
    let mesh = write_new(folder, &stem, "md5mesh", |file| Ok(file.write_all(&output.bytes)?))?;
    let path = examples::path_beside(model_file);
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let mesh = mesh.file_name().unwrap_or_default().to_string_lossy().into_owned();
    replace(&path, &with_example(&before, name, in_parent, &mesh))?;
    Ok(path)
}

/// Changes the file of examples next to a model.
fn edit_examples(model_file: &Path, edit: impl FnOnce(&str) -> String) -> anyhow::Result<PathBuf> {
    let path = examples::path_beside(model_file);
    let before = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    replace(&path, &edit(&before))?;
    Ok(path)
}

/// First line of an example.
const EXAMPLE: &str = "[[example]]";

/// Returns a file of examples with another one at its end.
fn with_example(before: &str, joint: &str, turn: DQuat, mesh: &str) -> String {
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let [x, y, z, w] = turn.to_array().map(|part| (part * 1e7).round() / 1e7);
    let [joint, mesh] = [joint, mesh].map(|text| toml::Value::String(text.to_owned()));
    format!("{before}{gap}{EXAMPLE}\njoint = {joint}\nrotation = [{x:?}, {y:?}, {z:?}, {w:?}]\nmesh = {mesh}\n")
}

/// Returns a file of examples without the one at this index.
fn without_example(before: &str, number: usize) -> String {
    let mut seen = 0;
    let mut is_kept = true;
    let mut text = String::new();
    for line in before.split_inclusive('\n') {
        if line.trim_start().starts_with(EXAMPLE) {
            is_kept = seen != number;
            seen += 1;
        }
        if is_kept {
            text.push_str(line);
        }
    }
    // An existing file is not left empty.
    if text.is_empty() { "# no examples\n".to_owned() } else { text }
}

/// Returns a file of examples with the sigma of one changed.
fn with_sigma(before: &str, number: usize, sigma: f64) -> String {
    let line_of = |sigma: f64| format!("sigma = {:?}\n", (sigma * 100.0).round() / 100.0);
    let mut next = 0;
    let mut text = String::new();
    for line in before.split_inclusive('\n') {
        let is_start = line.trim_start().starts_with(EXAMPLE);
        let is_within = next == number + 1 && !is_start;
        if is_within && line.trim_start().starts_with("sigma") {
            continue;
        }
        text.push_str(line);
        if is_start {
            next += 1;
            if next == number + 1 {
                text.push_str(&line_of(sigma));
            }
        }
    }
    text
}

/// Returns the model as if bound in a pose, with vertices by linear blending.
fn bound_in(model: &Model, local: &LocalPose) -> Model {
    let mut bent = Model { clips: Vec::new(), ..model.clone() };
    let posed = local.to_model(&model.skeleton);
    for (joint, &local) in model.skeleton.ids().zip(&local.0) {
        bent.skeleton.set_rest_local(joint, local);
    }
    let mut skinned = Skinned::default();
    for mesh in &mut bent.meshes {
        skin::linear(mesh, &posed, &mut skinned);
        mesh.positions = skinned.positions.iter().map(|position| position.as_vec3()).collect();
        mesh.normals = skinned.normals.iter().map(|normal| normal.as_vec3()).collect();
        for bound in &mut mesh.bind {
            bound.inverse_bind = posed.0[bound.joint.index()].inverse();
        }
    }
    bent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_added_and_removed_without_touching_others() {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let text = with_example("# mine\n", "fore\"arm", quarter, "a.md5mesh");
        assert_eq!(
            text,
            "# mine\n[[example]]\njoint = 'fore\"arm'\nrotation = [0.0, 0.0, 0.7071068, 0.7071068]\nmesh = \"a.md5mesh\"\n"
        );
        let two = with_example(&text, "hand", quarter, "b.md5mesh");
        assert_eq!(without_example(&two, 1), text);
        assert!(without_example(&two, 0).contains("hand") && !without_example(&two, 0).contains("fore"));
        assert_eq!(without_example("[[example]]\njoint = \"x\"\n", 0), "# no examples\n");
        let narrow = with_sigma(&two, 1, 0.5);
        assert_eq!(
            with_sigma(&narrow, 1, 0.25),
            two.replace("[[example]]\njoint = \"hand\"", "[[example]]\nsigma = 0.25\njoint = \"hand\"")
        );
    }

    #[test]
    fn a_pose_is_written_as_an_obj_file() {
        let folder = tempfile::tempdir().unwrap();
        let sample = bindpose::load::load_bytes(bindpose::sample::files(), &Default::default()).unwrap();
        let mut local = LocalPose::default();
        edit::bind_pose(&sample.model, &mut local);
        local.0[0].translation.z += 1000.0;
        // In the file, +Y is up.
        let top = |local: &LocalPose| -> f64 {
            let path = posed_obj(folder.path(), &sample.model, local).unwrap();
            assert!(path.with_extension("mtl").is_file());
            let text = std::fs::read_to_string(path).unwrap();
            let vertices = text.lines().filter_map(|line| line.strip_prefix("v "));
            vertices.map(|vertex| vertex.split(' ').nth(1).unwrap().parse().unwrap()).fold(f64::MIN, f64::max)
        };
        let lifted = top(&local);
        local.0[0].translation.z -= 1000.0;
        assert!((lifted - top(&local) - 1000.0).abs() < 1e-2);
    }

    #[test]
    fn files_are_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let write = || write_new(folder.path(), "a/b", "txt", |file| Ok(file.write_all(b"x")?)).unwrap();
        let names: Vec<String> = (0..3).map(|_| write().file_name().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["a_b.txt", "a_b-2.txt", "a_b-3.txt"]);
    }
}
