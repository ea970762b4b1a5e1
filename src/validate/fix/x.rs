//! Repairs of `.x` text: single words are changed, and everything else stays as written.

mod faces;

use super::Log;
use crate::Options;
use crate::codes::{Code, Group, Rule, import, x as rules};
use crate::finding::Finding;
use crate::profiles::{Effect, EngineId};
use crate::unit::FileReport;
use crate::x::commas;
use crate::x::spans::words_of;
use bindpose_core::diagnostic::Severity;
use bindpose_parsers::x::{self, BodyFormat, Document, KeyKind, Parsed, Reading, Tree};
use bindpose_parsers::{Span, counted};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::Path;

/// Same tolerance as in the checks.
const TOLERANCE: f64 = 1e-3;
/// Smallest sum of weights, and smallest quaternion length, that can be normalised.
const SMALLEST: f64 = 1e-6;
/// Direct3D's ticks per second if a file does not set them.
const DEFAULT_TICKS: f64 = 4800.0;
const TICKS_TYPE: &[u8] = b"AnimTicksPerSecond";
/// Declaration that Wine needs.
const TICKS_TEMPLATE: &str =
    "template AnimTicksPerSecond {\n <9e415a43-7ba6-4a73-8743-b73d47e88476>\n DWORD AnimTicksPerSecond;\n}\n";
/// Duration in seconds below which clips were not made for that rate.
const SHORTEST_CLIP: f64 = 0.1;
/// Largest number of steps of one pass. The file is read again after each.
const MOST_STEPS: usize = 64;

/// A span, and the text that replaces it.
type Edit = (Span, String);

/// Edits of one kind of repair. None if there is nothing to do.
type Pass = fn(&Text, &mut Log) -> Vec<Edit>;

/// Passes in order, each with the rules for which it is tried.
const PASSES: [(&[Rule], Pass); 11] = [
    (&[rules::BYTE_ORDER_MARK], byte_order_mark),
    (&[rules::COMMENT_AT_END], comment_at_end),
    (&[rules::DECIMAL_COMMA], decimal_commas),
    (&[rules::SEPARATOR_MISSING], missing_separator),
    (&[rules::SEPARATOR_EXTRA, rules::SEPARATOR_STRAY], surplus_separator),
    (&[rules::COUNT], count),
    (&[rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING, rules::BONE_MISSING], references),
    (&[rules::WEIGHT_SUM], weight_sums),
    (&[rules::QUATERNION_LENGTH], quaternions),
    (&[rules::TICKS_MISSING], ticks),
    (&[import::NORMALS_INSIDE_OUT], faces::turn),
];

/// Current state of a file.
struct Text<'a> {
    bytes: &'a [u8],
    findings: &'a [Finding],
    /// Document and objects, if the file can be read.
    read: Option<(&'a Document<'a>, &'a Tree<'a>)>,
}

impl<'a> Text<'a> {
    /// Returns all objects of the file.
    fn objects(&self) -> impl Iterator<Item = &'a x::Object<'a>> {
        self.read.into_iter().flat_map(|(_, tree)| tree.all_objects())
    }

    fn finding(&self, rule: Rule) -> Option<&Finding> {
        self.findings.iter().find(|finding| rule.has(finding.code))
    }

    /// Returns a word; an empty one if it is not UTF-8.
    fn word(&self, word: Span) -> &str {
        self.bytes.get(word.range()).and_then(|word| std::str::from_utf8(word).ok()).unwrap_or_default()
    }

    /// True if a word is a finite number. The values of other words are unknown.
    fn is_number(&self, word: Span) -> bool {
        self.word(word).parse().is_ok_and(f64::is_finite)
    }
}

/// Repairs a file, given its uncompressed bytes. Returns the new bytes, or the reason why it is unchanged.
pub fn repair(known: &FileReport, bytes: &[u8], options: &Options) -> Result<(Vec<u8>, Log), String> {
    if known.is_unpacked {
        return Err("only text files are repaired, and this one is compressed".to_owned());
    }
    let format = x::unpack(bytes, Reading::Lenient).map(|file| file.encoding.format);
    if format != Ok(BodyFormat::Text) {
        return Err("only text files are repaired".to_owned());
    }
    let mut log = Log::new(Group::X);
    let mut now = Revision { bytes: bytes.to_vec(), findings: check(&known.path, bytes, options) };
    for pass in PASSES {
        run_pass(&mut now, pass, |bytes| check(&known.path, bytes, options), &mut log);
    }
    Ok((now.bytes, log))
}

/// A file and its findings, without those of single programs.
struct Revision {
    bytes: Vec<u8>,
    findings: Vec<Finding>,
}

