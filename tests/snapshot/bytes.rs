//! Snapshots as bytes: nothing is lost, and nothing in a file can do harm.

use super::figure::{figure, turn};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::model::{JointTracks, Timeline};
use bindpose::snapshot::{Check, Exact, Input, ReadError, Snapshot};
use glam::DVec3;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

fn snapshot() -> Snapshot {
    Snapshot::take(&figure(), vec![Input::new("figure.md5mesh", b"abc")])
}

/// Puts the right digest at the end, so that what is behind it is tested too.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let digest = xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&digest.to_le_bytes());
    bytes
}

/// A part before the end, and the end sealed again.
fn with_part(bytes: &[u8], tag: &[u8; 4], part: &[u8]) -> Vec<u8> {
    let end = bytes.len() - 12;
    let mut changed = bytes[..end].to_vec();
    // A deflate stream of one stored block.
    let packed = [&[1], &(part.len() as u16).to_le_bytes()[..], &(!(part.len() as u16)).to_le_bytes(), part].concat();
    changed.extend_from_slice(tag);
    changed.extend_from_slice(&(part.len() as u32).to_le_bytes());
    changed.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    changed.extend_from_slice(&packed);
    changed.extend_from_slice(&bytes[end..]);
    seal(changed)
}

#[test]
fn what_is_read_is_what_was_written_to_the_grid() {
    let written = snapshot();
    let bytes = written.to_bytes();
    let read = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!((&read.joints, &read.meshes, &read.inputs), (&written.joints, &written.meshes, &written.inputs));
    assert_eq!(read.size.to_bits(), written.size.to_bits());
    let step = written.size * 2f64.powi(-31);
    for (read, written) in read.clips.iter().zip(&written.clips) {
        assert_eq!(read.frames.samples.len(), written.frames.samples.len());
        assert_eq!((&read.frames.local, &read.frames.positions), (&written.frames.local, &written.frames.positions));
        for (read, written) in read.frames.samples.iter().zip(&written.frames.samples) {
            assert_eq!((read.time, read.place, read.digests), (written.time, written.place, written.digests));
            for (read, written) in read.joints.iter().zip(&written.joints) {
                assert!(read.translation.distance(written.translation) <= step);
                assert!(read.scale.distance(written.scale) <= 1e-9 && read.shear.distance(written.shear) <= 1e-9);
                let turned = read.rotation * written.rotation.dot(read.rotation).signum();
                assert!((turned - written.rotation).length() <= 1e-9);
            }
            let (bounds, original) = (read.bounds.unwrap(), written.bounds.unwrap());
            assert!(bounds.0.distance(original.0) <= step && bounds.1.distance(original.1) <= step);
        }
    }
    assert_eq!(read.to_bytes(), bytes, "writing again changes nothing");
    let exact = Check { exact: Exact::Always, ..Check::default() };
    assert!(read.compare(&written, &exact).is_same());
}

