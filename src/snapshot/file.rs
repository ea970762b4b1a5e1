//! Snapshots as bytes; the layout is described in `docs/snapshot.md`.

use super::codec::{self, Grid, Steps, UNIT};
use super::record::{
    Frames, Input, MOST_JOINT_POSES, RecordedClip, RecordedJoint, RecordedMaterial, RecordedMesh, Sample,
    SampleDigests, Snapshot,
};
use super::times::Place;
use bindpose_core::model::Transform;
use glam::{DQuat, DVec3};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// What every snapshot begins with, up to the number of its format.
const MAGIC: &[u8] = b"bindpose snapshot ";

/// The format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// Deflate makes no more of a byte than this.
const MOST_EXPANSION: usize = 1032;

/// Tracks of one joint: three of position, four of rotation, three of scale, three of shear.
const JOINT_TRACKS: usize = 13;

/// Tracks of what the vertices are summed up in: two corners of the bounds, two sums of positions, one of directions.
const VERTEX_TRACKS: usize = 15;

/// Why bytes are no snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line is another one.
    #[error("is no snapshot: it does not begin with 'bindpose snapshot' and a number")]
    Magic,
    /// A format that this version does not know.
    #[error("has format {found}, and this bindpose reads up to {FORMAT}; a newer bindpose wrote it")]
    Format {
        /// The number in the first line.
        found: u32,
    },
    /// The digest at the end does not fit.
    #[error("is damaged: the digest at its end is of other bytes; take it from version control again")]
    Damaged,
    /// A part that this version does not know and may not skip.
    #[error("has a part '{tag}' that this bindpose does not know; a newer one wrote it")]
    Unknown {
        /// The part's name.
        tag: String,
    },
    /// A part that does not hold what it should.
    #[error("is damaged in part '{part}': {what}")]
    Content {
        /// The part's name.
        part: &'static str,
        /// What is wrong with it.
        what: String,
    },
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
        // Strings, integers and derived structures only: nothing that JSON cannot hold.
        write_part(*b"HEAD", &serde_json::to_vec(&head).unwrap_or_default(), &mut bytes);
        write_part(*b"REST", &self.frames_to_bytes(&self.rest, None, grid), &mut bytes);
        for clip in &self.clips {
            write_part(*b"CLIP", &self.frames_to_bytes(&clip.frames, clip.frame_rate, grid), &mut bytes);
        }
        bytes.extend_from_slice(b"DONE");
        let digest = xxh3_64(&bytes);
        bytes.extend_from_slice(&digest.to_le_bytes());
        bytes
    }

    fn frames_to_bytes(&self, frames: &Frames, frame_rate: Option<f64>, grid: Grid) -> Vec<u8> {
        let mut bytes = Vec::new();
        let samples = &frames.samples;
        let follows_rate =
            |sample: &Sample| by_rate(sample.place, frame_rate).is_some_and(|t| t.to_bits() == sample.time.to_bits());
        bytes.extend(samples.iter().map(|sample| {
            let flag = |set: bool, flag: u8| if set { flag } else { 0 };
            flag(matches!(sample.place, Place::After(_)), BETWEEN)
                | flag(sample.exact, EXACT)
                | flag(follows_rate(sample), BY_RATE)
        }));
        for sample in samples.iter().filter(|sample| !follows_rate(sample)) {
            bytes.extend_from_slice(&sample.time.to_le_bytes());
        }
        for column in [&frames.local, &frames.model, &frames.positions, &frames.shading] {
            column.iter().for_each(|digest| bytes.extend_from_slice(&digest.to_le_bytes()));
        }
        for sample in samples {
            let SampleDigests { local, model, positions, shading } = sample.digests;
            let digests = [local, model, positions, shading];
            let kept = if sample.exact { &digests[..] } else { &digests[..1] };
            kept.iter().for_each(|digest| bytes.extend_from_slice(&digest.to_le_bytes()));
        }
        let places = samples.iter().map(|sample| match sample.place {
            Place::Key(key) | Place::After(key) => i64::from(key),
        });
        let mut tracks = vec![places.collect()];
        let mut steps: Vec<Vec<Steps>> = Vec::with_capacity(self.joints.len());
        for (index, joint) in self.joints.iter().enumerate() {
            let alone = joint_steps(samples, index, grid);
            let parent = joint.parent.and_then(|parent| steps.get(parent as usize)).map(Vec::as_slice);
            let free = codec::joint_to_tracks(&alone, None, grid);
            let riding = parent.map(|parent| codec::joint_to_tracks(&alone, Some(parent), grid));
            let riding = riding.filter(|riding| codec::cost(riding) < codec::cost(&free));
            bytes.push(riding.is_some().into());
            tracks.extend(riding.unwrap_or(free));
            let stretch = |part: fn(&Transform) -> f64| {
                samples.iter().map(|sample| UNIT.round(part(&sample.joints[index]))).collect::<Vec<i64>>()
            };
            tracks.extend([stretch(|t| t.scale.x), stretch(|t| t.scale.y), stretch(|t| t.scale.z)]);
            tracks.extend([stretch(|t| t.shear.x), stretch(|t| t.shear.y), stretch(|t| t.shear.z)]);
            steps.push(alone);
        }
        if has_vertices(&self.meshes) {
            for axis in 0..3 {
                let track = |of: &dyn Fn(&Sample) -> i64| samples.iter().map(of).collect::<Vec<i64>>();
                let corner = |sample: &Sample, max: bool| {
                    let (low, high) = sample.bounds.unwrap_or_default();
                    grid.round(if max { high[axis] } else { low[axis] })
                };
                tracks.push(track(&|sample| corner(sample, false)));
                tracks.push(track(&|sample| corner(sample, true)));
                tracks.push(track(&|sample| grid.round(sample.position_sums[0][axis])));
                tracks.push(track(&|sample| grid.round(sample.position_sums[1][axis])));
                tracks.push(track(&|sample| UNIT.round(sample.shading_sum[axis])));
            }
        }
        codec::write_tracks(&tracks, &mut bytes);
        bytes
    }

    /// Reads a snapshot file of this or an older version of bindpose.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut parts = check_frame(bytes)?;
        let head = next_part(&mut parts)?.filter(|(tag, _)| tag == b"HEAD");
        let (_, head) = head.ok_or_else(|| content("HEAD", "it is not the first one"))?;
        let head: Head = serde_json::from_slice(&head).map_err(|error| content("HEAD", error.to_string()))?;
        let grid = Grid::new(head.grid).ok_or_else(|| content("HEAD", format!("no grid has step 2^{}", head.grid)))?;
        for (index, joint) in head.joints.iter().enumerate() {
            if joint.parent.is_some_and(|parent| parent as usize >= index) {
                return Err(content("HEAD", format!("joint {index} stands before its parent")));
            }
        }
        let shape = |samples, frame_rate| Shape { head: &head, samples, frame_rate, grid };
        let mut rest = None;
        let mut clips = Vec::new();
        while let Some((tag, part)) = next_part(&mut parts)? {
            match &tag {
                b"REST" => rest = Some(frames_from_bytes("REST", &part, &shape(1, None))?),
                b"CLIP" => {
                    let clip = head.clips.get(clips.len()).ok_or_else(|| content("CLIP", "there is one too many"))?;
                    let frames = frames_from_bytes("CLIP", &part, &shape(clip.samples as usize, clip.frame_rate))?;
                    clips.push(RecordedClip {
                        name: clip.name.clone(),
                        frame_rate: clip.frame_rate,
                        duration: clip.duration,
                        looping: clip.looping,
                        frames,
                    });
                }
                [b'a'..=b'z', ..] => {}
                _ => return Err(ReadError::Unknown { tag: tag.escape_ascii().to_string() }),
            }
        }
        if clips.len() < head.clips.len() {
            return Err(content("CLIP", format!("there are {} of {}", clips.len(), head.clips.len())));
        }
        let rest = rest.ok_or_else(|| content("REST", "it is missing"))?;
        let Head { tool, model, inputs, size, joints, materials, meshes, .. } = head;
        Ok(Self { tool, model, inputs, size, joints, materials, meshes, rest, clips })
    }
}

