//! What `bindpose compare` found: plain data, and its Markdown.

use super::table::Table;
use bindpose_core::skin::Cost;
use serde::Serialize;
use std::fmt::Write as _;

/// A whole comparison.
#[derive(Debug, Clone, Serialize)]
pub struct ComparisonReport {
    /// The model's name.
    pub model: String,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Vertices of its meshes.
    pub vertices: usize,
    /// Triangles of its meshes.
    pub triangles: usize,
    /// The clip's name, if one is shown.
    pub clip: Option<String>,
    /// Moments of the clip, seconds.
    pub times: Vec<f64>,
    /// Vendor, renderer and version of OpenGL.
    pub opengl: Vec<String>,
    /// The budget's name.
    pub limits: String,
    /// Largest distance from the own reference that passes, as a share of the model's extent.
    pub tolerance: f64,
    /// Largest angle between normals that passes, degrees.
    pub normal_tolerance: f64,
    /// One per method.
    pub methods: Vec<MethodReport>,
}

/// One method.
#[derive(Debug, Clone, Serialize)]
pub struct MethodReport {
    /// Its name.
    pub method: String,
    /// What became of it.
    pub verdict: Agreement,
    /// Why it was left out, or where it is off.
    pub reason: Option<String>,
    /// Draw calls.
    pub batches: usize,
    /// What its limits cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// How far trimmed triangles moved the worst vertex, model units.
    pub trimmed_movement: f64,
    /// Bytes that go to the GPU for one pose: uniforms, textures, vertices.
    pub bytes_per_frame: u64,
    /// Memory besides uniforms: vertices, indices, palettes in textures, stored frames.
    pub bytes_fixed: u64,
    /// Largest distance from the own reference that passes for it, as a share of the model's extent.
    pub tolerance: f64,
    /// One per time.
    pub moments: Vec<MomentReport>,
}

/// What became of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// It agrees with its reference.
    Agrees,
    /// It does not.
    Off,
    /// The driver refuses its program.
    Refused,
    /// The machine or the model lacks what it needs.
    Skipped,
}

impl Agreement {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Off => "OFF",
            Self::Refused => "refused",
            Self::Skipped => "skipped",
        }
    }
}

/// One method at one time.
#[derive(Debug, Clone, Serialize)]
pub struct MomentReport {
    /// Seconds.
    pub time: f64,
    /// Against the method's own reference, on the influences that it sees.
    pub own: VertexDeviation,
    /// Against the weighted sum over all influences of the file.
    pub linear: VertexDeviation,
    /// Against the picture of the linear reference.
    pub picture: Option<PictureDifference>,
}

/// How far vertices are from where they should be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct VertexDeviation {
    /// Largest distance, model units; infinite where the GPU gave no number.
    pub max: f64,
    /// The same as a share of the model's extent in this pose.
    pub max_of_extent: f64,
    /// Root of the mean square, model units.
    pub rms: f64,
    /// The same as a share of the model's extent in this pose.
    pub rms_of_extent: f64,
    /// Mesh of the farthest vertex, counted from 0.
    pub mesh: usize,
    /// The farthest vertex, in the file's numbering of that mesh.
    pub vertex: u32,
    /// Largest angle between normals, degrees.
    pub normal_degrees: f64,
    /// The vertex of that normal, in the file's numbering of its mesh.
    pub normal_vertex: u32,
}

/// How far two pictures are apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PictureDifference {
    /// Largest difference of a channel, 0 to 255.
    pub max: u8,
    /// Mean difference of all channels, 0 to 255.
    pub mean: f64,
    /// Share of pixels with a channel that differs by more than [`PIXEL_THRESHOLD`].
    pub share: f64,
    /// Structural similarity with colour (image-compare's hybrid score): 1 for equal pictures, 0 for unlike ones.
    pub similarity: f64,
}

/// A pixel counts as different when a channel differs by more than this, of 255.
pub const PIXEL_THRESHOLD: u8 = 8;

impl ComparisonReport {
    /// Whether a method is off its reference, or its program was refused.
    pub fn has_faults(&self) -> bool {
        self.methods.iter().any(|method| matches!(method.verdict, Agreement::Off | Agreement::Refused))
    }

