//! Findings page: findings of `validate` for the current files, with links into the view.

use super::{Panel, PanelInput};
use crate::commands::play::window::findings_report::{FindingsReport, parts};
use crate::commands::play::window::request::Command;
use bindpose::diagnostic::Severity;
use bindpose::model::Model;
use bindpose::read::stem_of;
use bindpose::validate::FileReport;
use bindpose::validate::finding::Finding;
use bindpose::validate::profiles::{PROFILES, Profile};
use bindpose::validate::report::Selection;
use bindpose_player::{Change, Player, VertexRef};
use egui::{Color32, RichText, Ui};

/// Largest number of listed locations of one finding.
const MOST_PLACES: usize = 20;
/// Number of locations that are listed initially.
const FIRST_PLACES: usize = 4;
/// Label of the engines that decide by default.
const DEFAULT_PROFILE: &str = "the format's own";

#[derive(Default)]
pub struct FindingsState {
    /// The chosen profile; without a choice, that of the engine whose playback is shown.
    profile: Option<Option<&'static Profile>>,
    has_notes: bool,
}

impl Panel {
    pub(super) fn findings(
        &mut self,
        ui: &mut Ui,
        player: &Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        if input.current.is_sample() {
            ui.label("The bundled sample is not checked. Open a file.");
            return;
        }
        let Some(report) = input.report else {
            ui.label("checking…");
            ui.spinner();
            return;
        };
        let of_engine = || player.engine().and_then(|engine| Some(engine.id?.profile()));
        let profile = self.findings.profile.unwrap_or_else(of_engine);
        self.findings.settings(ui, profile);
        let selection = Selection { profiles: profile.into_iter().collect(), ..Selection::default() };
        let least = if self.findings.has_notes { Severity::Hint } else { Severity::Warning };
        let (mut shown, mut notes, mut leads_nowhere) = (0, 0, false);
        for (number, file) in report.validation.files.iter().enumerate() {
            let judged = profile.and_then(|wanted| file.judgements.iter().find(|known| known.profile == wanted));
            let severity = |finding: &Finding| selection.severity(finding);
            let engines = report.engines(number, profile);
            let findings = file.findings.iter().zip(&*engines);
            let found: Vec<_> = findings.filter_map(|(it, engines)| Some((severity(it)?, it, engines))).collect();
            let all = found.len();
            let findings: Vec<_> = found.into_iter().filter(|&(severity, ..)| severity >= least).collect();
            notes += all - findings.len();
            if findings.is_empty() && judged.is_none() {
                continue;
            }
            ui.separator();
            ui.strong(file.path.file_name().unwrap_or_default().to_string_lossy());
            if let Some(judged) = judged {
                let message = judged.message.as_deref().map_or(String::new(), |message| format!(": {message}"));
                ui.label(format!("{} {}{message}", judged.profile.name, judged.effect.in_words(false)));
            }
            for (severity, finding, engines) in findings {
                shown += 1;
                headline(ui, severity, finding);
                let places = Places { report, number, file, model: player.model() };
                leads_nowhere |= ui.horizontal_wrapped(|ui| places.links(ui, finding, commands)).inner;
                finding.notes.iter().chain(engines).for_each(|note| drop(ui.weak(note)));
                if !finding.code.help.is_empty() {
                    ui.weak(format!("help: {}", finding.help()));
                }
            }
        }
        if shown > 0 {
            ui.separator();
            ui.weak("causes by what you see in the game: docs/troubleshooting.md");
        } else {
            ui.separator();
            ui.label(if notes == 0 { "No findings." } else { "No errors and no warnings." });
        }
        if notes > 0 {
            ui.separator();
            let text = if notes == 1 { "one note".into() } else { format!("{notes} notes") };
            let link = ui.link(format!("{text}; show")).on_hover_text("as `bindpose validate -vv` prints them");
            self.findings.has_notes |= link.clicked();
        }
        if leads_nowhere {
            self.note("the current model does not contain this part of the file".into());
        }
    }
}

