//! `bindpose render` and `bindpose doctor` as users call them: files, exit codes, streams.

use bindpose_player::paint;
use image::AnimationDecoder;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A temporary folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("bindpose-render-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Renders the two-joint case, three frames at 24 per second.
    fn render(&self, arguments: &[&str]) -> Output {
        let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");
        let size: &[&str] = if arguments.contains(&"--size") { &[] } else { &["--size", "64x48"] };
        Command::new(env!("CARGO_BIN_EXE_bindpose"))
            .arg("render")
            .args(["base.md5mesh", "base.md5anim"].map(|file| format!("{cases}/{file}")))
            .args(size)
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn has_gl() -> bool {
    crate::support::gpu().is_some()
}

fn fine(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty());
}

#[test]
fn each_format_contains_its_frames() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("kinds");
    fine(&folder.render(&["-o", "a.png", "--frame", "1"]));
    let still = image::open(folder.0.join("a.png")).unwrap().into_rgba8();
    assert_eq!(still.dimensions(), (64, 48));

    // Two frames: the third one equals the loop's first.
    fine(&folder.render(&["-o", "a.gif"]));
    let gif = std::fs::File::open(folder.0.join("a.gif")).unwrap();
    let gif = image::codecs::gif::GifDecoder::new(std::io::BufReader::new(gif)).unwrap();
    let frames = gif.into_frames().collect_frames().unwrap();
    assert_eq!(frames.iter().map(|frame| frame.delay().numer_denom_ms().0).collect::<Vec<_>>(), [40, 40]);

    fine(&folder.render(&["-o", "a.apng"]));
    let apng = std::fs::File::open(folder.0.join("a.apng")).unwrap();
    let apng = image::codecs::png::PngDecoder::new(std::io::BufReader::new(apng)).unwrap();
    let frames = apng.apng().unwrap().into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[1].buffer(), &still, "the clip's second frame differs from the still of it");
    assert_eq!(frames[0].delay().numer_denom_ms().0 / frames[0].delay().numer_denom_ms().1, 1000 / 24);

    // Numbered files have all frames, and more at a higher rate.
    fine(&folder.render(&["-o", "f/%02d.png"]));
    fine(&folder.render(&["-o", "g/x%d.png", "--fps", "48"]));
    let count = |name: &str| std::fs::read_dir(folder.0.join(name)).unwrap().count();
    assert_eq!((count("f"), count("g")), (3, 5));
    assert_eq!(image::open(folder.0.join("f/01.png")).unwrap().into_rgba8(), still);
    assert_eq!(image::open(folder.0.join("g/x2.png")).unwrap().into_rgba8(), still);
    assert_eq!(folder.files(), ["a.apng", "a.gif", "a.png", "f", "g"], "something was left behind");
}

/// The command line of the desktop entry, run as by a file manager on a temporary file without an extension.
#[test]
fn the_thumbnailers_entry_creates_a_thumbnail() {
    if !has_gl() {
        return;
    }
    let entry = include_str!("../../dist/linux/bindpose.thumbnailer");
    let line = entry.lines().find_map(|line| line.strip_prefix("Exec=bindpose render ")).unwrap();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");
    let folder = Folder::new("thumbnail");
    for model in ["base.md5mesh", "base.md5anim"] {
        let fill =
            |word: &str| word.replace("%s", "96").replace("%o", "thumb").replace("%i", &format!("{cases}/{model}"));
        let words: Vec<String> = line.split(' ').map(fill).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        fine(&command.arg("render").args(words).current_dir(&folder.0).output().unwrap());
        let thumbnail = image::open(folder.0.join("thumb"));
        // The name does not show the format.
        assert!(thumbnail.is_err());
        let bytes = std::fs::read(folder.0.join("thumb")).unwrap();
        let thumbnail = image::load_from_memory_with_format(&bytes, image::ImageFormat::Png).unwrap().into_rgba8();
        assert_eq!(thumbnail.dimensions(), (96, 96));
        let drawn = thumbnail.pixels().filter(|pixel| pixel.0[3] > 0).count();
        assert!((50..96 * 96).contains(&drawn), "{model}: {drawn} pixels");
    }
}

