//! What files of a live cluster leave unsaid: what they refer to and do not hold, the time of the dump, and what
//! answers rest on for it (P-09).

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::{Kind, Location, NodeCondition, Object, Str};
use podscope_cluster::Assumed;

use podscope_protocol::Basis;

use super::Reader;

/// Names of a kind that a notice gives; more are counted.
const MAX_NAMES: usize = 3;
/// Pods that a notice gives.
const MAX_PODS: usize = 8;

/// What it means for answers that an object of the kind was made up.
fn meaning(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Node => "nothing new is placed on a node of which only the name is known",
        Kind::PriorityClass => "a class has the priority that its pods carry",
        Kind::StorageClass => "a class makes volumes wherever the pod goes",
        Kind::PersistentVolume => "such a volume is reached from every node, unless only pending pods use it",
        _ => return None,
    })
}

/// `2 × Namespace (pay, shop)`.
fn counted(kind: Kind, names: &[&str]) -> String {
    let mut shown = names.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMES {
        shown.push_str(", …");
    }
    format!("{} × {} ({shown})", names.len(), kind.name())
}

/// What is assumed, in one notice.
fn notice(assumed: &Assumed) -> Option<String> {
    let mut of_kinds: ordered::Map<Kind, Vec<&str>> = ordered::Map::new();
    for (kind, key) in assumed.stand_ins() {
        of_kinds.entry(*kind).or_default().push(&key.name);
    }
    let mut sentences: Vec<String> = of_kinds
        .keys()
        .filter_map(|kind| meaning(*kind))
        .map(str::to_owned)
        .collect();
    for owner in assumed.all_owners() {
        let names = of_kinds.entry(owner.kind).or_default();
        // A mirror pod is its node's, and the node is a stand-in.
        if !names.contains(&&*owner.key.name) {
            names.push(&owner.key.name);
        }
    }
    if assumed.all_owners().next().is_some() {
        sentences.push("what such an owner owns stays, and what ends of it is not made anew".to_owned());
    }
    match assumed.n_left_alone() {
        0 => {}
        1 => sentences.push("one object counts others that the files do not have: they are taken to run".to_owned()),
        n => sentences.push(format!(
            "{n} objects count others that the files do not have: they are taken to run"
        )),
    }
    if of_kinds.is_empty() && sentences.is_empty() {
        return None;
    }
    let kinds: Vec<String> = of_kinds.iter().map(|(kind, names)| counted(*kind, names)).collect();
    let mut text = "What the files refer to and do not have is assumed to exist".to_owned();
    if !kinds.is_empty() {
        text = format!("{text}: {}", kinds.join(", "));
    }
    for sentence in sentences {
        text = format!("{text}; {sentence}");
    }
    Some(text)
}

/// Which pods had trouble that lasts.
fn lasting(assumed: &Assumed) -> Option<String> {
    let troubled = assumed.troubled();
    let each = troubled.iter().take(MAX_PODS);
    let mut shown: Vec<String> = each.map(|(key, word)| format!("{key} ({word})")).collect();
    if troubled.len() > MAX_PODS {
        shown.push("…".to_owned());
    }
    let (pods, theirs) = match troubled.len() {
        0 => return None,
        1 => ("One pod does".to_owned(), "its"),
        n => (format!("{n} pods do"), "their"),
    };
    Some(format!(
        "{pods} not run well in the files: {}; {theirs} trouble is taken to last; a pod that is made anew is well, \
         unless an annotation about its behavior says otherwise",
        shown.join(", ")
    ))
}

/// Which nodes are short of something, or not ready by their own word.
fn strained(assumed: &Assumed) -> Option<String> {
    let nodes = assumed.conditions();
    let one = |(name, told): (&Str, &Vec<NodeCondition>)| {
        let words = told.iter().map(|one| match &*one.kind {
            "Ready" if one.reason.is_empty() => "not ready".to_owned(),
            "Ready" => format!("not ready: {}", one.reason),
            kind => kind.to_owned(),
        });
        format!("{name} ({})", words.collect::<Vec<_>>().join(", "))
    };
    let mut shown: Vec<String> = nodes.iter().take(MAX_PODS).map(one).collect();
    if nodes.len() > MAX_PODS {
        shown.push("…".to_owned());
    }
    let nodes = match nodes.len() {
        0 => return None,
        1 => "One node is".to_owned(),
        n => format!("{n} nodes are"),
    };
    let is_short = assumed.conditions().values().flatten().any(|one| &*one.kind != "Ready");
    let pods = match is_short {
        true => ", and no pod that runs there is evicted for pressure that nobody measures",
        false => "",
    };
    Some(format!(
        "{nodes} not well in the files: {}; that is taken to last until the machine is started anew{pods}",
        shown.join(", ")
    ))
}

