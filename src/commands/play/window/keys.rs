//! The one table of keys: what `--help` prints, what `h` shows in the window, what the window obeys.

use super::request::{Command, Request};
use super::save::Save;
use crate::commands::record::MediaFormat;
use bindpose::player::{Action, Colouring, Overlay, Page};
use bindpose::render::Camera;
use std::f32::consts::{FRAC_PI_2, PI};
use std::fmt::Write as _;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// Keys that have to do with the same things.
pub struct Group {
    /// For people.
    pub name: &'static str,
    /// Its rows.
    pub bindings: &'static [Binding],
}

/// A row of the table.
pub struct Binding {
    /// Names of keys, lower case, with `shift+`, `ctrl+` or `ctrl+shift+` before them; any of them does it.
    pub keys: &'static [&'static str],
    /// How they are written for people.
    pub shown: &'static str,
    /// What they do; the number is the key's place in its row.
    command: fn(usize) -> Command,
    /// The same for people.
    pub about: &'static str,
}

impl Binding {
    /// What its first key does.
    pub fn command(&self) -> Command {
        (self.command)(0)
    }
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

/// How far a key turns and moves the camera, shares of the picture's height, and by what it enlarges.
const TURN: f32 = 1.0 / 12.0;
const MOVE: f32 = 0.05;
const ENLARGE: f32 = 1.15;

/// What is typed in the palette after this is the name of the range.
pub const NAME_THE_RANGE: &str = "name the range: ";

/// All keys.
pub static GROUPS: &[Group] = &[
    Group {
        name: "Time",
        bindings: &[
            key(&["space"], "space", |_| act(Action::TogglePause), "pause, play"),
            key(&["right", "."], "right, .", |_| act(Action::Step(1)), "next frame"),
            key(&["left", ","], "left, ,", |_| act(Action::Step(-1)), "previous frame"),
            key(&["home"], "home", |_| act(Action::First), "first frame"),
            key(&["end"], "end", |_| act(Action::Last), "last frame"),
            key(&["]"], "]", |_| act(Action::ChangeSpeed(1)), "faster"),
            key(&["["], "[", |_| act(Action::ChangeSpeed(-1)), "slower"),
            key(&["backspace"], "backspace", |_| act(Action::Backwards), "backwards"),
            key(&["l"], "l", |_| act(Action::NextRepeat), "at the clip's end: loop, stop, go back"),
            key(&["shift+l"], "shift l", |_| act(Action::NextClock), "clock: smooth, whole frames, a game's"),
            key(&["a"], "a", |_| act(Action::RangeStart), "the range begins here"),
            key(&["b"], "b", |_| act(Action::RangeEnd), "the range ends here"),
            key(&["shift+a"], "shift a", |_| act(Action::Range(None)), "play the whole clip"),
            key(&["ctrl+n"], "ctrl n", |_| ask(Request::Palette(NAME_THE_RANGE)), "name the range"),
            key(&["u"], "u", |_| act(Action::NextNamedRange), "next range with a name"),
        ],
    },
    Group {
        name: "Clips",
        bindings: &[
            key(&["tab"], "tab", |_| act(Action::ChangeClip(1)), "next clip"),
            key(&["shift+tab"], "shift tab", |_| act(Action::ChangeClip(-1)), "previous clip"),
            key(
                &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
                "1 to 9",
                |place| act(Action::ShowClip(place)),
                "clip of that number",
            ),
            key(&["shift+f"], "shift f", |_| act(Action::ToggleFade), "fade from clip to clip, or cut"),
            key(&["o"], "o", |_| act(Action::NextRootMotion), "root motion: kept, in place, accumulated"),
            key(&["j"], "j", |_| act(Action::NextBlend), "mix the next clip in, or none"),
            key(&["shift+j"], "shift j", |_| act(Action::NextBlendShare), "how much of that clip is mixed in"),
            key(
                &["ctrl+j"],
                "ctrl j",
                |_| act(Action::ToggleBlendMask),
                "mix it in from the selected joint down, or all",
            ),
            key(&["shift+c"], "shift c", |_| act(Action::NextSplitClip), "beside it the next clip, or nothing"),
        ],
    },
    Group {
        name: "Methods and engines",
        bindings: &[
            key(&["m"], "m", |_| act(Action::NextMethod), "next skinning method"),
            key(&["c"], "c", |_| act(Action::ToggleSplit), "beside it the same by another method"),
            key(&["y"], "y", |_| ask(Request::NextEngine), "as the next engine plays it"),
            key(&["shift+y"], "shift y", |_| ask(Request::PlayAs(None)), "as the files mean it"),
            key(&["shift+m"], "shift m", |_| act(Action::NextLimits), "limits of registers"),
            key(&["d"], "d", |_| act(Action::ChangeCopies(1)), "more copies"),
            key(&["shift+d"], "shift d", |_| act(Action::ChangeCopies(-1)), "fewer copies"),
            key(&["ctrl+d"], "ctrl d", |_| act(Action::ToggleAllClips), "copies play all clips, or one"),
        ],
    },
    Group {
        name: "Joints",
        bindings: &[
            key(&["down"], "down", |_| act(Action::ChangeJoint(1)), "select the next joint"),
            key(&["up"], "up", |_| act(Action::ChangeJoint(-1)), "select the previous joint"),
            key(&["ctrl+shift+a"], "ctrl shift a", |_| act(Action::SelectJoint(None)), "select nothing"),
            key(&["f"], "f", |_| act(Action::CentreOnJoint), "look at the selected joint"),
            key(&["k"], "k", |_| act(Action::Toggle(Overlay::Skeleton)), "skeleton"),
            key(&["shift+k"], "shift k", |_| act(Action::Toggle(Overlay::Tips)), "tips of joints without children"),
            key(&["n"], "n", |_| act(Action::Toggle(Overlay::Names)), "names of joints"),
            key(&["x"], "x", |_| act(Action::Toggle(Overlay::Axes)), "axes of joints"),
            key(&["s"], "s", |_| act(Action::ToggleColouring(Colouring::Support)), "the joint's support as a heat map"),
            key(&["p"], "p", |_| act(Action::NextBasePose), "pose: clip, bind pose, rest pose"),
            key(&["ctrl+z"], "ctrl z", |_| act(Action::ResetSelectedJoint), "take the selected joint's turn back"),
            key(&["shift+p"], "shift p", |_| act(Action::ResetJoints), "take back all turns of joints"),
            key(&["e"], "e", |_| ask(Request::Save(Save::Example)), "make the turn an example pose for sjbbe"),
        ],
    },
    Group {
        name: "Picture",
        bindings: &[
            key(&["w"], "w", |_| act(Action::NextSurfaces), "surfaces, edges, both"),
            key(&["v"], "v", |_| act(Action::NextShading), "in light, diffuse, normals, highlights, unlit"),
            key(&["shift+i"], "shift i", |_| act(Action::NextSpecular), "shape of highlights"),
            key(&["i"], "i", |_| act(Action::NextFilter), "images enlarged as fits, smoothly, by texels"),
            key(&["shift+s"], "shift s", |_| act(Action::NextColouring), "colours: materials, support, batches, …"),
            key(&["/"], "/", |_| act(Action::NextMeshAlone), "one mesh alone, then the next, then all"),
            key(&["shift+h"], "shift h", |_| act(Action::HideSelectedMesh), "hide the mesh of the selected vertex"),
            key(&["ctrl+h"], "ctrl h", |_| act(Action::ShowMeshes), "show all meshes"),
            key(&["shift+n"], "shift n", |_| act(Action::Toggle(Overlay::Normals)), "normals"),
            key(&["shift+t"], "shift t", |_| act(Action::Toggle(Overlay::Tangents)), "tangents"),
            key(&["shift+b"], "shift b", |_| act(Action::Toggle(Overlay::Bounds)), "bounds of this moment"),
            key(&["g"], "g", |_| act(Action::Toggle(Overlay::Grid)), "grid on the ground"),
            key(&["shift+g"], "shift g", |_| act(Action::Toggle(Overlay::Ruler)), "ruler as high as a person"),
            key(&["z"], "z", |_| act(Action::NextBackground), "background"),
            key(&["shift+z"], "shift z", |_| act(Action::NextLight), "where the light comes from"),
        ],
    },
    Group {
        name: "Camera",
        bindings: &[
            key(&["r", "enter"], "r, enter", |_| act(Action::ResetCamera), "reset the camera"),
            key(&["+", "="], "+", |_| act(Action::Magnify(ENLARGE)), "zoom in"),
            key(&["-"], "-", |_| act(Action::Magnify(1.0 / ENLARGE)), "zoom out"),
            key(&["shift+left", "numpad4"], "shift left", |_| act(Action::Rotate(-TURN, 0.0)), "rotate to the left"),
            key(&["shift+right", "numpad6"], "shift right", |_| act(Action::Rotate(TURN, 0.0)), "rotate to the right"),
            key(&["shift+up", "numpad8"], "shift up", |_| act(Action::Rotate(0.0, -TURN)), "rotate upwards"),
            key(&["shift+down", "numpad2"], "shift down", |_| act(Action::Rotate(0.0, TURN)), "rotate downwards"),
            key(
                &["ctrl+left", "ctrl+numpad4"],
                "ctrl left",
                |_| act(Action::Drag(-MOVE, 0.0, 1.0)),
                "move the figure to the left",
            ),
            key(
                &["ctrl+right", "ctrl+numpad6"],
                "ctrl right",
                |_| act(Action::Drag(MOVE, 0.0, 1.0)),
                "move the figure to the right",
            ),
            key(&["ctrl+up", "ctrl+numpad8"], "ctrl up", |_| act(Action::Drag(0.0, -MOVE, 1.0)), "move the figure up"),
            key(
                &["ctrl+down", "ctrl+numpad2"],
                "ctrl down",
                |_| act(Action::Drag(0.0, MOVE, 1.0)),
                "move the figure down",
            ),
            key(&["shift+1", "numpad1"], "shift 1", |_| act(Action::LookFrom(0.0, 0.0)), "from the front"),
            key(&["ctrl+1", "ctrl+numpad1"], "ctrl 1", |_| act(Action::LookFrom(PI, 0.0)), "from behind"),
            key(
                &["shift+3", "numpad3"],
                "shift 3",
                |_| act(Action::LookFrom(FRAC_PI_2, 0.0)),
                "from the figure's left",
            ),
            key(
                &["ctrl+3", "ctrl+numpad3"],
                "ctrl 3",
                |_| act(Action::LookFrom(-FRAC_PI_2, 0.0)),
                "from the figure's right",
            ),
            key(&["shift+7", "numpad7"], "shift 7", |_| act(Action::LookFrom(0.0, FRAC_PI_2)), "from above"),
            key(&["ctrl+7", "ctrl+numpad7"], "ctrl 7", |_| act(Action::LookFrom(0.0, -FRAC_PI_2)), "from below"),
            key(
                &["shift+9", "numpad9"],
                "shift 9",
                |_| act(Action::LookFrom(Camera::YAW, Camera::PITCH)),
                "from the front, the left and above",
            ),
            key(&["shift+5", "numpad5"], "shift 5", |_| act(Action::ToggleProjection), "orthographic, perspective"),
            key(&["t"], "t", |_| ask(Request::Turntable), "turn about the figure, or stop"),
            key(
                &["shift+v"],
                "shift v",
                |_| act(Action::ToggleLookThrough),
                "through the film's camera (.md5camera), or not",
            ),
        ],
    },
    Group {
        name: "Files",
        bindings: &[
            key(&["ctrl+o"], "ctrl o", |_| ask(Request::AskForFile), "open a file or folder by its path"),
            key(&["ctrl+r"], "ctrl r", |_| ask(Request::Reload), "read the files again"),
            key(&["ctrl+c"], "ctrl c", |_| ask(Request::Save(Save::FrameValues)), "copy the pose as MD5 frame values"),
            key(&["ctrl+s"], "ctrl s", |_| ask(Request::Save(Save::Still)), "save the pose as .md5anim"),
            key(&["ctrl+shift+s"], "ctrl shift s", |_| ask(Request::Save(Save::Obj)), "save the pose as .obj"),
            key(&["f12"], "f12", |_| ask(Request::Save(Save::Screenshot)), "save the picture as .png"),
            key(&["shift+f12"], "shift f12", |_| ask(Request::Record(MediaFormat::Gif)), "record as .gif, or stop"),
            key(&["f9"], "f9", |_| ask(Request::Record(MediaFormat::Apng)), "record as .apng, or stop"),
            key(
                &["shift+f9"],
                "shift f9",
                |_| ask(Request::Record(MediaFormat::Png)),
                "record as a folder of .png, or stop",
            ),
            key(&["f10"], "f10", |_| ask(Request::Record(MediaFormat::Mp4)), "record as .mp4, or stop"),
            key(&["shift+f10"], "shift f10", |_| ask(Request::Record(MediaFormat::Webm)), "record as .webm, or stop"),
        ],
    },
    Group {
        name: "Window",
        bindings: &[
            key(&["ctrl+p", ":"], "ctrl p, :", |_| ask(Request::Palette("")), "find any action by its name"),
            key(&["h", "?"], "h, ?", |_| act(Action::ToggleKeys), "these keys"),
            key(&["f1"], "f1", |_| act(Action::TogglePanel), "show or hide panel and timeline"),
            key(&["f2"], "f2", |_| act(Action::Page(Page::Clips)), "page of clips"),
            key(&["f3"], "f3", |_| act(Action::Page(Page::Joints)), "page of joints"),
            key(&["f4"], "f4", |_| act(Action::Page(Page::Meshes)), "page of meshes"),
            key(&["f5"], "f5", |_| act(Action::Page(Page::Methods)), "page of methods and engines"),
            key(&["f6"], "f6", |_| act(Action::Page(Page::Findings)), "page of findings"),
            key(&["f7"], "f7", |_| act(Action::Page(Page::Files)), "page of files"),
            key(&["f8"], "f8", |_| act(Action::Page(Page::Camera)), "page of the view"),
            key(&["ctrl+t"], "ctrl t", |_| ask(Request::NextTheme), "dark or light panel"),
            key(&["f11"], "f11", |_| ask(Request::Fullscreen), "full screen"),
            key(&["escape"], "esc", |_| ask(Request::Leave), "leave the full screen, or quit"),
            key(&["q"], "q", |_| ask(Request::Quit), "quit"),
        ],
    },
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

/// All rows of all groups.
pub fn bindings() -> impl Iterator<Item = &'static Binding> {
    GROUPS.iter().flat_map(|group| group.bindings)
}

/// The table for people, by groups: what is pressed, and what it does.
pub fn groups() -> impl Iterator<Item = (&'static str, Vec<(&'static str, &'static str)>)> {
    let of_keys = |group: &'static Group| {
        (group.name, group.bindings.iter().map(|binding| (binding.shown, binding.about)).collect())
    };
    GROUPS.iter().map(of_keys).chain(std::iter::once(("Mouse", MOUSE.to_vec())))
}

