//! Tests of the state, its changes and steps, without a window.

use super::ranges::NamedRange;
use super::*;
use bindpose_core::load::{GameRequest, LoadOptions, Subject};
use bindpose_core::model::{
    CameraFrame, CameraPath, Clip, JointTracks, Mesh, Skeleton, Timeline, TimelineId, Track, Transform,
};
use bindpose_core::play::Repeat;
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{ModelItem, parse_model};
use bindpose_render::{Background, Bounds, Camera, Shading, Surfaces, TextureFilter};
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeMap;

/// Creates a model with two joints and two clips at ten frames a second. "walk" lasts two seconds and moves the root
/// ten units along x. "run" lasts one second and moves it as far along y.
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

fn applied(actions: &[Change]) -> (Model, State) {
    let model = model();
    let mut state = state(&model);
    actions.iter().for_each(|action| state.apply(action, &model));
    (model, state)
}

/// Applies a step and returns its change.
fn take(state: &mut State, model: &Model, step: Step) -> Result<Change, &'static str> {
    let change = step(state, model);
    change.iter().for_each(|change| state.apply(change, model));
    change
}

/// By hand: of two helpers each turns by a third of the turn before.
#[test]
fn helpers_share_manual_rotations() {
    let mut skeleton = Skeleton::new();
    let rest = Transform::from_rotation_translation(DQuat::from_rotation_z(0.7), DVec3::X);
    let upper = skeleton.push("upper", None, Transform::IDENTITY);
    let helpers = [1, 2].map(|number| skeleton.push(format!("lower_helper{number}"), Some(upper), rest));
    let lower = skeleton.push("lower", Some(upper), rest);
    skeleton.push("hand", Some(lower), Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::X));
    let model = Model { skeleton, ..Model::default() };
    let mut state = state(&model);
    state.apply(&Change::BasePose(BasePose::Rest), &model);
    state.apply(&Change::Turn(lower, DQuat::from_rotation_x(1.5)), &model);
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    state.pose(&model, None, 0.0, &mut local, &mut posed);
    for (helper, angle) in helpers.into_iter().zip([0.5, 1.0]) {
        let expected = rest.rotation * DQuat::from_rotation_x(angle);
        assert!(local.0[helper.index()].rotation.angle_between(expected) < 1e-7, "{angle}");
    }
}

/// Returns the position of the first joint.
fn root(state: &State, model: &Model) -> DVec3 {
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    state.pose(model, state.clip, 0.0, &mut local, &mut posed);
    posed.0[0].translation
}

#[test]
fn speeds_end_at_the_slowest_and_the_fastest_and_keep_their_direction() {
    for (speed, by, next) in [(1.0, 1, 1.5), (4.0, 1, 4.0), (0.05, -1, 0.05), (-1.0, 1, -1.5), (-1.5, -1, -1.0)] {
        let (_, state) = applied(&[Change::Speed(speed)]);
        assert_eq!(state.next_speed(by), Change::Speed(next), "{speed} {by}");
    }
}

#[test]
fn each_overlay_is_shown_and_hidden_alone() {
    use Overlay::{Axes, Bounds, Grid, Names, Normals, Onion, Skeleton, Tangents, Trail};
    let all = [Skeleton, Names, Axes, Trail, Onion, Normals, Tangents, Bounds, Grid];
    let (model, mut state) = applied(&[Change::Toggle(Grid)]);
    for shown in all {
        state.apply(&Change::Toggle(shown), &model);
        assert_eq!(all.map(|overlay| state.has_overlay(overlay)), all.map(|overlay| overlay == shown), "{shown:?}");
        state.apply(&Change::Toggle(shown), &model);
    }
}

