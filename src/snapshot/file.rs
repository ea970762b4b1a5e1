//! Snapshots as bytes. `docs/snapshot.md` describes the layout.

use super::codec::{Grid, Steps, UNIT, joint_to_tracks, tracks_to_joint};
use super::record::{RecordedJoint, Sample, Snapshot};
use super::times::{BETWEEN_SHARE, FrameRef};
use bindpose_core::budget::{Budget, Exceeded, grouped};
use bindpose_core::model::Transform;
use glam::{DQuat, DVec3};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use xxhash_rust::xxh3::xxh3_64;

/// First bytes of every snapshot, before the number of its format.
const MAGIC: &[u8] = b"bindpose snapshot ";

/// Format version that is written and read.
pub const FORMAT: u32 = 3;

/// Largest number of bytes that deflate expands a byte to.
const MOST_EXPANSION: usize = 1032;

/// Memory per byte of the header. A digest of two bytes, `0,`, becomes eight in a list that may have grown to twice its
/// length.
const HEADER_MEMORY: u128 = 12;

/// Memory per byte of the tracks. A pose of thirteen bytes becomes a [`Transform`] and [`Steps`].
const TRACK_MEMORY: u128 = 16;

/// Memory for a [`Sample`] and the numbers it is read from, without its joints.
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
        /// Start of the lengths or of the packed content.
        offset: usize,
        /// Description of the found and the expected content.
        problem: String,
    },
    /// The file needs more memory than the budget allows.
    #[error("takes too much memory: {0}")]
    TooLarge(#[from] Exceeded),
}

impl Snapshot {
    /// Returns the bytes of a snapshot file. Numbers are rounded to a grid, which for positions has a step of at most
    /// 2^-31 of the model's size.
    ///
    /// If a file packs so well that the default budget would not read it, zeros are added.
    pub fn to_bytes(&self) -> Vec<u8> {
        // The header has only strings, integers and derived structures, which JSON can always represent.
        let header = serde_json::to_vec(self).unwrap_or_default();
        let mut content = header.clone();
        let clips = self.clips.iter().map(|clip| (&clip.frames.samples, clip.frame_rate));
        for (samples, frame_rate) in std::iter::once((&self.rest.samples, None)).chain(clips) {
            write_track([samples.len() as i64], &mut content);
            self.layout(samples.len(), frame_rate).write(samples, &mut content);
        }
        let tracks = content.len() - header.len();
        let mut bytes = [MAGIC, FORMAT.to_string().as_bytes(), b"\n"].concat();
        [header.len(), tracks].iter().for_each(|&length| bytes.extend((length as u64).to_le_bytes()));
        bytes.extend(compress_to_vec(&content, 6));
        let samples: usize = self.clips.iter().map(|clip| clip.frames.samples.len()).sum();
        let memory = memory(header.len(), tracks) + SAMPLE_MEMORY * (1 + samples as u128);
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
        let lengths = body.split_at_checked(16).and_then(|(lengths, packed)| {
            let (numbers, _) = lengths.as_chunks::<8>();
            let mut numbers = numbers.iter().map(|bytes| usize::try_from(u64::from_le_bytes(*bytes)).ok());
            Some((numbers.next()??, numbers.next()??, packed))
        });
        let Some((header, tracks, packed)) = lengths else {
            return Err(damaged("two lengths of 64 bits are missing".to_owned()));
        };
        let length = header.saturating_add(tracks);
        if length > packed.len().saturating_mul(MOST_EXPANSION) {
            let (length, packed) = (grouped(length), grouped(packed.len()));
            return Err(damaged(format!("it claims {length} bytes, more than {packed} can unpack to")));
        }
        budget.spend(memory(header, tracks), || format!("a snapshot of {} bytes unpacked", grouped(length)))?;
        let content = decompress_to_vec_with_limit(packed, length).unwrap_or_default();
        if content.len() != length {
            return Err(damaged(format!("it does not unpack to {} bytes", grouped(length))));
        }
        let (header, mut tracks) = content.split_at(header);
        let mut snapshot: Self =
            serde_json::from_slice(header).map_err(|error| damaged(format!("its header is not readable: {error}")))?;
        snapshot.check_header().map_err(damaged)?;
        for clip in 0..=snapshot.clips.len() {
            // The rest pose comes first.
            let frame_rate = clip.checked_sub(1).and_then(|clip| snapshot.clips[clip].frame_rate);
            let end = || damaged("the tracks end early".to_owned());
            // A sample needs more than a byte.
            let count = read_track(1, &mut tracks).and_then(|count| usize::try_from(count[0]).ok());
            let count = count.filter(|&count| count <= tracks.len()).ok_or_else(end)?;
            budget.spend(SAMPLE_MEMORY * count as u128, || format!("{} samples", grouped(count)))?;
            let samples = snapshot.layout(count, frame_rate).read(&mut tracks).ok_or_else(end)?;
            // Samples are paired by their frames.
            if !samples.is_sorted_by(|before, after| before.frame < after.frame) {
                return Err(damaged("samples are not in the order of time".to_owned()));
            }
            match clip.checked_sub(1) {
                None => snapshot.rest.samples = samples,
                Some(clip) => snapshot.clips[clip].frames.samples = samples,
            }
        }
        Ok(snapshot)
    }

