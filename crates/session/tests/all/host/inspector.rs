//! Tests of the content of the page's inspector and console.

use super::*;

// The inspector shows pods, nodes, other objects, invariants, and ghosts: pods that were deleted from the API but whose
// processes still run.
// Shows: K-01, U-02, U-06
#[test]
fn inspector_shows_pods_nodes_objects_and_ghosts() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    let detail = page.inspect(pod("default/ledger-0"));
    assert_eq!(detail.title, "ledger-0");
    assert!(detail.subtitle.to_string().contains("default"), "{}", detail.subtitle);
    assert!(!detail.summary.to_string().is_empty());
    assert_eq!(
        detail
            .containers
            .iter()
            .map(|one| one.name.as_str())
            .collect::<Vec<_>>(),
        ["books"]
    );
    assert!(
        detail.containers[0].ready && detail.containers[0].process.is_some(),
        "{:?}",
        detail.containers
    );
    assert!(
        detail
            .conditions
            .iter()
            .any(|condition| condition.kind == "Ready" && condition.status == podscope_api::ConditionStatus::True)
    );
    assert!(
        detail.owners.iter().any(|owner| owner.0 == "StatefulSet"),
        "{:?}",
        detail.owners
    );
    assert!(
        detail
            .events
            .iter()
            .any(|event| event.reason == "Scheduled" && event.from == "default-scheduler")
    );
    assert!(detail.yaml.contains("name: ledger-0\n"));
    let node = page.inspect(SubjectRef::Node { name: "a-1".into() });
    assert_eq!(node.title, "a-1");
    let set = page.inspect(SubjectRef::Object {
        kind: "StatefulSet".into(),
        key: "default/ledger".into(),
    });
    assert!(set.yaml.contains("kind: StatefulSet\n"), "{}", set.yaml);
    assert_eq!(set.replicas, Some(2));
    let invariant = page.inspect(SubjectRef::Invariant {
        name: "at-most-one".into(),
    });
    assert!(!invariant.summary.to_string().is_empty());
    let gone = page.inspect(pod("default/nobody"));
    assert_eq!(gone.subtitle.to_string(), "gone");
    // The pod was deleted from the API, but its process still runs (U-02).
    let uid = console_texts(
        &page.run("kubectl get pod ledger-0 -o jsonpath={.metadata.uid}"),
        LineKind::Output,
    )
    .remove(0);
    page.run("fault partition a-1");
    page.run("fault partition b-1");
    page.run("kubectl delete pod ledger-0 --force");
    page.seek(31);
    let ghost_uid = uid.clone();
    let ghost = page.inspect(SubjectRef::Pod {
        key: "default/ledger-0".into(),
        uid,
    });
    assert!(ghost.subtitle.to_string().starts_with("ghost on "), "{ghost:?}");
    // The ghost (the deleted pod) has its own scheduling decision, which was made before that of its successor. An
    // unknown UID has no decision.
    let mut attempts_of = |uid: &str| {
        let updates = page.send(Request::Explain {
            pod: "default/ledger-0".into(),
            uid: uid.to_owned(),
            attempt: None,
        });
        let found = updates.into_iter().find_map(|update| match update {
            Update::Explanation { uid, attempts, .. } => Some((uid, attempts)),
            _ => None,
        });
        let (of, attempts) = found.expect("an answer");
        assert_eq!(of, uid);
        attempts.iter().map(|attempt| attempt.id).collect::<Vec<_>>()
    };
    let (own, all) = (attempts_of(&ghost_uid), attempts_of(""));
    assert!(
        own.len() == 1 && all.len() > 1 && all[0] == own[0],
        "{own:?} of {all:?}"
    );
    assert!(attempts_of("nobody").is_empty());
}

