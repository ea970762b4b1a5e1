//! The player's window, driven by keys and mouse, and checked by titles and screenshots. Clips rest where a test does not
//! need them to move, because software draws frames as fast as it can.
//!
//! Starts its own Xvfb. Needs Xvfb, xdotool, Weston and ImageMagick's `import`. Without them, the test prints a line, or fails
//! if `BINDPOSE_REQUIRE_WINDOW` is set.

mod display;
mod driver;

use crate::faults::{self, codes, planted, set, sound};
use crate::support::is_sampled;
use bindpose::load::LoadOptions;
use bindpose_player::{Gizmo, View, Viewport};
use driver::{Screen, difference, has_screen, traced, wait_for, wait_state, write_post};
use image::{AnimationDecoder as _, RgbImage};
use std::path::Path;
use std::process::Command;

#[test]
fn the_player_starts_where_it_is_told() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let screen = Screen::start();
    for (options, state) in [
        (&["--frame", "2"][..], &["frame=2", "paused=true"][..]),
        (&["--range", "1..2", "--speed", "0.5"], &["range=0.125..0.250", "speed=0.5", "paused=false"]),
    ] {
        let player = screen.play(&[&["post.md5mesh", "--clip", "bend", "--trace-events"], options].concat(), &folder);
        player.wait_keys(&folder);
        wait_state(&folder, state);
    }
    // The archive of a game opens its first entity, on the command line and by its path.
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/data/game/mannequin.pk4");
    // So does the folder of the archive. Of a folder without models, the first one below it is shown.
    let around = Path::new(game).parent().unwrap().to_str().unwrap();
    std::fs::create_dir_all(folder.join("above/below")).unwrap();
    std::fs::copy(folder.join("post.md5mesh"), folder.join("above/below/post.md5mesh")).unwrap();
    for (path, state) in [(game, "clip=idle"), (around, "clip=idle"), ("above", "joints=2")] {
        let player = screen.play(&[path, "--trace-events"], &folder);
        wait_state(&folder, &[state, "page=Files", "trouble=false"]);
        drop(player);
    }
    let player = screen.play(&["post.md5mesh", "--clip", "bend", "--frame", "2", "--trace-events"], &folder);
    player.wait_keys(&folder);
    player.key("ctrl+l");
    wait_state(&folder, &["page=Files"]);
    wait_for("a frame at rest", || (player.look() == player.look()).then_some(()));
    screen.xdotool(&["type", "--delay", "0", game]);
    player.key("Return");
    wait_state(&folder, &["joints=23", "clip=idle", "trouble=false"]);
    // The error about a path ends with another folder.
    for (path, trouble) in [("/none.x", "trouble=true"), (&*folder.display().to_string(), "trouble=false")] {
        player.key("ctrl+l");
        wait_for("a frame at rest", || (player.look() == player.look()).then_some(()));
        screen.xdotool(&["type", "--delay", "0", path]);
        player.key("Return");
        wait_state(&folder, &[trouble]);
    }
}

#[test]
fn the_open_model_is_converted() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    std::fs::write(folder.join("bindpose/player.toml"), "size = [560, 400]\nused = 59.5\n").unwrap();
    let screen = Screen::start();
    let player = screen.play(&["post.md5mesh", "--clip", "bend", "--frame", "2", "--trace-events"], &folder);
    player.wait_keys(&folder);
    let before = player.look();
    player.key("ctrl+e");
    player.wait_change("the form", &before);
    player.key("Return");
    let written = wait_for("the converted model", || std::fs::read(folder.join("post.glb")).ok());
    assert!(written.starts_with(b"glTF"));
    // It has both clips, and is not replaced unasked.
    let text = String::from_utf8_lossy(&written);
    assert!(text.contains("\"bend\"") && text.contains("\"turn\""), "clips are missing");
    std::fs::write(folder.join("post.glb"), "mine").unwrap();
    wait_state(&folder, &["converted=written"]);
    player.key("Return");
    wait_for("the refusal", || traced(&folder).contains("converted=refused").then_some(()));
    assert_eq!(std::fs::read(folder.join("post.glb")).unwrap(), b"mine");
    // The hint for beginners leaves after the first minute, without any input.
    wait_state(&folder, &["hint=false"]);
    // The mesh names an image that is nowhere.
    assert!(std::fs::read_to_string(folder.join("stderr.txt")).unwrap().contains(" notes=1 "), "no note on the image");
}

