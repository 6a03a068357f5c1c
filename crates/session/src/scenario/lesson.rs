//! Lessons: scenarios with steps, questions, goals, promises (conditions that must hold to the end), hints, and
//! explanations of known mistakes. All problems of a file are reported at once, in messages for authors of lessons.

use std::borrow::Cow;

use podscope_api::ordered;

use podscope_api::{ExpectedType, FieldError, Kind, ObjectKey, ProblemKind, Tree};
use podscope_cluster::{SimTime, Span};
use serde_json::Value;

use super::counted_requests::CountedRequests;
use super::document::{ExpectDocument, MistakeDocument, PredictDocument, StepDocument};
use super::expect::{self, Check, Condition, ConditionError, Test, Timing};
use super::{ScenarioReader, join_field_paths};
use podscope_kubectl::Path;
use podscope_kubectl::command::{Command, Get};
use podscope_kubectl::duration::parse_duration;

/// A step of a story.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Text of the step in Markdown.
    pub text: String,
    /// Condition that must hold before the step is shown. In addition, the goals of earlier steps must be reached.
    pub when: Option<Condition>,
    /// Selectors of the objects that the page highlights.
    pub highlight: Vec<String>,
    /// Command that the button of the step runs on the page.
    pub try_command: Option<Command>,
    /// Question that is asked when the step is shown.
    pub predict: Option<PredictionQuestion>,
    /// Initial text of the editor for this step; `___` marks a gap that the reader fills in.
    pub manifest: Option<String>,
    /// Hints for this step, from the vaguest to the most specific.
    pub hints: Vec<String>,
    /// Conditions that the reader must reach in this step.
    pub goals: Vec<Condition>,
    /// Promises: conditions that must hold from this step until the end of the lesson.
    pub keeps: Vec<Condition>,
    /// Known mistakes in this step, with their explanations.
    pub mistakes: Vec<Mistake>,
}

/// A question of a lesson about what will happen.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionQuestion {
    pub ask: String,
    /// Answers to choose from. Empty if the reader answers with a click on a node or pod.
    pub options: Vec<String>,
    /// How the answer is determined from the run.
    pub about: AnswerSource,
    /// Explanations of wrong answers. The key `else` is for all answers without their own explanation.
    pub why: ordered::Map<String, String>,
}

/// What a question asks the reader to count.
#[derive(Debug, Clone, PartialEq)]
pub enum CountSubject {
    /// Kubernetes objects, selected as with `kubectl get`.
    Objects(Box<Get>),
    /// Client requests since t = 0.
    Requests(CountedRequests),
}

/// How the answer to a question is determined from the run.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerSource {
    /// The answer is the value of an object's field, as soon as the field exists.
    Field {
        kind: Kind,
        key: ObjectKey,
        path: Path,
        /// Earliest time at which the field is read. None: as soon as the question is asked.
        at: Option<SimTime>,
    },
    /// The answer is the number of objects or requests.
    Count {
        of: CountSubject,
        /// Time at which the objects or requests are counted. None: when the story continues.
        at: Option<SimTime>,
    },
    /// The answer is the time from showing the step until the condition holds.
    Time(Box<Condition>),
}

/// A mistake that a reader can make, with its explanation.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// The reader has made the mistake if all these conditions hold at the same time.
    pub when: Vec<Condition>,
    /// Explanation of the mistake, which the page shows.
    pub say: String,
}

