//! Positions according to the engines' formulas, calculated in the plane with complex numbers, independent of the code
//! under test.

use bindpose_core::budget::Budget;
use bindpose_core::engines::{
    Due, ENGINES, Engine, Joints, LeavesOut, MEANING, Root, Rule, Shown, Unplayed, departures, due_to,
};
use bindpose_core::load::{LoadError, LoadOptions, Loaded, PlaybackRequest, load_bytes};
use bindpose_core::model::{BindJoint, Influence, Mesh, Skeleton, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::skin::{Prepared, Skinned, TimedPose, reference};
use glam::{DAffine3, DVec3, Vec3};
use std::ops::{Add, Mul};

#[derive(Debug, Clone, Copy, PartialEq)]
struct C(f64, f64);

impl Add for C {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Mul for C {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0 - self.1 * other.1, self.0 * other.1 + self.1 * other.0)
    }
}

impl Mul<f64> for C {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}

fn turn(degrees: f64) -> C {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    C(cosine, sine)
}

/// Two joints, the second 2 to the right. One vertex, which its weights of 3/4 and 1/4 put at (3, 1) and (3, 2).
const MESH: &str = "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n\
    \"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"tip\" 0 ( 2 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader \"a\"\nnumverts 3\n\
    vert 0 ( 0 0 ) 0 2\nvert 1 ( 1 0 ) 2 1\nvert 2 ( 0 1 ) 3 1\nnumtris 1\ntri 0 0 1 2\nnumweights 4\n\
    weight 0 0 0.75 ( 3 1 0 )\nweight 1 1 0.25 ( 1 2 0 )\nweight 2 0 1 ( 0 0 0 )\nweight 3 0 1 ( 0 1 0 )\n}\n";

/// The root moves from (1, 4) to (5, 4), with y from the base frame, and turns by -90 degrees. The tip is 2 to its
/// right and turned by q = (0, 0, 0.6), all from the base frame.
const CLIP: &str = "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 2\nframeRate 24\n\
    numAnimatedComponents 2\nhierarchy {\n\"root\" -1 33 0\n\"tip\" 0 0 0\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n\
    ( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 1 4 0 ) ( 0 0 0 )\n( 2 0 0 ) ( 0 0 0.6 )\n}\n\
    frame 0 {\n1 0\n}\nframe 1 {\n5 0.70710678118654752\n}\n";

/// Rotation of the tip: `w² - z²` and `2 z w` of the quaternion (0, 0, z, w) with z = 0.6 and w = -0.8.
const TIP: C = C(0.28, -0.96);
/// Bind position summed over both weights, in model space and in the tip's space.
const BIND: C = C(3.0, 1.25);
const BIND_IN_TIP: C = C(1.0, 1.25);

fn played_by(engine: Option<&'static Engine>) -> LoadOptions {
    let playback = PlaybackRequest { engine, ..PlaybackRequest::default() };
    LoadOptions { playback, ..LoadOptions::default() }
}

fn load(engine: &str, mesh: &str, clip: &str) -> Loaded {
    let engine = Some(Engine::find(engine).unwrap());
    let files = [("a.md5mesh", mesh), ("a.md5anim", clip)].map(|(name, text)| (name.into(), text.as_bytes().to_vec()));
    load_bytes(files.into(), &played_by(engine)).unwrap()
}

/// Returns the position of the first vertex at a frame, counted from 0 with the engine's own rate.
fn shown(engine: &str, mesh: &str, clip: &str, frame: f64) -> DVec3 {
    let Loaded { model, .. } = load(engine, mesh, clip);
    let clip = &model.clips[0];
    let time = frame / clip.frame_rate.unwrap();
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    sample(&model.skeleton, clip, time, &mut local);
    local_to_model(&model.skeleton, &local, &mut pose);
    let method = Engine::find(engine).unwrap().method();
    let prepared = Prepared::new(method, &model.skeleton, &model.meshes[0], &[], Some(clip)).unwrap();
    let mut skinned = Skinned::default();
    reference(&prepared, TimedPose { pose: &pose, time }, &mut skinned);
    skinned.positions[0]
}

