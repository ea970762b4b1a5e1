//! The state and its actions, without a window.

use super::apply::next_speed;
use super::ranges::NamedRange;
use super::*;
use crate::model::{
    CameraFrame, CameraPath, Clip, JointTracks, Mesh, Skeleton, Timeline, TimelineId, Track, Transform,
};
use crate::play::Repeat;
use crate::pose::{LocalPose, ModelPose, RootMotion};
use crate::render::{Background, Bounds, Camera, Shading, Surfaces, TextureFilter};
use bindpose_core::load::{LoadOptions, Subject};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{ModelItem, parse_model};
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeMap;

/// Two joints; clips "walk" of two seconds at ten frames a second, which moves the root ten units along x, and "run" of
/// one, which moves it as far along y.
fn model() -> Model {
    let mut skeleton = Skeleton::new();
    let root = skeleton.push("root", None, Transform::IDENTITY);
    skeleton.push("hand", Some(root), Transform::IDENTITY);
    let clip = |name: &str, duration: f64, to: DVec3| {
        let translation = Track { timeline: TimelineId(0), values: vec![DVec3::ZERO, to] };
        let moved = JointTracks::Parts { translation: Some(translation), rotation: None, scale: None };
        Clip {
            name: name.into(),
            duration,
            frame_rate: Some(10.0),
            timelines: vec![Timeline::new(vec![0.0, duration]).unwrap()],
            joints: vec![moved, JointTracks::default()],
            ..Clip::default()
        }
    };
    let clips = vec![clip("walk", 2.0, DVec3::X * 10.0), clip("run", 1.0, DVec3::Y * 10.0)];
    Model { skeleton, meshes: vec![Mesh::default(); 2], clips, ..Model::default() }
}

fn state(model: &Model) -> State {
    State::new(model, Some(0), Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE }))
}

fn applied(actions: &[Action]) -> (Model, State) {
    let model = model();
    let mut state = state(&model);
    actions.iter().for_each(|action| state.apply(action, &model));
    (model, state)
}

/// Where the first joint is.
fn root(state: &State, model: &Model) -> DVec3 {
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    state.pose(model, state.clip, 0.0, &mut local, &mut posed);
    posed.0[0].translation
}

#[test]
fn loops_that_are_accumulated_bring_the_figure_away() {
    let (model, mut state) = applied(&[]);
    state.advance(5.0);
    assert_eq!(state.travelled(&model), DVec3::ZERO, "each loop begins anew");
    state.apply(&Action::RootMotion(RootMotion::Accumulate), &model);
    // Two loops of a walk of 10 units.
    assert!((state.travelled(&model) - DVec3::X * 20.0).length() < 1e-12, "{}", state.travelled(&model));
    state.apply(&Action::BasePose(BasePose::Bind), &model);
    assert_eq!(state.travelled(&model), DVec3::ZERO);
}

#[test]
fn speeds_end_at_the_slowest_and_the_fastest_and_keep_their_direction() {
    assert_eq!(next_speed(1.0, 1), 1.5);
    assert_eq!(next_speed(4.0, 1), 4.0);
    assert_eq!(next_speed(0.05, -1), 0.05);
    let (_, state) = applied(&[Action::Backwards, Action::ChangeSpeed(1)]);
    assert_eq!(state.playback.speed, -1.5);
}

#[test]
fn each_overlay_is_shown_and_hidden_alone() {
    use Overlay::{Axes, Bounds, Grid, Names, Normals, Ruler, Skeleton, Tangents, Tips};
    let all = [Skeleton, Names, Axes, Tips, Normals, Tangents, Bounds, Ruler, Grid];
    let (model, mut state) = applied(&[Action::Toggle(Grid)]);
    for shown in all {
        state.apply(&Action::Toggle(shown), &model);
        assert_eq!(all.map(|overlay| state.has_overlay(overlay)), all.map(|overlay| overlay == shown), "{shown:?}");
        state.apply(&Action::Toggle(shown), &model);
    }
}

#[test]
fn a_range_is_set_by_its_ends_named_and_found_again() {
    let (model, mut state) = applied(&[
        Action::Seek(0.52),
        Action::RangeStart,
        Action::Seek(1.5),
        Action::RangeEnd,
        Action::NameRange(" step ".into()),
    ]);
    let ranges = [NamedRange { name: "step".into(), clip: "walk".into(), start: 0.5, end: 1.5 }];
    assert_eq!((state.playback.range(), &state.ranges[..]), ((0.5, 1.5), &ranges[..]));
    // An end before the start begins a range anew.
    state.apply(&Action::Seek(0.2), &model);
    state.apply(&Action::RangeEnd, &model);
    assert_eq!(state.playback.range(), (0.0, 0.2));
    state.apply(&Action::ShowClip(1), &model);
    assert!(!state.playback.has_range(), "a range belongs to its clip");
    state.apply(&Action::PickRange(0), &model);
    assert_eq!((state.clip, state.playback.range(), state.playback.time()), (Some(0), (0.5, 1.5), 0.5));
    state.apply(&Action::RemoveRange(0), &model);
    state.apply(&Action::PickRange(0), &model);
    assert!(state.ranges.is_empty());
}

