//! The sample models: `data/` equals the generator's output, which has the documented properties.

use bindpose::load::{LoadOptions, Loaded, load_bytes};
use bindpose::model::Mesh;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin::{Skinned, linear};
use bindpose_parsers::md5::{AnimFile, parse_anim, parse_mesh};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Output of the generator, created once for all tests of this file.
static MADE: LazyLock<BTreeMap<String, Vec<u8>>> =
    LazyLock::new(|| bindpose_samples::generate().expect("the generator fails").into_iter().collect());

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

fn made(path: &str) -> &'static [u8] {
    MADE.get(path).unwrap_or_else(|| panic!("the generator does not create {path}"))
}

fn load(paths: &[&str]) -> Loaded {
    let files = paths.iter().map(|path| (PathBuf::from(path), made(path).to_vec())).collect();
    let loaded = load_bytes(files, &LoadOptions::default()).unwrap_or_else(|error| panic!("{paths:?}: {error:?}"));
    assert!(loaded.diagnostics.is_empty(), "{paths:?}: {:?}", loaded.diagnostics);
    loaded
}

const MANNEQUINS: [&str; 2] = ["md5/mannequin.md5mesh", "md5/mannequin_light.md5mesh"];
const MANNEQUIN_CLIPS: [&str; 5] = ["idle", "walk", "run", "wave", "jump"];
const CYLINDER: &str = "md5/cylinder.md5mesh";

#[test]
fn data_equals_the_generators_output() {
    let differing: Vec<_> = MADE
        .iter()
        .filter(|(path, bytes)| std::fs::read(data().join(path)).ok().as_ref() != Some(bytes))
        .map(|(path, _)| path)
        .collect();
    assert!(differing.is_empty(), "run 'cargo run -p bindpose-samples': these files in data/ differ: {differing:?}");
    let stray: Vec<_> = ["game", "md5", "md5/examples", "quake/progs", "x"]
        .into_iter()
        .flat_map(|folder| {
            let files = std::fs::read_dir(data().join(folder)).expect("data/ can be listed");
            files.map(move |file| (folder, file.expect("data/ can be listed")))
        })
        .filter(|(_, file)| file.path().is_file())
        .map(|(folder, file)| format!("{folder}/{}", file.file_name().to_string_lossy()))
        .filter(|path| !MADE.contains_key(path))
        .collect();
    assert!(stray.is_empty(), "the generator does not make these files in data/: {stray:?}");
}

#[test]
fn files_read_without_a_warning() {
    for (path, bytes) in MADE.iter() {
        if path.ends_with(".md5mesh") {
            assert_eq!(parse_mesh(bytes).unwrap_or_else(|error| panic!("{path}: {error:?}")).warnings, [], "{path}");
        } else if path.ends_with(".md5anim") {
            assert_eq!(parse_anim(bytes).unwrap_or_else(|error| panic!("{path}: {error:?}")).warnings, [], "{path}");
        }
    }
}

