//! Reads Quake's `.pak`: `PACK`, then offset and length of the index, which has 64 bytes per file: name, offset, size.

use crate::disk::Reader;
use crate::index::{Entry, IndexError, MOST_ENTRIES};
use rawzip::ReaderAt;
use std::io::{self, Read};

/// Bytes of a record in the index. The first [`NAME`] bytes are the name.
const RECORD: usize = 64;
const NAME: usize = 56;

/// True if the file begins with `PACK`.
pub(crate) fn is_pak(reader: &Reader) -> io::Result<bool> {
    let mut magic = [0; 4];
    Ok(reader.read_at(&mut magic, 0)? == magic.len() && magic == *b"PACK")
}

/// Reads the index of an archive, whose entries are offsets. `length` is the size of the archive's file in bytes.
pub(crate) fn open(reader: &Reader, length: u64) -> Result<Vec<Entry<u64>>, IndexError> {
    let mut head = [0; 12];
    reader.read_exact_at(&mut head, 0).map_err(|_| IndexError::Other("it ends inside its head".to_owned()))?;
    let (start, size) = (u64::from(number(&head, 4)), u64::from(number(&head, 8)));
    let count = size as usize / RECORD;
    if !(size as usize).is_multiple_of(RECORD) || start + size > length {
        return Err(IndexError::Other(format!(
            "its index should be {size} bytes from byte {start} on, in records of {RECORD}; the file has {length}"
        )));
    }
    if count > MOST_ENTRIES {
        return Err(IndexError::TooMany);
    }
    let mut index = vec![0; size as usize];
    reader.read_exact_at(&mut index, start).map_err(|error| IndexError::Other(error.to_string()))?;
    let entry = |record: &[u8]| {
        let name = record.get(..NAME).unwrap_or_default();
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let stored = u64::from(number(record, NAME));
        let size = u64::from(number(record, NAME + 4));
        Entry { name: String::from_utf8_lossy(name).into_owned(), size, stored }
    };
    Ok(index.chunks_exact(RECORD).map(entry).collect())
}

pub(crate) fn read(reader: &Reader, offset: u64, size: u64) -> Result<Vec<u8>, io::Error> {
    let mut bytes = Vec::new();
    let read = rawzip::RangeReader::new(reader, offset..offset.saturating_add(size)).read_to_end(&mut bytes)? as u64;
    if read != size {
        let why = format!("the archive ends after {read} of its {size} bytes");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
    }
    Ok(bytes)
}

/// Returns the little-endian number at offset `at`, 0 past the end.
fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}
