//! Decompresses MSZIP: deflate blocks of at most 32 KiB, each with the previous output as its dictionary
//! (docs/formats/x.md "Compressed files").

use super::fault::Fault;
use super::report::{Error, FaultLog, quote};
use crate::Span;
use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_u16, le_u32};
use zlib_rs::{Inflate, InflateFlush, Status};

/// Size of the largest block in bytes, and largest distance to which a block can refer back.
pub(super) const BLOCK_LENGTH: usize = 32768;

/// Logarithm of that distance to base 2, for zlib.
const WINDOW_BITS: u8 = 15;

/// Appends the content of the blocks of `packed` from `at` on to `out`, which already contains the header.
///
/// The output grows block by block and never beyond `limit`, so that a false size costs nothing. The blocks
/// count, not the total before them: D3DX's readers only log where the two disagree.
pub(super) fn inflate(
    packed: &[u8],
    at: usize,
    limit: usize,
    out: &mut Vec<u8>,
    log: &mut FaultLog,
) -> Result<(), Error> {
    let header_length = out.len();
    let rest = packed.get(at..).unwrap_or_default();
    let offset = |rest: &[u8]| packed.len() - rest.len();
    let cut = |rest: &[u8], what, needed: usize| Error {
        kind: Fault::BlockCut { what, missing: needed.saturating_sub(rest.len()) },
        span: Span::new(offset(rest), packed.len()),
    };
    let (mut rest, total) = scan(le_u32, rest).ok_or_else(|| cut(rest, "the total size", 4))?;
    let total_span = Span::new(at, at + 4);
    let expected = usize::try_from(total).unwrap_or(usize::MAX);
    if expected > limit {
        return Err(Error { kind: Fault::UnpackedTooLong { declared: total, limit }, span: total_span });
    }
    out.reserve_exact(declared(rest).min(expected.saturating_sub(header_length)));
    // The blocks are raw deflate data without a zlib header.
    let mut inflater = Inflate::new(false, WINDOW_BITS);
    let mut block = 0;
    while !rest.is_empty() {
        let start = offset(rest);
        if out.len() >= expected && !begins_block(rest) {
            log.fault(Fault::TrailingBytes { bytes: rest.len() }, Span::new(start, packed.len()))?;
            break;
        }
        let (data, (size, packed_size)) = scan((le_u16, le_u16), rest).ok_or_else(|| cut(rest, "a block header", 4))?;
        let (size, packed_size) = (usize::from(size), usize::from(packed_size));
        if size > BLOCK_LENGTH {
            return Err(Error { kind: Fault::BlockTooLarge { size }, span: Span::new(start, start + 2) });
        }
        let (next, content) = scan(take(packed_size), data).ok_or_else(|| cut(data, "a block", packed_size))?;
        let span = Span::new(offset(data), offset(next));
        let Some(deflated) = content.strip_prefix(b"CK") else {
            let found = quote(content.get(..2).unwrap_or(content));
            return Err(Error { kind: Fault::BlockSignature { found }, span });
        };
        if out.len() + size > limit {
            let declared = u32::try_from(out.len() + size).unwrap_or(u32::MAX);
            return Err(Error { kind: Fault::UnpackedTooLong { declared, limit }, span });
        }
        match inflate_block(&mut inflater, block, deflated, size, (header_length, out)) {
            Err(kind @ Fault::StoredLength { .. }) => log.fault(kind, span)?,
            result => result.map_err(|kind| Error { kind, span })?,
        }
        rest = next;
        block += 1;
    }
    if out.len() != expected {
        log.fault(Fault::TotalSize { declared: total, found: out.len() }, total_span)?;
    }
    Ok(())
}

/// Appends exactly `size` bytes to `out`. The previous data is the dictionary. They are also there after
/// [`Fault::StoredLength`].
fn inflate_block(
    inflater: &mut Inflate,
    block: usize,
    deflated: &[u8],
    size: usize,
    (header_length, out): (usize, &mut Vec<u8>),
) -> Result<(), Fault> {
    let start = out.len();
    // Blocks can only refer to the last 32 KiB of data, and never to the file's header.
    let window = start.saturating_sub(BLOCK_LENGTH).max(header_length).min(start);
    out.resize(start + size, 0);
    let (before, here) = out.split_at_mut(start);
    inflater.reset(false);
    let dictionary = before.get(window..).filter(|dictionary| !dictionary.is_empty());
    let known = dictionary.is_none_or(|dictionary| inflater.set_dictionary(dictionary).is_ok());
    let status = inflater.decompress(deflated, here, InflateFlush::Finish);
    let written = inflater.total_out();
    match status {
        Ok(Status::StreamEnd) if known && written == size as u64 => Ok(()),
        Ok(Status::StreamEnd) if known => Err(Fault::BlockSize { block, declared: size, found: written.to_string() }),
        Ok(_) if known && written == size as u64 => {
            // An output buffer of one more byte shows if there is more data.
            let rest = usize::try_from(inflater.total_in()).ok().and_then(|read| deflated.get(read..));
            let more = inflater.decompress(rest.unwrap_or_default(), &mut [0], InflateFlush::Finish);
            match more {
                Ok(_) if inflater.total_out() > written => {
                    Err(Fault::BlockSize { block, declared: size, found: format!("more than {size}") })
                }
                _ => Err(Fault::BlockCorrupt { block }),
            }
        }
        Err(_) if known && read_stored(deflated, here, written) => Err(Fault::StoredLength { block }),
        _ => Err(Fault::BlockCorrupt { block }),
    }
}

/// Reads the last part of a block, if its bytes are stored after their number without its complement.
fn read_stored(deflated: &[u8], here: &mut [u8], written: u64) -> bool {
    let rest = usize::try_from(written).ok().and_then(|written| here.get_mut(written..)).unwrap_or_default();
    let Some((before, stored)) = deflated.len().checked_sub(rest.len()).and_then(|at| deflated.split_at_checked(at))
    else {
        return false;
    };
    let is_length = before.last_chunk().is_some_and(|length| usize::from(u16::from_le_bytes(*length)) == rest.len());
    if is_length && !rest.is_empty() {
        rest.copy_from_slice(stored);
    }
    is_length
}

/// Returns the sum of the sizes in all block headers.
fn declared(mut rest: &[u8]) -> usize {
    let mut sum = 0;
    while let Some((data, (size, packed_size))) = scan((le_u16, le_u16), rest) {
        sum += usize::from(size);
        rest = data.get(usize::from(packed_size)..).unwrap_or_default();
    }
    sum
}

/// True if `rest` begins with a block header and its signature.
fn begins_block(rest: &[u8]) -> bool {
    rest.get(4..6) == Some(b"CK")
}

fn scan<'a, T>(mut parser: impl Parser<&'a [u8], Output = T, Error = ()>, bytes: &'a [u8]) -> Option<(&'a [u8], T)> {
    parser.parse(bytes).ok()
}
