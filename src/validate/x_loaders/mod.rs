//! Loaders of `.x` files in current programs, reproduced token by token.
//!
//! Each has a separate lexer, because verdicts depend on quirks that our parser must not have.

mod assimp;
mod irrlicht;
mod openbve;
mod panda3d;
mod wine;

use super::codes::{Rule, x as rules};
use super::verdict::Verdict;
use assimp::Version;
use bindpose_core::engines::EngineId;
use bindpose_parsers::x::{self, Dimension, Member, MemberKind, Reading, Template};
use irrlicht::Program;

/// A `.x` file as input of a loader.
#[derive(Debug, Clone, Copy)]
pub struct XFile<'a> {
    /// Path as printed by the engine.
    pub name: &'a str,
    /// The file's bytes on disk.
    pub disk: &'a [u8],
    /// Uncompressed bytes including the header, to which spans refer; the bytes on disk if they are not compressed or
    /// cannot be unpacked.
    pub bytes: &'a [u8],
}

impl<'a> XFile<'a> {
    /// Creates an uncompressed file.
    pub fn plain(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, disk: bytes, bytes }
    }

    /// Returns up to 16 bytes of the header on disk, which show if the file is compressed.
    fn header(&self) -> &'a [u8] {
        self.disk.get(..16).unwrap_or(self.disk)
    }

    /// Returns the rule that a compressed file breaks for common inflaters. One that cannot be unpacked is passed as on
    /// disk.
    fn damage(&self) -> Option<Rule> {
        if self.bytes.get(8..12) == self.header().get(8..12) {
            return Some(rules::BLOCK_CORRUPT);
        }
        let unpacked = x::unpack_within(self.disk, Reading::Lenient, self.bytes.len()).ok()?;
        let is_stored = |warning: &x::Warning| matches!(warning.kind, x::Fault::StoredLength { .. });
        unpacked.warnings.iter().any(is_stored).then_some(rules::STORED_LENGTH)
    }
}

/// Runs an engine's loader on a file. `None` for an engine without a followed loader of `.x`.
pub fn load(engine: EngineId, file: XFile) -> Option<Verdict> {
    let mut verdict = Verdict::loads();
    let result = match engine {
        EngineId::Luanti => irrlicht::load(Program::Luanti, file, &mut verdict),
        EngineId::Luanti516 => irrlicht::load(Program::Luanti516, file, &mut verdict),
        EngineId::Irrlicht => irrlicht::load(Program::Irrlicht, file, &mut verdict),
        EngineId::OpenBve => openbve::load(file, &mut verdict),
        EngineId::Assimp => assimp::load(Version::Later, file, &mut verdict),
        EngineId::Assimp605 => assimp::load(Version::Release, file, &mut verdict),
        EngineId::OpenBveAssimp => assimp::load(Version::Port, file, &mut verdict),
        EngineId::Panda3d => panda3d::load(file, &mut verdict),
        EngineId::WineD3dx9 => wine::load(file, &mut verdict),
        _ => return None,
    };
    Some(verdict.stopped(result).within(file.bytes.len()))
}

/// Text that several loaders put in place of a token of a binary file that is a sign or begins a template.
fn binary_sign(token: u16) -> Option<&'static [u8]> {
    Some(match token {
        10 => b"{",
        11 => b"}",
        12 => b"(",
        13 => b")",
        14 => b"[",
        15 => b"]",
        16 => b"<",
        17 => b">",
        18 => b".",
        19 => b",",
        20 => b";",
        31 => b"template",
        _ => return None,
    })
}

/// A member of a template. `K` describes its values.
#[derive(Clone)]
struct Field<K> {
    kind: K,
    name: Vec<u8>,
    /// Dimensions of an array.
    lengths: Vec<Length>,
}

/// A dimension of an array.
#[derive(Clone, Copy)]
enum Length {
    Fixed(u32),
    /// Value of another member, by its index.
    Member(usize),
}

/// Returns the members of a template.
fn fields<K>(template: &Template, kind: impl Fn(&MemberKind) -> K) -> Vec<Field<K>> {
    let name = |member: &Member| member.name.as_ref().map_or_else(Vec::new, |name| name.bytes.to_vec());
    let length = |dimension: &Dimension| match dimension {
        Dimension::Fixed(length) => Length::Fixed(*length),
        Dimension::Member(wanted) => {
            let at = template.members.iter().position(|member| name(member) == *wanted.bytes);
            Length::Member(at.unwrap_or_default())
        }
    };
    let field = |member: &Member| {
        let lengths = member.dimensions.iter().map(length).collect();
        Field { kind: kind(&member.kind), name: name(member), lengths }
    };
    template.members.iter().map(field).collect()
}
