//! Names that must not occur twice.

use crate::Loss;
use std::collections::{HashMap, HashSet};

/// Set of names that makes each one unique.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: HashSet<String>,
    /// For each repeated name the last number that was added to it.
    numbers: HashMap<String, usize>,
    /// The first name that was changed, what it became, and how many were.
    changed: Option<(String, String, usize)>,
}

impl Unique {
    /// `name`, or if it is taken with `_2`, `_3` … added.
    pub(crate) fn add(&mut self, name: &str) -> String {
        self.add_within(name, usize::MAX)
    }

    /// As [`Self::add`], but the name is cut so that the number fits into `bytes`, if they are enough for it.
    pub(crate) fn add_within(&mut self, name: &str, bytes: usize) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let number = self.numbers.entry(name.to_owned()).or_insert(1);
        let unique = loop {
            *number += 1;
            let end = format!("_{number}");
            let most = bytes.saturating_sub(end.len()).min(name.len());
            let kept = (1..=most).rev().find(|&length| name.is_char_boundary(length)).unwrap_or(0);
            let unique = name[..kept].to_owned() + &end;
            if self.taken.insert(unique.clone()) {
                break unique;
            }
        };
        let (.., names) = self.changed.get_or_insert_with(|| (name.to_owned(), unique.clone(), 0));
        *names += 1;
        unique
    }

    /// The loss of all changed names; `what` is the noun.
    pub(crate) fn into_loss(self, what: &'static str) -> Option<Loss> {
        self.changed.map(|(from, to, names)| Loss::Renamed { what, from, to, names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_into_the_length_of_a_name() {
        let mut names = Unique::default();
        let made = ["spine", "spine", "spin_2", "sp\u{e9}ne", "sp\u{e9}ne"].map(|name| names.add_within(name, 6));
        assert_eq!(made, ["spine", "spin_2", "spin_3", "sp\u{e9}ne", "sp\u{e9}_2"]);
        let changed = names.changed.as_ref().map(|(from, to, names)| (from.as_str(), to.as_str(), *names));
        assert_eq!(changed, Some(("spine", "spin_2", 3)));
    }
}