    /// One row per method, the worst of all moments.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "method",
            "verdict",
            "own max",
            "own rms",
            "normal",
            "linear max",
            "linear rms",
            "normal",
            "picture",
            "batches",
            "dropped",
            "trimmed",
            "broken",
            "bytes/frame",
            "bytes kept",
            "why",
        ]);
        for method in &self.methods {
            let mut row = vec![method.method.clone(), method.verdict.text().to_owned()];
            if matches!(method.verdict, Agreement::Agrees | Agreement::Off) {
                let own = worst(method.moments.iter().map(|moment| &moment.own));
                let linear = worst(method.moments.iter().map(|moment| &moment.linear));
                for deviation in [own, linear] {
                    row.push(format!("{:.1e}", deviation.max_of_extent));
                    row.push(format!("{:.1e}", deviation.rms_of_extent));
                    row.push(format!("{:.3}", deviation.normal_degrees));
                }
                let similarity = method.moments.iter().filter_map(|moment| moment.picture).map(|p| p.similarity);
                row.push(similarity.reduce(f64::min).map_or(String::new(), |least| format!("{least:.4}")));
                row.push(method.batches.to_string());
                row.push(method.cost.dropped_influences.to_string());
                row.push(method.cost.trimmed_triangles.to_string());
                row.push(method.cost.broken_conditions.to_string());
                row.push(method.bytes_per_frame.to_string());
                row.push(method.bytes_fixed.to_string());
            }
            // The reason of one that is off or left out stands in the last column; of a driver's log its first line.
            row.resize(table.headings.len() - 1, String::new());
            row.extend(method.reason.as_ref().and_then(|reason| reason.lines().next()).map(str::to_owned));
            table.push(row);
        }
        table
    }

    /// Lines on methods that are off or were left out.
    pub fn remarks(&self) -> Vec<String> {
        let reason = |method: &MethodReport| {
            method.reason.as_ref().map(|reason| format!("{}: {}: {reason}", method.method, method.verdict.text()))
        };
        self.methods.iter().filter_map(reason).collect()
    }

    /// The report for people; `pictures` are files beside it to be shown.
    pub fn markdown(&self, pictures: &[(&str, &str)]) -> String {
        let mut text = format!("# Skinning methods on {}\n\n", self.model);
        let clip = self.clip.as_deref().map_or("at rest".to_owned(), |clip| format!("clip `{clip}`"));
        let times: Vec<String> = self.times.iter().map(|time| format!("{time:.3}")).collect();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{} joints, {} vertices, {} triangles; {clip} at {} s; limits `{}`; {}.\n\n",
            self.joints,
            self.vertices,
            self.triangles,
            times.join(", "),
            self.limits,
            self.opengl.join(", ")
        );
        text += &self.table().markdown();
        let _ = write!(
            text,
            "\nDistances, `max` and `rms`, are shares of the model's extent; normals are degrees; the worst moment counts. \
             *own*: against the method's reference on the influences that it sees; a method is off beyond {:.0e} or {} \
             degrees. *linear*: against the weighted sum over all influences of the file. *picture*: similarity with the \
             linear reference's picture, 1 for equal ones. *dropped*: influences beyond the method's limits; *trimmed*: \
             triangles that use more joints than a batch may; *broken*: vertices for which sjb is not exact.\n",
            self.tolerance, self.normal_tolerance
        );
        for remark in self.remarks() {
            let _ = write!(text, "\n- {remark}");
        }
        if !self.remarks().is_empty() {
            text.push('\n');
        }
        let mut moments = Table::new([
            "method",
            "time",
            "own max",
            "where",
            "linear max",
            "where",
            "picture max",
            "mean",
            "share",
            "similarity",
        ]);
        for method in &self.methods {
            for moment in &method.moments {
                let place =
                    |deviation: &VertexDeviation| format!("mesh {} vertex {}", deviation.mesh, deviation.vertex);
                let mut row = vec![
                    method.method.clone(),
                    format!("{:.3}", moment.time),
                    format!("{:.2e}", moment.own.max),
                    place(&moment.own),
                    format!("{:.2e}", moment.linear.max),
                    place(&moment.linear),
                ];
                if let Some(picture) = moment.picture {
                    row.push(picture.max.to_string());
                    row.push(format!("{:.4}", picture.mean));
                    row.push(format!("{:.4}", picture.share));
                    row.push(format!("{:.4}", picture.similarity));
                }
                moments.push(row);
            }
        }
        let _ = write!(text, "\n## Every moment\n\n{}", moments.markdown());
        let _ = write!(
            text,
            "\nDistances are model units. Picture differences are of 255; the share is of pixels that differ by more than \
             {PIXEL_THRESHOLD}.\n"
        );
        for (title, file) in pictures {
            let _ = write!(text, "\n## {title}\n\n![{title}]({file})\n");
        }
        text
    }
}

/// The largest of each figure.
fn worst<'a>(deviations: impl Iterator<Item = &'a VertexDeviation>) -> VertexDeviation {
    deviations.fold(VertexDeviation::default(), |worst, next| VertexDeviation {
        max: worst.max.max(next.max),
        max_of_extent: worst.max_of_extent.max(next.max_of_extent),
        rms: worst.rms.max(next.rms),
        rms_of_extent: worst.rms_of_extent.max(next.rms_of_extent),
        normal_degrees: worst.normal_degrees.max(next.normal_degrees),
        ..worst
    })
}