/// Runs one pass as often as it finds something to change.
fn run_pass(now: &mut Revision, (rules, pass): (&[Rule], Pass), check: impl Fn(&[u8]) -> Vec<Finding>, log: &mut Log) {
    let is_due = |findings: &[Finding]| findings.iter().any(|it| rules.iter().any(|rule| rule.has(it.code)));
    if !is_due(&now.findings) {
        return;
    }
    let known: HashSet<&str> = errors(&now.findings).map(|code| code.id).collect();
    // A corrected count can reveal the next fault, so only the end of a pass must not have new errors.
    let (mut bytes, mut found, mut tried) = (now.bytes.clone(), now.findings.clone(), Vec::new());
    let mut new = None;
    // Digests of earlier states: copies of a large file would fill the memory.
    let mut before = HashSet::from([digest(&bytes)]);
    for _ in 0..MOST_STEPS {
        let Some(next) = step(&bytes, &found, pass, &mut tried, log) else { break };
        // Two counts that are corrected in turn never converge.
        if !before.insert(digest(&next)) {
            break;
        }
        found = check(&next);
        bytes = next;
        new = errors(&found).find(|code| !known.contains(code.id));
        if new.is_none() {
            *now = Revision { bytes: bytes.clone(), findings: found.clone() };
            log.done.append(&mut tried);
        }
        if !is_due(&found) {
            break;
        }
    }
    if let Some(new) = new {
        let left = tried.into_iter().map(|(code, _)| (code, format!("fixing it alone would lead to {}", new.id)));
        log.left.extend(left);
    }
}

fn digest(bytes: &[u8]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(bytes)
}

fn check(path: &Path, bytes: &[u8], options: &Options) -> Vec<Finding> {
    let opened = crate::x::open(bytes.to_vec(), options.memory);
    let input = crate::x::XInput { file: 0, path, bytes: &opened.bytes, head: &opened.head };
    let (findings, names) = crate::x::read(&input, &options.folders);
    let (findings, _) = crate::x::finish(&input, findings, &names, None, options);
    findings.into_iter().filter(|finding| !finding.by_engine).collect()
}

/// Runs one step of a pass. Returns `None` if it changes nothing.
fn step(
    bytes: &[u8],
    findings: &[Finding],
    pass: Pass,
    tried: &mut Vec<(&'static Code, String)>,
    log: &mut Log,
) -> Option<Vec<u8>> {
    let file = x::unpack(bytes, Reading::Lenient).ok()?;
    let parsed = x::parse(&file, Reading::Lenient).ok();
    let read = parsed.as_ref().map(|Parsed { document, tree, .. }| (document, tree));
    let mut round = Log::new(Group::X);
    let edits = pass(&Text { bytes, findings, read }, &mut round);
    log.left.append(&mut round.left);
    tried.append(&mut round.done);
    (!edits.is_empty()).then(|| edited(bytes, edits))
}

/// Returns the codes of findings for which Direct3D stops, or which are errors for all engines.
fn errors(findings: &[Finding]) -> impl Iterator<Item = &'static Code> {
    let d3dx9 = EngineId::D3dx9.profile();
    findings.iter().filter_map(move |finding| {
        let stops = finding.effect(d3dx9) > Some(Effect::Wrong);
        (stops || finding.code.severity == Severity::Error).then_some(finding.code)
    })
}

