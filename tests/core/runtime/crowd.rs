//! Poses of many characters.

use bindpose_core::budget::Budget;
use bindpose_core::model::{Clip, JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::runtime::{Character, RuntimeClip, RuntimeMatrix, RuntimePose, RuntimeSkeleton, pose_all};
use glam::{DAffine3, DQuat, DVec3};

/// Number of characters of two joints whose matrices are written past the caches.
const COUNT: usize = 1 << 15;

#[test]
fn large_crowds_are_posed_like_their_characters() {
    let mut skeleton = Skeleton::new();
    let root = skeleton.push("root", None, Transform::IDENTITY);
    skeleton.push("child", Some(root), Transform { translation: DVec3::X, ..Transform::IDENTITY });
    let values = vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.0)];
    let rotation = Some(Track { timeline: TimelineId(0), values });
    let clip = Clip {
        timelines: Timeline::new(vec![0.0, 1.0]).into_iter().collect(),
        joints: vec![JointTracks::Parts { translation: None, rotation, scale: None }],
        ..Clip::default()
    };
    let clip = RuntimeClip::new(&skeleton, &clip, &Budget::default()).unwrap();
    let skeleton = RuntimeSkeleton::new(&skeleton);
    let time = |number: usize| number as f64 / COUNT as f64;
    let mut matrices = vec![[RuntimeMatrix::IDENTITY; 2]; COUNT];
    let crowd = matrices.iter_mut().enumerate();
    let mut crowd: Vec<_> =
        crowd.map(|(number, joints)| Character { clip: &clip, time: time(number), joints: &mut joints[..] }).collect();
    pose_all(&skeleton, &mut crowd);
    let mut pose = RuntimePose::default();
    for (number, matrices) in matrices.iter().enumerate() {
        pose.sample(&clip, time(number));
        pose.local_to_model(&skeleton);
        assert_eq!(matrices, pose.model(), "character {number}");
    }
    // Another type, and fewer entries than joints.
    let mut root = [DAffine3::IDENTITY];
    pose_all(&skeleton, &mut [Character { clip: &clip, time: time(COUNT - 1), joints: &mut root }]);
    assert_eq!(root[0], pose.model()[0].into());
}
