//! `kubectl describe node` (KC-074, KC-075).

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{Lease, Node, NodeCondition, Object, ObjectKey, Pod, Quantity, ResourceList, ResourceSlice};
use serde_json::Value;

use super::super::View;
use super::super::columns::{age, node_roles};
use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::{print_annotations, print_labels, print_list, rfc1123_time};

pub(super) fn describe(node: &Arc<Node>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, status) = (&node.metadata, &node.status);
    let value = Object::Node(node.clone()).to_value();
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Roles:\t{}", node_roles(node)));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(
        0,
        &format!("CreationTimestamp:\t{}", rfc1123_time(meta.creation_timestamp)),
    );
    print_list(text, "Taints", &taint_texts(node));
    text.line(0, &format!("Unschedulable:\t{}", node.is_unschedulable()));
    print_lease(node, view, text);
    print_conditions(&status.conditions, text);
    text.line(0, "Addresses:");
    for address in &status.addresses {
        text.line(1, &format!("{}:\t{}", address.kind, address.address));
    }
    for (title, amounts) in [("Capacity", &status.capacity), ("Allocatable", &status.allocatable)] {
        if !amounts.is_empty() {
            text.line(0, &format!("{title}:"));
        }
        for (resource, amount) in amounts {
            text.line(1, &format!("{resource}:\t{amount}"));
        }
    }
    print_device_pools(node, view, text);
    text.line(0, "System Info:");
    for (title, field) in [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
    ] {
        let info = value
            .pointer(&format!("/status/nodeInfo/{field}"))
            .map_or_else(String::new, value_text);
        text.line(1, &format!("{title}:\t{info}"));
    }
    if !node.spec.pod_cidr.is_empty() {
        text.line(0, &format!("PodCIDR:\t{}", node.spec.pod_cidr));
    }
    if let Some(Value::Array(all)) = value.pointer("/spec/podCIDRs") {
        let all: Vec<String> = all.iter().map(value_text).collect();
        text.line(0, &format!("PodCIDRs:\t{}", all.join(",")));
    }
    if !node.spec.provider_id.is_empty() {
        text.line(0, &format!("ProviderID:\t{}", node.spec.provider_id));
    }
    print_pods(node, view, text);
}

/// Prints the pools of devices on the node (DRA-264).
fn print_device_pools(node: &Node, view: &View<'_>, text: &mut TabbedText) {
    const MAX_PRINTED_POOLS: usize = 10;
    let mut pools: ordered::Map<(&str, &str), (usize, usize)> = ordered::Map::new();
    for slice in view.objects.list::<ResourceSlice>() {
        if slice.spec.node_name.as_ref() == Some(&node.metadata.name) {
            let (slices, devices) = pools.entry((&slice.spec.driver, &slice.spec.pool.name)).or_default();
            *slices += 1;
            *devices += slice.spec.devices.len();
        }
    }
    if pools.is_empty() {
        return;
    }
    text.line(0, "Node-Local ResourceSlices:");
    text.line(1, "Driver\tPool\tSlices\tDevices");
    text.line(1, "------\t----\t------\t-------");
    for ((driver, pool), (slices, devices)) in pools.iter().take(MAX_PRINTED_POOLS) {
        text.line(1, &format!("{driver}\t{pool}\t{slices}\t{devices}"));
    }
    if pools.len() > MAX_PRINTED_POOLS {
        text.line(1, &format!("...and {} more pools", pools.len() - MAX_PRINTED_POOLS));
    }
}

/// Formats the taints of a node, sorted by effect and key.
fn taint_texts(node: &Node) -> Vec<String> {
    let mut taints: Vec<_> = node.spec.taints.iter().collect();
    taints.stable_sort_by_key(|taint| format!("{},{}", taint.effect, taint.key));
    taints.into_iter().map(ToString::to_string).collect()
}

fn print_conditions(conditions: &[NodeCondition], text: &mut TabbedText) {
    if !conditions.is_empty() {
        text.line(0, "Conditions:");
        text.line(
            1,
            "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage",
        );
        text.line(
            1,
            "----\t------\t-----------------\t------------------\t------\t-------",
        );
    }
    for condition in conditions {
        let (heartbeat, transition) = (
            rfc1123_time(condition.last_heartbeat_time),
            rfc1123_time(condition.last_transition_time),
        );
        text.line(
            1,
            &format!(
                "{} \t{} \t{heartbeat} \t{transition} \t{} \t{}",
                condition.kind, condition.status, condition.reason, condition.message
            ),
        );
    }
}

