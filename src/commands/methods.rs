//! `bindpose methods`

use super::format_arg::FormatArg;
use super::shaders_arg::ShadersArg;
use super::{Outcome, print_json};
use bindpose::skin::{ARTICLES, Capacity, GL2_REGISTERS, LIMITS, Limits, Method, SkinningStage};
use bindpose_compare::table::{COLUMNS, Table};
use bindpose_shaders::{ProgramSize, measure};
use serde::Serialize;
use std::io::Write;

/// List the skinning methods, their sources and needs
///
/// The third table has the joints that a batch may have on machines as --limits takes them: ffp2 (GeForce 256), vertex
/// shaders vs11, vs20 and vs30, and gl2 with the least that OpenGL 2 promises (128 registers). A mesh with more joints is
/// drawn in several batches. "-" is a machine that cannot run the method; the next table has the reason. Registers are
/// constants of a vertex shader, for each joint; weights are the most that a vertex has. Instructions are counted in
/// the GLSL by the rules of docs/methods.md: those of the skinning for n influences, and those of the program that draws.
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
    instructions: Instructions,
    joints_per_batch: JointsPerBatch,
    influences: Option<usize>,
    linear: bool,
    needs: String,
    about: &'static str,
}

/// Instruction slots and inputs of the program; `null` for own GLSL that the counter does not know.
#[derive(Clone, Copy, Serialize)]
struct Instructions {
    /// Slots of the skinning alone, for one to four influences per vertex.
    skinning: [Option<u32>; 4],
    program: Option<u32>,
    inputs: Option<u32>,
    /// Formula for `n` influences, or number, in the article.
    article: Option<&'static str>,
}

/// Instructions of skinning that article 000 states, on its pages 24 and 37: without those for indices and tangents.
const OF_ARTICLE: [(&str, &str); 2] = [("matrix-unrolled", "8n; program 51"), ("matrix-blend", "3n + 6")];

/// Joints per batch; `null` for any number.
#[derive(Serialize)]
struct JointsPerBatch {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<String>,
    article: Option<u32>,
    ffp2: Option<u32>,
    vs11: Option<u32>,
    vs20: Option<u32>,
    vs30: Option<u32>,
    gl2_minimum: Option<u32>,
}

impl Row {
    fn new(method: &Method, shaders: &ShadersArg) -> Self {
        let sizes = [1, 2, 3, 4].map(|influences| measure(method.shader, influences, |name| shaders.text(name)));
        let size = sizes[method.influences.unwrap_or(4) - 1];
        let refused = |limits: Limits| {
            let reason = limits.refusal(method, ProgramSize::demand(size))?;
            Some(format!("{limits}: {reason}"))
        };
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
            instructions: Instructions {
                skinning: sizes.map(|size| Some(size?.skin)),
                program: size.map(|size| size.slots),
                inputs: size.map(|size| size.inputs),
                article: OF_ARTICLE.iter().find(|(name, _)| *name == method.name).map(|&(_, formula)| formula),
            },
            joints_per_batch: JointsPerBatch {
                refused: LIMITS.into_iter().filter_map(refused).collect(),
                article: match method.capacity {
                    Capacity::Any => None,
                    Capacity::Always(joints) => Some(joints),
                    Capacity::Budget(joints) => joints,
                },
                ffp2: Limits::Ffp2.capacity(method, u32::MAX),
                vs11: Limits::Vs11.capacity(method, u32::MAX),
                vs20: Limits::Vs20.capacity(method, u32::MAX),
                vs30: Limits::Vs30.capacity(method, u32::MAX),
                gl2_minimum: Limits::Gl2.capacity(method, GL2_REGISTERS),
            },
            influences: method.influences,
            linear: method.is_linear,
            needs: method.needs.text(),
            about: method.about,
        }
    }
}

