//! Wall time to the time of a clip.

use bindpose_core::model::Clip;
use bindpose_core::play::{Playback, Repeat};

/// Returns a playback of two seconds: eleven frames at five per second.
fn playback() -> Playback {
    let clip = Clip { duration: 2.0, frame_rate: Some(5.0), ..Clip::default() };
    Playback::new(Some(&clip))
}

fn playing(repeat: Repeat, speed: f64) -> Playback {
    let mut playback = playback();
    (playback.repeat, playback.speed) = (repeat, speed);
    playback
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn a_clip_that_has_ended_is_played_again() {
    // mode, speed, elapsed seconds, time and pause after the toggle
    let cases = [
        (Repeat::Clamp, 1.0, 3.0, 0.0, false),
        (Repeat::Clamp, -1.0, 3.0, 2.0, false),
        (Repeat::Clamp, 1.0, 0.5, 0.5, true),
        (Repeat::Loop, 1.0, 2.0, 0.0, true),
    ];
    for (repeat, speed, seconds, time, paused) in cases {
        let mut playback = playing(repeat, speed);
        playback.advance(seconds);
        playback.toggle();
        assert_eq!((playback.time(), playback.paused), (time, paused), "{repeat:?} x{speed} {seconds}");
    }
}

#[test]
fn time_passes_by_speed_and_mode() {
    use Repeat::{Clamp, Loop, PingPong};
    // mode, speed, successive elapsed seconds, clip time, loops
    let cases: &[(Repeat, f64, &[f64], f64, u64)] = &[
        (Loop, 1.0, &[0.5], 0.5, 0),
        (Loop, 1.0, &[2.0], 0.0, 1),
        (Loop, 1.0, &[0.9, 1.4], 0.3, 1),
        (Loop, 2.5, &[2.0], 1.0, 2),
        (Loop, -1.0, &[0.5], 1.5, 0),
        (Loop, 1.0, &[1e9], 0.0, 500_000_000),
        (Clamp, 1.0, &[5.0], 2.0, 0),
        (Clamp, -1.0, &[5.0], 0.0, 0),
        (Clamp, 1.0, &[5.0, -0.5], 1.5, 0),
        (PingPong, 1.0, &[1.5], 1.5, 0),
        (PingPong, 1.0, &[2.5], 1.5, 0),
        (PingPong, 1.0, &[2.5, 1.0], 0.5, 0),
        (PingPong, 1.0, &[4.5], 0.5, 0),
        (PingPong, 1.0, &[2.5, 2.0, 1.0], 1.5, 0),
        (PingPong, -1.0, &[0.5], 0.5, 0),
        (Loop, 1.0, &[f64::NAN], 0.0, 0),
    ];
    for &(repeat, speed, passing, time, loops) in cases {
        let mut playback = playing(repeat, speed);
        passing.iter().for_each(|&seconds| playback.advance(seconds));
        assert!(close(playback.time(), time), "{repeat:?} x{speed} {passing:?}: {}", playback.time());
        assert_eq!(playback.loops(), loops, "{repeat:?} x{speed} {passing:?}");
    }
}

#[test]
fn a_pause_holds_the_time() {
    let mut playback = playback();
    playback.advance(0.7);
    playback.paused = true;
    playback.advance(0.7);
    assert!(close(playback.time(), 0.7));
}

#[test]
fn steps_go_to_whole_frames_and_around() {
    // start, repeat, step, frame reached
    let cases = [
        (0.0, Repeat::Loop, 1, 1),
        (0.0, Repeat::Loop, -1, 10),
        (2.0, Repeat::Loop, 1, 0),
        (1.8, Repeat::Loop, 1, 10),
        (0.5, Repeat::Loop, 1, 3),
        (0.5, Repeat::Loop, -1, 2),
        (0.6, Repeat::Loop, 1, 4),
        (0.6, Repeat::Loop, -1, 2),
        (2.0, Repeat::Clamp, 1, 10),
        (0.0, Repeat::Clamp, -3, 0),
        (0.0, Repeat::Loop, 25, 3),
    ];
    for (start, repeat, frames, reached) in cases {
        let mut playback = playing(repeat, 1.0);
        playback.seek(start);
        playback.step(frames);
        assert!(playback.paused);
        assert_eq!(playback.frame(), reached, "from {start} by {frames}");
        assert!(close(playback.time(), reached as f64 / 5.0), "from {start} by {frames}");
    }
}

#[test]
fn the_last_frame_is_counted_from_the_duration() {
    assert_eq!(playback().last_frame(), 10);
    for rate in [24.0, 30.0, 60.0, 29.97] {
        for frames in [1_u64, 2, 25, 1000] {
            let clip = Clip { duration: (frames - 1) as f64 / rate, frame_rate: Some(rate), ..Clip::default() };
            assert_eq!(Playback::new(Some(&clip)).last_frame(), frames - 1, "{frames} at {rate}");
        }
    }
}

#[test]
fn a_range_is_all_that_is_played() {
    use Repeat::{Clamp, Loop, PingPong};
    // mode, speed, elapsed seconds, clip time, loops. The range is 0.4 to 1.4
    let cases = [
        (Loop, 1.0, 0.5, 0.9, 0),
        (Loop, 1.0, 1.25, 0.65, 1),
        (Loop, -1.0, 0.25, 1.15, 0),
        (Clamp, 1.0, 5.0, 1.4, 0),
        (Clamp, -1.0, 5.0, 0.4, 0),
        (PingPong, 1.0, 1.25, 1.15, 0),
    ];
    for (repeat, speed, seconds, time, loops) in cases {
        let mut playback = playing(repeat, speed);
        playback.set_range(Some((1.4, 0.4)));
        assert!(close(playback.time(), 0.4), "the range's start is shown");
        playback.advance(seconds);
        assert!(close(playback.time(), time), "{repeat:?} x{speed} {seconds}: {}", playback.time());
        assert_eq!(playback.loops(), loops, "{repeat:?} x{speed} {seconds}");
    }
    let mut playback = playback();
    playback.set_range(Some((0.4, 1.4)));
    let frames: Vec<u64> = (0..7)
        .map(|_| {
            playback.step(1);
            playback.frame()
        })
        .collect();
    assert_eq!(frames, [3, 4, 5, 6, 7, 2, 3]);
    for whole in [None, Some((1.0, 1.0)), Some((f64::NAN, 1.0)), Some((-1.0, 9.0))] {
        playback.set_range(whole);
        assert_eq!((playback.range(), playback.has_range()), ((0.0, 2.0), false), "{whole:?}");
    }
}

#[test]
fn only_what_changes_is_moving() {
    let mut playback = playback();
    assert!(playback.is_moving());
    playback.repeat = Repeat::Clamp;
    playback.advance(9.0);
    assert!(!playback.is_moving(), "it has ended");
    playback.repeat = Repeat::Loop;
    playback.speed = 0.0;
    assert!(!playback.is_moving());
    assert!(!Playback::new(None).is_moving());
}

#[test]
fn without_a_clip_nothing_moves() {
    let mut playback = Playback::new(None);
    playback.advance(1.0);
    playback.step(1);
    playback.seek(3.0);
    assert_eq!((playback.time(), playback.frame(), playback.last_frame()), (0.0, 0, 0));
    let broken = Clip { duration: f64::INFINITY, frame_rate: Some(-1.0), ..Clip::default() };
    assert_eq!(Playback::new(Some(&broken)).duration(), 0.0);
}
