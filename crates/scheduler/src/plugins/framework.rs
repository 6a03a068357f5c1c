//! What a plugin is: a spec and its extension points, each with a default that says nothing.

use podscope_api::Pod;

use crate::cache::Cache;
use crate::config::{Args, Errors, Fields};
use crate::cycle::{Cycle, CycleState, Diagnosis, PreFilter, Search};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{Incoming, PodInfo};
use crate::post_filter::{Limit, PostFilter};
use crate::queue::events::{Event, EventKind, Waiting};
use crate::rows::RowBounds;
use crate::status::Status;

/// Where a plugin is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Before a pod enters activeQ.
    PreEnqueue,
    /// Order of activeQ.
    QueueSort,
    /// Once per cycle, before nodes are examined.
    PreFilter,
    /// Per node: can it run there?
    Filter,
    /// When no node passed.
    PostFilter,
    /// Once per cycle, before nodes are scored.
    PreScore,
    /// Per feasible node.
    Score,
    /// When a node is chosen.
    Reserve,
    /// Hold or let through.
    Permit,
    /// Before binding.
    PreBind,
    /// Binding.
    Bind,
    /// After binding.
    PostBind,
}

impl Point {
    /// Every point with its name in the configuration.
    pub const ALL: [(Point, &'static str); 12] = [
        (Point::PreEnqueue, "preEnqueue"),
        (Point::QueueSort, "queueSort"),
        (Point::PreFilter, "preFilter"),
        (Point::Filter, "filter"),
        (Point::PostFilter, "postFilter"),
        (Point::PreScore, "preScore"),
        (Point::Score, "score"),
        (Point::Reserve, "reserve"),
        (Point::Permit, "permit"),
        (Point::PreBind, "preBind"),
        (Point::Bind, "bind"),
        (Point::PostBind, "postBind"),
    ];
}

/// What is fixed about a plugin.
#[derive(Clone, Copy)]
pub struct PluginSpec {
    /// Its name in Kubernetes.
    pub name: &'static str,
    /// Its default weight; 0 means 1 where it scores.
    pub weight: i64,
    /// The points it implements.
    pub points: &'static [Point],
    /// Whether its Filter is told of pods that a dry run adds or takes away (`PreFilterExtensions`).
    pub(crate) follows_pods: bool,
    /// The events that may help a pod it refused (`EventsToRegister`, SCH-121).
    pub(crate) events: &'static [EventKind],
    /// What it looks at, in a few words for people.
    pub about: &'static str,
    /// What a node is that it refuses: the words after a number of nodes.
    pub(crate) refused: &'static str,
    /// Its fixed reasons in two or three words each; one that is short already stands for itself.
    pub(crate) short: &'static [(&'static str, &'static str)],
    pub(crate) does: &'static dyn ExtensionPoints,
}

impl PluginSpec {
    /// A plugin with these extension points that scores nothing, waits for nothing and refuses nothing.
    pub(crate) const fn new(name: &'static str, points: &'static [Point], does: &'static dyn ExtensionPoints) -> Self {
        Self {
            name,
            weight: 0,
            points,
            follows_pods: false,
            events: &[],
            about: "",
            refused: "unsuitable for another reason",
            short: &[],
            does,
        }
    }

    /// Whether the queue asks the plugin about such an event. What waits for new nodes without waiting for
    /// taints waits for those as well: a node may have come tainted (SCH-122).
    pub(crate) fn waits_for(&self, kind: EventKind) -> bool {
        self.events.contains(&kind) || (kind == EventKind::NodeTaint && self.events.contains(&EventKind::NodeAdd))
    }

    /// Whether the event may make a pod schedulable that the plugin refused (SCH-120).
    pub(crate) fn hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &Waiting<'_>) -> bool {
        if self.events.contains(&event.kind) {
            self.does.hint(cache, event, waiting)
        } else {
            self.waits_for(event.kind)
        }
    }
}

/// The extension points of a plugin, in the order in which a cycle comes to them. A plugin implements those
/// that its [`PluginSpec::points`] lists; what it keeps between them is a field of [`CycleState`].
pub(crate) trait ExtensionPoints: Sync {
    /// PreEnqueue: the text if the pod may not enter activeQ. `is_preempting`: its victims are still being
    /// evicted.
    fn pre_enqueue(&self, _cache: &Cache, _pod: &Pod, _is_preempting: bool) -> Result<(), String> {
        Ok(())
    }

    fn pre_filter(
        &self,
        _search: &Search<'_>,
        _cache: &mut Cache,
        _state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        Ok(PreFilter::Run)
    }

    /// AddPod (`1`) and RemovePod (`-1`), where [`PluginSpec::follows_pods`].
    fn pod_changed(&self, _cycle: &Cycle<'_>, _state: &mut CycleState, _pod: &PodInfo, _node: NodeIdx, _delta: i64) {}

    /// Tells what a node's row of numbers must show for this Filter to pass; `false` where no row can tell,
    /// and every node has to be asked.
    fn row_bounds(&self, _incoming: &Incoming, _bounds: &mut RowBounds) -> bool {
        false
    }

    fn filter(&self, _cycle: &Cycle<'_>, _state: &CycleState, _index: NodeIdx, _node: &NodeInfo) -> Result<(), Status> {
        Ok(())
    }

    fn post_filter(
        &self,
        _search: &Search<'_>,
        _cache: &mut Cache,
        _state: &mut CycleState,
        _diagnosis: &Diagnosis,
        _limit: Limit,
    ) -> PostFilter {
        PostFilter::Unschedulable(String::new(), None)
    }

    /// PreScore; `false` skips: no score, not even 0 (SCH-035).
    fn pre_score(
        &self,
        _search: &Search<'_>,
        _cache: &mut Cache,
        _state: &mut CycleState,
        _feasible: &[NodeIdx],
    ) -> Result<bool, Status> {
        Ok(true)
    }

    /// Score of all feasible nodes, in their order; `scores` comes filled with 0. `false`: all are 0 and stay so.
    fn score(&self, _cycle: &Cycle<'_>, _state: &CycleState, _feasible: &[NodeIdx], _scores: &mut [i64]) -> bool {
        false
    }

    /// NormalizeScore.
    fn normalize(&self, _state: &CycleState, _scores: &mut [i64]) {}

    /// What is behind a node's score, for people, where the number alone does not say it.
    fn score_in_words(&self, _cycle: &Cycle<'_>, _node: NodeIdx) -> Option<String> {
        None
    }

    /// The queueing hint, asked for the events of the row only: may this one help?
    fn hint(&self, _cache: &mut Cache, _event: &Event<'_>, _waiting: &Waiting<'_>) -> bool {
        true
    }

    /// Reads and validates the plugin's arguments (SCH-134, SCH-136).
    fn read_args(&self, _fields: &mut Fields<'_>, _args: &mut Args, _errors: &mut Errors) {}

    /// Why it refused a node, for people, with numbers.
    fn refusal(&self, cache: &Cache, _decision: &Decision, _node: NodeIdx, status: &Status) -> String {
        status.message(&cache.symbols)
    }
}
