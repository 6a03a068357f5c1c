//! What a whole pod asks for and may use: its containers, sidecars and init
//! containers taken together (SCH-050).

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Container, ContainerStatus, Pod, PodSpec, ResourceList, ResourceRequirements};

/// Requests or limits of a container, or of a pod as a whole.
type Pick = fn(&ResourceRequirements) -> &ResourceList;

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
        self.add_overhead_to_limited(&mut total);
        total
    }

    fn replace_by_own(&self, total: &mut ResourceList, pick: Pick) {
        for (name, amount) in self.resources.iter().flat_map(|own| pick(own)) {
            if is_of_pods(name) {
                total.insert(name.clone(), *amount);
            }
        }
    }

    fn has_own_resources(&self) -> bool {
        let mut own = self
            .resources
            .iter()
            .flat_map(|own| own.requests.keys().chain(own.limits.keys()));
        own.any(|name| is_of_pods(name))
    }

    fn add_overhead_to_limited(&self, total: &mut ResourceList) {
        for (name, amount) in &self.overhead {
            if let Some(sum) = total.get_mut(name).filter(|sum| !sum.is_zero()) {
                *sum = sum.plus(*amount);
            }
        }
    }

    /// The containers taken together: the larger of what the app containers with all sidecars
    /// need, and what any init container needs with the sidecars started before it.
    pub(crate) fn of_containers(&self, pick: Pick) -> ResourceList {
        self.of_containers_by(|container| Cow::Borrowed(pick(&container.resources)))
    }

    fn of_containers_by<'a>(&'a self, of: impl Fn(&'a Container) -> Cow<'a, ResourceList>) -> ResourceList {
        let mut total = ResourceList::new();
        for container in self.containers.iter() {
            add(&mut total, &of(container));
        }
        let (mut sidecars, mut peak) = (ResourceList::new(), ResourceList::new());
        for container in self.init_containers.iter() {
            let own = of(container);
            let mut now = sidecars.clone();
            add(&mut now, &own);
            if container.is_sidecar() {
                add(&mut total, &own);
                sidecars = now.clone();
            }
            raise(&mut peak, &now);
        }
        raise(&mut total, &peak);
        total
    }
}

/// Whether that resource can be given to a pod as a whole.
pub fn is_of_pods(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
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
    /// Whether a resize of the pod can never be granted: what it asks for does not count then (LC-223).
    pub fn is_resize_infeasible(&self) -> bool {
        self.condition("PodResizePending")
            .is_some_and(|condition| &*condition.reason == "Infeasible")
    }

    /// Requests as they count on the pod's node while a resize is under way: for each container, and for the pod as a
    /// whole, the larger of what is asked for, granted and in force (SCH-052, KC-075).
    pub fn requests_in_use(&self) -> ResourceList {
        let granted = |status: &ContainerStatus| status.allocated_resources.clone();
        let mut total = self.containers_in_use(|resources| &resources.requests, granted);
        if let Some(own) = self.own_requests_in_use() {
            total.extend(own);
        }
        add(&mut total, &self.spec.overhead);
        total
    }

    /// Limits as [`Pod::requests_in_use`].
    pub fn limits_in_use(&self) -> ResourceList {
        let mut total = self.containers_in_use(|resources| &resources.limits, |_| ResourceList::new());
        if self.spec.has_own_resources() {
            total.extend(self.own_in_use(|resources| &resources.limits, &ResourceList::new()));
        }
        self.spec.add_overhead_to_limited(&mut total);
        total
    }

    /// What of it the pod as a whole has: requests that replace those of its containers. `None` if it asks for none.
    ///
    /// The amounts of the status have the pod's overhead in them, and it is added once more: so it is upstream, too.
    pub fn own_requests_in_use(&self) -> Option<ResourceList> {
        let own = self.spec.resources.as_ref()?;
        let asks = own.requests.keys().any(|name| is_of_pods(name));
        asks.then(|| self.own_in_use(|resources| &resources.requests, &self.status.allocated_resources))
    }

    fn own_in_use(&self, pick: Pick, granted: &ResourceList) -> ResourceList {
        let asked = self.spec.resources.as_ref().map(|own| pick(own));
        let mut own = ResourceList::new();
        match &self.status.resources {
            None => raise(&mut own, asked.unwrap_or(&ResourceList::new())),
            Some(in_force) => {
                if let Some(asked) = asked.filter(|_| !self.is_resize_infeasible()) {
                    raise(&mut own, asked);
                }
                raise(&mut own, pick(in_force));
                raise(&mut own, granted);
            }
        }
        own.retain(|name, _| is_of_pods(name));
        own
    }

    /// App containers and sidecars with what their statuses say; other init containers as the spec has them.
    fn containers_in_use(&self, pick: Pick, granted: fn(&ContainerStatus) -> ResourceList) -> ResourceList {
        let is_infeasible = self.is_resize_infeasible();
        let is_app = |container: &Container| self.spec.containers.iter().any(|app| app.name == container.name);
        self.spec.of_containers_by(|container| {
            let statuses = match is_app(container) {
                true => &self.status.container_statuses[..],
                false if container.is_sidecar() => &self.status.init_container_statuses[..],
                false => &[],
            };
            let status = statuses.iter().find(|status| status.name == container.name);
            let Some((status, in_force)) = status.and_then(|status| Some((status, status.resources.as_ref()?))) else {
                return Cow::Borrowed(pick(&container.resources));
            };
            let mut list = granted(status);
            raise(&mut list, pick(in_force));
            if !is_infeasible {
                raise(&mut list, pick(&container.resources));
            }
            Cow::Owned(list)
        })
    }

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