fn content(part: &'static str, what: impl Into<String>) -> ReadError {
    ReadError::Content { part, what: what.into() }
}

/// A part: four letters, its length inflated, its length deflated, both 32 bits, the deflated bytes.
///
/// A part whose name begins with a small letter may be skipped by a reader that does not know it.
fn write_part(tag: Tag, part: &[u8], out: &mut Vec<u8>) {
    let packed = compress_to_vec(part, 6);
    out.extend_from_slice(&tag);
    out.extend_from_slice(&(part.len() as u32).to_le_bytes());
    out.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    out.extend_from_slice(&packed);
}

/// Checks first line and end; returns what stands between.
fn check_frame(bytes: &[u8]) -> Result<&[u8], ReadError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(ReadError::Magic)?;
    let end = rest.iter().take(12).position(|&byte| byte == b'\n').ok_or(ReadError::Magic)?;
    let number = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.parse().ok());
    let found: u32 = number.ok_or(ReadError::Magic)?;
    if found == 0 || found > FORMAT {
        return Err(ReadError::Format { found });
    }
    let (before, digest) = bytes.split_last_chunk::<8>().ok_or(ReadError::Damaged)?;
    if xxh3_64(before) != u64::from_le_bytes(*digest) {
        return Err(ReadError::Damaged);
    }
    rest[end + 1..].strip_suffix(digest).and_then(|rest| rest.strip_suffix(b"DONE")).ok_or(ReadError::Damaged)
}

