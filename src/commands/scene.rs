//! What `play` and `render` share: which model, how it is shown, and getting it onto the GPU.

use super::Outcome;
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::load::{LoadError, LoadOptions, Loaded};
use bindpose::model::{Clip, Model};
use bindpose::play::Playback;
use bindpose::pose::{LocalPose, ModelPose, RootMotion};
use bindpose::render::{
    Background, Bounds, Camera, Error, Gpu, GpuModel, Instance, PoseRef, RenderSettings, RenderTarget, Renderer,
    ShaderFiles, TexelFormat, TextureFinder, bounds_of_places, clip_bounds, places,
};
use bindpose::skin::{Cost, Example, Limits, MethodId};
use glam::Vec3;
use std::path::PathBuf;
use std::rc::Rc;
use std::str::FromStr;

/// Which model, and how it is shown.
#[derive(Debug, Clone, clap::Args)]
pub struct SceneArgs {
    /// One model (.md5mesh, .x) and any number of clips (.md5anim, .x); without any, the bundled sample. The .md5anim
    /// files beside a .md5mesh are found without being named
    pub files: Vec<PathBuf>,
    /// Skinning method
    #[arg(short, long, value_name = "ID", default_value_t = MethodId::MatrixBlend)]
    pub method: MethodId,
    /// Clip to show first, by name or by number from 1
    #[arg(short, long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Where to look from: degrees to the figure's left, degrees up, size (30,12,1 if left out; later ones are optional)
    #[arg(long, value_name = "YAW,PITCH,ZOOM", allow_hyphen_values = true)]
    pub camera: Option<CameraAngles>,
    /// Background: #rrggbb, #rrggbbaa, black, white, grey, transparent or gradient
    #[arg(long, value_name = "COLOUR", default_value = "gradient")]
    pub background: BackgroundColour,
    /// Draw the skeleton over the figure
    #[arg(short = 'k', long)]
    pub skeleton: bool,
    /// Draw edges instead of surfaces
    #[arg(short, long)]
    pub wireframe: bool,
    /// Leave the grid on the ground out
    #[arg(long)]
    pub no_grid: bool,
    /// Draw this many copies side by side, each at another moment of the clip
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub copies: u32,
    /// Which clips copies play: the one that is shown, or all in turn
    #[arg(long, value_name = "WHICH", default_value = "one")]
    pub clips: Clips,
    /// Limits of uniform registers to keep to: vs11 (96), vs20 (256), gl2 (this machine's) or none
    #[arg(long, value_name = "LIMITS", default_value_t = Limits::default())]
    pub limits: Limits,
    /// Halve the memory of bone-texture's palette: 16 bits per number
    #[arg(long)]
    pub half_float: bool,
    /// Speed of a .x file's clips, instead of what the file says
    #[arg(long, value_name = "N", value_parser = positive)]
    pub ticks_per_second: Option<f64>,
    /// What the root joint's translation does: as the clip says (keep), on the spot (remove), or on and on (accumulate)
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub root_motion: RootMotionArg,
    /// Folder with GLSL files that replace the built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    pub shaders: Option<PathBuf>,
}

/// `--root-motion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum RootMotionArg {
    #[default]
    Keep,
    Remove,
    Accumulate,
}

impl From<RootMotionArg> for RootMotion {
    fn from(arg: RootMotionArg) -> Self {
        match arg {
            RootMotionArg::Keep => Self::Keep,
            RootMotionArg::Remove => Self::Remove,
            RootMotionArg::Accumulate => Self::Accumulate,
        }
    }
}

/// `--clips`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Clips {
    /// The clip that is shown.
    #[default]
    One,
    /// Every copy another one.
    All,
}

/// `--half-float` in the renderer's words.
pub fn texels(half_float: bool) -> TexelFormat {
    if half_float { TexelFormat::Half } else { TexelFormat::Float }
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|&number: &f64| number.is_finite() && number > 0.0)
        .ok_or("expected a number over 0".into())
}

/// `--camera`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraAngles {
    yaw: f32,
    pitch: f32,
    zoom: f32,
}

