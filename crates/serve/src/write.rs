//! Write requests: sends a call to the engine and converts its answers to HTTP responses (HT-013 to HT-017, HT-081 to
//! HT-086).

use podscope_api::{Kind, Object, ObjectKey};
use podscope_cluster::{Answer, ApiError};
use podscope_kubectl::rest::{ApiCall, ApiPath, Method, Selectors, limit, selected};
use serde_json::{Value, json};

use crate::board::Snapshot;
use crate::engine::{CallAnswers, EngineHandle};
use crate::http::{HttpRequest, Reply};
use crate::negotiate::{OfferedForms, ResponseForm};
use crate::read::{list_in_form, list_metadata, object_in_form};
use crate::route::{HandlerResult, ResourceRequest, is_pretty, negotiated_form};
use crate::status;

pub(crate) async fn write(request: ResourceRequest<'_>) -> HandlerResult {
    let (http, path, kind) = (request.http, request.path, request.kind);
    let form = negotiated_form(http, OfferedForms::Objects, false)?;
    let method = Method::named(&http.method).ok_or_else(ApiError::method_not_allowed)?;
    let call = api_call_of(http, path, method)?;
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let is_apply = http
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/apply-patch"));
    let before = request.engine.board.snapshot();
    let may_create = is_apply || method == Method::Put;
    let existed = !may_create || before.objects.get_kind(kind, &key).is_some();
    let call_answers = request.engine.call(call).await?.map_err(ApiError::internal)?;
    let response = ResponseContext {
        request,
        form,
        snapshot: &request.engine.board.snapshot(),
    };
    let CallAnswers {
        mut answers,
        mut warnings,
    } = call_answers;
    let is_collection = path.name.is_empty() && method == Method::Delete;
    if is_collection {
        check_deletions(answers)?;
        return Ok(response.respond_to_collection_delete(&before)?.with_warnings(&warnings));
    }
    let answer = answers.pop().unwrap_or_else(|| Err(ApiError::internal("no answer")));
    let object = match answer {
        Ok(object) => object.map(|object| with_stored_version(object, path, &before)),
        // Error responses carry the warnings too.
        Err(error) if error.code != 0 => return Ok(Reply::error(&error).with_warnings(&warnings)),
        Err(error) => return Err(error.into()),
    };
    if matches!(method, Method::Post | Method::Patch) && path.subresource.is_empty() {
        warnings.extend(object.iter().flat_map(podscope_api::warnings));
        // `route` adds this warning to every response of a deprecated version, so it is removed here.
        warnings.retain(|warning| warning != podscope_api::DEPRECATED_ENDPOINTS);
    }
    let code = match method {
        Method::Post => 201,
        Method::Put | Method::Patch if !existed => 201,
        _ => 200,
    };
    let reply = match (method, path.subresource.as_str()) {
        (Method::Post, "binding" | "eviction") => Reply::json(201, &status::success(Some(201))),
        (Method::Delete, _) => response.respond_to_delete(object)?,
        _ => response.respond_with_object(code, object)?,
    };
    Ok(reply.with_warnings(&warnings))
}

/// Returns the first error of a DELETE of a collection. An object that no longer exists counts as deleted.
fn check_deletions(answers: Vec<Answer>) -> Result<(), ApiError> {
    let mut errors = answers.into_iter().filter_map(Result::err);
    errors.find(|error| error.code != 404).map_or(Ok(()), Err)
}

/// Returns the number of objects that a DELETE of a collection with a limit leaves, and whether it has a selector.
fn count_undeleted(path: &ApiPath, kind: Kind, deleted: usize, before: &Snapshot) -> Result<(usize, bool), ApiError> {
    if limit(&path.query)?.is_none() {
        return Ok((0, false));
    }
    let chosen = selected(kind, &path.namespace, &path.query, &before.objects)?;
    let has_selector = !Selectors::of(kind, &path.query, &before.objects)?.is_empty();
    Ok((chosen.len().saturating_sub(deleted), has_selector))
}

/// Handles POST of a `Binding` to a namespace; the body names the pod.
pub(crate) async fn binding(request: &HttpRequest, path: &ApiPath, engine: &EngineHandle) -> HandlerResult {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let name = body["metadata"]["name"].as_str().unwrap_or_default();
    let request = HttpRequest {
        path: format!("/api/v1/namespaces/{}/pods/{name}/binding", path.namespace),
        ..request.clone()
    };
    let path = ApiPath::of(&request.path).ok_or_else(ApiError::no_such_resource)?;
    let served = podscope_api::schema::served_resource("v1", "pods").ok_or_else(ApiError::no_such_resource)?;
    let request = ResourceRequest {
        http: &request,
        path: &path,
        served,
        kind: Kind::Pod,
        engine,
    };
    write(request).await
}

