//! OpenBVE's own parser ("NewXParser", commit bdf67e3b): objects of a fixed list of types, read by their counts. Any
//! exception refuses the file, and its message is not shown.

mod binary;
pub(super) mod place;
mod scene;
mod text;
pub(super) mod thrown;

use super::XFile;
use crate::c::is_space;
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineFault, Fallible, Outcome, Stop, Verdict, refuse, refuse_for};
use bindpose_parsers::Span;
use bindpose_parsers::x::FloatSize;
use scene::Scene;
use text::Text;
use thrown::{Thrown, Try, throw};

const HEADER: usize = 16;

/// Type of an object, as an index in the program's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind(u32);

/// All types known to the program, in its order.
const NAMES: [&str; 34] = [
    "Mesh",
    "Vector",
    "MeshFace",
    "MeshMaterialList",
    "Material",
    "ColorRGB",
    "ColorRGBA",
    "TextureFilename",
    "MeshTextureCoords",
    "Coords2d",
    "MeshVertexColors",
    "MeshNormal",
    "MeshNormals",
    "VertexColor",
    "FrameRoot",
    "Frame",
    "FrameTransformMatrix",
    "Matrix4x4",
    "Header",
    "IndexedColor",
    "Boolean",
    "Boolean2d",
    "MaterialWrap",
    "MeshFaceWraps",
    "Template",
    "FVFData",
    "DeclData",
    "ObjectMatrixComment",
    "SkinWeights",
    "XSkinMeshHeader",
    "AnimTicksPerSecond",
    "AnimationSet",
    "VertexDuplicationIndices",
    "TextureKey",
];

impl Kind {
    const MESH: Self = Self(0);
    const MATERIAL_LIST: Self = Self(3);
    const MATERIAL: Self = Self(4);
    const TEXTURE_FILENAME: Self = Self(7);
    const TEXTURE_COORDS: Self = Self(8);
    const VERTEX_COLORS: Self = Self(10);
    const NORMALS: Self = Self(12);
    const FRAME: Self = Self(15);
    const MATRIX: Self = Self(16);
    const HEADER: Self = Self(18);
    const FACE_WRAPS: Self = Self(23);
    const TEMPLATE: Self = Self(24);
    const DECL_DATA: Self = Self(26);
    const TEXTURE_KEY: Self = Self(33);
    /// Type of the whole file.
    const NONE: Self = Self(u32::MAX);

    /// Parses the name of a type, in any case, or its number.
    fn parse(word: &[u8]) -> Option<Self> {
        if word.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'+') {
            return std::str::from_utf8(word).ok()?.parse().ok().map(Self);
        }
        let at = NAMES.iter().position(|name| name.as_bytes().eq_ignore_ascii_case(word))?;
        u32::try_from(at).ok().map(Self)
    }

    fn name(self) -> String {
        // The whole file's type was never set, so it is the first one.
        let at = if self == Self::NONE { Some(0) } else { usize::try_from(self.0).ok() };
        at.and_then(|at| NAMES.get(at)).map_or_else(|| self.0.to_string(), |name| (*name).to_owned())
    }
}

/// Refuses a file that no plug-in accepts.
fn reject<T>(file: XFile, rule: Rule, from: usize, to: usize) -> Fallible<T> {
    let length = file.bytes.len();
    let message = format!("No plugin found that is capable of loading object {}", file.name);
    refuse(Outcome::Refuses, rule, Span::new(from.min(length), to.min(length)), message)
}

/// Checks the header as `CanLoadObject` does, for both parsers.
pub(super) fn header(file: XFile) -> Fallible<FloatSize> {
    let word = |at: usize| file.header().get(at..at + 4).unwrap_or_default();
    if !file.bytes.starts_with(b"xof ") {
        return reject(file, if file.bytes.is_empty() { rules::EMPTY } else { rules::NOT_X }, 0, 4);
    }
    if file.header().len() < HEADER {
        return reject(file, rules::HEADER_CUT, 0, HEADER);
    }
    if !matches!(word(4), b"0302" | b"0303") {
        return reject(file, rules::VERSION, 4, 8);
    }
    match word(12) {
        b"0032" => Ok(FloatSize::F32),
        b"0064" => Ok(FloatSize::F64),
        _ => reject(file, rules::FLOAT_SIZE, 12, HEADER),
    }
}

