//! Written glTF, case by case.

use super::reader::File;
use crate::support;
use bindpose::export::gltf::{Container, ImageFile, ImagePlacement, MaterialImages, Options, write};
use bindpose::export::{Front, Loss, Output};
use bindpose::game::material::surface;
use bindpose::load::{LoadOptions, load, load_bytes};
use bindpose::model::{
    BindJoint, Clip, Influence, Interpolation, JointTracks, Material, MaterialId, Mesh, Model, NamedImage, Skeleton,
    Timeline, TimelineId, Track, Transform,
};
use bindpose_parsers::Span;
use bindpose_parsers::decl::parse_material;
use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use std::sync::Arc;

fn written(model: &Model, options: &Options) -> Output {
    write(model, options).unwrap()
}

/// Returns the JSON of a `.glb`, by the lengths that its specification defines.
fn json_of(output: &Output) -> Value {
    let length = u32::from_le_bytes(output.bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&output.bytes[20..20 + length]).unwrap()
}

/// Creates a triangle bound to joint 0 of a skeleton with these names and parents. Joints are one unit above each
/// other.
fn triangle(joints: &[(&str, Option<usize>)]) -> Model {
    let mut skeleton = Skeleton::new();
    for (name, parent) in joints {
        let parent = parent.and_then(|parent| skeleton.id(parent));
        let above = if parent.is_some() { DVec3::Z } else { DVec3::ZERO };
        skeleton.push(*name, parent, Transform::from_rotation_translation(DQuat::IDENTITY, above));
    }
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let mesh = Mesh {
        name: "triangle".into(),
        positions: corners.to_vec(),
        normals: vec![Vec3::Z; 3],
        tangents: vec![Vec4::X; 3],
        uvs: vec![Vec2::ZERO; 3],
        source_vertices: vec![0, 1, 2],
        triangles: vec![[0, 1, 2]],
        bind: vec![BindJoint { joint: skeleton.id(0).unwrap(), inverse_bind: DAffine3::IDENTITY }],
        influences: corners.map(|offset| Influence { slot: 0, weight: 1.0, offset }).to_vec(),
        influence_starts: vec![0, 1, 2, 3],
        material: MaterialId(0),
        ..Mesh::default()
    };
    let materials = vec![Material::neutral("skin")];
    Model { name: "figure".into(), skeleton, meshes: vec![mesh], materials, ..Model::default() }
}

fn rotations(timeline: u32, values: &[DQuat]) -> Option<Track<DQuat>> {
    Some(Track { timeline: TimelineId(timeline), values: values.to_vec() })
}

fn clip(times: &[&[f64]], joints: Vec<JointTracks>) -> Clip {
    let last = times.iter().flat_map(|times| times.iter()).fold(0.0, |a: f64, &b| a.max(b));
    Clip {
        name: "clip".into(),
        duration: last,
        frame_rate: Some(10.0),
        looping: true,
        timelines: times.iter().map(|times| Timeline::new(times.to_vec()).unwrap()).collect(),
        joints,
    }
}

fn turning(track: Option<Track<DQuat>>) -> JointTracks {
    JointTracks::Parts { translation: None, rotation: track, scale: None }
}

