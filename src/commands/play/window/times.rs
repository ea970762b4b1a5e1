//! Times until the first frame, for `--timing`, and frames per second.

use std::fmt;
use std::time::{Duration, Instant};

/// Steps of starting with their durations.
pub struct StartupTimes {
    started: Instant,
    last: Instant,
    steps: Vec<(&'static str, Duration)>,
}

impl Default for StartupTimes {
    fn default() -> Self {
        let now = Instant::now();
        Self { started: now, last: now, steps: Vec::new() }
    }
}

impl StartupTimes {
    pub fn mark(&mut self, step: &'static str) {
        let now = Instant::now();
        self.steps.push((step, now - self.last));
        self.last = now;
    }
}

impl fmt::Display for StartupTimes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, time) in &self.steps {
            write!(out, "{step} {:.0} ms, ", time.as_secs_f64() * 1000.0)?;
        }
        write!(out, "together {:.0} ms", (self.last - self.started).as_secs_f64() * 1000.0)
    }
}

/// Frames per second, counted over half a second.
pub struct FrameRate {
    since: Instant,
    frames: u32,
    /// Latest result.
    pub shown: f64,
}

impl Default for FrameRate {
    fn default() -> Self {
        Self { since: Instant::now(), frames: 0, shown: 0.0 }
    }
}

impl FrameRate {
    pub fn count(&mut self) {
        self.frames += 1;
        let passed = self.since.elapsed().as_secs_f64();
        if passed > 0.5 {
            self.shown = f64::from(self.frames) / passed;
            (self.since, self.frames) = (Instant::now(), 0);
        }
    }
}
