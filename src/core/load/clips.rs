//! `.md5anim` files on their way into a model.

use super::{
    Bones, Format, LoadError, LoadOptions, Loaded, Loader, imported_warnings, md5_error, md5_warning, name_of, refused,
};
use crate::budget::{Budget, Exceeded};
use crate::cube2_scripts::{Anim, anims_of};
use crate::diagnostic::SourceId;
use crate::engines::{Engine, LeftOut};
use crate::import::{ImportError, md5};
use crate::model::{Clip, JointId, Model, Skeleton};
use crate::read;
use bindpose_parsers::md5 as parsers;
use bindpose_parsers::md5::FileKind;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Clips beside a mesh that are in memory at once before it is known whether they fit.
const CLIPS_AT_ONCE: usize = 32;

/// What an `.md5anim` file has for a skeleton.
struct Md5Clip {
    /// What was repaired to read it.
    repairs: Vec<parsers::Warning>,
    imported: Result<md5::ImportedClip, ImportError>,
    /// How many joints the file moves.
    channels: usize,
    /// See [`Loaded::frame_boxes`].
    frame_boxes: Vec<[DVec3; 2]>,
}

impl Md5Clip {
    fn new(
        parsed: parsers::Parsed<parsers::AnimFile<'_>>,
        name: &str,
        skeleton: &Skeleton,
        joints: &[JointId],
        options: &LoadOptions,
        budget: &Budget,
    ) -> Self {
        let file = parsed.document;
        Self {
            repairs: parsed.warnings,
            imported: md5::import_clip(&file, name, skeleton, joints, &options.md5, budget),
            channels: file.hierarchy.len(),
            frame_boxes: file.bounds.iter().map(|known| [known.min, known.max].map(DVec3::from_array)).collect(),
        }
    }
}

/// What an engine holds is made of these, beside what the mesh file means.
#[derive(Debug)]
pub(super) struct Md5Files {
    /// The joints in the order of the mesh file.
    pub joints: Vec<JointId>,
    /// For each clip its file, and its frames per second where a script says them.
    pub clips: Vec<(SourceId, Option<f64>)>,
}

impl Loaded {
    /// The model with one of its clips alone, as an engine holds both; the model itself has to be as the files mean it. `None` where
    /// it is not of MD5 files, and of what a game's decls say.
    ///
    /// # Errors
    ///
    /// [`Exceeded`], as [`Engine::hold_clip`].
    pub fn held_by(&self, engine: &Engine, clip: usize, budget: &Budget) -> Result<Option<Model>, Exceeded> {
        let (Some(files), Some(Clip { name, .. })) = (&self.md5_files, self.model.clips.get(clip)) else {
            return Ok(None);
        };
        let Some(&(source, script_rate)) = files.clips.get(clip) else { return Ok(None) };
        let Ok(parsed) = parsers::parse_anim(&self.sources.get(source).bytes) else { return Ok(None) };
        let clip =
            engine.hold_clip(&parsed.document, name, script_rate, &self.model.skeleton, &files.joints, budget)?;
        let Model { name, skeleton, meshes, materials, front, .. } = &self.model;
        let mut meshes = meshes.clone();
        engine.hold_meshes(&mut meshes);
        Ok(Some(Model {
            name: name.clone(),
            skeleton: engine.hold_skeleton(skeleton),
            meshes,
            materials: materials.clone(),
            clips: vec![clip],
            front: *front,
        }))
    }
}

/// That an engine leaves a clip out, in a sentence; `words` are its own.
fn left_out_words(title: &str, clip: &str, words: &str) -> String {
    let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
    format!("{title} does not take the clip '{clip}'{words}, and shows the bind pose instead")
}

