//! Options that `play` and `render` share, and the model on the GPU.

use super::complete;
use super::engine::{EngineArg, refuses};
use super::image_args::ImageArgs;
use super::load_args::{LoadArgs, check_ticks, locate};
use super::output::tell;
use super::shaders_arg::ShadersArg;
use super::view::ViewArgs;
use anyhow::{Context, bail};
use bindpose::convert::parse::positive;
use bindpose::load::{LoadOptions, Loaded};
use bindpose::play::Repeat;
use bindpose::pose::RootMotion;
use bindpose::render::{Background, Gpu, RenderSettings, Shading, Surfaces, TextureFilter};
use bindpose::skin::MethodId;
use bindpose::vfs::Vfs;
use bindpose_player::{Attachment, MethodChoice, NoSuchClip, Player, PlayerOptions, Scene, choose_clip};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap_complete::ArgValueCandidates;
use std::path::PathBuf;
use std::slice;
use std::str::FromStr;

/// The model and its look.
#[derive(Debug, Clone, clap::Args)]
pub struct SceneArgs {
    /// One model (.md5mesh, .x, .gltf, .glb) and any number of clips (.md5anim, .x) [default: the bundled sample]. The
    /// .md5anim files next to an .md5mesh are found automatically
    pub files: Vec<PathBuf>,
    /// Skinning method; auto is the fastest exact one on this machine, `bindpose methods` lists all
    #[arg(short, long, value_name = "ID", default_value = "auto", conflicts_with = "engine", add = ArgValueCandidates::new(complete::methods_or_auto))]
    pub method: String,
    #[command(flatten)]
    pub engine: EngineArg,
    /// First clip, by name or by number from 1
    #[arg(short, long, help_heading = "Clip and time", value_name = "NAME", add = ArgValueCandidates::new(complete::clips))]
    pub clip: Option<String>,
    /// A model on a joint, with its clip by name or number, and its offset in the joint's axes: position, and degrees about
    /// x, y and z; repeatable
    #[arg(long = "attach", help_heading = "Attached models", value_name = "JOINT=FILE[,CLIP][@X,Y,Z[,RX,RY,RZ]]")]
    pub attachments: Vec<Attachment>,
    #[command(flatten)]
    pub view: ViewArgs,
    /// Background: #rrggbb, #rrggbbaa, black, white, grey, transparent or gradient
    #[arg(long, help_heading = "Look", value_name = "COLOUR", default_value = "gradient")]
    pub background: BackgroundColour,
    /// Draw the skeleton over the model
    #[arg(short = 'k', long, help_heading = "Look")]
    pub skeleton: bool,
    /// Draw edges instead of surfaces
    #[arg(short, long, help_heading = "Look")]
    pub wireframe: bool,
    /// Shading of surfaces: lit, diffuse light only, normals with bump maps (red is +X, green +Y, blue +Z), specular
    /// highlights only, or unlit images
    #[arg(long, help_heading = "Look", value_name = "WHAT", default_value = "lit", value_parser = named(Shading::ALL, Shading::name))]
    pub shading: Shading,
    /// Filter of enlarged textures; auto shows texels of small images and smooths others
    #[arg(long, help_heading = "Look", value_name = "HOW", default_value = "auto", value_parser = named(TextureFilter::ALL, TextureFilter::name))]
    pub filter: TextureFilter,
    /// Draw no grid on the ground
    #[arg(long, help_heading = "Look")]
    pub no_grid: bool,
    /// Copies to draw side by side, each at another time of the clip
    #[arg(long, help_heading = "Look", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub copies: u32,
    /// Ticks per second of a .x file's clips [default: the file's]
    #[arg(long, help_heading = "Clip and time", value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub ticks_per_second: Option<f64>,
    /// Translation of the root joint: kept, or removed (the model stays in place)
    #[arg(long, help_heading = "Clip and time", value_name = "HOW", default_value = "keep", value_parser = named(RootMotion::ALL, |mode| if mode == RootMotion::Keep { "keep" } else { "remove" }))]
    pub root_motion: RootMotion,
    #[command(flatten)]
    pub shaders: ShadersArg,
    #[command(flatten)]
    pub images: ImageArgs,
    #[command(flatten)]
    pub load: LoadArgs,
    /// Samples per pixel: 1 is fast, more make edges smoother [default: 4; 1 in a window while something moves, if
    /// OpenGL draws on the CPU]
    #[arg(long, help_heading = "Look", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub samples: Option<u32>,
    /// Print warnings about the files in full, and the paths searched for images
    #[arg(short, long)]
    pub verbose: bool,
}

/// Value of `--repeat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum RepeatArg {
    /// Start again
    #[default]
    Loop,
    /// Stay at the end
    Once,
    /// Play backwards, then forwards again
    PingPong,
}

