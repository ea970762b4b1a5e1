//! `bindpose doctor`

use super::Outcome;
use super::load_args::MemoryArgs;
use super::shaders_arg::ShadersArg;
use super::table::table;
use anyhow::Context;
use bindpose::render::{Error, headless, probe};
use bindpose::skin::{Limits, MethodId};
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
}

/// GLSL versions to try.
const GLSL: [u16; 10] = [110, 120, 130, 140, 150, 330, 400, 430, 450, 460];

/// Prints the report.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let methods = args.shaders.methods()?;
    let gpu = headless().context("OpenGL without a window does not work here")?;
    writeln!(out, "OpenGL")?;
    let limits = gpu.limits();
    let mut rows: Vec<Vec<String>> =
        gpu.strings().into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let compiled: Vec<String> = gpu.accepted_glsl_versions(&GLSL).iter().map(u16::to_string).collect();
    rows.push(vec!["GLSL versions compiled".into(), compiled.join(" ")]);
    rows.push(vec!["GLSL of the shader files".into(), gpu.dialect().reason().into()]);
    write!(out, "{}", table(&["", ""], &rows).trim_start_matches('\n'))?;
    writeln!(out, "\nLimits")?;
    let rows = [
        ("vertex shader registers (vec4)", limits.vertex_registers()),
        ("vertex attributes", limits.vertex_attributes),
        ("texture units in vertex shaders", limits.vertex_texture_units),
        ("texture size", limits.texture_size),
        ("samples per pixel, at most", limits.samples),
        ("samples per pixel in a window, at rest", gpu.samples(false)),
        ("samples per pixel in a window, moving", gpu.samples(true)),
    ];
    let mut rows: Vec<Vec<String>> =
        rows.into_iter().map(|(name, value)| vec![name.to_owned(), value.to_string()]).collect();
    let yes_no = |yes| if yes { "yes" } else { "no" };
    rows.push(vec!["transform feedback".into(), yes_no(gpu.has_transform_feedback()).into()]);
    write!(out, "{}", table(&["", ""], &rows).trim_start_matches('\n'))?;

    writeln!(out, "\nSkinning methods")?;
    let shaders = args.shaders.files(args.memory.limit());
    let mut refused = Vec::new();
    let rows: Vec<Vec<String>> = methods
        .into_iter()
        .map(MethodId::method)
        .map(|method| {
            let (runs, joints) = match probe(&gpu, &shaders, Limits::default(), method) {
                Ok(Some(joints)) => ("yes".to_owned(), joints.to_string()),
                Ok(None) => ("yes".to_owned(), "any".to_owned()),
                Err(Error::Unavailable { reason, .. }) => (format!("no: {reason}"), String::new()),
                Err(error) => {
                    refused.push(error.to_string());
                    ("no: see below".to_owned(), String::new())
                }
            };
            vec![method.name.to_owned(), joints, runs]
        })
        .collect();
    write!(out, "{}", table(&["method", "joints per draw", "runs here"], &rows))?;
    for error in refused {
        writeln!(out, "\n{error}")?;
    }
    Ok(Outcome::Fine)
}