#[test]
fn keys_and_mouse_follow_the_table() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
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

    // The next method shows the same post.
    let first = player.title();
    player.key("m");
    wait_for("another method", || (player.title() != first).then_some(()));
    let start = wait_for("the same frame", || {
        let now = player.look();
        (now == player.look() && difference(&start, &now) < 0.5).then_some(now)
    });

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
}

#[test]
fn a_model_is_posed_compared_and_reloaded() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    // The places of the panel and the timeline below are those in a window of the usual size.
    std::fs::remove_file(folder.join("bindpose/player.toml")).unwrap();
    let screen = Screen::start();
    let mut player = screen.play(&["post.md5mesh", "--clip", "bend", "-m", "matrix-blend", "--trace-events"], &folder);
    let state = |words: &[&str]| wait_state(&folder, words);
    let mouse = |x: f32, y: f32| {
        let (x, y) = (x.round().to_string(), y.round().to_string());
        screen.xdotool(&["mousemove", "--sync", "--window", &player.window, &x, &y]);
    };
    state(&["clip=bend", "files=1", "paused=false", "panel=true", "hint=true"]);

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
    state(&["split=method:dqs"]);
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
        let entries = std::fs::read_dir(&*folder).unwrap().flatten().map(|entry| entry.path());
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
}

#[test]
fn a_broken_file_opens_its_findings_until_it_is_repaired() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let models = folder.join("models");
    std::fs::create_dir(&models).unwrap();
    for name in ["post.md5mesh", "bend.md5anim", "turn.md5anim"] {
        std::fs::rename(folder.join(name), models.join(name)).unwrap();
    }
    let path = models.join("post.md5mesh");
    let mesh = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, mesh.replace("numJoints 2", "numJoints two")).unwrap();
    let screen = Screen::start();
    let given = ["models/post.md5mesh", "--clip", "bend", "--repeat", "once", "--trace-events"];
    let mut player = screen.play(&given, &folder);
    let state = |words: &[&str]| wait_state(&folder, words);
    state(&["page=Findings", "trouble=true", "meshes=0", "checked=true"]);
    player.wait_keys(&folder);
    std::fs::write(&path, &mesh).unwrap();
    state(&["trouble=false", "meshes=1", "joints=2"]);
    // Exporters may remove the folder and make it again.
    let gone = folder.join("gone");
    std::fs::rename(&models, &gone).unwrap();
    state(&["trouble=true"]);
    std::fs::rename(&gone, &models).unwrap();
    state(&["trouble=false"]);
    // In a text field function keys are still keys. An image whose path is typed is used for the mesh.
    player.key("ctrl+l");
    state(&["page=Files"]);
    player.key("F2");
    state(&["page=Clips"]);
    let red = folder.join("red.png");
    RgbImage::from_pixel(4, 4, image::Rgb([230, 10, 10])).save(&red).unwrap();
    player.key("ctrl+l");
    state(&["page=Files"]);
    screen.xdotool(&["type", "--delay", "0", &red.display().to_string()]);
    player.key("Return");
    wait_for("the red post", || {
        let is_red = |pixel: &&image::Rgb<u8>| pixel[0] > 100 && pixel[0] / 3 > pixel[1];
        (player.look().pixels().filter(is_red).count() > 1_000).then_some(())
    });
    // No open element ends the player, only its own key.
    player.key("F1");
    state(&["keys=true"]);
    player.key("ctrl+m");
    (0..4).for_each(|_| player.key("Escape"));
    state(&["keys=false", "panel=true"]);
    player.key("ctrl+q");
    let status = wait_for("the player's end", || player.process.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0), "a file was opened after all");
}

