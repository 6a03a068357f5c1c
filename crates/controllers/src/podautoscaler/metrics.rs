//! From what pods use to how many of them are wanted: one number a metric.

use std::sync::Arc;

use podscope_api::{
    BEHAVIOR_PREFIX, ConditionStatus, ContainerBehavior, HorizontalPodAutoscaler, Pod, PodPhase, Quantity, Str, Time,
    Usage, container_behaviors, load, ordered,
};
use podscope_sim::{Objects, Span};
use serde_json::{Value, json};

use super::Scale;

/// A ratio this near to 1 is left alone (`--horizontal-pod-autoscaler-tolerance`).
const TOLERANCE: f64 = 0.1;
/// After its start a pod's use of cpu counts only while it is ready (`…-cpu-initialization-period`).
const CPU_INITIALIZATION: Span = Span::seconds(300);
/// How long a pod must have been ready for its use of cpu to be that of its work: a window of the metrics.
const WINDOW: Span = Span::seconds(15);
/// A pod that was unready from its start on until here is taken for one that never got ready
/// (`…-initial-readiness-delay`).
const READINESS_DELAY: Span = Span::seconds(30);

/// What one metric asks for.
pub(super) struct Proposal {
    pub(super) replicas: i32,
    /// `cpu resource utilization (percentage of request)`.
    pub(super) name: String,
    /// An entry of `status.currentMetrics`.
    pub(super) status: Value,
}

/// Why a metric asks for nothing.
pub(super) struct Failure {
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// What stands before the message where several are told of.
    pub(super) prefix: String,
}

/// The pods of a scale, and what they use now.
pub(super) struct Reading {
    pods: Vec<Arc<Pod>>,
    load: ordered::Map<Str, Usage>,
    /// Since the autoscaler was made.
    age: i64,
    current: i32,
    behavior: Value,
    now: Time,
    /// Whether nothing says what the pods use: they are of a dump.
    is_unmetered: bool,
}

/// Pods, each with whether it counts.
type Counted<'p> = Vec<(&'p Arc<Pod>, bool)>;

/// What the pods that count use of one thing, in thousandths.
struct Uses {
    each: Vec<i64>,
    /// Pods that do not count yet; they use nothing when more are asked for.
    unready: usize,
}

impl Uses {
    fn total(&self) -> i64 {
        self.each.iter().sum()
    }

    fn average(&self) -> i64 {
        self.total() / self.count().max(1)
    }

    fn count(&self) -> i64 {
        i64::try_from(self.each.len()).unwrap_or(i64::MAX)
    }
}

impl Reading {
    pub(super) fn new(autoscaler: &HorizontalPodAutoscaler, scale: &Scale, objects: &Objects, now: Time) -> Self {
        let pods = objects.list_in::<Pod>(&scale.key.namespace);
        let made = autoscaler.metadata.creation_timestamp.unwrap_or(now);
        let pods: Vec<Arc<Pod>> = pods
            .filter(|pod| scale.selector.matches(&pod.metadata.labels))
            .cloned()
            .collect();
        let is_scripted = |pod: &Arc<Pod>| {
            pod.metadata
                .annotations
                .keys()
                .any(|key| key.starts_with(BEHAVIOR_PREFIX))
        };
        Self {
            is_unmetered: objects.assumed().unmetered().contains(&autoscaler.metadata.uid)
                && !pods.iter().any(is_scripted),
            pods,
            // What is written by requests can be read; of a live object, which is taken as it is, nothing is known then.
            load: load(&autoscaler.metadata.annotations).unwrap_or_default(),
            age: now.0 - made.0,
            current: scale.replicas,
            behavior: autoscaler.spec.behavior.clone().unwrap_or_default(),
            now,
        }
    }

