//! Memory that the sizes in files may request.
//!
//! Most results are proportional to the bytes of their file. Where two counts multiply (joints and frames, vertices and
//! weights, a mesh and the references to it), a small file can request terabytes. Such a product is charged to a
//! [`Budget`] before memory is reserved.

use bindpose_parsers::x::{MAX_UNPACKED, MEMORY_PER_BYTE};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that every budget allows, even without input.
const FLOOR: u64 = 64 << 20;
/// Further bytes that a budget allows for each byte of input.
const PER_INPUT_BYTE: u64 = 256;
/// Most bytes that a budget allows, unless the user sets a limit.
const CEILING: u64 = 2 << 30;
/// Ratio between the memory limit and the largest file: parsed data takes more memory than the file's bytes.
const FILE_SHARE: u64 = 4;

/// Limit of the memory that files may request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryLimit {
    /// 64 MiB plus 256 bytes per byte of input, at most 2 GiB.
    #[default]
    Proportional,
    /// Fixed number of bytes, independent of the input.
    Bytes(u64),
}

impl MemoryLimit {
    /// No limit except that of the machine.
    pub const NONE: Self = Self::Bytes(u64::MAX);

    /// Returns the largest unpacked size of a compressed .x file in bytes, so that the parsed document fits the limit.
    pub fn largest_unpacked(self) -> usize {
        match self {
            Self::Proportional => MAX_UNPACKED,
            Self::Bytes(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX) / MEMORY_PER_BYTE,
        }
    }

    /// Returns the largest amount of memory that may be used, in bytes.
    pub fn most(self) -> u64 {
        match self {
            Self::Proportional => CEILING,
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Returns the largest file that may be read, in bytes: a quarter of [`Self::most`].
    pub fn largest_file(self) -> u64 {
        self.most() / FILE_SHARE
    }
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
        match self.limit {
            MemoryLimit::Bytes(bytes) => bytes,
            MemoryLimit::Proportional => {
                let input = self.input.load(Ordering::Relaxed);
                input.saturating_mul(PER_INPUT_BYTE).saturating_add(FLOOR).min(CEILING)
            }
        }
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

    fn exceeded(&self, what: String, needed: u128, spent: u64) -> Exceeded {
        let proportional = self.limit == MemoryLimit::Proportional && self.allowed() < CEILING;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [("0", 0), ("1000", 1000), ("3k", 3072), ("512M", 536_870_912), ("4GiB", 4_294_967_296)] {
            assert_eq!(text.parse(), Ok(MemoryLimit::Bytes(bytes)), "{text}");
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
}
