//! Tests of the scheduling queue through the public API: order, back-off, queueing hints, gates, preemption over time
//! (S-02, S-03, S-05, S-06).

use podscope_api::{Kind, Object};
use podscope_scheduler::{Attempt, NoRecorder, Outcome, QueuePool, Scheduler, SchedulerConfiguration};
use serde_json::{Value, json};

const MICROS_PER_SECOND: i64 = 1_000_000;

fn object(kind: Kind, value: Value) -> Object {
    Object::from_typed_value(kind, &value).expect("a readable object")
}

fn node(name: &str, cpu: &str, extra: Value) -> Object {
    let mut value = json!({
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "spec": {},
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}},
    });
    merge(&mut value, extra);
    object(Kind::Node, value)
}

fn pod(name: &str, priority: i32, cpu: &str, extra: Value) -> Object {
    let mut value = json!({
        "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": name}},
        "spec": {"priority": priority, "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "1Mi"}}}]},
        "status": {"phase": "Pending"},
    });
    merge(&mut value, extra);
    object(Kind::Pod, value)
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) if !from.is_null() => *into = from,
        _ => {}
    }
}

struct SchedulerFixture(Scheduler);

impl SchedulerFixture {
    fn new() -> Self {
        Self(Scheduler::new(SchedulerConfiguration::default(), 0))
    }

    fn add(&mut self, object: &Object, now: i64) {
        self.0.on_change(None, Some(object), now);
    }

    fn update(&mut self, old: &Object, new: &Object, now: i64) {
        self.0.on_change(Some(old), Some(new), now);
    }

    fn delete(&mut self, object: &Object, now: i64) {
        self.0.on_change(Some(object), None, now);
    }

    fn schedule_one(&mut self, now: i64) -> Option<Attempt> {
        self.0.schedule_one(now, &mut || 0, &mut NoRecorder)
    }

    /// Runs one attempt and formats it: `pod: node` (bound), `pod: -` (unschedulable), `pod: ! victims on node`
    /// (preempts), `pod: error`.
    fn schedule_and_format(&mut self, now: i64) -> String {
        match self.schedule_one(now) {
            None => "nothing".to_owned(),
            Some(attempt) => {
                let what = match &attempt.outcome {
                    Outcome::Assumed { node, .. } => node.to_string(),
                    Outcome::Unschedulable {
                        preempt: Some(preempt), ..
                    } => {
                        let victims: Vec<&str> = preempt.victims.iter().map(|victim| &*victim.pod.name).collect();
                        format!("! {} on {}", victims.join(" "), preempt.node)
                    }
                    Outcome::Unschedulable { .. } => "-".to_owned(),
                    Outcome::Error { .. } => "error".to_owned(),
                    Outcome::Skipped => "skipped".to_owned(),
                };
                format!("{}: {what}", attempt.pod.name)
            }
        }
    }

    fn pool(&self, name: &str) -> Option<QueuePool> {
        self.0.pool(name)
    }

    /// Returns the time at which the timer moves the pod from backoffQ to activeQ, in microseconds.
    fn release_at(&self, name: &str) -> Option<i64> {
        let entry = self.0.queue().into_iter().find(|entry| &*entry.uid == name);
        entry.and_then(|entry| entry.release_at)
    }
}

fn bound_to(object: &Object, to: &str) -> Object {
    let Object::Pod(pod) = object else { unreachable!() };
    let mut pod = (**pod).clone();
    pod.spec.node_name = Some(to.into());
    Object::Pod(pod.into())
}

/// Shows: S-02, SCH-038
#[test]
fn unschedulable_pod_does_not_block_lower_priority_pods() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "2", json!({})), 0);
    driver.add(&pod("first", 0, "1", json!({})), 0);
    driver.add(&pod("second", 0, "1", json!({})), 0);
    driver.add(&pod("huge", 100, "64", json!({})), 1);
    assert_eq!(driver.schedule_and_format(1), "huge: -");
    assert_eq!(driver.schedule_and_format(1), "first: n1");
    assert_eq!(driver.schedule_and_format(1), "second: n1");
    assert_eq!(driver.schedule_and_format(1), "nothing");
    assert_eq!(driver.pool("huge"), Some(QueuePool::Unschedulable));
}

