//! From what pods use to how many of them are wanted: one number a metric, or why there is none (CT-192, CT-229).
//!
//! What the pods use comes from the behaviour of their containers, or from the autoscaler's own load
//! ([`podscope_api::load`]). A container that does not run has no metrics.

use std::sync::Arc;

use podscope_api::{
    BEHAVIOR_PREFIX, ContainerBehavior, HorizontalPodAutoscaler, Kind, Pod, PodPhase, Quantity, Str, Time, Usage,
    container_behaviors, is_of_pods, load, ordered,
};
use podscope_sim::Objects;
use serde_json::{Value, json};

use super::Scale;
use super::calculator::{Groups, PodMetrics, Tolerances, Utilization, replicas, times, usage_ratio};

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
    /// As the event and the condition tell it.
    pub(super) message: String,
    /// As the summary of all metrics tells it.
    pub(super) summary: String,
}

/// The pods of a scale, and what they use now.
pub(super) struct Reading {
    pub(super) pods: Vec<Arc<Pod>>,
    namespace: Str,
    load: ordered::Map<Str, Usage>,
    /// Since the autoscaler was made.
    age: i64,
    current: i32,
    status_replicas: i32,
    tolerances: Tolerances,
    now: Time,
    /// Whether nothing says what the pods use: they are of a dump.
    is_unmetered: bool,
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
            namespace: scale.key.namespace.clone(),
            // What is written by requests can be read; of a live object, which is taken as it is, nothing is known then.
            load: load(&autoscaler.metadata.annotations).unwrap_or_default(),
            age: now.0 - made.0,
            current: scale.replicas,
            status_replicas: scale.status_replicas,
            tolerances: Tolerances::read(autoscaler.spec.behavior.as_ref().unwrap_or(&Value::Null)),
            now,
        }
    }

    /// What a metric asks for.
    pub(super) fn proposal(&self, metric: &Value) -> Result<Proposal, Failure> {
        match metric["type"].as_str() {
            Some("Resource") => self.resource(&metric["resource"]),
            Some("ContainerResource") => self.container_resource(&metric["containerResource"]),
            Some("Pods") => self.per_pod(&metric["pods"]),
            Some("Object") => self.object(&metric["object"]),
            Some("External") => self.external(&metric["external"]),
            other => {
                let message = format!("unknown metric source type {:?}", other.unwrap_or_default());
                Err(Failure {
                    reason: "InvalidMetricSourceType",
                    summary: message.clone(),
                    message,
                })
            }
        }
    }

    fn resource(&self, source: &Value) -> Result<Proposal, Failure> {
        let name = source["name"].as_str().unwrap_or_default();
        let (replicas, current, is_utilization) = self.of_resource(source, None).map_err(|message| Failure {
            reason: "FailedGetResourceMetric",
            summary: format!("failed to get {name} resource metric value: {message}"),
            message,
        })?;
        let utilization = if is_utilization {
            " utilization (percentage of request)"
        } else {
            ""
        };
        Ok(Proposal {
            replicas,
            name: format!("{name} resource{utilization}"),
            status: json!({"type": "Resource", "resource": {"name": name, "current": current}}),
        })
    }

    fn container_resource(&self, source: &Value) -> Result<Proposal, Failure> {
        let [name, container] = ["name", "container"].map(|field| source[field].as_str().unwrap_or_default());
        let found = self.of_resource(source, Some(container));
        let (replicas, current, is_utilization) = found.map_err(|message| Failure {
            reason: "FailedGetContainerResourceMetric",
            summary: format!("failed to get {container} container metric value: {message}"),
            message,
        })?;
        let shown = if is_utilization {
            format!("{name} container resource utilization (percentage of request)")
        } else {
            format!("{name} resource")
        };
        let status = json!({"name": name, "container": container, "current": current});
        Ok(Proposal {
            replicas,
            name: shown,
            status: json!({"type": "ContainerResource", "containerResource": status}),
        })
    }

    /// Replicas by a resource of the pods or of one container; the current value, and whether it is one in percent.
    fn of_resource(&self, source: &Value, container: Option<&str>) -> Result<(i32, Value, bool), String> {
        let name = source["name"].as_str().unwrap_or_default();
        let target = &source["target"];
        let measured = || {
            let metrics = self.resource_metrics(name, container);
            let metrics = metrics.map_err(|why| format!("unable to get metrics for resource {name}: {why}"))?;
            self.ready_metrics(metrics, name == "cpu")
        };
        if let Some(wanted) = quantity(&target["averageValue"]) {
            let (replicas, average) = measured()
                .map(|(metrics, groups)| self.by_average(metrics, &groups, wanted))
                .map_err(|why| format!("failed to get {name} usage: {why}"))?;
            return Ok((replicas, json!({"averageValue": milli(average)}), false));
        }
        let Some(wanted) = target["averageUtilization"].as_i64() else {
            return Err(
                "invalid resource metric source: neither an average utilization target nor an average value \
                        (usage) target was set"
                    .to_owned(),
            );
        };
        let utilization = || {
            let (metrics, groups) = measured()?;
            let requests = self.requests(name, container)?;
            let now = Utilization::of(&metrics, &requests, wanted)?;
            let full = |pod: &Str| requests.get(pod).map_or(0, |request| request * wanted.max(100) / 100);
            let ratio = |metrics: &PodMetrics| Utilization::of(metrics, &requests, wanted).map(|one| one.ratio);
            let replicas = replicas(self.current, metrics, &groups, self.tolerances, full, ratio)?;
            Ok((replicas, now))
        };
        let (replicas, now) =
            utilization().map_err(|why: String| format!("failed to get {name} utilization: {why}"))?;
        let current = json!({"averageUtilization": now.percent, "averageValue": milli(now.average)});
        Ok((replicas, current, true))
    }

    /// A metric of each pod, by name.
    fn per_pod(&self, source: &Value) -> Result<Proposal, Failure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let fail = |message: String| Failure {
            reason: "FailedGetPodsMetric",
            summary: format!("failed to get pods metric value: {message}"),
            message,
        };
        let measured: Vec<&Arc<Pod>> = self.pods.iter().filter(|pod| is_measured(pod)).collect();
        if !self.load.contains_key(name) || measured.is_empty() {
            let why = "no metrics returned from custom metrics API";
            return Err(fail(format!("unable to get metric {name}: {why}")));
        }
        let metrics = self.share(name, &measured, false).unwrap_or_default();
        let (metrics, groups) = self.ready_metrics(metrics, false).map_err(fail)?;
        let wanted = quantity(&source["target"]["averageValue"]).unwrap_or(1);
        let (replicas, average) = self.by_average(metrics, &groups, wanted);
        let status = json!({"metric": identifier(source), "current": {"averageValue": milli(average)}});
        Ok(Proposal {
            replicas,
            name: format!("pods metric {name}"),
            status: json!({"type": "Pods", "pods": status}),
        })
    }

    /// A metric of an object, for all pods together.
    fn object(&self, source: &Value) -> Result<Proposal, Failure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let about = &source["describedObject"];
        let [kind, object] = ["kind", "name"].map(|field| about[field].as_str().unwrap_or_default());
        let fail = |message: String, inner: &str| Failure {
            reason: "FailedGetObjectMetric",
            summary: format!("failed to get object metric value: {inner}{message}"),
            message,
        };
        let total = || {
            let found = self.load.get(name).map(|usage| usage.at(self.age).milli_value());
            found.ok_or_else(|| {
                let resource = resource_of(about);
                let why = format!("the server could not find the metric {name} for {resource} {object}");
                // The words stand in this order in the controller's message.
                format!(
                    "unable to get metric {name}: {kind} on {} {object}/unable to fetch metrics from custom metrics API: {why}",
                    self.namespace
                )
            })
        };
        let target = &source["target"];
        if let Some(wanted) = quantity(&target["value"]).filter(|_| target["type"] == "Value") {
            let total = total().map_err(|why| fail(why, ""))?;
            let replicas = self.by_ready(total, wanted).map_err(|why| fail(why, ""))?;
            let status =
                json!({"describedObject": about, "metric": identifier(source), "current": {"value": milli(total)}});
            return Ok(Proposal {
                replicas,
                name: format!("{kind} metric {name}"),
                status: json!({"type": "Object", "object": status}),
            });
        }
        if let Some(wanted) = quantity(&target["averageValue"]).filter(|_| target["type"] == "AverageValue") {
            let inner = format!("failed to get {name} object metric: ");
            let total = total().map_err(|why| fail(why, &inner))?;
            let (replicas, average) = self.by_status(total, wanted);
            // The controller leaves out which object it was.
            let none = json!({"kind": "", "name": ""});
            let current = json!({"averageValue": milli(average)});
            let status = json!({"describedObject": none, "metric": identifier(source), "current": current});
            return Ok(Proposal {
                replicas,
                name: format!("external metric {name}({})", selector_text(source)),
                status: json!({"type": "Object", "object": status}),
            });
        }
        let why = "invalid object metric source: neither a value target nor an average value target was set";
        Err(fail(why.to_owned(), ""))
    }

    /// A metric of something outside the cluster, for all pods together.
    fn external(&self, source: &Value) -> Result<Proposal, Failure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let selector = selector_text(source);
        let fail = |message: String, inner: &str| Failure {
            reason: "FailedGetExternalMetric",
            summary: format!("failed to get {name} external metric value: {inner}{message}"),
            message,
        };
        let total = || {
            let found = self.load.get(name).map(|usage| usage.at(self.age).milli_value());
            found.ok_or_else(|| {
                let metric = format!("{}/{name}/{selector}", self.namespace);
                format!("unable to get external metric {metric}: no metrics returned from external metrics API")
            })
        };
        let target = &source["target"];
        let (replicas, current) = if let Some(wanted) = quantity(&target["averageValue"]) {
            let inner = format!("failed to get {name} external metric: ");
            let total = total().map_err(|why| fail(why, &inner))?;
            let (replicas, average) = self.by_status(total, wanted);
            (replicas, json!({"averageValue": milli(average)}))
        } else if let Some(wanted) = quantity(&target["value"]) {
            let inner = format!("failed to get external metric {name}: ");
            let total = total().map_err(|why| fail(why, &inner))?;
            let replicas = self.by_ready(total, wanted).map_err(|why| fail(why, &inner))?;
            (replicas, json!({"value": milli(total)}))
        } else {
            let why = "invalid external metric source: neither a value target nor an average value target was set";
            return Err(fail(why.to_owned(), ""));
        };
        Ok(Proposal {
            replicas,
            name: format!("external metric {name}({selector})"),
            status: json!({"type": "External", "external": {"metric": identifier(source), "current": current}}),
        })
    }

    /// Sorts the pods into groups and leaves the metrics of those that are ready.
    fn ready_metrics(&self, mut metrics: PodMetrics, is_cpu: bool) -> Result<(PodMetrics, Groups), String> {
        if self.pods.is_empty() {
            return Err("no pods returned by selector while calculating replica count".to_owned());
        }
        let has_metric = |pod: &Pod| metrics.contains_key(&pod.metadata.name);
        let groups = Groups::of(&self.pods, has_metric, is_cpu, self.now);
        groups.retain_ready(&mut metrics)?;
        Ok((metrics, groups))
    }

    /// How many pods are wanted so that each uses so many thousandths, and the average now.
    fn by_average(&self, metrics: PodMetrics, groups: &Groups, wanted: i64) -> (i32, i64) {
        let average = usage_ratio(&metrics, wanted).1;
        let ratio = |metrics: &PodMetrics| Ok::<f64, std::convert::Infallible>(usage_ratio(metrics, wanted).0);
        let wanted = replicas(self.current, metrics, groups, self.tolerances, |_| wanted, ratio);
        (wanted.unwrap_or(self.current), average)
    }

    /// How many pods are wanted so that a whole becomes so many thousandths: the ready ones times the ratio.
    fn by_ready(&self, total: i64, wanted: i64) -> Result<i32, String> {
        let ratio = total as f64 / wanted as f64;
        if self.current == 0 {
            return Ok(times(ratio, 1));
        }
        if self.tolerances.holds(ratio) {
            return Ok(self.current);
        }
        if self.pods.is_empty() {
            let why = "no pods returned by selector while calculating replica count";
            return Err(format!("unable to calculate ready pods: {why}"));
        }
        let is_ready = |pod: &&Arc<Pod>| pod.status.phase == Some(PodPhase::Running) && pod.is_ready();
        Ok(times(ratio, self.pods.iter().filter(is_ready).count()))
    }

    /// How many pods are wanted so that each has so many thousandths of a whole, and what each has now.
    fn by_status(&self, total: i64, wanted: i64) -> (i32, i64) {
        let there = i64::from(self.status_replicas);
        let ratio = total as f64 / (wanted as f64 * there as f64);
        let replicas = if self.tolerances.holds(ratio) {
            self.status_replicas
        } else {
            times(total as f64 / wanted as f64, 1)
        };
        let average = if there == 0 { total } else { ceil_div(total, there) };
        (replicas, average)
    }

    /// What the metrics API says of a resource: of pods that run, or of one of their containers.
    fn resource_metrics(&self, name: &str, container: Option<&str>) -> Result<PodMetrics, String> {
        let measured: Vec<&Arc<Pod>> = self.pods.iter().filter(|pod| is_measured(pod)).collect();
        if self.is_unmetered || measured.is_empty() {
            return Err("no metrics returned from resource metrics API".to_owned());
        }
        if let Some(container) = container
            && let Some(pod) = measured.iter().find(|pod| !is_running(pod, container))
        {
            let pod = format!("{}/{}", self.namespace, pod.metadata.name);
            return Err(format!(
                "failed to get container metrics: container {container} not present in metrics for pod {pod}"
            ));
        }
        let shared = self.share(name, &measured, name == "cpu");
        Ok(shared.unwrap_or_else(|| {
            let own = |pod: &&Arc<Pod>| (pod.metadata.name.clone(), self.own(pod, name, container));
            measured.iter().map(own).collect()
        }))
    }

    /// The autoscaler's own load, shared evenly among the pods that are ready for it.
    fn share(&self, name: &str, measured: &[&Arc<Pod>], is_cpu: bool) -> Option<PodMetrics> {
        let total = self.load.get(name)?.at(self.age).milli_value();
        let groups = Groups::of(&self.pods, is_measured, is_cpu, self.now);
        let sharing = i64::try_from(groups.n_ready).unwrap_or(i64::MAX).max(1);
        let each = |pod: &&Arc<Pod>| (pod.metadata.name.clone(), total / sharing);
        Some(measured.iter().map(each).collect())
    }

    /// What the pod's containers, or one of them, use by their behaviour, in thousandths.
    fn own(&self, pod: &Pod, name: &str, of: Option<&str>) -> i64 {
        let behaviors = container_behaviors(&pod.metadata.annotations, &pod.spec).unwrap_or_default();
        let idle = ContainerBehavior::default();
        let all = pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
        let running = all.filter_map(|container| {
            let mut statuses = statuses(pod);
            let status = statuses.find(|status| status.name == container.name)?;
            let started = status.state.running.as_ref()?.started_at?;
            if of.is_some_and(|wanted| wanted != &*container.name) {
                return None;
            }
            let behavior = behaviors.get(&container.name).unwrap_or(&idle);
            let since = self.now.0 - started.0;
            Some(match name {
                "cpu" => behavior.cpu_milli_at(container, since),
                "memory" => behavior.memory_at(container, since).saturating_mul(1000),
                _ => 0,
            })
        });
        running.fold(0, i64::saturating_add)
    }

    /// What each pod asks for of a resource, in thousandths: every container must say it, or the pod as a whole.
    fn requests(&self, name: &str, container: Option<&str>) -> Result<PodMetrics, String> {
        let each = self.pods.iter().map(|pod| {
            let own = pod.spec.resources.iter().flat_map(|own| own.requests.keys());
            let is_whole = container.is_none() && own.into_iter().any(|name| is_of_pods(name));
            let request = if is_whole {
                let total = pod.spec.total_requests();
                let missing = || format!("missing pod-level request for {name} in Pod {}", pod.metadata.name);
                total.get(name).map(|amount| amount.milli_value()).ok_or_else(missing)
            } else {
                containers_request(pod, name, container)
            };
            request.map(|request| (pod.metadata.name.clone(), request))
        });
        each.collect()
    }
}

