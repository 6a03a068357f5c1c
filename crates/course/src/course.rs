//! Reads course files. A course lists lessons and practice tasks, the texts shown before them, whether hints and
//! solutions are available, and for an exam the time limit, the pass mark and the weights.
//!
//! ```yaml
//! apiVersion: podscope.dev/v1alpha1
//! kind: Course
//! metadata: {name: week-1}
//! spec:
//!   title: Scheduling, first week
//!   lessons: [first-pod, {url: lessons/own.yaml}, {inline: "…"}, {practice: which-node, seed: 5, level: 2}]
//!   texts: {first-pod: "Read chapter 1 first."}   # or a list: its first text is shown before the first lesson
//!   hints: true
//!   showMe: false
//!   lang: de
//!   theme: dark
//!   exam: {minutes: 90, pass: 66, weights: {first-pod: 2}}
//! ```

use podscope_api::ordered;
use podscope_api::wire_types;
use podscope_messages::sentence;
use podscope_protocol::Problem;
use podscope_session::{lessons, scenario};
use serde_json::Value;

use crate::family::MAX_LEVEL;
use crate::{parse_document, problem_at_path};

/// Maximum number of lessons in a course.
pub const MAX_LESSONS: usize = 200;

wire_types! {
    struct Document { api_version: String, kind: String, metadata: Metadata, spec: Spec }
    /// The `metadata` of a course file.
    struct Metadata { name: String }
    /// The `spec` of a course file.
    struct Spec {
        title: String,
        lessons: Vec<Value>,
        // A mapping from lesson names to texts, or a list of texts.
        texts: Value,
        hints: Option<bool>,
        show_me: Option<bool>,
        lang: Option<String>,
        theme: Option<String>,
        exam: Option<ExamDocument>,
    }

    /// The `spec.exam` of a course file.
    struct ExamDocument { minutes: u32, pass: u32, weights: ordered::Map<String, u32> }
}

/// A course or an exam: its lessons and tasks in order, and whether hints and solutions are available.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    pub name: String,
    pub title: String,
    pub items: Vec<Item>,
    /// Whether students may open hints.
    pub has_hints: bool,
    /// Whether students may have the solution shown.
    pub has_show_me: bool,
    pub language: Option<String>,
    pub theme: Option<String>,
    pub exam: Option<Exam>,
}

/// A lesson or a task of a course.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub source: ItemSource,
    /// Text that is shown before the item, in Markdown.
    pub text: Option<String>,
    /// Weight of the item in an exam.
    pub weight: u32,
}

/// The lesson or task that an item opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemSource {
    /// A built-in lesson.
    Lesson(String),
    /// A scenario file of the same site.
    Url(String),
    /// The text of a scenario file, which the course file contains.
    Inline(String),
    /// A practice task.
    Practice { family: String, seed: u64, level: u32 },
}

/// Time limit and pass mark of an exam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exam {
    pub minutes: u32,
    /// Pass mark in percent.
    pub pass: u32,
}

impl ItemSource {
    /// Returns the name by which `texts` and `weights` in a course file refer to the item.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Lesson(name) | Self::Url(name) => name,
            Self::Inline(_) => "inline",
            Self::Practice { family, .. } => family,
        }
    }
}

impl ItemSource {
    /// Returns the name by which a handed-in file refers to the item. For a lesson by URL this is its file name without
    /// the extension, because the course does not contain the lesson's title.
    #[must_use]
    pub fn scenario_name(&self) -> String {
        match self {
            Self::Practice { family, .. } => podscope_protocol::practice_run_name(family),
            Self::Lesson(name) => name.clone(),
            Self::Url(path) => file_stem(path).to_owned(),
            Self::Inline(text) => scenario::load(&[("inline".to_owned(), text.clone())])
                .map_or_else(|_| String::new(), |loaded| loaded.title()),
        }
    }
}

/// Returns the last part of a path, without its extension.
pub(crate) fn file_stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".yaml").unwrap_or(file)
}

