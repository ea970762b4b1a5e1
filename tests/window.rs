//! The player's window, driven by keys and mouse, and checked by titles and screenshots.
//!
//! Starts its own Xvfb. Needs Xvfb, xdotool and ImageMagick's `import`. Without them, the test prints a line, or fails
//! if `BINDPOSE_REQUIRE_WINDOW` is set.

use bindpose::load::LoadOptions;
use bindpose::player::{Gizmo, View, Viewport};
use image::{AnimationDecoder as _, RgbImage};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Interval and number of polls.
const LOOK_EVERY: Duration = Duration::from_millis(40);
const LOOKS: usize = 1500;

/// Polls until there is a result.
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..LOOKS {
        if let Some(seen) = look() {
            return seen;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    panic!("no {what} in time");
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The id of an ended process may belong to another process.
        if self.0.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        // On SIGTERM, Xvfb removes its lock and its socket.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

fn exists(program: &str) -> bool {
    Command::new(program).arg("-help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Writes a post with two joints and its clips "bend" and "turn" of nine frames as MD5 files. Returns their folder.
fn write_post(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bindpose-window-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut mesh = String::from(
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n\"lower\" -1 ( 0 0 0 ) ( 0 0 0 )\n\
         \"upper\" 0 ( 0 0 30 ) ( 0 0 0 )\n}\nmesh {\nshader \"post\"\nnumverts 16\n",
    );
    let mut weights = String::new();
    for vertex in 0..16 {
        let (ring, corner) = (vertex / 4, vertex % 4);
        let (x, y) = [(8, 5), (-8, 5), (-8, -5), (8, -5)][corner];
        let (joint, z) = if ring < 2 { (0, 20 * ring as i32) } else { (1, 20 * ring as i32 - 30) };
        writeln!(mesh, "vert {vertex} ( 0 0 ) {vertex} 1").unwrap();
        writeln!(weights, "weight {vertex} {joint} 1 ( {x} {y} {z} )").unwrap();
    }
    writeln!(mesh, "numtris 24").unwrap();
    for ring in 0..3 {
        for corner in 0..4 {
            let (a, b) = (4 * ring + corner, 4 * ring + (corner + 1) % 4);
            let number = 2 * (4 * ring + corner);
            writeln!(mesh, "tri {number} {a} {} {b}", b + 4).unwrap();
            writeln!(mesh, "tri {} {a} {} {}", number + 1, a + 4, b + 4).unwrap();
        }
    }
    writeln!(mesh, "numweights 16\n{weights}}}").unwrap();
    std::fs::write(folder.join("post.md5mesh"), mesh).unwrap();
    for (name, axis) in [("bend", 0), ("turn", 2)] {
        let mut clip = String::from(
            "MD5Version 10\ncommandline \"\"\nnumFrames 9\nnumJoints 2\nframeRate 8\nnumAnimatedComponents 1\n\
             hierarchy {\n\"lower\" -1 0 0\n",
        );
        writeln!(clip, "\"upper\" 0 {} 0\n}}\nbounds {{", 8 << axis).unwrap();
        clip.push_str(&"( -40 -40 0 ) ( 40 40 80 )\n".repeat(9));
        clip.push_str("}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 30 ) ( 0 0 0 )\n}\n");
        for frame in 0..9 {
            writeln!(clip, "frame {frame} {{\n{:.6}\n}}", 0.6 * (f64::from(frame) / 8.0).sin()).unwrap();
        }
        std::fs::write(folder.join(format!("{name}.md5anim")), clip).unwrap();
    }
    folder
}

/// An X server without a screen.
struct Screen {
    server: Running,
    display: String,
}

impl Screen {
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            // Without -noreset, the server restarts and refuses connections whenever its last client disconnects.
            .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
        assert!(!number.trim().is_empty(), "Xvfb found no free display");
        Self { display: format!(":{}", number.trim()), server }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new(program).args(arguments).env("DISPLAY", &self.display).output().unwrap();
        output.stdout
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        String::from_utf8_lossy(&self.run("xdotool", arguments)).trim().to_owned()
    }

    fn play(&self, arguments: &[&str], folder: &Path) -> Player<'_> {
        let mut process = Command::new(env!("CARGO_BIN_EXE_bindpose"))
            .arg("play")
            .args(arguments)
            .current_dir(folder)
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env("XDG_CONFIG_HOME", folder)
            .stderr(std::fs::File::create(folder.join("stderr.txt")).unwrap())
            .spawn()
            .map(Running)
            .unwrap();
        let window = wait_for("the window", || {
            assert_eq!(process.0.try_wait().unwrap(), None, "the player ended before it had a window");
            let found = self.xdotool(&["search", "--name", "^post(.md5mesh)? [|] "]);
            found.lines().next().map(str::to_owned)
        });
        self.focus(&window);
        Player { screen: self, process, window }
    }

    fn focus(&self, window: &str) {
        wait_for("the keyboard's focus", || {
            self.xdotool(&["windowfocus", window]);
            (self.xdotool(&["getwindowfocus"]) == window).then_some(())
        });
    }
}

/// A running player and its window.
struct Player<'a> {
    screen: &'a Screen,
    process: Running,
    window: String,
}

impl Player<'_> {
    fn title(&self) -> String {
        self.screen.xdotool(&["getwindowname", &self.window])
    }

    /// Waits until the title has all `parts`.
    fn wait_title(&self, parts: &[&str]) {
        wait_for(&format!("{parts:?} in the title, which is {:?}", self.title()), || {
            let title = self.title();
            parts.iter().all(|part| title.split(" | ").any(|shown| shown == *part)).then_some(())
        });
    }

    fn key(&self, key: &str) {
        self.screen.xdotool(&["key", key]);
    }

    /// Waits until keys arrive, because the window may miss the first ones. Keys for pages can be repeated.
    fn wait_keys(&self, folder: &Path) {
        for (key, page) in [("F3", "page=Joints"), ("F2", "page=Clips")] {
            wait_for(page, || {
                self.key(key);
                traced(folder).contains(page).then_some(())
            });
        }
    }

    /// Takes a screenshot of the window.
    fn look(&self) -> RgbImage {
        // Uncompressed bytes follow `P6`, width, height and 255. Compression would take longer than everything else.
        let ppm = self.screen.run("import", &["-silent", "-window", &self.window, "-depth", "8", "ppm:-"]);
        let mut parts = ppm.splitn(5, u8::is_ascii_whitespace);
        assert_eq!(parts.next(), Some(&b"P6"[..]));
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
        let (width, height, most): (Option<u32>, Option<u32>, Option<u32>) = (number(), number(), number());
        assert_eq!(most, Some(255));
        let bytes = parts.next().unwrap_or_default().to_vec();
        RgbImage::from_raw(width.unwrap(), height.unwrap(), bytes).expect("a screenshot")
    }

    /// Waits until the window differs from `before` and no longer changes. Returns the new screenshot.
    fn wait_change(&self, what: &str, before: &RgbImage) -> RgbImage {
        wait_for(what, || {
            let now = self.look();
            (difference(before, &now) > 0.01 && now == self.look()).then_some(now)
        })
    }

    /// Waits until the window shows `wanted` again.
    fn wait_same(&self, what: &str, wanted: &RgbImage) {
        wait_for(what, || (self.look() == *wanted).then_some(()));
    }

    fn drag(&self, button: &str, right: i32, down: i32) {
        let (right, down) = (right.to_string(), down.to_string());
        let center = ["mousemove", "--sync", "--window", &self.window, "500", "380"];
        self.screen.xdotool(&center);
        self.screen.xdotool(&["mousedown", button]);
        self.screen.xdotool(&["mousemove_relative", "--sync", "--", &right, &down]);
        self.screen.xdotool(&["mouseup", button]);
    }
}

