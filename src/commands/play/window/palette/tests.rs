//! All commands are reachable without the mouse, and found by their words.

use super::*;
use crate::commands::play::window::open_request::OpenRequest;
use crate::commands::play::window::request::Pick;
use crate::commands::play::window::save::Save;
use crate::commands::record::MediaFormat;
use bindpose::budget::MemoryLimit;
use bindpose::model::{CameraFrame, CameraPath, Clip, JointId, Mesh, Skeleton, Transform};
use bindpose::play::Repeat;
use bindpose::pose::RootMotion;
use bindpose::render::{Background, Bounds, Camera, Light, Projection, Shading, Surfaces, TextureFilter};
use bindpose::skin::MethodId;
use bindpose::vfs::Vfs;
use bindpose_player::curves::Curve;
use bindpose_player::ranges::NamedRange;
use bindpose_player::{
    BasePose, Blend, CameraPlayback, Colouring, FADE_SECONDS, GameModels, Overlay, Page, Split, VertexRef,
};
use glam::{DAffine3, DQuat, DVec3, Vec3};
use std::collections::BTreeSet;
use std::mem::discriminant;
use std::path::PathBuf;
use std::sync::Arc;

/// Means of reaching a command without the mouse.
#[derive(Debug, Clone, Copy)]
enum Reached {
    /// By a key.
    Key(&'static str),
    /// By the row that these words find.
    Row(&'static str),
    /// It is not reachable, for this reason.
    Not(&'static str),
}
use Reached::{Key, Not, Row as ByRow};

/// Lists how every variant is reached, with one value of each. A missing variant does not compile.
macro_rules! reached {
    ($of:ident, $all:ident, $kind:ident: $($variant:ident $(($($value:expr),*))? => $reached:expr,)*) => {
        fn $of(value: &$kind) -> Reached {
            match value {
                $($kind::$variant { .. } => $reached,)*
            }
        }

        fn $all() -> Vec<$kind> {
            vec![$($kind::$variant $(($($value),*))?),*]
        }
    };
}

fn root() -> JointId {
    skeleton().id(0).unwrap()
}

reached! { way_of_change, all_changes, Change:
    TogglePause => Key("space"),
    Pause(true) => Not("dragging the timeline; TogglePause is for people"),
    StepFrames(1) => Key("right"),
    First => Key("home"),
    Last => Key("end"),
    Seek(0.5) => ByRow("frame 3"),
    Speed(0.7) => ByRow("speed 0.7"),
    Repeat(Repeat::Clamp) => ByRow("repeat: once"),
    Range(None) => Key("shift+a"),
    NameRange("step".into()) => ByRow("name the range: step"),
    PickRange(0) => ByRow("range: hop"),
    RemoveRange(0) => ByRow("delete range: hop"),
    ShowClip(1) => ByRow("clip: run"),
    FadeSeconds(0.3) => ByRow("fade 0.3"),
    Blend(None) => ByRow("blend with: nothing"),
    RootMotion(RootMotion::Remove) => ByRow("root motion in place"),
    BasePose(BasePose::Bind) => ByRow("pose: bind"),
    SelectJoint(Some(root())) => ByRow("select joint: root"),
    SelectVertex(VertexRef { mesh: 0, vertex: 0 }) => Not("vertices are clicked, or found by a finding"),
    Turn(root(), DQuat::IDENTITY) => ByRow("rotate about x 30"),
    EndTurn => Not("the end of a drag"),
    Undo => Not("the button of the Joints page; the key is for models, too"),
    Redo => Not("the button of the Joints page; the key is for models, too"),
    ResetJoints => Key("shift+p"),
    ToggleMesh(0) => ByRow("hide mesh: body"),
    ShowMeshAlone(0) => ByRow("only mesh: body"),
    ShowMeshes => Key("ctrl+h"),
    Surfaces(Surfaces::Edges) => ByRow("surfaces: edges"),
    Shading(Shading::Unlit) => ByRow("shading: unlit"),
    Filter(TextureFilter::Smooth) => ByRow("texture filter: smooth"),
    Colouring(Colouring::Batches) => ByRow("colour by: batches"),
    Toggle(Overlay::Grid) => Key("g"),
    Method(MethodId::Cpu) => ByRow("method: cpu"),
    Copies(37) => ByRow("copies 37"),
    Split(Some(Split::File)) => ByRow("split view: the other file"),
    LookThrough(true) => Key("shift+v"),
    SeekCamera(0.5) => ByRow("camera time 0.5"),
    Rotate(0.1, 0.0) => Key("shift+left"),
    Drag(0.1, 0.0, 1.0) => Key("ctrl+left"),
    Magnify(2.0) => Key("+"),
    ZoomAt(2.0, 0.1, 0.1) => Not("the wheel zooms at the pointer, keys at the centre"),
    Turntable(20.0) => ByRow("turntable 20"),
    Light(Light::Shoulder) => ByRow("light: over the shoulder"),
    Background(Background::Gradient) => ByRow("background: gradient"),
    Focus(Vec3::ZERO, 1.0) => Not("the key looks at the selected joint"),
    LookFrom(0.0, 0.0) => Key("shift+1"),
    Projection(Projection::Orthographic) => Key("shift+5"),
    ResetCamera => Key("r"),
    Panel(false) => Key("ctrl+b"),
    Axes(Vec3::X, Vec3::Z) => ByRow("front: -x"),
    Unit(None) => ByRow("a unit is: unknown"),
    Curves(Some(Curve::Speed)) => ByRow("curves: speed"),
    Page(Page::Joints) => Key("f3"),
    Keys(true) => Key("f1"),
}

reached! { way_of_request, all_requests, Request:
    TypePath => Key("ctrl+l"),
    OpenTyped(PathBuf::new()) => Not("enter in the path field"),
    Browse(Pick::Open) => Key("ctrl+o"),
    ChooseImage(None, PathBuf::new()) => ByRow("use the image skin.png"),
    AxesOfFolder => ByRow("axes of all models of the folder"),
    RecordForm => Key("ctrl+f12"),
    ConvertForm => Key("ctrl+e"),
    Convert(Vec::new()) => Not("the button of the form, or enter in it"),
    Open(OpenRequest::default()) => ByRow("open: walker.x"),
    OpenBeside(OpenRequest::default()) => ByRow("open beside: walker.x"),
    Add(Vec::new()) => ByRow("add file: hop.md5anim"),
    ApplySkin(None) => ByRow("skin: its own"),
    Reload => Key("ctrl+r"),
    BesideAs(None) => ByRow("beside as: no engine"),
    PlayAs(None) => Key("shift+y"),
    NextEngine => Key("y"),
    TicksPerSecond(None) => ByRow("ticks per second 30"),
    Helpers(2) => Key("shift+e"),
    Save(Save::Obj) => Key("ctrl+shift+s"),
    Record(MediaFormat::Webm) => Key("shift+f10"),
    Turntable => Key("t"),
    Theme(Theme::Light) => ByRow("theme: light"),
    NextTheme => Key("ctrl+t"),
    Palette("") => Key("ctrl+p"),
    Fullscreen => Key("f11"),
    Leave => Key("esc"),
    Messages => Key("ctrl+m"),
    Quit => Key("ctrl+q"),
    SaveAndQuit => Not("the question before quitting"),
    OpenDropped(PathBuf::new()) => Not("the question about a dropped model"),
    Attach(PathBuf::new()) => Not("the question about a dropped model, and enter in it"),
    Detach(None) => Key("shift+delete"),
    MoveAttached(0, DAffine3::IDENTITY) => Not("the fields of the Files page"),
    Undo => Key("ctrl+z"),
    Redo => Key("ctrl+y"),
    QuitWithoutSaving => Not("the question before quitting; ctrl+q answers it, too"),
}

reached! { way_of_save, all_saves, Save:
    Screenshot => Key("f12"),
    FrameValues => Key("ctrl+c"),
    Still => Key("ctrl+s"),
    Obj => Key("ctrl+shift+s"),
    Ranges => ByRow("delete range: hop"),
    Example => Key("e"),
    ExampleSigma(0, 0.5) => ByRow("sigma of example 1 0.5"),
    RemoveExample(0) => ByRow("remove example pose: hand"),
}

fn skeleton() -> Skeleton {
    let mut skeleton = Skeleton::new();
    let root = skeleton.push("root", None, Transform::IDENTITY);
    skeleton.push("hand", Some(root), Transform::IDENTITY);
    skeleton
}

fn with_rows<R>(see: impl FnOnce(&dyn Fn(&str) -> Vec<Row>, &State, &Model) -> R) -> R {
    with_used(&[], see)
}

/// Calls `see` with the palette's rows by filter after those of `used`, and the state and model behind them. Every kind
/// of row is present.
#[expect(clippy::too_many_lines, reason = "a state with something of everything")]
fn with_used<R>(used: &[String], see: impl FnOnce(&dyn Fn(&str) -> Vec<Row>, &State, &Model) -> R) -> R {
    let clip = |name: &str| Clip { name: name.into(), duration: 2.0, frame_rate: Some(10.0), ..Clip::default() };
    let mesh = |name: &str| Mesh { name: name.into(), ..Mesh::default() };
    let model = Model {
        skeleton: skeleton(),
        meshes: vec![mesh("body"), mesh("head")],
        clips: ["walk", "run", "moonwalk", "hop"].map(clip).to_vec(),
        ..Model::default()
    };
    let camera = Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE });
    let mut state = State::new(&model, Some(0), camera);
    state.playback.paused = true;
    state.playback.set_range(Some((0.5, 1.0)));
    (state.joint, state.vertex) = (Some(root()), Some(VertexRef { mesh: 0, vertex: 0 }));
    // An undone and a restored rotation, so that both actions are possible again.
    for change in
        [Change::Turn(root(), DQuat::IDENTITY), Change::EndTurn, Change::Turn(root(), DQuat::from_rotation_x(1.0))]
    {
        state.apply(&change, &model);
    }
    [Change::EndTurn, Change::Turn(root(), DQuat::IDENTITY), Change::Undo]
        .iter()
        .for_each(|change| state.apply(change, &model));
    state.blend = Some(Blend { clip: 1, share: 0.5, mask: None });
    state.ranges = vec![NamedRange { name: "hop".into(), clip: "walk".into(), start: 0.1, end: 0.2 }];
    let frame = CameraFrame { position: DVec3::ZERO, rotation: DQuat::IDENTITY, horizontal_angle: 1.5 };
    state.camera_path = CameraPath::new(vec![frame; 11], 10.0, Vec::new()).as_ref().map(CameraPlayback::new);
    let example = Example {
        name: "a".into(),
        joint: model.skeleton.find("hand").unwrap(),
        turn: DQuat::IDENTITY,
        others: Vec::new(),
        sigma: 1.0,
        meshes: Vec::new(),
    };
    let game = tempfile::tempdir().unwrap();
    std::fs::create_dir(game.path().join("skins")).unwrap();
    std::fs::write(game.path().join("skins/a.skin"), "skin red { a b }").unwrap();
    let models = GameModels::of(Arc::new(Vfs::open(game.path(), &[]).unwrap()), MemoryLimit::default());
    let panel = PanelInput {
        current: &OpenRequest::from(vec![PathBuf::from("model.x")]),
        report: None,
        game_models: Some(&models),
        recent: &[PathBuf::from("/before/imp.md5mesh")],
        ticks_per_second: None,
        is_fullscreen: false,
        unsaved_turns: 0,
        is_new_user: false,
        view_size: (800, 600),
        theme: Theme::Dark,
        loading: None,
        recording: None,
        frames_per_second: 0.0,
    };
    let input = PaletteInput {
        state: &state,
        model: &model,
        methods: &MethodId::all().collect::<Vec<_>>(),
        engine: None,
        engines: &bindpose::engines::ENGINES,
        examples: &[example],
        has_other: true,
        files: vec![Path::new("/here/walker.x"), Path::new("/here/hop.md5anim"), Path::new("/here/skin.png")],
        panel: &panel,
    };
    see(&|filter| rows(&input, filter, used), &state, &model)
}

/// Returns the commands of the first row for these words.
fn run(rows: &[Row], words: &str) -> Vec<Command> {
    match rows.first() {
        Some(Row { effect: RowEffect::Run(commands), .. }) => commands.clone(),
        other => panic!("'{words}' finds {other:?}"),
    }
}

#[test]
fn everything_can_be_done_without_the_mouse() {
    let is_like = |command: &Command, wanted: &Command| match (command, wanted) {
        (Command::Change(found), Command::Change(wanted)) => discriminant(found) == discriminant(wanted),
        (Command::Request(Request::Save(found)), Command::Request(Request::Save(wanted))) => {
            discriminant(found) == discriminant(wanted)
        }
        (Command::Request(found), Command::Request(wanted)) => discriminant(found) == discriminant(wanted),
        _ => false,
    };
    let changes = all_changes().into_iter().map(|change| (way_of_change(&change), Command::Change(change)));
    let requests = all_requests().into_iter().map(|request| (way_of_request(&request), Command::Request(request)));
    let saves = all_saves().into_iter().map(|save| (way_of_save(&save), Command::Request(Request::Save(save))));
    with_rows(|rows, state, model| {
        for (way, wanted) in changes.chain(requests).chain(saves) {
            match way {
                Key(key) => {
                    let found = match actions::find(key).unwrap_or_else(|| panic!("no key is called {key}")) {
                        Command::Step(step) => Command::Change(step(state, model).unwrap()),
                        other => other,
                    };
                    assert!(is_like(&found, &wanted), "{key} does {found:?}, not {wanted:?}");
                }
                ByRow(words) => {
                    let commands = run(&rows(words), words);
                    assert!(commands.iter().any(|found| is_like(found, &wanted)), "'{words}' does {commands:?}");
                }
                Not(reason) => assert!(!reason.is_empty()),
            }
        }
        for format in [MediaFormat::Gif, MediaFormat::Png, MediaFormat::Apng, MediaFormat::Mp4, MediaFormat::Webm] {
            let wanted = Command::Request(Request::Record(format));
            assert!(actions::all().any(|action| action.command == wanted), "{wanted:?}");
        }
    });
}

#[test]
fn steps_choose_the_next_value() {
    let expected = [
        ("]", Change::Speed(1.5)),
        ("[", Change::Speed(0.5)),
        ("backspace", Change::Speed(-1.0)),
        ("l", Change::Repeat(Repeat::Clamp)),
        ("a", Change::Range(Some((0.5, 1.0)))),
        ("b", Change::Range(Some((0.0, 0.5)))),
        ("u", Change::PickRange(0)),
        ("tab", Change::ShowClip(1)),
        ("shift+tab", Change::ShowClip(3)),
        ("shift+f", Change::FadeSeconds(0.0)),
        ("j", Change::Blend(Some(Blend { clip: 2, share: 0.5, mask: None }))),
        ("o", Change::RootMotion(RootMotion::Remove)),
        ("p", Change::BasePose(BasePose::Bind)),
        ("s", Change::Colouring(Colouring::Weights)),
        ("shift+s", Change::Colouring(Colouring::Weights)),
        ("c", Change::Split(Some(Split::Method(MethodId::Dqs)))),
        ("shift+c", Change::Split(Some(Split::Clip(1)))),
        ("down", Change::SelectJoint(skeleton().id(1))),
        ("up", Change::SelectJoint(skeleton().id(1))),
        ("delete", Change::Turn(root(), DQuat::IDENTITY)),
        ("ctrl+g", Change::Curves(Some(Curve::Position))),
        ("shift+h", Change::ToggleMesh(0)),
        ("/", Change::ShowMeshAlone(0)),
        ("d", Change::Copies(2)),
        ("shift+d", Change::Copies(1)),
        ("shift+v", Change::LookThrough(true)),
    ];
    with_rows(|_, state, model| {
        assert_eq!(state.fade_seconds, FADE_SECONDS);
        for (key, change) in expected {
            let Some(Command::Step(step)) = actions::find(key) else { panic!("{key} is no step") };
            assert_eq!(step(state, model), Ok(change), "{key}");
        }
    });
}

#[test]
fn all_overlays_and_pages_have_keys() {
    use Overlay::{Axes, Bounds, Grid, Names, Normals, Onion, Skeleton, Tangents, Trail};
    let overlays = [Skeleton, Names, Axes, Trail, Onion, Normals, Tangents, Bounds, Grid].map(Change::Toggle);
    for change in overlays.into_iter().chain(Page::ALL.map(Change::Page)) {
        let wanted = Command::Change(change);
        assert!(actions::all().any(|action| action.command == wanted), "{wanted:?}");
    }
}

#[test]
fn rows_are_found_by_words_in_any_order_whole_words_first() {
    with_rows(|rows, _, _| {
        let texts = |filter: &str| rows(filter).into_iter().map(|row| row.text).collect::<Vec<_>>();
        assert_eq!(texts("clip: walk")[..2], ["clip: walk".to_owned(), "clip: moonwalk".to_owned()]);
        assert_eq!(texts("WALK clip:")[0], "clip: walk");
        assert_eq!(texts("root motion in place")[0], "root motion: in place");
        assert_eq!(texts("hand select")[0], "select joint: hand");
        assert_eq!(texts("no such words"), [""; 0]);
        let all = rows("");
        assert_eq!(
            all.len(),
            all.iter().map(|row| &row.text).collect::<BTreeSet<_>>().len(),
            "two rows have the same text"
        );
        // The current value is marked, and keys are listed.
        let row = |filter: &str| rows(filter).into_iter().next().unwrap();
        assert!(row("clip: walk").is_current && !row("clip: run").is_current);
        assert_eq!((row("clip: run").keys.as_str(), row("tangents").keys.as_str()), ("2", "shift+t"));
    });
}

#[test]
fn numbers_and_names_are_typed() {
    with_rows(|rows, _, _| {
        let first = |filter: &str| rows(filter).into_iter().next().map(|row| row.effect);
        let run = |change| Some(RowEffect::Run(vec![Command::Change(change)]));
        assert_eq!(first("copies: 37"), run(Change::Copies(37)));
        assert_eq!(first("frame: 12"), run(Change::Seek(1.2)));
        assert_eq!(first("fade 0.50"), run(Change::FadeSeconds(0.5)));
        let share = Blend { clip: 1, share: 0.25, mask: None };
        assert_eq!(first("share 25"), run(Change::Blend(Some(share))));
        assert_eq!(first("frame: 21"), None, "the last frame is 20");
        assert_eq!(first("frame:"), Some(RowEffect::Type("frame: ".into())));
        assert_eq!(first("name the range: "), Some(RowEffect::Type("name the range: ".into())));
        let named =
            vec![Command::Change(Change::NameRange("left step".into())), Command::Request(Request::Save(Save::Ranges))];
        assert_eq!(first("name the range: left step"), Some(RowEffect::Run(named)));
    });
}

#[test]
fn rows_used_before_are_first_among_equals() {
    let used = ["clip: moonwalk", "clip: run"].map(str::to_owned);
    let texts = |used: &[String], filter: &str| {
        with_used(used, |rows, _, _| rows(filter).into_iter().map(|row| row.text).collect::<Vec<_>>())
    };
    assert_eq!(texts(&used, "")[..2], used);
    assert_ne!(texts(&[], "clip:")[..2], used);
    assert_eq!(texts(&used, "clip:")[..2], used);
    assert_eq!(texts(&used, "walk")[0], "clip: walk", "a whole word is before a part of one");
}

#[test]
fn what_people_type_leads_to_what_they_mean() {
    with_rows(|rows, _, _| {
        let first = |filter: &str| rows(filter).into_iter().next().map_or(String::new(), |row| row.text);
        assert_eq!(first("focus"), "look at the selected joint, closely");
        assert_eq!(first("names"), "names of joints");
        assert_eq!(first("speed 0.5"), "speed: 0.5x");
        assert_eq!(
            [first("half"), first("half speed"), first("double speed")],
            ["speed: 0.5x", "speed: 0.5x", "speed: 2x"]
        );
        assert_eq!(first("play as vkquake"), "play as: vkQuake after 1.35.0 (vkquake)");
        assert_eq!(first("pk4"), "open a file");
        for words in ["glb", "convert", "gltf"] {
            assert!(first(words).starts_with("convert"), "{words}: {}", first(words));
        }
        // Frames 10 to 20 of a clip with 10 frames per second.
        for range in ["range 10..20", "frames 10 20", "Frames 10 to 20", "range 10-20"] {
            let run = rows(range).into_iter().next().map(|row| row.effect);
            assert_eq!(run, Some(RowEffect::Run(vec![Command::Change(Change::Range(Some((1.0, 2.0))))])), "{range}");
        }
        assert!(rows("range 10..21").is_empty(), "the last frame is 20");
    });
}

#[test]
fn synonyms_find_our_words() {
    with_rows(|rows, _, _| {
        let found = |filter: &str, wanted: &str| {
            let rows = rows(filter);
            assert!(rows.iter().take(3).any(|row| row.text.contains(wanted)), "'{filter}' finds {:?}", rows.first());
        };
        found("bones", "skeleton");
        found("wireframe", "wireframe");
        found("screenshot", "screenshot");
        found("picture", "screenshot");
        found("weights", "weights");
        found("undo", "undo");
        found("help", "keys");
        found("export", "export");
        found("movie", "record");
        found("fullscreen", "full screen");
        found("color", "colour");
        found("settings", "theme");
        found("transparent", "record:");
        found("exit", "quit");
        found("problems", "Findings");
        let place = |filter: &str| rows(filter).first().map_or("", |row| row.place);
        assert_eq!(
            [place("wireframe"), place("turntable on"), place("pause, play")],
            ["Meshes page", "View page", "timeline"]
        );
    });
}