#[test]
#[expect(clippy::too_many_lines, reason = "a formula for each engine")]
fn half_way_between_two_frames_each_engine_shows_what_its_formula_gives() {
    // Root at both frames and midway, and tip relative to the root.
    let (t0, t1, t) = (C(1.0, 4.0), C(5.0, 4.0), C(3.0, 4.0));
    let (r0, r1, r) = (turn(0.0), turn(-90.0), turn(-45.0));
    let arm = C(2.0, 0.0);
    let mixed = (r0 + r1) * 0.5;
    let (o0, o1) = (C(3.0, 1.0), C(1.0, 2.0));
    let offsets = |t: C, r: C, tip: C, tip_turn: C| (t + r * o0) * 0.75 + (tip + tip_turn * o1) * 0.25;
    let bound =
        |t: C, r: C, tip: C, tip_turn: C, [a, b]: [f64; 2]| (t + r * BIND) * a + (tip + tip_turn * BIND_IN_TIP) * b;
    let both = |of: &dyn Fn(C, C) -> C| (of(t0, r0) + of(t1, r1)) * 0.5;
    let bytes = |a: f64, b: f64| [a / 255.0, b / 255.0];
    let without_base = |t: C| C(t.0, 0.0);

    let vkquake = both(&|t, r| {
        let tip = t + r * arm;
        // Truncated bytes: 191 and 63 for 191.25 and 63.75, divided by their sum of 254.
        r * o0 * 0.75 + r * TIP * o1 * 0.25 + t * (191.0 / 254.0) + tip * (63.0 / 254.0)
    });
    let ironwail = both(&|t, r| bound(without_base(t), r, without_base(t), r, bytes(191.0, 63.0)));
    let qss = bound(without_base(t), mixed, without_base(t), mixed, [0.75, 0.25]);
    let fteqw = bound(t, mixed, t + mixed * arm, mixed * TIP, [0.75, 0.25]);
    let tips = ((t0 + r0 * arm) + (t1 + r1 * arm)) * 0.5;
    let q2pro = offsets(t, r, tips, r * TIP);
    let steps = 32767.0 / 3.0;
    let sixteen = |place: C| C((place.0 * steps).round() / steps, (place.1 * steps).round() / steps);
    let [a, b] = bytes(191.0, 64.0);
    let daemon = (t + r * sixteen(BIND)) * a + (t + r * arm + r * TIP * (sixteen(BIND) + C(-2.0, 0.0))) * b;
    let etlegacy = bound(t, r, t + r * arm, r * TIP, [0.75, 0.25]);
    // Relative to the base frame, y is 0 because no frame animates it.
    let own = C(2.0, 0.0);
    let doom3 = offsets(own, r, own + r * arm, r * TIP);
    let rbdoom = bound(own, r, own + r * arm, r * TIP, bytes(192.0, 63.0));
    let cube2 = {
        // In the plane, the dual quaternion of a rotation by 2h and a translation t is e^(ih) and t/2 e^(-ih).
        let dual = |t: C, h: f64| (turn(h), t * turn(-h) * 0.5);
        let moved = |(real, dual): (C, C)| dual * real * (2.0 / (real.0 * real.0 + real.1 * real.1));
        let add = |(a, b): (C, C), (c, d): (C, C)| (a + c, b + d);
        let times = |(a, b): (C, C), w: f64| (a * w, b * w);
        let root = moved(times(add(dual(t0, 0.0), dual(t1, -45.0)), 0.5));
        let tip_half = 0.5 * TIP.1.atan2(TIP.0).to_degrees();
        // Without the inverse bind pose.
        let of_root = dual(root, -22.5);
        let of_tip = dual(root + r * arm + r * TIP * arm * -1.0, -22.5 + tip_half);
        // The few sets of weights fit as floats.
        let blended = add(times(of_root, 0.75), times(of_tip, 0.25));
        let length = (blended.0.0 * blended.0.0 + blended.0.1 * blended.0.1).sqrt();
        let unit = blended.0 * length.recip();
        unit * unit * BIND + moved(blended)
    };
    let hexenwail = both(&|t, r| bound(t, r, t + r * arm, r * TIP, bytes(191.0, 64.0)));
    let expected = [
        ("vkquake-1.35", ironwail),
        ("vkquake", vkquake),
        ("ironwail-0.8.1", ironwail),
        ("ironwail", ironwail),
        ("qss", qss),
        ("fteqw", fteqw),
        ("q2pro", q2pro),
        ("q2repro", q2pro),
        ("yquake2remaster", q2pro),
        ("daemon", daemon),
        ("etlegacy", etlegacy),
        ("doom3", doom3),
        ("tdm", doom3),
        ("rbdoom3bfg", rbdoom),
        ("quake4", doom3),
        ("cube2", cube2),
        ("hexenwail", hexenwail),
    ];
    assert_eq!(expected.map(|(name, _)| name), std::array::from_fn(|place| ENGINES[place].name()));
    for (name, C(x, y)) in expected {
        let found = shown(name, MESH, CLIP, 0.5);
        assert!(found.distance(DVec3::new(x, y, 0.0)) < 2e-6, "{name}: {found}, not ({x}, {y})");
    }
}

