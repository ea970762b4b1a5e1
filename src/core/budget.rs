//! Memory that the sizes in files may request.
//!
//! Nearly all that a file becomes is in proportion to its bytes. Where two of its counts multiply (joints and frames,
//! vertices and weights, a mesh and the references to it) a small file can ask for terabytes; such a product is spent
//! from a [`Budget`] before anything is reserved.

use bindpose_parsers::x::{MAX_UNPACKED, MEMORY_PER_BYTE};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that every budget allows, however little was read.
const FLOOR: u64 = 64 << 20;
/// Bytes that a budget allows beyond that for each byte of input.
const PER_INPUT_BYTE: u64 = 256;
/// Most bytes that a budget allows, unless the user sets a limit.
const CEILING: u64 = 2 << 30;
/// A file may be so many times smaller than the limit: what is read takes more memory than it has bytes.
const FILE_SHARE: u64 = 4;

/// Limit of the memory that files may request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryLimit {
    /// 64 MiB and 256 bytes for every byte of input, at most 2 GiB.
    #[default]
    Proportional,
    /// So many bytes, whatever the input.
    Bytes(u64),
}

impl MemoryLimit {
    /// No limit but the machine's.
    pub const NONE: Self = Self::Bytes(u64::MAX);

    /// Largest unpacked size of a compressed .x file in bytes, so that the parsed document fits the limit.
    pub fn largest_unpacked(self) -> usize {
        match self {
            Self::Proportional => MAX_UNPACKED,
            Self::Bytes(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX) / MEMORY_PER_BYTE,
        }
    }

    /// The most memory that may be used, in bytes.
    pub fn most(self) -> u64 {
        match self {
            Self::Proportional => CEILING,
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The largest file that is read, in bytes: a quarter of [`Self::most`].
    pub fn largest_file(self) -> u64 {
        self.most() / FILE_SHARE
    }
}

/// Why a text is no [`MemoryLimit`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a size; write a number of bytes, or a number with K, M, G or T, such as 512M")]
pub struct InvalidSize(String);

/// A whole number of bytes, or of KiB, MiB, GiB or TiB with `K`, `M`, `G` or `T` in any case behind it; `B` and `iB`
/// may follow.
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

/// The memory that one piece of work may use: loading a model, checking a group of files, reading a snapshot.
///
/// Threads may share it.
#[derive(Debug, Default)]
pub struct Budget {
    limit: MemoryLimit,
    /// Bytes that were read.
    input: AtomicU64,
    /// Bytes that were spent.
    spent: AtomicU64,
}

impl Budget {
    /// A budget of which nothing is spent.
    pub fn new(limit: MemoryLimit) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The limit given to [`Self::new`].
    pub fn limit(&self) -> MemoryLimit {
        self.limit
    }

    /// Notes that so many bytes of input were read, which [`MemoryLimit::Proportional`] allows more memory for.
    /// Reading a file does so.
    pub fn add_input(&self, bytes: usize) {
        self.input.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Bytes that may be spent in all.
    pub fn allowed(&self) -> u64 {
        match self.limit {
            MemoryLimit::Bytes(bytes) => bytes,
            MemoryLimit::Proportional => {
                let input = self.input.load(Ordering::Relaxed);
                input.saturating_mul(PER_INPUT_BYTE).saturating_add(FLOOR).min(CEILING)
            }
        }
    }

    /// Bytes of input for which [`MemoryLimit::Proportional`] allows `bytes`; `None` if it never does.
    pub fn input_for(bytes: u128) -> Option<u64> {
        let bytes = u64::try_from(bytes).ok().filter(|&bytes| bytes <= CEILING)?;
        Some(bytes.saturating_sub(FLOOR).div_ceil(PER_INPUT_BYTE))
    }

    /// Bytes that may still be spent: for work that finds out as it goes how much it needs.
    pub fn left(&self) -> u64 {
        self.allowed().saturating_sub(self.spent.load(Ordering::Relaxed))
    }

    /// Spends `bytes` on `what`, such as "41,000 joints in 1,200,000 frames" ([`grouped`]). To be called before
    /// anything is reserved, with the product of sizes taken in `u128`.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] if less is left; then nothing is spent.
    pub fn spend(&self, bytes: u128, what: impl FnOnce() -> String) -> Result<(), Exceeded> {
        let allowed = self.allowed();
        let add = |spent: u64| u64::try_from(bytes.saturating_add(spent.into())).ok().filter(|&sum| sum <= allowed);
        match self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => Ok(()),
            Err(spent) => Err(self.exceeded(what(), bytes, spent)),
        }
    }

    /// As [`Self::spend`] for memory that is free again before the next is asked for: nothing stays spent.
    ///
    /// # Errors
    ///
    /// As [`Self::spend`].
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

/// A file asks for more memory than its [`Budget`] allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// The data that needs it, with numbers: "41,000 joints in 1,200,000 frames".
    pub what: String,
    /// The bytes that it would need.
    pub needed: u128,
    /// The bytes that other things have already.
    pub spent: u64,
    /// The bytes that are allowed in all.
    pub allowed: u64,
    /// The bytes of input that the limit comes from, if it does.
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

/// A number of bytes for people: in the largest fitting unit, with one decimal where it has any: `2.5 TiB`.
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

/// A count for people, with a comma before every three digits: `1,200,000`.
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

/// Argument of [`grouped`]: any unsigned integer, `usize` among them.
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

/// The product of counts, without overflow: `u128::MAX` where it does not fit.
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
        // 2^128 - 1 bytes are 2^68 EiB, less a little.
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
