//! Imported glTF: files as other programs write them, and hostile ones.

use crate::support::{GltfFile, armature, pose_at};
use bindpose::export::gltf::{Options, write};
use bindpose::left_out::{FoundBy, LeftOut, Part};
use bindpose::load::{LoadError, LoadOptions, Loaded, load_bytes};
use bindpose::model::{Material, Model};
use bindpose::pose::LocalPose;
use bindpose::skin::Skinned;
use glam::{DVec3, Vec2, Vec3};
use serde_json::{Value, json};
use std::sync::Arc;

fn read(bytes: Vec<u8>) -> Result<Loaded, LoadError> {
    load_bytes(vec![("figure.gltf".into(), bytes)], &LoadOptions::default())
}

fn model(bytes: Vec<u8>) -> Model {
    Arc::unwrap_or_clone(read(bytes).map_err(|error| error.to_string()).unwrap().model)
}

fn changed(file: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut json: Value = serde_json::from_slice(file).unwrap();
    change(&mut json);
    serde_json::to_vec(&json).unwrap()
}

/// Returns the positions of all vertices of the first mesh.
fn placed(model: &Model, time: f64) -> Vec<DVec3> {
    let (_, pose) = pose_at(model, 0, time);
    let mesh = &model.meshes[0];
    let place = |vertex| -> DVec3 {
        let pulled = mesh.influences_of(vertex).iter().map(|influence| {
            let joint = mesh.bind[influence.slot as usize].joint;
            pose.0[joint.index()].transform_point3(influence.offset.as_dvec3()) * f64::from(influence.weight)
        });
        pulled.sum()
    };
    (0..mesh.vertex_count()).map(place).collect()
}

fn near(places: &[DVec3], expected: &[[f64; 3]]) {
    assert_eq!(places.len(), expected.len());
    for (place, expected) in places.iter().zip(expected) {
        assert!(place.distance(DVec3::from_array(*expected)) < 1e-5, "{places:?}, expected {expected:?}");
    }
}

/// glTF (x, y, z) is model (z, x, y), with +Z in glTF as the front.
#[test]
fn g2m02_and_03_names_stay_and_an_armature_is_applied() {
    let model = model(armature());
    let names: Vec<&str> = model.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["mixamorig:Hips", "mixamorig:Spine"]);
    // The armature turns +Y to +Z and shrinks to a hundredth. (100, 0, 0) becomes (1, 0, 0) and (0, 100, 0) becomes (0,
    // 0, 1) in glTF's axes; the model's are (z, x, y).
    let mesh = &model.meshes[0];
    let bind: Vec<DVec3> = mesh.positions.iter().map(|place| place.as_dvec3()).collect();
    near(&bind, &[[0., 0., 0.], [0., 1., 0.], [1., 0., 0.]]);
    near(&placed(&model, 0.0), &[[0., 0., 0.], [0., 1., 0.], [1., 0., 0.]]);
    for joint in model.skeleton.joints() {
        assert_eq!(joint.rest_local.scale, DVec3::ONE, "the scale went into what hangs on the joints");
    }
    assert!((model.skeleton.joints()[1].rest_local.translation.length() - 0.5).abs() < 1e-7);
}

/// Our own writer's file has the front of the model, so that joints keep their axes on the way back.
#[test]
fn a_model_from_x_has_its_axes_again() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/x/cylinder.x");
    let before = bindpose::load::load(&[path], &LoadOptions::default()).unwrap().model;
    let options = Options { front: Some(before.front), ..Options::default() };
    let after = model(write(&before, &options).unwrap().bytes);
    assert_eq!(after.front, before.front);
    for (after, before) in after.skeleton.joints().iter().zip(before.skeleton.joints()) {
        let [after, before] = [after, before].map(|joint| joint.rest_local.to_affine());
        assert!(after.abs_diff_eq(before, 1e-5), "{after} {before}");
    }
}

