//! Parsing of YAML and JSON (P-03, P-04, VA-234 to VA-256) and its limits.

use podscope_api::{Kind, Object, parse};

fn parse_problems(text: &str) -> Vec<String> {
    parse(text).problems.iter().map(ToString::to_string).collect()
}

/// Shows: P-04
#[test]
fn parse_problems_have_line_column_and_path() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "a wrong type",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  terminationGracePeriodSeconds: soon\n",
            &[
                "5:34: spec.terminationGracePeriodSeconds: json: cannot unmarshal string into Go struct field \
               PodSpec.spec.terminationGracePeriodSeconds of type int64",
            ],
        ),
        (
            "several at once",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {b: yes}}\nspec:\n  containers:\n  - name: c\n    \
             ports: [{containerPort: 1.5}, {containerPort: 3000000000}]\n    env:\n    - {name: A, value: 1}\n",
            &[
                "3:33: metadata.labels[b]: json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels \
                 of type string",
                "7:29: spec.containers[0].ports[0].containerPort: json: cannot unmarshal number 1.5 into Go struct \
                 field ContainerPort.spec.containers.ports.containerPort of type int32",
                "7:51: spec.containers[0].ports[1].containerPort: json: cannot unmarshal number 3000000000 into Go \
                 struct field ContainerPort.spec.containers.ports.containerPort of type int32",
                "9:24: spec.containers[0].env[0].value: json: cannot unmarshal number into Go struct field \
                 EnvVar.spec.containers.env.value of type string",
            ],
        ),
        (
            "a list and a struct",
            "apiVersion: v1\nkind: Pod\nspec: {containers: x}\n---\napiVersion: v1\nkind: Pod\nspec: 3\n",
            &[
                "3:20: spec.containers: json: cannot unmarshal string into Go struct field PodSpec.spec.containers of \
                 type []v1.Container",
                "7:7: spec: json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec",
            ],
        ),
        (
            "a quantity",
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - resources:\n      requests:\n        cpu: 5GB\n",
            &[
                "7:14: spec.containers[0].resources.requests[cpu]: quantities must match the regular expression \
               '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ],
        ),
        (
            "a key twice",
            "apiVersion: v1\nkind: Pod\nkind: Pod\n",
            &["3:1: key \"kind\" already set in map"],
        ),
        ("no kind", "apiVersion: v1\n", &["1:1: kind not set"]),
        (
            "neither",
            "metadata: {}\n",
            &["1:1: [apiVersion not set, kind not set]"],
        ),
        ("a scalar", "hello\n", &["1:1: invalid object to validate"]),
        (
            "an unserved version",
            "apiVersion: apps/v1beta1\nkind: Deployment\n",
            &["2:7: kind: no matches for kind \"Deployment\" in version \"apps/v1beta1\""],
        ),
        (
            "a typing error",
            "apiVersion: v1\nkind: Podd\n",
            &["2:7: kind: no matches for kind \"Podd\" in version \"v1\""],
        ),
        (
            "a tab",
            "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: a\n",
            &["4:2: found a tab character that violates indentation"],
        ),
        (
            "broken documents do not hide others",
            "a: [\n---\nb: }\n---\napiVersion: v1\nkind: Pod\nspec: []\n",
            &[
                "2:1: while parsing a node, did not find expected node content",
                "3:4: misplaced bracket",
                "7:7: spec: json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec",
            ],
        ),
        (
            "JSON cut short",
            "{\"apiVersion\": \"v1\",",
            &["1:21: unexpected end of JSON input"],
        ),
        (
            "a JSON key twice",
            "{\"apiVersion\": \"v1\",\n \"kind\": \"Pod\", \"kind\": \"Pod\"}",
            &["2:17: duplicate field \"kind\""],
        ),
        (
            "JSON numbers keep their shape",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"priority\":1.0}}",
            &[
                "1:52: spec.priority: json: cannot unmarshal number 1.0 into Go struct field PodSpec.spec.priority of \
               type int32",
            ],
        ),
        (
            "a time",
            "apiVersion: v1\nkind: Pod\nmetadata: {creationTimestamp: yesterday}\n",
            &[
                "3:31: metadata.creationTimestamp: parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot \
               parse \"yesterday\" as \"2006\"",
            ],
        ),
    ];
    for (name, text, expected) in rows {
        assert_eq!(&parse_problems(text), expected, "{name}");
    }
}

