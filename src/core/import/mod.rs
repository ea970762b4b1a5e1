//! Documents into the one model.
//!
//! The only place that knows the formats' maths conventions; every repair and every disagreement is a [`Warning`].

#[cfg(feature = "gltf")]
pub mod gltf;
pub mod md5;
pub mod shading;
pub mod x;

use crate::budget::{Exceeded, grouped};
use bindpose_parsers::Span;

/// A repair that import made, or a disagreement that it found.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Stable code, as in [`crate::diagnostic::Diagnostic::code`].
    pub code: &'static str,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Where in the file that was imported.
    pub span: Span,
}

/// Why a document became no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct ImportError {
    /// What does not fit.
    pub fault: ImportFault,
    /// Where in the file that was imported.
    pub span: Span,
}

/// What a document asks for that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    /// More memory than there is in the budget.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// More of something than the model can count.
    #[error("{what}; at most {} can be read", grouped(u64::from(u32::MAX)))]
    Count {
        /// What there is too much of, with the number: "4,900,000,000 weights of mesh 3".
        what: String,
    },
}

impl ImportError {
    pub(crate) fn new(fault: impl Into<ImportFault>, span: Span) -> Self {
        Self { fault: fault.into(), span }
    }
}

/// Each of some indices and of `others` once, rising; `others` has none twice. `places` gets the place of each; what else it
/// holds does not matter, so that one table does for many calls, each of which costs what it is given.
fn distinct(others: Vec<u32>, indices: impl Iterator<Item = u32>, places: &mut [u32]) -> Vec<u32> {
    let mut distinct = others;
    // An index is known if the place that it has leads back to it.
    distinct.iter().zip(0..).for_each(|(&index, place)| places[index as usize] = place);
    for index in indices {
        let place = &mut places[index as usize];
        if distinct.get(*place as usize) != Some(&index) {
            *place = distinct.len() as u32;
            distinct.push(index);
        }
    }
    distinct.sort_unstable();
    distinct.iter().zip(0..).for_each(|(&index, place)| places[index as usize] = place);
    distinct
}
