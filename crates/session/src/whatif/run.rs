//! Runs with and without the change in question.

use podscope_api::well_known::label;
use podscope_api::{Node, NodeName, ordered};
use podscope_cluster::{OutputKind, SimTime, Span};
use podscope_kubectl::command;
use podscope_protocol::Problem;

use super::compare::{self, ClusterState};
use super::shortfall::Watcher;
use super::volumes::stuck_volumes;
use super::{Answer, Question};
use crate::scenario::Loaded;
use crate::timeline::{Session, Slice};

/// Maximum number of runs with different seeds.
pub const MAX_DRAWS: u32 = 1_000;
/// Time that files without status get to start.
const START_TIME: Span = Span::seconds(60);
/// Maximum duration of a run: the default timeout of evictions, of unreachable nodes, and of rollouts.
const MAX_DURATION: Span = Span::seconds(900);
/// Time without moves after which a run ends.
const STILL_TIME: Span = Span::seconds(60);
/// Minimum duration after the loss of a machine, until its pods are evicted: the node becomes NotReady after 50 s, and
/// pods tolerate that for 300 s.
const MIN_AFTER_MACHINE_LOSS: Span = Span::seconds(360);
/// Interval between samples of the cluster.
const SAMPLE_INTERVAL: Span = Span::seconds(1);
/// Number of samples between checks for moves.
const SAMPLES_PER_CHECK: u32 = 5;
/// Number of events between two polls of `stop`.
const EVENTS_PER_POLL: u64 = 20_000;

/// Answers a question about the cluster of some files in one draw, that is, with the seed of the files plus `draw`. Runs
/// end early when `stop` returns true.
///
/// # Errors
/// The API server refuses objects of the files, or an object in the question does not exist.
pub fn ask(loaded: &Loaded, question: &Question, draw: u32, stop: fn() -> bool) -> Result<Answer, Vec<Problem>> {
    let mut loaded = loaded.clone();
    loaded.setup.seed = loaded.setup.seed.wrapping_add(u64::from(draw));
    ask_session(start_cluster(loaded, stop)?, question, stop)
}

/// Starts the cluster: a dump as it is; other files after the time that they need to start.
pub(super) fn start_cluster(loaded: Loaded, stop: fn() -> bool) -> Result<Session, Vec<Problem>> {
    let is_dump = loaded.is_dump();
    let mut session = Session::new(loaded)?;
    if !is_dump {
        advance(&mut session, START_TIME, stop);
    }
    Ok(session)
}

/// Answers a question about a session at its present time.
///
/// # Errors
/// An object in the question does not exist.
pub fn ask_session(mut session: Session, question: &Question, stop: fn() -> bool) -> Result<Answer, Vec<Problem>> {
    let commands = commands(&session, question).map_err(|why| vec![Problem::of("whatif", why)])?;
    let before = ClusterState::of(&session);
    let begin = session.now();
    let mut without = session.clone();
    let mut refused = Vec::new();
    for line in commands {
        let read = command::parse(&line).map_err(|error| vec![Problem::of("whatif", error.message)])?;
        if let Err(limit) = session.command(read) {
            refused.push(limit.to_string());
        }
    }
    let least = match question {
        Question::LoseZone(_) => MIN_AFTER_MACHINE_LOSS,
        _ => Span::ZERO,
    };
    let leaving = leaving_nodes(&session, question);
    let volumes = stuck_volumes(session.world().objects(), &leaving);
    let mut watcher = Watcher::new(&without);
    settle(&mut session, least, stop, &mut |session| watcher.sample(session));
    let passed = session.now() - begin;
    advance(&mut without, passed, stop);
    let mut answer = compare::answer(
        question,
        &before,
        &ClusterState::of(&session),
        &ClusterState::of(&without),
    );
    if let Question::Drain(nodes) = question {
        answer.blocked = compare::blocked_pods(&session, nodes);
    }
    answer.shortfalls = watcher.shortfalls();
    answer.volumes = volumes;
    answer.broken = newly_violated(&session, &without);
    answer.said = refused;
    answer.said.extend(error_lines(&session, begin));
    answer.seconds = passed.0 / 1_000_000;
    Ok(answer)
}

