//! Names of frames in skins and animations: the probable target of a wrong name, and the consequences of a renamed
//! frame.

use super::faults::add;
use super::models::{Missing, Model, Names, targets};
use crate::codes::{Rule, x as rules};
use crate::finding::{Finding, Findings, OWN_FILE};
use crate::profiles::{Effect, PROFILES, Profile, fact};
use bindpose_core::suggest;
use bindpose_parsers::Span;
use bindpose_parsers::x::{Document, Fault, Text, Tree};
use memchr::memmem;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Largest number of suggested names.
const SUGGESTIONS: usize = 8;

/// Findings about a name that is not a frame.
const MISSING: [Rule; 3] = [rules::BONE_MISSING, rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING];

/// Finishes the findings about missing names. `model` is the one that a file of clips moves.
pub(super) fn settle(names: &Names, model: Option<Model>, findings: &mut Findings) {
    if let Some(model) = model {
        check_targets(&names.missing, model, findings);
    }
    merge(&names.missing, findings);
    suggest(names, model, findings);
}

/// Searches for the frames that clips move in their model instead of in the file.
fn check_targets(missing: &[Missing], model: Model, findings: &mut Findings) {
    for rule in [rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING] {
        findings.take(rule, |_| true);
    }
    // A program that refuses a file without frames cannot merge it into its model.
    if let Some(finding) = findings.get_mut(rules::NOTHING) {
        let refuses =
            |profile: &&Profile| fact(finding.code, profile).is_some_and(|fact| fact.effect >= Effect::Refuses);
        finding.only = Some(PROFILES.iter().filter(refuses).collect());
    }
    let missing = missing.iter().filter(|missing| !model.names.frames.contains(&missing.name));
    let mut places: Vec<(Span, &str)> =
        missing.flat_map(|missing| missing.spans.iter().map(|&span| (span, &*missing.name))).collect();
    places.sort_by_key(|(span, _)| span.start);
    for (span, name) in places {
        add(&Fault::UnresolvedReference { name: name.to_owned() }, span, 1, &[], findings);
        if let Some(finding) = findings.get_mut(rules::UNRESOLVED_REFERENCE).filter(|finding| finding.count == 1) {
            finding.message = format!("no object is named '{name}', here or in {}", model.path.display());
        }
    }
}

/// Merges the findings about one missing name. Findings about a skipped block or a frame with another frame's name
/// become part of it, and so do references to a missing bone.
fn merge(missing: &[Missing], findings: &mut Findings) {
    for Missing { name, spans, cause, .. } in missing {
        if findings.get(*cause).is_none() {
            continue;
        }
        let is_named = |span: Span| spans.iter().any(|named| span.start <= named.start && named.end <= span.end);
        let others = MISSING.into_iter().filter(|rule| rule != cause);
        let gone: Vec<Finding> =
            others.filter_map(|rule| findings.take_places(rule, |place| is_named(place.span))).collect();
        let Some(finding) = findings.get_mut(*cause) else { continue };
        for gone in gone {
            for place in gone.places() {
                finding.related(OWN_FILE, place.span, format!("which names '{name}'"));
            }
            finding.add_said(gone.said);
        }
        if *cause == rules::DUPLICATE_FRAME {
            finding.note(format!("no frame is named '{name}': the second one may be meant"));
        }
    }
}

/// Returns the names of bones and targets that are not frames, in the order of the document.
pub(super) fn missing(bytes: &[u8], document: &Document, tree: &Tree, findings: &Findings) -> Vec<Missing> {
    let frames = || document.frames.iter().filter_map(|frame| frame.name.as_ref()).map(Text::to_name);
    let skipped: Vec<Span> = tree.all_objects().filter(|object| object.unread.is_some()).map(|it| it.span).collect();
    let is_inside = |name: &str| {
        let has = |span: &Span| {
            let block = bytes.get(span.range()).unwrap_or_default();
            // In `FrameRoot {` the type lacks the space before the name.
            let kind = block.split(|byte| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte)).next();
            kind.is_some_and(|kind| kind.ends_with(name.as_bytes()))
                || memmem::find_iter(block, name).any(|at| is_whole(block, at, name.len()))
        };
        skipped.iter().any(has)
    };
    // Frames by the letters and digits of their names: exporters replace what no name may have.
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let odd: HashSet<String> = frames()
        .filter(|name| !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)))
        .map(|name| plain(&name))
        .collect();
    let known: HashSet<String> = frames().collect();
    let skins = document.meshes.iter().flat_map(|mesh| &mesh.skin_weights).map(|skin| &skin.bone);
    let bones = skins.map(|bone| (bone, [rules::BONE_MISSING, rules::BONE_MISSING]));
    let of_clips = targets(document).map(|target| (target, [rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING]));
    let (mut missing, mut at) = (Vec::<Missing>::new(), HashMap::new());
    for (text, found_as) in bones.chain(of_clips) {
        let name = text.to_name();
        if known.contains(&name) {
            continue;
        }
        let at = *at.entry(name.clone()).or_insert(missing.len());
        if let Some(missing) = missing.get_mut(at) {
            missing.spans.push(text.span);
            continue;
        }
        let cause = match () {
            () if is_inside(&name) => rules::UNKNOWN_TYPE,
            () if odd.contains(&plain(&name)) => rules::ODD_NAME,
            () => rules::BONE_MISSING,
        };
        missing.push(Missing { name, spans: vec![text.span], cause, found_as });
    }
    if let [only] = &mut missing[..]
        && only.cause == rules::BONE_MISSING
        && findings.get(rules::DUPLICATE_FRAME).is_some_and(|finding| finding.count == 1)
    {
        only.cause = rules::DUPLICATE_FRAME;
    }
    missing
}

/// True if the name at this position is not part of a longer name.
fn is_whole(block: &[u8], at: usize, length: usize) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    !is_part(at.checked_sub(1).and_then(|before| block.get(before))) && !is_part(block.get(at + length))
}

/// Suggests the frame that a bone or an animation with a missing name probably means.
fn suggest(names: &Names, model: Option<Model>, findings: &mut Findings) {
    let comparable = |name: &str| name.replace(|letter: char| !letter.is_alphanumeric(), "_").to_lowercase();
    let frames = names.frames.iter().chain(model.iter().flat_map(|model| &model.names.frames));
    let frames: BTreeSet<&str> = frames.map(String::as_str).collect();
    let mut known: HashMap<String, &str> = HashMap::new();
    for name in &frames {
        known.entry(comparable(name)).or_insert(name);
    }
    let missing = names.missing.iter().filter(|missing| !frames.contains(&*missing.name));
    for Missing { name, found_as, .. } in missing.take(SUGGESTIONS) {
        let like = || suggest::nearest_name(name, frames.iter().copied());
        let Some(meant) = known.get(&comparable(name)).copied().or_else(like) else { continue };
        let rule = found_as.iter().find(|&&rule| findings.get(rule).is_some());
        if let Some(finding) = rule.and_then(|&rule| findings.get_mut(rule)) {
            finding.note(format!("'{name}': did you mean '{meant}'?"));
        }
    }
    if let Some(frame) = names.nameless
        && let Some(rule) = MISSING.into_iter().find(|&rule| findings.get(rule).is_some())
        && let Some(finding) = findings.get_mut(rule)
    {
        finding.related(OWN_FILE, frame, "this frame has no name");
    }
}
