//! Tests of the HorizontalPodAutoscaler controller (C-14, CT-192, CT-193).

use podscope_api::{Deployment, HorizontalPodAutoscaler, load_annotation_key};
use podscope_sim::Span;
use std::sync::Arc;

use super::super::lab::Lab;

/// Returns a lab with a Deployment of two pods that request 200m of cpu each and share the load of the autoscaler's
/// annotation. `extra_spec` is inserted into the autoscaler's spec.
fn autoscaled_lab(load: &str, extra_spec: &str) -> Lab {
    Lab::new(
        &["a-1"],
        &format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: 2, selector: {{matchLabels: {{app: web}}}}, \
             template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 200m}}}}}}]}}}}}}}}\n---\n\
             {{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {{name: web, annotations: {{{}: '{load}'}}}}, \
             spec: {{minReplicas: 2, maxReplicas: 10, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}, {extra_spec} \
             metrics: [{{type: Resource, resource: {{name: cpu, target: {{type: Utilization, averageUtilization: 50}}}}}}]}}}}",
            load_annotation_key()
        ),
    )
}

fn replicas(lab: &Lab) -> i32 {
    lab.get::<Deployment>("web").unwrap().spec.replicas.unwrap_or(1)
}

fn set_load(lab: &mut Lab, load: &'static str) {
    lab.edit::<HorizontalPodAutoscaler>("web", move |one| {
        Arc::make_mut(&mut one.metadata.annotations).insert(load_annotation_key().into(), load.into());
    });
}

/// Returns status and reason of a condition of the autoscaler, e.g. `True TooFewReplicas`.
fn condition_text(lab: &Lab, kind: &str) -> String {
    let status = lab.get::<HorizontalPodAutoscaler>("web").unwrap().status.clone();
    let found = status.conditions.iter().find(|one| one["type"] == kind);
    found.map_or_else(String::new, |one| {
        format!(
            "{} {}",
            one["status"].as_str().unwrap_or(""),
            one["reason"].as_str().unwrap_or("")
        )
    })
}

/// Shows: C-14, CT-192, CT-193
#[test]
fn scale_up_at_most_doubles_and_scale_down_waits_five_minutes() {
    let mut lab = autoscaled_lab("cpu=100m", "");
    lab.run(Span::seconds(120));
    assert_eq!(replicas(&lab), 2);
    set_load(&mut lab, "cpu=2");
    lab.run(Span::seconds(15));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "ScalingLimited")),
        (4, "True ScaleUpLimit".to_owned())
    );
    lab.run(Span::seconds(120));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "ScalingLimited")),
        (10, "True TooManyReplicas".to_owned())
    );
    set_load(&mut lab, "cpu=300m");
    lab.run(Span::seconds(240));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "AbleToScale")),
        (10, "True ScaleDownStabilized".to_owned())
    );
    lab.run(Span::seconds(90));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "ScalingLimited")),
        (3, "False DesiredWithinRange".to_owned())
    );
    let above =
        "web SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target";
    for event in [
        above,
        "web SuccessfulRescale: New size: 3; reason: All metrics below target",
    ] {
        assert!(lab.events.contains(&event.to_owned()), "{:?}", lab.events);
    }
}

/// Shows: CT-193
#[test]
fn scaling_policies_limit_rate_of_change() {
    let one_a_minute = "policies: [{type: Pods, value: 1, periodSeconds: 60}]";
    let rules = format!(
        "behavior: {{scaleUp: {{{one_a_minute}}}, scaleDown: {{stabilizationWindowSeconds: 0, {one_a_minute}}}}},"
    );
    let mut lab = autoscaled_lab("cpu=2", &rules);
    lab.run(Span::seconds(45));
    assert_eq!(replicas(&lab), 3);
    lab.run(Span::seconds(50));
    assert_eq!(replicas(&lab), 4);
    set_load(&mut lab, "cpu=400m");
    lab.run(Span::seconds(90));
    assert_eq!(replicas(&lab), 4, "half of the requested cpu is the target utilization");
    set_load(&mut lab, "cpu=10m");
    lab.run(Span::seconds(30));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "ScalingLimited")),
        (3, "True ScaleDownLimit".to_owned())
    );
}

