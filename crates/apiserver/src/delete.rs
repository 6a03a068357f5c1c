//! DELETE: graceful for pods, immediate for other kinds, delayed by finalizers.
//!
//! ```text
//!            first DELETE, grace > 0              DELETE with grace 0
//!   live ───────────────────────────► pending ───────────────────────► gone
//!     │  grace 0: two writes (LC-016)     │ finalizers hold it (LC-020)
//!     └───────────────────────────────────┴──────────► last finalizer ─► gone
//! ```

use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, Pod, Str, Time};

use super::{ApiServer, Caller, Outcome, custom, records};
use podscope_sim::{Answer, ApiError, DeleteOptions, Happening, Propagation};

/// Finalizer of an owner in foreground deletion: its dependents are deleted first (CT-152).
const FOREGROUND_FINALIZER: &str = "foregroundDeletion";
/// Finalizer of an owner whose dependents are not deleted (CT-152).
const ORPHAN_FINALIZER: &str = "orphan";

/// The effect of a DELETE on an object (LC-011 to LC-015).
#[derive(Debug, PartialEq, Eq)]
enum DeletionStep {
    /// Sets the deletion timestamp and the grace period in seconds.
    Mark {
        timestamp: Time,
        grace: i64,
        is_first: bool,
    },
    /// Succeeds without a change: deletion is already pending, with a grace period not longer than requested.
    Pending,
    /// Removes the object without a grace period, unless it has finalizers.
    Immediate,
}

impl ApiServer {
    pub(super) fn delete(
        &mut self,
        kind: Kind,
        key: &ObjectKey,
        options: &DeleteOptions,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let old = self.stored(kind, key)?;
        check_preconditions(&old, options)?;
        if kind == Kind::Namespace {
            return self.delete_namespace(&old, options, caller, out);
        }
        if kind == Kind::PriorityClass && key.name.starts_with("system-") {
            // Only the two built-in PriorityClasses have this prefix; clients cannot create such classes (VA-210).
            return Err(ApiError::forbidden(
                kind,
                &key.name,
                "this is a system priority class and cannot be deleted",
            ));
        }
        let mut object = old.clone();
        let deletion_step = match &old {
            Object::Pod(pod) => deletion_step(pod, options, caller.wall_time()),
            _ => DeletionStep::Immediate,
        };
        if let Object::Untyped(untyped) = &mut object
            && untyped.kind == Kind::CustomResourceDefinition
        {
            custom::begin_deletion(Arc::make_mut(untyped), caller);
        }
        let had_finalizers = !old.metadata().finalizers.is_empty();
        set_propagation_finalizers(&mut object, options.propagation);
        match deletion_step {
            DeletionStep::Pending => Ok(Some(old)),
            DeletionStep::Mark {
                timestamp,
                grace,
                is_first,
            } => {
                let metadata = object.metadata_mut();
                metadata.deletion_timestamp = Some(timestamp);
                metadata.deletion_grace_period_seconds = Some(grace);
                if is_first {
                    increment_generation(&mut object);
                }
                let stored = self.store_deletion_change(&old, object, is_first, out);
                if grace > 0 || !stored.metadata().finalizers.is_empty() {
                    return Ok(Some(stored));
                }
                self.remove(kind, key, out);
                Ok(Some(stored))
            }
            DeletionStep::Immediate => {
                if object.metadata().finalizers.is_empty() {
                    if had_finalizers {
                        object = self.store_deletion_change(&old, object, false, out);
                    }
                    self.remove(kind, key, out);
                    return Ok(Some(object));
                }
                let is_first = !old.metadata().is_terminating();
                if is_first {
                    let metadata = object.metadata_mut();
                    metadata.deletion_timestamp = Some(caller.wall_time());
                    // The real server sets only the deletion timestamp of a CustomResourceDefinition.
                    if kind != Kind::CustomResourceDefinition {
                        metadata.deletion_grace_period_seconds = Some(0);
                        increment_generation(&mut object);
                    }
                }
                if object == old {
                    return Ok(Some(old));
                }
                Ok(Some(self.store_deletion_change(&old, object, is_first, out)))
            }
        }
    }

