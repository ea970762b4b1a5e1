//! Properties of the references, derived from the meaning of their formulas.

use super::meshes as testing;
use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::model::{Clip, JointId, JointTracks, Mesh, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{
    Data, Example, ExampleError, ExampleMesh, MethodId, Prepared, SIGMA, Skinned, TimedPose, Unavailable,
    centres_of_rotation, joints_that_are_not_rigid, reference, split,
};
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Returns five joints: a chain of four, and a second child of joint 1 that starts where joint 2 does; all rotated in
/// the bind pose.
fn skeleton_of_five() -> (Skeleton, ModelPose) {
    let joint = |parent: Option<usize>, turn: [f64; 3], place: [f64; 3]| {
        let turn = DQuat::from_scaled_axis(DVec3::from_array(turn));
        (parent, Transform::from_rotation_translation(turn, DVec3::from_array(place)))
    };
    testing::skeleton(&[
        joint(None, [0.3, 0.1, -0.4], [0.5, 0.2, 1.0]),
        joint(Some(0), [0.0, 1.2, 0.1], [1.0, 0.1, 0.0]),
        joint(Some(1), [-0.7, 0.2, 0.3], [0.9, 0.0, 0.3]),
        joint(Some(1), [0.4, -0.2, 2.0], [0.9, 0.0, 0.3]),
        joint(Some(2), [0.1, 0.1, 0.1], [0.0, 1.1, 0.0]),
    ])
}

/// Returns one vertex for each set of weights, at arbitrary positions, with a triangle over every three.
fn mesh(skeleton: &Skeleton, bind: &ModelPose, weights: &[&[(u32, f32)]]) -> Mesh {
    let place = |k: usize| Vec3::new((k as f32 * 1.3).sin(), (k as f32 * 2.1).cos(), k as f32 * 0.2);
    let vertices: Vec<_> = weights.iter().enumerate().map(|(k, weights)| (place(k), *weights)).collect();
    let triangles = (2..weights.len() as u32).map(|k| [k - 2, k - 1, k]).collect();
    let mut mesh = testing::mesh(skeleton, bind, &vertices, triangles);
    mesh.normals = (0..weights.len()).map(|k| Vec3::new(1.0, k as f32, -0.5).normalize()).collect();
    mesh.tangents = mesh.normals.iter().map(|normal| normal.any_orthonormal_vector().extend(1.0)).collect();
    mesh
}

const WEIGHTS: [&[(u32, f32)]; 9] = [
    &[(0, 1.0)],
    &[(4, 1.0)],
    &[(1, 0.5), (2, 0.5)],
    &[(0, 0.25), (1, 0.75)],
    &[(1, 0.2), (2, 0.3), (3, 0.5)],
    &[(0, 0.1), (1, 0.2), (2, 0.3), (4, 0.4)],
    &[(2, 0.5), (4, 0.5)],
    &[(3, 0.6), (4, 0.4)],
    &[(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.2), (4, 0.2)],
];

fn posed(skeleton: &Skeleton) -> ModelPose {
    let turn = |axis: [f64; 3]| DQuat::from_scaled_axis(DVec3::from_array(axis));
    testing::turned(
        skeleton,
        &[
            (0, turn([0.1, 0.5, 0.2])),
            (1, turn([0.9, -0.3, 0.0])),
            (2, turn([-0.4, 1.1, 0.6])),
            (3, turn([0.0, 0.0, -1.3])),
            (4, turn([1.5, 0.2, 0.0])),
        ],
    )
}

fn still(joints: usize) -> Clip {
    Clip { joints: vec![JointTracks::default(); joints], ..Clip::default() }
}

fn run(method: MethodId, skeleton: &Skeleton, mesh: &Mesh, pose: &ModelPose) -> Skinned {
    let clip = still(skeleton.len());
    let prepared = Prepared::new(method, skeleton, mesh, &[], Some(&clip)).unwrap();
    Skinned::reference(&prepared, TimedPose { pose, time: 0.0 })
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn every_method_is_the_identity_in_the_bind_pose() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let positions: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
    let normals: Vec<DVec3> = mesh.normals.iter().map(|n| n.as_dvec3()).collect();
    for method in MethodId::all() {
        let out = run(method, &skeleton, &mesh, &bind);
        // Offsets and weights are f32: errors of a few 1e-7 for a model of size 3.
        assert!(farthest(&out.positions, &positions) < 1e-6, "{method}");
        assert!(farthest(&out.normals, &normals) < 1e-6, "{method}");
    }
}

#[test]
fn a_vertex_of_one_joint_follows_it_in_every_method() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS[..2]);
    let pose = posed(&skeleton);
    let palette = testing::palette_of(&mesh, &pose);
    for method in MethodId::all().filter(|&method| method != MethodId::Morph) {
        let out = run(method, &skeleton, &mesh, &pose);
        for (vertex, joint) in [(0, 0), (1, 4)] {
            let expected = palette[joint].transform_point3(mesh.positions[vertex].as_dvec3());
            assert!(out.positions[vertex].distance(expected) < 1e-6, "{method}");
            let normal = palette[joint].matrix3 * mesh.normals[vertex].as_dvec3();
            assert!(out.normals[vertex].distance(normal) < 1e-6, "{method}");
        }
    }
}

