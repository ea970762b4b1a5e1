//! Files: opened, dropped, added, reloaded.

use super::Running;
use crate::commands::play::window::jobs::{Helped, JobResult, Purpose, ReadOptions};
use crate::commands::play::window::open_request::{OpenRequest, is_among};
use crate::commands::play::window::palette::{describe_engine, is_image};
use crate::commands::play::window::panel::Problem;
use crate::commands::play::window::request::Pick;
use crate::commands::play::window::settings::Settings;
use crate::commands::play::window::watch::{Watched, folder_of};
use crate::commands::play::window::{Ended, fonts, save};
use crate::commands::{load_failed, scene};
use bindpose::convert::Helpers;
use bindpose::engines::{Engine, FormatFamily};
use bindpose::import::{Contents, Importer, by_extension};
use bindpose::left_out::LeftOut;
use bindpose::load::LoadError;
use bindpose::model::Model;
use bindpose::pose::RootMotion;
use bindpose::read::stem_of;
use bindpose::render::Error;
use bindpose::validate::draw;
use bindpose::vfs::{Vfs, member::is_archive};
use bindpose_core::pairing::NO_MESH;
use bindpose_player::{Change, MethodChoice, Page, Player, Scene};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

impl Running<'_> {
    /// Shows an empty scene, and the findings on files that cannot be read.
    fn show_failure(&mut self, failure: String) -> Result<(), Ended> {
        let scene = Scene::empty(&self.session.current.name(), self.session.current.files.clone());
        let mut player = self.args.stand_in(self.window.gpu(), scene, self.methods).map_err(Ended::Failed)?;
        player.apply(&Change::Page(Page::Findings));
        self.player = Some(player);
        self.after_open();
        self.panel.trouble(Problem::Files, failure.clone());
        self.session.failure = Some(failure);
        Ok(())
    }

    /// Shows the first scene with the options of the command line.
    pub(super) fn show_first(&mut self, scene: Scene) -> Result<(), Ended> {
        if let Some(file) = self.session.current.files.first().filter(|_| !self.session.starts_at_files) {
            self.panel.browser.go_to(&folder_of(file));
        }
        if let Some(failure) = self.session.failure.take() {
            return self.show_failure(failure);
        }
        let notes = left_out_of(&scene);
        let mut player = self
            .args
            .player(self.window.gpu(), scene, self.methods, &self.session.current.files)
            .map_err(Ended::Failed)?;
        player.state.fade_seconds = self.settings.fade;
        if self.session.starts_at_files {
            player.apply(&Change::Page(Page::Files));
        }
        if !self.args.scene.view.has_axes() {
            known_axes(&self.settings, &mut player, &self.session.current.files);
        }
        self.window.set_title(&player.title(0.0));
        self.player = Some(player);
        self.after_open();
        self.note_first(notes);
        self.note_images();
        Ok(())
    }

    /// Notes images that were not found, with the first paths tried, or are broken.
    fn note_images(&mut self) {
        let Some(player) = &self.player else { return };
        let missing = player.gpu_model.about_images().filter(|about| about.is_missing).map(|about| about.line.clone());
        let broken = player.scene().lost_images().filter(|left| left.reason.code == "IO001");
        let mut notes: Vec<String> = missing.chain(broken.map(ToString::to_string)).collect();
        notes.dedup();
        self.note_first(notes);
    }

    /// Updates what depends on the scene: findings, game, watched files.
    fn after_open(&mut self) {
        self.schedule.drawn_at = Instant::now();
        self.session.report = None;
        self.panel.helpers.report = None;
        if self.background.recording.take().is_some() {
            self.panel
                .note("recording stopped, nothing was written: the files were read again, or others opened".into());
        }
        self.check();
        self.add_font();
        let game = self.player.as_ref().and_then(|player| player.scene().loaded.game.clone());
        if let Some((number, game)) = self.session.game_list.shows(game.as_ref()) {
            self.background.jobs.list(number, game);
        }
        // The sample is embedded, so it is not watched.
        let is_sample = self.session.current.is_sample();
        let own = if is_sample { self.session.current.added.clone() } else { self.files_with_clips(|_| true) };
        let attached = self.session.current.attachments.iter().map(|attachment| attachment.file.clone());
        let on_disk: Vec<PathBuf> = own.into_iter().chain(attached).collect();
        let shaders = self.args.scene.shaders.folder.as_deref();
        let images = self.player.iter().flat_map(|player| player.gpu_model.about_images());
        let images = images.filter_map(|about| about.file.as_deref());
        self.background.changes.watch(Watched::new(&on_disk, game.as_deref(), shaders).with_images(images));
        self.panel.problems.remove(&Problem::Files);
        self.show_notes();
        self.window.request_redraw();
    }

    /// Adds the font that the model's names need.
    fn add_font(&mut self) {
        let paths: Vec<String> = self.all_files().iter().map(|path| path.display().to_string()).collect();
        let model = self.player.iter().map(|player| player.model()).next();
        let names = model.iter().flat_map(|model| {
            let joints = model.skeleton.joints().iter().map(|joint| joint.name.as_str());
            let meshes = model.meshes.iter().map(|mesh| mesh.name.as_str());
            let clips = model.clips.iter().map(|clip| clip.name.as_str());
            joints.chain(meshes).chain(clips).chain(model.materials.iter().map(|material| material.name.as_str()))
        });
        let missing = fonts::add_for(self.gui.context(), names.chain(paths.iter().map(String::as_str)));
        missing.into_iter().for_each(|note| self.panel.note(note.into()));
    }

    /// Returns all files of the current model, including those found next to the given ones.
    fn all_files(&self) -> Vec<PathBuf> {
        self.player.iter().flat_map(|player| player.scene().loaded.files()).map(Path::to_owned).collect()
    }

    /// Validates the current files, at first after the first frame.
    pub(super) fn check(&mut self) {
        if self.schedule.times.is_some() {
            return;
        }
        let number = self.background.checks.begin();
        if !self.session.current.is_sample() {
            // A clip of no mesh would be compared with this one.
            self.background.jobs.check(number, self.files_with_clips(|left| left.reason.code != NO_MESH));
        }
    }

    /// Returns the model's files, and the wanted ones of the clips beside it that are left out.
    fn files_with_clips(&self, wanted: impl Fn(&&LeftOut) -> bool) -> Vec<PathBuf> {
        let left_out = self.player.iter().flat_map(|player| player.left_out()).filter(wanted);
        self.all_files().into_iter().chain(left_out.filter_map(LeftOut::clip_file).map(Path::to_owned)).collect()
    }

    fn changed(&mut self, path: &Path) {
        self.panel.browser.refresh(Some(path));
        self.background.changes.add(path, Instant::now());
    }

    pub(super) fn finished(&mut self, done: JobResult) -> Result<(), Ended> {
        self.window.request_redraw();
        match done {
            JobResult::Changed(path) => self.changed(&path),
            JobResult::Recorded(thread, path, written) => {
                // The result of a recording that was stopped is ignored.
                if self.background.recording.as_ref().is_some_and(|recording| recording.thread() == thread) {
                    self.background.recording = None;
                    self.panel.note(match written {
                        Ok(()) => save::describe("wrote", &path),
                        Err(error) => format!("{error:#}"),
                    });
                }
            }
            JobResult::Converted(report) => self.panel.convert.finish(*report),
            JobResult::Picked(Pick::Open, paths, _) if !paths.is_empty() => {
                self.input.is_picking = false;
                self.input.dropped = paths;
                self.open_dropped();
            }
            JobResult::Picked(pick, paths, open_for) => self.picked(pick, paths, open_for),
            JobResult::Listed(number, models) => {
                self.session.game_list.take(number, models);
                self.open_first_of_game();
            }
            JobResult::Checked(number, report) => {
                if self.background.checks.is(number) {
                    // The view and the Findings page must show the same code.
                    if let (Some(problem), Some(error)) =
                        (self.panel.problems.get_mut(&Problem::Files), report.first_error())
                    {
                        *problem = error;
                    }
                    self.session.report = Some(*report);
                }
            }
            JobResult::Thumbnail(model, scene) => {
                let image = match *scene {
                    Ok(scene) => self
                        .args
                        .thumbnail(self.window.gpu(), scene, self.methods, &model)
                        .map_err(|e| format!("{e:#}")),
                    Err(error) => Err(failure(&error)),
                };
                self.panel.browser.add_thumbnail(self.gui.context(), model, image);
            }
            JobResult::Folder(list) => self.panel.browser.take_list(list),
            // Another request has superseded this one.
            JobResult::Game(number, ..) if !self.background.loading.finish(number) => {}
            JobResult::Game(_, path, Ok(game)) => self.list_game(&path, game),
            JobResult::Game(_, _, Err(error)) => self.panel.trouble(Problem::Opening, error),
            JobResult::Helped(number, _) if !self.background.loading.finish(number) => {}
            JobResult::Helped(_, Ok(helped)) => self.show_helped(*helped),
            JobResult::Helped(_, Err(error)) => self.panel.note(format!("{error:#}")),
            JobResult::Read { number, .. } if !self.background.loading.finish(number) => {}
            JobResult::Read { purpose, request, scene, mut notes, .. } => {
                if let (Ok(scene), Some(_)) = (&*scene, &self.player) {
                    notes.extend(left_out_of(scene));
                }
                self.note_first(notes);
                self.take_read(purpose, request, *scene)?;
            }
        }
        Ok(())
    }

    /// Shows a scene that was read, or the reason why it cannot be read.
    fn take_read(
        &mut self,
        purpose: Purpose,
        request: OpenRequest,
        scene: Result<Scene, LoadError>,
    ) -> Result<(), Ended> {
        match (scene, &self.player) {
            (Err(error), None) => {
                let failure = failure(&error);
                load_failed(error).map_err(Ended::Failed)?;
                self.session.current = request;
                self.show_failure(failure)?;
            }
            (Ok(scene), None) => {
                scene::tell(&scene, self.args.scene.verbose);
                self.session.current = request;
                self.show_first(scene)?;
            }
            // The last valid model stays.
            (Err(error), Some(_)) if purpose == Purpose::Reload => {
                self.panel.trouble(Problem::Files, failure(&error));
                self.check();
            }
            (Err(error), Some(_)) => self.panel.trouble(Problem::Opening, failure(&error)),
            (Ok(scene), Some(_)) => {
                if let Err(error) = self.show_read(purpose, request, scene) {
                    match purpose {
                        Purpose::Reload => self.panel.trouble(Problem::Files, error.to_string()),
                        _ => self.panel.trouble(Problem::Opening, error.to_string()),
                    }
                }
            }
        }
        Ok(())
    }

    /// Shows a scene in place of the current one, or next to it.
    fn show_read(&mut self, purpose: Purpose, request: OpenRequest, scene: Scene) -> Result<(), Error> {
        let files = self.all_files();
        let Some(player) = &mut self.player else { return Ok(()) };
        let before = Arc::clone(player.model());
        match purpose {
            Purpose::Beside => return player.set_other(scene),
            Purpose::Dropped if scene.loaded.model.meshes.is_empty() && !before.meshes.is_empty() => {
                // A .x file may be a model or a clip.
                self.add(request.files);
                return Ok(());
            }
            _ if matches!(purpose, Purpose::Open | Purpose::Dropped) || self.session.failure.is_some() => {
                self.open_instead(scene, request);
                return Ok(());
            }
            Purpose::Open | Purpose::Dropped | Purpose::Game => {}
            Purpose::Reload | Purpose::PlayAs | Purpose::Add | Purpose::Attach => player.replace_scene(scene)?,
        }
        match purpose {
            Purpose::Add => {
                show_added(player, &before, &request);
                self.session.current = request;
            }
            Purpose::Attach => self.show_attached(request),
            Purpose::PlayAs => self.plays_as(),
            _ if std::mem::take(&mut self.session.announces_reload) || files != self.all_files() => {
                self.panel.note("reloaded".into());
            }
            _ => {}
        }
        self.after_open();
        Ok(())
    }

    /// Shows the first notes and the number of the others.
    fn note_first(&mut self, mut notes: Vec<String>) {
        /// Largest number of notes.
        const MOST: usize = 3;
        if notes.len() > MOST {
            let more = notes.len() - MOST;
            notes.truncate(MOST);
            notes.push(format!("and {more} more"));
        }
        notes.into_iter().for_each(|note| self.panel.note(note));
    }

    /// Opens a scene in place of the current one. Settings of drawing and playback stay.
    fn open_instead(&mut self, scene: Scene, request: OpenRequest) {
        let opened = self.args.player_of(self.window.gpu(), scene, self.methods, &request.files);
        match opened {
            Ok(mut player) => {
                if let Some(before) = &self.player {
                    player.state.keep_look_of(&before.state, before.model());
                    // A method set by an engine is not the user's choice.
                    if player.engine() == before.engine() {
                        player.apply(&Change::Method(before.state.method));
                    }
                }
                known_axes(&self.settings, &mut player, &request.files);
                self.settings.remember(&request.files);
                let before = self.show_instead(request, player);
                self.note_images();
                if let Some((request, player)) = before
                    && self.session.unsaved_turns(&player) > 0
                {
                    let name = request.name();
                    self.panel.note(format!("{name} was left with rotated joints; ctrl+z shows it again"));
                    self.left = Some((request, player));
                    self.undone = None;
                }
            }
            Err(error) => self.panel.trouble(Problem::Opening, format!("{error:#}")),
        }
    }

    /// Shows another model. Returns the one before.
    fn show_instead(&mut self, request: OpenRequest, player: Player) -> Option<(OpenRequest, Player)> {
        let before = std::mem::replace(&mut self.session.current, request);
        let before = self.player.replace(player).map(|player| (before, player));
        self.session.failure = None;
        self.background.loading.cancel_updates();
        self.after_open();
        before
    }

    /// Shows the model again that was left with rotations, as its files are now. It can be left again.
    pub(super) fn show_left(&mut self) {
        if let Some((request, player)) = self.left.take() {
            self.undone = self.show_instead(request, player);
            self.read_again();
        }
    }

    /// Shows the model again from which an undo came back.
    pub(super) fn leave_again(&mut self) {
        if let Some((request, player)) = self.undone.take() {
            self.left = self.show_instead(request, player);
            self.read_again();
        }
    }

    /// Opens dropped files together, or lists a dropped folder or its game.
    pub(super) fn open_dropped(&mut self) {
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            std::mem::take(&mut self.input.dropped).into_iter().partition(|path| path.is_dir());
        if let Some(folder) = folders.first() {
            self.panel.browser.go_to(folder);
            self.open_game(folder);
            if let Some(player) = &mut self.player {
                player.apply(&Change::Page(Page::Files));
            }
            self.window.request_redraw();
        }
        let (images, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_image(path));
        for image in images {
            let target = self.player.as_ref().and_then(|player| self.panel.image_target(player));
            self.choose_image(target, image);
        }
        if !files.is_empty() {
            // Clips and cameras are added to the current model.
            let is_part = |path: &PathBuf| by_extension(path).is_some_and(|file| !file.is_model());
            let has_joint = self.player.as_ref().is_some_and(|player| player.state.joint.is_some());
            if files.iter().all(is_part) {
                self.add(files);
            } else if let [file] = &files[..]
                && has_joint
                && !is_archive(file)
            {
                self.panel.dropped = Some(file.clone());
                self.window.request_redraw();
            } else {
                self.open(Purpose::Dropped, files.into());
            }
        }
    }

    /// Adds clips or a camera to the current model.
    pub(super) fn add(&mut self, files: Vec<PathBuf>) {
        let all_files = self.all_files();
        let request = self.session.current.with(&all_files, &files);
        match &mut self.player {
            Some(player) if files.iter().all(|file| is_among(file, &all_files)) => {
                let before = Arc::clone(player.model());
                show_added(player, &before, &files.into());
                self.window.request_redraw();
            }
            _ => self.open(Purpose::Add, request),
        }
    }

    /// Reloads changed files and shaders.
    pub(super) fn reload(&mut self) {
        let mut changed = self.background.changes.take(Instant::now());
        if changed.decls {
            self.session.game_list.decls_changed();
        }
        if changed.shaders
            && let Some(player) = &mut self.player
        {
            match player.reload_shaders() {
                Ok(()) => {
                    self.panel.problems.remove(&Problem::Shaders);
                    self.panel.note("shaders reloaded".into());
                    // The shaders may have caused a file to fail.
                    changed.files |= self.panel.problems.contains_key(&Problem::Files);
                }
                // The last valid shaders stay.
                Err(error) => self.panel.trouble(Problem::Shaders, error.to_string()),
            }
            self.window.request_redraw();
        }
        if changed.files {
            self.session.announces_reload |= changed.used;
            // Files of a folder that was replaced may have been written before it was watched.
            self.panel.browser.refresh(None);
            self.read_again();
        }
    }

    /// Reloads the current files. The sample is only reloaded with additions or a game.
    pub(super) fn read_again(&mut self) {
        let OpenRequest { added, attachments, .. } = &self.session.current;
        if !self.session.current.is_sample()
            || !added.is_empty()
            || !attachments.is_empty()
            || self.session.game_list.game().is_some()
        {
            self.open(Purpose::Reload, self.session.current.clone());
        }
    }

    /// Returns the game of the shown model.
    fn shown_game(&self) -> Option<&Arc<Vfs>> {
        self.player.as_ref().and_then(|player| player.scene().loaded.game.as_ref())
    }

    /// Returns the choices for a request. That of the shown model is read from its game, whatever is listed.
    fn read_options(&self, engine: Option<&'static Engine>, request: &OpenRequest) -> ReadOptions {
        let shown = self.shown_game().filter(|_| *request == self.session.current);
        let game = shown.or(self.session.game_list.game()).cloned();
        ReadOptions { ticks_per_second: self.session.ticks_per_second, engine, game }
    }

    /// Opens the first model of the listed game, unless a model of it is shown.
    fn open_first_of_game(&mut self) {
        let list = &self.session.game_list;
        let Some(listed) = list.models().filter(|_| !list.is_of(self.shown_game())) else { return };
        match listed.models.first() {
            Some((subject, _)) => {
                let request = OpenRequest { subject: Some(subject.clone()), ..OpenRequest::default() };
                self.open(Purpose::Open, request);
            }
            None => self.panel.note("there are no MD5 models in it".into()),
        }
    }

    /// Opens an archive, or a folder if it is a game.
    fn open_game(&mut self, path: &Path) {
        self.panel.problems.remove(&Problem::Opening);
        let number = self.background.loading.begin(Purpose::Game, path.display().to_string());
        self.background.jobs.open_game(number, path.to_owned());
        self.window.request_redraw();
    }

    /// Lists the models of a game, if there is one. The first is opened when the list is complete.
    fn list_game(&mut self, path: &Path, game: Option<Vfs>) {
        let Some(game) = game else { return };
        if let Some((number, game)) = self.session.game_list.shows(Some(&Arc::new(game))) {
            self.background.jobs.list(number, game);
        }
        if let Some(player) = &mut self.player {
            player.apply(&Change::Page(Page::Files));
        }
        self.panel.note(format!("the page Files lists the MD5 models of {}", path.display()));
    }

    pub(super) fn open(&mut self, purpose: Purpose, request: OpenRequest) {
        self.panel.problems.remove(&Problem::Opening);
        if let [file] = &request.files[..]
            && is_archive(file)
        {
            return self.open_game(file);
        }
        let shown = self.player.as_ref().and_then(Player::engine);
        let wanted = if self.background.loading.is_reading(Purpose::PlayAs) { self.session.engine } else { shown };
        let plays = |engine: &&'static Engine| {
            let is_its = |file: &Importer| file.format.family() == Some(engine.format());
            request.files.iter().all(|file| by_extension(file).is_some_and(is_its))
        };
        let engine = wanted.filter(plays);
        if let Some(wanted) = wanted.filter(|_| engine.is_none()) {
            let (name, title) = (request.name(), wanted.title());
            let format = if wanted.format() == FormatFamily::X { ".x" } else { "MD5" };
            self.panel.note(format!("{name} is shown as it is: {title} plays {format} files only"));
        }
        let number = self.background.loading.begin(purpose, request.name());
        let options = self.read_options(engine, &request);
        let shown = if purpose == Purpose::Reload { self.all_files() } else { Vec::new() };
        self.background.jobs.read(number, purpose, request, options, shown);
    }

    /// Reads the current files again and plays them as an engine does.
    pub(super) fn play_as(&mut self, engine: Option<&'static Engine>) {
        let Some(player) = &self.player else { return };
        if let Some(reason) = player.why_no_engine() {
            return self.panel.note(reason.into());
        }
        self.session.engine = engine;
        self.read_as(Purpose::PlayAs, engine);
    }

    /// Reads the current files for the right half and plays them as an engine does.
    pub(super) fn beside_as(&mut self, engine: Option<&'static Engine>) {
        let Some(player) = &self.player else { return };
        if let Some(reason) = player.why_no_engine() {
            return self.panel.note(reason.into());
        }
        self.read_as(Purpose::Beside, engine);
    }

    fn read_as(&mut self, purpose: Purpose, engine: Option<&'static Engine>) {
        let number = self.background.loading.begin(purpose, self.session.current.name());
        let options = self.read_options(engine, &self.session.current);
        self.background.jobs.read(number, purpose, self.session.current.clone(), options, Vec::new());
    }

    /// Reads the current files for the right half, with helpers of the selected joint.
    pub(super) fn compare_helpers(&mut self, count: usize) {
        let Some(player) = &self.player else { return };
        let Some(joint) = player.state.joint else { return self.panel.note("select a joint first".into()) };
        let helpers = Helpers { joint: player.model().skeleton[joint].name.clone(), count };
        let number = self.background.loading.begin(Purpose::Beside, helpers.to_string());
        let options = self.read_options(player.engine(), &self.session.current);
        self.background.jobs.read_helped(number, self.session.current.clone(), options, helpers);
    }

    /// Shows a model with helpers in the right half, and their measurement.
    fn show_helped(&mut self, helped: Helped) {
        let Some(player) = &mut self.player else { return };
        match player.set_other(helped.scene) {
            Ok(()) => {
                self.panel.helpers.report = Some(helped.report);
                self.note_first(helped.notes);
                self.change(&Change::Page(Page::Joints));
            }
            Err(error) => self.panel.trouble(Problem::Opening, error.to_string()),
        }
    }

    /// Uses an engine's skinning method, or restores the user's.
    fn plays_as(&mut self) {
        let Some(player) = &mut self.player else { return };
        let (engine, before) = (player.engine(), player.state.method);
        let method = match engine {
            Some(engine) => {
                self.session.method_before.get_or_insert(before);
                MethodChoice::Only(engine.method())
            }
            None => self.session.method_before.take().map_or(MethodChoice::Auto, MethodChoice::Only),
        };
        if let Err(error) = player.choose_method(self.window.gpu(), method) {
            self.panel.note(error.to_string());
        }
        if engine.is_some_and(Engine::flattens) && player.state.playback.root_motion != RootMotion::Keep {
            player.apply(&Change::RootMotion(RootMotion::Keep));
            self.panel.note("root motion is kept: this engine interpolates in model space".into());
        }
        self.panel.note(describe_engine(engine));
    }
}

