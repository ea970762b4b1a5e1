//! Frame commands of a game's model decls.

use bindpose_parsers::decl::FrameCommand;

/// A frame command of a model decl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipEvent {
    /// The clip's name.
    pub clip: String,
    /// Frame counted from 0, while decls count from 1.
    pub frame: u64,
    /// The command with its arguments.
    pub text: String,
}

/// Converts the frame commands of decls, by names of clips, to events. Commands at frames below 1 are ignored.
pub(super) fn of_commands(commands: &[(String, Vec<FrameCommand>)]) -> Vec<ClipEvent> {
    let event = |clip: &String, command: &FrameCommand| {
        let words = std::iter::once(&command.command).chain(&command.arguments).map(|word| word.text.as_str());
        let frame = u64::try_from(command.frame).ok()?.checked_sub(1)?;
        Some(ClipEvent { clip: clip.clone(), frame, text: words.collect::<Vec<_>>().join(" ") })
    };
    let events = commands.iter().flat_map(|(clip, commands)| commands.iter().map(move |command| (clip, command)));
    events.filter_map(|(clip, command)| event(clip, command)).collect()
}
