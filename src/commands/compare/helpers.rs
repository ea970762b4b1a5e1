//! `compare --helpers`: the thickness that helper joints keep, in numbers and images.

use super::files::{write_chart, write_image};
use super::{Args, comparison};
use crate::commands::output::tell;
use crate::commands::scene;
use crate::commands::{Outcome, report_json, write_text_in};
use anyhow::{Context, bail};
use bindpose::model::Model;
use bindpose::pose::rest;
use bindpose::render::headless;
use bindpose::skin::MethodId;
use bindpose_compare::contact_sheet::{Scale, contact_sheet, opaque};
use bindpose_compare::finding::percent;
use bindpose_compare::helpers::{HelperReport, half_a_turn};
use bindpose_compare::plan::Plan;
use bindpose_compare::{gallery, page};
use bindpose_player::Scene;
use image::RgbImage;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Compares a model with a copy that has helpers.
pub fn run(args: &Args, methods: &[MethodId], out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let Some(mut scene) = scene::open(&args.files, args.load.options()?, true)? else {
        return Ok(Outcome::AtFault);
    };
    let plan = if args.poses.is_empty() && args.sweep.is_none() {
        let model = Arc::make_mut(&mut scene.loaded.model);
        let joint = model.skeleton.named(&args.helpers[0].joint)?;
        half_a_turn(model, joint).context("the joint has no bone to twist; give --sweep")?
    } else {
        args.plan(&mut scene)?
    };
    let mut helped = (*scene.loaded.model).clone();
    let mut notes = Vec::new();
    args.helpers.iter().try_for_each(|helpers| helpers.add_to(&mut helped, &mut notes))?;
    for note in notes {
        tell!("note: {note}");
    }
    let helpers: Vec<String> = args.helpers.iter().map(ToString::to_string).collect();
    let report = HelperReport::new([&scene.loaded.model, &helped], &plan, methods, helpers.join(" and "));
    let Some(report) = report else {
        bail!(
            "--helpers needs one turn, of a joint whose vertices are blended with others; give one --pose, or --sweep"
        );
    };
    if args.format.is_json() {
        writeln!(out, "{}", report_json(&report, &scene.loaded.left_out)?)?;
    } else {
        writeln!(out, "{}\n\n{}", report.finding, report.table().text())?;
    }
    match &args.output {
        Some(folder) => write(args, folder, &report, scene, helped, plan),
        None => Ok(Outcome::of(&scene.loaded.left_out)),
    }
}

/// Writes report, chart and images of both models, as in article 000's figure 12.
fn write(
    args: &Args,
    folder: &Path,
    report: &HelperReport,
    mut scene: Scene,
    helped: Model,
    plan: Plan,
) -> anyhow::Result<Outcome> {
    let without = reference_images(args, &mut scene, plan.clone())?;
    let mut of_helped = plan.clone();
    if let Some((turn, before)) = &mut of_helped.turn {
        // Helpers precede their joint, so its index changes.
        let name = &scene.loaded.model.skeleton[turn.joint].name;
        turn.joint = helped.skeleton.find(name).unwrap_or(turn.joint);
        rest(&helped.skeleton, before);
    }
    scene.loaded.model = Arc::new(helped);
    let with = reference_images(args, &mut scene, of_helped)?;
    scene.lost_images().for_each(|left| tell!("note: {left}"));
    let least = |left: &[f64]| format!("thickness left {}", percent(left.iter().copied().fold(1.0, f64::min)));
    let about = ["without helpers", "with helpers"].into_iter().zip(&report.thickness);
    let rows = about.map(|(name, left)| vec![name.to_owned(), least(left)]).zip([&without[..], &with[..]]);
    let (headings, rows) = gallery::strip_of(&plan.names, rows);
    write_image(folder, "helpers.png", &contact_sheet(&headings, args.size.pixels(), &rows, &Scale::default()))?;
    write_chart(folder, "helpers-thickness", &report.chart())?;
    let images = [(HelperReport::IMAGES, "helpers.png"), ("Thickness", "helpers-thickness.png")];
    write_text_in(folder, "report.md", &report.markdown(&images))?;
    write_text_in(folder, "report.json", &report_json(report, &scene.loaded.left_out)?)?;
    write_text_in(folder, "report.html", &page::helpers(report, &headings, &rows)?)?;
    tell!(
        "wrote report.html, report.md, report.json, helpers.png, helpers-thickness.png and .svg to {}",
        folder.display()
    );
    Ok(Outcome::of(&scene.loaded.left_out))
}

/// Draws the weighted sum in each pose.
fn reference_images(args: &Args, scene: &mut Scene, plan: Plan) -> anyhow::Result<Vec<RgbImage>> {
    let gpu = headless().context("images need OpenGL; `bindpose doctor` explains what is missing")?;
    let images = comparison(args, scene, &gpu, plan)?.reference_images()?;
    Ok(images.iter().map(opaque).collect())
}
