//! Reads the header of 16 bytes, and decompresses (docs/formats/x.md "Header").

use super::fault::Fault;
use super::inflate::inflate;
use super::report::{Error, FaultLog, Warning, quote};
use super::{MAX_UNPACKED, Reading};
use crate::Span;
use nom::Parser;
use nom::bytes::complete::take;
use std::borrow::Cow;

/// Number of bytes before the data.
const HEADER_LENGTH: usize = 16;

/// Notation of the objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyFormat {
    /// Words: `txt ` and `tzip`.
    Text,
    /// Tokens: `bin ` and `bzip`.
    Binary,
}

/// Width of the floats in binary files. It has no meaning in text files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatSize {
    /// `0032`
    F32,
    /// `0064`
    F64,
}

/// Encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// Notation: words or tokens.
    pub format: BodyFormat,
    /// True if the file is packed in MSZIP blocks.
    pub compressed: bool,
    /// Width of floats.
    pub float_size: FloatSize,
}

impl Encoding {
    /// Plain text, the most common encoding.
    pub const TEXT: Self = Self { format: BodyFormat::Text, compressed: false, float_size: FloatSize::F32 };
    /// Plain tokens with 32-bit floats.
    pub const BINARY: Self = Self { format: BodyFormat::Binary, compressed: false, float_size: FloatSize::F32 };

    /// Returns the same encoding, compressed.
    pub const fn compressed(self) -> Self {
        Self { compressed: true, ..self }
    }

    /// Returns bytes 8 to 16 of the header, for example `txt 0032`.
    pub(super) fn words(self) -> [&'static [u8; 4]; 2] {
        let format = match (self.format, self.compressed) {
            (BodyFormat::Text, false) => b"txt ",
            (BodyFormat::Binary, false) => b"bin ",
            (BodyFormat::Text, true) => b"tzip",
            (BodyFormat::Binary, true) => b"bzip",
        };
        let float_size = match self.float_size {
            FloatSize::F32 => b"0032",
            FloatSize::F64 => b"0064",
        };
        [format, float_size]
    }
}

impl std::fmt::Display for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [format, float_size] = self.words();
        write!(f, "{} {}", format.escape_ascii().to_string().trim_end(), float_size.escape_ascii())
    }
}

/// Decompressed file.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpacked<'a> {
    /// Encoding of the original file.
    pub encoding: Encoding,
    /// The four digits of the version, `0302` or `0303`.
    pub version: [u8; 4],
    /// The whole file without compression, header included. All further [`Span`]s refer to it.
    ///
    /// Borrowed if the file was not compressed.
    pub bytes: Cow<'a, [u8]>,
    /// Offset of the first byte after the header: 16, or 19 after a byte order mark.
    pub body: usize,
    /// Repairs. Their spans refer to the packed file.
    pub warnings: Vec<Warning>,
}

/// Reads the header and decompresses up to [`MAX_UNPACKED`](super::MAX_UNPACKED) bytes.
pub fn unpack(bytes: &[u8], reading: Reading) -> Result<Unpacked<'_>, Error> {
    unpack_within(bytes, reading, MAX_UNPACKED)
}

/// Reads the header and decompresses at most `limit` bytes, the 16 of the header included.
///
/// A compressed file can grow a thousand times, and each byte of the result needs up to
/// [`MEMORY_PER_BYTE`](super::MEMORY_PER_BYTE) bytes of memory once parsed. The limit does not concern files that are
/// not compressed.
///
/// # Errors
/// Anything wrong with the header, a corrupt or truncated block, or [`Fault::UnpackedTooLong`]: before anything is
/// inflated if the declared size is over the limit, else where the blocks exceed it. Spans refer to `bytes`.
pub fn unpack_within(bytes: &[u8], reading: Reading, limit: usize) -> Result<Unpacked<'_>, Error> {
    let mut log = FaultLog::new(reading);
    if u32::try_from(bytes.len()).is_err() {
        return Err(Error { kind: Fault::TooLong { bytes: bytes.len() }, span: Span::default() });
    }
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    if mark > 0 {
        log.fault(Fault::ByteOrderMark, Span::new(0, mark))?;
    }
    let (version, encoding) = header(bytes.get(mark..).unwrap_or_default(), mark, &mut log)?;
    let body = mark + HEADER_LENGTH;
    if !encoding.compressed {
        return Ok(Unpacked { encoding, version, bytes: Cow::Borrowed(bytes), body, warnings: log.into_warnings() });
    }
    let mut unpacked = Vec::with_capacity(HEADER_LENGTH);
    unpacked.extend_from_slice(b"xof ");
    unpacked.extend_from_slice(&version);
    unpacked.extend(Encoding { compressed: false, ..encoding }.words().into_iter().flatten());
    inflate(bytes, body, limit, &mut unpacked, &mut log)?;
    Ok(Unpacked { encoding, version, bytes: Cow::Owned(unpacked), body: HEADER_LENGTH, warnings: log.into_warnings() })
}

// header ::= 'xof ' version format float_size, four bytes each
fn header(bytes: &[u8], offset: usize, log: &mut FaultLog) -> Result<([u8; 4], Encoding), Error> {
    let span = |from: usize, to: usize| Span::new(offset + from.min(bytes.len()), offset + to.min(bytes.len()));
    if bytes.is_empty() {
        return Err(Error { kind: Fault::Empty, span: span(0, 0) });
    }
    let magic = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    if !b"xof ".starts_with(magic) {
        return Err(Error { kind: Fault::NotX { found: quote(magic) }, span: span(0, 4) });
    }
    let words = (take(4_usize), take(4_usize), take(4_usize), take(4_usize));
    let parsed: nom::IResult<&[u8], _, ()> = { words }.parse(bytes);
    let Ok((_, (_, version, format, float_size))) = parsed else {
        return Err(Error { kind: Fault::HeaderCut { bytes: bytes.len() }, span: span(0, bytes.len()) });
    };
    if !matches!(version, b"0302" | b"0303") {
        log.fault(Fault::Version { found: quote(version) }, span(4, 8))?;
    }
    let (format, compressed) = match format {
        b"txt " => (BodyFormat::Text, false),
        b"bin " => (BodyFormat::Binary, false),
        b"tzip" => (BodyFormat::Text, true),
        b"bzip" => (BodyFormat::Binary, true),
        _ => return Err(Error { kind: Fault::Format { found: quote(format) }, span: span(8, 12) }),
    };
    let float_size = match float_size {
        b"0032" => FloatSize::F32,
        b"0064" => FloatSize::F64,
        _ => return Err(Error { kind: Fault::FloatSize { found: quote(float_size) }, span: span(12, 16) }),
    };
    let version = version.try_into().unwrap_or(*b"0303");
    Ok((version, Encoding { format, compressed, float_size }))
}
