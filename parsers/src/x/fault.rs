//! What can be wrong with a .x file, once for both readings: one row for each fault.

use crate::counted;

/// The errors of Direct3D's own loaders, without their prefixes (docs/formats/x.md "Header").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum D3dxError {
    /// `D3DXFERR_BADFILE`: not there, or empty.
    BadFile,
    /// `D3DXFERR_BADFILETYPE`: no .x file, or an encoding that is not read.
    BadFileType,
    /// `D3DXFERR_BADFILEVERSION`
    BadFileVersion,
    /// `D3DXFERR_BADFILEFLOATSIZE`
    BadFileFloatSize,
    /// `DXFILEERR_BADALLOC`, which is what a corrupt compressed block gives.
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

/// One row for each fault: its code, its variant with the message, and what D3DX answers where it refuses the file.
macro_rules! faults {
    ($(
        $(#[$doc:meta])*
        $code:ident $name:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })?
            = $message:literal $([$($argument:tt)*])?
        $(=> $answer:ident)?,
    )*) => {
        /// One variant per defect. Some always end the reading, most are a [`Warning`](super::Warning) in the lenient
        /// one.
        #[derive(Debug, Clone, PartialEq, thiserror::Error)]
        pub enum Fault {
            $(
                $(#[$doc])*
                #[error($message $(, $($argument)*)?)]
                $name $({ $($(#[$field_doc])* $field: $type,)* })?,
            )*
        }

        impl Fault {
            /// The codes of all faults, in the order of the variants; two faults may share one.
            pub const CODES: &[&str] = &[$(stringify!($code)),*];

            /// The stable code under which the validator reports it, such as `XF020`.
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => stringify!($code),)*
                }
            }

            /// What D3DX answers to it; `None` where it accepts the file.
            ///
            /// Rests on what was measured on Windows or is recorded of readers that follow it
            /// (docs/formats/x.md "What is known, and how").
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

/// "1 byte is", "2 bytes are".
fn are(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", counted(count, one, many), if count == 1 { "is" } else { "are" })
}

/// "is 1 normal", "are 2 normals".
fn are_there(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", if count == 1 { "is" } else { "are" }, counted(count, one, many))
}

faults! {
    // The envelope (docs/formats/x.md "Header").
    /// No bytes at all.
    XF001 Empty = "the file is empty, expected 'xof 0303txt 0032' or the like" => BadFile,
    /// Spans are 32 bits wide.
    XF017 TooLong {
        /// Length of the file.
        bytes: usize,
    } = "the file has {bytes} bytes, but at most 4294967295 can be read",
    /// The file does not begin with `xof `.
    XF003 NotX {
        /// The first bytes, shortened.
        found: String,
    } = "not a .x file: it begins with '{found}', expected 'xof '" => BadFileType,
    /// Fewer than 16 bytes.
    XF004 HeaderCut {
        /// Length of the file.
        bytes: usize,
    } = "the header ends after {}, expected 16" [counted(*.bytes, "byte", "bytes")] => BadFileType,
    /// A UTF-8 byte order mark leads.
    XF005 ByteOrderMark = "a byte order mark before 'xof '; save the file without it" => BadFileType,
    /// Neither 0302 nor 0303.
    XF006 Version {
        /// The four bytes of the version, as written.
        found: String,
    } = "version '{found}', expected 0302 or 0303" => BadFileVersion,
    /// None of the four encodings.
    XF007 Format {
        /// The four bytes of the format, as written.
        found: String,
    } = "format '{found}', expected 'txt ', 'bin ', 'tzip' or 'bzip'" => BadFileType,
    /// Neither 0032 nor 0064.
    XF008 FloatSize {
        /// The four bytes of the float size, as written.
        found: String,
    } = "float size '{found}', expected 0032 or 0064" => BadFileFloatSize,

    // Compression (docs/formats/x.md "Compressed files").
    /// No room for the total size, or for a block that was begun.
    XF010 BlockCut {
        /// What was being read.
        what: &'static str,
        /// Bytes that are missing at least.
        missing: usize,
    } = "the file ends inside {what}, at least {} missing" [are(*.missing, "byte", "bytes")] => BadAlloc,
    /// Not `CK`.
    XF012 BlockSignature {
        /// The first two bytes of the block.
        found: String,
    } = "a compressed block begins with '{found}', expected 'CK'" => BadAlloc,
    /// Over 32 KiB in one block.
    XF013 BlockTooLarge {
        /// The size that the block's header gives, in bytes.
        size: usize,
    } = "a compressed block claims to hold {size} bytes, but at most 32768 are possible" => BadAlloc,
    /// The deflate stream is damaged.
    XF014 BlockCorrupt {
        /// Number of the block, from 0.
        block: usize,
    } = "block {block} holds no valid deflate stream" => BadAlloc,
    /// More or less output than the block's header says.
    XF015 BlockSize {
        /// Number of the block, from 0.
        block: usize,
        /// The size that the block's header gives, in bytes.
        declared: usize,
        /// What came out, cut off after the declared size.
        found: String,
    } = "block {block} inflates to {found} bytes, but its header says {declared}" => BadAlloc,
    /// The total at offset 16 disagrees with the blocks.
    XF016 TotalSize {
        /// As declared, the 16 bytes of the header included.
        declared: u32,
        /// What the blocks make, the 16 bytes of the header included.
        found: usize,
    } = "the file says that it unpacks to {declared} bytes, but its blocks make {found}; the blocks count",
    /// A limit of this reader: what D3DX makes of the file is not known.
    XF017 UnpackedTooLong {
        /// The size that the file gives at byte 16, or that its blocks make up to where it is too much, the 16 bytes of
        /// the header included.
        declared: u32,
        /// The bytes that the caller allows.
        limit: usize,
    } = "the file unpacks to {declared} bytes, but at most {limit} are read",
    /// Bytes behind the last block.
    XF018 TrailingBytes {
        /// How many bytes there are behind the last block.
        bytes: usize,
    } = "{} left over after the last compressed block; they are not read" [counted(*.bytes, "byte", "bytes")],

    // Words and tokens (docs/formats/x.md "Words of text files").
    /// A token of the wrong sort.
    XF020 Expected {
        /// What would have been right.
        expected: &'static str,
        /// The token, shortened.
        found: String,
    } = "expected {expected}, found {found}" => ParseError,
    /// The file ends within an object.
    XF021 EndInside {
        /// The object's type.
        object: String,
        /// What would have been right.
        expected: &'static str,
    } = "the file ends inside '{object}', expected {expected}" => ParseError,
    /// A lone slash begins no comment.
    XF022 LoneSlash = "a lone '/', expected '//'" => ParseError,
    /// A string without closing quote.
    XF023 UnclosedString = "the string has no closing quote" => ParseError,
    /// A comment in the last line, which has no line end, or in a file whose lines end in CR alone.
    XF024 CommentAtEnd = "the file ends inside a comment without a newline; D3DX fails on it: add one" => ParseError,
    /// `<…>` is not a GUID.
    XF025 BadGuid {
        /// As written, shortened.
        found: String,
    } = "'{found}' is not a GUID, expected <00000000-0000-0000-0000-000000000000>" => ParseError,
    /// `< … >`, as Microsoft's documents print it.
    XF026 BlankInGuid = "spaces inside a GUID" => ParseError,
    /// A name with other characters than letters, digits, `_` and `-`, or a reserved word.
    XF027 OddName {
        /// As written.
        name: String,
    } = "'{name}' is not a proper name: use letters, digits, '_' and '-', and no reserved word" => ParseError,
    /// A name that begins with a digit.
    XF028 DigitFirst {
        /// As written.
        name: String,
    } = "the name '{name}' begins with a digit, which Microsoft's grammar does not allow",
    /// A binary token that does not exist.
    XF029 UnknownToken {
        /// The token's number in the file.
        id: u16,
    } = "{id} is not a token" => ParseError,
    /// A binary token whose payload runs past the end.
    XF030 TokenCut {
        /// What the token is: an integer list, a name, ….
        what: &'static str,
        /// Payload in bytes.
        needed: u64,
        /// What is left of the file.
        left: usize,
    } = "{what} needs {needed} bytes, but only {} left" [are(*.left, "byte", "bytes")] => ParseError,
    /// No `;` or `,` behind a value.
    XF031 MissingSeparator = "no ';' or ',' after a value" => ParseError,
    /// More than one comma, a semicolon behind a comma, or any separator behind a binary list.
    XF032 ExtraSeparator = "one separator too many: after a value any number of ';' and then at most one ',' may stand" => ParseError,
    /// A separator behind `}` or a reference, or before any value.
    XF033 StraySeparator = "a separator where none belongs" => ParseError,
    /// A `}` at top level.
    XF034 StrayBrace = "one '}}' too many" => ParseError,
    /// A reference at top level.
    XF035 StrayReference = "a reference outside of any object is ignored" => ParseError,

    // Values.
    /// A fraction where an integer belongs.
    XF040 FractionForInteger {
        /// As written, shortened.
        found: String,
    } = "'{found}', expected an integer" => ParseError,
    /// An integer that its type cannot hold.
    XF041 IntegerRange {
        /// As written, shortened.
        found: String,
        /// The member's type.
        kind: &'static str,
    } = "{found} does not fit the type {kind}" => ParseError,
    /// `nan`, `1.#IND`, `inf`, or beyond 32-bit floats.
    XF042 NotFinite {
        /// As written, shortened.
        found: String,
    } = "'{found}' is not a finite number; 0 is taken instead" => ParseError,
    /// `1e-3`, `+1.0`
    XF043 OddNumber {
        /// As written, shortened.
        found: String,
    } = "'{found}' has an exponent or a plus sign, which not every version of Direct3D may read",
    /// A count that the rest of the file cannot hold.
    XF044 CountTooLarge {
        /// As written, which may be no whole number.
        count: f64,
        /// Bytes up to the end of the file.
        left: usize,
    } = "the count says {count}, but only {} left in the file" [are(*.left, "byte", "bytes")] => ParseError,
    /// An object ends before its template is filled.
    XF045 MissingValues {
        /// The object's type.
        object: String,
    } = "'{object}' holds fewer values than it should; what is missing is left out" => ParseError,
    /// An object of a fixed number of values, such as a matrix, ends before it has them.
    XF045 FewValues {
        /// The object's type.
        object: String,
        /// As found.
        found: usize,
        /// What its template has.
        expected: usize,
    } = "'{object}' holds {}, expected {expected}" [counted(*.found, "value", "values")] => ParseError,
    /// An object holds more values than its template has.
    XF046 ExtraValues {
        /// The object's type.
        object: String,
    } = "'{object}' holds more values than its template has; they are ignored" => ParseError,
    /// An object that does not follow its template is skipped, because nothing depends on it.
    XF047 Skipped {
        /// The object's type.
        object: String,
        /// The first thing that did not fit.
        why: String,
    } = "'{object}' does not follow its template and is skipped: {why}" => ParseError,

    // Objects, references, templates (docs/formats/x.md "Objects and references").
    /// Deeper than [`super::MAX_DEPTH`].
    XF050 TooDeep {
        /// [`super::MAX_DEPTH`].
        limit: usize,
    } = "objects are nested more than {limit} deep" => ParseError,
    /// More than [`super::MAX_OBJECTS`].
    XF051 TooManyObjects {
        /// [`super::MAX_OBJECTS`].
        limit: usize,
    } = "more than {limit} objects, references and templates" => ParseError,
    /// No template of the type is known.
    XF052 UnknownType {
        /// The type.
        name: String,
    } = "no template defines '{name}'; the object is skipped",
    /// A reference to nothing.
    XF053 UnresolvedReference {
        /// As written.
        name: String,
    } = "nothing is called '{name}'" => ParseError,
    /// A reference to something that stands further down.
    XF054 ForwardReference {
        /// As written.
        name: String,
    } = "'{name}' is defined further down, and D3DX knows only what comes before" => ParseError,
    /// A reference to something of the wrong type, or in a place where none means anything.
    XF055 UselessReference {
        /// As written.
        name: String,
    } = "the reference to '{name}' means nothing here and is ignored",
    /// A template that cannot be read.
    XF056 BrokenTemplate {
        /// Its name.
        name: String,
        /// The first thing that did not fit.
        why: String,
    } = "the template '{name}' is broken and ignored: {why}" => ParseError,
    /// A member of a type that no template above defines.
    XF057 UnknownMemberType {
        /// The type.
        name: String,
    } = "no template above this line defines '{name}'" => ParseError,
    /// An array dimension that names no integer member above it.
    XF058 BadDimension {
        /// As written.
        name: String,
    } = "'{name}' is not an integer member above this line" => ParseError,
    /// A template with more members, dimensions or nesting than this reader takes.
    XF059 TemplateTooLarge {
        /// Its name.
        name: String,
    } = "the template '{name}' is too large to be read" => ParseError,
    /// The file declares a standard template differently; the standard one counts.
    XF060 TemplateDiffers {
        /// Its name.
        name: String,
    } = "the template '{name}' differs from the standard one, which is used",
    /// A second template of a name; the first counts.
    XF061 RepeatedTemplate {
        /// Its name.
        name: String,
    } = "a second template '{name}'; the first one counts",
    /// Data of a kind that only Direct3D itself can read.
    XF062 Unsupported {
        /// The object's type.
        object: String,
    } = "'{object}' is not supported and is ignored",
    /// A second child where one is meant; the last counts.
    XF063 RepeatedChild {
        /// The object's type.
        object: String,
    } = "a second '{object}'; this one counts",

    // Meshes (docs/formats/x.md "Meshes").
    /// A face with fewer than three corners.
    XF070 FaceCorners {
        /// As written.
        corners: usize,
    } = "a face with {}, expected 3 or more" [counted(*.corners, "corner", "corners")] => Fail,
    /// A face on a vertex that does not exist.
    XF071 FaceIndex {
        /// The index as written, which counts from 0.
        index: i64,
        /// How many there are.
        vertices: usize,
    } = "a face names vertex {index}, but the mesh has {}" [counted(*.vertices, "vertex", "vertices")] => Fail,
    /// Normals with another number of faces than the mesh.
    XF072 NormalFaces {
        /// As found.
        found: usize,
        /// The mesh's.
        expected: usize,
    } = "the normals have {}, the mesh has {expected}; the normals are ignored" [counted(*.found, "face", "faces")] => Fail,
    /// A face of the normals with another number of corners than the mesh's.
    XF073 NormalCorners {
        /// Index of the face, from 0.
        face: usize,
        /// As found.
        found: usize,
        /// The mesh's.
        expected: usize,
    } = "face {face} of the normals has {}, the mesh's has {expected}; the normals are ignored" [counted(*.found, "corner", "corners")] => Fail,
    /// A corner with a normal that does not exist.
    XF074 NormalIndex {
        /// The index as written, which counts from 0.
        index: i64,
        /// How many there are.
        normals: usize,
    } = "a face names normal {index}, but there {}; the normals are ignored" [are_there(*.normals, "normal", "normals")] => Fail,
    /// Not one texture coordinate per vertex.
    XF075 TextureCoordCount {
        /// As found.
        found: usize,
        /// How many there should be.
        vertices: usize,
    } = "{} for {}, expected one for each" [counted(*.found, "pair of texture coordinates", "pairs of texture coordinates"), counted(*.vertices, "vertex", "vertices")] => Fail,
    /// A colour for a vertex that does not exist.
    XF076 ColorIndex {
        /// The index as written, which counts from 0.
        index: i64,
        /// How many there are.
        vertices: usize,
    } = "a colour for vertex {index}, but the mesh has {}" [counted(*.vertices, "vertex", "vertices")] => Fail,
    /// The declared number of materials is not the number there.
    XF077 MaterialCount {
        /// As declared.
        declared: i64,
        /// As found.
        found: usize,
    } = "the number of materials is given as {declared}, but there {}" [are_there(*.found, "material", "materials")] => Fail,
    /// Not one material index per face.
    XF078 MaterialIndexCount {
        /// As found.
        found: usize,
        /// How many faces there are.
        faces: usize,
    } = "{} for {}, expected one for each; the last one is repeated" [counted(*.found, "material index", "material indices"), counted(*.faces, "face", "faces")] => Fail,
    /// One material index for several faces, as some of Microsoft's own samples have it.
    XF083 SingleMaterialIndex {
        /// How many faces there are.
        faces: usize,
    } = "one material index for {}; it stands for all of them" [counted(*.faces, "face", "faces")],
    /// A face with a material that does not exist.
    XF079 MaterialIndex {
        /// The index as written, which counts from 0.
        index: i64,
        /// How many there are.
        materials: usize,
    } = "a face names material {index}, but there {}" [are_there(*.materials, "material", "materials")] => Fail,
    /// Not one entry per vertex.
    XF080 DuplicationCount {
        /// As found.
        found: usize,
        /// How many there should be.
        vertices: usize,
    } = "{} for {}; they are ignored" [counted(*.found, "duplication index", "duplication indices"), counted(*.vertices, "vertex", "vertices")],
    /// `DeclData` or `FVFData` whose words do not fill the vertices.
    XF081 VertexDataSize {
        /// The object's type.
        object: &'static str,
        /// As found.
        found: usize,
        /// As computed.
        expected: u64,
    } = "'{object}' holds {}, its layout needs {expected}; it is ignored" [counted(*.found, "word", "words")],

    // Skins.
    /// SkinWeights without XSkinMeshHeader.
    XF090 SkinHeaderMissing = "skin weights without an XSkinMeshHeader; D3DX ignores them",
    /// The header stands behind weights.
    XF091 SkinHeaderLate = "the XSkinMeshHeader comes after skin weights; D3DX wants it before them" => Fail,
    /// More than one header.
    XF092 SkinHeaderTwice = "a second XSkinMeshHeader" => Fail,
    /// `nBones` is not the number of SkinWeights.
    XF093 SkinHeaderBones {
        /// As declared.
        declared: i64,
        /// As found.
        found: usize,
    } = "the XSkinMeshHeader gives the number of bones as {declared}, but there {}" [are_there(*.found, "SkinWeights object", "SkinWeights objects")] => Fail,
    /// The header's maxima are wrong.
    XF094 SkinHeaderMaximum {
        /// `vertex` or `face`.
        of: &'static str,
        /// As declared.
        declared: i64,
        /// As counted.
        found: usize,
    } = "the XSkinMeshHeader allows {} per {of}, but there are up to {found}" [counted(usize::try_from(*.declared).unwrap_or(0), "weight", "weights")],
    /// A weight for a vertex that does not exist.
    XF095 WeightIndex {
        /// The index as written, which counts from 0.
        index: i64,
        /// How many there are.
        vertices: usize,
    } = "a weight for vertex {index}, but the mesh has {}; it is ignored" [counted(*.vertices, "vertex", "vertices")] => Fail,
    /// Weights for a bone that is no frame.
    XF096 BoneMissing {
        /// The name.
        bone: String,
    } = "skin weights name '{bone}', which is not a frame; their vertices follow the mesh's own frame" => Fail,
    /// Weights that do not sum to 1.
    XF097 WeightSum {
        /// The vertex, from 0.
        vertex: usize,
        /// Its sum.
        sum: f64,
        /// The weights with their bones.
        weights: String,
    } = "the weights of vertex {vertex} sum to {sum}, expected 1: {weights}",
    /// Vertices of a skinned mesh without any weight.
    XF098 UnweightedVertices {
        /// How many.
        vertices: usize,
        /// The first of them.
        first: usize,
    } = "{} of a skinned mesh without any weight; the first is vertex {first}" [counted(*.vertices, "vertex", "vertices")],
    /// More influences than Direct3D blends.
    XF099 ManyInfluences {
        /// How many vertices.
        vertices: usize,
        /// The vertex with the most.
        worst: usize,
        /// Its count.
        most: usize,
    } = "{} with more than 4 weights; vertex {worst} has {most}" [counted(*.vertices, "vertex", "vertices")],

    // Hierarchy and animation (docs/formats/x.md "Animation keys").
    /// More than one FrameTransformMatrix; the last counts.
    XF110 SecondMatrix = "a second matrix in one frame; the last one counts",
    /// Two frames of one name; names lead to the first.
    XF111 DuplicateFrame {
        /// The name.
        name: String,
    } = "a second frame called '{name}'; skins and animations mean the first",
    /// A key type that does not exist.
    XF112 KeyType {
        /// As written.
        key_type: i64,
    } = "key type {key_type}, expected 0 (rotation), 1 (scale), 2 (position) or 4 (matrix); the keys are ignored" => Fail,
    /// Matrix keys under the number of Microsoft's documents.
    XF113 KeyTypeThree = "matrix keys of type 3, which most readers refuse; write 4",
    /// A key with the wrong number of values.
    XF114 KeyValues {
        /// The key, such as `rotation key 2 of 'Hip'`, counted from 0.
        key: String,
        /// As found.
        found: usize,
        /// What the type needs.
        expected: usize,
    } = "{key} has {}, expected {expected}; it is ignored" [counted(*.found, "value", "values")] => Fail,
    /// Key times that fall.
    XF115 KeyTimesFall {
        /// The key, such as `rotation key 2 of 'Hip'`, counted from 0.
        key: String,
        /// Its time in ticks.
        time: f64,
        /// The time of the key before it.
        before: f64,
    } = "{key} has time {time}, but the key before it has {before}; the keys are sorted" => Fail,
    /// Two keys at one time.
    XF116 KeyTimesEqual {
        /// The key, such as `rotation key 2 of 'Hip'`, counted from 0.
        key: String,
        /// Its time in ticks.
        time: f64,
    } = "{key} has the same time as the key before it, {time}; the last one counts",
    /// Two lists of one kind in an animation.
    XF117 RepeatedKeys {
        /// Which keys.
        what: &'static str,
    } = "a second list of {what} keys in one animation; they are merged" => Fail,
    /// Matrix keys beside others.
    XF118 MixedKeys = "matrix keys beside rotation, scale or position keys; the matrices count",
    /// An animation that names no frame.
    XF119 NoTarget = "the animation names no frame and is ignored",
    /// An animation whose frame is not in the file.
    XF120 TargetMissing {
        /// The name.
        name: String,
    } = "the animation moves '{name}', which is not a frame of this file",
    /// An animation with a frame inside instead of a reference.
    XF121 InlineTarget = "the animation holds a frame instead of a reference; its name counts",
    /// A frame with two animations in one set; the last counts.
    XF122 AnimatedTwice {
        /// The frame.
        name: String,
    } = "a second animation of '{name}' in one set; this one counts",
    /// An animation outside of every set.
    XF123 LooseAnimation = "an animation outside of any set",
    /// A tick rate of 0.
    XF124 ZeroTicks = "0 ticks per second; 4800 is taken",
    /// The file declares its data right-handed; no loader acts on it.
    XF125 RightHanded = "RightHanded is set, but no loader honours it",
}
