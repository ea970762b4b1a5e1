//! Reads one archive: its index and the bytes of its files.

use crate::disk;
use crate::index::{Entry, IndexError};
use crate::member;
use crate::name::{BadName, fold, game_name};
use crate::{pak, zip};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Size of the largest file that is read from an archive, in bytes.
pub const LARGEST_ENTRY: u64 = 512 << 20;
/// Largest accepted ratio of unpacked to packed bytes. Deflate reaches at most 1032.
const MOST_RATIO: u64 = 1100;
/// Bytes that a small entry may unpack to regardless of its ratio.
const FREE_BYTES: u64 = 64 << 10;
/// Ratio above which entries share a limit. Models and decls reach 20, blank images 1000.
const LARGE_RATIO: u64 = 64;
/// Limit of the unpacked bytes of all entries with a large ratio: this sum, and [`PER_ARCHIVE_BYTE`] for each byte of
/// the archive. An archive of 2 MB may grow to 192 MiB.
const GROWN_BYTES: u64 = 64 << 20;
const PER_ARCHIVE_BYTE: u64 = 64;

/// Error in an archive, or in a file inside one.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {fault}", self.path().display())]
pub struct ArchiveError {
    /// Path of the archive.
    pub archive: PathBuf,
    /// Name of the file inside. `None` if the error concerns the whole archive.
    pub name: Option<String>,
    /// Kind of the fault.
    pub fault: ArchiveFault,
}

/// Reason for refusing an archive, or a file inside one.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveFault {
    /// The file of the archive cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The index or the bytes of the file are damaged, or the packing method is not supported.
    #[error("{0}")]
    Damaged(String),
    /// There is no file with that name.
    #[error("the archive has no such file")]
    Missing,
    /// Engines refuse the name.
    #[error(transparent)]
    BadName(#[from] BadName),
    /// The file has more bytes than allowed.
    #[error("it has {size} bytes, more than the {limit} that are read")]
    TooLarge {
        /// Size of the file in bytes.
        size: u64,
        /// Allowed size in bytes.
        limit: u64,
    },
    /// The file, with others that unpack to many times their size, is larger than the archive justifies.
    #[error(
        "its highly compressed files unpack to {unpacked} bytes, too many for an archive of {packed}; unpack the archive"
    )]
    Growth {
        /// Unpacked bytes of these files.
        unpacked: u64,
        /// Size of the archive in bytes.
        packed: u64,
    },
    /// The file shares bytes of the archive with another file, as in archives made to fill the memory.
    #[error("its bytes overlap those of '{other}' in the archive; pack the archive again")]
    Overlap {
        /// Name of the other file.
        other: String,
    },
}

impl ArchiveError {
    /// Returns the path of the archive, or of the file inside.
    pub fn path(&self) -> PathBuf {
        self.name.as_ref().map_or_else(|| self.archive.clone(), |name| member::join(&self.archive, name))
    }

    /// True if the archive is readable but has no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self.fault, ArchiveFault::Missing | ArchiveFault::BadName(_))
    }
}

/// Position of an entry's bytes.
#[derive(Debug, Clone, Copy)]
enum Stored {
    Zip(zip::Packed),
    Pak { offset: u64 },
}

#[derive(Debug, Clone, Copy)]
struct Record {
    /// Index of the name's first byte in [`Archive::names`].
    name: u32,
    name_length: u32,
    size: u64,
    stored: Stored,
}

/// Open file of an archive.
#[derive(Debug)]
enum ArchiveFile {
    Zip(zip::ZipFile),
    Pak(disk::Reader),
}

/// Opened archive: its file and its index.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: ArchiveFile,
    /// All names in lower case, concatenated.
    names: String,
    /// Records, sorted by name.
    records: Vec<Record>,
    duplicates: Vec<String>,
    /// Index of another record that shares bytes, for each record that shares bytes.
    overlaps: HashMap<usize, usize>,
    /// Size of the archive in bytes.
    length: u64,
    /// Unpacked bytes of all records with a large ratio.
    grown: u64,
}

/// True if a file unpacks to more than `ratio` times its size, plus `free` bytes.
fn grows(record: &Record, ratio: u64, free: u64) -> bool {
    match record.stored {
        Stored::Zip(packed) => record.size > packed.size().saturating_mul(ratio).saturating_add(free),
        Stored::Pak { .. } => false,
    }
}

