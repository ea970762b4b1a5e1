//! The option `--sweep`.

use crate::commands::turns::{degrees_of, turn_of};
use bindpose::model::Model;
use bindpose::pose::Turn;
use bindpose_compare::plan::sweep_angles;
use glam::Vec3;
use std::str::FromStr;

/// Value of `--sweep`.
#[derive(Debug, Clone)]
pub struct SweepArg {
    joint: String,
    axis: Vec3,
    from: f64,
    to: f64,
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

impl SweepArg {
    /// Returns the turn at each angle.
    ///
    /// # Errors
    ///
    /// No such joint.
    pub fn turns(&self, model: &Model) -> anyhow::Result<Vec<Turn>> {
        let joint = model.skeleton.named(&self.joint)?;
        let turn = |degrees| Turn { joint, axis: self.axis.as_dvec3(), degrees };
        Ok(sweep_angles(self.from, self.to).into_iter().map(turn).collect())
    }
}
