//! PreBind for device claims: what is written to ResourceClaims, and the wait for their devices (DRA-108 to DRA-113,
//! DRA-120).

use std::sync::Arc;

use podscope_api::{
    AllocationResult, CLAIM_FINALIZER, ContainerExtendedResourceRequest, DeviceReadiness, EXTENDED_RESOURCE_CLAIM,
    Kind, Object, ObjectKey, OwnerReference, Pod, PodExtendedResourceClaimStatus, ResourceClaim,
    ResourceClaimConsumerReference, Time, Uid,
};
use podscope_scheduler::{FreedClaim, ReservedClaims};

use super::binding::{Binding, BindingStage, Write};
use super::{Context, SchedulerProcess, emit_events};
use crate::{Answer, DeleteOptions, EventNote, Mutation, Part, Request, Span};
use podscope_api::EventType;

/// Interval at which PreBind checks whether the devices are ready.
const DEVICE_POLL_PERIOD: Span = Span::seconds(5);
/// Maximum time that PreBind waits for devices: `bindingTimeout` (DRA-081).
const DEVICE_BINDING_TIMEOUT: Span = Span::seconds(600);

#[derive(Debug, Clone)]
pub(super) enum ClaimWrite {
    /// Creates the ResourceClaim for the extended resources that the pod requests.
    Create(
        Arc<ResourceClaim>,
        AllocationResult,
        Vec<ContainerExtendedResourceRequest>,
    ),
    /// Adds the finalizer before the claim is allocated, so that the claim cannot be deleted while it holds devices.
    AddFinalizer(ObjectKey, Uid),
    /// Adds the allocation, if it is new, and the reservation for the pod to the status of a claim.
    Reserve(ObjectKey, Uid, Option<AllocationResult>),
    /// Writes the claim for extended resources to the pod's status.
    SetPodStatus(String, Vec<ContainerExtendedResourceRequest>),
}

/// Returns the writes for a pod's claims, in the order in which they are sent. A claim that is already reserved for the
/// pod needs no write.
pub(super) fn claim_writes(reserved: ReservedClaims, pod: &ObjectKey, uid: &str) -> Vec<ClaimWrite> {
    let mut writes = Vec::new();
    for (claim, allocation) in reserved.claims {
        if allocation.is_none() && claim.is_reserved_for(uid) {
            continue;
        }
        let (key, claim_uid) = (claim.metadata.key(), claim.metadata.uid.clone());
        let is_held = claim.metadata.finalizers.iter().any(|one| &**one == CLAIM_FINALIZER);
        if allocation.is_some() && !is_held {
            writes.push(ClaimWrite::AddFinalizer(key.clone(), claim_uid.clone()));
        }
        writes.push(ClaimWrite::Reserve(key, claim_uid, allocation));
    }
    if let Some((claim, allocation, mappings)) = reserved.extended {
        let mut claim = ResourceClaim::clone(&claim);
        let metadata = &mut claim.metadata;
        metadata.name = "".into();
        metadata.generate_name = format!("{}-extended-resources-", pod.name).into();
        Arc::make_mut(&mut metadata.annotations).insert(EXTENDED_RESOURCE_CLAIM.into(), "true".into());
        metadata.owner_references = vec![OwnerReference {
            api_version: "v1".into(),
            kind: "Pod".into(),
            name: pod.name.clone(),
            uid: uid.into(),
            controller: Some(true),
            ..OwnerReference::default()
        }];
        writes.push(ClaimWrite::Create(Arc::new(claim), allocation, mappings));
    }
    writes
}

