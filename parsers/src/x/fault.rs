//! What can be wrong with a .x file, once for both readings.

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

/// One variant per defect. Some always end the reading, most are a [`Warning`](super::Warning) in the lenient one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    // The envelope (docs/formats/x.md "Header").
    /// No bytes at all.
    #[error("the file is empty, expected 'xof 0303txt 0032' or the like")]
    Empty,
    /// Spans are 32 bits wide.
    #[error("the file has {bytes} bytes, at most 4294967295 can be read")]
    TooLong {
        /// Length of the file.
        bytes: usize,
    },
    /// The file does not begin with `xof `.
    #[error("not a .x file: it begins with '{found}', expected 'xof '")]
    NotX {
        /// The first bytes, shortened.
        found: String,
    },
    /// Fewer than 16 bytes.
    #[error("the header ends after {bytes} bytes, expected 16")]
    HeaderCut {
        /// Length of the file.
        bytes: usize,
    },
    /// A UTF-8 byte order mark leads.
    #[error("a byte order mark before 'xof '; save the file without it")]
    ByteOrderMark,
    /// Neither 0302 nor 0303.
    #[error("version '{found}', expected 0302 or 0303")]
    Version {
        /// As written.
        found: String,
    },
    /// None of the four encodings.
    #[error("format '{found}', expected 'txt ', 'bin ', 'tzip' or 'bzip'")]
    Format {
        /// As written.
        found: String,
    },
    /// Neither 0032 nor 0064.
    #[error("float size '{found}', expected 0032 or 0064")]
    FloatSize {
        /// As written.
        found: String,
    },

    // Compression (docs/formats/x.md "Compressed files").
    /// No room for the total size, or for a block that was begun.
    #[error("the file ends inside {what}, {missing} bytes are missing")]
    BlockCut {
        /// What was being read.
        what: &'static str,
        /// How many bytes are missing.
        missing: usize,
    },
    /// Not `CK`.
    #[error("a compressed block begins with '{found}', expected 'CK'")]
    BlockSignature {
        /// The two bytes.
        found: String,
    },
    /// Over 32 KiB in one block.
    #[error("a compressed block claims {size} bytes, at most 32768 are possible")]
    BlockTooLarge {
        /// The declared size.
        size: usize,
    },
    /// The deflate stream is damaged.
    #[error("block {block} holds no valid deflate stream")]
    BlockCorrupt {
        /// Number of the block, from 0.
        block: usize,
    },
    /// More or less output than the block's header says.
    #[error("block {block} inflates to {found} bytes, its header says {declared}")]
    BlockSize {
        /// Number of the block, from 0.
        block: usize,
        /// As declared.
        declared: usize,
        /// What came out, cut off after the declared size.
        found: String,
    },
    /// The total at offset 16 disagrees with the blocks.
    #[error("the file says that it unpacks to {declared} bytes, its blocks make {found}")]
    TotalSize {
        /// As declared, the 16 bytes of the header included.
        declared: u32,
        /// What the blocks make, the 16 bytes of the header included.
        found: String,
    },
    /// A limit of this reader.
    #[error("the file unpacks to {declared} bytes, at most {limit} are read")]
    UnpackedTooLong {
        /// As declared.
        declared: u32,
        /// [`super::MAX_UNPACKED`].
        limit: usize,
    },
    /// Bytes behind the last block.
    #[error("{bytes} bytes behind the last compressed block are ignored")]
    TrailingBytes {
        /// How many.
        bytes: usize,
    },

    // Words and tokens (docs/formats/x.md "Words of text files").
    /// A token of the wrong sort.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would have been right.
        expected: &'static str,
        /// The token, shortened.
        found: String,
    },
    /// The file ends within an object.
    #[error("the file ends inside '{object}', expected {expected}")]
    EndInside {
        /// The object's type.
        object: String,
        /// What would have been right.
        expected: &'static str,
    },
    /// A lone slash begins no comment.
    #[error("a lone '/', expected '//'")]
    LoneSlash,
    /// A string without closing quote.
    #[error("the string has no closing quote")]
    UnclosedString,
    /// A comment in the last line, which has no line end, or in a file whose lines end in CR alone.
    #[error("the comment is not ended by LF, which D3DX does not get over; end the line with one")]
    CommentAtEnd,
    /// `<…>` is no GUID.
    #[error("'{found}' is no GUID, expected <00000000-0000-0000-0000-000000000000>")]
    BadGuid {
        /// As written, shortened.
        found: String,
    },
    /// `< … >`, as Microsoft's documents print it.
    #[error("blanks inside a GUID")]
    BlankInGuid,
    /// A name with other characters than letters, digits, `_` and `-`, or a reserved word.
    #[error("'{name}' is no proper name: letters, digits, '_' and '-' are allowed, reserved words are not")]
    OddName {
        /// As written.
        name: String,
    },
    /// A name that begins with a digit.
    #[error("the name '{name}' begins with a digit, which Microsoft's grammar does not allow")]
    DigitFirst {
        /// As written.
        name: String,
    },
    /// A binary token that does not exist.
    #[error("{id} is no token")]
    UnknownToken {
        /// The number.
        id: u16,
    },
    /// A binary token whose payload runs past the end.
    #[error("{what} needs {needed} bytes, {left} are left")]
    TokenCut {
        /// The token.
        what: &'static str,
        /// Payload in bytes.
        needed: u64,
        /// What is left of the file.
        left: usize,
    },
    /// No `;` or `,` behind a value.
    #[error("no ';' or ',' after a value")]
    MissingSeparator,
    /// More than one comma, a semicolon behind a comma, or any separator behind a binary list.
    #[error("a separator too many: after a value any number of ';' and then at most one ',' may stand")]
    ExtraSeparator,
    /// A separator behind `}` or a reference, or before any value.
    #[error("a separator where none belongs")]
    StraySeparator,
    /// A `}` at top level.
    #[error("a '}}' too many")]
    StrayBrace,
    /// A reference at top level.
    #[error("a reference outside of any object is ignored")]
    StrayReference,

    // Values.
    /// A fraction where an integer belongs.
    #[error("'{found}', expected an integer")]
    FractionForInteger {
        /// As read.
        found: f64,
    },
    /// An integer that its type cannot hold.
    #[error("{found} does not fit the type {kind}")]
    IntegerRange {
        /// As written, shortened.
        found: String,
        /// The member's type.
        kind: &'static str,
    },
    /// `nan`, `1.#IND`, `inf`, or beyond 32-bit floats.
    #[error("'{found}' is no finite number, 0 is taken instead")]
    NotFinite {
        /// As written, shortened.
        found: String,
    },
    /// `1e-3`, `+1.0`
    #[error("'{found}' has an exponent or a plus sign, which not every version of Direct3D may read")]
    OddNumber {
        /// As written, shortened.
        found: String,
    },
    /// A count that the rest of the file cannot hold.
    #[error("{count} elements are announced, but only {left} bytes are left")]
    CountTooLarge {
        /// As written, which may be no whole number.
        count: f64,
        /// Bytes up to the end of the file.
        left: usize,
    },
    /// An object ends before its template is filled.
    #[error("'{object}' holds fewer values than it should, what is missing counts as none")]
    MissingValues {
        /// The object's type.
        object: String,
    },
    /// An object holds more values than its template has.
    #[error("'{object}' holds more values than its template has, they are ignored")]
    ExtraValues {
        /// The object's type.
        object: String,
    },
    /// An object that does not follow its template is skipped, because nothing depends on it.
    #[error("'{object}' does not follow its template and is skipped: {why}")]
    Skipped {
        /// The object's type.
        object: String,
        /// The first thing that did not fit.
        why: String,
    },

    // Objects, references, templates (docs/formats/x.md "Objects and references").
    /// Deeper than [`super::MAX_DEPTH`].
    #[error("objects are nested more than {limit} deep")]
    TooDeep {
        /// [`super::MAX_DEPTH`].
        limit: usize,
    },
    /// More than [`super::MAX_OBJECTS`].
    #[error("more than {limit} objects, references and templates")]
    TooManyObjects {
        /// [`super::MAX_OBJECTS`].
        limit: usize,
    },
    /// No template of the type is known.
    #[error("no template defines '{name}'; the object is skipped")]
    UnknownType {
        /// The type.
        name: String,
    },
    /// A reference to nothing.
    #[error("nothing is called '{name}'")]
    UnresolvedReference {
        /// As written.
        name: String,
    },
    /// A reference to something that stands further down.
    #[error("'{name}' is defined only further down, D3DX looks up")]
    ForwardReference {
        /// As written.
        name: String,
    },
    /// A reference to something of the wrong type, or in a place where none means anything.
    #[error("the reference to '{name}' means nothing here and is ignored")]
    UselessReference {
        /// As written.
        name: String,
    },
    /// A template that cannot be read.
    #[error("the template '{name}' is broken and ignored: {why}")]
    BrokenTemplate {
        /// Its name.
        name: String,
        /// The first thing that did not fit.
        why: String,
    },
    /// A member of a type that no template above defines.
    #[error("no template above this line defines '{name}'")]
    UnknownMemberType {
        /// The type.
        name: String,
    },
    /// An array dimension that names no integer member above it.
    #[error("'{name}' is no integer member above this line")]
    BadDimension {
        /// As written.
        name: String,
    },
    /// A template with more members, dimensions or nesting than this reader takes.
    #[error("the template '{name}' is too large to be read")]
    TemplateTooLarge {
        /// Its name.
        name: String,
    },
    /// The file declares a standard template differently; the standard one counts.
    #[error("the template '{name}' differs from the standard one, which is used")]
    TemplateDiffers {
        /// Its name.
        name: String,
    },
    /// A second template of a name; the first counts.
    #[error("a second template '{name}', the first one counts")]
    RepeatedTemplate {
        /// Its name.
        name: String,
    },
    /// Data of a kind that only Direct3D itself can read.
    #[error("'{object}' is not supported and ignored")]
    Unsupported {
        /// The object's type.
        object: String,
    },
    /// A second child where one is meant; the last counts.
    #[error("a second '{object}', this one counts")]
    RepeatedChild {
        /// The object's type.
        object: String,
    },

    // Meshes (docs/formats/x.md "Meshes").
    /// A face with fewer than three corners.
    #[error("a face with {corners} corners, expected 3 or more")]
    FaceCorners {
        /// As written.
        corners: usize,
    },
    /// A face on a vertex that does not exist.
    #[error("a face names vertex {index}, but the mesh has {vertices}")]
    FaceIndex {
        /// As written.
        index: i64,
        /// How many there are.
        vertices: usize,
    },
    /// Normals with another number of faces than the mesh.
    #[error("the normals have {found} faces, the mesh has {expected}; they are ignored")]
    NormalFaces {
        /// As found.
        found: usize,
        /// The mesh's.
        expected: usize,
    },
    /// A face of the normals with another number of corners than the mesh's.
    #[error("face {face} of the normals has {found} corners, the mesh's has {expected}; the normals are ignored")]
    NormalCorners {
        /// Which, from 0.
        face: usize,
        /// As found.
        found: usize,
        /// The mesh's.
        expected: usize,
    },
    /// A corner with a normal that does not exist.
    #[error("a face names normal {index}, but there are {normals}; the normals are ignored")]
    NormalIndex {
        /// As written.
        index: i64,
        /// How many there are.
        normals: usize,
    },
    /// Not one texture coordinate per vertex.
    #[error("{found} texture coordinates for {vertices} vertices")]
    TextureCoordCount {
        /// As found.
        found: usize,
        /// How many there should be.
        vertices: usize,
    },
    /// A colour for a vertex that does not exist.
    #[error("a colour for vertex {index}, but the mesh has {vertices}")]
    ColorIndex {
        /// As written.
        index: i64,
        /// How many there are.
        vertices: usize,
    },
    /// The declared number of materials is not the number there.
    #[error("{declared} materials are announced, {found} are there")]
    MaterialCount {
        /// As declared.
        declared: i64,
        /// As found.
        found: usize,
    },
    /// Not one material index per face.
    #[error("{found} material indices for {faces} faces, the last one is repeated")]
    MaterialIndexCount {
        /// As found.
        found: usize,
        /// How many faces there are.
        faces: usize,
    },
    /// A face with a material that does not exist.
    #[error("a face names material {index}, but there are {materials}")]
    MaterialIndex {
        /// As written.
        index: i64,
        /// How many there are.
        materials: usize,
    },
    /// Not one entry per vertex.
    #[error("{found} duplication indices for {vertices} vertices, they are ignored")]
    DuplicationCount {
        /// As found.
        found: usize,
        /// How many there should be.
        vertices: usize,
    },
    /// `DeclData` or `FVFData` whose words do not fill the vertices.
    #[error("'{object}' holds {found} words, its layout needs {expected}; it is ignored")]
    VertexDataSize {
        /// The object's type.
        object: &'static str,
        /// As found.
        found: usize,
        /// As computed.
        expected: u64,
    },

    // Skins.
    /// SkinWeights without XSkinMeshHeader.
    #[error("skin weights without an XSkinMeshHeader, D3DX ignores them")]
    SkinHeaderMissing,
    /// The header stands behind weights.
    #[error("the XSkinMeshHeader stands behind skin weights, D3DX wants it first")]
    SkinHeaderLate,
    /// More than one header.
    #[error("a second XSkinMeshHeader")]
    SkinHeaderTwice,
    /// `nBones` is not the number of SkinWeights.
    #[error("the XSkinMeshHeader announces {declared} bones, {found} follow")]
    SkinHeaderBones {
        /// As declared.
        declared: i64,
        /// As found.
        found: usize,
    },
    /// The header's maxima are wrong.
    #[error("the XSkinMeshHeader says at most {declared} weights per {of}, there are up to {found}")]
    SkinHeaderMaximum {
        /// `vertex` or `face`.
        of: &'static str,
        /// As declared.
        declared: i64,
        /// As counted.
        found: usize,
    },
    /// A weight for a vertex that does not exist.
    #[error("a weight for vertex {index}, but the mesh has {vertices}; it is ignored")]
    WeightIndex {
        /// As written.
        index: i64,
        /// How many there are.
        vertices: usize,
    },
    /// Weights for a bone that is no frame.
    #[error("skin weights name '{bone}', which is no frame; their vertices follow the mesh's own frame")]
    BoneMissing {
        /// The name.
        bone: String,
    },
    /// Weights that do not sum to 1.
    #[error("the weights of {vertices} vertices do not sum to 1, vertex {worst} has {sum}")]
    WeightSum {
        /// How many vertices.
        vertices: usize,
        /// The vertex furthest off.
        worst: usize,
        /// Its sum.
        sum: f64,
    },
    /// Vertices of a skinned mesh without any weight.
    #[error("{vertices} vertices of a skinned mesh have no weight, the first is {first}")]
    UnweightedVertices {
        /// How many.
        vertices: usize,
        /// The first of them.
        first: usize,
    },
    /// More influences than Direct3D blends.
    #[error("{vertices} vertices have more than 4 weights, vertex {worst} has {most}")]
    ManyInfluences {
        /// How many vertices.
        vertices: usize,
        /// The vertex with the most.
        worst: usize,
        /// Its count.
        most: usize,
    },

    // Hierarchy and animation (docs/formats/x.md "Animation keys").
    /// More than one FrameTransformMatrix; the last counts.
    #[error("a second matrix in one frame, the last one counts")]
    SecondMatrix,
    /// Two frames of one name; names lead to the first.
    #[error("a second frame called '{name}'; skins and animations mean the first")]
    DuplicateFrame {
        /// The name.
        name: String,
    },
    /// A key type that does not exist.
    #[error("key type {key_type}, expected 0 (rotation), 1 (scale), 2 (position) or 4 (matrix); the keys are ignored")]
    KeyType {
        /// As written.
        key_type: i64,
    },
    /// Matrix keys under the number of Microsoft's documents.
    #[error("matrix keys of type 3, which most readers refuse; write 4")]
    KeyTypeThree,
    /// A key with the wrong number of values.
    #[error("a key with {found} values, expected {expected}; it is ignored")]
    KeyValues {
        /// As found.
        found: usize,
        /// What the type needs.
        expected: usize,
    },
    /// Key times that fall.
    #[error("key times fall, they are sorted")]
    KeyTimesFall,
    /// Two keys at one time.
    #[error("two keys at one time, the last one counts")]
    KeyTimesEqual,
    /// Two lists of one kind in an animation.
    #[error("a second list of {what} keys in one animation, they are merged")]
    RepeatedKeys {
        /// Which keys.
        what: &'static str,
    },
    /// Matrix keys beside others.
    #[error("matrix keys beside rotation, scale or position keys, the matrices count")]
    MixedKeys,
    /// An animation that names no frame.
    #[error("the animation names no frame and is ignored")]
    NoTarget,
    /// An animation whose frame is not in the file.
    #[error("the animation moves '{name}', which is no frame of this file")]
    TargetMissing {
        /// The name.
        name: String,
    },
    /// An animation with a frame inside instead of a reference.
    #[error("the animation holds a frame instead of a reference, its name counts")]
    InlineTarget,
    /// A frame with two animations in one set; the last counts.
    #[error("a second animation of '{name}' in one set, this one counts")]
    AnimatedTwice {
        /// The frame.
        name: String,
    },
    /// An animation outside of every set.
    #[error("an animation outside of any set")]
    LooseAnimation,
    /// A tick rate of 0.
    #[error("0 ticks per second, 4800 are taken")]
    ZeroTicks,
    /// The data is right-handed by its own word, which no reader heeds.
    #[error("the file calls its data right-handed, which no reader heeds")]
    RightHanded,
}

