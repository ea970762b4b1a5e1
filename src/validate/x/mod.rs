//! Checks of DirectX .x files: D3DX's reaction to every fault, and faults that no reader tests for.

pub(super) mod commas;
mod names;
mod space;
mod structure;

use super::codes::{self, Group, Rule, x as rules};
use super::finding::{FileIndex, Finding, Findings, OWN_FILE, PLACES_KEPT, Place, Said};
use super::motion::Sets;
use super::profiles::{FormatFamily, LoaderFamily, PROFILES, Profile};
use super::unit::Judgement;
use super::verdict::{Outcome, Verdict};
use super::x_loaders::{self, XFile};
use super::{follow, neighbours};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::image_search::ImageFinder;
use bindpose_parsers::x::{
    self, AnimationSet, D3dxError, Document, Encoding, Fault, KeyKind, Matrix, Parsed, Reading, Text, Tree, Unpacked,
};
use bindpose_parsers::{Span, counted};
use glam::DVec3;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use structure::{Block, Slip};

/// Largest number of suggested names.
const SUGGESTIONS: usize = 8;
/// Largest deviation of rotation keys from unit length; exporters print six decimals.
const UNIT: f64 = 1e-3;
/// Cosine between axes of a matrix from which it counts as sheared.
const ORTHOGONAL: f64 = 1e-3;

/// Frame names by which a file relates to others: its own, or those that its clips move.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Frames of a model.
    frames: HashSet<String>,
    /// Frames moved by the clips of a file without frames and meshes.
    wanted: HashSet<String>,
    /// Clips of the file.
    pub sets: Sets,
}

impl Names {
    fn of(document: &Document) -> Self {
        let set = |set: &AnimationSet| (set.name.as_ref().map(Text::to_name), head(set.span, "AnimationSet"));
        let sets = document.animation_sets.iter().map(set).collect();
        if document.frames.is_empty() && document.meshes.is_empty() {
            return Self { frames: HashSet::new(), wanted: targets(document).map(Text::to_name).collect(), sets };
        }
        let frames = document.frames.iter().filter_map(|frame| frame.name.as_ref());
        Self { frames: frames.map(Text::to_name).collect(), wanted: HashSet::new(), sets }
    }
}

/// Model to which a file of clips belongs.
#[derive(Clone, Copy)]
pub(super) struct Model<'m> {
    pub path: &'m Path,
    pub names: &'m Names,
}

/// Largest number of models with a given frame name that are compared with a file of clips.
const MODELS_ASKED: usize = 16;

/// Finds the models for files of clips; returns pairs of both. A file belongs to the first model that has most of its
/// frames.
pub(super) fn models_of(files: &[(FileIndex, &Path, &Names)]) -> Vec<(FileIndex, FileIndex)> {
    let mut models_with: HashMap<&str, Vec<FileIndex>> = HashMap::new();
    for &(model, _, names) in files {
        for frame in &names.frames {
            let models = models_with.entry(frame).or_default();
            if models.len() < MODELS_ASKED {
                models.push(model);
            }
        }
    }
    let of_clip = |&(clip, _, names): &(FileIndex, &Path, &Names)| {
        let mut known: BTreeMap<FileIndex, usize> = BTreeMap::new();
        for &model in names.wanted.iter().filter_map(|name| models_with.get(&**name)).flatten() {
            *known.entry(model).or_default() += 1;
        }
        let (model, _) = known.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        Some((model, clip))
    };
    files.iter().filter_map(of_clip).collect()
}

/// Span of the type name at the start of an object.
fn head(span: Span, type_name: &str) -> Span {
    let start = span.start as usize;
    Span::new(start, (start + type_name.len()).min(span.end as usize))
}

/// Frames named by animations.
fn targets<'d>(document: &'d Document) -> impl Iterator<Item = &'d Text<'d>> {
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    sets.filter_map(|animation| Some(&animation.target.as_ref()?.name))
}

/// Uncompressed bytes, to which spans refer, and the result of reading the header.
pub(super) struct Opened {
    pub bytes: Vec<u8>,
    pub head: Result<Head, (Fault, Span)>,
}

