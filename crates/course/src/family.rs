//! Practice families: reading a file, and drawing the values of its variables.
//!
//! ```yaml
//! apiVersion: podscope.dev/v1alpha1
//! kind: Practice
//! metadata: {name: how-many-fit}
//! spec:
//!   title: How many of them run?
//!   rule: A node takes pods as long as their requests fit into what it has.
//!   axes:                       # one alternative of each is drawn
//!   - - {cpu: 500m}
//!     - {cpu: 700m, level: 2}   # from level 2 on; `until: 1` would be: up to level 1
//!   scenario: |                 # a Scenario with one step that asks; ${cpu} is a variable
//!     …
//!   pod: default/p              # the scheduler's decision about this pod explains wrong nodes; one node must be feasible
//!   commands: ["kubectl …"]     # instead of a `predict`: which command reaches the goal of the step?
//!   at: 30s                     # when the command is given
//! ```

use podscope_api::wire_types;
use podscope_cluster::{Rng, Span};
use podscope_kubectl::duration::parse_duration;
use podscope_protocol::Problem;
use serde_json::Value;

use crate::{document, problem_at};

/// The highest level of difficulty. Levels begin with 1.
pub const MAX_LEVEL: u32 = 3;

wire_types! {
    struct Document { api_version: String, kind: String, metadata: Metadata, spec: Spec }
    /// `metadata`.
    struct Metadata { name: String }
    /// `spec`.
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

/// A variable and its value.
type Variable = (String, String);

/// Values that are drawn together.
#[derive(Debug, Clone, PartialEq)]
struct Alternative {
    variables: Vec<Variable>,
    /// First and last level at which the alternative is drawn.
    levels: (u32, u32),
}

/// A practice family.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    pub name: String,
    pub title: String,
    /// The rule to remember.
    pub rule: String,
    /// Page of the Kubernetes documentation.
    pub topic: String,
    axes: Vec<Vec<Alternative>>,
    scenario: String,
    /// `NAMESPACE/NAME` of the pod whose scheduling decision explains wrong answers.
    pub pod: Option<String>,
    pub(crate) commands: Vec<String>,
    /// Time at which a command is given.
    pub(crate) at: Span,
}

impl Family {
    /// A built-in family.
    ///
    /// # Errors
    /// There is no family of this name.
    pub(crate) fn built_in(name: &str) -> Result<Self, Vec<Problem>> {
        let text = crate::family_text(name)
            .ok_or_else(|| vec![Problem::of("practice", format!("there is no practice family {name:?}"))])?;
        Self::read(&format!("{name}.yaml"), text)
    }

    /// Reads a family.
    ///
    /// # Errors
    /// All problems of the file, with their positions.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let parsed = podscope_api::parse(text);
        let (tree, document, mut problems) = document::<Document>(file, &parsed, "Practice")?;
        let at = |path: &str, message: String| problem_at(file, tree, path, message);
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
            match alternatives(axis) {
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

    /// Draws the variables and puts them into the texts of the family: the scenario, and the commands.
    pub(crate) fn drawn(&self, level: u32, rng: &mut Rng) -> (String, Vec<String>) {
        let mut variables: Vec<Variable> = Vec::new();
        for axis in &self.axes {
            let fits = |one: &&Alternative| (one.levels.0..=one.levels.1).contains(&level);
            let possible: Vec<&Alternative> = axis.iter().filter(fits).collect();
            if let Some(chosen) = possible.get(rng.below(possible.len() as u64) as usize) {
                variables.extend(chosen.variables.iter().cloned());
            }
        }
        let filled = |text: &str| {
            // From the last axis to the first, because a value may contain variables of earlier axes.
            let replace = |text: String, (name, value): &Variable| text.replace(&format!("${{{name}}}"), value);
            variables.iter().rev().fold(text.to_owned(), replace)
        };
        (
            filled(&self.scenario),
            self.commands.iter().map(|command| filled(command)).collect(),
        )
    }
}

/// Reads the alternatives of an axis.
fn alternatives(axis: &Value) -> Result<Vec<Alternative>, String> {
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
        Ok(Alternative {
            variables: names.map(variable).collect(),
            levels: (level("level", 1)?, level("until", MAX_LEVEL)?),
        })
    };
    list.iter().map(alternative).collect()
}
