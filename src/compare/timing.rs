//! Results of `bindpose bench`: medians of interleaved rounds.

use super::chart::{Across, Chart};
use super::finding::percent;
use super::report::ComparisonReport;
use super::table::Table;
use serde::Serialize;

/// A whole measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Timing {
    /// Name of the model.
    pub model: String,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Vertices of its meshes.
    pub vertices: usize,
    /// Triangles of its meshes.
    pub triangles: usize,
    /// Name of the clip, if one is played.
    pub clip: Option<String>,
    /// Copies drawn.
    pub copies: usize,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Rounds behind the medians.
    pub rounds: usize,
    /// Vendor, renderer and version of OpenGL.
    pub opengl: Vec<String>,
    /// Share of the time that frames took beyond the fastest quarter of their turn. Other programs cause it.
    pub disturbed: f64,
    /// One per method.
    pub methods: Vec<MethodTiming>,
}

/// Share of disturbed time, or spread, from which on the results describe the machine rather than the methods.
pub(super) const BUSY: f64 = 0.15;

/// One method.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MethodTiming {
    /// Its name.
    pub method: String,
    /// Reason why it was left out.
    pub reason: Option<String>,
    /// Frames per second including the wait for the GPU: the median of the rounds, each represented by the lower
    /// quartile of its frame times.
    pub frames_per_second: f64,
    /// Ratio to `matrix-blend`: the median of the rounds' ratios, which is hardly affected by drift of the machine.
    pub ratio: Option<f64>,
    /// Interquartile range of the rounds' frames per second, as a share of their median.
    pub spread: f64,
    /// Interquartile range of the rounds' ratios.
    pub ratio_spread: Option<f64>,
    /// Vertices per second over all batches and copies.
    pub vertices_per_second: f64,
    /// Sampling the clip and going from local to model space, CPU milliseconds per frame.
    pub pose_ms: f64,
    /// Computing palettes, or vertices where the CPU does, CPU milliseconds per frame.
    pub palette_ms: f64,
    /// Uploading textures and vertex buffers, CPU milliseconds per frame.
    pub upload_ms: f64,
    /// Draw calls, CPU milliseconds per frame: uniforms, checks and the driver. Software OpenGL computes vertices here.
    pub driver_ms: f64,
    /// Waiting for the GPU after the last draw call, milliseconds per frame.
    pub wait_ms: f64,
    /// Time from the first upload to the end of the last draw by the GPU's clock, milliseconds per frame; `None` before
    /// OpenGL 3.3.
    pub gpu_ms: Option<f64>,
    /// Bytes uploaded per frame.
    pub bytes_per_frame: u64,
    /// Draw calls per copy.
    pub batches: usize,
    /// Constant registers per joint.
    pub registers: u32,
    /// Instruction slots of its program; `None` for own GLSL that the counter does not know.
    pub instructions: Option<u32>,
    /// Memory in addition to uniforms: vertices, indices, palettes in textures, stored frames.
    pub bytes_fixed: u64,
    /// Largest distance from the weighted sum as a share of the model's extent; `None` before it was compared.
    pub from_weighted_sum: Option<f64>,
    /// Smallest thickness left in a turn, as a share; `None` without a turn.
    pub thickness: Option<f64>,
}

/// Frames per second in article 000 (pages 25 and 43), divided by those of its VSP3: GeForce FX 5700, Radeon 9800 Pro,
/// GeForce 6800.
const IN_2005: [(&str, &str); 8] = [
    ("cpu", "0.10 / 0.08 / 0.05"),
    ("ffp", "- / 0.82 / 0.70"),
    ("ffp-indexed", "- / 0.64 / -"),
    ("matrix-loop", "- / 0.49 / 0.34"),
    ("matrix-unrolled", "0.68 / 0.75 / 0.74"),
    ("matrix-blend", "1 / 1 / 1"),
    ("sjb-article", "0.90 / 0.69 / 0.66"),
    ("sjbbe-article", "0.60 / 0.46 / 0.47"),
];

