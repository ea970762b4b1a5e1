//! The player without a window: its actions and its images.

use crate::support;
use bindpose::engines::Engine;
use bindpose::image_search::ImageChoices;
use bindpose::load::LoadOptions;
use bindpose::model::add_helpers;
use bindpose::render::{Gpu, Light, RenderSettings, RenderTarget, ShaderFiles, TextureFilter};
use bindpose::skin::MethodId;
use bindpose_player::{Attachment, BasePose, Change, Colouring, Overlay, Player, PlayerOptions, Scene, Split, View};
use glam::{DAffine3, DQuat, DVec3, Vec3};
use image::RgbaImage;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SIZE: (u32, u32) = (320, 200);

fn scene(files: &[PathBuf]) -> Scene {
    Scene::load(files, LoadOptions::default()).unwrap()
}

fn player(gpu: &Gpu, scene: Scene, shaders: ShaderFiles) -> Player {
    player_with(gpu, scene, shaders, View::default())
}

fn player_with(gpu: &Gpu, scene: Scene, shaders: ShaderFiles, view: View) -> Player {
    let options = PlayerOptions {
        clip: (!scene.loaded.model.clips.is_empty()).then_some(0),
        settings: RenderSettings { grid: false, ..RenderSettings::default() },
        copies: 1,
        shaders,
        methods: MethodId::all().collect(),
        view,
        images: ImageChoices::default(),
    };
    Player::new(gpu, scene, options).unwrap()
}

fn look(gpu: &Gpu, player: &mut Player) -> RgbaImage {
    let frame = RenderTarget::new(gpu, SIZE.0, SIZE.1).unwrap();
    player.draw(&frame).unwrap();
    let picture = frame.read();
    if let Some(folder) = std::env::var_os("BINDPOSE_KEEP_PICTURES") {
        let name = format!("player-{:?}-{:?}.png", player.state.split, player.state.colouring);
        picture.save(PathBuf::from(folder).join(name)).unwrap();
    }
    picture
}

/// Counts the pixels that differ between two images in the left and in the right half.
fn changed(before: &RgbaImage, after: &RgbaImage) -> (usize, usize) {
    let places = before.enumerate_pixels().filter(|(x, y, pixel)| after.get_pixel(*x, *y) != *pixel);
    let (left, right): (Vec<u32>, Vec<u32>) = places.map(|(x, ..)| x).partition(|&x| x < SIZE.0 / 2);
    (left.len(), right.len())
}

/// Creates a post of two joints, 60 high, preceded by `before` joints without vertices.
fn post(folder: &Path, name: &str, before: usize) -> PathBuf {
    let mut text = format!("MD5Version 10\ncommandline \"\"\nnumJoints {}\nnumMeshes 1\njoints {{\n", before + 2);
    (0..before).for_each(|number| writeln!(text, "\"idle{number}\" -1 ( 0 0 0 ) ( 0 0 0 )").unwrap());
    writeln!(text, "\"lower\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"upper\" {before} ( 0 0 30 ) ( 0 0 0 )\n}}").unwrap();
    text.push_str("mesh {\nshader \"post\"\nnumverts 16\n");
    (0..16).for_each(|vertex| writeln!(text, "vert {vertex} ( 0 0 ) {vertex} 1").unwrap());
    text.push_str("numtris 24\n");
    for side in 0..12 {
        let (ring, corner) = (4 * (side / 4), side % 4);
        let (a, b) = (ring + corner, ring + (corner + 1) % 4);
        writeln!(text, "tri {} {a} {} {b}\ntri {} {a} {} {}", 2 * side, b + 4, 2 * side + 1, a + 4, b + 4).unwrap();
    }
    text.push_str("numweights 16\n");
    for vertex in 0..16 {
        let (ring, (x, y)) = (vertex / 4, [(8, 5), (-8, 5), (-8, -5), (8, -5)][vertex % 4]);
        let (joint, z) = if ring < 2 { (before, 20 * ring as i32) } else { (before + 1, 20 * ring as i32 - 30) };
        writeln!(text, "weight {vertex} {joint} 1 ( {x} {y} {z} )").unwrap();
    }
    let path = folder.join(format!("{name}.md5mesh"));
    std::fs::write(&path, text + "}\n").unwrap();
    path
}

