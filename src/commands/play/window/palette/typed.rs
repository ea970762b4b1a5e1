//! Rows for values that no list holds: what is typed behind them is the value.

use super::{Does, Known, Row};
use crate::commands::play::window::keys::NAME_THE_RANGE;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use bindpose::load::Format;
use bindpose::player::{Action, Blend, MOST_COPIES, edit};
use glam::DQuat;
use std::ops::RangeInclusive;

/// A number that can be typed.
struct Number {
    /// What it is of.
    what: String,
    /// Behind the number.
    unit: &'static str,
    /// Which numbers it may be.
    range: RangeInclusive<f64>,
    command: Box<dyn Fn(f64) -> Command>,
}

/// Rows with the number that `filter` ends in, where it is one of theirs, else rows that ask for one; and the name of a range.
pub(super) fn rows(known: &Known<'_>, filter: &str) -> Vec<Row> {
    let typed = filter.split_whitespace().next_back().and_then(|word| Some((word, word.parse::<f64>().ok()?)));
    let of_number = |Number { what, unit, range, command }: Number| {
        match typed.filter(|(_, typed)| range.contains(typed)) {
            // As it is typed, or it would not be found.
            Some((word, typed)) => Row::send(format!("{what}: {word}{unit}"), vec![command(typed)]),
            None => {
                let [least, most] = [range.start(), range.end()].map(|end| (end * 1000.0).round() / 1000.0);
                to_be_typed(format!("{what}: "), &format!("{least} to {most}{unit}"))
            }
        }
    };
    name_of_range(known, filter).into_iter().chain(numbers(known).into_iter().map(of_number)).collect()
}

fn to_be_typed(before: String, what: &str) -> Row {
    Row { text: format!("{before}… ({what})"), key: String::new(), does: Does::Type(before), is_present: false }
}

/// A row for the name of the range, where it is being typed: the same words, or they would not be found.
fn name_of_range(known: &Known<'_>, filter: &str) -> Option<Row> {
    Some(match filter.strip_prefix(NAME_THE_RANGE)?.trim() {
        "" => to_be_typed(NAME_THE_RANGE.to_owned(), "a word"),
        _ if !known.state.playback.has_range() => {
            Row::send(format!("{filter} - choose it with a and b first"), Vec::new())
        }
        name => {
            let commands =
                vec![Command::Act(Action::NameRange(name.to_owned())), Command::Ask(Request::Save(Save::Ranges))];
            Row::send(filter, commands)
        }
    })
}

fn numbers(known: &Known<'_>) -> Vec<Number> {
    let state = known.state;
    let mut numbers = Vec::new();
    let mut act = |what: &str, unit, range, action: Box<dyn Fn(f64) -> Action>| {
        let command = Box::new(move |number| Command::Act(action(number)));
        numbers.push(Number { what: what.to_owned(), unit, range, command });
    };
    let playback = &state.playback;
    if playback.duration() > 0.0 {
        let rate = playback.frame_rate();
        act("frame", "", 0.0..=playback.last_frame() as f64, Box::new(move |frame| Action::Seek(frame / rate)));
        act("time", " s", 0.0..=playback.duration(), Box::new(Action::Seek));
    }
    act("speed", "x", -4.0..=4.0, Box::new(Action::Speed));
    act("fade", " s", 0.0..=10.0, Box::new(Action::FadeSeconds));
    if let Some(blend) = state.blend {
        let share = move |percent| Action::Blend(Some(Blend { share: percent / 100.0, ..blend }));
        act("share of the clip that is mixed in", " %", 0.0..=100.0, Box::new(share));
    }
    act("copies", "", 1.0..=MOST_COPIES as f64, Box::new(|copies| Action::Copies(copies as usize)));
    act("turntable", " turns a minute", -60.0..=60.0, Box::new(|turns| Action::Turntable(turns as f32)));
    if let Some(reel) = &state.reel {
        act("film", " s", 0.0..=reel.playback.duration(), Box::new(Action::SeekFilm));
    }
    if let Some(joint) = state.joint.filter(|_| state.can_turn()) {
        let degrees = edit::degrees_of(state.turns.get(&joint).copied().unwrap_or(DQuat::IDENTITY));
        for (axis, what) in
            ["turn the joint about x", "turn the joint about y", "turn the joint about z"].iter().enumerate()
        {
            let turn = move |angle| {
                let mut degrees = degrees;
                degrees[axis] = angle;
                Action::Turn(joint, edit::turn_of(degrees))
            };
            act(what, "°", -180.0..=180.0, Box::new(turn));
        }
    }
    let mut ask = |what: String, unit, range, request: Box<dyn Fn(f64) -> Request>| {
        let command = Box::new(move |number| Command::Ask(request(number)));
        numbers.push(Number { what, unit, range, command });
    };
    if known.asked.files.iter().any(|file| Format::of_path(file) == Some(Format::X)) {
        let ticks = |ticks| Request::TicksPerSecond(Some(ticks).filter(|&ticks| ticks > 0.0));
        ask("ticks a second, or 0 for the file's".into(), "", 0.0..=1e6, Box::new(ticks));
    }
    for number in 0..known.examples.len() {
        let sigma = move |sigma| Request::Save(Save::ExampleSigma(number, sigma));
        let what = format!("sigma of example {}, {}", number + 1, super::choices::example(known, number));
        ask(what, " rad", 0.05..=3.0, Box::new(sigma));
    }
    numbers
}
