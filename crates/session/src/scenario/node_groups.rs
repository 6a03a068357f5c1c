//! Reads node groups of a scenario (`spec.cluster.nodeGroups`).

use std::sync::Arc;

use podscope_api::{Node, Object, ProblemKind, Tree, ordered, validate};
use podscope_cluster::controllers::ClusterAutoscalerSettings;
use podscope_cluster::{NodeGroup, NodeShorthand};
use serde_json::Value;

use super::document::{ClusterDocument, NodeGroupDocument};
use super::{MAX_GENERATED_NODES, ScenarioReader, join_field_paths};

/// Maximum number of node groups of a scenario.
const MAX_GROUPS: usize = 100;
/// Maximum number of machines of a node group, and of all node groups together at t = 0.
const MAX_MACHINES: u64 = MAX_GENERATED_NODES;

impl ClusterDocument {
    /// Returns whether `spec.cluster` defines nodes other than those of node groups.
    pub(super) fn defines_nodes(&self) -> bool {
        let Self {
            zones,
            nodes_per_zone,
            node,
            devices,
            node_groups: _,
        } = self;
        zones.is_some() || nodes_per_zone.is_some() || !node.is_empty() || !devices.is_null()
    }
}

impl ScenarioReader {
    /// Reads the list `spec.cluster.nodeGroups` of a scenario.
    pub(super) fn read_node_groups(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        documents: Vec<NodeGroupDocument>,
    ) -> Vec<NodeGroup> {
        let mut groups: Vec<NodeGroup> = Vec::new();
        if documents.len() > MAX_GROUPS {
            let message = format!("Too many: {}: must have at most {MAX_GROUPS} items", documents.len());
            self.problem(file, tree, "spec.cluster.nodeGroups", message);
            return groups;
        }
        for (index, document) in documents.into_iter().enumerate() {
            let path = format!("spec.cluster.nodeGroups[{index}]");
            let group = self.read_node_group(file, tree, &path, document);
            if groups.iter().any(|known| known.name == group.name) {
                let message = format!("Duplicate value: {:?}", &*group.name);
                self.problem_of(ProblemKind::Duplicate, file, tree, &format!("{path}.name"), message);
            }
            groups.push(group);
        }
        groups
    }

    fn read_node_group(&mut self, file: &str, tree: &Tree<'_>, path: &str, document: NodeGroupDocument) -> NodeGroup {
        let mut group = NodeGroup::named(document.name);
        group.min = document.min.unwrap_or(0);
        group.max = document.max;
        group.size = document.size.unwrap_or(group.min);
        group.like = document.like.map(|like| podscope_api::NodeName(like.into()));
        group.labels = document.labels;
        group.taints = document.taints;
        group.capacity = document.node;
        if let Some(delay) = &document.delay {
            group.delay = self.read_duration(file, tree, &format!("{path}.delay"), delay);
        }
        let max = u64::from(group.max.unwrap_or(group.size));
        let limits = [
            ("max", max, u64::from(group.min), MAX_MACHINES),
            ("size", u64::from(group.size), 0, max.min(MAX_MACHINES)),
        ];
        for (field, value, least, most) in limits {
            if value < least || value > most {
                let message = format!("Invalid value: {value}: must be between {least} and {most}, inclusive");
                self.problem(file, tree, &format!("{path}.{field}"), message);
            }
        }
        for (name, quantity) in &group.capacity {
            if quantity.sign() < 0 {
                let message = format!("Invalid value: \"{quantity}\": must be greater than or equal to 0");
                self.problem(file, tree, &format!("{path}.node.{name}"), message);
            }
        }
        self.check_template(file, tree, path, &group);
        group
    }

    /// Reads the setting `components.clusterAutoscaler` of a scenario.
    pub(super) fn read_cluster_autoscaler(&mut self, file: &str, tree: &Tree<'_>, prefix: &str, value: &Value) {
        match ClusterAutoscalerSettings::from_value(value) {
            Ok(settings) => self.loaded.setup.settings.cluster_autoscaler = settings,
            Err(errors) => {
                for error in errors {
                    self.problem_of(
                        error.kind,
                        file,
                        tree,
                        &join_field_paths(prefix, &error.name),
                        error.message,
                    );
                }
            }
        }
    }

