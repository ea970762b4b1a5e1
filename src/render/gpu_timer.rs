//! Time by the GPU's own clock.

use super::Gpu;
use glium::backend::{Context, Facade};
use glium::debug::TimestampQuery;
use glium::{Api, Version};
use std::rc::Rc;
use std::time::Duration;

/// Adds up how long the GPU takes for parts of a frame.
pub struct GpuTimer {
    context: Rc<Context>,
    /// Before and after each part.
    stamps: Vec<[TimestampQuery; 2]>,
}

impl GpuTimer {
    /// A timer of nothing yet; `None` where OpenGL is older than 3.3 and has no such clock.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let context = gpu.get_context();
        let has_clock = context.get_opengl_version() >= &Version(Api::Gl, 3, 3);
        has_clock.then(|| Self { context: Rc::clone(context), stamps: Vec::new() })
    }

    /// Does something that asks the GPU for work, and times that: from when the GPU comes to it until it is done, with what it
    /// waits for in between.
    pub fn time<R>(&mut self, ask: impl FnOnce() -> R) -> R {
        let before = TimestampQuery::new(&self.context);
        let result = ask();
        self.stamps.extend(before.zip(TimestampQuery::new(&self.context)).map(<[_; 2]>::from));
        result
    }

    /// What was timed since the last time that this was asked; waits until it is done.
    pub fn take(&mut self) -> Duration {
        let spans = self.stamps.drain(..).map(|[before, after]| {
            let before = before.get();
            Duration::from_nanos(after.get().saturating_sub(before))
        });
        spans.sum()
    }
}
