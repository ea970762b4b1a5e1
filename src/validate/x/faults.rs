//! Faults of the parser as findings, with D3DX's answers.

use super::slips;
use crate::checks::text::{UTF_16, is_utf16, other_content};
use crate::codes;
use crate::finding::{Findings, PLACES_KEPT, Place, Said};
use crate::profiles::{LoaderFamily, PROFILES};
use crate::verdict::Outcome;
use bindpose_core::suggest;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, D3dxError, Fault};

/// Adds a fault of the parser under our code, with D3DX's reaction. `times` includes repeats without a position in
/// `more`.
pub(super) fn add(fault: &Fault, span: Span, times: u32, more: &[Span], findings: &mut Findings) {
    let rule = codes::of_fault(fault);
    let is_first = findings.add(rule, span, || fault.to_string()).is_some();
    let Some(finding) = findings.get_mut(rule) else { return };
    if let (true, Fault::UnknownType { name }) = (is_first, fault) {
        let types: Vec<String> = x::standard_templates().iter().map(|template| template.name.to_name()).collect();
        // `FrameRoot {`: the longest type with which it begins, and the name.
        let glued = types.iter().filter(|kind| name.starts_with(kind.as_str())).max_by_key(|kind| kind.len());
        let meant = nearest(name, types.iter().map(String::as_str)).map(str::to_owned);
        let apart = || glued.map(|kind| format!("{kind} {}", &name[kind.len()..]));
        if let Some(meant) = meant.or_else(apart) {
            finding.note(format!("did you mean '{meant}'?"));
        }
    }
    if is_first && matches!(fault, Fault::Expected { expected: "'{'", .. }) {
        finding.subject = Some(slips::OPEN_BRACE);
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

/// Returns the messages of Direct3D's profiles for an error of D3DX.
pub(super) fn said(error: D3dxError) -> impl Iterator<Item = Said> {
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

/// Names the content of a file without the header. UTF-16 text without a byte order mark begins with `x` and a zero.
pub(super) fn name_content(bytes: &[u8], fault: &Fault, findings: &mut Findings) {
    let utf16 = (is_utf16(bytes) || bytes.starts_with(b"x\0o\0")).then_some(UTF_16);
    if let Some((what, advice)) = utf16.or_else(|| other_content(bytes))
        && let Some(finding) = findings.get_mut(codes::of_fault(fault))
    {
        (finding.message, finding.remedy) = (format!("the file is {what}"), Some(advice));
    }
}

/// Returns the most similar known name to `name`. Returns `None` if `name` is too long for a typing mistake.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    suggest::nearest(name, known.filter(|name| name.len() <= LONGEST))
}