#[test]
fn a_tenth_of_a_second_after_the_last_frame_some_engines_are_back_at_the_first() {
    for engine in &ENGINES {
        let Loaded { model, .. } = load(engine.name(), MESH, CLIP);
        let seconds = model.clips[0].duration;
        let wraps = !["daemon", "etlegacy", "doom3", "tdm", "rbdoom3bfg", "quake4"].contains(&engine.name());
        assert_eq!(seconds, if wraps { 0.2 } else { 1.0 / 24.0 }, "{}", engine.name());
        let (first, last) = (shown(engine.name(), MESH, CLIP, 0.0), shown(engine.name(), MESH, CLIP, 2.0));
        assert_eq!(first.distance(last) < 1e-9, wraps, "{}", engine.name());
    }
}

#[test]
fn joints_are_found_by_name_or_by_their_place() {
    let other_names = CLIP.replace("\"tip\"", "\"other\"");
    // Without a channel the tip keeps its translation relative to the root and does not turn. The translations count
    // 191/254 and 63/254.
    let unturned =
        |t: C| C(3.0, 1.0) * 0.75 + C(1.0, 2.0) * 0.25 + t * (191.0 / 254.0) + (t + C(2.0, 0.0)) * (63.0 / 254.0);
    let C(x, y) = unturned(C(1.0, 4.0));
    assert!(shown("vkquake", MESH, &other_names, 0.0).distance(DVec3::new(x, y, 0.0)) < 2e-6);
    assert_eq!(shown("fteqw", MESH, &other_names, 0.0), shown("fteqw", MESH, CLIP, 0.0));
}

#[test]
fn one_without_a_rule_of_its_own_shows_what_the_files_mean() {
    let files = [("a.md5mesh", MESH), ("a.md5anim", CLIP)].map(|(name, text)| (name.into(), text.as_bytes().to_vec()));
    let meant = load_bytes(files.into(), &LoadOptions::default()).unwrap();
    let held = meant.as_played_by(&MEANING, 0, &Budget::default()).unwrap().unwrap();
    let mut one = Shown::new(&held, &held.clips[0], Some(&MEANING)).unwrap();
    let mut other = Shown::new(&meant.model, &meant.model.clips[0], None).unwrap();
    let found = departures(&mut one, &mut other, [0.0, 0.25, 0.5, 1.0].into_iter());
    assert!(found.len() == 4 && found.iter().all(|departure| departure.distance < 1e-9), "{found:?}");
}

