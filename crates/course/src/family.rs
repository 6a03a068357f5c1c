//! Practice families: reads a file, and chooses random values for its variables.
//!
//! ```yaml
//! apiVersion: podscope.dev/v1alpha1
//! kind: Practice
//! metadata: {name: how-many-fit}
//! spec:
//!   title: How many of them run?
//!   rule: A node takes pods as long as their requests fit into what it has.
//!   axes:                       # one alternative of each is chosen at random
//!   - - {cpu: 500m}
//!     - {cpu: 700m, level: 2}   # from level 2 on; `until: 1` would be: up to level 1
//!   scenario: |                 # a Scenario whose only step asks a question; ${cpu} is a variable. If a text of the
//!                               # step contains a variable, a value with a space is translated like the text
//!     …
//!   pod: default/p              # its scheduling decision explains wrong answers; exactly one node must be feasible
//!   commands: ["kubectl …"]     # instead of a `predict`: the answer is the command that reaches the step's goals
//!   at: 30s                     # time at which the command is run
//! ```

use podscope_api::{Data, Tree, wire_types};
use podscope_cluster::{Rng, Span};
use podscope_kubectl::duration::parse_duration;
use podscope_messages::sentence;
use podscope_protocol::template::{Variable, fill, hide_variables, show_variables, variables};
use podscope_protocol::{FilledTexts, Problem};
use serde_json::Value;

use crate::{parse_document, problem_at_path};

/// The highest level of difficulty. Levels begin with 1.
pub const MAX_LEVEL: u32 = 3;

wire_types! {
    struct Document { api_version: String, kind: String, metadata: Metadata, spec: Spec }
    /// The `metadata` of a practice file.
    struct Metadata { name: String }
    /// The `spec` of a practice file.
    struct Spec {
        title: String,
        rule: String,
        topic: String,
        axes: Vec<Value>,
        scenario: String,
        pod: String,
        commands: Vec<String>,
        at: String,
    }
}

/// One alternative of an axis: variables with the values that are chosen together.
#[derive(Debug, Clone, PartialEq)]
struct AxisAlternative {
    variables: Vec<Variable>,
    /// First and last level at which the alternative can be chosen.
    levels: (u32, u32),
}

/// A practice family: a scenario with variables, from which many similar tasks are generated.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    pub name: String,
    pub title: String,
    /// The rule that a student should remember.
    pub rule: String,
    /// Page of the Kubernetes documentation about the rule.
    pub topic: String,
    axes: Vec<Vec<AxisAlternative>>,
    scenario: String,
    /// `NAMESPACE/NAME` of the pod whose scheduling decision explains wrong answers.
    pub pod: Option<String>,
    pub(crate) commands: Vec<String>,
    /// Simulated time at which the command is run.
    pub(crate) at: Span,
}

impl Family {
    /// Reads a built-in family.
    ///
    /// # Errors
    /// There is no family of this name.
    pub(crate) fn built_in(name: &str) -> Result<Self, Vec<Problem>> {
        let text = crate::family_text(name).ok_or_else(|| {
            vec![Problem::of_file(
                "practice",
                sentence!(refused::no_family, name = format!("{name:?}")),
            )]
        })?;
        Self::read(&format!("{name}.yaml"), text)
    }