impl Archive {
    /// Reads the index of a zip file or a `.pak`. The first bytes show which of the two it is.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveFault::Io`] or [`ArchiveFault::Damaged`]. More than 200,000 files also count as damage.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let refuse = |fault| ArchiveError { archive: path.to_owned(), name: None, fault };
        let io_error = |error| refuse(ArchiveFault::Io(error));
        // Opening a pipe could wait forever.
        if !disk::metadata(path).map_err(io_error)?.is_file() {
            return Err(io_error(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")));
        }
        let file = disk::open(path).map_err(io_error)?;
        let length = file.metadata().map_err(io_error)?.len();
        let reader = disk::Reader::from(file);
        let damaged = |why: IndexError| refuse(ArchiveFault::Damaged(why.to_string()));
        if pak::is_pak(&reader).map_err(io_error)? {
            let entries = pak::open(&reader, length).map_err(damaged)?;
            let stored = |offset| Stored::Pak { offset };
            return Ok(Self::new(path, length, ArchiveFile::Pak(reader), entries, stored));
        }
        let (file, entries) = zip::open(reader, length).map_err(damaged)?;
        Ok(Self::new(path, length, ArchiveFile::Zip(file), entries, Stored::Zip))
    }

    fn new<S>(
        path: &Path,
        length: u64,
        file: ArchiveFile,
        mut entries: Vec<Entry<S>>,
        place: impl Fn(S) -> Stored,
    ) -> Self {
        for entry in &mut entries {
            entry.name = fold(&entry.name);
        }
        // The sort keeps entries with the same name in the order of the archive. The last one counts.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let mut archive = Self {
            path: path.to_owned(),
            file,
            names: String::new(),
            records: Vec::new(),
            duplicates: Vec::new(),
            overlaps: HashMap::new(),
            length,
            grown: 0,
        };
        archive.records.reserve_exact(entries.len());
        let mut entries = entries.into_iter().peekable();
        while let Some(Entry { name, size, stored }) = entries.next() {
            if entries.peek().is_some_and(|next| next.name == name) {
                if archive.duplicates.last() != Some(&name) {
                    archive.duplicates.push(name);
                }
                continue;
            }
            // No readable index contains 4 GiB of names.
            let (Ok(start), Ok(name_length)) = (u32::try_from(archive.names.len()), u32::try_from(name.len())) else {
                break;
            };
            archive.names.push_str(&name);
            archive.records.push(Record { name: start, name_length, size, stored: place(stored) });
        }
        archive.names.shrink_to_fit();
        archive.find_overlaps();
        let grown = archive.records.iter().filter(|record| grows(record, LARGE_RATIO, 0)).map(|record| record.size);
        archive.grown = grown.fold(0, u64::saturating_add);
        archive
    }

    fn find_overlaps(&mut self) {
        let extent = |record: &Record| match record.stored {
            Stored::Zip(packed) => (packed.start, packed.start.saturating_add(packed.extent)),
            Stored::Pak { offset } => (offset, offset.saturating_add(record.size)),
        };
        let mut extents: Vec<_> = self.records.iter().map(extent).enumerate().collect();
        extents.retain(|(_, (start, end))| start < end);
        extents.sort_by_key(|&(_, (start, _))| start);
        // Record with the largest end offset so far.
        let mut furthest = None;
        for (index, (start, end)) in extents {
            if let Some((other, _)) = furthest.filter(|&(_, other_end)| start < other_end) {
                self.overlaps.insert(index, other);
                self.overlaps.entry(other).or_insert(index);
            }
            if furthest.is_none_or(|(_, other_end)| end > other_end) {
                furthest = Some((index, end));
            }
        }
    }