#[test]
fn a_distance_comes_from_the_rule_without_which_least_is_left() {
    let due = |left: [f64; 2]| {
        let [of_root, of_joints] = left;
        let left = |changed: &Engine| match changed {
            Engine { root: Root::File, .. } => Ok::<f64, ()>(of_root),
            Engine { joints: Joints::ByName, .. } => Ok(of_joints),
            _ => Ok(10.0),
        };
        due_to(Engine::find("doom3").unwrap(), &MEANING, 10.0, left).unwrap()
    };
    assert_eq!(due([1.0, 2.0]), Some(Due { rule: Rule::Root, left: 1.0 }));
    assert_eq!(due([4.0, 2.0]), Some(Due { rule: Rule::Joints, left: 2.0 }));
    assert_eq!(due([5.0, 6.0]), None, "half is not most");
}

fn weighted(weights: &[f32]) -> Mesh {
    let pull = |(slot, &weight): (usize, &f32)| Influence { slot: slot as u32, weight, offset: Vec3::X };
    let mut skeleton = Skeleton::new();
    let joint = |number: usize| skeleton.push(format!("{number}"), None, Transform::IDENTITY);
    let bind = (0..weights.len()).map(joint).collect::<Vec<_>>();
    let bind = bind.into_iter().map(|joint| BindJoint { joint, inverse_bind: DAffine3::IDENTITY });
    Mesh {
        positions: vec![Vec3::X],
        bind: bind.collect(),
        influences: weights.iter().enumerate().map(pull).collect(),
        influence_starts: vec![0, weights.len() as u32],
        ..Mesh::default()
    }
}

#[test]
fn engines_keep_and_store_weights_as_their_loaders_do() {
    let first_of = |name: &str, mut mesh: Mesh| -> Vec<(u32, u32)> {
        Engine::find(name).unwrap().hold_meshes(std::slice::from_mut(&mut mesh));
        // In thousandths of a byte step.
        mesh.influences_of(0).iter().map(|held| (held.slot, (held.weight * 255_000.0).round() as u32)).collect()
    };
    let held = |name: &str, weights: &[f32]| first_of(name, weighted(weights));
    // Adds vertices with the same number of weights, all different.
    let in_cube2 = |weights: &[f32], others: usize| {
        let mut mesh = weighted(weights);
        for other in 1..=others {
            mesh.positions.push(Vec3::X);
            mesh.influences.extend_from_within(..weights.len());
            mesh.influences[other * weights.len()].weight += other as f32 / 1000.0;
            mesh.influence_starts.push(mesh.influences.len() as u32);
        }
        first_of("cube2", mesh)
    };
    let five = [0.1, 0.2, 0.1, 0.2, 0.4];
    // The fifth weight is heavier than the first of the lightest and replaces it: 0.4, 0.2, 0.1, 0.2, of 0.9.
    assert_eq!(held("ironwail", &five), [(4, 113_000), (1, 56_000), (2, 28_000), (3, 56_000)]);
    // Heaviest first: 0.4, 0.2, 0.2 and the first 0.1, of 0.9.
    assert_eq!(held("rbdoom3bfg", &five), [(4, 115_000), (1, 56_000), (3, 56_000), (0, 28_000)]);
    // 113.3, 56.7, 56.7, 28.3 round to 113, 57, 57 and 28, which sum to 255 already. Thirds are 85 each.
    assert_eq!(in_cube2(&five, 96), [(4, 113_000), (1, 57_000), (3, 57_000), (0, 28_000)]);
    // 0.5 and 0.5 round to 128 each, 0.7 and 0.3 to 179 and 77, and the first gives one back. Weights stay floats as
    // long as the 2 joints and all sets of two are at most 96 together.
    assert_eq!(in_cube2(&[0.5, 0.5], 94), [(0, 127_000), (1, 128_000)]);
    assert_eq!(in_cube2(&[0.7, 0.3], 94), [(0, 178_000), (1, 77_000)]);
    assert_eq!(in_cube2(&[0.5, 0.5], 93), [(0, 127_500), (1, 127_500)]);
    assert_eq!(held("daemon", &[0.5, 0.5]), [(0, 128_000), (1, 128_000)]);
    assert_eq!(held("ironwail", &[0.5, 0.5]), [(0, 127_000), (1, 127_000)]);
    // Weights up to a thousandth are dropped. The remaining sum is 0.999.
    assert_eq!(held("cube2", &[0.999, 0.001]), [(0, 255_000)]);
    assert_eq!(held("doom3", &[0.5, 0.25]), [(0, 127_500), (1, 63_750)]);
    assert_eq!(held("fteqw", &[0.5, 0.25]), [(0, 170_000), (1, 85_000)]);
    // 128, 77 and 51 are one too many.
    assert_eq!(held("hexenwail", &[0.5, 0.3, 0.2]), [(0, 127_000), (1, 77_000), (2, 51_000)]);
    // Divided by their sum, 0.15 and 0.7 are 45 and 210 of 255. In f32 the quotients give 45 and 209, products with 1 /
    // 0.85 give 44 and 209, products with 255 / 0.85 give 45 and 210.
    let near_bytes = [0.15, 0.7];
    assert_eq!(held("rbdoom3bfg", &near_bytes), [(1, 210_000), (0, 45_000)]);
    assert_eq!(held("vkquake-1.35", &near_bytes), [(0, 44_000), (1, 209_000)]);
    assert_eq!(held("vkquake", &near_bytes), [(0, 44_348), (1, 210_652)]);
    assert_eq!(held("ironwail", &near_bytes), [(0, 45_000), (1, 210_000)]);
}

