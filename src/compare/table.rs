//! Tables formatted as text, Markdown and CSV.

use bindpose_core::escape::markdown;

/// Width of a terminal that nobody resized.
pub const COLUMNS: usize = 80;

/// Rows of cells below headings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// One heading per column.
    pub headings: Vec<String>,
    /// Cells; a row may be shorter than the headings.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(headings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { headings: headings.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Appends a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([self.headings[column].chars().count()]).max().unwrap_or(0)
        };
        (0..self.headings.len()).map(width).collect()
    }

    /// True if a column contains only numbers, or words in place of a number. Such a column is aligned to the right.
    pub(super) fn is_number(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column)).peekable();
        let number = |cell: &String| {
            matches!(cell.as_str(), "-" | "any" | "all")
                || cell.chars().all(|c| matches!(c, '0'..='9' | '.' | '-' | 'e' | '%' | ' '))
        };
        cells.peek().is_some() && cells.all(number)
    }

    fn lines(&self, between: &str, edge: &str, rule: Option<&dyn Fn(usize, bool) -> String>) -> String {
        let widths = self.widths();
        let right: Vec<bool> = (0..widths.len()).map(|column| self.is_number(column)).collect();
        let line = |cells: &[String]| {
            let cells: Vec<String> = widths
                .iter()
                .enumerate()
                .map(|(column, &width)| {
                    let cell = cells.get(column).map_or("", String::as_str);
                    if right[column] { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
                })
                .collect();
            format!("{edge}{}{}", cells.join(between), edge.chars().rev().collect::<String>()).trim_end().to_owned()
                + "\n"
        };
        let mut text = line(&self.headings);
        if let Some(rule) = rule {
            let rules: Vec<String> = widths.iter().zip(&right).map(|(&width, &right)| rule(width, right)).collect();
            text += &format!("|{}|\n", rules.join("|"));
        }
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }

    /// Formats the table as plain text with two spaces between columns.
    pub fn text(&self) -> String {
        self.lines("  ", "", None)
    }

    /// Formats the table as plain text of at most `width` columns: words of the last column continue in further lines.
    pub fn wrapped(&self, width: usize) -> String {
        let (Some(last), widths) = (self.headings.len().checked_sub(1), self.widths()) else { return String::new() };
        let room = width.saturating_sub(widths[..last].iter().map(|width| width + 2).sum());
        let mut table = Self::new(self.headings.clone());
        for row in &self.rows {
            let mut lines = vec![String::new()];
            for word in row.get(last).into_iter().flat_map(|cell| cell.split_whitespace()) {
                match lines.last_mut() {
                    Some(line) if line.is_empty() => word.clone_into(line),
                    Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                        *line += &format!(" {word}")
                    }
                    _ => lines.push(word.to_owned()),
                }
            }
            for (number, line) in lines.into_iter().enumerate() {
                let mut cells = if number == 0 { row[..last.min(row.len())].to_vec() } else { Vec::new() };
                cells.resize(last, String::new());
                table.push(cells.into_iter().chain([line]));
            }
        }
        table.text()
    }

    /// Formats the table as Markdown and escapes the cells.
    pub fn markdown(&self) -> String {
        let escaped = |cells: &Vec<String>| cells.iter().map(|cell| markdown(cell)).collect();
        let table = Self { headings: escaped(&self.headings), rows: self.rows.iter().map(escaped).collect() };
        table.lines(
            " | ",
            "| ",
            Some(&|width, right| if right { format!("{}:", "-".repeat(width + 1)) } else { "-".repeat(width + 2) }),
        )
    }

    /// Formats the table as comma-separated values, quoted where needed.
    pub fn csv(&self) -> String {
        let cell = |cell: &String| {
            if cell.contains(['"', ',', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
        };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.headings).chain(&self.rows).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["method", "ms"]);
        table.push(["cpu", "12.5"]);
        table.push(["a, \"b\"", "3"]);
        table
    }

    #[test]
    fn text_markdown_and_csv() {
        assert_eq!(table().text(), "method    ms\ncpu     12.5\na, \"b\"     3\n");
        assert_eq!(
            table().markdown(),
            "| method           |   ms |\n|------------------|-----:|\n| cpu              | 12.5 |\n| a, &quot;b&quot; |    3 |\n"
        );
        assert_eq!(table().csv(), "method,ms\ncpu,12.5\n\"a, \"\"b\"\"\",3\n");
    }

    #[test]
    fn the_last_column_is_wrapped() {
        let mut table = Table::new(["a", "words"]);
        table.push(["1", "one two three"]);
        table.push(["2"]);
        assert_eq!(table.wrapped(10), "a  words\n1  one two\n   three\n2\n");
    }

    /// Names of joints are arbitrary text.
    #[test]
    fn markdown_escapes_cells() {
        let mut table = Table::new(["joint"]);
        table.push(["<img src=x>|a\\|\u{1b}[1m\nb"]);
        let row = table.markdown().lines().nth(2).unwrap().to_owned();
        assert_eq!(row, "| &lt;img src=x&gt;\\|a\\\\\\|\\\\u001b\\[1m b |");
        assert_eq!(table.text(), "joint\n<img src=x>|a\\|\u{1b}[1m\nb\n");
    }
}
