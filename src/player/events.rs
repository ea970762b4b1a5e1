//! What a game does at frames of clips.

use super::State;
use crate::model::Clip;
use bindpose_parsers::decl::FrameCommand;
use std::collections::BTreeMap;

/// A frame command of a model decl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipEvent {
    /// The clip's name.
    pub clip: String,
    /// From 0, as in the timeline; decls count from 1.
    pub frame: u64,
    /// The command with its words.
    pub text: String,
}

/// The frame commands of decls, by the names of clips; what stands at no frame is left out.
pub(super) fn of_commands(commands: &[(String, Vec<FrameCommand>)]) -> Vec<ClipEvent> {
    let event = |clip: &String, command: &FrameCommand| {
        let words = std::iter::once(&command.command).chain(&command.arguments).map(|word| word.text.as_str());
        let frame = u64::try_from(command.frame).ok()?.checked_sub(1)?;
        Some(ClipEvent { clip: clip.clone(), frame, text: words.collect::<Vec<_>>().join(" ") })
    };
    let events = commands.iter().flat_map(|(clip, commands)| commands.iter().map(move |command| (clip, command)));
    events.filter_map(|(clip, command)| event(clip, command)).collect()
}

impl State {
    /// What happens while a clip plays, by frames: all of a frame in one text.
    pub fn events_of(&self, clip: &Clip) -> BTreeMap<u64, String> {
        let mut texts = BTreeMap::new();
        for event in self.events.iter().filter(|event| event.clip == clip.name) {
            let text: &mut String = texts.entry(event.frame).or_default();
            if !text.is_empty() {
                text.push_str(", ");
            }
            text.push_str(&event.text);
        }
        texts
    }
}
