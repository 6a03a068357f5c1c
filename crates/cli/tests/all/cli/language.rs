//! `--lang`: sentences for people are in the chosen language; machine-readable output is in English.

use std::fmt::Write as _;

use super::{Run, TEST_SCENARIO, fail, podscope, succeed, write_file};

const LANGUAGES: [&str; 5] = ["es", "id", "uk", "zh", "en-XA"];

fn path_in_repository(path: &str) -> String {
    podscope_tests::root().join(path).to_string_lossy().into_owned()
}

/// Returns a dump with a pending pod: all nodes have a taint.
fn dump_with_tainted_nodes(n_nodes: usize) -> String {
    let mut text = String::from(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: w, namespace: default, uid: w}\n  \
         spec: {containers: [{name: app, image: nginx}]}\n  status: {phase: Pending}\n",
    );
    for n in 1..=n_nodes {
        let _ = writeln!(
            text,
            "- apiVersion: v1\n  kind: Node\n  metadata: {{name: n{n}, uid: n{n}}}\n  spec: {{taints: [{{key: repair, effect: \
             NoSchedule}}]}}\n  status: {{allocatable: {{cpu: \"4\", memory: 8Gi, pods: \"110\"}}, conditions: [{{type: \
             Ready, status: \"True\"}}]}}"
        );
    }
    write_file(&format!("tainted-{n_nodes}.yaml"), &text)
}

fn run_with_env_variable(variable: &str, value: &str, args: &[&str]) -> Run {
    let output = crate::podscope_command().args(args).env(variable, value).output();
    output.expect("the binary starts").into()
}

/// Shows: E-16, P-07
#[test]
fn why_uses_plural_forms_of_chosen_language() {
    for (n_nodes, want) in [
        (1, "тоді його може прийняти 1 вузол\n"),
        (3, "тоді його можуть прийняти 3 вузли\n"),
        (5, "тоді його можуть прийняти 5 вузлів\n"),
        (21, "тоді його може прийняти 21 вузол\n"),
    ] {
        let run = podscope(&["why", &dump_with_tainted_nodes(n_nodes), "--lang", "uk"]);
        assert_eq!(run.status, 0, "{}", run.err);
        assert!(run.out.contains(want), "{want}: {}", run.out);
        // A message of Kubernetes, which is not translated.
        let message = format!("0/{n_nodes} nodes are available: {n_nodes} node(s) had untolerated taint(s)");
        assert!(run.out.contains(&message), "{}", run.out);
        assert!(run.err.contains("PodDisruptionBudget:"), "{}", run.err);
        assert!(!run.err.contains("No file has"), "{}", run.err);
    }
}

/// Shows: E-16
#[test]
fn lesson_course_and_practice_texts_are_translated() {
    let lesson = path_in_repository("crates/session/lessons/first-pod.yaml");
    let summary = succeed(&["run", &lesson, "--lang", "es"]);
    assert!(summary.starts_with("Tu primer Pod: "), "{summary}");
    let families = succeed(&["--lang", "es", "practice"]);
    assert!(families.contains("¿Cuántos agentes hay?"), "{families}");
    let courses = succeed(&["course", "--lang=es"]);
    assert!(
        courses.contains("Kubernetes") && !courses.contains("From Docker"),
        "{courses}"
    );
    let wrong = podscope(&["practice", "which-node", "--answer", "x", "--lang", "uk"]);
    assert!(
        wrong.status == 1 && wrong.out.contains("Вузол мусить мати місце"),
        "{}",
        wrong.out
    );
    // The reason why a node rejects the pod is a message of the engine, and is translated too.
    assert!(wrong.out.contains("може прийняти Pod"), "{}", wrong.out);
}

#[test]
fn summary_in_other_language_has_same_trace_hash() {
    let path = write_file("language.yaml", TEST_SCENARIO);
    let hash = |args: &[&str]| {
        let summary = succeed(&[&["run", &path], args].concat());
        summary.trim_end().rsplit(' ').next().map(str::to_owned)
    };
    let english = hash(&[]);
    for language in LANGUAGES {
        assert_eq!(hash(&["--lang", language]), english, "{language}");
    }
}

/// Shows: P-07
#[test]
fn machine_readable_output_is_english_in_every_language() {
    let (path, dump) = (write_file("programs.yaml", TEST_SCENARIO), dump_with_tainted_nodes(2));
    for args in [
        &["why", &dump, "-o", "json"][..],
        &["explain", "--cluster", &dump, "--pod", "default/w", "-o", "json"],
        &["compare", &path, &dump, "-o", "json"],
        &["whatif", "drain", "a-2", &path, "-o", "json"],
        &["run", &path, "-o", "trace"],
        &["run", &path, "-o", "objects"],
        &["run", &path, "-o", "processes"],
        &["run", &path, "-o", "events"],
        &["search", &path, "--seeds", "2", "-o", "json"],
        &["practice", "which-node", "--answer", "x", "-o", "json"],
        &["link", "encode", &path],
    ] {
        let english = podscope(args);
        for language in LANGUAGES {
            let run = podscope(&[args, &["--lang", language]].concat());
            assert_eq!(run.out, english.out, "{language}: {args:?}");
            assert_eq!(run.err, english.err, "{language}: {args:?}");
            assert_eq!(run.status, english.status, "{language}: {args:?}");
        }
    }
}

/// Shows: P-07
#[test]
fn unknown_language_error_lists_known_languages() {
    for args in [&["practice", "--lang", "xx"][..], &["--lang=uk_UA", "practice"]] {
        let error = fail(args);
        assert!(error.contains("for '--lang <LANG>'"), "{error}");
        assert!(error.contains("[possible values: en, es, id, uk, zh]"), "{error}");
    }
    let run = run_with_env_variable("PODSCOPE_LANG", "xx", &["practice"]);
    assert!(run.status == 2 && run.out.is_empty(), "{}", run.out);
    // The pseudo-locale is hidden in the list, but accepted.
    let families = succeed(&["practice", "--lang", "en-XA"]);
    assert!(families.contains("ŝ How many agents are there? ŝ"), "{families}");
}

#[test]
fn podscope_lang_variable_sets_language_but_locale_does_not() {
    let english = succeed(&["practice"]);
    let spanish = succeed(&["practice", "--lang", "es"]);
    for (variable, value, want) in [
        ("PODSCOPE_LANG", "es", &spanish),
        ("PODSCOPE_LANG", "", &english),
        ("LANG", "es_ES.UTF-8", &english),
        ("LC_ALL", "es_ES.UTF-8", &english),
    ] {
        let run = run_with_env_variable(variable, value, &["practice"]);
        assert_eq!(run.out, *want, "{variable}={value}");
    }
    // The option `--lang` overrides the variable `PODSCOPE_LANG`.
    let run = run_with_env_variable("PODSCOPE_LANG", "uk", &["practice", "--lang", "es"]);
    assert_eq!(run.out, spanish);
}