/// Shows: SCH-007, SCH-114
#[test]
fn error_backoff_without_nodes_doubles_up_to_maximum() {
    let mut driver = SchedulerFixture::new();
    driver.add(&pod("a", 0, "1", json!({})), 0);
    let mut now = 0;
    // The back-off ends at the whole second floor(now + duration); the pod is released at the tick after it.
    for duration in [1, 2, 4, 8, 10, 10] {
        let attempt = driver.schedule_one(now).expect("an attempt");
        let Outcome::Unschedulable { message, .. } = &attempt.outcome else {
            panic!("{attempt:?}")
        };
        assert_eq!(message, "no nodes available to schedule pods");
        assert_eq!(driver.pool("a"), Some(QueuePool::ErrorBackoff));
        let release = now + (duration + 1) * MICROS_PER_SECOND;
        assert_eq!(driver.0.next_deadline(now), Some(release), "after {duration} s");
        assert_eq!(
            driver.schedule_and_format(release - 1),
            "nothing",
            "the pod must not be released earlier"
        );
        now = release;
    }
}

/// Shows: SCH-115
#[test]
fn empty_active_queue_pops_from_backoff_queue() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "1", json!({})), 0);
    driver.add(&pod("a", 0, "2", json!({})), 300_000);
    assert_eq!(driver.schedule_and_format(300_000), "a: -");
    driver.add(&node("n2", "4", json!({})), 400_000);
    assert_eq!(
        driver.pool("a"),
        Some(QueuePool::Backoff),
        "the hint must move the pod to backoffQ during back-off"
    );
    assert_eq!(
        driver.release_at("a"),
        Some(2 * MICROS_PER_SECOND),
        "floor(0.3 + 1) = 1, released at 2"
    );
    driver.add(&pod("b", 0, "1", json!({})), 500_000);
    assert_eq!(
        driver.schedule_and_format(500_000),
        "b: n2",
        "activeQ must be popped first"
    );
    assert_eq!(
        driver.schedule_and_format(500_000),
        "a: n2",
        "the head of backoffQ must be popped next, without waiting"
    );
}

/// Shows: SCH-114, SCH-122
#[test]
fn unschedulable_backoff_doubles_from_one_to_ten_seconds() {
    for (attempts, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10)] {
        let mut driver = SchedulerFixture::new();
        driver.add(&node("n1", "1", json!({})), 0);
        driver.add(&pod("a", 0, "2", json!({})), 0);
        let mut small = node("n1", "1", json!({}));
        for round in 0..attempts {
            assert_eq!(driver.schedule_and_format(0), "a: -");
            // Any taint change requeues a pod that NodeResourcesFit rejected (SCH-122).
            let tainted = node(
                "n1",
                "1",
                json!({"spec": {"taints": [{"key": "k", "value": format!("{round}"), "effect": "PreferNoSchedule"}]}}),
            );
            driver.update(&small, &tainted, 0);
            small = tainted;
        }
        assert_eq!(
            driver.release_at("a"),
            Some((seconds + 1) * MICROS_PER_SECOND),
            "{attempts} attempts"
        );
    }
}

/// Shows: SCH-116
#[test]
fn unschedulable_pod_is_retried_after_five_minutes() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "1", json!({})), 0);
    driver.add(&pod("a", 0, "2", json!({})), 5 * MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(5 * MICROS_PER_SECOND), "a: -");
    // At 305 s the pod has waited five minutes; the next flush is at 330 s.
    assert_eq!(
        driver.0.next_deadline(5 * MICROS_PER_SECOND),
        Some(330 * MICROS_PER_SECOND)
    );
    assert_eq!(driver.schedule_and_format(330 * MICROS_PER_SECOND - 1), "nothing");
    assert_eq!(driver.schedule_and_format(330 * MICROS_PER_SECOND), "a: -");
}

