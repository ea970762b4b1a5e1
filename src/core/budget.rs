//! Memory that the sizes in files may request.
//!
//! Most results are proportional to the bytes of their file. Where two counts multiply (joints and frames, vertices and
//! weights, a mesh and the references to it), a small file can request terabytes. Such a product is charged to a
//! [`Budget`] before memory is reserved.

use bindpose_parsers::x::{self, Fault, MAX_UNPACKED, MEMORY_PER_BYTE, Reading, Unpacked};
use rayon::prelude::*;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Bytes that every budget allows, even without input.
const FLOOR: u64 = 64 << 20;
/// Further bytes that a budget allows for each byte of input.
const PER_INPUT_BYTE: u64 = 256;
/// Most bytes that a budget allows, unless the user sets a limit.
const CEILING: u64 = 2 << 30;
/// Ratio between the memory limit and the largest file: parsed data takes more memory than the file's bytes.
const FILE_SHARE: u64 = 4;

/// Limit of the memory that files may request.
#[derive(Debug, Clone, Copy, Default)]
pub enum MemoryLimit {
    /// 64 MiB plus 256 bytes per byte of input, at most 2 GiB.
    #[default]
    Proportional,
    /// Fixed number of bytes, independent of the input.
    Bytes(u64),
    /// Part of another limit, for one of several jobs; see [`share_out`].
    Share(&'static Share),
}

/// Part of a limit for one of several jobs that run side by side.
#[derive(Debug)]
pub struct Share {
    whole: MemoryLimit,
    jobs: u64,
    is_refused: AtomicBool,
}

impl MemoryLimit {
    /// No limit except that of the machine.
    pub const NONE: Self = Self::Bytes(u64::MAX);

    /// Reads the header of a .x file and decompresses it, so that the parsed document fits the limit.
    ///
    /// # Errors
    ///
    /// As [`unpack_within`](x::unpack_within).
    pub fn unpack(self, file: &[u8]) -> Result<Unpacked<'_>, x::Error> {
        x::unpack_within(file, Reading::Lenient, self.largest_unpacked()).inspect_err(|error| {
            if matches!(error.kind, Fault::UnpackedTooLong { .. }) {
                self.refuse();
            }
        })
    }

    /// Returns the largest unpacked size of a compressed .x file in bytes.
    fn largest_unpacked(self) -> usize {
        match self {
            Self::Proportional => MAX_UNPACKED,
            Self::Bytes(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX) / MEMORY_PER_BYTE,
            Self::Share(share) => share.whole.largest_unpacked() / share.jobs as usize,
        }
    }

    /// Returns the largest amount of memory that may be used, in bytes.
    pub fn most(self) -> u64 {
        match self {
            Self::Proportional => CEILING,
            Self::Bytes(bytes) => bytes,
            Self::Share(share) => share.whole.most() / share.jobs,
        }
    }

    /// Returns the bytes that may be spent in total with `input` bytes of input.
    fn allowed(self, input: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Proportional => input.saturating_mul(PER_INPUT_BYTE).saturating_add(FLOOR).min(CEILING),
            Self::Share(share) => share.whole.allowed(input).min(self.most()),
        }
    }

    /// Returns the largest file that may be read, in bytes: a quarter of [`Self::most`].
    pub fn largest_file(self) -> u64 {
        self.most() / FILE_SHARE
    }

    /// Returns an equal part for one of `jobs`. It lives as long as the process, because limits are copied everywhere:
    /// a few bytes for each thread.
    fn divided(self, jobs: usize) -> Self {
        if jobs == 1 {
            return self;
        }
        Self::Share(Box::leak(Box::new(Share { whole: self, jobs: jobs as u64, is_refused: AtomicBool::new(false) })))
    }

    /// Records that something was left out because of this limit, so that [`share_out`] repeats the job. A [`Budget`]
    /// that refuses memory calls this.
    pub fn refuse(self) {
        if let Self::Share(share) = self {
            share.is_refused.store(true, Ordering::Relaxed);
        }
    }

    /// True if [`share_out`] will repeat the job with more memory. Then it must not write files.
    pub fn is_short(self) -> bool {
        matches!(self, Self::Share(share) if share.is_refused.load(Ordering::Relaxed))
    }

    /// Makes a share ready for the next job. Returns whether the one before was refused memory.
    fn next_job(self) -> bool {
        matches!(self, Self::Share(share) if share.is_refused.swap(false, Ordering::Relaxed))
    }
}

