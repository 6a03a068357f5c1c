//! Long lists are decoded item by item, with the same result as lists that are decoded as a whole (P-03, P-04).

use podscope_api::{Parsed, parse};

const POD_COUNT: usize = 800;

/// Returns a YAML list of pods, with `item` inserted in the middle.
fn yaml_list(kind: &str, item: &str) -> String {
    let mut text = String::from("apiVersion: v1\nitems:\n");
    for at in 0..POD_COUNT {
        text.push_str(&format!(
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    labels:\n      app: web\n    name: web-{at}\n  \
             spec:\n    containers:\n    - image: nginx\n      name: app\n      tty: true\n"
        ));
        if at == POD_COUNT / 2 {
            text.push_str(item);
        }
    }
    text.push_str(&format!("kind: {kind}\nmetadata:\n  resourceVersion: \"\"\n"));
    text
}

/// Parses the text twice: as it is, and with an anchor on the list, so that the list is decoded as a whole.
fn parse_by_item_and_as_a_whole(text: &str) -> [Parsed; 2] {
    assert!(text.len() > 1 << 16);
    [parse(text), parse(&text.replace("\nitems:\n", "\nitems: &all\n"))]
}

#[test]
fn yaml_list_decodes_equally_by_item_and_as_a_whole() {
    for (name, kind, item, objects, problems) in [
        ("pods", "List", "", POD_COUNT, 0),
        ("a typed list", "PodList", "", POD_COUNT, 0),
        (
            "an item of a kind that is not simulated",
            "List",
            "- apiVersion: example.com/v1\n  kind: Widget\n  metadata:\n    name: a\n",
            POD_COUNT,
            0,
        ),
        (
            "a list in the list",
            "List",
            "- apiVersion: v1\n  items:\n  - apiVersion: v1\n    kind: Pod\n    metadata:\n      name: in\n  kind: List\n",
            POD_COUNT + 1,
            0,
        ),
        (
            "an item with the list's kind",
            "PodList",
            "- metadata:\n    name: a\n",
            POD_COUNT + 1,
            0,
        ),
        (
            "an item without a kind",
            "List",
            "- metadata:\n    name: a\n",
            POD_COUNT,
            1,
        ),
        (
            "a field of a wrong type",
            "List",
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: 7\n",
            POD_COUNT,
            1,
        ),
        ("no list", "Pod", "", 1, 0),
        ("a kind that is not served", "Nothing", "", 0, 1),
        (
            "an item that is an alias",
            "List",
            "- &one {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- *one\n",
            POD_COUNT + 2,
            0,
        ),
        ("a duplicate key", "List", "- a: 1\n  a: 2\n", POD_COUNT, 2),
    ] {
        let [by_item, whole] = parse_by_item_and_as_a_whole(&yaml_list(kind, item));
        assert_eq!(by_item.objects, whole.objects, "{name}");
        assert_eq!(by_item.others, whole.others, "{name}");
        assert_eq!(by_item.problems, whole.problems, "{name}");
        assert_eq!(by_item.objects.len(), objects, "{name}: {:?}", by_item.problems);
        assert_eq!(by_item.problems.len(), problems, "{name}: {:?}", by_item.problems);
    }
}

#[test]
fn long_lists_in_several_documents_are_decoded() {
    let text = format!("{}---\n{}", yaml_list("List", ""), yaml_list("List", ""));
    let [by_item, whole] = parse_by_item_and_as_a_whole(&text);
    assert_eq!(by_item.objects, whole.objects);
    let documents = by_item.objects.iter().map(|object| object.at.document);
    assert_eq!(documents.filter(|document| *document == 2).count(), POD_COUNT);
}

/// Returns a JSON list of pods, with `item` inserted in the middle.
fn json_list(item: &str) -> String {
    let mut items: Vec<String> = (0..POD_COUNT)
        .map(|at| {
            format!(
                "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"web-{at}\"}},\n \"spec\": \
                 {{\"containers\": [{{\"image\": \"nginx\", \"name\": \"app\"}}]}}}}"
            )
        })
        .collect();
    if !item.is_empty() {
        items.insert(POD_COUNT / 2, item.to_owned());
    }
    let items = items.join(", ");
    format!("{{\"apiVersion\": \"v1\",\n\"items\":\n[{items}],\n\"kind\": \"List\"}}\n")
}

#[test]
fn json_list_decodes_equally_by_item_and_as_a_whole() {
    let map = |data: &str| {
        format!(r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "a"}}, "data": {{{data}}}}}"#)
    };
    for (name, item, objects, problems) in [
        ("pods", String::new(), POD_COUNT, 0),
        (
            "brackets in a text",
            map(r#""a": "]}, {[\", \\", "b": "},""#),
            POD_COUNT + 1,
            0,
        ),
        (
            "letters of several bytes",
            map(r#""a": "größer", "a": "日""#),
            POD_COUNT + 1,
            1,
        ),
        ("two values without a comma", format!("{0} {0}", map("")), 0, 1),
        ("an item that is missing", format!("{},", map("")), 0, 1),
        ("a bracket too many", format!("{}]", map("")), 0, 1),
        ("brackets of two kinds", r#"{"a": [1}, 2]"#.to_owned(), 0, 1),
        ("a text without an end", r#"{"a": "b}"#.to_owned(), 0, 1),
        ("a field of a wrong type", map("\n \"a\": 7"), POD_COUNT, 1),
        ("an item that is no object", "7".to_owned(), POD_COUNT, 1),
        (
            "a list in the list",
            format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{}]}}"#, map("")),
            POD_COUNT + 1,
            0,
        ),
    ] {
        let text = json_list(&item);
        // The parser does not recognize the key `items` if it contains an escape, so it decodes this list as a whole.
        let whole = parse(&text.replace("\n\"items\"", "\n\"\\u0069tems\""));
        let by_item = parse(&text);
        assert_eq!(by_item.objects, whole.objects, "{name}");
        assert_eq!(by_item.problems, whole.problems, "{name}");
        assert_eq!(by_item.objects.len(), objects, "{name}: {:?}", by_item.problems);
        assert_eq!(by_item.problems.len(), problems, "{name}: {:?}", by_item.problems);
    }
}
