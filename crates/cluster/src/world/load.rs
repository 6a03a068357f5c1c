//! Overload protection. A write sends a message to every watcher. With quotas, a write also leads to a write of
//! the status of each quota: 500 pods and 1000 quotas are half a million pending messages within milliseconds. A server
//! with that many pending messages refuses to create objects, as API Priority and Fairness does, and clients retry.

use podscope_api::Kind;

use super::World;

/// Maximum number of pending events, independent of the size of the cluster.
const MAX_PENDING_EVENTS: usize = 100_000;
/// Additional pending events per node and pod, for its timers and for messages about it.
const MAX_PENDING_EVENTS_PER_OBJECT: usize = 16;

impl World {
    /// Returns whether more events are pending than a cluster of this size needs.
    pub(super) fn is_overloaded(&self) -> bool {
        let objects = self.api.objects();
        let known = objects.count_kind(Kind::Node) + objects.count_kind(Kind::Pod);
        self.queue.stats().0 > MAX_PENDING_EVENTS.saturating_add(known.saturating_mul(MAX_PENDING_EVENTS_PER_OBJECT))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use podscope_api::{ConfigMap, Object};

    use super::*;
    use crate::event::Event;
    use crate::{Actor, OutputLine, Record, Request, Setup, SimTime, Sink, Span, What};

    /// A sink that counts the refused requests.
    #[derive(Default)]
    struct RefusalCounter(usize);

    impl Sink for RefusalCounter {
        fn record(&mut self, record: Record) {
            self.0 += usize::from(record.what() == What::Refused);
        }

        fn output(&mut self, _: OutputLine) {}
        fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
    }

    fn config_map() -> Object {
        let mut config_map = ConfigMap::default();
        config_map.metadata.name = "c".into();
        config_map.metadata.namespace = "default".into();
        Object::ConfigMap(Arc::new(config_map))
    }

    /// While too many events are pending, the server refuses to create objects but serves reads, and clients retry.
    /// Shows: Q-03
    #[test]
    fn overloaded_server_refuses_creates_with_429() {
        let mut sink = RefusalCounter::default();
        let mut world = World::new(Setup::default(), &mut sink).expect("an empty world starts");
        let (client, create) = (Actor::Client(1), Request::Create(config_map()));
        let quiet = world.clone();
        for at in 0..2 * MAX_PENDING_EVENTS {
            world
                .queue
                .push(world.now + Span::seconds(at as i64), Event::CheckLiveness);
        }
        let refused = world
            .serve(&client, &create, &mut sink)
            .expect_err("the server is overloaded");
        assert_eq!(
            (refused.code, &*refused.message),
            (
                429,
                "the server has received too many requests and has asked us to try again later (post configmaps)"
            )
        );
        assert_eq!(sink.0, 1, "the refusal is in the trace");
        let get = Request::Get {
            kind: Kind::Namespace,
            key: podscope_api::ObjectKey::cluster("default"),
        };
        assert!(world.serve(&client, &get, &mut sink).is_ok());
        world.queue = quiet.queue;
        assert!(world.serve(&client, &create, &mut sink).is_ok());
    }
}
