//! Rows for values to choose: clips, joints, methods, files.

use super::{PaletteInput, Row, describe_engine, describe_theme};
use crate::commands::play::window::open_request::OpenRequest;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use crate::commands::play::window::settings::Theme;
use bindpose::image_search::EXTENSIONS;
use bindpose::import::{by_extension, is_model_file, x};
use bindpose::model::{JointId, Model};
use bindpose::play::Repeat;
use bindpose::pose::{LocalPose, RootMotion};
use bindpose::render::{Shading, Surfaces, TextureFilter};
use bindpose::skin::{Example, MethodId};
use bindpose_player::curves::Curve;
use bindpose_player::{
    BACKGROUNDS, BasePose, Blend, COPIES, Change, Colouring, Mask, Page, SPEEDS, Split, UNITS, axis_name, edit, lights,
};
use glam::{DQuat, Vec3};
use std::path::Path;

/// Returns all rows, the most frequent choices first.
pub(super) fn rows(input: &PaletteInput<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    clips(input, &mut rows);
    methods(input, &mut rows);
    joints(input, &mut rows);
    meshes(input, &mut rows);
    looks(input, &mut rows);
    files(input, &mut rows);
    rows
}

/// Adds a row for a change, as the player describes it.
fn choice(input: &PaletteInput<'_>, rows: &mut Vec<Row>, change: Change, is_current: bool) {
    if let Some(text) = input.state.describe(&change, input.model) {
        rows.push(Row::run(text, vec![Command::Change(change)]).when(is_current));
    }
}

fn list<T: Copy + PartialEq>(
    input: &PaletteInput<'_>,
    rows: &mut Vec<Row>,
    all: &[T],
    current: T,
    change: fn(T) -> Change,
) {
    all.iter().for_each(|&one| choice(input, rows, change(one), one == current));
}

fn clips(input: &PaletteInput<'_>, rows: &mut Vec<Row>) {
    let PaletteInput { state, model, .. } = *input;
    for clip in 0..model.clips.len() {
        choice(input, rows, Change::ShowClip(clip), state.clip == Some(clip));
        if let Some(row) = rows.last_mut().filter(|_| clip < 9) {
            row.keys = (clip + 1).to_string();
        }
    }
    for range in (0..state.ranges.len()).filter(|&range| has_clip(input, range)) {
        choice(input, rows, Change::PickRange(range), state.plays_range(range, model));
    }
    for (range, named) in state.ranges.iter().enumerate() {
        let commands = vec![Command::Change(Change::RemoveRange(range)), Command::Request(Request::Save(Save::Ranges))];
        rows.push(Row::run(format!("delete range: {}", named.name), commands));
    }
    list(input, rows, &Repeat::ALL, state.playback.repeat, Change::Repeat);
    list(input, rows, &RootMotion::ALL, state.playback.root_motion, Change::RootMotion);
    list(input, rows, &BasePose::ALL, state.base_pose, Change::BasePose);
    list(input, rows, &SPEEDS, state.playback.speed, Change::Speed);
    let others = || (0..model.clips.len()).filter(|&clip| state.clip != Some(clip));
    choice(input, rows, Change::Blend(None), state.blend.is_none());
    for clip in others() {
        let blend = state.blend_with(clip);
        choice(input, rows, Change::Blend(Some(blend)), state.blend == Some(blend));
    }
    if let Some(blend) = state.blend {
        let channels = (0..state.channels.len()).map(Mask::Channel);
        let masks = channels.chain(model.skeleton.ids().map(Mask::Below)).map(Some);
        for mask in std::iter::once(None).chain(masks).filter(|mask| *mask != blend.mask) {
            choice(input, rows, Change::Blend(Some(Blend { mask, ..blend })), false);
        }
    }
    choice(input, rows, Change::Curves(None), state.curves.is_none());
    for curve in Curve::ALL.map(Some) {
        choice(input, rows, Change::Curves(curve), state.curves == curve);
    }
    choice(input, rows, Change::Split(None), state.split.is_none());
    for clip in others() {
        let split = Some(Split::Clip(clip));
        choice(input, rows, Change::Split(split), state.split == split);
    }
}

fn has_clip(input: &PaletteInput<'_>, range: usize) -> bool {
    input.model.clips.iter().any(|clip| clip.name == input.state.ranges[range].clip)
}

fn methods(input: &PaletteInput<'_>, rows: &mut Vec<Row>) {
    let state = input.state;
    if !input.engines.is_empty() {
        for engine in std::iter::once(None).chain(input.engines.iter().map(Some)) {
            let row = Row::ask(describe_engine(engine), Request::PlayAs(engine));
            rows.push(row.when(input.engine == engine));
            let text = describe_engine(engine).replacen("play as", "beside as", 1);
            rows.push(Row::ask(text, Request::BesideAs(engine)));
        }
    }
    for &method in input.methods {
        choice(input, rows, Change::Method(method), state.method == method);
        add_title(rows, method);
    }
    for &method in input.methods {
        let split = Some(Split::Method(method));
        choice(input, rows, Change::Split(split), state.split == split);
        add_title(rows, method);
    }
    list(input, rows, &COPIES, state.copies, Change::Copies);
}

/// Adds the title of a method to its row, the last one.
fn add_title(rows: &mut [Row], method: MethodId) {
    let method = method.method();
    if let Some(row) = rows.last_mut().filter(|_| method.title != method.name) {
        row.text = format!("{} ({})", row.text, method.title);
    }
}

