//! Answers of the engine are translated when they are printed (Q-09): the engine itself has no language.

use podscope_messages::{COMPILED, Locale, PSEUDO, Plural, set};
use podscope_protocol::markdown;
use podscope_session::scenario;
use podscope_session::whatif::{self, Question, WorkControl};

/// A drain of a node has two problems: nothing replaces the pod `alone`, and the budget allows no disruption.
const CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: two}
spec: {cluster: {zones: [a, b], nodesPerZone: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: alone}, spec: {nodeName: a-1, containers: [{name: c, image: x}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: x}], volumes: [{name: cache, emptyDir: {}}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db}
spec: {maxUnavailable: 0, selector: {matchLabels: {app: db}}}
"#;

fn pseudo_locale() -> Locale {
    let (_, file) = COMPILED
        .iter()
        .find(|(code, _)| *code == PSEUDO)
        .expect("it is compiled");
    Locale::new(PSEUDO, (*file).to_owned(), Plural::english).expect("a file of a language")
}

/// Shows: P-14, Q-09
#[test]
fn what_if_answer_is_translated_only_when_printed() {
    let files = [("two.yaml".to_owned(), CLUSTER.to_owned())];
    let loaded = scenario::load(&files).expect("a scenario");
    let control = WorkControl {
        stop: || false,
        progress: &|_| {},
    };
    let question = Question::Drain(vec!["a-1".to_owned()]);
    let answer = whatif::ask(&loaded, &question, 0, control).expect("the node exists");
    let printed = || {
        let json = serde_json::to_string(&answer).expect("JSON");
        (json, whatif::text(&answer), markdown::print(&whatif::markdown(&answer)))
    };
    let (json, text, table) = printed();
    for expected in ["nothing replaces it", "allows 0 disruptions", "emptyDir: its content"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    set(Some(pseudo_locale()));
    let (translated_json, translated, translated_table) = printed();
    set(None);
    assert_eq!(translated_json, json);
    for (english, translation) in [(text, translated), (table, translated_table)] {
        // Lines that contain only names and numbers are the same in each language.
        let has_words = |line: &&str| !line.contains("/110") && !line.starts_with("|--") && !line.is_empty();
        let same: Vec<&str> = translation
            .lines()
            .filter(has_words)
            .filter(|line| english.contains(line))
            .collect();
        assert!(same.is_empty(), "{same:?}\n{translation}");
    }
}
