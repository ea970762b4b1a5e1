//! The one form of HTML pages: their head, style sheet and script, and sortable tables.

use super::table::Table;
use bindpose_core::escape::markup;
use std::fmt::{self, Write as _};

/// Policy that forbids loading anything but images beside the page or in it, whatever names the page contains.
const POLICY: &str =
    "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Style sheet, light or dark as the reader's system.
const STYLE: &str = "\
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
a { color: inherit; }
h2, pre { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; padding: .75rem; border: 1px solid #8886; border-radius: .4rem; }
:focus-visible { outline: 2px solid; outline-offset: 2px; }
figcaption { font-size: .85rem; }
img { border: 1px solid #8886; border-radius: .4rem; }
.finding { font-size: 1.3rem; border-left: .3rem solid #d55e00; padding-left: .8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
.wide td:first-child { white-space: nowrap; }
dl { font-size: .9rem; }
dl.terms { display: grid; grid-template-columns: max-content auto; gap: .2rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; }
dl:not(.terms) dt { margin-top: .8rem; }
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
.triple figure { width: 31%; margin: 0 1% 1rem 0; }
.triple img { width: 100%; }
.poses img { display: none; }
.poses img.shown { display: block; }
svg { width: 100%; max-width: 50rem; min-width: 30rem; height: auto; border-radius: .4rem; }
.scale { display: inline-block; width: 12rem; height: .9rem; vertical-align: middle; }
input[type=range] { width: min(30rem, 100%); }
@media screen and (prefers-color-scheme: dark) { svg { filter: invert(.87) hue-rotate(180deg); } }
@media print {
  body { max-width: none; margin: 0; }
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
  tr, svg, figure { break-inside: avoid; }
}
";

/// Script that sorts tables by the buttons of their headings, and shows the pose that a slider selects.
const SCRIPT: &str = "\
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

/// A page. All methods but [`html`](Self::html) escape their texts.
#[derive(Debug)]
pub struct Page(String);

impl Page {
    /// Starts a page with its heading.
    pub fn new(title: &str) -> Self {
        let title = markup(title);
        Self(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        ))
    }

    /// Adds the result in one sentence.
    pub fn conclude(&mut self, sentence: &str) {
        self.html(format_args!("<p class=\"finding\">{}</p>\n", markup(sentence)));
    }

    /// Adds the heading of a part.
    pub fn heading(&mut self, title: &str) {
        self.html(format_args!("<h2>{}</h2>\n", markup(title)));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.html(format_args!("<p>{}</p>\n", markup(text)));
    }

    /// Adds HTML.
    pub fn html(&mut self, html: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(html);
    }

    /// Adds a table that can be sorted by its columns.
    pub fn table(&mut self, table: &Table) {
        let is_number: Vec<bool> = (0..table.headings.len()).map(|column| table.is_number(column)).collect();
        self.html(format_args!(
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Table by {}\"><table class=\"sortable\">\n<thead><tr>",
            markup(table.headings.first().map_or("", String::as_str))
        ));
        for heading in &table.headings {
            self.html(format_args!("<th scope=\"col\"><button type=\"button\">{}</button></th>", markup(heading)));
        }
        self.0.push_str("</tr></thead>\n<tbody>\n");
        for row in &table.rows {
            self.0.push_str("<tr>");
            for (column, &is_number) in is_number.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let class = match () {
                    () if is_number => " class=\"number\"",
                    () if cell.chars().count() <= SHORT => " class=\"short\"",
                    () => "",
                };
                self.html(format_args!("<td{class}>{}</td>", markup(cell)));
            }
            self.0.push_str("</tr>\n");
        }
        self.0.push_str("</tbody></table></div>\n");
    }

    /// Ends the page.
    pub fn finish(self) -> String {
        self.0 + SCRIPT + "</main>\n</body>\n</html>\n"
    }
}

/// Longest text of a cell that is not broken into lines, in letters.
const SHORT: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_numbers_aligned_right() {
        let mut rows = Table::new(["<b>", "n"]);
        rows.push(["<script>alert(1)</script>", "12 %"]);
        rows.push(["2nd", "-"]);
        let mut page = Page::new("<title>");
        page.conclude("a & b");
        page.table(&rows);
        let html = page.finish();
        for part in [
            "<h1>&lt;title&gt;</h1>",
            "content=\"default-src 'none'; img-src",
            "<p class=\"finding\">a &amp; b</p>",
            ">&lt;b&gt;</button></th>",
            "<td>&lt;script&gt;",
            "<td class=\"number\">12 %</td>",
            "<td class=\"short\">2nd</td><td class=\"number\">-</td>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
    }
}
