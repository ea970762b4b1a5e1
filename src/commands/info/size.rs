//! Size of a model at rest.

use bindpose::model::Model;
use bindpose::pose::LocalPose;
use bindpose::skin::posed_bounds;
use serde::Serialize;
use std::fmt;

/// Metres per inch.
const METRES_PER_INCH: f32 = 0.0254;

/// Extents of the rest pose along x, y and z of model space in the file's units; z is the height.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct Size([f32; 3]);

impl Size {
    /// Returns `None` without vertices.
    pub fn of_model(model: &Model) -> Option<Self> {
        let pose = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
        posed_bounds(&model.meshes, &pose).map(|(min, max)| Self((max - min).to_array()))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0.map(short);
        let metres = short(self.0[2] * METRES_PER_INCH);
        write!(out, "{z} units high, {x} by {y} wide; in inches {metres} m high, as convert --scale 0.0254 makes it")
    }
}

/// Formats a number with three significant digits, or as a whole number.
fn short(number: f32) -> String {
    let decimals = (2.0 - number.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
