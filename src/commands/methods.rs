//! `bindpose methods`

use super::format_arg::FormatArg;
use super::shaders_arg::ShadersArg;
use super::{Outcome, print_json};
use bindpose::skin::{ARTICLES, Capacity, GL2_REGISTERS, Limits, Method, SkinningStage};
use bindpose_compare::table::Table;
use serde::Serialize;
use std::io::Write;

/// List the skinning methods, their sources and needs
///
/// Joints per batch are given for three budgets of constant registers, as --limits takes them: vs11 (96), vs20 (256)
/// and gl2 at the least that OpenGL 2 promises (128). A mesh with more joints is drawn in several batches.
/// `bindpose doctor` reports which methods run on this machine.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    format: FormatArg,
    #[command(flatten)]
    shaders: ShadersArg,
}

/// A method as JSON.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    article: &'static str,
    stage: &'static str,
    glsl: Option<u16>,
    per_joint: &'static str,
    registers_per_joint: u32,
    joints_per_batch: JointsPerBatch,
    influences: Option<usize>,
    linear: bool,
    needs: String,
    about: &'static str,
}

/// Joints per batch; `null` for any number.
#[derive(Serialize)]
struct JointsPerBatch {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<String>,
    article: Option<u32>,
    vs11: Option<u32>,
    vs20: Option<u32>,
    gl2_minimum: Option<u32>,
}

impl Row {
    fn new(method: &Method) -> Self {
        let refused = |limits: Limits| limits.refusal(method).map(|reason| format!("{limits}: {reason}"));
        Self {
            name: method.name,
            article: method.article,
            stage: match method.stage {
                SkinningStage::Cpu => "CPU",
                SkinningStage::VertexShader => "vertex shader",
                SkinningStage::FragmentPasses => "fragment passes",
            },
            glsl: method.glsl,
            per_joint: method.joint_data.text(),
            registers_per_joint: method.joint_data.registers(),
            joints_per_batch: JointsPerBatch {
                refused: [Limits::Vs11, Limits::Vs20].into_iter().filter_map(refused).collect(),
                article: match method.capacity {
                    Capacity::Any => None,
                    Capacity::Always(joints) => Some(joints),
                    Capacity::Budget(joints) => joints,
                },
                vs11: Limits::Vs11.capacity(method, u32::MAX),
                vs20: Limits::Vs20.capacity(method, u32::MAX),
                gl2_minimum: Limits::Gl2.capacity(method, GL2_REGISTERS),
            },
            influences: method.influences,
            linear: method.is_linear,
            needs: method.needs.text(),
            about: method.about,
        }
    }
}

/// Prints the table.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut rows: Vec<Row> = args.shaders.methods()?.into_iter().map(|id| Row::new(id.method())).collect();
    if args.format.is_json() {
        print_json(out, &rows)?;
        return Ok(Outcome::Fine);
    }
    // The ways to compute linear blending are below it, in the order of the table.
    rows.sort_by_key(|row| !row.linear);
    let name = |row: &Row| if row.linear { format!("  {}", row.name) } else { row.name.to_owned() };
    let mut table = Table::new([
        "method",
        "article",
        "runs in",
        "GLSL",
        "per joint",
        "registers",
        "vs11",
        "vs20",
        "gl2",
        "influences",
        "needs",
    ]);
    table.push(["linear"]);
    for row in &rows {
        let count = |joints: Option<u32>| joints.map_or("any".to_owned(), |joints| joints.to_string());
        let refused = &row.joints_per_batch.refused;
        let within = |limits: Limits, joints: Option<u32>| {
            if refused.iter().any(|reason| reason.starts_with(limits.name())) { "-".to_owned() } else { count(joints) }
        };
        table.push([
            name(row),
            row.article.to_owned(),
            row.stage.to_owned(),
            row.glsl.map_or("-".to_owned(), |version| format!("{}.{}", version / 100, version % 100)),
            row.per_joint.to_owned(),
            if row.registers_per_joint == 0 { "-".to_owned() } else { row.registers_per_joint.to_string() },
            within(Limits::Vs11, row.joints_per_batch.vs11),
            within(Limits::Vs20, row.joints_per_batch.vs20),
            count(row.joints_per_batch.gl2_minimum),
            row.influences.map_or("all".to_owned(), |influences| influences.to_string()),
            row.needs.clone(),
        ]);
    }
    let mut about = Table::new(["method", "what it does"]);
    about.push(["linear", "the weighted sum of the joints' matrices, in several ways:"]);
    rows.iter().for_each(|row| about.push([name(row), row.about.to_owned()]));
    let mut articles = Table::new(["article", "what it is"]);
    ARTICLES.into_iter().for_each(|(number, title)| articles.push([number, title]));
    let mut lacks = Table::new(["method", "why these cannot run it"]);
    rows.iter().filter(|row| !row.joints_per_batch.refused.is_empty()).for_each(|row| {
        lacks.push([name(row), row.joints_per_batch.refused.join("; ")]);
    });
    write!(out, "{}\n{}\n{}\n{}", table.text(), lacks.text(), about.text(), articles.text())?;
    Ok(Outcome::Fine)
}
