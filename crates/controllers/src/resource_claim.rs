//! ResourceClaims: creates them from templates for pods, deallocates them when no pod uses them, and deletes them with
//! the pods that they were created for (DRA-190 to DRA-206).

use std::sync::Arc;

use podscope_api::{
    CLAIM_FINALIZER, EventType, Kind, Object, ObjectKey, POD_CLAIM_NAME, Pod, PodResourceClaimStatus, ResourceClaim,
    ResourceClaimConsumerReference, ResourceClaimTemplate, Str, Uid,
};
use podscope_sim::{Change, DeleteOptions, Mutation, Part, Request};

use super::controller::{Controller, ControllerContext, note};
use super::owner::controller_ref;
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};

#[derive(Debug, Clone, Default)]
pub(super) struct ResourceClaimController;

/// Returns whether the pod no longer uses its claims (DRA-191, DRA-199).
fn is_claim_user_finished(pod: &Pod) -> bool {
    pod.is_terminal() || (pod.metadata.is_terminating() && pod.spec.node_name.is_none())
}

/// Returns the entry of the pod's status for one of its claims.
fn status_of_entry<'a>(pod: &'a Pod, entry: &str) -> Option<&'a PodResourceClaimStatus> {
    let mut statuses = pod.status.resource_claim_statuses.iter();
    statuses.find(|status| &*status.name == entry)
}

/// Returns the keys of the claims that a pod uses and whose names are already known.
fn claims_of(pod: &Pod) -> Vec<ObjectKey> {
    let namespace = &pod.metadata.namespace;
    let named = pod.spec.resource_claims.iter().filter_map(|entry| {
        let name = entry.resource_claim_name.as_ref();
        name.or_else(|| status_of_entry(pod, &entry.name)?.resource_claim_name.as_ref())
    });
    let extended = pod.status.extended_resource_claim_status.iter();
    let names = named.chain(extended.map(|status| &status.resource_claim_name));
    names
        .map(|name| ObjectKey::new(namespace.clone(), name.clone()))
        .collect()
}

/// Returns the pod that the claim was created for.
fn owner_of(claim: &ResourceClaim) -> Option<(ObjectKey, &Uid)> {
    let owner = claim.metadata.controller_ref().filter(|owner| &*owner.kind == "Pod")?;
    Some((
        ObjectKey::new(claim.metadata.namespace.clone(), owner.name.clone()),
        &owner.uid,
    ))
}

fn is_owned_by_pod(claim: &ResourceClaim, pod: &Pod) -> bool {
    owner_of(claim).is_some_and(|(_, uid)| *uid == pod.metadata.uid)
}

impl Controller for ResourceClaimController {
    fn name(&self) -> &'static str {
        "resource_claim"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Pod, Kind::ResourceClaim, Kind::ResourceClaimTemplate]
    }

    fn waits_for_own_writes(&self) -> bool {
        true
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match (&change.old, &change.new) {
            (old, Some(Object::Pod(pod))) => {
                if pod.spec.resource_claims.is_empty() && pod.status.extended_resource_claim_status.is_none() {
                    return;
                }
                let was_done = matches!(old, Some(Object::Pod(old)) if is_claim_user_finished(old));
                if is_claim_user_finished(pod) && !was_done {
                    claims_of(pod)
                        .into_iter()
                        .for_each(|claim| cx.enqueue((Kind::ResourceClaim, claim)));
                } else if needs_claim_sync(pod, cx) {
                    cx.enqueue(key_of(&**pod));
                }
            }
            (Some(Object::Pod(pod)), None) => {
                claims_of(pod)
                    .into_iter()
                    .for_each(|claim| cx.enqueue((Kind::ResourceClaim, claim)));
            }
            (old, new) => match new.as_ref().or(old.as_ref()) {
                Some(Object::ResourceClaim(claim)) => {
                    if new.is_some() {
                        cx.enqueue(key_of(&**claim));
                    }
                    if let Some((pod, _)) = owner_of(claim) {
                        cx.enqueue((Kind::Pod, pod));
                    }
                }
                Some(Object::ResourceClaimTemplate(template)) if new.is_some() => {
                    let name = &template.metadata.name;
                    let names = |pod: &&Arc<Pod>| {
                        let mut entries = pod.spec.resource_claims.iter();
                        entries.any(|entry| entry.resource_claim_template_name.as_ref() == Some(name))
                    };
                    let pods = cx.objects.list_in::<Pod>(&template.metadata.namespace).filter(names);
                    let pods: Vec<Key> = pods.map(|pod| key_of(&**pod)).collect();
                    pods.into_iter().for_each(|pod| cx.enqueue(pod));
                }
                _ => {}
            },
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::Pod {
            return match cx.objects.get::<Pod>(&key.1).cloned() {
                Some(pod) if !pod.metadata.is_terminating() && !pod.is_terminal() => sync_pod(&pod, cx),
                _ => Plan::default(),
            };
        }
        match cx.objects.get::<ResourceClaim>(&key.1).cloned() {
            Some(claim) => sync_claim(&claim, cx),
            None => Plan::default(),
        }
    }
}

