//! Loading of a mesh (`Mod_LoadMD5MeshModel`, `MD5_BakeInfluences`).

use super::super::loaders::rules;
use super::token::TokenReader;
use super::{
    Fallible, File, Joint, ModelFile, ModelLoader, NAME_KEPT, anim, behind_command_line, joint_word, token_limit,
};
use crate::codes::{Rule, mesh, pair, shared};
use crate::verdict::EngineFault;
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;

/// Total number of vertices at which Ironwail exits.
const IRONWAIL_VERTICES: u64 = 65_535;

/// Part of the mesh that is loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// All, but without reporting a missing clip.
    Alone,
    Joints,
}

pub(super) fn load(loader: &mut ModelLoader, file: File, anim: Option<File>, extent: Extent) -> Fallible<()> {
    let engine = loader.engine;
    let cursor = &mut TokenReader::new(file, token_limit(engine));
    let name = cursor.name;
    let Header { num_joints, num_meshes, meshes_span } = read_header(loader, cursor)?;
    let mut clip = match anim {
        Some(anim) => Some(in_anim(loader, |loader| anim::begin(loader, anim))?),
        None => None,
    };
    let needs_clip = !matches!(engine, EngineId::VkQuake | EngineId::Qss) && extent != Extent::Alone;
    if clip.is_none() && needs_clip {
        let words = match engine {
            EngineId::Ironwail081 => format!("MD5 anim {name} has no poses"),
            _ => format!("{name} has no poses"),
        };
        return loader.fail(pair::NO_CLIP, Span::new(0, 0), words);
    }
    cursor.advance();
    let joints = read_joints(loader, cursor, num_joints)?;
    if let Some(clip) = &mut clip {
        let pose_parents = in_anim(loader, |loader| anim::load(loader, clip, &joints))?;
        check_pose_order(loader, name, &joints, &pose_parents)?;
    }
    if extent == Extent::Joints {
        return Ok(());
    }
    cursor.advance();
    let mut vertices = 0;
    for _ in 0..num_meshes {
        vertices += read_surface(loader, cursor, num_joints)?;
    }
    if matches!(engine, EngineId::Ironwail | EngineId::Ironwail081) && vertices >= IRONWAIL_VERTICES {
        return loader.die(
            mesh::TOO_MANY_VERTICES,
            meshes_span,
            format!("Model {name} has too many verts ({vertices})"),
        );
    }
    if engine == EngineId::Qss && num_meshes > num_joints {
        loader.verdict.add_undefined(mesh::TOO_MANY_MESHES, meshes_span, || {
            format!("{num_meshes} meshes are written into an array of {num_joints}")
        });
    }
    Ok(())
}

struct Header {
    num_joints: u64,
    num_meshes: u64,
    meshes_span: Span,
}

/// Reads up to the word `joints`, which stays current.
fn read_header(loader: &mut ModelLoader, cursor: &mut TokenReader) -> Fallible<Header> {
    let name = cursor.name;
    loader.require(cursor, "MD5Version")?;
    loader.require(cursor, "10")?;
    if cursor.check("commandline") {
        cursor.advance();
    }
    let rule = behind_command_line(cursor);
    loader.require_as(cursor, "numJoints", rule)?;
    let (num_joints, joints_span) = loader.count(cursor, "numJoints")?;
    loader.require(cursor, "numMeshes")?;
    let meshes_span = cursor.span();
    // Quakespasm-Spiked stores their number in the joints' array and checks it only when they are read.
    let (num_meshes, meshes_span) = match loader.engine {
        EngineId::Qss => (cursor.unsigned(), meshes_span),
        _ => loader.count(cursor, "numMeshes")?,
    };
    if num_joints == 0 {
        let message = match loader.engine {
            EngineId::VkQuake | EngineId::VkQuake135 => format!("{name} has no joints"),
            _ => format!("{name} has no bones"),
        };
        return loader.fail(shared::COUNT, joints_span, message);
    }
    if num_meshes == 0 {
        return loader.fail(shared::COUNT, meshes_span, format!("{name} has no meshes"));
    }
    if cursor.text() != b"joints" {
        return loader.fail(shared::SYNTAX, cursor.span(), loader.expected_alone(cursor, "joints"));
    }
    Ok(Header { num_joints, num_meshes, meshes_span })
}

