//! PodTopologySpreadArgs: the default constraints, which apply to pods without constraints (SCH-073, SCH-134, SCH-136).

use std::sync::Arc;

use podscope_api::well_known::label;
use podscope_api::{ProblemKind, TopologySpreadConstraint, UnsatisfiableAction};

use crate::config::{Errors, Fields};

/// The default constraints, which apply to pods without constraints.
#[derive(Debug, Clone, PartialEq)]
pub enum DefaultConstraints {
    /// The built-in soft constraints (SCH-073).
    System(Arc<[TopologySpreadConstraint]>),
    /// The constraints of the configuration.
    List(Arc<[TopologySpreadConstraint]>),
}

impl Default for DefaultConstraints {
    fn default() -> Self {
        Self::System(system_defaults())
    }
}

impl DefaultConstraints {
    pub(super) fn constraints(&self) -> Arc<[TopologySpreadConstraint]> {
        match self {
            Self::System(constraints) | Self::List(constraints) => constraints.clone(),
        }
    }
}

/// Reads the arguments; returns `None` if the built-in constraints apply.
pub(super) fn read(fields: &mut Fields<'_>, errors: &mut Errors) -> Option<DefaultConstraints> {
    let constraints = read_constraints(fields, errors);
    match fields.string("defaultingType", errors).unwrap_or("System") {
        "List" => return Some(DefaultConstraints::List(constraints.into())),
        "System" => {
            if !constraints.is_empty() {
                errors.push_invalid_value(
                    fields.path_of("defaultingType"),
                    "\"System\"",
                    "when .defaultConstraints are not empty",
                );
            }
        }
        other => errors.push_with_kind(
            ProblemKind::Unsupported,
            fields.path_of("defaultingType"),
            format!("Unsupported value: \"{other}\": supported values: \"System\", \"List\""),
        ),
    }
    None
}

/// Returns the built-in default constraints (SCH-073).
fn system_defaults() -> Arc<[TopologySpreadConstraint]> {
    let soft = |key: &str, max_skew| TopologySpreadConstraint {
        max_skew,
        topology_key: key.into(),
        when_unsatisfiable: Some(UnsatisfiableAction::ScheduleAnyway),
        ..TopologySpreadConstraint::default()
    };
    vec![soft(label::HOSTNAME, 3), soft(label::ZONE, 5)].into()
}

fn read_constraints(fields: &mut Fields<'_>, errors: &mut Errors) -> Vec<TopologySpreadConstraint> {
    let base = fields.path_of("defaultConstraints");
    let mut constraints: Vec<TopologySpreadConstraint> = Vec::new();
    for (index, value) in fields
        .list("defaultConstraints", errors)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let at = format!("{base}[{index}]");
        let constraint: TopologySpreadConstraint = match podscope_api::wire::from_value(value) {
            Ok(constraint) => constraint,
            Err(error) => {
                errors.push(at, error);
                continue;
            }
        };
        if constraint.max_skew <= 0 {
            errors.push_invalid_value(
                format!("{at}.maxSkew"),
                constraint.max_skew,
                "not in valid range (0, inf)",
            );
        }
        if constraint.topology_key.is_empty() {
            errors.push_with_kind(
                ProblemKind::Required,
                format!("{at}.topologyKey"),
                "Required value: can not be empty",
            );
        }
        match &constraint.when_unsatisfiable {
            Some(UnsatisfiableAction::DoNotSchedule | UnsatisfiableAction::ScheduleAnyway) => {}
            Some(other) => errors.push_with_kind(
                ProblemKind::Unsupported,
                format!("{at}.whenUnsatisfiable"),
                format!("Unsupported value: \"{other}\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\""),
            ),
            None => errors.push_with_kind(
                ProblemKind::Required,
                format!("{at}.whenUnsatisfiable"),
                "Required value: can not be empty",
            ),
        }
        if constraint.label_selector.is_some() {
            errors.push(
                format!("{at}.labelSelector"),
                "Forbidden: constraint must not define a selector, as they deduced for each pod",
            );
        }
        if constraints.iter().any(|other| {
            other.topology_key == constraint.topology_key && other.when_unsatisfiable == constraint.when_unsatisfiable
        }) {
            errors.push_with_kind(
                ProblemKind::Duplicate,
                &at,
                format!(
                    "Duplicate value: \"{{{}, {}}}\"",
                    constraint.topology_key,
                    constraint
                        .when_unsatisfiable
                        .as_ref()
                        .map_or("", |action| action.as_str())
                ),
            );
        }
        constraints.push(constraint);
    }
    constraints
}
