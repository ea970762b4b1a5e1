//! Scenes: a model with its clips, examples, ranges, images and camera animation, and models on its joints.

pub(super) mod attached;

use super::ranges::{self, NamedRange};
use attached::{AttachedScene, of_attached};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::diagnostic::{Diagnostic, Severity, Sources};
use bindpose_core::examples;
use bindpose_core::image_search::{ImageChoices, ModelImages};
use bindpose_core::left_out::{FoundBy, LeftOut, Part};
use bindpose_core::load::{self, LoadError, LoadOptions, Loaded};
use bindpose_core::model::{Model, Skeleton};
use bindpose_core::skin::{Example, Limits};
use bindpose_core::suggest;
use bindpose_images::{ReadAhead, TextureFinder};
use bindpose_mannequin as sample;
use bindpose_render::{Error, Gpu, GpuModel, ShaderFiles};
use bindpose_vfs::disk;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model with its clips and the files that belong to it.
#[derive(Default)]
pub struct Scene {
    /// The model, and what was loaded with it.
    pub loaded: Loaded,
    /// Images that are already decoded.
    ahead: ReadAhead,
    /// Example poses.
    examples: Vec<Example>,
    /// Named ranges of the clips.
    pub ranges: Vec<NamedRange>,
    /// Models on its joints.
    pub attached: Vec<AttachedScene>,
}

impl Scene {
    /// Loads a model with its clips, the examples and ranges next to it, and `options.added`. Without files and without
    /// an entity or model of a game, loads the bundled sample. Surfaces that the game does not draw are dropped.
    ///
    /// # Errors
    ///
    /// [`LoadError`] of any of these files but ranges and examples, which are left out.
    pub fn load(files: &[PathBuf], options: LoadOptions) -> Result<Self, LoadError> {
        let options = options.with_all_parts();
        let memory = options.memory;
        let bundled = files.is_empty() && options.game.subject.is_none();
        let mut loaded =
            if bundled { load::load_bytes(sample::files(), &options)? } else { load::load(files, &options)? };
        let model = Arc::make_mut(&mut loaded.model);
        model.drop_undrawn();
        let (mut examples, mut ranges) = (Vec::new(), Vec::new());
        for path in files.iter().map(|file| examples::path_beside(file)).filter(|path| disk::is_file(path)) {
            match examples::read(&path, &model.skeleton, memory) {
                Ok(read) => examples.extend(read),
                Err(error) => loaded.left_out.push(lost_file(Part::Example, &path, error)),
            }
        }
        for path in files.iter().map(|file| ranges::path_beside(file)).filter(|path| disk::is_file(path)) {
            match ranges::read(&path, memory) {
                Ok(read) => ranges.extend(read),
                Err(error) => loaded.left_out.push(lost_file(Part::Ranges, &path, error)),
            }
        }
        loaded.game = loaded.game.or_else(|| options.game.files.clone());
        if bundled {
            examples = examples_of_sample(&model.skeleton, &options)?;
            loaded.images = sample::images().collect();
        }
        Ok(Self { loaded, ahead: ReadAhead::default(), examples, ranges, attached: Vec::new() })
    }

    /// Creates a scene without a model, shown while files cannot be read.
    pub fn empty(name: &str, files: Vec<PathBuf>) -> Self {
        let mut scene = Self::default();
        scene.loaded.model = Arc::new(Model { name: name.to_owned(), ..Model::default() });
        for file in files {
            scene.loaded.sources.add(file, Vec::new());
        }
        scene
    }

    /// Frees what was only needed for the diagnostics and for [`Scene::gpu_model`]: bytes of files and images.
    pub(super) fn free_bytes(&mut self) {
        self.loaded.sources.free_bytes();
        (self.loaded.images, self.ahead) = Default::default();
    }

    /// Reads the images that [`Scene::gpu_model`] uploads on the current thread, so that the drawing thread does not
    /// have to.
    pub fn read_images(&mut self, memory: MemoryLimit, wanted: &ImageChoices) {
        self.ahead = self.with_textures(memory, wanted, |textures| ReadAhead::of(&self.loaded.model, &textures));
        self.attached.iter_mut().for_each(|attached| attached.scene.read_images(memory, &of_attached(wanted)));
    }

