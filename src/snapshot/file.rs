//! Snapshots as bytes; the layout is described in `docs/snapshot.md`.

use super::codec::{self, Grid, Steps, UNIT};
use super::record::{
    Input, MOST_JOINT_POSES, RecordedClip, RecordedFrames, RecordedJoint, RecordedMaterial, RecordedMesh, Sample,
    Snapshot,
};
use super::times::Place;
use bindpose_core::budget::{Budget, Exceeded, grouped, product};
use bindpose_core::model::Transform;
use glam::{DQuat, DVec3};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use xxhash_rust::xxh3::xxh3_64;

/// What every snapshot begins with, up to the number of its format.
const MAGIC: &[u8] = b"bindpose snapshot ";

/// What stands before the digest at the end.
const END: &[u8] = b"DONE";

/// The format that is written and read.
pub const FORMAT: u32 = 2;

/// Deflate makes no more of a byte than this.
const MOST_EXPANSION: usize = 1032;

/// Tracks of one joint: three of position, four of rotation, three of scale, three of shear.
const JOINT_TRACKS: usize = 13;

/// Tracks of what the vertices are summed up in: two corners of the bounds, two sums of positions, one of directions.
const VERTEX_TRACKS: usize = 15;

/// Why bytes are no snapshot that this version reads.
///
/// Offsets count bytes from 0, from the file's start unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line is another one.
    #[error("is not a snapshot: it does not begin with 'bindpose snapshot' and a number")]
    Magic,
    /// A format that a later version wrote.
    #[error("has format {found}, and this bindpose reads format {FORMAT}; a newer bindpose wrote it")]
    Newer {
        /// The number in the first line.
        found: u32,
    },
    /// A format that is no longer read.
    #[error(
        "has format {found}, whose digests leave out the times between keys; this bindpose reads format {FORMAT}: \
         check the model with the bindpose that wrote the snapshot, then run `bindpose snapshot update`"
    )]
    Older {
        /// The number in the first line.
        found: u32,
    },
    /// The digest at the end does not fit.
    #[error("is damaged: the digest at byte {offset} does not fit; take the file from version control again")]
    Digest {
        /// Where the digest is, or would be in a longer file.
        offset: usize,
    },
    /// What stands between the parts is not what should be there.
    #[error("is damaged at byte {offset}: {problem}")]
    Frame {
        /// Where.
        offset: usize,
        /// What was found, and what was expected.
        problem: String,
    },
    /// A part that this version does not know and may not skip.
    #[error("has a part '{tag}' at byte {offset} that this bindpose does not know; a newer bindpose wrote it")]
    UnknownPart {
        /// The part's name.
        tag: String,
        /// Where it begins.
        offset: usize,
    },
    /// A part that does not hold what it should.
    #[error("is damaged in the part '{part}' at byte {offset}: byte {inside} of its unpacked content: {problem}")]
    Content {
        /// The part's name.
        part: &'static str,
        /// Where the part begins.
        offset: usize,
        /// Where in the inflated part.
        inside: usize,
        /// What was found, and what was expected.
        problem: String,
    },
    /// It would take more memory than is allowed.
    #[error("takes too much memory: {0}")]
    TooLarge(#[from] Exceeded),
}

/// The part `HEAD`, as JSON. Fields that a later version adds are skipped by this one.
#[derive(Serialize, Deserialize)]
struct Head {
    tool: String,
    model: String,
    inputs: Vec<Input>,
    #[serde(with = "exact")]
    size: f64,
    grid: i32,
    joints: Vec<RecordedJoint>,
    materials: Vec<RecordedMaterial>,
    meshes: Vec<RecordedMesh>,
    clips: Vec<HeadClip>,
}

#[derive(Serialize, Deserialize)]
struct HeadClip {
    name: String,
    #[serde(default, with = "exact_option", skip_serializing_if = "Option::is_none")]
    frame_rate: Option<f64>,
    #[serde(with = "exact")]
    duration: f64,
    looping: bool,
    samples: u32,
}

