//! What files of a live cluster leave unsaid: namespaces that were not asked for, the time of the dump.

use podscope_api::ordered;
use podscope_api::{Kind, Location, Object, Str};

use super::Reader;

impl Reader {
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

    /// Without `spec.start`, a live cluster that was looked at after the default start begins at its newest time:
    /// nothing in it is younger than t = 0 (P-03).
    pub(super) fn start_of_live_objects(&mut self) {
        let time_of = |object: &Object| {
            let beats = match object {
                Object::Node(node) => node
                    .status
                    .conditions
                    .iter()
                    .map(|known| known.last_heartbeat_time)
                    .max(),
                _ => None,
            };
            object.metadata().creation_timestamp.max(beats.flatten())
        };
        let live = self.loaded.setup.objects.iter();
        let newest = live
            .filter(|object| !object.metadata().uid.is_empty())
            .filter_map(time_of)
            .max();
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
