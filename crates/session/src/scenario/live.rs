//! What files of a live cluster leave unsaid: what they refer to and do not hold, the time of the dump, and what
//! answers rest on for it (P-09).

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::{Kind, Location, NodeCondition, Object, Str};
use podscope_cluster::Assumed;

use podscope_protocol::{Assumption, Basis, Hopeful, Many, Remark, Strain, StrainedNode, Troubled};

use super::{Reader, Start};

/// Names of a kind that a notice gives; more are counted.
const MAX_NAMES: usize = 3;
/// Pods that a notice gives.
const MAX_PODS: usize = 8;

/// What it means for answers that an object of the kind was made up.
fn meaning(kind: Kind) -> Option<Assumption> {
    Some(match kind {
        Kind::Node => Assumption::Node,
        Kind::PriorityClass => Assumption::PriorityClass,
        Kind::StorageClass => Assumption::StorageClass,
        Kind::PersistentVolume => Assumption::PersistentVolume,
        _ => return None,
    })
}

/// What is assumed, in one notice.
fn made_up(assumed: &Assumed) -> Option<Remark> {
    let mut of_kinds: ordered::Map<Kind, Vec<&str>> = ordered::Map::new();
    for (kind, key) in assumed.stand_ins() {
        of_kinds.entry(*kind).or_default().push(&key.name);
    }
    let mut means: Vec<Assumption> = of_kinds.keys().filter_map(|kind| meaning(*kind)).collect();
    for owner in assumed.all_owners() {
        let names = of_kinds.entry(owner.kind).or_default();
        // A mirror pod is its node's, and the node is a stand-in.
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
        (kind.name().to_owned(), Many::of(names.len(), shown, MAX_NAMES))
    });
    Some(Remark::Assumed {
        kinds: kinds.collect(),
        means,
    })
}

/// Which pods had trouble that lasts.
fn lasting(assumed: &Assumed) -> Option<Remark> {
    let troubled = assumed.troubled();
    let each = troubled.iter().map(|(key, word)| Troubled {
        pod: key.to_string(),
        word: word.to_string(),
    });
    (!troubled.is_empty()).then(|| Remark::Lasting(Many::of(troubled.len(), each, MAX_PODS)))
}

/// Which nodes are short of something, or not ready by their own word.
fn strained(assumed: &Assumed) -> Option<Remark> {
    let nodes = assumed.conditions();
    let says = |one: &NodeCondition| match &*one.kind {
        "Ready" => Strain::NotReady(one.reason.to_string()),
        kind => Strain::Short(kind.to_owned()),
    };
    let each = nodes.iter().map(|(name, told)| StrainedNode {
        name: name.to_string(),
        says: told.iter().map(says).collect(),
    });
    (!nodes.is_empty()).then(|| Remark::Strained {
        nodes: Many::of(nodes.len(), each, MAX_PODS),
        is_short: nodes.values().flatten().any(|one| &*one.kind != "Ready"),
    })
}

/// Pods that stay Pending, for what the real scheduler said.
fn unplaced(assumed: &Assumed) -> Vec<Remark> {
    let all = assumed.unplaced();
    let each = all.iter().take(MAX_PODS).map(|(key, message)| Remark::Unplaced {
        pod: key.to_string(),
        message: message.to_string(),
    });
    let more = all.len().saturating_sub(MAX_PODS);
    each.chain((more > 0).then_some(Remark::MoreUnplaced(more))).collect()
}

/// Pending pods that may run because something they use is made up; none of them where no node takes any.
fn hopeful(assumed: &Assumed) -> Option<Remark> {
    let all = assumed.hopeful();
    let each = all.iter().map(|(key, used)| Hopeful {
        pod: key.to_string(),
        rests_on: used
            .iter()
            .map(|(kind, name)| format!("{} {name}", kind.name()))
            .collect(),
    });
    let is_so = !all.is_empty() && !assumed.knows_only_names();
    is_so.then(|| Remark::Hopeful(Many::of(all.len(), each, MAX_PODS)))
}

/// Autoscalers whose metrics nobody knows.
fn unmetered(assumed: &Assumed) -> Option<Remark> {
    let many = assumed.unmetered().len();
    (many > 0).then_some(Remark::Unmetered(many))
}