/// What containers and sidecars of a pod ask for, or one of them.
fn containers_request(pod: &Pod, name: &str, only: Option<&str>) -> Result<i64, String> {
    let sidecars = pod.spec.init_containers.iter().filter(|one| one.is_sidecar());
    let mut all = pod.spec.containers.iter().chain(sidecars);
    let of = |container: &podscope_api::Container| {
        let missing = || {
            format!(
                "missing request for {name} in container {} of Pod {}",
                container.name, pod.metadata.name
            )
        };
        let amount = container.resources.requests.get(name);
        amount.map(|amount| amount.milli_value()).ok_or_else(missing)
    };
    match only {
        None => all.try_fold(0_i64, |sum, container| Ok(sum.saturating_add(of(container)?))),
        Some(only) => match all.find(|container| &*container.name == only) {
            Some(container) => of(container),
            None => Err(format!("container {only} not found in Pod {}", pod.metadata.name)),
        },
    }
}

fn statuses(pod: &Pod) -> impl Iterator<Item = &podscope_api::ContainerStatus> {
    pod.status
        .container_statuses
        .iter()
        .chain(pod.status.init_container_statuses.iter())
}

/// Whether a container of the pod runs.
fn is_running(pod: &Pod, container: &str) -> bool {
    statuses(pod).any(|status| &*status.name == container && status.state.running.is_some())
}