/// Returns whether a claim of the pod must be created, added to the pod's status, or reserved for the pod (DRA-192).
fn needs_claim_sync(pod: &Pod, cx: &ControllerContext<'_, '_>) -> bool {
    if !pod.metadata.is_terminating() && unreserved_claims(pod, cx).next().is_some() {
        return true;
    }
    !pod.metadata.is_terminating()
        && pod.spec.resource_claims.iter().any(|entry| {
            entry.resource_claim_template_name.is_some()
                && status_of_entry(pod, &entry.name).is_none_or(|status| {
                    let name = status.resource_claim_name.as_ref();
                    name.is_some_and(|name| {
                        let key = ObjectKey::new(pod.metadata.namespace.clone(), name.clone());
                        cx.objects.get::<ResourceClaim>(&key).is_none()
                    })
                })
        })
}

/// Returns the allocated claims of a bound pod that are not reserved for the pod, because it was bound without the
/// scheduler, or the reservation was lost (DRA-198).
fn unreserved_claims<'a>(
    pod: &'a Pod,
    cx: &'a ControllerContext<'_, '_>,
) -> impl Iterator<Item = &'a Arc<ResourceClaim>> {
    let keys = if pod.spec.node_name.is_some() {
        claims_of(pod)
    } else {
        Vec::new()
    };
    let claims = keys
        .into_iter()
        .filter_map(move |key| cx.objects.get::<ResourceClaim>(&key));
    claims.filter(move |claim| claim.status.allocation.is_some() && !claim.is_reserved_for(&pod.metadata.uid))
}