impl FindingsState {
    fn settings(&mut self, ui: &mut Ui, profile: Option<&'static Profile>) {
        ui.horizontal_wrapped(|ui| {
            ui.label("engine");
            let name = |profile: Option<&'static Profile>| profile.map_or(DEFAULT_PROFILE, |profile| profile.name);
            let engines = egui::ComboBox::from_id_salt("profile").selected_text(name(profile)).show_ui(ui, |ui| {
                for offered in std::iter::once(None).chain(PROFILES.iter().map(Some)) {
                    if ui.selectable_label(offered == profile, name(offered)).clicked() {
                        self.profile = Some(offered);
                    }
                }
            });
            engines.response.on_hover_text(
                "decides what is an error: by default Doom 3 for MD5 and D3DX 9 for .x, and each finding lists all \
                 affected engines",
            );
            ui.checkbox(&mut self.has_notes, "notes").on_hover_text("show notes, too");
        });
    }
}

fn headline(ui: &mut Ui, severity: Severity, finding: &Finding) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(finding.code.id).color(colour(ui, severity)).monospace())
            .on_hover_text(format!("{}\n\n{}", finding.code.title, finding.code.why));
        let times = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
        ui.label(format!("{}{times}", finding.message));
    });
}

/// Locations of a file's findings, with the model that may show them.
struct Places<'a> {
    report: &'a FindingsReport,
    /// Index of the file in the report.
    number: usize,
    file: &'a FileReport,
    model: &'a Model,
}

impl Places<'_> {
    /// Draws a finding's locations, as links if the model can show them. Returns true after a click on one that it does
    /// not show.
    fn links(&self, ui: &mut Ui, finding: &Finding, commands: &mut Vec<Command>) -> bool {
        let (file, vertices) = (self.file, &self.report.vertices[self.number]);
        let unfolded = ui.id().with((&file.path, finding.code.id, &finding.message));
        let is_unfolded = ui.data(|data| data.get_temp(unfolded).unwrap_or(false));
        let count = finding.places().take(MOST_PLACES).count();
        let listed = if is_unfolded { count } else { count.min(FIRST_PLACES) };
        let mut leads_nowhere = false;
        for place in finding.places().take(listed) {
            let line = self.report.validation.sources.get(file.source).position(place.span.start).line;
            let text = match &place.path {
                Some(path) => format!("{path}, line {line}"),
                None => format!("line {line}"),
            };
            let path = place.path.as_deref().map(|path| vertices.get(path).map_or(path, String::as_str));
            let Some(path) = path.filter(|path| may_be_shown(path)) else {
                ui.weak(text);
                continue;
            };
            // Links contain no line breaks.
            if ui.link(text.replace(' ', "\u{a0}")).on_hover_text("show it in the view").clicked() {
                let changes = changes_to_show(path, &stem_of(&file.path), self.model);
                leads_nowhere |= changes.is_empty();
                commands.extend(changes.into_iter().map(Command::Change));
            }
        }
        if count > listed && ui.link(format!("{} more", count - listed)).clicked() {
            ui.data_mut(|data| data.insert_temp(unfolded, true));
        }
        leads_nowhere
    }
}

/// Returns the colour of findings of a severity.
pub(super) fn colour(ui: &Ui, severity: Severity) -> Color32 {
    match severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        _ => ui.visuals().weak_text_color(),
    }
}

/// True if the names in a path allow a model to show its part.
fn may_be_shown(path: &str) -> bool {
    matches!(
        parts(path)[..],
        [("joint" | "baseframe", _)] | [("frame" | "bounds", _), ..] | [("mesh", _), ("vert" | "tri", _)]
    )
}

