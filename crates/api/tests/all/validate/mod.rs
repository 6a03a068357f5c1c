//! Validation on create, compared with the API server's messages (VA-057 to VA-213).

mod autoscalers_endpoints_quotas;
mod containers;
mod devices;
mod fields;
mod kinds;
mod pods;
mod status;
mod webhooks_events_crds;

use podscope_api::{Object, default_object, generate_job_selector, parse, validate};

/// Returns the errors of the last object in the text, with the defaults that it gets on create.
fn validation_errors(text: &str) -> Vec<String> {
    let parsed = parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let mut object = parsed.objects.last().expect("an object").value.clone();
    if object.kind().is_namespaced() && object.metadata().namespace.is_empty() {
        object.metadata_mut().namespace = "default".into();
    }
    if object.metadata().name.is_empty() && object.metadata().generate_name.is_empty() {
        object.metadata_mut().name = "x".into();
    }
    default_object(&mut object);
    if let Object::Job(job) = &mut object {
        generate_job_selector(std::sync::Arc::make_mut(job));
    }
    validate(&object).iter().map(ToString::to_string).collect()
}

/// Returns the errors of a pod with one valid container and these additional spec fields.
fn pod_errors(spec: &str) -> Vec<String> {
    validation_errors(&format!(
        "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{{name: c, image: i}}]\n{}",
        indent(spec)
    ))
}

/// Returns the errors of a pod with one valid container that has these additional fields.
fn container_errors(fields: &str) -> Vec<String> {
    validation_errors(&format!(
        "apiVersion: v1\nkind: Pod\nspec:\n  volumes: [{{name: v}}]\n  containers:\n  - name: c\n    image: i\n{}",
        indent(&indent(fields))
    ))
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Asserts that the errors are the expected ones; an expected text that ends with `…` is a prefix.
pub(crate) fn assert_errors(got: &[String], expected: &[&str], row: &str) {
    let same = got.len() == expected.len()
        && got
            .iter()
            .zip(expected)
            .all(|(got, expected)| match expected.strip_suffix('…') {
                Some(start) => got.starts_with(start),
                None => got == expected,
            });
    assert!(same, "{row}\n  got: {got:#?}\n  expected: {expected:#?}");
}

/// Shows: P-04
#[test]
fn max_skew_of_zero_is_refused() {
    assert_errors(
        &pod_errors("topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]"),
        &["spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"],
        "P-04",
    );
}

/// Shows: VA-016
#[test]
fn status_message_joins_all_problems() {
    let parsed =
        parse("{apiVersion: v1, kind: Pod, metadata: {name: My_Pod, namespace: a}, spec: {containers: [{name: c}]}}");
    let mut object = parsed.objects[0].value.clone();
    default_object(&mut object);
    let message = validate(&object).to_status_message(object.kind(), "My_Pod");
    assert!(message.starts_with(
        "Pod \"My_Pod\" is invalid: [metadata.name: Invalid value: \"My_Pod\": a lowercase RFC 1123 subdomain must consist"
    ));
    assert!(message.ends_with(", spec.containers[0].image: Required value]"));
    let parsed = parse("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: a}}");
    let message = validate(&parsed.objects[0].value).to_status_message(object.kind(), "d");
    assert!(message.starts_with("Pod \"d\" is invalid: ["));
}

/// Shows: VA-070, VA-071, VA-072, VA-073, VA-074, VA-075, VA-076, VA-077, VA-078, VA-079, VA-080, VA-081
#[test]
fn invalid_metadata_is_refused() {
    let rows: &[(&str, &[&str])] = &[
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: C_2}}",
            &["metadata.name: Invalid value: \"C_2\": a lowercase RFC 1123 subdomain must consist of…"],
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}",
            &["metadata.name: Required value: name or generateName is required"],
        ),
        (
            "{apiVersion: v1, kind: Namespace, metadata: {name: a.b}}",
            &["metadata.name: Invalid value: \"a.b\": must not contain dots"],
        ),
        (
            "{apiVersion: v1, kind: Service, metadata: {name: A1}, spec: {ports: [{port: 1}]}}",
            &["metadata.name: Invalid value: \"A1\": a lowercase RFC 1123 label must consist of…"],
        ),
        (
            "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: A/B%}}",
            &[
                "metadata.name: Invalid value: \"A/B%\": may not contain '/'",
                "metadata.name: Invalid value: \"A/B%\": may not contain '%'",
            ],
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {labels: {'/a': -b, '': '', a/b/c: d}}}",
            &[
                "metadata.labels: Invalid value: \"\": name part must be non-empty",
                "metadata.labels: Invalid value: \"\": name part must consist of alphanumeric characters…",
                "metadata.labels: Invalid value: \"/a\": prefix part must be non-empty",
                "metadata.labels: Invalid value: \"-b\": a valid label must be an empty string or consist of…",
                "metadata.labels: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', \
                 '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
                 '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS \
                 subdomain prefix and '/' (e.g. 'example.com/MyName')",
            ],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {finalizers: [foo]}, spec: {containers: [{name: c, image: i}]}}",
            &[
                "metadata.finalizers[0]: Invalid value: \"foo\": name is neither a standard finalizer name nor is it fully \
                 qualified",
            ],
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {ownerReferences: [{kind: A, name: a, uid: u}]}}",
            &["metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty"],
        ),
        (
            "{apiVersion: v1, kind: Node, metadata: {namespace: a}}",
            &["metadata.namespace: Forbidden: not allowed on this type"],
        ),
    ];
    for (text, expected) in rows {
        assert_errors(&validation_errors(text), expected, text);
    }
}
