//! Faults in the text of decls, each reported once.

use super::Checker;
use super::words::printed;
use crate::checks::parsed::{MERGE_CONFLICT, is_conflict};
use crate::codes::{Rule, decl as of_decl, def, image, material, skin};
use crate::taint::{Broken, Part};
use bindpose_core::suggest;
use bindpose_parsers::Span;
use bindpose_parsers::decl::{Decl, DeclKind, Fault, FaultKind, IMAGE_FUNCTIONS, Impact, Parsed};

/// Bytes of a line that belong to one stage.
const LONGEST_LINE: usize = 1000;

impl Checker<'_, '_> {
    /// Reports a fault outside of decls.
    pub(super) fn file_fault(&mut self, fault: &Fault) {
        let needs_quotes =
            matches!(&fault.kind, FaultKind::MissingBlock { found, .. } if found != "{" && is_cut_name(found));
        let rule = match fault.kind {
            FaultKind::MissingBlock { .. } if needs_quotes => of_decl::DECL_NEEDS_QUOTES,
            FaultKind::NestedComment => of_decl::NESTED_COMMENT,
            FaultKind::OpenComment
            | FaultKind::OpenString
            | FaultKind::Character { .. }
            | FaultKind::TwoDots
            | FaultKind::NotFinite => of_decl::UNREADABLE_WORD,
            _ => of_decl::DECL_HEAD,
        };
        self.findings.add(rule, fault.span, || fault.kind.to_string()).value("words", printed(&fault.kind, ""));
        // The decl that it ends is not what its author wrote.
        if fault.kind.impact() == Impact::Part {
            self.findings.broken.mark(Part::Text, Span { end: fault.span.start, ..fault.span });
        }
    }

    /// Reports the faults in the text of a decl.
    pub(super) fn faults<T>(&mut self, decl: &Decl, parsed: &Parsed<T>) {
        // After the fault that rejects the decl, further ones change nothing for the engine, but each must be fixed.
        let rejected_by = parsed.rejected_by();
        let is_of_conflict = |fault: &&Fault| is_conflict(self.bytes, fault.span);
        let conflict = parsed.faults.iter().find(is_of_conflict);
        for fault in &parsed.faults {
            let rule = rule_of(&fault.kind, decl.kind);
            let program = program_before(self.bytes, fault);
            // The rest of a cut name, or of an unreadable image program, is not an image name.
            if program.is_some() || [Some(material::NAME_CUT), Some(image::IMAGE_PROGRAM)].contains(&rule) {
                let before = self.bytes.get(..fault.span.start as usize).unwrap_or_default();
                let line = before.iter().rev().take(LONGEST_LINE).take_while(|byte| **byte != b'\n').count();
                let start = before.len() - if program.is_some() { line } else { 0 };
                self.findings.broken.mark(Part::Bytes, Span::new(start, before.len()));
            }
            let is_of_first = conflict.is_some_and(|first| first != fault && is_of_conflict(&fault));
            let is_doubtful = is_of_first || is_doubtful(fault, &self.findings.broken);
            mark_broken(self.bytes, decl, fault, &mut self.findings.broken);
            let lost = rejected_by.filter(|first| *first == fault);
            let lost = lost.map(|_| format!("the engine ignores the {} '{}'", decl.kind.noun(), decl.name));
            if is_doubtful {
                if let (Some(lost), Some(finding)) = (lost, self.findings.last_mut()) {
                    finding.note(lost);
                }
                continue;
            }
            let Some(rule) = rule else { continue };
            let says = match (fault.kind.unknown_word().filter(|_| rule == material::NAME_CUT), program) {
                (Some(word), _) => format!("the image's name ends before '{word}'"),
                (None, Some(word)) => format!("'{word}' is not an image program"),
                (None, None) => fault.kind.to_string(),
            };
            let says = lost.map_or_else(|| says.clone(), |lost| format!("{says}; {lost}"));
            let added = self.findings.add(rule, where_due(self.bytes, fault), || says);
            let added = added.value("words", printed(&fault.kind, &decl.name));
            if conflict == Some(fault) {
                added.remedy(MERGE_CONFLICT);
                continue;
            }
            let Some(word) = fault.kind.unknown_word() else { continue };
            if rule == material::NAME_CUT {
                continue;
            }
            added.suggest(match program {
                Some(word) => suggest::nearest(word, IMAGE_FUNCTIONS),
                None => suggest::nearest(word, fault.kind.known_words()),
            });
        }
    }
}

/// Returns the word before a bracket that is not a keyword of a material: a misspelt function.
fn program_before<'b>(bytes: &'b [u8], fault: &Fault) -> Option<&'b str> {
    if fault.kind.unknown_word() != Some("(") {
        return None;
    }
    let before = bytes.get(..fault.span.start as usize)?.trim_ascii_end();
    let start = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    std::str::from_utf8(before.get(start..)?).ok().filter(|word| !word.is_empty())
}