/// Pods that stay Pending, for what the real scheduler said.
fn unplaced(assumed: &Assumed) -> Vec<String> {
    let all = assumed.unplaced();
    let each = all.iter().take(MAX_PODS).map(|(key, message)| {
        format!(
            "{key} uses a claim or volume that the files do not have, and stays Pending; the real scheduler said: \
             {message}"
        )
    });
    let more = all.len().saturating_sub(MAX_PODS);
    let rest =
        (more > 0).then(|| format!("{more} more pods stay Pending for claims or volumes that the files do not have"));
    each.chain(rest).collect()
}

/// Autoscalers whose metrics nobody knows.
fn unmetered(assumed: &Assumed) -> Option<String> {
    let many = match assumed.unmetered().len() {
        0 => return None,
        1 => "A HorizontalPodAutoscaler scales".to_owned(),
        n => format!("{n} HorizontalPodAutoscalers scale"),
    };
    Some(format!(
        "{many} nothing: the files do not say what pods use, unless an annotation about their behavior does"
    ))
}

impl Reader {
    /// What imported objects refer to and no file has is assumed to exist, and said once.
    pub(super) fn assume(&mut self) {
        let setup = &mut self.loaded.setup;
        // Without a scenario a live cluster has no nodes but its own.
        let generated: Vec<Str> = match self.loaded.has_scenario {
            true => setup.nodes.names().map(|(name, _)| name.into()).collect(),
            false => Vec::new(),
        };
        let assumed = Assumed::complete(&mut setup.objects, generated);
        self.loaded.notices.extend(notice(&assumed));
        self.loaded.notices.extend(lasting(&assumed));
        self.loaded.notices.extend(strained(&assumed));
        self.loaded.notices.extend(unplaced(&assumed));
        self.loaded.notices.extend(unmetered(&assumed));
        self.loaded.setup.assumed = Arc::new(assumed);
    }

    /// Files without any object are open all the same: that nothing of them is shown is said.
    pub(super) fn nothing(&mut self) {
        let setup = &self.loaded.setup;
        if setup.objects.is_empty() && !self.loaded.has_scenario && self.problems.is_empty() {
            let made = setup.nodes.names().count();
            self.loaded
                .notices
                .push(format!("No file has an object: the cluster of {made} nodes is made up"));
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
        if self.loaded.has_scenario {
            // Its nodes are made.
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
        self.loaded.notices.extend(basis.iter().map(ToString::to_string));
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
            self.loaded
                .notices
                .push(format!("namespace {name} is in none of the files and is made"));
            let mut namespace = podscope_api::Namespace::default();
            namespace.metadata.name = name;
            self.loaded
                .setup
                .objects
                .insert(0, Object::Namespace(std::sync::Arc::new(namespace)));
            self.loaded.places.insert(0, (0, Location::default()));
        }
    }

    /// Without a Scenario, the nodes in a dump of a live cluster are all the nodes there are, also where a hand or a
    /// program took their UIDs away (P-09). Nodes of one's own stand beside those that are made, which is said.
    pub(super) fn nodes(&mut self) {
        let objects = &self.loaded.setup.objects;
        let nodes = objects.iter().filter(|object| object.kind() == Kind::Node);
        let own: ordered::Set<&str> = nodes.map(|node| &*node.metadata().name).collect();
        if self.loaded.has_scenario || own.is_empty() {
            return;
        }
        if objects.iter().any(|object| !object.metadata().uid.is_empty()) {
            self.loaded.setup.nodes.nodes_per_zone = 0;
            return;
        }
        // One of a made node's name is that node.
        let made: Vec<String> = self.loaded.setup.nodes.names().map(|(name, _)| name).collect();
        let beside = made.iter().filter(|name| !own.contains(name.as_str())).count();
        if beside > 0 && own.len() + beside > made.len() {
            self.loaded.notices.push(format!(
                "{beside} nodes are made beside the files' own {}; a Scenario with `cluster: {{nodesPerZone: 0}}` leaves \
                 them out",
                own.len()
            ));
        }
    }

    /// Without `spec.start`, a live cluster that was looked at after the default start begins at its newest time:
    /// nothing in it is younger than t = 0 (P-03).
    pub(super) fn start_of_live_objects(&mut self) {
        let newest = podscope_cluster::newest_time(&self.loaded.setup.objects).max(self.newest_left_out);
        if let Some(newest) = newest
            && !self.has_start
            && newest > self.loaded.setup.start
        {
            self.loaded.setup.start = newest;
            let newest = podscope_api::print_rfc3339(newest.0, 0);
            self.loaded
                .notices
                .push(format!("t = 0 is {newest}, the newest time in the files"));
        }
    }
}