impl Loader<'_> {
    /// Adds those `.md5anim` files that have the mesh's joints: those that Cube 2's script names, under its names and at its pace,
    /// then those of the mesh's folder, by name of file.
    pub(super) fn add_clips_beside(&mut self, mesh: &Path) -> Result<(), LoadError> {
        let mut clips = anims_of(mesh);
        let named: HashSet<PathBuf> = clips.iter().map(|anim| anim.path.clone()).collect();
        let folder = read::folder_of(mesh);
        let is_clip =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5anim"));
        let paths = read::names_in(&folder).into_iter().map(|name| folder.join(name));
        let others = paths.filter(|path| is_clip(path) && !named.contains(path));
        clips.extend(others.map(|path| Anim { name: name_of(&path), path, rate: None }));
        for clips in clips.chunks(CLIPS_AT_ONCE) {
            // All are read before any asks for memory: how much the budget has must not hang on which thread is first.
            let files: Vec<(&Anim, Vec<u8>)> =
                clips.par_iter().filter_map(|anim| Some((anim, read::file(&anim.path, &self.budget).ok()?))).collect();
            let fitting: Vec<(&Anim, Vec<u8>, Md5Clip)> = files
                .into_par_iter()
                .filter_map(|(anim, bytes)| self.clip_beside(anim, &bytes).map(|read| (anim, bytes, read)))
                .collect();
            for (anim, bytes, read) in fitting {
                let source = self.loaded.sources.add(anim.path.clone(), bytes);
                self.take_md5_clip(source, read, anim.rate)?;
            }
        }
        Ok(())
    }

    /// What is in a file beside the mesh, if it is a clip with exactly its joints.
    fn clip_beside(&self, anim: &Anim, bytes: &[u8]) -> Option<Md5Clip> {
        let (Ok(mut parsed), Some(Bones::Md5(joints))) = (parsers::parse_anim(bytes), &self.bones) else { return None };
        parsed.document.frame_rate = anim.rate.unwrap_or(parsed.document.frame_rate);
        let skeleton = &self.loaded.model.skeleton;
        let names = joints.iter().map(|&joint| &skeleton[joint].name);
        let fits = parsed.document.hierarchy.iter().map(|channel| channel.name.to_name()).eq(names.cloned());
        fits.then(|| Md5Clip::new(parsed, &anim.name, skeleton, joints, self.options, &self.budget))
    }

    /// Makes the model what an engine shows of it.
    pub(super) fn play_as(&mut self, engine: &'static Engine) -> Result<(), LoadError> {
        let title = engine.title();
        let Loaded { model, sources, .. } = &mut self.loaded;
        let Some(Bones::Md5(joints)) = &self.bones else {
            return Err(LoadError::Usage(format!("{title} plays MD5 files, and '{}' is none", model.name)));
        };
        if model.meshes.is_empty() {
            return Err(LoadError::Usage(format!("{title} shows clips on a mesh; give the .md5mesh, too")));
        }
        let files = || sources.ids().map(|id| (sources.path(id), &*sources.get(id).bytes));
        let mesh =
            files().find(|(path, bytes)| Format::of(path, bytes) == Some(Format::Md5Mesh)).map(|(_, bytes)| bytes);
        let (mut clips, mut left_out) = (Vec::with_capacity(model.clips.len()), Vec::new());
        for (clip, &(source, script_rate)) in model.clips.iter().zip(&self.clip_files) {
            let parsed = parsers::parse_anim(&sources.get(source).bytes);
            let file = match parsed {
                Ok(parsed) => parsed.document,
                Err(error) => return Err(self.fail(md5_error(&error, FileKind::Anim, source))),
            };
            let leaves_out = self.options.leaves_out.filter(|_| engine.keeps_bind_pose);
            let words = leaves_out.zip(mesh).and_then(|(says, mesh)| says(engine, mesh, &sources.get(source).bytes));
            if let Some(words) = words {
                left_out.push(LeftOut { clip: clips.len(), sentence: left_out_words(title, &clip.name, &words) });
                clips.push(engine.hold_bind_pose(&file, &clip.name, &model.skeleton));
                continue;
            }
            match engine.hold_clip(&file, &clip.name, script_rate, &model.skeleton, joints, &self.budget) {
                Ok(clip) => clips.push(clip),
                Err(error) => {
                    let error = refused(&ImportError::new(error, file.num_frames.span), source);
                    return Err(self.fail(error));
                }
            }
        }
        model.clips = clips;
        model.skeleton = engine.hold_skeleton(&model.skeleton);
        engine.hold_meshes(&mut model.meshes);
        self.loaded.engine = Some(engine);
        self.loaded.left_out = left_out;
        Ok(())
    }

    /// Adds all clips that wait: one after the other until there is a skeleton, then side by side.
    pub(super) fn add_md5_clips(&mut self) -> Result<(), LoadError> {
        let mut clips = std::mem::take(&mut self.clips).into_iter();
        while !matches!(self.bones, Some(Bones::Md5(_)))
            && let Some((source, name)) = clips.next()
        {
            self.add_md5_clip(source, name)?;
        }
        let Some(Bones::Md5(joints)) = &self.bones else { return Ok(()) };
        let read = |(source, name): (SourceId, Option<String>)| {
            let file = self.loaded.sources.get(source);
            let name = name.unwrap_or_else(|| name_of(&file.path));
            let skeleton = &self.loaded.model.skeleton;
            let parsed = parsers::parse_anim(&file.bytes);
            (source, parsed.map(|parsed| Md5Clip::new(parsed, &name, skeleton, joints, self.options, &self.budget)))
        };
        let read: Vec<(SourceId, Result<Md5Clip, parsers::Error>)> =
            clips.collect::<Vec<_>>().into_par_iter().map(read).collect();
        for (source, read) in read {
            match read {
                Ok(read) => self.take_md5_clip(source, read, None)?,
                Err(error) => return Err(self.fail(md5_error(&error, FileKind::Anim, source))),
            }
        }
        Ok(())
    }

    /// Adds an `.md5anim` file under another name than its own.
    pub(super) fn add_named_clip(&mut self, path: PathBuf, bytes: Vec<u8>, name: String) {
        let source = self.loaded.sources.add(path, bytes);
        self.clips.push((source, Some(name)));
    }

    fn add_md5_clip(&mut self, source: SourceId, name: Option<String>) -> Result<(), LoadError> {
        let Loaded { model, sources, diagnostics, .. } = &mut self.loaded;
        let file = sources.get(source);
        let name = name.unwrap_or_else(|| name_of(&file.path));
        let parsed = match parsers::parse_anim(&file.bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                let error = md5_error(&error, FileKind::Anim, source);
                return Err(self.fail(error));
            }
        };
        let bones = self.bones.get_or_insert_with(|| {
            let alone = md5::import_skeleton(&parsed.document);
            diagnostics.extend(imported_warnings(source, alone.warnings));
            *model = Model { name: name.clone(), ..alone.model };
            Bones::Md5(alone.joints)
        });
        let Bones::Md5(joints) = bones else {
            let model = if matches!(bones, Bones::X) { "DirectX .x" } else { "glTF" };
            let message = format!("{} is an MD5 animation, the model is {model}", file.path.display());
            return Err(LoadError::Usage(message));
        };
        let read = Md5Clip::new(parsed, &name, &model.skeleton, joints, self.options, &self.budget);
        self.take_md5_clip(source, read, None)
    }

    fn take_md5_clip(&mut self, source: SourceId, read: Md5Clip, script_rate: Option<f64>) -> Result<(), LoadError> {
        let Loaded { model, sources, diagnostics, frame_boxes, .. } = &mut self.loaded;
        diagnostics.extend(read.repairs.iter().map(|warning| md5_warning(warning, FileKind::Anim, source)));
        let imported = match read.imported {
            Ok(imported) => imported,
            Err(error) => return Err(self.fail(refused(&error, source))),
        };
        let Some(clip) = imported.clip else {
            return Err(LoadError::OtherSkeleton(format!(
                "{} is a clip of another skeleton: none of its {} joints is one of the model's {}",
                sources.path(source).display(),
                read.channels,
                model.skeleton.len()
            )));
        };
        // A model of MD5 has no other clips.
        frame_boxes.push(read.frame_boxes);
        model.clips.push(clip);
        self.clip_files.push((source, script_rate));
        diagnostics.extend(imported_warnings(source, imported.warnings));
        Ok(())
    }
}
