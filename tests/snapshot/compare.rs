//! Every kind of difference is found, named, and assigned to the stage where it began.

use super::figure::{figure, skeleton, turn};
use bindpose::model::{JointTracks, Model, Skeleton, Timeline, Transform};
use bindpose::snapshot::{
    Affected, Check, ComparedStage, Comparison, Exact, FrameRef, Input, Pattern, RecordedClip, RecordedFrames,
    RecordedJoint, RecordedMaterial, Sample, Snapshot, Tolerance, ToleranceRule,
};
use glam::{DQuat, DVec3, Vec3};

fn take(model: &Model) -> Snapshot {
    Snapshot::take(model, Vec::new())
}

/// Compares the recorded model, read back from a file, with a changed one.
fn compare_with(check: &Check, edit: impl FnOnce(&mut Model)) -> Comparison {
    let recorded = Snapshot::from_bytes(&take(&figure()).to_bytes()).unwrap();
    let mut model = figure();
    edit(&mut model);
    recorded.compare(&take(&model), check)
}

fn compare(edit: impl FnOnce(&mut Model)) -> Comparison {
    compare_with(&Check::default(), edit)
}

fn rotation(model: &mut Model, joint: usize, frame: usize) -> &mut DQuat {
    match &mut model.clips[0].joints[joint] {
        JointTracks::Parts { rotation: Some(track), .. } => &mut track.values[frame],
        _ => panic!("joint {joint} does not turn"),
    }
}

fn translation(model: &mut Model, joint: usize, frame: usize) -> &mut DVec3 {
    match &mut model.clips[0].joints[joint] {
        JointTracks::Parts { translation: Some(track), .. } => &mut track.values[frame],
        _ => panic!("joint {joint} does not move"),
    }
}

/// Creates a skeleton with a joint left out or changed.
fn rebuilt(change: impl Fn(usize, &str) -> Option<(String, Option<usize>)>) -> Skeleton {
    let original = skeleton();
    let mut changed = Skeleton::new();
    for (index, joint) in original.joints().iter().enumerate() {
        if let Some((name, parent)) = change(index, &joint.name) {
            let parent = parent.and_then(|parent| changed.id(parent));
            changed.push(name, parent, joint.rest_local);
        }
    }
    changed
}

#[test]
fn nothing_differs_from_itself() {
    let comparison = compare(|_| {});
    assert_eq!(comparison, Comparison::default());
    assert_eq!(comparison.to_string(), "");
}