/// A part's name.
type Tag = [u8; 4];

/// The next part's name and inflated bytes.
fn next_part(bytes: &mut &[u8]) -> Result<Option<(Tag, Vec<u8>)>, ReadError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (tag, length, packed) = split_part(bytes).ok_or(ReadError::Damaged)?;
    let most = packed.len().saturating_mul(MOST_EXPANSION);
    let part = (length <= most).then(|| decompress_to_vec_with_limit(packed, length).ok()).flatten();
    let part = part.filter(|part| part.len() == length).ok_or(ReadError::Damaged)?;
    Ok(Some((tag, part)))
}

fn split_part<'a>(bytes: &mut &'a [u8]) -> Option<(Tag, usize, &'a [u8])> {
    let tag = take_array(bytes)?;
    let length = u32::from_le_bytes(take_array(bytes)?) as usize;
    let packed = u32::from_le_bytes(take_array(bytes)?) as usize;
    Some((tag, length, bytes.split_off(..packed)?))
}

fn take_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (array, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*array)
}

/// Flags of a sample: a time between keys.
const BETWEEN: u8 = 1;
/// All its digests hold.
const EXACT: u8 = 2;
/// Its time is its number divided by the frame rate.
const BY_RATE: u8 = 4;

fn has_vertices(meshes: &[RecordedMesh]) -> bool {
    meshes.iter().any(|mesh| mesh.vertices > 0)
}

fn by_rate(place: Place, frame_rate: Option<f64>) -> Option<f64> {
    match (place, frame_rate) {
        (Place::Key(key), Some(rate)) => Some(f64::from(key) / rate),
        _ => None,
    }
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

/// What the head says about a part with frames.
struct Shape<'a> {
    head: &'a Head,
    samples: usize,
    frame_rate: Option<f64>,
    grid: Grid,
}

fn frames_from_bytes(part: &'static str, mut bytes: &[u8], shape: &Shape<'_>) -> Result<Frames, ReadError> {
    let short = || content(part, "it ends too early");
    if shape.samples.saturating_mul(shape.head.joints.len()) > 2 * MOST_JOINT_POSES {
        return Err(content(part, format!("{} samples are more than a snapshot has", shape.samples)));
    }
    let frames = read_frames(&mut bytes, shape).ok_or_else(short)?;
    if bytes.is_empty() { Ok(frames) } else { Err(content(part, format!("{} bytes are left over", bytes.len()))) }
}

