//! Columns of a terminal. A Chinese character takes two of them, a combining accent none.

use unicode_width::UnicodeWidthStr;

/// Number of columns of a text of one line.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// Width of the widest of some texts; 0 without texts.
#[must_use]
pub fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> usize {
    texts.into_iter().map(|text| width(text.as_ref())).max().unwrap_or(0)
}

/// The spaces that fill a cell of this width after its text.
#[must_use]
pub fn gap(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        let cells = ["节点", "Podʼи", "a-1"];
        assert_eq!(cells.map(width), [4, 5, 3]);
        let columns = widest(cells);
        assert_eq!(
            cells.map(|cell| width(&format!("{cell}{}", gap(cell, columns)))),
            [5; 3]
        );
    }
}