#[test]
fn a_dropped_model_is_opened_or_follows_the_selected_joint() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let cylinder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5/cylinder.md5mesh");
    let screen = Screen::start();
    let [upper, lower] = ["upper", "lower"].map(|joint| format!("{joint}={}", cylinder.display()));
    let shown = ["post.md5mesh", "--clip", "bend", "--frame", "0", "--trace-events"];
    let player = screen.play(&[&shown[..], &["--attach", &upper, "--attach", &lower]].concat(), &folder);
    wait_state(&folder, &["attached=2", "joints=2", "joint=none"]);
    player.wait_keys(&folder);
    // The page Files lists both. Dragging its offset moves the first one, and its button removes it.
    player.key("F7");
    wait_state(&folder, &["page=Files"]);
    // The middle of the view, without notes and the panel, whose fields show the offset.
    let view = |window: RgbImage| image::imageops::crop_imm(&window, 60, 90, 180, 100).to_image();
    let before = view(player.wait_rest());
    let mouse = |at: [&str; 2], then: &[&str]| {
        screen.xdotool(&[&["mousemove", "--sync", "--window", &player.window, at[0], at[1]], then].concat());
    };
    mouse(["310", "135"], &["mousedown", "1"]);
    mouse(["510", "135"], &["mouseup", "1"]);
    wait_for("the moved model", || (difference(&before, &view(player.look())) > 0.01).then_some(()));
    mouse(["297", "113"], &["click", "1"]);
    wait_state(&folder, &["attached=1"]);
    let with_it = player.wait_rest();
    player.key("shift+Delete");
    wait_state(&folder, &["attached=0"]);
    player.wait_change("the post alone", &with_it);
    // A path that is typed counts as dropped.
    let type_path = || {
        player.key("F2");
        wait_state(&folder, &["page=Clips"]);
        player.key("ctrl+l");
        wait_state(&folder, &["page=Files"]);
        wait_for("a frame at rest", || (player.look() == player.look()).then_some(()));
        screen.xdotool(&["type", "--delay", "0", &cylinder.display().to_string()]);
        player.key("Return");
    };
    player.key("Down");
    wait_state(&folder, &["joint=lower"]);
    for (key, state) in [("Escape", "attached=0"), ("Return", "attached=1")] {
        type_path();
        wait_state(&folder, &["dropped=true", "joint=lower"]);
        player.key(key);
        wait_state(&folder, &["dropped=false", "joints=2", state]);
    }
    // Without a joint, the model is opened. Undo brings back the one before with its rotations.
    player.key("ctrl+p");
    wait_state(&folder, &["palette=''"]);
    screen.xdotool(&["type", "--delay", "0", "rotate the joint about x 30"]);
    player.key("Return");
    wait_state(&folder, &["turns=1", "palette=none"]);
    player.key("Escape");
    wait_state(&folder, &["joint=none"]);
    type_path();
    wait_state(&folder, &["attached=0", "joints=3", "turns=0"]);
    player.key("ctrl+z");
    wait_state(&folder, &["attached=1", "joints=2", "turns=1"]);
    player.key("ctrl+y");
    wait_state(&folder, &["attached=0", "joints=3", "turns=0"]);
    player.key("ctrl+z");
    wait_state(&folder, &["attached=1", "joints=2", "turns=1"]);
    player.key("ctrl+z");
    wait_state(&folder, &["joints=2", "turns=0"]);
}

/// The models with planted faults, one after another: the Clips page lists what is left out, the Findings page what
/// `validate` finds.
#[test]
fn each_planted_fault_is_named_and_nothing_else() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let screen = Screen::start();
    let mut player = screen.play(&["post.md5mesh", "--repeat", "once", "--trace-events"], &folder);
    player.wait_keys(&folder);
    let (planted, sound) = (planted(), sound(3));
    let models = planted.iter().chain(&sound).enumerate();
    for (_, model) in models.filter(|(row, _)| is_sampled(*row, 0, 3)) {
        let at = folder.join(&model.folder);
        faults::write(&at, &model.files);
        player.key("ctrl+l");
        wait_state(&folder, &["page=Files"]);
        // The field for the path has the keyboard from the next frame on.
        wait_for("a frame at rest", || (player.look() == player.look()).then_some(()));
        screen.xdotool(&["type", "--delay", "0", &at.join(&model.files[0].0).display().to_string()]);
        player.key("Return");
        let is_refused = model.exit == 1 && model.left_out.is_empty();
        let expected = set(&[model.left_out, model.images, if is_refused { model.found } else { model.validated }]);
        wait_for(&format!("{expected:?} of {}", model.folder), || {
            let line = traced(&folder);
            let said = codes(line.as_bytes());
            let is_said = if is_refused { said.is_superset(&expected) } else { said == expected };
            let is_done = ["checked=true", &format!("trouble={is_refused}")].iter().all(|word| line.contains(*word));
            (is_done && is_said).then_some(())
        });
        player.key("F2");
        wait_state(&folder, &["page=Clips"]);
    }
    player.key("ctrl+q");
    wait_for("the player's end", || player.process.0.try_wait().unwrap());
}

