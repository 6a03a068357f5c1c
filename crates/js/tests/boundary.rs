//! Messages between page and worker in a real browser.
#![cfg(target_arch = "wasm32")]

use js_sys::Uint8Array;
use podscope_protocol::explained::{
    DecisionOutcome, DecisionSummary, Explanation, NodeExplanation, NodeScores, NodeVerdict, ScoreNote, WinReason,
};
use podscope_protocol::{OpenedSession, Remark, Request, SessionSource, SubjectRef, Update, pack, unpack};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Copies bytes to JavaScript memory and back, as a message between page and worker does.
fn copy_through_javascript(bytes: &[u8]) -> Vec<u8> {
    Uint8Array::from(bytes).to_vec()
}

/// Covers 64-bit numbers, which JavaScript numbers cannot hold.
#[wasm_bindgen_test]
fn packed_requests_unpack_to_equal_requests() {
    let cases = [
        Request::Open {
            source: SessionSource::Files {
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
        let received: Request = unpack(&copy_through_javascript(&bytes)).expect("a request");
        assert_eq!(received, request);
    }
}

#[wasm_bindgen_test]
fn packed_updates_unpack_to_equal_updates() {
    let opened = OpenedSession {
        seed: u64::MAX,
        notices: vec![Remark::NotSimulated {
            kind: "Ingress".into(),
            count: 3,
        }],
        ..OpenedSession::default()
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
        let received: Update = unpack(&copy_through_javascript(&bytes)).expect("an update");
        assert_eq!(received, update);
    }
}

/// An empty message and an unknown message type are errors.
#[wasm_bindgen_test]
fn invalid_bytes_fail_to_unpack() {
    assert!(unpack::<Request>(&[]).is_err());
    assert!(unpack::<Update>(&[250, 1, 2]).is_err());
}
