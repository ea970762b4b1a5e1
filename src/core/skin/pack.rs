//! Joints that share a palette: small sets of slots packed into few bins of limited size.
//!
//! Finding the minimum is as hard as bin packing. Several fast orders are tried, and the best result is improved by
//! repacking a few bins at a time. One of the orders is first-fit in file order, known from DirectX at that time, so
//! the result never needs more bins. Everything is deterministic.

use std::collections::{HashSet, VecDeque};

/// Sorted slots without duplicates.
pub(super) type SlotSet = Vec<u32>;

/// Set of slots with a fast membership test.
#[derive(Debug, Clone, Default)]
struct Bin {
    bits: Vec<u64>,
    len: usize,
    sets: Vec<usize>,
}

impl Bin {
    fn contains(&self, slot: u32) -> bool {
        self.bits.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// True if the bin contains every slot of `set`.
    fn covers(&self, set: &[u32]) -> bool {
        set.iter().all(|&slot| self.contains(slot))
    }

    /// Returns the number of slots of `set` that the bin lacks.
    fn missing(&self, set: &[u32]) -> usize {
        set.iter().filter(|&&slot| !self.contains(slot)).count()
    }

    fn add(&mut self, index: usize, set: &[u32]) {
        for &slot in set {
            let word = slot as usize / 64;
            if self.bits.len() <= word {
                self.bits.resize(word + 1, 0);
            }
            if !self.contains(slot) {
                self.bits[word] |= 1 << (slot % 64);
                self.len += 1;
            }
        }
        self.sets.push(index);
    }
}

/// Assignment of all sets to bins.
pub(super) struct Packing {
    /// Number of bins.
    pub bins: usize,
    /// For each set, the bins that contain it, ascending; at least one, at most [`MOST_HOMES`].
    pub homes: Vec<Vec<usize>>,
}

/// Largest number of bins listed for one set.
const MOST_HOMES: usize = 64;

/// Largest number of sets for orders that compare sets with each other.
const MOST_SETS: usize = 4096;

/// Packs `sets` into bins of at most `limit` slots; no set may be larger than `limit`.
///
/// Up to [`MOST_SETS`] sets never need more bins than first-fit in file order. More sets are packed in linear time,
/// into slightly more bins.
pub(super) fn pack(sets: &[SlotSet], limit: usize) -> Packing {
    if fewest(sets, limit) <= 1 {
        return Packing { bins: sets.len().min(1), homes: vec![vec![0]; sets.len()] };
    }
    if sets.len() > MOST_SETS {
        return first_of_the_last(sets, limit);
    }
    let bins = fewest_found(sets, limit);
    let covering = |set: &SlotSet| (0..bins.len()).filter(|&bin| bins[bin].covers(set)).take(MOST_HOMES).collect();
    let homes = sets.iter().map(covering);
    Packing { homes: homes.collect(), bins: bins.len() }
}

/// Packs by first-fit in file order among the newest bins.
fn first_of_the_last(sets: &[SlotSet], limit: usize) -> Packing {
    /// Number of newest bins considered.
    const LAST: usize = 64;
    let mut packing = Packing { bins: 0, homes: Vec::with_capacity(sets.len()) };
    let mut open: VecDeque<HashSet<u32>> = VecDeque::with_capacity(LAST + 1);
    for set in sets {
        let fits = |bin: &HashSet<u32>| bin.len() + set.iter().filter(|&slot| !bin.contains(slot)).count() <= limit;
        let place = open.iter().position(fits).unwrap_or_else(|| {
            packing.bins += 1;
            open.push_back(HashSet::new());
            if open.len() > LAST {
                open.pop_front();
            }
            open.len() - 1
        });
        open[place].extend(set);
        packing.homes.push(vec![packing.bins - open.len() + place]);
    }
    packing
}

/// Returns the best packing found over several orders, then improved.
fn fewest_found(sets: &[SlotSet], limit: usize) -> Vec<Bin> {
    let largest = maximal(sets);
    let mut by_size = largest.clone();
    by_size.sort_by_key(|&set| (std::cmp::Reverse(sets[set].len()), set));
    let all: Vec<usize> = (0..sets.len()).collect();

    let mut best = place(sets, limit, &all, Vec::new(), Choice::First);
    let tries = [
        place(sets, limit, &largest, Vec::new(), Choice::First),
        place(sets, limit, &by_size, Vec::new(), Choice::First),
        place(sets, limit, &by_size, Vec::new(), Choice::Closest),
        grow(sets, limit, &largest),
    ];
    for bins in tries {
        if cost(&bins) < cost(&best) {
            best = bins;
        }
    }
    improve(sets, limit, best, fewest(sets, limit))
}

/// Returns the cost to minimise: number of bins, then total number of slots (vertices in two batches).
fn cost(bins: &[Bin]) -> (usize, usize) {
    (bins.len(), bins.iter().map(|bin| bin.len).sum())
}

/// Returns the lower bound of the number of bins: distinct slots divided by the limit.
fn fewest(sets: &[SlotSet], limit: usize) -> usize {
    let mut slots: Vec<u32> = sets.iter().flatten().copied().collect();
    slots.sort_unstable();
    slots.dedup();
    slots.len().div_ceil(limit)
}

/// Returns the indices of the sets that are not subsets of others, in the given order.
fn maximal(sets: &[SlotSet]) -> Vec<usize> {
    let slots = sets.iter().flatten().map(|&slot| slot as usize + 1).max().unwrap_or(0);
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); slots];
    let mut by_size: Vec<usize> = (0..sets.len()).collect();
    by_size.sort_by_key(|&set| std::cmp::Reverse(sets[set].len()));
    let mut kept = Vec::new();
    for set in by_size {
        let rarest = sets[set].iter().map(|&slot| &holders[slot as usize]).min_by_key(|holders| holders.len());
        let inside = |&other: &usize| sets[set].iter().all(|slot| sets[other].binary_search(slot).is_ok());
        let covered = rarest.map_or(!kept.is_empty(), |holders| holders.iter().any(inside));
        if !covered {
            kept.push(set);
            sets[set].iter().for_each(|&slot| holders[slot as usize].push(set));
        }
    }
    kept.sort_unstable();
    kept
}

