//! Models and poses, record by record.

use super::{DumpError, DumpStage, FrameSelection};
use crate::records::{Value, Writer, transform};
use crate::times::key_times;
use bindpose_core::model::{Clip, Interpolation, JointTracks, Mesh, Model, Skeleton, Track, Transform, bounds_of};
use bindpose_core::play::OutsideClip;
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose_core::skin::{self, Prepared, Skinned, Skinning, TimedPose};
use glam::DAffine3;
use std::io;

type Written = io::Result<()>;

/// A clip and its selected times. Each time has its frame number, unless it is between frames.
pub(super) struct Poses<'a> {
    clip: &'a Clip,
    frames: usize,
    times: Vec<(Option<usize>, f64)>,
}

/// Selects times. Every clip must have the selected frames.
pub(super) fn poses<'a>(clips: &[&'a Clip], selection: &FrameSelection) -> Result<Vec<Poses<'a>>, DumpError> {
    let of_clip = |clip: &&'a Clip| {
        let times = key_times(clip);
        if let FrameSelection::Frames(ranges) = selection {
            let last = times.len() - 1;
            if let Some(range) = ranges.iter().find(|range| *range.end() > last) {
                return Err(DumpError::NoFrame { clip: clip.name.clone(), frame: *range.end(), last });
            }
        }
        let chosen = match *selection {
            FrameSelection::Time(time) => vec![(None, OutsideClip::check(time, clip.duration)?)],
            _ => {
                let keys = times.iter().enumerate().filter(|&(frame, _)| selection.shows(frame));
                keys.map(|(frame, &time)| (Some(frame), time)).collect()
            }
        };
        Ok(Poses { clip, frames: times.len(), times: chosen })
    };
    clips.iter().map(of_clip).collect()
}

/// Writes the model as imported.
pub(super) fn model(model: &Model, clips: &[&Clip], out: &mut Writer<'_>) -> Written {
    for joint in model.skeleton.joints() {
        let parent = joint.parent.map(|parent| model.skeleton[parent].name.as_str());
        let mut fields = vec![("", Value::Text(&joint.name))];
        fields.extend(parent.map(|parent| ("parent", Value::Text(parent))));
        fields.extend(transform(&joint.rest_local));
        out.record("joint", &fields)?;
    }
    for material in &model.materials {
        let wide = |parts: &[f32]| parts.iter().map(|&part| f64::from(part)).collect::<Vec<f64>>();
        let [diffuse, specular, emissive] =
            [&material.diffuse.to_array()[..], &material.specular.to_array(), &material.emissive.to_array()].map(wide);
        let mut fields = vec![
            ("", Value::Text(&material.name)),
            ("diffuse", Value::Numbers(&diffuse)),
            ("specular", Value::Numbers(&specular)),
            ("specular_power", Value::Number(material.specular_power.into())),
            ("emissive", Value::Numbers(&emissive)),
        ];
        fields.extend(material.texture.as_deref().map(|texture| ("texture", Value::Text(texture))));
        out.record("material", &fields)?;
    }
    model.meshes.iter().try_for_each(|of| mesh(model, of, out))?;
    clips.iter().try_for_each(|of| clip(&model.skeleton, of, out))
}

