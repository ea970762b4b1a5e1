//! Rows for what can be chosen of what is shown: a clip, a joint, a method, a file.

use super::{Known, Row, engine_in_words, theme_in_words};
use crate::commands::play::window::asked::Asked;
use crate::commands::play::window::panel::show_example;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use crate::commands::play::window::settings::Theme;
use bindpose::engines::ENGINES;
use bindpose::load::Format;
use bindpose::play::Repeat;
use bindpose::player::{
    Action, BACKGROUNDS, BasePose, Blend, COPIES, Clock, Colouring, LIGHTS, Mask, Page, SPEEDS, Split, edit,
    towards_light,
};
use bindpose::pose::RootMotion;
use bindpose::render::{Shading, Specular, Surfaces, TextureFilter};
use bindpose::skin::{LIMITS, MethodId};
use std::path::Path;

/// All of them, what is chosen most often first.
pub(super) fn rows(known: &Known<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    clips(known, &mut rows);
    methods(known, &mut rows);
    joints(known, &mut rows);
    meshes(known, &mut rows);
    looks(known, &mut rows);
    files(known, &mut rows);
    rows
}

/// A row of an action that chooses something, in the player's words.
fn act(known: &Known<'_>, rows: &mut Vec<Row>, action: Action, is_present: bool) {
    if let Some(text) = known.state.in_words(&action, known.model) {
        rows.push(Row::send(text, vec![Command::Act(action)]).when(is_present));
    }
}

/// Rows of all that can be chosen of a list.
fn list<T: Copy + PartialEq>(known: &Known<'_>, rows: &mut Vec<Row>, all: &[T], present: T, action: fn(T) -> Action) {
    all.iter().for_each(|&one| act(known, rows, action(one), one == present));
}

fn clips(known: &Known<'_>, rows: &mut Vec<Row>) {
    let Known { state, model, .. } = *known;
    for clip in 0..model.clips.len() {
        act(known, rows, Action::ShowClip(clip), state.clip == Some(clip));
        if let Some(row) = rows.last_mut().filter(|_| clip < 9) {
            row.key = (clip + 1).to_string();
        }
    }
    for range in (0..state.ranges.len()).filter(|&range| is_there(known, range)) {
        act(known, rows, Action::PickRange(range), state.plays_range(range, model));
    }
    for (range, named) in state.ranges.iter().enumerate() {
        let commands = vec![Command::Act(Action::RemoveRange(range)), Command::Ask(Request::Save(Save::Ranges))];
        rows.push(Row::send(format!("forget range: {}", named.name), commands));
    }
    list(known, rows, &Repeat::ALL, state.playback.repeat, Action::Repeat);
    list(known, rows, &Clock::ALL, state.clock, Action::Clock);
    list(known, rows, &RootMotion::ALL, state.playback.root_motion, Action::RootMotion);
    list(known, rows, &BasePose::ALL, state.base_pose, Action::BasePose);
    list(known, rows, &SPEEDS, state.playback.speed, Action::Speed);
    let others = || (0..model.clips.len()).filter(|&clip| state.clip != Some(clip));
    act(known, rows, Action::Blend(None), state.blend.is_none());
    for clip in others() {
        let blend = state.blend_with(clip);
        act(known, rows, Action::Blend(Some(blend)), state.blend == Some(blend));
    }
    if let Some(blend) = state.blend {
        let channels = (0..state.channels.len()).map(Mask::Channel);
        let masks = channels.chain(model.skeleton.ids().map(Mask::Below)).map(Some);
        for mask in std::iter::once(None).chain(masks).filter(|mask| *mask != blend.mask) {
            act(known, rows, Action::Blend(Some(Blend { mask, ..blend })), false);
        }
    }
    act(known, rows, Action::Split(None), state.split.is_none());
    for clip in others() {
        let split = Some(Split::Clip(clip));
        act(known, rows, Action::Split(split), state.split == split);
    }
}

fn is_there(known: &Known<'_>, range: usize) -> bool {
    known.model.clips.iter().any(|clip| clip.name == known.state.ranges[range].clip)
}

fn methods(known: &Known<'_>, rows: &mut Vec<Row>) {
    let state = known.state;
    if known.has_engines {
        for engine in std::iter::once(None).chain(ENGINES.iter().map(Some)) {
            let row = Row::ask(engine_in_words(engine), Request::PlayAs(engine));
            rows.push(row.when(known.engine == engine));
        }
    }
    for method in MethodId::all() {
        act(known, rows, Action::Method(method), state.method == method);
    }
    for split in MethodId::all().map(Split::Method) {
        act(known, rows, Action::Split(Some(split)), state.split == Some(split));
    }
    list(known, rows, &LIMITS, state.limits, Action::Limits);
    list(known, rows, &COPIES, state.copies, Action::Copies);
    list(known, rows, &[false, true], state.all_clips, Action::AllClips);
}

