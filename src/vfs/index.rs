//! Index of an archive of either kind.

/// Maximum number of files in one archive. Larger archives are attacks or mistakes.
pub(crate) const MOST_ENTRIES: usize = 200_000;

/// File in an index: the name as written, the unpacked size in bytes and the position of the bytes.
pub(crate) struct Entry<S> {
    pub name: String,
    pub size: u64,
    pub stored: S,
}

/// Reason for refusing an index.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    #[error("it has no index at its end: it is cut off, or no zip file")]
    NoEnd,
    #[error("its index is damaged after {read} of {announced} files: {error}")]
    Damaged { read: usize, announced: u64, error: rawzip::Error },
    #[error("it has more than {MOST_ENTRIES} files")]
    TooMany,
    #[error("{0}")]
    Other(String),
}
