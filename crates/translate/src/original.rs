//! The English texts to translate: lessons, headings of lesson groups, practice families, titles and the glossary.

use podscope_api::{Data, Tree};
use podscope_protocol::glossary::GLOSSARY;
use podscope_protocol::is_command_hint;
use podscope_protocol::template::{hide_variables, show_variables, variables};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the file with the headings of lesson groups.
const GROUP_HEADINGS_FILE: &str = "groups";

/// Name of the file with the glossary.
const GLOSSARY_FILE: &str = "glossary";

/// Name of the file with the titles, rules and task texts of practice families.
const PRACTICE_FILE: &str = "practice";

/// Name of the file with the titles of sessions and courses.
const TITLES_FILE: &str = "titles";

/// Path of the folder of practice families, relative to the folder of lessons.
const PRACTICE_FAMILIES_FOLDER: &str = "../practice";
/// Path of the built-in courses, relative to the folder of lessons.
const COURSES_FOLDER: &str = "../../course/courses";
/// Paths of scenarios that are translated although they are not lessons, relative to the folder of lessons.
const SESSION_FILES: [&str; 2] = ["../src/welcome.yaml", "../src/free.yaml"];

/// Annotations of a lesson whose values are translated.
const TRANSLATED_ANNOTATIONS: [&str; 3] = ["summary", "rule", "variation"];

/// The English texts for one file of translations, for example those of a lesson or of the glossary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Original {
    pub(crate) name: String,
    /// Key and English text, in the order of the original. A key is a path in the lesson's `spec`, the name of an
    /// annotation without its prefix, the English heading, or the term.
    pub(crate) texts: Vec<(String, String)>,
}

/// Returns the files and folders with originals outside the folder of lessons.
pub(crate) fn originals_outside_lessons(lessons: &Path) -> impl Iterator<Item = PathBuf> {
    let paths = [PRACTICE_FAMILIES_FOLDER, COURSES_FOLDER]
        .into_iter()
        .chain(SESSION_FILES);
    paths.map(|path| lessons.join(path))
}

/// Reads all originals: lessons in the order of the course, then headings, practice families, titles and glossary.
pub(crate) fn all(lessons: &Path) -> Result<Vec<Original>, String> {
    let mut found = Vec::new();
    for file in yaml_files(lessons)? {
        let read = parse_lesson(&file_stem(&file), &read_text(&file)?);
        found.push(read.ok_or_else(|| format!("{}: no Scenario", file.display()))?);
    }
    found.sort_by(|(one, a, _), (other, b, _)| (one, &a.name).cmp(&(other, &b.name)));
    let mut groups: Vec<(String, String)> = Vec::new();
    for (_, _, group) in &found {
        if groups.iter().all(|(known, _)| known != group) {
            groups.push((group.clone(), group.clone()));
        }
    }
    let mut families = KeyedTexts::default();
    for file in yaml_files(&lessons.join(PRACTICE_FAMILIES_FOLDER))? {
        let (name, text) = (file_stem(&file), read_text(&file)?);
        families.add_spec_fields(&name, &text, &["title", "rule"]);
        families.add_tasks(&name, &text);
    }
    let mut titles = KeyedTexts::default();
    let sessions = SESSION_FILES.iter().map(|path| lessons.join(path));
    for file in sessions.chain(yaml_files(&lessons.join(COURSES_FOLDER))?) {
        titles.add_spec_fields(&file_stem(&file), &read_text(&file)?, &["title"]);
    }
    let terms = GLOSSARY
        .iter()
        .map(|(term, definition)| ((*term).to_owned(), (*definition).to_owned()));
    let shared = [
        (GROUP_HEADINGS_FILE, groups),
        (PRACTICE_FILE, families.0),
        (TITLES_FILE, titles.0),
        (GLOSSARY_FILE, terms.collect()),
    ];
    let shared = shared.map(|(name, texts)| Original {
        name: name.to_owned(),
        texts,
    });
    Ok(found.into_iter().map(|(_, lesson, _)| lesson).chain(shared).collect())
}

