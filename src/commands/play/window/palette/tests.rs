//! That everything can be done without the mouse, and that it is found by its words.

use super::*;
use crate::commands::play::window::save::Save;
use crate::commands::record::MediaFormat;
use bindpose::budget::MemoryLimit;
use bindpose::model::{CameraFrame, CameraPath, Clip, JointId, Mesh, Skeleton, Transform};
use bindpose::play::Repeat;
use bindpose::player::ranges::NamedRange;
use bindpose::player::{BasePose, Blend, Clock, Colouring, Overlay, Page, Reel, Split, VertexRef};
use bindpose::pose::RootMotion;
use bindpose::render::{Background, Bounds, Camera, Shading, Specular, Surfaces, TextureFilter};
use bindpose::skin::{Limits, MethodId};
use bindpose::vfs::Vfs;
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::Arc;

/// How something is done without the mouse.
#[derive(Debug, Clone, Copy)]
enum Reached {
    /// By this key.
    Key(&'static str),
    /// By the row that is found by these words.
    Row(&'static str),
    /// Not at all, and why nobody misses it.
    Not(&'static str),
}
use Reached::{Key, Not, Row as ByRow};

/// A function that says of every variant how it is reached, and one of each variant: what is not listed does not compile.
macro_rules! reached {
    ($of:ident, $all:ident, $kind:ident: $($variant:ident $(($($value:expr),*))? => $reached:expr,)*) => {
        fn $of(what: &$kind) -> Reached {
            match what {
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

reached! { way_of_action, all_actions, Action:
    TogglePause => Key("space"),
    Pause(true) => Not("the player's own, while the timeline is dragged; TogglePause is for people"),
    Step(1) => Key("right"),
    First => Key("home"),
    Last => Key("end"),
    Seek(0.5) => ByRow("frame 3"),
    Speed(0.7) => ByRow("speed 0.7"),
    ChangeSpeed(1) => Key("]"),
    Backwards => Key("backspace"),
    Repeat(Repeat::Clamp) => ByRow("at the end: once"),
    NextRepeat => Key("l"),
    Clock(Clock::Quake) => ByRow("clock quake"),
    NextClock => Key("shift+l"),
    RangeStart => Key("a"),
    RangeEnd => Key("b"),
    Range(None) => Key("shift+a"),
    NameRange("step".into()) => ByRow("name the range: step"),
    PickRange(0) => ByRow("range: hop"),
    RemoveRange(0) => ByRow("forget range: hop"),
    NextNamedRange => Key("u"),
    ShowClip(1) => ByRow("clip: run"),
    ChangeClip(1) => Key("tab"),
    FadeSeconds(0.3) => ByRow("fade 0.3"),
    ToggleFade => Key("shift+f"),
    Blend(None) => ByRow("mix in: nothing"),
    NextBlend => Key("j"),
    NextBlendShare => Key("shift+j"),
    ToggleBlendMask => Key("ctrl+j"),
    RootMotion(RootMotion::Remove) => ByRow("root motion in place"),
    NextRootMotion => Key("o"),
    BasePose(BasePose::Bind) => ByRow("pose: bind"),
    NextBasePose => Key("p"),
    SelectJoint(Some(root())) => ByRow("select joint: root"),
    ChangeJoint(1) => Key("down"),
    SelectVertex(VertexRef { mesh: 0, vertex: 0 }) => Not("a vertex is pointed at: in the picture, or by a finding"),
    Turn(root(), DQuat::IDENTITY) => ByRow("turn about x 30"),
    ResetJoint(root()) => Not("ResetSelectedJoint does it to the joint that is selected"),
    ResetSelectedJoint => Key("ctrl+z"),
    ResetJoints => Key("shift+p"),
    ToggleMesh(0) => ByRow("hide mesh: body"),
    ShowMeshAlone(0) => ByRow("mesh alone: body"),
    HideSelectedMesh => Key("shift+h"),
    NextMeshAlone => Key("/"),
    ShowMeshes => Key("ctrl+h"),
    NextSurfaces => Key("w"),
    Surfaces(Surfaces::Edges) => ByRow("surfaces: edges"),
    NextShading => Key("v"),
    Shading(Shading::Unlit) => ByRow("shading: unlit"),
    Specular(Specular::Doom3) => ByRow("highlights: doom3"),
    NextSpecular => Key("shift+i"),
    NextFilter => Key("i"),
    Filter(TextureFilter::Smooth) => ByRow("images: smooth"),
    Colouring(Colouring::Batches) => ByRow("colours: batches"),
    NextColouring => Key("shift+s"),
    ToggleColouring(Colouring::Support) => Key("s"),
    Toggle(Overlay::Grid) => Key("g"),
    Method(MethodId::Cpu) => ByRow("method: cpu"),
    NextMethod => Key("m"),
    Limits(Limits::Vs11) => ByRow("registers: vs11"),
    NextLimits => Key("shift+m"),
    Copies(37) => ByRow("copies 37"),
    ChangeCopies(1) => Key("d"),
    AllClips(true) => ByRow("copies play: all clips"),
    ToggleAllClips => Key("ctrl+d"),
    Split(Some(Split::File)) => ByRow("beside it: the other file"),
    ToggleSplit => Key("c"),
    NextSplitClip => Key("shift+c"),
    LookThrough(true) => Not("the program's own, when a camera is opened; ToggleLookThrough is for people"),
    ToggleLookThrough => Key("shift+v"),
    SeekFilm(0.5) => ByRow("film 0.5"),
    Rotate(0.1, 0.0) => Key("shift+left"),
    Drag(0.1, 0.0, 1.0) => Key("ctrl+left"),
    Magnify(2.0) => Key("+"),
    Turntable(20.0) => ByRow("turntable 20"),
    Light(None) => ByRow("light: over the shoulder"),
    NextLight => Key("shift+z"),
    Background(Background::Gradient) => ByRow("background: gradient"),
    NextBackground => Key("z"),
    Centre(Vec3::ZERO) => Not("the player's own; CentreOnJoint is for people"),
    CentreOnJoint => Key("f"),
    LookFrom(0.0, 0.0) => Key("shift+1"),
    ToggleProjection => Key("shift+5"),
    ResetCamera => Key("r"),
    TogglePanel => Key("f1"),
    Page(Page::Joints) => Key("f3"),
    ToggleKeys => Key("h"),
}

reached! { way_of_request, all_requests, Request:
    AskForFile => Key("ctrl+o"),
    Open(Asked::default()) => ByRow("open: walker.x"),
    OpenBeside(Asked::default()) => ByRow("open beside: walker.x"),
    Add(Vec::new()) => ByRow("add file: hop.md5anim"),
    Wear(None) => ByRow("skin: its own"),
    Reload => Key("ctrl+r"),
    PlayAs(None) => Key("shift+y"),
    NextEngine => Key("y"),
    TicksPerSecond(None) => ByRow("ticks a second 30"),
    Save(Save::Obj) => Key("ctrl+shift+s"),
    Record(MediaFormat::Webm) => Key("shift+f10"),
    Turntable => Key("t"),
    Theme(Theme::Light) => ByRow("panel: light"),
    NextTheme => Key("ctrl+t"),
    Palette("") => Key("ctrl+p"),
    Fullscreen => Key("f11"),
    Leave => Key("escape"),
    Quit => Key("q"),
}

reached! { way_of_save, all_saves, Save:
    Screenshot => Key("f12"),
    FrameValues => Key("ctrl+c"),
    Still => Key("ctrl+s"),
    Obj => Key("ctrl+shift+s"),
    Ranges => ByRow("forget range: hop"),
    Example => Key("e"),
    ExampleSigma(0, 0.5) => ByRow("sigma of example 1 0.5"),
    NoExample(0) => ByRow("remove example pose: hand"),
}

fn skeleton() -> Skeleton {
    let mut skeleton = Skeleton::new();
    let root = skeleton.push("root", None, Transform::IDENTITY);
    skeleton.push("hand", Some(root), Transform::IDENTITY);
    skeleton
}

/// A figure that has everything that there can be.
fn with_rows<R>(see: impl FnOnce(&dyn Fn(&str) -> Vec<Row>) -> R) -> R {
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
    state.joint = Some(root());
    state.blend = Some(Blend { clip: 1, share: 0.5, mask: None });
    state.ranges = vec![NamedRange { name: "hop".into(), clip: "walk".into(), start: 0.1, end: 0.2 }];
    let frame = CameraFrame { position: DVec3::ZERO, rotation: DQuat::IDENTITY, horizontal_angle: 1.5 };
    state.reel = CameraPath::new(vec![frame; 11], 10.0, Vec::new()).as_ref().map(Reel::new);
    let example = Example {
        name: "a".into(),
        joint: model.skeleton.find("hand").unwrap(),
        turn: DQuat::IDENTITY,
        sigma: 1.0,
        meshes: Vec::new(),
    };
    let game = tempfile::tempdir().unwrap();
    std::fs::create_dir(game.path().join("skins")).unwrap();
    std::fs::write(game.path().join("skins/a.skin"), "skin red { a b }").unwrap();
    let figures = Figures::of(Arc::new(Vfs::open(game.path(), &[]).unwrap()), MemoryLimit::default());
    let asked = Asked::from(vec![PathBuf::from("figure.x")]);
    let recent = [PathBuf::from("/before/imp.md5mesh")];
    let examples = [example];
    let known = Known {
        state: &state,
        model: &model,
        engine: None,
        has_engines: true,
        examples: &examples,
        other: Some("old"),
        asked: &asked,
        figures: Some(&figures),
        recent: &recent,
        files: vec![Path::new("/here/walker.x"), Path::new("/here/hop.md5anim")],
        theme: Theme::Dark,
    };
    see(&|filter| rows(&known, filter))
}

/// What the first row with some words sends.
fn sent(rows: &[Row], words: &str) -> Vec<Command> {
    match rows.first() {
        Some(Row { does: Does::Send(commands), .. }) => commands.clone(),
        other => panic!("'{words}' finds {other:?}"),
    }
}

#[test]
fn everything_can_be_done_without_the_mouse() {
    let is_like = |command: &Command, wanted: &Command| match (command, wanted) {
        (Command::Act(found), Command::Act(wanted)) => discriminant(found) == discriminant(wanted),
        (Command::Ask(Request::Save(found)), Command::Ask(Request::Save(wanted))) => {
            discriminant(found) == discriminant(wanted)
        }
        (Command::Ask(found), Command::Ask(wanted)) => discriminant(found) == discriminant(wanted),
        _ => false,
    };
    let actions = all_actions().into_iter().map(|action| (way_of_action(&action), Command::Act(action)));
    let requests = all_requests().into_iter().map(|request| (way_of_request(&request), Command::Ask(request)));
    let saves = all_saves().into_iter().map(|save| (way_of_save(&save), Command::Ask(Request::Save(save))));
    with_rows(|rows| {
        for (way, wanted) in actions.chain(requests).chain(saves) {
            match way {
                Key(key) => {
                    let found = keys::find(key).unwrap_or_else(|| panic!("no key is called {key}"));
                    assert!(is_like(&found, &wanted), "{key} does {found:?}, not {wanted:?}");
                }
                ByRow(words) => {
                    let commands = sent(&rows(words), words);
                    assert!(commands.iter().any(|found| is_like(found, &wanted)), "'{words}' does {commands:?}");
                }
                Not(reason) => assert!(!reason.is_empty()),
            }
        }
        for format in [MediaFormat::Gif, MediaFormat::Png, MediaFormat::Apng, MediaFormat::Mp4, MediaFormat::Webm] {
            let wanted = Command::Ask(Request::Record(format));
            assert!(keys::bindings().any(|binding| binding.command() == wanted), "{wanted:?}");
        }
    });
}

#[test]
fn all_overlays_and_pages_have_keys() {
    use Overlay::{Axes, Bounds, Grid, Names, Normals, Ruler, Skeleton, Tangents, Tips};
    let overlays = [Skeleton, Names, Axes, Tips, Normals, Tangents, Bounds, Ruler, Grid].map(Action::Toggle);
    for action in overlays.into_iter().chain(Page::ALL.map(Action::Page)) {
        let wanted = Command::Act(action);
        assert!(keys::bindings().any(|binding| binding.command() == wanted), "{wanted:?}");
    }
}

#[test]
fn rows_are_found_by_words_in_any_order_whole_ones_first() {
    with_rows(|rows| {
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
            "two rows are called alike"
        );
        // What is so already is marked, and a key is told where there is one.
        let row = |filter: &str| rows(filter).into_iter().next().unwrap();
        assert!(row("clip: walk").is_present && !row("clip: run").is_present);
        assert_eq!((row("clip: run").key.as_str(), row("tangents").key.as_str()), ("2", "shift t"));
    });
}

#[test]
fn numbers_and_names_are_typed_behind_their_rows() {
    with_rows(|rows| {
        let first = |filter: &str| rows(filter).into_iter().next().map(|row| row.does);
        let act = |action| Some(Does::Send(vec![Command::Act(action)]));
        assert_eq!(first("copies: 37"), act(Action::Copies(37)));
        assert_eq!(first("frame: 12"), act(Action::Seek(1.2)));
        assert_eq!(first("fade 0.50"), act(Action::FadeSeconds(0.5)));
        let share = Blend { clip: 1, share: 0.25, mask: None };
        assert_eq!(first("share 25"), act(Action::Blend(Some(share))));
        assert_eq!(first("frame: 21"), None, "the last frame is 20");
        assert_eq!(first("frame:"), Some(Does::Type("frame: ".into())));
        assert_eq!(first("name the range: "), Some(Does::Type("name the range: ".into())));
        let named =
            vec![Command::Act(Action::NameRange("left step".into())), Command::Ask(Request::Save(Save::Ranges))];
        assert_eq!(first("name the range: left step"), Some(Does::Send(named)));
    });
}
