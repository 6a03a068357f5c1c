//! Cases from public bug reports (`tests/conformance/public`) and from the five seed documents on which Podscope is
//! based (`tests/conformance/seeds`). A case with expectations in its file is run; for the other cases the tests here
//! have the expectations.

use std::fs;

use podscope_cluster::Span;
use podscope_session::scenario::{self, Timing};
use podscope_session::timeline::{Session, Slice};
use podscope_tests::sentences::{run_and_print, shell};
use podscope_tests::{files, root};
use serde::Deserialize;

/// Shows: C-16, CT-228, CT-229, CT-230, LC-238 to LC-241. The first lines of each file describe the real behaviour.
#[test]
fn public_cases_meet_their_expectations() {
    let mut complaints = Vec::new();
    for path in files("tests/conformance/public", ".yaml") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a case");
        let loaded = match scenario::load(&[(format!("{name}.yaml"), text)]) {
            Ok(loaded) => loaded,
            Err(problems) => {
                complaints.push(format!("{name}: {problems:?}"));
                continue;
            }
        };
        // The run ends a minute after the last event or expectation, or after a second if no expectation holds throughout.
        let expect = &loaded.scenario.expect;
        let lasts = expect.iter().any(|expect| matches!(expect.timing, Timing::Always));
        let until = loaded.default_until() - Span::seconds(if lasts { 0 } else { 59 });
        let mut session = Session::new(loaded).expect("a session");
        assert_eq!(session.advance(until, u64::MAX), Slice::Done, "{name}");
        let expected = &session.loaded().scenario.expect;
        for (expect, verdict) in expected.iter().zip(session.progress().expectations()) {
            if !(*verdict == Some(true) || (verdict.is_none() && matches!(expect.timing, Timing::Always))) {
                complaints.push(format!("{name}: {}", expect.text));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[derive(Deserialize)]
struct ExpectedStepOutput {
    claim: String,
    file: Option<String>,
    run: String,
    stdin: Option<String>,
    wait: Option<i64>,
    says: String,
    not: Option<String>,
}

/// Shows: KC-019. The five seed documents, and our own `steps.jsonl`, claim what certain commands print.
#[test]
fn commands_in_steps_files_print_expected_output() {
    let mut complaints = Vec::new();
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("the steps");
    let texts = ["tests/conformance/seeds/steps.jsonl", "tests/seeds/steps.jsonl"].map(read);
    for line in texts.iter().flat_map(|text| text.lines()) {
        let step: ExpectedStepOutput = serde_json::from_str(line).expect("a step");
        let mut shell = shell(step.file.as_deref().unwrap_or(""));
        shell.advance(Span::seconds(step.wait.unwrap_or(8)));
        let mut answer = String::new();
        for command in step.run.lines() {
            let stdin = command.contains("-f -").then_some(step.stdin.as_deref()).flatten();
            answer.push_str(&run_and_print(&mut shell, command, stdin));
        }
        let is_as_claimed = answer.contains(&step.says) && step.not.is_none_or(|not| !answer.contains(&not));
        if !is_as_claimed {
            complaints.push(format!("{}: {answer}", step.claim));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn read_case(name: &str) -> String {
    fs::read_to_string(root().join("tests/conformance/public").join(name)).expect("a case")
}

/// Real clusters accept these manifests (VA-330, VA-246).
#[test]
fn manifests_of_public_repositories_are_accepted() {
    for (name, expected) in [
        (
            "33-rbac-resource-names.yaml",
            "clusterrole.rbac.authorization.k8s.io/x created",
        ),
        ("34-flow-closing-bracket.yaml", " created"),
        ("55-yaml-quoted.yaml", " created"),
    ] {
        let text = read_case(name);
        let answer = run_and_print(&mut shell(""), "kubectl create -f -", Some(&text));
        assert!(
            answer.contains(expected) && !answer.contains("rror"),
            "{name}: {answer}"
        );
    }
}

/// If a line of a YAML flow collection is indented too little, the parser joins it to the line before (VA-246). Later
/// positions still refer to the original text.
#[test]
fn positions_after_joined_lines_refer_to_original_text() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {\na: b,\n}\nspec:\n  containers: [\n{name: c, image: i, nonsense: 1}\n]\n";
    let parsed = podscope_api::parse(text);
    assert_eq!(parsed.problems, []);
    let object = &parsed.objects[0];
    assert_eq!(object.at.position(text, "metadata.labels[a]"), (6, 4));
    assert_eq!(object.at.position(text, "spec.containers[0].image"), (10, 18));
    let unclosed = "a:\n  b: [\n1,\n2\nc: 3\n";
    let problem = podscope_api::read_yaml(unclosed).expect_err("the bracket is not closed");
    assert!(problem[0].line > 1, "{problem:?}");
}

/// The STATUS column shows the reason of each state as kubectl does (KC-020).
#[test]
fn statuses_of_failing_pods_match_kubectl() {
    let mut shell = shell(&read_case("41-statuses.yaml"));
    shell.advance(Span::seconds(75));
    let table = run_and_print(&mut shell, "kubectl get pods", None);
    for status in [
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "CreateContainerConfigError",
        "Completed",
        "SchedulingGated",
    ] {
        assert!(table.contains(status), "{status} is not in\n{table}");
    }
}

/// A CronJob with an invalid schedule or time zone is refused with the message of the real server (VA-187).
#[test]
fn invalid_cron_job_schedule_is_refused_as_by_the_server() {
    let job = |schedule: &str, more: &str| {
        format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: a}}, spec: {{schedule: '{schedule}', {more} jobTemplate: \
             {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}}}}}"
        )
    };
    for (schedule, more, expected) in [
        (
            "TZ=Europe/Berlin 0 3 * * *",
            "",
            "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
        ),
        (
            "0 3 * * *",
            "timeZone: Europe/Nowhere,",
            "unknown time zone Europe/Nowhere",
        ),
        ("@every 30s", "", "created"),
        ("0 0 31 2 *", "", "created"),
        ("*/5 * * * * *", "", "expected exactly 5 fields, found 6"),
        ("0 0 * * 7", "", "end of range (7) above maximum (6): 7"),
        ("0 0 ? * MON-FRI", "", "created"),
    ] {
        let answer = run_and_print(&mut shell(""), "kubectl create -f -", Some(&job(schedule, more)));
        assert!(answer.contains(expected), "{schedule}: {answer}");
    }
}

