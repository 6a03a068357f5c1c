//! The plugin interface: a static description, and extension points with default implementations that do nothing.

use podscope_api::Pod;
use podscope_api::explained::{NodeDevices, ScoreNote};
use podscope_messages::{Message, plugin as messages};

use crate::cache::Cache;
use crate::config::{Args, Errors, Fields};
use crate::cycle::{Cycle, CycleState, Diagnosis, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{Incoming, PodInfo};
use crate::post_filter::{DryRunLimit, PostFilter};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::rows::RowBounds;
use crate::status::Status;

/// Extension points of the scheduling framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Runs before a pod enters activeQ.
    PreEnqueue,
    /// Orders the pods in activeQ.
    QueueSort,
    /// Runs once per cycle, before nodes are examined.
    PreFilter,
    /// Decides for each node whether it can run the pod.
    Filter,
    /// Runs if no node passed Filter.
    PostFilter,
    /// Runs once per cycle, before nodes are scored.
    PreScore,
    /// Scores each feasible node.
    Score,
    /// Reserves resources on the chosen node.
    Reserve,
    /// Approves, delays or rejects the binding.
    Permit,
    /// Runs before binding.
    PreBind,
    /// Binds the pod to its node.
    Bind,
    /// Runs after binding.
    PostBind,
}

impl Point {
    /// Every extension point with its name in KubeSchedulerConfiguration.
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

/// Static description of a plugin.
#[derive(Clone, Copy)]
pub struct PluginSpec {
    /// Name of the plugin in Kubernetes.
    pub name: &'static str,
    /// Default weight; 0 means 1 for a plugin that scores.
    pub weight: i64,
    /// The extension points that the plugin implements.
    pub points: &'static [Point],
    /// Whether the plugin updates its Filter state when a dry run adds or removes pods (`PreFilterExtensions`).
    pub(crate) has_pre_filter_extensions: bool,
    /// Events that may make a pod schedulable after the plugin rejected it (`EventsToRegister`, SCH-121).
    pub(crate) events: &'static [EventKind],
    /// Short description of the aspect that the plugin decides, for people.
    pub about: Option<Message>,
    /// Text that follows a number of nodes that the plugin rejected, as in "2 nodes ‹text›".
    pub(crate) refused: Message,
    /// Short forms of the plugin's fixed reasons: (reason, two or three words). Reasons that are already short are not
    /// listed.
    pub(crate) short: &'static [(&'static str, Message)],
    pub(crate) extension_points: &'static dyn ExtensionPoints,
}

impl PluginSpec {
    /// Creates a spec with the given name and extension points, and defaults for everything else.
    pub(crate) const fn new(
        name: &'static str,
        points: &'static [Point],
        extension_points: &'static dyn ExtensionPoints,
    ) -> Self {
        Self {
            name,
            weight: 0,
            points,
            has_pre_filter_extensions: false,
            events: &[],
            about: None,
            refused: messages::other_refused,
            short: &[],
            extension_points,
        }
    }

    /// Returns the English description of the aspect that the plugin decides.
    pub fn english_description(&self) -> &'static str {
        self.about.map_or("", Message::english)
    }

    /// Returns whether the plugin waits for an event. A plugin that registers for new nodes but not for taint updates
    /// also waits for those, without a queueing hint, because a node may be created with a taint that is removed later
    /// (SCH-122).
    pub(crate) fn waits_for(&self, kind: EventKind) -> bool {
        self.events.contains(&kind) || (kind == EventKind::NodeTaint && self.events.contains(&EventKind::NodeAdd))
    }

    /// Returns whether the event may make a pod schedulable that the plugin rejected (SCH-120).
    pub(crate) fn queueing_hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        if self.events.contains(&event.kind) {
            self.extension_points.queueing_hint(cache, event, waiting)
        } else {
            self.waits_for(event.kind)
        }
    }
}

/// The extension points of a plugin, in the order in which a cycle calls them. A plugin implements those listed in its
/// [`PluginSpec::points`]. State between them is stored in a field of [`CycleState`].
pub(crate) trait ExtensionPoints: Sync {
    /// PreEnqueue. The error is the reason why the pod may not enter activeQ. `is_preempting` tells whether the pod's
    /// victims are still being evicted.
    fn pre_enqueue(&self, _cache: &Cache, _pod: &Pod, _is_preempting: bool) -> Result<(), String> {
        Ok(())
    }

    fn pre_filter(
        &self,
        _search: &NodeSearch<'_>,
        _cache: &mut Cache,
        _state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        Ok(PreFilter::Run)
    }

    /// AddPod (`delta` 1) and RemovePod (`delta` -1), called if [`PluginSpec::has_pre_filter_extensions`].
    fn update_for_changed_pod(
        &self,
        _cycle: &Cycle<'_>,
        _state: &mut CycleState,
        _pod: &PodInfo,
        _node: NodeIdx,
        _delta: i64,
    ) {
    }

    /// Adds to `bounds` the limits that a node's compact row must satisfy so that the node passes this Filter. Returns
    /// false if rows are not sufficient, so that `filter` must run on every node.
    fn add_node_row_bounds(&self, _incoming: &Incoming, _bounds: &mut RowBounds) -> bool {
        false
    }

    fn filter(&self, _cycle: &Cycle<'_>, _state: &CycleState, _index: NodeIdx, _node: &NodeInfo) -> Result<(), Status> {
        Ok(())
    }

    fn post_filter(
        &self,
        _search: &NodeSearch<'_>,
        _cache: &mut Cache,
        _state: &mut CycleState,
        _diagnosis: &Diagnosis,
        _limit: DryRunLimit,
    ) -> PostFilter {
        PostFilter::Unschedulable(String::new(), None)
    }

    /// PreScore. Returns false to skip the plugin, which then gives no score at all, not even 0 (SCH-035).
    fn pre_score(
        &self,
        _search: &NodeSearch<'_>,
        _cache: &mut Cache,
        _state: &mut CycleState,
        _feasible: &[NodeIdx],
    ) -> Result<bool, Status> {
        Ok(true)
    }

    /// Scores all feasible nodes, in their order. `scores` is initially 0. Returns false if all scores stay 0.
    fn score(&self, _cycle: &Cycle<'_>, _state: &CycleState, _feasible: &[NodeIdx], _scores: &mut [i64]) -> bool {
        false
    }

    /// NormalizeScore.
    fn normalize(&self, _state: &CycleState, _scores: &mut [i64]) {}

    /// Explains a node's score for people; `None` if the number needs no explanation.
    fn explain_score(&self, _cycle: &Cycle<'_>, _node: NodeIdx) -> Option<ScoreNote> {
        None
    }

    /// Returns the devices that the plugin allocates on a node; `None` if the pod has no claims.
    fn explain_devices(&self, _cache: &Cache, _decision: &Decision, _node: NodeIdx) -> Option<NodeDevices> {
        None
    }

    /// QueueingHint. Returns whether the event may help. Called only for the events of [`PluginSpec::events`].
    fn queueing_hint(&self, _cache: &mut Cache, _event: &Event<'_>, _waiting: &WaitingPod<'_>) -> bool {
        true
    }

    /// Reads and validates the plugin's arguments (SCH-134, SCH-136).
    fn read_args(&self, _fields: &mut Fields<'_>, _args: &mut Args, _errors: &mut Errors) {}

    /// Returns the reason why the plugin rejected a node, for people, with numbers.
    fn refusal_text(&self, cache: &Cache, _decision: &Decision, _node: NodeIdx, status: &Status) -> String {
        status.message(&cache.symbols)
    }
}
