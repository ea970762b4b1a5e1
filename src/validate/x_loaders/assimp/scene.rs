//! Import of what was parsed, and the checks after it.

use super::super::openbve::place::{IDENTITY, Matrix, differ, times};
use super::super::openbve::thrown::{Try, out_of_range, throw};
use super::{Bone, Channel, Mesh, Parser, Version};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Outcome, Stop, Verdict, refuse};
use bindpose_parsers::Span;
use std::collections::{BTreeMap, HashSet};

/// Faces of a mesh with one material.
struct Part {
    corners: Vec<u32>,
    is_finite: bool,
}

fn span(at: usize) -> Span {
    Span::new(at, at + 1)
}

/// Refuses as the step after loading does that checks the whole scene, which `assimp info` and most programs request.
fn refuse_checked<T>(rule: Rule, at: usize, message: &str) -> Fallible<T> {
    refuse(Outcome::Refuses, rule, span(at), format!("Validation failed: {message}"))
}

impl<'a> Parser<'a> {
    /// Builds assimp's scene.
    pub(super) fn import(&self, verdict: &mut Verdict) -> Fallible<()> {
        // What was skipped is why something is missing.
        let lost = verdict.misread.first().map(|lost| (lost.rule, lost.span.start as usize));
        let (rule, at) = match lost {
            Some(lost) => lost,
            None if self.meshes.is_empty() => (rules::NOTHING, 0),
            None => (rules::EMPTY_MESH, self.meshes.first().map_or(0, |mesh| mesh.at)),
        };
        if self.frames.is_empty() && self.meshes.is_empty() {
            return refuse(Outcome::Refuses, rule, span(at), "No root node");
        }
        let (mut count, mut finite) = (0, 0);
        for mesh in &self.meshes {
            for part in self.parts(mesh, verdict)? {
                count += 1;
                finite += usize::from(part.is_finite);
                mesh.check_bones(&part)?;
            }
        }
        if count == 0 {
            return refuse_checked(rule, at, "aiScene::mNumMeshes is 0. At least one mesh must be there");
        }
        self.sets.iter().try_for_each(|set| check_set(set, lost))?;
        if finite == 0 {
            return refuse(Outcome::Refuses, rules::NOT_FINITE, span(at), "No meshes remaining");
        }
        let roots = self.frames.iter().filter(|frame| frame.parent.is_none());
        let moved = self.frames.first().and_then(|frame| frame.matrix).filter(|_| roots.count() == 1);
        let loose = self.meshes.iter().find(|mesh| mesh.frame.is_none());
        if let (Some(mesh), true) = (loose, moved.is_some_and(|moved| differ(&moved, &IDENTITY))) {
            verdict.add_misread(rules::FRAME_IGNORED, span(mesh.at), || {
                "a mesh outside of frames is shown where the outermost frame is".to_owned()
            });
        }
        Ok(())
    }

    /// Divides a mesh by material, as far as its faces have corners.
    fn parts(&self, mesh: &Mesh, verdict: &mut Verdict) -> Fallible<Vec<Part>> {
        let is_release = self.version == Version::Release;
        if mesh.face_materials.len() > mesh.faces.ends.len() {
            verdict.add_undefined(rules::MATERIAL_INDICES, span(mesh.at), || {
                "faces are read from outside the mesh, which has fewer than material indices".to_owned()
            });
            return Err(Stop::Lost);
        }
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        let no_corners = (&[][..], 0);
        let mut normals = mesh.normal_faces.iter();
        for (face, (corners, _)) in mesh.faces.iter().enumerate() {
            let own_normals = normals.next().unwrap_or(no_corners).0.iter().take(corners.len());
            if own_normals.into_iter().any(|&normal| normal as usize >= mesh.normals) && mesh.normals > 0 {
                verdict.add_misread(rules::NORMAL_INDEX, span(mesh.at), || {
                    "a corner has no normal, or a wrong one".to_owned()
                });
            }
            let material = mesh.face_materials.get(face).copied().unwrap_or_default();
            if material as usize >= mesh.materials.max(1) {
                verdict.add_misread(rules::MATERIAL_INDEX, span(mesh.at), || {
                    "faces without a material are not shown".to_owned()
                });
                continue;
            }
            if corners.iter().any(|&corner| corner as usize >= mesh.vertices.min(mesh.coords)) {
                verdict.add_undefined(rules::FACE_INDEX, span(mesh.at), || {
                    "a vertex or texture coordinate is read from behind the last one".to_owned()
                });
            }
            if !corners.is_empty() {
                let part = parts.entry(material).or_insert_with(|| Part { corners: Vec::new(), is_finite: true });
                part.corners.extend(corners);
                let position = |corner: &u32| mesh.positions.get(*corner as usize);
                part.is_finite &= corners.iter().filter_map(position).flatten().all(|value| value.is_finite());
            }
        }
        if is_release && mesh.materials == 0 && !mesh.face_materials.is_empty() && !parts.is_empty() {
            let message = "a material is read that the list does not have: the program crashes".to_owned();
            return crate::verdict::refuse_silently(Outcome::Exits, rules::MATERIAL_COUNT, span(mesh.at), message);
        }
        for bone in &mesh.bones {
            let is_outside = |(vertex, _): &(u32, f32)| *vertex as usize >= mesh.vertices;
            if !parts.is_empty() && bone.weights.iter().any(is_outside) {
                match self.version {
                    Version::Release => verdict.add_undefined(rules::WEIGHT_INDEX, span(bone.at), || {
                        "a weight is written outside of the array of vertices".to_owned()
                    }),
                    Version::Later | Version::Port => {
                        verdict.add_misread(rules::WEIGHT_INDEX, span(bone.at), || "a weight is left out".to_owned());
                    }
                }
            }
        }
        Ok(parts.into_values().collect())
    }

