//! Comparisons and snapshots in words.

use super::compare::{Affected, Comparison, Difference, InputChange, Occurrence, PoseDeviation, Tolerance};
use super::record::{RecordedFrames, Sample, Snapshot};
use super::records::{TextFormat, Value, Writer};
use super::times::Place;
use glam::DVec3;
use std::fmt;
use std::io::{self, Write};

impl fmt::Display for Comparison {
    /// Several lines, the first bad stage first; nothing where nothing is to be said. Each line ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.inputs.is_empty() {
            let frames =
                if self.is_same() && self.within_tolerance.is_empty() { ": every frame is the same" } else { "" };
            writeln!(f, "the file changed ({}){frames}", self.inputs)?;
        } else if !self.is_same() {
            writeln!(f, "the files are the same: our reading changed")?;
        }
        if let Some(stage) = self.first_bad_stage() {
            writeln!(f, "first bad stage: {stage}")?;
        }
        self.differences.iter().try_for_each(|difference| write!(f, "{difference}"))?;
        if let Some(first) = self.within_tolerance.first() {
            let more = match self.within_tolerance.len() - 1 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            writeln!(f, "differs within the tolerance{more}:")?;
            write!(f, "{first}")?;
        }
        Ok(())
    }
}

impl fmt::Display for InputChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("other bytes", &self.changed), ("new", &self.added), ("gone", &self.removed)];
        let named = parts.iter().filter(|(_, names)| !names.is_empty());
        let texts: Vec<String> = named.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect();
        f.write_str(&texts.join("; "))
    }
}

impl fmt::Display for Difference {
    /// A line, and one each for the first and the worst moment below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clip = self.clip.as_ref().map(|clip| format!("clip '{clip}': ")).unwrap_or_default();
        writeln!(f, "{clip}{} [{}]", self.message, self.stage)?;
        if let Some(first) = &self.first {
            writeln!(f, "  first: {first}")?;
        }
        match (&self.first, &self.worst) {
            (Some(first), Some(worst)) if first != worst => writeln!(f, "  worst: {worst}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, vertices) = match &self.part {
            Affected::Joint(name) => (format!("joint '{name}'"), false),
            Affected::Mesh(name) => (format!("mesh '{name}'"), true),
        };
        write!(f, "{} ({:.6} s), {part}: ", self.frame, self.time)?;
        describe(&self.deviation, vertices, f)
    }
}

fn describe(deviation: &PoseDeviation, vertices: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let about = if vertices { "about " } else { "" };
    let PoseDeviation { position, share, angle, stretch } = *deviation;
    if position == 0.0 && angle == 0.0 && stretch == 0.0 {
        return write!(f, "off by less than {} of the model's size", short(Tolerance::LEAST.position));
    }
    let (position, share, angle) = (short(position), short(share), short(angle));
    write!(f, "{about}{position} units off ({share} of the model's size), turned by {about}{angle} degrees")?;
    if stretch > 0.0 { write!(f, ", stretched by {}", short(stretch)) } else { Ok(()) }
}

/// Four digits that matter.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e6).contains(&size) => {
            let whole = format!("{value:.0}").trim_start_matches('-').len();
            let decimals = if size >= 1.0 { 4_usize.saturating_sub(whole) } else { 6 };
            let text = format!("{value:.decimals$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        _ => format!("{value:.2e}"),
    }
}

/// How much of a snapshot to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What there is: files, joints, meshes, clips.
    Summary,
    /// Every sample too.
    Everything,
}