#[test]
fn one_reset_restores_everything_shown() {
    let joint = model().skeleton.id(1).unwrap();
    let (model, mut state) = applied(&[
        Change::Turn(joint, DQuat::from_rotation_x(0.5)),
        Change::BasePose(BasePose::Bind),
        Change::Blend(Some(Blend { clip: 1, share: 0.5, mask: None })),
        Change::RootMotion(RootMotion::Remove),
        Change::Range(Some((0.0, 0.5))),
        Change::Speed(-2.0),
        Change::Repeat(Repeat::Clamp),
        Change::Split(Some(Split::Clip(1))),
        Change::Copies(4),
        Change::ToggleMesh(1),
        Change::Surfaces(Surfaces::Edges),
        Change::Shading(Shading::Unlit),
        Change::Filter(TextureFilter::Texels),
        Change::Colouring(Colouring::Weights),
        Change::Toggle(Overlay::Names),
        Change::Toggle(Overlay::Skeleton),
        Change::Toggle(Overlay::Grid),
        Change::Curves(Some(curves::Curve::Position)),
        Change::Turntable(3.0),
    ]);
    state.resets(&model).iter().for_each(|change| state.apply(change, &model));
    let history = std::mem::take(&mut state.history);
    assert_eq!(state, applied(&[]).1);
    state.history = history;
    state.apply(&Change::Undo, &model);
    assert_eq!(state.turns.len(), 1);
    state.apply(&Change::Redo, &model);
    assert!(!state.resets(&model).contains(&Change::ResetJoints), "nothing to undo");
}

#[test]
fn a_joints_button_shows_its_curve_in_a_split_view_too() {
    let (model, mut state) = applied(&[Change::Split(Some(Split::Method(MethodId::Dqs)))]);
    let mut shown = |toggle: fn(&State) -> Change| {
        let change = toggle(&state);
        state.apply(&change, &model);
        state.curves
    };
    assert_eq!(shown(State::toggle_curves), Some(curves::Curve::Difference));
    assert_eq!(shown(State::toggle_joint_curves), Some(curves::Curve::Position));
    assert_eq!(shown(State::toggle_joint_curves), None);
}

#[test]
fn a_range_is_set_by_its_ends_named_and_found_again() {
    let (model, mut state) = applied(&[Change::Seek(0.52)]);
    let (start, end): (Step, Step) = (|state, _| Ok(state.range_from_here()), |state, _| Ok(state.range_to_here()));
    take(&mut state, &model, start).unwrap();
    state.apply(&Change::Seek(1.5), &model);
    take(&mut state, &model, end).unwrap();
    state.apply(&Change::NameRange(" step ".into()), &model);
    let ranges = [NamedRange { name: "step".into(), clip: "walk".into(), start: 0.5, end: 1.5 }];
    assert_eq!((state.playback.range(), &state.ranges[..]), ((0.5, 1.5), &ranges[..]));
    // An end before the start begins a new range.
    state.apply(&Change::Seek(0.2), &model);
    take(&mut state, &model, end).unwrap();
    assert_eq!(state.playback.range(), (0.0, 0.2));
    state.apply(&Change::ShowClip(1), &model);
    assert!(!state.playback.has_range(), "a range belongs to its clip");
    state.apply(&Change::PickRange(0), &model);
    assert_eq!((state.clip, state.playback.range(), state.playback.time()), (Some(0), (0.5, 1.5), 0.5));
    state.apply(&Change::RemoveRange(0), &model);
    state.apply(&Change::PickRange(0), &model);
    assert!(state.ranges.is_empty());
}

#[test]
fn clips_wrap_around_and_invalid_indices_change_nothing() {
    let (model, mut state) = applied(&[]);
    let (next, previous): (Step, Step) = (|state, model| state.next_clip(model, 1), |state, m| state.next_clip(m, -1));
    for (step, clip) in [(next, 1), (next, 0), (previous, 1)] {
        assert_eq!(take(&mut state, &model, step), Ok(Change::ShowClip(clip)));
        assert_eq!(state.clip, Some(clip));
    }
    let before = state.clone();
    for action in [
        Change::ShowClip(7),
        Change::PickRange(3),
        Change::ToggleMesh(9),
        Change::ShowMeshAlone(9),
        Change::RemoveRange(3),
        Change::Split(Some(Split::Clip(9))),
        Change::Speed(f64::NAN),
        Change::Focus(Vec3::NAN, 1.0),
        Change::SelectVertex(VertexRef { mesh: 0, vertex: 3 }),
    ] {
        state.apply(&action, &model);
        assert_eq!(state, before, "{action:?}");
    }
}

