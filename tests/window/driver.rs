//! The player in a window of its own Xvfb: keys, mouse, titles and screenshots.

use image::RgbImage;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Interval and number of polls.
const LOOK_EVERY: Duration = Duration::from_millis(40);
pub const LOOKS: usize = 1500;

/// Polls until there is a result.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..LOOKS {
        if let Some(seen) = look() {
            return seen;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    panic!("no {what} in time");
}

/// A process that ends with the test.
pub struct Running(pub Child);

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

pub fn exists(program: &str) -> bool {
    Command::new(program).arg("-help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A folder that ends with the test.
pub struct Folder(TempDir);

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// Writes a post with two joints and its clips "bend" and "turn" of nine frames as MD5 files, and the player's settings.
/// Returns their folder.
pub fn write_post() -> Folder {
    let folder = Folder(tempfile::tempdir().unwrap());
    std::fs::create_dir_all(folder.join("bindpose")).unwrap();
    // Software draws a larger window slowly.
    std::fs::write(folder.join("bindpose/player.toml"), "size = [560, 400]\n").unwrap();
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
pub struct Screen {
    pub server: Running,
    pub display: String,
    /// Variables of players' environment.
    pub variables: &'static [(&'static str, &'static str)],
}

impl Screen {
    pub fn start() -> Self {
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
        Self { display: format!(":{}", number.trim()), server, variables: &[] }
    }

    pub fn run(&self, program: &str, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new(program).args(arguments).env("DISPLAY", &self.display).output().unwrap();
        output.stdout
    }

    pub fn xdotool(&self, arguments: &[&str]) -> String {
        String::from_utf8_lossy(&self.run("xdotool", arguments)).trim().to_owned()
    }

    pub fn play(&self, arguments: &[&str], folder: &Path) -> Player<'_> {
        let mut command = player(arguments, folder);
        let mut process =
            command.env("DISPLAY", &self.display).envs(self.variables.iter().copied()).spawn().map(Running).unwrap();
        let window = wait_for("the window", || {
            assert_eq!(process.0.try_wait().unwrap(), None, "the player ended before it had a window");
            let found = self.xdotool(&["search", "--name", "^(post(.md5mesh)?|mannequin[a-z_]*) [|] "]);
            found.lines().next().map(str::to_owned)
        });
        self.focus(&window);
        Player { screen: self, process, window }
    }

    /// Starts the player in Weston, a Wayland compositor, whose only window on this screen it fills: that of the settings
    /// at scale factor 2. Returns the compositor, too.
    pub fn play_in_weston(
        &self,
        arguments: &[&str],
        folder: &Path,
        variables: &[(&str, &str)],
    ) -> (Running, Player<'_>) {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        let mut weston = Command::new("weston");
        weston.args(["--no-config", "--backend=x11-backend.so", "--use-pixman", "--shell=kiosk-shell.so"]);
        weston.args(["--width=560", "--height=400", "--scale=2", "--socket=weston"]).stderr(Stdio::null());
        weston.env("DISPLAY", &self.display).env("XDG_RUNTIME_DIR", folder).stdout(Stdio::null());
        let weston = weston.spawn().map(Running).unwrap();
        let window = wait_for("the compositor's window", || {
            let found = self.xdotool(&["search", "--onlyvisible", "--class", "weston"]);
            found.lines().next().filter(|_| folder.join("weston").exists()).map(str::to_owned)
        });
        let mut command = player(arguments, folder);
        command.env_remove("DISPLAY").env("WAYLAND_DISPLAY", "weston").env("XDG_RUNTIME_DIR", folder);
        let process = command.envs(variables.iter().copied()).spawn().map(Running).unwrap();
        (weston, Player { screen: self, process, window })
    }

    pub fn focus(&self, window: &str) {
        wait_for("the keyboard's focus", || {
            self.xdotool(&["windowfocus", window]);
            (self.xdotool(&["getwindowfocus"]) == window).then_some(())
        });
    }
}

/// Creates a command of the player with the settings of `folder`, for an X server or a compositor.
fn player(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.arg("play").args(arguments).current_dir(folder).env("XDG_CONFIG_HOME", folder);
    command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command.stderr(std::fs::File::create(folder.join("stderr.txt")).unwrap());
    command
}

/// A running player and its window.
pub struct Player<'a> {
    pub screen: &'a Screen,
    pub process: Running,
    pub window: String,
}

impl Player<'_> {
    pub fn title(&self) -> String {
        self.screen.xdotool(&["getwindowname", &self.window])
    }

    /// Waits until the title has all `parts`.
    pub fn wait_title(&self, parts: &[&str]) {
        wait_for(&format!("{parts:?} in the title, which is {:?}", self.title()), || {
            let title = self.title();
            parts.iter().all(|part| title.split(" | ").any(|shown| shown == *part)).then_some(())
        });
    }

    pub fn key(&self, key: &str) {
        self.screen.xdotool(&["key", key]);
    }

    /// Waits until keys arrive, because the window may miss the first ones. Keys for pages can be repeated.
    pub fn wait_keys(&self, folder: &Path) {
        for (key, page) in [("F3", "page=Joints"), ("F2", "page=Clips")] {
            wait_for(page, || {
                self.key(key);
                traced(folder).contains(page).then_some(())
            });
        }
    }

    /// Takes a screenshot of the window.
    pub fn look(&self) -> RgbImage {
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

    /// Waits until the window no longer changes. Returns its screenshot.
    pub fn wait_rest(&self) -> RgbImage {
        wait_for("a window at rest", || {
            let now = self.look();
            (now == self.look()).then_some(now)
        })
    }

    /// Waits until the window differs from `before` and no longer changes. Returns the new screenshot.
    pub fn wait_change(&self, what: &str, before: &RgbImage) -> RgbImage {
        wait_for(what, || {
            let now = self.look();
            (difference(before, &now) > 0.01 && now == self.look()).then_some(now)
        })
    }

    /// Waits until the window shows `wanted` again.
    pub fn wait_same(&self, what: &str, wanted: &RgbImage) {
        wait_for(what, || (self.look() == *wanted).then_some(()));
    }

    pub fn drag(&self, button: &str, right: i32, down: i32) {
        let (right, down) = (right.to_string(), down.to_string());
        let center = ["mousemove", "--sync", "--window", &self.window, "220", "190"];
        self.screen.xdotool(&center);
        self.screen.xdotool(&["mousedown", button]);
        self.screen.xdotool(&["mousemove_relative", "--sync", "--", &right, &down]);
        self.screen.xdotool(&["mouseup", button]);
    }
}

/// Returns the mean absolute difference of all channels, 0 to 255.
pub fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 255.0;
    }
    let sum: u64 = a.iter().zip(b.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

/// True if the programs needed for a window are installed.
pub fn has_screen() -> bool {
    let missing: Vec<&str> =
        ["Xvfb", "xdotool", "import", "weston"].into_iter().filter(|program| !exists(program)).collect();
    if !missing.is_empty() {
        assert!(std::env::var_os("BINDPOSE_REQUIRE_WINDOW").is_none(), "not installed: {}", missing.join(", "));
        crate::support::skip(&format!("tested no window: {} not installed", missing.join(", ")));
    }
    missing.is_empty()
}

/// Returns the last line of `--trace-events`.
pub fn traced(folder: &Path) -> String {
    let stderr = std::fs::read_to_string(folder.join("stderr.txt")).unwrap();
    stderr.lines().rev().find(|line| line.starts_with("trace ")).unwrap_or_default().to_owned()
}

/// Waits until the state has all `words`.
pub fn wait_state(folder: &Path, words: &[&str]) {
    wait_for(&format!("{words:?} in {}", traced(folder)), || {
        let line = traced(folder);
        words.iter().all(|word| line.split(' ').any(|traced| traced == *word)).then_some(())
    });
}
