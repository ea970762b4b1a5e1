//! Table of actions, used by `--help`, the list of keys (`h`), the command palette, and the keyboard.

use super::request::{Command, Pick, Request};
use super::save::Save;
use crate::commands::record::MediaFormat;
use bindpose::play::Repeat;
use bindpose::pose::RootMotion;
use bindpose::render::{Camera, Projection, Shading, Surfaces, TextureFilter};
use bindpose_player::{
    BACKGROUNDS, BasePose, Change, Colouring, FADE_SECONDS, Overlay, Page, Player, State, Step, next_of,
};
use std::f32::consts::{FRAC_PI_2, PI};
use std::fmt::Write as _;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// Actions on one subject.
pub struct Group {
    pub name: &'static str,
    /// Location of these actions in the window; empty if there is none.
    pub place: &'static str,
    pub actions: &'static [Action],
}

pub struct Action {
    /// Keys in lower case, with `shift+`, `ctrl+` or `ctrl+shift+`. Any of them triggers the action.
    pub keys: &'static [&'static str],
    /// Description in `--help`, the list of keys and the palette.
    pub words: &'static str,
    /// Effect of the first key.
    pub command: Command,
}

impl Action {
    /// Returns its keys as text, without those of the number pad.
    pub fn shown(&self) -> String {
        match self.keys {
            [first, .., last] if self.keys.len() == 9 => format!("{first} to {last}"),
            keys => {
                let shown = keys.iter().copied().filter(|key| !key.contains("numpad"));
                shown.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

type Keys = &'static [&'static str];

const fn change(keys: Keys, words: &'static str, change: Change) -> Action {
    Action { keys, words, command: Command::Change(change) }
}

const fn step(keys: Keys, words: &'static str, step: Step) -> Action {
    Action { keys, words, command: Command::Step(step) }
}

const fn player(keys: Keys, words: &'static str, call: fn(&mut Player)) -> Action {
    Action { keys, words, command: Command::Player(call) }
}

const fn ask(keys: Keys, words: &'static str, request: Request) -> Action {
    Action { keys, words, command: Command::Request(request) }
}

/// Orbit and movement of the camera per key press, as fractions of the view's height, and the zoom factor.
const ORBIT: f32 = 1.0 / 12.0;
const MOVE: f32 = 0.05;
const ZOOM: f32 = 1.15;

/// Prefix in the palette for the name of a range.
pub const NAME_THE_RANGE: &str = "name the range: ";

pub static GROUPS: &[Group] = &[
    Group {
        name: "Time",
        place: "timeline",
        actions: &[
            change(&["space"], "pause, play", Change::TogglePause),
            change(&["right", "."], "next frame", Change::StepFrames(1)),
            change(&["left", ","], "previous frame", Change::StepFrames(-1)),
            change(&["home"], "first frame", Change::First),
            change(&["end"], "last frame", Change::Last),
            step(&["]"], "faster", |state, _| Ok(state.next_speed(1))),
            step(&["["], "slower", |state, _| Ok(state.next_speed(-1))),
            step(&["backspace"], "reverse", |state, _| Ok(Change::Speed(-state.playback.speed))),
            step(&["l"], "at the clip's end: loop, stop, ping-pong", |state, _| {
                Ok(Change::Repeat(next_of(&Repeat::ALL, state.playback.repeat)))
            }),
            step(&["a"], "start the range here", |state, _| Ok(state.range_from_here())),
            step(&["b"], "end the range here", |state, _| Ok(state.range_to_here())),
            change(&["shift+a"], "play the whole clip", Change::Range(None)),
            step(&["ctrl+g"], "curves of the joint, or of a difference", |state, _| Ok(state.toggle_curves())),
            ask(&["ctrl+n"], "name the range", Request::Palette(NAME_THE_RANGE)),
            step(&["u"], "next named range", State::next_named_range),
        ],
    },
    Group {
        name: "Clips",
        place: "Clips page",
        actions: &[
            step(&["tab"], "next clip", |state, model| state.next_clip(model, 1)),
            step(&["shift+tab"], "previous clip", |state, model| state.next_clip(model, -1)),
            change(&["1", "2", "3", "4", "5", "6", "7", "8", "9"], "clip by its number", Change::ShowClip(0)),
            step(&["shift+f"], "fade from clip to clip, or cut", |state, _| {
                Ok(Change::FadeSeconds(if state.fade_seconds > 0.0 { 0.0 } else { FADE_SECONDS }))
            }),
            step(&["o"], "root motion: kept, in place", |state, _| {
                Ok(Change::RootMotion(next_of(&RootMotion::ALL, state.playback.root_motion)))
            }),
            step(&["j"], "blend with the next clip, or none", State::next_blend),
            step(&["shift+j"], "share of the blended clip", State::next_blend_share),
            step(&["ctrl+j"], "blend below the selected joint, or all", State::toggle_blend_mask),
            step(&["shift+c"], "split view with the next clip, or off", State::next_split_clip),
        ],
    },
    Group {
        name: "Methods and engines",
        place: "Methods page",
        actions: &[
            player(&["m"], "next skinning method", Player::show_next_method),
            step(&["c"], "split view with another method, or off", |state, _| Ok(state.toggle_split())),
            ask(&["y"], "play as the next engine", Request::NextEngine),
            ask(&["shift+y"], "play as no engine", Request::PlayAs(None)),
            step(&["d"], "more copies", |state, _| Ok(state.next_copies(1))),
            step(&["shift+d"], "fewer copies", |state, _| Ok(state.next_copies(-1))),
        ],
    },
    Group {
        name: "Joints",
        place: "Joints page",
        actions: &[
            step(&["down"], "select the next joint", |state, model| state.next_joint(model, 1)),
            step(&["up"], "select the previous joint", |state, model| state.next_joint(model, -1)),
            change(&["ctrl+shift+a"], "select nothing", Change::SelectJoint(None)),
            player(&["f"], "look at the selected joint, closely", Player::focus_on_joint),
            change(&["k"], "skeleton (bones)", Change::Toggle(Overlay::Skeleton)),
            change(&["n"], "names of joints", Change::Toggle(Overlay::Names)),
            change(&["shift+x"], "trail: path of the joint over the clip", Change::Toggle(Overlay::Trail)),
            change(&["ctrl+k"], "onion skin: bones before and after", Change::Toggle(Overlay::Onion)),
            change(&["x"], "axes of joints", Change::Toggle(Overlay::Axes)),
            step(&["s"], "weights of the joint as a heat map", |state, _| {
                let is_shown = state.colouring == Colouring::Weights;
                Ok(Change::Colouring(if is_shown { Colouring::Material } else { Colouring::Weights }))
            }),
            step(&["p"], "pose: clip, bind pose, rest pose", |state, _| {
                Ok(Change::BasePose(next_of(&BasePose::ALL, state.base_pose)))
            }),
            ask(&["ctrl+z"], "undo the last manual rotation", Request::Undo),
            ask(&["ctrl+shift+z", "ctrl+y"], "redo it", Request::Redo),
            step(&["delete"], "reset the selected joint's rotation", State::reset_selected_joint),
            change(&["shift+p"], "reset all manual rotations", Change::ResetJoints),
            ask(&["shift+delete"], "remove attached models", Request::Detach(None)),
            ask(&["shift+e"], "compare with two helper joints", Request::Helpers(2)),
            ask(&["e"], "make an example pose for sjbbe and others", Request::Save(Save::Example)),
        ],
    },
    Group {
        name: "Drawing",
        place: "Meshes page",
        actions: &[
            step(&["w"], "surfaces, wireframe, both", |state, _| {
                Ok(Change::Surfaces(next_of(&Surfaces::ALL, state.settings.surfaces)))
            }),
            step(&["v"], "shading: lit, diffuse, normals, highlights, unlit", |state, _| {
                Ok(Change::Shading(next_of(&Shading::ALL, state.settings.shading)))
            }),
            step(&["i"], "texture filter: automatic, smooth, texels", |state, _| {
                Ok(Change::Filter(next_of(&TextureFilter::ALL, state.settings.filter)))
            }),
            step(&["shift+s"], "colour by material, weights, batches, …", |state, _| {
                Ok(Change::Colouring(next_of(&Colouring::ALL, state.colouring)))
            }),
            step(&["/"], "only one mesh, then the next, then all", State::next_mesh_alone),
            step(&["shift+h"], "hide the mesh of the selected vertex", |state, _| {
                let vertex = state.vertex.ok_or("select a vertex of the mesh first")?;
                Ok(Change::ToggleMesh(vertex.mesh))
            }),
            change(&["ctrl+h"], "show all meshes", Change::ShowMeshes),
            change(&["shift+n"], "normals", Change::Toggle(Overlay::Normals)),
            change(&["shift+t"], "tangents", Change::Toggle(Overlay::Tangents)),
            change(&["shift+b"], "bounding box of the frame", Change::Toggle(Overlay::Bounds)),
        ],
    },
    Group {
        name: "View",
        place: "View page",
        actions: &[
            change(&["r", "enter"], "reset the camera", Change::ResetCamera),
            player(&["shift+r"], "reset everything but clip, time, method, light and background", Player::reset),
            change(&["+", "="], "zoom in", Change::Magnify(ZOOM)),
            change(&["-"], "zoom out", Change::Magnify(1.0 / ZOOM)),
            change(&["shift+left", "numpad4"], "orbit left", Change::Rotate(-ORBIT, 0.0)),
            change(&["shift+right", "numpad6"], "orbit right", Change::Rotate(ORBIT, 0.0)),
            change(&["shift+up", "numpad8"], "orbit up", Change::Rotate(0.0, -ORBIT)),
            change(&["shift+down", "numpad2"], "orbit down", Change::Rotate(0.0, ORBIT)),
            change(&["ctrl+left", "ctrl+numpad4"], "move the model left", Change::Drag(-MOVE, 0.0, 1.0)),
            change(&["ctrl+right", "ctrl+numpad6"], "move the model right", Change::Drag(MOVE, 0.0, 1.0)),
            change(&["ctrl+up", "ctrl+numpad8"], "move the model up", Change::Drag(0.0, -MOVE, 1.0)),
            change(&["ctrl+down", "ctrl+numpad2"], "move the model down", Change::Drag(0.0, MOVE, 1.0)),
            change(&["shift+1", "numpad1"], "view from the front", Change::LookFrom(0.0, 0.0)),
            change(&["ctrl+1", "ctrl+numpad1"], "view from behind", Change::LookFrom(PI, 0.0)),
            change(&["shift+3", "numpad3"], "view from the model's left", Change::LookFrom(FRAC_PI_2, 0.0)),
            change(&["ctrl+3", "ctrl+numpad3"], "view from the model's right", Change::LookFrom(-FRAC_PI_2, 0.0)),
            change(&["shift+7", "numpad7"], "view from above", Change::LookFrom(0.0, FRAC_PI_2)),
            change(&["ctrl+7", "ctrl+numpad7"], "view from below", Change::LookFrom(0.0, -FRAC_PI_2)),
            change(&["shift+9", "numpad9"], "three-quarter view", Change::LookFrom(Camera::YAW, Camera::PITCH)),
            step(&["shift+5", "numpad5"], "orthographic, perspective", |state, _| {
                Ok(Change::Projection(match state.camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                }))
            }),
            change(&["g"], "grid on the ground", Change::Toggle(Overlay::Grid)),
            step(&["z"], "background", |state, _| {
                Ok(Change::Background(next_of(&BACKGROUNDS.map(|(_, one)| one), state.settings.background)))
            }),
            step(&["shift+z"], "direction of the light", |state, _| Ok(state.next_light())),
            ask(&["t"], "turntable on, off", Request::Turntable),
            step(&["shift+v"], "animated camera (.md5camera) on, off", |state, _| {
                Ok(Change::LookThrough(state.shown_camera_path().is_none()))
            }),
        ],
    },
    Group {
        name: "Files",
        place: "Files page",
        actions: &[
            ask(&["ctrl+o"], "open a file", Request::Browse(Pick::Open)),
            ask(&["ctrl+l"], "open a file or folder by its path", Request::TypePath),
            ask(&["ctrl+r"], "reload the files", Request::Reload),
            ask(&["ctrl+c"], "copy the pose as MD5 frame values", Request::Save(Save::FrameValues)),
            ask(&["ctrl+s"], "save the pose as .md5anim", Request::Save(Save::Still)),
            ask(&["ctrl+e"], "convert: glTF, MD5, .x, IQM, OBJ, .mdl, .md3", Request::ConvertForm),
            ask(&["ctrl+shift+s"], "export the pose as .obj", Request::Save(Save::Obj)),
            ask(&["f12"], "save a screenshot as .png", Request::Save(Save::Screenshot)),
            ask(&["ctrl+f12"], "record: range, size, rate, background, …", Request::RecordForm),
            ask(&["shift+f12"], "record as .gif, or stop", Request::Record(MediaFormat::Gif)),
            ask(&["f9"], "record as .apng, or stop", Request::Record(MediaFormat::Apng)),
            ask(&["shift+f9"], "record as a folder of .png, or stop", Request::Record(MediaFormat::Png)),
            ask(&["f10"], "record as .mp4, or stop", Request::Record(MediaFormat::Mp4)),
            ask(&["shift+f10"], "record as .webm, or stop", Request::Record(MediaFormat::Webm)),
        ],
    },
    Group {
        name: "Window",
        place: "",
        actions: &[
            ask(&["ctrl+p", ":"], "find an action by its name", Request::Palette("")),
            step(&["f1", "h", "?"], "list of keys (help)", |state, _| Ok(Change::Keys(!state.has_keys))),
            step(&["ctrl+b"], "show or hide panel and timeline", |state, _| Ok(Change::Panel(!state.has_panel))),
            ask(&["ctrl+m"], "all messages so far", Request::Messages),
            change(&["f2"], "Clips page", Change::Page(Page::Clips)),
            change(&["f3"], "Joints page", Change::Page(Page::Joints)),
            change(&["f4"], "Meshes page", Change::Page(Page::Meshes)),
            change(&["f5"], "Methods page", Change::Page(Page::Methods)),
            change(&["f6"], "Findings page", Change::Page(Page::Findings)),
            change(&["f7"], "Files page", Change::Page(Page::Files)),
            change(&["f8"], "View page", Change::Page(Page::Camera)),
            ask(&["ctrl+t"], "dark or light theme", Request::NextTheme),
            ask(&["f11"], "full screen", Request::Fullscreen),
            ask(&["esc"], "close, deselect, leave full screen", Request::Leave),
            ask(&["ctrl+q"], "quit", Request::Quit),
        ],
    },
];

/// Mouse gestures (article 000, appendix C).
const MOUSE: [(&str, &str); 6] = [
    ("left drag", "orbit"),
    ("right drag", "move"),
    ("middle drag, wheel", "zoom"),
    ("click", "select a joint or a vertex"),
    ("double click", "look at it"),
    ("drag a ring", "rotate the selected joint"),
];

pub fn all() -> impl Iterator<Item = &'static Action> {
    GROUPS.iter().flat_map(|group| group.actions)
}

/// Returns the groups with keys and words of their actions. The mouse is last.
pub fn table() -> impl Iterator<Item = (&'static str, Vec<(String, &'static str)>)> {
    let row = |action: &'static Action| (action.shown(), action.words);
    let groups = GROUPS.iter().map(move |group| (group.name, group.actions.iter().map(row).collect()));
    groups.chain(std::iter::once(("Mouse", MOUSE.map(|(what, words)| (what.to_owned(), words)).to_vec())))
}

