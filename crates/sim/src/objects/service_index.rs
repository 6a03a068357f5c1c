//! Which pods a Service selects, and which EndpointSlices it has. Without an index, each change of a pod compares the
//! pod with all Services of its namespace, and each reconciliation of a Service looks at all pods and slices there.

use podscope_api::well_known::label::SERVICE_NAME;
use std::sync::Arc;

use podscope_api::{EndpointSlice, Object, ObjectKey, Pod, Resource as _, Service, Str};

use super::{KeyIndex, ObjectTable, Objects, insert_index_key, remove_index_key};

/// A label (key and value) in a namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NamespacedLabel {
    namespace: Str,
    key: Str,
    value: Str,
}

#[derive(Debug, Clone, Default)]
pub(super) struct ServiceIndex {
    /// Services with a selector, by label. Invariant: each is stored under exactly one label of its selector.
    services: KeyIndex<NamespacedLabel>,
    /// Pods by label. Invariant: each pod is stored under exactly those of its labels whose key some Service of its
    /// namespace uses in `services`.
    pods: KeyIndex<NamespacedLabel>,
    /// EndpointSlices by the label that names their Service.
    slices: KeyIndex<NamespacedLabel>,
}

impl ServiceIndex {
    /// Updates the index after an object was replaced, created (`old` is `None`) or removed (`new` is `None`). `pods`
    /// contains all pods.
    pub(super) fn update(&mut self, old: Option<&Object>, new: Option<&Object>, pods: &ObjectTable) {
        match new.or(old) {
            Some(Object::Pod(_)) => self.update_pod(old.and_then(Pod::from_object), new.and_then(Pod::from_object)),
            Some(Object::Service(_)) => {
                let (old, new) = (old.and_then(Service::from_object), new.and_then(Service::from_object));
                self.update_service(old.map(|old| &**old), new.map(|new| &**new), pods);
            }
            Some(Object::EndpointSlice(_)) => {
                let label_of = |object: Option<&Object>| {
                    let metadata = &EndpointSlice::from_object(object?)?.metadata;
                    let service = metadata.labels.get(SERVICE_NAME)?;
                    let at = namespaced_label(metadata.namespace.clone(), SERVICE_NAME, service.clone());
                    Some((at, metadata.key()))
                };
                let (old, new) = (label_of(old), label_of(new));
                if old == new {
                    return;
                }
                if let Some((at, key)) = old {
                    remove_index_key(&mut self.slices, &at, &key);
                }
                if let Some((at, key)) = new {
                    insert_index_key(&mut self.slices, &at, &key);
                }
            }
            _ => {}
        }
    }

    fn update_pod(&mut self, old: Option<&Arc<Pod>>, new: Option<&Arc<Pod>>) {
        let is_same = old
            .zip(new)
            .is_some_and(|(old, new)| old.metadata.labels == new.metadata.labels);
        if is_same || self.services.is_empty() {
            return;
        }
        if let Some(old) = old {
            let key = old.metadata.key();
            (self.labels_in_use(old).iter()).for_each(|at| remove_index_key(&mut self.pods, at, &key));
        }
        if let Some(new) = new {
            let key = new.metadata.key();
            (self.labels_in_use(new).iter()).for_each(|at| insert_index_key(&mut self.pods, at, &key));
        }
    }

    fn update_service(&mut self, old: Option<&Service>, new: Option<&Service>, pods: &ObjectTable) {
        let is_same = old
            .zip(new)
            .is_some_and(|(old, new)| old.spec.selector == new.spec.selector);
        if is_same {
            return;
        }
        if let Some((old, at)) = old.and_then(|old| Some((old, self.label_of(old)?))) {
            remove_index_key(&mut self.services, &at, &old.metadata.key());
            if !self.is_key_in_use(&at.namespace, &at.key) {
                for (pod, at) in pods_with_label_key(pods, &at.namespace, &at.key) {
                    remove_index_key(&mut self.pods, &at, pod);
                }
            }
        }
        // Choose the label under which the fewest Services are stored, because all selectors may have one label in
        // common, such as `app=shop`.
        let labels = new.into_iter().flat_map(selector_labels);
        let n_services = |at: &NamespacedLabel| self.services.get(at).map_or(0, rpds::RedBlackTreeSetSync::size);
        if let (Some(new), Some(at)) = (new, labels.min_by_key(n_services)) {
            let was_in_use = self.is_key_in_use(&at.namespace, &at.key);
            insert_index_key(&mut self.services, &at, &new.metadata.key());
            if !was_in_use {
                for (pod, at) in pods_with_label_key(pods, &at.namespace, &at.key) {
                    insert_index_key(&mut self.pods, &at, pod);
                }
            }
        }
        debug_assert!(
            new.is_none_or(|new| self.labels_of(new).count() == usize::from(selector_labels(new).next().is_some())),
            "a Service with a selector is under exactly one label of it"
        );
    }