impl Snapshot {
    /// Writes the snapshot as text for reading and for comparing line by line, or as JSON.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn write_text(&self, detail: Detail, format: TextFormat, out: &mut dyn Write) -> io::Result<()> {
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
            let [structure, weights, surface] =
                [mesh.structure, mesh.weights, mesh.surface].map(|digest| format!("{digest:016x}"));
            let fields = [
                ("", Value::Text(&mesh.name)),
                ("material", Value::Integer(mesh.material.into())),
                ("vertices", Value::Integer(mesh.vertices.into())),
                ("triangles", Value::Integer(mesh.triangles.into())),
                ("influences", Value::Integer(mesh.influences.into())),
                ("structure", Value::Text(&structure)),
                ("weights", Value::Text(&weights)),
                ("surface", Value::Text(&surface)),
            ];
            writer.record("mesh", &fields)?;
        }
        writer.nest("rest", &[], |writer| self.write_frames(&self.rest, detail, writer))?;
        for clip in &self.clips {
            let keys = clip.frames.samples.iter().filter(|sample| matches!(sample.place, Place::Key(_))).count();
            let mut fields = vec![("", Value::Text(&clip.name)), ("frames", Value::Integer(keys as i64))];
            fields.extend(clip.frame_rate.map(|rate| ("frame_rate", Value::Number(rate))));
            fields.extend([("seconds", Value::Number(clip.duration)), ("looping", Value::Truth(clip.looping))]);
            writer.nest("clip", &fields, |writer| self.write_frames(&clip.frames, detail, writer))?;
        }
        writer.end()
    }

    fn write_frames(&self, frames: &RecordedFrames, detail: Detail, writer: &mut Writer<'_>) -> io::Result<()> {
        if detail == Detail::Summary {
            return Ok(());
        }
        let columns = self.joints.iter().zip(&frames.local).zip(&frames.model);
        for ((joint, local), model) in columns {
            let [local, model] = [local, model].map(|digest| format!("{digest:016x}"));
            let fields =
                [("", Value::Text(&joint.name)), ("local", Value::Text(&local)), ("model", Value::Text(&model))];
            writer.record("digest", &fields)?;
        }
        for ((mesh, positions), shading) in self.meshes.iter().zip(&frames.positions).zip(&frames.shading) {
            let [positions, shading] = [positions, shading].map(|digest| format!("{digest:016x}"));
            let fields = [
                ("", Value::Text(&mesh.name)),
                ("positions", Value::Text(&positions)),
                ("shading", Value::Text(&shading)),
            ];
            writer.record("digest", &fields)?;
        }
        frames.samples.iter().try_for_each(|sample| self.write_sample(sample, writer))
    }

    fn write_sample(&self, sample: &Sample, writer: &mut Writer<'_>) -> io::Result<()> {
        let (word, number) = match sample.place {
            Place::Key(number) => ("frame", number),
            Place::After(number) => ("after_frame", number),
        };
        let digests = <[u32; 4]>::from(sample.digests).map(|digest| format!("{digest:08x}"));
        let names = ["local", "model", "positions", "shading"];
        let mut fields = vec![("number", Value::Integer(number.into())), ("time", Value::Number(sample.time))];
        fields.extend(names.into_iter().zip(digests.iter().map(|digest| Value::Text(digest))));
        writer.nest(word, &fields, |writer| {
            for (joint, pose) in self.joints.iter().zip(&sample.joints) {
                let mut fields = vec![
                    ("", Value::Text(&joint.name)),
                    ("position", Value::Vector(pose.translation)),
                    ("rotation", Value::Rotation(pose.rotation)),
                ];
                if (pose.scale - DVec3::ONE).abs().max_element() >= 5e-10 || pose.shear.abs().max_element() >= 5e-10 {
                    fields.extend([("scale", Value::Vector(pose.scale)), ("shear", Value::Vector(pose.shear))]);
                }
                writer.record("joint", &fields)?;
            }
            if let Some((min, max)) = sample.bounds {
                writer.record("bounds", &[("min", Value::Vector(min)), ("max", Value::Vector(max))])?;
                let [first, second] = sample.position_sums;
                let fields = [
                    ("first", Value::Vector(first)),
                    ("second", Value::Vector(second)),
                    ("shading", Value::Vector(sample.shading_sum)),
                ];
                writer.record("sums", &fields)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short_and_keep_what_matters() {
        let cases = [(0.0, "0"), (1.25, "1.25"), (123.456, "123.5"), (98765.4, "98765"), (0.0012345678, "0.001235")];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(1.234e-7), "1.23e-7");
        assert_eq!(short(f64::INFINITY), "inf");
    }
}
