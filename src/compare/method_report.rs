//! Results of one skinning method.

use super::tear::Tears;
use bindpose_core::skin::Cost;
use serde::Serialize;

/// Results of one method.
#[derive(Debug, Clone, Serialize)]
pub struct MethodReport {
    /// Name of the method.
    pub method: String,
    /// Description of the method in a phrase.
    pub about: &'static str,
    /// Verdict on the method.
    pub verdict: Agreement,
    /// Reason why it was left out, or location and size of its deviation.
    pub reason: Option<String>,
    /// Constant registers per joint.
    pub registers: u32,
    /// Instruction slots of its program; `None` for own GLSL that the counter does not know.
    pub instructions: Option<u32>,
    /// Milliseconds of a frame of one copy; `None` if it was not timed.
    pub frame_ms: Option<f64>,
    /// Draw calls.
    pub batches: usize,
    /// Costs of its limits.
    #[serde(flatten)]
    pub cost: Cost,
    /// Largest movement of a vertex by trimmed triangles, in model units.
    pub trimmed_movement: f64,
    /// Bytes sent to the GPU for one pose: uniforms, textures, vertices.
    pub bytes_per_frame: u64,
    /// Memory in addition to uniforms: vertices, indices, palettes in textures, stored frames.
    pub bytes_fixed: u64,
    /// Largest accepted distance from its own reference, as a share of the model's extent.
    pub tolerance: f64,
    /// One report per pose; empty for a method that was left out.
    #[serde(rename = "moments")]
    pub poses: Vec<PoseReport>,
}

impl MethodReport {
    /// Returns the largest distance from the weighted sum over all poses, as a share of the model's extent; `None` for a
    /// method that was left out.
    pub fn from_weighted_sum(&self) -> Option<f64> {
        self.poses.iter().map(|pose| pose.linear.max_of_extent).reduce(f64::max)
    }

    /// Returns the smallest thickness left over all poses.
    pub fn thickness(&self) -> Option<f64> {
        self.poses.iter().filter_map(|pose| pose.thickness).reduce(f64::min)
    }
}

/// Verdict on a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// Its vertices agree with its reference.
    Agrees,
    /// Its vertices deviate from its reference.
    Off,
    /// The driver rejects its program.
    Refused,
    /// The machine or the model lacks a feature that it needs.
    Skipped,
}

impl Agreement {
    /// Returns the word used in tables.
    pub fn text(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Off => "OFF",
            Self::Refused => "refused",
            Self::Skipped => "skipped",
        }
    }
}

/// Results of one method in one pose.
#[derive(Debug, Clone, Serialize)]
pub struct PoseReport {
    /// Seconds into the clip.
    pub time: f64,
    /// Deviation from the method's own reference, on the influences that it sees.
    pub own: VertexDeviation,
    /// Deviation from the weighted sum over all influences of the file.
    pub linear: VertexDeviation,
    /// Difference from the image of the linear reference; `None` before it is drawn.
    #[serde(rename = "picture")]
    pub image: Option<ImageDifference>,
    /// Tears of the surface.
    pub tears: Tears,
    /// Smallest share left of a cross-section's width at a turned joint.
    pub thickness: Option<f64>,
    /// Smallest share left of a cross-section's area at a turned joint. `None` without a turn or an area.
    pub area: Option<f64>,
    /// Volume at the turned joint divided by the volume before the turn. `None` without a turn or a volume.
    pub volume: Option<f64>,
}

/// Distance of vertices from a reference.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VertexDeviation {
    /// Largest distance in model units; infinite if the GPU computed NaN.
    pub max: f64,
    /// Largest distance as a share of the model's extent in this pose.
    pub max_of_extent: f64,
    /// Root mean square in model units.
    pub rms: f64,
    /// Root mean square as a share of the model's extent in this pose.
    pub rms_of_extent: f64,
    /// Mesh of the farthest vertex, counted from 0.
    pub mesh: usize,
    /// The farthest vertex, in the file's numbering of its mesh.
    pub vertex: u32,
    /// Joint with the largest weight of this vertex.
    pub joint: Option<String>,
    /// Largest angle between normals, in degrees.
    pub normal_degrees: f64,
    /// Vertex of this normal, in the file's numbering of its mesh.
    pub normal_vertex: u32,
}

impl VertexDeviation {
    /// Describes what exceeds a tolerance: `distance` as a share of the extent, `degrees` between normals. `at` names
    /// the pose. Returns `None` if both are within tolerance.
    pub fn excess(&self, distance: f64, degrees: f64, at: &str) -> Option<String> {
        let Self { mesh, vertex, max_of_extent: share, normal_vertex, normal_degrees, .. } = self;
        if *share > distance || share.is_nan() {
            let joint = self.joint.as_ref().map_or(String::new(), |joint| format!(" of joint {joint}"));
            return Some(format!(
                "vertex {vertex} of mesh {mesh}{joint} is {share:.1e} of the model's extent from its reference at {at}, more than \
                 {distance:.0e}"
            ));
        }
        (*normal_degrees > degrees).then(|| {
            format!("the normal of vertex {normal_vertex} is {normal_degrees:.2} degrees from its reference at {at}, more than {degrees}")
        })
    }
}

/// Difference between two images.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ImageDifference {
    /// Largest difference of a channel, 0 to 255.
    pub max: u8,
    /// Mean difference of the channels of the model's pixels, 0 to 255.
    pub mean: f64,
    /// Share of the model's pixels with a channel that differs by more than [`PIXEL_THRESHOLD`].
    pub share: f64,
    /// Structural similarity with colour (image-compare's hybrid score) over the model's pixels, from 0 to 1 for equal
    /// images.
    pub similarity: f64,
}

/// A pixel counts as different when a channel differs by more than this, of 255.
pub const PIXEL_THRESHOLD: u8 = 8;
