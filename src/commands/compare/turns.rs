//! The options `--pose` and `--sweep`.

use crate::commands::joint;
use crate::commands::view::Axis;
use bindpose::compare::plan::sweep_angles;
use bindpose::compare::turn::Turn;
use bindpose::model::Model;
use glam::Vec3;
use std::str::FromStr;

/// `--pose`.
#[derive(Debug, Clone)]
pub struct PoseArg {
    joint: String,
    axis: Vec3,
    degrees: f64,
}

/// `--sweep`.
#[derive(Debug, Clone)]
pub struct SweepArg {
    joint: String,
    axis: Vec3,
    from: f64,
    to: f64,
}

/// Largest angle, in degrees.
const MOST_DEGREES: f64 = 720.0;

/// Splits text into joint, axis and angles.
fn turn_of(text: &str) -> Option<(String, Vec3, &str)> {
    // Names of joints may contain `=`.
    let (joint, rest) = text.rsplit_once('=')?;
    let (axis, rest) = rest.split_once(',')?;
    let Axis(axis) = axis.trim().parse().ok()?;
    (!joint.is_empty()).then(|| (joint.to_owned(), axis, rest.trim()))
}

fn degrees_of(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|degrees: &f64| degrees.abs() <= MOST_DEGREES)
}

impl FromStr for PoseArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (joint, axis, degrees) = turn_of(text)?;
            Some(Self { joint, axis, degrees: degrees_of(degrees)? })
        };
        read().ok_or("expected JOINT=AXIS,DEGREES with an axis x, -x, y, -y, z or -z, such as forearm_l=x,90")
    }
}

impl FromStr for SweepArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (joint, axis, range) = turn_of(text)?;
            let (from, to) = range.split_once("..")?;
            let (from, to) = (degrees_of(from)?, degrees_of(to)?);
            (from < to).then_some(Self { joint, axis, from, to })
        };
        read().ok_or(
            "expected JOINT=AXIS,FROM..TO with an axis x, -x, y, -y, z or -z and rising degrees, such as forearm_l=x,0..180",
        )
    }
}

impl PoseArg {
    /// The turn in a model.
    ///
    /// # Errors
    ///
    /// No such joint.
    pub fn turn(&self, model: &Model) -> anyhow::Result<Turn> {
        let joint = joint(model, &self.joint)?;
        Ok(Turn { joint, axis: self.axis.as_dvec3(), degrees: self.degrees })
    }
}

impl SweepArg {
    /// The turn at each angle.
    ///
    /// # Errors
    ///
    /// No such joint.
    pub fn turns(&self, model: &Model) -> anyhow::Result<Vec<Turn>> {
        let joint = joint(model, &self.joint)?;
        let turn = |degrees| Turn { joint, axis: self.axis.as_dvec3(), degrees };
        Ok(sweep_angles(self.from, self.to).into_iter().map(turn).collect())
    }
}