#[test]
fn steps_wrap_around_their_lists() {
    // The same step is applied each time. After the last of these changes, the first one comes again.
    let go_around = |before: &[Change], step: Step, expected: &[Option<Change>]| {
        let (model, mut state) = applied(before);
        for expected in expected.iter().chain(expected.first()) {
            assert_eq!(take(&mut state, &model, step).ok(), *expected, "after {before:?}");
        }
    };
    let (root, hand) = (model().skeleton.id(0), model().skeleton.id(1));
    let all = |changes: &[Change]| changes.iter().cloned().map(Some).collect::<Vec<_>>();
    let blended = |share, mask| Change::Blend(Some(Blend { clip: 1, share, mask }));
    let blending = [blended(0.5, None)];
    let joints = all(&[Change::SelectJoint(root), Change::SelectJoint(hand)]);
    go_around(&[], |state, model| state.next_joint(model, 1), &joints);
    go_around(&[], |state, model| state.next_joint(model, -1), &[joints[1].clone(), joints[0].clone()]);
    go_around(&[], State::next_blend, &all(&[blended(0.5, None), Change::Blend(None)]));
    let shares = [0.75, 1.0, 0.25, 0.5].map(|share| blended(share, None));
    go_around(&blending, State::next_blend_share, &all(&shares));
    go_around(&[], State::next_blend_share, &[None]);
    let selected = [blending[0].clone(), Change::SelectJoint(hand)];
    let masked = blended(0.5, hand.map(Mask::Below));
    go_around(&selected, State::toggle_blend_mask, &[Some(masked), Some(blending[0].clone())]);
    go_around(&blending, State::toggle_blend_mask, &[None]);
    let beside = Change::Split(Some(Split::Clip(1)));
    go_around(&[], State::next_split_clip, &all(&[beside, Change::Split(None)]));
    let alone = [Change::ShowMeshAlone(0), Change::ShowMeshAlone(1), Change::ShowMeshes];
    go_around(&[], State::next_mesh_alone, &all(&alone));
    go_around(&[], State::next_named_range, &[None]);
    let named = [Change::Range(Some((0.0, 1.0))), Change::NameRange("hop".into()), Change::Range(None)];
    go_around(&named, State::next_named_range, &all(&[Change::PickRange(0)]));
    let mut lights = lights().map(|(_, light)| Change::Light(light));
    lights.rotate_left(1);
    go_around(&[], |state, _| Ok(state.next_light()), &all(&lights));
    let (model, mut state) = applied(&[Change::Copies(30)]);
    for (by, copies) in [(-1, 25), (-1, 10), (-1, 4), (-1, 2), (-1, 1), (-1, 1), (1, 2)] {
        state.apply(&state.next_copies(by), &model);
        assert_eq!(state.copies, copies);
    }
    let joint = root.unwrap();
    state.joint = Some(joint);
    assert!(state.reset_selected_joint(&model).is_err());
    state.apply(&Change::Turn(joint, DQuat::from_rotation_x(1.0)), &model);
    take(&mut state, &model, State::reset_selected_joint).unwrap();
    assert!(state.turns.is_empty());
}

#[test]
fn the_frame_is_kept_if_a_game_has_another_frame_rate() {
    let (mut model, mut state) = applied(&[Change::Range(Some((0.5, 2.0))), Change::Seek(0.8)]);
    let before = state.playback.clone();
    // Two seconds at ten frames a second, played by a game in half the time.
    (model.clips[0].duration, model.clips[0].frame_rate) = (1.0, Some(20.0));
    state = state.moved_to(&model, &model);
    state.keep_frames_of(&before);
    assert_eq!((state.playback.frame(), state.playback.time()), (8, 0.4));
    assert_eq!(state.playback.range(), (0.25, 1.0));
}

#[test]
fn a_clip_is_not_blended_with_itself() {
    let blend = |clip| Change::Blend(Some(Blend { clip, share: 0.5, mask: None }));
    let (model, mut state) = applied(&[blend(1)]);
    assert!(state.blend.is_some());
    state.apply(&Change::ShowClip(1), &model);
    assert_eq!(state.blend, None, "the blended clip is shown itself");
    state.apply(&blend(1), &model);
    assert_eq!(state.blend, None);
}

#[test]
fn a_clip_fades_into_the_next() {
    let (model, mut state) = applied(&[Change::Seek(1.0), Change::FadeSeconds(0.4), Change::ShowClip(1)]);
    assert_eq!(root(&state, &model), DVec3::X * 5.0, "initially nothing has changed");
    state.advance(0.2);
    // Half-way: walk at 1.2 s is at 6 along x, run at 0.2 s at 2 along y.
    assert!(root(&state, &model).distance(DVec3::new(3.0, 1.0, 0.0)) < 1e-9, "{}", root(&state, &model));
    state.advance(0.3);
    assert!(root(&state, &model).distance(DVec3::Y * 5.0) < 1e-9);
    let (model, state) = applied(&[Change::Seek(1.0), Change::Pause(true), Change::ShowClip(1)]);
    assert_eq!(root(&state, &model), DVec3::ZERO, "paused, the next clip is shown at once");
}