/// A pose of a joint takes 56 bytes as numbers; here everything together takes less than a sixth of that.
#[test]
fn it_is_small() {
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

/// Written on x86-64 with Linux: every later version reads it, and every machine evaluates to the same bits, between
/// keys too.
#[test]
fn a_recorded_snapshot_still_reads_and_holds() {
    let bytes = include_bytes!("figure-2.snapshot");
    let recorded = Snapshot::from_bytes(bytes).unwrap();
    assert_eq!(recorded.tool, "0.1.0");
    let exact = Check { exact: Exact::Always, ..Check::default() };
    let comparison = recorded.compare(&Snapshot::take(&figure(), Vec::new()), &exact);
    assert!(comparison.is_same(), "{comparison}");
}

#[test]
fn what_a_later_version_adds_is_skipped_or_refused_by_its_first_letter() {
    let bytes = snapshot().to_bytes();
    let same = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!(Snapshot::from_bytes(&with_part(&bytes, b"note", b"hello")), Ok(same));
    let unknown = ReadError::UnknownPart { tag: "MORE".to_owned(), offset: bytes.len() - 12 };
    assert_eq!(Snapshot::from_bytes(&with_part(&bytes, b"MORE", b"hello")), Err(unknown));
    let of_format = |line: &[u8]| Snapshot::from_bytes(&[line, &bytes[20..]].concat());
    assert_eq!(of_format(b"bindpose snapshot 3\n"), Err(ReadError::Newer { found: 3 }));
    let older = of_format(b"bindpose snapshot 1\n").unwrap_err();
    assert_eq!(older, ReadError::Older { found: 1 });
    assert!(older.to_string().contains("run `bindpose snapshot update`"), "{older}");
}

#[test]
fn other_files_and_damaged_ones_are_told_apart() {
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

/// Each fault inside a file is told with the place where it is.
#[test]
fn faults_have_their_places() {
    let bytes = snapshot().to_bytes();
    let end = bytes.len() - 12;
    let twice = Snapshot::from_bytes(&with_part(&bytes, b"CLIP", b"")).unwrap_err();
    let problem = "'HEAD' lists only 2 clips".to_owned();
    assert_eq!(twice, ReadError::Content { part: "CLIP", offset: end, inside: 0, problem });

    // Another first part: the same bytes under another name, so that its length still fits.
    let mut renamed = bytes.clone();
    renamed[20..24].copy_from_slice(b"HOOD");
    let problem = "the first part is not 'HEAD'".to_owned();
    assert_eq!(Snapshot::from_bytes(&seal(renamed)), Err(ReadError::Frame { offset: 20, problem }));

    // Nothing after the head, and a head that is no JSON from its third byte on.
    let only = |head: &[u8]| {
        let empty = [b"bindpose snapshot 2\nDONE".as_slice(), &[0; 8]].concat();
        Snapshot::from_bytes(&with_part(&empty, b"HEAD", head)).unwrap_err()
    };
    let missing = only(
        br#"{"tool":"","model":"","inputs":[],"size":"1","grid":0,"joints":[],"materials":[],"meshes":[],"clips":[]}"#,
    );
    assert!(matches!(&missing, ReadError::Frame { problem, .. } if problem.contains("'REST' is missing")), "{missing}");
    let torn = only(b"{\n;");
    assert!(matches!(torn, ReadError::Content { part: "HEAD", offset: 20, inside: 2, .. }), "{torn}");
}

/// What is read takes no more memory than its bytes and the limit allow, and the refusal has the numbers.
#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let budget = Budget::new(MemoryLimit::Bytes(1000));
    let refused = Snapshot::from_bytes_within(&snapshot().to_bytes(), &budget).unwrap_err();
    assert!(matches!(refused, ReadError::TooLarge(_)), "{refused}");

    let empty = [b"bindpose snapshot 2\nDONE".as_slice(), &[0; 8]].concat();
    let joints = vec![r#"{"name":""}"#; 1000].join(",");
    let head = format!(
        r#"{{"tool":"","model":"","inputs":[],"size":"1","grid":0,"joints":[{joints}],"materials":[],"meshes":[],
        "clips":[{{"name":"","duration":"1","looping":false,"samples":8000}}]}}"#
    );
    let bytes = with_part(&with_part(&empty, b"HEAD", head.as_bytes()), b"CLIP", b"");
    let refused = Snapshot::from_bytes(&bytes).unwrap_err().to_string();
    // A pose is 13 numbers of 8 bytes: 8 million take 793 MiB.
    assert!(refused.contains("1,000 joints in 8,000 samples would need 79"), "{refused}");

    // 200 MB of zeros in 200 KB.
    let zeros = miniz_oxide::deflate::compress_to_vec(&vec![0; 200_000_000], 1);
    let lengths = [200_000_000_u32, zeros.len() as u32].map(u32::to_le_bytes).concat();
    let bomb = [&empty[..20], b"HEAD", &lengths, &zeros, &empty[20..]].concat();
    let refused = Snapshot::from_bytes(&seal(bomb)).unwrap_err().to_string();
    assert!(refused.contains("the part 'HEAD' of 200,000,000 bytes would need"), "{refused}");
}

