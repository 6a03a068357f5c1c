//! What makes a scenario a lesson: steps with what is asked, what is to be reached and kept, hints, answers to
//! mistakes. Every problem of a file is told at once, in words for who writes lessons.

use std::borrow::Cow;

use podscope_api::ordered;

use podscope_api::{FieldError, Kind, ObjectKey, ProblemKind, Tree, Wanted};
use podscope_cluster::{SimTime, Span};
use serde_json::Value;

use super::counted_requests::CountedRequests;
use super::document::{ExpectDocument, MistakeDocument, PredictDocument, StepDocument};
use super::expect::{self, Bad, Check, Condition, Test, Timing};
use super::{Reader, join};
use podscope_kubectl::Path;
use podscope_kubectl::command::{Command, Get};
use podscope_kubectl::duration::parse_duration;

/// A step of a story.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Markdown.
    pub text: String,
    /// What must hold before it shows; none: nothing but the goals of the steps before.
    pub when: Option<Condition>,
    /// What is highlighted.
    pub highlight: Vec<String>,
    /// What its button runs.
    pub try_command: Option<Command>,
    /// What is asked before it happens.
    pub predict: Option<Predict>,
    /// What the editor begins with; `___` marks a gap.
    pub manifest: Option<String>,
    /// Hints, the first the least telling.
    pub hints: Vec<String>,
    /// What is to be reached.
    pub goals: Vec<Condition>,
    /// What must hold from the step's showing to the end.
    pub keeps: Vec<Condition>,
    /// What is said to mistakes.
    pub mistakes: Vec<Mistake>,
}

/// A question about what will happen.
#[derive(Debug, Clone, PartialEq)]
pub struct Predict {
    /// The question.
    pub ask: String,
    /// Answers to choose from; none where a node or pod is clicked.
    pub options: Vec<String>,
    /// Where the run has the answer.
    pub about: About,
    /// What is said to an answer; `else` to every other wrong one.
    pub why: ordered::Map<String, String>,
}

/// What a question lets count.
#[derive(Debug, Clone, PartialEq)]
pub enum Counted {
    /// Objects, as `kubectl get` would select them.
    Objects(Box<Get>),
    /// Requests so far.
    Requests(CountedRequests),
}

/// Where the run has the answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum About {
    /// A field of an object, once it is there.
    Field {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        /// JSONPath.
        path: Path,
        /// Not before this instant.
        at: Option<SimTime>,
    },
    /// How many there are of something.
    Count {
        of: Counted,
        /// At this instant; none: when the story goes on.
        at: Option<SimTime>,
    },
    /// How long after the step's showing this holds.
    Time(Box<Condition>),
}

/// A mistake, and what is said to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// How it is known: all of this holds at one instant.
    pub when: Vec<Condition>,
    /// What is said.
    pub say: String,
}

impl Predict {
    /// The option that a value of the run means: the same text, or of times the nearest, if it is within a second or
    /// a twentieth; within a quarter if every other option is three times as far.
    pub fn option_of(&self, value: &str) -> Option<&str> {
        let About::Time(_) = self.about else {
            return self.options.iter().map(String::as_str).find(|option| *option == value);
        };
        let real = parse_duration(value).ok()?;
        let far = |option: &&String| parse_duration(option).map_or(i64::MAX, |span| (span.0 - real.0).abs());
        let nearest = self.options.iter().min_by_key(far)?;
        let near = Span::seconds(1).0.max(real.0 / 20);
        let others = self.options.iter().filter(|option| *option != nearest);
        // A round that somebody makes every so often comes sooner or later: what is by far the nearest is meant.
        let is_clear = others.map(|option| far(&option)).min() >= Some(far(&nearest).saturating_mul(3));
        (far(&nearest) <= near || is_clear && far(&nearest) <= real.0 / 4).then_some(nearest)
    }

