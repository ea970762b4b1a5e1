//! Every code with its texts: what `explain` prints, what docs/diagnostics.md is made from, and the rules of
//! SARIF reports. All of it stands in `codes.tsv`; `build.rs` makes the table and the constants of it.
//!
//! A code is never given to something else, and says nothing about how grave it is: that depends on the engine
//! (`engines.tsv`), with [`Code::severity`] as the least.

use bindpose_core::diagnostic::Severity;
use bindpose_parsers::x::Fault;

/// Subject of a code: the letters that it begins with.
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
    /// `MD5I`: making a model of MD5 files.
    Md5Import,
    /// `XF`: a .x file.
    X,
    /// `XFI`: making a model of .x files.
    XImport,
    /// `GLI`: making a model of a glTF file.
    GltfImport,
    /// `PAK`: an archive, or the files of a game as such.
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
    /// `IO`: a file as such.
    File,
}

/// One kind of finding.
#[derive(Debug)]
pub struct Code {
    /// Its place in [`all`].
    pub(crate) number: usize,
    /// Such as `MD5M105`.
    pub id: &'static str,
    /// Subject.
    pub group: Group,
    /// The same in words: `late-parent`. Codes of different groups may share one.
    pub name: &'static str,
    /// Lowest severity, whatever the engines do.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Remedy.
    pub help: &'static str,
    spelling: bool,
    structure: bool,
}

impl Code {
    /// True if the finding is about the spelling of a word.
    pub(crate) fn is_spelling(&self) -> bool {
        self.spelling
    }

    /// True if text is out of place: readers may stop at other places over the same fault.
    pub(crate) fn is_structure(&self) -> bool {
        self.structure
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Code {}

/// Subject of a check: one row of `codes.tsv`, with a code for each kind of file that it applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    code: &'static Code,
    others: &'static [&'static Code],
}

impl Rule {
    /// Returns the code in a group. A rule without one there keeps its first: a finding about a pair of files or an image is
    /// reported in the file where it shows.
    pub fn code(self, group: Group) -> &'static Code {
        self.codes().find(|code| code.group == group).unwrap_or(self.code)
    }

    /// True if a code belongs to the rule.
    pub fn has(self, code: &Code) -> bool {
        self.codes().any(|own| own == code)
    }

    /// All codes of the rule.
    pub fn codes(self) -> impl Iterator<Item = &'static Code> {
        std::iter::once(self.code).chain(self.others.iter().copied())
    }
}

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// The rule of a fault of the .x parser, which names its own code.
pub(crate) fn of_fault(fault: &Fault) -> Rule {
    // There is a row for each, or this crate would not compile.
    find(fault.code()).map_or(x::SYNTAX, |code| Rule { code, others: &[] })
}

/// The rule of a code that the MD5 parser names.
pub(crate) fn of_md5(code: &str) -> Rule {
    // A test asks for a row for each.
    find(code).map_or(shared::SYNTAX, |code| Rule { code, others: &[] })
}

const _: () = {
    let mut at = 0;
    while at < Fault::CODES.len() {
        assert!(is_code(Fault::CODES[at]), "a fault of the .x parser has no row in codes.tsv");
        at += 1;
    }
};

const fn is_code(id: &str) -> bool {
    let mut at = 0;
    while at < CODES.len() {
        if is_same(CODES[at].id.as_bytes(), id.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// All codes, sorted by id.
pub fn all() -> &'static [Code] {
    &CODES
}

/// The code of that id; upper and lower case are the same.
pub fn find(id: &str) -> Option<&'static Code> {
    let upper = id.to_ascii_uppercase();
    CODES.binary_search_by(|code| code.id.cmp(&upper)).ok().and_then(|at| CODES.get(at))
}

/// The code of that id, or all of that name in words; upper and lower case are the same.
pub fn named(name: &str) -> Vec<&'static Code> {
    match find(name) {
        Some(code) => vec![code],
        None => all().iter().filter(|code| code.name.eq_ignore_ascii_case(name)).collect(),
    }
}