/// Moving the whole model moves the result rigidly.
#[test]
fn every_method_moves_with_the_model() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let pose = posed(&skeleton);
    let motion = glam::DAffine3::from_rotation_translation(
        DQuat::from_scaled_axis(DVec3::new(-2.0, 0.7, 1.9)),
        DVec3::new(30.0, -7.0, 11.0),
    );
    let moved = ModelPose(pose.0.iter().map(|joint| motion * *joint).collect());
    // Logarithms do not: see `logarithms_know_where_zero_is` in `log_matrix.rs`.
    for method in MethodId::all().filter(|&method| ![MethodId::Morph, MethodId::LogMatrix].contains(&method)) {
        let at_home = run(method, &skeleton, &mesh, &pose);
        let away = run(method, &skeleton, &mesh, &moved);
        let expected: Vec<DVec3> = at_home.positions.iter().map(|p| motion.transform_point3(*p)).collect();
        // Weights are f32 and sum to one within 1e-7. The motion's 33 units multiply this error.
        assert!(farthest(&away.positions, &expected) < 1e-5, "{method}");
        let expected: Vec<DVec3> = at_home.normals.iter().map(|n| motion.transform_vector3(*n)).collect();
        assert!(farthest(&away.normals, &expected) < 1e-9, "{method}");
    }
}

/// A tube cut into two meshes moves as in one piece: cut at its joint, and where the second mesh has one joint only.
#[test]
fn every_method_shows_meshes_of_one_surface_as_one() {
    let (_, _, tube) = testing::tube(2.0, 1.25, 6, 5);
    // The rest pose is not the bind pose.
    let at = |x: f64, y: f64| Transform { translation: DVec3::new(x, y, 0.0), ..Transform::IDENTITY };
    let (skeleton, _) = testing::skeleton(&[(None, at(0.5, 1.0)), (Some(0), at(2.0, 0.0))]);
    let pose = testing::turned(&skeleton, &[(0, DQuat::from_rotation_y(0.4)), (1, DQuat::from_rotation_z(1.3))]);
    for (cut, joints) in [(1.9, 2), (3.3, 1)] {
        let part = |beyond: bool| {
            let mut part = tube.clone();
            let is_beyond = |corner: &u32| tube.positions[*corner as usize].x > cut;
            part.triangles.retain(|corners| corners.iter().all(is_beyond) == beyond);
            let batch = split(&part, None).batches.swap_remove(0);
            (batch.to_mesh(&part), batch.vertices)
        };
        let [(before, kept_before), (mut beyond, kept_beyond)] = [part(false), part(true)];
        beyond.bind.reverse();
        beyond.influences.iter_mut().for_each(|influence| influence.slot = joints - 1 - influence.slot);
        assert_eq!((before.bind.len(), beyond.bind.len()), (2, joints as usize));
        let parts = [before, beyond];
        for method in MethodId::all().filter(|&method| method != MethodId::Morph) {
            let whole = run(method, &skeleton, &tube, &pose);
            let prepared = Prepared::all(method, &skeleton, &parts, &[], None).unwrap();
            for (prepared, kept) in prepared.iter().zip([&kept_before, &kept_beyond]) {
                let out = Skinned::reference(prepared, TimedPose { pose: &pose, time: 0.0 });
                let pick = |all: &[DVec3]| kept.iter().map(|&vertex| all[vertex as usize]).collect::<Vec<_>>();
                assert!(farthest(&out.positions, &pick(&whole.positions)) < 1e-12, "{method}, cut at {cut}");
                assert!(farthest(&out.normals, &pick(&whole.normals)) < 1e-12, "{method}, normals, cut at {cut}");
            }
        }
    }
}

