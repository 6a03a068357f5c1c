//! Tests of kubectl on a running cluster: watches, dry runs, resource usage, and kubectl's messages for valid and
//! invalid input (K-02, KC-050 to KC-063, KC-079 to KC-119).

use podscope_cluster::SimTime;
use podscope_kubectl::command::{Command, parse, parse_unresolved};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

mod accounts;
mod answers;
mod custom;
mod manifests_and_pipes;
mod random_commands;

/// A session, and the number of output lines that have already been returned.
struct Shell {
    session: Session,
    seen: usize,
}

impl Shell {
    fn with_manifests(manifests: &str) -> Shell {
        let loaded = scenario::load(&[("objects.yaml".to_owned(), manifests.to_owned())]).expect("readable");
        Shell {
            session: Session::new(loaded).expect("admitted"),
            seen: 0,
        }
    }

    fn advance_to(&mut self, seconds: i64) {
        while self.session.advance(SimTime::from_seconds(seconds), 10_000) == Slice::More {}
    }

    /// Returns the output lines since the last call. Lines of stderr begin with `!`.
    fn new_output(&mut self) -> Vec<String> {
        let lines = self.session.outputs();
        let new = lines[self.seen..]
            .iter()
            .map(|line| format!("{}{}", if line.kind.is_stderr() { "!" } else { "" }, line.text))
            .collect();
        self.seen = lines.len();
        new
    }

    /// Runs a command and returns its output: that of a command that only reads, or that of the following half second.
    /// Lines of stderr begin with `!`.
    fn run(&mut self, line: &str) -> Vec<String> {
        let parsed = parse_unresolved(line);
        let known = parsed.and_then(|command| self.session.resolve_custom_kinds(&command).map(|_| command.clone()));
        let command = match known {
            Ok(command) => command,
            Err(error) => return error.message.lines().map(|line| format!("!{line}")).collect(),
        };
        if let Command::Kubectl { action: kubectl, .. } = &command
            && let Some(printed) = self.session.read(kubectl)
        {
            return printed
                .lines
                .iter()
                .flat_map(|(kind, text)| {
                    let mark = if kind.is_stderr() { "!" } else { "" };
                    text.split('\n').map(move |line| format!("{mark}{line}"))
                })
                .collect();
        }
        self.session.command(command).expect("there is room");
        let until = SimTime(self.session.now().0 + 500_000);
        while self.session.advance(until, 10_000) == Slice::More {}
        self.new_output()
    }
}

const CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: shell}
spec:
  seed: 5
  cluster: {zones: [a, b], nodesPerZone: 1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {behavior.podscope.dev/c: "memory=100Mi..300Mi@40s, cpu=250m"}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 100m, memory: 64Mi}}}]}
"#;

// `kubectl get -w` prints the list, then one row per event. A deletion also prints a row.
// Shows: K-02, KC-006, KC-057
#[test]
fn get_watch_prints_a_row_for_each_event() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    assert_eq!(
        shell.run("kubectl get pod bare -w"),
        ["!Error from server (NotFound): pods \"bare\" not found"]
    );
    let empty = shell.run("kubectl get pods -n kube-system -w");
    assert_eq!(empty, Vec::<String>::new(), "nothing is printed before the first row");
    let first = shell.run("kubectl get pods -l run=bare --watch");
    assert_eq!(first, Vec::<String>::new());
    shell.run("kubectl run bare --image=y");
    shell.advance_to(13);
    shell.run("kubectl delete pod bare --now --wait=false");
    shell.advance_to(20);
    let mut lines = shell.new_output();
    lines.retain(|line| !line.starts_with("pod"));
    let mut shell2 = Shell::with_manifests(CLUSTER);
    shell2.advance_to(10);
    shell2.run("kubectl get pods -l run=bare --watch --output-watch-events");
    shell2
        .session
        .command(parse("kubectl run bare --image=y").expect("a command"))
        .expect("room");
    shell2.advance_to(13);
    shell2
        .session
        .command(parse("kubectl delete pod bare --now --wait=false").expect("a command"))
        .expect("room");
    shell2.advance_to(20);
    let all = shell2.new_output();
    let rows: Vec<&String> = all.iter().filter(|line| !line.starts_with("pod")).collect();
    assert_eq!(rows[0], "EVENT      NAME   READY   STATUS    RESTARTS   AGE");
    assert_eq!(rows[1], "ADDED      bare   0/1     Pending   0          0s");
    assert!(
        rows.iter()
            .any(|row| row.starts_with("MODIFIED   bare   0/1     ContainerCreating   0 ")),
        "{rows:#?}"
    );
    assert!(
        rows.iter()
            .any(|row| row.starts_with("MODIFIED   bare   1/1     Running             0 ")),
        "{rows:#?}"
    );
    assert!(
        rows.iter()
            .any(|row| row.starts_with("MODIFIED   bare   1/1     Terminating         0 ")),
        "{rows:#?}"
    );
    assert!(
        rows.last()
            .is_some_and(|row| row.starts_with("DELETED    bare   0/1     ")),
        "{rows:#?}"
    );
    assert_eq!(
        rows.iter().filter(|row| row.starts_with("EVENT")).count(),
        1,
        "{rows:#?}"
    );
}

