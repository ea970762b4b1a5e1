//! Luanti's and Irrlicht's loader (`CXMeshFileLoader`).

use super::XFile;
use crate::verdict::Verdict;
use bindpose_core::engines::EngineId;

/// Follows the loader through a file.
pub(super) fn load(_engine: EngineId, _file: XFile) -> Verdict {
    Verdict::loads()
}
