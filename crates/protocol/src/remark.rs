//! Remarks about opened files: objects that were converted, left out, assumed, or kept without being simulated.

use std::fmt;

use podscope_messages::{Sentence, listed, t};
use serde::{Deserialize, Serialize};

use crate::AnswerLimitation;

/// The first items of a list, and the number of all items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstItems<T> {
    pub count: usize,
    pub first: Vec<T>,
}

impl<T> FirstItems<T> {
    /// Keeps at most `most` items of `all`; `count` is the number of all items, including those that are not kept.
    pub fn of(count: usize, all: impl Iterator<Item = T>, most: usize) -> Self {
        Self {
            count,
            first: all.take(most).collect(),
        }
    }
}

impl<T: fmt::Display> fmt::Display for FirstItems<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, one) in self.first.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{one}")?;
        }
        f.write_str(if self.count > self.first.len() { ", …" } else { "" })
    }
}

/// A remark about opened files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Remark {
    /// Answers are limited because objects are missing from the files.
    Basis(AnswerLimitation),
    /// Objects of a kind that the cluster stores but does not simulate.
    NotSimulated { kind: String, count: usize },
    /// An object was left out because its API version is no longer served.
    Unserved {
        kind: String,
        api_version: String,
        file: String,
        line: u32,
    },
    /// Objects of an API version that v1.36 does not serve were converted to the current one.
    Converted {
        kind: String,
        api_version: String,
        count: usize,
    },
    /// A file of a dump, or part of it, was left out because it cannot be read. Holds its location and the reason.
    Unread(String),
    /// Number of further files, or parts of files, that cannot be read.
    MoreUnread(usize),
    /// Number of objects that occur more than once in the files.
    Duplicates(usize),
    /// Objects without a UID that are treated as parts of a dump and not as objects to create, each as
    /// `KIND NAMESPACE/NAME`.
    Scrubbed(FirstItems<String>),
    /// Objects with the same UID as other objects, each as `KIND NAMESPACE/NAME`.
    SharedUid(FirstItems<String>),
    /// A field of a KubeletConfiguration that has no effect.
    Kubelet(Sentence),
    /// A notice about a KubeSchedulerConfiguration.
    Scheduler(Sentence),
    /// Objects that are referenced but missing from the files; they are assumed to exist.
    Assumed {
        /// Kinds of the missing objects, with their names.
        kinds: Vec<(String, FirstItems<String>)>,
        means: Vec<Assumption>,
    },
    /// Pods with problems, each with the status that `kubectl get pods` prints. The simulation does not resolve these
    /// problems.
    PodProblems(FirstItems<PodWithProblem>),
    /// Nodes that are not ready or have a pressure condition.
    NodeProblems {
        nodes: FirstItems<NodeWithProblems>,
        /// Whether at least one node has a pressure condition.
        has_pressure: bool,
    },
    /// A pod stays Pending because one of its claims or volumes is missing in the files.
    MissingVolumes {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// Message of the real scheduler.
        message: String,
    },
    /// Number of pods with missing claims or volumes that are not listed.
    MoreWithMissingVolumes(usize),
    /// Pending pods that use assumed objects. They may run here, although the real cluster may lack these objects.
    UsesAssumed(FirstItems<PodWithAssumedObjects>),
    /// Number of HorizontalPodAutoscalers without metrics.
    AutoscalersWithoutMetrics(usize),
    /// The files contain no objects, so a cluster with this number of nodes is generated.
    NoObjects { nodes: usize },
    /// A namespace that is missing from the files is created.
    NamespaceCreated(String),
    /// Nodes are generated in addition to the nodes in the files.
    GeneratedNodes { made: usize, own: usize },
    /// The simulation starts at the latest timestamp in the files; those that may lie in the future, such as
    /// `deletionTimestamp`, do not count. Holds that time, in RFC 3339.
    StartTime(String),
    /// A command of a link cannot be parsed.
    Unreadable {
        command: String,
        /// Error of the parser.
        error: String,
    },
    /// The lesson of a link was removed or changed since the link was created.
    LessonChanged { name: String, is_gone: bool },
    /// A part of a recorded history that is missing, was assumed, or is not replayed.
    History(Sentence),
}

