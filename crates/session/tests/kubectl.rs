//! K-02 on a running cluster: watches, dry runs, usage, and kubectl's own
//! words for good and bad input (KC-050 to KC-063, KC-079 to KC-119).

use podscope_cluster::SimTime;
use podscope_kubectl::command::{Command, parse};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// A session, and how much of its output was looked at.
struct Shell {
    session: Session,
    seen: usize,
}

impl Shell {
    fn on(manifests: &str) -> Shell {
        let loaded = scenario::load(&[("objects.yaml".to_owned(), manifests.to_owned())]).expect("readable");
        Shell {
            session: Session::new(loaded).expect("admitted"),
            seen: 0,
        }
    }
    fn to(&mut self, seconds: i64) {
        while self.session.advance(SimTime::from_seconds(seconds), 10_000) == Slice::More {}
    }
    /// Lines since the last look: those of stderr begin with `!`.
    fn printed(&mut self) -> Vec<String> {
        let lines = self.session.outputs();
        let new = lines[self.seen..]
            .iter()
            .map(|line| format!("{}{}", if line.is_error { "!" } else { "" }, line.text))
            .collect();
        self.seen = lines.len();
        new
    }
    /// What a command prints at once, or within half a second.
    fn run(&mut self, line: &str) -> Vec<String> {
        let command = match parse(line) {
            Ok(command) => command,
            Err(error) => return error.message.lines().map(|line| format!("!{line}")).collect(),
        };
        if let Command::Kubectl(kubectl) = &command
            && let Some(printed) = self.session.read(kubectl)
        {
            return printed
                .lines
                .iter()
                .flat_map(|(is_error, text)| {
                    let mark = if *is_error { "!" } else { "" };
                    text.split('\n').map(move |line| format!("{mark}{line}"))
                })
                .collect();
        }
        self.session.command(command).expect("there is room");
        let until = SimTime(self.session.now().0 + 500_000);
        while self.session.advance(until, 10_000) == Slice::More {}
        self.printed()
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

// K-02, KC-006, KC-057: the list, then a row an event; old rows stay as they are, a deletion is one more row.
#[test]
fn get_watch_prints_a_row_for_each_event() {
    let mut shell = Shell::on(CLUSTER);
    shell.to(10);
    assert_eq!(
        shell.run("kubectl get pod bare -w"),
        ["!Error from server (NotFound): pods \"bare\" not found"]
    );
    let empty = shell.run("kubectl get pods -n kube-system -w");
    assert_eq!(
        empty,
        Vec::<String>::new(),
        "no header before the first row, and no word about it"
    );
    let first = shell.run("kubectl get pods -l run=bare --watch");
    assert_eq!(first, Vec::<String>::new());
    shell.run("kubectl run bare --image=y");
    shell.to(13);
    shell.run("kubectl delete pod bare --now --wait=false");
    shell.to(20);
    let mut lines = shell.printed();
    lines.retain(|line| !line.starts_with("pod"));
    let mut shell2 = Shell::on(CLUSTER);
    shell2.to(10);
    shell2.run("kubectl get pods -l run=bare --watch --output-watch-events");
    shell2
        .session
        .command(parse("kubectl run bare --image=y").expect("a command"))
        .expect("room");
    shell2.to(13);
    shell2
        .session
        .command(parse("kubectl delete pod bare --now --wait=false").expect("a command"))
        .expect("room");
    shell2.to(20);
    let all = shell2.printed();
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

// KC-057: names, whole objects and columns are watched too. K-02.
#[test]
fn get_watch_in_other_formats() {
    let mut shell = Shell::on(CLUSTER);
    shell.to(10);
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

// K-02, KC-080: the server admits and refuses, and stores nothing.
#[test]
fn server_dry_run_asks_and_stores_nothing() {
    let mut shell = Shell::on(CLUSTER);
    shell.to(10);
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
    // A refusal names the field, as without a dry run (P-04).
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
    shell.to(60);
    assert_eq!(objects(&mut shell), before, "nothing of this happened");
}

// K-02, KC-112: use is what the behaviour scripts, growing as it says.
#[test]
fn top_shows_scripted_use() {
    let mut shell = Shell::on(CLUSTER);
    shell.to(3);
    let used = |shell: &mut Shell| {
        let lines = shell.run("kubectl top pod --no-headers");
        let words: Vec<String> = lines[0].split_whitespace().map(str::to_owned).collect();
        (
            words[1].clone(),
            words[2].trim_end_matches("Mi").parse::<i64>().expect("mebibytes"),
        )
    };
    let (cpu, early) = used(&mut shell);
    assert_eq!(cpu, "250m");
    assert!((100..140).contains(&early), "{early}");
    shell.to(22);
    let (_, middle) = used(&mut shell);
    assert!((190..220).contains(&middle), "{middle}");
    shell.to(60);
    assert_eq!(used(&mut shell), ("250m".to_owned(), 300));
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

// K-02, K-03: good and bad input of every verb, in kubectl's words.
#[test]
fn answers_and_errors_in_kubectls_words() {
    let mut shell = Shell::on(CLUSTER);
    shell.to(10);
    let mut differing = Vec::new();
    for (line, want) in [
        (
            "kubectl get pods -n kube-system",
            vec!["!No resources found in kube-system namespace."],
        ),
        ("kubectl get pdb -A", vec!["!No resources found"]),
        ("kubectl get pdb --ignore-not-found", vec![]),
        (
            "kubectl get deploy nope web -o name",
            vec![
                "deployment.apps/web",
                "!Error from server (NotFound): deployments.apps \"nope\" not found",
            ],
        ),
        (
            "kubectl get deploy web --no-headers -o custom-columns=:metadata.name",
            vec!["web"],
        ),
        (
            "kubectl get pods -o foo",
            vec![
                "!error: unable to match a printer suitable for the output format \"foo\", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml",
            ],
        ),
        (
            "kubectl get deploy -l 'app in (web'",
            vec![
                r#"!Error from server (BadRequest): Unable to find "apps/v1, Resource=deployments" that match label selector "app in (web", field selector "": unable to parse requirement: found '', expected: ',' or ')'"#,
            ],
        ),
        (
            "kubectl get deployments.apps,po --bogus",
            vec!["!error: unknown flag: --bogus", "!See 'kubectl get --help' for usage."],
        ),
        (
            "kubectl get widgets",
            vec!["!error: the server doesn't have a resource type \"widgets\""],
        ),
        ("kubectl create namespace team", vec!["namespace/team created"]),
        (
            "kubectl create namespace team",
            vec!["!Error from server (AlreadyExists): namespaces \"team\" already exists"],
        ),
        (
            "kubectl create deployment web --image=x",
            vec!["!error: failed to create deployment: deployments.apps \"web\" already exists"],
        ),
        (
            "kubectl create deployment x",
            vec!["!error: required flag(s) \"image\" not set"],
        ),
        (
            "kubectl apply -f - <<'EOF'\nkind: Foo\napiVersion: v1\nmetadata: {name: x}\nEOF",
            vec![
                "!error: resource mapping not found for name: \"x\" namespace: \"\" from \"STDIN\": no matches for kind \"Foo\" in version \"v1\"",
                "!ensure CRDs are installed first",
            ],
        ),
        (
            "kubectl scale deploy/web --replicas=1 --current-replicas=2",
            vec!["!error: Expected replicas to be 2, was 1"],
        ),
        (
            "kubectl label deploy web app=other",
            vec!["!error: 'app' already has a value (web), and --overwrite is false"],
        ),
        (
            "kubectl label deploy web app=web",
            vec!["deployment.apps/web not labeled"],
        ),
        (
            "kubectl label deploy web missing-",
            vec!["label \"missing\" not found.", "deployment.apps/web not labeled"],
        ),
        (
            "kubectl label deploy web tier=front",
            vec!["deployment.apps/web labeled"],
        ),
        ("kubectl label deploy web tier-", vec!["deployment.apps/web unlabeled"]),
        (
            "kubectl annotate deploy web note=1",
            vec!["deployment.apps/web annotated"],
        ),
        (
            "kubectl annotate deploy web note=2",
            vec![
                "!error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (1)",
            ],
        ),
        (
            "kubectl patch deploy web -p '{\"spec\":{\"replicas\":1}}'",
            vec!["deployment.apps/web patched (no change)"],
        ),
        (
            "kubectl patch deploy nope -p '{}'",
            vec!["!Error from server (NotFound): deployments.apps \"nope\" not found"],
        ),
        ("kubectl cordon a-1", vec!["node/a-1 cordoned"]),
        ("kubectl cordon a-1", vec!["node/a-1 already cordoned"]),
        ("kubectl uncordon a-1", vec!["node/a-1 uncordoned"]),
        (
            "kubectl cordon nowhere",
            vec!["!Error from server (NotFound): nodes \"nowhere\" not found"],
        ),
        ("kubectl taint node a-1 k=v:NoSchedule", vec!["node/a-1 tainted"]),
        (
            "kubectl taint node a-1 k=w:NoSchedule",
            vec!["!error: node a-1 already has k taint(s) with same effect(s) and --overwrite is false"],
        ),
        (
            "kubectl taint node a-1 k=w:NoSchedule --overwrite",
            vec!["node/a-1 modified"],
        ),
        ("kubectl taint node a-1 k-", vec!["node/a-1 untainted"]),
        (
            "kubectl taint node a-1 k:NoSchedule-",
            vec!["!error: taint \"k:NoSchedule\" not found"],
        ),
        (
            "kubectl rollout status deploy/web",
            vec!["deployment \"web\" successfully rolled out"],
        ),
        (
            "kubectl rollout status pod/x",
            vec!["!Error from server (NotFound): pods \"x\" not found"],
        ),
        (
            "kubectl rollout undo deploy/web",
            vec!["!error: no rollout history found for deployment \"web\""],
        ),
        (
            "kubectl rollout undo deploy/web --to-revision=9",
            vec!["!error: unable to find specified revision 9 in history"],
        ),
        ("kubectl rollout pause deploy/web", vec!["deployment.apps/web paused"]),
        (
            "kubectl rollout pause deploy/web",
            vec!["!error: deployments.apps \"web\" is already paused"],
        ),
        (
            "kubectl rollout restart deploy/web",
            vec!["!error: deployments.apps \"web\" can't restart paused deployment (run rollout resume first)"],
        ),
        ("kubectl rollout resume deploy/web", vec!["deployment.apps/web resumed"]),
        ("kubectl delete pods --all -n team", vec!["No resources found"]),
        (
            "kubectl delete deploy nope",
            vec!["!Error from server (NotFound): deployments.apps \"nope\" not found"],
        ),
        ("kubectl delete cm nope --ignore-not-found", vec![]),
        (
            "kubectl delete ns team -n web --wait=false",
            vec![
                "!Warning: deleting cluster-scoped resources, not scoped to the provided namespace",
                "namespace \"team\" deleted",
            ],
        ),
        (
            "kubectl get pods web-0 web-1 --sort-by=.metadata.name",
            vec!["!error: couldn't find any field with path \"{.metadata.name}\" in the list of objects"],
        ),
        // KC-114: the fields that are read, with their types.
        (
            "kubectl explain pc",
            vec![
                "GROUP:      scheduling.k8s.io",
                "KIND:       PriorityClass",
                "VERSION:    v1",
                "",
                "DESCRIPTION:",
                "    PriorityClass maps a name to the integer priority of pods; the higher the",
                "    value, the higher the priority.",
                "",
                "    All fields are listed; described are those that decide where a pod runs and",
                "    when it is gone.",
                "",
                "FIELDS:",
                "  apiVersion\t<string>",
                "    Version of the API that the object is written in.",
                "",
                "  description\t<string>",
                "",
                "  globalDefault\t<boolean>",
                "    Whether pods without a class get this one. Only one class may say so.",
                "",
                "  kind\t<string>",
                "    What kind of object it is.",
                "",
                "  metadata\t<ObjectMeta>",
                "    Name, namespace, labels, annotations, owners, and what the API server adds.",
                "",
                "  preemptionPolicy\t<string>",
                "    PreemptLowerPriority, or Never.",
                "",
                "  value\t<integer> -required-",
                "    The priority; at most 1000000000 for users' classes.",
                "",
            ],
        ),
        (
            "kubectl explain deploy.spec.template.spec.terminationGracePeriodSeconds",
            vec![
                "GROUP:      apps",
                "KIND:       Deployment",
                "VERSION:    v1",
                "",
                "FIELD: terminationGracePeriodSeconds <integer>",
                "",
                "",
                "DESCRIPTION:",
                "    Seconds from the deletion request to SIGKILL; the preStop hook counts.",
                "    Default 30.",
                "",
            ],
        ),
        (
            "kubectl explain pods.spec.nope",
            vec![
                "KIND:       Pod",
                "VERSION:    v1",
                "",
                "!error: field \"nope\" does not exist",
            ],
        ),
        (
            "kubectl logs nobody",
            vec!["!error: error from server (NotFound): pods \"nobody\" not found in namespace \"default\""],
        ),
        (
            "kubectl events -n kube-public",
            vec!["!No events found in kube-public namespace."],
        ),
        (
            "kubectl top pod -n kube-public",
            vec!["!No resources found in kube-public namespace."],
        ),
    ] {
        let answer = shell.run(line);
        if answer != want {
            differing.push(format!("{line}\n  gave   {answer:?}\n  wanted {want:?}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// SCH-128, KC-046, KC-073: the scheduler writes events of `events.k8s.io`: with a time of their own, an action, and a
/// series where they come again. K-02.
#[test]
fn events_of_the_scheduler() {
    let mut shell = Shell::on(
        "{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {containers: [{name: c, image: x, resources: \
         {requests: {cpu: 100}}}]}}",
    );
    shell.to(5);
    let told = shell.run("kubectl get events -o yaml").join("\n");
    for line in [
        "- action: Scheduling\n",
        "  eventTime: \"2026-01-01T00:00:00.",
        "  firstTimestamp: null\n",
        "  lastTimestamp: null\n",
        "  reportingComponent: default-scheduler\n",
        "  reportingInstance: default-scheduler-control-plane\n",
        "  source: {}\n",
    ] {
        assert!(told.contains(line), "{line}{told}");
    }
    assert!(!told.contains("  count:") && !told.contains("  series:"), "{told}");
    // The first failure changed the pod, and with its version begins another event; the flush every five minutes
    // fails for the same reason.
    shell.to(700);
    let told = shell.run("kubectl get events -o yaml").join("\n");
    assert!(
        told.contains("  series:\n    count: 2\n    lastObservedTime: \"2026-01-01T00:11:"),
        "{told}"
    );
    let told = shell.run("kubectl describe pod big").join("\n");
    assert!(told.contains(" (x2 over "), "{told}");
}

/// SCH-128: what a profile decides is reported under its name. K-02.
#[test]
fn events_of_another_profile() {
    let mut shell = Shell::on(
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
    shell.to(5);
    let told = shell.run("kubectl get events -o yaml").join("\n");
    assert!(told.contains("  reportingComponent: batch\n"), "{told}");
    assert!(!told.contains("default-scheduler"), "{told}");
}

/// LC-230: what the pod's node could never grant is refused when it is asked for. K-02.
#[test]
fn a_resize_that_the_node_could_never_grant_is_refused() {
    let mut shell = Shell::on(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {nodeName: a-1, containers: [{name: c, image: x, resources: \
         {requests: {cpu: 500m, memory: 1Gi}}}]}\n",
    );
    shell.to(10);
    let patch = |asked: &str| {
        let containers = format!(r#"[{{"name":"c","resources":{{"requests":{{{asked}}}}}}}]"#);
        format!(r#"kubectl patch pod web --subresource=resize -p '{{"spec":{{"containers":{containers}}}}}'"#)
    };
    let refused = |why: &str| {
        vec![format!(
            "!Error from server (Forbidden): pods \"web\" is forbidden: {why}"
        )]
    };
    let too_much = "Node didn't have enough allocatable resources: cpu, requested: 9000, allocatable: 4000";
    assert_eq!(shell.run(&patch(r#""cpu":"9""#)), refused(too_much));
    let memory = "memory, requested: 10737418240, allocatable: 8589934592";
    assert_eq!(
        shell.run(&patch(r#""cpu":"9","memory":"10Gi""#)),
        refused(&format!("{too_much}; {memory}"))
    );
    assert_eq!(shell.run(&patch(r#""cpu":"4""#)), ["pod/web patched"]);
    shell.to(20);
    let told = shell.run("kubectl get pod web -o jsonpath={.status.allocatedResources.cpu}");
    assert_eq!(told, ["4"]);
    shell.run("kubectl label node a-1 kubernetes.io/os=windows --overwrite");
    let linux = "pod resize is only supported on linux nodes, node \"a-1\" is \"windows\"";
    assert_eq!(shell.run(&patch(r#""cpu":"2""#)), refused(linux));
    // The capacity is looked at first, and what changes nothing is not looked at.
    assert_eq!(shell.run(&patch(r#""cpu":"9""#)), refused(too_much));
    assert_eq!(shell.run(&patch(r#""cpu":"4""#)), ["pod/web patched (no change)"]);
}

/// KC-063: all that a v1.36 API server serves by default, also what stores nothing.
#[test]
fn api_resources_are_those_of_the_real_server() {
    let mut shell = Shell::on("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
    let names = shell.run("kubectl api-resources -o name");
    let wanted = [
        "bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims \
         persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
        "mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations \
         validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations \
         .admissionregistration.k8s.io",
        "customresourcedefinitions .apiextensions.k8s.io",
        "apiservices .apiregistration.k8s.io",
        "controllerrevisions daemonsets deployments replicasets statefulsets .apps",
        "selfsubjectreviews tokenreviews .authentication.k8s.io",
        "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews \
         .authorization.k8s.io",
        "horizontalpodautoscalers .autoscaling",
        "cronjobs jobs .batch",
        "certificatesigningrequests .certificates.k8s.io",
        "leases .coordination.k8s.io",
        "endpointslices .discovery.k8s.io",
        "events .events.k8s.io",
        "flowschemas prioritylevelconfigurations .flowcontrol.apiserver.k8s.io",
        "ingressclasses ingresses ipaddresses networkpolicies servicecidrs .networking.k8s.io",
        "runtimeclasses .node.k8s.io",
        "poddisruptionbudgets .policy",
        "clusterrolebindings clusterroles rolebindings roles .rbac.authorization.k8s.io",
        "deviceclasses resourceclaims resourceclaimtemplates resourceslices .resource.k8s.io",
        "priorityclasses .scheduling.k8s.io",
        "csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses \
         .storage.k8s.io",
    ];
    let wanted = wanted.iter().flat_map(|line| {
        let (names, group) = line
            .split_once(" .")
            .map_or((*line, String::new()), |(names, group)| (names, format!(".{group}")));
        names.split_whitespace().map(move |name| format!("{name}{group}"))
    });
    assert_eq!(names, wanted.collect::<Vec<_>>());
    let wide = shell.run("kubectl api-resources -o wide --no-headers");
    let row = |name: &str| {
        let row = wide
            .iter()
            .find(|row| row.starts_with(&format!("{name} ")))
            .expect("a row");
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for wanted in [
        "bindings v1 true Binding create",
        "componentstatuses cs v1 false ComponentStatus get,list",
        "namespaces ns v1 false Namespace create,delete,get,list,patch,update,watch",
        "pods po v1 true Pod create,delete,deletecollection,get,list,patch,update,watch all",
        "mutatingadmissionpolicies admissionregistration.k8s.io/v1 false MutatingAdmissionPolicy \
         create,delete,deletecollection,get,list,patch,update,watch api-extensions",
        "customresourcedefinitions crd,crds apiextensions.k8s.io/v1 false CustomResourceDefinition \
         create,delete,deletecollection,get,list,patch,update,watch api-extensions",
        "localsubjectaccessreviews authorization.k8s.io/v1 true LocalSubjectAccessReview create",
    ] {
        assert_eq!(row(wanted.split(' ').next().expect("a name")), wanted);
    }
    let versions = shell.run("kubectl api-versions");
    for version in [
        "apiextensions.k8s.io/v1",
        "autoscaling/v1",
        "autoscaling/v2",
        "events.k8s.io/v1",
    ] {
        assert!(
            versions.iter().any(|known| known == version),
            "{version} in {versions:?}"
        );
    }
    assert_eq!(versions.last().map(String::as_str), Some("v1"));
}

/// KC-108, KC-122: what tables and changes print where it is asked for, and events as they come.
#[test]
fn kinds_before_names_objects_after_changes_and_events_as_they_come() {
    let mut shell = Shell::on(CLUSTER);
    shell.to(10);
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
    shell.to(20);
    seen.extend(shell.printed());
    let seen = seen.join("\n");
    assert!(seen.contains("Warning   FailedScheduling   Pod/none"), "{seen}");
    assert!(seen.contains("LAST SEEN"), "{seen}");
}

/// KC-123: what `--save-config` writes down, and that `apply` then finds it.
#[test]
fn what_is_created_says_what_it_was_made_of_when_asked_to() {
    let mut shell = Shell::on(CLUSTER);
    let saved = |lines: &[String]| {
        let at = lines
            .iter()
            .position(|line| line == "    kubectl.kubernetes.io/last-applied-configuration: |");
        lines[at.expect("the annotation") + 1].trim_start().to_owned()
    };
    let printed = shell.run("kubectl create deploy d --image=x --port=80 --save-config --dry-run=client -o yaml");
    assert_eq!(
        saved(&printed),
        "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"d\",\"labels\":{\"app\":\"d\"}},\"spec\":{\
         \"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"d\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"d\"}},\
         \"spec\":{\"containers\":[{\"name\":\"x\",\"image\":\"x\",\"ports\":[{\"containerPort\":80}],\"resources\":{}}]}},\
         \"strategy\":{}},\"status\":{}}"
    );
    shell.run("kubectl create rolebinding b --clusterrole=r --user=u --save-config");
    assert_eq!(
        saved(&shell.run("kubectl get rolebinding b -o yaml")),
        "{\"kind\":\"RoleBinding\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"metadata\":{\"name\":\"b\"},\"subjects\":[{\
         \"kind\":\"User\",\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":\"u\"}],\"roleRef\":{\"apiGroup\":\
         \"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"r\"}}"
    );
    let map = "<<'EOF'\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: m}\ndata: {a: '<b>'}\nEOF";
    shell.run(&format!("kubectl create --save-config -f - {map}"));
    let wanted = "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"\\u003cb\\u003e\"},\"kind\":\"ConfigMap\",\"metadata\":{\
                  \"annotations\":{},\"name\":\"m\",\"namespace\":\"default\"}}";
    assert_eq!(saved(&shell.run("kubectl get cm m -o yaml")), wanted);
    assert_eq!(
        shell.run(&format!("kubectl apply -f - {map}")),
        ["configmap/m unchanged"]
    );
}
