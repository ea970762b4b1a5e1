//! `.md5mesh`, `.md5anim` and `.md5camera`.

use super::{Writer, Written};
use crate::records::Value;
use bindpose_parsers::md5::{AnimFile, CameraFile, Channel, Int, MeshFile, Text};

fn version(version: Option<Int>, out: &mut Writer<'_>) -> Written {
    version.map_or(Ok(()), |version| out.record("MD5Version", &[("value", Value::Integer(version.value))]))
}

fn command_line(text: Option<&Text<'_>>, out: &mut Writer<'_>) -> Written {
    text.map_or(Ok(()), |text| out.record("commandline", &[("value", Value::Text(&text.to_name()))]))
}

fn count(word: &str, declared: Int, found: usize, out: &mut Writer<'_>) -> Written {
    out.record(word, &[("declared", Value::Integer(declared.value)), ("found", Value::Integer(found as i64))])
}

/// Writes a `.md5mesh`.
pub(in crate::dump) fn mesh(file: &MeshFile<'_>, out: &mut Writer<'_>) -> Written {
    version(file.version, out)?;
    command_line(file.command_line.as_ref(), out)?;
    count("numJoints", file.num_joints, file.joints.len(), out)?;
    count("numMeshes", file.num_meshes, file.meshes.len(), out)?;
    for joint in &file.joints {
        let fields = [
            ("", Value::Text(&joint.name.to_name())),
            ("parent", Value::Integer(joint.parent.value)),
            ("position", Value::ExactNumbers(&joint.position)),
            ("rotation", Value::ExactNumbers(&joint.rotation)),
        ];
        out.record("joint", &fields)?;
    }
    for mesh in &file.meshes {
        let name = mesh.name.as_ref().map(Text::to_name);
        let shader = mesh.shader.to_name();
        let mut fields = vec![("shader", Value::Text(&shader))];
        fields.extend(name.as_deref().map(|name| ("meshname", Value::Text(name))));
        out.nest("mesh", &fields, |out| {
            count("numverts", mesh.num_verts, mesh.verts.len(), out)?;
            count("numtris", mesh.num_tris, mesh.tris.len(), out)?;
            count("numweights", mesh.num_weights, mesh.weights.len(), out)?;
            for vert in &mesh.verts {
                let fields = [
                    ("number", Value::Integer(vert.number)),
                    ("uv", Value::ExactNumbers(&vert.uv)),
                    ("first_weight", Value::Integer(vert.first_weight.into())),
                    ("weight_count", Value::Integer(vert.weight_count.into())),
                ];
                out.record("vert", &fields)?;
            }
            for tri in &mesh.tris {
                let corners = tri.corners.map(i64::from);
                out.record("tri", &[("number", Value::Integer(tri.number)), ("corners", Value::Integers(&corners))])?;
            }
            for weight in &mesh.weights {
                let joint = file.joints.get(weight.joint as usize).map(|joint| joint.name.to_name());
                let fields = [
                    ("number", Value::Integer(weight.number)),
                    ("joint", Value::Text(joint.as_deref().unwrap_or_default())),
                    ("bias", Value::Exact(weight.bias)),
                    ("offset", Value::ExactNumbers(&weight.offset)),
                ];
                out.record("weight", &fields)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Writes a `.md5anim` with the frames that `shows` accepts.
pub(in crate::dump) fn anim(file: &AnimFile<'_>, shows: impl Fn(usize) -> bool, out: &mut Writer<'_>) -> Written {
    version(file.version, out)?;
    command_line(file.command_line.as_ref(), out)?;
    count("numFrames", file.num_frames, file.frames.len(), out)?;
    count("numJoints", file.num_joints, file.hierarchy.len(), out)?;
    out.record("frameRate", &[("value", Value::Exact(file.frame_rate))])?;
    out.record("numAnimatedComponents", &[("value", Value::Integer(file.num_animated_components.value))])?;
    for channel in &file.hierarchy {
        let fields = [
            ("", Value::Text(&channel.name.to_name())),
            ("parent", Value::Integer(channel.parent.value)),
            ("flags", Value::Integer(channel.flags.value)),
            ("first_component", Value::Integer(channel.first_component.value)),
        ];
        out.record("channel", &fields)?;
    }
    for (frame, bounds) in file.bounds.iter().enumerate().filter(|&(frame, _)| shows(frame)) {
        let fields = [
            ("frame", Value::Integer(frame as i64)),
            ("min", Value::ExactNumbers(&bounds.min)),
            ("max", Value::ExactNumbers(&bounds.max)),
        ];
        out.record("bounds", &fields)?;
    }
    for (index, pose) in file.baseframe.iter().enumerate() {
        let name = file.hierarchy.get(index).map(|channel| channel.name.to_name());
        let fields = [
            ("", Value::Text(name.as_deref().unwrap_or_default())),
            ("position", Value::ExactNumbers(&pose.position)),
            ("rotation", Value::ExactNumbers(&pose.rotation)),
        ];
        out.record("baseframe", &fields)?;
    }
    let width = usize::try_from(file.num_animated_components.value).unwrap_or(0);
    // If channels overlap or leave components out, the layout by joint would hide components or repeat them.
    let moving = |channel: &Channel<'_>| (channel.flags.value & 63).count_ones() as usize;
    let shared_out = file.hierarchy.iter().map(moving).sum::<usize>() == width;
    for (index, frame) in file.frames.iter().enumerate().filter(|&(index, _)| shows(index)) {
        let start = index.saturating_mul(width);
        let components = file.components.get(start..start.saturating_add(width)).unwrap_or_default();
        out.nest("frame", &[("number", Value::Integer(frame.number.value))], |out| {
            if !shared_out {
                return out.record("components", &[("values", Value::ExactNumbers(components))]);
            }
            // Components are listed under the joint that they move, so a changed value names its joint.
            let mut shown = 0;
            for channel in &file.hierarchy {
                let first = usize::try_from(channel.first_component.value).unwrap_or(usize::MAX);
                let end = first.saturating_add(moving(channel)).min(components.len());
                let values = components.get(first..end);
                if let Some(values @ [_, ..]) = values {
                    shown += values.len();
                    let name = channel.name.to_name();
                    out.record("components", &[("", Value::Text(&name)), ("values", Value::ExactNumbers(values))])?;
                }
            }
            // A short frame or overlapping channels must not hide components.
            if shown != components.len() {
                out.record("components", &[("values", Value::ExactNumbers(components))])?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Writes a `.md5camera` with the frames that `shows` accepts.
pub(in crate::dump) fn camera(file: &CameraFile<'_>, shows: impl Fn(usize) -> bool, out: &mut Writer<'_>) -> Written {
    version(file.version, out)?;
    command_line(file.command_line.as_ref(), out)?;
    count("numFrames", file.num_frames, file.frames.len(), out)?;
    out.record("frameRate", &[("value", Value::Exact(file.frame_rate))])?;
    count("numCuts", file.num_cuts, file.cuts.len(), out)?;
    for cut in &file.cuts {
        out.record("cut", &[("frame", Value::Integer(cut.value))])?;
    }
    for (index, frame) in file.frames.iter().enumerate().filter(|&(index, _)| shows(index)) {
        let fields = [
            ("number", Value::Integer(index as i64)),
            ("position", Value::ExactNumbers(&frame.position)),
            ("rotation", Value::ExactNumbers(&frame.rotation)),
            ("fov", Value::Exact(frame.fov)),
        ];
        out.record("frame", &fields)?;
    }
    Ok(())
}