/// What is written can be read, however well it packs: a name of 30 million letters, 300,000 joints without movement.
#[test]
fn what_packs_well_can_be_read_by_default() {
    let mut named = snapshot();
    named.joints[0].name = "a".repeat(30_000_000);
    let mut crowd = snapshot();
    crowd.clips.clear();
    let count = 300_000;
    crowd.joints = vec![crowd.joints[0].clone(); count];
    let sample = &mut crowd.rest.samples[0];
    sample.joints = vec![sample.joints[0]; count];
    (crowd.rest.local, crowd.rest.model) = (vec![0; count], vec![0; count]);
    for snapshot in [named, crowd] {
        let bytes = snapshot.to_bytes();
        let read = Snapshot::from_bytes(&bytes).unwrap();
        assert_eq!(read.joints, snapshot.joints);
        assert_eq!(read.to_bytes().len(), bytes.len());
        assert!(bytes.len() < 3_000_000, "{} bytes", bytes.len());
    }
    // What is small is not filled up.
    assert!(!snapshot().to_bytes().windows(4).any(|tag| tag == b"fill"));
}

/// A part that claims four billion bytes, and one that claims more than deflate can make of what is there.
#[test]
fn claimed_lengths_reserve_nothing() {
    let bytes = snapshot().to_bytes();
    let head = 20 + 4;
    for claim in [u32::MAX, 40_000_000] {
        let mut huge = bytes.clone();
        huge[head..head + 4].copy_from_slice(&claim.to_le_bytes());
        let refused = Snapshot::from_bytes(&seal(huge)).unwrap_err();
        let problem = format!("the part 'HEAD' claims {claim} bytes");
        assert!(
            matches!(&refused, ReadError::Frame { offset: 20, problem: p } if p.starts_with(&problem)),
            "{refused}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// With the digest at the end made to fit, so that every reader behind it sees the damage.
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

    /// The same for what is inside the deflated parts, which random damage outside seldom reaches.
    #[test]
    fn damage_inside_a_part_is_no_panic_either(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let bytes = snapshot_bytes();
        let mut rest = &bytes[20..bytes.len() - 12];
        let mut changed = bytes[..20].to_vec();
        let mut parts = Vec::new();
        while let [a, b, c, d, lengths @ ..] = rest {
            let packed = u32::from_le_bytes(lengths[4..8].try_into().unwrap()) as usize;
            let part = miniz_oxide::inflate::decompress_to_vec(&lengths[8..8 + packed]).unwrap();
            parts.push(([*a, *b, *c, *d], part));
            rest = &lengths[8 + packed..];
        }
        let number = parts.len();
        for (place, value) in edits {
            let part = &mut parts[place.index(number)].1;
            let place = place.index(part.len());
            part[place] = value;
        }
        if let Some(cut) = cut {
            let part = &mut parts[cut.index(number)].1;
            part.truncate(cut.index(part.len()));
        }
        for (tag, part) in parts {
            let packed = miniz_oxide::deflate::compress_to_vec(&part, 1);
            changed.extend_from_slice(&tag);
            changed.extend_from_slice(&(part.len() as u32).to_le_bytes());
            changed.extend_from_slice(&(packed.len() as u32).to_le_bytes());
            changed.extend_from_slice(&packed);
        }
        changed.extend_from_slice(&bytes[bytes.len() - 12..]);
        if let Ok(read) = Snapshot::from_bytes(&seal(changed)) {
            let _ = read.compare(&read, &Check::default());
            let _ = read.to_bytes();
        }
    }
}

fn snapshot_bytes() -> &'static Vec<u8> {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    BYTES.get_or_init(|| snapshot().to_bytes())
}