    /// Returns the label under which the Service is stored; `None` if it has no selector or is not stored with this
    /// selector.
    fn label_of(&self, service: &Service) -> Option<NamespacedLabel> {
        self.labels_of(service).next()
    }

    /// Returns the labels of the Service's selector under which it is stored.
    fn labels_of(&self, service: &Service) -> impl Iterator<Item = NamespacedLabel> {
        let key = service.metadata.key();
        selector_labels(service).filter(move |at| self.services.get(at).is_some_and(|services| services.contains(&key)))
    }

    /// Returns whether a Service of the namespace is stored under a label with this key.
    fn is_key_in_use(&self, namespace: &Str, key: &Str) -> bool {
        let mut labels = self
            .services
            .range(namespaced_label(namespace.clone(), key.clone(), "")..);
        labels
            .next()
            .is_some_and(|(at, _)| at.namespace == *namespace && at.key == *key)
    }

    /// Returns the labels under which the pod is stored.
    fn labels_in_use(&self, pod: &Pod) -> Vec<NamespacedLabel> {
        let namespace = &pod.metadata.namespace;
        let labels = pod.metadata.labels.iter();
        labels
            .filter(|(key, _)| self.is_key_in_use(namespace, key))
            .map(|(key, value)| namespaced_label(namespace.clone(), key.clone(), value.clone()))
            .collect()
    }
}

impl Objects {
    /// Returns the pods that a Service selects, by name. A Service without a selector selects none.
    pub fn pods_selected_by<'a>(&'a self, service: &'a Service) -> impl Iterator<Item = &'a Pod> {
        let at = self.service_index.label_of(service);
        let indexed = at.as_ref().and_then(|at| self.service_index.pods.get(at));
        let indexed = indexed.into_iter().flat_map(|keys| keys.iter());
        // A Service that is not stored, or is stored with another selector, is not in the index.
        let others = at.is_none().then(|| self.list_in::<Pod>(&service.metadata.namespace));
        let pods = indexed.filter_map(|key| self.get::<Pod>(key));
        pods.chain(others.into_iter().flatten())
            .map(|pod| &**pod)
            .filter(|pod| selects(service, pod))
    }

    /// Returns the Services that select a pod, in no particular order.
    pub fn services_selecting<'a>(&'a self, pod: &'a Pod) -> impl Iterator<Item = &'a Service> {
        let labels = pod.metadata.labels.iter();
        let keys = labels.filter_map(|(key, value)| {
            let at = namespaced_label(pod.metadata.namespace.clone(), key.clone(), value.clone());
            self.service_index.services.get(&at)
        });
        keys.flat_map(|keys| keys.iter())
            .filter_map(|key| self.get::<Service>(key))
            .map(|service| &**service)
            .filter(|service| selects(service, pod))
    }

    /// Returns the EndpointSlices whose label names the Service, by name.
    pub fn slices_of(&self, namespace: &str, service: &str) -> impl Iterator<Item = &Arc<EndpointSlice>> {
        let keys = self
            .service_index
            .slices
            .get(&namespaced_label(namespace, SERVICE_NAME, service));
        let keys = keys.into_iter().flat_map(|keys| keys.iter());
        keys.filter_map(|key| self.get::<EndpointSlice>(key))
    }
}

fn namespaced_label(namespace: impl Into<Str>, key: impl Into<Str>, value: impl Into<Str>) -> NamespacedLabel {
    NamespacedLabel {
        namespace: namespace.into(),
        key: key.into(),
        value: value.into(),
    }
}

/// Returns the labels of a Service's selector.
fn selector_labels(service: &Service) -> impl Iterator<Item = NamespacedLabel> {
    let selector = service.spec.selector.iter().flat_map(|selector| selector.iter());
    selector.map(|(key, value)| namespaced_label(service.metadata.namespace.clone(), key.clone(), value.clone()))
}

/// Returns the pods of a namespace that have a label with this key, each with the label.
fn pods_with_label_key<'p>(
    pods: &'p ObjectTable,
    namespace: &Str,
    key: &Str,
) -> impl Iterator<Item = (&'p ObjectKey, NamespacedLabel)> {
    let all = pods.range(ObjectKey::new(namespace.clone(), "")..);
    let all = all.take_while(|(pod, _)| pod.namespace == *namespace);
    all.filter_map(|(pod, object)| {
        let value = object.metadata().labels.get(key)?;
        Some((pod, namespaced_label(namespace.clone(), key.clone(), value.clone())))
    })
}