impl Remark {
    /// Returns a sort key by importance, most important first: missing objects, assumed objects, parts that are not
    /// simulated, information.
    #[must_use]
    pub fn importance_rank(&self) -> u8 {
        match self {
            Self::Basis(AnswerLimitation::Cut { .. })
            | Self::Unread(_)
            | Self::MoreUnread(_)
            | Self::NoObjects { .. } => 0,
            Self::Unreadable { .. } | Self::LessonChanged { .. } | Self::History(_) => 1,
            Self::Basis(_) => 2,
            Self::Assumed { .. }
            | Self::MissingVolumes { .. }
            | Self::MoreWithMissingVolumes(_)
            | Self::UsesAssumed(_) => 3,
            Self::GeneratedNodes { .. } | Self::Unserved { .. } | Self::Scheduler(_) => 4,
            Self::Duplicates(_)
            | Self::Scrubbed(_)
            | Self::SharedUid(_)
            | Self::Kubelet(_)
            | Self::AutoscalersWithoutMetrics(_) => 5,
            Self::PodProblems(_) | Self::NodeProblems { .. } => 6,
            Self::NotSimulated { .. } | Self::Converted { .. } => 7,
            Self::NamespaceCreated(_) | Self::StartTime(_) => 8,
        }
    }
}

/// A pod with a problem, and its status as kubectl prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodWithProblem {
    /// `NAMESPACE/NAME`.
    pub pod: String,
    pub word: String,
}

impl fmt::Display for PodWithProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pod, self.word)
    }
}

/// A pending pod, and the assumed objects that it uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodWithAssumedObjects {
    /// `NAMESPACE/NAME`.
    pub pod: String,
    /// The assumed objects, each as `KIND NAME`.
    pub assumed_objects: Vec<String>,
}

impl fmt::Display for PodWithAssumedObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pod, listed(&self.assumed_objects))
    }
}

/// A node and its problems according to its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeWithProblems {
    pub name: String,
    pub problems: Vec<NodeProblem>,
}

impl fmt::Display for NodeWithProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        write!(f, "{} ({})", self.name, listed(problems))
    }
}

/// A condition that reports a problem of its node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeProblem {
    /// The node is not ready; holds the reason, which may be empty.
    NotReady(String),
    /// Name of a pressure condition that is True.
    Pressure(String),
}

impl fmt::Display for NodeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReady(reason) if reason.is_empty() => f.write_str(&t!(remark::node_not_ready)),
            Self::NotReady(reason) => f.write_str(&t!(remark::node_not_ready_reason, reason = reason)),
            Self::Pressure(condition) => f.write_str(condition),
        }
    }
}

/// How assumed objects affect the answers about a cluster. Most variants are about the assumed objects of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Assumption {
    Node,
    PriorityClass,
    StorageClass,
    PersistentVolume,
    /// Owners that are assumed to exist, because objects in the files refer to them.
    Owners,
    /// Objects whose status counts other objects that are missing from the files, such as the replicas of a ReplicaSet.
    /// Holds the number of objects with such counts.
    Counted(usize),
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Node => t!(remark::means_nodes),
            Self::PriorityClass => t!(remark::means_priority_classes),
            Self::StorageClass => t!(remark::means_storage_classes),
            Self::PersistentVolume => t!(remark::means_persistent_volumes),
            Self::Owners => t!(remark::means_owners),
            Self::Counted(count) => t!(remark::means_counted, count = *count),
        })
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Basis(basis) => return basis.fmt(f),
            Self::NotSimulated { kind, count } => t!(remark::not_simulated, count = count, kind = kind),
            Self::Unserved {
                kind,
                api_version,
                file,
                line,
            } => t!(
                remark::unserved,
                kind = format!("{kind:?}"),
                version = format!("{api_version:?}"),
                place = format!("{file}:{line}")
            ),
            Self::Converted {
                kind,
                api_version,
                count,
            } => t!(remark::converted, count = count, kind = kind, version = api_version),
            Self::Unread(problem) => t!(remark::unread, problem = problem),
            Self::MoreUnread(count) => t!(remark::more_unread, count = *count),
            Self::Duplicates(count) => t!(remark::duplicates, count = *count),
            Self::Scrubbed(objects) => t!(remark::scrubbed, count = objects.count, objects = objects),
            Self::SharedUid(objects) => t!(remark::shared_uid, count = objects.count, objects = objects),
            Self::Kubelet(said) => return write!(f, "KubeletConfiguration: {said}"),
            Self::Scheduler(said) | Self::History(said) => return said.fmt(f),
            Self::Assumed { kinds, means } => assumed_remark(kinds, means),
            Self::PodProblems(pods) => t!(remark::pod_problems, count = pods.count, pods = pods),
            Self::NodeProblems {
                nodes,
                has_pressure: true,
            } => t!(remark::node_problems_pressure, count = nodes.count, nodes = nodes),
            Self::NodeProblems {
                nodes,
                has_pressure: false,
            } => t!(remark::node_problems, count = nodes.count, nodes = nodes),
            Self::MissingVolumes { pod, message } => t!(remark::missing_volumes, pod = pod, message = message),
            Self::MoreWithMissingVolumes(more) => t!(remark::more_with_missing_volumes, count = *more),
            Self::UsesAssumed(pods) => t!(remark::uses_assumed, count = pods.count, pods = pods),
            Self::AutoscalersWithoutMetrics(count) => t!(remark::autoscalers_without_metrics, count = *count),
            Self::NoObjects { nodes } => t!(remark::no_objects, nodes = *nodes),
            Self::NamespaceCreated(name) => t!(remark::namespace_created, name = name),
            Self::GeneratedNodes { made, own } => t!(remark::generated_nodes, made = *made, own = own),
            Self::StartTime(newest) => t!(remark::start_time, time = newest),
            Self::Unreadable { command, error } => {
                t!(remark::unreadable, command = format!("{command:?}"), error = error)
            }
            Self::LessonChanged { name, is_gone: true } => t!(remark::lesson_gone, name = name),
            Self::LessonChanged { name, is_gone: false } => t!(remark::lesson_changed, name = name),
        })
    }
}