/// Shows: CT-192
#[test]
fn missing_metrics_or_target_are_reported_without_scaling() {
    let mut lab = autoscaled_lab("cpu=100m", "");
    lab.edit::<Deployment>("web", |one| {
        let template = Arc::make_mut(&mut one.spec.template);
        for container in Arc::make_mut(&mut template.spec.containers) {
            Arc::make_mut(&mut container.resources).requests.clear();
        }
    });
    lab.run(Span::seconds(60));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "ScalingActive")),
        (2, "False FailedGetResourceMetric".to_owned())
    );
    assert!(
        lab.events
            .iter()
            .any(|event| event.contains("missing request for cpu in container c of Pod web-")),
        "{:?}",
        lab.events
    );
    lab.edit::<HorizontalPodAutoscaler>("web", |one| one.spec.scale_target_ref.name = "gone".into());
    lab.run(Span::seconds(15));
    assert_eq!(condition_text(&lab, "AbleToScale"), "False FailedGetScale");
    assert!(
        lab.events
            .contains(&"web FailedGetScale: deployments.apps \"gone\" not found".to_owned())
    );
}

/// Pods that two autoscalers select are ambiguous, and neither scales them (CT-229).
#[test]
fn pods_selected_by_two_autoscalers_are_not_scaled() {
    let mut lab = autoscaled_lab("cpu=2", "");
    lab.apply(
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: other}, spec: {maxReplicas: 10, \
         scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, metrics: [{type: Resource, resource: {name: cpu, \
         target: {type: Utilization, averageUtilization: 50}}}]}}",
    );
    lab.run(Span::seconds(60));
    assert_eq!(condition_text(&lab, "ScalingActive"), "False AmbiguousSelector");
    let text = "pods by selector app=web are controlled by multiple HPAs: [default/other default/web]";
    for reason in ["AmbiguousSelector", "FailedComputeMetricsReplicas"] {
        assert!(
            lab.events.contains(&format!("web {reason}: {text}")),
            "{:?}",
            lab.events
        );
    }
    lab.delete(podscope_api::Kind::HorizontalPodAutoscaler, "other", None);
    lab.run(Span::seconds(60));
    assert_eq!(condition_text(&lab, "ScalingActive"), "True ValidMetricFound");
}

/// Returns a lab after 400 s, with a Deployment of three pods and its autoscaler, which has this load annotation and
/// these metrics.
fn lab_with_metrics(load: &str, pod_spec: &str, metrics: &str) -> Lab {
    let mut lab = Lab::new(
        &["a-1"],
        &format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: 3, selector: {{matchLabels: {{app: web}}}}, \
             template: {{metadata: {{labels: {{app: web}}}}, spec: {{{pod_spec}}}}}}}}}\n---\n{{apiVersion: autoscaling/v2, kind: \
             HorizontalPodAutoscaler, metadata: {{name: web, annotations: {{{}: '{load}'}}}}, spec: {{maxReplicas: 10, \
             scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}, metrics: [{metrics}]}}}}",
            load_annotation_key()
        ),
    );
    lab.run(Span::seconds(400));
    lab
}

fn current_metrics(lab: &Lab) -> serde_json::Value {
    let status = lab.get::<HorizontalPodAutoscaler>("web").unwrap().status.clone();
    serde_json::json!(status.current_metrics)
}

