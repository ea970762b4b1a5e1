//! Settings remembered between runs, in the platform's folder for settings.

use bindpose::budget::{Budget, MemoryLimit};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Largest number of recent files.
const MOST_RECENT: usize = 12;

/// Width of the panel, logical pixels.
pub const PANEL_WIDTHS: RangeInclusive<f32> = 220.0..=700.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// Width and height of the window, logical pixels.
    pub size: (u32, u32),
    /// The panel's width, logical pixels.
    pub panel_width: f32,
    pub theme: Theme,
    /// Duration of the fade from one clip to the next, seconds.
    pub fade: f64,
    /// Time for which the window was used, up to a few minutes, seconds.
    pub used: f64,
    /// Recent files, the last one first.
    pub recent: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Light on dark.
    #[default]
    Dark,
    /// Dark on light.
    Light,
    /// As the desktop is.
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
            recent: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the file; defaults where it cannot be read.
    pub fn load(memory: MemoryLimit) -> Self {
        let text = path().and_then(|path| bindpose::read::text(&path, &Budget::new(memory)).ok());
        text.map_or_else(Self::default, |text| Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut settings: Self = toml::from_str(text).unwrap_or_default();
        // The window must stay visible.
        settings.size = (settings.size.0.clamp(320, 16_384), settings.size.1.clamp(240, 16_384));
        if !PANEL_WIDTHS.contains(&settings.panel_width) {
            settings.panel_width = Self::default().panel_width;
        }
        settings.recent.truncate(MOST_RECENT);
        settings
    }

    /// Writes the file; an error leaves the old settings.
    pub fn save(&self) {
        if let (Some(path), Ok(text)) = (path(), toml::to_string(self)) {
            let written: std::io::Result<u64> = bindpose::write::replace(&path, |file| file.write_all(text.as_bytes()));
            drop(written);
        }
    }

    /// Adds the first of the files to the recent ones.
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

    #[test]
    fn settings_round_trip_and_bad_ones_become_defaults() {
        let mut settings =
            Settings { size: (900, 700), panel_width: 412.5, theme: Theme::Light, fade: 0.0, ..Settings::default() };
        settings.remember(&[PathBuf::from("/a/imp.md5mesh")]);
        assert_eq!(Settings::parse(&toml::to_string(&settings).unwrap()), settings);
        assert_eq!(Settings::parse("size = 3"), Settings::default());
        assert_eq!(Settings::parse("size = [1, 1]").size, (320, 240));
        for width in ["1.0", "1e9", "nan"] {
            assert_eq!(Settings::parse(&format!("panel-width = {width}")), Settings::default(), "{width}");
        }
        assert_eq!(Settings::parse("something-new = 1"), Settings::default());
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
