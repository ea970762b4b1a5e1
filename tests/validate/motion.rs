//! Findings of `--motion` with numbers computed by hand, and clips without findings.

use bindpose::load::{LoadOptions, load_bytes};
use bindpose::model::Model;
use bindpose::validate::codes::Group;
use bindpose::validate::{Contract, Input, MotionCurve, Options, Thresholds, check};
use std::path::PathBuf;
use std::sync::Arc;

/// A root, with a hip and a foot below it, 10 units high. Each frame has the position of the root, the position of the
/// foot in model space, and the angle of the hip about z.
struct Frame {
    root: [f64; 2],
    foot: [f64; 3],
    degrees: f64,
}

fn at(root: f64, foot: f64) -> Frame {
    Frame { root: [root, 0.0], foot: [foot, 0.0, 0.0], degrees: 0.0 }
}

fn clip(frames: &[Frame]) -> String {
    let count = frames.len();
    let frame = |(number, Frame { root: [x, y], foot: [fx, fy, fz], degrees }): (usize, &Frame)| {
        let z = (0.5 * degrees.to_radians()).sin();
        let foot = [fx - x, fy - y, fz - 10.0];
        format!("frame {number} {{\n{x} {y} 10 0 0 0\n0 0 0 0 0 {z}\n{} {} {} 0 0 0\n}}\n", foot[0], foot[1], foot[2])
    };
    let all: String = frames.iter().enumerate().map(frame).collect();
    format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames {count}\nnumJoints 3\nframeRate 10\nnumAnimatedComponents 18\n\
         hierarchy {{\n\"root\" -1 63 0\n\"hip\" 0 63 6\n\"foot_l\" 0 63 12\n}}\nbounds {{\n{}}}\n\
         baseframe {{\n( 0 0 10 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 -10 ) ( 0 0 0 )\n}}\n{all}",
        "( -9 -9 -9 ) ( 9 9 9 )\n".repeat(count)
    )
}

/// Returns the messages of a code about a clip with this name.
fn told(name: &str, frames: &[Frame], code: &str, contract: Contract) -> Vec<String> {
    let input = Input { path: format!("{name}.md5anim").into(), bytes: Ok(clip(frames).into_bytes()) };
    let report = check(vec![input], &Options { motion: Some(Arc::new(contract)), ..Options::default() });
    let findings = report.files.iter().flat_map(|file| &file.findings).filter(|finding| finding.code.id == code);
    findings.map(|finding| finding.message.clone()).collect()
}

fn usual(name: &str, frames: &[Frame], code: &str) -> Vec<String> {
    told(name, frames, code, Contract::default())
}

fn with(thresholds: Thresholds) -> Contract {
    Contract::new(vec![thresholds]).unwrap()
}

fn feet(places: &[f64]) -> Vec<Frame> {
    places.iter().map(|&foot| Frame { foot: [foot, 0.0, 3.0], ..at(0.0, 0.0) }).collect()
}

#[test]
fn loops_must_close_in_position_rotation_and_velocity() {
    // The size is 7, the remaining height, so 4 are 57.1 %.
    let open = feet(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let found = usual("walk", &open, "MOT001");
    assert_eq!(
        found,
        ["the loop breaks: at its end joint 2 'foot_l' is 57.1 % of the size from its start (limit 1.0 %)"]
    );
    assert!(usual("attack", &open, "MOT001").is_empty(), "nothing says that it is a loop");
    let told_so = Thresholds { loops: Some(true), ..Thresholds::default() };
    assert_eq!(told("attack", &open, "MOT001", with(told_so)).len(), 1);
    // Back and forth, and then on as it began; and with the step from the last frame to the first left out.
    assert!(usual("walk", &feet(&[0.0, 1.0, 0.0, -1.0, 0.0]), "MOT001").is_empty());
    assert!(usual("walk", &feet(&[0.0, 1.0, 0.0, -1.0]), "MOT001").is_empty());
    // A pendulum turns as sharply in the middle as at its seam.
    assert!(usual("walk", &feet(&[0.0, 1.0, 2.0, 1.0, 0.0]), "MOT001").is_empty());
    // Steps of 1, 1, 0.5, -0.5, -1 and -1: changes of at most 1 inside, and of 2 across the seam, with a size of 7.
    let bounce = usual("walk", &feet(&[0.0, 1.0, 2.0, 2.5, 2.0, 1.0, 0.0]), "MOT001");
    assert!(bounce[0].contains("joint 2 'foot_l'") && bounce[0].contains("28.6 % of the size"), "{bounce:?}");
    let turned = |degrees: [f64; 5]| degrees.map(|degrees| Frame { degrees, ..at(0.0, 0.0) });
    let found = usual("run", &turned([0.0, 10.0, 20.0, 30.0, 40.0]), "MOT001");
    assert_eq!(found, ["the loop breaks: at its end joint 1 'hip' is turned by 40.0 degrees from its start (limit 5)"]);
    assert!(usual("run", &turned([0.0, 10.0, 20.0, 10.0, 0.0]), "MOT001").is_empty());
}

#[test]
fn feet_on_the_ground_stay_there() {
    // The foot is carried along by a root that moves 4 with a size of 10.
    let carried = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, x));
    let found = usual("march", &carried, "MOT002");
    assert_eq!(found, ["joint 2 'foot_l' slides by 40.0 % of the size while it is on the ground (limit 5.0 %)"]);
    assert!(usual("march", &[0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, 0.0)), "MOT002").is_empty(), "it stays");
    let lifted = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| Frame { foot: [x, 0.0, 2.0 * x], ..at(x, x) });
    assert!(usual("march", &lifted, "MOT002").is_empty(), "it is on the ground in one frame only");
    // On the spot, the ground moves backwards.
    assert!(usual("march", &[0.0, -1.0, -2.0, -3.0, -4.0].map(|x| at(0.0, x)), "MOT002").is_empty());
    let stumbling = [0.0, -1.0, -2.0, -2.0, -4.0].map(|x| at(0.0, x));
    let found = usual("march", &stumbling, "MOT002");
    assert_eq!(found, ["joint 2 'foot_l' slides by 10.0 % of the size while it is on the ground (limit 5.0 %)"]);
    let named = Thresholds { feet: vec!["hip".to_owned()], ..Thresholds::default() };
    let found = told("march", &carried, "MOT002", with(named));
    assert!(found[0].starts_with("joint 1 'hip' slides by 40.0 %"), "{found:?}");
}