fn mesh(model: &Model, mesh: &Mesh, out: &mut Writer<'_>) -> Written {
    let material = model.materials.get(mesh.material.index()).map_or("", |material| &material.name);
    let fields = [
        ("", Value::Text(&mesh.name)),
        ("material", Value::Text(material)),
        ("source_mesh", Value::Integer(mesh.source_mesh as i64)),
        ("vertices", Value::Integer(mesh.vertex_count() as i64)),
        ("triangles", Value::Integer(mesh.triangles.len() as i64)),
        ("influences", Value::Integer(mesh.influences.len() as i64)),
    ];
    out.nest("mesh", &fields, |out| {
        for bound in &mesh.bind {
            let fields = affine(&model.skeleton[bound.joint].name, &bound.inverse_bind);
            out.record("inverse_bind", &fields)?;
        }
        for vertex in 0..mesh.vertex_count() {
            let uv = mesh.uvs[vertex].as_dvec2().to_array();
            let tangent = mesh.tangent(vertex).as_dvec4().to_array();
            let color = mesh.colors.get(vertex).map(|color| color.as_dvec4().to_array());
            let mut fields = vec![
                ("number", Value::Integer(vertex as i64)),
                ("source_vertex", Value::Integer(mesh.source_vertices[vertex].into())),
                ("position", Value::Vector(mesh.positions[vertex].as_dvec3())),
                ("normal", Value::Vector(mesh.normals[vertex].as_dvec3())),
                ("tangent", Value::Numbers(&tangent)),
                ("uv", Value::Numbers(&uv)),
            ];
            fields.extend(color.as_ref().map(|color| ("color", Value::Numbers(color))));
            out.nest("vertex", &fields, |out| {
                mesh.influences_of(vertex).iter().try_for_each(|influence| {
                    let joint = mesh.bind[influence.slot as usize].joint;
                    let fields = [
                        ("", Value::Text(&model.skeleton[joint].name)),
                        ("weight", Value::Number(influence.weight.into())),
                        ("offset", Value::Vector(influence.offset.as_dvec3())),
                    ];
                    out.record("influence", &fields)
                })
            })?;
        }
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let corners = corners.map(i64::from);
            out.record(
                "triangle",
                &[("number", Value::Integer(number as i64)), ("corners", Value::Integers(&corners))],
            )?;
        }
        Ok(())
    })
}

fn clip(skeleton: &Skeleton, clip: &Clip, out: &mut Writer<'_>) -> Written {
    out.nest("clip", &clip_fields(clip, key_times(clip).len()), |out| {
        for (joint, tracks) in skeleton.joints().iter().zip(&clip.joints) {
            match tracks {
                JointTracks::Parts { translation, rotation, scale } => {
                    let vector = |value| vec![("value", Value::Vector(value))];
                    let turn = |value| vec![("value", Value::Rotation(value))];
                    track(clip, &joint.name, "translation", translation.as_ref(), vector, out)?;
                    track(clip, &joint.name, "rotation", rotation.as_ref(), turn, out)?;
                    track(clip, &joint.name, "scale", scale.as_ref(), vector, out)?;
                }
                JointTracks::Whole { keys, between } => {
                    let kind = match between {
                        Interpolation::Parts => "transform",
                        Interpolation::Elements => "matrix",
                        Interpolation::DualQuaternions => "dual-quaternion",
                    };
                    track(clip, &joint.name, kind, Some(keys), |key| transform(&key), out)?;
                }
            }
        }
        Ok(())
    })
}

fn clip_fields(clip: &Clip, frames: usize) -> Vec<(&str, Value<'_>)> {
    let mut fields = vec![("", Value::Text(&clip.name)), ("frames", Value::Integer(frames as i64))];
    fields.extend(clip.frame_rate.map(|rate| ("frame_rate", Value::Number(rate))));
    fields.extend([("seconds", Value::Number(clip.duration)), ("looping", Value::Truth(clip.looping))]);
    fields
}

fn track<T: Copy>(
    clip: &Clip,
    joint: &str,
    kind: &str,
    track: Option<&Track<T>>,
    fields: impl Fn(T) -> Vec<(&'static str, Value<'static>)>,
    out: &mut Writer<'_>,
) -> Written {
    let Some(track) = track else { return Ok(()) };
    let times = clip.timelines.get(track.timeline.0 as usize).map_or(&[][..], |timeline| timeline.times());
    out.nest("track", &[("", Value::Text(joint)), ("of", Value::Text(kind))], |out| {
        // A single value applies to the whole clip.
        let constant = track.values.len() == 1;
        for (key, &value) in track.values.iter().enumerate() {
            let time = times.get(key).copied().filter(|_| !constant);
            let mut all: Vec<_> = time.map(|time| ("time", Value::Number(time))).into_iter().collect();
            all.extend(fields(value));
            out.record("key", &all)?;
        }
        Ok(())
    })
}

#[derive(Default)]
struct Buffers {
    local: LocalPose,
    pose: ModelPose,
    palette: Vec<DAffine3>,
    /// Meshes prepared for the method.
    prepared: Vec<Prepared>,
    skinned: Skinned,
}

