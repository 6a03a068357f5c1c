//! Triage: finds the problems of a cluster at an instant, worst first, each with its reason and remedies (P-09).
//!
//! Pods of one owner with the same reason form one row. If the cluster states a reason (in a condition, an Event, or
//! kube-scheduler's message for a simulated decision), the row quotes it. Triage never guesses a reason.

mod nodes;
mod pod_state_notes;
mod pods;
mod storage;
mod workloads;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::{Event, NodeName, Object, ObjectMeta, Pod, Str, Time};
use podscope_cluster::{NodeShorthand, Objects, SimTime};
use podscope_messages::{Sentence, sentence};
use podscope_scheduler::SchedulerConfiguration;
use serde_json::{Value, json};

pub use pod_state_notes::{newest_older_kubelet_version, pod_state_notes};
pub(crate) use pods::shared_decision_owner;
pub use podscope_protocol::triage::{Finding, Problem, markdown, plain_text};

use crate::owners::workload_of;
use crate::scenario::Loaded;
use crate::timeline::Session;

/// Limits triage to a namespace or to one pod.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only objects in this namespace, without cluster-scoped objects; `None` for all objects.
    pub namespace: Option<String>,
    /// Only this pod, as `NAMESPACE/NAME`; `None` for all objects.
    pub pod: Option<String>,
}

/// State of triage while the problems of a cluster are collected.
struct Triage<'a> {
    objects: &'a Objects,
    /// Wall-clock time at t = 0. The times in findings are relative to it.
    start: Time,
    now: Time,
    scope: &'a Scope,
    config: SchedulerConfiguration,
    /// The scenario's nodes and node groups.
    nodes: &'a NodeShorthand,
    /// Warning Events by the UID of the object that they are about, newest last: reason, message, time.
    events: ordered::Map<Str, Vec<(Str, Str, Option<Time>)>>,
    findings: Vec<Finding>,
}

/// Returns the problems of a session's cluster at the current time, worst first.
#[must_use]
pub fn triage(session: &Session, scope: &Scope) -> Vec<Finding> {
    triage_objects(session.world().objects(), session.loaded(), session.now(), scope)
}

/// Returns the problems of a cluster with these objects at `now`, worst first. `loaded` is the cluster's scenario.
#[must_use]
pub fn triage_objects(objects: &Objects, loaded: &Loaded, now: SimTime, scope: &Scope) -> Vec<Finding> {
    let start = loaded.setup.start;
    let mut triage = Triage {
        objects,
        start,
        now: Time(start.0 + now.0),
        scope,
        config: loaded.setup.settings.scheduler.clone(),
        nodes: &loaded.setup.nodes,
        events: events_of(objects),
        findings: Vec::new(),
    };
    triage.add_pod_problems();
    if scope.pod.is_none() {
        triage.add_node_problems();
        triage.add_workload_problems();
        triage.add_storage_problems();
    }
    let mut findings = triage.findings;
    findings.stable_sort_by_key(|found| (found.problem, usize::MAX - found.count, found.object.clone()));
    findings
}

/// Collects the Warning Events by the UID of the object that they are about, newest last.
fn events_of(objects: &Objects) -> ordered::Map<Str, Vec<(Str, Str, Option<Time>)>> {
    let mut found: ordered::Map<Str, Vec<(Str, Str, Option<Time>)>> = ordered::Map::new();
    for event in objects.list::<Event>().filter(|event| &*event.kind == "Warning") {
        let series = event.series.as_ref().and_then(|series| series.last_observed_time);
        let told = series
            .max(event.event_time)
            .map(|at| Time(at.0))
            .max(event.last_timestamp);
        let uid = event.involved_object.uid.0.clone();
        found
            .entry(uid)
            .or_default()
            .push((event.reason.clone(), event.message.clone(), told));
    }
    for all in found.values_mut() {
        all.stable_sort_by_key(|(_, _, told)| *told);
    }
    found
}

impl Triage<'_> {
    /// Returns whether triage includes objects of this namespace.
    fn includes_namespace(&self, namespace: &str) -> bool {
        self.scope.namespace.as_deref().is_none_or(|only| only == namespace)
    }

    fn add_finding(
        &mut self,
        problem: Problem,
        object: String,
        meta: &ObjectMeta,
        reason: Sentence,
        since: Option<Time>,
    ) -> &mut Finding {
        self.findings.push(Finding {
            object,
            problem,
            reason,
            since: since.map(|since| since.0 - self.start.0),
            help: Vec::new(),
            count: 1,
            owner: None,
            namespace: meta.namespace.to_string(),
        });
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    /// Returns the message of the object's newest Warning Event with one of these reasons.
    fn newest_warning(&self, uid: &podscope_api::Uid, reasons: &[&str]) -> Option<&str> {
        let all = self.events.get(&uid.0)?;
        let mut newest = all.iter().rev();
        newest
            .find(|(reason, ..)| reasons.contains(&&**reason))
            .map(|(_, message, _)| &**message)
    }

    /// Returns whether the node exists and is not ready.
    fn is_node_not_ready(&self, node: &NodeName) -> bool {
        let node = self.objects.named::<podscope_api::Node>(node.as_str());
        node.is_some_and(|node| !node.is_ready())
    }

    /// Returns the workload that owns the object, as `KIND NAMESPACE/NAME`. For a pod of a Deployment's ReplicaSet,
    /// this is the Deployment.
    fn owner(&self, meta: &ObjectMeta) -> Option<String> {
        let owner = workload_of(self.objects, meta)?;
        Some(format!("{} {}/{}", owner.kind, meta.namespace, owner.name))
    }
}

/// Formats kind and key of an object, as `KIND NAMESPACE/NAME` or `KIND NAME`.
fn object_text(object: &Object) -> String {
    format!("{} {}", object.kind().name(), object.key())
}

fn pod_name(pod: &Pod) -> String {
    format!("Pod {}", pod.metadata.key())
}

/// Returns the sentence that finalizers delay the removal of an object that is being deleted.
fn held_by_finalizers(finalizers: Vec<&str>) -> Sentence {
    sentence!(
        problem::held_by_finalizers,
        count = finalizers.len(),
        names = finalizers
    )
}

/// Returns the kubectl command that adds the taint out-of-service to a node. The taint tells the cluster that the
/// node's machine is off.
fn out_of_service_command(node: &str) -> String {
    format!("kubectl taint node {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
}

/// Returns the text without its trailing full stop, so that it can be part of a sentence.
fn without_full_stop(text: &str) -> &str {
    text.trim_end().trim_end_matches('.')
}

/// Converts the findings to the JSON that `podscope why -o json` prints, in English. `start` is the wall-clock time at
/// t = 0.
#[must_use]
pub fn to_json(start: Time, findings: &[Finding]) -> Value {
    let rows = findings.iter().map(|found| {
        json!({
            "object": found.object,
            "problem": found.problem.name(),
            "reason": found.reason.english(),
            "since": found.since.map(|since| podscope_api::print_rfc3339(start.0 + since, 0)),
            "help": found.help.iter().map(Sentence::english).collect::<Vec<_>>(),
            "count": found.count,
            "owner": found.owner,
        })
    });
    Value::Array(rows.collect())
}