    fn with_textures<R>(
        &self,
        memory: MemoryLimit,
        wanted: &ImageChoices,
        work: impl FnOnce(TextureFinder<'_>) -> R,
    ) -> R {
        let Loaded { model, directories, images, .. } = &self.loaded;
        let images: Vec<(&str, &[u8])> = images.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).collect();
        let searched = ModelImages { stem: &model.name, folders: directories, choices: wanted };
        work(TextureFinder::new(directories, &images).with_memory(memory).for_drawing().of_model(searched))
    }

    /// Uploads the model with the images that the files name, or with their replacements. Lists those that are missing
    /// or broken in `loaded`.
    pub fn gpu_model(
        &mut self,
        gpu: &Gpu,
        shaders: &ShaderFiles,
        limits: Limits,
        wanted: &ImageChoices,
    ) -> Result<GpuModel, Error> {
        let gpu_model = self.with_textures(shaders.memory, wanted, |textures| {
            GpuModel::new(gpu, Arc::clone(&self.loaded.model), &textures.with_read(&self.ahead), shaders, limits)
        })?;
        self.loaded.left_out.retain(|left| left.found_by != FoundBy::ImageSearch);
        self.loaded.left_out.extend_from_slice(gpu_model.left_out());
        Ok(gpu_model.with_examples(self.examples.clone()))
    }

    /// Returns the images that were missing or broken when the model was uploaded.
    pub fn lost_images(&self) -> impl Iterator<Item = &LeftOut> {
        self.loaded.left_out.iter().filter(|left| left.found_by == FoundBy::ImageSearch)
    }
}

/// Names a file beside the model that cannot be read, with the reason and its place in it.
fn lost_file(part: Part, path: &Path, error: LoadError) -> LeftOut {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let general = |message| Diagnostic { severity: Severity::Error, ..Diagnostic::general("IO001", message) };
    let message = error.to_string();
    let (reason, sources) = match error {
        LoadError::File { sources, mut diagnostics } => (diagnostics.pop(), sources),
        _ => (None, Sources::default()),
    };
    let reason = reason.unwrap_or_else(|| general(message));
    let lost = LeftOut::new(part, name, reason, FoundBy::Importer, &sources);
    // The reason's place is not in the model's sources.
    let reason = Diagnostic { primary: None, secondary: Vec::new(), ..lost.reason };
    LeftOut { reason, ..lost }
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
    choose(&scene.loaded.model, files, wanted).map_err(|missing| {
        let is_it = |left: &&LeftOut| left.kind == Part::Clip && left.name.eq_ignore_ascii_case(&missing.wanted);
        NoSuchClip { why: scene.loaded.left_out.iter().find(is_it).map(ToString::to_string), ..missing }
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
    fn a_model_is_shown_without_examples_and_ranges_that_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("m.x");
        std::fs::write(&model, "xof 0303txt 0032\nFrame a { Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; } }\n")
            .unwrap();
        let example = |joint: &str| {
            format!("[[example]]\njoint = \"{joint}\"\nrotation = [0, 0, 0, 1]\nmesh = \"examples/lost.x\"\n")
        };
        for (joint, code, is_placed) in [("a", "IO001", false), ("b", "EX003", true)] {
            std::fs::write(examples::path_beside(&model), example(joint)).unwrap();
            let Scene { loaded, examples, .. } =
                Scene::load(std::slice::from_ref(&model), LoadOptions::default()).unwrap();
            assert_eq!((loaded.model.meshes.len(), examples.len()), (1, 0));
            let [lost] = &loaded.left_out[..] else { panic!("{:?}", loaded.left_out) };
            assert_eq!((lost.kind, &*lost.name, lost.reason.code), (Part::Example, "m.examples.toml", code));
            assert_eq!((lost.is_fault(), lost.place.is_some()), (true, is_placed));
        }
        std::fs::remove_file(examples::path_beside(&model)).unwrap();
        std::fs::write(ranges::path_beside(&model), "broken = [[[").unwrap();
        let Scene { loaded, .. } = Scene::load(&[model], LoadOptions::default()).unwrap();
        let [lost] = &loaded.left_out[..] else { panic!("{:?}", loaded.left_out) };
        assert_eq!((lost.kind, &*lost.name, lost.is_fault()), (Part::Ranges, "m.ranges.toml", true));
    }

    #[test]
    fn the_bundled_sample_has_its_examples() {
        let Scene { loaded, examples, .. } = Scene::load(&[], LoadOptions::default()).unwrap();
        let model = loaded.model;
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