/// Writes poses of clips, or the rest pose if there are no clips.
pub(super) fn posed(
    model: &Model,
    stage: DumpStage,
    skinning: &Skinning,
    clips: &[Poses<'_>],
    out: &mut Writer<'_>,
) -> Result<(), DumpError> {
    let mut buffers = Buffers::default();
    let prepare = |clip| if stage == DumpStage::Vertices { skinning.prepare(model, clip) } else { Ok(Vec::new()) };
    let turn = |local: &mut LocalPose| skinning.turns.iter().for_each(|turn| turn.apply(local));
    if clips.is_empty() {
        buffers.prepared = prepare(None)?;
        rest(&model.skeleton, &mut buffers.local);
        turn(&mut buffers.local);
        return Ok(out.nest("rest", &[], |out| pose(model, stage, 0.0, &mut buffers, out))?);
    }
    for Poses { clip, frames, times } in clips {
        if buffers.prepared.is_empty() || skinning.method.method().needs.clip {
            buffers.prepared = prepare(Some(clip))?;
        }
        out.nest("clip", &clip_fields(clip, *frames), |out| {
            for &(frame, time) in times {
                sample(&model.skeleton, clip, time, &mut buffers.local);
                turn(&mut buffers.local);
                let mut fields: Vec<_> =
                    frame.map(|frame| ("number", Value::Integer(frame as i64))).into_iter().collect();
                fields.push(("time", Value::Number(time)));
                out.nest("frame", &fields, |out| pose(model, stage, time, &mut buffers, out))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn pose(model: &Model, stage: DumpStage, time: f64, buffers: &mut Buffers, out: &mut Writer<'_>) -> Written {
    let Buffers { local, pose, palette, prepared, skinned } = buffers;
    local_to_model(&model.skeleton, local, pose);
    let names = model.skeleton.joints().iter().map(|joint| joint.name.as_str());
    match stage {
        DumpStage::Model => Ok(()),
        DumpStage::Local => names.zip(&local.0).try_for_each(|(name, local)| out.joint(name, local)),
        DumpStage::ModelPose => {
            names.zip(&pose.0).try_for_each(|(name, pose)| out.joint(name, &Transform::from_affine(*pose)))
        }
        DumpStage::Palette => model.meshes.iter().try_for_each(|mesh| {
            skin::palette(mesh, pose, palette);
            out.nest("mesh", &[("", Value::Text(&mesh.name))], |out| {
                mesh.bind.iter().zip(&*palette).try_for_each(|(bound, matrix)| {
                    out.record("joint", &affine(&model.skeleton[bound.joint].name, matrix))
                })
            })
        }),
        DumpStage::Vertices => prepared.iter().try_for_each(|prepared| {
            skin::checked_reference(prepared, TimedPose { pose, time }, skinned).map_err(io::Error::other)?;
            vertices(&prepared.mesh, skinned, out)
        }),
    }
}

fn affine<'a>(name: &'a str, matrix: &DAffine3) -> [(&'a str, Value<'a>); 5] {
    [
        ("", Value::Text(name)),
        ("x", Value::Vector(matrix.matrix3.x_axis)),
        ("y", Value::Vector(matrix.matrix3.y_axis)),
        ("z", Value::Vector(matrix.matrix3.z_axis)),
        ("translation", Value::Vector(matrix.translation)),
    ]
}

fn vertices(mesh: &Mesh, skinned: &Skinned, out: &mut Writer<'_>) -> Written {
    let mut fields = vec![("", Value::Text(&mesh.name))];
    if let Some((min, max)) = bounds_of(skinned.positions.iter().copied()) {
        fields.extend([("min", Value::Vector(min)), ("max", Value::Vector(max))]);
    }
    out.nest("mesh", &fields, |out| {
        for (vertex, (&position, &normal)) in skinned.positions.iter().zip(&skinned.normals).enumerate() {
            let fields = [
                ("number", Value::Integer(vertex as i64)),
                ("source_vertex", Value::Integer(mesh.source_vertices[vertex].into())),
                ("position", Value::Vector(position)),
                ("normal", Value::Vector(normal)),
            ];
            out.record("vertex", &fields)?;
        }
        Ok(())
    })
}
