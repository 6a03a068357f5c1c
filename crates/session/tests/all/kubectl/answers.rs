//! Output of commands that need no simulated time, and messages about refused requests.

use super::*;

// For valid and invalid input of every verb, the console prints kubectl's messages.
// Shows: K-02, K-03, KC-114
#[test]
fn answers_and_errors_equal_kubectl() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    let mut differing = Vec::new();
    for (line, want) in [
        (
            "kubectl get pods -n kube-system",
            vec!["!No resources found in kube-system namespace."],
        ),
        // A namespaced kind in the list adds the namespace column even if no object of it is found.
        (
            "kubectl get pvc,ns -A -l kubernetes.io/metadata.name=default",
            vec![
                "NAMESPACE   NAME                STATUS   AGE",
                "            namespace/default   Active   10s",
            ],
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
        // kubectl opens an editor only for an object that exists.
        (
            "kubectl edit pod nope",
            vec!["!Error from server (NotFound): pods \"nope\" not found"],
        ),
        (
            "kubectl edit deploy web",
            vec!["!error: the edited object is missing: write it after the command, <<'EOF' … EOF"],
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
            vec![
                "!Error from server (NotFound): pods \"web-0\" not found",
                "!Error from server (NotFound): pods \"web-1\" not found",
            ],
        ),
        (
            "kubectl get ns default kube-system --sort-by=.metadata.name",
            vec!["!error: couldn't find any field with path \"{.metadata.name}\" in the list of objects"],
        ),
        (
            "kubectl get pods,deploy --sort-by=.metadata.name",
            vec!["!error: couldn't find any field with path \"{.metadata.name}\" in the list of objects"],
        ),
        (
            "kubectl get nodes -o name --sort-by=.spec.none",
            vec!["!error: couldn't find any field with path \"{.spec.none}\" in the list of objects"],
        ),
        // The fields of a kind and their types, as `kubectl explain` lists them (KC-114).
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
                "  enum: Never, PreemptLowerPriority",
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

/// Invalid flags are reported before a missing object; the missing port of `expose` is reported after a missing object.
/// Shows: KC-129
#[test]
fn errors_are_reported_in_order_of_kubectl() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    for (line, want) in [
        (
            "kubectl get pods --output-watch-events",
            "!error: --output-watch-events option can only be used with --watch or --watch-only",
        ),
        (
            "kubectl delete pods --cascade=x",
            "!error: invalid cascade value (x). Must be \"background\", \"foreground\", or \"orphan\"",
        ),
        (
            "kubectl delete pods --now --grace-period=5",
            "!error: --now and --grace-period cannot be specified together",
        ),
        (
            "kubectl apply --prune --all -l a=b -f -",
            "!error: cannot set --all and --selector at the same time",
        ),
        (
            "kubectl apply --prune --all --prune-allowlist=v1/ConfigMap -f -",
            "!error: invalid GroupVersionKind format: v1/ConfigMap, please follow <group/version/kind>",
        ),
        (
            "kubectl create clusterrole x --aggregation-rule=a=b --verb=get",
            "!error: aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames",
        ),
        (
            "kubectl create configmap x --from-file=a=b=c",
            "!error: key names or file paths cannot contain '='",
        ),
        (
            "kubectl create service clusterip x --tcp=80:x:y --dry-run=client -o jsonpath={.spec.ports[0].targetPort}",
            "x",
        ),
        (
            "kubectl rollout status deploy/nope --revision=-1",
            "!error: revision must be a positive integer: -1",
        ),
        (
            "kubectl top pod x -l a=b",
            "!error: only one of NAME or selector can be provided",
        ),
        (
            "kubectl expose deploy nope --port=x",
            "!Error from server (NotFound): deployments.apps \"nope\" not found",
        ),
        (
            "kubectl expose deploy web --port=x",
            "!error: strconv.Atoi: parsing \"x\": invalid syntax",
        ),
        (
            "kubectl patch deploy web -p null",
            "deployment.apps/web patched (no change)",
        ),
        (
            "kubectl patch deploy web --type=json -p null",
            "deployment.apps/web patched (no change)",
        ),
        (
            "kubectl patch deploy web --type=merge -p null",
            "!Error from server (BadRequest): Invalid JSON Patch",
        ),
    ] {
        assert_eq!(shell.run(line), [want], "{line}");
    }
    let config_map = |name: &str| format!("<<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\nEOF");
    let account = "<<EOF\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: gone}\nEOF";
    shell.run(&format!("kubectl apply -f - {}", config_map("kept")));
    shell.run(&format!("kubectl apply -f - {account}"));
    let allowed = "kubectl apply --prune --all --prune-allowlist=core/v1/ServiceAccount -f -";
    assert_eq!(
        shell.run(&format!("{allowed} {}", config_map("now"))),
        ["configmap/now created", "serviceaccount/gone pruned"]
    );
}

/// `kubectl set image` changes the pod template in a CronJob.
/// Shows: KC-103
#[test]
fn set_image_changes_cron_job_template() {
    let mut shell = Shell::with_manifests(CLUSTER);
    shell.advance_to(10);
    shell.run("kubectl create cronjob nightly --image=a:1 --schedule='0 3 * * *'");
    for (line, want) in [
        (
            "kubectl set image cj/nightly nightly=a:2",
            "cronjob.batch/nightly image updated",
        ),
        (
            "kubectl get cj nightly -o jsonpath={.spec.jobTemplate.spec.template.spec.containers[0].image}",
            "a:2",
        ),
        (
            "kubectl set image svc/nope a=b",
            "!Error from server (NotFound): services \"nope\" not found",
        ),
    ] {
        assert_eq!(shell.run(line), [want], "{line}");
    }
}

/// A pod's resize is refused immediately if it exceeds the allocatable resources of the node.
/// Shows: K-02, LC-230
#[test]
fn infeasible_resize_is_refused() {
    let mut shell = Shell::with_manifests(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {nodeName: a-1, containers: [{name: c, image: x, resources: \
         {requests: {cpu: 500m, memory: 1Gi}}}]}\n",
    );
    shell.advance_to(10);
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
    shell.advance_to(20);
    let allocated = shell.run("kubectl get pod web -o jsonpath={.status.allocatedResources.cpu}");
    assert_eq!(allocated, ["4"]);
    shell.run("kubectl label node a-1 kubernetes.io/os=windows --overwrite");
    let linux = "pod resize is only supported on linux nodes, node \"a-1\" is \"windows\"";
    assert_eq!(shell.run(&patch(r#""cpu":"2""#)), refused(linux));
    // The request is compared with the allocatable resources before the operating system is checked. A resize that
    // changes nothing is not checked.
    assert_eq!(shell.run(&patch(r#""cpu":"9""#)), refused(too_much));
    assert_eq!(shell.run(&patch(r#""cpu":"4""#)), ["pod/web patched (no change)"]);
}

/// `kubectl api-resources` lists all resources of a v1.36 API server with default settings, including those whose
/// objects are never stored, such as TokenReviews.
/// Shows: KC-063
#[test]
fn api_resources_equal_real_server() {
    let mut shell = Shell::with_manifests("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
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

/// `--save-config` writes the annotation that `kubectl apply` reads.
/// Shows: KC-123
#[test]
fn save_config_writes_last_applied_annotation() {
    let mut shell = Shell::with_manifests(CLUSTER);
    let annotation = |lines: &[String]| {
        let at = lines
            .iter()
            .position(|line| line == "    kubectl.kubernetes.io/last-applied-configuration: |");
        lines[at.expect("the annotation") + 1].trim_start().to_owned()
    };
    let printed = shell.run("kubectl create deploy d --image=x --port=80 --save-config --dry-run=client -o yaml");
    assert_eq!(
        annotation(&printed),
        "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"d\",\"labels\":{\"app\":\"d\"}},\"spec\":{\
         \"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"d\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"d\"}},\
         \"spec\":{\"containers\":[{\"name\":\"x\",\"image\":\"x\",\"ports\":[{\"containerPort\":80}],\"resources\":{}}]}},\
         \"strategy\":{}},\"status\":{}}"
    );
    shell.run("kubectl create rolebinding b --clusterrole=r --user=u --save-config");
    assert_eq!(
        annotation(&shell.run("kubectl get rolebinding b -o yaml")),
        "{\"kind\":\"RoleBinding\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"metadata\":{\"name\":\"b\"},\"subjects\":[{\
         \"kind\":\"User\",\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":\"u\"}],\"roleRef\":{\"apiGroup\":\
         \"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"r\"}}"
    );
    let map = "<<'EOF'\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: m}\ndata: {a: '<b>'}\nEOF";
    shell.run(&format!("kubectl create --save-config -f - {map}"));
    let wanted = "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"\\u003cb\\u003e\"},\"kind\":\"ConfigMap\",\"metadata\":{\
                  \"annotations\":{},\"name\":\"m\",\"namespace\":\"default\"}}";
    assert_eq!(annotation(&shell.run("kubectl get cm m -o yaml")), wanted);
    assert_eq!(
        shell.run(&format!("kubectl apply -f - {map}")),
        ["configmap/m unchanged"]
    );
}

/// Shows: K-02, VA-341
#[test]
fn csi_driver_columns_are_listed() {
    let mut shell = Shell::with_manifests(
        "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: plain.example}}\n---\n{apiVersion: \
         storage.k8s.io/v1, kind: CSIDriver, metadata: {name: vault.example}, spec: {attachRequired: false, podInfoOnMount: \
         true, tokenRequests: [{audience: a}, {audience: b}], volumeLifecycleModes: [Persistent, Ephemeral]}}",
    );
    let rows = shell.run("kubectl get csidrivers");
    let cells = |row: &String| row.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = rows.iter().map(cells).collect();
    assert_eq!(
        rows,
        [
            "NAME ATTACHREQUIRED PODINFOONMOUNT STORAGECAPACITY TOKENREQUESTS REQUIRESREPUBLISH MODES AGE",
            "plain.example true false false <unset> false Persistent 0s",
            "vault.example false true false a,b false Persistent,Ephemeral 0s",
        ]
    );
}

// `kubectl diff` does not show the annotation of `kubectl apply` as a difference.
// Shows: K-02
#[test]
fn diff_shows_only_changes_of_file() {
    let mut shell = Shell::with_manifests("{apiVersion: v1, kind: Namespace, metadata: {name: team}}");
    let pod = |image: &str| {
        format!(
            "<<EOF\n{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, image: {image}}}]}}}}\nEOF"
        )
    };
    assert_eq!(
        shell.run(&format!("kubectl apply -f - {}", pod("x:1"))),
        ["pod/p created"]
    );
    let output = shell.run(&format!("kubectl diff -f - {}", pod("x:2")));
    let changed = |line: &&String| line.starts_with(['-', '+']) && !line.starts_with("---") && !line.starts_with("+++");
    let changed: Vec<&String> = output.iter().filter(changed).collect();
    assert_eq!(changed, ["-  - image: x:1", "+  - image: x:2"]);
    assert_eq!(
        shell.run(&format!("kubectl diff -f - {}", pod("x:1"))),
        Vec::<String>::new()
    );
}