    /// Reports the errors with which the API server would refuse a Node of the group.
    fn check_template(&mut self, file: &str, tree: &Tree<'_>, path: &str, group: &NodeGroup) {
        let mut node = Node::default();
        node.metadata.name = group.name.clone();
        node.metadata.labels = Arc::new(group.labels.clone());
        node.spec.taints = group.taints.clone();
        for error in validate(&Object::Node(Arc::new(node))).iter() {
            let field = &error.path;
            let field = field
                .strip_prefix("metadata.")
                .or(field.strip_prefix("spec."))
                .unwrap_or(field);
            self.problem_of(
                error.kind.clone(),
                file,
                tree,
                &format!("{path}.{field}"),
                error.message.clone(),
            );
        }
    }

    /// Reports each node group that contains a node with the name of another generated node. Also reports the first
    /// group with which the scenario generates more than [`MAX_GENERATED_NODES`] nodes.
    pub(super) fn check_names_of_groups(&mut self, file: &str, tree: &Tree<'_>, nodes: &NodeShorthand) {
        let mut known: ordered::Set<String> = nodes.zoned_names().map(|(name, _)| name).collect();
        let mut count = known.len() as u64;
        for (index, group) in nodes.groups.iter().enumerate() {
            let path = format!("spec.cluster.nodeGroups[{index}].size");
            count += u64::from(group.size);
            if count > MAX_GENERATED_NODES {
                let message = format!(
                    "Invalid value: {}: at most {MAX_GENERATED_NODES} nodes can be generated",
                    group.size
                );
                return self.problem(file, tree, &path, message);
            }
            let taken = group.initial_machine_names().find(|name| !known.insert(name.clone()));
            if let Some(name) = taken {
                self.problem(
                    file,
                    tree,
                    &path,
                    format!("Duplicate value: {name:?}: another generated node has this name"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::load;

    /// Shows: CA-001
    #[test]
    fn invalid_node_groups_are_refused_with_position() {
        for (groups, path, message) in [
            ("[{max: 3}]", "[0].name", "Required value"),
            ("[{name: A_b}]", "[0].name", "Invalid value: \"A_b\""),
            ("[{name: g}, {name: g}]", "[1].name", "Duplicate value: \"g\""),
            ("[{name: g, min: 3, max: 2}]", "[0].max", "must be between 3 and 10000"),
            ("[{name: g, max: 2, size: 3}]", "[0].size", "must be between 0 and 2"),
            (
                "[{name: a, size: 1}]",
                "[0].size",
                "another generated node has this name",
            ),
            (
                "[{name: g, labels: {'a b': c}}]",
                "[0].labels",
                "Invalid value: \"a b\"",
            ),
            (
                "[{name: g, taints: [{key: a}]}]",
                "[0].taints[0].effect",
                "Required value",
            ),
            (
                "[{name: g, node: {cpu: -1}}]",
                "[0].node.cpu",
                "must be greater than or equal to 0",
            ),
            ("[{name: g, delay: 3}]", "[0].delay", ""),
            ("[{name: g, minimum: 3}]", "[0].minimum", ""),
        ] {
            let text = format!(
                "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: g}}\nspec: {{cluster: {{nodeGroups: {groups}}}}}\n"
            );
            let problems = load(&[("a.yaml".into(), text)]).expect_err(groups);
            let found = problems.iter().any(|one| {
                one.path == format!("spec.cluster.nodeGroups{path}") && one.message.english().contains(message)
            });
            assert!(found, "{groups}: {problems:?}");
        }
    }

    /// Shows
    #[test]
    fn anonymised_groups_keep_settings_and_match_their_pods() {
        let text = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: g}\nspec:\n  \
            cluster: {nodeGroups: [{name: acme, max: 2, labels: {acmepool: gold}, taints: [{key: acme.example/gold, effect: NoSchedule}], delay: 90s}]}\n  \
            components: {clusterAutoscaler: {expander: random}}\n---\n\
            {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {acmepool: gold}, containers: [{name: c, image: i}]}}\n";
        let renamed = crate::rename::rename(&[("a.yaml".into(), text.into())]).text;
        assert!(!renamed.contains("acme") && !renamed.contains("gold"), "{renamed}");
        let loaded = load(&[("a.yaml".into(), renamed)]).expect("a scenario");
        let group = &loaded.setup.nodes.groups[0];
        assert_eq!((group.max, group.delay), (Some(2), podscope_cluster::Span::seconds(90)));
        let podscope_api::Object::Pod(pod) = &loaded.setup.objects[0] else {
            panic!("{:?}", loaded.setup.objects);
        };
        assert_eq!(group.labels, *pod.spec.node_selector);
    }
}