impl Snapshot {
    /// The bytes of a snapshot file. Numbers are rounded to a grid, 2^-31 of the model's size for positions.
    ///
    /// What packs very well is filled up with zeros, so that the file has as many bytes as [`Self::from_bytes`] asks
    /// for the memory that it takes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let grid = Grid::for_size(self.size);
        let clip = |clip: &RecordedClip| HeadClip {
            name: clip.name.clone(),
            frame_rate: clip.frame_rate,
            duration: clip.duration,
            looping: clip.looping,
            samples: clip.frames.samples.len() as u32,
        };
        let head = Head {
            tool: self.tool.clone(),
            model: self.model.clone(),
            inputs: self.inputs.clone(),
            size: self.size,
            grid: grid.exponent(),
            joints: self.joints.clone(),
            materials: self.materials.clone(),
            meshes: self.meshes.clone(),
            clips: self.clips.iter().map(clip).collect(),
        };
        let mut bytes = [MAGIC, FORMAT.to_string().as_bytes(), b"\n"].concat();
        let mut needs = Needs::default();
        // Strings, integers and derived structures only: nothing that JSON cannot hold.
        let head = serde_json::to_vec(&head).unwrap_or_default();
        needs.check(unpacking(head.len()));
        needs.spend(listing(head.len()));
        write_part(*b"HEAD", &head, &mut bytes);
        let mut write_frames = |tag, frames: &RecordedFrames, frame_rate| {
            let samples = frames.samples.len();
            let layout = Layout { joints: &self.joints, meshes: &self.meshes, samples, frame_rate, grid };
            let part = frames_to_bytes(frames, &layout);
            needs.check(unpacking(part.len()));
            needs.spend(layout.kept());
            needs.check(layout.made_from());
            write_part(tag, &part, &mut bytes);
        };
        write_frames(*b"REST", &self.rest, None);
        for clip in &self.clips {
            write_frames(*b"CLIP", &clip.frames, clip.frame_rate);
        }
        let short = needs.input().saturating_sub(bytes.len());
        if short > 0 {
            // Stored, not packed.
            add_part(*b"fill", short, &compress_to_vec(&vec![0; short], 0), &mut bytes);
        }
        bytes.extend_from_slice(END);
        let digest = xxh3_64(&bytes);
        bytes.extend_from_slice(&digest.to_le_bytes());
        bytes
    }

    /// Reads a snapshot file, as [`Self::from_bytes_within`] with the memory that is allowed by default.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let budget = Budget::default();
        budget.add_input(bytes.len());
        Self::from_bytes_within(bytes, &budget)
    }

    /// Reads a snapshot file with the memory that `budget`, of which `bytes` are part of the input, allows.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    pub fn from_bytes_within(bytes: &[u8], budget: &Budget) -> Result<Self, ReadError> {
        let mut parts = Parts::open(bytes, budget)?;
        let first = parts.next()?.filter(|part| part.tag == *b"HEAD");
        let head = first.ok_or_else(|| ReadError::Frame {
            offset: parts.start,
            problem: "the first part is not 'HEAD'".to_owned(),
        })?;
        let head = read_head(&head, budget)?;
        let grid = Grid::new(head.grid).unwrap_or(UNIT);
        let layout =
            |samples, frame_rate| Layout { joints: &head.joints, meshes: &head.meshes, samples, frame_rate, grid };
        let mut rest = None;
        let mut clips = Vec::new();
        while let Some(part) = parts.next()? {
            match &part.tag {
                b"REST" => rest = Some(read_frames("REST", &part, &layout(1, None), budget)?),
                b"CLIP" => {
                    let Some(clip) = head.clips.get(clips.len()) else {
                        return Err(part.at("CLIP", 0, format!("'HEAD' lists only {} clips", head.clips.len())));
                    };
                    let frames = read_frames("CLIP", &part, &layout(clip.samples as usize, clip.frame_rate), budget)?;
                    clips.push(RecordedClip {
                        name: clip.name.clone(),
                        frame_rate: clip.frame_rate,
                        duration: clip.duration,
                        looping: clip.looping,
                        frames,
                    });
                }
                tag => {
                    return Err(ReadError::UnknownPart { tag: tag.escape_ascii().to_string(), offset: part.offset });
                }
            }
        }
        let missing = |problem| ReadError::Frame { offset: parts.offset, problem };
        if clips.len() < head.clips.len() {
            return Err(missing(format!(
                "{} of {} parts 'CLIP' are missing",
                head.clips.len() - clips.len(),
                head.clips.len()
            )));
        }
        let rest = rest.ok_or_else(|| missing("the part 'REST' is missing".to_owned()))?;
        let Head { tool, model, inputs, size, joints, materials, meshes, .. } = head;
        Ok(Self { tool, model, inputs, size, joints, materials, meshes, rest, clips })
    }
}

