//! A text that is pasted on the page opens if it is a scenario or manifests (U-07).

use super::*;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";

fn paste(host: &mut Host, text: &str) -> Vec<Update> {
    let (name, text) = ("pasted.yaml".to_owned(), text.to_owned());
    host.handle(Request::Paste { name, text }, 0.0)
}

/// Returns a short description of each update about the pasted text, in order.
fn update_descriptions(updates: &[Update]) -> Vec<String> {
    updates
        .iter()
        .filter_map(|update| {
            Some(match update {
                Update::Pasted { opens } => format!("pasted {opens}"),
                Update::Progress { per_mille, .. } => format!("progress {per_mille}"),
                Update::Opened(opened) => format!("opened {}", opened.title),
                Update::Refused { problems } => format!("refused {}:{}", problems[0].file, problems[0].line),
                _ => return None,
            })
        })
        .collect()
}

#[test]
fn pasted_text_opens_if_scenario_or_manifests() {
    let scenario = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nspec: {title: Mine}\n";
    let rows: &[(&str, &[&str])] = &[
        (POD, &["pasted true", "opened pasted.yaml"]),
        (scenario, &["pasted true", "opened Mine"]),
        // A List without items is a manifest too.
        (
            "apiVersion: v1\nkind: List\nitems: []\n",
            &["pasted true", "opened pasted.yaml"],
        ),
        (
            "apiVersion: v1\nkind: Pod\n  name: a\n",
            &["pasted true", "refused pasted.yaml:3"],
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: A_}\n",
            &["pasted true", "refused pasted.yaml:3"],
        ),
        ("kubectl get pods\n", &["pasted false"]),
        ("what is apiVersion: v1?", &["pasted false"]),
        ("# a remark\n", &["pasted false"]),
    ];
    for (text, wanted) in rows {
        let (mut host, _) = open_first_visit();
        assert_eq!(update_descriptions(&paste(&mut host, text)), *wanted, "{text}");
    }
}

/// The current session stays open until a large pasted text has been read. Pasting a text that is neither a scenario
/// nor a manifest does not stop the opening of the text before it.
/// Shows: U-07
#[test]
fn large_pasted_text_opens_in_pieces() {
    let long = |text: &str| format!("{text}{}", "# more of it\n".repeat(100_000));
    let (mut host, _) = open_first_visit();
    assert_eq!(update_descriptions(&paste(&mut host, &long(POD))), ["progress 0"]);
    assert_eq!(host.next_work(), NextWork::Now);
    assert_eq!(update_descriptions(&host.work(1.0)), ["pasted true", "progress 700"]);
    assert_eq!(
        update_descriptions(&paste(&mut host, &long("kubectl get pods\n"))),
        ["progress 0"]
    );
    assert_eq!(update_descriptions(&host.work(2.0)), ["pasted false"]);
    assert_eq!(update_descriptions(&host.work(3.0)), ["opened pasted.yaml"]);
}
