//! Clips and parts of `.x` files that an engine ignores, according to its loader.

use super::loaders::{load_anim, load_mesh};
use super::verdict::{File, Outcome};
use super::x_loaders::{self, XFile};
use bindpose_core::engines::{Engine, XReading};

/// Returns the engine's message if it ignores a clip and shows the mesh without it. `None` if it loads the clip, or
/// neither file. For [`PlaybackRequest::leaves_out`](bindpose_core::load::PlaybackRequest::leaves_out).
pub fn leaves_out(engine: &Engine, mesh: &[u8], clip: &[u8]) -> Option<String> {
    // The messages about such a clip contain no file name.
    let [mesh, clip] = [mesh, clip].map(|bytes| File { bytes, name: "" });
    let loaded = load_mesh(engine.id?, mesh)?;
    let verdict = load_anim(engine.id?, Some(loaded.skeleton.as_ref()?), mesh.name, clip);
    (verdict.outcome == Outcome::LeavesOut).then(|| verdict.refusal.map_or(String::new(), |refusal| refusal.message))
}

/// Returns the parts of a `.x` file that an engine reads, given its bytes on disk and uncompressed. For
/// [`PlaybackRequest::reads_x`](bindpose_core::load::PlaybackRequest::reads_x).
pub fn reads_x(engine: &Engine, disk: &[u8], bytes: &[u8]) -> XReading {
    let verdict = engine.id.and_then(|id| x_loaders::load(id, XFile { name: "", disk, bytes }));
    verdict.map_or_else(XReading::default, |verdict| verdict.reading)
}
