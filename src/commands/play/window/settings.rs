//! Settings that are remembered between runs, in the platform's folder for settings.

use crate::commands::record::{MediaFormat, Quality};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::model::axis_named;
use bindpose::render::Background;
use bindpose_player::{FrameTimes, State, TooManyFrames, axis_name};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Largest number of recent files.
const MOST_RECENT: usize = 12;
/// Largest number of models and folders with remembered axes.
const MOST_AXES: usize = 300;

/// Allowed widths of the panel, in logical pixels.
pub const PANEL_WIDTHS: RangeInclusive<f32> = 220.0..=700.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// Width and height of the window, in logical pixels.
    pub size: (u32, u32),
    /// Width of the panel, in logical pixels.
    pub panel_width: f32,
    pub theme: Theme,
    /// Duration of the fade from one clip to the next, in seconds.
    pub fade: f64,
    /// Time for which the window has been used, in seconds; counted up to a minute.
    pub used: f64,
    pub record: RecordSettings,
    /// Recent files, the latest first.
    pub recent: Vec<PathBuf>,
    /// Axes of models and folders, the latest first.
    pub axes: Vec<KnownAxes>,
    /// Reason why the settings file cannot be read. It is then not replaced.
    #[serde(skip)]
    pub fault: Option<String>,
}

/// Choices of the form for recordings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RecordSettings {
    pub format: MediaFormat,
    /// Width in pixels; 0 for the view's.
    pub width: u32,
    /// Frames per second; 0 for the clip's.
    pub rate: f64,
    /// True if the whole clip is recorded, whatever range is played.
    #[serde(skip)]
    pub is_whole: bool,
    /// True if the camera goes around the model once.
    pub turntable: bool,
    pub background: RecordBackground,
    pub quality: Quality,
    /// Folder; `None` for the current one.
    pub folder: Option<PathBuf>,
    /// Size of screenshots as a multiple of the view's, 1 to 4.
    pub screenshot_scale: u32,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            format: MediaFormat::Gif,
            width: 0,
            rate: 0.0,
            is_whole: false,
            turntable: false,
            background: RecordBackground::View,
            quality: Quality::High,
            folder: None,
            screenshot_scale: 1,
        }
    }
}

impl RecordSettings {
    /// Returns width and height in pixels for a view of this size, rounded down to even numbers, because some encoders
    /// reject odd ones.
    pub fn size(&self, (width, height): (u32, u32)) -> (u32, u32) {
        let of_width = |wanted: u32| (f64::from(height) * f64::from(wanted) / f64::from(width.max(1))).round() as u32;
        let (width, height) = if self.width == 0 { (width, height) } else { (self.width, of_width(self.width)) };
        (width & !1, height & !1)
    }

    /// Returns the state to record, and its frames.
    ///
    /// # Errors
    ///
    /// More than 10,000 frames.
    pub fn plan(&self, shown: &State) -> Result<(State, FrameTimes), TooManyFrames> {
        let mut state = shown.for_recording();
        if self.is_whole {
            state.playback.set_range(None);
        }
        let turns = self.turntable || state.turntable != 0.0;
        let rate = Some(self.rate).filter(|rate| rate.is_finite() && *rate > 0.0);
        // If the view follows an animated camera, the clip repeats until the camera's end.
        let path = state.shown_camera_path();
        let times = FrameTimes::of_playback(path.as_ref().unwrap_or(&state.playback), turns, rate)?;
        Ok((state, times))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordBackground {
    /// The view's background.
    #[default]
    View,
    Transparent,
    White,
    Black,
}

impl RecordBackground {
    pub const ALL: [Self; 4] = [Self::View, Self::Transparent, Self::White, Self::Black];

    pub fn name(self) -> &'static str {
        match self {
            Self::View => "as the view",
            Self::Transparent => "transparent, without the grid",
            Self::White => "white, without the grid",
            Self::Black => "black, without the grid",
        }
    }

    /// Returns the background, or `None` for the view's.
    pub fn chosen(self) -> Option<Background> {
        match self {
            Self::View => None,
            Self::Transparent => Some(Background::Flat([0.0; 4])),
            Self::White => Some(Background::Flat([1.0; 4])),
            Self::Black => Some(Background::Flat([0.0, 0.0, 0.0, 1.0])),
        }
    }
}

/// Axes and unit of a model file, or of all models in a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownAxes {
    pub path: PathBuf,
    /// Axis that the model faces, such as `-y`.
    pub front: String,
    /// Axis that points up.
    pub up: String,
    /// Length of a unit in metres.
    #[serde(default)]
    pub unit: Option<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Light text on dark colours.
    #[default]
    Dark,
    /// Dark text on light colours.
    Light,
    /// The system's theme.
    System,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::System];

    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::System => "as the desktop",
        }
    }
}

