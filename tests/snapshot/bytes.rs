//! Snapshots as bytes: nothing is lost, and no file content does harm.

use super::figure::{figure, turn};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::model::{JointTracks, Model, Timeline};
use bindpose::snapshot::{Check, Exact, Input, ReadError, Snapshot};
use glam::DVec3;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

fn snapshot() -> Snapshot {
    Snapshot::take(&figure(), vec![Input::new("figure.md5mesh", b"abc")])
}

/// Puts the right digest at the end, so that the code after its check is tested too.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let digest = xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&digest.to_le_bytes());
    bytes
}

/// Offset of the length after the first line.
const LENGTH: usize = 20;

/// Returns the content of a file, unpacked.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(&bytes[LENGTH + 8..bytes.len() - 8]).unwrap()
}

/// Snapshot and columns of numbers: the content of a file.
type Content = (Snapshot, Vec<Vec<i64>>);

/// Creates a file from a snapshot and its columns after an edit.
fn edited(edit: fn(&mut Content)) -> Vec<u8> {
    let mut content: Content = postcard::from_bytes(&unpacked(snapshot_bytes())).unwrap();
    edit(&mut content);
    packed(&postcard::to_allocvec(&content).unwrap())
}

/// Creates a file from its content.
fn packed(content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u64).to_le_bytes();
    seal([b"bindpose snapshot 5\n", &length[..], &miniz_oxide::deflate::compress_to_vec(content, 1), &[0; 8]].concat())
}

#[test]
fn reading_gives_what_was_written_to_the_grid() {
    let written = snapshot();
    let bytes = written.to_bytes();
    let read = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!((&read.joints, &read.meshes, &read.inputs), (&written.joints, &written.meshes, &written.inputs));
    assert_eq!(read.size.to_bits(), written.size.to_bits());
    // Numbers are rounded to the grid when a snapshot is taken.
    assert_eq!(read, written);
    assert_eq!(read.to_bytes(), bytes, "writing again changes nothing");
    let exact = Check { exact: Exact::Always, ..Check::default() };
    assert!(read.compare(&written, &exact).is_same());
}

/// As numbers, a pose of a joint takes 56 bytes. Here everything together takes less than a sixth of that.
#[test]
fn snapshots_are_small() {
    let mut model = figure();
    let frames = 1200;
    let clip = &mut model.clips[0];
    clip.timelines = vec![Timeline::new((0..frames).map(|frame| f64::from(frame) / 24.0).collect()).unwrap()];
    for (tracks, axis) in clip.joints.iter_mut().zip([DVec3::X, DVec3::Y, DVec3::Z, DVec3::X, DVec3::Y]) {
        let JointTracks::Parts { rotation: Some(track), .. } = tracks else { unreachable!() };
        let swing = |frame: i32| turn(axis, f64::from((frame % 60 - 30) * (frame % 45 - 20)) / 1000.0);
        track.values = (0..frames).map(swing).collect();
    }
    let bytes = Snapshot::take(&model, Vec::new()).to_bytes();
    let poses = 5 * frames as usize;
    assert!(bytes.len() < 9 * poses, "{} bytes for {poses} poses", bytes.len());
}

/// Written on x86-64 with Linux. Every later version reads it, and every machine evaluates to the same bits, also
/// between keys.
#[test]
fn a_recorded_snapshot_still_reads_and_holds() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshot/figure-5.snapshot")).unwrap();
    let recorded = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!(recorded.tool, "0.1.0");
    let exact = Check { exact: Exact::Always, ..Check::default() };
    let comparison = recorded.compare(&Snapshot::take(&figure(), Vec::new()), &exact);
    assert!(comparison.is_same(), "{comparison}");
}