impl FromStr for CameraAngles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split(',')
            .map(|part| part.trim().parse::<f32>().ok().filter(|number| number.is_finite()))
            .collect::<Option<Vec<f32>>>()
            .ok_or("expected numbers separated by commas, such as 30,12,1")?;
        let (yaw, pitch, zoom) = match numbers[..] {
            [yaw] => (yaw, Camera::PITCH.to_degrees(), 1.0),
            [yaw, pitch] => (yaw, pitch, 1.0),
            [yaw, pitch, zoom] => (yaw, pitch, zoom),
            _ => return Err("expected one to three numbers: yaw, pitch, zoom".into()),
        };
        if pitch.abs() > 89.0 {
            return Err(format!("pitch {pitch} is out of range: -89 to 89 degrees"));
        }
        if !(0.01..=1000.0).contains(&zoom) {
            return Err(format!("zoom {zoom} is out of range: 0.01 to 1000"));
        }
        Ok(Self { yaw: yaw.to_radians(), pitch: pitch.to_radians(), zoom })
    }
}

/// `--background`.
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
    let channel = |place: usize| match digits.get(2 * place..2 * place + 2) {
        Some(pair) => u8::from_str_radix(pair, 16).ok(),
        None => Some(255),
    };
    let mut colour = [0.0; 4];
    for (place, value) in colour.iter_mut().enumerate() {
        *value = f32::from(channel(place)?) / 255.0;
    }
    // What shines through is not seen; the blending expects colours that are multiplied with alpha.
    for place in 0..3 {
        colour[place] *= colour[3];
    }
    Some(colour)
}

/// A model with its clips, ready to be shown.
pub struct Scene {
    /// The model.
    pub model: Rc<Model>,
    directories: Vec<PathBuf>,
    /// Textures that are part of the program: name and bytes.
    images: &'static [(&'static str, &'static [u8])],
    /// Example poses for `sjbbe`.
    examples: Vec<Example>,
}

impl Scene {
    /// The model on the GPU, and what is worth telling about its textures.
    pub fn subject(
        &self,
        gpu: &Gpu,
        shaders: &ShaderFiles,
        limits: Limits,
        texels: TexelFormat,
    ) -> Result<GpuModel, Error> {
        let mut textures = TextureFinder::new(&self.directories, self.images);
        let subject = GpuModel::new(gpu, Rc::clone(&self.model), &mut textures, shaders, limits)?;
        Ok(subject.with_examples(self.examples.clone()).with_texels(texels))
    }
}

/// What became of the files: a scene, or a reason that has been printed.
pub enum Opened {
    /// Ready.
    Scene(Scene),
    /// A file is at fault.
    Failed(Outcome),
}

/// What is shown first of clips that nobody named: these tell more about a figure than its attack or death.
const STARTING_CLIPS: [&str; 4] = ["walk", "idle", "run", "stand"];

/// Names of clips that an error lists.
const MOST_NAMES: usize = 50;

/// Warnings that are drawn before a picture; `bindpose validate` lists all.
const SHOWN_WARNINGS: usize = 5;

/// Reads the files and the examples beside them; without any files, the bundled sample. Warnings go to stderr.
pub fn open(files: &[PathBuf], ticks_per_second: Option<f64>) -> anyhow::Result<Opened> {
    match load(files, ticks_per_second) {
        Ok(scene) => Ok(Opened::Scene(scene)),
        Err(LoadError::File { sources, diagnostics }) => {
            super::print_diagnostics(&diagnostics, &sources);
            Ok(Opened::Failed(Outcome::AtFault))
        }
        Err(error) => Err(error.into()),
    }
}

fn load(files: &[PathBuf], ticks_per_second: Option<f64>) -> Result<Scene, LoadError> {
    let options = LoadOptions { find_clips: true, ticks_per_second, memory: super::memory(), ..LoadOptions::default() };
    let bundled = files.is_empty();
    let Loaded { model, sources, diagnostics, directories } = if bundled {
        bindpose::load::load_bytes(bindpose::sample::files(), &options)?
    } else {
        bindpose::load::load(files, &options)?
    };
    let shown = diagnostics.len().min(SHOWN_WARNINGS);
    super::print_diagnostics(&diagnostics[..shown], &sources);
    if shown < diagnostics.len() {
        tell!("{} more warnings; `bindpose info` shows them all", diagnostics.len() - shown);
    }
    let mut examples = Vec::new();
    for path in files.iter().map(|file| bindpose::examples::path_beside(file)).filter(|path| path.is_file()) {
        examples.extend(bindpose::examples::read(&path, &model.skeleton, options.memory)?);
    }
    let images = if bundled { &bindpose::sample::IMAGES[..] } else { &[] };
    Ok(Scene { model: Rc::new(model), directories, images, examples })
}