/// Returns sentences about the clips that are not played, and the other parts that are left out.
fn left_out_of(scene: &Scene) -> Vec<String> {
    let unplayed = scene.loaded.unplayed.iter().map(|clip| clip.sentence.clone());
    unplayed.chain(scene.loaded.left_out.iter().map(ToString::to_string)).collect()
}

/// Turns a model to the axes that are remembered for it, and sets its unit.
fn known_axes(settings: &Settings, player: &mut Player, files: &[PathBuf]) {
    if let Some(([front, up], unit)) = files.first().and_then(|file| settings.axes_of(file)) {
        player.apply(&Change::Axes(front, up));
        player.apply(&Change::Unit(unit));
    }
}

/// Shows the last added file: a camera, a new clip, or the clip with the file's name.
fn show_added(player: &mut Player, before: &Model, request: &OpenRequest) {
    let Some(last) = request.last_file() else { return };
    if by_extension(last).is_some_and(|file| file.contents == Contents::Camera) {
        return player.apply(&Change::LookThrough(true));
    }
    let clips = &player.model().clips;
    let new = clips.iter().rposition(|clip| before.clips.iter().all(|known| known.name != clip.name));
    // The last of several clips with this name.
    let named = || clips.iter().rposition(|clip| clip.name == stem_of(last));
    if let Some(clip) = new.or_else(named) {
        player.apply(&Change::ShowClip(clip));
        player.apply(&Change::Pause(false));
    }
}

/// Formats an error with the source line, if it has one.
pub fn failure(error: &LoadError) -> String {
    match error {
        LoadError::File { sources, diagnostics } => {
            diagnostics.last().map_or_else(|| error.to_string(), |last| draw::text(last, sources).trim_end().to_owned())
        }
        error => error.to_string(),
    }
}
