//! Round trips: a model that was written and read again moves as before.

use crate::{Front, Loss, gltf, iqm, md5, obj, x};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::engines::EngineId;
use bindpose_core::load::{LoadOptions, load, load_bytes};
use bindpose_core::model::{Mesh, Model};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use glam::{DAffine3, DQuat, DVec3};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the samples of the repository, and the corpus if it exists: all models in the full run, otherwise every third
/// from number `first` on.
fn models(first: usize) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = std::env::var_os("BINDPOSE_SHARED").map(|shared| Path::new(&shared).join("corpus"));
    let mut open: Vec<PathBuf> = std::iter::once(root.join("data")).chain(corpus).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
            if path.is_dir() {
                open.push(path);
            } else if extension.is_some_and(|extension| extension == "md5mesh" || extension == "x") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
        .into_iter()
        .enumerate()
        .filter(|(number, _)| everything() || number % 3 == first)
        .map(|(_, path)| path)
        .collect()
}

/// True if all models, clips, keys and times half-way are tested.
fn everything() -> bool {
    std::env::var_os("BINDPOSE_TESTS").is_some_and(|tests| tests == "all")
}

/// Loads a model. Returns `None` if the file is damaged or has nothing to compare.
fn read(path: &Path) -> Option<Model> {
    let mut model = Arc::unwrap_or_clone(load(&[path], &LoadOptions::with_clips()).ok()?.model);
    // Three clips are enough to find mistakes in reasonable time.
    model.clips.truncate(if everything() { usize::MAX } else { 3 });
    (!model.meshes.is_empty()).then_some(model)
}

fn front_of(path: &Path) -> Front {
    if path.extension().is_some_and(|extension| extension == "md5mesh") { Front::PositiveX } else { Front::NegativeY }
}

fn read_md5(output: &crate::Output) -> Model {
    let mut files = vec![(PathBuf::from("model.md5mesh"), output.bytes.clone())];
    let clips = output.beside.iter().filter(|file| file.name.ends_with(".md5anim"));
    files.extend(clips.map(|file| (PathBuf::from(&file.name), file.bytes.clone())));
    Arc::unwrap_or_clone(load_bytes(files, &LoadOptions::default()).unwrap().model)
}

