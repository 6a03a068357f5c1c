//! S-02, S-03, S-05, S-06: queue order, back-off, hints, gates, preemption over time, through the public door.

use podscope_api::{Kind, Object};
use podscope_scheduler::{Attempt, NoRecorder, Outcome, Pool, Scheduler, SchedulerConfiguration};
use serde_json::{Value, json};

const SECOND: i64 = 1_000_000;

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

struct SearchInputs(Scheduler);

impl SearchInputs {
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

    fn one(&mut self, now: i64) -> Option<Attempt> {
        self.0.schedule_one(now, &mut || 0, &mut NoRecorder)
    }

    /// `pod: node`, `pod: -` (unschedulable), `pod: ! victims` (preempts), `pod: error`.
    fn step(&mut self, now: i64) -> String {
        match self.one(now) {
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

    fn pool(&self, name: &str) -> Option<Pool> {
        self.0.pool(name)
    }

    fn release_at(&self, name: &str) -> Option<i64> {
        let entry = self.0.queue().into_iter().find(|entry| &*entry.uid == name);
        entry.and_then(|entry| entry.release_at)
    }
}

fn bound(object: &Object, to: &str) -> Object {
    let Object::Pod(pod) = object else { unreachable!() };
    let mut pod = (**pod).clone();
    pod.spec.node_name = Some(to.into());
    Object::Pod(pod.into())
}

/// Shows: S-02, SCH-038
#[test]
fn priority_then_arrival_and_a_small_pod_is_not_blocked() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "2", json!({})), 0);
    world.add(&pod("first", 0, "1", json!({})), 0);
    world.add(&pod("second", 0, "1", json!({})), 0);
    world.add(&pod("huge", 100, "64", json!({})), 1);
    assert_eq!(world.step(1), "huge: -");
    assert_eq!(world.step(1), "first: n1");
    assert_eq!(world.step(1), "second: n1");
    assert_eq!(world.step(1), "nothing");
    assert_eq!(world.pool("huge"), Some(Pool::Unschedulable));
}

/// Shows: SCH-007, SCH-114
#[test]
fn without_nodes_the_error_back_off_doubles_and_is_waited_for() {
    let mut world = SearchInputs::new();
    world.add(&pod("a", 0, "1", json!({})), 0);
    let mut now = 0;
    // d = 1, 2, 4, 8, 10, 10 s; E = floor(t + d); released at the tick after E.
    for duration in [1, 2, 4, 8, 10, 10] {
        let attempt = world.one(now).expect("an attempt");
        let Outcome::Unschedulable { message, .. } = &attempt.outcome else {
            panic!("{attempt:?}")
        };
        assert_eq!(message, "no nodes available to schedule pods");
        assert_eq!(world.pool("a"), Some(Pool::ErrorBackoff));
        let release = now + (duration + 1) * SECOND;
        assert_eq!(world.0.next_deadline(now), Some(release), "after {duration} s");
        assert_eq!(world.step(release - 1), "nothing", "not a moment earlier");
        now = release;
    }
}

/// Shows: SCH-115
#[test]
fn an_idle_queue_does_not_wait_for_back_off() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "1", json!({})), 0);
    world.add(&pod("a", 0, "2", json!({})), 300_000);
    assert_eq!(world.step(300_000), "a: -");
    world.add(&node("n2", "4", json!({})), 400_000);
    assert_eq!(
        world.pool("a"),
        Some(Pool::Backoff),
        "the hint moves it while it backs off"
    );
    assert_eq!(
        world.release_at("a"),
        Some(2 * SECOND),
        "floor(0.3 + 1) = 1, released at 2"
    );
    world.add(&pod("b", 0, "1", json!({})), 500_000);
    assert_eq!(world.step(500_000), "b: n2", "activeQ goes first");
    assert_eq!(
        world.step(500_000),
        "a: n2",
        "then the head of the back-off heap, at once"
    );
}

/// Shows: SCH-114, SCH-122
#[test]
fn a_refused_pod_backs_off_from_one_second_to_ten() {
    for (attempts, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10)] {
        let mut world = SearchInputs::new();
        world.add(&node("n1", "1", json!({})), 0);
        world.add(&pod("a", 0, "2", json!({})), 0);
        let mut small = node("n1", "1", json!({}));
        for round in 0..attempts {
            assert_eq!(world.step(0), "a: -");
            // Any taint change requeues what NodeResourcesFit refused (SCH-122).
            let tainted = node(
                "n1",
                "1",
                json!({"spec": {"taints": [{"key": "k", "value": format!("{round}"), "effect": "PreferNoSchedule"}]}}),
            );
            world.update(&small, &tainted, 0);
            small = tainted;
        }
        assert_eq!(
            world.release_at("a"),
            Some((seconds + 1) * SECOND),
            "{attempts} attempts"
        );
    }
}

/// Shows: SCH-116
#[test]
fn pods_that_wait_too_long_are_tried_again() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "1", json!({})), 0);
    world.add(&pod("a", 0, "2", json!({})), 5 * SECOND);
    assert_eq!(world.step(5 * SECOND), "a: -");
    // Older than five minutes at 305 s; the tick after that is at 330 s.
    assert_eq!(world.0.next_deadline(5 * SECOND), Some(330 * SECOND));
    assert_eq!(world.step(330 * SECOND - 1), "nothing");
    assert_eq!(world.step(330 * SECOND), "a: -");
}

