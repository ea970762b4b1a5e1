//! Faults of .x files for both readings, one row each.

use crate::{Span, counted};

/// Errors of Direct3D's own loaders, without their prefixes (docs/formats/x.md "Header").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum D3dxError {
    /// `D3DXFERR_BADFILE`: missing or empty.
    BadFile,
    /// `D3DXFERR_BADFILETYPE`: not an .x file, or an unsupported encoding.
    BadFileType,
    /// `D3DXFERR_BADFILEVERSION`
    BadFileVersion,
    /// `D3DXFERR_BADFILEFLOATSIZE`
    BadFileFloatSize,
    /// `DXFILEERR_BADALLOC`: a corrupt compressed block.
    BadAlloc,
    /// `D3DXFERR_PARSEERROR`: the text or token stream is malformed.
    ParseError,
    /// `E_FAIL`: well-formed, but impossible, such as an index out of range.
    Fail,
}

impl std::fmt::Display for D3dxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::BadFile => "D3DXFERR_BADFILE",
            Self::BadFileType => "D3DXFERR_BADFILETYPE",
            Self::BadFileVersion => "D3DXFERR_BADFILEVERSION",
            Self::BadFileFloatSize => "D3DXFERR_BADFILEFLOATSIZE",
            Self::BadAlloc => "DXFILEERR_BADALLOC",
            Self::ParseError => "D3DXFERR_PARSEERROR",
            Self::Fail => "E_FAIL",
        })
    }
}

/// Defines one row for each fault: code, variant, message, and D3DX's error if it refuses the file.
macro_rules! faults {
    ($(
        $(#[$doc:meta])*
        $code:ident $name:ident $({ $($field:ident: $type:ty),* })?
            = $message:literal $([$($argument:tt)*])?
        $(=> $answer:ident)?,
    )*) => {
        /// One variant per defect. Some always end the reading. Most are a [`Warning`](super::Warning) in the lenient
        /// reading.
        ///
        /// Texts are shortened pieces of the file. Counts are as declared or found. Indices and vertices count from 0.
        #[expect(missing_docs, reason = "the messages describe variants and fields")]
        #[derive(Debug, Clone, PartialEq, thiserror::Error)]
        pub enum Fault {
            $(
                $(#[$doc])*
                #[error($message $(, $($argument)*)?)]
                $name $({ $($field: $type),* })?,
            )*
        }

        impl Fault {
            /// Codes of all faults in the order of the variants. Several faults can share a code.
            pub const CODES: &[&str] = &[$(stringify!($code)),*];

            /// Returns the stable code for validation reports, for example `XF020`.
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => stringify!($code),)*
                }
            }

            /// Returns D3DX's error, or `None` if it accepts the file. The errors were measured on Windows, or recorded
            /// with readers that follow D3DX (docs/formats/x.md "What is known, and how").
            pub const fn d3dx(&self) -> Option<D3dxError> {
                match self {
                    $(Self::$name { .. } => faults!(@answer $($answer)?),)*
                }
            }
        }
    };
    (@answer) => { None };
    (@answer $answer:ident) => { Some(D3dxError::$answer) };
}

/// Formats a count with its verb: "1 byte is", "2 bytes are".
fn are(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", counted(count, one, many), if count == 1 { "is" } else { "are" })
}

/// Formats a count after its verb: "is 1 normal", "are 2 normals".
fn are_there(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", if count == 1 { "is" } else { "are" }, counted(count, one, many))
}

/// Returns the words for a count that no rest of a file can fulfil.
fn wrong_count(count: f64, left: usize) -> String {
    match count {
        ..0.0 => format!("the count is {count}, expected 0 or more"),
        _ => format!("the count says {count}, but only {} left in the file", are(left, "byte", "bytes")),
    }
}

/// Returns the words for the missing end of an object.
fn missing_end(expected: &str) -> &'static str {
    match expected {
        "'}'" => "a '}' or the rest of the file is missing",
        _ => "export or download it again",
    }
}

