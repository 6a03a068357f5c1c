//! The console's memory: lines, the history of what was typed, completions.

use podscope_protocol::{Completion, ConsoleLine, LineKind, Micros, TextKind};

use crate::pure::clock;

/// Lines kept; older ones go.
const LINES: usize = 2_000;

/// Commands remembered; a longer one than so many bytes is a file's.
const PAST: usize = 500;
const LONG: usize = 64 << 10;

/// What the console shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Console {
    pub(crate) lines: Vec<ConsoleLine>,
    pub(crate) history: Vec<String>,
    /// The line that was completed, the bytes to replace, the choices.
    pub(crate) completions: Option<(String, (usize, usize), Vec<Completion>)>,
    /// The text that was pasted, and what it is.
    pub(crate) recognised: Option<(String, TextKind)>,
}

impl Console {
    /// What a command prints while time runs stands below what it printed before, whatever came between.
    pub(crate) fn print(&mut self, lines: Vec<ConsoleLine>) {
        for line in lines {
            let place = if line.kind == LineKind::Input {
                None
            } else {
                line.command.and_then(|command| self.below(command))
            };
            self.lines.insert(place.unwrap_or(self.lines.len()), line);
        }
        let excess = self.lines.len().saturating_sub(LINES);
        self.lines.drain(..excess);
    }

    /// The place below the last line of a command; a number means the last command that was given with it.
    fn below(&self, command: u32) -> Option<usize> {
        let last = self.lines.iter().rposition(|line| line.command == Some(command))?;
        Some(last + 1)
    }

    /// What `clear` leaves: nothing but the history.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
    }

    pub(crate) fn remember(&mut self, line: &str) {
        let is_long = line.len() > LONG;
        if !line.is_empty() && !is_long && self.history.last().is_none_or(|last| last != line) {
            self.history.push(line.to_string());
            let excess = self.history.len().saturating_sub(PAST);
            self.history.drain(..excess);
        }
    }

    /// When a line came. It is said once: with a command, and where what it prints comes later. What a watch prints
    /// stands below it, above commands of before: there it is told how much later it came.
    pub(crate) fn when(&self, line: &ConsoleLine, above: Option<&ConsoleLine>) -> String {
        let said = clock::instant(line.at);
        let is_new = line.kind == LineKind::Input || above.is_none_or(|above| clock::instant(above.at) != said);
        let is_given = |input: &&ConsoleLine| input.kind == LineKind::Input && input.command == line.command;
        let given = self.lines.iter().rev().filter(|_| is_new && line.command.is_some());
        match given.clone().find(is_given).filter(|_| line.kind != LineKind::Input) {
            Some(input) if line.at > input.at => format!("+{}", clock::left(line.at, input.at)),
            _ if is_new => said,
            _ => String::new(),
        }
    }

    /// What was said to the manifests that were applied last.
    pub(crate) fn answer(&self) -> Answer {
        let Some(at) = self.lines.iter().rposition(|line| line.applies) else {
            return Answer::default();
        };
        let said = self.lines.iter().skip(at + 1);
        let said = said.take_while(|line| line.kind != LineKind::Input);
        let mut answer = Answer::default();
        for line in said {
            match line.kind {
                LineKind::Error => answer.refused.push(line.text.to_string()),
                LineKind::Output => answer.done.push((line.at, line.text.to_string())),
                LineKind::Input | LineKind::Warning | LineKind::Notice => {}
            }
        }
        answer
    }

    /// The last command a person gave, or the engine echoed; of one with a document the first line.
    pub(crate) fn last_input(&self) -> Option<String> {
        let last = self.lines.iter().rev().find(|l| l.kind == LineKind::Input)?;
        let words = last.text.words();
        Some(match words.split_once('\n') {
            Some((first, _)) => format!("{first} …"),
            None => words.into_owned(),
        })
    }
}

/// An answer to manifests.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    pub(crate) refused: Vec<String>,
    /// What became of each object, and when.
    pub(crate) done: Vec<(Micros, String)>,
}

#[cfg(test)]
mod tests {
    use podscope_protocol::Said;

