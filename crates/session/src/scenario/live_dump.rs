//! Completes a dump of a live cluster (P-09): adds assumed objects to which other objects refer, sets the start time,
//! and determines why answers are limited.

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_api::{Kind, Location, NodeCondition, Object, Str};
use podscope_cluster::Assumed;

use podscope_protocol::{
    AnswerLimitation, Assumption, FirstItems, NodeProblem, NodeWithProblems, PodWithAssumedObjects, PodWithProblem,
    Remark,
};

use super::{ScenarioReader, StartTimeSource};

/// Maximum number of names in a notice; the remaining names are only counted.
const MAX_NAMES_IN_NOTICE: usize = 3;
/// Maximum number of pods or nodes that are listed in a notice.
const MAX_ITEMS_IN_NOTICE: usize = 8;

/// Returns how answers are affected if an object of this kind is only assumed to exist. None if answers are not
/// affected.
fn assumption_about(kind: Kind) -> Option<Assumption> {
    Some(match kind {
        Kind::Node => Assumption::Node,
        Kind::PriorityClass => Assumption::PriorityClass,
        Kind::StorageClass => Assumption::StorageClass,
        Kind::PersistentVolume => Assumption::PersistentVolume,
        _ => return None,
    })
}

/// Returns a notice about all objects that are assumed to exist. None if there are none.
fn assumed_objects_notice(assumed: &Assumed) -> Option<Remark> {
    let mut of_kinds: ordered::Map<Kind, Vec<&str>> = ordered::Map::new();
    for (kind, key) in assumed.stand_ins() {
        of_kinds.entry(*kind).or_default().push(&key.name);
    }
    let mut means: Vec<Assumption> = of_kinds.keys().filter_map(|kind| assumption_about(*kind)).collect();
    for owner in assumed.all_owners() {
        let names = of_kinds.entry(owner.kind).or_default();
        // The owner of a mirror pod is its node, which is listed already.
        if !names.contains(&&*owner.key.name) {
            names.push(&owner.key.name);
        }
    }
    if assumed.all_owners().next().is_some() {
        means.push(Assumption::Owners);
    }
    match assumed.n_left_alone() {
        0 => {}
        n => means.push(Assumption::Counted(n)),
    }
    if of_kinds.is_empty() && means.is_empty() {
        return None;
    }
    let kinds = of_kinds.iter().map(|(kind, names)| {
        let shown = names.iter().map(|name| (*name).to_owned());
        (
            kind.name().to_owned(),
            FirstItems::of(names.len(), shown, MAX_NAMES_IN_NOTICE),
        )
    });
    Some(Remark::Assumed {
        kinds: kinds.collect(),
        means,
    })
}

/// Returns a notice about pods whose problems in the dump continue in the simulation. None if there are none.
fn lasting_problems_notice(assumed: &Assumed) -> Option<Remark> {
    let pods_with_problems = assumed.pods_with_problems();
    let each = pods_with_problems.iter().map(|(key, word)| PodWithProblem {
        pod: key.to_string(),
        word: word.to_string(),
    });
    (!pods_with_problems.is_empty())
        .then(|| Remark::PodProblems(FirstItems::of(pods_with_problems.len(), each, MAX_ITEMS_IN_NOTICE)))
}

/// Returns a notice about nodes that are under pressure or not ready, according to their status in the dump. None if
/// there are none.
fn node_problems_notice(assumed: &Assumed) -> Option<Remark> {
    let nodes = assumed.node_conditions();
    let problem = |one: &NodeCondition| match &*one.kind {
        condition::READY => NodeProblem::NotReady(one.reason.to_string()),
        kind => NodeProblem::Pressure(kind.to_owned()),
    };
    let each = nodes.iter().map(|(name, conditions)| NodeWithProblems {
        name: name.to_string(),
        problems: conditions.iter().map(problem).collect(),
    });
    (!nodes.is_empty()).then(|| Remark::NodeProblems {
        nodes: FirstItems::of(nodes.len(), each, MAX_ITEMS_IN_NOTICE),
        has_pressure: nodes.values().flatten().any(|one| &*one.kind != condition::READY),
    })
}

