//! The promises (`keep` conditions) of lessons detect wrong actions. During each promise the test runs random actions
//! that a learner may try: delete, force delete, recreate, relabel and scale. The test itself decides whether an action
//! breaks the promise: by the UIDs in the API server and by the running processes, not by the lesson's conditions.

use podscope_api::{Kind, Object, ObjectKey, Uid};
use podscope_cluster::{SimTime, Span};
use podscope_kubectl::command::{Get, parse, parse_piped};
use podscope_kubectl::selected;
use podscope_session::lessons;
use podscope_session::play::{self, Attempt};
use podscope_session::scenario::{Check, Condition, Test, Timed};
use podscope_session::timeline::{Session, Slice};

/// Number of random actions during each promise.
const ACTIONS_PER_PROMISE: usize = 4;
/// Time for which the effect of an action is observed.
const OBSERVATION_TIME: Span = Span::seconds(45);
/// Time between two checks of the promises.
const CHECK_INTERVAL: Span = Span::millis(250);

/// A reproducible sequence of random numbers.
struct RandomSequence(u64);

impl RandomSequence {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A command line, and its standard input.
type CommandLine = (String, Option<String>);

/// What a promise protects: the objects or pods that must stay.
enum ProtectedObjects {
    /// An object that must stay.
    Object {
        kind: Kind,
        key: ObjectKey,
        uid: Option<Uid>,
    },
    /// Objects that must stay, by UID.
    Uids(Vec<Uid>),
    /// Pods that `get` selects: at least `minimum` of them must run without terminating.
    Serving { get: Box<Get>, minimum: usize },
}

impl ProtectedObjects {
    /// Returns what the promise protects; `None` if it protects no objects that an action could delete or replace.
    fn of(keep: &Condition, session: &Session) -> Option<Self> {
        let objects = session.world().objects();
        let object = |kind: &Kind, key: &ObjectKey| Self::Object {
            kind: *kind,
            key: key.clone(),
            uid: objects.get_kind(*kind, key).map(|object| object.metadata().uid.clone()),
        };
        match keep.check.as_ref()? {
            Check::Object {
                test: Test::Exists(false),
                ..
            } => None,
            Check::Object { kind, key, .. } => Some(object(kind, key)),
            Check::Same(get) => {
                let selected = selected(&get.target, objects);
                Some(Self::Uids(
                    selected.iter().map(|one| one.metadata().uid.clone()).collect(),
                ))
            }
            Check::Never(inner) => match &**inner {
                Check::Object { kind, key, .. } => Some(object(kind, key)),
                _ => None,
            },
            Check::Ready { get, test } => Some(Self::Serving {
                get: get.clone(),
                minimum: match test {
                    Test::Range { least: Some(least), .. } => usize::try_from(*least).ok()?,
                    Test::Equals(value) => value.as_u64().and_then(|number| usize::try_from(number).ok())?,
                    _ => return None,
                },
            }),
            Check::Count { .. } | Check::Requests { .. } | Check::Invariant(_) => None,
        }
    }

    /// Returns the objects on which the test tries wrong actions.
    fn objects(&self, session: &Session) -> Vec<Object> {
        let objects = session.world().objects();
        match self {
            Self::Object { kind, key, .. } => objects.get_kind(*kind, key).into_iter().collect(),
            Self::Uids(uids) => uids.iter().filter_map(|uid| objects.by_uid(uid)).collect(),
            Self::Serving { get, .. } => selected(&get.target, objects),
        }
    }