#[test]
fn bind_positions_are_the_sum_of_all_weights_and_are_cut_or_rounded() {
    let at = |weights: &[f32], offset: Vec3| {
        let mut mesh = weighted(weights);
        mesh.influences.iter_mut().for_each(|influence| influence.offset = offset);
        mesh
    };
    let first_x = |name: &str, mut meshes: Vec<Mesh>| {
        Engine::find(name).unwrap().hold_meshes(&mut meshes);
        f64::from(meshes[0].positions[0].x)
    };
    let held = |name: &str, x: f32| first_x(name, vec![at(&[1.0], Vec3::new(x, 4.0, 0.0))]);
    // A half float's steps are 1/1024 between 1 and 2, and 2^-24 below 2^-14.
    assert_eq!(held("cube2", 1.0 + 1.9 / 1024.0), 1.0 + 1.0 / 1024.0);
    assert_eq!(held("cube2", -1.0 - 1.9 / 1024.0), -1.0 - 1.0 / 1024.0);
    assert_eq!(held("cube2", 2.9 / 16_777_216.0), 2.0 / 16_777_216.0);
    // The steps are 4/32767.
    assert!((held("daemon", 2.6 * 4.0 / 32767.0) - 3.0 * 4.0 / 32767.0).abs() < 1e-9);
    // The largest coordinate of all meshes counts: 1.3 steps of 8/32767.
    let two = vec![at(&[1.0], Vec3::X * 2.6 * 4.0 / 32767.0), at(&[1.0], Vec3::Y * 8.0)];
    assert!((first_x("daemon", two) - 8.0 / 32767.0).abs() < 1e-9);
    // Summed in 32 bits, 2 of 4 are 16383.5 steps, which round up. 0.7 and 0.3 sum to slightly less than 1.
    let half = at(&[0.7, 0.3], Vec3::new(2.0, 4.0, 0.0));
    assert!((first_x("daemon", vec![half]) - 16384.0 * 4.0 / 32767.0).abs() < 1e-6);
    // Cube 2 itself moves the vertices of a model with more than 96 joints.
    let joints = at(&[0.01; 97], Vec3::X * (1.0 + 1.9 / 1024.0));
    let joints = (0..97).map(|joint| Mesh {
        influences: vec![Influence { weight: 1.0, ..joints.influences[joint] }],
        influence_starts: vec![0, 1],
        ..joints.clone()
    });
    assert_eq!(first_x("cube2", joints.collect()), f64::from(1.0_f32 + 1.9 / 1024.0));
    assert_eq!(f64::from(1.003_f32), held("fteqw", 1.003));
}

