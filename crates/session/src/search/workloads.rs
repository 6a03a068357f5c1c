//! Generates random runs for a seed search: a small cluster, workloads of every kind, devices in some runs, operator
//! commands, and faults. Faults and commands begin in the first 450 seconds and are repaired within the following 450
//! seconds. Nothing is injected in the remaining time, which is longer than the slowest liveness deadline.

use std::fmt::Write;

use podscope_cluster::{Rng, Span};

use super::faults::{self, command_part, pick};
use super::{Run, RunPart, at, devices};
use crate::scenario::SearchFault;

/// Faults and commands of a generated run begin before this time. Their repairs follow within at most the same span.
pub(super) const LAST_COMMAND_START: Span = Span::seconds(450);
/// Simulated length of a generated run, in seconds.
const RUN_SECONDS: i64 = 2300;

/// Names of the generated objects to which generated commands can refer.
#[derive(Default)]
struct GeneratedNames {
    nodes: Vec<String>,
    /// Pods with predictable names: those of StatefulSets.
    pods: Vec<String>,
    /// Workloads with replicas, such as `deployment/web`.
    scalable: Vec<String>,
    /// Controllers that own pods, such as `job app1`.
    owners: Vec<String>,
    volumes: Vec<String>,
    has_team: bool,
}

/// Generates the run of a seed, with these history switches turned on.
pub(super) fn generate_run(seed: u64, history_switches: &[String]) -> Run {
    let mut rng = Rng::split(seed, "search");
    let mut names = GeneratedNames::default();
    let (zones, per_zone) = (1 + rng.below(3), 1 + rng.below(3));
    let zone_names: Vec<&str> = ["a", "b", "c"]
        .into_iter()
        .take(usize::try_from(zones).unwrap_or(1))
        .collect();
    for zone in &zone_names {
        names
            .nodes
            .extend((1..=per_zone).map(|number| format!("{zone}-{number}")));
    }
    let zones = zone_names.join(", ");
    // A run with history switches is for finding what such a switch breaks; it has no devices.
    let devices = history_switches
        .is_empty()
        .then(|| devices::generate_device_parts(seed, &names.nodes))
        .flatten();
    let described = if devices.is_some() { devices::DEVICES_FIELD } else { "" };
    let history = history_switches.join(", ");
    let scenario = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: search-{seed}}}\nspec:\n  title: Found by search, seed {seed}\n  \
         seed: {seed}\n  cluster: {{zones: [{zones}], nodesPerZone: {per_zone}{described}}}\n  components: {{history: [{history}]}}\n"
    );
    let classes = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: 10\n---\n\
                   apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n";
    let mut parts = Vec::new();
    for number in 0..1 + rng.below(4) {
        let text = workload(&mut rng, number, &mut names);
        parts.push(RunPart::Objects((format!("workload-{number}.yaml"), text)));
    }
    for _ in 0..rng.below(5) {
        parts.extend(command(&mut rng, &names));
    }
    for _ in 0..rng.below(5) {
        parts.extend(faults::generate_fault(
            &mut rng,
            &SearchFault::ALL,
            &names.nodes,
            LAST_COMMAND_START,
        ));
    }
    parts.extend(devices.into_iter().flatten());
    Run {
        seed,
        parts,
        // PriorityClasses are not a part that can be removed: without them, the API server would refuse pods that refer
        // to them.
        files: vec![
            ("search.yaml".to_owned(), scenario),
            ("classes.yaml".to_owned(), classes.to_owned()),
        ],
        until: at(RUN_SECONDS),
    }
}

