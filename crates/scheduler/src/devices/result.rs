//! Converts a solution of the search into an AllocationResult (DRA-172 to DRA-174).

use podscope_api::{
    AllocationResult, DeviceAllocationConfiguration, DeviceAllocationResult, DeviceRequestAllocationResult,
    NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, SelectorOperator, Str, hash,
};

use super::request::ClaimToAllocate;
use super::search::{ChosenDevice, Solution};
use super::table::DeviceTable;

/// Returns the AllocationResult of one claim.
///
/// # Errors
/// Returns an error if the node selectors of the slices cannot be combined.
pub(crate) fn allocation_result(
    table: &DeviceTable,
    wanted: &ClaimToAllocate,
    solution: &Solution,
    node: &Str,
) -> Result<AllocationResult, String> {
    let results = solution.devices.iter().enumerate();
    let results = results
        .map(|(index, chosen)| device_result(table, wanted, chosen, index))
        .collect();
    let selector = node_selector(table, solution, node).map_err(|n_terms| {
        format!(
            "create NodeSelector for claim {}: unsupported ResourceSlice.NodeSelector with {n_terms} terms",
            wanted.claim.metadata.name
        )
    })?;
    Ok(AllocationResult {
        devices: DeviceAllocationResult {
            results,
            config: device_configuration(wanted, solution),
        },
        node_selector: selector,
        allocation_timestamp: None,
    })
}

fn device_result(
    table: &DeviceTable,
    wanted: &ClaimToAllocate,
    chosen: &ChosenDevice,
    index: usize,
) -> DeviceRequestAllocationResult {
    let spec = &table.slices[chosen.slice].object.spec;
    let device = &spec.devices[chosen.device];
    let request = &wanted.requests[chosen.request];
    let alternative = &request.alternatives[chosen.alternative];
    let is_share = chosen.consumed.is_some();
    DeviceRequestAllocationResult {
        request: request.result_name(chosen.alternative),
        driver: spec.driver.clone(),
        pool: spec.pool.name.clone(),
        device: device.name.clone(),
        admin_access: alternative.admin_access.then_some(true),
        tolerations: alternative.tolerations.clone(),
        binding_conditions: device.binding_conditions.clone(),
        binding_failure_conditions: device.binding_failure_conditions.clone(),
        share_id: is_share.then(|| share_id(wanted, index)),
        consumed_capacity: chosen.consumed.clone().unwrap_or_default(),
    }
}

/// Returns a UUID for a share. Deviation: the UUID is derived from the claim's identity instead of random numbers, so
/// that it does not shift the sequence of random numbers of a run.
fn share_id(wanted: &ClaimToAllocate, index: usize) -> Str {
    let metadata = &wanted.claim.metadata;
    let seed = format!(
        "{}/{}/{}/{index}",
        metadata.key(),
        &*metadata.uid,
        metadata.resource_version
    );
    let high = hash::fnv1a(hash::EMPTY, seed.bytes());
    let low = hash::fnv1a(high, *b"#");
    hash::uuid(high, low).into()
}

/// Returns the device configuration of the allocation: first that of the chosen classes, then that of the claim
/// (DRA-173).
fn device_configuration(wanted: &ClaimToAllocate, solution: &Solution) -> Vec<DeviceAllocationConfiguration> {
    let mut config: Vec<DeviceAllocationConfiguration> = Vec::new();
    let mut class_ranges: Vec<(&str, std::ops::Range<usize>)> = Vec::new();
    let chosen = |at: usize| solution.alternatives.get(at).copied().unwrap_or(0);
    for (at, request) in wanted.requests.iter().enumerate() {
        let Some(class) = request.alternatives.get(chosen(at)).and_then(|one| one.class.as_ref()) else {
            continue;
        };
        let name = request.result_name(chosen(at));
        if let Some((_, range)) = class_ranges.iter().find(|(known, _)| *known == &*class.metadata.name) {
            config[range.clone()]
                .iter_mut()
                .for_each(|one| one.requests.push(name.clone()));
            continue;
        }
        let start = config.len();
        config.extend(class.spec.config.iter().map(|from| DeviceAllocationConfiguration {
            source: "FromClass".into(),
            requests: vec![name.clone()],
            opaque: from.opaque.clone(),
        }));
        class_ranges.push((&class.metadata.name, start..config.len()));
    }
    for from in &wanted.claim.spec.devices.config {
        let names = |(at, request): (usize, &super::request::Request)| {
            let sub = request.result_name(chosen(at));
            from.requests.contains(&request.name) || (request.is_list && from.requests.contains(&sub))
        };
        let n_copies = match from.requests.is_empty() {
            true => 1,
            false => wanted.requests.iter().enumerate().filter(|one| names(*one)).count(),
        };
        let copy = DeviceAllocationConfiguration {
            source: "FromClaim".into(),
            requests: from.requests.clone(),
            opaque: from.opaque.clone(),
        };
        config.extend(std::iter::repeat_n(copy, n_copies));
    }
    config
}

/// Returns a selector of the nodes from which all chosen devices can be used; `Ok(None)` means all nodes. `Err`
/// contains the number of terms of an unsupported selector.
fn node_selector(table: &DeviceTable, solution: &Solution, node: &Str) -> Result<Option<NodeSelector>, usize> {
    let mut term = NodeSelectorTerm::default();
    for chosen in &solution.devices {
        let spec = &table.slices[chosen.slice].object.spec;
        let device = &spec.devices[chosen.device];
        let (name, selector) = match spec.per_device_node_selection {
            Some(true) => (&device.node_name, &device.node_selector),
            _ => (&spec.node_name, &spec.node_selector),
        };
        if name.is_some() || device.binds_to_node == Some(true) {
            let field = NodeSelectorRequirement {
                key: "metadata.name".into(),
                operator: SelectorOperator::In,
                values: vec![node.clone()],
            };
            let term = NodeSelectorTerm {
                match_expressions: Vec::new(),
                match_fields: vec![field],
            };
            return Ok(Some(NodeSelector {
                node_selector_terms: vec![term],
            }));
        }
        match selector
            .as_ref()
            .map_or(&[][..], |selector| &selector.node_selector_terms)
        {
            [] => {}
            [one] => {
                append_missing_requirements(&one.match_fields, &mut term.match_fields);
                append_missing_requirements(&one.match_expressions, &mut term.match_expressions);
            }
            many => return Err(many.len()),
        }
    }
    let is_empty = term.match_fields.is_empty() && term.match_expressions.is_empty();
    Ok((!is_empty).then(|| NodeSelector {
        node_selector_terms: vec![term],
    }))
}

fn append_missing_requirements(from: &[NodeSelectorRequirement], to: &mut Vec<NodeSelectorRequirement>) {
    for requirement in from {
        if !to.contains(requirement) {
            to.push(requirement.clone());
        }
    }
}
