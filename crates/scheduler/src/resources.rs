//! Resource amounts, and the computation of a pod's requests (SCH-050 to SCH-052, SCH-056).

use podscope_api::{Container, ContainerStatus, Pod, Quantity, ResourceList, Str, is_pod_level_resource};

use crate::symbols::{Symbol, Symbols};

/// Default cpu request, used in scores, of a container without a request, in millicores (SCH-056).
pub(crate) const DEFAULT_MILLI_CPU: i64 = 100;
/// Default memory request, used in scores, of a container without a request, in bytes (SCH-056).
pub(crate) const DEFAULT_MEMORY: i64 = 200 * 1024 * 1024;

/// Returns the used fraction of a resource, at most 1.
#[inline(always)]
pub(crate) fn fraction(amount: i64, allocatable: i64) -> f64 {
    let fraction = amount as f64 / allocatable as f64;
    if fraction > 1.0 { 1.0 } else { fraction }
}

/// Returns the balance of two resource fractions: `(1 - standard deviation) * 100` (SCH-107).
#[inline(always)]
pub(crate) fn evenness_of_two(a: f64, b: f64) -> i64 {
    ((1.0 - ((a - b) / 2.0).abs()) * 100.0) as i64
}

/// Amounts of the resources that the scheduler tracks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Cpu in millicores.
    pub cpu: i64,
    /// Memory in bytes.
    pub memory: i64,
    /// Ephemeral storage in bytes.
    pub ephemeral: i64,
    /// Other resources: huge pages, attachable volumes and extended resources. Invariant: sorted by symbol.
    pub scalars: Vec<(Symbol, i64)>,
}

impl Resources {
    /// Adds `other` (`sign` 1), or subtracts it (`sign` -1).
    pub fn add(&mut self, other: &Resources, sign: i64) {
        // As in Go, sums wrap on overflow.
        let add_to = |sum: &mut i64, amount: i64| *sum = sum.wrapping_add(amount.wrapping_mul(sign));
        add_to(&mut self.cpu, other.cpu);
        add_to(&mut self.memory, other.memory);
        add_to(&mut self.ephemeral, other.ephemeral);
        for (name, amount) in &other.scalars {
            match self.scalars.binary_search_by_key(name, |(name, _)| *name) {
                Ok(index) => add_to(&mut self.scalars[index].1, *amount),
                Err(index) => self.scalars.insert(index, (*name, amount.wrapping_mul(sign))),
            }
        }
        debug_assert!(
            self.scalars.is_sorted_by_key(|(name, _)| *name),
            "scalars are found by binary search"
        );
    }

    /// Returns the amount of a scalar resource, if it is listed.
    pub fn scalar(&self, name: Symbol) -> Option<i64> {
        self.scalars
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, amount)| *amount)
    }

    /// Converts a resource list. Omits `pods` and unknown names without a prefix (SCH-051).
    pub fn from_list(symbols: &mut Symbols, list: &ResourceList) -> Self {
        let mut resources = Self::default();
        for (name, quantity) in list {
            resources.set(symbols, name, *quantity);
        }
        resources.scalars.sort_unstable();
        resources
    }

    fn set(&mut self, symbols: &mut Symbols, name: &str, quantity: Quantity) {
        match name {
            "cpu" => self.cpu = quantity.milli_value(),
            "memory" => self.memory = quantity.value(),
            "ephemeral-storage" => self.ephemeral = quantity.value(),
            _ if is_scalar(name) => self.scalars.push((symbols.intern(name), quantity.value())),
            _ => {}
        }
    }
}

/// Returns whether the scheduler tracks the resource as a scalar (SCH-051).
pub(crate) fn is_scalar(name: &str) -> bool {
    is_extended(name)
        || name.starts_with("hugepages-")
        || name.contains("kubernetes.io/")
        || name.starts_with("attachable-volumes-")
}

/// Returns whether this is the name of an extended resource.
pub(crate) fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

/// Exact amounts by resource name, used to compute a pod's total.
#[derive(Debug, Clone, Default)]
struct ResourceAmounts {
    cpu: Option<Quantity>,
    memory: Option<Quantity>,
    other: Vec<(Str, Quantity)>,
}