/// A part: four letters, its length inflated, its length deflated, both 32 bits, the deflated bytes.
///
/// A part whose name begins with a small letter may be skipped by a reader that does not know it.
fn write_part(tag: Tag, part: &[u8], out: &mut Vec<u8>) {
    add_part(tag, part.len(), &compress_to_vec(part, 6), out);
}

fn add_part(tag: Tag, length: usize, packed: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&tag);
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    out.extend_from_slice(packed);
}

/// The memory that reading a snapshot takes from a [`Budget`], added up while it is written.
#[derive(Default)]
struct Needs {
    spent: u128,
    /// The most that is in use at the same time.
    most: u128,
}

impl Needs {
    /// As [`Budget::spend`].
    fn spend(&mut self, bytes: u128) {
        self.spent = self.spent.saturating_add(bytes);
        self.check(0);
    }

    /// As [`Budget::check`].
    fn check(&mut self, bytes: u128) {
        self.most = self.most.max(self.spent.saturating_add(bytes));
    }

    /// How many bytes a file must have for a budget to allow that; 0 where no number is enough.
    fn input(&self) -> usize {
        Budget::input_for(self.most).and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0)
    }
}

/// What unpacking a part of so many bytes takes: doubled, because a buffer is that grows.
fn unpacking(length: usize) -> u128 {
    2 * length as u128
}

/// What is kept of a `HEAD` of so many bytes. Twelve bytes, `{"name":""},`, become a joint of 32 in a list that may have
/// grown to twice its length.
fn listing(length: usize) -> u128 {
    8 * length as u128
}

/// A part's name.
type Tag = [u8; 4];

/// An inflated part.
struct Part {
    tag: Tag,
    /// Where it begins in the file.
    offset: usize,
    content: Vec<u8>,
}

impl Part {
    fn at(&self, part: &'static str, inside: usize, problem: impl Into<String>) -> ReadError {
        ReadError::Content { part, offset: self.offset, inside, problem: problem.into() }
    }
}

/// The parts of a file, one after the other.
struct Parts<'a> {
    /// What is left.
    rest: &'a [u8],
    /// Where the first part begins.
    start: usize,
    /// Where `rest` begins.
    offset: usize,
    budget: &'a Budget,
}