/// A foot that rises while it moves does not slide, however low it is. A standing foot slides, even if it dips lower
/// once.
#[test]
fn the_ground_is_where_a_foot_stands() {
    let path = |points: &[[f64; 2]]| -> Vec<Frame> {
        let frame = |(number, &[x, z]): (usize, &[f64; 2])| Frame { foot: [x, 0.0, z], ..at(number as f64, 0.0) };
        points.iter().enumerate().map(frame).collect()
    };
    // 0.15 per frame with a size of 10: within 2 % of the lowest height once, but never level.
    let climbing = path(&[[0.0, 0.0], [1.0, 0.15], [2.0, 0.3], [3.0, 0.45], [4.0, 0.6]]);
    assert!(usual("climb", &climbing, "MOT002").is_empty());
    // Level for one step, at the top of a jump.
    let jumping = path(&[[0.0, 0.0], [1.0, 3.0], [3.0, 3.0], [4.0, 0.0], [4.0, 0.0], [4.0, 0.0]]);
    assert!(usual("jump", &jumping, "MOT002").is_empty());
    // With a size of 5, it moves by 1 twice at the height at which it stands.
    let slipping = path(&[[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [2.0, 0.0], [2.0, 5.0]]);
    let found = usual("march", &slipping, "MOT002");
    assert!(found[0].starts_with("joint 2 'foot_l' slides by 40.0 % of the size"), "{found:?}");
}

/// Creates a mesh for the clips' joints, with its lowest vertices on the joint `low` and one vertex, 20 above them, on
/// `high`.
fn mesh(low: usize, high: usize) -> String {
    format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 3\nnumMeshes 1\njoints {{\n\"root\" -1 ( 0 0 10 ) ( 0 0 0 )\n\
         \"hip\" 0 ( 0 0 10 ) ( 0 0 0 )\n\"foot_l\" 0 ( 0 0 0 ) ( 0 0 0 )\n}}\nmesh {{\nshader \"s\"\nnumverts 3\n\
         vert 0 ( 0 0 ) 0 1\nvert 1 ( 0 1 ) 1 1\nvert 2 ( 1 0 ) 2 1\nnumtris 1\ntri 0 0 1 2\nnumweights 3\n\
         weight 0 {low} 1 ( 0 0 {} )\nweight 1 {low} 1 ( 1 0 {} )\nweight 2 {high} 1 ( 0 0 {} )\n}}\n",
        [-10, -10, 0][low],
        [-10, -10, 0][low],
        [10, 10, 20][high],
    )
}

/// A foot without vertices near the ground is a control joint.
#[test]
fn feet_have_vertices_near_the_ground() {
    let carried = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, x));
    let slides = |mesh: String| {
        let file = |name: &str, text: String| Input { path: name.into(), bytes: Ok(text.into_bytes()) };
        let files = vec![file("march.md5mesh", mesh), file("march.md5anim", clip(&carried))];
        let options = Options { motion: Some(Arc::new(Contract::default())), ..Options::default() };
        let report = check(files, &options);
        report.files.iter().flat_map(|file| &file.findings).filter(|finding| finding.code.id == "MOT002").count()
    };
    assert_eq!(slides(mesh(2, 1)), 1, "the foot has the lowest vertices");
    assert_eq!(slides(mesh(1, 2)), 0, "the hip has them, and the foot's are 20 above");
    assert_eq!(slides(mesh(1, 1)), 0, "the foot has none");
}