/// Half-way, the step has not changed yet, the turn is half a right angle, and the spline is at 3/4 - 2/8 = 1/2.
#[test]
fn g2m06_steps_splines_and_lines() {
    let model = model(armature());
    assert_eq!((model.clips[0].name.as_str(), model.clips[0].duration), ("Wave", 1.0));
    for (time, spline, lift, degrees) in [
        (0.5_f64, 0.05, 0.5, 45.0_f64),
        (0.25, 0.1 * (3.0 * 0.0625 - 2.0 * 0.015625), 0.5, 22.5),
        (1.0, 0.1, 0.7, 90.0),
    ] {
        // In the armature's axes, a hundredth of their size, the third vertex is 0.5 above the spine.
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let third = [spline - 0.5 * sine, lift + 0.5 * cosine];
        let places = placed(&model, time);
        // Armature x is glTF x and model y; armature y is glTF z and model x.
        let expected = DVec3::new(third[1], third[0], 0.0);
        assert!(places[2].distance(expected) < 1e-6, "{time}: {} is not {expected}", places[2]);
        assert!(places[0].distance(DVec3::new(0.0, spline, 0.0)) < 1e-6, "{time}: {}", places[0]);
    }
}

/// The step of the spine, from 0.5 to 0.7 at the end, is as sharp as before.
#[test]
fn steps_are_exported_to_gltf() {
    let figure = model(armature());
    let output = write(&figure, &Options::default()).unwrap();
    assert!(output.losses.is_empty(), "{:?}", output.losses);
    let back = model(output.bytes);
    for time in [0.5, 0.999, 1.0] {
        for (seen, expected) in placed(&back, time).iter().zip(placed(&figure, time)) {
            assert!(seen.distance(expected) < 1e-6, "{time}: {seen} is not {expected}");
        }
    }
}

#[test]
fn g2m04_of_two_skins_one_can_be_chosen() {
    let two = changed(&armature(), |json| {
        let mut second = json["skins"][0].clone();
        second["name"] = "coat".into();
        json["skins"].as_array_mut().unwrap().push(second);
        json["nodes"][1]["mesh"] = 0.into();
        json["nodes"][1]["skin"] = 1.into();
    });
    assert_eq!(model(two.clone()).meshes.len(), 2);
    for skin in ["coat", "1"] {
        let mut options = LoadOptions::default();
        options.game.skin = Some(skin.into());
        let loaded = load_bytes(vec![("figure.gltf".into(), two.clone())], &options).unwrap();
        assert_eq!(loaded.model.meshes.len(), 1);
        assert!(loaded.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("other skins")));
    }
    let mut options = LoadOptions::default();
    options.game.skin = Some("hat".into());
    let error = load_bytes(vec![("figure.gltf".into(), two)], &options).err().unwrap().to_string();
    assert_eq!(error, "/skins: there is no skin 'hat'; the file has 0 (body), 1 (coat)");
}

