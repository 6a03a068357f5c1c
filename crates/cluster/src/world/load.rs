//! How much may wait to happen at once. A write leads to a message for everybody whom it concerns, and with quotas to
//! a write for each of them: five hundred pods and a thousand quotas are half a million messages on their way within
//! milliseconds. A server that has so much to tell takes no new objects, as API Priority and Fairness has it; clients
//! try again.

use podscope_api::Kind;

use super::World;

/// Events that may wait in any world.
const WAITING_AT_MOST: usize = 100_000;
/// And so many more for each node and pod: their timers, and what is told of them.
const WAITING_FOR_EACH: usize = 16;

impl World {
    /// Whether more waits than a world of this size ever needs.
    pub(super) fn is_overloaded(&self) -> bool {
        let objects = self.api.objects();
        let known = objects.count_kind(Kind::Node) + objects.count_kind(Kind::Pod);
        self.queue.stats().0 > WAITING_AT_MOST.saturating_add(known.saturating_mul(WAITING_FOR_EACH))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use podscope_api::{ConfigMap, Object};

    use super::*;
    use crate::event::Event;
    use crate::{Actor, OutputLine, Record, Request, Setup, SimTime, Sink, Span, What};

    #[derive(Default)]
    struct Refusals(usize);

    impl Sink for Refusals {
        fn record(&mut self, record: Record) {
            self.0 += usize::from(record.what() == What::Refused);
        }

        fn output(&mut self, _: OutputLine) {}
        fn finished(&mut self, _: u32, _: SimTime, _: u8) {}
    }

    fn config_map() -> Object {
        let mut made = ConfigMap::default();
        made.metadata.name = "c".into();
        made.metadata.namespace = "default".into();
        Object::ConfigMap(Arc::new(made))
    }

    /// Objects are not made while too much waits; what is there can be read and deleted, and clients try again.
    /// Shows: Q-03
    #[test]
    fn creates_are_turned_away_while_too_much_waits() {
        let mut sink = Refusals::default();
        let mut world = World::new(Setup::default(), &mut sink).expect("it starts");
        let (client, create) = (Actor::Client(1), Request::Create(config_map()));
        let quiet = world.clone();
        for at in 0..2 * WAITING_AT_MOST {
            world.queue.push(world.now + Span::seconds(at as i64), Event::Look);
        }
        let refused = world.serve(&client, &create, &mut sink).expect_err("too much waits");
        assert_eq!(
            (refused.code, &*refused.message),
            (
                429,
                "the server has received too many requests and has asked us to try again later (post configmaps)"
            )
        );
        assert_eq!(sink.0, 1, "it is in the trace");
        let get = Request::Get {
            kind: Kind::Namespace,
            key: podscope_api::ObjectKey::cluster("default"),
        };
        assert!(world.serve(&client, &get, &mut sink).is_ok());
        world.queue = quiet.queue;
        assert!(world.serve(&client, &create, &mut sink).is_ok());
    }
}
