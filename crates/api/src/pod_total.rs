//! What a whole pod asks for and may use: its containers, sidecars and init
//! containers taken together (SCH-050).

use std::sync::Arc;

use crate::{Container, Pod, PodSpec, ResourceList, ResourceRequirements};

impl PodSpec {
    /// Requests of the pod: what the app containers with all sidecars need, or the largest step of its start if that
    /// is more; pod-level requests of cpu, memory and huge pages replace the sum; overhead is added.
    pub fn total_requests(&self) -> ResourceList {
        let mut total = self.of_containers(|resources| &resources.requests);
        self.replace_by_own(&mut total, |resources| &resources.requests);
        add(&mut total, &self.overhead);
        total
    }
    /// Limits of the pod, taken together as [`PodSpec::total_requests`]; overhead is added only to resources that are limited.
    pub fn total_limits(&self) -> ResourceList {
        let mut total = self.of_containers(|resources| &resources.limits);
        self.replace_by_own(&mut total, |resources| &resources.limits);
        for (name, amount) in &self.overhead {
            if let Some(sum) = total.get_mut(name).filter(|sum| !sum.is_zero()) {
                *sum = sum.plus(*amount);
            }
        }
        total
    }
    fn replace_by_own(&self, total: &mut ResourceList, pick: fn(&ResourceRequirements) -> &ResourceList) {
        for (name, amount) in self.resources.iter().flat_map(|own| pick(own)) {
            if matches!(&**name, "cpu" | "memory") || name.starts_with("hugepages-") {
                total.insert(name.clone(), *amount);
            }
        }
    }
    /// The containers taken together: the larger of what the app containers with all sidecars
    /// need, and what any init container needs with the sidecars started before it.
    pub(crate) fn of_containers(&self, pick: fn(&ResourceRequirements) -> &ResourceList) -> ResourceList {
        let mut total = ResourceList::new();
        for container in self.containers.iter() {
            add(&mut total, pick(&container.resources));
        }
        let (mut sidecars, mut peak) = (ResourceList::new(), ResourceList::new());
        for container in self.init_containers.iter() {
            let mut now = sidecars.clone();
            add(&mut now, pick(&container.resources));
            if container.is_sidecar() {
                add(&mut total, pick(&container.resources));
                sidecars = now.clone();
            }
            raise(&mut peak, &now);
        }
        raise(&mut total, &peak);
        total
    }
}

fn add(into: &mut ResourceList, list: &ResourceList) {
    for (name, amount) in list {
        let sum = into.entry(name.clone()).or_default();
        *sum = sum.plus(*amount);
    }
}

fn raise(into: &mut ResourceList, list: &ResourceList) {
    for (name, amount) in list {
        let high = into.entry(name.clone()).or_default();
        if *amount > *high {
            *high = *amount;
        }
    }
}

impl Pod {
    /// Gives the pod and its containers, by name, the resources that another version of it has.
    pub fn take_resources(&mut self, from: &Pod) {
        for (into, from) in [
            (&mut self.spec.containers, &from.spec.containers),
            (&mut self.spec.init_containers, &from.spec.init_containers),
        ] {
            for container in Arc::make_mut(into) {
                if let Some(other) = from.iter().find(|other| other.name == container.name) {
                    container.resources.clone_from(&other.resources);
                }
            }
        }
        self.spec.resources.clone_from(&from.spec.resources);
    }
    /// Whether the pod and its containers, one by one, have the resources of another version of it.
    pub fn has_resources_of(&self, other: &Pod) -> bool {
        let same = |own: &[Container], theirs: &[Container]| {
            own.iter()
                .map(|one| &one.resources)
                .eq(theirs.iter().map(|one| &one.resources))
        };
        same(&self.spec.containers, &other.spec.containers)
            && same(&self.spec.init_containers, &other.spec.init_containers)
            && self.spec.resources == other.spec.resources
    }
}