// A pending pod is explained, and a remedy for it can be tried on a new branch.
// Shows: S-14, S-15
#[test]
fn pending_pod_has_explanation_and_remedies() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    let updates = page.send(Request::Explain {
        pod: "default/huge".into(),
        uid: String::new(),
        attempt: None,
    });
    let Some(Update::Explanation {
        attempts,
        attempt,
        explanation,
        ..
    }) = updates.first()
    else {
        panic!("{updates:?}")
    };
    assert_eq!(
        attempts.last().map(|one| (one.id, one.verdict)),
        Some((*attempt, SchedulingVerdict::Unschedulable))
    );
    assert_eq!(attempts[0].verdict, SchedulingVerdict::Unschedulable, "{attempts:?}");
    let explanation = explanation.as_deref().expect("an explanation");
    assert_eq!(explanation.verdict(), SchedulingVerdict::Unschedulable);
    let short_of_cpu = |node: &NodeExplanation| matches!(&node.verdict, NodeVerdict::Refused { reasons, .. } if reasons == &["Insufficient cpu"]);
    assert_eq!(explanation.nodes.iter().filter(|node| short_of_cpu(node)).count(), 2);
    // Without a UID, the attempts of another pod with this name are returned too. For an attempt that does not exist,
    // nothing is returned.
    let updates = page.send(Request::Explain {
        pod: "default/ledger-0".into(),
        uid: String::new(),
        attempt: None,
    });
    assert!(
        matches!(updates.first(), Some(Update::Explanation { attempts, .. }) if attempts[0].verdict == SchedulingVerdict::Scheduled),
        "{updates:?}"
    );
    let none = page.send(Request::Explain {
        pod: "default/huge".into(),
        uid: String::new(),
        attempt: Some(u64::MAX),
    });
    assert!(!none.iter().any(|update| matches!(update, Update::Explanation { .. })));

    // Only a cordoned node could run this pod.
    page.run("kubectl cordon a-1");
    page.run("kubectl cordon b-1");
    page.run("kubectl run waiting --image=x");
    page.seek(40);
    let waiting = || "default/waiting".to_owned();
    let updates = page.send(Request::WhatWouldHelp { pod: waiting() });
    let Some(Update::Help {
        remedies,
        done: true,
        per_mille: 1000,
        ..
    }) = updates.last()
    else {
        panic!("{:?}", updates.last())
    };
    let index = remedies
        .iter()
        .position(|remedy| !remedy.command.is_empty())
        .expect("a remedy with a command");
    assert!(
        podscope_kubectl::command::parse(&remedies[index].command).is_ok(),
        "{remedies:?}"
    );
    let command = remedies[index].command.clone();
    let updates = page.send(Request::TryRemedy { index });
    let branches = updates.iter().find_map(|update| match update {
        Update::Frame(frame) => frame.branches.clone(),
        _ => None,
    });
    assert_eq!(
        branches.map(|branches| branches.len()),
        Some(2),
        "the remedy is tried on a fork"
    );
    let echoed = updates.iter().any(|update| matches!(update, Update::Console { lines } if lines.iter().any(|line| line.kind == LineKind::Input && line.text.plain_text() == command)));
    assert!(echoed, "{command}: {updates:?}");
    // No remedy is suggested for a running pod.
    let updates = page.send(Request::WhatWouldHelp {
        pod: "default/ledger-0".into(),
    });
    assert!(
        updates
            .iter()
            .any(|update| matches!(update, Update::Help { remedies, done: true, .. } if remedies.is_empty()))
    );
}

// A pipe waits for the output of a command that writes, even while time is paused.
// Shows: K-01
#[test]
fn pipe_waits_for_answer_of_writing_command() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    for (line, wanted) in [
        ("kubectl create cm piped --from-literal=a=b | grep -c created", "1"),
        (
            "kubectl create cm more --dry-run=client -o yaml | kubectl apply -f - | grep created",
            "configmap/more created",
        ),
        (
            "kubectl get cm piped -o name | xargs kubectl delete",
            "configmap \"piped\" deleted from default namespace",
        ),
    ] {
        let mut lines = page.run(line);
        lines.extend(page.run("kubectl get nodes -o name"));
        assert_eq!(console_texts(&lines, LineKind::Output)[0], wanted, "{line}");
    }
    let lines = page.run("kubectl get pods -w | cat");
    let refused = "error: a pipe takes what is printed at once; this command's answer comes while time runs";
    assert_eq!(console_texts(&lines, LineKind::Error), [refused]);
}