/// The clip to start with: the one asked for, else the first named; of clips found beside the model, a quiet one.
pub fn choose_clip(model: &Model, files: &[PathBuf], wanted: Option<&str>) -> anyhow::Result<Option<usize>> {
    let Some(wanted) = wanted else {
        let first = (!model.clips.is_empty()).then_some(0);
        if files.len() > 1 {
            return Ok(first);
        }
        let named = |name: &&str| model.clips.iter().position(|clip| clip.name.to_lowercase().contains(name));
        return Ok(STARTING_CLIPS.iter().find_map(named).or(first));
    };
    let named = model.clips.iter().position(|clip| clip.name == *wanted);
    let folded = || model.clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(wanted));
    let numbered = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&number| number < model.clips.len());
    let found = named.or_else(folded).or_else(numbered);
    if found.is_none() {
        let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
        match names[..] {
            [] => bail!("no clip is called '{wanted}': the model has none"),
            _ if names.len() > MOST_NAMES => {
                bail!(
                    "no clip is called '{wanted}'; there are {} and {} more",
                    names[..MOST_NAMES].join(", "),
                    names.len() - MOST_NAMES
                )
            }
            _ => bail!("no clip is called '{wanted}'; there are {}", names.join(", ")),
        }
    }
    Ok(found)
}

impl SceneArgs {
    /// Reads the files; without any, the bundled sample. Warnings go to stderr.
    pub fn open(&self) -> anyhow::Result<Opened> {
        open(&self.files, self.ticks_per_second)
    }

    /// The clip to start with.
    pub fn choose_clip(&self, model: &Model) -> anyhow::Result<Option<usize>> {
        choose_clip(model, &self.files, self.clip.as_deref())
    }

    /// What is shown besides the figures.
    pub fn look(&self) -> RenderSettings {
        RenderSettings {
            background: self.background.0,
            skeleton: self.skeleton,
            wireframe: self.wireframe,
            grid: !self.no_grid,
        }
    }
}

/// A scene on the GPU, with everything that decides what a frame shows.
pub struct Stage {
    /// The model on the GPU.
    pub subject: GpuModel,
    renderer: Renderer,
    /// The view.
    pub camera: Camera,
    /// What is shown besides the figures.
    pub look: RenderSettings,
    /// The skinning method.
    pub method: MethodId,
    places: Vec<Vec3>,
    /// Which of the model's clips.
    pub clip: Option<usize>,
    /// Where the clip stands.
    pub playback: Playback,
    poses: Vec<(LocalPose, ModelPose)>,
    all_clips: bool,
    angles: Option<CameraAngles>,
}

impl Stage {
    /// Uploads a scene and makes its first method ready.
    pub fn new(gpu: &Gpu, scene: &Scene, args: &SceneArgs) -> anyhow::Result<Self> {
        if let Some(folder) = args.shaders.as_ref().filter(|folder| !folder.is_dir()) {
            bail!("{} is no folder with shaders", folder.display());
        }
        let shaders = ShaderFiles { directory: args.shaders.clone() };
        let subject = scene.subject(gpu, &shaders, args.limits, texels(args.half_float))?;
        for note in subject.notes() {
            tell!("note: {note}");
        }
        let clip = args.choose_clip(&scene.model)?;
        let bounds = clip_bounds(&scene.model, clip.and_then(|clip| scene.model.clips.get(clip)));
        let mut look = args.look();
        // Without surfaces the bones are all there is to see.
        look.skeleton |= scene.model.meshes.is_empty();
        let mut stage = Self {
            subject,
            renderer: Renderer::new(gpu, &shaders)?,
            camera: Camera::framing(bounds),
            look,
            method: args.method,
            places: places(args.copies as usize, &bounds),
            clip,
            playback: Playback::new(None),
            poses: Vec::new(),
            all_clips: args.clips == Clips::All,
            angles: args.camera,
        };
        stage.playback.root_motion = args.root_motion.into();
        stage.playback.change_clip(clip.and_then(|clip| scene.model.clips.get(clip)));
        stage.reset_camera();
        let loss =
            stage.subject.prepare(stage.method, stage.clip).context("try --method cpu, which runs everywhere")?;
        tell_loss(stage.method, &loss.cost);
        Ok(stage)
    }

