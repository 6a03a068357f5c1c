//! `apply`: client-side three-way merge or server-side apply (KC-094 to KC-096).

use std::sync::Arc;

use podscope_api::managed::{FieldManager, FieldManagers};
use podscope_api::schema::Rejection;
use podscope_api::well_known::annotation::LAST_APPLIED;
use podscope_api::{Kind, Object, ObjectKey};
use podscope_cluster::client::{Write, object_name};
use podscope_cluster::{ApiError, ApplyRequest, DeleteOptions, Part, Propagation, Request};
use serde_json::Value;

use super::super::merge::{printed_apply_patch, three_way_json_merge, three_way_merge};
use super::super::selector::LabelQuery;
use super::manifest::{self, malformed_object};
use super::manifest_reader::{Manifest, ManifestItem, without_fields};
use super::patch::{check_convertible, identity_change_error, invalid_patch};
use super::{Plan, View, change_request, saved_config, typed_name};
use crate::command::{Apply, ServerSide};
use crate::refusals::{METHOD_NOT_ALLOWED, Refusal};

/// Field manager of client-side apply.
const CLIENT_SIDE_MANAGER: &str = "kubectl-client-side-apply";

/// Plans `kubectl apply -f -`.
pub(super) fn plan_apply(apply: &Apply, view: &View<'_>) -> Plan {
    let query = match LabelQuery::parse(apply.selector.as_deref().unwrap_or_default()) {
        Ok(query) => query,
        Err(why) => return Plan::refuse(format!("error: {why}")),
    };
    let mut applied = Vec::new();
    let mut found = Manifest::read(
        &apply.manifest,
        apply.namespace.as_deref(),
        apply.validation,
        view.objects,
    );
    found.retain(|object| query.matches(object));
    if found.is_empty() {
        return Plan::refuse("error: no objects passed to apply");
    }
    let mut outcome = found.for_each_item(|item, plan, writes| {
        if let ManifestItem::Object { object, .. } = &item {
            applied.push((object.kind(), object.key()));
            if object.metadata().name.is_empty() {
                return Err(missing_name_error(object));
            }
        }
        writes.push(match &apply.server_side {
            Some(options) => server_side_apply(item, options)?,
            None => client_side_apply(item, apply.force, view, plan)?,
        });
        Ok(())
    });
    if apply.prune && outcome.errors.is_empty() {
        let to_prune = objects_to_prune(&applied, &query, &apply.prune_allowlist, view, &mut outcome.plan);
        outcome
            .writes
            .extend(to_prune.into_iter().map(|object| prune_request(&object)));
    }
    outcome.finish()
}

/// Kinds that `--prune` deletes by default, in kubectl's order.
const PRUNED_KINDS: &[Kind] = &[
    Kind::ConfigMap,
    Kind::Endpoints,
    Kind::PersistentVolumeClaim,
    Kind::Pod,
    Kind::ReplicationController,
    Kind::Secret,
    Kind::Service,
    Kind::Job,
    Kind::CronJob,
    Kind::Ingress,
    Kind::DaemonSet,
    Kind::Deployment,
    Kind::ReplicaSet,
    Kind::StatefulSet,
    Kind::Namespace,
    Kind::PersistentVolume,
];

/// Returns the objects that `--prune` deletes: they have the last-applied annotation, match the selector, and are not
/// in the manifest. Namespaced objects are searched only in the namespaces of the manifest's objects.
fn objects_to_prune(
    applied: &[(Kind, ObjectKey)],
    query: &LabelQuery,
    allowlist: &[Kind],
    view: &View<'_>,
    plan: &mut Plan,
) -> Vec<Object> {
    let why = "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.";
    let kinds = match allowlist {
        [] => {
            plan.warn_unprefixed(super::super::gotext::klog_line('W', view.now, "prune.go:71", why));
            PRUNED_KINDS
        }
        kinds => kinds,
    };
    let namespaced = applied.iter().filter(|(kind, _)| kind.is_namespaced());
    let namespaces: podscope_api::ordered::Set<&str> = namespaced.map(|(_, key)| &*key.namespace).collect();
    if !namespaces.is_empty() && kinds.contains(&Kind::Endpoints) {
        plan.warn(podscope_api::DEPRECATED_ENDPOINTS);
    }
    let mut to_prune: Vec<Object> = Vec::new();
    for namespace in namespaces {
        let kinds = kinds.iter().filter(|kind| kind.is_namespaced());
        to_prune.extend(kinds.flat_map(|kind| view.objects.list_kind_in(*kind, namespace)));
    }
    let kinds = kinds.iter().filter(|kind| !kind.is_namespaced());
    to_prune.extend(kinds.flat_map(|kind| view.objects.list_kind(*kind)));
    to_prune.retain(|object| {
        let is_applied = |(kind, key): &(Kind, ObjectKey)| *kind == object.kind() && *key == object.key();
        object.metadata().annotation(LAST_APPLIED).is_some() && query.matches(object) && !applied.iter().any(is_applied)
    });
    to_prune
}