#[test]
fn g01_the_mannequin_has_its_five_clips() {
    let options = LoadOptions::with_clips();
    let model = load(&["data/md5/mannequin_light.md5mesh"], &options).unwrap().model;
    let json = json_of(&written(&model, &Options::default()));
    let mut names: Vec<&str> =
        json["animations"].as_array().unwrap().iter().map(|clip| clip["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["idle", "jump", "run", "walk", "wave"]);
}

#[test]
fn g02_several_roots_are_below_the_armature() {
    let json = json_of(&written(&triangle(&[("a", None), ("b", None), ("c", Some(1))]), &Options::default()));
    assert_eq!(json["nodes"][0]["children"], serde_json::json!([1, 2]));
    assert_eq!(json["nodes"][0]["name"], "figure");
    assert_eq!(json["skins"][0]["skeleton"], 0);
    assert_eq!(json["skins"][0]["joints"], serde_json::json!([1, 2, 3]));
    assert_eq!(json["scenes"][0]["nodes"], serde_json::json!([0, 4]));
    assert_eq!(json["nodes"][4], serde_json::json!({"name": "figure_mesh", "mesh": 0, "skin": 0}));
}

#[test]
fn g03_influences_beyond_four_are_dropped_and_reported_or_get_a_second_set() {
    let model = support::tube(6, 6);
    let four = written(&model, &Options::default());
    let attributes = &json_of(&four)["meshes"][0]["primitives"][0]["attributes"];
    assert!(attributes["JOINTS_0"].is_u64() && attributes["JOINTS_1"].is_null(), "{attributes}");
    let Some(Loss::DroppedWeight { vertices, most, moved, .. }) = four.losses.first() else {
        panic!("{:?}", four.losses)
    };
    // The tube's weights are exp(-1.5 d²) for distances d that are 1 apart. The two farthest joints have less than 3
    // percent at the ends, and more than nothing in the middle.
    assert!(*vertices == model.meshes[0].vertex_count() && (1e-6..0.03).contains(most), "{vertices} {most}");
    assert!(moved.units > 0.0 && moved.of_size < 0.1, "{moved:?}");
    let all = written(&model, &Options { influences: None, ..Options::default() });
    let attributes = &json_of(&all)["meshes"][0]["primitives"][0]["attributes"];
    assert!(attributes["JOINTS_1"].is_u64() && attributes["WEIGHTS_1"].is_u64(), "{attributes}");
    assert!(all.losses.is_empty(), "{:?}", all.losses);
}

#[test]
fn g04_two_weights_on_one_joint_are_one() {
    let mut model = triangle(&[("a", None)]);
    let half = |offset| Influence { slot: 0, weight: 0.5, offset };
    model.meshes[0].influences =
        [Vec3::ZERO, Vec3::X, Vec3::Y].into_iter().flat_map(|offset| [half(offset), half(offset)]).collect();
    model.meshes[0].influence_starts = vec![0, 2, 4, 6];
    let output = written(&model, &Options::default());
    let file = File::new(&output.bytes);
    let mesh = file.document.meshes().next().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(file.binary.as_slice()));
    for weights in reader.read_weights(0).unwrap().into_f32() {
        assert_eq!(weights, [1.0, 0.0, 0.0, 0.0]);
    }
    assert!(output.losses.is_empty(), "{:?}", output.losses);
}

#[test]
fn g05_joints_beyond_256_take_two_bytes() {
    for (joints, component) in [(256, 5121), (257, 5123)] {
        let json = json_of(&written(&support::tube(joints, 1), &Options::default()));
        let accessor = json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"].as_u64().unwrap() as usize;
        assert_eq!(json["accessors"][accessor]["componentType"], component, "{joints} joints");
    }
}

#[test]
fn g06_vertices_beyond_65534_take_four_bytes_and_not_luanti() {
    let mut model = triangle(&[("a", None)]);
    for (count, component) in [(65_532_usize, 5123), (65_535, 5125)] {
        let mesh = &mut model.meshes[0];
        let place = |vertex: usize| [Vec3::ZERO, Vec3::X, Vec3::Y][vertex % 3] + Vec3::Z * (vertex / 3) as f32;
        mesh.positions = (0..count).map(place).collect();
        mesh.normals = vec![Vec3::Z; count];
        mesh.uvs = vec![Vec2::ZERO; count];
        mesh.influences = (0..count).map(|vertex| Influence { slot: 0, weight: 1.0, offset: place(vertex) }).collect();
        mesh.influence_starts = (0..=count as u32).collect();
        mesh.triangles = (0..count as u32 / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
        let json = json_of(&written(&model, &Options::default()));
        let indices = json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
        assert_eq!(json["accessors"][indices]["componentType"], component, "{count} vertices");
        let luanti = write(&model, &Options { luanti: true, ..Options::default() });
        assert_eq!(luanti.is_ok(), component == 5123, "{count} vertices");
    }
}

#[test]
fn g07_a_clip_of_one_frame_has_one_key() {
    let mut model = triangle(&[("a", None)]);
    model.clips = vec![clip(&[&[0.0]], vec![turning(rotations(0, &[DQuat::from_rotation_z(1.0)]))])];
    let output = written(&model, &Options::default());
    let file = File::new(&output.bytes);
    let animation = file.document.animations().next().unwrap();
    let channel = animation.channels().next().unwrap();
    assert_eq!(channel.sampler().input().count(), 1);
    // A clip equal to the rest pose is still written.
    model.clips = vec![clip(&[&[0.0]], vec![JointTracks::default()])];
    let json = json_of(&written(&model, &Options::default()));
    assert_eq!(json["animations"][0]["channels"].as_array().unwrap().len(), 1);
    assert_eq!(json["animations"][0]["channels"][0]["target"], serde_json::json!({"node": 1, "path": "translation"}));
}

#[test]
fn g08_a_constant_is_left_out_only_if_the_node_has_it() {
    let mut model = triangle(&[("a", None), ("b", Some(0))]);
    let moving = turning(rotations(0, &[DQuat::IDENTITY, DQuat::from_rotation_z(1.0)]));
    let still = DQuat::from_rotation_x(0.5);
    for (second, channels) in [(still, 2), (DQuat::IDENTITY, 1)] {
        model.clips = vec![clip(&[&[0.0, 1.0]], vec![moving.clone(), turning(rotations(0, &[second]))])];
        let json = json_of(&written(&model, &Options::default()));
        assert_eq!(json["animations"][0]["channels"].as_array().unwrap().len(), channels);
    }
}

/// Viewers that play one clip after the other leave a joint without a key as the previous clip left it.
#[test]
fn every_clip_has_a_key_for_all_that_any_clip_moves() {
    let mut model = triangle(&[("a", None), ("b", Some(0))]);
    let moving = turning(rotations(0, &[DQuat::IDENTITY, DQuat::from_rotation_z(1.0)]));
    let still = JointTracks::default();
    model.clips = vec![
        clip(&[&[0.0, 1.0]], vec![moving.clone(), still.clone()]),
        clip(&[&[0.0, 1.0]], vec![still.clone(), moving]),
        clip(&[&[0.0, 1.0]], vec![still.clone(), still]),
    ];
    let json = json_of(&written(&model, &Options::default()));
    for animation in json["animations"].as_array().unwrap() {
        let channels = animation["channels"].as_array().unwrap().iter();
        let turned: Vec<_> = channels.filter(|channel| channel["target"]["path"] == "rotation").collect();
        assert_eq!(turned.len(), 2, "{animation}");
    }
}

#[test]
fn small_images_stay_sharp() {
    let mut model = triangle(&[("a", None)]);
    model.materials = vec![Material { texture: Some("skin".into()), ..Material::neutral("m") }];
    for (is_pixel_art, filter) in [(true, 9728), (false, 9729)] {
        let mut image = ImageFile::new("skin", PNG.to_vec(), NamedImage::Solid).unwrap();
        image.is_pixel_art = is_pixel_art;
        let images = vec![MaterialImages { base: Some(Arc::new(image)), ..MaterialImages::default() }];
        let json = json_of(&written(&model, &Options { images, ..Options::default() }));
        assert_eq!(json["samplers"][0]["magFilter"], filter);
    }
}

#[test]
fn g09_times_are_frames_divided_by_the_rate() {
    const MESH: &str = include_str!("../cases/md5/base.md5mesh");
    const ANIM: &str = include_str!("../cases/md5/base.md5anim");
    let rate_line = ANIM.lines().find(|line| line.starts_with("frameRate")).unwrap();
    for (written_rate, rate) in [("24", 24.0), ("30", 30.0), ("60", 60.0), ("0", 24.0)] {
        let anim = ANIM.replace(rate_line, &format!("frameRate {written_rate}"));
        let files = vec![("m.md5mesh".into(), MESH.into()), ("m.md5anim".into(), anim.into_bytes())];
        let loaded = load_bytes(files, &LoadOptions::default()).unwrap();
        let warned = loaded.diagnostics.iter().any(|diagnostic| diagnostic.code == "MD5I012");
        assert_eq!(warned, written_rate == "0");
        for (luanti, frame) in [(false, 1.0 / rate), (true, 1.0)] {
            let output = written(&loaded.model, &Options { luanti, ..Options::default() });
            let file = File::new(&output.bytes);
            let animation = file.document.animations().next().unwrap();
            let channels = animation.channels().map(|channel| {
                let times = channel.reader(|_| Some(file.binary.as_slice())).read_inputs().unwrap();
                times.collect::<Vec<f32>>()
            });
            let longest = channels.max_by_key(Vec::len).unwrap();
            assert!(longest.len() > 1);
            for (number, time) in longest.iter().enumerate() {
                assert_eq!(*time, (number as f64 * frame) as f32, "{written_rate} frames per second");
            }
        }
    }
}

#[test]
fn g10_neighbouring_rotations_have_matching_signs() {
    let files = ["data/md5/cylinder.md5mesh", "data/md5/cylinder_twist.md5anim"];
    let mut model = Arc::unwrap_or_clone(load(&files, &LoadOptions::default()).unwrap().model);
    // Exporters may write either sign.
    for tracks in &mut model.clips[0].joints {
        if let JointTracks::Parts { rotation: Some(track), .. } = tracks {
            track.values.iter_mut().skip(1).step_by(2).for_each(|value| *value = -*value);
        }
    }
    let file = File::new(&written(&model, &Options::default()).bytes);
    let mut pairs = 0;
    for channel in file.document.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()) {
        let reader = channel.reader(|_| Some(file.binary.as_slice()));
        if let Some(gltf::animation::util::ReadOutputs::Rotations(values)) = reader.read_outputs() {
            let values: Vec<[f32; 4]> = values.into_f32().collect();
            for pair in values.windows(2) {
                assert!(pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum::<f32>() >= 0.0);
                pairs += 1;
            }
        }
    }
    assert!(pairs > 10, "{pairs} pairs");
}

#[test]
fn g11_every_joint_has_its_own_times() {
    let mut model = triangle(&[("a", None), ("b", Some(0))]);
    let key = |angle: f64| Transform::from_rotation_translation(DQuat::from_rotation_z(angle), DVec3::Z * angle);
    let whole = |timeline, values: &[f64]| JointTracks::Whole {
        keys: Track { timeline: TimelineId(timeline), values: values.iter().map(|&angle| key(angle)).collect() },
        between: Interpolation::Parts,
    };
    let times: [&[f64]; 2] = [&[0.0, 0.5, 1.0], &[0.25, 2.0]];
    model.clips = vec![clip(&times, vec![whole(0, &[0.0, 1.0, 2.0]), whole(1, &[0.0, 1.0])])];
    let output = written(&model, &Options::default());
    let file = File::new(&output.bytes);
    for channel in file.document.animations().next().unwrap().channels() {
        let node = channel.target().node().index();
        let read = channel.reader(|_| Some(file.binary.as_slice())).read_inputs().unwrap();
        let expected: Vec<f32> = times[node - 1].iter().map(|&time| time as f32).collect();
        assert_eq!(read.collect::<Vec<f32>>(), expected);
    }
    assert!(output.losses.is_empty(), "{:?}", output.losses);
}

/// A joint that a clip mirrors, and one that it shears. The first is exact, the second reported.
#[test]
fn g12_mirrors_are_kept_and_shear_is_reported() {
    let mut model = triangle(&[("a", None)]);
    let mirrored = Transform { scale: DVec3::new(-1.0, 1.0, 1.0), ..Transform::IDENTITY };
    let sheared = Transform { shear: DVec3::new(0.5, 0.0, 0.0), ..Transform::IDENTITY };
    for (key, is_sheared) in [(mirrored, false), (sheared, true)] {
        let keys =
            Track { timeline: TimelineId(0), values: vec![key, key, Transform { translation: DVec3::X, ..key }] };
        let tracks = JointTracks::Whole {
            keys,
            between: if is_sheared { Interpolation::Elements } else { Interpolation::Parts },
        };
        model.clips = vec![clip(&[&[0.0, 1.0, 2.0]], vec![tracks])];
        let output = written(&model, &Options::default());
        let placed = File::new(&output.bytes).placed(Some((0, 1.0)));
        if is_sheared {
            let shear = |loss: &Loss| matches!(loss, Loss::Shear { most, .. } if (most - 0.5).abs() < 1e-12);
            // The corner at +Y should have moved by half a unit along x.
            let motion = |loss: &Loss| matches!(loss, Loss::Motion { moved, .. } if (moved.units - 0.5).abs() < 1e-6);
            assert!(output.losses.iter().any(shear) && output.losses.iter().any(motion), "{:?}", output.losses);
        } else {
            // (-1, 0, 0) in the model is (0, 0, -1) in the file.
            assert!(placed[0][1].distance(DVec3::NEG_Z) < 1e-6, "{placed:?}");
            assert!(output.losses.is_empty(), "{:?}", output.losses);
        }
    }
}

/// The shortest bytes that begin like the two kinds of images.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0";

#[test]
fn g13_images_are_embedded_or_separate_and_of_both_kinds() {
    assert!(ImageFile::new("skin.tga", b"\0\0\x02tga".to_vec(), NamedImage::Solid).is_err());
    let model = triangle(&[("a", None)]);
    let images = |bytes: &[u8]| {
        let base = ImageFile::new("my skin", bytes.to_vec(), NamedImage::CutOut).unwrap();
        vec![MaterialImages { base: Some(Arc::new(base)), ..MaterialImages::default() }]
    };
    let inside = json_of(&written(&model, &Options { images: images(PNG), ..Options::default() }));
    assert_eq!(inside["images"][0]["mimeType"], "image/png");
    assert_eq!(inside["materials"][0]["alphaMode"], "MASK");
    assert_eq!(inside["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"], 0);
    assert_eq!(inside["materials"][0]["pbrMetallicRoughness"]["metallicFactor"], 0.0);
    let options = Options {
        images: images(JPEG),
        placement: ImagePlacement::Beside,
        container: Container::Gltf,
        stem: "a b".into(),
        ..Options::default()
    };
    let output = written(&model, &options);
    let text: Value = serde_json::from_slice(&output.bytes).unwrap();
    assert_eq!((&text["images"][0]["uri"], &text["buffers"][0]["uri"]), (&"my_skin.jpg".into(), &"a_b.bin".into()));
    let names: Vec<&str> = output.beside.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a_b.bin", "my_skin.jpg"]);
    let without = json_of(&written(
        &model,
        &Options { images: images(PNG), placement: ImagePlacement::Without, ..Options::default() },
    ));
    assert!(without["images"].is_null() && without["textures"].is_null());
    // Luanti counts textures, and gets no images.
    let luanti = json_of(&written(&model, &Options { images: images(PNG), luanti: true, ..Options::default() }));
    assert!(luanti["images"].is_null());
    assert_eq!(luanti["textures"].as_array().unwrap().len(), 1);
    // Two meshes with one material are two slots, as in a .x file.
    let mut two = model.clone();
    two.meshes.push(model.meshes[0].clone());
    let luanti = json_of(&written(&two, &Options { luanti: true, ..Options::default() }));
    assert_eq!(luanti["textures"].as_array().unwrap().len(), 2);
    assert_eq!(luanti["meshes"][0]["primitives"][1]["material"], 1);
}

/// Returns a material declared as in Doom 3, with images for all four layers, converted to glTF.
fn declared(text: &str, specular: bool) -> (Value, Vec<String>) {
    let parsed = parse_material(text.as_bytes(), Span::new(0, text.len()));
    assert!(parsed.faults.is_empty(), "{text}: {:?}", parsed.faults);
    let mut model = triangle(&[("a", None)]);
    model.materials[0].diffuse = Vec4::ONE;
    model.materials[0].surface = Some(surface(parsed.decl, |_| None));
    let image =
        |name: &str, end: u8| ImageFile::new(name, [PNG, &[end]].concat(), NamedImage::Mixed).ok().map(Arc::new);
    let images = MaterialImages {
        base: image("base", 0),
        normal: image("normal", 1),
        specular: image("specular", 2),
        glow: image("glow", 3),
    };
    let output = written(&model, &Options { images: vec![images], specular, ..Options::default() });
    (json_of(&output), output.losses.iter().map(ToString::to_string).collect())
}

/// Each keyword of a decl in the file. The cutoff is its number, the colour that of its stage.
#[test]
fn surfaces_of_a_game_become_materials() {
    let material = |text: &str| declared(text, false).0["materials"][0].clone();
    let leaf = material("{ twoSided { blend diffusemap map x alphaTest 0.25 color 1, 0.5, 0, 1 } }");
    assert_eq!((&leaf["alphaMode"], &leaf["alphaCutoff"]), (&json!("MASK"), &json!(0.25)));
    assert_eq!(leaf["doubleSided"], true);
    assert_eq!(leaf["pbrMetallicRoughness"]["baseColorFactor"], json!([1.0, 0.5, 0.0, 1.0]));
    assert!(leaf["normalTexture"].is_object() && leaf["emissiveTexture"].is_null(), "{leaf}");
    let glass = material("{ translucent { blend diffusemap map x } }");
    assert_eq!(glass["alphaMode"], "BLEND");
    let plain = material("{ diffusemap x }");
    assert!(plain["alphaMode"].is_null() && plain["doubleSided"].is_null(), "{plain}");
    let (lamp, losses) = declared("{ bumpmap n diffusemap x { blend add map y red 0.5 blue time } }", false);
    assert_eq!(lamp["materials"][0]["emissiveFactor"], json!([0.5, 1.0, 0.0]));
    let names = |index: &Value| lamp["images"][index["index"].as_u64().unwrap() as usize]["name"].clone();
    assert_eq!(names(&lamp["materials"][0]["normalTexture"]), "normal");
    assert_eq!(names(&lamp["materials"][0]["emissiveTexture"]), "glow");
    assert_eq!(
        losses,
        ["the format cannot hold the changing colours of 1 material; they stay as they are at the start"]
    );
    let (shining, losses) = declared("{ diffusemap x specularmap y }", true);
    let specular = &shining["materials"][0]["extensions"]["KHR_materials_specular"];
    assert_eq!(specular["specularColorFactor"], json!([1.0, 1.0, 1.0]));
    assert!(specular["specularColorTexture"].is_object() && losses.is_empty(), "{specular} {losses:?}");
    for (text, loss) in [
        (
            "{ diffusemap x specularmap y }",
            "the specular highlights of 1 material, except as an extension (--specular)",
        ),
        ("{ diffusemap x diffusemap y }", "the stages beside colour, normals, highlight and glow of 1 material"),
        ("{ { blend diffusemap map x scale 2 , 2 } }", "the moved or scaled texture coordinates of 1 material"),
        ("{ { blend filter map x } }", "the blending of 1 material; alpha replaces it"),
        ("{ backSided diffusemap x }", "the back side alone of 1 material; both sides are shown"),
    ] {
        assert_eq!(declared(text, false).1, [format!("the format cannot hold {loss}")], "{text}");
    }
    let (clamped, _) = declared("{ { blend diffusemap map x clamp nearest } }", false);
    assert_eq!(clamped["samplers"][0], json!({"magFilter": 9728, "minFilter": 9984, "wrapS": 33071, "wrapT": 33071}));
}

#[test]
fn g14_without_a_texture_there_is_only_a_material() {
    let json = json_of(&written(&triangle(&[("a", None)]), &Options::default()));
    assert!(json["images"].is_null() && json["textures"].is_null() && json["samplers"].is_null());
    assert_eq!(json["materials"][0]["name"], "skin");
}

#[test]
fn g15_names_are_kept_and_unique() {
    let long = "n".repeat(300);
    let names = ["a \"b\"", "Schlüsselbein 鎖骨", &long, "twice", "twice", "twice_2"];
    let joints: Vec<(&str, Option<usize>)> = names.iter().map(|&name| (name, None)).collect();
    let output = written(&triangle(&joints), &Options::default());
    let json = json_of(&output);
    let read: Vec<&str> = (1..=6).map(|node| json["nodes"][node]["name"].as_str().unwrap()).collect();
    assert_eq!(read, [names[0], names[1], &long, "twice", "twice_2", "twice_2_2"]);
    assert!(
        matches!(&output.losses[..], [Loss::Renamed { what: "joint", names }] if names.len() == 2),
        "{:?}",
        output.losses
    );
}

/// A nose at the front and a left hand, in MD5's axes and in those of .x.
#[test]
fn g16_the_nose_is_at_z_and_the_left_hand_at_x() {
    for (front, nose, left) in [(Front::PositiveX, Vec3::X, Vec3::Y), (Front::NegativeY, Vec3::NEG_Y, Vec3::X)] {
        let mut model = triangle(&[("a", None)]);
        for (vertex, place) in [Vec3::Z, nose, left].into_iter().enumerate() {
            model.meshes[0].positions[vertex] = place;
            model.meshes[0].influences[vertex].offset = place;
        }
        for (scale, size) in [(1.0, 1.0), (0.0254, 0.0254)] {
            let options = Options { front: Some(front), scale, ..Options::default() };
            let placed = File::new(&written(&model, &options).bytes).placed(None);
            for (seen, expected) in placed[0].iter().zip([DVec3::Y, DVec3::Z, DVec3::X]) {
                assert!(seen.distance(expected * size) < 1e-8, "{front:?} {seen}");
            }
        }
    }
}

#[test]
fn nothing_and_what_is_not_finite_are_refused() {
    assert!(write(&Model::default(), &Options::default()).is_err());
    let mut model = triangle(&[("a", None)]);
    model.meshes[0].positions[1].x = f32::INFINITY;
    assert!(write(&model, &Options::default()).is_err());
    for scale in [0.0, -1.0, f64::NAN] {
        assert!(write(&triangle(&[("a", None)]), &Options { scale, ..Options::default() }).is_err());
    }
}
