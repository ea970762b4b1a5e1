//! Tolerances: options, and rules of `bindpose.toml`.

use crate::commands::settings;
use anyhow::ensure;
use bindpose::budget::MemoryLimit;
use bindpose::snapshot::{Check, Exact, Pattern, Tolerance, ToleranceRule};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::PathBuf;

/// Largest deviations that pass.
#[derive(Debug, clap::Args)]
pub struct ToleranceArgs {
    /// Tolerance of positions, as a share of the model's size [default: 1e-8, and none for changed files]
    #[arg(long, value_name = "SHARE", value_parser = at_least(Tolerance::LEAST.position))]
    position_tolerance: Option<f64>,
    /// Tolerance of rotations, in degrees [default: 1e-6, and none for changed files]
    #[arg(long, value_name = "DEGREES", value_parser = at_least(Tolerance::LEAST.angle))]
    angle_tolerance: Option<f64>,
    /// Tolerance of scale and shear [default: 1e-8, and none for changed files]
    #[arg(long, value_name = "SHARE", value_parser = at_least(Tolerance::LEAST.stretch))]
    stretch_tolerance: Option<f64>,
    /// No tolerance: report every frame that differs in any bit
    #[arg(long, conflicts_with_all = ["position_tolerance", "angle_tolerance", "stretch_tolerance"])]
    exact: bool,
    /// Settings with tolerances of single models, clips and joints [default: the nearest bindpose.toml from here
    /// upwards]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

fn at_least(least: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| match text.parse::<f64>() {
        Ok(value) if value >= least => Ok(value),
        Ok(_) => Err(format!("a snapshot does not resolve less than {least:e}; --exact reports every bit")),
        Err(_) => Err(format!("'{text}' is not a number")),
    }
}

/// Content of `bindpose.toml`.
#[derive(Default, Deserialize)]
struct ConfigFile {
    #[serde(default)]
    snapshot: SnapshotConfig,
    #[serde(flatten)]
    _others: std::collections::HashMap<String, IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SnapshotConfig {
    tolerance: Vec<RuleConfig>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RuleConfig {
    model: Option<String>,
    clip: Option<String>,
    joint: Option<String>,
    position: Option<f64>,
    angle: Option<f64>,
    stretch: Option<f64>,
}

/// Settings of all comparisons of a command.
pub struct Settings {
    check: Check,
    /// Rules, each with the pattern of its models; `None` for all models.
    rules: Vec<(Option<Pattern>, ToleranceRule)>,
}

impl Settings {
    /// Combines the options of the command line with the rules of the settings file, unless `--exact` is given.
    pub fn new(args: &ToleranceArgs) -> anyhow::Result<Self> {
        let given = [args.position_tolerance, args.angle_tolerance, args.stretch_tolerance];
        let default = Tolerance::default();
        let check = Check {
            tolerance: Tolerance {
                position: args.position_tolerance.unwrap_or(default.position),
                angle: args.angle_tolerance.unwrap_or(default.angle),
                stretch: args.stretch_tolerance.unwrap_or(default.stretch),
            },
            exact: match args.exact {
                true => Exact::Always,
                false if given.iter().any(Option::is_some) => Exact::Never,
                false => Exact::Edits,
            },
            rules: Vec::new(),
        };
        let rules = if args.exact { Vec::new() } else { read_rules(args)? };
        Ok(Self { check, rules })
    }

    /// Returns the settings of the comparison of one model, by its name.
    pub fn check(&self, model: &str) -> Check {
        let fits = |pattern: &Option<Pattern>| pattern.as_ref().is_none_or(|pattern| pattern.matches(model));
        let rules = self.rules.iter().filter(|(pattern, _)| fits(pattern)).map(|(_, rule)| rule.clone());
        Check { rules: rules.collect(), ..self.check.clone() }
    }
}

fn read_rules(args: &ToleranceArgs) -> anyhow::Result<Vec<(Option<Pattern>, ToleranceRule)>> {
    let file: ConfigFile = settings(args.config.as_deref(), MemoryLimit::default())?;
    let rule = |rule: RuleConfig| {
        let RuleConfig { model, clip, joint, position, angle, stretch } = rule;
        let least = Tolerance::LEAST;
        for (key, value, least) in
            [("position", position, least.position), ("angle", angle, least.angle), ("stretch", stretch, least.stretch)]
        {
            ensure!(value.is_none_or(|value| value >= least), "snapshot.tolerance: {key} is below {least:e}");
        }
        let pattern = |text: Option<String>| text.map(|text| Pattern::new(&text)).transpose();
        let rule = ToleranceRule { clip: pattern(clip)?, joint: pattern(joint)?, position, angle, stretch };
        Ok((pattern(model)?, rule))
    };
    file.snapshot.tolerance.into_iter().map(rule).collect()
}