/// Content of the header.
pub(super) struct Head {
    encoding: Encoding,
    version: [u8; 4],
    body: usize,
    warnings: Vec<x::Warning>,
    /// The file on disk, if it is compressed.
    packed: Option<Vec<u8>>,
}

impl Head {
    /// True if the file was compressed.
    pub fn is_unpacked(&self) -> bool {
        self.packed.is_some()
    }
}

/// Reads the header and decompresses the file as loading a model does; a file that cannot be opened keeps its bytes.
pub(super) fn open(bytes: Vec<u8>, memory: MemoryLimit) -> Opened {
    let head = match x::unpack_within(&bytes, Reading::Lenient, memory.largest_unpacked()) {
        Err(error) => Err((error.kind, error.span)),
        Ok(unpacked) => {
            let Unpacked { encoding, version, bytes: inside, body, warnings } = unpacked;
            let mut head = Head { encoding, version, body, warnings, packed: None };
            if let Cow::Owned(inside) = inside {
                head.packed = Some(bytes);
                return Opened { bytes: inside, head: Ok(head) };
            }
            Ok(head)
        }
    };
    Opened { bytes, head }
}

/// Result of checking a file.
pub(super) struct Checked {
    pub findings: Vec<Finding>,
    pub judgements: Vec<Judgement>,
    pub names: Names,
}

/// Checks an opened file. `bytes` are those of [`Opened`], `file` is its index among the files checked together, and
/// `model` is the model to which its clips belong.
pub(super) fn check(
    file: FileIndex,
    path: &Path,
    bytes: &[u8],
    images: &ImageFinder,
    head: &Result<Head, (Fault, Span)>,
    model: Option<Model>,
) -> Checked {
    let mut findings = Findings::new(Group::X);
    let mut names = Names::default();
    let name = path.display().to_string();
    match head {
        Err((fault, span)) => {
            add(fault, *span, 1, &[], &mut findings);
            name_utf16(bytes, fault, &mut findings);
        }
        Ok(head) => names = check_content(path, bytes, images, head, model, &mut findings),
    }
    let disk = head.as_ref().ok().and_then(|head| head.packed.as_deref()).unwrap_or(bytes);
    let followed = follow_loaders(XFile { name: &name, disk, bytes }, &mut findings);
    let findings = findings.finish(file);
    let judge = |profile: &'static Profile| {
        let mut by_faults = Verdict::loads();
        let said = findings.iter().flat_map(|finding| &finding.said);
        if said.filter(|said| said.profile == profile).any(|said| said.outcome == Outcome::Refuses) {
            by_faults.outcome = Outcome::Refuses;
        }
        let verdict = match profile.loader {
            LoaderFamily::D3dx => Some((&by_faults, None)),
            _ => followed.iter().find(|(known, _)| *known == profile).map(|(_, verdict)| (verdict, None)),
        };
        Judgement::new(profile, &name, verdict, &findings)
    };
    let judgements = PROFILES.iter().filter(|profile| profile.reads(FormatFamily::X)).map(judge).collect();
    Checked { findings, judgements, names }
}

/// Runs the followed loaders, and assigns their messages to the findings.
fn follow_loaders(file: XFile, findings: &mut Findings) -> Vec<(&'static Profile, Verdict)> {
    let verdict = |profile: &'static Profile| Some((profile, x_loaders::load(profile.id, file)?));
    let followed: Vec<_> = PROFILES.iter().filter_map(verdict).collect();
    for (profile, verdict) in &followed {
        let mut verdict = verdict.clone();
        if let Some(refusal) = &mut verdict.refusal {
            (refusal.rule, refusal.span) = stumble(findings, refusal.rule, refusal.span);
        }
        for place in &mut verdict.misread {
            (place.rule, place.span) = stumble(findings, place.rule, place.span);
        }
        for warning in &mut verdict.warnings {
            (warning.rule, warning.span) = stumble(findings, warning.rule, warning.span);
        }
        follow::say(findings, profile, &verdict, file.name, file.bytes);
    }
    followed
}

