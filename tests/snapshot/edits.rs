//! Edits of MD5 models, single and together: each is listed with its frames and joints, and nothing else is.
//!
//! A line of an expectation is `clip: message [stage]`, then each range of frames with the joints that changed and the
//! number of those below that moved: `3: arm +1`.

use bindpose::load::{LoadOptions, load_bytes};
use bindpose::snapshot::{Affected, Check, Comparison, Difference, FrameRange, Snapshot};
use glam::{DAffine3, DQuat, DVec3};
use std::fmt::Write;
use std::path::PathBuf;

/// An MD5 model whose joints have no rotation in the mesh.
#[derive(Clone)]
struct Rig {
    /// Name and index of the parent.
    joints: Vec<(&'static str, i32)>,
    /// Positions of the joints in model space.
    bind: Vec<[f64; 3]>,
    meshes: Vec<Part>,
    clips: Vec<Motion>,
}

/// A mesh with one weight per vertex.
#[derive(Clone)]
struct Part {
    shader: &'static str,
    vertices: Vec<([f64; 2], usize, [f64; 3])>,
    triangles: Vec<[u32; 3]>,
}

#[derive(Clone)]
struct Motion {
    name: &'static str,
    rate: f64,
    flags: Vec<u32>,
    bounds: Vec<[f64; 6]>,
    /// Position and rotation of each joint in each frame, relative to its parent.
    frames: Vec<Vec<[f64; 6]>>,
}

impl Rig {
    /// `origin` walks along x, `arm` turns about z, all others keep still.
    ///
    /// ```text
    /// origin ── spine ── arm ── hand ── tip
    ///        └─ leg
    /// ```
    fn new() -> Self {
        let joints = vec![("origin", -1), ("spine", 0), ("arm", 1), ("hand", 2), ("leg", 0), ("tip", 3)];
        let bind = vec![[0., 0., 0.], [0., 0., 10.], [4., 0., 10.], [9., 0., 10.], [0., 0., -8.], [10., 0., 10.]];
        let part = |shader, joints: [usize; 2]| Part {
            shader,
            vertices: (0..6).map(|at| ([f64::from(at) / 8.0, 0.5], joints[at as usize % 2], corner(at))).collect(),
            triangles: (2..6).map(|last| [last - 2, last, last - 1]).collect(),
        };
        let walk = |frame: usize| {
            let at = |x, y, z| [x, y, z, 0.0, 0.0, 0.0];
            let turn = 0.02 * frame as f64;
            vec![
                at(frame as f64 / 2.0, 0.0, 0.0),
                at(0.0, 0.0, 10.0),
                [4.0, 0.0, 0.0, 0.0, 0.0, turn],
                at(5.0, 0.0, 0.0),
                at(0.0, 0.0, -8.0),
                at(1.0, 0.0, 0.0),
            ]
        };
        let motion = |name, frames: Vec<Vec<[f64; 6]>>| Motion {
            name,
            rate: 24.0,
            flags: vec![63; 6],
            bounds: (0..frames.len()).map(|frame| [-9.0, -9.0, -9.0, 20.0 + frame as f64, 9.0, 12.0]).collect(),
            frames,
        };
        Self {
            joints,
            bind,
            meshes: vec![part("cloth", [1, 2]), part("skin", [3, 4])],
            clips: vec![motion("walk", (0..12).map(walk).collect()), motion("wave", (20..25).map(walk).collect())],
        }
    }

    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut mesh = format!("MD5Version 10\nnumJoints {}\nnumMeshes {}\n", self.joints.len(), self.meshes.len());
        mesh += "joints {\n";
        for ((name, parent), [x, y, z]) in self.joints.iter().zip(&self.bind) {
            let _ = writeln!(mesh, "\"{name}\" {parent} ( {x} {y} {z} ) ( 0 0 0 )");
        }
        mesh += "}\n";
        for part in &self.meshes {
            let _ = writeln!(mesh, "mesh {{\nshader \"{}\"\nnumverts {}", part.shader, part.vertices.len());
            for (index, ([u, v], ..)) in part.vertices.iter().enumerate() {
                let _ = writeln!(mesh, "vert {index} ( {u} {v} ) {index} 1");
            }
            let _ = writeln!(mesh, "numtris {}", part.triangles.len());
            for (index, [a, b, c]) in part.triangles.iter().enumerate() {
                let _ = writeln!(mesh, "tri {index} {a} {b} {c}");
            }
            let _ = writeln!(mesh, "numweights {}", part.vertices.len());
            for (index, (_, joint, [x, y, z])) in part.vertices.iter().enumerate() {
                let _ = writeln!(mesh, "weight {index} {joint} 1 ( {x} {y} {z} )");
            }
            mesh += "}\n";
        }
        let clips = self.clips.iter().map(|clip| (format!("{}.md5anim", clip.name).into(), clip.text(&self.joints)));
        std::iter::once(("rig.md5mesh".into(), mesh.into_bytes())).chain(clips).collect()
    }
}

