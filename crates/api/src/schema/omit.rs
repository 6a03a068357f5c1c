//! Fields that Go omits when they are empty (`omitempty`): `false`, 0, an empty list or an empty map is not stored,
//! even if the manifest contains it (VA-355). Fields that are pointers in Go keep the written value.

use crate::Kind;
use crate::tree::{Data, Tree};

use super::{GoType, Shape, Struct, served};

/// The structs in which a field of a given name is omitted when empty.
enum OmittedIn {
    All,
    Only(&'static [&'static str]),
    But(&'static [&'static str]),
}

/// Booleans and numbers that are omitted when they are `false` or 0.
const SCALARS: &[(&str, OmittedIn)] = &[
    ("active", OmittedIn::Only(&["JobStatus"])),
    ("availableReplicas", OmittedIn::But(&["StatefulSetStatus"])),
    ("chapAuthDiscovery", OmittedIn::All),
    ("chapAuthSession", OmittedIn::All),
    ("count", OmittedIn::Only(&["Event", "EventSeries"])),
    ("deprecated", OmittedIn::All),
    ("exclusiveMaximum", OmittedIn::All),
    ("exclusiveMinimum", OmittedIn::All),
    ("failed", OmittedIn::Only(&["JobStatus"])),
    ("failureThreshold", OmittedIn::All),
    ("fullyLabeledReplicas", OmittedIn::All),
    ("generation", OmittedIn::Only(&["ObjectMeta"])),
    ("globalDefault", OmittedIn::All),
    ("healthCheckNodePort", OmittedIn::All),
    ("hostIPC", OmittedIn::All),
    ("hostNetwork", OmittedIn::All),
    ("hostPID", OmittedIn::All),
    ("hostPort", OmittedIn::All),
    ("initialDelaySeconds", OmittedIn::All),
    ("insecureSkipTLSVerify", OmittedIn::All),
    ("minReadySeconds", OmittedIn::All),
    ("nodePort", OmittedIn::All),
    ("nullable", OmittedIn::All),
    ("number", OmittedIn::Only(&["ServiceBackendPort"])),
    ("numberAvailable", OmittedIn::All),
    ("numberUnavailable", OmittedIn::All),
    ("observedGeneration", OmittedIn::But(&["HorizontalPodAutoscalerStatus"])),
    ("partition", OmittedIn::But(&["RollingUpdateStatefulSetStrategy"])),
    ("paused", OmittedIn::All),
    ("periodSeconds", OmittedIn::Only(&["Probe"])),
    ("preserveUnknownFields", OmittedIn::All),
    ("priority", OmittedIn::Only(&["CustomResourceColumnDefinition"])),
    ("publishNotReadyAddresses", OmittedIn::All),
    (
        "readOnly",
        OmittedIn::But(&["AzureDiskVolumeSource", "CSIVolumeSource"]),
    ),
    ("readyReplicas", OmittedIn::All),
    ("signal", OmittedIn::All),
    ("sizeBytes", OmittedIn::All),
    ("sslEnabled", OmittedIn::All),
    ("stdin", OmittedIn::All),
    ("stdinOnce", OmittedIn::All),
    ("succeeded", OmittedIn::Only(&["JobStatus"])),
    ("successThreshold", OmittedIn::All),
    ("timeoutSeconds", OmittedIn::Only(&["Probe"])),
    ("tty", OmittedIn::All),
    ("unavailableReplicas", OmittedIn::All),
    ("uniqueItems", OmittedIn::All),
    ("unschedulable", OmittedIn::All),
    ("updatedNumberScheduled", OmittedIn::All),
    ("updatedReplicas", OmittedIn::All),
    ("x-kubernetes-embedded-resource", OmittedIn::All),
    ("x-kubernetes-int-or-string", OmittedIn::All),
];

/// Lists that are stored even when they are empty.
const SHOWN_LISTS: &[(&str, OmittedIn)] = &[
    ("addresses", OmittedIn::Only(&["Endpoint"])),
    ("containers", OmittedIn::All),
    ("currentMetrics", OmittedIn::All),
    ("drivers", OmittedIn::All),
    ("endpoints", OmittedIn::All),
    ("limits", OmittedIn::Only(&["LimitRangeSpec"])),
    ("monitors", OmittedIn::All),
    ("nodeSelectorTerms", OmittedIn::All),
    ("paths", OmittedIn::All),
    // The API server refuses an empty list but accepts an absent one (VA-307).
    ("policies", OmittedIn::Only(&["HPAScalingRules"])),
    ("ports", OmittedIn::Only(&["EndpointSlice"])),
    (
        "rules",
        OmittedIn::Only(&["Role", "ClusterRole", "PodFailurePolicy", "SuccessPolicy"]),
    ),
    ("sources", OmittedIn::All),
    ("subjects", OmittedIn::Only(&["PolicyRulesWithSubjects"])),
    ("topologyKeys", OmittedIn::All),
    (
        "values",
        OmittedIn::Only(&[
            "PodFailurePolicyOnExitCodesRequirement",
            "TopologySelectorLabelRequirement",
        ]),
    ),
    ("verbs", OmittedIn::All),
    ("versions", OmittedIn::All),
];