impl ClaimWrite {
    pub(super) fn request(&self, pod: &ObjectKey, uid: &Uid, wall: Time) -> Request {
        match self {
            Self::Create(claim, ..) => Request::Create(Object::ResourceClaim(claim.clone())),
            Self::AddFinalizer(key, claim) => patch_claim(key, claim, Part::Main, |claim| {
                let finalizers = &mut claim.metadata.finalizers;
                if !finalizers.iter().any(|one| &**one == CLAIM_FINALIZER) {
                    finalizers.push(CLAIM_FINALIZER.into());
                }
            }),
            Self::Reserve(key, claim, allocation) => {
                let (allocation, name, uid) = (allocation.clone(), pod.name.clone(), uid.0.clone());
                patch_claim(key, claim, Part::Status, move |claim| {
                    let status = &mut claim.status;
                    if let (None, Some(new)) = (&status.allocation, &allocation) {
                        status.allocation = Some(AllocationResult {
                            allocation_timestamp: Some(Time::from_seconds(wall.seconds())),
                            ..new.clone()
                        });
                    }
                    if !status.reserved_for.iter().any(|consumer| consumer.uid == uid) {
                        status.reserved_for.push(ResourceClaimConsumerReference {
                            resource: "pods".into(),
                            name: name.clone(),
                            uid: uid.clone(),
                            ..ResourceClaimConsumerReference::default()
                        });
                    }
                })
            }
            Self::SetPodStatus(claim, mappings) => {
                let status = PodExtendedResourceClaimStatus {
                    request_mappings: mappings.clone(),
                    resource_claim_name: claim.as_str().into(),
                };
                Request::Patch {
                    kind: Kind::Pod,
                    key: pod.clone(),
                    uid: Some(uid.clone()),
                    part: Part::Status,
                    change: Mutation::new::<Pod>("scheduling", move |pod| {
                        pod.status.extended_resource_claim_status = Some(Box::new(status.clone()));
                    }),
                }
            }
        }
    }

    /// Returns the prefix of the error message if this write fails (DRA-110).
    fn error_prefix(&self) -> String {
        match self {
            Self::Create(claim, ..) => format!("create claim for extended resources {}/", claim.metadata.namespace),
            Self::AddFinalizer(key, _) => format!("add finalizer to claim {key}"),
            Self::Reserve(key, _, Some(_)) => format!("add allocation and reservation to claim {key}"),
            Self::Reserve(key, _, None) => format!("add reservation to claim {key}"),
            Self::SetPodStatus(..) => "update pod ExtendedResourceClaimStatus".to_owned(),
        }
    }
}

fn patch_claim(
    key: &ObjectKey,
    uid: &Uid,
    part: Part,
    change: impl Fn(&mut ResourceClaim) + Send + Sync + 'static,
) -> Request {
    Request::Patch {
        kind: Kind::ResourceClaim,
        key: key.clone(),
        uid: (!uid.is_empty()).then(|| uid.clone()),
        part,
        change: Mutation::new("scheduling", change),
    }
}

/// Releases a claim so that its pod can be scheduled elsewhere (DRA-101).
pub(super) fn release_claim(freed: FreedClaim, ctx: &mut Context<'_>) {
    match freed {
        FreedClaim::Deallocate(claim) => {
            let (key, uid) = (claim.metadata.key(), claim.metadata.uid.clone());
            ctx.call(patch_claim(&key, &uid, Part::Status, |claim| {
                claim.status = Default::default();
            }));
        }
        FreedClaim::Delete(claim) => delete_claim(&claim.metadata.key(), ctx),
    }
}

/// Removes the finalizer of a claim and deletes it.
fn delete_claim(key: &ObjectKey, ctx: &mut Context<'_>) {
    ctx.call(patch_claim(key, &Uid::default(), Part::Main, |claim| {
        claim.metadata.finalizers.retain(|one| &**one != CLAIM_FINALIZER);
    }));
    ctx.call(Request::Delete {
        kind: Kind::ResourceClaim,
        key: key.clone(),
        options: DeleteOptions::default(),
    });
}

/// Unreserve: removes the pod from the claims it was written into; their allocations stay (DRA-107).
pub(super) fn unreserve_claims(binding: &Binding, uid: &Uid, ctx: &mut Context<'_>) {
    for key in &binding.claims {
        let pod = uid.0.clone();
        ctx.call(patch_claim(key, &Uid::default(), Part::Status, move |claim| {
            claim.status.reserved_for.retain(|consumer| consumer.uid != pod);
        }));
    }
}

impl SchedulerProcess {
    pub(super) fn handle_claim_answer(&mut self, uid: &Uid, write: ClaimWrite, answer: Answer, ctx: &mut Context<'_>) {
        let written = match answer {
            Ok(written) => written,
            Err(error) => {
                let text = format!("{}: {}", write.error_prefix(), error.message);
                return self.fail_device_binding(uid, &text, ctx);
            }
        };
        let Some(binding) = self.binding_mut(uid) else {
            return;
        };
        if let Some(Object::ResourceClaim(claim)) = written {
            let key = claim.metadata.key();
            match write {
                ClaimWrite::Create(_, allocation, mappings) => {
                    let claim_uid = claim.metadata.uid.clone();
                    let next = [
                        ClaimWrite::SetPodStatus(key.name.to_string(), mappings),
                        ClaimWrite::Reserve(key.clone(), claim_uid.clone(), Some(allocation)),
                        ClaimWrite::AddFinalizer(key, claim_uid),
                    ];
                    next.into_iter()
                        .for_each(|write| binding.left.push_front(Write::Claim(write)));
                }
                ClaimWrite::Reserve(..) => {
                    binding.claims.push(key);
                    self.core.claim_written(uid.as_str(), claim);
                }
                ClaimWrite::AddFinalizer(..) | ClaimWrite::SetPodStatus(..) => {}
            }
        }
        self.write_next(uid, ctx);
    }