impl Motion {
    fn text(&self, joints: &[(&str, i32)]) -> Vec<u8> {
        let count: u32 = self.flags.iter().map(|flags| flags.count_ones()).sum();
        let mut text = format!("MD5Version 10\nnumFrames {}\nnumJoints {}\n", self.frames.len(), joints.len());
        let _ = writeln!(text, "frameRate {}\nnumAnimatedComponents {count}\nhierarchy {{", self.rate);
        let mut first = 0;
        for ((name, parent), flags) in joints.iter().zip(&self.flags) {
            let _ = writeln!(text, "\"{name}\" {parent} {flags} {first}");
            first += flags.count_ones();
        }
        text += "}\nbounds {\n";
        for [a, b, c, d, e, f] in &self.bounds {
            let _ = writeln!(text, "( {a} {b} {c} ) ( {d} {e} {f} )");
        }
        text += "}\nbaseframe {\n";
        for [a, b, c, d, e, f] in &self.frames[0] {
            let _ = writeln!(text, "( {a} {b} {c} ) ( {d} {e} {f} )");
        }
        text += "}\n";
        for (number, frame) in self.frames.iter().enumerate() {
            let _ = writeln!(text, "frame {number} {{");
            for (pose, flags) in frame.iter().zip(&self.flags) {
                let shown = pose.iter().enumerate().filter(|(bit, _)| flags >> bit & 1 == 1);
                shown.for_each(|(_, value)| write!(text, "{value} ").unwrap());
            }
            text += "\n}\n";
        }
        text.into_bytes()
    }
}

/// Corner of a strip of triangles.
fn corner(number: u32) -> [f64; 3] {
    [f64::from(number / 2), f64::from(number % 2), 0.25 * f64::from(number)]
}

pub fn take(files: Vec<(PathBuf, Vec<u8>)>) -> Snapshot {
    Snapshot::of_files(&load_bytes(files, &LoadOptions::default()).unwrap())
}

/// Compares files as `verify` does: the older ones are read from a snapshot.
pub fn compare(before: Snapshot, after: &Snapshot) -> Comparison {
    Snapshot::from_bytes(&before.to_bytes()).unwrap().compare(after, &Check::default())
}

fn line(difference: &Difference) -> String {
    let part = |part: &Affected| match part {
        Affected::Joint(name) | Affected::Mesh(name) | Affected::Number(name) => name.clone(),
    };
    let range = |range: &FrameRange| {
        let parts: Vec<String> = range.parts.iter().map(|found| part(&found.part)).collect();
        let (first, last) = (range.first.number, range.last.number);
        let frames = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let moved = if range.followers > 0 { format!(" +{}", range.followers) } else { String::new() };
        format!(" {frames}: {}{moved}", parts.join(", "))
    };
    let clip = difference.clip.as_ref().map(|clip| format!("{clip}: ")).unwrap_or_default();
    let ranges: String = difference.ranges.iter().map(range).collect();
    format!("{clip}{} [{}]{ranges}", difference.message, difference.stage)
}

