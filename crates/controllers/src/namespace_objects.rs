//! What every namespace has of its own: the ConfigMap with the cluster's certificate (root-ca-cert-publisher) and the
//! account that its pods run under (serviceaccount-controller). Who deletes one gets another.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{ConfigMap, Kind, Namespace, Object, ObjectKey, ObjectMeta, ROOT_CA, ServiceAccount, Str};

use podscope_sim::{Change, Request};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::Key;

const ACCOUNT: &str = "default";
/// No certificate: nothing here speaks TLS.
const CERTIFICATE: &str =
    "-----BEGIN CERTIFICATE-----\nUG9kc2NvcGUgaGFzIG5vIGNlcnRpZmljYXRl\n-----END CERTIFICATE-----\n";

/// The objects of a namespace, as they are made.
#[must_use]
pub fn objects_of(namespace: &str) -> [Object; 2] {
    let metadata = |name: &str| ObjectMeta {
        name: name.into(),
        namespace: namespace.into(),
        ..ObjectMeta::default()
    };
    let mut map = ConfigMap {
        metadata: metadata(ROOT_CA),
        data: ordered::Map::from([(Str::from("ca.crt"), Str::from(CERTIFICATE))]),
        ..ConfigMap::default()
    };
    let why = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
    Arc::make_mut(&mut map.metadata.annotations).insert("kubernetes.io/description".into(), why.into());
    let account = ServiceAccount {
        metadata: metadata(ACCOUNT),
        ..ServiceAccount::default()
    };
    [
        Object::ConfigMap(Arc::new(map)),
        Object::ServiceAccount(Arc::new(account)),
    ]
}

#[derive(Debug, Clone, Default)]
pub(super) struct NamespaceObjects;

impl NamespaceObjects {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self)
    }
}

impl Controller for NamespaceObjects {
    fn name(&self) -> &'static str {
        "serviceaccount-controller"
    }
    fn watches(&self) -> &'static [Kind] {
        &[Kind::Namespace, Kind::ConfigMap, Kind::ServiceAccount]
    }
    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let Some(object) = change.object() else { return };
        let meta = object.metadata();
        match object.kind() {
            Kind::Namespace if change.old.is_none() => cx.enqueue((Kind::Namespace, meta.key())),
            Kind::ConfigMap if change.new.is_none() && &*meta.name == ROOT_CA => {
                cx.enqueue((Kind::Namespace, ObjectKey::cluster(meta.namespace.clone())));
            }
            Kind::ServiceAccount if change.new.is_none() && &*meta.name == ACCOUNT => {
                cx.enqueue((Kind::Namespace, ObjectKey::cluster(meta.namespace.clone())));
            }
            _ => {}
        }
    }
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(namespace) = cx.objects.get::<Namespace>(&key.1) else {
            return Plan::default();
        };
        // What a dump does not hold is not made because of that.
        if namespace.metadata.is_terminating() || cx.is_older(&namespace.metadata) {
            return Plan::default();
        }
        let missing = objects_of(&namespace.metadata.name)
            .into_iter()
            .filter(|object| cx.objects.get_kind(object.kind(), &object.key()).is_none())
            .map(|object| Action::from(Request::Create(object)).accept(Accept::Anything));
        Plan::default().then(missing.collect())
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;
    use podscope_sim::Span;

    /// Made with the namespace, made again when somebody deletes them.
    #[test]
    fn a_namespace_gets_its_certificate_and_its_account() {
        let mut lab = Lab::new(&["a-1"], "{apiVersion: v1, kind: Namespace, metadata: {name: demo}}");
        lab.run(Span::seconds(1));
        let keys = || objects_of("demo").map(|object| (object.kind(), object.key()));
        let are_there = |lab: &Lab| {
            keys()
                .iter()
                .all(|(kind, key)| lab.objects().get_kind(*kind, key).is_some())
        };
        assert!(are_there(&lab));
        for (kind, key) in keys() {
            let options = podscope_sim::DeleteOptions::default();
            let answer = lab.serve(&podscope_sim::Actor::Client(1), &Request::Delete { kind, key, options });
            assert!(answer.is_ok(), "{answer:?}");
        }
        lab.run(Span::seconds(1));
        assert!(are_there(&lab));
    }
}
