//! A film of what is played: the window draws its pictures between its own, another thread encodes and writes them.

use super::jobs::Jobs;
use crate::commands::record::{Animation, MediaFormat};
use crate::commands::render::frame_times::FrameTimes;
use bindpose::player::{Player, State};
use bindpose::render::{Error, Gpu, RenderTarget};
use image::RgbaImage;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::{JoinHandle, ThreadId};

/// A film that is being made. Dropped, it ends and leaves no file.
pub struct Recording {
    /// Numbers of pictures, as the thread comes to need them.
    wanted: Receiver<u32>,
    pictures: SyncSender<RgbaImage>,
    thread: JoinHandle<()>,
    moments: FrameTimes,
    frame: RenderTarget,
    /// What is shown, as it was when the film was begun.
    state: State,
    yaw: f32,
    name: String,
    drawn: u32,
}

impl Recording {
    /// Begins a film of a size (pixels) in a new file.
    pub fn begin(
        jobs: &Jobs,
        gpu: &Gpu,
        player: &Player,
        (width, height): (u32, u32),
        (path, format): (PathBuf, MediaFormat),
    ) -> anyhow::Result<Self> {
        let state = player.state.at_rest();
        // A film goes on for as long as its camera does, the clip in it again and again.
        let film = state.shown_film();
        let moments = FrameTimes::of_playback(film.as_ref().unwrap_or(&state.playback), state.turntable != 0.0)?;
        // Some encoders take no odd numbers.
        let size = (width & !1, height & !1);
        if size.0 == 0 || size.1 == 0 {
            anyhow::bail!("the window is too small for a picture");
        }
        let frame = RenderTarget::new(gpu, size.0, size.1)?;
        let made = Animation { size, frames: moments.count, rate: moments.rate, is_endless: moments.is_endless() };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (thread, wanted, pictures) = jobs.record(path, format, made);
        let yaw = state.camera.yaw;
        Ok(Self { wanted, pictures, thread, moments, frame, state, yaw, name, drawn: 0 })
    }

    /// Draws the picture that is needed next, if one is.
    pub fn step(&mut self, player: &mut Player) -> Result<(), Error> {
        let Ok(number) = self.wanted.try_recv() else { return Ok(()) };
        let moment = self.moments.at(number);
        let playback = &mut self.state.playback;
        let duration = playback.duration();
        match self.state.reel.as_mut().filter(|reel| reel.is_shown) {
            Some(reel) => {
                reel.playback.seek(moment.time);
                playback.seek(if duration > 0.0 { moment.time.rem_euclid(duration) } else { 0.0 });
            }
            None => playback.seek(moment.time),
        }
        self.state.camera.yaw = self.yaw + (moment.turn * std::f64::consts::TAU) as f32;
        std::mem::swap(&mut player.state, &mut self.state);
        let drawn = player.draw(&self.frame);
        std::mem::swap(&mut player.state, &mut self.state);
        drawn?;
        self.drawn = (self.drawn + 1).min(self.moments.count);
        // The thread says itself why it has gone.
        let _ = self.pictures.send(self.frame.read());
        Ok(())
    }

    /// The thread that writes it.
    pub fn thread(&self) -> ThreadId {
        self.thread.thread().id()
    }

    /// How far it is, for people.
    pub fn progress(&self) -> String {
        format!("recording {}: {} of {} pictures", self.name, self.drawn, self.moments.count)
    }

    /// Ends it and waits until nothing of it is left.
    pub fn abandon(self) {
        let Self { wanted, pictures, thread, .. } = self;
        drop((wanted, pictures));
        // It has told what it has to tell.
        let _ = thread.join();
    }
}
