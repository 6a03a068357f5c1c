//! Suggestions for a pod whose claims get no devices: edited claims, the release of devices, and a node with the same
//! devices as an existing one.

use std::sync::Arc;

use podscope_api::ordered::{Set, StableSort as _};
use podscope_api::well_known::label;
use podscope_api::{
    CapacityRequirements, DEVICES_ANNOTATION, DeviceSelector, DeviceTaint, DeviceToleration, Node, Object, Pod,
    ResourceClaim, ResourceSlice, Str,
};

use super::{Change, ClaimEdit, NewNode, Trial, WhatWouldHelp};
use crate::plugins::dynamic_resources::claims_of;

/// Maximum number of changes to try in each group: tolerated taints of a request, deleted pods, deleted claims, new
/// nodes.
const MAX_TRIED_PER_GROUP: usize = 6;

/// The fields of a request, or of a subrequest of a prioritized list, that suggestions change.
struct RequestFields<'a> {
    selectors: &'a mut Vec<DeviceSelector>,
    allocation_mode: &'a mut Str,
    count: &'a mut Option<i64>,
    tolerations: &'a mut Vec<DeviceToleration>,
    capacity: &'a mut Option<CapacityRequirements>,
}

/// Position of a request in a claim, and of the subrequest in a prioritized list.
#[derive(Clone, Copy)]
struct RequestPosition {
    request: usize,
    subrequest: Option<usize>,
}

impl RequestPosition {
    fn all(claim: &ResourceClaim) -> Vec<RequestPosition> {
        let requests = claim.spec.devices.requests.iter().enumerate();
        requests
            .flat_map(|(request, fields)| {
                let exact = fields.exactly.iter().map(move |_| RequestPosition {
                    request,
                    subrequest: None,
                });
                let listed = (0..fields.first_available.len()).map(move |subrequest| RequestPosition {
                    request,
                    subrequest: Some(subrequest),
                });
                exact.chain(listed)
            })
            .collect()
    }

    fn name(self, claim: &ResourceClaim) -> String {
        let request = &claim.spec.devices.requests[self.request];
        match self.subrequest {
            None => request.name.to_string(),
            Some(at) => format!("{}/{}", request.name, request.first_available[at].name),
        }
    }

    fn fields(self, claim: &mut ResourceClaim) -> Option<RequestFields<'_>> {
        let request = claim.spec.devices.requests.get_mut(self.request)?;
        Some(match self.subrequest {
            None => {
                let exact = request.exactly.as_mut()?;
                RequestFields {
                    selectors: &mut exact.selectors,
                    allocation_mode: &mut exact.allocation_mode,
                    count: &mut exact.count,
                    tolerations: &mut exact.tolerations,
                    capacity: &mut exact.capacity,
                }
            }
            Some(at) => {
                let sub = request.first_available.get_mut(at)?;
                RequestFields {
                    selectors: &mut sub.selectors,
                    allocation_mode: &mut sub.allocation_mode,
                    count: &mut sub.count,
                    tolerations: &mut sub.tolerations,
                    capacity: &mut sub.capacity,
                }
            }
        })
    }
}

impl WhatWouldHelp {
    pub(super) fn plan_device_changes(&mut self) {
        let pod = self.pod.clone();
        let claims: Vec<Arc<ResourceClaim>> = claims_of(&self.cache.stores, &pod)
            .flatten()
            .filter(|claim| claim.status.allocation.is_none())
            .cloned()
            .collect();
        for claim in &claims {
            self.plan_claim_edits(claim);
        }
        self.plan_device_releases();
        self.plan_node_with_devices();
    }

