//! Rows for typed values: numbers, and the name of the range.

use super::{PaletteInput, Row, RowEffect};
use crate::commands::play::window::actions::NAME_THE_RANGE;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use crate::commands::render::moment::RangeArg;
use bindpose::import::{by_extension, x};
use bindpose::model::MOST_HELPERS;
use bindpose_player::{Blend, Change, MOST_COPIES, edit};
use glam::DQuat;
use std::ops::RangeInclusive;

struct Number {
    name: String,
    unit: &'static str,
    range: RangeInclusive<f64>,
    command: Box<dyn Fn(f64) -> Command>,
}

/// Returns rows with the number at the end of `filter` if it is in range, otherwise rows that ask for a number; and the
/// row for the range's name.
pub(super) fn rows(input: &PaletteInput<'_>, filter: &str) -> Vec<Row> {
    let typed = filter.split_whitespace().next_back().and_then(|word| Some((word, word.parse::<f64>().ok()?)));
    let of_number = |Number { name, unit, range, command }: Number| {
        match typed.filter(|(_, typed)| range.contains(typed)) {
            // The number is shown as typed, because otherwise the filter would not match.
            Some((word, typed)) => Row::run(format!("{name}: {word}{unit}"), vec![command(typed)]),
            None => {
                let [least, most] = [range.start(), range.end()].map(|end| (end * 1000.0).round() / 1000.0);
                to_be_typed(format!("{name}: "), &format!("{least} to {most}{unit}"))
            }
        }
    };
    let named = name_of_range(input, filter).into_iter().chain(part_of_clip(input, filter));
    named.chain(numbers(input).into_iter().map(of_number)).collect()
}

fn to_be_typed(before: String, what: &str) -> Row {
    let text = format!("{before}… ({what})");
    Row { text, keys: String::new(), place: "", effect: RowEffect::Type(before), is_current: false }
}

/// Returns the row for a typed range: frames such as 10..25, or seconds such as 0.4s..1s.
fn part_of_clip(input: &PaletteInput<'_>, filter: &str) -> Option<Row> {
    let playback = &input.state.playback;
    let typed = filter.split_whitespace().next_back().filter(|word| word.contains(".."));
    let Some(typed) = typed else {
        let text = "range: ".to_owned();
        return (playback.duration() > 0.0)
            .then(|| to_be_typed(text, "frames such as 10..25, or seconds such as 0.4s..1s"));
    };
    let [start, end] = typed.parse::<RangeArg>().ok()?.within(playback).ok()?;
    Some(Row::run(format!("range: {typed}"), vec![Command::Change(Change::Range(Some((start, end))))]))
}

/// Returns the row for the name of the range while it is typed. It repeats the filter, because otherwise it would not
/// match.
fn name_of_range(input: &PaletteInput<'_>, filter: &str) -> Option<Row> {
    Some(match filter.strip_prefix(NAME_THE_RANGE)?.trim() {
        "" => to_be_typed(NAME_THE_RANGE.to_owned(), "a word"),
        _ if !input.state.playback.has_range() => {
            Row::run(format!("{filter} (set the range with a and b first)"), Vec::new())
        }
        name => {
            let commands = vec![
                Command::Change(Change::NameRange(name.to_owned())),
                Command::Request(Request::Save(Save::Ranges)),
            ];
            Row::run(filter, commands)
        }
    })
}

fn numbers(input: &PaletteInput<'_>) -> Vec<Number> {
    let state = input.state;
    let mut numbers = Vec::new();
    let mut change = |name: &str, unit, range, change: Box<dyn Fn(f64) -> Change>| {
        let command = Box::new(move |number| Command::Change(change(number)));
        numbers.push(Number { name: name.to_owned(), unit, range, command });
    };
    let playback = &state.playback;
    if playback.duration() > 0.0 {
        let rate = playback.frame_rate();
        change("frame", "", 0.0..=playback.last_frame() as f64, Box::new(move |frame| Change::Seek(frame / rate)));
        change("time", " s", 0.0..=playback.duration(), Box::new(Change::Seek));
    }
    change("speed", "x", -4.0..=4.0, Box::new(Change::Speed));
    change("fade", " s", 0.0..=10.0, Box::new(Change::FadeSeconds));
    if let Some(blend) = state.blend {
        let share = move |percent| Change::Blend(Some(Blend { share: percent / 100.0, ..blend }));
        change("share of the blended clip", " %", 0.0..=100.0, Box::new(share));
    }
    change("copies", "", 1.0..=MOST_COPIES as f64, Box::new(|copies| Change::Copies(copies as usize)));
    change("turntable", " turns a minute", -60.0..=60.0, Box::new(|turns| Change::Turntable(turns as f32)));
    if let Some(path) = &state.camera_path {
        change("camera time", " s", 0.0..=path.playback.duration(), Box::new(Change::SeekCamera));
    }
    if let Some(joint) = state.joint {
        let degrees = edit::degrees_of(state.turns.get(&joint).copied().unwrap_or(DQuat::IDENTITY));
        for (axis, name) in
            ["rotate the joint about x", "rotate the joint about y", "rotate the joint about z"].iter().enumerate()
        {
            let turn = move |angle| {
                let mut degrees = degrees;
                degrees[axis] = angle;
                Change::Turn(joint, edit::turn_of(degrees))
            };
            change(name, "°", -180.0..=180.0, Box::new(turn));
        }
    }
    let mut ask = |name: String, unit, range, request: Box<dyn Fn(f64) -> Request>| {
        let command = Box::new(move |number| Command::Request(request(number)));
        numbers.push(Number { name, unit, range, command });
    };
    if input.panel.current.files.iter().any(|file| by_extension(file) == Some(&x::X_FILE)) {
        let ticks = |ticks| Request::TicksPerSecond(Some(ticks).filter(|&ticks| ticks > 0.0));
        ask("ticks per second, or 0 for the file's".into(), "", 0.0..=1e6, Box::new(ticks));
    }
    if state.joint.is_some() {
        let helpers = |count| Request::Helpers(count as usize);
        ask("compare with helper joints".into(), "", 1.0..=MOST_HELPERS as f64, Box::new(helpers));
    }
    for number in 0..input.examples.len() {
        let sigma = move |sigma| Request::Save(Save::ExampleSigma(number, sigma));
        let name = format!("sigma of example {}, {}", number + 1, super::choices::example(input, number));
        ask(name, " rad", 0.05..=3.0, Box::new(sigma));
    }
    numbers
}