    /// What a metric asks for.
    pub(super) fn proposal(&self, metric: &Value) -> Result<Proposal, Failure> {
        match metric["type"].as_str() {
            Some("Resource") => self.resource(&metric["resource"]),
            Some("Pods") => self.per_pod(&metric["pods"]),
            Some("Object") => self.whole(&metric["object"], "object", "FailedGetObjectMetric"),
            Some("External") => self.whole(&metric["external"], "external", "FailedGetExternalMetric"),
            // `~` Of one container; the pods here are taken as a whole.
            Some("ContainerResource") => self.resource(&metric["containerResource"]),
            other => {
                let message = format!("unknown metric source type {:?}", other.unwrap_or_default());
                Err(Failure {
                    reason: "InvalidMetricSourceType",
                    prefix: message.clone(),
                    message,
                })
            }
        }
    }

    /// How many pods a ratio of use asks for, as it is and with the unready ones counted as idle.
    fn replicas(&self, uses: &Uses, ratio: f64, idle_ratio: f64) -> i32 {
        let times = |ratio: f64, count: i64| i32::try_from((ratio * count as f64).ceil() as i64).unwrap_or(i32::MAX);
        if uses.unready == 0 || ratio <= 1.0 {
            return if self.is_tolerated(ratio) {
                self.current
            } else {
                times(ratio, uses.count())
            };
        }
        if self.is_tolerated(idle_ratio) || idle_ratio < 1.0 {
            return self.current;
        }
        let all = uses.count() + i64::try_from(uses.unready).unwrap_or(i64::MAX);
        times(idle_ratio, all).max(self.current)
    }

    /// How many pods are wanted so that each uses so many thousandths.
    fn replicas_by_average(&self, uses: &Uses, wanted: i64) -> i32 {
        let ratio = uses.average() as f64 / wanted as f64;
        let idle = ratio * uses.count() as f64 / (uses.count() as f64 + uses.unready as f64);
        self.replicas(uses, ratio, idle)
    }

    fn is_tolerated(&self, ratio: f64) -> bool {
        let of = |direction: &str| {
            let text = self.behavior[direction]["tolerance"]
                .as_str()
                .and_then(|text| text.parse::<Quantity>().ok());
            text.map_or(TOLERANCE, |amount| amount.milli_value() as f64 / 1000.0)
        };
        (1.0 - of("scaleDown")..=1.0 + of("scaleUp")).contains(&ratio)
    }

    fn resource(&self, source: &Value) -> Result<Proposal, Failure> {
        let name = source["name"].as_str().unwrap_or_default();
        let fail = |why: String| Failure {
            reason: "FailedGetResourceMetric",
            message: format!("failed to get {name} utilization: {why}"),
            prefix: format!("failed to get {name} resource metric value"),
        };
        if self.is_unmetered {
            return Err(fail(format!(
                "unable to get metrics for resource {name}: no metrics returned from resource metrics API"
            )));
        }
        let target = &source["target"];
        let is_cpu = name == "cpu";
        let (uses, pods) = self.uses(name, is_cpu).map_err(fail)?;
        let average = uses.average();
        let shown = |current: Value| json!({"type": "Resource", "resource": {"name": name, "current": current}});
        if let Some(wanted) = quantity(&target["averageValue"]) {
            return Ok(Proposal {
                replicas: self.replicas_by_average(&uses, wanted),
                name: format!("{name} resource"),
                status: shown(json!({"averageValue": milli(average)})),
            });
        }
        let Some(wanted) = target["averageUtilization"].as_i64() else {
            let why = "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";
            return Err(fail(why.to_owned()));
        };
        let requested = |pods: &[&Arc<Pod>]| -> Result<i64, Failure> {
            let each: Result<Vec<i64>, String> = pods.iter().map(|pod| request(pod, name)).collect();
            Ok(each.map_err(fail)?.iter().sum())
        };
        let utilization = |requested: i64| uses.total() * 100 / requested.max(1);
        let counted: Vec<&Arc<Pod>> = pods.iter().filter(|(_, counts)| *counts).map(|(pod, _)| *pod).collect();
        let all: Vec<&Arc<Pod>> = pods.iter().map(|(pod, _)| *pod).collect();
        let now = utilization(requested(&counted)?);
        let idle = utilization(requested(&all)?) as f64 / wanted as f64;
        Ok(Proposal {
            replicas: self.replicas(&uses, now as f64 / wanted as f64, idle),
            name: format!("{name} resource utilization (percentage of request)"),
            status: shown(json!({"averageUtilization": now, "averageValue": milli(average)})),
        })
    }

