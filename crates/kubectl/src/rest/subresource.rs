//! Writes of subresources whose bodies have types of their own: `binding`, `eviction`, `scale` (HT-110 to HT-113).

use std::sync::Arc;

use podscope_api::{Labels, Node, NodeName, Object, ObjectMeta, Uid};
use podscope_cluster::{ApiError, Cause, Mutation, Objects, Part, Request, StatusReason};
use serde_json::Value;

use super::body::{self, check_name};
use super::delete::delete_options;
use super::options::Options;
use super::{ApiCall, ScalePaths, Target, TranslatedCall};
use crate::scale::has_scale;

fn single_request(request: Request) -> TranslatedCall {
    TranslatedCall {
        requests: vec![request],
        warnings: Vec::new(),
    }
}

/// Returns the string at a JSON pointer; empty if there is none.
fn string_at_pointer<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Checks that the body names the object of the URL.
fn check_name_in_body(value: &Value, target: &Target, what: &str) -> Result<(), ApiError> {
    let name = string_at_pointer(value, "/metadata/name");
    if *name != *target.key.name {
        return Err(ApiError::bad_request(format!(
            "name in URL does not match name in {what} object"
        )));
    }
    Ok(())
}

/// Translates a POST of a Binding, which binds a pod to a node.
pub(super) fn translate_binding(call: &ApiCall, target: &Target) -> Result<TranslatedCall, ApiError> {
    let value = body::decode(call, "Binding")?;
    check_name_in_body(&value, target, "Binding")?;
    let node = string_at_pointer(&value, "/target/name");
    match string_at_pointer(&value, "/target/kind") {
        "" | "Node" if node.is_empty() => Err(ApiError::without_reason("target.name: Required value".into())),
        "" | "Node" => Ok(single_request(Request::Bind {
            pod: target.key.clone(),
            uid: Uid(string_at_pointer(&value, "/metadata/uid").into()),
            node: NodeName(node.into()),
            metadata: sent_metadata(&value),
        })),
        other => Err(ApiError::without_reason(format!(
            "target.kind: Unsupported value: {other:?}: supported values: \"Node\", \"<empty>\""
        ))),
    }
}

/// Returns the labels and annotations of a Binding, which are copied to the pod.
fn sent_metadata(binding: &Value) -> Option<Box<ObjectMeta>> {
    let texts = |field: &str| -> Labels {
        let map = binding["metadata"][field].as_object();
        let pairs = map.into_iter().flatten();
        let pairs = pairs.filter_map(|(key, value)| Some((key.as_str().into(), value.as_str()?.into())));
        Arc::new(pairs.collect())
    };
    let metadata = ObjectMeta {
        labels: texts("labels"),
        annotations: texts("annotations"),
        ..ObjectMeta::default()
    };
    let is_empty = metadata.labels.is_empty() && metadata.annotations.is_empty();
    (!is_empty).then(|| Box::new(metadata))
}

/// Returns an error if the pod is bound to a simulated node, because its kubelet would have to start the container.
///
/// Deviation: simulated kubelets do not run ephemeral containers, so only pods without a kubelet can have them.
pub(super) fn refuse_ephemeral_containers(target: &Target, objects: &Objects) -> Result<(), ApiError> {
    let pod = objects.get_kind(target.kind, &target.key);
    let node = match &pod {
        Some(Object::Pod(pod)) => pod.spec.node_name.as_ref(),
        _ => None,
    };
    match node.and_then(|node| objects.named::<Node>(node.as_str())) {
        None => Ok(()),
        Some(_) => Err(ApiError {
            code: 501,
            reason: StatusReason::NotImplemented,
            ..ApiError::bad_request("ephemeral containers are not simulated")
        }),
    }
}

/// Translates a POST of an Eviction of a pod.
pub(super) fn translate_eviction(
    call: &ApiCall,
    target: &Target,
    options: &mut Options,
) -> Result<TranslatedCall, ApiError> {
    let value = body::decode(call, "Eviction")?;
    check_name_in_body(&value, target, "Eviction")?;
    let how = delete_options(&value["deleteOptions"], options)?;
    Ok(single_request(Request::Evict {
        pod: target.key.clone(),
        options: how,
    }))
}