/// A quarter of the clip's two frame intervals is half a frame.
#[test]
fn auto_is_a_time_within_the_clip() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("auto");
    fine(&folder.render(&["-o", "auto.png", "--time", "auto"]));
    fine(&folder.render(&["-o", "half.png", "--time", "0.020833333"]));
    fine(&folder.render(&["-o", "first.png"]));
    let [auto, half, first] =
        ["auto", "half", "first"].map(|name| image::open(folder.0.join(format!("{name}.png"))).unwrap().into_rgba8());
    assert!(auto == half && auto != first);
}

#[test]
fn what_cannot_be_drawn_is_said_before_anything_is_written() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("faults");
    let cases: [(&[&str], &str); 18] = [
        (&["-o", "a.png", "--ticks-per-second", "9"], "--ticks-per-second sets the speed of a .x file's clips"),
        (&["-o", "a.png", "--time", "9"], "--time 9 is outside of the clip, which lasts 0.083 s"),
        (&["-o", "a.png", "--frame", "3"], "--frame 3 is outside of the clip, whose last frame is 2"),
        (&["-o", "a.png", "--range", "0..1"], "a .png holds one frame"),
        (&["-o", "a.jpg"], "must end in .png, .gif, .apng, .mp4 or .webm"),
        (&["-o", "a.png", "--clip", "dance"], "no clip is called 'dance'; there is one clip: base"),
        (&["-o", "a.png", "--method", "magic"], "no skinning method is called 'magic'"),
        (&["-o", "a.png", "--camera", "up"], "expected numbers separated by commas"),
        (&["-o", "a.png", "--size", "0x7"], "expected width and height"),
        (&["-o", "a.png", "--time", "0", "--frame", "0"], "cannot be used with"),
        (&["-o", "a.png", "--shaders", "none"], "none is not a folder of shaders"),
        (&["-o", "a.png", "--background", "puce"], "expected #rrggbb"),
        (&["-o", "a.png", "--method", "dq"], "no skinning method is called 'dq'; did you mean dqs?"),
        (&["-o", "a.png", "--clip", "9"], "there is no clip 9; there is one clip: base"),
        (&["-o", "a.gif", "--range", "1..7"], "--range: frame 7 is outside of the clip, whose last frame is 2"),
        (&["-o", "a.png", "--turntable"], "a .png holds one frame"),
        (&["-o", "a.png", "--front", "z", "--up", "-z"], "--front and --up name one axis"),
        (&["-o", "a.png", "--target", "bon"], "no joint is called 'bon'; did you mean 'bone'?"),
    ];
    for (arguments, message) in cases {
        let output = folder.render(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
    let broken = folder.0.join("broken.md5mesh");
    std::fs::write(&broken, "MD5Version 10\nnumJoints nine\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bindpose"))
        .args(["render", "broken.md5mesh", "-o", "a.png"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("broken.md5mesh:2:"));
    assert_eq!(folder.files(), ["broken.md5mesh"]);
    std::fs::write(folder.0.join("empty.x"), "xof 0303txt 0032\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    let output = command.args(["render", "empty.x", "-o", "a.png"]).current_dir(&folder.0).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the model has no surfaces and no joints\n"), "{stderr}");
}

#[test]
fn standard_output_gets_only_the_image() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("stdout");
    fine(&folder.render(&["-o", "a.png", "--frame", "1"]));
    let output = folder.render(&["-o", "-", "--frame", "1"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout == std::fs::read(folder.0.join("a.png")).unwrap());
    let output = folder.render(&["-o", "-", "--format", "gif"]);
    assert!(output.stdout.starts_with(b"GIF89a") && output.stdout.ends_with(b";"));
    assert_eq!(folder.files(), ["a.png"]);
}

#[test]
fn ranges_turns_and_repeats_have_their_frames() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("ranges");
    // The clip has three frames at 24 per second.
    let cases: [(&[&str], usize); 6] = [
        (&["--range", "1..2"], 2),
        (&["--range", "0s..0.05s", "--fps", "100"], 6),
        (&["--repeat", "once"], 3),
        (&["--repeat", "ping-pong"], 4),
        (&["--turntable"], 96),
        (&["--turntable", "--frame", "1", "--fps", "5"], 20),
    ];
    for (arguments, frames) in cases {
        fine(&folder.render(&[&["-o", "a.apng"], arguments].concat()));
        let apng = std::fs::File::open(folder.0.join("a.apng")).unwrap();
        let apng = image::codecs::png::PngDecoder::new(std::io::BufReader::new(apng)).unwrap();
        assert_eq!(apng.apng().unwrap().into_frames().count(), frames, "{arguments:?}");
    }
}

