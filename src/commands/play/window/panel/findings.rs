//! The page of findings: what `validate` says of the files that are shown, and the way from there into the picture.

use super::{Panel, World};
use crate::commands::play::window::request::Command;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::Severity;
use bindpose::model::Model;
use bindpose::player::{Action, Player, VertexRef};
use bindpose::validate::inputs::{self, Group};
use bindpose::validate::profiles::{PROFILES, Profile};
use bindpose::validate::report::Selection;
use bindpose::validate::{self, Options, Validation};
use egui::{Color32, RichText, Ui};
use std::path::PathBuf;

/// Places of one finding that are listed at most.
const MOST_PLACES: usize = 20;

/// What `validate` said.
pub struct Report {
    validation: Validation,
    /// How many errors the usual profiles find.
    pub errors: usize,
}

impl Report {
    /// Checks files together.
    pub fn of(paths: Vec<PathBuf>, memory: MemoryLimit) -> Self {
        let group = Group { paths, together: true };
        let options = Options { together: true, memory };
        let validation = validate::check(inputs::read(&group, memory), &options);
        let usual = Selection::default();
        let findings = validation.files.iter().flat_map(|file| &file.findings);
        let errors = findings.filter(|finding| usual.severity(finding) == Some(Severity::Error)).count();
        Self { validation, errors }
    }
}

/// What the page remembers.
#[derive(Default)]
pub struct Memory {
    profile: Option<&'static Profile>,
    has_notes: bool,
}

impl Panel {
    pub(super) fn findings_page(
        &mut self,
        ui: &mut Ui,
        player: &Player,
        world: &World<'_>,
        commands: &mut Vec<Command>,
    ) {
        if world.asked.is_sample() {
            ui.label("The bundled sample is not checked. Open a file.");
            return;
        }
        let Some(report) = world.report else {
            ui.label("checking…");
            ui.spinner();
            return;
        };
        let memory = &mut self.findings;
        ui.horizontal(|ui| {
            ui.label("engine");
            let name = memory.profile.map_or("all", |profile| profile.name);
            egui::ComboBox::from_id_salt("profile").selected_text(name).show_ui(ui, |ui| {
                ui.selectable_value(&mut memory.profile, None, "all");
                for profile in &PROFILES {
                    ui.selectable_value(&mut memory.profile, Some(profile), profile.name);
                }
            });
            ui.checkbox(&mut memory.has_notes, "notes").on_hover_text("also what only informs");
        });
        let selection = Selection { profiles: memory.profile.into_iter().collect(), ..Selection::default() };
        let least = if memory.has_notes { Severity::Hint } else { Severity::Warning };
        let mut shown = 0;
        for file in &report.validation.files {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let judged = memory.profile.and_then(|wanted| file.judgements.iter().find(|known| known.profile == wanted));
            let findings: Vec<_> = file
                .findings
                .iter()
                .filter_map(|finding| {
                    Some((selection.severity(finding).filter(|&severity| severity >= least)?, finding))
                })
                .collect();
            if findings.is_empty() && judged.is_none() {
                continue;
            }
            ui.separator();
            ui.strong(&name);
            if let Some(judged) = judged {
                let said = judged.message.as_deref().map_or(String::new(), |message| format!(": {message}"));
                ui.label(format!("{} {}{said}", judged.profile.name, judged.effect.in_words()));
            }
            for (severity, finding) in findings {
                shown += 1;
                ui.horizontal_wrapped(|ui| {
                    ui.label(RichText::new(finding.code.id).color(colour(ui, severity)).monospace())
                        .on_hover_text(finding.code.title);
                    let times = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
                    ui.label(format!("{}{times}", finding.message));
                });
                ui.horizontal_wrapped(|ui| {
                    for place in finding.places().take(MOST_PLACES) {
                        let line = report.validation.sources.get(file.source).position(place.span.start);
                        let text = match &place.path {
                            Some(path) => format!("{path}, line {}", line.line),
                            None => format!("line {}", line.line),
                        };
                        let clip = bindpose::load::name_of(&file.path);
                        let way = place.path.as_deref().map_or(Vec::new(), |path| way_to(path, &clip, player.model()));
                        if way.is_empty() {
                            ui.weak(text);
                        } else if ui.link(text).on_hover_text("show it in the picture").clicked() {
                            commands.extend(way.into_iter().map(Command::Act));
                        }
                    }
                });
                for note in &finding.notes {
                    ui.weak(note);
                }
            }
        }
        if shown == 0 {
            ui.separator();
            ui.label(if memory.has_notes { "Nothing was found." } else { "No errors and no warnings." });
        }
    }
}

