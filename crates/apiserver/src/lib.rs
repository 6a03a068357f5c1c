//! kube-apiserver: the only writer of the store. Every request passes admission and the rules of deletion and
//! concurrency. Every write produces a [`WatchResponse`] for the watches and records for the trace.
//!
//! ```
//! use podscope_api::{Time, parse};
//! use podscope_apiserver::{ApiServer, Caller, Outcome};
//! use podscope_sim::{Actor, Request, SimTime, What};
//!
//! let caller = Caller { actor: &Actor::Client(1), now: SimTime::ZERO, start: Time::from_seconds(1_767_225_600) };
//! let claim = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}}";
//! let object = parse(claim).objects.remove(0).value;
//! let (mut server, mut out) = (ApiServer::new(7), Outcome::default());
//! for name in ["default", "kube-system"] {
//!     let namespace = format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}");
//!     server.import(parse(&namespace).objects.remove(0).value, &caller);
//! }
//! server.handle(&Request::Create(object), &caller, &mut out).expect("the object is admitted");
//! assert_eq!((out.changes.len(), out.records[0].happening.what()), (1, What::Created));
//! ```

mod admin_access;
mod admission;
mod apply;
mod binding;
mod create;
mod custom;
mod delete;
mod device_selectors;
mod device_taints;
mod events;
mod eviction;
mod limit_range;
mod object_parts;
mod quota;
mod records;
mod resize;
mod service;
mod store;
mod update;
mod validation_rules;

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, ObjectKey, Str, Time, Toleration, Uid};

use podscope_sim::{
    Actor, Answer, ApiError, Assumed, Change, Happening, Objects, Request, Rng, SimTime, Subject, Switches,
    WatchResponse, What, subject,
};

pub use store::Store;

/// A record for the trace before it gets its position in the trace.
#[derive(Debug, Clone)]
pub struct RecordDraft {
    pub happening: Happening,
    pub object: Option<Arc<Subject>>,
}

/// The sender of a request, and the time of the request.
pub struct Caller<'a> {
    pub actor: &'a Actor,
    pub now: SimTime,
    /// Wall-clock time at t = 0.
    pub start: Time,
}

impl Caller<'_> {
    fn wall_time(&self) -> Time {
        Time(self.start.0 + self.now.0)
    }
}

/// The effects of one request: writes to the store, and records for the trace.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The writes to the store as watches receive them, oldest first.
    pub changes: Vec<Arc<WatchResponse>>,
    /// The records for the trace, oldest first.
    pub records: Vec<RecordDraft>,
}

impl Outcome {
    fn record(&mut self, happening: Happening, object: &Object) {
        self.records.push(RecordDraft {
            happening,
            object: Some(podscope_sim::subject_of(object)),
        });
    }
}

/// The API server with its store.
#[derive(Debug, Clone)]
pub struct ApiServer {
    store: Store,
    rng: Rng,
    /// Generates the UIDs of objects that the cluster creates itself, so that they do not affect the generated names
    /// and UIDs of other objects.
    internal_uids: Rng,
    /// Generates the name suffixes of service account token volumes.
    token_names: Rng,
    events: events::EventLog,
    next_cluster_ip: u32,
    /// Whether the switch `pod-priority-off` disables pod priority.
    ignores_priority: bool,
    /// The last tolerations that got defaults: as given, and with the defaults. Pods with the same given tolerations,
    /// such as those of one template, share the result.
    last_defaulted_tolerations: (Arc<Vec<Toleration>>, Arc<Vec<Toleration>>),
}

impl ApiServer {
    /// Creates a server with an empty store.
    pub fn new(seed: u64) -> Self {
        Self {
            store: Store::default(),
            rng: Rng::split(seed, "apiserver"),
            internal_uids: Rng::split(seed, "apiserver/aside"),
            token_names: Rng::split(seed, "apiserver/access"),
            events: events::EventLog::default(),
            next_cluster_ip: 0,
            ignores_priority: false,
            last_defaulted_tolerations: Default::default(),
        }
    }

