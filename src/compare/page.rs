//! A comparison as one page of HTML that needs nothing else: pictures and plots are in it.

use super::figure_report::{self, FigureReport};
use super::finding;
use super::pictures::{Row, Scale, Shapes};
use super::plot::{Plot, PlotError};
use super::report::ComparisonReport;
use super::table::Table;
use crate::html::{start, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageError, ImageFormat, RgbImage};
use std::fmt::Write as _;
use std::io::Cursor;

/// What the page shows besides the report.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The reference's picture of each moment.
    pub expected: Vec<RgbImage>,
    /// Of each group the picture of each moment.
    pub drawn: Vec<Vec<RgbImage>>,
    /// Of the columns of [`Shown::rows`].
    pub headings: Vec<String>,
    /// Some moments and the worst joint, with the error on the mesh.
    pub rows: Vec<Row>,
    /// The colours of the error.
    pub scale: Scale,
    /// Figures of the articles.
    pub figures: Vec<ShownFigure>,
}

/// A figure of the articles.
#[derive(Debug, Clone)]
pub struct ShownFigure {
    /// What was measured.
    pub report: FigureReport,
    /// Its lines.
    pub plot: Plot,
    /// What they look like.
    pub shapes: Shapes,
}

/// A page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A picture cannot be encoded.
    #[error("a picture cannot be encoded: {0}")]
    Picture(#[from] ImageError),
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

const STYLE: &str = "\
.finding { font-size: 1.3rem; border-left: .3rem solid #d55e00; padding-left: .8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
.wide td:first-child { white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content auto; gap: .2rem 1rem; font-size: .9rem; }
dt { font-weight: 600; }
dd { margin: 0; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.sortable th { cursor: pointer; }
figure { display: inline-block; margin: 0 .5rem .5rem 0; max-width: 100%; }
.moments img { display: none; }
.moments img.shown { display: block; }
svg { max-width: 100%; height: auto; border-radius: .4rem; }
.scale { display: inline-block; width: 12rem; height: .9rem; vertical-align: middle; }
input[type=range] { width: min(30rem, 100%); }
";

/// Nothing is fetched, whatever a name in a file says.
const HEAD: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
                    style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
                    <meta name=\"viewport\" content=\"width=device-width\">\n";

/// Sorts a table by the column that is clicked, numbers as numbers; shows the moment that the slider stands at.
const SCRIPT: &str = "\
for (const head of document.querySelectorAll('.sortable th')) head.onclick = () => {
  const body = head.closest('table').tBodies[0], place = head.cellIndex;
  const down = head.dataset.down = head.dataset.down === '1' ? '' : '1';
  const value = row => row.cells[place].textContent, number = row => parseFloat(value(row));
  const order = (a, b) => isNaN(number(a)) || isNaN(number(b)) ? value(a).localeCompare(value(b)) : number(a) - number(b);
  const rows = [...body.rows].sort(order);
  body.append(...(down ? rows : rows.reverse()));
};
for (const slider of document.querySelectorAll('input[type=range]')) slider.oninput = () => {
  const section = slider.closest('section');
  section.querySelector('output').textContent = slider.dataset.names.split('|')[slider.value];
  for (const group of section.querySelectorAll('.moments figure'))
    group.querySelectorAll('img').forEach((img, place) => img.classList.toggle('shown', place == slider.value));
};
";

/// The page.
///
/// # Errors
///
/// [`PageError`]: a picture or a plot.
pub fn html(report: &ComparisonReport, shown: &Shown) -> Result<String, PageError> {
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
        "<p>Methods that show the same within {} of the size stand in one row. A click on a heading sorts.</p>",
        finding::percent(report.same_within)
    );
    let _ = write!(page, "<p>{}</p>\n{}", text(ComparisonReport::INTRODUCTION), meanings(&report.legend()));
    if report.moments.len() > 1 {
        let what = if report.is_sweep() { "angle" } else { "time" };
        let groups = report.groups.iter().map(|group| finding::label(&group.methods)).zip(&shown.drawn);
        let pictures = std::iter::once(("reference".to_owned(), &shown.expected)).chain(groups);
        let _ = writeln!(page, "<section>\n<h2>Over the {what}</h2>");
        slider(what, &report.moments, pictures, &mut page)?;
        page.push_str("</section>\n");
    }
    if !shown.rows.is_empty() {
        pictures(shown, &mut page)?;
    }
    for plot in report.sweeps().into_iter().map(|sweep| sweep.plot(&report.angles)) {
        let _ = writeln!(page, "<h2>{}</h2>\n{}", text(&plot.title), plot.svg()?);
    }
    for shown in &shown.figures {
        figure(shown, &mut page)?;
    }
    let _ = writeln!(page, "<h2>Every method</h2>\n{}<script>\n{SCRIPT}</script>", table(&report.table()));
    Ok(page)
}