/// Prints the tables.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut rows: Vec<Row> =
        args.shaders.methods()?.into_iter().map(|id| Row::new(id.method(), &args.shaders)).collect();
    if args.format.is_json() {
        print_json(out, &rows)?;
        return Ok(Outcome::Fine);
    }
    // The ways to compute linear blending are below it, in the order of the table.
    rows.sort_by_key(|row| !row.linear);
    let name = |row: &Row| if row.linear { format!("  {}", row.name) } else { row.name.to_owned() };
    let mut table = Table::new(["method", "GLSL", "registers", "ffp2", "vs11", "vs20", "vs30", "gl2", "weights"]);
    table.push(["linear"]);
    for row in &rows {
        let count = |joints: Option<u32>| joints.map_or("any".to_owned(), |joints| joints.to_string());
        let refused = &row.joints_per_batch.refused;
        let within = |limits: Limits, joints: Option<u32>| {
            if refused.iter().any(|reason| reason.starts_with(limits.name())) { "-".to_owned() } else { count(joints) }
        };
        table.push([
            name(row),
            row.glsl.map_or("-".to_owned(), |version| format!("{}.{}", version / 100, version % 100)),
            if row.registers_per_joint == 0 { "-".to_owned() } else { row.registers_per_joint.to_string() },
            within(Limits::Ffp2, row.joints_per_batch.ffp2),
            within(Limits::Vs11, row.joints_per_batch.vs11),
            within(Limits::Vs20, row.joints_per_batch.vs20),
            within(Limits::Vs30, row.joints_per_batch.vs30),
            count(row.joints_per_batch.gl2_minimum),
            row.influences.map_or("all".to_owned(), |influences| influences.to_string()),
        ]);
    }
    let mut needs = Table::new(["method", "per joint", "needs"]);
    rows.iter().for_each(|row| needs.push([name(row), row.per_joint.to_owned(), row.needs.clone()]));
    let mut about = Table::new(["method", "what it does (source: article, or authors and year)"]);
    about.push(["linear", "the weighted sum of the joints' matrices, in several ways:"]);
    rows.iter().for_each(|row| about.push([name(row), format!("{} ({})", row.about, row.article)]));
    let mut articles = Table::new(["article", "what it is"]);
    ARTICLES.into_iter().for_each(|(number, title)| articles.push([number, title]));
    let tables = [&about, &articles, &table, &refusals(&rows, name), &needs, &instructions(&rows, name)];
    let texts = tables.map(|table| table.wrapped(COLUMNS));
    write!(out, "{}", texts.join("\n"))?;
    Ok(Outcome::Fine)
}

/// Returns the table of methods that machines cannot run. Machines with the same reason are named together.
fn refusals(rows: &[Row], name: impl Fn(&Row) -> String) -> Table {
    let mut lacks = Table::new(["method", "why these cannot run it"]);
    for row in rows {
        let mut reasons: Vec<(String, &str)> = Vec::new();
        let refused = row.joints_per_batch.refused.iter().filter_map(|reason| reason.split_once(": "));
        for (limits, reason) in refused.filter(|(limits, _)| *limits != Limits::Ffp2.name()) {
            match reasons.last_mut() {
                Some((names, last)) if *last == reason => *names += &format!(", {limits}"),
                _ => reasons.push((limits.to_owned(), reason)),
            }
        }
        if !reasons.is_empty() {
            let reasons: Vec<String> = reasons.iter().map(|(names, reason)| format!("{names}: {reason}")).collect();
            lacks.push([name(row), reasons.join("; ")]);
        }
    }
    let fixed = rows.iter().flat_map(|row| &row.joints_per_batch.refused);
    let fixed = fixed.filter(|reason| reason.starts_with(Limits::Ffp2.name())).take(1);
    fixed.for_each(|reason| lacks.push(["all but cpu and ffp", reason]));
    lacks
}

/// Returns the table of instructions. A single number is that for any number of influences.
fn instructions(rows: &[Row], name: impl Fn(&Row) -> String) -> Table {
    let mut table = Table::new(["instructions", "n = 1", "2", "3", "4", "program", "inputs", "article 000"]);
    for row in rows {
        let Instructions { skinning, program, inputs, article } = row.instructions;
        let number = |number: Option<u32>| number.map_or("?".to_owned(), |number| number.to_string());
        let mut cells = vec![name(row)];
        cells.extend(skinning.map(number));
        if skinning.iter().all(|count| *count == skinning[0]) {
            cells[2..].fill(String::new());
        }
        cells.extend([number(program), number(inputs), article.unwrap_or_default().to_owned()]);
        table.push(cells);
    }
    table
}
