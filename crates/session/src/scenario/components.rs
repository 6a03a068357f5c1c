//! Reads the cluster and the components of a scenario: generated nodes, and settings of components from
//! `spec.components` or from separate documents.

use std::sync::Arc;

use podscope_api::{ProblemKind, Str, Tree, kubelet_configuration};
use podscope_cluster::controllers::{ControllerManagerSettings, FencingSettings};
use podscope_cluster::{NetworkSettings, NodeShorthand, Span, Switches};
use podscope_protocol::Remark;
use podscope_scheduler::SchedulerConfiguration;
use serde_json::Value;

use super::document::{ClusterDocument, Components};
use super::{MAX_GENERATED_NODES, Problem, ScenarioReader, join_field_paths, quoted};

impl ScenarioReader {
    /// Reads `spec.cluster`, which defines generated nodes.
    pub(super) fn read_cluster(&mut self, file: &str, tree: &Tree<'_>, cluster: Option<ClusterDocument>) {
        let Some(cluster) = cluster else { return };
        let default = NodeShorthand::default();
        let zones: Vec<Str> = cluster
            .zones
            .map_or(default.zones, |zones| zones.into_iter().map(Str::from).collect());
        for (index, zone) in zones.iter().enumerate() {
            let is_valid_name = !zone.is_empty()
                && zone.len() <= 63
                && zone
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
                && !zone.starts_with('-');
            if !is_valid_name {
                self.problem(file, tree, &format!("spec.cluster.zones[{index}]"), format!("Invalid value: {zone:?}: a zone's name begins its nodes' names: lower case letters, digits and '-'"));
            }
            if zones.iter().take(index).any(|other| other == zone) {
                self.problem_of(
                    ProblemKind::Duplicate,
                    file,
                    tree,
                    &format!("spec.cluster.zones[{index}]"),
                    format!("Duplicate value: {zone:?}"),
                );
            }
        }
        let nodes_per_zone = cluster.nodes_per_zone.unwrap_or(default.nodes_per_zone);
        if u64::from(nodes_per_zone) * zones.len() as u64 > MAX_GENERATED_NODES {
            self.problem(
                file,
                tree,
                "spec.cluster.nodesPerZone",
                format!("Invalid value: {nodes_per_zone}: at most {MAX_GENERATED_NODES} nodes can be generated"),
            );
            return;
        }
        let mut capacity = default.capacity;
        for (name, quantity) in cluster.node {
            if quantity.sign() < 0 {
                self.problem(
                    file,
                    tree,
                    &format!("spec.cluster.node.{name}"),
                    format!("Invalid value: \"{quantity}\": must be greater than or equal to 0"),
                );
            }
            capacity.insert(name, quantity);
        }
        let devices = self.read_devices(file, tree, &cluster.devices);
        let nodes = NodeShorthand {
            zones,
            nodes_per_zone,
            capacity,
            devices,
            groups: self.read_node_groups(file, tree, cluster.node_groups),
        };
        self.check_names_of_groups(file, tree, &nodes);
        self.loaded.setup.nodes = nodes;
    }

    /// Reads `spec.cluster.devices`. Returns the value of the annotation that describes the devices; the generated
    /// nodes get this annotation.
    fn read_devices(&mut self, file: &str, tree: &Tree<'_>, devices: &Value) -> Str {
        if devices.is_null() {
            return Str::default();
        }
        for error in podscope_api::decode_device_descriptions(devices)
            .err()
            .unwrap_or_default()
        {
            let path = format!("spec.cluster.devices{}", error.path);
            self.problem(file, tree, &path, error.message);
        }
        devices.to_string().into()
    }

