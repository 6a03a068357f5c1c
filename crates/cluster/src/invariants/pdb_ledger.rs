//! `pdb-ledger` (CT-170): a budget is never overdrawn by evictions.

use podscope_api::Object;

use super::{Breach, Check, Seen, View, blame};
use crate::subject_of;

/// Remembers nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct PdbLedger;

impl Check for PdbLedger {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Seen::Change { actor, change } = seen else { return };
        let Some(Object::PodDisruptionBudget(budget)) = &change.new else {
            return;
        };
        if budget.status.disruptions_allowed < 0 {
            let (cause, by) = blame::of_component(actor, view);
            out.push(Breach {
                corrupts: None,
                invariant: "pdb-ledger",
                object: Some(subject_of(&Object::PodDisruptionBudget(budget.clone()))),
                cause,
                by,
                message: format!("disruptionsAllowed is {}", budget.status.disruptions_allowed),
            });
        }
    }
}