/// Returns the span of a fault; for something missing before the first word of a line, the end of the text before it.
fn where_due(bytes: &[u8], fault: &Fault) -> Span {
    let is_missing = match &fault.kind {
        FaultKind::Expected { expected, .. } => ["']'", "')'"].contains(expected),
        FaultKind::ImageProgramWord { expected, .. } => *expected == ")",
        _ => false,
    };
    let before = bytes.get(..fault.span.start as usize).unwrap_or_default();
    let end = before.trim_ascii_end().len();
    let is_on_next_line = before.get(end..).is_some_and(|blanks| blanks.contains(&b'\n'));
    if is_missing && is_on_next_line { Span::new(end, end) } else { fault.span }
}

/// True if a fault is found in something unreliable.
fn is_doubtful(fault: &Fault, broken: &Broken) -> bool {
    let part = match fault.kind {
        FaultKind::UnexpectedEnd { .. } | FaultKind::StageWithoutImage => Part::Records,
        FaultKind::AnimBeforeMesh | FaultKind::ChannelBeforeMesh => Part::Joints,
        FaultKind::ImageProgramWord { .. } | FaultKind::Expected { expected: "','", .. } => Part::Value,
        _ if is_word(&fault.kind) => Part::Value,
        _ => return false,
    };
    broken.within(&[part], fault.span)
}

/// Marks what a fault leaves unreliable.
fn mark_broken(bytes: &[u8], decl: &Decl, fault: &Fault, broken: &mut Broken) {
    let (start, end) = (fault.span.start as usize, fault.span.end as usize);
    let after = bytes.get(end..).unwrap_or_default();
    let up_to = |length: Option<usize>| Span::new(start, end + length.unwrap_or(after.len()));
    let line_end = |number: usize| up_to(memchr::memchr_iter(b'\n', after).nth(number));
    let rest = Span { start: fault.span.start, ..decl.body };
    match &fault.kind {
        // The program swallows a word in this line or the next, or a bracket that is missing later.
        FaultKind::ImageProgramWord { .. } => {
            broken.mark(Part::Value, line_end(1));
            broken.mark(Part::Records, rest);
        }
        // `blend` takes a word that is no mode for the first of two factors.
        FaultKind::UnknownBlend { .. } => broken.mark(Part::Value, line_end(1)),
        // Its arguments are read as words.
        kind if is_word(kind) => {
            let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"(),".contains(byte);
            broken.mark(Part::Value, up_to(after.iter().position(|byte| !is_between(byte))));
            if kind.unknown_word().is_some_and(|word| suggest::nearest(word, ["mesh"]).is_some()) {
                broken.mark(Part::Joints, rest);
            }
        }
        _ => {}
    }
}

fn is_word(kind: &FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::UnknownModelWord { .. }
            | FaultKind::UnknownAnimWord { .. }
            | FaultKind::UnknownMaterialWord { .. }
            | FaultKind::UnknownStageWord { .. }
    )
}

/// Returns the rule of a fault in a decl's text.
fn rule_of(fault: &FaultKind, kind: DeclKind) -> Option<Rule> {
    Some(match fault {
        FaultKind::NestedComment
        | FaultKind::OpenComment
        | FaultKind::OpenString
        | FaultKind::Character { .. }
        | FaultKind::TwoDots
        // The file's own list of faults contains these.
        | FaultKind::NotFinite => return None,
        FaultKind::StageWithoutImage => material::STAGE_WITHOUT_IMAGE,
        FaultKind::UnknownStageWord { word } | FaultKind::UnknownMaterialWord { word } if is_cut_name(word) => material::NAME_CUT,
        FaultKind::NoRotationTable => material::ROTATION_TABLES,
        FaultKind::UnknownSort { .. } => material::UNKNOWN_SORT,
        FaultKind::ImageProgramWord { .. } | FaultKind::LongImageProgram { .. } => image::IMAGE_PROGRAM,
        FaultKind::BrokenTable { .. } => of_decl::TABLE_BROKEN,
        FaultKind::HiddenPair { .. } => skin::PAIR_HIDDEN,
        FaultKind::HalfPair { .. } => skin::PAIR_HALF,
        FaultKind::DuplicateAnim { .. } => def::ANIM_DUPLICATE,
        FaultKind::FractionalFrame { .. } => def::FRAME_FRACTION,
        FaultKind::UnquotedKey { .. } => def::KEY_UNQUOTED,
        FaultKind::DuplicateKey { .. } => def::KEY_DUPLICATE,
        _ => match kind {
            DeclKind::Material => material::MATERIAL_LOST,
            DeclKind::Skin => skin::SKIN_LOST,
            _ => def::DECL_LOST,
        },
    })
}

/// True if this word begins where a name was cut off: at `-`, or at another character for which a name needs quotes.
pub(super) fn is_cut_name(found: &str) -> bool {
    found.starts_with(|letter: char| "-+!#&$'".contains(letter))
}