/// Computes the positions of all vertices in a clip, mesh by mesh, with our formula only.
fn positions(model: &Model, clip: usize, time: f64) -> Vec<Vec<DVec3>> {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    sample(&model.skeleton, &model.clips[clip], time, &mut local);
    local_to_model(&model.skeleton, &local, &mut pose);
    let of_mesh = |mesh: &Mesh| {
        let vertex = |vertex| {
            let influences = mesh.influences_of(vertex).iter();
            let pulled = influences.map(|influence| {
                let joint = &pose.0[mesh.bind[influence.slot as usize].joint.index()];
                joint.transform_point3(influence.offset.as_dvec3()) * f64::from(influence.weight)
            });
            pulled.sum()
        };
        (0..mesh.vertex_count()).map(vertex).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// Returns the corners of all triangles. They are the same however vertices are numbered.
fn corners(model: &Model, clip: usize, time: f64) -> Vec<DVec3> {
    let positions = positions(model, clip, time);
    let meshes = model.meshes.iter().zip(&positions);
    meshes.flat_map(|(mesh, places)| mesh.triangles.iter().flatten().map(|&corner| places[corner as usize])).collect()
}

/// Returns the largest distance between corners at keys and half-way between them, as a share of the size.
fn difference(a: &Model, b: &Model, clip: usize) -> f64 {
    let times = a.clips[clip].timelines.iter().flat_map(|timeline| timeline.times().to_vec());
    let mut times: Vec<f64> = times.filter(|time| *time >= 0.0).chain([0.0]).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times =
        times.windows(2).flat_map(|pair| [pair[0], (pair[0] + pair[1]) / 2.0]).chain(times.last().copied()).collect();
    let step = if everything() { 1 } else { (times.len() / 40).max(1) };
    let few = times.iter().step_by(step);
    let mut most = 0.0_f64;
    for &time in few {
        let (a, b) = (corners(a, clip, time), corners(b, clip, time));
        assert_eq!(a.len(), b.len());
        most = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(most, f64::max);
    }
    most / crate::loss::size_of(a)
}

/// Returns the distance that the losses of a clip and of all meshes allow, as a share of the size.
fn allowed(losses: &[Loss], clip: &str) -> f64 {
    let of = |loss: &Loss| match loss {
        Loss::Motion { clip: other, moved } if other == clip => moved.of_size,
        Loss::DroppedWeight { moved, .. } | Loss::WeightSum { moved, .. } | Loss::BindResidual { moved, .. } => {
            moved.of_size
        }
        _ => 0.0,
    };
    losses.iter().map(of).sum::<f64>() * 1.1 + 1e-5
}

#[test]
fn models_round_trip_through_md5() {
    let mut written = 0;
    for path in models(0) {
        let Some(model) = read(&path) else { continue };
        // The front is kept, so that the result can be compared unchanged.
        let options = md5::Options { front: Some(Front::PositiveX), ..md5::Options::default() };
        let output = md5::write(&model, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut back = read_md5(&output);
        back.clips
            .sort_by_key(|clip| output.beside.iter().position(|file| file.name == format!("{}.md5anim", clip.name)));
        let mut kept = model.clone();
        kept.meshes.retain(|mesh| !mesh.triangles.is_empty());
        for (number, clip) in model.clips.iter().enumerate() {
            let far = difference(&kept, &back, number);
            let most = allowed(&output.losses, &clip.name);
            assert!(far <= most, "{} '{}': {far:e} instead of {most:e}", path.display(), clip.name);
        }
        written += 1;
    }
    println!("{written} models came back from MD5");
    assert!(written > 0);
}

fn read_x(bytes: Vec<u8>) -> Model {
    Arc::unwrap_or_clone(load_bytes(vec![(PathBuf::from("model.x"), bytes)], &LoadOptions::default()).unwrap().model)
}

#[test]
fn models_round_trip_through_x_and_md5() {
    let (mut written, mut went_on) = (0, 0);
    for (number, path) in models(1).into_iter().enumerate() {
        let Some(mut model) = read(&path) else { continue };
        model.meshes.retain(|mesh| !mesh.triangles.is_empty());
        let binary = x::Encoding { float_size: x::FloatSize::F64, ..x::Encoding::BINARY };
        let encodings = [x::Encoding::TEXT, x::Encoding::TEXT.compressed(), binary, binary.compressed()];
        let (encoding, front) = (encodings[number % 4], front_of(&path));
        let Ok(output) = x::write(&model, &x::Options { encoding, front: Some(front), ..x::Options::default() }) else {
            continue;
        };
        let back = read_x(output.bytes);
        // Reading turned the model to the format's front: turn it back.
        let turned = crate::turn::turned(&back, Front::NegativeY, front, 1.0);
        assert_eq!(back.clips.len(), model.clips.len(), "{}", path.display());
        assert_eq!(back.skeleton.len(), model.skeleton.len(), "{}", path.display());
        for (number, clip) in model.clips.iter().enumerate() {
            let far = difference(&model, &turned, number);
            let most = allowed(&output.losses, &clip.name);
            assert!(far <= most, "{} '{}': {far:e} instead of {most:e}", path.display(), clip.name);
            let lasts = back.clips[number].duration;
            assert!((lasts - clip.duration).abs() < 1e-3, "{}: {lasts} s, not {}", path.display(), clip.duration);
            assert_eq!(back.clips[number].looping, clip.looping, "{}", path.display());
        }
        written += 1;
        let on = md5::write(&back, &md5::Options { front: Some(Front::NegativeY), ..md5::Options::default() });
        if let (Front::PositiveX, Ok(on)) = (front, on) {
            let mut end = read_md5(&on);
            end.clips
                .sort_by_key(|clip| on.beside.iter().position(|file| file.name == format!("{}.md5anim", clip.name)));
            for (number, clip) in model.clips.iter().enumerate() {
                let far = difference(&model, &end, number);
                let most = allowed(&output.losses, &clip.name) + allowed(&on.losses, &back.clips[number].name);
                assert!(far <= most, "{} '{}': {far:e} instead of {most:e}", path.display(), clip.name);
            }
            went_on += 1;
        }
    }
    println!("{written} models came back from .x, {went_on} of them by way of MD5");
    assert!(written > 0 && went_on > 0);
}

/// A reader of .iqm files for these tests, written from the format's description.
struct Iqm<'a> {
    bytes: &'a [u8],
}

impl Iqm<'_> {
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    fn float(&self, at: usize) -> f64 {
        f32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap()).into()
    }

    /// Returns a number of the header after the magic.
    fn header(&self, number: usize) -> usize {
        self.word(16 + 4 * number) as usize
    }

    fn text(&self, offset: u32) -> &str {
        let start = self.header(4) + offset as usize;
        let length = self.bytes[start..].iter().position(|&byte| byte == 0).unwrap();
        std::str::from_utf8(&self.bytes[start..start + length]).unwrap()
    }

    fn local(values: [f64; 10]) -> DAffine3 {
        let [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] = values;
        let rotation = DQuat::from_xyzw(qx, qy, qz, qw).normalize();
        DAffine3::from_scale_rotation_translation(DVec3::new(sx, sy, sz), rotation, DVec3::new(tx, ty, tz))
    }

    fn chain(parents: &[i32], locals: &[DAffine3]) -> Vec<DAffine3> {
        let mut places: Vec<DAffine3> = Vec::new();
        for (parent, local) in parents.iter().zip(locals) {
            places.push(usize::try_from(*parent).map_or(*local, |parent| places[parent] * *local));
        }
        places
    }

    fn parents(&self) -> Vec<i32> {
        (0..self.header(13)).map(|joint| self.word(self.header(14) + 48 * joint + 4) as i32).collect()
    }

    fn base(&self) -> Vec<DAffine3> {
        let local =
            |joint| Self::local(std::array::from_fn(|part| self.float(self.header(14) + 48 * joint + 8 + 4 * part)));
        Self::chain(&self.parents(), &(0..self.header(13)).map(local).collect::<Vec<_>>())
    }

    fn frame(&self, frame: usize) -> Vec<DAffine3> {
        let mut at = self.header(21) + 2 * frame * self.header(20);
        let mut locals = Vec::new();
        for pose in 0..self.header(15) {
            let start = self.header(16) + 88 * pose;
            let mask = self.word(start + 4);
            locals.push(Self::local(std::array::from_fn(|channel| {
                let (offset, scale) = (self.float(start + 8 + 4 * channel), self.float(start + 48 + 4 * channel));
                if mask & (1 << channel) == 0 {
                    return offset;
                }
                let bits = u16::from_le_bytes(self.bytes[at..at + 2].try_into().unwrap());
                at += 2;
                offset + scale * f64::from(bits)
            })));
        }
        Self::chain(&self.parents(), &locals)
    }

    /// Returns the offset of the vertex array of a kind.
    fn array(&self, kind: u32) -> usize {
        let heads = (0..self.header(7)).map(|array| self.header(9) + 20 * array);
        let found = heads.clone().find(|&head| self.word(head) == kind).unwrap();
        self.word(found + 16) as usize
    }

    /// Returns the corners of all triangles in a frame.
    fn corners(&self, frame: usize) -> Vec<DVec3> {
        let (base, pose) = (self.base(), self.frame(frame));
        let palette: Vec<DAffine3> = base.iter().zip(&pose).map(|(base, pose)| *pose * base.inverse()).collect();
        let (positions, joints, weights) = (self.array(0), self.array(4), self.array(5));
        let vertex = |vertex: usize| -> DVec3 {
            let at = |axis: usize| self.float(positions + 12 * vertex + 4 * axis);
            let position = DVec3::new(at(0), at(1), at(2));
            let sum: u32 = (0..4).map(|slot| u32::from(self.bytes[weights + 4 * vertex + slot])).sum();
            assert_eq!(sum, 255);
            let pulled = (0..4).map(|slot| {
                let joint = self.bytes[joints + 4 * vertex + slot];
                let weight = self.bytes[weights + 4 * vertex + slot];
                palette[joint as usize].transform_point3(position) * f64::from(weight) / 255.0
            });
            pulled.sum()
        };
        (0..3 * self.header(10)).map(|corner| vertex(self.word(self.header(11) + 4 * corner) as usize)).collect()
    }
}