/// Returns the YAML files of a folder, sorted by name.
fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    files.sort();
    Ok(files)
}

fn file_stem(file: &Path) -> String {
    file.file_stem()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn read_text(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Parses a lesson: returns its position in the course, its texts, and the heading of its group.
fn parse_lesson(name: &str, text: &str) -> Option<(u32, Original, String)> {
    let parsed = podscope_api::parse(text);
    let mut scenarios = parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario");
    let tree = &scenarios.next()?.value.tree;
    let annotations = tree.get("metadata")?.get("annotations")?;
    let annotation = |key: &str| annotations.get(&format!("podscope.dev/{key}")).and_then(Tree::as_str);
    let spec = tree.get("spec")?;
    let mut texts = KeyedTexts::default();
    texts.add("title", spec.get("title"));
    for key in TRANSLATED_ANNOTATIONS {
        texts.add(key, annotations.get(&format!("podscope.dev/{key}")));
    }
    for (index, step) in sequence_elements(spec.get("steps")).iter().enumerate() {
        texts.add_step(&format!("steps[{index}]"), step);
    }
    let original = Original {
        name: name.to_owned(),
        texts: texts.0,
    };
    let order = annotation("order")?.parse().ok()?;
    Some((order, original, annotation("group")?.to_owned()))
}

/// English texts with their keys, in the order in which they were added.
#[derive(Default)]
struct KeyedTexts(Vec<(String, String)>);

impl KeyedTexts {
    fn add(&mut self, key: &str, value: Option<&Tree<'_>>) {
        let text = value.and_then(Tree::as_str).map_or("", str::trim);
        if !text.is_empty() {
            self.0.push((key.to_owned(), text.to_owned()));
        }
    }

    /// Adds the given fields of the `spec` of the first Podscope document in `text`.
    fn add_spec_fields(&mut self, name: &str, text: &str, fields: &[&str]) {
        let parsed = podscope_api::parse(text);
        let spec = parsed.configs.first().and_then(|config| config.value.tree.get("spec"));
        for field in fields {
            self.add(&format!("{name}.{field}"), spec.and_then(|spec| spec.get(field)));
        }
    }

    /// Adds the task texts of a practice family: the texts of its scenario's steps, with variables, and the values of
    /// these variables that contain words. A text that an earlier family has is not added again.
    fn add_tasks(&mut self, name: &str, text: &str) {
        let parsed = podscope_api::parse(text);
        let spec = parsed.configs.first().and_then(|config| config.value.tree.get("spec"));
        let of_spec = |field: &str| spec.and_then(|spec| spec.get(field));
        let scenario = hide_variables(of_spec("scenario").and_then(Tree::as_str).unwrap_or_default());
        let parsed = podscope_api::parse(&scenario);
        let scenarios = parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario");
        let mut of_steps = Self::default();
        for spec in scenarios.filter_map(|scenario| scenario.value.tree.get("spec")) {
            for (index, step) in sequence_elements(spec.get("steps")).iter().enumerate() {
                of_steps.add_step(&format!("{name}.steps[{index}]"), step);
            }
        }
        let shown = of_steps.0.into_iter().map(|(key, text)| (key, show_variables(&text)));
        let shown: Vec<(String, String)> = shown.collect();
        let used: BTreeSet<&str> = shown.iter().flat_map(|(_, text)| variables(text)).collect();
        let mut words = Self::default();
        for (at, axis) in sequence_elements(of_spec("axes")).iter().enumerate() {
            for (alternative, fields) in sequence_elements(Some(axis)).iter().enumerate() {
                let path = format!("{name}.axes[{at}][{alternative}]");
                for variable in &used {
                    let is_words = |value: &&Tree<'_>| value.as_str().is_some_and(|text| text.trim().contains(' '));
                    words.add(&format!("{path}.{variable}"), fields.get(variable).filter(is_words));
                }
            }
        }
        for (key, text) in words.0.into_iter().chain(shown.iter().cloned()) {
            if self.0.iter().all(|(_, known)| *known != text) {
                self.0.push((key, text));
            }
        }
    }

    /// Adds the texts of a step of a lesson: its text, question, goals, mistakes and hints.
    fn add_step(&mut self, path: &str, step: &Tree<'_>) {
        self.add(&format!("{path}.text"), step.get("text"));
        if let Some(question) = step.get("predict") {
            self.add_question(&format!("{path}.predict"), question);
        }
        for key in ["goal", "keep", "mistakes"] {
            match step.get(key).map(|value| (&value.data, value)) {
                Some((Data::Seq(list), _)) => {
                    for (index, one) in list.iter().enumerate() {
                        self.add(&format!("{path}.{key}[{index}].say"), one.get("say"));
                    }
                }
                Some((_, one)) => self.add(&format!("{path}.{key}.say"), one.get("say")),
                None => {}
            }
        }
        for (index, hint) in sequence_elements(step.get("hints")).iter().enumerate() {
            let is_command = hint.as_str().is_some_and(is_command_hint);
            self.add(&format!("{path}.hints[{index}]"), Some(hint).filter(|_| !is_command));
        }
    }

    /// Adds the texts of a prediction question: the question, options that are words, and explanations.
    fn add_question(&mut self, path: &str, question: &Tree<'_>) {
        self.add(&format!("{path}.ask"), question.get("ask"));
        for (index, option) in sequence_elements(question.get("options")).iter().enumerate() {
            // The only option that is a word is `none`. All others are field values, names, numbers or durations, which
            // are not translated.
            let is_word = option.as_str() == Some("none");
            self.add(&format!("{path}.options[{index}]"), Some(option).filter(|_| is_word));
        }
        match question.get("why").map(|why| (&why.data, why)) {
            Some((Data::Map(answers), _)) => {
                for answer in answers {
                    self.add(&format!("{path}.why[\"{}\"]", answer.key), Some(&answer.value));
                }
            }
            Some((_, why)) => self.add(&format!("{path}.why"), Some(why)),
            None => {}
        }
    }
}

/// Returns the elements of a YAML sequence; none if the value is absent or no sequence.
fn sequence_elements<'a, 't>(value: Option<&'a Tree<'t>>) -> &'a [Tree<'t>] {
    match value.map(|value| &value.data) {
        Some(Data::Seq(items)) => items,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Practice
metadata: {name: x}
spec:
  axes:
  - - {n: "3", command: "kubectl cordon a-1", words: "One is cordoned. "}
    - {n: "4", command: "kubectl get nodes", words: ""}
  scenario: |
    apiVersion: podscope.dev/v1alpha1
    kind: Scenario
    spec:
      cluster: {zones: [a], nodesPerZone: ${n}}
      timeline: [{at: 0s, run: "${command}"}]
      steps:
      - text: |
          ${n} nodes. ${words}A pod waits.
        predict: {ask: "How many of ${n}?", options: ["${n}"], why: {else: "Count."}}
"#;

    #[test]
    fn practice_task_texts_include_variables_and_their_words() {
        let mut texts = KeyedTexts::default();
        texts.add_tasks("x", FAMILY);
        texts.add_tasks("y", FAMILY);
        let found: Vec<(&str, &str)> = (texts.0.iter()).map(|(key, text)| (&**key, &**text)).collect();
        let want = [
            ("x.axes[0][0].words", "One is cordoned."),
            ("x.steps[0].text", "${n} nodes. ${words}A pod waits."),
            ("x.steps[0].predict.ask", "How many of ${n}?"),
            ("x.steps[0].predict.why[\"else\"]", "Count."),
        ];
        assert_eq!(found, want);
    }
}