/// Returns notices about pods that stay Pending, with the real scheduler's messages about them.
fn pending_pods_notices(assumed: &Assumed) -> Vec<Remark> {
    let all = assumed.unschedulable_with_missing_storage();
    let each = all
        .iter()
        .take(MAX_ITEMS_IN_NOTICE)
        .map(|(key, message)| Remark::MissingVolumes {
            pod: key.to_string(),
            message: message.to_string(),
        });
    let more = all.len().saturating_sub(MAX_ITEMS_IN_NOTICE);
    each.chain((more > 0).then_some(Remark::MoreWithMissingVolumes(more)))
        .collect()
}

/// Returns a notice about pods that are pending in the dump but may run in the simulation, because they use assumed
/// objects. None if there are none, or if only the names of nodes are known.
fn assumption_notice_for_pods(assumed: &Assumed) -> Option<Remark> {
    let all = assumed.pending_with_stand_ins();
    let each = all.iter().map(|(key, used)| PodWithAssumedObjects {
        pod: key.to_string(),
        assumed_objects: used
            .iter()
            .map(|(kind, name)| format!("{} {name}", kind.name()))
            .collect(),
    });
    let is_known = !all.is_empty() && !assumed.knows_only_node_names();
    is_known.then(|| Remark::UsesAssumed(FirstItems::of(all.len(), each, MAX_ITEMS_IN_NOTICE)))
}

/// Returns a notice about HorizontalPodAutoscalers whose metrics are unknown. None if there are none.
fn autoscaler_notice(assumed: &Assumed) -> Option<Remark> {
    let many = assumed.autoscalers_without_load().len();
    (many > 0).then_some(Remark::AutoscalersWithoutMetrics(many))
}

impl ScenarioReader {
    /// Adds objects that are in no file although imported objects refer to them. They are assumed to exist; notices
    /// list them.
    pub(super) fn add_assumed_objects(&mut self) {
        let setup = &mut self.loaded.setup;
        let generated: Vec<Str> = setup.nodes.names().map(Str::from).collect();
        let assumed = Assumed::inspect_and_add_stand_ins(&mut setup.objects, generated);
        self.loaded.notices.extend(assumed_objects_notice(&assumed));
        self.loaded.notices.extend(lasting_problems_notice(&assumed));
        self.loaded.notices.extend(node_problems_notice(&assumed));
        self.loaded.notices.extend(pending_pods_notices(&assumed));
        self.loaded.notices.extend(assumption_notice_for_pods(&assumed));
        self.loaded.notices.extend(autoscaler_notice(&assumed));
        self.loaded.setup.assumed = Arc::new(assumed);
    }

    /// Adds a notice if the files contain no object at all.
    pub(super) fn add_notice_if_empty(&mut self) {
        let setup = &self.loaded.setup;
        if setup.objects.is_empty() && !self.loaded.has_scenario && self.problems.is_empty() {
            let nodes = setup.nodes.names().count();
            self.loaded.notices.push(Remark::NoObjects { nodes });
        }
    }