/// Returns the mean absolute difference of all channels, 0 to 255.
fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 255.0;
    }
    let sum: u64 = a.iter().zip(b.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

/// True if the programs needed for a window are installed.
fn has_screen() -> bool {
    let missing: Vec<&str> = ["Xvfb", "xdotool", "import"].into_iter().filter(|program| !exists(program)).collect();
    if !missing.is_empty() {
        assert!(std::env::var_os("BINDPOSE_REQUIRE_WINDOW").is_none(), "not installed: {}", missing.join(", "));
        crate::support::skip(&format!("tested no window: {} not installed", missing.join(", ")));
    }
    missing.is_empty()
}

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
        let folder = write_post(what);
        let screen = Screen::start();
        let mut player = screen.play(&["post.md5mesh"], &folder);
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
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn keys_and_mouse_follow_the_table() {
    if !has_screen() {
        return;
    }
    let folder = write_post("keys");
    let screen = Screen::start();
    let mut player = screen
        .play(&["post.md5mesh", "bend.md5anim", "turn.md5anim", "--method", "matrix-blend", "--trace-events"], &folder);
    player.wait_title(&["post", "bend", "matrix-blend"]);

    // Without panel and timeline.
    player.wait_keys(&folder);
    player.key("ctrl+b");
    player.key("space");
    wait_state(&folder, &["panel=false", "paused=true"]);
    player.key("1");
    player.wait_title(&["bend", "frame 0/8", "paused"]);
    // The note about the missing image disappears.
    wait_state(&folder, &["notes=0"]);
    let start = wait_for("a frame at rest", || {
        let now = player.look();
        (now == player.look()).then_some(now)
    });
    player.key("Right");
    player.wait_title(&["frame 1/8", "paused"]);
    player.wait_change("the next frame", &start);
    player.key("Left");
    player.wait_title(&["frame 0/8"]);
    player.wait_same("the first frame again", &start);
    player.key("Left");
    player.wait_title(&["frame 8/8"]);
    player.key("Right");
    player.wait_title(&["frame 0/8"]);

    // The three kinds of repeat.
    player.key("l");
    player.wait_title(&["frame 0/8", "once"]);
    player.key("Left");
    player.wait_title(&["frame 0/8", "once"]);
    player.key("l");
    player.wait_title(&["ping-pong"]);
    player.key("l");
    wait_for("a loop again", || (!player.title().contains("ping-pong")).then_some(()));

    // Clips differ at frame 8.
    player.key("Left");
    player.wait_title(&["bend", "frame 8/8"]);
    let bent = player.wait_change("the bent post", &start);
    player.key("Tab");
    player.wait_title(&["turn", "frame 0/8"]);
    player.key("Left");
    player.wait_title(&["turn", "frame 8/8"]);
    player.wait_change("the turned post", &bent);
    player.key("1");
    player.wait_title(&["bend", "frame 0/8"]);
    player.wait_same("the first frame of the first clip", &start);

    // Drawing.
    for (keys, what) in [(&["k"; 2][..], "skeleton"), (&["w"; 3], "edges"), (&["g"; 2], "grid")] {
        for key in &keys[1..] {
            player.key(key);
            player.wait_change(what, &start);
        }
        player.key(keys[0]);
        player.wait_same(&format!("no change of {what}"), &start);
    }

    // Other methods show the same post, until the first method is selected again.
    let mut methods = vec![player.title()];
    while methods.len() == 1 || methods.last() != methods.first() {
        let before = player.title();
        player.key("m");
        methods.push(wait_for("another method", || Some(player.title()).filter(|title| *title != before)));
        wait_for("the same frame", || (difference(&start, &player.look()) < 0.5).then_some(()));
        assert!(methods.len() < 30, "the methods do not come around: {methods:?}");
    }
    player.wait_same("the first method's frame", &start);

    // The mouse, and resetting the camera.
    let mouse: [(&str, &dyn Fn()); 4] = [
        ("rotating", &|| player.drag("1", 120, 40)),
        ("moving", &|| player.drag("3", 120, 40)),
        ("zooming by drag", &|| player.drag("2", 0, 80)),
        ("zooming by wheel", &|| drop(player.screen.xdotool(&["click", "--repeat", "3", "4"]))),
    ];
    for (what, act) in mouse {
        act();
        player.wait_change(what, &start);
        player.key("r");
        player.wait_same(&format!("the camera reset after {what}"), &start);
    }

    // Speed, and the end.
    player.key("bracketright");
    player.key("space");
    player.wait_title(&["speed 1.5"]);
    player.key("bracketleft");
    player.key("bracketleft");
    player.wait_title(&["speed 0.5"]);
    // A hidden window draws nothing, and its title does not change.
    screen.xdotool(&["windowunmap", &player.window]);
    let (mut title, mut times) = (String::new(), 0);
    wait_for("a clip that rests", || {
        let before = std::mem::replace(&mut title, player.title());
        times = if title == before { times + 1 } else { 0 };
        (times == 12).then_some(())
    });
    screen.xdotool(&["windowmap", &player.window]);
    wait_for("the clip to go on", || (player.title() != title).then_some(()));
    screen.focus(&player.window);
    player.key("ctrl+q");
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Returns the last line of `--trace-events`.
fn traced(folder: &Path) -> String {
    let stderr = std::fs::read_to_string(folder.join("stderr.txt")).unwrap();
    stderr.lines().rev().find(|line| line.starts_with("trace ")).unwrap_or_default().to_owned()
}

/// Waits until the state has all `words`.
fn wait_state(folder: &Path, words: &[&str]) {
    wait_for(&format!("{words:?} in {}", traced(folder)), || {
        let line = traced(folder);
        words.iter().all(|word| line.split(' ').any(|traced| traced == *word)).then_some(())
    });
}

#[test]
fn a_model_is_posed_compared_and_reloaded() {
    if !has_screen() {
        return;
    }
    let folder = write_post("whole");
    let screen = Screen::start();
    let mut player = screen.play(&["post.md5mesh", "--clip", "bend", "-m", "matrix-blend", "--trace-events"], &folder);
    let state = |words: &[&str]| wait_state(&folder, words);
    let mouse = |x: f32, y: f32| {
        let (x, y) = (x.round().to_string(), y.round().to_string());
        screen.xdotool(&["mousemove", "--sync", "--window", &player.window, &x, &y]);
    };
    state(&["clip=bend", "files=1", "paused=false", "panel=true"]);

    player.wait_keys(&folder);
    // Paused, then scrubbed with the timeline at the window's lower end, which is as wide as the window.
    player.key("space");
    state(&["paused=true"]);
    mouse(200.0, 755.0);
    screen.xdotool(&["mousedown", "1"]);
    state(&["frame=1"]);
    mouse(640.0, 755.0);
    state(&["frame=4"]);
    screen.xdotool(&["mouseup", "1"]);
    state(&["frame=4", "paused=true"]);

    // Escape closes a menu, that of the engines on the Findings page.
    player.key("F6");
    // The page has no menu until the files are checked.
    state(&["page=Findings", "menu=false", "checked=true"]);
    mouse(1057.0, 62.0);
    screen.xdotool(&["click", "1"]);
    state(&["menu=true"]);
    player.key("Escape");
    state(&["menu=false"]);

    // A range is set by its ends, and a clip selected by its key.
    player.key("a");
    player.key("End");
    player.key("b");
    state(&["range=0.500..1.000"]);
    player.key("Tab");
    state(&["clip=turn", "range=0.000..1.000"]);
    player.key("1");
    state(&["clip=bend", "frame=0"]);

    // The range's start is dragged by its mark above the scale, and snaps to a frame.
    mouse(18.0, 738.0);
    screen.xdotool(&["mousedown", "1"]);
    mouse(100.0, 738.0);
    mouse(170.0, 738.0);
    screen.xdotool(&["mouseup", "1"]);
    state(&["range=0.125..1.000"]);
    player.key("shift+a");
    player.key("ctrl+g");
    state(&["range=0.000..1.000", "curves=position,_model_space"]);
    player.key("ctrl+g");
    player.key("Home");
    state(&["curves=none", "frame=0"]);

    // A joint is selected by a click on its vertices, and rotated with a ring around it.
    player.key("ctrl+b");
    player.key("p");
    state(&["panel=false", "pose=bind_pose"]);
    let model = bindpose::load::load(&[folder.join("post.md5mesh")], &LoadOptions::with_clips());
    let model = model.unwrap().model;
    let (camera, _) = View::default().framing(&model, model.clips.first(), 1);
    let viewport = Viewport::new(&camera, glam::Vec2::new(1280.0, 800.0));
    let seen = viewport.project(glam::Vec3::new(8.0, 0.0, 58.0)).unwrap();
    mouse(seen.x, seen.y);
    screen.xdotool(&["click", "1"]);
    state(&["joint=upper", "turns=0"]);
    let upper = glam::DAffine3::from_translation(glam::DVec3::new(0.0, 0.0, 30.0));
    let ring: Vec<glam::Vec2> = {
        let gizmo = Gizmo::new(&viewport, &upper).unwrap();
        gizmo.ring(2).filter_map(|place| viewport.project(place)).collect()
    };
    let before = player.look();
    mouse(ring[8].x, ring[8].y);
    screen.xdotool(&["mousedown", "1"]);
    mouse(ring[10].x, ring[10].y);
    mouse(ring[14].x, ring[14].y);
    screen.xdotool(&["mouseup", "1"]);
    state(&["joint=upper", "turns=1"]);
    player.wait_change("the turned joint", &before);

    // Quitting would lose the rotation: a question appears, and escape cancels.
    player.key("ctrl+q");
    state(&["asks=true"]);
    player.key("Escape");
    state(&["asks=false", "joint=upper", "turns=1"]);

    // The rotation becomes an example, whose file the player reloads.
    player.key("e");
    state(&["examples=1"]);
    let examples = std::fs::read_to_string(folder.join("post.examples.toml")).unwrap();
    assert!(examples.contains("joint = \"upper\"") && examples.contains("post-upper.md5mesh"), "{examples}");
    player.key("shift+p");
    state(&["turns=0"]);

    // Two methods side by side.
    player.key("c");
    state(&["split=method:cpu"]);
    player.key("c");
    state(&["split=none"]);

    // A saved file is reloaded. A broken one leaves the last valid model.
    let clip = std::fs::read_to_string(folder.join("bend.md5anim")).unwrap();
    std::fs::write(folder.join("bend.md5anim"), clip.replace("frameRate 8", "frameRate 4")).unwrap();
    state(&["clip=bend", "range=0.000..2.000", "trouble=false"]);
    let mesh = std::fs::read_to_string(folder.join("post.md5mesh")).unwrap();
    std::fs::write(folder.join("post.md5mesh"), mesh.replace("numJoints 2", "numJoints two")).unwrap();
    state(&["trouble=true", "joints=2", "clip=bend"]);
    std::fs::write(folder.join("post.md5mesh"), &mesh).unwrap();
    state(&["trouble=false", "joints=2"]);
    // The same applies to a clip found next to the mesh.
    std::fs::write(folder.join("bend.md5anim"), &clip[..clip.len() / 2]).unwrap();
    state(&["trouble=true", "clip=bend", "range=0.000..2.000"]);
    std::fs::write(folder.join("bend.md5anim"), &clip).unwrap();
    state(&["trouble=false", "clip=bend", "range=0.000..1.000"]);

    // A video of the clip, while it plays.
    player.key("p");
    state(&["pose=rest_pose"]);
    player.key("p");
    state(&["pose=clip"]);
    player.key("space");
    player.key("shift+F12");
    let video = wait_for("the video", || std::fs::read(folder.join("post-bend.gif")).ok());
    assert_eq!(image::codecs::gif::GifDecoder::new(std::io::Cursor::new(video)).unwrap().into_frames().count(), 8);
    state(&["recording=false"]);
    player.key("space");
    state(&["paused=true"]);

    // A screenshot of the window without the selection, which escape clears; and the end.
    state(&["notes=0", "joint=upper"]);
    player.key("F12");
    let is_image = |path: &Path| path.extension().is_some_and(|kind| kind == "png");
    let saved = wait_for("the screenshot", || {
        let entries = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
        entries.filter(|path| is_image(path)).find_map(|path| image::open(path).ok())
    });
    assert_eq!((saved.width(), saved.height()), (1280, 800));
    player.key("Escape");
    state(&["joint=none", "notes=0"]);
    let shown = player.look();
    let apart = difference(&shown, &saved.into_rgb8());
    assert!(apart < 0.1, "the screenshot differs from the window: {apart}");
    player.key("ctrl+q");
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_broken_file_opens_its_findings_until_it_is_repaired() {
    if !has_screen() {
        return;
    }
    let folder = write_post("broken");
    let mesh = std::fs::read_to_string(folder.join("post.md5mesh")).unwrap();
    std::fs::write(folder.join("post.md5mesh"), mesh.replace("numJoints 2", "numJoints two")).unwrap();
    let screen = Screen::start();
    let mut player = screen.play(&["post.md5mesh", "--clip", "bend", "--trace-events"], &folder);
    let state = |words: &[&str]| wait_state(&folder, words);
    state(&["page=Findings", "trouble=true", "meshes=0", "checked=true"]);
    player.wait_keys(&folder);
    std::fs::write(folder.join("post.md5mesh"), &mesh).unwrap();
    state(&["trouble=false", "meshes=1", "joints=2"]);
    // No open element ends the player, only its own key.
    player.key("F1");
    state(&["keys=true"]);
    player.key("ctrl+m");
    (0..4).for_each(|_| player.key("Escape"));
    state(&["keys=false", "panel=true"]);
    player.key("ctrl+q");
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0), "a file was opened after all");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn axes_are_remembered_for_a_model() {
    if !has_screen() {
        return;
    }
    let folder = write_post("axes");
    let screen = Screen::start();
    for (before, chosen) in [("front=x", "front: -y"), ("front=-y", "front: x")] {
        let mut player = screen.play(&["post.md5mesh", "--trace-events"], &folder);
        wait_state(&folder, &[before]);
        player.wait_keys(&folder);
        player.key("colon");
        screen.xdotool(&["type", "--delay", "0", chosen]);
        player.key("Return");
        wait_state(&folder, &[&chosen.replace(": ", "=")]);
        player.key("ctrl+q");
        wait_for("the player's end", || player.process.0.try_wait().unwrap());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn helpers_and_factors_are_tried_and_saved() {
    if !has_screen() {
        return;
    }
    let folder = write_post("helpers");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5/mannequin_light.md5mesh");
    std::fs::copy(data, folder.join("post.md5mesh")).unwrap();
    ["bend", "turn"].iter().for_each(|clip| std::fs::remove_file(folder.join(format!("{clip}.md5anim"))).unwrap());
    let screen = Screen::start();
    let mut player = screen.play(&["post.md5mesh", "-m", "blend", "--trace-events"], &folder);
    let find = |text: &str| {
        player.key("colon");
        screen.xdotool(&["type", "--delay", "0", text]);
        player.key("Return");
    };
    let state = |words: &[&str]| wait_state(&folder, words);
    state(&["method=blend", "split=none"]);
    player.wait_keys(&folder);
    find("select joint: forearm_l");
    state(&["joint=forearm_l", "palette=none"]);
    player.key("shift+e");
    state(&["split=file", "page=Joints"]);
    find("factor of blend: 0.25");
    state(&["palette=none"]);
    find("factor of blend at the joint: 1");
    state(&["palette=none"]);
    find("save the factors of blend");
    let saved = wait_for("the factors", || std::fs::read_to_string(folder.join("post.blend.toml")).ok());
    assert_eq!(saved, "factor = 0.25\n\n[joints]\nforearm_l = 1.0\n");
    player.key("ctrl+q");
    wait_for("the player's end", || player.process.0.try_wait().unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_palette_finds_actions_values_and_engines() {
    if !has_screen() {
        return;
    }
    let folder = write_post("palette");
    let screen = Screen::start();
    let arguments = ["post.md5mesh", "bend.md5anim", "turn.md5anim", "-m", "matrix-blend", "--trace-events"];
    let mut player = screen.play(&arguments, &folder);
    let state = |words: &[&str]| wait_state(&folder, words);
    let typed = |text: &str| drop(screen.xdotool(&["type", "--delay", "0", text]));
    state(&["clip=bend", "engine=none", "palette=none"]);
    player.wait_keys(&folder);
    // Without the panel.
    player.key("ctrl+b");
    player.key("space");
    state(&["panel=false", "paused=true"]);

    // Escape closes the list.
    player.key("ctrl+p");
    state(&["palette=''"]);
    player.key("Escape");
    state(&["palette=none"]);

    // A row is found by its words and selected. Typed letters are not keys. All input may arrive at once.
    player.key("colon");
    typed("turn clip");
    player.key("Return");
    state(&["clip=turn", "palette=none", "split=none"]);
    player.key("colon");
    typed("select joint:");
    state(&["palette='select_joint:'", "joint=none"]);
    player.key("Down");
    player.key("Return");
    state(&["palette=none", "joint=upper"]);
    player.key("colon");
    typed("frame 3");
    player.key("Return");
    state(&["palette=none", "frame=3"]);
    // A key opens a text field for a name.
    player.key("a");
    state(&["range=0.375..1.000"]);
    player.key("ctrl+n");
    typed("left step");
    player.key("Return");
    state(&["ranges=1"]);
    assert!(std::fs::read_to_string(folder.join("post.ranges.toml")).unwrap().contains("left step"));
    player.key("shift+a");
    state(&["range=0.000..1.000"]);

    // An engine plays all nine frames at ten per second. Clip, frame and selection stay.
    player.key("colon");
    typed("play as 0.8.2");
    player.key("Return");
    state(&["engine=ironwail", "clip=turn", "frame=3", "range=0.000..0.900", "joint=upper", "paused=true"]);
    player.wait_title(&["as Ironwail from 0.8.2", "turn", "frame 3/9"]);
    player.key("shift+y");
    state(&["engine=none", "clip=turn", "frame=3", "range=0.000..1.000", "method=matrix-blend"]);
    player.key("y");
    state(&["engine=vkquake-1.35", "clip=turn", "frame=3"]);
    // The unchanged files next to it.
    player.key("colon");
    typed("beside as no engine");
    player.key("Return");
    state(&["split=file", "engine=vkquake-1.35"]);
    player.key("ctrl+g");
    state(&["curves=difference_of_the_halves"]);
    player.key("ctrl+q");
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_model_of_a_game_and_shaders_are_reloaded() {
    if !has_screen() {
        return;
    }
    let folder = write_post("game");
    for name in ["game/def", "game/models", "shaders"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in ["post.md5mesh", "bend.md5anim", "turn.md5anim"] {
        std::fs::rename(folder.join(name), folder.join("game/models").join(name)).unwrap();
    }
    let def = |anim: &str| {
        let text = format!(
            "model post_model {{ mesh models/post.md5mesh anim {anim} models/bend.md5anim anim turn models/turn.md5anim }}\n\
             entityDef post {{ \"model\" \"post_model\" }}\n"
        );
        std::fs::write(folder.join("game/def/post.def"), text).unwrap();
    };
    def("nod");
    let screen = Screen::start();
    let arguments = ["--base", "game", "--entity", "post", "--shaders", "./shaders", "-m", "matrix-blend"];
    let mut player = screen.play(&[&arguments[..], &["--trace-events"]].concat(), &folder);
    let state = |words: &[&str]| wait_state(&folder, words);
    state(&["clip=nod", "joints=2", "trouble=false"]);

    // Its decl, its clip, its mesh.
    def("bow");
    state(&["clip=bow", "trouble=false"]);
    let clip = folder.join("game/models/bend.md5anim");
    let text = std::fs::read_to_string(&clip).unwrap();
    std::fs::write(&clip, text.replace("frameRate 8", "frameRate 4")).unwrap();
    state(&["clip=bow", "range=0.000..2.000"]);
    let mesh = folder.join("game/models/post.md5mesh");
    let text = std::fs::read_to_string(&mesh).unwrap();
    std::fs::write(&mesh, text.replace("numJoints 2", "numJoints two")).unwrap();
    state(&["trouble=true", "joints=2"]);
    std::fs::write(&mesh, text).unwrap();
    state(&["trouble=false", "joints=2"]);

    // A shader of the current method. Saving a file meanwhile does not hide its error.
    let shader = folder.join("shaders/matrix-blend.vert");
    std::fs::write(&shader, "#version 120\nnonsense\n").unwrap();
    state(&["trouble=true", "clip=bow"]);
    def("nod");
    state(&["trouble=true"]);
    player.wait_keys(&folder);
    std::fs::remove_file(&shader).unwrap();
    std::fs::write(folder.join("shaders/notes.txt"), "fixed").unwrap();
    state(&["trouble=false"]);

    // Models of games are MD5 files too.
    player.key("y");
    state(&["engine=vkquake-1.35", "clip=nod"]);
    player.key("ctrl+q");
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn without_a_display_an_image_is_drawn_and_named() {
    let gl = bindpose::render::headless();
    if let Err(error) = gl {
        eprintln!("no image was drawn: {error}");
        return;
    }
    let folder = write_post("none");
    for (display, reason) in [(None, "neither DISPLAY nor WAYLAND_DISPLAY is set"), (Some(":4711"), "")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.args(["play", "post.md5mesh", "--clip", "turn"]).current_dir(&folder);
        command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").env_remove("DISPLAY");
        command.envs(display.map(|display| ("DISPLAY", display)));
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert!(stderr.contains("no window: ") && stderr.contains(reason), "{stderr}");
        assert!(stderr.contains("post-turn.png") && stderr.contains("for a window"), "{stderr}");
        assert!(output.stdout.is_empty());
        let image = image::open(folder.join("post-turn.png")).unwrap().into_rgba8();
        let middle = image.get_pixel(image.width() / 2, image.height() / 2);
        let corner = image.get_pixel(0, 0);
        assert!(middle[0].abs_diff(corner[0]) > 20, "the middle is {middle:?}, a corner {corner:?}");
        std::fs::remove_file(folder.join("post-turn.png")).unwrap();
    }
    std::fs::remove_dir_all(folder).unwrap();
}
