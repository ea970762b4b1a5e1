//! Faults of the parser as findings, with D3DX's answers.

use crate::checks::text::{UTF_16, is_utf16, other_content};
use crate::codes::{self, x as rules};
use crate::finding::{EngineReport, Finding, Findings, OWN_FILE, PLACES_KEPT, Place};
use crate::profiles::{LoaderFamily, PROFILES};
use crate::taint::{Broken, Part};
use crate::verdict::Outcome;
use bindpose_core::suggest;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, D3dxError, Fault, Object, Tree, Warning};

/// Adds the parser's warnings, except those that follow from others. `tree` is the file's objects, if it can be read.
pub(super) fn add_all(warnings: &[&Warning], tree: Option<&Tree>, findings: &mut Findings) {
    for (kind, span) in warnings.iter().flat_map(|warning| places(warning).map(|span| (&warning.kind, span))) {
        findings.broken.mark_all(breaks(kind), span);
    }
    for skin in tree.into_iter().flat_map(Tree::all_objects).filter(|object| object.is(SKIN_WEIGHTS)) {
        if findings.broken.within(&[Part::Number], skin.span) {
            findings.broken.mark(Part::Weights, skin.span);
        }
    }
    for &warning in warnings {
        if places(warning).all(|span| is_doubtful(&warning.kind, span, warning.times, &findings.broken)) {
            // Direct3D stops for the objects that it lacks because their type is misspelt.
            if let (Fault::SkinHeaderBones { .. }, Some(misspelt)) =
                (&warning.kind, findings.get_mut(rules::UNKNOWN_TYPE))
            {
                misspelt.note(format!("consequence: {}", warning.kind));
                misspelt.add_said(warning.kind.d3dx().map(said).into_iter().flatten().collect());
            }
        } else {
            let is_first = findings.get(codes::of_fault(&warning.kind)).is_none();
            add(&warning.kind, warning.span, warning.times, &warning.more, findings);
            if let Some(object) = tree.filter(|_| is_first).and_then(|tree| object_around(tree, warning.span)) {
                findings.broken.mark(Part::Object, object);
            }
        }
    }
}

/// Returns the object around the innermost one that contains a span, or that one.
fn object_around(tree: &Tree, span: Span) -> Option<Span> {
    let contains = |object: &&Object| object.span.start <= span.start && span.end <= object.span.end;
    let mut inner = tree.objects.iter().find(contains)?;
    let mut around = inner.span;
    while let Some(child) = inner.objects().find(contains) {
        (around, inner) = (inner.span, child);
    }
    Some(around)
}

/// Type of a bone's weights.
const SKIN_WEIGHTS: &str = "SkinWeights";

fn places(warning: &Warning) -> impl Iterator<Item = Span> {
    std::iter::once(warning.span).chain(warning.more.iter().copied())
}

/// Returns what a fault leaves unreliable.
fn breaks(fault: &Fault) -> &'static [Part] {
    match fault {
        Fault::MissingCount { .. }
        | Fault::MissingMember { .. }
        | Fault::ShortEntry { .. }
        | Fault::LongEntry { .. }
        | Fault::Count { .. }
        | Fault::SwappedCount { .. } => &[Part::Records],
        Fault::NotFinite { .. } => &[Part::Number],
        Fault::Expected { .. } | Fault::IntegerRange { .. } => &[Part::Value],
        Fault::WeightIndex { .. } => &[Part::Weights],
        Fault::SecondHeader => &[Part::Text],
        Fault::UnknownType { name } if suggest::nearest_name(name, std::iter::once(SKIN_WEIGHTS)).is_some() => {
            &[Part::Joints]
        }
        Fault::UnknownType { name } if suggest::nearest_name(name, ["Frame", "Mesh"]).is_some() => &[Part::Frames],
        _ => &[],
    }
}

