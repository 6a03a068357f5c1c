//! Messages between page and worker in a real browser.
#![cfg(target_arch = "wasm32")]

use js_sys::Uint8Array;
use podscope_protocol::explained::{
    DecisionOutcome, DecisionSummary, Explanation, NodeExplanation, NodeScores, NodeVerdict, ScoreNote, WinReason,
};
use podscope_protocol::{Opened, Remark, Request, Source, SubjectRef, Update, pack, unpack};
use podscope_session::host::{Host, Wants};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Copies bytes to JavaScript memory and back, as a message between page and worker does.
fn through_javascript(bytes: &[u8]) -> Vec<u8> {
    Uint8Array::from(bytes).to_vec()
}

/// Covers 64-bit numbers, which JavaScript numbers cannot hold.
#[wasm_bindgen_test]
fn packed_requests_unpack_to_equal_requests() {
    let cases = [
        Request::Open {
            source: Source::Files {
                files: vec![("a.yaml".into(), "kind: Pod".into())],
            },
        },
        Request::Command {
            line: "fault partition a-1".into(),
        },
        Request::Speed { per_mille: 10_000_000 },
        Request::Seek { at: i64::MAX },
        Request::Inspect {
            subject: Some(SubjectRef::Node { name: "a-1".into() }),
        },
        Request::Inspect { subject: None },
        Request::Play,
    ];
    for request in cases {
        let bytes = pack(&request).expect("bytes");
        let received: Request = unpack(&through_javascript(&bytes)).expect("a request");
        assert_eq!(received, request);
    }
}

#[wasm_bindgen_test]
fn packed_updates_unpack_to_equal_updates() {
    let opened = Opened {
        seed: u64::MAX,
        notices: vec![Remark::NotSimulated {
            kind: "Ingress".into(),
            count: 3,
        }],
        ..Opened::default()
    };
    let cases = [
        Update::Hello {
            version: "0.1.0".into(),
            lessons: Vec::new(),
            guarantees: Vec::new(),
        },
        Update::Opened(Box::new(opened)),
        Update::Explanation {
            pod: "default/web-0".into(),
            uid: "u".into(),
            attempts: Vec::new(),
            attempt: 1,
            devices: vec![("a-1".into(), vec!["request r of claim default/c: gets d/p/g0".into()])],
            explanation: Some(Box::new(Explanation {
                scheduler_name: String::new(),
                priority: 0,
                conclusion: DecisionSummary {
                    pod: "default/web-0".into(),
                    outcome: DecisionOutcome::OnlyNode {
                        node: "a-1".into(),
                        of: 3,
                    },
                },
                chosen: Some("a-1".into()),
                hosts: Vec::new(),
                won: Some(WinReason::OnlyNode),
                message: None,
                plugins: Vec::new(),
                nodes: vec![NodeExplanation {
                    name: "a-1".into(),
                    zone: None,
                    verdict: NodeVerdict::Fits(NodeScores {
                        weighted: vec![512, -1],
                        raw: Vec::new(),
                        total: Some(i64::MAX),
                        notes: vec![(1, ScoreNote::Evenness { without: 62, with: 71 })],
                    }),
                }],
                spread: Vec::new(),
                preemption: None,
                sampling: None,
            })),
        },
    ];
    for update in cases {
        let bytes = pack(&update).expect("bytes");
        let received: Update = unpack(&through_javascript(&bytes)).expect("an update");
        assert_eq!(received, update);
    }
}

/// Runs a host until it has no more work, or lacks a capability.
fn settle(host: &mut Host) {
    let mut clock = 0.0;
    while host.wants() != Wants::Rest && !host.lacks_capability() && clock < 1e6 {
        clock += 50.0;
        host.work(clock);
        host.handle(Request::FrameDone, clock);
    }
}

/// The first build of the engine reports that it lacks a capability for a session with devices, but not for one
/// without.
#[wasm_bindgen_test]
fn session_with_devices_needs_whole_engine() {
    let mut host = Host::new();
    let source = Source::Free;
    host.handle(Request::Open { source }, 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, 0.0);
    settle(&mut host);
    assert!(!host.lacks_capability());
    let text = include_str!("../../../tests/fixtures/device-claim.yaml");
    let line = format!("kubectl apply -f - <<'EOF'\n{text}EOF");
    let request = Request::Command { line };
    assert!(!host.needs_whole_engine(&request), "the command itself is known");
    host.handle(request, 0.0);
    settle(&mut host);
    assert_eq!(host.lacks_capability(), !cfg!(feature = "whole"));
}

/// The first build of the engine needs the whole engine for more than 200 nodes, before time runs.
#[wasm_bindgen_test]
fn large_cluster_needs_whole_engine() {
    for (nodes, is_large) in [(200, false), (201, true)] {
        let text = format!(
            "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: many}}\nspec: {{cluster: {{zones: [a], nodesPerZone: {nodes}}}}}\n"
        );
        let mut host = Host::new();
        let source = Source::Files {
            files: vec![("many.yaml".to_owned(), text)],
        };
        host.handle(Request::Open { source }, 0.0);
        assert_eq!(
            host.lacks_capability(),
            is_large && !cfg!(feature = "whole"),
            "{nodes} nodes"
        );
        assert_eq!(
            host.needs_whole_engine(&Request::Play),
            is_large && !cfg!(feature = "whole"),
            "{nodes} nodes"
        );
    }
}

/// The first build of the engine recognizes commands that it lacks before they change anything.
#[wasm_bindgen_test]
fn command_missing_in_first_build_needs_whole_engine() {
    let host = Host::new();
    let cases = [
        ("kubectl get pods -o wide", false),
        ("kubectl delete pod web-0", false),
        ("kubectl run web --image=app", false),
        ("fault partition a-1", false),
        ("kubectl describe node a-1", true),
        ("kubectl explain pod.spec", true),
        ("kubectl create quota q --hard=pods=1", true),
        ("kubectl get pods -o go-template='{{.items}}'", true),
        ("kubectl get pods -o name | xargs kubectl delete", true),
    ];
    for (line, is_missing) in cases {
        let request = Request::Command { line: line.into() };
        let expected = is_missing && !cfg!(feature = "whole");
        assert_eq!(host.needs_whole_engine(&request), expected, "{line}");
    }
}

/// An empty message and an unknown message type are errors.
#[wasm_bindgen_test]
fn invalid_bytes_fail_to_unpack() {
    assert!(unpack::<Request>(&[]).is_err());
    assert!(unpack::<Update>(&[250, 1, 2]).is_err());
}