fn assumed_remark(kinds: &[(String, FirstItems<String>)], means: &[Assumption]) -> String {
    let kind = |(kind, names): &(String, FirstItems<String>)| format!("{} × {kind} ({names})", names.count);
    let kinds: Vec<String> = kinds.iter().map(kind).collect();
    let mut text = match kinds.is_empty() {
        true => t!(remark::assumed),
        false => t!(remark::assumed_kinds, kinds = listed(kinds)),
    };
    for one in means {
        text.push_str("; ");
        text.push_str(&one.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: P-09
    #[test]
    fn remarks_with_arguments_are_formatted_as_sentences() {
        let text = str::to_owned;
        let names = FirstItems::of(4, ["a", "b", "c", "d"].into_iter().map(str::to_owned), 3);
        let node = NodeWithProblems {
            name: text("n1"),
            problems: vec![
                NodeProblem::NotReady(text("KubeletNotReady")),
                NodeProblem::Pressure(text("DiskPressure")),
            ],
        };
        let pod = PodWithProblem {
            pod: text("default/w"),
            word: text("CrashLoopBackOff"),
        };
        let read = [
            Remark::Assumed {
                kinds: vec![(text("Node"), names.clone()), (text("ReplicaSet"), names)],
                means: vec![Assumption::Node, Assumption::Owners, Assumption::Counted(2)],
            },
            Remark::PodProblems(FirstItems::of(1, std::iter::once(pod), 8)),
            Remark::NodeProblems {
                nodes: FirstItems::of(2, std::iter::once(node), 8),
                has_pressure: true,
            },
            Remark::AutoscalersWithoutMetrics(1),
            Remark::Scrubbed(FirstItems::of(1, std::iter::once(text("Pod default/w")), 3)),
            Remark::LessonChanged {
                name: text("sidecars"),
                is_gone: true,
            },
        ];
        let want = [
            "What the files refer to and do not have is assumed to exist: 4 × Node (a, b, c, …), 4 × ReplicaSet (a, b, \
             c, …); nothing new is placed on a node of which only the name is known; what such an owner owns stays, and \
             what ends of it is not made anew; 2 objects count others that the files do not have: they are taken to run",
            "One pod does not run well in the files: default/w (CrashLoopBackOff); its trouble is taken to last; a pod \
             that is made anew is well, unless an annotation about its behavior says otherwise",
            "2 nodes are not well in the files: n1 (not ready: KubeletNotReady, DiskPressure), …; that is taken to last \
             until the machine is started anew, and no pod that runs there is evicted for pressure that nobody measures",
            "A HorizontalPodAutoscaler scales nothing: the files do not say what pods use, unless an annotation about \
             their behavior does",
            "One object has no UID: Pod default/w; it is taken as dumped, not as something to create",
            "The lesson sidecars was removed after this link was made. It opens as it was, without its story.",
        ];
        assert_eq!(read.map(|remark| remark.to_string()), want);
    }
}
