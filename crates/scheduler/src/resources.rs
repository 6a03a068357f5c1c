//! Amounts, and what a pod asks for (SCH-050 to SCH-052, SCH-056).

use podscope_api::{Container, ContainerStatus, Pod, Quantity, ResourceList, Str, is_of_pods};

use crate::symbols::{Symbol, Symbols};

/// Requests a container without its own is given for scoring (SCH-056), milli.
pub(crate) const DEFAULT_MILLI_CPU: i64 = 100;
/// Requests a container without its own is given for scoring (SCH-056), bytes.
pub(crate) const DEFAULT_MEMORY: i64 = 200 * 1024 * 1024;

/// The part of a resource that is used, at most 1.
#[inline(always)]
pub(crate) fn fraction(amount: i64, allocatable: i64) -> f64 {
    let fraction = amount as f64 / allocatable as f64;
    if fraction > 1.0 { 1.0 } else { fraction }
}

/// 100 less the standard deviation of two fractions: how evenly two resources are used (SCH-107).
#[inline(always)]
pub(crate) fn evenness_of_two(a: f64, b: f64) -> i64 {
    ((1.0 - ((a - b) / 2.0).abs()) * 100.0) as i64
}

/// Amounts of the resources the scheduler knows: milli cpu, bytes, whole scalars.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Thousandths of a cpu.
    pub cpu: i64,
    /// Bytes.
    pub memory: i64,
    /// Bytes.
    pub ephemeral: i64,
    /// Huge pages, attachable volumes and extended resources. Invariant: sorted by symbol.
    pub scalars: Vec<(Symbol, i64)>,
}

impl Resources {
    /// Adds `other` `sign` times (1 or -1).
    pub fn add(&mut self, other: &Resources, sign: i64) {
        // Absurd amounts wrap, as Go's integers do.
        let into = |sum: &mut i64, amount: i64| *sum = sum.wrapping_add(amount.wrapping_mul(sign));
        into(&mut self.cpu, other.cpu);
        into(&mut self.memory, other.memory);
        into(&mut self.ephemeral, other.ephemeral);
        for (name, amount) in &other.scalars {
            match self.scalars.binary_search_by_key(name, |(name, _)| *name) {
                Ok(index) => into(&mut self.scalars[index].1, *amount),
                Err(index) => self.scalars.insert(index, (*name, amount.wrapping_mul(sign))),
            }
        }
    }

    /// A scalar's amount, if it is listed.
    pub fn scalar(&self, name: Symbol) -> Option<i64> {
        self.scalars
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, amount)| *amount)
    }

    /// From a resource list; `pods` and unknown unprefixed names are left out (SCH-051).
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

/// Whether the scheduler counts a resource of that name as a scalar (SCH-051).
pub(crate) fn is_scalar(name: &str) -> bool {
    is_extended(name)
        || name.starts_with("hugepages-")
        || name.contains("kubernetes.io/")
        || name.starts_with("attachable-volumes-")
}

/// Whether the name is that of an extended resource.
pub(crate) fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

/// Exact amounts by name, while a pod's total is being made.
#[derive(Debug, Clone, Default)]
struct Amounts {
    cpu: Option<Quantity>,
    memory: Option<Quantity>,
    other: Vec<(Str, Quantity)>,
}

impl Amounts {
    fn slot(&mut self, name: &Str) -> &mut Option<Quantity> {
        // `other` holds only present values; callers of `slot` use cpu and memory here.
        if &**name == "cpu" {
            &mut self.cpu
        } else {
            &mut self.memory
        }
    }

    fn merge(&mut self, name: &Str, quantity: Quantity, join: impl Fn(Quantity, Quantity) -> Quantity) {
        if matches!(&**name, "cpu" | "memory") {
            let slot = self.slot(name);
            *slot = Some(slot.map_or(quantity, |have| join(have, quantity)));
        } else {
            match self.other.iter_mut().find(|(known, _)| known == name) {
                Some((_, have)) => *have = join(*have, quantity),
                None => self.other.push((name.clone(), quantity)),
            }
        }
    }

    fn merge_all(&mut self, from: &Amounts, join: impl Fn(Quantity, Quantity) -> Quantity + Copy) {
        let into = |slot: &mut Option<Quantity>, from: Option<Quantity>| {
            if let Some(quantity) = from {
                *slot = Some(slot.map_or(quantity, |have| join(have, quantity)));
            }
        };
        into(&mut self.cpu, from.cpu);
        into(&mut self.memory, from.memory);
        for (name, quantity) in &from.other {
            self.merge(name, *quantity, join);
        }
    }