pub fn lines(comparison: &Comparison) -> Vec<String> {
    comparison.differences.iter().map(line).collect()
}

type Edit = (&'static str, fn(&mut Rig), &'static [&'static str]);

const ARM: usize = 2;
const HAND: usize = 3;
const LEG: usize = 4;

const RENAMED: &str = "clip 'stroll' was 'walk' [document]";

const EDITS: &[Edit] = &[
    ("nothing", |_| {}, &[]),
    (
        "one number by a millionth",
        |rig| rig.clips[0].frames[3][ARM][0] += 1e-6,
        &["walk: joints differ in 1 of 12 frames [local] 3: arm +2"],
    ),
    (
        "two joints in two frames",
        |rig| {
            rig.clips[0].frames[3][ARM][1] += 1.0;
            rig.clips[0].frames[9][LEG][5] += 0.1;
        },
        &["walk: joints differ in 2 of 12 frames [local] 3: arm +2 9: leg"],
    ),
    (
        "three frames in a row",
        |rig| (5..8).for_each(|frame| rig.clips[0].frames[frame][HAND][2] += 0.5),
        &["walk: joints differ in 3 of 12 frames [local] 5-7: hand +1"],
    ),
    (
        "a joint and its child in one frame",
        |rig| {
            rig.clips[0].frames[4][ARM][5] += 0.05;
            rig.clips[0].frames[4][HAND][0] -= 0.5;
        },
        &["walk: joints differ in 1 of 12 frames [local] 4: arm, hand +1"],
    ),
    (
        "both clips",
        |rig| {
            rig.clips[0].frames[2][ARM][2] += 1.0;
            rig.clips[1].frames[1][LEG][2] += 1.0;
        },
        &[
            "walk: joints differ in 1 of 12 frames [local] 2: arm +2",
            "wave: joints differ in 1 of 5 frames [local] 1: leg",
        ],
    ),
    (
        "the root in the last frame",
        |rig| rig.clips[0].frames[11][0][0] += 1.0,
        &["walk: joints differ in 1 of 12 frames [local] 11: origin +5"],
    ),
    (
        "two frames exchanged",
        |rig| rig.clips[0].frames.swap(5, 6),
        &["walk: joints differ in 2 of 12 frames [local] 5-6: origin, arm +4"],
    ),
    (
        "a corner of a box",
        |rig| rig.clips[0].bounds[5][0] = -99.0,
        &["walk: bounds differ in 1 of 12 frames [numbers] 5: bounds min x"],
    ),
    (
        "a box by a millionth",
        |rig| rig.clips[1].bounds[2][5] += 1e-6,
        &["wave: bounds differ in 1 of 5 frames [numbers] 2: bounds max z"],
    ),
    (
        "a box and a joint",
        |rig| {
            rig.clips[0].bounds[3][3] = 50.0;
            rig.clips[0].bounds[3][4] = 50.0;
            rig.clips[0].frames[3][LEG][0] = 50.0;
        },
        &[
            "walk: joints differ in 1 of 12 frames [local] 3: leg",
            "walk: bounds differ in 1 of 12 frames [numbers] 3: bounds max x, bounds max y",
        ],
    ),
    ("the frame rate", |rig| rig.clips[0].rate = 30.0, &["walk: frame rate is 30, was 24 [document]"]),
    (
        "the frame rate and a joint",
        |rig| {
            rig.clips[0].rate = 25.0;
            rig.clips[0].frames[7][HAND][0] += 1e-3;
        },
        &["walk: frame rate is 25, was 24 [document]", "walk: joints differ in 1 of 12 frames [local] 7: hand +1"],
    ),
    (
        "flags of a joint that keeps still",
        |rig| rig.clips[0].flags[LEG] = 0,
        &["walk: flags of joint 'leg' are 0, were 63 [document]"],
    ),
    (
        "flags that lose a movement",
        |rig| rig.clips[1].flags[ARM] = 7,
        &[
            "wave: flags of joint 'arm' are 7, were 63 [document]",
            "wave: joints differ in 4 of 5 frames [local] 1-4: arm +2",
        ],
    ),
    ("a clip's name", |rig| rig.clips[0].name = "stroll", &[RENAMED]),
    (
        "a clip's name and a frame",
        |rig| {
            rig.clips[0].name = "stroll";
            rig.clips[0].frames[3][ARM][0] += 0.5;
        },
        &[RENAMED, "stroll: joints differ in 1 of 12 frames [local] 3: arm +2"],
    ),
    (
        "a clip's name and every frame",
        |rig| {
            rig.clips[0].name = "stroll";
            rig.clips[0].frames.iter_mut().for_each(|frame| frame[LEG][1] += 0.5);
        },
        &[RENAMED, "stroll: joints differ in 12 of 12 frames [local] 0-11: leg"],
    ),
    (
        "the names of both clips, and a frame of each",
        |rig| {
            (rig.clips[0].name, rig.clips[1].name) = ("stroll", "hail");
            rig.clips[0].frames[0][LEG][0] += 1.0;
            rig.clips[1].frames[4][LEG][0] += 1.0;
        },
        &[
            "clips are renamed: 'stroll' was 'walk', 'hail' was 'wave' [document]",
            "stroll: joints differ in 1 of 12 frames [local] 0: leg",
            "hail: joints differ in 1 of 5 frames [local] 4: leg",
        ],
    ),
    (
        "the names of both clips, and another joint",
        |rig| {
            (rig.clips[0].name, rig.clips[1].name) = ("stroll", "hail");
            add_joint(rig);
        },
        &["clips are renamed: 'stroll' was 'walk', 'hail' was 'wave' [document]", "new: joint 'tag' [skeleton]"],
    ),
    ("a clip removed", |rig| rig.clips.truncate(1), &["missing: clip 'wave' [document]"]),
    (
        "a clip added",
        |rig| {
            rig.clips.push(Motion {
                name: "wink",
                frames: vec![rig.clips[0].frames[2].clone()],
                ..rig.clips[0].clone()
            })
        },
        &["new: clip 'wink' [document]"],
    ),
    ("a joint's name", |rig| rig.joints[HAND].0 = "fist", &["joint 'fist' was 'hand' [skeleton]"]),
    (
        "a joint's name and its track",
        |rig| {
            rig.joints[HAND].0 = "fist";
            rig.clips[0].frames[3][HAND][0] += 5.0;
        },
        &["joint 'fist' was 'hand' [skeleton]", "walk: joints differ in 1 of 12 frames [local] 3: fist +1"],
    ),
    (
        "all names of joints",
        |rig| {
            let names = ["a", "b", "c", "d", "e", "f"];
            rig.joints.iter_mut().zip(names).for_each(|(joint, name)| joint.0 = name);
        },
        &[
            "joints are renamed: 'a' was 'origin', 'b' was 'spine', 'c' was 'arm', 'd' was 'hand', 'e' was 'leg' and 1 more [skeleton]",
        ],
    ),
    (
        "a joint removed",
        |rig| {
            let _ = (rig.joints.pop(), rig.bind.pop());
            for clip in &mut rig.clips {
                clip.flags.pop();
                clip.frames.iter_mut().for_each(|frame| frame.truncate(5));
            }
        },
        &["missing: joint 'tip' [skeleton]"],
    ),
    (
        "a joint added before others",
        |rig| {
            rig.joints.iter_mut().for_each(|(_, parent)| *parent += i32::from(*parent > 0));
            rig.joints.insert(1, ("prop", 0));
            rig.bind.insert(1, [0.0, 3.0, 0.0]);
            for clip in &mut rig.clips {
                clip.flags.insert(1, 63);
                clip.frames.iter_mut().for_each(|frame| frame.insert(1, [0.0, 3.0, 0.0, 0.0, 0.0, 0.0]));
            }
            rig.meshes.iter_mut().flat_map(|part| &mut part.vertices).for_each(|vertex| vertex.1 += 1);
        },
        &["new: joint 'prop' [skeleton]"],
    ),
    (
        "a parent, at the same positions",
        |rig| {
            rig.joints[LEG].1 = 1;
            rig.clips.iter_mut().flat_map(|clip| &mut clip.frames).for_each(|frame| frame[LEG][2] -= 10.0);
        },
        &["parent of joint 'leg' is 'spine', was 'origin' [skeleton]"],
    ),
    (
        "a frame removed",
        |rig| drop((rig.clips[0].frames.remove(6), rig.clips[0].bounds.remove(6))),
        &["walk: number of frames is 11, was 12: frame 6 is missing; later frames moved up [document]"],
    ),
    (
        "a frame repeated",
        |rig| {
            let (frame, bounds) = (rig.clips[1].frames[2].clone(), rig.clips[1].bounds[2]);
            rig.clips[1].frames.insert(3, frame);
            rig.clips[1].bounds.insert(3, bounds);
        },
        &["wave: number of frames is 6, was 5: frame 3 is new; later frames moved down [document]"],
    ),
    (
        "a frame removed and a later one edited",
        |rig| {
            drop((rig.clips[0].frames.remove(2), rig.clips[0].bounds.remove(2)));
            rig.clips[0].frames[8][LEG][0] += 1.0;
        },
        &[
            "walk: number of frames is 11, was 12: frame 2 is missing; later frames moved up [document]",
            "walk: joints differ in 1 of 11 frames [local] 8: leg",
        ],
    ),
    (
        "a frame removed, a joint turned in every frame, and another joint",
        |rig| {
            drop((rig.clips[0].frames.remove(6), rig.clips[0].bounds.remove(6)));
            rig.clips[0].frames.iter_mut().for_each(|frame| frame[HAND][5] += 0.25);
            rig.joints.push(("tag", LEG as i32));
            rig.bind.push([0.0, 0.0, -9.0]);
            for clip in &mut rig.clips {
                clip.flags.push(63);
                clip.frames.iter_mut().for_each(|frame| frame.push([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]));
            }
        },
        &[
            "walk: number of frames is 11, was 12: frame 6 is missing; later frames moved up [document]",
            "new: joint 'tag' [skeleton]",
            "walk: joints differ in 11 of 11 frames [local] 0-10: hand +1",
        ],
    ),
    ("a material's name", |rig| rig.meshes[1].shader = "silk", &["material 'silk' was 'skin' [document]"]),
    (
        "a mesh removed",
        |rig| drop(rig.meshes.remove(0)),
        &["missing: material 'cloth' [document]", "missing: mesh 'mesh 0' [document]"],
    ),
    (
        "a vertex",
        |rig| rig.meshes[1].vertices[2].2[0] += 0.5,
        &[
            "vertices of the rest pose differ: weights or offsets of vertex 2 of mesh 'mesh 1' [mesh] 0: mesh 1",
            "walk: vertices differ in 12 of 12 frames: weights or offsets of vertex 2 of mesh 'mesh 1' [mesh] 0-11: mesh 1",
            "wave: vertices differ in 5 of 5 frames: weights or offsets of vertex 2 of mesh 'mesh 1' [mesh] 0-4: mesh 1",
        ],
    ),
    (
        "texture coordinates",
        |rig| rig.meshes[0].vertices[4].0[1] = 0.75,
        &["texture coordinates or colours of vertex 4 of mesh 'mesh 0' differ [mesh]"],
    ),
    (
        "a removed clip, a renamed joint and a moved one",
        |rig| {
            rig.clips.truncate(1);
            rig.joints[HAND].0 = "fist";
            rig.clips[0].frames[1][LEG][1] += 2.0;
        },
        &[
            "missing: clip 'wave' [document]",
            "joint 'fist' was 'hand' [skeleton]",
            "walk: joints differ in 1 of 12 frames [local] 1: leg",
        ],
    ),
];

#[test]
fn edits_of_a_model_are_listed_and_nothing_else() {
    for (name, edit, expected) in EDITS {
        let mut rig = Rig::new();
        edit(&mut rig);
        let comparison = compare(take(Rig::new().files()), &take(rig.files()));
        assert_eq!(lines(&comparison), *expected, "{name}: {comparison}");
        assert!(comparison.within_tolerance.is_empty(), "{name}: {comparison}");
    }
}

/// Positions that keep their values have no line, although the times between frames are rounded in another way.
#[test]
fn flags_without_effect_are_one_line() {
    let mut rig = Rig::new();
    for (joint, at) in (1..6).zip([0.1, 0.23, -1.7, 3.9, -0.017]) {
        rig.clips[0].frames.iter_mut().for_each(|frame| frame[joint] = [at, at * 3.0, at * -7.0, 0.0, 0.0, 0.0]);
    }
    let before = take(rig.files());
    rig.clips[0].flags[1..].fill(56);
    let found = "walk: flags of joint 'spine' are 56, were 63; also those of 4 more [document]";
    let comparison = compare(before, &take(rig.files()));
    assert_eq!(lines(&comparison), [found], "{comparison}");
}

/// A tail for the leg, without a vertex.
fn add_joint(rig: &mut Rig) {
    rig.joints.push(("tag", LEG as i32));
    rig.bind.push([0.0, 0.0, -9.0]);
    for clip in &mut rig.clips {
        clip.flags.push(63);
        clip.frames.iter_mut().for_each(|frame| frame.push([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]));
    }
}

/// Two clips of equal length, in another order. Of one a frame is edited, of the other a joint in all frames.
#[test]
fn renamed_clips_of_equal_length_are_paired_by_their_content() {
    let mut rig = Rig::new();
    let mut back = rig.clips[0].clone();
    back.name = "back";
    back.frames.iter_mut().for_each(|frame| frame[0][0] *= -1.0);
    back.frames.iter_mut().for_each(|frame| frame[ARM][5] *= -0.5);
    rig.clips[1] = back;
    let before = take(rig.files());
    rig.clips.swap(0, 1);
    (rig.clips[0].name, rig.clips[1].name) = ("a", "z");
    let renamed = "clips are renamed: 'z' was 'walk', 'a' was 'back' [document]";
    assert_eq!(lines(&compare(before.clone(), &take(rig.files()))), [renamed]);
    rig.clips[0].frames[3].iter_mut().for_each(|joint| joint[1] += 0.25);
    rig.clips[1].frames.iter_mut().for_each(|frame| frame[LEG][1] += 0.5);
    let every = "z: joints differ in 12 of 12 frames [local] 0-11: leg";
    let one = "a: joints differ in 1 of 12 frames [local] 3: origin, spine, arm, hand, leg, tip";
    assert_eq!(lines(&compare(before.clone(), &take(rig.files()))), [renamed, every, one]);
    add_joint(&mut rig);
    rig.joints[HAND].0 = "fist";
    let joints = ["joint 'fist' was 'hand' [skeleton]", "new: joint 'tag' [skeleton]"];
    let one = one.replace("hand", "fist");
    assert_eq!(lines(&compare(before.clone(), &take(rig.files()))), [renamed, joints[0], joints[1], every, &one]);
    // No frame is as before, and no track as long.
    rig.clips[0].frames.iter_mut().for_each(|frame| frame[LEG][2] += 0.5);
    for clip in &mut rig.clips {
        clip.frames.remove(7);
        clip.bounds.remove(7);
    }
    assert_eq!(lines(&compare(before, &take(rig.files())))[0], renamed);
}

/// The one frame of a deleted clip is also a frame of a renamed one.
#[test]
fn a_renamed_clip_is_the_one_with_most_frames_in_common() {
    let mut rig = Rig::new();
    let mut pose = rig.clips[0].clone();
    pose.name = "pose";
    pose.frames.truncate(1);
    pose.bounds.truncate(1);
    rig.clips.insert(0, pose);
    let before = take(rig.files());
    rig.clips.remove(0);
    rig.clips[0].name = "stroll";
    let found = lines(&compare(before, &take(rig.files())));
    assert_eq!(found, ["clip 'stroll' was 'walk' [document]", "missing: clip 'pose' [document]"]);
}

/// A larger model has a coarser grid. What the file holds did not change.
#[test]
fn boxes_of_other_clips_are_the_same_on_another_grid() {
    let mut rig = Rig::new();
    rig.clips[1].bounds.iter_mut().for_each(|bounds| bounds[0] -= 0.1);
    let before = take(rig.files());
    rig.meshes[0].vertices[0].2[0] += 123.0;
    rig.clips[0].frames[3][1][0] += 1.0;
    let found = lines(&compare(before, &take(rig.files())));
    assert!(found.iter().any(|line| line.starts_with("walk: joints differ in 1 of 12 frames")), "{found:?}");
    assert!(!found.iter().any(|line| line.starts_with("wave: bounds")), "{found:?}");
}

/// The last of a chain gets another parent and stays where it is. Only times between frames differ, and no joint follows.
#[test]
fn rounding_along_a_chain_makes_no_line() {
    let mut rig = Rig::new();
    for number in 0..60 {
        rig.joints.push((format!("chain {number}").leak(), 5 + number));
        rig.bind.push([f64::from(number), 0.0, 0.0]);
        rig.clips.iter_mut().for_each(|clip| clip.flags.push(63));
        for frame in rig.clips.iter_mut().flat_map(|clip| &mut clip.frames) {
            let turn = f64::from(number).sin() * frame[0][0] / 8.0;
            frame.push([1.0, 0.3, -0.2, 0.3 * turn, 0.5 * turn, 0.1]);
        }
    }
    let before = take(rig.files());
    rig.joints[65].1 = 20;
    for frame in rig.clips.iter_mut().flat_map(|clip| &mut clip.frames) {
        let pose = |[x, y, z, a, b, c]: [f64; 6]| {
            let w = -(1.0 - a * a - b * b - c * c).sqrt();
            DAffine3::from_rotation_translation(DQuat::from_xyzw(a, b, c, w), DVec3::new(x, y, z))
        };
        let (_, turn, at) = frame[21..]
            .iter()
            .map(|part| pose(*part))
            .fold(DAffine3::IDENTITY, |above, part| above * part)
            .to_scale_rotation_translation();
        let turn = if turn.w > 0.0 { -turn } else { turn };
        frame[65] = [at.x, at.y, at.z, turn.x, turn.y, turn.z];
    }
    let comparison = compare(before, &take(rig.files()));
    let found = lines(&comparison);
    assert_eq!(found[0], "parent of joint 'chain 59' is 'chain 14', was 'chain 58' [skeleton]", "{comparison}");
    assert!(
        found[1..].iter().all(|line| line.contains("times between frames [local]") && !line.contains('+')),
        "{comparison}"
    );
    assert!(!comparison.to_string().contains("stretched"), "{comparison}");
}

/// By hand: the arm is 5 units off in frame 4; the turn of `leg` by 2 asin(0.1) is 11.478 degrees. At rest, the vertices of
/// `spine`, `arm`, `hand` and `leg` are in a box from (0, 0, -7.75) to (11, 1, 11.25).
#[test]
fn each_part_has_its_largest_deviation_and_frame() {
    let mut rig = Rig::new();
    rig.clips[0].frames[3][ARM][1] += 3.0;
    rig.clips[0].frames[4][ARM][1] += 5.0;
    rig.clips[0].frames[4][LEG][5] += 0.1;
    let comparison = compare(take(Rig::new().files()), &take(rig.files()));
    let range = &comparison.differences[0].ranges[0];
    let [arm, leg] = &range.parts[..] else { panic!("{comparison}") };
    assert_eq!((arm.frame.number, leg.frame.number, range.followers), (4, 4, 2));
    assert!((arm.deviation.position - 5.0).abs() < 1e-6 && arm.deviation.angle == 0.0, "{comparison}");
    let size = (11.0_f64 * 11.0 + 1.0 + 19.0 * 19.0).sqrt();
    assert!((arm.deviation.share - 5.0 / size).abs() < 1e-8, "{comparison}");
    assert!((leg.deviation.angle - 11.478_341).abs() < 1e-5 && leg.deviation.position == 0.0, "{comparison}");
    let text = comparison.to_string();
    assert!(text.contains("\n  frames 3 to 4, most in frame 4 (0.166667 s), joint 'arm': 5 units off"), "{text}");
    assert!(text.contains("joint 'leg': turned by 11.48 degrees; 2 joints below moved with it\n"), "{text}");
    let json = serde_json::to_value(&comparison).unwrap();
    let json = &json["differences"][0]["ranges"][0];
    assert_eq!((&json["first"], &json["last"], &json["parts"][0]["frame"]), (&3.into(), &4.into(), &4.into()));
    assert_eq!((&json["parts"][1]["joint"], &json["followers"]), (&"leg".into(), &2.into()));
}

/// Every other frame of 24: twelve ranges, of which ten are shown.
#[test]
fn ten_lines_are_shown_unless_all_are_asked_for() {
    let long = || {
        let mut rig = Rig::new();
        let clip = &mut rig.clips[0];
        clip.frames.extend(clip.frames.clone());
        clip.bounds.extend(clip.bounds.clone());
        rig
    };
    let mut edited = long();
    (0..24).step_by(2).for_each(|frame| edited.clips[0].frames[frame][LEG][0] += 1.0 + frame as f64);
    let comparison = compare(take(long().files()), &take(edited.files()));
    let (short, all) = (comparison.to_string(), format!("{comparison:#}"));
    assert_eq!((short.matches("joint 'leg': ").count(), all.matches("joint 'leg': ").count()), (11, 12), "{short}");
    assert!(
        short.contains("  and 2 more lines; the worst is frame 22 (0.916667 s), joint 'leg': 23 units off"),
        "{short}"
    );
}

/// The files have the same bytes under other names, or other bytes.
#[test]
fn renamed_files_are_no_changed_ones() {
    let mut rig = Rig::new();
    rig.clips[0].name = "stroll";
    let inputs = compare(take(Rig::new().files()), &take(rig.files())).inputs;
    assert_eq!(inputs.renamed, [("stroll.md5anim".to_owned(), "walk.md5anim".to_owned())]);
    assert!(inputs.is_empty() && inputs.added.is_empty() && inputs.removed.is_empty());
    rig.clips[0].frames[0][0][0] += 1.0;
    let inputs = compare(take(Rig::new().files()), &take(rig.files())).inputs;
    assert_eq!(inputs.changed, ["stroll.md5anim, was walk.md5anim"]);
}

/// A quaternion's x is reduced by a hundredth in each frame; the angles are from the two quaternions, outside of this program.
#[test]
fn four_edits_of_the_walk_are_all_listed() {
    let file = |name: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/md5").join(name);
        (PathBuf::from(name), std::fs::read(path).unwrap())
    };
    let before = [file("mannequin_light.md5mesh"), file("walk.md5anim")];
    let mut parsed = bindpose_parsers::md5::parse_anim(&before[1].1).unwrap().document;
    let width = parsed.num_animated_components.value as usize;
    for (frame, component) in [(3, 20), (9, 26), (17, 44), (25, 61)] {
        parsed.components[frame * width + component] *= 0.99;
    }
    let mut text = Vec::new();
    bindpose_parsers::md5::write_anim(&parsed, &mut text).unwrap();
    let after = vec![before[0].clone(), (PathBuf::from("walk.md5anim"), text)];
    let comparison = compare(take(before.to_vec()), &take(after));
    let expected =
        "walk: joints differ in 4 of 33 frames [local] 3: shoulder_l +3 9: forearm_l +1 17: thigh_l +3 25: toe_r";
    assert_eq!(lines(&comparison), [expected]);
    let angles = comparison.differences[0].ranges.iter().map(|range| range.parts[0].deviation.angle);
    for (angle, expected) in angles.zip(ANGLES) {
        assert!((angle - expected).abs() < 1e-5, "{angle} {expected}");
    }
}

const ANGLES: [f64; 4] = [5.833283, 0.003112, 0.029813, 0.020124];
