//! Computes a number of replicas from the usage of pods: a proposal for each metric, or the reason why there is none
//! (CT-192, CT-229).
//!
//! The usage of pods is computed from the behaviour of their containers and the requests that they answer, or from the
//! autoscaler's own load annotation ([`podscope_api::parse_load_annotation`]). A container that does not run has no
//! metrics.

use std::sync::Arc;

use podscope_api::{
    BEHAVIOR_PREFIX, ContainerBehavior, HorizontalPodAutoscaler, Kind, Pod, PodPhase, Quantity, Str, Time, Usage,
    container_behaviors, is_pod_level_resource, ordered, parse_load_annotation,
};
use podscope_sim::{Objects, RequestLoad};
use serde_json::{Value, json};

use super::ScaleTarget;
use super::calculator::{
    PodGroups, PodMetrics, Tolerances, Utilization, proposed_replicas, scaled_pod_count, usage_ratio_and_average,
};

/// The number of replicas that one metric proposes.
pub(super) struct ReplicaProposal {
    pub(super) replicas: i32,
    /// Description of the metric, e.g. `cpu resource utilization (percentage of request)`.
    pub(super) name: String,
    pub(super) status: Value,
}

/// The reason why a metric proposes no number of replicas.
pub(super) struct MetricFailure {
    pub(super) reason: &'static str,
    /// Message of the event and the condition.
    pub(super) message: String,
    /// Message in the summary of all metrics.
    pub(super) summary: String,
}

/// The number of replicas for a resource metric, and the metric's current value, which may be a utilization in percent.
struct ResourceEvaluation {
    replicas: i32,
    current: Value,
    is_utilization: bool,
}

/// The pods of a workload, and their current usage.
pub(super) struct UsageOfPods<'w> {
    pub(super) pods: Vec<Arc<Pod>>,
    /// CPU load that results from clients' requests.
    request_load: Option<&'w RequestLoad>,
    namespace: Str,
    load: ordered::Map<Str, Usage>,
    /// Age of the autoscaler, in microseconds.
    age: i64,
    current: i32,
    status_replicas: i32,
    tolerances: Tolerances,
    now: Time,
    /// Whether the usage of the pods is unknown, because they were imported.
    is_unmetered: bool,
}

