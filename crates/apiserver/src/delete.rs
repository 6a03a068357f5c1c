//! DELETE: graceful for pods, at once for the rest, held by finalizers.
//!
//! ```text
//!            first DELETE, grace > 0              grace 0, or its own
//!   live ───────────────────────────► pending ───────────────────────► gone
//!     │  grace 0: two writes (LC-016)     │ finalizers hold it (LC-020)
//!     └───────────────────────────────────┴──────────► last finalizer ─► gone
//! ```

use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, Pod, Str, Time};

use super::{ApiServer, Caller, Outcome, records};
use podscope_sim::{Answer, ApiError, DeleteOptions, Happening, Propagation};

/// Finalizer of an owner that waits for its dependents (CT-152).
const FOREGROUND: &str = "foregroundDeletion";
/// Finalizer of an owner whose dependents shall stay (CT-152).
const ORPHAN: &str = "orphan";

/// What a DELETE finds (LC-011 to LC-015).
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Set timestamp and grace (absolute instant, seconds).
    Mark {
        timestamp: Time,
        grace: i64,
        is_first: bool,
    },
    /// Already pending, nothing shorter was asked: success without a change.
    Pending,
    /// Not graceful: remove, unless finalizers hold it.
    AtOnce,
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
            // Nobody else may use that prefix: it is one of the two that the server makes (VA-210).
            return Err(ApiError::forbidden(
                kind,
                &key.name,
                "this is a system priority class and cannot be deleted",
            ));
        }
        let mut object = old.clone();
        let step = match &old {
            Object::Pod(pod) => step(pod, options, caller.wall()),
            _ => Step::AtOnce,
        };
        let had_finalizers = !old.metadata().finalizers.is_empty();
        set_propagation(&mut object, options.propagation);
        match step {
            Step::Pending => Ok(Some(old)),
            Step::Mark {
                timestamp,
                grace,
                is_first,
            } => {
                let metadata = object.metadata_mut();
                metadata.deletion_timestamp = Some(timestamp);
                metadata.deletion_grace_period_seconds = Some(grace);
                if is_first {
                    raise_generation(&mut object);
                }
                let stored = self.mark(&old, object, is_first, out);
                if grace > 0 || !stored.metadata().finalizers.is_empty() {
                    return Ok(Some(stored));
                }
                self.remove(kind, key, out);
                Ok(Some(stored))
            }
            Step::AtOnce => {
                if object.metadata().finalizers.is_empty() {
                    if had_finalizers {
                        object = self.mark(&old, object, false, out);
                    }
                    self.remove(kind, key, out);
                    return Ok(Some(object));
                }
                let is_first = !old.metadata().is_terminating();
                if is_first {
                    let metadata = object.metadata_mut();
                    metadata.deletion_timestamp = Some(caller.wall());
                    metadata.deletion_grace_period_seconds = Some(0);
                    raise_generation(&mut object);
                }
                if object == old {
                    return Ok(Some(old));
                }
                Ok(Some(self.mark(&old, object, is_first, out)))
            }
        }
    }

    fn mark(&mut self, old: &Object, object: Object, is_first: bool, out: &mut Outcome) -> Object {
        let stored = self.write(object, out);
        if super::is_unrecorded(stored.kind()) {
            return stored;
        }
        let grace = stored.metadata().deletion_grace_period_seconds.unwrap_or(0);
        if is_first {
            out.record(Happening::DeletionRequested { grace }, &stored);
        } else {
            out.record(records::updated(old, &stored).into(), &stored);
        }
        stored
    }

    /// A namespace is marked first; it goes when its content and its finalizers have gone (CT-119, CT-120).
    fn delete_namespace(
        &mut self,
        old: &Object,
        options: &DeleteOptions,
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let Object::Namespace(namespace) = old else {
            return Err(ApiError::internal("a namespace is not a namespace"));
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
        set_propagation(&mut object, options.propagation);
        if let Object::Namespace(namespace) = &mut object {
            let namespace = Arc::make_mut(namespace);
            namespace.metadata.deletion_timestamp = Some(caller.wall());
            namespace.metadata.deletion_grace_period_seconds = None;
            namespace.status.phase = Str::from("Terminating");
        }
        Ok(Some(self.mark(old, object, true, out)))
    }
}