/// Sets the resourceVersion of the result of a dry run to the stored one (HT-067).
fn with_stored_version(mut object: Object, path: &ApiPath, before: &Snapshot) -> Object {
    if path.query.get("dryRun").is_some()
        && let Some(stored) = before.objects.get_kind(object.kind(), &object.key())
    {
        object.metadata_mut().resource_version = stored.metadata().resource_version.clone();
    }
    object
}

/// Creates the API call of a request. The field manager defaults to the name in the User-Agent (HT-068).
fn api_call_of(request: &HttpRequest, path: &ApiPath, method: Method) -> Result<ApiCall, ApiError> {
    let body = std::str::from_utf8(&request.body)
        .map_err(|_| ApiError::bad_request("the body of the request is no UTF-8 text"))?;
    let mut text = request.path.clone();
    let content_type = request.header("content-type").unwrap_or_default();
    let is_apply = content_type.starts_with("application/apply-patch");
    let agent = request.header("user-agent").unwrap_or_default();
    let agent = agent.split('/').next().unwrap_or_default().trim();
    let has_manager = path.query.get("fieldManager").is_some();
    if !has_manager && !is_apply && method != Method::Delete && !agent.is_empty() {
        let manager: String = agent
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter))
            .take(128)
            .collect();
        if !manager.is_empty() {
            text.push(if text.contains('?') { '&' } else { '?' });
            text.push_str(&format!("fieldManager={manager}"));
        }
    }
    Ok(ApiCall::new(method, text, content_type, body))
}

/// Returns whether a DELETE of the kind responds with the object even if it is deleted immediately (`ReturnDeletedObject`).
fn returns_deleted_object(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Pod
            | Kind::PodTemplate
            | Kind::Service
            | Kind::ServiceAccount
            | Kind::PersistentVolume
            | Kind::PersistentVolumeClaim
            | Kind::ResourceQuota
            | Kind::StorageClass
            | Kind::CsiDriver
            | Kind::VolumeAttachment
            | Kind::VolumeAttributesClass
            | Kind::DeviceClass
            | Kind::ResourceClaim
            | Kind::ResourceClaimTemplate
            | Kind::ResourceSlice
    )
}

/// What the response to a write depends on: the request, the negotiated form and the state after the write.
struct ResponseContext<'a> {
    request: ResourceRequest<'a>,
    form: ResponseForm,
    snapshot: &'a Snapshot,
}

impl ResponseContext<'_> {
    fn respond_with_value(&self, code: u16, value: &Value) -> Reply {
        Reply::value(code, value, self.form, is_pretty(self.request.http))
    }

    fn respond_with_object(&self, code: u16, object: Option<Object>) -> HandlerResult {
        let Some(object) = object else {
            return Ok(Reply::json(code, &status::success(Some(code))));
        };
        let shown = object_in_form(self.request, self.form, object, self.snapshot)?;
        Ok(self.respond_with_value(code, &shown))
    }

    /// Responds to a DELETE of a collection: with the objects as they were before the deletion.
    fn respond_to_collection_delete(&self, before: &Snapshot) -> HandlerResult {
        let (path, kind) = (self.request.path, self.request.kind);
        let mut objects = selected(kind, &path.namespace, &path.query, &before.objects)?;
        objects.truncate(limit(&path.query)?.unwrap_or(usize::MAX));
        let left = count_undeleted(path, kind, objects.len(), before)?;
        let metadata = list_metadata(path, before.revision, left, objects.last());
        let list = list_in_form(self.request, self.form, metadata, objects, self.snapshot)?;
        Ok(self.respond_with_value(200, &list))
    }

    /// Responds to a DELETE: with a `Status` if the object is deleted, or else with the object (HT-009, HT-082).
    fn respond_to_delete(&self, object: Option<Object>) -> HandlerResult {
        let Some(object) = object else {
            return Ok(Reply::json(200, &status::success(None)));
        };
        let metadata = object.metadata();
        let stays = metadata.is_terminating() && (!metadata.finalizers.is_empty() || object.kind() == Kind::Namespace);
        if stays || returns_deleted_object(object.kind()) {
            return self.respond_with_object(200, Some(object));
        }
        let mut value = status::success(None);
        let mut details = json!({"name": &*metadata.name});
        if !object.kind().group().is_empty() {
            details["group"] = object.kind().group().into();
        }
        details["kind"] = object.kind().plural().into();
        details["uid"] = metadata.uid.as_str().into();
        value["details"] = details;
        Ok(self.respond_with_value(200, &value))
    }
}
