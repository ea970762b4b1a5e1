//! Reads and writes zip files (pk4, pk3 and others) with stored or deflated entries.

use crate::disk::Reader;
use crate::index::{Entry, IndexError, MOST_ENTRIES};
use rawzip::{CompressionMethod, ErrorKind, ZipArchive, ZipArchiveEntryWayfinder, ZipArchiveWriter, ZipLocator};
use std::io::{self, Read, Write};
use zlib_rs::{Inflate, InflateFlush, Status};

/// Bytes at the end of the file that contain the end-of-directory record and the longest possible comment.
const END_OF_DIRECTORY: u64 = 65_535 + 22;
/// Bytes of an entry's header before its name.
const LOCAL_HEADER: u64 = 30;

pub(crate) type ZipFile = ZipArchive<Reader>;

/// Position and packing of an entry's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
    checksum: u32,
    /// Offset of the entry's header in the archive.
    pub start: u64,
    /// Minimum number of bytes of header and content together.
    pub extent: u64,
}

impl Packed {
    /// Returns the packed size in bytes.
    pub fn size(&self) -> u64 {
        self.place.compressed_size_hint()
    }
}

/// Reads the index of an archive. `length` is the size of the archive's file in bytes.
pub(crate) fn open(reader: Reader, length: u64) -> Result<(ZipFile, Vec<Entry<Packed>>), IndexError> {
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let locator = ZipLocator::new().max_search_space(END_OF_DIRECTORY);
    let archive = locator.locate_in_reader(reader, &mut buffer, length).map_err(|(_, error)| match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory | ErrorKind::Eof => IndexError::NoEnd,
        _ => IndexError::Other(error.to_string()),
    })?;
    let announced = archive.entries_hint();
    let mut entries = Vec::new();
    let mut found = archive.entries(&mut buffer);
    loop {
        let entry = found.next_entry();
        let Some(entry) = entry.map_err(|error| IndexError::Damaged { read: entries.len(), announced, error })? else {
            break;
        };
        if entries.len() == MOST_ENTRIES {
            return Err(IndexError::TooMany);
        }
        let path = entry.file_path();
        let name = String::from_utf8_lossy(path.as_bytes()).into_owned();
        if entry.is_dir() || name.ends_with('\\') {
            continue;
        }
        let packed = Packed {
            place: entry.wayfinder(),
            method: entry.compression_method(),
            is_encrypted: entry.flags().is_encrypted(),
            checksum: entry.crc32(),
            start: entry.local_header_offset(),
            extent: (LOCAL_HEADER + path.as_bytes().len() as u64).saturating_add(entry.compressed_size_hint()),
        };
        entries.push(Entry { name, size: entry.uncompressed_size_hint(), stored: packed });
    }
    Ok((archive, entries))
}

/// Unpacks an entry to exactly `size` bytes. The caller must have checked the size.
pub(crate) fn read(archive: &ZipFile, packed: Packed, size: u64) -> Result<Vec<u8>, String> {
    let is_stored = is_stored(packed)?;
    if is_stored && packed.size() != size {
        return Err(format!("it is stored in {} bytes and said to have {size}", packed.size()));
    }
    let entry = archive.get_entry(packed.place).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    // Memory grows with the bytes present, because the archive can end too early.
    let read = entry.reader().take(packed.size()).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if read as u64 != packed.size() {
        return Err(format!("the archive ends after {read} of its {} bytes", packed.size()));
    }
    if !is_stored {
        // One more byte shows if there are more than claimed.
        let (unpacked, is_whole) = inflate(&bytes, usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1));
        match unpacked.len() as u64 {
            found if found > size => return Err(format!("it unpacks to more than the {size} bytes that it claims")),
            _ if !is_whole => return Err("its compressed bytes are damaged".to_owned()),
            found if found < size => return Err(format!("it unpacks to {found} bytes and claims {size}")),
            _ => bytes = unpacked,
        }
    }
    let found = rawzip::crc32(&bytes);
    if found != packed.checksum {
        return Err(format!("its checksum is {found:08x}, expected {:08x}: the archive is damaged", packed.checksum));
    }
    Ok(bytes)
}

/// Unpacks at most the first `length` bytes of an entry. The checksum is not compared.
pub(crate) fn read_head(archive: &ZipFile, packed: Packed, length: usize) -> Result<Vec<u8>, String> {
    /// Bytes of the tables at the beginning of a deflate block.
    const TABLES: u64 = 1024;
    let is_stored = is_stored(packed)?;
    // Each unpacked byte takes at most two packed bytes.
    let most = if is_stored { length as u64 } else { TABLES + 2 * length as u64 };
    let entry = archive.get_entry(packed.place).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    entry.reader().take(packed.size().min(most)).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if is_stored {
        return Ok(bytes);
    }
    let (head, is_whole) = inflate(&bytes, length);
    if head.len() < length && !is_whole {
        return Err("its compressed bytes are damaged".to_owned());
    }
    Ok(head)
}

/// Unpacks at most `most` bytes. Returns true with them if they are all.
fn inflate(packed: &[u8], most: usize) -> (Vec<u8>, bool) {
    /// Logarithm to base 2 of the largest distance to which deflated data refers back.
    const WINDOW_BITS: u8 = 15;
    let mut inflater = Inflate::new(false, WINDOW_BITS);
    let mut unpacked = vec![0; most];
    let status = inflater.decompress(packed, &mut unpacked, InflateFlush::Finish);
    unpacked.truncate(usize::try_from(inflater.total_out()).unwrap_or(most));
    unpacked.shrink_to_fit();
    (unpacked, matches!(status, Ok(Status::StreamEnd)))
}

/// Returns an archive of files by name, stored without compression.
///
/// # Errors
///
/// Fails for names or sizes that the format cannot store.
pub fn zip_of<N: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (N, B)>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in files {
        let (mut entry, config) = archive.new_file(name.as_ref()).start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(content.as_ref())?;
        let (_, written) = writer.finish().map_err(io::Error::other)?;
        entry.finish(written).map_err(io::Error::other)?;
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(bytes)
}

/// True if an entry is stored without compression. Returns an error for an unsupported method.
fn is_stored(packed: Packed) -> Result<bool, String> {
    let is_stored = packed.method == CompressionMethod::STORE;
    if packed.is_encrypted {
        return Err("it is encrypted".to_owned());
    }
    if !is_stored && packed.method != CompressionMethod::DEFLATE {
        return Err(format!("it is packed by {}; only stored and deflated files are read", packed.method));
    }
    Ok(is_stored)
}