/// Returns the request that deletes a pruned object.
fn prune_request(object: &Object) -> Write {
    let options = DeleteOptions {
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    };
    let (kind, key) = (object.kind(), object.key());
    let success = format!("{} pruned", typed_name(object));
    Write::new(Request::Delete { kind, key, options }, success)
}

/// Plans the request of server-side apply.
fn server_side_apply(item: ManifestItem, options: &ServerSide) -> Result<Write, Refusal> {
    let (kind, key, document) = item.into_document().ok_or_else(|| Refusal::as_is(METHOD_NOT_ALLOWED))?;
    let success = format!("{} serverside-applied", object_name(kind, &key.name));
    let applied = ApplyRequest {
        kind,
        key,
        document,
        manager: options.manager.as_str().into(),
        subresource: Default::default(),
        force: options.force_conflicts,
    };
    Ok(Write::new(Request::Apply(Arc::new(applied)), success))
}

/// Plans the request of client-side apply: creates an object that does not exist, otherwise patches it.
fn client_side_apply(item: ManifestItem, force: bool, view: &View<'_>, plan: &mut Plan) -> Result<Write, Refusal> {
    match item {
        ManifestItem::Object {
            object,
            document,
            unknown,
        } => {
            plan.warn_unknown_fields(&unknown);
            match view.objects.get_kind(object.kind(), &object.key()) {
                None => Ok(create_request(object, &document)),
                Some(live) => patch_request(object, document, &live, force, plan),
            }
        }
        ManifestItem::Malformed {
            kind,
            key,
            why,
            document,
        } => match view.objects.get_kind(kind, &key) {
            Some(live) => Err(undecodable_patch_error(&live, document)),
            None => Ok(malformed_object(kind, key, why)),
        },
        ManifestItem::Binding { .. } => Err(Refusal::as_is(METHOD_NOT_ALLOWED)),
    }
}

/// Returns the request that creates the object.
fn create_request(mut object: Object, document: &Value) -> Write {
    let success = format!("{} created", typed_name(&object));
    saved_config::set_last_applied_of_object(&mut object, &saved_config::last_applied_of_manifest(document));
    object.metadata_mut().managers = FieldManagers::of(vec![FieldManager::of_sender(CLIENT_SIDE_MANAGER)]);
    manifest::write_with_create_error_prefix(Request::Create(object), success)
}

