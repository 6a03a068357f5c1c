//! What histories do not tell and what is not replayed, counted by reason.

use podscope_api::ordered;
use podscope_protocol::Remark;

/// Maximum number of names in a notice.
const MAX_NAMES: usize = 3;

/// A reason why something of a history is missing from the timeline, or is only assumed. Notices have this order.
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
    /// The sentence of a notice about `count` cases, some of which are named.
    fn sentence(self, count: usize, names: &str) -> String {
        let (one, several) = self.words();
        let words = if count == 1 { one } else { several };
        let mut sentence = words.replace('#', &count.to_string());
        if !names.is_empty() {
            sentence.push_str(": ");
            sentence.push_str(names);
        }
        sentence
    }

    /// The sentence about one case and that about several; `#` stands for their number.
    #[expect(clippy::too_many_lines, reason = "a table: two sentences a note")]
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Cut => (
                "The last record of a history is incomplete and is left out",
                "The last records of # histories are incomplete and are left out",
            ),
            Self::WatchError => (
                "A watch ended with an error; what happened afterwards is not in the history",
                "# watches ended with an error; what happened afterwards is not in the history",
            ),
            Self::NoTypes => (
                "A watch stream has no types of events (--output-watch-events), so only deletions of objects with a \
                 deletionTimestamp are known",
                "# watch streams have no types of events (--output-watch-events), so only deletions of objects with a \
                 deletionTimestamp are known",
            ),
            Self::BeforeStart => (
                "1 write is older than t = 0 and is not replayed",
                "# writes are older than t = 0 and are not replayed",
            ),
            Self::Incomplete => (
                "1 write is not replayed, because its audit event has no object (level Metadata)",
                "# writes are not replayed, because their audit events have no object (level Metadata)",
            ),
            Self::NeverSeen => (
                "1 write is not replayed, because its object is not in the files before; a dump of the beginning, \
                 opened together with the history, has it",
                "# writes are not replayed, because their objects are not in the files before; a dump of the beginning, \
                 opened together with the history, has them",
            ),
            Self::NotWhole => (
                "1 object of the beginning cannot be read and is left out",
                "# objects of the beginning cannot be read and are left out",
            ),
            Self::SeenLate => (
                "1 object is seen first after a change; it is at t = 0 as it was then",
                "# objects are seen first after a change; they are at t = 0 as they were then",
            ),
            Self::NodeLost => (
                "1 node became Unknown. The cause is not in the history: a restart of the machine is replayed as a loss \
                 of power, any other loss as a partition, 50 s (nodeMonitorGracePeriod) before the node became Unknown",
                "# nodes became Unknown. The cause is not in the history: a restart of the machine is replayed as a loss \
                 of power, any other loss as a partition, 50 s (nodeMonitorGracePeriod) before a node became Unknown",
            ),
            Self::NodeUnready => (
                "1 node reported itself not ready; the cause is not in the history, and it is not replayed",
                "# nodes reported themselves not ready; the cause is not in the history, and it is not replayed",
            ),
            Self::NodeGone => (
                "1 Node was deleted; its machine is taken to have left",
                "# Nodes were deleted; their machines are taken to have left",
            ),
            Self::NamedBySimulation => (
                "1 write is not replayed, because it concerns an object to which the simulation gives another name",
                "# writes are not replayed, because they concern objects to which the simulation gives other names",
            ),
            Self::UnknownDeleter => (
                "1 pod ended, and the history does not tell whether its controller deleted it, which is assumed",
                "# pods ended, and the history does not tell whether their controllers deleted them, which is assumed",
            ),
            Self::OwnerUnknown => (
                "1 object is created as if by a user, because its owner is not in the files",
                "# objects are created as if by a user, because their owners are not in the files",
            ),
            Self::Undated => (
                "1 change has no time in the watch stream; it has that of the next record with a time",
                "# changes have no time in the watch stream; each has that of the next record with a time",
            ),
            Self::PatchType => (
                "1 patch is taken as a strategic merge patch, as kubectl sends it: audit events do not name the type",
                "# patches are taken as strategic merge patches, as kubectl sends them: audit events do not name the \
                 type",
            ),
            Self::Restarts => (
                "1 restart of a container is not replayed, because its cause is not in the history",
                "# restarts of containers are not replayed, because their causes are not in the history",
            ),
            Self::Lifetimes => (
                "The SimKube trace has how long pods ran, which is not replayed",
                "# SimKube traces have how long pods ran, which is not replayed",
            ),
            Self::NoNodes => (
                "The history has no Nodes, so the nodes are generated",
                "The histories have no Nodes, so the nodes are generated",
            ),
            Self::AutoscalerScales => (
                "1 change of replicas by a HorizontalPodAutoscaler is replayed as a command, because its metrics are not \
                 in the history",
                "# changes of replicas by HorizontalPodAutoscalers are replayed as commands, because their metrics are \
                 not in the history",
            ),
            Self::NotSimulated => (
                "1 write of a kind that is not simulated is not replayed",
                "# writes of kinds that are not simulated are not replayed",
            ),
            Self::NoName => (
                "1 record has no valid kind or name and is left out",
                "# records have no valid kind or name and are left out",
            ),
            Self::BySimulation => (
                "1 write by a component is not replayed, because the simulation makes its own",
                "# writes by components are not replayed, because the simulation makes its own",
            ),
        }
    }
}

/// The cases of one reason.
#[derive(Debug, Default)]
struct Cases {
    count: usize,
    /// The first different names.
    names: Vec<String>,
    /// There are more names.
    has_more: bool,
}

/// Counts of all reasons.
#[derive(Debug, Default)]
pub(super) struct Notes {
    found: ordered::Map<Note, Cases>,
}

impl Notes {
    /// Counts a case. A name is listed if it is not empty and one of the first.
    pub(super) fn add(&mut self, note: Note, name: &str) {
        let cases = self.found.entry(note).or_default();
        cases.count += 1;
        if name.is_empty() || cases.names.iter().any(|known| known == name) {
            return;
        }
        match cases.names.len() < MAX_NAMES {
            true => cases.names.push(name.to_owned()),
            false => cases.has_more = true,
        }
    }

    /// One notice for each reason.
    pub(super) fn remarks(&self) -> Vec<Remark> {
        let each = self.found.iter().map(|(note, cases)| {
            let more = if cases.has_more { ", …" } else { "" };
            Remark::History(note.sentence(cases.count, &format!("{}{more}", cases.names.join(", "))))
        });
        each.collect()
    }
}