/// Two joints, half and half, with the second rotated about their common axis: the vertex rotates by half the angle,
/// along the shorter arc.
#[test]
fn blended_rotations_meet_half_way() {
    let (skeleton, bind) = testing::chain(2, 1.0);
    let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::new(1.0, 1.0, 0.0), &[(0, 0.5), (1, 0.5)])], Vec::new());
    for (angle, half) in
        [(1.0, 0.5), (3.0, 1.5), (-3.0, -1.5), (2.0 * PI - 1.0, -0.5), (350_f64.to_radians(), -5_f64.to_radians())]
    {
        let pose = testing::turned(&skeleton, &[(1, DQuat::from_rotation_x(angle))]);
        let expected = DQuat::from_rotation_x(half) * DVec3::new(1.0, 1.0, 0.0);
        let about_the_vertex = [MethodId::Cor, MethodId::Ddm];
        let blending = [
            MethodId::Sjb,
            MethodId::SjbArticle,
            MethodId::Sjbbe,
            MethodId::Sbs,
            MethodId::Dqs,
            MethodId::DqsScale,
            MethodId::BulgeFreeDqs,
            MethodId::LogMatrix,
        ];
        for method in blending.into_iter().chain(about_the_vertex) {
            // Without triangles, `cor` and `ddm` rotate about the vertex itself and move it as linear blending does.
            if !about_the_vertex.contains(&method) {
                let out = run(method, &skeleton, &mesh, &pose);
                assert!(out.positions[0].distance(expected) < 1e-9, "{method} at {angle}: {}", out.positions[0]);
            }
            let normal = run(method, &skeleton, &mesh, &pose).normals[0];
            assert!(normal.distance(DVec3::X) < 1e-9, "{method}");
        }
    }
}

/// Half a screw motion is half its rotation and half its advance, as for dual quaternions and Alexa's `1/2 * M`, the
/// square root.
#[test]
fn dual_quaternions_and_logarithms_halve_a_screw() {
    let (skeleton, bind) = testing::chain(2, 0.0);
    let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::new(0.5, 2.0, 0.0), &[(0, 0.5), (1, 0.5)])], Vec::new());
    let screw = |share: f64| {
        let axis = DVec3::new(0.0, 1.0, 3.0);
        glam::DAffine3::from_translation(axis + DVec3::X * 4.0 * share)
            * glam::DAffine3::from_rotation_x(2.2 * share)
            * glam::DAffine3::from_translation(-axis)
    };
    let pose = ModelPose(vec![screw(0.0), screw(1.0)]);
    let expected = screw(0.5).transform_point3(mesh.positions[0].as_dvec3());
    for method in [MethodId::Dqs, MethodId::DqsScale, MethodId::LogMatrix] {
        let out = run(method, &skeleton, &mesh, &pose);
        assert!(out.positions[0].distance(expected) < 1e-12, "{method}: {} instead of {expected}", out.positions[0]);
    }
}

/// If the condition of article 000 holds, a vertex keeps its distance from the joint, and the fitted centre of `sbs` is
/// that joint.
#[test]
fn spherical_methods_keep_the_distance_from_the_joint() {
    let (skeleton, bind) = skeleton_of_five();
    let exact: Vec<&[(u32, f32)]> =
        vec![&[(1, 0.5), (2, 0.5)], &[(1, 0.2), (2, 0.3), (3, 0.5)], &[(0, 0.25), (1, 0.75)]];
    let mesh = mesh(&skeleton, &bind, &exact);
    let pose = posed(&skeleton);
    let sjb = run(MethodId::Sjb, &skeleton, &mesh, &pose);
    let sbs = run(MethodId::Sbs, &skeleton, &mesh, &pose);
    for (vertex, joint) in [(0, 2), (1, 2), (2, 1)] {
        let at_rest = mesh.positions[vertex].as_dvec3().distance(bind.0[joint].translation);
        let now = sjb.positions[vertex].distance(pose.0[joint].translation);
        assert!((at_rest - now).abs() < 1e-9, "vertex {vertex}");
    }
    assert!(farthest(&sjb.positions, &sbs.positions) < 1e-6);
    let article = run(MethodId::SjbArticle, &skeleton, &mesh, &pose);
    assert!(farthest(&sjb.positions, &article.positions) < 1e-12);
    let prepared = Prepared::new(MethodId::Sjb, &skeleton, &mesh, &[], None).unwrap();
    assert_eq!(prepared.cost.broken_conditions, 0);
}