// `kubectl get -w` can also print names, whole objects and custom columns.
// Shows: K-02, KC-057
#[test]
fn get_watch_supports_other_output_formats() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    for (line, want) in [
        ("kubectl get deploy web -w -o name", "deployment.apps/web"),
        (
            "kubectl get deploy -w -o custom-columns=N:.metadata.name,R:.spec.replicas",
            "web   2",
        ),
        ("kubectl get deploy web --watch-only -o jsonpath={.spec.replicas}", "2"),
        ("kubectl get deploy web -w -o yaml", "---"),
    ] {
        let mut shell = Shell {
            session: shell.session.clone(),
            seen: shell.seen,
        };
        let before = shell.run(line);
        assert_eq!(before.is_empty(), line.contains("--watch-only"), "{line}: {before:?}");
        let after = shell.run("kubectl scale deploy/web --replicas=2");
        assert!(after.iter().any(|line| line == want), "{line}: {after:?}");
    }
    for (line, want) in [
        (
            "kubectl get pods,nodes -w",
            "!error: watch is only supported on individual resources and resource collections - more than 1 resource was found",
        ),
        (
            "kubectl get pods -w -o jsonpath={.a",
            "!error: error parsing jsonpath {.a, unclosed action",
        ),
        (
            "kubectl get pods -w --field-selector foo=bar",
            "!Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label selector \"\", field selector \"foo=bar\": field label not supported: foo",
        ),
    ] {
        assert_eq!(shell.run(line), [want], "{line}");
    }
    let sorted = shell.run("kubectl get pods -w --sort-by=.metadata.name");
    assert_eq!(
        sorted[0],
        "!warning: --watch requested, --sort-by will be ignored for watch events received"
    );
}

// With `--dry-run=server`, the API server validates objects but does not store them.
// Shows: P-04, K-02, KC-080
#[test]
fn dry_run_validates_and_stores_nothing() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    let objects = |shell: &mut Shell| shell.run("kubectl get deploy,rs,pods,cm,nodes -o yaml");
    let before = objects(&mut shell);
    for (line, want) in [
        (
            "kubectl create deployment new --image=x --dry-run=server",
            "deployment.apps/new created (server dry run)",
        ),
        (
            "kubectl create deployment web --image=x --dry-run=server",
            "!error: failed to create deployment: deployments.apps \"web\" already exists",
        ),
        (
            "kubectl apply --dry-run=server -f - <<'EOF'\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nEOF",
            "configmap/c created (server dry run)",
        ),
        (
            "kubectl apply --dry-run=client -f - <<'EOF'\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nEOF",
            "configmap/c created (dry run)",
        ),
        (
            "kubectl scale deploy/web --replicas=7 --dry-run=server",
            "deployment.apps/web scaled (server dry run)",
        ),
        (
            "kubectl scale deploy/web --replicas=7 --dry-run=client",
            "deployment.apps/web scaled (dry run)",
        ),
        (
            "kubectl set image deploy/web c=z --dry-run=server",
            "deployment.apps/web image updated (server dry run)",
        ),
        (
            "kubectl label deploy/web tier=front --dry-run=server",
            "deployment.apps/web labeled (server dry run)",
        ),
        (
            "kubectl annotate deploy/web note=x --dry-run=client",
            "deployment.apps/web annotated (dry run)",
        ),
        (
            "kubectl patch deploy/web -p '{\"spec\":{\"replicas\":3}}' --dry-run=server",
            "deployment.apps/web patched (server dry run)",
        ),
        (
            "kubectl patch deploy/web -p '{\"spec\":{\"replicas\":1}}' --dry-run=server",
            "deployment.apps/web patched (no change) (server dry run)",
        ),
        (
            "kubectl taint node a-1 k=v:NoSchedule --dry-run=server",
            "node/a-1 tainted",
        ),
        (
            "kubectl cordon a-1 --dry-run=server",
            "node/a-1 cordoned (server dry run)",
        ),
        (
            "kubectl uncordon a-1 --dry-run=client",
            "node/a-1 already uncordoned (dry run)",
        ),
        (
            "kubectl delete deploy web --dry-run=server",
            "deployment.apps \"web\" deleted from default namespace (server dry run)",
        ),
        (
            "kubectl delete deploy web --dry-run=client",
            "deployment.apps \"web\" deleted from default namespace (dry run)",
        ),
        (
            "kubectl delete deploy web --dry-run=never",
            "!error: Invalid dry-run value (never). Must be \"none\", \"server\", or \"client\".",
        ),
    ] {
        assert_eq!(shell.run(line), [want], "{line}");
    }
    // A refused request is refused for the same reason without `--dry-run` (P-04).
    let refused = shell.run("kubectl scale deploy/nope --replicas=1 --dry-run=server");
    assert_eq!(
        refused,
        ["!Error from server (NotFound): deployments.apps \"nope\" not found"]
    );
    let pod = shell.run("kubectl get pods -o name").remove(0).replace("pod/", "");
    let node = shell
        .run("kubectl get pods -o jsonpath={.items[0].spec.nodeName}")
        .remove(0);
    for (mode, tail) in [("client", "(dry run)"), ("server", "(server dry run)")] {
        assert_eq!(
            shell.run(&format!("kubectl drain {node} --dry-run={mode}")),
            [
                format!("node/{node} cordoned {tail}"),
                format!("evicting pod default/{pod} {tail}"),
                format!("node/{node} drained {tail}"),
            ],
        );
    }
    shell.advance_to(60);
    assert_eq!(objects(&mut shell), before, "no object has changed");
}