/// Plots milliseconds per frame over the number of copies, one line per method.
pub fn series_chart(series: &[Timing]) -> Chart {
    let mut lines: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
    let methods = series.iter().flat_map(|timing| timing.methods.iter().map(move |method| (timing, method)));
    for (timing, method) in methods.filter(|(_, method)| method.reason.is_none()) {
        let point = [timing.copies as f64, 1e3 / method.frames_per_second];
        match lines.iter_mut().find(|(name, _)| *name == method.method) {
            Some((_, points)) => points.push(point),
            None => lines.push((method.method.clone(), vec![point])),
        }
    }
    let (title, measure) = ("Time of a frame".to_owned(), "Milliseconds per frame".to_owned());
    Chart { title, measure, across: Across::Named("copies"), lines, range: [0.0, 0.01], marked: None }
}

impl Timing {
    /// Formats the results as a table, one row per method.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "method",
            "frames/s",
            "spread %",
            "ratio",
            "+-",
            "Mvertices/s",
            "pose ms",
            "palette ms",
            "upload ms",
            "driver ms",
            "wait ms",
            "gpu ms",
            "bytes/frame",
            "batches",
            "registers",
            "instructions",
            "bytes kept",
            "from weighted sum",
            "thickness left",
            "ratios in 2005",
            "why not",
        ]);
        for method in &self.methods {
            let mut row = vec![method.method.clone()];
            if method.reason.is_none() {
                row.push(format!("{:.1}", method.frames_per_second));
                row.push(format!("{:.0}", 100.0 * method.spread));
                for of_ratio in [method.ratio, method.ratio_spread.map(|spread| spread / 2.0)] {
                    row.push(of_ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
                }
                row.push(format!("{:.2}", method.vertices_per_second / 1e6));
                row.push(format!("{:.3}", method.pose_ms));
                row.push(format!("{:.3}", method.palette_ms));
                row.push(format!("{:.3}", method.upload_ms));
                row.push(format!("{:.3}", method.driver_ms));
                row.push(format!("{:.3}", method.wait_ms));
                row.push(method.gpu_ms.map_or("-".to_owned(), |gpu| format!("{gpu:.3}")));
                row.push(method.bytes_per_frame.to_string());
                row.push(method.batches.to_string());
                row.push(method.registers.to_string());
                row.push(method.instructions.map_or("-".to_owned(), |instructions| instructions.to_string()));
                row.push(method.bytes_fixed.to_string());
                let share = |share: Option<f64>| share.map_or("-".to_owned(), percent);
                row.extend([share(method.from_weighted_sum), share(method.thickness)]);
                let in_2005 = IN_2005.iter().find(|(name, _)| *name == method.method);
                row.push(in_2005.map_or(String::new(), |(_, ratios)| (*ratios).to_owned()));
            }
            // The last column is the reason why a method was left out.
            row.resize(table.headings.len() - 1, String::new());
            row.extend(method.reason.clone());
            table.push(row);
        }
        table
    }
}

impl Timing {
    /// Adds the distances and thicknesses of a comparison of the same methods.
    pub fn add_shapes(&mut self, shapes: &ComparisonReport) {
        for method in &mut self.methods {
            if let Some(shape) = shapes.methods.iter().find(|shape| shape.method == method.method) {
                (method.from_weighted_sum, method.thickness) = (shape.from_weighted_sum(), shape.thickness());
            }
        }
    }

    /// Explains the columns.
    pub fn legend(&self) -> &'static str {
        "frames/s is the median of the turns, spread their interquartile range. ratio is frames/s divided by those of \
         matrix-blend in the same round: 1.10 is a tenth faster. +- is half the interquartile range of that ratio; smaller \
         differences between methods are noise. A frame consists of pose, palette, upload, driver (the draw calls) and wait (for \
         the GPU). gpu is the time from the first upload to the last draw by the GPU's clock. Software OpenGL computes vertices \
         in the draw calls. registers are those of a joint, instructions those of the program that draws surfaces. from \
         weighted sum and thickness left are those of `compare`, in the clip or in the pose of --pose. ratios in 2005 \
         are those of article 000 on a GeForce FX 5700, a Radeon 9800 Pro and a GeForce 6800."
    }

    /// Returns a warning if other programs kept the machine busy.
    pub fn warning(&self) -> Option<String> {
        let spreads: Vec<f64> =
            self.methods.iter().filter(|method| method.reason.is_none()).map(|method| method.spread).collect();
        let spread = median(&spreads);
        let taken = format!("{:.0} % of the time went to other work", 100.0 * self.disturbed);
        let apart = format!("the turns of a method differ by {:.0} %", 100.0 * spread);
        let signs: Vec<String> = [(self.disturbed, taken), (spread, apart)]
            .into_iter()
            .filter(|(share, _)| *share > BUSY)
            .map(|(_, sign)| sign)
            .collect();
        (!signs.is_empty()).then(|| {
            format!("the machine was busy: {}; close other programs, or use more --rounds", signs.join(", and "))
        })
    }
}

