//! Checks whether a Service can get the IP families, cluster IPs and node ports that it requests. The API server
//! allocates them before other validation (VA-322, VA-324).

use crate::{Service, ServiceSpec, ordered};

use super::service::{check_cluster_ips_and_families, is_headless};
use super::{ErrorList, Path};

/// The range of node ports.
const NODE_PORT_RANGE: std::ops::RangeInclusive<i32> = 30_000..=32_767;

/// The reason why an address or port could not be allocated for a Service.
#[derive(Debug)]
pub enum AllocationError {
    /// A field of the Service is invalid.
    Invalid(ErrorList),
    /// The server reports an internal error.
    Internal(String),
    /// The server reports a message without a reason code.
    WithoutReason(String),
}

/// Checks whether a Service can get the addresses and ports that it requests. Only the errors of the first check that
/// fails are reported. `old` is the Service before an update; `others` are all other Services.
pub fn check_service_allocation<'o>(
    service: &Service,
    old: Option<&Service>,
    others: impl Iterator<Item = &'o Service> + Clone,
) -> Result<(), AllocationError> {
    let path = Path::root("spec");
    let mut errors = ErrorList::default();
    if &*service.spec.kind != "ExternalName" {
        check_cluster_ips_and_families(&service.spec, &path, &mut errors);
        if errors.is_empty() {
            check_ip_family_policy(&service.spec, &path, &mut errors);
        }
        if errors.is_empty() {
            check_ip_families(&service.spec, &path, &mut errors);
        }
        let had_address = old.is_some_and(|old| &*old.spec.kind != "ExternalName");
        if errors.is_empty() && !had_address {
            check_cluster_ips(&service.spec, &path, others.clone(), &mut errors);
        }
    }
    if !errors.is_empty() {
        return Err(AllocationError::Invalid(errors));
    }
    let mut taken = NodePortAllocator::new(others);
    if matches!(&*service.spec.kind, "NodePort" | "LoadBalancer") {
        match old {
            Some(old) => taken.allocate_for_update(service, old, &path)?,
            None => taken.allocate_for_create(service, &path)?,
        }
    }
    let needs_check =
        |service: &Service| &*service.spec.kind == "LoadBalancer" && &*service.spec.external_traffic_policy == "Local";
    let requested = service.spec.health_check_node_port.filter(|port| *port != 0);
    if needs_check(service)
        && !old.is_some_and(needs_check)
        && let Some(port) = requested
        && let Err(why) = taken.allocate_port(port)
    {
        let message = format!("failed to allocate requested HealthCheck NodePort {port}: {why}");
        return Err(AllocationError::Internal(message));
    }
    Ok(())
}

fn effective_ip_family_policy(spec: &ServiceSpec) -> &str {
    match &*spec.ip_family_policy {
        "" if has_manual_endpoints(spec) => "RequireDualStack",
        "" => "SingleStack",
        policy => policy,
    }
}

/// Returns whether a headless Service has no selector: the user manages its endpoints, which may use either IP family.
fn has_manual_endpoints(spec: &ServiceSpec) -> bool {
    &*spec.cluster_ip == "None" && spec.selector.as_ref().is_none_or(|labels| labels.is_empty())
}

/// Checks that the IP family policy allows the given families and cluster IPs.
fn check_ip_family_policy(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if effective_ip_family_policy(spec) == "SingleStack" {
        let lists = [
            (spec.cluster_ips.len(), "cluster IPs"),
            (spec.ip_families.len(), "IP families"),
        ];
        for (_, plural) in lists.iter().filter(|(count, _)| *count == 2) {
            let message =
                format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {plural} are specified");
            errors.invalid_text(&path.child("ipFamilyPolicy"), "SingleStack", &message);
        }
    }
    let ips = path.child("clusterIPs");
    for (index, ip) in spec.cluster_ips.iter().enumerate().skip(spec.ip_families.len()) {
        if ip.contains(':') {
            let all = crate::wire::to_json(&spec.cluster_ips);
            errors.invalid(&ips.index(index), all, "IPv6 is not configured on this cluster");
        }
    }
}

/// Checks that the cluster has addresses of the requested families. The simulated cluster has only IPv4 addresses.
fn check_ip_families(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if has_manual_endpoints(spec) {
        return;
    }
    if effective_ip_family_policy(spec) == "RequireDualStack" {
        let message = "this cluster is not configured for dual-stack services";
        errors.invalid_text(&path.child("ipFamilyPolicy"), "RequireDualStack", message);
    }
    let families = path.child("ipFamilies");
    for (index, family) in spec.ip_families.iter().enumerate() {
        if &**family == "IPv6" {
            errors.invalid_text(&families.index(index), family, "not configured on this cluster");
        }
    }
}

