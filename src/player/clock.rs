//! Times at which a clip is shown: any time, or the times of an engine's clock.

/// Clock of the playback; see docs/formats/engines.md, "Time".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub enum Clock {
    /// Any time.
    #[default]
    Smooth,
    /// Whole frames of the clip.
    Frames,
    /// Doom 3: sixty game frames a second, in whole milliseconds.
    Doom3,
    /// Quake: ten frames of the clip a second, whatever its rate.
    Quake,
}

impl Clock {
    /// All clocks.
    pub const ALL: [Self; 4] = [Self::Smooth, Self::Frames, Self::Doom3, Self::Quake];

    /// Returns the label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::Frames => "whole frames",
            Self::Doom3 => "Doom 3",
            Self::Quake => "Quake",
        }
    }

    /// Returns the tooltip.
    pub fn about(self) -> &'static str {
        match self {
            Self::Smooth => "any time",
            Self::Frames => "nothing between two frames",
            Self::Doom3 => "sixty game frames a second, in whole milliseconds",
            Self::Quake => "ten frames of the clip a second, whatever its rate",
        }
    }

    /// Returns the speed of a clip with `frame_rate` frames a second, relative to real time.
    pub fn factor(self, frame_rate: f64) -> f64 {
        if self == Self::Quake { 10.0 / frame_rate } else { 1.0 }
    }

    /// Returns the time shown at `time` of a clip, both in seconds.
    pub fn shown(self, time: f64, frame_rate: f64) -> f64 {
        match self {
            Self::Smooth | Self::Quake => time,
            Self::Frames => (time * frame_rate + 1e-6).floor() / frame_rate,
            Self::Doom3 => {
                let game_frame = (time * 60.0 + 1e-6).floor();
                (game_frame * 1000.0 / 60.0 + 1e-6).floor() / 1000.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_show_what_engines_show() {
        // Game frames are 16.67 ms apart; the third frame is at 33 ms.
        let cases = [
            (Clock::Smooth, 0.0411, 0.0411),
            (Clock::Frames, 0.0411, 0.0),
            (Clock::Frames, 0.0417, 1.0 / 24.0),
            (Clock::Doom3, 0.0166, 0.0),
            (Clock::Doom3, 0.0168, 0.016),
            (Clock::Doom3, 0.0400, 0.033),
            (Clock::Doom3, 0.0500, 0.050),
        ];
        for (clock, time, shown) in cases {
            assert!((clock.shown(time, 24.0) - shown).abs() < 1e-9, "{clock:?} at {time}");
        }
        assert_eq!(Clock::Quake.factor(20.0), 0.5);
        assert_eq!(Clock::Doom3.factor(20.0), 1.0);
    }
}