/// Creates missing claims, then writes the names of all claims into the pod's status (DRA-193 to DRA-196).
fn sync_pod(pod: &Arc<Pod>, cx: &mut ControllerContext<'_, '_>) -> Plan {
    let namespace = &pod.metadata.namespace;
    let mut create: Vec<Action> = Vec::new();
    let mut statuses: Vec<PodResourceClaimStatus> = Vec::new();
    let mut is_new = false;
    for entry in &pod.spec.resource_claims {
        let Some(template) = &entry.resource_claim_template_name else {
            continue;
        };
        let known = status_of_entry(pod, &entry.name);
        if let Some(status) = known {
            let is_existing = status.resource_claim_name.as_ref().is_none_or(|name| {
                let key = ObjectKey::new(namespace.clone(), name.clone());
                let claim = cx.objects.get::<ResourceClaim>(&key);
                claim.is_some_and(|claim| is_owned_by_pod(claim, pod))
            });
            if is_existing {
                statuses.push(status.clone());
                continue;
            }
        }
        let is_claim_of_entry = |claim: &&Arc<ResourceClaim>| {
            is_owned_by_pod(claim, pod) && claim.metadata.annotation(POD_CLAIM_NAME) == Some(&entry.name)
        };
        if let Some(claim) = cx.objects.list_in::<ResourceClaim>(namespace).find(is_claim_of_entry) {
            statuses.push(PodResourceClaimStatus {
                name: entry.name.clone(),
                resource_claim_name: Some(claim.metadata.name.clone()),
            });
            is_new = true;
            continue;
        }
        let key = ObjectKey::new(namespace.clone(), template.clone());
        let Some(found) = cx.objects.get::<ResourceClaimTemplate>(&key) else {
            let text = format!(
                "PodResourceClaim {}: resource claim template \"{template}\": resourceclaimtemplate.resource.k8s.io \"{template}\" not found",
                entry.name
            );
            cx.emit_event(note(
                &**pod,
                EventType::from("Warning"),
                "FailedResourceClaimCreation",
                text,
            ));
            return Plan::failure();
        };
        let claim = claim_from_template(found, pod, &entry.name);
        create.push(Request::Create(Object::ResourceClaim(Arc::new(claim))).into());
    }
    if !create.is_empty() {
        return Plan::default().then(create);
    }
    let mut plan = Plan::default();
    for claim in unreserved_claims(pod, cx) {
        let (name, uid) = (pod.metadata.name.clone(), pod.metadata.uid.0.clone());
        plan = plan.then_action(patch_claim(claim, Part::Status, move |claim| {
            if claim.status.allocation.is_some() && !claim.is_reserved_for(&uid) {
                claim.status.reserved_for.push(ResourceClaimConsumerReference {
                    resource: "pods".into(),
                    name: name.clone(),
                    uid: uid.clone(),
                    ..ResourceClaimConsumerReference::default()
                });
            }
        }));
    }
    if !is_new {
        return plan;
    }
    plan.then_action(Request::Patch {
        kind: Kind::Pod,
        key: pod.metadata.key(),
        uid: Some(pod.metadata.uid.clone()),
        part: Part::Status,
        change: Mutation::new("ResourceClaimController", move |pod: &mut Pod| {
            pod.status.resource_claim_statuses.clone_from(&statuses);
        }),
    })
}

/// Builds the claim that is created from a template for an entry of a pod (DRA-194).
fn claim_from_template(template: &ResourceClaimTemplate, pod: &Arc<Pod>, entry: &Str) -> ResourceClaim {
    let mut claim = ResourceClaim {
        spec: template.spec.spec.clone(),
        ..ResourceClaim::default()
    };
    let metadata = &mut claim.metadata;
    if let Some(own) = &template.spec.metadata {
        metadata.labels = own.labels.clone();
        metadata.annotations = own.annotations.clone();
    }
    Arc::make_mut(&mut metadata.annotations).insert(POD_CLAIM_NAME.into(), entry.clone());
    metadata.namespace = pod.metadata.namespace.clone();
    metadata.generate_name = claim_base_name(&pod.metadata.name, entry).into();
    let mut owner = controller_ref(&**pod);
    owner.block_owner_deletion = None;
    metadata.owner_references = vec![owner];
    claim
}

/// Returns `<pod>-<entry>-`; if the text is too long, both parts are cut in proportion.
fn claim_base_name(pod: &str, entry: &str) -> String {
    const MAX_BASE_NAME_LENGTH: usize = 57;
    let length = pod.len() + entry.len() + 2;
    if length <= MAX_BASE_NAME_LENGTH {
        return format!("{pod}-{entry}-");
    }
    let shorten = |text: &str| {
        text.chars()
            .take(text.len() * MAX_BASE_NAME_LENGTH / length)
            .collect::<String>()
    };
    format!("{}-{}", shorten(pod), shorten(entry))
}