    fn plan_claim_edits(&mut self, claim: &Arc<ResourceClaim>) {
        let key = claim.metadata.key().to_string();
        let mut edits: Vec<(String, ClaimEdit, ResourceClaim, i64)> = Vec::new();
        let taints = self.device_taints();
        for position in RequestPosition::all(claim) {
            let name = position.name(claim);
            let mut edited = |edit: ClaimEdit, cost: i64, change: &dyn Fn(&mut RequestFields<'_>)| {
                let mut changed = ResourceClaim::clone(claim);
                if let Some(mut fields) = position.fields(&mut changed) {
                    change(&mut fields);
                }
                edits.push((name.clone(), edit, changed, cost));
            };
            let mut before = ResourceClaim::clone(claim);
            let Some(before) = position.fields(&mut before) else {
                continue;
            };
            let is_untolerated = |taint: &&DeviceTaint| !before.tolerations.iter().any(|one| one.tolerates(taint));
            for taint in taints.iter().filter(is_untolerated).take(MAX_TRIED_PER_GROUP) {
                edited(ClaimEdit::Toleration(taint.to_string()), 31, &|fields| {
                    fields.tolerations.push(DeviceToleration {
                        key: taint.key.clone(),
                        operator: "Equal".into(),
                        value: taint.value.clone(),
                        effect: taint.effect.clone(),
                        toleration_seconds: None,
                    });
                });
            }
            let n = before.count.and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
            let is_exact = matches!(&**before.allocation_mode, "" | "ExactCount");
            // Larger counts are tried first: the first one that succeeds makes smaller counts superfluous.
            for to in (1..n).rev().filter(|_| is_exact) {
                let fewer = i64::try_from(to).ok();
                let cost = 32 + i64::try_from(n - to).unwrap_or(0);
                edited(ClaimEdit::Count { from: n, to }, cost, &|fields| *fields.count = fewer);
            }
            for (index, selector) in before.selectors.iter().enumerate() {
                let Some(cel) = &selector.cel else { continue };
                edited(ClaimEdit::Selector(cel.expression.to_string()), 45, &|fields| {
                    fields.selectors.remove(index);
                });
            }
            if before.capacity.is_some() {
                edited(ClaimEdit::Capacity, 46, &|fields| *fields.capacity = None);
            }
        }
        for (index, constraint) in claim.spec.devices.constraints.iter().enumerate() {
            let attribute = constraint.match_attribute.as_ref();
            if let Some(attribute) = attribute.or(constraint.distinct_attribute.as_ref()) {
                let mut changed = ResourceClaim::clone(claim);
                changed.spec.devices.constraints.remove(index);
                edits.push((String::new(), ClaimEdit::Constraint(attribute.to_string()), changed, 44));
            }
        }
        let before = Object::ResourceClaim(claim.clone());
        for (request, edit, changed, cost) in edits {
            let change = Change::Claim {
                claim: key.clone(),
                request,
                edit,
            };
            let after = Object::ResourceClaim(Arc::new(changed));
            self.try_object_changes(change, vec![(Some(before.clone()), Some(after))], cost);
        }
    }

    fn try_object_changes(&mut self, change: Change, changes: Vec<(Option<Object>, Option<Object>)>, cost: i64) {
        self.trials.push_back(Trial::Objects(change, changes, cost));
    }

    /// Returns the distinct taints of all published devices that prevent allocation.
    fn device_taints(&self) -> Vec<DeviceTaint> {
        let slices = self.cache.stores.resource_slices.values();
        let taints = slices
            .flat_map(|slice| &slice.spec.devices)
            .flat_map(|device| &device.taints);
        let mut seen: Set<String> = Set::new();
        let taints = taints.filter(|taint| taint.is_enforced() && seen.insert(taint.to_string()));
        taints.cloned().collect()
    }

    /// Plans the deletion of individual pods that use devices, the least important first, and the deletion of claims
    /// that no pod uses. The claims are deallocated, as the claim controller does (DRA-200).
    fn plan_device_releases(&mut self) {
        let own = &self.pod.metadata.uid;
        let mut holders: Vec<(Arc<Pod>, Str, Vec<Arc<ResourceClaim>>)> = Vec::new();
        let mut unused: Vec<Arc<ResourceClaim>> = Vec::new();
        for claim in self.cache.stores.resource_claims.values() {
            if claim.status.allocation.is_none() || claim.is_reserved_for(own) {
                continue;
            }
            match claim.status.reserved_for.as_slice() {
                [] => unused.push(claim.clone()),
                [one] => {
                    if let Some((.., claims)) = holders.iter_mut().find(|(pod, ..)| *pod.metadata.uid == *one.uid) {
                        claims.push(claim.clone());
                    } else if let Some((pod, node)) = self.bound_pod(&one.uid) {
                        holders.push((pod, node, vec![claim.clone()]));
                    }
                }
                _ => {}
            }
        }
        holders.stable_sort_by_key(|(pod, ..)| (pod.priority(), pod.metadata.key()));
        for (pod, node, claims) in holders.into_iter().take(MAX_TRIED_PER_GROUP) {
            let owner = pod.metadata.controller_ref();
            let change = Change::DeletePod {
                pod: pod.metadata.key().to_string(),
                node: node.to_string(),
                remade_by: owner.map_or_else(String::new, |owner| owner.kind.to_string()),
            };
            let mut changes = vec![(Some(Object::Pod(pod)), None)];
            changes.extend(claims.iter().map(claim_deallocation));
            self.try_object_changes(change, changes, 70);
        }
        for claim in unused.into_iter().take(MAX_TRIED_PER_GROUP) {
            let change = Change::DeleteClaim {
                claim: claim.metadata.key().to_string(),
            };
            self.try_object_changes(change, vec![claim_deallocation(&claim)], 24);
        }
    }

