//! The form for conversions of the open model: `bindpose convert` with a few of its options.

use super::{PanelInput, ask_if, button, choose};
use crate::commands::convert::FormReport;
use crate::commands::play::window::request::{Command, Request};
use bindpose::convert::Format;
use bindpose::load::Subject;
use bindpose::validate::profiles::{PROFILES, Profile};
use bindpose_player::Player;
use egui::{Context, Grid, Key, Modifiers, RichText, ScrollArea, TextEdit, Ui};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// State of the form.
pub struct ConvertForm {
    /// File of the model for which the fields below were filled in.
    file: PathBuf,
    pub is_open: bool,
    /// True if enter was pressed outside of the form's fields.
    pub is_entered: bool,
    target: Format,
    /// Engine that will load the result.
    profile: Option<&'static Profile>,
    clips: Clips,
    /// File to write as typed; empty for the model's name in its folder.
    output: String,
    is_forced: bool,
    is_running: bool,
    /// File of the model that is converted, or was last.
    converted: PathBuf,
    /// Report of the last conversion, or its error.
    report: Option<Result<FormReport, String>>,
}

/// Clips to write.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Clips {
    All,
    Shown,
    None,
}

impl Default for ConvertForm {
    fn default() -> Self {
        Self {
            file: PathBuf::new(),
            is_open: false,
            is_entered: false,
            target: Format::Glb,
            profile: None,
            clips: Clips::All,
            output: String::new(),
            is_forced: false,
            is_running: false,
            converted: PathBuf::new(),
            report: None,
        }
    }
}

impl ConvertForm {
    /// Takes the result of the conversion.
    pub fn finish(&mut self, report: anyhow::Result<FormReport>) {
        self.is_running = false;
        self.report = Some(report.map_err(|error| format!("{error:#}")));
    }

    /// Returns the file of the model that is being converted.
    pub fn running(&self) -> Option<&Path> {
        self.is_running.then_some(&*self.converted)
    }