/// Shows: S-03, SCH-037
#[test]
fn gates_hold_until_all_are_gone() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "4", json!({})), 0);
    let two = pod(
        "a",
        0,
        "1",
        json!({"spec": {"schedulingGates": [{"name": "x"}, {"name": "y"}]}}),
    );
    let one = pod("a", 0, "1", json!({"spec": {"schedulingGates": [{"name": "y"}]}}));
    let none = pod("a", 0, "1", json!({}));
    world.add(&two, 0);
    assert_eq!(
        (world.pool("a"), world.step(0).as_str()),
        (Some(Pool::Gated), "nothing")
    );
    world.update(&two, &one, SECOND);
    assert_eq!(world.step(SECOND), "nothing");
    world.add(&node("n2", "4", json!({})), SECOND);
    assert_eq!(world.pool("a"), Some(Pool::Gated), "other events do not move it");
    world.update(&one, &none, 2 * SECOND);
    assert_eq!(world.step(2 * SECOND), "a: n1");
}

/// Shows: SCH-121
#[test]
fn each_change_wakes_whom_it_can_help() {
    let fits = json!({"status": {"allocatable": {"cpu": "4"}}});
    let cordoned = json!({"spec": {"unschedulable": true}});
    let tainted = json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}});
    let labelled = json!({"metadata": {"labels": {"disk": "ssd"}}});
    let wants_ssd = json!({"spec": {"nodeSelector": {"disk": "ssd"}}});
    let noted = json!({"metadata": {"annotations": {"a": "b"}}});
    // (what, node before, pod, node after, requeued?)
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
            "a label extension_points not uncordon",
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
        let mut world = SearchInputs::new();
        let (before, after) = (node("n1", "1", before), node("n1", "1", after));
        world.add(&before, 0);
        world.add(&pod("a", 0, cpu, extra), 0);
        assert_eq!(world.step(0), "a: -", "{what}");
        world.update(&before, &after, 0);
        let pool = if requeued { Pool::Backoff } else { Pool::Unschedulable };
        assert_eq!(world.pool("a"), Some(pool), "{what}");
    }
}

/// Shows: SCH-123
#[test]
fn deleting_the_pod_whose_anti_affinity_blocked_requeues() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "4", json!({})), 0);
    let anti = json!({"spec": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}]}}}});
    let guard = bound(&pod("guard", 0, "100m", anti), "n1");
    world.add(&guard, 0);
    world.add(&pod("a", 0, "100m", json!({})), 0);
    assert_eq!(world.step(0), "a: -");
    world.delete(&guard, SECOND);
    assert_eq!(world.pool("a"), Some(Pool::Backoff));
}

/// Shows: S-06, SCH-104, SCH-105
#[test]
fn preemption_holds_the_preemptor_until_the_last_victim() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "2", json!({})), 0);
    let victims = ["v1", "v2"].map(|name| bound(&pod(name, 0, "1", json!({})), "n1"));
    for victim in &victims {
        world.add(victim, 0);
    }
    world.add(&pod("high", 1000, "2", json!({})), 0);
    let attempt = world.one(0).expect("an attempt");
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
    world.delete(&victims[0], SECOND);
    assert_eq!(
        (world.pool("high"), world.step(SECOND).as_str()),
        (Some(Pool::Gated), "nothing")
    );
    world.0.preemption_of_last("high", &preempt.victims[1].uid);
    // A pod of lower priority does not take the room the nominated one was promised.
    world.add(&pod("low", 0, "1", json!({})), SECOND);
    assert_eq!(world.step(SECOND), "low: -");
    world.delete(&victims[1], 2 * SECOND);
    assert_eq!(world.step(2 * SECOND), "high: n1");
}

/// Shows: S-06
#[test]
fn a_higher_newcomer_takes_the_room() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "1", json!({})), 0);
    let victim = bound(&pod("v", 0, "1", json!({})), "n1");
    world.add(&victim, 0);
    world.add(&pod("high", 1000, "1", json!({})), 0);
    assert_eq!(world.step(0), "high: ! v on n1");
    world.0.preemption_finished("high");
    world.delete(&victim, SECOND);
    world.add(&pod("higher", 2000, "1", json!({})), SECOND);
    assert_eq!(world.step(SECOND), "higher: n1");
    assert_eq!(world.step(2 * SECOND), "high: -");
}

/// Shows: S-05, SCH-094
#[test]
fn never_does_not_preempt_but_waits_first() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "1", json!({})), 0);
    let low = bound(&pod("low", 0, "1", json!({})), "n1");
    world.add(&low, 0);
    world.add(&pod("later", 0, "1", json!({})), 0);
    world.add(
        &pod("never", 1000, "1", json!({"spec": {"preemptionPolicy": "Never"}})),
        0,
    );
    assert_eq!(world.step(0), "never: -");
    assert_eq!(world.step(0), "later: -");
    world.delete(&low, SECOND);
    assert_eq!(world.step(SECOND), "never: n1");
}

/// Shows: SCH-023
#[test]
fn a_failed_binding_is_retried_after_back_off() {
    let mut world = SearchInputs::new();
    world.add(&node("n1", "1", json!({})), 0);
    world.add(&pod("a", 0, "1", json!({})), 0);
    world.add(&pod("b", 0, "1", json!({})), 0);
    assert_eq!(world.step(0), "a: n1");
    assert_eq!(world.step(0), "b: -", "the assumed pod counts");
    let report = world
        .0
        .bind_finished("a", Err("binding rejected".to_owned()), SECOND)
        .expect("a report");
    assert_eq!(
        report.patch.and_then(|patch| patch.condition).map(|(reason, _)| reason),
        Some("SchedulerError")
    );
    assert_eq!(world.pool("a"), Some(Pool::ErrorBackoff));
    assert_eq!(world.step(SECOND), "b: n1", "the room is free again");
}