impl Reader {
    /// What imported objects refer to and no file has is assumed to exist, and said once.
    pub(super) fn assume(&mut self) {
        let setup = &mut self.loaded.setup;
        let generated: Vec<Str> = setup.nodes.names().map(|(name, _)| name.into()).collect();
        let assumed = Assumed::complete(&mut setup.objects, generated);
        self.loaded.notices.extend(made_up(&assumed));
        self.loaded.notices.extend(lasting(&assumed));
        self.loaded.notices.extend(strained(&assumed));
        self.loaded.notices.extend(unplaced(&assumed));
        self.loaded.notices.extend(hopeful(&assumed));
        self.loaded.notices.extend(unmetered(&assumed));
        self.loaded.setup.assumed = Arc::new(assumed);
    }

    /// Files without any object are open all the same: that nothing of them is shown is said.
    pub(super) fn nothing(&mut self) {
        let setup = &self.loaded.setup;
        if setup.objects.is_empty() && !self.loaded.has_scenario && self.problems.is_empty() {
            let nodes = setup.nodes.names().count();
            self.loaded.notices.push(Remark::NothingRead { nodes });
        }
    }

    /// What answers about a live cluster rest on, because of kinds that no file has.
    pub(super) fn basis(&mut self) {
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
            basis.push(Basis::NoBudgets);
        }
        let assumed = &self.loaded.setup.assumed;
        if self.loaded.setup.nodes.names().next().is_some() {
            // Nodes are made, as the scenario asks for.
        } else if !has(Kind::Node) {
            basis.push(Basis::NoNodes);
        } else if assumed.knows_only_names() {
            basis.push(Basis::OnlyNames);
        }
        let mut namespaces: ordered::Set<&str> = live_pods().map(|pod| &*pod.metadata().namespace).collect();
        if let (Some(only), None) = (namespaces.pop_first(), namespaces.first())
            && has(Kind::Node)
        {
            basis.push(Basis::OneNamespace {
                namespace: only.to_owned(),
            });
        }
        self.loaded.notices.extend(basis.iter().cloned().map(Remark::Basis));
        self.loaded.basis.extend(basis);
    }

    /// Namespaces that objects name and no file has: they are made first, and said.
    pub(super) fn namespaces(&mut self) {
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
            self.loaded.notices.push(Remark::NamespaceMade(name.to_string()));
            let mut namespace = podscope_api::Namespace::default();
            namespace.metadata.name = name;
            self.loaded
                .setup
                .objects
                .insert(0, Object::Namespace(std::sync::Arc::new(namespace)));
            self.loaded.places.insert(0, (0, Location::default()));
        }
    }

    /// The nodes in a dump of a live cluster are all the nodes there are, unless a Scenario with a `cluster` asks for
    /// more; also where a hand or a program left nothing of them that shows that they were dumped (P-09). Nodes of one's
    /// own stand beside those that are made, which is said.
    pub(super) fn nodes(&mut self) {
        let objects = &self.loaded.setup.objects;
        let nodes = objects.iter().filter(|object| object.kind() == Kind::Node);
        let own: ordered::Set<&str> = nodes.map(|node| &*node.metadata().name).collect();
        if !self.has_cluster && objects.iter().any(|object| !object.metadata().uid.is_empty()) {
            self.loaded.setup.nodes.nodes_per_zone = 0;
            return;
        }
        if self.loaded.has_scenario || own.is_empty() {
            return;
        }
        // One of a made node's name is that node.
        let made: Vec<String> = self.loaded.setup.nodes.names().map(|(name, _)| name).collect();
        let beside = made.iter().filter(|name| !own.contains(name.as_str())).count();
        if beside > 0 && own.len() + beside > made.len() {
            let (made, own) = (beside, own.len());
            self.loaded.notices.push(Remark::NodesBeside { made, own });
        }
    }

    /// Without `spec.start`, a live cluster that was looked at after the default start begins at its newest time:
    /// nothing in it is younger than t = 0 (P-03).
    pub(super) fn start_of_live_objects(&mut self) {
        let newest = podscope_cluster::newest_time(&self.loaded.setup.objects);
        if let Some(newest) = newest
            && self.loaded.start == Start::Default
            && newest > self.loaded.setup.start
        {
            self.loaded.setup.start = newest;
            self.loaded.start = Start::Given;
            let newest = podscope_api::print_rfc3339(newest.0, 0);
            self.loaded.notices.push(Remark::Begins(newest));
        }
    }
}
