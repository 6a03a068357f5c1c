//! Markdown texts as data. Their sentences are translated when the text is copied or printed.

use std::fmt::Write as _;

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

/// A part of a Markdown text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    /// Rows of a table. The first row is the header.
    Table(Vec<Vec<Sentence>>),
    /// Items of a list.
    List(Vec<Sentence>),
    /// A heading with the items below it.
    Section(Sentence, Vec<Sentence>),
    /// A bold sentence that answers the user's question, at the beginning of the text.
    Lead(Sentence),
    /// A sentence that answers the user's question, at the end of the text.
    End(Sentence),
}

/// Formats the blocks as Markdown, in the current language.
#[must_use]
pub fn print(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        let _ = match block {
            Block::Table(rows) => write_markdown_table(&mut out, rows),
            Block::List(items) => write_markdown_list(&mut out, items),
            Block::Section(title, items) => {
                let _ = write!(out, "**{title}**\n\n");
                write_markdown_list(&mut out, items).and_then(|()| writeln!(out))
            }
            Block::Lead(sentence) => write!(out, "**{sentence}**\n\n"),
            Block::End(sentence) => write!(out, "\n{sentence}\n"),
        };
    }
    out
}

fn write_markdown_table(out: &mut String, rows: &[Vec<Sentence>]) -> std::fmt::Result {
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| escape_cell(&cell.to_string())).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
        if at == 0 {
            writeln!(out, "|{}", "---|".repeat(row.len()))?;
        }
    }
    writeln!(out)
}

fn write_markdown_list(out: &mut String, items: &[Sentence]) -> std::fmt::Result {
    items.iter().try_for_each(|item| writeln!(out, "- {item}"))
}

/// Escapes a text for a table cell.
#[must_use]
pub fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_printed_as_markdown() {
        let row = |cells: [&str; 2]| cells.map(Sentence::from).to_vec();
        let items = vec![Sentence::from("one"), Sentence::from("two")];
        let blocks = [
            Block::Lead("It fits.".into()),
            Block::Table(vec![row(["Pod", "To"]), row(["`a`", "none: a|b"])]),
            Block::Section("Elsewhere".into(), items.clone()),
            Block::List(items),
            Block::End("2 placed.".into()),
        ];
        let expected = "**It fits.**\n\n| Pod | To |\n|---|---|\n| `a` | none: a\\|b |\n\n\
            **Elsewhere**\n\n- one\n- two\n\n- one\n- two\n\n2 placed.\n";
        assert_eq!(print(&blocks), expected);
    }
}
