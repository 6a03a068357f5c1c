//! What is wrong in a cluster at an instant, worst first: each with its reason in a sentence and what would help (P-09).
//!
//! Pods of one owner with one reason are one row. A row's reason is the cluster's own words where it has some (a
//! condition, an Event, kube-scheduler's text of a decision made here), never a guess.

mod nodes;
mod pods;
mod standing;
mod storage;
mod workloads;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::{Event, NodeName, Object, ObjectMeta, Pod, Str, Time};
use podscope_cluster::Objects;
use podscope_scheduler::SchedulerConfiguration;
use serde_json::{Value, json};

pub use podscope_protocol::triage::{Finding, Problem, markdown, plain};
pub use standing::{older_versions, standing};

use crate::owners::workload_of;
use crate::timeline::Session;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only this namespace; objects without one are left out then.
    pub namespace: Option<String>,
    /// Only this pod, `NAMESPACE/NAME`.
    pub pod: Option<String>,
}

/// What the parts of the triage share.
struct Triage<'a> {
    objects: &'a Objects,
    /// The cluster's time at t = 0.
    start: Time,
    now: Time,
    scope: &'a Scope,
    config: SchedulerConfiguration,
    /// What Events say of objects by UID: reason, message, time.
    events: ordered::Map<Str, Vec<(Str, Str, Option<Time>)>>,
    findings: Vec<Finding>,
}

/// What is wrong in a session's cluster now.
#[must_use]
pub fn triage(session: &Session, scope: &Scope) -> Vec<Finding> {
    let objects = session.world().objects();
    let start = session.world().start();
    let now = Time(start.0 + session.now().0);
    let mut triage = Triage {
        objects,
        start,
        now,
        scope,
        config: session.scheduler_config(),
        events: events_of(objects),
        findings: Vec::new(),
    };
    triage.pods();
    if scope.pod.is_none() {
        triage.nodes();
        triage.workloads();
        triage.storage();
    }
    let mut findings = triage.findings;
    findings.stable_sort_by_key(|found| (found.problem, usize::MAX - found.count, found.object.clone()));
    findings
}

/// The Warnings about each object, newest last.
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
    /// Whether objects of a namespace are looked at.
    fn sees(&self, namespace: &str) -> bool {
        self.scope.namespace.as_deref().is_none_or(|only| only == namespace)
    }

    fn add(
        &mut self,
        problem: Problem,
        object: String,
        meta: &ObjectMeta,
        reason: String,
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

    /// The newest Warning with one of these reasons about an object.
    fn warning(&self, uid: &podscope_api::Uid, reasons: &[&str]) -> Option<&str> {
        let all = self.events.get(&uid.0)?;
        let mut newest = all.iter().rev();
        newest
            .find(|(reason, ..)| reasons.contains(&&**reason))
            .map(|(_, message, _)| &**message)
    }

    /// Whether the control plane does not hear the node of that name: it is Unknown, or not there at all.
    fn is_lost(&self, node: &NodeName) -> bool {
        let node = self.objects.named::<podscope_api::Node>(node.as_str());
        node.is_some_and(|node| !node.is_ready())
    }

    /// The controller of an object with its kind, a ReplicaSet's Deployment for the ReplicaSet.
    fn owner(&self, meta: &ObjectMeta) -> Option<String> {
        let owner = workload_of(self.objects, meta)?;
        Some(format!("{} {}/{}", owner.kind, meta.namespace, owner.name))
    }
}

/// `KIND NAMESPACE/NAME`, or `KIND NAME`.
fn named(object: &Object) -> String {
    format!("{} {}", object.kind().name(), object.key())
}

fn pod_name(pod: &Pod) -> String {
    format!("Pod {}", pod.metadata.key())
}

/// The text without its trailing full stop, so that sentences can be joined.
fn clause(text: &str) -> &str {
    text.trim_end().trim_end_matches('.')
}

/// The findings in the form of `podscope why -o json`.
#[must_use]
pub fn to_json(session: &Session, findings: &[Finding]) -> Value {
    let start = session.world().start().0;
    let rows = findings.iter().map(|found| {
        json!({
            "object": found.object,
            "problem": found.problem.name(),
            "reason": found.reason,
            "since": found.since.map(|since| podscope_api::print_rfc3339(start + since, 0)),
            "help": found.help,
            "count": found.count,
            "owner": found.owner,
        })
    });
    Value::Array(rows.collect())
}