impl PredictionQuestion {
    /// Returns the answer option that matches the value in the run. A time in the run matches the nearest option if the
    /// two differ by at most one second or 5 %. They may differ by up to 25 % if every other option differs at least
    /// three times as much.
    pub fn option_for_value(&self, value: &str) -> Option<&str> {
        let AnswerSource::Time(_) = self.about else {
            return self.options.iter().map(String::as_str).find(|option| *option == value);
        };
        let real = parse_duration(value).ok()?;
        let distance = |option: &&String| parse_duration(option).map_or(i64::MAX, |span| (span.0 - real.0).abs());
        let nearest = self.options.iter().min_by_key(distance)?;
        let near = Span::seconds(1).0.max(real.0 / 20);
        let others = self.options.iter().filter(|option| *option != nearest);
        // An event of a periodic loop may occur a bit earlier or later. If one option is much nearer than the others,
        // it is the right one.
        let is_by_far_nearest =
            others.map(|option| distance(&option)).min() >= Some(distance(&nearest).saturating_mul(3));
        (distance(&nearest) <= near || is_by_far_nearest && distance(&nearest) <= real.0 / 4).then_some(nearest)
    }

    /// Returns whether the reader's answer is right if the run has this value. A time that the reader selected on the
    /// timeline may differ by 10 %.
    pub fn is_right(&self, answer: &str, value: &str) -> bool {
        match (&self.about, self.option_for_value(value)) {
            (AnswerSource::Time(_), _) if !self.options.iter().any(|option| option == answer) => {
                match (parse_duration(answer), parse_duration(value)) {
                    (Ok(given), Ok(real)) => (given.0 - real.0).abs() <= Span::seconds(1).0.max(real.0 / 10),
                    _ => false,
                }
            }
            (AnswerSource::Time(_), option) => option == Some(answer),
            _ => answer == value,
        }
    }
}

impl Step {
    /// Returns all conditions of the step, including those of its mistakes and its question.
    fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let question = self.predict.as_ref().and_then(|ask| match &ask.about {
            AnswerSource::Time(until) => Some(&**until),
            AnswerSource::Field { .. } | AnswerSource::Count { .. } => None,
        });
        let mistakes = self.mistakes.iter().flat_map(|mistake| &mistake.when);
        let conditions = self.when.iter().chain(&self.goals).chain(&self.keeps);
        conditions.chain(mistakes).chain(question)
    }

    /// Returns whether any condition of the step counts client requests.
    pub(crate) fn counts_requests(&self) -> bool {
        self.conditions()
            .any(|condition| condition.check.as_ref().is_some_and(Check::counts_requests))
    }

    /// Returns the conditions of the step that compare with the time at which the step was shown (`same` and `never`),
    /// always in the same order.
    pub(crate) fn conditions_comparing_with_start(&self) -> impl Iterator<Item = &Condition> {
        let mistakes = self.mistakes.iter().flat_map(|mistake| &mistake.when);
        let conditions = self.goals.iter().chain(&self.keeps).chain(mistakes);
        conditions.filter(|condition| condition.check.as_ref().is_some_and(Check::compares_with_step_start))
    }
}

/// Describes a condition that is given in JSON. None if the condition is invalid.
pub(crate) fn describe_condition(value: &Value) -> Option<podscope_protocol::LessonCondition> {
    let (document, errors): (ExpectDocument, _) = podscope_api::decode_lenient(&Tree::from_value(value), true);
    let condition = expect::read_condition(&document).ok().filter(|_| errors.is_empty());
    condition.map(|condition| condition.description)
}

/// Returns the error message for a value of the wrong type. The message is for authors of lessons, so it does not
/// mention Go types.
pub(super) fn plain_message(error: &FieldError) -> (ProblemKind, String) {
    let Some(mismatch) = &error.mismatch else {
        return (error.kind.clone(), error.message.clone());
    };
    let found = match mismatch.found {
        "string" => "a text",
        "number" => "a number",
        "bool" => "true or false",
        "array" => "a list",
        "null" => "empty",
        _ => "a group of fields",
    };
    let wanted = match mismatch.expected {
        ExpectedType::Text => "a text: put it into quotes",
        ExpectedType::Number => "a number",
        ExpectedType::Bool => "true or false",
        ExpectedType::List => "a list: one `- ` before each item",
        ExpectedType::Fields => "fields with values, `name: value`",
    };
    // The message is complete, so the problem has no kind from which the page would derive an explanation.
    (ProblemKind::Other, format!("this is {found}, and must be {wanted}"))
}

