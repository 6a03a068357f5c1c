//! The console's state: lines, the history of commands, completions.

use podscope_protocol::{Completion, ConsoleLine, LineKind, Micros, TextKind};

use crate::pure::clock;

/// Maximum number of lines kept; older lines are removed.
const MAX_LINES: usize = 2_000;

/// Maximum number of commands kept in the history, and maximum length of one in bytes: a longer command contains a
/// file.
const MAX_HISTORY: usize = 500;
const MAX_HISTORY_LINE: usize = 64 << 10;

/// Content of the console.
#[derive(Debug, Clone, Default)]
pub(crate) struct Console {
    pub(crate) lines: Vec<ConsoleLine>,
    /// Runs that follow another run in the console, in order: the index of the run's first line, and the run's title.
    runs: Vec<(usize, String)>,
    pub(crate) history: Vec<String>,
    /// The completed line, the byte range to replace, and the choices.
    pub(crate) completions: Option<(String, (usize, usize), Vec<Completion>)>,
    /// The pasted text and its kind.
    pub(crate) recognised: Option<(String, TextKind)>,
}

impl Console {
    /// Appends lines. A line of a command that prints over time, such as a watch, is inserted below its earlier output.
    pub(crate) fn print(&mut self, lines: Vec<ConsoleLine>) {
        for line in lines {
            let place = if line.kind == LineKind::Input {
                None
            } else {
                line.command.and_then(|command| self.index_below_command(command))
            };
            self.lines.insert(place.unwrap_or(self.lines.len()), line);
        }
        let excess = self.lines.len().saturating_sub(MAX_LINES);
        self.lines.drain(..excess);
        // When all lines of earlier runs have been dropped, only the title of the last earlier run is kept.
        let earlier = self.runs.iter().rposition(|(first, _)| *first <= excess).unwrap_or(0);
        self.runs.drain(..earlier);
        for (first, _) in &mut self.runs {
            *first = first.saturating_sub(excess);
        }
    }

    /// Begins the lines of another run. Its title separates them from the lines of the previous run.
    pub(crate) fn begin_run(&mut self, title: &str) {
        if self.lines.is_empty() {
            return;
        }
        self.runs.retain(|(first, _)| *first < self.lines.len());
        self.runs.push((self.lines.len(), title.to_owned()));
    }

    /// Returns the title of the run whose first line has this index.
    pub(crate) fn title_of_run_at(&self, index: usize) -> Option<&str> {
        let run = self.runs.iter().find(|(first, _)| *first == index);
        run.map(|(_, title)| title.as_str())
    }

    /// Returns the index of the first line that belongs to the current run.
    fn start_of_current_run(&self) -> usize {
        self.runs.last().map_or(0, |(first, _)| *first)
    }

    /// Returns the index after the last line of a command of the current run. After a seek back, several commands can
    /// have the same number; then the last of them is meant.
    fn index_below_command(&self, command: u32) -> Option<usize> {
        let last = self.lines.iter().rposition(|line| line.command == Some(command))?;
        (last >= self.start_of_current_run()).then_some(last + 1)
    }

    /// Implements `clear`: removes all lines and keeps the history.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.runs.clear();
    }

    pub(crate) fn remember(&mut self, line: &str) {
        let is_long = line.len() > MAX_HISTORY_LINE;
        if !line.is_empty() && !is_long && self.history.last().is_none_or(|last| last != line) {
            self.history.push(line.to_string());
            let excess = self.history.len().saturating_sub(MAX_HISTORY);
            self.history.drain(..excess);
        }
    }

    /// Returns the instant shown beside a line; empty if it equals the instant of the line above. A line that a command
    /// prints later stands below its command, above later commands. It shows the time since its command (`+25 s`).
    pub(crate) fn time_label(&self, line: &ConsoleLine, above: Option<&ConsoleLine>) -> String {
        let said = clock::instant(line.at);
        let is_new = line.kind == LineKind::Input || above.is_none_or(|above| clock::instant(above.at) != said);
        let is_its_command = |input: &&ConsoleLine| input.kind == LineKind::Input && input.command == line.command;
        let inputs = self.lines.iter().rev().filter(|_| is_new && line.command.is_some());
        match inputs
            .clone()
            .find(is_its_command)
            .filter(|_| line.kind != LineKind::Input)
        {
            Some(input) if line.at > input.at => format!("+{}", clock::countdown(line.at, input.at)),
            _ if is_new => said,
            _ => String::new(),
        }
    }

    /// Returns the results and errors that the console shows for the manifests that were applied last.
    pub(crate) fn apply_answer(&self) -> ApplyAnswer {
        let applies = self.lines.iter().rposition(|line| line.applies);
        let Some(at) = applies.filter(|at| *at >= self.start_of_current_run()) else {
            return ApplyAnswer::default();
        };
        let said = self.lines.iter().skip(at + 1);
        let said = said.take_while(|line| line.kind != LineKind::Input);
        let mut answer = ApplyAnswer::default();
        for line in said {
            match line.kind {
                LineKind::Error => answer.refused.push(line.text.to_string()),
                LineKind::Output => answer.done.push((line.at, line.text.to_string())),
                LineKind::Input | LineKind::Warning | LineKind::Notice => {}
            }
        }
        answer
    }

    /// Returns the last command that the user gave or the engine echoed; if it has a here-document, only its first
    /// line.
    pub(crate) fn last_input(&self) -> Option<String> {
        let last = self.lines.iter().rev().find(|line| line.kind == LineKind::Input)?;
        let words = last.text.plain_text();
        Some(match words.split_once('\n') {
            Some((first, _)) => format!("{first} …"),
            None => words.into_owned(),
        })
    }
}

