//! Pairs of recorded and present elements: by name, else by content.

use crate::difference::{ComparedStage, Comparison};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

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
    pub names: [Vec<String>; 2],
}

/// Largest number of elements that an aspect may have in common to distinguish them.
const MOST_OWNERS: usize = 8;

impl Pairs {
    /// Pairs elements of the same name, the first with the first.
    pub fn by_name(names: [Vec<String>; 2]) -> Self {
        let mut free: HashMap<&str, VecDeque<usize>> = HashMap::new();
        names[1].iter().enumerate().for_each(|(is, name)| free.entry(name).or_default().push_back(is));
        let (mut list, mut gone) = (Vec::new(), Vec::new());
        for (was, name) in names[0].iter().enumerate() {
            match free.get_mut(name.as_str()).and_then(VecDeque::pop_front) {
                Some(is) => list.push((was, is)),
                None => gone.push(was),
            }
        }
        let mut new: Vec<usize> = free.into_values().flatten().collect();
        new.sort_unstable();
        Self { list, gone, new, names }
    }

    /// Pairs elements that are left and have aspects of their content in common, those that have most first. `content`
    /// returns digests of the aspects of a recorded element, and of a present one; `least` the number that a recorded
    /// element with so many aspects needs.
    pub fn or_alike(mut self, content: [impl Fn(usize) -> Vec<u64>; 2], least: impl Fn(usize) -> usize) -> Self {
        let mut owners: HashMap<u64, HashSet<usize>> = HashMap::new();
        for &is in self.new.iter().filter(|_| !self.gone.is_empty()) {
            content[1](is).into_iter().for_each(|aspect| owners.entry(aspect).or_default().extend([is]));
        }
        let mut ranked: Vec<(usize, Reverse<usize>, Reverse<usize>)> = Vec::new();
        for &was in self.gone.iter().filter(|_| !owners.is_empty()) {
            let aspects: HashSet<u64> = content[0](was).into_iter().collect();
            let mut common: HashMap<usize, usize> = HashMap::new();
            let owned = aspects.iter().filter_map(|aspect| owners.get(aspect)).filter(|all| all.len() <= MOST_OWNERS);
            owned.flatten().for_each(|&is| *common.entry(is).or_default() += 1);
            let enough = common.into_iter().filter(|&(_, count)| count >= least(aspects.len()));
            ranked.extend(enough.map(|(is, count)| (count, Reverse(was), Reverse(is))));
        }
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let [mut gone, mut new] = [&self.gone, &self.new].map(|left| left.iter().copied().collect::<HashSet<usize>>());
        for (_, Reverse(was), Reverse(is)) in ranked {
            if gone.contains(&was) && new.remove(&is) {
                gone.remove(&was);
                self.list.push((was, is));
            }
        }
        self.gone.retain(|was| gone.contains(was));
        self.new.retain(|is| new.contains(is));
        self.list.sort_unstable();
        self
    }

    /// Pairs elements that are left if only one on each side has their kind.
    pub fn or_alone<K: Hash + Eq>(mut self, kind: [impl Fn(usize) -> K; 2]) -> Self {
        let mut kinds: HashMap<K, [Vec<usize>; 2]> = HashMap::new();
        self.gone.drain(..).for_each(|at| kinds.entry(kind[0](at)).or_default()[0].push(at));
        self.new.drain(..).for_each(|at| kinds.entry(kind[1](at)).or_default()[1].push(at));
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