/// In a walk on the spot, the swinging foot comes near the ground, to a height of 1.2 % of the size.
#[test]
fn a_swinging_foot_is_not_on_the_ground() {
    // Back on the ground in four frames, and forwards above it.
    let step = |number: usize| {
        let path: [[f64; 2]; 8] =
            [[0.0, 0.0], [-1.0, 0.0], [-2.0, 0.0], [-3.0, 0.0], [-4.0, 0.0], [-3.0, 0.12], [-2.0, 0.12], [-1.0, 0.12]];
        let [x, z] = path[number % 8];
        Frame { foot: [x, 0.0, z], ..at(0.0, 0.0) }
    };
    let walk: Vec<Frame> = (0..17).map(step).collect();
    assert!(usual("walk", &walk, "MOT002").is_empty());
}

/// Clips of `.x` and glTF files are checked and named like those of MD5.
#[test]
fn clips_of_all_formats_are_checked() {
    use bindpose::export::{gltf, x};
    let carried = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, x));
    let options = Options { motion: Some(Arc::new(Contract::default())), ..Options::default() };
    let slides = |frames: &[Frame], write: &dyn Fn(&Model) -> (PathBuf, Vec<u8>)| {
        let files = vec![
            ("march.md5mesh".into(), mesh(2, 1).into_bytes()),
            ("march.md5anim".into(), clip(frames).into_bytes()),
        ];
        let model = load_bytes(files, &LoadOptions::default()).expect("a model").model;
        let (path, bytes) = write(&model);
        let report = check(vec![Input { path, bytes: Ok(bytes) }], &options);
        let file = &report.files[0];
        let found = file.findings.iter().filter(|finding| finding.code.group == Group::Motion);
        let messages: Vec<String> = found.map(|finding| finding.message.clone()).collect();
        assert_eq!(messages, file.motion.iter().map(|report| report.message.clone()).collect::<Vec<_>>());
        messages
    };
    let as_x = |model: &Model| ("march.x".into(), x::write(model, &x::Options::default()).expect("a file").bytes);
    let as_gltf =
        |model: &Model| ("march.glb".into(), gltf::write(model, &gltf::Options::default()).expect("a file").bytes);
    for write in [&as_x as &dyn Fn(&Model) -> (PathBuf, Vec<u8>), &as_gltf] {
        let found = slides(&carried, write);
        assert!(found.len() == 1 && found[0].starts_with("clip 'march': joint "), "{found:?}");
        assert!(found[0].contains("'foot_l' slides by 40.0 % of the size"), "{found:?}");
        assert!(slides(&[0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, 0.0)), write).is_empty());
    }
    let unchecked = |bytes: &[u8], options: &Options| {
        let report = check(vec![Input { path: "a.glb".into(), bytes: Ok(bytes.to_vec()) }], options);
        report.files[0]
            .findings
            .iter()
            .map(|finding| (finding.code.id, finding.help().into_owned()))
            .collect::<Vec<_>>()
    };
    let give_motion = "give --motion: of glTF files only the motion is checked";
    assert_eq!(unchecked(b"glTF", &Options::default()), [("IO002", give_motion.to_owned())]);
    assert_eq!(unchecked(b"glTF", &options).iter().map(|found| found.0).collect::<Vec<_>>(), ["GLI000"]);
}