impl From<Theme> for egui::ThemePreference {
    fn from(theme: Theme) -> Self {
        match theme {
            Theme::Dark => Self::Dark,
            Theme::Light => Self::Light,
            Theme::System => Self::System,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            size: (1280, 800),
            panel_width: 340.0,
            theme: Theme::default(),
            fade: 0.2,
            used: 0.0,
            record: RecordSettings::default(),
            axes: Vec::new(),
            recent: Vec::new(),
            fault: None,
        }
    }
}

impl Settings {
    /// Reads the settings file. Uses defaults if there is none, or if it cannot be read.
    pub fn load(memory: MemoryLimit) -> Self {
        let Some(path) = path().filter(|path| path.exists()) else { return Self::default() };
        let text = bindpose::read::text(&path, &Budget::new(memory)).map_err(|error| error.to_string());
        let settings = text
            .and_then(|text| Self::parse(&text).map_err(|error| format!("{}: {}", path.display(), error.message())));
        settings.unwrap_or_else(|fault| Self { fault: Some(fault), ..Self::default() })
    }

    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let mut settings: Self = toml::from_str(text)?;
        // The window must stay visible.
        settings.size = (settings.size.0.clamp(320, 16_384), settings.size.1.clamp(240, 16_384));
        if !PANEL_WIDTHS.contains(&settings.panel_width) {
            settings.panel_width = Self::default().panel_width;
        }
        settings.recent.truncate(MOST_RECENT);
        settings.axes.truncate(MOST_AXES);
        settings.record.screenshot_scale = settings.record.screenshot_scale.clamp(1, 4);
        Ok(settings)
    }

    /// Writes the settings file. On error the old settings stay, and so does a file that could not be read.
    pub fn save(&self) {
        if self.fault.is_some() {
            return;
        }
        if let (Some(path), Ok(text)) = (path(), toml::to_string(self)) {
            let written: std::io::Result<u64> =
                bindpose_core::write::replace(&path, |file| file.write_all(text.as_bytes()));
            drop(written);
        }
    }

    /// Returns front and up axis of a model file and the length of its unit: its own, otherwise its folder's.
    pub fn axes_of(&self, file: &Path) -> Option<([Vec3; 2], Option<f32>)> {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let known = |path: Option<&Path>| self.axes.iter().find(|known| Some(known.path.as_path()) == path);
        let known = known(Some(&file)).or_else(|| known(file.parent()))?;
        let [front, up] = [&known.front, &known.up].map(|name| axis_named(name).ok());
        Some(([front?, up?], known.unit))
    }

    /// Remembers the axes and the unit of a model file, or of a folder, whose files inherit them.
    pub fn remember_axes(&mut self, path: &Path, [front, up]: [Vec3; 2], unit: Option<f32>) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.axes.retain(|known| known.path != path && known.path.parent() != Some(&path));
        self.axes.insert(0, KnownAxes { path, front: axis_name(front).into(), up: axis_name(up).into(), unit });
        self.axes.truncate(MOST_AXES);
    }

    /// Adds the first of the files to the recent files.
    pub fn remember(&mut self, files: &[PathBuf]) {
        if let Some(first) = files.first() {
            let first = std::path::absolute(first).unwrap_or_else(|_| first.clone());
            self.recent.retain(|known| *known != first);
            self.recent.insert(0, first);
            self.recent.truncate(MOST_RECENT);
        }
    }
}