impl<'w> UsageOfPods<'w> {
    pub(super) fn new(
        autoscaler: &HorizontalPodAutoscaler,
        scale: &ScaleTarget,
        objects: &Objects,
        now: Time,
        request_load: Option<&'w RequestLoad>,
    ) -> Self {
        let pods = objects.list_in::<Pod>(&scale.key.namespace);
        let created = autoscaler.metadata.creation_timestamp.unwrap_or(now);
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
            is_unmetered: objects
                .assumed()
                .autoscalers_without_load()
                .contains(&autoscaler.metadata.uid)
                && !pods.iter().any(is_scripted),
            pods,
            request_load,
            namespace: scale.key.namespace.clone(),
            // The API server rejects an invalid load annotation. An imported object may have one; then its load is
            // unknown.
            load: parse_load_annotation(&autoscaler.metadata.annotations).unwrap_or_default(),
            age: now.0 - created.0,
            current: scale.replicas,
            status_replicas: scale.status_replicas,
            tolerances: Tolerances::read(autoscaler.spec.behavior.as_ref().unwrap_or(&Value::Null)),
            now,
        }
    }

    /// Evaluates a metric.
    pub(super) fn proposal(&self, metric: &Value) -> Result<ReplicaProposal, MetricFailure> {
        match metric["type"].as_str() {
            Some("Resource") => self.resource_metric(&metric["resource"]),
            Some("ContainerResource") => self.container_resource_metric(&metric["containerResource"]),
            Some("Pods") => self.pods_metric(&metric["pods"]),
            Some("Object") => self.object_metric(&metric["object"]),
            Some("External") => self.external_metric(&metric["external"]),
            other => {
                let message = format!("unknown metric source type {:?}", other.unwrap_or_default());
                Err(MetricFailure {
                    reason: "InvalidMetricSourceType",
                    summary: message.clone(),
                    message,
                })
            }
        }
    }

    /// Evaluates a resource metric of the pods.
    fn resource_metric(&self, source: &Value) -> Result<ReplicaProposal, MetricFailure> {
        let name = source["name"].as_str().unwrap_or_default();
        let found = self.evaluate_resource(source, None).map_err(|message| MetricFailure {
            reason: "FailedGetResourceMetric",
            summary: format!("failed to get {name} resource metric value: {message}"),
            message,
        })?;
        let utilization = if found.is_utilization {
            " utilization (percentage of request)"
        } else {
            ""
        };
        Ok(ReplicaProposal {
            replicas: found.replicas,
            name: format!("{name} resource{utilization}"),
            status: json!({"type": "Resource", "resource": {"name": name, "current": found.current}}),
        })
    }

    /// Evaluates a resource metric of one container of each pod.
    fn container_resource_metric(&self, source: &Value) -> Result<ReplicaProposal, MetricFailure> {
        let [name, container] = ["name", "container"].map(|field| source[field].as_str().unwrap_or_default());
        let found = self.evaluate_resource(source, Some(container));
        let found = found.map_err(|message| MetricFailure {
            reason: "FailedGetContainerResourceMetric",
            summary: format!("failed to get {container} container metric value: {message}"),
            message,
        })?;
        let shown = if found.is_utilization {
            format!("{name} container resource utilization (percentage of request)")
        } else {
            format!("{name} resource")
        };
        let status = json!({"name": name, "container": container, "current": found.current});
        Ok(ReplicaProposal {
            replicas: found.replicas,
            name: shown,
            status: json!({"type": "ContainerResource", "containerResource": status}),
        })
    }

    /// Computes the number of replicas for a resource metric of the pods or of one container.
    fn evaluate_resource(&self, source: &Value, container: Option<&str>) -> Result<ResourceEvaluation, String> {
        let name = source["name"].as_str().unwrap_or_default();
        let target = &source["target"];
        let ready_pods = || {
            let metrics = self.resource_metrics(name, container);
            let metrics = metrics.map_err(|why| format!("unable to get metrics for resource {name}: {why}"))?;
            self.metrics_of_ready_pods(metrics, name == "cpu")
        };
        if let Some(wanted) = target_quantity(&target["averageValue"]) {
            let (replicas, average) = ready_pods()
                .map(|(metrics, groups)| self.replicas_and_average(metrics, &groups, wanted))
                .map_err(|why| format!("failed to get {name} usage: {why}"))?;
            return Ok(ResourceEvaluation {
                replicas,
                current: json!({"averageValue": format_milli(average)}),
                is_utilization: false,
            });
        }
        let Some(wanted) = target["averageUtilization"].as_i64() else {
            return Err(
                "invalid resource metric source: neither an average utilization target nor an average value \
                        (usage) target was set"
                    .to_owned(),
            );
        };
        let utilization = || {
            let (metrics, groups) = ready_pods()?;
            let requests = self.requests_by_pod(name, container)?;
            let now = Utilization::of(&metrics, &requests, wanted)?;
            let full = |pod: &Str| requests.get(pod).map_or(0, |request| request * wanted.max(100) / 100);
            let ratio = |metrics: &PodMetrics| Utilization::of(metrics, &requests, wanted).map(|one| one.ratio);
            let replicas = proposed_replicas(self.current, metrics, &groups, self.tolerances, full, ratio)?;
            Ok((replicas, now))
        };
        let (replicas, now) =
            utilization().map_err(|why: String| format!("failed to get {name} utilization: {why}"))?;
        Ok(ResourceEvaluation {
            replicas,
            current: json!({"averageUtilization": now.percent, "averageValue": format_milli(now.average)}),
            is_utilization: true,
        })
    }

    /// Evaluates a custom metric that each pod has.
    fn pods_metric(&self, source: &Value) -> Result<ReplicaProposal, MetricFailure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let fail = |message: String| MetricFailure {
            reason: "FailedGetPodsMetric",
            summary: format!("failed to get pods metric value: {message}"),
            message,
        };
        let with_metrics: Vec<&Arc<Pod>> = self.pods.iter().filter(|pod| is_measured(pod)).collect();
        if !self.load.contains_key(name) || with_metrics.is_empty() {
            let why = "no metrics returned from custom metrics API";
            return Err(fail(format!("unable to get metric {name}: {why}")));
        }
        let metrics = self.share_of_load(name, &with_metrics, false).unwrap_or_default();
        let (metrics, groups) = self.metrics_of_ready_pods(metrics, false).map_err(fail)?;
        let wanted = target_quantity(&source["target"]["averageValue"]).unwrap_or(1);
        let (replicas, average) = self.replicas_and_average(metrics, &groups, wanted);
        let status = json!({"metric": metric_identifier(source), "current": {"averageValue": format_milli(average)}});
        Ok(ReplicaProposal {
            replicas,
            name: format!("pods metric {name}"),
            status: json!({"type": "Pods", "pods": status}),
        })
    }

    /// Evaluates a metric of a Kubernetes object; the value applies to all pods together.
    fn object_metric(&self, source: &Value) -> Result<ReplicaProposal, MetricFailure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let about = &source["describedObject"];
        let [kind, object] = ["kind", "name"].map(|field| about[field].as_str().unwrap_or_default());
        let fail = |message: String, inner: &str| MetricFailure {
            reason: "FailedGetObjectMetric",
            summary: format!("failed to get object metric value: {inner}{message}"),
            message,
        };
        let total = || {
            let found = self.load.get(name).map(|usage| usage.at(self.age).milli_value());
            found.ok_or_else(|| {
                let resource = qualified_resource_name(about);
                let why = format!("the server could not find the metric {name} for {resource} {object}");
                // The order of the words is that of the real controller's message.
                format!(
                    "unable to get metric {name}: {kind} on {} {object}/unable to fetch metrics from custom metrics API: {why}",
                    self.namespace
                )
            })
        };
        let target = &source["target"];
        if let Some(wanted) = target_quantity(&target["value"]).filter(|_| target["type"] == "Value") {
            let total = total().map_err(|why| fail(why, ""))?;
            let replicas = self
                .replicas_for_ratio_of_total(total, wanted)
                .map_err(|why| fail(why, ""))?;
            let current = json!({"value": format_milli(total)});
            let status = json!({"describedObject": about, "metric": metric_identifier(source), "current": current});
            return Ok(ReplicaProposal {
                replicas,
                name: format!("{kind} metric {name}"),
                status: json!({"type": "Object", "object": status}),
            });
        }
        if let Some(wanted) = target_quantity(&target["averageValue"]).filter(|_| target["type"] == "AverageValue") {
            let inner = format!("failed to get {name} object metric: ");
            let total = total().map_err(|why| fail(why, &inner))?;
            let (replicas, average) = self.replicas_and_share_of_total(total, wanted);
            // For a target of the type AverageValue, the real controller omits the described object in the status.
            let none = json!({"kind": "", "name": ""});
            let current = json!({"averageValue": format_milli(average)});
            let status = json!({"describedObject": none, "metric": metric_identifier(source), "current": current});
            return Ok(ReplicaProposal {
                replicas,
                name: format!("external metric {name}({})", selector_text(source)),
                status: json!({"type": "Object", "object": status}),
            });
        }
        let why = "invalid object metric source: neither a value target nor an average value target was set";
        Err(fail(why.to_owned(), ""))
    }

    /// Evaluates an external metric; the value applies to all pods together.
    fn external_metric(&self, source: &Value) -> Result<ReplicaProposal, MetricFailure> {
        let name = source["metric"]["name"].as_str().unwrap_or_default();
        let selector = selector_text(source);
        let fail = |message: String, inner: &str| MetricFailure {
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
        let (replicas, current) = if let Some(wanted) = target_quantity(&target["averageValue"]) {
            let inner = format!("failed to get {name} external metric: ");
            let total = total().map_err(|why| fail(why, &inner))?;
            let (replicas, average) = self.replicas_and_share_of_total(total, wanted);
            (replicas, json!({"averageValue": format_milli(average)}))
        } else if let Some(wanted) = target_quantity(&target["value"]) {
            let inner = format!("failed to get external metric {name}: ");
            let total = total().map_err(|why| fail(why, &inner))?;
            let replicas = self
                .replicas_for_ratio_of_total(total, wanted)
                .map_err(|why| fail(why, &inner))?;
            (replicas, json!({"value": format_milli(total)}))
        } else {
            let why = "invalid external metric source: neither a value target nor an average value target was set";
            return Err(fail(why.to_owned(), ""));
        };
        Ok(ReplicaProposal {
            replicas,
            name: format!("external metric {name}({selector})"),
            status: json!({"type": "External", "external": {"metric": metric_identifier(source), "current": current}}),
        })
    }

    /// Groups the pods, and keeps only the metrics of ready pods.
    fn metrics_of_ready_pods(&self, mut metrics: PodMetrics, is_cpu: bool) -> Result<(PodMetrics, PodGroups), String> {
        if self.pods.is_empty() {
            return Err("no pods returned by selector while calculating replica count".to_owned());
        }
        let has_metric = |pod: &Pod| metrics.contains_key(&pod.metadata.name);
        let groups = PodGroups::of(&self.pods, has_metric, is_cpu, self.now);
        groups.retain_ready(&mut metrics)?;
        Ok((metrics, groups))
    }

    /// Computes the number of replicas for a target average per pod. Returns also the current average. Amounts are in
    /// thousandths.
    fn replicas_and_average(&self, metrics: PodMetrics, groups: &PodGroups, target: i64) -> (i32, i64) {
        let average = usage_ratio_and_average(&metrics, target).1;
        let ratio =
            |metrics: &PodMetrics| Ok::<f64, std::convert::Infallible>(usage_ratio_and_average(metrics, target).0);
        let replicas = proposed_replicas(self.current, metrics, groups, self.tolerances, |_| target, ratio);
        (replicas.unwrap_or(self.current), average)
    }

    /// Computes the number of replicas for a target total: the number of ready pods times the ratio of the total to the
    /// target. Amounts are in thousandths.
    fn replicas_for_ratio_of_total(&self, total: i64, target: i64) -> Result<i32, String> {
        let ratio = total as f64 / target as f64;
        if self.current == 0 {
            return Ok(scaled_pod_count(ratio, 1));
        }
        if self.tolerances.is_within(ratio) {
            return Ok(self.current);
        }
        if self.pods.is_empty() {
            let why = "no pods returned by selector while calculating replica count";
            return Err(format!("unable to calculate ready pods: {why}"));
        }
        let is_ready = |pod: &&Arc<Pod>| pod.status.phase == Some(PodPhase::Running) && pod.is_ready();
        Ok(scaled_pod_count(ratio, self.pods.iter().filter(is_ready).count()))
    }

    /// Computes the number of replicas for a total that all pods share, given the target per pod. Returns also the
    /// current value per pod. Amounts are in thousandths.
    fn replicas_and_share_of_total(&self, total: i64, target: i64) -> (i32, i64) {
        let n_pods = i64::from(self.status_replicas);
        let ratio = total as f64 / (target as f64 * n_pods as f64);
        let replicas = if self.tolerances.is_within(ratio) {
            self.status_replicas
        } else {
            scaled_pod_count(total as f64 / target as f64, 1)
        };
        let average = if n_pods == 0 { total } else { ceil_div(total, n_pods) };
        (replicas, average)
    }

    /// Returns the usage of a resource by running pods or by one of their containers, as the metrics API reports it.
    fn resource_metrics(&self, name: &str, container: Option<&str>) -> Result<PodMetrics, String> {
        let with_metrics: Vec<&Arc<Pod>> = self.pods.iter().filter(|pod| is_measured(pod)).collect();
        if self.is_unmetered || with_metrics.is_empty() {
            return Err("no metrics returned from resource metrics API".to_owned());
        }
        if let Some(container) = container
            && let Some(pod) = with_metrics.iter().find(|pod| !is_running(pod, container))
        {
            let pod = format!("{}/{}", self.namespace, pod.metadata.name);
            return Err(format!(
                "failed to get container metrics: container {container} not present in metrics for pod {pod}"
            ));
        }
        let shared = self.share_of_load(name, &with_metrics, name == "cpu");
        Ok(shared.unwrap_or_else(|| {
            let behavior_usage =
                |pod: &&Arc<Pod>| (pod.metadata.name.clone(), self.behavior_usage(pod, name, container));
            with_metrics.iter().map(behavior_usage).collect()
        }))
    }

    /// Divides the autoscaler's own load evenly among the ready pods; returns `None` if it has no load annotation.
    fn share_of_load(&self, name: &str, with_metrics: &[&Arc<Pod>], is_cpu: bool) -> Option<PodMetrics> {
        let total = self.load.get(name)?.at(self.age).milli_value();
        let groups = PodGroups::of(&self.pods, is_measured, is_cpu, self.now);
        let sharing = i64::try_from(groups.n_ready).unwrap_or(i64::MAX).max(1);
        let each = |pod: &&Arc<Pod>| (pod.metadata.name.clone(), total / sharing);
        Some(with_metrics.iter().map(each).collect())
    }

    /// Returns the usage of a pod's containers, or of one of them, according to their behaviour, in thousandths.
    fn behavior_usage(&self, pod: &Pod, name: &str, only_container: Option<&str>) -> i64 {
        let behaviors = container_behaviors(&pod.metadata.annotations, &pod.spec).unwrap_or_default();
        let idle = ContainerBehavior::default();
        let all = pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
        let running = all.filter_map(|container| {
            let mut statuses = container_statuses(pod);
            let status = statuses.find(|status| status.name == container.name)?;
            let started = status.state.running.as_ref()?.started_at?;
            if only_container.is_some_and(|wanted| wanted != &*container.name) {
                return None;
            }
            let behavior = behaviors.get(&container.name).unwrap_or(&idle);
            let since = self.now.0 - started.0;
            Some(match name {
                "cpu" => {
                    let load = |load: &RequestLoad| load.of(&pod.metadata.uid, &container.name);
                    behavior.cpu_milli_at(container, since, self.request_load.map_or(0, load))
                }
                "memory" => behavior.memory_at(container, since).saturating_mul(1000),
                _ => 0,
            })
        });
        running.fold(0, i64::saturating_add)
    }

    /// Returns the resource request of each pod, in thousandths. Every container must have a request, or the pod as a
    /// whole.
    fn requests_by_pod(&self, name: &str, container: Option<&str>) -> Result<PodMetrics, String> {
        let each = self.pods.iter().map(|pod| {
            let pod_level = pod
                .spec
                .resources
                .iter()
                .flat_map(|resources| resources.requests.keys());
            let is_whole = container.is_none() && pod_level.into_iter().any(|name| is_pod_level_resource(name));
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

/// Returns the total resource requests of a pod's containers and sidecars, or the request of one container.
fn containers_request(pod: &Pod, name: &str, only_container: Option<&str>) -> Result<i64, String> {
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
    match only_container {
        None => all.try_fold(0_i64, |sum, container| Ok(sum.saturating_add(of(container)?))),
        Some(only) => match all.find(|container| &*container.name == only) {
            Some(container) => of(container),
            None => Err(format!("container {only} not found in Pod {}", pod.metadata.name)),
        },
    }
}

fn container_statuses(pod: &Pod) -> impl Iterator<Item = &podscope_api::ContainerStatus> {
    pod.status
        .container_statuses
        .iter()
        .chain(pod.status.init_container_statuses.iter())
}

fn is_running(pod: &Pod, container: &str) -> bool {
    container_statuses(pod).any(|status| &*status.name == container && status.state.running.is_some())
}

/// Returns whether the metrics API has metrics of the pod.
fn is_measured(pod: &Pod) -> bool {
    pod.status.phase == Some(PodPhase::Running) && container_statuses(pod).any(|status| status.state.running.is_some())
}

/// Returns the field `metric` of a status: name and selector, as in the spec.
fn metric_identifier(source: &Value) -> Value {
    let mut metric = json!({"name": source["metric"]["name"]});
    if !source["metric"]["selector"].is_null() {
        metric["selector"] = source["metric"]["selector"].clone();
    }
    metric
}

/// Formats a metric's selector as Go does: `&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:…,}`.
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

/// Returns the qualified resource name of an object reference, e.g. `ingresses.networking.k8s.io`.
fn qualified_resource_name(reference: &Value) -> String {
    let [version, kind] = ["apiVersion", "kind"].map(|field| reference[field].as_str().unwrap_or_default());
    match Kind::from_wire(version, kind) {
        Some(kind) => kind.qualified_plural(),
        None => format!("{}s", kind.to_ascii_lowercase()),
    }
}

/// Parses a positive target quantity, in thousandths.
fn target_quantity(value: &Value) -> Option<i64> {
    let amount = match value {
        Value::String(text) => text.parse::<Quantity>().ok()?,
        Value::Number(number) => number.to_string().parse::<Quantity>().ok()?,
        _ => return None,
    };
    Some(amount.milli_value()).filter(|amount| *amount > 0)
}

/// Formats an amount in thousandths as a quantity.
fn format_milli(amount: i64) -> String {
    Quantity::from_milli(amount).to_string()
}

fn ceil_div(total: i64, by: i64) -> i64 {
    total.div_euclid(by) + i64::from(total.rem_euclid(by) != 0)
}