/// Faults that a loader may report some distance after their cause.
const STUMBLES: [Rule; 14] = [
    rules::SYNTAX,
    rules::SEPARATOR_MISSING,
    rules::NORMAL_FACES,
    rules::NORMAL_CORNERS,
    rules::TEXTURE_COORDS,
    rules::MATERIAL_INDEX,
    rules::END_INSIDE,
    rules::VALUES_EXTRA,
    rules::COUNT_TOO_LARGE,
    rules::FACE_CORNERS,
    rules::FACE_INDEX,
    rules::KEY_VALUES,
    rules::STRING_END,
    rules::OUT_OF_STEP,
];

/// Our nearest preceding finding that may have caused a loader's fault; else the fault itself.
fn stumble(findings: &Findings, rule: Rule, span: Span) -> (Rule, Span) {
    if !STUMBLES.contains(&rule) {
        return (rule, span);
    }
    let causes = AFTER_SLIP.into_iter().chain([rules::COUNT, rules::END_INSIDE, rules::UNCLOSED_STRING]);
    let causes = causes.filter(|cause| ![rules::SEPARATOR_MISSING, rules::SEPARATOR_EXTRA].contains(cause));
    let own =
        causes.filter_map(|cause| Some((cause, findings.get(cause).filter(|known| !known.by_engine)?.first.span)));
    let before = own.filter(|(_, known)| known.start <= span.end);
    before.max_by_key(|(_, known)| known.start).unwrap_or((rule, span))
}

/// Reports UTF-16 text, which some editors write. It begins with a byte order mark, or with `x` and a zero.
fn name_utf16(bytes: &[u8], fault: &Fault, findings: &mut Findings) {
    let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"x\0o\0");
    if let Some(finding) = findings.get_mut(codes::of_fault(fault)).filter(|_| is_utf16) {
        finding.message = "the file is UTF-16 text; save it as plain ASCII, one byte for each character".to_owned();
        finding.note("save it as ASCII or as UTF-8 without a byte order mark");
    }
}

fn check_content(
    path: &Path,
    bytes: &[u8],
    images: &ImageFinder,
    head: &Head,
    model: Option<Model>,
    findings: &mut Findings,
) -> Names {
    let mut names = Names::default();
    // Spans of the envelope refer to the packed bytes, which are not shown.
    let start = Span::new(0, head.body.min(bytes.len()));
    for warning in &head.warnings {
        let span = if head.is_unpacked() { start } else { warning.span };
        add(&warning.kind, span, warning.times, &[], findings);
    }
    let file = Unpacked {
        encoding: Encoding { compressed: false, ..head.encoding },
        version: head.version,
        bytes: Cow::Borrowed(bytes),
        body: head.body,
        warnings: Vec::new(),
    };
    let is_text = head.encoding.format == x::BodyFormat::Text;
    let commas = is_text.then(|| commas::find(bytes, head.body)).flatten();
    if let Some(commas) = commas.as_ref().filter(|commas| commas.are_decimal(&file)) {
        let head = Head { warnings: Vec::new(), packed: None, ..*head };
        let names = check_content(path, &commas.points, images, &head, model, findings);
        commas.report(bytes, findings);
        return names;
    }
    match x::parse(&file, Reading::Lenient) {
        Err(error) => add(&error.kind, error.span, 1, &[], findings),
        Ok(Parsed { document, tree, warnings }) => {
            for warning in &warnings {
                add(&warning.kind, warning.span, warning.times, &warning.more, findings);
            }
            names = Names::of(&document);
            check_document(bytes, head.encoding.format, &document, &tree, findings);
            if let Some(model) = model {
                names::check_targets(&document, model, findings);
            }
            names::merge(bytes, &document, &tree, findings);
            names::suggest(&document, model, findings);
            neighbours::check_x(path, &document, images, findings);
        }
    }
    check_first_line(bytes, head.body, findings);
    if is_text {
        find_open_string(bytes, head.body, findings);
        find_slips(bytes, head.body, findings);
        find_missing_brace(bytes, head.body, findings);
        find_late_time(bytes, head.body, findings);
    }
    if let Some(commas) = commas {
        commas.blame(bytes, findings);
    }
    names
}