/// Replaces the invisible characters of a text by visible ones, so that the command that a hint shows is exactly the
/// command that it runs.
fn with_visible_characters(text: String) -> String {
    match podscope_api::visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(visible) => visible,
    }
}

impl ScenarioReader {
    pub(super) fn read_step(&mut self, file: &str, tree: &Tree<'_>, path: &str, step: StepDocument) -> Step {
        if step.text.trim().is_empty() {
            self.problem(file, tree, &format!("{path}.text"), "a step needs a text");
        }
        let try_command =
            (step.try_command).and_then(|text| self.read_run_line(file, tree, &format!("{path}.try"), &text));
        Step {
            when: step
                .when
                .and_then(|document| self.read_lone_condition(file, tree, &format!("{path}.when"), &document)),
            predict: step
                .predict
                .and_then(|document| self.read_question(file, tree, &format!("{path}.predict"), document)),
            goals: self.read_conditions(file, tree, &format!("{path}.goal"), &step.goal),
            keeps: self.read_conditions(file, tree, &format!("{path}.keep"), &step.keep),
            mistakes: self.read_mistakes(file, tree, &format!("{path}.mistakes"), step.mistakes),
            text: with_visible_characters(step.text),
            highlight: step.highlight,
            try_command,
            manifest: step.manifest,
            hints: step.hints.into_iter().map(with_visible_characters).collect(),
        }
    }

    fn read_condition(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        path: &str,
        document: &ExpectDocument,
    ) -> Option<Condition> {
        match expect::read_condition(document) {
            Ok(condition) => Some(condition),
            Err(ConditionError { field, message, kind }) => {
                self.problem_of(kind, file, tree, &join_field_paths(path, &field), message);
                None
            }
        }
    }

    /// Reads a condition that is not a goal, promise or mistake. Such a condition cannot be `same` or `never`, which
    /// compare with the start of a step.
    fn read_lone_condition(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        path: &str,
        document: &ExpectDocument,
    ) -> Option<Condition> {
        let condition = self.read_condition(file, tree, path, document)?;
        if condition.check.as_ref().is_some_and(Check::compares_with_step_start) {
            let message = "same and never compare with the start of the step: only goal, keep and mistakes take them";
            self.problem(file, tree, path, message);
            return None;
        }
        Some(condition)
    }

    /// Reads a field whose value is a condition or a list of conditions.
    fn read_conditions(&mut self, file: &str, tree: &Tree<'_>, path: &str, value: &Value) -> Vec<Condition> {
        let one = [(path.to_owned(), value)];
        let all: Vec<(String, &Value)> = match value {
            Value::Null => return Vec::new(),
            Value::Array(list) => (list.iter().enumerate())
                .map(|(at, value)| (format!("{path}[{at}]"), value))
                .collect(),
            _ => one.into(),
        };
        let mut conditions = Vec::new();
        for (path, value) in all {
            let (document, errors): (ExpectDocument, _) = podscope_api::decode_lenient(&Tree::from_value(value), true);
            let is_read = errors.is_empty();
            for error in errors {
                let path = join_field_paths(&path, &error.path);
                let (kind, message) = plain_message(&error);
                self.problem_of(kind, file, tree, &path, message);
            }
            if is_read {
                conditions.extend(self.read_condition(file, tree, &path, &document));
            }
        }
        conditions
    }

