//! Fields that Go leaves out when they hold nothing (`omitempty`): a `false`, a 0, an empty list or map that was written is
//! not stored (VA-355). Fields that Go has as pointers keep what was written.

use crate::Kind;
use crate::tree::{Data, Tree};

use super::{GoType, Shape, Struct, served};

/// Which structs leave a field of a name out.
enum Of {
    All,
    Only(&'static [&'static str]),
    But(&'static [&'static str]),
}

/// Booleans and numbers that are left out when they are `false` or 0.
const SCALARS: &[(&str, Of)] = &[
    ("active", Of::Only(&["JobStatus"])),
    ("availableReplicas", Of::But(&["StatefulSetStatus"])),
    ("chapAuthDiscovery", Of::All),
    ("chapAuthSession", Of::All),
    ("count", Of::Only(&["Event", "EventSeries"])),
    ("deprecated", Of::All),
    ("exclusiveMaximum", Of::All),
    ("exclusiveMinimum", Of::All),
    ("failed", Of::Only(&["JobStatus"])),
    ("failureThreshold", Of::All),
    ("fullyLabeledReplicas", Of::All),
    ("generation", Of::Only(&["ObjectMeta"])),
    ("globalDefault", Of::All),
    ("healthCheckNodePort", Of::All),
    ("hostIPC", Of::All),
    ("hostNetwork", Of::All),
    ("hostPID", Of::All),
    ("hostPort", Of::All),
    ("initialDelaySeconds", Of::All),
    ("insecureSkipTLSVerify", Of::All),
    ("minReadySeconds", Of::All),
    ("nodePort", Of::All),
    ("nullable", Of::All),
    ("number", Of::Only(&["ServiceBackendPort"])),
    ("numberAvailable", Of::All),
    ("numberUnavailable", Of::All),
    ("observedGeneration", Of::But(&["HorizontalPodAutoscalerStatus"])),
    ("partition", Of::But(&["RollingUpdateStatefulSetStrategy"])),
    ("paused", Of::All),
    ("periodSeconds", Of::Only(&["Probe"])),
    ("preserveUnknownFields", Of::All),
    ("priority", Of::Only(&["CustomResourceColumnDefinition"])),
    ("publishNotReadyAddresses", Of::All),
    ("readOnly", Of::But(&["AzureDiskVolumeSource", "CSIVolumeSource"])),
    ("readyReplicas", Of::All),
    ("signal", Of::All),
    ("sizeBytes", Of::All),
    ("sslEnabled", Of::All),
    ("stdin", Of::All),
    ("stdinOnce", Of::All),
    ("succeeded", Of::Only(&["JobStatus"])),
    ("successThreshold", Of::All),
    ("timeoutSeconds", Of::Only(&["Probe"])),
    ("tty", Of::All),
    ("unavailableReplicas", Of::All),
    ("uniqueItems", Of::All),
    ("unschedulable", Of::All),
    ("updatedNumberScheduled", Of::All),
    ("updatedReplicas", Of::All),
    ("x-kubernetes-embedded-resource", Of::All),
    ("x-kubernetes-int-or-string", Of::All),
];

/// Lists that are there even when they are empty.
const SHOWN_LISTS: &[(&str, Of)] = &[
    ("addresses", Of::Only(&["Endpoint"])),
    ("containers", Of::All),
    ("currentMetrics", Of::All),
    ("drivers", Of::All),
    ("endpoints", Of::All),
    ("limits", Of::Only(&["LimitRangeSpec"])),
    ("monitors", Of::All),
    ("nodeSelectorTerms", Of::All),
    ("paths", Of::All),
    // An empty list is refused, an absent one is not (VA-307).
    ("policies", Of::Only(&["HPAScalingRules"])),
    ("ports", Of::Only(&["EndpointSlice"])),
    (
        "rules",
        Of::Only(&["Role", "ClusterRole", "PodFailurePolicy", "SuccessPolicy"]),
    ),
    ("sources", Of::All),
    ("subjects", Of::Only(&["PolicyRulesWithSubjects"])),
    ("topologyKeys", Of::All),
    (
        "values",
        Of::Only(&[
            "PodFailurePolicyOnExitCodesRequirement",
            "TopologySelectorLabelRequirement",
        ]),
    ),
    ("verbs", Of::All),
    ("versions", Of::All),
];

/// Names of fields that are maps: an empty one of them is left out. Other empty maps are structs, which stay.
const MAPS: &[&str] = &[
    "allocatable",
    "annotations",
    "attributes",
    "binaryData",
    "capacity",
    "data",
    "default",
    "defaultRequest",
    "hard",
    "labels",
    "limits",
    "matchLabels",
    "max",
    "maxLimitRequestRatio",
    "min",
    "nodeSelector",
    "options",
    "overhead",
    "parameters",
    "podFixed",
    "requests",
    "selector",
    "stringData",
    "used",
    "volumeAttributes",
];

fn holds(rules: &[(&str, Of)], field: &str, of: Struct) -> bool {
    let Some((_, rule)) = rules.iter().find(|(name, _)| *name == field) else {
        return false;
    };
    match rule {
        Of::All => true,
        Of::Only(structs) => structs.contains(&of.name()),
        Of::But(structs) => !structs.contains(&of.name()),
    }
}

/// One step down a tree.
#[derive(Clone, Copy)]
enum Step<'n> {
    Key(&'n str),
    Index(usize),
}

/// The object without what is left out; none if that is nothing.
pub(crate) fn without_empty<'n>(kind: Kind, tree: &Tree<'n>) -> Option<Tree<'n>> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    let root = || served(kind.api_version(), kind.name()).map(|served| served.fields);
    look(tree, &mut path, &root, &mut found);
    if found.is_empty() {
        return None;
    }
    let mut pruned = tree.clone();
    for path in &found {
        remove(&mut pruned, path);
    }
    Some(pruned)
}