    fn add(&mut self, from: &Amounts) {
        self.merge_all(from, Quantity::plus);
    }

    fn max(&mut self, from: &Amounts) {
        self.merge_all(from, std::cmp::max);
    }

    fn max_list(&mut self, list: &ResourceList) {
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
struct Options {
    /// Use `status.resources` of running containers, and of the pod as a whole (SCH-052).
    status: bool,
    /// Let pod-level requests replace the containers' (SCH-050).
    pod_level: bool,
    default_cpu: bool,
    default_memory: bool,
}

fn status_of<'a>(statuses: &'a [ContainerStatus], container: &Container) -> Option<&'a ContainerStatus> {
    statuses.iter().find(|status| status.name == container.name)
}

fn container_requests(pod: &Pod, container: &Container, statuses: &[ContainerStatus], options: Options) -> Amounts {
    let mut amounts = Amounts::default();
    let reported = if options.status {
        status_of(statuses, container).and_then(|status| status.resources.as_ref().map(|resources| (status, resources)))
    } else {
        None
    };
    match reported {
        Some((status, resources)) => {
            if !pod.is_resize_infeasible() {
                amounts.max_list(&container.resources.requests);
            }
            amounts.max_list(&resources.requests);
            amounts.max_list(&status.allocated_resources);
        }
        None => amounts.max_list(&container.resources.requests),
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
        .is_some_and(|resources| resources.requests.keys().any(|name| is_of_pods(name)))
}

fn total(pod: &Pod, options: Options) -> Amounts {
    let spec = &pod.spec;
    let mut app = Amounts::default();
    for container in spec.containers.iter() {
        app.add(&container_requests(
            pod,
            container,
            &pod.status.container_statuses,
            options,
        ));
    }
    if !spec.init_containers.is_empty() {
        let mut side = Amounts::default();
        let mut most = Amounts::default();
        for container in spec.init_containers.iter() {
            let sidecar = container.is_sidecar();
            let own_options = Options {
                status: options.status && sidecar,
                ..options
            };
            let own = container_requests(pod, container, &pod.status.init_container_statuses, own_options);
            if sidecar {
                app.add(&own);
                side.add(&own);
                most.max(&side);
            } else {
                let mut candidate = own;
                candidate.add(&side);
                most.max(&candidate);
            }
        }
        app.max(&most);
    }
    if options.pod_level && options.status {
        for (name, quantity) in pod.own_requests_in_use().iter().flatten() {
            app.set(name, *quantity);
        }
    } else if options.pod_level
        && let Some(resources) = &spec.resources
    {
        for (name, quantity) in &resources.requests {
            if is_of_pods(name) {
                app.set(name, *quantity);
            }
        }
    }
    for (name, quantity) in &spec.overhead {
        app.merge(name, *quantity, Quantity::plus);
    }
    app
}

/// What a pod asks for, in the three readings the plugins use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PodRequests {
    /// The real request; pod-level requests win (Filter, BalancedAllocation, node usage).
    pub requests: Resources,
    /// With the 100m and 200MiB defaults (node usage for scoring, SCH-056).
    pub nonzero_cpu: i64,
    /// With the defaults; bytes.
    pub nonzero_memory: i64,
    /// With the defaults and *without* pod-level requests (the incoming pod in Fit's score, SCH-057).
    pub scoring: Resources,
}

impl PodRequests {
    /// Reads a pod; `placed` pods count their containers' reported resources too (SCH-052).
    pub fn of(symbols: &mut Symbols, pod: &Pod, placed: bool) -> Self {
        let base = Options {
            status: placed,
            pod_level: true,
            ..Options::default()
        };
        let amounts = total(pod, base);
        let pod_level = has_pod_level_requests(pod);
        let defaulted = Options {
            default_cpu: !pod_level || amounts.cpu.is_none(),
            default_memory: !pod_level || amounts.memory.is_none(),
            ..base
        };
        // A pod whose one container names both resources has nothing to default: the common case.
        let plain = !pod_level
            && pod.spec.init_containers.is_empty()
            && pod.spec.containers.iter().all(|container| {
                container.resources.requests.contains_key("cpu") && container.resources.requests.contains_key("memory")
            });
        let nonzero = if plain { amounts.clone() } else { total(pod, defaulted) };
        let scoring = if plain {
            amounts.clone()
        } else {
            total(
                pod,
                Options {
                    status: placed,
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
