//! Requests to Services through the public API of the world: the cost of traffic, its effects on the rest of the
//! simulation, and its totals.

use podscope_api::fault::ControlPlaneProcess;
use podscope_api::{ObjectKey, Rate};
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{RequestClient, RequestOutcome, Span, StartTraffic, TrafficCommand, What, World};
use serde_json::{Value, json};

use crate::common::{Trace, at, partition, world};

fn service(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80}]},
    })
}

fn deployment(name: &str, replicas: i32, behavior: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}, "annotations": {"behavior.podscope.dev/web": behavior}},
                "spec": {"containers": [{"name": "web", "image": "web:1", "ports": [{"containerPort": 80}]}]},
            },
        },
    })
}

fn start_traffic(service: &str, rate: &str) -> StartTraffic {
    StartTraffic {
        service: ObjectKey::new("default", service),
        rate: Rate::parse(rate).expect("the rate is valid"),
        client: RequestClient::Nodes,
        timeout: None,
        keep_alive: false,
        retries: 0,
    }
}

/// Returns the fault that starts this traffic.
fn start_fault(start: StartTraffic) -> Fault {
    Fault::Traffic(TrafficCommand::Start(start))
}

/// Returns the number of requests to a Service whose outcome `which` selects.
fn count_requests(world: &World, service: &str, which: impl Fn(RequestOutcome) -> bool) -> u64 {
    let requests = world.requests();
    let of = requests
        .iter()
        .filter(|((key, outcome), _)| &*key.name == service && which(*outcome));
    of.map(|(_, count)| count).sum()
}

/// 100 000 requests per second for an hour add no events to those of the cluster itself, except for a few reports.
/// Shows: TR-082, R-03
#[test]
fn steady_traffic_adds_no_events() {
    let objects = [service("web"), deployment("web", 5, "errors=5%")];
    let events = |rate: Option<&str>| {
        let mut trace = Trace::default();
        let mut world = world(&objects, &mut trace);
        world.run_until(at(20), &mut trace);
        if let Some(rate) = rate {
            world
                .apply_fault(&start_fault(start_traffic("web", rate)), &mut trace)
                .expect("the service exists");
        }
        world.run_until(at(20 + 3600), &mut trace);
        (
            world.pending_and_processed_events().1,
            count_requests(&world, "web", |_| true),
            count_requests(&world, "web", RequestOutcome::is_failed),
        )
    };
    let (without, none, _) = events(None);
    let (with, sent, failed) = events(Some("100000/s"));
    assert_eq!(none, 0);
    assert!((360_000_000 - 5_000..=360_000_000).contains(&sent), "{sent}");
    assert!(failed.abs_diff(18_000_000) < 1_000, "5 %: {failed}");
    // Failures that do not end are reported at growing intervals, which adds a few events.
    assert!(with - without < 30, "{with} events with traffic, {without} without");
}

