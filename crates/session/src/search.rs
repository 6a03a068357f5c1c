//! Seed search: random schedules of faults, one per seed, until an invariant
//! breaks; then the schedule is shrunk to the fewest faults that still break it.

use podscope_api::NodeName;
use podscope_api::ordered::InOrder as _;
use podscope_cluster::fault::{ControlPlaneProcess, CutFrom, Direction, Fault, Targets};
use podscope_cluster::{Rng, SimTime, Span};

use crate::command::Command;
use crate::protocol::Problem;
use crate::report::field;
use crate::scenario::{Loaded, Timed};
use crate::timeline::{Session, Slice};

/// A run that breaks an invariant.
#[derive(Debug, Clone)]
pub struct Found {
    /// The seed.
    pub seed: u64,
    /// The faults and repairs that are left after shrinking.
    pub schedule: Vec<Timed>,
    /// Which invariant broke.
    pub invariant: String,
    /// When.
    pub at: SimTime,
    /// `command`, `fault` or `bug`.
    pub cause: String,
    /// The session at that instant.
    pub session: Box<Session>,
}

/// Runs one seed; the shrunk run if an invariant (the given one, or any) breaks.
///
/// # Errors
/// The scenario cannot be set up.
pub fn search(loaded: &Loaded, seed: u64, invariant: Option<&str>) -> Result<Option<Found>, Vec<Problem>> {
    let mut groups = draw(loaded, seed)?;
    let Some(mut found) = attempt(loaded, seed, &groups, invariant)? else {
        return Ok(None);
    };
    // Fewest faults: drop one after the other as long as the same invariant still breaks.
    let name = found.invariant.clone();
    let mut at = 0;
    while at < groups.len() {
        let mut fewer = groups.clone();
        fewer.remove(at);
        match attempt(loaded, seed, &fewer, Some(&name))? {
            Some(smaller) => {
                groups = fewer;
                found = smaller;
            }
            None => at += 1,
        }
    }
    Ok(Some(found))
}

/// Faults with their repairs, as `spec.search` describes them.
fn draw(loaded: &Loaded, seed: u64) -> Result<Vec<Vec<Timed>>, Vec<Problem>> {
    let mut rng = Rng::split(seed, "search");
    let search = &loaded.scenario.search;
    let session = Session::new(loaded.clone())?;
    let nodes: Vec<NodeName> = session.world().machines().map(|(name, _)| name.clone()).collect();
    let mut groups = Vec::new();
    if search.faults.is_empty() || nodes.is_empty() {
        return Ok(groups);
    }
    let count = 1 + rng.below(u64::from(search.max));
    for _ in 0..count {
        let pick = |rng: &mut Rng, len: usize| usize::try_from(rng.below(len as u64)).unwrap_or(0);
        let kind = search
            .faults
            .get(pick(&mut rng, search.faults.len()))
            .map_or("", String::as_str);
        let node = nodes.get(pick(&mut rng, nodes.len())).cloned().unwrap_or_default();
        // Whole seconds: a schedule is read by people.
        let start = rng.between(Span::ZERO, search.horizon).whole_seconds();
        let length = rng.between(Span::seconds(1), search.horizon).whole_seconds();
        let (fault, repair) = match kind {
            "partition" => (
                Fault::Partition {
                    targets: Targets::Nodes(vec![node.clone()]),
                    from: CutFrom::Everything,
                    direction: match rng.below(4) {
                        0 => Direction::In,
                        1 => Direction::Out,
                        _ => Direction::Both,
                    },
                },
                Some(Fault::Heal(Targets::Nodes(vec![node]))),
            ),
            "crash" => (
                Fault::Kubelet {
                    node: node.clone(),
                    up: false,
                },
                Some(Fault::Kubelet { node, up: true }),
            ),
            "poweroff" => (
                Fault::Power {
                    node: node.clone(),
                    on: false,
                },
                Some(Fault::Power { node, on: true }),
            ),
            "slow" => (
                Fault::Slow(node.clone(), rng.between(Span::millis(100), Span::seconds(20))),
                Some(Fault::Slow(node, Span::ZERO)),
            ),
            _ => (Fault::Second(ControlPlaneProcess::ControllerManager), None),
        };
        let timed = |seconds: i64, fault: Fault| Timed {
            at: SimTime::from_seconds(seconds),
            command: Command::Fault(fault),
        };
        let mut group = vec![timed(start, fault)];
        group.extend(repair.map(|repair| timed(start + length, repair)));
        groups.push(group);
    }
    Ok(groups)
}

fn attempt(
    loaded: &Loaded,
    seed: u64,
    groups: &[Vec<Timed>],
    invariant: Option<&str>,
) -> Result<Option<Found>, Vec<Problem>> {
    let mut loaded = loaded.clone();
    loaded.setup.seed = seed;
    let until = SimTime::ZERO + loaded.scenario.search.horizon;
    let mut schedule: Vec<Timed> = groups.iter().flatten().cloned().collect();
    schedule.in_order_by_key(|timed| timed.at);
    let mut session = Session::new(loaded)?;
    session.schedule(schedule.clone());
    loop {
        let slice = session.advance(until, 2000);
        let broken = session
            .violations()
            .find(|record| invariant.is_none_or(|name| field(record, "invariant") == name))
            .cloned();
        if let Some(record) = broken {
            return Ok(Some(Found {
                seed,
                schedule,
                invariant: field(&record, "invariant"),
                at: record.at,
                cause: field(&record, "cause"),
                session: Box::new(session),
            }));
        }
        if slice != Slice::More {
            return Ok(None);
        }
    }
}