#[derive(Clone, Copy, PartialEq)]
enum Choice {
    /// The first bin with enough space.
    First,
    /// The bin that needs the fewest new slots; the fuller one among equals.
    Closest,
}

/// Adds the sets of `order` to `bins` one by one. Opens a new bin if none has space.
fn place(sets: &[SlotSet], limit: usize, order: &[usize], mut bins: Vec<Bin>, choice: Choice) -> Vec<Bin> {
    for &set in order {
        let slots = &sets[set];
        let mut chosen: Option<(usize, usize, usize)> = None;
        for (place, bin) in bins.iter().enumerate() {
            let missing = bin.missing(slots);
            if bin.len + missing > limit {
                continue;
            }
            let rank = (missing, limit - bin.len, place);
            if chosen.is_none_or(|best| rank < best) {
                chosen = Some(rank);
            }
            if choice == Choice::First || missing == 0 {
                chosen = Some(rank);
                break;
            }
        }
        match chosen {
            Some((_, _, place)) => bins[place].add(set, slots),
            None => {
                let mut bin = Bin::default();
                bin.add(set, slots);
                bins.push(bin);
            }
        }
    }
    bins
}

/// Fills one bin after another: starts with the largest remaining set, then always adds the set that needs the fewest
/// new slots.
fn grow(sets: &[SlotSet], limit: usize, from: &[usize]) -> Vec<Bin> {
    // Each step examines all sets. For more sets the other orders must suffice.
    const MOST: usize = 2048;
    let mut left = from.to_vec();
    if left.len() > MOST {
        return place(sets, limit, from, Vec::new(), Choice::First);
    }
    let mut bins = Vec::new();
    while !left.is_empty() {
        let mut bin = Bin::default();
        loop {
            let fits = left.iter().enumerate().filter_map(|(place, &set)| {
                let missing = bin.missing(&sets[set]);
                (bin.len + missing <= limit).then_some((missing, std::cmp::Reverse(sets[set].len()), place))
            });
            // An empty bin gets the largest set, since every set lacks all its slots there.
            let next = if bin.len == 0 { fits.min_by_key(|&(_, size, place)| (size, place)) } else { fits.min() };
            let Some((_, _, place)) = next else { break };
            let set = left.remove(place);
            bin.add(set, &sets[set]);
        }
        bins.push(bin);
    }
    bins
}

