//! Real clips with one joint damaged by computation: a foot that slides, jitter, a flip, an open loop. The finding names the joint
//! and the frame.

use crate::support::real_folders;
use bindpose::export::md5;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{Interpolation, JointId, JointTracks, Model, Timeline, TimelineId, Track};
use bindpose::pose::{LocalPose, ModelPose, sample};
use bindpose::validate::{Contract, Input, Options, Thresholds, check};
use glam::{DAffine3, DQuat, DVec3};
use std::path::PathBuf;
use std::sync::Arc;

/// Files of a mesh and a clip of the samples or the corpus, two joints that become feet, and a leaf for other damage.
const CLIPS: [([&str; 2], [&str; 3]); 7] = [
    (["md5/mannequin_light.md5mesh", "md5/walk.md5anim"], ["toe_l", "toe_r", "head"]),
    (["md5/mannequin_light.md5mesh", "md5/run.md5anim"], ["foot_l", "foot_r", "hand_l"]),
    ([BUILDER, "unvanquished-players/models/players/builder/run.md5anim"], ["mid_leg2_L", "mid_leg2_R", "jaw2"]),
    (
        [BUILDER, "unvanquished-players/models/players/builder/walk_left.md5anim"],
        ["back_leg2_L", "back_leg2_R", "eye2_R"],
    ),
    ([BUILDER, "unvanquished-players/models/players/builder/attack.md5anim"], ["arm2_L", "arm2_R", "butt2"]),
    ([LEVEL0, "unvanquished-players/models/players/level0/run.md5anim"], ["leg0_lower", "leg1_lower", "antenna_left1"]),
    ([LEVEL0, "unvanquished-players/models/players/level0/turn.md5anim"], ["leg2_lower", "leg3_lower", "tail"]),
];
const BUILDER: &str = "unvanquished-players/models/players/builder/body.md5mesh";
const LEVEL0: &str = "unvanquished-players/models/players/level0/body.md5mesh";

/// Frame from which a joint is damaged.
const FROM: usize = 6;

/// Poses of all frames.
fn poses(model: &Model) -> (Vec<LocalPose>, f64) {
    let clip = &model.clips[0];
    let rate = clip.frame_rate.unwrap();
    let at_frame = |frame: usize| {
        let mut local = LocalPose::default();
        sample(&model.skeleton, clip, frame as f64 / rate, &mut local);
        local
    };
    ((0..=(clip.duration * rate).round() as usize).map(at_frame).collect(), rate)
}

/// Codes of motion with the frame and joint that they name.
fn findings(model: &Model, poses: &[LocalPose], rate: f64, feet: &[JointId]) -> Vec<(String, String)> {
    let mut model = model.clone();
    let clip = &mut model.clips[0];
    let times: Vec<f64> = (0..poses.len()).map(|frame| frame as f64 / rate).collect();
    (clip.duration, clip.timelines) = (times[times.len() - 1], vec![Timeline::new(times).unwrap()]);
    let keys = |joint: usize| poses.iter().map(|pose| pose.0[joint]).collect();
    let whole = |joint| JointTracks::Whole {
        keys: Track { timeline: TimelineId(0), values: keys(joint) },
        between: Interpolation::Parts,
    };
    clip.joints = (0..poses[0].0.len()).map(whole).collect();
    let feet = feet.iter().map(|&foot| model.skeleton[foot].name.clone()).collect();
    let contract = Contract::new(vec![Thresholds { loops: Some(true), feet, ..Thresholds::default() }]).unwrap();
    let output = md5::write(&model, &md5::Options { stem: "damaged".into(), ..md5::Options::default() }).unwrap();
    let file = output.beside.into_iter().find(|file| file.name.ends_with(".md5anim")).unwrap();
    let input = Input { path: file.name.into(), bytes: Ok(file.bytes) };
    let report = check(vec![input], &Options { motion: Some(Arc::new(contract)), ..Options::default() });
    let places = report.files[0].findings.iter().flat_map(|finding| {
        let places = std::iter::once(&finding.first).chain(&finding.more);
        places.map(|place| (finding.code.id.to_owned(), place.path.clone().unwrap_or_default()))
    });
    places.collect()
}