/// The formula with matrices: `R (v - a) + b`, with `R` from a sum of quaternions whose signs follow the parent's.
#[test]
fn sjb_by_its_formula_where_the_condition_is_broken() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &[&[(0, 0.1), (4, 0.4), (1, 0.2), (2, 0.3)]]);
    let pose = posed(&skeleton);
    let palette = testing::palette_of(&mesh, &pose);
    let lead = DQuat::from_mat3(&palette[0].matrix3);
    let mut sum = [0.0; 4];
    for (joint, weight) in [(0, 0.1_f32), (4, 0.4), (1, 0.2), (2, 0.3)] {
        let q = DQuat::from_mat3(&palette[joint].matrix3).to_array();
        let sign = if lead.to_array().iter().zip(q).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        (0..4).for_each(|k| sum[k] += sign * f64::from(weight) * q[k]);
    }
    let turn = glam::DMat3::from_quat(DQuat::from_array(sum).normalize());
    // Joint 4 is the deepest of the four.
    let expected = turn * (mesh.positions[0].as_dvec3() - bind.0[4].translation) + pose.0[4].translation;
    let out = run(MethodId::Sjb, &skeleton, &mesh, &pose);
    assert!(out.positions[0].distance(expected) < 1e-7, "{} instead of {expected}", out.positions[0]);
    assert!(out.normals[0].distance(turn * mesh.normals[0].as_dvec3()) < 1e-7);
    let cost = Prepared::new(MethodId::Sjb, &skeleton, &mesh, &[], None).unwrap().cost;
    assert_eq!(cost.broken_conditions, 1);
}

/// Each of two joints turns by 200 degrees relative to the one above it. A vertex of all three gets the quaternion of the
/// last with the sign of the second, which has that of the first: cosines of 100 degrees are negative, of 200 too.
#[test]
fn signs_of_article_000_follow_the_parents() {
    let (skeleton, bind) = testing::chain(3, 1.0);
    let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::Y, &[(0, 0.25), (1, 0.25), (2, 0.5)])], Vec::new());
    let turn = DQuat::from_rotation_x(200_f64.to_radians());
    let pose = testing::turned(&skeleton, &[(1, turn), (2, turn)]);
    // Half angles 0, 100 - 180 and 2 * (100 - 180) degrees.
    let angles = [0.0, -80.0, -160.0].map(f64::to_radians);
    let part = |f: fn(f64) -> f64| 0.25 * f(angles[0]) + 0.25 * f(angles[1]) + 0.5 * f(angles[2]);
    let expected = DQuat::from_rotation_x(2.0 * part(f64::sin).atan2(part(f64::cos))) * DVec3::Y;
    let found = |method| run(method, &skeleton, &mesh, &pose).positions[0];
    for method in [MethodId::SjbArticle, MethodId::SjbbeArticle] {
        assert!(found(method).distance(expected) < 1e-12, "{method}: {} instead of {expected}", found(method));
    }
    assert!(found(MethodId::Sjb).distance(expected) > 0.1);
}

/// `R (v - c) + (sum w M) c` with the centre of the vertex.
#[test]
fn cor_by_its_formula() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS[..8]);
    let pose = posed(&skeleton);
    let palette = testing::palette_of(&mesh, &pose);
    let centre = centres_of_rotation(&mesh)[4];
    assert!(centre.distance(mesh.positions[4].as_dvec3()) > 1e-3, "vertex 4 is like no triangle");
    let joints = [(1, 0.2_f32), (2, 0.3), (3, 0.5)];
    let moved: DVec3 = joints.iter().map(|&(j, w)| palette[j].transform_point3(centre) * f64::from(w)).sum();
    let lead = DQuat::from_mat3(&palette[1].matrix3);
    let sum = joints.iter().fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &(joint, weight)| {
        let q = DQuat::from_mat3(&palette[joint].matrix3);
        sum + q * (f64::from(weight) * if lead.dot(q) < 0.0 { -1.0 } else { 1.0 })
    });
    let expected = sum.normalize() * (mesh.positions[4].as_dvec3() - centre) + moved;
    let out = run(MethodId::Cor, &skeleton, &mesh, &pose);
    assert!(out.positions[4].distance(expected) < 1e-7);
}

