//! Names that must not occur twice.

use crate::loss::{Loss, NewName};
use std::collections::{HashMap, HashSet};

/// Set of names that makes each one unique.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: HashSet<String>,
    /// For each repeated name the last number that was added to it.
    numbers: HashMap<String, usize>,
    /// Names that were changed.
    changed: Vec<NewName>,
}

impl Unique {
    /// Set of names that must not be any of `others` either.
    pub(crate) fn beside(others: &[String]) -> Self {
        Self { taken: others.iter().cloned().collect(), ..Self::default() }
    }

    /// `name`, or if it is taken with `_2`, `_3` … added.
    pub(crate) fn add(&mut self, name: &str) -> String {
        self.add_legal(name, name, usize::MAX)
    }

    /// As [`Self::add`], for a name that the format spells `legal`; it is cut so that a number fits into `bytes`, if they
    /// are enough for it.
    pub(crate) fn add_legal(&mut self, name: &str, legal: &str, bytes: usize) -> String {
        let unique = self.made_unique(legal, bytes);
        if unique != name {
            self.changed.push(NewName { from: name.to_owned(), to: unique.clone() });
        }
        unique
    }

    fn made_unique(&mut self, name: &str, bytes: usize) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let number = self.numbers.entry(name.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let end = format!("_{number}");
            let most = bytes.saturating_sub(end.len()).min(name.len());
            let kept = (1..=most).rev().find(|&length| name.is_char_boundary(length)).unwrap_or(0);
            let unique = name[..kept].to_owned() + &end;
            if self.taken.insert(unique.clone()) {
                return unique;
            }
        }
    }

    /// The loss of all changed names; `what` is the noun.
    pub(crate) fn into_loss(self, what: &'static str) -> Option<Loss> {
        (!self.changed.is_empty()).then_some(Loss::Renamed { what, names: self.changed })
    }
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
