//! The console's memory: lines, the history of what was typed, completions.

use podscope_protocol::{Completion, ConsoleLine, LineKind};

/// Lines kept; older ones go.
const LINES: usize = 2_000;

/// What the console shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Console {
    pub(crate) lines: Vec<ConsoleLine>,
    pub(crate) history: Vec<String>,
    /// The line that was completed, the bytes to replace, the choices.
    pub(crate) completions: Option<(String, (usize, usize), Vec<Completion>)>,
}

impl Console {
    pub(crate) fn print(&mut self, lines: Vec<ConsoleLine>) {
        self.lines.extend(lines);
        let excess = self.lines.len().saturating_sub(LINES);
        self.lines.drain(..excess);
    }

    pub(crate) fn remember(&mut self, line: &str) {
        // A field of one line cannot hold a document: those are the editor's.
        if !line.is_empty() && !line.contains('\n') && self.history.last().is_none_or(|last| last != line) {
            self.history.push(line.to_string());
        }
    }

    /// The last command a person gave, or the engine echoed; of one with a document the first line.
    pub(crate) fn last_input(&self) -> Option<String> {
        let last = self.lines.iter().rev().find(|l| l.kind == LineKind::Input)?;
        Some(match last.text.split_once('\n') {
            Some((first, _)) => format!("{first} …"),
            None => last.text.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// the console does not grow without bound.
    #[test]
    fn old_lines_go_and_repeats_are_remembered_once() {
        let mut console = Console::default();
        for i in 0..3_000 {
            console.print(vec![ConsoleLine {
                text: i.to_string(),
                kind: LineKind::Input,
                at: 0,
            }]);
        }
        assert_eq!(console.lines.len(), LINES);
        assert_eq!(console.last_input(), Some("2999".into()));
        for line in ["a", "a", "", "b", "apply <<EOF\nkind: Pod\nEOF"] {
            console.remember(line);
        }
        assert_eq!(console.history, ["a", "b"]);
        console.print(vec![ConsoleLine {
            text: "kubectl apply -f - <<EOF\nkind: Pod\nEOF".into(),
            kind: LineKind::Input,
            at: 0,
        }]);
        assert_eq!(console.last_input().as_deref(), Some("kubectl apply -f - <<EOF …"));
    }
}