#[test]
fn rigid_follows_the_heaviest_joint() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &[&[(1, 0.2), (2, 0.4), (3, 0.4)], &[(0, 0.1), (1, 0.2), (2, 0.3), (4, 0.4)]]);
    let pose = posed(&skeleton);
    let palette = testing::palette_of(&mesh, &pose);
    let out = run(MethodId::Rigid, &skeleton, &mesh, &pose);
    for (vertex, joint) in [(0, 2), (1, 4)] {
        let expected = palette[joint].transform_point3(mesh.positions[vertex].as_dvec3());
        assert!(out.positions[vertex].distance(expected) < 1e-6);
    }
}

#[test]
fn limits_are_counted() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let cost = |method| Prepared::new(method, &skeleton, &mesh, &[], None).unwrap().cost;
    assert_eq!((cost(MethodId::Cpu).dropped_influences, cost(MethodId::Cpu).reduced_vertices), (0, 0));
    let four = cost(MethodId::Dqs);
    assert_eq!((four.dropped_influences, four.reduced_vertices), (1, 1));
    assert!((four.most_dropped - 0.1).abs() < 1e-6);
    assert_eq!(cost(MethodId::Rigid).dropped_influences, 1 + 1 + 2 + 3 + 1 + 1 + 4);
}

/// Every example is matched within its joint's support, and nothing moves in the bind pose.
#[test]
fn methods_of_examples_meet_them() {
    let (skeleton, bind) = skeleton_of_five();
    // Joint 2's parent is 1, whose parent is 0: the support has 1 but not 0. Joint 4's parent is 2: its support has 2
    // but not 1.
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let [two, four] = [2, 4].map(|joint| skeleton.id(joint).unwrap());
    let shapes = |seed: f32| ExampleMesh {
        source_mesh: 0,
        positions: (0..9).map(|k| Vec3::new(seed, k as f32 * 0.1, -seed * 0.3)).collect(),
        normals: (0..9).map(|k| Vec3::new(seed, 1.0, k as f32).normalize()).collect(),
    };
    let example = |joint, turn: [f64; 3], seed: f32| Example {
        name: format!("example {seed}"),
        joint,
        turn: DQuat::from_scaled_axis(DVec3::from_array(turn)),
        others: Vec::new(),
        sigma: SIGMA,
        meshes: vec![shapes(seed)],
    };
    let examples =
        [example(two, [0.0, 0.0, 1.2], 1.0), example(two, [1.4, 0.0, 0.0], 2.0), example(four, [0.0, 0.9, 0.4], 3.0)];
    for method in [MethodId::Sjbbe, MethodId::SjbbeArticle, MethodId::Sbe, MethodId::Psd, MethodId::Eigenskin] {
        let prepared = Prepared::new(method, &skeleton, &mesh, &examples, None).unwrap();
        let Data::Corrections(corrections) = &prepared.data else { panic!("corrections") };
        assert_eq!(*corrections.left_out, []);
        let support: Vec<Option<JointId>> = corrections
            .support
            .iter()
            .map(|place| place.map(|place| corrections.joints[place as usize].joint))
            .collect();
        let (of_two, of_four) = (Some(two), Some(four));
        // The last vertex has lost joint 0 to the limit of four.
        assert_eq!(support, [None, None, of_two, None, of_two, None, of_four, None, of_two]);

        let mut out = Skinned::default();
        for (number, example) in examples.iter().enumerate() {
            let pose = testing::turned_in_parent(&skeleton, example.joint.index(), example.turn);
            reference(&prepared, TimedPose { pose: &pose, time: 0.0 }, &mut out);
            let plain = match method.method().name {
                "sjbbe" => MethodId::Sjb,
                "sjbbe-article" => MethodId::SjbArticle,
                _ => MethodId::MatrixBlend,
            };
            let plain = run(plain, &skeleton, &mesh, &pose);
            for (vertex, support) in support.iter().enumerate() {
                if *support == Some(example.joint) {
                    let shape = &example.meshes[0];
                    let apart = out.positions[vertex].distance(shape.positions[vertex].as_dvec3());
                    assert!(apart < 1e-6, "{method}, example {number}, vertex {vertex}: {apart}");
                    assert!(out.normals[vertex].distance(shape.normals[vertex].as_dvec3()) < 1e-6);
                } else {
                    assert!(out.positions[vertex].distance(plain.positions[vertex]) < 1e-6);
                }
            }
        }
        reference(&prepared, TimedPose { pose: &bind, time: 0.0 }, &mut out);
        let positions: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
        // Weights are f32 and sum to one within 1e-7.
        assert!(farthest(&out.positions, &positions) < 1e-6);
    }
}

