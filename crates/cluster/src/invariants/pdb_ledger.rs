//! `pdb-ledger` (CT-170): between two looks of the disruption controller at a
//! budget, no more evictions are approved than it allowed; what it allows is
//! never negative. Pods that are not Ready may go without counting (CT-101).

use podscope_api::ordered;

use podscope_api::{Object, ObjectKey, Pod, PodDisruptionBudget, phrase};

use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::{Actor, Request, subject_of};

pub(super) const PDB_LEDGER: Invariant = Invariant {
    name: "pdb-ledger",
    fact: "CT-170",
    group: Group::Life,
    promise: Promise::Safety,
    statement: "Evictions never spend more than a budget allows.",
    keeper: "The eviction subresource, against one version of the budget's status.",
    breaker: "Whatever is not an eviction: deletes, preemption, node loss.",
    lesson: "drain-with-pdb",
};

const FACT: &str = "CT-170";

/// What a budget allowed when its status was last computed, and how many evictions were approved since.
#[derive(Debug, Clone, Copy)]
struct Book {
    allowed: i32,
    approved: i32,
}

/// One book a budget, and the pod whose eviction is being served.
#[derive(Debug, Clone, Default)]
pub(super) struct PdbLedger {
    books: ordered::Map<ObjectKey, Book>,
    evicted: Option<ObjectKey>,
}

impl Check for PdbLedger {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        match seen {
            Seen::Request { request, .. } => {
                self.evicted = match request {
                    Request::Evict { pod, .. } => Some(pod.clone()),
                    _ => None,
                };
                let Some(pod) = self.evicted.as_ref().and_then(|key| view.objects.get::<Pod>(key)) else {
                    return;
                };
                for budget in view.objects.budgets_of(pod) {
                    self.books.entry(budget.metadata.key()).or_insert(Book {
                        allowed: budget.status.disruptions_allowed,
                        approved: 0,
                    });
                }
            }
            Seen::Change { actor, change } => match (&change.old, &change.new) {
                (Some(Object::PodDisruptionBudget(old)), None) => {
                    self.books.remove(&old.metadata.key());
                }
                (_, Some(Object::PodDisruptionBudget(budget))) => self.computed(actor, budget, view, out),
                (Some(Object::Pod(old)), new) => {
                    let begins = new.as_ref().is_none_or(|new| new.metadata().is_terminating());
                    let counts = old.is_ready() && !old.is_terminal() && !old.metadata.is_terminating();
                    if begins && counts && self.evicted.as_ref() == Some(&old.metadata.key()) {
                        self.approved(old, view, out);
                    }
                }
                _ => {}
            },
            Seen::Record(_) | Seen::Tick { .. } => {}
        }
    }
}

fn subject(budget: &std::sync::Arc<PodDisruptionBudget>) -> Option<std::sync::Arc<crate::Subject>> {
    Some(subject_of(&Object::PodDisruptionBudget(budget.clone())))
}

impl PdbLedger {
    /// A status was written: by an eviction, which counts itself, or anew.
    fn computed(
        &mut self,
        actor: &Actor,
        budget: &std::sync::Arc<PodDisruptionBudget>,
        view: &View<'_>,
        out: &mut Vec<Breach>,
    ) {
        let allowed = budget.status.disruptions_allowed;
        if self.evicted.is_none() {
            self.books.insert(budget.metadata.key(), Book { allowed, approved: 0 });
        }
        if allowed < 0 {
            let (cause, by) = blame::of_component(actor, FACT, view);
            out.push(Breach {
                corrupts: None,
                invariant: PDB_LEDGER.name,
                object: subject(budget),
                cause,
                by,
                seen: phrase!("disruptionsAllowed is {allowed}", allowed = allowed),
            });
        }
    }

    /// An eviction was approved: the pod goes.
    fn approved(&mut self, pod: &Pod, view: &View<'_>, out: &mut Vec<Breach>) {
        for budget in view.objects.budgets_of(pod) {
            let Some(book) = self.books.get_mut(&budget.metadata.key()) else {
                continue;
            };
            book.approved += 1;
            if book.approved > book.allowed {
                out.push(Breach {
                    corrupts: None,
                    invariant: PDB_LEDGER.name,
                    object: subject(budget),
                    cause: Cause::Bug,
                    by: Actor::ApiServer.to_string().into(),
                    seen: phrase!(
                        "eviction {number} of a budget that allows {allowed}: {pod}",
                        number = book.approved,
                        allowed = book.allowed,
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

    /// The server approves one of two and refuses the other; one that it approved all the same would be told.
    /// Shows: CT-170
    #[test]
    fn no_more_evictions_than_the_budget_allows() {
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
        assert!(trace.broken().is_empty(), "{:?}", trace.broken());

        let two = world
            .objects()
            .get::<Pod>(&ObjectKey::new("default", "two"))
            .expect("it stays")
            .clone();
        let request = evict("two");
        let seen = Seen::Request {
            actor: &drain,
            request: &request,
        };
        world.check(&seen, &mut trace);
        let change = Change {
            revision: 0,
            old: Some(Object::Pod(two)),
            new: None,
        };
        let seen = Seen::Change {
            actor: &drain,
            change: &change,
        };
        world.check(&seen, &mut trace);
        assert_eq!(trace.broken(), ["pdb-ledger bug apiserver"]);
    }
}
