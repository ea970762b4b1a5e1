//! Clips that an engine leaves out, as its loader decides it.

use super::loaders::{File, load_anim, load_mesh};
use super::outline::Outline;
use super::profiles::{Loader, Profile};
use super::verdict::Outcome;
use bindpose_core::engines::Engine;

/// In which words of its own an engine leaves a clip out and shows the mesh without it; `None` where it does not: it takes the clip,
/// or nothing of both. For [`LoadOptions::leaves_out`](bindpose_core::load::LoadOptions::leaves_out).
pub fn leaves_out(engine: &Engine, mesh: &[u8], clip: &[u8]) -> Option<String> {
    leaves_out_outlined(engine, &Outline::new(mesh), &Outline::new(clip))
}

/// As [`leaves_out`], of files that are outlined already.
pub(super) fn leaves_out_outlined(engine: &Engine, mesh: &Outline<'_>, clip: &Outline<'_>) -> Option<String> {
    let Loader::Sequential(loader) = Profile::find(engine.name)?.loader else { return None };
    // No name is in what they say of such a clip.
    let [mesh, clip] = [mesh, clip].map(|outline| File { outline, name: "" });
    let loaded = load_mesh(loader, mesh);
    let verdict = load_anim(loader, Some(loaded.skeleton.as_ref()?), mesh.name, clip);
    (verdict.outcome == Outcome::LeavesOut).then(|| verdict.refusal.map_or(String::new(), |refusal| refusal.message))
}
