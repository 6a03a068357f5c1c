//! Watches: streams of events, one per line (HT-072 to HT-080).
//!
//! Each watch is a task that receives the engine's publications and writes the events of its objects. A watch whose
//! client reads too slowly falls behind and ends with 410, like one that starts at a too old version. A slow watch does
//! not block others.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use podscope_api::schema::ServedKind;
use podscope_api::{Kind, Object, Time};
use podscope_cluster::{ApiError, Cause, Change, StatusReason};
use podscope_kubectl::rest::{ApiPath, Query, Selectors, integer_parameter};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep_until};

use crate::board::{EncodedEventKey, PublishedChanges, Snapshot, Subscription, WatchMessage};
use crate::http::{JSON, Reply};
use crate::negotiate::{Media, OfferedForms, ResponseShape};
use crate::read::{check_control_plane, forbidden_cause, invalid_list_options, parse_resource_version};
use crate::route::{HandlerResult, ResourceRequest, negotiated_form, not_acceptable_media};
use crate::{object_json, status, table};

/// Default timeout of a watch (HT-062).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1800);
/// Interval of bookmarks, if the client requests them (HT-075).
const BOOKMARK_INTERVAL: Duration = Duration::from_secs(60);
/// Time before the end of the watch at which a last bookmark is sent.
const LAST_BOOKMARK_LEAD: Duration = Duration::from_secs(2);

/// Time from a change of a CustomResourceDefinition to the end of the watches of its objects, whose storage the API
/// server replaces.
const STORAGE_DRAIN_DELAY: Duration = Duration::from_secs(1);

/// The selected objects and the output form of a watch.
struct Watch {
    path: ApiPath,
    served: ServedKind,
    kind: Kind,
    selectors: Selectors,
    shape: ResponseShape,
    include: table::IncludedObject,
    has_bookmarks: bool,
    columns: table::Columns,
    /// Whether the next row contains the column definitions; only the first one does.
    has_columns: bool,
    lines: Sender<Bytes>,
}

/// Error: the client has disconnected.
struct Disconnected;

pub(crate) fn watch(request: ResourceRequest<'_>) -> HandlerResult {
    let (path, board) = (request.path, &request.engine.board);
    let form = negotiated_form(request.http, OfferedForms::Objects, true)?;
    // Deviation: events are always JSON, so a client that accepts only protobuf is refused.
    if form.media == Media::Protobuf {
        return Err(not_acceptable_media().into());
    }
    let query = &path.query;
    let sends_initial = check_watch_parameters(query)?;
    let since = parse_resource_version(query).map_err(|error| ApiError::without_reason(error.message))?;
    let timeout = integer_parameter(query, "timeoutSeconds")?;
    let selectors = Selectors::of(request.kind, query, &board.snapshot().objects)?;
    let include = table::parse_included_object(path)?;
    let subscription = board.subscribe(since.filter(|since| *since > 0 && sends_initial != Some(true)));
    check_control_plane(&subscription.snapshot)?;
    let (reply, lines) = Reply::stream(JSON);
    let watch = Watch {
        path: path.clone(),
        served: request.served,
        kind: request.kind,
        selectors,
        shape: form.shape,
        include,
        has_bookmarks: query.is_true("allowWatchBookmarks"),
        columns: table::Columns::of(path, &subscription.snapshot.objects),
        has_columns: false,
        lines,
    };
    let ends = Instant::now()
        + timeout
            .and_then(|seconds| u64::try_from(seconds).ok())
            .filter(|seconds| *seconds > 0)
            .map_or(DEFAULT_TIMEOUT, Duration::from_secs);
    let first_events = match (sends_initial, since) {
        (Some(true), _) => FirstEvents::Initial,
        (_, None | Some(0)) if sends_initial == Some(false) => FirstEvents::Now,
        (_, None | Some(0)) => FirstEvents::Everything,
        (_, Some(since)) => FirstEvents::After(since),
    };
    tokio::spawn(watch.run(subscription, first_events, ends));
    Ok(reply)
}

/// Checks the parameters of a watch (HT-076, HT-078). Returns `sendInitialEvents`, if it is given.
fn check_watch_parameters(query: &Query) -> Result<Option<bool>, ApiError> {
    let field = "resourceVersionMatch";
    let how = query.get(field).unwrap_or_default();
    let sends = query
        .get("sendInitialEvents")
        .map(|_| query.is_true("sendInitialEvents"));
    let mut causes: Vec<Cause> = Vec::new();
    if query.get("continue").is_some_and(|text| !text.is_empty()) {
        causes.push(forbidden_cause(
            field,
            "resourceVersionMatch is forbidden when continue is provided",
        ));
    }
    match (sends, how) {
        (Some(_), "NotOlderThan") | (None, "") => {}
        (Some(_), how) => {
            let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            causes.push(forbidden_cause(field, why));
            if !how.is_empty() {
                causes.push(
                    Cause::new(
                        field,
                        format!("Unsupported value: {how:?}: supported values: \"NotOlderThan\""),
                    )
                    .with_reason("FieldValueNotSupported"),
                );
            }
        }
        (None, _) => {
            let why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            causes.push(forbidden_cause(field, why));
        }
    }
    if causes.is_empty() {
        Ok(sends)
    } else {
        Err(invalid_list_options(causes))
    }
}

