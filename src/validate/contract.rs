//! Thresholds for the motion of clips, by patterns of their names.

use glob::{MatchOptions, Pattern};
use serde::Deserialize;

/// Words in the names of clips that loop.
const LOOPING: [&str; 12] =
    ["walk", "run", "idle", "stand", "cycle", "loop", "swim", "fly", "hover", "strafe", "crawl", "jog"];
/// Words in the names of clips that play once, whose end need not match their start.
const PLAYED_ONCE: [&str; 12] =
    ["attack", "death", "die", "dying", "fire", "hit", "pain", "raise", "reload", "shoot", "shot", "melee"];
/// Words in the names of clips in which the model stands still.
const STANDING: [&str; 3] = ["idle", "stand", "breath"];
/// Words in the names of joints that touch the ground.
const FEET: [&str; 6] = ["foot", "ankle", "toe", "heel", "hoof", "paw"];

/// Thresholds for the clips that match a pattern. Sizes are fractions of the skeleton's diagonal in frame 0.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Thresholds {
    /// Names of clips without extension. `*` and `?` are wildcards, and case does not matter.
    pub clips: String,
    /// True if the clips loop. If missing, names such as walk, run and idle decide.
    pub loops: Option<bool>,
    /// Largest distance between a joint's end and its start, as a fraction of the size. Every step between frames must
    /// be shorter.
    pub seam: f64,
    /// Largest rotation between a joint's end and its start, in degrees.
    pub seam_degrees: f64,
    /// Largest change of a joint's velocity at the seam, as a fraction of the size per frame.
    pub seam_velocity: f64,
    /// Joints that touch the ground. If empty, the lowest joints with names such as foot and toe.
    pub feet: Vec<String>,
    /// Longest slide of a foot on the ground, as a fraction of the size.
    pub slide: f64,
    /// Speed of the root in units per second. If missing, only clips with names such as idle must stand still.
    pub speed: Option<f64>,
    /// Largest relative difference from that speed.
    pub speed_tolerance: f64,
    /// Joints that move in these clips.
    pub moving: Vec<String>,
    /// Largest rotation in one frame, in degrees, of a joint that hardly rotates before and after.
    pub flip_degrees: f64,
    /// Largest movement of a joint back and forth between frames, as a fraction of the size.
    pub jitter: f64,
    /// Largest distance of the model from its root, as a fraction of the size.
    pub drift: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            clips: "*".to_owned(),
            loops: None,
            seam: 0.01,
            seam_degrees: 5.0,
            seam_velocity: 0.03,
            feet: Vec::new(),
            slide: 0.05,
            speed: None,
            speed_tolerance: 0.1,
            moving: Vec::new(),
            flip_degrees: 120.0,
            jitter: 0.01,
            drift: 0.25,
        }
    }
}

/// Thresholds for all clips.
#[derive(Debug, Clone, Default)]
pub struct Contract {
    /// Patterns in file order. The last match counts.
    patterns: Vec<(Pattern, Thresholds)>,
    usual: Thresholds,
}

/// Error in the thresholds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum ContractError {
    /// The pattern is invalid.
    #[error("the pattern '{pattern}' of motion cannot be read: {reason}")]
    Pattern { pattern: String, reason: String },
    /// A number is negative or not a number.
    #[error("'{name}' of the motion of '{clips}' is {value}, expected 0 or more")]
    Number {
        name: &'static str,
        /// The pattern with this key.
        clips: String,
        value: String,
    },
}

impl Contract {
    /// Creates a contract from thresholds in file order: among several that match a clip, the last one counts.
    pub fn new(all: Vec<Thresholds>) -> Result<Self, ContractError> {
        let mut patterns = Vec::with_capacity(all.len());
        for thresholds in all {
            let pattern = thresholds.clips.clone();
            let numbers = [
                ("seam", thresholds.seam),
                ("seam-degrees", thresholds.seam_degrees),
                ("seam-velocity", thresholds.seam_velocity),
                ("slide", thresholds.slide),
                ("speed", thresholds.speed.unwrap_or(0.0)),
                ("speed-tolerance", thresholds.speed_tolerance),
                ("flip-degrees", thresholds.flip_degrees),
                ("jitter", thresholds.jitter),
                ("drift", thresholds.drift),
            ];
            if let Some((name, value)) = numbers.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
                return Err(ContractError::Number { name, clips: pattern, value: value.to_string() });
            }
            let names = Pattern::new(&pattern);
            let refuse = |error: glob::PatternError| ContractError::Pattern { pattern, reason: error.msg.to_owned() };
            patterns.push((names.map_err(refuse)?, thresholds));
        }
        Ok(Self { patterns, usual: Thresholds::default() })
    }

    /// Returns the thresholds for a clip.
    pub fn of(&self, clip: &str) -> &Thresholds {
        let any_case = MatchOptions { case_sensitive: false, ..MatchOptions::new() };
        let matching = self.patterns.iter().rev().find(|(pattern, _)| pattern.matches_with(clip, any_case));
        matching.map_or(&self.usual, |(_, thresholds)| thresholds)
    }
}

impl Thresholds {
    pub(super) fn is_loop(&self, clip: &str) -> bool {
        self.loops.unwrap_or_else(|| names(clip, &LOOPING))
    }
}

pub(super) fn is_played_once(clip: &str) -> bool {
    names(clip, &PLAYED_ONCE)
}

/// True if the model stands still in a clip with this name.
pub(super) fn is_standing(clip: &str) -> bool {
    names(clip, &STANDING)
}

/// True if a joint with this name may touch the ground.
pub(super) fn is_foot(joint: &str) -> bool {
    names(joint, &FEET)
}

fn names(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    words.iter().any(|word| name.contains(word))
}
