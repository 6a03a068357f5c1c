//! Fields that Go omits when they are empty (`omitempty`): `false`, 0, an empty list or an empty map is not stored,
//! even if the manifest contains it (VA-355). For a field that is a pointer in Go, the value in the manifest is stored
//! even if it is empty.
//!
//! The table marks the field `policies` of scaling rules as stored, although Go omits an empty list: the API server
//! refuses an empty list before the object is stored (VA-307).

use std::sync::OnceLock;

use crate::Kind;
use crate::tree::{Data, Tree};

use super::{GoType, Shape, Struct, StructField, schema_tables, served};

/// Names of fields that at least one struct omits when they are empty, by type; each list is sorted.
struct OmittableFieldNames {
    /// Names of booleans and integers.
    scalars: Vec<&'static str>,
    /// Names of maps. Any other empty JSON object is a struct, which is stored.
    maps: Vec<&'static str>,
}

fn omittable_field_names() -> &'static OmittableFieldNames {
    static NAMES: OnceLock<OmittableFieldNames> = OnceLock::new();
    NAMES.get_or_init(|| {
        let (mut scalars, mut maps) = (Vec::new(), Vec::new());
        let fields = schema_tables().structs.iter().flat_map(|one| one.fields());
        for field in fields.filter(|field| field.omits_empty()) {
            match field.of.shape() {
                Shape::Leaf(leaf) if leaf == "bool" || is_integer_type(leaf) => scalars.push(field.name),
                Shape::Map(_) => maps.push(field.name),
                Shape::Leaf(_) | Shape::List(_) | Shape::Struct(_) => {}
            }
        }
        for names in [&mut scalars, &mut maps] {
            names.sort_unstable();
            names.dedup();
        }
        OmittableFieldNames { scalars, maps }
    })
}

impl StructField {
    /// Returns whether Go omits the field when it is empty. A pointer to an empty value is not empty.
    fn omits_empty(self) -> bool {
        !self.is_printed_if_empty && !self.of.is_pointer()
    }
}

fn is_integer_type(leaf: &str) -> bool {
    leaf.starts_with("int")
}

#[derive(Clone, Copy)]
enum PathStep<'n> {
    Key(&'n str),
    Index(usize),
}

/// Returns the object without the empty fields that Go omits; None if there are no such fields.
pub(crate) fn without_omitted_empty_fields<'n>(kind: Kind, tree: &Tree<'n>) -> Option<Tree<'n>> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    let root = || served(kind.api_version(), kind.name()).map(|served| served.fields);
    collect_omitted_paths(tree, &mut path, &root, &mut found);
    if found.is_empty() {
        return None;
    }
    let mut pruned = tree.clone();
    for path in &found {
        remove_at_path(&mut pruned, path);
    }
    Some(pruned)
}