#[test]
fn an_independent_reader_sees_the_same_in_iqm() {
    let mut written = 0;
    for path in models(2) {
        let Some(mut model) = read(&path) else { continue };
        model.meshes.retain(|mesh| !mesh.triangles.is_empty());
        let options = iqm::Options { front: Some(Front::PositiveX), ..iqm::Options::default() };
        let output = match iqm::write(&model, &options) {
            Ok(output) => output,
            Err(error) => {
                assert!(model.skeleton.len() > 256, "{}: {error}", path.display());
                continue;
            }
        };
        let file = Iqm { bytes: &output.bytes };
        assert_eq!(&output.bytes[..16], b"INTERQUAKEMODEL\0");
        assert_eq!([file.header(0), file.header(1)], [2, output.bytes.len()], "version and size");
        assert_eq!(file.header(13), model.skeleton.len());
        assert_eq!(file.header(17), model.clips.len());
        let size = crate::loss::size_of(&model);
        for (number, clip) in model.clips.iter().enumerate() {
            let head = file.header(18) + 20 * number;
            assert_eq!(file.text(file.word(head)), clip.name);
            let (first, frames, rate) = (file.word(head + 4), file.word(head + 8), file.float(head + 12));
            for frame in (0..frames).step_by((frames as usize / 10).max(1)) {
                let time = f64::from(frame) / rate;
                // The file's winding is clockwise.
                let ours = corners(&model, number, time);
                let ours = ours.chunks_exact(3).flat_map(|three| [three[0], three[2], three[1]]);
                let theirs = file.corners((first + frame) as usize);
                let far = ours.zip(&theirs).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / size;
                // Between keys, the reader's rounding to 16 bits is not part of the loss.
                let most = allowed(&output.losses, &clip.name) + 1e-5;
                assert!(far <= most, "{} '{}' frame {frame}: {far:e}, not {most:e}", path.display(), clip.name);
            }
        }
        written += 1;
    }
    println!("{written} models were read from .iqm");
    assert!(written > 0);
}

