//! `--timing`: what the time goes to until the first picture.

use std::fmt;
use std::time::{Duration, Instant};

/// Steps with the time that each took.
pub struct Times {
    started: Instant,
    last: Instant,
    steps: Vec<(&'static str, Duration)>,
}

impl Default for Times {
    fn default() -> Self {
        let now = Instant::now();
        Self { started: now, last: now, steps: Vec::new() }
    }
}

impl Times {
    /// Ends a step.
    pub fn mark(&mut self, step: &'static str) {
        let now = Instant::now();
        self.steps.push((step, now - self.last));
        self.last = now;
    }
}

impl fmt::Display for Times {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, time) in &self.steps {
            write!(out, "{step} {:.0} ms, ", time.as_secs_f64() * 1000.0)?;
        }
        write!(out, "together {:.0} ms", (self.last - self.started).as_secs_f64() * 1000.0)
    }
}
