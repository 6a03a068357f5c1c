//! The replayed runs that a class handed in, and the most frequent wrong answer of each question.

use podscope_api::ordered;
use podscope_messages::Sentence;
use podscope_protocol::{GradedRun, Problem};

/// The replayed runs that a class handed in.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Class {
    pub(crate) runs: Vec<GradedRun>,
    /// Problems of files that cannot be read.
    pub(crate) problems: Vec<Problem>,
    /// Number of files whose replay is not finished.
    pub(crate) n_awaited: usize,
}

/// The most frequent wrong answer of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrequentMistake {
    /// Title of the lesson.
    pub(crate) lesson: String,
    pub(crate) ask: String,
    pub(crate) wrong: String,
    /// Number of students with this answer, and number of all answers to the question.
    pub(crate) count: (usize, usize),
    pub(crate) right: String,
}

impl Class {
    /// Adds the runs of a replayed file, or the problems because of which it cannot be read.
    pub(crate) fn add(&mut self, graded: Result<Vec<GradedRun>, Vec<Problem>>) {
        self.n_awaited = self.n_awaited.saturating_sub(1);
        match graded {
            Ok(runs) => self.runs.extend(runs),
            Err(problems) => self.problems.extend(problems),
        }
    }

    /// Returns the most frequent wrong answer of each question, by lesson and question.
    pub(crate) fn frequent_mistakes(&self) -> Vec<FrequentMistake> {
        /// Number of answers, the right answer, and the number of times that each wrong answer was given.
        type AnswerCounts<'r> = (usize, &'r str, ordered::Map<&'r str, usize>);
        let mut questions: ordered::Map<(&str, &str), AnswerCounts<'_>> = ordered::Map::new();
        for run in &self.runs {
            for answer in &run.answers {
                let (Some(given), Some(truth)) = (&answer.given, &answer.truth) else {
                    continue;
                };
                let (n_answers, right, wrong) = questions.entry((&run.title, &answer.ask)).or_default();
                *n_answers += 1;
                *right = truth;
                if !answer.is_right {
                    *wrong.entry(given.as_str()).or_default() += 1;
                }
            }
        }
        let mistake = |((lesson, ask), (n_answers, right, wrong)): ((&str, &str), AnswerCounts<'_>)| {
            let most = wrong.iter().map(|(_, count)| *count).max()?;
            let (first, _) = wrong.into_iter().find(|(_, count)| *count == most)?;
            Some(FrequentMistake {
                lesson: lesson.to_owned(),
                ask: ask.to_owned(),
                wrong: first.to_owned(),
                count: (most, n_answers),
                right: right.to_owned(),
            })
        };
        questions.into_iter().filter_map(mistake).collect()
    }

    /// Formats the runs as a table of comma-separated values.
    pub(crate) fn csv(&self) -> String {
        let cell = |cell: &str| {
            // A spreadsheet would execute text that begins like a formula.
            let quote = if cell.starts_with(['=', '+', '@', '-', '\t']) {
                "'"
            } else {
                ""
            };
            format!("\"{quote}{}\"", cell.replace('"', "\"\""))
        };
        let words = ["yes", "no", "replayed"].map(str::to_owned);
        let mut text = "STUDENT,LESSON,FINISHED,GOALS,ANSWERS,HINTS,SHOWN,MINUTES,CHECK\n".to_owned();
        for run in &self.runs {
            let cells = table_cells_of_run(run, &run.lesson, &words, Sentence::english);
            let cells: Vec<String> = cells.iter().map(|one| cell(one)).collect();
            text.push_str(&format!("{}\n", cells.join(",")));
        }
        text
    }
}

/// Returns the cells of a run: student, lesson (by name or by title), finished, goals, answers, hints, shown solution,
/// minutes, check. `words`: the texts for yes, for no, and for a run without complaints. `complaint` formats a
/// complaint.
pub(crate) fn table_cells_of_run(
    run: &GradedRun,
    lesson: &str,
    [yes, no, replayed]: &[String; 3],
    complaint: fn(&Sentence) -> String,
) -> [String; 9] {
    let yes = |is: bool| if is { yes } else { no }.clone();
    let unknown = || "-".to_owned();
    let right = run.answers.iter().filter(|answer| answer.is_right).count();
    [
        run.student.clone(),
        lesson.to_owned(),
        yes(run.is_finished),
        format!("{}/{}", run.goals.0, run.goals.1),
        format!("{right}/{}", run.answers.len()),
        run.hints.map_or_else(unknown, |hints| hints.to_string()),
        yes(run.is_shown),
        run.minutes.map_or_else(unknown, |minutes| format!("{minutes:.1}")),
        match run.complaints.as_slice() {
            [] => replayed.clone(),
            complaints => complaints.iter().map(complaint).collect::<Vec<_>>().join("; "),
        },
    ]
}

#[cfg(test)]
mod tests {
    use podscope_protocol::GradedAnswer;

    use super::*;

    fn graded_run(student: &str, given: &str) -> GradedRun {
        GradedRun {
            student: student.to_owned(),
            lesson: "first-pod".to_owned(),
            title: "Your first pod".to_owned(),
            is_finished: true,
            goals: (1, 1),
            answers: vec![GradedAnswer {
                ask: "Which node?".to_owned(),
                given: Some(given.to_owned()),
                truth: Some("a-1".to_owned()),
                is_right: given == "a-1",
            }],
            minutes: None,
            hints: Some(1),
            is_shown: false,
            complaints: Vec::new(),
            link: "#s1:x".to_owned(),
        }
    }

    /// Shows: E-13
    #[test]
    fn count_of_most_frequent_wrong_answer_is_out_of_all_answers() {
        let mut class = Class::default();
        class.add(Ok(["b-1", "c-1", "b-1", "a-1"]
            .map(|given| graded_run("Ada", given))
            .to_vec()));
        let mistakes = class.frequent_mistakes();
        assert_eq!(mistakes.len(), 1);
        assert_eq!((mistakes[0].wrong.as_str(), mistakes[0].count), ("b-1", (2, 4)));
        assert_eq!(
            (mistakes[0].right.as_str(), mistakes[0].lesson.as_str()),
            ("a-1", "Your first pod")
        );
    }

    /// Shows: E-13
    #[test]
    fn cells_that_begin_like_a_formula_are_quoted() {
        let mut class = Class::default();
        class.add(Ok(vec![graded_run("=1+1", "a-1")]));
        let csv = class.csv();
        assert_eq!(
            csv.lines().nth(1),
            Some(r#""'=1+1","first-pod","yes","1/1","1/1","1","no","'-","replayed""#)
        );
    }
}
