//! The table of docs/convert.md, "What each format holds", for a terminal.

const PAGE: &str = include_str!("../../../docs/convert.md");
/// Widths of columns: first the content, then each format.
const FIRST: usize = 16;
const OTHERS: usize = 14;

/// Returns the table with its heading. Cells are broken into lines.
pub fn table() -> String {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with("## What each format holds"));
    let rows = rows.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let mut text = "What each format holds:\n".to_owned();
    for row in rows.filter(|row| !row.starts_with("|-")) {
        let cells = row.trim_matches('|').split('|').map(|cell| cell.replace('`', "")).enumerate();
        let cells: Vec<Vec<String>> =
            cells.map(|(column, cell)| broken(&cell, if column == 0 { FIRST } else { OTHERS })).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            text.push('\n');
            let mut end = 0;
            let mut start = 2;
            for (column, cell) in cells.iter().enumerate() {
                if let Some(part) = cell.get(line) {
                    text.push_str(&" ".repeat(start - end));
                    text.push_str(part);
                    end = start + part.chars().count();
                }
                start += 1 + if column == 0 { FIRST } else { OTHERS };
            }
        }
    }
    text
}

/// Breaks a cell into lines no longer than `width`.
fn broken(cell: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in cell.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_terminal() {
        let table = table();
        assert!(table.lines().any(|line| line.starts_with("  up, front ") && line.ends_with("+Y, +Z")), "{table}");
        for line in table.lines() {
            assert!(line.chars().count() <= 2 + FIRST + 5 * (1 + OTHERS), "{line}");
        }
    }
}