/// An example in which two joints turn: `psd` meets it, and the examples of each joint alone, with another joint's copy
/// of it; methods that compare one joint leave it out.
#[test]
fn psd_meets_an_example_of_several_joints() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let [two, four] = [2, 4].map(|joint| skeleton.id(joint).unwrap());
    let turns = [(two, DQuat::from_rotation_z(1.2)), (four, DQuat::from_rotation_y(0.9))];
    let example = |[(joint, turn), others @ ..]: [(JointId, DQuat); 2], count: usize, seed: f32| Example {
        name: format!("example {seed}"),
        joint,
        turn,
        others: others[..count].to_vec(),
        sigma: SIGMA,
        meshes: vec![ExampleMesh {
            source_mesh: 0,
            positions: (0..9).map(|k| Vec3::new(seed, k as f32 * 0.1, -seed * 0.3)).collect(),
            normals: vec![Vec3::Y; 9],
        }],
    };
    let swapped = [turns[1], turns[0]];
    let examples = [example(turns, 0, 1.0), example(turns, 1, 2.0), example(swapped, 0, 3.0), example(swapped, 1, 2.0)];
    let prepared = |method| Prepared::new(method, &skeleton, &mesh, &examples, None).unwrap();
    let psd = prepared(MethodId::Psd);
    assert_eq!(psd.cost.left_out_examples, 0);
    for (number, example) in examples.iter().enumerate() {
        let mut local = LocalPose::rest(&skeleton);
        for (joint, turn) in [(example.joint, example.turn)].iter().chain(&example.others) {
            let rotation = &mut local.0[joint.index()].rotation;
            *rotation = *turn * *rotation;
        }
        let out = Skinned::reference(&psd, TimedPose { pose: &local.to_model(&skeleton), time: 0.0 });
        // Supports of the joints, as above.
        let support: &[usize] = if example.joint == two { &[2, 4, 8] } else { &[6] };
        for &vertex in support {
            let apart = out.positions[vertex].distance(example.meshes[0].positions[vertex].as_dvec3());
            assert!(apart < 1e-6, "example {number}, vertex {vertex}: {apart}");
        }
    }
    for method in [MethodId::Sjbbe, MethodId::Sbe, MethodId::Eigenskin] {
        let Data::Corrections(corrections) = prepared(method).data else { panic!("corrections") };
        let several = corrections.left_out.iter().filter(|error| matches!(error, ExampleError::Several { .. }));
        assert_eq!(several.count(), 2, "{method}");
    }
    assert_eq!(prepared(MethodId::Mwe).cost.left_out_examples, 0);
}