fn read_frames(bytes: &mut &[u8], shape: &Shape<'_>) -> Option<Frames> {
    let Shape { head, samples: count, frame_rate, grid } = *shape;
    let joint_count = head.joints.len();
    let flags = bytes.split_off(..count)?;
    let mut times = Vec::new();
    for _ in flags.iter().filter(|&flag| flag & BY_RATE == 0) {
        times.push(f64::from_le_bytes(take_array(bytes)?));
    }
    let mut column = |count: usize| -> Option<Vec<u64>> {
        let digests = bytes.split_off(..count.checked_mul(8)?)?;
        // Exactly eight bytes each.
        Some(
            digests
                .chunks_exact(8)
                .map(|digest| digest.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
                .collect(),
        )
    };
    let (local, model) = (column(joint_count)?, column(joint_count)?);
    let (positions, shading) = (column(head.meshes.len())?, column(head.meshes.len())?);
    let mut digests = Vec::new();
    for flag in flags {
        let mut digest = || Some(u32::from_le_bytes(take_array(bytes)?));
        let mut found = SampleDigests { local: digest()?, ..SampleDigests::default() };
        if flag & EXACT != 0 {
            let [model, positions, shading] = [digest()?, digest()?, digest()?];
            found = SampleDigests { model, positions, shading, ..found };
        }
        digests.push(found);
    }
    let riding = bytes.split_off(..joint_count)?;
    let with_vertices = has_vertices(&head.meshes);
    let track_count = 1 + JOINT_TRACKS * joint_count + if with_vertices { VERTEX_TRACKS } else { 0 };
    let tracks = codec::read_tracks(bytes, track_count, count)?;
    let (places, tracks) = tracks.split_first()?;
    let (of_joints, of_vertices) = tracks.split_at_checked(JOINT_TRACKS * joint_count)?;

    let mut steps: Vec<Vec<Steps>> = Vec::with_capacity(joint_count);
    for ((joint, tracks), riding) in head.joints.iter().zip(of_joints.chunks(JOINT_TRACKS)).zip(riding) {
        let parent = joint.parent.filter(|_| *riding != 0);
        let parent = parent.and_then(|parent| steps.get(parent as usize)).map(Vec::as_slice);
        let read = codec::tracks_to_joint(&tracks[..7], parent, grid, count);
        steps.push(read);
    }
    let joint = |sample: usize, index: usize| {
        let steps = steps[index][sample];
        let stretch = |part: usize| UNIT.value(of_joints[JOINT_TRACKS * index + 7 + part][sample]);
        Transform {
            translation: DVec3::from_array(steps.position.map(|part| grid.value(part))),
            rotation: DQuat::from_array(steps.rotation.map(|part| UNIT.value(part))),
            scale: DVec3::new(stretch(0), stretch(1), stretch(2)),
            shear: DVec3::new(stretch(3), stretch(4), stretch(5)),
        }
    };
    let of_vertices = |sample: usize, quantity: usize, grid: Grid| {
        let axis = |axis: usize| of_vertices.get(5 * axis + quantity).map_or(0, |track| track[sample]);
        DVec3::from_array([axis(0), axis(1), axis(2)].map(|steps| grid.value(steps)))
    };
    let (mut times, mut digests) = (times.into_iter(), digests.into_iter());
    let mut samples = Vec::with_capacity(count);
    for (index, &flag) in flags.iter().enumerate() {
        let number = u32::try_from(places[index]).ok()?;
        let place = if flag & BETWEEN == 0 { Place::Key(number) } else { Place::After(number) };
        samples.push(Sample {
            time: if flag & BY_RATE != 0 { by_rate(place, frame_rate)? } else { times.next()? },
            place,
            exact: flag & EXACT != 0,
            digests: digests.next()?,
            joints: (0..joint_count).map(|joint_index| joint(index, joint_index)).collect(),
            bounds: with_vertices.then(|| (of_vertices(index, 0, grid), of_vertices(index, 1, grid))),
            position_sums: [of_vertices(index, 2, grid), of_vertices(index, 3, grid)],
            shading_sum: of_vertices(index, 4, UNIT),
        });
    }
    Some(Frames { samples, local, model, positions, shading })
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
