//! Pod statuses, line by line as `kubectl get -o yaml` of v1.36 shows them (L-01, L-02, L-04, LC-092, LC-110). Values
//! that differ between runs are replaced by `~`: times, digests and IDs of 64 digits, and the pod's address.

use podscope_api::print_yaml;
use serde_json::json;

use crate::kubelet::lab::{Lab, pod, status};

/// Returns the status of a pod as YAML, with `~` for values that differ between runs.
fn masked_status(lab: &Lab, name: &str) -> String {
    let pod = lab.pod(name).expect("the pod exists");
    let ip = format!("ip: {}", pod.status.pod_ip);
    let text = print_yaml(&status(pod)).replace(&ip, "ip: ~");
    let text = text.replace(&format!("podIP: {}", pod.status.pod_ip), "podIP: ~");
    let masked = text.lines().map(|line| {
        let is_name = |rest: &str| rest.len() == 64 && rest.chars().all(|digit| digit.is_ascii_hexdigit());
        let marks = ["sha256:", "containerd://"].into_iter();
        let name = marks.filter_map(|mark| Some(line.find(mark)? + mark.len()));
        let cut = name
            .filter(|at| is_name(&line[*at..]))
            .chain(line.find("\"2026-01-01T"))
            .next();
        cut.map_or_else(|| format!("{line}\n"), |at| format!("{}~\n", &line[..at]))
    });
    masked.collect()
}

/// Returns the YAML of pod conditions, given as (type, status, reason, message).
fn conditions_yaml(rows: [(&str, &str, &str, &str); 5]) -> String {
    let mut text = String::from("conditions:\n");
    for (kind, status, reason, message) in rows {
        text += "- lastProbeTime: null\n  lastTransitionTime: ~\n";
        if !message.is_empty() {
            text += &format!("  message: '{message}'\n");
        }
        text += "  observedGeneration: 1\n";
        if !reason.is_empty() {
            text += &format!("  reason: {reason}\n");
        }
        text += &format!("  status: \"{status}\"\n  type: {kind}\n");
    }
    text
}

const RUNNING_STATUS: &str = "\
containerStatuses:
- allocatedResources:
    cpu: 100m
    memory: 64Mi
  containerID: containerd://~
  image: docker.io/library/nginx:1.27
  imageID: docker.io/library/nginx@sha256:~
  lastState: {}
  name: main
  ready: true
  resources:
    limits:
      memory: 128Mi
    requests:
      cpu: 100m
      memory: 64Mi
  restartCount: 0
  started: true
  state:
    running:
      startedAt: ~
  volumeMounts:
  - mountPath: /data
    name: data
  - mountPath: /etc/app
    name: conf
    readOnly: true
    recursiveReadOnly: Disabled
hostIP: 10.0.0.1
hostIPs:
- ip: 10.0.0.1
observedGeneration: 1
phase: Running
podIP: ~
podIPs:
- ip: ~
qosClass: Burstable
resources:
  limits:
    memory: 128Mi
  requests:
    cpu: 100m
    memory: 64Mi
startTime: ~
";

const WAITING_STATUS: &str = "\
containerStatuses:
- image: team/app
  imageID: \"\"
  lastState: {}
  name: main
  ready: false
  restartCount: 0
  started: false
  state:
    waiting:
      message: 'rpc error: code = NotFound desc = failed to pull and unpack image
        \"team/app\": not found'
      reason: ErrImagePull
hostIP: 10.0.0.1
hostIPs:
- ip: 10.0.0.1
observedGeneration: 1
phase: Pending
podIP: ~
podIPs:
- ip: ~
qosClass: BestEffort
resources: {}
startTime: ~
";

const FAILED_STATUS: &str = "\
containerStatuses:
- containerID: containerd://~
  image: docker.io/library/busybox:latest
  imageID: docker.io/library/busybox@sha256:~
  lastState: {}
  name: main
  ready: false
  resources: {}
  restartCount: 0
  started: false
  state:
    terminated:
      containerID: containerd://~
      exitCode: 3
      finishedAt: ~
      reason: Error
      startedAt: ~
hostIP: 10.0.0.1
hostIPs:
- ip: 10.0.0.1
observedGeneration: 1
phase: Failed
podIP: ~
podIPs:
- ip: ~
qosClass: BestEffort
resources: {}
startTime: ~
";

/// Shows: L-02, L-04
#[test]
fn pod_statuses_match_real_yaml() {
    let nginx = json!({
        "image": "nginx:1.27",
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "conf", "mountPath": "/etc/app", "readOnly": true}],
    });
    let volumes = json!([{"name": "data", "emptyDir": {}}, {"name": "conf", "emptyDir": {}}]);
    let absent = json!({"image": "team/app"});
    let mut lab = Lab::new(&[
        pod("running", json!({"volumes": volumes}), &[("main", nginx, "")]),
        pod("waiting", json!({}), &[("main", absent, "pull=fail")]),
        pod(
            "done",
            json!({"restartPolicy": "Never"}),
            &[("main", json!({}), "run=3s, exit=3")],
        ),
    ]);
    lab.run(9.0);
    let unready = "containers with unready status: [main]";
    for (name, sandbox, ready, reason, message, rest) in [
        ("running", "True", "True", "", "", RUNNING_STATUS),
        (
            "waiting",
            "True",
            "False",
            "ContainersNotReady",
            unready,
            WAITING_STATUS,
        ),
        ("done", "False", "False", "PodFailed", "", FAILED_STATUS),
    ] {
        let conditions = conditions_yaml([
            ("PodReadyToStartContainers", sandbox, "", ""),
            ("Initialized", "True", "", ""),
            ("Ready", ready, reason, message),
            ("ContainersReady", ready, reason, message),
            ("PodScheduled", "True", "", ""),
        ]);
        // The expected `allocatedResources` of the pod as YAML; empty if the pod requests nothing.
        let granted = match name {
            "running" => "allocatedResources:\n  cpu: 100m\n  memory: 64Mi\n",
            _ => "",
        };
        assert_eq!(
            masked_status(&lab, name),
            granted.to_owned() + &conditions + rest,
            "{name}"
        );
    }
}