/// The results and errors of applied manifests, for the editor.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ApplyAnswer {
    pub(crate) refused: Vec<String>,
    /// The result of each applied object, with its instant.
    pub(crate) done: Vec<(Micros, String)>,
}

#[cfg(test)]
mod tests {
    use podscope_protocol::ConsoleText;

    use super::*;

    /// The console keeps a limited number of lines and commands.
    /// Shows: Q-03
    #[test]
    fn console_drops_oldest_lines_and_history_skips_repeats() {
        let mut console = Console::default();
        for nth in 0..3_000 {
            console.print(vec![ConsoleLine {
                text: ConsoleText::Text(nth.to_string()),
                ..line(LineKind::Input, None, "")
            }]);
        }
        assert_eq!(console.lines.len(), MAX_LINES);
        assert_eq!(console.last_input(), Some("2999".into()));
        for line in ["a", "a", "", "b", "apply <<EOF\nkind: Pod\nEOF"] {
            console.remember(line);
        }
        assert_eq!(
            console.history,
            ["a", "b", "apply <<EOF\nkind: Pod\nEOF"],
            "commands with documents are kept"
        );
        console.print(vec![line(
            LineKind::Input,
            None,
            "kubectl apply -f - <<EOF\nkind: Pod\nEOF",
        )]);
        assert_eq!(console.last_input().as_deref(), Some("kubectl apply -f - <<EOF …"));
    }

    /// The title of a run separates its lines from those of the previous run, even if old lines are dropped. A command
    /// is not confused with one of the previous run that has the same number.
    /// Shows: K-01
    #[test]
    fn run_titles_separate_console_lines() {
        use LineKind::{Input, Output};
        let mut console = Console::default();
        console.begin_run("the first run has no title");
        console.print(vec![
            line(Input, Some(1), "kubectl get pods -w"),
            line(Output, Some(1), "a"),
        ]);
        console.begin_run("nothing is printed in it");
        console.begin_run("second");
        console.print(vec![line(Output, Some(1), "of its timeline")]);
        let titles = |console: &Console| -> Vec<(usize, String)> {
            let all = 0..=console.lines.len();
            all.filter_map(|at| Some((at, console.title_of_run_at(at)?.to_owned())))
                .collect()
        };
        assert_eq!(titles(&console), [(2, "second".to_owned())]);
        assert_eq!(console.lines[2].text.plain_text(), "of its timeline");
        console.print((0..MAX_LINES - 1).map(|_| line(Output, None, "")).collect());
        assert_eq!(titles(&console), [(0, "second".to_owned())]);
        console.begin_run("third");
        assert_eq!(
            titles(&console),
            [(0, "second".to_owned()), (MAX_LINES, "third".to_owned())]
        );
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
            // After a seek back another command gets the same number.
            (Input, Some(3), "kubectl cordon a-1"),
            (Output, Some(3), "node/a-1 cordoned"),
        ] {
            console.print(vec![line(kind, command, text)]);
        }
        let texts: Vec<_> = console.lines.iter().map(|line| line.text.plain_text()).collect();
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

    /// The editor shows the lines below the command that applied its text, whether the command was typed or sent by the
    /// editor.
    #[test]
    fn answer_holds_lines_below_the_applying_command() {
        let mut console = Console::default();
        let applies = |text: &str| ConsoleLine {
            applies: true,
            ..line(LineKind::Input, Some(1), text)
        };
        console.print(vec![applies("k apply -n shop -f - <<EOF\nkind: Pod\nEOF")]);
        console.print(vec![line(LineKind::Error, Some(1), "refused")]);
        console.print(vec![line(LineKind::Input, None, "kubectl apply -f - nothing")]);
        console.print(vec![line(LineKind::Error, None, "error: unknown")]);
        assert_eq!(console.apply_answer().refused, ["refused"]);
    }

    /// From top to bottom, absolute instants never decrease.
    /// Shows: K-01
    #[test]
    fn lines_of_a_watch_show_time_since_their_command() {
        let mut console = Console::default();
        let at = |at: i64, of: ConsoleLine| ConsoleLine {
            at: at * 1_000_000,
            ..of
        };
        console.print(vec![at(10, line(LineKind::Input, Some(1), "kubectl get pods -w"))]);
        console.print(vec![at(20, line(LineKind::Input, Some(2), "fault heal a-1"))]);
        console.print(vec![at(35, line(LineKind::Output, Some(1), "web-0"))]);
        let shown: Vec<String> = (console.lines.iter().enumerate())
            .map(|(index, line)| {
                console.time_label(line, index.checked_sub(1).and_then(|index| console.lines.get(index)))
            })
            .collect();
        assert_eq!(shown[1], "+25 s");
        assert!(!shown[0].starts_with('+') && !shown[2].starts_with('+'));
    }
}
