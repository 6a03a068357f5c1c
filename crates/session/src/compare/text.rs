//! Comparisons as plain text for terminals, and as Markdown; both in the current language.

use podscope_messages::{Message, Sentence, compared_runs, sentence};
use podscope_protocol::markdown::{self, Block};

use super::configurations::sample_in_equal_steps;
use super::{
    ChangedObject, ClusterProblem, Comparison, Difference, DifferentlyPlacedPod, MovedPod, ResourceBalance, RunFigures,
};
use crate::columns;
use crate::whatif::{add_section, in_capitals, node_line};

/// Maximum number of lines in a list; the remaining lines are only counted.
const MAX_LISTED_LINES: usize = 50;
/// Maximum number of bars of a plot.
const MAX_PLOT_BARS: usize = 20;
/// Maximum number of differing fields that are listed for an object.
const MAX_LISTED_FIELDS: usize = 6;

/// Formats a difference as plain text.
#[must_use]
pub fn difference_text(difference: &Difference) -> String {
    let mut out = String::new();
    for (title, lines) in difference_sections(difference) {
        add_section(&mut out, &title, lines);
    }
    text_or_no_difference(out)
}

/// Formats a difference as Markdown.
#[must_use]
pub fn difference_markdown(difference: &Difference) -> String {
    let blocks =
        difference_sections(difference).map(|(title, lines)| Block::Section(in_capitals(&title).into(), lines));
    text_or_no_difference(markdown::print(&blocks.collect::<Vec<_>>()))
}

fn text_or_no_difference(text: String) -> String {
    match text.is_empty() {
        true => format!("{}\n", sentence!(difference::nothing_differs)),
        false => text,
    }
}

/// Returns the sections of a difference, each a heading with its lines. Sections without lines are left out.
fn difference_sections(difference: &Difference) -> impl Iterator<Item = (Sentence, Vec<Sentence>)> {
    let problems = |all: &[ClusterProblem]| all.iter().map(problem_line).collect();
    let names = |all: &[String]| all.iter().map(Sentence::from).collect();
    let nodes = difference.nodes.iter().map(|one| node_line(one).into());
    let sections: [(Sentence, Vec<Sentence>); 7] = [
        (sentence!(difference::new_problems), problems(&difference.new)),
        (sentence!(difference::problems_gone), problems(&difference.gone)),
        (
            sentence!(compared_runs::pods_elsewhere),
            difference.moved.iter().map(moved_line).collect(),
        ),
        (sentence!(what_if_table::nodes), nodes.collect()),
        (
            sentence!(difference::changed),
            difference.changed.iter().map(changed_line).collect(),
        ),
        (sentence!(difference::added), names(&difference.added)),
        (sentence!(difference::removed), names(&difference.removed)),
    ];
    let filled = sections.into_iter().filter(|(_, lines)| !lines.is_empty());
    filled.map(|(title, lines)| (title, limit_lines(lines)))
}

fn problem_line(one: &ClusterProblem) -> Sentence {
    sentence!(
        difference::problem,
        problem = &one.problem,
        object = &one.object,
        reason = one.reason.clone()
    )
}

fn changed_line(one: &ChangedObject) -> Sentence {
    let ChangedObject { object, fields } = one;
    let named = fields[..fields.len().min(MAX_LISTED_FIELDS)].to_vec();
    match fields.len() - named.len() {
        0 => sentence!(difference::fields, object = object, fields = named),
        more => sentence!(difference::fields_more, object = object, fields = named, more = more),
    }
}

fn moved_line(one: &MovedPod) -> Sentence {
    sentence!(
        difference::moved,
        pod = &one.pod,
        from = node_or_none(one.from.as_ref()),
        to = node_or_none(one.to.as_ref())
    )
}

fn node_or_none(node: Option<&String>) -> Sentence {
    let named = node.map(Sentence::from);
    named.unwrap_or_else(|| sentence!(compared_runs::no_node))
}

/// Keeps the first lines of a long list, and adds a line with the number of the others.
fn limit_lines(mut lines: Vec<Sentence>) -> Vec<Sentence> {
    let more = lines.len().saturating_sub(MAX_LISTED_LINES);
    if more > 0 {
        lines.truncate(MAX_LISTED_LINES);
        lines.push(sentence!(compared_runs::and_more, count = more));
    }
    lines
}

/// Formats a comparison as a table in plain text.
#[must_use]
pub fn comparison_text(comparison: &Comparison) -> String {
    let rows = rows_and_plots(comparison).into_iter();
    let rows = rows.map(|row| row.iter().map(ToString::to_string).collect());
    let rows: Vec<Vec<String>> = rows.collect();
    let mut out = columns::table(&rows, "  ");
    out.push('\n');
    let title = sentence!(compared_runs::pods_elsewhere);
    add_section(&mut out, &title, pod_lines(comparison));
    out
}

/// Formats a comparison as Markdown.
#[must_use]
pub fn comparison_markdown(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![Block::Table(rows_and_plots(comparison))];
    if !comparison.differs.is_empty() {
        let title = sentence!(compared_runs::pods_elsewhere);
        blocks.push(Block::Section(title, pod_lines(comparison)));
    }
    blocks
}