/// Runs `job` for all items on the threads of the current pool, so that all jobs together stay within `limit`. Returns
/// the results in the order of the items.
///
/// Each job gets an equal share of the limit. Jobs that were refused memory run again on a quarter of the threads, and
/// in the end alone with the whole limit. So the number of threads changes no result.
pub fn share_out<T: Sync, R: Send>(
    items: &[T],
    limit: MemoryLimit,
    job: impl Fn(&T, MemoryLimit) -> R + Sync,
) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let mut left: Vec<(&T, &mut Option<R>)> = items.iter().zip(&mut results).collect();
    let mut threads = rayon::current_num_threads();
    while !left.is_empty() {
        threads = threads.clamp(1, left.len());
        let waiting = Mutex::new(left.into_iter());
        // At most `threads` jobs hold memory, even if a thread that waits for a job's own tasks begins another sequence.
        let sequence = |_| {
            let (mut refused, part) = (Vec::new(), limit.divided(threads));
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((item, result)) = next else { return refused };
                *result = Some(job(item, part));
                if part.next_job() && threads > 1 {
                    refused.push((item, result));
                }
            }
        };
        left = (0..threads).into_par_iter().with_max_len(1).flat_map_iter(sequence).collect();
        threads /= 4;
    }
    results.into_iter().flatten().collect()
}

/// Text that is not a [`MemoryLimit`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a size; write a number of bytes, or a number with K, M, G or T, such as 512M")]
pub struct InvalidSize(String);

/// Parses a whole number of bytes, or of KiB, MiB, GiB or TiB with the suffix `K`, `M`, `G` or `T` in any case. `B` or
/// `iB` may follow the suffix.
impl FromStr for MemoryLimit {
    type Err = InvalidSize;

    fn from_str(text: &str) -> Result<Self, InvalidSize> {
        let invalid = || InvalidSize(text.to_owned());
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(invalid()),
        };
        let number: u64 = digits.parse().map_err(|_| invalid())?;
        number.checked_mul(1 << shift).map(Self::Bytes).ok_or_else(invalid)
    }
}

/// Memory that one task may use: loading a model, checking a group of files, reading a snapshot.
///
/// Threads may share it.
#[derive(Debug, Default)]
pub struct Budget {
    limit: MemoryLimit,
    /// Bytes read so far.
    input: AtomicU64,
    /// Bytes spent so far.
    spent: AtomicU64,
    /// Bytes that threads hold for a while.
    held: Mutex<u64>,
    freed: Condvar,
}

/// Memory of a budget that is free again when this is dropped.
#[derive(Debug)]
pub struct Held<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.budget.held.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.budget.freed.notify_all();
    }
}

impl Budget {
    /// Creates a budget of which nothing is spent.
    pub fn new(limit: MemoryLimit) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Returns the limit given to [`Self::new`].
    pub fn limit(&self) -> MemoryLimit {
        self.limit
    }

    /// Records bytes of input, which raise the limit of [`MemoryLimit::Proportional`]. Reading a file calls this.
    pub fn add_input(&self, bytes: usize) {
        self.input.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the bytes that may be spent in total.
    pub fn allowed(&self) -> u64 {
        self.limit.allowed(self.input.load(Ordering::Relaxed))
    }

    /// Returns the bytes of input for which [`MemoryLimit::Proportional`] allows `bytes`. Returns `None` if `bytes` is
    /// above its ceiling.
    pub fn input_for(bytes: u128) -> Option<u64> {
        let bytes = u64::try_from(bytes).ok().filter(|&bytes| bytes <= CEILING)?;
        Some(bytes.saturating_sub(FLOOR).div_ceil(PER_INPUT_BYTE))
    }

    /// Returns the bytes that may still be spent, for work that learns its needs as it proceeds.
    pub fn left(&self) -> u64 {
        self.allowed().saturating_sub(self.spent.load(Ordering::Relaxed))
    }

    /// Spends `bytes` on `what`, such as "41,000 joints in 1,200,000 frames" ([`grouped`]). Call it before reserving
    /// memory, with the product of sizes computed in `u128`.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] if less is left. Then nothing is spent.
    pub fn spend(&self, bytes: u128, what: impl FnOnce() -> String) -> Result<(), Exceeded> {
        let allowed = self.allowed();
        let add = |spent: u64| u64::try_from(bytes.saturating_add(spent.into())).ok().filter(|&sum| sum <= allowed);
        match self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => Ok(()),
            Err(spent) => Err(self.exceeded(what(), bytes, spent)),
        }
    }

