//! Poses of playback against the reference, with every instruction set.

use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::model::{Clip, Interpolation, JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_core::runtime::{RuntimeClip, RuntimePose, RuntimeSkeleton, Simd};
use glam::{DQuat, DVec3};

/// Pseudo-random numbers from -1 to 1.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn rotation(&mut self) -> DQuat {
        DQuat::from_xyzw(self.next(), self.next(), self.next(), self.next()).normalize()
    }
}

/// Returns the joints of every kind: constant, moving in parts, with separate timelines, scaled, sheared, with
/// whole keys.
fn animated(joints: usize) -> (Skeleton, Clip) {
    let mut noise = Noise(7);
    let mut skeleton = Skeleton::new();
    let mut ids = Vec::new();
    for joint in 0..joints {
        let parent = (joint % 11 > 0).then(|| ids[joint - 1 - joint % 3 % joint.min(3)]);
        let mut rest_local = Transform::from_rotation_translation(noise.rotation(), noise.vector());
        if joint % 7 == 3 {
            rest_local.scale = DVec3::new(1.1, 0.9, -1.0);
            rest_local.shear = DVec3::new(0.1, 0.0, -0.2);
        }
        ids.push(skeleton.push(format!("joint{joint}"), parent, rest_local));
    }
    let timelines: Vec<Timeline> =
        [(0..9).map(|key| f64::from(key) / 4.0).collect(), vec![0.1, 0.5, 0.5, 1.7], vec![0.0, 2.0]]
            .into_iter()
            .map(|times| Timeline::new(times).unwrap())
            .collect();
    let keys = |timeline: usize| timelines[timeline].times().len();
    let tracks = (0..joints).map(|joint| {
        let timeline = TimelineId(joint as u32 % 3);
        let count = keys(joint % 3);
        let mut vectors = |count: usize| (0..count).map(|_| noise.vector()).collect::<Vec<_>>();
        match joint % 5 {
            0 => JointTracks::default(),
            4 if joint % 2 == 0 => JointTracks::Whole {
                keys: Track {
                    timeline,
                    values: (0..count)
                        .map(|_| Transform::from_rotation_translation(noise.rotation(), noise.vector()))
                        .collect(),
                },
                between: Interpolation::DualQuaternions,
            },
            1 | 2 => JointTracks::Parts {
                translation: (joint % 5 == 1).then(|| Track { timeline, values: vectors(count) }),
                scale: (joint % 10 == 6).then(|| Track { timeline, values: vectors(count) }),
                rotation: Some(Track { timeline, values: (0..count).map(|_| noise.rotation()).collect() }),
            },
            kind => JointTracks::Whole {
                keys: Track {
                    timeline,
                    values: (0..count)
                        .map(|_| Transform {
                            translation: noise.vector(),
                            rotation: noise.rotation(),
                            scale: DVec3::ONE + 0.2 * noise.vector(),
                            shear: 0.2 * noise.vector(),
                        })
                        .collect(),
                },
                between: match kind {
                    3 => Interpolation::Elements,
                    _ => Interpolation::Parts,
                },
            },
        }
    });
    let joints = tracks.collect();
    (skeleton, Clip { duration: 2.0, timelines, joints, ..Clip::default() })
}

#[test]
fn poses_are_those_of_the_reference_with_every_kind_of_track() {
    let (skeleton, clip) = animated(60);
    let budget = Budget::new(MemoryLimit::default());
    let (quick_skeleton, quick_clip) =
        (RuntimeSkeleton::new(&skeleton), RuntimeClip::new(&skeleton, &clip, &budget).unwrap());
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    for simd in Simd::available() {
        let mut pose = RuntimePose::new(simd);
        for step in -3..=50 {
            let time = f64::from(step) * 0.05;
            pose::sample(&skeleton, &clip, time, &mut local);
            pose::local_to_model(&skeleton, &local, &mut model);
            pose.sample(&quick_clip, time);
            pose.local_to_model(&quick_skeleton);
            let extent = model.0.iter().map(|joint| joint.translation.length()).fold(1.0, f64::max);
            for (joint, (exact, quick)) in model.0.iter().zip(pose.model()).enumerate() {
                let exact = exact.to_cols_array();
                let quick = quick.to_affine().to_cols_array();
                for (exact, quick) in exact.into_iter().zip(quick) {
                    let error = (exact - f64::from(quick)).abs();
                    assert!(error < 2e-5 * extent, "{} at {time}: joint {joint}, {error}", simd.name());
                }
            }
        }
    }
}

#[test]
fn the_series_is_slerp_to_three_millionths_of_a_radian() {
    let mut noise = Noise(1);
    let clip = |to: DQuat| Clip {
        timelines: Timeline::new(vec![0.0, 1.0]).into_iter().collect(),
        joints: vec![JointTracks::Parts {
            translation: None,
            rotation: Some(Track { timeline: TimelineId(0), values: vec![DQuat::IDENTITY, to] }),
            scale: None,
        }],
        ..Clip::default()
    };
    let mut skeleton = Skeleton::new();
    skeleton.push("joint", None, Transform::IDENTITY);
    let budget = Budget::new(MemoryLimit::default());
    let (mut pose, mut most) = (RuntimePose::default(), 0.0_f64);
    for degrees in (0..=180).step_by(5) {
        let axis = noise.vector().normalize();
        let to = DQuat::from_axis_angle(axis, f64::from(degrees).to_radians());
        let frames = RuntimeClip::new(&skeleton, &clip(to), &budget).unwrap();
        for share in 0..=20 {
            let share = f64::from(share) / 20.0;
            pose.sample(&frames, share);
            pose.local_to_model(&RuntimeSkeleton::new(&skeleton));
            let exact = glam::DMat3::from_axis_angle(axis, f64::from(degrees).to_radians() * share);
            let quick = pose.model()[0].to_affine().matrix3;
            let apart = (exact.x_axis - quick.x_axis.as_dvec3())
                .length()
                .max((exact.y_axis - quick.y_axis.as_dvec3()).length())
                .max((exact.z_axis - quick.z_axis.as_dvec3()).length());
            most = most.max(apart);
        }
    }
    assert!(most < 4e-6, "{most}");
}