    /// Returns a bound pod and the name of its node.
    fn bound_pod(&self, uid: &str) -> Option<(Arc<Pod>, Str)> {
        self.cache.examination_order().iter().find_map(|node| {
            let info = self.cache.node(*node);
            let pod = info.pods.iter().find(|pod| *pod.uid == *uid)?;
            Some((pod.pod.clone(), info.name.clone()))
        })
    }

    /// Plans a new node modelled on an existing one that publishes devices. All its devices are free.
    fn plan_node_with_devices(&mut self) {
        let mut templates: Vec<(Arc<Node>, Vec<Arc<ResourceSlice>>)> = Vec::new();
        for index in self.cache.examination_order() {
            let info = self.cache.node(*index);
            let is_tolerable = |node: &&Arc<Node>| {
                let mut taints = node.spec.taints.iter();
                taints.all(|taint| {
                    is_system_taint(&taint.key) || self.pod.spec.tolerations.iter().any(|one| one.tolerates(taint))
                })
            };
            let Some(node) = info.node.as_ref().filter(is_tolerable) else {
                continue;
            };
            let slices = self.cache.stores.resource_slices.values();
            let own = slices.filter(|slice| slice.spec.node_name.as_deref() == Some(&*info.name));
            let own: Vec<Arc<ResourceSlice>> = own.cloned().collect();
            if !own.is_empty() && templates.len() < MAX_TRIED_PER_GROUP {
                templates.push((node.clone(), own));
            }
        }
        for (template, slices) in templates {
            self.try_node_with_devices(&template, &slices);
        }
    }

    fn try_node_with_devices(&mut self, template: &Node, slices: &[Arc<ResourceSlice>]) {
        let like = &template.metadata.name;
        let name = self.free_node_name(Some(template), &[]);
        let mut node = template.clone();
        node.metadata.name = name.clone();
        node.spec.unschedulable = None;
        node.spec.taints.retain(|taint| !is_system_taint(&taint.key));
        for (key, value) in Arc::make_mut(&mut node.metadata.labels).iter_mut() {
            if &**key == label::HOSTNAME || *value == *like {
                *value = name.clone();
            }
        }
        let mut changes = vec![(None, Some(Object::Node(Arc::new(node))))];
        let mut drivers: Vec<String> = Vec::new();
        for slice in slices {
            let mut copy = ResourceSlice::clone(slice);
            copy.metadata.name = format!("{}-of-{name}", slice.metadata.name).into();
            copy.spec.node_name = Some(name.clone());
            copy.spec.pool.name = match copy.spec.pool.name == *like {
                true => name.clone(),
                false => format!("{}-of-{name}", copy.spec.pool.name).into(),
            };
            if !drivers.iter().any(|driver| **driver == *copy.spec.driver) {
                drivers.push(copy.spec.driver.to_string());
            }
            changes.push((None, Some(Object::ResourceSlice(Arc::new(copy)))));
        }
        let change = Change::AddNodeWithDevices {
            node: NewNode {
                name: name.to_string(),
                like: like.to_string(),
                ..NewNode::default()
            },
            drivers,
            is_scripted: template.metadata.annotation(DEVICES_ANNOTATION).is_some(),
        };
        self.try_object_changes(change, changes, 89);
    }
}

fn claim_deallocation(claim: &Arc<ResourceClaim>) -> (Option<Object>, Option<Object>) {
    let mut free = ResourceClaim::clone(claim);
    free.status.allocation = None;
    free.status.reserved_for.clear();
    let after = Object::ResourceClaim(Arc::new(free));
    (Some(Object::ResourceClaim(claim.clone())), Some(after))
}

/// Returns whether the cluster or Podscope sets the taint; a new node has no such taint.
fn is_system_taint(key: &str) -> bool {
    ["node.kubernetes.io/", "podscope.dev/"]
        .iter()
        .any(|prefix| key.starts_with(prefix))
}
