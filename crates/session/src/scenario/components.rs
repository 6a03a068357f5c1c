//! Settings of the kubelets, the scheduler and the fencing controller, as a
//! scenario's `components` or documents of their own give them.

use std::sync::Arc;

use podscope_api::{Tree, kubelet_configuration};
use podscope_cluster::controllers::FencingSettings;
use podscope_scheduler::SchedulerConfiguration;
use serde_json::Value;

use super::{Problem, Reader, join};

impl Reader {
    /// `KubeletConfiguration`, as a document or as the part of one at `prefix`.
    pub(super) fn kubelet(&mut self, file: &str, tree: &Tree, prefix: &str) {
        match kubelet_configuration(tree) {
            Ok((config, mut notices)) => {
                let settings = Arc::make_mut(&mut self.loaded.setup.settings.kubelet);
                notices.extend(settings.apply(&config));
                let notices = notices
                    .into_iter()
                    .map(|notice| format!("KubeletConfiguration: {notice}"));
                self.loaded.notices.extend(notices);
            }
            Err(errors) => {
                for error in errors {
                    self.problems.push(Problem {
                        file: file.to_owned(),
                        document: self.document,
                        line: error.line,
                        column: error.column,
                        path: join(prefix, &error.path),
                        message: error.message,
                    });
                }
            }
        }
    }

    /// `KubeSchedulerConfiguration`.
    pub(super) fn scheduler(&mut self, file: &str, tree: &Tree, prefix: &str, value: Value) {
        if !value.is_object() {
            return self.problem(file, tree, prefix, "must be a KubeSchedulerConfiguration");
        }
        if value.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        match SchedulerConfiguration::from_value(&value) {
            Ok(config) => {
                self.loaded.notices.extend(config.notices.iter().cloned());
                self.loaded.setup.settings.scheduler = config;
            }
            Err(errors) => {
                for error in errors {
                    self.problem(file, tree, &join(prefix, &error.path), error.message);
                }
            }
        }
    }

    /// `components.fencing`.
    pub(super) fn fencing(&mut self, file: &str, tree: &Tree, prefix: &str, value: &Value) {
        match FencingSettings::from_value(value) {
            Ok(settings) => self.loaded.setup.settings.fencing = settings,
            Err(errors) => {
                for error in errors {
                    self.problem(file, tree, &join(prefix, &error.name), error.message);
                }
            }
        }
    }
}
