//! Resource requests and limits of a whole pod, computed from its containers, sidecars and init containers (SCH-050).

use std::borrow::Cow;
use std::sync::Arc;

use crate::well_known::condition;
use crate::{Container, ContainerStatus, Pod, PodSpec, ResourceList, ResourceRequirements};

/// Selects the requests or the limits of a container or pod.
type SelectResourceList = fn(&ResourceRequirements) -> &ResourceList;

impl PodSpec {
    /// Returns the requests of the whole pod: the sum of app containers and sidecars, or the peak during initialization
    /// if that is larger. Pod-level requests of cpu, memory and huge pages replace the sum. Overhead is added.
    pub fn total_requests(&self) -> ResourceList {
        let mut total = self.sum_containers(|resources| &resources.requests);
        self.replace_with_pod_level_resources(&mut total, |resources| &resources.requests);
        add_amounts(&mut total, &self.overhead);
        total
    }

    /// Returns the limits of the whole pod, computed like [`PodSpec::total_requests`]. Overhead is added only to
    /// resources with a limit.
    pub fn total_limits(&self) -> ResourceList {
        let mut total = self.sum_containers(|resources| &resources.limits);
        self.replace_with_pod_level_resources(&mut total, |resources| &resources.limits);
        self.add_overhead_to_limited_resources(&mut total);
        total
    }

    fn replace_with_pod_level_resources(&self, total: &mut ResourceList, select: SelectResourceList) {
        for (name, amount) in self.resources.iter().flat_map(|own| select(own)) {
            if is_pod_level_resource(name) {
                total.insert(name.clone(), *amount);
            }
        }
    }

    fn has_pod_level_resources(&self) -> bool {
        let mut own = self
            .resources
            .iter()
            .flat_map(|own| own.requests.keys().chain(own.limits.keys()));
        own.any(|name| is_pod_level_resource(name))
    }

    fn add_overhead_to_limited_resources(&self, total: &mut ResourceList) {
        for (name, amount) in &self.overhead {
            if let Some(sum) = total.get_mut(name).filter(|sum| !sum.is_zero()) {
                *sum = sum.plus(*amount);
            }
        }
    }

    /// Returns the larger of two amounts, for each resource: the sum of app containers and sidecars, and the peak of
    /// any init container with the sidecars started before it.
    pub(crate) fn sum_containers(&self, select: SelectResourceList) -> ResourceList {
        self.sum_containers_by(|container| Cow::Borrowed(select(&container.resources)))
    }

    fn sum_containers_by<'a>(&'a self, list_of: impl Fn(&'a Container) -> Cow<'a, ResourceList>) -> ResourceList {
        let mut total = ResourceList::new();
        for container in self.containers.iter() {
            add_amounts(&mut total, &list_of(container));
        }
        let (mut sidecars, mut peak) = (ResourceList::new(), ResourceList::new());
        for container in self.init_containers.iter() {
            let own = list_of(container);
            let mut now = sidecars.clone();
            add_amounts(&mut now, &own);
            if container.is_sidecar() {
                add_amounts(&mut total, &own);
                sidecars = now.clone();
            }
            raise_amounts_to_max(&mut peak, &now);
        }
        raise_amounts_to_max(&mut total, &peak);
        total
    }
}

/// Returns whether a pod can request this resource at pod level: cpu, memory or huge pages.
pub fn is_pod_level_resource(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
}

fn add_amounts(into: &mut ResourceList, list: &ResourceList) {
    for (name, amount) in list {
        let sum = into.entry(name.clone()).or_default();
        *sum = sum.plus(*amount);
    }
}

fn raise_amounts_to_max(into: &mut ResourceList, list: &ResourceList) {
    for (name, amount) in list {
        let high = into.entry(name.clone()).or_default();
        if *amount > *high {
            *high = *amount;
        }
    }
}

impl Pod {
    /// Returns whether the kubelet reports the pod's resize as infeasible; the requested resources then do not count
    /// (LC-223).
    pub fn is_resize_infeasible(&self) -> bool {
        self.condition(condition::POD_RESIZE_PENDING)
            .is_some_and(|condition| &*condition.reason == "Infeasible")
    }

