//! Counts how many more pods of one shape fit: the scheduler places copies, with all its plugins, until no node accepts
//! one. Preemption is not counted. The answer has each node's reason for refusing the next copy.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, Object, ObjectKey, Pod, PodPhase};
use podscope_cluster::{Rng, Span};
use podscope_kubectl::command;
use podscope_protocol::Problem;
use podscope_scheduler::explain::{NodeVerdict, explain};
use podscope_scheduler::{NoRecorder, Outcome, Scheduler};
use serde::Serialize;

use super::run;
use crate::explain::scheduler_of;
use crate::scenario::{self, File, Loaded};
use crate::timeline::{Session, Slice};

/// Maximum number of copies that are placed.
pub const MAX_COPIES: usize = 100_000;

/// Number of pods that fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fit {
    pub fits: usize,
    /// For each node, why it refuses the next pod. Empty if counting stopped at the maximum.
    pub stopped_by: Vec<StoppedBy>,
    /// Number of placed pods by node.
    pub on: podscope_api::ordered::Map<String, usize>,
}

/// A node with its reason for refusing the next pod.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoppedBy {
    pub node: String,
    /// Reasons of kube-scheduler.
    pub reason: String,
}

/// Counts how many more pods of the file `shape` fit into a cluster. The file contains a Pod, or a workload with a pod
/// template.
///
/// # Errors
/// Problems of the files, or the API server's reason for refusing the pod.
pub fn fit(cluster: &Loaded, shape: File, stop: fn() -> bool) -> Result<Fit, Vec<Problem>> {
    let session = run::start_cluster(cluster.clone(), stop)?;
    let pod = admitted(&session, shape)?;
    let mut scheduler = scheduler_of(session.world().objects(), session.scheduler_config(), 0);
    let mut rng = Rng::split(cluster.setup.seed, "whatif/fit");
    let mut fit = Fit::default();
    while fit.fits < MAX_COPIES && !stop() {
        let Some(node) = place(&mut scheduler, &pod, fit.fits, &mut rng) else {
            fit.stopped_by = stopped_by(&scheduler, &pod);
            break;
        };
        fit.fits += 1;
        *fit.on.entry(node).or_default() += 1;
    }
    Ok(fit)
}

/// Returns the pod of a file after admission, with defaults, priority and tolerations.
fn admitted(session: &Session, shape: File) -> Result<Pod, Vec<Problem>> {
    let name = shape.0.clone();
    let loaded = scenario::load(&[shape])?;
    let refuse = |why: &str| vec![Problem::of(&name, why.to_owned())];
    let mut shapes = loaded.setup.objects.iter();
    let template = shapes
        .find_map(|object| match object {
            Object::Pod(pod) => Some(Pod::clone(pod)),
            other => other.template().map(|template| {
                let mut pod = Pod::default();
                pod.metadata.namespace = other.metadata().namespace.clone();
                pod.metadata.labels = template.metadata.labels.clone();
                pod.metadata.annotations = template.metadata.annotations.clone();
                pod.spec = template.spec.clone();
                pod
            }),
        })
        .ok_or_else(|| refuse("there is no Pod in it, and nothing with a template of one"))?;
    let mut pod = template;
    pod.metadata.name = "fit".into();
    pod.metadata.uid = Default::default();
    pod.metadata.owner_references = Default::default();
    pod.metadata.resource_version = Default::default();
    pod.spec.node_name = None;
    pod.status = Default::default();
    let namespace = pod.metadata.namespace.to_string();
    let text = podscope_api::print_yaml(&podscope_kubectl::printed_value(&Object::Pod(Arc::new(pod)), false));
    let line = format!("kubectl create -f - <<'EOF'\n{text}EOF\n");
    let read = command::parse(&line).map_err(|error| refuse(&error.message))?;
    let mut trial = session.clone();
    let before = trial.outputs().len();
    trial.command(read).map_err(|limit| refuse(&limit.to_string()))?;
    // Advance until the API server has created the pod, before the scheduler assigns a node to it.
    let until = trial.now() + Span::seconds(1);
    let key = ObjectKey::new(if namespace.is_empty() { "default" } else { &namespace }, "fit");
    while trial.advance_while(until, 1, |world| world.objects().get_kind(Kind::Pod, &key).is_none()) == Slice::More {}
    let created = trial.world().objects().get::<Pod>(&key);
    let output = || {
        let lines = trial.outputs()[before..].iter().map(|line| line.text.clone());
        lines.collect::<Vec<_>>().join(" ")
    };
    let mut pod = Pod::clone(created.ok_or_else(|| refuse(&output()))?);
    pod.spec.node_name = None;
    pod.status = Default::default();
    Ok(pod)
}

/// Places one copy. Returns its node, or None if no node accepts it.
fn place(scheduler: &mut Scheduler, pod: &Pod, nth: usize, rng: &mut Rng) -> Option<String> {
    let mut copy = pod.clone();
    copy.metadata.name = format!("{}-{nth}", pod.metadata.name).into();
    copy.metadata.uid = podscope_api::Uid(format!("fit-{nth}").into());
    let pending = Object::Pod(Arc::new(copy.clone()));
    scheduler.on_change(None, Some(&pending), 0);
    let mut draw = || rng.bits();
    let attempt = scheduler.schedule_one(0, &mut draw, &mut NoRecorder)?;
    let Outcome::Assumed { node, .. } = attempt.outcome else {
        scheduler.on_change(Some(&pending), None, 0);
        return None;
    };
    copy.spec.node_name = Some(node.clone());
    copy.status.phase = Some(PodPhase::Running);
    scheduler.on_change(Some(&pending), Some(&Object::Pod(Arc::new(copy))), 0);
    drop(scheduler.bind_finished(&attempt.uid, Ok(()), 0));
    Some(node.to_string())
}

/// Returns each node's reason for refusing the pod.
fn stopped_by(scheduler: &Scheduler, pod: &Pod) -> Vec<StoppedBy> {
    let Some((cache, decision)) = scheduler.decide(&Arc::new(pod.clone())) else {
        return Vec::new();
    };
    let explanation = explain(&cache, &decision);
    let refused =
        |node: &&podscope_scheduler::explain::NodeExplanation| matches!(node.verdict, NodeVerdict::Refused(_));
    let mut all: Vec<StoppedBy> = (explanation.nodes.iter().filter(refused))
        .map(|node| StoppedBy {
            node: node.name.clone(),
            reason: node.reasons.join(", "),
        })
        .collect();
    all.stable_sort_by_key(|one| one.node.clone());
    all
}
