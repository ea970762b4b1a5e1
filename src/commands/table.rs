//! Plain text tables: words to the left, numbers to the right, two spaces between columns.

/// Rows of cells under a heading; every row has as many cells as the heading.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heading[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let is_number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let to_right: Vec<bool> = (0..heading.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).all(|cell| cell.is_empty() || is_number(cell)))
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (column, cell) in cells.enumerate() {
            let padding = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            let (before, after) = if to_right[column] { (padding.as_str(), "") } else { ("", padding.as_str()) };
            text += &format!("  {before}{cell}{after}");
        }
        format!("{}\n", text.trim_end())
    };
    let heading = line(&mut heading.iter().copied());
    rows.iter().fold(heading, |text, row| text + &line(&mut row.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn numbers_stand_to_the_right() {
        let rows = [vec!["body".to_owned(), "5".to_owned()], vec!["a".to_owned(), "12".to_owned()]];
        assert_eq!(table(&["mesh", "tris"], &rows), "  mesh  tris\n  body     5\n  a       12\n");
    }
}