fn path() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "bindpose")?.config_dir().join("player.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::model::{Clip, Model};
    use bindpose::render::{Bounds, Camera};

    #[test]
    fn the_whole_clip_is_recorded_beside_a_range() {
        let clip = Clip { duration: 2.0, frame_rate: Some(10.0), ..Clip::default() };
        let model = Model { clips: vec![clip], ..Model::default() };
        let mut shown = State::new(&model, Some(0), Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE }));
        shown.playback.set_range(Some((0.5, 1.0)));
        for (is_whole, count, start) in [(false, 6, 0.5), (true, 20, 0.0)] {
            let (state, times) = RecordSettings { is_whole, ..RecordSettings::default() }.plan(&shown).unwrap();
            assert_eq!((times.count, times.at(0).time, state.playback.range().0), (count, start, start));
        }
    }

    #[test]
    fn settings_round_trip_and_invalid_ones_become_defaults_or_a_fault() {
        let mut settings =
            Settings { size: (900, 700), panel_width: 412.5, theme: Theme::Light, fade: 0.0, ..Settings::default() };
        settings.remember(&[PathBuf::from("/a/imp.md5mesh")]);
        assert_eq!(Settings::parse(&toml::to_string(&settings).unwrap()).unwrap(), settings);
        assert!(Settings::parse("size = 3").is_err());
        assert_eq!(Settings::parse("size = [1, 1]").unwrap().size, (320, 240));
        for width in ["1.0", "1e9", "nan"] {
            assert_eq!(Settings::parse(&format!("panel-width = {width}")).unwrap(), Settings::default(), "{width}");
        }
        assert_eq!(Settings::parse("something-new = 1").unwrap(), Settings::default());
    }

    #[test]
    fn axes_of_a_model_override_those_of_its_folder() {
        let mut settings = Settings::default();
        let [imp, hound] = ["/a/imp.x", "/a/hound.x"].map(Path::new);
        settings.remember_axes(imp, [Vec3::NEG_Y, Vec3::Z], Some(0.01));
        let known = Some(([Vec3::NEG_Y, Vec3::Z], Some(0.01)));
        assert_eq!((settings.axes_of(imp), settings.axes_of(hound)), (known, None));
        settings.remember_axes(Path::new("/a"), [Vec3::NEG_Z, Vec3::Y], None);
        assert_eq!(settings.axes_of(imp), Some(([Vec3::NEG_Z, Vec3::Y], None)), "all of the folder, as requested");
        settings.remember_axes(imp, [Vec3::X, Vec3::Z], None);
        assert_eq!(
            [imp, hound].map(|file| settings.axes_of(file).map(|(axes, _)| axes[0])),
            [Some(Vec3::X), Some(Vec3::NEG_Z)]
        );
        assert_eq!(Settings::parse(&toml::to_string(&settings).unwrap()).unwrap(), settings);
    }

    #[test]
    fn a_recording_has_even_sides_in_the_views_shape() {
        let of = |width| RecordSettings { width, ..RecordSettings::default() }.size((941, 726));
        assert_eq!([of(0), of(400), of(33)], [(940, 726), (400, 308), (32, 24)]);
    }

    #[test]
    fn the_last_file_is_remembered_first_and_once() {
        let mut settings = Settings::default();
        for name in ["/a", "/b", "/a"] {
            settings.remember(&[PathBuf::from(name)]);
        }
        assert_eq!(settings.recent, [PathBuf::from("/a"), PathBuf::from("/b")]);
    }
}
