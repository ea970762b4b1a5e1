//! Snapshots as bytes: a line, a length, packed postcard, and a digest. `docs/snapshot.md` describes the layout.

use super::grid::Grid;
use super::record::{RecordedFrames, Snapshot};
use super::sample::Columns;
use bindpose_core::budget::{Budget, Exceeded, grouped};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

/// First bytes of every snapshot, before the number of its format.
const MAGIC: &[u8] = b"bindpose snapshot ";

/// Format version that is written and read.
pub const FORMAT: u32 = 5;

/// Level of compression.
const LEVEL: u8 = 1;

/// Largest number of bytes that deflate expands a byte to.
const MOST_EXPANSION: usize = 1032;

/// Memory per byte of the content before the frames. An empty name of one byte becomes 24 in a list that may have grown to
/// twice its length.
const CONTENT_MEMORY: u128 = 48;

/// Memory for a number of the frames: in a list that may have grown to twice its length, and in a sample.
const NUMBER_MEMORY: u128 = 24;

/// Memory for a sample, without its joints.
const SAMPLE_MEMORY: u128 = 256;

/// Bytes that this version does not read as a snapshot. Offsets are in bytes from the start of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line is a different one.
    #[error("is not a snapshot: it does not begin with 'bindpose snapshot' and a number")]
    Magic,
    /// The format is newer than this version.
    #[error("has format {found}, and this bindpose reads format {FORMAT}; a newer bindpose wrote it")]
    Newer {
        /// Number in the first line.
        found: u32,
    },
    /// A format that is no longer read.
    #[error(
        "has format {found}, and this bindpose reads format {FORMAT}: check the model with the bindpose that wrote the \
         snapshot, then run `bindpose snapshot update`"
    )]
    Older {
        /// Number in the first line.
        found: u32,
    },
    /// A digest does not match the bytes before it.
    #[error("is damaged: the digest at byte {offset} does not fit; take the file from version control again")]
    Digest {
        /// Position of the digest, or its expected position in a longer file.
        offset: usize,
    },
    /// Content that no version writes.
    #[error("is damaged at byte {offset}: {problem}")]
    Content {
        /// Start of the length and the packed content.
        offset: usize,
        /// Description of the found and the expected content.
        problem: String,
    },
    /// The file needs more memory than the budget allows.
    #[error("takes too much memory: {0}")]
    TooLarge(#[from] Exceeded),
}

/// Content of a file.
#[derive(Serialize)]
struct Content<'a> {
    snapshot: &'a Snapshot,
    /// Columns of the rest pose, and of each clip; see [`Columns`].
    frames: Vec<Vec<i64>>,
}

impl Snapshot {
    /// Returns the bytes of a snapshot file. Numbers are rounded to a grid, which for positions has a step of at most
    /// 2^-31 of the model's size.
    ///
    /// If a file packs so well that the default budget would not read it, zeros are added.
    pub fn to_bytes(&self) -> Vec<u8> {
        let frames: Vec<_> = self.all_frames().map(|frames| self.columns(frames).write(&frames.samples)).collect();
        let numbers: usize = frames.iter().map(Vec::len).sum();
        // Only content of unknown length cannot be written, and every list has one.
        let content = postcard::to_allocvec(&Content { snapshot: self, frames }).unwrap_or_default();
        let mut bytes = [MAGIC, FORMAT.to_string().as_bytes(), b"\n"].concat();
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(compress_to_vec(&content, LEVEL));
        let samples: usize = self.all_frames().map(|frames| frames.samples.len()).sum();
        let names = postcard::experimental::serialized_size(self).unwrap_or_default();
        let memory = content.len() as u128
            + CONTENT_MEMORY * names as u128
            + NUMBER_MEMORY * numbers as u128
            + SAMPLE_MEMORY * samples as u128;
        let least = Budget::input_for(memory).unwrap_or(0) as usize;
        bytes.resize(bytes.len().max(least), 0);
        let digest = xxh3_64(&bytes);
        bytes.extend(digest.to_le_bytes());
        bytes
    }

