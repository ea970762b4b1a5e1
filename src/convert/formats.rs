//! Writers of the formats, with the options of a conversion and an engine's limits.

use super::format::game_of;
use super::{Converted, Error, Format, Options};
use bindpose_core::budget::Budget;
use bindpose_core::engines::FormatFamily;
use bindpose_core::left_out::LeftOut;
use bindpose_core::load::{LoadError, Loaded};
use bindpose_core::model::Model;
use bindpose_core::play::OutsideClip;
use bindpose_core::read;
use bindpose_core::skin::Skinning;
use bindpose_export::{Front, Output, gltf, iqm, md5, obj, x};
use bindpose_images::{ExportImages, Palette};
use bindpose_parsers::quake::{self, Skins, VertexModel};
use bindpose_validate::codes;
use bindpose_validate::profiles::{self, EngineId, Profile};
use std::path::{Path, PathBuf};

/// Settings that all formats share.
pub struct Writer<'a> {
    pub(super) loaded: &'a Loaded,
    /// The model and its clips.
    files: &'a [PathBuf],
    /// File to write.
    path: &'a Path,
    pub(super) options: &'a Options,
    pub(super) format: Format,
    pub(super) front: Option<Front>,
    pub(super) scale: f64,
    /// Name of the file without extension.
    pub(super) stem: String,
}

impl<'a> Writer<'a> {
    /// Creates the settings of an edited model and its output.
    pub fn new(made: &'a Converted, files: &'a [PathBuf], options: &'a Options, format: Format) -> Self {
        let Converted { loaded, path, .. } = made;
        let is_x = loaded.format == Some(FormatFamily::X);
        // Luanti expects the axes of .x files in glTF, so that scripts need no change. From .x to .x nothing turns
        // either.
        let turns = options.edits.front.is_some() || options.edits.up.is_some();
        let keeps_x = is_x && !turns && (options.is_for_luanti() || format == Format::X);
        let own = if keeps_x { Front::NegativeY } else { loaded.model.front };
        let front = (!options.keep_axes).then_some(own);
        let scale = options.edits.scale.unwrap_or(1.0);
        Self { loaded, files, path, options, format, front, scale, stem: read::stem_of(path) }
    }