    /// Turns on the behaviour of former Kubernetes versions that these switches select (F-20).
    #[must_use]
    pub fn with_history_switches(mut self, switches: &Switches) -> Self {
        self.ignores_priority = switches.pod_priority_off;
        self
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns all stored objects.
    pub fn objects(&self) -> &Arc<Objects> {
        self.store.objects()
    }

    /// Stores which record reports the change with this revision, for watches that resume.
    pub fn note_record(&mut self, revision: u64, record: CausedBy) {
        self.store.note_record(revision, record);
    }

    /// Sets which objects are assumed to exist although a dump does not contain them (P-09).
    pub fn set_assumed_objects(&mut self, assumed: Arc<Assumed>) {
        self.store.set_assumed_objects(assumed);
    }

    /// Stores an object without admission: an imported object, which has a UID and a status, or an initial object of
    /// the simulated cluster.
    pub fn import(&mut self, mut object: Object, caller: &Caller<'_>) -> Object {
        if object.metadata().uid.is_empty() {
            object.metadata_mut().uid = self.next_uid(&object);
        }
        self.prune_and_set_defaults(&mut object);
        self.convert_to_storage_version(&mut object);
        let metadata = object.metadata_mut();
        metadata.creation_timestamp.get_or_insert(caller.wall_time());
        if is_unwatched(object.kind()) {
            let key = (object.kind() == Kind::Event).then(|| object.key());
            let stored = self.store.put_unwatched(object);
            key.into_iter().for_each(|key| self.add_imported_event(key));
            return stored;
        }
        stored_object(&self.store.put(object))
    }

    /// Refuses a request because too many events of the simulation are pending, as API Priority and Fairness would.
    ///
    /// # Errors
    /// Always returns error 429, after which clients retry.
    pub fn refuse_as_overloaded(&self, request: &Request, out: &mut Outcome) -> Answer {
        let answer = Err(ApiError::overloaded(target_object(request).0));
        record_refusal(request, &answer, out);
        answer
    }

    /// Applies one request; its changes and records are added to `out`.
    ///
    /// # Errors
    /// Returns the API server's error if it refuses the request.
    pub fn handle(&mut self, request: &Request, caller: &Caller<'_>, out: &mut Outcome) -> Answer {
        let answer = match request {
            Request::Get { kind, key } => {
                return self
                    .store
                    .objects()
                    .get_kind(*kind, key)
                    .map(Some)
                    .ok_or_else(|| ApiError::not_found(*kind, &key.name));
            }
            Request::Create(object) => self.create(object.clone(), caller, out),
            Request::Malformed { kind, why, .. } => Err(ApiError::undecodable(*kind, why)),
            Request::Refused { error, .. } => Err(ApiError::clone(error)),
            Request::Update(object, part) => self.update(object, *part, caller, out),
            Request::Patch {
                kind,
                key,
                uid,
                part,
                change,
            } => self.patch((*kind, key), uid.as_ref(), (*part, change), caller, out),
            Request::Apply(applied) => self.apply(applied, caller, out),
            Request::Delete { kind, key, options } => self.delete(*kind, key, options, caller, out),
            Request::Bind {
                pod,
                uid,
                node,
                metadata,
            } => self.bind(pod, uid, (node, metadata.as_deref()), caller, out),
            Request::Evict { pod, options } => self.evict(pod, options, caller, out),
            Request::Finalize { namespace, finalizers } => self.finalize(namespace, finalizers.as_deref(), caller, out),
            Request::Event(note) => {
                self.note_event(note, caller, out);
                Ok(None)
            }
            Request::DryRun(request) => {
                // The request runs on a copy of the server, which is discarded. Only a refusal is recorded.
                let mut rehearsal = Outcome::default();
                let mut answer = self.clone().handle(request, caller, &mut rehearsal);
                // A dry run that creates an object returns it without a resourceVersion.
                let is_new = match &**request {
                    Request::Create(_) => true,
                    Request::Apply(applied) => self.objects().get_kind(applied.kind, &applied.key).is_none(),
                    _ => false,
                };
                if let (true, Ok(Some(object))) = (is_new, &mut answer) {
                    object.metadata_mut().resource_version = Str::default();
                }
                out.records.extend(
                    rehearsal
                        .records
                        .into_iter()
                        .filter(|record| record.happening.what() == What::Refused),
                );
                return answer;
            }
        };
        record_refusal(request, &answer, out);
        answer
    }

    /// Generates the UID of a new object.
    fn next_uid(&mut self, object: &Object) -> Uid {
        let name = &*object.metadata().name;
        let is_internal = match object.kind() {
            Kind::Endpoints => true,
            Kind::ConfigMap => name == podscope_api::ROOT_CA_CONFIG_MAP,
            Kind::ServiceAccount => name == "default",
            Kind::Service | Kind::EndpointSlice => name == "kubernetes",
            _ => false,
        };
        match is_internal {
            true => self.internal_uids.uid(),
            false => self.rng.uid(),
        }
    }

    /// Stores an object and returns it as stored. The change is added to the main log unless the kind is unwatched.
    fn write(&mut self, object: Object, out: &mut Outcome) -> Object {
        if is_unwatched(object.kind()) {
            return self.store.put_unwatched(object);
        }
        let change = self.store.put(object);
        let stored = stored_object(&change);
        out.changes.push(change);
        stored
    }

    /// Removes an object and records the removal, unless writes of its kind are not recorded.
    fn remove(&mut self, kind: Kind, key: &ObjectKey, out: &mut Outcome) -> Option<Object> {
        let old = if is_unwatched(kind) {
            self.store.remove_unwatched(kind, key)?
        } else {
            let change = self.store.remove(kind, key)?;
            let old = change.old.clone();
            out.changes.push(change);
            old?
        };
        if !is_unrecorded(kind) {
            out.record(Happening::Deleted, &old);
        }
        Some(old)
    }
}

/// Records an answer that is a client error (4xx). Lost leader elections are not recorded.
fn record_refusal(request: &Request, answer: &Answer, out: &mut Outcome) {
    let Err(error) = answer else { return };
    let (kind, key, uid) = target_object(request);
    if (400..500).contains(&error.code) && kind != Kind::Lease {
        out.records.push(RecordDraft {
            happening: Happening::Refused {
                code: error.code,
                message: error.message.clone(),
            },
            object: Some(subject(kind, key, uid)),
        });
    }
}

/// Returns the object that a write stored.
fn stored_object(change: &Change) -> Object {
    change
        .new
        .clone()
        .expect("a write other than a removal stores an object")
}

/// Returns whether no component watches the kind. Writes of these kinds are not recorded: events have records of their
/// own, and leases are heartbeats.
fn is_unwatched(kind: Kind) -> bool {
    matches!(kind, Kind::Event | Kind::Lease)
}

/// Returns whether writes of the kind are not recorded: unwatched kinds, and Endpoints, which repeat the
/// EndpointSlices.
fn is_unrecorded(kind: Kind) -> bool {
    is_unwatched(kind) || kind == Kind::Endpoints
}

/// Returns the object that a request is about.
fn target_object(request: &Request) -> (Kind, ObjectKey, Uid) {
    match request {
        Request::Create(object) | Request::Update(object, _) => {
            let mut key = object.key();
            if key.name.is_empty() {
                key.name = object.metadata().generate_name.clone();
            }
            (object.kind(), key, object.metadata().uid.clone())
        }
        Request::Get { kind, key }
        | Request::Malformed { kind, key, .. }
        | Request::Refused { kind, key, .. }
        | Request::Delete { kind, key, .. } => (*kind, key.clone(), Uid::default()),
        Request::Apply(applied) => (applied.kind, applied.key.clone(), Uid::default()),
        Request::Patch { kind, key, uid, .. } => (*kind, key.clone(), uid.clone().unwrap_or_default()),
        Request::Bind { pod, uid, .. } => (Kind::Pod, pod.clone(), uid.clone()),
        Request::Evict { pod, .. } => (Kind::Pod, pod.clone(), Uid::default()),
        Request::Finalize { namespace, .. } => (Kind::Namespace, ObjectKey::cluster(namespace.clone()), Uid::default()),
        Request::Event(note) => (note.kind, note.key.clone(), note.uid.clone()),
        Request::DryRun(request) => target_object(request),
    }
}

/// Generates five characters of Kubernetes' name alphabet, which has no vowels and no characters that look alike.
pub fn name_suffix(rng: &mut Rng) -> Str {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    (0..5)
        .map(|_| char::from(ALPHABET[rng.below(ALPHABET.len() as u64) as usize]))
        .collect::<String>()
        .into()
}