    /// Stores an object whose deletion timestamp or grace period has changed, and records the change.
    fn store_deletion_change(
        &mut self,
        old: &Object,
        object: Object,
        is_first_request: bool,
        out: &mut Outcome,
    ) -> Object {
        let stored = self.write(object, out);
        if super::is_unrecorded(stored.kind()) {
            return stored;
        }
        let grace = stored.metadata().deletion_grace_period_seconds.unwrap_or(0);
        if is_first_request {
            out.record(Happening::DeletionRequested { grace }, &stored);
        } else {
            out.record(records::updated_record(old, &stored).into(), &stored);
        }
        stored
    }

    /// Marks a namespace as terminating. It is removed when its content and its finalizers are gone (CT-119, CT-120).
    fn delete_namespace(
        &mut self,
        old: &Object,
        options: &DeleteOptions,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let Object::Namespace(namespace) = old else {
            return Err(ApiError::internal("an object of kind Namespace is no Namespace"));
        };
        let name = &namespace.metadata.name;
        if matches!(&**name, "default" | "kube-system" | "kube-public") {
            return Err(ApiError::forbidden(
                Kind::Namespace,
                name,
                "this namespace may not be deleted",
            ));
        }
        if namespace.metadata.is_terminating() {
            if namespace.spec.finalizers.is_empty() && namespace.metadata.finalizers.is_empty() {
                self.remove(Kind::Namespace, &namespace.metadata.key(), out);
                return Ok(Some(old.clone()));
            }
            return Ok(Some(old.clone()));
        }
        let mut object = old.clone();
        set_propagation_finalizers(&mut object, options.propagation);
        if let Object::Namespace(namespace) = &mut object {
            let namespace = Arc::make_mut(namespace);
            namespace.metadata.deletion_timestamp = Some(caller.wall_time());
            namespace.metadata.deletion_grace_period_seconds = None;
            namespace.status.phase = Str::from("Terminating");
        }
        Ok(Some(self.store_deletion_change(old, object, true, out)))
    }
}

/// Returns the effect of a DELETE on a pod (LC-011 to LC-015).
fn deletion_step(pod: &Pod, options: &DeleteOptions, now: Time) -> DeletionStep {
    let metadata = &pod.metadata;
    let requested = options
        .grace_seconds
        .map(|seconds| if seconds < 0 { 1 } else { seconds });
    let after = |base: Time, seconds: i64| Time(base.0.saturating_add(seconds.saturating_mul(1_000_000)));
    if let Some(timestamp) = metadata.deletion_timestamp {
        let stored = match metadata.deletion_grace_period_seconds {
            None | Some(0) => return DeletionStep::Immediate,
            Some(negative) if negative < 0 => 1,
            Some(seconds) => seconds,
        };
        let Some(requested) = requested.filter(|requested| *requested < stored) else {
            return DeletionStep::Pending;
        };
        let shorter = after(timestamp, requested - stored);
        return if shorter < now {
            DeletionStep::Mark {
                timestamp: now,
                grace: requested.min(1),
                is_first: false,
            }
        } else {
            DeletionStep::Mark {
                timestamp: shorter,
                grace: requested,
                is_first: false,
            }
        };
    }
    let own = pod.spec.termination_grace_period_seconds.unwrap_or(0);
    let period = if pod.spec.node_name.is_none() || pod.is_terminal() {
        0
    } else {
        requested.unwrap_or(own)
    };
    let grace = if period < 0 { 1 } else { period };
    DeletionStep::Mark {
        timestamp: after(now, grace),
        grace,
        is_first: true,
    }
}

fn check_preconditions(old: &Object, options: &DeleteOptions) -> Result<(), ApiError> {
    let (kind, metadata) = (old.kind(), old.metadata());
    if let Some(uid) = &options.uid
        && *uid != metadata.uid
    {
        // Like the real server, this message contains the kind instead of the resource name.
        return Err(ApiError::conflict_on(
            &kind.qualified_name(),
            &metadata.name,
            &format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been deleted and then recreated",
                metadata.uid
            ),
        ));
    }
    if let Some(version) = &options.resource_version
        && *version != metadata.resource_version
    {
        return Err(ApiError::conflict_on(
            &kind.qualified_name(),
            &metadata.name,
            &format!(
                "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record ({}). The object might have been modified",
                metadata.resource_version
            ),
        ));
    }
    Ok(())
}

