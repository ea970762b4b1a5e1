//! Suggestions for misspelt names.

/// Returns the largest Damerau-Levenshtein distance of a suggestion: a third of the letters, at least one.
fn reach(name: &str) -> usize {
    (name.chars().count() / 3).max(1)
}

/// Returns the known name most similar to the written one: with the same beginning, or with few different letters.
///
/// Case does not matter. `None` if no name is similar.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = written.to_lowercase();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let apart = strsim::damerau_levenshtein(&folded, &name);
        let begins = !folded.is_empty() && name.starts_with(&folded);
        (begins || apart <= reach(&folded)).then_some((!begins, apart))
    };
    known
        .into_iter()
        .filter_map(|name| Some((distance(name)?, name)))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Returns a hint for a name that is not known: the [`nearest`] one, else all.
pub fn hint(written: &str, known: &[&str]) -> String {
    match nearest(written, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.join(", ")),
    }
}

/// Returns the most similar known name, as [`nearest`], of names that any file may have: `None` if `written` is too long
/// for a typing mistake.
pub fn nearest_name<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    let known = known.into_iter().filter(|name| name.len() <= LONGEST);
    if written.len() > LONGEST { None } else { nearest(written, known) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_like_it_are_found() {
        let known = ["cpu", "dqs", "matrix-blend", "matrix-loop", "sjb", "sjbbe", "Walk_Forward"];
        let cases = [
            ("dq", Some("dqs")),
            ("dsq", Some("dqs")),
            ("CPU", Some("cpu")),
            ("matrx-blend", Some("matrix-blend")),
            ("matrix-l", Some("matrix-loop")),
            ("sjbb", Some("sjbbe")),
            ("walk", Some("Walk_Forward")),
            ("magic", None),
            ("", None),
        ];
        for (written, name) in cases {
            assert_eq!(nearest(written, known), name, "{written}");
        }
    }
}
