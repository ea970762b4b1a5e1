//! Faults in the text of decls, each reported once.

use super::Checker;
use super::words::printed;
use crate::checks::parsed::{MERGE_CONFLICT, is_conflict};
use crate::codes::{Rule, decl as of_decl, def, image, material, skin};
use crate::taint::Part;
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
        if let Some(finding) = self.findings.add(rule, fault.span, || fault.kind.to_string()) {
            finding.value("words", printed(&fault.kind, ""));
        }
        // The decl that it ends is not what its author wrote.
        if fault.kind.impact() == Impact::Part {
            self.findings.broken.mark(Part::Text, Span { end: fault.span.start, ..fault.span });
        }
    }

    /// Reports the faults in the text of a decl.
    pub(super) fn faults<T>(&mut self, decl: &Decl, parsed: &Parsed<T>) {
        // After the fault that rejects the decl, further ones change nothing for the engine, but each must be fixed.
        let mut before: Option<&Fault> = None;
        let rejected_by = parsed.rejected_by();
        let is_of_conflict = |fault: &&Fault| is_conflict(self.bytes, fault.span);
        let conflict = parsed.faults.iter().find(is_of_conflict);
        let is_mesh = |word: &str| suggest::nearest(word, ["mesh"]).is_some();
        let has_mesh = parsed.faults.iter().filter_map(|fault| fault.kind.unknown_word()).any(is_mesh);
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
            let is_late = matches!(fault.kind, FaultKind::AnimBeforeMesh | FaultKind::ChannelBeforeMesh);
            if is_late && has_mesh || conflict.is_some_and(|first| first != fault && is_of_conflict(&fault)) {
                continue;
            }
            // Arguments of an unknown word, and misreadings after a missing comma, are not reported.
            let before = before.replace(fault);
            let lost = rejected_by.filter(|first| *first == fault);
            let lost = lost.map(|_| format!("the engine ignores the {} '{}'", decl.kind.noun(), decl.name));
            if before.is_some_and(|before| follows(self.bytes, before, fault)) {
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
            let Some(finding) = self.findings.add(rule, where_due(self.bytes, fault), || says) else { continue };
            finding.value("words", printed(&fault.kind, &decl.name));
            if conflict == Some(fault) {
                finding.remedy = Some(MERGE_CONFLICT);
                continue;
            }
            let Some(word) = fault.kind.unknown_word() else { continue };
            if rule == material::NAME_CUT {
                continue;
            }
            let meant = match program {
                Some(word) => suggest::nearest(word, IMAGE_FUNCTIONS),
                None => suggest::nearest(word, fault.kind.known_words()),
            };
            if let Some(meant) = meant {
                finding.note(format!("did you mean '{meant}'?"));
            }
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

/// True if a fault is a consequence of the one right before it.
fn follows(bytes: &[u8], before: &Fault, fault: &Fault) -> bool {
    let is_word = matches!(
        fault.kind,
        FaultKind::UnknownModelWord { .. }
            | FaultKind::UnknownAnimWord { .. }
            | FaultKind::UnknownMaterialWord { .. }
            | FaultKind::UnknownStageWord { .. }
            | FaultKind::ImageProgramWord { .. }
    );
    let between = bytes.get(before.span.end as usize..fault.span.start as usize).unwrap_or_default();
    // A word swallowed by the image program is missing in this line or the next.
    let lines = between.iter().filter(|&&byte| byte == b'\n').count();
    if is_word && matches!(before.kind, FaultKind::ImageProgramWord { .. }) && lines <= 1 {
        return true;
    }
    // A bracket swallowed by the image program is missing later.
    let is_end = matches!(fault.kind, FaultKind::UnexpectedEnd { .. } | FaultKind::StageWithoutImage);
    if is_end && matches!(before.kind, FaultKind::ImageProgramWord { .. }) {
        return true;
    }
    // `blend` takes a word that is no mode for the first of two factors.
    let is_factor = matches!(fault.kind, FaultKind::Expected { expected: "','", .. });
    is_factor && matches!(before.kind, FaultKind::UnknownBlend { .. })
        || is_word
            && std::mem::discriminant(&before.kind) == std::mem::discriminant(&fault.kind)
            && between.iter().all(|byte| byte.is_ascii_whitespace() || b"(),".contains(byte))
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