fn joints(known: &Known<'_>, rows: &mut Vec<Row>) {
    let Known { state, model, .. } = *known;
    for joint in edit::tree_order(model).into_iter().map(Some) {
        act(known, rows, Action::SelectJoint(joint), state.joint == joint);
    }
    for number in 0..known.examples.len() {
        let example = example(known, number);
        rows.push(Row::send(format!("show example pose: {example}"), show_example(model, &known.examples[number])));
        rows.push(Row::ask(format!("remove example pose: {example}"), Request::Save(Save::NoExample(number))));
    }
}

/// What an example pose is called.
pub(super) fn example(known: &Known<'_>, number: usize) -> String {
    let Some(example) = known.examples.get(number) else { return String::new() };
    let degrees = example.turn.to_axis_angle().1.to_degrees();
    let name = known.model.skeleton.joints().get(example.joint.index()).map_or("", |joint| joint.name.as_str());
    format!("{name}, {degrees:.0}°")
}

fn meshes(known: &Known<'_>, rows: &mut Vec<Row>) {
    for mesh in 0..known.model.meshes.len() {
        act(known, rows, Action::ToggleMesh(mesh), false);
    }
    if known.model.meshes.len() > 1 {
        for mesh in 0..known.model.meshes.len() {
            act(known, rows, Action::ShowMeshAlone(mesh), false);
        }
    }
}

fn looks(known: &Known<'_>, rows: &mut Vec<Row>) {
    let state = known.state;
    let settings = &state.settings;
    list(known, rows, &Surfaces::ALL, settings.surfaces, Action::Surfaces);
    list(known, rows, &Shading::ALL, settings.shading, Action::Shading);
    list(known, rows, &Specular::ALL, settings.specular, Action::Specular);
    list(known, rows, &TextureFilter::ALL, settings.filter, Action::Filter);
    list(known, rows, &Colouring::ALL, state.colouring, Action::Colouring);
    list(known, rows, &BACKGROUNDS.map(|(_, one)| one), settings.background, Action::Background);
    for light in LIGHTS.map(|(_, angles)| towards_light(angles)) {
        act(known, rows, Action::Light(light), state.has_light(light));
    }
    list(known, rows, &Page::ALL, state.page, Action::Page);
    for theme in Theme::ALL {
        rows.push(Row::ask(theme_in_words(theme), Request::Theme(theme)).when(known.theme == theme));
    }
}

fn files(known: &Known<'_>, rows: &mut Vec<Row>) {
    if known.other.is_some() {
        act(known, rows, Action::Split(Some(Split::File)), known.state.split == Some(Split::File));
    }
    if let Some(figures) = known.figures {
        for (subject, name) in figures.figures() {
            let asked = Asked { subject: Some(subject.clone()), ..Asked::default() };
            let is_shown = known.asked.subject.as_ref() == Some(subject);
            rows.push(Row::ask(format!("figure: {name}"), Request::Open(asked)).when(is_shown));
        }
        // Skins are for what the game shows.
        let skins = figures.skins().iter().filter(|_| !known.asked.is_sample());
        for skin in skins.map(Some).chain((!known.asked.is_sample()).then_some(None)) {
            let name = skin.map_or("its own", String::as_str);
            let is_worn = known.asked.skin.as_ref() == skin;
            rows.push(Row::ask(format!("skin: {name}"), Request::Wear(skin.cloned())).when(is_worn));
        }
    }
    let recent = known.recent.iter().map(|file| (file.as_path(), file.display().to_string()));
    let here = known.files.iter().map(|&file| (file, name_of(file)));
    for (file, name) in here.chain(recent) {
        let one = || vec![file.to_owned()];
        if !Format::of_path(file).is_some_and(Format::is_model) {
            rows.push(Row::ask(format!("add file: {name}"), Request::Add(one())));
            continue;
        }
        rows.push(Row::ask(format!("open: {name}"), Request::Open(one().into())));
        rows.push(Row::ask(format!("open beside: {name}"), Request::OpenBeside(one().into())));
        if Format::of_path(file) == Some(Format::X) {
            rows.push(Row::ask(format!("add file: {name}"), Request::Add(one())));
        }
    }
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