/// Creates a triangle with its left front corner at (1, 2, 3), in a mesh without joints.
fn triangle() -> Model {
    let text = "xof 0303txt 0032 Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; \
        MeshTextureCoords { 3; 0.25;0.75;, 0;0;, 1;1;; } }";
    read_x(text.as_bytes().to_vec())
}

/// .x is left-handed with its front at -Z. The .obj has its front at +Z, and the origin of its images at the bottom.
#[test]
fn obj_has_y_up_z_front_and_v_up() {
    let options = obj::Options { front: Some(Front::NegativeY), scale: 2.0, ..obj::Options::default() };
    let output = obj::write(&triangle(), &options).unwrap();
    let text = String::from_utf8(output.bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.contains(&"v 2 4 -6"), "{text}");
    assert!(lines.contains(&"vt 0.25 0.25"), "{text}");
    assert!(lines.contains(&"f 1/1/1 3/3/3 2/2/2"), "{text}");
    assert_eq!(output.beside[0].name, "model.mtl");
    assert!(text.starts_with("mtllib model.mtl\n"));
}

#[test]
fn an_invalid_scale_is_refused() {
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(md5::write(&triangle(), &md5::Options { scale, ..md5::Options::default() }).is_err());
        assert!(x::write(&triangle(), &x::Options { scale, ..x::Options::default() }).is_err());
        assert!(iqm::write(&triangle(), &iqm::Options { scale, ..iqm::Options::default() }).is_err());
        assert!(obj::write(&triangle(), &obj::Options { scale, ..obj::Options::default() }).is_err());
    }
}