/// Repacks a few bins at a time and keeps results that are no worse. Stops at `fewest` bins or after a fixed amount of
/// work.
fn improve(sets: &[SlotSet], limit: usize, mut best: Vec<Bin>, fewest: usize) -> Vec<Bin> {
    /// Total number of set-to-bin comparisons: a fraction of a second.
    const WORK: usize = 1_000_000;
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    let mut work = 0;
    while best.len() > fewest.max(1) && work < WORK {
        let mut bins = best.clone();
        let mut loose = Vec::new();
        for _ in 0..2 + below(2) {
            if !bins.is_empty() {
                let place = below(bins.len());
                loose.extend(bins.swap_remove(place).sets);
            }
        }
        loose.sort_by_key(|&set| (std::cmp::Reverse(sets[set].len()), set));
        for place in 1..loose.len() {
            // Neighbours are swapped now and then, so that no two attempts are alike.
            if below(3) == 0 {
                loose.swap(place - 1, place);
            }
        }
        work += (loose.len() + 1) * (bins.len() + 1) + best.len();
        let bins = place(sets, limit, &loose, bins, Choice::Closest);
        if cost(&bins) <= cost(&best) {
            best = bins;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn subsets_are_left_out() {
        let sets = [vec![1, 2], vec![1], vec![2, 3, 4], vec![], vec![3, 4]];
        assert_eq!(maximal(&sets), [0, 2]);
        assert_eq!(maximal(&[vec![]]), [0]);
    }

    #[test]
    fn pairs_that_first_fit_keeps_apart_come_together() {
        // First-fit in this order opens four bins of four. {0,1,4,5} and {2,3,6,7} are enough.
        let sets = [vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7], vec![0, 1, 4], vec![2, 3, 6, 7]];
        assert_eq!(place(&sets, 4, &[0, 1, 2, 3, 4, 5], Vec::new(), Choice::First).len(), 4);
        assert_eq!(pack(&sets, 4).bins, 2);
    }

    /// 100,000 sets that share a slot and never fit together. Comparing them with each other would take minutes.
    #[test]
    fn a_great_many_sets_are_packed_without_comparing_them() {
        let sets: Vec<SlotSet> = (0..100_000).map(|set| vec![0, 3 * set + 1, 3 * set + 2, 3 * set + 3]).collect();
        let packing = pack(&sets, 5);
        assert_eq!(packing.bins, 100_000);
        assert!(packing.homes.iter().enumerate().all(|(set, homes)| homes[..] == [set]));
        // Neighbours that share slots share a bin: seven slots hold five neighbours.
        let chain: Vec<SlotSet> = (0..100_000).map(|set| vec![set, set + 1, set + 2]).collect();
        assert_eq!(pack(&chain, 7).bins, 20_000);
    }

    /// Returns the number of random inputs for a slow property: few by default, proptest's default with `tests/run --all`.
    fn random_cases() -> u32 {
        if std::env::var_os("BINDPOSE_TESTS").is_some_and(|what| what == "all") { 256 } else { 40 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(random_cases()))]
        #[test]
        fn every_set_lies_inside_a_bin_and_no_bin_is_too_large(
            raw in prop::collection::vec(prop::collection::btree_set(0_u32..40, 0..6), 1..60),
            limit in 6_usize..20,
        ) {
            let sets: Vec<SlotSet> = raw.into_iter().map(|set| set.into_iter().collect()).collect();
            let bins = fewest_found(&sets, limit);
            for set in &sets {
                prop_assert!(bins.iter().any(|bin| bin.covers(set)));
            }
            let packing = pack(&sets, limit);
            prop_assert!(packing.bins <= bins.len());
            prop_assert!(packing.homes.iter().all(|homes| !homes.is_empty()));
            for bin in &bins {
                let size: u32 = bin.bits.iter().map(|word| word.count_ones()).sum();
                prop_assert_eq!(size as usize, bin.len);
                prop_assert!(bin.len <= limit);
            }
            let order: Vec<usize> = (0..sets.len()).collect();
            prop_assert!(bins.len() <= place(&sets, limit, &order, Vec::new(), Choice::First).len());
            prop_assert!(bins.len() >= fewest(&sets, limit));
        }
    }
}