/// Whether a value of a field may be one that is left out, whatever struct it is in.
fn may_go(name: &str, value: &Data<'_>) -> bool {
    match value {
        Data::Bool(false) | Data::Int(0) => SCALARS.iter().any(|(known, _)| *known == name),
        Data::Seq(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty() && MAPS.contains(&name),
        _ => false,
    }
}

fn look<'n>(
    tree: &'n Tree<'_>,
    path: &mut Vec<Step<'n>>,
    root: &dyn Fn() -> Option<Struct>,
    found: &mut Vec<Vec<String>>,
) {
    match &tree.data {
        Data::Map(entries) => {
            for entry in entries {
                path.push(Step::Key(&entry.key));
                if may_go(&entry.key, &entry.value.data) {
                    if goes(root(), path, &entry.value.data) {
                        found.push(path.iter().map(text_of).collect());
                    }
                } else {
                    look(&entry.value, path, root, found);
                }
                path.pop();
            }
        }
        Data::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Index(index));
                look(item, path, root, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn text_of(step: &Step<'_>) -> String {
    match step {
        Step::Key(key) => (*key).to_owned(),
        Step::Index(index) => index.to_string(),
    }
}

/// Whether the value at a path is left out by the struct that it is a field of.
fn goes(root: Option<Struct>, path: &[Step<'_>], value: &Data<'_>) -> bool {
    let Some((Step::Key(name), above)) = path.split_last() else {
        return false;
    };
    let Some(holder) = root.and_then(|root| struct_at(root, above)) else {
        return false;
    };
    let Some(field) = holder.field(name) else {
        return false;
    };
    match (field.of.shape(), value) {
        // A value of another type is refused, not left out.
        (Shape::Leaf(leaf), Data::Bool(_)) => leaf == "bool" && holds(SCALARS, name, holder),
        (Shape::Leaf(leaf), Data::Int(_)) => leaf.starts_with("int") && holds(SCALARS, name, holder),
        (Shape::List(_), Data::Seq(_)) => !holds(SHOWN_LISTS, name, holder),
        (Shape::Map(_), Data::Map(_)) => true,
        _ => false,
    }
}

fn struct_at(root: Struct, path: &[Step<'_>]) -> Option<Struct> {
    let mut at: Result<Struct, GoType> = Ok(root);
    for step in path {
        let of = match (at, step) {
            (Ok(record), Step::Key(key)) => record.field(key)?.of,
            (Err(of), Step::Key(_)) => match of.shape() {
                Shape::Map(of) => of,
                _ => return None,
            },
            (Err(of), Step::Index(_)) => match of.shape() {
                Shape::List(of) => of,
                _ => return None,
            },
            (Ok(_), Step::Index(_)) => return None,
        };
        at = match of.shape() {
            Shape::Struct(record) => Ok(record),
            _ => Err(of),
        };
    }
    at.ok()
}

fn remove(tree: &mut Tree<'_>, path: &[String]) {
    let Some((step, rest)) = path.split_first() else { return };
    match &mut tree.data {
        Data::Map(entries) if rest.is_empty() => entries.retain(|entry| *entry.key != **step),
        Data::Map(entries) => {
            if let Some(entry) = entries.iter_mut().find(|entry| *entry.key == **step) {
                remove(&mut entry.value, rest);
            }
        }
        Data::Seq(items) => {
            let index = step.parse::<usize>().ok();
            if let Some(item) = index.and_then(|index| items.get_mut(index)) {
                remove(item, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    /// A value that is none of its field's type is refused, whatever it is.
    /// Shows: VA-238
    #[test]
    fn zero_of_another_type_is_refused() {
        let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {hostNetwork: 0, containers: [{name: c, image: i, \
                   ports: [{containerPort: 80, hostPort: false}]}]}}";
        let problems: Vec<String> = parse(pod).problems.into_iter().map(|problem| problem.path).collect();
        assert_eq!(problems, ["spec.hostNetwork", "spec.containers[0].ports[0].hostPort"]);
    }

    /// VA-355.
    #[test]
    fn values_that_go_leaves_out_are_not_stored() {
        let stored = |text: &str| {
            let mut parsed = parse(text);
            assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
            parsed.objects.remove(0).value.to_value()
        };
        let class = stored(
            "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 0, globalDefault: false}",
        );
        assert_eq!(
            (class.get("globalDefault"), class.get("value")),
            (None, Some(&0.into()))
        );
        let pod = stored(
            "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {}}, spec: {hostIPC: false, hostUsers: false, volumes: \
             [{name: v, emptyDir: {}}, {name: m, nfs: {server: s, path: /, readOnly: false}}, {name: c, csi: {driver: d, \
             readOnly: false}}], containers: [{name: c, image: i, stdin: false, tty: false, command: [], securityContext: \
             {privileged: false}}]}}",
        );
        let at = |pointer: &str| pod.pointer(pointer).cloned();
        for gone in [
            "/metadata/labels",
            "/spec/hostIPC",
            "/spec/volumes/1/nfs/readOnly",
            "/spec/containers/0/stdin",
            "/spec/containers/0/command",
        ] {
            assert_eq!(at(gone), None, "{gone}");
        }
        for kept in [
            "/spec/hostUsers",
            "/spec/volumes/2/csi/readOnly",
            "/spec/containers/0/securityContext/privileged",
        ] {
            assert_eq!(at(kept), Some(false.into()), "{kept}");
        }
        assert_eq!(at("/spec/volumes/0/emptyDir"), Some(serde_json::json!({})));
        let role = stored("{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a}, rules: []}");
        assert_eq!(role.get("rules"), Some(&serde_json::json!([])));
    }
}
