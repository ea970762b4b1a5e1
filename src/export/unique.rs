//! Names that must not occur twice.

use crate::Loss;
use std::collections::{HashMap, HashSet};

/// Gives out names, each once.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: HashSet<String>,
    /// For each name that was wanted again the number that it got last.
    numbers: HashMap<String, usize>,
    /// The first name that was changed, what it became, and how many were.
    changed: Option<(String, String, usize)>,
}

impl Unique {
    /// `name`, or with `_2`, `_3` … behind it where that is taken.
    pub(crate) fn add(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let number = self.numbers.entry(name.to_owned()).or_insert(1);
        let unique = loop {
            *number += 1;
            let unique = format!("{name}_{number}");
            if self.taken.insert(unique.clone()) {
                break unique;
            }
        };
        let (.., names) = self.changed.get_or_insert_with(|| (name.to_owned(), unique.clone(), 0));
        *names += 1;
        unique
    }

    /// What was changed.
    pub(crate) fn into_loss(self, what: &'static str) -> Option<Loss> {
        self.changed.map(|(from, to, names)| Loss::Renamed { what, from, to, names })
    }
}