fn selects(service: &Service, pod: &Pod) -> bool {
    let labels = &pod.metadata.labels;
    let selector = service.spec.selector.as_ref().filter(|selector| !selector.is_empty());
    selector.is_some_and(|selector| selector.iter().all(|(key, value)| labels.get(key) == Some(value)))
}

#[cfg(test)]
mod tests {
    use podscope_api::ordered::StableSort as _;
    use podscope_api::{Kind, Uid, parse};

    use super::*;
    use crate::Rng;

    fn random_object(rng: &mut Rng) -> Object {
        let namespace = ["a", "b"][rng.below(2) as usize];
        let name = rng.below(6);
        let mut labels = String::new();
        for key in ["app", "tier"] {
            match rng.below(4) {
                0 => {}
                value => labels.push_str(&format!("{key}: v{value}, ")),
            }
        }
        let text = match rng.below(3) {
            0 => format!(
                "{{apiVersion: v1, kind: Service, metadata: {{name: s{name}, namespace: {namespace}}}, \
                 spec: {{selector: {{{labels}}}}}}}"
            ),
            1 => format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: p{name}, namespace: {namespace}, labels: {{{labels}}}}}}}"
            ),
            _ => format!(
                "{{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [], metadata: \
                 {{name: e{name}, namespace: {namespace}, labels: {{{SERVICE_NAME}: s{}}}}}}}",
                rng.below(3)
            ),
        };
        let mut parsed = parse(&text);
        assert!(parsed.problems.is_empty(), "{text}: {:?}", parsed.problems);
        let mut object = parsed.objects.remove(0).value;
        let uid = format!("{} {}", object.kind().name(), object.key());
        object.metadata_mut().uid = Uid(uid.as_str().into());
        object
    }

    /// After each of 4000 random writes and removals, the index gives the same answers as a comparison of all objects.
    #[test]
    fn index_agrees_with_comparison_of_all_objects() {
        let mut rng = Rng::split(7, "service index");
        let mut objects = Objects::default();
        let mut n_selected = 0;
        for step in 0..4000 {
            let object = random_object(&mut rng);
            match rng.below(3) {
                0 => drop(objects.remove(object.kind(), &object.key())),
                _ => drop(objects.put(object)),
            }
            for service in objects.list::<Service>() {
                let pods = objects.list_in::<Pod>(&service.metadata.namespace);
                let wanted: Vec<&Pod> = pods.map(|pod| &**pod).filter(|pod| selects(service, pod)).collect();
                n_selected += wanted.len();
                assert_eq!(
                    objects.pods_selected_by(service).collect::<Vec<_>>(),
                    wanted,
                    "step {step}"
                );
                let slices = objects.list_in::<EndpointSlice>(&service.metadata.namespace);
                let name = &*service.metadata.name;
                let wanted: Vec<_> = slices
                    .filter(|one| one.metadata.label(SERVICE_NAME) == Some(name))
                    .collect();
                let found: Vec<_> = objects.slices_of(&service.metadata.namespace, name).collect();
                assert_eq!(found, wanted, "step {step}");
            }
            for pod in objects.list::<Pod>() {
                let services = objects.list_in::<Service>(&pod.metadata.namespace);
                let wanted = services.filter(|one| selects(one, pod)).map(|one| one.metadata.key());
                let wanted: Vec<ObjectKey> = wanted.collect();
                let mut found: Vec<ObjectKey> = objects.services_selecting(pod).map(|one| one.metadata.key()).collect();
                found.stable_sort();
                assert_eq!(found, wanted, "step {step}");
            }
        }
        assert!(n_selected > 1000, "{n_selected}");
        for kind in [Kind::Service, Kind::Pod, Kind::EndpointSlice] {
            for object in objects.list_kind(kind) {
                objects.remove(kind, &object.key());
            }
        }
        let index = &objects.service_index;
        assert!(index.services.is_empty() && index.pods.is_empty() && index.slices.is_empty());
    }

    /// A Service that is not stored, or is stored with another selector, is compared with all pods.
    #[test]
    fn unstored_service_selects_pods() {
        let read = |text: &str| parse(text).objects.remove(0).value;
        let mut objects = Objects::default();
        objects.put(read(
            "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, labels: {app: x}}}",
        ));
        let service =
            read("{apiVersion: v1, kind: Service, metadata: {name: s, namespace: a}, spec: {selector: {app: x}}}");
        let service = Service::from_object(&service).expect("a Service");
        assert_eq!(objects.pods_selected_by(service).count(), 1);
    }
}