    /// Returns whether the promise is broken now.
    fn is_broken(&self, session: &Session) -> bool {
        let objects = session.world().objects();
        match self {
            Self::Object { kind, key, uid } => {
                uid.is_some() && objects.get_kind(*kind, key).map(|object| object.metadata().uid.clone()) != *uid
            }
            Self::Uids(uids) => uids.iter().any(|uid| objects.by_uid(uid).is_none()),
            Self::Serving { get, minimum } => {
                let processes: Vec<_> = session
                    .world()
                    .machines()
                    .flat_map(|(_, machine)| machine.processes())
                    .collect();
                let runs = |pod: &&Object| {
                    let uid = &pod.metadata().uid;
                    processes
                        .iter()
                        .any(|process| process.uid == *uid && process.signals.is_empty())
                };
                selected(&get.target, objects).iter().filter(runs).count() < *minimum
            }
        }
    }
}

/// Returns wrong actions on an object.
fn wrong_actions(object: &Object, session: &Session) -> Vec<Vec<CommandLine>> {
    let (kind, metadata) = (object.kind(), object.metadata());
    let (name, namespace) = (&metadata.name, &metadata.namespace);
    let of = format!("{} {name}", kind.plural());
    let within = if kind.is_namespaced() {
        format!(" -n {namespace}")
    } else {
        String::new()
    };
    let line = |text: String| (text, None);
    let delete = line(format!("kubectl delete {of}{within} --wait=false"));
    let force = line(format!("kubectl delete {of}{within} --grace-period=0 --force"));
    let mut value = podscope_kubectl::printed_value(object, false);
    if let Some(fields) = value.as_object_mut() {
        fields.remove("status");
    }
    if let Some(fields) = value.get_mut("metadata").and_then(|metadata| metadata.as_object_mut()) {
        fields.retain(|field, _| matches!(field.as_str(), "name" | "namespace" | "labels" | "annotations"));
    }
    let recreate = (format!("kubectl apply -f -{within}"), Some(value.to_string()));
    let mut actions = vec![vec![delete.clone()], vec![force.clone()], vec![force, recreate]];
    if let Some(label) = metadata.labels.keys().next() {
        actions.push(vec![line(format!(
            "kubectl label {of}{within} {label}=other --overwrite"
        ))]);
    }
    if kind == Kind::Pod
        && let Some((label, value)) = metadata.labels.iter().next()
    {
        actions.push(vec![line(format!(
            "kubectl delete pods -l {label}={value}{within} --wait=false"
        ))]);
        actions.push(vec![line(format!(
            "kubectl delete pods -l {label}={value}{within} --grace-period=0 --force"
        ))]);
    }
    for workload in [Kind::Deployment, Kind::StatefulSet, Kind::ReplicaSet] {
        for owner in session.world().objects().list_kind(workload) {
            if owner.metadata().owner_references.is_empty() && owner.metadata().namespace == *namespace {
                let owner = format!("{}/{}", workload.plural(), owner.metadata().name);
                actions.push(vec![line(format!("kubectl scale {owner}{within} --replicas=0"))]);
            }
        }
    }
    actions
}

/// Runs the solution of a lesson up to the instant `shown_at`, at which it reaches the step.
fn run_to_step(name: &str, step: usize, shown_at: SimTime) -> Session {
    let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    let is_before = |timed: &&Timed| timed.at < shown_at;
    let before: Vec<Timed> = loaded.scenario.solution.iter().filter(is_before).cloned().collect();
    let mut session = Session::new(loaded).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    session.schedule(before);
    while session.progress().story().shown().len() <= step && session.now() <= shown_at {
        let _: Slice = session.advance(session.now() + CHECK_INTERVAL, 100_000);
    }
    session
}

/// Runs an action during a promise. Returns a message if the action breaks the promise but the lesson does not stop.
fn undetected_broken_promise(session: &Session, step: usize, action: &[CommandLine], delay: Span) -> Option<String> {
    let mut session = session.clone();
    let steps = session.loaded().scenario.steps.clone();
    let keeps = &steps[step].keeps;
    let subjects: Vec<Option<ProtectedObjects>> =
        keeps.iter().map(|keep| ProtectedObjects::of(keep, &session)).collect();
    let act_at = session.now() + delay;
    while session.now() < act_at && session.advance(act_at, 100_000) == Slice::More {}
    for (text, stdin) in action {
        let command = match stdin {
            Some(_) => parse_piped(text, stdin.as_deref()).map(|(command, _)| command),
            None => parse(text),
        };
        let command = command.unwrap_or_else(|error| panic!("{text}: {error:?}"));
        session
            .command(command)
            .unwrap_or_else(|limit| panic!("{text}: {limit:?}"));
        let answered = session.now() + Span::seconds(1);
        while session.now() < answered && session.advance(answered, 100_000) == Slice::More {}
    }
    let end = session.now() + OBSERVATION_TIME;
    let mut broken: Vec<Option<SimTime>> = vec![None; subjects.len()];
    while session.now() < end && session.progress().story().finished().is_none() {
        for (subject, broken) in subjects.iter().zip(&mut broken) {
            let is_broken = subject.as_ref().is_some_and(|subject| subject.is_broken(&session));
            *broken = broken.or(is_broken.then(|| session.now()));
        }
        let target = session.now() + CHECK_INTERVAL;
        while session.now() < target && session.advance(target, 100_000) == Slice::More {}
    }
    let story = session.progress().story();
    let first = broken
        .iter()
        .zip(keeps)
        .find_map(|(broken, keep)| Some((keep, (*broken)?)))?;
    let (keep, at) = first;
    let words: Vec<&str> = action.iter().map(|(text, _)| text.as_str()).collect();
    story.halt().is_none().then(|| {
        format!(
            "step {}: {} at {}: {}",
            step + 1,
            words.join("; "),
            at,
            keep.description
        )
    })
}

/// A promise is a `keep` condition of a lesson. Whether an action breaks it is decided by the objects' UIDs and the
/// running processes, independently of the condition.
/// Shows: E-07
#[test]
fn lesson_stops_when_an_action_breaks_its_promise() {
    let mut complaints = Vec::new();
    let mut n_actions = 0;
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        if loaded.scenario.steps.iter().all(|step| step.keeps.is_empty()) {
            continue;
        }
        let guide = play::play(loaded.clone(), Attempt::Solution, None);
        let guide = guide.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        for (step, shown) in guide.session.progress().story().shown().iter().enumerate() {
            let keeps = &loaded.scenario.steps[step].keeps;
            if keeps.is_empty() {
                continue;
            }
            let session = run_to_step(name, step, shown.at);
            let subjects = keeps.iter().filter_map(|keep| ProtectedObjects::of(keep, &session));
            let objects: Vec<Object> = subjects.flat_map(|subject| subject.objects(&session)).collect();
            let all: Vec<Vec<CommandLine>> = objects
                .iter()
                .flat_map(|object| wrong_actions(object, &session))
                .collect();
            let mut random = RandomSequence(name.bytes().fold(step as u64, |seed, byte| {
                seed.wrapping_mul(31).wrapping_add(u64::from(byte))
            }));
            for _ in 0..ACTIONS_PER_PROMISE.min(all.len()) {
                let (action, delay) = (&all[random.below(all.len())], Span::seconds(random.below(5) as i64));
                n_actions += 1;
                complaints.extend(
                    undetected_broken_promise(&session, step, action, delay).map(|why| format!("{name}, {why}")),
                );
            }
        }
    }
    assert!(n_actions > 100, "{n_actions} actions were tried");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
