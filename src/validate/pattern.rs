//! Patterns for names of files and clips: `*`, `?`, `[…]`, `**` and `{one,other}`.

use glob::MatchOptions;

/// Largest number of alternatives: braces multiply.
const MOST: usize = 1024;

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Alternatives, one of which must match.
    alternatives: Vec<glob::Pattern>,
    options: MatchOptions,
}

impl Pattern {
    /// Parses a pattern of paths, whose stars do not match `/`.
    pub(crate) fn of_paths(text: &str) -> Result<Self, String> {
        Self::new(text, MatchOptions { require_literal_separator: true, ..MatchOptions::new() })
    }

    /// Parses a pattern of names, whose case does not matter.
    pub(crate) fn of_names(text: &str) -> Result<Self, String> {
        Self::new(text, MatchOptions { case_sensitive: false, ..MatchOptions::new() })
    }

    fn new(text: &str, options: MatchOptions) -> Result<Self, String> {
        let understand = |text: String| glob::Pattern::new(&text).map_err(|error| error.msg.to_owned());
        let alternatives = without_braces(text)?.into_iter().map(understand).collect::<Result<_, _>>()?;
        Ok(Self { alternatives, options })
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        self.alternatives.iter().any(|pattern| pattern.matches_with(name, self.options))
    }
}

/// Expands `{one,other}` to all alternatives, in the order written.
fn without_braces(text: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        let Some(start) = text.find('{') else {
            done.push(text);
            continue;
        };
        let (end, commas) = closing(&text, start).ok_or("an opening brace has no closing one")?;
        let cuts: Vec<usize> = [start].into_iter().chain(commas).chain([end]).collect();
        if open.len() + done.len() + cuts.len() > MOST {
            return Err(format!("its braces stand for more than {MOST} patterns"));
        }
        let choices = cuts.windows(2).rev();
        open.extend(choices.map(|cut| format!("{}{}{}", &text[..start], &text[cut[0] + 1..cut[1]], &text[end + 1..])));
    }
    Ok(done)
}

/// Returns the positions of the brace that closes the one at `start`, and of the commas between its parts.
fn closing(text: &str, start: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0;
    let mut commas = Vec::new();
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some((at, commas)),
            b'}' => depth -= 1,
            b',' if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_stand_for_each_of_their_parts() {
        let parts = |text: &str| without_braces(text).unwrap();
        assert_eq!(parts("a/{one,b/two}.x"), ["a/one.x", "a/b/two.x"]);
        assert_eq!(parts("{a,b{c,d}}e"), ["ae", "bce", "bde"]);
        assert_eq!(parts("{}a{b}"), ["ab"]);
        assert!(without_braces("a{b").is_err());
        assert!(without_braces(&"{a,b}".repeat(40)).is_err(), "a million million");
    }

    #[test]
    fn names_go_without_case_and_paths_by_folders() {
        let walks = Pattern::of_names("*WALK{,_*}").unwrap();
        assert!(walks.matches("ogre_walk") && walks.matches("Walk_left") && !walks.matches("walking"));
        let paths = Pattern::of_paths("a/*.x").unwrap();
        assert!(paths.matches("a/one.x") && !paths.matches("a/b/one.x") && !paths.matches("A/one.x"));
        assert!(Pattern::of_paths("a/**/*.x").unwrap().matches("a/b/c/one.x"));
        assert!(Pattern::of_names("a[").is_err());
    }
}