/// Requires parents before children: the newest vkQuake multiplies poses in the mesh's order.
fn check_pose_order(loader: &ModelLoader, name: &str, joints: &[Joint], parents: &[i64]) -> Fallible<()> {
    let late = (0i64..).zip(parents).zip(joints).find(|((index, parent), _)| *parent >= index);
    match late {
        Some((_, joint)) if loader.engine == EngineId::VkQuake => {
            loader.fail(shared::LATE_PARENT, joint.span, format!("{name}: joint has bad pose parent order"))
        }
        _ => Ok(()),
    }
}

/// Runs a step on the other file. Switches back only if it succeeds.
fn in_anim<T>(loader: &mut ModelLoader, step: impl FnOnce(&mut ModelLoader) -> Fallible<T>) -> Fallible<T> {
    loader.file = ModelFile::Anim;
    let value = step(loader)?;
    loader.file = ModelFile::Mesh;
    Ok(value)
}

fn read_joints<'a>(
    loader: &mut ModelLoader,
    cursor: &mut TokenReader<'a>,
    num_joints: u64,
) -> Fallible<Vec<Joint<'a>>> {
    loader.require(cursor, "{")?;
    let mut joints = Vec::new();
    for _ in 0..num_joints {
        let span = cursor.span();
        let text = cursor.text();
        cursor.advance();
        let parent_span = cursor.span();
        let parent = cursor.signed();
        check_parent(loader, cursor.name, parent, num_joints, parent_span)?;
        loader.vector(cursor, 3)?;
        loader.vector(cursor, 3)?;
        joints.push(Joint { name: text.get(..NAME_KEPT).unwrap_or(text), parent, span: span.to(parent_span) });
    }
    if cursor.text() != b"}" {
        return loader.fail(shared::BLOCK_COUNT, cursor.span(), loader.expected_alone(cursor, "}"));
    }
    Ok(joints)
}

fn check_parent(loader: &ModelLoader, name: &str, parent: i64, num_joints: u64, span: Span) -> Fallible<()> {
    let too_large = parent >= num_joints as i64;
    match loader.engine {
        EngineId::VkQuake if parent < -1 || too_large => {
            loader.fail(shared::PARENT_RANGE, span, format!("{name}: joint index out of bounds"))
        }
        EngineId::Ironwail if parent < -1 || too_large => {
            let text = format!("{name}: bone index {parent} out of bounds (max={num_joints})");
            loader.fail(shared::PARENT_RANGE, span, text)
        }
        // Its two comparisons are joined by "and", but the second one is unsigned.
        EngineId::Qss if parent < -1 => loader.fail(shared::PARENT_RANGE, span, "bone index out of bounds".to_owned()),
        _ => Ok(()),
    }
}

/// Reads a mesh block. Returns its number of vertices.
fn read_surface(loader: &mut ModelLoader, cursor: &mut TokenReader, num_joints: u64) -> Fallible<u64> {
    loader.require_as(cursor, "mesh", shared::BLOCK_COUNT)?;
    loader.require(cursor, "{")?;
    let rule = if cursor.text() == b"name" { mesh::MESH_NAME } else { shared::SYNTAX };
    loader.require_as(cursor, "shader", rule)?;
    cursor.advance();
    loader.require(cursor, "numverts")?;
    let num_verts = loader.narrow_count(cursor, "numverts")?;
    let ranges = read_verts(loader, cursor, num_verts)?;
    loader.require(cursor, "numtris")?;
    let num_tris = loader.narrow_count(cursor, "numtris")?;
    read_tris(loader, cursor, num_verts, num_tris)?;
    loader.require(cursor, "numweights")?;
    let (num_weights, _) = loader.count(cursor, "numweights")?;
    read_weights(loader, cursor, num_joints, num_weights)?;
    if loader.engine == EngineId::VkQuake {
        loader.require(cursor, "}")?;
    }
    check_ranges(loader, cursor.name, &ranges, num_weights)?;
    if loader.engine != EngineId::VkQuake {
        loader.require(cursor, "}")?;
    }
    Ok(num_verts)
}

/// Weights of a vertex, by slot.
#[derive(Clone, Copy)]
struct Range {
    slot: u64,
    first: u64,
    count: u32,
    span: Span,
}

