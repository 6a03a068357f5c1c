//! Commands that change nodes: `cordon`, `uncordon`, `drain`, `taint` (KC-086 to KC-093, KC-099).

use std::sync::Arc;

use podscope_api::{Kind, LabelSelector, Node, Object, Taint};
use podscope_cluster::client::{ClientCommand, DrainCommand, Write};
use podscope_cluster::{Mutation, Part, Request};

use super::super::selector::LabelQuery;
use super::{Plan, View, find, finish_plan, with_dry_run};
use crate::command::{Drain, DryRun, Output, TaintChange, Target};
use crate::refusals::{Refusal, not_found};

/// Returns the nodes selected by name or label, and a NotFound error for each name that does not exist.
fn find_nodes(
    nodes: &[String],
    selector: Option<&str>,
    view: &View<'_>,
) -> Result<(Vec<Arc<Node>>, Vec<Refusal>), Refusal> {
    let target = Target {
        selector: selector.map(str::to_owned),
        ..Target::of_kind(Kind::Node, nodes.to_vec())
    };
    let found = find(&target, view.objects)?;
    let nodes = found
        .groups
        .into_iter()
        .flat_map(|(_, objects)| objects)
        .filter_map(|object| match object {
            Object::Node(node) => Some(node),
            _ => None,
        })
        .collect();
    let missing = found
        .missing
        .iter()
        .map(|(kind, name)| not_found(*kind, name))
        .collect();
    Ok((nodes, missing))
}

/// Returns the nodes selected by name or label; an error if one does not exist.
fn find_all_nodes(nodes: &[String], selector: Option<&str>, view: &View<'_>) -> Result<Vec<Arc<Node>>, Refusal> {
    let (nodes, missing) = find_nodes(nodes, selector, view)?;
    missing.into_iter().next().map_or(Ok(nodes), Err)
}

/// Plans `cordon` or `uncordon`.
pub(super) fn plan_cordon(
    nodes: &[String],
    selector: Option<&str>,
    cordon: bool,
    dry_run: DryRun,
    view: &View<'_>,
) -> Plan {
    let nodes = match find_all_nodes(nodes, selector, view) {
        Ok(nodes) => nodes,
        Err(message) => return Plan::refuse(message),
    };
    let mut writes = Vec::new();
    let done = if cordon { "cordoned" } else { "uncordoned" };
    for node in nodes {
        let name = &node.metadata.name;
        if node.is_unschedulable() == cordon {
            writes.push(Write::without_request(format!("node/{name} already {done}")));
            continue;
        }
        let request = podscope_cluster::client::cordon_request(&node, cordon, "kubectl-cordon");
        writes.push(Write::new(request, format!("node/{name} {done}")));
    }
    with_dry_run(
        finish_plan(Plan::default(), writes, Vec::new()),
        dry_run,
        &Output::Table,
        view,
    )
}

/// Plans `drain`.
pub(super) fn plan_drain(command: &Drain, view: &View<'_>) -> Plan {
    let nodes = match find_all_nodes(&command.nodes, command.selector.as_deref(), view) {
        Ok(nodes) => nodes,
        Err(message) => return Plan::refuse(message),
    };
    let pod_selector = match command.pod_selector.as_deref().map(LabelQuery::parse) {
        None => None,
        Some(Ok(query)) => Some(query.to_selector()),
        Some(Err(_)) => return Plan::refuse("error: --pod-selector=<pod_selector> must be a valid label selector"),
    };
    let client = ClientCommand::Drain(DrainCommand {
        nodes: nodes.iter().map(|node| node.metadata.name.as_ref().into()).collect(),
        pod_selector: pod_selector.filter(|selector: &LabelSelector| !selector.is_empty()),
        options: command.options.clone(),
    });
    Plan {
        client: Some(client),
        ..Plan::default()
    }
}

/// Returns whether a change refers to a taint: it has the taint's key, and the same effect or none.
fn is_target_of(taint: &Taint, change: &TaintChange) -> bool {
    *taint.key == *change.key && (change.effect.is_empty() || taint.effect.as_str() == change.effect)
}

/// Plans `taint`.
pub(super) fn plan_taint(
    nodes: &[String],
    selector: Option<&str>,
    changes: &[TaintChange],
    overwrite: bool,
    view: &View<'_>,
) -> Plan {
    let mut errors = Vec::new();
    let (nodes, missing) = match find_nodes(nodes, selector, view) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let removes = changes.iter().filter(|change| change.remove).count();
    let done = match (removes, overwrite) {
        (_, true) => "modified",
        (0, _) => "tainted",
        (removes, _) if removes == changes.len() => "untainted",
        _ => "modified",
    };
    let mut writes = Vec::new();
    for node in nodes {
        let name = node.metadata.name.clone();
        let exists = |change: &&TaintChange| node.spec.taints.iter().any(|taint| is_target_of(taint, change));
        let existing: Vec<&str> = changes
            .iter()
            .filter(|change| !change.remove && exists(change))
            .map(|change| change.key.as_str())
            .collect();
        if !overwrite && !existing.is_empty() {
            errors.push(Refusal::kubectl_error(format!(
                "node {name} already has {} taint(s) with same effect(s) and --overwrite is false",
                existing.join(",")
            )));
            continue;
        }
        // Removals are applied in order: a taint that one of them removes no longer exists for the next.
        let mut remaining = node.spec.taints.clone();
        let mut not_found: Vec<&TaintChange> = Vec::new();
        for change in changes.iter().filter(|change| change.remove) {
            let before = remaining.len();
            remaining.retain(|taint| !is_target_of(taint, change));
            if remaining.len() == before {
                not_found.push(change);
            }
        }
        for change in &not_found {
            let effect = match change.effect.as_str() {
                "" => String::new(),
                effect => format!(":{effect}"),
            };
            errors.push(Refusal::kubectl_error(format!(
                "taint \"{}{effect}\" not found",
                change.key
            )));
        }
        if !not_found.is_empty() {
            continue;
        }
        let changes = changes.to_vec();
        let request = Request::Patch {
            kind: Kind::Node,
            key: node.metadata.key(),
            uid: None,
            part: Part::Main,
            change: Mutation::new::<Node>("kubectl-taint", move |node| {
                for change in &changes {
                    node.spec.taints.retain(|taint| !is_target_of(taint, change));
                }
                let added: Vec<Taint> = changes
                    .iter()
                    .filter(|change| !change.remove)
                    .map(|change| Taint {
                        key: change.key.as_str().into(),
                        value: change.value.as_str().into(),
                        effect: change.effect.as_str().into(),
                        time_added: None,
                    })
                    .collect();
                node.spec.taints.splice(0..0, added);
            }),
        };
        writes.push(Write::new(request, format!("node/{name} {done}")));
    }
    errors.extend(missing);
    finish_plan(Plan::default(), writes, errors)
}