    fn layout(&self, count: usize, frame_rate: Option<f64>) -> Layout<'_> {
        let has_vertices = self.meshes.iter().any(|mesh| mesh.vertices > 0);
        Layout { joints: &self.joints, frame_rate, grid: Grid::for_size(self.size), has_vertices, count }
    }

    /// Rejects content that no version writes, so that indices in the header can be trusted.
    fn check_header(&self) -> Result<(), String> {
        for (index, joint) in self.joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|&parent| parent as usize >= index) {
                return Err(format!("joint {index} has parent {parent}, expected one before it"));
            }
        }
        let (joints, meshes) = (self.joints.len(), self.meshes.len());
        for frames in std::iter::once(&self.rest).chain(self.clips.iter().map(|clip| &clip.frames)) {
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

/// Returns the most memory that reading a snapshot needs, from the lengths of its unpacked header and tracks.
fn memory(header: usize, tracks: usize) -> u128 {
    HEADER_MEMORY * header as u128 + TRACK_MEMORY * tracks as u128
}

/// Facts about frames that are not in their tracks.
struct Layout<'a> {
    joints: &'a [RecordedJoint],
    frame_rate: Option<f64>,
    grid: Grid,
    has_vertices: bool,
    count: usize,
}

impl Layout<'_> {
    /// Appends the tracks of all samples: frames, digests, times, joints, and sums of vertices if present.
    fn write(&self, samples: &[Sample], out: &mut Vec<u8>) {
        write_changes(samples.iter().map(|sample| frame_number(sample.frame)), out);
        for digest in 0..4 {
            write_track(samples.iter().map(|sample| <[u32; 4]>::from(sample.digests)[digest].into()), out);
        }
        let mut times = TimePrediction::new(self.frame_rate);
        let bits = samples.iter().map(|sample| sample.time.to_bits().wrapping_sub(times.next(sample)) as i64);
        write_track(bits, out);
        let mut steps: Vec<Vec<Steps>> = Vec::with_capacity(self.joints.len());
        for (index, joint) in self.joints.iter().enumerate() {
            let own = joint_steps(samples, index, self.grid);
            let parent = joint.parent.and_then(|parent| steps.get(parent as usize)).map(Vec::as_slice);
            joint_to_tracks(&own, parent, self.grid).into_iter().for_each(|track| write_track(track, out));
            for part in 0..6 {
                write_changes(samples.iter().map(|sample| UNIT.round(stretch(&sample.joints[index])[part])), out);
            }
            steps.push(own);
        }
        for number in 0..if self.has_vertices { VERTEX_TRACKS } else { 0 } {
            write_changes(samples.iter().map(|sample| vertex_steps(sample, self.grid)[number]), out);
        }
    }

    /// Reads the tracks of [`Self::write`]. Returns `None` if the bytes end early.
    fn read(&self, bytes: &mut &[u8]) -> Option<Vec<Sample>> {
        let numbers = read_changes(self.count, bytes)?;
        let digests: [Vec<i64>; 4] = self.tracks(read_track, bytes)?;
        let mut samples = Vec::with_capacity(self.count);
        let mut times = TimePrediction::new(self.frame_rate);
        for (index, bits) in read_track(self.count, bytes)?.into_iter().enumerate() {
            let mut sample = Sample {
                time: 0.0,
                frame: frame_of(numbers[index])?,
                digests: std::array::from_fn(|digest| digests[digest][index] as u32).into(),
                // A pose needs at least thirteen bytes.
                joints: Vec::with_capacity(self.joints.len().min(bytes.len() / 13)),
                bounds: None,
                position_sums: Default::default(),
                shading_sum: DVec3::ZERO,
            };
            times.read(&mut sample, bits);
            samples.push(sample);
        }
        self.read_joints(&mut samples, bytes)?;
        if self.has_vertices {
            let tracks: [Vec<i64>; VERTEX_TRACKS] = self.tracks(read_changes, bytes)?;
            for (index, sample) in samples.iter_mut().enumerate() {
                let vector = |first: usize, grid: Grid| {
                    DVec3::from_array(std::array::from_fn(|axis| grid.value(tracks[first + axis][index])))
                };
                sample.bounds = Some((vector(0, self.grid), vector(3, self.grid)));
                sample.position_sums = [vector(6, self.grid), vector(9, self.grid)];
                sample.shading_sum = vector(12, UNIT);
            }
        }
        Some(samples)
    }

    fn read_joints(&self, samples: &mut [Sample], bytes: &mut &[u8]) -> Option<()> {
        let mut steps: Vec<Vec<Steps>> = Vec::with_capacity(self.joints.len());
        for joint in self.joints {
            let tracks: [Vec<i64>; 7] = self.tracks(read_track, bytes)?;
            let parent = joint.parent.and_then(|parent| steps.get(parent as usize)).map(Vec::as_slice);
            let own = tracks_to_joint(&tracks, parent, self.grid);
            let stretches: [Vec<i64>; 6] = self.tracks(read_changes, bytes)?;
            for (index, (sample, steps)) in samples.iter_mut().zip(&own).enumerate() {
                let [x, y, z, xy, xz, yz] = std::array::from_fn(|part| UNIT.value(stretches[part][index]));
                sample.joints.push(Transform {
                    translation: DVec3::from_array(steps.position.map(|part| self.grid.value(part))),
                    rotation: DQuat::from_array(steps.rotation.map(|part| UNIT.value(part))),
                    scale: DVec3::new(x, y, z),
                    shear: DVec3::new(xy, xz, yz),
                });
            }
            steps.push(own);
        }
        Some(())
    }

    fn tracks<const N: usize>(
        &self,
        read: fn(usize, &mut &[u8]) -> Option<Vec<i64>>,
        bytes: &mut &[u8],
    ) -> Option<[Vec<i64>; N]> {
        let tracks: Option<Vec<Vec<i64>>> = (0..N).map(|_| read(self.count, bytes)).collect();
        tracks?.try_into().ok()
    }
}