/// Returns the patch request, a three-way merge of the last applied configuration, the document and the live object.
fn patch_request(
    object: Object,
    document: Value,
    live: &Object,
    force: bool,
    plan: &mut Plan,
) -> Result<Write, Refusal> {
    let name = typed_name(&object);
    let applied = saved_config::last_applied_of_manifest(&document);
    let mut desired = document.clone();
    saved_config::set_last_applied_annotation(&mut desired, &applied);
    if live.metadata().is_terminating() {
        plan.warn(format_args!(
            "Detected changes to resource {} which is currently being deleted.",
            object.metadata().name
        ));
    }
    let original = match live.metadata().annotation(LAST_APPLIED) {
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        None => {
            plan.warn(format_args!(
                "resource {}/{} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
                object.kind().plural(),
                object.metadata().name
            ));
            Value::Null
        }
    };
    if let Some(map) = desired.as_object_mut() {
        map.shift_remove("status");
    }
    if let Some(why) =
        version_conflict_error(&original, &desired, live).or_else(|| identity_change_error(live, &desired))
    {
        return Err(why);
    }
    let fields = match check_convertible(object.kind(), &desired) {
        Err(Rejection::Unknown(fields)) => fields,
        _ => Vec::new(),
    };
    // kubectl prints `unchanged` only if the patch is empty. A patch without effect, for example of an unknown field,
    // prints `configured`.
    let before = live.to_value();
    let merge = match live.kind() {
        Kind::Custom(_) => three_way_json_merge,
        _ => three_way_merge,
    };
    let is_empty = merge(&original, &desired, &before) == before;
    let mut write = change_request(
        live,
        Part::Main,
        CLIENT_SIDE_MANAGER,
        &format!("{name} configured"),
        is_empty.then(|| format!("{name} unchanged")),
        move |live| Ok(without_fields(&merge(&original, &desired, live), &fields)),
    )?;
    if force {
        write.instead = delete_and_create(live, object, &document);
    }
    Ok(write)
}

/// Returns the requests of `--force`, which delete and recreate an object whose patch the server rejects.
fn delete_and_create(live: &Object, object: Object, document: &Value) -> Vec<Write> {
    let options = DeleteOptions {
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    };
    let (kind, key) = (live.kind(), live.key());
    let success = format!("{} configured", typed_name(live));
    vec![
        Write {
            until_gone: true,
            ..Write::new(Request::Delete { kind, key, options }, "")
        },
        Write {
            success,
            ..create_request(object, document)
        },
    ]
}

/// Returns the server's error if the manifest would make an existing object undecodable.
fn undecodable_patch_error(live: &Object, document: Value) -> Refusal {
    let applied = saved_config::last_applied_of_manifest(&document);
    let mut desired = document;
    saved_config::set_last_applied_annotation(&mut desired, &applied);
    let original = live.metadata().annotation(LAST_APPLIED);
    let original = original
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Value::Null);
    let live_value = live.to_value();
    let patch = printed_apply_patch(&original, &desired, &live_value);
    match check_convertible(live.kind(), &three_way_merge(&original, &desired, &live_value)) {
        Err(why) => invalid_patch(&patch, &why),
        Ok(()) => Refusal::as_is(""),
    }
}

/// Returns the server's conflict error if the manifest names another resourceVersion than the current one.
fn version_conflict_error(original: &Value, desired: &Value, live: &Object) -> Option<Refusal> {
    let wanted = desired.pointer("/metadata/resourceVersion")?.as_str()?;
    let error = ApiError::check_resource_version(live, wanted).err()?;
    let (kind, metadata) = (live.kind(), live.metadata());
    let (group, version) = kind.group_and_version();
    let patch = crate::gotext::json(&printed_apply_patch(original, desired, &live.to_value()));
    Some(Refusal::as_is(format!(
        "Error from server (Conflict): error when applying patch:\n{patch}\nto:\nResource: \"{group}/{version}, Resource={}\", GroupVersionKind: \"{group}/{version}, Kind={}\"\nName: {:?}, Namespace: {:?}\nfor: \"STDIN\": error when patching \"STDIN\": {}",
        kind.plural(),
        kind.name(),
        &*metadata.name,
        &*metadata.namespace,
        error.message,
    )))
}

/// Returns kubectl's error about an object without a name: `apply` cannot look up the live object.
fn missing_name_error(object: &Object) -> Refusal {
    let metadata = object.metadata();
    if !metadata.generate_name.is_empty() {
        return Refusal::kubectl_error(format!(
            "from {}: cannot use generate name with apply",
            metadata.generate_name
        ));
    }
    let kind = object.kind();
    let (group, version) = kind.group_and_version();
    Refusal::kubectl_error(format!(
        "error when retrieving current configuration of:\nResource: \"{group}/{version}, Resource={}\", GroupVersionKind: \"{group}/{version}, Kind={}\"\nName: \"\", Namespace: {:?}\nfrom server for: \"STDIN\": resource name may not be empty",
        kind.plural(),
        kind.name(),
        &*metadata.namespace,
    ))
}