impl<'a> Parts<'a> {
    /// Checks the first line and the end.
    fn open(bytes: &'a [u8], budget: &'a Budget) -> Result<Self, ReadError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(ReadError::Magic)?;
        let end = rest.iter().take(12).position(|&byte| byte == b'\n').ok_or(ReadError::Magic)?;
        let number = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.parse().ok());
        match number.ok_or(ReadError::Magic)? {
            found if found > FORMAT => return Err(ReadError::Newer { found }),
            found if found < FORMAT => return Err(ReadError::Older { found }),
            _ => {}
        }
        let start = MAGIC.len() + end + 1;
        let digest_at = bytes.len().saturating_sub(8).max(start);
        let damaged = ReadError::Digest { offset: digest_at };
        match bytes.split_at_checked(digest_at) {
            Some((before, digest)) if digest == xxh3_64(before).to_le_bytes() => {
                let ends = before.len().saturating_sub(END.len()).max(start);
                let rest = before.get(start..).and_then(|rest| rest.strip_suffix(END));
                let problem = "the last part is not 'DONE'".to_owned();
                Ok(Self { rest: rest.ok_or(ReadError::Frame { offset: ends, problem })?, start, offset: start, budget })
            }
            _ => Err(damaged),
        }
    }

    /// The next part that may not be skipped; `None` at the end.
    fn next(&mut self) -> Result<Option<Part>, ReadError> {
        let (offset, tag, length, packed) = loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let (offset, left) = (self.offset, self.rest.len());
            let Some((tag, length, packed)) = self.split_part() else {
                let problem = format!("a part that begins here is longer than the {left} bytes that are left");
                return Err(ReadError::Frame { offset, problem });
            };
            if !tag[0].is_ascii_lowercase() {
                break (offset, tag, length, packed);
            }
        };
        let damaged = |problem: String| ReadError::Frame { offset, problem };
        let name = tag.escape_ascii();
        if length > packed.len().saturating_mul(MOST_EXPANSION) {
            let problem = format!("the part '{name}' claims {length} bytes, more than {} can unpack to", packed.len());
            return Err(damaged(problem));
        }
        // Free again when the next part is read.
        self.budget.check(unpacking(length), || format!("the part '{name}' of {} bytes", grouped(length)))?;
        match decompress_to_vec_with_limit(packed, length) {
            Ok(content) if content.len() == length => Ok(Some(Part { tag, offset, content })),
            Ok(content) => {
                Err(damaged(format!("the part '{name}' unpacks to {} bytes, expected {length}", content.len())))
            }
            Err(_) => Err(damaged(format!("the part '{name}' is not a deflate stream of {length} bytes"))),
        }
    }

    fn split_part(&mut self) -> Option<(Tag, usize, &'a [u8])> {
        let (tag, rest) = self.rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (packed_length, rest) = rest.split_first_chunk()?;
        let (packed, rest) = rest.split_at_checked(u32::from_le_bytes(*packed_length) as usize)?;
        self.offset += self.rest.len() - rest.len();
        self.rest = rest;
        Some((*tag, u32::from_le_bytes(*length) as usize, packed))
    }
}

fn read_head(part: &Part, budget: &Budget) -> Result<Head, ReadError> {
    let length = part.content.len();
    budget.spend(listing(length), || format!("names and counts in {} bytes of 'HEAD'", grouped(length)))?;
    let head: Head = serde_json::from_slice(&part.content).map_err(|error| {
        let lines = part.content.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
        let inside = lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
        part.at("HEAD", inside, error.to_string())
    })?;
    if Grid::new(head.grid).is_none() {
        return Err(part.at("HEAD", 0, format!("the grid's exponent is {}, expected -960 to 960", head.grid)));
    }
    for (index, joint) in head.joints.iter().enumerate() {
        if let Some(parent) = joint.parent.filter(|&parent| parent as usize >= index) {
            let problem = format!("joint {index} has parent {parent}, expected one that stands before it");
            return Err(part.at("HEAD", 0, problem));
        }
    }
    Ok(head)
}

/// Flags of a sample: a time between keys.
const BETWEEN: u8 = 1;
/// Its time is its number divided by the frame rate.
const BY_RATE: u8 = 2;

fn by_rate(place: Place, frame_rate: Option<f64>) -> Option<f64> {
    match (place, frame_rate) {
        (Place::Key(key), Some(rate)) => Some(f64::from(key) / rate),
        _ => None,
    }
}

/// What must be known of frames to find their fields: it stands in the head.
#[derive(Clone, Copy)]
struct Layout<'a> {
    joints: &'a [RecordedJoint],
    meshes: &'a [RecordedMesh],
    samples: usize,
    frame_rate: Option<f64>,
    grid: Grid,
}

impl Layout<'_> {
    fn has_vertices(&self) -> bool {
        self.meshes.iter().any(|mesh| mesh.vertices > 0)
    }

    /// Memory of the samples.
    fn kept(&self) -> u128 {
        product([self.samples, size_of::<Sample>() + self.joints.len() * size_of::<Transform>()])
    }

    /// Memory of the tracks and steps that the samples are made from.
    fn made_from(&self) -> u128 {
        let of_joint = JOINT_TRACKS * size_of::<i64>() + size_of::<Steps>();
        product([self.samples, self.joints.len() * of_joint + VERTEX_TRACKS * size_of::<i64>()])
    }
}

