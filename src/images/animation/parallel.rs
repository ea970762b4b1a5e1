//! Ordered pipeline: items are created on one thread, processed by others, and consumed in order by the first.

use super::Error;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

/// Memory limit for items in flight, in bytes.
const IN_FLIGHT: u64 = 256 << 20;

/// Returns the number of items of `bytes` each that may be in flight: `wished`, limited by memory, but at least one.
pub fn at_most(wished: u32, bytes: u64) -> u32 {
    wished.min((IN_FLIGHT / bytes.max(1)).try_into().unwrap_or(u32::MAX)).max(1)
}

/// Creates `count` items on this thread, processes them on rayon's threads, and consumes the results in order on this
/// thread.
///
/// At most two items per thread and two more are in flight, and no more than 256 MiB of items of `bytes` each.
///
/// # Errors
///
/// The first error of the three functions. A panic of `work` counts as one.
pub fn in_order<T: Send, R: Send, E: Send + From<Error>>(
    count: u32,
    bytes: u64,
    mut make: impl FnMut(u32) -> Result<T, E>,
    work: impl Fn(u32, T) -> Result<R, E> + Sync,
    mut consume: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // A page has one thread.
    if cfg!(target_family = "wasm") {
        return (0..count).try_for_each(|number| consume(work(number, make(number)?)?));
    }
    let most = at_most(2 * rayon::current_num_threads() as u32 + 2, bytes);
    let (send, receive) = mpsc::channel();
    let work = &work;
    rayon::in_place_scope(|scope| {
        let mut early = BTreeMap::new();
        let mut consumed = 0;
        for number in 0..=count {
            if number < count {
                let made = make(number)?;
                let send = send.clone();
                scope.spawn(move |_| {
                    // Without an answer, the first thread would wait forever.
                    let worked = catch_unwind(AssertUnwindSafe(|| work(number, made)));
                    let result = worked.unwrap_or_else(|_| Err(Error::Panicked(number).into()));
                    // After an earlier error, nobody receives it.
                    let _ = send.send((number, result));
                });
            }
            let most_pending = if number < count { most } else { 1 };
            loop {
                let must_wait = (number + 1).min(count) - consumed >= most_pending;
                let Some((finished, result)) = (if must_wait { receive.recv().ok() } else { receive.try_recv().ok() })
                else {
                    break;
                };
                early.insert(finished, result?);
                while let Some(result) = early.remove(&consumed) {
                    consume(result)?;
                    consumed += 1;
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any error, as of a caller.
    type Failure = Box<dyn std::error::Error + Send + Sync>;

    #[test]
    fn results_arrive_in_order_and_few_are_in_flight() {
        let mut taken = Vec::new();
        let made = std::cell::Cell::new(0);
        let make = |number| {
            made.set(made.get() + 1);
            Ok::<_, Failure>(number)
        };
        // Every second item takes longer.
        let work =
            |number: u32, made: u32| Ok((0..(1 - made % 2) * 20_000).fold(number, |sum, _| std::hint::black_box(sum)));
        in_order(100, 4, make, work, |result| {
            assert!(made.get() - taken.len() <= 2 * rayon::current_num_threads() + 2);
            taken.push(result);
            Ok(())
        })
        .unwrap();
        assert_eq!(taken, (0..100).collect::<Vec<u32>>());
        in_order(0, 4, Ok::<_, Failure>, |_, made: u32| Ok(made), |_| Ok(())).unwrap();
    }

    #[test]
    fn few_large_items_are_in_flight() {
        assert_eq!(
            [at_most(6, 400 * 400 * 4), at_most(6, 100 << 20), at_most(6, 1 << 30), at_most(6, 0)],
            [6, 2, 1, 6]
        );
    }

    #[test]
    fn an_error_anywhere_ends_the_pipeline() {
        let fail = |at: u32| {
            move |number: u32| if number == at { Err::<u32, Failure>(number.to_string().into()) } else { Ok(number) }
        };
        let outcome = |make_at, work_at, consume_at| {
            let consumed =
                in_order(50, 4, fail(make_at), |_, made| fail(work_at)(made), |made| fail(consume_at)(made).map(drop));
            consumed.map_err(|error| error.to_string())
        };
        assert_eq!(outcome(7, 99, 99), Err("7".into()));
        assert_eq!(outcome(99, 8, 99), Err("8".into()));
        assert_eq!(outcome(99, 99, 49), Err("49".into()));
        assert_eq!(outcome(99, 99, 99), Ok(()));
    }
}