/// Creates a triangle in the frame `root` with sets of two position keys: name, last tick of 24 a second, last place.
fn moved(sets: &[(&str, u32, f32)]) -> Model {
    let mut text = "xof 0303txt 0032 Frame root { Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; } }
         AnimTicksPerSecond { 24; }\n"
        .to_owned();
    for (name, last, place) in sets {
        text += &format!(
            "AnimationSet {name} {{ Animation {{ {{root}} AnimationKey {{ 2; 2; 0;3;0,0,0;;, {last};3;{place},0,0;;; }} }} }}\n"
        );
    }
    read_x(text.into_bytes())
}

#[test]
fn a_clip_without_movement_keeps_its_length() {
    let model = moved(&[("still", 11, 0.0), ("moves", 6, 1.0)]);
    let lasts = |model: &Model| {
        let mut lengths: Vec<_> = model.clips.iter().map(|clip| (clip.name.clone(), clip.duration * 24.0)).collect();
        lengths.sort_by(|a, b| b.0.cmp(&a.0));
        lengths.into_iter().map(|(name, ticks)| format!("{name} {ticks:.4}")).collect::<Vec<_>>()
    };
    let expected = ["still 11.0000", "moves 6.0000"];
    assert_eq!(lasts(&read_x(x::write(&model, &x::Options::default()).unwrap().bytes)), expected);
    assert_eq!(lasts(&read_md5(&md5::write(&model, &md5::Options::default()).unwrap())), expected);
    let iqm = iqm::write(&model, &iqm::Options::default()).unwrap().bytes;
    let word = |at: usize| u32::from_le_bytes(iqm[at..at + 4].try_into().unwrap());
    // The header's last fields name the clips: each has a name, its first frame, its number of frames, rate and flags.
    let (count, start) = (word(16 + 17 * 4), word(16 + 18 * 4) as usize);
    let ticks = |at: usize| f64::from(word(at + 8) - 1) / f64::from(f32::from_bits(word(at + 12))) * 24.0;
    assert_eq!((count, ticks(start), ticks(start + 20)), (2, 11.0, 6.0));
    let glb = gltf::write(&model, &gltf::Options::default()).unwrap().bytes;
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let animations = json["animations"].as_array().unwrap().iter();
    let last_key = animations.map(|animation| {
        let samplers = animation["samplers"].as_array().unwrap().iter();
        let ends = samplers.map(|sampler| {
            let input = sampler["input"].as_u64().unwrap() as usize;
            json["accessors"][input]["max"][0].as_f64().unwrap()
        });
        format!("{} {:.4}", animation["name"].as_str().unwrap(), ends.fold(0.0, f64::max) * 24.0)
    });
    assert_eq!(last_key.collect::<Vec<_>>(), expected);
}

/// Windows and macOS do not distinguish case, Windows reserves the names of devices and drops dots at the end.
#[test]
fn clips_have_files_of_different_names_on_every_system() {
    let model = moved(&["Walk", "walk", "WALK", "con", "AUX", "con_", "Lauf."].map(|name| (name, 3, 1.0)));
    let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["Walk", "walk", "WALK", "con", "AUX", "con_", "Lauf."]);
    let output = md5::write(&model, &md5::Options::default()).unwrap();
    let files: Vec<&str> = output.beside.iter().map(|file| file.name.trim_end_matches(".md5anim")).collect();
    assert_eq!(files, ["Walk", "walk_2", "WALK_3", "con_", "AUX_", "con__2", "Lauf_"]);
    let told = output.losses.iter().find(|loss| matches!(loss, Loss::Renamed { what: "clip", .. })).unwrap();
    let told: Vec<_> = told.new_names().iter().map(|name| (name.from.as_str(), name.to.as_str())).collect();
    let expected = [
        ("walk", "walk_2"),
        ("WALK", "WALK_3"),
        ("con", "con_"),
        ("AUX", "AUX_"),
        ("con_", "con__2"),
        ("Lauf.", "Lauf_"),
    ];
    assert_eq!(told, expected);
}

