//! The one table of keys: what `--help` prints, what `h` shows in the window, what the window obeys.

use super::request::{Command, Request};
use super::save::Save;
use crate::commands::record::Format;
use bindpose::player::{Action, Overlay, Page};
use bindpose::render::Camera;
use std::f32::consts::FRAC_PI_2;
use std::fmt::Write as _;
use winit::event::KeyEvent;
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// A row of the table.
pub struct Binding {
    /// Names of keys, lower case, with `shift+` or `ctrl+` before them; any of them does it.
    pub keys: &'static [&'static str],
    /// How they are written for people.
    pub shown: &'static str,
    /// What they do; the number is the key's place in its row.
    command: fn(usize) -> Command,
    /// The same for people.
    pub about: &'static str,
}

const fn key(
    keys: &'static [&'static str],
    shown: &'static str,
    command: fn(usize) -> Command,
    about: &'static str,
) -> Binding {
    Binding { keys, shown, command, about }
}

fn act(action: Action) -> Command {
    Command::Act(action)
}

fn ask(request: Request) -> Command {
    Command::Ask(request)
}

/// All keys.
pub static BINDINGS: &[Binding] = &[
    key(&["space"], "space", |_| act(Action::TogglePause), "pause, play"),
    key(&["right", "."], "right, .", |_| act(Action::Step(1)), "next frame"),
    key(&["left", ","], "left, ,", |_| act(Action::Step(-1)), "previous frame"),
    key(&["home"], "home", |_| act(Action::First), "first frame"),
    key(&["end"], "end", |_| act(Action::Last), "last frame"),
    key(&["]"], "]", |_| act(Action::ChangeSpeed(1)), "faster"),
    key(&["["], "[", |_| act(Action::ChangeSpeed(-1)), "slower"),
    key(&["backspace"], "backspace", |_| act(Action::Backwards), "backwards"),
    key(&["l"], "l", |_| act(Action::NextRepeat), "at the clip's end: loop, stop, go back"),
    key(&["a"], "a", |_| act(Action::RangeStart), "the range begins here"),
    key(&["b"], "b", |_| act(Action::RangeEnd), "the range ends here"),
    key(&["shift+a"], "shift a", |_| act(Action::Range(None)), "play the whole clip"),
    key(&["tab"], "tab", |_| act(Action::ChangeClip(1)), "next clip"),
    key(&["shift+tab"], "shift tab", |_| act(Action::ChangeClip(-1)), "previous clip"),
    key(
        &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        "1 to 9",
        |place| act(Action::ShowClip(place)),
        "clip of that number",
    ),
    key(&["m"], "m", |_| act(Action::NextMethod), "next skinning method"),
    key(&["c"], "c", |_| act(Action::ToggleSplit), "beside it the same by another method"),
    key(&["e"], "e", |_| ask(Request::Save(Save::Example)), "make the turned joint an example pose for sjbbe"),
    key(&["k"], "k", |_| act(Action::Toggle(Overlay::Skeleton)), "skeleton"),
    key(&["n"], "n", |_| act(Action::Toggle(Overlay::Names)), "names of joints"),
    key(&["x"], "x", |_| act(Action::Toggle(Overlay::Axes)), "axes of joints"),
    key(&["p"], "p", |_| act(Action::NextBasePose), "pose: clip, bind pose, rest pose"),
    key(&["shift+p"], "shift p", |_| act(Action::ResetJoints), "take back all turns of joints"),
    key(&["f"], "f", |_| act(Action::CentreOnJoint), "look at the selected joint"),
    key(&["w"], "w", |_| act(Action::NextSurfaces), "surfaces, edges, both"),
    key(&["v"], "v", |_| act(Action::NextShading), "in light, diffuse, normals, highlights, images alone"),
    key(&["i"], "i", |_| act(Action::NextFilter), "images enlarged as fits them, smoothly, by their texels"),
    key(&["g"], "g", |_| act(Action::Toggle(Overlay::Grid)), "grid on the ground"),
    key(&["shift+n"], "shift n", |_| act(Action::Toggle(Overlay::Normals)), "normals"),
    key(&["shift+b"], "shift b", |_| act(Action::Toggle(Overlay::Bounds)), "bounds of this moment"),
    key(&["r", "enter"], "r, enter", |_| act(Action::ResetCamera), "reset the camera"),
    key(&["shift+1", "numpad1"], "shift or numpad 1", |_| act(Action::LookFrom(0.0, 0.0)), "from the front"),
    key(
        &["shift+3", "numpad3"],
        "shift or numpad 3",
        |_| act(Action::LookFrom(FRAC_PI_2, 0.0)),
        "from the figure's left",
    ),
    key(&["shift+7", "numpad7"], "shift or numpad 7", |_| act(Action::LookFrom(0.0, FRAC_PI_2)), "from above"),
    key(
        &["shift+9", "numpad9"],
        "shift or numpad 9",
        |_| act(Action::LookFrom(Camera::YAW, Camera::PITCH)),
        "from the front, a little to the left and above",
    ),
    key(&["shift+5", "numpad5"], "shift or numpad 5", |_| act(Action::ToggleProjection), "orthographic, perspective"),
    key(&["f2"], "f2", |_| act(Action::Page(Page::Clips)), "clips"),
    key(&["f3"], "f3", |_| act(Action::Page(Page::Joints)), "joints"),
    key(&["f4"], "f4", |_| act(Action::Page(Page::Meshes)), "meshes"),
    key(&["f5"], "f5", |_| act(Action::Page(Page::Methods)), "methods"),
    key(&["f6"], "f6", |_| act(Action::Page(Page::Findings)), "findings"),
    key(&["f7"], "f7", |_| act(Action::Page(Page::Files)), "files"),
    key(&["ctrl+o"], "ctrl o", |_| ask(Request::AskForFile), "open a file or folder by its path"),
    key(&["f8"], "f8", |_| act(Action::Page(Page::Camera)), "camera and light"),
    key(
        &["shift+v"],
        "shift v",
        |_| act(Action::ToggleLookThrough),
        "look through the camera of an .md5camera, or not",
    ),
    key(&["t"], "t", |_| ask(Request::Turntable), "turn about the figure, or stop"),
    key(&["f1"], "f1", |_| act(Action::TogglePanel), "show or hide panel and timeline"),
    key(&["ctrl+r"], "ctrl r", |_| ask(Request::Reload), "read the files again"),
    key(&["ctrl+c"], "ctrl c", |_| ask(Request::Save(Save::FrameValues)), "copy the pose as MD5 frame values"),
    key(&["f12"], "f12", |_| ask(Request::Save(Save::Screenshot)), "write the picture to a file"),
    key(&["shift+f12"], "shift f12", |_| ask(Request::Record(Format::Gif)), "record what is played as .gif, or stop"),
    key(&["f11"], "f11", |_| ask(Request::Fullscreen), "full screen"),
    key(&["h", "?"], "h, ?", |_| act(Action::ToggleKeys), "these keys"),
    key(&["escape"], "esc", |_| ask(Request::Leave), "leave the full screen, or quit"),
    key(&["q"], "q", |_| ask(Request::Quit), "quit"),
];