/// Each type of metric has its own failure message (CT-229).
#[test]
fn failed_metric_of_each_type_reports_its_reason() {
    let two = "containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}, {name: side, image: i}]";
    let external = "{type: External, external: {metric: {name: q, selector: {matchLabels: {b: '2', a: '1'}}}, target: {type: \
                    AverageValue, averageValue: '5'}}}";
    let selector =
        "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}";
    for (metric, reason, message, prefix) in [
        (
            "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}",
            "FailedGetResourceMetric",
            "failed to get cpu utilization: missing request for cpu in container side of Pod ".to_owned(),
            "failed to get cpu resource metric value: ",
        ),
        (
            "{type: ContainerResource, containerResource: {name: cpu, container: none, target: {type: Utilization, \
             averageUtilization: 50}}}",
            "FailedGetContainerResourceMetric",
            "failed to get cpu utilization: unable to get metrics for resource cpu: failed to get container metrics: container none \
             not present in metrics for pod default/"
                .to_owned(),
            "failed to get none container metric value: ",
        ),
        (
            "{type: Pods, pods: {metric: {name: rps}, target: {type: AverageValue, averageValue: '5'}}}",
            "FailedGetPodsMetric",
            "unable to get metric rps: no metrics returned from custom metrics API".to_owned(),
            "failed to get pods metric value: ",
        ),
        (
            external,
            "FailedGetExternalMetric",
            format!("unable to get external metric default/q/{selector}: no metrics returned from external metrics API"),
            "failed to get q external metric value: failed to get q external metric: ",
        ),
    ] {
        let lab = lab_with_metrics("", two, metric);
        assert_eq!(condition_text(&lab, "ScalingActive"), format!("False {reason}"), "{metric}");
        let has_event = |start: String| lab.events.iter().any(|event| event.starts_with(&start));
        assert!(has_event(format!("web {reason}: {message}")), "{:?}", lab.events);
        let summary = format!("invalid metrics (1 invalid out of 1), first error is: {prefix}{message}");
        assert!(has_event(format!("web FailedComputeMetricsReplicas: {summary}")), "{:?}", lab.events);
        assert_eq!(current_metrics(&lab), serde_json::json!([{"type": ""}]));
    }
}

/// The status of an external metric contains its selector. A missing metric prevents scaling down but not up (CT-229).
#[test]
fn external_metrics_with_selector_scale_workload() {
    let one = "containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]";
    let external = "{type: External, external: {metric: {name: q, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, \
                    averageValue: '5'}}}";
    let lab = lab_with_metrics("q=25", one, external);
    assert_eq!(replicas(&lab), 5);
    assert_eq!(
        current_metrics(&lab),
        serde_json::json!([{"type": "External", "external": {"metric": {"name": "q", "selector": {"matchLabels": {"a": "b"}}},
            "current": {"averageValue": "5"}}}])
    );
    let why = "external metric q(&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},})";
    let event = format!("web SuccessfulRescale: New size: 5; reason: {why} above target");
    assert!(lab.events.contains(&event), "{:?}", lab.events);
    let cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}";
    let lab = lab_with_metrics("cpu=3m", one, &format!("{cpu}, {external}"));
    assert_eq!(
        (replicas(&lab), condition_text(&lab, "ScalingActive")),
        (3, "False FailedGetExternalMetric".to_owned())
    );
    let lab = lab_with_metrics("cpu=3", one, &format!("{cpu}, {external}"));
    assert!(replicas(&lab) > 3, "a missing metric does not prevent scaling up");
}

/// Utilization is relative to the requests of one container, or to the pod-level requests (CT-229).
#[test]
fn utilization_uses_container_or_pod_level_requests() {
    let two = "containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}, {name: side, image: i}]";
    let container_metric = "{type: ContainerResource, containerResource: {name: cpu, container: c, target: {type: Utilization, \
               averageUtilization: 50}}}";
    let lab = lab_with_metrics("cpu=300m", two, container_metric);
    assert_eq!(replicas(&lab), 6);
    assert_eq!(current_metrics(&lab)[0]["containerResource"]["container"], "c");
    let pod_level = format!("resources: {{requests: {{cpu: 100m}}}}, {two}");
    let cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}";
    let lab = lab_with_metrics("cpu=300m", &pod_level, cpu);
    assert_eq!(replicas(&lab), 6, "{:?}", lab.events);
}