#[test]
fn axes_are_remembered_for_a_model() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let screen = Screen::start();
    for (before, chosen) in [("front=x", "front: -y"), ("front=-y", "front: x")] {
        let mut player = screen.play(&["post.md5mesh", "--repeat", "once", "--trace-events"], &folder);
        wait_state(&folder, &[before]);
        player.wait_keys(&folder);
        player.key("colon");
        screen.xdotool(&["type", "--delay", "0", chosen]);
        player.key("Return");
        wait_state(&folder, &[&chosen.replace(": ", "=")]);
        player.key("ctrl+q");
        wait_for("the player's end", || player.process.0.try_wait().unwrap());
    }
}

#[test]
fn helpers_are_tried() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5/mannequin_light.md5mesh");
    std::fs::copy(data, folder.join("post.md5mesh")).unwrap();
    ["bend", "turn"].iter().for_each(|clip| std::fs::remove_file(folder.join(format!("{clip}.md5anim"))).unwrap());
    let screen = Screen::start();
    let mut player = screen.play(&["post.md5mesh", "--trace-events"], &folder);
    let find = |text: &str| {
        player.key("colon");
        screen.xdotool(&["type", "--delay", "0", text]);
        player.key("Return");
    };
    let state = |words: &[&str]| wait_state(&folder, words);
    state(&["split=none"]);
    player.wait_keys(&folder);
    find("select joint: forearm_l");
    state(&["joint=forearm_l", "palette=none"]);
    player.key("shift+e");
    state(&["split=file", "page=Joints"]);
    player.key("ctrl+q");
    wait_for("the player's end", || player.process.0.try_wait().unwrap());
}

#[test]
fn the_palette_finds_actions_values_and_engines() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
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
    // The row used last is first among equal ones.
    player.key("Escape");
    state(&["joint=none"]);
    player.key("colon");
    typed("select joint:");
    player.key("Return");
    state(&["palette=none", "joint=upper"]);
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
}

#[test]
fn a_model_of_a_game_and_shaders_are_reloaded() {
    if !has_screen() {
        return;
    }
    let folder = write_post();
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
    let mut player = screen.play(&[&arguments[..], &["--repeat", "once", "--trace-events"]].concat(), &folder);
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
}

#[test]
fn without_a_display_an_image_is_drawn_and_named() {
    if crate::support::gpu().is_none() {
        return;
    }
    let folder = write_post();
    for (display, reason) in [(None, "neither DISPLAY nor WAYLAND_DISPLAY is set"), (Some(":4711"), "")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.args(["play", "post.md5mesh", "--clip", "turn"]).current_dir(&*folder);
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
    // As with `cargo run`, the program is below the current folder, and the image is beside it.
    let below = folder.join("target/debug");
    std::fs::create_dir_all(&below).unwrap();
    let (built, program) = (env!("CARGO_BIN_EXE_bindpose"), below.join("bindpose"));
    std::fs::hard_link(built, &program).or_else(|_| std::fs::copy(built, &program).map(drop)).unwrap();
    let mut command = Command::new(program);
    command.args(["play", "post.md5mesh", "--clip", "turn"]).current_dir(&*folder);
    command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").env_remove("DISPLAY");
    let stderr = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(stderr.contains("target/debug/post-turn.png"), "{stderr}");
    assert!(below.join("post-turn.png").is_file() && !folder.join("post-turn.png").exists());
}
