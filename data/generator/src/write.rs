//! Interim.
use bindpose_parsers::md5::*;
use std::fmt::Write;
pub fn mesh(f: &MeshFile) -> Vec<u8> {
    let mut o = format!("MD5Version 10\ncommandline \"{}\"\n\nnumJoints {}\nnumMeshes 1\n\njoints {{\n", f.command_line.as_ref().unwrap().to_name(), f.joints.len());
    for j in &f.joints {
        let ([x, y, z], [a, b, c]) = (j.position, j.rotation);
        writeln!(o, "\t\"{}\" {} ( {x} {y} {z} ) ( {a} {b} {c} )", j.name.to_name(), j.parent.value).unwrap();
    }
    o += "}\n";
    for m in &f.meshes {
        write!(o, "\nmesh {{\n\tshader \"{}\"\n\n\tnumverts {}\n", m.shader.to_name(), m.verts.len()).unwrap();
        for v in &m.verts { writeln!(o, "\tvert {} ( {} {} ) {} {}", v.number, v.uv[0], v.uv[1], v.first_weight, v.weight_count).unwrap(); }
        write!(o, "\n\tnumtris {}\n", m.tris.len()).unwrap();
        for t in &m.tris { writeln!(o, "\ttri {} {} {} {}", t.number, t.corners[0], t.corners[1], t.corners[2]).unwrap(); }
        write!(o, "\n\tnumweights {}\n", m.weights.len()).unwrap();
        for w in &m.weights { writeln!(o, "\tweight {} {} {} ( {} {} {} )", w.number, w.joint, w.bias, w.offset[0], w.offset[1], w.offset[2]).unwrap(); }
        o += "}\n";
    }
    o.into_bytes()
}
pub fn anim(f: &AnimFile) -> Vec<u8> {
    let mut o = format!("MD5Version 10\ncommandline \"{}\"\n\nnumFrames {}\nnumJoints {}\nframeRate {}\nnumAnimatedComponents {}\n\nhierarchy {{\n", f.command_line.as_ref().unwrap().to_name(), f.frames.len(), f.hierarchy.len(), f.frame_rate, f.num_animated_components.value);
    for j in &f.hierarchy { writeln!(o, "\t\"{}\" {} {} {}", j.name.to_name(), j.parent.value, j.flags.value, j.first_component.value).unwrap(); }
    o += "}\n\nbounds {\n";
    for b in &f.bounds { writeln!(o, "\t( {} {} {} ) ( {} {} {} )", b.min[0], b.min[1], b.min[2], b.max[0], b.max[1], b.max[2]).unwrap(); }
    o += "}\n\nbaseframe {\n";
    for b in &f.baseframe { writeln!(o, "\t( {} {} {} ) ( {} {} {} )", b.position[0], b.position[1], b.position[2], b.rotation[0], b.rotation[1], b.rotation[2]).unwrap(); }
    o += "}\n";
    let n = f.num_animated_components.value as usize;
    for (i, fr) in f.frames.iter().enumerate() {
        write!(o, "\nframe {} {{\n", fr.number.value).unwrap();
        for c in f.components[i * n..(i + 1) * n].chunks(6) {
            o += "\t";
            o += &c.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
            o += "\n";
        }
        o += "}\n";
    }
    o.into_bytes()
}