#[test]
fn names_that_are_none_lead_to_one_that_is() {
    let error = |name: &str| Engine::find(name).unwrap_err().to_string();
    assert_eq!(error("vkquak"), "no engine whose playback is known is called 'vkquak'; did you mean vkquake?");
    assert!(error("unreal").contains("; there are vkquake-1.35, vkquake, "), "{}", error("unreal"));
    assert_eq!(Engine::find("FTEQW").unwrap().name(), "fteqw");
}

#[test]
fn what_is_no_md5_model_is_refused() {
    let engine = Some(Engine::find("doom3").unwrap());
    let options = played_by(engine);
    let refused = |name: &str, text: &str| match load_bytes(vec![(name.into(), text.as_bytes().to_vec())], &options) {
        Err(LoadError::Mismatch(mismatch)) => mismatch.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("a.md5anim", CLIP), "Doom 3 (dhewm3) shows clips on a mesh; give the .md5mesh, too");
    let x = "xof 0303txt 0032\nFrame a {\nMesh {\n3;\n0;0;0;,1;0;0;,0;1;0;;\n1;\n3;0,1,2;;\n}\n}\n";
    assert_eq!(refused("a.x", x), "Doom 3 (dhewm3) plays MD5 files, and 'a' is none");
}

#[test]
fn a_script_of_cube_2_gives_the_pace() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.md5mesh"), MESH).unwrap();
    std::fs::write(path("a.md5anim"), CLIP).unwrap();
    let rate = |engine: &str, script: &str| {
        std::fs::write(path("md5.cfg"), script).unwrap();
        let engine = Some(Engine::find(engine).unwrap());
        let options = LoadOptions { playback: played_by(engine).playback, ..LoadOptions::with_clips() };
        let clips = bindpose_core::load::load(&[path("a.md5mesh")], &options).unwrap().model.clips.clone();
        assert_eq!(clips.len(), 1);
        clips[0].frame_rate.unwrap()
    };
    let script = "md5load a.md5mesh\nmd5anim walk a.md5anim 40\n";
    let rates = [rate("cube2", script), rate("cube2", &script.replace(" 40", "")), rate("vkquake", script)];
    assert_eq!(rates, [40.0, 10.0, 10.0]);
}

/// In the bind pose the vertex is where its weights put it: at 3/4 of (3, 1) and 1/4 of (2, 0) + (1, 2).
#[test]
fn a_clip_that_is_left_out_leaves_the_bind_pose_standing() {
    let engine = Engine::find("yquake2remaster").unwrap();
    let leaves_out: LeavesOut = |engine, mesh, clip| {
        assert!(mesh == MESH.as_bytes() && clip == CLIP.as_bytes());
        engine.keeps_bind_pose.then(|| "expected block close".to_owned())
    };
    let files = [("a.md5mesh", MESH), ("a.md5anim", CLIP)].map(|(name, text)| (name.into(), text.as_bytes().to_vec()));
    let options = |engine| {
        let playback =
            PlaybackRequest { engine: Some(engine), leaves_out: Some(leaves_out), ..PlaybackRequest::default() };
        LoadOptions { playback, ..LoadOptions::default() }
    };
    let loaded = load_bytes(files.clone().into(), &options(engine)).unwrap();
    let sentence = "yquake2remaster does not take the clip 'a' (expected block close), and shows the bind pose instead";
    assert_eq!(loaded.unplayed, [Unplayed { clip: 0, sentence: sentence.to_owned() }]);
    let model = &loaded.model;
    assert_eq!((model.clips[0].duration, model.clips[0].frame_rate), (0.2, Some(10.0)));
    for frame in [0.0, 0.5, 1.0] {
        let mut shown = Vec::new();
        Shown::new(model, &model.clips[0], Some(engine)).unwrap().positions(frame, &mut shown);
        assert!(shown[0].distance(DVec3::new(3.0, 1.25, 0.0)) < 1e-6, "{frame}: {}", shown[0]);
    }
    // Engines that refuse or accept the clip are not queried.
    let taken = load_bytes(files.into(), &options(Engine::find("q2pro").unwrap())).unwrap();
    assert_eq!(taken.unplayed, []);
}