    /// A metric of each pod, by name.
    fn per_pod(&self, source: &Value) -> Result<Proposal, Failure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let fail = |why: String| Failure {
            reason: "FailedGetPodsMetric",
            message: why,
            prefix: "failed to get pods metric value".to_owned(),
        };
        if !self.load.contains_key(name) {
            let why = "no metrics returned from custom metrics API";
            return Err(fail(format!("unable to get metric {name}: {why}")));
        }
        let (uses, _) = self.uses(name, false).map_err(fail)?;
        let average = uses.average();
        let Some(wanted) = quantity(&source["target"]["averageValue"]) else {
            return Err(fail(
                "invalid pods metric source: no average value target was set".to_owned(),
            ));
        };
        Ok(Proposal {
            replicas: self.replicas_by_average(&uses, wanted),
            name: format!("pods metric {name}"),
            status: json!({"type": "Pods", "pods": {"metric": {"name": name}, "current": {"averageValue": milli(average)}}}),
        })
    }

    /// A metric of something else, for all pods together.
    fn whole(&self, source: &Value, field: &str, reason: &'static str) -> Result<Proposal, Failure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let fail = |why: String| Failure {
            reason,
            message: why,
            prefix: format!("failed to get {field} metric value"),
        };
        let Some(total) = self.load.get(name).map(|usage| usage.at(self.age).milli_value()) else {
            let why = format!("unable to get {field} metric {name}: no metrics returned from {field} metrics API");
            return Err(fail(why));
        };
        let target = &source["target"];
        let per_pod = quantity(&target["averageValue"]);
        let (replicas, current) = match (per_pod, quantity(&target["value"])) {
            (Some(wanted), _) => {
                let ratio = total as f64 / (wanted as f64 * f64::from(self.current.max(1)));
                let replicas = if self.is_tolerated(ratio) {
                    self.current
                } else {
                    ceil_div(total, wanted)
                };
                (
                    replicas,
                    json!({"averageValue": milli(total / i64::from(self.current.max(1)))}),
                )
            }
            (None, Some(wanted)) => {
                let ratio = total as f64 / wanted as f64;
                let ready = self.pods.iter().filter(|pod| pod.is_ready()).count();
                let replicas = if self.is_tolerated(ratio) {
                    self.current
                } else {
                    (ratio * ready as f64).ceil() as i32
                };
                (replicas, json!({"value": milli(total)}))
            }
            (None, None) => {
                let why = format!(
                    "invalid {field} metric source: neither a value target nor an average value target was set"
                );
                return Err(fail(why));
            }
        };
        let mut status = json!({"metric": {"name": name}, "current": current});
        if !source["describedObject"].is_null() {
            status["describedObject"] = source["describedObject"].clone();
        }
        let kind = if field == "object" { "Object" } else { "External" };
        let name = match source["describedObject"]["kind"].as_str() {
            Some(kind) => format!("{kind} metric {name}"),
            None => format!("external metric {name}(nil)"),
        };
        Ok(Proposal {
            replicas,
            name,
            status: json!({"type": kind, field: status}),
        })
    }

    /// What each pod uses that counts; all pods that are there, with whether they count.
    fn uses(&self, name: &str, is_cpu: bool) -> Result<(Uses, Counted<'_>), String> {
        if self.pods.is_empty() {
            return Err("no pods returned by selector while calculating replica count".to_owned());
        }
        let there = self
            .pods
            .iter()
            .filter(|pod| !pod.metadata.is_terminating() && pod.status.phase != Some(PodPhase::Failed));
        let pods: Vec<(&Arc<Pod>, bool)> = there.map(|pod| (pod, self.counts(pod, is_cpu))).collect();
        let counted: Vec<&Arc<Pod>> = pods.iter().filter(|(_, counts)| *counts).map(|(pod, _)| *pod).collect();
        if counted.is_empty() {
            return Err("did not receive metrics for targeted pods (pods might be unready)".to_owned());
        }
        let share = self.load.get(name).map(|usage| {
            let total = usage.at(self.age).milli_value();
            total / i64::try_from(counted.len()).unwrap_or(i64::MAX)
        });
        let each = counted
            .iter()
            .map(|pod| share.unwrap_or_else(|| self.own(pod, name)))
            .collect();
        let uses = Uses {
            each,
            unready: pods.len() - counted.len(),
        };
        Ok((uses, pods))
    }

    /// Whether what a pod uses says anything.
    fn counts(&self, pod: &Pod, is_cpu: bool) -> bool {
        if pod.status.phase != Some(PodPhase::Running) {
            return false;
        }
        if !is_cpu {
            return true;
        }
        let (Some(ready), Some(start)) = (pod.condition("Ready"), pod.status.start_time) else {
            return false;
        };
        let since = ready.last_transition_time.unwrap_or(start);
        let is_ready = ready.status == ConditionStatus::True;
        if start.0 + CPU_INITIALIZATION.0 > self.now.0 {
            is_ready && since.0 + WINDOW.0 <= self.now.0
        } else {
            is_ready || start.0 + READINESS_DELAY.0 <= since.0
        }
    }

    /// What the pod's containers use by their behaviour, in thousandths.
    fn own(&self, pod: &Pod, name: &str) -> i64 {
        let behaviors = container_behaviors(&pod.metadata.annotations, &pod.spec).unwrap_or_default();
        let idle = ContainerBehavior::default();
        let running = pod.status.container_statuses.iter().filter_map(|status| {
            let started = status.state.running.as_ref()?.started_at?;
            let container = pod
                .spec
                .containers
                .iter()
                .find(|container| container.name == status.name)?;
            let behavior = behaviors.get(&container.name).unwrap_or(&idle);
            let since = self.now.0 - started.0;
            Some(match name {
                "cpu" => behavior.cpu_milli_at(container, since),
                "memory" => behavior.memory_at(container, since).saturating_mul(1000),
                _ => 0,
            })
        });
        running.sum()
    }
}