    /// Fails the binding of a pod in the PreBind plugin DynamicResources.
    fn fail_device_binding(&mut self, uid: &Uid, why: &str, ctx: &mut Context<'_>) {
        let message = format!("running PreBind plugin \"DynamicResources\": {why}");
        self.end_binding(uid, Err(message), ctx);
    }

    /// Binds the pod, or first waits for the binding conditions of its devices (DRA-111).
    pub(super) fn await_devices(&mut self, uid: &Uid, ctx: &mut Context<'_>) {
        let Some(binding) = self.binding_mut(uid) else {
            return;
        };
        let (pod, node, keys) = (binding.pod.clone(), binding.node.clone(), binding.claims.clone());
        let stores = self.core.cache().stores();
        let must_wait = keys.iter().any(|key| {
            let claim = stores.resource_claim(key);
            claim.is_some_and(|claim| claim.has_binding_conditions())
        });
        if !must_wait {
            return self.bind(uid, ctx);
        }
        let scheduler = self.known.get::<Pod>(&pod).map(|pod| pod.spec.scheduler_name.clone());
        let note = EventNote {
            component: scheduler.unwrap_or_else(|| "default-scheduler".into()),
            kind: Kind::Pod,
            key: pod,
            uid: uid.clone(),
            field_path: "".into(),
            kind_of_event: EventType::from("Normal"),
            reason: "BindingConditionsPending".into(),
            message: format!("waiting for binding conditions for device on node {node}").into(),
            action: "Scheduling".into(),
            related: None,
        };
        emit_events(vec![note], ctx);
        self.check_devices(uid, ctx);
    }

    /// Checks the devices of the bindings whose next check is due.
    pub(super) fn poll_devices(&mut self, ctx: &mut Context<'_>) {
        let is_due = |binding: &Binding| matches!(binding.stage, BindingStage::Devices(at) if at <= ctx.now);
        let due = self.bindings.iter().filter(|(_, binding)| is_due(binding));
        let due: Vec<Uid> = due.map(|(uid, _)| uid.clone()).collect();
        for uid in due {
            self.check_devices(&uid, ctx);
        }
    }

    /// Binds the pod if all devices are ready. The first claim that is not ready decides whether to wait or fail
    /// (DRA-111, DRA-112).
    fn check_devices(&mut self, uid: &Uid, ctx: &mut Context<'_>) {
        let Some(keys) = self.bindings.get(uid).map(|binding| binding.claims.clone()) else {
            return;
        };
        let stores = self.core.cache().stores();
        for key in &keys {
            let Some(claim) = stores.resource_claim(key) else {
                let text = format!("could not find ResourceClaim \"{key}\"");
                return self.fail_device_binding(uid, &text, ctx);
            };
            let name = &key.name;
            match claim.readiness() {
                DeviceReadiness::Ready => {}
                DeviceReadiness::Failed(reason, message) => {
                    let text = format!("device binding failed: claim={name}, reason={reason}, message=\"{message}\"");
                    return self.fail_device_binding(uid, &text, ctx);
                }
                DeviceReadiness::NotYet => {
                    let allocation = claim.status.allocation.as_ref();
                    let since = allocation.and_then(|allocation| allocation.allocation_timestamp);
                    if since.is_some_and(|since| since.0 + DEVICE_BINDING_TIMEOUT.0 < ctx.wall().0) {
                        let text = format!("device binding timeout: claim={name}");
                        return self.fail_device_binding(uid, &text, ctx);
                    }
                    if let Some(binding) = self.bindings.get_mut(uid) {
                        binding.stage = BindingStage::Devices(ctx.now + DEVICE_POLL_PERIOD);
                    }
                    return;
                }
            }
        }
        self.bind(uid, ctx);
    }
}