#[test]
fn clips_go_around_and_what_is_not_there_changes_nothing() {
    let (model, mut state) = applied(&[Action::ChangeClip(1)]);
    assert_eq!(state.clip, Some(1));
    state.apply(&Action::ChangeClip(1), &model);
    assert_eq!(state.clip, Some(0));
    state.apply(&Action::ChangeClip(-1), &model);
    assert_eq!(state.clip, Some(1));
    let before = state.clone();
    for action in [
        Action::ShowClip(7),
        Action::PickRange(3),
        Action::ToggleMesh(9),
        Action::Split(Some(Split::Clip(9))),
        Action::Speed(f64::NAN),
        Action::Centre(Vec3::NAN),
        Action::SelectVertex(VertexRef { mesh: 0, vertex: 3 }),
    ] {
        state.apply(&action, &model);
        assert_eq!(state, before, "{action:?}");
    }
}

#[test]
fn what_goes_on_from_the_state_goes_around() {
    // Each time the same action; after the last of these the first comes again.
    let go_around = |before: &[Action], step: Action, expected: &[Option<Action>]| {
        let (model, mut state) = applied(before);
        for expected in expected.iter().chain(expected.first()) {
            let meant = state.meant(&step, &model).unwrap_or_else(|| panic!("{step:?} is meant as it is"));
            assert_eq!(meant.clone().ok(), *expected, "{step:?} of {before:?}");
            let mut other = state.clone();
            state.apply(&step, &model);
            meant.into_iter().for_each(|meant| other.apply(&meant, &model));
            assert_eq!(state, other, "{step:?} does what it comes to");
        }
    };
    let (root, hand) = (model().skeleton.id(0), model().skeleton.id(1));
    let all = |actions: &[Action]| actions.iter().cloned().map(Some).collect::<Vec<_>>();
    let mixed = |share, mask| Action::Blend(Some(Blend { clip: 1, share, mask }));
    let mixing = [mixed(0.5, None)];
    go_around(&[], Action::ChangeJoint(1), &all(&[Action::SelectJoint(root), Action::SelectJoint(hand)]));
    go_around(&[], Action::ChangeJoint(-1), &all(&[Action::SelectJoint(hand), Action::SelectJoint(root)]));
    go_around(&[], Action::NextBlend, &all(&[mixed(0.5, None), Action::Blend(None)]));
    let shares = [0.75, 1.0, 0.25, 0.5].map(|share| mixed(share, None));
    go_around(&mixing, Action::NextBlendShare, &all(&shares));
    go_around(&[], Action::NextBlendShare, &[None]);
    let selected = [mixing[0].clone(), Action::SelectJoint(hand)];
    let masked = mixed(0.5, hand.map(Mask::Below));
    go_around(&selected, Action::ToggleBlendMask, &[Some(masked), Some(mixing[0].clone())]);
    go_around(&mixing, Action::ToggleBlendMask, &[None]);
    let beside = Action::Split(Some(Split::Clip(1)));
    go_around(&[], Action::NextSplitClip, &all(&[beside, Action::Split(None)]));
    let motions = [RootMotion::Remove, RootMotion::Accumulate, RootMotion::Keep].map(Action::RootMotion);
    go_around(&[], Action::NextRootMotion, &all(&motions));
    go_around(&[], Action::ToggleFade, &all(&[0.0, FADE_SECONDS].map(Action::FadeSeconds)));
    let alone = [Action::ShowMeshAlone(0), Action::ShowMeshAlone(1), Action::ShowMeshes];
    go_around(&[], Action::NextMeshAlone, &all(&alone));
    go_around(&[], Action::HideSelectedMesh, &[None]);
    let support = [Colouring::Support, Colouring::Material].map(Action::Colouring);
    go_around(&[], Action::ToggleColouring(Colouring::Support), &all(&support));
    go_around(&[], Action::NextNamedRange, &[None]);
    let named = [Action::RangeStart, Action::NameRange("hop".into()), Action::Range(None)];
    go_around(&named, Action::NextNamedRange, &all(&[Action::PickRange(0)]));
    let (model, mut state) = applied(&[Action::Copies(30)]);
    for (by, copies) in [(-1, 25), (-1, 10), (-1, 4), (-1, 2), (-1, 1), (-1, 1), (1, 2)] {
        state.apply(&Action::ChangeCopies(by), &model);
        assert_eq!(state.copies, copies);
    }
}

