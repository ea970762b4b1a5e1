//! What is shown: read, read again, dropped, opened.

use super::Running;
use crate::commands::play::window::Ended;
use crate::commands::play::window::asked::{Asked, is_among};
use crate::commands::play::window::jobs::{Done, How, Purpose};
use crate::commands::play::window::palette::engine_in_words;
use crate::commands::play::window::panel::Trouble;
use crate::commands::play::window::save::wrote;
use crate::commands::play::window::watch::{Watched, folder_of};
use crate::commands::scene;
use bindpose::engines::Engine;
use bindpose::load::{Format, LoadError, name_of};
use bindpose::model::Model;
use bindpose::player::{Action, MethodChoice, Page, Player, Scene};
use bindpose::pose::RootMotion;
use bindpose::validate::draw;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

impl Running<'_> {
    /// Shows the first scene as the command line wants it.
    pub(super) fn show_first(&mut self, scene: &Scene) -> Result<(), Ended> {
        let mut player = self.args.player(self.window.gpu(), scene, &self.asked.files).map_err(Ended::Failed)?;
        player.state.has_panel = self.settings.panel;
        player.state.fade_seconds = self.settings.fade;
        if self.starts_at_files {
            player.apply(&Action::Page(Page::Files));
        }
        self.player = Some(player);
        if let Some(file) = self.asked.files.first().filter(|_| !self.starts_at_files) {
            self.panel.browser.go_to(&folder_of(file));
        }
        self.shown(scene);
        Ok(())
    }

    /// Something new is shown.
    pub(super) fn shown(&mut self, scene: &Scene) {
        self.all_files.clone_from(&scene.files);
        self.drawn_at = Instant::now();
        self.report = None;
        if self.recording.take().is_some() {
            self.panel.note("the recording was stopped: other files are shown".into());
        }
        self.check();
        if let Some((number, game)) = self.listing.shows(scene.game.as_ref()) {
            self.jobs.list(number, game);
        }
        // The sample is part of the program.
        let on_disk = if self.asked.is_sample() { &self.asked.added } else { &self.all_files };
        self.changes.watch(Watched::new(on_disk, scene.game.as_deref(), self.args.scene.shaders.as_deref()));
        self.panel.troubles.remove(&Trouble::Files);
        self.tell_notes();
        self.window.request_redraw();
    }

    /// Lets `validate` see the files as they are now.
    fn check(&mut self) {
        let number = self.checks.begin();
        if !self.asked.is_sample() {
            self.jobs.check(number, self.all_files.clone());
        }
    }

    pub(super) fn finished(&mut self, done: Done) -> Result<(), Ended> {
        self.window.request_redraw();
        match done {
            Done::Changed(path) => self.changes.add(&path, Instant::now()),
            Done::Recorded(thread, path, written) => {
                // One that was stopped has nothing to tell.
                if self.recording.as_ref().is_some_and(|recording| recording.thread() == thread) {
                    self.recording = None;
                    self.panel.note(match written {
                        Ok(()) => wrote(&path),
                        Err(error) => format!("{error:#}"),
                    });
                }
            }
            Done::Listed(number, figures) => self.listing.take(number, figures),
            Done::Checked(number, report) => {
                if self.checks.is(number) {
                    self.report = Some(*report);
                }
            }
            Done::Pictured(model, scene) => {
                // A model that cannot be read or drawn has no picture.
                let picture = scene.as_ref().as_ref().ok();
                let picture = picture.and_then(|read| self.args.thumbnail(self.window.gpu(), &read.scene, &model).ok());
                self.panel.browser.add_thumbnail(self.gui.context(), model, picture.as_ref());
            }
            // Something else was wanted meanwhile.
            Done::Read { number, .. } if !self.loading.finish(number) => {}
            Done::Read { purpose, asked, scene, mut notes, .. } => {
                // What is shown first tells it on standard error.
                if let (Ok(read), Some(_)) = (&*scene, &self.player) {
                    notes.extend(read.scene.left_out.iter().map(|left| left.sentence.clone()));
                }
                self.note_first(notes);
                self.take_read(purpose, asked, *scene)?;
            }
        }
        Ok(())
    }

    /// Shows what was read, or why it cannot be.
    fn take_read(
        &mut self,
        purpose: Purpose,
        asked: Asked,
        scene: Result<scene::ReadScene, LoadError>,
    ) -> Result<(), Ended> {
        match (scene, &mut self.player) {
            (Err(error), None) => {
                // Nothing was shown yet: as on the command line.
                return Err(match scene::tell_failure(error) {
                    Ok(()) => Ended::AtFault,
                    Err(error) => Ended::Failed(error),
                });
            }
            (Ok(read), None) => {
                read.tell(self.args.scene.verbose);
                self.asked = asked;
                self.show_first(&read.scene)?;
            }
            (Err(error), Some(_)) => {
                let text = failure(&error);
                match purpose {
                    // The last good model stays.
                    Purpose::Reload => {
                        self.panel.troubles.insert(Trouble::Files, text);
                        self.check();
                    }
                    Purpose::Open | Purpose::Beside | Purpose::Add | Purpose::Dropped | Purpose::PlayAs => {
                        self.panel.note(text);
                    }
                }
            }
            (Ok(read), Some(player)) => {
                let texels = scene::texels(self.args.scene.half_float);
                let before = Arc::clone(player.model());
                match purpose {
                    Purpose::Reload => match player.replace_scene(&read.scene, texels) {
                        Ok(()) => {
                            self.panel.note("read again".into());
                            self.shown(&read.scene);
                        }
                        Err(error) => {
                            self.panel.troubles.insert(Trouble::Files, error.to_string());
                        }
                    },
                    Purpose::Beside => {
                        if let Err(error) = player.set_other(&read.scene, texels) {
                            self.panel.note(error.to_string());
                        }
                    }
                    // A .x file may be a figure or a clip.
                    Purpose::Dropped if read.scene.model.meshes.is_empty() && !player.model().meshes.is_empty() => {
                        self.add(asked.files);
                    }
                    Purpose::Open | Purpose::Dropped => self.open_instead(&read.scene, asked),
                    Purpose::PlayAs => match player.replace_scene(&read.scene, texels) {
                        Ok(()) => {
                            self.plays_as(read.scene.engine);
                            self.shown(&read.scene);
                        }
                        Err(error) => self.panel.note(error.to_string()),
                    },
                    Purpose::Add => match player.replace_scene(&read.scene, texels) {
                        Ok(()) => {
                            show_added(player, &before, &asked);
                            self.asked = asked;
                            self.shown(&read.scene);
                        }
                        Err(error) => self.panel.note(error.to_string()),
                    },
                }
            }
        }
        Ok(())
    }

    /// Shows the first of some notes, and how many there are more.
    fn note_first(&mut self, mut notes: Vec<String>) {
        /// Notes that are shown of many.
        const MOST: usize = 3;
        if notes.len() > MOST {
            let more = notes.len() - MOST;
            notes.truncate(MOST);
            notes.push(format!("and so {more} more"));
        }
        notes.into_iter().for_each(|note| self.panel.note(note));
    }

    /// Shows other files; what the user chose of the look stays.
    fn open_instead(&mut self, scene: &Scene, asked: Asked) {
        let opened = self.args.player_of(self.window.gpu(), scene, &asked.files);
        match opened {
            Ok(mut player) => {
                if let Some(before) = &self.player {
                    player.state.keep_look_of(&before.state);
                    // That of an engine is no choice of the user's.
                    if player.engine() == before.engine() {
                        player.apply(&Action::Method(before.state.method));
                    }
                }
                self.player = Some(player);
                self.settings.remember(&asked.files);
                self.asked = asked;
                self.loading.shows_others();
                self.shown(scene);
            }
            Err(error) => self.panel.note(format!("{error:#}")),
        }
    }

    /// Shows what was dropped on the window: files together, of a folder what is in it.
    pub(super) fn open_dropped(&mut self) {
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            std::mem::take(&mut self.dropped).into_iter().partition(|path| path.is_dir());
        if let Some(folder) = folders.first() {
            self.panel.browser.go_to(folder);
            if let Some(player) = &mut self.player {
                player.apply(&Action::Page(Page::Files));
            }
            self.window.request_redraw();
        }
        if !files.is_empty() {
            // Clips and cameras belong to the model that is shown.
            let is_part = |path: &PathBuf| Format::of_path(path).is_some_and(|format| !format.is_model());
            if files.iter().all(is_part) {
                self.add(files);
            } else {
                self.open(Purpose::Dropped, files.into());
            }
        }
    }

    /// Adds clips or a camera to what is shown.
    pub(super) fn add(&mut self, files: Vec<PathBuf>) {
        let asked = self.asked.with(&self.all_files, &files);
        match &mut self.player {
            Some(player) if files.iter().all(|file| is_among(file, &self.all_files)) => {
                let before = Arc::clone(player.model());
                show_added(player, &before, &files.into());
                self.window.request_redraw();
            }
            _ => self.open(Purpose::Add, asked),
        }
    }

    /// Reads again what has changed.
    pub(super) fn reload(&mut self) {
        let mut changed = self.changes.take(Instant::now());
        if changed.decls {
            self.listing.decls_changed();
        }
        if changed.shaders
            && let Some(player) = &mut self.player
        {
            match player.reload_shaders() {
                Ok(()) => {
                    self.panel.troubles.remove(&Trouble::Shaders);
                    self.panel.note("shaders read again".into());
                    // It may have been they that a file could not be shown with.
                    changed.files |= self.panel.troubles.contains_key(&Trouble::Files);
                }
                // The last good ones stay.
                Err(error) => drop(self.panel.troubles.insert(Trouble::Shaders, error.to_string())),
            }
            self.window.request_redraw();
        }
        if changed.files {
            self.read_again();
        }
    }

    /// Reads again what is shown; the sample for the game beside it.
    pub(super) fn read_again(&mut self) {
        if !self.asked.is_sample() || !self.asked.added.is_empty() || self.listing.has_game() {
            self.open(Purpose::Reload, self.asked.clone());
        }
    }

    pub(super) fn open(&mut self, purpose: Purpose, asked: Asked) {
        let shown = self.player.as_ref().and_then(Player::engine);
        let wanted = if self.loading.is_reading(Purpose::PlayAs) { self.engine } else { shown };
        let is_md5 = |file: &PathBuf| {
            matches!(Format::of_path(file), Some(Format::Md5Mesh | Format::Md5Anim | Format::Md5Camera))
        };
        let engine = wanted.filter(|_| asked.files.iter().all(is_md5));
        if let Some(wanted) = wanted.filter(|_| engine.is_none()) {
            let (name, title) = (asked.name(), wanted.title());
            self.panel.note(format!("{name} is shown as the file means it: {title} plays MD5 files only"));
        }
        let number = self.loading.begin(purpose, asked.name());
        let how = How { ticks_per_second: self.ticks_per_second, engine, is_judged: false };
        let shown = if purpose == Purpose::Reload { self.all_files.clone() } else { Vec::new() };
        self.jobs.read(number, purpose, asked, how, shown);
    }

    /// Reads what is shown again, as an engine plays it.
    pub(super) fn play_as(&mut self, engine: Option<&'static Engine>) {
        let Some(player) = &self.player else { return };
        if let Some(reason) = player.why_no_engine() {
            return self.panel.note(reason.into());
        }
        self.engine = engine;
        let number = self.loading.begin(Purpose::PlayAs, self.asked.name());
        let how = How { ticks_per_second: self.ticks_per_second, engine, is_judged: false };
        self.jobs.read(number, Purpose::PlayAs, self.asked.clone(), how, Vec::new());
    }

    /// What an engine makes of the files is shown: by its own method.
    fn plays_as(&mut self, engine: Option<&'static Engine>) {
        let Some(player) = &mut self.player else { return };
        let before = player.state.method;
        let method = match engine {
            Some(engine) => {
                self.method_before.get_or_insert(before);
                MethodChoice::Only(engine.method())
            }
            None => self.method_before.take().map_or(MethodChoice::Auto, MethodChoice::Only),
        };
        if let Err(error) = player.choose_method(self.window.gpu(), method) {
            self.panel.note(error.to_string());
        }
        if engine.is_some_and(Engine::flattens) && player.state.playback.root_motion != RootMotion::Keep {
            player.apply(&Action::RootMotion(RootMotion::Keep));
            self.panel.note("root motion is kept: there are no joints under others between frames".into());
        }
        self.panel.note(engine_in_words(engine));
    }
}

/// Shows what was added last: a camera, a clip that was not there before, or the one that the file is called like.
fn show_added(player: &mut Player, before: &Model, asked: &Asked) {
    let Some(last) = asked.last_file() else { return };
    if Format::of_path(last) == Some(Format::Md5Camera) {
        return player.apply(&Action::LookThrough(true));
    }
    let clips = &player.model().clips;
    let new = clips.iter().rposition(|clip| before.clips.iter().all(|known| known.name != clip.name));
    // One that is called like another comes behind it.
    let named = || clips.iter().rposition(|clip| clip.name == name_of(last));
    if let Some(clip) = new.or_else(named) {
        player.apply(&Action::ShowClip(clip));
        player.apply(&Action::Pause(false));
    }
}

/// Why files cannot be shown, with the line that is at fault.
fn failure(error: &LoadError) -> String {
    match error {
        LoadError::File { sources, diagnostics } => {
            diagnostics.last().map_or_else(|| error.to_string(), |last| draw::text(last, sources).trim_end().to_owned())
        }
        error => error.to_string(),
    }
}