impl Fault {
    /// What D3DX answers to it; `None` where it accepts the file.
    ///
    /// Rests on what was measured on Windows or is recorded of readers that follow it
    /// (docs/formats/x.md "What is known, and how").
    pub fn d3dx(&self) -> Option<D3dxError> {
        use Fault as F;
        Some(match self {
            F::Empty => D3dxError::BadFile,
            F::TooLong { .. } | F::NotX { .. } | F::HeaderCut { .. } | F::ByteOrderMark | F::Format { .. } => {
                D3dxError::BadFileType
            }
            F::Version { .. } => D3dxError::BadFileVersion,
            F::FloatSize { .. } => D3dxError::BadFileFloatSize,
            F::BlockCut { .. }
            | F::BlockSignature { .. }
            | F::BlockTooLarge { .. }
            | F::BlockCorrupt { .. }
            | F::BlockSize { .. }
            | F::TotalSize { .. }
            | F::UnpackedTooLong { .. } => D3dxError::BadAlloc,
            F::Expected { .. }
            | F::EndInside { .. }
            | F::LoneSlash
            | F::UnclosedString
            | F::CommentAtEnd
            | F::BadGuid { .. }
            | F::BlankInGuid
            | F::OddName { .. }
            | F::UnknownToken { .. }
            | F::TokenCut { .. }
            | F::MissingSeparator
            | F::ExtraSeparator
            | F::StraySeparator
            | F::StrayBrace
            | F::StrayReference
            | F::FractionForInteger { .. }
            | F::IntegerRange { .. }
            | F::NotFinite { .. }
            | F::CountTooLarge { .. }
            | F::MissingValues { .. }
            | F::ExtraValues { .. }
            | F::Skipped { .. }
            | F::TooDeep { .. }
            | F::TooManyObjects { .. }
            | F::UnresolvedReference { .. }
            | F::ForwardReference { .. }
            | F::BrokenTemplate { .. }
            | F::UnknownMemberType { .. }
            | F::BadDimension { .. }
            | F::TemplateTooLarge { .. } => D3dxError::ParseError,
            F::FaceCorners { .. }
            | F::FaceIndex { .. }
            | F::NormalFaces { .. }
            | F::NormalCorners { .. }
            | F::NormalIndex { .. }
            | F::TextureCoordCount { .. }
            | F::ColorIndex { .. }
            | F::MaterialCount { .. }
            | F::MaterialIndexCount { .. }
            | F::MaterialIndex { .. }
            | F::SkinHeaderLate
            | F::SkinHeaderTwice
            | F::SkinHeaderBones { .. }
            | F::WeightIndex { .. }
            | F::BoneMissing { .. }
            | F::KeyType { .. }
            | F::KeyValues { .. }
            | F::KeyTimesFall
            | F::RepeatedKeys { .. } => D3dxError::Fail,
            F::TrailingBytes { .. }
            | F::DigitFirst { .. }
            | F::OddNumber { .. }
            | F::UnknownType { .. }
            | F::UselessReference { .. }
            | F::TemplateDiffers { .. }
            | F::RepeatedTemplate { .. }
            | F::Unsupported { .. }
            | F::RepeatedChild { .. }
            | F::DuplicationCount { .. }
            | F::VertexDataSize { .. }
            | F::SkinHeaderMissing
            | F::SkinHeaderMaximum { .. }
            | F::WeightSum { .. }
            | F::UnweightedVertices { .. }
            | F::ManyInfluences { .. }
            | F::SecondMatrix
            | F::DuplicateFrame { .. }
            | F::KeyTypeThree
            | F::KeyTimesEqual
            | F::MixedKeys
            | F::NoTarget
            | F::TargetMissing { .. }
            | F::InlineTarget
            | F::AnimatedTwice { .. }
            | F::LooseAnimation
            | F::ZeroTicks
            | F::RightHanded => return None,
        })
    }
}