    /// Reads `spec.components`: settings of components, which have the same names as in Kubernetes, and the history
    /// switches, which turn on the behavior of older Kubernetes versions.
    pub(super) fn read_components(&mut self, file: &str, tree: &Tree<'_>, components: Components) {
        let prefix = "spec.components";
        if !components.controller_manager.is_null() {
            match ControllerManagerSettings::from_value(&components.controller_manager) {
                Ok(settings) => self.loaded.setup.settings.controller_manager = settings,
                Err(errors) => {
                    for error in errors {
                        let path = join_field_paths(&format!("{prefix}.controllerManager"), &error.name);
                        self.problem_of(error.kind, file, tree, &path, error.message);
                    }
                }
            }
        }
        let kubelet = ["spec", "components", "kubelet"];
        if let Some(kubelet) = kubelet.iter().try_fold(tree, |at, key| at.get(key)) {
            self.read_kubelet(file, kubelet, &format!("{prefix}.kubelet"));
        }
        if !components.kube_scheduler.is_null() {
            let path = format!("{prefix}.kubeScheduler");
            self.read_scheduler(file, tree, &path, components.kube_scheduler);
        }
        if let Some(network) = components.network {
            let default = NetworkSettings::default();
            let mut read = |field: &str, text: Option<String>, default: Span| match text {
                Some(text) => self.read_duration(file, tree, &format!("{prefix}.network.{field}"), &text),
                None => default,
            };
            let settings = NetworkSettings {
                latency: read("latency", network.latency, default.latency),
                jitter: read("jitter", network.jitter, default.jitter),
            };
            self.loaded.setup.settings.network = settings;
        }
        if !components.cluster_autoscaler.is_null() {
            let path = format!("{prefix}.clusterAutoscaler");
            self.read_cluster_autoscaler(file, tree, &path, &components.cluster_autoscaler);
        }
        if !components.fencing.is_null() {
            let path = format!("{prefix}.fencing");
            self.read_fencing(file, tree, &path, &components.fencing);
        }
        for (index, name) in components.history.iter().enumerate() {
            if !self.loaded.setup.switches.turn_on(name) {
                self.problem_of(
                    ProblemKind::Unsupported,
                    file,
                    tree,
                    &format!("{prefix}.history[{index}]"),
                    format!(
                        "Unsupported value: {name:?}: supported values: {}",
                        quoted(Switches::NAMES)
                    ),
                );
            }
        }
    }

    /// Reads a `KubeletConfiguration`. It is either a whole document, or the part of a document at the path `prefix`.
    pub(super) fn read_kubelet(&mut self, file: &str, tree: &Tree<'_>, prefix: &str) {
        match kubelet_configuration(tree) {
            Ok((config, mut notices)) => {
                let settings = Arc::make_mut(&mut self.loaded.setup.settings.kubelet);
                notices.extend(settings.apply(&config));
                self.loaded.notices.extend(notices.into_iter().map(Remark::Kubelet));
            }
            Err(errors) => {
                for error in errors {
                    self.problems.push(Problem {
                        file: file.to_owned(),
                        document: self.document,
                        line: error.line,
                        column: error.column,
                        path: join_field_paths(prefix, &error.path),
                        message: error.message.into(),
                        kind: error.kind,
                    });
                }
            }
        }
    }

    /// Reads a `KubeSchedulerConfiguration`. It is either a whole document, or the part of a document at the path
    /// `prefix`.
    pub(super) fn read_scheduler(&mut self, file: &str, tree: &Tree<'_>, prefix: &str, value: Value) {
        if !value.is_object() {
            return self.problem(file, tree, prefix, "must be a KubeSchedulerConfiguration");
        }
        if value.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        match SchedulerConfiguration::from_value(&value) {
            Ok(config) => {
                let notices = config.notices.iter().cloned();
                self.loaded.notices.extend(notices.map(Remark::Scheduler));
                self.loaded.setup.settings.scheduler = config;
            }
            Err(errors) => {
                for error in errors {
                    self.problem_of(
                        error.kind,
                        file,
                        tree,
                        &join_field_paths(prefix, &error.path),
                        error.message,
                    );
                }
            }
        }
    }

    /// Reads the setting `components.fencing` of a scenario.
    pub(super) fn read_fencing(&mut self, file: &str, tree: &Tree<'_>, prefix: &str, value: &Value) {
        match FencingSettings::from_value(value) {
            Ok(settings) => self.loaded.setup.settings.fencing = settings,
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
}
