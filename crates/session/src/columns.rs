//! Widths of texts in columns of a terminal. A Chinese character takes two columns, a combining accent none.

use unicode_width::UnicodeWidthStr;

/// Returns the width of a one-line text, in columns.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// Returns the width of the widest text, in columns; 0 without texts.
#[must_use]
pub fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> usize {
    texts.into_iter().map(|text| width(text.as_ref())).max().unwrap_or(0)
}

/// Returns the spaces to the right of a text that fill up a table cell of the given width.
#[must_use]
pub fn cell_padding(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}

/// Formats rows of cells as a text in which the cells of each column are aligned; `between` separates the columns.
#[must_use]
pub fn table<R: AsRef<[String]>>(rows: &[R], between: &str) -> String {
    let n_columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let column = |at: usize| rows.iter().filter_map(move |row| row.as_ref().get(at));
    let widths: Vec<usize> = (0..n_columns).map(|at| widest(column(at))).collect();
    let line = |row: &R| {
        let cells = row.as_ref().iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell}{}", cell_padding(cell, *width)))
            .collect();
        format!("{}\n", cells.join(between).trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_aligns_cells_by_terminal_columns() {
        let rows = [["节点", "x"], ["a", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows, "  "), "节点  x\na\n");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let cells = ["节点", "Podʼи", "a-1"];
        assert_eq!(cells.map(width), [4, 5, 3]);
        let columns = widest(cells);
        assert_eq!(
            cells.map(|cell| width(&format!("{cell}{}", cell_padding(cell, columns)))),
            [5; 3]
        );
    }
}