fn colour(ui: &Ui, severity: Severity) -> Color32 {
    match severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        _ => ui.visuals().weak_text_color(),
    }
}

/// How to get to what a finding names, such as `mesh[0].vert[12]` or `frame[3].joint[7]`; `clip` is the name of the
/// file's clip. Empty where there is nothing to be seen.
fn way_to(path: &str, clip: &str, model: &Model) -> Vec<Action> {
    let parts: Vec<(&str, usize)> = path
        .split('.')
        .filter_map(|part| {
            let (name, number) = part.split_once('[')?;
            Some((name, number.split_once(']')?.0.parse().ok()?))
        })
        .collect();
    let joint = |number: usize| model.skeleton.id(number).map(|joint| Action::SelectJoint(Some(joint)));
    let mut way = Vec::new();
    match parts[..] {
        [("joint" | "baseframe", number)] => way.extend(joint(number)),
        [("frame" | "bounds", frame), ref rest @ ..] => {
            if let Some(number) = model.clips.iter().position(|known| known.name == clip) {
                let rate = model.clips[number].frame_rate.unwrap_or(bindpose::play::DEFAULT_FRAME_RATE);
                way.extend([Action::ShowClip(number), Action::Pause(true), Action::Seek(frame as f64 / rate)]);
            }
            if let [("joint", number), ..] = *rest {
                way.extend(joint(number));
            }
        }
        [("mesh", mesh), ("vert", vertex)] => {
            let places = model.meshes.iter().enumerate().filter(|(_, known)| known.source_mesh == mesh);
            let found = places.filter_map(|(number, known)| {
                let vertex = known.source_vertices.iter().position(|&source| source as usize == vertex)?;
                Some(VertexRef { mesh: number, vertex })
            });
            way.extend(found.map(Action::SelectVertex).take(1));
        }
        [("mesh", mesh), ("tri", triangle)] => {
            let number = model.meshes.iter().position(|known| known.source_mesh == mesh);
            let corner = number.and_then(|number| Some((number, model.meshes[number].triangles.get(triangle)?[0])));
            way.extend(corner.map(|(mesh, vertex)| Action::SelectVertex(VertexRef { mesh, vertex: vertex as usize })));
        }
        _ => {}
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::model::{Clip, Mesh, Skeleton, Transform};

    #[test]
    fn findings_lead_to_joints_frames_and_vertices() {
        let mut skeleton = Skeleton::new();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        let hand = skeleton.push("hand", Some(root), Transform::IDENTITY);
        // The importer has met the file's vertices in another order.
        let mesh =
            Mesh { source_mesh: 1, source_vertices: vec![4, 2, 3], triangles: vec![[2, 1, 0]], ..Mesh::default() };
        let clips = vec![Clip { name: "walk".into(), frame_rate: Some(10.0), ..Clip::default() }];
        let model = Model { skeleton, meshes: vec![Mesh::default(), mesh], clips, ..Model::default() };
        let vertex = |vertex| vec![Action::SelectVertex(VertexRef { mesh: 1, vertex })];
        let to_frame = vec![Action::ShowClip(0), Action::Pause(true), Action::Seek(0.3)];
        let selected = Action::SelectJoint(Some(hand));
        assert_eq!(way_to("joint[1]", "walk", &model), std::slice::from_ref(&selected));
        assert_eq!(way_to("bounds[3]", "walk", &model), to_frame);
        assert_eq!(way_to("frame[3].joint[1]", "walk", &model), [to_frame, vec![selected]].concat());
        assert_eq!(way_to("mesh[1].vert[2]", "walk", &model), vertex(1));
        assert_eq!(way_to("mesh[1].tri[0]", "walk", &model), vertex(2));
        for nowhere in ["", "joint[9]", "joint[x]", "mesh[1].vert[9]", "mesh[0]", "key[3]", "joint[", "mesh[9].tri[0]"]
        {
            assert!(way_to(nowhere, "walk", &model).is_empty(), "{nowhere}");
        }
    }
}
