//! Remedies for pending pods: sentences about suggested changes, and commands that make these changes (S-15).

use podscope_messages::Sentence;
use podscope_protocol::Remedy;

use super::*;

const CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: remedies}
spec:
  cluster: {zones: [a, b], nodesPerZone: 1, node: {cpu: 2, memory: 4Gi, pods: 20}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: zonal}
provisioner: disk.example.com
volumeBindingMode: Immediate
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: zonal
  csi: {driver: disk.example.com, volumeHandle: one}
  claimRef: {namespace: default, name: data}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [c]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: zonal, volumeName: pv-1, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: new}
spec:
"#;

fn page_and_remedies_for(spec: &str) -> (Page, Vec<Remedy>) {
    let mut page = Page::with_file(&format!("{CLUSTER}{spec}"));
    page.seek(30);
    let updates = page.send(Request::WhatWouldHelp {
        pod: "default/new".into(),
    });
    match updates.last() {
        Some(Update::Help {
            remedies, done: true, ..
        }) => (page, remedies.clone()),
        other => panic!("{other:?}"),
    }
}

// The command of each suggested change makes that change, on a new branch.
// Shows: S-15
#[test]
fn remedy_command_lets_pod_be_scheduled() {
    let small = "  containers: [{name: c, image: x, resources: {requests: {cpu: 100m}}}]\n";
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let affinity = |rule: &str| format!("{small}  affinity: {rule}\n");
    for (spec, want) in [
        (
            "  containers: [{name: c, image: x, resources: {requests: {cpu: '5', memory: 1Gi}, limits: {cpu: '5', memory: 1Gi}}}]\n".to_owned(),
            &[
                "Request 2 of cpu instead of 5: then 2 nodes can take it | kubectl patch pod new -n default --subresource=resize -p \
                 '{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"},\"limits\":{\"cpu\":\"2\"}}}]}}'",
                "Add a node like a-1 with cpu=5: then one node can take it | fault join a-2 --labels topology.kubernetes.io/zone=a \
                 --capacity cpu=5,memory=4Gi,pods=20",
            ][..],
        ),
        (
            format!("{small}  volumes: [{{name: d, persistentVolumeClaim: {{claimName: data}}}}]\n"),
            &["Add a node like a-1 with topology.kubernetes.io/zone=c, where volume pv-1 can be reached: then one node can take it | \
               fault join c-1 --labels topology.kubernetes.io/zone=c --capacity cpu=2,memory=4Gi,pods=20"],
        ),
        (
            "  containers: [{name: c, image: x, resources: {limits: {example.com/gpu: 1}}}]\n".to_owned(),
            &[
                "Have a-1 offer 1 example.com/gpu, as a device plugin would: then one node can take it | kubectl patch node a-1 \
                 --subresource=status -p '{\"status\":{\"capacity\":{\"example.com/gpu\":\"1\"},\"allocatable\":{\"example.com/gpu\":\"1\"}}}'",
                "Add a node like a-1 with example.com/gpu=1: then one node can take it | fault join a-2 --labels \
                 topology.kubernetes.io/zone=a --capacity cpu=2,example.com/gpu=1,memory=4Gi,pods=20",
            ],
        ),
        (
            affinity(&format!("{{nodeAffinity: {{{required}: {{nodeSelectorTerms: [{{matchExpressions: [{{key: disk, operator: In, values: [ssd]}}]}}]}}}}}}")),
            &["Label node a-1 with disk=ssd: then one node can take it | kubectl label node a-1 disk=ssd"],
        ),
        (
            affinity(&format!("{{podAffinity: {{{required}: [{{topologyKey: kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: db}}}}}}]}}}}")),
            &["Run a pod default/db with app=db, which the affinity asks for: then one node can take it | kubectl run db -n default \
               --image=registry.k8s.io/pause:3.10 --labels=app=db"],
        ),
    ] {
        let (_, remedies) = page_and_remedies_for(&spec);
        let remedies_with_command: Vec<&Remedy> = remedies.iter().filter(|remedy| !remedy.command.is_empty()).collect();
        let texts_of_remedies: Vec<String> = remedies_with_command.iter().map(|remedy| format!("{remedy} | {}", remedy.command)).collect();
        assert_eq!(texts_of_remedies, want, "{spec}");
        for remedy in &remedies_with_command {
            assert_bound_after(&spec, remedy);
        }
    }
}