#[test]
fn the_game_is_whole() {
    let folder = std::env::temp_dir().join(format!("bindpose-samples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a place for the archive");
    let path = folder.join("mannequin.pk4");
    std::fs::write(&path, made("game/mannequin.pk4")).expect("the archive can be written");
    let game = bindpose::vfs::Vfs::open(&path, &[]).expect("the archive can be read");
    let decls = bindpose::game::Decls::read(game.into(), &Default::default());
    let entity = bindpose::game::entity::appearance_of_entity(&decls, "mannequin_sentry").expect("an entity");
    let inputs = bindpose::validate::inputs::find(std::slice::from_ref(&path), None, Default::default())
        .expect("files in the archive")
        .groups;
    for group in &inputs {
        let files = bindpose::validate::inputs::read(group, Default::default());
        let report = bindpose::validate::check_in(files, &Default::default(), Some(&decls));
        for file in &report.files {
            let told: Vec<_> = file.findings.iter().map(|finding| (finding.code.id, &finding.message)).collect();
            let is_quiet =
                file.findings.iter().all(|finding| finding.code.severity < bindpose::diagnostic::Severity::Warning);
            assert!(is_quiet, "{}: {told:?}", file.path.display());
        }
    }
    std::fs::remove_dir_all(&folder).expect("the place can be removed");
    assert_eq!(entity.skin.as_deref(), Some("mannequin_night"));
    let names: Vec<&str> = entity.model.anims().into_iter().map(|anim| anim.name.text.as_str()).collect();
    assert_eq!(names, MANNEQUIN_CLIPS);
}

#[test]
fn counts_are_as_promised() {
    // Number of vertices of each level of detail: about 13,000 and about 2,000.
    for (path, range) in MANNEQUINS.into_iter().zip([12_500..13_500, 1_900..2_100]) {
        let loaded = load(&[path]);
        assert_eq!(loaded.model.skeleton.len(), 23, "{path}");
        let [mesh] = &loaded.model.meshes[..] else { panic!("{path}: one mesh") };
        assert!(range.contains(&mesh.vertex_count()), "{path}: {} vertices", mesh.vertex_count());
        for vertex in 0..mesh.vertex_count() {
            let count = mesh.influences_of(vertex).len();
            assert!((2..=4).contains(&count), "{path}: vertex {vertex} has {count} influences");
        }
    }
    let cylinder = load(&[CYLINDER]);
    assert_eq!(cylinder.model.skeleton.len(), 3);
    let counts: BTreeSet<usize> = (0..cylinder.model.meshes[0].vertex_count())
        .map(|vertex| cylinder.model.meshes[0].influences_of(vertex).len())
        .collect();
    assert_eq!(counts, BTreeSet::from([1, 2]));
}

#[test]
fn weights_sum_to_one_and_offsets_agree() {
    for path in [MANNEQUINS[0], MANNEQUINS[1], CYLINDER] {
        let file = parse_mesh(made(path)).expect("the file is sound").document;
        for (vertex, vert) in file.meshes[0].verts.iter().enumerate() {
            let first = vert.first_weight as usize;
            let weights = &file.meshes[0].weights[first..first + vert.weight_count as usize];
            let sum: f64 = weights.iter().map(|weight| weight.bias).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{path}: vertex {vertex} sums to {sum}");
            assert!(weights.iter().all(|weight| weight.bias > 0.0), "{path}: vertex {vertex}");
        }
        // Six printed decimals, rotated, in a model of 72 inches.
        let model = load(&[path]).model;
        let (vertex, distance) = model.meshes[0].bind_residual().expect("there are influences");
        assert!(distance < 1e-5, "{path}: influences of vertex {vertex} are {distance} inches apart");
    }
}

/// Numbers vertices so that those at one position share a number.
fn places(mesh: &Mesh) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    mesh.positions
        .iter()
        .map(|position| {
            let next = numbers.len();
            *numbers.entry(position.to_array().map(f32::to_bits)).or_insert(next)
        })
        .collect()
}

#[test]
fn surfaces_are_closed_and_even() {
    for (path, worst_shape) in [(MANNEQUINS[0], 0.3), (MANNEQUINS[1], 0.3), (CYLINDER, 0.3)] {
        let model = load(&[path]).model;
        let mesh = &model.meshes[0];
        let places = places(mesh);
        let mut edges = BTreeMap::new();
        for corners in &mesh.triangles {
            let corners = corners.map(|vertex| places[vertex as usize]);
            for (from, to) in [(0, 1), (1, 2), (2, 0)] {
                *edges.entry((corners[from], corners[to])).or_insert(0) += 1;
            }
        }
        for (&(from, to), &count) in &edges {
            assert_eq!(count, 1, "{path}: an edge at place {from} belongs to two triangles of one side");
            assert!(edges.contains_key(&(to, from)), "{path}: there is a hole at place {from}");
        }
        // One closed surface without a handle: V - E + F = 2.
        let used: BTreeSet<usize> = edges.keys().map(|&(from, _)| from).collect();
        assert_eq!(used.len() + mesh.triangles.len() - edges.len() / 2, 2, "{path}");
        assert_eq!(used.len(), places.iter().collect::<BTreeSet<_>>().len(), "{path}: a vertex without triangle");
        let mut volume = 0.0;
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|vertex| mesh.positions[vertex as usize].as_dvec3());
            let double_area = (b - a).cross(c - a).length();
            let sides = (b - a).length_squared() + (c - b).length_squared() + (a - c).length_squared();
            // 1 for an equilateral triangle, 0 for a line.
            let shape = 12f64.sqrt() * double_area / sides;
            assert!(shape > worst_shape, "{path}: triangle {number} is a sliver of shape {shape}");
            volume += a.dot(b.cross(c)) / 6.0;
        }
        assert!(volume > 0.0, "{path}: the triangles face inwards");
    }
}