/// Returns whether the API server replaces the storage of a custom kind: its definition was deleted, or its spec or
/// accepted names changed (HT-196).
fn replaces_storage(change: &Change, kind: Kind) -> bool {
    let Kind::Custom(_) = kind else { return false };
    let definition = |object: &Option<Object>| match object {
        Some(Object::Untyped(untyped)) if untyped.kind == Kind::CustomResourceDefinition => {
            let (plural, group) = untyped.metadata.name.split_once('.')?;
            (plural == kind.plural() && group == kind.group()).then(|| untyped.clone())
        }
        _ => None,
    };
    match (definition(&change.old), definition(&change.new)) {
        (Some(_), None) => true,
        (Some(old), Some(new)) => {
            let names =
                |fields: &Map<String, Value>| fields.get("status").map(|status| status["acceptedNames"].clone());
            old.fields.get("spec") != new.fields.get("spec") || names(&old.fields) != names(&new.fields)
        }
        (None, _) => false,
    }
}

/// Events with which a watch begins.
enum FirstEvents {
    /// All existing objects, then a bookmark, then changes.
    Initial,
    /// All existing objects, then changes.
    Everything,
    /// Only changes from now on.
    Now,
    /// Changes since this version.
    After(u64),
}

impl Watch {
    async fn run(mut self, subscription: Subscription, first_events: FirstEvents, ends: Instant) {
        // An error means only that the client has disconnected.
        let _ = self.send_events(subscription, first_events, ends).await;
    }

    async fn send_events(
        &mut self,
        subscription: Subscription,
        first_events: FirstEvents,
        ends: Instant,
    ) -> Result<(), Disconnected> {
        let Subscription {
            snapshot,
            since,
            oldest,
            mut news,
        } = subscription;
        let mut reached = snapshot.revision;
        match first_events {
            FirstEvents::Initial => {
                self.send_all_objects(&snapshot).await?;
                if self.has_bookmarks {
                    self.send_bookmark(reached, true).await?;
                }
            }
            FirstEvents::Everything => self.send_all_objects(&snapshot).await?,
            FirstEvents::Now => {}
            FirstEvents::After(version) => match since {
                Some(changes) => {
                    reached = reached.max(version);
                    self.send_changes(&changes, None, &snapshot).await?;
                }
                None => return self.send_version_too_old(version, oldest).await,
            },
        }
        let mut bookmark = Instant::now() + BOOKMARK_INTERVAL;
        // A watch shorter than `LAST_BOOKMARK_LEAD` has no last bookmark.
        let last = ends
            .checked_sub(LAST_BOOKMARK_LEAD)
            .filter(|last| *last > Instant::now());
        let mut has_ended = last.is_none();
        let mut snapshot = snapshot;
        let mut ends = ends;
        // Simulated time at which the watch ends after a change of the definition; with a fast clock it comes before
        // `ends`.
        let mut drain_end: Option<Time> = None;
        while Instant::now() < ends {
            let next = match last {
                Some(last) if !has_ended => bookmark.min(last),
                _ => ends,
            };
            let received = tokio::select! {
                received = news.recv() => received,
                () = sleep_until(next) => {
                    has_ended |= next < bookmark;
                    bookmark = Instant::now() + BOOKMARK_INTERVAL;
                    if self.has_bookmarks && Instant::now() < ends {
                        self.send_bookmark(reached, false).await?;
                    }
                    continue;
                }
                () = self.lines.closed() => return Err(Disconnected),
            };
            match received {
                Ok(WatchMessage::Changes(news)) if drain_end.is_some_and(|drain_end| news.now >= drain_end) => {
                    return Ok(());
                }
                Ok(WatchMessage::Changes(news)) => {
                    let now = news.now;
                    let after = Arc::make_mut(&mut snapshot);
                    (after.now, after.at.0) = (now, after.at.0 + now.0 - after.now.0);
                    let first = news.changes.partition_point(|change| change.revision <= reached);
                    let fresh = &news.changes[first..];
                    self.send_changes(fresh, Some(&news), &snapshot).await?;
                    reached = fresh.last().map_or(reached, |change| change.revision);
                    if drain_end.is_none() && fresh.iter().any(|change| replaces_storage(change, self.kind)) {
                        drain_end = Some(Time(now.0 + STORAGE_DRAIN_DELAY.as_micros() as i64));
                        ends = ends.min(Instant::now() + STORAGE_DRAIN_DELAY);
                        has_ended = true;
                    }
                }
                Ok(WatchMessage::Ended) | Err(RecvError::Closed) => return Ok(()),
                Err(RecvError::Lagged(_)) => return self.send_version_too_old(reached, reached + 1).await,
            }
        }
        Ok(())
    }