    /// Returns the outcome of the last conversion in a word, for tests.
    pub fn outcome(&self) -> &'static str {
        match &self.report {
            None => "none",
            Some(Ok(_)) => "written",
            Some(Err(_)) => "refused",
        }
    }

    pub(super) fn show(&mut self, ctx: &Context, player: &Player, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
        let mut is_open = self.is_open;
        let window = egui::Window::new("Convert").open(&mut is_open).collapsible(false).resizable(false);
        window.default_pos(egui::pos2(24.0, 60.0)).show(ctx, |ui| {
            let Some(file) = input.current.files.first() else {
                let (option, name) = match &input.current.subject {
                    Some(Subject::Entity(name)) => ("--entity", name),
                    Some(Subject::Model(name)) => ("--model", name),
                    None => return drop(ui.label("The sample is no file. Open or drop one.")),
                };
                ui.label("A model of a game is converted by a command:");
                ui.monospace(format!(
                    "bindpose convert --base GAME {option} {name} -o model.{}",
                    self.target.extension()
                ));
                return;
            };
            if self.file != *file {
                // What was typed and permitted for another model is not meant for this one.
                self.file.clone_from(file);
                (self.output, self.is_forced, self.report) = (String::new(), false, None);
            }
            let clip = player.current_clip().map(|clip| clip.name.as_str());
            self.fields(ui, &input.current.files, clip);
            if !player.state.turns.is_empty() {
                ui.label("Joints turned by hand are not written: clips and rest pose are those of the files.");
            }
            ui.separator();
            let arguments = self.arguments(&input.current.files, clip);
            if self.is_running {
                ui.label(format!("converting {}…", self.converted.display()));
            } else {
                let is_entered = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
                let is_asked = button(ui, "convert", "writes the files (enter)") || is_entered || self.is_entered;
                self.is_running = is_asked;
                if is_asked {
                    self.converted.clone_from(file);
                }
                ask_if(is_asked, commands, Request::Convert(arguments));
            }
            let Some(report) = &self.report else { return };
            ui.label(format!("{}:", self.converted.display()));
            let (text, color) = match report {
                Ok(FormReport { text, is_at_fault }) => {
                    if *is_at_fault {
                        let about = "The files are written, but something is at fault: see below.";
                        ui.colored_label(ui.visuals().error_fg_color, about);
                    }
                    (text, ui.visuals().text_color())
                }
                Err(error) => (error, ui.visuals().error_fg_color),
            };
            ScrollArea::both().max_height(240.0).show(ui, |ui| ui.label(RichText::new(text).monospace().color(color)));
        });
        self.is_open &= is_open;
        self.is_entered = false;
    }

    fn fields(&mut self, ui: &mut Ui, files: &[PathBuf], clip: Option<&str>) {
        Grid::new("convert").num_columns(2).spacing([10.0, 6.0]).show(ui, |ui| {
            ui.label("format");
            let about = |format: Format| format!(".{}: {}", format.extension(), format.title());
            if let Some(target) = choose(ui, "format", Format::ALL, self.target, about) {
                self.target = target;
                if !self.output.is_empty() {
                    let renamed = Path::new(&self.output).with_extension(target.extension());
                    self.output = renamed.display().to_string();
                }
            }
            ui.end_row();
            let reads = |profile: &&Profile| self.target.is_read_by(profile);
            let engines: Vec<Option<&Profile>> =
                [None].into_iter().chain(PROFILES.iter().filter(reads).map(Some)).collect();
            self.profile = self.profile.filter(|profile| engines.contains(&Some(profile)));
            if engines.len() > 1 {
                ui.label("for the engine");
                let name = |profile: Option<&Profile>| profile.map_or("any", |profile| profile.title).to_owned();
                self.profile = choose(ui, "engine", engines, self.profile, name).unwrap_or(self.profile);
                ui.end_row();
            }
            if let Some(clip) = clip {
                ui.label("clips");
                let name = |clips| match clips {
                    Clips::All => "all".to_owned(),
                    Clips::Shown => format!("only {clip}"),
                    Clips::None => "none".to_owned(),
                };
                let all = [Clips::All, Clips::Shown, Clips::None];
                self.clips = choose(ui, "clips", all, self.clips, name).unwrap_or(self.clips);
                ui.end_row();
            }
            ui.label("file");
            let usual = self.usual(files).display().to_string();
            ui.add(TextEdit::singleline(&mut self.output).hint_text(usual).desired_width(320.0));
            ui.end_row();
            ui.label("");
            ui.checkbox(&mut self.is_forced, "replace files that exist (--force)");
            ui.end_row();
        });
    }

    /// Returns the file to write if none is typed: beside the model, and none of its own files.
    fn usual(&self, files: &[PathBuf]) -> PathBuf {
        let Some(file) = files.first() else { return PathBuf::new() };
        let usual = file.with_extension(self.target.extension());
        if !files.contains(&usual) {
            return usual;
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        file.with_file_name(format!("{stem}-converted.{}", self.target.extension()))
    }

    /// Returns the arguments of `bindpose convert`.
    fn arguments(&self, files: &[PathBuf], clip: Option<&str>) -> Vec<OsString> {
        let output = if self.output.is_empty() { self.usual(files).into() } else { OsString::from(&self.output) };
        let mut arguments = vec!["--output".into(), output, "--to".into(), self.target.name().into()];
        if let Some(profile) = self.profile {
            arguments.extend(["--profile".into(), profile.name.into()]);
        }
        match (self.clips, clip) {
            (Clips::Shown, Some(clip)) => arguments.push(format!("--clip={clip}").into()),
            (Clips::None, _) => arguments.push("--no-clips".into()),
            (Clips::All | Clips::Shown, _) => {}
        }
        arguments.extend(self.is_forced.then(|| "--force".into()));
        arguments.push("--".into());
        arguments.extend(files.iter().map(|file| file.clone().into()));
        arguments
    }
}