#[test]
fn a_blended_clip_plays_at_the_same_share_of_its_length() {
    let blend = Blend { clip: 1, share: 0.25, mask: None };
    let (model, mut state) = applied(&[Change::Seek(1.0), Change::Blend(Some(blend))]);
    assert!(root(&state, &model).distance(DVec3::new(3.75, 1.25, 0.0)) < 1e-9);
    let hand = model.skeleton.find("hand");
    state.apply(&Change::Blend(Some(Blend { mask: hand.map(Mask::Below), ..blend })), &model);
    assert_eq!(root(&state, &model), DVec3::X * 5.0, "the root is not below the hand");
    let [legs, torso] = ["root", "hand"].map(|joint| model.skeleton.find(joint).unwrap());
    state.channels = vec![("torso".into(), vec![torso]), ("legs".into(), vec![legs])];
    for (channel, there) in [(0, DVec3::X * 5.0), (1, DVec3::new(3.75, 1.25, 0.0))] {
        state.apply(&Change::Blend(Some(Blend { mask: Some(Mask::Channel(channel)), ..blend })), &model);
        assert!(root(&state, &model).distance(there) < 1e-9, "{channel}");
    }
}

#[test]
fn frame_commands_are_counted_from_zero() {
    let decl =
        "{ mesh a.md5mesh anim walk a.md5anim {\nframe 9 leftfoot\nframe 9 sound_body snd_step\nframe 0 jump\n} }";
    let parsed = parse_model(decl.as_bytes(), Span::new(0, decl.len())).decl;
    let commands = parsed.items.into_iter().filter_map(|item| match item {
        ModelItem::Anim(anim) => Some((anim.name.text, anim.commands)),
        _ => None,
    });
    let (model, mut state) = applied(&[]);
    state.events = events::of_commands(&commands.collect::<Vec<_>>());
    let events: Vec<_> = model.clips.iter().map(|clip| state.events_of(clip)).collect();
    assert_eq!(events, [BTreeMap::from([(8, "leftfoot, sound_body snd_step".to_owned())]), BTreeMap::new()]);
}

#[test]
fn a_joint_is_rotated_in_its_own_axes_after_the_pose() {
    let (model, mut state) = applied(&[Change::Seek(1.0)]);
    let joint = model.skeleton.id(0).unwrap();
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    state.apply(&Change::Turn(joint, quarter), &model);
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    state.pose(&model, state.clip, 0.0, &mut local, &mut posed);
    assert!(posed.0[0].transform_vector3(DVec3::X).distance(DVec3::Y) < 1e-12);
    assert_eq!(posed.0[0].translation, DVec3::X * 5.0, "its position stays");
    state.apply(&Change::Turn(joint, DQuat::IDENTITY), &model);
    assert!(state.turns.is_empty(), "the identity resets it");
}

/// Creates a path of five distinct frames at ten per second.
fn path() -> CameraPath {
    let frame = |x: f64| CameraFrame { position: DVec3::X * x, rotation: DQuat::IDENTITY, horizontal_angle: 1.5 };
    CameraPath::new((0..5).map(|x| frame(f64::from(x))).collect(), 10.0, Vec::new()).unwrap()
}