/// The table as text.
pub fn help() -> String {
    let mut text = String::from("Keys:\n");
    for (name, rows) in groups() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, " {name}");
        for (what, about) in rows {
            let _ = writeln!(text, "  {what:<20}{about}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// What a key does.
pub fn find(key: &str) -> Option<Command> {
    bindings().find_map(|binding| {
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
            NamedKey::ArrowUp => "up",
            NamedKey::ArrowDown => "down",
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
            NamedKey::F9 => "f9",
            NamedKey::F10 => "f10",
            NamedKey::F11 => "f11",
            NamedKey::F12 => "f12",
            _ => return Vec::new(),
        }
        .to_owned(),
        Key::Character(text) => text.to_lowercase(),
        _ => return Vec::new(),
    };
    let is_other = modifiers.shift_key() || modifiers.control_key();
    let is_systems = modifiers.alt_key() || modifiers.super_key();
    // Digits need shift on some keyboards, and have other signs with it on others.
    let physical = match event.physical_key {
        PhysicalKey::Code(code) => digit_of(code).filter(|(_, is_pad)| *is_pad || is_other && !is_systems),
        PhysicalKey::Unidentified(_) => None,
    };
    let before = match (modifiers.control_key(), modifiers.shift_key()) {
        (true, true) => "ctrl+shift+",
        (true, false) => "ctrl+",
        (false, true) => "shift+",
        (false, false) => "",
    };
    let mut names: Vec<String> = match physical {
        // Without num lock, and so with shift on some systems, the pad has arrows.
        Some((digit, true)) => vec![format!("{}numpad{digit}", if modifiers.control_key() { "ctrl+" } else { "" })],
        Some((digit, false)) => vec![format!("{before}{digit}")],
        None => Vec::new(),
    };
    if modifiers.control_key() {
        names.push(format!("{before}{name}"));
        return names;
    }
    if is_systems {
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

/// Whether a key is pressed that does something with a text rather than being part of it: enter, an arrow, a shortcut.
pub fn is_command(event: &WindowEvent) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    let is_named = matches!(event.logical_key, Key::Named(name) if name != NamedKey::Space);
    event.state == ElementState::Pressed && (is_named || event.text.is_none())
}

/// The digit of a key, and whether it is one of the number pad.
fn digit_of(code: KeyCode) -> Option<(u8, bool)> {
    Some(match code {
        KeyCode::Digit1 => (1, false),
        KeyCode::Digit3 => (3, false),
        KeyCode::Digit5 => (5, false),
        KeyCode::Digit7 => (7, false),
        KeyCode::Digit9 => (9, false),
        KeyCode::Numpad1 => (1, true),
        KeyCode::Numpad2 => (2, true),
        KeyCode::Numpad3 => (3, true),
        KeyCode::Numpad4 => (4, true),
        KeyCode::Numpad5 => (5, true),
        KeyCode::Numpad6 => (6, true),
        KeyCode::Numpad7 => (7, true),
        KeyCode::Numpad8 => (8, true),
        KeyCode::Numpad9 => (9, true),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice() {
        let mut keys: Vec<&str> = bindings().flat_map(|binding| binding.keys).copied().collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn keys_are_found_and_listed() {
        assert_eq!(find("3"), Some(Command::Act(Action::ShowClip(2))));
        assert_eq!(find("escape"), Some(Command::Ask(Request::Leave)));
        assert_eq!(find("shift+q"), None);
        for line in
            ["  space               pause, play\n", "  q                   quit\n", "  left drag           rotate\n"]
        {
            assert!(help().contains(line), "{line:?} is not in\n{}", help());
        }
    }
}