/// Structure: stage and message.
#[test]
fn structure_is_compared_exactly() {
    type Case = (fn(&mut Model), ComparedStage, &'static str);
    let cases: [Case; 16] = [
        (|model| model.clips[0].name = "wink".into(), ComparedStage::Document, "clip 'wink' was 'wave'"),
        (|model| model.clips.truncate(1), ComparedStage::Document, "missing: clip 'stretch'"),
        (|model| model.clips[0].frame_rate = Some(25.0), ComparedStage::Document, "frame rate is 25, was 24"),
        (|model| model.clips[1].duration = 2.5, ComparedStage::Document, "duration in seconds is 2.5, was 2"),
        (|model| model.clips[1].looping = true, ComparedStage::Document, "looping is true, was false"),
        (
            |model| {
                let times = model.clips[0].timelines[0].times()[..11].to_vec();
                model.clips[0].timelines[0] = Timeline::new(times).unwrap();
            },
            ComparedStage::Document,
            "number of frames is 11, was 12: frame 11 is missing",
        ),
        (|model| model.materials[0].name = "silk".into(), ComparedStage::Document, "material 'silk' was 'cloth'"),
        (
            |model| model.materials[0].texture = Some("silk.tga".into()),
            ComparedStage::Document,
            "texture of material 'cloth' is 'silk.tga', was none",
        ),
        (|model| model.materials[0].diffuse.x = 0.5, ComparedStage::Document, "material 'cloth' has other colours"),
        (
            |model| model.meshes.swap(0, 1),
            ComparedStage::Document,
            "meshes are in another order: 0 is 'flag', was 'body'",
        ),
        (
            |model| model.skeleton = rebuilt(|index, name| Some((format!("{name}1"), index.checked_sub(1)))),
            ComparedStage::Skeleton,
            "joints are renamed: 'root1' was 'root', 'spine1' was 'spine', 'arm1' was 'arm', 'hand1' was 'hand', 'tail1' was \
             'tail'",
        ),
        (
            |model| {
                let parents = [None, Some(0), Some(1), Some(1), Some(0)];
                model.skeleton = rebuilt(|index, name| Some((name.to_owned(), parents[index])));
            },
            ComparedStage::Skeleton,
            "parent of joint 'hand' is 'spine', was 'arm'",
        ),
        (|model| model.meshes[1].triangles.truncate(1), ComparedStage::Mesh, "mesh 'flag' has 1 triangles, had 2"),
        (
            |model| model.meshes[0].triangles[3] = [4, 3, 5],
            ComparedStage::Mesh,
            "corners of triangle 3 of mesh 'body' differ",
        ),
        (
            |model| model.meshes[0].uvs[4].x += 1.0,
            ComparedStage::Mesh,
            "texture coordinates or colours of vertex 4 of mesh 'body' differ",
        ),
        (
            |model| model.meshes[0].uvs.iter_mut().for_each(|uv| uv.x += 1.0),
            ComparedStage::Mesh,
            "texture coordinates or colours of several vertices of mesh 'body' differ",
        ),
    ];
    for (edit, stage, message) in cases {
        let comparison = compare(edit);
        assert_eq!(comparison.first_bad_stage(), Some(stage), "{message}: {comparison}");
        assert_eq!(comparison.differences[0].message, message);
    }
}

#[test]
fn a_removed_joint_is_reported_once() {
    let comparison = compare(|model| {
        model.meshes.clear();
        model.skeleton = rebuilt(|index, name| (name != "tail").then(|| (name.to_owned(), index.checked_sub(1))));
        model.clips.iter_mut().for_each(|clip| clip.joints.truncate(4));
    });
    let messages: Vec<_> = comparison.differences.iter().map(|difference| difference.message.as_str()).collect();
    assert_eq!(messages, ["missing: meshes 'body', 'flag'", "missing: joint 'tail'"]);
}

/// One joint of one frame, or one vertex, changed a little: stage, clip, frame, and part.
#[test]
fn small_changes_are_found_and_named() {
    type Case = (fn(&mut Model), ComparedStage, Option<&'static str>, FrameRef, Affected);
    let joint = |name: &str| Affected::Joint(name.to_owned());
    let mesh = |name: &str| Affected::Mesh(name.to_owned());
    let cases: [Case; 8] = [
        (
            |model| *rotation(model, 2, 7) = turn(DVec3::Z, 0.05 * 28.0 * 1.0001),
            ComparedStage::Local,
            Some("wave"),
            FrameRef::at(7),
            joint("arm"),
        ),
        (
            |model| rotation(model, 1, 11).x *= 1.0001,
            ComparedStage::Local,
            Some("wave"),
            FrameRef::at(11),
            joint("spine"),
        ),
        (
            |model| translation(model, 0, 1).x *= 1.0001,
            ComparedStage::Local,
            Some("wave"),
            FrameRef::at(1),
            joint("root"),
        ),
        (
            |model| {
                *rotation(model, 4, 9) = turn(DVec3::Y, -0.1500001);
                translation(model, 0, 4).z = 1.00001;
            },
            ComparedStage::Local,
            Some("wave"),
            FrameRef::at(4),
            joint("root"),
        ),
        (
            |model| {
                let hand = model.skeleton.find("hand").unwrap();
                let moved =
                    Transform { translation: DVec3::new(0.7500001, 0.0, 0.0), ..model.skeleton[hand].rest_local };
                model.skeleton.set_rest_local(hand, moved);
            },
            ComparedStage::Skeleton,
            None,
            FrameRef::at(0),
            joint("hand"),
        ),
        (
            |model| model.meshes[1].influences[0].weight = 0.7501,
            ComparedStage::Mesh,
            None,
            FrameRef::at(0),
            mesh("flag"),
        ),
        (
            |model| model.meshes[0].influences[3].offset.y += 1e-4,
            ComparedStage::Mesh,
            None,
            FrameRef::at(0),
            mesh("body"),
        ),
        (|model| model.meshes[0].normals[5] = Vec3::NEG_Z, ComparedStage::Mesh, None, FrameRef::at(0), mesh("body")),
    ];
    for (edit, stage, clip, frame, part) in cases {
        let comparison = compare(edit);
        let found = comparison.differences.first().unwrap_or_else(|| panic!("{part:?} at {frame} was not found"));
        let first = found.first.as_ref().unwrap();
        assert_eq!((found.stage, found.clip.as_deref()), (stage, clip), "{comparison}");
        assert_eq!((first.frame, &first.part), (frame, &part), "{comparison}");
    }
}

/// Stages that a changed model cannot cause: the pipeline itself is wrong.
#[test]
fn an_error_of_our_own_is_assigned_to_its_stage() {
    type Fault = fn(&mut Sample);
    let cases: [(&str, Fault, usize, ComparedStage, Affected); 4] = [
        (
            "the product down the parents",
            |sample| {
                sample.joint_sums[0].x += 1e-4;
                sample.digests.model ^= 1;
            },
            4,
            ComparedStage::ModelPose,
            Affected::Joint("hand".to_owned()),
        ),
        (
            "the sum over the weights",
            |sample| {
                sample.position_sums[0].y += 1e-4;
                sample.digests.positions ^= 1;
            },
            4,
            ComparedStage::Vertices,
            Affected::Mesh("body".to_owned()),
        ),
        (
            "normals",
            |sample| {
                sample.shading_sum.y += 1e-4;
                sample.digests.shading ^= 1;
            },
            4,
            ComparedStage::Vertices,
            Affected::Mesh("body".to_owned()),
        ),
        (
            "interpolation",
            |sample| {
                sample.joints[3].translation.x += 1e-4;
                sample.digests.local ^= 1;
                sample.digests.model ^= 1;
            },
            2,
            ComparedStage::Local,
            Affected::Joint("hand".to_owned()),
        ),
    ];
    for (name, fault, index, stage, part) in cases {
        let recorded = take(&figure());
        let mut now = recorded.clone();
        let sample = &mut now.clips[0].frames.samples[index];
        assert_eq!(sample.frame.is_between, name == "interpolation");
        fault(sample);
        let frame = sample.frame;
        match stage {
            ComparedStage::Local => now.clips[0].frames.local[3] ^= 1,
            ComparedStage::ModelPose => now.clips[0].frames.model[3] ^= 1,
            _ => {}
        }
        let comparison = recorded.compare(&now, &Check::default());
        let found = &comparison.differences[0];
        let first = found.first.as_ref().unwrap();
        assert_eq!((found.stage, first.frame, &first.part), (stage, frame, &part), "{name}: {comparison}");
    }
}

/// The measured deviation is the one that was added.
#[test]
fn differences_are_measured() {
    let comparison = compare(|model| translation(model, 0, 5).y += 0.002);
    let first = comparison.differences[0].first.clone().unwrap();
    let size = take(&figure()).size;
    assert!((first.deviation.position - 0.002).abs() < 2e-9 * size);
    assert!((first.deviation.share - 0.002 / size).abs() < 4e-9);
    assert!(first.deviation.angle < 1e-6);

    // The spine turns by 0.2 degrees, and arm and hand turn with it.
    let half = 0.1_f64.to_radians();
    let comparison = compare(|model| *rotation(model, 1, 5) *= DQuat::from_xyzw(half.sin(), 0.0, 0.0, half.cos()));
    let first = comparison.differences[0].first.clone().unwrap();
    assert_eq!(first.part, Affected::Joint("spine".to_owned()));
    assert!((first.deviation.angle - 0.2).abs() < 1e-6, "{comparison}");
    let difference = &comparison.differences[0];
    assert_eq!((&difference.worst.as_ref().unwrap().part, difference.ranges[0].followers), (&first.part, 2));
}

/// Just within and just beyond the tolerance, each quantity by itself.
#[test]
fn the_tolerance_has_the_documented_limits() {
    let size = take(&figure()).size;
    let wide = Tolerance { position: 0.1, angle: 10.0, stretch: 0.1 };
    for factor in [0.99, 1.01] {
        let same = factor < 1.0;
        let check = Check { tolerance: Tolerance { position: 1e-3, ..wide }, exact: Exact::Never, ..Check::default() };
        let comparison = compare_with(&check, |model| translation(model, 0, 5).x += 1e-3 * size * factor);
        assert_eq!(comparison.is_same(), same, "position × {factor}: {comparison}");

        let check = Check { tolerance: Tolerance { angle: 0.5, ..wide }, exact: Exact::Never, ..Check::default() };
        let half = (0.25 * factor).to_radians();
        let extra = DQuat::from_xyzw(0.0, half.sin(), 0.0, half.cos());
        let comparison = compare_with(&check, |model| *rotation(model, 4, 5) *= extra);
        assert_eq!(comparison.is_same(), same, "angle × {factor}: {comparison}");

        let check = Check { tolerance: Tolerance { stretch: 1e-3, ..wide }, exact: Exact::Never, ..Check::default() };
        let comparison = compare_with(&check, |model| match &mut model.clips[1].joints[4] {
            JointTracks::Parts { scale: Some(track), .. } => {
                track.values[0] = DVec3::new(1.0 + 1e-3 * factor, 1.0, 1.0)
            }
            _ => unreachable!(),
        });
        assert_eq!(comparison.is_same(), same, "stretch × {factor}: {comparison}");
    }
}

/// The last bit of one number: no difference if only our arithmetic can be the reason, but one if a file changed.
#[test]
fn edits_have_no_rounding_tolerance() {
    let with_input = |model: &Model, bytes: &[u8]| Snapshot::take(model, vec![Input::new("figure.md5anim", bytes)]);
    let mut edited = figure();
    let part = &mut rotation(&mut edited, 2, 7).z;
    *part = f64::from_bits(part.to_bits() + 1);
    let recorded = Snapshot::from_bytes(&with_input(&figure(), b"1").to_bytes()).unwrap();
    let check = |exact| Check { exact, ..Check::default() };
    let named = |differences: &[bindpose::snapshot::Difference]| {
        let first = differences[0].first.clone().unwrap();
        assert_eq!((first.frame, first.part), (FrameRef::at(7), Affected::Joint("arm".to_owned())));
    };

    let same_file = recorded.compare(&with_input(&edited, b"1"), &check(Exact::Edits));
    assert!(same_file.is_same() && same_file.inputs.is_empty());
    named(&same_file.within_tolerance);
    assert!(recorded.compare(&with_input(&edited, b"2"), &check(Exact::Never)).is_same());

    let other_file = recorded.compare(&with_input(&edited, b"2"), &check(Exact::Edits));
    assert_eq!(other_file.inputs.changed, ["figure.md5anim"]);
    named(&other_file.differences);
    named(&recorded.compare(&with_input(&edited, b"1"), &check(Exact::Always)).differences);

    let only_comments = recorded.compare(&with_input(&figure(), b"2"), &check(Exact::Edits));
    assert!(only_comments.is_same());
    assert_eq!(only_comments.to_string(), "the file changed (other bytes: figure.md5anim): every frame is the same\n");
}

#[test]
fn not_a_number_equals_itself_and_nothing_else() {
    let broken = |model: &mut Model| translation(model, 0, 3).x = f64::NAN;
    let mut model = figure();
    broken(&mut model);
    let recorded = Snapshot::from_bytes(&take(&model).to_bytes()).unwrap();
    assert!(recorded.compare(&take(&model), &Check::default()).is_same());
    let comparison = compare(broken);
    let first = comparison.differences[0].first.clone().unwrap();
    assert_eq!((first.frame, first.part), (FrameRef::at(3), Affected::Joint("root".to_owned())));
    assert_eq!(first.deviation.position, f64::INFINITY);
}

/// 50,000 joints in one chain, clips and materials, in another order or moved. Comparing each with each would take a
/// hundred times as long as all of this.
#[test]
fn many_names_and_long_chains_are_compared_in_linear_time() {
    const COUNT: usize = 50_000;
    let name = |index: usize| format!("name {index}");
    let empty = take(&Model::default());
    let recorded = Snapshot {
        joints: (0..COUNT)
            .map(|joint| RecordedJoint { name: name(joint), parent: joint.checked_sub(1).map(|parent| parent as u32) })
            .collect(),
        materials: (0..COUNT)
            .map(|material| RecordedMaterial { name: name(material), texture: None, colors: 0 })
            .collect(),
        clips: (0..COUNT)
            .map(|clip| RecordedClip {
                name: name(clip),
                frame_rate: None,
                duration: 0.0,
                looping: false,
                flags: Vec::new(),
                cuts: Vec::new(),
                frames: RecordedFrames::default(),
            })
            .collect(),
        ..empty.clone()
    };
    let mut other = recorded.clone();
    other.materials.reverse();
    other.clips.reverse();
    other.joints.iter_mut().for_each(|joint| joint.name.push('x'));
    let messages: Vec<_> =
        recorded.compare(&other, &Check::default()).differences.into_iter().map(|found| found.message).collect();
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert!(messages[0].starts_with("materials are in another order: 0 is 'name 49999'"), "{messages:?}");
    assert!(messages[2].starts_with("missing: joints 'name 0', "), "{messages:?}");

    // The last joint of the chain is off, and no track causes it: every path to the root is checked.
    let mut posed = recorded;
    posed.rest.samples[0].joints = vec![Transform::IDENTITY; COUNT];
    posed.rest.local = vec![1; COUNT];
    posed.rest.model = vec![1; COUNT];
    let mut moved = posed.clone();
    moved.rest.samples[0].joint_sums[0].x += 1.0;
    moved.rest.samples[0].digests.model ^= 1;
    moved.rest.model = vec![2; COUNT];
    let comparison = posed.compare(&moved, &Check::default());
    let first = comparison.differences[0].first.clone().unwrap();
    assert_eq!((comparison.first_bad_stage(), first.part), (Some(ComparedStage::ModelPose), Affected::Joint(name(0))));
}

/// Removes one of the twelve frames of the first clip.
fn cut(model: &mut Model, frame: usize) {
    let times = (0..11).map(|frame| f64::from(frame) / 24.0).collect();
    model.clips[0].timelines[0] = Timeline::new(times).unwrap();
    model.clips[0].duration = 10.0 / 24.0;
    for tracks in &mut model.clips[0].joints {
        let JointTracks::Parts { translation: Some(moved), rotation: Some(turned), .. } = tracks else { panic!() };
        (moved.values.len() > 1).then(|| moved.values.remove(frame));
        (turned.values.len() > 1).then(|| turned.values.remove(frame));
    }
}

/// The third of the arm's twelve frames is removed, or one is inserted before it. All others are equal.
#[test]
fn a_missing_and_a_new_frame_are_named() {
    let comparison = compare(|model| cut(model, 3));
    let messages: Vec<_> = comparison.differences.iter().map(|found| found.message.as_str()).collect();
    let expected = "number of frames is 11, was 12: frame 3 is missing; later frames moved up";
    assert_eq!(messages[0], expected);
    assert_eq!(messages.len(), 1, "{messages:?}");
    let mut shorter = figure();
    cut(&mut shorter, 3);
    let comparison = take(&shorter).compare(&take(&figure()), &Check::default());
    let expected = "number of frames is 12, was 11: frame 3 is new; later frames moved down";
    assert_eq!(comparison.differences[0].message, expected);
    // Another edit is reported at the frame's present number.
    let comparison = compare(|model| {
        cut(model, 3);
        translation(model, 0, 7).x += 1.0;
    });
    let messages: Vec<_> = comparison.differences.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages[0], "number of frames is 11, was 12: frame 3 is missing; later frames moved up");
    assert_eq!((messages.len(), comparison.differences[1].frames[0].frame), (2, FrameRef::at(7)), "{messages:?}");
}

/// Every frame is a little off, as after a lossy export.
#[test]
fn a_missing_frame_among_inexact_ones_is_named() {
    let message = |noise: f64, gone: usize| {
        let found = compare(|model| {
            cut(model, gone);
            for frame in 0..11 {
                translation(model, 0, frame).x += noise * f64::from(1 + (frame * 7 % 5) as u32);
            }
        });
        found.differences[0].message.clone()
    };
    let found = |gone| format!("number of frames is 11, was 12: frame {gone} is missing; later frames moved up");
    for gone in [1, 3, 9] {
        assert_eq!(message(1e-4, gone), found(gone));
    }
    // The root is far off in every frame, and the others show it.
    assert_eq!(message(100.0, 3), found(3));
}

/// Frames are removed in several places. Only the root moves.
#[test]
fn several_missing_frames_are_named() {
    let clip = |frames: &[u32]| {
        let mut snapshot = take(&figure());
        let samples = &mut snapshot.clips[0].frames.samples;
        let sample = samples[0].clone();
        *samples = frames
            .iter()
            .zip(0..)
            .map(|(_, number)| Sample { frame: FrameRef::at(number), ..sample.clone() })
            .collect();
        for (sample, &place) in samples.iter_mut().zip(frames) {
            sample.digests.local = place;
            sample.joints[0].translation.x = f64::from(place);
        }
        snapshot
    };
    let all: Vec<u32> = (100..130).collect();
    let without =
        |gone: &[u32]| -> Vec<u32> { all.iter().copied().filter(|frame| !gone.contains(&(frame - 100))).collect() };
    let half: Vec<u32> = (0..30).step_by(2).collect();
    for (now, text) in [
        (without(&[3, 8]), "28, was 30: frames 3 and 8 are missing; later frames moved up"),
        (without(&[3, 4, 5, 9]), "26, was 30: frames 3 to 5 and 9 are missing; later frames moved up"),
        (without(&[28, 29]), "28, was 30: frames 28 to 29 are missing"),
        (without(&half), "15, was 30: frames 0, 2, 4, 6, 8 and 10 more are missing; later frames moved up"),
        // None of the others is the same.
        ((0..20).collect(), "20, was 30"),
    ] {
        let comparison = clip(&all).compare(&clip(&now), &Check::default());
        assert_eq!(comparison.differences[0].message, format!("number of frames is {text}"));
    }
}

/// The arm is written before the body.
#[test]
fn a_different_order_of_meshes_is_the_same_shape() {
    let reorder = |model: &mut Model| {
        let names: Vec<String> = model.meshes.iter().map(|mesh| mesh.name.clone()).collect();
        model.meshes.reverse();
        // As in MD5, where meshes have numbers for names.
        model.meshes.iter_mut().zip(names).for_each(|(mesh, name)| mesh.name = name);
    };
    let comparison = compare(reorder);
    assert!(comparison.is_same(), "{comparison}");
    assert_eq!(comparison.notes, ["meshes are in another order; their shapes are the same"]);
    assert!(!compare_with(&Check { exact: Exact::Always, ..Check::default() }, reorder).is_same());
}

/// Vertices in reverse order, and triangles that begin with another corner: the shape is the same.
#[test]
fn a_different_order_of_vertices_is_the_same_shape() {
    let reverse = |model: &mut Model| {
        let mesh = &mut model.meshes[0];
        let count = mesh.positions.len() as u32;
        let original = mesh.clone();
        (mesh.influences, mesh.influence_starts) = (Vec::new(), vec![0]);
        for vertex in (0..count as usize).rev() {
            mesh.influences.extend(original.influences_of(vertex));
            mesh.influence_starts.push(mesh.influences.len() as u32);
        }
        mesh.positions.reverse();
        mesh.normals.reverse();
        mesh.tangents.reverse();
        mesh.uvs.reverse();
        mesh.triangles.iter_mut().for_each(|[a, b, c]| (*a, *b, *c) = (count - 1 - *b, count - 1 - *c, count - 1 - *a));
    };
    let comparison = compare(reverse);
    assert!(comparison.is_same(), "{comparison}");
    let note = "mesh 'body' has its vertices or triangles in another order; its shape is the same";
    assert_eq!((comparison.notes.as_slice(), comparison.to_string().trim_end()), (&[note.to_owned()][..], note));
    let exact = Check { exact: Exact::Always, ..Check::default() };
    assert_eq!(compare_with(&exact, reverse).differences[0].message, note);
    // An edit is named besides the order.
    let comparison = compare(|model| {
        reverse(model);
        model.meshes[0].uvs[0].x += 0.5;
    });
    let expected = "mesh 'body' has its vertices in another order and other texture coordinates or colours";
    assert_eq!(comparison.differences[0].message, expected);
    assert_eq!(comparison.differences.len(), 1, "{comparison}");
    // With reversed winding, it is another triangle.
    let comparison = compare(|model| {
        reverse(model);
        model.meshes[0].triangles[0].swap(0, 1);
    });
    assert_eq!(comparison.first_bad_stage(), Some(ComparedStage::Mesh), "{comparison}");
}

/// Joints within the tolerance move their vertices and the joints below them.
#[test]
fn the_tolerance_applies_to_descendants_and_vertices() {
    let size = take(&figure()).size;
    let check = |position, angle| {
        let tolerance = Tolerance { position, angle, ..Tolerance::default() };
        Check { tolerance, exact: Exact::Never, ..Check::default() }
    };
    let comparison = compare_with(&check(1e-5, 1e-6), |model| translation(model, 0, 5).x += 0.9e-5 * size);
    assert!(comparison.is_same() && !comparison.within_tolerance.is_empty(), "{comparison}");
    // The spine turns by a tenth of a degree. Arm and hand move far beyond a millionth of the size.
    let half = 0.05_f64.to_radians();
    let turned = |model: &mut Model| *rotation(model, 1, 5) *= DQuat::from_xyzw(half.sin(), 0.0, 0.0, half.cos());
    assert!(compare_with(&check(1e-6, 0.11), turned).is_same());
    let comparison = compare_with(&check(1e-6, 0.09), turned);
    assert_eq!(comparison.differences[0].first.as_ref().unwrap().part, Affected::Joint("spine".to_owned()));
    // A vertex that moves by itself is not explained by the joint.
    let comparison = compare_with(&check(1e-6, 0.11), |model| {
        turned(model);
        model.meshes[1].influences[0].weight = 0.7;
    });
    assert!(!comparison.is_same());
}

/// A vertex within the tolerance of positions may turn its normal by any angle, as in MD5, where the largest triangle
/// gives the normal. A tolerance for angles still applies.
#[test]
fn normals_follow_vertices_within_the_tolerance() {
    let edit = |model: &mut Model| {
        model.meshes[0].influences[0].offset.x += 1e-6;
        model.meshes[0].normals[0] = Vec3::X;
    };
    let check = |position, angle| {
        let tolerance = Tolerance { position, angle, ..Tolerance::default() };
        Check { tolerance, exact: Exact::Never, ..Check::default() }
    };
    let default = Tolerance::default();
    assert!(compare_with(&check(1e-3, default.angle), edit).is_same());
    assert!(!compare_with(&check(1e-3, 1.0), edit).is_same());
    assert!(!compare_with(&check(default.position, default.angle), edit).is_same());
    // A normal alone does not follow from anything.
    assert!(!compare_with(&check(1e-3, default.angle), |model| model.meshes[0].normals[0] = Vec3::X).is_same());
}

/// A weight moves a vertex in every clip.
#[test]
fn a_changed_mesh_is_described_once() {
    let comparison = compare(|model| model.meshes[0].influences[0].offset.x += 0.5);
    let clips = comparison.differences.iter().filter(|found| found.clip.is_some()).count();
    let text = comparison.to_string();
    assert!(clips > 1 && text.matches("weights or offsets of vertex 0 of mesh 'body'").count() == 1, "{text}");
    assert!(text.contains(&format!("\n  also in {clips} clips; worst in '")), "{text}");
}

/// A rule applies to its pattern of clips and joints, also if files changed.
#[test]
fn a_rule_applies_to_its_clips_and_joints() {
    let rule = |clip: &str, joint: &str| ToleranceRule {
        clip: Some(Pattern::new(clip).unwrap()),
        joint: Some(Pattern::new(joint).unwrap()),
        position: Some(0.1),
        angle: Some(1.0),
        ..ToleranceRule::default()
    };
    let with_input = |model: &Model, bytes: &[u8]| Snapshot::take(model, vec![Input::new("figure.md5anim", bytes)]);
    let mut edited = figure();
    translation(&mut edited, 0, 5).y += 0.001;
    let recorded = with_input(&figure(), b"1");
    for (clip, joint, same) in
        [("wave", "root", true), ("w*", "*", true), ("wave", "tail", false), ("stretch", "*", false)]
    {
        let check = Check { rules: vec![rule(clip, joint)], ..Check::default() };
        let comparison = recorded.compare(&with_input(&edited, b"2"), &check);
        assert_eq!(comparison.is_same(), same, "{clip} {joint}: {comparison}");
    }
}

/// A triangle with a ten thousandth of the model's size: its normal reverses when a corner moves by as little.
#[test]
fn the_normal_of_a_sliver_hardly_counts() {
    let recorded = compare(|model| model.meshes[0].normals[0] = Vec3::NEG_Z);
    let full = recorded.differences[0].worst.as_ref().unwrap().deviation.angle;
    let sliver = |normal: Vec3| {
        let mut model = figure();
        let mesh = &mut model.meshes[0];
        // Vertex 0 only belongs to triangle 0.
        let [a, b, _] = mesh.triangles[0].map(|corner| mesh.positions[corner as usize]);
        let third = mesh.triangles[0][2] as usize;
        mesh.positions[mesh.triangles[0][0] as usize] = b + (a - b) * 1e-5;
        assert_ne!(third, 0);
        mesh.normals[0] = normal;
        take(&model)
    };
    let comparison = sliver(Vec3::Z).compare(&sliver(Vec3::NEG_Z), &Check::default());
    let angle = comparison.differences[0].worst.as_ref().unwrap().deviation.angle;
    assert!(full > 45.0 && angle < full / 1000.0 && angle > 0.0, "{full} {angle}");
}

/// Files that were not recorded are not mentioned.
#[test]
fn our_reading_is_only_blamed_if_the_files_are_known() {
    let with_input = |model: &Model| Snapshot::take(model, vec![Input::new("figure.md5anim", b"1")]);
    let mut edited = figure();
    translation(&mut edited, 0, 5).y += 0.001;
    let known = with_input(&figure()).compare(&with_input(&edited), &Check::default()).to_string();
    assert!(known.starts_with("the files are the same: our reading changed\n"), "{known}");
    for comparison in [
        take(&figure()).compare(&take(&edited), &Check::default()),
        take(&figure()).compare(&with_input(&edited), &Check::default()),
    ] {
        let text = comparison.to_string();
        assert!(text.starts_with("no input files are recorded: either a file or our reading changed\n"), "{text}");
    }
}