#[test]
fn frames_stay_where_a_game_plays_them_at_another_pace() {
    let (mut model, mut state) = applied(&[Action::Seek(0.5), Action::RangeStart, Action::Seek(0.8)]);
    let before = state.playback.clone();
    // Two seconds at ten frames a second, which a game plays in half the time.
    (model.clips[0].duration, model.clips[0].frame_rate) = (1.0, Some(20.0));
    state = state.moved_to(&model, &model);
    state.keep_frames_of(&before);
    assert_eq!((state.playback.frame(), state.playback.time()), (8, 0.4));
    assert_eq!(state.playback.range(), (0.25, 1.0));
}

#[test]
fn a_clip_is_not_mixed_with_itself() {
    let blend = |clip| Action::Blend(Some(Blend { clip, share: 0.5, mask: None }));
    let (model, mut state) = applied(&[blend(1)]);
    assert!(state.blend.is_some());
    state.apply(&Action::ShowClip(1), &model);
    assert_eq!(state.blend, None, "the clip that was mixed in is shown itself");
    state.apply(&blend(1), &model);
    assert_eq!(state.blend, None);
}

#[test]
fn one_clip_gives_way_to_the_next() {
    let (model, mut state) = applied(&[Action::Seek(1.0), Action::FadeSeconds(0.4), Action::ShowClip(1)]);
    assert_eq!(root(&state, &model), DVec3::X * 5.0, "at first nothing has changed");
    state.advance(0.2);
    // Half way: walk at 1.2 s is at 6 along x, run at 0.2 s at 2 along y.
    assert!(root(&state, &model).distance(DVec3::new(3.0, 1.0, 0.0)) < 1e-9, "{}", root(&state, &model));
    state.advance(0.3);
    assert!(root(&state, &model).distance(DVec3::Y * 5.0) < 1e-9);
    let (model, state) = applied(&[Action::Seek(1.0), Action::Pause(true), Action::ShowClip(1)]);
    assert_eq!(root(&state, &model), DVec3::ZERO, "paused, the next clip is shown at once");
}

#[test]
fn another_clip_is_mixed_in_at_the_same_share_of_its_length() {
    let blend = Blend { clip: 1, share: 0.25, mask: None };
    let (model, mut state) = applied(&[Action::Seek(1.0), Action::Blend(Some(blend))]);
    assert!(root(&state, &model).distance(DVec3::new(3.75, 1.25, 0.0)) < 1e-9);
    let hand = model.skeleton.find("hand");
    state.apply(&Action::Blend(Some(Blend { mask: hand.map(Mask::Below), ..blend })), &model);
    assert_eq!(root(&state, &model), DVec3::X * 5.0, "the root is not below the hand");
    let [legs, torso] = ["root", "hand"].map(|joint| model.skeleton.find(joint).unwrap());
    state.channels = vec![("torso".into(), vec![torso]), ("legs".into(), vec![legs])];
    for (channel, there) in [(0, DVec3::X * 5.0), (1, DVec3::new(3.75, 1.25, 0.0))] {
        state.apply(&Action::Blend(Some(Blend { mask: Some(Mask::Channel(channel)), ..blend })), &model);
        assert!(root(&state, &model).distance(there) < 1e-9, "{channel}");
    }
}

#[test]
fn frame_commands_stand_at_their_frames_counted_from_none() {
    let decl =
        "{ mesh a.md5mesh anim walk a.md5anim {\nframe 9 leftfoot\nframe 9 sound_body snd_step\nframe 0 jump\n} }";
    let parsed = parse_model(decl.as_bytes(), Span::new(0, decl.len())).decl;
    let commands = parsed.items.into_iter().filter_map(|item| match item {
        ModelItem::Anim(anim) => Some((anim.name.text, anim.commands)),
        _ => None,
    });
    let (model, mut state) = applied(&[]);
    state.events = events::of_commands(&commands.collect::<Vec<_>>());
    let told: Vec<_> = model.clips.iter().map(|clip| state.events_of(clip)).collect();
    assert_eq!(told, [BTreeMap::from([(8, "leftfoot, sound_body snd_step".to_owned())]), BTreeMap::new()]);
}