/// Shows: CT-102. A budget whose pods are all unready refuses evictions, unless `AlwaysAllow` permits evicting unready
/// pods.
#[test]
fn budget_of_unready_pods_refuses_eviction_unless_always_allow() {
    let mut shell = shell(&read_case("37-pdb-crashloop.yaml"));
    shell.advance(Span::seconds(20));
    let names = "kubectl get pods -o custom-columns=NAME:.metadata.name --no-headers -l role=";
    for (deployment, is_refused) in [("d", true), ("e", false)] {
        let pods = run_and_print(&mut shell, &format!("{names}{deployment}"), None);
        let pod = pods.lines().next().expect("a pod").trim().to_owned();
        let line = format!("api POST /api/v1/namespaces/default/pods/{pod}/eviction");
        let eviction = format!("{{\"metadata\": {{\"name\": \"{pod}\"}}}}");
        run_and_print(&mut shell, &line, Some(&eviction));
        shell.advance(Span::seconds(1));
        let remaining = run_and_print(
            &mut shell,
            &format!("kubectl get pod {pod} -o jsonpath={{.metadata.deletionTimestamp}}"),
            None,
        );
        let is_untouched = remaining.trim().is_empty();
        assert_eq!(is_untouched, is_refused, "{pod}: {remaining}");
    }
}

/// Apply removes a field that it applied before and that is missing in the new manifest (C-03), although `kubectl scale`
/// changed it in between. The server then sets the default.
#[test]
fn applying_without_replicas_resets_scaled_replicas() {
    let deployment = |replicas: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d}}, spec: {{{replicas} selector: {{matchLabels: {{r: d}}}}, \
             template: {{metadata: {{labels: {{r: d}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}}}"
        )
    };
    let mut shell = shell("");
    run_and_print(&mut shell, "kubectl apply -f -", Some(&deployment("replicas: 2,")));
    run_and_print(&mut shell, "kubectl scale deploy d --replicas=6", None);
    run_and_print(&mut shell, "kubectl apply -f -", Some(&deployment("")));
    // The default of `replicas` is 1.
    let replicas = run_and_print(&mut shell, "kubectl get deploy d -o jsonpath={.spec.replicas}", None);
    assert_eq!(replicas.trim(), "1");
}

/// Shows: VA-350 to VA-354.
#[test]
fn warnings_match_the_server() {
    for (manifest, expected) in [
        (
            "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}], externalIPs: [1.2.3.4], \
             trafficDistribution: PreferClose}}",
            &[
                "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
                "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"",
            ][..],
        ),
        (
            "{apiVersion: v1, kind: Secret, metadata: {name: a}, type: kubernetes.io/tls, stringData: {tls.crt: x, tls.key: x}}",
            &["tls: failed to find any PEM data in certificate input"],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: \
             {nodeSelectorTerms: [{matchExpressions: [{key: beta.kubernetes.io/os, operator: Exists}]}]}}, podAffinity: \
             {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}, containers: [{name: a, image: i, ports: \
             [{containerPort: 80, name: w}]}, {name: b, image: i, ports: [{containerPort: 80, name: w, hostPort: 80}]}]}}",
            &[
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: \
                 beta.kubernetes.io/os is deprecated since v1.14; use \"kubernetes.io/os\" instead",
                "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in \
                 matching no pod",
                "spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]",
                "spec.containers[1].ports[0]: duplicate port name \"w\" with spec.containers[0].ports[0], services and probes that select \
                 ports by name will use spec.containers[0].ports[0]",
            ],
        ),
        (
            "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a.b}, spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: \
             {restartPolicy: Never, nodeSelector: {beta.kubernetes.io/arch: x}, containers: [{name: c, image: i}]}}}}}}",
            &[
                "metadata.name: this is used in Pod names and hostnames",
                "spec.jobTemplate.spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14",
            ],
        ),
    ] {
        let answer = run_and_print(&mut shell(""), "kubectl create -f -", Some(manifest));
        for warning in expected {
            assert!(answer.contains(&format!("Warning: {warning}")), "{warning}: {answer}");
        }
    }
}