    /// Reads a snapshot file like [`Self::from_bytes_within`] with the default budget.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let budget = Budget::default();
        budget.add_input(bytes.len());
        Self::from_bytes_within(bytes, &budget)
    }

    /// Reads a snapshot file within `budget`; `bytes` must already be part of its input.
    pub fn from_bytes_within(bytes: &[u8], budget: &Budget) -> Result<Self, ReadError> {
        let (body, offset) = checked_body(bytes)?;
        let damaged = |problem: String| ReadError::Content { offset, problem };
        let Some((&length, packed)) = body.split_first_chunk::<8>() else {
            return Err(damaged("a length of 64 bits is missing".to_owned()));
        };
        let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length > packed.len().saturating_mul(MOST_EXPANSION) {
            let (length, packed) = (grouped(length), grouped(packed.len()));
            return Err(damaged(format!("it claims {length} bytes, more than {packed} can unpack to")));
        }
        budget.spend(length as u128, || format!("a snapshot of {} bytes unpacked", grouped(length)))?;
        let content = decompress_to_vec_with_limit(packed, length).unwrap_or_default();
        if content.len() != length {
            return Err(damaged(format!("it does not unpack to {} bytes", grouped(length))));
        }
        let unreadable = |error: postcard::Error| damaged(format!("it is not readable: {error}"));
        // What is before the frames is read as far as memory is left for it.
        let most = usize::try_from(u128::from(budget.left()) / CONTENT_MEMORY).unwrap_or(usize::MAX).min(length);
        let head = postcard::take_from_bytes::<Self>(&content[..most]);
        let names = head.as_ref().map_or(most + 1, |(_, rest)| most - rest.len());
        if head.is_ok() || most < length {
            budget.spend(CONTENT_MEMORY * names as u128, || "the names and digests of a snapshot".to_owned())?;
        }
        let (mut snapshot, _) = head.map_err(unreadable)?;
        snapshot.check().map_err(damaged)?;
        let (count, mut rest) = postcard::take_from_bytes::<usize>(&content[names..]).map_err(unreadable)?;
        if count != 1 + snapshot.clips.len() {
            return Err(damaged(format!("frames of {count} clips, expected {}", 1 + snapshot.clips.len())));
        }
        for clip in 0..count {
            let (length, _) = postcard::take_from_bytes::<usize>(rest).map_err(unreadable)?;
            let numbers = length.min(rest.len());
            budget.spend(NUMBER_MEMORY * numbers as u128, || format!("{} numbers of frames", grouped(numbers)))?;
            let numbers: Vec<i64>;
            (numbers, rest) = postcard::take_from_bytes(rest).map_err(unreadable)?;
            let frames = snapshot.all_frames().nth(clip).unwrap_or(&snapshot.rest);
            let columns = snapshot.columns(frames);
            let count = numbers.len() / columns.count();
            budget.spend(SAMPLE_MEMORY * count as u128, || format!("{} samples", grouped(count)))?;
            let samples =
                columns.read(numbers).ok_or_else(|| damaged("a frame has too few or wrong numbers".to_owned()))?;
            // Samples are paired by their frames.
            if !samples.is_sorted_by(|before, after| before.frame < after.frame) {
                return Err(damaged("samples are not in the order of time".to_owned()));
            }
            match clip.checked_sub(1) {
                None => snapshot.rest.samples = samples,
                Some(clip) => snapshot.clips[clip].frames.samples = samples,
            }
        }
        if !rest.is_empty() {
            return Err(damaged(format!("{} bytes follow the content", grouped(rest.len()))));
        }
        Ok(snapshot)
    }

    /// Returns the frames of the rest pose and of each clip.
    pub(super) fn all_frames(&self) -> impl Iterator<Item = &RecordedFrames> {
        std::iter::once(&self.rest).chain(self.clips.iter().map(|clip| &clip.frames))
    }

    fn columns(&self, frames: &RecordedFrames) -> Columns {
        Columns {
            joints: self.joints.len(),
            has_vertices: self.meshes.iter().any(|mesh| mesh.vertices > 0),
            numbers: frames.numbers.len(),
            grid: Grid::for_size(self.size),
        }
    }

    /// Rejects content that no version writes, so that indices can be trusted.
    fn check(&self) -> Result<(), String> {
        for (index, joint) in self.joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|&parent| parent as usize >= index) {
                return Err(format!("joint {index} has parent {parent}, expected one before it"));
            }
        }
        let (joints, meshes) = (self.joints.len(), self.meshes.len());
        for frames in self.all_frames() {
            let lengths = [&frames.local, &frames.model, &frames.positions, &frames.shading].map(Vec::len);
            if lengths != [joints, joints, meshes, meshes] {
                return Err(format!("digests of {lengths:?} joints and meshes, expected {joints} and {meshes}"));
            }
        }
        Ok(())
    }
}

/// Returns the bytes between the first line and the digest, and their offset. Checks the digest.
fn checked_body(bytes: &[u8]) -> Result<(&[u8], usize), ReadError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(ReadError::Magic)?;
    let end = rest.iter().take(12).position(|&byte| byte == b'\n').ok_or(ReadError::Magic)?;
    let number = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.parse().ok());
    match number.ok_or(ReadError::Magic)? {
        found if found > FORMAT => return Err(ReadError::Newer { found }),
        found if found < FORMAT => return Err(ReadError::Older { found }),
        _ => {}
    }
    let start = MAGIC.len() + end + 1;
    let offset = bytes.len().saturating_sub(8).max(start);
    match bytes.split_at_checked(offset) {
        Some((before, digest)) if digest == xxh3_64(before).to_le_bytes() => Ok((&before[start..], start)),
        _ => Err(ReadError::Digest { offset }),
    }
}