    /// Returns whether the watch includes an object.
    fn includes(&self, object: &Object) -> bool {
        let metadata = object.metadata();
        object.kind() == self.kind
            && (self.path.namespace.is_empty() || *metadata.namespace == *self.path.namespace)
            && (self.path.name.is_empty() || *metadata.name == *self.path.name)
            && self.selectors.matches(object)
    }

    async fn send_all_objects(&mut self, snapshot: &Snapshot) -> Result<(), Disconnected> {
        let objects = snapshot.objects_with_kind(self.kind);
        let all = match self.path.namespace.as_str() {
            "" => objects.list_kind(self.kind),
            namespace => objects.list_kind_in(self.kind, namespace),
        };
        for object in all
            .iter()
            .filter(|object| self.includes(object))
            .cloned()
            .collect::<Vec<_>>()
        {
            let line = self.encode("ADDED", &object, snapshot);
            self.send(line).await?;
        }
        Ok(())
    }

    /// Sends the events of changes. `news` is their publication, whose encoded events are shared with other watches.
    async fn send_changes(
        &mut self,
        changes: &[Arc<Change>],
        news: Option<&PublishedChanges>,
        snapshot: &Snapshot,
    ) -> Result<(), Disconnected> {
        for change in changes {
            let includes = |object: &Option<Object>| object.clone().filter(|object| self.includes(object));
            let (event, object) = match (includes(&change.old), includes(&change.new)) {
                (None, None) => continue,
                (None, Some(new)) => ("ADDED", new),
                (Some(_), Some(new)) => ("MODIFIED", new),
                (Some(mut old), None) => {
                    // The event contains the last state, with the resourceVersion of the deletion (HT-074).
                    old.metadata_mut().resource_version = change.revision.to_string().into();
                    ("DELETED", old)
                }
            };
            let line = match news {
                // Rows of tables are not shared: the first one has the columns, and `includeObject` changes their
                // content.
                Some(news) if self.shape != ResponseShape::Table => {
                    let key = EncodedEventKey {
                        revision: change.revision,
                        event,
                        api_version: self.served.api_version,
                        kind: self.served.kind,
                        is_partial: self.shape != ResponseShape::Plain,
                    };
                    news.encoded_event(key, || self.encode(event, &object, snapshot))
                }
                _ => self.encode(event, &object, snapshot),
            };
            self.send(line).await?;
        }
        Ok(())
    }

    /// Encodes an event as one line.
    fn encode(&mut self, event: &str, object: &Object, snapshot: &Snapshot) -> Bytes {
        let shown = object_json::of(object, self.served, snapshot);
        let shown = match self.shape {
            ResponseShape::Table => {
                let row = self.columns.row(object, &shown, self.include, snapshot.now);
                self.one_row_table(row, &object.metadata().resource_version)
            }
            ResponseShape::Partial { .. } => object_json::partial_object_metadata(&shown),
            ResponseShape::Plain | ResponseShape::Discovery { .. } => shown,
        };
        event_line(event, &shown)
    }

    /// Creates a table with one row (HT-123).
    fn one_row_table(&mut self, row: Value, version: &str) -> Value {
        let columns = match std::mem::replace(&mut self.has_columns, true) {
            false => self.columns.definitions(),
            true => Value::Null,
        };
        let mut metadata = Map::new();
        metadata.insert("resourceVersion".to_owned(), version.into());
        table::table(metadata, columns, vec![row])
    }

    /// Sends a bookmark (HT-075, HT-076).
    async fn send_bookmark(&mut self, revision: u64, is_end_of_initial: bool) -> Result<(), Disconnected> {
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if is_end_of_initial {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let empty = podscope_api::Tree::from_value(&json!({
            "apiVersion": self.kind.api_version(), "kind": self.kind.name(), "metadata": {},
        }))
        .to_value();
        let object = podscope_api::object_from_tree(self.kind, &podscope_api::Tree::from_value(&empty)).ok();
        let version = revision.to_string();
        let shown = match (self.shape, object) {
            (ResponseShape::Table, Some(object)) => {
                let mut row = self.columns.row(&object, &empty, self.include, Time(0));
                row["object"] = json!({
                    "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
                });
                self.one_row_table(row, &version)
            }
            (ResponseShape::Partial { .. }, _) => object_json::partial_object_metadata(&json!({"metadata": metadata})),
            _ => json!({
                "kind": self.served.kind, "apiVersion": self.served.api_version, "metadata": metadata,
            }),
        };
        self.send(event_line("BOOKMARK", &shown)).await
    }

    async fn send_version_too_old(&mut self, version: u64, oldest: u64) -> Result<(), Disconnected> {
        let error = ApiError {
            code: 410,
            reason: StatusReason::Expired,
            ..ApiError::bad_request(format!("too old resource version: {version} ({oldest})"))
        };
        self.send(event_line("ERROR", &status::of(&error))).await
    }

    async fn send(&self, line: Bytes) -> Result<(), Disconnected> {
        self.lines.send(line).await.map_err(|_| Disconnected)
    }
}

fn event_line(event: &str, object: &Value) -> Bytes {
    let mut text = format!("{{\"type\":{event:?},\"object\":");
    text.push_str(&object.to_string());
    text.push_str("}\n");
    text.into()
}