/// Parses one entry of `lessons` in a course file.
fn parse_item_source(value: &Value) -> Result<ItemSource, String> {
    if let Some(name) = value.as_str() {
        if !lessons::names().any(|known| known == name) {
            return Err(sentence!(refused::no_lesson, name = format!("{name:?}")).english());
        }
        return Ok(ItemSource::Lesson(name.to_owned()));
    }
    let form = "an item is a lesson's name, {url: PATH}, {inline: SCENARIO} or {practice: NAME, seed: N, level: N}";
    let fields = value.as_object().ok_or(form)?;
    let known = ["url", "inline", "practice", "seed", "level"];
    if let Some(unknown) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("unknown field {unknown:?}: {form}"));
    }
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    match (text("url"), text("inline"), text("practice")) {
        (Some(url), None, None) => {
            let is_of_site = !url.contains("://") && !url.starts_with("//") && !url.contains("..");
            is_of_site
                .then_some(ItemSource::Url(url))
                .ok_or("url: only files of the same site are opened".to_owned())
        }
        (None, Some(text), None) => {
            let loaded = scenario::load(&[("inline".to_owned(), text.clone())]);
            match loaded {
                Ok(_) => Ok(ItemSource::Inline(text)),
                Err(problems) => Err(problems.first().map_or_else(String::new, ToString::to_string)),
            }
        }
        (None, None, Some(family)) => {
            if crate::family_text(&family).is_none() {
                return Err(format!("there is no practice family {family:?}"));
            }
            let number = |key: &str| fields.get(key).map_or(Some(1), Value::as_u64);
            let seed = number("seed").ok_or("seed: it must be a number")?;
            let level = number("level").and_then(|level| u32::try_from(level).ok());
            let level = level.filter(|level| (1..=MAX_LEVEL).contains(level));
            let level = level.ok_or(format!("level: it is 1 to {MAX_LEVEL}"))?;
            Ok(ItemSource::Practice { family, seed, level })
        }
        _ => Err(form.to_owned()),
    }
}

impl Course {
    /// Reads a course from the text of its file.
    ///
    /// # Errors
    /// All problems of the file, with their positions.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let parsed = podscope_api::parse(text);
        let (tree, document, mut problems) = parse_document::<Document>(file, &parsed, "Course")?;
        let at = |path: &str, message: String| problem_at_path(file, tree, path, message);
        let spec = document.spec;
        if spec.title.trim().is_empty() {
            problems.push(at("spec.title", "Required value".to_owned()));
        }
        if spec.lessons.is_empty() || spec.lessons.len() > MAX_LESSONS {
            problems.push(at("spec.lessons", format!("a course has 1 to {MAX_LESSONS} lessons")));
        }
        let mut items = Vec::new();
        for (index, value) in spec.lessons.iter().take(MAX_LESSONS).enumerate() {
            match parse_item_source(value) {
                Ok(source) => items.push(Item {
                    text: text_before_item(&spec.texts, index, source.name()),
                    weight: weight_of_item(spec.exam.as_ref(), source.name()),
                    source,
                }),
                Err(message) => problems.push(at(&format!("spec.lessons[{index}]"), message)),
            }
        }
        let is_named = |name: &str| items.iter().any(|item| item.source.name() == name);
        if let Some(exam) = &spec.exam {
            if exam.minutes == 0 {
                problems.push(at(
                    "spec.exam.minutes",
                    "Required value: an exam has a time limit".to_owned(),
                ));
            }
            if exam.pass > 100 {
                problems.push(at("spec.exam.pass", "it is a number of per cent, 0 to 100".to_owned()));
            }
            let unknown = exam.weights.keys().filter(|name| !is_named(name));
            problems.extend(unknown.map(|name| at("spec.exam.weights", format!("{name:?} is none of the lessons"))));
        }
        if let Some(theme) = spec
            .theme
            .as_deref()
            .filter(|theme| !matches!(*theme, "dark" | "light" | "auto"))
        {
            problems.push(at(
                "spec.theme",
                format!("Unsupported value: {theme:?}: dark, light or auto"),
            ));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            name: document.metadata.name,
            title: spec.title,
            items,
            has_hints: spec.hints.unwrap_or(spec.exam.is_none()),
            has_show_me: spec.show_me.unwrap_or(spec.exam.is_none()),
            language: spec.lang,
            theme: spec.theme,
            exam: spec.exam.map(|exam| Exam {
                minutes: exam.minutes,
                pass: exam.pass,
            }),
        })
    }

    /// Returns the points in percent, from the score of each item (0 to 1), and whether they reach the pass mark.
    #[must_use]
    pub fn percent_and_pass(&self, scores: &[f64]) -> (f64, bool) {
        let total: u32 = self.items.iter().map(|item| item.weight).sum();
        let points: f64 = self
            .items
            .iter()
            .zip(scores)
            .map(|(item, score)| f64::from(item.weight) * score)
            .sum();
        let percent = if total == 0 {
            0.0
        } else {
            100.0 * points / f64::from(total)
        };
        (percent, self.exam.is_none_or(|exam| percent >= f64::from(exam.pass)))
    }
}

/// Returns the text that is shown before an item, if there is one.
fn text_before_item(texts: &Value, index: usize, name: &str) -> Option<String> {
    let text = match texts {
        Value::Array(list) => list.get(index),
        Value::Object(by_name) => by_name.get(name),
        _ => None,
    };
    text.and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
        .map(str::to_owned)
}

/// Returns the weight of an item in an exam; 1 if the exam does not set it.
fn weight_of_item(exam: Option<&ExamDocument>, name: &str) -> u32 {
    exam.and_then(|exam| exam.weights.get(name)).copied().unwrap_or(1)
}