/// Shows: S-03, SCH-037
#[test]
fn pod_stays_gated_until_all_gates_are_removed() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "4", json!({})), 0);
    let two = pod(
        "a",
        0,
        "1",
        json!({"spec": {"schedulingGates": [{"name": "x"}, {"name": "y"}]}}),
    );
    let one = pod("a", 0, "1", json!({"spec": {"schedulingGates": [{"name": "y"}]}}));
    let none = pod("a", 0, "1", json!({}));
    driver.add(&two, 0);
    assert_eq!(
        (driver.pool("a"), driver.schedule_and_format(0).as_str()),
        (Some(QueuePool::Gated), "nothing")
    );
    driver.update(&two, &one, MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(MICROS_PER_SECOND), "nothing");
    driver.add(&node("n2", "4", json!({})), MICROS_PER_SECOND);
    assert_eq!(
        driver.pool("a"),
        Some(QueuePool::Gated),
        "other events must not move a gated pod"
    );
    driver.update(&one, &none, 2 * MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(2 * MICROS_PER_SECOND), "a: n1");
}

/// Shows: SCH-121
#[test]
fn node_change_requeues_only_pods_it_may_help() {
    let fits = json!({"status": {"allocatable": {"cpu": "4"}}});
    let cordoned = json!({"spec": {"unschedulable": true}});
    let tainted = json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}});
    let labelled = json!({"metadata": {"labels": {"disk": "ssd"}}});
    let wants_ssd = json!({"spec": {"nodeSelector": {"disk": "ssd"}}});
    let noted = json!({"metadata": {"annotations": {"a": "b"}}});
    // Columns: description, node before, pod, node after, whether the pod is requeued.
    for (what, before, cpu, extra, after, requeued) in [
        ("allocatable grew", json!({}), "2", json!({}), fits.clone(), true),
        (
            "allocatable grew elsewhere",
            json!({}),
            "2",
            json!({}),
            json!({"status": {"allocatable": {"memory": "16Gi"}}}),
            false,
        ),
        ("uncordoned", cordoned.clone(), "100m", json!({}), json!({}), true),
        (
            "a label does not uncordon",
            cordoned.clone(),
            "100m",
            json!({}),
            json!({"spec": {"unschedulable": true}, "metadata": {"labels": {"a": "b"}}}),
            false,
        ),
        ("taint removed", tainted.clone(), "100m", json!({}), json!({}), true),
        (
            "label appears",
            json!({}),
            "100m",
            wants_ssd.clone(),
            labelled.clone(),
            true,
        ),
        (
            "another label appears",
            json!({}),
            "100m",
            wants_ssd.clone(),
            json!({"metadata": {"labels": {"disk": "hdd"}}}),
            false,
        ),
        ("an annotation helps nobody", json!({}), "2", json!({}), noted, false),
        (
            "any taint change requeues what Fit refused",
            json!({}),
            "2",
            json!({}),
            tainted,
            true,
        ),
    ] {
        let mut driver = SchedulerFixture::new();
        let (before, after) = (node("n1", "1", before), node("n1", "1", after));
        driver.add(&before, 0);
        driver.add(&pod("a", 0, cpu, extra), 0);
        assert_eq!(driver.schedule_and_format(0), "a: -", "{what}");
        driver.update(&before, &after, 0);
        let pool = if requeued {
            QueuePool::Backoff
        } else {
            QueuePool::Unschedulable
        };
        assert_eq!(driver.pool("a"), Some(pool), "{what}");
    }
}

/// Shows: SCH-123
#[test]
fn deletion_of_anti_affinity_pod_requeues_blocked_pod() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "4", json!({})), 0);
    let anti = json!({"spec": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}]}}}});
    let guard = bound_to(&pod("guard", 0, "100m", anti), "n1");
    driver.add(&guard, 0);
    driver.add(&pod("a", 0, "100m", json!({})), 0);
    assert_eq!(driver.schedule_and_format(0), "a: -");
    driver.delete(&guard, MICROS_PER_SECOND);
    assert_eq!(driver.pool("a"), Some(QueuePool::Backoff));
}

