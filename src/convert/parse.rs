//! Parsers of options for command lines.

use crate::{Format, Named};
pub(crate) use bindpose_core::model::axis_named;
use bindpose_validate::profiles::{Profile, UnknownProfile};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses a positive number.
pub fn positive(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0).ok_or("expected a positive number")
}

/// Parses a time of at least 0 seconds.
pub fn seconds(text: &str) -> Result<f64, &'static str> {
    let time = text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    time.ok_or("expected a number of seconds, 0 or more")
}

/// Parses the name of an engine.
pub fn profile(name: &str) -> Result<&'static Profile, UnknownProfile> {
    Profile::find(name).ok_or_else(|| UnknownProfile(name.to_owned()))
}

/// Checks the words in braces of `--clip-names`.
pub(crate) fn clip_names(text: &str) -> Result<String, &'static str> {
    if text.replace("{clip}", "").replace("{model}", "").contains(['{', '}']) {
        return Err("the only words in braces are {clip} and {model}");
    }
    Ok(text.to_owned())
}

/// Parses `CLIP=N`, frames per second.
pub(crate) fn rate(text: &str) -> Result<(String, f64), &'static str> {
    let (clip, rate) = text.rsplit_once('=').ok_or("expected CLIP=N")?;
    Ok((clip.to_owned(), positive(rate)?))
}

/// Parses `GROUP=CLIP`.
pub(crate) fn group(text: &str) -> Result<(String, String), &'static str> {
    let (group, clip) = text.split_once('=').ok_or("expected GROUP=CLIP")?;
    Ok((group.to_owned(), clip.to_owned()))
}

/// Parses `JOINT=TAG`.
pub(crate) fn tag(text: &str) -> Result<(String, String), &'static str> {
    let (joint, tag) = text.rsplit_once('=').ok_or("expected JOINT=TAG, such as hand_r=tag_weapon")?;
    Ok((joint.to_owned(), tag.to_owned()))
}

/// Parses a positive number, or `all` as the largest one.
pub(crate) fn influences(text: &str) -> Result<usize, &'static str> {
    let most = if text == "all" { Some(usize::MAX) } else { text.parse().ok().filter(|&most| most > 0) };
    most.ok_or("expected a positive number, or all")
}

/// Parses one of these names, each with a description and a value.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: Named<T, N>,
) -> impl TypedValueParser<Value = T> {
    let names = values.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(move |name| {
        let found = values.iter().find(|(known, ..)| *known == name);
        found.map(|&(.., value)| value).ok_or("unknown name")
    })
}

/// Parses the name of a format.
pub fn formats() -> impl TypedValueParser<Value = Format> {
    one_of(Format::ALL.map(|format| (format.name(), format.title(), format)))
}

pub(crate) fn frames() -> impl TypedValueParser<Value = bool> {
    one_of([("resample", "Interpolate at the new rate", false), ("keep", "Play the same frames at the new rate", true)])
}

pub(crate) fn alpha() -> impl TypedValueParser<Value = bool> {
    let auto = "Make materials opaque that have alpha 0, or alpha below 1 and an opaque image";
    one_of([("auto", auto, false), ("keep", "Write alpha unchanged", true)])
}