#[test]
fn the_halves_of_a_split_view_are_compared_and_coloured() {
    let Some(gpu) = support::gpu() else { return };
    let mut player = player(&gpu, scene(&[]), ShaderFiles::default());
    player.apply(&Change::Seek(0.3));
    player.apply(&Change::Split(Some(Split::Method(MethodId::Dqs))));
    let plain = look(&gpu, &mut player);
    assert_eq!(player.pose().unwrap().1.0.len(), player.model().skeleton.len());
    let (distance, ..) = player.worst_difference().unwrap();
    assert!(distance > 0.0, "{distance}");
    player.apply(&Change::Colouring(Colouring::Difference));
    let (left, right) = changed(&plain, &look(&gpu, &mut player));
    assert!(left == 0 && right > 500, "{left} pixels changed on the left, {right} on the right");
}

/// The mannequin's image is large; in a close-up, each texel covers several pixels.
#[test]
fn images_are_enlarged_smoothly_or_by_their_texels() {
    let Some(gpu) = support::gpu() else { return };
    let mut player = player(&gpu, scene(&[]), ShaderFiles::default());
    player.apply(&Change::Magnify(30.0));
    let by_size = look(&gpu, &mut player);
    player.apply(&Change::Filter(TextureFilter::Smooth));
    assert_eq!(look(&gpu, &mut player), by_size);
    player.apply(&Change::Filter(TextureFilter::Texels));
    let (left, right) = changed(&by_size, &look(&gpu, &mut player));
    assert!(left + right > 1000, "{left} and {right} pixels changed");
    player.apply(&Change::Filter(TextureFilter::BySize));
    assert_eq!(look(&gpu, &mut player), by_size);
}

#[test]
fn the_next_method_is_the_first_again_after_the_last() {
    let Some(gpu) = support::gpu() else { return };
    let mut player = player(&gpu, scene(&[]), ShaderFiles::default());
    player.take_notes();
    let first = player.state.method;
    let mut shown = std::collections::HashSet::new();
    while shown.insert(player.state.method) {
        player.show_next_method();
    }
    assert_eq!(player.state.method, first);
    let notes = player.take_notes();
    for left_out in MethodId::all().filter(|method| !shown.contains(method)) {
        assert!(notes.iter().any(|note| note.contains(left_out.method().name)), "no reason for {left_out}: {notes:?}");
    }
}

#[test]
fn a_shader_that_cannot_be_compiled_changes_nothing() {
    let Some(gpu) = support::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let files = ShaderFiles { directory: Some(folder.path().to_owned()), ..ShaderFiles::default() };
    let mut player = player(&gpu, scene(&[]), files);
    player.show_method(MethodId::MatrixBlend).unwrap();
    let before = look(&gpu, &mut player);
    let broken =
        |name: &str| std::fs::write(folder.path().join(name), "#version 120\nvoid main() {\n    nonsense;\n}\n");
    // The shown method, and the files that all methods share.
    for name in ["matrix-blend.vert", "figure.frag", "ground.frag"] {
        broken(name).unwrap();
        let error = player.reload_shaders().unwrap_err().to_string();
        assert!(error.contains(&format!("{name}:3")), "{error}");
        assert_eq!(look(&gpu, &mut player), before, "the last good {name} stays");
        let is_of_model = name != "ground.frag";
        assert_eq!(player.replace_scene(scene(&[])).is_err(), is_of_model, "{name}");
        assert_eq!(look(&gpu, &mut player), before, "{name}");
        std::fs::remove_file(folder.path().join(name)).unwrap();
        player.reload_shaders().unwrap();
    }
    // Another method, on either side.
    broken("dqs.vert").unwrap();
    player.take_notes();
    for action in [Change::Method(MethodId::Dqs), Change::Split(Some(Split::Method(MethodId::Dqs)))] {
        player.apply(&action);
        let notes = player.take_notes();
        assert!(notes.iter().any(|note| note.contains("dqs.vert:3")), "{notes:?}");
        assert_eq!((player.state.method, player.state.split), (MethodId::MatrixBlend, None));
        assert_eq!(look(&gpu, &mut player), before);
    }
}