/// Whether the metrics API has something of the pod.
fn is_measured(pod: &Pod) -> bool {
    pod.status.phase == Some(PodPhase::Running) && statuses(pod).any(|status| status.state.running.is_some())
}

/// `metric` of a status: name and selector, as in the spec.
fn identifier(source: &Value) -> Value {
    let mut metric = json!({"name": source["metric"]["name"]});
    if !source["metric"]["selector"].is_null() {
        metric["selector"] = source["metric"]["selector"].clone();
    }
    metric
}

/// A metric's selector as Go prints it: `&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:…,}`.
fn selector_text(source: &Value) -> String {
    let selector = &source["metric"]["selector"];
    if selector.is_null() {
        return "nil".to_owned();
    }
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let labels: ordered::Map<&String, &Value> = labels.collect();
    let labels = labels
        .into_iter()
        .map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or_default()));
    let expressions = selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| {
            let [key, operator] = ["key", "operator"].map(|field| one[field].as_str().unwrap_or_default());
            let values: Vec<&str> = one["values"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            format!(
                "LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{}],}},",
                values.join(" ")
            )
        });
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{}}},}}",
        labels.collect::<String>(),
        expressions.collect::<String>()
    )
}

/// `ingresses.networking.k8s.io` of a reference to an object.
fn resource_of(about: &Value) -> String {
    let [version, kind] = ["apiVersion", "kind"].map(|field| about[field].as_str().unwrap_or_default());
    match Kind::from_wire(version, kind) {
        Some(kind) => kind.qualified_plural(),
        None => format!("{}s", kind.to_ascii_lowercase()),
    }
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

fn ceil_div(total: i64, by: i64) -> i64 {
    total.div_euclid(by) + i64::from(total.rem_euclid(by) != 0)
}
