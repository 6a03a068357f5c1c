//! Passes observations of the world to the invariants, and records the violations that they detect.

use podscope_api::{Kind, Object, ObjectKey};
use podscope_sim::{Happening, Violation};

use super::World;
use crate::invariants::{DetectedViolation, Observation, WorldParts};
use crate::{Actor, Sink};

impl World {
    /// Passes an observation to the invariants and reports the violations that they detect.
    pub(crate) fn check(&mut self, seen: &Observation<'_>, sink: &mut dyn Sink) {
        let violations = self.violations(seen);
        self.report(violations, sink);
    }

    /// Passes an observation to the invariants; returns the violations that they detect.
    pub(super) fn violations(&mut self, seen: &Observation<'_>) -> Vec<DetectedViolation> {
        let parts = WorldParts {
            now: self.now,
            objects: self.api.objects(),
            nodes: &self.nodes,
            network: &self.network,
            processes: &self.processes,
            traffic: &self.traffic,
            eviction_rate_millis: self.settings.controller_manager.node_eviction_rate.0,
            detaches_by_force: !self.settings.controller_manager.disable_force_detach_on_timeout,
        };
        if self.are_invariants_disabled {
            return Vec::new();
        }
        self.monitors.check(seen, &parts)
    }

    /// Puts a record of each violation into the trace.
    pub(super) fn report(&mut self, violations: Vec<DetectedViolation>, sink: &mut dyn Sink) {
        for detected in violations {
            if let Some(volume) = &detected.corrupts {
                let key = ObjectKey::cluster(volume.clone());
                let object = self.objects().get_kind(Kind::PersistentVolume, &key);
                let about = object.map(|object| crate::subject_of(&object));
                let message = detected.seen.english();
                self.emit(&Actor::World, Happening::VolumeCorrupted { message }, about, None, sink);
            }
            let violation = Violation {
                invariant: detected.invariant.into(),
                cause: detected.cause,
                by: detected.by,
                seen: detected.seen,
            };
            let violated = Happening::InvariantViolated { violation };
            self.emit(&Actor::World, violated, detected.object, None, sink);
        }
    }

    /// Runs the liveness checks.
    pub(crate) fn check_liveness(&mut self, sink: &mut dyn Sink) {
        let is_fault_free = self.is_fault_free();
        let undecided = self.monitors.overdue_pending_pods(self.now);
        let fitting = undecided
            .into_iter()
            .filter(|uid| {
                let Some(Object::Pod(pod)) = self.objects().by_uid(uid) else {
                    return false;
                };
                self.scheduler()
                    .and_then(|scheduler| scheduler.decide(&pod))
                    .is_some_and(|(_, decision)| !decision.found.feasible.is_empty())
            })
            .collect();
        let seen = Observation::Tick {
            is_fault_free,
            fitting: &fitting,
        };
        self.check(&seen, sink);
    }
}