    fn read_question(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        path: &str,
        document: PredictDocument,
    ) -> Option<PredictionQuestion> {
        if document.ask.trim().is_empty() {
            self.problem(file, tree, &format!("{path}.ask"), "a question needs its words");
        }
        let options: Vec<String> = (document.options.iter())
            .map(|value| match value {
                Value::String(text) => with_visible_characters(text.clone()),
                other => with_visible_characters(other.to_string()),
            })
            .collect();
        let why: ordered::Map<String, String> = (document.why.into_iter())
            .map(|(option, text)| (with_visible_characters(option), with_visible_characters(text)))
            .collect();
        let about = match (&document.is, &document.until) {
            (Some(is), None) => self.read_answer_source(file, tree, &format!("{path}.is"), is)?,
            (None, Some(until)) => AnswerSource::Time(Box::new(self.read_lone_condition(
                file,
                tree,
                &format!("{path}.until"),
                until,
            )?)),
            _ => {
                let message =
                    "give either `is`, what the run answers, or `until`, what ends the time that is asked for";
                self.problem(file, tree, path, message);
                return None;
            }
        };
        for (index, option) in options.iter().enumerate() {
            if let (AnswerSource::Time(_), Err(why)) = (&about, expect::written_duration(option)) {
                self.problem(file, tree, &format!("{path}.options[{index}]"), why);
            }
        }
        if options.len() == 1 {
            let message = "one option is no choice: give two or more, or none for a click on the picture";
            self.problem(file, tree, &format!("{path}.options"), message);
        }
        let is_place = matches!(&about, AnswerSource::Field { .. });
        if options.is_empty() && !is_place && !matches!(about, AnswerSource::Time(_)) {
            self.problem(
                file,
                tree,
                &format!("{path}.options"),
                "a number needs options to choose from",
            );
        }
        for key in why.keys() {
            if key != "else" && !options.is_empty() && !options.contains(key) {
                let message = format!("{key} is none of the options");
                self.problem(file, tree, &format!("{path}.why"), message);
            }
        }
        Some(PredictionQuestion {
            ask: with_visible_characters(document.ask),
            options,
            about,
            why,
        })
    }

    fn read_answer_source(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        path: &str,
        document: &ExpectDocument,
    ) -> Option<AnswerSource> {
        // A count in a question has no test. A test that always holds is added, so that the count is a valid condition.
        let mut whole = document.clone();
        if (whole.count.is_some() || whole.requests.is_some()) && whole.equals.is_null() {
            whole.least = Some(0);
        }
        let condition = self.read_condition(file, tree, path, &whole)?;
        let at = match condition.timing {
            Some(Timing::At(at)) => Some(at),
            None => None,
            Some(_) => {
                self.problem(file, tree, path, "only `at` may be given here");
                return None;
            }
        };
        match condition.check {
            Some(Check::Object {
                kind,
                key,
                path: Some((path, _)),
                test: Test::Exists(true),
            }) => Some(AnswerSource::Field { kind, key, path, at }),
            Some(Check::Count { get, .. }) => Some(AnswerSource::Count {
                of: CountSubject::Objects(get),
                at,
            }),
            Some(Check::Requests { counted, .. }) => Some(AnswerSource::Count {
                of: CountSubject::Requests(counted),
                at,
            }),
            _ => {
                let message = "give `object` and `path`, `count` or `requests`, and no test: the value is the answer";
                self.problem(file, tree, path, message);
                None
            }
        }
    }

    fn read_mistakes(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        path: &str,
        documents: Vec<MistakeDocument>,
    ) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for (index, document) in documents.into_iter().enumerate() {
            let path = format!("{path}[{index}]");
            if document.say.trim().is_empty() {
                self.problem(file, tree, &format!("{path}.say"), "a mistake needs an answer");
            }
            let path = format!("{path}.when");
            if document.when.is_null() || document.when.as_array().is_some_and(Vec::is_empty) {
                self.problem(file, tree, &path, "a mistake needs a condition to know it by");
            }
            let when = self.read_conditions(file, tree, &path, &document.when);
            if !when.is_empty() {
                let say = with_visible_characters(document.say);
                mistakes.push(Mistake { when, say });
            }
        }
        mistakes
    }
}
