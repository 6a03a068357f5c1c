//! DELETE of an object or of a collection, and its options (HT-016, HT-017, HT-083 to HT-086).

use podscope_api::{Kind, Object, Uid};
use podscope_cluster::{ApiError, Cause, DeleteOptions, Objects, Propagation, Request};
use serde_json::Value;

use super::body::{self, parse_json};
use super::options::{Options, dry_run_causes, unsupported_value_cause};
use super::{ApiCall, ApiPath, Method, Query, Target, TranslatedCall};
use crate::selector::{FieldQuery, LabelQuery};

const JOB_PODS_PRESERVED_WARNING: &str = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/// Translates a DELETE of an object or of a collection.
pub(super) fn translate_delete(
    call: &ApiCall,
    query: &Query,
    target: &Target,
    options: &mut Options,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    let value = options_value(call, query)?;
    let mut how = delete_options(&value, options)?;
    let mut warnings = Vec::new();
    // Jobs and ReplicationControllers orphan their dependents by default, as in the first API versions of these kinds.
    if matches!(target.kind, Kind::Job | Kind::ReplicationController)
        && how.propagation.is_none()
        && value["orphanDependents"].as_bool().is_none()
    {
        how.propagation = Some(Propagation::Orphan);
        if target.kind == Kind::Job {
            warnings.push(JOB_PODS_PRESERVED_WARNING.to_owned());
        }
    }
    if !target.is_collection() {
        return Ok(TranslatedCall {
            requests: vec![Request::Delete {
                kind: target.kind,
                key: target.key.clone(),
                options: how,
            }],
            warnings,
        });
    }
    let mut chosen = selected(target.kind, &target.key.namespace, query, objects)?;
    integer_parameter(query, "timeoutSeconds")?;
    if let Some(limit) = limit(query)? {
        chosen.truncate(limit);
    }
    let requests = chosen.into_iter().map(|object| Request::Delete {
        kind: target.kind,
        key: object.key(),
        options: how.clone(),
    });
    Ok(TranslatedCall {
        requests: requests.collect(),
        warnings,
    })
}

/// Returns the kind of the objects that a call deletes (`None` for a custom kind), and the options of the deletion.
/// Returns `None` if the call deletes nothing: it is a dry run, invalid, or not a DELETE of a resource.
pub(crate) fn deleted_kind_and_options(call: &ApiCall) -> Option<(Option<Kind>, DeleteOptions)> {
    let path = ApiPath::of(&call.path).filter(|path| call.method == Method::Delete && path.subresource.is_empty())?;
    let mut options = Options::of(call.method, &path.query).ok()?;
    let how = delete_options(&options_value(call, &path.query).ok()?, &mut options).ok()?;
    let kind = Target::of(&path, &Objects::default()).ok().map(|target| target.kind);
    (!options.is_dry_run).then_some((kind, how))
}

/// The label selector and the field selector of a request.
#[derive(Debug, Clone, Default)]
pub struct Selectors {
    labels: LabelQuery,
    fields: FieldQuery,
}

impl Selectors {
    /// Parses the selectors of a request for objects of a kind.
    ///
    /// # Errors
    /// A selector is invalid; the message is the API server's.
    pub fn of(kind: Kind, query: &Query, objects: &Objects) -> Result<Selectors, ApiError> {
        let text = |name: &str| query.get(name).unwrap_or_default();
        let selectable = crate::selectable_fields::fields_of_custom(kind, objects);
        // In events.k8s.io, the fields of events have other names.
        let fields = match kind {
            Kind::Event => text("fieldSelector")
                .replace("regarding.", "involvedObject.")
                .replace("reportingController", "reportingComponent"),
            _ => text("fieldSelector").to_owned(),
        };
        Ok(Selectors {
            labels: LabelQuery::parse(text("labelSelector")).map_err(ApiError::bad_request)?,
            fields: FieldQuery::parse_without_context(kind, &fields, &selectable).map_err(ApiError::bad_request)?,
        })
    }

    /// Returns whether an object matches the selectors.
    #[must_use]
    pub fn matches(&self, object: &Object) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }

    /// Returns whether there are no selectors, so that every object matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.work_per_object() + self.fields.work_per_object() == 0
    }
}

/// Returns the objects of a kind that match the selectors of a request, sorted by key; in all namespaces if `namespace`
/// is empty.
///
/// # Errors
/// A selector is invalid; the message is the API server's.
pub fn selected(kind: Kind, namespace: &str, query: &Query, objects: &Objects) -> Result<Vec<Object>, ApiError> {
    let selectors = Selectors::of(kind, query, objects)?;
    let mut all = match namespace {
        "" => objects.list_kind(kind),
        namespace => objects.list_kind_in(kind, namespace),
    };
    let work = crate::work::WorkCounter::default();
    work.spend(all.len() as u64 * (selectors.labels.work_per_object() + selectors.fields.work_per_object()))
        .map_err(|why| ApiError::bad_request(why.to_string()))?;
    all.retain(|object| selectors.matches(object));
    Ok(all)
}

