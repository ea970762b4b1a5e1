//! The page of findings: what `validate` says of the files that are shown, and the way from there into the picture.

use super::{Panel, World};
use crate::commands::play::window::request::Command;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Severity, Source};
use bindpose::load::Format;
use bindpose::model::Model;
use bindpose::player::{Action, Player, VertexRef};
use bindpose::validate::finding::Finding;
use bindpose::validate::inputs::{self, Group};
use bindpose::validate::profiles::{Effect, PROFILES, Profile};
use bindpose::validate::report::{Selection, said_by_engines};

use bindpose::validate::{self, FileReport, Options, Validation};
use bindpose_parsers::{md5, x};
use egui::{Color32, RichText, Ui};
use std::collections::HashMap;
use std::path::PathBuf;

/// Places of one finding that are listed at most.
const MOST_PLACES: usize = 20;
/// And as long as nobody asks for more.
const FIRST_PLACES: usize = 4;
/// Places of a file that are looked up at most.
const MOST_PATHS: usize = 2000;

/// What stands for the engines that decide where none was chosen.
const USUAL: &str = "the format's own";

/// What `validate` said.
pub struct Report {
    validation: Validation,
    /// For paths of weights and of .x faces that of a vertex that they belong to; by number of the file's report.
    vertices: Vec<HashMap<String, String>>,
    /// What engines do that mind, of every finding of every file.
    engines: Vec<Vec<Vec<String>>>,
    /// How many errors the usual profiles find.
    pub errors: usize,
}

impl Report {
    /// Checks files together.
    pub fn of(paths: Vec<PathBuf>, memory: MemoryLimit) -> Self {
        let group = Group { paths, together: true, game: None };
        let options = Options { together: true, memory, ..Options::default() };
        let validation = validate::check(inputs::read(&group, memory), &options);
        let usual = Selection::default();
        let findings = validation.files.iter().flat_map(|file| &file.findings);
        let errors = findings.filter(|finding| usual.severity(finding) == Some(Severity::Error)).count();
        let vertices = validation.files.iter().map(|file| {
            let paths =
                file.findings.iter().flat_map(Finding::places).take(MOST_PATHS).filter_map(|place| place.path.clone());
            vertices_of(validation.sources.get(file.source), paths, memory)
        });
        let vertices = vertices.collect();
        let all = Selection { profiles: PROFILES.iter().collect(), ..Selection::default() };
        let of_file = |file: &FileReport| {
            let engines = |finding: &Finding| said_by_engines(&all, file, finding, Effect::Wrong);
            file.findings.iter().map(engines).collect()
        };
        let engines = validation.files.iter().map(of_file).collect();
        Self { vertices, engines, validation, errors }
    }
}