#[test]
fn g2m05_what_is_not_read_is_listed_once() {
    let whole = read(armature()).unwrap();
    assert_eq!((whole.left_out, whole.model.clips.len()), (vec![], 1));
    let file = changed(&armature(), |json| {
        json["extensionsUsed"] = json!(["EXT_fur", "KHR_lights_punctual", "KHR_materials_specular"]);
        json["extensions"] = json!({"KHR_lights_punctual": {"lights": [{"name": "Sun", "type": "directional"}]}});
        json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]);
        let (of_mesh, mut points) = (json["meshes"][0].clone(), json["meshes"][0]["primitives"][0].clone());
        points["mode"] = 0.into();
        let parts = json["meshes"][0]["primitives"].as_array_mut().unwrap();
        parts[0]["targets"] = json!([{"POSITION": 0}]);
        parts[0]["material"] = 0.into();
        parts.extend([points.clone(), points]);
        json["meshes"].as_array_mut().unwrap().push(of_mesh);
        json["meshes"][1]["name"] = "Hidden".into();
        let texture = json!({"index": 0});
        json["images"] = json!([{"uri": "skin.png"}]);
        json["textures"] = json!([{"source": 0}]);
        json["materials"] = json!([{
            "name": "skin",
            "occlusionTexture": texture,
            "pbrMetallicRoughness": {"metallicRoughnessTexture": texture},
            "extensions": {"KHR_materials_specular": {"specularTexture": texture}}
        }]);
        let smile = json!({"sampler": 0, "target": {"node": 4, "path": "weights"}});
        let wave = json["animations"][0].clone();
        json["animations"][0]["channels"].as_array_mut().unwrap().push(smile.clone());
        let animation =
            |name: &str, channels: Value| json!({"name": name, "samplers": wave["samplers"], "channels": channels});
        let still = json!({"sampler": 0, "target": {"node": 1, "path": "translation"}});
        json["nodes"].as_array_mut().unwrap().push(json!({"name": "Lens", "camera": 0}));
        let pan = json!({"sampler": 0, "target": {"node": 5, "path": "translation"}});
        let nowhere = json!({"sampler": 0, "target": {"path": "pointer"}});
        let more = [
            animation("Smile", json!([smile])),
            animation("Pan", json!([pan])),
            animation("Hold", json!([still, nowhere])),
        ];
        json["animations"].as_array_mut().unwrap().extend(more);
    });
    let loaded = read(file).unwrap();
    let row = |left: &LeftOut| {
        assert_eq!((left.found_by, left.is_fault()), (FoundBy::Importer, false));
        (left.kind, left.name.clone(), left.reason.message.clone())
    };
    let said: Vec<_> = loaded.left_out.iter().map(row).collect();
    let textures = "not read: metallicRoughnessTexture, occlusionTexture, specularTexture";
    let expected = [
        (Part::Extension, "EXT_fur", "what it adds is not read"),
        (Part::Camera, "", "cameras of glTF files are not read"),
        (Part::Light, "Sun", "lights of glTF files are not read"),
        (Part::Track, "", "1 animation channel names no node"),
        (Part::Mesh, "Hidden", "no node of the shown scene has it"),
        (Part::MaterialParameter, "skin", textures),
        (Part::Morph, "Body", "morph targets are not read"),
        (Part::Mesh, "Body", "2 of 3 primitives are points or lines, which are not read"),
        (Part::Morph, "Wave", "what the clip does to morph targets is not read"),
        (Part::Clip, "Smile", "it moves only morph targets, which are not read"),
        (Part::Clip, "Pan", "it moves no joint of the model"),
    ];
    assert_eq!(said, expected.map(|(part, name, message)| (part, name.to_owned(), message.to_owned())));
    let clips: Vec<&str> = loaded.model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(clips, ["Wave", "Hold"]);
    let text = loaded.left_out[2].to_string();
    assert!(
        text.starts_with("light 'Sun' is left out: lights of glTF files are not read (GLI001 at figure.gltf:1:"),
        "{text}"
    );
}