    /// Builds OpenBVE's object. Returns the offset of a mesh that is displaced relative to its frames.
    pub(super) fn build(&self) -> Try<Option<usize>> {
        let built = self.meshes.iter().filter(|mesh| mesh.vertices > 0 && !mesh.faces.ends.is_empty());
        let vertices: usize = built.clone().map(|mesh| mesh.vertices).sum();
        let mut first = 0_i64;
        for mesh in built.clone() {
            if mesh.face_materials.len() > mesh.faces.ends.len() {
                return out_of_range(rules::MATERIAL_INDICES, mesh.at);
            }
            mesh.check_normals()?;
            for (corners, _) in mesh.faces.iter().filter(|(corners, _)| corners.len() >= 3) {
                let is_there = |&corner: &u32| {
                    usize::try_from(first + i64::from(corner as i32)).is_ok_and(|corner| corner < vertices)
                };
                if !corners.iter().take(3).all(is_there) {
                    return out_of_range(rules::FACE_INDEX, mesh.at);
                }
            }
            first += mesh.vertices as i64;
        }
        let mut whole: Vec<Matrix> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let parent = frame.parent.and_then(|parent| whole.get(parent)).unwrap_or(&IDENTITY);
            whole.push(times(&frame.matrix.unwrap_or(IDENTITY), parent));
        }
        let has_dummy = self.frames.iter().filter(|frame| frame.parent.is_none()).count() > 1;
        let root = self.frames.first().and_then(|frame| frame.matrix).filter(|_| !has_dummy).unwrap_or(IDENTITY);
        let is_elsewhere = |mesh: &&Mesh| {
            let Some((frame, index)) = mesh.frame.and_then(|index| Some((self.frames.get(index)?, index))) else {
                return false;
            };
            let is_root = frame.parent.is_none() && !has_dummy;
            let own = if is_root { Some(IDENTITY) } else { frame.matrix };
            // The position of a mesh in an inner frame without a matrix is unknown.
            own.is_some_and(|own| differ(&times(&own, &root), whole.get(index).unwrap_or(&IDENTITY)))
        };
        Ok(built.clone().find(is_elsewhere).map(|mesh| mesh.at))
    }
}

impl<'a> Mesh<'a> {
    /// Refuses bones of one name that move the same part.
    fn check_bones(&self, part: &Part) -> Fallible<()> {
        let mut names: BTreeMap<&[u8], usize> = BTreeMap::new();
        if self.bones.iter().all(|bone| names.insert(bone.name, 0).is_none()) {
            return Ok(());
        }
        names.clear();
        let used: HashSet<u32> = part.corners.iter().copied().collect();
        let moves = |bone: &&Bone| bone.weights.iter().any(|(vertex, weight)| *weight > 0.0 && used.contains(vertex));
        for (index, bone) in self.bones.iter().filter(moves).enumerate() {
            if let Some(first) = names.insert(bone.name, index) {
                let name = String::from_utf8_lossy(bone.name);
                let message =
                    format!("aiMesh::mBones[{first}], name = \"{name}\" has the same name as aiMesh::mBones[{index}]");
                return refuse_checked(rules::CHILD_REPEATED, bone.at, &message);
            }
        }
        Ok(())
    }

    fn check_normals(&self) -> Try {
        if self.normal_faces.ends.len() > self.faces.ends.len() {
            return throw(rules::NORMAL_FACES, self.at, "nFaceNormals must match the number of faces in the mesh");
        }
        for ((normals, count), (_, corners)) in self.normal_faces.iter().zip(self.faces.iter()) {
            if count > corners {
                let message = "nVertexNormals must match the number of verticies in the face";
                return throw(rules::NORMAL_CORNERS, self.at, message);
            }
            if normals.iter().any(|&normal| i32::try_from(normal).is_err()) {
                return out_of_range(rules::NORMAL_INDEX, self.at);
            }
        }
        Ok(())
    }
}

/// Refuses channels without keys, and keys after the last one of each list.
fn check_set(set: &[Channel], lost: Option<(Rule, usize)>) -> Fallible<()> {
    let ends = set.iter().flat_map(|channel| channel.lists()).filter_map(|(_, times)| times.last().copied());
    let end = ends.max().unwrap_or_default();
    for channel in set {
        let lists = channel.lists();
        if lists.iter().all(|(_, times)| times.is_empty()) {
            let (rule, at) = lost.unwrap_or((rules::UNSUPPORTED, channel.at));
            return refuse_checked(rule, at, "Empty node animation channel");
        }
        for (kind, times) in lists {
            let late = times.iter().enumerate().find(|(_, time)| end > 0 && **time > end);
            if let Some((key, &time)) = late {
                let [time, end] = [time, end].map(|time| f64::from(time as f32));
                let message = format!(
                    "aiNodeAnim::m{kind}Keys[{key}].mTime ({time:.5}) is larger than aiAnimation::mDuration (which is \
                     {end:.5})"
                );
                return refuse_checked(rules::KEY_TIMES_FALL, channel.at, &message);
            }
        }
    }
    Ok(())
}

impl Channel {
    /// Returns the lists of times in the order in which they are checked. Matrix keys replace the others.
    fn lists(&self) -> [(&'static str, &[u32]); 3] {
        let [rotations, scales, positions, matrices] = &self.times;
        let own = |times| if matrices.is_empty() { times } else { matrices };
        [("Position", own(positions)), ("Rotation", own(rotations)), ("Scaling", own(scales))]
    }
}