    /// Reads a practice family from the text of its file.
    ///
    /// # Errors
    /// All problems of the file, with their positions.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let parsed = podscope_api::parse(text);
        let (tree, document, mut problems) = parse_document::<Document>(file, &parsed, "Practice")?;
        let at = |path: &str, message: String| problem_at_path(file, tree, path, message);
        let spec = document.spec;
        for (field, value) in [
            ("title", &spec.title),
            ("rule", &spec.rule),
            ("scenario", &spec.scenario),
        ] {
            if value.trim().is_empty() {
                problems.push(at(&format!("spec.{field}"), "Required value".to_owned()));
            }
        }
        let mut axes = Vec::new();
        for (index, axis) in spec.axes.iter().enumerate() {
            let path = format!("spec.axes[{index}]");
            match parse_axis(axis) {
                Ok(alternatives) => axes.push(alternatives),
                Err(message) => problems.push(at(&path, message)),
            }
        }
        let given = if spec.at.is_empty() { "30s" } else { &spec.at };
        let given_at = parse_duration(given);
        if given_at.is_err() {
            problems.push(at(
                "spec.at",
                format!("{given:?} is not a time: write it like 90s or 1m30s"),
            ));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            name: document.metadata.name,
            title: spec.title,
            rule: spec.rule,
            topic: spec.topic,
            axes,
            scenario: spec.scenario,
            pod: Some(spec.pod).filter(|pod| !pod.is_empty()),
            commands: spec.commands,
            at: given_at.unwrap_or_default(),
        })
    }

    /// Chooses one random alternative of each axis, of those possible at this level. Returns the chosen values.
    pub(crate) fn choose_values(&self, level: u32, rng: &mut Rng) -> Vec<Variable> {
        let mut values = Vec::new();
        for axis in &self.axes {
            let fits = |one: &&AxisAlternative| (one.levels.0..=one.levels.1).contains(&level);
            let possible: Vec<&AxisAlternative> = axis.iter().filter(fits).collect();
            if let Some(chosen) = possible.get(rng.below(possible.len() as u64) as usize) {
                values.extend(chosen.variables.iter().cloned());
            }
        }
        values
    }

    /// Returns the scenario and the commands with these values in place of the variables.
    pub(crate) fn fill_variables(&self, values: &[Variable]) -> (String, Vec<String>) {
        let commands = self.commands.iter().map(|command| fill(command, values));
        (fill(&self.scenario, values), commands.collect())
    }

    /// Returns the step texts that contain variables, with the values that were filled in.
    pub(crate) fn fill_step_texts(&self, values: Vec<Variable>) -> FilledTexts {
        let hidden = hide_variables(&self.scenario);
        let parsed = podscope_api::parse(&hidden);
        let mut templates = Vec::new();
        for config in parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario") {
            let steps = config.value.tree.get("spec").and_then(|spec| spec.get("steps"));
            steps
                .into_iter()
                .for_each(|steps| collect_templates(steps, &mut templates));
        }
        FilledTexts { templates, values }
    }
}

/// Walks a YAML tree, and appends each text that contains a variable to `into`.
fn collect_templates(tree: &Tree<'_>, into: &mut Vec<String>) {
    match &tree.data {
        Data::Map(fields) => fields.iter().for_each(|field| collect_templates(&field.value, into)),
        Data::Seq(items) => items.iter().for_each(|item| collect_templates(item, into)),
        _ => {
            let template = tree.as_str().map(show_variables);
            into.extend(template.filter(|text| variables(text).next().is_some()));
        }
    }
}

/// Parses an axis: the list of its alternatives.
fn parse_axis(axis: &Value) -> Result<Vec<AxisAlternative>, String> {
    let list = axis.as_array().filter(|list| !list.is_empty());
    let list = list.ok_or("an axis is a list of alternatives, each of them fields with values")?;
    let alternative = |value: &Value| {
        let fields = value
            .as_object()
            .ok_or("an alternative is fields with values, `name: value`")?;
        let level = |name: &str, default: u32| match fields.get(name) {
            None => Ok(default),
            Some(value) => {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                number
                    .filter(|number| (1..=MAX_LEVEL).contains(number))
                    .ok_or(format!("{name} is 1 to {MAX_LEVEL}"))
            }
        };
        let names = fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "level" | "until"));
        let variable = |(name, value): (&String, &Value)| match value {
            Value::String(text) => (name.clone(), text.clone()),
            other => (name.clone(), other.to_string()),
        };
        Ok(AxisAlternative {
            variables: names.map(variable).collect(),
            levels: (level("level", 1)?, level("until", MAX_LEVEL)?),
        })
    };
    list.iter().map(alternative).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_session::scenario;

    /// Shows: E-16
    #[test]
    fn step_text_of_task_is_among_filled_texts_of_family() {
        for name in crate::families() {
            let family = Family::built_in(name).expect("it is valid");
            let values = family.choose_values(2, &mut Rng::split(1, name));
            let texts = family.fill_step_texts(values.clone());
            let filled: Vec<String> = texts.templates.iter().map(|text| fill(text, &texts.values)).collect();
            let loaded =
                scenario::load(&[(format!("{name}.yaml"), family.fill_variables(&values).0)]).expect("it loads");
            let step = &loaded.scenario.steps[0];
            assert!(
                filled.contains(&step.text),
                "{name}: {:?} is none of {filled:?}",
                step.text
            );
        }
    }
}
