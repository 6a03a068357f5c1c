//! The two table layouts of kubectl: the padded columns of `get` (KC-004 to KC-008) and the elastic tab stops of
//! `describe` (KC-007).

/// Column widths of a table to which a watch appends rows; they never shrink (KC-006).
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnWidths(Vec<usize>);

impl ColumnWidths {
    /// Lays out rows as `get` does: columns at least 6 wide, padding 3, the last cell unpadded.
    pub(crate) fn lay_out(&mut self, rows: &[Vec<String>]) -> Vec<String> {
        for row in rows {
            for (at, cell) in row.iter().enumerate() {
                let width = (cell.chars().count() + 3).max(6);
                match self.0.get_mut(at) {
                    Some(known) => *known = (*known).max(width),
                    None => self.0.push(width),
                }
            }
        }
        rows.iter()
            .map(|row| {
                let mut line = String::new();
                for (at, cell) in row.iter().enumerate() {
                    line.push_str(cell);
                    if at + 1 < row.len() {
                        pad(&mut line, self.0.get(at).copied().unwrap_or(0), cell);
                    }
                }
                line
            })
            .collect()
    }
}

/// Lays out all rows of a table as `get` does.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    ColumnWidths::default().lay_out(rows)
}

/// Like [`table`], but pads the last cell of each row too (`top`, KC-112).
pub(crate) fn table_padded(rows: &[Vec<String>]) -> Vec<String> {
    let with_tail: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().cloned().chain([String::new()]).collect())
        .collect();
    table(&with_tail)
}

fn pad(line: &mut String, width: usize, cell: &str) {
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
}

/// Formats a table cell: truncates the text at the first line break (KC-005).
pub(crate) fn cell(text: &str) -> String {
    match text.find(['\u{c}', '\n', '\r']) {
        Some(at) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Lines with tabs, aligned as Go's `text/tabwriter` does with padding 2. Cells are aligned within a column block: a
/// run of consecutive lines that have a tab-terminated cell in that column.
#[derive(Debug, Default)]
pub(crate) struct TabbedText {
    text: String,
}

impl TabbedText {
    /// Appends a line, indented by two spaces per level.
    pub(crate) fn line(&mut self, level: usize, text: &str) {
        self.text.extend(std::iter::repeat_n(' ', 2 * level));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Returns the lines with unaligned tabs, as `rollout history` prints a template.
    pub(crate) fn unaligned_lines(self) -> Vec<String> {
        self.text.lines().map(str::to_owned).collect()
    }

    /// Returns the aligned lines.
    pub(crate) fn finish(self) -> Vec<String> {
        let lines: Vec<Vec<&str>> = self.text.lines().map(|line| line.split('\t').collect()).collect();
        let mut widths: Vec<Vec<usize>> = lines
            .iter()
            .map(|cells| vec![0; cells.len().saturating_sub(1)])
            .collect();
        let columns = widths.iter().map(Vec::len).max().unwrap_or(0);
        for column in 0..columns {
            let mut start = 0;
            while start < lines.len() {
                let has_cell = |at: usize| widths.get(at).is_some_and(|cells| cells.len() > column);
                if !has_cell(start) {
                    start += 1;
                    continue;
                }
                let end = (start..lines.len()).find(|at| !has_cell(*at)).unwrap_or(lines.len());
                let width = lines
                    .get(start..end)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|cells| cells.get(column))
                    .map(|cell| cell.chars().count() + 2)
                    .max()
                    .unwrap_or(0);
                for cells in widths.get_mut(start..end).unwrap_or_default() {
                    if let Some(cell) = cells.get_mut(column) {
                        *cell = width;
                    }
                }
                start = end;
            }
        }
        lines
            .iter()
            .zip(&widths)
            .map(|(cells, widths)| {
                let mut line = String::new();
                for (at, cell) in cells.iter().enumerate() {
                    line.push_str(cell);
                    if let Some(width) = widths.get(at) {
                        pad(&mut line, *width, cell);
                    }
                }
                line
            })
            .collect()
    }
}