/// A twist of the bone about its own axis does not change the share of an example, unless rotations count.
#[test]
fn a_twist_needs_no_example() {
    let (skeleton, bind) = testing::chain(3, 1.0);
    let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::Y, &[(0, 0.5), (1, 0.5)]), (Vec3::Z, &[(2, 1.0)])], Vec::new());
    let joint = skeleton.id(1).unwrap();
    let shape = ExampleMesh { source_mesh: 0, positions: vec![Vec3::ONE; 2], normals: vec![Vec3::X; 2] };
    let example = |turn| Example {
        name: "elbow".into(),
        joint,
        turn,
        others: Vec::new(),
        sigma: SIGMA,
        meshes: vec![shape.clone()],
    };
    let bent = example(DQuat::from_rotation_z(FRAC_PI_2));
    let prepared = |method, examples: &[Example]| Prepared::new(method, &skeleton, &mesh, examples, None).unwrap();
    let corrections = |method, examples: &[Example]| match prepared(method, examples).data {
        Data::Corrections(corrections) => corrections,
        other => panic!("{other:?}"),
    };
    let twisted = [example(DQuat::from_rotation_x(1.0)), bent.clone()];
    for method in [MethodId::Sjbbe, MethodId::Sbe] {
        let found = corrections(method, std::slice::from_ref(&bent));
        let share = |turn: DQuat| found.joints[0].shares(&testing::turned(&skeleton, &[(1, turn)]))[0];
        assert!((share(DQuat::from_rotation_z(FRAC_PI_2) * DQuat::from_rotation_x(1.3)) - 1.0).abs() < 1e-12);
        assert!(share(DQuat::from_rotation_x(2.0)).abs() < 1e-12);
        let found = corrections(method, &twisted);
        assert!(matches!(&found.left_out[..], [ExampleError::SamePose { .. }]), "{:?}", found.left_out);
        assert_eq!(found.joints[0].examples, 1);
        assert_eq!(prepared(method, &twisted).cost.left_out_examples, 1);
    }
    for method in [MethodId::Psd, MethodId::Eigenskin] {
        let found = corrections(method, &twisted);
        assert_eq!((found.joints[0].examples, found.left_out.len()), (2, 0), "{method}");
    }
    // Another joint's rotation makes the pose less alike for `psd` only.
    for (method, is_alike) in [(MethodId::Eigenskin, true), (MethodId::Psd, false)] {
        let found = corrections(method, std::slice::from_ref(&bent));
        let both = [(1, DQuat::from_rotation_z(FRAC_PI_2)), (2, DQuat::from_rotation_y(1.0))];
        let share = found.joints[0].shares(&testing::turned(&skeleton, &both)).iter().sum::<f64>();
        assert!((share.abs() - 1.0).abs() < 1e-9 || !is_alike && share < 0.7, "{method}: {share}");
    }
}

/// Two joints of equal weight. The examples' positions are those of other weights for each element, which the fit finds.
#[test]
fn mwe_finds_the_weights_of_its_examples() {
    let (skeleton, bind) = testing::chain(2, 1.0);
    let place = Vec3::new(1.4, 0.3, -0.2);
    let mesh = testing::mesh(&skeleton, &bind, &[(place, &[(0, 0.5), (1, 0.5)])], Vec::new());
    let turned = |axis: DVec3, angle: f64| DQuat::from_axis_angle(axis.normalize(), angle);
    // The heavier joint, here the first, does not move: its share of the diagonal is what the other's lacks.
    let weights = [[0.2, 0.7, 0.4, 0.0], [0.6, 0.3, 0.9, 0.0], [0.5, 0.1, 0.35, 0.0]];
    let shape = |turn: DQuat| {
        let pivot = DVec3::X;
        let rotation = glam::DMat3::from_quat(turn);
        let own = place.as_dvec3();
        let moved = pivot - rotation * pivot;
        let row = |row: usize| {
            let by_second: f64 = (0..3).map(|c| weights[row][c] * rotation.col(c)[row] * own[c]).sum();
            by_second + 0.5 * moved[row] + (1.0 - weights[row][row]) * own[row]
        };
        DVec3::new(row(0), row(1), row(2)).as_vec3()
    };
    let turns =
        [(DVec3::Z, 0.9), (DVec3::X, 1.2), (DVec3::new(1.0, 2.0, -1.0), 0.7), (DVec3::Y, -1.0), (DVec3::ONE, 1.5)];
    let example = |(axis, angle): (DVec3, f64)| {
        let turn = turned(axis, angle);
        let shape = ExampleMesh { source_mesh: 0, positions: vec![shape(turn)], normals: vec![Vec3::X] };
        Example {
            name: "bent".into(),
            joint: skeleton.id(1).unwrap(),
            turn,
            others: Vec::new(),
            sigma: SIGMA,
            meshes: vec![shape],
        }
    };
    let examples: Vec<Example> = turns.into_iter().map(example).collect();
    let prepared = Prepared::new(MethodId::Mwe, &skeleton, &mesh, &examples, None).unwrap();
    // Four unknown weights a coordinate, but for the ridge.
    assert!(prepared.cost.example_error < 1e-3, "{}", prepared.cost.example_error);
    let linear = Prepared::new(MethodId::Mwe, &skeleton, &mesh, &[], None).unwrap();
    for (axis, angle) in turns {
        let turn = turned(axis, angle);
        let pose = testing::turned(&skeleton, &[(1, turn)]);
        let [found, without] =
            [&prepared, &linear].map(|it| Skinned::reference(it, TimedPose { pose: &pose, time: 0.0 }).positions[0]);
        let shown = shape(turn).as_dvec3();
        assert!(found.distance(shown) < 1e-3 && without.distance(shown) > 0.05, "{found}, {without}, {shown}");
    }
    let at_rest = Skinned::reference(&prepared, TimedPose { pose: &bind, time: 0.0 }).positions[0];
    assert!(at_rest.distance(place.as_dvec3()) < 1e-6, "the bind pose is exact: {at_rest}");
}

