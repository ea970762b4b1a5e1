//! `.md5mesh` (dhewm3 renderer/Model_md5.cpp: LoadModel, ParseJoint, ParseMesh).

use super::super::verdict::{Fallible, Outcome, Verdict, refuse};
use super::lexer::Lexer;
use super::{Joint, Loaded, check_memory, judge, read_count, read_header, read_name_and_parent, read_size};
use crate::codes::{mesh, shared};
use bindpose_parsers::Span;

/// Runs the loader's steps on a file.
pub(super) fn load<'a>(lexer: Lexer<'a>) -> Loaded<'a> {
    judge(lexer, read_mesh)
}

/// Size of a mesh in memory, in bytes.
const MESH: i64 = 72;
/// Size of a texture coordinate in memory, in bytes.
const TEXTURE_COORDINATE: i64 = 8;
/// Size of a triangle's corners in memory, in bytes.
const TRIANGLE: i64 = 12;
/// Size of a weight in memory, in bytes.
const WEIGHT: i64 = 24;

/// Bytes of stack per joint that the loader allocates at once for the bind pose's matrices.
const STACK_PER_JOINT: i64 = 48;
/// Stack size in bytes. Main threads have 8 MiB on Linux and 1 MiB on Windows. Beyond the larger one the loader crashes
/// on both.
const STACK: i64 = 8 << 20;

fn read_mesh<'a>(lexer: &mut Lexer<'a>, verdict: &mut Verdict, joints: &mut Vec<Joint<'a>>) -> Fallible<()> {
    read_header(lexer)?;
    let (num_joints, span) = read_count(lexer, "numJoints", shared::COMMANDLINE_VALUE)?;
    if num_joints < 0 {
        verdict.add_undefined(shared::COUNT, span, || format!("numJoints is {num_joints}, which is not tested"));
    } else if i64::from(num_joints) * STACK_PER_JOINT > STACK {
        verdict.add_undefined(shared::COUNT, span, || {
            format!("{num_joints} joints take {} bytes of stack", i64::from(num_joints) * STACK_PER_JOINT)
        });
    }
    let (num_meshes, span) = read_size(lexer, "numMeshes", shared::SYNTAX)?;
    check_memory(verdict, num_meshes.into(), MESH, span);
    lexer.expect_keyword("joints", shared::SYNTAX)?;
    lexer.require("{")?;
    let mut roots = 0;
    for index in 0..num_joints {
        let joint = read_joint(lexer, num_joints)?;
        if joint.parent < 0 {
            roots += 1;
            if roots > 1 {
                verdict.add_undefined(shared::SEVERAL_ROOTS, joint.span, || {
                    "a second root takes its parent's matrix from before the array when it is animated".to_owned()
                });
            }
        } else if joint.parent >= index {
            verdict.add_undefined(shared::LATE_PARENT, joint.span, || {
                format!("joint {index} takes its pose from joint {}, which is not read yet", joint.parent)
            });
        }
        joints.push(joint);
    }
    lexer.require_as("}", shared::BLOCK_COUNT)?;
    for _ in 0..num_meshes {
        lexer.require_as("mesh", shared::BLOCK_COUNT)?;
        read_surface(lexer, verdict, num_joints)?;
    }
    Ok(())
}

fn read_joint<'a>(lexer: &mut Lexer<'a>, num_joints: i32) -> Fallible<Joint<'a>> {
    let (name, parent, start) = read_name_and_parent(lexer)?;
    // The engine's limit is one too low: the last joint cannot be a parent.
    if parent >= 0 && parent >= num_joints.wrapping_sub(1) {
        let message = format!("Invalid parent for joint '{}'", String::from_utf8_lossy(&name));
        return lexer.fail(shared::PARENT_RANGE, lexer.last_span, message);
    }
    lexer.vector(3)?;
    lexer.vector(3)?;
    Ok(Joint { name, parent, span: start.to(lexer.last_span) })
}

