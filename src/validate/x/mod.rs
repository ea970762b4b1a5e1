//! DirectX .x files: D3DX's verdict on every fault, and what no reader tests.

mod structure;

use super::codes::{self, Group, Rule, x as rules};
use super::finding::{FileIndex, Finding, Findings, OWN_FILE, Place, Said};
use super::neighbours;
use super::profiles::{FormatFamily, Loader, PROFILES};
use super::unit::Judgement;
use super::verdict::{Outcome, Verdict};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::image_search::ImageFinder;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, D3dxError, Document, Encoding, Fault, KeyKind, Matrix, Parsed, Reading, Unpacked};
use glam::DVec3;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use structure::Slip;

/// Names that are suggested.
const SUGGESTIONS: usize = 8;
/// Rotation keys may be off unit length by this: exporters print six decimals.
const UNIT: f64 = 1e-3;
/// Cosine between axes of a matrix from which it shears.
const ORTHOGONAL: f64 = 1e-3;

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

/// Reads the header and undoes compression as far as loading a model does; a file that cannot be opened keeps its bytes.
pub(super) fn open(bytes: Vec<u8>, memory: MemoryLimit) -> Opened {
    let head = match x::unpack_within(&bytes, Reading::Lenient, memory.largest_unpacked()) {
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
    images: &ImageFinder,
    head: Result<Head, (Fault, Span)>,
) -> (Vec<Finding>, Vec<Judgement>) {
    let mut findings = Findings::new(Group::X);
    match head {
        Err((fault, span)) => {
            add(&fault, span, 1, &mut findings);
            name_utf16(bytes, &fault, &mut findings);
        }
        Ok(head) => check_content(path, bytes, images, head, &mut findings),
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
            Judgement::new(profile, &name, (profile.loader == Loader::D3dx).then_some((&verdict, None)), &findings)
        })
        .collect();
    (findings, judgements)
}

/// A text of two bytes a letter, which some editors write, begins with a mark or with `x` and a zero.
fn name_utf16(bytes: &[u8], fault: &Fault, findings: &mut Findings) {
    let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"x\0o\0");
    if let Some(finding) = findings.get_mut(codes::of_fault(fault)).filter(|_| is_utf16) {
        finding.message = "the file is UTF-16 text, expected one byte a letter: 'xof '".to_owned();
        finding.note("save it as ASCII or as UTF-8 without a byte order mark");
    }
}

fn check_content(path: &Path, bytes: &[u8], images: &ImageFinder, head: Head, findings: &mut Findings) {
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
            suggest_names(&document, &warnings, findings);
            check_document(&document, findings);
            neighbours::check_x(path, &document, images, findings);
        }
    }
    check_first_line(bytes, head.body, findings);
    if head.encoding.format == x::Format::Text {
        find_open_string(bytes, head.body, findings);
        find_slips(bytes, head.body, findings);
        find_missing_brace(bytes, head.body, findings);
        find_late_time(bytes, head.body, findings);
        name_decimal_commas(bytes, head.body, findings);
    }
}

/// Says so where a file that cannot be read has commas for decimal points: `0,5;`, and not one point.
fn name_decimal_commas(bytes: &[u8], body: usize, findings: &mut Findings) {
    /// So many in a file are no accident.
    const FEWEST: usize = 3;
    let text = bytes.get(body..).unwrap_or_default();
    let number = |byte: &u8| byte.is_ascii_digit();
    let has = |mark: u8| text.windows(3).filter(move |part| part[1] == mark && number(&part[0]) && number(&part[2]));
    if has(b'.').next().is_some() || has(b',').count() < FEWEST {
        return;
    }
    let rule = AFTER_SLIP.into_iter().find(|&rule| findings.get(rule).is_some_and(|finding| !finding.said.is_empty()));
    if let Some(finding) = rule.and_then(|rule| findings.get_mut(rule)) {
        let comma = text.windows(3).position(|part| part[1] == b',' && number(&part[0]) && number(&part[2]));
        let at = body + comma.unwrap_or(0);
        finding.related(OWN_FILE, Span::new(at, at + 3), "a decimal comma");
        finding.note("numbers are written with decimal commas; .x files need points, as in 0.5");
    }
}