/// Generates `metadata` and `spec` of a pod template, as entries of a YAML flow mapping.
fn template(rng: &mut Rng, app: &str, claim: Option<&str>) -> String {
    let grace = pick(rng, &["1", "2", "5", "30", "30", "60"]).copied().unwrap_or("30");
    let cpu = pick(rng, &["50m", "100m", "500m", "1500m"]).copied().unwrap_or("100m");
    let mut behavior = vec![format!("startup={}s", rng.below(5))];
    behavior.extend(match rng.below(6) {
        0 => Some("sigterm=ignore".to_owned()),
        1 => Some(format!("sigterm={}s", 1 + rng.below(45))),
        _ => None,
    });
    let mut lifecycle = String::new();
    if rng.below(3) == 0 {
        behavior.push(
            pick(rng, &["prestop=3s", "prestop=40s", "prestop=hang", "prestop=fail"])
                .copied()
                .unwrap_or("prestop=3s")
                .to_owned(),
        );
        lifecycle = "lifecycle: {preStop: {exec: {command: [stop]}}}, ".to_owned();
    }
    if rng.below(8) == 0 {
        behavior.push(format!("run={}s", 30 + rng.below(300)));
    }
    let mut spec = String::new();
    match rng.below(4) {
        0 => spec.push_str("priorityClassName: low, "),
        1 => spec.push_str("priorityClassName: high, "),
        _ => {}
    }
    if rng.below(2) == 0 {
        let seconds = pick(rng, &[0, 20, 60]).copied().unwrap_or(20);
        let _ = write!(
            spec,
            "tolerations: [{{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: {seconds}}}, \
             {{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: {seconds}}}], "
        );
    }
    match rng.below(6) {
        0 => {
            let _ = write!(
                spec,
                "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, \
                 labelSelector: {{matchLabels: {{app: {app}}}}}}}], "
            );
        }
        1 => {
            let _ = write!(
                spec,
                "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: kubernetes.io/hostname, \
                 labelSelector: {{matchLabels: {{app: {app}}}}}}}]}}}}, "
            );
        }
        _ => {}
    }
    let mut mounts = String::new();
    if let Some(claim) = claim {
        mounts = "volumeMounts: [{name: data, mountPath: /data}], ".to_owned();
        if claim != "data" {
            let _ = write!(
                spec,
                "volumes: [{{name: data, persistentVolumeClaim: {{claimName: {claim}}}}}], "
            );
        }
    }
    format!(
        "metadata: {{labels: {{app: {app}}}, annotations: {{behavior.podscope.dev/main: \"{}\"}}}}, spec: {{{spec}terminationGracePeriodSeconds: {grace}, \
         containers: [{{name: main, image: \"{app}:1\", {lifecycle}{mounts}resources: {{requests: {{cpu: {cpu}}}}}}}]}}",
        behavior.join(", ")
    )
}

/// Generates a PersistentVolume. Its type determines whether the storage allows only one node at a time to use it.
fn volume(rng: &mut Rng, name: &str, class: &str) -> String {
    let source = match rng.below(3) {
        0 => format!("awsElasticBlockStore: {{volumeID: {name}}}"),
        1 => format!("iscsi: {{targetPortal: \"10.0.0.9:3260\", iqn: \"iqn.2026-01.dev.podscope:{name}\", lun: 0}}"),
        _ => format!("nfs: {{server: nas, path: /{name}}}"),
    };
    format!(
        "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: {name}}}\nspec: {{capacity: {{storage: 10Gi}}, \
         accessModes: [ReadWriteOnce], storageClassName: {class}, {source}}}\n"
    )
}

/// Generates a workload together with the objects that it needs.
fn workload(rng: &mut Rng, number: u64, names: &mut GeneratedNames) -> String {
    let app = format!("app{number}");
    let selector = format!("selector: {{matchLabels: {{app: {app}}}}}");
    let replicas = 1 + rng.below(4);
    match rng.below(8) {
        0 | 1 => deployment(rng, &app, &selector, replicas, names),
        2..=4 => stateful_set(rng, &app, &selector, replicas, names),
        5 => {
            names.owners.push(format!("daemonset {app}"));
            let template = template(rng, &app, None);
            format!(
                "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: {app}}}\nspec: {{{selector}, template: {{{template}}}}}\n"
            )
        }
        6 => {
            names.owners.push(format!("job {app}"));
            let completions = replicas + rng.below(3);
            let run = 5 + rng.below(200);
            format!(
                "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {app}}}\nspec: {{parallelism: {replicas}, completions: {completions}, \
                 template: {{metadata: {{annotations: {{behavior.podscope.dev/main: \"run={run}s\"}}}}, \
                 spec: {{restartPolicy: Never, containers: [{{name: main, image: \"{app}:1\"}}]}}}}}}\n"
            )
        }
        _ => {
            names.scalable.push(format!("replicaset/{app}"));
            names.owners.push(format!("replicaset {app}"));
            let name = format!("{app}-disk");
            let volume = volume(rng, &name, &app);
            names.volumes.push(name);
            let template = template(rng, &app, Some(&app));
            format!(
                "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: {app}}}\nspec: {{replicas: 1, {selector}, template: {{{template}}}}}\n{volume}---\n\
                 apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {app}}}\nspec: {{accessModes: [ReadWriteOnce], storageClassName: {app}, \
                 resources: {{requests: {{storage: 10Gi}}}}}}\n"
            )
        }
    }
}

fn deployment(rng: &mut Rng, app: &str, selector: &str, replicas: u64, names: &mut GeneratedNames) -> String {
    let in_team = rng.below(3) == 0;
    let strategy = if rng.below(4) == 0 {
        "strategy: {type: Recreate}, "
    } else {
        ""
    };
    let mut text = String::new();
    let mut place = "";
    if in_team && !names.has_team {
        names.has_team = true;
        place = ", namespace: team";
        text.push_str("apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\n");
    } else {
        names.scalable.push(format!("deployment/{app}"));
        names.owners.push(format!("deployment {app}"));
    }
    let template = template(rng, app, None);
    let _ = write!(
        text,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {app}{place}}}\nspec: {{replicas: {replicas}, {strategy}{selector}, template: {{{template}}}}}\n"
    );
    if rng.below(2) == 0 {
        let _ = write!(
            text,
            "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {app}{place}}}\nspec: {{maxUnavailable: 1, {selector}}}\n"
        );
    }
    text
}

