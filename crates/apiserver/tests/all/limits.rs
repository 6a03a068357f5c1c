//! Admission by LimitRanges and ResourceQuotas.

use podscope_api::{Quantity, print_yaml};
use podscope_apiserver::ApiServer;

use crate::create;

/// Creates a server with a namespace that has a LimitRange or a ResourceQuota.
fn server_with_limits(kind: &str, spec: &str) -> ApiServer {
    let mut server = crate::server();
    let limits = format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: l, namespace: default}}, spec: {spec}}}");
    create(&mut server, &limits).expect("it is well formed");
    server
}

fn pod(name: &str, resources: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: default}}, spec: {{containers: \
         [{{name: c, image: i, resources: {resources}}}]}}}}"
    )
}

/// Shows: CT-191, VA-289
#[test]
fn limit_ranges_set_defaults_and_refuse_violations() {
    let container = "{limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 200m}, min: {cpu: 100m}, \
                     max: {cpu: 1}, maxLimitRequestRatio: {cpu: 4}}]}";
    let mut server_of_containers = server_with_limits("LimitRange", container);
    let stored = create(&mut server_of_containers, &pod("plain", "{}")).expect("it is filled in");
    let printed = print_yaml(&stored.to_value()).replace("\n      ", " ");
    for line in [
        "kubernetes.io/limit-ranger: 'LimitRanger plugin set: cpu request for container c; cpu limit for container c'",
        "cpu: 500m",
        "cpu: 200m",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    let whole = "{limits: [{type: Pod, max: {memory: 1Gi}}]}";
    let claims = "{limits: [{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 2Gi}}]}";
    let claim = |size: &str| {
        format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: c, namespace: default}}, spec: \
             {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {size}}}}}}}}}"
        )
    };
    for (range, given, refusal) in [
        (
            container,
            pod("p", "{requests: {cpu: 50m}, limits: {cpu: 150m}}"),
            "minimum cpu usage per Container is 100m, but request is 50m",
        ),
        (
            container,
            pod("p", "{requests: {cpu: 50m}, limits: {cpu: 2}}"),
            "[minimum cpu usage per Container is 100m, but request is 50m, maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 4, but provided ratio is 40.000000]",
        ),
        (
            whole,
            pod("p", "{}"),
            "maximum memory usage per Pod is 1Gi.  No limit is specified",
        ),
        (
            whole,
            pod("p", "{limits: {memory: 2Gi}}"),
            "maximum memory usage per Pod is 1Gi, but limit is 2Gi",
        ),
        (
            claims,
            claim("3Gi"),
            "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi",
        ),
        (
            claims,
            claim("1Mi"),
            "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi",
        ),
    ] {
        let refused = create(&mut server_with_limits("LimitRange", range), &given).expect_err(refusal);
        assert!(refused.ends_with(&format!("is forbidden: {refusal}")), "{refused}");
    }
}

/// Shows: CT-189, VA-290
#[test]
fn quota_counts_objects_in_scope_and_lists_exceeded_resources() {
    let mut compute = server_with_limits(
        "ResourceQuota",
        "{hard: {pods: '2', requests.cpu: '1', limits.memory: 1Gi}}",
    );
    let refused = create(&mut compute, &pod("p", "{requests: {cpu: 1}}")).expect_err("memory is not limited");
    assert_eq!(
        refused,
        "pods \"p\" is forbidden: failed quota: l: must specify limits.memory for: c"
    );
    create(
        &mut compute,
        &pod("p", "{requests: {cpu: 600m}, limits: {memory: 1Gi}}"),
    )
    .expect("it fits");
    let refused = create(
        &mut compute,
        &pod("q", "{requests: {cpu: 600m}, limits: {memory: 1Mi}}"),
    )
    .expect_err("no room");
    assert_eq!(
        refused,
        "pods \"q\" is forbidden: exceeded quota: l, requested: limits.memory=1Mi,requests.cpu=600m, used: \
         limits.memory=1Gi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1"
    );
    let mut idle = server_with_limits("ResourceQuota", "{hard: {pods: '1'}, scopes: [BestEffort]}");
    for name in ["a", "b"] {
        create(&mut idle, &pod(name, "{requests: {cpu: 1}}")).expect("it is not of the scope");
    }
    create(&mut idle, &pod("c", "{}")).expect("the first of the scope");
    assert!(create(&mut idle, &pod("d", "{}")).is_err());
    let mut counted = server_with_limits(
        "ResourceQuota",
        "{hard: {services.nodeports: '1', count/configmaps: '1', services: '5'}}",
    );
    let service = |name: &str, kind: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {name}, namespace: default}}, spec: {{type: {kind}, ports: [{{port: 80}}]}}}}"
        )
    };
    create(&mut counted, &service("one", "NodePort")).expect("it fits");
    assert!(
        create(&mut counted, &service("two", "NodePort"))
            .expect_err("no port")
            .contains("services.nodeports=1")
    );
    create(&mut counted, &service("three", "ClusterIP")).expect("it takes no port");
    let used = counted
        .objects()
        .list::<podscope_api::ResourceQuota>()
        .next()
        .expect("the quota")
        .status
        .used
        .clone();
    assert_eq!(used.get("services"), Some(&Quantity::from_units(2)));
}
