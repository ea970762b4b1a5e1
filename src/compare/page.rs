//! Comparison reports as self-contained HTML pages with embedded images and charts.

use super::chart::Chart;
use super::contact_sheet::{CylinderImages, Scale, SheetRow};
use super::cylinder_report::{self, CylinderReport};
use super::finding::{self, INTRODUCTION, LINEAR};
#[cfg(feature = "render")]
use super::helpers::HelperReport;
use super::report::{COSTS, ComparisonReport};
use super::table::Table;
use crate::html::Page;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bindpose_core::escape::markup;
use image::codecs::jpeg::JpegEncoder;
use image::{ImageError, RgbImage};

/// Images of a page.
#[derive(Debug, Clone, Default)]
pub struct ReportImages {
    /// Image of the reference in each pose.
    pub expected: Vec<RgbImage>,
    /// Images by group and pose.
    pub drawn: Vec<Vec<RgbImage>>,
    /// Headings of the columns of `rows`.
    pub headings: Vec<String>,
    /// Some poses and the worst joint, with the error on the mesh.
    pub rows: Vec<SheetRow>,
    /// Colour scale of the error.
    pub scale: Scale,
    /// Cylinder tests.
    pub cylinder: Vec<CylinderSection>,
}

/// One cylinder test on a page.
#[derive(Debug, Clone)]
pub struct CylinderSection {
    /// Results.
    pub report: CylinderReport,
    /// Chart of the results.
    pub chart: Chart,
    /// Name of each curve and its images by angle, with the labels of the angles.
    pub images: CylinderImages,
}

/// Findings on one clip.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipSection {
    /// Name of the clip and its file.
    pub heading: String,
    /// Message of each finding, and a chart that shows it.
    pub findings: Vec<(String, Option<Chart>)>,
}

/// Largest number of evenly spread images on a slider. A page with all angles of a sweep would have ten megabytes.
const MOST_IMAGES: usize = 10;

/// Creates the page of a comparison.
///
/// # Errors
///
/// An image that cannot be encoded.
pub fn html(report: &ComparisonReport, images: &ReportImages) -> Result<String, ImageError> {
    let mut page = Page::new(&format!("Skinning methods on {}", report.model));
    page.conclude(&report.finding);
    page.paragraph(&report.about());
    page.table(&report.summary());
    page.paragraph(&format!(
        "Methods that give the same shape within {} of the size are in one row. Headings sort.",
        finding::percent(report.same_within)
    ));
    page.paragraph(INTRODUCTION);
    meanings(&report.legend(), &mut page);
    if report.pose_names.len() > 1 {
        let what = if report.is_sweep() { "angle" } else { "time" };
        let groups = report.groups.iter().map(|group| finding::label(&group.methods)).zip(&images.drawn);
        let rows = std::iter::once(("reference".to_owned(), &images.expected)).chain(groups);
        page.html(format_args!("<section>\n<h2>Over the {what}</h2>\n"));
        let shown = slider_poses(report.pose_names.len(), worst_pose(report));
        let names: Vec<String> = shown.iter().map(|&pose| report.pose_names[pose].clone()).collect();
        let rows = rows.map(|(name, images)| (name, shown.iter().filter_map(|&pose| images.get(pose)).collect()));
        let first = shown.iter().position(|&pose| pose == worst_pose(report)).unwrap_or(0);
        slider(what, &names, first, rows, &mut page)?;
        page.html(format_args!("</section>\n"));
    }
    let on_slider = if report.pose_names.len() > 1 { &report.pose_names[..] } else { &[] };
    error_images(images, on_slider, &mut page)?;
    for chart in report.sweeps().into_iter().map(|sweep| sweep.chart(&report.angles)) {
        page.heading(&chart.title);
        add_chart(&chart, &mut page);
    }
    for section in &images.cylinder {
        cylinder_section(section, &mut page)?;
    }
    page.heading("Every method");
    page.table(&report.methods());
    page.table(&report.costs());
    page.paragraph(COSTS);
    page.table(&report.table());
    page.paragraph(&report.table_note());
    Ok(page.finish())
}

/// Creates the page of helper joints: conclusion, images of the turned model without and with them, thickness over the angle, table.
///
/// # Errors
///
/// An image that cannot be encoded.
#[cfg(feature = "render")]
pub fn helpers(report: &HelperReport, headings: &[String], rows: &[SheetRow]) -> Result<String, ImageError> {
    let mut page = Page::new(&report.title());
    page.conclude(&report.finding);
    page.paragraph(&report.about());
    page.heading(HelperReport::IMAGES);
    let headings: Vec<&String> = headings.iter().collect();
    tiles(HelperReport::IMAGES, &headings, rows.iter().map(|row| (&row.lines, row.tiles.iter().collect())), &mut page)?;
    let chart = report.chart();
    page.heading(&chart.title);
    add_chart(&chart, &mut page);
    page.heading(&format!("Each engine and method at {}°", report.degrees));
    page.table(&report.table());
    Ok(page.finish())
}

