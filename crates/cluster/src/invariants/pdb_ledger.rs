//! `pdb-ledger` (CT-170): between two status updates of a PodDisruptionBudget by the disruption controller, the API
//! server approves no more evictions than the first status allows, and the allowed number is never negative. Evictions
//! of pods that are not Ready may be approved without being counted (CT-101).

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_messages::invariant;
use podscope_messages::sentence;

use podscope_api::{Object, ObjectKey, Pod, PodDisruptionBudget};

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{Actor, Request, subject_of};

pub(super) const PDB_LEDGER: Invariant = Invariant {
    name: "pdb-ledger",
    fact: "CT-170",
    group: InvariantGroup::Life,
    kind: InvariantKind::Safety,
    statement: invariant::pdb_ledger,
    keeper: invariant::pdb_ledger_keeper,
    breaker: invariant::pdb_ledger_breaker,
    lesson: "drain-with-pdb",
};

const FACT_ID: &str = "CT-170";

/// Allowed disruptions of a PodDisruptionBudget when its status was last computed, and number of evictions approved
/// since then.
#[derive(Debug, Clone, Copy)]
struct BudgetAccount {
    allowed: i32,
    approved: i32,
}

/// Accounts of all PodDisruptionBudgets, and the pod whose eviction is being served.
#[derive(Debug, Clone, Default)]
pub(super) struct PdbLedger {
    accounts: ordered::Map<ObjectKey, BudgetAccount>,
    evicted: Option<ObjectKey>,
}

impl Check for PdbLedger {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        match seen {
            Observation::Request { request, .. } => {
                self.evicted = match request {
                    Request::Evict { pod, .. } => Some(pod.clone()),
                    _ => None,
                };
                let Some(pod) = self.evicted.as_ref().and_then(|key| view.objects.get::<Pod>(key)) else {
                    return;
                };
                for budget in view.objects.budgets_of(pod) {
                    self.accounts.entry(budget.metadata.key()).or_insert(BudgetAccount {
                        allowed: budget.status.disruptions_allowed,
                        approved: 0,
                    });
                }
            }
            Observation::Change { actor, change } => match (&change.old, &change.new) {
                (Some(Object::PodDisruptionBudget(old)), None) => {
                    self.accounts.remove(&old.metadata.key());
                }
                (_, Some(Object::PodDisruptionBudget(budget))) => self.record_status(actor, budget, view, out),
                (Some(Object::Pod(old)), new) => {
                    let begins_termination = new.as_ref().is_none_or(|new| new.metadata().is_terminating());
                    let counts = old.is_ready() && !old.is_terminal() && !old.metadata.is_terminating();
                    if begins_termination && counts && self.evicted.as_ref() == Some(&old.metadata.key()) {
                        self.record_eviction(old, view, out);
                    }
                }
                _ => {}
            },
            Observation::Record(_) | Observation::Tick { .. } => {}
        }
    }
}

fn budget_subject(budget: &std::sync::Arc<PodDisruptionBudget>) -> Option<std::sync::Arc<crate::Subject>> {
    Some(subject_of(&Object::PodDisruptionBudget(budget.clone())))
}

impl PdbLedger {
    /// Records a new status of a budget. If an eviction wrote it, that eviction is already counted.
    fn record_status(
        &mut self,
        actor: &Actor,
        budget: &std::sync::Arc<PodDisruptionBudget>,
        view: &View<'_>,
        out: &mut Vec<DetectedViolation>,
    ) {
        let allowed = budget.status.disruptions_allowed;
        if self.evicted.is_none() {
            self.accounts
                .insert(budget.metadata.key(), BudgetAccount { allowed, approved: 0 });
        }
        if allowed < 0 {
            let (cause, by) = blame::of_component(actor, FACT_ID, view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: PDB_LEDGER.name,
                object: budget_subject(budget),
                cause,
                by,
                seen: sentence!(seen::disruptions_allowed, allowed = allowed),
            });
        }
    }

    /// Counts an approved eviction for the budgets of its pod.
    fn record_eviction(&mut self, pod: &Pod, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        for budget in view.objects.budgets_of(pod) {
            let Some(account) = self.accounts.get_mut(&budget.metadata.key()) else {
                continue;
            };
            account.approved += 1;
            if account.approved > account.allowed {
                out.push(DetectedViolation {
                    corrupts: None,
                    invariant: PDB_LEDGER.name,
                    object: budget_subject(budget),
                    cause: ViolationCause::Bug,
                    by: Actor::ApiServer.to_string().into(),
                    seen: sentence!(
                        seen::too_many_evictions,
                        number = account.approved,
                        allowed = account.allowed,
                        pod = pod.metadata.key().to_string()
                    ),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use super::*;
    use crate::{Change, DeleteOptions, SimTime};
    use serde_json::json;

    /// The API server approves one eviction and refuses the second. If it approved the second too, that would be a
    /// violation.
    /// Shows: CT-170
    #[test]
    fn eviction_beyond_budget_is_violation() {
        let pod = |name: &str| {
            json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "web"}]},
            })
        };
        let budget = json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
        });
        let mut trace = Trace::default();
        let mut world = lab::world(&[pod("one"), pod("two"), budget], &mut trace);
        world.run_until(SimTime::from_seconds(30), &mut trace);
        let drain = Actor::Client(0);
        let evict = |name: &str| Request::Evict {
            pod: ObjectKey::new("default", name),
            options: DeleteOptions::default(),
        };
        assert!(world.serve(&drain, &evict("one"), &mut trace).is_ok());
        assert!(world.serve(&drain, &evict("two"), &mut trace).is_err());
        assert!(trace.violations().is_empty(), "{:?}", trace.violations());

        let two = world
            .objects()
            .get::<Pod>(&ObjectKey::new("default", "two"))
            .expect("pod two is not evicted")
            .clone();
        let request = evict("two");
        let seen = Observation::Request {
            actor: &drain,
            request: &request,
        };
        world.check(&seen, &mut trace);
        let change = Change {
            revision: 0,
            old: Some(Object::Pod(two)),
            new: None,
        };
        let seen = Observation::Change {
            actor: &drain,
            change: &change,
        };
        world.check(&seen, &mut trace);
        assert_eq!(trace.violations(), ["pdb-ledger bug apiserver"]);
    }
}