/// Faults that a wrong count or entry leads to where the reader stumbles.
const AFTER_SLIP: [Rule; 12] = [
    rules::SYNTAX,
    rules::SEPARATOR_MISSING,
    rules::SEPARATOR_EXTRA,
    rules::SEPARATOR_STRAY,
    rules::FRACTION,
    rules::INTEGER_RANGE,
    rules::VALUES_MISSING,
    rules::VALUES_EXTRA,
    rules::OBJECT_SKIPPED,
    rules::FACE_CORNERS,
    rules::FACE_INDEX,
    rules::KEY_VALUES,
];
/// Disagreements with a mesh that was read wrong, or with what is missing in it.
const ABOUT_MESH: [Rule; 14] = [
    rules::VALUES_MISSING,
    rules::VALUES_EXTRA,
    rules::FACE_CORNERS,
    rules::FACE_INDEX,
    rules::NORMAL_FACES,
    rules::NORMAL_INDEX,
    rules::TEXTURE_COORDS,
    rules::MATERIAL_INDICES,
    rules::MATERIAL_INDEX,
    rules::SINGLE_MATERIAL_INDEX,
    rules::SKIN_HEADER_BONES,
    rules::WEIGHT_INDEX,
    rules::WEIGHT_SUM,
    rules::UNWEIGHTED,
];