/// A path over the ground that moves with the other foot, the clip's own steps next to that of its seam, and a flip in
/// its frame.
#[test]
fn findings_come_with_curves() {
    let curve = |name: &str, frames: &[Frame]| {
        let input = Input { path: format!("{name}.md5anim").into(), bytes: Ok(clip(frames).into_bytes()) };
        let options = Options { motion: Some(Arc::new(Contract::default())), ..Options::default() };
        check(vec![input], &options).files[0].motion[0].curve.clone().expect("a curve")
    };
    let points = |curve: &MotionCurve, line: usize| -> Vec<[f64; 2]> {
        let rounded = curve.lines[line].1.iter().map(|point| point.map(|value| (10.0 * value).round() / 10.0));
        rounded.collect()
    };
    // The size is 10, and the ground does not move.
    let path = curve("march", &[0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, x)));
    let slid = [[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0], [40.0, 0.0]];
    assert_eq!((points(&path, 0), points(&path, 1)), (slid.to_vec(), slid.to_vec()));
    assert_eq!(path.lines[1].0, "frames 0 to 4: slides");
    // Steps of 1 of 7, and of 4 from the end to the start.
    let seam = curve("walk", &feet(&[0.0, 1.0, 2.0, 3.0, 4.0]));
    let steps = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0].map(|place| [place, if place == 0.0 { 57.1 } else { 14.3 }]);
    assert_eq!((points(&seam, 0), seam.marked), (steps.to_vec(), Some([-0.5, 0.5])));
    let flip = curve("wave", &[0.0, 5.0, 155.0, 160.0].map(|degrees| Frame { degrees, ..at(0.0, 0.0) }));
    assert_eq!(
        (points(&flip, 0), flip.marked),
        (vec![[0.0, 5.0], [1.0, 0.0], [2.0, 150.0], [3.0, 155.0]], Some([1.0, 2.0]))
    );
}

#[test]
fn the_root_has_the_required_speed() {
    // 4 units in 4 steps at ten per second.
    let going = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(x, 0.0));
    let speed = |speed| with(Thresholds { speed: Some(speed), clips: "ma*".to_owned(), ..Thresholds::default() });
    assert!(told("march", &going, "MOT003", speed(10.5)).is_empty());
    let found = told("march", &going, "MOT003", speed(12.0));
    assert_eq!(
        found,
        ["the root 'root' moves at 10.00 units per second at 10 frames per second, expected 12 (limit 10 %)"]
    );
    assert!(told("other", &going, "MOT003", speed(12.0)).is_empty(), "another clip");
    assert!(usual("idle", &going, "MOT003")[0].contains("moves 4.00 units, 40 % of the size (limit 10 %)"));
    assert!(usual("march", &going, "MOT003").is_empty());
}

#[test]
fn clips_without_movement_are_reported() {
    assert_eq!(usual("wave", &feet(&[1.0; 4]), "MOT004"), ["no joint moves in any of the 4 frames"]);
    assert!(usual("wave", &feet(&[1.0; 2]), "MOT004").is_empty(), "a still");
    let moving = feet(&[0.0, 1.0, 0.0]);
    assert!(usual("wave", &moving, "MOT004").is_empty());
    let asked = Thresholds { moving: vec!["hip".to_owned(), "foot_l".to_owned()], ..Thresholds::default() };
    let found = told("wave", &moving, "MOT004", with(asked));
    assert_eq!(found, ["joint 1 'hip' must move, but is the same in all 3 frames"]);
}

#[test]
fn rotations_do_not_flip_and_joints_do_not_jitter() {
    let turned = |degrees: [f64; 5]| degrees.map(|degrees| Frame { degrees, ..at(0.0, 0.0) });
    let found = usual("wave", &turned([0.0, 5.0, 155.0, 160.0, 165.0]), "MOT005");
    assert_eq!(found, ["joint 1 'hip' flips by 150 degrees from frame 1 to 2 (limit 120)"]);
    assert!(usual("wave", &turned([0.0, 5.0, 115.0, 120.0, 125.0]), "MOT005").is_empty());
    // 1 of 7 back and forth.
    let found = usual("wave", &feet(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]), "MOT006");
    assert_eq!(found, ["joint 2 'foot_l' jitters by 14.3 % of the size in the frames up to 4 (limit 1.0 %)"]);
    assert!(usual("wave", &feet(&[0.0, 0.06, 0.0, 0.06, 0.0, 0.06]), "MOT006").is_empty());
    assert!(usual("wave", &feet(&[0.0, 1.0, 0.0, 1.0, 2.0, 3.0]), "MOT006").is_empty(), "twice is a movement");
}