fn joints(input: &PaletteInput<'_>, rows: &mut Vec<Row>) {
    let PaletteInput { state, model, .. } = *input;
    for joint in edit::tree_order(model).into_iter().map(Some) {
        choice(input, rows, Change::SelectJoint(joint), state.joint == joint);
    }
    for number in 0..input.examples.len() {
        let example = example(input, number);
        rows.push(Row::run(format!("show example pose: {example}"), show_example(model, &input.examples[number])));
        rows.push(Row::ask(format!("remove example pose: {example}"), Request::Save(Save::RemoveExample(number))));
    }
}

/// Returns the commands that show an example pose.
pub fn show_example(model: &Model, example: &Example) -> Vec<Command> {
    let mut bind = LocalPose::default();
    edit::bind_pose(model, &mut bind);
    let turn = |&(joint, turn): &(JointId, DQuat)| {
        let bind = bind.0.get(joint.index()).map_or(DQuat::IDENTITY, |local| local.rotation);
        Change::Turn(joint, edit::in_own_axes(turn, bind))
    };
    let turns = [(example.joint, example.turn)];
    let turns = turns.iter().chain(&example.others).map(turn);
    let changes = [Change::BasePose(BasePose::Bind), Change::SelectJoint(Some(example.joint))];
    changes.into_iter().chain(turns).map(Command::Change).collect()
}

/// Describes joint and angle of an example pose.
pub(super) fn example(input: &PaletteInput<'_>, number: usize) -> String {
    let Some(example) = input.examples.get(number) else { return String::new() };
    let degrees = example.turn.to_axis_angle().1.to_degrees();
    let name = input.model.skeleton.joints().get(example.joint.index()).map_or("", |joint| joint.name.as_str());
    format!("{name}, {degrees:.0}°")
}

fn meshes(input: &PaletteInput<'_>, rows: &mut Vec<Row>) {
    for mesh in 0..input.model.meshes.len() {
        choice(input, rows, Change::ToggleMesh(mesh), false);
    }
    if input.model.meshes.len() > 1 {
        for mesh in 0..input.model.meshes.len() {
            choice(input, rows, Change::ShowMeshAlone(mesh), false);
        }
    }
}

fn looks(input: &PaletteInput<'_>, rows: &mut Vec<Row>) {
    let state = input.state;
    let settings = &state.settings;
    list(input, rows, &Surfaces::ALL, settings.surfaces, Change::Surfaces);
    list(input, rows, &Shading::ALL, settings.shading, Change::Shading);
    list(input, rows, &TextureFilter::ALL, settings.filter, Change::Filter);
    list(input, rows, &Colouring::ALL, state.colouring, Change::Colouring);
    list(input, rows, &BACKGROUNDS.map(|(_, one)| one), settings.background, Change::Background);
    let [front, up] = state.axes();
    for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        if axis.dot(up) == 0.0 {
            choice(input, rows, Change::Axes(axis, up), axis == front);
        }
        let change = Command::Change(axes_with_up([front, up], axis));
        rows.push(Row::run(format!("up: {}", axis_name(axis)), vec![change]).when(axis == up));
    }
    for (_, unit) in UNITS {
        choice(input, rows, Change::Unit(unit), state.unit == unit);
    }
    rows.push(Row::ask("axes of all models of the folder: as now", Request::AxesOfFolder));
    for (_, light) in lights() {
        choice(input, rows, Change::Light(light), light.is_like(state.camera.light));
    }
    list(input, rows, &Page::ALL, state.page, Change::Page);
    for theme in Theme::ALL {
        rows.push(Row::ask(describe_theme(theme), Request::Theme(theme)).when(input.panel.theme == theme));
    }
}

fn files(input: &PaletteInput<'_>, rows: &mut Vec<Row>) {
    if input.has_other {
        choice(input, rows, Change::Split(Some(Split::File)), input.state.split == Some(Split::File));
    }
    if let Some(models) = input.panel.game_models {
        let current = input.panel.current;
        for (subject, name) in &models.models {
            let request = OpenRequest { subject: Some(subject.clone()), ..OpenRequest::default() };
            let is_shown = current.subject.as_ref() == Some(subject);
            rows.push(Row::ask(format!("model: {name}"), Request::Open(request)).when(is_shown));
        }
        // Skins belong to the game's models.
        let skins = models.skins.iter().map(Some).chain([None]).filter(|_| !current.is_sample());
        for skin in skins {
            let name = skin.map_or("its own", String::as_str);
            let is_applied = current.skin.as_ref() == skin;
            rows.push(Row::ask(format!("skin: {name}"), Request::ApplySkin(skin.cloned())).when(is_applied));
        }
    }
    let recent = input.panel.recent.iter().map(|file| (file.as_path(), file.display().to_string()));
    let here = input.files.iter().map(|&file| (file, name_of(file)));
    for (file, name) in here.chain(recent) {
        let one = || vec![file.to_owned()];
        if is_image(file) {
            rows.push(Row::ask(format!("use the image {name}"), Request::ChooseImage(None, file.to_owned())));
            continue;
        }
        if !is_model_file(file) {
            rows.push(Row::ask(format!("add file: {name}"), Request::Add(one())));
            continue;
        }
        rows.push(Row::ask(format!("open: {name}"), Request::Open(one().into())));
        rows.push(Row::ask(format!("open beside: {name}"), Request::OpenBeside(one().into())));
        if by_extension(file) == Some(&x::X_FILE) {
            rows.push(Row::ask(format!("add file: {name}"), Request::Add(one())));
        }
    }
}

/// Returns axes with another up axis. The front does not change unless it would be parallel to it.
pub fn axes_with_up([front, up]: [Vec3; 2], wanted: Vec3) -> Change {
    Change::Axes(if front.dot(wanted) == 0.0 { front } else { up }, wanted)
}

/// True for files with the extension of an image.
pub fn is_image(file: &Path) -> bool {
    file.extension().is_some_and(|kind| EXTENSIONS.iter().any(|known| kind.eq_ignore_ascii_case(known)))
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
