//! kube-proxy's choice of endpoints from given EndpointSlices, and the time of its syncs.

use std::sync::Arc;

use podscope_api::{NodeName, ObjectKey, parse};
use podscope_sim::{Objects, SimTime};

use super::{PacketOrigin, Proxy, Route, SyncSchedule};

const SERVICE: &str = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {clusterIP: 10.0.0.9, ports: \
     [{name: http, port: 80}]}}";

/// Returns objects with the Service `web` and these EndpointSlices of it; each slice is a name, a port and its
/// endpoints.
fn web_service_with_slices(slices: &[(&str, &str, &str)]) -> Arc<Objects> {
    let slice = |(name, port, endpoints): &(&str, &str, &str)| {
        format!(
            "{{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {{name: {name}, namespace: default, \
             labels: {{kubernetes.io/service-name: web}}}}, addressType: IPv4, ports: [{port}], endpoints: \
             [{endpoints}]}}"
        )
    };
    let texts: Vec<String> = std::iter::once(SERVICE.to_owned())
        .chain(slices.iter().map(slice))
        .collect();
    let parsed = parse(&texts.join("\n---\n"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let mut objects = Objects::default();
    for object in parsed.objects {
        objects.put(object.value);
    }
    Arc::new(objects)
}

fn web_service_key() -> ObjectKey {
    ObjectKey::new("default", "web")
}

/// Returns the addresses that the rules of node `a-1` choose from.
fn chosen_addresses(objects: Arc<Objects>) -> Vec<String> {
    match Proxy::running(NodeName("a-1".into()), objects).route(&web_service_key(), PacketOrigin::Inside) {
        Route::Any(backends) => backends.iter().map(|backend| backend.address.to_string()).collect(),
        other => vec![format!("{other:?}")],
    }
}

/// Shows: TR-011
#[test]
fn absent_conditions_count_as_ready_and_serving() {
    let slices = [(
        "one",
        "{name: http, port: 80}",
        "{addresses: [10.1.0.1]}, {addresses: [10.1.0.2], conditions: {ready: false}}",
    )];
    assert_eq!(chosen_addresses(web_service_with_slices(&slices)), ["10.1.0.1"]);
    // If no endpoint is ready, a terminating endpoint without the condition `serving` is used.
    let slices = [(
        "one",
        "{name: http, port: 80}",
        "{addresses: [10.1.0.2], conditions: {ready: false, terminating: true}}",
    )];
    assert_eq!(chosen_addresses(web_service_with_slices(&slices)), ["10.1.0.2"]);
}

/// Shows: TR-008
#[test]
fn slice_without_first_port_of_service_is_not_used() {
    let slices = [
        ("one", "{name: http, port: 80}", "{addresses: [10.1.0.1]}"),
        ("two", "{name: metrics, port: 9090}", "{addresses: [10.1.0.2]}"),
    ];
    assert_eq!(chosen_addresses(web_service_with_slices(&slices)), ["10.1.0.1"]);
}

/// Shows: TR-023
#[test]
fn address_in_two_slices_counts_once_as_not_terminating() {
    let slices = [
        (
            "old",
            "{name: http, port: 80}",
            "{addresses: [10.1.0.1], conditions: {ready: false, serving: true, terminating: true}}",
        ),
        (
            "new",
            "{name: http, port: 80}",
            "{addresses: [10.1.0.1]}, {addresses: [10.1.0.2]}",
        ),
    ];
    assert_eq!(
        chosen_addresses(web_service_with_slices(&slices)),
        ["10.1.0.1", "10.1.0.2"]
    );
}

/// Returns the last number of each address that the rules of node a-1 choose for a Service with this spec. If they
/// choose none, returns the name of their decision.
fn chosen_endpoints(spec: &str, origin: PacketOrigin, endpoints: &[&str]) -> String {
    let cluster_ip = if spec.contains("clusterIP") {
        ""
    } else {
        "clusterIP: 10.0.0.9, "
    };
    let service = SERVICE.replace("clusterIP: 10.0.0.9, ", &format!("{cluster_ip}{spec}"));
    let node = "{apiVersion: v1, kind: Node, metadata: {name: a-1, labels: {topology.kubernetes.io/zone: a}}}";
    let parsed = parse(&format!("{service}\n---\n{node}"));
    assert!(parsed.problems.is_empty(), "{spec}: {:?}", parsed.problems);
    let mut objects = (*web_service_with_slices(&[("one", "{name: http, port: 80}", &endpoints.join(", "))])).clone();
    for object in parsed.objects {
        objects.put(object.value);
    }
    match Proxy::running(NodeName("a-1".into()), Arc::new(objects)).route(&web_service_key(), origin) {
        Route::Any(backends) => {
            let digits = backends
                .iter()
                .map(|backend| backend.address.trim_start_matches("10.1.0."));
            digits.collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    }
}

/// Topology hints are used only if all ready endpoints have hints and some hint is for this node or zone. Traffic
/// policy `Local` ignores hints.
/// Shows: TR-010, TR-016, TR-018, TR-029, TR-030, TR-034
#[test]
fn route_follows_traffic_distribution_and_policy() {
    use PacketOrigin::{Inside, Outside};
    const ON_SAME_NODE: &str = "{addresses: [10.1.0.1], nodeName: a-1, zone: a}";
    const IN_SAME_ZONE: &str = "{addresses: [10.1.0.2], nodeName: a-2, zone: a}";
    const IN_OTHER_ZONE: &str = "{addresses: [10.1.0.3], nodeName: b-1, zone: b}";
    const WITHOUT_NODE: &str = "{addresses: [10.1.0.4]}";
    const TERMINATING: &str =
        "{addresses: [10.1.0.5], nodeName: a-1, zone: a, conditions: {ready: false, serving: true, terminating: true}}";
    let (node, zone) = (
        "trafficDistribution: PreferSameNode, ",
        "trafficDistribution: PreferSameZone, ",
    );
    let (local, zone_and_local) = (
        "internalTrafficPolicy: Local, ",
        "trafficDistribution: PreferSameZone, internalTrafficPolicy: Local, ",
    );
    let node_port = "type: NodePort, externalTrafficPolicy: Local, ";
    let rows: [(&str, PacketOrigin, &[&str], &str); 18] = [
        (node, Inside, &[ON_SAME_NODE, IN_SAME_ZONE, IN_OTHER_ZONE], "1"),
        (node, Inside, &[IN_SAME_ZONE, IN_OTHER_ZONE], "2"),
        (node, Inside, &[TERMINATING, IN_OTHER_ZONE], "3"),
        (node, Inside, &[ON_SAME_NODE, WITHOUT_NODE], "1 4"),
        (zone, Inside, &[ON_SAME_NODE, IN_SAME_ZONE, IN_OTHER_ZONE], "1 2"),
        (zone, Inside, &[IN_OTHER_ZONE], "3"),
        (zone, Inside, &[IN_SAME_ZONE, IN_OTHER_ZONE, WITHOUT_NODE], "2 3 4"),
        (
            "trafficDistribution: PreferClose, ",
            Inside,
            &[IN_SAME_ZONE, IN_OTHER_ZONE],
            "2",
        ),
        ("", Inside, &[ON_SAME_NODE, IN_SAME_ZONE, IN_OTHER_ZONE], "1 2 3"),
        (zone_and_local, Inside, &[ON_SAME_NODE, IN_SAME_ZONE], "1"),
        (local, Inside, &[TERMINATING, IN_OTHER_ZONE], "5"),
        (local, Inside, &[IN_SAME_ZONE, IN_OTHER_ZONE], "Drop"),
        (local, Inside, &[], "Reject"),
        (node_port, Outside, &[ON_SAME_NODE, IN_OTHER_ZONE], "1"),
        (node_port, Outside, &[IN_OTHER_ZONE], "Drop"),
        (node_port, Inside, &[ON_SAME_NODE, IN_OTHER_ZONE], "1 3"),
        ("", Outside, &[ON_SAME_NODE], "Unknown"),
        ("clusterIP: None, ", Inside, &[ON_SAME_NODE], "Unknown"),
    ];
    for (spec, origin, endpoints, wanted) in rows {
        assert_eq!(
            chosen_endpoints(spec, origin, endpoints),
            wanted,
            "{spec}{origin:?}, {endpoints:?}"
        );
    }
    let proxy = Proxy::running(NodeName("a-1".into()), web_service_with_slices(&[]));
    assert_eq!(
        proxy.route(&ObjectKey::new("default", "shop"), Inside),
        Route::Unknown,
        "no such Service"
    );
}

/// Shows: TR-025, TR-026, TR-027
#[test]
fn rules_are_written_at_once_then_at_most_every_second() {
    let at = |millis: i64| SimTime(millis * 1000);
    let mut proxy = Proxy::new(NodeName("a-1".into()));
    assert_eq!(
        proxy.route(&web_service_key(), PacketOrigin::Inside),
        Route::Unknown,
        "nothing is observed yet"
    );
    let one = web_service_with_slices(&[("one", "{name: http, port: 80}", "{addresses: [10.1.0.1]}")]);
    assert_eq!(proxy.observe(one, at(5_000)), SyncSchedule::Done);
    let none = web_service_with_slices(&[]);
    assert_eq!(proxy.observe(none.clone(), at(5_300)), SyncSchedule::At(at(6_000)));
    assert_eq!(proxy.observe(none, at(5_600)), SyncSchedule::Scheduled);
    assert!(
        matches!(proxy.route(&web_service_key(), PacketOrigin::Inside), Route::Any(_)),
        "the rules are as old as the last sync"
    );
    assert!(!proxy.sync(at(5_999)));
    assert!(proxy.sync(at(6_000)));
    assert_eq!(proxy.route(&web_service_key(), PacketOrigin::Inside), Route::Reject);
}

/// Shows: TR-079
#[test]
fn terminating_endpoint_fails_health_check_of_local_policy() {
    let proxy = |conditions: &str| {
        let endpoint = format!("{{addresses: [10.1.0.1], nodeName: a-1, conditions: {{{conditions}}}}}");
        let slices = web_service_with_slices(&[("one", "{name: http, port: 80}", endpoint.as_str())]);
        Proxy::running(NodeName("a-1".into()), slices)
    };
    assert!(proxy("ready: true").has_ready_local_endpoint(&web_service_key()));
    let terminating = proxy("ready: false, serving: true, terminating: true");
    assert!(!terminating.has_ready_local_endpoint(&web_service_key()));
    assert!(
        matches!(
            terminating.route(&web_service_key(), PacketOrigin::Inside),
            Route::Any(_)
        ),
        "it still gets requests"
    );
}