/// A joint that is also moved elsewhere, such as a magazine that is changed, does not flip, and neither do limbs that
/// all jump to another animation.
#[test]
fn cuts_are_not_flips() {
    let flips = |text: String| {
        let input = Input { path: "wave.md5anim".into(), bytes: Ok(text.into_bytes()) };
        let options = Options { motion: Some(Arc::new(Contract::default())), ..Options::default() };
        let report = check(vec![input], &options);
        report.files[0].findings.iter().filter(|finding| finding.code.id == "MOT005").count()
    };
    let turned = clip(&[0.0, 0.0, 150.0, 150.0].map(|degrees| Frame { degrees, ..at(0.0, 0.0) }));
    let row = format!("\n0 0 0 0 0 {}\n", 75.0_f64.to_radians().sin());
    assert!(turned.contains(&row), "{turned}");
    assert_eq!([flips(turned.clone()), flips(turned.replace(&row, &row.replacen("0 0 0", "5 0 0", 1)))], [1, 0]);
    // Three limbs below a root turn by these degrees in frame 2.
    let limbs = |degrees: [f64; 3]| {
        let frame = |number: usize| {
            let of = |degrees: f64| if number < 2 { 0.0 } else { (0.5 * degrees.to_radians()).sin() };
            let [a, b, c] = degrees.map(of);
            format!("frame {number} {{\n0 0 {a} 0 0 {b} 0 0 {c}\n}}\n")
        };
        let frames: String = (0..5).map(frame).collect();
        format!(
            "MD5Version 10\ncommandline \"\"\nnumFrames 5\nnumJoints 4\nframeRate 24\nnumAnimatedComponents 9\n\
             hierarchy {{\n\"root\" -1 0 0\n\"a\" 0 56 0\n\"b\" 0 56 3\n\"c\" 0 56 6\n}}\nbounds {{\n{}}}\n\
             baseframe {{\n( 0 0 0 ) ( 0 0 0 )\n( 1 0 0 ) ( 0 0 0 )\n( 0 1 0 ) ( 0 0 0 )\n( 0 0 1 ) ( 0 0 0 )\n}}\n{frames}",
            "( -9 -9 -9 ) ( 9 9 9 )\n".repeat(5)
        )
    };
    assert_eq!([flips(limbs([150.0, 20.0, 5.0])), flips(limbs([150.0, 20.0, 20.0]))], [1, 0]);
}

/// The hip stays on the root and the foot moves away, so the middle of the box moves half as far: 5 of 10.
#[test]
fn a_loop_does_not_leave_its_root() {
    let leaving = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|x| at(0.0, x));
    let found = usual("walk", &leaving, "MOT007");
    assert_eq!(found, ["relative to the root 'root', the model's box moves by 50 % of the size (limit 25 %)"]);
    assert!(usual("walk", &[0.0, 1.0, 2.0, 3.0, 4.0].map(|x| at(0.0, x)), "MOT007").is_empty());
    assert!(usual("jump", &leaving, "MOT007").is_empty(), "no loop");
}

#[test]
fn motion_is_only_checked_on_request() {
    let input = Input { path: "idle.md5anim".into(), bytes: Ok(clip(&feet(&[1.0; 4])).into_bytes()) };
    let report = check(vec![input], &Options::default());
    assert!(report.files[0].findings.iter().all(|finding| !("MOT001"..="MOT007").contains(&finding.code.id)));
}

/// The model is 7 units high: a way of 0.1 is that of a breath.
#[test]
fn the_way_of_a_loops_root_is_named() {
    let way = |name: &str, end: f64| {
        let frames: Vec<Frame> = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| at(share * end, share * end)).into();
        usual(name, &frames, "MOT008")
    };
    let expected = "the root 'root' travels 48.00 units in a cycle: Doom 3 and its family carry the model on, in other engines it \
                    jumps back";
    assert_eq!(way("walk", 48.0), [expected]);
    assert!(way("walk", 0.1).is_empty());
    // A clip that must not move has a finding of its own.
    assert!(way("idle", 48.0).is_empty());
}

#[test]
fn the_last_pattern_that_matches_counts() {
    let of = |clips: &str, slide| Thresholds { clips: clips.to_owned(), slide, ..Thresholds::default() };
    let contract = Contract::new(vec![of("*", 0.1), of("walk*", 0.2), of("*_fast", 0.3)]).unwrap();
    let slides = ["idle", "Walk1", "walk_fast"].map(|clip| contract.of(clip).slide);
    assert_eq!(slides, [0.1, 0.2, 0.3]);
    assert_eq!(Contract::default().of("idle"), &Thresholds::default());
}

#[test]
fn what_is_no_pattern_or_no_threshold_is_refused() {
    let bad = Thresholds { clips: "walk[".to_owned(), ..Thresholds::default() };
    assert!(Contract::new(vec![bad]).unwrap_err().to_string().contains("the pattern 'walk['"));
    let bad = Thresholds { slide: -1.0, ..Thresholds::default() };
    let error = Contract::new(vec![bad]).unwrap_err().to_string();
    assert_eq!(error, "'slide' of the motion of '*' is -1, expected 0 or more");
}
