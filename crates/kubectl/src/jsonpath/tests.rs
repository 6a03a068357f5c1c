use super::*;
use serde_json::json;

///
#[test]
fn a_short_template_that_asks_for_a_lifetime_is_refused() {
    let items: Vec<Value> = (0..300).map(|n| json!({"a": {"b": n}})).collect();
    let value = json!({"items": items});
    for template in [
        "{.items[?($.items[?($.items[?(@.c)])])]}",
        "{range .items[*]}{range $.items[*]}{range $.items[*]}{end}{end}{end}",
        "{range .items[*]}{range $.items[*]}{$.items}{end}{end}",
    ] {
        let parsed = Template::parse(template).expect(template);
        assert!(parsed.print(&value).is_err(), "{template}");
    }
    // What is compared and copied costs what it holds; long names cost their length.
    let text = "x".repeat(1 << 20);
    let large = json!({"items": (0..3_000).collect::<Vec<_>>(), "text": text, "all": vec![text.as_str(); 20]});
    for template in [
        "{.items[?($==$)]}".to_owned(),
        "{.items[?($.text==$.text)]}".to_owned(),
        "{range .items[*]}{$.all}{end}".to_owned(),
        format!(
            "{{range .items[*]}}{{range $.items[*]}}{{.{}}}{{end}}{{end}}",
            "n".repeat(50_000)
        ),
    ] {
        let parsed = Template::parse(&template).expect("a template");
        assert!(parsed.print(&large).is_err(), "{template:.80}");
    }
    let steps = "{.items[1:9:9223372036854775807]}{.items[-9223372036854775808:2:9223372036854775807]}";
    assert_eq!(
        Template::parse(steps)
            .and_then(|parsed| parsed.print(&large))
            .as_deref(),
        Ok("10")
    );
    let work = Work::default();
    let found = Path::parse("..b").and_then(|path| {
        path.find(&value, &work)
            .map(|found| found.len())
            .map_err(|why| why.to_string())
    });
    assert_eq!(found, Ok(300));
    assert!(work.spent() < 3_000, "{}", work.spent());
}

/// KC-054.
#[test]
fn jsonpath_templates_print_what_kubectls_do() {
    let value = json!({"items": [
        {"metadata": {"name": "a", "annotations": {"x.y/z": "q"}}, "n": 1, "c": [{"t": "R", "s": "True"}, {"t": "S", "s": "False"}]},
        {"metadata": {"name": "b"}, "n": 2}
    ]});
    for (template, want) in [
        ("{.items[*].metadata.name}", "a b"),
        (".items[0].metadata.name", "a"),
        ("{.items[-1].metadata.name}", "b"),
        ("{.items[0:1].metadata.name}", "a"),
        (
            "{range .items[*]}{.metadata.name}{\"\\t\"}{.n}{\"\\n\"}{end}",
            "a\t1\nb\t2\n",
        ),
        ("{.items[?(@.n>1)].metadata.name}", "b"),
        ("{.items[*].c[?(@.t==\"R\")].s}", "True"),
        ("{.items[0].metadata.annotations['x.y/z']}", "q"),
        ("{.items[0].metadata.annotations.x\\.y/z}", "q"),
        ("{..name}", "a b"),
        ("{.missing}", ""),
        ("n={.items[0,1].n}", "n=1 2"),
    ] {
        assert_eq!(
            Template::parse(template)
                .and_then(|parsed| parsed.print(&value))
                .as_deref(),
            Ok(want),
            "{template}"
        );
    }
    assert_eq!(
        Template::parse("{.a"),
        Err("error parsing jsonpath {.a, unclosed action".into())
    );
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
