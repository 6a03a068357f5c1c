//! The annotation for requests that a pod sends to Services (TR-084).

use podscope_api::{Object, parse, parse_calls};

/// Shows: TR-084
#[test]
fn calls_annotation_round_trips() {
    for text in [
        "svc=web, rate=20/s",
        "svc=shop/web, rate=5/m, timeout=250ms, keepalive=true, retries=2",
        "svc=web, rate=1/h, timeout=5s",
        "svc=db-0.db, rate=1/s",
    ] {
        let calls = parse_calls(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        let printed: Vec<String> = calls.iter().map(ToString::to_string).collect();
        assert_eq!(printed, [text]);
    }
    let two = parse_calls("svc=web, rate=20/s; svc=db,rate=1/s").expect("two calls");
    assert_eq!(two.len(), 2);
}

/// Shows: Q-03
#[test]
fn malformed_calls_annotation_is_reported_with_position() {
    for (text, expected) in [
        ("", "expected KEY=VALUE, found \"\" (at character 1)"),
        ("svc=web", "rate is missing (at character 1)"),
        ("rate=5/s", "svc is missing (at character 1)"),
        (
            "svc=web, rate=20",
            "rate: \"20\" is not a rate from 1 to 1000000 such as 20/s, 5/m or 1/h (at character 10)",
        ),
        (
            "svc=web, rate=0/s",
            "rate: \"0/s\" is not a rate from 1 to 1000000 such as 20/s, 5/m or 1/h (at character 10)",
        ),
        (
            "svc=a/b/c, rate=1/s",
            "svc: \"a/b/c\" is not a Service: give NAME or NAMESPACE/NAME (at character 1)",
        ),
        (
            "svc=web, rate=1/s, timeout=0s",
            "timeout: a client that does not wait gets no answer (at character 20)",
        ),
        ("svc=web, rate=1/s, svc=db", "svc: given twice (at character 20)"),
        (
            "svc=web, rate=1/s; svc=db, rate=1/s, speed=9",
            "speed: no such key; the keys are svc, rate, timeout, keepalive, retries (at character 38)",
        ),
        (
            "svc=web, rate=1/s, retries=11",
            "retries: \"11\" is not a number from 0 to 10 (at character 20)",
        ),
    ] {
        let wrong = parse_calls(text).expect_err(text);
        assert_eq!(wrong[0], expected, "{text:?}");
    }
}

/// A malformed `podscope.dev/calls` annotation is refused; the error has the annotation's field path.
/// Shows: Q-03
#[test]
fn pod_with_malformed_calls_annotation_is_refused() {
    let pod = "metadata: {name: a, annotations: {podscope.dev/calls: \"svc=web\"}}\nspec: {containers: [{name: app, image: app}]}";
    let parsed = parse(&format!("apiVersion: v1\nkind: Pod\n{pod}\n"));
    let Some(Object::Pod(_)) = parsed.objects.first().map(|located| &located.value) else {
        panic!("not a pod");
    };
    let errors = format!("{:?}", podscope_api::validate(&parsed.objects[0].value));
    assert!(
        errors.contains("podscope.dev/calls") && errors.contains("rate is missing"),
        "{errors}"
    );
}
