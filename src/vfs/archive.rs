//! One archive: which files it holds, and their bytes.

use crate::member;
use crate::name::{BadName, fold, game_name};
use crate::{pak, zip};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// More files than this in one archive are a bomb, or a mistake.
pub const MOST_ENTRIES: usize = 200_000;
/// The largest file in an archive that is read, in bytes.
pub const LARGEST_ENTRY: u64 = 512 << 20;
/// Deflate makes a file at most 1032 times smaller.
const MOST_RATIO: u64 = 1100;
/// What a small entry may hold whatever its ratio, in bytes.
const FREE_BYTES: u64 = 64 << 10;

/// Why an archive, or a file in one, cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {fault}", self.path().display())]
pub struct ArchiveError {
    /// The archive.
    pub archive: PathBuf,
    /// The file inside, if it is about one.
    pub name: Option<String>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with an archive, or with a file in one.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The archive's own file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The index, or the file's bytes, are not as they should be, or packed in a way that is not read.
    #[error("{0}")]
    Damaged(String),
    /// No file of that name.
    #[error("the archive has no such file")]
    Missing,
    /// A name that no engine looks for.
    #[error(transparent)]
    BadName(#[from] BadName),
    /// The file has more bytes than may be read.
    #[error("it has {size} bytes, more than the {limit} that are read")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// How many it may have.
        limit: u64,
    },
}

impl ArchiveError {
    /// The archive, or the file inside.
    pub fn path(&self) -> PathBuf {
        self.name.as_ref().map_or_else(|| self.archive.clone(), |name| member::join(&self.archive, name))
    }

    /// Whether there is no such file in an archive that can be read.
    pub fn is_missing(&self) -> bool {
        matches!(self.fault, Fault::Missing | Fault::BadName(_))
    }
}

/// Where an entry's bytes are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stored {
    Zip(zip::Packed),
    Pak { offset: u64 },
}

/// A file of an archive.
#[derive(Debug, Clone, Copy)]
struct Record {
    /// Its name's first byte in [`Archive::names`].
    name: u32,
    name_length: u32,
    size: u64,
    stored: Stored,
}

/// What the readers of formats hand over: the name as written, how many bytes it has and where.
pub(crate) struct Entry {
    pub name: String,
    pub size: u64,
    pub stored: Stored,
}

/// The file behind an archive.
#[derive(Debug)]
pub(crate) enum Reader {
    Zip(zip::Reader),
    Pak(pak::Reader),
}

/// An opened archive: its index, and the file that it is in.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    reader: Reader,
    /// All names in lower case, one behind the other.
    names: String,
    /// By name.
    records: Vec<Record>,
    duplicates: Vec<String>,
}