/// Returns the commands of a question.
fn commands(session: &Session, question: &Question) -> Result<Vec<String>, String> {
    let objects = session.world().objects();
    let node = |name: &str| match objects.named::<Node>(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err(format!("nodes {name:?} not found")),
    };
    match question {
        Question::Drain(names) => {
            let names: Result<Vec<String>, String> = names.iter().map(|name| node(name)).collect();
            Ok(vec![drain_command(&names?)])
        }
        Question::LoseZone(zone) => {
            let nodes = leaving_nodes(session, question).into_iter();
            let names: Vec<String> = nodes.map(|node| format!("fault poweroff {node}")).collect();
            if names.is_empty() {
                return Err(format!("no node has the label topology.kubernetes.io/zone={zone}"));
            }
            Ok(names)
        }
        Question::Add { like, count } => {
            let like = node(like)?;
            Ok(vec![format!("fault join {like}-copy --like {like} --count {count}")])
        }
        Question::Scale { kind, key, replicas } => {
            if objects.get_kind(*kind, key).is_none() {
                return Err(format!("{} {:?} not found", kind.plural(), &*key.name));
            }
            Ok(vec![format!(
                "kubectl scale {}/{} -n {} --replicas={replicas}",
                kind.plural(),
                key.name,
                key.namespace
            )])
        }
    }
}

/// The command that drains nodes.
pub(super) fn drain_command(nodes: &[String]) -> String {
    let nodes = nodes.join(" ");
    format!("kubectl drain {nodes} --ignore-daemonsets --delete-emptydir-data --force")
}

/// The nodes that a question takes away.
fn leaving_nodes(session: &Session, question: &Question) -> ordered::Set<NodeName> {
    match question {
        Question::Drain(names) => names.iter().map(|name| NodeName(name.as_str().into())).collect(),
        Question::LoseZone(zone) => {
            let nodes = session.world().objects().list::<Node>();
            let label = |node: &Node| node.metadata.label(label::ZONE).map(str::to_owned);
            let in_zone = nodes.filter(|node| label(node).as_ref() == Some(zone));
            in_zone.map(|node| NodeName(node.metadata.name.clone())).collect()
        }
        Question::Add { .. } | Question::Scale { .. } => ordered::Set::new(),
    }
}

fn advance(session: &mut Session, span: Span, stop: fn() -> bool) {
    let until = session.now() + span;
    while session.advance(until, EVENTS_PER_POLL) == Slice::More && !stop() {}
}

/// Advances time, at least by `least`, until no command is running and no pod has moved for a while. `sample` sees the
/// session every second. Returns when the last pod moved.
pub(super) fn settle(
    session: &mut Session,
    least: Span,
    stop: fn() -> bool,
    sample: &mut dyn FnMut(&Session),
) -> SimTime {
    let begin = session.now();
    let (mut moved, mut last) = (begin, compare::places(session));
    while session.now() - begin < MAX_DURATION && !stop() {
        for _ in 0..SAMPLES_PER_CHECK {
            advance(session, SAMPLE_INTERVAL, stop);
            sample(session);
        }
        let now = compare::places(session);
        if now != last {
            (moved, last) = (session.now(), now);
        }
        let has_stopped = session.now() - moved >= STILL_TIME && last.values().all(|place| !place.is_moving);
        if has_stopped && session.world().clients() == 0 && session.now() - begin >= least {
            break;
        }
    }
    moved
}

/// Advances time until the pods of a new workload have stopped moving.
pub(crate) fn settle_workload(session: &mut Session, stop: fn() -> bool) {
    settle(session, START_TIME, stop, &mut |_| {});
}

/// Invariants that are violated in `session` but not in `without`.
fn newly_violated(session: &Session, without: &Session) -> Vec<String> {
    let violated_without: &ordered::Map<String, SimTime> = without.progress().broken();
    let newly_violated = session.progress().broken().keys();
    newly_violated
        .filter(|name| !violated_without.contains_key(*name))
        .cloned()
        .collect()
}

/// Distinct lines of error output since a time.
fn error_lines(session: &Session, since: SimTime) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines = session.outputs().iter();
    for line in lines.filter(|line| line.at >= since && line.kind == OutputKind::Error) {
        // A refused eviction is retried every five seconds. The budget is reported separately.
        let is_retry = line.text.contains("will retry after");
        if !is_retry && !found.contains(&line.text) {
            found.push(line.text.clone());
        }
    }
    found
}
