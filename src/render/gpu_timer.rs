//! Time measured by the GPU's clock.

use super::Gpu;
use glium::backend::{Context, Facade};
use glium::debug::TimestampQuery;
use glium::{Api, Version};
use std::rc::Rc;
use std::time::Duration;

/// Sum of the GPU times of parts of a frame.
pub struct GpuTimer {
    context: Rc<Context>,
    /// Timestamps before and after each part.
    stamps: Vec<[TimestampQuery; 2]>,
}

impl GpuTimer {
    /// Creates a timer; `None` before OpenGL 3.3.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let context = gpu.get_context();
        let has_clock = context.get_opengl_version() >= &Version(Api::Gl, 3, 3);
        has_clock.then(|| Self { context: Rc::clone(context), stamps: Vec::new() })
    }

    /// Calls `submit` and times its work on the GPU from start to end, including waits.
    pub fn time<R>(&mut self, submit: impl FnOnce() -> R) -> R {
        let before = TimestampQuery::new(&self.context);
        let result = submit();
        self.stamps.extend(before.zip(TimestampQuery::new(&self.context)).map(<[_; 2]>::from));
        result
    }

    /// Returns and resets the sum; waits until the work is done.
    pub fn take(&mut self) -> Duration {
        let spans = self.stamps.drain(..).map(|[before, after]| {
            let before = before.get();
            Duration::from_nanos(after.get().saturating_sub(before))
        });
        spans.sum()
    }
}