#[test]
fn seams_repeat_their_weights() {
    for path in MANNEQUINS {
        let file = parse_mesh(made(path)).expect("the file is sound").document;
        let model = load(&[path]).model;
        let places = places(&model.meshes[0]);
        let mut first_at = BTreeMap::new();
        let mut repeated = 0;
        for (vertex, vert) in file.meshes[0].verts.iter().enumerate() {
            let weights: Vec<_> = file.meshes[0].weights[vert.first_weight as usize..][..vert.weight_count as usize]
                .iter()
                .map(|weight| (weight.joint, weight.bias, weight.offset))
                .collect();
            if let Some(before) = first_at.insert(places[vertex], weights.clone()) {
                assert_eq!(before, weights, "{path}: vertex {vertex}");
                repeated += 1;
            }
        }
        assert!(repeated > 100, "{path}: only {repeated} vertices at texture seams");
    }
}

#[test]
fn no_texture_is_mirrored() {
    // A reader that splits vertices between mirrored and unmirrored triangles finds none to split.
    for path in [MANNEQUINS[0], MANNEQUINS[1], CYLINDER] {
        let mesh = parse_mesh(made(path)).expect("the file is sound").document.meshes.remove(0);
        assert_eq!(load(&[path]).model.meshes[0].vertex_count(), mesh.verts.len(), "{path}");
        for (number, tri) in mesh.tris.iter().enumerate() {
            let [a, b, c] = tri.corners.map(|corner| glam::DVec2::from(mesh.verts[corner as usize].uv));
            assert!((b - a).perp_dot(c - a) > 0.0, "{path}: triangle {number} is mirrored or empty");
        }
    }
}

#[test]
fn texture_coordinates_stay_within_the_image() {
    for (path, picture) in [(MANNEQUINS[0], "mannequin"), (MANNEQUINS[1], "mannequin"), (CYLINDER, "cylinder")] {
        let file = parse_mesh(made(path)).expect("the file is sound").document;
        assert_eq!(file.meshes[0].shader.to_name(), picture);
        assert!(MADE.contains_key(&format!("md5/{picture}.png")));
        for (vertex, vert) in file.meshes[0].verts.iter().enumerate() {
            assert!(vert.uv.iter().all(|&at| (0.0..=1.0).contains(&at)), "{path}: vertex {vertex}: {:?}", vert.uv);
        }
    }
}

/// Returns all clips with the meshes they are made for.
fn clips() -> Vec<(String, Vec<&'static str>)> {
    let mut all: Vec<_> =
        MANNEQUIN_CLIPS.iter().map(|name| (format!("md5/{name}.md5anim"), MANNEQUINS.to_vec())).collect();
    all.extend(["bend", "twist"].map(|name| (format!("md5/cylinder_{name}.md5anim"), vec![CYLINDER])));
    all
}

fn components<'a>(file: &'a AnimFile<'_>, frame: usize) -> &'a [f64] {
    let count = file.num_animated_components.value as usize;
    &file.components[frame * count..(frame + 1) * count]
}