/// docs/formats/md5.md "The camera file": a camera at (4, 4, 60) looks down on the model for two frames. After a cut it
/// looks up and away from it.
#[test]
fn a_video_uses_the_animated_camera() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("film");
    let (at, away) = ("( 4 4 60 ) ( 0 -0.7071067812 0 ) 60", "( 4 4 60 ) ( 0 0.7071067812 0 ) 60");
    let head = "MD5Version 10\ncommandline \"\"\nnumFrames 5\nframeRate 24\nnumCuts 1\ncuts {\n2\n}\n";
    let camera = format!("{head}camera {{\n{at}\n{at}\n{at}\n{away}\n{away}\n}}\n");
    std::fs::write(folder.0.join("way.md5camera"), camera).unwrap();
    let look = ["--no-grid", "--background", "black"];
    fine(&folder.render(&[&["way.md5camera", "-o", "f%d.png"], &look[..]].concat()));
    assert_eq!(folder.files(), ["f0.png", "f1.png", "f2.png", "f3.png", "way.md5camera"]);
    let is_seen = |name: &str| {
        let picture = image::open(folder.0.join(name)).unwrap().into_rgba8();
        picture.pixels().any(|pixel| pixel[0] > 40)
    };
    assert_eq!(["f0.png", "f1.png", "f2.png", "f3.png"].map(is_seen), [true, true, false, false]);
    let alone = Command::new(env!("CARGO_BIN_EXE_bindpose"))
        .args(["render", "way.md5camera", "-o", "a.png"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert_eq!(alone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("a camera alone shows nothing"));
}

/// The model is grey. Pixels that it partly covers are grey too, not darker.
#[test]
fn a_clear_background_leaves_no_dark_fringe() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("fringe");
    fine(&folder.render(&[
        "-o",
        "a.png",
        "--background",
        "transparent",
        "--no-grid",
        "--view",
        "top",
        "--size",
        "99x99",
    ]));
    let picture = image::open(folder.0.join("a.png")).unwrap().into_rgba8();
    let darkest = |alpha: std::ops::RangeInclusive<u8>| {
        let pixels = picture.pixels().filter(|pixel| alpha.contains(&pixel[3]));
        pixels.map(|pixel| pixel[0]).min().expect("there are such pixels")
    };
    let (inside, edge) = (darkest(255..=255), darkest(1..=254));
    assert!(edge + 12 > inside, "the darkest pixel inside is {inside}, at the edge {edge}");
}

/// One sample is either covered or not. With four samples, an edge covers some of them.
#[test]
fn edges_are_smooth_unless_one_sample_is_requested() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("samples");
    let edge_pixels = |samples: &[&str]| {
        fine(&folder.render(&[&["-o", "a.png", "--background", "transparent", "--no-grid"], samples].concat()));
        let image = image::open(folder.0.join("a.png")).unwrap().into_rgba8();
        image.pixels().filter(|pixel| !matches!(pixel[3], 0 | 255)).count()
    };
    assert_eq!(edge_pixels(&["--samples", "1"]), 0);
    assert!(edge_pixels(&[]) > 0);
    assert_eq!(edge_pixels(&["--samples", "4"]), edge_pixels(&[]));
}

#[cfg(unix)]
#[test]
fn without_ffmpeg_the_error_names_the_package() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("ffmpeg");
    let output = Command::new(env!("CARGO_BIN_EXE_bindpose"))
        .args(["render", "-o", "a.mp4", "--size", "32x32"])
        .current_dir(&folder.0)
        .env("PATH", &folder.0)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("ffmpeg, which is not installed; install it"), "{stderr}");
    assert!(folder.files().is_empty());
}

