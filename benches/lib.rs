//! Timing of two implementations in turns, so that drift of the machine affects both equally.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Number of rounds. The result is their median.
const ROUNDS: usize = 41;

/// Runs `floor` and `subject` in turns. Prints both times per item and their ratio.
pub fn print_ratio<F, S>(
    what: &str,
    items: usize,
    unit: &str,
    mut floor: impl FnMut() -> F,
    mut subject: impl FnMut() -> S,
) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(&mut floor));
        times[1].push(time(&mut subject));
    }
    let [floor, subject] = times.map(|mut times| {
        times.sort();
        times[ROUNDS / 2].as_secs_f64() * 1e9 / items as f64
    });
    println!("{what}: {subject:.2} ns per {unit}, floor {floor:.2} ns, ratio {:.2}", subject / floor);
}

fn time<T>(run: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}