/// Returns the interquartile range; 0 without values.
pub fn interquartile_range(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count => sorted[count - 1 - count / 4] - sorted[count / 4],
    }
}

/// Returns the lower quartile: the time of an undisturbed frame. 0 without values.
pub fn lower_quartile(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 4).copied().unwrap_or(0.0)
}

/// Returns the median; 0 without values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.get(sorted.len() / 2), sorted.len() % 2) {
        (None, _) => 0.0,
        (Some(&middle), 1) => middle,
        (Some(&upper), _) => (sorted[sorted.len() / 2 - 1] + upper) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{IN_2005, MethodTiming, Timing, interquartile_range, lower_quartile, median, series_chart};

    fn timing(copies: usize, disturbed: f64, methods: Vec<MethodTiming>) -> Timing {
        Timing {
            model: String::new(),
            joints: 0,
            vertices: 0,
            triangles: 0,
            clip: None,
            copies,
            size: (1, 1),
            rounds: 3,
            opengl: Vec::new(),
            disturbed,
            methods,
        }
    }

    #[test]
    fn a_series_has_a_line_for_each_timed_method() {
        let method = |name: &str, frames_per_second, reason: Option<&str>| MethodTiming {
            method: name.to_owned(),
            frames_per_second,
            reason: reason.map(str::to_owned),
            ..MethodTiming::default()
        };
        let timings = [(1, 500.0), (10, 100.0)].map(|(copies, speed)| {
            timing(copies, 0.0, vec![method("dqs", speed, None), method("ddm", 0.0, Some("skipped"))])
        });
        assert_eq!(series_chart(&timings).lines, [("dqs".to_owned(), vec![[1.0, 2.0], [10.0, 10.0]])]);
    }

    /// docs/performance.md has the same ratios beside those of a GPU of today.
    #[test]
    fn ratios_of_2005_are_those_of_the_page() {
        let page = include_str!("../../docs/performance.md");
        for (method, ratios) in IN_2005.iter().filter(|(method, _)| *method != "matrix-blend") {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{method}` |"))).expect(method);
            assert!(row.ends_with(&format!("| {ratios} |")), "{row}");
        }
    }

    #[test]
    fn quartiles() {
        let cases: [(&[f64], f64); 3] = [(&[], 0.0), (&[3.0], 3.0), (&[9.0, 4.0, 1.0, 2.0, 8.0], 2.0)];
        for (values, expected) in cases {
            assert_eq!(lower_quartile(values), expected, "{values:?}");
        }
    }

    #[test]
    fn the_middle_half_of_values() {
        let cases: [(&[f64], f64); 4] = [
            (&[], 0.0),
            (&[3.0], 0.0),
            // Without the smallest and the largest quarter, 2 to 8 remain.
            (&[9.0, 4.0, 1.0, 2.0, 8.0], 6.0),
            (&[100.0, 1.0, 5.0, 6.0], 1.0),
        ];
        for (values, expected) in cases {
            assert_eq!(interquartile_range(values), expected, "{values:?}");
        }
    }

    #[test]
    fn a_busy_machine_is_reported() {
        let timing = |disturbed, spread| timing(1, disturbed, vec![MethodTiming { spread, ..MethodTiming::default() }]);
        assert_eq!(timing(0.02, 0.03).warning(), None);
        let warning = timing(0.4, 0.2).warning().unwrap();
        assert!(warning.contains("40 % of the time") && warning.contains("differ by 20 %"), "{warning}");
        assert!(timing(0.0, 0.5).warning().is_some());
    }

    #[test]
    fn medians() {
        let cases: [(&[f64], f64); 4] =
            [(&[], 0.0), (&[3.0], 3.0), (&[9.0, 1.0, 2.0], 2.0), (&[4.0, 1.0, 9.0, 2.0], 3.0)];
        for (values, expected) in cases {
            assert_eq!(median(values), expected, "{values:?}");
        }
    }
}