/// What the mouse does (article 000, appendix C).
pub const MOUSE: [(&str, &str); 6] = [
    ("left drag", "rotate"),
    ("right drag", "move"),
    ("middle drag, wheel", "zoom"),
    ("click", "select a joint or a vertex"),
    ("double click", "look at it"),
    ("drag a ring", "turn the selected joint"),
];

/// The table as text.
pub fn help() -> String {
    let mut text = String::from("Keys:\n");
    let rows = BINDINGS.iter().map(|binding| (binding.shown, binding.about)).chain(MOUSE);
    for (what, about) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {what:<20}{about}");
    }
    text.truncate(text.trim_end().len());
    text
}

/// What a key does.
pub fn find(key: &str) -> Option<Command> {
    BINDINGS.iter().find_map(|binding| {
        let place = binding.keys.iter().position(|&known| known == key)?;
        Some((binding.command)(place))
    })
}

/// The key as the table of keys may call it, the most exact first.
pub fn names(event: &KeyEvent, modifiers: ModifiersState) -> Vec<String> {
    let name = match &event.logical_key {
        Key::Named(named) => match named {
            NamedKey::Space => "space",
            NamedKey::ArrowRight => "right",
            NamedKey::ArrowLeft => "left",
            NamedKey::Tab => "tab",
            NamedKey::Escape => "escape",
            NamedKey::Enter => "enter",
            NamedKey::Home => "home",
            NamedKey::End => "end",
            NamedKey::Backspace => "backspace",
            NamedKey::F1 => "f1",
            NamedKey::F2 => "f2",
            NamedKey::F3 => "f3",
            NamedKey::F4 => "f4",
            NamedKey::F5 => "f5",
            NamedKey::F6 => "f6",
            NamedKey::F7 => "f7",
            NamedKey::F8 => "f8",
            NamedKey::F11 => "f11",
            NamedKey::F12 => "f12",
            _ => return Vec::new(),
        }
        .to_owned(),
        Key::Character(text) => text.to_lowercase(),
        _ => return Vec::new(),
    };
    let physical = match event.physical_key {
        PhysicalKey::Code(KeyCode::Numpad1) => Some("numpad1"),
        PhysicalKey::Code(KeyCode::Numpad3) => Some("numpad3"),
        PhysicalKey::Code(KeyCode::Numpad5) => Some("numpad5"),
        PhysicalKey::Code(KeyCode::Numpad7) => Some("numpad7"),
        PhysicalKey::Code(KeyCode::Numpad9) => Some("numpad9"),
        PhysicalKey::Code(KeyCode::Digit1) if modifiers.shift_key() => Some("shift+1"),
        PhysicalKey::Code(KeyCode::Digit3) if modifiers.shift_key() => Some("shift+3"),
        PhysicalKey::Code(KeyCode::Digit5) if modifiers.shift_key() => Some("shift+5"),
        PhysicalKey::Code(KeyCode::Digit7) if modifiers.shift_key() => Some("shift+7"),
        PhysicalKey::Code(KeyCode::Digit9) if modifiers.shift_key() => Some("shift+9"),
        _ => None,
    };
    let mut names: Vec<String> = physical.map(str::to_owned).into_iter().collect();
    if modifiers.control_key() {
        names.push(format!("ctrl+{name}"));
        return names;
    }
    if modifiers.alt_key() || modifiers.super_key() {
        return names;
    }
    if modifiers.shift_key() {
        names.push(format!("shift+{name}"));
        // What is only there with shift, such as a question mark.
        if name.chars().all(char::is_alphabetic) {
            return names;
        }
    }
    names.push(name);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice() {
        let mut keys: Vec<&str> = BINDINGS.iter().flat_map(|binding| binding.keys).copied().collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn keys_are_found_and_listed() {
        assert_eq!(find("3"), Some(Command::Act(Action::ShowClip(2))));
        assert_eq!(find("escape"), Some(Command::Ask(Request::Leave)));
        assert_eq!(find("y"), None);
        for line in
            ["  space               pause, play\n", "  q                   quit\n", "  left drag           rotate\n"]
        {
            assert!(help().contains(line), "{line:?} is not in\n{}", help());
        }
    }
}