    /// Returns the path of the archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all files with their sizes in bytes, sorted by name. Names are in lower case with `/`.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.records.iter().map(|record| (self.name(record), record.size))
    }

    /// Returns the names that the index repeats. The last entry of each name counts.
    pub fn duplicates(&self) -> &[String] {
        &self.duplicates
    }

    /// True if there is a file with that name.
    pub fn has(&self, name: &str) -> bool {
        game_name(name).is_ok_and(|name| self.find(&name).is_some())
    }

    /// Returns the names of files and folders directly inside a folder, without the folder's own name. `""` is the
    /// root. Names of folders end in `/`.
    pub fn inside(&self, folder: &str) -> Vec<&str> {
        let mut prefix = fold(folder.trim_matches(['/', '\\']));
        if !prefix.is_empty() {
            prefix.push('/');
        }
        let start = self.records.partition_point(|record| self.name(record) < prefix.as_str());
        let below = self.records.iter().skip(start).map_while(|record| self.name(record).strip_prefix(&prefix));
        let mut inside: Vec<&str> = Vec::new();
        for rest in below {
            let name = rest.find('/').map_or(rest, |slash| rest.get(..=slash).unwrap_or(rest));
            if inside.last() != Some(&name) {
                inside.push(name);
            }
        }
        inside
    }

    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the file does not exist, is too large, declares more growth than deflate or the
    /// archive's size allow, shares bytes with another file, is encrypted, uses a method other than deflate, or has a
    /// wrong checksum.
    pub fn read(&self, name: &str, most: u64) -> Result<Vec<u8>, ArchiveError> {
        let refuse = |fault| ArchiveError { archive: self.path.clone(), name: Some(fold(name)), fault };
        let record = self.record(name).map_err(refuse)?;
        let limit = most.min(LARGEST_ENTRY);
        if record.size > limit {
            return Err(refuse(ArchiveFault::TooLarge { size: record.size, limit }));
        }
        let damaged = |why| refuse(ArchiveFault::Damaged(why));
        match (&self.file, record.stored) {
            (ArchiveFile::Zip(file), Stored::Zip(packed)) => {
                if grows(record, MOST_RATIO, FREE_BYTES) {
                    let packed = packed.size();
                    return Err(damaged(format!(
                        "it claims to grow from {packed} to {} bytes, more than deflate can make of them",
                        record.size
                    )));
                }
                let allowed = self.length.saturating_mul(PER_ARCHIVE_BYTE).saturating_add(GROWN_BYTES);
                if self.grown > allowed && grows(record, LARGE_RATIO, 0) {
                    return Err(refuse(ArchiveFault::Growth { unpacked: self.grown, packed: self.length }));
                }
                zip::read(file, packed, record.size).map_err(damaged)
            }
            (ArchiveFile::Pak(file), Stored::Pak { offset }) => {
                pak::read(file, offset, record.size).map_err(|error| refuse(error.into()))
            }
            // An archive contains only entries of its own kind.
            _ => Err(damaged("the archive is of another kind".to_owned())),
        }
    }

    /// Reads at most the first `length` bytes of a file of any size. The rest is not checked.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the file does not exist, shares bytes with another file, is encrypted, uses a method
    /// other than deflate, or is damaged there.
    pub fn read_head(&self, name: &str, length: usize) -> Result<Vec<u8>, ArchiveError> {
        let refuse = |fault| ArchiveError { archive: self.path.clone(), name: Some(fold(name)), fault };
        let record = self.record(name).map_err(refuse)?;
        let length = usize::try_from(record.size).unwrap_or(length).min(length);
        match (&self.file, record.stored) {
            (ArchiveFile::Zip(file), Stored::Zip(packed)) => {
                zip::read_head(file, packed, length).map_err(|why| refuse(ArchiveFault::Damaged(why)))
            }
            (ArchiveFile::Pak(file), Stored::Pak { offset }) => {
                pak::read(file, offset, length as u64).map_err(|error| refuse(error.into()))
            }
            // An archive contains only entries of its own kind.
            _ => Err(refuse(ArchiveFault::Damaged("the archive is of another kind".to_owned()))),
        }
    }

    /// Returns the declared size of a file in bytes. Returns `None` if there is no such file.
    pub fn size_of(&self, name: &str) -> Option<u64> {
        let index = game_name(name).ok().and_then(|name| self.find(&name))?;
        self.records.get(index).map(|record| record.size)
    }

    fn record(&self, name: &str) -> Result<&Record, ArchiveFault> {
        let index = self.find(&game_name(name)?).ok_or(ArchiveFault::Missing)?;
        if let Some(other) = self.overlaps.get(&index).and_then(|&other| self.records.get(other)) {
            return Err(ArchiveFault::Overlap { other: self.name(other).to_owned() });
        }
        self.records.get(index).ok_or(ArchiveFault::Missing)
    }

    fn name(&self, record: &Record) -> &str {
        let start = record.name as usize;
        self.names.get(start..start + record.name_length as usize).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.records.binary_search_by(|record| self.name(record).cmp(name)).ok()
    }
}