impl ResourceAmounts {
    fn cpu_or_memory(&mut self, name: &Str) -> &mut Option<Quantity> {
        // The name is always cpu or memory here.
        if &**name == "cpu" {
            &mut self.cpu
        } else {
            &mut self.memory
        }
    }

    fn merge(&mut self, name: &Str, quantity: Quantity, combine: impl Fn(Quantity, Quantity) -> Quantity) {
        if matches!(&**name, "cpu" | "memory") {
            let cpu_or_memory = self.cpu_or_memory(name);
            *cpu_or_memory = Some(cpu_or_memory.map_or(quantity, |current| combine(current, quantity)));
        } else {
            match self.other.iter_mut().find(|(known, _)| known == name) {
                Some((_, current)) => *current = combine(*current, quantity),
                None => self.other.push((name.clone(), quantity)),
            }
        }
    }

    fn merge_all(&mut self, from: &ResourceAmounts, combine: impl Fn(Quantity, Quantity) -> Quantity + Copy) {
        let into = |cpu_or_memory: &mut Option<Quantity>, from: Option<Quantity>| {
            if let Some(quantity) = from {
                *cpu_or_memory = Some(cpu_or_memory.map_or(quantity, |current| combine(current, quantity)));
            }
        };
        into(&mut self.cpu, from.cpu);
        into(&mut self.memory, from.memory);
        for (name, quantity) in &from.other {
            self.merge(name, *quantity, combine);
        }
    }

    fn add(&mut self, from: &ResourceAmounts) {
        self.merge_all(from, Quantity::plus);
    }

    fn max(&mut self, from: &ResourceAmounts) {
        self.merge_all(from, std::cmp::max);
    }

    fn raise_to_at_least(&mut self, list: &ResourceList) {
        for (name, quantity) in list {
            self.merge(name, *quantity, std::cmp::max);
        }
    }

    fn set(&mut self, name: &Str, quantity: Quantity) {
        self.merge(name, quantity, |_, new| new);
    }

    fn into_resources(self, symbols: &mut Symbols) -> Resources {
        let mut resources = Resources {
            cpu: self.cpu.map_or(0, |quantity| quantity.milli_value()),
            memory: self.memory.map_or(0, |quantity| quantity.value()),
            ..Resources::default()
        };
        for (name, quantity) in &self.other {
            resources.set(symbols, name, *quantity);
        }
        resources.scalars.sort_unstable();
        resources
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct PodResourcesOptions {
    /// Whether to include `status.resources` of running containers, and of the pod as a whole (SCH-052).
    include_status: bool,
    /// Whether pod-level requests replace the sum of the containers' requests (SCH-050).
    pod_level: bool,
    default_cpu: bool,
    default_memory: bool,
}

fn status_of<'a>(statuses: &'a [ContainerStatus], container: &Container) -> Option<&'a ContainerStatus> {
    statuses.iter().find(|status| status.name == container.name)
}

fn container_requests(
    pod: &Pod,
    container: &Container,
    statuses: &[ContainerStatus],
    options: PodResourcesOptions,
) -> ResourceAmounts {
    let mut amounts = ResourceAmounts::default();
    let reported = if options.include_status {
        status_of(statuses, container).and_then(|status| status.resources.as_ref().map(|resources| (status, resources)))
    } else {
        None
    };
    match reported {
        Some((status, resources)) => {
            if !pod.is_resize_infeasible() {
                amounts.raise_to_at_least(&container.resources.requests);
            }
            amounts.raise_to_at_least(&resources.requests);
            amounts.raise_to_at_least(&status.allocated_resources);
        }
        None => amounts.raise_to_at_least(&container.resources.requests),
    }
    if options.default_cpu && amounts.cpu.is_none() {
        amounts.cpu = Some(Quantity::from_milli(DEFAULT_MILLI_CPU));
    }
    if options.default_memory && amounts.memory.is_none() {
        amounts.memory = Some(Quantity::from_units(DEFAULT_MEMORY));
    }
    amounts
}

