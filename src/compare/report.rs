//! Report of `bindpose compare`: data, tables and Markdown.

use super::chart::Chart;
use super::cylinder_report::CylinderReport;
use super::finding::{self, INTRODUCTION, LINEAR, MethodGroup, SAME_WITHIN, TurnReport};
use super::method_report::{Agreement, MethodReport, PIXEL_THRESHOLD, PoseReport, VertexDeviation};
use super::table::Table;
use bindpose_core::escape::{markdown, markdown_line};
use serde::Serialize;
use std::fmt::Write as _;

/// Results of a comparison.
#[derive(Debug, Clone, Serialize)]
pub struct ComparisonReport {
    /// Conclusion in a sentence or two.
    pub finding: String,
    /// Groups of methods that give the same shape, the nearest to the weighted sum first.
    pub groups: Vec<MethodGroup>,
    /// Largest distance between vertices of a group's methods, as a share of the model's extent.
    pub same_within: f64,
    /// The turn under test, if there is one.
    pub turn: Option<TurnReport>,
    /// Angles of a sweep in degrees, one for each pose; empty without one.
    pub angles: Vec<f64>,
    /// Name of the model.
    pub model: String,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Vertices of its meshes.
    pub vertices: usize,
    /// Triangles of its meshes.
    pub triangles: usize,
    /// Name of the clip; `None` for the rest pose.
    pub clip: Option<String>,
    /// Seconds into the clip, one for each pose.
    pub times: Vec<f64>,
    /// Name of each pose: its time or angle.
    #[serde(rename = "moments")]
    pub pose_names: Vec<String>,
    /// Vendor, renderer and version of OpenGL.
    pub opengl: Vec<String>,
    /// Name of the limits of a machine.
    pub limits: String,
    /// Largest accepted distance from a method's own reference, as a share of the model's extent.
    pub tolerance: f64,
    /// Largest accepted angle between normals, in degrees.
    pub normal_tolerance: f64,
    /// One report per method.
    pub methods: Vec<MethodReport>,
    /// Cylinder tests in addition to the model.
    #[serde(rename = "figures", skip_serializing_if = "Vec::is_empty")]
    pub cylinder: Vec<CylinderReport>,
}

/// Measure over the angles of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Name used in file names.
    pub name: &'static str,
    /// Heading, with the unit of the values.
    pub title: &'static str,
    /// Range that the chart always covers.
    pub range: [f64; 2],
    /// Name of each group and a value for each angle.
    pub lines: Vec<(String, Vec<f64>)>,
}

impl Sweep {
    /// Draws the values over the angles of the sweep, in degrees.
    pub fn chart(&self, angles: &[f64]) -> Chart {
        Chart::over_angles(self.title, self.title, angles, &self.lines, self.range)
    }
}

/// Explains the columns of [`ComparisonReport::costs`].
pub const COSTS: &str = "registers: constants of a vertex shader, of four floats each, that a joint takes. instructions: \
    those of the program that draws surfaces, counted in its GLSL. bytes/frame: what the GPU gets for one pose. bytes kept: \
    what stays on the GPU: vertices, indices, textures and stored frames. from weighted sum: the largest distance of a vertex \
    from the average of the positions that its joints move it to. frame ms: a frame of one copy without light and textures, \
    until the GPU is done; three of four frames took longer.";

/// Largest number of poses listed one by one.
const MOST_LISTED: usize = 8;

impl ComparisonReport {
    /// True if a method deviates from its reference or its program was refused.
    pub fn has_faults(&self) -> bool {
        self.methods.iter().any(|method| matches!(method.verdict, Agreement::Off | Agreement::Refused))
    }

    /// Formats the groups as a table, one row per group.
    pub fn summary(&self) -> Table {
        finding::table(&self.groups, &self.pose_names)
    }

    /// True if its poses are the angles of a sweep.
    pub fn is_sweep(&self) -> bool {
        self.angles.len() > 1
    }

    /// Returns the measures over the angles of a sweep; empty without one.
    pub fn sweeps(&self) -> Vec<Sweep> {
        let of = |name, title, range, value: &dyn Fn(&PoseReport) -> Option<f64>| {
            let line = |group: &MethodGroup| {
                let method = self.methods.iter().find(|method| Some(&method.method) == group.methods.first())?;
                let values: Vec<f64> = method.poses.iter().filter_map(value).collect();
                (values.len() == self.angles.len()).then(|| (finding::label(&group.methods), values))
            };
            Sweep { name, title, range, lines: self.groups.iter().filter_map(line).collect() }
        };
        let all = [
            of("distance", "Largest distance from the weighted sum, % of the size", [0.0, 0.01], &|pose| {
                Some(100.0 * pose.linear.max_of_extent)
            }),
            of("thickness", "Thickness / thickness before", [0.0, 1.05], &|pose| pose.thickness),
            of("area", "Area of a cross-section / area before", [0.0, 1.05], &|pose| pose.area),
            of("volume", "Volume at the joint / volume before", [0.0, 1.05], &|pose| pose.volume),
        ];
        all.into_iter().filter(|sweep| self.is_sweep() && !sweep.lines.is_empty()).collect()
    }