impl From<RepeatArg> for Repeat {
    fn from(arg: RepeatArg) -> Self {
        match arg {
            RepeatArg::Loop => Self::Loop,
            RepeatArg::Once => Self::Clamp,
            RepeatArg::PingPong => Self::PingPong,
        }
    }
}

/// Creates a parser of values by name. Help and completion list all names.
fn named<T, const N: usize>(all: [T; N], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let value = move |text: String| all.into_iter().find(|&value| name(value) == text).ok_or(text);
    PossibleValuesParser::new(all.map(name)).try_map(value)
}

/// Value of `--background`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackgroundColour(Background);

impl FromStr for BackgroundColour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let grey = |level: f32, alpha: f32| Background::Flat([level, level, level, alpha]);
        Ok(Self(match text {
            "gradient" => Background::Gradient,
            "transparent" => grey(0.0, 0.0),
            "black" => grey(0.0, 1.0),
            "white" => grey(1.0, 1.0),
            "grey" | "gray" => grey(0.5, 1.0),
            _ => hex(text)
                .map(Background::Flat)
                .ok_or("expected #rrggbb, #rrggbbaa, black, white, grey, transparent or gradient")?,
        }))
    }
}

fn hex(text: &str) -> Option<[f32; 4]> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) || !matches!(digits.len(), 6 | 8) {
        return None;
    }
    let channel = |number: usize| match digits.get(2 * number..2 * number + 2) {
        Some(pair) => u8::from_str_radix(pair, 16).ok(),
        None => Some(255),
    };
    let mut colour = [0.0; 4];
    for (number, value) in colour.iter_mut().enumerate() {
        *value = f32::from(channel(number)?) / 255.0;
    }
    // Blending requires premultiplied colours.
    for number in 0..3 {
        colour[number] *= colour[3];
    }
    Some(colour)
}

/// Prints the warnings about the files of a scene and its attached models to stderr, or only their number.
pub fn tell(scene: &Scene, verbose: bool) {
    scene.attached.iter().for_each(|attached| tell(&attached.scene, verbose));
    let Loaded { model, sources, diagnostics, unplayed, left_out, .. } = &scene.loaded;
    unplayed.iter().for_each(|clip| tell!("note: {}", clip.sentence));
    left_out.iter().for_each(|left| tell!("note: {left}"));
    let diagnostics = super::warnings(diagnostics);
    match diagnostics.len() {
        0 => {}
        _ if verbose => super::print_diagnostics(&diagnostics, sources),
        1 => tell!("note: one warning about the files; -v shows it"),
        many => tell!("note: {many} warnings about the files; -v shows them"),
    }
    if model.meshes.iter().all(|mesh| mesh.triangles.is_empty()) {
        let is_empty = model.skeleton.is_empty();
        tell!("the model has no surfaces{}", if is_empty { " and no joints" } else { ": its skeleton is drawn" });
    }
}

/// Reads the files and the examples next to them, or the bundled sample without files. Prints warnings to stderr.
/// Returns `None` if a file is at fault or the engine of the options refuses one, after printing why.
pub fn open(files: &[PathBuf], options: LoadOptions, verbose: bool) -> anyhow::Result<Option<Scene>> {
    let (files, memory) = (locate(files, options.game_files().as_deref()), options.memory);
    match Scene::load(&files, options) {
        Ok(scene) if refuses(&scene.loaded, &files, memory) => Ok(None),
        Ok(scene) => {
            tell(&scene, verbose);
            Ok(Some(scene))
        }
        Err(error) => super::load_failed(error).map(|_| None),
    }
}

impl SceneArgs {
    /// Reads the files, or the bundled sample without files, and the models of `--attach`. Prints the number of warnings to
    /// stderr, or all with `--verbose`. Returns `None` if a file is at fault or the engine refuses one, after printing why.
    pub fn open(&self) -> anyhow::Result<Option<Scene>> {
        let options = self.load_options()?;
        let attached = self.attachments.iter().map(|attachment| &attachment.file);
        check_ticks(self.ticks_per_second, self.files.iter().chain(attached))?;
        let Some(mut scene) = open(&self.files, options.clone(), self.verbose)? else { return Ok(None) };
        let attachments = self.attachments(options.game_files().as_deref());
        if let Err(error) = scene.attach(&attachments, &options) {
            return super::load_failed(error).map(|_| None).context("--attach");
        }
        for (attached, Attachment { file, .. }) in scene.attached.iter().zip(&attachments) {
            if refuses(&attached.scene.loaded, slice::from_ref(file), options.memory) {
                return Ok(None);
            }
            tell(&attached.scene, self.verbose);
        }
        Ok(Some(scene))
    }

