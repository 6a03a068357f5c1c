//! Compares the line-by-line reader with the full YAML parser.

use super::*;

/// Parses the texts of a list's items with the line-by-line reader and adds the values to `items`. Returns None if the
/// reader does not support one of them.
fn collect_items<'t>(texts: &[ItemText<'t>], items: &mut Vec<Tree<'t>>) -> Option<()> {
    for text in texts {
        items.push(read_item(*text)?);
    }
    Some(())
}

/// Parses a text with the line-by-line reader (None if it does not support the form) and with the full parser. Returns
/// the items and the remaining document of each.
fn parse_with_both_readers(text: &str) -> (Option<Vec<Tree<'_>>>, Vec<Tree<'_>>) {
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    let read = read_items(text, 3, &mut |texts| collect_items(texts, &mut fast));
    let whole = yaml::read_items(text, 3, &mut |item| slow.push(item));
    slow.extend(whole.documents);
    let fast = read.map(|read| {
        fast.extend(read.documents);
        fast
    });
    (fast, slow)
}

const KUBECTL_LIST: &str = r#"apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"v1","kind":"Pod"}
      quoted: 'it''s: # here'
      "double": "a \"b\" \\ \n \t / c"
      empty: ""
    creationTimestamp: null
    managedFields:
    - fieldsV1:
        f:metadata:
          f:labels:
            .: {}
            k:{"name":"app"}:
              .: {}
    name: web-0
  spec:
    args:
    - --flag=a:b
    - "x: y"
    - http://example.com/#part
    - -1
    - 0777
    - yes
    -
    - - nested
      - list
    - a: 1

      b: 2
    command: []
    script: |-
      #!/bin/sh
      if true; then
        echo "a: b"

      fi
    last:
  status: {}
- kind: Odd
  folded: "a message
    over two lines"
  flow: {a: [1, 2], "b": c}
  anchor: &here x
  same: *here
  name: Grüße
  - x
kind: List
metadata:
  resourceVersion: ""
"#;

/// Shows: P-03
#[test]
fn line_reader_agrees_with_full_parser_on_kubectl_lists() {
    let list_text = KUBECTL_LIST.replace("  - x\n", "");
    let (head, rest) = list_text.split_once("- ").expect("an item");
    let (list, tail) = rest.split_once("kind: List").expect("its kind");
    let list: String = format!("- {list}").lines().map(|line| format!("  {line}\n")).collect();
    let indented = format!("{head}{list}kind: List{tail}");
    for text in [&list_text, &indented, &format!("---\n{list_text}")] {
        let (fast, slow) = parse_with_both_readers(text);
        let fast = fast.unwrap_or_else(|| panic!("the line-by-line reader refused:\n{text}"));
        assert_eq!(fast.len(), slow.len());
        for (fast, slow) in fast.iter().zip(&slow) {
            assert_eq!(fast, slow);
        }
    }
}

/// Returns whether the line-by-line reader supports the text; if so, asserts that both readers agree.
fn both_readers_agree(text: &str) -> bool {
    let mut items = Vec::new();
    let Some(read) = read_items(text, 0, &mut |texts| collect_items(texts, &mut items)) else {
        return false;
    };
    let mut slow = Vec::new();
    let whole = yaml::read_items(text, 0, &mut |item| slow.push(item));
    assert!(whole.problems.is_empty(), "{:?}\n{text}", whole.problems);
    assert_eq!((items, read.documents), (slow, whole.documents), "{text}");
    true
}

/// After a change of one line, either both readers agree, or the line-by-line reader does not support the text.
/// Shows: P-03
#[test]
fn line_reader_agrees_or_refuses_changed_lists() {
    let (mut n_read, list_text) = (0, KUBECTL_LIST.replace("  - x\n", ""));
    let lines: Vec<&str> = list_text.lines().collect();
    let changes: [(&str, &str); 20] = [
        ("", "  "),
        ("", "\t"),
        (":", ""),
        (": ", ":"),
        (": ", ": \t"),
        (": ", ": # "),
        (": ", ": &a "),
        (": ", ": !!str "),
        (": ", ": >\n"),
        (": ", " : "),
        (": ", ": - "),
        (": ", ": ? "),
        ("- ", "-"),
        ("- ", "- # "),
        ("- ", "-   "),
        ("\"", ""),
        ("'", "\""),
        ("  ", ""),
        ("a", "é"),
        ("a", "\u{85}"),
    ];
    for at in 0..lines.len() {
        for (old, new) in changes {
            let changed = lines[at].replacen(old, new, 1);
            let mut all = lines.clone();
            all[at] = &changed;
            n_read += usize::from(both_readers_agree(&(all.join("\n") + "\n")));
        }
    }
    for end in ["", "\n\n", "\n...\n", "\n---\n", "\n# end\n", "\n  \n", "\n\t", "\r\n"] {
        both_readers_agree(&(lines.join("\n") + end));
    }
    assert!(n_read > 300, "{n_read}");
}
