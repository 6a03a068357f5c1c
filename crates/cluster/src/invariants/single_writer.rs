//! `single-writer` (CT-163): a ReadWriteOnce volume is writable on one node, a
//! ReadWriteOncePod volume by one pod. Only mounts whose pod has live
//! processes write.

use std::collections::{BTreeMap, BTreeSet};

use podscope_api::{AccessMode, NodeName, PersistentVolume, Str, Uid};

use super::{Breach, Check, Seen, View, blame};
use crate::{Place, What};

/// Writable mounts by volume.
#[derive(Debug, Clone, Default)]
pub(super) struct SingleWriter {
    mounts: BTreeMap<Str, BTreeSet<(NodeName, Uid)>>,
}

impl Check for SingleWriter {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Seen::Record(record) = seen else { return };
        if !matches!(record.what, What::VolumeMounted | What::VolumeUnmounted) {
            return;
        }
        let field = |name: &str| {
            record
                .fields
                .iter()
                .find(|(field, _)| *field == name)
                .map(|(_, value)| value)
        };
        let (Some(volume), Some(object), Place::Node(node)) = (
            field("volume").and_then(serde_json::Value::as_str),
            &record.object,
            record.actor.place(),
        ) else {
            return;
        };
        let writers = self.mounts.entry(volume.into()).or_default();
        if record.what == What::VolumeUnmounted {
            writers.remove(&(node, object.uid.clone()));
            if writers.is_empty() {
                self.mounts.remove(volume);
            }
            return;
        }
        if field("writable").and_then(serde_json::Value::as_bool) != Some(true) {
            return;
        }
        let modes = view
            .objects
            .named::<PersistentVolume>(volume)
            .map(|volume| volume.spec.access_modes.clone())
            .unwrap_or_default();
        let per_pod = modes.contains(&AccessMode::ReadWriteOncePod);
        let per_node = modes.contains(&AccessMode::ReadWriteOnce) && !modes.contains(&AccessMode::ReadWriteMany);
        for (other_node, other) in writers.iter().filter(|(_, other)| *other != object.uid) {
            let is_alive = view.ledger.live.contains_key(other);
            if !is_alive || !(per_pod || per_node && *other_node != node) {
                continue;
            }
            let (cause, by) = blame::of_removal(other, view);
            out.push(Breach {
                invariant: "single-writer",
                object: Some(object.clone()),
                cause,
                by,
                message: format!(
                    "{volume} is writable on {other_node} by {other} and on {node} by {}",
                    object.uid
                ),
            });
        }
        writers.insert((node, object.uid.clone()));
    }
}