// `kubectl top` shows the usage of the container's scripted behavior, here growing memory.
// Shows: K-02, KC-112
#[test]
fn top_shows_scripted_usage() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(3);
    let usage_of_pod = |shell: &mut Shell| {
        let lines = shell.run("kubectl top pod --no-headers");
        let words: Vec<String> = lines[0].split_whitespace().map(str::to_owned).collect();
        (
            words[1].clone(),
            words[2].trim_end_matches("Mi").parse::<i64>().expect("mebibytes"),
        )
    };
    let (cpu, early) = usage_of_pod(&mut shell);
    assert_eq!(cpu, "250m");
    assert!((100..140).contains(&early), "{early}");
    shell.advance_to(22);
    let (_, middle) = usage_of_pod(&mut shell);
    assert!((190..220).contains(&middle), "{middle}");
    shell.advance_to(60);
    assert_eq!(usage_of_pod(&mut shell), ("250m".to_owned(), 300));
    let node = shell
        .run("kubectl get pods -o jsonpath={.items[0].spec.nodeName}")
        .remove(0);
    let top = shell.run(&format!("kubectl top node {node}"));
    assert_eq!(top[0], "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   ");
    assert_eq!(
        top[1],
        format!("{node}    250m         6%       300Mi           3%          ")
    );
}

/// Each request from a client costs the CPU time that the container's behavior annotation gives (here 10 ms), which
/// `kubectl top` shows. The log of the container that answered reports the requests that it answered with an error.
/// Shows: K-02, KC-112
#[test]
fn top_and_logs_show_effect_of_requests() {
    let mut shell = Shell::with_manifests(
        "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: web}, annotations: \
         {behavior.podscope.dev/main: \"cpu=20m+10ms/request, errors=50%@30s..40s\"}}, spec: {containers: [{name: log, \
         image: x}, {name: main, image: x, ports: [{containerPort: 80}]}]}}\n",
    );
    shell.advance_to(10);
    assert_eq!(
        shell.run("kubectl top pod web --containers --no-headers")[1]
            .split_whitespace()
            .nth(2),
        Some("20m")
    );
    shell.run("app traffic start web --rate 40/s --from node/a-1");
    shell.advance_to(20);
    assert_eq!(
        shell.run("kubectl top pod web --containers --no-headers")[1]
            .split_whitespace()
            .nth(2),
        Some("420m")
    );
    shell.advance_to(60);
    let log = shell.run("kubectl logs web -c main");
    assert_eq!(
        log,
        [
            "process started",
            "answered 200 requests from a-1 to default/web with an error"
        ]
    );
    assert_eq!(shell.run("kubectl logs web -c log"), ["process started"]);
    shell.run("app traffic stop web");
    shell.advance_to(62);
    assert_eq!(
        shell.run("kubectl top pod web --containers --no-headers")[1]
            .split_whitespace()
            .nth(2),
        Some("20m")
    );
}