#[test]
fn a_camera_path_plays_with_the_clip_until_the_camera_is_moved() {
    let (model, mut state) = applied(&[]);
    state.apply(&Change::LookThrough(true), &model);
    assert_eq!(state.camera_path, None, "there is no camera path");
    state.camera_path = Some(CameraPlayback::new(&path()));
    state.apply(&Change::LookThrough(true), &model);
    let path = |state: &State| state.camera_path.as_ref().unwrap().playback.clone();
    let time = |state: &State| (path(state).time() * 1e6).round() / 1e6;
    state.advance(0.35);
    assert_eq!(time(&state), 0.35);
    state.advance(0.1);
    assert_eq!(time(&state), 0.05, "after 0.4 s it starts again");
    state.apply(&Change::StepFrames(2), &model);
    assert_eq!((time(&state), state.playback.paused), (0.2, true));
    state.apply(&Change::StepFrames(-3), &model);
    assert_eq!(time(&state), 0.4, "before its start is its end");
    state.apply(&Change::SeekCamera(0.25), &model);
    state.apply(&Change::StepFrames(-1), &model);
    assert_eq!(time(&state), 0.2, "the frame before a time between two");
    state.apply(&Change::SeekCamera(9.0), &model);
    assert_eq!(time(&state), 0.4);
    state.apply(&Change::Repeat(Repeat::Clamp), &model);
    state.apply(&Change::StepFrames(1), &model);
    assert_eq!(time(&state), 0.4, "played once, it stays at its end");
    state.apply(&Change::BasePose(BasePose::Bind), &model);
    assert!(!state.is_moving());
    state.apply(&Change::TogglePause, &model);
    assert_eq!((time(&state), state.playback.paused), (0.0, false), "and starts again");
    state.advance(9.0);
    assert!(time(&state) == 0.4 && !state.is_moving());
    for action in [Change::Rotate(0.1, 0.0), Change::Magnify(2.0), Change::LookFrom(0.0, 0.0), Change::ResetCamera] {
        state.apply(&Change::LookThrough(true), &model);
        state.apply(&action, &model);
        assert_eq!(state.shown_camera_path(), None, "{action:?}");
    }
}

#[test]
fn a_split_view_begins_with_the_clip_after_the_current_one() {
    let mut model = model();
    model.clips.push(Clip { name: "run_old".into(), ..model.clips[1].clone() });
    let mut state = State::new(&model, Some(1), state(&model).camera);
    for expected in [Some(Split::Clip(2)), Some(Split::Clip(0)), None, Some(Split::Clip(2))] {
        assert_eq!(take(&mut state, &model, State::next_split_clip), Ok(Change::Split(expected)));
    }
}

#[test]
fn a_pose_at_rest_is_not_drawn_again() {
    let (model, mut state) = applied(&[]);
    assert!(state.is_moving());
    state.apply(&Change::BasePose(BasePose::Bind), &model);
    assert!(!state.is_moving());
    state.apply(&Change::BasePose(BasePose::Clip), &model);
    state.apply(&Change::TogglePause, &model);
    assert!(!state.is_moving());
    assert!(!State::new(&model, None, state.camera).is_moving(), "without a clip nothing moves");
}

#[test]
fn materials_move_without_a_clip() {
    use bindpose_core::model::Material;
    use bindpose_core::model::surface::{Expression, Stage, Surface, TextureTransform};
    let scrolled = |by: Expression| {
        let mut stage = Stage::new(Default::default());
        stage.transforms.push(TextureTransform::Translate(by, Expression::Number(0.0)));
        let surface = Surface { stages: vec![stage], ..Surface::default() };
        Material { surface: Some(surface), ..Material::neutral("belt") }
    };
    let mut model = Model { clips: Vec::new(), ..model() };
    let of = |model: &Model| State { clip: None, ..State::new(model, None, state(model).camera) };
    model.materials = vec![scrolled(Expression::Number(0.5))];
    assert!(!of(&model).is_moving(), "a constant transform is no movement");
    model.materials.push(scrolled(Expression::Table("t".into(), Box::new(Expression::Time))));
    let mut state = of(&model);
    assert!(state.is_moving());
    state.advance(0.25);
    assert_eq!(state.material_time(), 0.25);
    state.apply(&Change::TogglePause, &model);
    state.advance(0.25);
    assert_eq!((state.is_moving(), state.material_time()), (false, 0.25));
}

