//! what bounds a world that a manifest or command could let grow.

use std::sync::Arc;

use podscope_api::{Object, Secret, Uid};
use podscope_cluster::{MAX_OBJECTS_OF_KIND, OutputLine, Record, Setup, SimTime, Sink, World};

struct Nothing;

impl Sink for Nothing {
    fn record(&mut self, _: Record) {}
    fn output(&mut self, _: OutputLine) {}
    fn finished(&mut self, _: u32, _: SimTime, _: u8) {}
}

///
#[test]
fn one_object_too_many_of_a_kind_is_refused_as_by_a_quota() {
    let one = |at: usize| {
        let mut secret = Secret::default();
        secret.metadata.name = format!("c-{at}").into();
        secret.metadata.namespace = "default".into();
        secret.metadata.uid = Uid::default();
        Object::Secret(Arc::new(secret))
    };
    let setup = Setup {
        objects: (0..=MAX_OBJECTS_OF_KIND).map(one).collect(),
        ..Setup::default()
    };
    let refused = World::new(setup, &mut Nothing).expect_err("one too many");
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].index, MAX_OBJECTS_OF_KIND);
    assert_eq!(
        refused[0].error.message,
        "secrets \"c-50000\" is forbidden: exceeded quota: podscope, requested: count/secrets=1, \
         used: count/secrets=50000, limited: count/secrets=50000"
    );
}
