//! Sets of vertex and joint indices.

/// Returns the sorted union of `others`, which has no duplicates, and `indices`. `places[index]` becomes the position
/// of each index in the union. Other elements of `places` may contain anything, so one table serves many calls.
///
/// # Panics
///
/// If an index is not below `places.len()`.
pub(super) fn distinct(others: Vec<u32>, indices: impl Iterator<Item = u32>, places: &mut [u32]) -> Vec<u32> {
    let mut distinct = others;
    // An index is known if its entry in the table points back to it.
    distinct.iter().zip(0..).for_each(|(&index, place)| places[index as usize] = place);
    for index in indices {
        let place = &mut places[index as usize];
        if distinct.get(*place as usize) != Some(&index) {
            *place = distinct.len() as u32;
            distinct.push(index);
        }
    }
    distinct.sort_unstable();
    distinct.iter().zip(0..).for_each(|(&index, place)| places[index as usize] = place);
    distinct
}
