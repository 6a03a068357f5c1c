//! The Markdown of stories: paragraphs, headings, lists, code, emphasis, strong, code spans. The result is a tree of
//! texts, so no text of a scenario ever becomes markup (Q-04). Links and images are not supported: they stay plain
//! text.

use podscope_protocol::glossary;

/// A block of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    Heading(Vec<Span>),
    Paragraph(Vec<Span>),
    /// Whether the list is numbered, and its items.
    List(bool, Vec<Vec<Span>>),
    Code(String),
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Span {
    Text(String),
    Emphasis(String),
    Strong(String),
    Code(String),
    /// A term of the glossary, and the words that the text shows for it.
    Term(&'static str, String),
}

/// Parses a story's text.
pub(crate) fn parse(text: &str) -> Vec<Block> {
    let text = podscope_api::visible(text);
    let mut blocks = Vec::new();
    let mut paragraph = String::new();
    let mut lines = text.lines().peekable();
    let flush = |paragraph: &mut String, blocks: &mut Vec<Block>| {
        if !paragraph.is_empty() {
            blocks.push(Block::Paragraph(spans(&std::mem::take(paragraph))));
        }
    };
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            flush(&mut paragraph, &mut blocks);
        } else if let Some(heading) = parse_heading(trimmed) {
            flush(&mut paragraph, &mut blocks);
            blocks.push(Block::Heading(spans(heading)));
        } else if trimmed.starts_with("```") {
            flush(&mut paragraph, &mut blocks);
            let mut code = String::new();
            for line in lines.by_ref() {
                if line.trim().starts_with("```") {
                    break;
                }
                code.push_str(line);
                code.push('\n');
            }
            blocks.push(Block::Code(code.trim_end().to_string()));
        } else if let Some((numbered, first)) = parse_list_item(trimmed) {
            flush(&mut paragraph, &mut blocks);
            let mut items = vec![first.to_string()];
            while let Some(next) = lines.peek() {
                let inner = next.trim();
                match parse_list_item(inner) {
                    Some((_, text)) => items.push(text.to_string()),
                    None if !inner.is_empty() && next.starts_with(' ') => {
                        if let Some(last) = items.last_mut() {
                            last.push(' ');
                            last.push_str(inner);
                        }
                    }
                    None => break,
                }
                lines.next();
            }
            blocks.push(Block::List(numbered, items.iter().map(|item| spans(item)).collect()));
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(trimmed);
        }
    }
    flush(&mut paragraph, &mut blocks);
    blocks
}

fn parse_heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (line.len() - text.len() <= 3 && line.len() != text.len())
        .then(|| text.strip_prefix(' '))
        .flatten()
}

fn parse_list_item(line: &str) -> Option<(bool, &str)> {
    if let Some(text) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some((false, text));
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    (1..=3)
        .contains(&digits)
        .then(|| line[digits..].strip_prefix(". "))
        .flatten()
        .map(|rest| (true, rest))
}

/// Maximum length of `[[term|words]]`, in bytes.
const MAX_TERM_BYTES: usize = 200;

/// Finds the next occurrence of a marker in a line. The result is cached, so that parsing takes time proportional to
/// the length of the line (Q-03).
struct MarkerSearch<'t> {
    line: &'t str,
    marker: &'static str,
    /// Index of the marker's next occurrence, or the line's length if the marker does not occur again. `None`: not
    /// searched yet.
    at: Option<usize>,
}

impl MarkerSearch<'_> {
    fn at_or_after(&mut self, from: usize) -> Option<usize> {
        if self.at.is_none_or(|at| at < from) {
            let found = self.line.get(from..).and_then(|rest| rest.find(self.marker));
            self.at = Some(found.map_or(self.line.len(), |at| from + at));
        }
        self.at.filter(|at| *at < self.line.len())
    }
}

