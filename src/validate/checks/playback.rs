//! Comparison of an engine's playback of a clip on its mesh with the files' meaning.

use super::pair::Pair;
use crate::codes::pair;
use crate::finding::Findings;
use bindpose_core::budget::Budget;
use bindpose_core::engines::{Departure, Due, Engine, MEANING, Shown, departures, due_to, size};
use bindpose_core::import::md5::{ImportedMesh, Md5ImportOptions, import_clip};
use bindpose_core::model::Model;

/// Smallest reported distance between an engine's frame and the files' meaning, as a fraction of the model's diagonal.
const PICTURE: f64 = 0.01;

/// Bytes charged to the budget for placing one vertex by one weight twice.
const STEP: usize = 2 * size_of::<f64>();

/// Compares every frame of a clip, and the times half way between frames. `left_out` is the engine's message if it
/// ignores the clip. A lack of memory is reported instead.
pub fn check(pair: &Pair, engine: &'static Engine, left_out: Option<String>, budget: &Budget, findings: &mut Findings) {
    let Some(imported) = pair.model else { return };
    let ImportedMesh { model, joints, .. } = imported;
    let influences: usize = model.meshes.iter().map(|mesh| mesh.influences.len()).sum();
    let frames = pair.anim.frames.len();
    let (steps, places) = ((influences as u64, "weights"), (2 * frames as u64, "frames and halves"));
    let span = pair.anim.num_frames.span;
    if !super::can_follow(budget, steps, places, STEP, span, "what the engine shows is", findings) {
        return;
    }
    let meant = import_clip(pair.anim, "", &model.skeleton, joints, &Md5ImportOptions::default(), budget);
    let Some(meant) = meant.ok().and_then(|imported| imported.clip) else { return };
    let farthest = |engine: &Engine, moments: &[f64]| {
        let held = if left_out.is_some() {
            engine.hold_bind_pose(pair.anim, "", &model.skeleton)
        } else {
            engine.hold_clip(pair.anim, "", None, &model.skeleton, joints, budget).ok()?
        };
        let mut meshes = model.meshes.clone();
        engine.hold_meshes(&mut meshes);
        let of_engine = Model { skeleton: engine.hold_skeleton(&model.skeleton), meshes, ..Model::default() };
        let mut of_files = Shown::new(model, &meant, None).ok()?;
        let mut of_engine = Shown::new(&of_engine, &held, Some(engine)).ok()?;
        let found = departures(&mut of_files, &mut of_engine, moments.iter().copied()).into_iter();
        found.reduce(|most, next| if next.distance > most.distance { next } else { most })
    };
    let moments: Vec<f64> = (0..=2 * frames.saturating_sub(1)).map(|half| half as f64 / 2.0).collect();
    let Some(worst) = farthest(engine, &moments) else { return };
    let size = size(&model.meshes);
    let share = worst.distance / size;
    if share > PICTURE {
        let left = |changed: &Engine| farthest(changed, &[worst.frame]).map(|left| left.distance).ok_or(());
        let due = due_to(engine, &MEANING, worst.distance, left).ok().flatten();
        let due = due.map(|Due { rule, left }| {
            format!(
                "most of it comes from {}. {}: {}. What the files mean: {}. If both did the same, {:.1} % would be \
                 left",
                rule.subject(),
                engine.title(),
                engine.rule(rule),
                MEANING.rule(rule),
                100.0 * left / size
            )
        });
        let note = left_out.as_ref().map(|words| {
            let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
            format!("{} does not take the clip{words}, and shows the bind pose instead", engine.title())
        });
        tell(pair, worst, share, note.or(due), engine, findings);
    }
}

/// Quotes a path for a shell, if necessary.
fn shell_word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:+,@%".contains(c);
    if path.chars().all(is_plain) && !path.starts_with('-') {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

fn tell(pair: &Pair, worst: Departure, share: f64, note: Option<String>, engine: &Engine, findings: &mut Findings) {
    let Some(ImportedMesh { model, .. }) = pair.model else { return };
    let Departure { frame, mesh, vertex, joint, distance } = worst;
    let at = frame as usize;
    let span = pair.anim.frames.get(at).map_or(pair.anim.num_frames.span, |frame| frame.number.span);
    let path = || Some(format!("frame[{at}]"));
    let joint = joint.map(|joint| model.skeleton[joint].name.as_str());
    let added = findings.add_at(pair::ENGINE_PICTURE, span, path, || {
        let when =
            if frame.fract() == 0.0 { format!("in frame {at}") } else { format!("between frames {at} and {}", at + 1) };
        let number =
            model.meshes.get(mesh).and_then(|mesh| mesh.source_vertices.get(vertex)).copied().unwrap_or_default();
        let moved = joint.map_or(String::new(), |joint| format!(", which '{joint}' moves most,"));
        format!(
            "{} shows vertex {number} of mesh {mesh}{moved} {distance:.3} units from where the files mean it {when}: \
             {:.1} % of the size, {:.0} % pass",
            engine.title(),
            100.0 * share,
            100.0 * PICTURE
        )
    });
    let Some(finding) = added else { return };
    if let Some(joint) = joint {
        finding.value("name", joint).value("n", format!("{:.1}", 100.0 * share));
    }
    if let Some(note) = note {
        finding.note(note);
    }
    let [mesh, clip] = pair.names.map(shell_word);
    finding.note(format!("to see it: bindpose compare {mesh} {clip} --as {} -o out", engine.name()));
}
