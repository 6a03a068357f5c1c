//! Counts what histories do not record and what is not replayed, by reason, for notices to the user.

use podscope_api::ordered;
use podscope_messages::{Sentence, sentence};

/// Maximum number of names in a notice.
const MAX_NAMES_IN_NOTICE: usize = 3;

/// A reason why something in a history is missing from the timeline, or is only assumed. Notices are in the order of
/// the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Note {
    Cut,
    WatchError,
    NoTypes,
    BeforeStart,
    Incomplete,
    NeverSeen,
    NotWhole,
    SeenLate,
    NodeLost,
    NodeUnready,
    NodeGone,
    NamedBySimulation,
    UnknownDeleter,
    OwnerUnknown,
    Undated,
    PatchType,
    Restarts,
    Lifetimes,
    NoNodes,
    AutoscalerScales,
    NotSimulated,
    NoName,
    BySimulation,
}

impl Note {
    /// Returns the sentence of a notice about `count` cases.
    fn sentence(self, count: usize) -> Sentence {
        match self {
            Self::Cut => sentence!(history::cut, count = count),
            Self::WatchError => sentence!(history::watch_error, count = count),
            Self::NoTypes => sentence!(history::no_types, count = count),
            Self::BeforeStart => sentence!(history::before_start, count = count),
            Self::Incomplete => sentence!(history::incomplete, count = count),
            Self::NeverSeen => sentence!(history::never_seen, count = count),
            Self::NotWhole => sentence!(history::not_whole, count = count),
            Self::SeenLate => sentence!(history::seen_late, count = count),
            Self::NodeLost => sentence!(history::node_lost, count = count),
            Self::NodeUnready => sentence!(history::node_unready, count = count),
            Self::NodeGone => sentence!(history::node_gone, count = count),
            Self::NamedBySimulation => sentence!(history::named_by_simulation, count = count),
            Self::UnknownDeleter => sentence!(history::unknown_deleter, count = count),
            Self::OwnerUnknown => sentence!(history::owner_unknown, count = count),
            Self::Undated => sentence!(history::undated, count = count),
            Self::PatchType => sentence!(history::patch_type, count = count),
            Self::Restarts => sentence!(history::restarts, count = count),
            Self::Lifetimes => sentence!(history::lifetimes, count = count),
            Self::NoNodes => sentence!(history::no_nodes, count = count),
            Self::AutoscalerScales => sentence!(history::autoscaler_scales, count = count),
            Self::NotSimulated => sentence!(history::not_simulated, count = count),
            Self::NoName => sentence!(history::no_name, count = count),
            Self::BySimulation => sentence!(history::by_simulation, count = count),
        }
    }
}

/// The cases with the same [`Note`]: how many there are, and the names of some of them.
#[derive(Debug, Default)]
struct CasesOfNote {
    count: usize,
    /// The first `MAX_NAMES_IN_NOTICE` different names.
    names: Vec<String>,
    /// Whether there are more than `MAX_NAMES_IN_NOTICE` different names.
    has_more: bool,
}

/// For each reason, the number of cases in the history, and the names that the notice lists.
#[derive(Debug, Default)]
pub(super) struct NoteCounts {
    found: ordered::Map<Note, CasesOfNote>,
}

impl NoteCounts {
    /// Counts a case. Its name is listed if it is not empty and among the first [`MAX_NAMES_IN_NOTICE`].
    pub(super) fn add(&mut self, note: Note, name: &str) {
        let cases = self.found.entry(note).or_default();
        cases.count += 1;
        if name.is_empty() || cases.names.iter().any(|known| known == name) {
            return;
        }
        match cases.names.len() < MAX_NAMES_IN_NOTICE {
            true => cases.names.push(name.to_owned()),
            false => cases.has_more = true,
        }
    }

    /// Returns one notice for each reason that has cases.
    pub(super) fn notices(&self) -> Vec<Sentence> {
        let each = self.found.iter().map(|(note, cases)| {
            let notice = note.sentence(cases.count);
            if cases.names.is_empty() {
                return notice;
            }
            let mut names: Vec<&str> = cases.names.iter().map(String::as_str).collect();
            names.extend(cases.has_more.then_some("…"));
            sentence!(history::with_names, notice = notice, names = names)
        });
        each.collect()
    }
}
