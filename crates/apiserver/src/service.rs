//! Addresses and ports of Services: their allocation, what an update keeps, and what a change of the type removes.

use podscope_api::{AllocationError, Kind, Service, ServiceSpec, Str, ordered};

use podscope_sim::ApiError;

use super::ApiServer;

impl ApiServer {
    /// Returns the node ports that no Service uses, lowest first. Deviation: the real server picks random ones.
    fn free_node_ports(&self, service: &ServiceSpec) -> impl Iterator<Item = i32> + use<> {
        let mut taken: ordered::Set<i32> = service.ports.iter().filter_map(|port| port.node_port).collect();
        for service in self.objects().list::<Service>() {
            taken.extend(service.spec.ports.iter().filter_map(|port| port.node_port));
            taken.extend(service.spec.health_check_node_port);
        }
        (30_000..32_768).filter(move |port| !taken.contains(port))
    }

    /// Returns the next cluster IP that no Service uses.
    fn free_cluster_ip(&mut self) -> Str {
        loop {
            self.next_cluster_ip += 1;
            let number = self.next_cluster_ip + 9;
            let address: Str = format!("10.96.{}.{}", (number >> 8) & 255, number & 255).into();
            let mut services = self.objects().list::<Service>();
            if services.all(|other| other.spec.cluster_ip != address) {
                return address;
            }
        }
    }

    /// Refuses a Service that requests unavailable addresses or ports. `old` is the Service that an update replaces.
    pub(super) fn check_requested_addresses(&self, service: &Service, old: Option<&Service>) -> Result<(), ApiError> {
        let name = &service.metadata.name;
        let replaced = old.map(|old| old.metadata.key());
        let services = self.objects().list::<Service>().map(|other| &**other);
        let others: Vec<&Service> = services
            .filter(|other| replaced.as_ref() != Some(&other.metadata.key()))
            .collect();
        podscope_api::check_service_allocation(service, old, others.iter().copied()).map_err(|why| match why {
            AllocationError::Invalid(problems) => ApiError::invalid(Kind::Service, name, problems),
            AllocationError::Internal(why) => ApiError::internal(format!("Internal error occurred: {why}")),
            AllocationError::WithoutReason(why) => ApiError::without_reason(why),
        })
    }

    /// Allocates the addresses and ports that the type of the Service needs and that it does not have yet.
    pub(super) fn allocate_addresses_and_ports(&mut self, service: &mut Service, is_new: bool) {
        let mut ports = self.free_node_ports(&service.spec);
        allocate_node_ports(&mut service.spec, is_new, &mut ports);
        let is_external = &*service.spec.kind == "ExternalName";
        // The cluster has no IPv6 addresses, so none is allocated; validation refuses a Service that requests one.
        let wants_ipv6 = service
            .spec
            .ip_families
            .first()
            .is_some_and(|family| &**family == "IPv6");
        if service.spec.cluster_ip.is_empty() && !is_external && !wants_ipv6 {
            service.spec.cluster_ip = self.free_cluster_ip();
        }
        if !is_external {
            // Services are single-stack, because the cluster has one IP family.
            let spec = &mut service.spec;
            // A headless Service without a selector has manually created endpoints, which may be IPv4 or IPv6.
            let has_manual_endpoints = &*spec.cluster_ip == "None" && spec.selector.is_none();
            if spec.ip_family_policy.is_empty() {
                let policy = if has_manual_endpoints {
                    "RequireDualStack"
                } else {
                    "SingleStack"
                };
                spec.ip_family_policy = policy.into();
            }
            if spec.ip_families.is_empty() {
                spec.ip_families = vec!["IPv4".into()];
                if has_manual_endpoints {
                    spec.ip_families.push("IPv6".into());
                }
            }
        }
        set_cluster_ips(&mut service.spec);
    }
}

/// Sets `clusterIPs` to `clusterIP` if it is empty.
pub(super) fn set_cluster_ips(spec: &mut ServiceSpec) {
    if spec.cluster_ips.is_empty() && !spec.cluster_ip.is_empty() {
        spec.cluster_ips = vec![spec.cluster_ip.clone()];
    }
}

fn needs_node_ports(spec: &ServiceSpec) -> bool {
    matches!(&*spec.kind, "NodePort" | "LoadBalancer")
}