    /// The clip that is shown.
    pub fn current_clip(&self) -> Option<&Clip> {
        self.clip.and_then(|clip| self.subject.model().clips.get(clip))
    }

    /// Shows another clip from its start; the view stays.
    #[cfg(feature = "window")]
    pub fn show_clip(&mut self, clip: usize) {
        if clip < self.subject.model().clips.len() {
            self.clip = Some(clip);
            let model = Rc::clone(self.subject.model());
            self.playback.change_clip(model.clips.get(clip));
        }
    }

    /// The view that was asked for, around the present clip.
    pub fn reset_camera(&mut self) {
        let bounds: Bounds = clip_bounds(self.subject.model(), self.current_clip());
        self.camera = Camera::framing(bounds_of_places(&self.places, &bounds));
        if let Some(angles) = self.angles {
            (self.camera.yaw, self.camera.pitch, self.camera.zoom) = (angles.yaw, angles.pitch, angles.zoom);
        }
    }

    /// Draws the present moment.
    pub fn draw(&mut self, frame: &RenderTarget) -> Result<(), Error> {
        let model = Rc::clone(self.subject.model());
        self.poses.resize_with(self.places.len(), Default::default);
        let mut moments = Vec::with_capacity(self.poses.len());
        for (number, (local, pose)) in self.poses.iter_mut().enumerate() {
            let clip = if self.all_clips && number > 0 { Some(number % model.clips.len().max(1)) } else { self.clip };
            let of_model = clip.and_then(|clip| model.clips.get(clip));
            // Golden section: neighbours are far apart, and more copies fill the gaps.
            let share = (number as f64 * 0.618_033_988_749_895).fract();
            let time = if clip == self.clip {
                let phase = share * self.playback.duration();
                self.playback.pose(&model.skeleton, of_model, phase, local, pose)
            } else {
                let mut other = Playback::new(of_model);
                other.root_motion = self.playback.root_motion;
                let elapsed = self.playback.time() + self.playback.loops() as f64 * self.playback.duration();
                other.advance(elapsed + share * other.duration());
                other.pose(&model.skeleton, of_model, 0.0, local, pose)
            };
            moments.push((clip, time));
        }
        let figures: Vec<Instance<'_>> = self
            .poses
            .iter()
            .zip(&moments)
            .zip(&self.places)
            .map(|(((local, model), &(clip, time)), &position)| Instance {
                pose: PoseRef { model, local, clip, time },
                position,
            })
            .collect();
        self.renderer.draw(frame, &mut self.subject, self.method, &self.camera, &self.look, &figures)
    }
}

/// A line on each thing that a method's limits took away, or that it cannot do exactly.
pub fn tell_loss(method: MethodId, loss: &Cost) {
    if loss.reduced_vertices > 0 {
        let most = 100.0 * loss.most_dropped;
        let limit = method.method().influences.unwrap_or(0);
        tell!(
            "note: {method} takes {limit} influences per vertex: {} vertices lost some, at most {most:.1} % of their weight",
            loss.reduced_vertices
        );
    }
    if loss.divided_vertices > 0 {
        let vertices = loss.divided_vertices;
        tell!("note: the weights of {vertices} vertices do not sum to 1; {method} divides them by their sum");
    }
    if loss.broken_conditions > 0 {
        let vertices = loss.broken_conditions;
        tell!(
            "note: {method} is exact where a joint meets the joints that start at its end; {vertices} vertices follow others"
        );
    }
    if loss.trimmed_triangles > 0 {
        tell!("note: {} triangles use more joints than a batch of {method} may, and lost some", loss.trimmed_triangles);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_are_read() {
        let read =
            |text: &str| text.parse::<CameraAngles>().map(|c| [c.yaw.to_degrees(), c.pitch.to_degrees(), c.zoom]);
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
        for (text, angles) in
            [("90", [90.0, 12.0, 1.0]), ("-30, 5", [-30.0, 5.0, 1.0]), ("0,-80,2.5", [0.0, -80.0, 2.5])]
        {
            assert!(near(read(text).unwrap(), angles), "{text}");
        }
        for text in ["", "a", "1,2,3,4", "1,,2", "0,95", "0,0,0", "nan", "0,0,1e9"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn backgrounds_are_read() {
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
