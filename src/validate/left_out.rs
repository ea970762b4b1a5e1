//! Clips that an engine leaves out, as its loader decides it.

use super::loaders::{load_anim, load_mesh};
use super::verdict::{File, Outcome};
use bindpose_core::engines::Engine;

/// In which words of its own an engine leaves a clip out and shows the mesh without it; `None` where it does not: it takes the clip,
/// or nothing of both. For [`PlaybackRequest::leaves_out`](bindpose_core::load::PlaybackRequest::leaves_out).
pub fn leaves_out(engine: &Engine, mesh: &[u8], clip: &[u8]) -> Option<String> {
    // No name is in what they print of such a clip.
    let [mesh, clip] = [mesh, clip].map(|bytes| File { bytes, name: "" });
    let loaded = load_mesh(engine.id?, mesh)?;
    let verdict = load_anim(engine.id?, Some(loaded.skeleton.as_ref()?), mesh.name, clip);
    (verdict.outcome == Outcome::LeavesOut).then(|| verdict.refusal.map_or(String::new(), |refusal| refusal.message))
}
