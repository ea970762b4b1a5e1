//! Names of frames in skins and animations: the probable target of a wrong name, and the consequences of a renamed
//! frame.

use super::faults::{add, nearest};
use super::models::{Model, targets};
use super::spans::head_of;
use crate::codes::{Rule, x as rules};
use crate::finding::{Finding, Findings, OWN_FILE};
use crate::profiles::{Effect, PROFILES, Profile, fact};
use bindpose_parsers::Span;
use bindpose_parsers::x::{Document, Fault, Text, Tree};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Largest number of suggested names.
const SUGGESTIONS: usize = 8;

/// Findings about a name that is not a frame.
const MISSING: [Rule; 3] = [rules::BONE_MISSING, rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING];

/// Searches for the frames that clips move in their model instead of in the file.
pub(super) fn check_targets(document: &Document, model: Model, findings: &mut Findings) {
    for rule in [rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING] {
        findings.take(rule, |_| true);
    }
    // A program that refuses a file without frames cannot merge it into its model.
    if let Some(finding) = findings.get_mut(rules::NOTHING) {
        let refuses =
            |profile: &&Profile| fact(finding.code, profile).is_some_and(|fact| fact.effect >= Effect::Refuses);
        finding.only = Some(PROFILES.iter().filter(refuses).collect());
    }
    for target in targets(document).filter(|target| !model.names.frames.contains(&target.to_name())) {
        let name = target.to_name();
        let fault = Fault::UnresolvedReference { name: name.clone() };
        add(&fault, target.span, 1, &[], findings);
        if let Some(finding) = findings.get_mut(rules::UNRESOLVED_REFERENCE).filter(|finding| finding.count == 1) {
            finding.message = format!("no object is named '{name}', here or in {}", model.path.display());
        }
    }
}

/// Merges the findings about one missing name. Findings about a skipped block or a frame with another frame's name
/// become part of it, and so do references to a missing bone.
pub(super) fn merge(bytes: &[u8], document: &Document, tree: &Tree, findings: &mut Findings) {
    let missing = missing_names(document);
    if missing.is_empty() || MISSING.iter().all(|&rule| findings.get(rule).is_none()) {
        return;
    }
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
    let frames = document.frames.iter().filter_map(|frame| frame.name.as_ref()).map(Text::to_name);
    let odd: HashSet<String> = frames
        .filter(|name| !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)))
        .map(|name| plain(&name))
        .collect();
    let renamed = findings.get(rules::DUPLICATE_FRAME).is_some_and(|finding| finding.count == 1) && missing.len() == 1;
    for (name, spans) in missing {
        let is_named = |span: Span| spans.iter().any(|named| span.start <= named.start && named.end <= span.end);
        let cause = match () {
            () if is_inside(&name) => rules::UNKNOWN_TYPE,
            () if odd.contains(&plain(&name)) => rules::ODD_NAME,
            () if renamed => rules::DUPLICATE_FRAME,
            () => rules::BONE_MISSING,
        };
        if findings.get(cause).is_none() {
            continue;
        }
        let others = MISSING.into_iter().filter(|&rule| rule != cause);
        let gone: Vec<Finding> =
            others.filter_map(|rule| findings.take_places(rule, |place| is_named(place.span))).collect();
        let Some(finding) = findings.get_mut(cause) else { continue };
        for gone in gone {
            for place in gone.places() {
                finding.related(OWN_FILE, place.span, format!("which names '{name}'"));
            }
            finding.add_said(gone.said);
        }
        if renamed && cause == rules::DUPLICATE_FRAME {
            finding.note(format!("no frame is named '{name}': the second one may be meant"));
        }
    }
}

/// Returns the names of bones and targets that are not frames, with all their spans.
fn missing_names(document: &Document) -> BTreeMap<String, Vec<Span>> {
    let frames: HashSet<String> =
        document.frames.iter().filter_map(|frame| frame.name.as_ref()).map(Text::to_name).collect();
    let skins = document.meshes.iter().flat_map(|mesh| &mesh.skin_weights).map(|skin| &skin.bone);
    let mut missing: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    for text in skins.chain(targets(document)) {
        let name = text.to_name();
        if !frames.contains(&name) {
            missing.entry(name).or_default().push(text.span);
        }
    }
    missing
}

/// True if the name at this position is not part of a longer name.
fn is_whole(block: &[u8], at: usize, length: usize) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    !is_part(at.checked_sub(1).and_then(|before| block.get(before))) && !is_part(block.get(at + length))
}

/// Suggests the frame that a bone or an animation with a missing name probably means.
pub(super) fn suggest(document: &Document, model: Option<Model>, findings: &mut Findings) {
    let comparable = |name: &str| name.replace(|letter: char| !letter.is_alphanumeric(), "_").to_lowercase();
    let own = document.frames.iter().filter_map(|frame| frame.name.as_ref()).map(Text::to_name);
    let frames: BTreeSet<String> = own.chain(model.iter().flat_map(|model| &model.names.frames).cloned()).collect();
    let mut known: HashMap<String, &str> = HashMap::new();
    for name in &frames {
        known.entry(comparable(name)).or_insert(name);
    }
    let skins = document.meshes.iter().flat_map(|mesh| &mesh.skin_weights).filter(|skin| skin.frame.is_none());
    let bones = skins.map(|skin| (&skin.bone, [rules::BONE_MISSING, rules::BONE_MISSING]));
    let of_clips = targets(document).map(|target| (target, [rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING]));
    let mut suggested = HashSet::new();
    for (name, found_as) in bones.chain(of_clips) {
        let name = name.to_name();
        if frames.contains(&name) || suggested.len() >= SUGGESTIONS || !suggested.insert(name.clone()) {
            continue;
        }
        let like = || nearest(&name, frames.iter().map(String::as_str));
        let Some(meant) = known.get(&comparable(&name)).copied().or_else(like) else { continue };
        let rule = found_as.into_iter().find(|&rule| findings.get(rule).is_some());
        if let Some(finding) = rule.and_then(|rule| findings.get_mut(rule)) {
            finding.note(format!("'{name}': did you mean '{meant}'?"));
        }
    }
    let mut nameless = document.frames.iter().filter(|frame| frame.name.is_none());
    if let (Some(frame), None) = (nameless.next(), nameless.next())
        && let Some(rule) = MISSING.into_iter().find(|&rule| findings.get(rule).is_some())
        && let Some(finding) = findings.get_mut(rule)
    {
        finding.related(OWN_FILE, head_of(frame.span, "Frame"), "this frame has no name");
    }
}
