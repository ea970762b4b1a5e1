//! Comparison reports as self-contained HTML pages with embedded images and charts.

use super::chart::Chart;
use super::contact_sheet::{CylinderImages, Scale, SheetRow};
use super::cylinder_report::{self, CylinderReport};
use super::finding::{self, INTRODUCTION, LINEAR};
#[cfg(feature = "render")]
use super::helpers::HelperReport;
use super::report::ComparisonReport;
use super::table::Table;
use crate::html::{END, start, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{ImageError, RgbImage};
use std::fmt::Write as _;

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

/// Style sheet of reports.
pub const STYLE: &str = "\
a { color: inherit; }
.finding { font-size: 1.3rem; border-left: .3rem solid #d55e00; padding-left: .8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
.wide td:first-child { white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content auto; gap: .2rem 1rem; font-size: .9rem; }
dt { font-weight: 600; }
dd { margin: 0; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number, td.short { white-space: nowrap; }
.sortable th, .sortable td { padding: .2rem .4rem; }
th button { font: inherit; font-weight: 600; color: inherit; text-align: left; background: none; border: 0; padding: 0; cursor: pointer; }
th button::after { content: \" \\2195\"; opacity: .5; }
[aria-sort=ascending] button::after { content: \" \\2191\"; opacity: 1; }
[aria-sort=descending] button::after { content: \" \\2193\"; opacity: 1; }
.sortable td:last-child:not([class]) { min-width: 14rem; }
tbody th { font-weight: 400; }
.tiles { width: 100%; }
.tiles td { padding: .2rem; }
.tiles tbody th { min-width: 6rem; }
.tiles img { width: 100%; min-width: 6rem; max-width: 16rem; }
figure { display: inline-block; margin: 0 .5rem .5rem 0; max-width: 100%; }
.poses img { display: none; }
.poses img.shown { display: block; }
svg { width: 100%; max-width: 50rem; min-width: 30rem; height: auto; border-radius: .4rem; }
.scale { display: inline-block; width: 12rem; height: .9rem; vertical-align: middle; }
input[type=range] { width: min(30rem, 100%); }
@media screen and (prefers-color-scheme: dark) { svg { filter: invert(.87) hue-rotate(180deg); } }
@media print {
  .wide { overflow: visible; }
  svg { min-width: 0; }
  table { font-size: .47rem; }
  th, td, .sortable th, .sortable td { padding: .1rem .15rem; }
  td { overflow-wrap: anywhere; }
  .sortable td:last-child:not([class]) { min-width: 0; }
  input[type=range] { display: none; }
  th button::after { content: none; }
  .scale { print-color-adjust: exact; }
  .tiles img { min-width: 0; }
  h2 { break-after: avoid; }
  tr, svg { break-inside: avoid; }
  figure { break-inside: avoid; }
}
";

/// Largest number of evenly spread images on a slider. A page with all angles of a sweep would have ten megabytes.
const MOST_IMAGES: usize = 10;

/// Content policy that forbids loading anything, whatever names the file contains.
const HEAD: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
                    style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n";

/// Script of reports: sorts tables by the buttons of their headings, and shows the pose that a slider selects.
pub const SCRIPT: &str = "\
<script>
for (const button of document.querySelectorAll('th button')) button.onclick = () => {
  const head = button.parentElement, table = head.closest('table'), body = table.tBodies[0], place = head.cellIndex;
  const down = head.getAttribute('aria-sort') !== 'ascending';
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'ascending' : 'descending');
  const value = row => row.cells[place].textContent, number = row => parseFloat(value(row));
  const order = (a, b) => isNaN(number(a)) || isNaN(number(b)) ? value(a).localeCompare(value(b)) : number(a) - number(b);
  const rows = [...body.rows].sort(order);
  body.append(...(down ? rows : rows.reverse()));
};
for (const slider of document.querySelectorAll('input[type=range]')) slider.oninput = () => {
  const section = slider.closest('section');
  const name = slider.dataset.names.split('|')[slider.value];
  section.querySelector('output').textContent = name;
  slider.setAttribute('aria-valuetext', name);
  for (const group of section.querySelectorAll('.poses figure'))
    group.querySelectorAll('img').forEach((img, place) => img.classList.toggle('shown', place == slider.value));
};
</script>
";

/// Creates the page of a comparison.
///
/// # Errors
///
/// An image that cannot be encoded.
pub fn html(report: &ComparisonReport, images: &ReportImages) -> Result<String, ImageError> {
    let mut page = start(&format!("Skinning methods on {}", report.model), STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<p class=\"finding\">{}</p>\n<p>{}</p>\n{}",
        text(&report.finding),
        text(&report.about()),
        table(&report.summary())
    );
    let _ = writeln!(
        page,
        "<p>Methods that give the same shape within {} of the size are in one row. Headings sort.</p>",
        finding::percent(report.same_within)
    );
    let _ = write!(page, "<p>{}</p>\n{}", text(INTRODUCTION), meanings(&report.legend()));
    if report.pose_names.len() > 1 {
        let what = if report.is_sweep() { "angle" } else { "time" };
        let groups = report.groups.iter().map(|group| finding::label(&group.methods)).zip(&images.drawn);
        let rows = std::iter::once(("reference".to_owned(), &images.expected)).chain(groups);
        let _ = writeln!(page, "<section>\n<h2>Over the {what}</h2>");
        let shown = slider_poses(report.pose_names.len(), worst_pose(report));
        let names: Vec<String> = shown.iter().map(|&pose| report.pose_names[pose].clone()).collect();
        let rows = rows.map(|(name, images)| (name, shown.iter().filter_map(|&pose| images.get(pose)).collect()));
        let first = shown.iter().position(|&pose| pose == worst_pose(report)).unwrap_or(0);
        slider(what, &names, first, rows, &mut page)?;
        page.push_str("</section>\n");
    }
    let on_slider = if report.pose_names.len() > 1 { &report.pose_names[..] } else { &[] };
    error_images(images, on_slider, &mut page)?;
    for chart in report.sweeps().into_iter().map(|sweep| sweep.chart(&report.angles)) {
        let _ = writeln!(page, "<h2>{}</h2>\n{}", text(&chart.title), chart_html(&chart));
    }
    for section in &images.cylinder {
        cylinder_section(section, &mut page)?;
    }
    let _ = writeln!(
        page,
        "<h2>Every method</h2>\n{}<p>{}</p>\n{SCRIPT}{END}",
        table(&report.table()),
        text(&report.table_note())
    );
    Ok(page)
}

/// Creates the page of helper joints: conclusion, images of the turned model without and with them, thickness over the angle, table.
///
/// # Errors
///
/// An image that cannot be encoded.
#[cfg(feature = "render")]
pub fn helpers(report: &HelperReport, headings: &[String], rows: &[SheetRow]) -> Result<String, ImageError> {
    let mut page = start(&report.title(), STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ = writeln!(page, "<p class=\"finding\">{}</p>\n<p>{}</p>", text(&report.finding), text(&report.about()));
    let _ = writeln!(page, "<h2>{}</h2>", text(HelperReport::IMAGES));
    let headings: Vec<&String> = headings.iter().collect();
    tiles(HelperReport::IMAGES, &headings, rows.iter().map(|row| (&row.lines, row.tiles.iter().collect())), &mut page)?;
    let chart = report.chart();
    let _ = writeln!(page, "<h2>{}</h2>\n{}", text(&chart.title), chart_html(&chart));
    let _ =
        write!(page, "<h2>Each engine and method at {}°</h2>\n{}{SCRIPT}{END}", report.degrees, table(&report.table()));
    Ok(page)
}

/// Creates the page of two engines: title, conclusion, table, images.
///
/// # Errors
///
/// An image that cannot be encoded.
pub fn side_by_side(title: &str, finding: &str, found: &Table, images: &ReportImages) -> Result<String, ImageError> {
    let mut page = start(title, STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ = write!(page, "<p class=\"finding\">{}</p>\n{}", text(finding), table(found));
    error_images(images, &[], &mut page)?;
    let _ = write!(page, "{SCRIPT}{END}");
    Ok(page)
}

/// Creates the page of findings on clips: conclusion, table, and a section for each clip with findings.
pub fn clips(title: &str, conclusion: &str, found: &Table, sections: &[ClipSection]) -> String {
    let mut page = start(title, STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ = writeln!(page, "<p class=\"finding\">{}</p>", text(conclusion));
    if !found.rows.is_empty() {
        page += &table(found);
    }
    for section in sections {
        let _ = writeln!(page, "<section>\n<h2>{}</h2>", text(&section.heading));
        for (message, chart) in &section.findings {
            let chart = chart.as_ref().map(chart_html).unwrap_or_default();
            let _ = writeln!(page, "<p>{}</p>\n{chart}", text(message));
        }
        page.push_str("</section>\n");
    }
    let _ = write!(page, "{SCRIPT}{END}");
    page
}

/// Creates the page of cylinder tests without a model.
///
/// # Errors
///
/// An image that cannot be encoded.
pub fn cylinder(sections: &[CylinderSection]) -> Result<String, ImageError> {
    let mut page = start(cylinder_report::PAGE, STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ = writeln!(page, "<p>{}</p>\n{}", text(INTRODUCTION), meanings(&[LINEAR]));
    for section in sections {
        cylinder_section(section, &mut page)?;
    }
    let _ = write!(page, "{SCRIPT}{END}");
    Ok(page)
}

/// Embeds a chart that scrolls if it is wider than the page.
fn chart_html(chart: &Chart) -> String {
    let title = text(&chart.title);
    format!("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\n{}</div>", chart.svg())
}

/// Formats terms and their meanings as a list.
fn meanings(legend: &[(&str, &str)]) -> String {
    let meaning = |(word, meaning): &(&str, &str)| format!("<dt>{}</dt><dd>{}.</dd>\n", text(word), text(meaning));
    format!("<dl>\n{}</dl>\n", legend.iter().map(meaning).collect::<String>())
}

fn cylinder_section(section: &CylinderSection, page: &mut String) -> Result<(), ImageError> {
    let CylinderSection { report, chart, images } = section;
    let _ = writeln!(
        page,
        "<section>\n<h2>{}</h2>\n<p class=\"finding\">{}</p>\n<p>{}</p>",
        text(report.title),
        text(&report.finding),
        text(report.about)
    );
    if !images.curves.is_empty() {
        let curves = images.curves.iter().map(|(name, images)| (name.clone(), images.iter().collect()));
        slider("angle", &images.angles, widest(report, &images.angles), curves, page)?;
    }
    let _ = writeln!(
        page,
        "{}\n<p>{}; headings sort.</p>\n{}</section>",
        chart_html(chart),
        text(report.measure),
        table(&report.table())
    );
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
    page: &mut String,
) -> Result<(), ImageError> {
    let shown = text(poses.get(first).map_or("", String::as_str));
    let _ = writeln!(
        page,
        "<p><input type=\"range\" min=\"0\" max=\"{}\" value=\"{first}\" aria-label=\"{what}\" \
         aria-valuetext=\"{shown}\" data-names=\"{}\"> <output>{shown}</output></p>\n<div class=\"poses\">",
        poses.len().saturating_sub(1),
        text(&poses.join("|")),
    );
    for (name, images) in groups {
        page.push_str("<figure>");
        for (number, image) in images.iter().enumerate() {
            let class = if number == first { " class=\"shown\"" } else { "" };
            let _ = write!(page, "<img{class} alt=\"{}\" src=\"{}\">", text(&name), data_uri(image)?);
        }
        let _ = writeln!(page, "<figcaption>{}</figcaption></figure>", text(&name));
    }
    page.push_str("</div>\n");
    Ok(())
}

/// Adds a table of the distances on the mesh, without the columns whose headings are in `on_slider`.
fn error_images(images: &ReportImages, on_slider: &[String], page: &mut String) -> Result<(), ImageError> {
    if images.rows.is_empty() {
        return Ok(());
    }
    let is_shown = |heading: &&String| !on_slider.contains(heading);
    let stops: Vec<String> =
        images.scale.colours.iter().map(|colour| format!("rgb({},{},{})", colour[0], colour[1], colour[2])).collect();
    let _ = writeln!(
        page,
        "<h2>Distances on the mesh</h2>\n<p>0 <span class=\"scale\" style=\"background: linear-gradient(90deg, {})\"></span> {}\
         </p>",
        stops.join(", "),
        text(&images.scale.most)
    );
    let headings: Vec<&String> = images.headings.iter().filter(is_shown).collect();
    let rows = images.rows.iter().map(|row| {
        let tiles = row.tiles.iter().zip(&images.headings).filter(|(_, heading)| is_shown(heading));
        (&row.lines, tiles.map(|(tile, _)| tile).collect::<Vec<_>>())
    });
    // The reference has no distance. A method that was left out has no tiles.
    let rows = rows.filter(|(_, tiles)| tiles.is_empty() || tiles.iter().any(|tile| tile.is_some()));
    tiles("Distances on the mesh", &headings, rows, page)
}

/// Writes a table of images: the lines beside each row, and an image or none for each heading.
fn tiles<'i>(
    label: &str,
    headings: &[&String],
    rows: impl Iterator<Item = (&'i Vec<String>, Vec<&'i Option<RgbImage>>)>,
    page: &mut String,
) -> Result<(), ImageError> {
    let _ = write!(
        page,
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table class=\"tiles\">\n<thead><tr><td></td>"
    );
    for heading in headings {
        let _ = write!(page, "<th scope=\"col\">{}</th>", text(heading));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (lines, tiles) in rows {
        let shown: Vec<String> = lines.iter().map(|line| text(line)).collect();
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", shown.join("<br>"));
        for (tile, heading) in tiles.iter().zip(headings) {
            match tile {
                Some(image) => {
                    let alt = text(&format!("{}, {heading}", lines.first().map_or("", String::as_str)));
                    let _ = write!(page, "<td><img alt=\"{alt}\" src=\"{}\"></td>", data_uri(image)?);
                }
                None => page.push_str("<td></td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    Ok(())
}

/// Longest text of a cell that is not broken into lines, in letters.
const SHORT: usize = 16;

/// Creates a table that can be sorted by its columns. It needs [`STYLE`] and [`SCRIPT`].
pub fn table(table: &Table) -> String {
    let is_number: Vec<bool> = (0..table.headings.len()).map(|column| table.is_number(column)).collect();
    let mut html = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Table by {}\"><table class=\"sortable\">\n<thead><tr>",
        text(table.headings.first().map_or("", String::as_str))
    );
    for heading in &table.headings {
        let _ = write!(html, "<th scope=\"col\"><button type=\"button\">{}</button></th>", text(heading));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, &is_number) in is_number.iter().enumerate() {
            let cell = row.get(column).map_or("", String::as_str);
            let class = match () {
                () if is_number => " class=\"number\"",
                () if cell.chars().count() <= SHORT => " class=\"short\"",
                () => "",
            };
            let _ = write!(html, "<td{class}>{}</td>", text(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
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

    #[test]
    fn cells_are_escaped_and_numbers_aligned_right() {
        let mut rows = Table::new(["<b>", "n"]);
        rows.push(["<script>alert(1)</script>", "12 %"]);
        rows.push(["2nd", "-"]);
        let html = table(&rows);
        assert!(html.contains(">&lt;b&gt;</button></th>") && html.contains("<td>&lt;script&gt;"), "{html}");
        assert!(html.contains("<td class=\"number\">12 %</td>"), "{html}");
        assert!(html.contains("<td class=\"short\">2nd</td><td class=\"number\">-</td>"), "{html}");
    }
}
