//! Fields of a kind, with their types as `kubectl explain` names them; read from [`crate::schema`].

use crate::Kind;
use crate::ordered::StableSort as _;
use crate::schema::{self, Struct};

/// A field of the objects of a kind, as `kubectl explain` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// The type as `kubectl explain` prints it: `string`, `[]Container`, `map[string]Quantity`.
    pub type_name: String,
}

/// Returns the fields under a path of a kind, sorted by name; a path continues through a list to its elements. None if
/// a part of the path is not a field, empty if the value there has no fields.
pub fn fields(kind: Kind, path: &[String]) -> Option<Vec<Field>> {
    let root = schema::served(kind.api_version(), kind.name())?.fields;
    let mut at = Some(root);
    for (depth, name) in path.iter().enumerate() {
        if depth == 0 && TYPE_META_FIELDS.contains(&name.as_str()) {
            at = None;
            continue;
        }
        at = at?.field(name)?.of.innermost_struct();
    }
    let envelope = path.is_empty().then_some(TYPE_META_FIELDS).into_iter().flatten();
    let envelope = envelope.map(|name| Field {
        name: (*name).to_owned(),
        type_name: "string".to_owned(),
    });
    let own = at.into_iter().flat_map(Struct::fields).map(|field| Field {
        name: field.name.to_owned(),
        type_name: field.of.to_explain_type(),
    });
    let mut found: Vec<Field> = envelope.chain(own).collect();
    found.stable_sort_by(|a, b| a.name.cmp(&b.name));
    Some(found)
}

/// Returns the values that the field at a path of a kind accepts. Empty if any value is accepted, or if there is no
/// such field.
pub fn field_values(kind: Kind, path: &[String]) -> &'static [&'static str] {
    let Some((last, parents)) = path.split_last() else {
        return &[];
    };
    let record = schema::served(kind.api_version(), kind.name()).and_then(|served| {
        let mut parents = parents.iter();
        parents.try_fold(served.fields, |at, name| at.field(name)?.of.innermost_struct())
    });
    let field = record.and_then(|record| record.field(last));
    field.map_or(&[], |field| field.of.accepted_values())
}

/// Fields that every object has in addition to those of its kind.
const TYPE_META_FIELDS: &[&str] = &["apiVersion", "kind"];

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_fields(kind: Kind, path: &str) -> Option<String> {
        let path: Vec<String> = path
            .split('.')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let rows = fields(kind, &path)?;
        let rows = rows.iter().map(|field| format!("{}:{}", field.name, field.type_name));
        Some(rows.collect::<Vec<_>>().join(" "))
    }

    /// The names and types of an object's fields match the output of `kubectl explain`.
    /// Shows: KC-114
    #[test]
    fn fields_match_kubectl_explain() {
        assert_eq!(
            describe_fields(Kind::Pod, "").as_deref(),
            Some("apiVersion:string kind:string metadata:ObjectMeta spec:PodSpec status:PodStatus")
        );
        let container = describe_fields(Kind::Pod, "spec.containers").unwrap_or_default();
        for field in [
            "image:string",
            "env:[]EnvVar",
            "livenessProbe:Probe",
            "resources:ResourceRequirements",
        ] {
            assert!(container.split(' ').any(|name| name == field), "{field}: {container}");
        }
        for kind in Kind::ALL {
            let all = describe_fields(*kind, "").unwrap_or_default();
            assert!(all.contains("metadata:ObjectMeta"), "{kind:?}: {all}");
        }
        for (kind, path, fields) in [
            (Kind::PriorityClass, "", "value:integer"),
            (Kind::PodDisruptionBudget, "spec", "maxUnavailable:IntOrString"),
            (Kind::CsiStorageCapacity, "", "capacity:Quantity"),
            (Kind::Node, "status", "capacity:map[string]Quantity"),
            (
                Kind::Deployment,
                "spec.template.spec.containers.ports",
                "containerPort:integer",
            ),
            (
                Kind::Pod,
                "status.containerStatuses.state.terminated",
                "finishedAt:string",
            ),
        ] {
            let all = describe_fields(kind, path).unwrap_or_default();
            assert!(all.split(' ').any(|name| name == fields), "{fields}: {all}");
        }
        for (kind, path, takes) in [
            (Kind::Pod, "spec.restartPolicy", "Always OnFailure Never"),
            (
                Kind::Pod,
                "spec.tolerations.effect",
                "NoSchedule PreferNoSchedule NoExecute",
            ),
            (Kind::Deployment, "spec.template.spec.hostNetwork", "true false"),
            (Kind::PersistentVolumeClaim, "spec.volumeMode", "Filesystem Block"),
            (Kind::Pod, "spec.nodeName", ""),
            (Kind::Pod, "spec.nope.x", ""),
        ] {
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            assert_eq!(field_values(kind, &path).join(" "), takes, "{kind:?} {path:?}");
        }
        assert_eq!(describe_fields(Kind::Pod, "spec.nope"), None);
        assert_eq!(describe_fields(Kind::Pod, "spec.nodeName").as_deref(), Some(""));
        assert_eq!(describe_fields(Kind::Pod, "spec.nodeName.x"), None);
    }
}