/// Shows: P-03
#[test]
fn documents_lists_and_custom_resources_are_parsed() {
    let parsed = parse(
        "\u{feff}# a comment\r\n---\r\napiVersion: v1\r\nkind: List\r\nitems:\r\n- apiVersion: v1\r\n  kind: Pod\r\n  \
         metadata: {name: a}\r\n- apiVersion: apps/v1\r\n  kind: Deployment\r\n  metadata: {name: b}\r\n---\r\n---\r\n\
         # nothing\r\n---\r\napiVersion: example.com/v1\r\nkind: Widget\r\nmetadata: {name: w, namespace: ns}\r\n---\r\n\
         apiVersion: v1\r\nkind: PodList\r\nitems: [{metadata: {name: c}}]\r\n---\r\n\
         apiVersion: podscope.dev/v1alpha1\r\nkind: Scenario\r\nspec: {seed: 4}\r\n",
    );
    assert_eq!(parsed.problems, []);
    let names: Vec<_> = parsed
        .objects
        .iter()
        .map(|object| {
            (
                object.value.kind(),
                object.value.metadata().name.to_string(),
                object.at.line,
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            (Kind::Pod, "a".to_owned(), 6),
            (Kind::Deployment, "b".to_owned(), 9),
            (Kind::Pod, "c".to_owned(), 22)
        ]
    );
    let widget = &parsed.others[0].value;
    assert_eq!(
        (&*widget.kind, &*widget.namespace, &*widget.name),
        ("Widget", "ns", "w")
    );
    assert_eq!(&*parsed.configs[0].value.kind, "Scenario");
}

/// Shows: VA-240, VA-256
#[test]
fn null_equals_absent_in_json_streams() {
    let parsed = parse(
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\", \"labels\": {\"x\": null}, \
         \"creationTimestamp\": null}, \"spec\": null}\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n---\n{\"apiVersion\": \
         v1, kind: Pod}\n---\napiVersion: v1\nkind: Pod\n",
    );
    assert_eq!(parsed.problems, []);
    assert_eq!(parsed.objects.len(), 4);
    assert_eq!(parsed.objects[0].value.metadata().label("x"), Some(""));
}

/// Shows: Q-03
#[test]
fn anchors_and_merge_keys_are_expanded_within_limits() {
    let parsed = parse(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - &base {name: x, image: i}\n  - {<<: *base, \
         name: z}\n",
    );
    assert_eq!(parsed.problems, []);
    let Object::Pod(pod) = &parsed.objects[0].value else {
        panic!("not a pod")
    };
    assert_eq!(
        (&*pod.spec.containers[1].name, &*pod.spec.containers[1].image),
        ("z", "i")
    );

    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        laughs.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 10].join(", ")
        ));
    }
    assert!(parse_problems(&laughs)[0].ends_with("document contains excessive aliasing"));
    for deep in [
        "[".repeat(20_000),
        "- ".repeat(20_000),
        "{\"a\":".repeat(20_000),
        "{a: ".repeat(20_000),
    ] {
        let found = parse_problems(&deep);
        assert!(found[0].ends_with("nested deeper than 128 levels"), "{}", found[0]);
    }
}