// In this cluster, the nodes were tainted after the pod had been created.
// Shows: S-15
#[test]
fn toleration_remedy_lets_pod_be_scheduled() {
    let spec = "  containers: [{name: c, image: x}]\n  schedulerName: none\n";
    let mut page = Page::with_file(&format!("{CLUSTER}{spec}"));
    page.run("kubectl taint nodes --all dedicated=db:NoSchedule");
    page.run("kubectl run late --image=x");
    page.seek(30);
    let updates = page.send(Request::WhatWouldHelp {
        pod: "default/late".into(),
    });
    let Some(Update::Help { remedies, .. }) = updates.last() else {
        panic!("{updates:?}")
    };
    assert_eq!(
        remedies[0].to_string(),
        "Let the pod tolerate the taint dedicated=db:NoSchedule: then 2 nodes can take it"
    );
    let remedies_with_command = page.send(Request::TryRemedy { index: 0 });
    page.seek(90);
    assert!(
        !node_name_of_pod(&mut page, "late").is_empty(),
        "{remedies_with_command:?}"
    );
}

fn assert_bound_after(spec: &str, remedy: &Remedy) {
    let (mut page, remedies) = page_and_remedies_for(spec);
    let index = remedies.iter().position(|one| one == remedy).expect("the same remedy");
    let remedies_with_command = page.send(Request::TryRemedy { index });
    page.seek(90);
    assert!(
        !node_name_of_pod(&mut page, "new").is_empty(),
        "{remedy:?}: {remedies_with_command:?}"
    );
}

fn node_name_of_pod(page: &mut Page, pod: &str) -> String {
    let printed = page.run(&format!("kubectl get pod {pod} -o jsonpath={{.spec.nodeName}}"));
    console_texts(&printed, LineKind::Output).concat()
}

/// A pod whose scheduler does not run is replaced by a pod with another scheduler, directly or through the template of
/// its Deployment. If its controller would create it unchanged, the remedy has no command.
/// Shows: S-13, S-15
#[test]
fn remedy_for_missing_scheduler_replaces_pod() {
    let owner = |kind: &str| {
        format!(
            "
---
apiVersion: apps/v1
kind: {kind}
metadata: {{name: web}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{schedulerName: none, containers: [{{name: c, image: x}}]}}
"
        )
    };
    let bare = "  schedulerName: none\n  containers: [{name: c, image: x, env: [{name: A, value: \"it's\"}]}]\n";
    for (kind, find, command) in [
        ("", "metadata.name=new", Some("kubectl replace --force -f - <<'EOF'\n")),
        (
            "Deployment",
            "metadata.name!=new",
            Some("kubectl patch deployment web -n default -p "),
        ),
        ("StatefulSet", "metadata.name!=new", None),
    ] {
        let workload = if kind.is_empty() { String::new() } else { owner(kind) };
        let mut page = Page::with_file(&format!("{CLUSTER}{bare}{workload}"));
        page.seek(30);
        let pods = |page: &mut Page| {
            let printed = page.run(&format!("kubectl get pods --field-selector {find} -o name"));
            let text = console_texts(&printed, LineKind::Output).concat();
            text.trim_start_matches("pod/").to_owned()
        };
        let name = pods(&mut page);
        let updates = page.send(Request::WhatWouldHelp {
            pod: format!("default/{name}"),
        });
        let Some(Update::Help { remedies, done, .. }) = updates.last() else {
            panic!("{updates:?}")
        };
        let texts_of_remedies: Vec<String> = remedies.iter().map(ToString::to_string).collect();
        assert_eq!(
            (texts_of_remedies.as_slice(), *done),
            (
                ["Have the pod made anew with schedulerName default-scheduler, as nobody can change it: then 2 nodes can take it".to_owned()]
                    .as_slice(),
                true
            ),
            "{kind}"
        );
        match command {
            Some(command) => assert!(remedies[0].command.starts_with(command), "{}", remedies[0].command),
            None => assert_eq!(remedies[0].command, "", "{kind}"),
        }
        if command.is_some() {
            let remedies_with_command = page.send(Request::TryRemedy { index: 0 });
            page.seek(90);
            let name = pods(&mut page);
            assert!(
                !node_name_of_pod(&mut page, &name).is_empty(),
                "{kind}: {remedies_with_command:?}"
            );
        }
    }
}

/// For a pending pod, each declared node group answers whether it could help, in the words of the cluster autoscaler.
/// Shows: S-15, C-17
#[test]
fn pending_pod_gets_answer_of_each_node_group() {
    let mut page = Page::with_file(
        "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: groups}
spec:
  cluster:
    zones: [a]
    nodesPerZone: 1
    node: {cpu: 2, memory: 4Gi}
    nodeGroups: [{name: small}, {name: large, node: {cpu: 16, memory: 64Gi}}]
---
apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 8}}}]}
",
    );
    page.seek(5);
    let updates = page.send(Request::WhatWouldHelp {
        pod: "default/new".into(),
    });
    let Some(Update::Help { groups, .. }) = updates.last() else {
        panic!("{updates:?}");
    };
    let groups: Vec<String> = groups.iter().map(Sentence::english).collect();
    assert_eq!(groups, ["small: Insufficient cpu", "large: one more node takes it"]);
}
