//! The one table of keys: what `--help` prints, what `h` prints, what the window obeys.

use std::fmt::Write as _;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Plays or pauses.
    Pause,
    /// Pauses and goes on by frames.
    Step(i64),
    /// Faster (1) or slower (-1).
    Speed(i32),
    /// What happens at the clip's end: the next way of it.
    Repeat,
    /// The next clip.
    NextClip,
    /// The clip of the key's number, from 1.
    NumberedClip,
    /// The next method that runs here.
    NextMethod,
    /// Bones over the figure, or not.
    Skeleton,
    /// Edges or surfaces.
    Wireframe,
    /// Lines on the ground, or not.
    Grid,
    /// The view from the start.
    ResetCamera,
    /// All of the screen, or a window.
    Fullscreen,
    /// Prints this table.
    Help,
    /// Ends.
    Quit,
}

/// A row of the table.
pub struct Binding {
    /// Names of keys, lower case; any of them does it.
    pub keys: &'static [&'static str],
    /// How they are written for people.
    shown: &'static str,
    /// What they do.
    pub action: Action,
    /// The same for people.
    about: &'static str,
}

const fn key(keys: &'static [&'static str], shown: &'static str, action: Action, about: &'static str) -> Binding {
    Binding { keys, shown, action, about }
}

/// All keys.
pub static BINDINGS: [Binding; 16] = [
    key(&["space"], "space", Action::Pause, "pause, play"),
    key(&["right"], "right", Action::Step(1), "next frame"),
    key(&["left"], "left", Action::Step(-1), "previous frame"),
    key(&["]"], "]", Action::Speed(1), "faster"),
    key(&["["], "[", Action::Speed(-1), "slower"),
    key(&["l"], "l", Action::Repeat, "at the clip's end: loop, stop, go back"),
    key(&["tab"], "tab", Action::NextClip, "next clip"),
    key(&["1", "2", "3", "4", "5", "6", "7", "8", "9"], "1 to 9", Action::NumberedClip, "clip of that number"),
    key(&["m"], "m", Action::NextMethod, "next skinning method"),
    key(&["k"], "k", Action::Skeleton, "skeleton"),
    key(&["w"], "w", Action::Wireframe, "wireframe"),
    key(&["g"], "g", Action::Grid, "grid on the ground"),
    key(&["r"], "r", Action::ResetCamera, "reset the camera"),
    key(&["f11"], "f11", Action::Fullscreen, "full screen"),
    key(&["h"], "h", Action::Help, "print the keys"),
    key(&["escape"], "esc", Action::Quit, "quit"),
];

/// What the mouse does (article 000, appendix C).
const MOUSE: [(&str, &str); 3] = [("left drag", "rotate"), ("right drag", "move"), ("middle drag, wheel", "zoom")];

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

/// The row of a key, and the key's place in it.
pub fn find(key: &str) -> Option<(Action, usize)> {
    BINDINGS.iter().find_map(|binding| {
        let place = binding.keys.iter().position(|&known| known == key)?;
        Some((binding.action, place))
    })
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
        assert_eq!(find("3"), Some((Action::NumberedClip, 2)));
        assert_eq!(find("escape"), Some((Action::Quit, 0)));
        assert_eq!(find("x"), None);
        for line in
            ["  space               pause, play\n", "  esc                 quit\n", "  left drag           rotate\n"]
        {
            assert!(help().contains(line), "{line:?} is not in\n{}", help());
        }
    }
}
