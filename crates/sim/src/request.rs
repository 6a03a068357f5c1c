//! What components ask of the API server, and what it answers. Everything
//! that changes an object is one of these requests; only the API server
//! writes the store.

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::{Kind, NodeName, Object, ObjectKey, ProblemKind, Resource, Str, Uid, ValidationError};

/// Number of a call, unique in a run; the answer carries it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// Which part of an object a write may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Everything but status.
    Main,
    /// Only status.
    Status,
    /// Only the resources of a pod and of its containers.
    Resize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteOptions {
    /// Seconds; absent means the object's own (LC-011).
    pub grace_seconds: Option<i64>,
    /// Refuse with 409 unless the object has this UID (LC-019).
    pub uid: Option<Uid>,
    /// Refuse with 409 unless the object has this resourceVersion.
    pub resource_version: Option<Str>,
    /// What becomes of dependents; absent means the kind's default.
    pub propagation: Option<Propagation>,
}

/// What deleting an owner does to its dependents (CT-152).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propagation {
    /// The owner goes at once, dependents after it.
    Background,
    /// The owner waits for its dependents.
    Foreground,
    /// Dependents lose the reference and stay.
    Orphan,
}

/// A named change of an object, applied by the server to the stored state (a patch: no resourceVersion check, CT-161).
#[derive(Clone)]
pub struct Mutation {
    /// What is done; of a command, its field manager: `kubectl-label`.
    pub name: Cow<'static, str>,
    /// The subresource that it is written through, of which [`Part`] does not tell: `scale`.
    pub subresource: &'static str,
    apply: Arc<Apply>,
}

type Apply = dyn Fn(&Object) -> Result<Object, ApiError> + Send + Sync;

impl Mutation {
    /// A change of a typed object. The closure must depend on nothing but its argument.
    pub fn new<T: Resource>(name: &'static str, change: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        Self::of_object(name, move |object| {
            let mut typed = T::from_object(object)?.clone();
            change(Arc::make_mut(&mut typed));
            Some(typed.into_object())
        })
    }

    /// A change of an object of any kind, e.g. a user's JSON patch.
    pub fn of_object(name: &'static str, change: impl Fn(&Object) -> Option<Object> + Send + Sync + 'static) -> Self {
        Self::or_refused(name, move |object| {
            change(object).ok_or_else(|| {
                let (kind, name) = (object.kind().name(), &object.metadata().name);
                ApiError::bad_request(format!("the patch does not apply to {kind} {name:?}"))
            })
        })
    }

    /// A change that the server refuses where the stored object is not what it needs, e.g. a patch sent over HTTP.
    pub fn or_refused(
        name: impl Into<Cow<'static, str>>,
        change: impl Fn(&Object) -> Result<Object, ApiError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            subresource: "",
            apply: Arc::new(change),
        }
    }

    /// The same change, written through a subresource.
    #[must_use]
    pub fn through(self, subresource: &'static str) -> Self {
        Self { subresource, ..self }
    }

    /// The changed object.
    ///
    /// # Errors
    /// The change is not one of this object, in the API server's words.
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
    /// Read one object, from the store itself.
    Get {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
    },
    /// POST.
    Create(Object),
    /// POST of a body that the structs of the kind cannot hold: it is read by the API server, and refused.
    Malformed {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        /// What the API server's decoder says.
        why: podscope_api::schema::Rejection,
    },
    /// A request that the API server refuses before it looks at the store: a body that it cannot read, a parameter that
    /// is none.
    Refused {
        kind: Kind,
        /// Namespace and name, as far as the request has them.
        key: ObjectKey,
        error: Box<ApiError>,
    },
    /// PUT with the object's resourceVersion: 409 if stale; an empty one is unconditional.
    Update(Object, Part),
    /// PATCH: applied to whatever is stored.
    Patch {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        /// Refuse with 409 if the object is another (name reuse).
        uid: Option<Uid>,
        /// Which part may change.
        part: Part,
        change: Mutation,
    },
    /// PATCH of server-side apply: makes the object, or sets its fields and takes away what the manager no longer sets.
    Apply(Arc<Applied>),
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
        /// Where to.
        node: NodeName,
    },
    /// POST pods/eviction.
    Evict {
        pod: ObjectKey,
        /// Options of the DELETE that follows.
        options: DeleteOptions,
    },
    /// Namespace finalize: removes `kubernetes` from spec.finalizers.
    Finalize {
        /// The namespace's name.
        namespace: Str,
    },
    /// An event for the event recorder; merged with an equal one (`count`).
    Event(EventNote),
    /// The same request with `dryRun=All`: admitted, validated and answered, and nothing is stored (KC-080).
    DryRun(Arc<Request>),
}

/// What is applied on the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// The document, whole.
    pub document: serde_json::Value,
    /// `--field-manager`.
    pub manager: Str,
    /// `--force-conflicts`: takes fields from their managers.
    pub force: bool,
}

/// An event as its writer states it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventNote {
    /// Who says so: `source.component` and `reportingComponent`, e.g. `replicaset-controller`.
    pub component: Str,
    /// The object it is about.
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// UID of the object.
    pub uid: Uid,
    /// Part of the object, e.g. `spec.containers{web}`; may be empty.
    pub field_path: Str,
    /// `Normal` or `Warning`.
    pub kind_of_event: podscope_api::EventType,
    /// Reason, CamelCase.
    pub reason: Str,
    pub message: Str,
    /// What was being done, where the writer says so: `Binding`. Such an event is one of `events.k8s.io`.
    pub action: Str,
    /// Second object, if any (`related`).
    pub related: Option<(Kind, ObjectKey, Uid)>,
}

/// A refusal or failure, as the API server words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status.
    pub code: u16,
    /// Why, as a word that programs compare.
    pub reason: crate::StatusReason,
    /// The message a client prints after `Error from server (REASON): `.
    pub message: String,
    /// Seconds to wait before trying again, where given.
    pub retry_after_seconds: Option<i64>,
    /// `details.causes`.
    pub causes: Vec<Cause>,
    /// `details.kind` and `details.name`, of what is invalid.
    pub about: Option<(Kind, Str)>,
    /// The resource with its group, and the name, of every other error that is about an object: `deployments.apps`.
    pub resource: Option<Box<(String, String)>>,
    /// How many fields of others server-side apply would have taken.
    pub field_conflicts: usize,
}

/// One of the causes of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The field it is about, or its type where it is about none.
    pub about: String,
    /// What is wrong.
    pub message: String,
    /// The same, for those who do more than show it.
    pub kind: ProblemKind,
    /// `causes[].reason` of a field: `FieldValueInvalid`; empty of what is about none.
    pub reason: &'static str,
}

impl Cause {
    /// One of which no more is known than that.
    pub fn new(about: impl Into<String>, message: impl Into<String>) -> Cause {
        Cause {
            about: about.into(),
            message: message.into(),
            kind: ProblemKind::Other,
            reason: "",
        }
    }

    /// The same with the reason that the server gives: `FieldValueInvalid`.
    #[must_use]
    pub fn because(self, reason: &'static str) -> Cause {
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

/// Most objects of one kind that clients may create: about what the memory of a browser's tab holds. One
/// more is refused as an object count quota refuses it.
pub const MAX_OBJECTS_OF_KIND: usize = 50_000;