/// Faults that a wrong count or entry can cause later.
const AFTER_SLIP: [Rule; 13] = [
    rules::SYNTAX,
    rules::COUNT_TOO_LARGE,
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
/// Mismatches that follow from misread or missing parts of a mesh or of keys.
const FOLLOWS_FROM_SLIP: [Rule; 20] = [
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
    rules::KEY_TIMES_FALL,
    rules::KEY_TIMES_EQUAL,
    rules::QUATERNION_LENGTH,
    rules::SHEAR,
    rules::FAR_VERTEX,
    rules::FRAME_MATRIX,
];

/// Replaces findings by their causes: wrong counts, and entries with too many or too few values.
fn find_slips(bytes: &[u8], body: usize, findings: &mut Findings) {
    if AFTER_SLIP.iter().all(|&rule| findings.get(rule).is_none()) {
        return;
    }
    let blocks = structure::blocks(bytes, body);
    let mut stumbled: Vec<Block> = Vec::new();
    for place in AFTER_SLIP.iter().filter_map(|&rule| findings.get(rule)).flat_map(Finding::places) {
        let block = structure::innermost(&blocks, place.span).filter(|block| !stumbled.contains(block));
        stumbled.extend(block);
    }
    for block in stumbled {
        let slips = structure::slips(bytes, &blocks, block);
        let Some(first) = slips.first() else { continue };
        let mut led_to: Vec<Finding> = Vec::new();
        for rule in AFTER_SLIP {
            led_to.extend(findings.take_places(rule, |place| block.holds(place.span)));
        }
        led_to.sort_by_key(|finding| finding.first.span.start);
        let code_of = |slip: &Slip| match slip {
            Slip::Count(_) => rules::COUNT,
            Slip::Entry(wrong) if wrong.found < wrong.expected => rules::VALUES_MISSING,
            Slip::Entry(_) => rules::VALUES_EXTRA,
        };
        for slip in &slips {
            let code = code_of(slip);
            let Some(finding) = findings.add(code, slip.span(), || slip.says()) else { continue };
            if let Slip::Count(wrong) = slip {
                finding.value("expected", wrong.announced).value("found", wrong.found);
                finding.related(OWN_FILE, wrong.last, "the last one");
            }
            if let Some(led_to) = led_to.first().filter(|_| slip == first) {
                finding.related(OWN_FILE, led_to.first.span, format!("which leads to: {}", led_to.message));
            }
        }
        for said in led_to.into_iter().flat_map(|finding| finding.said) {
            if let Some(finding) = findings.get_mut(code_of(first)).filter(|finding| !finding.said.contains(&said)) {
                finding.said.push(said);
            }
        }
        let mesh = structure::mesh_around(bytes, &blocks, block);
        for rule in FOLLOWS_FROM_SLIP {
            findings.take_places(rule, |place| {
                let is_slip = |slip: &Slip| code_of(slip) == rule && slip.span() == place.span;
                mesh.holds(place.span) && !slips.iter().any(is_slip)
            });
        }
    }
}

/// Replaces an error by its cause: a string that is not closed on its line.
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

/// Moves a finding about falling key times to an earlier time that is far too late, if that is the cause.
fn find_late_time(bytes: &[u8], body: usize, findings: &mut Findings) {
    let Some(finding) = findings.get_mut(rules::KEY_TIMES_FALL) else { return };
    if let Some(late) = structure::late_time(bytes, body, finding.first.span) {
        let fallen = std::mem::replace(&mut finding.first.span, late);
        let word = |span: Span| String::from_utf8_lossy(bytes.get(span.range()).unwrap_or_default()).into_owned();
        let says =
            format!("going by the other keys, the key time {} is far too late: {} follows", word(late), word(fallen));
        let seen = std::mem::replace(&mut finding.message, says);
        finding.related(OWN_FILE, fallen, "the next key");
        finding.note(seen);
        finding.remedy = Some("correct the time");
    }
}

/// Names the object that seems to lack its closing brace if the file ends inside one, or the surplus brace if one is
/// left over.
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

/// Reports data on the header's line, which is legal but ignored by some readers.
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

/// Adds a fault of the parser under our code, with D3DX's reaction; `times` includes repeats without a position in
/// `more`.
fn add(fault: &Fault, span: Span, times: u32, more: &[Span], findings: &mut Findings) {
    let rule = codes::of_fault(fault);
    let is_first = findings.add(rule, span, || fault.to_string()).is_some();
    let Some(finding) = findings.get_mut(rule) else { return };
    if let (true, Fault::UnknownType { name }) = (is_first, fault) {
        let types: Vec<String> = x::standard_templates().iter().map(|template| template.name.to_name()).collect();
        if let Some(meant) = names::nearest(name, types.iter().map(String::as_str)) {
            finding.note(format!("did you mean '{meant}'?"));
        }
    }
    if is_first && is_one_too_many(fault) {
        finding.note("numbers begin at 0, so that the last is one less than there are");
    }
    finding.count += times.saturating_sub(1) as usize;
    let room = PLACES_KEPT.saturating_sub(finding.more.len());
    finding.more.extend(more.iter().take(room).map(|&span| Place { span, path: None }));
    // An earlier fault of the same code may have been harmless. It is unknown whether Direct3D needs the line end.
    if finding.said.is_empty() && *fault != Fault::CommentAtEnd {
        finding.said.extend(fault.d3dx().map(said).into_iter().flatten());
    }
}

/// True if an index equals the count, as in one-based numbering.
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
    let profiles = PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::D3dx);
    profiles.map(move |profile| Said {
        profile,
        outcome: Outcome::Refuses,
        message: error.to_string(),
        detail: String::new(),
        line: None,
        undefined: false,
    })
}

