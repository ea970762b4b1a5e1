//! Answers of an engine's own loader about files, without our checks and findings.

use super::loaders::{load_anim, load_mesh};
use super::profiles::{Effect, LoaderFamily};
use super::verdict::{File, Outcome, Verdict};
use super::x_loaders::{self, XFile};
use super::{doom3, loaders, quake};
use bindpose_core::diagnostic::Source;
use bindpose_core::engines::{Engine, EngineId, XReading};
use bindpose_core::import::{Contents, Format};

/// True if an engine's loader loads a model with each of its clips, the first of them as the clip of the mesh's name.
///
/// False also if only [`check`](super::check) can tell: the engine's loader is not followed for this format, or what it does
/// depends on files that are not given.
pub fn loads(engine: EngineId, format: Format, model: &Source, clips: &[&Source]) -> bool {
    let passes = |verdict: &Verdict| verdict.outcome.effect() <= Effect::Wrong;
    let (mesh, mut clips) = (nameless(model), clips.iter().map(|clip| nameless(clip)));
    match engine.profile().loader {
        _ if format == Format::X => {
            let file = XFile { name: "", disk: model.file_bytes(), bytes: &model.bytes };
            x_loaders::load(engine, file).is_some_and(|verdict| passes(&verdict))
        }
        LoaderFamily::Quake => {
            passes(&quake::load(engine, mesh, clips.next()).verdict)
                && clips.all(|clip| passes(&quake::load_clip(engine, mesh, clip).verdict))
        }
        LoaderFamily::Doom3 => {
            let mesh = doom3::load(engine, Contents::Model, mesh.bytes);
            let fits = |clip: File| {
                let clip = doom3::load(engine, Contents::Clip, clip.bytes);
                passes(&clip.verdict) && doom3::check_pair(engine, &mesh.joints, &clip.joints, "", "").is_empty()
            };
            passes(&mesh.verdict) && clips.all(fits)
        }
        LoaderFamily::Sequential => {
            let Some(mesh) = load_mesh(engine, mesh).filter(|mesh| passes(&mesh.verdict)) else { return false };
            let on_mesh = |clip| passes(&load_anim(engine, mesh.skeleton.as_ref(), "", clip));
            match clips.len() {
                0 => passes(&loaders::without_clip(engine)),
                // The first clip is read with the mesh, too.
                _ if loaders::loads_clips_alone(engine) => {
                    clips.clone().take(1).all(on_mesh) && clips.all(|clip| passes(&load_anim(engine, None, "", clip)))
                }
                _ => clips.all(on_mesh),
            }
        }
        LoaderFamily::D3dx | LoaderFamily::XFile | LoaderFamily::None => false,
    }
}

fn nameless(file: &Source) -> File<'_> {
    File { bytes: file.file_bytes(), name: "" }
}

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