#[test]
fn clips_loop_and_store_only_what_changes() {
    let mut flags = BTreeSet::new();
    for (path, _) in clips() {
        let file = parse_anim(made(&path)).expect("the file is sound").document;
        let last = file.frames.len() - 1;
        assert_eq!(components(&file, 0), components(&file, last), "{path} does not end as it begins");
        for (component, &first) in components(&file, 0).iter().enumerate() {
            let changes = (1..last).any(|frame| components(&file, frame)[component] != first);
            assert!(changes, "{path}: component {component} never changes");
        }
        // The base frame is frame 0.
        let mut stored = components(&file, 0).iter().copied();
        for (channel, base) in file.hierarchy.iter().zip(&file.baseframe) {
            flags.insert(channel.flags.value);
            for (bit, value) in base.position.into_iter().chain(base.rotation).enumerate() {
                if channel.flags.value >> bit & 1 == 1 {
                    assert_eq!(stored.next(), Some(value), "{path}: base frame of {:?}", channel.name.to_name());
                }
            }
        }
    }
    assert!(flags.len() >= 5, "only these flags occur: {flags:?}");
}

#[test]
fn bounds_contain_every_vertex_and_little_more() {
    for (path, meshes) in clips() {
        let file = parse_anim(made(&path)).expect("the file is sound").document;
        let mut boxes = vec![(DVec3::MAX, DVec3::MIN); file.frames.len()];
        for mesh in meshes {
            let loaded = load(&[mesh, &path]);
            let (model, mesh) = (&loaded.model, &loaded.model.meshes[0]);
            let (mut local, mut joints) = (LocalPose::default(), ModelPose::default());
            let mut skinned = Skinned::default();
            for (frame, (min, max)) in boxes.iter_mut().enumerate() {
                sample(&model.skeleton, &model.clips[0], frame as f64 / file.frame_rate, &mut local);
                local_to_model(&model.skeleton, &local, &mut joints);
                linear(mesh, &joints, &mut skinned);
                for &position in &skinned.positions {
                    (*min, *max) = (min.min(position), max.max(position));
                }
            }
        }
        for (frame, ((min, max), bounds)) in boxes.iter().zip(&file.bounds).enumerate() {
            let (low, high) = (DVec3::from(bounds.min), DVec3::from(bounds.max));
            assert!(low.cmple(*min).all() && high.cmpge(*max).all(), "{path}: a vertex leaves the box of {frame}");
            let slack = (*min - low).max(high - *max).max_element();
            assert!(slack < 0.01, "{path}: the box of frame {frame} is {slack} inches too large");
        }
    }
}

#[test]
fn standing_feet_do_not_sink_or_slide() {
    // In clips on the spot, the lowest vertex stays at the ground unless both feet are in the air.
    for (clip, in_the_air) in [("idle", 0.0), ("walk", 0.1), ("wave", 0.0), ("run", 6.0), ("jump", 24.0)] {
        let file = parse_anim(made(&format!("md5/{clip}.md5anim"))).expect("the file is sound").document;
        for (frame, bounds) in file.bounds.iter().enumerate() {
            let low = bounds.min[2];
            assert!((-0.45..=in_the_air + 0.1).contains(&low), "{clip}: frame {frame} is at {low}");
        }
    }
    // A flat foot in the walk moves back by the same distance in every frame.
    let loaded = load(&[MANNEQUINS[1], "md5/walk.md5anim"]);
    let (skeleton, clip) = (&loaded.model.skeleton, &loaded.model.clips[0]);
    let foot = skeleton.find("foot_l").expect("the left foot exists");
    let (mut local, mut joints) = (LocalPose::default(), ModelPose::default());
    let places: Vec<DVec3> = (5..=9)
        .map(|frame| {
            sample(skeleton, clip, f64::from(frame) / 30.0, &mut local);
            local_to_model(skeleton, &local, &mut joints);
            joints.0[foot.index()].translation
        })
        .collect();
    for pair in places.windows(2) {
        let step = pair[1] - pair[0];
        assert!((step - DVec3::new(-46.0 / 32.0, 0.0, 0.0)).length() < 2e-3, "the foot moves by {step}");
    }
}