/// What a pod asks for of a resource, in thousandths; every container must say it.
fn request(pod: &Pod, name: &str) -> Result<i64, String> {
    let sidecars = pod
        .spec
        .init_containers
        .iter()
        .filter(|container| container.is_sidecar());
    let mut sum = 0;
    for container in pod.spec.containers.iter().chain(sidecars) {
        let Some(amount) = container.resources.requests.get(name) else {
            let (pod, container) = (&pod.metadata.name, &container.name);
            return Err(format!(
                "missing request for {name} in container {container} of Pod {pod}"
            ));
        };
        sum += amount.milli_value();
    }
    Ok(sum)
}

/// The thousandths of a target that is above zero.
fn quantity(value: &Value) -> Option<i64> {
    let amount = match value {
        Value::String(text) => text.parse::<Quantity>().ok()?,
        Value::Number(number) => number.to_string().parse::<Quantity>().ok()?,
        _ => return None,
    };
    Some(amount.milli_value()).filter(|amount| *amount > 0)
}

fn milli(amount: i64) -> String {
    Quantity::from_milli(amount).to_string()
}

fn ceil_div(total: i64, by: i64) -> i32 {
    i32::try_from(total.div_euclid(by) + i64::from(total.rem_euclid(by) != 0)).unwrap_or(i32::MAX)
}