/// Frames as the lists that a part consists of.
#[derive(Default)]
struct FrameLists {
    /// One byte a sample.
    flags: Vec<u8>,
    /// Of the samples without [`BY_RATE`], seconds.
    times: Vec<f64>,
    /// Digests through all samples: one a joint of local and of model-space transforms, one a mesh of positions and of
    /// normals and tangents.
    columns: [Vec<u64>; 4],
    /// Four a sample, of the same.
    digests: Vec<u32>,
    /// One byte a joint: whether its tracks are what is left over from riding on its parent.
    riding: Vec<u8>,
    /// One of key numbers, [`JOINT_TRACKS`] a joint, [`VERTEX_TRACKS`] if there are vertices; each as long as there are
    /// samples.
    tracks: Vec<Vec<i64>>,
}

impl FrameLists {
    /// The fields of a part in their order: the only place that knows it, for reading and for writing.
    fn transfer<T: Transfer>(&mut self, layout: &Layout<'_>, with: &mut T) -> Result<(), T::Error> {
        let &Layout { joints, meshes, samples, .. } = layout;
        with.list("flags of the samples", &mut self.flags, samples)?;
        let timed = self.flags.iter().filter(|&flags| flags & BY_RATE == 0).count();
        with.list("times of the samples", &mut self.times, timed)?;
        for (column, length) in self.columns.iter_mut().zip([joints.len(), joints.len(), meshes.len(), meshes.len()]) {
            with.list("digests of joints and meshes", column, length)?;
        }
        with.list("digests of the samples", &mut self.digests, 4 * samples)?;
        with.list("one byte for each joint", &mut self.riding, joints.len())?;
        let of_vertices = if layout.has_vertices() { VERTEX_TRACKS } else { 0 };
        with.tracks(&mut self.tracks, 1 + JOINT_TRACKS * joints.len() + of_vertices, samples)
    }

