//! Checks that written documents read back as the same documents, apart from positions.

use bindpose_parsers::Span;
use bindpose_parsers::md5::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1.0..1.0,
        -1e4..1e4,
        any::<i32>().prop_map(f64::from),
        // All magnitudes of an f32, in f64 precision.
        (any::<f32>(), 0.9..1.0).prop_map(|(number, factor)| if number.is_finite() {
            f64::from(number) * factor
        } else {
            -0.0
        }),
    ]
}

fn vector<const N: usize>() -> impl Strategy<Value = [f64; N]> {
    proptest::array::uniform(number())
}

fn int(range: std::ops::Range<i64>) -> impl Strategy<Value = Int> {
    range.prop_map(|value| Int { value, span: Span::default() })
}

/// Returns a count that is right or off by one.
fn near(count: usize) -> impl Strategy<Value = Int> {
    let count = count as i64;
    prop_oneof![Just(count), Just((count - 1).max(1)), Just(count + 1)]
        .prop_map(|value| Int { value, span: Span::default() })
}

/// Returns any bytes except those that the format cannot write.
fn text() -> impl Strategy<Value = Text<'static>> {
    vec(any::<u8>().prop_filter("no quote, no line end", |byte| !matches!(byte, b'"' | b'\n')), 0..8)
        .prop_map(|bytes| Text { bytes: bytes.into(), span: Span::default() })
}

fn header() -> impl Strategy<Value = (Option<Int>, Option<Text<'static>>)> {
    (proptest::option::of(int(10..13)), proptest::option::of(text()))
}

fn mesh(joints: usize) -> impl Strategy<Value = Mesh<'static>> {
    (0..4_usize, 1..6_usize).prop_flat_map(move |(verts, weights)| {
        let vert = (any::<i64>(), vector(), 0..weights as u32).prop_flat_map(move |(number, uv, first_weight)| {
            (0..=weights as u32 - first_weight).prop_map(move |weight_count| Vert {
                number,
                uv,
                first_weight,
                weight_count,
                span: Span::default(),
            })
        });
        let corner = 0..(verts as u32).max(1);
        let tri = (any::<i64>(), [corner.clone(), corner.clone(), corner]).prop_map(|(number, corners)| Tri {
            number,
            corners,
            span: Span::default(),
        });
        let weight = (any::<i64>(), 0..joints as u32, number(), vector())
            .prop_map(|(number, joint, bias, offset)| Weight { number, joint, bias, offset, span: Span::default() });
        let comment = "[A-Za-z][A-Za-z0-9_. ]{0,6}[a-z]"
            .prop_map(|name| Text { bytes: name.into_bytes().into(), span: Span::default() });
        let names = (proptest::option::of(text()), proptest::option::of(comment), text());
        let tris = if verts > 0 { 0..4 } else { 0..1 };
        (names, vec(vert, verts), vec(tri, tris), vec(weight, weights)).prop_flat_map(
            |((name, comment_name, shader), verts, tris, weights)| {
                (near(verts.len()), near(tris.len()), near(weights.len())).prop_map(
                    move |(num_verts, num_tris, num_weights)| Mesh {
                        name: name.clone(),
                        comment_name: comment_name.clone(),
                        shader: shader.clone(),
                        num_verts,
                        verts: verts.clone(),
                        num_tris,
                        tris: tris.clone(),
                        num_weights,
                        weights: weights.clone(),
                        span: Span::default(),
                    },
                )
            },
        )
    })
}

fn mesh_file() -> impl Strategy<Value = MeshFile<'static>> {
    (1..5_usize).prop_flat_map(|joints| {
        let joint =
            (text(), int(-2..joints as i64), vector(), vector()).prop_map(|(name, parent, position, rotation)| Joint {
                name,
                parent,
                position,
                rotation,
                span: Span::default(),
            });
        (header(), near(joints), vec(joint, joints), vec(mesh(joints), 1..3)).prop_flat_map(
            |(header, num_joints, joints, meshes)| {
                near(meshes.len()).prop_map(move |num_meshes| MeshFile {
                    version: header.0,
                    command_line: header.1.clone(),
                    num_joints,
                    num_meshes,
                    joints: joints.clone(),
                    meshes: meshes.clone(),
                })
            },
        )
    })
}

fn anim_file() -> impl Strategy<Value = AnimFile<'static>> {
    (1..4_usize, 1..4_usize, 0..8_usize).prop_flat_map(|(joints, frames, width)| {
        let any_int = || int(i64::from(i32::MIN)..i64::from(i32::MAX) + 1);
        let channel = (text(), int(-2..joints as i64), any_int(), any_int()).prop_map(
            |(name, parent, flags, first_component)| Channel {
                name,
                parent,
                flags,
                first_component,
                span: Span::default(),
            },
        );
        let bounds = (vector(), vector()).prop_map(|(min, max)| Bounds { min, max, span: Span::default() });
        let pose = (vector(), vector()).prop_map(|(position, rotation)| JointPose {
            position,
            rotation,
            span: Span::default(),
        });
        let heads: Vec<Frame> = (0..frames)
            .map(|number| Frame { number: Int { value: number as i64, span: Span::default() }, span: Span::default() })
            .collect();
        let lists = (vec(channel, joints), vec(bounds, 0..4), vec(pose, joints), vec(number(), frames * width));
        (header(), near(frames), near(joints), number(), lists).prop_map(
            move |(
                (version, command_line),
                num_frames,
                num_joints,
                frame_rate,
                (hierarchy, bounds, baseframe, components),
            )| AnimFile {
                version,
                command_line,
                num_frames,
                num_joints,
                frame_rate,
                frame_rate_span: Span::default(),
                num_animated_components: Int { value: width as i64, span: Span::default() },
                hierarchy,
                bounds,
                baseframe,
                frames: heads.clone(),
                components,
            },
        )
    })
}