/// ext4 and NTFS allow 255 bytes or letters.
#[test]
fn clips_with_long_names_have_files_of_legal_length() {
    let model = moved(
        &[format!("{}a", "é".repeat(150)), format!("{}b", "é".repeat(150))].each_ref().map(|name| (&**name, 3, 1.0)),
    );
    let output = md5::write(&model, &md5::Options::default()).unwrap();
    let files: Vec<&str> = output.beside.iter().map(|file| file.name.as_str()).collect();
    let name = "é".repeat(100);
    assert_eq!(files, [format!("{name}.md5anim"), format!("{name}_2.md5anim")]);
}

/// Creates a triangle in a frame with scale 2, and a set of scale keys for that frame.
fn scaled(keys: &str) -> Model {
    let text = format!(
        "xof 0303txt 0032 Frame big {{ FrameTransformMatrix {{ 2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,1;; }}
         Mesh {{ 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; }} }}
         AnimTicksPerSecond {{ 24; }} AnimationSet grow {{ Animation {{ {{big}} AnimationKey {{ 1; 2; {keys} }} }} }}"
    );
    read_x(text.into_bytes())
}

#[test]
fn scale_at_rest_is_baked_into_md5_and_changing_scale_is_refused() {
    let model = scaled("0;3;2,2,2;;, 24;3;2,2,2;;;");
    let output =
        md5::write(&model, &md5::Options { front: Some(Front::NegativeY), ..md5::Options::default() }).unwrap();
    let back = read_md5(&output);
    // (1, 2, 3) in the file is (1, 3, 2) in model space, scaled by 2 (2, 6, 4), and turned from -Y to +X (-6, 2, 4).
    let seen = corners(&back, 0, 0.5);
    assert!(seen.iter().any(|corner| corner.distance(DVec3::new(-6.0, 2.0, 4.0)) < 1e-5), "{seen:?}");
    let error = md5::write(&scaled("0;3;2,2,2;;, 24;3;2,3,2;;;"), &md5::Options::default()).unwrap_err().to_string();
    assert!(error.contains("joint 'big' changes its scale in clip 'grow', by"), "{error}");
    // The mesh has no name, and its new name differs from the frame's.
    let losses = x::write(&scaled("0;3;2,2,2;;, 24;3;2,3,2;;;"), &x::Options::default()).unwrap().losses;
    assert!(losses.iter().all(|loss| matches!(loss, Loss::Renamed { .. })), "{losses:?}");
}

/// Q2PRO and q2repro multiply each offset by the factor of its joint, and nothing is inherited.
#[test]
fn uniform_scale_is_written_next_to_the_clip_for_engines_that_read_it() {
    let options = md5::Options { front: Some(Front::NegativeY), scales: true, ..md5::Options::default() };
    let output = md5::write(&scaled("0;3;2,2,2;;, 24;3;4,4,4;;;"), &options).unwrap();
    let names: Vec<&str> = output.beside.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["grow.md5anim", "grow.md5scale"]);
    let scales: serde_json::Value = serde_json::from_slice(&output.beside[1].bytes).unwrap();
    // The keys have one frame a second, and the second frame has twice the rest pose's scale.
    assert_eq!(scales, serde_json::json!({"big": {"1": 2.0}}));
    let back = read_md5(&output);
    let seen: Vec<DVec3> = corners(&back, 0, 1.0).into_iter().map(|corner| corner * 2.0).collect();
    // (1, 2, 3) in the file is (1, 3, 2) in model space, turned (-3, 1, 2), and scaled by 4.
    assert!(seen.iter().any(|corner| corner.distance(DVec3::new(-12.0, 4.0, 8.0)) < 1e-5), "{seen:?}");
    let uneven = md5::write(&scaled("0;3;2,2,2;;, 24;3;2,3,2;;;"), &options).unwrap_err().to_string();
    assert!(uneven.contains("joint 'big' changes its scale unevenly in clip 'grow'"), "{uneven}");
}