/// Splits a line into spans. A marker without a closing one is text.
pub(crate) fn spans(line: &str) -> Vec<Span> {
    type MakeSpan = fn(String) -> Span;
    const MARKERS: [(&str, MakeSpan); 5] = [
        ("`", Span::Code),
        ("**", Span::Strong),
        ("__", Span::Strong),
        ("*", Span::Emphasis),
        ("_", Span::Emphasis),
    ];
    let mut out = Vec::new();
    let mut plain = String::new();
    let mut rest = line;
    let mut next = MARKERS.map(|(marker, _)| MarkerSearch { line, marker, at: None });
    'next: while let Some(symbol) = rest.chars().next() {
        if symbol == '\\' {
            let mut escaped = rest[1..].chars();
            if let Some(symbol) = escaped.next().filter(char::is_ascii_punctuation) {
                plain.push(symbol);
                rest = escaped.as_str();
                continue;
            }
        }
        if let Some((link, after)) = rest.strip_prefix("[[").and_then(split_term) {
            let (term, words) = link.split_once('|').unwrap_or((link, link));
            if let Some((term, _)) = glossary::find_term(term) {
                if !plain.is_empty() {
                    out.push(Span::Text(std::mem::take(&mut plain)));
                }
                out.push(Span::Term(term, words.to_owned()));
                rest = after;
                continue 'next;
            }
        }
        for ((marker, make), next) in MARKERS.into_iter().zip(&mut next) {
            // An underscore inside a word is part of the word.
            let inside = marker.starts_with('_') && plain.ends_with(|c: char| c.is_alphanumeric());
            let Some(inner) = rest.strip_prefix(marker).filter(|_| !inside) else {
                continue;
            };
            if marker != "`" && inner.starts_with(' ') {
                continue;
            }
            let from = line.len() - inner.len();
            let Some(end) = next.at_or_after(from).map(|at| at - from).filter(|end| *end > 0) else {
                continue;
            };
            if !plain.is_empty() {
                out.push(Span::Text(std::mem::take(&mut plain)));
            }
            out.push(make(inner[..end].to_string()));
            rest = &inner[end + marker.len()..];
            continue 'next;
        }
        plain.push(symbol);
        rest = &rest[symbol.len_utf8()..];
    }
    if !plain.is_empty() {
        out.push(Span::Text(plain));
    }
    out
}

/// Splits a text at the next `]]`, where a term ends.
fn split_term(inner: &str) -> Option<(&str, &str)> {
    let near = inner.get(..inner.floor_char_boundary(MAX_TERM_BYTES)).unwrap_or(inner);
    let end = near.find("]]")?;
    Some((inner.get(..end)?, inner.get(end + 2..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: Q-03. Parsing each of these once took quadratic time: minutes for a megabyte.
    #[test]
    fn long_lines_of_unclosed_markers_parse_in_linear_time() {
        for marker in ["[", "[[", "`x", "* ", "*x", "_x ", "__x ", "**x", "\\"] {
            let line = marker.repeat(1 << 19);
            let read: usize = spans(&line)
                .iter()
                .map(|span| match span {
                    Span::Text(text) | Span::Emphasis(text) | Span::Strong(text) | Span::Code(text) => text.len(),
                    Span::Term(_, words) => words.len(),
                })
                .sum();
            assert!(read > 0 && read <= line.len(), "{marker}");
        }
    }

    fn text_span(content: &str) -> Span {
        Span::Text(content.into())
    }

    #[test]
    fn headings_paragraphs_lists_and_code_are_parsed() {
        let blocks = parse(
            "# Force delete\nThe *name* is\nfree.\n\n- one\n  more\n- `two`\n\n1. a\n2. b\n\n```\nkubectl x\n```",
        );
        assert_eq!(
            blocks,
            vec![
                Block::Heading(vec![text_span("Force delete")]),
                Block::Paragraph(vec![
                    text_span("The "),
                    Span::Emphasis("name".into()),
                    text_span(" is free.")
                ]),
                Block::List(false, vec![vec![text_span("one more")], vec![Span::Code("two".into())]]),
                Block::List(true, vec![vec![text_span("a")], vec![text_span("b")]]),
                Block::Code("kubectl x".into()),
            ]
        );
    }

    /// Hostile text of a scenario stays text.
    /// Shows: Q-04
    #[test]
    fn html_and_links_stay_text() {
        for hostile in [
            "<script>alert(1)</script>",
            "[x](javascript:alert(1))",
            "<img src=x onerror=y>",
        ] {
            assert_eq!(parse(hostile), vec![Block::Paragraph(vec![text_span(hostile)])]);
        }
    }

    #[test]
    fn glossary_terms_are_parsed_and_unknown_ones_stay_text() {
        let spans = spans("its [[grace period]], [[back-off|waits]], [[x]]");
        assert_eq!(spans[1], Span::Term("grace period", "grace period".into()));
        assert_eq!(spans[3], Span::Term("back-off", "waits".into()));
        assert_eq!(spans[4], text_span(", [[x]]"));
    }

    #[test]
    fn unclosed_markers_and_inner_underscores_are_text() {
        assert_eq!(spans("2 * 3 and **open"), vec![text_span("2 * 3 and **open")]);
        assert_eq!(spans("a_b_c"), vec![text_span("a_b_c")]);
        assert_eq!(spans("\\*no\\*"), vec![text_span("*no*")]);
        assert_eq!(spans("**b-1** is"), vec![Span::Strong("b-1".into()), text_span(" is")]);
    }
}