#[test]
fn a_file_that_the_method_cannot_show_is_not_opened_in_the_split_view() {
    let Some(gpu) = support::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let stretched = folder.path().join("stretched.x");
    let text = "xof 0303txt 0032\nFrame f { Mesh { 3; 0;0;0;,1;0;0;,0;1;0;; 1; 3;0,1,2;; } }\n\
                AnimationSet a { Animation { {f} AnimationKey { 1; 2; 0;3;1,1,1;;,10;3;1,3,1;;; } } }\n";
    std::fs::write(&stretched, text).unwrap();
    let mut player = player(&gpu, scene(&[]), ShaderFiles::default());
    player.show_method(MethodId::Dqs).unwrap();
    let before = look(&gpu, &mut player);
    let error = player.set_other(scene(std::slice::from_ref(&stretched))).unwrap_err().to_string();
    assert!(error.contains("supports rotation and translation only"), "{error}");
    assert!(player.other().is_none() && player.state.split.is_none());
    assert_eq!(look(&gpu, &mut player), before);
    // Once the other model is there, a method must support both.
    player.show_method(MethodId::Cpu).unwrap();
    player.set_other(scene(&[stretched])).unwrap();
    player.apply(&Change::Method(MethodId::Dqs));
    assert_eq!((player.state.method, player.state.split), (MethodId::Cpu, Some(Split::File)));
    look(&gpu, &mut player);
}

#[test]
fn joints_of_another_file_have_their_own_indices() {
    let Some(gpu) = support::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [plain, shifted] = [0, 2].map(|before| post(folder.path(), &format!("post{before}"), before));
    // The right half next to the model itself, and next to one whose joints come later.
    let halves = [&plain, &shifted].map(|left| {
        let mut player = player(&gpu, scene(std::slice::from_ref(left)), ShaderFiles::default());
        player.set_other(scene(std::slice::from_ref(&shifted))).unwrap();
        player.apply(&Change::Toggle(Overlay::Axes));
        player.apply(&Change::SelectJoint(player.model().skeleton.find("upper")));
        // Rings are only drawn on the left, and only if joints can be rotated.
        let picture = look(&gpu, &mut player);
        image::imageops::crop_imm(&picture, SIZE.0 / 2, 0, SIZE.0 / 2, SIZE.1).to_image()
    });
    assert_eq!(halves[0], halves[1]);
}

fn mannequin() -> Scene {
    scene(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5/mannequin_light.md5mesh")])
}

/// A light mannequin without clips, its left forearm twisted by hand and seen closely.
fn twisted(gpu: &Gpu, degrees: f64) -> Player {
    let mut player = player(gpu, mannequin(), ShaderFiles::default());
    let skeleton = &player.model().skeleton;
    let forearm = skeleton.find("forearm_l").unwrap();
    let turn = DQuat::from_axis_angle(skeleton.bone(forearm).unwrap(), degrees.to_radians());
    player.apply(&Change::BasePose(BasePose::Rest));
    player.apply(&Change::Turn(forearm, turn));
    look(gpu, &mut player);
    player.apply(&Change::SelectJoint(Some(forearm)));
    player.focus_on_joint();
    player.apply(&Change::SelectJoint(None));
    player
}

/// Helpers come before their joint, which has another number on the right.
#[test]
fn helpers_on_the_right_follow_rotations_on_the_left() {
    let Some(gpu) = support::gpu() else { return };
    let mut player = twisted(&gpu, 0.0);
    let helped = || {
        let mut scene = mannequin();
        let helped = Arc::make_mut(&mut scene.loaded.model);
        let joint = helped.skeleton.find("forearm_l").unwrap();
        add_helpers(helped, joint, 2).unwrap();
        scene
    };
    player.set_other(helped()).unwrap();
    let apart = |player: &mut Player| {
        look(&gpu, player);
        let (distance, _, joint) = player.worst_difference().unwrap();
        (distance, joint.map(|joint| player.model().skeleton[joint].name.clone()))
    };
    assert!(apart(&mut player).0 < 1e-4);
    let mut turned = twisted(&gpu, 170.0);
    turned.set_other(helped()).unwrap();
    let (distance, joint) = apart(&mut turned);
    // A forearm of 2 to 3 units: pinched on the left, nearly whole on the right.
    assert!((1.0..4.0).contains(&distance), "{distance}");
    assert!(joint.is_some_and(|joint| ["forearm_l", "upperarm_l"].contains(&joint.as_str())));
}

#[test]
fn three_lights_show_what_one_leaves_dark() {
    let Some(gpu) = support::gpu() else { return };
    let mut player = twisted(&gpu, 0.0);
    let mut look_by = |light: Light| {
        player.apply(&Change::Light(light));
        look(&gpu, &mut player)
    };
    let [one, three] = [Light::Shoulder, Light::ThreePoint].map(&mut look_by);
    let brighter = one.pixels().zip(three.pixels()).filter(|(one, three)| three.0[0] > one.0[0].saturating_add(20));
    let brighter = brighter.count();
    assert!(brighter > 500, "{brighter}");
}

#[test]
fn the_joint_in_the_middle_is_the_same_after_a_file_was_saved() {
    let Some(gpu) = support::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = [0, 2].map(|before| scene(&[post(folder.path(), &format!("post{before}"), before)]));
    let view = View { target: before.loaded.model.skeleton.find("upper"), ..View::default() };
    let mut player = player_with(&gpu, before, ShaderFiles::default(), view);
    player.replace_scene(after).unwrap();
    look(&gpu, &mut player);
    assert_eq!(player.state.camera.followed.map(|followed| followed.at), Some(Vec3::Z * 30.0));
}

#[test]
fn a_clip_is_added_to_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let clip = folder.path().join("nod.md5anim");
    std::fs::write(&clip, bindpose::sample::file("wave.md5anim").unwrap()).unwrap();
    let mut options = LoadOptions::default();
    options.clips.added = vec![clip];
    let added = Scene::load(&[], options).unwrap().loaded;
    let names: Vec<&str> = added.model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["walk", "run", "idle", "wave", "jump", "nod"]);
    assert_eq!(added.model.meshes.len(), 1);
}