/// Puts one finding at a wrong count, or at an entry with too many or too few values, in the place of those that it led
/// to.
fn find_slips(bytes: &[u8], body: usize, findings: &mut Findings) {
    let place = |rule: &Rule| Some((*rule, findings.get(*rule)?.first.span));
    let suspects: Vec<_> = AFTER_SLIP.iter().filter_map(place).collect();
    for (rule, span) in suspects {
        let Some(slip) = structure::slip(bytes, body, span.start as usize) else { continue };
        let (code, object, at) = match &slip {
            Slip::Count(wrong) => (rules::COUNT, wrong.object, wrong.span),
            Slip::Entry(wrong) if wrong.found < wrong.expected => (rules::VALUES_MISSING, wrong.object, wrong.span),
            Slip::Entry(wrong) => (rules::VALUES_EXTRA, wrong.object, wrong.span),
        };
        let inside = |object: Span, place: &Place| object.start <= place.span.start && place.span.end <= object.end;
        let Some(led_to) = findings.take(rule, |finding| finding.places().all(|place| inside(object, place))) else {
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
            for rule in ABOUT_MESH.into_iter().filter(|&rule| rule != code) {
                findings.take(rule, |finding| finding.places().all(|place| inside(mesh, place)));
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
    for rule in [rules::SYNTAX, rules::UNCLOSED_STRING, rules::END_INSIDE] {
        let Some(at) = findings.get(rule).map(|finding| finding.first.span) else { continue };
        let Some(string) = structure::open_string(bytes, body, at.start as usize).filter(|&string| string != at) else {
            continue;
        };
        let Some(led_to) = findings.take(rule, |_| true) else { continue };
        let added =
            findings.add(rules::UNCLOSED_STRING, string, || "a string goes on over the end of its line".to_owned());
        if let Some(finding) = added {
            finding.related(OWN_FILE, at, format!("which leads to: {}", led_to.message));
            finding.said.extend(led_to.said);
        }
        return;
    }
}

/// Key times that fall after one that is far too late: the late one is meant.
fn find_late_time(bytes: &[u8], body: usize, findings: &mut Findings) {
    let Some(finding) = findings.get_mut(rules::KEY_TIMES_FALL) else { return };
    if let Some(late) = structure::late_time(bytes, body, finding.first.span) {
        finding.related(OWN_FILE, finding.first.span, "the next key");
        finding.first.span = late;
    }
}

/// Says which object seems to have lost its closing brace where the file ends inside one, and which brace is one too
/// many where one is left over.
fn find_missing_brace(bytes: &[u8], body: usize, findings: &mut Findings) {
    if let Some(finding) = findings.get_mut(rules::END_INSIDE)
        && let Some(unclosed) = structure::unclosed(bytes, body)
    {
        let end = std::mem::replace(&mut finding.first.span, unclosed.open);
        finding.message =
            format!("going by the indentation, the brace that opens here is not closed: {}", finding.message);
        finding.related(OWN_FILE, unclosed.closed, "this one closes what is around it");
        finding.related(OWN_FILE, end, "here the file ends");
    }
    if let Some(finding) = findings.get_mut(rules::BRACE_STRAY)
        && let Some(surplus) = structure::surplus(bytes, body).filter(|&surplus| surplus != finding.first.span)
    {
        let last = std::mem::replace(&mut finding.first.span, surplus);
        finding.message = "going by the indentation, this closing brace is one too many".to_owned();
        finding.related(OWN_FILE, last, "here one is left over");
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
        findings
            .add(rules::FIRST_LINE, Span::new(body + first, body + end + 1), || "data on the header's line".to_owned());
    }
}

/// Names the frame that was meant where a bone or an animation names one that is not there.
fn suggest_names(document: &Document, warnings: &[x::Warning], findings: &mut Findings) {
    let comparable = |name: &str| name.replace(|letter: char| !letter.is_alphanumeric(), "_").to_lowercase();
    let mut known: HashMap<String, String> = HashMap::new();
    for name in document.frames.iter().filter_map(|frame| frame.name.as_ref()) {
        let name = name.to_name();
        known.entry(comparable(&name)).or_insert(name);
    }
    let mut told = HashSet::new();
    for warning in warnings {
        let name = match &warning.kind {
            Fault::BoneMissing { bone } => bone,
            Fault::TargetMissing { name } | Fault::UnresolvedReference { name } => name,
            _ => continue,
        };
        let meant = known.get(&comparable(name)).filter(|meant| *meant != name);
        let rule = codes::of_fault(&warning.kind);
        if let (Some(meant), Some(finding)) = (meant, findings.get_mut(rule))
            && told.insert(name)
            && told.len() <= SUGGESTIONS
        {
            finding.note(format!("'{name}': did you mean '{meant}'?"));
        }
    }
}

/// Puts a fault of the parser under our code, with D3DX's answer.
fn add(fault: &Fault, span: Span, times: u32, findings: &mut Findings) {
    let rule = codes::of_fault(fault);
    let answer = fault.d3dx();
    let added = findings.add(rule, span, || fault.to_string());
    let is_first = added.is_some();
    if let Some(finding) = added {
        if is_one_too_many(fault) {
            finding.note("numbers begin at 0, so that the last is one less than there are");
        }
        finding.count += times.saturating_sub(1) as usize;
        finding.said.extend(answer.map(said).into_iter().flatten());
    } else if let Some(finding) = findings.get_mut(rule).filter(|_| !is_first) {
        finding.count += times.saturating_sub(1) as usize;
        // An earlier fault of the same code may have been harmless.
        if finding.said.is_empty() {
            finding.said.extend(answer.map(said).into_iter().flatten());
        }
    }
}

/// Whether an index is that of someone who counts from 1.
fn is_one_too_many(fault: &Fault) -> bool {
    let (index, count) = match *fault {
        Fault::FaceIndex { index, vertices }
        | Fault::WeightIndex { index, vertices }
        | Fault::ColorIndex { index, vertices } => (index, vertices),
        Fault::NormalIndex { index, normals } => (index, normals),
        Fault::MaterialIndex { index, materials } => (index, materials),
        _ => return false,
    };
    usize::try_from(index) == Ok(count)
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
                findings.add_at(rules::SKIN_UNUSED, skin.bone.span, path, || {
                    format!("the SkinWeights of '{}' move no vertex", skin.bone.to_name())
                });
            } else if zeros > 0 {
                findings.add_at(rules::SKIN_ZEROS, skin.bone.span, path, || {
                    format!("{zeros} of {} weights of '{}' are 0", skin.weights.len(), skin.bone.to_name())
                });
            }
        }
        check_faces(mesh, index, findings);
        if let Some(data) = &mesh.fvf_data {
            findings.add_at(
                rules::FVF_DATA,
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
        let added = findings
            .add(rules::SEVERAL_ROOTS, head_of(second.span), || format!("{} frames stand at top level", roots.len()));
        if let Some(finding) = added {
            finding.related(OWN_FILE, head_of(first.span), "the first of them");
        }
    }
    if document.frames.is_empty() && document.meshes.is_empty() {
        findings.add(rules::NOTHING, Span::new(0, 16), || match document.animation_sets.len() {
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
                rules::DEGENERATE_FACE,
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
        let added = findings.add(rules::TICKS_MISSING, head_of(span), || {
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
            rules::QUATERNION_LENGTH,
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
            rules::SHEAR,
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
