//! Engines and importers, one row each. `--profile`, `--as`, verdicts, playback, completions and the documentation all
//! read [`PROFILES`].

use bindpose_vfs::Order;

/// An engine or importer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant's row has its title")]
pub enum EngineId {
    VkQuake135,
    VkQuake,
    Ironwail081,
    Ironwail,
    Qss,
    Fteqw,
    Q2pro,
    Q2repro,
    Yquake2,
    Daemon,
    EtLegacy,
    Doom3,
    Tdm,
    Rbdoom3Bfg,
    Quake4,
    Cube2,
    Hexenwail,
    Assimp,
    Assimp605,
    Kex,
    D3dx9,
    Xna,
    Luanti,
    Luanti516,
    Irrlicht,
    OpenBve,
    OpenBveAssimp,
    WineD3dx9,
    Panda3d,
}

/// File formats read by one kind of loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatFamily {
    /// `.md5mesh`, `.md5anim`, `.md5camera`.
    Md5,
    /// `.x`.
    X,
    /// id Tech 4's declarations: `.mtr`, `.skin`, `.def`, `.af`.
    Decl,
}

/// Families of loaders that validation reproduces step by step, by origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoaderFamily {
    /// Doom 3's loader: each file by itself, then a clip on a mesh.
    Doom3,
    /// The Quake engines' loader: a mesh together with the clip of the same name.
    Quake,
    /// Loaders that read a mesh to its end, then a clip.
    Sequential,
    /// D3DX: its reaction to each fault that our reader finds in a `.x` file.
    D3dx,
    /// Current programs that read `.x`, each with its own lexer.
    XFile,
    /// No loader is reproduced. The verdict comes from the table of effects.
    None,
}

/// An engine or importer: a row of [`PROFILES`].
#[derive(Debug)]
pub struct Profile {
    /// Identity, used by other tables.
    pub id: EngineId,
    /// Lower-case name for `--profile` and `--as`.
    pub name: &'static str,
    /// Name and versions for people.
    pub title: &'static str,
    /// Formats that the engine reads.
    pub formats: &'static [FormatFamily],
    /// Loader reproduced for its verdict on MD5 or `.x` files.
    pub loader: LoaderFamily,
    /// Engine whose effects it shares where the table has no row of its own.
    pub base: Option<EngineId>,
    /// True if the source is closed, so that the behaviour is inferred.
    pub inferred: bool,
}

const MD5: &[FormatFamily] = &[FormatFamily::Md5];
const X: &[FormatFamily] = &[FormatFamily::X];
const MD5_AND_DECLS: &[FormatFamily] = &[FormatFamily::Md5, FormatFamily::Decl];
const MD5_AND_X: &[FormatFamily] = &[FormatFamily::Md5, FormatFamily::X];

const fn md5(id: EngineId, name: &'static str, title: &'static str, loader: LoaderFamily) -> Profile {
    Profile { id, name, title, formats: MD5, loader, base: None, inferred: false }
}

const fn id_tech4(id: EngineId, name: &'static str, title: &'static str) -> Profile {
    Profile { formats: MD5_AND_DECLS, ..md5(id, name, title, LoaderFamily::Doom3) }
}

const fn x(id: EngineId, name: &'static str, title: &'static str) -> Profile {
    Profile { formats: X, ..md5(id, name, title, LoaderFamily::XFile) }
}

impl Profile {
    const fn on(self, base: EngineId) -> Self {
        Self { base: Some(base), ..self }
    }
}

use EngineId as Id;
use LoaderFamily as By;