/// What the page remembers.
#[derive(Default)]
pub struct Memory {
    /// The engine that was chosen here; else the one that is shown decides.
    profile: Option<Option<&'static Profile>>,
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
        let shown = || player.engine().and_then(|engine| Some(engine.id?.profile()));
        let profile = memory.profile.unwrap_or_else(shown);
        ui.horizontal(|ui| {
            ui.label("engine");
            let offered = std::iter::once(None).chain(PROFILES.iter().map(Some));
            let name = profile.map_or(USUAL, |profile| profile.name);
            let engines = egui::ComboBox::from_id_salt("profile").selected_text(name).show_ui(ui, |ui| {
                for offered in offered {
                    let name = offered.map_or(USUAL, |profile| profile.name);
                    if ui.selectable_label(offered == profile, name).clicked() {
                        memory.profile = Some(offered);
                    }
                }
            });
            engines.response.on_hover_text(
                "decides what is an error: the format's own are Doom 3 for MD5 and D3DX 9 for .x; below each finding stand \
                 all engines that go wrong by it",
            );
            ui.checkbox(&mut memory.has_notes, "notes").on_hover_text("also what only informs");
        });
        let selection = Selection { profiles: profile.into_iter().collect(), ..Selection::default() };
        let least = if memory.has_notes { Severity::Hint } else { Severity::Warning };
        let (mut shown, mut leads_nowhere) = (0, false);
        for ((file, vertices), engines) in report.validation.files.iter().zip(&report.vertices).zip(&report.engines) {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let judged = profile.and_then(|wanted| file.judgements.iter().find(|known| known.profile == wanted));
            let findings: Vec<_> = file
                .findings
                .iter()
                .zip(engines)
                .filter_map(|(finding, engines)| {
                    let severity = selection.severity(finding).filter(|&severity| severity >= least)?;
                    Some((severity, finding, engines))
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
            for (severity, finding, engines) in findings {
                shown += 1;
                ui.horizontal_wrapped(|ui| {
                    ui.label(RichText::new(finding.code.id).color(colour(ui, severity)).monospace())
                        .on_hover_text(format!("{}\n\n{}", finding.code.title, finding.code.why));
                    let times = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
                    ui.label(format!("{}{times}", finding.message));
                });
                ui.horizontal_wrapped(|ui| {
                    let unfolded = ui.id().with((&file.path, finding.code.id, &finding.message));
                    let is_unfolded = ui.data(|data| data.get_temp(unfolded).unwrap_or(false));
                    let listed = finding.places().take(MOST_PLACES).count();
                    let listed = if is_unfolded { listed } else { listed.min(FIRST_PLACES) };
                    for place in finding.places().take(listed) {
                        let line = report.validation.sources.get(file.source).position(place.span.start);
                        let text = match &place.path {
                            Some(path) => format!("{path}, line {}", line.line),
                            None => format!("line {}", line.line),
                        };
                        let path = place.path.as_deref().map(|path| vertices.get(path).map_or(path, String::as_str));
                        let Some(path) = path.filter(|path| may_lead(path)) else {
                            ui.weak(text);
                            continue;
                        };
                        // A place stays in one piece.
                        let text = text.replace(' ', "\u{a0}");
                        if ui.link(text).on_hover_text("show it in the picture").clicked() {
                            let clip = bindpose::load::name_of(&file.path);
                            let way = way_to(path, &clip, player.model());
                            leads_nowhere |= way.is_empty();
                            commands.extend(way.into_iter().map(Command::Act));
                        }
                    }
                    let more = finding.places().take(MOST_PLACES).count() - listed;
                    if more > 0 && ui.link(format!("{more} more")).clicked() {
                        ui.data_mut(|data| data.insert_temp(unfolded, true));
                    }
                });
                for note in finding.notes.iter().chain(engines) {
                    ui.weak(note);
                }
                if !finding.code.help.is_empty() {
                    ui.weak(format!("help: {}", finding.help()));
                }
            }
        }
        if shown == 0 {
            ui.separator();
            ui.label(if memory.has_notes { "Nothing was found." } else { "No errors and no warnings." });
        }
        if leads_nowhere {
            self.note("this is no part of the model that is shown".into());
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

/// Names and numbers of a path such as `mesh[0].vert[12]`.
fn parts(path: &str) -> Vec<(&str, usize)> {
    let part = |part: &'_ str| -> Option<(usize, usize)> {
        let open = part.find('[')?;
        Some((open, part[open + 1..].split_once(']')?.0.parse().ok()?))
    };
    path.split('.').filter_map(|text| part(text).map(|(open, number)| (&text[..open], number))).collect()
}

/// The vertices that weights of an `.md5mesh` and faces of a .x file belong to, as paths by their paths.
fn vertices_of(file: &Source, paths: impl Iterator<Item = String>, memory: MemoryLimit) -> HashMap<String, String> {
    let mut paths = paths.filter(|path| matches!(parts(path)[..], [("mesh", _), ("weight" | "face", _)])).peekable();
    if paths.peek().is_none() {
        return HashMap::new();
    }
    match Format::of(&file.path, &file.bytes) {
        Some(Format::Md5Mesh) => {
            let Ok(parsed) = md5::parse_mesh(&file.bytes) else { return HashMap::new() };
            let vertex = |mesh: usize, weight: usize| {
                let has = |vert: &md5::Vert| {
                    weight.checked_sub(vert.first_weight as usize).is_some_and(|at| at < vert.weight_count as usize)
                };
                Some((mesh, parsed.document.meshes.get(mesh)?.verts.iter().position(has)?))
            };
            by_path(paths, vertex)
        }
        Some(Format::X) => {
            let unpacked = x::unpack_within(file.file_bytes(), x::Reading::Lenient, memory.largest_unpacked());
            let Ok(unpacked) = unpacked else { return HashMap::new() };
            let Ok(parsed) = x::parse(&unpacked, x::Reading::Lenient) else { return HashMap::new() };
            let document = parsed.document;
            let vertex = |mesh: usize, face: usize| {
                let corner = *document.meshes.get(mesh)?.faces.get(face).first()?;
                // A model's meshes are numbered by where they are used.
                Some((document.mesh_uses.iter().position(|used| used.mesh == mesh)?, corner as usize))
            };
            by_path(paths, vertex)
        }
        _ => HashMap::new(),
    }
}

fn by_path(
    paths: impl Iterator<Item = String>,
    vertex: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> HashMap<String, String> {
    let found = paths.filter_map(|path| {
        let (mesh, vertex) = match parts(&path)[..] {
            [(_, mesh), (_, number)] => vertex(mesh, number)?,
            _ => return None,
        };
        Some((path, format!("mesh[{mesh}].vert[{vertex}]")))
    });
    found.collect()
}

/// Whether a path is that of something that a model may show, by its names alone; [`way_to`] asks the model.
fn may_lead(path: &str) -> bool {
    matches!(
        parts(path)[..],
        [("joint" | "baseframe", _)] | [("frame" | "bounds", _), ..] | [("mesh", _), ("vert" | "tri", _)]
    )
}

/// How to get to what a finding names, such as `mesh[0].vert[12]` or `frame[3].joint[7]`; `clip` is the name of the
/// file's clip. Empty where there is nothing to be seen.
fn way_to(path: &str, clip: &str, model: &Model) -> Vec<Action> {
    let parts = parts(path);
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
    use bindpose::diagnostic::Sources;
    use bindpose::model::{Clip, Mesh, Skeleton, Transform};

    #[test]
    fn weights_and_faces_lead_to_their_vertices() {
        let memory = MemoryLimit::default();
        let found = |name: &str, text: &str, paths: &[&str]| {
            let mut sources = Sources::default();
            let source = sources.add(name, text.as_bytes().to_vec());
            let found = vertices_of(sources.get(source), paths.iter().map(|&path| path.to_owned()), memory);
            paths.iter().map(|&path| found.get(path).cloned()).collect::<Vec<_>>()
        };
        let vertex = |path: &str| Some(path.to_owned());
        let mesh = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n\
                    mesh {\nshader \"s\"\nnumverts 2\nvert 0 ( 0 0 ) 2 2\nvert 1 ( 0 0 ) 0 2\nnumtris 0\nnumweights 5\n";
        let weights: String = (0..5).map(|weight| format!("weight {weight} 0 0.5 ( 0 0 0 )\n")).collect();
        assert_eq!(
            found(
                "a.md5mesh",
                &format!("{mesh}{weights}}}\n"),
                &["mesh[0].weight[1]", "mesh[0].weight[3]", "mesh[0].weight[4]"]
            ),
            [vertex("mesh[0].vert[1]"), vertex("mesh[0].vert[0]"), None]
        );
        let faces = "xof 0303txt 0032\nMesh { 4; 0;0;0;,1;0;0;,0;1;0;,1;1;0;; 2; 3;0,1,2;,3;3,2,1;; }\n";
        assert_eq!(
            found("a.x", faces, &["mesh[0].face[1]", "mesh[0].face[2]", "mesh[1].face[0]", "joint[0]"]),
            [vertex("mesh[0].vert[3]"), None, None, None]
        );
    }

    #[test]
    fn engines_that_go_wrong_stand_below_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md5mesh");
        let verts = "vert 0 ( 0 0 ) 0 1\nvert 1 ( 0 0 ) 1 1\nvert 2 ( 0 0 ) 2 1\n";
        let weights = "weight 0 0 2.5 ( 0 0 0 )\nweight 1 0 1 ( 1 0 0 )\nweight 2 0 1 ( 0 1 0 )\n";
        let text = format!(
            "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {{\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\n\
             mesh {{\nshader \"s\"\nnumverts 3\n{verts}numtris 1\ntri 0 0 1 2\nnumweights 3\n{weights}}}\n"
        );
        std::fs::write(&path, text).unwrap();
        let report = Report::of(vec![path], MemoryLimit::default());
        let findings = report.validation.files[0].findings.iter().zip(&report.engines[0]);
        let engines: Vec<_> = findings.filter(|(finding, _)| finding.code.name == "weight-sum").collect();
        let [(_, engines)] = engines[..] else { panic!("{engines:?}") };
        // Doom 3 adds up, vkQuake divides by the sum: docs/formats/engines.md.
        let named = |engine: &str| engines.iter().any(|said| said.split([' ', ',']).any(|word| word == engine));
        assert!(named("doom3") && !named("vkquake"), "{engines:?}");
    }

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
            assert_eq!(may_lead(path), expected, "{path}");
        }
    }
}