    fn of(frames: &RecordedFrames, layout: &Layout<'_>) -> Self {
        let &Layout { joints, frame_rate, grid, .. } = layout;
        let samples = &frames.samples;
        let follows_rate =
            |sample: &Sample| by_rate(sample.place, frame_rate).is_some_and(|t| t.to_bits() == sample.time.to_bits());
        let flags = samples.iter().map(|sample| {
            let between = if matches!(sample.place, Place::After(_)) { BETWEEN } else { 0 };
            between | if follows_rate(sample) { BY_RATE } else { 0 }
        });
        let places = samples.iter().map(|sample| match sample.place {
            Place::Key(key) | Place::After(key) => i64::from(key),
        });
        let mut riding = Vec::with_capacity(joints.len());
        let mut tracks = vec![places.collect()];
        let mut steps: Vec<Vec<Steps>> = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let alone = joint_steps(samples, index, grid);
            let parent = joint.parent.and_then(|parent| steps.get(parent as usize)).map(Vec::as_slice);
            let free = codec::joint_to_tracks(&alone, None, grid);
            let rides = parent.map(|parent| codec::joint_to_tracks(&alone, Some(parent), grid));
            let rides = rides.filter(|rides| codec::cost(rides) < codec::cost(&free));
            riding.push(rides.is_some().into());
            tracks.extend(rides.unwrap_or(free));
            let stretches: Vec<[f64; 6]> = samples.iter().map(|sample| stretch(&sample.joints[index])).collect();
            tracks.extend((0..6).map(|part| stretches.iter().map(|parts| UNIT.round(parts[part])).collect()));
            steps.push(alone);
        }
        if layout.has_vertices() {
            for axis in 0..3 {
                let quantities: Vec<[i64; 5]> = samples.iter().map(|sample| vertex_steps(sample, axis, grid)).collect();
                tracks.extend((0..5).map(|quantity| quantities.iter().map(|steps| steps[quantity]).collect()));
            }
        }
        Self {
            flags: flags.collect(),
            times: samples.iter().filter(|sample| !follows_rate(sample)).map(|sample| sample.time).collect(),
            columns: [&frames.local, &frames.model, &frames.positions, &frames.shading].map(Clone::clone),
            digests: samples.iter().flat_map(|sample| <[u32; 4]>::from(sample.digests)).collect(),
            riding,
            tracks,
        }
    }

    /// The frames, or which sample is at fault and how.
    fn into_frames(self, layout: &Layout<'_>) -> Result<RecordedFrames, String> {
        let &Layout { joints, samples: count, frame_rate, grid, .. } = layout;
        let Some((places, tracks)) = self.tracks.split_first() else { return Err("there are no tracks".to_owned()) };
        let (of_joints, of_vertices) = tracks.split_at(JOINT_TRACKS * joints.len());
        let mut steps: Vec<Vec<Steps>> = Vec::with_capacity(joints.len());
        for ((joint, tracks), riding) in joints.iter().zip(of_joints.chunks(JOINT_TRACKS)).zip(&self.riding) {
            let parent = joint.parent.filter(|_| *riding != 0);
            let parent = parent.and_then(|parent| steps.get(parent as usize)).map(Vec::as_slice);
            let read = codec::tracks_to_joint(&tracks[..7], parent, grid, count);
            steps.push(read);
        }
        let joint = |sample: usize, index: usize| {
            let steps = steps[index][sample];
            let [x, y, z, xy, xz, yz] =
                std::array::from_fn(|part| UNIT.value(of_joints[JOINT_TRACKS * index + 7 + part][sample]));
            Transform {
                translation: DVec3::from_array(steps.position.map(|part| grid.value(part))),
                rotation: DQuat::from_array(steps.rotation.map(|part| UNIT.value(part))),
                scale: DVec3::new(x, y, z),
                shear: DVec3::new(xy, xz, yz),
            }
        };
        let of_vertices = |sample: usize, quantity: usize, grid: Grid| {
            let axis = |axis: usize| of_vertices.get(5 * axis + quantity).map_or(0, |track| track[sample]);
            DVec3::from_array([axis(0), axis(1), axis(2)].map(|steps| grid.value(steps)))
        };
        // Samples are compared by their places.
        let place = |index: usize| (places[index], self.flags[index] & BETWEEN);
        if let Some(index) = (1..count).find(|&index| place(index - 1) >= place(index)) {
            return Err(format!("sample {index} does not come after the one before it"));
        }
        let mut times = self.times.into_iter();
        let mut samples = Vec::with_capacity(count);
        for (index, (&flags, digests)) in self.flags.iter().zip(self.digests.as_chunks::<4>().0).enumerate() {
            let number = places[index];
            let number = u32::try_from(number).map_err(|_| format!("sample {index} has key number {number}"))?;
            let place = if flags & BETWEEN == 0 { Place::Key(number) } else { Place::After(number) };
            let time = if flags & BY_RATE == 0 { times.next() } else { by_rate(place, frame_rate) };
            samples.push(Sample {
                time: time.ok_or_else(|| format!("sample {index} follows a frame rate that it does not have"))?,
                place,
                digests: (*digests).into(),
                joints: (0..joints.len()).map(|joint_index| joint(index, joint_index)).collect(),
                bounds: layout.has_vertices().then(|| (of_vertices(index, 0, grid), of_vertices(index, 1, grid))),
                position_sums: [of_vertices(index, 2, grid), of_vertices(index, 3, grid)],
                shading_sum: of_vertices(index, 4, UNIT),
            });
        }
        let [local, model, positions, shading] = self.columns;
        Ok(RecordedFrames { samples, local, model, positions, shading })
    }
}

/// Scale and shear in the order of their tracks.
fn stretch(transform: &Transform) -> [f64; 6] {
    let Transform { scale, shear, .. } = transform;
    [scale.x, scale.y, scale.z, shear.x, shear.y, shear.z]
}

/// Along an axis what the vertices are summed up in, in the order of the tracks.
fn vertex_steps(sample: &Sample, axis: usize, grid: Grid) -> [i64; 5] {
    let (low, high) = sample.bounds.unwrap_or_default();
    let [first, second] = sample.position_sums;
    let [low, high, first, second] = [low, high, first, second].map(|vector| grid.round(vector[axis]));
    [low, high, first, second, UNIT.round(sample.shading_sum[axis])]
}

/// Either direction between lists and bytes.
trait Transfer {
    type Error;

