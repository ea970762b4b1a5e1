//! Conversion of a model to another format.

use super::args::{AlphaArg, Args, EncodingArg, ImagesArg, Influences};
use super::target::Target;
use anyhow::Context;
use bindpose::budget::Budget;
use bindpose::engines::FormatFamily;
use bindpose::export::{self, Front, gltf, iqm, md5, obj, x};
use bindpose::image_search::ImageFinder;
use bindpose::images::{ExportImages, Palette};
use bindpose::left_out::LeftOut;
use bindpose::load::Loaded;
use bindpose::model::Model;
use bindpose::read;
use bindpose::skin::Skinning;
use bindpose::validate::codes;
use bindpose::validate::profiles::{self, EngineId, Profile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings that all formats share.
pub struct Conversion<'a> {
    loaded: &'a Loaded,
    args: &'a Args,
    files: &'a [PathBuf],
    listed: &'a Arc<ImageFinder>,
    /// File to write.
    path: &'a Path,
    front: Option<Front>,
    scale: f64,
    /// Name of the file without extension.
    stem: String,
}

impl<'a> Conversion<'a> {
    /// Creates the settings of a model and its output.
    pub fn new(
        loaded: &'a Loaded,
        target: Target,
        path: &'a Path,
        args: &'a Args,
        files: &'a [PathBuf],
        listed: &'a Arc<ImageFinder>,
    ) -> Self {
        let is_x = loaded.format == Some(FormatFamily::X);
        // Luanti expects the axes of .x files in glTF, so that scripts need no change. From .x to .x nothing turns
        // either.
        let turns = args.front.is_some() || args.up.is_some();
        let keeps_x = is_x && !turns && (args.luanti || target == Target::X);
        let own = if keeps_x { Front::NegativeY } else { loaded.model.front };
        Self {
            loaded,
            args,
            files,
            listed,
            path,
            front: (!args.keep_axes).then_some(own),
            scale: args.scale.unwrap_or(if args.metres { 0.0254 } else { 1.0 }),
            stem: read::stem_of(path),
        }
    }