#[test]
fn a_joint_is_turned_in_its_own_axes_after_the_pose() {
    let (model, mut state) = applied(&[Action::Seek(1.0)]);
    let joint = model.skeleton.id(0).unwrap();
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    state.apply(&Action::Turn(joint, quarter), &model);
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    state.pose(&model, state.clip, 0.0, &mut local, &mut posed);
    assert!(posed.0[0].transform_vector3(DVec3::X).distance(DVec3::Y) < 1e-12);
    assert_eq!(posed.0[0].translation, DVec3::X * 5.0, "it stays where it is");
    state.apply(&Action::Turn(joint, DQuat::IDENTITY), &model);
    assert!(state.turns.is_empty(), "no turn is none");
}

/// Five frames at ten a second, none of them twice.
fn film() -> CameraPath {
    let frame = |x: f64| CameraFrame { position: DVec3::X * x, rotation: DQuat::IDENTITY, horizontal_angle: 1.5 };
    CameraPath::new((0..5).map(|x| frame(f64::from(x))).collect(), 10.0, Vec::new()).unwrap()
}

#[test]
fn a_film_goes_on_with_the_clip_until_the_camera_is_moved() {
    let (model, mut state) = applied(&[]);
    state.apply(&Action::LookThrough(true), &model);
    assert_eq!(state.reel, None, "there is no film");
    state.reel = Some(Reel::new(&film()));
    state.apply(&Action::ToggleLookThrough, &model);
    let film = |state: &State| state.reel.as_ref().unwrap().playback.clone();
    let time = |state: &State| (film(state).time() * 1e6).round() / 1e6;
    state.advance(0.35);
    assert_eq!(time(&state), 0.35);
    state.advance(0.1);
    assert_eq!(time(&state), 0.05, "after 0.4 s it begins again");
    state.apply(&Action::Step(2), &model);
    assert_eq!((time(&state), state.playback.paused), (0.2, true));
    state.apply(&Action::Step(-3), &model);
    assert_eq!(time(&state), 0.4, "before its start is its end");
    state.apply(&Action::SeekFilm(0.25), &model);
    state.apply(&Action::Step(-1), &model);
    assert_eq!(time(&state), 0.2, "the frame before a moment between two");
    state.apply(&Action::SeekFilm(9.0), &model);
    assert_eq!(time(&state), 0.4);
    state.apply(&Action::Repeat(Repeat::Clamp), &model);
    state.apply(&Action::Step(1), &model);
    assert_eq!(time(&state), 0.4, "played once, it stays at its end");
    state.apply(&Action::BasePose(BasePose::Bind), &model);
    assert!(!state.is_moving());
    state.apply(&Action::TogglePause, &model);
    assert_eq!((time(&state), state.playback.paused), (0.0, false), "and begins anew");
    state.advance(9.0);
    assert!(time(&state) == 0.4 && !state.is_moving());
    for action in [Action::Rotate(0.1, 0.0), Action::Magnify(2.0), Action::LookFrom(0.0, 0.0), Action::ResetCamera] {
        state.apply(&Action::LookThrough(true), &model);
        state.apply(&action, &model);
        assert_eq!(state.shown_film(), None, "{action:?}");
    }
}

#[test]
fn nothing_that_rests_is_drawn_again() {
    let (model, mut state) = applied(&[]);
    assert!(state.is_moving());
    state.apply(&Action::BasePose(BasePose::Bind), &model);
    assert!(!state.is_moving() && state.can_turn());
    state.apply(&Action::BasePose(BasePose::Clip), &model);
    state.apply(&Action::TogglePause, &model);
    assert!(!state.is_moving() && state.can_turn());
    assert!(!State::new(&model, None, state.camera).is_moving(), "without a clip nothing moves");
}

#[test]
fn materials_go_on_where_no_clip_does() {
    use crate::model::Material;
    use crate::model::surface::{Expression, Stage, Surface, TextureTransform};
    let scrolled = |by: Expression| {
        let mut stage = Stage::new(Default::default());
        stage.transforms.push(TextureTransform::Translate(by, Expression::Number(0.0)));
        let surface = Surface { stages: vec![stage], ..Surface::default() };
        Material { surface: Some(surface), ..Material::neutral("belt") }
    };
    let mut model = Model { clips: Vec::new(), ..model() };
    let of = |model: &Model| State { clip: None, ..State::new(model, None, state(model).camera) };
    model.materials = vec![scrolled(Expression::Number(0.5))];
    assert!(!of(&model).is_moving(), "it is moved, but stays there");
    model.materials.push(scrolled(Expression::Table("t".into(), Box::new(Expression::Time))));
    let mut state = of(&model);
    assert!(state.is_moving());
    state.advance(0.25);
    assert_eq!(state.material_time(), 0.25);
    state.apply(&Action::TogglePause, &model);
    state.advance(0.25);
    assert_eq!((state.is_moving(), state.material_time()), (false, 0.25));
}

