//! All codes with their texts, used for `explain`, docs/diagnostics.md and the rules of SARIF reports. They come from
//! `codes.tsv`; `build.rs` generates the table and its constants, and the list of sentences from the followed loaders.
//!
//! A code is never reused and does not determine the severity: that depends on the engine (`engines.tsv`), with
//! [`Code::severity`] as the minimum.

use bindpose_core::diagnostic::Severity;
use bindpose_core::engines::EngineId;
use bindpose_parsers::x::Fault;
use bindpose_parsers::{is_same, md5};

/// Subject of a code, from its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// `MD5M`: a mesh.
    Mesh,
    /// `MD5A`: a clip.
    Anim,
    /// `MD5C`: a camera.
    Camera,
    /// `MD5P`: a mesh and a clip together.
    Pair,
    /// `MOT`: the motion of a clip of any format.
    Motion,
    /// `MD5I`: conversion of MD5 files to a model.
    Md5Import,
    /// `XF`: a .x file.
    X,
    /// `XFI`: conversion of .x files to a model.
    XImport,
    /// `GLI`: conversion of a glTF file to a model.
    GltfImport,
    /// `PAK`: an archive, or the files of a game in general.
    Pak,
    /// `DECL`: a file of decls.
    Decl,
    /// `MTR`: a material.
    Material,
    /// `IMG`: an image program.
    ImageProgram,
    /// `SKN`: a skin.
    Skin,
    /// `DEF`: a model decl or an entityDef.
    Def,
    /// `TEX`: an image.
    Texture,
    /// `IO`: a file in general.
    File,
}

/// One kind of finding.
#[derive(Debug)]
pub struct Code {
    /// Index in [`all`].
    pub(crate) number: usize,
    /// Id such as `MD5M105`.
    pub id: &'static str,
    /// Subject.
    pub group: Group,
    /// Name in words: `late-parent`. Codes of different groups may share one.
    pub name: &'static str,
    /// Lowest severity, regardless of engines.
    pub severity: Severity,
    /// Title in one line.
    pub title: &'static str,
    /// Consequences of the defect.
    pub why: &'static str,
    /// Remedy.
    pub help: &'static str,
    /// True if readers may stumble over it from its line on.
    pub(crate) breaks_rest: bool,
    /// True if readers may stumble over it on its line.
    pub(crate) breaks_line: bool,
    /// True if engines may name a count or an index before the place where it shows.
    pub(crate) is_count: bool,
    /// True if [`fix`](crate::fix::fix) can remove the finding from some files.
    pub can_fix: bool,
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Code {}

/// Subject of a check: one row of `codes.tsv`, with a code for each kind of file to which it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    code: &'static Code,
    others: &'static [&'static Code],
}

impl Rule {
    /// Returns the code in a group; the first code if the rule has none there. Findings about a pair of files or an
    /// image are reported in the file where they show.
    pub fn code(self, group: Group) -> &'static Code {
        self.codes().find(|code| code.group == group).unwrap_or(self.code)
    }

    /// True if a code belongs to the rule.
    pub fn has(self, code: &Code) -> bool {
        self.codes().any(|own| own == code)
    }

    /// Returns all codes of the rule.
    pub fn codes(self) -> impl Iterator<Item = &'static Code> {
        std::iter::once(self.code).chain(self.others.iter().copied())
    }
}

/// A sentence that stands in a followed loader.
pub(crate) struct Sentence {
    /// Text with braces around variable parts.
    pub words: &'static str,
    /// Engines that print it.
    pub engines: &'static [EngineId],
    /// Indices in [`all`] of the codes for which it is printed; empty if the loader's source names none.
    pub codes: &'static [usize],
}

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// Returns the sentences of all followed loaders.
pub(crate) fn sentences() -> &'static [Sentence] {
    &SENTENCES
}

/// Returns the rule for a fault of the .x parser, which names its own code.
pub(crate) fn of_fault(fault: &Fault) -> Rule {
    // Every fault has a row. Otherwise this crate would not compile.
    find(fault.code()).map_or(x::SYNTAX, |code| Rule { code, others: &[] })
}

/// Returns the rule for a code named by the MD5 parser.
pub(crate) fn of_md5(code: &str) -> Rule {
    // Every code has a row, too.
    find(code).map_or(shared::SYNTAX, |code| Rule { code, others: &[] })
}

const _: () = {
    have_rows(Fault::CODES);
    have_rows(&md5::CODES);
};

const fn have_rows(ids: &[&str]) {
    let mut at = 0;
    while at < ids.len() {
        assert!(is_code(ids[at]), "a code of a parser has no row in codes.tsv");
        at += 1;
    }
}

const fn is_code(id: &str) -> bool {
    let mut at = 0;
    while at < CODES.len() {
        if is_same(CODES[at].id, id) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns all codes, sorted by id.
pub fn all() -> &'static [Code] {
    &CODES
}

/// Returns the code with an id, in any case.
pub fn find(id: &str) -> Option<&'static Code> {
    let upper = id.to_ascii_uppercase();
    CODES.binary_search_by(|code| code.id.cmp(&upper)).ok().and_then(|at| CODES.get(at))
}

/// Returns the code with an id, or all codes with a name in words; in any case.
pub fn named(name: &str) -> Vec<&'static Code> {
    match find(name) {
        Some(code) => vec![code],
        None => all().iter().filter(|code| code.name.eq_ignore_ascii_case(name)).collect(),
    }
}