/// Span of an object's type name.
fn head_of(object: Span, kind: &str) -> Span {
    Span { start: object.start, end: object.end.min(object.start.saturating_add(kind.len() as u32)) }
}

fn check_document(bytes: &[u8], format: x::BodyFormat, document: &Document, tree: &Tree, findings: &mut Findings) {
    check_roots(document, findings);
    space::check_frames(document, tree, findings);
    let objects = OnceCell::new();
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
                    let all = counted(skin.weights.len(), "weight", "weights");
                    let are = if zeros == 1 { "is" } else { "are" };
                    format!("{zeros} of {all} of '{}' {are} 0", skin.bone.to_name())
                });
            }
        }
        let places = || {
            let object = objects.get_or_init(|| objects_of(tree, "Mesh")).get(&mesh.span.start);
            object.map_or_else(Vec::new, |object| object.face_spans().collect())
        };
        space::check_spikes(mesh, index, bytes, format, findings);
        space::check_unit(mesh, index, findings);
        check_faces(mesh, index, places, findings);
        if let Some(data) = &mesh.fvf_data {
            findings.add_at(
                rules::FVF_DATA,
                head_of(data.span, "FVFData"),
                || Some(format!("mesh[{index}]")),
                || "FVFData holds bit patterns, which assimp takes for numbers".to_owned(),
            );
        }
    }
    check_animation(bytes, format, document, findings);
}

fn check_roots(document: &Document, findings: &mut Findings) {
    let roots: Vec<_> = document.frames.iter().filter(|frame| frame.parent.is_none()).collect();
    if let [first, second, ..] = roots[..] {
        let added = findings.add(rules::SEVERAL_ROOTS, head_of(second.span, "Frame"), || {
            format!("{} frames stand at top level", roots.len())
        });
        if let Some(finding) = added {
            finding.related(OWN_FILE, head_of(first.span, "Frame"), "the first of them");
        }
    }
    if document.frames.is_empty() && document.meshes.is_empty() {
        findings.add(rules::NOTHING, Span::new(0, 16), || match document.animation_sets.len() {
            0 => "the file has neither frames nor meshes".to_owned(),
            sets => {
                format!(
                    "the file has {}, but neither frames nor meshes",
                    counted(sets, "animation set", "animation sets")
                )
            }
        });
    }
}

/// Objects of a type, by the offset of their first byte.
fn objects_of<'t, 'a>(tree: &'t Tree<'a>, kind: &str) -> HashMap<u32, &'t x::Object<'a>> {
    let mut open: Vec<&x::Object> = tree.objects.iter().collect();
    let mut found = HashMap::new();
    while let Some(object) = open.pop() {
        if object.is(kind) {
            found.insert(object.span.start, object);
        }
        open.extend(object.objects());
    }
    found
}

