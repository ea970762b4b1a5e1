//! The files that the page added, and the model that is shown.

use super::show::Shown;
use super::{Answer, Request, sentence};
use bindpose::budget::MemoryLimit;
use bindpose::engines::Engine;
use bindpose::image_search::skin_names;
use bindpose::import::md5::ANIM_FILE;
use bindpose::import::{by_extension, is_model_file};
use bindpose::load::{LoadOptions, Loaded, Subject};
use bindpose::read;
use bindpose::render::{Gpu, RenderTarget};
use bindpose::sample;
use bindpose::validate::{leaves_out, reads_x};
use bindpose::vfs::{Vfs, member};
use bindpose_player::{Attachment, GameModels, Scene, choose_clip};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Largest number of models and clips in an answer.
const MOST_LISTED: usize = 2000;

/// Files in memory, the drawing context, and the model that is shown.
#[derive(Default)]
pub struct Stage {
    gpu: Option<Gpu>,
    shown: Option<Shown>,
    /// Game of the model that was opened last.
    game: Option<Arc<Vfs>>,
}

impl Stage {
    /// Adds a file: `path`, `modified` in milliseconds since 1970, and its bytes.
    pub fn put(&mut self, request: &Request<'_>, bytes: Vec<u8>) -> Answer {
        let modified = Duration::try_from_secs_f64(request.optional_number("modified").unwrap_or(0.0) / 1000.0);
        put(Path::new(request.text("path")?), bytes, modified.unwrap_or_default());
        Ok((json!({}), Vec::new()))
    }

    /// Removes all files. The model is still shown.
    pub fn clear(&mut self) -> Answer {
        self.game = None;
        forget();
        Ok((json!({}), Vec::new()))
    }

    /// Adds the files of the bundled sample.
    pub fn put_sample(&mut self) -> Answer {
        let files = sample::files();
        let paths: Vec<_> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        for (path, bytes) in files.into_iter().chain(sample::images().map(|(name, bytes)| (name.into(), bytes))) {
            put(&path, bytes, Duration::ZERO);
        }
        Ok((json!({ "paths": paths }), Vec::new()))
    }

    /// Lists models and clips among the files, including those in archives.
    pub fn files(&mut self) -> Answer {
        let members = |path: PathBuf| match member::is_archive(&path).then(|| bindpose::vfs::open(&path).ok()).flatten()
        {
            Some(archive) => archive.files().map(|(name, _)| member::join(&path, name)).collect(),
            None => vec![path],
        };
        let all: Vec<PathBuf> = read::below(Path::new(""), |_| true).0.into_iter().flat_map(members).collect();
        let list = |is_wanted: fn(&Path) -> bool| {
            let wanted = all.iter().filter(|path| is_wanted(path));
            let mut names: Vec<String> = wanted.map(|path| path.display().to_string()).collect();
            names.sort();
            let count = names.len();
            names.truncate(MOST_LISTED);
            (names, count)
        };
        let (models, all_models) = list(is_model_file);
        let (clips, all_clips) = list(|path| by_extension(path) == Some(&ANIM_FILE));
        let others = all.len() - all_models - all_clips;
        let listed = json!({ "models": models, "clips": clips, "others": others, "all_models": all_models, "all_clips": all_clips });
        Ok((listed, Vec::new()))
    }

    /// Returns the model that a request names: `files`, or an `entity` or a `declared` model of the open game, with a
    /// `skin`.
    pub fn source(&self, request: &Request<'_>) -> (Vec<PathBuf>, LoadOptions) {
        let mut options = LoadOptions::with_clips();
        let text = |key| request.optional_text(key).map(str::to_owned);
        options.game.subject = text("entity").map(Subject::Entity).or_else(|| text("declared").map(Subject::Model));
        options.game.skin = text("skin");
        if options.game.subject.is_some() {
            options.game.files = self.game.clone();
            return (Vec::new(), options);
        }
        (request.texts("files").into_iter().map(PathBuf::from).collect(), options)
    }

    /// Lists the models and skins that the game declares.
    fn list_game(&mut self, game: Option<&Arc<Vfs>>) -> (Value, Vec<String>) {
        self.game = game.cloned();
        let GameModels { mut models, skins } =
            self.game.clone().map(|game| GameModels::of(game, MemoryLimit::default())).unwrap_or_default();
        models.truncate(MOST_LISTED);
        let models = models.into_iter().map(|(subject, label)| match subject {
            Subject::Entity(name) => json!({ "key": "entity", "name": name, "label": label }),
            Subject::Model(name) => json!({ "key": "declared", "name": name, "label": label }),
        });
        (models.collect(), skins)
    }