fn camera_file() -> impl Strategy<Value = CameraFile<'static>> {
    let frame = (vector(), vector(), number()).prop_map(|(position, rotation, fov)| CameraFrame {
        position,
        rotation,
        fov,
        span: Span::default(),
    });
    (header(), number(), vec(int(-3..9), 0..4), vec(frame, 1..4)).prop_flat_map(
        |((version, command_line), frame_rate, cuts, frames)| {
            (near(cuts.len()), near(frames.len())).prop_map(move |(num_cuts, num_frames)| CameraFile {
                version,
                command_line: command_line.clone(),
                num_frames,
                frame_rate,
                frame_rate_span: Span::default(),
                num_cuts,
                cuts: cuts.clone(),
                frames: frames.clone(),
            })
        },
    )
}

fn no_places_in_header(version: &mut Option<Int>, command_line: &mut Option<Text<'_>>) {
    version.iter_mut().for_each(|version| version.span = Span::default());
    command_line.iter_mut().for_each(|text| text.span = Span::default());
}

fn no_places_in_mesh(file: &mut MeshFile<'_>) {
    no_places_in_header(&mut file.version, &mut file.command_line);
    (file.num_joints.span, file.num_meshes.span) = Default::default();
    for joint in &mut file.joints {
        (joint.name.span, joint.parent.span, joint.span) = Default::default();
    }
    for mesh in &mut file.meshes {
        (mesh.shader.span, mesh.span) = Default::default();
        (mesh.num_verts.span, mesh.num_tris.span, mesh.num_weights.span) = Default::default();
        mesh.name.iter_mut().chain(&mut mesh.comment_name).for_each(|name| name.span = Span::default());
        mesh.verts.iter_mut().for_each(|vert| vert.span = Span::default());
        mesh.tris.iter_mut().for_each(|tri| tri.span = Span::default());
        mesh.weights.iter_mut().for_each(|weight| weight.span = Span::default());
    }
}

fn no_places_in_anim(file: &mut AnimFile<'_>) {
    no_places_in_header(&mut file.version, &mut file.command_line);
    (file.num_frames.span, file.num_joints.span, file.frame_rate_span) = Default::default();
    file.num_animated_components.span = Span::default();
    for channel in &mut file.hierarchy {
        (channel.name.span, channel.parent.span, channel.flags.span) = Default::default();
        (channel.first_component.span, channel.span) = Default::default();
    }
    file.bounds.iter_mut().for_each(|bounds| bounds.span = Span::default());
    file.baseframe.iter_mut().for_each(|pose| pose.span = Span::default());
    file.frames.iter_mut().for_each(|frame| (frame.number.span, frame.span) = Default::default());
}

fn no_places_in_camera(file: &mut CameraFile<'_>) {
    no_places_in_header(&mut file.version, &mut file.command_line);
    (file.num_frames.span, file.num_cuts.span, file.frame_rate_span) = Default::default();
    file.cuts.iter_mut().for_each(|cut| cut.span = Span::default());
    file.frames.iter_mut().for_each(|frame| frame.span = Span::default());
}

proptest! {
    #[test]
    fn a_mesh_reads_back(file in mesh_file()) {
        let mut text = Vec::new();
        write_mesh(&file, &mut text).unwrap();
        let mut back = parse_mesh(&text).unwrap().document;
        no_places_in_mesh(&mut back);
        prop_assert_eq!(back, file, "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn an_anim_reads_back(file in anim_file()) {
        let mut text = Vec::new();
        write_anim(&file, &mut text).unwrap();
        let mut back = parse_anim(&text).unwrap().document;
        no_places_in_anim(&mut back);
        prop_assert_eq!(back, file, "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn a_camera_reads_back(file in camera_file()) {
        let mut text = Vec::new();
        write_camera(&file, &mut text).unwrap();
        let mut back = parse_camera(&text).unwrap().document;
        no_places_in_camera(&mut back);
        prop_assert_eq!(back, file, "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn texts_that_the_format_cannot_say_are_refused() {
    let file = parse_mesh(super::cases::MESH.as_bytes()).unwrap().document;
    for name in [b"a\"b".as_slice(), b"a\nb"] {
        let mut file = file.clone();
        file.joints[0].name.bytes = name.into();
        let error = write_mesh(&file, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
}
