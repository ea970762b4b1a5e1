//! Tables indented by two spaces.

use bindpose_compare::table::Table;

/// Formats rows below headings.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new(heading.iter().copied());
    rows.iter().for_each(|row| table.push(row.iter().map(String::as_str)));
    table.text().lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn numbers_are_aligned_right() {
        let rows = [vec!["body".to_owned(), "5".to_owned()], vec!["a".to_owned(), "12".to_owned()]];
        assert_eq!(table(&["mesh", "tris"], &rows), "  mesh  tris\n  body     5\n  a       12\n");
    }
}