    /// Loads a model and shows it with `clip`, by `method`, and as `engine` plays it if one is named. With `keep`,
    /// clip, time and camera are kept if the new model has them. `attach` lists models on its joints, as
    /// `JOINT=FILE[,CLIP][@X,Y,Z[,RX,RY,RZ]]`. Without `draw`, the model is only described.
    pub fn open(&mut self, request: &Request<'_>) -> Answer {
        let (files, mut options) = self.source(request);
        if let Some(name) = request.optional_text("engine") {
            options.playback.engine = Some(Engine::find(name).map_err(sentence)?);
            options.playback.leaves_out = Some(leaves_out);
            options.playback.reads_x = Some(reads_x);
        }
        let attachments: Result<Vec<Attachment>, _> = request.texts("attach").into_iter().map(str::parse).collect();
        let mut scene = Scene::load(&files, options.clone()).map_err(sentence)?;
        scene.attach(&attachments.map_err(str::to_owned)?, &options).map_err(sentence)?;
        let clip = choose_clip(&scene, &files, request.optional_text("clip")).map_err(sentence)?;
        let Loaded { sources, diagnostics, .. } = &scene.loaded;
        let warnings: Vec<_> = diagnostics
            .iter()
            .map(|found| {
                let file = found.primary.as_ref().map(|place| sources.path(place.source).display().to_string());
                json!({ "code": found.code, "severity": found.severity, "message": found.message, "file": file })
            })
            .collect();
        let mut about = super::show::describe(&scene);
        let described = about.as_object_mut().ok_or("a description is an object")?;
        described.insert("warnings".into(), Value::Array(warnings));
        described.insert("clip".into(), json!(clip));
        let (models, mut skins) = self.list_game(scene.loaded.game.as_ref());
        let folders = &scene.loaded.directories;
        skins.extend(files.iter().filter(|path| is_model_file(path)).flat_map(|path| skin_names(folders, path)));
        skins.truncate(MOST_LISTED);
        described.insert("models".into(), models);
        described.insert("skins".into(), json!(skins));
        if !request.is("draw") {
            return Ok((about, Vec::new()));
        }
        scene.read_images(Default::default(), &Default::default());
        let gpu = self.gpu()?;
        let method = request.optional_text("method");
        match self.shown.as_mut().filter(|_| request.is("keep")) {
            Some(shown) => shown.replace(scene)?,
            None => self.shown = Some(Shown::new(&gpu, scene, clip, method)?),
        }
        let images = self.shown()?.images();
        described.insert("images".into(), images);
        Ok((about, Vec::new()))
    }

    /// Returns the model on the canvas.
    pub fn shown(&mut self) -> Result<&mut Shown, String> {
        self.shown.as_mut().ok_or_else(|| "no model is shown".to_owned())
    }

    /// Draws the current frame at `width` by `height` as RGBA, top row first.
    pub fn image(&mut self, request: &Request<'_>) -> Answer {
        let [width, height] =
            ["width", "height"].map(|key| request.number(key).map(|side| (side as u32).clamp(1, 4096)));
        let (width, height) = (width?, height?);
        let target = RenderTarget::new(&self.gpu()?, width, height).map_err(sentence)?;
        self.shown()?.draw(&target)?;
        Ok((json!({ "width": width, "height": height }), target.read().into_raw()))
    }

    fn gpu(&mut self) -> Result<Gpu, String> {
        if let Some(gpu) = &self.gpu {
            return Ok(gpu.clone());
        }
        Ok(self.gpu.insert(context()?).clone())
    }
}

#[cfg(target_family = "wasm")]
fn context() -> Result<Gpu, String> {
    // SAFETY: the page's functions behave like OpenGL 2.1, as far as this program calls them.
    unsafe { Gpu::from_functions(super::gl::address) }.map_err(sentence)
}

#[cfg(not(target_family = "wasm"))]
fn context() -> Result<Gpu, String> {
    bindpose::render::headless().map_err(sentence)
}

#[cfg(target_family = "wasm")]
fn put(path: &Path, bytes: Vec<u8>, modified: Duration) {
    bindpose::vfs::disk::memory::put(path, bytes, modified);
}

#[cfg(target_family = "wasm")]
fn forget() {
    bindpose::vfs::disk::memory::clear();
}

/// Does nothing: outside a page there is a disk.
#[cfg(not(target_family = "wasm"))]
fn put(_: &Path, _: Vec<u8>, _: Duration) {}

#[cfg(not(target_family = "wasm"))]
fn forget() {}