#[test]
fn other_formats_are_refused() {
    let bytes = snapshot().to_bytes();
    let of_format = |line: &[u8]| Snapshot::from_bytes(&[line, &bytes[20..]].concat());
    assert_eq!(of_format(b"bindpose snapshot 6\n"), Err(ReadError::Newer { found: 6 }));
    let older = of_format(b"bindpose snapshot 4\n").unwrap_err();
    assert_eq!(older, ReadError::Older { found: 4 });
    assert!(older.to_string().contains("run `bindpose snapshot update`"), "{older}");
}

#[test]
fn foreign_and_damaged_files_have_different_errors() {
    let bytes = snapshot().to_bytes();
    for other in [&b""[..], b"MD5Version 10", b"bindpose snapshot", b"bindpose snapshot x\n"] {
        assert_eq!(Snapshot::from_bytes(other), Err(ReadError::Magic));
    }
    for length in 20..bytes.len() {
        let offset = length.saturating_sub(8).max(20);
        assert_eq!(Snapshot::from_bytes(&bytes[..length]), Err(ReadError::Digest { offset }), "cut to {length}");
    }
    let mut flipped = bytes.clone();
    flipped[100] ^= 1;
    assert_eq!(Snapshot::from_bytes(&flipped), Err(ReadError::Digest { offset: bytes.len() - 8 }));
}

/// Each fault in a file whose digest matches.
#[test]
fn faults_inside_a_file_are_described() {
    let content = unpacked(snapshot_bytes());
    for (file, problem) in [
        (seal([b"bindpose snapshot 5\n".as_slice(), &[0; 8]].concat()), "a length of 64 bits is missing"),
        (packed(&content[..content.len() - 1]), "it is not readable: "),
        (packed(&[&content[..], b"ab"].concat()), "2 bytes follow the content"),
        (edited(|(snapshot, _)| snapshot.joints[2].parent = Some(2)), "joint 2 has parent 2, expected one before it"),
        (edited(|(snapshot, _)| snapshot.rest.positions.push(1)), "digests of [5, 5, 3, 2] joints and meshes"),
        (edited(|(_, frames)| frames[0].push(0)), "a frame has too few or wrong numbers"),
        (edited(|(_, frames)| frames.push(Vec::new())), "frames of 4 clips, expected 3"),
        (edited(|(_, frames)| frames[1][2] = -1), "samples are not in the order of time"),
    ] {
        let refused = Snapshot::from_bytes(&file).unwrap_err();
        assert!(matches!(&refused, ReadError::Content { offset: 20, .. }), "{refused}");
        assert!(refused.to_string().contains(problem), "{refused}, expected {problem}");
    }
}

/// Memory is checked against the number of bytes and the budget before it is allocated, and the refusal has the
/// numbers.
#[test]
fn memory_is_charged_before_it_is_allocated() {
    let budget = Budget::new(MemoryLimit::Bytes(1000));
    let refused = Snapshot::from_bytes_within(&snapshot().to_bytes(), &budget).unwrap_err();
    assert!(matches!(refused, ReadError::TooLarge(_)), "{refused}");

    // 200 MB of zeros in less than 1 MB.
    let budget = Budget::new(MemoryLimit::Bytes(100_000_000));
    let refused = Snapshot::from_bytes_within(&packed(&vec![0; 200_000_000]), &budget).unwrap_err().to_string();
    assert!(refused.contains("a snapshot of 200,000,000 bytes unpacked would need 190.7 MiB"), "{refused}");

    // 300,000 samples of 13 numbers, which are few when packed: 4 MB of content, 24 bytes for each number and 256 for each
    // sample. Numbers of ten bytes need no more, except in the content.
    let empty = Snapshot::take(&Model::default(), Vec::new());
    for (number, limit, problem) in [
        (0, 90_000_000, "3,900,000 numbers of frames would need 89.2 MiB"),
        (0, 160_000_000, "300,000 samples would need 73.2 MiB"),
        (i64::MIN, 250_000_000, "a frame has too few or wrong numbers"),
    ] {
        let content: Content = (empty.clone(), vec![vec![number; 13 * 300_000]]);
        let budget = Budget::new(MemoryLimit::Bytes(limit));
        let file = packed(&postcard::to_allocvec(&content).unwrap());
        let refused = Snapshot::from_bytes_within(&file, &budget).unwrap_err().to_string();
        assert!(refused.contains(problem), "{refused}");
    }

    // A name of 40 MB could also be 40 million empty names.
    let named = Snapshot { model: "n".repeat(40_000_000), ..empty };
    let content: Content = (named, vec![vec![0; 13]]);
    let budget = Budget::new(MemoryLimit::Bytes(500_000_000));
    let refused = Snapshot::from_bytes_within(&packed(&postcard::to_allocvec(&content).unwrap()), &budget);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("the names and digests of a snapshot would need"), "{refused}");
}