/// Returns whether an address is in the service range 10.96.0.0/12.
fn is_in_service_ip_range(ip: &str) -> bool {
    let address = ip.parse::<std::net::Ipv4Addr>().map(|ip| ip.octets());
    address.is_ok_and(|[a, b, ..]| a == 10 && b & 0xf0 == 96)
}

/// Checks the requested cluster IPs; only the first failure is reported.
fn check_cluster_ips<'o>(
    spec: &ServiceSpec,
    path: &Path<'_>,
    others: impl Iterator<Item = &'o Service> + Clone,
    errors: &mut ErrorList,
) {
    if is_headless(spec) {
        return;
    }
    let has_address = |service: &Service, ip: &str| service.spec.cluster_ips.iter().any(|other| **other == *ip);
    for ip in spec.cluster_ips.iter().filter(|ip| !ip.is_empty()) {
        let why = match others.clone().any(|other| has_address(other, ip)) {
            true => "provided IP is already allocated",
            false if !is_in_service_ip_range(ip) => "the provided network does not match the current range",
            false => continue,
        };
        let message = format!("failed to allocate IP {ip}: {why}");
        let all = crate::wire::to_json(&spec.cluster_ips);
        errors.invalid(&path.child("clusterIPs"), all, &message);
        return;
    }
}

/// The set of allocated node ports; ports of the checked Service are added to it.
struct NodePortAllocator(ordered::Set<i32>);

impl NodePortAllocator {
    fn new<'o>(others: impl Iterator<Item = &'o Service>) -> Self {
        Self(others.flat_map(allocated_ports).collect())
    }

    fn allocate_port(&mut self, number: i32) -> Result<(), String> {
        if !NODE_PORT_RANGE.contains(&number) {
            let (start, end) = (NODE_PORT_RANGE.start(), NODE_PORT_RANGE.end());
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {start}-{end}"
            ));
        }
        match self.0.insert(number) {
            true => Ok(()),
            false => Err("provided port is already allocated".to_owned()),
        }
    }

    fn allocate_port_at_index(&mut self, number: i32, index: usize, path: &Path<'_>) -> Result<(), AllocationError> {
        self.allocate_port(number).map_err(|why| {
            let mut errors = ErrorList::default();
            errors.invalid(&path.child("ports").index(index).child("nodePort"), number, &why);
            AllocationError::Invalid(errors)
        })
    }

    /// Allocates node ports for a new Service. A node port belongs to one service port number, for all its protocols;
    /// requesting it for a second port number is an error.
    fn allocate_for_create(&mut self, service: &Service, path: &Path<'_>) -> Result<(), AllocationError> {
        let ports = &service.spec.ports;
        let mut given: ordered::Map<i32, i32> = ordered::Map::new();
        for (index, port) in ports.iter().enumerate() {
            let own = port.node_port.unwrap_or(0);
            match given.get(&port.port) {
                Some(shared) if own == 0 || own == *shared => {}
                Some(_) => self.allocate_port_at_index(own, index, path)?,
                None => {
                    let mut same = ports.iter().filter(|other| other.port == port.port);
                    if let Some(requested) = same.find_map(|other| other.node_port.filter(|number| *number != 0)) {
                        self.allocate_port_at_index(requested, index, path)?;
                        given.insert(port.port, requested);
                    }
                }
            }
        }
        Ok(())
    }

    fn allocate_for_update(
        &mut self,
        service: &Service,
        old: &Service,
        path: &Path<'_>,
    ) -> Result<(), AllocationError> {
        let before: Vec<i32> = old.spec.ports.iter().filter_map(|port| port.node_port).collect();
        let (mut taken, mut pairs) = (Vec::new(), Vec::new());
        for (index, port) in service.spec.ports.iter().enumerate() {
            let Some(number) = port.node_port.filter(|number| *number != 0) else {
                continue;
            };
            if !before.contains(&number) && !taken.contains(&number) {
                self.allocate_port_at_index(number, index, path)?;
                taken.push(number);
            }
            let pair = (&*port.protocol, number);
            if pairs.contains(&pair) {
                let message = format!("duplicate nodePort: {{{} {number}}}", port.protocol);
                return Err(AllocationError::WithoutReason(message));
            }
            pairs.push(pair);
        }
        Ok(())
    }
}

fn allocated_ports(service: &Service) -> impl Iterator<Item = i32> + '_ {
    let ports = service.spec.ports.iter().filter_map(|port| port.node_port);
    ports
        .chain(service.spec.health_check_node_port)
        .filter(|number| *number != 0)
}