#[test]
fn g2m07_without_a_skin_there_is_one_joint_or_the_nodes_that_move() {
    let mut file = GltfFile::default();
    let position = file.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let times = file.floats("SCALAR", &[0., 2.]);
    let moves = file.floats("VEC3", &[0., 0., 0., 0., 4., 0.]);
    let still = json!({
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "lift", "children": [1], "scale": [-1, 1, 1]},
            {"name": "crate", "mesh": 0, "translation": [0, 0, 3]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": position}}]}],
    });
    let alone = model(file.text(still.clone()));
    assert_eq!(alone.skeleton.joints()[0].name, "origin");
    // Mirrored at the plane x = 0, which flips the triangle unless its corners change their order.
    near(&placed(&alone, 0.0), &[[3., 0., 0.], [3., -1., 0.], [3., 0., 1.]]);
    assert_eq!(alone.meshes[0].triangles, [[0, 2, 1]]);
    let mut moving = still;
    moving["animations"] = json!([{
        "samplers": [{"input": times, "output": moves}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
    }]);
    let moving = model(file.text(moving));
    assert_eq!(moving.skeleton.joints()[0].name, "lift");
    assert_eq!(moving.clips[0].name, "figure");
    near(&placed(&moving, 1.0), &[[3., 0., 2.], [3., -1., 2.], [3., 0., 3.]]);
}

/// Each change with the JSON path that its error names.
#[test]
fn hostile_files_get_an_error_with_its_location() {
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 26] = [
        ("/accessors/0", |json| json["accessors"][0]["count"] = 4.into()),
        ("/accessors/0", |json| json["accessors"][0]["count"] = 4_294_967_295_u32.into()),
        ("/accessors/0", |json| json["accessors"][0]["byteOffset"] = u64::MAX.into()),
        ("/bufferViews/0", |json| json["bufferViews"][0]["byteLength"] = 1_000_000.into()),
        ("/bufferViews/0/byteStride", |json| json["bufferViews"][0]["byteStride"] = 4.into()),
        ("/buffers/0/byteLength", |json| json["buffers"][0]["byteLength"] = 4_294_967_296_u64.into()),
        ("/buffers/0/uri", |json| json["buffers"][0]["uri"] = "../../etc/passwd".into()),
        ("/buffers/0/uri", |json| json["buffers"][0]["uri"] = "other.bin".into()),
        ("/buffers/0/uri", |json| json["buffers"][0]["uri"] = "data:;base64,A*".into()),
        ("/nodes/3/children/0", |json| json["nodes"][3]["children"] = json!([1])),
        ("/nodes/0", |json| {
            json["nodes"][0]["children"] = json!([1]);
            json["nodes"][3]["children"] = json!([0]);
        }),
        ("/nodes/4/mesh", |json| json["nodes"][4]["mesh"] = 7.into()),
        ("/skins/0/inverseBindMatrices", |json| json["accessors"][3]["count"] = 1.into()),
        ("/meshes/0/primitives/0/attributes/JOINTS_0", |json| {
            json["skins"][0]["joints"] = json!([2]);
        }),
        ("/extensionsRequired/0", |json| json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"])),
        ("/animations/0/samplers/1/output", |json| json["accessors"][6]["count"] = 1.into()),
        ("/buffers/0/uri", |json| json["buffers"][0]["uri"] = "%2e%2e/secret.bin".into()),
        ("/buffers/0/uri", |json| json["buffers"][0]["uri"] = "file:///etc/passwd".into()),
        ("/buffers/0/uri", |json| json["buffers"][0]["uri"] = "data:text/plain,abc".into()),
        ("/nodes/0", |json| json["nodes"][0]["children"] = json!([0])),
        ("/nodes/2/children/0", |json| json["nodes"][2]["children"] = json!([4_000_000_000_u32])),
        ("/accessors/0/bufferView", |json| json["accessors"][0]["bufferView"] = 99.into()),
        ("/skins/0/joints/1", |json| json["skins"][0]["joints"] = json!([2, 77])),
        ("/animations/0/channels/0/target/node", |json| {
            json["animations"][0]["channels"][0]["target"]["node"] = 1_000_000.into();
        }),
        ("/images/0/bufferView", |json| json["images"] = json!([{"bufferView": 99, "mimeType": "image/png"}])),
        ("/images/0/uri", |json| json["images"] = json!([{"uri": "data:image/png;base64,/"}])),
    ];
    for (pointer, change) in cases {
        let Err(LoadError::File { sources, diagnostics }) = read(changed(&armature(), change)) else {
            panic!("{pointer} was read")
        };
        let last = diagnostics.last().unwrap();
        assert!(last.message.starts_with(&format!("{pointer}: ")), "{pointer}: {}", last.message);
        let label = last.primary.as_ref().unwrap();
        assert!(label.span.end > label.span.start, "{pointer} is nowhere in the file");
        assert!((label.span.end as usize) <= sources.get(label.source).bytes.len());
    }
}

/// "When undefined, the accessor MUST be initialized with zeros; sparse property or extensions MAY override zeros with
/// actual values" (glTF 2.0, accessor.bufferView).
#[test]
fn an_accessor_without_a_buffer_view_has_zeros() {
    let zeros = |count: u32, sparse: Option<Value>| {
        read(changed(&armature(), |json| {
            let accessor = json["accessors"][0].as_object_mut().unwrap();
            accessor.remove("bufferView");
            accessor.insert("count".into(), count.into());
            accessor.extend(sparse.map(|sparse| ("sparse".into(), sparse)));
        }))
    };
    // Replaces the first position by the second of the buffer.
    let sparse = json!({
        "count": 1,
        "indices": {"bufferView": 1, "componentType": 5121},
        "values": {"bufferView": 0, "byteOffset": 12},
    });
    for (sparse, first) in [(None, [0.0; 3]), (Some(sparse), [0.0, 1.0, 0.0])] {
        let model = zeros(3, sparse.clone()).unwrap().model;
        let places: Vec<DVec3> = model.meshes[0].positions.iter().map(|place| place.as_dvec3()).collect();
        near(&places, &[first, [0.0; 3], [0.0; 3]]);
        // The file may claim any number.
        let error = zeros(u32::MAX, sparse).err().unwrap().to_string();
        assert!(error.starts_with("/accessors/0: 4,294,967,295 elements without a buffer view"), "{error}");
    }
}

/// Neither deep nodes nor deep JSON overflow the stack.
#[test]
fn depth_costs_no_stack() {
    let deep = changed(&armature(), |json| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let first = nodes.len();
        nodes.extend((0..200_000).map(|node| json!({"children": [first + node + 1]})));
        nodes.push(json!({}));
    });
    assert_eq!(model(deep).skeleton.len(), 2);
    let nested = ["{\"asset\":", &"[".repeat(1_000_000)].concat();
    let error = read(nested.into_bytes()).err().unwrap().to_string();
    assert!(error.starts_with("the JSON is wrong"), "{error}");
}

