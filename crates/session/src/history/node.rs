//! Failures of nodes in recorded histories. A Node object only shows that its kubelet no longer reports; later events
//! show whether the machine was off or only cut off from the network.

use podscope_api::Kind;
use podscope_api::well_known::condition;
use podscope_cluster::Settings;
use serde_json::{Value, json};

use super::notes::Note;
use super::replay::Replay;
use super::{ChangeTarget, text, time_micros};

/// Returns the time after a kubelet's last report at which its node becomes Unknown, in microseconds. It is the
/// default, because a history does not record this setting.
fn node_monitor_grace_period() -> i64 {
    Settings::default().controller_manager.node_monitor_grace_period.0
}

/// Returns the condition Ready of a Node.
fn ready_condition(node: &Value) -> Option<&Value> {
    let conditions = node.pointer("/status/conditions").and_then(Value::as_array)?;
    conditions.iter().find(|one| text(one, "/type") == condition::READY)
}

/// Returns the status of a Node's condition Ready, or an empty text if there is no such condition.
pub(super) fn ready_status(node: &Value) -> &str {
    ready_condition(node).map_or("", |condition| text(condition, "/status"))
}

/// A node that became Unknown and has not become Ready again.
#[derive(Debug, Clone, Copy)]
pub(super) struct LostNode {
    /// Index in the timeline of the command that makes the node fail. None if the node was already Unknown when the
    /// history began.
    command: Option<usize>,
}

impl Replay {
    /// Adds the commands that cause a change of a Node's condition Ready.
    pub(super) fn add_ready_change(&mut self, target: &ChangeTarget, before: &Value, after: &Value, at: i64) {
        let name = &*target.key.name;
        let changed = ready_condition(after).and_then(|condition| time_micros(condition, "/lastTransitionTime"));
        let changed = changed.filter(|changed| *changed <= at).unwrap_or(at);
        match (ready_status(before), ready_status(after)) {
            (before, after) if before == after => {}
            (_, "Unknown") => {
                self.notes.add(Note::NodeLost, name);
                let command = Some(self.n_entries());
                let failed = changed.saturating_sub(node_monitor_grace_period());
                self.add_entry(failed, json!({"run": format!("fault partition {name}")}));
                self.lost.insert(target.key.clone(), LostNode { command });
            }
            ("Unknown", "True") => {
                let boot = |node: &Value| text(node, "/status/nodeInfo/bootID").to_owned();
                let has_rebooted = boot(before) != boot(after);
                let loss = self.lost.remove(&target.key);
                if has_rebooted && let Some(command) = loss.and_then(|loss| loss.command) {
                    self.replace_entry(command, json!({"run": format!("fault poweroff {name}")}));
                }
                let verb = if has_rebooted { "boot" } else { "heal" };
                self.add_entry(changed, json!({"run": format!("fault {verb} {name}")}));
            }
            (_, "False") => self.notes.add(Note::NodeUnready, name),
            _ => {}
        }
    }

    /// Adds the command `fault join` for a node that registers.
    pub(super) fn add_node_join(&mut self, target: &ChangeTarget, node: &Value, at: i64) {
        let name = &*target.key.name;
        let pairs = |pointer: &str, keep: fn(&str) -> bool| {
            let fields = node.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
            let kept = fields.filter(|(key, _)| keep(key));
            let texts = kept.filter_map(|(key, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                super::replay::is_plain_word(&value).then(|| format!("{key}={value}"))
            });
            texts.collect::<Vec<_>>().join(",")
        };
        let labels = pairs("/metadata/labels", |key| key != "kubernetes.io/hostname");
        let capacity = pairs("/status/capacity", |key| ["cpu", "memory", "pods"].contains(&key));
        let mut line = format!("fault join {name}");
        for (flag, value) in [("labels", labels), ("capacity", capacity)] {
            if !value.is_empty() {
                line.push_str(&format!(" --{flag} '{value}'"));
            }
        }
        self.add_entry(at, json!({"run": line}));
    }

    /// Adds `kubectl delete node` for a Node that was deleted, and before it `fault leave` if `has_machine_left` is
    /// true.
    pub(super) fn add_node_leave(&mut self, target: &ChangeTarget, at: i64, has_machine_left: bool) {
        debug_assert_eq!(target.kind, Kind::Node);
        let name = &*target.key.name;
        if has_machine_left {
            self.notes.add(Note::NodeGone, name);
            self.add_entry(at, json!({"run": format!("fault leave {name}")}));
        }
        self.add_entry(at, json!({"run": format!("kubectl delete node {name} --wait=false")}));
        self.lost.remove(&target.key);
    }
}
