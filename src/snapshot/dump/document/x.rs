//! DirectX .x.

use super::{Writer, Written};
use crate::records::{Field, Value};
use bindpose_parsers::x::{
    Animation, Document, EffectValue, Faces, Int, Material, Mesh, SkinWeights, Text, Vectors, VertexElement,
};

fn integer(value: usize) -> Value<'static> {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// Puts the name, if there is one, before the other fields.
fn named<'a>(name: Option<&'a str>, others: impl IntoIterator<Item = Field<'a>>) -> Vec<Field<'a>> {
    name.map(|name| ("", Value::Text(name))).into_iter().chain(others).collect()
}

fn text(text: Option<&Text<'_>>) -> Option<String> {
    text.map(Text::to_name)
}

/// Writes the whole document.
pub(in crate::dump) fn document(file: &Document<'_>, out: &mut Writer<'_>) -> Written {
    if let Some(header) = file.header {
        let fields = [("major", header.major), ("minor", header.minor), ("flags", header.flags)];
        out.record("Header", &fields.map(|(name, value)| (name, Value::Integer(value.value))))?;
    }
    for ticks in &file.ticks_per_second {
        out.record("AnimTicksPerSecond", &[("value", Value::Integer(ticks.value))])?;
    }
    let frame_name = |index: usize| text(file.frames.get(index).and_then(|frame| frame.name.as_ref()));
    for (number, frame) in file.frames.iter().enumerate() {
        let name = frame_name(number);
        let parent = frame.parent.map(|parent| ("parent", integer(parent)));
        out.nest("Frame", &named(name.as_deref(), [("number", integer(number))].into_iter().chain(parent)), |out| {
            let matrices = frame.matrices.iter();
            matrices
                .map(|matrix| [("rows", Value::ExactNumbers(matrix))])
                .try_for_each(|fields| out.record("FrameTransformMatrix", &fields))
        })?;
    }
    for place in &file.mesh_uses {
        let frame = place.frame.map(|frame| ("frame", integer(frame)));
        let fields: Vec<_> = [("mesh", integer(place.mesh))].into_iter().chain(frame).collect();
        out.record("use", &fields)?;
    }
    for (number, of) in file.materials.iter().enumerate() {
        material(number, of, out)?;
    }
    for (number, of) in file.meshes.iter().enumerate() {
        mesh(number, of, out)?;
    }
    for set in &file.animation_sets {
        let name = text(set.name.as_ref());
        out.nest("AnimationSet", &named(name.as_deref(), []), |out| {
            set.animations.iter().try_for_each(|of| animation(of, out))
        })?;
    }
    file.loose_animations.iter().try_for_each(|of| animation(of, out))
}

fn material(number: usize, material: &Material<'_>, out: &mut Writer<'_>) -> Written {
    let name = text(material.name.as_ref());
    let fields = [
        ("number", integer(number)),
        ("face_color", Value::ExactNumbers(&material.face_color)),
        ("power", Value::Exact(material.power)),
        ("specular", Value::ExactNumbers(&material.specular)),
        ("emissive", Value::ExactNumbers(&material.emissive)),
    ];
    out.nest("Material", &named(name.as_deref(), fields), |out| {
        for texture in &material.textures {
            let filename = texture.filename.to_name();
            out.record(&texture.kind.to_name(), &[("filename", Value::Text(&filename))])?;
        }
        let Some(effect) = &material.effect else { return Ok(()) };
        out.nest("EffectInstance", &[("filename", Value::Text(&effect.filename.to_name()))], |out| {
            for parameter in &effect.parameters {
                let name = parameter.name.to_name();
                let written;
                let value = match &parameter.value {
                    EffectValue::Floats(values) => Value::ExactNumbers(values),
                    EffectValue::Dword(value) => Value::Integer(value.value),
                    EffectValue::Text(value) => {
                        written = value.to_name();
                        Value::Text(&written)
                    }
                };
                out.record("parameter", &[("", Value::Text(&name)), ("value", value)])?;
            }
            Ok(())
        })
    })
}