/// Shows: S-06, SCH-104, SCH-105
#[test]
fn preemptor_is_gated_until_last_victim_is_deleted() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "2", json!({})), 0);
    let victims = ["v1", "v2"].map(|name| bound_to(&pod(name, 0, "1", json!({})), "n1"));
    for victim in &victims {
        driver.add(victim, 0);
    }
    driver.add(&pod("high", 1000, "2", json!({})), 0);
    let attempt = driver.schedule_one(0).expect("an attempt");
    let Outcome::Unschedulable {
        message,
        preempt: Some(preempt),
    } = &attempt.outcome
    else {
        panic!("{attempt:?}")
    };
    assert_eq!(message, "0/1 nodes are available: 1 Insufficient cpu.");
    assert_eq!(
        preempt.message,
        "default-scheduler: preempting to accommodate a higher priority pod"
    );
    assert_eq!(preempt.victims.len(), 2);
    let patch = attempt.patch.expect("a patch");
    assert_eq!(patch.nominated_node_name.as_deref(), Some("n1"));
    assert_eq!(attempt.events[0].note, *message);
    driver.delete(&victims[0], MICROS_PER_SECOND);
    assert_eq!(
        (
            driver.pool("high"),
            driver.schedule_and_format(MICROS_PER_SECOND).as_str()
        ),
        (Some(QueuePool::Gated), "nothing")
    );
    driver.0.last_eviction_started("high", &preempt.victims[1].uid);
    // A lower-priority pod does not use the resources reserved for the nominated pod.
    driver.add(&pod("low", 0, "1", json!({})), MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(MICROS_PER_SECOND), "low: -");
    driver.delete(&victims[1], 2 * MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(2 * MICROS_PER_SECOND), "high: n1");
}

/// Shows: S-06
#[test]
fn higher_priority_pod_takes_resources_of_nominated_pod() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "1", json!({})), 0);
    let victim = bound_to(&pod("v", 0, "1", json!({})), "n1");
    driver.add(&victim, 0);
    driver.add(&pod("high", 1000, "1", json!({})), 0);
    assert_eq!(driver.schedule_and_format(0), "high: ! v on n1");
    driver.0.preemption_finished("high");
    driver.delete(&victim, MICROS_PER_SECOND);
    driver.add(&pod("higher", 2000, "1", json!({})), MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(MICROS_PER_SECOND), "higher: n1");
    assert_eq!(driver.schedule_and_format(2 * MICROS_PER_SECOND), "high: -");
}

/// Shows: S-05, SCH-094
#[test]
fn policy_never_disables_preemption_but_not_queue_order() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "1", json!({})), 0);
    let low = bound_to(&pod("low", 0, "1", json!({})), "n1");
    driver.add(&low, 0);
    driver.add(&pod("later", 0, "1", json!({})), 0);
    driver.add(
        &pod("never", 1000, "1", json!({"spec": {"preemptionPolicy": "Never"}})),
        0,
    );
    assert_eq!(driver.schedule_and_format(0), "never: -");
    assert_eq!(driver.schedule_and_format(0), "later: -");
    driver.delete(&low, MICROS_PER_SECOND);
    assert_eq!(driver.schedule_and_format(MICROS_PER_SECOND), "never: n1");
}

/// Shows: SCH-023
#[test]
fn failed_binding_is_retried_after_backoff() {
    let mut driver = SchedulerFixture::new();
    driver.add(&node("n1", "1", json!({})), 0);
    driver.add(&pod("a", 0, "1", json!({})), 0);
    driver.add(&pod("b", 0, "1", json!({})), 0);
    assert_eq!(driver.schedule_and_format(0), "a: n1");
    assert_eq!(
        driver.schedule_and_format(0),
        "b: -",
        "the assumed pod must use resources"
    );
    let report = driver
        .0
        .bind_finished("a", Err("binding rejected".to_owned()), MICROS_PER_SECOND)
        .expect("a report");
    assert_eq!(
        report.patch.and_then(|patch| patch.condition).map(|(reason, _)| reason),
        Some("SchedulerError")
    );
    assert_eq!(driver.pool("a"), Some(QueuePool::ErrorBackoff));
    assert_eq!(
        driver.schedule_and_format(MICROS_PER_SECOND),
        "b: n1",
        "the failed binding must release the resources"
    );
}
