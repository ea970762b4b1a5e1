//! Snapshots as text.

use super::record::{RecordedFrames, Snapshot};
use super::records::{TextFormat, Value, Writer};
use bindpose_core::model::Transform;
use std::io::{self, Write};

impl Snapshot {
    /// Writes the snapshot as JSON, or as text for reading and line-by-line comparison; its samples only
    /// `with_samples`.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn write_text(&self, with_samples: bool, format: TextFormat, out: &mut dyn Write) -> io::Result<()> {
        let header = [
            ("model", self.model.clone()),
            ("written by", format!("bindpose {}", self.tool)),
            ("axes", "right-handed, +z up".to_owned()),
            ("units", "lengths as in the file, times in seconds; quaternions x y z w with w >= 0".to_owned()),
            ("positions", "stored to 2^-31 of the size, shown with nine decimals".to_owned()),
        ];
        let mut writer = Writer::begin(out, format, "bindpose snapshot", super::FORMAT, &header)?;
        for input in &self.inputs {
            let bytes = Value::Integer(i64::try_from(input.bytes).unwrap_or(i64::MAX));
            let mut fields =
                vec![("", Value::Text(&input.file)), ("bytes", bytes), ("xxh128", Value::Text(&input.xxh128))];
            fields.extend(input.fourth_columns.as_deref().map(|digest| ("fourth_columns", Value::Text(digest))));
            writer.record("input", &fields)?;
        }
        writer.record("size", &[("value", Value::Number(self.size))])?;
        self.write_structure(&mut writer)?;
        writer.nest("rest", &[], |writer| self.write_frames(&self.rest, with_samples, writer))?;
        for clip in &self.clips {
            let keys = clip.frames.samples.iter().filter(|sample| !sample.frame.is_between).count();
            let mut fields = vec![("", Value::Text(&clip.name)), ("frames", Value::Integer(keys as i64))];
            fields.extend(clip.frame_rate.map(|rate| ("frame_rate", Value::Number(rate))));
            fields.extend([("seconds", Value::Number(clip.duration)), ("looping", Value::Truth(clip.looping))]);
            let lists = [("flags", &clip.flags), ("cuts", &clip.cuts)].into_iter().filter(|(_, list)| !list.is_empty());
            fields.extend(lists.map(|(name, list)| (name, Value::Integers(list))));
            writer.nest("clip", &fields, |writer| self.write_frames(&clip.frames, with_samples, writer))?;
        }
        writer.end()
    }

    fn write_structure(&self, writer: &mut Writer<'_>) -> io::Result<()> {
        for joint in &self.joints {
            let parent = joint.parent.and_then(|parent| self.joints.get(parent as usize));
            let mut fields = vec![("", Value::Text(&joint.name))];
            fields.extend(parent.map(|parent| ("parent", Value::Text(&parent.name))));
            writer.record("joint", &fields)?;
        }
        for material in &self.materials {
            let colors = format!("{:016x}", material.colors);
            let mut fields = vec![("", Value::Text(&material.name)), ("colors", Value::Text(&colors))];
            fields.extend(material.texture.as_deref().map(|texture| ("texture", Value::Text(texture))));
            writer.record("material", &fields)?;
        }
        for mesh in &self.meshes {
            let lists = [mesh.triangles, mesh.uvs, mesh.joints, mesh.weights].map(|list| list.to_string());
            let [bind, surface, shape] = [mesh.bind, mesh.surface, mesh.shape].map(|digest| format!("{digest:016x}"));
            let mut fields = vec![
                ("", Value::Text(&mesh.name)),
                ("material", Value::Integer(mesh.material.into())),
                ("vertices", Value::Integer(mesh.vertices.into())),
                ("triangles", Value::Integer(mesh.triangles.count.into())),
                ("influences", Value::Integer(mesh.influences.into())),
            ];
            let names = ["corners", "uvs", "joints", "weights"];
            fields.extend(names.into_iter().zip(lists.iter().map(|digest| Value::Text(digest))));
            fields.extend([
                ("bind", Value::Text(&bind)),
                ("surface", Value::Text(&surface)),
                ("shape", Value::Text(&shape)),
            ]);
            writer.record("mesh", &fields)?;
        }
        Ok(())
    }

    fn write_frames(&self, frames: &RecordedFrames, with_samples: bool, writer: &mut Writer<'_>) -> io::Result<()> {
        if !with_samples {
            return Ok(());
        }
        let skeleton = self.skeleton();
        for sample in &frames.samples {
            let word = if sample.frame.is_between { "after_frame" } else { "frame" };
            let digests = <[u32; 5]>::from(sample.digests).map(|digest| format!("{digest:08x}"));
            let names = ["local", "model", "positions", "shading", "numbers"];
            let mut fields =
                vec![("number", Value::Integer(sample.frame.number.into())), ("time", Value::Number(sample.time))];
            fields.extend(names.into_iter().zip(digests.iter().map(|digest| Value::Text(digest))));
            writer.nest(word, &fields, |writer| {
                for (joint, pose) in self.joints.iter().zip(sample.model_pose(&skeleton).0) {
                    writer.joint(&joint.name, &Transform::from_affine(pose))?;
                }
                if let Some((min, max)) = sample.bounds {
                    writer.record("bounds", &[("min", Value::Vector(min)), ("max", Value::Vector(max))])?;
                    let [first, second] = sample.position_sums.map(Value::Vector);
                    let shading = Value::Vector(sample.shading_sum);
                    writer.record("sums", &[("first", first), ("second", second), ("shading", shading)])?;
                }
                let numbers = frames.numbers.iter().zip(&sample.numbers);
                let numbers: Vec<_> = numbers.map(|(name, &number)| (name.as_str(), Value::Number(number))).collect();
                if numbers.is_empty() { Ok(()) } else { writer.record("file", &numbers) }
            })?;
        }
        Ok(())
    }
}