/// Returns a line per pod whose node differs between runs, with its node in each run.
fn pod_lines(comparison: &Comparison) -> Vec<Sentence> {
    let line = |one: &DifferentlyPlacedPod| {
        let nodes = one.nodes.iter().map(|node| node_or_none(node.as_ref()));
        let beside = |one: Sentence, other: Sentence| sentence!(compared_runs::beside, one = one, other = other);
        let nodes = nodes.reduce(beside).unwrap_or_default();
        sentence!(compared_runs::pod, pod = &one.pod, nodes = nodes)
    };
    limit_lines(comparison.differs.iter().map(line).collect())
}

/// Returns the resources whose balance was measured.
fn measured_resources(comparison: &Comparison) -> impl Iterator<Item = &String> {
    let first = comparison.configurations.first().into_iter();
    first.flat_map(|one| one.balance.keys())
}

/// Returns the rows of the table, followed by a row of bar plots for each resource: one plot per run.
fn rows_and_plots(comparison: &Comparison) -> Vec<Vec<Sentence>> {
    let mut rows = comparison_rows(comparison);
    for resource in measured_resources(comparison) {
        let plot_of = |one: &RunFigures| match one.balance.get(resource) {
            Some(balance) => plot_shares(&balance.shares).into(),
            None => Sentence::default(),
        };
        let title = sentence!(compared_runs::by_node, resource = resource);
        rows.push(measurement_row(comparison, title, &plot_of));
    }
    rows
}

/// Reads a pair of numbers from a run's measurements; `None` if they were not measured.
type ReadFigurePair = fn(&RunFigures) -> Option<[usize; 2]>;

/// Returns a table row: the name of a measurement, and its value in each run.
fn measurement_row(
    comparison: &Comparison,
    title: Sentence,
    value_of: &dyn Fn(&RunFigures) -> Sentence,
) -> Vec<Sentence> {
    let cells = comparison.configurations.iter().map(value_of);
    std::iter::once(title).chain(cells).collect()
}

/// Returns the table rows: one per measurement, with a column per run.
pub(crate) fn comparison_rows(comparison: &Comparison) -> Vec<Vec<Sentence>> {
    let row =
        |title: Sentence, value_of: &dyn Fn(&RunFigures) -> Sentence| measurement_row(comparison, title, value_of);
    let number = |title: Message, number_of: fn(&RunFigures) -> usize| {
        row(title.sentence(), &|one| number_of(one).to_string().into())
    };
    let mut rows = vec![
        row(Sentence::default(), &|one| one.name.clone()),
        number(compared_runs::pods_placed, |one| one.placed),
        number(compared_runs::pods_pending, |one| one.pending),
        number(compared_runs::nodes_used, |one| one.nodes_used),
    ];
    for resource in measured_resources(comparison) {
        let balance_of = |figures: &RunFigures| figures.balance.get(resource).cloned().unwrap_or_default();
        let share = |value: f64| format!("{:.1} %", value * 100.0);
        let mut add = |title: Sentence, figure: &dyn Fn(&ResourceBalance) -> String| {
            rows.push(row(title, &|one| figure(&balance_of(one)).into()));
        };
        add(sentence!(compared_runs::allocated, resource = resource), &|one| {
            share(one.allocated)
        });
        add(sentence!(compared_runs::deviation, resource = resource), &|one| {
            share(one.deviation)
        });
        add(sentence!(compared_runs::jain_index, resource = resource), &|one| {
            format!("{:.3}", one.jain)
        });
        add(sentence!(compared_runs::largest_free, resource = resource), &|one| {
            one.largest_free.clone()
        });
    }
    let mut add_pair = |title: Message, cell: fn([usize; 2]) -> Sentence, figure: ReadFigurePair| {
        if comparison.configurations.iter().any(|one| figure(one).is_some()) {
            let cell = |one: &RunFigures| figure(one).map_or_else(|| "-".into(), cell);
            rows.push(row(title.sentence(), &cell));
        }
    };
    let of = |[allocated, devices]: [usize; 2]| sentence!(compared_runs::of, allocated = allocated, devices = devices);
    let range = |[fewest, most]: [usize; 2]| sentence!(compared_runs::range, fewest = fewest, most = most);
    add_pair(compared_runs::devices_allocated, of, |one| one.devices);
    add_pair(compared_runs::pods_in_a_zone, range, |one| one.pods_per_zone);
    rows.push(number(compared_runs::preemptions, |one| one.preemptions));
    let seconds = |value: f64| format!("{value:.3} s").into();
    rows.push(row(sentence!(compared_runs::mean_time_to_place), &|one| {
        seconds(one.time_to_place.mean)
    }));
    rows.push(row(sentence!(compared_runs::longest_time_to_place), &|one| {
        seconds(one.time_to_place.longest)
    }));
    rows
}

/// Draws the nodes' shares (requested divided by allocatable) as bars in descending order: `█▆▃·`. A full bar is a
/// share of 1, and the height has steps of one eighth. If there are many nodes, only some of them, in equal steps, are
/// drawn.
fn plot_shares(shares: &[f64]) -> String {
    const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |share: f64| BARS[((share * 8.0).ceil().max(0.0) as usize).min(8)];
    sample_in_equal_steps(shares, MAX_PLOT_BARS)
        .into_iter()
        .map(bar)
        .collect()
}