/// A page of pictures in rows and a table: what was found, about what, the table, the rows of `shown`.
///
/// # Errors
///
/// [`PageError`]: a picture.
pub fn side_by_side(title: &str, finding: &str, found: &Table, shown: &Shown) -> Result<String, PageError> {
    let mut page = start(title, STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ = write!(page, "<p class=\"finding\">{}</p>\n{}", text(finding), table(found));
    if !shown.rows.is_empty() {
        pictures(shown, &mut page)?;
    }
    let _ = writeln!(page, "<script>\n{SCRIPT}</script>");
    Ok(page)
}

/// A page of figures of the articles alone.
///
/// # Errors
///
/// [`PageError`]: a picture or a plot.
pub fn figures(figures: &[ShownFigure]) -> Result<String, PageError> {
    let mut page = start(figure_report::PAGE, STYLE, HEAD);
    // Writing to a string cannot fail.
    let _ =
        writeln!(page, "<p>{}</p>\n{}", text(ComparisonReport::INTRODUCTION), meanings(&[ComparisonReport::LINEAR]));
    for shown in figures {
        figure(shown, &mut page)?;
    }
    let _ = writeln!(page, "<script>\n{SCRIPT}</script>");
    Ok(page)
}

/// Words and what they mean.
fn meanings(legend: &[(&str, &str)]) -> String {
    let meaning = |(word, meaning): &(&str, &str)| format!("<dt>{}</dt><dd>{}.</dd>\n", text(word), text(meaning));
    format!("<dl>\n{}</dl>\n", legend.iter().map(meaning).collect::<String>())
}

fn figure(shown: &ShownFigure, page: &mut String) -> Result<(), PageError> {
    let report = &shown.report;
    let _ = writeln!(
        page,
        "<section>\n<h2>{}</h2>\n<p class=\"finding\">{}</p>\n<p>{}</p>",
        text(report.title),
        text(&report.finding),
        text(report.about)
    );
    if !shown.shapes.drawn.is_empty() {
        let pictures = shown.shapes.drawn.iter().map(|(name, pictures)| (name.clone(), pictures));
        slider("angle", &shown.shapes.angles, pictures, page)?;
    }
    let _ = writeln!(
        page,
        "{}\n<p>{}; a click on a heading sorts.</p>\n{}</section>",
        shown.plot.svg()?,
        text(report.measure),
        table(&report.table())
    );
    Ok(())
}

/// A slider over moments, and for each name the picture of the moment at which it stands.
fn slider<'p>(
    what: &str,
    moments: &[String],
    groups: impl Iterator<Item = (String, &'p Vec<RgbImage>)>,
    page: &mut String,
) -> Result<(), PageError> {
    let _ = writeln!(
        page,
        "<p><input type=\"range\" min=\"0\" max=\"{}\" value=\"0\" aria-label=\"{what}\" \
         data-names=\"{}\"> <output>{}</output></p>\n<div class=\"moments\">",
        moments.len().saturating_sub(1),
        text(&moments.join("|")),
        text(moments.first().map_or("", String::as_str))
    );
    for (name, pictures) in groups {
        page.push_str("<figure>");
        for (number, picture) in pictures.iter().enumerate() {
            let class = if number == 0 { " class=\"shown\"" } else { "" };
            let _ = write!(page, "<img{class} alt=\"{}\" src=\"{}\">", text(&name), data_uri(picture)?);
        }
        let _ = writeln!(page, "<figcaption>{}</figcaption></figure>", text(&name));
    }
    page.push_str("</div>\n");
    Ok(())
}

fn pictures(shown: &Shown, page: &mut String) -> Result<(), PageError> {
    let stops: Vec<String> =
        shown.scale.colours.iter().map(|colour| format!("rgb({},{},{})", colour[0], colour[1], colour[2])).collect();
    let _ = write!(
        page,
        "<h2>How far apart, on the mesh</h2>\n<p>0 <span class=\"scale\" style=\"background: linear-gradient(90deg, {})\"></span> {}\
         </p>\n<div class=\"wide\"><table>\n<thead><tr><th></th>",
        stops.join(", "),
        text(&shown.scale.most)
    );
    for heading in &shown.headings {
        let _ = write!(page, "<th>{}</th>", text(heading));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &shown.rows {
        let lines: Vec<String> = row.lines.iter().map(|line| text(line)).collect();
        let _ = write!(page, "<tr><td>{}</td>", lines.join("<br>"));
        for picture in &row.tiles {
            match picture {
                Some(picture) => {
                    let _ = write!(page, "<td><img alt=\"\" src=\"{}\"></td>", data_uri(picture)?);
                }
                None => page.push_str("<td></td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    Ok(())
}

/// A table whose columns can be sorted.
fn table(table: &Table) -> String {
    let is_number: Vec<bool> = (0..table.headings.len()).map(|column| table.is_number(column)).collect();
    let mut html = "<div class=\"wide\"><table class=\"sortable\">\n<thead><tr>".to_owned();
    for heading in &table.headings {
        let _ = write!(html, "<th>{}</th>", text(heading));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, &is_number) in is_number.iter().enumerate() {
            let cell = row.get(column).map_or("", String::as_str);
            let class = if is_number { " class=\"number\"" } else { "" };
            let _ = write!(html, "<td{class}>{}</td>", text(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

fn data_uri(picture: &RgbImage) -> Result<String, ImageError> {
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png)?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(png.into_inner())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_picture_in_the_page_is_the_picture() {
        let picture = RgbImage::from_pixel(3, 2, Rgb([10, 20, 30]));
        let uri = data_uri(&picture).unwrap();
        let bytes = STANDARD.decode(uri.strip_prefix("data:image/png;base64,").unwrap()).unwrap();
        assert_eq!(image::load_from_memory(&bytes).unwrap().to_rgb8(), picture);
    }

    #[test]
    fn names_are_text_and_numbers_stand_at_the_right() {
        let mut rows = Table::new(["<b>", "n"]);
        rows.push(["<script>alert(1)</script>", "12 %"]);
        rows.push(["2nd", "-"]);
        let html = table(&rows);
        assert!(html.contains("<th>&lt;b&gt;</th>") && html.contains("<td>&lt;script&gt;"), "{html}");
        assert!(html.contains("<td class=\"number\">12 %</td>"), "{html}");
        assert!(html.contains("<td>2nd</td><td class=\"number\">-</td>"), "{html}");
    }
}
