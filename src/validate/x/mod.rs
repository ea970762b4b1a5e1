//! DirectX .x files: D3DX's verdict on every fault, and what no reader tests.

mod structure;

use super::finding::{FileIndex, Finding, Findings, OWN_FILE, Place, Said};
use super::neighbours;
use super::profiles::{FormatFamily, Loader, PROFILES};
use super::unit::Judgement;
use super::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, D3dxError, Document, Encoding, Fault, KeyKind, Matrix, Parsed, Reading, Unpacked};
use glam::DVec3;
use std::borrow::Cow;
use std::path::Path;
use structure::Slip;

/// Codes of .x files.
const PREFIX: &str = "XF";

/// Rotation keys may be off unit length by this: exporters print six decimals.
const UNIT: f64 = 1e-3;
/// Cosine between axes of a matrix from which it shears.
const ORTHOGONAL: f64 = 1e-3;

const EXPECTED: u16 = 20;
const END_INSIDE: u16 = 21;
const UNCLOSED_STRING: u16 = 23;
const MISSING_VALUES: u16 = 45;
const EXTRA_VALUES: u16 = 46;
const COUNT: u16 = 48;
const TIMES_FALL: u16 = 115;
const SINGLE_INDEX: u16 = 83;
const EMPTY_SKIN: u16 = 100;
const ZERO_WEIGHTS: u16 = 101;
const DEGENERATE: u16 = 82;
const TICKS_MISSING: u16 = 126;
const QUATERNION: u16 = 127;
const SHEAR: u16 = 128;
const ROOTS: u16 = 129;
const NOTHING: u16 = 130;
const FIRST_LINE: u16 = 131;
const FVF: u16 = 132;

/// The bytes that spans count, once compression is undone, and what that brought up.
pub(super) struct Opened {
    pub bytes: Vec<u8>,
    pub head: Result<Head, (Fault, Span)>,
}

/// What the header said.
pub(super) struct Head {
    encoding: Encoding,
    version: [u8; 4],
    body: usize,
    warnings: Vec<x::Warning>,
    was_compressed: bool,
}

impl Head {
    /// Whether the bytes are those that were inside a compressed file.
    pub fn is_unpacked(&self) -> bool {
        self.was_compressed
    }
}

/// Reads the header and undoes compression; a file that cannot be opened keeps its bytes.
pub(super) fn open(bytes: Vec<u8>) -> Opened {
    let head = match x::unpack(&bytes, Reading::Lenient) {
        Err(error) => Err((error.kind, error.span)),
        Ok(unpacked) => {
            let Unpacked { encoding, version, bytes: inside, body, warnings } = unpacked;
            let head = Head { encoding, version, body, warnings, was_compressed: encoding.compressed };
            if let Cow::Owned(inside) = inside {
                return Opened { bytes: inside, head: Ok(head) };
            }
            Ok(head)
        }
    };
    Opened { bytes, head }
}

/// Checks an opened file; `bytes` are those of [`Opened`], `file` its place among those checked together.
pub(super) fn check(
    file: FileIndex,
    path: &Path,
    bytes: &[u8],
    head: Result<Head, (Fault, Span)>,
) -> (Vec<Finding>, Vec<Judgement>) {
    let mut findings = Findings::new(PREFIX);
    match head {
        Err((fault, span)) => add(&fault, span, 1, &mut findings),
        Ok(head) => check_content(path, bytes, head, &mut findings),
    }
    let findings = findings.finish(file);
    let name = path.display().to_string();
    let judgements = PROFILES
        .iter()
        .filter(|profile| profile.reads(FormatFamily::X))
        .map(|profile| {
            let said = findings.iter().flat_map(|finding| &finding.said);
            let refused = said.filter(|said| said.profile == profile).any(|said| said.outcome == Outcome::Refuses);
            let mut verdict = Verdict::loads();
            if refused {
                verdict.outcome = Outcome::Refuses;
            }
            Judgement::new(profile, &name, (profile.loader == Loader::D3dx).then_some(&verdict), &findings)
        })
        .collect();
    (findings, judgements)
}

