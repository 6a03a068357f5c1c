//! `podscope check` prints advice (P-08).

use crate::cli::{podscope, write_file};

const SURPRISING_MANIFESTS: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata:
      labels: {app: db}
      annotations: {behavior.podscope.dev/app: 'prestop=25s, sigterm=5s'}
    spec:
      containers:
      - name: app
        image: postgres
        lifecycle: {preStop: {exec: {command: [x]}}}
        volumeMounts: [{name: data, mountPath: /data}]
      volumes:
      - {name: data, nfs: {server: x, path: /}}
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: other}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: app, image: postgres}]
      topologySpreadConstraints:
      - {maxSkew: 2, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: db}}}
---
apiVersion: v1
kind: Pod
metadata: {name: high}
spec:
  priorityClassName: system-cluster-critical
  containers: [{name: c, image: x}]
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}
";

/// Shows: P-08
#[test]
fn check_prints_advice_for_valid_but_surprising_manifests() {
    let path = write_file("surprises.yaml", SURPRISING_MANIFESTS);
    let run = podscope(&["check", &path]);
    assert_eq!(run.status, 0, "advice is not an error: {}", run.err);
    let output = run.out + &run.err;
    for (place, field, words) in [
        ("17:", "spec.template.spec.volumes[0]", "replica"),
        (
            "10:",
            "spec.template.spec.terminationGracePeriodSeconds",
            "not longer than preStop (25s) plus shutdown (5s)",
        ),
        (
            "19:",
            "spec.template.spec.topologySpreadConstraints[0].labelSelector",
            "the pod's own labels",
        ),
        (
            "19:",
            "spec.template.spec.topologySpreadConstraints[0].topologyKey",
            "private label key",
        ),
        (
            "31:",
            "spec.template.spec.topologySpreadConstraints",
            "have other spread constraints",
        ),
        ("42:", "spec.affinity.podAffinity", "pods of lower priority"),
    ] {
        let matches = |line: &&str| line.contains(field) && line.contains(words);
        let line = output.lines().find(matches);
        let line = line.unwrap_or_else(|| panic!("{field}: {words}\n{output}"));
        assert!(line.contains(&format!("surprises.yaml:{place}")), "{line}");
    }
}
