//! `NodeDeclaredFeatures`: a pod that uses a feature of newer kubelets needs a node whose status declares the feature.

use podscope_api::{Pod, features};
use podscope_messages::plugin as messages;

use super::Point::{Filter, PreFilter as AtPreFilter};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::status::Status;

pub(super) const SPEC: PluginSpec = PluginSpec {
    // kube-scheduler also registers for updates of the pod. In Podscope, the fields that require a feature are
    // immutable.
    events: &[EventKind::NodeAdd, EventKind::NodeDeclaredFeature],
    about: Some(messages::node_declared_features_about),
    refused: messages::node_declared_features_refused,
    ..PluginSpec::new("NodeDeclaredFeatures", &[AtPreFilter, Filter], &NodeDeclaredFeatures)
};

pub const REASON: &str = "node(s) didn't match Pod's required features";

/// Returns the features that a pod needs and a node does not declare. Only features that are relevant for a new pod are
/// checked; the others affect updates of running pods.
fn missing_features(pod: &Pod, node: &NodeInfo) -> impl Iterator<Item = &'static str> {
    let declares = |name: &str| {
        let declared = node.node.as_ref().map(|node| node.status.declared_features.as_slice());
        declared.is_some_and(|declared| declared.iter().any(|known| **known == *name))
    };
    features::needed_by(pod).filter(move |name| !declares(name))
}

struct NodeDeclaredFeatures;

impl ExtensionPoints for NodeDeclaredFeatures {
    fn pre_filter(&self, search: &NodeSearch<'_>, _: &mut Cache, _: &mut CycleState) -> Result<PreFilter, Status> {
        Ok(PreFilter::run_or_skip(
            features::needed_by(&search.incoming.info.pod).next().is_some(),
        ))
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        match missing_features(&cycle.incoming.info.pod, node).next() {
            None => Ok(()),
            Some(_) => Err(Status::unresolvable(Plugin::NodeDeclaredFeatures, REASON)),
        }
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let pod = &waiting.incoming.info.pod;
        event
            .new_node
            .as_ref()
            .is_some_and(|node| missing_features(pod, node).next().is_none())
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, _: &Status) -> String {
        let names: Vec<&str> = missing_features(&decision.incoming.info.pod, cache.node(node)).collect();
        format!("its kubelet does not declare {}, which the pod needs", names.join(", "))
    }
}