/// Refuses with an exception that is not shown.
fn refuse_unseen<T>(file: XFile, thrown: Thrown) -> Fallible<T> {
    let at = thrown.at.min(file.bytes.len());
    let span = Span::new(at, (at + 1).min(file.bytes.len()));
    let detail = format!(
        "all that is shown is: Plugin Object.DirectX returned unsuccessfully at LoadObject for file {}",
        file.name
    );
    refuse_for(Outcome::Refuses, EngineFault { detail, ..EngineFault::new(thrown.rule, span, thrown.message) })
}

pub(super) fn load(file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let float_size = header(file)?;
    let mut scene = Scene::new(verdict);
    let result = match file.header().get(8..12) {
        Some(b"txt ") => read_text(plain_text(file.bytes), &mut scene),
        Some(b"tzip") => unpacked(file).and_then(|()| read_text(packed_text(file.bytes), &mut scene)),
        Some(b"bin ") => read_binary(file, float_size, &mut scene),
        Some(b"bzip") => unpacked(file).and_then(|()| read_binary(file, float_size, &mut scene)),
        _ => {
            let message = format!("Unsupported X object file encountered in {}", file.name);
            return refuse(Outcome::Refuses, rules::ENCODING, Span::new(8, 12), message);
        }
    };
    match result.and_then(|()| scene.finish()) {
        Ok(()) if scene.is_too_deep => Err(Stop::Lost),
        Ok(()) => Ok(()),
        Err(thrown) => refuse_unseen(file, thrown),
    }
}

/// Returns the error of a compressed file.
fn unpacked(file: XFile) -> Try {
    match file.damage() {
        Some(rule) => throw(rule, HEADER, "The compressed block's signature is incorrect."),
        None => Ok(()),
    }
}

/// Returns the body of a file without comments, with lines joined by spaces.
fn plain_text(bytes: &[u8]) -> Text {
    /// Number of bytes of the header and the space after it.
    const SKIPPED: usize = 17;
    let mut text = Text::default();
    let mut is_quoted = false;
    let mut skipped = 0;
    let mut push = |byte: u8, at: usize| match skipped < SKIPPED {
        true => skipped += 1,
        false => text.push(byte, at),
    };
    let mut start = 0;
    for line in bytes.split(|&byte| byte == b'\n' || byte == b'\r') {
        // CR and LF together end one line.
        let is_half = line.is_empty() && start > 0 && bytes.get(start - 1..=start) == Some(b"\n".as_slice());
        let mut is_space_due = false;
        let mut is_first = true;
        for (offset, &byte) in line.iter().enumerate() {
            is_quoted ^= byte == b'"';
            let is_comment = byte == b'#' || byte == b'/' && line.get(offset + 1) == Some(&b'/');
            if is_comment && !is_quoted {
                break;
            }
            if is_space(byte) {
                is_space_due = true;
                continue;
            }
            if is_space_due && !is_first {
                push(b' ', start + offset - 1);
            }
            (is_space_due, is_first) = (false, false);
            push(byte, start + offset);
        }
        if !is_half {
            push(b' ', start + line.len());
        }
        start += line.len() + 1;
    }
    text
}

/// Returns the body of a compressed file, including its comments.
fn packed_text(bytes: &[u8]) -> Text {
    let mut text = Text::default();
    for (at, &byte) in bytes.iter().enumerate().skip(HEADER) {
        text.push(if is_space(byte) { b' ' } else { byte }, at);
    }
    text
}

fn read_text(text: Text, scene: &mut Scene) -> Try {
    let mut file = text::TextBlock::whole(&text);
    while file.has_more() {
        let found = file.find(text::Wanted::Any)?;
        let part = text.collapsed(found.range);
        let range = 0..part.bytes.len();
        let block = text::TextBlock::new(&part, text::NextObject { range, kind: found.kind })?;
        scene.object(scene::Block::Text(block), 0)?;
    }
    Ok(())
}

fn read_binary(file: XFile, float_size: FloatSize, scene: &mut Scene) -> Try {
    let bytes = file.bytes.get(HEADER..).unwrap_or_default();
    let mut whole = binary::BinaryBlock::whole(bytes, HEADER, float_size)?;
    while whole.has_any() {
        let block = whole.next_object()?;
        scene.object(scene::Block::Binary(block), 0)?;
    }
    Ok(())
}