    /// Writes the files of the model, for OBJ with vertices computed by `skinning`. Adds the effects of the options to
    /// `notes`, and images that the files lack to `left_out`.
    pub fn write(
        self,
        skinning: Skinning,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Output, Error> {
        let Self { loaded, options, format, front, scale, .. } = self;
        let model = &loaded.model;
        notes.extend(options.chosen_images.without_surface(model));
        let listed = options.load.clips.folders.clone().unwrap_or_default();
        let images = ExportImages::new(loaded, &options.chosen_images, options.load.memory, listed);
        // Images for engines that look for them by shader names.
        let mut skins = Vec::new();
        let output = match format {
            Format::Glb | Format::Gltf => {
                let with_images = options.images != gltf::ImagePlacement::Without && !options.is_for_luanti();
                let images =
                    if with_images { images.of_materials(options.specular, notes, left_out) } else { Vec::new() };
                gltf::write(model, &self.gltf_options(images))
            }
            Format::Md5 => {
                let md5 = self.md5_options()?;
                notes.extend(unplayed_clips(model, &md5));
                let palette = self.skin_palette(notes)?;
                let shaders = md5::shaders(model, &md5);
                skins = match (md5.game, &md5.replaces) {
                    (md5::Game::Doom3, _) => Vec::new(),
                    (md5::Game::Quake, old) => {
                        images.quake_skins(&shaders, old.as_ref(), palette.as_ref(), notes, left_out)
                    }
                    (md5::Game::Quake2, old) => images.quake2_skins(old.as_ref(), notes, left_out),
                };
                md5::write(model, &md5)
            }
            Format::X => match self.encoded(notes) {
                Some(encoded) => {
                    // Objects that the importer does not show stay.
                    left_out.clear();
                    Ok(encoded)
                }
                None => x::write(model, &self.x_options()).map(|mut output| {
                    let sources = loaded.sources.ids().filter(|_| loaded.format == Some(FormatFamily::X));
                    let files = sources.map(|source| loaded.sources.get(source).file_bytes());
                    output.losses.extend(files.take(1).flat_map(|file| x::object_losses(file, model)));
                    output
                }),
            },
            Format::Iqm => iqm::write(model, &iqm::Options { front, scale, frame_rate: options.edits.fps }),
            Format::Mdl | Format::Md3 => Ok(self.baked(&images, skinning, notes, left_out)?),
            Format::Obj => {
                if let (Some(time), Some(clip)) = (options.time, model.clips.first()) {
                    OutsideClip::check(time, clip.duration).map_err(|error| Error::Option(error.to_string()))?;
                }
                let time = options.edits.clip.first().map(|_| (0, options.time.unwrap_or(0.0)));
                let (keep_alpha, stem) = (options.keep_alpha, self.stem);
                obj::write(model, &obj::Options { front, scale, time, skinning, keep_alpha, stem })
            }
        };
        let mut output = output.map_err(Error::of(format!("cannot convert to .{}", format.extension())))?;
        output.beside.extend(skins);
        Ok(output)
    }

    fn gltf_options(&self, images: Vec<gltf::MaterialImages>) -> gltf::Options {
        let Self { loaded, options, format, front, scale, stem, .. } = self;
        gltf::Options {
            container: if *format == Format::Glb { gltf::Container::Glb } else { gltf::Container::Gltf },
            stem: stem.clone(),
            influences: Some(options.influences.unwrap_or(4)),
            front: *front,
            scale: *scale,
            luanti: options.is_for_luanti(),
            ticks_per_second: loaded.ticks_per_second,
            frame_commands: loaded.frame_commands.clone(),
            keep_alpha: options.keep_alpha,
            specular: options.specular,
            placement: options.images,
            images,
            memory: options.load.memory,
        }
    }

    /// Writes the objects of a .x file in another encoding. Returns `None` if other options change the model, and if the
    /// file has faults that hide objects, which a note names.
    fn encoded(&self, notes: &mut Vec<String>) -> Option<Output> {
        let Self { loaded, options, .. } = self;
        let mut sources = loaded.sources.ids();
        let source = sources.next().filter(|_| sources.next().is_none() && options.only_encodes())?;
        loaded.format.filter(|format| *format == FormatFamily::X)?;
        let encoded = x::encode(loaded.sources.get(source).file_bytes(), options.encoding?);
        encoded.map_err(|code| notes.push(format!("the model is written, not all objects, because of {code}"))).ok()
    }

    fn x_options(&self) -> x::Options {
        let Self { loaded, options, front, scale, .. } = self;
        let encoding = options.encoding.unwrap_or(x::Encoding::TEXT);
        let frames = loaded.ticks_per_second.or(loaded.model.clips.first().and_then(|clip| clip.frame_rate));
        let engine = options.engine();
        let counts_frames = engine.is_some_and(|engine| [EngineId::Luanti, EngineId::Luanti516].contains(&engine));
        let ticks_per_second = frames.filter(|_| counts_frames).map(|rate| (rate.round() as u32).max(1));
        x::Options { encoding, front: *front, scale: *scale, ticks_per_second, engine }
    }

    fn md5_options(&self) -> Result<md5::Options, Error> {
        let Options { profile, root, edits, .. } = self.options;
        let replaces = self.replaced()?;
        let game = match (profile, replaces.as_ref().map(|old| &old.skins)) {
            (Some(profile), _) => game_of(profile),
            (None, Some(Skins::Numbered(_))) => md5::Game::Quake,
            (None, Some(Skins::Named(_))) => md5::Game::Quake2,
            (None, None) => md5::Game::Doom3,
        };
        // These engines interpolate from the last frame to the first by themselves, at ten frames a second.
        let plays_frames = game != md5::Game::Doom3;
        let one_root = !plays_frames || profile.is_some_and(|profile| profile.id == EngineId::Fteqw);
        Ok(md5::Options {
            front: self.front,
            scale: self.scale,
            influences: self.options.influences.or_else(|| limit(*profile, ["MD5M201", "MD5M202"])),
            name_bytes: limit(*profile, ["MD5A101", "MD5M101"]),
            root: root.clone().filter(|name| name != AUTO),
            one_root: one_root || root.as_deref() == Some(AUTO),
            frame_rate: edits.fps.or(plays_frames.then_some(10.0)),
            open_loops: plays_frames && !edits.close_loops,
            game,
            scales: profile.map_or(game == md5::Game::Quake2, reads_scales),
            replaces,
            groups: self.options.map.clone(),
            weld: !self.options.no_weld,
            stem: self.stem.clone(),
        })
    }

    /// Reads the model to replace.
    pub(super) fn replaced(&self) -> Result<Option<VertexModel>, Error> {
        let Some(path) = &self.options.frames_from else { return Ok(None) };
        let cannot = Error::of(format!("cannot use {}", path.display()));
        Ok(Some(quake::parse(&self.read(path)?).map_err(cannot)?))
    }

    /// Reads Quake's palette: the one that the user names, or that of a folder above one of the files.
    pub(super) fn palette(&self) -> Result<Option<Palette>, Error> {
        let Self { options, path, files, .. } = self;
        if let Some(file) = &options.palette {
            let cannot = Error::of(format!("cannot use {}", file.display()));
            return Ok(Some(Palette::new(&self.read(file)?).map_err(cannot)?));
        }
        let mut places =
            [*path].into_iter().chain(options.frames_from.as_deref()).chain(files.iter().map(PathBuf::as_path));
        Ok(places.find_map(|place| Palette::above(place, &self.budget()).ok()))
    }

    /// Returns the palette for MD5 if the engine's skins are `.lmp` files.
    fn skin_palette(&self, notes: &mut Vec<String>) -> Result<Option<Palette>, Error> {
        let needs_palette = |profile: &&Profile| matches!(profile.id, EngineId::Fteqw | EngineId::Kex);
        let profile = self.options.profile.filter(needs_palette);
        if profile.is_none() && self.options.palette.is_none() {
            return Ok(None);
        }
        let found = self.palette()?;
        notes.extend(profile.filter(|_| found.is_none()).map(|profile| {
            let title = profile.title;
            format!("skins are PNG files, but {title} reads .lmp files, for which gfx/palette.lmp is needed; --palette names it")
        }));
        Ok(found)
    }

    fn budget(&self) -> Budget {
        Budget::new(self.options.load.memory)
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        Ok(read::file(path, &self.budget())?)
    }
}

/// Value of [`Options::root`] that adds a joint only if there are several roots.
const AUTO: &str = "auto";

/// Returns the largest limit of an engine for findings with these codes.
pub fn limit(profile: Option<&Profile>, ids: [&str; 2]) -> Option<usize> {
    let profile = profile?;
    let known = ids.iter().filter_map(|id| codes::find(id)).flat_map(profiles::limits);
    known.filter(|limit| limit.profile == profile).map(|limit| limit.most as usize).max()
}

/// Returns a note if an engine plays none of several clips.
fn unplayed_clips(model: &Model, options: &md5::Options) -> Option<String> {
    let plays_one = options.game != md5::Game::Doom3 && options.replaces.is_none();
    let [first, _, ..] = &model.clips[..] else { return None };
    plays_one.then(|| {
        let stem = &options.stem;
        let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
        format!(
            "the engine plays {stem}.md5anim only; choose a clip (--clip {}), join them (--join-clips {stem}={}) or fill an \
             old model's frames (--frames-from)",
            first.name,
            names.join(",")
        )
    })
}

/// True for engines that read scales of joints from a file next to a clip.
fn reads_scales(profile: &Profile) -> bool {
    matches!(profile.id, EngineId::Q2pro | EngineId::Q2repro)
}
