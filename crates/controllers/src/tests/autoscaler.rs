//! HorizontalPodAutoscaler: C-14, CT-192, CT-193.

use podscope_api::{Deployment, HorizontalPodAutoscaler, load_key};
use podscope_sim::Span;
use std::sync::Arc;

use super::super::lab::Lab;

/// A Deployment of two pods of 200m, that share `load`.
fn scaled(load: &str, more: &str) -> Lab {
    Lab::new(
        &["a-1"],
        &format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: 2, selector: {{matchLabels: {{app: web}}}}, \
             template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 200m}}}}}}]}}}}}}}}\n---\n\
             {{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {{name: web, annotations: {{{}: '{load}'}}}}, \
             spec: {{minReplicas: 2, maxReplicas: 10, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}, {more} \
             metrics: [{{type: Resource, resource: {{name: cpu, target: {{type: Utilization, averageUtilization: 50}}}}}}]}}}}",
            load_key()
        ),
    )
}

fn replicas(lab: &Lab) -> i32 {
    lab.get::<Deployment>("web").unwrap().spec.replicas.unwrap_or(1)
}

fn set_load(lab: &mut Lab, load: &'static str) {
    lab.edit::<HorizontalPodAutoscaler>("web", move |one| {
        Arc::make_mut(&mut one.metadata.annotations).insert(load_key().into(), load.into());
    });
}

fn condition(lab: &Lab, kind: &str) -> String {
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
fn more_load_doubles_the_pods_at_most_and_less_waits_five_minutes() {
    let mut lab = scaled("cpu=100m", "");
    lab.run(Span::seconds(120));
    assert_eq!(replicas(&lab), 2);
    set_load(&mut lab, "cpu=2");
    lab.run(Span::seconds(15));
    assert_eq!(
        (replicas(&lab), condition(&lab, "ScalingLimited")),
        (4, "True ScaleUpLimit".to_owned())
    );
    lab.run(Span::seconds(120));
    assert_eq!(
        (replicas(&lab), condition(&lab, "ScalingLimited")),
        (10, "True TooManyReplicas".to_owned())
    );
    set_load(&mut lab, "cpu=300m");
    lab.run(Span::seconds(240));
    assert_eq!(
        (replicas(&lab), condition(&lab, "AbleToScale")),
        (10, "True ScaleDownStabilized".to_owned())
    );
    lab.run(Span::seconds(90));
    assert_eq!(
        (replicas(&lab), condition(&lab, "ScalingLimited")),
        (3, "False DesiredWithinRange".to_owned())
    );
    let above =
        "web SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target";
    for said in [
        above,
        "web SuccessfulRescale: New size: 3; reason: All metrics below target",
    ] {
        assert!(lab.events.contains(&said.to_owned()), "{:?}", lab.events);
    }
}

/// Shows: CT-193
#[test]
fn policies_bound_how_fast_it_goes() {
    let one_a_minute = "policies: [{type: Pods, value: 1, periodSeconds: 60}]";
    let rules = format!(
        "behavior: {{scaleUp: {{{one_a_minute}}}, scaleDown: {{stabilizationWindowSeconds: 0, {one_a_minute}}}}},"
    );
    let mut lab = scaled("cpu=2", &rules);
    lab.run(Span::seconds(45));
    assert_eq!(replicas(&lab), 3);
    lab.run(Span::seconds(50));
    assert_eq!(replicas(&lab), 4);
    set_load(&mut lab, "cpu=400m");
    lab.run(Span::seconds(90));
    assert_eq!(replicas(&lab), 4, "a half of what they ask for is what is wanted");
    set_load(&mut lab, "cpu=10m");
    lab.run(Span::seconds(30));
    assert_eq!(
        (replicas(&lab), condition(&lab, "ScalingLimited")),
        (3, "True ScaleDownLimit".to_owned())
    );
}

/// Shows: CT-192
#[test]
fn what_cannot_be_read_changes_nothing_and_is_told() {
    let mut lab = scaled("cpu=100m", "");
    lab.edit::<Deployment>("web", |one| {
        let template = Arc::make_mut(&mut one.spec.template);
        for container in Arc::make_mut(&mut template.spec.containers) {
            Arc::make_mut(&mut container.resources).requests.clear();
        }
    });
    lab.run(Span::seconds(60));
    assert_eq!(
        (replicas(&lab), condition(&lab, "ScalingActive")),
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
    assert_eq!(condition(&lab, "AbleToScale"), "False FailedGetScale");
    assert!(
        lab.events
            .contains(&"web FailedGetScale: deployments.apps \"gone\" not found".to_owned())
    );
}