#[test]
fn a_changed_file_keeps_the_state_by_names() {
    let (before, state) = applied(&[
        Change::ShowClip(1),
        Change::Seek(0.7),
        Change::Pause(true),
        Change::Speed(2.0),
        Change::SelectJoint(model().skeleton.find("hand")),
        Change::ToggleMesh(1),
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
fn settings_carry_over_to_another_model() {
    let look = [
        Change::Surfaces(Surfaces::Edges),
        Change::Shading(Shading::Normals),
        Change::Filter(TextureFilter::Texels),
        Change::Background(Background::Flat([1.0; 4])),
        Change::Colouring(Colouring::Dropped),
        Change::Toggle(Overlay::Grid),
        Change::Toggle(Overlay::Names),
        Change::FadeSeconds(0.7),
        Change::Page(Page::Meshes),
    ];
    let of_model = [Change::Seek(1.0), Change::SelectJoint(model().skeleton.find("hand")), Change::ToggleMesh(1)];
    let (_, before) = applied(&[&look[..], &of_model].concat());
    let (_, expected) = applied(&look);
    let (_, mut after) = applied(&[]);
    let shown = Model { meshes: vec![Mesh::default()], ..model() };
    after.keep_look_of(&before, &shown);
    assert_eq!(after, expected);
    after.settings.skeleton = true;
    after.keep_look_of(&before, &shown);
    assert!(after.settings.skeleton, "the model may have only bones");
    let (bones, mut next) = (after, applied(&[]).1);
    next.keep_look_of(&bones, &Model { meshes: Vec::new(), ..model() });
    assert!(!next.settings.skeleton, "the model before had only bones");
    next.keep_look_of(&bones, &shown);
    assert!(next.settings.skeleton, "bones were chosen");
}

#[test]
fn selecting_a_vertex_selects_its_heaviest_joint() {
    use bindpose_core::model::{BindJoint, Influence};
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
    state.apply(&Change::SelectVertex(vertex), &model);
    assert_eq!((state.vertex, state.joint), (Some(vertex), model.skeleton.find("hand")));
    state.apply(&Change::SelectJoint(None), &model);
    assert_eq!((state.vertex, state.joint), (None, None));
}

#[test]
fn a_scene_has_the_channels_and_frame_commands_of_its_game() {
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/game/mannequin.pk4");
    let game = bindpose_vfs::Vfs::open(game.as_ref(), &[]).unwrap();
    let subject = Some(Subject::Model("mannequin".to_owned()));
    let game = GameRequest { subject, files: Some(game.into()), ..GameRequest::default() };
    let options = LoadOptions { game, ..LoadOptions::default() };
    let scene = Scene::load(&[], options).unwrap();
    let (_, mut state) = applied(&[]);
    let mask = |state: &State| state.blend.as_ref().and_then(|blend| blend.mask);
    for (channel, kept) in [(1, Some(Mask::Channel(1))), (2, None)] {
        state.blend = Some(Blend { clip: 0, share: 0.5, mask: Some(Mask::Channel(channel)) });
        state.take_from(&scene);
        assert_eq!(mask(&state), kept, "the game has two channels");
    }
    let names: Vec<&str> = state.channels.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["torso", "legs"]);
    let walk = scene.loaded.model.clip("walk").unwrap();
    assert_eq!(state.events_of(walk), BTreeMap::from([(8, "leftfoot".to_owned()), (24, "rightfoot".to_owned())]));
}

#[test]
fn rotations_are_undone_and_restored_step_by_step() {
    let (model, mut state) = applied(&[]);
    let [root, hand] = ["root", "hand"].map(|name| model.skeleton.find(name).unwrap());
    let turn = |joint, angle| Change::Turn(joint, DQuat::from_rotation_x(angle));
    let angle = |state: &State, joint| {
        state.turns.get(&joint).map_or(0.0, |turn| (turn.to_axis_angle().1 * 100.0).round() / 100.0)
    };
    let apply = |state: &mut State, changes: &[Change]| changes.iter().for_each(|change| state.apply(change, &model));
    // A drag is one step; another drag of the same joint is the next.
    apply(&mut state, &[turn(root, 0.1), turn(root, 0.2), turn(root, 0.3), Change::EndTurn]);
    apply(&mut state, &[turn(root, 0.4), turn(root, 0.5), turn(hand, 1.0), Change::ResetJoints]);
    let mut seen = vec![(angle(&state, root), angle(&state, hand))];
    while state.history.can_undo() {
        state.apply(&Change::Undo, &model);
        seen.push((angle(&state, root), angle(&state, hand)));
    }
    let expected = [(0.0, 0.0), (0.5, 1.0), (0.5, 0.0), (0.3, 0.0), (0.0, 0.0)];
    assert_eq!(seen, expected);
    for steps in expected.iter().rev().skip(1) {
        state.apply(&Change::Redo, &model);
        assert_eq!((angle(&state, root), angle(&state, hand)), *steps);
    }
    // A new rotation clears the redo history.
    apply(&mut state, &[Change::Undo, turn(hand, 2.0)]);
    assert!(state.redo_turn(&model).is_err() && state.undo_turn(&model).is_ok());
}