    use super::*;

    /// The console does not grow without bound.
    /// Shows: Q-03
    #[test]
    fn old_lines_go_and_repeats_are_remembered_once() {
        let mut console = Console::default();
        for i in 0..3_000 {
            console.print(vec![ConsoleLine {
                text: Said::Text(i.to_string()),
                ..line(LineKind::Input, None, "")
            }]);
        }
        assert_eq!(console.lines.len(), LINES);
        assert_eq!(console.last_input(), Some("2999".into()));
        for line in ["a", "a", "", "b", "apply <<EOF\nkind: Pod\nEOF"] {
            console.remember(line);
        }
        assert_eq!(
            console.history,
            ["a", "b", "apply <<EOF\nkind: Pod\nEOF"],
            "documents too"
        );
        console.print(vec![line(
            LineKind::Input,
            None,
            "kubectl apply -f - <<EOF\nkind: Pod\nEOF",
        )]);
        assert_eq!(console.last_input().as_deref(), Some("kubectl apply -f - <<EOF …"));
    }

    fn line(kind: LineKind, command: Option<u32>, text: &str) -> ConsoleLine {
        ConsoleLine {
            at: 0,
            kind,
            text: text.into(),
            command,
            applies: false,
        }
    }

    #[test]
    fn lines_of_a_watch_stay_together() {
        use LineKind::{Input, Output};
        let mut console = Console::default();
        for (kind, command, text) in [
            (Input, Some(3), "kubectl get pods -w"),
            (Output, Some(3), "NAME"),
            (Input, None, "kubectl get nodes"),
            (Output, None, "a-1"),
            (Output, Some(3), "web-0"),
            (Output, Some(7), "of a timeline"),
            (Output, Some(3), "web-1"),
            // Time went back, and another command has the number.
            (Input, Some(3), "kubectl cordon a-1"),
            (Output, Some(3), "node/a-1 cordoned"),
        ] {
            console.print(vec![line(kind, command, text)]);
        }
        let texts: Vec<_> = console.lines.iter().map(|line| line.text.words()).collect();
        assert_eq!(
            texts,
            [
                "kubectl get pods -w",
                "NAME",
                "web-0",
                "web-1",
                "kubectl get nodes",
                "a-1",
                "of a timeline",
                "kubectl cordon a-1",
                "node/a-1 cordoned"
            ]
        );
    }

    /// What is told in the editor is what stands below the line that applied it, whatever that line says.
    #[test]
    fn the_editor_is_told_what_answers_the_line_that_applied_its_text() {
        let mut console = Console::default();
        let applies = |text: &str| ConsoleLine {
            applies: true,
            ..line(LineKind::Input, Some(1), text)
        };
        console.print(vec![applies("k apply -n shop -f - <<EOF\nkind: Pod\nEOF")]);
        console.print(vec![line(LineKind::Error, Some(1), "refused")]);
        console.print(vec![line(LineKind::Input, None, "kubectl apply -f - nothing")]);
        console.print(vec![line(LineKind::Error, None, "error: unknown")]);
        assert_eq!(console.answer().refused, ["refused"]);
    }

    /// Read from above, the instants never go back.
    /// Shows: K-01
    #[test]
    fn what_a_watch_prints_is_told_from_its_command_on() {
        let mut console = Console::default();
        let at = |at: i64, of: ConsoleLine| ConsoleLine {
            at: at * 1_000_000,
            ..of
        };
        console.print(vec![at(10, line(LineKind::Input, Some(1), "kubectl get pods -w"))]);
        console.print(vec![at(20, line(LineKind::Input, Some(2), "fault heal a-1"))]);
        console.print(vec![at(35, line(LineKind::Output, Some(1), "web-0"))]);
        let told: Vec<String> = (console.lines.iter().enumerate())
            .map(|(i, line)| console.when(line, i.checked_sub(1).and_then(|i| console.lines.get(i))))
            .collect();
        assert_eq!(told[1], "+25 s");
        assert!(!told[0].starts_with('+') && !told[2].starts_with('+'));
    }
}
