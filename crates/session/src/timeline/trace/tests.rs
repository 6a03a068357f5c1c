//! Tests of the trace: records that have been packed can be read from any position.

use std::sync::Arc;

use podscope_api::fault::{ControlPlaneProcess, FaultKind, ViolationCause};
use podscope_api::{CausedBy, EventType, Kind, NodeName, ObjectKey, Uid};
use podscope_cluster::{
    Actor, AttemptResult, FaultDetails, Happening, HookKind, Record, SimTime, Span, Updated, Violation, What, subject,
};

use super::{MIN_UNPACKED, RECORDS_PER_BLOCK, Trace};

const ACTORS: [Actor; 6] = [
    Actor::ApiServer,
    Actor::Scheduler(1),
    Actor::ControllerManager(0),
    Actor::Attacher,
    Actor::Client(7),
    Actor::World,
];

/// Returns the content of a record. Different indices cover all types of content: texts, numbers, lists, optional
/// values.
fn happening(index: usize) -> Happening {
    let node = || NodeName(format!("a-{}", index % 5).into());
    let message = format!("\u{1f980} \"{index}\"\n");
    if index.is_multiple_of(10) {
        let result = match index % 4 {
            0 => AttemptResult::Scheduled {
                node: node(),
                ties: index,
            },
            _ => AttemptResult::Unschedulable {
                message,
                preempts: index.is_multiple_of(3).then(|| (index, "b-1".into())),
            },
        };
        return Happening::Attempt {
            number: index as u32,
            result,
            feasible: index,
            examined: usize::MAX,
        };
    }
    match index % 13 {
        0 => Happening::Deleted,
        1 => Happening::Created {
            node: index.is_multiple_of(2).then(node),
            owner: None,
        },
        2 => Happening::Gated {
            gates: vec!["one".into(), "".into()],
        },
        3 => Updated {
            grace: Some(-1),
            finalizers: Some(Vec::new()),
            unschedulable: Some(false),
            ..Updated::default()
        }
        .into(),
        4 => Happening::Fault {
            fault: FaultKind::Second(ControlPlaneProcess::Scheduler),
            details: FaultDetails::None,
        },
        5 => Happening::Healed {
            fault: FaultKind::Slow,
            details: FaultDetails::Latency(Span(index as i64)),
        },
        6 => Happening::HookFinished {
            hook: HookKind::PreStop,
            succeeded: false,
        },
        7 => Happening::Event {
            kind: EventType::from("Odd"),
            reason: "Why".into(),
            message: message.into(),
            count: i32::MAX,
        },
        8 => Happening::Command {
            command: message,
            error: Some(String::new()),
        },
        9 => Happening::DeletionRequested { grace: i64::MIN },
        10 => Happening::Bound { node: node() },
        11 => Happening::Expectation {
            expect: message,
            ok: true,
            found: String::new(),
        },
        _ => Happening::InvariantViolated {
            violation: Violation {
                invariant: "one-node".into(),
                cause: ViolationCause::Bug,
                by: "nobody".into(),
                seen: message.into(),
            },
        },
    }
}

fn record(index: usize) -> Record {
    let node = NodeName(format!("a-{}", index % 5).into());
    let actor = match index % 8 {
        0 => Actor::Kubelet(node),
        1 => Actor::Machine(node),
        other => ACTORS[other - 2].clone(),
    };
    let named = |name: String| {
        subject(
            Kind::Pod,
            ObjectKey::new("default", name),
            Uid(format!("u{index}").into()),
        )
    };
    Record {
        // Some records have no cause, some have a recent cause, and some have a cause in an earlier block.
        caused_by: match index % 7 {
            0 => CausedBy::NOTHING,
            near @ 1..=5 => CausedBy::record(index.saturating_sub(near) as u64),
            _ => CausedBy::record((index / 2) as u64),
        },
        at: SimTime(index as i64 * 1000 - 3),
        seq: index as u64,
        actor,
        happening: happening(index),
        object: (index % 3 != 1).then(|| named(format!("web-{}", index % 7))),
        container: index.is_multiple_of(4).then(|| "c".into()),
    }
}

fn trace_of(count: usize) -> Trace {
    let mut trace = Trace::default();
    (0..count).for_each(|index| trace.push(record(index)));
    trace
}

const RECORD_COUNT: usize = MIN_UNPACKED + 3 * RECORDS_PER_BLOCK + 17;

fn is_record_of_index(found: &Arc<Record>, index: usize) -> bool {
    **found == record(index)
}