/// All engines, in the order of every report and of [`EngineId`].
pub static PROFILES: [Profile; 29] = [
    md5(Id::VkQuake135, "vkquake-1.35", "vkQuake up to 1.35.0", By::Quake).on(Id::Ironwail081),
    md5(Id::VkQuake, "vkquake", "vkQuake after 1.35.0", By::Quake).on(Id::Ironwail),
    md5(Id::Ironwail081, "ironwail-0.8.1", "Ironwail up to 0.8.1", By::Quake).on(Id::Ironwail),
    md5(Id::Ironwail, "ironwail", "Ironwail from 0.8.2", By::Quake),
    md5(Id::Qss, "qss", "Quakespasm-Spiked and QSS-M", By::Quake).on(Id::Ironwail081),
    md5(Id::Fteqw, "fteqw", "FTEQW", By::Sequential),
    md5(Id::Q2pro, "q2pro", "Q2PRO", By::Sequential),
    md5(Id::Q2repro, "q2repro", "q2repro", By::Sequential).on(Id::Q2pro),
    md5(Id::Yquake2, "yquake2remaster", "yquake2remaster", By::Sequential),
    md5(Id::Daemon, "daemon", "Daemon (Unvanquished)", By::Sequential),
    md5(Id::EtLegacy, "etlegacy", "ET:Legacy's second renderer", By::Sequential).on(Id::Daemon),
    id_tech4(Id::Doom3, "doom3", "Doom 3 (dhewm3)"),
    id_tech4(Id::Tdm, "tdm", "The Dark Mod").on(Id::Doom3),
    id_tech4(Id::Rbdoom3Bfg, "rbdoom3bfg", "RBDOOM-3-BFG").on(Id::Doom3),
    id_tech4(Id::Quake4, "quake4", "Quake 4").on(Id::Doom3),
    md5(Id::Cube2, "cube2", "Cube 2 (Red Eclipse, libprimis)", By::Sequential),
    md5(Id::Hexenwail, "hexenwail", "Hexenwail (Hexen II)", By::Sequential),
    Profile { formats: MD5_AND_X, ..md5(Id::Assimp, "assimp", "assimp after 6.0.5", By::Sequential) },
    Profile { formats: MD5_AND_X, ..md5(Id::Assimp605, "assimp-6.0.5", "assimp up to 6.0.5", By::Sequential) }
        .on(Id::Assimp),
    Profile { inferred: true, ..md5(Id::Kex, "kex", "KEX (the re-releases)", By::None) }.on(Id::Ironwail),
    Profile { formats: X, ..md5(Id::D3dx9, "d3dx9", "Direct3D 9 (D3DX)", By::D3dx) },
    Profile { formats: X, ..md5(Id::Xna, "xna", "XNA 4.0's importer", By::D3dx) }.on(Id::D3dx9),
    x(Id::Luanti, "luanti", "Luanti from 5.17"),
    x(Id::Luanti516, "luanti-5.16", "Luanti up to 5.16"),
    x(Id::Irrlicht, "irrlicht", "Irrlicht 1.8 and 1.9"),
    x(Id::OpenBve, "openbve", "OpenBVE"),
    x(Id::OpenBveAssimp, "openbve-assimp", "OpenBVE with its Assimp parser"),
    x(Id::WineD3dx9, "wine-d3dx9", "Wine's Direct3D 9 (D3DX)"),
    x(Id::Panda3d, "panda3d", "Panda3D (x2egg)"),
];

impl EngineId {
    /// Returns the row of this engine.
    #[expect(clippy::indexing_slicing, reason = "the rows stand in the order of the variants, one each")]
    pub fn profile(self) -> &'static Profile {
        &PROFILES[self as usize]
    }

    /// Returns the order in which the engine searches the places of a game.
    pub fn order(self) -> Order {
        match self {
            Self::VkQuake135 | Self::VkQuake | Self::Ironwail081 | Self::Ironwail => Order::PaksInSequence,
            Self::Qss | Self::Fteqw => Order::LooseFirst,
            Self::Q2pro | Self::Q2repro | Self::Yquake2 => Order::ArchivesFirst,
            _ => Order::PaksFirst,
        }
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Profile {}

impl Profile {
    /// Returns the engine of that name, in upper or lower case. KEX is also found by what people call its games.
    pub fn find(name: &str) -> Option<&'static Profile> {
        let name = if name.eq_ignore_ascii_case("rerelease") { "kex" } else { name };
        PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(name))
    }

    /// True if validation reproduces the engine's loader for this format step by step.
    pub fn is_followed(&self, format: FormatFamily) -> bool {
        match self.loader {
            LoaderFamily::Doom3 | LoaderFamily::Quake => format == FormatFamily::Md5,
            LoaderFamily::Sequential | LoaderFamily::XFile => self.reads(format),
            LoaderFamily::D3dx | LoaderFamily::None => false,
        }
    }

    /// True if the engine reads files of this format.
    pub fn reads(&self, format: FormatFamily) -> bool {
        self.formats.contains(&format)
    }
}