/// Creates the page of two engines: title, conclusion, table, images.
///
/// # Errors
///
/// An image that cannot be encoded.
pub fn side_by_side(title: &str, finding: &str, found: &Table, images: &ReportImages) -> Result<String, ImageError> {
    let mut page = Page::new(title);
    page.conclude(finding);
    page.table(found);
    error_images(images, &[], &mut page)?;
    Ok(page.finish())
}

/// Creates the page of findings on clips: conclusion, table, and a section for each clip with findings.
pub fn clips(title: &str, conclusion: &str, found: &Table, sections: &[ClipSection]) -> String {
    let mut page = Page::new(title);
    page.conclude(conclusion);
    if !found.rows.is_empty() {
        page.table(found);
    }
    for section in sections {
        page.html(format_args!("<section>\n"));
        page.heading(&section.heading);
        for (message, chart) in &section.findings {
            page.paragraph(message);
            chart.iter().for_each(|chart| add_chart(chart, &mut page));
        }
        page.html(format_args!("</section>\n"));
    }
    page.finish()
}

/// Creates the page of cylinder tests without a model.
///
/// # Errors
///
/// An image that cannot be encoded.
pub fn cylinder(sections: &[CylinderSection]) -> Result<String, ImageError> {
    let mut page = Page::new(cylinder_report::PAGE);
    page.paragraph(INTRODUCTION);
    meanings(&[LINEAR], &mut page);
    for section in sections {
        cylinder_section(section, &mut page)?;
    }
    Ok(page.finish())
}

/// Embeds a chart that scrolls if it is wider than the page.
fn add_chart(chart: &Chart, page: &mut Page) {
    let (title, svg) = (markup(&chart.title), chart.svg());
    page.html(format_args!("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\n{svg}</div>\n"));
}

/// Adds terms and their meanings as a list.
fn meanings(legend: &[(&str, &str)], page: &mut Page) {
    let meaning = |(word, meaning): &(&str, &str)| format!("<dt>{}</dt><dd>{}.</dd>\n", markup(word), markup(meaning));
    page.html(format_args!("<dl class=\"terms\">\n{}</dl>\n", legend.iter().map(meaning).collect::<String>()));
}

fn cylinder_section(section: &CylinderSection, page: &mut Page) -> Result<(), ImageError> {
    let CylinderSection { report, chart, images } = section;
    page.html(format_args!("<section>\n"));
    page.heading(report.title);
    page.conclude(&report.finding);
    page.paragraph(report.about);
    if !images.curves.is_empty() {
        let curves = images.curves.iter().map(|(name, images)| (name.clone(), images.iter().collect()));
        slider("angle", &images.angles, widest(report, &images.angles), curves, page)?;
    }
    add_chart(chart, page);
    page.paragraph(&format!("{}; headings sort.", report.measure));
    page.table(&report.table());
    page.html(format_args!("</section>\n"));
    Ok(())
}

/// Returns the pose in which methods differ most: where a limb is thinnest, otherwise where a vertex is farthest from
/// the weighted sum.
pub(super) fn worst_pose(report: &ComparisonReport) -> usize {
    let thinnest = report.groups.iter().filter_map(|group| Some((group.thickness?, group.thinnest?)));
    let thinnest = thinnest.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, pose)| pose);
    let farthest = report.groups.iter().max_by(|a, b| a.departs_by.total_cmp(&b.departs_by)).map(|group| group.pose);
    thinnest.or(farthest).unwrap_or(0).min(report.pose_names.len().saturating_sub(1))
}

/// Returns the index of the drawn angle at which the curves differ most.
fn widest(report: &CylinderReport, drawn: &[String]) -> usize {
    let spread = |at: usize| {
        let values = report.lines.iter().filter_map(|line| line.values.get(at)).filter(|value| value.is_finite());
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &value| (a.min(value), b.max(value)));
        most - least
    };
    let place = |label: &str| report.angles.iter().position(|angle| format!("{angle}\u{b0}") == label);
    let spreads = drawn.iter().enumerate().filter_map(|(number, label)| Some((number, spread(place(label)?))));
    spreads.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(number, _)| number)
}

/// Selects the poses with images out of `count`: at most [`MOST_IMAGES`] evenly spread ones and the worst.
fn slider_poses(count: usize, worst: usize) -> Vec<usize> {
    let step = count.saturating_sub(1).div_ceil(MOST_IMAGES - 1).max(1);
    (0..count).filter(|&pose| pose % step == 0 || pose == worst || pose + 1 == count).collect()
}

