//! Requests of components to the API server, and its answers. Every change of an object is one of these requests; only
//! the API server writes the store.

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::{Kind, NodeName, Object, ObjectKey, ProblemKind, Resource, Str, Uid, ValidationError};

/// Number of a call, unique in a run. The answer carries the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// The part of an object that a write may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Everything but the status.
    Main,
    /// Only the status.
    Status,
    /// Only the resources of a pod and of its containers.
    Resize,
    /// Only the ephemeral containers of a pod.
    EphemeralContainers,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteOptions {
    /// Grace period in seconds; `None` means the default of the object (LC-011).
    pub grace_seconds: Option<i64>,
    /// Refuse with 409 unless the object has this UID (LC-019).
    pub uid: Option<Uid>,
    /// Refuse with 409 unless the object has this resourceVersion.
    pub resource_version: Option<Str>,
    /// What happens to dependents; `None` means the default of the kind.
    pub propagation: Option<Propagation>,
}

/// How the deletion of an owner affects its dependents (CT-152).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propagation {
    /// The owner is deleted at once, its dependents afterwards.
    Background,
    /// The owner is deleted after its dependents.
    Foreground,
    /// Dependents lose their ownerReference and stay.
    Orphan,
}

/// A named change that the API server applies to the stored object. Like a patch, it applies to any resourceVersion
/// (CT-161).
#[derive(Clone)]
pub struct Mutation {
    /// Name of the change; for a command its field manager, e.g. `kubectl-label`.
    pub name: Cow<'static, str>,
    /// The subresource of the request if [`Part`] does not imply it, e.g. `scale`; otherwise empty.
    pub subresource: &'static str,
    apply: Arc<ApplyMutation>,
}

type ApplyMutation = dyn Fn(&Object) -> Result<Object, ApiError> + Send + Sync;

impl Mutation {
    /// Creates a change of a typed object. The closure must depend only on its argument.
    pub fn new<T: Resource>(name: &'static str, change: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        Self::of_object(name, move |object| {
            let mut typed = T::from_object(object)?.clone();
            change(Arc::make_mut(&mut typed));
            Some(typed.into_object())
        })
    }

    /// Creates a change of an object of any kind, e.g. a user's JSON patch. The server refuses it if the closure
    /// returns `None`.
    pub fn of_object(name: &'static str, change: impl Fn(&Object) -> Option<Object> + Send + Sync + 'static) -> Self {
        Self::from_fallible(name, move |object| {
            change(object).ok_or_else(|| {
                let (kind, name) = (object.kind().name(), &object.metadata().name);
                ApiError::bad_request(format!("the patch does not apply to {kind} {name:?}"))
            })
        })
    }

    /// Creates a change of an object of any kind, e.g. a patch sent over HTTP. If the closure returns an error, the
    /// server refuses the request with it.
    pub fn from_fallible(
        name: impl Into<Cow<'static, str>>,
        change: impl Fn(&Object) -> Result<Object, ApiError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            subresource: "",
            apply: Arc::new(change),
        }
    }

    /// Returns this change, to be sent to a subresource of the object.
    #[must_use]
    pub fn with_subresource(self, subresource: &'static str) -> Self {
        Self { subresource, ..self }
    }

    /// Applies the change.
    ///
    /// # Errors
    /// Returns the API server's error if the change does not apply to this object.
    pub fn apply(&self, object: &Object) -> Result<Object, ApiError> {
        (self.apply)(object)
    }
}

impl std::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mutation({})", self.name)
    }
}