    /// Formats a sweep as a table with about `most` angles as rows at most, and a column for each group.
    pub fn sweep_table(&self, sweep: &Sweep, most: usize) -> Table {
        let names = sweep.lines.iter().map(|(name, _)| name.clone());
        let mut table = Table::new(std::iter::once("degrees".to_owned()).chain(names));
        let last = self.angles.len().saturating_sub(1);
        let step = last.div_ceil(most.saturating_sub(1).max(1)).max(1);
        for number in (0..=last).filter(|number| number % step == 0 || *number == last) {
            let values = sweep.lines.iter().map(|(_, values)| format!("{:.4}", values[number]));
            table.push(std::iter::once(self.angles[number].to_string()).chain(values));
        }
        table
    }

    /// Formats the methods as a table, one row per method with the worst of all poses.
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
            "why",
        ]);
        for method in &self.methods {
            let mut row = vec![method.method.clone(), method.verdict.text().to_owned()];
            if matches!(method.verdict, Agreement::Agrees | Agreement::Off) {
                let own = worst(method.poses.iter().map(|pose| &pose.own));
                let linear = worst(method.poses.iter().map(|pose| &pose.linear));
                for deviation in [own, linear] {
                    row.push(format!("{:.1e}", deviation.max_of_extent));
                    row.push(format!("{:.1e}", deviation.rms_of_extent));
                    row.push(format!("{:.3}", deviation.normal_degrees));
                }
                let similarity = method.poses.iter().filter_map(|pose| pose.image).map(|image| image.similarity);
                row.push(similarity.reduce(f64::min).map_or(String::new(), |least| format!("{least:.4}")));
                row.push(method.batches.to_string());
                row.push(method.cost.dropped_influences.to_string());
                row.push(method.cost.trimmed_triangles.to_string());
                row.push(method.cost.broken_conditions.to_string());
            }
            // The last column, if present, is the reason. Of a driver's log, it is the first line.
            row.resize(table.headings.len() - 1, String::new());
            row.extend(method.reason.as_ref().and_then(|reason| reason.lines().next()).map(str::to_owned));
            table.push(row);
        }
        if self.methods.iter().all(|method| method.reason.is_none()) {
            table.headings.pop();
        }
        table
    }

    /// Lists what each drawn method does.
    pub fn methods(&self) -> Table {
        let mut table = Table::new(["method", "what it does"]);
        let drawn = self.methods.iter().filter(|method| !method.poses.is_empty());
        drawn.for_each(|method| table.push([method.method.as_str(), method.about]));
        table
    }

    /// Formats what each drawn method costs and gives as a table, one row per method with the worst of all poses.
    pub fn costs(&self) -> Table {
        let is_timed = self.methods.iter().any(|method| method.frame_ms.is_some());
        let mut headings =
            vec!["method", "registers", "instructions", "bytes/frame", "bytes kept", "from weighted sum"];
        headings.extend(self.turn.is_some().then_some("thickness left"));
        headings.extend(is_timed.then_some("frame ms"));
        let mut table = Table::new(headings);
        for method in self.methods.iter().filter(|method| !method.poses.is_empty()) {
            let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
            let share = |share: Option<f64>| share.map_or("-".to_owned(), finding::percent);
            let mut row = vec![
                method.method.clone(),
                number(Some(method.registers).filter(|&registers| registers > 0)),
                number(method.instructions),
                method.bytes_per_frame.to_string(),
                method.bytes_fixed.to_string(),
                share(method.from_weighted_sum()),
            ];
            row.extend(self.turn.is_some().then(|| share(method.thickness())));
            row.extend(method.frame_ms.map(|ms| format!("{ms:.3}")));
            table.push(row);
        }
        table
    }

    /// Returns the reasons of methods that deviate or were left out.
    pub fn remarks(&self) -> Vec<String> {
        let reason = |method: &MethodReport| {
            method.reason.as_ref().map(|reason| format!("{}: {}: {reason}", method.method, method.verdict.text()))
        };
        self.methods.iter().filter_map(reason).collect()
    }

    /// Returns the terms in the conclusion and the columns of the [`summary`](Self::summary), with their meaning.
    pub fn legend(&self) -> Vec<(&'static str, &'static str)> {
        let mut legend = vec![
            LINEAR,
            (
                "from weighted sum",
                "the largest distance of a vertex from its position in that sum over all influences of the file, as a share of the \
                 model's size, which is the diagonal of the box around it",
            ),
            ("worst joint", "the joint with the largest weight of this vertex"),
            (
                "similarity",
                "structural similarity of the images of method and sum, over the model's pixels: 1 for equal ones",
            ),
        ];
        legend.push((
            "tears",
            "the largest gap between vertices of different meshes that have one position at rest, beyond that in the weighted \
             sum; triangles with an edge of more than 4 times its length at rest; triangles that face against the normals of \
             their vertices, of which the crook of a bend has a few with every method",
        ));
        if self.turn.is_some() {
            legend.push((
                "thickness left",
                "planes across the bone cut the surface between the turned joint and others before the turn, and the cuts move with \
                 the surface: the width of a cut over that before. The smallest value of all cuts, directions and angles; at 100 % \
                 the limb keeps its thickness",
            ));
            legend.push(("area left", "the area of such a cut over that before, the smallest of all"));
            legend.push((
                "volume left",
                "the volume between the joint and the surface blended between it and others, over that before the turn, at the \
                 worst angle",
            ));
        }
        legend
    }

    /// Describes model, clip, poses, limits and machine in one line.
    pub fn about(&self) -> String {
        let clip = self.clip.as_deref().map_or("at rest".to_owned(), |clip| format!("clip '{clip}'"));
        let poses = match self.pose_names.as_slice() {
            [first, .., last] if self.pose_names.len() > MOST_LISTED => {
                format!("{} poses from {first} to {last}", self.pose_names.len())
            }
            poses => poses.join(", "),
        };
        format!(
            "{} joints, {} vertices, {} triangles; {clip} at {poses}; limits '{}'; {}.",
            self.joints,
            self.vertices,
            self.triangles,
            self.limits,
            self.opengl.join(", ")
        )
    }

    /// Explains the columns of the [`table`](Self::table).
    pub fn table_note(&self) -> String {
        format!(
            "max and rms (root mean square) are distances as shares of the model's extent, normal is in degrees; the worst pose counts. own: against \
             the method's reference on the influences that it sees; a method is off beyond {:.0e} or {} degrees. linear: against \
             the weighted sum over all influences of the file. similarity: the smallest of all poses. batches: draw calls, each with as many joints as the method takes. dropped: influences beyond \
             the method's limits. trimmed: triangles that use more joints than a batch may. broken: vertices for which sjb is not \
             exact.",
            self.tolerance, self.normal_tolerance
        )
    }

    /// Formats the report as Markdown. `images` are titles and files in the same folder.
    pub fn markdown(&self, images: &[(String, String)]) -> String {
        let [model, finding, about] = [&self.model, &self.finding, &self.about()].map(|text| markdown_line(text));
        let mut text = format!("# Skinning methods on {model}\n\n{finding}\n\n{about}\n\n");
        text += &self.summary().markdown();
        let _ = write!(
            text,
            "\nMethods that give the same shape within {} of the size are in one row.\n\n{}\n\n",
            finding::percent(SAME_WITHIN),
            INTRODUCTION
        );
        for (word, meaning) in self.legend() {
            let _ = writeln!(text, "- *{word}*: {meaning}.");
        }
        let _ = write!(text, "\n## Methods\n\n{}", self.methods().markdown());
        let _ = write!(text, "\n## Costs\n\n{}\n{COSTS}\n", self.costs().markdown());
        let _ = write!(text, "\n## Every method\n\n{}\n{}\n", self.table().markdown(), self.table_note());
        for remark in self.remarks() {
            let _ = write!(text, "\n- {}", markdown(&remark));
        }
        if !self.remarks().is_empty() {
            text.push('\n');
        }
        for sweep in self.sweeps() {
            let _ = write!(text, "\n## {}\n\n{}", sweep.title, self.sweep_table(&sweep, usize::MAX).markdown());
        }
        let _ = write!(
            text,
            "\n## Every pose\n\n{}\nDistances are in model units. Image differences are of 255, over the model's pixels; the share \
             is of pixels that differ by more than {PIXEL_THRESHOLD}.\n",
            self.pose_table().markdown()
        );
        for (title, file) in images {
            let _ = write!(text, "\n## {title}\n\n![{title}]({file})\n");
        }
        for report in &self.cylinder {
            let _ = write!(text, "\n{}", report.markdown());
        }
        text
    }

    /// Formats all results as a table, one row per method and pose.
    fn pose_table(&self) -> Table {
        let mut table = Table::new([
            "method",
            "at",
            "own max",
            "own worst joint",
            "linear max",
            "linear worst joint",
            "image max",
            "image mean",
            "image share",
            "similarity",
        ]);
        for method in &self.methods {
            for (pose, name) in method.poses.iter().zip(&self.pose_names) {
                let joint = |deviation: &VertexDeviation| deviation.joint.clone().unwrap_or_else(|| "-".to_owned());
                let mut row = vec![
                    method.method.clone(),
                    name.clone(),
                    format!("{:.2e}", pose.own.max),
                    joint(&pose.own),
                    format!("{:.2e}", pose.linear.max),
                    joint(&pose.linear),
                ];
                if let Some(image) = pose.image {
                    row.push(image.max.to_string());
                    row.extend([image.mean, image.share, image.similarity].map(|value| format!("{value:.4}")));
                }
                table.push(row);
            }
        }
        table
    }
}

/// Returns the maximum of each value. Mesh, vertex and joint keep their defaults.
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