    /// A list of `length` numbers.
    fn list<N: Number>(&mut self, what: &str, list: &mut Vec<N>, length: usize) -> Result<(), Self::Error>;

    /// As many tracks, each of `length` integers.
    fn tracks(&mut self, tracks: &mut Vec<Vec<i64>>, count: usize, length: usize) -> Result<(), Self::Error>;
}

/// A number as little-endian bytes.
trait Number: Copy {
    const BYTES: usize;
    fn write(self, out: &mut Vec<u8>);
    /// From exactly [`Self::BYTES`] bytes; 0 from any other count.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const BYTES: usize = size_of::<Self>();

            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
        }
    )*};
}

numbers!(u8, u32, u64, f64);

/// Appends.
impl Transfer for Vec<u8> {
    type Error = Infallible;

    fn list<N: Number>(&mut self, _: &str, list: &mut Vec<N>, _: usize) -> Result<(), Infallible> {
        list.iter().for_each(|number| number.write(self));
        Ok(())
    }

    fn tracks(&mut self, tracks: &mut Vec<Vec<i64>>, _: usize, _: usize) -> Result<(), Infallible> {
        codec::write_tracks(tracks, self);
        Ok(())
    }
}

/// Takes from the front of what is left.
struct FrameReader<'a> {
    name: &'static str,
    part: &'a Part,
    left: &'a [u8],
}

impl FrameReader<'_> {
    fn error(&self, problem: impl Into<String>) -> ReadError {
        self.part.at(self.name, self.part.content.len() - self.left.len(), problem)
    }
}

impl Transfer for FrameReader<'_> {
    type Error = ReadError;

    fn list<N: Number>(&mut self, what: &str, list: &mut Vec<N>, length: usize) -> Result<(), ReadError> {
        let needed = length.saturating_mul(N::BYTES);
        let Some(bytes) = self.left.split_off(..needed) else {
            let left = self.left.len();
            return Err(self.error(format!("expected {needed} bytes for {what}, and {left} are left")));
        };
        list.extend(bytes.chunks_exact(N::BYTES).map(N::read));
        Ok(())
    }

    fn tracks(&mut self, tracks: &mut Vec<Vec<i64>>, count: usize, length: usize) -> Result<(), ReadError> {
        let mut left = self.left;
        let Some(read) = codec::read_tracks(&mut left, count, length) else {
            return Err(self.error(format!("expected {count} tracks of {length} numbers, and they are cut short")));
        };
        self.left = left;
        *tracks = read;
        Ok(())
    }
}

fn frames_to_bytes(frames: &RecordedFrames, layout: &Layout<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Ok(()) = FrameLists::of(frames, layout).transfer(layout, &mut bytes);
    bytes
}

fn read_frames(
    name: &'static str,
    part: &Part,
    layout: &Layout<'_>,
    budget: &Budget,
) -> Result<RecordedFrames, ReadError> {
    let mut reader = FrameReader { name, part, left: &part.content };
    if layout.samples.saturating_mul(layout.joints.len()) > 2 * MOST_JOINT_POSES {
        return Err(reader.error(format!("'HEAD' gives it {} samples, more than a snapshot has", layout.samples)));
    }
    let (joints, samples) = (layout.joints.len(), layout.samples);
    let what = || format!("{} joints in {} samples", grouped(joints), grouped(samples));
    budget.spend(layout.kept(), what)?;
    budget.check(layout.made_from(), what)?;
    let mut lists = FrameLists::default();
    lists.transfer(layout, &mut reader)?;
    if !reader.left.is_empty() {
        return Err(reader.error(format!("expected the end, and {} bytes are left over", reader.left.len())));
    }
    lists.into_frames(layout).map_err(|problem| part.at(name, part.content.len(), problem))
}

/// A joint's poses on their grids. Of a quaternion and its negative the first is the one with positive w, else the one
/// whose first other part is positive; each later one is that nearer to the one before.
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

/// Digests as text, because JSON's numbers do not hold 64 bits.
pub(super) mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{value:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
    }
}

/// Numbers as text: the shortest that reads back as the same number, `NaN` and `inf` among them.
mod exact {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

mod exact_option {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
    }
}
