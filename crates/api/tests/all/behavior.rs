//! Behaviour annotations of containers (L-08).

use podscope_api::{Container, ContainerBehavior, Object, ProbeAnswer, container_behaviors, parse};

const SECOND: i64 = 1_000_000;

/// Parsing a behaviour annotation and printing the result gives the same text, for every key.
/// Shows: L-08
#[test]
fn behaviour_annotation_round_trips() {
    for text in [
        "pull=fail",
        "pull=2s, startup=60s, run=2m, exit=137, sigterm=ignore, stopsignal=SIGQUIT, prestop=hang, poststart=fail, \
         liveness=fail@30s..60s, readiness=unknown, started=ok, memory=200Mi..600Mi@1m, cpu=250m, disk=1Gi, stop=3s, \
         listener=accept, latency=20ms, errors=5%@30s..60s",
        "listener=close, errors=0.25%",
        "errors=100%@10s..",
        "readiness=fail@40s..1h",
        "liveness=unknown@10s..",
        "",
    ] {
        let behavior = ContainerBehavior::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let printed = behavior.to_string();
        assert_eq!(ContainerBehavior::parse(&printed), Ok(behavior), "{text}");
        assert_eq!(printed.replace("1m", "60s"), text.replace("1m", "60s"), "{text}");
    }
}

/// Shows: L-08
#[test]
fn malformed_behaviour_annotation_is_reported_with_position() {
    for (text, expected) in [
        ("run", "run: expected KEY=VALUE, found \"run\" (at character 1)"),
        ("run=5s,, exit=1", "nothing between two commas (at character 8)"),
        (
            "exit=300",
            "exit: \"300\" is not an exit code from 0 to 255 (at character 6)",
        ),
        (
            "run=2s, sigterm=soon",
            "sigterm: \"soon\" is not a length of time such as 30s or 1m30s (at character 17)",
        ),
        (
            "stopsignal=TERM",
            "stopsignal: \"TERM\" is not a signal such as SIGTERM or SIGQUIT (at character 12)",
        ),
        (
            "liveness=fail@60s..30s",
            "liveness: the window \"60s..30s\" ends before it starts (at character 10)",
        ),
        (
            "memory=1Gi..2Gi",
            "memory: \"1Gi..2Gi\" does not say how long the climb takes, as in 200Mi..600Mi@60s (at character 8)",
        ),
        ("run=1s, run=2s", "run: given twice (at character 9)"),
        (
            "listener=open",
            "listener: \"open\" is not close or accept (at character 10)",
        ),
        (
            "errors=101%",
            "errors: \"101%\" is not a share from 0% to 100% such as 5% (at character 8)",
        ),
        (
            "errors=5@30s..",
            "errors: \"5\" is not a share from 0% to 100% such as 5% (at character 8)",
        ),
        (
            "errors=5%@60s..30s",
            "errors: the window \"60s..30s\" ends before it starts (at character 8)",
        ),
        ("run=-1s", "run: \"-1s\" is negative (at character 5)"),
        (
            "cpu=50m+fast/request",
            "cpu: \"fast\" is not a length of time such as 30s or 1m30s, as in 50m+20ms/request (at character 5)",
        ),
        (
            "cpu=much+20ms/request",
            "cpu: \"much\" is not an amount such as 200Mi or 500m (at character 5)",
        ),
    ] {
        let errors = ContainerBehavior::parse(text).unwrap_err();
        assert_eq!(errors[0].to_string(), expected);
    }
    let unknown = ContainerBehavior::parse("speed=9").unwrap_err();
    assert!(
        unknown[0]
            .message
            .starts_with("no such key; the keys are pull, startup")
    );
}

