//! The window on displays: servers that end, core contexts, scale factors, Wayland, and another size.

use super::driver::{Player, Screen, difference, has_screen, traced, wait_for, wait_state, write_post};
use image::RgbImage;
use std::process::Command;

#[test]
fn losing_the_window_or_the_server_ends_the_player_with_a_message() {
    if !has_screen() {
        return;
    }
    let losses = [
        ("window", 0, "the window was destroyed by another program"),
        ("server", 2, "the window is gone: the connection to the display was lost"),
    ];
    for (what, code, sentence) in losses {
        let folder = write_post();
        let screen = Screen::start();
        let mut player = screen.play(&["post.md5mesh", "--repeat", "once"], &folder);
        if what == "window" {
            screen.xdotool(&["windowclose", &player.window]);
        } else {
            let server = screen.server.0.id().to_string();
            assert!(Command::new("kill").args(["-KILL", &server]).status().unwrap().success());
        }
        let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
        let stderr = std::fs::read_to_string(folder.join("stderr.txt")).unwrap();
        let is_foreign = ["panicked", "XIO", "X connection"].iter().any(|word| stderr.contains(word));
        assert!(stderr.contains(sentence) && !is_foreign, "{what}: {stderr}");
        assert_eq!(status.code(), Some(code), "{what}: {stderr}");
    }
}

/// Windows of macOS have core contexts only. Mesa's are as strict except for the compiler.
#[test]
fn a_core_context_shows_the_same_window() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let of = |one: &RgbImage, other: &RgbImage| one.iter().zip(other.iter()).map(|(a, b)| a.abs_diff(*b)).max();
    let mut seen: Option<RgbImage> = None;
    for variables in [&[][..], crate::support::CORE] {
        let screen = Screen { variables, ..Screen::start() };
        let player = screen
            .play(&["post.md5mesh", "--clip", "bend", "--frame", "2", "--method", "dqs", "--trace-events"], &folder);
        player.wait_keys(&folder);
        // Nothing moves, and the notes of the start are gone.
        wait_state(&folder, &["frame=2", "paused=true", "checked=true", "notes=0"]);
        for key in ["shift+n", "shift+b"] {
            let before = player.wait_rest();
            player.key(key);
            wait_for(key, || (player.look() != before).then_some(()));
        }
        match &seen {
            None => seen = Some(player.wait_rest()),
            Some(seen) => wait_for("the same window within 8 of 255", || {
                of(seen, &player.look()).is_some_and(|most| most <= 8).then_some(())
            }),
        }
    }
}

/// The layout is the same at each scale factor, with more pixels, and clicks hit the same in X11 and Wayland.
#[test]
fn every_scale_factor_has_the_same_layout() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let arguments = ["post.md5mesh", "--clip", "bend", "--frame", "2", "--trace-events"];
    let at_rest = |player: &Player<'_>, scale: f32| {
        wait_state(&folder, &["frame=2", "paused=true", "checked=true", "notes=0"]);
        let click = |x: f32, y: f32| {
            let [x, y] = [x * scale, y * scale].map(|place| place.round().to_string());
            player.screen.xdotool(&["mousemove", "--sync", "--window", &player.window, &x, &y, "click", "1"]);
        };
        // The second tab, the post, and the timeline.
        for (x, y, state) in [(346.0, 15.0, "page=Joints"), (150.0, 90.0, "joint=upper"), (282.0, 320.0, "frame=4")] {
            wait_for(&format!("{state} at scale factor {scale} in {}", traced(&folder)), || {
                click(x, y);
                traced(&folder).contains(state).then_some(())
            });
        }
        player.wait_rest()
    };
    // The model with its marks. Text beside it is set at other fractions of a pixel.
    let view = |look: &RgbImage| {
        image::imageops::crop_imm(&image::imageops::thumbnail(look, 560, 400), 0, 30, 278, 180).to_image()
    };
    let mut looks: Vec<RgbImage> = Vec::new();
    for (variables, scale) in
        [(&[][..], 1.0), (&[("WINIT_X11_SCALE_FACTOR", "1.5")], 1.5), (&[("WINIT_X11_SCALE_FACTOR", "2")], 2.0)]
    {
        let screen = Screen { variables, ..Screen::start() };
        let player = screen.play(&arguments, &folder);
        let look = at_rest(&player, scale);
        assert_eq!(look.dimensions(), ((560.0 * scale) as u32, (400.0 * scale) as u32));
        looks.push(look);
        let apart = difference(&view(looks.last().unwrap()), &view(&looks[0]));
        assert!(apart < 1.5, "scale factor {scale} looks different by {apart}");
    }
    // Enlarged, edges would be half as steep.
    let steepness = |look: &RgbImage| -> f64 {
        let pairs = look.pixels().zip(look.pixels().skip(1));
        pairs.map(|(a, b)| f64::from(a[1].abs_diff(b[1])).powi(2)).sum()
    };
    let enlarged = image::imageops::resize(&looks[0], 1120, 800, image::imageops::FilterType::Triangle);
    let (steep, soft) = (steepness(&looks[2]), steepness(&enlarged));
    assert!(steep > 2.0 * soft, "text is enlarged: {steep} beside {soft}");

    let screen = Screen::start();
    let (compositor, mut player) = screen.play_in_weston(&arguments, &folder, &[]);
    // It fills the screen there, and has its title over the view.
    assert_eq!(at_rest(&player, 2.0).dimensions(), (1120, 800));
    drop(compositor);
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    let stderr = std::fs::read_to_string(folder.join("stderr.txt")).unwrap();
    assert!(stderr.contains("the connection to the display was lost") && !stderr.contains("panicked"), "{stderr}");
    assert_eq!(status.code(), Some(2), "{stderr}");
}

#[test]
fn a_compositor_without_egl_gets_a_sentence() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let screen = Screen::start();
    // EGL without the part that knows the compositor.
    let without = [("__EGL_VENDOR_LIBRARY_FILENAMES", "/dev/null")];
    let (_compositor, mut player) = screen.play_in_weston(&["post.md5mesh"], &folder, &without);
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    let stderr = std::fs::read_to_string(folder.join("stderr.txt")).unwrap();
    let sentence = ["no window: the Wayland compositor", "libgl1-mesa-dri", "WAYLAND_DISPLAY"];
    assert!(sentence.iter().all(|part| stderr.contains(part)) && !stderr.contains("panicked"), "{stderr}");
    assert_eq!(status.code(), Some(2), "{stderr}");
}

#[test]
fn a_resized_window_shows_all_buttons_at_once() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let screen = Screen::start();
    let player = screen.play(&["post.md5mesh", "--clip", "bend", "--frame", "2", "--trace-events"], &folder);
    player.wait_keys(&folder);
    wait_state(&folder, &["checked=true", "notes=0"]);
    let small = player.wait_rest();
    let resize = |width: &str, height: &str| screen.xdotool(&["windowsize", "--sync", &player.window, width, height]);
    resize("900", "500");
    // Keys draw more frames.
    player.wait_keys(&folder);
    let whole = player.wait_rest();
    resize("560", "400");
    player.wait_same("the small window", &small);
    resize("900", "500");
    player.wait_same("window with all buttons", &whole);
}
