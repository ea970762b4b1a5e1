//! Scenes: a model with its clips, examples, ranges, images and camera animation.

use super::ranges::{self, NamedRange};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::diagnostic::{Diagnostic, Sources};
use bindpose_core::engines::{Engine, FormatFamily, Unplayed};
use bindpose_core::examples;
use bindpose_core::image_search::{ImageChoices, ModelImages};
use bindpose_core::left_out::{LeftOut, Part};
use bindpose_core::load::{self, LoadError, LoadOptions, Loaded};
use bindpose_core::model::{CameraPath, JointId, Model, Skeleton};
use bindpose_core::skin::{Example, Limits};
use bindpose_core::suggest;
#[cfg(feature = "export")]
use bindpose_images::ExportImages;
use bindpose_images::{ReadAhead, TextureFinder};
use bindpose_mannequin as sample;
use bindpose_parsers::decl::FrameCommand;
use bindpose_render::{Bounds, Error, Gpu, GpuModel, ShaderFiles};
use bindpose_vfs::{Vfs, disk};
use glam::DVec3;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model with its clips and the files that belong to it.
pub struct Scene {
    /// The model.
    pub model: Arc<Model>,
    directories: Vec<PathBuf>,
    /// Embedded textures: name and bytes.
    images: Vec<(String, Vec<u8>)>,
    /// Images that are already decoded.
    ahead: ReadAhead,
    /// Example poses for `sjbbe`.
    examples: Vec<Example>,
    /// Named ranges of the clips.
    pub ranges: Vec<NamedRange>,
    /// See [`Loaded::channels`].
    pub channels: Vec<(String, Vec<JointId>)>,
    /// See [`Loaded::frame_commands`].
    pub frame_commands: Vec<(String, Vec<FrameCommand>)>,
    /// All files of the model, including clips found next to it.
    pub files: Vec<PathBuf>,
    /// Bounding boxes of each clip's frames as stored in the file, model space.
    pub file_bounds: Vec<Vec<Bounds>>,
    /// Camera animation loaded with the model.
    pub film: Option<CameraPath>,
    /// Game whose decls define the model's look, or the game that was named.
    pub game: Option<Arc<Vfs>>,
    /// Engine whose playback the model shows.
    pub engine: Option<&'static Engine>,
    /// See [`Loaded::ticks_per_second`].
    pub ticks_per_second: Option<f64>,
    /// See [`Loaded::unplayed`].
    pub unplayed: Vec<Unplayed>,
    /// See [`Loaded::left_out`].
    pub left_out: Vec<LeftOut>,
    /// See [`Loaded::format`].
    pub format: Option<FormatFamily>,
}

impl Scene {
    /// Loads a model with its clips, the examples and ranges next to it, and `options.added`. Without files and without
    /// an entity or model of a game, loads the bundled sample. Surfaces that the game does not draw are dropped. Also
    /// returns the files and their diagnostics.
    ///
    /// # Errors
    ///
    /// [`LoadError`] of any of these files.
    pub fn load(files: &[PathBuf], options: LoadOptions) -> Result<(Self, Sources, Vec<Diagnostic>), LoadError> {
        let options = options.with_all_parts();
        let memory = options.memory;
        let named_game = options.game.files.clone();
        let bundled = files.is_empty() && options.game.subject.is_none();
        let loaded = if bundled { load::load_bytes(sample::files(), &options)? } else { load::load(files, &options)? };
        let read = loaded.inputs().map(|source| loaded.sources.path(source).to_owned()).collect();
        let Loaded { mut model, sources, diagnostics, directories, channels, frame_commands, images, .. } = loaded;
        let Loaded { camera: film, frame_boxes, game, engine, unplayed, left_out, format, ticks_per_second, .. } =
            loaded;
        Arc::make_mut(&mut model).drop_undrawn();
        let mut found = Vec::new();
        for path in files.iter().map(|file| examples::path_beside(file)).filter(|path| disk::is_file(path)) {
            found.extend(examples::read(&path, &model.skeleton, memory)?);
        }
        if bundled {
            found = examples_of_sample(&model.skeleton, &options)?;
        }
        let images = if bundled { sample::images().collect() } else { images };
        let mut named = Vec::new();
        for path in files.iter().map(|file| ranges::path_beside(file)).filter(|path| disk::is_file(path)) {
            named.extend(ranges::read(&path, memory)?);
        }
        let bounds = |[min, max]: [DVec3; 2]| Bounds { min: min.as_vec3(), max: max.as_vec3() };
        let file_bounds = frame_boxes.into_iter().map(|boxes| boxes.into_iter().map(bounds).collect()).collect();
        let scene = Self {
            model,
            directories,
            images,
            ahead: ReadAhead::default(),
            examples: found,
            ranges: named,
            channels,
            frame_commands,
            file_bounds,
            files: read,
            film,
            game: game.or(named_game),
            engine,
            unplayed,
            left_out,
            format,
            ticks_per_second,
        };
        Ok((scene, sources, diagnostics))
    }