#[test]
fn luanti_gets_one_set_of_frames_in_plain_files() {
    let model = scaled("0;3;2,2,2;;, 48;3;2,3,2;;;");
    let options = x::Options { engine: Some(EngineId::Luanti), ticks_per_second: Some(24), ..x::Options::default() };
    let text = String::from_utf8(x::write(&model, &options).unwrap().bytes).unwrap();
    assert!(text.contains("AnimTicksPerSecond") && text.contains("48;"), "{text}");
    let compressed = x::Options { encoding: x::Encoding::TEXT.compressed(), ..options.clone() };
    assert_eq!(
        x::write(&model, &compressed).unwrap_err().to_string(),
        "Luanti and Irrlicht read no compressed .x files"
    );
    let mut two = model.clone();
    two.clips.push(two.clips[0].clone());
    assert!(x::write(&two, &options).unwrap_err().to_string().contains("there are 2 ('grow', 'grow', …)"));
}

#[test]
fn excessive_sizes_are_refused_with_their_numbers() {
    let late = scaled("0;3;2,2,2;;, 240000000;3;2,2,2;;;");
    let error = md5::write(&late, &md5::Options::default()).unwrap_err().to_string();
    assert!(error.contains("10000000 frames at 1 a second; up to 100,000 are written"), "{error}");
    assert!(iqm::write(&late, &iqm::Options::default()).is_err());
    let mut deep = Model::default();
    let mut parent = None;
    for joint in 0..300 {
        parent = Some(deep.skeleton.push(joint.to_string(), parent, bindpose_core::model::Transform::IDENTITY));
    }
    let error = x::write(&deep, &x::Options::default()).unwrap_err().to_string();
    assert!(error.contains("joints stand 299 deep"), "{error}");
    let mut many = Model::default();
    for _ in 0..250_001 {
        many.skeleton.push("", None, bindpose_core::model::Transform::IDENTITY);
    }
    let error = x::write(&many, &x::Options::default()).unwrap_err().to_string();
    assert!(error.contains("objects; a .x file supports 500,000"), "{error}");
}

/// 2,000 meshes that differ in their positions only: nodes, accessors and numbers need more than 5 MiB. Equal data is
/// written once: five lists of the mesh, and the bind matrices.
#[test]
fn a_gltf_file_is_charged_to_the_memory_limit() {
    let mut model = triangle();
    model.meshes = vec![model.meshes[0].clone(); 2000];
    for (mesh, number) in model.meshes.iter_mut().zip(0_u16..) {
        mesh.positions[0].x = number.into();
    }
    let written = |memory| {
        let options = gltf::Options { memory: MemoryLimit::Bytes(memory), ..gltf::Options::default() };
        gltf::write(&model, &options).map_err(|error| error.to_string())
    };
    for memory in [1 << 20, 5 << 20] {
        let error = written(memory).unwrap_err();
        assert!(error.contains("of the glTF file would need") && error.contains("--max-memory"), "{error}");
    }
    let file = written(64 << 20).unwrap().bytes;
    let json: serde_json::Value =
        serde_json::from_slice(&file[20..20 + u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize]).unwrap();
    assert_eq!(json["accessors"].as_array().unwrap().len(), 2000 + 6);
}

#[test]
fn equal_vertices_are_written_once_with_weld() {
    // Two triangles with a common edge, each with its own corners. One pair differs in its texture coordinates.
    let mesh = |uv: &str| {
        read_x(
            format!(
                "xof 0303txt 0032 Mesh {{ 6; 0;0;0;, 1;0;0;, 0;1;0;, 1;0;0;, 0;0;1;, 0;1;0;; 2; 3;0,1,2;, 3;3,4,5;;
                 MeshTextureCoords {{ 6; 0;0;, 1;0;, 0;1;, 1;0;, 0;0;, {uv}; }} }}"
            )
            .into_bytes(),
        )
    };
    for (uv, weld, vertices) in [("0;1;", true, 4), ("0;0.5;", true, 5), ("0;1;", false, 6)] {
        let output = md5::write(&mesh(uv), &md5::Options { weld, ..md5::Options::default() }).unwrap();
        let text = String::from_utf8(output.bytes).unwrap();
        assert!(text.contains(&format!("numverts {vertices}")), "{uv} {weld}: {text}");
        assert!(text.contains("numtris 2"), "{text}");
    }
}
