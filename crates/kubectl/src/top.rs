//! `kubectl top`: resource usage of pods and nodes (KC-112, KC-113).

use std::cmp::Reverse;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, Node, Object, Pod};

use super::get::find;
use super::selector::LabelQuery;
use super::text::table_padded;
use super::{MillicoresAndBytes, Printed, View};
use crate::command::{Target, Top};
use crate::refusals::not_found;

fn sum_usage(all: impl Iterator<Item = MillicoresAndBytes>) -> MillicoresAndBytes {
    all.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

/// Returns the usage of all containers of a pod; `None` if no container is running.
fn usage_of(pod: &Pod, view: &View<'_>) -> Option<MillicoresAndBytes> {
    let parts: Vec<MillicoresAndBytes> = pod
        .spec
        .all_containers()
        .filter_map(|container| (view.usage)(pod, &container.name))
        .collect();
    if parts.is_empty() {
        return None;
    }
    Some(sum_usage(parts.into_iter()))
}

/// A row of the table.
struct Row {
    /// The cells of the first columns, which identify the node, pod or container.
    front: Vec<String>,
    /// Usage; `None` if unknown.
    used: Option<MillicoresAndBytes>,
    /// Allocatable resources, for rows of nodes.
    allocatable: Option<MillicoresAndBytes>,
}

impl Row {
    fn of_node(node: &Node, view: &View<'_>) -> Row {
        let ready = node.is_ready();
        let pods = view.objects.pods_on(&node.metadata.name.as_ref().into());
        let used = sum_usage(pods.filter_map(|pod| usage_of(pod, view)));
        let quantity = |name: &str| node.status.allocatable.get(name);
        let allocatable = (
            quantity("cpu").map_or(0, |quantity| quantity.milli_value()),
            quantity("memory").map_or(0, |quantity| quantity.value()),
        );
        Row {
            front: vec![node.metadata.name.to_string()],
            used: ready.then_some(used),
            allocatable: Some(allocatable),
        }
    }

    fn of_containers(front: Vec<String>, used: MillicoresAndBytes) -> Row {
        Row {
            front,
            used: Some(used),
            allocatable: None,
        }
    }

    fn cells(self) -> Vec<String> {
        let mut cells = self.front;
        match (self.used, self.allocatable) {
            (Some((cpu, memory)), Some((all_cpu, all_memory))) => cells.extend([
                format!("{cpu}m"),
                percent_text(cpu, all_cpu),
                format!("{}Mi", memory >> 20),
                percent_text(memory, all_memory),
            ]),
            (Some((cpu, memory)), None) => cells.extend([format!("{cpu}m"), format!("{}Mi", memory >> 20)]),
            (None, _) => cells.extend(std::iter::repeat_n("<unknown>".to_owned(), 4)),
        }
        cells
    }
}

fn percent_text(part: i64, of: i64) -> String {
    if of > 0 {
        format!("{}%", 100 * part / of)
    } else {
        "<unknown>".into()
    }
}

impl Top {
    fn target(&self) -> Target {
        let kind = if self.nodes { Kind::Node } else { Kind::Pod };
        Target {
            namespace: self.namespace.clone(),
            all_namespaces: self.all_namespaces,
            selector: self.selector.clone(),
            ..Target::of_kind(kind, self.name.iter().cloned().collect())
        }
    }

    /// Appends the row of a pod, or with `--containers` one row per container whose usage is known.
    fn rows_of_pod(&self, pod: &Pod, view: &View<'_>, rows: &mut Vec<Row>) {
        let mut front = Vec::new();
        if self.all_namespaces {
            front.push(pod.metadata.namespace.to_string());
        }
        front.push(pod.metadata.name.to_string());
        if !self.containers {
            rows.extend(usage_of(pod, view).map(|used| Row::of_containers(front, used)));
            return;
        }
        for container in pod.spec.all_containers() {
            if let Some(used) = (view.usage)(pod, &container.name) {
                let mut front = front.clone();
                front.push(container.name.to_string());
                rows.push(Row::of_containers(front, used));
            }
        }
    }

    /// Returns the message for an empty table.
    fn no_resources_message(&self) -> String {
        if self.all_namespaces || self.nodes {
            return "No resources found".to_owned();
        }
        let namespace = self.namespace.as_deref().unwrap_or("default");
        format!("No resources found in {namespace} namespace.")
    }

    /// Sorts the rows: with `--sort-by` by descending usage, otherwise rows without usage last.
    fn sort(&self, rows: &mut [Row]) {
        match self.sort_by.as_deref() {
            Some("cpu") => rows.stable_sort_by_key(|row| Reverse(row.used.map(|used| used.0))),
            Some(_) => rows.stable_sort_by_key(|row| Reverse(row.used.map(|used| used.1))),
            None => rows.stable_sort_by_key(|row| row.used.is_none()),
        }
    }

    /// Returns the header of the table.
    fn header(&self) -> Vec<String> {
        let titles: &[&str] = match (self.nodes, self.containers) {
            (true, _) => &["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"],
            (false, true) => &["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"],
            (false, false) => &["NAME", "CPU(cores)", "MEMORY(bytes)"],
        };
        let namespace = (self.all_namespaces && !self.nodes).then_some("NAMESPACE");
        namespace
            .into_iter()
            .chain(titles.iter().copied())
            .map(str::to_owned)
            .collect()
    }

    /// Returns the two lines of `--sum` below the table.
    fn sum_lines(&self, total: MillicoresAndBytes) -> [Vec<String>; 2] {
        let n_front = usize::from(self.all_namespaces) + usize::from(self.containers);
        let line = |cells: [String; 2]| std::iter::repeat_n(String::new(), n_front + 1).chain(cells).collect();
        [
            line(["________".to_owned(), "________".to_owned()]),
            line([format!("{}m", total.0), format!("{}Mi", total.1 >> 20)]),
        ]
    }
}

/// Executes `kubectl top`.
pub(super) fn top(top: &Top, view: &View<'_>, printed: &mut Printed) {
    // kubectl parses the selector before it sends a request.
    if let Err(why) = LabelQuery::parse(top.selector.as_deref().unwrap_or_default()) {
        return printed.fail(format!("error: {why}"));
    }
    let found = match find(&top.target(), view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    for (kind, name) in &found.missing {
        printed.fail(not_found(*kind, name));
    }
    let mut rows: Vec<Row> = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        match object {
            Object::Node(node) => rows.push(Row::of_node(node, view)),
            Object::Pod(pod) => top.rows_of_pod(pod, view, &mut rows),
            _ => {}
        }
    }
    if rows.is_empty() {
        if printed.status == 0 {
            printed.print_no_objects(top.no_resources_message());
        }
        return;
    }
    top.sort(&mut rows);
    let total = sum_usage(rows.iter().filter_map(|row| row.used));
    let mut lines: Vec<Vec<String>> = Vec::new();
    if !top.no_headers {
        lines.push(top.header());
    }
    lines.extend(rows.into_iter().map(Row::cells));
    if top.sum && !top.nodes {
        lines.extend(top.sum_lines(total));
    }
    for line in table_padded(&lines) {
        printed.out(line);
    }
}