/// Shows: P-03
#[test]
fn unknown_fields_survive_a_round_trip() {
    let text = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  managedFields: [{manager: kubectl, fieldsV1: {'f:spec': {'.': {}}}}]
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  novelty: {deep: [1, 2.5, null, {a: yes}]}
  template:
    metadata: {labels: {app: web}, wonder: 1}
    spec:
      hostIPC: true
      securityContext: {runAsUser: 5, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: main
        image: nginx
        terminationMessagePath: /dev/x
        volumeMounts:
        - {name: data, mountPath: /a, recursiveReadOnly: Enabled}
        - {name: data, mountPath: /b, recursiveReadOnly: Disabled}
      - {name: plain, image: nginx, resources: {}}
      volumes:
      - {name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}
      tolerations:
      - {operator: Exists, unheard: of}
status: {}
";
    let parsed = parse(text);
    assert_eq!(parsed.problems, []);
    let object = &parsed.objects[0].value;
    let value = object.to_value();
    for (pointer, expected) in [
        ("/metadata/managedFields/0/manager", serde_json::json!("kubectl")),
        (
            "/spec/novelty",
            serde_json::json!({"deep": [1, 2.5, null, {"a": true}]}),
        ),
        ("/spec/template/metadata/wonder", serde_json::json!(1)),
        (
            "/spec/template/spec/securityContext",
            serde_json::json!({"runAsUser": 5, "seccompProfile": {"type": "RuntimeDefault"}}),
        ),
        (
            "/spec/template/spec/containers/0/terminationMessagePath",
            serde_json::json!("/dev/x"),
        ),
        (
            "/spec/template/spec/containers/0/volumeMounts/1/recursiveReadOnly",
            serde_json::json!("Disabled"),
        ),
        (
            "/spec/template/spec/volumes/0/projected/sources/0/serviceAccountToken/path",
            serde_json::json!("token"),
        ),
        ("/spec/template/spec/tolerations/0/unheard", serde_json::json!("of")),
    ] {
        assert_eq!(value.pointer(pointer), Some(&expected), "{pointer}");
    }
    // Pods of the template share one copy of its untyped fields, which survive printing and parsing.
    assert!(!object.template().unwrap().extra.is_empty());
    let again = podscope_api::object_from_value(&value).unwrap();
    assert_eq!(again.to_value(), value);
    // Removing an element from a list of an object also removes the untyped fields of this element.
    let mut fewer = object.clone();
    let containers = &mut fewer.template_mut().unwrap().spec.containers;
    std::sync::Arc::make_mut(containers).remove(0);
    let value = fewer.to_value();
    assert_eq!(
        value.pointer("/spec/template/spec/containers"),
        Some(&serde_json::json!([{"name": "plain", "image": "nginx", "resources": {}}]))
    );
    assert_eq!(
        object.template().unwrap().extra.paths(),
        [
            "metadata.wonder",
            "spec.hostIPC",
            "spec.securityContext.seccompProfile",
            "spec.containers[0].volumeMounts[0].recursiveReadOnly",
            "spec.containers[0].volumeMounts[1].recursiveReadOnly",
            "spec.tolerations[0].unheard",
        ]
    );
}

/// Shows: P-04
#[test]
fn field_position_is_found_in_the_manifest() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n  spec:\n    \
                topologySpreadConstraints:\n    - maxSkew: 0\n      topologyKey: zone\n- {apiVersion: v1, kind: Pod, spec: \
                {containers: [{name: x, resources: {limits: {example.com/gpu: 1}}}]}}\n";
    let parsed = parse(text);
    let rows = [
        (0, "spec.topologySpreadConstraints[0].maxSkew", (10, 16)),
        (0, "spec.topologySpreadConstraints[0].whenUnsatisfiable", (10, 7)),
        (0, "spec.containers", (8, 3)),
        (0, "metadata.name", (7, 11)),
        (1, "spec.containers[0].resources.limits[example.com/gpu]", (12, 99)),
        (1, "metadata.name", (12, 3)),
    ];
    for (index, path, expected) in rows {
        assert_eq!(parsed.objects[index].at.position(text, path), expected, "{path}");
    }
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"v1\",\n\"kind\": \"Pod\"}, \
                {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}}]}";
    let parsed = parse(json);
    assert_eq!(parsed.objects[1].at.position(json, "metadata.name"), (2, 74));
}
