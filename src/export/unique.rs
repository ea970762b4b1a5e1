//! Unique names.

use crate::loss::{Loss, NewName};
use std::collections::{HashMap, HashSet};

/// Set of names that makes each added name unique.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: HashSet<String>,
    /// True if names that differ only in case count as equal.
    ignores_case: bool,
    /// Last number appended to each repeated name.
    numbers: HashMap<String, usize>,
    /// Names that were changed.
    changed: Vec<NewName>,
}

impl Unique {
    /// Creates a set whose names must also differ from `others`.
    pub(crate) fn beside(others: &[String]) -> Self {
        Self { taken: others.iter().cloned().collect(), ..Self::default() }
    }

    /// Creates a set of the names of files, which some systems do not distinguish by case.
    pub(crate) fn of_files() -> Self {
        Self { ignores_case: true, ..Self::default() }
    }

    /// Returns `name`, or with `_2`, `_3` … appended if it is taken.
    pub(crate) fn add(&mut self, name: &str) -> String {
        self.add_legal(name, name, usize::MAX)
    }

    /// Adds a name that the format spells `legal`, like [`Self::add`]. The result is cut so that it fits in `bytes`
    /// with its number, if that is possible.
    pub(crate) fn add_legal(&mut self, name: &str, legal: &str, bytes: usize) -> String {
        let unique = self.made_unique(legal, bytes);
        if unique != name {
            self.changed.push(NewName { from: name.to_owned(), to: unique.clone() });
        }
        unique
    }

    fn made_unique(&mut self, name: &str, bytes: usize) -> String {
        let ignores_case = self.ignores_case;
        let key = |name: &str| if ignores_case { name.to_lowercase() } else { name.to_owned() };
        if self.taken.insert(key(name)) {
            return name.to_owned();
        }
        let number = self.numbers.entry(key(name)).or_insert(1);
        loop {
            *number += 1;
            let end = format!("_{number}");
            let unique = cut(name, bytes.saturating_sub(end.len())).to_owned() + &end;
            if self.taken.insert(key(&unique)) {
                return unique;
            }
        }
    }

    /// Returns the loss of all changed names; `what` is the noun.
    pub(crate) fn into_loss(self, what: &'static str) -> Option<Loss> {
        (!self.changed.is_empty()).then_some(Loss::Renamed { what, names: self.changed })
    }
}

/// Returns the beginning of a name that fits in `bytes`.
pub(crate) fn cut(name: &str, bytes: usize) -> &str {
    let kept = (1..=bytes.min(name.len())).rev().find(|&length| name.is_char_boundary(length));
    &name[..kept.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_into_the_length_of_a_name() {
        let mut names = Unique::default();
        let made = ["spine", "spine", "spin_2", "sp\u{e9}ne", "sp\u{e9}ne"].map(|name| names.add_legal(name, name, 6));
        assert_eq!(made, ["spine", "spin_2", "spin_3", "sp\u{e9}ne", "sp\u{e9}_2"]);
        let changed: Vec<_> = names.changed.iter().map(|name| (name.from.as_str(), name.to.as_str())).collect();
        assert_eq!(changed, [("spine", "spin_2"), ("spin_2", "spin_3"), ("sp\u{e9}ne", "sp\u{e9}_2")]);
    }
}
