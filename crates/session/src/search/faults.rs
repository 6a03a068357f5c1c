//! Randomly generated faults of a seed search (F-01), each with its repair.

use podscope_cluster::{Rng, Span};

use super::{RunPart, at};
use crate::scenario::{SearchFault, Timed};
use podscope_kubectl::command;

/// Picks a random element of a slice. None if the slice is empty.
pub(super) fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> Option<&'a T> {
    let index = usize::try_from(rng.below(from.len() as u64)).ok()?;
    from.get(index)
}

/// Builds a part from command lines and their times in seconds.
///
/// # Panics
/// A line is not a valid command. All lines are generated here and in `workloads.rs`, from names that the API server
/// accepts.
pub(super) fn command_part(lines: &[(i64, String)]) -> RunPart {
    let timed = |(seconds, line): &(i64, String)| Timed {
        at: at(*seconds),
        command: command::parse(line).unwrap_or_else(|error| panic!("invalid generated command {line:?}: {error:?}")),
    };
    RunPart::Commands(lines.iter().map(timed).collect())
}

/// Generates a fault that begins within the horizon, and its repair. Its type is one of `kinds`. None if there are no
/// types or no nodes.
pub(super) fn generate_fault(rng: &mut Rng, kinds: &[SearchFault], nodes: &[String], horizon: Span) -> Option<RunPart> {
    let kind = *pick(rng, kinds)?;
    let node = pick(rng, nodes)?.clone();
    let start = rng.between(Span::seconds(1), horizon).whole_seconds();
    let end = start + rng.between(Span::seconds(1), horizon).whole_seconds();
    let (fault, repair) = match kind {
        SearchFault::Partition => {
            let zone = node.rsplit_once('-').map_or("a", |(zone, _)| zone);
            let form = match rng.below(10) {
                0 => format!("{node} --one-way in"),
                1 => format!("{node} --one-way out"),
                2 => format!("{node} --from control-plane"),
                3 => format!("{node} --from nodes"),
                4 => format!("{node} --from storage"),
                5 => format!("--zone {zone}"),
                _ => node.clone(),
            };
            let healed = if form.starts_with("--zone") { &form } else { &node };
            let repair = format!("fault heal {healed}");
            (format!("fault partition {form}"), repair)
        }
        SearchFault::Crash => {
            let process = match rng.below(10) {
                0 => Some("scheduler".to_owned()),
                1 => Some("controller-manager".to_owned()),
                2 => Some("apiserver".to_owned()),
                3 => None,
                4 => Some(format!("runtime {node}")),
                _ => Some(format!("kubelet {node}")),
            };
            match process {
                None => ("fault etcd down".to_owned(), "fault etcd up".to_owned()),
                Some(whom) => (format!("fault crash {whom}"), format!("fault restart {whom}")),
            }
        }
        SearchFault::PowerOff => (format!("fault poweroff {node}"), format!("fault boot {node}")),
        SearchFault::Slow => {
            let latency = rng.between(Span::millis(100), Span::seconds(20)).0 / 1000;
            (
                format!("fault slow {node} {latency}ms"),
                format!("fault slow {node} 0s"),
            )
        }
        SearchFault::Driver => (
            format!("fault crash driver {node}"),
            format!("fault restart driver {node}"),
        ),
        // A restart of the controller-manager repairs the fault: it stops both instances and starts one.
        SearchFault::SecondManager => (
            "fault second controller-manager".to_owned(),
            "fault restart controller-manager".to_owned(),
        ),
    };
    Some(command_part(&[(start, fault), (end, repair)]))
}
