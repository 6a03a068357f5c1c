//! Runs of a cluster with and without the change in a what-if question.

use podscope_api::well_known::label;
use podscope_api::{Node, NodeName, ordered};
use podscope_cluster::{SimTime, Span};
use podscope_protocol::Problem;

use super::question_run::{QuestionRun, SettlingDetector};
use super::{Answer, ProgressStage, Question, WorkControl};
use crate::scenario::Loaded;
use crate::timeline::{Session, Slice};

/// Maximum number of runs with different seeds (draws).
pub const MAX_DRAWS: u32 = 1_000;
/// Simulated time between the start of a cluster without status and the change in question.
const STARTUP_DURATION: Span = Span::seconds(60);
/// Number of simulation events between two calls of `stop`.
pub(super) const EVENTS_PER_POLL: u64 = 20_000;

/// Answers a what-if question about the cluster in some files by one draw, that is, by a run whose seed is the seed of
/// the files plus `draw`.
///
/// # Errors
/// The API server refuses objects of the files, or an object in the question does not exist.
pub fn ask(loaded: &Loaded, question: &Question, draw: u32, control: WorkControl<'_>) -> Result<Answer, Vec<Problem>> {
    let mut loaded = loaded.clone();
    loaded.setup.seed = loaded.setup.seed.wrapping_add(u64::from(draw));
    let mut asking = QuestionRun::start(start_cluster(loaded, control)?, question.clone())?;
    while !asking.work(EVENTS_PER_POLL) && !(control.stop)() {
        (control.progress)(ProgressStage::Simulating(asking.progress_per_mille()));
    }
    Ok(asking.into_answer())
}

/// Returns a session in which the cluster has started: a dump is used as it is; other files are simulated for a minute.
pub(super) fn start_cluster(loaded: Loaded, control: WorkControl<'_>) -> Result<Session, Vec<Problem>> {
    (control.progress)(ProgressStage::Starting);
    let is_dump = loaded.is_dump();
    let mut session = Session::new(loaded)?;
    if !is_dump {
        advance(&mut session, STARTUP_DURATION, control.stop);
    }
    Ok(session)
}

/// Returns the commands that make the change in a question.
pub(super) fn commands(session: &Session, question: &Question) -> Result<Vec<String>, String> {
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

/// Returns the kubectl command that drains the nodes.
pub(super) fn drain_command(nodes: &[String]) -> String {
    let nodes = nodes.join(" ");
    format!("kubectl drain {nodes} --ignore-daemonsets --delete-emptydir-data --force")
}

/// Returns the nodes that the change in a question drains or powers off.
pub(super) fn leaving_nodes(session: &Session, question: &Question) -> ordered::Set<NodeName> {
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

/// Advances time until no command is running and no pod has moved for a while, but at least by `min_duration`. Calls
/// `sample` with the session once per simulated second. Returns the time of the last move.
pub(super) fn settle(
    session: &mut Session,
    min_duration: Span,
    stop: fn() -> bool,
    sample: &mut dyn FnMut(&Session),
) -> SimTime {
    let mut settling = SettlingDetector::begin(session, min_duration);
    while !settling.work(session, EVENTS_PER_POLL, sample) && !stop() {}
    settling.last_move_time()
}

/// Advances time until the pods of the cluster have stopped moving, but at least by a minute.
pub(crate) fn settle_pods(session: &mut Session, stop: fn() -> bool) {
    settle(session, STARTUP_DURATION, stop, &mut |_| {});
}