    /// Whether an answer is right, the run's value being this one. A time that was pinned may be off by a tenth.
    pub fn is_right(&self, answer: &str, value: &str) -> bool {
        match (&self.about, self.option_of(value)) {
            (About::Time(_), _) if !self.options.iter().any(|option| option == answer) => {
                match (parse_duration(answer), parse_duration(value)) {
                    (Ok(said), Ok(real)) => (said.0 - real.0).abs() <= Span::seconds(1).0.max(real.0 / 10),
                    _ => false,
                }
            }
            (About::Time(_), option) => option == Some(answer),
            _ => answer == value,
        }
    }
}

impl Step {
    /// Every condition of it.
    fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let asked = self.predict.as_ref().and_then(|ask| match &ask.about {
            About::Time(until) => Some(&**until),
            About::Field { .. } | About::Count { .. } => None,
        });
        let mistakes = self.mistakes.iter().flat_map(|mistake| &mistake.when);
        let own = self.when.iter().chain(&self.goals).chain(&self.keeps);
        own.chain(mistakes).chain(asked)
    }

    /// Whether requests are counted for it.
    pub(crate) fn counts_requests(&self) -> bool {
        self.conditions()
            .any(|condition| matches!(condition.check, Some(Check::Requests { .. })))
    }
}

/// What a condition as it is written wants; none if it is no condition.
pub(crate) fn wanted(value: &Value) -> Option<podscope_protocol::Wanted> {
    let (document, errors): (ExpectDocument, _) = podscope_api::decode_what_fits(&Tree::from_value(value), true);
    let condition = expect::condition(&document).ok().filter(|_| errors.is_empty());
    condition.map(|condition| condition.wanted)
}

/// What is wrong with a value, for who writes a lesson: no names of Go's types.
pub(super) fn in_plain_words(error: &FieldError) -> (ProblemKind, String) {
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
    let wanted = match mismatch.wanted {
        Wanted::Text => "a text: put it into quotes",
        Wanted::Number => "a number",
        Wanted::Bool => "true or false",
        Wanted::List => "a list: one `- ` before each item",
        Wanted::Fields => "fields with values, `name: value`",
    };
    // That says it all.
    (ProblemKind::Other, format!("this is {found}, and must be {wanted}"))
}

/// A text of a lesson as it is shown: hidden characters are written out, so that a hint runs as it reads.
fn shown(text: String) -> String {
    match podscope_api::visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(visible) => visible,
    }
}

impl Reader {
    pub(super) fn step(&mut self, file: &str, tree: &Tree<'_>, path: &str, step: StepDocument) -> Step {
        if step.text.trim().is_empty() {
            self.problem(file, tree, &format!("{path}.text"), "a step needs a text");
        }
        let try_command = (step.try_command).and_then(|text| self.line(file, tree, &format!("{path}.try"), &text));
        Step {
            when: step
                .when
                .and_then(|document| self.condition(file, tree, &format!("{path}.when"), &document)),
            predict: step
                .predict
                .and_then(|document| self.predict(file, tree, &format!("{path}.predict"), document)),
            goals: self.conditions(file, tree, &format!("{path}.goal"), &step.goal),
            keeps: self.conditions(file, tree, &format!("{path}.keep"), &step.keep),
            mistakes: self.mistakes(file, tree, &format!("{path}.mistakes"), step.mistakes),
            text: shown(step.text),
            highlight: step.highlight,
            try_command,
            manifest: step.manifest,
            hints: step.hints.into_iter().map(shown).collect(),
        }
    }

    fn condition(&mut self, file: &str, tree: &Tree<'_>, path: &str, document: &ExpectDocument) -> Option<Condition> {
        match expect::condition(document) {
            Ok(condition) => Some(condition),
            Err(Bad { field, message, kind }) => {
                self.problem_of(kind, file, tree, &join(path, &field), message);
                None
            }
        }
    }

