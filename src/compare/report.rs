//! What `bindpose compare` found: plain data, and its Markdown.

use super::figure_report::FigureReport;
use super::finding::{self, Group, SAME_WITHIN, TurnReport};
use super::plot::Plot;
use super::table::Table;
use crate::html;
use bindpose_core::skin::Cost;
use serde::Serialize;
use std::fmt::Write as _;

/// A whole comparison.
#[derive(Debug, Clone, Serialize)]
pub struct ComparisonReport {
    /// What was found, in a sentence or two.
    pub finding: String,
    /// Methods that show the same, those nearest to the weighted sum first.
    pub groups: Vec<Group>,
    /// Methods of a group have no vertex farther from the first one's than this share of the model's extent.
    pub same_within: f64,
    /// The turn that it is about, if one was asked for.
    pub turn: Option<TurnReport>,
    /// Angles of a sweep, degrees, one for each time; empty without one.
    pub angles: Vec<f64>,
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
    /// What people call each: a time, or an angle.
    pub moments: Vec<String>,
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
    /// Figures of the articles that were asked for beside the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<FigureReport>,
}

/// A measure over the angles of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// For file names.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Values between which a plot reaches at least.
    pub reach: [f64; 2],
    /// Of each group a name and a value for each angle.
    pub lines: Vec<(String, Vec<f64>)>,
}

impl Sweep {
    /// As a plot.
    pub fn plot(&self, angles: &[f64]) -> Plot {
        Plot {
            title: self.title.to_owned(),
            measure: self.title.to_owned(),
            angles: angles.to_vec(),
            lines: self.lines.clone(),
            reach: self.reach,
        }
    }
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
    /// Where a joint is turned: the smallest distance of a vertex between it and its parent from the axis of the turn, over
    /// what it was before.
    pub thickness: Option<f64>,
    /// Where a joint is turned: the volume of the meshes over what it was before, if there was any. Means something for closed
    /// meshes only.
    pub volume: Option<f64>,
}

/// How far vertices are from where they should be.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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
    /// The joint that moves this vertex most.
    pub joint: Option<String>,
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
    /// Mean difference of all channels of the figure's pixels, 0 to 255.
    pub mean: f64,
    /// Share of the figure's pixels with a channel that differs by more than [`PIXEL_THRESHOLD`].
    pub share: f64,
    /// Structural similarity with colour (image-compare's hybrid score) over the figure's pixels: 1 for equal pictures, 0 for unlike ones.
    pub similarity: f64,
}

/// A pixel counts as different when a channel differs by more than this, of 255.
pub const PIXEL_THRESHOLD: u8 = 8;

/// Moments that are listed one by one at most.
const MOST_LISTED: usize = 8;

impl ComparisonReport {
    /// Whether a method is off its reference, or its program was refused.
    pub fn has_faults(&self) -> bool {
        self.methods.iter().any(|method| matches!(method.verdict, Agreement::Off | Agreement::Refused))
    }

    /// A row for each group of methods that show the same.
    pub fn summary(&self) -> Table {
        finding::table(&self.groups, &self.moments)
    }

    /// Whether its moments are angles.
    pub fn is_sweep(&self) -> bool {
        self.angles.len() > 1
    }

    /// What a sweep measures, over its angles; nothing for a single angle, or none.
    pub fn sweeps(&self) -> Vec<Sweep> {
        let of = |name, title, reach, value: &dyn Fn(&MomentReport) -> Option<f64>| {
            let line = |group: &Group| {
                let method = self.methods.iter().find(|method| Some(&method.method) == group.methods.first())?;
                let values: Vec<f64> = method.moments.iter().filter_map(value).collect();
                (values.len() == self.angles.len()).then(|| (finding::label(&group.methods), values))
            };
            Sweep { name, title, reach, lines: self.groups.iter().filter_map(line).collect() }
        };
        let all = [
            of("error", "Largest error, % of the size", [0.0, 0.01], &|moment| {
                Some(100.0 * moment.linear.max_of_extent)
            }),
            of("thickness", "Thickness / thickness before", [0.0, 1.05], &|moment| moment.thickness),
            of("volume", "Volume / volume before", [0.99, 1.0], &|moment| moment.volume),
        ];
        all.into_iter().filter(|sweep| self.is_sweep() && !sweep.lines.is_empty()).collect()
    }

    /// A row for each angle, at most `most`, and a column for each group.
    pub fn sweep_table(&self, sweep: &Sweep, most: usize) -> Table {
        let names = sweep.lines.iter().map(|(name, _)| name.clone());
        let mut table = Table::new(std::iter::once("degrees".to_owned()).chain(names));
        let last = self.angles.len().saturating_sub(1);
        let step = last.div_ceil(most.saturating_sub(1).max(1)).max(1);
        for place in (0..=last).filter(|place| place % step == 0 || *place == last) {
            let values = sweep.lines.iter().map(|(_, values)| format!("{:.4}", values[place]));
            table.push(std::iter::once(self.angles[place].to_string()).chain(values));
        }
        table
    }