    /// Returns the values of `--attach`. Paths that do not exist are replaced with the game's files of the same names.
    pub fn attachments(&self, game: Option<&Vfs>) -> Vec<Attachment> {
        let files: Vec<PathBuf> = self.attachments.iter().map(|attachment| attachment.file.clone()).collect();
        let located = self.attachments.iter().zip(locate(&files, game));
        located.map(|(attachment, file)| Attachment { file, ..attachment.clone() }).collect()
    }

    /// Returns the options for the loader.
    ///
    /// # Errors
    ///
    /// Options that exclude the engine.
    pub fn load_options(&self) -> anyhow::Result<LoadOptions> {
        if let Some(engine) = self.engine.engine.filter(|engine| engine.flattens())
            && self.root_motion != RootMotion::Keep
        {
            bail!("--root-motion does not work with --as {}: it interpolates in model space", engine.name());
        }
        let mut options = self.load.options()?;
        options.import.ticks_per_second = self.ticks_per_second;
        options.playback.engine = self.engine.engine;
        Ok(options)
    }

    /// Prints images that are missing or broken, with `--verbose` also the others and the paths searched.
    pub fn tell_images(&self, player: &Player) {
        if self.verbose {
            for (number, material) in player.model().materials.iter().enumerate() {
                for about in player.gpu_model.images_of(number) {
                    tell!("note: material '{}': {}", material.name, about.line);
                }
            }
        }
        // The folders were checked before the player was made.
        let chosen = self.images.wanted(None).unwrap_or_default();
        chosen.without_surface(player.model()).iter().for_each(|lost| tell!("note: {lost}"));
        player.scene().lost_images().for_each(|left| tell!("note: {left}"));
    }

    /// Returns the index of the first clip.
    pub fn choose_clip(&self, scene: &Scene) -> Result<Option<usize>, NoSuchClip> {
        choose_clip(scene, &self.files, self.clip.as_deref())
    }

    /// Returns the settings of the renderer.
    fn settings(&self) -> RenderSettings {
        RenderSettings {
            background: self.background.0,
            skeleton: self.skeleton,
            surfaces: if self.wireframe { Surfaces::Edges } else { Surfaces::Filled },
            grid: !self.no_grid,
            shading: self.shading,
            filter: self.filter,
            ..RenderSettings::DEFAULT
        }
    }

    /// Returns the built-in methods and those of `--shaders`, among which is that of `--method`.
    ///
    /// # Errors
    ///
    /// As [`ShadersArg::methods`], or an unknown name.
    pub fn methods(&self) -> anyhow::Result<Vec<MethodId>> {
        let methods = self.shaders.methods()?;
        self.method_choice(&methods)?;
        Ok(methods)
    }

    /// Returns the value of `--method`.
    pub fn method_choice(&self, methods: &[MethodId]) -> anyhow::Result<MethodChoice> {
        MethodChoice::find(&self.method, methods).context("--method")
    }

    /// Uploads a scene and prepares its first method, one of `methods`.
    pub fn player(&self, gpu: &Gpu, scene: Scene, methods: &[MethodId]) -> anyhow::Result<Player> {
        let options = PlayerOptions {
            clip: self.choose_clip(&scene)?,
            settings: self.settings(),
            copies: self.copies as usize,
            shaders: self.shaders.files(self.load.limit()),
            methods: methods.to_vec(),
            view: self.view.view(&scene.loaded.model)?,
            images: self.images.wanted(self.load.skin.clone())?,
        };
        let mut player = Player::new(gpu, scene, options)?;
        player.state.playback.root_motion = self.root_motion;
        if self.root_motion == RootMotion::Remove {
            // A model that stays in place needs a smaller view.
            player.reset_camera();
        }
        let method = match player.engine() {
            Some(engine) => MethodChoice::Only(engine.method()),
            None => self.method_choice(methods)?,
        };
        let shown = player.choose_method(gpu, method);
        player.take_notes().iter().for_each(|note| tell!("note: {note}"));
        shown.context("try --method cpu, which runs everywhere")?;
        Ok(player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds_are_parsed() {
        let flat = |text: &str| match text.parse::<BackgroundColour>() {
            Ok(BackgroundColour(Background::Flat(colour))) => Some(colour),
            _ => None,
        };
        assert_eq!(flat("#ff0000"), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(flat("00ff00ff"), Some([0.0, 1.0, 0.0, 1.0]));
        assert_eq!(flat("#ffffff00"), Some([0.0; 4]));
        assert_eq!(flat("white"), Some([1.0; 4]));
        for text in ["#fff", "#12345", "puce", "#gg0000", "#ééé"] {
            assert_eq!(flat(text), None, "{text}");
        }
        assert_eq!("gradient".parse(), Ok(BackgroundColour(Background::Gradient)));
    }
}