    /// Creates a scene without a model, shown while files cannot be read.
    pub fn empty(name: &str, files: Vec<PathBuf>) -> Self {
        Self {
            model: Arc::new(Model { name: name.to_owned(), ..Model::default() }),
            directories: Vec::new(),
            images: Vec::new(),
            ahead: ReadAhead::default(),
            examples: Vec::new(),
            ranges: Vec::new(),
            channels: Vec::new(),
            frame_commands: Vec::new(),
            files,
            file_bounds: Vec::new(),
            film: None,
            game: None,
            engine: None,
            unplayed: Vec::new(),
            left_out: Vec::new(),
            format: None,
            ticks_per_second: None,
        }
    }

    /// Reads the images that [`Scene::gpu_model`] uploads on the current thread, so that the drawing thread does not
    /// have to.
    pub fn read_images(&mut self, memory: MemoryLimit, wanted: &ImageChoices) {
        self.ahead = self.with_textures(memory, wanted, |textures| ReadAhead::of(&self.model, &textures));
    }

    /// Creates the search for the images that an export of the model contains.
    #[cfg(feature = "export")]
    pub fn export_images<'a>(&'a self, wanted: &'a ImageChoices, memory: MemoryLimit) -> ExportImages<'a> {
        ExportImages::of_model(&self.model, &self.directories, &self.images, wanted, memory)
    }

    fn with_textures<R>(
        &self,
        memory: MemoryLimit,
        wanted: &ImageChoices,
        work: impl FnOnce(TextureFinder<'_>) -> R,
    ) -> R {
        let images: Vec<(&str, &[u8])> = self.images.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).collect();
        let searched = ModelImages { stem: &self.model.name, folders: &self.directories, choices: wanted };
        work(TextureFinder::new(&self.directories, &images).with_memory(memory).for_drawing().of_model(searched))
    }

    /// Uploads the model with the images that the files name, or with their replacements.
    pub fn gpu_model(
        &self,
        gpu: &Gpu,
        shaders: &ShaderFiles,
        limits: Limits,
        wanted: &ImageChoices,
    ) -> Result<GpuModel, Error> {
        let gpu_model = self.with_textures(shaders.memory, wanted, |textures| {
            GpuModel::new(gpu, Arc::clone(&self.model), &textures.with_read(&self.ahead), shaders, limits)
        })?;
        Ok(gpu_model.with_examples(self.examples.clone()))
    }
}

/// Returns the example poses of the bundled sample.
fn examples_of_sample(skeleton: &Skeleton, options: &LoadOptions) -> Result<Vec<Example>, LoadError> {
    let options = LoadOptions { memory: options.memory, ..LoadOptions::default() };
    let bundled = |mesh: &str| {
        let files = sample::file(mesh).into_iter().map(|bytes| (PathBuf::from(mesh), bytes));
        load::load_bytes(files.collect(), &options)
    };
    let bytes = sample::file(sample::EXAMPLES).unwrap_or_default();
    examples::read_with(Path::new(sample::EXAMPLES), &bytes, skeleton, bundled)
}

/// Names of clips to start with. They show more of a model than its attack or death.
const STARTING_CLIPS: [&str; 4] = ["idle", "stand", "walk", "run"];

/// Largest number of clips that an error lists.
const MOST_NAMES: usize = 50;

/// Chooses the clip to start with: the wanted one by name or by number from 1, otherwise the first. If the clips were
/// found next to a single file, it is the one with the model's name, or an idle clip. Returns `None` without clips.
///
/// # Errors
///
/// [`NoSuchClip`] if no clip has the wanted name or number.
pub fn choose_clip(scene: &Scene, files: &[PathBuf], wanted: Option<&str>) -> Result<Option<usize>, NoSuchClip> {
    choose(&scene.model, files, wanted).map_err(|missing| {
        let is_it = |left: &&LeftOut| left.kind == Part::Clip && left.name.eq_ignore_ascii_case(&missing.wanted);
        NoSuchClip { why: scene.left_out.iter().find(is_it).map(ToString::to_string), ..missing }
    })
}