    /// One row per method, the worst of all moments.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "method",
            "verdict",
            "own max",
            "own rms",
            "own normal",
            "linear max",
            "linear rms",
            "linear normal",
            "similarity",
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

    /// What this is about, for who has never heard of it.
    pub const INTRODUCTION: &'static str = "A skinning method says where the joints of a skeleton take the vertices of a mesh. Here \
        all methods were given the same poses. The reference is the weighted sum: each joint that pulls at a vertex would take it \
        somewhere, and the vertex goes to the average of these places, by its weights.";

    /// Words that sentences about methods use, and what they mean.
    pub const LINEAR: (&'static str, &'static str) =
        ("linear methods", "those that work out the weighted sum itself, each in its own way");

    /// Words of the sentence and columns of the [`summary`](Self::summary), and what they mean.
    pub fn legend(&self) -> Vec<(&'static str, &'static str)> {
        let mut legend = vec![
            Self::LINEAR,
            (
                "from weighted sum",
                "how far the worst vertex is from where that sum, over all influences of the file, puts it, as a share of the \
                 model's size, which is the diagonal of the box around it",
            ),
            ("worst joint", "the joint that moves this vertex most"),
            ("similarity", "how alike the pictures of method and sum are, over the figure's pixels: 1 for equal ones"),
        ];
        if self.turn.is_some() {
            legend.push((
                "thickness left",
                "where the turned joint and its surroundings both pull at the surface: the least distance from the axis of the turn, \
                 over that before; 100 % is a method that keeps the limb as thick as it was. Of a sweep, at the worst angle",
            ));
            legend.push(("volume left", "the same of the volume inside the meshes, if they are closed"));
        }
        legend
    }

    /// Model, clip, moments, limits and machine in a line.
    pub fn about(&self) -> String {
        let clip = self.clip.as_deref().map_or("at rest".to_owned(), |clip| format!("clip '{clip}'"));
        let moments = match self.moments.as_slice() {
            [first, .., last] if self.moments.len() > MOST_LISTED => {
                format!("{} moments from {first} to {last}", self.moments.len())
            }
            moments => moments.join(", "),
        };
        format!(
            "{} joints, {} vertices, {} triangles; {clip} at {moments}; limits '{}'; {}.",
            self.joints,
            self.vertices,
            self.triangles,
            self.limits,
            self.opengl.join(", ")
        )
    }

    /// The report for people; `pictures` are files beside it to be shown.
    pub fn markdown(&self, pictures: &[(String, String)]) -> String {
        let [model, finding, about] = [&self.model, &self.finding, &self.about()].map(|text| html::line(text));
        let mut text = format!("# Skinning methods on {model}\n\n{finding}\n\n{about}\n\n");
        text += &self.summary().markdown();
        let _ = write!(
            text,
            "\nMethods that show the same within {} of the size stand in one row.\n\n{}\n\n",
            finding::percent(SAME_WITHIN),
            Self::INTRODUCTION
        );
        for (word, meaning) in self.legend() {
            let _ = writeln!(text, "- *{word}*: {meaning}.");
        }
        text += "\n## Every method\n\n";
        text += &self.table().markdown();
        let _ = write!(
            text,
            "\nDistances, `max` and `rms`, are shares of the model's extent; normals are degrees; the worst moment counts. \
             *own*: against the method's reference on the influences that it sees; a method is off beyond {:.0e} or {} \
             degrees. *linear*: against the weighted sum over all influences of the file. *similarity*: the least of \
             all moments. *dropped*: influences beyond the method's limits; *trimmed*: \
             triangles that use more joints than a batch may; *broken*: vertices for which sjb is not exact.\n",
            self.tolerance, self.normal_tolerance
        );
        for remark in self.remarks() {
            let _ = write!(text, "\n- {}", html::line(&remark));
        }
        if !self.remarks().is_empty() {
            text.push('\n');
        }
        for sweep in self.sweeps() {
            let _ = write!(text, "\n## {}\n\n{}", sweep.title, self.sweep_table(&sweep, usize::MAX).markdown());
        }
        let mut moments = Table::new([
            "method",
            "moment",
            "own max",
            "own worst joint",
            "linear max",
            "linear worst joint",
            "picture max",
            "picture mean",
            "picture share",
            "similarity",
        ]);
        for method in &self.methods {
            for (moment, name) in method.moments.iter().zip(&self.moments) {
                let place = |deviation: &VertexDeviation| deviation.joint.clone().unwrap_or_else(|| "-".to_owned());
                let mut row = vec![
                    method.method.clone(),
                    name.clone(),
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
            "\nDistances are model units. Picture differences are of 255, over the figure's pixels; the share is of those that \
             differ by more than {PIXEL_THRESHOLD}.\n"
        );
        for (title, file) in pictures {
            let _ = write!(text, "\n## {title}\n\n![{title}]({file})\n");
        }
        for figure in &self.figures {
            let _ = write!(text, "\n{}", figure.markdown());
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