fn check_content(path: &Path, bytes: &[u8], head: Head, findings: &mut Findings) {
    // Spans of the envelope count the packed bytes, which are not shown.
    let start = Span::new(0, head.body.min(bytes.len()));
    for warning in &head.warnings {
        let span = if head.was_compressed { start } else { warning.span };
        add(&warning.kind, span, warning.times, findings);
    }
    let file = Unpacked {
        encoding: Encoding { compressed: false, ..head.encoding },
        version: head.version,
        bytes: Cow::Borrowed(bytes),
        body: head.body,
        warnings: Vec::new(),
    };
    match x::parse(&file, Reading::Lenient) {
        Err(error) => add(&error.kind, error.span, 1, findings),
        Ok(Parsed { document, warnings, .. }) => {
            for warning in &warnings {
                add(&warning.kind, warning.span, warning.times, findings);
            }
            check_document(&document, findings);
            neighbours::check_x(path, &document, findings);
        }
    }
    check_first_line(bytes, head.body, findings);
    if head.encoding.format == x::Format::Text {
        find_open_string(bytes, head.body, findings);
        find_slips(bytes, head.body, findings);
        find_missing_brace(bytes, head.body, findings);
        find_late_time(bytes, head.body, findings);
    }
}

/// Faults that a wrong count or entry leads to where the reader stumbles.
const AFTER_SLIP: [u16; 12] = [EXPECTED, 31, 32, 33, 40, 41, MISSING_VALUES, EXTRA_VALUES, 47, 70, 71, 114];
/// Disagreements with a mesh that was read wrong, or with what is missing in it.
const ABOUT_MESH: [u16; 14] = [45, 46, 70, 71, 72, 74, 75, 78, 79, 83, 93, 95, 97, 98];

/// Puts one finding at a wrong count, or at an entry with too many or too few values, in the place of those that it led
/// to.
fn find_slips(bytes: &[u8], body: usize, findings: &mut Findings) {
    let place = |number: &u16| Some((*number, findings.get(*number)?.first.span));
    let suspects: Vec<_> = AFTER_SLIP.iter().filter_map(place).collect();
    for (number, span) in suspects {
        let Some(slip) = structure::slip(bytes, body, span.start as usize) else { continue };
        let (code, object, at) = match &slip {
            Slip::Count(wrong) => (COUNT, wrong.object, wrong.span),
            Slip::Entry(wrong) if wrong.found < wrong.expected => (MISSING_VALUES, wrong.object, wrong.span),
            Slip::Entry(wrong) => (EXTRA_VALUES, wrong.object, wrong.span),
        };
        let inside = |object: Span, place: &Place| object.start <= place.span.start && place.span.end <= object.end;
        let Some(led_to) = findings.take(number, |finding| finding.places().all(|place| inside(object, place))) else {
            continue;
        };
        // One object's fault, whatever it led to.
        let is_known = findings.get(code).is_some_and(|finding| finding.places().any(|place| place.span == at));
        if !is_known {
            let added = findings.add(code, at, || match &slip {
                Slip::Count(wrong) => {
                    format!("'{}' announces {} entries, found {}", wrong.kind, wrong.announced, wrong.found)
                }
                Slip::Entry(wrong) => {
                    format!("an entry of '{}' has {} values, expected {}", wrong.kind, wrong.found, wrong.expected)
                }
            });
            if let Some(finding) = added {
                if let Slip::Count(wrong) = &slip {
                    finding.value("expected", wrong.announced).value("found", wrong.found);
                    finding.related(OWN_FILE, wrong.last, "the last entry");
                }
                finding.related(OWN_FILE, span, format!("which leads to: {}", led_to.message));
            }
            let mesh = structure::mesh_around(bytes, body, object);
            for number in ABOUT_MESH.into_iter().filter(|&number| number != code) {
                findings.take(number, |finding| finding.places().all(|place| inside(mesh, place)));
            }
        }
        if let Some(finding) = findings.get_mut(code) {
            for said in led_to.said {
                if !finding.said.contains(&said) {
                    finding.said.push(said);
                }
            }
        }
    }
}

/// Puts a finding at the string that is not closed on its line in the place of the error that it led to.
fn find_open_string(bytes: &[u8], body: usize, findings: &mut Findings) {
    for number in [EXPECTED, UNCLOSED_STRING, END_INSIDE] {
        let Some(at) = findings.get(number).map(|finding| finding.first.span) else { continue };
        let Some(string) = structure::open_string(bytes, body, at.start as usize).filter(|&string| string != at) else {
            continue;
        };
        let Some(led_to) = findings.take(number, |_| true) else { continue };
        let added = findings.add(UNCLOSED_STRING, string, || "a string goes on over the end of its line".to_owned());
        if let Some(finding) = added {
            finding.related(OWN_FILE, at, format!("which leads to: {}", led_to.message));
            finding.said.extend(led_to.said);
        }
        return;
    }
}

/// Key times that fall after one that is far too late: the late one is meant.
fn find_late_time(bytes: &[u8], body: usize, findings: &mut Findings) {
    let Some(finding) = findings.get_mut(TIMES_FALL) else { return };
    if let Some(late) = structure::late_time(bytes, body, finding.first.span) {
        finding.related(OWN_FILE, finding.first.span, "the next key");
        finding.first.span = late;
    }
}

