//! Comparisons as plain text for terminals, and as Markdown.

use std::fmt::Write as _;

use super::configurations::in_equal_steps;
use super::{Balance, Comparison, Difference, Figures};
use crate::whatif::node_line;

/// Maximum number of lines in a list; more are counted.
const MAX_LINES: usize = 50;
/// Maximum number of bars of a plot.
const MAX_BARS: usize = 20;
/// Maximum number of fields that are listed for an object.
const MAX_FIELDS: usize = 6;

/// Prints a difference as plain text.
#[must_use]
pub fn difference_text(difference: &Difference) -> String {
    let mut out = String::new();
    for (title, lines) in sections(difference) {
        add_list(&mut out, &format!("{title}\n"), "  ", &lines);
    }
    if out.is_empty() {
        out.push_str("Nothing differs.\n");
    }
    out
}

/// Prints a difference as Markdown.
#[must_use]
pub fn difference_markdown(difference: &Difference) -> String {
    let mut out = String::new();
    for (title, lines) in sections(difference) {
        add_list(&mut out, &format!("**{title}**\n\n"), "- ", &lines);
    }
    if out.is_empty() {
        out.push_str("Nothing differs.\n");
    }
    out
}

fn sections(difference: &Difference) -> Vec<(&'static str, Vec<String>)> {
    let node = |node: Option<&String>| node.map_or_else(|| "no node".to_owned(), Clone::clone);
    let trouble = |all: &[super::ClusterProblem]| {
        let one = |one: &super::ClusterProblem| format!("{} {}: {}", one.problem, one.object, one.reason);
        all.iter().map(one).collect()
    };
    let changed = |one: &super::Changed| {
        let named: Vec<&str> = one.fields.iter().take(MAX_FIELDS).map(String::as_str).collect();
        let more = one.fields.len() - named.len();
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}: {}{rest}", one.object, named.join(", "))
    };
    let moved = |one: &super::Moved| format!("{}: {} -> {}", one.pod, node(one.from.as_ref()), node(one.to.as_ref()));
    vec![
        ("NEW PROBLEMS", trouble(&difference.new)),
        ("PROBLEMS THAT ARE GONE", trouble(&difference.gone)),
        ("PODS ELSEWHERE", difference.moved.iter().map(moved).collect()),
        ("NODES", difference.nodes.iter().map(node_line).collect()),
        ("CHANGED", difference.changed.iter().map(changed).collect()),
        ("ADDED", difference.added.clone()),
        ("REMOVED", difference.removed.clone()),
    ]
}

fn add_list(out: &mut String, title: &str, before: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    out.push_str(title);
    for line in lines.iter().take(MAX_LINES) {
        let _ = writeln!(out, "{before}{line}");
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(out, "{before}and {} more", lines.len() - MAX_LINES);
    }
    if before == "- " {
        out.push('\n');
    }
}

/// Prints a comparison as a table in plain text.
#[must_use]
pub fn comparison_text(comparison: &Comparison) -> String {
    let rows = rows_and_plots(comparison);
    let columns = comparison.configurations.len() + 1;
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let _ = writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out.push('\n');
    add_list(&mut out, "PODS ELSEWHERE\n", "  ", &pod_lines(comparison));
    out
}

/// Prints a comparison as Markdown.
#[must_use]
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (index, row) in rows_and_plots(comparison).iter().enumerate() {
        let _ = writeln!(out, "| {} |", row.join(" | "));
        if index == 0 {
            let _ = writeln!(out, "|{}", "---|".repeat(row.len()));
        }
    }
    out.push('\n');
    add_list(&mut out, "**Pods elsewhere**\n\n", "- ", &pod_lines(comparison));
    out
}

fn pod_lines(comparison: &Comparison) -> Vec<String> {
    let node = |node: &Option<String>| node.clone().unwrap_or_else(|| "no node".to_owned());
    let line = |one: &super::Differing| {
        let nodes: Vec<String> = one.nodes.iter().map(node).collect();
        format!("{}: {}", one.pod, nodes.join(" | "))
    };
    comparison.differs.iter().map(line).collect()
}

/// The resources whose balance was measured.
fn resources(comparison: &Comparison) -> impl Iterator<Item = &String> {
    let first = comparison.configurations.first().into_iter();
    first.flat_map(|one| one.balance.keys())
}

/// The rows of the table, and a plot of each resource.
fn rows_and_plots(comparison: &Comparison) -> Vec<Vec<String>> {
    let mut rows = rows(comparison);
    for resource in resources(comparison) {
        let shares = |one: &Figures| one.balance.get(resource).map(|balance| plot(&balance.shares));
        let plots = comparison
            .configurations
            .iter()
            .map(|one| shares(one).unwrap_or_default());
        rows.push(std::iter::once(format!("{resource} by node")).chain(plots).collect());
    }
    rows
}

/// Table rows: one per measurement, with a column per configuration.
pub(crate) fn rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let row = |title: &str, value_of: &dyn Fn(&Figures) -> String| {
        let cells = comparison.configurations.iter().map(value_of);
        std::iter::once(title.to_owned()).chain(cells).collect::<Vec<String>>()
    };
    let mut rows = vec![
        row("", &|one| one.name.clone()),
        row("pods placed", &|one| one.placed.to_string()),
        row("pods pending", &|one| one.pending.to_string()),
        row("nodes used", &|one| one.nodes_used.to_string()),
    ];
    for resource in resources(comparison) {
        let balance_of = |figures: &Figures| figures.balance.get(resource).cloned().unwrap_or_default();
        let share = |value: f64| format!("{:.1} %", value * 100.0);
        let mut add = |title: &str, figure: &dyn Fn(&Balance) -> String| {
            rows.push(row(&format!("{resource} {title}"), &|one| figure(&balance_of(one))));
        };
        add("allocated", &|one| share(one.allocated));
        add("standard deviation", &|one| share(one.deviation));
        add("Jain index", &|one| format!("{:.3}", one.jain));
        add("largest free on a node", &|one| one.largest_free.clone());
    }
    let is_known =
        |figure: fn(&Figures) -> Option<[usize; 2]>| comparison.configurations.iter().any(|one| figure(one).is_some());
    let mut add_pair = |title: &str, between: &str, figure: fn(&Figures) -> Option<[usize; 2]>| {
        if is_known(figure) {
            let cell = |[one, other]: [usize; 2]| format!("{one} {between} {other}");
            rows.push(row(title, &|one| figure(one).map_or_else(|| "-".to_owned(), cell)));
        }
    };
    add_pair("devices allocated", "of", |one| one.devices);
    add_pair("pods in a zone", "to", |one| one.pods_per_zone);
    rows.push(row("preemptions", &|one| one.preemptions.to_string()));
    rows.push(row("time to place, mean", &|one| {
        format!("{:.3} s", one.time_to_place.mean)
    }));
    rows.push(row("time to place, longest", &|one| {
        format!("{:.3} s", one.time_to_place.longest)
    }));
    rows
}

/// Bars of the nodes' shares, the fullest first, each as high as an eighth of the node: `█▆▃·`. Of many, some in equal
/// steps.
fn plot(shares: &[f64]) -> String {
    const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |share: f64| BARS[((share * 8.0).ceil().max(0.0) as usize).min(8)];
    in_equal_steps(shares, MAX_BARS).into_iter().map(bar).collect()
}