/// Returns changes that show the part at a path such as `mesh[0].vert[12]` or `frame[3].joint[7]`; `clip` is the name
/// of the file's clip. Empty if the model does not contain the part.
fn changes_to_show(path: &str, clip: &str, model: &Model) -> Vec<Change> {
    let parts = parts(path);
    let joint = |number: usize| model.skeleton.id(number).map(|joint| Change::SelectJoint(Some(joint)));
    let mut changes = Vec::new();
    match parts[..] {
        [("joint" | "baseframe", number)] => changes.extend(joint(number)),
        [("frame" | "bounds", frame), ref rest @ ..] => {
            if let Some(number) = model.clips.iter().position(|known| known.name == clip) {
                let rate = model.clips[number].frame_rate.unwrap_or(bindpose::play::DEFAULT_FRAME_RATE);
                changes.extend([Change::ShowClip(number), Change::Pause(true), Change::Seek(frame as f64 / rate)]);
            }
            if let [("joint", number), ..] = *rest {
                changes.extend(joint(number));
            }
        }
        [("mesh", mesh), ("vert", vertex)] => {
            let meshes = model.meshes.iter().enumerate().filter(|(_, known)| known.source_mesh == mesh);
            let found = meshes.filter_map(|(number, known)| {
                let vertex = known.source_vertices.iter().position(|&source| source as usize == vertex)?;
                Some(VertexRef { mesh: number, vertex })
            });
            changes.extend(found.map(Change::SelectVertex).take(1));
        }
        [("mesh", mesh), ("tri", triangle)] => {
            let number = model.meshes.iter().position(|known| known.source_mesh == mesh);
            let corner = number.and_then(|number| Some((number, model.meshes[number].triangles.get(triangle)?[0])));
            changes
                .extend(corner.map(|(mesh, vertex)| Change::SelectVertex(VertexRef { mesh, vertex: vertex as usize })));
        }
        _ => {}
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::model::{Clip, Mesh, Skeleton, Transform};

    #[test]
    fn findings_show_joints_frames_and_vertices() {
        let mut skeleton = Skeleton::new();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        let hand = skeleton.push("hand", Some(root), Transform::IDENTITY);
        // The importer reordered the file's vertices.
        let mesh =
            Mesh { source_mesh: 1, source_vertices: vec![4, 2, 3], triangles: vec![[2, 1, 0]], ..Mesh::default() };
        let clips = vec![Clip { name: "walk".into(), frame_rate: Some(10.0), ..Clip::default() }];
        let model = Model { skeleton, meshes: vec![Mesh::default(), mesh], clips, ..Model::default() };
        let vertex = |vertex| vec![Change::SelectVertex(VertexRef { mesh: 1, vertex })];
        let to_frame = vec![Change::ShowClip(0), Change::Pause(true), Change::Seek(0.3)];
        let selected = Change::SelectJoint(Some(hand));
        assert_eq!(changes_to_show("joint[1]", "walk", &model), std::slice::from_ref(&selected));
        assert_eq!(changes_to_show("bounds[3]", "walk", &model), to_frame);
        assert_eq!(changes_to_show("frame[3].joint[1]", "walk", &model), [to_frame, vec![selected]].concat());
        assert_eq!(changes_to_show("mesh[1].vert[2]", "walk", &model), vertex(1));
        assert_eq!(changes_to_show("mesh[1].tri[0]", "walk", &model), vertex(2));
        for nowhere in ["", "joint[9]", "joint[x]", "mesh[1].vert[9]", "mesh[0]", "key[3]", "joint[", "mesh[9].tri[0]"]
        {
            assert!(changes_to_show(nowhere, "walk", &model).is_empty(), "{nowhere}");
        }
        for (path, expected) in [
            ("joint[9]", true),
            ("baseframe[1]", true),
            ("frame[3].joint[1]", true),
            ("bounds[3]", true),
            ("mesh[1].tri[0]", true),
            ("mesh[0].weight[3]", false),
            ("mesh[0]", false),
            ("key[3]", false),
            ("", false),
        ] {
            assert_eq!(may_be_shown(path), expected, "{path}");
        }
    }
}