/// Encodes a frame, or the interval after it, as one number.
fn frame_number(frame: FrameRef) -> i64 {
    match frame {
        FrameRef::At(frame) => 2 * i64::from(frame),
        FrameRef::After(frame) => 2 * i64::from(frame) + 1,
    }
}

fn frame_of(number: i64) -> Option<FrameRef> {
    let frame = u32::try_from(number / 2).ok()?;
    Some(if number % 2 == 0 { FrameRef::At(frame) } else { FrameRef::After(frame) })
}

/// Predicts the times of samples: by the frame rate, otherwise from the interval before the previous frame.
struct TimePrediction {
    frame_rate: Option<f64>,
    last: f64,
    step: f64,
}

impl TimePrediction {
    fn new(frame_rate: Option<f64>) -> Self {
        Self { frame_rate, last: 0.0, step: 0.0 }
    }

    fn predict(&self, frame: FrameRef) -> f64 {
        match (frame, self.frame_rate) {
            (FrameRef::At(number), Some(rate)) => f64::from(number) / rate,
            (FrameRef::At(_), None) => self.last + self.step,
            (FrameRef::After(_), _) => self.last + self.step * BETWEEN_SHARE,
        }
    }

    fn learn(&mut self, sample: &Sample) {
        if let FrameRef::At(_) = sample.frame {
            self.step = sample.time - self.last;
            self.last = sample.time;
        }
    }