#[test]
fn the_title_names_the_engine() {
    let Some(gpu) = support::gpu() else { return };
    let title = |engine: Option<&str>| {
        let engine = engine.map(|name| Engine::find(name).unwrap());
        let mut options = LoadOptions::default();
        options.playback.engine = engine;
        let scene = Scene::load(&[], options).unwrap();
        player(&gpu, scene, ShaderFiles::default()).title(0.0)
    };
    assert!(title(Some("q2pro")).starts_with("mannequin_light | as Q2PRO | "), "{}", title(Some("q2pro")));
    assert!(!title(None).contains(" as "), "{}", title(None));
}

/// Returns the transform of a joint in a frame of the sample's walk clip, as `tests/golden/make.py` computed it.
fn golden_joint(frame: u64, name: &str) -> DAffine3 {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/walk.md5anim.json");
    let golden: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let frames = golden["frames"].as_array().unwrap();
    let number = golden["joint_names"].as_array().unwrap().iter().position(|joint| joint == name).unwrap();
    let joint = &frames.iter().find(|row| row["frame"] == frame).unwrap()["joints"][number];
    let [x, y, z, i, j, k, w] = std::array::from_fn(|column| joint[column + 1].as_f64().unwrap());
    DAffine3::from_rotation_translation(DQuat::from_xyzw(i, j, k, w), DVec3::new(x, y, z))
}

/// Writes a post whose joints are moved, so that its vertices are.
fn moved_post(folder: &Path, placement: DAffine3) -> PathBuf {
    let (_, rotation, _) = placement.to_scale_rotation_translation();
    // Files leave out w, which is not positive for column vectors.
    let DQuat { x, y, z, .. } = if rotation.w > 0.0 { -rotation } else { rotation };
    let path = post(folder, "moved", 0);
    let mut text = std::fs::read_to_string(&path).unwrap();
    for at in [DVec3::ZERO, DVec3::Z * 30.0] {
        let DVec3 { x: right, y: left, z: up } = placement.transform_point3(at);
        let joint = format!("( {right:.9} {left:.9} {up:.9} ) ( {x:.9} {y:.9} {z:.9} )");
        text = text.replace(&format!("( 0 0 {} ) ( 0 0 0 )", at.z), &joint);
    }
    std::fs::write(&path, text).unwrap();
    path
}

/// Pixels that differ by more than rounding.
fn far_apart(a: &RgbaImage, b: &RgbaImage) -> usize {
    let differs = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 12);
    a.pixels().zip(b.pixels()).filter(|&pair| differs(pair)).count()
}

