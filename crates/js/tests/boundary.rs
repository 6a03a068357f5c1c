//! The worker boundary in a real browser. Q-05.
#![cfg(target_arch = "wasm32")]

use js_sys::Uint8Array;
use podscope_protocol::explained::{Conclusion, Ending, Won};
use podscope_protocol::{
    Explanation, NodeExplanation, NodeVerdict, Opened, Outcome, Remark, Request, Source, SubjectRef, Update, pack,
    unpack,
};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Through JavaScript's memory, as between page and worker.
fn across(bytes: &[u8]) -> Vec<u8> {
    Uint8Array::from(bytes).to_vec()
}

/// What the page asks arrives as it was asked, 64-bit numbers included.
#[wasm_bindgen_test]
fn requests_cross_unchanged() {
    let rows = [
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
    for request in rows {
        let bytes = pack(&request).expect("bytes");
        let back: Request = unpack(&across(&bytes)).expect("a request");
        assert_eq!(back, request);
    }
}

/// And so does what the engine answers.
#[wasm_bindgen_test]
fn updates_cross_unchanged() {
    let opened = Opened {
        seed: u64::MAX,
        notices: vec![Remark::NotSimulated {
            kind: "Ingress".into(),
            count: 3,
        }],
        ..Opened::default()
    };
    let rows = [
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
            explanation: Some(Box::new(Explanation {
                outcome: Outcome::Scheduled,
                conclusion: Conclusion {
                    pod: "default/web-0".into(),
                    ending: Ending::OnlyNode {
                        node: "a-1".into(),
                        of: 3,
                    },
                },
                chosen: Some("a-1".into()),
                won: Some(Won::OnlyNode),
                message: None,
                plugins: Vec::new(),
                nodes: vec![NodeExplanation {
                    name: "a-1".into(),
                    verdict: NodeVerdict::Fits {
                        scores: vec![512, -1],
                        total: Some(i64::MAX),
                        said: vec![(1, "62 → 71: this pod evens the node out".into())],
                    },
                }],
                spread: Vec::new(),
                preemption: None,
                sampling: None,
            })),
        },
    ];
    for update in rows {
        let bytes = pack(&update).expect("bytes");
        let back: Update = unpack(&across(&bytes)).expect("an update");
        assert_eq!(back, update);
    }
}

/// What is not a message is refused, not guessed at.
#[wasm_bindgen_test]
fn other_bytes_are_refused() {
    assert!(unpack::<Request>(&[]).is_err());
    assert!(unpack::<Update>(&[250, 1, 2]).is_err());
}