/// Positions of a frame's joints in model space.
fn posed(model: &Model, local: &LocalPose) -> ModelPose {
    local.to_model(&model.skeleton)
}

/// Puts a joint somewhere in model space.
fn put(model: &Model, local: &mut LocalPose, joint: JointId, at: DVec3) {
    let posed = posed(model, local);
    let parent = model.skeleton[joint].parent.map_or(DAffine3::IDENTITY, |parent| posed.0[parent.index()]);
    local.0[joint.index()].translation = parent.inverse().transform_point3(at);
}

/// Both joints stand below all others; from a frame on, the first slides by a hundredth of the size per frame.
fn slide(model: &Model, poses: &mut [LocalPose], [left, right]: [JointId; 2], size: f64) {
    let lowest =
        poses.iter().flat_map(|pose| posed(model, pose).0).map(|joint| joint.translation.z).fold(f64::MAX, f64::min);
    for (frame, pose) in poses.iter_mut().enumerate() {
        let slid = 0.01 * size * frame.saturating_sub(FROM) as f64;
        put(model, pose, left, DVec3::new(slid, 0.0, lowest - 1.0));
        put(model, pose, right, DVec3::new(0.0, 0.2 * size, lowest - 1.0));
    }
}

#[test]
fn damaged_clips_are_found_out() {
    let mut clips = 0;
    for (paths, [left, right, leaf]) in CLIPS {
        let find = |folder: &PathBuf| folder.join(paths[1]).is_file().then(|| paths.map(|path| folder.join(path)));
        // Clips of the corpus need the corpus.
        let Some(files) = real_folders().iter().find_map(find) else { continue };
        let path = &files[1];
        clips += 1;
        let model = load(&files, &LoadOptions::default()).unwrap().model;
        let [left, right, leaf] = [left, right, leaf].map(|name| model.skeleton.find(name).unwrap());
        let (poses, rate) = poses(&model);
        let last = poses.len() - 1;
        let bounds = posed(&model, &poses[0])
            .0
            .iter()
            .map(|joint| joint.translation)
            .fold((DVec3::MAX, DVec3::MIN), |(min, max), at| (min.min(at), max.max(at)));
        let size = bounds.0.distance(bounds.1);
        let before = findings(&model, &poses, rate, &[]);
        let damaged = |code: &str, joint: JointId, frame: usize, damage: &dyn Fn(&mut [LocalPose])| {
            let mut poses = poses.clone();
            damage(&mut poses);
            let found = findings(&model, &poses, rate, &[left, right]);
            let expected = (code.to_owned(), format!("frame[{frame}].joint[{}]", joint.index()));
            assert!(found.contains(&expected), "{}: {expected:?} is not in {found:?}", path.display());
            assert!(!before.contains(&expected), "{}: {expected:?} is no damage", path.display());
        };
        damaged("MOT002", left, last, &|poses| slide(&model, poses, [left, right], size));
        // Its steps reverse in FROM + 1 for the first time; three times in a row are jitter.
        damaged("MOT006", leaf, FROM + 3, &|poses| {
            for (frame, pose) in poses.iter_mut().enumerate().skip(FROM).take(5) {
                let at = posed(&model, pose).0[leaf.index()].translation;
                put(&model, pose, leaf, at + DVec3::Z * if frame % 2 == 0 { 0.1 * size } else { -0.1 * size });
            }
        });
        damaged("MOT005", leaf, FROM, &|poses| {
            for pose in &mut poses[FROM..] {
                let rotation = &mut pose.0[leaf.index()].rotation;
                *rotation *= DQuat::from_rotation_x(170_f64.to_radians());
            }
        });
        damaged("MOT001", leaf, last, &|poses| {
            for (frame, pose) in poses.iter_mut().enumerate() {
                let at = posed(&model, pose).0[leaf.index()].translation;
                put(&model, pose, leaf, at + DVec3::Z * (0.5 * size * frame as f64 / last as f64));
            }
        });
    }
    println!("4 damages of each of {clips} clips");
    assert!(clips >= 2, "{clips} clips");
}