faults! {
    // The envelope (docs/formats/x.md "Header").
    XF001 Empty = "the file is empty, expected 'xof 0303txt 0032' or the like" => BadFile,
    XF017 TooLong { bytes: usize } = "the file has {bytes} bytes, but at most 4294967295 can be read",
    XF003 NotX { found: String } = "not a .x file: it begins with '{found}', expected 'xof '" => BadFileType,
    XF004 HeaderCut { bytes: usize }
        = "the header ends after {}, expected 16" [counted(*.bytes, "byte", "bytes")] => BadFileType,
    XF005 ByteOrderMark = "a byte order mark before 'xof '; save the file without it" => BadFileType,
    XF006 Version { found: String } = "version '{found}', expected 0302 or 0303" => BadFileVersion,
    XF007 Format { found: String } = "format '{found}', expected 'txt ', 'bin ', 'tzip' or 'bzip'" => BadFileType,
    XF008 FloatSize { found: String } = "float size '{found}', expected 0032 or 0064" => BadFileFloatSize,

    // Compression (docs/formats/x.md "Compressed files").
    XF010 BlockCut { what: &'static str, missing: usize }
        = "the file ends here, inside {what}, at least {} missing; export or download it again"
        [are(*.missing, "byte", "bytes")] => BadAlloc,
    XF012 BlockSignature { found: String } = "a compressed block begins with '{found}', expected 'CK'" => BadAlloc,
    XF013 BlockTooLarge { size: usize }
        = "a compressed block claims to hold {size} bytes, but at most 32768 are possible" => BadAlloc,
    XF014 BlockCorrupt { block: usize } = "block {block} is not a valid deflate stream" => BadAlloc,
    XF015 BlockSize { block: usize, declared: usize, found: String }
        = "block {block} inflates to {found} bytes, but its header says {declared}" => BadAlloc,
    XF019 StoredLength { block: usize }
        = "the last bytes of block {block} are stored after their number without its complement; they are read",
    XF016 TotalSize { declared: u32, found: usize }
        = "the file declares that it unpacks to {declared} bytes, but its blocks contain {found}; the blocks count",
    /// The file exceeds a limit of this reader. D3DX's reaction is not known.
    XF017 UnpackedTooLong { declared: u32, limit: usize }
        = "the file unpacks to {declared} bytes, but at most {limit} are read",
    XF018 TrailingBytes { bytes: usize }
        = "{} left over after the last compressed block; they are not read" [counted(*.bytes, "byte", "bytes")],

    // Words and tokens (docs/formats/x.md "Words of text files").
    XF020 Expected { expected: &'static str, found: String } = "expected {expected}, found {found}" => ParseError,
    XF021 EndInside { object: String, expected: &'static str }
        = "the file ends here, inside '{object}': {}" [missing_end(.expected)] => ParseError,
    XF021 Truncated { object: String, missing: u64, declared: u64 }
        = "the file ends here, inside '{object}': {missing} of {declared} records are missing; export or download it again"
        => ParseError,
    XF022 LoneSlash = "a lone '/', expected '//'" => ParseError,
    XF023 UnclosedString = "the string has no closing quote" => ParseError,
    /// The reading fails after a string that goes on over the end of its line.
    XF023 LongString = "a string goes on over the end of its line" => ParseError,
    /// A comment is in the last line, which has no line end, or in a file whose lines end in CR alone.
    XF024 CommentAtEnd = "the last line is a comment without a newline, on which old readers fail; add one" => ParseError,
    XF025 BadGuid { found: String }
        = "'{found}' is not a GUID, expected <00000000-0000-0000-0000-000000000000>" => ParseError,
    /// A GUID has blanks, as in Microsoft's documents: `< … >`.
    XF026 BlankInGuid = "spaces inside a GUID" => ParseError,
    /// A name contains other characters than letters, digits, `_` and `-`, or is a reserved word.
    XF027 OddName { name: String }
        = "'{name}' is not a proper name: use letters, digits, '_' and '-', and no reserved word" => ParseError,
    XF028 DigitFirst { name: String }
        = "the name '{name}' begins with a digit, which Microsoft's grammar does not allow",
    XF029 UnknownToken { id: u16 } = "{id} is not a token" => ParseError,
    XF030 TokenCut { what: &'static str, needed: u64, left: usize }
        = "the file ends here: {what} needs {needed} bytes, but only {} left; export or download it again"
        [are(*.left, "byte", "bytes")] => ParseError,
    XF031 MissingSeparator = "no ';' or ',' after a value" => ParseError,
    /// There is more than one comma, a semicolon after a comma, or any separator after a binary list.
    XF032 ExtraSeparator
        = "one separator too many: after a value any number of ';' and then at most one ',' may stand" => ParseError,
    /// A separator follows `}` or a reference, or precedes all values.
    XF033 StraySeparator = "a separator where none belongs" => ParseError,
    /// There is a surplus `}` at top level.
    XF034 StrayBrace = "one '}}' too many" => ParseError,
    XF035 StrayReference = "a reference outside of any object is ignored" => ParseError,

    // Values.
    XF040 FractionForInteger { found: String } = "'{found}', expected an integer" => ParseError,
    XF041 IntegerRange { found: String, kind: &'static str } = "{found} does not fit the type {kind}" => ParseError,
    XF042 NotFinite { found: String } = "'{found}' is not a finite number; 0 is used instead" => ParseError,
    /// `1e-3`, `+1.0`
    XF043 OddNumber { found: String }
        = "'{found}' has an exponent or a plus sign, which not every version of Direct3D may read",
    XF044 CountTooLarge { count: f64, left: usize }
        = "{}" [wrong_count(*.count, *.left)] => ParseError,
    XF045 MissingValues { object: String }
        = "'{object}' has too few values; the missing ones are left out" => ParseError,
    /// An object with a fixed number of values, for example a matrix, has too few.
    XF045 FewValues { object: String, found: usize, expected: usize }
        = "'{object}' holds {}, expected {expected}" [counted(*.found, "value", "values")] => ParseError,
    /// A list has no count.
    XF045 MissingCount { object: String, list: String, found: u64 }
        = "'{object}' has no count before its {found} {list}" => ParseError,
    /// A value before a count is missing.
    XF045 MissingMember { object: String, member: String, count: u64 }
        = "'{object}' has no {member} before its count {count}" => ParseError,
    /// An entry of a list, or a member with a fixed number of values, has too few.
    XF045 ShortEntry { entry: String, object: String, found: usize, expected: usize }
        = "{entry} of '{object}' has {}, expected {expected}" [counted(*.found, "value", "values")] => ParseError,
    XF046 LongEntry { entry: String, object: String, found: usize, expected: usize }
        = "{entry} of '{object}' has {}, expected {expected}" [counted(*.found, "value", "values")] => ParseError,
    XF046 ExtraValues { object: String }
        = "'{object}' has more values than its template; the surplus is ignored" => ParseError,
    /// An object that does not follow its template is skipped, because no other object needs it.
    XF047 Skipped { object: String, why: String }
        = "'{object}' does not follow its template and is skipped: {why}" => ParseError,
    /// The separators show another number of entries than the count. `last` is the last entry.
    XF048 Count { object: String, list: String, announced: u64, found: u64, last: Span }
        = "'{object}' announces {announced} {list}, found {found}" => ParseError,
    XF048 SwappedCount { member: String, found: u64, announced: u64 }
        = "{member} {found} and count {announced} are in each other's place" => ParseError,

    // Objects, references, templates (docs/formats/x.md "Objects and references").
    XF050 TooDeep { limit: usize } = "objects are nested more than {limit} deep" => ParseError,
    XF051 TooManyObjects { limit: usize } = "more than {limit} objects, references and templates" => ParseError,
    XF052 UnknownType { name: String } = "no template defines '{name}'; the object is skipped",
    XF052 SecondHeader = "a second header: another file begins here" => ParseError,
    XF053 UnresolvedReference { name: String } = "no object is named '{name}'" => ParseError,
    /// A reference precedes the object that it names.
    XF054 ForwardReference { name: String }
        = "'{name}' is defined further down, and D3DX knows only what comes before" => ParseError,
    XF055 UselessReference { name: String } = "the reference to '{name}' has no meaning here and is ignored",
    XF056 BrokenTemplate { name: String, why: String }
        = "the template '{name}' is broken and ignored: {why}" => ParseError,
    XF057 UnknownMemberType { name: String } = "no template above this line defines '{name}'" => ParseError,
    XF058 BadDimension { name: String } = "'{name}' is not an integer member above this line" => ParseError,
    XF059 TemplateTooLarge { name: String } = "the template '{name}' is too large to be read" => ParseError,
    /// The file declares a standard template differently. The standard one counts.
    XF060 TemplateDiffers { name: String } = "the template '{name}' differs from the standard one, which is used",
    /// The file declares a template again. The first one counts.
    XF061 RepeatedTemplate { name: String } = "a second template '{name}'; the first one counts",
    /// An object has data that only Direct3D itself can read.
    XF062 Unsupported { object: String } = "'{object}' is not supported and is ignored",
    XF063 RepeatedChild { object: String } = "a second '{object}'; this one counts",

    // Meshes (docs/formats/x.md "Meshes").
    XF070 FaceCorners { corners: usize }
        = "a face with {}, expected 3 or more" [counted(*.corners, "corner", "corners")] => Fail,
    XF071 FaceIndex { index: i64, vertices: usize }
        = "a face names vertex {index}, but the mesh has {}" [counted(*.vertices, "vertex", "vertices")] => Fail,
    XF072 NormalFaces { found: usize, expected: usize }
        = "the normals have {}, the mesh has {expected}; the normals are ignored"
        [counted(*.found, "face", "faces")] => Fail,
    XF073 NormalCorners { face: usize, found: usize, expected: usize }
        = "face {face} of the normals has {}, the mesh's has {expected}; the normals are ignored"
        [counted(*.found, "corner", "corners")] => Fail,
    XF074 NormalIndex { index: i64, normals: usize }
        = "a face names normal {index}, but there {}; the normals are ignored"
        [are_there(*.normals, "normal", "normals")] => Fail,
    XF075 TextureCoordCount { found: usize, vertices: usize }
        = "{} for {}, expected one for each"
        [counted(*.found, "pair of texture coordinates", "pairs of texture coordinates"),
            counted(*.vertices, "vertex", "vertices")]
        => Fail,
    XF076 ColorIndex { index: i64, vertices: usize }
        = "a colour for vertex {index}, but the mesh has {}" [counted(*.vertices, "vertex", "vertices")] => Fail,
    XF077 MaterialCount { declared: i64, found: usize }
        = "the number of materials is given as {declared}, but there {}"
        [are_there(*.found, "material", "materials")] => Fail,
    XF078 MaterialIndexCount { found: usize, faces: usize }
        = "{} for {}, expected one for each; the last one is repeated"
        [counted(*.found, "material index", "material indices"), counted(*.faces, "face", "faces")] => Fail,
    /// One material index applies to several faces, as in some of Microsoft's own samples.
    XF083 SingleMaterialIndex { faces: usize }
        = "one material index for {}; it stands for all of them" [counted(*.faces, "face", "faces")],
    XF079 MaterialIndex { index: i64, materials: usize }
        = "a face names material {index}, but there {}" [are_there(*.materials, "material", "materials")] => Fail,
    /// The number of entries differs from the number of vertices.
    XF080 DuplicationCount { found: usize, vertices: usize }
        = "{} for {}; they are ignored"
        [counted(*.found, "duplication index", "duplication indices"), counted(*.vertices, "vertex", "vertices")],
    /// The number of words in `DeclData` or `FVFData` does not match the vertices.
    XF081 VertexDataSize { object: &'static str, found: usize, expected: u64 }
        = "'{object}' holds {}, its layout needs {expected}; it is ignored" [counted(*.found, "word", "words")],
    /// Exporters such as Alin's announce positions and write only what follows them.
    XF081 FvfPositions { found: usize, expected: u64 }
        = "'FVFData' holds {}, its layout needs {expected}; the positions are missing, and the rest is read"
        [counted(*.found, "word", "words")],

    // Skins.
    XF090 SkinHeaderMissing = "skin weights without an XSkinMeshHeader; D3DX ignores them",
    /// The header comes after weights.
    XF091 SkinHeaderLate = "the XSkinMeshHeader comes after skin weights; D3DX wants it before them" => Fail,
    XF092 SkinHeaderTwice = "a second XSkinMeshHeader" => Fail,
    XF093 SkinHeaderBones { declared: i64, found: usize }
        = "the XSkinMeshHeader gives the number of bones as {declared}, but there {}"
        [are_there(*.found, "SkinWeights object", "SkinWeights objects")] => Fail,
    XF093 BoneTwice { bone: String, declared: i64, found: usize }
        = "a second SkinWeights of '{bone}': the XSkinMeshHeader gives the number of bones as {declared}, but there {}"
        [are_there(*.found, "SkinWeights object", "SkinWeights objects")] => Fail,
    XF094 SkinHeaderMaximum { of: &'static str, declared: i64, found: usize }
        = "the XSkinMeshHeader allows {} per {of}, but there are up to {found}"
        [counted(usize::try_from(*.declared).unwrap_or(0), "weight", "weights")],
    XF095 WeightIndex { index: i64, vertices: usize }
        = "a weight for vertex {index}, but the mesh has {}; it is ignored"
        [counted(*.vertices, "vertex", "vertices")] => Fail,
    /// A bone of the weights is not a frame.
    XF096 BoneMissing { bone: String }
        = "skin weights name '{bone}', which is not a frame; their vertices follow the mesh's own frame" => Fail,
    XF097 WeightSum { vertex: usize, sum: f64, weights: String }
        = "the weights of vertex {vertex} sum to {sum}, expected 1: {weights}",
    XF098 UnweightedVertices { vertices: usize, first: usize }
        = "{} of a skinned mesh without any weight; the first is vertex {first}"
        [counted(*.vertices, "vertex", "vertices")],
    XF099 ManyInfluences { vertices: usize, worst: usize, most: usize }
        = "{} with more than 4 weights; vertex {worst} has {most}" [counted(*.vertices, "vertex", "vertices")],

    // Hierarchy and animation (docs/formats/x.md "Animation keys").
    XF110 SecondMatrix = "a second matrix in one frame; the last one counts",
    XF111 DuplicateFrame { name: String } = "a second frame named '{name}'; skins and animations use the first",
    XF112 KeyType { key_type: i64 }
        = "key type {key_type}, expected 0 (rotation), 1 (scale), 2 (position) or 4 (matrix); the keys are ignored"
        => Fail,
    /// Matrix keys have the type number of Microsoft's documents.
    XF113 KeyTypeThree = "matrix keys of type 3, which most readers refuse; write 4",
    XF114 KeyValues { key: String, found: usize, expected: usize }
        = "{key} has {}, expected {expected}; it is ignored" [counted(*.found, "value", "values")] => Fail,
    /// All keys of a list suit another type.
    XF114 OtherKeys { key_type: i64, kind: &'static str, found: usize, expected: usize }
        = "key type {key_type}, {kind}, has {}, but the keys have {found}; they are ignored"
        [counted(*.expected, "value", "values")] => Fail,
    XF115 KeyTimesFall { key: String, time: f64, before: f64 }
        = "{key} has time {time}, but the key before it has {before}; the keys are sorted" => Fail,
    XF115 KeyTimeLate { key: String, time: f64, after: f64 }
        = "{key} has time {time}, far too late going by the other keys: {after} follows; the keys are sorted" => Fail,
    XF116 KeyTimesEqual { key: String, time: f64 }
        = "{key} has the same time as the key before it, {time}; the last one counts",
    XF117 RepeatedKeys { what: &'static str }
        = "a second list of {what} keys in one animation; they are merged" => Fail,
    XF118 MixedKeys = "matrix keys beside rotation, scale or position keys; the matrices count",
    XF119 NoTarget = "the animation names no frame and is ignored",
    XF120 TargetMissing { name: String } = "the animation moves '{name}', which is not a frame of this file",
    XF121 InlineTarget = "the animation holds a frame instead of a reference; its name counts",
    XF122 AnimatedTwice { name: String } = "a second animation of '{name}' in one set; this one counts",
    XF123 LooseAnimation = "an animation outside of any set",
    XF124 ZeroTicks = "0 ticks per second; 4800 is used",
    XF125 RightHanded = "RightHanded is set, but no loader honours it",
}

impl Fault {
    /// True if the lenient reading goes on after this fault, and lacks something that the file holds or announces, or has
    /// something else instead.
    pub fn is_loss(&self) -> bool {
        matches!(
            self,
            Self::IntegerRange { .. }
                | Self::NotFinite { .. }
                | Self::MissingValues { .. }
                | Self::ShortEntry { .. }
                | Self::LongEntry { .. }
                | Self::ExtraValues { .. }
                | Self::MissingCount { .. }
                | Self::MissingMember { .. }
                | Self::Skipped { .. }
                | Self::Count { .. }
                | Self::SwappedCount { .. }
                | Self::NormalFaces { .. }
                | Self::NormalCorners { .. }
                | Self::NormalIndex { .. }
                | Self::TextureCoordCount { .. }
                | Self::MaterialIndexCount { .. }
                | Self::MaterialIndex { .. }
                | Self::VertexDataSize { .. }
                | Self::FvfPositions { .. }
                | Self::WeightIndex { .. }
                | Self::BoneMissing { .. }
                | Self::KeyType { .. }
                | Self::KeyValues { .. }
                | Self::OtherKeys { .. }
                | Self::NoTarget
        )
    }
}