/// Creates a slider over poses that shows the image of the selected pose for each name. It starts at pose number
/// `first`.
fn slider<'p>(
    what: &str,
    poses: &[String],
    first: usize,
    groups: impl Iterator<Item = (String, Vec<&'p RgbImage>)>,
    page: &mut Page,
) -> Result<(), ImageError> {
    let shown = markup(poses.get(first).map_or("", String::as_str));
    page.html(format_args!(
        "<p><input type=\"range\" min=\"0\" max=\"{}\" value=\"{first}\" aria-label=\"{what}\" \
         aria-valuetext=\"{shown}\" data-names=\"{}\"> <output>{shown}</output></p>\n<div class=\"poses\">",
        poses.len().saturating_sub(1),
        markup(&poses.join("|")),
    ));
    for (name, images) in groups {
        let name = markup(&name);
        page.html(format_args!("<figure>"));
        for (number, image) in images.iter().enumerate() {
            let class = if number == first { " class=\"shown\"" } else { "" };
            page.html(format_args!("<img{class} alt=\"{name}\" src=\"{}\">", data_uri(image)?));
        }
        page.html(format_args!("<figcaption>{name}</figcaption></figure>\n"));
    }
    page.html(format_args!("</div>\n"));
    Ok(())
}

/// Adds a table of the distances on the mesh, without the columns whose headings are in `on_slider`.
fn error_images(images: &ReportImages, on_slider: &[String], page: &mut Page) -> Result<(), ImageError> {
    if images.rows.is_empty() {
        return Ok(());
    }
    let is_shown = |heading: &&String| !on_slider.contains(heading);
    let stops: Vec<String> =
        images.scale.colours.iter().map(|colour| format!("rgb({},{},{})", colour[0], colour[1], colour[2])).collect();
    page.heading("Distances on the mesh");
    page.html(format_args!(
        "<p>0 <span class=\"scale\" style=\"background: linear-gradient(90deg, {})\"></span> {}</p>\n",
        stops.join(", "),
        markup(&images.scale.most)
    ));
    let headings: Vec<&String> = images.headings.iter().filter(is_shown).collect();
    let rows = images.rows.iter().map(|row| {
        let tiles = row.tiles.iter().zip(&images.headings).filter(|(_, heading)| is_shown(heading));
        (&row.lines, tiles.map(|(tile, _)| tile).collect::<Vec<_>>())
    });
    // The reference has no distance. A method that was left out has no tiles.
    let rows = rows.filter(|(_, tiles)| tiles.is_empty() || tiles.iter().any(|tile| tile.is_some()));
    tiles("Distances on the mesh", &headings, rows, page)
}

/// Adds a table of images: the lines beside each row, and an image or none for each heading.
fn tiles<'i>(
    label: &str,
    headings: &[&String],
    rows: impl Iterator<Item = (&'i Vec<String>, Vec<&'i Option<RgbImage>>)>,
    page: &mut Page,
) -> Result<(), ImageError> {
    page.html(format_args!(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table class=\"tiles\">\n<thead><tr><td></td>"
    ));
    for heading in headings {
        page.html(format_args!("<th scope=\"col\">{}</th>", markup(heading)));
    }
    page.html(format_args!("</tr></thead>\n<tbody>\n"));
    for (lines, tiles) in rows {
        let shown: Vec<String> = lines.iter().map(|line| markup(line)).collect();
        page.html(format_args!("<tr><th scope=\"row\">{}</th>", shown.join("<br>")));
        for (tile, heading) in tiles.iter().zip(headings) {
            match tile {
                Some(image) => {
                    let alt = markup(&format!("{}, {heading}", lines.first().map_or("", String::as_str)));
                    page.html(format_args!("<td><img alt=\"{alt}\" src=\"{}\"></td>", data_uri(image)?));
                }
                None => page.html(format_args!("<td></td>")),
            }
        }
        page.html(format_args!("</tr>\n"));
    }
    page.html(format_args!("</tbody></table></div>\n"));
    Ok(())
}

/// JPEG quality of embedded images. Without loss they are three times as large, and the page of a whole sweep has 5 MB.
const QUALITY: u8 = 90;

fn data_uri(image: &RgbImage) -> Result<String, ImageError> {
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode_image(image)?;
    Ok(format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn embedded_images_keep_their_colours() {
        let original = RgbImage::from_fn(32, 32, |x, _| if x < 16 { Rgb([10, 20, 30]) } else { Rgb([250, 60, 0]) });
        let uri = data_uri(&original).unwrap();
        let bytes = STANDARD.decode(uri.strip_prefix("data:image/jpeg;base64,").unwrap()).unwrap();
        let decoded = image::load_from_memory(&bytes).unwrap().to_rgb8();
        let farthest = decoded.iter().zip(original.iter()).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(farthest < Some(12), "{farthest:?}");
    }

    #[test]
    fn sliders_have_few_poses_including_the_worst() {
        assert_eq!(slider_poses(4, 1), [0, 1, 2, 3]);
        let of_sweep = slider_poses(37, 35);
        assert_eq!((of_sweep.len(), of_sweep[1], &of_sweep[8..]), (11, 4, &[32, 35, 36][..]));
    }
}