    /// Writes the files of the model, for OBJ with vertices computed by `skinning`. Adds the effects of the options to
    /// `notes`, and images that the files lack to `left_out`.
    pub fn run(
        self,
        target: Target,
        skinning: Skinning,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> anyhow::Result<export::Output> {
        let Self { loaded, args, listed, front, scale, .. } = self;
        let model = &loaded.model;
        let wanted = args.wanted_images.wanted(args.load.skin.clone())?;
        notes.extend(args.wanted_images.without_surface(model));
        let images = ExportImages::new(loaded, &wanted, args.load.limit()).sharing(listed);
        // Images for engines that look for them by shader names.
        let mut skins = Vec::new();
        let output = match target {
            Target::Glb | Target::Gltf => {
                let with_images = args.images != ImagesArg::None && !args.luanti;
                let images = if with_images { images.of_materials(args.specular, notes, left_out) } else { Vec::new() };
                gltf::write(model, &self.gltf_options(target, images))
            }
            Target::Md5 => {
                let options = md5_options(args, front, scale, self.stem)?;
                notes.extend(unplayed_clips(model, &options));
                let palette = palette(args, self.path, self.files, notes)?;
                let shaders = md5::shaders(model, &options);
                skins = match (options.game, &options.replaces) {
                    (md5::Game::Doom3, _) => Vec::new(),
                    (md5::Game::Quake, old) => {
                        images.quake_skins(&shaders, old.as_ref(), palette.as_ref(), notes, left_out)
                    }
                    (md5::Game::Quake2, old) => images.quake2_skins(old.as_ref(), notes, left_out),
                };
                md5::write(model, &options)
            }
            Target::X => match self.encoded(notes) {
                Some(encoded) => Ok(encoded),
                None => x::write(model, &self.x_options()).map(|mut output| {
                    let sources = loaded.sources.ids().filter(|_| loaded.format == Some(FormatFamily::X));
                    let files = sources.map(|source| loaded.sources.get(source).file_bytes());
                    output.losses.extend(files.take(1).flat_map(|file| x::object_losses(file, model)));
                    output
                }),
            },
            Target::Iqm => iqm::write(model, &iqm::Options { front, scale, frame_rate: args.fps }),
            Target::Obj => {
                let time = args.clip.first().map(|_| (0, args.time.unwrap_or(0.0)));
                let keep_alpha = args.alpha == AlphaArg::Keep;
                obj::write(model, &obj::Options { front, scale, time, skinning, keep_alpha, stem: self.stem })
            }
        };
        let mut output = output.with_context(|| format!("cannot convert to .{}", target.extension()))?;
        output.beside.extend(skins);
        Ok(output)
    }

    fn gltf_options(&self, target: Target, images: Vec<gltf::MaterialImages>) -> gltf::Options {
        let Self { loaded, args, front, scale, stem, .. } = self;
        gltf::Options {
            container: if target == Target::Glb { gltf::Container::Glb } else { gltf::Container::Gltf },
            stem: stem.clone(),
            influences: match args.influences {
                None => Some(4),
                Some(Influences::All) => None,
                Some(Influences::Most(most)) => Some(most),
            },
            front: *front,
            scale: *scale,
            luanti: args.luanti,
            ticks_per_second: loaded.ticks_per_second,
            frame_commands: loaded.frame_commands.clone(),
            keep_alpha: args.alpha == AlphaArg::Keep,
            specular: args.specular,
            placement: match args.images {
                ImagesArg::Embedded => gltf::ImagePlacement::Embedded,
                ImagesArg::Beside => gltf::ImagePlacement::Beside,
                ImagesArg::None => gltf::ImagePlacement::Without,
            },
            images,
            memory: args.load.limit(),
        }
    }

    fn encoding(&self) -> x::Encoding {
        match self.args.encoding {
            Some(EncodingArg::Text) | None => x::Encoding::TEXT,
            Some(EncodingArg::Binary) => x::Encoding::BINARY,
            Some(EncodingArg::Tzip) => x::Encoding::TEXT.compressed(),
            Some(EncodingArg::Bzip) => x::Encoding::BINARY.compressed(),
        }
    }

    /// Writes the objects of a .x file in another encoding. Returns `None` if other options change the model, and if the
    /// file has faults that hide objects, which a note names.
    fn encoded(&self, notes: &mut Vec<String>) -> Option<export::Output> {
        let mut sources = self.loaded.sources.ids();
        let source = sources.next().filter(|_| sources.next().is_none() && self.args.only_encodes())?;
        self.loaded.format.filter(|format| *format == FormatFamily::X)?;
        let encoded = x::encode(self.loaded.sources.get(source).file_bytes(), self.encoding());
        encoded.map_err(|code| notes.push(format!("the model is written, not all objects, because of {code}"))).ok()
    }

    fn x_options(&self) -> x::Options {
        let Self { loaded, args, front, scale, .. } = self;
        let encoding = self.encoding();
        let frames = loaded.ticks_per_second.or(loaded.model.clips.first().and_then(|clip| clip.frame_rate));
        let engine = args.engine();
        let counts_frames = engine.is_some_and(|engine| [EngineId::Luanti, EngineId::Luanti516].contains(&engine));
        let ticks_per_second = frames.filter(|_| counts_frames).map(|rate| (rate.round() as u32).max(1));
        x::Options { encoding, front: *front, scale: *scale, ticks_per_second, engine }
    }
}

/// Value of `--root` that adds a joint only if there are several roots.
const AUTO: &str = "auto";

fn md5_options(args: &Args, front: Option<Front>, scale: f64, stem: String) -> anyhow::Result<md5::Options> {
    let replaces = match &args.frames_from {
        None => None,
        Some(path) => {
            let bytes = args.load.memory.read(path)?;
            Some(md5::OldModel::read(&bytes).with_context(|| format!("cannot use {}", path.display()))?)
        }
    };
    let game = match (args.profile, replaces.as_ref().map(|old| &old.skins)) {
        (Some(profile), _) => game_of(profile),
        (None, Some(md5::Skins::Numbered(_))) => md5::Game::Quake,
        (None, Some(md5::Skins::Named(_))) => md5::Game::Quake2,
        (None, None) => md5::Game::Doom3,
    };
    // These engines interpolate from the last frame to the first by themselves, at ten frames a second.
    let plays_frames = game != md5::Game::Doom3;
    let one_root = !plays_frames || args.profile.is_some_and(|profile| profile.id == EngineId::Fteqw);
    Ok(md5::Options {
        front,
        scale,
        influences: match args.influences {
            None => limit(args, ["MD5M201", "MD5M202"]),
            Some(Influences::All) => None,
            Some(Influences::Most(most)) => Some(most),
        },
        name_bytes: limit(args, ["MD5A101", "MD5M101"]),
        root: args.root.clone().filter(|name| name != AUTO),
        one_root: one_root || args.root.as_deref() == Some(AUTO),
        frame_rate: args.fps.or(plays_frames.then_some(10.0)),
        open_loops: plays_frames && !args.close_loops,
        game,
        scales: args.profile.map_or(game == md5::Game::Quake2, reads_scales),
        replaces,
        groups: args.map.clone(),
        weld: !args.no_weld,
        stem,
    })
}

/// Returns the largest limit of the engine of `--profile` for findings with these codes.
pub fn limit(args: &Args, ids: [&str; 2]) -> Option<usize> {
    let profile = args.profile?;
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

/// Returns the game whose files an engine reads.
pub fn game_of(profile: &Profile) -> md5::Game {
    match profile.id {
        EngineId::VkQuake135
        | EngineId::VkQuake
        | EngineId::Ironwail081
        | EngineId::Ironwail
        | EngineId::Qss
        | EngineId::Fteqw
        | EngineId::Kex => md5::Game::Quake,
        EngineId::Q2pro | EngineId::Q2repro | EngineId::Yquake2 => md5::Game::Quake2,
        _ => md5::Game::Doom3,
    }
}

/// True for engines that read scales of joints from a file next to a clip.
fn reads_scales(profile: &Profile) -> bool {
    matches!(profile.id, EngineId::Q2pro | EngineId::Q2repro)
}

/// Reads Quake's palette for engines whose skins are `.lmp` files.
fn palette(args: &Args, path: &Path, files: &[PathBuf], notes: &mut Vec<String>) -> anyhow::Result<Option<Palette>> {
    if let Some(file) = &args.palette {
        let palette =
            Palette::new(&args.load.memory.read(file)?).with_context(|| format!("cannot use {}", file.display()))?;
        return Ok(Some(palette));
    }
    let Some(profile) = args.profile.filter(|profile| matches!(profile.id, EngineId::Fteqw | EngineId::Kex)) else {
        return Ok(None);
    };
    let places = [path].into_iter().chain(args.frames_from.as_deref()).chain(files.iter().map(PathBuf::as_path));
    let found = places.into_iter().find_map(|place| Palette::above(place, &Budget::new(args.load.limit())).ok());
    if found.is_none() {
        notes.push(format!(
            "skins are PNG files, but {} reads .lmp files, for which gfx/palette.lmp is needed; --palette names it",
            profile.title
        ));
    }
    Ok(found)
}