/// Returns whether at least one struct omits a field with this name and value: a cheap test before the struct is looked
/// up.
fn may_any_struct_omit(name: &str, value: &Data<'_>) -> bool {
    match value {
        Data::Bool(false) | Data::Int(0) => omittable_field_names().scalars.binary_search(&name).is_ok(),
        Data::Seq(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty() && omittable_field_names().maps.binary_search(&name).is_ok(),
        _ => false,
    }
}

fn collect_omitted_paths<'n>(
    tree: &'n Tree<'_>,
    path: &mut Vec<PathStep<'n>>,
    root: &dyn Fn() -> Option<Struct>,
    found: &mut Vec<Vec<String>>,
) {
    match &tree.data {
        Data::Map(entries) => {
            for entry in entries {
                path.push(PathStep::Key(&entry.key));
                if may_any_struct_omit(&entry.key, &entry.value.data) {
                    if is_omitted_by_struct(root(), path, &entry.value.data) {
                        found.push(path.iter().map(path_element_text).collect());
                    }
                } else {
                    collect_omitted_paths(&entry.value, path, root, found);
                }
                path.pop();
            }
        }
        Data::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(PathStep::Index(index));
                collect_omitted_paths(item, path, root, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn path_element_text(step: &PathStep<'_>) -> String {
    match step {
        PathStep::Key(key) => (*key).to_owned(),
        PathStep::Index(index) => index.to_string(),
    }
}

/// Returns whether the struct that holds the field omits this value.
fn is_omitted_by_struct(root: Option<Struct>, path: &[PathStep<'_>], value: &Data<'_>) -> bool {
    let Some((PathStep::Key(name), above)) = path.split_last() else {
        return false;
    };
    let Some(holder) = root.and_then(|root| struct_at_path(root, above)) else {
        return false;
    };
    let Some(field) = holder.field(name).filter(|field| field.omits_empty()) else {
        return false;
    };
    match (field.of.shape(), value) {
        // A value whose type is not the field's type must stay, because it is refused later.
        (Shape::Leaf(leaf), Data::Bool(_)) => leaf == "bool",
        (Shape::Leaf(leaf), Data::Int(_)) => is_integer_type(leaf),
        (Shape::List(_), Data::Seq(_)) | (Shape::Map(_), Data::Map(_)) => true,
        _ => false,
    }
}

fn struct_at_path(root: Struct, path: &[PathStep<'_>]) -> Option<Struct> {
    let mut at: Result<Struct, GoType> = Ok(root);
    for step in path {
        let go_type = match (at, step) {
            (Ok(record), PathStep::Key(key)) => record.field(key)?.of,
            (Err(go_type), PathStep::Key(_)) => match go_type.shape() {
                Shape::Map(element) => element,
                _ => return None,
            },
            (Err(go_type), PathStep::Index(_)) => match go_type.shape() {
                Shape::List(element) => element,
                _ => return None,
            },
            (Ok(_), PathStep::Index(_)) => return None,
        };
        at = match go_type.shape() {
            Shape::Struct(record) => Ok(record),
            _ => Err(go_type),
        };
    }
    at.ok()
}

fn remove_at_path(tree: &mut Tree<'_>, path: &[String]) {
    let Some((step, rest)) = path.split_first() else { return };
    match &mut tree.data {
        Data::Map(entries) if rest.is_empty() => entries.retain(|entry| *entry.key != **step),
        Data::Map(entries) => {
            if let Some(entry) = entries.iter_mut().find(|entry| *entry.key == **step) {
                remove_at_path(&mut entry.value, rest);
            }
        }
        Data::Seq(items) => {
            let index = step.parse::<usize>().ok();
            if let Some(item) = index.and_then(|index| items.get_mut(index)) {
                remove_at_path(item, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StructField, struct_named};
    use crate::parse;

    /// A value whose type is not the field's type is refused, even if it is empty.
    /// Shows: VA-238
    #[test]
    fn empty_field_value_of_wrong_type_is_refused() {
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
        let flow = stored(
            "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: a}, spec: {rules: \
             [{resourceRules: [{verbs: [], apiGroups: [], resources: [], namespaces: [], clusterScope: false}]}]}}",
        );
        assert_eq!(
            flow.pointer("/spec/rules/0/resourceRules/0"),
            Some(&serde_json::json!({"verbs": [], "apiGroups": [], "resources": [], "namespaces": []}))
        );
    }

    #[test]
    fn omission_of_an_empty_field_depends_on_its_struct() {
        let omits = |name: &str, field: &str| {
            let field = struct_named(name).and_then(|of| of.field(field));
            field.map(StructField::omits_empty)
        };
        assert_eq!(omits("events/EventSeries", "count"), Some(false));
        assert_eq!(omits("EventSeries", "count"), Some(true));
        assert_eq!(omits("events/Event", "deprecatedCount"), Some(true));
        assert_eq!(omits("Endpoint", "deprecatedTopology"), Some(true));
        assert_eq!(omits("StatefulSetStatus", "availableReplicas"), Some(false));
        assert_eq!(omits("StatefulSetStatus", "currentReplicas"), Some(true));
        assert_eq!(omits("ValidatingWebhook", "admissionReviewVersions"), Some(false));
    }
}