/// The scheduler writes Events in the format of `events.k8s.io`: with `eventTime` and `action`, and with a `series` for
/// repetitions.
/// Shows: K-02, SCH-128, KC-046, KC-073
#[test]
fn scheduler_events_use_new_events_api() {
    let mut shell = Shell::with_manifests(
        "{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {containers: [{name: c, image: x, resources: \
         {requests: {cpu: 100}}}]}}",
    );
    shell.advance_to(5);
    let output = shell.run("kubectl get events -o yaml").join("\n");
    for line in [
        "- action: Scheduling\n",
        "  eventTime: \"2026-01-01T00:00:00.",
        "  firstTimestamp: null\n",
        "  lastTimestamp: null\n",
        "  reportingComponent: default-scheduler\n",
        "  reportingInstance: default-scheduler-control-plane\n",
        "  source: {}\n",
    ] {
        assert!(output.contains(line), "{line}{output}");
    }
    assert!(
        !output.contains("  count:") && !output.contains("  series:"),
        "{output}"
    );
    // The first failure changed the pod's condition and thus its resourceVersion, so the next Event is a new one. Every
    // five minutes, the scheduler writes the Event again as part of a series.
    shell.advance_to(700);
    let output = shell.run("kubectl get events -o yaml").join("\n");
    assert!(
        output.contains("  series:\n    count: 2\n    lastObservedTime: \"2026-01-01T00:11:"),
        "{output}"
    );
    let output = shell.run("kubectl describe pod big").join("\n");
    assert!(output.contains(" (x2 over "), "{output}");
}

/// An Event about a scheduled pod contains the name of the scheduler profile.
/// Shows: K-02, SCH-128
#[test]
fn scheduler_events_contain_profile_name() {
    let mut shell = Shell::with_manifests(
        "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: profiles}
spec:
  cluster: {zones: [a], nodesPerZone: 1}
  components:
    kubeScheduler:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
      profiles: [{schedulerName: default-scheduler}, {schedulerName: batch}]
---
{apiVersion: v1, kind: Pod, metadata: {name: job}, spec: {schedulerName: batch, containers: [{name: c, image: x}]}}",
    );
    shell.advance_to(5);
    let output = shell.run("kubectl get events -o yaml").join("\n");
    assert!(output.contains("  reportingComponent: batch\n"), "{output}");
    assert!(!output.contains("default-scheduler"), "{output}");
}

/// Flags that change the output: `--show-kind`, `-o` on commands that write, and `events --watch`.
/// Shows: KC-108, KC-122
#[test]
fn output_options_apply_to_tables_changes_and_events() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    let rows = shell.run("kubectl get deploy --show-kind --no-headers");
    assert!(rows[0].starts_with("deployment.apps/web "), "{rows:?}");
    assert_eq!(
        shell.run("kubectl get -k x"),
        ["!error: kustomizations are files, and there are none here: use -f -"]
    );
    let web = "<<'EOF'\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nEOF";
    assert_eq!(
        shell.run(&format!("kubectl rollout restart -f - -o name {web}")),
        ["deployment.apps/web"]
    );
    assert_eq!(
        shell.run("kubectl rollout pause deploy/web -o jsonpath={.spec.paused}"),
        ["true"]
    );
    let map = "<<'EOF'\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\nEOF";
    let managed = |flag: &str, shell: &mut Shell| {
        let written = shell.run(&format!("kubectl apply --server-side -f - -o yaml {flag} {map}"));
        written.iter().any(|line| line == "  managedFields:")
    };
    assert!(managed("--show-managed-fields", &mut shell));
    assert!(!managed("", &mut shell));
    let listed = shell.run("kubectl events --watch --types=Warning --for=pod/none");
    assert_eq!(listed, [""; 0]);
    let mut seen = shell.run("kubectl run none --image=x --overrides='{\"spec\":{\"nodeSelector\":{\"a\":\"b\"}}}'");
    shell.advance_to(20);
    seen.extend(shell.new_output());
    let seen = seen.join("\n");
    assert!(seen.contains("Warning   FailedScheduling   Pod/none"), "{seen}");
    assert!(seen.contains("LAST SEEN"), "{seen}");
}

/// Shows: K-02. The resourceVersion in the watch event of a deletion is greater than all earlier ones.
#[test]
fn watch_reports_deletion_with_new_resource_version() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    shell.run("kubectl get pods -l run=bare -w -o custom-columns=V:.metadata.resourceVersion --no-headers");
    let mut lines = shell.run("kubectl run bare --image=y");
    shell.advance_to(13);
    lines.extend(shell.run("kubectl delete pod bare --now --wait=false"));
    shell.advance_to(20);
    lines.extend(shell.new_output());
    let versions: Vec<u64> = lines.iter().filter_map(|line| line.trim().parse().ok()).collect();
    let is_newer = versions.windows(2).all(|two| two[0] < two[1]);
    assert!(versions.len() > 4 && is_newer, "{lines:?}");
}