/// Translates a PUT of a namespace's `finalize` subresource: the namespace gets the finalizers of the sent `spec`.
pub(super) fn translate_finalize(call: &ApiCall, target: &Target) -> Result<TranslatedCall, ApiError> {
    let value = body::decode(call, "Namespace")?;
    check_name(&value, &target.key.name)?;
    let finalizers = podscope_api::untyped::texts(&value["spec"], "finalizers");
    Ok(single_request(Request::Finalize {
        namespace: target.key.name.clone(),
        finalizers: Some(finalizers.into_iter().map(Into::into).collect()),
    }))
}

/// Translates a PUT of a `Scale`.
pub(super) fn translate_put_scale(
    call: &ApiCall,
    target: &Target,
    options: &Options,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    let paths = ScalePaths::of(target.kind, objects);
    if !has_scale(target.kind) && paths.is_none() {
        return Err(super::no_subresource(target.kind, &target.key.name));
    }
    let value = body::decode(call, "Scale")?;
    if !matches!(string_at_pointer(&value, "/kind"), "" | "Scale") {
        let (version, kind) = (
            string_at_pointer(&value, "/apiVersion"),
            string_at_pointer(&value, "/kind"),
        );
        let version = version.rsplit('/').next().unwrap_or_default();
        return Err(ApiError::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a Scale: converting ({version}.{kind}) to (autoscaling.Scale): unknown conversion"
        )));
    }
    check_name(&value, &target.key.name)?;
    let change = Mutation::from_fallible(options.manager.clone(), move |live| {
        ApiError::check_resource_version(live, string_at_pointer(&value, "/metadata/resourceVersion"))?;
        with_replicas(live, &value, paths.as_ref())
    });
    let uid = uid_in_body(call);
    Ok(single_request(Request::Patch {
        kind: target.kind,
        key: target.key.clone(),
        uid,
        part: Part::Main,
        change: change.with_subresource("scale"),
    }))
}

/// Returns the UID in the metadata of the body, if it has one.
fn uid_in_body(call: &ApiCall) -> Option<Uid> {
    let value = body::parse_json(&call.body).ok()?;
    let uid = string_at_pointer(&value, "/metadata/uid");
    (!uid.is_empty()).then(|| Uid(uid.into()))
}

/// Converts an applied `Scale` to a document of the scaled kind that sets the same number of replicas.
pub(super) fn scaled_document(scale: &Value, target: &Target, objects: &Objects) -> Result<Value, ApiError> {
    let path = match ScalePaths::of(target.kind, objects) {
        Some(paths) => paths.spec_replicas_path(),
        None if has_scale(target.kind) => "spec/replicas".to_owned(),
        None => return Err(super::no_subresource(target.kind, &target.key.name)),
    };
    let mut document = serde_json::json!({
        "apiVersion": target.served.api_version,
        "kind": target.served.kind,
        "metadata": {"name": &*target.key.name},
    });
    if let Some(replicas) = scale.pointer("/spec/replicas") {
        super::custom::set_at_path(&mut document, &path, replicas.clone());
    }
    Ok(document)
}

/// Returns the object with the number of replicas of a `Scale`.
pub(super) fn with_replicas(live: &Object, scale: &Value, paths: Option<&ScalePaths>) -> Result<Object, ApiError> {
    let replicas = match scale.pointer("/spec/replicas") {
        None | Some(Value::Null) => 0,
        Some(value) => value.as_i64().ok_or_else(|| {
            ApiError::bad_request(format!(
                "json: cannot unmarshal {} into Go struct field ScaleSpec.spec.replicas of type int32",
                body::json_value_go_type(value)
            ))
        })?,
    };
    if replicas < 0 {
        let why = Cause::new(
            "spec.replicas",
            format!("Invalid value: {replicas}: must be greater than or equal to 0"),
        )
        .with_reason("FieldValueInvalid");
        return Err(ApiError::invalid_of(
            "Scale.autoscaling",
            &live.metadata().name,
            vec![why],
        ));
    }
    if let Some(paths) = paths {
        return paths.with_replicas(live, replicas);
    }
    let mut value = live.to_value();
    value["spec"]["replicas"] = replicas.into();
    podscope_api::object_from_value(&value).map_err(|errors| {
        let first = errors.into_iter().next();
        ApiError::bad_request(first.map_or_else(String::new, |error| error.message))
    })
}