/// Removes finished pods from the claim's users, deallocates an unused claim, and deletes the claim if its pod has
/// finished (DRA-199 to DRA-203).
fn sync_claim(claim: &Arc<ResourceClaim>, cx: &mut ControllerContext<'_, '_>) -> Plan {
    let namespace = &claim.metadata.namespace;
    let consumers = &claim.status.reserved_for;
    let is_kept = |consumer: &&podscope_api::ResourceClaimConsumerReference| {
        if !consumer.api_group.is_empty() || &*consumer.resource != "pods" {
            return true;
        }
        let key = ObjectKey::new(namespace.clone(), consumer.name.clone());
        let pod = cx.objects.get::<Pod>(&key);
        pod.is_some_and(|pod| *pod.metadata.uid == *consumer.uid && !is_claim_user_finished(pod))
    };
    let remaining: Vec<_> = consumers.iter().filter(is_kept).cloned().collect();
    let has_finalizer = claim.metadata.finalizers.iter().any(|one| &**one == CLAIM_FINALIZER);
    let has_dropped = remaining.len() < consumers.len();
    let is_unused = remaining.is_empty();
    let is_allocated = claim.status.allocation.is_some();
    let deallocates = has_finalizer && is_unused && is_allocated && (has_dropped || claim.metadata.is_terminating());
    let mut plan = Plan::default();
    if has_dropped || deallocates {
        let status = move |claim: &mut ResourceClaim| {
            claim.status.reserved_for.clone_from(&remaining);
            if deallocates {
                claim.status.allocation = None;
                claim.status.devices.clear();
            }
        };
        plan = plan.then_action(patch_claim(claim, Part::Status, status));
    }
    let drops_finalizer =
        deallocates || (!is_allocated && has_dropped) || (claim.metadata.is_terminating() && is_unused);
    if has_finalizer && drops_finalizer {
        let release = |claim: &mut ResourceClaim| {
            claim.metadata.finalizers.retain(|one| &**one != CLAIM_FINALIZER);
        };
        plan = plan.then_action(patch_claim(claim, Part::Main, release));
    }
    let owner = owner_of(claim).and_then(|(key, uid)| Some((cx.objects.get::<Pod>(&key)?, uid)));
    let is_abandoned = owner.is_some_and(|(pod, uid)| pod.metadata.uid != *uid || is_claim_user_finished(pod));
    if is_unused && is_abandoned && !claim.metadata.is_terminating() {
        let delete = Request::Delete {
            kind: Kind::ResourceClaim,
            key: claim.metadata.key(),
            options: DeleteOptions::default(),
        };
        plan = plan.then_action(Action::from(delete).accept(Accept::OrNotFound));
    }
    plan
}

fn patch_claim(
    claim: &ResourceClaim,
    part: Part,
    change: impl Fn(&mut ResourceClaim) + Send + Sync + 'static,
) -> Action {
    let patch = Request::Patch {
        kind: Kind::ResourceClaim,
        key: claim.metadata.key(),
        uid: Some(claim.metadata.uid.clone()),
        part,
        change: Mutation::new("ResourceClaimController", change),
    };
    Action::from(patch).accept(Accept::OrNotFound)
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;
    use podscope_sim::Span;

    const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {resourceClaims: [{name: gpu, \
                       resourceClaimTemplateName: t}], containers: [{name: c, image: i}]}}";
    const CLAIM_TEMPLATE: &str = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t}, spec: \
                            {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";

    /// Shows: DRA-193, DRA-194, DRA-195
    #[test]
    fn pod_with_claim_template_gets_its_own_claim() {
        let mut lab = Lab::new(&["a-1"], &format!("{CLAIM_TEMPLATE}\n---\n{POD}"));
        lab.run(Span::seconds(5));
        let pod = lab.get::<Pod>("a").expect("the pod exists");
        let [status] = pod.status.resource_claim_statuses.as_slice() else {
            panic!("{:?}", pod.status.resource_claim_statuses);
        };
        let name = status.resource_claim_name.clone().expect("a claim was created");
        assert!(name.starts_with("a-gpu-"), "{name}");
        let claim = lab.get::<ResourceClaim>(&name).expect("the claim exists");
        assert_eq!(claim.metadata.annotation(POD_CLAIM_NAME), Some("gpu"));
        assert_eq!(&*claim.spec.devices.requests[0].name, "r");
        lab.delete(Kind::Pod, "a", Some(0));
        lab.run(Span::seconds(30));
        assert!(lab.get::<ResourceClaim>(&name).is_none());
    }

    /// Shows: DRA-194
    #[test]
    fn long_claim_names_are_cut_in_proportion() {
        assert_eq!(claim_base_name("a", "gpu"), "a-gpu-");
        let long = claim_base_name(&"p".repeat(60), &"e".repeat(20));
        assert!(long.len() <= 57 && !long.ends_with('-'), "{long}");
    }
}
