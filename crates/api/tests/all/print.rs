//! Printing as kubectl does, quoted so that YAML 1.1 parsers read the same strings.

use podscope_api::{Tree, print_json, print_yaml};
use serde_json::json;

/// The output equals that of `kubectl get -o yaml`; strings are quoted so that YAML 1.1 parsers read the same strings.
#[test]
fn yaml_output_matches_kubectl() {
    let value = json!({
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": "web-10", "labels": {"b2": "1", "b10": "yes", "a/x": "on", "B": "~"}},
        "list": [[1, 2], {"z": [], "a": {}}, "x: y", "a #b", "- c", "plain text", "", null, true, 1.5, 1e21],
        "text": "line one\nline two\n",
        "chomped": "no\nend",
        "kept": "end\n\n",
        "indented": "  a\nb\n",
        "quotes": ["it's", "\"q\"", "'s", "0777", "1e3", "2001-01-01", "190:20:30", "1_000", ".inf", "<<", "a\tb", "é", "*x",
            "10m", "0x1F", "trailing ", "a:b", "null", "@x", "8:30", "v1.2.3", "=", "12:30:45"],
        "long": "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container app was using 900Mi, request is 0.",
    });
    let expected = "apiVersion: v1
chomped: |-
  no
  end
indented: |2
    a
  b
kept: |+
  end

kind: Pod
list:
- - 1
  - 2
- a: {}
  z: []
- 'x: y'
- 'a #b'
- '- c'
- plain text
- \"\"
- null
- true
- 1.5
- 1e+21
long: 'The node was low on resource: memory. Threshold quantity: 100Mi, available:
  50Mi. Container app was using 900Mi, request is 0.'
metadata:
  labels:
    B: \"~\"
    a/x: \"on\"
    b2: \"1\"
    b10: \"yes\"
  name: web-10
quotes:
- it's
- '\"q\"'
- '''s'
- \"0777\"
- \"1e3\"
- \"2001-01-01\"
- \"190:20:30\"
- \"1_000\"
- \".inf\"
- \"<<\"
- \"a\\tb\"
- é
- '*x'
- 10m
- \"0x1F\"
- 'trailing '
- a:b
- \"null\"
- '@x'
- \"8:30\"
- v1.2.3
- \"=\"
- \"12:30:45\"
text: |
  line one
  line two
";
    assert_eq!(print_yaml(&value), expected);
}

#[test]
fn json_output_matches_kubectl() {
    let value = json!({"b": [], "a": {"x": [1, "<&>"], "n": null}, "e": {}});
    let expected = "{\n    \"a\": {\n        \"n\": null,\n        \"x\": [\n            1,\n            \
                  \"\\u003c\\u0026\\u003e\"\n        ]\n    },\n    \"b\": [],\n    \"e\": {}\n}\n";
    assert_eq!(print_json(&value), expected);
}

/// Any string survives printing and parsing, as a value and as a key.
/// Shows: Q-01
#[test]
fn strings_round_trip_through_yaml() {
    let pieces = [
        "a",
        " ",
        "\n",
        "\t",
        ":",
        "#",
        "-",
        "'",
        "\"",
        "\\",
        "{",
        "[",
        ",",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "~",
        "?",
        "0",
        "1",
        "yes",
        "null",
        "e",
        ".",
        "_",
        "é",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{0}",
        "\r",
        "=",
        "---",
        "...",
        "<<",
        "a long word after the others so that lines get folded somewhere in the middle of this text ",
    ];
    let mut state = 7_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % 1_000_003).unwrap()
    };
    for _ in 0..4000 {
        let text: String = (0..=random() % 6).map(|_| pieces[random() % pieces.len()]).collect();
        let value = json!({"a": [text, {"b": text}], "c": {text.clone(): text}});
        let printed = print_yaml(&value);
        let read = podscope_api::read_yaml(&printed);
        assert_eq!(read.as_ref().map(Tree::to_value), Ok(value), "{printed}");
    }
}