    /// One condition or a list of them.
    fn conditions(&mut self, file: &str, tree: &Tree<'_>, path: &str, value: &Value) -> Vec<Condition> {
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
            let (document, errors): (ExpectDocument, _) =
                podscope_api::decode_what_fits(&Tree::from_value(value), true);
            let is_read = errors.is_empty();
            for error in errors {
                let path = join(&path, &error.path);
                let (kind, message) = in_plain_words(&error);
                self.problem_of(kind, file, tree, &path, message);
            }
            if is_read {
                conditions.extend(self.condition(file, tree, &path, &document));
            }
        }
        conditions
    }

    fn predict(&mut self, file: &str, tree: &Tree<'_>, path: &str, document: PredictDocument) -> Option<Predict> {
        if document.ask.trim().is_empty() {
            self.problem(file, tree, &format!("{path}.ask"), "a question needs its words");
        }
        let options: Vec<String> = (document.options.iter())
            .map(|value| match value {
                Value::String(text) => shown(text.clone()),
                other => shown(other.to_string()),
            })
            .collect();
        let why: ordered::Map<String, String> = (document.why.into_iter())
            .map(|(option, text)| (shown(option), shown(text)))
            .collect();
        let about = match (&document.is, &document.until) {
            (Some(is), None) => self.about(file, tree, &format!("{path}.is"), is)?,
            (None, Some(until)) => {
                About::Time(Box::new(self.condition(file, tree, &format!("{path}.until"), until)?))
            }
            _ => {
                let message =
                    "give either `is`, what the run answers, or `until`, what ends the time that is asked for";
                self.problem(file, tree, path, message);
                return None;
            }
        };
        for (at, option) in options.iter().enumerate() {
            if let (About::Time(_), Err(why)) = (&about, expect::written_duration(option)) {
                self.problem(file, tree, &format!("{path}.options[{at}]"), why);
            }
        }
        if options.len() == 1 {
            let message = "one option is no choice: give two or more, or none for a click on the picture";
            self.problem(file, tree, &format!("{path}.options"), message);
        }
        let is_place = matches!(&about, About::Field { .. });
        if options.is_empty() && !is_place && !matches!(about, About::Time(_)) {
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
        Some(Predict {
            ask: shown(document.ask),
            options,
            about,
            why,
        })
    }

    fn about(&mut self, file: &str, tree: &Tree<'_>, path: &str, document: &ExpectDocument) -> Option<About> {
        // A count is written without a test: any test makes it a whole condition.
        let mut whole = document.clone();
        if (whole.count.is_some() || whole.requests.is_some()) && whole.equals.is_null() {
            whole.least = Some(0);
        }
        let condition = self.condition(file, tree, path, &whole)?;
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
            }) => Some(About::Field { kind, key, path, at }),
            Some(Check::Count { get, .. }) => Some(About::Count {
                of: Counted::Objects(get),
                at,
            }),
            Some(Check::Requests { counted, .. }) => Some(About::Count {
                of: Counted::Requests(counted),
                at,
            }),
            _ => {
                let message = "give `object` and `path`, `count` or `requests`, and no test: the value is the answer";
                self.problem(file, tree, path, message);
                None
            }
        }
    }

    fn mistakes(&mut self, file: &str, tree: &Tree<'_>, path: &str, documents: Vec<MistakeDocument>) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for (at, document) in documents.into_iter().enumerate() {
            let path = format!("{path}[{at}]");
            if document.say.trim().is_empty() {
                self.problem(file, tree, &format!("{path}.say"), "a mistake needs an answer");
            }
            let path = format!("{path}.when");
            if document.when.is_null() || document.when.as_array().is_some_and(Vec::is_empty) {
                self.problem(file, tree, &path, "a mistake needs a condition to know it by");
            }
            let when = self.conditions(file, tree, &path, &document.when);
            if !when.is_empty() {
                let say = shown(document.say);
                mistakes.push(Mistake { when, say });
            }
        }
        mistakes
    }
}
