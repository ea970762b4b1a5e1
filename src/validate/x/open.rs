//! Bytes of a file, with compression undone.

use bindpose_core::budget::MemoryLimit;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Encoding, Fault, Unpacked};
use std::borrow::Cow;

/// Uncompressed bytes, to which spans refer, and the result of reading the header.
pub(crate) struct Opened {
    pub bytes: Vec<u8>,
    pub head: Result<Head, (Fault, Span)>,
}

/// Content of the header.
pub(crate) struct Head {
    pub(super) encoding: Encoding,
    pub(super) version: [u8; 4],
    pub(super) body: usize,
    pub(super) warnings: Vec<x::Warning>,
    /// The file on disk, if it is compressed.
    pub(super) packed: Option<Vec<u8>>,
}

impl Head {
    /// True if the file was compressed.
    pub fn is_unpacked(&self) -> bool {
        self.packed.is_some()
    }
}

/// Reads the header and decompresses the file as loading a model does. A file that cannot be opened keeps its bytes.
pub(crate) fn open(bytes: Vec<u8>, memory: MemoryLimit) -> Opened {
    let head = match memory.unpack(&bytes) {
        Err(error) => Err((error.kind, error.span)),
        Ok(unpacked) => {
            let Unpacked { encoding, version, bytes: inside, body, warnings } = unpacked;
            let mut head = Head { encoding, version, body, warnings, packed: None };
            if let Cow::Owned(inside) = inside {
                head.packed = Some(bytes);
                return Opened { bytes: inside, head: Ok(head) };
            }
            Ok(head)
        }
    };
    Opened { bytes, head }
}