#[test]
fn images_elsewhere_are_left_out_and_reported() {
    let file = changed(&armature(), |json| {
        json["images"] =
            json!([{"uri": "https://example.com/skin.png", "name": "skin"}, {"uri": "../textures/a%20b.png"}]);
        json["textures"] = json!([{"source": 0}, {"source": 1}]);
        let material = |texture| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}});
        json["materials"] = json!([material(0), material(1)]);
    });
    let loaded = read(file).unwrap();
    let said: Vec<&str> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(said.contains(&"the image 'skin' is no file beside the model and is not read"), "{said:?}");
    let textures: Vec<_> = loaded.model.materials.iter().map(|material| material.texture.as_deref()).collect();
    assert_eq!(textures[..2], [Some("skin"), Some("../textures/a b.png")]);
}

/// The example of KHR_texture_transform: the lower left quarter of the image, rotated clockwise. An image is clamped if
/// its sampler clamps both directions.
#[test]
fn images_are_transformed_and_clamped_as_the_file_says() {
    const CLAMP: u32 = 33071;
    const REPEAT: u32 = 10497;
    let mut file = GltfFile::default();
    let position = file.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let uv = file.floats("VEC2", &[0., 0., 1., 0., 0., 1.]);
    let transform = json!({"offset": [0, 1], "rotation": std::f64::consts::FRAC_PI_2, "scale": [0.5, 0.5]});
    for (wrap_s, wrap_t, is_clamped) in
        [(CLAMP, CLAMP, true), (CLAMP, REPEAT, false), (REPEAT, CLAMP, false), (REPEAT, REPEAT, false)]
    {
        let texture = json!({"index": 0, "extensions": {"KHR_texture_transform": transform}});
        let model = model(file.text(json!({
            "extensionsUsed": ["KHR_texture_transform"],
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": position, "TEXCOORD_0": uv}, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": texture}}],
            "textures": [{"source": 0, "sampler": 0}],
            "samplers": [{"wrapS": wrap_s, "wrapT": wrap_t}],
            "images": [{"uri": "leaf.png"}],
        })));
        for (uv, expected) in model.meshes[0].uvs.iter().zip([[0., 1.], [0., 0.5], [0.5, 1.]]) {
            assert!(uv.distance(Vec2::from_array(expected)) < 1e-6, "{uv} is not {expected:?}");
        }
        let stages = &model.materials[0].surface.as_ref().unwrap().stages;
        assert!(!stages.is_empty() && stages.iter().all(|stage| stage.wrap.is_some() == is_clamped), "{stages:?}");
    }
}