impl Archive {
    /// Reads the index of a zip file or a `.pak`, told apart by their first bytes.
    ///
    /// # Errors
    ///
    /// [`Fault::Io`] and [`Fault::Damaged`]; more than [`MOST_ENTRIES`] files are damage, too.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let refuse = |fault| ArchiveError { archive: path.to_owned(), name: None, fault };
        let io_error = |error| refuse(Fault::Io(error));
        // Opening a pipe may wait for ever.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(io_error(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")));
        }
        let file = File::open(path).map_err(io_error)?;
        let read = if pak::is_pak(&file).map_err(io_error)? { pak::open(file) } else { zip::open(file) };
        let (reader, entries) = read.map_err(|why| refuse(Fault::Damaged(why.to_string())))?;
        Ok(Self::new(path.to_owned(), reader, entries))
    }

    fn new(path: PathBuf, reader: Reader, mut entries: Vec<Entry>) -> Self {
        for entry in &mut entries {
            entry.name = fold(&entry.name);
        }
        // Entries of one name stay in the order of the archive, of which the last one counts.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let mut archive = Self { path, reader, names: String::new(), records: Vec::new(), duplicates: Vec::new() };
        archive.records.reserve_exact(entries.len());
        let mut entries = entries.into_iter().peekable();
        while let Some(Entry { name, size, stored }) = entries.next() {
            if entries.peek().is_some_and(|next| next.name == name) {
                if archive.duplicates.last() != Some(&name) {
                    archive.duplicates.push(name);
                }
                continue;
            }
            // Names of 4 GiB do not fit any index that was read.
            let (Ok(start), Ok(name_length)) = (u32::try_from(archive.names.len()), u32::try_from(name.len())) else {
                break;
            };
            archive.names.push_str(&name);
            archive.records.push(Record { name: start, name_length, size, stored });
        }
        archive.names.shrink_to_fit();
        archive
    }

    /// Where the archive is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All files with their sizes in bytes, by name; names are in lower case with `/`.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.records.iter().map(|record| (self.name(record), record.size))
    }

    /// Names that stand in the index more than once; the last entry is the one that counts.
    pub fn duplicates(&self) -> &[String] {
        &self.duplicates
    }

    /// Whether there is a file of that name.
    pub fn has(&self, name: &str) -> bool {
        game_name(name).is_ok_and(|name| self.find(&name).is_some())
    }

    /// The names of files and folders right inside a folder, without the folder; `""` is the root. Folders end in `/`.
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

    /// The bytes of a file, of which there may be `most`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`]: no such file, one that is too large or grows more than deflate can make it, one that is
    /// encrypted, packed by another method than deflate, or whose checksum is wrong.
    pub fn read(&self, name: &str, most: u64) -> Result<Vec<u8>, ArchiveError> {
        let refuse = |fault| ArchiveError { archive: self.path.clone(), name: Some(fold(name)), fault };
        let record = self.record(name).map_err(refuse)?;
        let limit = most.min(LARGEST_ENTRY);
        if record.size > limit {
            return Err(refuse(Fault::TooLarge { size: record.size, limit }));
        }
        let damaged = |why| refuse(Fault::Damaged(why));
        match (&self.reader, record.stored) {
            (Reader::Zip(reader), Stored::Zip(packed)) => {
                if record.size > packed.size().saturating_mul(MOST_RATIO).saturating_add(FREE_BYTES) {
                    let packed = packed.size();
                    return Err(damaged(format!(
                        "it claims to grow from {packed} to {} bytes, more than deflate can make of them",
                        record.size
                    )));
                }
                zip::read(reader, packed, record.size).map_err(damaged)
            }
            (Reader::Pak(reader), Stored::Pak { offset }) => {
                pak::read(reader, offset, record.size).map_err(|error| refuse(error.into()))
            }
            // An archive's entries are of its own kind.
            _ => Err(damaged("the archive is of another kind".to_owned())),
        }
    }

    /// At most the first `length` bytes of a file, whatever its size; whether the rest is sound is not looked at.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`]: no such file, one that is encrypted or packed by another method than deflate, or damaged there.
    pub fn read_head(&self, name: &str, length: usize) -> Result<Vec<u8>, ArchiveError> {
        let refuse = |fault| ArchiveError { archive: self.path.clone(), name: Some(fold(name)), fault };
        let record = self.record(name).map_err(refuse)?;
        let length = usize::try_from(record.size).unwrap_or(length).min(length);
        match (&self.reader, record.stored) {
            (Reader::Zip(reader), Stored::Zip(packed)) => {
                zip::read_head(reader, packed, length).map_err(|why| refuse(Fault::Damaged(why)))
            }
            (Reader::Pak(reader), Stored::Pak { offset }) => {
                pak::read(reader, offset, length as u64).map_err(|error| refuse(error.into()))
            }
            // An archive's entries are of its own kind.
            _ => Err(refuse(Fault::Damaged("the archive is of another kind".to_owned()))),
        }
    }

    /// How many bytes a file claims to have; `None` where there is no such file.
    pub fn size_of(&self, name: &str) -> Option<u64> {
        self.record(name).ok().map(|record| record.size)
    }

    fn record(&self, name: &str) -> Result<&Record, Fault> {
        self.find(&game_name(name)?).ok_or(Fault::Missing)
    }

    fn name(&self, record: &Record) -> &str {
        let start = record.name as usize;
        self.names.get(start..start + record.name_length as usize).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<&Record> {
        let at = self.records.binary_search_by(|record| self.name(record).cmp(name)).ok()?;
        self.records.get(at)
    }
}
