//! Custom kinds in commands: names, columns, verbs and messages. The expected output was printed by kubectl 1.36.3 for
//! the same objects in `podscope serve`.

use podscope_kubectl::command;
use podscope_session::link::{self, Link};

use super::*;

const DEFINITIONS: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: custom}
spec: {cluster: {zones: [a], nodesPerZone: 1}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all, toys]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A widget turns.
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, description: How large it is.}
              colour: {type: string, enum: [red, green], default: red}
              replicas: {type: integer}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
          status: {type: object, properties: {replicas: {type: integer}}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Colour, type: string, jsonPath: .spec.colour, priority: 1}
    selectableFields: [{jsonPath: .spec.colour}]
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.toys.example.com}
spec:
  group: toys.example.com
  scope: Cluster
  names: {plural: gadgets, singular: gadget, kind: Gadget, categories: [toys]}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, labels: {app: x}}, spec: {size: 3, replicas: 2}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: b}, spec: {size: 5, colour: green}}
---
{apiVersion: toys.example.com/v1alpha1, kind: Gadget, metadata: {name: g}, spec: {any: 1}}
"#;

/// Asserts that each command prints the expected lines.
fn assert_answers(rows: &[(&str, &[&str])]) {
    let mut shell = Shell::with_manifests(DEFINITIONS);
    shell.advance_to(5);
    let differing: Vec<String> = rows
        .iter()
        .filter_map(|(line, want)| {
            let found = shell.run(line);
            (found != *want).then(|| format!("{line}\n  wanted {want:?}\n  found  {found:?}"))
        })
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Shows: K-02, KC-056
#[test]
fn custom_kind_is_found_by_all_names_of_its_definition() {
    let both: &[&str] = &["NAME   SIZE", "a      3", "b      5"];
    let one: &[&str] = &["NAME   SIZE", "a      3"];
    assert_answers(&[
        ("kubectl get widgets", both),
        ("kubectl get widget", both),
        ("kubectl get wd", both),
        ("kubectl get Widget", both),
        ("kubectl get widgets.example.com", both),
        ("kubectl get widgets.exam", both),
        ("kubectl get wd.v1.example.com a", one),
        ("kubectl get widget/a", one),
        (
            "kubectl get widgets.v2.example.com",
            &["!error: the server doesn't have a resource type \"widgets\""],
        ),
        (
            "kubectl get WD",
            &["!error: the server doesn't have a resource type \"WD\""],
        ),
        (
            "kubectl get widgetz a",
            &["!error: the server doesn't have a resource type \"widgetz\""],
        ),
        (
            "kubectl get toys -o name",
            &[
                "widget.example.com/a",
                "widget.example.com/b",
                "gadget.toys.example.com/g",
            ],
        ),
        ("kubectl get all -l app=x -o name", &["widget.example.com/a"]),
        ("kubectl get toys a", &["!error: you must specify only one resource"]),
        (
            "kubectl get widgets.v1beta1.example.com a -o jsonpath={.apiVersion}",
            &[
                "!Warning: example.com/v1beta1 Widget is deprecated",
                "example.com/v1beta1",
            ],
        ),
        (
            "kubectl get api-extensions -o name",
            &[
                "customresourcedefinition.apiextensions.k8s.io/gadgets.toys.example.com",
                "customresourcedefinition.apiextensions.k8s.io/widgets.example.com",
            ],
        ),
        (
            "kubectl api-resources --categories=toys --no-headers",
            &[
                "widgets   wd    example.com/v1              true    Widget",
                "gadgets         toys.example.com/v1alpha1   false   Gadget",
            ],
        ),
    ]);
}

/// Shows: K-02
#[test]
fn reading_custom_objects_prints_output_of_kubectl() {
    assert_answers(&[
        (
            "kubectl get widgets -o wide",
            &["NAME   SIZE   COLOUR", "a      3      red", "b      5      green"],
        ),
        (
            "kubectl get widgets --field-selector spec.colour=green -o name",
            &["widget.example.com/b"],
        ),
        (
            "kubectl get widgets --field-selector spec.size=3",
            &[
                "!Error from server (BadRequest): Unable to find \"example.com/v1, Resource=widgets\" that match label selector \"\", field selector \"spec.size=3\": field label not supported: spec.size",
            ],
        ),
        (
            "kubectl get widget a --subresource=scale -o jsonpath={.kind},{.spec.replicas}",
            &["Scale,2"],
        ),
        (
            "kubectl get gadget g --subresource=scale",
            &["!Error from server (NotFound): gadgets.toys.example.com \"g\" not found"],
        ),
        (
            "kubectl get gadget g --subresource=status",
            &["!Error from server (NotFound): gadgets.toys.example.com \"g\" not found"],
        ),
        (
            "kubectl explain widget.spec.parts",
            &[
                "GROUP:      example.com",
                "KIND:       Widget",
                "VERSION:    v1",
                "",
                "FIELD: parts <[]Object>",
                "",
                "",
                "DESCRIPTION:",
                "    <empty>",
                "FIELDS:",
                "  name\t<string>",
                "    <no description>",
                "",
                "",
            ],
        ),
        (
            "kubectl explain wd.spec.colour",
            &[
                "GROUP:      example.com",
                "KIND:       Widget",
                "VERSION:    v1",
                "",
                "FIELD: colour <string>",
                "ENUM:",
                "    red",
                "    green",
                "",
                "DESCRIPTION:",
                "    <empty>",
                "",
            ],
        ),
        (
            "kubectl rollout status widget/a",
            &[
                "!error: no kind \"Widget\" is registered for version \"example.com/v1\" in scheme \"pkg/scheme/scheme.go:28\"",
            ],
        ),
        ("kubectl auth can-i create widgets", &["yes"]),
    ]);
}

/// Shows: K-02
#[test]
fn writing_custom_objects_prints_output_of_kubectl() {
    assert_answers(&[
        ("kubectl label wd a k=v", &["widget.example.com/a labeled"]),
        (
            "kubectl patch widget a -p '{}'",
            &[
                "!error: application/strategic-merge-patch+json is not supported by example.com/v1, Kind=Widget: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            ],
        ),
        (
            "kubectl patch widget a --type=merge -p '{\"spec\":{\"size\":4,\"nope\":1}}'",
            &["!Warning: unknown field \"spec.nope\"", "widget.example.com/a patched"],
        ),
        (
            "kubectl patch widget a --type=merge -p '{\"spec\":{\"size\":0}}'",
            &[
                "!The Widget \"a\" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
            ],
        ),
        (
            "kubectl patch widget a --subresource=scale --type=merge -p '{\"spec\":{\"replicas\":7}}'",
            &["scale.autoscaling/a patched"],
        ),
        (
            "kubectl scale widget a --current-replicas=2 --replicas=5",
            &["!error: Expected replicas to be 2, was 7"],
        ),
        ("kubectl scale widget a --replicas=5", &["widget.example.com/a scaled"]),
        (
            "kubectl scale gadget g --replicas=5",
            &["!Error from server (NotFound): gadgets.toys.example.com \"g\" not found"],
        ),
        (
            "kubectl get widget a -o jsonpath={.spec}",
            &["{\"colour\":\"red\",\"replicas\":5,\"size\":4}"],
        ),
        (
            "kubectl edit widget b <<'EOF'\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {size: 9, colour: green}\nEOF",
            &["widget.example.com/b edited"],
        ),
        (
            "kubectl replace -f - <<'EOF'\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: b}, spec: {size: 7}}\nEOF",
            &["widget.example.com/b replaced"],
        ),
        (
            "kubectl wait --for=jsonpath={.spec.size}=7 wd/b --timeout=1s",
            &["widget.example.com/b condition met"],
        ),
        (
            "kubectl delete -f - <<'EOF'\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: b}}\nEOF",
            &["widget.example.com \"b\" deleted from default namespace"],
        ),
        (
            "kubectl delete toys --all",
            &[
                "widget.example.com \"a\" deleted from default namespace",
                "gadget.toys.example.com \"g\" deleted",
            ],
        ),
    ]);
}

/// A command can refer to a kind that an earlier command defines. The kind is still unknown when the scenario or the
/// link with these commands is read.
/// Shows: T-01
#[test]
fn command_on_custom_kind_replays_from_scenario_and_link() {
    let scenario = |later: &str| {
        format!(
            "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: later}}\nspec:\n  timeline:\n  - {{at: 1s, run: {later:?}}}\n"
        )
    };
    let load = |text: &str| scenario::load(&[("later.yaml".to_owned(), text.to_owned())]);
    let problems = load(&scenario("kubectl label wd a k=v")).expect_err("no such type");
    assert_eq!(
        problems[0].message.english(),
        "error: the server doesn't have a resource type \"wd\""
    );

    let mut session = Session::new(load(&format!("{DEFINITIONS}---\n")).expect("readable")).expect("admitted");
    let parsed = command::parse_unresolved("kubectl label wd a k=v").expect("a command");
    assert_eq!(parsed.to_string(), "kubectl label wd a k=v");
    while session.advance(SimTime::from_seconds(2), 10_000) == Slice::More {}
    session.command(parsed).expect("there is room");
    while session.advance(SimTime::from_seconds(4), 10_000) == Slice::More {}
    let link = Link::of(&session, None, String::new());
    let link = link::decode(&link.encode()).expect("a link");
    let mut again = Session::new(link.load().expect("readable")).expect("admitted");
    assert_eq!(link.replay(&mut again), []);
    while again.advance(SimTime::from_seconds(4), 10_000) == Slice::More {}
    assert_eq!(again.trace_hash(), session.trace_hash());
    assert!(
        session
            .outputs()
            .iter()
            .any(|line| line.text == "widget.example.com/a labeled")
    );
}
