//! `DefaultBinder`: binds the pod to its node (SCH-110). The caller sends the Binding that an attempt requests, and
//! reports the result with [`crate::Scheduler::bind_finished`].

use super::{ExtensionPoints, PluginSpec, Point};
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    about: Some(messages::default_binder_about),
    ..PluginSpec::new("DefaultBinder", &[Point::Bind], &DefaultBinder)
};

struct DefaultBinder;

impl ExtensionPoints for DefaultBinder {}

/// Returns the note of the `Scheduled` event (SCH-128).
pub fn scheduled_note(namespace: &str, name: &str, node: &str) -> String {
    format!("Successfully assigned {namespace}/{name} to {node}")
}