/// Every written file can be read, however well it compresses: a name of 30 million letters, 100,000 joints without
/// movement.
#[test]
fn files_that_pack_well_are_read_by_default() {
    let mut named = snapshot();
    named.joints[0].name = "a".repeat(30_000_000);
    let mut crowd = snapshot();
    crowd.clips.clear();
    let count = 100_000;
    crowd.joints = vec![crowd.joints[0].clone(); count];
    let sample = &mut crowd.rest.samples[0];
    sample.joints = vec![sample.joints[0]; count];
    (crowd.rest.local, crowd.rest.model) = (vec![0; count], vec![0; count]);
    for snapshot in [named, crowd] {
        let bytes = snapshot.to_bytes();
        let read = Snapshot::from_bytes(&bytes).unwrap();
        assert_eq!(read.joints, snapshot.joints);
        assert_eq!(read.to_bytes().len(), bytes.len());
        assert!(bytes.len() < 6_000_000, "{} bytes", bytes.len());
    }
    // A small file has no zeros added.
    assert!(!snapshot().to_bytes().ends_with(&[0; 32]));
}

/// A file that claims 2^64 bytes, and one that claims more than deflate can expand it to.
#[test]
fn claimed_lengths_reserve_nothing() {
    let bytes = snapshot().to_bytes();
    for claim in [u64::MAX, 40_000_000] {
        let mut huge = bytes.clone();
        huge[LENGTH..LENGTH + 8].copy_from_slice(&claim.to_le_bytes());
        let refused = Snapshot::from_bytes(&seal(huge)).unwrap_err();
        assert!(
            matches!(&refused, ReadError::Content { offset: 20, problem } if problem.starts_with("it claims ")),
            "{refused}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The digest at the end is corrected, so that all code after its check sees the damage.
    #[test]
    fn damage_is_an_error_or_another_snapshot_but_never_a_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = snapshot_bytes().clone();
        for (place, value) in edits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Ok(read) = Snapshot::from_bytes(&seal(bytes)) {
            let _ = read.compare(&read, &Check::default());
            let _ = read.to_bytes();
        }
    }

    /// Damage inside the deflate stream, which random damage outside seldom reaches.
    #[test]
    fn damage_inside_the_stream_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        numbers in prop::collection::vec((any::<prop::sample::Index>(), any::<i64>()), 0..9),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let content = unpacked(snapshot_bytes());
        let (mut other, mut frames): Content = postcard::from_bytes(&content).unwrap();
        let mut damaged = content;
        for (index, value) in edits {
            let index = index.index(damaged.len());
            damaged[index] = value;
        }
        for (index, number) in numbers {
            let list = &mut frames[number as usize % 3];
            let place = index.index(list.len());
            list[place] = number;
            other.size = f64::from_bits(number as u64);
        }
        let other = postcard::to_allocvec(&(other, frames)).unwrap();
        let end = cut.map_or(damaged.len(), |cut| cut.index(damaged.len()));
        for content in [&damaged[..end], &other] {
            if let Ok(read) = Snapshot::from_bytes(&packed(content)) {
                let _ = read.compare(&read, &Check::default());
                let _ = read.to_bytes();
            }
        }
    }
}

fn snapshot_bytes() -> &'static Vec<u8> {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    BYTES.get_or_init(|| snapshot().to_bytes())
}
