//! Tests of the command language: printed commands parse to the same value (K-01), and invalid commands give kubectl's
//! errors (KC-081, KC-085, KC-099, KC-118, KC-119).

use super::*;

/// Shows: K-01
#[test]
fn canonical_text_parses_to_the_same_command() {
    for text in [
        "kubectl get pods",
        "kubectl get po,deploy -A -o wide -L app,zone --show-labels",
        "kubectl get pod/a deploy/b -n web",
        "kubectl get pods -l 'app in (a, b)' --field-selector=status.phase=Running",
        "kubectl get pods -o jsonpath='{.items[*].metadata.name}'",
        "kubectl get pods -o custom-columns=N:.metadata.name,M:.spec.nodeName --sort-by=.metadata.name",
        "kubectl -n web get all",
        "kubectl describe node a-1 --show-events=false",
        "kubectl apply -f - <<EOF\nkind: Pod\n  x: 'EOF'\nEOF",
        "kubectl create deployment web --image=nginx --replicas 3",
        "kubectl create priorityclass high --value=1000 --description 'very high' --global-default",
        "kubectl create namespace web",
        "kubectl create pdb web --selector app=web --min-available=50%",
        "kubectl run web --image=nginx --restart=Never --labels=a=b",
        "kubectl delete pod web-0 --grace-period=0 --force",
        "kubectl delete pods --all --now -n web --wait=false",
        "kubectl delete pod -l app=web --timeout 90s --cascade=orphan",
        "kubectl delete -f - <<EOF\nkind: Pod\nEOF",
        "kubectl scale deploy/web --replicas=5 --current-replicas=3",
        "kubectl rollout status deploy/web --timeout=2m",
        "kubectl rollout undo deploy web --to-revision=2",
        "kubectl rollout restart sts/db",
        "kubectl rollout history deploy/web",
        "kubectl cordon a-1 a-2",
        "kubectl uncordon -l zone=a",
        "kubectl drain a-1 --ignore-daemonsets --delete-emptydir-data --force --timeout=1m30s",
        "kubectl taint nodes a-1 k=v:NoSchedule k2:NoExecute- k3-",
        "kubectl taint node a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
        "kubectl create deployment web --image=nginx -- sleep 5",
        "kubectl scale deploy/web --replicas=5 --dry-run=true",
        "kubectl create token bot -n web",
        "kubectl config use-context podscope",
        "kubectl set subject rolebinding r --user=u --serviceaccount=a:b",
        "kubectl logs web-0 -c app --since=1m --prefix -f",
        "kubectl replace --force --grace-period=5 -f - <<EOF\nkind: Pod\nEOF",
        "kubectl create secret generic s --from-literal=a=b -n web",
        "kubectl create service nodeport s --tcp=80:8080 --node-port=30080",
        "kubectl create role r --verb=get,list --resource=pods",
        "kubectl create ingress i --rule='h.io/*=svc:80'",
        "kubectl create cronjob c --image=x --schedule='* * * * *'",
        "kubectl run web --image=nginx --env=A=B --overrides='{}' -- sleep 5 --long",
        "kubectl expose deploy/web --port=80 --target-port=http",
        "kubectl autoscale deploy/web --min=1 --max=3 --cpu=50%",
        "kubectl wait --for=condition=Ready=False --for=delete pod/web-0 --timeout=5s",
        "kubectl replace --force -f - <<EOF\nkind: Pod\nEOF",
        "kubectl diff -f - <<EOF\nkind: Pod\nEOF",
        "kubectl set env deploy/web A=B C- --containers=app",
        "kubectl set resources deploy web --limits=cpu=1 --requests=memory=64Mi",
        "kubectl set sa deploy/web bot",
        "kubectl set selector svc web app=z",
        "kubectl auth can-i delete nodes",
        "kubectl apply view-last-applied deploy/web -o json",
        "kubectl get --raw /api/v1/nodes",
        "kubectl get pod a -o go-template='{{.metadata.name}}'",
        "kubectl api-resources --api-group=apps --sort-by=kind",
        "kubectl version --client",
        "kubectl label pod web-0 app=x tier- --overwrite",
        "kubectl annotate deploy/web 'note=it is' -n w",
        "kubectl patch pod web-0 --subresource=status --type=merge -p '{\"status\":{\"reason\":\"it'\"'\"'s\"}}'",
        "kubectl edit deploy/web <<EOF\na: b\nEOF",
        "kubectl set image deploy/web app=nginx:2 *=x",
        "kubectl events --for pod/web-0 --types=Warning",
        "kubectl explain pods.spec.containers",
        "kubectl top pod -A --containers --sort-by=cpu",
        "kubectl logs web-0 -c app --previous --tail=5",
        "kubectl api-resources",
        "kubectl get -f - <<EOF\nEOF",
        "kubectl get -f -",
        "kubectl get -f - -o yaml <<EOF\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nEOF",
        "kubectl delete pod a -i <<EOF\ny\nEOF",
        "kubectl apply --server-side --force-conflicts --field-manager=me -n shop -f - <<EOF\nkind: Pod\nEOF",
        "kubectl apply --prune -l a=b --prune-allowlist=core/v1/Pod,apps/v1/Deployment -f - <<EOF\nEOF",
        "kubectl rollout status deploy/web --revision=2 --watch=false",
        "kubectl label nodes --all a=b c- --resource-version=3 --dry-run",
        "kubectl logs -l app=web --since-time=2024-01-01T00:00:00Z --limit-bytes=10",
        "kubectl get pod a --subresource=scale --server-print=false",
        "kubectl label -f - a=b --local -o yaml <<EOF\nkind: Pod\nEOF",
        "kubectl get widgets a",
        "fault partition a-1 a-2 --from control-plane --one-way in",
        "fault partition --zone a",
        "fault heal --all",
        "fault heal a-1",
        "fault join d-1 --labels topology.kubernetes.io/zone=d,x=y --capacity cpu=4,memory=8Gi",
        "fault leave d-1",
        "fault crash kubelet a-1",
        "fault restart runtime a-1",
        "fault crash apiserver",
        "fault poweroff a-1",
        "fault shutdown a-1",
        "fault boot a-1",
        "fault second controller-manager",
        "fault etcd down",
        "fault slow a-1 200ms",
        "fault exit web/web-0 app 137",
        "fault sandbox web-0",
        "fault fence a-1 --by storage",
        "fault unfence a-1",
        "fault detach pv-1",
        "fault partition a-1 --from b-1",
        "fault join d-1 --like a-1 --count 3",
        "fault restart driver a-1",
        "fault slow a-1 1.5us",
        "fault device a-1 gpu.example.com/gpu-0 taint bad=1:NoExecute",
        "fault device a-1 gpu-0 taint bad-",
        "fault device a-1 gpu-0 gone",
        "app member remove etcd etcd-0",
        "app traffic start web --rate 50/s",
        "app traffic start shop/web --rate 6/m --from zone/a --timeout 250ms --keep-alive --retries 2",
        "app traffic start web --rate 1/h --from pod/shop/web-0",
        "app traffic start web --rate 1/s --from outside",
        "app traffic stop web",
        "help",
        "help kubectl get",
    ] {
        let command = parse_unresolved(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let printed = command.to_string();
        assert_eq!(parse_unresolved(&printed), Ok(command), "{text} → {printed}");
    }
}

/// Shows: KC-119
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn invalid_command_lines_give_kubectl_errors() {
    for (text, want) in [
        (
            "kubectl gett pods",
            "error: unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tset\n\tget",
        ),
        (
            "kubectl get --bogus",
            "error: unknown flag: --bogus\nSee 'kubectl get --help' for usage.",
        ),
        (
            "kubectl get pods -n",
            "error: flag needs an argument: 'n' in -n\nSee 'kubectl get --help' for usage.",
        ),
        (
            "kubectl get foo",
            "error: the server doesn't have a resource type \"foo\"",
        ),
        (
            "kubectl rollout foo",
            "error: unknown command \"foo\"\nSee 'kubectl rollout -h' for help and examples",
        ),
        (
            "kubectl get pods -A web",
            "error: a resource cannot be retrieved by name across all namespaces",
        ),
        (
            "kubectl get pod web -l a=b",
            "error: name cannot be provided when a selector is specified",
        ),
        (
            "kubectl delete pods",
            "error: resource(s) were provided, but no name was specified",
        ),
        (
            "kubectl delete pod a --force --grace-period=5",
            "error: --force and --grace-period greater than 0 cannot be specified together",
        ),
        (
            "kubectl delete pod a --now --grace-period=5",
            "error: --now and --grace-period cannot be specified together",
        ),
        (
            "kubectl delete pod a -o json",
            "error: unexpected -o output mode: json. We only support '-o name'",
        ),
        (
            "kubectl delete pods --all -l a=b",
            "error: setting 'all' parameter but found a non empty selector. ",
        ),
        (
            "kubectl scale deploy/web",
            "error: required flag(s) \"replicas\" not set",
        ),
        (
            "kubectl scale deploy/web --replicas=-1",
            "error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
        ),
        (
            "kubectl taint node a-1 k",
            "error: at least one taint update is required",
        ),
        (
            "kubectl taint node a-1 a=b c",
            "error: all resources must be specified before taint changes: c",
        ),
        (
            "kubectl taint node a-1 k=v:Foo",
            "error: invalid taint effect: Foo, unsupported taint effect\nSee 'kubectl taint -h' for help and examples",
        ),
        ("kubectl taint node a-1", "error: at least one taint update is required"),
        ("kubectl label pod a", "error: at least one label update is required"),
        (
            "kubectl patch pod a",
            "error: must specify --patch or --patch-file containing the contents of the patch",
        ),
        (
            "kubectl cordon",
            "error: USAGE: cordon NODE [flags]\nSee 'kubectl cordon -h' for help and examples",
        ),
        ("kubectl apply", "error: must specify one of -f and -k"),
        ("kubectl apply -f x.yaml", "error: the path \"x.yaml\" does not exist"),
        (
            "kubectl top pod --sort-by=x",
            "error: --sort-by accepts only cpu or memory",
        ),
        ("fault frobnicate", "error: unknown fault \"frobnicate\""),
        ("fault partition", "error: use: fault partition NODE"),
        ("ls", "error: unknown command \"ls\""),
        ("", "error: no command"),
    ] {
        match parse(text) {
            Err(error) if text.starts_with("fault") || text == "ls" => {
                assert!(error.message.starts_with(want), "{error}")
            }
            Err(error) => assert_eq!(error.message, want, "{text}"),
            Ok(command) => panic!("{text} was parsed as {command}"),
        }
    }
}

/// Shows: KC-081
#[test]
fn delete_flags_give_kubectl_grace_seconds() {
    for (text, grace) in [
        ("kubectl delete pod a", None),
        ("kubectl delete pod a --now", Some(1)),
        ("kubectl delete pod a --grace-period=0", Some(1)),
        ("kubectl delete pod a --grace-period=0 --force", Some(0)),
        ("kubectl delete pod a --force", Some(0)),
        ("kubectl delete pod a --grace-period=7", Some(7)),
    ] {
        match parse(text) {
            Ok(Command::Kubectl {
                action: Kubectl::Delete(delete),
                ..
            }) => assert_eq!(delete.grace_seconds(), grace, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Shows: Q-03
#[test]
fn parsing_malformed_command_lines_does_not_panic() {
    for text in [
        "kubectl get \"",
        "kubectl -n",
        "kubectl --namespace=",
        "fault slow a 1",
        "ü\\",
        "kubectl get pods -o=",
        "kubectl taint node - -",
        "kubectl label pod a =",
        "kubectl explain .",
        "kubectl get ,",
        "fault exit / / /",
        "kubectl apply -f - <<",
        "kubectl get pod/",
        "--",
        "kubectl --",
        "\u{0}",
        "kubectl logs pod/",
    ] {
        if let Ok(command) = parse(text) {
            let _ = command.to_string();
        }
        complete(text, text.len() / 2, &podscope_cluster::Objects::default());
        complete(text, text.len(), &podscope_cluster::Objects::default());
    }
}

/// Shows: K-03
#[test]
fn completion_offers_candidates_at_the_cursor() {
    let mut objects = podscope_cluster::Objects::default();
    for text in [
        "{kind: Node, apiVersion: v1, metadata: {name: a-1}}",
        "{kind: Pod, apiVersion: v1, metadata: {name: web-0, namespace: default, labels: {app: web, tier: front}}, spec: {containers: [{name: app, image: x}, {name: sidecar, image: x}]}}",
        "{kind: Pod, apiVersion: v1, metadata: {name: api-0, namespace: web}}",
        "{kind: Deployment, apiVersion: apps/v1, metadata: {name: web, namespace: default}, spec: {template: {spec: {containers: [{name: web, image: x}]}}}}",
        "{kind: PersistentVolume, apiVersion: v1, metadata: {name: data-0}}",
    ] {
        for located in podscope_api::parse(text).objects {
            objects.put(located.value);
        }
    }
    let texts = |line: &str| -> Vec<String> {
        complete(line, line.len(), &objects)
            .1
            .into_iter()
            .map(|choice| choice.text)
            .collect()
    };
    assert_eq!(texts("ku"), ["kubectl"]);
    assert_eq!(texts("kubectl cor"), ["cordon"]);
    assert_eq!(texts("kubectl rollout st"), ["status"]);
    assert_eq!(texts("kubectl get node"), ["nodes"]);
    assert_eq!(texts("kubectl delete pod x --gr"), ["--grace-period"]);
    assert_eq!(texts("fault part"), ["partition"]);
    assert_eq!(texts("fault partition x --fr"), ["--from"]);
    for (line, choices) in [
        ("fault heal a-1 --", &["--zone", "--all"] as &[_]),
        ("fault partition ", &["a-1"]),
        ("fault partition a-2 --from ", &["control-plane", "nodes", "storage"]),
        ("fault partition a-2 --one-way in ", &["a-1"]),
        ("fault crash ku", &["kubelet"]),
        ("fault crash kubelet ", &["a-1"]),
        ("fault etcd ", &["down", "up"]),
        ("fault slow ", &["a-1"]),
        ("fault slow a-1 ", &[]),
        ("fault exit ", &["web-0", "web/api-0"]),
        ("fault exit web-0 ", &[]),
        ("fault fence --by ", &["power", "storage", "network"]),
        ("fault fence --by power ", &["a-1"]),
        ("fault detach ", &["data-0"]),
        ("app ", &["traffic", "member"]),
        ("app traffic ", &["start", "stop"]),
        ("app traffic start web --r", &["--rate", "--retries"]),
        ("app traffic start web --from n", &["node/a-1"]),
        ("app traffic start web --from pod/", &["pod/web-0", "pod/web/api-0"]),
        ("app traffic start web --from o", &["outside"]),
        ("fault join ", &[]),
        ("kubectl get pods -o w", &["wide"]),
        ("kubectl apply -o w", &[]),
        ("kubectl get pods --output=j", &["--output=json", "--output=jsonpath="]),
        ("kubectl get pods -l ", &["app=web", "tier=front"]),
        ("kubectl get pods -l app=web,t", &["app=web,tier=front"]),
        ("kubectl -n web get pods ", &["api-0"]),
        ("kubectl -n web cor", &["cordon"]),
        ("kubectl get -n web pods ", &["api-0"]),
        ("kubectl logs web-0 -c ", &["app", "sidecar"]),
        ("kubectl logs --container=", &[]),
        ("kubectl wait pod/web-0 --for=condition=R", &["--for=condition=Ready"]),
        ("kubectl wait node a-1 --for d", &["delete"]),
        ("kubectl delete pod web-0 --cascade=o", &["--cascade=orphan"]),
        ("kubectl set image deployment/web ", &["web="]),
        ("kubectl set image deployment web w", &["web="]),
        ("kubectl set image deployment/", &["deployment/web"]),
        ("kubectl explain poddis", &["poddisruptionbudgets"]),
        ("kubectl explain pod.spec.nodeS", &["pod.spec.nodeSelector"]),
        ("kubectl get pods | gr", &["grep"]),
        ("kubectl get pods | kubectl cor", &["cordon"]),
    ] {
        assert_eq!(texts(line), choices, "{line:?}");
    }
}

/// kubectl reports these errors before it sends a request.
/// Shows: KC-119
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn missing_or_conflicting_flags_give_kubectl_errors() {
    for (text, message) in [
        (
            "kubectl create ns",
            "error: exactly one NAME is required, got 0\nSee 'kubectl create namespace -h' for help and examples",
        ),
        (
            "kubectl run x --image='a b'",
            "error: Invalid image name \"a b\": invalid reference format",
        ),
        (
            "kubectl run x --image=a --rm",
            "error: --rm should only be used for attached containers\nSee 'kubectl run -h' for help and examples",
        ),
        (
            "kubectl run x --image=a -t",
            "error: -i/--stdin is required for containers with -t/--tty=true\nSee 'kubectl run -h' for help and examples",
        ),
        (
            "kubectl create secret docker-registry x",
            "error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
        ),
        (
            "kubectl create secret tls x --cert=c --key=k",
            "error: Cannot read file c, open c: no such file or directory",
        ),
        (
            "kubectl patch cm x --patch-file p",
            "error: unable to read patch file: open p: no such file or directory",
        ),
        (
            "kubectl patch cm x -p '{}' --patch-file p",
            "error: cannot specify --patch and --patch-file together",
        ),
        (
            "kubectl replace --grace-period=5 -f - <<EOF\nkind: Pod\nEOF",
            "error: --grace-period must have --force specified",
        ),
        (
            "kubectl config use-context foo",
            "error: no context exists with the name: \"foo\"",
        ),
        (
            "kubectl set subject rolebinding r",
            "error: you must specify at least one value of user, group or serviceaccount",
        ),
        (
            "kubectl get pod/a -l x=y",
            "error: selectors and the all flag cannot be used when passing resource/name arguments",
        ),
        (
            "kubectl get nosuchkind/x -l a=b",
            "error: selectors and the all flag cannot be used when passing resource/name arguments",
        ),
        (
            "kubectl get nosuchkind,pods x -l a=b",
            "error: selectors and the all flag cannot be used when passing resource/name arguments",
        ),
        (
            "kubectl describe nosuchkind x --selector=a=b",
            "error: name cannot be provided when a selector is specified",
        ),
        (
            "kubectl get all x -l a=b",
            "error: name cannot be provided when a selector is specified",
        ),
        (
            "kubectl delete nosuchkind x --all -l a=b",
            "error: setting 'all' parameter but found a non empty selector. ",
        ),
        (
            "kubectl get nosuchkind x -A",
            "error: the server doesn't have a resource type \"nosuchkind\"",
        ),
        (
            "kubectl get nosuchkind -o=foo --show-labels",
            "error: --show-labels option cannot be used with foo printer",
        ),
        (
            "kubectl get nosuchkind --output-watch-events",
            "error: --output-watch-events option can only be used with --watch or --watch-only",
        ),
        ("kubectl get all x", "error: you must specify only one resource"),
        (
            "kubectl get bindings",
            "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource",
        ),
        (
            "kubectl get pods --chunk-size=x",
            "error: invalid argument \"x\" for \"--chunk-size\" flag: strconv.ParseInt: parsing \"x\": invalid syntax\nSee 'kubectl get --help' for usage.",
        ),
        (
            "kubectl get pods --context=foo",
            "Error in configuration: context was not found for specified context: foo",
        ),
        (
            "kubectl set env deploy/a X=1 X-",
            "error: can not both modify and remove the same environment variable in the same command",
        ),
        (
            "kubectl label pod a b x=y --resource-version=1",
            "error: --resource-version may only be used with a single resource",
        ),
        (
            "kubectl expose deploy a --port=1 --session-affinity=Foo",
            "error: unknown session affinity: Foo",
        ),
        (
            "kubectl create service clusterip a --tcp=80:x_y",
            "error: must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            "kubectl wait pod/a --for=jsonpath=",
            "error: jsonpath expression cannot be empty",
        ),
        (
            "kubectl logs x c -c d",
            "error: only one of -c or an inline [CONTAINER] arg is allowed",
        ),
        (
            "kubectl apply -f https://example.com/x.yaml",
            "The connection to the server example.com was refused - did you specify the right host or port?",
        ),
    ] {
        assert_eq!(parse(text).expect_err(text).message, message, "{text}");
    }
}
