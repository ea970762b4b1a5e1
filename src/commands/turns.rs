//! Turned joints, as options specify them.

use super::complete;
use super::load_args::LoadArgs;
use anyhow::bail;
use bindpose::examples;
use bindpose::model::{Model, axis_named};
use bindpose::pose::Turn;
use bindpose::skin::{MethodId, Skinning};
use clap_complete::ArgValueCandidates;
use glam::Vec3;
use std::path::PathBuf;
use std::str::FromStr;

/// Largest angle, in degrees.
const MOST_DEGREES: f64 = 720.0;

/// Splits text into joint, axis and angles.
pub(super) fn turn_of(text: &str) -> Option<(String, Vec3, &str)> {
    // Names of joints may contain `=`.
    let (joint, rest) = text.rsplit_once('=')?;
    let (axis, rest) = rest.split_once(',')?;
    let axis = axis_named(axis.trim()).ok()?;
    (!joint.is_empty()).then(|| (joint.to_owned(), axis, rest.trim()))
}

/// Parses an angle in degrees.
pub(super) fn degrees_of(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|degrees: &f64| degrees.abs() <= MOST_DEGREES)
}

/// Value of `--pose`.
#[derive(Debug, Clone)]
pub struct PoseArg {
    joint: String,
    axis: Vec3,
    degrees: f64,
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

impl PoseArg {
    /// Returns the turn in a model.
    ///
    /// # Errors
    ///
    /// No such joint.
    pub fn turn(&self, model: &Model) -> anyhow::Result<Turn> {
        let joint = model.skeleton.named(&self.joint)?;
        Ok(Turn { joint, axis: self.axis.as_dvec3(), degrees: self.degrees })
    }
}

/// Options `--method` and `--pose`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Pose")]
pub struct SkinningArgs {
    /// Skinning method that computes the vertices; `bindpose methods` lists all [default: the weighted sum of all
    /// influences]
    #[arg(long, value_name = "ID", add = ArgValueCandidates::new(complete::methods))]
    pub method: Option<MethodId>,
    /// Turn of a joint about one of its own axes (x, -x, y, -y, z or -z), from the pose of the clip or the rest pose;
    /// repeatable
    #[arg(long = "pose", value_name = "JOINT=AXIS,DEGREES")]
    pub poses: Vec<PoseArg>,
}

impl SkinningArgs {
    /// Returns the method with the examples next to the files, and the turns in a model.
    ///
    /// # Errors
    ///
    /// No such joint, turns for a method that only shows clips, or examples that cannot be read.
    pub fn skinning(&self, model: &Model, files: &[PathBuf], load: &LoadArgs) -> anyhow::Result<Skinning> {
        let method = self.method.unwrap_or(MethodId::Cpu);
        if method == MethodId::Morph && !self.poses.is_empty() {
            bail!("{method} shows only poses of clips, not those of --pose");
        }
        let mut skinning = Skinning { method, ..Skinning::default() };
        if method.method().joint_data.has_examples() {
            for path in files.iter().map(|file| examples::path_beside(file)).filter(|path| path.is_file()) {
                skinning.examples.extend(examples::read(&path, &model.skeleton, load.limit())?);
            }
        }
        skinning.turns = self.poses.iter().map(|pose| pose.turn(model)).collect::<Result<_, _>>()?;
        Ok(skinning)
    }
}