#[derive(Debug, Clone)]
pub enum Request {
    /// GET of one object, read from the store.
    Get {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
    },
    /// POST of an object.
    Create(Object),
    /// POST of a body that cannot be decoded into the kind; the API server refuses it.
    Malformed {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        /// The decoder's error.
        why: podscope_api::schema::Rejection,
    },
    /// A request that the API server refuses before it reads the store, because of an unreadable body or an invalid
    /// parameter.
    Refused {
        kind: Kind,
        /// Namespace and name, as far as the request contains them.
        key: ObjectKey,
        error: Box<ApiError>,
    },
    /// PUT with the object's resourceVersion: 409 if stale; an empty one is unconditional.
    Update(Object, Part),
    /// PATCH: applied to the stored object, whatever its resourceVersion.
    Patch {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        /// Refuse with 409 unless the object has this UID (its name may have been reused).
        uid: Option<Uid>,
        /// The part of the object that the patch may change.
        part: Part,
        change: Mutation,
    },
    /// PATCH of server-side apply: creates the object, or sets its fields and removes those that the manager no longer
    /// sets.
    Apply(Arc<ApplyRequest>),
    Delete {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        options: DeleteOptions,
    },
    /// POST pods/binding.
    Bind {
        pod: ObjectKey,
        uid: Uid,
        node: NodeName,
        /// Metadata of the Binding, if it has labels or annotations; the pod gets them.
        metadata: Option<Box<podscope_api::ObjectMeta>>,
    },
    /// POST pods/eviction.
    Evict {
        pod: ObjectKey,
        /// Options of the DELETE that follows.
        options: DeleteOptions,
    },
    /// PUT namespaces/finalize.
    Finalize {
        /// The namespace's name.
        namespace: Str,
        /// The finalizers that the spec is to have; `None` removes `kubernetes`.
        finalizers: Option<Vec<Str>>,
    },
    /// An event from the event recorder; merged with an equal one by raising its `count`.
    Event(EventNote),
    /// The same request with `dryRun=All`: admitted, validated and answered, but not stored (KC-080).
    DryRun(Arc<Request>),
}

/// The request of a server-side apply.
#[derive(Debug, Clone, PartialEq)]
pub struct ApplyRequest {
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// The complete document.
    pub document: serde_json::Value,
    /// The field manager (`--field-manager`).
    pub manager: Str,
    /// `status` or `scale`; empty for the object itself.
    pub subresource: Str,
    /// `--force-conflicts`: takes over fields from other managers.
    pub force: bool,
}

/// An event before the server records it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventNote {
    /// The reporting component: `source.component` and `reportingComponent`, e.g. `replicaset-controller`.
    pub component: Str,
    /// Kind of the object that the event is about.
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// UID of the object.
    pub uid: Uid,
    /// Part of the object, e.g. `spec.containers{web}`; may be empty.
    pub field_path: Str,
    /// `Normal` or `Warning`.
    pub kind_of_event: podscope_api::EventType,
    pub reason: Str,
    pub message: Str,
    /// The action that the event reports, e.g. `Binding`; empty if the writer gives none. An event with an action
    /// belongs to `events.k8s.io`.
    pub action: Str,
    /// The second object (`related`), if any.
    pub related: Option<(Kind, ObjectKey, Uid)>,
}

/// A refusal or failure, with the API server's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status.
    pub code: u16,
    /// The machine-readable reason.
    pub reason: crate::StatusReason,
    /// The message a client prints after `Error from server (REASON): `.
    pub message: String,
    /// Seconds to wait before a retry, if the server suggests it.
    pub retry_after_seconds: Option<i64>,
    /// Causes of the error (`details.causes`).
    pub causes: Vec<Cause>,
    /// `details.kind` and `details.name` of the error for an invalid object.
    pub about: Option<(Kind, Str)>,
    /// The resource with its group, e.g. `deployments.apps`, and the name, for every other error about an object.
    pub resource: Option<Box<(String, String)>>,
    /// Number of conflicting fields of other managers, for server-side apply.
    pub field_conflicts: usize,
}

/// A cause of an API error: an entry of `details.causes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The field, or the type of the cause if it is about no field.
    pub about: String,
    /// The message, in the API server's words.
    pub message: String,
    /// The kind of problem, for code that reacts to it.
    pub kind: ProblemKind,
    /// `causes[].reason` of a field, e.g. `FieldValueInvalid`; empty for a cause without a field.
    pub reason: &'static str,
}

impl Cause {
    /// Creates a cause without kind and reason.
    pub fn new(about: impl Into<String>, message: impl Into<String>) -> Cause {
        Cause {
            about: about.into(),
            message: message.into(),
            kind: ProblemKind::Other,
            reason: "",
        }
    }

    /// Sets the reason of a cause, e.g. `FieldValueInvalid`.
    #[must_use]
    pub fn with_reason(self, reason: &'static str) -> Cause {
        Cause { reason, ..self }
    }
}

impl From<ValidationError> for Cause {
    fn from(error: ValidationError) -> Cause {
        Cause {
            about: error.path,
            message: error.message,
            kind: error.kind,
            reason: error.reason,
        }
    }
}

/// The answer to a call. A successful DELETE answers with the object as it then was.
pub type Answer = Result<Option<Object>, ApiError>;

/// Maximum number of objects of one kind that clients may create, so that the memory of a browser tab suffices.
/// A further create is refused with the message of an object count quota.
pub const MAX_OBJECTS_OF_KIND: usize = 50_000;