/// Says which object seems to have lost its closing brace where the file ends inside one.
fn find_missing_brace(bytes: &[u8], body: usize, findings: &mut Findings) {
    let Some(finding) = findings.get_mut(END_INSIDE) else { return };
    if let Some(unclosed) = structure::unclosed(bytes, body) {
        finding.related(OWN_FILE, unclosed.open, "going by the indentation, this brace is not closed");
        finding.related(OWN_FILE, unclosed.closed, "before this one");
    }
}

/// Data on the header's line is legal and lost on some readers.
fn check_first_line(bytes: &[u8], body: usize, findings: &mut Findings) {
    let is_text = bytes.get(8..12) == Some(b"txt ");
    let rest = bytes.get(body..).unwrap_or_default();
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = line.iter().position(|&byte| byte > b' ');
    if let Some(first) = first.filter(|_| is_text) {
        let end = line.iter().rposition(|&byte| byte > b' ').unwrap_or(first);
        findings.add(FIRST_LINE, Span::new(body + first, body + end + 1), || "data on the header's line".to_owned());
    }
}

/// Puts a fault of the parser under our code, with D3DX's answer.
fn add(fault: &Fault, span: Span, times: u32, findings: &mut Findings) {
    let number = number_of(fault);
    let answer = fault.d3dx().filter(|_| !is_single_index(fault));
    let added = findings.add(number, span, || fault.to_string());
    let is_first = added.is_some();
    if let Some(finding) = added {
        finding.count += times.saturating_sub(1) as usize;
        finding.said.extend(answer.map(said).into_iter().flatten());
    } else if let Some(finding) = findings.get_mut(number).filter(|_| !is_first) {
        finding.count += times.saturating_sub(1) as usize;
        // An earlier fault of the same code may have been harmless.
        if finding.said.is_empty() {
            finding.said.extend(answer.map(said).into_iter().flatten());
        }
    }
}

fn said(error: D3dxError) -> impl Iterator<Item = Said> {
    let profiles = PROFILES.iter().filter(|profile| profile.loader == Loader::D3dx);
    profiles.map(move |profile| Said {
        profile,
        outcome: Outcome::Refuses,
        message: error.to_string(),
        line: None,
        undefined: false,
    })
}

/// One material index for all faces: Microsoft's own samples (seafloor.x, sphere0.x) are written so.
fn is_single_index(fault: &Fault) -> bool {
    matches!(fault, Fault::MaterialIndexCount { found: 1, .. })
}