    /// Returns the requests as counted on the pod's node, also during a resize: for each container, and at pod level,
    /// the maximum of requested, allocated and applied resources (SCH-052, KC-075).
    pub fn requests_in_use(&self) -> ResourceList {
        let allocated = |status: &ContainerStatus| status.allocated_resources.clone();
        let mut total = self.container_resources_in_use(|resources| &resources.requests, allocated);
        if let Some(own) = self.pod_level_requests_in_use() {
            total.extend(own);
        }
        add_amounts(&mut total, &self.spec.overhead);
        total
    }

    /// Returns the limits as counted on the pod's node, computed like [`Pod::requests_in_use`].
    pub fn limits_in_use(&self) -> ResourceList {
        let mut total = self.container_resources_in_use(|resources| &resources.limits, |_| ResourceList::new());
        if self.spec.has_pod_level_resources() {
            total.extend(self.pod_level_resources_in_use(|resources| &resources.limits, &ResourceList::new()));
        }
        self.spec.add_overhead_to_limited_resources(&mut total);
        total
    }

    /// Returns the pod-level requests as counted on the pod's node, which replace the sum of the containers' requests;
    /// None if the pod has no pod-level requests.
    ///
    /// The amounts in the status already include the pod's overhead; like kube-scheduler, the caller nevertheless adds
    /// the overhead.
    pub fn pod_level_requests_in_use(&self) -> Option<ResourceList> {
        let own = self.spec.resources.as_ref()?;
        let asks = own.requests.keys().any(|name| is_pod_level_resource(name));
        asks.then(|| self.pod_level_resources_in_use(|resources| &resources.requests, &self.status.allocated_resources))
    }

    fn pod_level_resources_in_use(&self, select: SelectResourceList, allocated: &ResourceList) -> ResourceList {
        let requested = self.spec.resources.as_ref().map(|own| select(own));
        let mut own = ResourceList::new();
        match &self.status.resources {
            None => raise_amounts_to_max(&mut own, requested.unwrap_or(&ResourceList::new())),
            Some(applied) => {
                if let Some(requested) = requested.filter(|_| !self.is_resize_infeasible()) {
                    raise_amounts_to_max(&mut own, requested);
                }
                raise_amounts_to_max(&mut own, select(applied));
                raise_amounts_to_max(&mut own, allocated);
            }
        }
        own.retain(|name, _| is_pod_level_resource(name));
        own
    }

    /// Returns the sum of the containers' resources: for app containers and sidecars by their spec and status, for
    /// other init containers by their spec.
    fn container_resources_in_use(
        &self,
        select: SelectResourceList,
        allocated: fn(&ContainerStatus) -> ResourceList,
    ) -> ResourceList {
        let is_infeasible = self.is_resize_infeasible();
        let is_app = |container: &Container| self.spec.containers.iter().any(|app| app.name == container.name);
        self.spec.sum_containers_by(|container| {
            let statuses = match is_app(container) {
                true => &self.status.container_statuses[..],
                false if container.is_sidecar() => &self.status.init_container_statuses[..],
                false => &[],
            };
            let status = statuses.iter().find(|status| status.name == container.name);
            let Some((status, applied)) = status.and_then(|status| Some((status, status.resources.as_ref()?))) else {
                return Cow::Borrowed(select(&container.resources));
            };
            let mut list = allocated(status);
            raise_amounts_to_max(&mut list, select(applied));
            if !is_infeasible {
                raise_amounts_to_max(&mut list, select(&container.resources));
            }
            Cow::Owned(list)
        })
    }

    /// Copies the resources of the pod and of its containers, matched by name, from another version of the pod.
    pub fn copy_resources_from(&mut self, from: &Pod) {
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

    /// Returns whether the pod and each of its containers have the same resources as another version of the pod.
    pub fn has_same_resources_as(&self, other: &Pod) -> bool {
        let same = |own: &[Container], theirs: &[Container]| {
            own.iter()
                .map(|container| &container.resources)
                .eq(theirs.iter().map(|container| &container.resources))
        };
        same(&self.spec.containers, &other.spec.containers)
            && same(&self.spec.init_containers, &other.spec.init_containers)
            && self.spec.resources == other.spec.resources
    }
}