/// Checks the faces of a mesh; `places` computes their spans.
fn check_faces(mesh: &x::Mesh, index: usize, places: impl Fn() -> Vec<Span>, findings: &mut Findings) {
    let spans = OnceCell::new();
    let point = |corner: u32| mesh.vertices.get(corner as usize).map_or(DVec3::ZERO, DVec3::from_array);
    for (face, corners) in mesh.faces.iter().enumerate() {
        let (Some(&a), Some(&b), Some(&c)) = (corners.first(), corners.get(1), corners.get(2)) else { continue };
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let repeats = sides.take(corners.len()).any(|(a, b)| a == b);
        let (ab, ac) = (point(b) - point(a), point(c) - point(a));
        let longest = ab.length_squared().max(ac.length_squared());
        let is_flat = corners.len() == 3 && ab.cross(ac).length_squared() <= 1e-16 * longest * longest;
        if repeats || is_flat {
            let span = spans.get_or_init(&places).get(face).copied().unwrap_or(head_of(mesh.span, "Mesh"));
            findings.add_at(
                rules::DEGENERATE_FACE,
                span,
                || Some(format!("mesh[{index}].face[{face}]")),
                || format!("face {face} of mesh {index} has no area"),
            );
        }
    }
}

/// Span of a key: its time in a text file, else its list.
fn place_of_key(bytes: &[u8], format: x::BodyFormat, keys: &x::AnimationKey, key: usize) -> Span {
    // Type and count, then time, number of values and values of each key.
    let word = 2 + key * (2 + keys.kind.width());
    let place = (format == x::BodyFormat::Text).then(|| structure::word_of(bytes, keys.span, word)).flatten();
    place.unwrap_or(head_of(keys.span, "AnimationKey"))
}

fn check_animation(bytes: &[u8], format: x::BodyFormat, document: &Document, findings: &mut Findings) {
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    let mut moving = None;
    for animation in sets {
        let name = animation.target.as_ref().map_or_else(String::new, |target| target.name.to_name());
        for keys in &animation.keys {
            if keys.times.iter().any(|&time| time > 0.0) {
                moving.get_or_insert(animation.span);
            }
            match keys.kind {
                KeyKind::Rotation => {
                    check_rotations(keys, &name, |key| place_of_key(bytes, format, keys, key), findings)
                }
                KeyKind::Matrix => check_matrices(keys, &name, |key| place_of_key(bytes, format, keys, key), findings),
                KeyKind::Scale | KeyKind::Position => {}
            }
        }
    }
    let first = document.animation_sets.first().map(|set| head_of(set.span, "AnimationSet"));
    let first = first.or(moving.map(|span| head_of(span, "Animation")));
    if let (Some(span), Some(_), []) = (first, moving, &document.ticks_per_second[..]) {
        let longest = document.animation_sets.iter().map(x::AnimationSet::period).fold(0.0, f64::max);
        let added = findings.add(rules::TICKS_MISSING, span, || {
            format!(
                "no AnimTicksPerSecond: {longest} ticks take {:.3} seconds at Direct3D's rate of 4800",
                longest / 4800.0
            )
        });
        if let Some(finding) = added {
            finding.note(format!("at 24 ticks per second they would take {:.1} seconds", longest / 24.0));
        }
    }
}

fn check_rotations(keys: &x::AnimationKey, name: &str, place: impl Fn(usize) -> Span, findings: &mut Findings) {
    let length = |key: [f64; 4]| key.iter().map(|part| part * part).sum::<f64>().sqrt();
    let lengths = keys.values.vectors();
    let worst =
        lengths.iter().map(length).enumerate().max_by(|(_, a), (_, b)| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()));
    if let Some((key, length)) = worst.filter(|(_, length)| (length - 1.0).abs() > UNIT) {
        findings.add_at(
            rules::QUATERNION_LENGTH,
            place(key),
            || Some(format!("key[{key}]")),
            || format!("rotation key {key} of '{name}' has length {length:.4}"),
        );
    }
}

fn check_matrices(keys: &x::AnimationKey, name: &str, place: impl Fn(usize) -> Span, findings: &mut Findings) {
    let sheared = |matrix: Matrix| shear(&matrix) > ORTHOGONAL;
    if let Some(key) = keys.values.vectors().iter().position(sheared) {
        findings.add_at(
            rules::SHEAR,
            place(key),
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