/// Parses the `limit` of a list; `None` if there is none. A DELETE of a collection with a limit deletes only the first
/// page.
///
/// # Errors
/// The limit is not a number.
pub fn limit(query: &Query) -> Result<Option<usize>, ApiError> {
    let limit = integer_parameter(query, "limit")?;
    Ok(limit
        .and_then(|limit| usize::try_from(limit).ok())
        .filter(|limit| *limit > 0))
}

/// Parses an integer parameter of a list, watch or DELETE of a collection (HT-055).
///
/// # Errors
/// Error 400 if the value is not an integer, for example empty.
pub fn integer_parameter(query: &Query, name: &str) -> Result<Option<i64>, ApiError> {
    let number = |text: &str| {
        text.parse()
            .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")))
    };
    query.get(name).map(number).transpose()
}

/// Reads the delete options from the body, or from the query parameters if the body is empty.
fn options_value(call: &ApiCall, query: &Query) -> Result<Value, ApiError> {
    if !call.body.trim().is_empty() {
        let value = match call.media_type() {
            "" | "application/json" => parse_json(&call.body)
                .map_err(|why| ApiError::bad_request(format!("couldn't get version/kind; json parse error: {why}")))?,
            "application/yaml" => podscope_api::read_yaml(&call.body)
                .map(|tree| tree.to_value())
                .map_err(|problems| {
                    ApiError::bad_request(problems.first().map_or_else(String::new, ToString::to_string))
                })?,
            _ => return Err(ApiError::unsupported_media_type(body::UNSUPPORTED_CONTENT_TYPE)),
        };
        let kind = value["kind"].as_str().unwrap_or("DeleteOptions");
        if kind != "DeleteOptions" {
            let version = value["apiVersion"].as_str().unwrap_or_default();
            return Err(ApiError::bad_request(format!(
                "no kind {kind:?} is registered for version {version:?} in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
            )));
        }
        return Ok(value);
    }
    let mut value = serde_json::json!({});
    if let Some(seconds) = query.get("gracePeriodSeconds") {
        let seconds: i64 = seconds
            .parse()
            .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {seconds:?}: invalid syntax")))?;
        value["gracePeriodSeconds"] = seconds.into();
    }
    if let Some(policy) = query.get("propagationPolicy") {
        value["propagationPolicy"] = policy.into();
    }
    if query.get("orphanDependents").is_some() {
        value["orphanDependents"] = query.is_true("orphanDependents").into();
    }
    Ok(value)
}

/// Parses delete options.
///
/// # Errors
/// Error 422 with all invalid options.
pub(super) fn delete_options(value: &Value, options: &mut Options) -> Result<DeleteOptions, ApiError> {
    let mut causes = Vec::new();
    let invalid = |field: &str, why: String| Cause::new(field, why).with_reason("FieldValueInvalid");
    let orphan = value["orphanDependents"].as_bool();
    let policy = value["propagationPolicy"].as_str();
    let propagation = match (policy, orphan) {
        (Some(policy), Some(_)) => {
            causes.push(invalid(
                "propagationPolicy",
                format!("Invalid value: {policy:?}: orphanDependents and deletionPropagation cannot be both set"),
            ));
            None
        }
        (Some("Foreground"), None) => Some(Propagation::Foreground),
        (Some("Background"), None) => Some(Propagation::Background),
        (Some("Orphan"), None) => Some(Propagation::Orphan),
        (Some(other), None) => {
            let known = "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
            causes.push(unsupported_value_cause(
                "propagationPolicy",
                &format!("{other:?}"),
                known,
            ));
            None
        }
        (None, Some(true)) => Some(Propagation::Orphan),
        (None, _) => None,
    };
    let dry_run: Vec<&str> = podscope_api::untyped::texts(value, "dryRun");
    causes.extend(dry_run_causes(&dry_run));
    options.is_dry_run |= !dry_run.is_empty();
    if !causes.is_empty() {
        return Err(ApiError::invalid_of("DeleteOptions.meta.k8s.io", "", causes));
    }
    let precondition = |field: &str| value["preconditions"][field].as_str();
    Ok(DeleteOptions {
        grace_seconds: value["gracePeriodSeconds"].as_i64(),
        uid: precondition("uid").map(|uid| Uid(uid.into())),
        resource_version: precondition("resourceVersion").map(Into::into),
        propagation,
    })
}