/// LC-011 to LC-015 for a pod.
fn step(pod: &Pod, options: &DeleteOptions, now: Time) -> Step {
    let metadata = &pod.metadata;
    let asked = options
        .grace_seconds
        .map(|seconds| if seconds < 0 { 1 } else { seconds });
    let after = |base: Time, seconds: i64| Time(base.0.saturating_add(seconds.saturating_mul(1_000_000)));
    if let Some(timestamp) = metadata.deletion_timestamp {
        let stored = match metadata.deletion_grace_period_seconds {
            None | Some(0) => return Step::AtOnce,
            Some(negative) if negative < 0 => 1,
            Some(seconds) => seconds,
        };
        let Some(asked) = asked.filter(|asked| *asked < stored) else {
            return Step::Pending;
        };
        let shorter = after(timestamp, asked - stored);
        return if shorter < now {
            Step::Mark {
                timestamp: now,
                grace: asked.min(1),
                is_first: false,
            }
        } else {
            Step::Mark {
                timestamp: shorter,
                grace: asked,
                is_first: false,
            }
        };
    }
    let own = pod.spec.termination_grace_period_seconds.unwrap_or(0);
    let period = if pod.spec.node_name.is_none() || pod.is_terminal() {
        0
    } else {
        asked.unwrap_or(own)
    };
    let grace = if period < 0 { 1 } else { period };
    Step::Mark {
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
        // The real server names the kind here, not the resource.
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

/// Finalizers of the owner collector follow the asked propagation (CT-152). Once deletion is pending
/// the client may still choose (the collector reads it when the last dependent goes).
fn set_propagation(object: &mut Object, propagation: Option<Propagation>) {
    let Some(propagation) = propagation else { return };
    let wanted = match propagation {
        Propagation::Background => None,
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Orphan => Some(ORPHAN),
    };
    let has = |name: &str| {
        object
            .metadata()
            .finalizers
            .iter()
            .any(|finalizer| &**finalizer == name)
    };
    let is_right = [FOREGROUND, ORPHAN]
        .iter()
        .all(|name| has(name) == (wanted == Some(*name)));
    if is_right {
        return;
    }
    let finalizers = &mut object.metadata_mut().finalizers;
    finalizers.retain(|finalizer| !matches!(&**finalizer, FOREGROUND | ORPHAN));
    finalizers.extend(wanted.map(Str::from));
}

fn raise_generation(object: &mut Object) {
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

    fn pod(bound: bool, phase: PodPhase, own: Option<i64>, pending: Option<(i64, i64)>) -> Pod {
        let mut pod = Pod::default();
        pod.spec.node_name = bound.then(|| NodeName::from("a-1"));
        pod.spec.termination_grace_period_seconds = own;
        pod.status.phase = Some(phase);
        if let Some((at, grace)) = pending {
            pod.metadata.deletion_timestamp = Some(Time::from_seconds(at));
            pod.metadata.deletion_grace_period_seconds = Some(grace);
        }
        pod
    }

    fn mark(at: i64, grace: i64, is_first: bool) -> Step {
        Step::Mark {
            timestamp: Time::from_seconds(at),
            grace,
            is_first,
        }
    }

    /// Shows: LC-011, LC-012, LC-013, LC-014, LC-015
    #[test]
    fn the_grace_of_a_delete_follows_the_first_rule_that_applies() {
        use PodPhase::{Pending, Running, Succeeded};
        let now = Time::from_seconds(100);
        // (name, bound, phase, own, pending, asked, expected)
        #[rustfmt::skip]
        let rows = [
            ("own period", true, Running, Some(30), None, None, mark(130, 30, true)),
            ("asked wins", true, Running, Some(30), None, Some(5), mark(105, 5, true)),
            ("unbound goes at once", false, Pending, Some(30), None, Some(60), mark(100, 0, true)),
            ("terminal goes at once", true, Succeeded, Some(30), None, None, mark(100, 0, true)),
            ("negative option is 1", true, Running, Some(30), None, Some(-7), mark(101, 1, true)),
            ("negative own is 1", true, Running, Some(-7), None, None, mark(101, 1, true)),
            ("own 0 is a force deletion (LC-018)", true, Running, Some(0), None, None, mark(100, 0, true)),
            ("repeat without option", true, Running, Some(30), Some((120, 30)), None, Step::Pending),
            ("repeat with longer", true, Running, Some(30), Some((120, 30)), Some(60), Step::Pending),
            ("repeat with equal", true, Running, Some(30), Some((120, 30)), Some(30), Step::Pending),
            ("repeat with shorter", true, Running, Some(30), Some((120, 30)), Some(15), mark(105, 15, false)),
            ("shorter, already past: 1", true, Running, Some(30), Some((120, 30)), Some(5), mark(100, 1, false)),
            ("forced while pending", true, Running, Some(30), Some((120, 30)), Some(0), mark(100, 0, false)),
            ("half-done deletion", true, Running, Some(30), Some((120, 0)), None, Step::AtOnce),
            ("terminal while pending (LC-011)", true, Succeeded, Some(30), Some((120, 30)), None, Step::Pending),
        ];
        for (name, bound, phase, own, pending, asked, expected) in rows {
            let options = DeleteOptions {
                grace_seconds: asked,
                ..DeleteOptions::default()
            };
            assert_eq!(
                step(&pod(bound, phase, own, pending), &options, now),
                expected,
                "{name}"
            );
        }
    }
}
