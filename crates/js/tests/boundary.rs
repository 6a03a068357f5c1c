//! The worker boundary in a real browser. Q-05.
#![cfg(target_arch = "wasm32")]

use podscope_session::protocol::{Opened, Request, Source, SubjectRef, Update};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn serializer() -> Serializer {
    Serializer::new().serialize_large_number_types_as_bigints(true)
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
        let value = request.serialize(&serializer()).expect("a value");
        let back: Request = serde_wasm_bindgen::from_value(value).expect("a request");
        assert_eq!(back, request);
    }
}

/// And so does what the engine answers.
#[wasm_bindgen_test]
fn updates_cross_unchanged() {
    let opened = Opened {
        seed: u64::MAX,
        notices: vec!["3 × Ingress".into()],
        ..Opened::default()
    };
    let rows = [
        Update::Hello {
            version: "0.1.0".into(),
            lessons: Vec::new(),
        },
        Update::Opened(Box::new(opened)),
        Update::Explanation {
            pod: "default/web-0".into(),
            attempts: Vec::new(),
            attempt: 1,
            explanation: serde_json::json!({"nodes": {"a-1": {"score": 512, "ok": true}}}),
        },
    ];
    for update in rows {
        let value = update.serialize(&serializer()).expect("a value");
        let back: Update = serde_wasm_bindgen::from_value(value).expect("an update");
        assert_eq!(back, update);
    }
}

/// Outside a worker the engine refuses to listen, and says why.
#[wasm_bindgen_test]
fn a_page_is_not_a_worker() {
    let refused = podscope_js::serve(js_sys::Array::new()).expect_err("this is a page");
    assert!(
        refused
            .as_string()
            .is_some_and(|text| text.contains("dedicated worker"))
    );
}