fn stateful_set(rng: &mut Rng, app: &str, selector: &str, replicas: u64, names: &mut GeneratedNames) -> String {
    names.scalable.push(format!("statefulset/{app}"));
    names.owners.push(format!("statefulset {app}"));
    names
        .pods
        .extend((0..replicas).map(|ordinal| format!("{app}-{ordinal}")));
    let policy = if rng.below(3) == 0 {
        "podManagementPolicy: Parallel, "
    } else {
        ""
    };
    let has_volume = rng.below(2) == 0;
    let (mut claims, mut volumes) = (String::new(), String::new());
    if has_volume {
        claims = format!(
            ", volumeClaimTemplates: [{{metadata: {{name: data}}, spec: {{accessModes: [ReadWriteOnce], storageClassName: {app}, \
             resources: {{requests: {{storage: 10Gi}}}}}}}}]"
        );
        for ordinal in 0..replicas {
            let name = format!("{app}-disk-{ordinal}");
            volumes.push_str(&volume(rng, &name, app));
            names.volumes.push(name);
        }
    }
    let template = template(rng, app, has_volume.then_some("data"));
    format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: {app}}}\nspec: {{replicas: {replicas}, serviceName: {app}, {policy}{selector}, \
         template: {{{template}}}{claims}}}\n{volumes}"
    )
}

/// Generates a command of an operator, such as a drain, and the command that later reverts its effect, if any.
fn command(rng: &mut Rng, names: &GeneratedNames) -> Option<RunPart> {
    let start = rng.between(Span::seconds(5), LAST_COMMAND_START).whole_seconds();
    let end = start + rng.between(Span::seconds(20), LAST_COMMAND_START).whole_seconds();
    let node = pick(rng, &names.nodes)?.clone();
    let lines = match rng.below(12) {
        0 | 1 => {
            let pod = pick(rng, &names.pods)?;
            let how = pick(rng, &["", " --now", " --grace-period=3", " --grace-period=0 --force"])?;
            vec![(start, format!("kubectl delete pod {pod}{how} --wait=false"))]
        }
        2 => {
            let workload = pick(rng, &names.scalable)?;
            let (first, second) = (rng.below(6), 1 + rng.below(4));
            vec![
                (start, format!("kubectl scale {workload} --replicas={first}")),
                (end, format!("kubectl scale {workload} --replicas={second}")),
            ]
        }
        3 | 4 => {
            let workload = pick(rng, &names.scalable)?;
            if workload.starts_with("replicaset") {
                return None;
            }
            vec![(start, format!("kubectl rollout restart {workload}"))]
        }
        5 | 6 => vec![
            (
                start,
                format!("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --force --timeout=2m"),
            ),
            (end, format!("kubectl uncordon {node}")),
        ],
        // The Node is deleted. Either its machine leaves permanently, or a restart of the kubelet registers the Node
        // again.
        7 => {
            let delete = (start, format!("kubectl delete node {node} --wait=false"));
            match rng.below(2) {
                0 => vec![(start, format!("fault leave {node}")), delete],
                _ => vec![delete, (end, format!("fault restart kubelet {node}"))],
            }
        }
        8 => vec![
            (
                start,
                format!("kubectl taint nodes {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
            ),
            (
                end,
                format!("kubectl taint nodes {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute-"),
            ),
        ],
        9 => {
            if !names.has_team {
                return None;
            }
            vec![(start, "kubectl delete namespace team --wait=false".to_owned())]
        }
        10 => {
            let workload = pick(rng, &names.owners)?;
            let cascade = pick(rng, &["background", "foreground", "orphan"])?;
            vec![(
                start,
                format!("kubectl delete {workload} --cascade={cascade} --wait=false"),
            )]
        }
        _ => {
            if let Some(volume) = pick(rng, &names.volumes)
                && rng.below(3) == 0
            {
                vec![(start, format!("fault detach {volume}"))]
            } else {
                let pod = pick(rng, &names.pods)?;
                vec![(start, format!("fault exit {pod} main 1"))]
            }
        }
    };
    Some(command_part(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_kubectl::command;

    /// Every generated command can be parsed, and the API server admits every generated object.
    #[test]
    fn generated_runs_are_valid() {
        for seed in 0..60 {
            let run = generate_run(seed, &[]);
            let loaded = run
                .loaded()
                .unwrap_or_else(|problems| panic!("seed {seed}: {problems:?}"));
            let session = crate::timeline::Session::new(loaded);
            assert!(session.is_ok(), "seed {seed}: {:?}", session.err());
            for timed in run.schedule() {
                assert!(command::parse(&timed.command.to_string()).is_ok());
            }
            let empty = run
                .parts
                .iter()
                .filter(|part| **part == RunPart::Commands(Vec::new()))
                .count();
            assert_eq!(empty, 0, "seed {seed}: a part has no commands");
        }
    }
}