fn number_of(fault: &Fault) -> u16 {
    match fault {
        Fault::Empty => 1,
        Fault::NotX { .. } => 3,
        Fault::HeaderCut { .. } => 4,
        Fault::ByteOrderMark => 5,
        Fault::Version { .. } => 6,
        Fault::Format { .. } => 7,
        Fault::FloatSize { .. } => 8,
        Fault::BlockCut { .. } => 10,
        Fault::BlockSignature { .. } => 12,
        Fault::BlockTooLarge { .. } => 13,
        Fault::BlockCorrupt { .. } => 14,
        Fault::BlockSize { .. } => 15,
        Fault::TotalSize { .. } => 16,
        Fault::TooLong { .. } | Fault::UnpackedTooLong { .. } => 17,
        Fault::TrailingBytes { .. } => 18,
        Fault::Expected { .. } => 20,
        Fault::EndInside { .. } => 21,
        Fault::LoneSlash => 22,
        Fault::UnclosedString => 23,
        Fault::CommentAtEnd => 24,
        Fault::BadGuid { .. } => 25,
        Fault::BlankInGuid => 26,
        Fault::OddName { .. } => 27,
        Fault::DigitFirst { .. } => 28,
        Fault::UnknownToken { .. } => 29,
        Fault::TokenCut { .. } => 30,
        Fault::MissingSeparator => 31,
        Fault::ExtraSeparator => 32,
        Fault::StraySeparator => 33,
        Fault::StrayBrace => 34,
        Fault::StrayReference => 35,
        Fault::FractionForInteger { .. } => 40,
        Fault::IntegerRange { .. } => 41,
        Fault::NotFinite { .. } => 42,
        Fault::OddNumber { .. } => 43,
        Fault::CountTooLarge { .. } => 44,
        Fault::MissingValues { .. } => 45,
        Fault::ExtraValues { .. } => 46,
        Fault::Skipped { .. } => 47,
        Fault::TooDeep { .. } => 50,
        Fault::TooManyObjects { .. } => 51,
        Fault::UnknownType { .. } => 52,
        Fault::UnresolvedReference { .. } => 53,
        Fault::ForwardReference { .. } => 54,
        Fault::UselessReference { .. } => 55,
        Fault::BrokenTemplate { .. } => 56,
        Fault::UnknownMemberType { .. } => 57,
        Fault::BadDimension { .. } => 58,
        Fault::TemplateTooLarge { .. } => 59,
        Fault::TemplateDiffers { .. } => 60,
        Fault::RepeatedTemplate { .. } => 61,
        Fault::Unsupported { .. } => 62,
        Fault::RepeatedChild { .. } => 63,
        Fault::FaceCorners { .. } => 70,
        Fault::FaceIndex { .. } => 71,
        Fault::NormalFaces { .. } => 72,
        Fault::NormalCorners { .. } => 73,
        Fault::NormalIndex { .. } => 74,
        Fault::TextureCoordCount { .. } => 75,
        Fault::ColorIndex { .. } => 76,
        Fault::MaterialCount { .. } => 77,
        Fault::MaterialIndexCount { .. } if is_single_index(fault) => SINGLE_INDEX,
        Fault::MaterialIndexCount { .. } => 78,
        Fault::MaterialIndex { .. } => 79,
        Fault::DuplicationCount { .. } => 80,
        Fault::VertexDataSize { .. } => 81,
        Fault::SkinHeaderMissing => 90,
        Fault::SkinHeaderLate => 91,
        Fault::SkinHeaderTwice => 92,
        Fault::SkinHeaderBones { .. } => 93,
        Fault::SkinHeaderMaximum { .. } => 94,
        Fault::WeightIndex { .. } => 95,
        Fault::BoneMissing { .. } => 96,
        Fault::WeightSum { .. } => 97,
        Fault::UnweightedVertices { .. } => 98,
        Fault::ManyInfluences { .. } => 99,
        Fault::SecondMatrix => 110,
        Fault::DuplicateFrame { .. } => 111,
        Fault::KeyType { .. } => 112,
        Fault::KeyTypeThree => 113,
        Fault::KeyValues { .. } => 114,
        Fault::KeyTimesFall => 115,
        Fault::KeyTimesEqual => 116,
        Fault::RepeatedKeys { .. } => 117,
        Fault::MixedKeys => 118,
        Fault::NoTarget => 119,
        Fault::TargetMissing { .. } => 120,
        Fault::InlineTarget => 121,
        Fault::AnimatedTwice { .. } => 122,
        Fault::LooseAnimation => 123,
        Fault::ZeroTicks => 124,
        Fault::RightHanded => 125,
    }
}

/// An object's first bytes: its type and name, not all of its body.
fn head_of(span: Span) -> Span {
    Span { start: span.start, end: span.end.min(span.start.saturating_add(40)) }
}

fn check_document(document: &Document, findings: &mut Findings) {
    check_roots(document, findings);
    for (index, mesh) in document.meshes.iter().enumerate() {
        for (bone, skin) in mesh.skin_weights.iter().enumerate() {
            let path = || Some(format!("mesh[{index}].skin[{bone}]"));
            let zeros = skin.weights.iter().filter(|&&(_, weight)| weight == 0.0).count();
            if skin.weights.is_empty() {
                findings.add_at(EMPTY_SKIN, skin.bone.span, path, || {
                    format!("the SkinWeights of '{}' move no vertex", skin.bone.to_name())
                });
            } else if zeros > 0 {
                findings.add_at(ZERO_WEIGHTS, skin.bone.span, path, || {
                    format!("{zeros} of {} weights of '{}' are 0", skin.weights.len(), skin.bone.to_name())
                });
            }
        }
        check_faces(mesh, index, findings);
        if let Some(data) = &mesh.fvf_data {
            findings.add_at(
                FVF,
                head_of(data.span),
                || Some(format!("mesh[{index}]")),
                || "FVFData holds bit patterns, which assimp takes for numbers".to_owned(),
            );
        }
    }
    check_animation(document, findings);
}

fn check_roots(document: &Document, findings: &mut Findings) {
    let roots: Vec<_> = document.frames.iter().filter(|frame| frame.parent.is_none()).collect();
    if let [first, second, ..] = roots[..] {
        let added = findings.add(ROOTS, head_of(second.span), || format!("{} frames stand at top level", roots.len()));
        if let Some(finding) = added {
            finding.related(OWN_FILE, head_of(first.span), "the first of them");
        }
    }
    if document.frames.is_empty() && document.meshes.is_empty() {
        findings.add(NOTHING, Span::new(0, 16), || match document.animation_sets.len() {
            0 => "the file has neither frames nor meshes".to_owned(),
            count => format!("the file has {count} animation sets, but neither frames nor meshes"),
        });
    }
}