    /// Checks as [`Self::spend`] does, but spends nothing: for memory that is freed before the next request.
    pub fn check(&self, bytes: u128, what: impl FnOnce() -> String) -> Result<(), Exceeded> {
        if bytes <= u128::from(self.left()) {
            return Ok(());
        }
        Err(self.exceeded(what(), bytes, self.spent.load(Ordering::Relaxed)))
    }

    /// Waits until other threads hold so little that `bytes` fit, or nothing. Check first whether they ever fit
    /// ([`Self::check`]). The caller must not wait for another task before the result is dropped.
    pub fn hold(&self, bytes: u64) -> Held<'_> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |held: &mut u64| *held > 0 && held.saturating_add(bytes) > self.left();
        let mut held = self.freed.wait_while(held, is_full).unwrap_or_else(PoisonError::into_inner);
        *held += bytes;
        Held { budget: self, bytes }
    }

    fn exceeded(&self, what: String, needed: u128, spent: u64) -> Exceeded {
        self.limit.refuse();
        let proportional = matches!(self.limit, MemoryLimit::Proportional) && self.allowed() < CEILING;
        let input = proportional.then(|| self.input.load(Ordering::Relaxed));
        Exceeded { what, needed, spent, allowed: self.allowed(), input }
    }
}

/// Error for a file that requests more memory than its [`Budget`] allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// Data that needs the memory, with numbers: "41,000 joints in 1,200,000 frames".
    pub what: String,
    /// Bytes that it needs.
    pub needed: u128,
    /// Bytes that are already spent.
    pub spent: u64,
    /// Bytes that are allowed in total.
    pub allowed: u64,
    /// Bytes of input from which the limit was derived. `None` for a fixed limit.
    pub input: Option<u64>,
}

impl std::error::Error for Exceeded {}

impl fmt::Display for Exceeded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, needed, spent, allowed, input } = self;
        write!(out, "{what} would need {}", Bytes(*needed))?;
        if *needed <= u128::from(*allowed) {
            write!(out, " beside {} in use", Bytes((*spent).into()))?;
        }
        write!(out, "; the limit is {}", Bytes((*allowed).into()))?;
        if let Some(input) = input {
            write!(out, " for {} of input", Bytes((*input).into()))?;
        }
        write!(out, " (--max-memory raises it)")
    }
}

/// Number of bytes, displayed in the largest fitting unit with one decimal unless that is 0: `2.5 TiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u128);

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let Self(bytes) = *self;
        if bytes < 1024 {
            return write!(out, "{bytes} byte{}", if bytes == 1 { "" } else { "s" });
        }
        let mut tenths = bytes.saturating_mul(10) / 1024;
        let mut unit = 0;
        while tenths >= 10 * 1024 && unit + 1 < UNITS.len() {
            tenths /= 1024;
            unit += 1;
        }
        match tenths % 10 {
            0 => write!(out, "{} {}", grouped(tenths / 10), UNITS[unit]),
            tenth => write!(out, "{}.{tenth} {}", grouped(tenths / 10), UNITS[unit]),
        }
    }
}

/// Formats a count with a comma before every three digits: `1,200,000`.
pub fn grouped(count: impl Into<Count>) -> String {
    let digits = count.into().0.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Argument of [`grouped`]: any unsigned integer, including `usize`.
#[derive(Debug, Clone, Copy)]
pub struct Count(u128);

impl From<usize> for Count {
    fn from(count: usize) -> Self {
        Self(count as u128)
    }
}

impl From<u128> for Count {
    fn from(count: u128) -> Self {
        Self(count)
    }
}

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self(count.into())
    }
}

/// Multiplies counts without overflow: `u128::MAX` if the product does not fit.
pub fn product(counts: impl IntoIterator<Item = usize>) -> u128 {
    counts.into_iter().fold(1, |product: u128, count| product.saturating_mul(count as u128))
}