#[test]
fn packed_records_are_unchanged() {
    let trace = trace_of(RECORD_COUNT);
    assert!(trace.blocks.len() >= 2, "some records are packed");
    assert_eq!(trace.len(), RECORD_COUNT);
    assert_eq!(trace.iter().len(), RECORD_COUNT);
    assert!(
        trace
            .iter()
            .zip(0..)
            .all(|(found, index)| is_record_of_index(&found, index))
    );
    let backwards = (0..RECORD_COUNT).rev().zip(trace.iter().rev());
    assert!(
        backwards
            .into_iter()
            .all(|(index, found)| is_record_of_index(&found, index))
    );
    for index in [
        0,
        1,
        RECORDS_PER_BLOCK - 1,
        RECORDS_PER_BLOCK,
        2 * RECORDS_PER_BLOCK + 5,
        RECORD_COUNT - 1,
    ] {
        assert!(
            trace.get(index).is_some_and(|found| is_record_of_index(&found, index)),
            "{index}"
        );
    }
    assert_eq!(trace.get(RECORD_COUNT), None);
    let slice: Vec<u64> = trace
        .range(RECORDS_PER_BLOCK - 1, RECORDS_PER_BLOCK + 2)
        .map(|record| record.seq)
        .collect();
    assert_eq!(slice, [1023, 1024, 1025]);
    assert_eq!(trace.range(5, 3).len(), 0);
    assert!(
        trace
            .iter()
            .nth(RECORDS_PER_BLOCK + 1)
            .is_some_and(|found| is_record_of_index(&found, RECORDS_PER_BLOCK + 1))
    );
    assert_eq!(trace.iter().nth(RECORD_COUNT), None);
}

#[test]
fn truncated_trace_can_be_extended() {
    for len in [
        0,
        1,
        RECORDS_PER_BLOCK - 1,
        RECORDS_PER_BLOCK,
        RECORDS_PER_BLOCK + 1,
        2 * RECORDS_PER_BLOCK + 9,
        RECORD_COUNT - 3,
        RECORD_COUNT,
        RECORD_COUNT + 1,
    ] {
        let mut trace = trace_of(RECORD_COUNT);
        trace.truncate(len);
        assert_eq!(trace.len(), len.min(RECORD_COUNT));
        for index in trace.len()..RECORD_COUNT + 9 {
            trace.push(record(index));
        }
        assert!(
            trace
                .iter()
                .zip(0..)
                .all(|(found, index)| is_record_of_index(&found, index)),
            "cut at {len}"
        );
    }
}

#[test]
fn attempts_and_violations_are_found_after_packing() {
    let mut trace = trace_of(RECORD_COUNT);
    let key = ObjectKey::new("default", "web-3");
    let is_attempt_of_pod = |record: &Record| {
        record.what() == What::Attempt && record.object.as_ref().is_some_and(|subject| subject.key == key)
    };
    let until = MIN_UNPACKED + 5;
    let searched: Vec<_> = trace
        .range(0, until)
        .filter(|record| is_attempt_of_pod(record))
        .collect();
    assert!(searched.len() > 10);
    assert_eq!(trace.attempts_of(&key, until).collect::<Vec<_>>(), searched);
    let count_violations = |trace: &Trace| {
        trace
            .iter()
            .filter(|record| record.what() == What::InvariantViolated)
            .count()
    };
    assert_eq!(trace.violations().len(), count_violations(&trace));
    trace.truncate(RECORDS_PER_BLOCK + 40);
    assert_eq!(trace.violations().len(), count_violations(&trace));
    assert!(
        trace
            .attempts_of(&key, RECORD_COUNT)
            .all(|record| record.seq < RECORDS_PER_BLOCK as u64 + 40)
    );
}

/// In a run with a few hundred pods that are created, replaced and deleted, a packed record with its cause takes only a
/// few bytes.
#[test]
fn packed_records_take_few_bytes_each() {
    let text = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: many}
spec:
  cluster: {zones: [a, b, c], nodesPerZone: 4}
  timeline:
  - {at: 60s, run: kubectl set image deployment/many c=x:2}
  - {at: 180s, run: fault partition a-1}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: many}, spec: {replicas: 300, selector: {matchLabels: {app: many}}, template: {metadata: {labels: {app: many}}, spec: {containers: [{name: c, image: 'x:1'}]}}}}
";
    let loaded = crate::scenario::load(&[("many.yaml".to_owned(), text.to_owned())]).expect("it reads well");
    let mut session = crate::timeline::Session::new(loaded).expect("it is admitted");
    session.advance(SimTime::from_seconds(600), u64::MAX);
    let records: Vec<Arc<Record>> = session.trace().collect();
    let packed = |records: &[Arc<Record>]| -> usize {
        let blocks = records
            .chunks(RECORDS_PER_BLOCK)
            .map(|block| super::block::pack(block).len());
        blocks.sum()
    };
    let without: Vec<Arc<Record>> = (records.iter())
        .map(|record| {
            let caused_by = CausedBy::NOTHING;
            Arc::new(Record {
                caused_by,
                ..Record::clone(record)
            })
        })
        .collect();
    let bytes_per_record = |bytes: usize| bytes as f64 / records.len() as f64;
    let (with_causes, without_causes) = (bytes_per_record(packed(&records)), bytes_per_record(packed(&without)));
    assert!(
        with_causes < 25.0,
        "{with_causes:.1} bytes a record, {without_causes:.1} without causes, {} records",
        records.len()
    );
    assert!(
        with_causes - without_causes < 3.0,
        "{with_causes:.1} bytes a record, {without_causes:.1} without causes"
    );
    println!(
        "figure: packed record = {with_causes:.2} bytes, without causes {without_causes:.2} bytes, {} records",
        records.len()
    );
}