fn needs_health_check_port(spec: &ServiceSpec) -> bool {
    &*spec.kind == "LoadBalancer" && &*spec.external_traffic_policy == "Local"
}

/// Prepares an update before validation: omitted addresses and ports are kept, and fields that only the old type has
/// are cleared unless the update changes them.
pub(super) fn keep_omitted_fields(old: &ServiceSpec, new: &mut ServiceSpec) {
    let is_external = |spec: &ServiceSpec| &*spec.kind == "ExternalName";
    // An update that changes only `clusterIP` also changes `clusterIPs`.
    if new.cluster_ip != old.cluster_ip && new.cluster_ips == old.cluster_ips {
        match new.cluster_ip.is_empty() {
            true => new.cluster_ips.clear(),
            false => new.cluster_ips = vec![new.cluster_ip.clone()],
        }
    }
    if !is_external(old) && !is_external(new) {
        if new.cluster_ip.is_empty() {
            new.cluster_ip = old.cluster_ip.clone();
        }
        if new.cluster_ips.is_empty() && new.cluster_ip == old.cluster_ip {
            new.cluster_ips.clone_from(&old.cluster_ips);
        }
    }
    if needs_node_ports(old) && needs_node_ports(new) {
        for port in new.ports.iter_mut().filter(|port| port.node_port.unwrap_or(0) == 0) {
            let same = |one: &&podscope_api::ServicePort| one.port == port.port && one.protocol == port.protocol;
            port.node_port = old.ports.iter().find(same).and_then(|one| one.node_port);
        }
    }
    if needs_health_check_port(old) && needs_health_check_port(new) && new.health_check_node_port.unwrap_or(0) == 0 {
        new.health_check_node_port = old.health_check_node_port;
    }
    if !is_external(old) && is_external(new) && new.cluster_ip == old.cluster_ip {
        new.cluster_ip = "".into();
        new.cluster_ips.clear();
    }
    if !is_external(old) && is_external(new) {
        new.ip_families.retain(|family| !old.ip_families.contains(family));
        if new.ip_family_policy == old.ip_family_policy {
            new.ip_family_policy = "".into();
        }
    }
    let had = |number: i32| old.ports.iter().any(|port| port.node_port == Some(number));
    if needs_node_ports(old)
        && !needs_node_ports(new)
        && (new.ports.iter()).all(|port| port.node_port.is_none_or(|number| number == 0 || had(number)))
    {
        new.ports.iter_mut().for_each(|port| port.node_port = None);
    }
    if needs_node_ports(old)
        && !needs_node_ports(new)
        && new.external_ips.is_empty()
        && new.external_traffic_policy == old.external_traffic_policy
    {
        new.external_traffic_policy = "".into();
    }
    if needs_health_check_port(old)
        && !needs_health_check_port(new)
        && new.health_check_node_port == old.health_check_node_port
    {
        new.health_check_node_port = None;
    }
    let is_balanced = |spec: &ServiceSpec| &*spec.kind == "LoadBalancer";
    if is_balanced(old) && !is_balanced(new) {
        if new.allocate_load_balancer_node_ports == old.allocate_load_balancer_node_ports {
            new.allocate_load_balancer_node_ports = None;
        }
        if new.load_balancer_class == old.load_balancer_class {
            new.load_balancer_class = None;
        }
    }
}

/// Allocates the node ports of a Service that needs them. In a new Service, equal ports with different protocols share
/// one.
fn allocate_node_ports(spec: &mut ServiceSpec, is_new: bool, free: &mut impl Iterator<Item = i32>) {
    let needs_ports = match &*spec.kind {
        "NodePort" => true,
        "LoadBalancer" => spec.allocate_load_balancer_node_ports != Some(false),
        _ => false,
    };
    for index in (0..spec.ports.len()).filter(|_| needs_ports) {
        if spec.ports[index].node_port.unwrap_or(0) == 0 {
            let port = spec.ports[index].port;
            let mut same = spec.ports.iter().filter(|other| is_new && other.port == port);
            let shared = same.find_map(|other| other.node_port.filter(|number| *number != 0));
            spec.ports[index].node_port = shared.or_else(|| free.next());
        }
    }
    if &*spec.kind == "LoadBalancer"
        && &*spec.external_traffic_policy == "Local"
        && spec.health_check_node_port.unwrap_or(0) == 0
    {
        spec.health_check_node_port = free.next();
    }
}
