//! Recording of a video. The window draws the frames between its own, and another thread encodes and writes them.

use super::jobs::Jobs;
use super::screenshot;
use super::settings::RecordSettings;
use crate::commands::record::MediaFormat;
use bindpose::render::{Error, Gpu, RenderTarget};
use bindpose_player::FrameTimes;
use bindpose_player::{Player, State};
use image::RgbaImage;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::{JoinHandle, ThreadId};

/// A recording in progress. Dropping it stops it and leaves no file.
pub struct Recording {
    /// Numbers of the frames that the thread requests.
    wanted: Receiver<u32>,
    frames: SyncSender<RgbaImage>,
    thread: JoinHandle<()>,
    times: FrameTimes,
    frame: RenderTarget,
    /// The player's state at the start of the recording.
    state: State,
    yaw: f32,
    name: String,
    drawn: u32,
}

impl Recording {
    /// Starts recording to a new file. `settings` and a view of `size` pixels determine its size.
    pub fn begin(
        jobs: &Jobs,
        gpu: &Gpu,
        player: &Player,
        (settings, size): (&RecordSettings, (u32, u32)),
        (path, format): (PathBuf, MediaFormat),
    ) -> anyhow::Result<Self> {
        let (mut state, times) = settings.plan(&player.state)?;
        state.settings.scale = 1.0;
        if let Some(background) = settings.background.chosen() {
            (state.settings.background, state.settings.grid) = (background, false);
        }
        let size = settings.size(size);
        if size.0 == 0 || size.1 == 0 {
            anyhow::bail!("the window is too small to record");
        }
        let frame = RenderTarget::new(gpu, size.0, size.1)?;
        let made = times.animation(size, settings.quality);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (thread, wanted, frames) = jobs.record(path, format, made);
        let yaw = state.camera.yaw;
        Ok(Self { wanted, frames, thread, times, frame, state, yaw, name, drawn: 0 })
    }

    /// Draws the next frame if the thread needs one.
    pub fn step(&mut self, player: &mut Player) -> Result<(), Error> {
        let Ok(number) = self.wanted.try_recv() else { return Ok(()) };
        let time = self.times.at(number);
        let playback = &mut self.state.playback;
        let duration = playback.duration();
        match self.state.camera_path.as_mut().filter(|path| path.is_shown) {
            Some(path) => {
                path.playback.seek(time.time);
                playback.seek(if duration > 0.0 { time.time.rem_euclid(duration) } else { 0.0 });
            }
            None => playback.seek(time.time),
        }
        self.state.camera.yaw = self.yaw + (time.turn * std::f64::consts::TAU) as f32;
        let image = screenshot::take(player, &mut self.state, &self.frame)?;
        self.drawn = (self.drawn + 1).min(self.times.count);
        // The thread reports its own errors.
        let _ = self.frames.send(image);
        Ok(())
    }

    pub fn thread(&self) -> ThreadId {
        self.thread.thread().id()
    }

    pub fn progress(&self) -> String {
        format!("recording {}: frame {} of {}", self.name, self.drawn, self.times.count)
    }

    /// Stops and waits until the thread has removed its file.
    pub fn abandon(self) {
        let Self { wanted, frames, thread, .. } = self;
        drop((wanted, frames));
        let _ = thread.join();
    }
}
