//! Limits of memory, and their sentences.

use bindpose_core::budget::{Budget, Bytes, MemoryLimit, grouped, product, share_out};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn sizes_are_read_as_people_write_them() {
    for (text, bytes) in [("0", 0), ("1000", 1000), ("3k", 3072), ("512M", 536_870_912), ("4GiB", 4_294_967_296)] {
        assert_eq!(text.parse().map(MemoryLimit::most), Ok(bytes), "{text}");
    }
    for text in ["", "M", "-1", "1.5G", "12Q", "4 G", "16777216T", "é", "1é"] {
        assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
    }
}

#[test]
fn bytes_and_counts_are_written_for_people() {
    let written = [0, 1, 1023, 1024, 1536, 2 << 30, 2_700_000_000_000].map(|bytes| Bytes(bytes).to_string());
    assert_eq!(written, ["0 bytes", "1 byte", "1023 bytes", "1 KiB", "1.5 KiB", "2 GiB", "2.4 TiB"]);
    // 2^128 - 1 bytes are slightly less than 2^68 EiB.
    assert_eq!(Bytes(u128::MAX).to_string().split(' ').next_back(), Some("EiB"));
    assert_eq!([0_usize, 999, 1000, 1_200_000].map(grouped), ["0", "999", "1,000", "1,200,000"]);
}

#[test]
fn a_budget_grows_with_the_input_up_to_its_ceiling() {
    let budget = Budget::default();
    assert_eq!(budget.allowed(), 64 << 20);
    budget.add_input(1 << 20);
    assert_eq!(budget.allowed(), (64 << 20) + (256 << 20));
    budget.add_input(usize::MAX >> 1);
    assert_eq!(budget.allowed(), 2 << 30);
    assert_eq!(Budget::new(MemoryLimit::Bytes(5)).allowed(), 5);
    assert_eq!([64 << 20, (64 << 20) + 1, (64 << 20) + 257].map(Budget::input_for), [Some(0), Some(1), Some(2)]);
    assert_eq!([2 << 30, (2 << 30) + 1].map(Budget::input_for), [Some((2 << 22) - (64 << 12)), None]);
}

#[test]
fn what_does_not_fit_is_refused_with_its_numbers_and_costs_nothing() {
    let budget = Budget::new(MemoryLimit::Bytes(2 << 30));
    let joints_in_frames = product([41_000, 1_200_000]) * 56;
    let what = || format!("{} joints in {} frames", grouped(41_000_usize), grouped(1_200_000_usize));
    let error = budget.spend(joints_in_frames, what).unwrap_err();
    assert_eq!(
        error.to_string(),
        "41,000 joints in 1,200,000 frames would need 2.5 TiB; the limit is 2 GiB (--max-memory raises it)"
    );
    budget.spend(2 << 30, || unreachable!("it all fits")).unwrap();
    assert_eq!(budget.left(), 0);
    let error = budget.check(1, || "a straw".into()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a straw would need 1 byte beside 2 GiB in use; the limit is 2 GiB (--max-memory raises it)"
    );
    let small = Budget::default();
    small.add_input(2048);
    assert_eq!(
        small.spend(u128::MAX, || "all".into()).unwrap_err().allowed,
        (64 << 20) + 2048 * 256,
        "no sum of sizes wraps"
    );
}

/// Needs of 10 to 200 bytes, and a limit of 100.
#[test]
fn jobs_share_a_limit_and_a_refused_one_gets_more() {
    let needs = [10, 60, 200, 10, 30, 10, 10, 10];
    for (threads, given) in [
        (1, [vec![100], vec![100], vec![100], vec![100]]),
        (4, [vec![25], vec![25, 100], vec![25, 100], vec![25]]),
        (8, [vec![12], vec![12, 50, 100], vec![12, 50, 100], vec![12]]),
    ] {
        let tried: Vec<Mutex<Vec<u64>>> = needs.iter().map(|_| Mutex::default()).collect();
        let job = |&(number, need): &(usize, u128), limit: MemoryLimit| {
            tried[number].lock().unwrap().push(limit.most());
            let fits = Budget::new(limit).spend(need, || "a job".into()).is_ok();
            assert!(fits || limit.is_short() || limit.most() == 100);
            fits
        };
        let items: Vec<(usize, u128)> = needs.into_iter().enumerate().collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fit = pool.install(|| share_out(&items, MemoryLimit::Bytes(100), job));
        assert_eq!(fit, needs.map(|need| need <= 100), "{threads} threads");
        let tried: Vec<Vec<u64>> = tried.into_iter().map(|tried| tried.into_inner().unwrap()).collect();
        assert_eq!(tried[..4], given, "{threads} threads");
    }
}

#[test]
fn memory_that_others_hold_is_waited_for() {
    let budget = Budget::new(MemoryLimit::Bytes(100));
    let (begun, freed) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let first = budget.hold(60);
        let small = budget.hold(40);
        scope.spawn(|| {
            begun.store(true, Ordering::SeqCst);
            let _second = budget.hold(60);
            assert!(freed.load(Ordering::SeqCst), "both hold 120 bytes");
        });
        while !begun.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        (0..1000).for_each(|_| std::thread::yield_now());
        freed.store(true, Ordering::SeqCst);
        drop((first, small));
    });
}