fn has_pod_level_requests(pod: &Pod) -> bool {
    pod.spec
        .resources
        .as_ref()
        .is_some_and(|resources| resources.requests.keys().any(|name| is_pod_level_resource(name)))
}

fn total_requests(pod: &Pod, options: PodResourcesOptions) -> ResourceAmounts {
    let spec = &pod.spec;
    let mut app = ResourceAmounts::default();
    for container in spec.containers.iter() {
        app.add(&container_requests(
            pod,
            container,
            &pod.status.container_statuses,
            options,
        ));
    }
    if !spec.init_containers.is_empty() {
        let mut sidecars = ResourceAmounts::default();
        let mut init_peak = ResourceAmounts::default();
        for container in spec.init_containers.iter() {
            let sidecar = container.is_sidecar();
            let own_options = PodResourcesOptions {
                include_status: options.include_status && sidecar,
                ..options
            };
            let own = container_requests(pod, container, &pod.status.init_container_statuses, own_options);
            if sidecar {
                app.add(&own);
                sidecars.add(&own);
                init_peak.max(&sidecars);
            } else {
                let mut candidate = own;
                candidate.add(&sidecars);
                init_peak.max(&candidate);
            }
        }
        app.max(&init_peak);
    }
    if options.pod_level && options.include_status {
        for (name, quantity) in pod.pod_level_requests_in_use().iter().flatten() {
            app.set(name, *quantity);
        }
    } else if options.pod_level
        && let Some(resources) = &spec.resources
    {
        for (name, quantity) in &resources.requests {
            if is_pod_level_resource(name) {
                app.set(name, *quantity);
            }
        }
    }
    for (name, quantity) in &spec.overhead {
        app.merge(name, *quantity, Quantity::plus);
    }
    app
}

/// A pod's requests, in the variants that plugins use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PodRequests {
    /// The pod's requests, where pod-level requests take precedence. Used by Filter, BalancedAllocation and the sums of
    /// nodes.
    pub requests: Resources,
    /// Cpu request in millicores, with the default of 100m for containers without a request. Used in the sums of nodes
    /// for scoring (SCH-056).
    pub nonzero_cpu: i64,
    /// Memory request in bytes, with the default of 200MiB for containers without a request.
    pub nonzero_memory: i64,
    /// The requests with the defaults and *without* pod-level requests. Used for the incoming pod in the score of
    /// NodeResourcesFit (SCH-057).
    pub scoring: Resources,
}

impl PodRequests {
    /// Computes a pod's requests. If the pod is `placed`, they include the resources reported for its containers
    /// (SCH-052).
    pub fn of(symbols: &mut Symbols, pod: &Pod, placed: bool) -> Self {
        let base = PodResourcesOptions {
            include_status: placed,
            pod_level: true,
            ..PodResourcesOptions::default()
        };
        let amounts = total_requests(pod, base);
        let pod_level = has_pod_level_requests(pod);
        let defaulted = PodResourcesOptions {
            default_cpu: !pod_level || amounts.cpu.is_none(),
            default_memory: !pod_level || amounts.memory.is_none(),
            ..base
        };
        // Fast path: no default applies if all containers request both resources.
        let needs_no_defaults = !pod_level
            && pod.spec.init_containers.is_empty()
            && pod.spec.containers.iter().all(|container| {
                container.resources.requests.contains_key("cpu") && container.resources.requests.contains_key("memory")
            });
        let nonzero = if needs_no_defaults {
            amounts.clone()
        } else {
            total_requests(pod, defaulted)
        };
        let scoring = if needs_no_defaults {
            amounts.clone()
        } else {
            total_requests(
                pod,
                PodResourcesOptions {
                    include_status: placed,
                    pod_level: false,
                    default_cpu: true,
                    default_memory: true,
                },
            )
        };
        Self {
            nonzero_cpu: nonzero.cpu.map_or(0, |quantity| quantity.milli_value()),
            nonzero_memory: nonzero.memory.map_or(0, |quantity| quantity.value()),
            requests: amounts.into_resources(symbols),
            scoring: scoring.into_resources(symbols),
        }
    }
}