fn choose(model: &Model, files: &[PathBuf], wanted: Option<&str>) -> Result<Option<usize>, NoSuchClip> {
    let Some(wanted) = wanted else {
        let first = (!model.clips.is_empty()).then_some(0);
        // Files given on the command line, and the bundled sample, start with their first clip.
        if files.len() != 1 {
            return Ok(first);
        }
        let called = |name: &str| model.clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(name));
        let quiet = |name: &&str| {
            // `imp_idle` fits `imp`, and so does the first of `idle1`, `idle2`. `frag_idle` belongs to another model.
            let own = [format!("{}_{name}", model.name), format!("{}-{name}", model.name), format!("{name}1")];
            called(name).or_else(|| own.iter().find_map(|own| called(own)))
        };
        return Ok(called(&model.name).or_else(|| STARTING_CLIPS.iter().find_map(quiet)).or(first));
    };
    let named = model.clips.iter().position(|clip| clip.name == *wanted);
    let folded = || model.clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(wanted));
    let numbered = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&number| number < model.clips.len());
    let found = named.or_else(folded).or_else(numbered);
    match found {
        Some(clip) => Ok(Some(clip)),
        None => Err(NoSuchClip {
            wanted: wanted.to_owned(),
            names: model.clips.iter().map(|clip| clip.name.clone()).collect(),
            why: None,
        }),
    }
}

/// No clip has the wanted name or number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct NoSuchClip {
    /// The wanted name or number.
    pub wanted: String,
    /// Names of the existing clips.
    pub names: Vec<String>,
    /// Sentence that says why the clip was left out, if it was.
    pub why: Option<String>,
}

impl fmt::Display for NoSuchClip {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.why {
            return out.write_str(why);
        }
        let is_number = !self.wanted.is_empty() && self.wanted.bytes().all(|byte| byte.is_ascii_digit());
        match self.wanted.as_str() {
            number if is_number => write!(out, "there is no clip {number}")?,
            name => write!(out, "no clip is called '{name}'")?,
        }
        let near = suggest::nearest(&self.wanted, self.names.iter().map(String::as_str)).filter(|_| !is_number);
        match (self.names.len(), near) {
            (0, _) => write!(out, ": the model has none"),
            (1, _) => write!(out, "; there is one clip: {}", self.names[0]),
            (count, _) if is_number => write!(out, "; they are numbered from 1 to {count}"),
            (_, Some(near)) => write!(out, "; did you mean '{near}'?"),
            (count, None) => {
                write!(out, "; there are {}", self.names[..count.min(MOST_NAMES)].join(", "))?;
                match count.saturating_sub(MOST_NAMES) {
                    0 => Ok(()),
                    left => write!(out, " and {left} more"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::Clip;

    #[test]
    fn the_bundled_sample_has_its_examples() {
        let (Scene { model, examples, .. }, ..) = Scene::load(&[], LoadOptions::default()).unwrap();
        let joints: Vec<&str> = examples.iter().map(|example| model.skeleton[example.joint].name.as_str()).collect();
        assert_eq!(joints, ["upperarm_l", "forearm_l", "upperarm_r", "forearm_r"]);
        let vertices: usize = model.meshes.iter().map(|mesh| mesh.vertex_count()).sum();
        for example in &examples {
            let shape: usize = example.meshes.iter().map(|mesh| mesh.positions.len()).sum();
            assert_eq!(shape, vertices, "{}", example.name);
        }
    }

    #[test]
    fn the_first_clip_is_an_idle_one_of_the_model_itself() {
        let cases: [(&str, &[&str], usize); 7] = [
            ("imp", &["attack", "imp", "idle"], 1),
            ("imp", &["attack", "Idle"], 1),
            ("imp", &["frag_idle", "run"], 1),
            ("imp", &["frag_idle", "imp_walk", "pain"], 1),
            ("imp", &["attack", "idle2", "idle1"], 2),
            ("imp", &["frag_idle", "pain"], 0),
            ("imp", &["walk", "stand"], 1),
        ];
        for (name, clips, chosen) in cases {
            let clips = clips.iter().map(|&name| Clip { name: name.into(), ..Clip::default() }).collect();
            let model = Model { name: name.into(), clips, ..Model::default() };
            let file = [PathBuf::from("imp.md5mesh")];
            assert_eq!(choose(&model, &file, None), Ok(Some(chosen)), "{:?}", model.clips);
            let named = [file[0].clone(), PathBuf::from("a.md5anim")];
            assert_eq!(choose(&model, &named, None), Ok(Some(0)), "files given by name go first");
        }
        assert_eq!(choose(&Model::default(), &[], None), Ok(None));
    }
}