/// Six elbows need fewer offsets than examples. The components show each within their error.
#[test]
fn eigenskin_compresses_examples() {
    let cylinder = Cylinder::new(Shape::USUAL);
    let angles = (1..=6).map(|k| 0.25 * f64::from(k));
    let examples: Vec<Example> = angles.clone().filter_map(|angle| cylinder.mitred_elbow(angle)).collect();
    let prepared = Prepared::new(MethodId::Eigenskin, &cylinder.skeleton, &cylinder.mesh, &examples, None).unwrap();
    let Data::Corrections(corrections) = &prepared.data else { panic!("corrections") };
    let joint = &corrections.joints[0];
    assert!(joint.examples == 6 && joint.components < 5, "{joint:?}");
    assert!(joint.component_error > 0.0 && prepared.cost.example_error == joint.component_error as f32);
    let mut worst: f64 = 0.0;
    for example in &examples {
        let pose = testing::turned_in_parent(&cylinder.skeleton, 1, example.turn);
        let out = Skinned::reference(&prepared, TimedPose { pose: &pose, time: 0.0 });
        let shape: Vec<DVec3> = example.meshes[0].positions.iter().map(|p| p.as_dvec3()).collect();
        worst = worst.max(farthest(&out.positions, &shape));
    }
    // Blended maps shorten offsets.
    assert!(worst <= joint.component_error + 1e-6 && worst > 0.2 * joint.component_error, "{worst}");
}

#[test]
fn morph_stores_the_reference_at_its_keys_and_goes_straight_between() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let turn = DQuat::from_rotation_y(2.0);
    let rest = skeleton.joints()[1].rest_local;
    let values = vec![rest.rotation, rest.rotation * turn];
    let mut clip = still(5);
    clip.timelines = vec![Timeline::new(vec![0.5, 1.5]).unwrap()];
    clip.joints[1] = JointTracks::Parts {
        translation: None,
        rotation: Some(Track { timeline: TimelineId(0), values }),
        scale: None,
    };
    let prepared = Prepared::new(MethodId::Morph, &skeleton, &mesh, &[], Some(&clip)).unwrap();
    let Data::Frames(frames) = &prepared.data else { panic!("frames") };
    assert_eq!(frames.bytes(), 2 * 9 * 3 * 12);
    let last = testing::turned(&skeleton, &[(1, turn)]);
    let ends = [&bind, &last].map(|pose| run(MethodId::Cpu, &skeleton, &mesh, pose).positions);
    let mut out = Skinned::default();
    for (time, share) in [(0.0, 0.0), (0.5, 0.0), (0.75, 0.25), (1.0, 0.5), (1.5, 1.0), (9.0, 1.0)] {
        reference(&prepared, TimedPose { pose: &bind, time }, &mut out);
        let expected: Vec<DVec3> = ends[0].iter().zip(&ends[1]).map(|(a, b)| a.lerp(*b, share)).collect();
        assert!(farthest(&out.positions, &expected) < 1e-6, "at {time}");
    }
    let without = Prepared::new(MethodId::Morph, &skeleton, &mesh, &[], None);
    assert_eq!(without.unwrap_err(), Unavailable::NoClip);
}

#[test]
fn scaled_joints_are_noticed() {
    let (skeleton, bind) = skeleton_of_five();
    let mesh = mesh(&skeleton, &bind, &WEIGHTS);
    let mut pose = posed(&skeleton);
    assert_eq!(joints_that_are_not_rigid(&mesh, &pose), 0);
    pose.0[2] *= glam::DAffine3::from_scale(DVec3::new(1.0, 1.0, 1.01));
    pose.0[3] *= glam::DAffine3::from_scale(DVec3::new(1.0, 1.0, -1.0));
    assert_eq!(joints_that_are_not_rigid(&mesh, &pose), 2);
}