/// Refuses an index beyond a list of `length` elements.
fn out_of_bounds<T>(
    loader: &ModelLoader,
    name: &str,
    rule: Rule,
    what: &str,
    (index, span): (u64, Span),
    length: u64,
) -> Fallible<T> {
    let message = match loader.engine {
        EngineId::VkQuake => format!("{name}: {what} index out of bounds"),
        // The message contains the count, not the largest index.
        EngineId::Ironwail => format!("{name}: {what} index {} out of bounds (max={length})", index as i64),
        _ => format!("{what} index out of bounds"),
    };
    loader.fail(rule, span, message)
}

/// Reads the number of a record, which must be below the declared count. Also returns its span.
fn read_slot(loader: &ModelLoader, cursor: &mut TokenReader, what: &str, count: u64) -> Fallible<(u64, Span)> {
    let (slot, span) = cursor.number();
    if slot >= count {
        return out_of_bounds(loader, cursor.name, rules::record(slot, count), what, (slot, span), count);
    }
    Ok((slot, span))
}

fn read_verts(loader: &mut ModelLoader, cursor: &mut TokenReader, num_verts: u64) -> Fallible<Vec<Range>> {
    let mut ranges = Vec::new();
    while cursor.check("vert") {
        let (slot, start) = read_slot(loader, cursor, "vertex", num_verts)?;
        loader.vector(cursor, 2)?;
        let first = cursor.unsigned();
        let span = start.to(cursor.span());
        let count = cursor.unsigned() as u32;
        ranges.push(Range { slot, first, count, span });
    }
    Ok(ranges)
}

fn read_tris(loader: &mut ModelLoader, cursor: &mut TokenReader, num_verts: u64, num_tris: u64) -> Fallible<()> {
    // Two engines accept the index one past the end.
    let slack = u64::from(matches!(loader.engine, EngineId::VkQuake135 | EngineId::Qss));
    while cursor.check("tri") {
        read_slot(loader, cursor, "triangle", num_tris)?;
        for _ in 0..3 {
            let (corner, span) = cursor.number();
            if corner >= num_verts + slack {
                return out_of_bounds(loader, cursor.name, mesh::INDEX_RANGE, "vertex", (corner, span), num_verts);
            }
            if corner >= num_verts {
                loader.verdict.add_undefined(mesh::INDEX_RANGE, span, || {
                    format!("vertex {corner} of {num_verts} is read from after the array")
                });
            }
        }
    }
    Ok(())
}

fn read_weights(loader: &mut ModelLoader, cursor: &mut TokenReader, num_joints: u64, num_weights: u64) -> Fallible<()> {
    while cursor.check("weight") {
        read_slot(loader, cursor, "weight", num_weights)?;
        let (joint, span) = cursor.number();
        if joint >= num_joints {
            let what = joint_word(loader.engine);
            return out_of_bounds(loader, cursor.name, mesh::INDEX_RANGE, what, (joint, span), num_joints);
        }
        cursor.advance();
        loader.vector(cursor, 3)?;
    }
    Ok(())
}

fn check_ranges(loader: &mut ModelLoader, name: &str, ranges: &[Range], num_weights: u64) -> Fallible<()> {
    // A slot written twice keeps the last record. Slots are visited in order.
    let mut last: Vec<Range> = ranges.to_vec();
    if !ranges.is_sorted_by(|a, b| a.slot < b.slot) {
        last.reverse();
        last.sort_by_key(|range| range.slot);
        last.dedup_by_key(|range| range.slot);
    }
    for range in &last {
        if range.first.wrapping_add(u64::from(range.count)) > num_weights {
            return loader.fail(mesh::INDEX_RANGE, range.span, format!("{name}: weight index out of bounds"));
        }
        if range.first > num_weights {
            // The sum has overflowed 64 bits.
            loader.verdict.add_undefined(mesh::INDEX_RANGE, range.span, || {
                format!("weight {} is read from before the array", range.first as i64)
            });
        }
    }
    if let Some(most) = last.iter().max_by_key(|range| range.count) {
        warn_of_influences(loader, name, most.count, most.span);
    }
    Ok(())
}

fn warn_of_influences(loader: &mut ModelLoader, name: &str, most: u32, span: Span) {
    let kept = if loader.engine == EngineId::VkQuake { 8 } else { 4 };
    if most > kept {
        let rule = if kept == 8 { mesh::INFLUENCES_8 } else { mesh::INFLUENCES_4 };
        let message = format!("{name} uses up to {most} influences per vertex");
        loader.verdict.warnings.push(EngineFault::new(rule, span, message));
    }
}
