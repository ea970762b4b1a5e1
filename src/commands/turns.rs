//! Axes, turned joints and helper joints, as options specify them.

use super::load_args::LoadArgs;
use super::{complete, joint};
use anyhow::{Context, bail};
use bindpose::examples;
use bindpose::model::{MOST_HELPERS, Model, add_helpers, existing_helpers};
use bindpose::pose::Turn;
use bindpose::skin::{MethodId, Skinning};
use clap_complete::ArgValueCandidates;
use glam::Vec3;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Unit vector along an axis such as `x` or `-x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis(pub Vec3);

impl FromStr for Axis {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (sign, name) = match text.strip_prefix('-') {
            Some(name) => (-1.0, name),
            None => (1.0, text.strip_prefix('+').unwrap_or(text)),
        };
        let axis = match name {
            "x" | "X" => Vec3::X,
            "y" | "Y" => Vec3::Y,
            "z" | "Z" => Vec3::Z,
            _ => return Err("expected x, -x, y, -y, z or -z"),
        };
        Ok(Self(sign * axis))
    }
}

/// Largest angle, in degrees.
const MOST_DEGREES: f64 = 720.0;

/// Splits text into joint, axis and angles.
pub(super) fn turn_of(text: &str) -> Option<(String, Vec3, &str)> {
    // Names of joints may contain `=`.
    let (joint, rest) = text.rsplit_once('=')?;
    let (axis, rest) = rest.split_once(',')?;
    let Axis(axis) = axis.trim().parse().ok()?;
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
        let joint = joint(model, &self.joint)?;
        Ok(Turn { joint, axis: self.axis.as_dvec3(), degrees: self.degrees })
    }
}

/// Options `--method` and `--pose`.
#[derive(Debug, Clone, Default, clap::Args)]
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
        if method == MethodId::Sjbbe {
            for path in files.iter().map(|file| examples::path_beside(file)).filter(|path| path.is_file()) {
                skinning.examples.extend(examples::read(&path, &model.skeleton, load.limit())?);
            }
        }
        skinning.turns = self.poses.iter().map(|pose| pose.turn(model)).collect::<Result<_, _>>()?;
        Ok(skinning)
    }
}

/// Value of `--helpers`.
#[derive(Debug, Clone)]
pub struct HelpersArg {
    /// Name of the joint.
    pub joint: String,
    /// Number of its helpers.
    pub count: usize,
}

impl FromStr for HelpersArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (joint, count) = text.rsplit_once('=')?;
            let count = count.trim().parse().ok().filter(|count| (1..=MOST_HELPERS).contains(count))?;
            (!joint.is_empty()).then(|| Self { joint: joint.to_owned(), count })
        };
        read().ok_or_else(|| format!("expected JOINT=N with N from 1 to {MOST_HELPERS}, such as forearm_l=2"))
    }
}

impl fmt::Display for HelpersArg {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} helper joint{} at {}", self.count, if self.count == 1 { "" } else { "s" }, self.joint)
    }
}

impl HelpersArg {
    /// Adds the helpers to a model. Adds to `notes` a sentence about them, and one about helpers that already existed.
    ///
    /// # Errors
    ///
    /// No such joint, or a joint that cannot get helpers.
    pub fn add_to(&self, model: &mut Model, notes: &mut Vec<String>) -> anyhow::Result<()> {
        let joint = joint(model, &self.joint)?;
        let name = model.skeleton[joint].name.clone();
        let existing = existing_helpers(model, joint);
        if !existing.is_empty() {
            let names: Vec<&str> = existing.iter().map(|&joint| model.skeleton[joint].name.as_str()).collect();
            notes.push(format!("'{name}' has twist or helper joints already: {}", names.join(", ")));
        }
        let vertices = add_helpers(model, joint, self.count).context("--helpers")?;
        let joints =
            if self.count == 1 { "1 helper joint moves" } else { &format!("{} helper joints move", self.count) };
        notes.push(format!("{joints} {vertices} vertices between '{name}' and its parent"));
        Ok(())
    }
}

/// Adds the helpers of all options, up to the number of joints that an engine supports.
///
/// # Errors
///
/// As [`HelpersArg::add_to`], or too many joints.
pub fn add_all_helpers(
    helpers: &[HelpersArg],
    model: &mut Model,
    most_joints: Option<usize>,
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    helpers.iter().try_for_each(|helpers| helpers.add_to(model, notes))?;
    let joints = model.skeleton.len();
    match most_joints.filter(|&most| joints > most && !helpers.is_empty()) {
        Some(most) => bail!("--helpers: the model would have {joints} joints, and the engine takes {most}"),
        None => Ok(()),
    }
}
