//! `bindpose doctor`

use super::format_arg::FormatArg;
use super::load_args::MemoryArgs;
use super::shaders_arg::ShadersArg;
use super::table::table;
use super::{Outcome, print_json};
use anyhow::Context;
use bindpose::render::{Error, Gpu, headless, probe};
use bindpose::skin::{Limits, Method, MethodId};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

/// Show the OpenGL of this machine, and the skinning methods that run on it
///
/// Prints the OpenGL driver, its limits and the GLSL versions it compiles. For every method, prints the joints per draw
/// call, or the reason why it does not run here.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    shaders: ShadersArg,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    format: FormatArg,
}

/// Reason why a method does not run, and the driver's error about its files.
struct Refusal {
    reason: String,
    error: Option<String>,
}

/// GLSL versions to try.
const GLSL: [u16; 10] = [110, 120, 130, 140, 150, 330, 400, 430, 450, 460];

/// Prints the report.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let methods = args.shaders.methods()?;
    let gpu = headless().context("OpenGL without a window does not work here")?;
    let compiled: Vec<String> = gpu.accepted_glsl_versions(&GLSL).iter().map(u16::to_string).collect();
    let mut opengl = gpu.strings().to_vec();
    opengl.push(("GLSL versions compiled", compiled.join(" ")));
    opengl.push(("GLSL of the shader files", gpu.dialect().reason().to_owned()));
    let limits = limits_of(&gpu);
    let shaders = args.shaders.files(args.memory.limit());
    // With the joints per draw call, or the reason why it does not run.
    let probed = |method: &'static Method| match probe(&gpu, &shaders, Limits::default(), method) {
        Ok(joints) => (method, Ok(joints)),
        Err(Error::Unavailable { reason, .. }) => (method, Err(Refusal { reason, error: None })),
        Err(error) => (method, Err(Refusal { reason: "see below".to_owned(), error: Some(error.to_string()) })),
    };
    let probed: Vec<_> = methods.into_iter().map(MethodId::method).map(probed).collect();
    if args.format.is_json() {
        let method = |(method, found): &(&Method, Result<Option<u32>, Refusal>)| match found {
            Ok(joints) => json!({"name": method.name, "runs": true, "joints_per_draw": joints}),
            Err(Refusal { reason, error }) => {
                json!({"name": method.name, "runs": false, "reason": error.as_ref().unwrap_or(reason)})
            }
        };
        let methods: Vec<_> = probed.iter().map(method).collect();
        let opengl: BTreeMap<_, _> = opengl.into_iter().collect();
        let number = |text: String| text.parse::<u32>().map_or(json!(text), |number| json!(number));
        let limits: BTreeMap<_, _> = limits.into_iter().map(|(name, value)| (name, number(value))).collect();
        print_json(out, &json!({"opengl": opengl, "limits": limits, "methods": methods}))?;
        return Ok(Outcome::Fine);
    }
    for (title, rows) in [("OpenGL", opengl), ("\nLimits", limits)] {
        let rows: Vec<_> = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        writeln!(out, "{title}\n{}", table(&["", ""], &rows).trim_matches('\n'))?;
    }
    writeln!(out, "\nSkinning methods")?;
    let row = |(method, found): &(&Method, Result<Option<u32>, Refusal>)| {
        let (joints, runs) = match found {
            Ok(joints) => (joints.map_or("any".to_owned(), |joints| joints.to_string()), "yes".to_owned()),
            Err(Refusal { reason, .. }) => (String::new(), format!("no: {reason}")),
        };
        vec![method.name.to_owned(), joints, runs]
    };
    let rows: Vec<_> = probed.iter().map(row).collect();
    write!(out, "{}", table(&["method", "joints per draw", "runs here"], &rows))?;
    for error in probed.iter().filter_map(|(_, found)| found.as_ref().err()?.error.as_ref()) {
        writeln!(out, "\n{error}")?;
    }
    Ok(Outcome::Fine)
}

/// Returns the limits of the driver that decide what runs, with their names.
fn limits_of(gpu: &Gpu) -> Vec<(&'static str, String)> {
    let limits = gpu.limits();
    let numbers = [
        ("vertex shader registers (vec4)", limits.vertex_registers()),
        ("vertex attributes", limits.vertex_attributes),
        ("texture units in vertex shaders", limits.vertex_texture_units),
        ("texture size", limits.texture_size),
        ("samples per pixel, at most", limits.samples),
        ("samples per pixel in a window, at rest", gpu.samples(false)),
        ("samples per pixel in a window, moving", gpu.samples(true)),
    ];
    let feedback = if gpu.has_transform_feedback() { "yes" } else { "no" };
    let numbers = numbers.into_iter().map(|(name, value)| (name, value.to_string()));
    numbers.chain([("transform feedback", feedback.to_owned())]).collect()
}