// The console prints the entered line and its output, and completes words. Lines with errors do not change the session.
// Shows: K-01, K-03
#[test]
fn console_answers_and_completes() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    let lines = page.run("kubectl get nodes");
    assert_eq!(lines[0].kind, LineKind::Input);
    assert_eq!(lines[0].text.plain_text(), "kubectl get nodes");
    assert!(
        lines[1].text.plain_text().starts_with("NAME   STATUS   ROLES"),
        "{lines:?}"
    );
    let before = page.export(ExportKind::Trace).2;
    for (line, want) in [
        ("kubectl gett nodes", "error: unknown command \"gett\" for \"kubectl\""),
        (
            "kubectl get pdo",
            "error: the server doesn't have a resource type \"pdo\"",
        ),
        ("kubectl get pods --wid", "error: unknown flag: --wid"),
        (
            "kubectl describe pod nobody",
            "Error from server (NotFound): pods \"nobody\" not found",
        ),
    ] {
        let errors = console_texts(&page.run(line), LineKind::Error);
        assert_eq!(errors.first().map(String::as_str), Some(want), "{line}");
    }
    assert_eq!(page.export(ExportKind::Trace).2, before, "the trace has not changed");
    let help = console_texts(&page.run("kubectl drain --help"), LineKind::Output).join("\n");
    assert!(help.contains("--ignore-daemonsets"), "{help}");
    let updates = page.send(Request::Complete {
        line: "kubectl delete pod led".into(),
        cursor: 22,
    });
    let Some(Update::Completions { choices, replace, .. }) = updates.first() else {
        panic!("{updates:?}")
    };
    let names: Vec<&str> = choices.iter().map(|choice| choice.text.as_str()).collect();
    assert_eq!((names, *replace), (vec!["ledger-0", "ledger-1"], (19, 22)));
}

// Warnings are printed as warnings, not as errors, however kubectl spells the prefix.
// Shows: K-01
#[test]
fn warnings_are_not_errors() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    let lines = page.run("kubectl create role odd --verb=fly --resource=pods | cat");
    let warned = "Warning: 'fly' is not a standard resource verb";
    assert_eq!(console_texts(&lines, LineKind::Warning), [warned]);
    let lines = page.run("kubectl delete pod nobody --cascade=true");
    let deprecated =
        "warning: --cascade=true is deprecated (boolean value) and can be replaced with --cascade=background.";
    assert_eq!(console_texts(&lines, LineKind::Warning), [deprecated]);
    let failed = "Error from server (NotFound): pods \"nobody\" not found";
    assert_eq!(console_texts(&lines, LineKind::Error), [failed]);
}

// The data in a pod's emptyDir stays on the machine, even after the pod was deleted from the API (LC-003).
// Shows: U-02, LC-003
#[test]
fn empty_dir_of_ghost_keeps_its_data() {
    let mut page = Page::with_file(
        r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: scratch}
spec: {title: Scratch, seed: 3, cluster: {zones: [a], nodesPerZone: 1}}
---
apiVersion: v1
kind: Pod
metadata: {name: cache, annotations: {behavior.podscope.dev/c: "disk=64Mi"}}
spec:
  containers: [{name: c, image: x, volumeMounts: [{name: scratch, mountPath: /tmp}]}]
  volumes: [{name: scratch, emptyDir: {}}]
"#,
    );
    page.seek(30);
    let volumes = |detail: &InspectorContent| -> Vec<String> {
        (detail.volumes.iter().filter(|(name, _)| name == "scratch"))
            .map(|(_, view)| view.to_string())
            .collect()
    };
    let before = volumes(&page.inspect(pod("default/cache")));
    assert_eq!(before.len(), 1, "{before:?}");
    assert!(before[0].contains("64Mi by c since 0:0"), "{before:?}");
    page.run("fault partition a-1");
    page.run("kubectl delete pod cache --force");
    page.seek(31);
    let ghost = page.inspect(pod("default/cache"));
    assert!(matches!(ghost.subtitle, Subtitle::Ghost { .. }), "{}", ghost.subtitle);
    assert_eq!(volumes(&ghost), before);
}