/// Prints the node's lease. Lease renewals are computed and not stored, so the stored object may lack the last renewal
/// (LC-202).
fn print_lease(node: &Node, view: &View<'_>, text: &mut TabbedText) {
    let name = &node.metadata.name;
    let Some(lease) = view
        .objects
        .get::<Lease>(&ObjectKey::new("kube-node-lease", name.clone()))
    else {
        let why = format!("leases.coordination.k8s.io {:?} not found", &**name);
        return text.line(0, &format!("Lease:\tFailed to get lease: {why}"));
    };
    let at =
        |time: Option<podscope_api::Time>| time.map_or_else(|| "<unset>".to_owned(), |time| rfc1123_time(Some(time)));
    let to_time = |time: Option<podscope_api::MicroTime>| time.map(|time| podscope_api::Time(time.0));
    text.line(0, "Lease:");
    let holder = lease.spec.holder_identity.as_deref().unwrap_or("<unset>");
    text.line(1, &format!("HolderIdentity:\t{holder}"));
    text.line(1, &format!("AcquireTime:\t{}", at(to_time(lease.spec.acquire_time))));
    let renewed = (view.renewed)(&name.as_ref().into()).or(to_time(lease.spec.renew_time));
    text.line(1, &format!("RenewTime:\t{}", at(renewed)));
}

/// Prints the non-terminated pods, and their requests and limits as shares of the allocatable resources (KC-075).
fn print_pods(node: &Node, view: &View<'_>, text: &mut TabbedText) {
    let allocatable = if node.status.allocatable.is_empty() {
        &node.status.capacity
    } else {
        &node.status.allocatable
    };
    let amount = |list: &ResourceList, name: &str| list.get(name).copied().unwrap_or_default();
    // Formats a quantity with its share of the node's allocatable quantity: `250m (6%)`.
    let share = |part: Quantity, name: &str| {
        let whole = amount(allocatable, name);
        let (numerator, whole) = if name == "cpu" {
            (part.milli_value(), whole.milli_value())
        } else {
            (part.value(), whole.value())
        };
        let percent = match whole {
            0 => 0,
            whole => i128::from(numerator) * 100 / i128::from(whole),
        };
        format!("{part} ({percent}%)")
    };
    let pods: Vec<&Arc<Pod>> = view
        .objects
        .pods_on(&node.metadata.name.as_ref().into())
        .filter(|pod| !pod.is_terminal())
        .collect();
    text.line(0, &format!("Non-terminated Pods:\t({} in total)", pods.len()));
    text.line(
        1,
        "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge",
    );
    text.line(
        1,
        "---------\t----\t\t------------\t----------\t---------------\t-------------\t---",
    );
    let (mut requested, mut limited) = (ResourceList::new(), ResourceList::new());
    for pod in pods {
        let (requests, limits) = (pod.requests_in_use(), pod.limits_in_use());
        text.line(
            1,
            &format!(
                "{}\t{}\t\t{}\t{}\t{}\t{}\t{}",
                pod.metadata.namespace,
                pod.metadata.name,
                share(amount(&requests, "cpu"), "cpu"),
                share(amount(&limits, "cpu"), "cpu"),
                share(amount(&requests, "memory"), "memory"),
                share(amount(&limits, "memory"), "memory"),
                age(pod.metadata.creation_timestamp, view.now)
            ),
        );
        for (sum, list) in [(&mut requested, requests), (&mut limited, limits)] {
            for (name, amount) in list {
                let total = sum.entry(name).or_default();
                *total = total.plus(amount);
            }
        }
    }
    text.line(0, "Allocated resources:");
    text.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
    text.line(1, "Resource\tRequests\tLimits");
    text.line(1, "--------\t--------\t------");
    let huge_pages = allocatable.keys().filter(|name| name.starts_with("hugepages-"));
    let native = ["cpu", "memory", "ephemeral-storage"]
        .into_iter()
        .chain(huge_pages.map(|name| &**name));
    for name in native {
        let (requests, limits) = (amount(&requested, name), amount(&limited, name));
        text.line(
            1,
            &format!("{name}\t{}\t{}", share(requests, name), share(limits, name)),
        );
    }
    let extended = allocatable.keys().filter(|name| {
        !matches!(&***name, "cpu" | "memory" | "ephemeral-storage" | "pods") && !name.starts_with("hugepages-")
    });
    for name in extended {
        text.line(
            1,
            &format!("{name}\t{}\t{}", amount(&requested, name), amount(&limited, name)),
        );
    }
}