    /// Returns the bits of the predicted time, and remembers the sample's own time for the next prediction.
    fn next(&mut self, sample: &Sample) -> u64 {
        let predicted = self.predict(sample.frame).to_bits();
        self.learn(sample);
        predicted
    }

    /// Sets a sample's time from its difference in bits.
    fn read(&mut self, sample: &mut Sample, bits: i64) {
        sample.time = f64::from_bits(self.predict(sample.frame).to_bits().wrapping_add(bits as u64));
        self.learn(sample);
    }
}

/// Appends each value, zigzag-coded (0, -1, 1, -2, …), with seven bits per byte, the lowest first.
fn write_track(values: impl IntoIterator<Item = i64>, out: &mut Vec<u8>) {
    for value in values {
        let mut left = ((value << 1) ^ (value >> 63)) as u64;
        while left >= 0x80 {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }
}

/// Reads the values of [`write_track`]. Returns `None` if the bytes end early.
fn read_track(count: usize, bytes: &mut &[u8]) -> Option<Vec<i64>> {
    // A value needs at least a byte.
    let mut track = Vec::with_capacity(count.min(bytes.len()));
    for _ in 0..count {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *bytes.split_off_first()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        track.push((value >> 1) as i64 ^ -((value & 1) as i64));
    }
    Some(track)
}

/// Writes each value as its difference from the previous one.
fn write_changes(values: impl IntoIterator<Item = i64>, out: &mut Vec<u8>) {
    let mut before = 0_i64;
    write_track(values.into_iter().map(|value| value.wrapping_sub(std::mem::replace(&mut before, value))), out);
}

fn read_changes(count: usize, bytes: &mut &[u8]) -> Option<Vec<i64>> {
    let mut track = read_track(count, bytes)?;
    let mut before = 0_i64;
    for value in &mut track {
        before = before.wrapping_add(*value);
        *value = before;
    }
    Some(track)
}

/// Returns scale and shear in the order of their tracks.
fn stretch(transform: &Transform) -> [f64; 6] {
    let Transform { scale, shear, .. } = transform;
    [scale.x, scale.y, scale.z, shear.x, shear.y, shear.z]
}

/// Tracks of the vertices' sums: two corners of the bounds, two sums of positions, one of directions.
const VERTEX_TRACKS: usize = 15;

fn vertex_steps(sample: &Sample, grid: Grid) -> [i64; VERTEX_TRACKS] {
    let (low, high) = sample.bounds.unwrap_or_default();
    let [first, second] = sample.position_sums;
    let vectors = [low, high, first, second, sample.shading_sum];
    std::array::from_fn(|number| {
        let grid = if number < 12 { grid } else { UNIT };
        grid.round(vectors[number / 3][number % 3])
    })
}

/// Rounds a joint's poses to their grids. Of a quaternion and its negative, the first pose uses the one with positive
/// w, otherwise the one whose first other non-zero component is positive. Each later pose uses the one nearer to the
/// previous pose.
fn joint_steps(samples: &[Sample], joint: usize, grid: Grid) -> Vec<Steps> {
    let mut before: Option<[i64; 4]> = None;
    let pose = |sample: &Sample| {
        let Transform { translation, rotation, .. } = sample.joints[joint];
        let [x, y, z, w] = rotation.to_array().map(|part| UNIT.round(part));
        let turned = match before {
            Some(before) => before.iter().zip([x, y, z, w]).map(|(a, b)| *a as f64 * b as f64).sum::<f64>() < 0.0,
            None => [w, x, y, z].into_iter().find(|&part| part != 0).is_some_and(|part| part < 0),
        };
        let rotation = [x, y, z, w].map(|part| if turned { part.wrapping_neg() } else { part });
        before = Some(rotation);
        Steps { position: translation.to_array().map(|part| grid.round(part)), rotation }
    };
    samples.iter().map(pose).collect()
}