#[test]
fn a_file_that_was_saved_keeps_what_goes_by_name() {
    let (before, state) = applied(&[
        Action::ShowClip(1),
        Action::Seek(0.7),
        Action::Pause(true),
        Action::Speed(2.0),
        Action::SelectJoint(model().skeleton.find("hand")),
        Action::ToggleMesh(1),
    ]);
    let mut after = before.clone();
    after.clips.swap(0, 1);
    after.meshes.pop();
    let mut skeleton = Skeleton::new();
    skeleton.push("new", None, Transform::IDENTITY);
    let hand = skeleton.push("hand", None, Transform::IDENTITY);
    after.skeleton = skeleton;
    let moved = state.moved_to(&before, &after);
    assert_eq!((moved.clip, moved.playback.time(), moved.playback.speed), (Some(0), 0.7, 2.0));
    assert_eq!((moved.joint, moved.playback.paused, moved.camera), (Some(hand), true, state.camera));
    assert!(moved.hidden.is_empty(), "the mesh is gone");
    after.clips.clear();
    assert_eq!(state.moved_to(&before, &after).clip, None);
}

#[test]
fn another_model_is_looked_at_like_the_one_before() {
    let look = [
        Action::Surfaces(Surfaces::Edges),
        Action::Shading(Shading::Normals),
        Action::Filter(TextureFilter::Texels),
        Action::Background(Background::Flat([1.0; 4])),
        Action::Colouring(Colouring::Dropped),
        Action::Toggle(Overlay::Grid),
        Action::Toggle(Overlay::Names),
        Action::Clock(Clock::Doom3),
        Action::FadeSeconds(0.7),
        Action::Page(Page::Meshes),
    ];
    let of_model = [Action::Seek(1.0), Action::SelectJoint(model().skeleton.find("hand")), Action::ToggleMesh(1)];
    let (_, before) = applied(&[&look[..], &of_model].concat());
    let (_, expected) = applied(&look);
    let (_, mut after) = applied(&[]);
    after.keep_look_of(&before);
    assert_eq!(after, expected);
    after.settings.skeleton = true;
    after.keep_look_of(&before);
    assert!(after.settings.skeleton, "there may be nothing else to see");
}

#[test]
fn a_vertex_leads_to_the_joint_that_moves_it_most() {
    use crate::model::{BindJoint, Influence};
    let mut model = model();
    let bound =
        |joint: usize| BindJoint { joint: model.skeleton.id(joint).unwrap(), inverse_bind: glam::DAffine3::IDENTITY };
    let pull = |slot, weight| Influence { slot, weight, offset: Vec3::ZERO };
    model.meshes[0] = Mesh {
        positions: vec![Vec3::ZERO],
        bind: vec![bound(1), bound(0)],
        influences: vec![pull(0, 0.7), pull(1, 0.3)],
        influence_starts: vec![0, 2],
        ..Mesh::default()
    };
    let mut state = state(&model);
    let vertex = VertexRef { mesh: 0, vertex: 0 };
    state.apply(&Action::SelectVertex(vertex), &model);
    assert_eq!((state.vertex, state.joint), (Some(vertex), model.skeleton.find("hand")));
    state.apply(&Action::SelectJoint(None), &model);
    assert_eq!((state.vertex, state.joint), (None, None));
}

#[test]
fn a_scene_brings_the_channels_and_frame_commands_of_its_game() {
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/data/game/mannequin.pk4");
    let game = bindpose_vfs::Vfs::open(game.as_ref(), &[]).unwrap();
    let subject = Some(Subject::Model("mannequin".to_owned()));
    let options = LoadOptions { subject, game: Some(game.into()), ..LoadOptions::default() };
    let (scene, ..) = Scene::load(&[], options).unwrap();
    let (_, mut state) = applied(&[]);
    let mask = |state: &State| state.blend.as_ref().and_then(|blend| blend.mask);
    for (channel, kept) in [(1, Some(Mask::Channel(1))), (2, None)] {
        state.blend = Some(Blend { clip: 0, share: 0.5, mask: Some(Mask::Channel(channel)) });
        state.take_from(&scene);
        assert_eq!(mask(&state), kept, "the game has two channels");
    }
    let names: Vec<&str> = state.channels.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["torso", "legs"]);
    let walk = scene.model.clips.iter().find(|clip| clip.name == "walk").unwrap();
    assert_eq!(state.events_of(walk), BTreeMap::from([(8, "leftfoot".to_owned()), (24, "rightfoot".to_owned())]));
}
