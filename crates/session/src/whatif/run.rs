//! The runs: with what is asked about, and without.

use podscope_api::ordered;
use podscope_cluster::{OutputKind, SimTime, Span};
use podscope_kubectl::command;
use podscope_protocol::Problem;

use super::compare::{self, Picture};
use super::{Answer, Question};
use crate::scenario::Loaded;
use crate::timeline::{Session, Slice};

/// Runs by different seeds, at most.
pub const MOST_DRAWS: u32 = 1_000;
/// What files without status get to come up.
const COMING_UP: Span = Span::seconds(60);
/// How long a run goes on at most: the default timeout of evictions, of a node nobody hears, and of a rollout.
const LONGEST: Span = Span::seconds(900);
/// How long nothing may move before it is over.
const STILL: Span = Span::seconds(60);
/// From the loss of a machine until its pods are evicted: nobody has heard it for 50 s, and pods tolerate that for 300 s.
const LOST: Span = Span::seconds(360);
/// Between two looks at what moves.
const LOOK: Span = Span::seconds(5);
/// Events between two questions whether to stop.
const PIECE: u64 = 20_000;

/// How often to ask, and when to give up.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// Runs by different seeds.
    pub draws: u32,
    /// Whether somebody wants it to end.
    pub stop: fn() -> bool,
}

/// Answers a question about the cluster of some files.
///
/// # Errors
/// What the API server refuses of the files, and what the question names that is not there.
pub fn ask(loaded: &Loaded, question: &Question, given: Given) -> Result<Answer, Vec<Problem>> {
    let mut answers: Vec<Answer> = Vec::new();
    for nth in 0..given.draws.clamp(1, MOST_DRAWS) {
        let mut drawn = loaded.clone();
        drawn.setup.seed = loaded.setup.seed.wrapping_add(u64::from(nth));
        answers.push(one(drawn, question, given.stop)?);
        if (given.stop)() {
            break;
        }
    }
    Ok(compare::together(answers))
}

/// The cluster that is asked about: a dump as it is, other files once they had time to come up.
pub(super) fn come_up(loaded: Loaded, stop: fn() -> bool) -> Result<Session, Vec<Problem>> {
    let is_dump = loaded.is_dump();
    let mut session = Session::new(loaded)?;
    if !is_dump {
        advance(&mut session, COMING_UP, stop);
    }
    Ok(session)
}

/// One draw.
fn one(loaded: Loaded, question: &Question, stop: fn() -> bool) -> Result<Answer, Vec<Problem>> {
    let mut session = come_up(loaded, stop)?;
    let commands = commands(&session, question).map_err(|why| vec![Problem::of("whatif", why)])?;
    let before = Picture::of(&session);
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
        Question::LoseZone(_) => LOST,
        _ => Span::ZERO,
    };
    settle(&mut session, least, stop);
    let passed = session.now() - begin;
    advance(&mut without, passed, stop);
    let mut answer = compare::answer(question, &before, &Picture::of(&session), &Picture::of(&without));
    answer.blocked = compare::blocked(&session, question);
    answer.broken = broken(&session, &without);
    answer.said = refused;
    answer.said.extend(complaints(&session, begin));
    answer.seconds = passed.0 / 1_000_000;
    Ok(answer)
}

/// The commands that a question stands for.
fn commands(session: &Session, question: &Question) -> Result<Vec<String>, String> {
    let objects = session.world().objects();
    let node = |name: &str| match objects.named::<podscope_api::Node>(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err(format!("nodes {name:?} not found")),
    };
    match question {
        Question::Drain(names) => {
            let names: Result<Vec<String>, String> = names.iter().map(|name| node(name)).collect();
            let names = names?.join(" ");
            Ok(vec![format!(
                "kubectl drain {names} --ignore-daemonsets --delete-emptydir-data --force"
            )])
        }
        Question::LoseZone(zone) => {
            let is_there = |node: &&std::sync::Arc<podscope_api::Node>| {
                let labels = &node.metadata.labels;
                (labels.get("topology.kubernetes.io/zone")).is_some_and(|label| **label == *zone)
            };
            let names: Vec<String> = (objects.list::<podscope_api::Node>().filter(is_there))
                .map(|node| format!("fault poweroff {}", node.metadata.name))
                .collect();
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

fn advance(session: &mut Session, span: Span, stop: fn() -> bool) {
    let until = session.now() + span;
    while session.advance(until, PIECE) == Slice::More && !stop() {}
}

/// Lets time run until no command waits and no pod has moved for a while; at least so long.
fn settle(session: &mut Session, least: Span, stop: fn() -> bool) {
    let begin = session.now();
    let (mut moved, mut last) = (begin, compare::places(session));
    while session.now() - begin < LONGEST && !stop() {
        advance(session, LOOK, stop);
        let now = compare::places(session);
        if now != last {
            (moved, last) = (session.now(), now);
        }
        let is_still = session.now() - moved >= STILL && last.values().all(|place| !place.is_moving);
        if is_still && session.world().clients() == 0 && session.now() - begin >= least {
            break;
        }
    }
}

/// Lets a workload come up until nothing moves.
pub(crate) fn settle_workload(session: &mut Session, stop: fn() -> bool) {
    settle(session, COMING_UP, stop);
}

/// Guarantees that break with it and not without.
fn broken(session: &Session, without: &Session) -> Vec<String> {
    let also: &ordered::Map<String, SimTime> = without.progress().broken();
    let broken = session.progress().broken().keys();
    broken.filter(|name| !also.contains_key(*name)).cloned().collect()
}

/// What commands wrote to their error output since then, each line once.
fn complaints(session: &Session, since: SimTime) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let lines = session.outputs().iter();
    for line in lines.filter(|line| line.at >= since && line.kind == OutputKind::Error) {
        // An eviction that a budget refuses is tried again every five seconds; the budget is named by itself.
        let is_retry = line.text.contains("will retry after");
        if !is_retry && !said.contains(&line.text) {
            said.push(line.text.clone());
        }
    }
    said
}
