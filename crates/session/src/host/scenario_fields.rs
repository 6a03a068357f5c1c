//! The fields of a Scenario document, for completion in the editor, from [a table](./scenario.txt). A test compares the
//! table with the fields that the parser of scenarios accepts. In the table, a line `= Struct` begins a struct; every
//! other line is a field with its name, type and description.

use podscope_cluster::{INVARIANTS, Switches};

use crate::scenario::SearchFault;

const FIELD_TABLE: &str = include_str!("scenario.txt");

/// A field of a Scenario document, from a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldRow {
    pub(super) name: &'static str,
    /// Type as in the output of `kubectl explain`.
    pub(super) type_name: &'static str,
    pub(super) description: &'static str,
}

/// Returns the rows of a struct. For a list type, returns the rows of the list's item type.
fn field_rows(type_name: &str) -> impl Iterator<Item = FieldRow> {
    let name = type_name.trim_start_matches("[]");
    let begins = move |line: &&str| line.strip_prefix("= ") == Some(name);
    let inside = FIELD_TABLE.lines().skip_while(move |line| !begins(line)).skip(1);
    let inside = inside.take_while(|line| !line.starts_with('='));
    inside.filter_map(|line| {
        let mut words = line.splitn(3, ' ');
        Some(FieldRow {
            name: words.next()?,
            type_name: words.next()?,
            description: words.next().unwrap_or_default(),
        })
    })
}

/// Returns the type of the field at a path of the Scenario document.
fn type_at(path: &[String]) -> Option<&'static str> {
    path.iter().try_fold("Scenario", |type_name, name| {
        field_rows(type_name)
            .find(|row| row.name == name)
            .map(|row| row.type_name)
    })
}

/// Returns the fields of the struct at a path. For a list, returns the fields of the list's item type.
pub(super) fn fields(path: &[String]) -> impl Iterator<Item = FieldRow> {
    type_at(path).into_iter().flat_map(field_rows)
}

/// Returns the values that the field at a path accepts. Empty if it accepts any value.
pub(super) fn values(path: &[String]) -> Vec<&'static str> {
    let names = || path.iter().map(String::as_str);
    match type_at(path) {
        Some("boolean") => vec!["true", "false"],
        Some("FenceMechanism") => vec!["power", "storage", "network"],
        Some("Expander") => vec!["least-waste", "random"],
        Some("Invariant") => INVARIANTS.iter().map(|invariant| invariant.name).collect(),
        Some(_) if names().eq(["spec", "components", "history"]) => Switches::NAMES.to_vec(),
        Some(_) if names().eq(["spec", "search", "faults"]) => SearchFault::NAMES.to_vec(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::ProblemKind;
    use serde_json::json;

    /// Collects the paths of all fields in the table, with their types.
    fn collect_field_paths(type_name: &'static str, at: &str, all: &mut Vec<(String, &'static str)>) {
        for row in field_rows(type_name) {
            let path = [at, row.name].join(".").trim_start_matches('.').to_owned();
            all.push((path.clone(), row.type_name));
            collect_field_paths(row.type_name, &path, all);
        }
    }

    /// Returns the text of a Scenario that contains only the field at `path`, with a value of the given type.
    fn scenario_with_field(path: &str, type_name: &str) -> String {
        let list = |type_name: &str, value| {
            if type_name.starts_with("[]") {
                json!([value])
            } else {
                value
            }
        };
        let value = match type_name.trim_start_matches("[]") {
            "integer" | "number" => json!(1),
            "boolean" => json!(true),
            "Duration" => json!("10s"),
            "string" | "FenceMechanism" | "Expander" | "Invariant" => json!("x"),
            _ => json!({}),
        };
        let parts: Vec<&str> = path.split('.').collect();
        let mut value = list(type_name, value);
        for (depth, name) in parts.iter().enumerate().rev() {
            let above: Vec<String> = parts.iter().take(depth).map(|&part| part.to_owned()).collect();
            value = list(type_at(&above).unwrap_or_default(), json!({ *name: value }));
            // `bypasses` is the only list of lists.
            if above.last().is_some_and(|last| last == "bypasses") {
                value = json!([value]);
            }
        }
        let fields = value.as_object().cloned().unwrap_or_default();
        let document = json!({"apiVersion": "podscope.dev/v1alpha1", "kind": "Scenario"});
        let mut document = document.as_object().cloned().unwrap_or_default();
        document.extend(
            fields
                .into_iter()
                .filter(|(name, _)| name != "apiVersion" && name != "kind"),
        );
        serde_json::Value::Object(document).to_string()
    }

    #[test]
    fn every_field_in_table_is_accepted_by_parser() {
        let unknown = |path: &str, type_name: &str| -> Vec<String> {
            let files = [("x.yaml".to_owned(), scenario_with_field(path, type_name))];
            let problems = crate::scenario::load(&files).err().unwrap_or_default();
            let unknown = problems
                .into_iter()
                .filter(|problem| problem.kind == ProblemKind::UnknownField);
            unknown
                .map(|problem| format!("{}: {}", problem.path, problem.message))
                .collect()
        };
        let mut all = Vec::new();
        collect_field_paths("Scenario", "", &mut all);
        assert!(all.len() > 150, "{}", all.len());
        for (path, type_name) in &all {
            assert_eq!(unknown(path, type_name), Vec::<String>::new(), "{path}");
        }
        // The parser refuses fields that are not in the table.
        for path in [
            "spec.step",
            "spec.cluster.zone",
            "spec.steps.goals",
            "spec.steps.predict.answer",
            "spec.steps.when.equal",
        ] {
            assert_ne!(unknown(path, "string"), Vec::<String>::new(), "{path}");
        }
    }

    #[test]
    fn every_field_accepted_by_parser_is_in_table() {
        for (type_name, names) in crate::scenario::accepted_fields() {
            let offered: Vec<&str> = field_rows(type_name).map(|row| row.name).collect();
            for name in names {
                assert!(offered.contains(&name.as_str()), "{type_name}: {name}");
            }
        }
    }
}