/// Sets the garbage collector's finalizers for the requested propagation (CT-152). The client may change the policy
/// while deletion is pending; the collector reads it when the last dependent is deleted.
fn set_propagation_finalizers(object: &mut Object, propagation: Option<Propagation>) {
    let Some(propagation) = propagation else { return };
    let wanted = match propagation {
        Propagation::Background => None,
        Propagation::Foreground => Some(FOREGROUND_FINALIZER),
        Propagation::Orphan => Some(ORPHAN_FINALIZER),
    };
    let has_finalizer = |name: &str| {
        object
            .metadata()
            .finalizers
            .iter()
            .any(|finalizer| &**finalizer == name)
    };
    let is_up_to_date = [FOREGROUND_FINALIZER, ORPHAN_FINALIZER]
        .iter()
        .all(|name| has_finalizer(name) == (wanted == Some(*name)));
    if is_up_to_date {
        return;
    }
    let finalizers = &mut object.metadata_mut().finalizers;
    finalizers.retain(|finalizer| !matches!(&**finalizer, FOREGROUND_FINALIZER | ORPHAN_FINALIZER));
    finalizers.extend(wanted.map(Str::from));
}

fn increment_generation(object: &mut Object) {
    if let Some(generation) = &mut object.metadata_mut().generation
        && *generation > 0
    {
        *generation += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::{NodeName, PodPhase};

    /// Returns a pod. `spec_grace` is the grace period of its spec; `pending_deletion` is the deletion timestamp and
    /// the grace period of a pending deletion. All are in seconds.
    fn pod(bound: bool, phase: PodPhase, spec_grace: Option<i64>, pending_deletion: Option<(i64, i64)>) -> Pod {
        let mut pod = Pod::default();
        pod.spec.node_name = bound.then(|| NodeName::from("a-1"));
        pod.spec.termination_grace_period_seconds = spec_grace;
        pod.status.phase = Some(phase);
        if let Some((at, grace)) = pending_deletion {
            pod.metadata.deletion_timestamp = Some(Time::from_seconds(at));
            pod.metadata.deletion_grace_period_seconds = Some(grace);
        }
        pod
    }

    fn mark(at: i64, grace: i64, is_first: bool) -> DeletionStep {
        DeletionStep::Mark {
            timestamp: Time::from_seconds(at),
            grace,
            is_first,
        }
    }

    /// Shows: LC-011, LC-012, LC-013, LC-014, LC-015
    #[test]
    fn delete_grace_period_is_set_by_first_matching_rule() {
        use PodPhase::{Pending, Running, Succeeded};
        let now = Time::from_seconds(100);
        // (name, is_bound, phase, pod's own grace, pending (timestamp, grace), requested grace, expected)
        #[rustfmt::skip]
        let rows = [
            ("pod's own period", true, Running, Some(30), None, None, mark(130, 30, true)),
            ("requested period wins", true, Running, Some(30), None, Some(5), mark(105, 5, true)),
            ("unbound pod has no grace", false, Pending, Some(30), None, Some(60), mark(100, 0, true)),
            ("finished pod has no grace", true, Succeeded, Some(30), None, None, mark(100, 0, true)),
            ("negative option is 1", true, Running, Some(30), None, Some(-7), mark(101, 1, true)),
            ("negative period of the pod is 1", true, Running, Some(-7), None, None, mark(101, 1, true)),
            ("period 0 of the pod is a force deletion (LC-018)", true, Running, Some(0), None, None, mark(100, 0, true)),
            ("repeat without option", true, Running, Some(30), Some((120, 30)), None, DeletionStep::Pending),
            ("repeat with longer", true, Running, Some(30), Some((120, 30)), Some(60), DeletionStep::Pending),
            ("repeat with equal", true, Running, Some(30), Some((120, 30)), Some(30), DeletionStep::Pending),
            ("repeat with shorter", true, Running, Some(30), Some((120, 30)), Some(15), mark(105, 15, false)),
            ("shorter, already past: 1", true, Running, Some(30), Some((120, 30)), Some(5), mark(100, 1, false)),
            ("forced while pending", true, Running, Some(30), Some((120, 30)), Some(0), mark(100, 0, false)),
            ("half-done deletion", true, Running, Some(30), Some((120, 0)), None, DeletionStep::Immediate),
            ("terminal while pending (LC-011)", true, Succeeded, Some(30), Some((120, 30)), None, DeletionStep::Pending),
        ];
        for (name, bound, phase, own, pending, requested, expected) in rows {
            let options = DeleteOptions {
                grace_seconds: requested,
                ..DeleteOptions::default()
            };
            assert_eq!(
                deletion_step(&pod(bound, phase, own, pending), &options, now),
                expected,
                "{name}"
            );
        }
    }
}