#[test]
fn a_failed_replacement_leaves_no_file() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("replace");
    std::fs::create_dir(folder.0.join("a.png")).unwrap();
    let output = folder.render(&["-o", "a.png"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write a.png"));
    assert_eq!(folder.files(), ["a.png"]);
}

#[test]
fn doctor_lists_every_method() {
    if !has_gl() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_bindpose")).arg("doctor").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let stdout = String::from_utf8_lossy(&output.stdout);
    for method in bindpose::skin::METHODS {
        let row = stdout.lines().find(|line| line.split_whitespace().next() == Some(method.name));
        assert!(row.is_some_and(|row| row.contains("yes") || row.contains("no: ")), "{}\n{stdout}", method.name);
    }
    for limit in ["vertex shader registers", "samples per pixel in a window, moving"] {
        assert!(stdout.contains(limit), "{stdout}");
    }
}

/// Creates a clip of one bone that moves until a tick.
fn clip_until(tick: u64) -> String {
    let matrix = "FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }";
    let keys = format!("AnimationKey {{ 2; 2; 0;3;0,0,0;;, {tick};3;0,0,5;;; }}");
    format!("xof 0303txt 0032\nFrame root {{ {matrix} }}\nAnimationSet walk {{ Animation {{ {{root}} {keys} }} }}\n")
}

#[test]
fn a_clip_of_too_many_frames_is_refused_and_the_old_file_stays() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("frames");
    std::fs::write(folder.0.join("short.x"), clip_until(4800)).unwrap();
    std::fs::write(folder.0.join("long.x"), clip_until(4_000_000_000)).unwrap();
    let cases: [(&[&str], &str); 2] = [
        (&["short.x", "--ticks-per-second", "1e-300"], "the clip lasts 4.8e303 s, which makes "),
        (&["long.x"], "the clip lasts 833333 s, which makes "),
    ];
    for (arguments, message) in cases {
        for name in ["a.gif", "a.apng", "f%d.png"] {
            std::fs::write(folder.0.join(name), "old").unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_bindpose"))
                .arg("render")
                .args(arguments)
                .args(["-o", name])
                .current_dir(&folder.0)
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
            assert!(stderr.contains(message) && stderr.contains("at most 10000 are drawn"), "{stderr}");
            assert_eq!(std::fs::read(folder.0.join(name)).unwrap(), b"old");
        }
    }
    assert_eq!(folder.files(), ["a.apng", "a.gif", "f%d.png", "long.x", "short.x"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_rendering_without_leftovers() {
    if !has_gl() {
        return;
    }
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let folder = Folder::new(signal);
        std::fs::write(folder.0.join("a.gif"), "old").unwrap();
        let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");
        // Rendering would take minutes; the signal comes long before its end.
        let mut render = Command::new(env!("CARGO_BIN_EXE_bindpose"))
            .arg("render")
            .args(["base.md5mesh", "base.md5anim"].map(|file| format!("{cases}/{file}")))
            .args(["-o", "a.gif", "--size", "2000x2000", "--fps", "1000"])
            .current_dir(&folder.0)
            .spawn()
            .unwrap();
        while folder.files().len() < 2 {
            assert_eq!(render.try_wait().unwrap(), None, "it ended before it began to write");
            std::thread::yield_now();
        }
        let sent = Command::new("kill").args([format!("-{signal}"), render.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(render.wait().unwrap().code(), Some(code));
        assert_eq!(folder.files(), ["a.gif"]);
        assert_eq!(std::fs::read(folder.0.join("a.gif")).unwrap(), b"old");
    }
}

/// The same frame passes. Another one fails, and its difference is red where the images differ, which is counted here.
#[test]
fn an_image_is_compared_with_a_reference() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("reference");
    fine(&folder.render(&["-o", "first.png", "--frame", "0"]));
    fine(&folder.render(&["-o", "again.png", "--frame", "0", "--ref", "first.png"]));
    assert_eq!(folder.files(), ["again.png", "first.png"]);
    let compare = ["-o", "other.png", "--frame", "1", "--ref", "first.png"];
    let ran = folder.render(&[&compare[..], &["--difference", "red.png"]].concat());
    assert_eq!(ran.status.code(), Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
    let read = |name: &str| image::open(folder.0.join(name)).unwrap().into_rgba8();
    let [first, other, difference] = ["first.png", "other.png", "red.png"].map(read);
    let is_other = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 3);
    let count = first.pixels().zip(other.pixels()).filter(is_other).count();
    assert_eq!(difference.pixels().filter(|pixel| pixel.0[0] > pixel.0[1]).count(), count);
    let share = count as f64 / (64.0 * 48.0);
    assert!(count > 20 && String::from_utf8_lossy(&ran.stderr).contains(&format!("{count} pixels")), "{count}");
    for (factor, code) in [(1.01, 0), (0.99, 1)] {
        let threshold = (share * factor).to_string();
        let ran = folder.render(&["-o", "c.png", "--frame", "1", "--ref", "first.png", "--threshold", &threshold]);
        assert_eq!(read("c.difference.png"), difference);
        assert_eq!(ran.status.code(), Some(code), "{factor}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    // The file of an earlier difference is brought up to date.
    fine(&folder.render(&["-o", "again.png", "--frame", "0", "--ref", "first.png", "--difference", "red.png"]));
    assert!(read("red.png").pixels().all(|pixel| pixel.0[0] == pixel.0[1]));
    // 18 bytes of TGA that declare 6,000 by 6,000 pixels, run-length encoded.
    let side = 6000_u16.to_le_bytes();
    let bomb = [&[0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &side, &side, &[32, 8]].concat();
    std::fs::write(folder.0.join("bomb.tga"), bomb).unwrap();
    for (arguments, message) in [
        (&["-o", "d.png", "--max-memory", "64M", "--ref", "bomb.tga"][..], "the image has 6000x6000 pixels"),
        (&["-o", "d.gif", "--ref", "first.png"], "--ref compares a single image"),
        (
            &["-o", "d.png", "--ref", "none.png"],
            "bindpose: cannot read none.png: No such file or directory (os error 2)\n",
        ),
        (&["-o", "first.png", "--frame", "1", "--ref", "first.png"], "first.png is the reference"),
        (&["-o", "d.png", "--ref", "first.png", "--difference", "first.png"], "first.png is the reference"),
        (
            &["-o", "d.png", "--size", "32x32", "--frame", "0", "--ref", "first.png"],
            "has 64x48 pixels, and the output 32x32",
        ),
    ] {
        let ran = folder.render(arguments);
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(2) && errors.contains(message), "{arguments:?}: {errors}");
    }
    assert!(!folder.0.join("d.png").exists());
}

/// Draws a sample of two joints, one of which bends.
fn cylinder(folder: &Folder, output: &str, arguments: &[&str]) -> image::RgbaImage {
    let sample = |name: &str| format!("{}/data/md5/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.arg("render").args(["cylinder.md5mesh", "cylinder_bend.md5anim"].map(sample));
    command.args(["--size", "96x96", "--no-grid", "-o", output]).args(arguments).current_dir(&folder.0);
    fine(&command.output().unwrap());
    image::open(folder.0.join(output)).unwrap().into_rgba8()
}

/// In frame 20 the upper joint is turned about y: its quaternion's y is 0.691189. The lower one is at rest.
#[test]
fn a_turned_joint_looks_as_in_the_clip() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("pose");
    let degrees = 2.0 * 0.691_189_f64.asin().to_degrees();
    let [first, second] = [degrees - 30.0, 30.0].map(|degrees| format!("upper=y,{degrees}"));
    let bent = cylinder(&folder, "clip.png", &["--frame", "20"]);
    let turned = cylinder(&folder, "turned.png", &["--frame", "0", "--pose", &first, "--pose", &second]);
    let straight = cylinder(&folder, "straight.png", &["--frame", "0"]);
    let far = |a: &image::RgbaImage, b: &image::RgbaImage| {
        let differs =
            |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8);
        a.pixels().zip(b.pixels()).filter(|&pair| differs(pair)).count()
    };
    assert!(far(&bent, &turned) < 5 && far(&bent, &straight) > 200, "{}", far(&bent, &turned));
}

/// The support of the upper joint has all vertices of the lower one, and none of the last.
#[test]
fn colours_show_the_weights_and_the_support_of_a_joint() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("support");
    let red = |colours: &str| -> BTreeSet<usize> {
        let image = cylinder(&folder, &format!("{colours}.png"), &["--frame", "0", "--colours", colours]);
        let is_red = |(_, pixel): &(usize, &image::Rgba<u8>)| pixel.0[0] / 2 > pixel.0[2].max(40);
        image.pixels().enumerate().filter(is_red).map(|(place, _)| place).collect()
    };
    let [lower, end, support] = ["weights=lower", "weights=end", "support=upper"].map(red);
    assert!(lower.len() > 100 && end.len() > 50 && support.len() > lower.len(), "{} of {}", lower.len(), support.len());
    assert!(lower.is_subset(&support) && end.is_disjoint(&support));
    let wrong = folder.render(&["-o", "wrong.png", "--colours", "support=nobody"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("no joint is called 'nobody'"));
}

/// No triangle of the cylinder has more than two joints, but 690 of the light mannequin's 3,278. Its four triangles with
/// five joints, at the armpits, have these vertices in the file.
#[test]
fn colours_show_triangles_that_fixed_function_cannot_draw() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("matrices");
    let path = |model: &str| format!("{}/data/md5/{model}.md5mesh", env!("CARGO_MANIFEST_DIR"));
    let yellow = |model: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.args(["render", &path(model), "--size", "96x96", "--no-grid", "-o", "matrices.png"]);
        fine(&command.args(["--colours", "matrices"]).current_dir(&folder.0).output().unwrap());
        let image = image::open(folder.0.join("matrices.png")).unwrap().into_rgba8();
        image.pixels().filter(|pixel| pixel.0[0] / 2 > pixel.0[2] && pixel.0[1] / 2 > pixel.0[2]).count()
    };
    assert_eq!(yellow("cylinder"), 0);
    assert!(yellow("mannequin_light") > 200);
    let model = bindpose::load::load(&[path("mannequin_light")], &Default::default()).unwrap().model;
    let colours = paint::matrices(&model).swap_remove(0);
    let red = colours.iter().zip(&model.meshes[0].source_vertices).filter(|(colour, _)| **colour == paint::heat(1.0));
    let red: BTreeSet<u32> = red.map(|(_, vertex)| *vertex).collect();
    assert_eq!(red, [813, 829, 830, 837, 1827, 1842, 1843, 1850].into());
}

/// Each batch has one hue, so lit and unlit pixels differ only in brightness.
#[test]
fn colours_show_batches_instead_of_materials() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("colours");
    let still = |name: &str, more: &[&str]| {
        let common = ["-o", name, "--frame", "0", "--method", "ffp", "--no-grid", "--background", "black"];
        fine(&folder.render(&[&common, more].concat()));
        image::open(folder.0.join(name)).unwrap().into_rgb8()
    };
    let (plain, batches) = (still("plain.png", &[]), still("batches.png", &["--colours", "batches"]));
    assert!(plain != batches);
    let bright = batches.pixels().filter(|pixel| pixel.0.iter().any(|&channel| channel > 60));
    let strongest = |pixel: &image::Rgb<u8>| (0..3).max_by_key(|&channel| pixel[channel]).unwrap();
    let mut channels: Vec<usize> = bright.map(strongest).collect();
    assert!(channels.len() > 10, "{} pixels", channels.len());
    channels.sort_unstable();
    channels.dedup();
    assert_eq!(channels.len(), 1, "{channels:?}");
    let wrong = folder.render(&["-o", "wrong.png", "--colours", "rainbow"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn an_attached_model_is_named_by_joint_file_and_clip() {
    if !has_gl() {
        return;
    }
    let folder = Folder::new("attach");
    let cylinder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/md5/cylinder.md5mesh");
    let render = |attached: &str, name: &str| folder.render(&["--attach", attached, "-o", name, "--no-grid"]);
    fine(&folder.render(&["--no-grid", "-o", "alone.png"]));
    fine(&render(&format!("bone={cylinder},cylinder_bend@0,0,1"), "attached.png"));
    let [alone, attached] = ["alone.png", "attached.png"].map(|name| std::fs::read(folder.0.join(name)).unwrap());
    assert_ne!(alone, attached);
    // A clip of the attached file has ticks.
    let file = format!("bone={}", cylinder.replace("md5/cylinder.md5mesh", "x/cylinder.x"));
    fine(&folder.render(&["--attach", &file, "--ticks-per-second", "9", "-o", "ticks.png"]));
    let refused = [
        (format!("bonee={cylinder}"), "--attach: no joint is called 'bonee'; did you mean 'bone'?"),
        (format!("bone={cylinder},bend"), "--attach: no clip is called 'bend'"),
        ("bone=lost.md5mesh".into(), "--attach: cannot read lost.md5mesh"),
        (format!("bone={cylinder}@1,2"), "expected @X,Y,Z or @X,Y,Z,RX,RY,RZ"),
    ];
    for (attached, reason) in refused {
        let output = render(&attached, "refused.png");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(reason), "{attached}: {:?} {said}", output.status);
    }
}
