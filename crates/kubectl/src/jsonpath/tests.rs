use super::*;
use serde_json::json;

/// Shows: Q-03
#[test]
fn expensive_jsonpath_templates_exceed_work_limit() {
    let items: Vec<Value> = (0..300).map(|n| json!({"a": {"b": n}})).collect();
    let value = json!({"items": items});
    // Comparing or copying a value costs as many units of work as it contains values. A long text or field name costs
    // several units.
    let text = "x".repeat(1 << 20);
    let large = json!({"items": (0..3_000).collect::<Vec<_>>(), "text": text, "all": vec![text.as_str(); 20]});
    for template in [
        "{.all[?(@==@)]}".repeat(20),
        "{.all}".repeat(20),
        format!(
            "{{range .items[*]}}{}{{end}}",
            format!("{{.{}}}", "n".repeat(50_000)).repeat(4)
        ),
        format!("{{{}.items[*]}}{{$}}{{end}}", "range ".repeat(60)).repeat(40) + &"{..}".repeat(9_000),
    ] {
        let parsed = Template::parse(&template).expect("a template");
        assert!(parsed.print(&large).is_err(), "{template:.80}");
    }
    let steps = "{.items[1:9:9223372036854775807]}{.items[-3000:2:9223372036854775807]}";
    assert_eq!(
        Template::parse(steps)
            .and_then(|parsed| parsed.print(&large))
            .as_deref(),
        Ok("10")
    );
    let work = WorkCounter::default();
    let found = Path::parse("..b").and_then(|path| {
        path.find(&value, &work)
            .map(|found| found.len())
            .map_err(|why| why.to_string())
    });
    assert_eq!(found, Ok(300));
    assert!(work.spent() < 3_000, "{}", work.spent());
}

/// Shows: KC-054
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn jsonpath_output_and_errors_equal_kubectl() {
    let value = json!({"items": [
        {"metadata": {"name": "a", "annotations": {"x.y/z": "q"}}, "n": 1, "c": [{"t": "R", "s": "True"}, {"t": "S", "s": "False"}]},
        {"metadata": {"name": "b"}, "n": 2}
    ]});
    for (template, want) in [
        ("{.items[*].metadata.name}", "a b"),
        // A path without braces is literal text.
        (".items[0].metadata.name", ".items[0].metadata.name"),
        ("{.items[-1].metadata.name}", "b"),
        ("{.items[0:1].metadata.name}", "a"),
        (
            "{range .items[*]}{.metadata.name}{\"\\t\"}{.n}{\"\\n\"}{end}",
            "a\t1\nb\t2\n",
        ),
        ("{.items[?(@.n>1)].metadata.name}", "b"),
        ("{.items[*].c[?(@.t==\"R\")].s}", "True"),
        // A dot in a quoted key separates fields unless it is escaped.
        ("{.items[0].metadata.annotations['x.y/z']}", ""),
        (r"{.items[0].metadata.annotations['x\.y/z']}", "q"),
        ("{.items[0].metadata.annotations.x\\.y/z}", "q"),
        ("{..name}", "a b"),
        ("{.missing}", ""),
        ("n={.items[0,1].n}", "n=1 2"),
        ("{.items[0]['n', 'metadata.name']}", "1 a"),
        (r#"{"a\"b"}{'\t'}"#, "a\"b\t"),
        ("{range .nope[*]}{.x}{end}.", "."),
        ("{range .items[*]}{range .c[*]}{.t}{end};{end}", "RS;;"),
        ("{.items[?(@.n!=1)].n}", "2"),
    ] {
        assert_eq!(
            Template::parse(template)
                .and_then(|parsed| parsed.print(&value))
                .as_deref(),
            Ok(want),
            "{template}"
        );
    }
    for (template, why) in [
        ("{.a", "unclosed action"),
        ("{.a[x]}", "invalid array index x"),
        ("{.a[\"x\"]}", "invalid array index \"x\""),
        ("{.a[0}", "unterminated array"),
        ("{.a[?(@.b==]}", "unterminated filter"),
        ("{?}", "unrecognized character in action: U+003F '?'"),
        ("{.a[?(@.b=~1)]}", "unrecognized character in action: U+007E '~'"),
        ("{\"x}", "unterminated quoted string"),
        ("{....a}", "invalid multiple recursive descent"),
    ] {
        let why = format!("error parsing jsonpath {template}, {why}");
        assert_eq!(Template::parse(template), Err(why), "{template}");
    }
    for (template, why) in [
        ("{.items[7]}", "array index out of bounds: index 7, length 2"),
        (
            "{.items[0].metadata[0]}",
            "map[string]interface {} is not array or slice",
        ),
        ("{.items[?(@.n==one)]}", "unrecognized identifier one"),
        ("{.items[?(@.n==\"1\")]}", "incompatible types for comparison"),
        ("{end}", "not in range, nothing to end"),
        ("{items}", "unrecognized identifier items"),
    ] {
        let printed = Template::parse(template).and_then(|parsed| parsed.print(&value));
        let start = format!("error executing jsonpath {template:?}: Error executing template: {why}. Printing");
        assert!(
            printed.as_ref().is_err_and(|message| message.starts_with(&start)),
            "{template}: {printed:?}"
        );
    }
    for bad in [
        "{.a[}",
        "{range .a}",
        "{end}",
        "{.a[?(@.b==]}",
        "{.a[x]}",
        "{?}",
        "{.",
        "{[",
        "{.a[?(",
        "{..}",
    ] {
        let _ = Template::parse(bad);
    }
}
