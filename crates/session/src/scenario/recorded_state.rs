//! The conditions `same`, `never` and `ready` of lessons, which are about individual pods. `same` and `never` compare
//! with the time at which their step was shown, and `ready` counts the pods that can serve requests. Unlike counts by
//! phase, they detect that a pod was replaced, or is being deleted although its phase is still Running.

use podscope_api::{Object, Uid};
use podscope_cluster::Objects;

use super::expect::Check;
use podscope_kubectl::command::Get;

/// What a step records for one of its conditions from the time at which the step is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedState {
    /// For `same`: UIDs of the selected objects when the step was shown, in ascending order.
    Uids(Vec<Uid>),
    /// For `never`: whether the inner condition has held since the step was shown.
    HasHeld(bool),
}

impl RecordedState {
    /// Creates the recorded state of a check when its step is shown. None for checks that do not compare with an
    /// earlier state.
    pub(crate) fn start(check: &Check, objects: &Objects) -> Option<Self> {
        match check {
            Check::Same(get) => Some(Self::Uids(selected_uids(get, objects))),
            Check::Never(_) => Some(Self::HasHeld(false)),
            _ => None,
        }
    }

    /// Returns whether a `same` or `never` check holds, given the recorded state.
    pub(super) fn holds(&self, check: &Check, objects: &Objects) -> bool {
        match (self, check) {
            (Self::Uids(at_start), Check::Same(get)) => selected_uids(get, objects) == *at_start,
            (Self::HasHeld(has_held), _) => !has_held,
            (Self::Uids(_), _) => false,
        }
    }
}

fn selected_uids(get: &Get, objects: &Objects) -> Vec<Uid> {
    let selected = podscope_kubectl::selected(&get.target, objects);
    let mut uids: Vec<Uid> = selected.iter().map(|object| object.metadata().uid.clone()).collect();
    uids.sort_unstable();
    uids
}

/// Returns how many of the selected pods a Service can use: they are ready and not being deleted.
pub(super) fn count_ready(get: &Get, objects: &Objects) -> usize {
    let serves = |object: &&Object| match object {
        Object::Pod(pod) => pod.metadata.deletion_timestamp.is_none() && pod.is_ready(),
        _ => false,
    };
    podscope_kubectl::selected(&get.target, objects)
        .iter()
        .filter(serves)
        .count()
}
