//! Checks of frames, skins and faces that no reader makes.

use super::spans::{head_of, objects_of};
use super::{animation, space};
use crate::codes::{Rule, import, x as rules};
use crate::finding::{Findings, OWN_FILE};
use crate::taint::Part;
use bindpose_core::import::x::inside_out;
use bindpose_parsers::x::{self, Document, Tree};
use bindpose_parsers::{Span, counted};
use glam::DVec3;
use std::cell::OnceCell;

pub(super) fn check(bytes: &[u8], format: x::BodyFormat, document: &Document, tree: &Tree, findings: &mut Findings) {
    check_roots(document, findings);
    check_nested(tree, findings);
    space::check_frames(document, tree, findings);
    let objects = OnceCell::new();
    for (index, mesh) in document.meshes.iter().enumerate() {
        if findings.broken.within(&[Part::Records], mesh.span) {
            continue;
        }
        for (bone, skin) in mesh.skin_weights.iter().enumerate() {
            let path = format_args!("mesh[{index}].skin[{bone}]");
            let zeros = skin.weights.iter().filter(|&&(_, weight)| weight == 0.0).count();
            if skin.weights.is_empty() {
                findings.add_at(rules::SKIN_UNUSED, skin.bone.span, path, || {
                    format!("the SkinWeights of '{}' move no vertex", skin.bone.to_name())
                });
            } else if zeros > 0 {
                findings.add_at(rules::SKIN_ZEROS, skin.bone.span, path, || {
                    let all = counted(skin.weights.len(), "weight", "weights");
                    let are = if zeros == 1 { "is" } else { "are" };
                    format!("{zeros} of {all} of '{}' {are} 0", skin.bone.to_name())
                });
            }
        }
        let places = || {
            let object = objects.get_or_init(|| objects_of(tree, "Mesh")).get(&mesh.span.start);
            object.map_or_else(Vec::new, |object| object.face_spans().collect())
        };
        space::check_spikes(mesh, index, bytes, format, findings);
        space::check_unit(mesh, index, findings);
        space::check_offsets(mesh, index, findings);
        check_faces(mesh, index, places, findings);
        let used = document.mesh_uses.iter().find(|used| used.mesh == index);
        let inside_out = used.and_then(|used| inside_out(document, used));
        if let (Some((backward, triangles)), Some(normals)) = (inside_out, &mesh.normals) {
            let path = format_args!("mesh[{index}]");
            findings.add_at(import::NORMALS_INSIDE_OUT, head_of(normals.span, "MeshNormals"), path, || {
                format!("the normals of mesh {index} point to the back of {backward} of its {triangles} triangles")
            });
        }
        if let Some(data) = &mesh.fvf_data {
            findings.add_at(rules::FVF_DATA, head_of(data.span, "FVFData"), format_args!("mesh[{index}]"), || {
                "FVFData holds bit patterns, which assimp takes for numbers".to_owned()
            });
        }
    }
    check_images(document, findings);
    animation::check(bytes, format, document, findings);
}

/// Reports texture coordinates that no image uses, once for the file.
fn check_images(document: &Document, findings: &mut Findings) {
    let has_image = |material: &x::Material| {
        material.effect.is_some() || material.textures.iter().any(|texture| !texture.filename.bytes.is_empty())
    };
    let mut meshes = document.meshes.iter().enumerate();
    let found = meshes.find_map(|(index, mesh)| Some((index, mesh.texture_coords.as_ref()?)));
    if let Some((index, coords)) = found.filter(|_| !document.materials.iter().any(has_image)) {
        let path = format_args!("mesh[{index}]");
        let message = || "the mesh has texture coordinates, but no material of the file names an image".to_owned();
        findings.add_at(rules::NO_IMAGE, head_of(coords.span, "MeshTextureCoords"), path, message);
    }
}

/// Reports a frame in a mesh, where no reader looks for one.
fn check_nested(tree: &Tree, findings: &mut Findings) {
    for mesh in tree.all_objects().filter(|object| object.is("Mesh")) {
        for frame in mesh.objects().filter(|child| child.is("Frame")) {
            let name = frame.name.as_ref().map_or_else(String::new, |name| format!(" '{}'", name.to_name()));
            findings.add(rules::NESTED_FRAME, head_of(frame.span, "Frame"), || {
                format!("the frame{name} is in a mesh: Direct3D skips it with everything in it")
            });
        }
    }
}

/// Faults for which frames and meshes of a file may not be read.
const HIDES_THE_REST: [Rule; 5] =
    [rules::END_INSIDE, rules::SYNTAX, rules::UNCLOSED_STRING, rules::UNKNOWN_TYPE, rules::OBJECT_SKIPPED];

fn check_roots(document: &Document, findings: &mut Findings) {
    let roots: Vec<_> = document.frames.iter().filter(|frame| frame.parent.is_none()).collect();
    if let [first, second, ..] = roots[..] {
        let added = findings.add(rules::SEVERAL_ROOTS, head_of(second.span, "Frame"), || {
            format!("{} frames stand at top level", roots.len())
        });
        added.related(OWN_FILE, head_of(first.span, "Frame"), "the first of them");
    }
    let hides_all = |rule: &Rule| document.animation_sets.is_empty() && findings.get(*rule).is_some();
    let is_hidden = findings.broken.any(&[Part::Frames]) || HIDES_THE_REST.iter().any(hides_all);
    if document.frames.is_empty() && document.meshes.is_empty() && !is_hidden {
        findings.add(rules::NOTHING, Span::new(0, 16), || match document.animation_sets.len() {
            0 => "the file has neither frames nor meshes".to_owned(),
            sets => {
                format!(
                    "the file has {}, but neither frames nor meshes",
                    counted(sets, "animation set", "animation sets")
                )
            }
        });
    }
}

/// Checks the faces of a mesh. `places` computes their spans.
fn check_faces(mesh: &x::Mesh, index: usize, places: impl Fn() -> Vec<Span>, findings: &mut Findings) {
    let spans = OnceCell::new();
    let point = |corner: u32| mesh.vertices.get(corner as usize).map_or(DVec3::ZERO, DVec3::from_array);
    for (face, corners) in mesh.faces.iter().enumerate() {
        let (Some(&a), Some(&b), Some(&c)) = (corners.first(), corners.get(1), corners.get(2)) else { continue };
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let repeats = sides.take(corners.len()).any(|(a, b)| a == b);
        let (ab, ac) = (point(b) - point(a), point(c) - point(a));
        let longest = ab.length_squared().max(ac.length_squared());
        let is_flat = corners.len() == 3 && ab.cross(ac).length_squared() <= 1e-16 * longest * longest;
        if repeats || is_flat {
            let span = spans.get_or_init(&places).get(face).copied().unwrap_or(head_of(mesh.span, "Mesh"));
            findings.add_at(rules::DEGENERATE_FACE, span, format_args!("mesh[{index}].face[{face}]"), || {
                format!("face {face} of mesh {index} has no area")
            });
        }
    }
}