/// Shows: L-08
#[test]
fn configured_usage_and_probe_results_change_over_time() {
    let behavior = ContainerBehavior::parse("memory=200Mi..600Mi@60s, liveness=fail@30s..60s, startup=5s").unwrap();
    let container = Container::default();
    let mebi = |micros| behavior.memory_at(&container, micros) >> 20;
    assert_eq!(
        [mebi(0), mebi(30 * SECOND), mebi(60 * SECOND), mebi(90 * SECOND)],
        [200, 400, 600, 600]
    );
    let answer = |seconds| behavior.answer(behavior.liveness, seconds * SECOND);
    assert_eq!(
        [answer(4), answer(5), answer(30), answer(59), answer(60)],
        [
            ProbeAnswer::Fail,
            ProbeAnswer::Ok,
            ProbeAnswer::Fail,
            ProbeAnswer::Fail,
            ProbeAnswer::Ok
        ]
    );
}

/// Shows: L-08
#[test]
fn cpu_per_request_adds_to_idle_usage_up_to_the_limit() {
    let with_limit = |limit: &str| {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: app, resources: {{limits: \
             {{cpu: {limit}}}}}}}]\n"
        );
        let parsed = parse(&text);
        let Object::Pod(pod) = &parsed.objects[0].value else {
            panic!("not a pod")
        };
        pod.spec.containers[0].clone()
    };
    let behavior = ContainerBehavior::parse("cpu=50m+20ms/request").expect("the form is valid");
    assert_eq!(behavior.cpu_per_request, Some(20_000));
    assert_eq!(behavior.cpu_milli_at(&with_limit("4"), 0, 1000), 1050);
    assert_eq!(behavior.cpu_milli_at(&with_limit("200m"), 0, 1000), 200);
    let rising = ContainerBehavior::parse("cpu=100m..200m@10s+5ms/request").expect("the form is valid");
    assert_eq!(rising.cpu_milli_at(&Container::default(), 5 * SECOND, 10), 160);
    for (text, printed) in [
        ("cpu=20ms/request", "cpu=0+20ms/request"),
        ("cpu=50m+20ms/request", "cpu=50m+20ms/request"),
    ] {
        let read = ContainerBehavior::parse(text).expect("the form is valid");
        assert_eq!(read.to_string(), printed);
        assert_eq!(ContainerBehavior::parse(printed), Ok(read));
    }
}

/// Shows: L-08
#[test]
fn behaviour_of_unknown_container_or_missing_hook_is_refused() {
    let parsed = parse(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    behavior.podscope.dev/app: run=1s, \
         prestop=2s\n    behavior.podscope.dev/other: run=1s\nspec:\n  containers: [{name: app}]\n",
    );
    let Object::Pod(pod) = &parsed.objects[0].value else {
        panic!("not a pod")
    };
    let errors = container_behaviors(&pod.metadata.annotations, &pod.spec).unwrap_err();
    let texts: Vec<_> = errors.iter().map(|error| (error.path(), error.to_string())).collect();
    assert_eq!(
        texts,
        [
            (
                "annotations[behavior.podscope.dev/app]".to_owned(),
                "prestop: the container declares no preStop hook (at character 9)".to_owned()
            ),
            (
                "annotations[behavior.podscope.dev/other]".to_owned(),
                "the pod has no container \"other\"".to_owned()
            )
        ]
    );
}

/// The error message stays short: the number of reported errors is limited, and the annotation is quoted once.
/// Shows: Q-03
#[test]
fn errors_of_one_behaviour_annotation_are_limited() {
    let many = "x=1s, ".repeat(2_000);
    let manifest = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    behavior.podscope.dev/app: {many:?}\n\
         spec:\n  containers: [{{name: app, image: nginx}}]\n"
    );
    let parsed = parse(&manifest);
    let Object::Pod(pod) = &parsed.objects[0].value else {
        panic!("not a pod")
    };
    let mistakes = container_behaviors(&pod.metadata.annotations, &pod.spec).unwrap_err();
    assert_eq!(mistakes.len(), podscope_api::MAX_ERRORS);
    let errors = format!("{:?}", podscope_api::validate(&parsed.objects[0].value));
    assert!(
        errors.contains("x: no such key") && errors.len() < 2 * many.len(),
        "{} characters",
        errors.len()
    );
}
