//! ControllerRevisions: the template history of a StatefulSet or DaemonSet.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{ControllerRevision, Extra, Kind, ObjectMeta, Resource, Str, object_from_value};
use serde_json::{Value, json};

use podscope_sim::{DeleteOptions, Mutation, Objects, Part, Request};

use super::owner::controller_ref;
use super::plan::{Accept, Action};
use super::template::{Template, fnv_hash, with_label};

/// Label of a pod: the name of its revision for a StatefulSet, the hash of its revision for a DaemonSet.
pub(super) const REVISION_LABEL: &str = "controller-revision-hash";
const HASH_LABEL: &str = "controller.kubernetes.io/hash";

/// The template history of a workload, and the request that updates the history.
pub(super) struct RevisionHistory {
    /// All revisions, oldest first, including that of the current template.
    pub(super) all: Vec<Arc<ControllerRevision>>,
    /// The revision of the current template.
    pub(super) update: Arc<ControllerRevision>,
    pub(super) action: Option<Action>,
}

/// Finds or creates the revision of the current template. An older revision with the same template becomes the newest.
pub(super) fn revision_history<T: Resource>(
    objects: &Objects,
    owner: &T,
    template: &Template,
    collision_count: Option<i32>,
) -> RevisionHistory {
    let meta = owner.metadata();
    let owned = |revision: &&Arc<ControllerRevision>| {
        revision
            .metadata
            .controller_ref()
            .is_some_and(|reference| reference.uid == meta.uid)
    };
    let mut all: Vec<Arc<ControllerRevision>> = objects.list_in(&meta.namespace).filter(owned).cloned().collect();
    all.stable_sort_by_key(|revision| {
        (
            revision.revision,
            revision.metadata.creation_timestamp,
            revision.metadata.name.clone(),
        )
    });
    let next = all.last().map_or(0, |revision| revision.revision) + 1;
    let data = revision_data_of(template);
    let equal = all.iter().rposition(|revision| revision.data.as_deref() == Some(&data));
    // A revision created by a real API server may have the same template with additional fields, such as
    // `creationTimestamp: null`.
    let equal = equal.or_else(|| all.iter().rposition(|revision| has_template(revision, template)));
    match equal {
        Some(position) if position + 1 == all.len() => RevisionHistory {
            update: all[position].clone(),
            all,
            action: None,
        },
        Some(position) => {
            let mut renewed = (*all.remove(position)).clone();
            renewed.revision = next;
            let renewed = Arc::new(renewed);
            all.push(renewed.clone());
            let change = Mutation::new("revision", move |revision: &mut ControllerRevision| {
                revision.revision = next
            });
            let action = Action::from(Request::Patch {
                kind: Kind::ControllerRevision,
                key: renewed.metadata.key(),
                uid: Some(renewed.metadata.uid.clone()),
                part: Part::Main,
                change,
            });
            RevisionHistory {
                all,
                update: renewed,
                action: Some(action),
            }
        }
        None => {
            // If the current revision was not imported, its hash is taken from its name, which imported objects contain
            // (P-09).
            let known_hash = objects.assumed().current_revision(&meta.uid).filter(|_| all.is_empty());
            let known_hash = known_hash.and_then(|name| name.strip_prefix(&*meta.name)?.strip_prefix('-'));
            let hash = known_hash.map_or_else(|| fnv_hash(&data.to_string(), collision_count), str::to_owned);
            let revision = Arc::new(ControllerRevision {
                metadata: ObjectMeta {
                    name: format!("{}-{hash}", meta.name).into(),
                    namespace: meta.namespace.clone(),
                    labels: with_label(&template.0.metadata.labels, HASH_LABEL, &hash),
                    annotations: meta.annotations.clone(),
                    owner_references: vec![controller_ref(owner)],
                    ..ObjectMeta::default()
                },
                data: Some(Arc::new(data)),
                revision: next,
                extra: Extra::default(),
            });
            all.push(revision.clone());
            let action = Action::from(Request::Create(revision.clone().into_object())).accept(Accept::OrAlreadyExists);
            RevisionHistory {
                all,
                update: revision,
                action: Some(action),
            }
        }
    }
}

/// Deletes the oldest revisions beyond the history limit, except those that pods or the status use.
pub(super) fn truncate_history(history: &RevisionHistory, limit: Option<i32>, live: &ordered::Set<Str>) -> Vec<Action> {
    let limit = usize::try_from(limit.unwrap_or(10)).unwrap_or(0);
    let is_live = |revision: &ControllerRevision| {
        live.contains(&revision.metadata.name)
            || live.contains(&*hash_of(revision))
            || revision.metadata.name == history.update.metadata.name
    };
    let unused: Vec<_> = history.all.iter().filter(|revision| !is_live(revision)).collect();
    unused
        .iter()
        .take(unused.len().saturating_sub(limit))
        .map(|revision| {
            Action::from(Request::Delete {
                kind: Kind::ControllerRevision,
                key: revision.metadata.key(),
                options: DeleteOptions::default(),
            })
            .accept(Accept::OrNotFound)
        })
        .collect()
}

/// Returns the hash of a revision from its label `controller.kubernetes.io/hash`, or from `controller-revision-hash`,
/// which the DaemonSet controller of a real cluster sets instead.
pub(super) fn hash_of(revision: &ControllerRevision) -> Str {
    let labels = &revision.metadata.labels;
    labels
        .get(HASH_LABEL)
        .or_else(|| labels.get(REVISION_LABEL))
        .cloned()
        .unwrap_or_else(|| "".into())
}

/// Returns the field `data` of the revision of a template.
fn revision_data_of(template: &Template) -> Value {
    let mut tree = template.value();
    if let Value::Object(map) = &mut tree {
        map.insert("$patch".into(), "replace".into());
    }
    json!({"spec": {"template": tree}})
}

/// Returns whether a revision has the template, regardless of its other fields.
fn has_template(revision: &ControllerRevision, template: &Template) -> bool {
    let revision_template = revision.data.as_ref().and_then(|data| data.pointer("/spec/template"));
    revision_template.is_some() && template_of(revision, template) == *template
}

/// Returns the template of a revision; the current template if the revision contains none.
pub(super) fn template_of(revision: &ControllerRevision, current: &Template) -> Template {
    let tree = revision.data.as_ref().and_then(|data| data.pointer("/spec/template"));
    let Some(Value::Object(mut template)) = tree.cloned() else {
        return current.clone();
    };
    template.remove("$patch");
    let kind = Kind::ReplicaSet;
    let carrier = json!({
        "apiVersion": kind.api_version(), "kind": kind.name(), "metadata": {"name": "revision"},
        "spec": {"template": template},
    });
    let decoded = object_from_value(&carrier).ok();
    decoded
        .and_then(|object| object.template().cloned())
        .map_or_else(|| current.clone(), Template)
}
