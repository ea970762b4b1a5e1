//! A clip on its mesh as one engine shows it, beside what the files mean.

use super::pair::Pair;
use crate::codes::pair;
use crate::finding::Findings;
use bindpose_core::budget::Budget;
use bindpose_core::engines::{Departure, Engine, Shown, departures, size};
use bindpose_core::import::md5::{ImportedMesh, Options as ImportOptions, import_clip};
use bindpose_core::model::{Clip, Mesh, Model};

/// An engine's picture may be so far from the files' meaning, as a share of the model's diagonal.
const PICTURE: f64 = 0.01;

/// What placing one vertex by one weight twice may cost, bytes of the budget.
const STEP: usize = 2 * size_of::<f64>();

/// Looks at a clip at every frame and half way between; nothing is said where there is not enough memory for the clip.
pub fn check(pair: &Pair, engine: &'static Engine, budget: &Budget, findings: &mut Findings) {
    let Some(imported) = pair.model else { return };
    let ImportedMesh { model, joints, .. } = imported;
    let influences: usize = model.meshes.iter().map(|mesh| mesh.influences.len()).sum();
    let frames = pair.anim.frames.len();
    let (steps, places) = ((influences as u64, "weights"), (2 * frames as u64, "frames and halves"));
    let span = pair.anim.num_frames.span;
    if !super::can_follow(budget, steps, places, STEP, span, "what the engine shows is", findings) {
        return;
    }
    let meant = import_clip(pair.anim, "", &model.skeleton, joints, &ImportOptions::default(), budget);
    let held = engine.hold_clip(pair.anim, "", None, &model.skeleton, joints, budget);
    let (Some(meant), Ok(held)) = (meant.ok().and_then(|imported| imported.clip), held) else { return };
    let mut of_engine =
        Model { skeleton: engine.hold_skeleton(&model.skeleton), meshes: model.meshes.clone(), ..Model::default() };
    of_engine.meshes.iter_mut().for_each(|mesh| engine.hold_mesh(mesh));
    let Some(worst) = worst(model, &meant, &of_engine, &held, engine, frames) else { return };
    let size = size(&model.meshes);
    let share = worst.distance / size;
    if share > PICTURE {
        tell(pair, &model.meshes, worst, share, imported, engine, findings);
    }
}

fn worst(
    model: &Model,
    meant: &Clip,
    of_engine: &Model,
    held: &Clip,
    engine: &Engine,
    frames: usize,
) -> Option<Departure> {
    let mut meant = Shown::new(model, meant, None).ok()?;
    let mut held = Shown::new(of_engine, held, Some(engine)).ok()?;
    let moments = (0..=2 * frames.saturating_sub(1)).map(|half| half as f64 / 2.0);
    let found = departures(&mut meant, &mut held, moments);
    found.into_iter().reduce(|most, next| if next.distance > most.distance { next } else { most })
}

fn tell(
    pair: &Pair,
    meshes: &[Mesh],
    worst: Departure,
    share: f64,
    imported: &ImportedMesh,
    engine: &Engine,
    findings: &mut Findings,
) {
    let Departure { frame, mesh, vertex, joint, distance } = worst;
    let at = frame as usize;
    let span = pair.anim.frames.get(at).map_or(pair.anim.num_frames.span, |frame| frame.number.span);
    let path = || Some(format!("frame[{at}]"));
    let joint = joint.map(|joint| imported.model.skeleton[joint].name.as_str());
    let added = findings.add_at(pair::ENGINE_PICTURE, span, path, || {
        let when =
            if frame.fract() == 0.0 { format!("in frame {at}") } else { format!("between frames {at} and {}", at + 1) };
        let number = meshes.get(mesh).and_then(|mesh| mesh.source_vertices.get(vertex)).copied().unwrap_or_default();
        let moved = joint.map_or(String::new(), |joint| format!(", which '{joint}' moves most,"));
        format!(
            "{} shows vertex {number} of mesh {mesh}{moved} {distance:.3} units from where the files mean it {when}: \
             {:.1} % of the size, {:.0} % pass",
            engine.title,
            100.0 * share,
            100.0 * PICTURE
        )
    });
    if let (Some(finding), Some(joint)) = (added, joint) {
        finding.value("name", joint).value("n", format!("{:.1}", 100.0 * share));
    }
}
