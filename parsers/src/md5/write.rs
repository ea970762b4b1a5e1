//! Writers of the three formats, in the style of exporters (docs/formats/md5.md).
//!
//! Numbers are the shortest decimals that read back as the same f64, so reading what was written gives the same
//! document except for spans. Record numbers and counts are written as stored, not made consistent.

use super::read::COMMENT_NAME;
use super::{AnimFile, CameraFile, Int, Mesh, MeshFile, Text};
use std::fmt;
use std::io::{self, Write};

/// Writes a `.md5mesh`.
///
/// # Errors
/// Those of `out`; `InvalidInput` if a text contains a double quote or a line end, which the format cannot express.
pub fn write_mesh(file: &MeshFile<'_>, out: &mut impl Write) -> io::Result<()> {
    header(out, file.version, file.command_line.as_ref())?;
    writeln!(out, "numJoints {}", file.num_joints.value)?;
    writeln!(out, "numMeshes {}", file.num_meshes.value)?;
    writeln!(out, "\njoints {{")?;
    for joint in &file.joints {
        write!(out, "\t")?;
        text(out, &joint.name)?;
        let (position, rotation) = (Vector(&joint.position), Vector(&joint.rotation));
        writeln!(out, "\t{} {position} {rotation}", joint.parent.value)?;
    }
    writeln!(out, "}}")?;
    file.meshes.iter().try_for_each(|mesh| write_block(mesh, out))
}

/// Writes a `mesh` block, for files whose blocks are not all in memory.
///
/// # Errors
/// Those of [`write_mesh`].
pub fn write_block(mesh: &Mesh<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\nmesh {{")?;
    if let Some(name) = &mesh.comment_name {
        let comment = [b"\t", COMMENT_NAME, b" ", &name.bytes, b"\n"].concat();
        out.write_all(&comment)?;
    }
    if let Some(name) = &mesh.name {
        write!(out, "\tname ")?;
        text(out, name)?;
        writeln!(out)?;
    }
    write!(out, "\tshader ")?;
    text(out, &mesh.shader)?;
    writeln!(out, "\n\n\tnumverts {}", mesh.num_verts.value)?;
    for vert in &mesh.verts {
        writeln!(out, "\tvert {} {} {} {}", vert.number, Vector(&vert.uv), vert.first_weight, vert.weight_count)?;
    }
    writeln!(out, "\n\tnumtris {}", mesh.num_tris.value)?;
    for tri in &mesh.tris {
        let [a, b, c] = tri.corners;
        writeln!(out, "\ttri {} {a} {b} {c}", tri.number)?;
    }
    writeln!(out, "\n\tnumweights {}", mesh.num_weights.value)?;
    for weight in &mesh.weights {
        let (bias, offset) = (Number(weight.bias), Vector(&weight.offset));
        writeln!(out, "\tweight {} {} {bias} {offset}", weight.number, weight.joint)?;
    }
    writeln!(out, "}}")
}

/// Writes a `.md5anim`.
///
/// # Errors
/// Those of `out`; `InvalidInput` if a text contains a double quote or a line end, which the format cannot express.
pub fn write_anim(file: &AnimFile<'_>, out: &mut impl Write) -> io::Result<()> {
    header(out, file.version, file.command_line.as_ref())?;
    writeln!(out, "numFrames {}", file.num_frames.value)?;
    writeln!(out, "numJoints {}", file.num_joints.value)?;
    writeln!(out, "frameRate {}", Number(file.frame_rate))?;
    writeln!(out, "numAnimatedComponents {}", file.num_animated_components.value)?;
    writeln!(out, "\nhierarchy {{")?;
    for channel in &file.hierarchy {
        write!(out, "\t")?;
        text(out, &channel.name)?;
        let (parent, flags, first) = (channel.parent.value, channel.flags.value, channel.first_component.value);
        writeln!(out, "\t{parent} {flags} {first}")?;
    }
    writeln!(out, "}}\n\nbounds {{")?;
    for bounds in &file.bounds {
        writeln!(out, "\t{} {}", Vector(&bounds.min), Vector(&bounds.max))?;
    }
    writeln!(out, "}}\n\nbaseframe {{")?;
    for pose in &file.baseframe {
        writeln!(out, "\t{} {}", Vector(&pose.position), Vector(&pose.rotation))?;
    }
    writeln!(out, "}}")?;
    let width = usize::try_from(file.num_animated_components.value).unwrap_or(0);
    for (index, frame) in file.frames.iter().enumerate() {
        writeln!(out, "\nframe {} {{", frame.number.value)?;
        let components = file.components.get(index * width..(index + 1) * width).unwrap_or_default();
        // Six numbers per line belong to one joint if all components are stored.
        for line in components.chunks(6) {
            for &value in line {
                write!(out, "\t{}", Number(value))?;
            }
            writeln!(out)?;
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// Writes a `.md5camera`.
///
/// # Errors
/// Those of `out`; `InvalidInput` if a text contains a double quote or a line end, which the format cannot express.
pub fn write_camera(file: &CameraFile<'_>, out: &mut impl Write) -> io::Result<()> {
    header(out, file.version, file.command_line.as_ref())?;
    writeln!(out, "numFrames {}", file.num_frames.value)?;
    writeln!(out, "frameRate {}", Number(file.frame_rate))?;
    writeln!(out, "numCuts {}", file.num_cuts.value)?;
    writeln!(out, "\ncuts {{")?;
    for cut in &file.cuts {
        writeln!(out, "\t{}", cut.value)?;
    }
    writeln!(out, "}}\n\ncamera {{")?;
    for frame in &file.frames {
        let (position, rotation, fov) = (Vector(&frame.position), Vector(&frame.rotation), Number(frame.fov));
        writeln!(out, "\t{position} {rotation} {fov}")?;
    }
    writeln!(out, "}}")
}

fn header(out: &mut impl Write, version: Option<Int>, command_line: Option<&Text<'_>>) -> io::Result<()> {
    if let Some(version) = version {
        writeln!(out, "MD5Version {}", version.value)?;
    }
    if let Some(command_line) = command_line {
        write!(out, "commandline ")?;
        text(out, command_line)?;
        writeln!(out)?;
    }
    writeln!(out)
}

/// Writes a text in quotes. A backslash is an ordinary byte, so escapes do not exist.
fn text(out: &mut impl Write, text: &Text<'_>) -> io::Result<()> {
    if text.bytes.iter().any(|byte| matches!(byte, b'"' | b'\n')) {
        let message = format!("'{}' holds a quote or a line end, which the format has no way to write", text.to_name());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    out.write_all(b"\"")?;
    out.write_all(&text.bytes)?;
    out.write_all(b"\"")
}

/// Displays the shortest decimal that reads back as the same f64.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a point, Doom 3 reads only 32 bits.
        if self.0.abs() > f64::from(i32::MAX) && self.0.fract() == 0.0 {
            write!(f, "{}.0", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// Displays numbers in parentheses.
struct Vector<'a>(&'a [f64]);

impl fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for &value in self.0 {
            write!(f, " {}", Number(value))?;
        }
        f.write_str(" )")
    }
}