/// Names of map fields, which are omitted when empty. Any other empty JSON object is a struct, which is stored.
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

fn applies_to(rules: &[(&str, OmittedIn)], field: &str, holder: Struct) -> bool {
    let Some((_, rule)) = rules.iter().find(|(name, _)| *name == field) else {
        return false;
    };
    match rule {
        OmittedIn::All => true,
        OmittedIn::Only(structs) => structs.contains(&holder.name()),
        OmittedIn::But(structs) => !structs.contains(&holder.name()),
    }
}

#[derive(Clone, Copy)]
enum Step<'n> {
    Key(&'n str),
    Index(usize),
}

/// The object without its omitted fields; None if nothing is omitted.
pub(crate) fn without_empty<'n>(kind: Kind, tree: &Tree<'n>) -> Option<Tree<'n>> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    let root = || served(kind.api_version(), kind.name()).map(|served| served.fields);
    collect_omitted(tree, &mut path, &root, &mut found);
    if found.is_empty() {
        return None;
    }
    let mut pruned = tree.clone();
    for path in &found {
        remove(&mut pruned, path);
    }
    Some(pruned)
}

/// Returns whether a field with this name and value is omitted in at least one struct: a cheap test before the lookup.
fn may_be_omitted(name: &str, value: &Data<'_>) -> bool {
    match value {
        Data::Bool(false) | Data::Int(0) => SCALARS.iter().any(|(known, _)| *known == name),
        Data::Seq(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty() && MAPS.contains(&name),
        _ => false,
    }
}

fn collect_omitted<'n>(
    tree: &'n Tree<'_>,
    path: &mut Vec<Step<'n>>,
    root: &dyn Fn() -> Option<Struct>,
    found: &mut Vec<Vec<String>>,
) {
    match &tree.data {
        Data::Map(entries) => {
            for entry in entries {
                path.push(Step::Key(&entry.key));
                if may_be_omitted(&entry.key, &entry.value.data) {
                    if is_omitted(root(), path, &entry.value.data) {
                        found.push(path.iter().map(text_of).collect());
                    }
                } else {
                    collect_omitted(&entry.value, path, root, found);
                }
                path.pop();
            }
        }
        Data::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Index(index));
                collect_omitted(item, path, root, found);
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

/// Returns whether the struct that holds the field omits this value.
fn is_omitted(root: Option<Struct>, path: &[Step<'_>], value: &Data<'_>) -> bool {
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
        // A value of another type is refused later, so it must stay.
        (Shape::Leaf(leaf), Data::Bool(_)) => leaf == "bool" && applies_to(SCALARS, name, holder),
        (Shape::Leaf(leaf), Data::Int(_)) => leaf.starts_with("int") && applies_to(SCALARS, name, holder),
        (Shape::List(_), Data::Seq(_)) => !applies_to(SHOWN_LISTS, name, holder),
        (Shape::Map(_), Data::Map(_)) => true,
        _ => false,
    }
}

fn struct_at(root: Struct, path: &[Step<'_>]) -> Option<Struct> {
    let mut at: Result<Struct, GoType> = Ok(root);
    for step in path {
        let go_type = match (at, step) {
            (Ok(record), Step::Key(key)) => record.field(key)?.of,
            (Err(go_type), Step::Key(_)) => match go_type.shape() {
                Shape::Map(element) => element,
                _ => return None,
            },
            (Err(go_type), Step::Index(_)) => match go_type.shape() {
                Shape::List(element) => element,
                _ => return None,
            },
            (Ok(_), Step::Index(_)) => return None,
        };
        at = match go_type.shape() {
            Shape::Struct(record) => Ok(record),
            _ => Err(go_type),
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

    /// A value of a type other than its field's is refused, even if it is empty.
    /// Shows: VA-238
    #[test]
    fn zero_of_another_type_is_refused() {
        let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {hostNetwork: 0, containers: [{name: c, image: i, \
                   ports: [{containerPort: 80, hostPort: false}]}]}}";
        let problems: Vec<String> = parse(pod).problems.into_iter().map(|problem| problem.path).collect();
        assert_eq!(problems, ["spec.hostNetwork", "spec.containers[0].ports[0].hostPort"]);
    }

    /// Fields with `omitempty` are not stored when they are empty; pointer fields are (VA-355).
    #[test]
    fn empty_omitempty_fields_are_not_stored() {
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
        let value_at = |pointer: &str| pod.pointer(pointer).cloned();
        for omitted in [
            "/metadata/labels",
            "/spec/hostIPC",
            "/spec/volumes/1/nfs/readOnly",
            "/spec/containers/0/stdin",
            "/spec/containers/0/command",
        ] {
            assert_eq!(value_at(omitted), None, "{omitted}");
        }
        for kept in [
            "/spec/hostUsers",
            "/spec/volumes/2/csi/readOnly",
            "/spec/containers/0/securityContext/privileged",
        ] {
            assert_eq!(value_at(kept), Some(false.into()), "{kept}");
        }
        assert_eq!(value_at("/spec/volumes/0/emptyDir"), Some(serde_json::json!({})));
        let role = stored("{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a}, rules: []}");
        assert_eq!(role.get("rules"), Some(&serde_json::json!([])));
    }
}