fn mesh(number: usize, mesh: &Mesh<'_>, out: &mut Writer<'_>) -> Written {
    let name = text(mesh.name.as_ref());
    let counts =
        [("number", integer(number)), ("vertices", integer(mesh.vertices.len())), ("faces", integer(mesh.faces.len()))];
    out.nest("Mesh", &named(name.as_deref(), counts), |out| {
        numbered("vertex", "position", &mesh.vertices, out)?;
        faces("face", &mesh.faces, out)?;
        if let Some(normals) = &mesh.normals {
            out.nest("MeshNormals", &[("normals", integer(normals.normals.len()))], |out| {
                numbered("normal", "direction", &normals.normals, out)?;
                faces("face", &normals.faces, out)
            })?;
        }
        if let Some(coords) = &mesh.texture_coords {
            out.nest("MeshTextureCoords", &[("coords", integer(coords.coords.len()))], |out| {
                numbered("coord", "uv", &coords.coords, out)
            })?;
        }
        if let Some(colors) = &mesh.vertex_colors {
            out.nest("MeshVertexColors", &[("colors", integer(colors.colors.len()))], |out| {
                colors.colors.iter().try_for_each(|(vertex, color)| {
                    let vertex = Value::Integer((*vertex).into());
                    out.record("color", &[("vertex", vertex), ("rgba", Value::ExactNumbers(color))])
                })
            })?;
        }
        if let Some(list) = &mesh.material_list {
            let materials: Vec<i64> = list.materials.iter().map(|&material| material as i64).collect();
            let of_faces: Vec<i64> = list.face_materials.iter().copied().map(i64::from).collect();
            let declared = list.declared.map(|Int { value, .. }| ("declared", Value::Integer(value)));
            let mut fields: Vec<_> = declared.into_iter().collect();
            fields.extend([("materials", Value::Integers(&materials)), ("of_faces", Value::Integers(&of_faces))]);
            out.record("MeshMaterialList", &fields)?;
        }
        vertex_words(mesh, out)?;
        if let Some(header) = mesh.skin_header {
            let fields = [
                ("max_weights_per_vertex", header.max_weights_per_vertex),
                ("max_weights_per_face", header.max_weights_per_face),
                ("bones", header.bones),
            ];
            out.record("XSkinMeshHeader", &fields.map(|(name, value)| (name, Value::Integer(value.value))))?;
        }
        mesh.skin_weights.iter().try_for_each(|of| skin_weights(of, out))
    })
}

/// Writes the mesh data that are lists of words: copies of vertices, and data of vertex declarations and FVF codes.
fn vertex_words(mesh: &Mesh<'_>, out: &mut Writer<'_>) -> Written {
    if let Some(duplication) = &mesh.duplication {
        let indices: Vec<i64> = duplication.indices.iter().copied().map(i64::from).collect();
        out.record("VertexDuplicationIndices", &[("indices", Value::Integers(&indices))])?;
    }
    if let Some(data) = &mesh.decl_data {
        out.nest("DeclData", &[("words", integer(data.data.len()))], |out| {
            data.elements.iter().try_for_each(|element| {
                let VertexElement { kind, method, usage, usage_index } = *element;
                let fields = [("type", kind), ("method", method), ("usage", usage), ("usage_index", usage_index)];
                out.record("element", &fields.map(|(name, value)| (name, Value::Integer(value.into()))))
            })?;
            words(&data.data, out)
        })?;
    }
    if let Some(data) = &mesh.fvf_data {
        let fields = [("fvf", Value::Integer(data.fvf.into())), ("words", integer(data.data.len()))];
        out.nest("FVFData", &fields, |out| words(&data.data, out))?;
    }
    Ok(())
}

fn numbered<const N: usize>(word: &str, field: &str, values: &Vectors<N>, out: &mut Writer<'_>) -> Written {
    values.iter().enumerate().try_for_each(|(number, value)| {
        out.record(word, &[("number", integer(number)), (field, Value::ExactNumbers(&value))])
    })
}

fn faces(word: &str, faces: &Faces, out: &mut Writer<'_>) -> Written {
    faces.iter().enumerate().try_for_each(|(number, corners)| {
        let corners: Vec<i64> = corners.iter().copied().map(i64::from).collect();
        out.record(word, &[("number", integer(number)), ("corners", Value::Integers(&corners))])
    })
}

/// Writes bit patterns as numbers, eight per line.
fn words(data: &[u32], out: &mut Writer<'_>) -> Written {
    data.chunks(8).try_for_each(|words| {
        let words: Vec<i64> = words.iter().copied().map(i64::from).collect();
        out.record("data", &[("values", Value::Integers(&words))])
    })
}

fn skin_weights(weights: &SkinWeights<'_>, out: &mut Writer<'_>) -> Written {
    let bone = weights.bone.to_name();
    let fields = [
        ("", Value::Text(&bone)),
        ("weights", integer(weights.weights.len())),
        ("matrix_offset", Value::ExactNumbers(&weights.matrix_offset)),
    ];
    out.nest("SkinWeights", &fields, |out| {
        weights.weights.iter().try_for_each(|&(vertex, weight)| {
            out.record("weight", &[("vertex", Value::Integer(vertex.into())), ("value", Value::Exact(weight))])
        })
    })
}

fn animation(animation: &Animation<'_>, out: &mut Writer<'_>) -> Written {
    let name = text(animation.name.as_ref());
    let target = animation.target.as_ref().map(|target| target.name.to_name());
    let target = target.as_deref().map(|target| ("target", Value::Text(target)));
    out.nest("Animation", &named(name.as_deref(), target), |out| {
        if let Some(options) = animation.options {
            let fields = [("open_closed", options.open_closed), ("position_quality", options.position_quality)];
            out.record("AnimationOptions", &fields.map(|(name, value)| (name, Value::Integer(value.value))))?;
        }
        for keys in &animation.keys {
            let fields = [("type", Value::Integer(keys.kind.key_type())), ("keys", integer(keys.times.len()))];
            let values: Vec<f64> = keys.values.iter().collect();
            out.nest("AnimationKey", &fields, |out| {
                keys.times.iter().zip(values.chunks(keys.kind.width())).try_for_each(|(&time, values)| {
                    out.record("key", &[("time", Value::Exact(time)), ("values", Value::ExactNumbers(values))])
                })
            })?;
        }
        Ok(())
    })
}
