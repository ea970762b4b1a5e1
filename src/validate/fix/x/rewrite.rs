//! Rewriting of a `.x` file as plain text, for a program that does not read it as it is.

use super::{Log, Options, Revision, programs, repair_text};
use crate::codes::{Rule, x as rules};
use crate::finding::Finding;
use crate::profiles::Profile;
use crate::verdict::Outcome;
use crate::x_loaders::{self, XFile};
use bindpose_core::diagnostic::Severity;
use bindpose_parsers::x::{self, Encoding, Parsed, Reading, Tree};
use std::path::Path;

/// Rewrites a file with plain decimal numbers, usual separators and all templates, and applies the repairs for the
/// chosen programs. `found` are the file's findings, if they are known. `None` if all programs already read the file, or
/// would read no more of it.
pub(super) fn rewrite(
    path: &Path,
    bytes: &[u8],
    found: Option<Vec<Finding>>,
    options: &Options,
    log: &mut Log,
) -> Option<Vec<u8>> {
    let refused = programs(options).filter_map(|program| {
        let (outcome, rule) = load(program, bytes)?;
        Some((program, outcome, rule?))
    });
    let refused: Vec<(&Profile, Outcome, Rule)> = refused.collect();
    let &(first, _, rule) = refused.first()?;
    let file = x::unpack(bytes, Reading::Lenient).ok()?;
    let Parsed { mut tree, .. } = x::parse(&file, Reading::Lenient).ok()?;
    let found = found.unwrap_or_else(|| super::check(path, bytes, options));
    // A reader's workaround would become the content of the file.
    let is_fault = |finding: &Finding| !finding.by_engine && finding.code.severity == Severity::Error;
    if !is_whole(&tree) || found.iter().any(is_fault) {
        log.left(
            rule,
            format!("{} reads it only if it is written again, and then its other faults would be hidden", first.name),
        );
        return None;
    }
    tree.declare_extensions();
    drop_identifiers(&mut tree);
    let (Revision { bytes: again, .. }, mut round) = repair_text(path, &x::write_tree(&tree, Encoding::TEXT), options);
    let helped = refused.into_iter().find_map(|(program, before, rule)| {
        let (after, _) = load(program, &again)?;
        (after < before && after <= Outcome::Misreads).then_some(rule)
    });
    log.done(helped?, "the file is written again as plain text, without its comments");
    log.done.append(&mut round.done);
    Some(again)
}

/// Returns the outcome of a program's loader, and the rule by which it refuses the file or is out of step with it.
fn load(program: &Profile, bytes: &[u8]) -> Option<(Outcome, Option<Rule>)> {
    let loaded = x_loaders::load(program.id, XFile::plain("", bytes))?;
    if let Some(refusal) = loaded.refusal {
        return Some((loaded.outcome, Some(refusal.rule)));
    }
    let is_out_of_step = loaded.misread.iter().any(|place| place.rule == rules::OUT_OF_STEP);
    Some(if is_out_of_step { (Outcome::Misreads, Some(rules::OUT_OF_STEP)) } else { (loaded.outcome, None) })
}

/// Removes the GUIDs of objects and references, unless a reference has no name. Few programs read them.
fn drop_identifiers(tree: &mut Tree) {
    let is_nameless = |child: &x::Child| matches!(child, x::Child::Reference(reference) if reference.name.is_none());
    if tree.all_objects().flat_map(|object| &object.children).any(is_nameless) {
        return;
    }
    let mut open: Vec<&mut x::Object> = tree.objects.iter_mut().collect();
    while let Some(object) = open.pop() {
        object.guid = None;
        for child in &mut object.children {
            match child {
                x::Child::Object(inner) => open.push(inner),
                x::Child::Reference(reference) => reference.guid = None,
            }
        }
    }
}

/// True if all objects could be read.
fn is_whole(tree: &Tree) -> bool {
    tree.all_objects().all(|object| object.unread.is_none())
}
