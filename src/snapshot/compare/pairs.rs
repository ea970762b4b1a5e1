//! Pairs of recorded and present elements: by name, else by content.

use crate::difference::{ComparedStage, Comparison};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

/// An element: its name, and a digest of each of several aspects of its content.
pub(super) struct Candidate {
    pub name: String,
    /// Text that takes the place of the name when elements are paired.
    pub key: Option<String>,
    pub content: Vec<u64>,
}

impl Candidate {
    pub fn new(name: &str, content: Vec<u64>) -> Self {
        Self { name: name.to_owned(), key: None, content }
    }

    fn key(&self) -> &str {
        self.key.as_ref().unwrap_or(&self.name)
    }
}

/// Elements of two snapshots that correspond, by their indices.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Index in the recorded snapshot, and index now, in the recorded order.
    pub list: Vec<(usize, usize)>,
    /// Recorded elements without a present one.
    pub gone: Vec<usize>,
    /// Present elements without a recorded one.
    pub new: Vec<usize>,
    /// Names of all recorded elements, and of all present ones.
    names: [Vec<String>; 2],
}

/// Largest number of elements that an aspect may have in common to distinguish them.
const MOST_OWNERS: usize = 8;

impl Pairs {
    /// Pairs elements of the same name, the first with the first. Elements whose names are gone are paired with new ones
    /// that share at least `least` aspects of their content, those that share most first.
    pub fn new(recorded: &[Candidate], now: &[Candidate], least: impl Fn(&Candidate) -> usize) -> Self {
        let mut by_name: HashMap<&str, VecDeque<usize>> = HashMap::new();
        now.iter().enumerate().for_each(|(is, element)| by_name.entry(element.key()).or_default().push_back(is));
        let names = |all: &[Candidate]| all.iter().map(|element| element.name.clone()).collect();
        let mut pairs = Self { names: [recorded, now].map(names), ..Self::default() };
        for (was, element) in recorded.iter().enumerate() {
            match by_name.get_mut(element.key()).and_then(VecDeque::pop_front) {
                Some(is) => pairs.list.push((was, is)),
                None => pairs.gone.push(was),
            }
        }
        let mut free: HashSet<usize> = by_name.into_values().flatten().collect();
        let mut owners: HashMap<u64, HashSet<usize>> = HashMap::new();
        for (&is, aspect) in free.iter().flat_map(|is| now[*is].content.iter().map(move |aspect| (is, aspect))) {
            owners.entry(*aspect).or_default().insert(is);
        }
        let mut ranked: Vec<(usize, Reverse<usize>, Reverse<usize>)> = Vec::new();
        for &was in &pairs.gone {
            let aspects: HashSet<u64> = recorded[was].content.iter().copied().collect();
            let mut common: HashMap<usize, usize> = HashMap::new();
            let owned = aspects.iter().filter_map(|aspect| owners.get(aspect)).filter(|all| all.len() <= MOST_OWNERS);
            owned.flatten().for_each(|&is| *common.entry(is).or_default() += 1);
            let enough = common.into_iter().filter(|&(_, count)| count >= least(&recorded[was]));
            ranked.extend(enough.map(|(is, count)| (count, Reverse(was), Reverse(is))));
        }
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let mut gone: HashSet<usize> = pairs.gone.iter().copied().collect();
        for (_, Reverse(was), Reverse(is)) in ranked {
            if gone.contains(&was) && free.remove(&is) {
                gone.remove(&was);
                pairs.list.push((was, is));
            }
        }
        pairs.gone.retain(|was| gone.contains(was));
        pairs.new = free.into_iter().collect();
        pairs.new.sort_unstable();
        pairs.list.sort_unstable();
        pairs
    }

    /// Pairs elements that are left if only one on each side has their kind.
    pub fn or_alone<K: Hash + Eq>(mut self, was: impl Fn(usize) -> K, is: impl Fn(usize) -> K) -> Self {
        let mut kinds: HashMap<K, [Vec<usize>; 2]> = HashMap::new();
        self.gone.drain(..).for_each(|at| kinds.entry(was(at)).or_default()[0].push(at));
        self.new.drain(..).for_each(|at| kinds.entry(is(at)).or_default()[1].push(at));
        for [gone, new] in kinds.into_values() {
            if let ([was], [is]) = (&gone[..], &new[..]) {
                self.list.push((*was, *is));
                continue;
            }
            self.gone.extend(gone);
            self.new.extend(new);
        }
        self.list.sort_unstable();
        self.gone.sort_unstable();
        self.new.sort_unstable();
        self
    }

    /// True if all elements correspond, in the same order.
    pub fn is_complete(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty() && self.list.iter().all(|(was, is)| was == is)
    }

    /// True if both sides have the same names in the same order.
    pub fn same_names(&self) -> bool {
        self.names[0] == self.names[1]
    }

    /// Returns the present element of a recorded one.
    pub fn now(&self, recorded: usize) -> Option<usize> {
        let place = self.list.binary_search_by_key(&recorded, |&(was, _)| was).ok()?;
        Some(self.list[place].1)
    }

    /// Reports elements that were renamed, removed, added or moved. `noun` has singular and plural.
    pub fn report(&self, [one, many]: [&str; 2], stage: ComparedStage, found: &mut Comparison) {
        let [recorded, now] = &self.names;
        let (was, is) = (|at: usize| recorded[at].as_str(), |at: usize| now[at].as_str());
        if self.same_names() {
            return;
        }
        // Names that are numbers, as of MD5's meshes, change with the order.
        let is_number = |name: &str, at: usize| name == format!("{one} {at}");
        let is_renamed = |pair: &&(usize, usize)| {
            let (a, b) = (was(pair.0), is(pair.1));
            a != b && !(is_number(a, pair.0) && is_number(b, pair.1))
        };
        let renamed: Vec<_> = self.list.iter().filter(is_renamed).collect();
        let renames: Vec<String> =
            renamed.iter().map(|pair| format!("'{}' was '{}'", is(pair.1), was(pair.0))).collect();
        match &renames[..] {
            [] => {}
            [rename] => found.push(stage, None, format!("{one} {rename}")),
            _ => found.push(stage, None, format!("{many} are renamed: {}", first_five(&renames))),
        }
        let quoted = |names: &mut dyn Iterator<Item = &str>| names.map(|name| format!("'{name}'")).collect();
        let gone: Vec<String> = quoted(&mut self.gone.iter().map(|&at| was(at)));
        let new: Vec<String> = quoted(&mut self.new.iter().map(|&at| is(at)));
        for (names, fate) in [(&gone, "missing"), (&new, "new")] {
            let noun = if names.len() == 1 { one } else { many };
            if !names.is_empty() {
                found.push(stage, None, format!("{fate}: {noun} {}", first_five(names)));
            }
        }
        let are_paired = renames.is_empty() && gone.is_empty() && new.is_empty();
        if are_paired && !self.list.is_sorted_by_key(|&(_, is)| is) {
            let moved = self.list.iter().find(|(was, is)| was != is && *was < now.len());
            let first = moved.map(|&(at, _)| format!(": {at} is '{}', was '{}'", is(at), was(at)));
            found.push(stage, None, format!("{many} are in another order{}", first.unwrap_or_default()));
        }
    }
}

fn first_five(names: &[String]) -> String {
    let (shown, more) = (names[..names.len().min(5)].join(", "), names.len().saturating_sub(5));
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