/// Phong's exponent 48 is a roughness of 0.2: 2 / (48 + 2) = 0.04.
#[test]
fn highlights_are_read_and_written() {
    let mut material = Material::neutral("wet");
    (material.specular, material.specular_power) = (Vec3::new(0.5, 0.25, 1.0), 48.0);
    let mut figure = model(armature());
    figure.materials = vec![material];
    figure.clips.clear();
    let options = Options { specular: true, ..Options::default() };
    let output = write(&figure, &options).unwrap();
    assert!(output.losses.is_empty(), "{:?}", output.losses);
    let back = model(output.bytes);
    assert_eq!(back.materials[0].specular, Vec3::new(0.5, 0.25, 1.0));
    assert!((back.materials[0].specular_power - 48.0).abs() < 1e-3, "{}", back.materials[0].specular_power);
    assert!(!write(&figure, &Options::default()).unwrap().losses.is_empty());
}

#[test]
fn version_1_is_refused_by_name() {
    for text in [
        r#"{"asset":{"version":"1.0"},"scene":"s","scenes":{"s":{"nodes":[]}},"nodes":{},"meshes":{}}"#,
        r#"{"scene":"s","scenes":{"s":{"nodes":[]}},"nodes":{},"meshes":{}}"#,
    ] {
        let error = read(text.into()).err().unwrap().to_string();
        assert!(error.contains("glTF version 1.0; version 2.0 is read"), "{error}");
    }
}

/// The first vertex has a quarter of a weight, as a float, or 51 of 255. glTF's (0, 2, 0) is the model's (0, 0, 2).
#[test]
fn weights_are_divided_by_their_sum() {
    for (is_float, sum, moves) in [(true, "0.250", "1.500000"), (false, "0.200", "1.600000")] {
        let mut file = GltfFile::default();
        let position = file.floats("VEC3", &[0., 2., 0., 1., 2., 0., 0., 3., 0.]);
        let joints = file.bytes("VEC4", &[0; 12]);
        let weights = match is_float {
            true => file.floats("VEC4", &[0.25, 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.]),
            false => file.bytes("VEC4", &[51, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]),
        };
        let attributes = json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
        let text = file.text(json!({
            "scene": 0,
            "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"mesh": 0, "skin": 0}, {"name": "bone"}],
            "skins": [{"joints": [1]}],
            "meshes": [{"name": "strip", "primitives": [{"attributes": attributes}]}]
        }));
        let loaded = read(changed(&text, |json| {
            if !is_float {
                json["accessors"][weights]["normalized"] = true.into();
            }
        }));
        let loaded = loaded.map_err(|error| error.to_string()).unwrap();
        let rest = LocalPose::rest(&loaded.model.skeleton).to_model(&loaded.model.skeleton);
        let places = Skinned::linear(&loaded.model.meshes[0], &rest).positions;
        near(&places, &[[0., 0., 2.], [0., 1., 2.], [0., 0., 3.]]);
        let said: Vec<&str> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        let expected = format!(
            "the weights of 1 vertex of mesh 'strip' have the sum {sum} and are divided by it, which moves a vertex by up to \
             {moves} units"
        );
        assert_eq!(said, [expected]);
    }
}

#[test]
fn damaged_containers_get_an_error_with_its_byte() {
    let mut glb = b"glTF\x02\0\0\0\x1c\0\0\0\x08\0\0\0JSON{}      ".to_vec();
    let message = |bytes: &[u8]| {
        let file = vec![("figure.glb".into(), bytes.to_vec())];
        load_bytes(file, &LoadOptions::default()).err().unwrap().to_string()
    };
    assert!(message(&glb).starts_with("the JSON is wrong: missing field `asset`"), "{}", message(&glb));
    assert_eq!(message(&glb[..20]), "the header says 28 bytes, the file has 20; it is cut short");
    assert_eq!(message(&glb[..8]), "the header of a .glb file has 12 bytes, this file has 8");
    glb[4] = 1;
    assert_eq!(message(&glb), "glTF version 1; version 2 is read");
    assert_eq!(message(b""), "the JSON is wrong: EOF while parsing a value");
}