#[test]
fn an_attached_model_follows_its_joint_under_every_method_and_engine() {
    let Some(gpu) = support::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = post(folder.path(), "post", 0);
    let at: Attachment = format!("hand_r={}@1,2,3,0,0,90", file.display()).parse().unwrap();
    // By hand: a quarter turn about z turns x to y, and y to -x.
    let offset = DAffine3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z, DVec3::new(1.0, 2.0, 3.0));
    let frame = 16;
    let placed = moved_post(folder.path(), golden_joint(frame, "hand_r") * offset);
    let mut expected = player(&gpu, scene(&[placed]), ShaderFiles::default());
    let (camera, expected) = (expected.state.camera, look(&gpu, &mut expected));
    let ways = MethodId::all().map(|method| (method, None)).chain(["q2pro", "daemon", "doom3"].map(|name| {
        let engine = Engine::find(name).unwrap();
        (engine.method(), Some(engine))
    }));
    for (method, engine) in ways {
        let mut options = LoadOptions::default();
        options.playback.engine = engine;
        let mut scene = Scene::load(&[], options.clone()).unwrap();
        scene.attach(std::slice::from_ref(&at), &options).unwrap();
        let mut host = player(&gpu, scene, ShaderFiles::default());
        host.show_method(method).unwrap();
        host.apply(&Change::Seek(frame as f64 / host.state.playback.frame_rate()));
        host.apply(&Change::ToggleMesh(0));
        host.state.camera = camera;
        let apart = far_apart(&look(&gpu, &mut host), &expected);
        host.apply(&Change::Seek(0.0));
        let elsewhere = far_apart(&look(&gpu, &mut host), &expected);
        assert!(apart < 20 && elsewhere > 500, "{method} {:?}: {apart} {elsewhere}", engine.map(Engine::name));
    }
}

#[test]
fn an_attached_model_plays_its_own_clip() {
    let Some(gpu) = support::gpu() else { return };
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5");
    let folder = tempfile::tempdir().unwrap();
    let cylinder = data.join("cylinder.md5mesh");
    let mut alone =
        player(&gpu, scene(&[cylinder.clone(), data.join("cylinder_bend.md5anim")]), ShaderFiles::default());
    let mut host = scene(&[post(folder.path(), "post", 0)]);
    let at = format!("lower={},cylinder_bend", cylinder.display()).parse().unwrap();
    host.attach(&[at], &LoadOptions::default()).unwrap();
    let mut host = player(&gpu, host, ShaderFiles::default());
    host.apply(&Change::ToggleMesh(0));
    assert!(host.state.is_moving(), "the attached model moves without a clip of the other");
    alone.state.camera = host.state.camera;
    let duration = alone.state.playback.duration();
    // Shares of the clip that pass before an image, and that have passed then.
    for (passes, share) in [(0.0, 0.0), (0.4, 0.4), (1.9, 0.3)] {
        host.state.advance(passes * duration);
        alone.apply(&Change::Seek(share * duration));
        let apart = far_apart(&look(&gpu, &mut host), &look(&gpu, &mut alone));
        assert!(apart < 20, "{share}: {apart}");
    }
    let start = look(&gpu, &mut alone);
    alone.apply(&Change::Seek(0.0));
    assert!(far_apart(&start, &look(&gpu, &mut alone)) > 100);
}

#[test]
fn a_view_frames_attached_models_of_all_copies() {
    let Some(gpu) = support::gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = post(folder.path(), "post", 0);
    let [mut attached, without] = [(); 2].map(|()| scene(std::slice::from_ref(&file)));
    let at = format!("upper={}@0,0,100", file.display()).parse().unwrap();
    attached.attach(&[at], &LoadOptions::default()).unwrap();
    let mut player = player(&gpu, attached, ShaderFiles::default());
    // Both are 60 high; the joint is at 30.
    assert_eq!(player.state.camera.framed.max.z, 190.0);
    player.apply(&Change::Copies(4));
    assert_eq!(player.state.camera.framed.max.z, 190.0);
    let drawn = [MethodId::Cpu, MethodId::BoneTexture].map(|method| {
        player.show_method(method).unwrap();
        look(&gpu, &mut player)
    });
    assert!(far_apart(&drawn[0], &drawn[1]) < 20, "one by one, and all at once");
    player.replace_scene(without).unwrap();
    assert!(far_apart(&look(&gpu, &mut player), &drawn[1]) > 200, "a scene without it");
}