/// A run with traffic equals the run without it, apart from the records about traffic.
/// Shows: TR-082, P-02
#[test]
fn traffic_does_not_change_other_records() {
    let objects = [service("web"), deployment("web", 4, "sigterm=2s")];
    let records = |with: bool| {
        let mut trace = Trace::default();
        let mut world = world(&objects, &mut trace);
        world.run_until(at(10), &mut trace);
        if with {
            let kept = StartTraffic {
                keep_alive: true,
                client: RequestClient::Zone("a".into()),
                ..start_traffic("web", "70/s")
            };
            for one in [start_traffic("web", "500/s"), kept] {
                world
                    .apply_fault(&start_fault(one), &mut trace)
                    .expect("the service exists");
            }
        }
        world.run_until(at(30), &mut trace);
        world
            .apply_fault(&partition(&["b-1".into()]), &mut trace)
            .expect("the node exists");
        world.run_until(at(200), &mut trace);
        for process in [ControlPlaneProcess::ApiServer, ControlPlaneProcess::ControllerManager] {
            let crash = |up| Fault::ControlPlane { process, up };
            world.apply_fault(&crash(false), &mut trace).expect("the process runs");
            world
                .apply_fault(&crash(true), &mut trace)
                .expect("the process can be restarted");
        }
        world.run_until(at(400), &mut trace);
        world
            .apply_fault(&Fault::Heal(Targets::All), &mut trace)
            .expect("healing everything is always possible");
        world.run_until(at(500), &mut trace);
        let others = trace.records.iter();
        let others = others.filter(|record| !matches!(record.what(), What::RequestsFailed | What::RequestRate));
        others
            .map(|record| {
                (
                    record.at,
                    record.actor.clone(),
                    record.happening.clone(),
                    record.object.clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    let (without, with) = (records(false), records(true));
    assert_eq!(without.len(), with.len());
    for (one, other) in without.iter().zip(&with) {
        assert_eq!(one, other);
    }
}

/// Every request is counted with exactly one outcome, even under faults: the totals equal the number of requests sent,
/// minus the requests in flight.
/// Shows: TR-082, TR-083
#[test]
fn every_request_has_one_outcome() {
    let behavior = "sigterm=0s, latency=200ms, errors=7%@20s..60s";
    let mut trace = Trace::default();
    let objects = [service("web"), deployment("web", 4, behavior)];
    let mut world = world(&objects, &mut trace);
    world.run_until(at(10), &mut trace);
    world
        .apply_fault(&start_fault(start_traffic("web", "111/s")), &mut trace)
        .expect("the service exists");
    let faults: Vec<(i64, Fault)> = vec![
        (
            20,
            Fault::Kubelet {
                node: "a-1".into(),
                up: false,
            },
        ),
        (31, partition(&["b-1".into()])),
        (
            90,
            Fault::Power {
                node: "c-1".into(),
                on: false,
            },
        ),
        (120, Fault::Slow("a-2".into(), Span::millis(150))),
        (
            150,
            Fault::Power {
                node: "c-1".into(),
                on: true,
            },
        ),
        (180, Fault::Heal(Targets::All)),
        (200, Fault::Leave("c-2".into())),
    ];
    let mut before = 0;
    for (second, fault) in faults {
        world.run_before(at(second), &mut trace);
        let sent = 111 * (second as u64 - 10);
        let counted = count_requests(&world, "web", |_| true);
        // Only requests of the last second may still be in flight.
        assert!(
            counted <= sent && sent - counted <= 111,
            "at {second} s: {counted} of {sent}"
        );
        assert!(counted >= before, "the total decreased at {second} s");
        before = counted;
        world.apply_fault(&fault, &mut trace).expect("the fault is possible");
    }
    world.run_until(at(400), &mut trace);
    let stop = Fault::Traffic(TrafficCommand::Stop(ObjectKey::new("default", "web")));
    world.apply_fault(&stop, &mut trace).expect("traffic was started");
    assert_eq!(count_requests(&world, "web", |_| true), 111 * 390);
    let reported: u64 = trace
        .records
        .iter()
        .filter(|record| record.what() == What::RequestsFailed)
        .filter_map(|record| record.field("count")?.as_u64())
        .sum();
    assert_eq!(
        reported,
        count_requests(&world, "web", RequestOutcome::is_failed),
        "the records report as many failures as the totals"
    );
    assert_eq!(trace.violations(), [""; 0]);
}

/// `app traffic start` is refused with a reason if its requests cannot be sent.
/// Shows: Q-03, TR-078
#[test]
fn traffic_that_cannot_be_sent_is_refused() {
    let mut trace = Trace::default();
    let elsewhere = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "elsewhere", "namespace": "default"},
        "spec": {"type": "ExternalName", "externalName": "shop.example.org"},
    });
    let mut world = world(&[service("web"), elsewhere], &mut trace);
    let from = |client: RequestClient| StartTraffic {
        client,
        ..start_traffic("web", "1/s")
    };
    for (start, why) in [
        (start_traffic("shop", "1/s"), "there is no service default/shop"),
        (
            start_traffic("web-0.shop", "1/s"),
            "there is no service default/web-0.shop",
        ),
        (
            start_traffic("elsewhere", "1/s"),
            "service default/elsewhere is only a name for shop.example.org",
        ),
        (
            StartTraffic {
                client: RequestClient::Outside,
                ..start_traffic("web-0.web", "1/s")
            },
            "default/web-0.web is the name of a pod inside the cluster: nothing reaches it from outside",
        ),
        (
            from(RequestClient::Outside),
            "service default/web is of type ClusterIP: nothing reaches it from outside",
        ),
        (
            from(RequestClient::Node("x-9".into())),
            "there is no machine called \"x-9\"",
        ),
        (
            from(RequestClient::Zone("x".into())),
            "there is no machine in zone \"x\"",
        ),
        (
            from(RequestClient::Pod(ObjectKey::new("default", "p"))),
            "there is no pod default/p",
        ),
    ] {
        assert_eq!(world.apply_fault(&start_fault(start), &mut trace), Err(why.to_owned()));
    }
    let stop = Fault::Traffic(TrafficCommand::Stop(ObjectKey::new("default", "web")));
    let refused = world.apply_fault(&stop, &mut trace);
    assert_eq!(
        refused,
        Err("nothing was started that sends to service default/web".to_owned())
    );
}