/// Parses the entries of an example list: joint, rotation, mesh.
fn examples(list: &str) -> Vec<(String, [f64; 4], String)> {
    let text = std::str::from_utf8(made(list)).expect("the list is text");
    let value = |block: &str, key: &str| -> String {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
        line.unwrap_or_else(|| panic!("{list}: no {key} in {block}")).trim().trim_matches(['"', '[', ']']).to_owned()
    };
    text.split("[[example]]")
        .skip(1)
        .map(|block| {
            let numbers: Vec<f64> =
                value(block, "rotation").split(',').map(|n| n.trim().parse().expect("a number")).collect();
            let rotation = numbers.try_into().expect("four numbers");
            (value(block, "joint"), rotation, format!("md5/{}", value(block, "mesh")))
        })
        .collect()
}

#[test]
fn example_poses_fit_their_models() {
    for (model_path, list, count) in
        [(MANNEQUINS[1], "md5/mannequin_light.examples.toml", 4), (CYLINDER, "md5/cylinder.examples.toml", 2)]
    {
        let model = load(&[model_path]).model;
        let examples = examples(list);
        assert_eq!(examples.len(), count, "{list}");
        for (joint, rotation, path) in examples {
            let example = load(&[&path]).model;
            let [mesh, bent] = [&model.meshes[0], &example.meshes[0]];
            assert_eq!((&mesh.uvs, &mesh.triangles), (&bent.uvs, &bent.triangles), "{path}");
            assert_eq!(mesh.vertex_count(), bent.vertex_count(), "{path}");
            // The example's skeleton is the bind pose with one joint turned in its parent's axes.
            let joint = model.skeleton.find(&joint).unwrap_or_else(|| panic!("{list}: no joint {joint}"));
            let rotation = glam::DQuat::from_array(rotation);
            assert!((rotation.length() - 1.0).abs() < 1e-8, "{path}: {rotation}");
            for id in model.skeleton.ids() {
                let mut wanted = model.skeleton[id].rest_local;
                if id == joint {
                    wanted.rotation = rotation * wanted.rotation;
                }
                let found = example.skeleton[id].rest_local;
                assert!(wanted.translation.distance(found.translation) < 1e-4, "{path}: {id:?}");
                // The tolerance of six printed decimals of a quaternion near w = 0.
                assert!(wanted.rotation.dot(found.rotation).abs() > 1.0 - 1e-8, "{path}: {id:?}");
            }
            // Vertices that the joint and its children do not influence keep their positions.
            let mut below = BTreeSet::from([joint]);
            for id in model.skeleton.ids() {
                if model.skeleton[id].parent.is_some_and(|parent| below.contains(&parent)) {
                    below.insert(id);
                }
            }
            let mut moved = 0;
            for vertex in 0..mesh.vertex_count() {
                let pulled = mesh
                    .influences_of(vertex)
                    .iter()
                    .any(|influence| below.contains(&mesh.bind[influence.slot as usize].joint));
                let distance = mesh.positions[vertex].distance(bent.positions[vertex]);
                assert!(pulled || model_path == CYLINDER || distance < 1e-4, "{path}: vertex {vertex}");
                moved += usize::from(distance > 1.0);
            }
            assert!(moved > 100, "{path}: only {moved} vertices move");
        }
    }
}

#[test]
fn the_example_elbow_keeps_its_volume() {
    let volume = |path: &str| -> f64 {
        let model = load(&[path]).model;
        let mesh = &model.meshes[0];
        let corners = mesh.triangles.iter().map(|corners| corners.map(|v| mesh.positions[v as usize].as_dvec3()));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    };
    let rest = volume(CYLINDER);
    for (_, _, path) in examples("md5/cylinder.examples.toml") {
        let share = volume(&path) / rest;
        assert!((share - 1.0).abs() < 1e-5, "{path} has {share} of the volume");
    }
}