/// True if a fault is found in something unreliable.
fn is_doubtful(fault: &Fault, span: Span, times: u32, broken: &Broken) -> bool {
    match fault {
        // A word that is misspelt or out of range names nothing.
        Fault::BoneMissing { .. }
        | Fault::FaceIndex { .. }
        | Fault::NormalIndex { .. }
        | Fault::MaterialCount { .. }
        | Fault::MaterialIndex { .. }
        | Fault::WeightIndex { .. }
        | Fault::KeyType { .. }
        | Fault::KeyTimesFall { .. } => broken.within(&[Part::Value], span),
        // Vertices lack the weights of vertices that do not exist, or unknown ones.
        Fault::WeightSum { .. } | Fault::UnweightedVertices { .. } | Fault::SkinHeaderBones { .. }
            if broken.any(&[Part::Joints]) =>
        {
            true
        }
        Fault::WeightSum { .. } => times as usize <= broken.spans(Part::Weights).count(),
        Fault::UnweightedVertices { vertices, .. } => *vertices <= broken.spans(Part::Weights).count(),
        // The second of two files in one.
        Fault::DuplicateFrame { .. } => broken.spans(Part::Text).any(|header| header.start <= span.start),
        _ => false,
    }
}

/// Adds a fault of the parser under our code, with D3DX's reaction. `times` includes repeats without a position in
/// `more`.
pub(super) fn add(fault: &Fault, span: Span, times: u32, more: &[Span], findings: &mut Findings) {
    let rule = codes::of_fault(fault);
    let is_first = findings.add(rule, span, || fault.to_string()).0.is_some();
    let Some(finding) = (if is_first { findings.last_mut() } else { findings.get_mut(rule) }) else { return };
    if is_first {
        explain(fault, finding);
    }
    finding.count += times.saturating_sub(1) as usize;
    let room = PLACES_KEPT.saturating_sub(finding.more.len());
    finding.more.extend(more.iter().take(room).map(|&span| Place { span, path: None }));
    // An earlier fault of the same code may have been harmless. It is unknown whether Direct3D needs the line end.
    if finding.said.is_empty() && *fault != Fault::CommentAtEnd {
        finding.said.extend(fault.d3dx().map(said).into_iter().flatten());
    }
}

/// Adds what else is known about a fault.
fn explain(fault: &Fault, finding: &mut Finding) {
    match fault {
        Fault::UnknownType { name } => {
            let types: Vec<String> = x::standard_templates().iter().map(|template| template.name.to_name()).collect();
            // `FrameRoot {`: the longest type with which it begins, and the name.
            let glued = types.iter().filter(|kind| name.starts_with(kind.as_str())).max_by_key(|kind| kind.len());
            let meant = suggest::nearest_name(name, types.iter().map(String::as_str)).map(str::to_owned);
            let apart = || glued.map(|kind| format!("{kind} {}", &name[kind.len()..]));
            if let Some(meant) = meant.or_else(apart) {
                finding.note(format!("did you mean '{meant}'?"));
            }
        }
        Fault::Count { announced, found, last, .. } => {
            finding.value("expected", announced).value("found", found).related(OWN_FILE, *last, "the last one");
        }
        Fault::SwappedCount { .. } => finding.remedy = Some("swap the two numbers"),
        Fault::OtherKeys { .. } => {
            finding.remedy = Some("write 0 for rotation, 1 for scale, 2 for position, 4 for a matrix");
        }
        Fault::MissingCount { .. } | Fault::MissingMember { .. } => finding.remedy = Some("write what is missing"),
        Fault::KeyTimeLate { .. } => finding.remedy = Some("correct the time"),
        Fault::BoneTwice { .. } => finding.remedy = Some("remove one of the two"),
        Fault::SecondHeader => finding.remedy = Some("remove the header, or split the file before it"),
        _ if is_one_too_many(fault) => {
            finding.note("numbers begin at 0, so that the last is one less than there are");
        }
        _ => {}
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

/// Returns the messages of Direct3D's profiles for an error of D3DX.
pub(super) fn said(error: D3dxError) -> impl Iterator<Item = EngineReport> {
    let profiles = PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::D3dx);
    profiles.map(move |profile| EngineReport::new(profile, Outcome::Refuses, error.to_string()))
}

/// Names the content of a file without the header. UTF-16 text without a byte order mark begins with `x` and a zero.
pub(super) fn name_content(bytes: &[u8], fault: &Fault, findings: &mut Findings) {
    let utf16 = (is_utf16(bytes) || bytes.starts_with(b"x\0o\0")).then_some(UTF_16);
    if let Some((what, advice)) = utf16.or_else(|| other_content(bytes))
        && let Some(finding) = findings.get_mut(codes::of_fault(fault))
    {
        (finding.message, finding.remedy) = (format!("the file is {what}"), Some(advice));
    }
}