fn check_faces(mesh: &x::Mesh, index: usize, findings: &mut Findings) {
    let point = |corner: u32| mesh.vertices.get(corner as usize).map_or(DVec3::ZERO, |&point| DVec3::from_array(point));
    for (face, corners) in mesh.faces.iter().enumerate() {
        let (Some(&a), Some(&b), Some(&c)) = (corners.first(), corners.get(1), corners.get(2)) else { continue };
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let repeats = sides.take(corners.len()).any(|(a, b)| a == b);
        let (ab, ac) = (point(b) - point(a), point(c) - point(a));
        let longest = ab.length_squared().max(ac.length_squared());
        let is_flat = corners.len() == 3 && ab.cross(ac).length_squared() <= 1e-16 * longest * longest;
        if repeats || is_flat {
            let span = mesh.faces.spans.get(face).copied().unwrap_or(head_of(mesh.span));
            findings.add_at(
                DEGENERATE,
                span,
                || Some(format!("mesh[{index}].face[{face}]")),
                || format!("face {face} of mesh {index} has no area"),
            );
        }
    }
}

fn check_animation(document: &Document, findings: &mut Findings) {
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    let mut moving = None;
    for animation in sets {
        let name = animation.target.as_ref().map_or_else(String::new, |target| target.name.to_name());
        for keys in &animation.keys {
            if keys.times.iter().any(|&time| time > 0.0) {
                moving.get_or_insert(animation.span);
            }
            match keys.kind {
                KeyKind::Rotation => check_rotations(keys, &name, findings),
                KeyKind::Matrix => check_matrices(keys, &name, findings),
                KeyKind::Scale | KeyKind::Position => {}
            }
        }
    }
    let first = document.animation_sets.first().map(|set| set.span).or(moving);
    if let (Some(span), Some(_), []) = (first, moving, &document.ticks_per_second[..]) {
        let longest = document.animation_sets.iter().map(x::AnimationSet::period).fold(0.0, f64::max);
        let added = findings.add(TICKS_MISSING, head_of(span), || {
            format!("no AnimTicksPerSecond: {longest} ticks take {:.3} seconds at Direct3D's 4800", longest / 4800.0)
        });
        if let Some(finding) = added {
            finding.note(format!("at 24 ticks per second they would take {:.1} seconds", longest / 24.0));
        }
    }
}

fn check_rotations(keys: &x::AnimationKey, name: &str, findings: &mut Findings) {
    let length = |key: &[f64]| key.iter().map(|part| part * part).sum::<f64>().sqrt();
    let worst = keys
        .values
        .chunks_exact(KeyKind::Rotation.width())
        .map(length)
        .enumerate()
        .max_by(|(_, a), (_, b)| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()));
    if let Some((key, length)) = worst.filter(|(_, length)| (length - 1.0).abs() > UNIT) {
        findings.add_at(
            QUATERNION,
            head_of(keys.span),
            || Some(format!("key[{key}]")),
            || format!("rotation key {key} of '{name}' has length {length:.4}"),
        );
    }
}

fn check_matrices(keys: &x::AnimationKey, name: &str, findings: &mut Findings) {
    let sheared = |values: &[f64]| Matrix::try_from(values).is_ok_and(|matrix| shear(&matrix) > ORTHOGONAL);
    if let Some(key) = keys.values.chunks_exact(KeyKind::Matrix.width()).position(sheared) {
        findings.add_at(
            SHEAR,
            head_of(keys.span),
            || Some(format!("key[{key}]")),
            || format!("matrix key {key} of '{name}' shears: its axes are not at right angles"),
        );
    }
}

/// Largest cosine between two axes of a matrix.
fn shear(matrix: &Matrix) -> f64 {
    let [a0, a1, a2, _, b0, b1, b2, _, c0, c1, c2, ..] = *matrix;
    let axes = [DVec3::new(a0, a1, a2), DVec3::new(b0, b1, b2), DVec3::new(c0, c1, c2)].map(DVec3::normalize_or_zero);
    let [a, b, c] = axes;
    a.dot(b).abs().max(b.dot(c).abs()).max(c.dot(a).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_angles_do_not_shear() {
        let scaled = [2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 5.0, 6.0, 7.0, 1.0];
        assert_eq!(shear(&scaled), 0.0);
        let mut sheared = scaled;
        sheared[1] = 2.0;
        assert!((shear(&sheared) - 0.5f64.sqrt()).abs() < 1e-12);
    }
}