    /// Adds the reasons why answers about a live cluster are limited, because the dump lacks objects of some kinds.
    pub(super) fn add_basis(&mut self) {
        let objects = &self.loaded.setup.objects;
        let live_pods = || {
            let live = objects.iter().filter(|object| !object.metadata().uid.is_empty());
            live.filter(|object| object.kind() == Kind::Pod)
        };
        let has = |kind: Kind| objects.iter().any(|object| object.kind() == kind);
        if live_pods().next().is_none() {
            return;
        }
        let mut basis = Vec::new();
        if !has(Kind::PodDisruptionBudget) {
            basis.push(AnswerLimitation::NoBudgets);
        }
        let assumed = &self.loaded.setup.assumed;
        if self.loaded.setup.nodes.names().next().is_some() {
            // The scenario defines the nodes, so no nodes are missing.
        } else if !has(Kind::Node) {
            basis.push(AnswerLimitation::NoNodes);
        } else if assumed.knows_only_node_names() {
            basis.push(AnswerLimitation::OnlyNames);
        }
        let mut namespaces: ordered::Set<&str> = live_pods().map(|pod| &*pod.metadata().namespace).collect();
        if let (Some(only), None) = (namespaces.pop_first(), namespaces.first())
            && has(Kind::Node)
        {
            basis.push(AnswerLimitation::OneNamespace {
                namespace: only.to_owned(),
            });
        }
        self.loaded.notices.extend(basis.iter().cloned().map(Remark::Basis));
        self.loaded.basis.extend(basis);
    }

    /// Adds namespaces that are in no file although objects belong to them, with a notice for each.
    pub(super) fn add_missing_namespaces(&mut self) {
        let objects = &self.loaded.setup.objects;
        let mut known: ordered::Set<&str> = objects
            .iter()
            .filter(|object| object.kind() == Kind::Namespace)
            .map(|object| &*object.metadata().name)
            .collect();
        known.extend(["", "default", "kube-system", "kube-public", "kube-node-lease"]);
        let mut missing: Vec<Str> = Vec::new();
        for object in objects {
            let name = &object.metadata().namespace;
            if missing.len() < 1000 && known.insert(name) {
                missing.push(name.clone());
            }
        }
        for name in missing {
            self.loaded.notices.push(Remark::NamespaceCreated(name.to_string()));
            let mut namespace = podscope_api::Namespace::default();
            namespace.metadata.name = name;
            self.loaded
                .setup
                .objects
                .insert(0, Object::Namespace(std::sync::Arc::new(namespace)));
            self.loaded.places.insert(0, (0, Location::default()));
        }
    }

    /// Removes the generated nodes from the cluster of a dump. A dump contains all nodes of its cluster, so no nodes
    /// are generated unless a Scenario defines a `cluster` (P-09). If nodes from the files are added to generated
    /// nodes, a notice reports this.
    pub(super) fn drop_generated_nodes_of_dump(&mut self) {
        let objects = &self.loaded.setup.objects;
        let nodes = objects.iter().filter(|object| object.kind() == Kind::Node);
        let own: ordered::Set<&str> = nodes.map(|node| &*node.metadata().name).collect();
        if !self.has_cluster && objects.iter().any(|object| !object.metadata().uid.is_empty()) {
            self.loaded.setup.nodes.generate_no_nodes();
            return;
        }
        if self.loaded.has_scenario || own.is_empty() {
            return;
        }
        // A node in a file replaces the generated node with the same name.
        let made: Vec<String> = self.loaded.setup.nodes.names().collect();
        let generated_only = made.iter().filter(|name| !own.contains(name.as_str())).count();
        if generated_only > 0 && own.len() + generated_only > made.len() {
            let (made, own) = (generated_only, own.len());
            self.loaded.notices.push(Remark::GeneratedNodes { made, own });
        }
    }

    /// Sets the start time of a dump to the newest time in its objects, so that no object is younger than t = 0 (P-03).
    /// Does nothing if `spec.start` is set.
    pub(super) fn start_at_newest_time(&mut self) {
        let newest = podscope_cluster::dump_time(&self.loaded.setup.objects);
        if let Some(newest) = newest
            && self.loaded.start == StartTimeSource::Default
            && newest > self.loaded.setup.start
        {
            self.loaded.setup.start = newest;
            self.loaded.start = StartTimeSource::Given;
            let newest = podscope_api::print_rfc3339(newest.0, 0);
            self.loaded.notices.push(Remark::StartTime(newest));
        }
    }
}