fn read_surface(lexer: &mut Lexer, verdict: &mut Verdict, num_joints: i32) -> Fallible<()> {
    lexer.require("{")?;
    if lexer.check("name")? {
        lexer.any()?;
    }
    lexer.require("shader")?;
    let shader = lexer.any()?;
    let (num_verts, span) = read_count(lexer, "numverts", shared::SYNTAX)?;
    if num_verts < 0 {
        // The engine prints the wrong token, the shader.
        let message = format!("Invalid size: {}", String::from_utf8_lossy(&shader));
        return lexer.fail(shared::COUNT, span, message);
    }
    check_memory(verdict, num_verts.into(), TEXTURE_COORDINATE, span);
    let used = read_verts(lexer, verdict, num_verts)?;

    let (num_tris, span) = read_size(lexer, "numtris", mesh::RECORD_COUNT)?;
    check_memory(verdict, num_tris.into(), TRIANGLE, span);
    let stray = read_tris(lexer, num_verts, num_tris)?;

    let (num_weights, span) = read_size(lexer, "numweights", mesh::RECORD_COUNT)?;
    if let Some((most, first)) = used.filter(|&(most, _)| most > num_weights) {
        let message = format!("Vertices reference out of range weights in model ({most} of {num_weights} weights).");
        lexer.warn(mesh::INDEX_RANGE, first, message);
        verdict.add_undefined(mesh::INDEX_RANGE, first, || {
            format!("weights up to {most} are read from an array of {num_weights}")
        });
    }
    check_memory(verdict, num_weights.into(), WEIGHT, span);
    for _ in 0..num_weights {
        lexer.require_as("weight", mesh::RECORD_COUNT)?;
        lexer.integer()?;
        let joint = lexer.integer()?;
        if joint < 0 || joint >= num_joints {
            let message = format!("Joint Index out of range({num_joints}): {joint}");
            return lexer.fail(mesh::INDEX_RANGE, lexer.last_span, message);
        }
        lexer.float()?;
        lexer.vector(3)?;
    }
    lexer.close_as(mesh::RECORD_COUNT)?;
    match stray {
        None => Ok(()),
        Some(span) => {
            // Found when the mesh is complete, by code that knows neither file nor line.
            refuse(Outcome::Drops, mesh::INDEX_RANGE, span, "R_RangeCheckIndexes: index out of range")
        }
    }
}

/// Reads the vertices. Returns the largest end of a weight range, and its record.
fn read_verts(lexer: &mut Lexer, verdict: &mut Verdict, count: i32) -> Fallible<Option<(i32, Span)>> {
    let mut used: Option<(i32, Span)> = None;
    for index in 0..count {
        lexer.require_as("vert", mesh::RECORD_COUNT)?;
        let start = lexer.last_span;
        lexer.integer()?;
        lexer.vector(2)?;
        let first = lexer.integer()?;
        let weights = lexer.integer()?;
        let span = start.to(lexer.last_span);
        if weights == 0 {
            return lexer.fail(mesh::NO_WEIGHTS, span, "Vertex without any joint weights.");
        }
        if weights < 0 {
            verdict.add_undefined(mesh::NO_WEIGHTS, span, || {
                format!("vertex {index} has {weights} weights; the total sizes an array")
            });
        }
        if first < 0 {
            verdict.add_undefined(mesh::INDEX_RANGE, span, || {
                format!("vertex {index} reads weights from before the array")
            });
        }
        if first.checked_add(weights).is_none() {
            // The sum below is negative, so the test against the number of weights passes.
            verdict.add_undefined(mesh::INDEX_RANGE, span, || {
                format!("vertex {index} reads weights from behind the array")
            });
        }
        let end = first.wrapping_add(weights);
        if used.is_none_or(|(most, _)| end > most) {
            used = Some((end, span));
        }
    }
    Ok(used)
}

/// Reads the triangles. Returns the first corner that is not a vertex.
fn read_tris(lexer: &mut Lexer, num_verts: i32, count: i32) -> Fallible<Option<Span>> {
    let mut stray = None;
    for _ in 0..count {
        lexer.require_as("tri", mesh::RECORD_COUNT)?;
        lexer.integer()?;
        for _ in 0..3 {
            let corner = lexer.integer()?;
            if corner < 0 || corner >= num_verts {
                stray.get_or_insert(lexer.last_span);
            }
        }
    }
    Ok(stray)
}
