//! What `bindpose bench` found: medians of interleaved rounds.

use super::table::Table;
use serde::Serialize;

/// A whole measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Timing {
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
    /// Copies drawn.
    pub copies: usize,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Rounds that the medians are of.
    pub rounds: usize,
    /// Vendor, renderer and version of OpenGL.
    pub opengl: Vec<String>,
    /// Share of the measured time that frames took beyond what the undisturbed ones of their turn do: other programs' work.
    pub disturbed: f64,
    /// One per method.
    pub methods: Vec<MethodTiming>,
}

/// From this share of disturbed time, or this spread, on, figures say more about the machine than about the methods.
pub(super) const BUSY: f64 = 0.15;

/// One method.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MethodTiming {
    /// Its name.
    pub method: String,
    /// Why it was left out.
    pub reason: Option<String>,
    /// Frames per second, the GPU waited for: the median of the rounds; of a round the quarter of its frames that was
    /// interrupted least.
    pub frames_per_second: f64,
    /// The same over that of `matrix-blend`: the median of the rounds' ratios, so that drift counts little.
    pub ratio: Option<f64>,
    /// How far the middle half of the rounds' frames per second are from each other, as a share of their median.
    pub spread: f64,
    /// The same of the rounds' ratios, in the ratio's own unit.
    pub ratio_spread: Option<f64>,
    /// Vertices per second, those of all batches and copies.
    pub vertices_per_second: f64,
    /// Sampling the clip and going from local to model space, CPU milliseconds per frame.
    pub pose_ms: f64,
    /// Making palettes of poses, or vertices, CPU milliseconds per frame.
    pub palette_ms: f64,
    /// Handing them over as textures and vertex buffers, CPU milliseconds per frame.
    pub upload_ms: f64,
    /// Asking for the draws, CPU milliseconds per frame: uniforms, checks and the driver, which computes the vertices itself
    /// where OpenGL is software.
    pub driver_ms: f64,
    /// Waiting for the GPU once everything was asked for, milliseconds per frame.
    pub wait_ms: f64,
    /// From when the GPU came to the first upload until it was done with the last draw, by its own clock, milliseconds per frame;
    /// `None` where OpenGL is older than 3.3.
    pub gpu_ms: Option<f64>,
    /// Bytes handed over per frame.
    pub bytes_per_frame: u64,
    /// Draw calls per copy.
    pub batches: usize,
}

impl Timing {
    /// One row per method.
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
            }
            // A method that was left out has its reason in the last column.
            row.resize(table.headings.len() - 1, String::new());
            row.extend(method.reason.clone());
            table.push(row);
        }
        table
    }
}

impl Timing {
    /// What the columns mean.
    pub fn legend(&self) -> &'static str {
        "frames/s is the median of the turns, spread how far apart their middle half is. ratio is frames/s over those of \
         matrix-blend in the same round: 1.10 is a tenth faster. +- is half the spread of that ratio; methods whose ratios are \
         closer than that were not told apart. A frame goes by in pose, palette, upload, driver (asking for the draws) and wait: \
         until all is drawn. gpu is how long the GPU was at it by its own clock, from the first upload to the last draw. Software \
         OpenGL computes vertices while it is asked."
    }

    /// What to say where something else kept the machine busy.
    pub fn warning(&self) -> Option<String> {
        let spreads: Vec<f64> =
            self.methods.iter().filter(|method| method.reason.is_none()).map(|method| method.spread).collect();
        let spread = median(&spreads);
        let taken = format!("{:.0} % of the time went to other work", 100.0 * self.disturbed);
        let apart = format!("turns of one method differ by {:.0} %", 100.0 * spread);
        let signs: Vec<String> = [(self.disturbed, taken), (spread, apart)]
            .into_iter()
            .filter(|(share, _)| *share > BUSY)
            .map(|(_, sign)| sign)
            .collect();
        (!signs.is_empty()).then(|| {
            format!("the machine was busy: {}; close other programs, or take more --rounds", signs.join(", and "))
        })
    }
}

/// How far apart the middle half of all values is; 0 without any.
pub fn interquartile_range(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count => sorted[count - 1 - count / 4] - sorted[count / 4],
    }
}

/// The value that a quarter of all lies below: what a frame takes when nothing gets in its way; 0 without any.
pub fn lower_quartile(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 4).copied().unwrap_or(0.0)
}

/// The middle one; of an even number the mean of the two in the middle; 0 without any.
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
    use super::{MethodTiming, Timing, interquartile_range, lower_quartile, median};

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
            // Without the least and the largest quarter 2 to 8 are left.
            (&[9.0, 4.0, 1.0, 2.0, 8.0], 6.0),
            (&[100.0, 1.0, 5.0, 6.0], 1.0),
        ];
        for (values, expected) in cases {
            assert_eq!(interquartile_range(values), expected, "{values:?}");
        }
    }

    #[test]
    fn a_busy_machine_is_told_of() {
        let timing = |disturbed, spread| Timing {
            model: String::new(),
            joints: 0,
            vertices: 0,
            triangles: 0,
            clip: None,
            copies: 1,
            size: (1, 1),
            rounds: 3,
            opengl: Vec::new(),
            disturbed,
            methods: vec![MethodTiming { spread, ..MethodTiming::default() }],
        };
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
