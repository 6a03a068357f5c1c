use super::{assert_output, output_and_errors, session_after};

const SERVICE: &str = r#"
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  clusterIP: 10.96.0.9
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: 8080}]
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: x, ports: [{containerPort: 8080}]}]}
"#;

// `kubectl describe service` lists three endpoints of the Service and counts the others.
// Shows: K-02, KC-078
#[test]
fn service_description_equals_kubectl() {
    let session = session_after(SERVICE, 30);
    let (addresses, _) = output_and_errors(
        &session,
        "kubectl get endpointslices -l kubernetes.io/service-name=web -o jsonpath='{.items[*].endpoints[*].addresses[0]}'",
    );
    let shown: Vec<String> = addresses
        .split_whitespace()
        .take(3)
        .map(|ip| format!("{ip}:8080"))
        .collect();
    let (text, _) = output_and_errors(&session, "kubectl describe svc web --show-events=false");
    for want in [
        "Name:                     web\nNamespace:                default\nLabels:                   <none>\nAnnotations:              <none>\nSelector:                 app=web\nType:                     ClusterIP\n",
        "IP Family Policy:         SingleStack\nIP Families:              IPv4\nIP:                       10.96.0.9\n",
        "Port:                     http  80/TCP\nTargetPort:               8080/TCP\n",
        "Session Affinity:         None\nInternal Traffic Policy:  Cluster\n",
    ] {
        assert!(text.contains(want), "{want}\nin\n{text}");
    }
    let endpoints = format!("Endpoints:                {} + 1 more...\n", shown.join(","));
    assert!(text.contains(&endpoints), "{endpoints}\nin\n{text}");
    let (slice, _) = output_and_errors(
        &session,
        "kubectl describe endpointslice -l kubernetes.io/service-name=web",
    );
    for want in [
        "AddressType:  IPv4\nPorts:\n  Name  Port  Protocol\n  ----  ----  --------\n  http  8080  TCP\nEndpoints:\n  - Addresses:  ",
        "    Conditions:\n      Ready:    true\n    Hostname:   <unset>\n    TargetRef:  Pod/web-",
        "Events:         <none>\n",
    ] {
        assert!(slice.contains(want), "{want}\nin\n{slice}");
    }
}

// Shows: K-02, KC-077
#[test]
fn policy_and_config_descriptions_equal_kubectl() {
    let session = session_after(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\ndescription: very important\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata: {a: \"1\", b: \"x\\ny\"}\nbinaryData: {c: AAAA}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: pass}\ntype: Opaque\ndata: {key: c2VjcmV0}\n---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}}\nprovisioner: disk.example.com\nparameters: {kind: ssd}\nvolumeBindingMode: WaitForFirstConsumer\nallowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}]}]\n",
        0,
    );
    for (line, want) in [
        (
            "kubectl describe pdb web",
            "\
Name:           web
Namespace:      default
Min available:  50%
Selector:       app=web
Status:
    Allowed disruptions:  0
    Current:              0
    Desired:              0
    Total:                0
Events:                   <none>
",
        ),
        (
            "kubectl describe pc high",
            "\
Name:              high
Value:             1000
GlobalDefault:     false
PreemptionPolicy:  PreemptLowerPriority
Description:       very important
Annotations:       <none>
Events:            <none>
",
        ),
        (
            "kubectl describe cm conf",
            "\
Name:         conf
Namespace:    default
Labels:       <none>
Annotations:  <none>

Data
====
a:
----
1

b:
----
x
y


BinaryData
====
c: 3 bytes

Events:  <none>
",
        ),
        (
            "kubectl describe secret pass",
            "\
Name:         pass
Namespace:    default
Labels:       <none>
Annotations:  <none>

Type:  Opaque

Data
====
key:  6 bytes
",
        ),
        (
            "kubectl describe ns default",
            "\
Name:         default
Labels:       kubernetes.io/metadata.name=default
Annotations:  <none>
Status:       Active

No resource quota.

No LimitRange resource.
",
        ),
        (
            "kubectl describe sc fast",
            "\
Name:                  fast
IsDefaultClass:        Yes
Annotations:           storageclass.kubernetes.io/is-default-class=true
Provisioner:           disk.example.com
Parameters:            kind=ssd
AllowVolumeExpansion:  <unset>
MountOptions:          <none>
ReclaimPolicy:         Delete
VolumeBindingMode:     WaitForFirstConsumer
AllowedTopologies:    ␠
  Term 0:              zone in [a, b]
Events:                <none>
",
        ),
    ] {
        assert_output(&session, line, want);
    }
}

// For kinds without their own description, `kubectl describe` shows all fields. Field names are split into words, and
// acronyms are in capitals.
// Shows: K-02
#[test]
fn description_of_other_kinds_equals_kubectl() {
    let session = session_after(
        "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: l, uid: l1, creationTimestamp: 2025-12-31T00:00:00Z, resourceVersion: \"7\"}\nspec: {holderIdentity: me, leaseDurationSeconds: 15}\n",
        0,
    );
    let (text, _) = output_and_errors(&session, "kubectl describe lease l");
    assert!(
        text.starts_with("Name:         l\nNamespace:    default\nLabels:       <none>\nAnnotations:  <none>\nAPI Version:  coordination.k8s.io/v1\nKind:         Lease\nMetadata:\n  Creation Timestamp:  2025-12-31T00:00:00Z\n  Resource Version:    "),
        "{text}"
    );
    assert!(
        text.ends_with("  UID:                 l1\nSpec:\n  Holder Identity:         me\n  Lease Duration Seconds:  15\nEvents:                    <none>\n"),
        "{text}"
    );
}