pub fn help() -> String {
    let mut text = String::from("Keys:\n");
    for (name, rows) in table() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, " {name}");
        for (keys, words) in rows {
            let _ = writeln!(text, "  {keys:<22}{words}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the command of a key. If an action has several keys for clips, each key has its own number.
pub fn find(key: &str) -> Option<Command> {
    all().find_map(|action| {
        let place = action.keys.iter().position(|&known| known == key)?;
        Some(match action.command {
            Command::Change(Change::ShowClip(_)) => Command::Change(Change::ShowClip(place)),
            ref command => command.clone(),
        })
    })
}

/// Returns names that the table may use for a key, the most specific first.
pub fn names(event: &KeyEvent, modifiers: ModifiersState) -> Vec<String> {
    let name = match &event.logical_key {
        Key::Named(named) => named_key(*named),
        Key::Character(text) => text.to_lowercase(),
        _ => return Vec::new(),
    };
    let modified = [(modifiers.control_key(), "ctrl+"), (modifiers.shift_key(), "shift+")];
    let prefix: String = modified.iter().filter(|(is_held, _)| *is_held).map(|(_, prefix)| *prefix).collect();
    let is_systems = modifiers.alt_key() || modifiers.super_key();
    // Some keyboards need shift for digits, others produce other characters with it.
    let digit = match event.physical_key {
        PhysicalKey::Code(code) => digit_of(code),
        PhysicalKey::Unidentified(_) => None,
    };
    let mut names: Vec<String> = match digit {
        // The number pad sends arrows without num lock, and on some systems with shift.
        Some((digit, true)) => vec![format!("{}numpad{digit}", if modifiers.control_key() { "ctrl+" } else { "" })],
        Some((digit, false)) if !prefix.is_empty() && !is_systems => vec![format!("{prefix}{digit}")],
        _ => Vec::new(),
    };
    if modifiers.control_key() || !is_systems {
        names.push(format!("{prefix}{name}"));
    }
    // Characters that need shift, such as a question mark, are bound without `shift+`.
    if prefix == "shift+" && !is_systems && !name.chars().all(char::is_alphabetic) {
        names.push(name);
    }
    names
}

/// Returns the name of a key without a character, such as `right`, `esc` and `f1`.
fn named_key(key: NamedKey) -> String {
    let name = format!("{key:?}").to_lowercase();
    match name.strip_prefix("arrow") {
        Some(direction) => direction.to_owned(),
        None if key == NamedKey::Escape => "esc".to_owned(),
        None => name,
    }
}

/// True if the key press edits or ends a text instead of adding to it: enter, an arrow, a shortcut.
pub fn is_command(event: &WindowEvent) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    let is_named = matches!(event.logical_key, Key::Named(name) if name != NamedKey::Space);
    event.state == ElementState::Pressed && (is_named || event.text.is_none())
}

/// True if a key does nothing in a text field: function keys, and the key to quit.
pub fn is_no_input(key: &str) -> bool {
    let name = key.rsplit('+').next().unwrap_or_default();
    key == "ctrl+q" || name.strip_prefix('f').is_some_and(|number| number.parse::<u8>().is_ok())
}

/// Returns the digit of a key, and true for the number pad.
fn digit_of(code: KeyCode) -> Option<(u8, bool)> {
    let name = format!("{code:?}");
    let digit = |prefix| name.strip_prefix(prefix)?.parse().ok();
    digit("Digit").map(|digit| (digit, false)).or_else(|| Some((digit("Numpad")?, true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_is_bound_twice() {
        let keys: Vec<&str> = all().flat_map(|action| action.keys).copied().collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    }

    #[test]
    fn the_keys_of_pages_are_in_the_order_of_the_tabs() {
        for (number, page) in (2..).zip(Page::ALL) {
            assert_eq!(find(&format!("f{number}")), Some(Command::Change(Change::Page(page))), "f{number}");
        }
    }

    #[test]
    fn keys_have_the_names_of_the_table() {
        let names = [NamedKey::ArrowRight, NamedKey::Escape, NamedKey::Space, NamedKey::F12].map(named_key);
        assert_eq!(names, ["right", "esc", "space", "f12"]);
        let digits = [KeyCode::Digit5, KeyCode::Numpad9, KeyCode::NumpadAdd, KeyCode::KeyA].map(digit_of);
        assert_eq!(digits, [Some((5, false)), Some((9, true)), None, None]);
    }

    #[test]
    fn keys_without_a_text_work_in_text_fields() {
        for (key, expected) in [("f4", true), ("shift+f12", true), ("ctrl+q", true), ("f", false), ("ctrl+f", false)] {
            assert_eq!(is_no_input(key), expected, "{key}");
        }
    }

    #[test]
    fn keys_are_found_and_listed() {
        assert_eq!(find("3"), Some(Command::Change(Change::ShowClip(2))));
        assert_eq!(find("esc"), Some(Command::Request(Request::Leave)));
        assert_eq!((find("q"), find("shift+q")), (None, None), "one letter does not end the program");
        for line in [
            "  space                 pause, play\n",
            "  1 to 9                clip by its number\n",
            "  shift+1               view from the front\n",
            "  ctrl+q                quit\n",
            "  left drag             orbit\n",
            "  ctrl+shift+z, ctrl+y  redo it\n",
        ] {
            assert!(help().contains(line), "{line:?} is not in\n{}", help());
        }
    }
}