/// Applies edits that do not overlap.
fn edited(bytes: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (span, text) in edits.into_iter().filter(|(span, _)| span.range().end <= bytes.len()) {
        if (span.start as usize) < at {
            continue;
        }
        out.extend_from_slice(bytes.get(at..span.start as usize).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
        at = span.end as usize;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

fn byte_order_mark(text: &Text, log: &mut Log) -> Vec<Edit> {
    if !text.bytes.starts_with(b"\xef\xbb\xbfxof ") {
        return Vec::new();
    }
    log.done(rules::BYTE_ORDER_MARK, "the byte order mark is gone");
    vec![(Span::new(0, 3), String::new())]
}

fn comment_at_end(text: &Text, log: &mut Log) -> Vec<Edit> {
    if !text.bytes.contains(&b'\n') {
        log.done(rules::COMMENT_AT_END, "lines end in LF now");
        let ends = memchr::memchr_iter(b'\r', text.bytes);
        return ends.map(|at| (Span::new(at, at + 1), "\n".to_owned())).collect();
    }
    let end = text.bytes.len();
    let line_end = if text.bytes.contains(&b'\r') { "\r\n" } else { "\n" };
    log.done(rules::COMMENT_AT_END, "the last line ends now");
    vec![(Span::new(end, end), line_end.to_owned())]
}

/// Replaces decimal commas by points, if the file can then be read.
fn decimal_commas(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some(body) =
        x::unpack(text.bytes, Reading::Lenient).ok().filter(|_| text.finding(rules::DECIMAL_COMMA).is_some())
    else {
        return Vec::new();
    };
    let Some(commas) = commas::find(text.bytes, body.body).filter(|commas| commas.are_decimal(&body)) else {
        log.left(rules::DECIMAL_COMMA, "which commas separate values is a guess");
        return Vec::new();
    };
    let changed = text.bytes.iter().zip(&commas.points).enumerate().filter(|(_, (old, new))| old != new);
    let edits: Vec<Edit> = changed.map(|(at, _)| (Span::new(at, at + 1), ".".to_owned())).collect();
    log.done(rules::DECIMAL_COMMA, format!("{} have decimal points now", counted(edits.len(), "number", "numbers")));
    edits
}

fn missing_separator(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some(finding) = text.finding(rules::SEPARATOR_MISSING) else { return Vec::new() };
    // The finding is at the missing separator. Before it are white space and the value.
    let start = finding.first.span.start as usize;
    let before = text.bytes.get(..start).unwrap_or_default();
    let end = before.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(start, |at| at + 1);
    log.done(rules::SEPARATOR_MISSING, "a ';' follows the value now");
    vec![(Span::new(end, end), ";".to_owned())]
}

fn surplus_separator(text: &Text, log: &mut Log) -> Vec<Edit> {
    for rule in [rules::SEPARATOR_EXTRA, rules::SEPARATOR_STRAY] {
        let Some(finding) = text.finding(rule) else { continue };
        let span = finding.first.span;
        if matches!(text.bytes.get(span.range()), Some(b";" | b",")) {
            log.done(rule, "the surplus separator is gone");
            return vec![(span, String::new())];
        }
    }
    Vec::new()
}

fn count(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some(finding) = text.finding(rules::COUNT) else { return Vec::new() };
    let value = |wanted| finding.values.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.clone());
    let (Some(said), Some(found)) = (value("expected"), value("found")) else { return Vec::new() };
    log.done(rules::COUNT, format!("{}; the count is {found} now instead of {said}", finding.message));
    vec![(finding.first.span, found)]
}

/// Corrects names that differ only in case from the only possible target.
fn references(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let mut names: HashMap<Vec<u8>, HashSet<Vec<u8>>> = HashMap::new();
    for name in text.objects().filter_map(|object| object.name.as_ref()) {
        names.entry(name.bytes.to_ascii_lowercase()).or_default().insert(name.bytes.to_vec());
    }
    let meant = |name: &[u8]| -> Option<Vec<u8>> {
        let known = names.get(&name.to_ascii_lowercase())?;
        let mut known = known.iter();
        let only = known.next().filter(|_| known.next().is_none())?;
        (only != name).then(|| only.clone())
    };
    let mut edits = Vec::new();
    let skins = document.meshes.iter().flat_map(|mesh| &mesh.skin_weights).filter(|skin| skin.frame.is_none());
    let mut places: Vec<(Span, Rule)> = skins.map(|skin| (skin.bone.span, rules::BONE_MISSING)).collect();
    for rule in [rules::UNRESOLVED_REFERENCE, rules::TARGET_MISSING] {
        places.extend(text.finding(rule).into_iter().flat_map(Finding::places).map(|place| (place.span, rule)));
    }
    for (place, rule) in places {
        let Some((word, name)) = name_in(text.bytes, place) else { continue };
        let Some(meant) = meant(&name).and_then(|meant| String::from_utf8(meant).ok()) else { continue };
        log.done(rule, format!("'{}' is '{meant}' now, as the object is called", String::from_utf8_lossy(&name)));
        edits.push((word, meant));
    }
    edits
}

/// Returns the name inside braces or quotes, and its span.
fn name_in(bytes: &[u8], place: Span) -> Option<(Span, Vec<u8>)> {
    let text = bytes.get(place.range())?;
    let is_frame = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'"');
    let start = text.iter().position(|byte| !is_frame(byte))?;
    let end = text.iter().rposition(|byte| !is_frame(byte))? + 1;
    let name = text.get(start..end)?;
    let place = Span::new(place.start as usize + start, place.start as usize + end);
    (!name.contains(&b'<')).then(|| (place, name.to_vec()))
}

fn weight_sums(text: &Text, log: &mut Log) -> Vec<Edit> {
    if [rules::COUNT, rules::VALUES_MISSING, rules::VALUES_EXTRA].iter().any(|&rule| text.finding(rule).is_some()) {
        log.left(rules::WEIGHT_SUM, "not all of the file's values can be read");
        return Vec::new();
    }
    let Some((document, _)) = text.read else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    for mesh in &document.meshes {
        let mut sums: HashMap<u32, f64> = HashMap::new();
        for &(vertex, weight) in mesh.skin_weights.iter().flat_map(|skin| &skin.weights) {
            *sums.entry(vertex).or_default() += weight;
        }
        sums.retain(|_, sum| (*sum - 1.0).abs() > TOLERANCE && *sum > SMALLEST);
        // An unknown weight was read as 0.
        for skin in &mesh.skin_weights {
            let words: Vec<Span> = words_of(text.bytes, skin.span).collect();
            let weights = words.get(2 + skin.weights.len()..).unwrap_or_default();
            for (&(vertex, _), _) in skin.weights.iter().zip(weights).filter(|(_, word)| !text.is_number(**word)) {
                if sums.remove(&vertex).is_some() {
                    log.left(rules::WEIGHT_SUM, "not all of its weights are known");
                }
            }
        }
        for skin in &mesh.skin_weights {
            // Bone, count, vertices, weights, matrix.
            let words: Vec<Span> = words_of(text.bytes, skin.span).collect();
            let count = skin.weights.len();
            let Some(weights) = words.get(2 + count..2 + 2 * count).filter(|_| words.len() == 2 + 2 * count + 16)
            else {
                return Vec::new();
            };
            for (&(vertex, weight), &place) in skin.weights.iter().zip(weights) {
                if let Some(sum) = sums.get(&vertex) {
                    edits.push((place, decimal(weight / sum)));
                }
            }
        }
        if !sums.is_empty() {
            let vertices = counted(sums.len(), "vertex", "vertices");
            log.done(rules::WEIGHT_SUM, format!("the weights of {vertices} sum to 1 now"));
        }
    }
    edits
}

/// Formats a number with six decimals, as exporters do. Readers in every language accept this.
fn decimal(value: f64) -> String {
    format!("{value:.6}")
}

fn quaternions(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else {
        return Vec::new();
    };
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    let width = KeyKind::Rotation.width();
    let mut edits = Vec::new();
    let mut normalised = 0;
    for keys in sets.flat_map(|animation| &animation.keys).filter(|keys| keys.kind == KeyKind::Rotation) {
        // Type and count, then time, number of values and values of each key.
        let words: Vec<Span> = words_of(text.bytes, keys.span).collect();
        if words.len() != 2 + keys.times.len() * (2 + width) {
            continue;
        }
        let places = words.get(2..).unwrap_or_default().chunks_exact(2 + width);
        for (key, places) in keys.values.vectors::<4>().iter().zip(places) {
            let length = key.iter().map(|part| part * part).sum::<f64>().sqrt();
            let is_known = places.iter().all(|&place| text.is_number(place));
            if (length - 1.0).abs() > TOLERANCE && length > SMALLEST && length.is_finite() && is_known {
                let parts = key.iter().zip(places.get(2..).unwrap_or_default());
                edits.extend(parts.map(|(part, &place)| (place, decimal(part / length))));
                normalised += 1;
            }
        }
    }
    if normalised > 0 {
        let keys =
            if normalised == 1 { "1 rotation key has".to_owned() } else { format!("{normalised} rotation keys have") };
        log.done(rules::QUATERNION_LENGTH, format!("{keys} unit length now"));
    }
    edits
}

fn ticks(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, tree)) = text.read else {
        return Vec::new();
    };
    let longest = document.animation_sets.iter().map(x::AnimationSet::period).fold(0.0, f64::max);
    if longest < SHORTEST_CLIP * DEFAULT_TICKS {
        log.left(rules::TICKS_MISSING, "the rate that was meant is not in the file, and Direct3D's 4800 is not it");
        return Vec::new();
    }
    log.done(rules::TICKS_MISSING, "AnimTicksPerSecond is 4800 now, which Direct3D takes where there is none");
    let end = text.bytes.len();
    let line = if text.bytes.ends_with(b"\n") { "" } else { "\n" };
    let is_declared = tree.templates.iter().any(|template| template.name.bytes.eq_ignore_ascii_case(TICKS_TYPE));
    let template = if is_declared { "" } else { TICKS_TEMPLATE };
    vec![(Span::new(end, end), format!("{line}{template}AnimTicksPerSecond {{\n {DEFAULT_TICKS};\n}}\n"))]
}
